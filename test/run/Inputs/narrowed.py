"""narrowed.py FOLDER: a constant w.npy; narrowed.py FOLDER compare: whether half.npy and byte.npy are the nearest."""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
r = np.random.default_rng(0)
w = (r.standard_normal(660) * 10.0 ** r.integers(-6, 7, 660)).astype(np.float32)
# Ties of bf16 (8 digits) and of e5m2 (3 digits), on both sides of an even number, and what has no nearest one.
w[:12] = [1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 1.125, 1.375, -1.125, np.inf, -np.inf, np.nan, 3.4e38, 0.0, -0.0]
w[12:15] = [2**-126, 3 * 2**-133, 1e-40]


def nearest(bits, values):
    """For each of w the bits of the nearest value, of two the one whose bits are even."""
    order = np.lexsort((bits, values))
    bits, values = bits[order], values[order]
    found = []
    for x in w.astype(np.float64):
        at = int(np.searchsorted(values, abs(x)))
        few = [k for k in (at - 1, at) if 0 <= k < len(values)]
        best = min(few, key=lambda k: (abs(values[k] - abs(x)), bits[k] & 1))
        found.append(int(bits[best]))
    return np.array(found)


def check(name, got, sign, values):
    """values: of all bits without a sign, finite ones, and behind the last where infinity begins."""
    finite = np.isfinite(w)
    want = nearest(np.arange(len(values)), values)
    size = got & (sign - 1)
    assert (size[finite] == want[finite]).all(), (name, w[finite][size[finite] != want[finite]])
    assert (((got & sign) != 0) == np.signbit(w))[~np.isnan(w)].all(), name
    assert (size[np.isinf(w)] == len(values) - 1).all() and (size[np.isnan(w)] > len(values) - 1).all(), name
    return f"{len(got)} {name}"


if len(sys.argv) < 3:
    folder.mkdir(exist_ok=True)
    np.save(folder / "w.npy", w.reshape(20, 33))
else:
    half = (np.arange(0x7F81, dtype=np.uint32) << 16).view(np.float32).astype(np.float64)
    half[-1] = 2.0**128  # what is nearer to this than to the largest number is infinite
    byte = (np.arange(0x7D, dtype=np.uint16) << 8).view(np.float16).astype(np.float64)
    byte[-1] = 2.0**16
    load = lambda name: np.load(folder / f"{name}.npy").reshape(-1).astype(np.int64)
    print(check("bf16", load("half"), 0x8000, half), "and", check("float8", load("byte"), 0x80, byte), "are right")
