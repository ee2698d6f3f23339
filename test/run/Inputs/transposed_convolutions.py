"""Transposed convolutions against NumPy: each element of the image adds its weights to where they belong. Numbers are
small integers, so results are exact.

  transposed_convolutions.py FOLDER [OPTION OF sinter-run]...
"""
import itertools
import json
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
OPTIONS = sys.argv[2:]

# (sizes, taps, strides, padding, output padding, dilation, type, layout, kernels). Layouts: first and last are of the
# channels, groups has two groups, batch is first with a batch `?`. The last is how many kernels there are: two where
# zeros are inserted.
PROGRAMS = [
    ((7, 6), (3, 3), (2, 2), 1, 1, 1, "f32", "first", 1), ((7, 6), (4, 4), (2, 2), 1, 0, 1, "f32", "first", 1),
    ((5, 9), (2, 2), (2, 2), 0, 0, 1, "f32", "first", 1), ((5, 9), (3, 3), (3, 3), 0, 0, 1, "f32", "first", 1),
    ((5, 4), (5, 5), (2, 2), 2, 1, 1, "f32", "first", 1), ((5, 4), (5, 4), (3, 2), 1, 0, 1, "f32", "first", 1),
    ((5, 4), (4, 5), (2, 3), 1, 0, 1, "f64", "first", 1), ((6, 5), (3, 3), (2, 1), 1, 1, 1, "f32", "first", 1),
    ((6, 5), (3, 3), (2, 1), 1, 0, 1, "f32", "first", 2), ((16,), (7,), (4,), 2, 1, 1, "f32", "first", 1),
    ((17,), (8,), (4,), 2, 0, 1, "f32", "first", 1), ((17,), (9,), (3,), 3, 0, 1, "f32", "last", 1),
    ((3, 4, 2), (3, 3, 3), (2, 2, 2), 1, 1, 1, "f32", "first", 1),
    ((3, 4, 2), (4, 2, 3), (2, 2, 2), 1, 1, 1, "f32", "first", 2),
    ((7, 6), (3, 3), (2, 2), 1, 1, 1, "f32", "last", 1), ((7, 6), (4, 4), (2, 2), 1, 0, 1, "f32", "last", 1),
    ((5, 4), (4, 3), (2, 2), 1, 1, 1, "f32", "last", 2), ((5, 4), (4, 3), (2, 2), 0, 0, 1, "f32", "last", 2),
    ((7, 6), (3, 3), (2, 2), 1, 1, 1, "f32", "groups", 1), ((7, 6), (4, 4), (2, 2), 1, 0, 1, "f32", "groups", 1),
    ((7, 6), (4, 4), (2, 2), 1, 0, 1, "f32", "batch", 1), ((7, 6), (3, 3), (2, 2), 1, 1, 1, "f32", "batch", 1),
    ((9, 8), (3, 2), (2, 2), 1, 1, 3, "f32", "first", 2), ((8, 9), (3, 3), (2, 2), 1, 1, 3, "f32", "first", 1),
    ((9, 8), (3, 3), (2, 2), 0, 1, 2, "f32", "first", 2),
    ((9,), (4,), (3,), 1, 0, 2, "f32", "first", 2), ((9,), (5,), (3,), 1, 2, 2, "f32", "first", 1),
    ((9,), (5,), (3,), 1, 0, 2, "f32", "first", 2),
    ((4, 4), (1, 1), (2, 2), 0, 1, 1, "f32", "first", 1), ((40, 33), (4, 4), (2, 2), 1, 0, 1, "f32", "first", 1),
]  # fmt: skip


def outer(sizes, taps, strides, padding, more, dilation):
    return [(n - 1) * s - 2 * padding + dilation * (k - 1) + 1 + more for n, k, s in zip(sizes, taps, strides)]


