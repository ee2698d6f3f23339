"""Maxima and minima of rows that hold a NaN in each of their places, infinities, zeros of both signs, against NumPy.

    extrema.py SINTER-CC FOLDER [OPTION ...]

Lengths are around what vectors have and what steps of several have. Results are compared as numbers: of zeros either
sign is right.
"""

import os
import subprocess
import sys

import numpy as np

import library

TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
LENGTHS = [1, 3, 7, 8, 9, 15, 16, 17, 31, 40, 64, 71, 130]
OPS = {"maximumf": np.max, "minimumf": np.min}
BITS = {"f16": ("0xFC00", "0x7C00"), "f32": ("0xFF800000", "0x7F800000"),
        "f64": ("0xFFF0000000000000", "0x7FF0000000000000")}  # fmt: skip


def function(name, op, t, columns):
    x = f"tensor<?x{columns}x{t}>"
    return f"""func.func @{name}(%x: {x}) -> tensor<?x{t}> {{
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : {x}
  %least = arith.constant {BITS[t][op == "minimumf"]} : {t}
  %e = tensor.empty(%m) : tensor<?x{t}>
  %f = linalg.fill ins(%least : {t}) outs(%e : tensor<?x{t}>) -> tensor<?x{t}>
  %r = linalg.reduce {{ arith.{op} }} ins(%x : {x}) outs(%f : tensor<?x{t}>) dimensions = [1]
  return %r : tensor<?x{t}>
}}
"""


def rows(rng, t, n):
    """Row i has its NaN in column i; then rows of none, of infinities and of zeros."""
    x = rng.standard_normal((n + 4, n)).astype(TYPES[t])
    x[np.arange(n), np.arange(n)] = np.nan
    x[n + 1, rng.integers(n)], x[n + 1, rng.integers(n)] = np.inf, -np.inf
    x[n + 2] = np.where(rng.random(n) < 0.5, 0.0, -0.0)
    x[n + 3] = -np.inf
    return x


def main():
    compiler, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    rng, done, bad = np.random.default_rng(5), 0, 0
    source, target = os.path.join(folder, "extrema.mlir"), os.path.join(folder, "extrema.so")
    cases = [(op, t, n, any_length) for op in OPS for t in TYPES for n in LENGTHS for any_length in (False, True)]
    names = {case: f"{case[0]}_{case[1]}_{'any' if case[3] else case[2]}" for case in cases}
    with open(source, "w") as f:
        f.write("\n".join({name: function(name, op, t, "?" if any_length else n)
                           for (op, t, n, any_length), name in names.items()}.values()))
    subprocess.run([compiler, source, "-o", target, *options], check=True)
    functions = library.load(os.path.abspath(target))
    for case, name in names.items():
        op, t, n, _ = case
        x = rows(rng, t, n)
        got, want = functions[name](x, shapes=[(len(x),)])[0], OPS[op](x, axis=1)
        done += 1
        if not np.array_equal(got, want, equal_nan=True):
            bad += 1
            print(f"FAIL {name} of {n}: rows {np.flatnonzero(~((got == want) | (np.isnan(got) & np.isnan(want))))}")
    print(f"{done} reductions, {bad} wrong")


if __name__ == "__main__":
    main()
