"""A row with numbers around it, and what each comparison of its columns with a number chooses, on either side. Small
whole numbers, so exact.

  range_comparisons.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
BEFORE, WIDTH, BEHIND, ROWS = 32, 32, 33, 5
COLUMNS = BEFORE + WIDTH + BEHIND
NUMBERS = (-1, 0, 31, 32, 33, 63, 64, 65, 96, 97)  # on both sides of each end of a part, and of the row
SIGNED = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
          "sge": np.greater_equal}  # fmt: skip
UNSIGNED = {"ult": np.less, "ule": np.less_equal, "ugt": np.greater, "uge": np.greater_equal}


def chosen(name, turned):
    """The row's elements, and a power of two more for each number that the column compares with so."""
    sides = lambda k: f"%n{k}, %j" if turned else f"%j, %n{k}"
    body = "".join(f"""    %n{k} = arith.constant {n} : index
    %q{k} = arith.constant {2.0 ** (k + 3)} : f32
    %c{k} = arith.cmpi {name}, {sides(k)} : index
    %s{k} = arith.select %c{k}, %q{k}, %zero : f32
    %v{k + 1} = arith.addf %v{k}, %s{k} : f32
""" for k, n in enumerate(NUMBERS))
    value = f"%{name}{int(turned)}"
    return value, f"""  {value} = linalg.generic {{
      indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%p : !wide) outs(%e : !wide) {{
  ^bb0(%v0: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %j = linalg.index 1 : index
{body}    linalg.yield %v{len(NUMBERS)} : f32
  }} -> !wide
"""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    x = np.random.default_rng(0).integers(-3, 4, (ROWS, WIDTH)).astype("f4")
    np.save(FOLDER / "x.npy", x)
    padded, columns = np.pad(x, ((0, 0), (BEFORE, BEHIND)), constant_values=1), np.arange(COLUMNS)
    values, wanted, body = [], [], ""
    for name, compare in {**SIGNED, **UNSIGNED}.items():
        kind = np.uint64 if name in UNSIGNED else np.int64
        for turned in (False, True):
            sides = [(columns.astype(kind), np.array(n).astype(kind)) for n in NUMBERS]
            holds = [compare(*(side[::-1] if turned else side)) for side in sides]
            wanted.append(padded + sum(np.where(h, 2.0 ** (k + 3), 0) for k, h in enumerate(holds)))
            value, text = chosen(name, turned)
            values.append(value)
            body += text
    (FOLDER / "program.mlir").write_text(f"""!wide = tensor<{ROWS}x{COLUMNS}xf32>
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<{ROWS}x{WIDTH}xf32>) -> ({", ".join(["!wide"] * len(values))}) {{
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : !wide
  %p = tensor.pad %x low[0, {BEFORE}] high[0, {BEHIND}] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  }} : tensor<{ROWS}x{WIDTH}xf32> to !wide
{body}  return {", ".join(values)} : {", ".join(["!wide"] * len(values))}
}}
""")
    files = [FOLDER / f"{v[1:]}.npy" for v in values]
    done = subprocess.run(["sinter-run", FOLDER / "program.mlir", *sys.argv[2:], f"--input={FOLDER}/x.npy",
                           *(f"--output={file}" for file in files)], check=False)  # fmt: skip
    if done.returncode:
        sys.exit(done.returncode)
    wrong = [v for v, file, want in zip(values, files, wanted) if not np.array_equal(np.load(file), want)]
    print(f"{len(wanted)} results, {len(wrong)} wrong: {wrong}")


main()
