"""Softmax of rows of any length and of an odd one, and its sum of squares, in f32 and bf16, against NumPy's in f64.

  rows_kept.py FOLDER [--cpu=NAME]

Rows rise, end with their maximum, hold -inf, or have one large element in front, so that what was kept under an earlier
maximum is scaled.
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
LENGTHS = [0, 1, 15, 16, 17, 511, 513, 1003, 4096, 4097, 70001]
PROGRAMS = [("f32", "maximumf", "?", LENGTHS), ("f32", "maxnumf", "?", LENGTHS), ("bf16", "maximumf", "?", LENGTHS),
            ("f32", "maximumf", 1003, [1003]), ("f32", "maximumf", 1009, [1009])]  # fmt: skip


def program(t, maximum, n):
    row, wide, half = f"tensor<{n}x{t}>", f"tensor<{n}xf32>", t == "bf16"
    empty = ("  %one = arith.constant 1 : index\n"
             f"  %n = tensor.dim %x, %one : tensor<9x?x{t}>\n  %e = tensor.empty(%n)" if n == "?"
             else "  %e = tensor.empty()")  # fmt: skip
    widened = f"    %a = arith.extf %h : {row} to {wide}\n" if half else ""
    narrowed = f"    %z = arith.truncf %y : {wide} to {row}\n" if half else ""
    return f"""func.func @main(%x: tensor<9x{n}x{t}>) -> (tensor<9x{n}x{t}>, tensor<9xf32>) {{
{empty} : tensor<9x{n}x{t}>
  %f = tensor.empty() : tensor<9xf32>
  %r:2 = sinter.rowwise (i = 9) by (j = {n}) ins(%x[i, j] : tensor<9x{n}x{t}>)
      outs(%e[i, j] : tensor<9x{n}x{t}>, %f[i] : tensor<9xf32>) {{
  ^row({'%h' if half else '%a'}: {row}):
{widened}    %m = sinter.row_reduce {maximum} %a : {wide} -> f32
    %mb = sinter.broadcast %m : f32 -> {wide}
    %d = arith.subf %a, %mb : {wide}
    %u = math.exp %d : {wide}
    %s = sinter.row_reduce add %u : {wide} -> f32
    %sb = sinter.broadcast %s : f32 -> {wide}
    %y = arith.divf %u, %sb : {wide}
    %q = arith.mulf %y, %y : {wide}
    %w = sinter.row_reduce add %q : {wide} -> f32
{narrowed}    sinter.yield {'%z' if half else '%y'}, %w : {row}, f32
  }}
  return %r#0, %r#1 : tensor<9x{n}x{t}>, tensor<9xf32>
}}
"""


def rows(n):
    x = np.random.default_rng(n).standard_normal((9, n)).astype("f4") * 4
    if n > 1:
        x[1], x[2, -1], x[3, -2], x[4, 0], x[5] = np.sort(x[1]), 30, -np.inf, 30, np.arange(n) / n * 60
    return (x.view("u4") & 0xFFFF0000).view("f4")  # bf16, exactly


def softmax(x):
    x = x.astype("f8")
    e = np.exp(x - x.max(1, keepdims=True, initial=-np.inf))
    return e / e.sum(1, keepdims=True)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    count, wrong = 0, []
    for k, (t, maximum, n, lengths) in enumerate(PROGRAMS):
        file = FOLDER / f"program{k}.mlir"
        file.write_text(program(t, maximum, n))
        subprocess.run(["sinter-cc", file, "-o", file.with_suffix(".so"), *sys.argv[2:]], check=True)
        for length in lengths:
            x, half = rows(length), t == "bf16"
            np.save(FOLDER / "x.npy", (x.view("u4") >> 16).astype("u2") if half else x)
            subprocess.run(["sinter-exec", file.with_suffix(".so"), "--quiet", f"--input={FOLDER}/x.npy",
                            f"--output={FOLDER}/y.npy", f"--output={FOLDER}/w.npy"], check=True)  # fmt: skip
            y = np.load(FOLDER / "y.npy")
            y = (y.view("u2").astype("u4") << 16).view("f4") if half else y
            want = softmax(x)
            near = np.abs(y - want) <= 1e-12 + (2**-8 if half else 1e-5) * want
            count += 1
            squares = (want**2).sum(1)
            near_squares = np.abs(np.load(FOLDER / "w.npy") - squares) <= 1e-5 * squares
            if y.shape != want.shape or not near.all() or not near_squares.all():
                wrong.append((t, maximum, n, length))
    print(f"{count} softmaxes, {len(wrong)} wrong", *wrong)


main()
