"""Random programs of every element type and any shape, for the oracle: nothing about their numbers is assumed.

Where generate.py keeps values of order one, so that two roads can be compared, these meet infinities, NaNs, zeros of
both signs, integers that wrap, tensors without elements and up to five dimensions. What each step can be is a table.
"""

import random

from program import MLIR_FLOATS, Op, Program, Value

# One less and one more than what vectors hold, small ones, and none.
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 31, 32, 33, 63, 64, 65)
WEIGHTS = (1, 3, 3, 3, 2, 3, 3, 2, 2, 2, 2, 1, 2, 2, 1, 2, 1, 1, 1)
MOST = 6000  # elements of a tensor
INTS = ("i1", "i8", "i16", "i32", "i64")
INPUTS = ("normal", "normal", "whole", "specials", "specials", "extremes")

FLOAT_UNARY = ("arith.negf", "math.absf", "math.exp", "math.log", "math.tanh", "math.sqrt", "math.rsqrt", "math.erf",
               "math.floor", "math.ceil",
               "math.log1p", "math.expm1", "math.sin", "math.cos", "math.exp2", "math.log2", "math.atan",
               "math.roundeven", "math.trunc", "math.round")
FLOAT_BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf",
                "arith.maxnumf", "arith.minnumf", "math.powf",
                "math.atan2", "math.copysign")
INT_BINARY = ("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.maxsi",
              "arith.minsi", "arith.maxui", "arith.minui")
# By a constant that is in range: shifts, and divisors that are neither 0 nor -1.
INT_BY = ("arith.shli", "arith.shrsi", "arith.shrui", "arith.divsi", "arith.remsi", "arith.divui", "arith.remui",
          "arith.floordivsi", "arith.ceildivsi")
FLOAT_COMBINERS = {"arith.addf": 0, "arith.mulf": 1, "arith.maximumf": float("-inf"), "arith.minimumf": float("inf"),
                   "arith.maxnumf": float("-inf"),
                   "arith.minnumf": float("inf")}
