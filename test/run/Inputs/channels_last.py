"""Convolutions of images whose channels are first, against NumPy in float64.

    channels_last.py FOLDER [--cpu=NAME]...

The product reads an image with its channels last: of one and two dimensions, with groups, strides, dilations, edges
and none, channels that are no whole vectors, few filters and many; behind it another operand is added, and a maximum of
each row taken. Numbers are small and whole, so that sums are exact in any order.
"""

import sys

from images import wrong_results

# images, groups, channels, height, width, filters; the window's rows and columns; stride, padding, dilation; the type.
CASES = [
    (28, 1, 24, 8, 8, 2, 5, 5, 2, 4, 2, "f32"), (29, 1, 64, 16, 16, 36, 3, 3, 2, 1, 1, "f16"),
    (12, 2, 19, 10, 11, 5, 3, 3, 2, 1, 1, "f32"), (8, 1, 128, 10, 10, 96, 3, 3, 2, 1, 1, "f32"),
    (7, 1, 23, 13, 9, 7, 3, 5, 2, 2, 1, "f32"), (40, 3, 33, 1, 21, 4, 1, 7, 3, 3, 1, "f32"),
    (20, 1, 29, 9, 12, 3, 3, 3, 1, 0, 2, "f16"), (9, 1, 40, 7, 7, 17, 4, 2, 3, 2, 1, "f32"),
    (28, 1, 24, 8, 8, 2, 5, 5, 2, 4, 2, "bf16"), (12, 2, 19, 10, 11, 5, 3, 3, 2, 1, 1, "bf16"),
    (29, 1, 64, 1, 1, 36, 1, 3, 1, 2, 1, "f32"),  # an image of one place, whose channels are last but for sizes of 1
]  # fmt: skip


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


def made(rng, case, sums):
    a = rng.integers(-99, 100, sums.shape).astype("f4")
    return {"a": a}, [sums + a, (sums + a).max((3, 4))]


wrong, scheduled = wrong_results(CASES, 3, sys.argv[1], sys.argv[2:], text, made)
turned = sum(s.count("sinter.contract (") == 1 and f", c = {case[2]})" in s for case, s in zip(CASES, scheduled))
print(f"{len(CASES)} convolutions, {turned} turned, {wrong} wrong")
