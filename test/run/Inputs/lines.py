"""Sums over columns that lie in lines apart from each other, as of a batch norm, against NumPy. Numbers are small
integers, so results are exact.

  lines.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
OPTIONS = sys.argv[2:]
KINDS = {"f64": "f8", "f32": "f4", "f16": "f2", "i32": "i4"}

# A batch, channels, and a picture: each channel is a row. Lines of one less and one more than vectors of 8 and 16 lanes
# and steps of four of these, shorter than a vector, of one element, and none.
SHAPES = [(7, 3, 50, 49), (2, 5, 3, 5), (3, 4, 1, 1), (4, 2, 4, 4), (5, 3, 1, 17), (2, 3, 9, 7), (3, 2, 5, 13),
          (2, 2, 8, 8), (1, 3, 3, 43), (9, 1, 2, 3), (2, 3, 0, 4), (0, 3, 2, 4), (3, 33, 31, 1)]  # fmt: skip
TYPES = ("f32", "bf16", "f16", "f64", "i32")


def bits(x):
    """The nearest bf16, where numbers are exact."""
    return (x.astype("f4").view("u4") >> 16).astype("u2")


def save(path, x, t):
    np.save(path, bits(x) if t == "bf16" else x.astype(KINDS[t]))


def program(shape, t, known):
    """A channel's sum and maximum, and each element less its channel's maximum."""
    wide = {"f32": "f32", "bf16": "f32", "f16": "f32", "f64": "f64", "i32": "i32"}[t]
    n, c, h, w = (str(s) if known else "?" for s in shape)
    x, y, row = f"tensor<{n}x{c}x{h}x{w}x{t}>", f"tensor<{c}x{wide}>", shape[0] * shape[2] * shape[3]
    row = row if known else "?"
    dims = "".join(f"  %c{d} = arith.constant {d} : index\n  %d{d} = tensor.dim %x, %c{d} : {x}\n" for d in range(4))
    widen = f"    %w = arith.extf %a : tensor<{row}x{t}> to tensor<{row}x{wide}>\n" if wide != t else ""
    v, kind = "%w" if widen else "%a", "maxsi" if t == "i32" else "maximumf"
    sub = "arith.subi" if t == "i32" else "arith.subf"
    return f"""func.func @main(%x: {x}) -> ({y}, {x}) {{
{"" if known else dims}  %e = tensor.empty({"" if known else "%d1"}) : {y}
  %f = tensor.empty({"" if known else "%d0, %d1, %d2, %d3"}) : {x}
  %s, %y = sinter.rowwise (c = {c}) by (n = {n}, h = {h}, w = {w}) ins(%x[n, c, h, w] : {x})
      outs(%e[c] : {y}, %f[n, c, h, w] : {x}) {{
  ^row(%a: tensor<{row}x{t}>):
{widen}    %s = sinter.row_reduce add {v} : tensor<{row}x{wide}> -> {wide}
    %m = sinter.row_reduce {kind} %a : tensor<{row}x{t}> -> {t}
    %b = sinter.broadcast %m : {t} -> tensor<{row}x{t}>
    %d = {sub} %a, %b : tensor<{row}x{t}>
    sinter.yield %s, %d : {wide}, tensor<{row}x{t}>
  }}
  return %s, %y : {y}, {x}
}}
"""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, n = np.random.default_rng(6), 0, 0
    for shape in SHAPES:
        for known in (True, False):
            t = TYPES[n // 2 % len(TYPES)]
            source, files = FOLDER / f"{n}.mlir", [FOLDER / f"{n}_{k}.npy" for k in "xsy"]
            source.write_text(program(shape, t, known))
            x = rng.integers(-4, 5, shape)
            save(files[0], x, t)
            subprocess.run(["sinter-run", source, f"--input={files[0]}", f"--output={files[1]}", f"--output={files[2]}",
                            "--quiet", *OPTIONS], check=True)  # fmt: skip
            want = x - x.max((0, 2, 3), keepdims=True) if x.size else x
            s, y = np.load(files[1]), np.load(files[2])
            if (s != x.sum((0, 2, 3))).any() or y.shape != shape or (y != (bits(want) if t == "bf16" else want)).any():
                wrong += 1
                print(f"{shape} {t} {'known' if known else 'unknown'} is wrong")
            n += 1
    print(f"{n} programs, {wrong} wrong")


main()
