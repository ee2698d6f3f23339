"""Rows of several images, whose columns lie together in each: vectors begin in one and end in the next. Integers, so
exact.

  seams.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
KINDS = {"bf16": "f4", "f16": "f2", "i8": "i1", "f32": "f4", "f64": "f8"}
# Images, their size; lanes, unrolled; type. A piece has a lane less than a vector, as many, one more, many.
CASES = [(3, 3, 5, 16, 1, "f32"), (2, 4, 4, 16, 1, "f32"), (5, 1, 17, 16, 4, "f32"), (2, 7, 7, 16, 4, "f32"),
         (7, 3, 11, 16, 2, "bf16"), (4, 5, 9, 16, 1, "f16"), (3, 7, 9, 32, 2, "i8"), (9, 1, 7, 8, 4, "f64"),
         (6, 3, 3, 8, 1, "f32"), (9, 2, 3, 8, 2, "f32"), (3, 5, 5, 8, 1, "bf16")]  # fmt: skip


def bits(a, t):
    return (a.astype("f4").view("u4") >> 16).astype("u2") if t == "bf16" else a.astype(KINDS[t])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    arguments, body, results, inputs, outputs, wanted = [], "", [], [], [], []
    for n, (images, height, width, lanes, unroll, t) in enumerate(CASES):
        rng = np.random.default_rng(n)
        shape = images, 5, height, width
        x, s, b = rng.integers(-4, 5, shape), rng.integers(-4, 5, images), rng.integers(-4, 5, (images, height))
        y = x + s[:, None, None, None] + b[:, None, :, None]
        wanted += [bits(y, t), bits(y.max((0, 2, 3)), t)]
        for name, a in (("x", x), ("s", s), ("b", b)):
            np.save(FOLDER / f"{name}{n}.npy", bits(a, t))
            inputs.append(f"--input={FOLDER}/{name}{n}.npy")
        whole = "x".join(map(str, shape)) + f"x{t}"
        kind, most = ("i", "maxsi") if t == "i8" else ("f", "maximumf")
        row = f"tensor<{images * height * width}x{t}>"
        arguments += [f"%x{n}: tensor<{whole}>", f"%s{n}: tensor<{images}x{t}>",
                      f"%b{n}: tensor<{images}x{height}x{t}>"]  # fmt: skip
        body += f"""  %e{n} = tensor.empty() : tensor<{whole}>
  %f{n} = tensor.empty() : tensor<5x{t}>
  %y{n}:2 = sinter.rowwise (j = 5) by (i = {images}, k = {height}, l = {width})
      ins(%x{n}[i, j, k, l] : tensor<{whole}>, %s{n}[i] : tensor<{images}x{t}>,
          %b{n}[i, k] : tensor<{images}x{height}x{t}>)
      outs(%e{n}[i, j, k, l] : tensor<{whole}>, %f{n}[j] : tensor<5x{t}>)
      schedule(#sinter.rows<chunk = 2, lanes = {lanes}, unroll = {unroll}>) {{
  ^row(%a: {row}, %c: {row}, %d: {row}):
    %u = arith.add{kind} %a, %c : {row}
    %v = arith.add{kind} %u, %d : {row}
    %m = sinter.row_reduce {most} %v : {row} -> {t}
    sinter.yield %v, %m : {row}, {t}
  }}
"""
        results += [(f"%y{n}#0", f"tensor<{whole}>"), (f"%y{n}#1", f"tensor<5x{t}>")]
        outputs += [FOLDER / f"y{n}.npy", FOLDER / f"m{n}.npy"]
    types = ", ".join(t for _, t in results)
    (FOLDER / "program.mlir").write_text(f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}"
                                         f"  return {', '.join(v for v, _ in results)} : {types}\n}}\n")  # fmt: skip
    done = subprocess.run(["sinter-run", FOLDER / "program.mlir", *sys.argv[2:], *inputs,
                           *(f"--output={o}" for o in outputs)], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    wrong = [o.name for o, y in zip(outputs, wanted) if not np.array_equal(np.load(o).view(y.dtype), y)]
    print(f"{len(outputs)} results, {len(wrong)} wrong", *wrong)


main()
