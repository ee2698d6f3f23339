"""linalg: elementwise ops by name, products, convolutions, pooling, and what changes layouts."""

import itertools
import math

import numpy as np

from operations.cases import bf16, case, draw, numbers

TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "float16": 5e-3, "uint16": 3e-2, "int32": 0, "int8": 0, "int64": 0}


def named(op, ins, init, want, attributes="", **more):
    """An op that writes over a destination, which is the last argument; static and with sizes `?`."""
    arguments = [*ins, init]
    names = [f"%{chr(97 + k)}" for k in range(len(arguments))]
    types = [f"${n[1:].upper()}" if x.ndim else f"${n[1:]}" for n, x in zip(names, arguments)]
    body, values = "", list(names)
    for k, x in enumerate(arguments):
        if not x.ndim:  # a number
            body += f"  %n{k} = tensor.extract {names[k]}[] : ${names[k][1:].upper()}\n"
            values[k] = f"%n{k}"
    given = f"ins({', '.join(values[:-1])} : {', '.join(types[:-1])})" if ins else ""
    for dynamic in (False, True):
        case(
            op,
            f"{body}  %y = {op} {attributes} {given} outs({values[-1]} : {types[-1]}) -> $Y",
            arguments,
            want,
            dynamic=dynamic,
            **({"rtol": TOLERANCE[want.dtype.name], "atol": 1e-5} | more),
        )


def as_type(values, dtype):
    return bf16(values) if dtype == "bf16" else np.asarray(values).astype(dtype)


# ---- by element --------------------------------------------------------------------------------

UNARY = {
    "exp": (np.exp, -3, 3),
    "log": (np.log, 0.1, 9),
    "abs": (np.abs, -9, 9),
    "ceil": (np.ceil, -9, 9),
    "floor": (np.floor, -9, 9),
    "negf": (np.negative, -9, 9),
    "reciprocal": (np.reciprocal, 0.5, 9),
    "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), -9, 9),
    "sqrt": (np.sqrt, 0.1, 9),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9),
    "square": (np.square, -9, 9),
    "tanh": (np.tanh, -3, 3),
    "erf": (np.vectorize(math.erf), -3, 3),
}
for name, (function, low, high) in UNARY.items():
    for dtype in ("f4", "f8", "bf16", "f2"):
        x = draw((5, 13), dtype, low, high)
        want = as_type(function(numbers(x).astype("f8")), dtype)
        named(f"linalg.{name}", [x], np.zeros_like(want), want)
        if name != "abs" and dtype == "f4":
            case(
                "linalg.elementwise",
                f"  %y = linalg.elementwise kind=#linalg.elementwise_kind<{name}> ins(%a : $A) outs(%b : $B) -> $Y",
                [x, np.zeros_like(want)],
                want,
            )
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "powf": np.power,
}
for name, function in BINARY.items():
    for dtype in ("f4", "f8", "bf16", "f2"):
        x, y = draw((5, 13), dtype, 0.5, 5), draw((5, 13), dtype, 0.5, 3, seed=1)
        want = as_type(function(numbers(x).astype("f8"), numbers(y).astype("f8")), dtype)
        named(f"linalg.{name}", [x, y], np.zeros_like(want), want)
    if name != "powf":
        x, y = draw((5, 13), "i4", -99, 99), draw((5, 13), "i4", 1, 9, seed=1)
        want = np.trunc(x / y) if name == "div" else function(x, y)
        named(f"linalg.{name}", [x, y], np.zeros_like(x), want.astype("i4"))
