"""Random inputs of sequence_gradients.mlir, and its results in float64: sequence_gradients.py FOLDER"""
import sys

import numpy as np

r = np.random.default_rng(5)
given = {n: r.standard_normal(s).astype("f4") for n, s in {"q": (12, 16), "k": (20, 16), "v": (20, 8)}.items()}
q, k, v = (a.astype("f8") for a in given.values())
p = np.exp(q @ k.T)
p /= p.sum(1, keepdims=True)
o = p @ v
dp = 2 * o @ v.T
ds = p * (dp - (p * dp).sum(1, keepdims=True))
wanted = {"l": (o * o).sum(), "dq": ds @ k, "dk": ds.T @ q, "dv": p.T @ (2 * o)}
for name, a in {**given, **wanted}.items():
    np.save(f"{sys.argv[1]}/{name}.npy", np.asarray(a, "f4"))
