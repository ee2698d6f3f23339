"""Gradients of a depthwise convolution's weights: sums over lines that bounds cut, or whose elements are a few apart,
against NumPy. Numbers are small integers, so results are exact.

  lines_bounded.py FOLDER [--cpu=NAME]
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
OPTIONS = sys.argv[2:]
KINDS = {"f64": "f8", "f32": "f4", "f16": "f2", "i32": "i4"}
TYPES = ("f32", "bf16", "f16", "f64", "i32")

# Images, channels, places of the gradient, taps, a stride, a dilation, padding, and channels of which these are a part.
# Lines of one less and one more than vectors of 8 and 16 lanes, shorter than a vector, of one element, and none.
CASES = [
    (2, 5, (23, 23), 3, 1, 1, 1, 0), (4, 5, (12, 12), 3, 2, 1, 1, 0), (3, 2, (9, 17), 3, 1, 2, 2, 1),
    (2, 3, (7, 15), 5, 1, 1, 2, 0), (9, 2, (5, 7), 3, 3, 1, 1, 2), (3, 4, (1, 1), 3, 1, 1, 1, 0),
    (2, 2, (33, 16), 3, 2, 1, 0, 3), (2, 3, (6, 31), 7, 1, 1, 3, 0), (5, 2, (4, 3), 3, 4, 1, 2, 0),
    (0, 2, (4, 9), 3, 1, 1, 1, 0), (40, 1, (8, 8), 1, 2, 1, 0, 2), (3, 2, (11, 18), 3, 5, 1, 1, 0),
]  # fmt: skip


def bits(x):
    """The nearest bf16, where numbers are exact."""
    return (x.astype("f4").view("u4") >> 16).astype("u2")


def save(path, x, t):
    np.save(path, bits(x) if t == "bf16" else x.astype(KINDS[t]))


def subscript(place, tap, stride, dilation, pad):
    return f"{place} * {stride} + {tap} * {dilation} - {pad}"


def program(x, g, taps, stride, dilation, pad, part, t, known):
    """Of each channel and tap the sum of products, and the largest of them."""
    wide = {"bf16": "f32", "f16": "f32"}.get(t, t)
    shape = lambda s: "x".join(str(n) if known else "?" for n in s)
    (n, c, h, w), length = [str(s) if known else "?" for s in g], g[0] * g[2] * g[3] if known else "?"
    tx, tg, y = f"tensor<{shape(x)}x{t}>", f"tensor<{shape(g)}x{t}>", f"tensor<{c}x{taps}x{taps}x{wide}>"
    row, full = f"tensor<{length}x{t}>", f"tensor<{length}x{wide}>"
    widen = "".join(f"    %{v}w = arith.extf %{v} : {row} to {full}\n" for v in "ab") if wide != t else ""
    a, b = ("%aw", "%bw") if widen else ("%a", "%b")
    mul, most = ("arith.muli", "maxsi") if t == "i32" else ("arith.mulf", "maximumf")
    size = "" if known else f"  %one = arith.constant 1 : index\n  %d = tensor.dim %g, %one : {tg}\n"
    otherwise = " else 0" + ("" if t == "i32" else ".0") if pad else ""
    return f"""func.func @main(%x: {tx}, %g: {tg}) -> ({y}, {y}) {{
{size}  %e = tensor.empty({"" if known else "%d"}) : {y}
  %s, %m = sinter.rowwise (c = {c}, r = {taps}, s = {taps}) by (n = {n}, h = {h}, w = {w})
      ins(%x[n, c + {part}, {subscript("h", "r", stride, dilation, pad)}, {subscript("w", "s", stride, dilation, pad)}]
          : {tx}{otherwise}, %g[n, c, h, w] : {tg})
      outs(%e[c, r, s] : {y}, %e[c, r, s] : {y}) {{
  ^row(%a: {row}, %b: {row}):
{widen}    %p = {mul} {a}, {b} : {full}
    %s = sinter.row_reduce add %p : {full} -> {wide}
    %m = sinter.row_reduce {most} %p : {full} -> {wide}
    sinter.yield %s, %m : {wide}, {wide}
  }}
  return %s, %m : {y}, {y}
}}
"""


def products(x, g, taps, stride, dilation, pad, part):
    n, c, h, w = g.shape
    reach = (taps - 1) * dilation
    more = [(0, 0), (0, 0)] + [(pad, (s - 1) * stride + reach + 1) for s in (h, w)]
    wide = np.pad(x[:, part : part + c], more)
    all = np.empty((c, taps, taps, n, h, w), x.dtype)
    for r, s in itertools.product(range(taps), repeat=2):
        y, z = r * dilation, s * dilation
        all[:, r, s] = (wide[:, :, y : y + h * stride : stride, z : z + w * stride : stride] * g).swapaxes(0, 1)
    return all.reshape(c, taps, taps, -1)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, n = np.random.default_rng(7), 0, 0
    for (images, channels, places, taps, stride, dilation, pad, more), known in itertools.product(CASES, (True, False)):
        t = TYPES[n // 2 % len(TYPES)]
        image = [max(1, (p - 1) * stride + (taps - 1) * dilation + 1 - 2 * pad) for p in places]
        x = rng.integers(-2, 3, (images, channels + more, *image))
        g = rng.integers(-2, 3, (images, channels, *places))
        source, files = FOLDER / f"{n}.mlir", [FOLDER / f"{n}_{k}.npy" for k in "xgsm"]
        source.write_text(program(x.shape, g.shape, taps, stride, dilation, pad, more, t, known))
        save(files[0], x, t)
        save(files[1], g, t)
        subprocess.run(["sinter-run", source, f"--input={files[0]}", f"--input={files[1]}", f"--output={files[2]}",
                        f"--output={files[3]}", "--quiet", *OPTIONS], check=True)  # fmt: skip
        p = products(x, g, taps, stride, dilation, pad, more)
        s, m = np.load(files[2]), np.load(files[3])
        good = (s == p.sum(-1)).all() and (not p.shape[-1] or (m == p.max(-1)).all())
        if not good:
            wrong += 1
            print(f"{n}: {t} {g.shape} {taps} {stride} {dilation} {pad} {'known' if known else '?'}: wrong")
        n += 1
    print(f"{n} gradients, {wrong} wrong")


if __name__ == "__main__":
    main()
