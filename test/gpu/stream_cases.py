"""Few rows by weights that are streamed, for cases.py: each type, programs of the weights' side, ends of everything."""
import numpy as np


def stream(case, program, tensor, cast, name, schedule, of="i8", m=5, n=70, sum=256, group=64, t="bf16", scale="f32",
           batch=0, by="group"):
    """x w, x in `t`, w in `of`; i4 are two to a byte. by: what w is multiplied by: a number of each group of the sum
    (whose scales have the type `scale`), of each column, one of all, each; or None: nothing. "inverse": it is one over
    w, of which none is 0, and the first number of the rows is infinite."""
    groups, nibbles, whole = sum // group, of == "i4", t == of
    memory = "i8" if nibbles else of
    inner = group // 2 if nibbles else group
    dims = [("k", groups), ("l", inner)] + ([("m", 2)] if nibbles else [])
    at = f"k * {group} + l * 2 + m" if nibbles else f"k * {group} + l"
    first = "h, " if batch else ""
    head = (batch,) if batch else ()
    x, w = head + (m, sum), head + (n, sum // 2 if nibbles else sum)
    inverse, by = by == "inverse", None if by == "inverse" else by
    scales = {"group": (n, groups), "column": (n,), "all": (), "both": (n, groups)}.get(by)
    places = {"group": "j, k", "column": "j", "all": "", "both": "j, k"}.get(by)
    operands = [("x", x, t), ("w", w, memory)]
    operands += [("s", scales, scale)] if by else []
    operands += [("z", (n,), "f32")] if by == "both" else []
    row = lambda e: f"tensor<{sum}x{e}>"
    side = f"%w[{first}j, k * {inner} + l] : {tensor(w, memory)}"
    if by or memory == "i8":
        number = row(scale) if by in ("group", "both") else scale
        arguments, body = [f"%q: {row(memory)}"], []
        inputs = [side]
        if by:
            inputs.append(f"%s[{places}] : {tensor(scales, scale)}")
            arguments.append(f"%g: {number}")
        if by == "both":
            inputs.append(f"%z[j] : {tensor((n,), 'f32')}")
            arguments.append("%o: f32")
        if nibbles:
            lane, wide, bit = row("i8"), row("index"), row("i1")
            body = [f"%c15 = arith.constant dense<15> : {lane}", f"%c4 = arith.constant dense<4> : {lane}",
                    f"%c8 = arith.constant dense<8> : {lane}", f"%c0 = arith.constant dense<0> : {wide}",
                    f"%i = sinter.index m : {wide}", f"%is = arith.cmpi eq, %i, %c0 : {wide}",
                    f"%low = arith.andi %q, %c15 : {lane}", f"%high = arith.shrui %q, %c4 : {lane}",
                    f"%u = arith.select %is, %low, %high : {bit}, {lane}", f"%v = arith.subi %u, %c8 : {lane}"]
        v = "%v" if nibbles else "%q"
        body.append(f"%f = arith.{'extf' if of[0] == 'f' else 'sitofp'} {v} : {row(memory)} to {row('f32')}")
        v = "%f"
        if by:
            small = number if number[0] != "t" else row(scale)
            to = "f32" if number[0] != "t" else row("f32")
            g = "%g"
            if scale != "f32":
                body.append(f"%wide = arith.extf %g : {small} to {to}")
                g = "%wide"
            if number[0] != "t":
                body.append(f"%spread = sinter.broadcast {g} : f32 -> {row('f32')}")
                g = "%spread"
            body.append(f"%d = arith.mulf %f, {g} : {row('f32')}")
            v = "%d"
        if inverse:
            body += [f"%one = arith.constant dense<1.0> : {row('f32')}", f"%d = arith.divf %one, %f : {row('f32')}"]
            v = "%d"
        if by == "both":
            body += ["%c2 = arith.constant 2.0 : f32", "%twice = arith.mulf %o, %c2 : f32",
                     f"%all = sinter.broadcast %twice : f32 -> {row('f32')}",
                     f"%e = arith.addf %d, %all : {row('f32')}"]
            v = "%e"
        body += [f"%t = arith.truncf {v} : {row('f32')} to {row(t)}", f"sinter.yield %t : {row(t)}"]
        side = (f"side({', '.join(inputs)}) {{\n^side({', '.join(arguments)}):\n  " + "\n  ".join(body) + "\n}")
    rows = ([("h", batch)] if batch else []) + [("i", m)]
    result = ("y", head + (m, n), "f32")
    sizes = lambda l: ", ".join(f"{k} = {v}" for k, v in l)
    text = (f"%y = sinter.contract ({sizes(rows)}) by (j = {n})\n"
            f"    product ({sizes(dims)}) (%x[{first}i, {at}] : {tensor(x, t)}, {side}) : f32\n"
            f"    outs(%empty_y[{first}i, j] : {tensor(result[1], 'f32')})"
            + (f" schedule(#sinter.mma<{schedule}>)" if schedule else "")
            + f" {{\n^row(%p: tensor<{n}xf32>):\n  sinter.yield %p : tensor<{n}xf32>\n}}")

    def inputs(r):
        made = [cast(r.standard_normal(x), t)]
        made.append(r.integers(-128, 128, w).astype(np.int8) if memory == "i8" else cast(r.standard_normal(w), memory))
        if inverse:
            made[1] = r.integers(1, 128, w).astype(np.int8)
            made[0].flat[0] = np.inf
        if by:
            made.append(cast(r.uniform(0.5, 2, scales), scale))
        if by == "both":
            made.append(cast(r.standard_normal(n), "f32"))
        return made

    def right(x, w, s=None, z=None):
        if nibbles:
            u = w.view(np.uint8).astype(np.int64)
            w = np.stack((u & 15, u >> 4), -1).reshape(*head, n, sum) - 8
        w = w.astype("f8")
        if by in ("group", "both"):
            w = w * s.astype("f8").repeat(group, 1)
        elif by:
            w = w * s.astype("f8").reshape(-1, 1)
        if by == "both":
            w = w + 2 * z.astype("f8")[:, None]
        w = 1 / w if inverse else w
        w = w if whole else cast(w.astype("f4"), t).astype("f8")
        return [x.astype("f8") @ w.swapaxes(-1, -2)]

    case(name, program(operands, [result], [], text), inputs, right)


def odd(case, program, tensor, cast, name, schedule, m=5, n=70, sum=203, t="bf16", turned=False, batch=0, other=0,
        gate=False, longer=0, across=False):
    """x w^T, lines as long as the sum, so that they begin anywhere; x's are `longer`, and NaN behind the sum.
    turned: w x^T. across: x is [k, i]. other: w is so many elements of a longer line, from this one on. gate: x w^T
    times x v^T."""
    line, whole = sum + longer, sum + 2 * other
    head, first = ((batch,), "h, ") if batch else ((), "")
    few, many = head + ((line, m) if across else (m, line)), head + (n, whole)
    at = f"k + {other}" if other else "k"
    rows = m, n
    order = lambda v, i, k: f"{k}, {i}" if across and v == "x" else f"{i}, {k}"
    place = lambda v, i, k, shape: f"%{v}[{first}{order(v, i, k)}] : {tensor(shape, t)}"
    sides = [place("x", "i", "k", few), place("w", "j", at, many)]
    if turned:
        rows, sides = (n, m), [place("w", "i", at, many), place("x", "j", "k", few)]
    shape = head + rows
    text = (f"%y = sinter.contract ({f'h = {batch}, ' if batch else ''}i = {rows[0]}) by (j = {rows[1]})\n"
            f"    product (k = {sum}) ({sides[0]}, {sides[1]}) : f32\n")
    if gate:
        text += f"    product (l = {sum}) ({place('x', 'i', 'l', few)}, {place('v', 'j', 'l', many)}) : f32\n"
    text += (f"    outs(%empty_y[{first}i, j] : {tensor(shape, 'f32')})"
             + (f" schedule(#sinter.mma<{schedule}>)" if schedule else "")
             + f" {{\n^row(%p: tensor<{rows[1]}xf32>{f', %q: tensor<{rows[1]}xf32>' if gate else ''}):\n")
    if gate:
        text += f"  %z = arith.mulf %p, %q : tensor<{rows[1]}xf32>\n"
    text += f"  sinter.yield %{'z' if gate else 'p'} : tensor<{rows[1]}xf32>\n}}"

    def inputs(r):
        x = r.standard_normal(few)
        x[..., sum:] = np.nan
        w = [r.standard_normal(many) for _ in range(1 + gate)]
        for v in w:
            v[..., :other] = v[..., sum + other:] = np.nan
        return [cast(v, t) for v in (x, *w)]

    def right(x, *w):
        x = x.T if across else x
        x, parts = x[..., :sum].astype("f8"), [v[..., other:other + sum].astype("f8") for v in w]
        y = [x @ v.swapaxes(-1, -2) for v in parts]
        y = y[0] * y[1] if gate else y[0]
        return [y.swapaxes(-1, -2) if turned else y]

    operands = [("x", few, t), ("w", many, t)] + ([("v", many, t)] if gate else [])
    case(name, program(operands, [("y", shape, "f32")], [], text), inputs, right)


def gate(case, program, tensor, cast, name, schedule, of="bf16", m=5, n=70, sum=256, group=64, t="bf16"):
    """(x u) (x v + 1): two products of the same rows in `t`, weights of i8 with a number of each group, or of `t`."""
    groups, scaled = sum // group, of == "i8"
    row = lambda e: f"tensor<{sum}x{e}>"

    def side(w, s, k, l):
        at = f"%{w}[j, {k} * {group} + {l}] : {tensor((n, sum), of)}"
        if not scaled:
            return at
        return (f"side({at}, %{s}[j, {k}] : {tensor((n, groups), 'f32')}) {{\n"
                f"^side(%q: {row('i8')}, %g: {row('f32')}):\n"
                f"  %f = arith.sitofp %q : {row('i8')} to {row('f32')}\n  %d = arith.mulf %f, %g : {row('f32')}\n"
                f"  %t = arith.truncf %d : {row('f32')} to {row('bf16')}\n  sinter.yield %t : {row('bf16')}\n}}")

    product = lambda w, s, k, l: (f"    product ({k} = {groups}, {l} = {group}) (%x[i, {k} * {group} + {l}] : "
                                  f"{tensor((m, sum), t)}, {side(w, s, k, l)}) : f32\n")
    r = f"tensor<{n}xf32>"
    text = (f"%y = sinter.contract (i = {m}) by (j = {n})\n" + product("u", "s", "k", "l")
            + product("v", "z", "k_", "l_") + f"    outs(%empty_y[i, j] : {tensor((m, n), 'f32')})"
            + (f" schedule(#sinter.mma<{schedule}>)" if schedule else "")
            + f" {{\n^row(%p: {r}, %q: {r}):\n  %one = arith.constant dense<1.0> : {r}\n"
            f"  %a = arith.addf %q, %one : {r}\n"
            f"  %b = arith.mulf %p, %a : {r}\n  sinter.yield %b : {r}\n}}")
    weights = [("u", (n, sum), of), ("v", (n, sum), of)]
    scales = [("s", (n, groups), "f32"), ("z", (n, groups), "f32")] if scaled else []

    def inputs(r):
        make = lambda: (r.integers(-128, 128, (n, sum)).astype(np.int8) if scaled
                        else cast(r.standard_normal((n, sum)), of))
        return ([cast(r.standard_normal((m, sum)), t), make(), make()]
                + [r.uniform(0.01, 0.02, (n, groups)).astype("f4") for _ in scales])

    def right(x, u, v, *by):
        if scaled:
            u, v = (cast((w.astype("f8") * s.astype("f8").repeat(group, 1)).astype("f4"), "bf16")
                    for w, s in zip((u, v), by))
        p, q = (x.astype("f8") @ w.astype("f8").T for w in (u, v))
        return [p * (q + 1)]

    case(name, program([("x", (m, sum), t), *weights, *scales], [("y", (m, n), "f32")], [], text), inputs, right)


def two_layers(case, program, tensor, cast, name, m=3, n=128, sum=1024):
    """x w v: a chain, whose pieces multiply what programs make of bytes."""
    layer = lambda x, w, k, n, end, t: (
        f"sinter.contract (i = {m}) by (j = {n}) product (k = {k}) (%{x}[i, k] : {tensor((m, k), 'bf16')}, "
        f"side(%{w}[j, k] : {tensor((n, k), 'i8')}) {{\n^side(%q: {tensor((k,), 'i8')}):\n"
        f"  %t = arith.sitofp %q : {tensor((k,), 'i8')} to {tensor((k,), 'bf16')}\n"
        f"  sinter.yield %t : {tensor((k,), 'bf16')}\n}}) : f32\n"
        f"    outs(%{end}[i, j] : {tensor((m, n), t)}) {{\n^row(%p: {tensor((n,), 'f32')}):\n")
    text = f"%h0 = tensor.empty() : {tensor((m, n), 'bf16')}\n%h = " + layer("x", "w", sum, n, "h0", "bf16")
    text += (f"  %c = arith.constant dense<0.0009765625> : {tensor((n,), 'f32')}\n"
             f"  %s = arith.mulf %p, %c : {tensor((n,), 'f32')}\n"
             f"  %t = arith.truncf %s : {tensor((n,), 'f32')} to {tensor((n,), 'bf16')}\n"
             f"  sinter.yield %t : {tensor((n,), 'bf16')}\n}}\n")
    text += "%y = " + layer("h", "v", n, sum, "empty_y", "f32") + f"  sinter.yield %p : {tensor((sum,), 'f32')}\n}}"
    operands = [("x", (m, sum), "bf16"), ("w", (n, sum), "i8"), ("v", (sum, n), "i8")]

    def inputs(r):
        small = lambda s: r.integers(-3, 4, s)
        return [cast(small((m, sum)), "bf16"), small((n, sum)).astype(np.int8), small((sum, n)).astype(np.int8)]

    def right(x, w, v):
        h = cast(x.astype("f8") @ w.T.astype("f8") / 1024, "bf16").astype("f8")
        return [h @ v.T.astype("f8")]

    case(name, program(operands, [("y", (m, sum), "f32")], [], text), inputs, right)


def streams(case, program, tensor, cast):
    def add(name, schedule, **more):
        stream(case, program, tensor, cast, "stream_" + name,
               schedule and 'kernel = "mma.stream", ' + schedule, **more)

    tile = lambda m, n, k, threads, stages, more="": (f"m = {m}, n = {n}, k = {k}, threads = {threads}, "
                                                      f"stages = {stages}{more}")
    add("i8", tile(8, 64, 128, 128, 3))
    add("i8_short_lines", tile(8, 64, 64, 128, 2), group=32)
    add("i8_tail", tile(8, 64, 128, 128, 4), sum=192)
    add("i8_tail_of_parts", tile(8, 64, 128, 128, 3, ", split = 3"), sum=672, group=32)
    add("i8_two_blocks", tile(16, 128, 128, 128, 5), m=13, n=150)
    add("i8_rows", tile(64, 128, 128, 128, 3, ", blocks = 2"), m=71, n=130)
    add("i8_by_columns", tile(8, 64, 128, 128, 3), by="column")
    add("i8_by_one", tile(8, 64, 128, 128, 3), by="all")
    add("i8_zeros", tile(8, 64, 128, 128, 3), by="both", sum=192)
    add("i8_inverse", tile(8, 64, 128, 128, 3), by="inverse", sum=192)
    add("i8_alone", tile(8, 64, 128, 128, 3), by=None)
    add("i8_scales_bf16", tile(8, 64, 128, 128, 3), scale="bf16")
    add("i8_f16", tile(8, 64, 128, 128, 3), t="f16")
    add("i8_batch", tile(8, 64, 128, 128, 3), batch=3)
    add("i4", tile(8, 64, 256, 128, 3), of="i4", sum=512)
    add("i4_short_lines", tile(16, 64, 128, 128, 4), of="i4", m=16, group=32)
    add("i4_tail", tile(8, 64, 256, 128, 3, ", split = 2"), of="i4", sum=704, m=1)
    add("i4_one_warp", tile(16, 32, 256, 32, 2), of="i4", sum=512, m=9, n=33)
    add("f8", tile(8, 64, 128, 128, 3), of="f8E4M3FN")
    add("f8_alone", tile(8, 64, 128, 128, 3), of="f8E5M2", by=None)
    add("bf16", tile(8, 64, 64, 128, 3), of="bf16", by=None)
    add("bf16_tail", tile(16, 128, 64, 128, 4, ", split = 2"), of="bf16", by=None, m=12, sum=232, group=8)
    add("bf16_groups", tile(8, 32, 256, 256, 3), of="bf16", by=None, sum=616, group=8)
    add("bf16_groups_short", tile(16, 32, 64, 128, 3, ", split = 2"), of="bf16", by=None, m=12, sum=424, group=8)
    add("i8_groups", tile(16, 32, 256, 128, 3), m=9, sum=544, group=32)
    add("i4_groups", tile(8, 32, 512, 128, 2), of="i4", sum=704)
    add("f16_short_lines", tile(32, 64, 32, 128, 3), of="f16", t="f16", by=None, m=20)
    for of, m, more in (("bf16", 5, dict(sum=232, group=8)), ("i8", 12, dict(sum=672, group=32))):
        k = 64 if of == "bf16" else 128
        gate(case, program, tensor, cast, f"stream_gate_{of}",
             'kernel = "mma.stream", ' + tile(8 if m < 8 else 16, 64, k, 128, 3, ", split = 2"), of=of, m=m, **more)
    pair = lambda name, schedule, **more: gate(case, program, tensor, cast, "product_pair" + name,
                                               schedule and 'kernel = "fma", ' + schedule, of="f32", t="f32", **more)
    pair("", "m = 32, n = 16, k = 8, threads = 64", m=37, n=33, sum=129, group=3)
    pair("_parts", "m = 64, n = 64, k = 16, threads = 128, split = 3", m=70, n=66, sum=128)
    pair("_one_by_one", "m = 64, n = 64, k = 8, threads = 64", m=70, n=66, sum=128)
    pair("_chosen", None, m=256, n=512, sum=160, group=32)
    gate(case, program, tensor, cast, "stream_gate_groups",
         'kernel = "mma.stream", ' + tile(8, 32, 128, 128, 3), sum=616, group=8)
    gate(case, program, tensor, cast, "stream_gate_chosen", None, m=20, n=300, sum=1088)
    gate(case, program, tensor, cast, "stream_gate_chosen_i8", None, of="i8", m=1, n=200, sum=1024)
    add("chosen_i8", None, m=3, n=300, sum=1024)
    add("chosen_i4", None, of="i4", m=17, n=200, sum=1024, group=128)
    two_layers(case, program, tensor, cast, "stream_two_layers")
    lines = lambda name, schedule, **more: odd(case, program, tensor, cast, "stream_odd_" + name,
                                               schedule and 'kernel = "mma.stream", ' + schedule, **more)
    lines("lines", tile(8, 64, 64, 128, 3))
    lines("weights", tile(8, 64, 64, 128, 3), longer=5)
    lines("parts", tile(16, 128, 64, 128, 4, ", split = 2"), m=12, n=150, sum=341)
    lines("groups", tile(8, 32, 256, 256, 3), sum=617, n=45)
    lines("even", tile(8, 64, 64, 128, 2), sum=206, t="f16")
    lines("places", tile(8, 64, 32, 128, 3), sum=200, other=3)
    lines("batch", tile(8, 64, 64, 128, 3), sum=77, batch=3)
    lines("gate", tile(8, 64, 64, 128, 3), sum=131, gate=True)
    lines("turned", tile(64, 8, 64, 128, 3), turned=True)
    lines("turned_groups", tile(32, 16, 128, 128, 3, ", split = 2"), m=13, n=77, sum=397, turned=True)
    lines("turned_whole", tile(64, 8, 64, 128, 3), sum=192, n=71, turned=True, t="f16")
    lines("chosen", None, m=3, n=500, sum=1027)
    lines("turned_chosen", None, m=3, n=500, sum=1027, turned=True)
    lines("across_chosen", None, m=3, n=2100, sum=1024, across=True)
    lines("across_chosen_lines", None, m=5, n=2100, sum=1027, t="f16", across=True)
    lines("many", tile(64, 32, 256, 256, 3), m=40, sum=617, n=45)
    lines("many_chosen", None, m=40, n=300, sum=1027)
    lines("turned_many_chosen", None, m=40, n=300, sum=517, turned=True)
    lines("across_many_chosen", None, m=33, n=2100, sum=1027, across=True)
    lines("across_turned", None, m=3, n=2100, sum=1024, across=True, turned=True)
