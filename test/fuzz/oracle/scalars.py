"""arith and math on arrays: floats in float64 whatever their type, integers exactly, each with a bound of its error.

A `Number` holds values and, for each, how far a right compiler may be from it: what rounding to the program's type
gives (any order of sums, any number of roundings less), carried through what follows. Infinity means that nothing is
known: a number beyond the type's range, the outcome of a comparison that rounding decides. An exact value has the bound
0.
"""

import numpy as np

# Bits of a significand, the largest number and the least normal one.
FLOATS = {"f64": (53, 1.7976931348623157e308, 2.0 ** -1022), "f32": (24, (2 - 2.0 ** -23) * 2.0 ** 127, 2.0 ** -126),
          "f16": (11, 65504.0, 2.0 ** -14), "bf16": (8, (2 - 2.0 ** -7) * 2.0 ** 127, 2.0 ** -126)}
ULPS = 8  # that an approximated function may be off by
INF = np.inf


class Number:
    """v: float64 or int64 (a bool is 0 or -1, as MLIR's signed i1), e: the bound, type: MLIR's."""

    def __init__(self, v, type, e=None):
        self.type = type
        self.v = np.asarray(v, np.float64 if type in FLOATS else np.int64)
        self.e = np.zeros(self.v.shape) if e is None else np.broadcast_to(np.asarray(e, np.float64), self.v.shape)

    def map(self, f):
        """f moves elements; values and bounds alike."""
        return Number(f(self.v), self.type, f(self.e))


def width(type):
    return 64 if type == "index" else int(type[1:])


def unsigned(x):
    w = width(x.type)
    return x.v.astype(np.uint64) & np.uint64((1 << w) - 1)


def wrapped(v, type, e):
    """An integer cut to its type."""
    w = width(type)
    v = np.asarray(v)
    if v.dtype == np.uint64:
        v = v.view(np.int64) if v.shape else v.astype(np.int64)
    if w < 64:
        v = (v << (64 - w)) >> (64 - w)
    return Number(v, type, e)


def representable(v, type):
    """Whether float64's v is a number of the type, to the bit."""
    bits, largest, least = FLOATS[type]
    if bits == 53:
        return np.zeros(np.shape(v), bool)
    m, x = np.frexp(v)
    return (np.ldexp(m, bits) == np.rint(np.ldexp(m,
                                                  bits))) & (np.abs(v) <= largest) & ((np.abs(v) >= least) | (v == 0))


def rounded(v, type, e, ulps=1.0, exact=None):
    """A result with what computing it in the type adds to its bound."""
    bits, largest, least = FLOATS[type]
    finite = np.isfinite(v)
    e = np.where(finite & (np.abs(v) + e > largest), INF, e)
    v = np.where(finite & (np.abs(v) > largest), np.copysign(INF, v), v)
    add = np.where(np.isfinite(v),
                   ulps * np.abs(v) * 2.0 ** -bits * 2 + least * (ulps > 1) + least * 2.0 ** (1 - bits), 0.0)
    if exact is None:
        exact = representable(v, type) if ulps == 1 else np.zeros(np.shape(v), bool)
    add = np.where(exact & (e == 0), 0.0, add)
    e = np.where(np.isfinite(v) | np.isinf(e), e + add, e)
    return Number(v, type, np.where(np.isnan(e), INF, e))


def specials(v, operands, e, zero_times_inf=None):
    """Where the result is no finite number: certain if an operand was none, or if all are exact; else unknown."""
    known = np.ones(np.shape(v), bool)
    exact = np.ones(np.shape(v), bool)
    infinite = np.zeros(np.shape(v), bool)
    for x in operands:
        known &= ~np.isinf(x.e)
        exact &= x.e == 0
        infinite |= ~np.isfinite(x.v)
    out = ~np.isfinite(v)
    e = np.where(out, np.where(infinite | exact, 0.0, INF), e)
    return np.where(known, np.where(np.isnan(e), INF, e), INF)


def tiny(x):
    """A number below the least normal one may be taken for zero or for that one, by a function's polynomial."""
    least = FLOATS[x.type][2]
    return Number(x.v, x.type, np.where((x.v != 0) & (np.abs(x.v) < least), x.e + least, x.e))


def monotone(f, ulps=ULPS, most=None):
    def of(x):
        x = tiny(x)
        v = f(x.v)
        sides = [f(x.v + s * np.where(np.isinf(x.e), 0, x.e)) for s in (-1, 1)]
        e = np.maximum(*(np.abs(s - v) for s in sides))
        e = np.where((x.e == 0) & np.isfinite(v), 0.0, np.where(np.isfinite(v) & np.isnan(e), INF, e))
        if most is not None:
            e = np.minimum(e, most)
        e = specials(v, [x], e)
        # Of exact operands an infinity is certain only where the function has a pole; elsewhere the type ended.
        return rounded(v, x.type, e, ulps)
    return of


