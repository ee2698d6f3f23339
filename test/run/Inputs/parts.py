"""Products of numbers that are sums of bf16 (kernel = "amx.f16", "amx.f32"), against NumPy in float64.

    parts.py SINTER_RUN FOLDER [OPTION...]

Of f16 every product is exact, so sums are as far from float64's as f32's own are; of f32 what is left out of a product
is up to 2^-21 of it. A row and a column have an infinity, a NaN, a zero beside an infinity, infinities of both signs,
the least and the largest numbers: the result is what float64 gives, a NaN where it gives one.
"""

import os
import subprocess
import sys

import numpy as np

# rows, columns, summed; m, n, k of the schedule, and what else it says.
SHAPES = [
    (1, 1, 1, 16, 16, 32, ""), (17, 33, 31, 32, 32, 32, ""), (16, 64, 32, 16, 64, 32, ""),
    (33, 65, 129, 32, 64, 64, ""), (64, 96, 256, 64, 32, 128, ""), (50, 130, 200, 32, 64, 64, ", sums = 128"),
    (70, 200, 300, 48, 64, 128, ', sums = 192, pack = "shared"'),
    (40, 130, 100, 16, 64, 32, ", sums = 128, panels = 2"),
    (33, 63, 95, 16, 16, 96, ', columns = 32, tasks = 4'), (47, 17, 129, 48, 16, 64, ', pack = "rows"'),
]
LAYOUTS = [("i, k", "k, j"), ("i, k", "j, k"), ("k, i", "k, j"), ("k, i", "j, k")]
WORD = {"f16": "f2", "f32": "f4"}


def special(x, w, side):
    """Elements along k of some rows and columns."""
    least, most = (2.0**-24, 65504.0) if side == "f16" else (2.0**-100, 2.0**60)
    rows = [[np.inf], [-np.inf, np.inf], [np.nan], [np.inf, 0.0], [least] * 3, [most, -most], [-np.inf]]
    for n, values in enumerate(rows):
        if n * 3 < x.shape[0]:
            x[n * 3, :len(values)] = values[:x.shape[1]]
        if n * 5 + 2 < w.shape[1]:
            w[-len(values):, n * 5 + 2] = values[:w.shape[0]]
    x[-1:, :] = least * 3
    w[:, -1:] = np.where(np.arange(len(w)) % 2, 0, least)[:, None]


def program(case, layout, side, n):
    i, j, k, m, bn, bk, more = case
    of = {"i": i, "j": j, "k": k}
    a, b = ("x".join(str(of[d]) for d in s.split(", ")) + "x" + side for s in layout)
    c = f"tensor<{i}x{j}xf32>"
    return f"""
func.func @main(%a: tensor<{a}>, %b: tensor<{b}>, %e: {c}) -> {c} {{
  %y = sinter.contract (i = {i}) by (j = {j})
      product (k = {k}) (%a[{layout[0]}] : tensor<{a}>, %b[{layout[1]}] : tensor<{b}>) : f32
      outs(%e[i, j] : {c})
      schedule(#sinter.brgemm<kernel = "amx.{side}", m = {m}, n = {bn}, k = {bk}, lanes = 16{more}>) {{
  ^row(%p: tensor<{j}xf32>):
    sinter.yield %p : tensor<{j}xf32>
  }}
  return %y : {c}
}}
"""


def main():
    tool, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(11)
    count = wrong = seen = 0
    for side in ("f16", "f32"):
        for n, case in enumerate(SHAPES):
            layout = LAYOUTS[(n + (side == "f32")) % 4]
            i, j, k = case[:3]
            # Numbers with all their bits, of several exponents.
            x = (rng.standard_normal((i, k)) * 2.0**rng.integers(-6, 4, (i, k))).astype(WORD[side])
            w = (rng.standard_normal((k, j)) * 2.0**rng.integers(-6, 4, (k, j))).astype(WORD[side])
            if n % 2:
                special(x, w, side)
            name = os.path.join(folder, f"{side}_{n}")
            with open(name + ".mlir", "w") as f:
                f.write(program(case, layout, side, n))
            np.save(name + "_a.npy", np.ascontiguousarray(x if layout[0][0] == "i" else x.T))
            np.save(name + "_b.npy", np.ascontiguousarray(w if layout[1][0] == "k" else w.T))
            np.save(name + "_e.npy", np.zeros((i, j), "f4"))
            subprocess.run([tool, name + ".mlir", *(f"--input={name}_{v}.npy" for v in "abe"),
                            f"--output={name}_y.npy", *options], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            got = np.load(name + "_y.npy").astype("f8")
            with np.errstate(all="ignore"):
                want = x.astype("f8") @ w.astype("f8")
                size = np.abs(x.astype("f8")) @ np.abs(w.astype("f8"))
                want = np.where(np.abs(want) > 3.4e38, np.sign(want) * np.inf, want)
                # f32 adds k numbers twice as often, or oftener.
                bound = size * ((2.0**-21 if side == "f32" else 0) + (k + 8) * 2.0**-23) + k * 2.0**-126
                same = (np.isnan(want) & np.isnan(got)) | (want == got)
                close = np.isfinite(want) & np.isfinite(got) & (np.abs(want - got) <= bound)
            bad = ~(same | close)
            seen += int((~np.isfinite(want)).sum())
            count += 1
            if bad.any():
                wrong += 1
                at = tuple(np.argwhere(bad)[0])
                print(f"{side} {case} {layout}: {bad.sum()} of {bad.size} wrong,",
                      f"first at {at}: {got[at]} for {want[at]}")
    print(f"{count} products, {seen} infinities and NaNs, {wrong} wrong")


main()
