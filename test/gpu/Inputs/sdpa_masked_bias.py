"""Value and gradients of attention under a window, whose mask fills the bias, of heads that are columns of one matrix.

    sdpa_masked_bias.py EMULATE FOLDER PROGRAM        with sinter-opt on PATH

The first two queries see no key: their values and gradients are 0.
"""

import pathlib
import subprocess
import sys

import numpy as np

emulate, folder, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)
HEADS, T, D = 2, 150, 16


def rounded(x):
    """The nearest numbers of bf16, and their bits."""
    bits = x.astype("f4").view("u4")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view("f4").astype("f8"), bits.astype("u2")


rng = np.random.default_rng(7)
shapes = [(1, T, HEADS * D)] * 3 + [(T, T), (1, HEADS, T, D)]
(q, k, v, bias, g), bits = zip(*[rounded(rng.standard_normal(s)) for s in shapes])
q, k, v = (x.reshape(1, T, HEADS, D).swapaxes(1, 2) for x in (q, k, v))
i, j = np.arange(T)[:, None], np.arange(T)[None, :]
seen = (j <= i - 2) & (j > i - 40)
s = np.where(seen, q @ k.swapaxes(-1, -2) * D**-0.5 + bias, -np.inf)
p = np.where(seen, np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30)), 0)
p /= np.maximum(p.sum(-1, keepdims=True), 1e-300)
dp = g @ v.swapaxes(-1, -2)
ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * D**-0.5
flat = lambda x: x.swapaxes(1, 2).reshape(1, T, HEADS * D)
wanted = [p @ v, flat(ds @ k), flat(ds.swapaxes(-1, -2) @ q), flat(p.swapaxes(-1, -2) @ g)]
command = [sys.executable, emulate, program, "--tolerance=4e-2", "--gpu=weights=half wrt='0,1,2' upstream=true"]
for option, arrays in (("input", bits), ("expect", wanted)):
    for n, x in enumerate(arrays):
        np.save(folder / f"{option}{n}.npy", x if option == "input" else x.astype("f4"))
        command.append(f"--{option}={folder}/{option}{n}.npy")
subprocess.run(command, check=True)
