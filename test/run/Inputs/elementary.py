"""Every arith and math operation on floats that a row may hold, against libm in a wider type: corners, and how many ulp
it is off.

    elementary.py SINTER-CC FOLDER [--cpu=haswell] [--types=f32,f64] [--points=20000] [--table]

A corner is a zero, an infinity, a NaN, a denormal, the largest, the least: a result there has to be that of C99 (a NaN
for a NaN, a sign for a zero). Elsewhere an operation is off by so many units of the last place of its type as BOUNDS
says. What is below the least normal number may be 0 where the operation is in FLUSHES. Points go by whole vectors, and
again by fifteens, which no vector is.
"""

import argparse
import ctypes
import ctypes.util
import math
import os
import subprocess
import sys

import numpy as np

import library

libm = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


def of_libm(name, arity=1):
    """double NAME(double, ...), element by element."""
    f = getattr(libm, name)
    f.restype, f.argtypes = ctypes.c_double, [ctypes.c_double] * arity
    return lambda *x: np.array([f(*map(float, v)) for v in zip(*x)], np.float64)


def wide(f):
    """NumPy's function in long double, which is the C library's."""
    return lambda *x: f(*[np.asarray(v, np.longdouble) for v in x])


def fma(x, y, z):
    return np.asarray(x, np.longdouble) * y + z


def maximum(x, y):
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), y, x), np.maximum(x, y))


def minimum(x, y):
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), x, y), np.minimum(x, y))


# operation, operands, the wide result
OPS = {
    "math.exp": wide(np.exp), "math.exp2": wide(np.exp2), "math.expm1": wide(np.expm1), "math.log": wide(np.log),
    "math.log2": wide(np.log2),
    "math.log10": wide(np.log10), "math.log1p": wide(np.log1p), "math.sin": wide(np.sin), "math.cos": wide(np.cos),
    "math.tan": wide(np.tan),
    "math.asin": wide(np.arcsin), "math.acos": wide(np.arccos), "math.atan": wide(np.arctan),
    "math.sinh": wide(np.sinh), "math.cosh": wide(np.cosh),
    "math.tanh": wide(np.tanh), "math.asinh": wide(np.arcsinh), "math.acosh": wide(np.arccosh),
    "math.atanh": wide(np.arctanh), "math.cbrt": wide(np.cbrt),
    "math.sqrt": wide(np.sqrt), "math.rsqrt": lambda x: 1 / np.sqrt(np.asarray(x, np.longdouble)),
    "math.erf": of_libm("erf"), "math.erfc": of_libm("erfc"),
    "math.absf": np.abs, "math.ceil": np.ceil, "math.floor": np.floor, "math.trunc": np.trunc,
    "math.roundeven": np.rint, "math.round": of_libm("round"),
    "arith.negf": np.negative, "math.atan2": wide(np.arctan2), "math.powf": wide(np.power),
    "math.copysign": np.copysign, "arith.addf": wide(np.add),
    "arith.subf": wide(np.subtract), "arith.mulf": wide(np.multiply), "arith.divf": wide(np.divide),
    "arith.remf": of_libm("fmod", 2),
    "arith.maximumf": maximum, "arith.minimumf": minimum, "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin,
    "math.fma": fma,
    "math.sincos 0": wide(np.sin), "math.sincos 1": wide(np.cos),
    "math.fpowi 3": lambda x: np.asarray(x, np.longdouble) ** 3,
    "math.fpowi -2": lambda x: 1 / (np.asarray(x, np.longdouble) ** 2),
    "math.fpowi 19": lambda x: np.asarray(x, np.longdouble) ** 19,
    "math.powf 0.5": wide(lambda x: np.power(x, np.longdouble(0.5))),
    "math.powf -0.5": wide(lambda x: np.power(x, np.longdouble(-0.5))),
    "arith.divf 3.0": lambda x: np.asarray(x, np.longdouble) / 3,
    "math.clampf": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
}  # fmt: skip
ARITY = {"math.atan2": 2, "math.powf": 2, "math.copysign": 2, "math.fma": 3, "math.clampf": 3,
         **{o: 2 for o in OPS if o.startswith("arith.") and o not in ("arith.negf", "arith.divf 3.0")}}  # fmt: skip
EXACT = {"math.absf", "math.ceil", "math.floor", "math.trunc", "math.roundeven", "math.round", "arith.negf",
         "math.copysign", "arith.maximumf", "arith.minimumf",
         # fmt: skip
         "arith.maxnumf", "arith.minnumf", "arith.remf", "math.clampf", "arith.addf", "arith.subf", "arith.mulf",
         "arith.divf", "math.sqrt"}
