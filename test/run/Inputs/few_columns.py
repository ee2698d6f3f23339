"""Convolutions whose results have fewer places than a vector, against NumPy in float64.

    few_columns.py FOLDER [--cpu=NAME]...

The product has the places of all images as columns. Behind it are an operand of each result, a number of each image and
one of each filter. How many images there are is known, or not. Numbers are small and whole, so that sums are exact in
any order.
"""

import functools
import sys

import numpy as np

from images import wrong_results

# images, groups, channels, height, width, filters; the window's rows and columns; stride, padding, dilation; the type.
CASES = [
    (16, 1, 40, 1, 1, 37, 1, 3, 1, 1, 1, "f32"), (5, 1, 64, 3, 3, 20, 3, 3, 2, 1, 1, "f32"),
    (9, 2, 24, 2, 3, 11, 2, 2, 1, 1, 1, "f32"), (70, 1, 16, 4, 4, 8, 3, 3, 2, 1, 1, "f16"),
    (3, 1, 33, 3, 5, 18, 3, 3, 1, 0, 1, "bf16"), (7, 3, 30, 6, 6, 4, 3, 3, 3, 0, 2, "f32"),
]  # fmt: skip


MORE = [(0, 1, 20, 2, 2, 6, 3, 3, 1, 1, 1, "f32"), (1, 1, 20, 2, 2, 6, 3, 3, 1, 1, 1, "bf16")]  # images


def text(case, rows, columns, high, known):
    n, g, c, h, w, o, r, s, step, pad, apart, t = case
    n = n if known else "?"
    tensor = lambda *shape, t=t: f"tensor<{'x'.join(map(str, shape))}x{t}>"
    x, k, y = tensor(n, g, c, h, w), tensor(g, o, c, r, s), tensor(n, g, o, rows, columns, t="f32")
    q, b, row = tensor(n, g, t="f32"), tensor(g, o, t="f32"), tensor(rows * columns, t="f32")
    at = lambda d, e, p: f"{d} * {step} + {e} * {apart} - {p}"
    count = "" if known else f"  %zero = arith.constant 0 : index\n  %n = tensor.dim %x, %zero : {x}\n"
    return f"""func.func @main(%x: {x}, %w: {k}, %a: {y}, %q: {q}, %b: {b}) -> ({y}, {y}) {{
{count}  %e = tensor.empty({"" if known else "%n"}) : {y}
  %y, %z = sinter.contract (n = {n}, g = {g}, o = {o}) by (y = {rows}, x = {columns})
      product (c = {c}, r = {r}, s = {s})
          (%w[g, o, c, r, s] : {k}, %x[n, g, c, {at("y", "r", high)}, {at("x", "s", pad)}] : {x} else 0.0) : f32
      ins(%a[n, g, o, y, x] : {y}, %q[n, g] : {q}, %b[g, o] : {b})
      outs(%e[n, g, o, y, x] : {y}, %e[n, g, o, y, x] : {y}) {{
  ^row(%p: {row}, %c: {row}, %m: f32, %d: f32):
    %u = arith.addf %p, %c : {row}
    %h = arith.addf %m, %d : f32
    %l = sinter.broadcast %h : f32 -> {row}
    %v = arith.mulf %u, %l : {row}
    sinter.yield %v, %u : {row}, {row}
  }}
  return %y, %z : {y}, {y}
}}
"""


# The same of rows that are summed up, with the number of a column, so that the product is a form of its own: 2^19
# multiplications or more, 16 images where there are `?`.
SUMMED = [(16, 1, 40, 2, 2, 37, 3, 3, 1, 1, 1, "f32"), (33, 2, 24, 3, 3, 21, 3, 3, 1, 1, 1, "bf16"),
          (20, 1, 64, 3, 4, 30, 3, 3, 2, 1, 1, "f16"), (1, 1, 64, 2, 2, 50, 3, 3, 1, 1, 1, "f32")]  # fmt: skip


def text_of_sums(case, rows, columns, high, known):
    n, g, c, h, w, o, r, s, step, pad, apart, t = case
    n = n if known else "?"
    tensor = lambda *shape, t=t: f"tensor<{'x'.join(map(str, shape))}x{t}>"
    x, k, y = tensor(n, g, c, h, w), tensor(g, o, c, r, s), tensor(n, g, o, rows, columns, t="f32")
    top, b, row = tensor(n, g, o, t="f32"), tensor(g, o, t="f32"), tensor(rows * columns, t="f32")
    of = lambda t: tensor(rows * columns, t=t)
    at = lambda d, e, p: f"{d} * {step} + {e} * {apart} - {p}"
    count = "" if known else f"  %zero = arith.constant 0 : index\n  %n = tensor.dim %x, %zero : {x}\n"
    size = "" if known else "%n"
    return f"""func.func @main(%x: {x}, %w: {k}, %b: {b}) -> ({y}, {top}) {{
{count}  %e = tensor.empty({size}) : {y}
  %f = tensor.empty({size}) : {top}
  %y, %m = sinter.contract (n = {n}, g = {g}, o = {o}) by (y = {rows}, x = {columns})
      product (c = {c}, r = {r}, s = {s})
          (%w[g, o, c, r, s] : {k}, %x[n, g, c, {at("y", "r", high)}, {at("x", "s", pad)}] : {x} else 0.0) : f32
      ins(%b[g, o] : {b}) outs(%e[n, g, o, y, x] : {y}, %f[n, g, o] : {top}) {{
  ^row(%p: {row}, %c: f32):
    %i = sinter.index x : {of("index")}
    %j = arith.index_cast %i : {of("index")} to {of("i32")}
    %k = arith.sitofp %j : {of("i32")} to {row}
    %l = sinter.broadcast %c : f32 -> {row}
    %u = arith.addf %p, %l : {row}
    %v = arith.addf %u, %k : {row}
    %t = sinter.row_reduce add %v : {row} -> f32
    sinter.yield %v, %t : {row}, f32
  }}
  return %y, %m : {y}, {top}
}}
"""


def made_of_sums(rng, case, sums):
    b = rng.integers(-9, 10, sums.shape[1:3]).astype("f4")
    y = sums + b[None, :, :, None, None] + np.arange(sums.shape[-1])
    return {"b": b}, [y, y.sum((3, 4))]


def made(rng, case, sums):
    n, g, o = sums.shape[:3]
    a, q, b = (rng.integers(-9, 10, shape).astype("f4") for shape in (sums.shape, (n, g), (g, o)))
    return {"a": a, "q": q, "b": b}, [(sums + a) * (q[:, :, None, None, None] + b[None, :, :, None, None]), sums + a]


for known, cases in ((True, CASES), (False, CASES + MORE)):
    wrong, scheduled = wrong_results(cases, 5, sys.argv[1], sys.argv[2:], functools.partial(text, known=known), made)
    joined = sum(f"by (n = {case[0] if known else '?'}" in s for case, s in zip(cases, scheduled))
    of = "all images" if known else "`?` images"
    print(f"{len(cases)} convolutions, {joined} of {of}, {wrong} wrong")
for known in (True, False):
    wrong, scheduled = wrong_results(SUMMED, 6, sys.argv[1], sys.argv[2:],
                                     functools.partial(text_of_sums, known=known), made_of_sums)  # fmt: skip
    joined = sum("sinter.rowwise (n = " in s for s in scheduled)
    print(f"{len(SUMMED)} sums, {joined} behind products of all images, {wrong} wrong")
