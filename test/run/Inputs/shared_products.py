"""Scores of one query of each head, of which a few share keys, against NumPy in float64.

    shared_products.py SINTER_RUN FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def program(b, h, g, keys, d, t):
    q, k, y = f"tensor<{b}x{h}x{d}x{t}>", f"tensor<{b}x{h // g}x{keys}x{d}x{t}>", f"tensor<{b}x{h}x{keys}xf32>"
    row, wide = f"tensor<{d}x{t}>", f"tensor<{d}xf32>"
    widen = lambda x: f"    %{x}w = arith.extf %{x} : {row} to {wide}\n" if t != "f32" else ""
    w = "w" if t != "f32" else ""
    return f"""func.func @main(%q: {q}, %k: {k}, %n: tensor<{b}xi64>) -> {y} {{
  %e = tensor.empty() : {y}
  %s = sinter.rowwise (b = {b}, h = {h}, j = {keys}) by (l = {d})
      ins(%q[b, h, l] : {q}, %k[b, h floordiv {g}, j, l] : {k}, %n[b] : tensor<{b}xi64>)
      outs(%e[b, h, j] : {y}) {{
  ^row(%x: {row}, %z: {row}, %length: i64):
    %c = arith.constant 0.25 : f32
    %cs = sinter.broadcast %c : f32 -> {wide}
{widen("x")}{widen("z")}    %xc = arith.mulf %x{w}, %cs : {wide}
    %zc = arith.mulf %z{w}, %cs : {wide}
    %p = arith.mulf %xc, %zc : {wide}
    %sum = sinter.row_reduce add %p : {wide} -> f32
    %at = sinter.index j : index
    %head = sinter.index h : index
    %i = arith.index_cast %at : index to i64
    %in = arith.cmpi slt, %i, %length : i64
    %ih = arith.index_cast %head : index to i64
    %f = arith.sitofp %ih : i64 to f32
    %biased = arith.addf %sum, %f : f32
    %none = arith.constant -1.0 : f32
    %r = arith.select %in, %biased, %none : f32
    sinter.yield %r : f32
  }}
  return %s : {y}
}}
"""


def stored(x, t):
    """Of a type, as its file has it, and what these numbers are."""
    if t == "bf16":
        bits = ((x.view("u4") + 0x8000) >> 16).astype("u2")
        return bits, (bits.astype("u4") << 16).view("f4").astype("f8")
    x = x.astype({"f32": "f4", "f16": "f2"}[t])
    return x, x.astype("f8")


wrong = programs = 0
rng = np.random.default_rng(5)
for t in ("f32", "bf16", "f16"):
    for b, h, g, keys, d in ((2, 12, 4, 301, 24), (1, 8, 8, 64, 64), (3, 6, 2, 17, 21)):
        file = folder / f"{t}_{keys}.mlir"
        file.write_text(program(b, h, g, keys, d, t))
        q, Q = stored(rng.standard_normal((b, h, d)).astype("f4"), t)
        k, K = stored(rng.standard_normal((b, h // g, keys, d)).astype("f4"), t)
        n = np.array([keys - 3, 0, 1][:b], "i8")
        s = np.einsum("bhd,bhjd->bhj", Q, np.repeat(K, g, 1)) / 16 + np.arange(h)[:, None]
        s = np.where(np.arange(keys) < n[:, None, None], s, -1.0)
        for name, x in (("q", q), ("k", k), ("n", n), ("s", s.astype("f4"))):
            np.save(folder / f"{name}.npy", x)
        form = subprocess.run([run, file, "--emit=scheduled"], capture_output=True, text=True).stdout
        row = f"h * {g} + g" if h > g else "h"
        one = f"product (l = {d}) (%arg0[{'b' if b > 1 else '0'}, {row}, l]" in form and "sinter.rowwise" not in form
        made = []
        for threads in (1, 3):
            y = folder / f"y{threads}.npy"
            r = subprocess.run([run, file, *(f"--input={folder}/{x}.npy" for x in "qkn"), f"--expect={folder}/s.npy",
                                "--tolerance=1e-6", f"--threads={threads}"], capture_output=True, text=True)
            subprocess.run([run, file, *(f"--input={folder}/{x}.npy" for x in "qkn"), f"--output={y}",
                            f"--threads={threads}"], capture_output=True, check=False)
            made.append(y.read_bytes() if y.exists() else None)
            one &= r.returncode == 0
            if r.returncode:
                print(t, b, h, g, keys, d, (r.stdout + r.stderr)[:300])
        programs += 1
        wrong += not one or made[0] is None or made[0] != made[1]
        if not one:
            print(t, b, h, g, keys, d, "wrong, or no product:", form[:2000])
print(f"{programs} programs, {wrong} wrong")
