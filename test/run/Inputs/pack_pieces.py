"""Dilated windows of images whose few channels are last, and groups of few channels: rows that are copied several
pieces at a time, against NumPy; with --windows images of f32 whose rows wide vectors read where they lie, and of
bf16 whose edges are written for tiles. Numbers are small and whole, so that sums are exact in any order.

  pack_pieces.py FOLDER [--windows] [--cpu=NAME]
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

from images import stored

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), [o for o in sys.argv[2:] if o != "--windows"]
# images, groups, channels of one, places of a line, filters; taps, a stride, a dilation, padding; the type.
CASES = [
    (3, 1, 3, 20, 2, 5, 1, 2, 0, "bf16"), (3, 1, 3, 20, 2, 5, 1, 2, 0, "f32"), (2, 1, 3, 17, 33, 5, 1, 2, 0, "f16"),
    (2, 1, 7, 19, 5, 7, 1, 2, 0, "f32"), (2, 1, 7, 19, 40, 7, 1, 2, 0, "bf16"), (4, 5, 2, 9, 3, 3, 1, 1, 0, "f32"),
    (4, 5, 2, 9, 3, 3, 2, 1, 0, "bf16"), (2, 4, 15, 8, 20, 3, 1, 1, 0, "f32"), (3, 1, 4, 11, 9, 2, 1, 3, 0, "f16"),
    (2, 1, 3, 12, 4, 3, 1, 2, 2, "f32"), (1, 1, 3, 9, 1, 5, 1, 2, 0, "bf16"), (2, 1, 9, 16, 17, 4, 2, 5, 0, "f32"),
]  # fmt: skip
WINDOWS = [
    (1, 1, 16, 37, 48, 7, 2, 2, 6, "f32"), (2, 1, 3, 31, 64, 7, 2, 1, 0, "f32"), (2, 1, 5, 18, 70, 3, 1, 1, 1, "f32"),
    (1, 1, 64, 15, 128, 3, 1, 1, 1, "f32"), (3, 2, 4, 12, 17, 3, 1, 1, 0, "f32"), (1, 1, 33, 16, 9, 3, 1, 3, 0, "f32"),
    (3, 1, 21, 32, 24, 3, 1, 1, 1, "bf16"), (5, 1, 64, 16, 36, 3, 2, 1, 1, "bf16"),
    (2, 1, 16, 20, 50, 5, 1, 1, 2, "bf16"), (1, 1, 40, 30, 33, 3, 1, 2, 2, "f16"),
]  # fmt: skip


def program(case, places, known):
    n, g, c, size, o, k, stride, dilation, pad, t = case
    tensor = lambda *shape, t=t: "tensor<" + "".join(f"{s}x" for s in shape) + f"{t}>"
    m = n if known else "?"
    x, w, y = tensor(m, size, size, g, c), tensor(g, o, k, k, c), tensor(m, g, places, places, o, t="f32")
    at = lambda place, tap: f"{place} * {stride} + {tap} * {dilation} - {pad}"
    count = "" if known else f"  %zero = arith.constant 0 : index\n  %n = tensor.dim %x, %zero : {x}\n"
    return f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
{count}  %e = tensor.empty({"" if known else "%n"}) : {y}
  %y = sinter.contract (n = {m}, g = {g}, y = {places}, x = {places}) by (o = {o}) product (r = {k}, s = {k}, c = {c})
      (%x[n, {at("y", "r")}, {at("x", "s")}, g, c] : {x}{" else 0.0" if pad else ""}, %w[g, o, r, s, c] : {w}) : f32
      outs(%e[n, g, y, x, o] : {y}) {{
  ^row(%a: {tensor(o, t="f32")}):
    sinter.yield %a : {tensor(o, t="f32")}
  }}
  return %y : {y}
}}
"""


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, n = np.random.default_rng(5), 0, 0
    for case, known in itertools.product(WINDOWS if "--windows" in sys.argv else CASES, (True, False)):
        images, g, c, size, o, k, stride, dilation, pad, t = case
        x, w = rng.integers(-9, 10, (images, size, size, g, c)), rng.integers(-9, 10, (g, o, k, k, c))
        places = (size + 2 * pad - dilation * (k - 1) - 1) // stride + 1
        wide = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0), (0, 0)))
        at = np.arange(places)[:, None] * stride + np.arange(k) * dilation
        seen = wide[:, at][:, :, :, at]  # n, y, r, x, s, g, c
        want = np.einsum("nyrxsgc,gorsc->ngyxo", seen.astype("f8"), w.astype("f8"), optimize=True)
        name = str(FOLDER / str(n))
        pathlib.Path(name + ".mlir").write_text(program(case, places, known))
        stored(name + "_x.npy", x, t)
        stored(name + "_w.npy", w, t)
        files = [f"--input={name}_x.npy", f"--input={name}_w.npy", f"--output={name}_y.npy"]
        subprocess.run(["sinter-run", name + ".mlir", "--policy=aggressive", *files, "--quiet", *OPTIONS], check=True)
        if (np.load(name + "_y.npy") != want).any():
            wrong += 1
            print(f"{case} {'known' if known else '?'}: wrong")
        n += 1
    print(f"{n} convolutions, {wrong} wrong")


if __name__ == "__main__":
    main()
