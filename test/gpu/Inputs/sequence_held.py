"""Random inputs of sequence_held.mlir, and its result in float64: sequence_held.py FOLDER"""
import sys

import numpy as np

r = np.random.default_rng(7)
shapes = {"x": (64,), "w": (64, 64), "v": (48, 64), "u": (64, 48)}
given = {n: r.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
for name, a in given.items():
    np.save(f"{sys.argv[1]}/{name}.npy", a)
x, w, v, u = (a.astype(np.float64) for a in given.values())
a = w @ x
np.save(f"{sys.argv[1]}/y.npy", u @ (v @ a) + w @ a)
