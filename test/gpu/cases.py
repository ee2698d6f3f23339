"""Row programs with their inputs and results in NumPy, one for each way that a GPU kernel runs or an operand is read.

A case is (name, text, inputs, outputs, fails): `text` is the program in MLIR, inputs(rng) makes arrays,
outputs(*inputs) says in float64 what is right, `fails` is the message of an assert that has to fail. Arrays of bf16 are
float32 whose low bits are 0, those of floats of 8 bits float32 of their values.
"""
import numpy as np

import chain_cases
import corner_cases
import head_cases
import layer_cases
import stream_cases
import window_cases

CASES = []
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.float32, "i32": np.int32,
          "i64": np.int64, "i1": np.bool_, "i8": np.int8, "f8E4M3FN": np.float32, "f8E5M2": np.float32}
FLOAT8 = {"f8E4M3FN": (3, 7, 0x7E), "f8E5M2": (2, 15, 0x7B)}  # stored digits, bias, the largest number's bits


def bf16(x):
    u = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return (((u + 0x7FFF + ((u >> 16) & 1)) >> 16) << 16).view(np.float32)


def float8_values(t):
    """Of all 256 bits."""
    digits, bias, largest = FLOAT8[t]
    size = np.arange(128)
    exponent, fraction = size >> digits, size % (1 << digits)
    x = np.where(exponent > 0, fraction + (1 << digits), fraction) * 2.0 ** (np.maximum(exponent, 1) - bias - digits)
    x[largest + 1:] = np.nan
    if digits == 2:
        x[largest + 1] = np.inf
    return np.concatenate([x, -x]).astype(np.float32)


def float8_bits(x, t):
    """The nearest, of two the even one; beyond the largest number that one, and infinity where there is one."""
    digits, _, largest = FLOAT8[t]
    values = float8_values(t)[: largest + 1].astype(np.float64)
    ends = np.append((values[1:] + values[:-1]) / 2, values[-1] + (values[-1] - values[-2]) / 2)
    size = np.abs(np.asarray(x, np.float64))
    at = np.searchsorted(ends, size)  # of the middle the lower one
    at += (at % 2 == 1) & (size == ends[np.minimum(at, largest)])
    at = np.where(np.isnan(x), 0x7F, np.minimum(at, largest + (digits == 2)))
    return (at | np.signbit(x) << 7).astype(np.uint8)


def cast(x, t):
    if t in FLOAT8:
        return float8_values(t)[float8_bits(x, t)]
    return bf16(x) if t == "bf16" else np.asarray(x).astype(DTYPES[t])


def case(name, text, inputs, outputs, fails=None, big=False, tolerance=0):
    CASES.append({"name": name, "text": text, "inputs": inputs, "outputs": outputs, "fails": fails, "big": big,
                  "tolerance": tolerance})


def tensor(dims, t):
    return "tensor<" + "".join(f"{d}x" for d in dims) + t + ">"


def program(arguments, results, dims, body):
    """func.func @main over tensors; results: (name, dims, type); `?` sizes come from `dims`: how to name each."""
    signature = ", ".join(f"%{n}: {tensor(d, t)}" for n, d, t in arguments)
    types = ", ".join(tensor(d, t) for _, d, t in results)
    lines = [f"func.func @main({signature}) -> ({types}) {{"]
    lines += [f"  {line}" for line in dims]
    names = {}
    for n, d, t in results:
        sizes = ", ".join(names.get(i, f"%size{i}") for i, x in enumerate(d) if x == "?")
        lines.append(f"  %empty_{n} = tensor.empty({sizes}) : {tensor(d, t)}")
    lines += [f"  {line}" for line in body.strip("\n").split("\n")]
    lines.append("  return " + ", ".join(f"%{n}" for n, _, _ in results) + " : " + types)
    return "\n".join(lines + ["}"]) + "\n"


def sizes(x, dims, t):
    """%size0, %size1 from operand x, where its dims are `?`."""
    out = []
    for i, d in enumerate(dims):
        if d == "?":
            out += [f"%c{i} = arith.constant {i} : index", f"%size{i} = tensor.dim %{x}, %c{i} : {tensor(dims, t)}"]
    return out


def attr(schedule):
    return f" schedule(#sinter.gpu_rows<{schedule}>)" if schedule else ""


def rowsize(n):
    return n if n != "?" else "?"


def wide(t, n, value, to="%w", frm=None):
    if t in ("f16", "bf16"):
        return f"{to} = arith.extf {value} : tensor<{n}x{t}> to tensor<{n}xf32>"
    return None


def softmax(name, m, n, t="f32", schedule=None, dynamic=(False, False), big=False, scale=3.0, first=False):
    """Of rows; first: over the first dimension, of columns."""
    M, N = ("?" if dynamic[0] else m), ("?" if dynamic[1] else n)
    a = "f64" if t == "f64" else "f32"
    half = t in ("f16", "bf16")
    shape, place, axis = ((N, M), "j, i", 0) if first else ((M, N), "i, j", 1)
    body = f"""
%y = sinter.rowwise (i = {M}) by (j = {N}) ins(%x[{place}] : {tensor(shape, t)})
    outs(%empty_y[{place}] : {tensor(shape, t)}){attr(schedule)} {{
^row(%a0: tensor<{N}x{t}>):
  {f'%a = arith.extf %a0 : tensor<{N}x{t}> to tensor<{N}x{a}>' if half else ''}
  %m = sinter.row_reduce maximumf %a : tensor<{N}x{a}> -> {a}
  %mb = sinter.broadcast %m : {a} -> tensor<{N}x{a}>
  %d = arith.subf %a, %mb : tensor<{N}x{a}>
  %e = math.exp %d : tensor<{N}x{a}>
  %s = sinter.row_reduce add %e : tensor<{N}x{a}> -> {a}
  %sb = sinter.broadcast %s : {a} -> tensor<{N}x{a}>
  %q = arith.divf %e, %sb : tensor<{N}x{a}>
  {f'%q0 = arith.truncf %q : tensor<{N}x{a}> to tensor<{N}x{t}>' if half else ''}
  sinter.yield {'%q0' if half else '%q'} : tensor<{N}x{t}>
}}"""
    if not half:
        body = body.replace("%a0:", "%a:")

    def outputs(x):
        x = x.astype(np.float64)
        if not x.size:
            return [x]
        e = np.exp(x - x.max(axis, keepdims=True))
        return [e / e.sum(axis, keepdims=True)]

    case(name, program([("x", shape, t)], [("y", shape, t)], sizes("x", shape, t), body),
         lambda r: [cast(r.standard_normal((n, m) if first else (m, n)) * scale, t)], outputs, big=big)


def softmax_far(name, schedule):
    """Rows far from 0, by little and by as much as there is; elements that are -inf, or the lowest number in their
    place."""
    low = float(np.finfo(np.float32).min)
    body = f"""
%y = sinter.rowwise (i = 12) by (j = 512) ins(%x[i, j] : {tensor((12, 512), 'f32')})
    outs(%empty_y[i, j] : {tensor((12, 512), 'f32')}){attr(schedule)} {{
^row(%a: tensor<512xf32>):
  %m = sinter.row_reduce maximumf %a : tensor<512xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<512xf32>
  %d = arith.subf %a, %mb : tensor<512xf32>
  %e = math.exp %d : tensor<512xf32>
  %s = sinter.row_reduce add %e : tensor<512xf32> -> f32
  %sb = sinter.broadcast %s : f32 -> tensor<512xf32>
  %q = arith.divf %e, %sb : tensor<512xf32>
  sinter.yield %q : tensor<512xf32>
}}"""

    def inputs(r):
        x = r.standard_normal((12, 512)) * 3
        x[:8] += np.array([1e3, -1e4, 1e6, 1e8, -3e8, 1e9, 1.2e9, -1e20])[:, None]
        x[8] = low
        x[9, :300] = low
        x[10, :500] = -np.inf
        x[11] = 1e38 * np.sign(x[11])
        return [x.astype(np.float32)]

    def outputs(x):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        return [e / e.sum(1, keepdims=True)]

    case(name, program([("x", (12, 512), "f32")], [("y", (12, 512), "f32")], [], body), inputs, outputs)


def layer_norm(name, m, n, t="f32", schedule=None, dynamic=False, offset=1000.0, big=False):
    """Of elements whose mean is large beside what they differ by."""
    M, a = ("?" if dynamic else m), "f64" if t == "f64" else "f32"
    half = t in ("f16", "bf16")
    body = f"""
%y = sinter.rowwise (i = {M}) by (j = {n}) ins(%x[i, j] : {tensor((M, n), t)})
    outs(%empty_y[i, j] : {tensor((M, n), t)}){attr(schedule)} {{
^row(%{'a0' if half else 'a'}: tensor<{n}x{t}>):
  {f'%a = arith.extf %a0 : tensor<{n}x{t}> to tensor<{n}x{a}>' if half else ''}
  %n = arith.constant {float(n):e} : {a}
  %eps = arith.constant 1.0e-05 : {a}
  %s = sinter.row_reduce add %a : tensor<{n}x{a}> -> {a}
  %mean = arith.divf %s, %n : {a}
  %meanb = sinter.broadcast %mean : {a} -> tensor<{n}x{a}>
  %d = arith.subf %a, %meanb : tensor<{n}x{a}>
  %q = arith.mulf %d, %d : tensor<{n}x{a}>
  %v0 = sinter.row_reduce add %q : tensor<{n}x{a}> -> {a}
  %v1 = arith.divf %v0, %n : {a}
  %v = arith.addf %v1, %eps : {a}
  %r = math.rsqrt %v : {a}
  %rb = sinter.broadcast %r : {a} -> tensor<{n}x{a}>
  %h = arith.mulf %d, %rb : tensor<{n}x{a}>
  {f'%h0 = arith.truncf %h : tensor<{n}x{a}> to tensor<{n}x{t}>' if half else ''}
  sinter.yield %h{'0' if half else ''} : tensor<{n}x{t}>
}}"""

    def outputs(x):
        x = x.astype(np.float64)
        d = x - x.mean(1, keepdims=True)
        return [d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5)]

    case(name, program([("x", (M, n), t)], [("y", (M, n), t)], sizes("x", (M, n), t), body),
         lambda r: [cast(r.standard_normal((m, n)) + offset, t)], outputs, big=big)


def centred(name, m, n, schedule=None, dynamic=False):
    """Reductions that wait for each other; an output of no reduction, one for each row, one for all."""
    M = "?" if dynamic else m
    body = f"""
%y, %z, %mean, %total = sinter.rowwise (i = {M}) by (j = {n})
    ins(%x[i, j] : {tensor((M, n), 'f32')}, %w[j] : tensor<{n}xf32>) reduce(add [] : f32)
    outs(%empty_y[i, j] : {tensor((M, n), 'f32')}, %empty_z[i, j] : {tensor((M, n), 'f32')},
    %empty_mean[i] : {tensor((M,), 'f32')}, %empty_total[] : tensor<f32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>, %wr: tensor<{n}xf32>):
  %n = arith.constant {float(n):e} : f32
  %s = sinter.row_reduce add %a : tensor<{n}xf32> -> f32
  %m = arith.divf %s, %n : f32
  %mb = sinter.broadcast %m : f32 -> tensor<{n}xf32>
  %d = arith.subf %a, %mb : tensor<{n}xf32>
  %top = sinter.row_reduce maximumf %d : tensor<{n}xf32> -> f32
  %topb = sinter.broadcast %top : f32 -> tensor<{n}xf32>
  %e = arith.divf %d, %topb : tensor<{n}xf32>
  %f = arith.mulf %e, %wr : tensor<{n}xf32>
  %double = arith.addf %a, %wr : tensor<{n}xf32>
  %c = sinter.row_reduce add %double : tensor<{n}xf32> -> f32
  sinter.yield %c, %f, %double, %m : f32, tensor<{n}xf32>, tensor<{n}xf32>, f32
}}"""

    def outputs(x, w):
        x, w = x.astype(np.float64), w.astype(np.float64)
        d = x - x.mean(1, keepdims=True)
        return [d / d.max(1, keepdims=True) * w, x + w, x.mean(1), np.array((x + w).sum())]

    full = (M, n)
    case(name, program([("x", full, "f32"), ("w", (n,), "f32")], [("y", full, "f32"), ("z", full, "f32"),
        ("mean", (M,), "f32"), ("total", (), "f32")], sizes("x", full, "f32"), body),
         lambda r: [(r.standard_normal((m, n)) + 1).astype(np.float32), r.standard_normal(n).astype(np.float32)],
         outputs)


def logsumexp(name, m, n, t="f32", schedule=None, dynamic=(False, False), big=False):
    M, N = ("?" if dynamic[0] else m), ("?" if dynamic[1] else n)
    half = t in ("f16", "bf16")
    a = "f64" if t == "f64" else "f32"
    body = f"""
%y = sinter.rowwise (i = {M}) by (j = {N}) ins(%x[i, j] : {tensor((M, N), t)})
    outs(%empty_y[i] : {tensor((M,), a)}){attr(schedule)} {{
^row(%{'a0' if half else 'a'}: tensor<{N}x{t}>):
  {f'%a = arith.extf %a0 : tensor<{N}x{t}> to tensor<{N}x{a}>' if half else ''}
  %m = sinter.row_reduce maximumf %a : tensor<{N}x{a}> -> {a}
  %mb = sinter.broadcast %m : {a} -> tensor<{N}x{a}>
  %d = arith.subf %a, %mb : tensor<{N}x{a}>
  %e = math.exp %d : tensor<{N}x{a}>
  %s = sinter.row_reduce add %e : tensor<{N}x{a}> -> {a}
  %l = math.log %s : {a}
  %q = arith.addf %l, %m : {a}
  sinter.yield %q : {a}
}}"""

    def outputs(x):
        x = x.astype(np.float64)
        top = x.max(1, keepdims=True)
        return [np.log(np.exp(x - top).sum(1)) + top[:, 0]]

    case(name, program([("x", (M, N), t)], [("y", (M,), a)], sizes("x", (M, N), t), body),
         lambda r: [cast(r.standard_normal((m, n)) * 3, t)], outputs, big=big)


def window(name, stride, taps, t="f32", schedule=None, big=False, at=(2, 3, 9, 32)):
    """A maximum and a mean over a window with a border, and a weight for each tap."""
    n, c, h, w = at
    oh, ow, border = (h - 1) // stride + 1, (w - 1) // stride + 1, taps // 2
    full, out, k = (n, c, h, w), (n, c, oh, ow), taps * taps
    where = f"n, c, i * {stride} + r - {border}, j * {stride} + s - {border}"
    half = t in ("f16", "bf16")
    wide = f"  %b = arith.extf %b0 : tensor<{k}x{t}> to tensor<{k}xf32>" if half else ""
    weight = f"  %v = arith.extf %v0 : tensor<{k}x{t}> to tensor<{k}xf32>" if half else ""
    low = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[t]
    body = f"""
%y, %z = sinter.rowwise (n = {n}, c = {c}, i = {oh}, j = {ow}) by (r = {taps}, s = {taps})
    ins(%x[{where}] : {tensor(full, t)} else {low}, %x[{where}] : {tensor(full, t)} else 0.0,
        %w[c, r, s] : {tensor((c, taps, taps), t)})
    outs(%empty_y[n, c, i, j] : {tensor(out, t)}, %empty_z[n, c, i, j] : {tensor(out, 'f32')}){attr(schedule)} {{
^row(%a: tensor<{k}x{t}>, %b{'0' if half else ''}: tensor<{k}x{t}>, %v{'0' if half else ''}: tensor<{k}x{t}>):
{wide}
{weight}
  %m = sinter.row_reduce maximumf %a : tensor<{k}x{t}> -> {t}
  %p = arith.mulf %b, %v : tensor<{k}xf32>
  %s = sinter.row_reduce add %p : tensor<{k}xf32> -> f32
  sinter.yield %m, %s : {t}, f32
}}"""

    def outputs(x, w):
        x, w = x.astype(np.float64), w.astype(np.float64)
        pads = [(0, 0), (0, 0), (border, border), (border, border)]
        around = [np.lib.stride_tricks.sliding_window_view(np.pad(x, pads, constant_values=v), (taps, taps),
                                                           axis=(2, 3))[:, :, ::stride, ::stride] for v in (-np.inf, 0)]
        return [around[0].max((4, 5)), (around[1] * w[None, :, None, None]).sum((4, 5))]

    case(name, program([("x", full, t), ("w", (c, taps, taps), t)], [("y", out, t), ("z", out, "f32")], [], body),
         lambda r: [cast(r.standard_normal(full), t), cast(r.standard_normal((c, taps, taps)), t)], outputs, big=big)


def window_places(name, stride, taps, schedule=None, at=(2, 3, 9, 12)):
    """A maximum over a window with a border, and the place of the first tap that is equal to it; -1 where there is
    none, as in a window with a NaN."""
    n, c, h, w = at
    oh, ow, border, k = (h - 1) // stride + 1, (w - 1) // stride + 1, taps // 2, taps * taps
    full, out, row = (n, c, h, w), (n, c, oh, ow), f"tensor<{k}xindex>"
    body = f"""
%y, %z = sinter.rowwise (n = {n}, c = {c}, i = {oh}, j = {ow}) by (r = {taps}, s = {taps})
    ins(%x[n, c, i * {stride} + r - {border}, j * {stride} + s - {border}] : {tensor(full, "f32")} else 0xFF800000)
    outs(%empty_y[n, c, i, j] : {tensor(out, "f32")}, %empty_z[n, c, i, j] : {tensor(out, "i64")}){attr(schedule)} {{
^row(%a: tensor<{k}xf32>):
  %none = arith.constant -1 : i64
  %most = arith.constant 2147483647 : i32
  %taps = arith.constant {taps} : index
  %corner = arith.constant {border * w + border} : index
  %stride = arith.constant {stride} : index
  %width = arith.constant {w} : index
  %m = sinter.row_reduce maximumf %a : tensor<{k}xf32> -> f32
  %m1 = sinter.broadcast %m : f32 -> tensor<{k}xf32>
  %e = arith.cmpf oeq, %a, %m1 : tensor<{k}xf32>
  %r = sinter.index r : {row}
  %s = sinter.index s : {row}
  %taps1 = sinter.broadcast %taps : index -> {row}
  %t0 = arith.muli %r, %taps1 : {row}
  %t1 = arith.addi %t0, %s : {row}
  %t = arith.index_cast %t1 : {row} to tensor<{k}xi32>
  %most1 = sinter.broadcast %most : i32 -> tensor<{k}xi32>
  %p = arith.select %e, %t, %most1 : tensor<{k}xi1>, tensor<{k}xi32>
  %f = sinter.row_reduce minsi %p : tensor<{k}xi32> -> i32
  %i = sinter.index i : index
  %j = sinter.index j : index
  %i1 = arith.muli %i, %width : index
  %i2 = arith.addi %i1, %j : index
  %i3 = arith.muli %i2, %stride : index
  %i4 = arith.subi %i3, %corner : index
  %from = sinter.broadcast %i4 : index -> {row}
  %width1 = sinter.broadcast %width : index -> {row}
  %v0 = arith.muli %r, %width1 : {row}
  %v1 = arith.addi %v0, %s : {row}
  %v2 = arith.addi %v1, %from : {row}
  %v = arith.index_cast %v2 : {row} to tensor<{k}xi64>
  %w = sinter.pick %v[%f] else %none : tensor<{k}xi64>, i32
  sinter.yield %m, %w : f32, i64
}}"""

    def inputs(r):
        x = r.integers(-2, 3, full).astype("f4")  # many are equal
        x[0, 0, 4, 5] = np.nan
        return [x]

    def outputs(x):
        pads = [(0, 0), (0, 0), (border, border), (border, border)]
        places = np.broadcast_to(np.arange(h * w).reshape(h, w), full)
        cut = lambda t, v: np.lib.stride_tricks.sliding_window_view(
            np.pad(t, pads, constant_values=v), (taps, taps), axis=(2, 3))[:, :, ::stride, ::stride].reshape(*out, k)
        around, at = cut(x.astype(np.float64), -np.inf), cut(places, -1)
        y = around.max(-1)
        first = np.argmax(around == y[..., None], -1)
        return [y, np.where(np.isnan(y), -1, np.take_along_axis(at, first[..., None], -1)[..., 0])]

    case(name, program([("x", full, "f32")], [("y", out, "f32"), ("z", out, "i64")], [], body), inputs, outputs)


