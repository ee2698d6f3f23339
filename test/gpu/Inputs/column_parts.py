"""Inputs of column_parts.mlir, or with two new positions of column_parts_two.mlir, and results in float64.

column_parts.py FOLDER NEW N N: how many positions are new, and the last one of each head."""
import sys

import numpy as np

g = np.random.default_rng(5)
short = lambda *s: (g.standard_normal(s).astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)  # a bf16


def rounded(x):
    """To the nearest bf16."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


new = int(sys.argv[2])
q, k, k1, v, v1 = (short(2, n, 16) for n in (3, 40, new, 40, new))
n = np.array([int(a) for a in sys.argv[3:]])
queries = np.concatenate([2 * q[..., :8], rounded(q[..., 8:] + q[..., :8])], -1) if new == 1 else q
keys, values = (np.concatenate(pair, 1).astype(np.float64) for pair in ((k, k1), (v, v1)))
x = np.where(np.arange(40 + new) <= n[:, None, None], queries.astype(np.float64) @ keys.swapaxes(1, 2), -np.inf)
with np.errstate(invalid="ignore"):
    e = np.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ values
for name, a in ("q", q), ("k", k), ("k1", k1), ("v", v), ("v1", v1), ("n", n), ("y", y.astype(np.float32)):
    np.save(f"{sys.argv[1]}/{name}.npy", a)