PREDICATES = {True: ("oeq", "ogt", "oge", "olt", "ole", "one", "ueq", "ugt", "uge", "ult", "ule", "une", "ord", "uno"),
              False: ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")}


def int_combiners(t):
    bits = int(t[1:])
    low, high = (-1, 0) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return {"arith.addi": 0, "arith.muli": 1, "arith.andi": -1, "arith.ori": 0, "arith.xori": 0, "arith.maxsi": low,
            "arith.minsi": high,
            "arith.maxui": 0, "arith.minui": -1}


def dims(rank):
    return ", ".join(f"d{i}" for i in range(rank))


def is_float(t):
    return t in MLIR_FLOATS


def bits(t):
    return {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}.get(t) or int(t[1:])


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed * 3 + 2)
        self.p = Program({name: self.rng.choices(SIZES, WEIGHTS)[0] for name in "ABCD"})
        self.p.sizes.update({name: self.rng.choice((1, 2, 3)) for name in "EF"})
        self.p.inputs = f"{self.rng.choice(INPUTS)} {seed}"
        self.types = [self.rng.choice(("f32", "f32", "f32", "f64", "bf16", "f16", *INTS))]
        if self.rng.random() < 0.5:
            self.types.append(self.rng.choice(("f32", "bf16", "f16", "i64", *INTS)))

    # ---- values -----------------------------------------------------------------------------

    def count(self, shape):
        n = 1
        for d in shape:
            n *= eval(d, {}, self.p.sizes)
        return n

    def size(self, d):
        return eval(d, {}, self.p.sizes)

    def pick(self, accept=lambda v: True):
        values = [v for v in self.p.values() if accept(v)]
        return values[-1 - min(int(self.rng.expovariate(0.35)), len(values) - 1)] if values else None

    def argument(self, shape=None, dtype=None):
        if shape is None:
            rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))
            shape = [self.rng.choice("AABBCDEF1") for _ in range(rank)]
        shape = list(shape)
        while self.count(shape) > MOST:
            shape[max(range(len(shape)), key=lambda i: self.size(shape[i]))] = self.rng.choice("EF")
        return self.p.argument(shape, dtype or self.rng.choice(self.types))

    def add(self, write, operands, *results):
        self.p.ops.append(Op(write, operands, results))
        return results[0]

    def map(self, operands, maps, shape, dtype, body):
        """An elementwise generic; operands[i] is read at maps[i] (None: as it is)."""
        def write(p, o, r):
            ins = [(x.name, p.type(x), x.dtype, dims(len(shape)) if m is None else m) for x, m in zip(o, maps)]
            p.generic([r[0].name], ins, [(p.empty(shape, dtype), p.type(r[0]), dtype, dims(len(shape)))],
                      ["parallel"] * len(shape), lambda a: body(p, a[:len(o)]))
        return self.add(write, operands, Value(shape, dtype))

    def like(self, x, dtype=None):
        """Another value to be read along x, with its map: broadcast, transposed, or the same."""
        t, found = dtype or x.dtype, []
        for v in self.p.values():
            if v.dtype != t or len(v.shape) > len(x.shape):
                continue
            offset = len(x.shape) - len(v.shape)
            at = [f"d{i + offset}" if d == x.shape[i + offset] else "0" if d == "1" else None
                  for i, d in enumerate(v.shape)]
            if None not in at:
                found.append((v, ", ".join(at)))
            if len(v.shape) == 2 and v.shape == tuple(reversed(x.shape)):
                found.append((v, "d1, d0"))
        if found and self.rng.random() < 0.75:
            return found[-1 - min(int(self.rng.expovariate(0.4)), len(found) - 1)]
        keep = [i for i in range(len(x.shape)) if self.rng.random() < 0.6]
        return self.argument([x.shape[i] for i in keep], t), ", ".join(f"d{i}" for i in keep)

    # ---- one element at a time ----------------------------------------------------------------

    def unary(self, x=None, op=None):
        x = x or self.pick() or self.argument()
        t = x.dtype
        if is_float(t):
            op = op or self.rng.choice(FLOAT_UNARY)
            return self.map([x], [None], x.shape, t, lambda p, a: ([f"%y = {op} {a[0]} : {t}"], ["%y"]))
        if self.rng.random() < 0.4:
            return self.map(
                [x],
                [None],
                x.shape,
                t,
                lambda p, a: (
                    [
                        f"%k = arith.constant {-1 if t != 'i1' else 'true'}{' : ' + t if t != 'i1' else ''}",
                        f"%y = arith.xori {a[0]}, %k : {t}",
                    ],
                    ["%y"],
                ),
            )
        if t == "i1":
            return self.cast(x)
        op = self.rng.choice(INT_BY)
        k = self.rng.randrange(bits(t)) if ".sh" in op else self.rng.choice((1, 2, 3, 5, 7, -3, 8))
        return self.map([x], [None], x.shape, t,
                        lambda p, a: ([f"%k = arith.constant {k} : {t}", f"%y = {op} {a[0]}, %k : {t}"], ["%y"]))

    def binary(self):
        x = self.pick() or self.argument()
        y, m = self.like(x)
        t = x.dtype
        op = self.rng.choice(FLOAT_BINARY[:6] * 2 + FLOAT_BINARY) if is_float(t) else self.rng.choice(INT_BINARY)
        swap = self.rng.random() < 0.3
        return self.map([x, y], [None, m], x.shape, t, lambda p, a: ([f"%y = {op} {a[swap]}, {a[1 - swap]} : {t}"],
            ["%y"]))

    def compare(self, x=None):
        x = x or self.pick() or self.argument()
        y, m = self.like(x)
        t = x.dtype
        predicate = self.rng.choice(PREDICATES[is_float(t)])
        return self.map(
            [x, y],
            [None, m],
            x.shape,
            "i1",
            lambda p, a: ([f"%y = arith.cmp{'f' if is_float(t) else 'i'} {predicate}, {a[0]}, {a[1]} : {t}"], ["%y"]),
        )

    def select(self):
        x = self.pick() or self.argument()
        c, n = self.like(x, "i1") if self.rng.random() < 0.5 else (self.compare(x), None)
        y, m = self.like(x)
        t = x.dtype
        return self.map([c, x, y], [n, None, m], x.shape, t,
                        lambda p, a: ([f"%y = arith.select {a[0]}, {a[1]}, {a[2]} : {t}"], ["%y"]))

    def cast(self, x=None, to=None):
        x = x or self.pick() or self.argument()
        t = x.dtype
        u = to or self.rng.choice([u for u in (*MLIR_FLOATS,
                                               *INTS) if bits(u) != bits(t) or is_float(u) != is_float(t)])
        if u == t:
            return x
        if is_float(t) and is_float(u):
            if bits(t) == bits(u):
                return self.cast(self.cast(x, "f32"), u)
            op = "arith.extf" if bits(u) > bits(t) else "arith.truncf"
        elif is_float(u):
            op = "arith.uitofp" if t == "i1" else self.rng.choice(("arith.sitofp", "arith.uitofp"))
        elif is_float(t):
            if u == "i1":
                return self.compare(x)
            op = self.rng.choice(("arith.fptosi", "arith.fptosi", "arith.fptoui"))
        else:
            op = "arith.trunci" if bits(u) < bits(t) else "arith.extui" if t == "i1" else self.rng.choice(
                ("arith.extsi", "arith.extui"))
        return self.map([x], [None], x.shape, u, lambda p, a: ([f"%y = {op} {a[0]} : {t} to {u}"], ["%y"]))

    def position(self):
        """A mask of indices, or indices as numbers."""
        x = self.pick(lambda v: v.shape) or self.argument(["A", "B"])
        d, e = (self.rng.randrange(len(x.shape)) for _ in range(2))
        t = x.dtype
        if self.rng.random() < 0.5:
            return self.map([x], [None], x.shape, t, lambda p, a: (
                [f"%p = linalg.index {d} : index", f"%q = linalg.index {e} : index",
                 "%c = arith.cmpi uge, %p, %q : index",
                 f"%z = arith.constant "
                 f"{'0.0' if is_float(t) else 'false' if t == 'i1' else 0}{'' if t == 'i1' else ' : ' + t}",
                 f"%y = arith.select %c, {a[0]}, %z : {t}"], ["%y"]))
        return self.map([x], [None], x.shape, "i64", lambda p, a: (
            [f"%p = linalg.index {d} : index", "%y = arith.index_cast %p : index to i64"], ["%y"]))

    def chain(self):
        """Several operations in one body."""
        x = self.pick(lambda v: is_float(v.dtype)) or self.argument(dtype=self.rng.choice(MLIR_FLOATS))
        y, m = self.like(x)
        t = x.dtype
        ops = [(self.rng.choice(FLOAT_UNARY), self.rng.choice(FLOAT_BINARY[:8])) for _ in range(self.rng.randint(1, 4))]

        def body(p, a):
            lines, last = [], a[0]
            for i, (u, b) in enumerate(ops):
                lines += [f"%u{i} = {u} {last} : {t}", f"%b{i} = {b} %u{i}, {a[1]} : {t}"]
                last = f"%b{i}"
            return lines, [last]
        return self.map([x, y], [None, m], x.shape, t, body)

    # ---- over dimensions ------------------------------------------------------------------------

    def reduce(self, x=None, over=None, op=None, keep=None):
        x = x or self.pick(lambda v: v.shape) or self.argument(["A", "B"])
        t, rank = x.dtype, len(x.shape)
        over = over or sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))
        combiners = FLOAT_COMBINERS if is_float(t) else int_combiners(t)
        op = op or self.rng.choice(list(combiners) + (["arith.addf"] * 3 if is_float(t) else []))
        start = combiners[op] if self.rng.random() < 0.85 else 1
        keep = self.rng.random() < 0.3 if keep is None else keep
        kept = [i for i in range(rank) if i not in over]
        shape = ["1" if i in over else d for i, d in enumerate(x.shape)] if keep else [x.shape[i] for i in kept]
        out_map = ", ".join("0" if i in over else f"d{i}" for i in range(rank) if keep or i in kept)
        swap, named = self.rng.random() < 0.3, not keep and self.rng.random() < 0.2

        def write(p, o, r):
            out = p.filled(shape, t, start)
            if named:
                p.line(
                    f"{r[0].name} = linalg.reduce {{ {op} }} ins({o[0].name} : {p.type(o[0])}) outs({out} : "
                    f"{p.type(r[0])}) dimensions = {over}"
                )
                return
            p.generic([r[0].name], [(o[0].name, p.type(o[0]), t, dims(rank))], [(out, p.type(r[0]), t, out_map)],
                      ["reduction" if i in over else "parallel" for i in range(rank)],
                      lambda a: ([f"%y = {op} {a[swap]}, {a[1 - swap]} : {t}"], ["%y"]))
        return self.add(write, [x], Value(shape, t))

    def any_or_count(self):
        """Bools combined, or counted."""
        x = self.pick(lambda v: v.shape and v.dtype == "i1") or self.compare(self.pick(lambda v: v.shape)
            or self.argument(["A", "B"]))
        if self.rng.random() < 0.6:
            return self.reduce(x, op=self.rng.choice(("arith.ori", "arith.andi", "arith.xori")))
        return self.reduce(self.cast(x, self.rng.choice(("i64", "i32", "f32"))), op=None)

    def winner(self):
        """The largest or least element and where it is, the first or the last of equal ones."""
        x = self.pick(lambda v: v.shape and v.dtype != "i1") or self.argument(["A", "B"], "f32")
        t, rank = x.dtype, len(x.shape)
        d = self.rng.randrange(rank)
        shape = [s for i, s in enumerate(x.shape) if i != d]
        out = ", ".join(f"d{i}" for i in range(rank) if i != d)
        place = self.rng.choice(("i64", "i64", "i32"))
        if is_float(t):
            up = self.rng.random() < 0.5
            compare, keep = f"arith.cmpf {'ogt' if up else 'olt'}", "arith.maximumf" if up else "arith.minimumf"
            start = FLOAT_COMBINERS[keep]
        else:
            up = self.rng.random() < 0.5
            compare, keep = f"arith.cmpi {'sgt' if up else 'slt'}", "arith.maxsi" if up else "arith.minsi"
            start = int_combiners(t)[keep]

        def write(p, o, r):
            value, index = p.filled(shape, t, start), p.filled(shape, place, 0)
            p.generic([r[0].name, r[1].name], [(o[0].name, p.type(o[0]), t, dims(rank))],
                      [(value, p.type(r[0]), t, out), (index, p.type(r[1]), place, out)],
                      ["reduction" if i == d else "parallel" for i in range(rank)],
                      lambda a: ([f"%p = linalg.index {d} : index", f"%q = arith.index_cast %p : index to {place}",
                                  f"%m = {keep} {a[0]}, {a[1]} : {t}",
                                  f"%c = {compare}, {a[0]}, {a[1]} : {t}",
                                  f"%y = arith.select %c, %q, {a[2]} : {place}"], ["%m", "%y"]))
        return self.add(write, [x], Value(shape, t), Value(shape, place))

    def softmax(self):
        x = self.pick(lambda v: v.shape and is_float(v.dtype)) or self.argument(["A", "B"],
            self.rng.choice(MLIR_FLOATS))
        d = self.rng.randrange(len(x.shape))
        m = ", ".join("0" if i == d else f"d{i}" for i in range(len(x.shape)))
        binary = lambda op, a, b: self.map([a, b], [None, m], x.shape, x.dtype,
                                           lambda p, r: ([f"%y = {op} {r[0]}, {r[1]} : {x.dtype}"], ["%y"]))
        y = binary("arith.subf", x, self.reduce(x, [d], "arith.maximumf", True))
        e = self.unary(y, "math.exp")
        total = self.reduce(e, [d], "arith.addf", True)
        return binary("arith.divf", e, total) if self.rng.random() < 0.5 else binary("arith.subf", y,
            self.unary(total, "math.log"))

    # ---- a program --------------------------------------------------------------------------------

    def program(self):
        from typed_shapes import shape_steps
        for _ in range(self.rng.randint(1, 2)):
            self.argument()
        steps = {self.unary: 6, self.binary: 8, self.compare: 2, self.select: 3, self.cast: 4, self.position: 1,
                 self.chain: 4, self.reduce: 9, self.any_or_count: 2,
                 self.winner: 2, self.softmax: 2, **shape_steps(self)}
        for _ in range(self.rng.choice((1, 1, 2, 3, 4, 6, 8))):
            self.rng.choices(list(steps), list(steps.values()))[0]()
        if not self.p.ops:
            self.unary()
        read = {o for op in self.p.ops for o in op.operands}
        made = [r for op in self.p.ops for r in op.results]
        ends = [r for r in made if r not in read] or made[-1:]
        results = self.rng.sample(ends, min(len(ends), self.rng.randint(1, 4)))
        if self.rng.random() < 0.3:
            results.append(self.rng.choice(made))
        self.p.results = list(dict.fromkeys(results))
        return self.p.drop_dead()


def typed(seed):
    return Generator(seed).program()