# of two zeros, as in C
EITHER_ZERO = {"arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.clampf"}
# what is below the least normal number is 0, or something below it
FLUSHES = {"math.exp", "math.erfc", "math.fpowi -2"}
# ulp, and of all others:
BOUNDS = {"math.erf": 3.5, "math.erfc": 3.5, "math.cbrt": 4, "math.expm1": 3.5, "math.fma": 1}
BOUND = 2.6
FORMATS = {"f64": (np.float64, 53, -1022), "f32": (np.float32, 24, -126), "f16": (np.float16, 11, -14),
           "bf16": (np.uint16, 8, -126)}


def from_bits(t, x):
    return (x.astype(np.uint32) << 16).view(np.float32) if t == "bf16" else x


def to_bits(t, x):
    """Of float64 the nearest in the type; bf16 as its bits."""
    with np.errstate(over="ignore", invalid="ignore"):
        if t != "bf16":
            return x.astype(FORMATS[t][0])
        u = x.astype(np.float32).view(np.uint32)
        return np.where(np.isnan(x), 0x7FC0, (u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def corners(t):
    _, digits, least = FORMATS[t]
    most = np.ldexp(2 - 2.0 ** (1 - digits), {"f64": 1023, "f16": 15}.get(t, 127))
    tiny = np.ldexp(1.0, least)
    one = [0.0, 1.0, 0.5, 2.0, 3.0, most, tiny, np.ldexp(1.0, least - digits + 1), tiny / 4, np.inf,
           1 + 2.0 ** (1 - digits), 1 - 2.0**-digits, most / 2, 2.5, 1.5, 7.0]
    return np.array([*one, *[-x for x in one], np.nan])


def points(t, arity, n, rng):
    """Corners, with each other; and random ones: any bits, any exponent near 0, and what functions are mostly given."""
    c = corners(t)
    c = [g.ravel() for g in np.meshgrid(*[c] * arity)] if arity < 3 else [rng.choice(c, 4000) for _ in range(arity)]
    kind = {"f64": np.uint64, "f32": np.uint32}.get(t, np.uint16)
    columns = []
    for k in range(arity):
        any_bits = rng.integers(0, np.iinfo(kind).max, n, kind, endpoint=True)
        with np.errstate(invalid="ignore"):
            any_bits = from_bits(t, any_bits) if t == "bf16" else any_bits.view(FORMATS[t][0]).astype(np.float64)
        ordinary = np.concatenate([rng.uniform(-s, s, n // 6) for s in (1, 10, 100)])
        small = rng.choice([-1, 1], n // 3) * np.exp2(rng.uniform(-30, 10, n // 3))
        near = 1 + rng.choice([-1, 1], n // 6) * np.exp2(rng.uniform(-24, -1, n // 6))
        rest = np.concatenate([any_bits, ordinary, small, near])
        columns.append(to_bits(t, np.concatenate([c[k], rng.permutation(rest) if k else rest])))
    return columns, len(c[0])


def ulps(t, got, want):
    _, digits, least = FORMATS[t]
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.abs(want))[1].astype(np.int64) - 1
        unit = np.ldexp(np.asarray(1, np.longdouble), np.maximum(exponent, least) - digits + 1)
        return np.abs(got - want) / unit


def compare(t, got, want, either_zero=False, flush=False):
    """Of each point: in ulp; infinite where what is a NaN, an infinity, or a zero's sign is not so."""
    _, digits, least = FORMATS[t]
    with np.errstate(all="ignore"):
        rounded = from_bits(t, to_bits(t, np.asarray(want, np.float64))).astype(np.float64)
        g = got.astype(np.float64)
        error = np.where(np.isfinite(rounded) & np.isfinite(g), ulps(t, g, want), np.inf)
        # A step from the largest number is infinity, if it is its sign.
        most = np.ldexp(2 - 2.0 ** (1 - digits), {"f64": 1023, "f16": 15}.get(t, 127))
        step = (np.isinf(g) != np.isinf(rounded)) & ~np.isnan(g) & (np.sign(g) == np.sign(rounded)) & (
            np.minimum(np.abs(g), np.abs(rounded)) >= most * (1 - 2.0 ** (2 - digits)))
        error = np.where(step, 1, error)
        zeros = (rounded == 0) & (g == 0)
        error = np.where(zeros & (np.signbit(g) != np.signbit(rounded)) & (not either_zero), np.inf, error)
        error = np.where(zeros & ((np.signbit(g) == np.signbit(rounded)) | either_zero), 0, error)
        small = np.abs(np.asarray(want, np.float64)) < np.ldexp(1.0, least)
        error = np.where(flush & small & (np.abs(g) < np.ldexp(1.0, least)), 0, error)
        same = (g == rounded) & (g != 0) | np.isnan(g) & np.isnan(rounded)
        return np.where(same & ~np.isfinite(rounded), 0, np.where(same, np.minimum(error, 0.5), error))


def function(name, op, t, arity):
    x = f"tensor<?x{t}>"
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (arity + 1))
    args = ", ".join(f"%a{i}" for i in range(arity))
    types = ", ".join([t] * arity) if op == "math.clampf" else t
    body = f"math.clampf %a0 to [%a1, %a2] : {t}" if op == "math.clampf" else f"{op} {args} : {types}"
    if op.startswith("math.sincos"):
        body = f"{'%r, %c' if op[-1] == '0' else '%s, %r'} = math.sincos %a0 : {t}"
    elif op.startswith("math.fpowi"):
        body = f"%p = arith.constant {op.split()[1]} : i32\n    %r = math.fpowi %a0, %p : {t}, i32"
    elif " " in op:
        body = f"%p = arith.constant {op.split()[1]} : {t}\n    %r = {op.split()[0]} %a0, %p : {t}"
    else:
        body = f"%r = {body}"
    return f"""func.func @{name}({', '.join(f'%x{i}: {x}' for i in range(arity))}) -> {x} {{
  %zero = arith.constant 0 : index
  %n = tensor.dim %x0, %zero : {x}
  %e = tensor.empty(%n) : {x}
  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({', '.join(f'%x{i}' for i in range(arity))} : {', '.join([x] * arity)}) outs(%e : {x}) {{
  ^one({', '.join(f'%a{i}: {t}' for i in range(arity))}, %b: {t}):
    {body}
    linalg.yield %r : {t}
  }} -> {x}
  return %y : {x}
}}
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("compiler")
    p.add_argument("folder")
    p.add_argument("--cpu")
    p.add_argument("--types", default="f32,f64,f16,bf16")
    p.add_argument("--points", type=int, default=20000)
    p.add_argument("--ops")
    p.add_argument("--table", action="store_true")
    p.add_argument("--exact-bf16", action="store_true", help="numbers below 2^-126 in bf16 too")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    bad = done = 0
    for t in a.types.split(","):
        ops = [o for o in OPS if not a.ops or o.split(".")[1] in a.ops.split(",")]
        source, target = os.path.join(a.folder, f"{t}.mlir"), os.path.abspath(os.path.join(a.folder, f"{t}.so"))
        with open(source, "w") as f:
            f.write("\n".join(function(f"f{i}", o, t, ARITY.get(o, 1)) for i, o in enumerate(ops)))
        subprocess.run([a.compiler, source, "-o", target, *([f"--cpu={a.cpu}"] if a.cpu else [])], check=True)
        functions = library.load(target)
        for i, o in enumerate(ops):
            rng = np.random.default_rng(i)
            arity = ARITY.get(o, 1)
            x, n = points(t, arity, a.points, rng)
            call = functions[f"f{i}"]
            got = call(*x, shapes=[x[0].shape])[0]
            with np.errstate(all="ignore"):
                want = np.asarray(OPS[o](*[from_bits(t, v).astype(np.float64) for v in x]))
                how = {"either_zero": o in EITHER_ZERO, "flush": o in FLUSHES or (t == "bf16" and not a.exact_bf16)}
                error = compare(t, from_bits(t, got), want, **how)
            short = [slice(k, k + 15) for k in [*range(0, min(n, 1200), 15),
                                                *range(n, len(x[0]),
                                                       max(15, (len(x[0]) - n) // 100))] if k + 15 <= len(x[0])]
            for s in short:
                few = call(*[v[s] for v in x], shapes=[(15,)])[0]
                with np.errstate(all="ignore"):
                    error[s] = np.maximum(error[s], compare(t, from_bits(t, few), want[s], **how))
            done += 1
            bound = (0.5 if o in EXACT else BOUNDS.get(o, BOUND)) if t in ("f32", "f64") else 1
            parts = {"corners": slice(0, n), "random": slice(n, None)}
            if a.table:
                print(f"{t} {o} corners {error[:n].max():.2f} random {error[n:].max():.2f}")
            for what, part in parts.items():
                k = int(np.argmax(error[part]))
                if error[part][k] > bound:
                    bad += 1
                    where = [float(from_bits(t, v)[part][k]) for v in x]
                    print(f"FAIL {t} {o} {what}: {error[part][k]:.4g} ulp at {where}: got "
                          f"{float(from_bits(t, got)[part][k])!r}, want {float(want[part][k])!r}, "
                          f"{int((error[part] > bound).sum())} over {bound}")  # fmt: skip
    print(f"{done} operations, {bad} wrong")
    return int(bad > 0 or not done)


if __name__ == "__main__":
    sys.exit(main())
