"""Value and gradients of an attention whose weights are dropped, in float64, of the same numbers of Philox.

    dropout_attention.py FOLDER [bf16]     writes FOLDER/*.npy and FOLDER/options
"""

import pathlib
import sys

import numpy as np
import philox

folder, half = pathlib.Path(sys.argv[1]), sys.argv[2:] == ["bf16"]
folder.mkdir(parents=True, exist_ok=True)
B, N, M, D, P = (3, 40, 72, 16, 0.25) if half else (3, 13, 70, 16, 0.25)
rng = np.random.default_rng(3)
q, k, v, g = (rng.standard_normal((B, n, D)).astype("f4") for n in (N, M, M, N))
if half:  # the nearest numbers of bf16
    q, k, v, g = (((x.view("u4") + 0x8000) & 0xFFFF0000).view("f4") for x in (q, k, v, g))
seed = np.array(-12345678901, "i8")
row, column = np.indices((B * N, M))
kept = (philox.random_units(seed, row, column) >= P).reshape(B, N, M) / (1 - P)

Q, K, V, G = (x.astype("f8") for x in (q, k, v, g))
s = Q @ K.swapaxes(1, 2) * 0.25
p = np.exp(s - s.max(-1, keepdims=True))
p /= p.sum(-1, keepdims=True)
dp = kept * (G @ V.swapaxes(1, 2))
ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * 0.25
wanted = [(kept * p) @ V, ds @ K, ds.swapaxes(1, 2) @ Q, (kept * p).swapaxes(1, 2) @ G]

options = []
for i, x in enumerate((q, k, v, seed, g)):
    np.save(folder / f"input{i}.npy", (x.view("u4") >> 16).astype("u2") if half and x.dtype == "f4" else x)
    options.append(f"--input={folder}/input{i}.npy")
for i, x in enumerate(wanted):
    np.save(folder / f"expect{i}.npy", x.astype("f4"))
    options.append(f"--expect={folder}/expect{i}.npy")
(folder / "options").write_text("\n".join(options))
(folder / "value").write_text("\n".join(options[:4] + options[5:6]))
