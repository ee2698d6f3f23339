"""arith and math: on whole tensors, and in bodies of linalg over elements, sizes `?`."""

import math

import numpy as np

from operations.cases import bf16, case, draw, numbers, refused

TOLERANCE = {"float32": 2e-5, "float64": 1e-13, "float16": 2e-3, "uint16": 1.6e-2}


def generic(expression, ins, wants):
    """A linalg.generic over all elements, whose sizes come from the first input."""
    rank = ins[0].ndim
    dims = ", ".join(f"d{k}" for k in range(rank))
    identity = f"affine_map<({dims}) -> ({dims})>"
    names = [chr(97 + k) for k in range(len(ins))]
    outs = "yzvw"[: len(wants)]
    lines = [f"  %i{k} = arith.constant {k} : index\n  %d{k} = tensor.dim %a, %i{k} : $A" for k in range(rank)]
    sizes = ", ".join(f"%d{k}" for k in range(rank))
    lines += [f"  %e{o} = tensor.empty({sizes}) : ${o.upper()}" for o in outs]
    inner = expression
    for n in names:
        inner = inner.replace(f"%{n}", f"%q{n}")
    for n in [*names, *outs]:
        inner = inner.replace(f"${n.upper()}", f"${n}")
    for o in outs:
        inner = inner.replace(f"%{o} ", f"%q{o} ").replace(f"%{o},", f"%q{o},")
    arguments = ", ".join([f"%q{n}: ${n}" for n in names] + [f"%u{o}: ${o}" for o in outs])
    lines.append(f"""  %r{":" + str(len(outs)) if len(outs) > 1 else ""} = linalg.generic
      {{indexing_maps = [{", ".join([identity] * (len(ins) + len(outs)))}],
      iterator_types = [{", ".join(['"parallel"'] * rank)}]}}
      ins({", ".join("%" + n for n in names)} : {", ".join("$" + n.upper() for n in names)})
      outs({", ".join("%e" + o for o in outs)} : {", ".join("$" + o.upper() for o in outs)}) {{
  ^bb0({arguments}):
    {inner}
    linalg.yield {", ".join("%q" + o for o in outs)} : {", ".join("$" + o for o in outs)}
  }} -> ({", ".join("$" + o.upper() for o in outs)})""")
    text = "\n".join(lines)
    for k, o in enumerate(outs):
        text += f"\n  %{o} = tensor.cast %r{'#' + str(k) if len(outs) > 1 else ''} : ${o.upper()} to ${o.upper()}"
    return text


def each(op, expression, ins, wants, **more):
    """An operation on elements, both ways."""
    wants = wants if isinstance(wants, list) else [wants]
    more.setdefault("rtol", max(TOLERANCE.get(w.dtype.name, 0) for w in wants))
    left = ", ".join("%" + o for o in "yzvw"[: len(wants)])
    case(op, f"  {left} = {expression}", ins, wants, **more)
    case(op, generic(f"{left} = {expression}", ins, wants), ins, wants, dynamic=True, **more)


FLOATS = ("f4", "f8", "f2", "bf16")


def rounded(values, dtype):
    """float64 as what a program of this type has to give."""
    return bf16(values) if dtype == "bf16" else np.asarray(values).astype(dtype)


def floats(op, function, *ranges, shape=(3, 19), spelled=None):
    """A function of floats of every type; ranges are those of the operands."""
    for dtype in FLOATS:
        ins = [draw(shape, dtype, *r, seed=k) for k, r in enumerate(ranges)]
        with np.errstate(all="ignore"):
            want = function(*(numbers(x).astype("f8") for x in ins))
        operands = ", ".join(f"%{chr(97 + k)}" for k in range(len(ins)))
        if np.asarray(want).dtype == bool:
            each(op, f"{op} {operands} : $A", ins, want)
        else:
            each(op, spelled or f"{op} {operands} : $A", ins, rounded(want, dtype))


def special(op, function, *columns, spelled=None):
    """The same at infinities and NaN."""
    ins = [np.array(x, "f4") for x in columns]
    with np.errstate(all="ignore"):
        want = np.asarray(function(*(x.astype("f8") for x in ins)))
    operands = ", ".join(f"%{chr(97 + k)}" for k in range(len(ins)))
    each(op, spelled or f"{op} {operands} : $A", ins, want if want.dtype == bool else want.astype("f4"))


