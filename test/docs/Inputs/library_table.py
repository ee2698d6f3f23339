"""Compares the names in the tables of docs/losses.md with the files of dialect/library."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs" / "losses.md").read_text().split("\n## The library\n")[1].split("\n## ")[0]
named = set(re.findall(r"^\| `(\w+)`", page, re.M))
files = {path.stem for path in (root / "dialect" / "library").glob("*.mlir")}
if not files or named != files:
    sys.exit(
        f"docs/losses.md lacks {sorted(files - named)}, and has {sorted(named - files)} that dialect/library lacks"
    )
