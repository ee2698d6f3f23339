"""A group norm as torch-mlir exports it, a CTC loss of no labels, and functions of elements, in bf16 and f16, on the
emulated GPU.

    halves.py EMULATE FOLDER OF_PROGRAMS        with sinter-opt and sinter-cc on PATH
"""

import math
import pathlib
import subprocess
import sys

import numpy as np

emulate, folder, programs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)


def rounded(x, t):
    """The nearest numbers that the type has, and as a file has them."""
    if t == "f16":
        return x.astype("f2").astype("f8"), x.astype("f2")
    bits = x.astype("f4").view("u4")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view("f4").astype("f8"), bits.astype("u2")


def check(name, t, files, want, tolerance, gradients=True):
    text = (programs / f"{name}.mlir").read_text().replace("bf16", t)
    program, command = folder / f"{name}_{t}.mlir", [emulate]
    program.write_text(text)
    command += [program, f"--tolerance={tolerance}"]
    expected = want if isinstance(want, list) else [want]
    for k, (option, values) in enumerate([*(("input", v) for v in files), *(("expect", v) for v in expected)]):
        np.save(folder / f"{name}_{t}{k}.npy", values)
        command.append(f"--{option}={folder}/{name}_{t}{k}.npy")
    for more in ([], ["--wrt=0", "--upstream"])[:1 + gradients]:
        subprocess.run(["sinter-cc", program, "--target=gpu", "--ptx", "-o", folder / "o.o", *more], check=True)
    subprocess.run([sys.executable, *command], check=True)


rng = np.random.default_rng(3)
for t in ("bf16", "f16"):
    x, w, b = (rounded(rng.standard_normal(s), t) for s in ((2, 6, 4, 5), 6, 6))
    groups = x[0].reshape(2, 3, -1)
    normed = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    y = normed.reshape(x[0].shape) * w[0][:, None, None] + b[0][:, None, None]
    check("group_norm", t, [x[1], w[1], b[1]], y, 4e-3 if t == "bf16" else 5e-4)
    logits = rng.standard_normal((7, 3, 5))
    p = rounded(logits - np.log(np.exp(logits).sum(-1, keepdims=True)), t)
    lengths = np.array([7, 5, 3])
    loss = np.mean([-p[0][:n, k, 0].sum() for k, n in enumerate(lengths)])
    check("ctc_empty", t, [p[1], np.zeros((3, 0), "i8"), lengths, np.zeros(3, "i8")], np.float32(loss), 1e-5)
    # Every part of erf and expm1 by itself: small elements would be nothing beside large ones.
    for low, high in ((-13, -6), (-6, -3.5), (-3.5, 0), (0, 1.5), (1.5, 3)):
        sizes = rng.permutation(np.exp2(np.linspace(low, high, 640))) * rng.choice((-1, 1), 640)
        x = rounded(sizes, t)
        want = [np.vectorize(math.erf)(x[0]), np.expm1(x[0])]
        check("half_functions", t, [x[1]], want, 2.5e-3 if t == "bf16" else 3e-4, False)
print("all right")
