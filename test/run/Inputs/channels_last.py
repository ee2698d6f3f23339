"""Convolutions of images whose channels are first, against NumPy in float64.

    channels_last.py FOLDER [--cpu=NAME]...

The product reads an image with its channels last: of one and two dimensions, with groups, strides, dilations, edges
and none, channels that are no whole vectors, few filters and many; behind it another operand is added, and a maximum of
each row taken. Numbers are small and whole, so that sums are exact in any order.
"""

import os
import subprocess
import sys

import numpy as np

# images, groups, channels, height, width, filters; the window's rows and columns; stride, padding, dilation; the type.
CASES = [
    (28, 1, 24, 8, 8, 2, 5, 5, 2, 4, 2, "f32"), (29, 1, 64, 16, 16, 36, 3, 3, 2, 1, 1, "f16"),
    (12, 2, 19, 10, 11, 5, 3, 3, 2, 1, 1, "f32"), (8, 1, 128, 10, 10, 96, 3, 3, 2, 1, 1, "f32"),
    (7, 1, 23, 13, 9, 7, 3, 5, 2, 2, 1, "f32"), (40, 3, 33, 1, 21, 4, 1, 7, 3, 3, 1, "f32"),
    (20, 1, 29, 9, 12, 3, 3, 3, 1, 0, 2, "f16"), (9, 1, 40, 7, 7, 17, 4, 2, 3, 2, 1, "f32"),
    (28, 1, 24, 8, 8, 2, 5, 5, 2, 4, 2, "bf16"), (12, 2, 19, 10, 11, 5, 3, 3, 2, 1, 1, "bf16"),
    (29, 1, 64, 1, 1, 36, 1, 3, 1, 2, 1, "f32"),  # an image of one place, whose channels are last but for sizes of 1
]  # fmt: skip


def image(x, case):
    """What each result's window sees: [n, g, y, x, c, r, s]."""
    n, g, c, h, w, o, r, s, step, pad, apart, _ = case
    high = pad if h > 1 else 0
    wide = np.pad(x, ((0, 0), (0, 0), (0, 0), (high, high), (pad, pad)))
    rows, columns = ((size + 2 * p - apart * (k - 1) - 1) // step + 1 for size, k, p in ((h, r, high), (w, s, pad)))
    at = lambda count, k: np.arange(count)[:, None] * step + np.arange(k)[None] * apart
    seen = wide[:, :, :, at(rows, r)][:, :, :, :, :, at(columns, s)]  # n, g, c, y, r, x, s
    return seen.transpose(0, 1, 3, 5, 2, 4, 6), rows, columns, high


def text(case, rows, columns, high):
    n, g, c, h, w, o, r, s, step, pad, apart, t = case
    tensor = lambda *shape, t=t: f"tensor<{'x'.join(map(str, shape))}x{t}>"
    x, k, y = tensor(n, g, c, h, w), tensor(g, o, c, r, s), tensor(n, g, o, rows, columns, t="f32")
    top, row = tensor(n, g, o, t="f32"), tensor(rows * columns, t="f32")
    at = lambda d, e, p: f"{d} * {step} + {e} * {apart} - {p}"
    return f"""func.func @main(%x: {x}, %w: {k}, %a: {y}) -> ({y}, {top}) {{
  %e = tensor.empty() : {y}
  %f = tensor.empty() : {top}
  %y, %m = sinter.contract (n = {n}, g = {g}, o = {o}) by (y = {rows}, x = {columns})
      product (c = {c}, r = {r}, s = {s})
          (%w[g, o, c, r, s] : {k}, %x[n, g, c, {at("y", "r", high)}, {at("x", "s", pad)}] : {x} else 0.0) : f32
      ins(%a[n, g, o, y, x] : {y})
      outs(%e[n, g, o, y, x] : {y}, %f[n, g, o] : {top}) {{
  ^row(%p: {row}, %b: {row}):
    %v = arith.addf %p, %b : {row}
    %t = sinter.row_reduce maximumf %v : {row} -> f32
    sinter.yield %v, %t : {row}, f32
  }}
  return %y, %m : {y}, {top}
}}
"""


def stored(path, values, t):
    """Whole numbers of up to 8 bits are bf16 with half of an f32's bits, which NumPy has no type for."""
    if t == "bf16":
        values = (values.astype("f4").view("u4") >> 16).astype("u2")
    np.save(path, values if t == "bf16" else values.astype({"f16": "f2", "f32": "f4"}[t]))


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(3)
    wrong = turned = 0
    for i, case in enumerate(CASES):
        n, g, c, h, w, o, r, s, *_, t = case
        x, k = rng.integers(-9, 10, (n, g, c, h, w)), rng.integers(-9, 10, (g, o, c, r, s))
        seen, rows, columns, high = image(x.astype("f8"), case)
        a = rng.integers(-99, 100, (n, g, o, rows, columns)).astype("f4")
        want = np.einsum("ngyxcrs,gocrs->ngoyx", seen, k.astype("f8"), optimize=True) + a
        name = os.path.join(folder, str(i))
        with open(name + ".mlir", "w") as f:
            f.write(text(case, rows, columns, high))
        stored(name + "_x.npy", x, t)
        stored(name + "_w.npy", k, t)
        np.save(name + "_a.npy", a)
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", *options]
        scheduled = subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True, text=True).stdout
        turned += scheduled.count("sinter.contract (") == 1 and f", c = {c})" in scheduled
        inputs = [f"--input={name}_{v}.npy" for v in "xwa"]
        subprocess.run([*command, *inputs, f"--output={name}_y.npy", f"--output={name}_m.npy", "--quiet"], check=True)
        for got, all_ in ((np.load(name + "_y.npy"), want), (np.load(name + "_m.npy"), want.max((3, 4)))):
            if got.shape != all_.shape or (got != all_).any():
                wrong += 1
                print(f"{case}: {int((got != all_).sum())} of {all_.size} differ")
    print(f"{len(CASES)} convolutions, {turned} turned, {wrong} wrong")


if __name__ == "__main__":
    main()
