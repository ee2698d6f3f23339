"""Few rows by weights that are read where they lie, in parts of columns that are tasks, against NumPy in float64.

    read_parts.py FOLDER [--cpu=NAME]...

Numbers are small and whole, so that sums are exact in any order; one, two and four threads.
"""

import os
import subprocess
import sys

import numpy as np

from images import stored

# rows, columns, summed, the type, whether weights are [k, j].
CASES = [
    (1, 513, 128, "f32", True), (1, 1024, 257, "f32", True), (3, 1100, 130, "f32", True), (16, 2049, 65, "f32", True),
    (1, 3000, 300, "f32", True), (4, 1024, 700, "f32", True), (2, 1031, 520, "bf16", True), (5, 777, 333, "f16", True),
    (2, 515, 512, "f32", False), (3, 129, 300, "f32", False), (4, 600, 1030, "bf16", False),
]  # fmt: skip


def text(case):
    m, n, k, t, rows = case
    of = lambda *shape, t=t: f"tensor<{'x'.join(map(str, shape))}x{t}>"
    w, y, wide = of(k, n) if rows else of(n, k), of(m, n, t="f32"), of(n, t="f32")
    return f"""func.func @main(%x: {of(m, k)}, %w: {w}, %b: {wide}) -> {y} {{
  %e = tensor.empty() : {y}
  %y = sinter.contract (i = {m}) by (j = {n})
      product (k = {k}) (%x[i, k] : {of(m, k)}, %w[{"k, j" if rows else "j, k"}] : {w}) : f32
      ins(%b[j] : {wide}) outs(%e[i, j] : {y}) {{
  ^row(%p: {wide}, %c: {wide}):
    %u = arith.addf %p, %c : {wide}
    sinter.yield %u : {wide}
  }}
  return %y : {y}
}}
"""


folder, options = sys.argv[1], sys.argv[2:]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(7)
wrong = parts = 0
for i, case in enumerate(CASES):
    m, n, k, t, rows = case
    x, w, b = rng.integers(-9, 10, (m, k)), rng.integers(-9, 10, (k, n) if rows else (n, k)), rng.integers(-9, 10, n)
    want = x.astype("f8") @ (w if rows else w.T) + b
    name = os.path.join(folder, str(i))
    with open(name + ".mlir", "w") as f:
        f.write(text(case))
    for v, values, kind in (("x", x, t), ("w", w, t), ("b", b, "f32")):
        stored(f"{name}_{v}.npy", values, kind)
    command = ["sinter-run", name + ".mlir", *options]
    said = subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True, text=True).stdout
    parts += "<columns = " in said or ", columns = " in said
    for threads in (1, 2, 4):
        subprocess.run([*command, f"--threads={threads}", *(f"--input={name}_{v}.npy" for v in "xwb"),
                        f"--output={name}_y.npy", "--quiet"], check=True)  # fmt: skip
        got = np.load(name + "_y.npy")
        if got.shape != want.shape or (got != want).any():
            wrong += 1
            print(f"{case}, {threads} threads: {int((got != want).sum())} of {want.size} differ")
print(f"{len(CASES)} programs, {parts} in parts, {wrong} wrong")