def window_gradient(name, stride, taps, schedule=None, at=(2, 3, 11, 16)):
    """Of a mean over a window: each element gets its part of every place that it was read for."""
    n, c, h, w = at
    oh, ow = (h - taps) // stride + 1, (w - taps) // stride + 1
    full, out, most = (n, c, h, w), (n, c, oh, ow), -(-taps // stride)
    place = lambda d, k: f"{d} floordiv {stride} - {k}"
    tap = lambda d, k: f"{d} mod {stride} + {k} * {stride}"
    body = f"""
%e = tensor.empty() : {tensor((*out, taps, taps), "f32")}
%t = sinter.rowwise (n = {n}, c = {c}, i = {oh}, j = {ow}) by (r = {taps}, s = {taps})
    ins(%g[n, c, i, j] : {tensor(out, "f32")}) outs(%e[n, c, i, j, r, s] : {tensor((*out, taps, taps), "f32")}) {{
^row(%a: f32):
  %d = arith.constant {taps * taps}.0 : f32
  %q = arith.divf %a, %d : f32
  %r = sinter.broadcast %q : f32 -> tensor<{taps * taps}xf32>
  sinter.yield %r : tensor<{taps * taps}xf32>
}}
%x = sinter.rowwise (n = {n}, c = {c}, p = {h}, q = {w}) by (k = {most}, l = {most})
    ins(%t[n, c, {place("p", "k")}, {place("q", "l")}, {tap("p", "k")}, {tap("q", "l")}]
            : {tensor((*out, taps, taps), "f32")} else 0.0)
    outs(%empty_x[n, c, p, q] : {tensor(full, "f32")}){attr(schedule)} {{
^row(%a: tensor<{most * most}xf32>):
  %s = sinter.row_reduce add %a : tensor<{most * most}xf32> -> f32
  sinter.yield %s : f32
}}"""

    def outputs(g):
        x = np.zeros(full)
        for i in range(oh):
            for j in range(ow):
                x[:, :, i * stride:i * stride + taps, j * stride:j * stride + taps] += (
                    g[:, :, i, j, None, None].astype(np.float64) / taps ** 2)
        return [x]

    case(name, program([("g", out, "f32")], [("x", full, "f32")], [], body),
         lambda r: [r.standard_normal(out).astype("f4")], outputs)


def column_means(name, m, n, t="f32", dynamic=False, big=False):
    """Of each column over all rows; large enough for columns to be rows of their own."""
    half, M, N = t in ("f16", "bf16"), "?" if dynamic else m, "?" if dynamic else n
    body = f"""
%y = sinter.rowwise (i = {M}) by (j = {N}) ins(%x[i, j] : {tensor((M, N), t)}) reduce(add [j] : f32)
    outs(%empty_y[j] : {tensor((N,), 'f32')}) {{
^row(%a: tensor<{N}x{t}>):
  {f'%b = arith.extf %a : tensor<{N}x{t}> to tensor<{N}xf32>' if half else ''}
  sinter.yield %{'b' if half else 'a'} : tensor<{N}xf32>
}} finish {{
^done(%s: tensor<{N}xf32>):
  %one = arith.constant {1 / m:.9e} : f32
  %over = sinter.broadcast %one : f32 -> tensor<{N}xf32>
  %q = arith.mulf %s, %over : tensor<{N}xf32>
  sinter.yield %q : tensor<{N}xf32>
}}"""
    columns = ["%c1 = arith.constant 1 : index", f"%size0 = tensor.dim %x, %c1 : {tensor((M, N), t)}"]
    case(name, program([("x", (M, N), t)], [("y", (N,), "f32")], columns, body),
         lambda r: [cast(r.standard_normal((m, n)) + 1, t)], lambda x: [x.astype(np.float64).mean(0)], big=big)


def sums_apart(name, m, n, t="f32", schedule=None, even=None, exponentials=False):
    """Of each column, which is a row of its own, or of exponentials; where sizes are even, as `even` says."""
    half = t in ("f16", "bf16")
    a = "b" if half else "a"
    summed = f"""%s = sinter.row_reduce add %{a} : tensor<?xf32> -> f32"""
    if exponentials:
        summed = f"""%top = sinter.row_reduce maximumf %{a} : tensor<?xf32> -> f32
  %tops = sinter.broadcast %top : f32 -> tensor<?xf32>
  %under = arith.subf %{a}, %tops : tensor<?xf32>
  %e = math.exp %under : tensor<?xf32>
  %s0 = sinter.row_reduce add %e : tensor<?xf32> -> f32
  %log = math.log %s0 : f32
  %s = arith.addf %log, %top : f32"""
    both = f"{schedule}, even = #sinter.gpu_rows<{schedule}, {even}>"
    body = f"""
%y = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : {tensor(('?', '?'), t)})
    outs(%empty_y[j] : {tensor(('?',), 'f32')}){attr(both)} {{
^row(%a: tensor<?x{t}>):
  {f'%b = arith.extf %a : tensor<?x{t}> to tensor<?xf32>' if half else ''}
  {summed}
  sinter.yield %s : f32
}}"""
    columns = ["%c1 = arith.constant 1 : index", f"%size0 = tensor.dim %x, %c1 : {tensor(('?', '?'), t)}"]
    of = (lambda x: np.log(np.exp(x).sum(0))) if exponentials else (lambda x: x.sum(0))
    case(name, program([("x", ("?", "?"), t)], [("y", ("?",), "f32")], columns, body),
         lambda r: [cast(r.standard_normal((m, n)) + 1, t)], lambda x: [of(x.astype(np.float64))])


def column_variances(name, m, n, t="f32"):
    """Of each column over all rows: a mean that a sum of squares waits for."""
    half = t in ("f16", "bf16")
    widened = lambda v, w: f"%{w} = arith.extf %{v} : tensor<{n}x{t}> to tensor<{n}xf32>" if half else ""
    a = "b" if half else "a"
    over = lambda v, k: f"""finish {{
^done(%s: tensor<{n}xf32>):
  %one = arith.constant {1 / k:.9e} : f32
  %over = sinter.broadcast %one : f32 -> tensor<{n}xf32>
  %q = arith.mulf %s, %over : tensor<{n}xf32>
  sinter.yield %q : tensor<{n}xf32>
}}"""
    body = f"""
%m = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, n), t)}) reduce(add [j] : f32)
    outs(%empty_y[j] : {tensor((n,), 'f32')}) {{
^row(%a: tensor<{n}x{t}>):
  {widened("a", "b")}
  sinter.yield %{a} : tensor<{n}xf32>
}} {over("s", m)}
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, n), t)}, %m[j] : {tensor((n,), 'f32')})
    reduce(add [j] : f32) outs(%empty_y[j] : {tensor((n,), 'f32')}) {{
^row(%a: tensor<{n}x{t}>, %c: tensor<{n}xf32>):
  {widened("a", "b")}
  %d = arith.subf %{a}, %c : tensor<{n}xf32>
  %e = arith.mulf %d, %d : tensor<{n}xf32>
  sinter.yield %e : tensor<{n}xf32>
}} {over("s", m - 1)}"""
    case(name, program([("x", (m, n), t)], [("y", (n,), "f32")], [], body),
         lambda r: [cast(r.standard_normal((m, n)) + 1, t)], lambda x: [x.astype(np.float64).var(0, ddof=1)])


def turned(name, b, m, n, t="f32", schedule=None, dynamic=False, back=False):
    """A matrix and another's transpose, of several; back: a result the other way round, too."""
    B, M, N = ("?", "?", "?") if dynamic else (b, m, n)
    here, there, w, v = tensor((B, M, N), t), tensor((B, N, M), t), tensor((M,), t), tensor((N,), t)
    sizes = [f"%c{d} = arith.constant {d} : index\n  %size{d} = tensor.dim %x, %c{d} : {here}" for d in range(3)]
    swapped = f"%empty_u = tensor.empty({'%size0, %size2, %size1' if dynamic else ''}) : {there}"
    body = f"""
{swapped if back else ''}
%z{', %u' if back else ''} = sinter.rowwise (k = {B}, i = {M}) by (j = {N})
    ins(%x[k, i, j] : {here}, %y[k, j, i] : {there}, %w[i] : {w}, %v[j] : {v})
    outs(%empty_z[k, i, j] : {here}{f', %empty_u[k, j, i] : {there}' if back else ''}){attr(schedule)} {{
^row(%a: tensor<{N}x{t}>, %b: tensor<{N}x{t}>, %c: {t}, %d: tensor<{N}x{t}>):
  %e = sinter.broadcast %c : {t} -> tensor<{N}x{t}>
  %f = arith.subf %a, %e : tensor<{N}x{t}>
  %g = arith.addf %f, %b : tensor<{N}x{t}>
  %h = arith.addf %b, %d : tensor<{N}x{t}>
  sinter.yield {'%g, %h' if back else '%g'} : {', '.join((1 + back) * [f'tensor<{N}x{t}>'])}
}}"""
    text = program([("x", (B, M, N), t), ("y", (B, N, M), t), ("w", (M,), t), ("v", (N,), t)],
                   [("z", (B, M, N), t)], sizes, body)
    if back:
        text = text.replace(f"-> ({here})", f"-> ({here}, {there})")
        text = text.replace(f"return %z : {here}", f"return %z, %u : {here}, {there}")
    number = lambda r, *shape: cast(r.integers(-8, 8, shape).astype("f4"), t)  # sums of which every type holds
    case(name, text, lambda r: [number(r, b, m, n), number(r, b, n, m), number(r, m), number(r, n)],
         lambda x, y, w, v: [x - w[:, None] + y.swapaxes(1, 2), *([y + v[:, None]] if back else [])])


def row_sums(name, m, n, t="f32"):
    """Sums of squares of rows, both sizes `?`."""
    x, y = tensor(("?", "?"), t), tensor(("?",), "f32")
    wide = "%a" if t == "f32" else "%w"
    widen = "" if t == "f32" else f"%w = arith.extf %a : tensor<?x{t}> to tensor<?xf32>"
    body = f"""
%z = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : {x}) outs(%empty_z[i] : {y}) {{
^row(%a: tensor<?x{t}>):
  {widen}
  %s = arith.mulf {wide}, {wide} : tensor<?xf32>
  %r = sinter.row_reduce add %s : tensor<?xf32> -> f32
  sinter.yield %r : f32
}}"""
    sizes = [f"%c0 = arith.constant 0 : index\n  %size0 = tensor.dim %x, %c0 : {x}"]
    number = lambda r: cast(r.integers(-8, 8, (m, n)).astype("f4"), t)  # sums of which f32 holds
    case(name, program([("x", ("?", "?"), t)], [("z", ("?",), "f32")], sizes, body), lambda r: [number(r)],
         lambda x: [(x * x).sum(1)])


def rows_of_three(name, a, b, c, n, apart=False, dynamic=True):
    """Elements of rows of three dimensions, and a row for all; apart: and a number for some of them."""
    A, B, C, N = ("?",) * 4 if dynamic else (a, b, c, n)
    x, w, v = tensor((A, B, C, N), "f32"), tensor((N,), "f32"), tensor((B,), "f32")
    sizes = [f"%c{d} = arith.constant {d} : index\n  %size{d} = tensor.dim %x, %c{d} : {x}" for d in range(4)]
    body = f"""
%z = sinter.rowwise (i = {A}, j = {B}, k = {C}) by (l = {N})
    ins(%x[i, j, k, l] : {x}, %w[l] : {w}{f', %v[j] : {v}' if apart else ''}) outs(%empty_z[i, j, k, l] : {x}) {{
^row(%a: tensor<{N}xf32>, %b: tensor<{N}xf32>{', %c: f32' if apart else ''}):
  %d = arith.mulf %a, %b : tensor<{N}xf32>
  {f"%e = sinter.broadcast %c : f32 -> tensor<{N}xf32>" if apart else ""}
  %f = arith.addf %d, {"%e" if apart else "%b"} : tensor<{N}xf32>
  sinter.yield %f : tensor<{N}xf32>
}}"""
    arguments = [("x", (A, B, C, N), "f32"), ("w", (N,), "f32")] + [("v", (B,), "f32")] * apart
    number = lambda r, *shape: r.integers(-8, 8, shape).astype("f4")
    case(name, program(arguments, [("z", (A, B, C, N), "f32")], sizes, body),
         lambda r: [number(r, a, b, c, n), number(r, n), *([number(r, b)] if apart else [])],
         lambda x, w, *v: [x * w + (v[0][:, None, None] if apart else w)])


def cross_entropy(name, m, n, label="i64", schedule=None, dynamic=(False, False), fails=None, big=False):
    """Value and gradient; a label outside fails an assert; -100 is ignored."""
    M, N = ("?" if dynamic[0] else m), ("?" if dynamic[1] else n)
    classes = f"%classes = arith.constant {n} : {label}"
    body = f"""
%loss, %dx = sinter.rowwise (i = {M}) by (j = {N})
    ins(%x[i, j] : {tensor((M, N), 'f32')}, %t[i] : {tensor((M,), label)})
    reduce(add [] : f32, add [] : f32)
    outs(%empty_loss[] : tensor<f32>, %empty_dx[i, j] : {tensor((M, N), 'f32')}){attr(schedule)} {{
^row(%a: tensor<{N}xf32>, %t0: {label}):
  %ignored = arith.constant -100 : {label}
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %nolabel = arith.constant 0 : {label}
  {classes}
  %valid = arith.cmpi ne, %t0, %ignored : {label}
  %below = arith.cmpi ult, %t0, %classes : {label}
  %ok0 = arith.cmpi eq, %t0, %ignored : {label}
  %ok = arith.ori %ok0, %below : i1
  cf.assert %ok, "a label is out of range"
  %m = sinter.row_reduce maximumf %a : tensor<{N}xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<{N}xf32>
  %d = arith.subf %a, %mb : tensor<{N}xf32>
  %e = math.exp %d : tensor<{N}xf32>
  %s = sinter.row_reduce add %e : tensor<{N}xf32> -> f32
  %ls = math.log %s : f32
  %p = sinter.pick %d[%t0] else %zero : tensor<{N}xf32>, {label}
  %l0 = arith.subf %ls, %p : f32
  %l = arith.select %valid, %l0, %zero : f32
  %w = arith.select %valid, %one, %zero : f32
  %rs = arith.divf %w, %s : f32
  %rsb = sinter.broadcast %rs : f32 -> tensor<{N}xf32>
  %q = arith.mulf %e, %rsb : tensor<{N}xf32>
  %j = sinter.index j : tensor<{N}xindex>
  %ti = arith.index_cast %t0 : {label} to index
  %tb = sinter.broadcast %ti : index -> tensor<{N}xindex>
  %hit = arith.cmpi eq, %j, %tb : tensor<{N}xindex>
  %wb = sinter.broadcast %w : f32 -> tensor<{N}xf32>
  %zb = sinter.broadcast %zero : f32 -> tensor<{N}xf32>
  %one_hot = arith.select %hit, %wb, %zb : tensor<{N}xi1>, tensor<{N}xf32>
  %g = arith.subf %q, %one_hot : tensor<{N}xf32>
  sinter.yield %l, %w, %g : f32, f32, tensor<{N}xf32>
}} finish {{
^done(%l: f32, %w: f32):
  %mean = arith.divf %l, %w : f32
  sinter.yield %mean : f32
}}"""

    def inputs(r):
        t = r.integers(0, n, m).astype(DTYPES[label])
        if m > 3:
            t[r.random(m) < 0.2] = -100
            t[1] = n - 1
        if fails:
            t[m // 2] = n + 7
        return [(r.standard_normal((m, n)) * 3).astype(np.float32), t]

    def outputs(x, t):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        valid = t != -100
        g = p * valid[:, None]
        g[np.arange(m)[valid], t[valid]] -= 1
        loss = -np.log(p[np.arange(m)[valid], t[valid]]).sum() / valid.sum()
        return [np.array(loss), g]

    case(name, program([("x", (M, N), "f32"), ("t", (M,), label)], [("loss", (), "f32"), ("dx", (M, N), "f32")],
                       sizes("x", (M, N), "f32"), body),
         inputs, outputs, fails=fails, big=big)


def cross_entropy_value(name, m, n, t="f32", dynamic=(False, False), schedule=None, fails=None, big=False):
    """The value alone, of rows that are read once; a label outside fails an assert, by a number of the host's."""
    M, N = ("?" if dynamic[0] else m), ("?" if dynamic[1] else n)
    wide = (f"%a = arith.extf %a0 : tensor<{N}x{t}> to tensor<{N}xf32>" if t != "f32" else "")
    body = f"""
%last = arith.constant 1 : index
%length = tensor.dim %x, %last : {tensor((M, N), t)}
%n = tensor.from_elements %length : tensor<index>
%loss = sinter.rowwise (i = {M}) by (j = {N})
    ins(%x[i, j] : {tensor((M, N), t)}, %t[i] : {tensor((M,), 'i64')}, %n[] : tensor<index>)
    reduce(add [] : f32)
    outs(%empty_loss[] : tensor<f32>){attr(schedule)} {{
^row(%{'a' if t == 'f32' else 'a0'}: tensor<{N}x{t}>, %t0: i64, %classes: index):
  {wide}
  %zero = arith.constant 0.0 : f32
  %place = arith.index_cast %t0 : i64 to index
  %ok = arith.cmpi ult, %place, %classes : index
  cf.assert %ok, "a label is out of range"
  %m = sinter.row_reduce maximumf %a : tensor<{N}xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<{N}xf32>
  %d = arith.subf %a, %mb : tensor<{N}xf32>
  %e = math.exp %d : tensor<{N}xf32>
  %s = sinter.row_reduce add %e : tensor<{N}xf32> -> f32
  %ls = math.log %s : f32
  %p = sinter.pick %d[%t0] else %zero : tensor<{N}xf32>, i64
  %l = arith.subf %ls, %p : f32
  sinter.yield %l : f32
}}"""

    def inputs(r):
        labels = r.integers(0, n, m)
        if fails:
            labels[m // 2] = n + 7
        return [cast(r.standard_normal((m, n)) * 3, t), labels]

    def outputs(x, labels):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        return [np.array(-np.log((e / e.sum(1, keepdims=True))[np.arange(m), labels]).sum())]

    case(name, program([("x", (M, N), t), ("t", (M,), "i64")], [("loss", (), "f32")], [], body), inputs, outputs,
         fails=fails, big=big)


def layer_norm_backward(name, m, n, t="f32", schedule=None, big=False, dynamic=False):
    """dx, dw, db and a scalar: results of every kind, sums of columns among them."""
    half, M = t in ("f16", "bf16"), "?" if dynamic else m
    wide = lambda v, to: (
        f"{to} = arith.extf {v} : tensor<{n}x{t}> to tensor<{n}xf32>"
        if half
        else f"{to} = arith.addf {v}, %zb : tensor<{n}xf32>"
    )
    body = f"""
%dx, %rs, %dw, %db, %total = sinter.rowwise (i = {M}) by (j = {n})
    ins(%x[i, j] : tensor<{M}x{n}x{t}>, %g[i, j] : tensor<{M}x{n}x{t}>, %w[j] : tensor<{n}xf32>)
    reduce(add [j] : f32, add [j] : f32, add [] : f32)
    outs(%empty_dx[i, j] : tensor<{M}x{n}x{t}>, %empty_rs[i] : tensor<{M}xf32>, %empty_dw[j] : tensor<{n}xf32>,
    %empty_db[j] : tensor<{n}xf32>,
         %empty_total[] : tensor<f32>){attr(schedule)} {{
^row(%x0: tensor<{n}x{t}>, %g0: tensor<{n}x{t}>, %wr: tensor<{n}xf32>):
  %zb = arith.constant dense<0.0> : tensor<{n}xf32>
  {wide('%x0', '%a')}
  {wide('%g0', '%gr')}
  %n = arith.constant {float(n):e} : f32
  %eps = arith.constant 1.0e-05 : f32
  %s = sinter.row_reduce add %a : tensor<{n}xf32> -> f32
  %mean = arith.divf %s, %n : f32
  %meanb = sinter.broadcast %mean : f32 -> tensor<{n}xf32>
  %d = arith.subf %a, %meanb : tensor<{n}xf32>
  %q = arith.mulf %d, %d : tensor<{n}xf32>
  %v0 = sinter.row_reduce add %q : tensor<{n}xf32> -> f32
  %v1 = arith.divf %v0, %n : f32
  %v = arith.addf %v1, %eps : f32
  %r = math.rsqrt %v : f32
  %rb = sinter.broadcast %r : f32 -> tensor<{n}xf32>
  %h = arith.mulf %d, %rb : tensor<{n}xf32>
  %gw = arith.mulf %gr, %wr : tensor<{n}xf32>
  %gh = arith.mulf %gw, %h : tensor<{n}xf32>
  %c1 = sinter.row_reduce add %gw : tensor<{n}xf32> -> f32
  %c2 = sinter.row_reduce add %gh : tensor<{n}xf32> -> f32
  %m1 = arith.divf %c1, %n : f32
  %m2 = arith.divf %c2, %n : f32
  %m1b = sinter.broadcast %m1 : f32 -> tensor<{n}xf32>
  %m2b = sinter.broadcast %m2 : f32 -> tensor<{n}xf32>
  %u1 = arith.mulf %h, %m2b : tensor<{n}xf32>
  %u2 = arith.subf %gw, %m1b : tensor<{n}xf32>
  %u3 = arith.subf %u2, %u1 : tensor<{n}xf32>
  %u = arith.mulf %u3, %rb : tensor<{n}xf32>
  %out = {f'arith.truncf %u : tensor<{n}xf32> to tensor<{n}x{t}>' if half else f'arith.addf %u, %zb : tensor<{n}xf32>'}
  %dwr = arith.mulf %gr, %h : tensor<{n}xf32>
  sinter.yield %dwr, %gr, %r, %out, %r : tensor<{n}xf32>, tensor<{n}xf32>, f32, tensor<{n}x{t}>, f32
}} finish {{
^done(%dw0: tensor<{n}xf32>, %db0: tensor<{n}xf32>, %t0: f32):
  %two = arith.constant 2.0 : f32
  %twob = sinter.broadcast %two : f32 -> tensor<{n}xf32>
  %db1 = arith.mulf %db0, %twob : tensor<{n}xf32>
  sinter.yield %dw0, %db1, %t0 : tensor<{n}xf32>, tensor<{n}xf32>, f32
}}"""

    def outputs(x, g, w):
        x, g, w = (v.astype(np.float64) for v in (x, g, w))
        d = x - x.mean(1, keepdims=True)
        r = 1 / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5)
        h = d * r
        gw = g * w
        dx = (gw - gw.mean(1, keepdims=True) - h * (gw * h).mean(1, keepdims=True)) * r
        return [dx, r[:, 0], (g * h).sum(0), 2 * g.sum(0), np.array(r.sum())]

    case(name, program([("x", (M, n), t), ("g", (M, n), t), ("w", (n,), "f32")],
                       [("dx", (M, n), t), ("rs", (M,), "f32"), ("dw", (n,), "f32"), ("db", (n,), "f32"),
                        ("total", (), "f32")], sizes("x", (M, n), t), body),
         lambda r: [cast(r.standard_normal((m, n)) * 2 + 1, t), cast(r.standard_normal((m, n)), t),
                    r.standard_normal(n).astype(np.float32)], outputs, big=big)


def mse(name, dims, t="f32", schedule=None, dynamic=None, big=False):
    """Value and both gradients; all elements are alike."""
    D = dynamic or dims
    names = ["i", "h", "l", "k"][: len(dims) - 1]
    rows = ", ".join(f"{a} = {d}" for a, d in zip(names, D))
    at = ", ".join(names + ["j"])
    N, full = D[-1], tensor(D, t)
    count = 1
    for d in dims:
        count *= d
    body = f"""
%loss, %dx, %dy = sinter.rowwise ({rows}) by (j = {N}) ins(%x[{at}] : {full}, %y[{at}] : {full}, %s[] : tensor<{t}>)
    reduce(add [] : {t})
    outs(%empty_loss[] : tensor<{t}>, %empty_dx[{at}] : {full}, %empty_dy[{at}] : {full}){attr(schedule)} {{
^row(%a: tensor<{N}x{t}>, %b: tensor<{N}x{t}>, %c: {t}):
  %d = arith.subf %a, %b : tensor<{N}x{t}>
  %q = arith.mulf %d, %d : tensor<{N}x{t}>
  %r = sinter.row_reduce add %q : tensor<{N}x{t}> -> {t}
  %cb = sinter.broadcast %c : {t} -> tensor<{N}x{t}>
  %g = arith.mulf %d, %cb : tensor<{N}x{t}>
  %h = arith.negf %g : tensor<{N}x{t}>
  sinter.yield %r, %g, %h : {t}, tensor<{N}x{t}>, tensor<{N}x{t}>
}} finish {{
^done(%r: {t}, %c: {t}):
  %m = arith.mulf %r, %c : {t}
  sinter.yield %m : {t}
}}"""

    def outputs(x, y, s):
        x, y, s = (v.astype(np.float64) for v in (x, y, s))
        d = x - y
        return [np.array((d * d).sum() * s), d * s, -d * s]

    case(name, program([("x", D, t), ("y", D, t), ("s", (), t)], [("loss", (), t), ("dx", D, t), ("dy", D, t)],
                       sizes("x", D, t), body),
         lambda r: [cast(r.standard_normal(dims), t), cast(r.standard_normal(dims), t),
                    np.array(2.0 / count, DTYPES[t])], outputs, big=big)


def elementary(name, m, n, schedule=None, fails=False):
    """Exponentials, logarithms and divisions of each element, and an assert about all of them."""
    t = f"tensor<{n}xf32>"
    body = f"""
%sum, %y = sinter.rowwise (i = {m}) by (j = {n})
    ins(%x[i, j] : {tensor((m, n), 'f32')}, %p[i, j] : {tensor((m, n), 'f32')})
    reduce(add [] : f32) outs(%empty_sum[] : tensor<f32>, %empty_y[i, j] : {tensor((m, n), 'f32')}){attr(schedule)} {{
^row(%a: {t}, %b: {t}):
  %zero = arith.constant dense<0.0> : {t}
  %one = arith.constant dense<1.0> : {t}
  %over = arith.cmpf oge, %b, %zero : {t}
  %under = arith.cmpf ole, %b, %one : {t}
  %in = arith.andi %over, %under : tensor<{n}xi1>
  %ok = sinter.row_reduce and %in : tensor<{n}xi1> -> i1
  cf.assert %ok, "no probability"
  %m = math.absf %a : {t}
  %n = arith.negf %m : {t}
  %e = math.exp %n : {t}
  %l = math.log1p %e : {t}
  %d = arith.addf %e, %one : {t}
  %s = arith.divf %a, %d : {t}
  %lp = math.log %b : {t}
  %q = arith.negf %b : {t}
  %lq = math.log1p %q : {t}
  %y0 = arith.addf %l, %s : {t}
  %y1 = arith.mulf %lp, %lq : {t}
  %y2 = arith.subf %y0, %y1 : {t}
  %r = sinter.row_reduce add %y2 : {t} -> f32
  sinter.yield %r, %y2 : f32, {t}
}}"""

    def inputs(r):
        p = r.random((m, n)) * 0.98 + 0.01
        p.flat[:6] = [1e-40, 1e-30, 1e-5, 0.5, 0.7071068, 0.999999]
        if fails:
            p[m - 1, n - 1] = 1.5
        return [cast(4 * r.standard_normal((m, n)), "f32"), cast(p, "f32")]

    def outputs(x, p):
        x, p = x.astype(np.float64), p.astype(np.float64)
        e = np.exp(-np.abs(x))
        y = np.log1p(e) + x / (e + 1) - np.log(p) * np.log1p(-p)
        return [np.array(y.sum()), y]

    f32 = lambda *dims: (dims, "f32")
    case(name, program([("x", *f32(m, n)), ("p", *f32(m, n))], [("sum", *f32()), ("y", *f32(m, n))], [], body),
         inputs, outputs, fails="no probability" if fails else None)


def far_label(name, m, n, schedule=None):
    """A label that 32 bits would take for one that is inside; a pick of nothing is 0."""
    body = f"""
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, n), 'f32')}, %t[i] : tensor<{m}xi64>)
    outs(%empty_y[i] : tensor<{m}xf32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>, %t0: i64):
  %zero = arith.constant 0.0 : f32
  %p = sinter.pick %a[%t0] else %zero : tensor<{n}xf32>, i64
  sinter.yield %p : f32
}}"""

    def inputs(r):
        t = r.integers(0, n, m)
        t[1::4] += 1 << 32
        t[2::4] -= 1 << 32
        t[3::4] = (1 << 31) + 1
        return [cast(r.standard_normal((m, n)), "f32"), t.astype(np.int64)]

    def outputs(x, t):
        inside = (t >= 0) & (t < n)
        return [np.where(inside, x.astype(np.float64)[np.arange(m), np.where(inside, t, 0)], 0.0)]

    case(name, program([("x", (m, n), "f32"), ("t", (m,), "i64")], [("y", (m,), "f32")], [], body), inputs, outputs)


def rows_apart(name, m, n, wide, schedule=None):
    """The first n columns of rows that begin `wide` elements apart: no multiple of a vector."""
    body = f"""
%y, %s = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, wide), 'f32')})
    outs(%empty_y[i, j] : {tensor((m, n), 'f32')}, %empty_s[i] : tensor<{m}xf32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>):
  %q = arith.mulf %a, %a : tensor<{n}xf32>
  %t = sinter.row_reduce add %q : tensor<{n}xf32> -> f32
  %b = sinter.broadcast %t : f32 -> tensor<{n}xf32>
  %z = arith.subf %a, %b : tensor<{n}xf32>
  sinter.yield %z, %t : tensor<{n}xf32>, f32
}}"""

    def outputs(x):
        x = x.astype(np.float64)[:, :n]
        s = (x * x).sum(1)
        return [x - s[:, None], s]

    case(name, program([("x", (m, wide), "f32")], [("y", (m, n), "f32"), ("s", (m,), "f32")], [], body),
         lambda r: [cast(r.standard_normal((m, wide)), "f32")], outputs)


def dim1(name, b, c, p, t="f32", schedule=None, big=False):
    """Softmax over dimension 1 of rank 3, a value for each pixel, and a sum over all."""
    body = f"""
%y, %l, %s = sinter.rowwise (i = {b}, k = {p}) by (j = {c})
    ins(%x[i, j, k] : tensor<{b}x{c}x{p}xf32>, %w[j] : tensor<{c}xf32>)
    reduce(add [] : f32)
    outs(%empty_y[i, j, k] : tensor<{b}x{c}x{p}xf32>, %empty_l[i, k] : tensor<{b}x{p}xf32>,
    %empty_s[] : tensor<f32>){attr(schedule)} {{
^row(%a: tensor<{c}xf32>, %w0: tensor<{c}xf32>):
  %m = sinter.row_reduce maximumf %a : tensor<{c}xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<{c}xf32>
  %d = arith.subf %a, %mb : tensor<{c}xf32>
  %e = math.exp %d : tensor<{c}xf32>
  %s0 = sinter.row_reduce add %e : tensor<{c}xf32> -> f32
  %sb = sinter.broadcast %s0 : f32 -> tensor<{c}xf32>
  %q = arith.divf %e, %sb : tensor<{c}xf32>
  %qw = arith.mulf %q, %w0 : tensor<{c}xf32>
  %z = sinter.row_reduce add %qw : tensor<{c}xf32> -> f32
  sinter.yield %z, %q, %z : f32, tensor<{c}xf32>, f32
}}"""

    def outputs(x, w):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        q = e / e.sum(1, keepdims=True)
        z = (q * w.astype(np.float64)[None, :, None]).sum(1)
        return [q, z, np.array(z.sum())]

    case(name, program([("x", (b, c, p), t), ("w", (c,), t)], [("y", (b, c, p), t), ("l", (b, p), t), ("s", (), t)],
                       [], body),
         lambda r: [(r.standard_normal((b, c, p)) * 3).astype(np.float32), r.standard_normal(c).astype(np.float32)],
         outputs, big=big)


def accesses(name, m, n, schedule=None):
    """Shifted with a fill value, reversed, strided, transposed, a row of a table by index, a table by computed
    subscripts."""
    body = f"""
%y, %r = sinter.rowwise (i = {m}) by (j = {n})
    ins(%x[i, j] : tensor<{m}x{n}xf32>, %x[i, j - 1] : tensor<{m}x{n}xf32> else 7.0,
    %x[i, {n - 1} - j] : tensor<{m}x{n}xf32>,
        %z[j * 2 + 1, i] : tensor<{2 * n + 2}x{m}xf32>, %e[%t[i] : tensor<{m}xi64>, j] : tensor<11x{n}xf32>,
            %u[?] : tensor<13xf32>, %t[i] : tensor<{m}xi64>)
    outs(%empty_y[i, j] : tensor<{m}x{n}xf32>, %empty_r[i] : tensor<{m}xf32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>, %b: tensor<{n}xf32>, %c: tensor<{n}xf32>, %d: tensor<{n}xf32>, %f: tensor<{n}xf32>,
    %u0: memref<13xf32>, %t0: i64):
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %j = sinter.index j : tensor<{n}xindex>
  %g = sinter.gather %u0[%j] else %half : memref<13xf32>, tensor<{n}xindex> -> tensor<{n}xf32>
  %h = sinter.gather %u0[%t0] else %half : memref<13xf32>, i64 -> f32
  %p = sinter.pick %c[%t0] else %zero : tensor<{n}xf32>, i64
  %s1 = arith.addf %a, %b : tensor<{n}xf32>
  %s2 = arith.mulf %c, %d : tensor<{n}xf32>
  %s3 = arith.addf %s1, %s2 : tensor<{n}xf32>
  %s4 = arith.addf %s3, %f : tensor<{n}xf32>
  %s5 = arith.addf %s4, %g : tensor<{n}xf32>
  %m = sinter.row_reduce maximumf %s5 : tensor<{n}xf32> -> f32
  %hp = arith.addf %h, %p : f32
  %mh = arith.addf %m, %hp : f32
  %mb = sinter.broadcast %mh : f32 -> tensor<{n}xf32>
  %q = arith.subf %s5, %mb : tensor<{n}xf32>
  sinter.yield %q, %mh : tensor<{n}xf32>, f32
}}"""

    def outputs(x, z, e, u, t):
        x, z, e, u = (v.astype(np.float64) for v in (x, z, e, u))
        b = np.concatenate([np.full((m, 1), 7.0), x[:, :-1]], 1)
        c = x[:, ::-1]
        d = z[1::2][:n].T
        g = np.full(n, 0.5)
        g[: min(n, 13)] = u[: min(n, 13)]
        s = x + b + c * d + e[t] + g
        p = np.where(t < n, c[np.arange(m), np.minimum(t, n - 1)], 0)
        mh = s.max(1) + u[t] + p
        return [s - mh[:, None], mh]

    case(name, program([("x", (m, n), "f32"), ("z", (2 * n + 2, m), "f32"), ("e", (11, n), "f32"), ("u", (13,), "f32"),
                        ("t", (m,), "i64")],
                       [("y", (m, n), "f32"), ("r", (m,), "f32")], [], body),
         lambda r: [r.standard_normal((m, n)).astype(np.float32), r.standard_normal((2 * n + 2, m)).astype(np.float32),
                    r.standard_normal((11, n)).astype(np.float32), r.standard_normal(13).astype(np.float32),
                    r.integers(0, 11, m)], outputs)


def overlapping(name, b, h, w, t, shifts, schedule):
    """Vectors of a line that lie anywhere, and overlap: |x[k + 1, l] - x[k, l]| and each |x[k, l + s] - x[k, l]|, or 1
    if that is more; NaN stays."""
    n, m = w - max(shifts), h - 1
    row = f"tensor<{m * n}x{t}>"
    at = ["i, k + 1, l", "i, k, l"] + [f"i, k, l + {s}" for s in shifts]
    x = tensor((b, h, w), t)
    lines = [f"%y = sinter.rowwise (i = {b}) by (k = {m}, l = {n})",
             f"    ins({', '.join(f'%x[{a}] : {x}' for a in at)})",
             f"    outs(%empty_y[i, k, l] : {tensor((b, m, n), t)}){attr(schedule)} {{",
             f"^row({', '.join(f'%v{i}: {row}' for i in range(len(at)))}):",
             f"  %one = arith.constant dense<1.0> : {row}", f"  %s0 = arith.constant dense<0.0> : {row}"]
    for i, v in enumerate([0, *range(2, len(at))]):
        lines += [f"  %d{i} = arith.subf %v{v}, %v1 : {row}", f"  %a{i} = math.absf %d{i} : {row}",
                  f"  %c{i} = arith.cmpf ogt, %a{i}, %one : {row}",
                  f"  %m{i} = arith.select %c{i}, %one, %a{i} : tensor<{m * n}xi1>, {row}",
                  f"  %s{i + 1} = arith.addf %s{i}, %m{i} : {row}"]
    lines += [f"  sinter.yield %s{len(at) - 1} : {row}", "}"]

    def inputs(r):
        v = cast(np.round(r.standard_normal((b, h, w)) * 8) / 8, t)
        v[0, 1, 2] = np.nan
        return [v]

    def outputs(v):
        v = v.astype("f8")
        x0 = v[:, :-1, :n]
        with np.errstate(invalid="ignore"):
            far = [np.abs(y - x0) for y in [v[:, 1:, :n]] + [v[:, :-1, s:s + n] for s in shifts]]
            return [sum(np.where(d > 1, 1, d) for d in far)]

    case(name, program([("x", (b, h, w), t)], [("y", (b, m, n), t)], [], "\n".join(lines)), inputs, outputs)


def middle(name, b, c, p, schedule=None, nan=False):
    """Over the middle dimension: sum, maximum, and where that is first; of a column with a NaN where that is."""
    full, out = (b, c, p), (b, p)
    body = f"""
%s, %m = sinter.rowwise (i = {b}, j = {p}) by (k = {c}) ins(%x[i, k, j] : {tensor(full, "f32")})
    outs(%empty_s[i, j] : {tensor(out, "f32")}, %empty_m[i, j] : {tensor(out, "f32")}){attr(schedule)} {{
^row(%a: tensor<{c}xf32>):
  %t = sinter.row_reduce add %a : tensor<{c}xf32> -> f32
  %n = sinter.row_reduce maximumf %a : tensor<{c}xf32> -> f32
  sinter.yield %t, %n : f32, f32
}}
%zero = arith.constant 0 : i64
%low = arith.constant 0xFF800000 : f32
%e0 = tensor.empty() : {tensor(out, "f32")}
%f0 = linalg.fill ins(%low : f32) outs(%e0 : {tensor(out, "f32")}) -> {tensor(out, "f32")}
%f1 = linalg.fill ins(%zero : i64) outs(%empty_t : {tensor(out, "i64")}) -> {tensor(out, "i64")}
%u, %t = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
    affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>],
    iterator_types = ["parallel", "reduction", "parallel"]}} ins(%x : {tensor(full, "f32")})
    outs(%f0, %f1 : {tensor(out, "f32")}, {tensor(out, "i64")}) {{
^bb0(%in: f32, %best: f32, %at: i64):
  %k = linalg.index 1 : index
  %i = arith.index_cast %k : index to i64
  %n = arith.maximumf %in, %best : f32
  %g = arith.cmpf ogt, %in, %best : f32
  %v = arith.select %g, %i, %at : i64
  linalg.yield %n, %v : f32, i64
}} -> ({tensor(out, "f32")}, {tensor(out, "i64")})"""

    def inputs(r):
        x = r.integers(-9, 10, full).astype("f4")  # many are equal
        if nan:
            x[b - 1, c // 2, p - 1] = np.nan
        return [x]

    def outputs(x):
        wide, found = x.astype(np.float64), np.argmax(x, 1)
        for i, j in zip(*np.where(np.isnan(x).any(1))):  # what stood before the first NaN: it wins no comparison
            found[i, j] = np.argmax(x[i, :np.argmax(np.isnan(x[i, :, j])), j])
        return [wide.sum(1), wide.max(1), found]

    case(name, program([("x", full, "f32")], [("s", out, "f32"), ("m", out, "f32"), ("t", out, "i64")], [], body),
         inputs, outputs)


def halves_of_rows(name, m, n, schedule=None):
    """The first half of each row times the second: nothing meets, so any number of blocks shares a row."""
    body = f"""
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, 2 * n), 'f32')},
    %x[i, j + {n}] : {tensor((m, 2 * n), 'f32')}) outs(%empty_y[i, j] : {tensor((m, n), 'f32')}){attr(schedule)} {{
^row(%a: tensor<{n}xf32>, %b: tensor<{n}xf32>):
  %z = arith.mulf %a, %b : tensor<{n}xf32>
  sinter.yield %z : tensor<{n}xf32>
}}"""
    case(name, program([("x", (m, 2 * n), "f32")], [("y", (m, n), "f32")], [], body),
         lambda r: [cast(r.standard_normal((m, 2 * n)), "f32")],
         lambda x: [x[:, :n].astype(np.float64) * x[:, n:]])


def group_in_one(name, m, groups, k, n, t="f32", schedule=None):
    """Rows of a group's k channels, less their mean, times the channel's own weight, which n columns have."""
    full, N = tensor((m, groups * k, n), t), k * n
    wide = lambda v, to: (f"{to} = arith.extf {v} : {tensor((N,), t)} to {tensor((N,), 'f32')}" if t != "f32" else
                          f"{to} = arith.mulf {v}, %ones : {tensor((N,), t)}")
    body = f"""
%e = tensor.empty() : {tensor((m, groups, k, n), t)}
%z = sinter.rowwise (i = {m}, g = {groups}) by (k = {k}, l = {n}) ins(%x[i, g * {k} + k, l] : {full},
    %w[g * {k} + k] : {tensor((groups * k,), t)})
    outs(%e[i, g, k, l] : {tensor((m, groups, k, n), t)}){attr(schedule)} {{
^row(%a0: {tensor((N,), t)}, %b0: {tensor((N,), t)}):
  %ones = arith.constant dense<1.0> : {tensor((N,), 'f32')}
  {wide("%a0", "%a")}
  {wide("%b0", "%b")}
  %s = sinter.row_reduce add %a : {tensor((N,), 'f32')} -> f32
  %n = arith.constant {float(N):e} : f32
  %m = arith.divf %s, %n : f32
  %mb = sinter.broadcast %m : f32 -> {tensor((N,), 'f32')}
  %d = arith.subf %a, %mb : {tensor((N,), 'f32')}
  %y = arith.mulf %d, %b : {tensor((N,), 'f32')}
  {f"%o = arith.truncf %y : {tensor((N,), 'f32')} to {tensor((N,), t)}" if t != "f32" else
   f"%o = arith.mulf %y, %ones : {tensor((N,), 'f32')}"}
  sinter.yield %o : {tensor((N,), t)}
}}
%y = tensor.collapse_shape %z [[0], [1, 2], [3]] : {tensor((m, groups, k, n), t)} into {full}"""

    def outputs(x, w):
        x = x.astype(np.float64).reshape(m, groups, -1)
        d = (x - x.mean(-1, keepdims=True)).reshape(m, groups * k, n)
        return [d * w.astype(np.float64)[:, None]]

    case(name, program([("x", (m, groups * k, n), t), ("w", (groups * k,), t)], [("y", (m, groups * k, n), t)], [],
                       body), lambda r: [cast(r.standard_normal((m, groups * k, n)) + 1, t),
                                         cast(r.standard_normal(groups * k), t)], outputs)


def any_variance(name, m, shape, t="f32"):
    """Variances in f64 of rows whose dimensions are all `?`, which count their columns."""
    rank = len(shape)
    full, N = tensor(("?",) * (rank + 1), t), tensor(("?",), t)
    cols, names = ", ".join(f"j{k} = ?" for k in range(rank)), ", ".join(f"j{k}" for k in range(rank))
    dims = [f"%c{k} = arith.constant {k} : index\n%d{k} = tensor.dim %x, %c{k} : {full}" for k in range(rank + 1)]
    product = [f"%n1 = arith.muli %d1, %d{k} : index" if k == 2 else f"%n{k - 1} = arith.muli %n{k - 2}, %d{k} : index"
               for k in range(2, rank + 1)]
    count = f"%n{rank - 1}" if rank > 1 else "%d1"
    body = "\n".join([*dims, *product, f"""
%i = arith.index_cast {count} : index to i64
%f = arith.sitofp %i : i64 to f64
%t = tensor.from_elements %f : tensor<f64>
%empty_v = tensor.empty(%d0) : tensor<?xf32>
%v = sinter.rowwise (i = ?) by ({cols}) ins(%x[i, {names}] : {full}, %t[] : tensor<f64>)
    outs(%empty_v[i] : tensor<?xf32>) {{
^row(%a: {N}, %n: f64):
  %w = arith.extf %a : {N} to tensor<?xf64>
  %s = sinter.row_reduce add %w : tensor<?xf64> -> f64
  %m = arith.divf %s, %n : f64
  %b = sinter.broadcast %m : f64 -> tensor<?xf64>
  %d = arith.subf %w, %b : tensor<?xf64>
  %d2 = arith.mulf %d, %d : tensor<?xf64>
  %q = sinter.row_reduce add %d2 : tensor<?xf64> -> f64
  %r = arith.divf %q, %n : f64
  %o = arith.truncf %r : f64 to f32
  sinter.yield %o : f32
}}"""])
    text = f"func.func @main(%x: {full}) -> tensor<?xf32> {{\n{body}\n  return %v : tensor<?xf32>\n}}\n"
    case(name, text, lambda r: [cast(r.standard_normal((m, *shape)) + 30, t)],
         lambda x: [x.astype(np.float64).reshape(m, -1).var(1)])


def scaled_differences(name, m, n, t, schedule=None):
    """2 c (x - mean) of a mean in f64 that f32 has no digits left for: one element of a row differs from the others."""
    N = f"tensor<{n}x"
    body = f"""
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {tensor((m, n), t)}, %c[i] : {tensor((m,), "f32")})
    outs(%empty_y[i, j] : {tensor((m, n), "f32")}){attr(schedule)} {{
^row(%a: {N}{t}>, %f: f32):
  %over = arith.constant {1 / n:.17e} : f64
  %w = arith.extf %a : {N}{t}> to {N}f64>
  %s = sinter.row_reduce add %w : {N}f64> -> f64
  %m = arith.mulf %s, %over : f64
  %b = sinter.broadcast %m : f64 -> {N}f64>
  %d = arith.subf %w, %b : {N}f64>
  %g = arith.extf %f : f32 to f64
  %k = arith.mulf %g, %over : f64
  %ks = sinter.broadcast %k : f64 -> {N}f64>
  %p = arith.mulf %ks, %d : {N}f64>
  %q = arith.addf %p, %p : {N}f64>
  %r = arith.truncf %q : {N}f64> to {N}f32>
  sinter.yield %r : {N}f32>
}}"""

    def inputs(r):
        x = np.full((m, n), 2.0 ** 20 if t == "bf16" else 2.0 ** 11)
        x[np.arange(m), r.integers(0, n, m)] *= 1 + (2.0 ** -7 if t == "bf16" else 2.0 ** -10)
        return [cast(x, t), cast(r.standard_normal(m), "f32")]

    case(name, program([("x", (m, n), t), ("c", (m,), "f32")], [("y", (m, n), "f32")], [], body), inputs,
         lambda x, c: [2 * c.astype(np.float64)[:, None] / n * (x - x.astype(np.float64).mean(1, keepdims=True))])


def columns_apart(name, m, n):
    """Rows times a number of their own, and for each column sums over all rows: so few rows that they are two forms."""
    N, full = tensor((n,), "f32"), tensor((m, n), "f32")
    body = f"""
%y, %w, %b = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {full}, %g[i, j] : {full})
    reduce(add [j] : f32, add [j] : f32)
    outs(%empty_y[i, j] : {full}, %empty_w[j] : {N}, %empty_b[j] : {N}) {{
^row(%a: {N}, %c: {N}):
  %q = arith.mulf %a, %a : {N}
  %s = sinter.row_reduce add %q : {N} -> f32
  %r = math.rsqrt %s : f32
  %t = sinter.broadcast %r : f32 -> {N}
  %u = arith.mulf %a, %t : {N}
  %v = arith.mulf %c, %u : {N}
  sinter.yield %v, %c, %u : {N}, {N}, {N}
}} finish {{
^done(%u: {N}, %v: {N}):
  %n = arith.negf %u : {N}
  sinter.yield %n, %v : {N}, {N}
}}"""

    def outputs(x, g):
        x, g = x.astype(np.float64), g.astype(np.float64)
        y = x / np.sqrt((x * x).sum(1, keepdims=True))
        return [y, -(g * y).sum(0), g.sum(0)]

    case(name, program([("x", (m, n), "f32"), ("g", (m, n), "f32")],
                       [("y", (m, n), "f32"), ("w", (n,), "f32"), ("b", (n,), "f32")], [], body),
         lambda r: [cast(r.standard_normal((m, n)), "f32"), cast(r.standard_normal((m, n)), "f32")], outputs)


def wide_variances(name, shape, rows, t="f32", offset=30.0):
    """Means and variances in f64 of narrower elements, as exporters spell them: of each row, or (rows = 0) of all."""
    n, d = int(np.prod(shape[rows:])), range(len(shape))
    full, out = tensor(shape, t), tensor(shape[:rows], "f64")
    maps = ", ".join(["affine_map<(" + ", ".join(f"d{i}" for i in d) + ") -> (" + ", ".join(
        f"d{i}" for i in d[:k]) + ")>" for k in (len(shape), rows)])
    kinds = ", ".join(['"parallel"'] * rows + ['"reduction"'] * (len(shape) - rows))
    one = ", ".join(["affine_map<(" + ", ".join(f"d{i}" for i in d[:rows]) + ") -> (" + ", ".join(
        f"d{i}" for i in d[:rows]) + ")>"] * 2)
    parallel = ", ".join(['"parallel"'] * rows)
    body = f"""
%zero = arith.constant 0.0 : f64
%n = arith.constant {float(n):e} : f64
%e = tensor.empty() : {out}
%z = linalg.fill ins(%zero : f64) outs(%e : {out}) -> {out}
%s = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins(%x : {full}) outs(%z : {out}) {{
^bb0(%in: {t}, %o: f64):
  %w = arith.extf %in : {t} to f64
  %a = arith.addf %w, %o : f64
  linalg.yield %a : f64
}} -> {out}
%m = linalg.generic {{indexing_maps = [{one}], iterator_types = [{parallel}]}} ins(%s : {out}) outs(%e : {out}) {{
^bb0(%in: f64, %o: f64):
  %a = arith.divf %in, %n : f64
  linalg.yield %a : f64
}} -> {out}
%q = linalg.generic {{indexing_maps = [{maps.replace('>, ', '>, ', 1)}, {maps.split(">, ")[1]}],
    iterator_types = [{kinds}]}} ins(%x, %m : {full}, {out}) outs(%z : {out}) {{
^bb0(%in: {t}, %mean: f64, %o: f64):
  %w = arith.extf %in : {t} to f64
  %d = arith.subf %w, %mean : f64
  %d2 = arith.mulf %d, %d : f64
  %a = arith.addf %d2, %o : f64
  linalg.yield %a : f64
}} -> {out}
%v = linalg.generic {{indexing_maps = [{one}], iterator_types = [{parallel}]}} ins(%q : {out})
    outs(%empty_v : {tensor(shape[:rows], "f32")}) {{
^bb0(%in: f64, %o: f32):
  %a = arith.divf %in, %n : f64
  %b = arith.truncf %a : f64 to f32
  linalg.yield %b : f32
}} -> {tensor(shape[:rows], "f32")}"""

    def outputs(x):
        return [x.astype(np.float64).reshape(*shape[:rows], -1).var(-1)]

    case(name, program([("x", shape, t)], [("v", shape[:rows], "f32")], [], body),
         lambda r: [cast(r.standard_normal(shape) + offset, t)], outputs)


def least_of_rows(name, m, n):
    """The least of each row and where it is first, some rows with a NaN: first, last, or in between."""
    body = f"""
%zero = arith.constant 0 : i64
%high = arith.constant 0x7F800000 : f32
%f0 = linalg.fill ins(%high : f32) outs(%empty_m : tensor<{m}xf32>) -> tensor<{m}xf32>
%f1 = linalg.fill ins(%zero : i64) outs(%empty_t : tensor<{m}xi64>) -> tensor<{m}xi64>
%m, %t = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
    affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}} ins(%x : {tensor((m, n), "f32")})
    outs(%f0, %f1 : tensor<{m}xf32>, tensor<{m}xi64>) {{
^bb0(%in: f32, %best: f32, %at: i64):
  %k = linalg.index 1 : index
  %i = arith.index_cast %k : index to i64
  %n = arith.minimumf %in, %best : f32
  %g = arith.cmpf olt, %in, %best : f32
  %v = arith.select %g, %i, %at : i64
  linalg.yield %n, %v : f32, i64
}} -> (tensor<{m}xf32>, tensor<{m}xi64>)"""

    def inputs(r):
        x = r.integers(-99, 100, (m, n)).astype("f4")  # many are equal
        x[0, n - 1] = x[m // 2, n // 2] = x[m - 1, 0] = np.nan
        return [x]

    def outputs(x):
        found = np.argmin(x, 1)
        for i in np.where(np.isnan(x).any(1))[0]:  # what stood before the first NaN: it wins no comparison
            before = x[i, :np.argmax(np.isnan(x[i]))]
            found[i] = np.argmin(before) if len(before) else 0
        return [x.astype(np.float64).min(1), found]

    case(name, program([("x", (m, n), "f32")], [("m", (m,), "f32"), ("t", (m,), "i64")], [], body), inputs, outputs)


def first_softmax(name, m, n, t="f32"):
    """Over the first dimension, its gradient, and the diagonal's logarithms and their gradient."""
    full, f = tensor((m, n), t), lambda d: tensor(d, "f32")
    body = f"""
%em = tensor.empty() : {f((n,))}
%ef = tensor.empty() : {f((m, n))}
%ed = tensor.empty() : {f((min(m, n),))}
%m = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {full}) reduce(maximumf [j] : f32) outs(%em[j] : {f((n,))}) {{
^row(%a: {tensor((n,), t)}):
  sinter.yield %a : {tensor((n,), t)}
}}
%e = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : {full}, %m[j] : {f((n,))}) outs(%ef[i, j] : {f((m, n))}) {{
^row(%a: {f((n,))}, %b: {f((n,))}):
  %d = arith.subf %a, %b : {f((n,))}
  %p = math.exp %d : {f((n,))}
  sinter.yield %p : {f((n,))}
}}
%s = sinter.rowwise (i = {m}) by (j = {n}) ins(%e[i, j] : {f((m, n))}) reduce(add [j] : f32) outs(%em[j] : {f((n,))}) {{
^row(%a: {f((n,))}):
  sinter.yield %a : {f((n,))}
}}
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%e[i, j] : {f((m, n))}, %s[j] : {f((n,))})
    outs(%ef[i, j] : {f((m, n))}) {{
^row(%a: {f((n,))}, %b: {f((n,))}):
  %d = arith.divf %a, %b : {f((n,))}
  sinter.yield %d : {f((n,))}
}}
%l = sinter.rowwise (i = {min(m, n)}) by () ins(%y[i, i] : {f((m, n))}) outs(%ed[i] : {f((min(m, n),))}) {{
^row(%a: f32):
  %d = math.log %a : f32
  sinter.yield %d : f32
}}
%dx = sinter.differentiate %y upstream(%g) wrt(%x) : ({f((m, n))}, {f((m, n))}, {full}) -> {full}
%dl = sinter.differentiate %l upstream(%h) wrt(%x) : ({f((min(m, n),))}, {f((min(m, n),))}, {full}) -> {full}"""

    def outputs(x, g, h):
        e = np.exp(x.astype(np.float64) - x.max(0))
        y, k = e / e.sum(0), min(m, n)
        dl = np.zeros((m, n))
        dl[:, :k] -= h * y[:, :k]
        dl[np.arange(k), np.arange(k)] += h
        return [y, np.log(y[np.arange(k), np.arange(k)]), y * (g - (g * y).sum(0)), dl]

    lines = [line for line in body.strip("\n").split("\n")]
    signature = f"%x: {full}, %g: {f((m, n))}, %h: {f((min(m, n),))}"
    results = f"{f((m, n))}, {f((min(m, n),))}, {full}, {full}"
    text = [f"func.func @main({signature}) -> ({results}) {{", *(f"  {line}" for line in lines),
            f"  return %y, %l, %dx, %dl : {results}", "}"]
    case(name, "\n".join(text) + "\n",
         lambda r: [cast(r.standard_normal((m, n)), t), r.standard_normal((m, n)).astype("f4"),
                    r.standard_normal(min(m, n)).astype("f4")], outputs)


def group_norm(name, m, c, groups, n):
    """The mean of a group of channels, which each of them reads by its group's number, taken off."""
    k, full, f = c // groups, tensor((m, c, n), "f32"), lambda *d: tensor(d, "f32")
    body = f"""
%em = tensor.empty() : {f(m, groups)}
%m = sinter.rowwise (i = {m}, g = {groups}) by (k = {k}, l = {n}) ins(%x[i, g * {k} + k, l] : {full})
    outs(%em[i, g] : {f(m, groups)}) {{
^row(%a: {f(k * n)}):
  %s = sinter.row_reduce add %a : {f(k * n)} -> f32
  %d = arith.constant {k * n}.0 : f32
  %q = arith.divf %s, %d : f32
  sinter.yield %q : f32
}}
%y = sinter.rowwise (i = {m}, j = {c}) by (l = {n}) ins(%x[i, j, l] : {full}, %m[i, j floordiv {k}] : {f(m, groups)},
    %w[j] : {f(c)}) outs(%empty_y[i, j, l] : {full}) {{
^row(%a: {f(n)}, %b: f32, %c: f32):
  %d = sinter.broadcast %b : f32 -> {f(n)}
  %e = sinter.broadcast %c : f32 -> {f(n)}
  %s = arith.subf %a, %d : {f(n)}
  %t = arith.mulf %s, %e : {f(n)}
  sinter.yield %t : {f(n)}
}}"""

    def outputs(x, w):
        means = x.astype(np.float64).reshape(m, groups, -1).mean(-1).repeat(k, 1)
        return [(x - means[..., None]) * w[:, None]]

    case(name, program([("x", (m, c, n), "f32"), ("w", (c,), "f32")], [("y", (m, c, n), "f32")], [], body),
         lambda r: [r.standard_normal((m, c, n)).astype("f4"), r.standard_normal(c).astype("f4")], outputs)


def parts(name, m, c, h, w):
    """Columns that are neighbours in memory in parts of w only."""
    n, t = c * h * w, f"tensor<{m}x{h}x{c}x{w}xf32>"
    body = f"""
%y = sinter.rowwise (i = {m}) by (c = {c}, h = {h}, w = {w}) ins(%x[i, h, c, w] : {t})
    outs(%empty_y[i, h, c, w] : {t}) {{
^row(%a: tensor<{n}xf32>):
  %m = sinter.row_reduce maximumf %a : tensor<{n}xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<{n}xf32>
  %q = arith.subf %a, %mb : tensor<{n}xf32>
  sinter.yield %q : tensor<{n}xf32>
}}"""
    case(name, program([("x", (m, h, c, w), "f32")], [("y", (m, h, c, w), "f32")], [], body),
         lambda r: [r.standard_normal((m, h, c, w)).astype(np.float32)],
         lambda x: [x.astype(np.float64) - x.max((1, 2, 3), keepdims=True)])


def lookup(name, m, n, fails=False, schedule=None):
    """Rows of a table by index, an index outside fails and reads nothing outside."""
    body = f"""
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%e[%t[i] : tensor<{m}xi32>, j] : tensor<5x{n}xf32>)
    outs(%empty_y[i, j] : tensor<{m}x{n}xf32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>):
  %q = arith.addf %a, %a : tensor<{n}xf32>
  sinter.yield %q : tensor<{n}xf32>
}}"""

    def inputs(r):
        t = r.integers(0, 5, m).astype(np.int32)
        if fails:
            t[m - 1] = 1 << 30
        return [r.standard_normal((5, n)).astype(np.float32), t]

    case(name, program([("e", (5, n), "f32"), ("t", (m,), "i32")], [("y", (m, n), "f32")], [], body), inputs,
         lambda e, t: [2.0 * e.astype(np.float64)[np.minimum(t, 4)]],
         fails="an index is outside of the table that it reads from" if fails else None)


def integers(name, m, n, t, schedule=None):
    """Sum, maximum, and of bits; a mask of i1."""
    body = f"""
%s, %m, %k, %all = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : tensor<{m}x{n}x{t}>) reduce(add [] : {t})
    outs(%empty_s[i] : tensor<{m}x{t}>, %empty_m[i] : tensor<{m}x{t}>, %empty_k[i, j] : tensor<{m}x{n}xi1>,
    %empty_all[] : tensor<{t}>){attr(schedule)} {{
^row(%a: tensor<{n}x{t}>):
  %s0 = sinter.row_reduce add %a : tensor<{n}x{t}> -> {t}
  %m0 = sinter.row_reduce maxsi %a : tensor<{n}x{t}> -> {t}
  %mb = sinter.broadcast %m0 : {t} -> tensor<{n}x{t}>
  %k0 = arith.cmpi eq, %a, %mb : tensor<{n}x{t}>
  sinter.yield %s0, %s0, %m0, %k0 : {t}, {t}, {t}, tensor<{n}xi1>
}}"""

    case(name, program([("x", (m, n), t)], [("s", (m,), t), ("m", (m,), t), ("k", (m, n), "i1"), ("all", (), t)],
                       [], body),
         lambda r: [r.integers(-90, 90, (m, n)).astype(DTYPES[t])],
         lambda x: [x.sum(1, dtype=x.dtype), x.max(1), x == x.max(1, keepdims=True), np.array(x.sum(dtype=x.dtype))])


def column_sums(name, m, n, schedule=None, big=False):
    """A row's element and the sum and the maximum of each column."""
    body = f"""
%y, %s, %m = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : tensor<{m}x{n}xf32>)
    reduce(add [j] : f32, maximumf [j] : f32)
    outs(%empty_y[i, j] : tensor<{m}x{n}xf32>, %empty_s[j] : tensor<{n}xf32>,
    %empty_m[j] : tensor<{n}xf32>){attr(schedule)} {{
^row(%a: tensor<{n}xf32>):
  %q = arith.mulf %a, %a : tensor<{n}xf32>
  sinter.yield %q, %a, %q : tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>
}}"""
    case(name, program([("x", (m, n), "f32")], [("y", (m, n), "f32"), ("s", (n,), "f32"), ("m", (n,), "f32")],
                       [], body),
         lambda r: [r.standard_normal((m, n)).astype(np.float32)],
         lambda x: [x.astype(np.float64) ** 2, (x.astype(np.float64) ** 2).sum(0), x.max(0)], big=big)


def per_row(name, m, schedule=None, dynamic=False):
    """A form without columns, with sums over all rows."""
    M = "?" if dynamic else m
    body = f"""
%y, %s = sinter.rowwise (i = {M}) by () ins(%x[i] : {tensor((M,), 'f32')}) reduce(add [] : f32)
    outs(%empty_y[i] : {tensor((M,), 'f32')}, %empty_s[] : tensor<f32>){attr(schedule)} {{
^row(%a: f32):
  %q = math.tanh %a : f32
  sinter.yield %q, %q : f32, f32
}}"""
    case(name, program([("x", (M,), "f32")], [("y", (M,), "f32"), ("s", (), "f32")], sizes("x", (M,), "f32"), body),
         lambda r: [r.standard_normal(m).astype(np.float32)], lambda x: [np.tanh(x.astype(np.float64)),
             np.array(np.tanh(x.astype(np.float64)).sum())])


def divided(name, m, n, t):
    """Halves by a constant and by each other, a soft cap, and a column that is not in front of another."""
    row = f"tensor<{n}x{t}>"
    body = f"""
%y = sinter.rowwise (i = {m}) by (j = {n}) ins(%x[i, j] : tensor<{m}x{n}x{t}>)
    outs(%empty_y[i, j] : tensor<{m}x{n}x{t}>) {{
^row(%a: {row}):
  %c = arith.constant dense<7.0> : {row}
  %true = arith.constant dense<true> : tensor<{n}xi1>
  %five = arith.constant dense<5> : tensor<{n}xindex>
  %q = arith.divf %a, %c : {row}
  %h = math.tanh %q : {row}
  %k = arith.mulf %h, %c : {row}
  %s = arith.divf %k, %a : {row}
  %j = sinter.index j : tensor<{n}xindex>
  %front = arith.cmpi slt, %j, %five : tensor<{n}xindex>
  %not = arith.xori %front, %true : tensor<{n}xi1>
  %z = arith.select %not, %k, %s : tensor<{n}xi1>, {row}
  sinter.yield %z : {row}
}}"""

    def outputs(x):
        x = cast(x, t).astype(np.float64)
        k = 7 * np.tanh(x / 7)
        return [np.where(np.arange(n) < 5, k / x, k)]

    case(name, program([("x", (m, n), t)], [("y", (m, n), t)], [], body),
         lambda r: [cast(np.sign(r.standard_normal((m, n))) * r.uniform(0.01, 20, (m, n)), t)], outputs)


def shuffled(name, shape, t, schedule):
    """Channels to pixels: pairs that lie apart, side by side."""
    n, c, h, w = shape
    body = f"""
%y = sinter.rowwise (n = {n}, c = {c}, h = {h}, w = {w}) by (p = 2)
    ins(%x[n, c * 2 + p, h, w] : {tensor((n, 2 * c, h, w), t)})
    outs(%empty_y[n, c, h, w, p] : {tensor((n, c, h, w, 2), t)}){attr(schedule)} {{
^row(%a: tensor<2x{t}>):
  sinter.yield %a : tensor<2x{t}>
}}"""
    case(name, program([("x", (n, 2 * c, h, w), t)], [("y", (n, c, h, w, 2), t)], [], body),
         lambda r: [cast(r.standard_normal((n, 2 * c, h, w)), t)],
         lambda x: [x.reshape(n, c, 2, h, w).transpose(0, 1, 3, 4, 2)])


def product(name, rows, columns, sums, a, b, spec, shapes, t=("f32", "f32", "f32"), schedule=None, dims=(), side=None,
            second=None, body=None, more=None, results=None, want=None, inputs=None):
    """sinter.contract (rows) by (columns) product (sums) (%a[a], %b[b]); spec: the same for numpy.einsum.

    t: types of a, b and of the sums. body: of %p, else it is what is stored. more: other operands, (name, dims, type,
    subscripts). results: (name, dims, type, subscripts). side, second: how a and b are read, if not by a and b.
    """
    of = {k: v for group in (rows, columns, sums) for k, v in group}
    n = "x".join(str(v) for _, v in columns)
    n = "?" if "?" in n else int(np.prod([v for _, v in columns]))
    ta, tb = tensor(shapes[0], t[0]), tensor(shapes[1], t[1])
    out = [k for k, _ in rows] + [k for k, _ in columns]
    results = results or [("y", [of[k] for k in out], t[2], ", ".join(out))]
    ins = [(m, tensor(d, e), at) for m, d, e, at in more or []]
    list_of = lambda dims: ", ".join(f"{k} = {v}" for k, v in dims)
    scale = f" schedule(#sinter.mma<{schedule}>)" if schedule else ""
    text = f"%{', %'.join(r[0] for r in results)} = sinter.contract ({list_of(rows)}) by ({list_of(columns)})\n"
    text += f"    product ({list_of(sums)}) ({side or f'%a[{a}] : {ta}'}, {second or f'%b[{b}] : {tb}'}) : {t[2]}\n"
    if ins:
        text += "    ins(" + ", ".join(f"%{m}[{at}] : {d}" for m, d, at in ins) + ")\n"
    if any(len(r) > 4 for r in results):
        text += "    reduce(" + ", ".join(f"add [{r[4]}] : {r[2]}" for r in results if len(r) > 4) + ")\n"
    text += "    outs(" + ", ".join(f"%empty_{r[0]}[{r[3]}] : {tensor(r[1], r[2])}" for r in results) + ")" + scale
    arguments = ", ".join([f"%p: tensor<{n}x{t[2]}>"] + [f"%{m}_: tensor<{n}x{e}>" if set(at.split(", ")) &
                           {k for k, _ in columns} else f"%{m}_: {e}" for m, d, e, at in more or []])
    text += f" {{\n^row({arguments}):\n{body or f'  sinter.yield %p : tensor<{n}x{t[2]}>'}\n}}"
    operands = [("a", shapes[0], t[0]), ("b", shapes[1], t[1])] + [(m, d, e) for m, d, e, _ in more or []]
    real = [[3 if x == "?" else x for x in d] for d in shapes]

    def make(r):
        full = lambda d, e: (r.integers(-5, 6, d).astype(DTYPES[e]) if e[0] == "i"
                             else cast(r.standard_normal(d), e))
        return [full(real[0], t[0]), full(real[1], t[1])] + [full(d, e) for _, d, e, _ in more or []]

    def right(x, y, *others):
        exact = np.int64 if t[2][0] == "i" else np.float64
        p = np.einsum(spec, x.astype(exact), y.astype(exact))
        return want(p, *others) if want else [p]

    case(name, program(operands, [r[:3] for r in results], list(dims), text), inputs or make,
         right if inputs is None or want is None else want)


def products_tf32(name, of, a, b, schedule):
    """f32 by tensor cores: sides are the nearest of 11 bits. None of them is in the middle between two."""
    spec = f"{a.replace(', ', '')},{b.replace(', ', '')}->ij"

    def inputs(r):
        sides = [r.standard_normal(tuple(of[d] for d in s.split(", "))).astype(np.float32) for s in (a, b)]
        for s in sides:
            s.view(np.int32)[...] |= 1
        return sides

    def rounded(x):
        return ((x.view(np.int32) + 0x1000) & ~0x1fff).view(np.float32).astype(np.float64)

    product(name, rows=[("i", of["i"])], columns=[("j", of["j"])], sums=[("k", of["k"])], a=a, b=b, spec=spec,
            shapes=tuple(tuple(of[d] for d in s.split(", ")) for s in (a, b)), schedule=schedule, inputs=inputs,
            want=lambda x, y: [np.einsum(spec, rounded(x), rounded(y))])


def products():
    """Forms with products: tiles of several sizes, each way to read a side, each type, and what follows them."""
    f, t = 'kernel = "fma", ', lambda m, n, k, threads: f"m = {m}, n = {n}, k = {k}, threads = {threads}"
    matmul = dict(rows=[("i", 37)], columns=[("j", 65)], sums=[("k", 129)], a="i, k", b="k, j", spec="ik,kj->ij",
                  shapes=((37, 129), (129, 65)))
    product("product", **matmul)
    product("product_128", **matmul, schedule=f + t(128, 128, 8, 256))
    product("product_sums", **matmul, schedule=f + t(128, 128, 8, 128))
    product("product_few_rows", rows=[("i", 3)], columns=[("j", 265)], sums=[("k", 129)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((3, 129), (129, 265)), schedule=f + t(4, 128, 32, 128))
    product("product_wide", **matmul, schedule=f + t(16, 128, 16, 128) + ", blocks = 2")
    product("product_tickets", **matmul, schedule=f + t(16, 16, 16, 64) + ', blocks = 4, deal = "ticket"')
    product("product_deep", **matmul, schedule=f + t(16, 16, 64, 64))
    product("product_flat", **matmul, schedule=f + t(128, 16, 16, 128))
    product("product_narrow", **matmul, schedule=f + t(8, 8, 8, 32))
    product("product_parts", **matmul, schedule=f + t(16, 16, 8, 64) + ", split = 5")
    product("product_parts_wide", **matmul, schedule=f + t(16, 128, 16, 128) + ", blocks = 2, split = 3")
    product("product_parts_bf16", rows=[("i", 37)], columns=[("j", 65)], sums=[("k", 129)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((37, 129), (129, 65)), t=("bf16", "bf16", "f32"),
            schedule='kernel = "mma.sync", m = 16, n = 128, k = 32, threads = 128, split = 3')
    for a in ("i, k", "k, i"):
        for b in ("j, k", "k, j"):
            of = {"i": 70, "j": 82, "k": 104}
            product("product_f16_" + (a + b).replace(", ", ""), rows=[("i", 70)], columns=[("j", 82)],
                    sums=[("k", 104)], a=a, b=b, spec=f"{a.replace(', ', '')},{b.replace(', ', '')}->ij",
                    t=("f16", "f16", "f32"), shapes=tuple(tuple(of[d] for d in s.split(", ")) for s in (a, b)),
                    schedule='kernel = "mma.sync", m = 64, n = 64, k = 32, threads = 128')
            for kernel in ("f64", "f64.small"):
                product(f"product_{kernel}_" + (a + b).replace(", ", ""), rows=[("i", 70)], columns=[("j", 82)],
                        sums=[("k", 104)], a=a, b=b, spec=f"{a.replace(', ', '')},{b.replace(', ', '')}->ij",
                        t=("f64", "f64", "f64"), shapes=tuple(tuple(of[d] for d in s.split(", ")) for s in (a, b)),
                        schedule=f'kernel = "mma.{kernel}", m = 64, n = 64, k = 16, threads = 128')
            product("product_parts_f32_" + (a + b).replace(", ", ""), rows=[("i", 70)], columns=[("j", 82)],
                    sums=[("k", 104)], a=a, b=b, spec=f"{a.replace(', ', '')},{b.replace(', ', '')}->ij",
                    shapes=tuple(tuple(of[d] for d in s.split(", ")) for s in (a, b)),
                    schedule='kernel = "mma.parts", m = 64, n = 64, k = 16, threads = 128')
            products_tf32(f"product_tf32_{(a + b).replace(', ', '')}", of, a, b,
                          'kernel = "mma.tf32", m = 64, n = 64, k = 16, threads = 128')
    products_tf32("product_tf32_odd", {"i": 37, "j": 65, "k": 129}, "i, k", "k, j",
                  'kernel = "mma.tf32", m = 32, n = 32, k = 32, threads = 64, blocks = 3, split = 2')
    product("product_parts_f32_odd", **matmul,
            schedule='kernel = "mma.parts", m = 32, n = 32, k = 32, threads = 64, blocks = 3, split = 2')
    product("product_f64_odd", rows=[("i", 37)], columns=[("j", 65)], sums=[("k", 129)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((37, 129), (129, 65)), t=("f64", "f64", "f64"),
            schedule='kernel = "mma.f64", m = 32, n = 32, k = 16, threads = 64, blocks = 3, split = 2')
    product("product_f64_widened", rows=[("i", 37)], columns=[("j", 65)], sums=[("k", 129)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((37, 129), (129, 65)), t=("f32", "f64", "f64"))
    product("product_one", rows=[("i", 1)], columns=[("j", 1)], sums=[("k", 1)], a="i, k", b="k, j", spec="ik,kj->ij",
            shapes=((1, 1), (1, 1)))
    product("product_turned", rows=[("i", 37)], columns=[("j", 65)], sums=[("k", 40)], a="k, i", b="j, k",
            spec="ki,jk->ij", shapes=((40, 37), (65, 40)), schedule=f + t(64, 64, 16, 256))
    product("product_no_sum", rows=[("i", 5)], columns=[("j", 9)], sums=[("k", 0)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((5, 0), (0, 9)))
    product("product_groups", rows=[("h", 4), ("i", 9)], columns=[("j", 17)], sums=[("k", 33)], a="h, i, k",
            b="h floordiv 2, j, k", spec="ghik,gjk->ghij", shapes=((4, 9, 33), (2, 17, 33)),
            inputs=lambda r: [r.standard_normal((4, 9, 33)).astype("f4"), r.standard_normal((2, 17, 33)).astype("f4")],
            want=lambda q, k: [np.einsum("hik,hjk->hij", q.astype("f8"), k.astype("f8").repeat(2, 0))])
    product("product_columns_of_both", rows=[("i", 7)], columns=[("j", 30)], sums=[("k", 20)], a="i, j, k", b="j, k",
            spec="ijk,jk->ij", shapes=((7, 30, 20), (30, 20)))
    product("product_columns_of_none", rows=[("i", 7)], columns=[("j", 30)], sums=[("k", 20)], a="i, k", b="k",
            spec="ik,k->i", shapes=((7, 20), (20,)), want=lambda p: [p[:, None].repeat(30, 1)])
    for a, b, c in (("i8", "i8", "i32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("f64", "f64", "f64"),
                    ("bf16", "f32", "f32"), ("i64", "i64", "i64")):
        product(f"product_{a}_{b}", rows=[("i", 20)], columns=[("j", 34)], sums=[("k", 50)], a="i, k", b="k, j",
                spec="ik,kj->ij", shapes=((20, 50), (50, 34)), t=(a, b, c))
    product("product_windows", rows=[("n", 2), ("i", 21)], columns=[("o", 11)], sums=[("c", 3), ("r", 5)], a="",
            b="o, c, r", side="%a[n, c, i * 2 + r - 2] : tensor<2x3x40xf32> else 0.0", spec="",
            shapes=((2, 3, 40), (11, 3, 5)),
            inputs=lambda r: [r.standard_normal((2, 3, 40)).astype("f4"), r.standard_normal((11, 3, 5)).astype("f4")],
            want=lambda x, w: [np.einsum("ncir,ocr->nio", np.lib.stride_tricks.sliding_window_view(
                np.pad(x.astype("f8"), ((0, 0), (0, 0), (2, 5))), 5, 2)[:, :, :42:2], w.astype("f8"))])
    tile = t(16, 128, 32, 64)
    for kernel, of in (("fma", "f32"), ("mma.sync", "bf16")):
        product(f"product_windows_{of}", rows=[("n", 2), ("o", 9)], columns=[("i", 19)], sums=[("c", 3), ("r", 5)],
                a="o, c, r", b="", second=f"%b[n, c, i * 2 + r] : tensor<2x3x41x{of}>", spec="", t=(of, of, "f32"),
                shapes=((9, 3, 5), (2, 3, 41)), schedule=f'kernel = "{kernel}", ' + tile,
                inputs=lambda r, of=of: [cast(r.standard_normal(s), of) for s in ((9, 3, 5), (2, 3, 41))],
                want=lambda w, x: [np.einsum("ncir,ocr->noi", np.lib.stride_tricks.sliding_window_view(
                    x.astype("f8"), 5, 2)[:, :, :37:2], w.astype("f8"))])
    product("product_windows_vectors", rows=[("n", 2), ("y", 7), ("x", 11)], columns=[("o", 70)], a="", b="o, r, s, c",
            sums=[("r", 3), ("s", 3), ("c", 12)], spec="",
            side="%a[n, y + r - 1, x + s - 1, c] : tensor<2x7x11x12xf32> else 0.5",
            shapes=((2, 7, 11, 12), (70, 3, 3, 12)), schedule=f + t(128, 64, 8, 128),
            inputs=lambda r: [r.standard_normal(s).astype("f4") for s in ((2, 7, 11, 12), (70, 3, 3, 12))],
            want=lambda x, w: [np.einsum("nyxcrs,orsc->nyxo", np.lib.stride_tricks.sliding_window_view(
                np.pad(x.astype("f8"), ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=0.5), (3, 3), (1, 2)),
                w.astype("f8"))])
    product("product_gathered", rows=[("i", 19)], columns=[("j", 33)], sums=[("k", 24)], a="", b="j, k",
            side="%a[%t[i] : tensor<19xi32>, k] : tensor<7x24xf32>", spec="", shapes=((7, 24), (33, 24)),
            more=[("t", (19,), "i32", "i")], body="  sinter.yield %p : tensor<33xf32>",
            inputs=lambda r: [r.standard_normal((7, 24)).astype("f4"), r.standard_normal((33, 24)).astype("f4"),
                              r.integers(0, 7, 19).astype(np.int32)],
            want=lambda e, w, t: [e.astype("f8")[t] @ w.astype("f8").T])
    product("product_softmax", **matmul, want=lambda p: [np.exp(p - p.max(1, keepdims=True)) /
                                                         np.exp(p - p.max(1, keepdims=True)).sum(1, keepdims=True)],
            body="""  %m = sinter.row_reduce maximumf %p : tensor<65xf32> -> f32
  %mb = sinter.broadcast %m : f32 -> tensor<65xf32>
  %d = arith.subf %p, %mb : tensor<65xf32>
  %e = math.exp %d : tensor<65xf32>
  %s = sinter.row_reduce add %e : tensor<65xf32> -> f32
  %sb = sinter.broadcast %s : f32 -> tensor<65xf32>
  %q = arith.divf %e, %sb : tensor<65xf32>
  sinter.yield %q : tensor<65xf32>""")
    product("product_bias", **matmul, more=[("c", (65,), "f32", "j"), ("r", (37, 65), "f32", "i, j")],
            body="""  %s = arith.addf %p, %c_ : tensor<65xf32>
  %y = arith.mulf %s, %r_ : tensor<65xf32>
  sinter.yield %y : tensor<65xf32>""", want=lambda p, c, r: [(p + c) * r])
    product("product_column_sums", **matmul, results=[("y", (37, 65), "f32", "i, j"), ("s", (65,), "f32", "j", "j")],
            body="  sinter.yield %p, %p : tensor<65xf32>, tensor<65xf32>", want=lambda p: [p, p.sum(0)])
    product("product_dynamic", rows=[("i", "?")], columns=[("j", "?")], sums=[("k", "?")], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=(("?", "?"), ("?", "?")), results=[("y", ("?", "?"), "f32", "i, j")],
            dims=["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
                  "%size0 = tensor.dim %a, %c0 : tensor<?x?xf32>", "%size1 = tensor.dim %b, %c1 : tensor<?x?xf32>"],
            inputs=lambda r: [r.standard_normal((37, 41)).astype("f4"), r.standard_normal((41, 65)).astype("f4")],
            want=lambda x, y: [x.astype("f8") @ y.astype("f8")])


def computed_sides():
    """Sides that a kernel in front of the product writes: their lines are longer than what is summed."""
    def whole(*dims):
        return lambda r: [cast(r.integers(-3, 4, d).astype("f4"), "bf16") for d in dims]
    product("product_computed_side", rows=[("i", 70)], columns=[("j", 72)], sums=[("k", 130)], a="i, k", b="j, k",
            spec="ik,jk->ij", shapes=((70, 130), (72, 130)), t=("bf16", "bf16", "f32"),
            side="""side(%a[i, k] : tensor<70x130xbf16>, %b[0, k] : tensor<72x130xbf16>) {
^side(%v: tensor<130xbf16>, %g: tensor<130xbf16>):
  %m = arith.mulf %v, %g : tensor<130xbf16>
  %o = arith.constant dense<1.0> : tensor<130xbf16>
  %s = arith.addf %m, %o : tensor<130xbf16>
  sinter.yield %s : tensor<130xbf16>
}""", inputs=whole((70, 130), (72, 130)),
            want=lambda x, w: [(x.astype("f8") * w[0].astype("f8") + 1) @ w.T.astype("f8")])


def staged_products():
    """By wgmma: each tile, each layout of the sides, each type, ends of everything, batches, two products."""
    def tile(m, n, stages, share, blocks=132, group=1, k=64):
        return (f'kernel = "wgmma", m = {m}, n = {n}, k = {k}, threads = 256, stages = {stages}, share = "{share}", '
                f"blocks = {blocks}, group = {group}")

    def plain(name, m, n, k, schedule, a="i, k", b="j, k", t=("bf16", "bf16", "f32"), **more):
        of = {"i": m, "j": n, "k": k}
        at = lambda s: tuple(of[d] for d in s.split(", "))
        product("product_wgmma_" + name, rows=[("i", m)], columns=[("j", n)], sums=[("k", k)], a=a, b=b,
                spec=f"{a.replace(', ', '')},{b.replace(', ', '')}->ij", shapes=(at(a), at(b)), t=t, schedule=schedule,
                **more)

    small = tile(64, 64, 3, "turns", 2)
    plain("tile", 150, 328, 200, tile(128, 256, 4, "tile", 2, 12))
    plain("turns", 300, 200, 136, tile(128, 192, 4, "turns", 3))
    plain("high", 450, 200, 200, tile(192, 128, 4, "turns", 3, 12))
    plain("high_copies", 456, 200, 200, tile(192, 128, 3, "turns", 3, 12), "k, i", "k, j")
    plain("square", 300, 200, 136, tile(128, 128, 6, "turns", 1, 2))
    plain("small", 150, 200, 72, small)
    plain("narrow", 150, 40, 264, tile(64, 32, 16, "turns", 2))
    plain("tall", 200, 72, 264, tile(128, 64, 8, "turns", 1))
    plain("one", 1, 1, 8, small)
    plain("one_row", 1, 200, 1000, tile(64, 32, 16, "turns"))
    product("product_wgmma_vector", rows=[], columns=[("j", 200)], sums=[("k", 136)], a="k", b="j, k", spec="k,jk->j",
            shapes=((136,), (200, 136)), t=("bf16", "bf16", "f32"), schedule=small)
    plain("parts", 150, 72, 1000, tile(64, 64, 3, "turns", 7) + ", split = 3")
    plain("parts_tile", 150, 72, 1000, tile(128, 64, 3, "tile", 3) + ", split = 4")
    plain("parts_uneven", 70, 40, 72 * 8, tile(64, 32, 16, "turns") + ", split = 2", t=("f16", "f16", "f32"))
    plain("deep", 150, 72, 1000, tile(64, 64, 3, "turns", 1))
    plain("deep_tile", 150, 72, 1000, tile(128, 64, 3, "tile", 1))
    plain("many", 700, 520, 64, tile(64, 64, 3, "turns", 3, 4))
    plain("columns_96", 150, 80, 200, tile(128, 96, 7, "tile", 3))
    plain("columns_96_turns", 150, 200, 136, tile(64, 96, 10, "turns", 4))
    pairs = ", cluster = 2"
    plain("pairs_narrow", 500, 40, 264, tile(128, 64, 8, "tile", 4, 12) + pairs, b="k, j")
    plain("pairs_tile", 300, 328, 200, tile(128, 256, 4, "tile", 4, 12) + pairs)
    plain("pairs_turns", 500, 400, 136, tile(128, 192, 4, "turns", 4, 2) + pairs)
    plain("pairs_whole_rows", 384, 72, 264, tile(128, 128, 3, "turns", 2, 2) + pairs)  # half of the last pair is none
    plain("pairs_one", 40, 200, 1000, tile(64, 64, 3, "turns", 132, 16) + pairs)
    plain("pairs_two", 85, 264, 200, tile(64, 128, 8, "turns", 4, 16) + pairs)
    plain("pairs_many", 700, 520, 64, tile(64, 64, 3, "turns", 6, 4) + pairs)
    product("product_wgmma_pairs_heads", rows=[("n", 3), ("h", 4), ("i", 70)], columns=[("j", 90)], sums=[("d", 72)],
            a="n, i, h, d", b="n, j, h floordiv 2, d", spec="", shapes=((3, 70, 4, 72), (3, 90, 2, 72)),
            t=("bf16", "bf16", "f32"), schedule=tile(64, 64, 3, "turns", 4, 2) + pairs,
            inputs=lambda r: [bf16(r.standard_normal((3, 70, 4, 72))), bf16(r.standard_normal((3, 90, 2, 72)))],
            want=lambda q, k: [np.einsum("nihd,njhd->nhij", q.astype("f8"), k.astype("f8").repeat(2, 2))])
    for a in ("i, k", "k, i"):
        for b in ("j, k", "k, j"):
            plain("pairs_layout_" + (a + b).replace(", ", ""), 264, 200, 104, tile(128, 192, 3, "tile", 2, 2) + pairs,
                  a, b)
    for a in ("i, k", "k, i"):
        for b in ("j, k", "k, j"):
            plain("layout_" + (a + b).replace(", ", ""), 136, 200, 104, tile(128, 128, 3, "turns", 1), a, b)
    plain("f16", 100, 72, 200, small, t=("f16", "f16", "f32"))
    products_tf32("product_wgmma_tf32", {"i": 150, "j": 72, "k": 200}, "i, k", "j, k",
                  tile(64, 64, 3, "turns", 2, k=32).replace("wgmma", "wgmma.tf32"))
    products_tf32("product_wgmma_tf32_tile", {"i": 150, "j": 300, "k": 68}, "i, k", "j, k",
                  tile(128, 256, 4, "tile", 2, k=32).replace("wgmma", "wgmma.tf32"))
    plain("i8", 100, 80, 400, tile(64, 64, 3, "turns", 2, k=128), t=("i8", "i8", "i32"))
    for a, b in (("f8E4M3FN", "f8E4M3FN"), ("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E4M3FN"), ("f8E5M2", "f8E5M2")):
        plain("_".join(t[2:6].lower() for t in (a, b)), 100, 80, 400, tile(64, 64, 3, "turns", 2, k=128),
              t=(a, b, "f32"))
    plain("e4m3_tile", 150, 328, 272, tile(128, 256, 4, "tile", 2, 12, 128), t=("f8E4M3FN", "f8E4M3FN", "f32"))
    plain("e4m3_parts", 150, 72, 1040, tile(64, 64, 3, "turns", 7, k=128) + ", split = 3",
          t=("f8E4M3FN", "f8E5M2", "f32"))
    for a in ("i, k", "k, i"):
        plain("e4m3_elements_" + a.replace(", ", ""), 101, 83, 405, tile(64, 64, 3, "turns", 2, k=128), a, "k, j",
              t=("f8E4M3FN", "f8E5M2", "f32"))
    plain("e4m3_bf16", 100, 72, 200, small, t=("f8E4M3FN", "bf16", "f32"))
    for a in ("i, k", "k, i"):
        plain("vectors_" + a.replace(", ", ""), 140, 216, 112, tile(128, 128, 4, "turns", 1), a, "j, k",
              t=("f8E5M2", "bf16", "f32"))
    plain("vectors_few", 70, 40, 408, tile(64, 32, 4, "turns", 1), t=("bf16", "f8E4M3FN", "f32"))
    plain("vectors_both", 139, 520, 72, tile(128, 256, 3, "tile", 2), "i, k", "k, j", t=("f16", "f8E4M3FN", "f32"))
    plain("vectors_parts", 150, 72, 1000, tile(64, 64, 3, "turns", 7) + ", split = 3", t=("f8E4M3FN", "bf16", "f32"))
    plain("vectors_pieces", 140, 70, 108, tile(128, 128, 4, "turns", 2), "i, k", "k, j", t=("f8E4M3FN", "bf16", "f32"))
    plain("e4m3_scaled", 150, 208, 144, tile(64, 64, 3, "turns", 2, k=128), t=("f8E4M3FN", "f8E4M3FN", "f32"),
          more=[("r", (150,), "f32", "i"), ("c", (208,), "f32", "j")],
          results=[("y", (150, 208), "f8E4M3FN", "i, j")], body="""  %s = arith.mulf %p, %c_ : tensor<208xf32>
  %b = sinter.broadcast %r_ : f32 -> tensor<208xf32>
  %t = arith.mulf %s, %b : tensor<208xf32>
  %y = arith.truncf %t : tensor<208xf32> to tensor<208xf8E4M3FN>
  sinter.yield %y : tensor<208xf8E4M3FN>""", want=lambda p, r, c: [p * r[:, None] * c])
    plain("bias", 150, 200, 72, small, more=[("c", (200,), "f32", "j"), ("r", (150, 200), "f32", "i, j")],
          body="""  %s = arith.addf %p, %c_ : tensor<200xf32>
  %y = arith.mulf %s, %r_ : tensor<200xf32>
  sinter.yield %y : tensor<200xf32>""", want=lambda p, c, r: [(p + c) * r])
    product("product_wgmma_heads", rows=[("n", 3), ("h", 4), ("i", 70)], columns=[("j", 90)], sums=[("d", 72)],
            a="n, i, h, d", b="n, j, h floordiv 2, d", spec="", shapes=((3, 70, 4, 72), (3, 90, 2, 72)),
            t=("bf16", "bf16", "f32"), schedule=small,
            inputs=lambda r: [bf16(r.standard_normal((3, 70, 4, 72))), bf16(r.standard_normal((3, 90, 2, 72)))],
            want=lambda q, k: [np.einsum("nihd,njhd->nhij", q.astype("f8"), k.astype("f8").repeat(2, 2))])
    product("product_wgmma_merged", rows=[("n", 3), ("i", 70)], columns=[("j", 90)], sums=[("c", 9), ("d", 8)],
            a="n, i, c, d", b="j, c, d", spec="nicd,jcd->nij", shapes=((3, 70, 9, 8), (90, 9, 8)),
            t=("bf16", "bf16", "f32"), schedule=small)
    product("product_wgmma_any_rows", rows=[("i", "?")], columns=[("j", 90)], sums=[("k", 72)], a="i, k", b="j, k",
            spec="ik,jk->ij", shapes=(("?", 72), (90, 72)), t=("bf16", "bf16", "f32"), schedule=small,
            results=[("y", ("?", 90), "f32", "i, j")],
            dims=["%c0 = arith.constant 0 : index", "%size0 = tensor.dim %a, %c0 : tensor<?x72xbf16>"])
    swiglu("wgmma", 'kernel = "wgmma", m = 128, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 1')
    swiglu("wgmma_pairs", 'kernel = "wgmma", m = 64, n = 128, k = 64, threads = 256, stages = 3, share = "turns", '
           'blocks = 2, cluster = 2, group = 2')
    swiglu("warps", 'kernel = "mma.sync", m = 64, n = 64, k = 32, threads = 128, blocks = 1')
    filled_products(plain, small, tile)


def few_products():
    """So few elements that each is a row's sum: no schedule is asked for, rows are what it becomes."""
    for name, m, n, k, b, t in (("f16", 3, 1, 2056, "k, j", ("f16", "f16", "f32")),
                                ("i8", 20, 8, 515, "j, k", ("i8", "i8", "i32")),
                                ("mixed", 1, 5, 1304, "j, k", ("bf16", "f8E4M3FN", "f32")),
                                ("f64", 2, 3, 700, "j, k", ("f64", "f64", "f64"))):
        at = (n, k) if b == "j, k" else (k, n)
        product("product_few_" + name, rows=[("i", m)], columns=[("j", n)], sums=[("k", k)], a="i, k", b=b,
                spec=f"ik,{b.replace(', ', '')}->ij", shapes=((m, k), at), t=t, more=[("c", (n,), t[2], "j")],
                body=f"""  %s = arith.add{t[2][0]} %p, %c_ : tensor<{n}x{t[2]}>
  sinter.yield %s : tensor<{n}x{t[2]}>""", want=lambda p, c: [p + c])
    product("product_few_across", rows=[("i", 1)], columns=[("j", 51)], sums=[("k", 270)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((1, 270), (270, 51)), t=("bf16", "bf16", "f32"))
    product("product_few_taps", rows=[("n", 3), ("o", 1)], columns=[("i", 45)], sums=[("c", 2), ("r", 3)],
            a="o, c, r", b="", spec="", shapes=((1, 2, 3), (3, 2, 45)),
            second="%b[n, c, i + r - 1] : tensor<3x2x45xf32> else 0.0",
            inputs=lambda r: [r.standard_normal(s).astype("f4") for s in ((1, 2, 3), (3, 2, 45))],
            want=lambda w, x: [np.einsum("ncir,ocr->noi", np.lib.stride_tricks.sliding_window_view(
                np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1))), 3, 2), w.astype("f8"))])
    n, k = 41, 273
    text = f"""%y = sinter.contract (i = {n}) by (j = 1)
    product (k = {k}) (%a[i, k] : tensor<{n}x{k}xf32>, %b[j, k] : tensor<1x{k}xf32>) : f32
    product (l = {k}) (%a[i, l] : tensor<{n}x{k}xf32>, %c[j, l] : tensor<1x{k}xf32>) : f32
    outs(%empty_y[i, j] : tensor<{n}x1xf32>) {{
^row(%p: tensor<1xf32>, %q: tensor<1xf32>):
  %s = arith.subf %p, %q : tensor<1xf32>
  sinter.yield %s : tensor<1xf32>
}}"""
    shapes = ((n, k), (1, k), (1, k))
    case("product_few_gate", program([(x, d, "f32") for x, d in zip("abc", shapes)], [("y", (n, 1), "f32")], [], text),
         lambda r: [r.standard_normal(d).astype("f4") for d in shapes],
         lambda x, u, v: [x.astype("f8") @ u.T - x.astype("f8") @ v.T])
    # Few filters: all taps of them by the image, then windows of that.
    image, filters, around = (2, 29, 28, 136), (3, 7, 7, 136), ((0, 0), (3, 2), (1, 4), (0, 0))
    product("product_taps", rows=[("n", 2), ("y", 28), ("x", 27)], columns=[("o", 3)],
            sums=[("r", 7), ("s", 7), ("c", 136)], a="", b="o, r, s, c", spec="", t=("bf16", "bf16", "f32"),
            side=f"%a[n, y + r - 3, x + s - 1, c] : {tensor(image, 'bf16')} else 0.0", shapes=(image, filters),
            more=[("c", (3,), "f32", "o")], body="""  %s = arith.addf %p, %c_ : tensor<3xf32>
  sinter.yield %s : tensor<3xf32>""",
            inputs=lambda r: [*(cast(r.standard_normal(s), "bf16") for s in (image, filters)),
                              r.standard_normal(3).astype("f4")],
            want=lambda x, w, c: [np.einsum("nyxcrs,orsc->nyxo", np.lib.stride_tricks.sliding_window_view(
                np.pad(x.astype("f8"), around), (7, 7), (1, 2)), w.astype("f8"), optimize=True) + c])
    product("product_few_side", rows=[("i", 4)], columns=[("j", 1)], sums=[("k", 353)], a="i, k", b="j, k",
            spec="ik,jk->ij", shapes=((4, 353), (1, 353)),
            side="""side(%a[i, k] : tensor<4x353xf32>, %b[0, k] : tensor<1x353xf32>) {
^side(%v: tensor<353xf32>, %g: tensor<353xf32>):
  %m = arith.mulf %v, %g : tensor<353xf32>
  sinter.yield %m : tensor<353xf32>
}""", inputs=lambda r: [r.standard_normal((4, 353)).astype("f4"), r.standard_normal((1, 353)).astype("f4")],
            want=lambda x, w: [(x.astype("f8") * w) @ w.T.astype("f8")])


def filled_products(plain, small, tile):
    """By wgmma, where threads fetch a side: lines of any length, windows of either layout, gathers, copies."""
    for a in ("i, k", "k, i"):
        for b in ("j, k", "k, j"):
            name = (a + b).replace(", ", "")
            plain("pieces_" + name, 140, 204, 108, tile(128, 128, 4, "turns", 1), a, b)
            plain("words_" + name, 70, 142, 1002, tile(64, 64, 3, "turns", 2), a, b)
            plain("elements_" + name, 139, 203, 107, tile(128, 128, 3, "tile", 2), a, b)
    plain("pieces_deep", 140, 70, 1004, tile(128, 64, 6, "tile", 2))
    plain("pieces_few", 70, 70, 36, tile(64, 64, 2, "turns", 1))
    plain("elements_deep", 139, 71, 1001, tile(128, 64, 6, "turns", 3))
    plain("elements_narrow", 70, 33, 107, tile(64, 32, 3, "turns", 2))
    plain("elements_wide", 131, 517, 131, tile(128, 256, 3, "tile", 2))
    plain("pieces_parts", 150, 70, 1004, tile(64, 64, 3, "turns", 7) + ", split = 3")
    plain("elements_parts", 150, 71, 1001, tile(64, 64, 3, "turns", 7) + ", split = 3")
    for name, n in (("pieces", 70), ("elements", 71)): # the last part begins behind the end
        plain(name + "_few_parts", 70, n, 704, tile(64, 64, 4, "turns") + ", split = 4", "k, i", "k, j")
    plain("copies_elements", 140, 71, 136, tile(128, 64, 3, "turns", 2), "i, k", "k, j")
    plain("pieces_copies", 140, 72, 136, tile(128, 64, 4, "turns", 2), "k, i", "j, k")
    for a in ("i, k", "k, i"):
        plain("i8_words_" + a.replace(", ", ""), 100, 80, 404, tile(64, 64, 3, "turns", 2, k=128), a,
              t=("i8", "i8", "i32"))
        plain("i8_elements_" + a.replace(", ", ""), 101, 83, 405, tile(64, 64, 3, "turns", 2, k=128), a, "k, j",
              t=("i8", "i8", "i32"))
    windows = lambda x, w: [np.einsum("ncyxrs,ocrs->noyx", np.lib.stride_tricks.sliding_window_view(
        np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3)), w.astype("f8"))]
    make = lambda *shapes: lambda r: [bf16(r.standard_normal(s)) for s in shapes]
    for name, schedule in (("", tile(64, 64, 3, "turns", 2)), ("_wide", tile(128, 128, 3, "tile", 3))):
        product("product_wgmma_windows_nhwc" + name, rows=[("n", 2), ("y", 7), ("x", 11)], columns=[("o", 40)],
                sums=[("r", 3), ("s", 3), ("c", 24)], a="", b="o, r, s, c", t=("bf16", "bf16", "f32"), spec="",
                side="%a[n, y + r - 1, x + s - 1, c] : tensor<2x7x11x24xbf16> else 0.0",
                shapes=((2, 7, 11, 24), (40, 3, 3, 24)), schedule=schedule, inputs=make((2, 7, 11, 24), (40, 3, 3, 24)),
                want=lambda x, w: [windows(x.transpose(0, 3, 1, 2), w.transpose(0, 3, 1, 2))[0].transpose(0, 2, 3, 1)])
        product("product_wgmma_windows_nchw" + name, rows=[("n", 2), ("o", 40)], columns=[("y", 7), ("x", 11)],
                sums=[("c", 5), ("r", 3), ("s", 3)], a="o, c, r, s", b="", t=("bf16", "bf16", "f32"), spec="",
                side="%a[o, c, r, s] : tensor<40x5x3x3xbf16>", second=
                "%b[n, c, y + r - 1, x + s - 1] : tensor<2x5x7x11xbf16> else 0.0",
                shapes=((40, 5, 3, 3), (2, 5, 7, 11)), schedule=schedule, inputs=make((40, 5, 3, 3), (2, 5, 7, 11)),
                want=lambda w, x: windows(x, w))
    images(tile)
    product("product_wgmma_gathered", rows=[("i", 150)], columns=[("j", 72)], sums=[("k", 72)], a="", b="j, k",
            side="%a[%t[i] : tensor<150xi32>, k] : tensor<7x72xbf16>", spec="", shapes=((7, 72), (72, 72)),
            more=[("t", (150,), "i32", "i")], body="  sinter.yield %p : tensor<72xf32>", t=("bf16", "bf16", "f32"),
            inputs=lambda r: [*make((7, 72), (72, 72))(r), r.integers(0, 7, 150).astype(np.int32)], schedule=small,
            want=lambda e, w, t: [e.astype("f8")[t] @ w.astype("f8").T])
    product("product_arranged_lines", rows=[("i", 350)], columns=[("j", 1304)], sums=[("k", 1003)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=((350, 1003), (1003, 1304)), t=("bf16", "bf16", "f32"))
    product("product_arranged_channels", rows=[("n", 4), ("o", 72)], columns=[("y", 56), ("x", 56)],
            sums=[("c", 37), ("r", 3), ("s", 3)], a="o, c, r, s", b="", t=("bf16", "bf16", "f32"), spec="",
            second="%b[n, c, y + r - 1, x + s - 1] : tensor<4x37x56x56xbf16> else 0.0",
            shapes=((72, 37, 3, 3), (4, 37, 56, 56)), inputs=make((72, 37, 3, 3), (4, 37, 56, 56)),
            want=lambda w, x: windows(x, w))
    product("product_wgmma_filled_rows", rows=[("i", "?")], columns=[("j", 90)], sums=[("k", 76)], a="i, k", b="k, j",
            spec="ik,kj->ij", shapes=(("?", 76), (76, 90)), t=("bf16", "bf16", "f32"), schedule=small,
            results=[("y", ("?", 90), "f32", "i, j")],
            dims=["%c0 = arith.constant 0 : index", "%size0 = tensor.dim %a, %c0 : tensor<?x76xbf16>"])


def convolved(x, w, steps, dilations, pads):
    """x[n, ..., c] by w[o, ..., c], by taps: [n, ..., o]."""
    x, w = x.astype("f8"), w.astype("f8")
    x = np.pad(x, ((0, 0), *((p, p) for p in pads), (0, 0)))
    sizes = [(a - d * (t - 1) - 1) // s + 1 for a, t, s, d in zip(x.shape[1:-1], w.shape[1:-1], steps, dilations)]
    y = np.zeros((x.shape[0], *sizes, w.shape[0]))
    for taps in np.ndindex(*w.shape[1:-1]):
        at = tuple(slice(t * d, t * d + s * (n - 1) + 1, s) for t, d, s, n in zip(taps, dilations, steps, sizes))
        y += x[(slice(None), *at)] @ w[(slice(None), *taps)].T
    return [y]


def image(name, x, w, schedule, steps, dilations, pads, image_is_b=False, t="bf16", strange=None):
    """A convolution of an image whose channels are last, and whole lines of a slot."""
    names, taps, fill = "zyx"[3 - len(steps):], "qrs"[3 - len(steps):], " else 0.0" if any(pads) else ""
    sizes = [(a + 2 * p - d * (k - 1) - 1) // s + 1
             for a, k, s, d, p in zip(x[1:-1], w[1:-1], steps, dilations, pads)]
    at = ", ".join(f"{y} * {s} + {k} * {d} - {p}" for y, k, s, d, p in zip(names, taps, steps, dilations, pads))
    shape = "x".join(map(str, x)) + f"x{t}"
    lines = [("n", x[0]), *zip(names, sizes)]
    windows, filters = f"%{'ab'[image_is_b]}[n, {at}, c] : tensor<{shape}>{fill}", ["o", *taps, "c"]
    values = lambda r, s: bf16(r.standard_normal(s)) if t == "bf16" else r.standard_normal(s).astype("f2")

    def inputs(r):
        a, b = values(r, x), values(r, w)
        if strange is not None:
            a[strange] = np.inf
        return [b, a] if image_is_b else [a, b]

    def want(*both):
        a, b = both[::-1] if image_is_b else both
        with np.errstate(invalid="ignore"):
            y = convolved(a, b, steps, dilations, pads)[0]
        return [np.moveaxis(y, -1, 0) if image_is_b else y]

    sums = [*zip(taps, w[1:-1]), ("c", w[-1])]
    sides = {"side": f"%a[{', '.join(filters)}] : tensor<{'x'.join(map(str, w))}x{t}>", "second": windows} \
        if image_is_b else {"side": windows}
    product("product_wgmma_image_" + name, rows=[("o", w[0])] if image_is_b else lines,
            columns=lines if image_is_b else [("o", w[0])], sums=sums, a="", b=", ".join(filters), t=(t, t, "f32"),
            spec="", shapes=(w, x) if image_is_b else (x, w), schedule=schedule, inputs=inputs, want=want, **sides)


def images(tile):
    """Windows by the copy engine: steps, distances of taps, corners, ends of lines and images, parts, pairs."""
    image("plain", (2, 7, 11, 64), (40, 3, 3, 64), tile(64, 64, 3, "turns", 2), (1, 1), (1, 1), (1, 1))
    image("step", (3, 9, 14, 128), (40, 3, 5, 128), tile(64, 64, 3, "turns", 2), (2, 1), (1, 1), (1, 2))
    image("steps", (2, 13, 10, 64), (40, 1, 3, 64), tile(64, 64, 3, "turns", 1), (2, 3), (1, 1), (0, 0))
    image("apart", (2, 12, 9, 64), (24, 3, 2, 64), tile(64, 64, 3, "turns", 2), (1, 1), (2, 3), (3, 0))
    image("far", (2, 6, 5, 64), (24, 3, 3, 64), tile(64, 64, 3, "turns", 2), (1, 1), (2, 2), (5, 3))
    image("line", (3, 37, 64), (40, 5, 64), tile(64, 64, 3, "turns", 2), (2,), (3,), (6,))
    image("space", (2, 4, 5, 6, 64), (40, 2, 3, 2, 64), tile(64, 64, 3, "turns", 2), (1, 2, 1), (1, 1, 2), (0, 1, 1))
    image("large", (2, 17, 13, 64), (200, 2, 2, 64), tile(128, 192, 3, "turns", 3), (1, 1), (1, 1), (0, 1), t="f16")
    image("tile", (2, 17, 13, 64), (130, 2, 2, 64), tile(128, 256, 3, "tile", 2), (1, 1), (1, 1), (1, 0), True)
    image("columns", (2, 7, 11, 128), (72, 3, 3, 128), tile(64, 128, 3, "turns", 2), (1, 1), (1, 1), (1, 1), True)
    image("parts", (2, 7, 11, 64), (40, 3, 3, 64), tile(64, 64, 3, "turns", 2) + ", split = 3", (1, 1), (1, 1), (1, 1))
    # 15 lines of a sum in 4 parts of 4: behind the end an infinity is not there, as no weight is.
    image("parts_end", (2, 7, 11, 64), (40, 3, 5, 64), tile(64, 64, 3, "turns", 2) + ", split = 4", (1, 1), (1, 1),
          (1, 2), strange=(1, 3, 4, 5))
    pairs = lambda m, n, stages, share, blocks: tile(m, n, stages, share, blocks, 2) + ", cluster = 2"
    image("pairs", (3, 9, 14, 64), (72, 3, 3, 64), pairs(128, 64, 3, "turns", 2), (1, 1), (1, 1), (1, 1))
    image("pairs_columns", (3, 9, 14, 64), (200, 3, 3, 64), pairs(64, 128, 3, "turns", 4), (1, 2), (1, 1), (1, 0), True)


def swiglu(name, schedule):
    """Two products by one kernel: of wgmma both sums are in registers, of mma.sync both use the same slots."""
    x, w = "tensor<150x136xbf16>", "tensor<72x136xbf16>"
    text = f"""%y = sinter.contract (i = 150) by (j = 72)
    product (k = 136) (%a[i, k] : {x}, %b[j, k] : {w}) : f32
    product (k2 = 136) (%a[i, k2] : {x}, %c[j, k2] : {w}) : f32
    outs(%empty_y[i, j] : tensor<150x72xf32>)
    schedule(#sinter.mma<{schedule}>) {{
^row(%p: tensor<72xf32>, %q: tensor<72xf32>):
  %n = arith.negf %p : tensor<72xf32>
  %e = math.exp %n : tensor<72xf32>
  %one = arith.constant dense<1.0> : tensor<72xf32>
  %d = arith.addf %e, %one : tensor<72xf32>
  %s = arith.divf %p, %d : tensor<72xf32>
  %y = arith.mulf %s, %q : tensor<72xf32>
  sinter.yield %y : tensor<72xf32>
}}"""
    shapes = ((150, 136), (72, 136), (72, 136))
    operands = [(n, s, "bf16") for n, s in zip("abc", shapes)]

    def want(a, b, c):
        p, q = (a.astype("f8") @ m.astype("f8").T for m in (b, c))
        return [p / (1 + np.exp(-p)) * q]

    case(f"product_{name}_swiglu", program(operands, [("y", (150, 72), "f32")], [], text),
         lambda r: [bf16(r.standard_normal(s)) for s in shapes], want)


def constants():
    """A constant tensor that a kernel reads, and that is returned."""
    text = """func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %c = arith.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %c : tensor<4x3xf32>, tensor<3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  return %y, %c : tensor<4x3xf32>, tensor<3xf32>
}
"""
    values = np.array([1.0, -2.0, 3.0])
    case("constants", text, lambda r: [r.standard_normal((4, 3)).astype("f4")], lambda x: [x * values, values])


def all_cases():
    R, BEFORE = 'residency = "registers"', 'maximum = "before"'
    # each family by name
    column_means("columns_turned", 1037, 1040)
    column_means("columns_turned_half", 70001, 32, "bf16")
    column_variances("columns_turned_variance", 9, 333, "bf16")
    own = 'threads = 64, blocks = 3, vector = 1, unroll = {}, rows = {}, team = 1'
    window("window", 1, 3, schedule=own.format(9, 4))
    window("window_overlapped", 1, 3, schedule=own.format(9, 4), at=(2, 3, 9, 31))
    window("window_overlapped_bf16", 1, 3, "bf16", schedule=own.format(9, 4), at=(2, 1, 5, 18))
    window("window_overlapped_line", 1, 3, schedule=own.format(9, 2), at=(1, 1, 1, 19))
    window("window_strided", 2, 5, schedule=own.format(25, 2))
    window("window_bf16", 1, 3, "bf16", schedule=own.format(9, 8))
    window("window_loop", 2, 3, "f16", schedule=own.format(2, 4))
    window("window_chosen", 1, 3, at=(1, 2, 5, 7))
    window("window_chosen_7", 2, 7, at=(1, 2, 9, 11))
    window_places("window_places", 1, 3)
    window_places("window_places_strided", 2, 3, schedule=own.format(9, 1))
    window_gradient("window_gradient", 2, 3)
    window_gradient("window_gradient_dense", 1, 2)
    softmax("thread", 37, 4)
    softmax("warp_8", 100, 29, schedule=f"threads = 64, blocks = 7, vector = 1, {R}, team = 8, {BEFORE}")
    softmax("warp_32", 21, 128, schedule=f"threads = 64, blocks = 3, vector = 4, {R}, team = 32, {BEFORE}")
    softmax("warp_online", 21, 128, schedule=f"threads = 64, blocks = 3, vector = 4, {R}, team = 32")
    softmax("warp_rereads", 21, 128, schedule="threads = 64, blocks = 3, vector = 4, team = 16, unroll = 2")
    softmax("block", 9, 516, schedule=f"threads = 64, blocks = 4, vector = 4, {R}")
    softmax("cluster_2", 9, 516, schedule=f"threads = 32, blocks = 6, vector = 4, {R}, cluster = 2")
    softmax("cluster_8", 9, 2052, schedule=f"threads = 32, blocks = 16, vector = 4, {R}, cluster = 8")
    softmax("reread", 9, 1003, schedule="threads = 64, blocks = 4, vector = 1, unroll = 4")
    logsumexp("stream", 9, 1004, schedule="threads = 64, blocks = 4, vector = 4, unroll = 2")
    mse("flat", (7, 131), schedule='threads = 64, blocks = 5, vector = 4, unroll = 2, shape = "flat"')
    mse("flat_f64", (3, 5, 7, 3), "f64")
    dim1("tile", 3, 19, 100, schedule=f'threads = 128, blocks = 3, shape = "tile", {R}')
    dim1("tile_few", 1, 5, 40, schedule=f'threads = 256, blocks = 7, shape = "tile", {R}')
    # rows that begin anywhere, by aligned vectors; the next row on its way
    softmax("peel", 9, 1003, schedule=f"threads = 64, blocks = 4, vector = 4, {R}")
    softmax("peel_bf16", 7, 2051, "bf16", schedule=f"threads = 64, blocks = 3, vector = 8, {R}, ahead = 1")
    softmax("peel_warp", 37, 147, schedule=f"threads = 128, blocks = 5, vector = 4, {R}, team = 16, {BEFORE}")
    softmax("peel_warp_bf16", 21, 295, "bf16", schedule=f"threads = 64, blocks = 6, vector = 8, {R}, team = 16")
    shuffled("shuffled", (2, 3, 5, 6), "bf16", schedule=own.format(2, 2))
    shuffled("shuffled_f32", (1, 3, 7, 8), "f32", schedule=own.format(2, 4))
    softmax("peel_f64", 5, 129, "f64", schedule=f"threads = 32, blocks = 5, vector = 2, {R}, ahead = 1")
    softmax("peel_cluster", 9, 1003, schedule=f"threads = 32, blocks = 8, vector = 4, {R}, cluster = 4, ahead = 1")
    cross_entropy("peel_cross_entropy", 17, 1001,
                  schedule=f"threads = 32, blocks = 8, vector = 4, {R}, cluster = 2, ahead = 1")
    # a length that the launch asks for: kernels for as many columns at most
    for n in (1, 15, 63, 97, 128, 129, 513, 2049, 5121, 40961):
        softmax(f"any_length_{n}", 5, n, dynamic=(True, True))
    # a number of rows that the launch asks for: kernels for many and for few, whose blocks it counts
    few = f'{R}, threads = 64, blocks = 6, cluster = 2, deal = "each"'
    many = f'many = #sinter.gpu_rows<{R}, threads = 64, blocks = 6, team = 16, deal = "each", least = 9>'
    for m in (1, 3, 8, 9, 10, 13):
        softmax(f"many_rows_{m}", m, 70, dynamic=(True, False), schedule=f"{few}, {many}")
    softmax("many_rows_block", 5, 700, "bf16", dynamic=(True, True), schedule=f'{R}, threads = 64, blocks = 6, '
            'deal = "each", vector = 4, multiple = 4, most = 1024')
    for n in (1016, 2040, 4088, 9000):
        softmax(f"many_rows_chosen_{n}", 2300, n, "bf16", dynamic=(True, True), big=True)
        cross_entropy(f"many_rows_cross_entropy_{n}", 2300, n, dynamic=(True, True), big=True)
    # blocks that go from row to row are no more than have work, and what they leave is as much as they are
    for m in (1, 4, 5, 24, 25, 61):
        cross_entropy(f"fitted_cross_entropy_{m}", m, 103, dynamic=(True, True),
                      schedule="threads = 64, blocks = 6, team = 16")
    cross_entropy("fitted_cluster", 2, 103, dynamic=(True, True),
                  schedule=f"threads = 64, blocks = 8, cluster = 2, {R}, most = 128")
    # blocks that may be many meet in one bunch where they are 1024 or fewer
    for m in (70, 1024, 1025):
        cross_entropy(f"fitted_bunches_{m}", m, 37, dynamic=(True, True),
                      schedule="threads = 32, blocks = 2000, team = 32")
    for m in (41, 256, 257):
        mse(f"fitted_bunches_of_parts_{m}", (m, 1024), dynamic=("?", "?"),
            schedule='shape = "flat", threads = 64, blocks = 1100, vector = 4')
    for m, n in ((1, 1), (1, 7), (3, 85), (5, 103), (41, 100)):
        mse(f"fitted_mse_{m}_{n}", (m, n), dynamic=("?", "?"),
            schedule='shape = "flat", threads = 64, blocks = 6, vector = 4, unroll = 2')
    # few elements of all rows by a block, more by as many as have work
    for m in (81, 82):
        mse(f"fitted_flat_{m}", (m, 101), dynamic=("?", "?"))
    # rows that threads have at once, however long they are, beside their labels; longer ones by a loop
    for n in (1, 64, 68, 260, 4100):
        cross_entropy_value(f"at_once_{n}", 3, n, dynamic=(True, True))
        cross_entropy_value(f"at_once_bf16_{2 * n}", 3, 2 * n, "bf16", dynamic=(True, True))
    cross_entropy_value("at_once_rows", 1100, 72, "bf16", dynamic=(True, True))
    for n in (96, 97, 5000):
        cross_entropy_value(f"at_once_fails_{n}", 7, n, dynamic=(True, True), fails="a label is out of range")
    layer_norm("many_rows_norm", 2300, 1000, dynamic=True, big=True)
    # operands that are turned in shared memory: tiles that do not come out even, one each and in turns, whole columns
    T = 'shape = "turned", threads = 64'
    turned("turned", 3, 37, 70, schedule=f"{T}, blocks = 7, tile_rows = 32, tile_columns = 32")
    turned("turned_one_each", 2, 64, 64, schedule=f"{T}, blocks = 4, tile_rows = 64, tile_columns = 32, vector = 1")
    turned("turned_f16", 3, 33, 38, "f16", schedule=f"{T}, blocks = 5, tile_rows = 40, tile_columns = 12, vector = 2")
    turned("turned_bf16", 2, 65, 24, "bf16", schedule=f"{T}, blocks = 5, tile_rows = 64, tile_columns = 24, vector = 4")
    turned("turned_f64", 2, 19, 33, "f64", schedule=f"{T}, blocks = 3, tile_rows = 16, tile_columns = 32")
    turned("turned_few_rows", 29, 3, 50, schedule=f"{T}, blocks = 3, tile_rows = 12, tile_columns = 25")
    turned("turned_back", 3, 37, 34, schedule=f"{T}, blocks = 4, tile_rows = 32, tile_columns = 32", back=True)
    turned("turned_back_f16", 3, 21, 34, "f16", back=True,
           schedule=f"{T}, blocks = 4, tile_rows = 8, tile_columns = 18, vector = 2")
    turned("turned_dynamic", 3, 37, 35, dynamic=True, back=True)
    turned("turned_chosen", 5, 130, 108)
    # the same of rows that lie together: of few columns, of as many as registers hold, of more
    for n in (1, 33, 129, 1025):
        softmax(f"any_columns_{n}", 41, n, dynamic=(True, True), first=True)
    softmax("any_columns_f16", 67, 70, "f16", dynamic=(True, True), first=True)
    column_means("any_columns_read_once", 40, 35, dynamic=True)
    column_means("any_columns_long", 300, 70, "f16", dynamic=True)
    # few columns that are so long that they are cut, and cut again
    column_means("any_columns_cut", 5001, 9, dynamic=True)
    column_means("any_columns_cut_f16", 4096, 131, "f16", dynamic=True)
    column_means("any_columns_cut_twice", 600001, 3, "bf16", dynamic=True, big=True)
    column_means("any_columns_cut_big", 176201, 123, "f16", dynamic=True, big=True)
    column_means("any_columns_many", 4097, 4097, dynamic=True, big=True)
    softmax("any_length_f16", 5, 700, "f16", dynamic=(True, True))
    for n in (201, 601, 999):
        softmax(f"any_length_f16_{n}", 37, n, "f16", dynamic=(True, True))
    softmax("any_length_rows", 5, 97, dynamic=(False, True))
    logsumexp("any_length_read_once", 9, 601, dynamic=(True, True))
    for n in (1, 37, 64, 65):
        logsumexp(f"any_length_read_{n}", 37, n, dynamic=(True, True))
    for n in (15, 37, 65):  # few rows are a warp's each, many a part's
        row_sums(f"any_rows_few_{n}", 37, n)
    row_sums("any_rows_many_37", 8461, 37)
    for n in (8, 24, 104, 232, 488, 2016):
        softmax(f"any_even_{n}", 5, n, "bf16", dynamic=(True, True))
        softmax(f"any_even_f32_{n}", 5, n, dynamic=(True, True))
        logsumexp(f"any_even_read_{n}", 19, n, dynamic=(True, True))
    for n in (16, 24, 136, 280):
        row_sums(f"any_even_sums_{n}", 41, n)
        row_sums(f"any_even_sums_bf16_{n}", 41, n, "bf16")
    rows_of_three("rows_of_three", 3, 4, 5, 35)
    rows_of_three("rows_of_three_static", 3, 4, 5, 35, dynamic=False)
    rows_of_three("rows_of_three_apart", 3, 4, 5, 35, apart=True)
    rows_of_three("rows_of_three_apart_static", 3, 4, 5, 35, apart=True, dynamic=False)
    logsumexp("any_even_rows_static", 40, 24, "f16", dynamic=(False, True))
    layer_norm("any_even_norm", 7, 264, "f16", dynamic=True)
    cross_entropy("any_even_cross_entropy", 13, 104, dynamic=(True, True))
    sums_apart("any_even_columns", 9, 88, "bf16", schedule="threads = 64, blocks = 2, team = 1, unroll = 2",
               even="rows = 4, multiple = 4, least = 88")
    sums_apart("any_odd_columns", 9, 87, "bf16", schedule="threads = 64, blocks = 2, team = 1, unroll = 2",
               even="rows = 4, multiple = 4, least = 80")
    sums_apart("any_even_columns_exponentials", 9, 88, "bf16", exponentials=True,
               schedule="threads = 64, blocks = 2, team = 1, unroll = 2", even="rows = 4, multiple = 4, least = 88")
    column_means("any_even_columns_chosen", 24, 540672, "bf16", dynamic=True, big=True)
    softmax("any_rows_warp", 37, 38, dynamic=(True, False))
    softmax("ahead", 11, 516, schedule=f"threads = 64, blocks = 4, vector = 4, {R}, ahead = 1")
    softmax("ahead_rows", 11, 516, schedule=f"threads = 64, blocks = 4, vector = 4, {R}, ahead = 1",
            dynamic=(True, False))
    layer_norm_backward("ahead_columns", 29, 264, "bf16",
                        schedule=f"threads = 32, blocks = 5, vector = 8, {R}, ahead = 1")
    # groups of blocks that share rows by way of memory
    G, A = 'shape = "grid"', f"{R}, ahead = 1"
    softmax("grid", 5, 2000, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 6")
    softmax("grid_registers", 5, 2000, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {R}")
    softmax("grid_rereads", 5, 2003, schedule=f"{G}, threads = 64, blocks = 4, group = 4, vector = 1, unroll = 4")
    softmax("grid_rereads_many", 2, 9003, schedule=f"{G}, threads = 64, blocks = 4, group = 4, vector = 1, unroll = 16")
    softmax("grid_peel", 5, 2003,
            schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 4, depth = 1")
    softmax("grid_bf16", 7, 2000, "bf16",
            schedule=f"{G}, threads = 32, blocks = 4, group = 2, vector = 8, {A}, slots = 8")
    softmax("grid_peel_bf16", 7, 2001, "bf16",
            schedule=f"{G}, threads = 32, blocks = 4, group = 2, vector = 8, {A}, slots = 5")
    softmax("grid_f64", 3, 1000, "f64",
            schedule=f"{G}, threads = 32, blocks = 5, group = 5, vector = 2, {A}, slots = 8")
    softmax("grid_idle", 1, 40,
            schedule=f"{G}, threads = 32, blocks = 8, group = 4, vector = 4, {A}, slots = 2, depth = 2")
    softmax("grid_many_rows", 700, 256,
            schedule=f"{G}, threads = 32, blocks = 4, group = 2, vector = 4, {A}, slots = 2, depth = 2")
    softmax("grid_rows", 5, 2000, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 6",
            dynamic=(True, False))
    softmax("grid_no_rows", 0, 2000, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 6",
            dynamic=(True, False))
    softmax("grid_dynamic", 5, 1999, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 1, unroll = 2",
            dynamic=(True, True))
    logsumexp("grid_values", 5, 2000, schedule=f"{G}, threads = 64, blocks = 4, group = 4, vector = 4, unroll = 4")
    layer_norm("grid_layer_norm", 5, 2000,
               schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 6")
    layer_norm("grid_layer_norm_peel", 5, 2001, "f32",
               schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 6")
    layer_norm("grid_layer_norm_f16", 5, 2000, "f16",
               f"{G}, threads = 32, blocks = 3, group = 3, vector = 8, {A}, slots = 6", offset=3.0)
    layer_norm("grid_layer_norm_rereads", 5, 2003,
               schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 1, unroll = 2", dynamic=True)
    cross_entropy("grid_cross_entropy", 7, 2000,
                  schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 5")
    cross_entropy("grid_cross_entropy_peel", 7, 2001,
                  schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 5")
    cross_entropy("grid_cross_entropy_fails", 7, 2000,
                  schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 5",
                  fails="a label is out of range")
    centred("grid_centred", 5, 2000, schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {A}, slots = 5")
    centred("grid_centred_rows", 5, 2000,
            schedule=f"{G}, threads = 64, blocks = 6, group = 3, vector = 4, {R}, remake = 1", dynamic=True)
    # rows in shared memory
    S = 'residency = "shared"'
    softmax("shared", 5, 2000, schedule=f"threads = 64, blocks = 5, vector = 4, {S}")
    softmax("shared_rows", 7, 2000, schedule=f"threads = 64, blocks = 3, vector = 4, {S}", dynamic=(True, False))
    softmax("shared_peel", 7, 2003, schedule=f"threads = 64, blocks = 4, vector = 4, {S}, cluster = 2")
    softmax("shared_peel_bf16", 5, 2001, "bf16", schedule=f"threads = 32, blocks = 2, vector = 8, {S}")
    layer_norm("shared_layer_norm", 7, 2000, schedule=f"threads = 32, blocks = 28, vector = 4, {S}, cluster = 4",
               offset=3.0)
    cross_entropy("shared_cross_entropy", 7, 2000, schedule=f"threads = 32, blocks = 8, vector = 4, {S}, cluster = 4")
    cross_entropy("shared_cross_entropy_peel", 7, 2001, schedule=f"threads = 32, blocks = 4, vector = 4, {S}")
    centred("shared_centred", 5, 2000, schedule=f"threads = 64, blocks = 4, vector = 4, {S}, cluster = 2")
    layer_norm("layer_norm_4194301", 3, 4194301, offset=10.0, big=True)
    softmax("softmax_1000001", 9, 1000001, "bf16", big=True)
    # row lengths
    for n in (1, 2, 3, 31, 32, 33, 1000, 1003, 4096):
        softmax(f"softmax_{n}", 13, n)
        logsumexp(f"logsumexp_{n}", 13, n)
    for n in (32000, 32003, 128256):
        softmax(f"softmax_{n}", 37, n, big=True)
        cross_entropy(f"cross_entropy_{n}", 37, n, big=True)
        logsumexp(f"logsumexp_{n}", 37, n, big=True)
    softmax("softmax_1000000", 5, 1000000, big=True)
    softmax("softmax_4000000", 3, 4000000, big=True)
    layer_norm_backward("layer_norm_backward_1000000", 3, 1000000, big=True)
    softmax("softmax_short_rows", 100003, 29, big=True)
    softmax_far("softmax_far", f"threads = 64, blocks = 12, vector = 4, {R}")
    softmax_far("softmax_far_cluster", f"threads = 32, blocks = 8, vector = 4, {R}, cluster = 2")
    softmax_far("softmax_far_reread", "threads = 32, blocks = 5, vector = 4, unroll = 2")
    # types
    for t in ("f16", "bf16", "f64"):
        softmax(f"softmax_{t}", 13, 520, t)
        softmax(f"softmax_{t}_odd", 13, 77, t)
        logsumexp(f"logsumexp_{t}", 13, 520, t)
    for t in ("i32", "i64", "i8"):
        integers(f"integers_{t}", 9, 100, t)
    constants()
    products()
    staged_products()
    few_products()
    computed_sides()
    stream_cases.streams(case, program, tensor, cast)
    window_cases.windows(case, program, tensor, cast)
    # labels and asserts
    cross_entropy("cross_entropy_i64", 17, 100)
    cross_entropy("cross_entropy_i32", 17, 101, "i32")
    cross_entropy("cross_entropy_fails", 17, 100, fails="a label is out of range")
    cross_entropy("cross_entropy_one_row", 1, 5)
    cross_entropy("bunches", 1500, 5, schedule=f"threads = 32, blocks = 1500, {R}")
    cross_entropy("bunches_of_clusters", 1200, 70, schedule=f"threads = 32, blocks = 2400, {R}, cluster = 2")
    mse("bunches_of_parts", (1100, 36), schedule="threads = 32, blocks = 1100, vector = 4")
    softmax("cluster_rereads", 5, 1003, schedule="threads = 64, blocks = 6, unroll = 2, cluster = 2")
    layer_norm_backward("cluster_sums_in_memory", 29, 260, schedule="threads = 32, blocks = 6, vector = 4, cluster = 2")
    dim1("columns_in_groups", 3, 19, 100, schedule="threads = 32, blocks = 5")
    elementary("elementary", 29, 260)
    elementary("elementary_flat", 29, 131,
               schedule="threads = 64, blocks = 5, vector = 4, unroll = 2, shape = \"flat\"")
    elementary("elementary_fails", 29, 131,
               schedule="threads = 64, blocks = 5, vector = 4, unroll = 2, shape = \"flat\"", fails=True)
    for n in (180, 192, 204):  # parts of a warp, with some vectors of each thread
        elementary(f"elementary_parts_{n}", 29, n,
                   schedule="threads = 128, blocks = 4, team = 16, unroll = 3, vector = 4")
    elementary("elementary_rows_fail", 29, 132, schedule=f"threads = 32, blocks = 6, vector = 4, {R}, cluster = 2",
               fails=True)
    softmax("remake", 9, 516, schedule=f"threads = 32, blocks = 9, vector = 4, {R}, remake = 1")
    softmax("remake_cluster_f16", 9, 1040, "f16",
            schedule=f"threads = 32, blocks = 8, vector = 8, {R}, cluster = 2, remake = 1")
    layer_norm_backward("remake_columns", 29, 260, schedule=f"threads = 32, blocks = 8, vector = 4, {R}, remake = 1")
    far_label("far_label", 8, 20)
    rows_apart("rows_apart", 9, 64, 67)
    divided("divided_bf16", 9, 64, "bf16")
    divided("divided_f16", 3, 20, "f16")
    middle("middle", 3, 67, 45)
    first_softmax("first_softmax", 12, 40)
    group_norm("group_norm", 3, 12, 4, 35)
    group_norm("group_norm_long", 2, 8, 2, 1030)
    halves_of_rows("beside", 3, 1000)
    halves_of_rows("beside_5", 3, 1003, schedule="threads = 32, blocks = 15, vector = 1, cluster = 5, unroll = 2")
    halves_of_rows("beside_turns", 5, 1000, schedule="threads = 32, blocks = 6, vector = 4, cluster = 3")
    group_in_one("group_in_one", 3, 2, 3, 35, schedule=f"threads = 32, blocks = 6, vector = 4, {R}")
    group_in_one("group_in_one_f16", 3, 2, 2, 67, "f16", schedule=f"threads = 32, blocks = 6, vector = 8, {R}")
    group_in_one("group_in_one_least", 2, 3, 5, 17, "f16", schedule=f"threads = 32, blocks = 6, vector = 8, {R}")
    group_in_one("group_in_one_chosen", 2, 3, 3, 177, "bf16")
    any_variance("variance_of_any", 5, (1003,))
    any_variance("variance_of_any_f16", 5, (1003,), "f16")
    any_variance("variance_of_any_dims", 3, (5, 7, 11))
    any_variance("variance_of_any_one", 3, (1,))
    scaled_differences("variance_of_differences", 3, 1003, "bf16")
    scaled_differences("variance_of_differences_f16", 3, 1003, "f16")
    columns_apart("columns_apart", 48, 4100)
    first_softmax("first_softmax_long", 150, 70)
    first_softmax("first_softmax_few", 40, 5)
    middle("middle_nan", 2, 129, 40, nan=True)
    wide_variances("variance_of_all", (9, 333), 0)
    wide_variances("variance_of_all_f16", (7, 5, 99), 0, "f16")
    for t in ("f32", "f16", "bf16"):
        wide_variances(f"variance_of_rows_{t}", (5, 1003), 1, t)
    least_of_rows("least_of_rows", 67, 7)
    least_of_rows("least_of_rows_team", 70, 60)
    least_of_rows("least_of_rows_block", 5, 1003)
    least_of_rows("least_of_rows_cluster", 2, 9001)
    middle("middle_short", 2, 33, 37, schedule='threads = 256, blocks = 2, unroll = 4, shape = "tile"')
    rows_apart("rows_apart_registers", 9, 64, 66, schedule=f"threads = 32, blocks = 3, vector = 4, {R}, team = 16")
    lookup("lookup", 9, 20)
    lookup("lookup_fails", 9, 20, True)
    # results of every kind
    layer_norm_backward("layer_norm_backward", 29, 260)
    layer_norm_backward("layer_norm_backward_odd", 29, 77)
    layer_norm_backward("layer_norm_backward_bf16", 29, 264, "bf16")
    layer_norm_backward("layer_norm_backward_team", 29, 32,
                        schedule=f"threads = 64, blocks = 3, vector = 4, {R}, team = 8")
    layer_norm_backward("layer_norm_backward_warps", 29, 246,
                        schedule=f"threads = 128, blocks = 3, vector = 2, {R}, team = 32, remake = 1")
    # of any number of rows, few by a block each and many by its warps, beside columns that are added up
    few = f"threads = 64, blocks = 5, vector = 2, {R}"
    many = f"many = #sinter.gpu_rows<threads = 128, blocks = 3, vector = 2, {R}, team = 32, remake = 1, least = 9>"
    for m in (1, 8, 9, 29):
        layer_norm_backward(f"layer_norm_backward_many_{m}", m, 246, dynamic=True, schedule=f"{few}, {many}")
    layer_norm_backward("layer_norm_backward_many_chosen", 4225, 366, "bf16", dynamic=True, big=True)
    layer_norm_backward("layer_norm_backward_cluster", 29, 260,
                        schedule=f"threads = 32, blocks = 8, vector = 4, {R}, cluster = 2")
    layer_norm_backward("layer_norm_backward_memory", 29, 260,
                        schedule="threads = 32, blocks = 11, vector = 4, unroll = 2")
    layer_norm_backward("layer_norm_backward_rows", 4099, 264, big=True)
    column_sums("column_sums", 70, 36)
    column_sums("column_sums_memory", 70, 36, schedule="threads = 32, blocks = 66, vector = 4")
    column_sums("column_sums_one_block", 70, 36, schedule="threads = 32, blocks = 1, vector = 4")
    column_sums("column_sums_big", 8192, 5000, big=True)
    column_sums("column_sums_many", 300007, 12, big=True)
    per_row("per_row", 1000)
    # columns that do not lie together
    dim1("dim1", 3, 19, 100)
    dim1("dim1_big", 4, 21, 40000, big=True)
    for t in ("f32", "f16", "bf16"):
        for w, shifts in ((13, (1,)), (14, (1, 2)), (15, (1, 2, 3)), (15, (3,))):
            # rows of 4 k; a line of 13 or 15 begins anywhere, of 14 at a multiple of 4 bytes
            overlapping(f"overlapping_{t}_{w}_{''.join(map(str, shifts))}", 3, 6, w, t, shifts,
                        "threads = 32, vector = 4, unroll = 2")
    accesses("accesses", 9, 23)
    accesses("accesses_20", 9, 20)
    parts("parts", 9, 10, 6, 6)
    # no rows, no columns, one
    softmax("no_rows", 0, 8)
    mse("one", (1, 1))
    # sizes of the call
    softmax("dynamic_rows", 13, 100, dynamic=(True, False))
    softmax("dynamic", 13, 103, dynamic=(True, True))
    softmax("dynamic_none", 0, 103, dynamic=(True, True))
    logsumexp("dynamic_logsumexp", 13, 103, dynamic=(True, True))
    cross_entropy("dynamic_cross_entropy", 13, 103, dynamic=(True, True))
    mse("dynamic_mse", (13, 103), dynamic=("?", "?"))
    per_row("dynamic_per_row", 1000, dynamic=True)
    softmax("dynamic_big", 1000, 50021, dynamic=(True, True), big=True)
    chain_cases.chains(case, program, tensor, cast)
    layer_cases.layers(case, program, tensor, cast)
    head_cases.heads(case, program, tensor, cast)
    corner_cases.corners(case, program, tensor, cast)
    # what has more than 2^31 elements is in run_cases.py: its inputs are made on the device
    mse("mse_big", (4099, 8191), big=True)
    mse("huge_flat", (65537, 32771), big=True)
    softmax("huge_rows", (1 << 21) + 3, 1031, big=True)
    softmax("huge_bf16", 65537, 32771, "bf16", big=True)
    return CASES
