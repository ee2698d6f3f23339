"""bags.py PREFIX: arguments of bags.mlir, and the sums of its bags in float64: empty ones, some that end early, and
some that overlap. Their gradient by the table, and what that gives back of numbers v when it is differentiated."""
import sys
import numpy as np

rng = np.random.default_rng(7)
t, w = rng.integers(0, 7, 9), rng.standard_normal((7, 5)).astype("f4")
g, v = rng.standard_normal((4, 5)).astype("f4"), rng.standard_normal((7, 5)).astype("f4")
for name, offsets in {"in": [0, 2, 2, 5], "out": [-3, 4, 20, 1], "twice": [0, 5, 2, 4]}.items():
    ends = [*offsets[1:], 9]
    y = [w[t[max(a, 0):max(b, 0)]].astype("f8").sum(0) for a, b in zip(offsets, ends)]
    dw = np.zeros((7, 5))
    for row, a, b in zip(g, offsets, ends):
        np.add.at(dw, t[max(a, 0):max(b, 0)], row)
    dg = [v[t[max(a, 0):max(b, 0)]].astype("f8").sum(0) for a, b in zip(offsets, ends)]
    np.save(f"{sys.argv[1]}.{name}.npy", np.array(offsets))
    np.save(f"{sys.argv[1]}.{name}.dg.npy", np.array(dg, "f4"))
    np.save(f"{sys.argv[1]}.{name}.dw.npy", dw.astype("f4"))
    np.save(f"{sys.argv[1]}.{name}.y.npy", np.array(y, "f4"))
for name, a in {"t": t, "w": w, "g": g, "v": v, "bad": np.where(np.arange(9) == 6, 7, t)}.items():
    np.save(f"{sys.argv[1]}.{name}.npy", a)