X, Y = draw((5, 13), "i4", -99, 99), draw((5, 13), "i4", 1, 9, seed=1)
named("linalg.div_unsigned", [X, Y], np.zeros_like(X), (X.view("u4") // Y.view("u4")).view("i4"))
C, P, Q = draw((5, 13), "?"), draw((5, 13), "f4"), draw((5, 13), "f4", seed=1)
named("linalg.select", [C, P, Q], np.zeros_like(P), np.where(C, P, Q))
named("linalg.copy", [P], np.zeros_like(P), P)
named("linalg.fill", [np.array(1.5, "f4")], P, np.full_like(P, 1.5))
R = draw((13,), "f4")
case(
    "linalg.elementwise",
    """  %y = linalg.elementwise kind=#linalg.elementwise_kind<sub>
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>]
      ins(%a, %b : $A, $B) outs(%c : $C) -> $Y""",
    [P, R, np.zeros((13, 5), "f4")],
    P.T - R[:, None],
)


def random_numbers(low, high, seed, rows, columns):
    """linalg.fill_rng_2d's formula: a linear congruential generator over both indices."""
    step = lambda x: (x.astype("i8") * 1103515245 + 12345).astype("i4")
    with np.errstate(all="ignore"):
        seeds = np.full((rows, 1), seed, "i4")
        first = step(np.arange(rows, dtype="i4")[:, None] + seeds)
        both = step(np.arange(columns, dtype="i4")[None] + first)
        return (both.astype("f8") + 2147483647.0) * ((high - low) * 2.3283063999999999e-10) + low


named(
    "linalg.fill_rng_2d",
    [np.array(-1.5), np.array(2.5), np.array(7, "i4")],
    np.zeros((5, 9), "f4"),
    random_numbers(-1.5, 2.5, 7, 5, 9).astype("f4"),
)

# ---- by structure -----------------------------------------------------------------------------

case(
    "linalg.map", "  %y = linalg.map { arith.mulf } ins(%a, %b : $A, $B) outs(%c : $C)", [P, Q, np.zeros_like(P)], P * Q
)
case(
    "linalg.map",
    """  %y = linalg.map ins(%a : $A) outs(%b : $B) (%p: f32, %q: f32) {
    %s = math.sin %p : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }""",
    [P, np.zeros_like(P)],
    np.sin(P) + P,
)
case(
    "linalg.reduce",
    "  %y = linalg.reduce { arith.addf } ins(%a : $A) outs(%b : $B) dimensions = [0]",
    [P, R],
    P.sum(0) + R,
)
case(
    "linalg.reduce",
    """  %y, %z = linalg.reduce ins(%a, %b : $A, $B) outs(%c, %d : $C, $D) dimensions = [1]
      (%p: f32, %q: i32, %s: f32, %t: i32) {
    %u = arith.maximumf %p, %s : f32
    %v = arith.addi %q, %t : i32
    linalg.yield %u, %v : f32, i32
  }""",
    [P, X, np.full(5, -1, "f4"), np.full(5, 3, "i4")],
    [np.maximum(P.max(1), -1), X.sum(1, dtype="i4") + np.int32(3)],
)
T = draw((3, 5, 7), "f4")
case(
    "linalg.transpose",
    "  %y = linalg.transpose ins(%a : $A) outs(%b : $B) permutation = [2, 0, 1]",
    [T, np.zeros((7, 3, 5), "f4")],
    T.transpose(2, 0, 1),
)
case(
    "linalg.broadcast",
    "  %y = linalg.broadcast ins(%a : $A) outs(%b : $B) dimensions = [1]",
    [P, np.zeros((5, 4, 13), "f4")],
    np.broadcast_to(P[:, None], (5, 4, 13)).copy(),
)
case(
    "linalg.generic",
    """  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (i + j)>, affine_map<(i, j, k) -> (j, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : $A, $B) outs(%c : $C) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %u = arith.mulf %p, %q : f32
    %v = arith.addf %u, %s : f32
    linalg.yield %v : f32
  } -> $Y""",
    [P, draw((7,)), np.zeros((3, 5), "f4")],
    (P.sum(1)[:, None] * np.lib.stride_tricks.sliding_window_view(draw((7,)), 3)).T.copy(),
)
for dynamic in (False, True):
    case(
        "linalg.index",
        """  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : $A) outs(%b : $B) {
    ^bb0(%p: f32, %s: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %u = arith.muli %i, %j : index
      %v = arith.index_cast %u : index to i32
      %w = arith.sitofp %v : i32 to f32
      %r = arith.subf %p, %w : f32
      linalg.yield %r : f32
    } -> $Y""",
        [P, np.zeros_like(P)],
        P - np.outer(np.arange(5), np.arange(13)).astype("f4"),
        dynamic=dynamic,
    )
case(
    "linalg.yield",
    """  %y, %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : $A) outs(%b, %c : $B, $C) {
  ^bb0(%p: f32, %s: f32, %t: f32):
    %u = arith.negf %p : f32
    linalg.yield %p, %u : f32, f32
  } -> ($Y, $Z)""",
    [P, np.zeros((13, 5), "f4"), np.zeros_like(P)],
    [P.T.copy(), -P],
)

# ---- products ---------------------------------------------------------------------------------

PRODUCTS = {
    "matmul": "ik,kj->ij",
    "matvec": "ik,k->i",
    "vecmat": "k,kj->j",
    "batch_matmul": "bik,bkj->bij",
    "batch_matvec": "bik,bk->bi",
    "batch_vecmat": "bk,bkj->bj",
    "dot": "k,k->",
    "mmt4d": "ikmr,jknr->ijmn",
    "batch_mmt4d": "bikmr,bjknr->bijmn",
    "batch_reduce_matmul": "bik,bkj->ij",
}
SIZES = dict(i=5, j=9, k=7, b=3, m=2, n=4, r=3)
# What is multiplied, what is written, and the numbers' range
TYPES = [
    ("f4", "f4", 2),
    ("f8", "f8", 2),
    ("bf16", "bf16", 1),
    ("bf16", "f4", 1),
    ("f2", "f2", 1),
    ("i1", "i4", 99),
    ("i4", "i4", 99),
]


def wide(x):
    return x.astype("i8") if x.dtype.kind == "i" else numbers(x).astype("f8")


def product(op, einsum, attributes=""):
    (left, right), out = einsum.split("->")[0].split(","), einsum.split("->")[1]
    for source, target, most in TYPES:
        x = draw([SIZES[d] for d in left], source, -most, most)
        y = draw([SIZES[d] for d in right], source, -most, most, seed=1)
        c = draw([SIZES[d] for d in out], target, -most, most, seed=2)
        want = as_type(np.einsum(einsum, wide(x), wide(y)) + wide(c), target)
        if out:
            named(op, [x, y], c, want, attributes, atol=0.1 if target in ("bf16", "f2") else 1e-5)
        else:
            case(
                op,
                f"  %y = {op} ins(%a, %b : $A, $B) outs(%c : $C) -> $Y",
                [x, y, c],
                want,
                rtol=TOLERANCE[want.dtype.name],
                atol=0.1 if target in ("bf16", "f2") else 1e-5,
            )


def maps(einsum):
    (left, right), out = einsum.split("->")[0].split(","), einsum.split("->")[1]
    dims = "".join(dict.fromkeys(out + left + right))
    return (
        "indexing_maps = ["
        + ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join(t)})>" for t in (left, right, out))
        + "]"
    )


