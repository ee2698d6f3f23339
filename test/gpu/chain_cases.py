"""Forms that multiply their rows again, for cases.py: attention as fusion makes it, with what stands between."""
import numpy as np


def attention(case, program, tensor, cast, name, heads=(2, 3), queries=37, keys=45, d=16, e=None, t="bf16",
              causal=False, mask=None, masked=(), groups=1, sizes=(), cap=None, statistics=False, turned=False,
              matrices=1, finish=False, schedule=None, window=None, no_sum=False,
              least=(), large=1, growing=0, wide=False, exact=False, wrt=None, prefix=0, lengths=(),
              rounded=False, slopes=False, low=-np.inf, sunk=(), added=False):
    """softmax(q . k / sqrt(d)) . v, rows (b, h, i).

    mask: "rows": a tensor [i, j] of them, "heads": [b, h, i, j]; masked: rows that are -inf altogether. groups: heads
    that share k and v. sizes: dimensions that are `?`, by name. cap: c * tanh(x / c). statistics: the rows'
    log-sum-exp is a result; "sum": their sum of exponentials under the maximum. turned: heads are in the middle
    ([b, i, h, d]). matrices: v's. finish: results are normalised by their root mean square. window: columns that a
    row sees, up to its own. no_sum: weights are sigmoids.
    least: rows of the mask that are the least finite number; large: v is so many times as large.
    growing: each column's mask is so much above the one before.
    exact: results are f32, which show what rounding the weights would cost.
    wide: weights stay in f32, and a row of nothing but -inf is 0, as scaled_dot_product_attention has it. wrt: operands
    whose gradients are results too. t: f32 is multiplied in parts. prefix: columns below it are seen by all rows,
    beside those that a causal mask leaves. lengths: of each b, of what columns are seen; where it is 0, rows are.
    rounded: scores are rounded to t, as a product of PyTorch's is. slopes: (column - row) / 4 is added.
    low: what columns are that a causal mask, a window or lengths leave out; added: it is added to them. sunk: rows of
    the mask that are as low.
    """
    b, h = heads
    floats = t == "f32"
    exact |= floats
    e = e or d
    of = {"b": b, "h": h, "i": queries, "j": keys, "k": d, "e": e}
    size = lambda n: "?" if n in sizes else of[n]
    number = f"0x{np.float32(low).view('u4'):08X}"
    shape = lambda names, kv=False: tuple((of["h"] // groups if n == "h" and kv else size(n)) for n in names)
    order = lambda last: ("b", last[0], "h", last[1]) if turned else ("b", "h", *last)
    at = lambda names, kv=False: ", ".join(f"h floordiv {groups}" if n == "h" and kv and groups > 1 else n
                                           for n in names)
    q, k, v, y = order("ik"), order("jk"), order("je"), order("ie")
    values = ["v"] + [f"v{m}" for m in range(1, matrices)]
    operands = [("q", shape(q), t), ("k", shape(k, True), t)] + [(w, shape(v, True), t) for w in values]
    masks = {"rows": ("i", "j"), "heads": ("b", "h", "i", "j"), None: ()}[mask]
    if mask:
        operands.append(("m", shape(masks), "f32"))
    if lengths:
        operands.append(("n", (b,), "i64"))
    inputs = list(operands)
    if wrt:
        operands.append(("g", shape(y), t))
    of_y = "f32" if exact else t
    results = [("y" + w[1:], shape(y), of_y, at(y)) for w in values]
    if statistics:
        results.append(("s", shape(("b", "h", "i")), "f32", "b, h, i"))
    n, w = ("?" if "j" in sizes else keys), e
    row = lambda x: f"tensor<{n}x{x}>"
    dims = lambda names: ", ".join(f"{x} = {size(x)}" for x in names)
    text = f"%{', %'.join(r[0] for r in results)} = sinter.contract ({dims('bhi')}) by ({dims('j')}) by ({dims('e')})\n"
    text += (f"    product (k = {d}) (%q[{at(q)}] : {tensor(shape(q), t)}, %k[{at(k, True)}] : "
             f"{tensor(shape(k, True), t)}) : f32\n")
    for value in values:
        text += f"    matrix (j) to (e) (%{value}[{at(v, True)}] : {tensor(shape(v, True), t)})\n"
    read = [f"%m[{at(masks)}] : {tensor(shape(masks), 'f32')}"] if mask else []
    read += [f"%n[b] : {tensor((b,), 'i64')}"] if lengths else []
    if read:
        text += f"    ins({', '.join(read)})\n"
    text += "    outs(" + ", ".join(f"%empty_{r[0]}[{r[3]}] : {tensor(r[1], r[2])}" for r in results) + ")"
    text += f" schedule(#sinter.mma<{schedule}>)" if schedule else ""
    arguments = [f"%p: {row('f32')}"] + [f"%{value}_: tensor<{n}x{w}x{t}>" for value in values]
    arguments += [f"%m_: {row('f32')}"] if mask else []
    arguments += ["%n_: i64"] if lengths else []
    text += f" {{\n^row({', '.join(arguments)}):\n"
    line = lambda s: s + "\n"

    def masked_by(name, condition, others, x, truth):
        if not added:
            chosen = f"{others}, {x}" if truth else f"{x}, {others}"
            return line(f"{name} = arith.select {condition}, {chosen} : {row('i1')}, {row('f32')}")
        chosen = f"{others}, {name}_0" if truth else f"{name}_0, {others}"
        return (line(f"{name}_0 = arith.constant dense<0.0> : {row('f32')}") if "?" not in row("f32") else
                line(f"{name}_1 = arith.constant 0.0 : f32") +
                line(f"{name}_0 = sinter.broadcast {name}_1 : f32 -> {row('f32')}")) + (
            line(f"{name}_m = arith.select {condition}, {chosen} : {row('i1')}, {row('f32')}") +
            line(f"{name} = arith.addf {x}, {name}_m : {row('f32')}"))

    text += line(f"%scale = arith.constant {d ** -0.5:.17e} : f32")
    text += line(f"%scales = sinter.broadcast %scale : f32 -> {row('f32')}")
    scores = "%p"
    if rounded:
        text += line(f"%p_half = arith.truncf %p : {row('f32')} to {row(t)}")
        text += line(f"%p_wide = arith.extf %p_half : {row(t)} to {row('f32')}")
        scores = "%p_wide"
    text += line(f"%x0 = arith.mulf {scores}, %scales : {row('f32')}")
    x = "%x0"
    if slopes:
        text += line("%is_ = sinter.index i : index")
        text += line(f"%js_ = sinter.index j : {row('index')}")
        text += line("%il_ = arith.index_cast %is_ : index to i64")
        text += line(f"%jl_ = arith.index_cast %js_ : {row('index')} to {row('i64')}")
        text += line(f"%ill_ = sinter.broadcast %il_ : i64 -> {row('i64')}")
        text += line(f"%far = arith.subi %jl_, %ill_ : {row('i64')}")
        text += line(f"%farf = arith.sitofp %far : {row('i64')} to {row('f32')}")
        text += line("%slope = arith.constant 0.25 : f32")
        text += line(f"%slopes = sinter.broadcast %slope : f32 -> {row('f32')}")
        text += line(f"%xs0 = arith.mulf %farf, %slopes : {row('f32')}")
        text += line(f"%xs = arith.addf {x}, %xs0 : {row('f32')}")
        x = "%xs"
    if cap:
        text += line(f"%cap = arith.constant {cap:.17e} : f32")
        text += line(f"%caps = sinter.broadcast %cap : f32 -> {row('f32')}")
        text += line(f"%x1 = arith.divf {x}, %caps : {row('f32')}")
        text += line(f"%x2 = math.tanh %x1 : {row('f32')}")
        text += line(f"%x3 = arith.mulf %x2, %caps : {row('f32')}")
        x = "%x3"
    if mask:
        text += line(f"%x4 = arith.addf {x}, %m_ : {row('f32')}")
        x = "%x4"
    if lengths:
        text += line(f"%least_ = arith.constant {number} : f32")
        text += line(f"%leasts_ = sinter.broadcast %least_ : f32 -> {row('f32')}")
        text += line(f"%ns = sinter.broadcast %n_ : i64 -> {row('i64')}")
        text += line(f"%jn = sinter.index j : {row('index')}")
        text += line(f"%jl = arith.index_cast %jn : {row('index')} to {row('i64')}")
        text += line(f"%seen = arith.cmpi slt, %jl, %ns : {row('i64')}")
        text += masked_by("%xn", "%seen", "%leasts_", x, False)
        x = "%xn"
    if causal or window:
        text += line(f"%none = arith.constant {number} : f32")
        text += line(f"%nones = sinter.broadcast %none : f32 -> {row('f32')}")
        text += line("%i = sinter.index i : index")
        text += line(f"%is = sinter.broadcast %i : index -> {row('index')}")
        text += line(f"%j = sinter.index j : {row('index')}")
        text += line(f"%later = arith.cmpi sgt, %j, %is : {row('index')}")
        later = "%later"
        if prefix:
            text += line(f"%pr = arith.constant {prefix} : index")
            text += line(f"%prs = sinter.broadcast %pr : index -> {row('index')}")
            text += line(f"%behind = arith.cmpi sge, %j, %prs : {row('index')}")
            text += line(f"%both = arith.andi %later, %behind : {row('i1')}")
            later = "%both"
        text += masked_by("%x5", later, "%nones", x, True)
        x = "%x5"
    if window:
        text += line(f"%w = arith.constant {window} : index")
        text += line(f"%ws = sinter.broadcast %w : index -> {row('index')}")
        text += line(f"%jw = arith.addi %j, %ws : {row('index')}")
        text += line(f"%early = arith.cmpi sle, %jw, %is : {row('index')}")
        text += masked_by("%x6", "%early", "%nones", x, True)
        x = "%x6"
    if no_sum:
        text += line("%one = arith.constant 1.0 : f32")
        text += line(f"%ones = sinter.broadcast %one : f32 -> {row('f32')}")
        text += line(f"%minus = arith.negf {x} : {row('f32')}")
        text += line(f"%ex = math.exp %minus : {row('f32')}")
        text += line(f"%den = arith.addf %ones, %ex : {row('f32')}")
        text += line(f"%weights = arith.divf %ones, %den : {row('f32')}")
    else:
        text += line(f"%max = sinter.row_reduce maximumf {x} : {row('f32')} -> f32")
        text += line(f"%maxs = sinter.broadcast %max : f32 -> {row('f32')}")
        text += line(f"%less = arith.subf {x}, %maxs : {row('f32')}")
        text += line(f"%ex = math.exp %less : {row('f32')}")
        text += line(f"%sum = sinter.row_reduce add %ex : {row('f32')} -> f32")
        text += line("%one = arith.constant 1.0 : f32")
        text += line("%by = arith.divf %one, %sum : f32")
        text += line(f"%bys = sinter.broadcast %by : f32 -> {row('f32')}")
        text += line(f"%weights = arith.mulf %ex, %bys : {row('f32')}")
    if not wide and not floats:
        text += line(f"%half = arith.truncf %weights : {row('f32')} to {row(t)}")
    weights, of_weights = ("%weights", "f32") if wide or floats else ("%half", t)
    yields = []
    for m, value in enumerate(values):
        text += line(f"%u{m} = sinter.row_product {weights}, %{value}_ : {row(of_weights)}, tensor<{n}x{w}x{t}> -> "
                     f"tensor<{w}xf32>")
        u = f"%u{m}"
        if wide and not no_sum:
            text += line(f"%least{m} = arith.constant 0xFF800000 : f32")
            text += line(f"%dead{m} = arith.cmpf oeq, %max, %least{m} : f32")
            text += line(f"%zeros{m} = arith.constant dense<0.0> : tensor<{w}xf32>")
            text += line(f"%z{m} = arith.select %dead{m}, %zeros{m}, {u} : tensor<{w}xf32>")
            u = f"%z{m}"
        if finish:
            text += line(f"%sq{m} = arith.mulf {u}, {u} : tensor<{w}xf32>")
            text += line(f"%ss{m} = sinter.row_reduce add %sq{m} : tensor<{w}xf32> -> f32")
            text += line(f"%rt{m} = math.sqrt %ss{m} : f32")
            text += line(f"%rts{m} = sinter.broadcast %rt{m} : f32 -> tensor<{w}xf32>")
            text += line(f"%f{m} = arith.divf {u}, %rts{m} : tensor<{w}xf32>")
            u = f"%f{m}"
        if not exact:
            text += line(f"%y{m}_ = arith.truncf {u} : tensor<{w}xf32> to tensor<{w}x{t}>")
        yields.append((u if exact else f"%y{m}_", f"tensor<{w}x{of_y}>"))
    if statistics == "sum":
        text += line("%one_ = arith.constant 1.0 : f32")
        text += line("%lse = arith.mulf %sum, %one_ : f32")
    elif statistics:
        text += line("%log = math.log %sum : f32")
        text += line("%lse = arith.addf %max, %log : f32")
    if statistics:
        yields.append(("%lse", "f32"))
    text += f"sinter.yield {', '.join(n for n, _ in yields)} : {', '.join(u for _, u in yields)}\n}}"
    if wrt:
        of_name = {n: (s, x) for n, s, x in inputs}
        types = ", ".join(tensor(*of_name[n]) for n in wrt)
        text += (f"\n{', '.join('%d' + n for n in wrt)} = sinter.differentiate %y upstream(%g) "
                 f"wrt({', '.join('%' + n for n in wrt)}) : ({tensor(shape(y), t)}, {tensor(shape(y), t)}, {types}) -> "
                 f"({types})" if len(wrt) > 1 else
                 f"\n%d{wrt[0]} = sinter.differentiate %y upstream(%g) wrt(%{wrt[0]}) : ({tensor(shape(y), t)}, "
                 f"{tensor(shape(y), t)}, {types}) -> {types}")
        results += [("d" + n, *of_name[n], None) for n in wrt]
    lines = []
    if sizes:
        found = {}
        for operand, names in (("q", q), ("k", k), ("v", v)):
            for place, dim in enumerate(names):
                if dim in sizes and dim not in found:
                    found[dim] = (operand, place)
        # sizes of y, in order: %size0, ...
        for place, dim in enumerate(y):
            if dim in sizes:
                operand, where = found[dim]
                shown = next(tensor(s, x) for o, s, x in operands if o == operand)
                lines += [f"%c{place} = arith.constant {where} : index",
                          f"%size{place} = tensor.dim %{operand}, %c{place} : {shown}"]

    def make(r):
        whole = lambda names, kv=False: tuple(of["h"] // groups if n == "h" and kv else of[n] for n in names)
        size = 1 if wrt else 2
        arrays = [cast(size * r.standard_normal(whole(n, n == k)), t) for n in (q, k)]
        arrays += [cast(large * r.standard_normal(whole(v, True)), t) for _ in values]
        if mask:
            m = np.where(r.random(whole(masks)) < 0.3, -np.inf, r.standard_normal(whole(masks))).astype(np.float32)
            m += np.float32(growing) * np.arange(keys, dtype=np.float32)
            m[..., 0] = np.where(np.isinf(m[..., 0]), 0.5, m[..., 0])
            for i in masked:
                m[..., i, :] = -np.inf
            for i in least:
                m[..., i, :] = np.finfo(np.float32).min
            for i in sunk:
                m[..., i, :] = low
            arrays.append(m)
        if lengths:
            arrays.append(np.array(lengths, dtype=np.int64))
        return arrays + [cast(r.standard_normal(whole(y)), t)] * bool(wrt)

    def right(*arrays):
        x = [a.astype(np.float64) for a in arrays]
        upstream = x.pop() if wrt else None
        seen = x.pop()[:, None, None, None] if lengths else None
        heads_first = (lambda a: a.transpose(0, 2, 1, 3)) if turned else (lambda a: a)
        qq = heads_first(x[0])
        kk, *vv = [np.repeat(heads_first(a), groups, axis=1) for a in x[1:2 + len(values)]]
        s = np.einsum("bhik,bhjk->bhij", qq, kk)
        s = (cast(s.astype(np.float32), t).astype(np.float64) if rounded else s) * d ** -0.5
        s = s + 0.25 * (np.arange(keys)[None, :] - np.arange(queries)[:, None]) if slopes else s
        s = cap * np.tanh(s / cap) if cap else s
        s = s + x[-1] if mask else s
        i, j = np.arange(queries)[:, None], np.arange(keys)[None, :]
        if causal or window:
            s = np.where((j > i) & (j >= prefix), s + low if added else low, s)
        if lengths:
            s = np.where(j >= seen, s + low if added else low, s)
        if window:
            s = np.where(j + window <= i, s + low if added else low, s)
        with np.errstate(all="ignore"):
            top = s.max(-1, keepdims=True) if keys else np.full((*s.shape[:-1], 1), -np.inf)
            p = np.exp(s - top)
            total = p.sum(-1, keepdims=True)
            p = 1 / (1 + np.exp(-s)) if no_sum else p / total
            p = np.where(np.isneginf(top), 0, p) if wide and not no_sum else p
            ys = [np.einsum("bhij,bhje->bhie", p, a) for a in vv]
            ys = [a / np.sqrt((a * a).sum(-1, keepdims=True)) for a in ys] if finish else ys
            out = [heads_first(a) for a in ys]
            if statistics:
                out.append((total if statistics == "sum" else top + np.log(total))[..., 0])
        return out + (gradients(heads_first, p, s, qq, kk, vv[0], heads_first(upstream)) if wrt else [])

    def gradients(heads_first, p, s, q, k, v, g):
        over = lambda a: a.reshape(b, h // groups, groups, *a.shape[2:]).sum(2)  # heads that share a k
        dp = np.einsum("bhie,bhje->bhij", g, v)
        ds = p * (1 - p) * dp if no_sum else p * (dp - (p * dp).sum(-1, keepdims=True))
        ds = ds if added else np.where(s == low, 0, ds)  # but for sunk rows: those add noise to what they are
        found = {"m": ds.sum((0, 1)) if mask == "rows" else ds}
        seen = np.where(np.isinf(s), 0, s)  # of what was left out p is 0
        ds = ds * (1 - (seen / cap) ** 2 if cap else 1) * d ** -0.5
        found["q"] = heads_first(np.einsum("bhij,bhjk->bhik", ds, k))
        found["k"] = heads_first(over(np.einsum("bhij,bhik->bhjk", ds, q)))
        found["v"] = heads_first(over(np.einsum("bhij,bhie->bhje", p, g)))
        return [found[n] for n in wrt]

    # Rows that are almost one number have gradients of differences of almost equal ones.
    tolerance = {"bf16": 4e-2, "f16": 5e-3, "f32": 1e-4}[t] if wrt else 2e-5 if exact else 0
    flags = "// sinter-cc: --f32-parts\n" if floats else ""
    case(name, flags + program(operands, [r[:3] for r in results], lines, text), make, right, tolerance=tolerance)


def chains(case, program, tensor, cast):
    """Every way that a block of rows is made, masked, multiplied again and ended."""
    a = lambda name, **how: attention(case, program, tensor, cast, "chain" + name, **how)
    warps = lambda m, n=16: f'kernel = "mma.sync", m = {m}, n = {n}, k = 16, threads = {2 * m}'
    a("")
    a("_f16", t="f16")
    a("_32", schedule=warps(32, 32))
    a("_64", schedule=warps(64, 64))
    a("_few_blocks", schedule=warps(16) + ", blocks = 2")
    a("_tickets", schedule=warps(16) + ', blocks = 2, deal = "ticket"')
    a("_causal", causal=True, queries=45, schedule=warps(16))
    a("_causal_wide", causal=True, queries=45, schedule=warps(32, 32))
    a("_window", window=9, queries=45, schedule=warps(16))
    a("_mask", mask="rows", masked=(3,))
    a("_mask_heads", mask="heads", schedule=warps(16))
    a("_masked_first", mask="rows", masked=(0, 1, 36), schedule=warps(16, 32))
    a("_least", mask="rows", masked=(3,), least=(5, 20), schedule=warps(16))
    a("_large", large=3e37, keys=200, schedule=warps(16))
    a("_cap", cap=2.5)
    a("_groups", heads=(1, 4), groups=2)
    a("_turned", turned=True)
    a("_turned_groups", heads=(2, 4), turned=True, groups=4, causal=True)
    a("_statistics", statistics=True, causal=True)
    a("_two", matrices=2)
    a("_finish", finish=True)
    a("_sigmoid", no_sum=True)
    a("_sigmoid_causal", no_sum=True, causal=True, queries=45, schedule=warps(16))
    a("_odd", d=13, e=7, queries=5, keys=3)
    a("_long_heads", d=40, e=72, keys=70)
    a("_one", heads=(1, 1), queries=1, keys=1, d=1, e=1)
    a("_one_query", heads=(1, 2), queries=1, keys=200, d=64, e=64)
    a("_wide", wide=True)
    a("_wide_f16", wide=True, t="f16", causal=True)
    a("_wide_mask", wide=True, mask="rows", masked=(0, 3), schedule=warps(16))
    a("_wide_exact", wide=True, exact=True, keys=70)
    a("_wide_exact_f16", wide=True, exact=True, keys=70, t="f16", schedule=warps(16))
    a("_wide_sigmoid", wide=True, no_sum=True)
    a("_wide_statistics", wide=True, statistics=True)
    a("_sizes", sizes=("b", "i", "j"))
    a("_sizes_causal", sizes=("i", "j"), causal=True, queries=45)
    a("_sizes_mask", sizes=("j",), mask="rows", keys=33)
    a("_no_keys", sizes=("j",), keys=0)
    # by warpgroups: copies fetch, what is multiplied again goes from registers to wgmma
    groups = lambda m, n, stages=3: (f'kernel = "wgmma", m = {m}, n = {n}, k = 16, threads = {2 * m}, '
                                     f"stages = {stages}, blocks = 2")
    big = dict(queries=150, keys=200, d=64, heads=(1, 2))
    a("_wgmma", **big, schedule=groups(128, 64))
    a("_wgmma_f16", **big, t="f16", schedule=groups(128, 128))
    a("_wgmma_one", **big, schedule=groups(64, 64, 2))
    a("_wgmma_causal", **big, causal=True, schedule=groups(128, 64))
    a("_wgmma_window", **big, window=70, schedule=groups(64, 64))
    a("_wgmma_mask", **{**big, "keys": 140}, mask="rows", masked=(3, 149), schedule=groups(128, 64))
    a("_wgmma_groups", queries=70, keys=130, d=72, e=40, heads=(2, 4), groups=2, turned=True, schedule=groups(64, 64))
    a("_wgmma_wide", queries=70, keys=130, d=128, e=128, heads=(1, 2), schedule=groups(64, 128, 2))
    a("_wgmma_two", queries=70, keys=130, d=64, e=64, heads=(1, 2), matrices=2, statistics=True,
      schedule=groups(64, 64))
    a("_wgmma_few", queries=3, keys=5, d=8, e=8, schedule=groups(64, 64))
    a("_wgmma_one_query", queries=1, keys=300, d=64, heads=(2, 2), schedule=groups(64, 64))
    a("_wgmma_sizes", **big, sizes=("b", "i", "j"), causal=True, schedule=groups(128, 64))
    a("_wgmma_least", **big, mask="rows", masked=(3,), least=(5, 20), schedule=groups(64, 64))
    a("_wgmma_large", **big, large=3e37, schedule=groups(64, 64))
    a("_wgmma_no_keys", **{**big, "keys": 0}, sizes=("j",), schedule=groups(128, 64))
    a("_wgmma_growing", **big, mask="rows", growing=0.5, large=3e37, schedule=groups(128, 64))
    a("_wgmma_growing_f16", **big, t="f16", mask="rows", growing=0.5, schedule=groups(128, 64))
    a("_wgmma_wide_weights", **big, wide=True, mask="rows", masked=(3, 149), schedule=groups(128, 64))
    a("_wgmma_wide_weights_f16", **big, wide=True, t="f16", causal=True, schedule=groups(64, 128))
    a("_wgmma_wide_no_keys", **{**big, "keys": 0}, sizes=("j",), wide=True, schedule=groups(128, 64))
    a("_wgmma_wide_large", **big, wide=True, large=3e37, schedule=groups(64, 64))
    masked = {**big, "queries": 200, "no_sum": True}
    a("_wgmma_sigmoid_causal", **masked, causal=True, schedule=groups(128, 64))
    a("_wgmma_sigmoid_window", **masked, window=50, schedule=groups(64, 64))
    parts = lambda m, n, split: groups(m, n, 2) + f", split = {split}"
    a("_wgmma_parts", **big, schedule=parts(128, 64, 3))
    a("_wgmma_parts_causal", **big, causal=True, schedule=parts(64, 64, 4))
    a("_wgmma_parts_window", **big, window=70, schedule=parts(64, 64, 2))
    a("_wgmma_parts_mask", **{**big, "keys": 140}, mask="rows", masked=(3, 149), wide=True, schedule=parts(64, 64, 2))
    a("_wgmma_parts_statistics", **big, statistics=True, schedule=parts(64, 64, 2))
    a("_wgmma_parts_sigmoid", **big, no_sum=True, schedule=parts(64, 64, 2))
    a("_wgmma_parts_growing", **big, mask="rows", growing=0.5, large=3e37, schedule=parts(64, 64, 3))
    a("_wgmma_parts_no_keys", **{**big, "keys": 0}, sizes=("j",), schedule=parts(64, 64, 2))
    a("_decode", heads=(2, 16), groups=8, queries=1, keys=1000, d=64)
    a("_decode_f16", heads=(1, 8), groups=4, queries=1, keys=700, d=128, t="f16", sizes=("j",))
    a("_wgmma_sum", **big, statistics="sum", schedule=groups(128, 64))
    behind = lambda m, n, more="": groups(m, n) + ", ahead = 0" + more
    a("_wgmma_behind", **big, schedule=behind(128, 64))
    a("_wgmma_behind_causal", **big, causal=True, schedule=behind(128, 64))
    a("_wgmma_behind_sigmoid", **big, no_sum=True, schedule=behind(128, 64))
    a("_wgmma_behind_two", queries=70, keys=130, d=64, heads=(1, 2), matrices=2, no_sum=True, schedule=behind(64, 64))
    a("_wgmma_grouped", queries=150, keys=150, d=64, heads=(1, 5), causal=True, schedule=groups(64, 64) + ", group = 2")
    # three warpgroups; sides of rows in registers
    a("_wgmma_three", **{**big, "queries": 250}, schedule=groups(192, 128))
    a("_wgmma_three_causal", **{**big, "queries": 250}, causal=True, schedule=groups(192, 64))
    a("_wgmma_three_behind", **{**big, "queries": 250}, no_sum=True, schedule=behind(192, 64))
    a("_wgmma_three_parts", **{**big, "queries": 250}, schedule=parts(192, 64, 2))
    dealt = ', deal = "ticket"'
    a("_wgmma_dealt", **{**big, "heads": (2, 3)}, schedule=groups(128, 64) + dealt)
    a("_wgmma_dealt_causal", queries=150, keys=150, d=64, heads=(1, 5), causal=True,
      schedule=groups(64, 64) + dealt + ", group = 2, held = 1")
    a("_wgmma_dealt_sizes", **big, sizes=("b", "i", "j"), schedule=groups(192, 64) + dealt)
    a("_wgmma_dealt_no_keys", **{**big, "keys": 0}, sizes=("j",), schedule=groups(128, 64) + dealt)
    a("_wgmma_dealt_behind", **{**big, "queries": 250}, no_sum=True, schedule=behind(64, 64, dealt))
    a("_wgmma_tiles", **{**big, "heads": (2, 3)}, schedule=groups(64, 64) + ", tiles = 2" + dealt)
    a("_wgmma_tiles_held", **{**big, "heads": (2, 3)}, schedule=groups(128, 64) + ", tiles = 2, held = 1")
    a("_wgmma_tiles_behind", **{**big, "queries": 250}, no_sum=True, schedule=behind(64, 64, ", tiles = 2"))
    a("_wgmma_held", **big, schedule=groups(128, 64) + ", held = 1")
    a("_wgmma_held_f16", **{**big, "queries": 330}, t="f16", schedule=groups(64, 128) + ", held = 1")
    a("_wgmma_held_wide", queries=70, keys=130, d=128, e=64, heads=(2, 2), causal=True,
      schedule=groups(64, 64) + ", held = 1")
    a("_wgmma_held_odd", queries=70, keys=130, d=72, e=40, heads=(2, 4), groups=2, turned=True,
      schedule=groups(64, 64) + ", held = 1")
    a("_wgmma_held_behind", **{**big, "queries": 250}, mask="rows", masked=(3, 149),
      schedule=behind(192, 64, ", held = 1"))
    a("_wgmma_short", queries=150, keys=77, d=64, heads=(1, 2), schedule=groups(128, 128))
    for t in ("f16", "bf16"):
        odd = dict(queries=150, d=64, heads=(1, 2), rounded=True, slopes=True, t=t)
        a(f"_wgmma_slopes_{t}", **odd, keys=203, schedule=groups(128, 64))
        a(f"_slopes_{t}", **odd, keys=91, schedule=warps(16))
    a("_wgmma_slopes_even", queries=150, keys=200, d=64, heads=(1, 2), slopes=True, schedule=groups(64, 128))
    # columns that a number of the batch leaves out, and those in front of which a causal mask leaves none
    lengths = lambda name, **how: a("_lengths" + name, lengths=how.pop("n", (0, 70)),
                                    **{"wide": True, "queries": 90, "keys": 90, **how})
    lengths("", schedule=warps(32, 16))
    lengths("_wgmma", d=64, heads=(2, 1), keys=150, n=(1, 150), schedule=groups(64, 64))
    lengths("_beside", n=(-5, 10**15), schedule=warps(16, 32))
    lengths("_grads", n=(30, 70), wrt="qkv", wide=False)
    lengths("_causal", causal=True, schedule=warps(16))
    a("_prefix", causal=True, prefix=40, queries=90, keys=90, schedule=warps(16))
    a("_prefix_wgmma", causal=True, prefix=70, queries=200, keys=200, d=64, heads=(1, 2), schedule=groups(64, 64))
    # masks of a finite number, whose blocks are made where nothing greater by far was kept: rows of nothing (a length
    # of 0), rows whose scores are as low, or lower
    alone = lambda name, **how: attention(case, program, tensor, cast, "finite" + name, **how)
    lost = np.finfo(np.float32).min  # scores that are added to it are lost
    for how in ("wgmma", "warps"):
        schedule = groups(64, 64) if how == "wgmma" else warps(32, 32)
        finite = lambda name, **more: alone(f"_{how}{name}", **{
            "queries": 200, "keys": 200, "d": 64, "heads": (2, 1), "low": -1e9, "schedule": schedule, **more})
        finite("_causal", causal=True)
        finite("_sunk", causal=True, low=-2e4, mask="rows", sunk=(0, 70, 130))
        finite("_least", causal=True, mask="rows", least=(5, 199), low=-6e4)
        finite("_window", window=70, low=np.finfo(np.float32).min, mask="rows", least=(150,))
        finite("_prefix", causal=True, prefix=70, low=-1e9)
        finite("_added", causal=True, low=lost, added=True, mask="rows", least=(5, 199))
        finite("_added_lengths", lengths=(0, 130), low=lost, added=True, wide=True)
        finite("_added_window", window=70, low=lost, added=True, sizes=("i", "j"))
        finite("_lengths", lengths=(0, 130), wide=True)
        finite("_statistics", causal=True, mask="rows", sunk=(64,), low=-2e4, statistics=True)
    alone("_wgmma_blocks", **big, causal=True, low=-1e9, mask="rows", least=(3, 149), schedule=groups(128, 64))
    alone("_wgmma_behind", **big, causal=True, low=-1e9, mask="rows", least=(3,), schedule=behind(64, 64))
    alone("_wgmma_many", **{**big, "heads": (5, 4)}, causal=True, low=-1e9, mask="rows", least=(3,), t="f16",
      schedule=groups(128, 64))
    alone("_wgmma_sizes", **big, sizes=("b", "i", "j"), causal=True, low=-1e9, schedule=groups(128, 64))
    alone("_wgmma_parts", **big, causal=True, low=-1e9, schedule=parts(64, 64, 4))
    alone("_tickets", causal=True, queries=45, low=-1e9, mask="rows", least=(3,),
      schedule=warps(16) + ', blocks = 2, deal = "ticket"')
    alone("_f16", **big, causal=True, low=-1e9, mask="rows", least=(3,), t="f16", schedule=groups(128, 64))
    # f32, each number as three bf16
    in_parts = lambda name, **how: a("_f32" + name, t="f32", **how)
    split = lambda m, n=16: f'kernel = "mma.parts", m = {m}, n = {n}, k = 16, threads = {2 * m}'
    in_parts("")
    in_parts("_64", schedule=split(64, 64), keys=130)
    in_parts("_causal", causal=True, queries=45, schedule=split(32, 32))
    in_parts("_window", window=9, queries=45, turned=True)
    in_parts("_mask", mask="rows", masked=(3,), wide=True, schedule=split(16, 32))
    in_parts("_odd", d=13, e=7, queries=5, keys=3)
    in_parts("_one_query", heads=(1, 4), groups=2, queries=1, keys=200, d=64, e=64)
    in_parts("_two", matrices=2, statistics=True, no_sum=False)
    in_parts("_sizes", sizes=("b", "i", "j"), causal=True, queries=45)
    in_parts("_no_keys", sizes=("j",), keys=0)
    in_parts("_growing", mask="rows", growing=0.5, keys=130)
    in_parts("_grads", wrt="qkv", queries=40, keys=45)
    in_parts("_grads_causal", wrt="qkv", queries=70, keys=70, d=64, heads=(1, 1), causal=True)
    # the gradients, three kernels more and one of rows: q's by rows of queries, k's and v's by rows of keys
    grads = lambda name, **how: a("_grads" + name, wrt="qkv", **how)
    grads("", queries=70, keys=45)
    grads("_f16", queries=70, keys=45, t="f16")
    grads("_causal", queries=70, keys=70, d=64, heads=(1, 2), causal=True)
    finite = lambda name, **how: alone("_grads" + name, **{
        "wrt": "qkv", "queries": 200, "keys": 200, "heads": (1, 2), "low": -1e9, "causal": True, **how})
    finite("", d=64)
    finite("_least", d=64, mask="rows", least=(0, 130))
    finite("_sunk", d=16, mask="rows", sunk=(3, 100), low=-2e4, t="f16")
    finite("_lengths", d=64, heads=(2, 1), causal=False, lengths=(0, 130))
    finite("_window", d=64, causal=False, window=70, mask="rows", least=(150,))
    finite("_added", d=64, low=lost, added=True)
    finite("_added_least", d=64, low=lost, added=True, mask="rows", least=(0, 130))
    finite("_added_lengths", d=64, heads=(2, 1), causal=False, low=lost, added=True, lengths=(0, 130))
    finite("_added_odd", d=13, queries=70, keys=70, low=lost, added=True, mask="rows", least=(60,))
    finite("_odd", d=13, queries=70, keys=70, mask="rows", least=(60,))
    grads("_mask", queries=70, keys=45, mask="heads")
    grads("_cap", queries=40, keys=70, cap=2.5)
    grads("_window", queries=70, keys=70, window=9)
    grads("_turned", queries=70, keys=45, turned=True)
    grads("_lengths", queries=70, keys=45, d=16, e=24)
    grads("_causal_blocks", queries=200, keys=200, d=64, heads=(1, 1), causal=True)
    grads("_causal_few", queries=70, keys=70, causal=True)
    grads("_window_blocks", queries=200, keys=200, d=64, heads=(1, 1), window=40)
    grads("_wide", queries=70, keys=130, d=128, heads=(1, 1))
    grads("_wide_causal", queries=150, keys=150, d=128, heads=(1, 1), causal=True, t="f16")
    grads("_prefix", queries=200, keys=200, d=64, heads=(1, 1), causal=True, prefix=70)
    grads("_sigmoid_causal", queries=200, keys=200, d=64, heads=(1, 1), no_sum=True, causal=True)
    grads("_least", queries=70, keys=45, mask="rows", least=(5, 20))
    grads("_groups", queries=70, keys=45, heads=(1, 4), groups=2)
    a("_grads_bias", queries=40, keys=45, mask="heads", wrt="qkvm")
    a("_grads_bias_rows", queries=40, keys=45, mask="rows", wrt="qkvm")
    grads("_wide_weights", queries=40, keys=45, wide=True)
    grads("_wide_causal_weights", queries=45, keys=45, wide=True, causal=True, t="f16")
