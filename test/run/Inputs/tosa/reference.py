#!/usr/bin/env python3
"""Makes the inputs and, with NumPy in float64, what each program here must give: NAME/inK.npy, NAME/out0.npy.

  test/run/Inputs/tosa/reference.py [DIR]
"""
import pathlib
import sys

import numpy as np


def linear_relu(x, w, b):
    return np.clip(x @ w + b, 0, 1)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def conv2d(x, w, b):
    x = np.pad(x, ((0, 0), (1, 1), (1, 0), (0, 0)))
    n, h, v = x.shape[0], (x.shape[1] - 3) // 2 + 1, (x.shape[2] - 3) // 2 + 1
    y = np.zeros((n, h, v, w.shape[0]))
    for i in range(h):
        for j in range(v):
            window = x[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3, :]
            y[:, i, j, :] = np.einsum("nhwc,ohwc->no", window, w)
    return np.tanh(y + b)


PROGRAMS = [
    (linear_relu, [(1, 7, 6), (1, 6, 5), (1, 1, 5)]),
    (softmax, [(5, 9)]),
    (conv2d, [(2, 7, 6, 3), (4, 3, 3, 3), (4,)]),
]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for program, shapes in PROGRAMS:
        random = np.random.default_rng(7)
        inputs = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        case = folder / program.__name__
        case.mkdir(parents=True, exist_ok=True)
        for k, x in enumerate(inputs):
            np.save(case / f"in{k}.npy", x)
        np.save(case / "out0.npy", program(*(x.astype(np.float64) for x in inputs)))


if __name__ == "__main__":
    main()