def pole(f, ulps=ULPS):
    """A function whose infinities are its own: log of 0, 1 / sqrt(0)."""
    return monotone(f, ulps)


def ended(f, ulps=ULPS):
    """One that leaves float64's range before infinity: exp, sinh."""
    inner = monotone(f, ulps)

    def of(x):
        y = inner(x)
        return Number(y.v, y.type, np.where(np.isinf(y.v) & np.isfinite(x.v), INF, y.e))
    return of


def turning(f):
    """sin and cos: their argument is brought near 0, with an error of its own size, not of the result's."""
    def of(x):
        v = f(x.v)
        unit = 2.0 ** -FLOATS[x.type][0]
        e = np.minimum(x.e + 4 * unit + np.where(np.isfinite(x.v), 2 * unit * np.abs(x.v), 0), 2.5)
        return rounded(v, x.type, specials(v, [x], e), ULPS)
    return of


def exactly(f):
    return lambda x: Number(f(x.v), x.type, x.e)


def stepped(f):
    """floor and its kin: known where both ends give the same."""
    def of(x):
        v = f(x.v)
        e = np.where(np.isinf(x.e), INF, 0.0)
        spread = np.where(np.isfinite(v),
                          np.abs(f(x.v + np.where(np.isinf(x.e), 0, x.e)) - f(x.v - np.where(np.isinf(x.e), 0, x.e))),
                          0.0)
        return Number(v, x.type, e + np.where(np.isnan(spread), INF, spread))
    return of


def each(f):
    """A function of math on arrays, where NumPy has none."""
    import math

    def one(x):
        try:
            return f(x)
        except (ValueError, OverflowError):
            return math.nan
    g = np.vectorize(one, otypes=[np.float64])
    return lambda v: g(v) if np.size(v) else np.asarray(v, np.float64)


def math_functions():
    import math
    half = lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v)
    return {
        "negf": exactly(np.negative), "absf": exactly(np.abs), "exp": ended(np.exp), "exp2": ended(np.exp2),
        "expm1": ended(np.expm1),
        "log": pole(np.log), "log2": pole(np.log2), "log10": pole(np.log10), "log1p": pole(np.log1p),
        "sqrt": pole(np.sqrt, 2), "rsqrt": pole(lambda v: 1 / np.sqrt(v)),
        "cbrt": monotone(np.cbrt), "tanh": monotone(np.tanh), "erf": monotone(each(math.erf)),
        "erfc": monotone(each(math.erfc)), "atan": monotone(np.arctan),
        "asinh": monotone(np.arcsinh), "sinh": ended(np.sinh), "cosh": ended(np.cosh), "sin": turning(np.sin),
        "cos": turning(np.cos),
        "asin": monotone(np.arcsin), "acos": monotone(np.arccos), "acosh": monotone(np.arccosh),
        "atanh": pole(np.arctanh),
        "floor": stepped(np.floor), "ceil": stepped(np.ceil), "trunc": stepped(np.trunc),
        "roundeven": stepped(np.rint), "round": stepped(half),
    }


def add(x, y, sign=1):
    v = x.v + sign * y.v
    return rounded(v, x.type, specials(v, [x, y], x.e + y.e))


def mul(x, y):
    v = x.v * y.v
    e = np.abs(x.v) * y.e + np.abs(y.v) * x.e + x.e * y.e
    e = np.where(np.isnan(e), INF, e)
    # An infinity times what may be zero.
    doubt = (np.isinf(x.v) & (y.e > 0) & (np.abs(y.v) <= y.e)) | (np.isinf(y.v) & (x.e > 0) & (np.abs(x.v) <= x.e))
    over = np.isinf(v) & np.isfinite(x.v) & np.isfinite(y.v)
    e = np.where(doubt | over, INF, specials(v, [x, y], e))
    return rounded(v, x.type, e)


def div(x, y):
    v = x.v / y.v
    room = np.abs(y.v) - y.e
    e = np.where(room > 0, (x.e + np.abs(v) * y.e) / np.where(room > 0, room, 1),
                 np.where((x.e == 0) & (y.e == 0), 0.0, INF))
    over = np.isinf(v) & np.isfinite(x.v) & (y.v != 0)
    e = specials(v, [x, y], np.where(np.isnan(e), INF, e))
    doubt = (y.e > 0) & (room <= 0)
    # Which zero a sum gives is not decided by its terms' order alone: the sign of x / 0 is.
    return rounded(v, x.type, np.where(over | doubt, INF, e), 2, representable(v, x.type) & (v * y.v == x.v))


