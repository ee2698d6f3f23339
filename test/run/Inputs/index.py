"""Random inputs of index.mlir, and its results by NumPy: index.py FOLDER"""
import sys

import numpy as np

r = np.random.default_rng(11)
a, n = r.integers(-50, 50, (7, 6)), np.array(-(2**40))
x, k = r.standard_normal((9, 4)).astype("f4"), r.integers(0, 9, 5)
q = (a + n) * a
for i, v in enumerate([a, n, x, k]):
    np.save(f"{sys.argv[1]}/in{i}.npy", v)
for i, v in enumerate([q, np.maximum(q.max(1), -1000), n, x[k]]):
    np.save(f"{sys.argv[1]}/out{i}.npy", v)
