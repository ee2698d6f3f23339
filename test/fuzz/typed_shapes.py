"""The steps of typed.py that move elements, multiply matrices, slide windows, and look elements up."""

from program import Value
from typed import bits, dims, is_float

# Of a product: element types of the sides, and of the sum.
PRODUCTS = [("f32", "f32"), ("f32", "f32"), ("f64", "f64"), ("bf16", "f32"), ("f16", "f32"), ("bf16", "bf16"),
            ("i8", "i32"), ("i32", "i32"), ("i64", "i64")]
# Of windows: the op, its shapes with C and F channels, whether the window has channels, where the sizes of the image
# are.
WINDOWS = {
    "linalg.conv_2d_nhwc_hwcf": ("nhwc", "hwcf", "nhwf"), "linalg.conv_2d_nchw_fchw": ("nchw", "fchw", "nfhw"),
    "linalg.conv_1d_nwc_wcf": ("nwc", "wcf", "nwf"), "linalg.conv_1d_ncw_fcw": ("ncw", "fcw", "nfw"),
    "linalg.depthwise_conv_2d_nhwc_hwc": ("nhwc", "hwc", "nhwc"),
    "linalg.pooling_nhwc_sum": ("nhwc", "hw", "nhwc"), "linalg.pooling_nhwc_max": ("nhwc", "hw", "nhwc"),
    "linalg.pooling_nchw_max": ("nchw", "hw", "nchw"),
    "linalg.pooling_nchw_sum": ("nchw", "hw", "nchw"),
}


