"""Definitions of numbers against NumPy in float64.

    of_numbers.py PROGRAM FOLDER        with sinter-run on PATH
"""

import os
import subprocess
import sys

import numpy as np

program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(2)
a, b, x, y, u, v, w = given = [rng.standard_normal(s) for s in ((4, 5), 5, (), (), (4, 3), (4, 3), 4)]
given = [np.float32(g) for g in given]
a, b, x, y, u, v, w = (np.float64(g) for g in given)
d = a - b
wanted = [(6 * d * d).mean(), d * d, 12 * d / 20, -(12 * d / 20).sum(0), x * y, x + y, u * v, u + v,
          (6 * (u - v) ** 2).mean(), (2 * (a.sum(1) - w) ** 2).sum()]  # fmt: skip
options = []
for option, values in (("input", given), ("expect", wanted)):
    for k, value in enumerate(values):
        path = f"{folder}/{option}{k}.npy"
        np.save(path, np.float32(value))
        options.append(f"--{option}={path}")
for policy in "disabled", "medium", "aggressive":
    subprocess.run(["sinter-run", program, f"--policy={policy}", "--tolerance=1e-6", *options], check=True)
print("all right")
