"""linalg and tensor operations on arrays: each generic over its whole domain at once, or point by point of what it
reduces over."""

import re

import numpy as np

from . import scalars
from .parse import split
from .scalars import BINARY, CASTS, FLOATS, INF, UNARY, Number


class Reported(Exception):
    """The program must say so: an assert fails."""


class Unsure(Exception):
    """Rounding decides whether the program must report something, or something is not modelled."""


def tensor_type(text):
    """(sizes, None where `?`; element type)"""
    m = re.match(r"tensor<((?:[\d?]+x)*)(\w+)", text)
    return [None if d == "?" else int(d) for d in m[1].split("x")[:-1]], m[2]


def literal(text, type):
    text = text.strip()
    if text in ("true", "false"):
        return -1 if text == "true" else 0
    if type not in FLOATS:
        return int(text, 0)
    if text.startswith("0x"):
        n = int(text, 16)
        if type == "f64":
            return np.uint64(n).view(np.float64)
        if type == "f16":
            return np.uint16(n).view(np.float16)
        return np.uint32(n << 16 if type == "bf16" else n).view(np.float32)
    if type == "bf16":  # of bits below its own it has none: to the nearest, ties to even
        n = int(np.float32(text).view(np.uint32))
        return np.uint32((n + 0x7FFF + ((n >> 16) & 1)) & 0xFFFF0000).view(np.float32)
    return {"f32": np.float32, "f16": np.float16}.get(type, float)(text)


def from_bytes(data, type):
    """A dense constant's bytes."""
    if type == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    if type == "i1":
        return -np.frombuffer(data, np.uint8).astype(np.int64)
    return np.frombuffer(data, {"f64": "f8", "f32": "f4", "f16": "f2",
                                "index": "i8"}.get(type) or f"i{int(type[1:]) // 8}")


def constant(attribute):
    value, _, type = attribute.rpartition(" : ")
    if attribute in ("true", "false"):
        return Number(literal(attribute, "i1"), "i1")
    if not type or not value:  # in a list MLIR leaves these types out
        type, value = "f64" if "." in attribute or "0x" in attribute else "i64", attribute
    if not type.startswith("tensor"):
        return Number(literal(value, type), type)
    shape, element = tensor_type(type)
    inside = re.match(r"dense<(.*)>$", value, re.S)[1].strip()
    if inside.startswith('"0x'):
        flat = from_bytes(bytes.fromhex(inside[3:-1]), element)
    else:
        flat = [literal(t, element) for t in re.findall(r"[^\s\[\],]+", inside)]
    flat = np.asarray(flat, np.float64 if element in FLOATS else np.int64)
    if flat.size == 1:
        flat = np.broadcast_to(flat.reshape(-1)[0], shape)
    return Number(flat.reshape(shape), element)


def affine(text):
    """affine_map<(d0, d1) -> (d0 + d1 * 2)>: its number of dimensions, and its results as Python's expressions."""
    m = re.match(r"affine_map<\((.*?)\)(?:\[.*?\])? -> \((.*)\)>$", text)
    results = [re.sub(r"(\S+|\(.*?\)) ceildiv (\S+)", r"-(-(\1) // \2)", r).replace("floordiv", "//").replace(" mod ",
        " % ") for r in split(m[2])]
    return [d for d in m[1].split(", ") if d], results


def integers(attribute):
    """array<i64: 1, 2>, [1, 2] or dense<...> : the numbers."""
    body = re.sub(r"^array<i\d+:?|^dense<|> : .*$|>$", "", attribute)
    return [int(n) for n in re.findall(r"-?\d+", body)]


def take(x, indices):
    """Elements of a tensor; the indices are in range."""
    return x.map(lambda a: a[tuple(indices)]) if indices else x