def expected(x, w, strides, padding, dilation, out):
    """x [n, g, c, ...], w [g, c, f, ...] -> [n, g, f, ...]"""
    taps, sizes = w.shape[3:], x.shape[3:]
    space = (o + 2 * padding + dilation * k + s for o, k, s in zip(out, taps, strides))
    wide = np.zeros((*x.shape[:2], w.shape[2], *space))
    for at in itertools.product(*map(range, taps)):
        to = tuple(slice(dilation * a, dilation * a + s * n, s) for a, s, n in zip(at, strides, sizes))
        wide[(..., *to)] += np.einsum("ngc...,gcf->ngf...", x, w[(..., *at)])
    return wide[(..., *(slice(padding, padding + o) for o in out))]


def tensor(shape, t):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{t}>"


def program(k, x, w, b, y, p):
    """As torch-mlir writes it: w turned around, x with zeros, a convolution with stride 1."""
    sizes, taps, strides, padding, more, dilation, t, layout, _ = p
    d, grouped = len(sizes), layout == "groups"
    batch = "?" if layout == "batch" else x.shape[0]
    last = layout == "last"
    turned = [w.shape[1], w.shape[0], *taps] if not grouped else [2, w.shape[2], w.shape[1], *taps]
    low = [dilation * (n - 1) - padding for n in taps]
    wide = [o + dilation * (n - 1) for o, n in zip(y.shape[1:-1] if last else y.shape[-d:], taps)]
    xs, ys = [batch, *x.shape[1:]], [batch, *y.shape[1:]]
    zs = [batch, *wide, x.shape[-1]] if last else [batch, *x.shape[1:-d], *wide]
    rank = len(turned)
    at = [f"%i{n}" for n in range(rank)]
    read = ([at[0]] if grouped else []) + [at[rank - d - 1], at[rank - d - 2]] + [f"%r{n}" for n in range(d)]
    names = lambda *v: ", ".join(v)
    parallel = lambda n: names(*['"parallel"'] * n)
    space, tap = [f"o{n}" for n in range(d)], [f"t{n}" for n in range(d)]
    where = [f"{o} + {a} * {dilation}" for o, a in zip(space, tap)]
    group = ["g"] if grouped else []
    loops = ["n", *group, "f", *space, "c", *tap] if not last else ["n", *space, "f", "c", *tap]
    of_x = ["n", *group, "c", *where] if not last else ["n", *where, "c"]
    of_y = ["n", *group, "f", *space] if not last else ["n", *space, "f"]
    kinds = names(*(f'"{"reduction" if v in ["c", *tap] else "parallel"}"' for v in loops))
    maps = names(*(f"affine_map<({names(*loops)}) -> ({names(*m)})>" for m in (of_x, [*group, "f", "c", *tap], of_y)))
    offsets = [0, *low, 0] if last else [0] * (len(zs) - d) + low
    steps = [1, *strides, 1] if last else [1] * (len(zs) - d) + list(strides)
    known = f"{batch}" if batch != "?" else "%n"
    inserted = [known, *xs[1:]]
    many = "%n" if batch == "?" else ""
    e = f"%e{many and '(%n)'}"
    all_maps = f"affine_map<({names(*of_y)}) -> ({names(*of_y)})>"
    bias = f"affine_map<({names(*of_y)}) -> ({names(*group, 'f')})>"
    lines = [
        f"func.func @main(%x: {tensor(xs, t)}, %w: {tensor(w.shape, t)}, %b: {tensor(b.shape, t)}) -> "
        f"{tensor(ys, t)} {{",
        f"  %z = arith.constant 0.0 : {t}", "  %c0 = arith.constant 0 : index",
        *([f"  %n = tensor.dim %x, %c0 : {tensor(xs, t)}"] if many else []),
        *(f"  %l{n} = arith.constant {taps[n] - 1} : index" for n in range(d)),
        f"  %we = tensor.empty() : {tensor(turned, t)}",
        f"  %wt = linalg.generic {{indexing_maps = [affine_map<({names(*(f'd{n}' for n in range(rank)))}) -> "
        f"({names(*(f'd{n}' for n in range(rank)))})>], iterator_types = [{parallel(rank)}]}} "
        f"outs(%we : {tensor(turned, t)}) {{",
        f"  ^bb0(%o: {t}):",
        *(f"    {at[n]} = linalg.index {n} : index" for n in range(rank)),
        *(f"    %r{n} = arith.subi %l{n}, {at[rank - d + n]} : index" for n in range(d)),
        f"    %v = tensor.extract %w[{names(*read)}] : {tensor(w.shape, t)}",
        f"    linalg.yield %v : {t}",
        f"  }} -> {tensor(turned, t)}",
        f"  %ze = tensor.empty({many}) : {tensor(zs, t)}",
        f"  %zz = linalg.fill ins(%z : {t}) outs(%ze : {tensor(zs, t)}) -> {tensor(zs, t)}",
        f"  %xs = tensor.insert_slice %x into %zz{offsets} [{names(*map(str, inserted))}] {steps} : "
        f"{tensor(xs, t)} into {tensor(zs, t)}",
        f"  %ye = tensor.empty({many}) : {tensor(ys, t)}",
        f"  %yz = linalg.fill ins(%z : {t}) outs(%ye : {tensor(ys, t)}) -> {tensor(ys, t)}",
        f"  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        f"ins(%xs, %wt : {tensor(zs, t)}, {tensor(turned, t)}) outs(%yz : {tensor(ys, t)}) {{",
        f"  ^bb0(%p: {t}, %q: {t}, %o: {t}):",
        f"    %m = arith.mulf %p, %q : {t}", f"    %s = arith.addf %o, %m : {t}", f"    linalg.yield %s : {t}",
        f"  }} -> {tensor(ys, t)}",
        f"  %r = linalg.generic {{indexing_maps = [{all_maps}, {bias}, {all_maps}], iterator_types = "
        f"[{parallel(len(of_y))}]}} ins(%y, %b : {tensor(ys, t)}, {tensor(b.shape, t)}) "
        f"outs(%ye : {tensor(ys, t)}) {{",
        f"  ^bb0(%p: {t}, %q: {t}, %o: {t}):",
        f"    %a = arith.addf %p, %q : {t}", f"    %m = arith.maximumf %a, %z : {t}", f"    linalg.yield %m : {t}",
        f"  }} -> {tensor(ys, t)}",
        f"  return %r : {tensor(ys, t)}",
        "}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def run(k, p):
    sizes, taps, strides, padding, more, dilation, t, layout, kernels = p
    rng, d = np.random.default_rng(k), len(sizes)
    integers = lambda *shape: rng.integers(-3, 4, shape).astype({"f32": "f4", "f64": "f8"}[t])
    groups, n, c, f = 2 if layout == "groups" else 1, 3, 5, 6
    x, w, b = integers(n, groups, c, *sizes), integers(groups, c, f, *taps), integers(groups, f)
    y = expected(x, w, strides, padding, dilation, outer(sizes, taps, strides, padding, more, dilation))
    y = np.maximum(y + b.reshape(1, groups, f, *[1] * d), 0).astype(x.dtype)
    if layout == "last":
        x, y = (np.moveaxis(v[:, 0], 1, -1) for v in (x, y))
    elif layout != "groups":
        x, y = x[:, 0], y[:, 0]
    if layout != "groups":
        w, b = w[0], b[0]
    path = FOLDER / str(k)
    path.with_suffix(".mlir").write_text(program(k, x, w, b, y, p))
    inputs = []
    for name, v in (("x", x), ("w", w), ("b", b), ("y", y)):
        np.save(f"{path}{name}.npy", np.ascontiguousarray(v))
        inputs.append(f"--{'expect' if name == 'y' else 'input'}={path}{name}.npy")
    out = subprocess.run(["sinter-run", path.with_suffix(".mlir"), "--policy=aggressive", "--tolerance=1e-30",
                          "--stats", *inputs, *OPTIONS], capture_output=True, text=True)  # fmt: skip
    stats = [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]
    made = stats[0]["kernels"] if stats else 0
    if out.returncode or made != kernels:
        print(p, f"{made} kernels", out.stdout[-300:], out.stderr[-800:])
        return True
    return False


FOLDER.mkdir(parents=True, exist_ok=True)
print(f"{len(PROGRAMS)} programs, {sum(run(k, p) for k, p in enumerate(PROGRAMS))} wrong")