for name, einsum in PRODUCTS.items():
    product(f"linalg.{name}", einsum)
product(
    "linalg.matmul",
    "ki,kj->ij",
    "indexing_maps = [affine_map<(i, j, k) -> (k, i)>, "
    "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]",
)
for einsum in ("bikm,jkb->mijb", "ik,k->i", "ijk,kj->i", "bk,bk->b"):
    product("linalg.contract", einsum, maps(einsum))
for name, einsum in (("quantized_matmul", "ik,kj->ij"), ("quantized_batch_matmul", "bik,bkj->bij")):
    (left, right), out = einsum.split("->")[0].split(","), einsum.split("->")[1]
    x, y = (draw([SIZES[d] for d in s], "i1", -99, 99, seed=k) for k, s in enumerate((left, right)))
    c = draw([SIZES[d] for d in out], "i4", -99, 99)
    want = np.einsum(einsum, x.astype("i4") - 3, y.astype("i4") + 5) + c
    named(f"linalg.{name}", [x, y, np.array(3, "i4"), np.array(-5, "i4")], c, want.astype("i4"))

# ---- convolutions -------------------------------------------------------------------------------

KERNEL, OUT = dict(d=2, h=2, w=3), dict(d=2, h=3, w=4)
OTHER = dict(n=2, c=3, f=5, g=2, m=2)


