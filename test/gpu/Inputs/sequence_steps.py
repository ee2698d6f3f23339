"""FOLDER: x.npy, and y.npy = sum + 2 * cumsum(exp(x - max x)) of each row, in float64."""
import sys

import numpy as np

x = np.random.default_rng(3).standard_normal((3, 300)).astype(np.float32)
e = np.exp((x - x.max(1, keepdims=True)).astype(np.float64))
np.save(f"{sys.argv[1]}/x.npy", x)
np.save(f"{sys.argv[1]}/y.npy", (e.sum(1, keepdims=True) + 2 * np.cumsum(e, 1)).astype(np.float32))
