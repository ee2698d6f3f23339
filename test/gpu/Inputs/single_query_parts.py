"""Inputs of single_query_parts.mlir, and what it gives in float64. single_query_parts.py FOLDER"""
import sys

import numpy as np

g = np.random.default_rng(9)
short = lambda *s: (g.standard_normal(s).astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)  # a bf16
q, k, v = short(4, 1, 32), short(4, 320, 32), short(4, 320, 32)
x = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2)
e = np.exp(x - x.max(-1, keepdims=True))
for name, a in ("q", q), ("k", k), ("v", v), ("y", (e / e.sum(-1, keepdims=True) @ v).astype(np.float32)):
    np.save(f"{sys.argv[1]}/{name}.npy", a)