def convolved(x, k, einsum, spatial, strides, dilations, op=None):
    """A sum over offsets of the kernel; with op, a maximum or minimum of what lies under it."""
    (inputs, kernel), out = einsum.split("->")[0].split(","), einsum.split("->")[1]
    total = None
    for offset in itertools.product(*(range(KERNEL[s]) for s in spatial)):
        at = dict(zip(spatial, zip(offset, strides, dilations)))
        piece = x[
            tuple(
                (
                    slice(at[s][0] * at[s][2], at[s][0] * at[s][2] + (OUT[s] - 1) * at[s][1] + 1, at[s][1])
                    if s in at
                    else slice(None)
                )
                for s in inputs
            )
        ]
        if op:
            part = np.einsum(f"{inputs}->{out}", piece)
            total = part if total is None else op(total, part)
        else:
            rest = "".join(s for s in kernel if s not in at)
            part = np.einsum(
                f"{inputs},{rest}->{out}", piece, k[tuple(at[s][0] if s in at else slice(None) for s in kernel)]
            )
            total = part if total is None else total + part
    return total


def convolution(name, inputs, kernel, out, types, op=None, quantized=False):
    spatial = [s for s in inputs if s in KERNEL]
    attributed = any(s not in KERNEL for s in inputs)  # conv_2d and its like have no strides
    for strides, dilations in [((1, 1, 1), (1, 1, 1))] + [((2, 1, 3), (1, 2, 1))] * attributed:
        strides, dilations = strides[: len(spatial)], dilations[: len(spatial)]
        at = dict(zip(spatial, zip(strides, dilations)))
        size = lambda s: (OUT[s] - 1) * at[s][0] + (KERNEL[s] - 1) * at[s][1] + 1 if s in at else OTHER[s]
        for source, target, most in types:
            x = draw([size(s) for s in inputs], source, -most, most)
            k = draw([KERNEL.get(s) or OTHER[s] for s in kernel], source, -most, most, seed=1)
            c = draw([OUT.get(s) or OTHER[s] for s in out], target, -most, most, seed=2)
            u, w = wide(x) - 3 * quantized, wide(k) + 5 * quantized
            if op and "unsigned" in name:
                u, c = x.view(f"u{x.itemsize}").astype("i8"), np.abs(c)
            want = convolved(u, w, f"{inputs},{kernel}->{out}", spatial, strides, dilations, op)
            want = as_type(op(want, wide(c)) if op else want + wide(c), target)
            text = lambda v: f"dense<[{', '.join(map(str, v))}]> : tensor<{len(v)}xi64>"
            attributes = f"{{dilations = {text(dilations)}, strides = {text(strides)}}}" if attributed else ""
            zero = [np.array(3, "i4"), np.array(-5, "i4")] if quantized else []
            named(name, [x, k, *zero], c, want, attributes, atol=0.1 if target in ("bf16", "f2") else 1e-5)


SOME = [TYPES[0], TYPES[1], TYPES[3], TYPES[5]]
QUANTIZED = [("i1", "i4", 99)]
for name, layout in {"conv_1d": "w,w->w", "conv_2d": "hw,hw->hw", "conv_3d": "dhw,dhw->dhw"}.items():
    (inputs, kernel), out = layout.split("->")[0].split(","), layout.split("->")[1]
    convolution(f"linalg.{name}", inputs, kernel, out, SOME)
