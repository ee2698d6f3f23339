"""Words and numbers that random_words.mlir has to give, exactly: of Philox written in NumPy, whose known answers are
checked when it is imported.

    random_words.py FOLDER       writes FOLDER/*.npy and FOLDER/options
"""

import pathlib
import sys

import numpy as np
import philox

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
seed = np.array(0x9E3779B97F4A7C15 - 2**64, "i8")
# The first two known answers, each of whose words a column has; and far positions.
s, i, j = np.array([[0, 0, 0], [0, 0, 16], [0, 0, 48], [-1, -1, -49], [-1, -1, -1], [7, 2**40 + 3, 2**41 - 5]], "i8").T
given = philox.random_words(s, i, j)
known = [[int(x, 16) for x in words.split()] for _, _, words in philox.KNOWN]
assert list(given[:5]) == [known[0][0], known[0][1], known[0][3], known[1][0], known[1][3]]
rows, columns = np.indices((5, 203))
options = []
for name, arrays in (("input", (seed, s, i, j)), ("expect", (philox.random_words(seed, rows, columns).view("i4"),
                                                             philox.random_units(seed, rows, columns),
                                                             given.view("i4")))):
    for n, x in enumerate(arrays):
        np.save(folder / f"{name}{n}.npy", x)
        options.append(f"--{name}={folder}/{name}{n}.npy")
(folder / "options").write_text("\n".join(options))
