"""scans.py PREFIX: arguments of scans.mlir, and its results in float64, gradients by differences: scores of lists far
from each other, and numbers that are multiplied, and whose largest and smallest so far are kept."""
import sys

import numpy as np

rng = np.random.default_rng(3)
x = np.array([[1000.0, -1000, 300, -300, 5, -500], [200, -200, 1e4, 0, -1e4, 3], [1, 2, 0, 1, -3, 0.5]])
t = np.array([[6.0, 1, 5, 4, 3, 2], [1, 6, 5, 4, 3, 2], [1, 1, 2, 3, 3, 0]])
y = rng.standard_normal((3, 6)).astype("f4").astype("f8")


def list_mle(x):
    s = np.take_along_axis(x, np.argsort(-t, axis=1, kind="stable"), 1)
    return (np.logaddexp.accumulate(s[:, ::-1], axis=1)[:, ::-1] - s).sum(1)


def scans(y):
    return (np.cumprod(y, 1) * np.maximum.accumulate(y, 1)
            + np.minimum.accumulate(y[:, ::-1], 1)[:, ::-1] * np.logaddexp.accumulate(y, axis=1)).sum(1)  # fmt: skip


def gradient(f, x):
    g = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        d = np.zeros_like(x)
        d[at] = 1e-4
        g[at] = (f(x + d) - f(x - d)).sum() / 2e-4
    return g


for name, a in {"x": x, "t": t, "y": y, "l": list_mle(x), "dx": gradient(list_mle, x), "s": scans(y),
                "dy": gradient(scans, y)}.items():  # fmt: skip
    np.save(f"{sys.argv[1]}.{name}.npy", a.astype("f4"))