class Body:
    """A generic's operations on arrays over its domain."""

    def __init__(self, values, coordinates):
        self.values, self.coordinates = values, coordinates

    def run(self, op):
        name, get = op.name, lambda i: self.values[op.operands[i]]
        if name == "linalg.index":
            return Number(self.coordinates[int(re.match(r"\d+", op.attributes["dim"])[0])], "index")
        if name == "tensor.extract":
            return self.extract(get(0), [get(i) for i in range(1, len(op.operands))])
        if name == "cf.assert":
            return check(get(0), op.attributes.get("msg", "assert"))
        return scalar(op, get)

    def extract(self, x, indices):
        """Outside of its tensor an element is 0: exporters load first, and select or assert afterwards."""
        shape = np.broadcast_shapes(*[i.v.shape for i in indices]) if indices else ()
        unsure, out = np.zeros(shape, bool), np.zeros(shape, bool)
        for n, i in zip(x.v.shape, indices):
            unsure, out = unsure | (i.e > 0), out | (i.v < 0) | (i.v >= n)
        if not x.v.size:
            return Number(np.zeros(shape), x.type, np.where(unsure, INF, 0.0))
        y = take(x, [np.clip(i.v, 0, n - 1) for n, i in zip(x.v.shape, indices)])
        return Number(np.where(out, 0, y.v), x.type, np.where(unsure, INF, np.where(out, 0.0, y.e)))


def check(condition, message):
    if np.any((condition.v == 0) & (condition.e == 0)):
        raise Reported(message)
    if np.any(condition.e > 0):
        raise Unsure("an assert that rounding decides")


def scalar(op, get):
    name = op.name
    if name == "arith.constant":
        return constant(op.attributes["value"])
    if name in CASTS:
        type = op.result_types[0]
        return scalars.cast(name, get(0), tensor_type(type)[1] if type.startswith("tensor") else type)
    if name in ("arith.cmpf", "arith.cmpi"):
        return getattr(scalars, name[6:])(get(0), get(1), int(op.attributes["predicate"].split()[0]))
    if name == "arith.select":
        return scalars.select(get(0), get(1), get(2))
    if name == "math.fma":
        return scalars.add(scalars.mul(get(0), get(1)), get(2))
    if name in UNARY:
        return UNARY[name](get(0))
    if name in BINARY:
        return BINARY[name](get(0), get(1))
    raise Unsure(f"no meaning of {name}")


# ---- reductions whose order nobody promises ---------------------------------------------------

def sum_of(x, start, axes):
    v = x.v.sum(axes, keepdims=True) + start.v
    size = np.abs(x.v).sum(axes, keepdims=True) + np.abs(start.v)
    e = x.e.sum(axes, keepdims=True) + start.e
    bits, largest, least = FLOATS[x.type]
    n = x.v.size // max(1, v.size) + 1
    # In any order exact: all terms are multiples of one power of two, and the sum has not too many of them.
    with np.errstate(all="ignore"):
        m, ex = np.frexp(np.where(x.v == 0, np.inf, x.v))
        whole = np.ldexp(np.where(np.isfinite(m), m, 0), 53).astype(np.int64)
        quantum = np.where(whole != 0, np.ldexp((whole & -whole).astype(np.float64), ex - 53), np.inf).min(axes,
            keepdims=True, initial=np.inf)
        start_m, start_ex = np.frexp(start.v)
        start_whole = np.ldexp(np.where(np.isfinite(start_m), start_m, 0), 53).astype(np.int64)
        quantum = np.minimum(quantum, np.where(start_whole != 0,
                                               np.ldexp((start_whole & -start_whole).astype(np.float64),
                                                        start_ex - 53), np.inf))
    exact = (size <= quantum * 2.0 ** bits) & (e == 0)
    e = np.where(exact, 0.0, e + n * 2.0 ** -bits * 2 * size + least)
    # Terms of which some order passes the largest number.
    finite = np.where(np.isfinite(x.v), np.abs(x.v), 0).sum(axes, keepdims=True) + np.where(np.isfinite(start.v),
        np.abs(start.v), 0)
    nan = np.isnan(v) & ~np.isinf(e)
    none = ~np.isfinite(v)
    e = np.where(none, 0.0, e)
    unknown = np.isinf(x.e).any(axes, keepdims=True) | np.isinf(start.e)
    over = finite + np.where(np.isfinite(e), e, 0) > largest
    return Number(v, x.type, np.where(unknown | (over & ~nan) | np.isnan(e), INF, e))


