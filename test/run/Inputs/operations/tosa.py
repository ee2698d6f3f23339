"""TOSA, by --input-dialect=tosa: by element, reductions, layouts, products, shapes, control flow."""

import math

import numpy as np

from operations.cases import bf16, cannot, case, draw, numbers, refused

A, B = draw((3, 8)), draw((3, 8), seed=1)
ROW = draw((1, 8), seed=2)


def constant(name, values, dtype="f4"):
    """A tosa.const of one dimension."""
    v = np.asarray(values, dtype).reshape(-1)
    text = ", ".join(str(x) for x in v.tolist())
    kind = {"f4": "f32", "f2": "f16", "f8": "f64"}.get(dtype, f"i{8 * v.itemsize}")
    t = f"tensor<{v.size}x{kind}>"
    return f'  %{name} = "tosa.const"() {{values = dense<[{text}]> : {t}}} : () -> {t}\n'


def shape(name, *values):
    return (
        f"  %{name} = tosa.const_shape {{values = dense<[{', '.join(map(str, values))}]> : "
        f"tensor<{len(values)}xindex>}} : () -> !tosa.shape<{len(values)}>\n"
    )


def op(name, text, ins, wants, **more):
    case(f"tosa.{name}", text, ins, wants, **more)


# ---- by element -----------------------------------------------------------------------------------

UNARY = {
    "abs": np.abs,
    "ceil": np.ceil,
    "cos": np.cos,
    "erf": np.vectorize(math.erf),
    "exp": np.exp,
    "floor": np.floor,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "tanh": np.tanh,
    "identity": lambda x: x,
}
for name, function in UNARY.items():
    for dtype, close in (("f4", 2e-5), ("bf16", 1.6e-2), ("f2", 2e-3)):
        x = draw((3, 8), dtype, -3, 3)
        want = function(numbers(x).astype("f8"))
        want = bf16(want) if dtype == "bf16" else want.astype(dtype)
        op(name, f"  %y = tosa.{name} %a : ($A) -> $Y", [x], want, rtol=close, dynamic=dtype == "f4")
for name, function in {"log": np.log, "reciprocal": np.reciprocal, "rsqrt": lambda x: 1 / np.sqrt(x)}.items():
    x = draw((3, 8), "f4", 0.2, 9)
    op(name, f"  %y = tosa.{name} %a : ($A) -> $Y", [x], function(x))
