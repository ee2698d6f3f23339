"""What tests of convolutions share: windows of small whole numbers, a run of each case, and NumPy's numbers beside.

A case is images, groups, channels, height, width, filters; the window's rows and columns; stride, padding, dilation;
the type. Sums of such numbers are exact in any order.
"""

import os
import subprocess

import numpy as np


def image(x, case):
    """What each result's window sees: [n, g, y, x, c, r, s]."""
    n, g, c, h, w, o, r, s, step, pad, apart, _ = case
    high = pad if h > 1 else 0
    wide = np.pad(x, ((0, 0), (0, 0), (0, 0), (high, high), (pad, pad)))
    rows, columns = ((size + 2 * p - apart * (k - 1) - 1) // step + 1 for size, k, p in ((h, r, high), (w, s, pad)))
    at = lambda count, k: np.arange(count)[:, None] * step + np.arange(k)[None] * apart
    seen = wide[:, :, :, at(rows, r)][:, :, :, :, :, at(columns, s)]  # n, g, c, y, r, x, s
    return seen.transpose(0, 1, 3, 5, 2, 4, 6), rows, columns, high


def stored(path, values, t):
    """Whole numbers of up to 8 bits are bf16 with half of an f32's bits, which NumPy has no type for."""
    if t == "bf16":
        values = (values.astype("f4").view("u4") >> 16).astype("u2")
    np.save(path, values if t == "bf16" else values.astype({"f16": "f2", "f32": "f4"}[t]))


def wrong_results(cases, seed, folder, options, text, made):
    """Runs text(case, rows, columns, high) of each case; made(rng, case, sums) gives further inputs, by letters,
    and what the results are. Results that are wrong, and what was scheduled for each case."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(seed)
    wrong, scheduled = 0, []
    for i, case in enumerate(cases):
        n, g, c, h, w, o, r, s, *_, t = case
        x, k = rng.integers(-9, 10, (n, g, c, h, w)), rng.integers(-9, 10, (g, o, c, r, s))
        seen, rows, columns, high = image(x.astype("f8"), case)
        more, wants = made(rng, case, np.einsum("ngyxcrs,gocrs->ngoyx", seen, k.astype("f8"), optimize=True))
        name = os.path.join(folder, str(i))
        with open(name + ".mlir", "w") as f:
            f.write(text(case, rows, columns, high))
        stored(name + "_x.npy", x, t)
        stored(name + "_w.npy", k, t)
        for v, values in more.items():
            np.save(f"{name}_{v}.npy", values)
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", *options]
        scheduled += [subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True, text=True).stdout]
        inputs = [f"--input={name}_{v}.npy" for v in ["x", "w", *more]]
        outputs = [f"{name}_y{j}.npy" for j in range(len(wants))]
        subprocess.run([*command, *inputs, *(f"--output={y}" for y in outputs), "--quiet"], check=True)
        for got, want in zip(map(np.load, outputs), wants):
            if got.shape != want.shape or (got != want).any():
                wrong += 1
                print(f"{case}: {int((got != want).sum())} of {want.size} differ")
    return wrong, scheduled
