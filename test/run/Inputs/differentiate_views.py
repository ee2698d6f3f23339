"""Gradients by sides of products that are read in every way: slices, diagonals, backwards, through index tensors.

    differentiate_views.py SINTER-RUN FOLDER [options of sinter-run]

Each program is linear in what it is differentiated by, so one step of 1 for each element gives the gradient, in NumPy.
"""

import itertools
import os
import subprocess
import sys

import numpy as np

FORM = '''func.func @main({arguments}, %e: tensor<{result}xf64>) -> tensor<{result}xf64> {{
  %y = sinter.contract ({rows}) by ({columns}) product ({own}) ({left}, {right}) : f64
      outs(%e[{place}] : tensor<{result}xf64>) {{
  ^row(%acc: tensor<{length}xf64>):
    sinter.yield %acc : tensor<{length}xf64>
  }}
  return %y : tensor<{result}xf64>
}}
'''


def form(left, right, rows, columns, own, extra="", dynamic=()):
    """left, right: (name, subscripts, sizes); sizes of dimensions by name."""
    rows, columns, own = (dict(d) for d in (rows, columns, own))
    points = {**rows, **columns}

    def size(d, n):
        return f"{d} = {'?' if d in dynamic else n}"

    def tensor(shape):
        return "x".join(map(str, shape))

    def side(name, subscripts, shape):
        return f"%{name}[{subscripts}] : tensor<{tensor(shape)}xf64>"

    arguments = [f"%{name}: tensor<{tensor(shape)}xf64>" for name, _, shape in (left, right)]
    return FORM.format(
        arguments=", ".join(arguments + ([extra] if extra else [])), left=side(*left), right=side(*right),
        rows=", ".join(size(*d) for d in rows.items()), columns=", ".join(size(*d) for d in columns.items()),
        own=", ".join(size(*d) for d in own.items()), place=", ".join(points),
        result=tensor("?" if d in dynamic else n for d, n in points.items()),
        length="?" if set(columns) & set(dynamic) else int(np.prod(list(columns.values()))))  # fmt: skip


def every(sizes, f):
    """The tensor of f(i, j, ..)."""
    return np.array([f(*at) for at in itertools.product(*map(range, sizes))]).reshape(sizes)


