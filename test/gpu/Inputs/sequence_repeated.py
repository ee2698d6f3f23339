"""Inputs of sequence_repeated.mlir and sequence_repeated_flat.mlir, and results in float64.

sequence_repeated.py FOLDER"""
import sys

import numpy as np

g = np.random.default_rng(11)
x, w, v = (g.standard_normal(s).astype(np.float32) for s in ((1, 64), (96, 64), (64, 96)))
norm = lambda a: a / (a * a).sum()
n = norm(x.astype(np.float64)[0])
q = v.astype(np.float64) @ (w.astype(np.float64) @ n) + n
for name, a in ("x", x), ("w", w), ("v", v), ("y", (norm(q) + q)[None]):
    np.save(f"{sys.argv[1]}/{name}.npy", a)
x, w = (g.standard_normal(s).astype(np.float32) for s in ((128,), (8, 128)))
for name, a in ("fx", x), ("fw", w), ("fy", w.astype(np.float64) @ (2 * x.astype(np.float64)) ** 2):
    np.save(f"{sys.argv[1]}/{name}.npy", a)
