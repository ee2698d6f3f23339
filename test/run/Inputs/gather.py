"""Writes inputs and expected results of gather_*.mlir to a folder, computed in plain Python.

For `PROGRAM`, `in0.npy ...` and `out0.npy ...` stand in FOLDER/PROGRAM; in FOLDER/PROGRAM-BAD one index is BAD.
"""

import math
import os
import random
import struct
import sys

DTYPES = {"<f4": "f", "<i8": "q", "<i4": "i", "|b1": "?"}


def shape_of(x):
    return (len(x), *shape_of(x[0])) if isinstance(x, list) else ()


def flat(x):
    return [v for row in x for v in flat(row)] if isinstance(x, list) else [x]


def write(path, dtype, x):
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape_of(x)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = flat(x)
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%d%s" % (len(values), DTYPES[dtype]), *values))


def case(name, inputs, outputs=()):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    for kind, arrays in ("in", inputs), ("out", outputs):
        for k, (dtype, x) in enumerate(arrays):
            write(os.path.join(folder, f"{kind}{k}.npy"), dtype, x)


random.seed(0)


def floats(n, m):
    return [[struct.unpack("f", struct.pack("f", random.gauss(0, 1)))[0] for _ in range(m)] for _ in range(n)]


def indices(low, high, n, m):
    return [[random.randrange(low, high) for _ in range(m)] for _ in range(n)]


def at(row, k, otherwise=0):
    return row[k] if 0 <= k < len(row) else otherwise


# One that ends the row, one before it, and two that no process has memory at.
BAD = {"end": lambda n: n, "minus": lambda n: -1, "huge": lambda n: 2**40, "least": lambda n: -(2**62)}


def nll(name, x, t):
    losses = [-at([v - math.log(sum(map(math.exp, row))) for v in row], k) for row, k in zip(x, t)]
    valid = [loss for loss, k in zip(losses, t) if k != -100]
    case(name, [("<f4", x), ("<i8", t)], [("<f4", sum(valid) / len(valid))])


x, t = floats(7, 11), [3, 0, -100, 10, 5, -100, 5]
nll("nll", x, t)
for bad, index in BAD.items():
    nll(f"nll-{bad}", x, t[:4] + [index(11)] + t[5:])


def wrapped(name, e, t, u):
    def row(k):
        k = k + 9 if k < 0 else k
        return at(e, k, [0.0] * 4)

    case(name, [("<f4", e), ("<i8", t), ("<i8", u)], [("<f4", [[row(k)[l] for k, l in zip(*r)] for r in zip(t, u)])])


e, t, u = floats(9, 4), indices(-9, 9, 5, 3), indices(-4, 4, 5, 3)
wrapped("wrapped", e, t, u)
for bad, index in BAD.items():
    t[2][1] = index(9) - 9 * (bad == "minus")
    wrapped(f"wrapped-{bad}", e, t, u)

x, t = floats(6, 37), indices(0, 37, 6, 21)
case("asserted", [("<f4", x), ("<i8", t)], [("<f4", [[math.exp(r[k]) for k in s] for r, s in zip(x, t)])])
for bad, index in BAD.items():
    t[4][17] = index(37)
    case(f"asserted-{bad}", [("<f4", x), ("<i8", t)])

LITERAL = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 36]


def lanes(name, x, t):
    sums = [[at(r, k) + r[l] for k, l in zip(t, LITERAL)] for r in x]
    case(name, [("<f4", x), ("<i4", t)], [("<f4", sums),
                                          ("|b1", [[at([v < 0.5 for v in r], k, False) for k in t] for r in x])])


t = indices(0, 37, 1, 21)[0]
lanes("lanes", x, t)
for bad, index in BAD.items():
    t[3] = max(min(index(37), 2**31 - 1), -(2**31))
    lanes(f"lanes-{bad}", x, t)