def product_of(x, start, axes):
    all_v = x.v
    v = np.multiply.reduce(all_v, axes, keepdims=True) * start.v
    bits, largest, least = FLOATS[x.type]
    a = np.abs(all_v)
    top = np.where(np.isfinite(a), np.maximum(a, 1), 1).prod(axes, keepdims=True) * np.maximum(np.abs(start.v), 1)
    low = np.where((a > 0), np.minimum(a, 1), 1).prod(axes, keepdims=True) * np.where(start.v == 0, 1,
        np.minimum(np.abs(start.v), 1))
    relative = np.where(a > 0, x.e / np.where(a > 0, a, 1), np.where(x.e > 0, INF, 0)).sum(axes, keepdims=True)
    n = x.v.size // max(1, v.size) + 1
    e = np.abs(v) * (np.expm1(np.minimum(relative, 100)) + n * 2.0 ** -bits * 2)
    exact = (x.e.sum(axes, keepdims=True) == 0) & (start.e == 0)
    e = np.where(np.isfinite(v), e, 0.0)
    doubt = (top > largest) | (low < least) | ~((relative < 0.5) | (exact & (v == 0))) | np.isinf(start.e)
    doubt = doubt & ~(np.isnan(v) & exact)
    return Number(v, x.type, np.where(doubt | np.isnan(e), INF, e))


def extreme_of(f):
    def of(x, start, axes):
        def r(a, s):
            return f(f.reduce(a, axes, keepdims=True), s) if a.size else np.broadcast_to(s,
                [1 if i in axes else n for i, n in enumerate(a.shape)])
        v = r(x.v, start.v)
        lo, hi = r(x.v - x.e, start.v - start.e), r(x.v + x.e, start.v + start.e)
        exact = (x.e == 0).all(axes, keepdims=True) & (start.e == 0)
        e = np.where(exact, 0.0, np.where(np.isfinite(v), np.maximum(hi - v, v - lo), 0.0))
        unknown = np.isinf(x.e).any(axes, keepdims=True) | np.isinf(start.e)
        known_nan = np.isnan(v) & (f in (np.maximum, np.minimum)) & ~unknown
        return Number(v, x.type, np.where(known_nan, 0.0, np.where(np.isnan(e) | unknown & ~exact, INF, e)))
    return of


def integer_of(f, signed=True):
    def of(x, start, axes):
        bound = np.maximum(x.e.max(axes, keepdims=True, initial=0), start.e)
        a, s = (x.v, start.v) if signed else (scalars.unsigned(x), scalars.unsigned(start))
        v = f(f.reduce(a, axes, keepdims=True), s) if x.v.size else np.broadcast_to(s, bound.shape)
        return scalars.wrapped(v, x.type, bound)
    return of


COMBINERS = {
    "arith.addf": sum_of, "arith.mulf": product_of, "arith.maximumf": extreme_of(np.maximum),
    "arith.minimumf": extreme_of(np.minimum),
    "arith.maxnumf": extreme_of(np.fmax), "arith.minnumf": extreme_of(np.fmin),
    "arith.addi": integer_of(np.add), "arith.muli": integer_of(np.multiply), "arith.andi": integer_of(np.bitwise_and),
    "arith.ori": integer_of(np.bitwise_or),
    "arith.xori": integer_of(np.bitwise_xor), "arith.maxsi": integer_of(np.maximum),
    "arith.minsi": integer_of(np.minimum),
    "arith.maxui": integer_of(np.maximum, False), "arith.minui": integer_of(np.minimum, False),
}


def combined(block, accumulators):
    """For each accumulator the one operation that adds a term to it; None if another use of one decides."""
    found = []
    results = block.operations[-1].operands
    for name, result in zip(accumulators, results):
        uses = [op for op in block.operations for o in op.operands if o == name]
        if len(uses) != 1 or uses[0].name not in COMBINERS or uses[0].results[0] != result:
            return None
        if sum(o == result for op in block.operations for o in op.operands) != 1:
            return None
        found.append(uses[0])
    return found