WIDE, SMALL, POSITIVE = (-30, 30), (-3, 3), (0.1, 30)
floats("arith.addf", np.add, WIDE, WIDE)
floats("arith.subf", np.subtract, WIDE, WIDE)
floats("arith.mulf", np.multiply, WIDE, WIDE)
floats("arith.divf", np.divide, WIDE, POSITIVE)
floats("arith.remf", np.fmod, WIDE, POSITIVE)
floats("arith.negf", np.negative, WIDE)
floats("arith.maximumf", np.maximum, WIDE, WIDE)
floats("arith.minimumf", np.minimum, WIDE, WIDE)
floats("arith.maxnumf", np.fmax, WIDE, WIDE)
floats("arith.minnumf", np.fmin, WIDE, WIDE)
NAN, INF = float("nan"), float("inf")
FIRST, SECOND = [1, NAN, 2, NAN, INF, -INF, 0.5], [NAN, 2, 3, NAN, -INF, NAN, INF]
for op, function in {
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
}.items():
    special(op, function, FIRST, SECOND)

COMPARE = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}
for name, function in COMPARE.items():
    ordered = ~(np.isnan(FIRST) | np.isnan(SECOND))
    a, b = np.array(FIRST, "f4"), np.array(SECOND, "f4")
    each("arith.cmpf", f"arith.cmpf o{name}, %a, %b : $A", [a, b], function(a, b) & ordered)
    each("arith.cmpf", f"arith.cmpf u{name}, %a, %b : $A", [a, b], function(a, b) | ~ordered)
for name, want in {
    "one": (a != b) & ordered,
    "une": (a != b) | ~ordered,
    "ord": ordered,
    "uno": ~ordered,
    "true": ordered | True,
    "false": ordered & False,
}.items():
    each("arith.cmpf", f"arith.cmpf {name}, %a, %b : $A", [a, b], want)

