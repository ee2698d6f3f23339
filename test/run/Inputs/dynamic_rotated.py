"""dynamic_rotated.py PREFIX BATCH: arguments of dynamic_rotated.mlir, and what it gives, in float64."""
import sys
import numpy as np

prefix, batch = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(batch)
q, x, c, s = (rng.standard_normal(n).astype("f4") for n in ((batch, 4, 70, 8), (batch, 12, 8), (12, 8), (12, 8)))
wide = x.astype("f8")
y = wide * c + np.concatenate([-wide[..., 4:], wide[..., :4]], axis=-1) * s
for name, a in {"q": q, "x": x, "c": c, "s": s, "p": np.einsum("bhik,bjk->bhij", q.astype("f8"), y)}.items():
    np.save(f"{prefix}.{name}.npy", a.astype("f4"))
