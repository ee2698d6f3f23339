"""Products of few columns by weights [k, j], which are turned, and some that stay, against NumPy. Numbers are small and
whole, so that sums are exact in any order.

  turned_weights.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

from images import stored

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# A batch, rows, columns, what is summed; the type, and whether sizes of rows are known.
CASES = [
    (4, 136, 5, 1344, "bf16", True), (1, 700, 2, 1021, "f32", True), (1, 700, 3, 1021, "f16", True),
    (3, 97, 8, 515, "bf16", True), (2, 33, 7, 1600, "f32", True), (1, 16, 8, 4111, "bf16", True),
    (1, 700, 9, 130, "f32", True), (1, 700, 3, 1021, "f32", False), (2, 400, 6, 65, "bf16", True),
]  # fmt: skip


def program(h, m, n, k, t, known):
    tensor = lambda *shape, t=t: "tensor<" + "".join(f"{s}x" for s in shape) + f"{t}>"
    i = m if known else "?"
    x, w, y, row = tensor(h, i, k), tensor(h, k, n), tensor(h, i, n, t="f32"), tensor(n, t="f32")
    count = "" if known else f"  %one = arith.constant 1 : index\n  %m = tensor.dim %x, %one : {x}\n"
    return f"""func.func @main(%x: {x}, %w: {w}, %b: tensor<{n}xf32>) -> {y} {{
{count}  %e = tensor.empty({"" if known else "%m"}) : {y}
  %y = sinter.contract (h = {h}, i = {i}) by (j = {n}) product (k = {k}) (%x[h, i, k] : {x}, %w[h, k, j] : {w}) : f32
      ins(%b[j] : tensor<{n}xf32>) outs(%e[h, i, j] : {y}) {{
  ^row(%p: {row}, %c: {row}):
    %v = arith.addf %p, %c : {row}
    sinter.yield %v : {row}
  }}
  return %y : {y}
}}
"""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, turned = np.random.default_rng(5), 0, 0
    for c, (h, m, n, k, t, known) in enumerate(CASES):
        x, w, b = (rng.integers(-4, 5, s) for s in ((h, m, k), (h, k, n), (n,)))
        name = str(FOLDER / str(c))
        pathlib.Path(name + ".mlir").write_text(program(h, m, n, k, t, known))
        for v, values, of in (("x", x, t), ("w", w, t), ("b", b, "f32")):
            stored(f"{name}_{v}.npy", values, of)
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", *OPTIONS]
        files = [*(f"--input={name}_{v}.npy" for v in "xwb"), f"--output={name}_y.npy"]
        subprocess.run([*command, *files, "--quiet"], check=True)
        turned += "sinter.rowwise" in subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True,
                                                     text=True).stdout  # fmt: skip
        if (np.load(name + "_y.npy") != x.astype("f8") @ w + b).any():
            wrong += 1
            print(f"{CASES[c]}: wrong")
    print(f"{len(CASES)} products, {turned} turned, {wrong} wrong")


if __name__ == "__main__":
    main()