class Shapes:
    def __init__(self, g):
        self.g, self.rng = g, g.rng

    # ---- products -----------------------------------------------------------------------------

    def product(self):
        """A generic over (batch,) rows, columns and what is summed over, each side in any order."""
        g, rng = self.g, self.rng
        t, acc = rng.choice(PRODUCTS)
        b = [rng.choice("EFA")] if rng.random() < 0.35 else []
        m, n, k = (rng.choice("ABCD") for _ in range(3))
        names = ["d0"] * len(b) + [f"d{len(b) + i}" for i in range(3)]
        size = dict(zip(["b", "m", "n", "k"][1 - len(b):], b + [m, n, k]))
        at = dict(zip(["b", "m", "n", "k"][1 - len(b):], [f"d{i}" for i in range(len(b) + 3)]))
        left, right = ["m", "k"], ["k", "n"]
        for side in (left, right):
            if rng.random() < 0.35:
                side.reverse()
            if b and (side is left or rng.random() < 0.7):
                side.insert(0 if rng.random() < 0.8 else rng.randint(0, 2), "b")
        if g.count([size[d] for d in size]) > 60000:
            return None
        fit = lambda side: g.pick(lambda v: v.shape == tuple(size[d] for d in side)
                                  and v.dtype == t) or g.argument([size[d] for d in side], t)
        a, w = fit(left), fit(right)
        if a.shape != tuple(size[d] for d in left) or w.shape != tuple(size[d] for d in right):
            return None  # too many elements
        shape = b + [m, n]
        bias = rng.random() < 0.2 and g.count(shape) <= 6000
        operands = [a, w] + ([g.argument(shape, acc)] if bias else [])
        named = rng.random() < 0.4 and left == (["b"] if b else []) + ["m",
            "k"] and right == (["b"] if b else []) + ["k", "n"]
        where = lambda side: ", ".join(at[d] for d in side)
        ext = "arith.extf" if is_float(t) else "arith.extsi"

        def body(r):
            lines, s = [], list(r[:2])
            if t != acc:
                lines = [f"%l = {ext} {r[0]} : {t} to {acc}", f"%r = {ext} {r[1]} : {t} to {acc}"]
                s = ["%l", "%r"]
            f = "f" if is_float(acc) else "i"
            return lines + [f"%m = arith.mul{f} {s[0]}, {s[1]} : {acc}",
                            f"%y = arith.add{f} {r[2]}, %m : {acc}"], ["%y"]

        def write(p, o, r):
            out = o[2].name if len(o) > 2 else p.filled(shape, acc, 0)
            if named:
                p.line(
                    f"{r[0].name} = linalg.{'batch_' if b else ''}matmul ins({o[0].name}, {o[1].name} : "
                    f"{p.type(o[0])}, {p.type(o[1])}) "
                    f"outs({out} : {p.type(r[0])}) -> {p.type(r[0])}"
                )
                return
            p.generic([r[0].name], [(o[0].name, p.type(o[0]), t, where(left)),
                                    (o[1].name, p.type(o[1]), t, where(right))],
                      [(out, p.type(r[0]), acc, where((["b"] if b else []) + ["m", "n"]))],
                      ["parallel"] * (len(b) + 2) + ["reduction"], body)
        return g.add(write, operands, Value(shape, acc))

    # ---- windows ------------------------------------------------------------------------------

    def window(self):
        g, rng = self.g, self.rng
        name = rng.choice(list(WINDOWS))
        image, kernel, out = WINDOWS[name]
        t = rng.choice(("f32", "f32", "f32", "f64", "bf16", "i32"))
        space = [c for c in image if c in "hw"]
        pool = "pooling" in name
        taps = {c: rng.choice((1, 2, 2, 3, 3)) for c in space}
        stride = {c: rng.choice((1, 1, 2, 2, 3)) for c in space}
        dilation = {c: rng.choice((1, 1, 1, 2)) for c in space}
        low, high = ({c: rng.choice((0, 0, 1, 2)) for c in space} for _ in range(2))
        wide = {c: (taps[c] - 1) * dilation[c] + 1 + rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 13)) for c in space}
        pads = any([*low.values(), *high.values()]) and rng.random() < 0.8
        if not pads:
            low = high = dict.fromkeys(space, 0)
        size = {"n": rng.choice("EF1"), "c": rng.choice("ABCEF"), "f": rng.choice("ABCEF"),
                **{c: str(wide[c]) for c in space}}
        if g.count([size[c] for c in image]) > 6000 or g.count([size.get(c, "1") for c in "ncf"]) * 60 > 60000:
            return None
        outs = {c: str((wide[c] + low[c] + high[c] - (taps[c] - 1) * dilation[c] - 1) // stride[c] + 1) for c in space}
        x = g.argument([size[c] for c in image], t)
        k = None if pool else g.argument([str(taps[c]) if c in "hw" else size[c] for c in kernel], t)
        shape = [outs.get(c, size[c]) for c in out]
        start = float("-inf") if name.endswith("max") and is_float(t) else -(1 << 31) if name.endswith("max") else 0

        def write(p, o, r):
            source, type = o[0].name, p.type(o[0])
            if pads:
                c, source = p.constant(start, t), p.temp()
                side = lambda s: ", ".join(str(s.get(d, 0)) for d in image)
                padded = p.tensor([f"({size[d]}+{low[d] + high[d]})" if d in space else size[d] for d in image], t)
                p.line(f"{source} = tensor.pad {o[0].name} low[{side(low)}] high[{side(high)}] {{")
                p.line(f"^bb0({', '.join(f'%p{i}: index' for i in range(len(image)))}):")
                p.line(f"  tensor.yield {c} : {t}")
                p.line(f"}} : {type} to {padded}")
                type = padded
            w, w_type = (p.empty([str(taps[c]) for c in space], t),
                         p.tensor([str(taps[c]) for c in space], t)) if pool else (o[1].name, p.type(o[1]))
            dense = lambda s: f"dense<[{', '.join(str(s[c]) for c in space)}]> : tensor<{len(space)}xi64>"
            p.line(
                f"{r[0].name} = {name} {{strides = {dense(stride)}, dilations = {dense(dilation)}}} ins({source}, {w} "
                f": {type}, {w_type}) "
                f"outs({p.filled(shape, t, start)} : {p.type(r[0])}) -> {p.type(r[0])}"
            )
        return g.add(write, [x] if pool else [x, k], Value(shape, t))

    # ---- looking up -----------------------------------------------------------------------------

    def gather(self):
        """Rows of a table by indices brought into it, or, seldom, as they come: read as 0 outside, or reported by an
        assert."""
        g, rng = self.g, self.rng
        table = g.argument([rng.choice("ABC"), rng.choice("ABE")])
        t, u = table.dtype, rng.choice(("i64", "i32"))
        index = g.pick(lambda v: len(v.shape) <= 2 and v.dtype == u) or g.argument([rng.choice("ABD")], u)
        shape, bad, flip = [*index.shape, table.shape[1]], rng.random() < 0.25, rng.random() < 0.3
        asserts = rng.random() < 0.5
        rank = len(shape)
        if g.count(shape) > 6000 or (not bad and g.size(table.shape[0]) == 0):
            return None

        def write(p, o, r):
            n, last = p.size(o[0].shape[0]), p.size(o[0].shape[1]) - 1

            def body(a):
                lines, i = [f"%j = linalg.index {rank - 1} : index"], a[0]
                if not bad:
                    lines += [f"%n = arith.constant {n} : {u}", f"%w = arith.remui {a[0]}, %n : {u}"]
                    i = "%w"
                lines += [f"%i = arith.index_cast {i} : {u} to index"]
                if asserts:
                    lines += [f"%in = arith.constant {n} : index", "%low = arith.cmpi ult, %i, %in : index",
                              'cf.assert %low, "an index is out of its table"']
                if flip:
                    lines += [f"%l = arith.constant {last} : index", "%f = arith.subi %l, %j : index"]
                return lines + [f"%y = tensor.extract {o[0].name}[%i, {'%f' if flip else '%j'}] : {p.type(o[0])}"], [
                    "%y"]
            p.generic([r[0].name], [(o[1].name, p.type(o[1]), u, dims(rank - 1))],
                      [(p.empty(shape, t), p.type(r[0]), t, dims(rank))], ["parallel"] * rank, body)
        return g.add(write, [table, index], Value(shape, t))

    def element(self):
        """One element by a constant index, filled into a tensor."""
        g, rng = self.g, self.rng
        x = g.pick(lambda v: v.shape and g.count(v.shape))
        if not x:
            return None
        at = [rng.randrange(g.size(d)) for d in x.shape]
        shape = [rng.choice("ABE")]

        def write(p, o, r):
            names = []
            for i in [min(a, p.size(d) - 1) for a, d in zip(at, o[0].shape)]:
                names.append(p.temp())
                p.line(f"{names[-1]} = arith.constant {i} : index")
            e = p.temp()
            p.line(f"{e} = tensor.extract {o[0].name}[{', '.join(names)}] : {p.type(o[0])}")
            p.line(
                f"{r[0].name} = linalg.fill ins({e} : {x.dtype}) outs({p.empty(shape, x.dtype)} : {p.type(r[0])}) -> "
                f"{p.type(r[0])}"
            )
        return g.add(write, [x], Value(shape, x.dtype))

    # ---- moving -----------------------------------------------------------------------------------

    def transpose(self):
        g = self.g
        x = g.pick(lambda v: len(v.shape) >= 2) or g.argument(["A", "B"])
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        shape = [x.shape[i] for i in order]

        def write(p, o, r):
            p.line(
                f"{r[0].name} = linalg.transpose ins({o[0].name} : {p.type(o[0])}) outs({p.empty(shape, x.dtype)} : "
                f"{p.type(r[0])}) permutation = {order}"
            )
        return g.add(write, [x], Value(shape, x.dtype))

    def broadcast(self):
        g = self.g
        x = g.pick(lambda v: len(v.shape) <= 4) or g.argument(["A"])
        at = self.rng.randint(0, len(x.shape))
        shape = [*x.shape[:at], self.rng.choice("ABEF"), *x.shape[at:]]
        if g.count(shape) > 6000:
            return None
        return g.map([x], [", ".join(f"d{i}" for i in range(len(shape)) if i != at)], shape, x.dtype,
                     lambda p, a: ([], [a[0]]))

    def slice(self):
        g, rng = self.g, self.rng
        x = g.pick(lambda v: g.count(v.shape) and any(g.size(d) >= 3 for d in v.shape))
        if not x:
            return None
        d = rng.choice([i for i, s in enumerate(x.shape) if g.size(s) >= 3])
        offset, stride, s = rng.randint(0, 2), rng.choice((1, 1, 2)), x.shape[d]
        shape = list(x.shape)
        shape[d] = "1" if rng.random() < 0.3 else f"(({s}-{offset}+{stride - 1})//{stride})"
        if rng.random() < 0.2:
            offset, stride, shape[d] = 0, 1, f"(({s}+1)//2)"

        def write(p, o, r):
            offsets, strides = ["0"] * len(shape), ["1"] * len(shape)
            offsets[d], strides[d] = str(offset), str(stride)
            p.line(
                f"{r[0].name} = tensor.extract_slice {o[0].name}[{', '.join(offsets)}] "
                f"[{', '.join(map(str, p.shape(shape)))}] "
                f"[{', '.join(strides)}] : {p.type(o[0])} to {p.type(r[0])}"
            )
        return g.add(write, [x], Value(shape, x.dtype))

    def concat(self):
        g = self.g
        x = g.pick(lambda v: v.shape)
        if not x:
            return None
        d = self.rng.randrange(len(x.shape))
        y = g.pick(lambda v: v.same_type(x))
        shape = list(x.shape)
        shape[d] = f"({x.shape[d]}+{y.shape[d]})"
        if g.count(shape) > 6000:
            return None

        def write(p, o, r):
            p.line(
                f"{r[0].name} = tensor.concat dim({d}) {o[0].name}, {o[1].name} : ({p.type(o[0])}, {p.type(o[1])}) -> "
                f"{p.type(r[0])}"
            )
        return g.add(write, [x, y], Value(shape, x.dtype))

    def pad(self):
        g, rng = self.g, self.rng
        x = g.pick(lambda v: v.shape) or g.argument(["A", "B"])
        low = [rng.choice((0, 0, 1, 2)) for _ in x.shape]
        high = [rng.choice((0, 0, 1)) for _ in x.shape]
        shape = [f"({s}+{l + h})" if l + h else s for s, l, h in zip(x.shape, low, high)]
        fill = rng.choice((0, 1))
        if g.count(shape) > 6000:
            return None

        def write(p, o, r):
            c = p.constant(fill, x.dtype)
            p.line(f"{r[0].name} = tensor.pad {o[0].name} low{low} high{high} {{")
            p.line(f"^bb0({', '.join(f'%p{i}: index' for i in range(len(shape)))}):")
            p.line(f"  tensor.yield {c} : {x.dtype}")
            p.line(f"}} : {p.type(o[0])} to {p.type(r[0])}")
        return g.add(write, [x], Value(shape, x.dtype))

    def insert(self):
        g, rng = self.g, self.rng
        x = g.pick(lambda v: v.shape and g.count(v.shape))
        if not x:
            return None
        d, stride, offset = rng.randrange(len(x.shape)), rng.choice((1, 2)), rng.randint(0, 2)
        shape = list(x.shape)
        shape[d] = f"({shape[d]}*{stride}+{offset})"
        if g.count(shape) > 6000:
            return None

        def write(p, o, r):
            offsets, strides = ["0"] * len(shape), ["1"] * len(shape)
            offsets[d], strides[d] = str(offset), str(stride)
            p.line(
                f"{r[0].name} = tensor.insert_slice {o[0].name} into "
                f"{p.filled(shape, x.dtype, 0)}[{', '.join(offsets)}] "
                f"[{', '.join(map(str, p.shape(x.shape)))}] [{', '.join(strides)}] : {p.type(o[0])} into {p.type(r[0])}"
            )
        return g.add(write, [x], Value(shape, x.dtype))

    def collapse(self):
        g = self.g
        x = g.pick(lambda v: len(v.shape) >= 2)
        if not x:
            return None
        at = self.rng.randrange(len(x.shape) - 1)
        shape = [*x.shape[:at], f"({x.shape[at]}*{x.shape[at + 1]})", *x.shape[at + 2:]]
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, len(x.shape))]

        def write(p, o, r):
            p.line(f"{r[0].name} = tensor.collapse_shape {o[0].name} {groups} : {p.type(o[0])} into {p.type(r[0])}")
        return g.add(write, [x], Value(shape, x.dtype))

    def expand(self):
        g = self.g
        x = g.pick(lambda v: v.shape and len(v.shape) <= 4)
        if not x:
            return None
        at = self.rng.randrange(len(x.shape))
        shape = [*x.shape[:at], *self.rng.choice((["1", x.shape[at]], [x.shape[at], "1"])), *x.shape[at + 1:]]
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, len(x.shape))]

        def write(p, o, r):
            p.line(
                f"{r[0].name} = tensor.expand_shape {o[0].name} {groups} output_shape {p.shape(shape)} : "
                f"{p.type(o[0])} into {p.type(r[0])}"
            )
        return g.add(write, [x], Value(shape, x.dtype))


def shape_steps(g):
    s = Shapes(g)
    return {s.product: 4, s.window: 4, s.gather: 2, s.element: 1, s.transpose: 2, s.broadcast: 2, s.slice: 2,
            s.concat: 1, s.pad: 1, s.insert: 1, s.collapse: 2,
            s.expand: 1}
