"""Convolutions of images whose channels are last, against NumPy in float64.

    pixels.py FOLDER [--cpu=NAME]

Pixels beside each other are copied as one run, of which the padding cuts whole ones at either end: images narrower than
the window, windows that lie in the padding altogether, strides, dilations, one channel and many, few results and more
than a vector.
"""

import os
import subprocess
import sys

import numpy as np

# images, height, width, channels, results; the window's rows and columns; stride, padding, dilation.
CASES = [
    (1, 5, 7, 3, 2, 3, 3, 1, 1, 1), (2, 9, 11, 21, 1, 5, 5, 1, 2, 1), (1, 4, 2, 5, 3, 3, 5, 1, 4, 1),
    (1, 6, 17, 16, 9, 1, 3, 2, 1, 1), (2, 7, 13, 33, 4, 3, 3, 3, 2, 1), (1, 8, 10, 6, 70, 2, 4, 1, 3, 1),
    (1, 9, 9, 8, 8, 3, 3, 1, 2, 2), (1, 12, 5, 1, 2, 3, 3, 1, 1, 1), (3, 1, 40, 15, 1, 1, 7, 1, 3, 1),
    (1, 3, 3, 64, 1, 7, 7, 1, 6, 1), (1, 10, 31, 17, 2, 1, 2, 2, 0, 1), (1, 6, 6, 2, 5, 6, 6, 1, 0, 1),
]


def image(x, case):
    """What each result's window sees: [n, y, x, r, s, c]."""
    n, h, w, c, o, r, s, step, pad, apart = case
    wide = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    rows, columns = ((size + 2 * pad - apart * (k - 1) - 1) // step + 1 for size, k in ((h, r), (w, s)))
    at = lambda count, k: np.arange(count)[:, None] * step + np.arange(k)[None] * apart
    return wide[:, at(rows, r)][:, :, :, at(columns, s)].transpose(0, 1, 3, 2, 4, 5), rows, columns


def text(case, rows, columns, t):
    n, h, w, c, o, r, s, step, pad, apart = case
    x, k, y = f"tensor<{n}x{h}x{w}x{c}x{t}>", f"tensor<{o}x{r}x{s}x{c}x{t}>", f"tensor<{n}x{rows}x{columns}x{o}xf32>"
    at = lambda d, e: f"{d} * {step} + {e} * {apart} - {pad}"
    return f"""func.func @main(%x: {x}, %w: {k}) -> {y} {{
  %e = tensor.empty() : {y}
  %y = sinter.contract (n = {n}, y = {rows}, x = {columns}) by (o = {o})
      product (r = {r}, s = {s}, c = {c})
          (%x[n, {at("y", "r")}, {at("x", "s")}, c] : {x} else 0.0, %w[o, r, s, c] : {k}) : f32
      outs(%e[n, y, x, o] : {y}) {{
  ^row(%p: tensor<{o}xf32>):
    sinter.yield %p : tensor<{o}xf32>
  }}
  return %y : {y}
}}
"""


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(3)
    wrong = 0
    for i, case in enumerate(CASES):
        n, h, w, c, o, r, s, *_ = case
        t = "f16" if i % 3 == 1 else "f32"
        # Whole numbers, so that sums are exact in any order.
        x = rng.integers(-9, 10, (n, h, w, c)).astype("f2" if t == "f16" else "f4")
        k = rng.integers(-9, 10, (o, r, s, c)).astype(x.dtype)
        seen, rows, columns = image(x.astype("f8"), case)
        want = np.einsum("nyxrsc,orsc->nyxo", seen, k.astype("f8"))
        name = os.path.join(folder, str(i))
        with open(name + ".mlir", "w") as f:
            f.write(text(case, rows, columns, t))
        np.save(name + "_x.npy", x)
        np.save(name + "_w.npy", k)
        subprocess.run(["sinter-run", name + ".mlir", f"--input={name}_x.npy", f"--input={name}_w.npy",
                        f"--output={name}_y.npy", "--quiet", *options], check=True)
        got = np.load(name + "_y.npy")
        if got.shape != want.shape or (got != want).any():
            wrong += 1
            print(f"{case} {t}: {int((got != want).sum())} of {want.size} differ")
    print(f"{len(CASES)} convolutions, {wrong} wrong")


main()
