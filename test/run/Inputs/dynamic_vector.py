"""dynamic_vector.py PREFIX BATCH: arguments of dynamic_vector.mlir, and what it gives, in float64."""
import sys
import numpy as np

prefix, batch = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(batch)
g, h = (rng.standard_normal(n).astype("f4") for n in (batch, (batch, 19)))
s = np.tanh(g.astype("f8"))
dw = (s @ h.astype("f8"))[None]
for name, a in {"g": g, "h": h, "dw": dw, "db": s.sum()}.items():
    np.save(f"{prefix}.{name}.npy", np.asarray(a, "f4"))
