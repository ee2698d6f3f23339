"""Inputs of in_place.mlir, or of append_*.mlir, and what they give.

in_place.py FOLDER POSITION [HEADS SIZE [append]]
"""
import pathlib
import sys

import numpy as np

folder, at = pathlib.Path(sys.argv[1]), int(sys.argv[2])
heads, size = (int(n) for n in sys.argv[3:5] or (2, 16))
r = np.random.default_rng(at & 0xFF)
c, k = r.standard_normal((heads, 32, size)).astype("f"), r.standard_normal((heads, size)).astype("f")
w = c.astype("d")
if 0 <= at < 32:
    w[:, at] = k if sys.argv[5:] else k.astype("d") ** 2
k = k[:, None] if sys.argv[5:] else k
for name, x in {"at": np.array([at]), "c": c, "k": k, "sums": w.sum(1), "cache": w}.items():
    np.save(folder / f"{name}.npy", x)
