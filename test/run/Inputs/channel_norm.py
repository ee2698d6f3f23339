"""channel_norm.py NAME: an image, weights, and what NumPy makes of them in float64, for channel_norm.mlir."""
import sys

import numpy as np

name = sys.argv[1]
r = np.random.default_rng(0)
x, w, v = (r.standard_normal(s).astype(np.float32) for s in ((40, 24, 25), (40, 3, 3), (16, 40)))
padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
h = sum(padded[:, m : m + 24, n : n + 25] * w[:, m, n, None, None].astype(np.float64)
        for m in range(3) for n in range(3))
y = np.einsum("jm,mkl->jkl", v.astype(np.float64), h / np.sqrt((h * h).sum(0)))
for key, value in dict(x=x, w=w, v=v, y=y.astype(np.float32)).items():
    np.save(f"{name}.{key}.npy", value)