def extreme(f, other, nan_wins):
    def of(x, y):
        v = f(x.v, y.v)
        lo, hi = f(x.v - x.e, y.v - y.e), f(x.v + x.e, y.v + y.e)
        e = np.where(np.isfinite(v), np.maximum(np.abs(hi - v), np.abs(v - lo)), 0.0)
        e = np.where((x.e == 0) & (y.e == 0), 0.0, np.where(np.isnan(e), INF, e))
        known_nan = nan_wins & ((np.isnan(x.v) & ~np.isinf(x.e)) | (np.isnan(y.v) & ~np.isinf(y.e)))
        bad = np.isinf(x.e) | np.isinf(y.e)
        return Number(v, x.type, np.where(known_nan, 0.0, np.where(bad, INF, e)))
    return of


def corners(f, ulps=ULPS, doubt=None):
    def of(x, y):
        v = f(x.v, y.v)
        e = np.zeros(v.shape)
        for a in (-1, 1):
            for b in (-1, 1):
                d = np.abs(f(x.v + a * x.e, y.v + b * y.e) - v)
                e = np.maximum(e, np.where((x.e == 0) & (y.e == 0), 0.0, np.where(np.isnan(d), INF, d)))
        e = np.where(~np.isfinite(v) & ((x.e != 0) | (y.e != 0)), INF, e)
        if doubt:
            e = np.where(doubt(x, y), INF, e)
        over = np.isinf(v) & np.isfinite(x.v) & np.isfinite(y.v) & (x.v != 0)
        return rounded(v, x.type, np.where(over | np.isinf(x.e) | np.isinf(y.e), INF,
                                           np.where(np.isfinite(v), e, 0.0)), ulps)
    return of


def straddles(x):
    return (x.e > 0) & (np.abs(x.v) <= x.e)


def power(x, n):
    """An integer power: so many products, each rounded."""
    v = np.power(x.v, n.v.astype(np.float64))
    f = lambda s: np.abs(np.power(x.v + s * x.e, n.v.astype(np.float64)) - v)
    e = np.where(x.e == 0, 0.0, np.where(straddles(x), INF, np.maximum(f(1), f(-1))))
    e = np.where((straddles(x)) & (n.v > 0), np.power(np.abs(x.v) + x.e, n.v.astype(np.float64)), e)
    over = np.isinf(v) & np.isfinite(x.v) & (x.v != 0)
    e = np.where(over | np.isnan(e) & np.isfinite(v) | np.isinf(x.e), INF, np.where(np.isfinite(v), e, 0.0))
    return rounded(v, x.type, e, ULPS + np.abs(n.v).max(initial=0))


PREDICATES = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
              "uno", "true"]
COMPARE = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal,
           "ne": np.not_equal}


def cmpf(x, y, predicate):
    p = PREDICATES[predicate]
    nan = np.isnan(x.v) | np.isnan(y.v)
    if p in ("true", "false", "ord", "uno"):
        v = {"true": ~nan | nan, "false": nan & ~nan, "ord": ~nan, "uno": nan}[p]
    else:
        c = COMPARE[p[1:]](x.v, y.v)
        v = c & ~nan if p[0] == "o" else c | nan
    near = ~nan & (x.e + y.e > 0) & ~(np.abs(x.v - y.v) > x.e + y.e)
    near &= ~((np.isinf(x.v) | np.isinf(y.v)) & (x.e < INF) & (y.e < INF))
    return Number(np.where(v, -1, 0), "i1", np.where(near | np.isinf(x.e) | np.isinf(y.e), INF, 0.0))


def cmpi(x, y, predicate):
    p = ["eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"][predicate]
    a, b = (unsigned(x), unsigned(y)) if p[0] == "u" else (x.v, y.v)
    return Number(np.where(COMPARE[p[-2:]](a, b), -1, 0), "i1", np.maximum(x.e, y.e))


def select(c, x, y):
    v = np.where(c.v != 0, x.v, y.v)
    e = np.where(c.v != 0, x.e, y.e)
    same = (x.v == y.v) | ((x.v != x.v) & (y.v != y.v))
    return Number(v, x.type, np.where((c.e > 0) & ~(same & (x.e == 0) & (y.e == 0)), INF, e))


def integer(f, signed=True, bad=None):
    """A function of integers; bad(x, y): where the outcome is nobody's business (a division by zero)."""
    def of(x, y):
        e = np.maximum(x.e, y.e)
        if bad is not None:
            e = np.where(bad(x, y), INF, e)
        a, b = (x.v, y.v) if signed else (unsigned(x), unsigned(y))
        return wrapped(f(a, b), x.type, e)
    return of


def safe(f):
    def of(a, b):
        b = np.where(b == 0, np.ones_like(b), b)
        return f(a, b)
    return of


def no_quotient(x, y):
    least = -(1 << (width(x.type) - 1))
    return (y.v == 0) | ((x.v == least) & (y.v == -1))


