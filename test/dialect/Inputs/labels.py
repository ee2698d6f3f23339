"""The labels of rules are in step: op descriptions, the verifier's lines, the tests that break them."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def labels(pattern, *globs):
    lines = [line for glob in globs for path in sorted(root.glob(glob)) for line in path.read_text().splitlines()]
    found = [match for line in lines for match in re.findall(pattern, line)]
    return {label.upper() for match in found for label in re.findall(r"[A-Za-z]\d+", match)}


described = labels(r"\* \(([A-Z]\d+)\)", "dialect/Sinter.td")
checked = labels(r"// ((?:[A-Z]\d+(?:, )?)+)(?:$|:)", "dialect/verify_*.c")
tested = labels(r"(?:func\.func|sinter\.define(?:_steps)?) @([a-z]\d+)_", "test/dialect/invalid*.mlir",
                "test/dialect/generic-broken.mlir")

for what, found in ("verifier", checked), ("tests", tested):
    for label in sorted(described - found):
        print(f"{label} is described, but not in the {what}")
    for label in sorted(found - described):
        print(f"{label} is in the {what}, but not described")
print(len(described), "rules")
