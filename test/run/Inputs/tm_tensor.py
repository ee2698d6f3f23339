"""torch-mlir's scans, sorts, scatters and attention in a library, against NumPy.

    tm_tensor.py SINTER-CC FOLDER [--policy=disabled]

Sizes are small and odd; indices repeat, values tie, dimensions are the first, a middle one and the last.
"""

import argparse
import os
import subprocess
import sys

import numpy as np

import library

NAMES = {"float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "bool": "i1"}


def t(x):
    return f"tensor<{''.join(f'{d}x' for d in x.shape)}{NAMES[x.dtype.name]}>"


def dynamic(x):
    return f"tensor<{'?x' * x.ndim}{NAMES[x.dtype.name]}>"


# ---- scatter -----------------------------------------------------------------------------------

COMBINE = {"add": ("arith.addf %q, %p", lambda p, q: q + p), "last": (None, lambda p, q: p),
           "max": ("arith.maximumf %p, %q", np.maximum), "order": ("arith.subf %p, %q", lambda p, q: p - q)}


def scatter(shape, update, depth, combine, dims=None, seed=0, static=True, bad=None, unique=False,
            filled=None, each=None):
    rng = np.random.default_rng(seed)
    dims = list(range(depth)) if dims is None else dims
    n, rest = update[0], update[1:]
    x, u = rng.standard_normal(shape).astype("f4"), rng.standard_normal(update).astype("f4")
    offset = len(shape) - len(rest)
    index = np.stack([rng.integers(0, shape[d] - (rest[d - offset] if d >= offset else 1) + 1, n) for d in dims],
                     1).astype("i8")
    if filled is not None:
        x[...] = filled
    if each is not None:
        u[...] = each
    if unique:
        index = np.stack(np.unravel_index(rng.permutation(np.prod(shape))[:n], shape), 1).astype("i8")
    if bad is not None and n:
        index[n // 2, 0] = bad
    want = x.copy()
    for k in range(n if bad is None else 0):
        for where in np.ndindex(*rest):
            to = [0] * len(shape)
            for d, w in enumerate(where):
                to[offset + d] = w
            for c, d in enumerate(dims):
                to[d] += index[k, c]
            want[tuple(to)] = COMBINE[combine][1](u[(k, *where)], want[tuple(to)])
    body = COMBINE[combine][0]
    a = t if static else lambda v: dynamic(v).replace("?x?xi64", f"?x{depth}xi64")
    if static == "places":
        a = lambda v: t(v) if v is x else dynamic(v).replace("?x?xi64", f"?x{depth}xi64")
    text = f"""(%u: {a(u)}, %t: {a(index)}, %x: {a(x)}) -> {a(x)} {{
  %y = tm_tensor.scatter {{dimension_map = array<i64: {", ".join(map(str, dims))}>}}
      unique_indices({str(unique).lower()}) ins(%u, %t : {a(u)}, {a(index)}) outs(%x : {a(x)}) {{
  ^one(%p: f32, %q: f32):
    {"%s = " + body + " : f32" if body else ""}
    tm_tensor.yield {"%s" if body else "%p"} : f32
  }} -> {a(x)}
  return %y : {a(x)}
}}
"""
    if filled is not None:
        made = f"""  %c = arith.constant {filled:e} : f32
  %e = tensor.empty() : {t(x)}
  %x = linalg.fill ins(%c : f32) outs(%e : {t(x)}) -> {t(x)}
"""
        text = text.replace(f", %x: {a(x)}", "").replace("  %y =", made + "  %y =")
    if each is not None:  # as many as there are indices
        sizes = "(%n)" if "?" in a(u) else "()"
        made = f"""  %zero = arith.constant 0 : index
  %n = tensor.dim %t, %zero : {a(index)}
  %d = arith.constant {each:e} : f32
  %f = tensor.empty{sizes} : {a(u)}
  %u = linalg.fill ins(%d : f32) outs(%f : {a(u)}) -> {a(u)}
"""
        text = text.replace(f"%u: {a(u)}, ", "").replace("  %y =", made + "  %y =")
    return text, [u] * (each is None) + [index] + [x] * (filled is None), [want if bad is None else None]


# ---- sort and topk --------------------------------------------------------------------------------

PREDICATES = {"oge": True, "ole": False, "ogt": True, "olt": False}


def sort(shape, dim, predicate, seed=0, static=True, first=None):
    """All in order; of `first` places along the dimension, those alone."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, shape).astype("f4")
    i = np.broadcast_to(np.arange(shape[dim]).reshape([-1] + [1] * (len(shape) - dim - 1)), shape).astype("i8").copy()
    order = np.argsort(-x if PREDICATES[predicate] else x, axis=dim, kind="stable")
    a = t if static else dynamic
    text = f"""(%x: {a(x)}, %i: {a(i)}) -> ({a(x)}, {a(i)}) {{
  %v:2 = tm_tensor.sort dimension({dim}) outs(%x, %i : {a(x)}, {a(i)}) {{
  ^one(%p: f32, %q: f32, %s: i64, %r: i64):
    %l = arith.cmpf {predicate}, %p, %q : f32
    tm_tensor.yield %l : i1
  }} -> {a(x)}, {a(i)}
"""
    wants = [np.take_along_axis(x, order, dim), np.take_along_axis(i, order, dim)]
    if first is None:
        return f"{text}  return %v#0, %v#1 : {a(x)}, {a(i)}\n}}\n", [x, i], wants
    wants = [w.take(range(first), axis=dim) for w in wants]
    assert static
    ones, zeros = [1] * len(shape), [0] * len(shape)
    for k, (v, w) in enumerate(zip((x, i), wants)):
        text += f"  %f{k} = tensor.extract_slice %v#{k}{zeros} {list(w.shape)} {ones} : {t(v)} to {t(w)}\n"
    text += f"  return %f0, %f1 : {t(wants[0])}, {t(wants[1])}\n}}\n"
    return text.replace(f"-> ({t(x)}, {t(i)})", f"-> ({t(wants[0])}, {t(wants[1])})"), [x, i], wants


def sort_odd(rows, n, odd, predicate="ole", seed=0):
    """Elements that are no numbers, which nothing goes before: none is lost, so places in order are all of them."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, n)).astype("f4")
    x[0, rng.permutation(n)[:odd]] = np.nan
    i = np.broadcast_to(np.arange(n), (rows, n)).astype("i8").copy()
    text = f"""(%x: {t(x)}, %i: {t(i)}) -> {t(i)} {{
  %v:2 = tm_tensor.sort dimension(1) outs(%x, %i : {t(x)}, {t(i)}) {{
  ^one(%p: f32, %q: f32, %s: i64, %r: i64):
    %l = arith.cmpf {predicate}, %p, %q : f32
    tm_tensor.yield %l : i1
  }} -> {t(x)}, {t(i)}
  %w = tm_tensor.sort dimension(1) outs(%v#1 : {t(i)}) {{
  ^one(%p: i64, %q: i64):
    %l = arith.cmpi slt, %p, %q : i64
    tm_tensor.yield %l : i1
  }} -> {t(i)}
  return %w : {t(i)}
}}
"""
    return text, [x, i], [i]


def sort_gradient(rows, n, first, predicate, seed=0):
    """Of the sum of w[t] times the t-th of each row, of which there are `first`, by all: w where each came from."""
    rng = np.random.default_rng(seed)
    x, w = rng.integers(-4, 5, (rows, n)).astype("f4"), rng.standard_normal((rows, first)).astype("f4")
    order = np.argsort(-x if PREDICATES[predicate] else x, axis=1, kind="stable")[:, :first]
    dx = np.zeros_like(x)
    np.put_along_axis(dx, order, w, 1)
    maps = "indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>]"
    text = f"""(%x: {t(x)}, %w: {t(w)}) -> {t(x)} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %v = tm_tensor.sort dimension(1) outs(%x : {t(x)}) {{
  ^one(%p: f32, %q: f32):
    %l = arith.cmpf {predicate}, %p, %q : f32
    tm_tensor.yield %l : i1
  }} -> {t(x)}
  %f = tensor.extract_slice %v[0, 0] [{rows}, {first}] [1, 1] : {t(x)} to {t(w)}
  %s = linalg.generic {{{maps}, iterator_types = ["reduction", "reduction"]}}
      ins(%f, %w : {t(w)}, {t(w)}) outs(%z : tensor<f32>) {{
  ^one(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  }} -> tensor<f32>
  %d = sinter.differentiate %s wrt(%x) : (tensor<f32>, {t(x)}) -> {t(x)}
  return %d : {t(x)}
}}
"""
    return text, [x, w], [dx]


def topk(shape, dim, k, predicate, given, seed=0, static=True):
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, shape).astype("f4")
    out = shape[:dim] + (k,) + shape[dim + 1 :]
    down = PREDICATES[predicate]
    order = np.argsort(-x if down else x, axis=dim, kind="stable").take(range(k), axis=dim)
    values, worst = np.take_along_axis(x, order, dim), np.full(out, -np.inf if down else np.inf, "f4")
    last = np.full(out, 2**31 - 1, "i4")
    i = np.broadcast_to(np.arange(shape[dim]).reshape([-1] + [1] * (len(shape) - dim - 1)), shape).astype("i4") + 100
    a = t if static else dynamic
    ins = [x] + [i] * given
    names = ["%x", "%i"][: len(ins)]
    given_as = ", ".join(f"{n}: {a(v)}" for n, v in zip(names, ins))
    text = f"""({given_as}, %v: {a(worst)}, %n: {a(last)}) -> ({a(worst)}, {a(last)}) {{
  %r:2 = tm_tensor.topk dimension({dim}) ins({", ".join(names)} : {", ".join(map(a, ins))})
      outs(%v, %n : {a(worst)}, {a(last)}) {{
  ^one(%p: f32, %q: f32):
    %l = arith.cmpf {predicate}, %p, %q : f32
    tm_tensor.yield %l : i1
  }} -> {a(worst)}, {a(last)}
  return %r#0, %r#1 : {a(worst)}, {a(last)}
}}
"""
    return text, [*ins, worst, last], [values, order.astype("i4") + 100 * given]


# ---- scan, attention --------------------------------------------------------------------------------

def scan(shape, dim, inclusive, seed=0, static=True):
    """Both results: what there is so far, and in the end."""
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal(shape).astype("f4"), rng.standard_normal(shape[:dim] + shape[dim + 1 :]).astype("f4")
    first = x if inclusive else np.concatenate([np.expand_dims(z, dim), x.take(range(shape[dim] - 1), axis=dim)], dim)
    y = np.cumsum(first, axis=dim, dtype="f4")
    end = y.take(-1, axis=dim) if shape[dim] > 1 else z
    tx, tz = (t(x), t(z)) if static else (dynamic(x), dynamic(z))
    text = f"""(%x: {tx}, %z: {tz}) -> ({tx}, {tz}) {{
  %s:2 = tm_tensor.scan dimension({dim}) inclusive({str(inclusive).lower()})
      ins(%x : {tx}) outs(%x, %z : {tx}, {tz}) {{
  ^one(%p: f32, %q: f32):
    %a = arith.addf %p, %q : f32
    tm_tensor.yield %a : f32
  }} -> {tx}, {tz}
  return %s#0, %s#1 : {tx}, {tz}
}}
"""
    return text, [x, z], [y, end]


def attention(batch, m, n, d, e, mask, static=True, seed=0):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((*batch, *s)).astype("f4") for s in ((m, d), (n, d), (n, e)))
    ins, s = [q, k, v], q.astype("f8") @ np.swapaxes(k, -1, -2).astype("f8") / np.sqrt(d)
    if mask == "bool":
        ins.append(rng.random((*batch, m, n)) < 0.5)
        ins[3][..., m // 2, :] = False  # nothing is seen
        s = np.where(ins[3], s, -np.inf)
    elif mask:
        ins.append(rng.standard_normal((*batch, m, n)).astype("f4"))
        s = s + ins[3]
    with np.errstate(invalid="ignore"):
        p = np.exp(s - np.where(np.isinf(s.max(-1, keepdims=True)), 0, s.max(-1, keepdims=True)))
        z = p.sum(-1, keepdims=True)
        p = np.where(z == 0, 0, p / z)
    y = (p @ v.astype("f8")).astype("f4")
    a = t if static else dynamic
    names = ["%q", "%k", "%v", "%m"][: len(ins)]
    text = f"""({", ".join(f"{n}: {a(x)}" for n, x in zip(names, ins))}, %e: {a(y)}) -> {a(y)} {{
  %y = tm_tensor.attention ins({", ".join(names)} : {", ".join(map(a, ins))}) outs(%e : {a(y)}) -> {a(y)}
  return %y : {a(y)}
}}
"""
    return text, [*ins, np.zeros_like(y)], [y]


CASES = {
    "scatter_rows": scatter((9, 5), (7, 5), 1, "add"),
    "scatter_pieces": scatter((9, 96), (40, 96), 1, "add"),
    "scatter_pieces_of_more": scatter((3, 5, 64), (11, 64), 2, "order"),
    "scatter_dimension": scatter((9, 4, 5), (13, 4, 5), 1, "order"),
    "scatter_elements": scatter((7,), (31,), 1, "add"),
    "scatter_points": scatter((3, 4, 5), (31,), 3, "order"),
    "scatter_last": scatter((3, 4), (31,), 2, "last"),
    "scatter_unique": scatter((7, 9), (31,), 2, "order", unique=True),
    "scatter_unique_dynamic": scatter((300, 9), (1031,), 2, "add", static=False, unique=True),
    "scatter_unique_bad": scatter((7, 9), (31,), 2, "add", unique=True, bad=7),
    "scatter_windows": scatter((9, 6), (5, 3, 6), 1, "add"),
    "scatter_windows_both": scatter((9, 8), (5, 3, 2), 2, "max"),
    "scatter_swapped": scatter((4, 7), (12,), 2, "order", dims=[1, 0]),
    "scatter_second": scatter((4, 7), (9, 4, 3), 1, "add", dims=[1]),
    "scatter_none": scatter((4, 5), (0, 5), 1, "add"),
    "scatter_dynamic": scatter((9, 4, 5), (13, 4, 5), 1, "order", static=False),
    "scatter_dynamic_points": scatter((4, 5), (13,), 2, "add", static=False),
    "scatter_dynamic_long": scatter((9, 300), (13, 300), 1, "order", static=False),
    "scatter_dynamic_part": scatter((9, 300), (13, 299), 1, "order", dims=[0], static=False),
    "scatter_ranges": scatter((20011, 50), (300, 50), 1, "order"),
    "scatter_ranges_one": scatter((1000003,), (3000,), 1, "order"),
    "scatter_ranges_points": scatter((3, 350003), (3000,), 2, "order"),
    "scatter_ranges_windows": scatter((1009, 1000), (300, 3), 2, "order"),
    "scatter_ranges_beyond": scatter((1000003,), (3000,), 1, "add", bad=1000003),
    "scatter_ranges_before": scatter((3, 350003), (3000,), 2, "add", bad=-1),
    **{f"scatter_chunks_{n}": scatter((350,), (n,), 1, "add", static="places")
       for n in (0, 1, 4095, 4096, 4097, 8193, 32769, 40000)},
    "scatter_chunks_points": scatter((3, 1, 450), (9001,), 3, "add"),
    "scatter_chunks_swapped": scatter((70, 90), (13000,), 2, "add", dims=[1, 0], static="places"),
    "scatter_chunks_wide": scatter((5001,), (10501,), 1, "add"),
    "scatter_chunks_filled": scatter((350,), (20001,), 1, "add", static="places", filled=1.5),
    "scatter_no_chunks": scatter((350,), (9001,), 1, "max"),
    "scatter_no_chunks_order": scatter((350,), (9001,), 1, "order"),
    "scatter_chunks_beyond": scatter((350,), (9001,), 1, "add", bad=350),
    "scatter_chunks_before": scatter((3, 450), (9001,), 2, "add", bad=-1, static="places"),
    "scatter_ones": scatter((9,), (40,), 1, "add", filled=0, each=1),
    "scatter_ones_dynamic": scatter((9, 4), (40,), 2, "order", static="places", each=1.5),
    "scatter_ones_none": scatter((9,), (0,), 1, "add", static="places", each=1),
    "scatter_ones_unique": scatter((7, 9), (31,), 2, "order", unique=True, each=-2),
    "scatter_ones_ranges": scatter((1000003,), (3000,), 1, "order", each=3),
    "scatter_ones_chunks": scatter((350,), (20001,), 1, "add", static="places", filled=1.5, each=0.5),
    "scatter_ones_rows": scatter((9, 5), (7, 5), 1, "add", each=1),
    "scatter_ones_beyond": scatter((9,), (40,), 1, "add", each=1, bad=9),
    "scatter_beyond": scatter((9, 5), (7, 5), 1, "add", bad=9),
    "scatter_before": scatter((9, 64), (7, 64), 1, "add", bad=-1),
    "scatter_window_beyond": scatter((9, 6), (5, 3, 6), 1, "add", bad=7),
    "scatter_huge": scatter((4, 5), (13,), 2, "add", bad=2**62),
    **{f"sort_{p}_{dim}": sort((3, 17, 5), dim, p) for p in PREDICATES for dim in range(3)},
    "sort_line": sort((31,), 0, "oge"),
    "sort_one": sort((4, 1), 1, "oge"),
    "sort_none": sort((4, 0), 1, "oge"),
    "sort_power": sort((2, 64), 1, "ole"),
    "sort_long": sort((1, 4097), 1, "ole"),
    "sort_dynamic": sort((3, 17, 5), 1, "oge", static=False),
    **{f"sort_{n}_{p}": sort((3, n), 1, p) for n in (95, 96, 97, 193, 385) for p in ("oge", "olt")},
    **{f"sort_dynamic_{n}": sort((3, n), 1, "ole", static=False) for n in (1, 77, 96, 97, 200)},
    **{f"sort_odd_{n}": sort_odd(2, n, odd) for n, odd in ((5, 1), (40, 3), (96, 50), (300, 9))},
    **{f"sort_first_{p}_{dim}": sort((7, 17, 5), dim, p, first=4) for p in PREDICATES for dim in range(3)},
    "sort_first_one": sort((9, 33), 1, "oge", first=1),
    "sort_first_most": sort((3, 300), 1, "ole", first=64),
    "sort_first_many": sort((3, 300), 1, "ole", first=65),
    "sort_first_but_one": sort((5, 41), 1, "ogt", first=40),
    "sort_gradient": sort_gradient(7, 41, 6, "oge"),
    "sort_gradient_one": sort_gradient(7, 41, 1, "ole"),
    "sort_gradient_many": sort_gradient(3, 300, 100, "oge"),
    "sort_gradient_all": sort_gradient(5, 9, 9, "oge"),
    "topk": topk((4, 19), 1, 3, "ogt", False),
    "topk_given": topk((4, 19), 1, 3, "ogt", True),
    "topk_least_first": topk((19, 4), 0, 5, "olt", False),
    "topk_middle": topk((2, 9, 4), 1, 9, "ogt", True),
    "topk_dynamic": topk((2, 9, 4), 1, 4, "olt", True, static=False),
    "scan_middle": scan((3, 7, 5), 1, True),
    "scan_last_exclusive": scan((3, 7), 1, False),
    "scan_one": scan((3, 1), 1, True),
    "scan_dynamic": scan((3, 7, 5), 1, True, static=False),
    "scan_dynamic_exclusive": scan((3, 7), 1, False, static=False),
    "scan_dynamic_one": scan((3, 1), 1, True, static=False),
    "scan_dynamic_none": scan((3, 0, 2), 1, True, static=False),
    "attention": attention((2,), 5, 7, 8, 6, None),
    "attention_bools": attention((2, 3), 5, 7, 8, 6, "bool"),
    "attention_added": attention((), 5, 7, 8, 8, "float"),
    "attention_dynamic": attention((2,), 5, 7, 8, 6, "bool", static=False),
}


def close(got, want):
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    return got.shape == want.shape and np.allclose(got, want, rtol=2e-5, atol=2e-6)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("compiler")
    p.add_argument("folder")
    p.add_argument("--policy", default="medium")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    source, target = os.path.join(a.folder, "all.mlir"), os.path.abspath(os.path.join(a.folder, "all.so"))
    with open(source, "w") as f:
        f.write("\n".join(f"func.func @{name}{text}" for name, (text, _, _) in CASES.items()))
    subprocess.run([a.compiler, source, "-o", target, f"--policy={a.policy}"], check=True)
    functions, bad = library.load(target), 0
    for name, (_, ins, wants) in CASES.items():
        try:
            got = functions[name](*ins, shapes=[list(w.shape) for w in wants if w is not None] or None)
            ok = all(w is not None and close(g, w) for g, w in zip(got, wants))
        except library.Failed as failed:
            ok = wants == [None] and "an index of a scatter is out of range" in str(failed)
            got = failed
        bad += not ok
        if not ok:
            print(f"FAIL {name}: got {got}, want {wants}")
    print(f"{len(CASES)} programs, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