def truncating(a, b):
    q = np.abs(a) // np.abs(b)
    return np.where((a < 0) != (b < 0), -q, q)


def beyond(x, y):
    return (y.v < 0) | (y.v >= width(x.type))


def shift(f):
    return lambda a, b: f(a, np.where((b < 0) | (b > 63), np.zeros_like(b),
                                      b) if b.dtype == np.int64 else np.minimum(b, np.uint64(63)))


BINARY = {
    "arith.addf": add, "arith.subf": lambda x, y: add(x, y, -1), "arith.mulf": mul, "arith.divf": div,
    "arith.maximumf": extreme(np.maximum, np.fmax, True), "arith.minimumf": extreme(np.minimum, np.fmin, True),
    "arith.maxnumf": extreme(np.fmax, None, False), "arith.minnumf": extreme(np.fmin, None, False),
    "math.powf": corners(lambda a, b: np.power(a, b), doubt=lambda x, y: straddles(x) | ((y.e > 0) & (x.v < 0))),
    "math.atan2": corners(np.arctan2, doubt=lambda x, y: straddles(x) & (y.v - y.e <= 0)),
    "math.copysign": lambda x, y: Number(np.copysign(x.v, y.v), x.type,
                                         np.where(straddles(y) | np.isinf(y.e), INF, x.e)),
    "math.fpowi": power,
    "arith.addi": integer(np.add), "arith.subi": integer(np.subtract), "arith.muli": integer(np.multiply),
    "arith.andi": integer(np.bitwise_and), "arith.ori": integer(np.bitwise_or), "arith.xori": integer(np.bitwise_xor),
    "arith.maxsi": integer(np.maximum), "arith.minsi": integer(np.minimum), "arith.maxui": integer(np.maximum, False),
    "arith.minui": integer(np.minimum, False),
    "arith.divsi": integer(safe(truncating), bad=no_quotient),
    "arith.remsi": integer(safe(lambda a, b: a - truncating(a, b) * b), bad=no_quotient),
    "arith.divui": integer(safe(np.floor_divide), False, no_quotient),
    "arith.remui": integer(safe(np.remainder), False, no_quotient),
    "arith.floordivsi": integer(safe(np.floor_divide), bad=no_quotient),
    "arith.ceildivsi": integer(safe(lambda a, b: a // b + (a % b != 0)), bad=no_quotient),
    "arith.shli": integer(shift(np.left_shift), bad=beyond), "arith.shrsi": integer(shift(np.right_shift), bad=beyond),
    "arith.shrui": integer(shift(np.right_shift), False, beyond),
}
UNARY = {f"math.{n}": f for n, f in math_functions().items()}
UNARY["arith.negf"] = UNARY.pop("math.negf")
UNARY["math.absi"] = lambda x: wrapped(np.abs(x.v), x.type, x.e)
UNARY["math.isnan"] = lambda x: Number(np.where(np.isnan(x.v), -1, 0), "i1", np.where(np.isinf(x.e), INF, 0.0))
UNARY["math.isinf"] = lambda x: Number(np.where(np.isinf(x.v), -1, 0), "i1", np.where(np.isinf(x.e), INF, 0.0))


def cast(name, x, type):
    if name in ("arith.extf", "arith.bitcast") and type in FLOATS:
        return Number(x.v, type, x.e)
    if name == "arith.truncf":
        return rounded(x.v, type, x.e)
    if name == "arith.sitofp":
        return rounded(x.v.astype(np.float64), type, x.e)
    if name == "arith.uitofp":
        return rounded(unsigned(x).astype(np.float64), type, x.e)
    if name in ("arith.fptosi", "arith.fptoui"):
        w = width(type)
        lo, hi = (-(2.0 ** (w - 1)), 2.0 ** (w - 1)) if name == "arith.fptosi" else (0.0, 2.0 ** w)
        t = np.trunc(x.v)
        ends = [np.trunc(x.v + s * x.e) for s in (-1, 1)]
        known = (t >= lo) & (t < hi) & (ends[0] == t) & (ends[1] == t)
        with np.errstate(invalid="ignore"):
            return wrapped(np.where(known, t, 0).astype(np.uint64 if w == 64 and name == "arith.fptoui" else np.int64),
                           type, np.where(known, 0.0, INF))
    if name in ("arith.extui", "arith.index_castui"):
        return wrapped(unsigned(x), type, x.e)
    if name in ("arith.extsi", "arith.trunci", "arith.index_cast"):
        return wrapped(x.v, type, x.e)
    raise NotImplementedError(name)


CASTS = {"arith." + n for n in ("extf", "truncf", "sitofp", "uitofp", "fptosi", "fptoui", "extui", "extsi", "trunci",
                                "index_cast", "index_castui")}