X, Y = draw((3, 8), "i4", -99, 99), draw((3, 8), "i4", -99, 99, seed=1)
P, Q = draw((3, 8), "?"), draw((3, 8), "?", seed=1)
op("abs", "  %y = tosa.abs %a : ($A) -> $Y", [X], np.abs(X))
op("bitwise_not", "  %y = tosa.bitwise_not %a : ($A) -> $Y", [X], ~X)
op("logical_not", "  %y = tosa.logical_not %a : ($A) -> $Y", [P], ~P)
op(
    "clz",
    "  %y = tosa.clz %a : ($A) -> $Y",
    [X],
    np.array([[32 - (int(e) & 0xFFFFFFFF).bit_length() for e in r] for r in X], "i4"),
)
op("clamp", "  %y = tosa.clamp %a {min_val = -0.5 : f32, max_val = 1.0 : f32} : ($A) -> $Y", [A], np.clip(A, -0.5, 1))
op(
    "clamp",
    "  %y = tosa.clamp %a {min_val = -5 : i8, max_val = 7 : i8} : ($A) -> $Y",
    [X.astype("i1")],
    np.clip(X, -5, 7).astype("i1"),
)
op("negate", f'{constant("z", 0.0)}  %y = tosa.negate %a, %z, %z : ($A, tensor<1xf32>, tensor<1xf32>) -> $Y', [A], -A)
op(
    "negate",
    f'{constant("z", 3, "i1")}{constant("w", -2, "i1")}  %y = tosa.negate %a, %z, %w : ($A, tensor<1xi8>, '
    "tensor<1xi8>) -> $Y",
    [X.astype("i1")],
    np.clip(3 - X - 2, -128, 127).astype("i1"),
)
BY_NUMBER = [(A, ROW), (X, Y)]
BY_BIT, BY_TRUTH, BY_ORDER = [(X, Y)], [(P, Q)], [(X // 30, Y // 30), (A, A.round())]
FEW = draw((3, 8), "i4", 1, 7)
BINARY = {
    "add": (np.add, BY_NUMBER),
    "sub": (np.subtract, BY_NUMBER),
    "maximum": (np.maximum, BY_NUMBER),
    "minimum": (np.minimum, BY_NUMBER),
    "bitwise_and": (np.bitwise_and, BY_BIT),
    "bitwise_or": (np.bitwise_or, BY_BIT),
    "bitwise_xor": (np.bitwise_xor, BY_BIT),
    "logical_and": (np.logical_and, BY_TRUTH),
    "logical_or": (np.logical_or, BY_TRUTH),
    "logical_xor": (np.logical_xor, BY_TRUTH),
    "logical_left_shift": (np.left_shift, [(X, FEW)]),
    "logical_right_shift": (lambda x, n: (x.view("u4") >> n.view("u4")).view("i4"), [(X, FEW)]),
    "intdiv": (lambda x, n: np.trunc(x / n).astype("i4"), [(X, FEW)]),
    "pow": (np.power, [(np.abs(A), ROW)]),
    "equal": (np.equal, BY_ORDER),
    "greater": (np.greater, BY_ORDER),
    "greater_equal": (np.greater_equal, BY_ORDER),
}
for name, (function, pairs) in BINARY.items():
    for x, y in pairs:
        sizes_later = pairs is BY_NUMBER and x is X
        op(name, f"  %y = tosa.{name} %a, %b : ($A, $B) -> $Y", [x, y], function(x, y), dynamic=sizes_later)
op("mul", f'{constant("s", 0, "i1")}  %y = tosa.mul %a, %b, %s : ($A, $B, tensor<1xi8>) -> $Y', [A, ROW], A * ROW)
op(
    "mul",
    f'{constant("s", 3, "i1")}  %y = tosa.mul %a, %b, %s : ($A, $B, tensor<1xi8>) -> $Y',
    [X, Y],
    ((X.astype("i8") * Y + 4) >> 3).astype("i4"),
)
for rounds, want in ((False, X >> FEW), (True, (X >> FEW) + (X >> (FEW - 1) & 1))):
    op(
        "arithmetic_right_shift",
        f"  %y = tosa.arithmetic_right_shift %a, %b {{round = {str(rounds).lower()}}} : ($A, $B) -> $Y",
        [X, FEW],
        want,
    )
op("select", "  %y = tosa.select %a, %b, %c : ($A, $B, $C) -> $Y", [P, A, ROW], np.where(P, A, ROW))
for x, want in (
    (A * 9, np.rint(A * 9).astype("i4")),
    (A * 1e3, np.clip(np.rint(A * 1e3), -128, 127).astype("i1")),
    (X, X.astype("f4")),
    (A.round(), A.round() != 0),
    (A, bf16(A)),
):
    op("cast", "  %y = tosa.cast %a : ($A) -> $Y", [x], want)
TABLE = draw((256,), "i1", -128, 127)
BYTES = X.astype("i1")
op("table", "  %y = tosa.table %a, %b : ($A, $B) -> $Y", [BYTES, TABLE], TABLE[BYTES.astype("i4") + 128])
LINE = draw((513,), "i2", -30000, 30000)
SHORTS = draw((3, 8), "i2", -32768, 32767)
AT = (SHORTS.astype("i4") >> 7) + 256
op(
    "table",
    "  %y = tosa.table %a, %b : ($A, $B) -> $Y",
    [SHORTS, LINE],
    ((LINE[AT].astype("i4") << 7) + (LINE[AT + 1].astype("i4") - LINE[AT]) * (SHORTS.astype("i4") & 127)).astype("i4"),
)
MULTIPLIER, SHIFT = 1342177280, 33  # 0.15625
SCALED = ((X.astype("i8") * MULTIPLIER + (1 << SHIFT - 1)) >> SHIFT).astype("i4")
op(
    "apply_scale",
    f"""  %m = "tosa.const"() {{values = dense<{MULTIPLIER}> : tensor<3x8xi32>}} : () -> tensor<3x8xi32>
  %s = "tosa.const"() {{values = dense<{SHIFT}> : tensor<3x8xi8>}} : () -> tensor<3x8xi8>
  %y = tosa.apply_scale %a, %m, %s {{rounding_mode = SINGLE_ROUND}} : ($A, tensor<3x8xi32>, tensor<3x8xi8>) -> $Y""",
    [X],
    SCALED,
)
op(
    "rescale",
    f"""{constant("m", MULTIPLIER, "i4")}{constant("s", SHIFT, "i1")}{constant("p", 0, "i4")}{constant("q", 5, "i1")}
  %y = tosa.rescale %a, %m, %s, %p, %q {{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false,
      input_unsigned = false, output_unsigned = false}}
      : ($A, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> $Y""",
    [X],
    np.clip(SCALED + 5, -128, 127).astype("i1"),
)

# ---- reductions, layouts ---------------------------------------------------------------------------

for axis in (0, 1):
    for name, function in {"sum": np.sum, "product": np.prod, "max": np.max, "min": np.min}.items():
        op(
            f"reduce_{name}",
            f"  %y = tosa.reduce_{name} %a {{axis = {axis} : i32}} : ($A) -> $Y",
            [A],
            function(A, axis, keepdims=True),
        )
    for name, function in {"all": np.all, "any": np.any}.items():
        op(
            f"reduce_{name}",
            f"  %y = tosa.reduce_{name} %a {{axis = {axis} : i32}} : ($A) -> $Y",
            [P],
            function(P, axis, keepdims=True),
        )
    op("argmax", f"  %y = tosa.argmax %a {{axis = {axis} : i32}} : ($A) -> $Y", [A], A.argmax(axis).astype("i4"))
    op(
        "concat",
        f"  %y = tosa.concat %a, %b {{axis = {axis} : i32}} : ($A, $B) -> $Y",
        [A, B],
        np.concatenate([A, B], axis),
    )
    op("reverse", f"  %y = tosa.reverse %a {{axis = {axis} : i32}} : ($A) -> $Y", [A], np.flip(A, axis).copy())
op(
    "pad",
    f"""{shape("s", 1, 0, 2, 3)}{constant("p", 1.5)}
  %y = tosa.pad %a, %s, %p : ($A, !tosa.shape<4>, tensor<1xf32>) -> $Y""",
    [A],
    np.pad(A, ((1, 0), (2, 3)), constant_values=1.5),
)
op("reshape", f'{shape("s", 2, 2, 6)}  %y = tosa.reshape %a, %s : ($A, !tosa.shape<3>) -> $Y', [A], A.reshape(2, 2, 6))
op(
    "slice",
    f'{shape("p", 1, 2)}{shape("s", 2, 5)}  %y = tosa.slice %a, %p, %s : ($A, !tosa.shape<2>, !tosa.shape<2>) ' "-> $Y",
    [A],
    A[1:, 2:7].copy(),
)
op("tile", f'{shape("s", 2, 3)}  %y = tosa.tile %a, %s : ($A, !tosa.shape<2>) -> $Y', [A], np.tile(A, (2, 3)))
T = draw((2, 3, 5))
op("transpose", "  %y = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : ($A) -> $Y", [T], T.transpose(2, 0, 1))
ROWS = np.array([[2, 0, 2, 1], [1, 1, 0, 2]], "i4")
op("gather", "  %y = tosa.gather %a, %b : ($A, $B) -> $Y", [T, ROWS], np.stack([t[i] for t, i in zip(T, ROWS)]))
SCATTERED, NEW = T.copy(), draw((2, 2, 5), seed=3)
for n in (0, 1):
    SCATTERED[n, [[2, 0], [1, 2]][n]] = NEW[n]
op(
    "scatter",
    "  %y = tosa.scatter %a, %b, %c : ($A, $B, $C) -> $Y",
    [T, np.array([[2, 0], [1, 2]], "i4"), NEW],
    SCATTERED,
)
op(
    "const",
    '  %y = "tosa.const"() {values = dense<[1.0, 2.5, -3.0]> : $Y} : () -> $Y',
    [],
    np.array([1, 2.5, -3], "f4"),
)

# ---- products ---------------------------------------------------------------------------------------

ZERO = constant("z", 0.0) + constant("w", 0.0)
M, N = draw((2, 3, 7)), draw((2, 7, 5))
op("matmul", f"{ZERO}  %y = tosa.matmul %a, %b, %z, %w : ($A, $B, tensor<1xf32>, tensor<1xf32>) -> $Y", [M, N], M @ N)
I, J = draw((2, 3, 7), "i1", -99, 99), draw((2, 7, 5), "i1", -99, 99)
op(
    "matmul",
    f'{constant("z", 3, "i1")}{constant("w", -5, "i1")}'
    "  %y = tosa.matmul %a, %b, %z, %w : ($A, $B, tensor<1xi8>, tensor<1xi8>) -> $Y",
    [I, J],
    (I.astype("i4") - 3) @ (J.astype("i4") + 5),
)


def windows(x, kernel, stride, pad, dilation, fill=0):
    """[n, oh, ow, kh, kw, c] of [n, h, w, c]; pad is top, bottom, left, right."""
    x = np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)), constant_values=fill)
    size = [(x.shape[1 + d] - (kernel[d] - 1) * dilation[d] - 1) // stride[d] + 1 for d in (0, 1)]
    at = [np.arange(size[d])[:, None] * stride[d] + np.arange(kernel[d]) * dilation[d] for d in (0, 1)]
    return x[:, at[0][:, None, :, None], at[1][None, :, None, :]]


IMAGE, BIAS = draw((2, 7, 9, 3)), draw((5,), seed=4)
FILTER = draw((5, 2, 3, 3), seed=1)
CONV = f"""{ZERO}  %y = tosa.OP %a, %b, %c, %z, %w {{acc_type = f32, pad = array<i64: PAD>,
      stride = array<i64: STRIDE>ATTR}}
      : ($A, $B, $C, tensor<1xf32>, tensor<1xf32>) -> $Y"""


def convolution(name, ins, want, pad, stride, attributes):
    op(
        name,
        CONV.replace("OP", name).replace("PAD", pad).replace("STRIDE", stride).replace("ATTR", attributes),
        ins,
        want.astype("f4"),
        atol=1e-5,
    )


for pad, stride, dilation in (
    ((0, 0, 0, 0), (1, 1), (1, 1)),
    ((1, 0, 1, 2), (2, 3), (1, 1)),
    ((0, 1, 0, 0), (1, 1), (2, 1)),
):
    # TOSA wants windows that end where the input does.
    total = [
        IMAGE.shape[1 + d] + pad[2 * d] + pad[2 * d + 1] - (FILTER.shape[1 + d] - 1) * dilation[d] - 1 for d in (0, 1)
    ]
    assert not total[0] % stride[0] and not total[1] % stride[1], (total, stride)
    u = windows(IMAGE, (2, 3), stride, pad, dilation)
    text = (
        ", ".join(map(str, pad)),
        ", ".join(map(str, stride)),
        f", dilation = array<i64: {dilation[0]}, {dilation[1]}>",
    )
    convolution("conv2d", [IMAGE, FILTER, BIAS], np.einsum("nhwklc,fklc->nhwf", u, FILTER) + BIAS, *text)
    DEPTH = draw((2, 3, 3, 2), seed=5)
    want = np.einsum("nhwklc,klcm->nhwcm", u, DEPTH)
    convolution("depthwise_conv2d", [IMAGE, DEPTH, draw((6,))], want.reshape(*want.shape[:3], 6) + draw((6,)), *text)
VOLUME, BLOCKS = draw((1, 4, 5, 6, 2)), draw((3, 2, 2, 3, 2), seed=1)
SUM = sum(
    np.einsum("ndhwc,fc->ndhwf", VOLUME[:, i : i + 3, j : j + 4, k : k + 4], BLOCKS[:, i, j, k])
    for i in range(2)
    for j in range(2)
    for k in range(3)
)
convolution(
    "conv3d",
    [VOLUME, BLOCKS, BIAS[:3]],
    SUM + BIAS[:3],
    "0, 0, 0, 0, 0, 0",
    "1, 1, 1",
    ", dilation = array<i64: 1, 1, 1>",
)
for stride, pad in (((1, 1), (0, 0, 0, 0)), ((2, 3), (0, 0, 0, 0)), ((2, 2), (-1, 0, 0, -1))):
    TURNED = np.zeros((2, 6 * stride[0] + 2, 8 * stride[1] + 3, 5))
    for i in range(7):
        for j in range(9):
            TURNED[:, i * stride[0] : i * stride[0] + 2, j * stride[1] : j * stride[1] + 3] += np.einsum(
                "nc,fklc->nklf", IMAGE[:, i, j], FILTER
            )
    top, bottom, left, right = (-p for p in pad)
    TURNED = TURNED[:, top : TURNED.shape[1] - bottom, left : TURNED.shape[2] - right]
    op(
        "transpose_conv2d",
        f"""{ZERO}  %y = tosa.transpose_conv2d %a, %b, %c, %z, %w {{acc_type = f32,
      out_pad = array<i64: {", ".join(map(str, pad))}>, stride = array<i64: {stride[0]}, {stride[1]}>}}
      : ($A, $B, $C, tensor<1xf32>, tensor<1xf32>) -> $Y""",
        [IMAGE, FILTER, BIAS],
        (TURNED + BIAS).astype("f4"),
        atol=1e-5,
    )
BYTE_IMAGE, BYTE_FILTER, WIDE = (
    draw((2, 7, 9, 3), "i1", -99, 99),
    draw((5, 2, 3, 3), "i1", -99, 99),
    draw((5,), "i4", -99, 99),
)
op(
    "conv2d",
    f"""{constant("z", 3, "i1")}{constant("w", -5, "i1")}
  %y = tosa.conv2d %a, %b, %c, %z, %w {{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>,
      dilation = array<i64: 1, 1>}} : ($A, $B, $C, tensor<1xi8>, tensor<1xi8>) -> $Y""",
    [BYTE_IMAGE, BYTE_FILTER, WIDE],
    (
        np.einsum(
            "nhwklc,fklc->nhwf",
            windows(BYTE_IMAGE.astype("i8") - 3, (2, 3), (1, 1), (0, 0, 0, 0), (1, 1)),
            BYTE_FILTER.astype("i8") + 5,
        )
        + WIDE
    ).astype("i4"),
)
POOL = "{kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 0, 0>, stride = array<i64: 2, 3>"
LARGEST = windows(IMAGE, (3, 3), (2, 3), (1, 1, 0, 0), (1, 1), -np.inf).max((3, 4))
op("max_pool2d", f"  %y = tosa.max_pool2d %a {POOL}}} : ($A) -> $Y", [IMAGE], LARGEST)
COUNT = windows(np.ones_like(IMAGE), (3, 3), (2, 3), (1, 1, 0, 0), (1, 1)).sum((3, 4))
op(
    "avg_pool2d",
    f"{ZERO}  %y = tosa.avg_pool2d %a, %z, %w {POOL}, acc_type = f32}} : ($A, tensor<1xf32>, tensor<1xf32>) " "-> $Y",
    [IMAGE],
    windows(IMAGE, (3, 3), (2, 3), (1, 1, 0, 0), (1, 1)).sum((3, 4)) / COUNT,
)
F = draw((2, 4, 8))
for inverse in (False, True):
    z = F + 1j * draw((2, 4, 8), seed=1)
    want = np.fft.ifft2(z) * 32 if inverse else np.fft.fft2(z)
    op(
        "fft2d",
        f"  %y, %z = tosa.fft2d %a, %b {{inverse = {str(inverse).lower()}}} : ($A, $B) -> ($Y, $Z)",
        [F, z.imag.astype("f4")],
        [want.real.astype("f4"), want.imag.astype("f4")],
        atol=1e-4,
    )
want = np.fft.rfft2(F)
op(
    "rfft2d",
    "  %y, %z = tosa.rfft2d %a : ($A) -> ($Y, $Z)",
    [F],
    [want.real.astype("f4"), want.imag.astype("f4")],
    atol=1e-4,
)


def resized(x, scale, offset, border, bilinear):
    n = [(x.shape[1 + d] - 1) * scale[2 * d] - offset[d] + border[d] for d in (0, 1)]
    size = [n[d] // scale[2 * d + 1] + 1 for d in (0, 1)]
    at, part = [], []
    for d in (0, 1):
        v = np.arange(size[d]) * scale[2 * d + 1] + offset[d]
        i = v // scale[2 * d]
        part.append((v - i * scale[2 * d]) / scale[2 * d])
        at.append([np.clip(i + k, 0, x.shape[1 + d] - 1) for k in (0, 1)])
    if not bilinear:
        i, j = (np.where(part[d] >= 0.5, at[d][1], at[d][0]) for d in (0, 1))
        return x[:, i[:, None], j]
    return sum(
        x[:, at[0][k][:, None], at[1][l]]
        * (part[0] if k else 1 - part[0])[:, None, None]
        * (part[1] if l else 1 - part[1])[:, None]
        for k in (0, 1)
        for l in (0, 1)
    ).astype("f4")


for mode, bilinear in (("NEAREST_NEIGHBOR", False), ("BILINEAR", True)):
    for scale, offset, border in (
        ((4, 2, 4, 2), (0, 0), (0, 0)),
        ((4, 2, 6, 2), (-1, -2), (1, 2)),
        ((2, 4, 2, 4), (0, 0), (0, 0)),
    ):
        op(
            "resize",
            f"""{shape("s", *scale)}{shape("o", *offset)}{shape("b", *border)}
  %y = tosa.resize %a, %s, %o, %b {{mode = {mode}}} : ($A, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> $Y""",
            [draw((1, 7, 9, 2))],
            resized(draw((1, 7, 9, 2)), scale, offset, border, bilinear),
        )

# ---- shapes -------------------------------------------------------------------------------------------

TWO = ": (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>"
ONE = ": (!tosa.shape<2>) -> !tosa.shape<2>"
FINISH = "  %y = tosa.reshape %a, %s : ($A, !tosa.shape<2>) -> $Y"
for name, p, q in (
    ("add", (1, 6), (3, 0)),
    ("sub", (5, 9), (1, 3)),
    ("mul", (2, 3), (2, 2)),
    ("div_ceil", (7, 11), (2, 2)),
    ("div_floor", (9, 13), (2, 2)),
    ("mod", (9, 13), (5, 7)),
    ("max", (4, 2), (3, 6)),
    ("min", (4, 8), (9, 6)),
):
    op(
        f"{name}_shape",
        f'{shape("p", *p)}{shape("q", *q)}  %s = tosa.{name}_shape %p, %q {TWO}\n{FINISH}',
        [A],
        A.reshape(4, 6),
    )
for name, p, want in (("exp2", (2, 3), (4, 8)), ("log2_ceil", (9, 200), (4, 8)), ("log2_floor", (31, 256), (4, 8))):
    op(
        f"{name}_shape",
        f'{shape("p", *p)}  %s = tosa.{name}_shape %p {ONE}\n{FINISH}',
        [draw((8, 4))],
        draw((8, 4)).reshape(want),
    )
op(
    "concat_shape",
    f"""{shape("p", 4)}{shape("q", 6)}
  %s = tosa.concat_shape %p, %q : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>\n{FINISH}""",
    [A],
    A.reshape(4, 6),
)
op("const_shape", f'{shape("s", 4, 6)}{FINISH}', [A], A.reshape(4, 6))
op(
    "slice_shape",
    f"""{shape("p", 9, 4, 6)}{constant("i", 1, "i4")}{constant("n", 2, "i4")}
  %s = tosa.slice_shape %p, %i, %n : (!tosa.shape<3>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<2>\n{FINISH}""",
    [A],
    A.reshape(4, 6),
)
for dynamic in (False, True):
    op(
        "dim",
        """  %p = tosa.dim %a {axis = 1 : i32} : ($A) -> !tosa.shape<1>
  %q = tosa.dim %a {axis = 0 : i32} : ($A) -> !tosa.shape<1>
  %s = tosa.concat_shape %p, %q : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>\n""" + FINISH,
        [A],
        A.reshape(8, 3),
        dynamic=dynamic,
    )

# ---- control flow, state ---------------------------------------------------------------------------------

for flag in (True, False):
    op(
        "cond_if",
        """  %y = "tosa.cond_if"(%c, %a, %b) ({
  ^bb0(%p: $A, %q: $B):
    %r = tosa.add %p, %q : ($A, $B) -> $Y
    tosa.yield %r : $Y
  }, {
  ^bb0(%p: $A, %q: $B):
    %r = tosa.sub %p, %q : ($A, $B) -> $Y
    tosa.yield %r : $Y
  }) : ($C, $A, $B) -> $Y""",
        [A, B, np.array(flag)],
        A + B if flag else A - B,
    )
for name in ("while_loop", "yield"):
    op(
        name,
        """  %k = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y, %i = "tosa.while_loop"(%a, %k) ({
  ^bb0(%t: $A, %n: tensor<i32>):
    %m = "tosa.const"() {values = dense<3> : tensor<i32>} : () -> tensor<i32>
    %g = tosa.greater %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %g : tensor<i1>
  }, {
  ^bb0(%t: $A, %n: tensor<i32>):
    %o = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
    %j = tosa.add %n, %o : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %u = tosa.tanh %t : ($A) -> $A
    %v = tosa.add %u, %b : ($A, $B) -> $A
    tosa.yield %v, %j : $A, tensor<i32>
  }) : ($A, tensor<i32>) -> ($A, tensor<i32>)""",
        [A, B],
        np.tanh(np.tanh(np.tanh(A) + B) + B) + B,
    )
for name in ("variable", "variable_read", "variable_write"):
    op(
        name,
        f"""  %p = tosa.variable_read @kept_{name} : $A
  tosa.variable_write @kept_{name}, %a : $A
  %q = tosa.variable_read @kept_{name} : $A
  %y = tosa.sub %q, %p : ($A, $A) -> $Y""",
        [A],
        A - np.float32(0.5),
        module=f"tosa.variable @kept_{name} = dense<0.5> : tensor<3x8xf32>",
    )
refused("keeps a value between calls", "tosa.variable", "tosa.variable_read", "tosa.variable_write")
cannot("what it computes is its implementation's to say", "tosa.custom")

# ---- blocks that share a scale ------------------------------------------------------------------------

refused(
    "this compiler does not lower to machine code",
    "tosa.cast_to_block_scaled",
    "tosa.cast_from_block_scaled",
    "tosa.matmul_t_block_scaled",
)

# 32 numbers with few bits, and one of their powers of two.
EXACT = np.random.default_rng(3).choice([-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4], (2, 3, 64)).astype("f4")
EXACT[..., ::32] = 6
SCALE = np.exp2(np.random.default_rng(4).integers(-3, 4, (2, 3, 2, 1))).astype("f4")
SCALED_UP = (EXACT.reshape(2, 3, 2, 32) * SCALE).reshape(2, 3, 64)
TO = """  %d, %s = tosa.cast_to_block_scaled %a {block_size = BLOCK_SIZE_32} : ($A)
      -> (tensor<2x3x64xf4E2M1FN>, tensor<2x3x2xf8E8M0FNU>)
"""
for name in ("cast_to_block_scaled", "cast_from_block_scaled"):
    op(
        name,
        TO + """  %y = tosa.cast_from_block_scaled %d, %s {block_size = BLOCK_SIZE_32}
      : (tensor<2x3x64xf4E2M1FN>, tensor<2x3x2xf8E8M0FNU>) -> $Y""",
        [SCALED_UP],
        SCALED_UP,
    )
op(
    "matmul_t_block_scaled",
    TO + """  %y = tosa.matmul_t_block_scaled %d, %s, %d, %s {block_size = BLOCK_SIZE_32}
      : (tensor<2x3x64xf4E2M1FN>, tensor<2x3x2xf8E8M0FNU>, tensor<2x3x64xf4E2M1FN>, tensor<2x3x2xf8E8M0FNU>) -> $Y""",
    [SCALED_UP],
    SCALED_UP @ SCALED_UP.transpose(0, 2, 1),
)
