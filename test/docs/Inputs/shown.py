"""Compares what README.md and docs/ show with what the tools print.

  shown.py SOURCE_TREE TOOLS

* In a block of `sh`, the lines behind `$ build/bin/...` are its output; in any block, those behind `$ sinter-...`.
  A command goes on behind a line that ends in a backslash.
  A line `...` stands for any lines. Commands run in a folder that has the source tree's docs and test in it, and
  a file for each block of `mlir` that begins with `// NAME.mlir`.
* README.md's forms are what docs/tanh.mlir becomes on the rungs, in these words: only the names of values differ.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, tools = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
compared = 0


def run(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}\n{done.stderr}exit code {done.returncode}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def compare(page, command, shown):
    """`shown` may leave lines out: `...`."""
    global compared
    printed, at, skip = run(command), 0, False
    for line in shown:
        if line.strip() == "...":
            skip = True
            continue
        while skip and at < len(printed) and printed[at] != line:
            at += 1
        if at == len(printed) or printed[at] != line:
            got = printed[at] if at < len(printed) and not skip else "nothing of the kind"
            sys.exit(f"{page}: {command}\nshows {line!r}\nprints {got!r}")
        at, skip, compared = at + 1, False, compared + 1


def outputs(page, text):
    """Each `$ command` of an indented or fenced block, with the lines below it."""
    for indent, command, shown in re.findall(r"^( *)\$ ((?:.+\\\n)*.+)\n((?:(?! *\$ | *```|\n).*\n)*)", text, re.M):
        lines = [line[len(indent) :].rstrip() for line in shown.splitlines()]
        compare(page, re.sub(r"\bbuild/bin/", "", command), lines)


def renamed(lines):
    """Names of values by their order of appearance; those of a block's arguments are new ones."""
    names, count, out = {}, 0, []
    for line in lines:
        if line.strip().startswith("^"):
            for argument in re.findall(r"%\w+", line):
                names.pop(argument, None)
        for name in re.findall(r"%\w+", line):
            if name not in names:
                names[name], count = f"%{count}", count + 1
        out.append(re.sub(r"%\w+", lambda m: names[m[0]], line.strip()))
    return out


def forms(text):
    global compared
    blocks = [b for b in re.findall(r"```mlir\n(.*?)```", text, re.S) if "= sinter.contract" in b]
    for block, rung in zip(blocks, ("raised", "scheduled"), strict=True):
        printed = run(f"sinter-run docs/tanh.mlir --emit={rung}")
        first = next(n for n, line in enumerate(printed) if "sinter.contract" in line)
        shown = block.splitlines()
        for n, (want, got) in enumerate(zip(renamed(shown), renamed(printed[first : first + len(shown)]), strict=True)):
            if want != got:
                sys.exit(f"README.md: {rung} shows {shown[n]!r}\nprints {printed[first + n]!r}")
            compared += 1


os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("docs", "test"):
        os.symlink(root / name, name)
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for page in pages:
        for name, text in re.findall(r"```mlir\n// (\w+\.mlir)\b(.*?)```", page.read_text(), re.S):
            pathlib.Path(name).write_text("//" + text)
    program = (root / "docs" / "tanh.mlir").read_text()
    if program not in (root / "README.md").read_text():
        sys.exit("README.md: the program is not docs/tanh.mlir")
    forms((root / "README.md").read_text())
    for page in pages:
        outputs(page.name, page.read_text())
if not compared:
    sys.exit("nothing is shown, so nothing was compared")
print(f"{compared} lines agree")
