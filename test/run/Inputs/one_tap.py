"""one_tap.py NAME: images, weights of one tap, and what NumPy makes of them in float64."""
import sys

import numpy as np

name = sys.argv[1]
r = np.random.default_rng(0)
x, w = r.standard_normal((2, 5, 6, 7)).astype(np.float32), r.standard_normal((4, 5)).astype(np.float32)
x1, w1 = x[:, :1].copy(), w[:, 0].copy()
y = np.einsum("nchw,oc->nohw", x.astype(np.float64), w.astype(np.float64)).astype(np.float32)
y1 = (x1.astype(np.float64) * w1.astype(np.float64)[:, None, None]).astype(np.float32)
for key, value in dict(x=x, w=w, x1=x1, w1=w1, y=y, y1=y1).items():
    np.save(f"{name}.{key}.npy", value)
