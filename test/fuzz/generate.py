#!/usr/bin/env python3
"""Random valid programs: `linalg` on tensors, as exporters write it.

    test/fuzz/generate.py SEED              a linalg program
    test/fuzz/generate.py --forms SEED      one written in kernel forms
    test/fuzz/generate.py --chains SEED     one of several products in a form
    test/fuzz/generate.py --layers SEED     a linalg program of layers
    test/fuzz/generate.py --unknown SEED    a linalg program with sizes `?`
    test/fuzz/generate.py --typed SEED      one of every element type (typed.py)

A seed gives the same program each time. Values stay of order one, by bounds carried along: nothing is divided by
what may be zero, no logarithm sees a negative number. So two roads may be compared with a tolerance.
"""

import random
import sys

sys.dont_write_bytecode = True
from program import MLIR_FLOATS, Op, Program, Value

SIZES = (1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17)


def dims(rank):
    return ", ".join(f"d{i}" for i in range(rank))


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.p = Program({name: self.rng.choice(SIZES) for name in "ABCD"})
        self.float = self.rng.choice(("f32", "f32", "f32", "f32", "f64", "bf16"))
        self.style_keep = self.rng.random()  # how often a reduction keeps its dimension as 1

    # ---- what there is ------------------------------------------------------------------

    def pick(self, accept=lambda v: True):
        """A value, later ones more often; None if there is none."""
        values = [v for v in self.p.values() if accept(v)]
        return values[-1 - min(int(self.rng.expovariate(0.35)), len(values) - 1)] if values else None

    def floats(self, accept=lambda v: True):
        return self.pick(lambda v: v.dtype in MLIR_FLOATS and accept(v)) or self.argument()

    def argument(self, shape=None, dtype=None):
        if shape is None:
            rank = self.rng.choice((0, 1, 2, 2, 2, 3, 3, 4))
            shape = [self.rng.choice("AABBCD") if self.rng.random() < 0.93 else "1" for _ in range(rank)]
            while len([d for d in shape if d != "1"]) > 3:
                shape[self.rng.randrange(rank)] = "1"
        return self.p.argument(shape, dtype or self.float)

    def add(self, write, operands, *results):
        self.p.ops.append(Op(write, operands, results))
        return results[0]

    # ---- elementwise ------------------------------------------------------------------------

    def elementwise(self, operands, maps, shape, dtype, body, lo, hi, named=None):
        """One generic; operands[i] is read at maps[i] (None: as it is)."""
        reuse = self.rng.random() < 0.2 and any(o.shape == tuple(shape) and o.dtype == dtype for o in operands)

        def write(p, o, r):
            if named and not any(maps):
                out = p.empty(shape, dtype)
                ins = ", ".join(x.name for x in o)
                types = ", ".join(p.type(x) for x in o)
                t = p.type(r[0])
                p.line(f"{r[0].name} = {named} ins({ins} : {types}) outs({out} : {t}) -> {t}")
                return
            # an exporter gives any tensor of the right type as the destination
            out = next((x.name for x in o if x.shape == r[0].shape and x.dtype == dtype), None) if reuse else None
            out = out or p.empty(shape, dtype)
            ins = [(x.name, p.type(x), x.dtype, m if m is not None else dims(len(shape))) for x, m in zip(o, maps)]
            p.generic([r[0].name], ins, [(out, p.type(r[0]), dtype, dims(len(shape)))], ["parallel"] * len(shape),
                      lambda args: body(args[:len(o)]))

        return self.add(write, operands, Value(shape, dtype, lo, hi))

    def unary(self, x=None, kind=None):
        x = x or self.floats()
        t, lo, hi = x.dtype, x.lo, x.hi
        big = max(abs(lo), abs(hi))
        one = [f"%one = arith.constant 1.0 : {t}"]
        named = None
        kinds = ["neg", "abs", "tanh", "relu", "clamp", "affine", "erf", "sigmoid", "cast", "copy", "position"]
        if hi <= 4 and lo > -60:
            kinds += ["exp", "exp"]
        if lo >= 0.05:
            kinds += ["log", "rsqrt", "recip", "pow"]
        if lo >= 0:
            kinds += ["sqrt", "log1p"]
        if big <= 8:
            kinds += ["square", "square", "sin", "cube"]
        kind = kind or self.rng.choice(kinds)
        if big > 40:
            kind = "tanh"
        c = round(self.rng.uniform(-1.5, 1.5), 3)

        def f(op, lo, hi):
            def body(a):
                return [f"%y = {op} {a[0]} : {t}"], ["%y"]
            return body, lo, hi

        if kind == "neg":
            body, lo, hi = f("arith.negf", -hi, -lo)
            named = "linalg.negf"
        elif kind == "abs":
            body, lo, hi = f("math.absf", 0 if lo <= 0 <= hi else min(abs(lo), abs(hi)), big)
            named = "linalg.abs"
        elif kind == "tanh":
            body, lo, hi = f("math.tanh", -1, 1)
            named = "linalg.tanh"
        elif kind == "erf":
            body, lo, hi = f("math.erf", -1, 1)
        elif kind == "sin":
            body, lo, hi = f("math.sin", -1, 1)
        elif kind == "exp":
            body, lo, hi = f("math.exp", 0, 2.72 ** hi)
            named = "linalg.exp"
        elif kind == "log":
            body, lo, hi = f("math.log", -3, 5)
            named = "linalg.log"
        elif kind == "log1p":
            body, lo, hi = f("math.log1p", 0, hi)
        elif kind == "sqrt":
            body, lo, hi = f("math.sqrt", 0, max(1, hi))
            named = "linalg.sqrt"
        elif kind == "rsqrt":
            body, lo, hi = f("math.rsqrt", 0.1, 4.5)
            named = "linalg.rsqrt"
        elif kind == "position":
            if not x.shape:
                return self.unary(x, "neg")
            d = self.rng.randrange(len(x.shape))
            i64 = self.rng.random() < 0.5

            def body(a):
                i = [f"%p = linalg.index {d} : index", "%q = arith.index_cast %p : index to i64",
                     f"%s = arith.sitofp %q : i64 to {t}", f"%k = arith.constant 1.0e-1 : {t}",
                     f"%u = arith.mulf %s, %k : {t}"]
                return i + [f"%y = arith.{'addf' if i64 else 'subf'} {a[0]}, %u : {t}"], ["%y"]
            lo, hi = lo - 30, hi + 30
        elif kind == "relu":
            def body(a):
                return [f"%z = arith.constant 0.0 : {t}", f"%c = arith.cmpf ugt, {a[0]}, %z : {t}",
                        f"%y = arith.select %c, {a[0]}, %z : {t}"], ["%y"]
            lo, hi = max(lo, 0), max(hi, 0)
        elif kind == "clamp":
            def body(a):
                return [f"%l = arith.constant -5.0e-1 : {t}", f"%h = arith.constant 1.5 : {t}",
                        f"%m = arith.minimumf {a[0]}, %h : {t}", f"%y = arith.maximumf %m, %l : {t}"], ["%y"]
            lo, hi = -0.5, 1.5
        elif kind == "affine":
            def body(a):
                wide = t != "f64"
                lines = [f"%k = arith.constant {c:e} : f64"]
                lines += [f"%s = arith.truncf %k : f64 to {t}"] if wide else []
                s = "%s" if wide else "%k"
                return lines + [f"%m = arith.mulf {a[0]}, {s} : {t}"] + one + [f"%y = arith.addf %m, %one : {t}"], [
                    "%y"]
            lo, hi = min(lo * c, hi * c) + 1, max(lo * c, hi * c) + 1
        elif kind == "sigmoid":
            def body(a):
                return one + [f"%n = arith.negf {a[0]} : {t}", f"%e = math.exp %n : {t}",
                              f"%d = arith.addf %e, %one : {t}",
                              f"%y = arith.divf %one, %d : {t}"], ["%y"]
            lo, hi = 0, 1
        elif kind == "recip":
            def body(a):
                return one + [f"%y = arith.divf %one, {a[0]} : {t}"], ["%y"]
            lo, hi = 0.02, 20
        elif kind == "pow":
            def body(a):
                return [f"%k = arith.constant 5.0e-1 : {t}", f"%y = math.powf {a[0]}, %k : {t}"], ["%y"]
            lo, hi = 0.2, max(1, hi)
        elif kind in ("square", "cube"):
            n = 2 if kind == "square" else 3

            def body(a):
                return [f"%k = arith.constant {n} : i64", f"%y = math.fpowi {a[0]}, %k : {t}, i64"], ["%y"]
            lo, hi = (0, big * big) if n == 2 else (-big ** 3, big ** 3)
        elif kind == "cast":
            u = self.rng.choice([u for u in ("f32", "f64", "bf16",
                                             "f32") if u != t and (u != "bf16" or self.float == "bf16")] or ["f64"])
            bits = {"bf16": 16, "f32": 32, "f64": 64}
            op = "arith.extf" if bits[u] > bits[t] else "arith.truncf"
            return self.elementwise([x], [None], x.shape, u,
                                    lambda a: ([f"%y = {op} {a[0]} : {t} to {u}"], ["%y"]), lo, hi)
        else:
            def body(a):
                return [], [a[0]]
        return self.elementwise([x], [None], x.shape, t, body, lo, hi, named if self.rng.random() < 0.25 else None)

    def broadcastable(self, shape, dtype):
        """(value, map) of something to be read along shape, made if there is nothing."""
        options = []
        for v in self.p.values():
            if v.dtype != dtype or len(v.shape) > len(shape):
                continue
            offset = len(shape) - len(v.shape)
            subscripts = [f"d{i + offset}" if d == shape[i + offset] else "0" if d == "1" else None
                          for i, d in enumerate(v.shape)]
            if None not in subscripts:
                options.append((v, ", ".join(subscripts)))
            if offset and list(v.shape) == list(shape[:len(v.shape)]):
                options.append((v, dims(len(v.shape))))
            if len(v.shape) == 2 and len(shape) == 2 and v.shape == (shape[1], shape[0]):
                options.append((v, "d1, d0"))
        if options and self.rng.random() < 0.8:
            v, m = options[-1 - min(int(self.rng.expovariate(0.3)), len(options) - 1)]
        else:
            keep = [self.rng.random() < 0.6 for _ in shape]
            style = self.rng.randrange(2)
            sub = [d if k else "1" for d, k in zip(shape, keep)] if style else [d for d, k in zip(shape, keep) if k]
            m = ", ".join(f"d{i}" if k else "0" for i, k in enumerate(keep) if style or k)
            v = self.argument(sub, dtype)
        return v, (None if v.shape == tuple(shape) and m == dims(len(shape)) else m)

    def binary(self):
        x = self.floats()
        y, m = self.broadcastable(x.shape, x.dtype)
        t = x.dtype
        kinds = ["add", "sub", "sub", "mul", "mul", "max", "min"]
        if y.lo >= 0.1 or y.hi <= -0.1:
            kinds += ["div"] * 3
        kind = self.rng.choice(kinds)
        corners = [x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi]
        if kind == "div":
            q = [a / b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
            lo, hi = min(q), max(q)
        else:
            lo, hi = {"add": (x.lo + y.lo, x.hi + y.hi), "sub": (x.lo - y.hi, x.hi - y.lo),
                      "mul": (min(corners), max(corners)),
                      "max": (max(x.lo, y.lo), max(x.hi, y.hi)), "min": (min(x.lo, y.lo), min(x.hi, y.hi))}[kind]
        op = {"max": "maximumf", "min": "minimumf"}.get(kind, kind + "f")
        named = f"linalg.{kind}" if self.rng.random() < 0.3 else None
        swap = kind in ("add", "mul", "sub") and self.rng.random() < 0.3

        def body(a):
            l, r = (a[1], a[0]) if swap else (a[0], a[1])
            return [f"%y = arith.{op} {l}, {r} : {t}"], ["%y"]
        if swap and kind == "sub":
            lo, hi = -hi, -lo
        y = self.elementwise([x, y], [None, m], x.shape, t, body, lo, hi, None if swap else named)
        return self.tame(y)

    def tame(self, y):
        return self.unary(y, "tanh") if max(abs(y.lo), abs(y.hi)) > 60 else y

    def outer(self):
        x, y = self.floats(lambda v: len(v.shape) == 1), None
        if len(x.shape) != 1:
            x = self.argument([self.rng.choice("ABCD")])
        y = self.floats(lambda v: len(v.shape) == 1 and v.dtype == x.dtype)
        if len(y.shape) != 1 or y.dtype != x.dtype:
            y = self.argument([self.rng.choice("ABCD")], x.dtype)
        t = x.dtype
        return self.tame(self.elementwise([x, y], ["d0", "d1"], x.shape + y.shape, t,
                                          lambda a: ([f"%y = arith.subf {a[0]}, {a[1]} : {t}"], ["%y"]),
                                          x.lo - y.hi, x.hi - y.lo))

    def select(self):
        x = self.floats()
        y, m = self.broadcastable(x.shape, x.dtype)
        t = x.dtype
        c = self.rng.choice(("olt", "oge", "ogt", "une", "ugt"))
        mask = self.elementwise([x], [None], x.shape, "i1",
                                lambda a: ([f"%k = arith.constant 1.37e-1 : {t}",
                                            f"%y = arith.cmpf {c}, {a[0]}, %k : {t}"], ["%y"]), 0, 1)
        if self.rng.random() < 0.5:
            return self.elementwise([mask, x, y], [None, None, m], x.shape, t,
                                    lambda a: ([f"%y = arith.select {a[0]}, {a[1]}, {a[2]} : {t}"], ["%y"]),
                                    min(x.lo, y.lo), max(x.hi, y.hi))
        return self.elementwise([mask], [None], x.shape, t,
                                lambda a: ([f"%y = arith.uitofp {a[0]} : i1 to {t}"], ["%y"]), 0, 1)

    # ---- reductions --------------------------------------------------------------------------

    def reduce(self, x=None, over=None, kind=None, keep=None, tame=True):
        x = x or self.pick(lambda v: v.shape and v.dtype in MLIR_FLOATS + ("i64",)) or self.argument([*"AB"])
        t, rank = x.dtype, len(x.shape)
        if over is None:
            over = sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))
            if self.rng.random() < 0.4:
                over = [rank - 1]
        kind = kind or self.rng.choice(("add", "add", "add", "max", "min",
                                        "mul" if max(abs(x.lo), abs(x.hi)) <= 1.3 else "add"))
        keep = self.rng.random() < self.style_keep if keep is None else keep
        is_float = t in MLIR_FLOATS
        op = {"add": "addf", "max": "maximumf", "min": "minimumf", "mul": "mulf"}[kind] if is_float else \
             {"add": "addi", "max": "maxsi", "min": "minsi", "mul": "addi"}[kind]
        inf = float("inf")
        start = {"add": 0, "mul": 1, "max": -inf if is_float else -(1 << 63),
                 "min": inf if is_float else (1 << 63) - 1}[kind] \
            if is_float or kind != "mul" else 0
        if is_float and self.rng.random() < 0.1:
            start = 0.75
        kept = [i for i in range(rank) if i not in over]
        shape = ["1" if i in over else d for i, d in enumerate(x.shape)] if keep else [x.shape[i] for i in kept]
        out_map = ", ".join("0" if i in over else f"d{i}" for i in range(rank)) if keep else ", ".join(f"d{i}"
            for i in kept)
        named = not keep and self.rng.random() < 0.2
        n = 1
        for i in over:
            n *= eval(x.shape[i], {}, self.p.sizes)
        lo, hi = {"add": (min(n * x.lo, 0.75), max(n * x.hi, 0.75)), "max": (x.lo, max(x.hi, 0.75)),
                  "min": (min(x.lo, 0.75), x.hi),
                  "mul": (-(1.3 ** min(n, 50)), 1.3 ** min(n, 50))}[kind]
        if kind == "add" and x.lo >= 0:
            lo = x.lo if start == 0 else min(x.lo, 0.75)

        def write(p, o, r):
            out = p.filled(shape, t, start)
            iterators = ["reduction" if i in over else "parallel" for i in range(rank)]
            if named:
                p.line(f"{r[0].name} = linalg.reduce {{ arith.{op} }} ins({o[0].name} : {p.type(o[0])}) "
                       f"outs({out} : {p.type(r[0])}) dimensions = [{', '.join(map(str, over))}]")
                return
            p.generic([r[0].name], [(o[0].name, p.type(o[0]), t, dims(rank))], [(out, p.type(r[0]), t, out_map)],
                      iterators,
                      lambda a: ([f"%y = arith.{op} {a[0]}, {a[1]} : {t}"], ["%y"]))
        y = self.add(write, [x], Value(shape, t, lo, hi))
        if not tame or not is_float:
            return y
        if kind == "mul":
            return self.unary(y, "tanh")
        if kind == "add" and n > 4:
            y = self.divide(y, "*".join(f"({x.shape[i]})" for i in over))
        return self.tame(y)

    def divide(self, y, count):
        """By a number of elements, which is a size."""
        t = y.dtype
        n = eval(count, {}, self.p.sizes)

        def write(p, o, r):
            c = p.constant(float(p.size(count)), t)
            p.generic([r[0].name], [(o[0].name, p.type(o[0]), t, dims(len(y.shape)))],
                      [(p.empty(y.shape, t), p.type(r[0]), t, dims(len(y.shape)))], ["parallel"] * len(y.shape),
                      lambda a: ([f"%y = arith.divf {a[0]}, {c} : {t}"], ["%y"]))
        return self.add(write, [y], Value(y.shape, t, y.lo / n, y.hi / n))

    def argmax(self):
        x = self.floats(lambda v: v.shape)
        if not x.shape:
            return
        t, rank = x.dtype, len(x.shape)
        d = self.rng.randrange(rank)
        shape = [s for i, s in enumerate(x.shape) if i != d]
        out = ", ".join(f"d{i}" for i in range(rank) if i != d)
        compare = self.rng.choice(("ogt", "ogt", "olt"))
        combine, start = ("maximumf", float("-inf")) if compare == "ogt" else ("minimumf", float("inf"))

        def write(p, o, r):
            value, place = p.filled(shape, t, start), p.filled(shape, "i64", 0)
            p.generic([r[0].name, r[1].name], [(o[0].name, p.type(o[0]), t, dims(rank))],
                      [(value, p.type(r[0]), t, out), (place, p.type(r[1]), "i64", out)],
                      ["reduction" if i == d else "parallel" for i in range(rank)],
                      lambda a: ([f"%p = linalg.index {d} : index", "%q = arith.index_cast %p : index to i64",
                                  f"%m = arith.{combine} {a[0]}, {a[1]} : {t}",
                                  f"%c = arith.cmpf {compare}, {a[0]}, {a[1]} : {t}",
                                  f"%y = arith.select %c, %q, {a[2]} : i64"], ["%m", "%y"]))
        self.add(write, [x], Value(shape, t, x.lo, x.hi), Value(shape, "i64", 0, 20))

    # ---- products --------------------------------------------------------------------------

    def matmul(self):
        t = self.float
        m, n, k = (self.rng.choice("ABCD") for _ in range(3))
        batch = self.rng.random() < 0.3
        b = [self.rng.choice("ABC")] if batch else []
        ta, tb = self.rng.random() < 0.3, self.rng.random() < 0.4
        shape_a, shape_b = b + ([k, m] if ta else [m, k]), b + ([n, k] if tb else [k, n])
        fit = lambda shape: (lambda v: list(v.shape) == shape and v.dtype == t and max(abs(v.lo), abs(v.hi)) < 20)
        a = self.pick(fit(shape_a)) or self.argument(shape_a, t)
        w = self.pick(fit(shape_b)) or self.argument(shape_b, t)
        swap = [0, 2, 1] if batch else [1, 0]
        if ta:
            a = self.transpose(a, swap)
        if tb:
            w = self.transpose(w, swap)
        acc = "f32" if t == "bf16" and self.rng.random() < 0.7 else t
        bias = self.rng.random() < 0.25
        operands = [a, w] + ([self.argument(b + [m, n], acc)] if bias else [])
        name = "linalg.batch_matmul" if batch else "linalg.matmul"

        def write(p, o, r):
            out = o[2].name if len(o) > 2 else p.filled(b + [m, n], acc, 0)
            p.line(f"{r[0].name} = {name} ins({o[0].name}, {o[1].name} : {p.type(o[0])}, {p.type(o[1])}) "
                   f"outs({out} : {p.type(r[0])}) -> {p.type(r[0])}")
        bound = 20 * 17 * 20
        y = self.add(write, operands, Value(b + [m, n], acc, -bound, bound))
        return self.unary(self.divide(y, k), self.rng.choice(("tanh", "sigmoid", "clamp")))

    def vector_product(self):
        t = self.float
        m, k = self.rng.choice("ABCD"), self.rng.choice("ABCD")
        kind = self.rng.choice(("matvec", "vecmat", "dot"))
        shapes = {"matvec": ([m, k], [k], [m]), "vecmat": ([k], [k, m], [m]), "dot": ([k], [k], [])}[kind]
        a, w = self.argument(shapes[0], t), self.argument(shapes[1], t)

        def write(p, o, r):
            out = p.filled(shapes[2], t, 0)
            p.line(f"{r[0].name} = linalg.{kind} ins({o[0].name}, {o[1].name} : {p.type(o[0])}, {p.type(o[1])}) "
                   f"outs({out} : {p.type(r[0])}) -> {p.type(r[0])}")
        return self.unary(self.add(write, [a, w], Value(shapes[2], t, -425, 425)), "tanh")

    # ---- moving data -----------------------------------------------------------------------

    def transpose(self, x=None, order=None):
        x = x or self.pick(lambda v: len(v.shape) >= 2)
        if not x:
            return None
        if order is None:
            order = list(range(len(x.shape)))
            self.rng.shuffle(order)
        shape = [x.shape[i] for i in order]

        def write(p, o, r):
            p.line(
                f"{r[0].name} = linalg.transpose ins({o[0].name} : {p.type(o[0])}) outs({p.empty(shape, x.dtype)} : "
                f"{p.type(r[0])}) "
                f"permutation = [{', '.join(map(str, order))}]"
            )
        return self.add(write, [x], Value(shape, x.dtype, x.lo, x.hi))

    def broadcast(self):
        x = self.floats(lambda v: len(v.shape) <= 2)
        if len(x.shape) > 2:
            return
        at = self.rng.randint(0, len(x.shape))
        shape = list(x.shape)
        shape.insert(at, self.rng.choice("ABC"))
        generic = self.rng.random() < 0.5

        def write(p, o, r):
            out = p.empty(shape, x.dtype)
            if generic:
                m = ", ".join(f"d{i}" for i in range(len(shape)) if i != at)
                p.generic([r[0].name], [(o[0].name, p.type(o[0]), x.dtype, m)],
                          [(out, p.type(r[0]), x.dtype, dims(len(shape)))],
                          ["parallel"] * len(shape), lambda a: ([], [a[0]]))
            else:
                p.line(
                    f"{r[0].name} = linalg.broadcast ins({o[0].name} : {p.type(o[0])}) outs({out} : {p.type(r[0])}) "
                    f"dimensions = [{at}]"
                )
        self.add(write, [x], Value(shape, x.dtype, x.lo, x.hi))

    def reshape(self, x, groups, wide, expand):
        text = "[" + ", ".join("[" + ", ".join(map(str, g)) + "]" for g in groups) + "]"

        def write(p, o, r):
            if expand:
                sizes = p.indices(wide)
                p.line(
                    f"{r[0].name} = tensor.expand_shape {o[0].name} {text} output_shape [{sizes}] : {p.type(o[0])} "
                    f"into {p.type(r[0])}"
                )
            else:
                p.line(f"{r[0].name} = tensor.collapse_shape {o[0].name} {text} : {p.type(o[0])} into {p.type(r[0])}")
        return self.add(write, [x], Value(wide, x.dtype, x.lo, x.hi))

    def expand(self):
        x = self.pick(lambda v: len(v.shape) <= 3)
        if not x:
            return
        wide, groups = [], []
        for d in x.shape:
            parts = [d]
            if d.startswith("(") and "*" in d and d.count("*") == 1 and d.count("(") == 1 and self.rng.random() < 0.7:
                parts = d[1:-1].split("*")
            elif self.rng.random() < 0.4:
                parts = self.rng.choice((["1", d], [d, "1"]))
            groups.append(list(range(len(wide), len(wide) + len(parts))))
            wide += parts
        if not x.shape:
            wide = ["1"] * self.rng.randint(1, 2)
        if len(wide) <= 5:
            self.reshape(x, groups, wide, True)

    def collapse(self):
        x = self.pick(lambda v: len(v.shape) >= 2)
        if not x:
            return
        at = self.rng.randrange(len(x.shape) - 1)
        pair = [d for d in x.shape[at:at + 2] if d != "1"]
        if any("(" in d for d in pair) and len(pair) == 2:
            return
        d = "1" if not pair else pair[0] if len(pair) == 1 else f"({pair[0]}*{pair[1]})"
        shape = list(x.shape[:at]) + [d] + list(x.shape[at + 2:])
        groups, i = [], 0
        for j in range(len(shape)):
            groups.append([i, i + 1] if j == at else [i])
            i += 2 if j == at else 1
        self.reshape(x, groups, shape, False)

    def slice(self):
        x = self.pick(lambda v: v.shape and any(eval(d, {}, self.p.sizes) >= 3 for d in v.shape))
        if not x:
            return
        d = self.rng.choice([i for i, s in enumerate(x.shape) if eval(s, {}, self.p.sizes) >= 3])
        offset, stride = self.rng.randint(0, 2), self.rng.choice((1, 1, 2))
        s = x.shape[d]
        length = f"(({s}-{offset}+{stride - 1})//{stride})"
        if self.rng.random() < 0.3:
            length = "1"
        elif self.rng.random() < 0.3:  # the first half: of a size `?`, all but its rows lies as in a whole tensor
            offset, stride, length = 0, 1, f"(({s}+1)//2)"
        shape = list(x.shape)
        shape[d] = length
        drop = length == "1" and self.rng.random() < 0.5  # the dimension goes
        result = [s for i, s in enumerate(shape) if not (drop and i == d)]

        def write(p, o, r):
            offsets, strides = ["0"] * len(shape), ["1"] * len(shape)
            offsets[d], strides[d] = str(offset), str(stride)
            sizes = p.indices(shape)
            p.line(
                f"{r[0].name} = tensor.extract_slice {o[0].name}[{', '.join(offsets)}] [{sizes}] "
                f"[{', '.join(strides)}] : {p.type(o[0])} to {p.type(r[0])}"
            )
        self.add(write, [x], Value(result, x.dtype, x.lo, x.hi))

    def insert(self):
        x = self.pick(lambda v: v.shape and v.dtype in MLIR_FLOATS)
        if not x:
            return
        d, stride, offset = self.rng.randrange(len(x.shape)), self.rng.choice((1, 2)), self.rng.randint(0, 2)
        shape = list(x.shape)
        shape[d] = f"({shape[d]}*{stride}+{offset})"

        def write(p, o, r):
            offsets, strides = ["0"] * len(shape), ["1"] * len(shape)
            offsets[d], strides[d] = str(offset), str(stride)
            into, sizes = p.filled(shape, x.dtype, 0), p.indices(x.shape)
            p.line(
                f"{r[0].name} = tensor.insert_slice {o[0].name} into {into}[{', '.join(offsets)}] [{sizes}] "
                f"[{', '.join(strides)}] : {p.type(o[0])} into {p.type(r[0])}"
            )
        self.add(write, [x], Value(shape, x.dtype, min(x.lo, 0), max(x.hi, 0)))

    def concat(self):
        x = self.floats(lambda v: v.shape)
        if not x.shape:
            return
        d = self.rng.randrange(len(x.shape))
        y = self.pick(lambda v: v.same_type(x)) if self.rng.random() < 0.6 else None
        y = y or self.argument([self.rng.choice("AB") if i == d else s for i, s in enumerate(x.shape)], x.dtype)
        shape = list(x.shape)
        shape[d] = f"({x.shape[d]}+{y.shape[d]})"

        def write(p, o, r):
            p.line(
                f"{r[0].name} = tensor.concat dim({d}) {o[0].name}, {o[1].name} : ({p.type(o[0])}, {p.type(o[1])}) -> "
                f"{p.type(r[0])}"
            )
        self.add(write, [x, y], Value(shape, x.dtype, min(x.lo, y.lo), max(x.hi, y.hi)))

    def pad(self):
        x = self.floats(lambda v: v.shape)
        if not x.shape:
            return
        low = [self.rng.choice((0, 0, 1, 2)) for _ in x.shape]
        high = [self.rng.choice((0, 0, 1)) for _ in x.shape]
        shape = [f"({s}+{l + h})" if l + h else s for s, l, h in zip(x.shape, low, high)]
        fill = self.rng.choice((0.0, 0.0, 0.5))

        def write(p, o, r):
            c = p.constant(fill, x.dtype)
            args = ", ".join(f"%p{i}: index" for i in range(len(shape)))
            p.line(
                f"{r[0].name} = tensor.pad {o[0].name} low[{', '.join(map(str, low))}] "
                f"high[{', '.join(map(str, high))}] {{"
            )
            p.line(f"^bb0({args}):")
            p.line(f"  tensor.yield {c} : {x.dtype}")
            p.line(f"}} : {p.type(o[0])} to {p.type(r[0])}")
        self.add(write, [x], Value(shape, x.dtype, min(x.lo, fill), max(x.hi, fill)))

    def gather(self):
        """Rows of a table by labels that are certain to be inside it."""
        table = self.argument(["(A+8)", self.rng.choice("BC")], self.float)
        labels = self.argument([self.rng.choice("ABD")], "i64")
        shape = [labels.shape[0], table.shape[1]]
        flip = self.rng.random() < 0.3

        def write(p, o, r):
            last = p.size(shape[1]) - 1
            def body(a):
                column = "%j"
                lines = ["%j = linalg.index 1 : index", f"%i = arith.index_cast {a[0]} : i64 to index"]
                if flip:
                    lines += [f"%l = arith.constant {last} : index", "%f = arith.subi %l, %j : index"]
                    column = "%f"
                return lines + [f"%y = tensor.extract {o[0].name}[%i, {column}] : {p.type(o[0])}"], ["%y"]
            p.generic([r[0].name], [(o[1].name, p.type(o[1]), "i64", "d0")],
                      [(p.empty(shape, self.float), p.type(r[0]), self.float, "d0, d1")],
                      ["parallel", "parallel"], body)
        self.add(write, [table, labels], Value(shape, self.float))

    # ---- what layers and losses are made of ---------------------------------------------------

    def softmax(self):
        x = self.floats(lambda v: v.shape)
        if not x.shape:
            return
        d = [self.rng.randrange(len(x.shape))] if self.rng.random() < 0.4 else [len(x.shape) - 1]
        t, rank = x.dtype, len(x.shape)
        m = ", ".join("0" if i in d else f"d{i}" for i in range(rank))
        top = self.reduce(x, d, "max", True, tame=False)
        top.lo, top.hi = x.lo, x.hi
        y = self.elementwise([x, top], [None, m], x.shape, t, lambda a: ([f"%y = arith.subf {a[0]}, {a[1]} : {t}"],
            ["%y"]), -10, 0)
        e = self.unary(y, "exp")
        total = self.reduce(e, d, "add", True, tame=False)
        total.lo = 0.5
        if self.rng.random() < 0.4:
            return self.elementwise([y, self.unary(total, "log")], [None, m], x.shape, t,
                                    lambda a: ([f"%y = arith.subf {a[0]}, {a[1]} : {t}"], ["%y"]), -20, 0)
        return self.elementwise([e, total], [None, m], x.shape, t,
                                lambda a: ([f"%y = arith.divf {a[0]}, {a[1]} : {t}"], ["%y"]), 0, 1)

    def layer_norm(self):
        x = self.floats(lambda v: v.shape)
        if not x.shape:
            return
        d = [len(x.shape) - 1] if self.rng.random() < 0.6 else sorted(self.rng.sample(range(len(x.shape)),
            self.rng.randint(1, len(x.shape))))
        t, rank = x.dtype, len(x.shape)
        m = ", ".join("0" if i in d else f"d{i}" for i in range(rank))
        count = "*".join(f"({x.shape[i]})" for i in d)
        mean = self.divide(self.reduce(x, d, "add", True, tame=False), count)
        y = self.elementwise([x, mean], [None, m], x.shape, t, lambda a: ([f"%y = arith.subf {a[0]}, {a[1]} : {t}"],
            ["%y"]), -10, 10)
        s = self.elementwise([y, y], [None, None], x.shape, t, lambda a: ([f"%y = arith.mulf {a[0]}, {a[1]} : {t}"],
            ["%y"]), 0, 100)
        v = self.divide(self.reduce(s, d, "add", True, tame=False), count)
        r = self.elementwise([v], [None], v.shape, t,
                             lambda a: ([f"%k = arith.constant 1.0e-2 : {t}", f"%s = arith.addf {a[0]}, %k : {t}",
                                         f"%y = math.rsqrt %s : {t}"], ["%y"]), 0.01, 10)
        return self.elementwise([y, r], [None, m], x.shape, t, lambda a: ([f"%y = arith.mulf {a[0]}, {a[1]} : {t}"],
            ["%y"]), -20, 20)

    def one_hot(self):
        """sum(select(arange == label, x, 0)), a mask of valid labels, and a mean by their count."""
        x = self.floats(lambda v: len(v.shape) == 2)
        if len(x.shape) != 2:
            x = self.argument([*"AB"])
        t = x.dtype
        n, c = x.shape
        label = self.argument([n], "i64")
        ranges = self.add(lambda p, o, r: p.generic([r[0].name], [],
                                                    [(p.empty([c], "i64"), p.type(r[0]), "i64", "d0")], ["parallel"],
                                                    lambda a: (["%p = linalg.index 0 : index",
                                                                "%y = arith.index_cast %p : index to i64"], ["%y"])),
                          [], Value([c], "i64", 0, 20))
        hot = self.elementwise([ranges, label], ["d1", "d0"], x.shape, "i1",
                               lambda a: ([f"%y = arith.cmpi eq, {a[0]}, {a[1]} : i64"], ["%y"]), 0, 1)
        if self.rng.random() < 0.5:
            valid = self.elementwise([label], [None], [n], "i1",
                                     lambda a: (["%k = arith.constant 2 : i64",
                                                 f"%y = arith.cmpi ne, {a[0]}, %k : i64"], ["%y"]), 0, 1)
            hot = self.elementwise([hot, valid], [None, "d0"], x.shape, "i1",
                                   lambda a: ([f"%y = arith.andi {a[0]}, {a[1]} : i1"], ["%y"]), 0, 1)
        zero = [f"%z = arith.constant 0.0 : {t}"]
        y = self.elementwise([hot, x], [None, None], x.shape, t,
                             lambda a: (zero + [f"%y = arith.select {a[0]}, {a[1]}, %z : {t}"], ["%y"]),
                             min(x.lo, 0), max(x.hi, 0))
        picked = self.reduce(y, [1], "add", tame=False)
        picked.lo, picked.hi = y.lo, y.hi
        if self.rng.random() < 0.6:
            ones = self.elementwise([hot], [None], x.shape, t,
                                    lambda a: (zero + [f"%o = arith.constant 1.0 : {t}",
                                                       f"%y = arith.select {a[0]}, %o, %z : {t}"], ["%y"]), 0, 1)
            count = self.reduce(ones, [0, 1], "add", False, tame=False)
            total = self.reduce(picked, list(range(len(picked.shape))), "add", False, tame=False)
            return self.elementwise([total, count], [None, None], [], t,
                                    lambda a: ([f"%o = arith.constant 1.0 : {t}",
                                                f"%c = arith.maximumf {a[1]}, %o : {t}",
                                                f"%y = arith.divf {a[0]}, %c : {t}"], ["%y"]),
                                    -20, 20)
        return picked

    def integers(self):
        x = self.pick(lambda v: v.dtype == "i64") or self.argument([self.rng.choice("AB")], "i64")
        kind = self.rng.choice(("add", "compare", "float", "max"))
        if kind == "float":
            return self.elementwise([x], [None], x.shape, self.float,
                                    lambda a: ([f"%s = arith.sitofp {a[0]} : i64 to {self.float}",
                                                f"%y = math.tanh %s : {self.float}"], ["%y"]), -1, 1)
        if kind == "compare":
            m = self.elementwise([x], [None], x.shape, "i1",
                                 lambda a: (["%k = arith.constant 3 : i64", f"%y = arith.cmpi slt, {a[0]}, %k : i64"],
                                            ["%y"]), 0, 1)
            return self.elementwise([m], [None], x.shape, "i64", lambda a: ([f"%y = arith.extui {a[0]} : i1 to i64"],
                ["%y"]), 0, 1)
        y, m = self.broadcastable(x.shape, "i64")
        op = "addi" if kind == "add" else "maxsi"
        return self.elementwise([x, y], [None, m], x.shape, "i64",
                                lambda a: ([f"%y = arith.{op} {a[0]}, {a[1]} : i64"], ["%y"]), x.lo, x.hi)

    def statistics(self):
        """Two reductions of one input in one operation."""
        x = self.floats(lambda v: v.shape and max(abs(v.lo), abs(v.hi)) < 30)
        if not x.shape:
            return
        t, rank = x.dtype, len(x.shape)
        d = self.rng.randrange(rank)
        shape = [s for i, s in enumerate(x.shape) if i != d]
        out = ", ".join(f"d{i}" for i in range(rank) if i != d)

        def write(p, o, r):
            a, b = p.filled(shape, t, 0), p.filled(shape, t, float("-inf"))
            p.generic([r[0].name, r[1].name], [(o[0].name, p.type(o[0]), t, dims(rank))],
                      [(a, p.type(r[0]), t, out), (b, p.type(r[1]), t, out)],
                      ["reduction" if i == d else "parallel" for i in range(rank)],
                      lambda a: ([f"%q = arith.mulf {a[0]}, {a[0]} : {t}", f"%s = arith.addf %q, {a[1]} : {t}",
                                  f"%m = arith.maximumf {a[0]}, {a[2]} : {t}"], ["%s", "%m"]))
        self.add(write, [x], Value(shape, t, 0, 17 * 900), Value(shape, t, x.lo, x.hi))

    # ---- a program ---------------------------------------------------------------------------

    def program(self):
        for _ in range(self.rng.randint(1, 3)):
            self.argument()
        steps = {self.unary: 8, self.binary: 8, self.reduce: 6, self.select: 2, self.outer: 1, self.argmax: 1,
                 self.matmul: 2, self.vector_product: 1,
                 self.transpose: 2, self.broadcast: 2, self.expand: 2, self.collapse: 2, self.slice: 2, self.insert: 1,
                 self.concat: 1, self.pad: 1,
                 self.gather: 1, self.softmax: 2, self.layer_norm: 2, self.one_hot: 2, self.integers: 1,
                 self.statistics: 1}
        names, weights = list(steps), list(steps.values())
        for _ in range(self.rng.choice((1, 2, 3, 4, 6, 8, 12))):
            self.rng.choices(names, weights)[0]()
            self.bound()
        if not self.p.ops:
            self.unary()
        read = {o for op in self.p.ops for o in op.operands}
        made = [r for op in self.p.ops for r in op.results]
        ends = [r for r in made if r not in read]
        results = self.rng.sample(ends, min(len(ends), self.rng.randint(1, 4)))
        if self.rng.random() < 0.3:
            results.append(self.rng.choice(made))
        self.p.results = list(dict.fromkeys(results))
        used = {o for op in self.p.ops for o in op.operands}
        self.p.arguments = [a for a in self.p.arguments if a in used]
        return self.p

    def bound(self):
        """What has grown is brought back, or it would overflow further on; what is too large to hold is not read
        again."""
        for v in [v for v in self.p.values() if v.dtype in MLIR_FLOATS and max(abs(v.lo), abs(v.hi)) > 60][:1]:
            if not any(v in op.operands for op in self.p.ops):
                self.unary(v, "tanh")


def linalg(seed):
    return Generator(seed).program()


def opened(program, seed):
    """With `?` for some sizes, or for all."""
    rng = random.Random(seed)
    program.open = frozenset(n for n in "ABCD" if rng.random() < 0.6) or frozenset("ABCD")
    if rng.random() < 0.08 and "_slice " not in program.text():  # which would begin behind nothing
        program.sizes[rng.choice("ABCD")] = 0
    return program


def unknown(seed):
    return opened(linalg(seed * 3 + 2), seed)


def main():
    kinds = {"--forms": "forms", "--typed": "typed", "--chains": "chains", "--layers": "layers", "--unknown": "unknown"}
    arguments = [a for a in sys.argv[1:] if a not in kinds]
    if len(arguments) != 1 or not arguments[0].isdigit():
        sys.exit(__doc__)
    make = linalg
    for name in [kinds[a] for a in sys.argv[1:] if a in kinds]:
        make = unknown if name == "unknown" else getattr(__import__(name), name)
    sys.stdout.write(make(int(arguments[0])).text())


if __name__ == "__main__":
    main()
