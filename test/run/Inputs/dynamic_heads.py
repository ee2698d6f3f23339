"""dynamic_heads.py PREFIX BATCH: arguments of dynamic_heads.mlir, and what it gives, in float64."""
import sys
import numpy as np

prefix, batch = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(batch)
x, w = rng.standard_normal((batch, 5, 8)).astype("f4"), rng.standard_normal((8, 8)).astype("f4")
h = (x.astype("f8") @ w).reshape(batch, 5, 2, 4).transpose(0, 2, 1, 3)
for name, a in {"x": x, "w": w, "y": (h @ h.transpose(0, 1, 3, 2)).astype("f4")}.items():
    np.save(f"{prefix}.{name}.npy", a)