LAYOUTS = """
conv_1d_nwc_wcf nwf           conv_1d_ncw_fcw nfw           conv_2d_nhwc_hwcf nhwf        conv_2d_nhwc_fhwc nhwf
conv_2d_nchw_fchw nfhw        conv_2d_ngchw_fgchw ngfhw     conv_2d_ngchw_gfchw ngfhw     conv_2d_nhwgc_gfhwc nhwgf
conv_3d_ndhwc_dhwcf ndhwf     conv_3d_ncdhw_fcdhw nfdhw     conv_2d_nhwc_hwcf_q nhwf      conv_2d_nhwc_fhwc_q nhwf
conv_2d_nchw_fchw_q nfhw      conv_2d_ngchw_gfchw_q ngfhw   conv_2d_nhwgc_gfhwc_q nhwgf   conv_3d_ndhwc_dhwcf_q ndhwf
depthwise_conv_1d_nwc_wc nwc  depthwise_conv_1d_ncw_cw ncw  depthwise_conv_1d_nwc_wcm nwcm
depthwise_conv_2d_nhwc_hwc nhwc         depthwise_conv_2d_nchw_chw nchw         depthwise_conv_2d_nhwc_hwc_q nhwc
depthwise_conv_2d_nhwc_hwcm nhwcm       depthwise_conv_2d_nhwc_hwcm_q nhwcm
depthwise_conv_3d_ndhwc_dhwc ndhwc      depthwise_conv_3d_ncdhw_cdhw ncdhw      depthwise_conv_3d_ndhwc_dhwcm ndhwcm
""".split()
for name, out in zip(LAYOUTS[::2], LAYOUTS[1::2]):
    parts = name.split("_")
    quantized = parts[-1] == "q"
    inputs, kernel = parts[-3:-1] if quantized else parts[-2:]
    convolution(f"linalg.{name}", inputs, kernel, out, QUANTIZED if quantized else SOME, quantized=quantized)
POOLINGS = {"sum": np.add, "max": np.maximum, "min": np.minimum, "max_unsigned": np.maximum, "min_unsigned": np.minimum}
for layout, ops in {
    "nhwc": POOLINGS,
    "nwc": POOLINGS,
    "nchw": ("sum", "max"),
    "ncw": ("sum", "max"),
    "ndhwc": ("sum", "max", "min"),
}.items():
    for op in ops:
        kernel = "".join(s for s in layout if s in KERNEL)
        types = [("i4", "i4", 99)] if "unsigned" in op else [TYPES[0], TYPES[1], ("bf16", "bf16", 2), TYPES[6]]
        convolution(f"linalg.pooling_{layout}_{op}", layout, kernel, layout, types, POOLINGS[op])

# ---- softmax, layouts of tiles, Winograd ---------------------------------------------------------


def softmax(x, axis):
    e = np.exp(x.astype("f8") - x.max(axis, keepdims=True))
    return (e / e.sum(axis, keepdims=True)).astype(x.dtype)


for axis, dynamic in itertools.product(range(3), (False, True)):
    case(
        "linalg.softmax",
        f"  %y = linalg.softmax dimension({axis}) ins(%a : $A) outs(%b : $B) -> $Y",
        [T, np.zeros_like(T)],
        softmax(T, axis),
        dynamic=dynamic,
    )


