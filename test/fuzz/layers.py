"""Random programs of layers, as exporters write them: linear layers behind each other, attention, norms, gates, masks,
weights of bytes, rows of a table. What fusion makes chains of products and programs of sides from."""

from generate import Generator, dims, opened
from program import Value

HALVES = {"bf16": "f32", "f16": "f32"}


class Layers(Generator):
    def __init__(self, seed):
        super().__init__(seed * 7 + 1)
        self.float = self.rng.choice(("f32", "f32", "f32", "f64", "bf16", "f16"))
        self.sum = HALVES.get(self.float, self.float)
        self.batch = [self.rng.choice("AB")] if self.rng.random() < 0.35 else []
        if self.rng.random() < 0.06:
            self.p.sizes[self.rng.choice("ABCD")] = 0
        elif self.rng.random() < 0.1:
            self.p.sizes[self.rng.choice("ABCD")] = self.rng.choice((33, 65, 70))
        self.p.inputs = f"{self.rng.choice(('normal', 'normal', 'normal', 'whole', 'corners'))} {seed}"

    # ---- elementwise ------------------------------------------------------------------------

    def to(self, x, t):
        """x in another type of floats."""
        if x.dtype == t:
            return x
        bits = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}
        if bits[x.dtype] == bits[t]:
            return self.to(self.to(x, "f32"), t)
        op = "arith.extf" if bits[t] > bits[x.dtype] else "arith.truncf"
        return self.elementwise([x], [None], x.shape, t,
                                lambda a: ([f"%y = {op} {a[0]} : {x.dtype} to {t}"], ["%y"]), x.lo, x.hi)

    def two(self, op, x, y, m=None, swap=False):
        t = x.dtype

        def body(a):
            return [f"%y = arith.{op} {a[swap]}, {a[1 - swap]} : {t}"], ["%y"]
        return self.elementwise([x, y], [None, m], x.shape, t, body, -9, 9)

    def scaled(self, x, c):
        t = x.dtype
        return self.elementwise([x], [None], x.shape, t,
                                lambda a: ([f"%k = arith.constant {c:e} : {t}", f"%y = arith.mulf {a[0]}, %k : {t}"],
                                           ["%y"]), x.lo * c, x.hi * c)

    def along(self, rank, kept):
        return ", ".join(f"d{i}" for i in range(rank) if i in kept)

    def activation(self, x):
        return self.unary(x, self.rng.choice(("relu", "tanh", "sigmoid", "clamp", "neg", "abs", "erf")))

    def gate(self, x):
        return self.two("mulf", self.activation(x), x)

    def mask(self, x):
        """Nothing where a column is behind a row, or by a mask that comes in."""
        t, rank = x.dtype, len(x.shape)
        inf = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[t]
        no = self.rng.choice((inf, inf, "-3.0"))
        if rank < 2 or self.rng.random() < 0.3:
            given = self.argument(x.shape[-2:], "i1")
            m = ", ".join(f"d{i}" for i in range(max(0, rank - 2), rank))
            return self.elementwise([x, given], [None, m], x.shape, t,
                                    lambda a: ([f"%n = arith.constant {no} : {t}",
                                                f"%y = arith.select {a[1]}, {a[0]}, %n : {t}"], ["%y"]), x.lo, x.hi)
        compare = self.rng.choice(("sle", "ule", "sge", "ult"))
        return self.elementwise([x], [None], x.shape, t,
                                lambda a: ([f"%i = linalg.index {rank - 2} : index",
                                            f"%j = linalg.index {rank - 1} : index",
                                            f"%c = arith.cmpi {compare}, %j, %i : index",
                                            f"%n = arith.constant {no} : {t}",
                                            f"%y = arith.select %c, {a[0]}, %n : {t}"], ["%y"]), x.lo, x.hi)

    # ---- rows ---------------------------------------------------------------------------------

    def softmax_of(self, x, divide=True):
        """(exponentials under the maximum, their sum and its map), or their quotient."""
        t, rank = x.dtype, len(x.shape)
        m = ", ".join("0" if i == rank - 1 else f"d{i}" for i in range(rank))
        top = self.reduce_from(x, "max")
        d = self.elementwise([x, top], [None, m], x.shape, t,
                             lambda a: ([f"%y = arith.subf {a[0]}, {a[1]} : {t}"], ["%y"]), -10, 0)
        e = self.elementwise([d], [None], x.shape, t, lambda a: ([f"%y = math.exp {a[0]} : {t}"], ["%y"]), 0, 1)
        total = self.reduce_from(e, "add")
        if divide:
            return self.elementwise([e, total], [None, m], x.shape, t,
                                    lambda a: ([f"%y = arith.divf {a[0]}, {a[1]} : {t}"], ["%y"]), 0, 1)
        return e, total, m

    def reduce_from(self, x, kind):
        """Over the last dimension, which stays as 1, from the identity."""
        t, rank = x.dtype, len(x.shape)
        shape = [*x.shape[:-1], "1"]
        out = ", ".join("0" if i == rank - 1 else f"d{i}" for i in range(rank))
        op, start = ("maximumf", float("-inf")) if kind == "max" else ("addf", 0)

        def write(p, o, r):
            p.generic([r[0].name], [(o[0].name, p.type(o[0]), t, dims(rank))],
                      [(p.filled(shape, t, start), p.type(r[0]), t, out)],
                      ["parallel"] * (rank - 1) + ["reduction"],
                      lambda a: ([f"%y = arith.{op} {a[0]}, {a[1]} : {t}"], ["%y"]))
        return self.add(write, [x], Value(shape, t, x.lo, x.hi))

    def norm(self, x):
        t, rank = x.dtype, len(x.shape)
        m = ", ".join("0" if i == rank - 1 else f"d{i}" for i in range(rank))
        if self.rng.random() < 0.5:
            mean = self.divide(self.reduce_from(x, "add"), f"({x.shape[-1]}+1)")
            x = self.two("subf", x, mean, m)
        square = self.two("mulf", x, x)
        mean = self.divide(self.reduce_from(square, "add"), f"({x.shape[-1]}+1)")
        r = self.elementwise([mean], [None], mean.shape, t,
                             lambda a: ([f"%k = arith.constant 1.0e-2 : {t}", f"%s = arith.addf {a[0]}, %k : {t}",
                                         f"%y = math.rsqrt %s : {t}"], ["%y"]), 0.01, 10)
        y = self.two("mulf", x, r, m)
        if self.rng.random() < 0.6:
            y = self.two("mulf", y, self.argument([x.shape[-1]], t), f"d{rank - 1}")
        return y

    # ---- products -------------------------------------------------------------------------------

    def product(self, x, w, turned, batched):
        """x [.., m, k] times w [.., k, n], or [.., n, k] where it is turned."""
        t, b = x.dtype, len(x.shape) - 2
        n = w.shape[-2 if turned else -1]
        shape, d = [*x.shape[:-1], n], [f"d{i}" for i in range(b + 3)]
        maps = [d[:b] + [d[b], d[b + 2]], (d[:b] if batched else []) + ([d[b + 1], d[b + 2]] if turned
                else [d[b + 2], d[b + 1]])]
        wide = self.sum
        named = not turned and t == w.dtype and self.rng.random() < 0.5 and b <= 1 and (batched or not b)

        def write(p, o, r):
            out = p.filled(shape, wide, 0)
            if named:
                p.line(f"{r[0].name} = linalg.{'batch_' * b}matmul ins({o[0].name}, {o[1].name} : {p.type(o[0])}, "
                       f"{p.type(o[1])}) outs({out} : {p.type(r[0])}) -> {p.type(r[0])}")
                return

            def body(a):
                lines, names = [], []
                for i, x in enumerate(o):
                    names.append(a[i] if x.dtype == wide else f"%w{i}")
                    if x.dtype != wide:
                        op = "sitofp" if x.dtype == "i8" else "extf"
                        lines.append(f"%w{i} = arith.{op} {a[i]} : {x.dtype} to {wide}")
                return lines + [f"%m = arith.mulf {names[0]}, {names[1]} : {wide}",
                                f"%y = arith.addf %m, {a[2]} : {wide}"], ["%y"]
            p.generic([r[0].name], [(x.name, p.type(x), x.dtype, ", ".join(m)) for x, m in zip(o, maps)],
                      [(out, p.type(r[0]), wide, ", ".join(d[:b + 2]))], ["parallel"] * (b + 2) + ["reduction"], body)
        return self.add(write, [x, w], Value(shape, wide, -400, 400))

    def weight(self, k):
        """(a weight [n, k] or [k, n], whether it is turned), of bytes with a scale now and then."""
        n, turned = self.rng.choice("ABCD"), self.rng.random() < 0.6
        shape = [n, k] if turned else [k, n]
        if self.rng.random() < 0.2:
            w, scale = self.argument(shape, "i8"), self.argument([n], self.float)
            t = self.float
            m = "d0" if turned else "d1"
            return self.elementwise([w, scale], [None, m], shape, t,
                                    lambda a: ([f"%f = arith.sitofp {a[0]} : i8 to {t}",
                                                f"%y = arith.mulf %f, {a[1]} : {t}"], ["%y"]), -9, 9), turned
        w = self.argument(shape, self.float)
        return (self.unary(w, self.rng.choice(("tanh", "clamp"))) if self.rng.random() < 0.1 else w), turned

    def linear(self, x):
        w, turned = self.weight(x.shape[-1])
        y = self.scaled(self.product(self.to(x, self.float), w, turned, False), 0.1)
        y.lo, y.hi = -9, 9
        if self.rng.random() < 0.5:
            y = self.two("addf", y, self.argument([y.shape[-1]], y.dtype), f"d{len(y.shape) - 1}")
        return self.to(y, self.float) if self.rng.random() < 0.7 else y

    def attention(self, x):
        keys = self.rng.choice("ABCD")
        b = list(x.shape[:-2])
        given = self.rng.random() < 0.6
        if given:
            turned = self.rng.random() < 0.7
            k = self.argument(b + ([keys, x.shape[-1]] if turned else [x.shape[-1], keys]), self.float)
            v = self.argument(b + [keys, self.rng.choice("ABCD")], self.float)
        else:
            turned, k, v = True, self.linear(x), self.linear(x)
            if k.shape[-1] != x.shape[-1]:
                x = self.linear(x)
            if k.shape[-1] != x.shape[-1]:
                return self.linear(x)
            k, v = self.to(k, self.float), self.to(v, self.float)
        s = self.scaled(self.product(self.to(x, self.float), k, turned, True), 0.1)
        s.lo, s.hi = -9, 9
        if self.rng.random() < 0.5:
            s = self.mask(s)
        late = self.rng.random() < 0.3
        if late:
            e, total, m = self.softmax_of(s, False)
            o = self.product(self.to(e, self.float), v, False, True)
            return self.two("divf", o, self.to(total, o.dtype), m)
        return self.product(self.to(self.softmax_of(s), self.float), v, False, True)

    def lora(self, x):
        y = self.linear(x)
        inner = self.linear(x)
        w = self.argument([inner.shape[-1], y.shape[-1]], self.float)
        z = self.scaled(self.product(self.to(inner, self.float), w, False, False), 0.1)
        return self.two("addf", self.to(y, z.dtype), z)

    def gated(self, x):
        a = self.linear(x)
        k, n = x.shape[-1], a.shape[-1]
        w = self.argument([k, n], self.float)
        g = self.scaled(self.product(self.to(x, self.float), w, False, False), 0.1)
        return self.two("mulf", self.activation(self.to(a, g.dtype)), g)

    def embedded(self, n, k):
        """Rows of a table."""
        table, labels, t = self.argument(["(A+8)", k], self.float), self.argument([n], "i64"), self.float

        def write(p, o, r):
            p.generic([r[0].name], [(o[1].name, p.type(o[1]), "i64", "d0")],
                      [(p.empty([n, k], t), p.type(r[0]), t, "d0, d1")], ["parallel", "parallel"],
                      lambda a: (["%j = linalg.index 1 : index", f"%i = arith.index_cast {a[0]} : i64 to index",
                                  f"%y = tensor.extract {o[0].name}[%i, %j] : {p.type(o[0])}"], ["%y"]))
        return self.add(write, [table, labels], Value([n, k], t))

    def entropy(self, x):
        e, total, _ = self.softmax_of(self.to(x, self.sum), False)
        return self.elementwise([total], [None], total.shape, total.dtype,
                                lambda a: ([f"%y = math.log {a[0]} : {total.dtype}"], ["%y"]), 0, 9)

    # ---- a program ---------------------------------------------------------------------------------

    def program(self):
        rng = self.rng
        n, k = rng.choice("ABCD"), rng.choice("ABCD")
        x = self.embedded(n, k) if not self.batch and rng.random() < 0.15 else self.argument(self.batch + [n, k],
                                                                                              self.float)
        results = []
        steps = {self.linear: 5, self.attention: 5, self.activation: 4, self.norm: 3, self.gated: 2, self.lora: 2,
                 self.gate: 2, self.softmax_of: 1, self.mask: 1}
        for _ in range(rng.choice((2, 2, 3, 3, 4, 5, 7))):
            y = rng.choices(list(steps), list(steps.values()))[0](x)
            y.lo, y.hi = max(y.lo, -9), min(y.hi, 9)
            if y.shape == x.shape and rng.random() < 0.2:
                y = self.two("addf", y, self.to(x, y.dtype))
            if rng.random() < 0.1:
                results.append(y)
            x = y
        if rng.random() < 0.15:
            x = self.entropy(x)
        self.p.results = list(dict.fromkeys(results + [x]))
        return self.p.drop_dead()


def layers(seed):
    return Layers(seed).program()


def unknown_layers(seed):
    return opened(layers(seed * 5 + 1), seed)
