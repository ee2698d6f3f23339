"""No line of C, Python, a script, a page or a comment of a test is longer than 120 columns.

  lines.py SOURCE_TREE

Left alone: what was measured or drawn (bench/results, pictures, test/reference), tables and code of pages, and code of
tests, where a type of MLIR's may be as long as it is.
"""
import pathlib
import re
import subprocess
import sys

MOST = 120
root = pathlib.Path(sys.argv[1])
SKIPPED = ("bench/results/", "test/reference/", "test/golden/losses/", "test/golden/functions/")
CODE = (".c", ".h", ".cpp", ".td", ".py", ".cmake", ".supp", ".toml")
DIRECTIVE = re.compile(r"[A-Z][A-Z0-9_-]*(\{[^}]*\})?:|expected-(error|remark|warning|note)")


def files():
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False)
    if not listed.returncode:
        return listed.stdout.split("\n")[:-1]
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]  # an archive without its history


def text_of(path):
    try:
        return (root / path).read_text()
    except (UnicodeDecodeError, OSError):
        return None


def is_script(text):
    return text.startswith("#!")


def long_lines(path, text):
    suffix = pathlib.Path(path).suffix
    lines = text.split("\n")
    fenced = continued = False
    for number, line in enumerate(lines, 1):
        if suffix == ".md" and line.lstrip().startswith("```"):
            fenced = not fenced
        if len(line) > MOST:
            if suffix == ".md":
                counts = not fenced and not line.lstrip().startswith("|") and not line.startswith("    ")
            elif suffix == ".mlir":
                counts = line.lstrip().startswith("//") and not DIRECTIVE.search(line)
            elif suffix == ".test":
                # what a tool is fed, and commands
                code = line.startswith(("{", "[")) or line.endswith("\\") or continued
                counts = not code and not DIRECTIVE.search(line)
            else:
                counts = True
            if counts:
                yield number
        continued = line.endswith("\\")


wrong, seen = [], 0
for path in files():
    if path.startswith(SKIPPED):
        continue
    suffix = pathlib.Path(path).suffix
    known = suffix in CODE + (".md", ".mlir", ".test") or pathlib.Path(path).name == "CMakeLists.txt"
    text = text_of(path) if known or not suffix else None
    if text is None or (not known and not is_script(text)):
        continue
    seen += 1
    wrong += [f"{path}:{number}" for number in long_lines(path, text)]
if wrong or not seen:
    sys.exit("\n".join([f"longer than {MOST} columns:", *wrong]) if seen else "no file was found")
print(f"{seen} files have no line of more than {MOST} columns")
