"""gather_rows.py NAME: tables, their indices, and what NumPy adds up of them, for gather_rows.mlir."""
import sys

import numpy as np

name = sys.argv[1]
r = np.random.default_rng(0)
e = r.standard_normal((4, 7, 23)).astype(np.float32)
t = r.integers(-2, 9, (5, 3))  # some are outside
o = np.array([3, 0, 4, 1, 2])  # one is
u = r.integers(-1, 8, (3, 19))


def at(page, line, column):
    inside = 0 <= page < 4 and 0 <= line < 7
    return float(e[page, line, column]) if inside else 0.5


y = np.array([[sum(at(o[i], t[i, k], j) for k in range(3)) for j in range(19)] for i in range(5)], np.float32)
z = np.array([sum(at(k, u[k, j], j) for k in range(3)) for j in range(19)], np.float32)
bad = t.copy()
bad[4, 2] = 100
assert (t < 0).any() and (t > 6).any() and (u < 0).any() and (u > 6).any()
for key, value in dict(e=e, t=t, o=o, u=u, y=y, z=z, bad=bad).items():
    np.save(f"{name}.{key}.npy", value)
