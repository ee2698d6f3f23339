"""Products of bf16 and i8 with the schedules that they get, against NumPy. Numbers are small and whole, so that sums
are exact in any order.

  tiles_shared.py FOLDER [OPTION of sinter-run...]
"""
import pathlib
import subprocess
import sys

import numpy as np

from images import stored

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# rows, columns, summed elements; how both sides lie; the type
CASES = [
    (704, 304, 512, "ik", "jk", "bf16"), (673, 601, 64, "ik", "kj", "bf16"), (2001, 36, 300, "ik", "jk", "bf16"),
    (1601, 176, 15, "ik", "jk", "bf16"), (1600, 176, 16, "ik", "kj", "bf16"), (300, 100, 700, "ki", "kj", "bf16"),
    (129, 513, 257, "ik", "jk", "bf16"), (500, 200, 33, "ki", "jk", "i8"), (640, 70, 1030, "ik", "kj", "i8"),
    (800, 150, 31, "ik", "jk", "i8"),
]  # fmt: skip


def save(path, values, t):
    if t == "i8":
        np.save(path, values.astype("i1"))
    else:
        stored(path, values, t)


def program(m, n, k, a, b, t):
    of, total = {"i": m, "j": n, "k": k}, "i32" if t == "i8" else "f32"
    tensor = lambda dims, t: "tensor<" + "".join(f"{of[d]}x" for d in dims) + t + ">"
    side = lambda name, dims: f"%{name}[{', '.join(dims)}] : {tensor(dims, t)}"
    return f"""func.func @main(%x: {tensor(a, t)}, %w: {tensor(b, t)}) -> {tensor("ij", total)} {{
  %e = tensor.empty() : {tensor("ij", total)}
  %y = sinter.contract (i = {m}) by (j = {n}) product (k = {k}) ({side("x", a)}, {side("w", b)}) : {total}
      outs(%e[i, j] : {tensor("ij", total)}) {{
  ^row(%p: {tensor("j", total)}):
    sinter.yield %p : {tensor("j", total)}
  }}
  return %y : {tensor("ij", total)}
}}
"""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong = np.random.default_rng(7), 0
    for i, (m, n, k, a, b, t) in enumerate(CASES):
        x, w = rng.integers(-9, 10, (m, k)), rng.integers(-9, 10, (k, n))
        name = str(FOLDER / str(i))
        pathlib.Path(name + ".mlir").write_text(program(m, n, k, a, b, t))
        save(name + "_x.npy", x if a == "ik" else x.T.copy(), t)
        save(name + "_w.npy", w if b == "kj" else w.T.copy(), t)
        files = [f"--input={name}_x.npy", f"--input={name}_w.npy", f"--output={name}_y.npy"]
        subprocess.run(["sinter-run", name + ".mlir", "--policy=aggressive", *files, "--quiet", *OPTIONS], check=True)
        if (np.load(name + "_y.npy") != x @ w).any():
            wrong += 1
            print(f"{CASES[i]}: wrong")
    print(f"{len(CASES)} products, {wrong} wrong")


if __name__ == "__main__":
    main()