def copy(x):
    y = Number(x.v, x.type)
    y.v, y.e = np.array(x.v), np.array(x.e)
    return y


# ---- operations on tensors --------------------------------------------------------------------

def generic(op, values):
    maps = [affine(m) for m in split(op.attributes["indexing_maps"][1:-1])]
    iterators = re.findall(r"iterator_type<(\w+)>", op.attributes["iterator_types"])
    counts = integers(op.attributes["operandSegmentSizes"])
    operands = [values[o] for o in op.operands]
    rank = len(iterators)
    sizes = [None] * rank
    for x, (names, results) in zip(operands, maps):
        for n, r in zip(x.v.shape, results):
            if r in names:
                sizes[names.index(r)] = n
    coordinates = [np.arange(n).reshape([n if i == d else 1 for i in range(rank)]) for d, n in enumerate(sizes)]

    def indices(i, at):
        names, results = maps[i]
        return [np.asarray(eval(r, {}, dict(zip(names, at)))) for r in results]

    block, outs = op.blocks[0], range(counts[0], len(operands))
    arguments = [a for a, _ in block.arguments]
    accumulators = arguments[counts[0]:]
    kept = [copy(operands[i]) for i in outs]
    reduced = tuple(d for d, t in enumerate(iterators) if t == "reduction")

    def run(at, skip=(), skip_arguments=()):
        body = Body(dict(values), at)
        for i, a in enumerate(arguments):
            if a not in skip_arguments:
                body.values[a] = take(operands[i] if i < counts[0] else kept[i - counts[0]], indices(i, at))
        for inner in block.operations[:-1]:
            if inner not in skip:
                y = body.run(inner)
                if inner.results:
                    body.values[inner.results[0]] = y
        return body.values

    def put(i, at, y):
        """Only dimensions that the output has are in at: the others are 0."""
        where = tuple(indices(i, at))
        k = kept[i - counts[0]]
        shape = np.broadcast_shapes(*[w.shape for w in where]) if where else ()
        fit = lambda a: np.broadcast_to(a, np.broadcast_shapes(shape,
                                                               a.shape)).reshape(shape) if a.size == int(
                                                                   np.prod(shape)) or a.size == 1 else np.broadcast_to(
                                                                       a, shape)
        k.v[where], k.e[where] = fit(y.v), fit(y.e)

    if not reduced:
        inner = run(coordinates)
        for i, r in zip(outs, block.operations[-1].operands):
            put(i, coordinates, inner[r])
        return kept
    still = [np.zeros_like(c[(slice(0, 1),) * rank]) if d in reduced and c.size else np.zeros((1,) * rank,
        int) if d in reduced else c for d, c in enumerate(coordinates)]
    ops = combined(block, accumulators)
    if ops:
        inner = run(coordinates, ops, accumulators)
        for i, o, a in zip(outs, ops, accumulators):
            term = inner[next(x for x in o.operands if x != a)]
            term = term.map(lambda t: np.broadcast_to(t, sizes))
            start = take(kept[i - counts[0]], indices(i, still))
            put(i, still, COMBINERS[o.name](term, start, reduced))
        return kept
    for point in np.ndindex(*[sizes[d] for d in reduced]):
        at = list(coordinates)
        for d, p in zip(reduced, point):
            at[d] = np.full((1,) * rank, p)
        inner = run(at)
        for i, r in zip(outs, block.operations[-1].operands):
            put(i, at, inner[r])
    return kept


def steps(op, values, x_shape):
    """The slices of static and dynamic offsets, sizes and strides."""
    counts = integers(op.attributes["operandSegmentSizes"])
    lists, at = [], len(op.operands) - sum(counts[-3:])
    for key, n in zip(("static_offsets", "static_sizes", "static_strides"), counts[-3:]):
        given = [int(values[o].v) for o in op.operands[at:at + n]]
        at += n
        lists.append([given.pop(0) if s == -(1 << 63) else s for s in integers(op.attributes[key])])
    return tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in zip(*lists)), lists[1]