def packed(x, tiles, dims, outer, pad=0):
    """Whole tiles behind the rest."""
    more = [(0, 0)] * x.ndim
    for d, t in zip(dims, tiles):
        more[d] = (0, -x.shape[d] % t)
    x = np.pad(x, more, constant_values=pad)
    shape, order = [], []
    for d in range(x.ndim):
        order.append(len(shape))
        shape += [x.shape[d] // tiles[dims.index(d)], tiles[dims.index(d)]] if d in dims else [x.shape[d]]
    inner = [order[d] + 1 for d in dims]
    return x.reshape(shape).transpose([order[d] for d in outer] + inner).copy()


M = draw((6, 12), "f4")
for x, tiles, dims, outer in (
    (M, (3, 4), (0, 1), (0, 1)),
    (M, (4, 3), (1, 0), (1, 0)),
    (M, (4,), (1,), (0, 1)),
    (P, (2, 8), (0, 1), (0, 1)),
):
    p = packed(x, tiles, dims, outer, 0.5)
    clause = f"outer_dims_perm = {list(outer)} inner_dims_pos = {list(dims)} inner_tiles = {list(tiles)}"
    case(
        "linalg.pack",
        f"""  %pad = arith.constant 0.5 : f32
  %y = linalg.pack %a padding_value(%pad : f32) {clause} into %b : $A -> $B""",
        [x, np.zeros_like(p)],
        p,
    )
    case("linalg.unpack", f"  %y = linalg.unpack %a {clause} into %b : $A -> $B", [p, np.zeros_like(x)], x)
# Tiles whose sizes are computed, with a padding, and beside known ones without.
TILES = """  %t0 = tensor.extract %c[] : $C
  %t = arith.index_cast %t0 : i64 to index
  %pad = arith.constant 0.5 : f32
"""
for x, tile, more, dims, outer in (
    (draw((10,)), 4, (), (0,), (0,)),
    (P, 3, (8,), (1, 0), (1, 0)),
    (M, 4, (3,), (1, 0), (0, 1)),
):
    p = packed(x, (tile, *more), dims, outer, 0.5)
    sizes = ", ".join(["%t", *map(str, more)])
    clause = f"outer_dims_perm = {list(outer)} inner_dims_pos = {list(dims)} inner_tiles = [{sizes}]"
    kept = f"tensor<{'?x' * (p.ndim - len(more))}{''.join(f'{n}x' for n in more)}f32>"
    front = f"{TILES}  %e = tensor.cast %b : $B to {kept}\n"
    padding = "" if x is M else " padding_value(%pad : f32)"
    case(
        "linalg.pack",
        f"{front}  %q = linalg.pack %a{padding} {clause} into %e : $A -> {kept}\n  %y = tensor.cast %q : {kept} to $Y",
        [x, np.zeros_like(p), np.array(tile)],
        p,
        dynamic=True,
    )
    back = "  %f = tensor.cast %a : $A to " + kept
    case(
        "linalg.unpack",
        f"{TILES}{back}\n  %y = linalg.unpack %f {clause} into %b : {kept} -> $B",
        [p, np.zeros_like(x), np.array(tile)],
        x,
        dynamic=True,
    )

IMAGE, FILTER = draw((2, 6, 6, 3)), draw((4, 3, 3, 3), seed=1)
CONVOLVED = sum(
    np.einsum("nhwc,fc->nhwf", IMAGE[:, i : i + 4, j : j + 4], FILTER[:, i, j]) for i in range(3) for j in range(3)
)
WINOGRAD = """  %ef = tensor.empty() : tensor<4x4x3x4xf32>
  %f = linalg.winograd_filter_transform fmr(F_2_3) ins(%b : $B) outs(%ef : tensor<4x4x3x4xf32>) -> tensor<4x4x3x4xf32>
  %ei = tensor.empty() : tensor<4x4x2x2x2x3xf32>
  %i = linalg.winograd_input_transform fmr(F_2_3) ins(%a : $A) outs(%ei : tensor<4x4x2x2x2x3xf32>)
      -> tensor<4x4x2x2x2x3xf32>
  %cf = tensor.collapse_shape %f [[0, 1], [2], [3]] : tensor<4x4x3x4xf32> into tensor<16x3x4xf32>
  %ci = tensor.collapse_shape %i [[0, 1], [2, 3, 4], [5]] : tensor<4x4x2x2x2x3xf32> into tensor<16x8x3xf32>
  %z0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8x4xf32>
  %z1 = linalg.fill ins(%z0 : f32) outs(%e : tensor<16x8x4xf32>) -> tensor<16x8x4xf32>
  %m = linalg.batch_matmul ins(%ci, %cf : tensor<16x8x3xf32>, tensor<16x3x4xf32>) outs(%z1 : tensor<16x8x4xf32>)
      -> tensor<16x8x4xf32>
  %x = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [4, 4, 2, 2, 2, 4]
      : tensor<16x8x4xf32> into tensor<4x4x2x2x2x4xf32>
  %y = linalg.winograd_output_transform fmr(F_2_3) ins(%x : tensor<4x4x2x2x2x4xf32>) outs(%c : $C) -> $Y"""
for part in ("filter", "input", "output"):
    case(f"linalg.winograd_{part}_transform", WINOGRAD, [IMAGE, FILTER, np.zeros_like(CONVOLVED)], CONVOLVED, atol=1e-4)
