"""Rows of a product that are nothing but reduced: a language model's head, whose logits are never stored."""
import numpy as np


def heads(case, program, tensor, cast):
    for name, options in {
        "head": dict(m=100, n=600, k=72, t="bf16"),
        "head_even": dict(m=65, n=576, k=64, t="f16"),
        "head_few": dict(m=3, n=401, k=40, t="bf16"),
        "head_f32": dict(m=37, n=300, k=33, t="f32"),
        "head_f64": dict(m=17, n=300, k=20, t="f64"),
        "head_no_numbers": dict(m=20, n=400, k=24, t="bf16", numbers=False),
        "head_rows": dict(m=70, n=600, k=72, t="bf16", dynamic=True),
    }.items():
        head(case, program, tensor, cast, name, **options)
    for name, options in {
        "head_again": dict(m=40, n=2000, k=320, t="bf16", again=400000),
        "head_again_rows": dict(m=2000, n=150, k=40, t="f32", again=2400000, turned=True),
        "head_again_even": dict(m=40, n=1536, k=296, t="f16", again=300000, written=True),
        "head_kept": dict(m=40, n=2600, k=320, t="bf16", again=500000),
        "head_kept_all": dict(m=40, n=2304, k=320, t="f16", again=491520, written=True),
        "head_kept_first": dict(m=270, n=1600, k=264, t="bf16", again=1658880, rounded=True),
        "head_kept_weights": dict(m=40, n=2600, k=320, t="bf16", again=500000, alone=True),
    }.items():
        again(case, program, tensor, cast, name, **options)