IJ = {"i": 4}, {"j": 6}, {"k": 3}
CASES = {
    "diagonal": (form(("w", "i, k", (4, 3)), ("x", "j + k, j", (8, 8)), *IJ),
                 lambda w, x: np.einsum("ik,kj->ij", w, every((3, 6), lambda k, j: x[j + k, j]))),
    "heads": (form(("w", "h, i, k", (4, 5, 3)), ("x", "j, (h floordiv 2) * 3 + k", (6, 6)), {"h": 4, "i": 5}, {"j": 6},
                   {"k": 3}), lambda w, x: np.einsum("hik,jhk->hij", w, x.reshape(6, 2, 3)[:, [0, 0, 1, 1]])),
    "odd heads": (form(("w", "h, i, k", (5, 5, 3)), ("x", "j, (h floordiv 2) * 3 + k", (6, 9)), {"h": 5, "i": 5},
                       {"j": 6}, {"k": 3}),
                  lambda w, x: np.einsum("hik,jhk->hij", w, x.reshape(6, 3, 3)[:, [0, 0, 1, 1, 2]])),
    "some heads": (form(("w", "h, i, k", (4, 5, 3)), ("x", "j, (h floordiv 2) * 3 + k", (6, 9)), {"h": 4, "i": 5},
                        {"j": 6}, {"k": 3}),
                   lambda w, x: np.einsum("hik,jhk->hij", w, x.reshape(6, 3, 3)[:, [0, 0, 1, 1]])),
    "skips": (form(("w", "i, k * 2 + 1", (4, 12)), ("x", "j + k", (16,)), *IJ),
              lambda w, x: np.einsum("ik,kj->ij", w[:, 1:7:2], every((3, 6), lambda k, j: x[j + k]))),
    "part": (form(("w", "i, k + 2", (2, 9)), ("x", "j + k", (10,)), {"i": 2}, {"j": 8}, {"k": 3}),
             lambda w, x: np.einsum("ik,kj->ij", w[:, 2:5], every((3, 8), lambda k, j: x[j + k]))),
    "backwards": (form(("w", "i, 4 - k", (4, 7)), ("x", "j, k", (6, 3)), *IJ),
                  lambda w, x: w[:, [4, 3, 2]] @ x.T),
    "packed": (form(("w", "i, 1, k", (4, 2, 3)), ("x", "2, j, k", (3, 6, 3)), *IJ), lambda w, x: w[:, 1] @ x[2].T),
    "digits": (form(("w", "i, k", (4, 3)), ("x", "1, j floordiv 3, j mod 3, k", (3, 2, 3, 3)), *IJ),
              lambda w, x: w @ x[1].reshape(6, 3).T),
    "unused": (form(("w", "k", (3,)), ("x", "j, k", (6, 3)), *IJ), lambda w, x: np.tile(x @ w, (4, 1))),
    "through": (form(("w", "i, k", (4, 3)), ("x", "%t[j] : tensor<6xi64>, k", (5, 3)), *IJ, extra="%t: tensor<6xi64>"),
                lambda w, x, t: w @ x[t].T),
    "through_both": (form(("w", "%t[i] : tensor<6xi64>, k", (5, 3)), ("x", "%t[j] : tensor<6xi64>, k", (5, 3)),
                          {"i": 6}, {"j": 6}, {"k": 3}, extra="%t: tensor<6xi64>"),
                     lambda w, x, t: w[t] @ x[t].T),
    "through_sum": (form(("w", "i, k", (4, 6)), ("x", "j, %t[k] : tensor<6xi64>", (6, 5)), {"i": 4}, {"j": 6},
                         {"k": 6}, extra="%t: tensor<6xi64>"), lambda w, x, t: w @ x[:, t].T),
    "fewer_heads": (form(("w", "h, i, d", (7, "?", 2)), ("x", "h floordiv 4, j, d", (2, 3, 2)), {"h": 7, "i": 5},
                         {"j": 3}, {"d": 2}, dynamic="i"),
                    lambda w, x: np.einsum("hid,hjd->hij", w, x[[0, 0, 0, 0, 1, 1, 1]])),
    "dynamic_packed": (form(("w", "1, i, k", (3, "?", 3)), ("x", "j, 0, k", ("?", 2, 3)), {"i": 4}, {"j": 6}, {"k": 3},
                            dynamic="ij"), lambda w, x: w[1] @ x[:, 0].T),
    "dynamic_heads": (form(("w", "b, i, g * 2 + h, k", ("?", 5, 4, 3)), ("x", "j, g, k", (6, 2, 3)),
                           {"b": 4, "g": 2, "h": 2, "i": 5}, {"j": 6}, {"k": 3}, dynamic="b"),
                      lambda w, x: np.einsum("bighk,jgk->bghij", w.reshape(4, 5, 2, 2, 3), x)),
}  # fmt: skip


def shapes(text):
    """Of the first two arguments; what is not known has the size of its letter."""
    found = []
    for name in "wx":
        sizes = text.split(f"%{name}: tensor<")[1].split("xf64>")[0].split("x")
        found.append([5 if n == "?" and name == "w" and "h = 7" in text else
                      4 if n == "?" and name == "w" else 6 if n == "?" else int(n) for n in sizes])  # fmt: skip
    return found


def gradient(f, given, k, upstream):
    base, found = f(*given), np.empty(given[k].size)
    for n in range(given[k].size):
        moved = [v.copy() for v in given]
        moved[k].flat[n] += 1
        found[n] = (upstream * (f(*moved) - base)).sum()
    return found.reshape(given[k].shape)


def main():
    runner, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    rng, wrong = np.random.default_rng(7), 0
    for name, (text, f) in CASES.items():
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w") as file:
            file.write(text)
        given = [rng.standard_normal(s) for s in shapes(text)]
        if "%t:" in text:
            given.append(rng.integers(0, 5, 6))
        y = f(*given)
        upstream = rng.standard_normal(y.shape)
        want = [y, gradient(f, given, 0, upstream), gradient(f, given, 1, upstream)]
        files = []
        for kind, values in ("input", [*given, np.zeros(y.shape), upstream]), ("expect", want):
            for k, v in enumerate(values):
                np.save(f"{path}-{kind}{k}.npy", v)
                files.append(f"--{kind}={path}-{kind}{k}.npy")
        said = subprocess.run([runner, path + ".mlir", "--wrt=0,1", "--upstream", "--element-tolerance=1e-12,1e-12",
                               "--quiet", *files, *options], capture_output=True, text=True)  # fmt: skip
        if said.returncode:
            wrong += 1
            print(f"{name}: {(said.stderr or said.stdout).strip()[:600]}")
    print(f"{len(CASES)} programs, {wrong} wrong")
    return wrong or not CASES


sys.exit(main())
