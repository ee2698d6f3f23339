"""Convolutions whose results lie as their images do: any kernel, dilation and padding, one to three dimensions, lines
of 1 to 40. Numbers are small integers, so results are exact; what is outside of an image is the fill value.

  pack_images.py FOLDER [--cpu=NAME]
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
ACCUMULATORS = {"f32": "f32", "bf16": "f32", "f16": "f32", "f64": "f64", "i8": "i32"}

# Images, channels, results of each; sizes of an image; of the kernel; padding in front; dilation; type; fill.
CASES = [
    (2, 3, 5, (7, 13), (3, 3), (1, 1), 1, "f32", 0), (1, 2, 33, (5, 16), (3, 3), (1, 1), 1, "f32", 3),
    (2, 5, 4, (6, 17), (5, 3), (0, 2), 1, "bf16", 0), (3, 4, 20, (9, 15), (3, 3), (2, 2), 2, "bf16", 0),
    (1, 3, 6, (40,), (7,), (3,), 1, "f32", 0), (2, 3, 3, (31,), (4,), (0,), 3, "bf16", 2),
    (1, 2, 4, (4, 3, 5), (3, 2, 3), (1, 0, 1), 1, "f32", 0), (2, 6, 7, (8, 1), (3, 3), (1, 1), 1, "f32", 0),
    (1, 4, 3, (1, 19), (3, 5), (1, 2), 1, "f64", 0), (2, 7, 18, (10, 11), (3, 3), (1, 1), 1, "i8", 0),
    (1, 3, 5, (6, 33), (1, 3), (0, 4), 1, "f16", 0), (1, 70, 3, (5, 5), (3, 3), (1, 1), 1, "bf16", 0),
]  # fmt: skip


def save(path, x, t):
    kinds = {"f32": "f4", "f64": "f8", "f16": "f2", "i8": "i1"}
    np.save(path, (x.astype("f4").view("u4") >> 16).astype("u2") if t == "bf16" else x.astype(kinds[t]))


def tensor(shape, t):
    return f"tensor<{'x'.join(map(str, shape))}x{t}>"


def wanted(x, w, padding, dilation, fill):
    sizes = x.shape[2:]
    y = np.zeros((x.shape[0], w.shape[0], *sizes))
    far = [dilation * (k - 1) for k in w.shape[2:]]
    wide = np.full((*x.shape[:2], *(n + p + f for n, p, f in zip(sizes, padding, far))), fill)
    wide[(slice(None), slice(None), *(slice(p, p + n) for n, p in zip(sizes, padding)))] = x
    for at in itertools.product(*map(range, w.shape[2:])):
        part = wide[(slice(None), slice(None), *(slice(dilation * a, dilation * a + n) for a, n in zip(at, sizes)))]
        y += np.einsum("bc...,fc->bf...", part, w[(slice(None), slice(None), *at)])
    return y


def form(n, case):
    images, channels, results, sizes, kernel, padding, dilation, t, fill = case
    rng = np.random.default_rng(n)
    x, w = rng.integers(-4, 5, (images, channels, *sizes)), rng.integers(-4, 5, (results, channels, *kernel))
    total, rank = ACCUMULATORS[t], len(sizes)
    columns, own = [f"h{d}" for d in range(rank)], [f"m{d}" for d in range(rank)]
    shifted = ", ".join(f"{h} + {m} * {dilation} - {p}" for h, m, p in zip(columns, own, padding))
    row = tensor((int(np.prod(sizes)),), total)
    value = f"{fill}.0" if total[0] == "f" else fill
    text = f"""
  %e{n} = tensor.empty() : {tensor((images, results, *sizes), total)}
  %y{n} = sinter.contract (b = {images}, f = {results}) by ({", ".join(f"{h} = {s}" for h, s in zip(columns, sizes))})
      product (c = {channels}, {", ".join(f"{m} = {k}" for m, k in zip(own, kernel))})
      (%w{n}[f, c, {", ".join(own)}] : {tensor(w.shape, t)},
       %x{n}[b, c, {shifted}] : {tensor(x.shape, t)} else {value}) : {total}
      outs(%e{n}[b, f, {", ".join(columns)}] : {tensor((images, results, *sizes), total)}) {{
  ^row(%p: {row}):
    sinter.yield %p : {row}
  }}"""
    return text, x, w, wanted(x, w, padding, dilation, fill), t, total


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    forms = [form(n, case) for n, case in enumerate(CASES)]
    arguments, inputs = [], []
    for n, (_, x, w, _, t, _) in enumerate(forms):
        for name, array in (("x", x), ("w", w)):
            save(FOLDER / f"{name}{n}.npy", array, t)
            inputs.append(f"--input={FOLDER}/{name}{n}.npy")
            arguments.append(f"%{name}{n}: {tensor(array.shape, t)}")
    types = ", ".join(tensor(f[3].shape, f[5]) for f in forms)
    values = ", ".join(f"%y{n}" for n in range(len(forms)))
    program = FOLDER / "program.mlir"
    program.write_text(f"func.func @main({', '.join(arguments)}) -> ({types}) {{{''.join(f[0] for f in forms)}\n"
                       f"  return {values} : {types}\n}}\n")  # fmt: skip
    outputs = [FOLDER / f"y{n}.npy" for n in range(len(forms))]
    done = subprocess.run(["sinter-run", program, *sys.argv[2:], *inputs, *(f"--output={o}" for o in outputs)],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    wrong = [n for n, (f, o) in enumerate(zip(forms, outputs)) if not np.array_equal(np.load(o), f[3])]
    print(f"{len(forms)} convolutions, {len(wrong)} wrong", *(CASES[n] for n in wrong))


main()
