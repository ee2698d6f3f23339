"""One query of each head by keys up to a length of its batch, on the emulated GPU: heads in pairs share keys.

    sdpa_one_query.py EMULATE FOLDER PROGRAM FIRST SECOND     with sinter-opt on PATH; the lengths of both batches

A batch that sees no key has 0.
"""

import pathlib
import subprocess
import sys

import numpy as np

emulate, folder, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
lengths = np.array(sys.argv[4:6], "i8")
folder.mkdir(parents=True, exist_ok=True)
HEADS, KEY_HEADS, T, D = 8, 4, 1100, 64


def rounded(x):
    """The nearest numbers of bf16, and their bits."""
    bits = x.astype("f4").view("u4")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view("f4").astype("f8"), bits.astype("u2")


rng = np.random.default_rng(11)
shapes = [(2, HEADS, 1, D), (2, KEY_HEADS, T, D), (2, KEY_HEADS, T, D)]
(q, k, v), bits = zip(*[rounded(rng.standard_normal(s)) for s in shapes])
k, v = k.repeat(HEADS // KEY_HEADS, 1), v.repeat(HEADS // KEY_HEADS, 1)
seen = np.arange(T) < lengths[:, None, None, None]
s = np.where(seen, q @ k.swapaxes(-1, -2) * D**-0.5, -np.inf)
p = np.where(seen, np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30)), 0)
p /= np.maximum(p.sum(-1, keepdims=True), 1e-300)
command = [sys.executable, emulate, program, "--tolerance=4e-2", "--gpu=weights=half"]
for i, x in enumerate((*bits, lengths)):
    np.save(folder / f"input{i}.npy", x)
    command.append(f"--input={folder}/input{i}.npy")
np.save(folder / "expect.npy", (p @ v).astype("f4"))
subprocess.run([*command, f"--expect={folder}/expect.npy"], check=True)
