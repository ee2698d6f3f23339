"""Integer operations of arith and math, comparisons and conversions that a row may hold, against Python's integers and
NumPy.

    integers.py SINTER-CC FOLDER [OPTION ...]
"""

import os
import subprocess
import sys

import numpy as np

import library

WIDTHS = (8, 16, 32, 64)


def power(a, p, n):
    """What is left of a negative power is an integer."""
    return pow(a, p, 2**n) if p >= 0 else a ** (p & 1) if abs(a) == 1 else 0


UNARY = {"math.ctpop": lambda a, n: bin(a % 2**n).count("1"), "math.ctlz": lambda a, n: n - (a % 2**n).bit_length(),
         # fmt: skip
         "math.cttz": lambda a, n: n if not a else ((a & -a) % 2**n).bit_length() - 1, "math.absi": lambda a, n: abs(a)}
BINARY = {"arith.addi": lambda a, b, n: a + b, "arith.subi": lambda a, b, n: a - b,
          "arith.muli": lambda a, b, n: a * b, "arith.andi": lambda a, b, n: a & b,
          "arith.ori": lambda a, b, n: a | b, "arith.xori": lambda a, b, n: a ^ b,
          "arith.maxsi": lambda a, b, n: max(a, b), "arith.minsi": lambda a, b, n: min(a, b),
          "arith.maxui": lambda a, b, n: max(a % 2**n, b % 2**n), "arith.minui": lambda a, b, n: min(a % 2**n,
              b % 2**n),
          "arith.shli": lambda a, b, n: a << b % n, "arith.shrui": lambda a, b, n: a % 2**n >> b % n,
          "arith.shrsi": lambda a, b, n: a >> b % n,
          "math.ipowi": power}  # fmt: skip
SIGNED = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
          "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b}
UNSIGNED = {"ult": SIGNED["slt"], "ule": SIGNED["sle"], "ugt": SIGNED["sgt"], "uge": SIGNED["sge"]}
FLOAT = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal,
         "ne": np.not_equal}


def function(name, types, body, to):
    xs = [f"tensor<?x{t}>" for t in types]
    y = f"tensor<?x{to}>"
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(types) + 1))
    return f"""func.func @{name}({', '.join(f'%x{i}: {x}' for i, x in enumerate(xs))}) -> {y} {{
  %zero = arith.constant 0 : index
  %n = tensor.dim %x0, %zero : {xs[0]}
  %e = tensor.empty(%n) : {y}
  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({', '.join(f'%x{i}' for i in range(len(xs)))} : {', '.join(xs)}) outs(%e : {y}) {{
  ^one({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}, %b: {to}):
    {body if "%r =" in body else "%r = " + body}
    linalg.yield %r : {to}
  }} -> {y}
  return %y : {y}
}}
"""


def integers(rng, n, count):
    end = 2 ** (n - 1)
    x = rng.integers(-end, end, count, f"i{n // 8}")
    x[: 12] = [0, 1, -1, end - 1, -end, 2, -2, 3, n - 1, 5, -end + 1, 7]
    x[12:60] = rng.integers(-3, 4, 48)
    return rng.permutation(x)


