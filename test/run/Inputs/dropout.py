"""What dropout.mlir has to give, of the numbers of philox.py; and how many elements are kept, and whether neighbours in
rows, columns and seeds have to do with each other.

    dropout.py FOLDER       writes FOLDER/*.npy and FOLDER/options
"""

import pathlib
import sys

import numpy as np
import philox

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def mask(p, seed, *shape, type="f4"):
    row, column = np.indices((int(np.prod(shape[:-1])), shape[-1]))
    kept = (philox.random_units(seed, row, column) >= np.float32(p)).reshape(shape)
    scale = np.dtype(type).type(1) / (np.dtype(type).type(1) - np.dtype(type).type(p)) if p < 1 else 1
    return np.where(kept, scale, 0).astype(type)


# Of 512 x 512 numbers: the mean, the variance, what bits are set, and what neighbours have in common.
row, column = np.indices((512, 512))
u = philox.random_units(5, row, column).astype("f8") - 0.5
assert abs(u.mean()) < 2.5e-3 and abs(u.var() - 1 / 12) < 1e-3 and u.min() >= -0.5 and u.max() < 0.5
for a, b in ((u[1:], u[:-1]), (u[:, 1:], u[:, :-1]), (u[:, 16:], u[:, :-16]), (u[:, 64:], u[:, :-64]),
             (u, philox.random_units(6, row, column) - 0.5), (u, u.T)):
    assert abs((a * b).mean() * 12) < 1e-2
kept = u + 0.5 >= 0.1
assert abs(kept.mean() - 0.9) < 3e-3
assert abs(kept.mean(0) - 0.9).max() < 0.07 and abs(kept.mean(1) - 0.9).max() < 0.07
words = philox.random_words(5, row, column)
assert all(abs((words >> bit & 1).mean() - 0.5) < 5e-3 for bit in range(32))

rng = np.random.default_rng(1)
x, g = rng.standard_normal((2, 3, 5, 203)).astype("f4")
v, w = rng.standard_normal(203).astype("f4"), rng.standard_normal((203, 4)).astype("f4")
d = rng.standard_normal((6, 70))
seed = np.array(77, "i8")
some = mask(0.1, seed, 3, 5, 203)
wanted = (x * some, g * some, v * mask(0.5, seed, 203), d * mask(0.75, seed, 6, 70, type="f8"), x, 0 * x, 0 * x,
          (x[1] * mask(0.3, seed, 5, 203)).astype("f8") @ w.astype("f8"))
options = []
for name, arrays in (("input", (x, g, seed, v, d, w)), ("expect", (*wanted[:7], wanted[7].astype("f4")))):
    for n, array in enumerate(arrays):
        np.save(folder / f"{name}{n}.npy", array)
        options.append(f"--{name}={folder}/{name}{n}.npy")
(folder / "options").write_text("\n".join(options))