floats("math.absf", np.abs, WIDE)
floats("math.acos", np.arccos, (-1, 1))
floats("math.acosh", np.arccosh, (1, 30))
floats("math.asin", np.arcsin, (-1, 1))
floats("math.asinh", np.arcsinh, WIDE)
floats("math.atan", np.arctan, WIDE)
floats("math.atan2", np.arctan2, WIDE, WIDE)
floats("math.atanh", np.arctanh, (-0.9, 0.9))
floats("math.cbrt", np.cbrt, WIDE)
floats("math.ceil", np.ceil, WIDE)
floats(
    "math.clampf",
    lambda x, low, high: np.maximum(np.minimum(x, high), low),
    WIDE,
    (-5, 0),
    (0, 5),
    spelled="math.clampf %a to [%b, %c] : $A",
)
floats("math.copysign", np.copysign, WIDE, WIDE)
floats("math.cos", np.cos, WIDE)
floats("math.cosh", np.cosh, SMALL)
floats("math.erf", np.vectorize(math.erf), SMALL)
floats("math.erfc", np.vectorize(math.erfc), (-3, 2))
floats("math.exp", np.exp, SMALL)
floats("math.exp2", np.exp2, SMALL)
floats("math.expm1", np.expm1, SMALL)
floats("math.floor", np.floor, WIDE)
floats("math.fma", lambda x, y, z: x * y + z, SMALL, SMALL, (10, 20))
floats("math.log", np.log, POSITIVE)
floats("math.log10", np.log10, POSITIVE)
floats("math.log1p", np.log1p, (-0.9, 30))
floats("math.log2", np.log2, POSITIVE)
floats("math.powf", np.power, POSITIVE, (-2, 2))
floats("math.round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), WIDE)
floats("math.roundeven", np.rint, WIDE)
floats("math.rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE)
floats("math.sin", np.sin, WIDE)
floats("math.sinh", np.sinh, SMALL)
floats("math.sqrt", np.sqrt, POSITIVE)
floats("math.tan", np.tan, (-1.4, 1.4))
floats("math.tanh", np.tanh, SMALL)
floats("math.trunc", np.trunc, WIDE)
for op, function in {
    "math.isfinite": np.isfinite,
    "math.isinf": np.isinf,
    "math.isnan": np.isnan,
    "math.isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= 2.0**-126),
}.items():
    floats(op, function, WIDE)
    special(op, function, [*FIRST, 0, 1e-40, -1e-30])
special("math.round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), [0.5, 1.5, -2.5, -0.5, INF, 0])
special("math.roundeven", np.rint, [0.5, 1.5, -2.5, -0.5, INF, 0])
special("math.tanh", np.tanh, [-8.3948, 8.3948, INF, -INF, NAN, 1e-20, 9, -9.5])
for dtype in FLOATS:
    x = draw((4, 11), dtype, -30, 30)
    n = numbers(x).astype("f8")
    each("math.sincos", "math.sincos %a : $A", [x], [rounded(np.sin(n), dtype), rounded(np.cos(n), dtype)])
    p = draw((4, 11), "i4", -3, 3)
    x = draw((4, 11), dtype, 0.5, 2)
    each("math.fpowi", "math.fpowi %a, %b : $A, $B", [x, p], rounded(numbers(x).astype("f8") ** p, dtype))
    condition, other = draw((4, 11), "?"), draw((4, 11), dtype, 3, 4)
    each("arith.select", "arith.select %a, %b, %c : $A, $B", [condition, x, other], np.where(condition, x, other))

INTEGERS = ("i1", "i2", "i4", "i8")


def unsigned(x):
    return x.view(f"u{x.dtype.itemsize}")


def integers(op, function, *ranges, shape=(3, 21)):
    """A function of integers of every width; what it gives wraps around."""
    for dtype in INTEGERS:
        ins = [draw(shape, dtype, *r, seed=k) for k, r in enumerate(ranges)]
        with np.errstate(all="ignore"):
            want = np.asarray(function(*ins)).astype(dtype)
        each(op, f"{op} {', '.join(f'%{chr(97 + k)}' for k in range(len(ins)))} : $A", ins, want)


ALL, FEW = (-128, 127), (1, 7)
integers("arith.addi", np.add, ALL, ALL)
integers("arith.subi", np.subtract, ALL, ALL)
integers("arith.muli", np.multiply, ALL, ALL)
integers("arith.andi", np.bitwise_and, ALL, ALL)
integers("arith.ori", np.bitwise_or, ALL, ALL)
integers("arith.xori", np.bitwise_xor, ALL, ALL)
integers("arith.shli", np.left_shift, ALL, FEW)
integers("arith.shrsi", np.right_shift, ALL, FEW)
integers("arith.shrui", lambda x, y: unsigned(x) >> unsigned(y), ALL, FEW)
integers("arith.maxsi", np.maximum, ALL, ALL)
integers("arith.minsi", np.minimum, ALL, ALL)
integers("arith.maxui", lambda x, y: np.maximum(unsigned(x), unsigned(y)), ALL, ALL)
integers("arith.minui", lambda x, y: np.minimum(unsigned(x), unsigned(y)), ALL, ALL)
integers("arith.divsi", lambda x, y: np.trunc(x / y), ALL, FEW)
integers("arith.divui", lambda x, y: unsigned(x) // unsigned(y), ALL, FEW)
integers("arith.remsi", np.fmod, ALL, FEW)
integers("arith.remui", lambda x, y: unsigned(x) % unsigned(y), ALL, FEW)
integers("arith.floordivsi", np.floor_divide, ALL, (-7, -1))
integers("arith.ceildivsi", lambda x, y: -(-x.astype("i8") // y), ALL, FEW)
integers("arith.ceildivui", lambda x, y: unsigned(x) // unsigned(y) + (unsigned(x) % unsigned(y) != 0), ALL, FEW)
integers("math.absi", np.abs, (-127, 127))
integers("math.ipowi", lambda x, y: np.power(x.astype("i8"), y), (-3, 3), (0, 4))


def bits(count):
    """A function of an integer's bits, as text."""
    return lambda x: np.array([count(f"{int(e):0{8 * x.itemsize}b}") for e in unsigned(x).flat]).reshape(x.shape)


integers("math.ctpop", bits(lambda t: t.count("1")), ALL)
integers("math.ctlz", bits(lambda t: len(t) - len(t.lstrip("0"))), ALL)
integers("math.cttz", bits(lambda t: len(t) - len(t.rstrip("0"))), ALL)
for name in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"):
    x, y = draw((3, 21), "i1", -3, 3), draw((3, 21), "i1", -3, 3, seed=1)
    u, v = (unsigned(x), unsigned(y)) if name[0] == "u" else (x, y)
    want = (u != v) if name == "ne" else COMPARE[name if name == "eq" else name[1:]](u, v)
    each("arith.cmpi", f"arith.cmpi {name}, %a, %b : $A", [x, y], want)
for dtype in INTEGERS:
    bits = 8 * np.dtype(dtype).itemsize
    x, y = draw((2, 23), dtype, *ALL), draw((2, 23), dtype, *ALL, seed=1)

    def wide(v, signed):
        return [int(e) if signed else int(e) % 2**bits for e in v.flat]

    def low_high(pairs):
        signed = [[p % 2**bits, (p >> bits) % 2**bits] for p in pairs]
        return [np.array([s[k] for s in signed], f"u{bits // 8}").view(dtype).reshape(x.shape) for k in (0, 1)]

    for op, signed in (("arith.mulsi_extended", True), ("arith.mului_extended", False)):
        each(op, f"{op} %a, %b : $A", [x, y], low_high([p * q for p, q in zip(wide(x, signed), wide(y, signed))]))
    sums = [p + q for p, q in zip(wide(x, False), wide(y, False))]
    each(
        "arith.addui_extended",
        "arith.addui_extended %a, %b : $A, $Z",
        [x, y],
        [low_high(sums)[0], np.array([s >= 2**bits for s in sums]).reshape(x.shape)],
    )


def cast(op, source, target, low=-100, high=100, function=None):
    x = draw((3, 17), source, low, high)
    with np.errstate(all="ignore"):
        want = function(x) if function else bf16(x) if target == "bf16" else numbers(x).astype(target)
    each(op, f"{op} %a : $A to $Y", [x], want)


for source, target in (("f4", "f8"), ("f2", "f4"), ("bf16", "f4"), ("f2", "f8"), ("bf16", "f8")):
    cast("arith.extf", source, target)
for source, target in (("f8", "f4"), ("f4", "f2"), ("f4", "bf16"), ("f8", "f2"), ("f8", "bf16")):
    cast("arith.truncf", source, target)
for source, target in (("i1", "i4"), ("i4", "i8"), ("i2", "i8")):
    cast("arith.extsi", source, target)
    cast("arith.extui", source, target, function=lambda x, t=target: unsigned(x).astype(t))
    cast("arith.trunci", target, source)
cast("arith.extui", "?", "i4")
cast("arith.extsi", "?", "i4", function=lambda x: -x.astype("i4"))
cast("arith.trunci", "i4", "?", function=lambda x: (x & 1).astype("?"))
for integer in ("i1", "i4", "i8"):
    for real in ("f4", "f8", "bf16", "f2"):
        cast("arith.sitofp", integer, real)
        cast("arith.uitofp", integer, real, 0, 100)
        cast("arith.fptosi", real, integer)
        cast("arith.fptoui", real, integer, 0, 100)
cast("arith.uitofp", "i1", "f4", function=lambda x: unsigned(x).astype("f4"))
cast("arith.bitcast", "f4", "i4", function=lambda x: x.view("i4"))
cast("arith.bitcast", "i8", "f8", function=lambda x: x.view("f8"))
cast("arith.bitcast", "bf16", "i2", function=lambda x: x.view("i2"))
X = draw((3, 7), "f4")
case(
    "arith.constant",
    """  %k = arith.constant dense<[[0.5, -1.0, 2.0, 3.25, 4.0, 5.0, -6.0]]> : tensor<1x7xf32>
  %e = tensor.empty() : $Y
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %k : $A, tensor<1x7xf32>) outs(%e : $Y) {
  ^bb0(%p: f32, %q: f32, %u: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> $Y""",
    [X],
    X * np.array([0.5, -1, 2, 3.25, 4, 5, -6], "f4"),
)
case(
    "arith.constant", "  %y = arith.constant dense<[[1, 2, 3], [4, 5, -6]]> : $Y", [], np.array([[1, 2, 3], [4, 5, -6]])
)
for name in ("index_cast", "index_castui"):
    N = draw((3, 17), "i4", 0, 100)
    case(
        f"arith.{name}",
        f"""  %n = arith.{name} %a : $A to tensor<3x17xindex>
  %t = arith.addi %n, %n : tensor<3x17xindex>
  %y = arith.{name} %t : tensor<3x17xindex> to $Y""",
        [N],
        (2 * N).astype("i8"),
    )
    case(
        f"arith.{name}",
        f"""  %e = tensor.empty() : $Y
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins(%a : $A) outs(%e : $Y) {{
  ^bb0(%p: i32, %u: i64):
    %n = arith.{name} %p : i32 to index
    %t = arith.addi %n, %n : index
    %s = arith.{name} %t : index to i64
    linalg.yield %s : i64
  }} -> $Y""",
        [N],
        (2 * N).astype("i8"),
    )

# Blocks of four that share a scale: a power of two. What is halved and doubled again is what it was, as far as the
# narrow type has it.
SCALES = np.array([[0.5, 2, 1, 4], [8, 1, 0.25, 2]], "f4")
EXACT = np.array([[1, -1.5, 3, 6], [4, -0.5, 0.75, -2]], "f4")
refused("this compiler does not lower to machine code", "arith.scaling_truncf", "arith.scaling_extf")
for small in ("f8E5M2", "f8E4M3FN", "f4E2M1FN"):
    case(
        "arith.scaling_truncf",
        f"""  %s = arith.truncf %b : $B to tensor<2x4xf8E8M0FNU>
  %n = arith.scaling_truncf %a, %s : $A, tensor<2x4xf8E8M0FNU> to tensor<2x4x{small}>
  %y = arith.extf %n : tensor<2x4x{small}> to $Y""",
        [EXACT * SCALES, SCALES],
        EXACT,
    )
    case(
        "arith.scaling_extf",
        f"""  %s = arith.truncf %b : $B to tensor<2x4xf8E8M0FNU>
  %n = arith.truncf %a : $A to tensor<2x4x{small}>
  %y = arith.scaling_extf %n, %s : tensor<2x4x{small}>, tensor<2x4xf8E8M0FNU> to $Y""",
        [EXACT, SCALES],
        EXACT * SCALES,
    )