def high_half(x):
    """The bits of bf16 of numbers that it has."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def wrapped(values, n):
    return np.array([(v + 2 ** (n - 1)) % 2**n - 2 ** (n - 1) for v in map(int, values)], f"i{n // 8}")


def cases(rng, count):
    """name, types, body, result type, inputs, expected"""
    for n in WIDTHS:
        t, x, y = f"i{n}", integers(rng, n, count), integers(rng, n, count)
        for o, f in UNARY.items():
            yield [t], f"{o} %a0 : {t}", t, [x], wrapped([f(a, n) for a in x.tolist()], n)
        for o, f in BINARY.items():
            z = (y % n).astype(y.dtype) if ".sh" in o else y
            yield [t, t], f"{o} %a0, %a1 : {t}", t, [x,
                                                     z], wrapped([f(a, b, n) for a, b in zip(x.tolist(), z.tolist())],
                                                         n)
        for p in (0, 1, 2, 3, 13, -1, -2):
            yield [t], f"%p = arith.constant {p} : {t}\n    %r = math.ipowi %a0, %p : {t}", t, [x], wrapped([power(a,
                p, n) for a in x.tolist()], n)
        for p, f in {**SIGNED, **UNSIGNED}.items():
            as_it_is = [(a % 2**n, b % 2**n) if p in UNSIGNED else (a, b) for a, b in zip(x.tolist(), y.tolist())]
            yield [t, t], f"arith.cmpi {p}, %a0, %a1 : {t}", "i1", [x, y], np.array([f(a, b) for a, b in as_it_is])
        c = rng.random(count) < 0.5
        yield ["i1", t, t], f"arith.select %a0, %a1, %a2 : {t}", t, [c, x, y], np.where(c, x, y)
        for m in WIDTHS:
            if m > n:
                yield [t], f"arith.extsi %a0 : {t} to i{m}", f"i{m}", [x], x.astype(f"i{m // 8}")
                yield [t], f"arith.extui %a0 : {t} to i{m}", f"i{m}", [x], x.view(f"u{n // 8}").astype(
                    f"u{m // 8}").view(f"i{m // 8}")
            if m < n:
                yield [t], f"arith.trunci %a0 : {t} to i{m}", f"i{m}", [x], wrapped(x, m)
        yield ["i1"], f"arith.extsi %a0 : i1 to {t}", t, [c], np.where(c, -1, 0).astype(x.dtype)
        yield ["i1"], f"arith.extui %a0 : i1 to {t}", t, [c], c.astype(x.dtype)
        yield [t], f"arith.trunci %a0 : {t} to i1", "i1", [x], (x & 1).astype(bool)
        for f in ("f32", "f64"):
            wide = np.float32 if f == "f32" else np.float64
            yield [t], f"arith.sitofp %a0 : {t} to {f}", f, [x], x.astype(wide)
            yield [t], f"arith.uitofp %a0 : {t} to {f}", f, [x], x.view(f"u{n // 8}").astype(wide)
            inside = (rng.uniform(-0.99, 0.99, count) * 2.0 ** (n - 1)).astype(wide)
            inside[:5] = [0.0, -0.0, 0.99, -0.99, 1.5]
            yield [f], f"arith.fptosi %a0 : {f} to {t}", t, [inside], np.trunc(inside).astype(x.dtype)
            positive = np.abs(inside) * wide(2)
            yield [f], f"arith.fptoui %a0 : {f} to {t}", t, [positive], np.trunc(positive).astype(f"u{n // 8}").view(
                x.dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, 3.4e38], np.float32)
    a, b = [g.ravel().astype(np.float32) for g in np.meshgrid(special, special)]
    nan = np.isnan(a) | np.isnan(b)
    for p, f in FLOAT.items():
        yield ["f32", "f32"], f"arith.cmpf o{p}, %a0, %a1 : f32", "i1", [a, b], f(a, b) & ~nan
        yield ["f32", "f32"], f"arith.cmpf u{p}, %a0, %a1 : f32", "i1", [a, b], f(a, b) | nan
    yield ["f32", "f32"], "arith.cmpf ord, %a0, %a1 : f32", "i1", [a, b], ~nan
    yield ["f32", "f32"], "arith.cmpf uno, %a0, %a1 : f32", "i1", [a, b], nan
    wide = rng.standard_normal(count) * np.exp2(rng.uniform(-160, 130, count))
    with np.errstate(over="ignore"):
        yield ["f64"], "arith.truncf %a0 : f64 to f32", "f32", [wide], wide.astype(np.float32)
        half = (wide * np.exp2(-40)).astype(np.float32)
        yield ["f32"], "arith.truncf %a0 : f32 to f16", "f16", [half], half.astype(np.float16)
    # Powers of two, whose powers are exact, and what is none; exponents that f16 and bf16 cannot hold.
    base = np.array([1, -1, 2, -2, 0.5, -0.5, 0.0, -0.0, np.inf, -np.inf, np.nan], np.float64)
    exponent = np.array([*range(-8, 9), 257, -257, 2049, 65537, 2**24 + 1, -(2**24) - 1], np.int32)
    x, p = [g.ravel() for g in np.meshgrid(base, exponent)]
    with np.errstate(all="ignore"):
        want = np.power(x, p.astype(np.float64))
        for f, kind in (("f64", np.float64), ("f32", np.float32), ("f16", np.float16)):
            yield [f, "i32"], f"math.fpowi %a0, %a1 : {f}, i32", f, [x.astype(kind), p], want.astype(kind)
            yield [f, "i64"], f"math.fpowi %a0, %a1 : {f}, i64", f, [x.astype(kind),
                p.astype(np.int64)], want.astype(kind)
            for k in (-3, 7, 257):
                yield [f], f"%p = arith.constant {k} : i32\n    %r = math.fpowi %a0, %p : {f}, i32", f, [
                    x.astype(kind)], np.power(x, float(k)).astype(kind)
        yield ["bf16", "i32"], "%q = math.fpowi %a0, %a1 : bf16, i32\n    %r = arith.extf %q : bf16 to f32", "f32", [
            high_half(x), p], want.astype(np.float32)
    every = np.arange(65536, dtype=np.uint16)
    yield ["f16"], "arith.extf %a0 : f16 to f32", "f32", [every.view(np.float16)], every.view(np.float16).astype(
        np.float32)
    yield ["f32"], "arith.bitcast %a0 : f32 to i32", "i32", [half], half.view(np.int32)
    yield ["f32"], "math.isnan %a0 : f32", "i1", [a], np.isnan(a)
    yield ["f32"], "math.isinf %a0 : f32", "i1", [a], np.isinf(a)
    yield ["f32"], "math.isnormal %a0 : f32", "i1", [a], np.isfinite(a) & (np.abs(a) >= np.float32(1.1754944e-38))
    yield ["f32"], "math.isfinite %a0 : f32", "i1", [a], np.isfinite(a)


def main():
    compiler, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    all_cases = list(cases(np.random.default_rng(5), 311))
    source, target = f"{folder}/integers.mlir", os.path.abspath(f"{folder}/integers.so")
    with open(source, "w") as f:
        f.write("\n".join(function(f"f{i}", c[0], c[1], c[2]) for i, c in enumerate(all_cases)))
    subprocess.run([compiler, source, "-o", target, *options], check=True)
    f, bad = library.load(target), 0
    for i, (_, body, _, inputs, want) in enumerate(all_cases):
        got = f[f"f{i}"](*inputs, shapes=[want.shape])[0]
        same = (got == want) | (np.isnan(got) & np.isnan(want) if got.dtype.kind == "f" else False)
        if not same.all():
            bad += 1
            k = int(np.argmin(same))
            print(
                f"FAIL {body}: of {[x[k] for x in inputs]} got {got[k]}, want {want[k]}, {int((~same).sum())} of "
                f"{same.size}"
            )
    print(f"{len(all_cases)} operations, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
