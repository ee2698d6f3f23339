"""Gradients of scaled_dot_product_attention where masks leave nothing of some rows: 0 there, as PyTorch's.

    dead_rows.py lengths|added|both|one FOLDER [bf16]        writes FOLDER/*.npy and FOLDER/options

Reference: the formulas in float64, of rows that are left something; the others are 0.
"""

import pathlib
import sys

import numpy as np

mask, folder, half = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["bf16"]
folder.mkdir(parents=True, exist_ok=True)
B, H, T, D = 2, 2, 7, 4
rng = np.random.default_rng(3)
q, k, v, g = (rng.standard_normal((B, H, T, D)).astype("f4") for _ in range(4))
if mask == "one":  # key
    k, v = k[:, :, :1], v[:, :, :1]
if half:  # the nearest numbers of bf16
    q, k, v, g = (((x.view("u4") + 0x8000) & 0xFFFF0000).view("f4") for x in (q, k, v, g))

n = np.array([0, 3])  # nothing of the first batch
added = np.zeros((B, 1, T, T), "f4")
added[0, 0, 2:5] = added[:, :, :, 5:] = added[1, 0, 0] = -np.inf
masked = (np.arange(T) >= n[:, None])[:, None, None, :] | np.zeros((T, T), bool)
if mask == "both":
    masked = masked | ~np.tril(np.ones((T, T), bool))
if mask == "one":
    added = added[..., :1]
masked = added == -np.inf if mask in ("added", "one") else masked

Q, K, V, G = (x.astype("f8") for x in (q, k, v, g))
s = np.where(masked, -np.inf, Q @ K.swapaxes(-1, -2) * D**-0.5)
e = np.exp(s - np.where(masked.all(-1, keepdims=True), 0, s.max(-1, keepdims=True)))
p = e / np.maximum(e.sum(-1, keepdims=True), 1e-300)
dp = G @ V.swapaxes(-1, -2)
ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * D**-0.5
assert (p.sum(-1) == 0).any() and np.isfinite(ds).all()
wanted = [p @ V, ds @ K, ds.swapaxes(-1, -2) @ Q, p.swapaxes(-1, -2) @ G]

options = []
for i, x in enumerate((q, k, v, added if mask in ("added", "one") else n, g)):
    np.save(folder / f"input{i}.npy", (x.view("u4") >> 16).astype("u2") if half and x.dtype == "f4" else x)
    options.append(f"--input={folder}/input{i}.npy")
for i, x in enumerate(wanted):
    np.save(folder / f"expect{i}.npy", x.astype("f4"))
    options.append(f"--expect={folder}/expect{i}.npy")
(folder / "options").write_text("\n".join(options))