def again(case, program, tensor, cast, name, m, n, k, t, again, turned=False, written=False, rounded=False,
          alone=False):
    """Cross entropy and what its gradient gives two other products: all of it made again, a part at a time, or of kept
    products. turned: of weights [k, j], so that rows are cut; written: columns come first in what the gradient is;
    rounded: so is the product; alone: the first of those products is not asked for."""
    row, w = f"tensor<{n}xf32>", (k, n) if turned else (n, k)
    at, to, d = ("k, j" if turned else "j, k"), ("j, i" if written else "i, j"), (n, m) if written else (m, n)
    small = t != "f32"
    narrow = lambda v, length: ([f"%y = arith.truncf {v} : tensor<{length}xf32> to tensor<{length}x{t}>",
                                 f"sinter.yield %y : tensor<{length}x{t}>"] if small else
                                [f"sinter.yield {v} : tensor<{length}xf32>"])
    give = narrow("%all", n)[0] if small else ""
    logits = (f"%narrow = arith.truncf %sum : {row} to tensor<{n}x{t}>\n  "
              f"%p = arith.extf %narrow : tensor<{n}x{t}> to {row}" if rounded else "")
    body = f"""
%loss, %d = sinter.contract (i = {m}) by (j = {n})
    product (k = {k}) (%x[i, k] : {tensor((m, k), t)}, %w[{at}] : {tensor(w, t)}) : f32
    ins(%t[i] : {tensor((m,), 'i64')}) reduce(add [] : f32)
    outs(%empty_loss[] : tensor<f32>, %empty_d[{to}] : {tensor(d, t)}) {{
^row(%{'sum' if rounded else 'p'}: {row}, %t0: i64):
  {logits}
  %zero = arith.constant 0.0 : f32
  %part = arith.constant 0.125 : f32
  %m = sinter.row_reduce maximumf %p : {row} -> f32
  %mb = sinter.broadcast %m : f32 -> {row}
  %s = arith.subf %p, %mb : {row}
  %e = math.exp %s : {row}
  %z = sinter.row_reduce add %e : {row} -> f32
  %l = math.log %z : f32
  %q = sinter.pick %s[%t0] else %zero : {row}, i64
  %of = arith.subf %l, %q : f32
  %c = arith.divf %part, %z : f32
  %cb = sinter.broadcast %c : f32 -> {row}
  %soft = arith.mulf %e, %cb : {row}
  %jx = sinter.index j : tensor<{n}xindex>
  %ti = arith.index_cast %t0 : i64 to index
  %tb = sinter.broadcast %ti : index -> tensor<{n}xindex>
  %is = arith.cmpi eq, %jx, %tb : tensor<{n}xindex>
  %partb = sinter.broadcast %part : f32 -> {row}
  %zb = sinter.broadcast %zero : f32 -> {row}
  %less = arith.select %is, %partb, %zb : tensor<{n}xi1>, {row}
  %all = arith.subf %soft, %less : {row}
  {give}
  sinter.yield %of, {'%y' if small else '%all'} : f32, tensor<{n}x{t}>
}}
%dx = sinter.contract (i = {m}) by (k = {k})
    product (j = {n}) (%d[{to}] : {tensor(d, t)}, %w[{at}] : {tensor(w, t)}) : f32
    outs(%empty_dx[i, k] : {tensor((m, k), t)}) {{
^row(%p: tensor<{k}xf32>):
  %two = arith.constant dense<2.0> : tensor<{k}xf32>
  %v = arith.mulf %p, %two : tensor<{k}xf32>
  {chr(10).join('  ' + line for line in narrow('%v', k))}
}}
%dw = sinter.contract ({f'k = {k}' if turned else f'j = {n}'}) by ({f'j = {n}' if turned else f'k = {k}'})
    product (i = {m}) (%d[{to}] : {tensor(d, t)}, %x[i, k] : {tensor((m, k), t)}) : f32
    outs(%empty_dw[{at}] : {tensor(w, t)}) {{
^row(%p: tensor<{n if turned else k}xf32>):
  {chr(10).join('  ' + line for line in narrow('%p', n if turned else k))}
}}"""
    if alone:
        first, last = body.index("%dx ="), body.index("%dw =")
        body = body[:first] + body[last:]
    inputs = lambda r: [cast(r.standard_normal((m, k)), t), cast(r.standard_normal(w) / 4, t), r.integers(0, n, m)]

    def outputs(x, w_, t_):
        v = w_.astype(np.float64).T if turned else w_.astype(np.float64)
        x_ = x.astype(np.float64)
        q = cast(x_ @ v.T, t).astype(np.float64) if rounded else x_ @ v.T
        e = np.exp(q - q.max(1, keepdims=True))
        lse = q.max(1) + np.log(e.sum(1))
        g = e / e.sum(1, keepdims=True)
        g[np.arange(m), t_] -= 1
        g = cast(g / 8, t).astype(np.float64)
        dw = g.T @ x_
        gradients = [dw.T if turned else dw] if alone else [2 * g @ v, dw.T if turned else dw]
        return [np.array((lse - q[np.arange(m), t_]).sum()), *gradients]

    text = program([("x", (m, k), t), ("w", w, t), ("t", (m,), "i64")],
                   [("loss", (), "f32"), *([] if alone else [("dx", (m, k), t)]), ("dw", w, t)],
                   [f"%empty_d = tensor.empty() : {tensor(d, t)}"], body)
    case(name, f"// sinter-cc: --again={again}\n{text}", inputs, outputs,
         tolerance={"bf16": 8e-3, "f16": 1.5e-3, "f32": 2e-5}[t])


