"""Value and gradients of a causal scaled_dot_product_attention as torch-mlir exports it, on the emulated GPU.

    sdpa_gradient.py EMULATE FOLDER PROGRAM [HEADS KEY_HEADS [rotated]] [f32]      with sinter-opt on PATH

With two numbers heads share keys, and positions stand in front of heads. Rotated are queries and keys, by two tables.
In f32 rows are multiplied in parts, as they are unasked where scores are many, and errors are f32's.
"""

import pathlib
import subprocess
import sys

import numpy as np

emulate, folder, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FLOATS = sys.argv[-1] == "f32"
numbers = sys.argv[4:len(sys.argv) - FLOATS]
HEADS, KEY_HEADS = map(int, numbers[:2] or (2, 2))
folder.mkdir(parents=True, exist_ok=True)
T, D, TURNED, SHARE, ROTATED = 40, 16, bool(numbers), HEADS // KEY_HEADS, "rotated" in numbers


def rounded(x):
    """The nearest numbers of bf16, and their bits; in f32 the numbers."""
    if FLOATS:
        return x.astype("f4").astype("f8"), x.astype("f4")
    bits = x.astype("f4").view("u4")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view("f4").astype("f8"), bits.astype("u2")


rng = np.random.default_rng(5)
turned = lambda x: x.swapaxes(1, 2) if TURNED else x
of_heads = lambda x: x.reshape(1, KEY_HEADS, SHARE, T, D).sum(2)
(q, k, v, g), bits = zip(*[rounded(rng.standard_normal((1, n, T, D))) for n in (HEADS, KEY_HEADS, KEY_HEADS, HEADS)])
bits = [turned(x) for x in bits]
if ROTATED:
    angles = np.arange(T)[:, None] / 10 ** (np.arange(D) % (D // 2) / 4)
    (cos, sin), tables = zip(*[rounded(f(angles)) for f in (np.cos, np.sin)])
    bits[3:3] = tables
    halves = lambda x: (x[..., :D // 2], x[..., D // 2:])
    rotate = lambda x: x * cos + np.concatenate((-halves(x)[1], halves(x)[0]), -1) * sin
    back = lambda x: x * cos + np.concatenate((halves(x * sin)[1], -halves(x * sin)[0]), -1)
    q, k = rotate(q), rotate(k)
else:
    back = lambda x: x
k, v = k.repeat(SHARE, 1), v.repeat(SHARE, 1)
s = q @ k.swapaxes(-1, -2) * D**-0.5
s = np.where(np.tril(np.ones((T, T), bool)), s, -np.inf)
p = np.exp(s - s.max(-1, keepdims=True))
p /= p.sum(-1, keepdims=True)
dp = g @ v.swapaxes(-1, -2)
ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * D**-0.5
wanted = [p @ v, back(ds @ k), back(of_heads(ds.swapaxes(-1, -2) @ q)), of_heads(p.swapaxes(-1, -2) @ g)]
wanted = [turned(x) for x in wanted]
how = ("1e-5", "parts-from=1") if FLOATS else ("4e-2", "weights=half")
command = [sys.executable, emulate, program, f"--tolerance={how[0]}", f"--gpu={how[1]} wrt='0,1,2' upstream=true"]
for option, arrays in (("input", bits), ("expect", wanted)):
    for i, x in enumerate(arrays):
        np.save(folder / f"{option}{i}.npy", np.ascontiguousarray(x if option == "input" else x.astype("f4")))
        command.append(f"--{option}={folder}/{option}{i}.npy")
subprocess.run(command, check=True)
