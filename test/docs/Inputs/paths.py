"""Every file of the source tree that README.md, docs/ and the comments of sources name is there.

  paths.py SOURCE_TREE

Pages that add a file as an example name it all the same: `new` has those. NAME and * stand for anything.
"""
import pathlib
import re
import sys

new = {"passes/simplify/negation.c", "test/passes/simplify/negation.mlir"}
root = pathlib.Path(sys.argv[1])
folders = "bench|capi|cmake|dialect|docs|lowering|passes|pipelines|python|runtime|scripts|target|test|tools"
pages = [root / "README.md", *(root / "docs").glob("*.md")]
sources = [path for folder in ("capi", "dialect", "lowering", "passes", "pipelines", "runtime", "target",
                               "tools") for path in (root / folder).rglob("*.*")
           if path.suffix in (".c", ".cpp", ".h", ".td")]
missing, seen = [], 0
for path in pages + sources:
    text = path.read_text()
    if path in sources:
        text = "\n".join(re.findall(r"//.*", text))
    else:
        missing += [f"{path.name}: {link}" for link in re.findall(r"\]\(([^)#:]+)[)#]",
            text) if not (path.parent / link).exists()]
    for name in re.findall(rf"(?<![\w./-])((?:{folders})/[\w./*-]*\w\*?)", text):
        seen += 1
        pattern = name.replace("NAME", "*")
        # A source may leave the suffix out, or name a folder.
        if name not in new and not any(root.glob(pattern)) and not (path in sources and any(root.glob(pattern + ".*"))):
            missing.append(f"{path.relative_to(root)}: {name}")
if missing or not seen:
    sys.exit("\n".join(["named, and not there:", *missing]) if seen else "no file is named anywhere")
print(f"{seen} names of files are right")
