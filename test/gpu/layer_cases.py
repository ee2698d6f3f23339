"""Forms whose rows go through several products whole, for cases.py: perceptrons, with what stands between."""
import numpy as np


def perceptron(case, program, tensor, cast, name, rows=(37,), widths=(13, 48, 32, 16), t="f32", dynamic=(),
               keeps=False, turned=(), schedule=None, act="relu"):
    """x W0 relu W1 relu W2 ..., each with a bias, in sums of f32.

    rows: dimensions of rows; dynamic: which of them are `?`. keeps: the first layer's row is a result, too. turned:
    layers whose weights are [k, j].
    """
    n = len(widths) - 1
    dims = "i" if len(rows) == 1 else "bi"
    shape = lambda w: tuple("?" if d in dynamic else r for d, r in zip(dims, rows)) + (w,)
    at = lambda last: ", ".join([*dims, last])
    columns = [f"j{l}" for l in range(n)]
    operands = [("x", shape(widths[0]), t)]
    for l in range(n):
        side = (widths[l], widths[l + 1]) if l in turned else (widths[l + 1], widths[l])
        operands += [(f"w{l}", side, t), (f"b{l}", (widths[l + 1],), "f32")]
    results = [("y", shape(widths[-1]), t, at(columns[-1]))]
    if keeps:
        results.append(("h", shape(widths[1]), t, at(columns[0])))
    made = lambda l: f"%h{l}" if t != "f32" else f"%r{l}"
    row = lambda w, u="f32": f"tensor<{w}x{u}>"
    sizes = ", ".join(f"{d} = {'?' if d in dynamic else r}" for d, r in zip(dims, rows))
    by = " ".join(f"by ({c} = {w})" for c, w in zip(columns, widths[1:]))
    side = lambda l, k: f"%w{l}[{k}, {columns[l]}]" if l in turned else f"%w{l}[{columns[l]}, {k}]"
    of = lambda l: tensor(operands[1 + 2 * l][1], t)
    text = f"%{', %'.join(r[0] for r in results)} = sinter.contract ({sizes}) {by}\n"
    x = f"%x[{at('k')}] : {tensor(shape(widths[0]), t)}"
    text += f"    product (k = {widths[0]}) ({x}, {side(0, 'k')} : {of(0)}) : f32\n"
    for l in range(1, n):
        text += f"    matrix ({columns[l - 1]}) to ({columns[l]}) ({side(l, columns[l - 1])} : {of(l)})\n"
    text += "    ins(" + ", ".join(f"%b{l}[{columns[l]}] : {tensor((widths[l + 1],), 'f32')}" for l in range(n)) + ")\n"
    text += "    outs(" + ", ".join(f"%empty_{r[0]}[{r[3]}] : {tensor(r[1], r[2])}" for r in results) + ")"
    text += f" schedule(#sinter.mma<{schedule}>)" if schedule else ""
    arguments = [f"%p: {row(widths[1])}"]
    arguments += [f"%m{l}: tensor<{widths[l]}x{widths[l + 1]}x{t}>" for l in range(1, n)]
    arguments += [f"%c{l}: {row(widths[l + 1])}" for l in range(n)]
    text += f" {{\n^row({', '.join(arguments)}):\n%zero = arith.constant 0.0 : f32\n"
    for l in range(n):
        w = widths[l + 1]
        if l:
            text += f"%p{l} = sinter.row_product {made(l - 1)}, %m{l} : {row(widths[l], t)}, "
            text += f"tensor<{widths[l]}x{w}x{t}> -> {row(w)}\n"
        text += f"%s{l} = arith.addf {f'%p{l}' if l else '%p'}, %c{l} : {row(w)}\n"
        if act == "relu":
            text += f"%z{l} = sinter.broadcast %zero : f32 -> {row(w)}\n"
            text += f"%r{l} = arith.maximumf %s{l}, %z{l} : {row(w)}\n"
        else:
            text += f"%r{l} = math.tanh %s{l} : {row(w)}\n"
        if t != "f32":
            text += f"%h{l} = arith.truncf %r{l} : {row(w)} to {row(w, t)}\n"
    yields = [(made(n - 1), row(widths[-1], t))] + ([(made(0), row(widths[1], t))] if keeps else [])
    text += f"sinter.yield {', '.join(v for v, _ in yields)} : {', '.join(u for _, u in yields)}\n}}"
    lines = []
    for place, d in enumerate(dims):
        if d in dynamic:
            lines += [f"%k{place} = arith.constant {place} : index",
                      f"%size{place} = tensor.dim %x, %k{place} : {tensor(shape(widths[0]), t)}"]
    def make(r):
        values = [cast(r.standard_normal((*rows, widths[0])), t)]
        for l in range(n):
            w = cast(r.standard_normal((widths[l + 1], widths[l])) * widths[l] ** -0.5, t)
            values += [np.ascontiguousarray(w.T) if l in turned else w, r.standard_normal(widths[l + 1]).astype("f4")]
        return values

    def right(x, *weights):
        h, first = x.astype(np.float64), None
        for l in range(n):
            w, b = weights[2 * l].astype(np.float64), weights[2 * l + 1]
            h = h @ (w if l in turned else w.T) + b
            h = np.maximum(h, 0) if act == "relu" else np.tanh(h)
            h = cast(h, t).astype(np.float64)
            first = h if l == 0 else first
        return [h, first] if keeps else [h]

    case(name, program(operands, [r[:3] for r in results], lines, text), make, right)


def layers(case, program, tensor, cast):
    p = lambda name, **given: perceptron(case, program, tensor, cast, f"layers_{name}", **given)
    fma = 'kernel = "fma", m = 16, n = 32, k = 16, threads = 64'
    p("f32", schedule=fma)
    p("f32_odd", rows=(19,), widths=(7, 41, 33, 5), schedule=fma)
    p("f32_cluster", rows=(21,), widths=(13, 96, 64, 40), schedule='kernel = "fma", m = 8, n = 16, k = 16, '
      'threads = 64, cluster = 4')
    p("f32_tiles", rows=(50,), widths=(20, 64, 48, 16), schedule='kernel = "fma", m = 8, n = 16, k = 16, threads = 64, '
      'cluster = 2, blocks = 4')
    p("two", rows=(33,), widths=(10, 40, 24), schedule=fma)
    p("sizes", rows=(29,), widths=(12, 32, 48, 8), dynamic="i", schedule=fma + ", blocks = 2")
    p("batch", rows=(3, 11), widths=(12, 32, 48, 8), schedule=fma)
    p("kept", rows=(23,), widths=(12, 32, 48, 8), keeps=True, schedule=fma)
    p("tanh", rows=(23,), widths=(12, 32, 48, 32), schedule=fma, act="tanh")
    p("turned", rows=(23,), widths=(12, 32, 48, 8), turned=(0, 1, 2), schedule=fma)
    p("bf16", rows=(70,), widths=(24, 64, 48, 16), t="bf16", schedule='kernel = "mma.sync", m = 32, n = 64, k = 32, '
      'threads = 64')
    p("f16_cluster", rows=(40,), widths=(32, 128, 64, 64), t="f16", schedule='kernel = "mma.sync", m = 16, n = 32, '
      'k = 32, threads = 64, cluster = 4')
    p("bf16_odd", rows=(40,), widths=(9, 41, 30, 7), t="bf16", turned=(1,), schedule='kernel = "mma.sync", m = 32, '
      'n = 32, k = 16, threads = 64')