def tensor(op, values):
    get = lambda i: values[op.operands[i]]
    name = op.name
    type = op.result_types[0] if op.result_types else ""
    shape, element = tensor_type(type) if type.startswith("tensor") else ([], type)
    if name == "tensor.empty":
        given = [int(values[o].v) for o in op.operands]
        shape = [given.pop(0) if n is None else n for n in shape]
        return Number(np.zeros(shape), element, np.full(shape, INF))
    if name == "tensor.splat":
        return get(0).map(lambda a: np.broadcast_to(a, shape))
    if name == "tensor.from_elements":
        xs = [values[o] for o in op.operands]
        return Number(np.array([x.v for x in xs]).reshape(shape), element, np.array([x.e for x in xs]).reshape(shape))
    if name == "tensor.cast":
        return get(0)
    if name == "tensor.dim":
        return Number(get(0).v.shape[int(get(1).v)], "index")
    if name == "tensor.expand_shape":
        given = [int(values[o].v) for o in op.operands[1:]]
        shape = [given.pop(0) if n == -(1 << 63) else n for n in integers(op.attributes["static_output_shape"])]
        return get(0).map(lambda a: a.reshape(shape))
    if name == "tensor.collapse_shape":
        groups = [integers(g) for g in split(op.attributes["reassociation"][1:-1])]
        shape = [int(np.prod([get(0).v.shape[i] for i in g])) for g in groups]
        return get(0).map(lambda a: a.reshape([-1 if n is None else n for n in shape]))
    if name == "tensor.concat":
        d = int(op.attributes["dim"].split()[0])
        xs = [values[o] for o in op.operands]
        return Number(np.concatenate([x.v for x in xs], d), element, np.concatenate([x.e for x in xs], d))
    if name == "tensor.extract_slice":
        where, sizes = steps(op, values, get(0).v.shape)
        kept = []
        for static, n in zip(integers(op.attributes["static_sizes"]), sizes):
            want = shape[len(kept)] if len(kept) < len(shape) else 0
            if want == (None if static == -(1 << 63) else static):  # else it is 1, and goes
                kept.append(n)
        return get(0).map(lambda a: a[where].reshape(kept))
    if name == "tensor.insert_slice":
        x, into = get(0), get(1)
        where, sizes = steps(op, values, into.v.shape)
        v, e = np.array(into.v), np.array(into.e)
        v[where], e[where] = x.v.reshape(sizes), x.e.reshape(sizes)
        return Number(v, into.type, e)
    if name == "tensor.pad":
        low, high = integers(op.attributes["static_low"]), integers(op.attributes["static_high"])
        inside = Body(dict(values), [])
        for inner in op.blocks[0].operations[:-1]:
            inside.values[inner.results[0]] = inside.run(inner)
        fill = inside.values[op.blocks[0].operations[-1].operands[0]]
        widths = list(zip(low, high))
        return Number(np.pad(get(0).v, widths, constant_values=fill.v), element,
                      np.pad(get(0).e, widths, constant_values=fill.e))
    if name == "tensor.extract":
        return Body(values, []).extract(get(0), [get(i) for i in range(1, len(op.operands))])
    raise Unsure(f"no meaning of {name}")


def evaluate(function, inputs, values=None):
    """Results of a function, as Numbers, for inputs as Numbers; `values` gets what it computes on the way."""
    values = {} if values is None else values
    values.update(zip([a for a, _ in function.blocks[0].arguments], inputs))
    with np.errstate(all="ignore"):
        for op in function.blocks[0].operations:
            if op.name == "func.return":
                return [values[o] for o in op.operands]
            if op.name == "linalg.generic":
                for r, y in zip(op.results, generic(op, values)):
                    values[r] = y
            elif op.name in ("sinter.rowwise", "sinter.contract"):
                from .rows import Form  # rows.py takes its operations from here
                values.update(zip(op.results, Form(op, values).run()))
            elif op.name == "cf.assert":
                check(values[op.operands[0]], op.attributes.get("msg", "assert"))
            else:
                y = tensor(op, values) if op.name.startswith("tensor.") else scalar(op,
                    lambda i: values[op.operands[i]])
                values[op.results[0]] = y
    raise ValueError("no return")