def head(case, program, tensor, cast, name, m, n, k, t, dynamic=False, numbers=True):
    """Cross entropy with a part for all classes, a log-sum-exp, a maximum, a sum of squares, and expected logits; whole
    pieces are -inf for some rows, labels are beside their rows. Without numbers: a row of nothing but -inf, one of NaN,
    one with an infinity."""
    M, s = "?" if dynamic else m, "f64" if t == "f64" else "f32"
    row = f"tensor<{n}x{s}>"
    body = f"""
%loss, %lse, %most, %squares, %mean = sinter.contract (i = {M}) by (j = {n})
    product (k = {k}) (%x[i, k] : {tensor((M, k), t)}, %w[j, k] : {tensor((n, k), t)}) : {s}
    ins(%c[j] : {tensor((n,), s)}, %t[i] : {tensor((M,), 'i64')}, %f[i] : {tensor((M,), 'i64')})
    reduce(add [] : {s})
    outs(%empty_loss[] : {tensor((), s)}, %empty_lse[i] : {tensor((M,), s)}, %empty_most[i] : {tensor((M,), s)},
         %empty_squares[i] : {tensor((M,), s)}, %empty_mean[i] : {tensor((M,), s)}) {{
^row(%p: {row}, %bias: {row}, %t0: i64, %first: i64):
  %least = arith.constant 0xFF{'F0000000000000' if s == 'f64' else '800000'} : {s}
  %zero = arith.constant 0.0 : {s}
  %part = arith.constant 0.1 : {s}
  %leastb = sinter.broadcast %least : {s} -> {row}
  %q = arith.addf %p, %bias : {row}
  %jx = sinter.index j : tensor<{n}xindex>
  %j = arith.index_cast %jx : tensor<{n}xindex> to tensor<{n}xi64>
  %fb = sinter.broadcast %first : i64 -> tensor<{n}xi64>
  %in = arith.cmpi sge, %j, %fb : tensor<{n}xi64>
  %x_ = arith.select %in, %q, %leastb : tensor<{n}xi1>, {row}
  %m = sinter.row_reduce maximumf %x_ : {row} -> {s}
  %mb = sinter.broadcast %m : {s} -> {row}
  %d = arith.subf %x_, %mb : {row}
  %e = math.exp %d : {row}
  %z = sinter.row_reduce add %e : {row} -> {s}
  %l = math.log %z : {s}
  %lb = sinter.broadcast %l : {s} -> {row}
  %dq = arith.subf %q, %mb : {row}
  %logs = arith.subf %d, %lb : {row}
  %picked = sinter.pick %logs[%t0] else %zero : {row}, i64
  %of_label = arith.negf %picked : {s}
  %lse_ = arith.addf %m, %l : {s}
  %sq = arith.mulf %q, %q : {row}
  %s2 = sinter.row_reduce add %sq : {row} -> {s}
  %eq = arith.mulf %e, %q : {row}
  %t = sinter.row_reduce add %eq : {row} -> {s}
  %u = arith.divf %t, %z : {s}
  %y = sinter.row_reduce maximumf %q : {row} -> {s}
  %yb = sinter.broadcast %y : {s} -> {row}
  %far = arith.subf %q, %yb : {row}
  %fars = sinter.row_reduce add %far : {row} -> {s}
  %smooth = arith.mulf %fars, %part : {s}
  %of_row = arith.subf %of_label, %smooth : {s}
  sinter.yield %of_row, %lse_, %m, %s2, %u : {', '.join(5 * [s])}
}}"""

    def inputs(r):
        first = np.zeros(m, np.int64)
        first[: m // 3] = r.integers(0, n - 8, m // 3)
        t_ = r.integers(n - 8, n, m)
        t_[1], t_[2] = -1, n
        x = cast(r.standard_normal((m, k)), t)
        if not numbers:
            first[0], x[1], x[2, 0] = n, np.nan, np.inf
        return [x, cast(r.standard_normal((n, k)), t),
                r.standard_normal(n).astype(np.float64 if s == "f64" else np.float32), t_, first]

    @np.errstate(invalid="ignore", divide="ignore")
    def outputs(x, w, c, t_, first):
        q = x.astype(np.float64) @ w.astype(np.float64).T + c
        v = np.where(np.arange(n) >= first[:, None], q, -np.inf)
        most = v.max(1)
        e = np.exp(v - most[:, None])
        z = e.sum(1)
        lse = most + np.log(z)
        inside = (t_ >= 0) & (t_ < n)
        picked = np.where(inside, v[np.arange(m), np.where(inside, t_, 0)] - lse, 0)
        loss = (-picked - 0.1 * (q - q.max(1, keepdims=True)).sum(1)).sum()
        return [np.array(loss), lse, most, (q * q).sum(1), (e * q).sum(1) / z]

    sizes = ["%zero_ = arith.constant 0 : index", f"%size0 = tensor.dim %x, %zero_ : {tensor((M, k), t)}"]
    sizes = sizes if dynamic else []
    case(name, program([("x", (M, k), t), ("w", (n, k), t), ("c", (n,), s), ("t", (M,), "i64"), ("f", (M,), "i64")],
                       [("loss", (), s)] + [(r, (M,), s) for r in ("lse", "most", "squares", "mean")], sizes, body),
         inputs, outputs, tolerance=2e-5)
