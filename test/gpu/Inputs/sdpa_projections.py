"""Value and gradients of a causal attention of what one matrix has beside each other, or behind which a matrix is, as
torch-mlir exports it, on the emulated GPU.

    sdpa_projections.py EMULATE FOLDER PROGRAM packed|projected      with sinter-opt on PATH
"""

import pathlib
import subprocess
import sys

import numpy as np

emulate, folder, program, kind = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
folder.mkdir(parents=True, exist_ok=True)
HEADS, T, D = 2, 40, 16


def rounded(*shape):
    """Random numbers of bf16, and their bits."""
    bits = rng.standard_normal(shape).astype("f4").view("u4")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view("f4").astype("f8"), bits.astype("u2")


rng = np.random.default_rng(7)
columns = lambda x: x.swapaxes(0, 1).reshape(1, T, HEADS * D)
heads = lambda x: x.reshape(T, HEADS, D).swapaxes(0, 1)
if kind == "packed":
    (x, *bits), = [rounded(1, T, 3 * HEADS * D)]
    q, k, v = (heads(y) for y in np.split(x[0], 3, -1))
else:
    (q, k, v), bits = zip(*[rounded(1, HEADS, T, D) for _ in range(3)])
    q, k, v = q[0], k[0], v[0]
    w, of_w = rounded(HEADS * D, HEADS * D)
    bits = [*bits, of_w]
g, of_g = rounded(1, T, HEADS * D)
s = np.where(np.tril(np.ones((T, T), bool)), q @ k.swapaxes(-1, -2) * D**-0.5, -np.inf)
p = np.exp(s - s.max(-1, keepdims=True))
p /= p.sum(-1, keepdims=True)
o = p @ v
do = heads(g[0] if kind == "packed" else g[0] @ w)
dp = do @ v.swapaxes(-1, -2)
ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * D**-0.5
dq, dk, dv = ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ do
if kind == "packed":
    wanted = [columns(o), np.concatenate([columns(x) for x in (dq, dk, dv)], -1)]
else:
    wanted = [columns(o) @ w.T, dq[None], dk[None], dv[None], g[0].T @ columns(o)[0]]
how = f"weights=half wrt='{'0' if kind == 'packed' else '0,1,2,3'}' upstream=true"
command = [sys.executable, emulate, program, "--tolerance=4e-2", f"--gpu={how}"]
for option, arrays in (("input", [*bits, of_g]), ("expect", wanted)):
    for i, x in enumerate(arrays):
        np.save(folder / f"{option}{i}.npy", np.ascontiguousarray(x if option == "input" else x.astype("f4")))
        command.append(f"--{option}={folder}/{option}{i}.npy")
subprocess.run(command, check=True)
