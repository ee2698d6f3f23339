"""Random forms with groups of columns, matrices, row products and programs in sides.

Rows of 0 to 3 dimensions (heads and groups of heads among them), 1 to 3 groups of some dimensions each, often equally
long; products into any group, matrices from any group to any other, row products behind each other; sizes of 0, of 1
and `?`; floats and integers. A seed gives the same program each time.
"""

import random
import re

from program import MLIR_FLOATS, number

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17)
WEIGHTS = (1, 6, 8, 8, 8, 6, 5, 5, 3, 3, 2)
LABELS = 8  # random labels are in [0, LABELS)
KINDS = ("dim",) * 6 + ("heads", "stride", "reverse", "pad", "split", "sum", "join", "through")
BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64, "i8": 8, "i32": 32, "i64": 64, "index": 64}
INFINITY = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}  # -inf
# What is read, and what is computed with.
FAMILIES = (("f32", "f32"), ("f32", "f32"), ("f64", "f64"), ("bf16", "f32"), ("f16", "f32"), ("f32", "f64"),
            ("i8", "i32"), ("i32", "i32"))


class Val:
    """A value of a region: `of` is the group whose row it is (a number, or "side"), None for a scalar."""

    def __init__(self, of, dtype, lo=-5.0, hi=5.0):
        self.of, self.dtype, self.lo, self.hi, self.name = of, dtype, lo, hi, "?"
        self.tied = False  # a position, or a product: a row of a group for certain


class Step:
    """One operation: lines of text. $r is the result's name, $0 the first operand's, @0 its type, @f32 the result's
    type with elements of f32; %names are the operation's own."""

    def __init__(self, text, operands, result):
        self.text, self.operands, self.result = text, list(operands), result

    def lines(self, name, names, types, type_of):
        def part(m):
            if m[0] == "$r":
                return name
            return (names if m[1] == "$" else types)[int(m[2])] if m[2].isdigit() else type_of(m[2])
        own = lambda line: re.sub(r"%(?=[a-z]\b)", name, line)
        return [re.sub(r"([$@])(\w+)", part, own(line)) for line in self.text]


class Access:
    """subscripts: (kind, dimension, ...) each; the operand's sizes follow from them."""

    def __init__(self, subscripts, dtype, fill=None):
        self.subscripts, self.dtype, self.fill = subscripts, dtype, fill

    def simple(self):
        plain = lambda s: ("dim", s[1]) if len(s) > 1 and s[0] not in ("sum", "join") else s
        return Access([plain(s) for s in self.subscripts], self.dtype)

    def expand(self, sizes):
        """[(text or None, extent, dimensions)]; text None: an index tensor over these dimensions."""
        out = []
        for s in self.subscripts:
            kind, d = s[0], s[1] if len(s) > 1 else None
            n = sizes[d] if d else 1
            if kind == "zero":
                out.append(("0", 1, ()))
            elif kind == "table":
                out.append(("?", s[2], ()))
            elif kind == "dim":
                out.append((d, n, (d,)))
            elif kind == "stride":
                out.append((f"{d} * {s[2]} + {s[3]}", ((n - 1) * s[2] + 1 if n else 0) + s[3], (d,)))
            elif kind == "reverse":
                out.append((f"{n - 1} - {d}", n, (d,)))
            elif kind == "heads":
                out.append((f"{d} floordiv {s[2]}", -(-n // s[2]), (d,)))
            elif kind == "pad":
                out.append((f"{d} * {s[2]} - {s[3]}", n, (d,)))
            elif kind == "sum":
                out.append((f"{d} + {s[2]}", max(0, n + sizes[s[2]] - 1), (d, s[2])))
            elif kind == "join":
                m = max(1, sizes[s[2]])
                out.append((f"{d} * {m} + {s[2]}", n * m, (d, s[2])))
            elif kind == "split":
                out.append((f"{d} floordiv {s[2]}", -(-n // s[2]), (d,)))
                out.append((f"{d} mod {s[2]}", s[2], ()))
            else:
                out.append((None, LABELS if self.fill is None else LABELS - 3, (d,)))
        return out


class Side:
    """Accesses, and the steps of a program on them; without steps the first access alone."""

    def __init__(self, accesses, arguments=(), steps=(), result=None):
        self.accesses, self.arguments, self.steps, self.result = list(accesses), list(arguments), list(steps), result


class Chain:
    def __init__(self, sizes, dynamic, rows, groups):
        self.sizes, self.dynamic = dict(sizes), set(dynamic)
        self.rows, self.groups = list(rows), [list(g) for g in groups]
        self.products = []      # (own dimensions, Side, Side, type, Val)
        self.matrices = []      # (from, to, Side, Val)
        self.inputs = []        # (Access, Val, Val of finish or None)
        self.steps = []
        self.accumulators = []  # (kind, Val yielded, Val of finish)
        self.reduced = []       # (Val of finish, number of an accumulator where there is no finish)
        self.plain = []         # (subscripts, Val)
        self.finish = None      # steps
        self.how = ""           # which numbers it is fed

    def copy(self):
        other = Chain(self.sizes, self.dynamic, self.rows, self.groups)
        for name in ("products", "matrices", "inputs", "steps", "accumulators", "reduced", "plain"):
            setattr(other, name, list(getattr(self, name)))
        other.finish = None if self.finish is None else list(self.finish)
        other.how = self.how
        return other

    @property
    def ops(self):
        return self.steps or [None]

    def length(self, of, own=()):
        """How long a row is, as it is written."""
        dims = own if of == "side" else self.groups[of]
        n = 1
        for d in dims:
            n *= self.sizes[d]
        return "?" if any(d in self.dynamic for d in dims) else n

    def type(self, v, own=()):
        if v.of in ("matrix", "table"):
            return v.shown
        return v.dtype if v.of is None else f"tensor<{self.length(v.of, own)}x{v.dtype}>"

    # ---- text ----------------------------------------------------------------------------

    def text(self):
        writer = Writer(self)
        return writer.text()

    # ---- smaller ones ------------------------------------------------------------------------

    def smaller(self):
        results = len(self.reduced) + len(self.plain)
        for which in ("reduced", "plain"):
            for i in range(len(getattr(self, which))):
                if results > 1:
                    q = self.copy()
                    del getattr(q, which)[i]
                    if self.finish is None and which == "reduced":  # its accumulator goes too
                        j = self.reduced[i][1]
                        del q.accumulators[j]
                        q.reduced = [(v, k - (k > j)) for v, k in q.reduced]
                    yield q.drop_dead()
        parts = lambda q: len(q.steps) + len(q.inputs) + len(q.products) + len(q.matrices) + len(q.accumulators)
        q = self.copy().drop_dead()
        if parts(q) < parts(self):
            yield q
        for which in ("steps", "finish"):
            for i in range(len(getattr(self, which) or ()) - 1, -1, -1):
                step = getattr(self, which)[i]
                if step.result is None:
                    q = self.copy()
                    del getattr(q, which)[i]
                    yield q.drop_dead()
                    continue
                sources = list(step.operands)
                if which == "steps":
                    sources += [v for _, v, _ in self.inputs] + [p[4] for p in self.products]
                for o in dict.fromkeys(sources):
                    if o.of == step.result.of and o.dtype == step.result.dtype:
                        q = self.copy()
                        del getattr(q, which)[i]
                        yield q.replace(step.result, o).drop_dead()
        for which, at in (("products", (1, 2)), ("matrices", (2,))):
            for i, part in enumerate(getattr(self, which)):
                for k in at:
                    for side in self.smaller_sides(part[k]):
                        q = self.copy()
                        getattr(q, which)[i] = part[:k] + (side,) + part[k + 1:]
                        yield q
        for i, (a, v, f) in enumerate(self.inputs):
            if a.simple().subscripts != a.subscripts and ("table",) != a.subscripts[0][:1] or a.fill is not None:
                q = self.copy()
                q.inputs[i] = (a.simple(), v, f)
                yield q
        for d in sorted(self.dynamic):
            q = self.copy()
            q.dynamic.discard(d)
            yield q
        for name, size in self.sizes.items():
            for n in dict.fromkeys((1, 2, 3, size // 2)):
                if 0 < n < size:
                    q = self.copy()
                    q.sizes[name] = n
                    yield q
        for i, r in enumerate(self.rows):
            if not any(r in s[1:] for s in self.subscripts()) and not any(r in p[0] for p in self.plain):
                q = self.copy()
                del q.rows[i]
                yield q

    def smaller_sides(self, side):
        if side.steps:
            for i, a in enumerate(side.accesses):
                if a.dtype == side.result.dtype and side.arguments[i].of == "side":
                    yield Side([a])
            for i in range(len(side.steps) - 1, -1, -1):
                for o in side.steps[i].operands:
                    r = side.steps[i].result
                    if o.of == r.of and o.dtype == r.dtype:
                        swap = lambda v, o=o, r=r: o if v is r else v
                        rest = side.steps[:i] + side.steps[i + 1:]
                        steps = [Step(s.text, map(swap, s.operands), s.result) for s in rest]
                        yield Side(side.accesses, side.arguments, steps, swap(side.result))
        for i, a in enumerate(side.accesses):
            if a.fill is not None or a.simple().subscripts != a.subscripts:
                accesses = side.accesses[:i] + [a.simple()] + side.accesses[i + 1:]
                yield Side(accesses, side.arguments, side.steps, side.result)

    def accesses(self):
        sides = [s for p in self.products for s in p[1:3]] + [m[2] for m in self.matrices]
        return [a for s in sides for a in s.accesses] + [i[0] for i in self.inputs]

    def subscripts(self):
        return [s for a in self.accesses() for s in a.subscripts]

    def replace(self, old, new):
        r = lambda v: new if v is old else v
        self.steps = [Step(s.text, map(r, s.operands), s.result) for s in self.steps]
        if self.finish is not None:
            self.finish = [Step(s.text, map(r, s.operands), s.result) for s in self.finish]
        self.accumulators = [(k, r(v), f) for k, v, f in self.accumulators]
        self.reduced = [(r(v), i) for v, i in self.reduced]
        self.plain = [(s, r(v)) for s, v in self.plain]
        return self

    def drop_dead(self):
        live = {v for _, v in self.plain}
        final = set()
        if self.finish is not None:
            final = {v for v, _ in self.reduced}
            for s in reversed(self.finish):
                if s.result in final or s.result is None:
                    final |= set(s.operands)
            self.finish = [s for s in self.finish if s.result in final or s.result is None]
            self.accumulators = [a for a in self.accumulators if a[2] in final]
        live |= {v for _, v, _ in self.accumulators}
        for s in reversed(self.steps):
            if s.result in live or s.result is None:
                live |= set(s.operands)
        self.steps = [s for s in self.steps if s.result in live or s.result is None]
        self.inputs = [i for i in self.inputs if i[1] in live or i[2] in final]
        self.products = [p for p in self.products if p[4] in live]
        self.matrices = [m for m in self.matrices if m[3] in live]
        return self


class Writer:
    def __init__(self, form):
        self.f, self.arguments, self.shapes, self.setup, self.count = form, [], [], [], 0

    def argument(self, shape, dynamic, dtype):
        t = "tensor<" + "".join(f"{'?' if d else n}x" for n, d in zip(shape, dynamic)) + dtype + ">"
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(f"{name}: {t}")
        self.shapes.append("".join(f"{n}x" for n in shape) + dtype)
        return name, t

    def is_dynamic(self, dims):
        return any(d in self.f.dynamic for d in dims)

    def access(self, a):
        parts, shape, dynamic = [], [], []
        for text, extent, dims in a.expand(self.f.sizes):
            if text is None:
                over = [d for d in dims if d]
                name, t = self.argument([self.f.sizes[d] for d in over], [d in self.f.dynamic for d in over], "i64")
                text, dims = f"{name}[{', '.join(over)}] : {t}", ()
            parts.append(text)
            shape.append(extent)
            dynamic.append(self.is_dynamic(dims))
            if a.fill is None and text in self.f.dynamic:
                self.sized.setdefault(text, None)
        name, t = self.argument(shape, dynamic, a.dtype)
        for i, text in enumerate(parts):
            if self.sized.get(text, 0) is None:
                self.sized[text] = (name, i, t)
        return f"{name}[{', '.join(parts)}] : {t}" + ("" if a.fill is None else f" else {number(a.fill, a.dtype)}")

    @staticmethod
    def constant(line):
        """A constant row from its first number: all are equal, or the next ones follow it. One that is `?` long has no
        literal: its number is broadcast."""
        m = re.match(r"(%\w+) = arith.constant (rising )?(.*) : (tensor<(.*?)x(\w+)>)$", line)
        if not m:
            return [line.replace(" rising ", " ")]
        name, rising, value, row, size, element = m.groups()
        if size == "?":
            b = f"{name}b"
            return [f"{b} = arith.constant {value} : {element}", f"{name} = sinter.broadcast {b} : {element} -> {row}"]
        if rising and size != "0":
            one = lambda i: number(float(value) + i / 100, element) if element in MLIR_FLOATS else str(int(value) + i)
            value = f"[{', '.join(map(one, range(int(size))))}]"
        return [f"{name} = arith.constant dense<{value}> : {row}"]

    def region(self, steps, own=()):
        lines = []
        for step in steps:
            name = f"%v{self.count}"
            self.count += 1
            of = step.result.of if step.result else None
            type_of = lambda dtype, of=of: self.f.type(Val(of, dtype), own)
            if step.result:
                step.result.name = name
            names, types = [o.name for o in step.operands], [self.f.type(o, own) for o in step.operands]
            lines += ["    " + part for l in step.lines(name, names, types, type_of) for part in self.constant(l)]
        return lines

    def side(self, side, own):
        if not side.steps:
            return self.access(side.accesses[0])
        reads = ", ".join(map(self.access, side.accesses))
        for v in side.arguments:
            v.name = f"%s{self.count}"
            self.count += 1
        head = ", ".join(f"{v.name}: {self.f.type(v, own)}" for v in side.arguments)
        lines = [f"side({reads}) {{", f"      ^side({head}):", *["  " + l for l in self.region(side.steps, own)]]
        lines.append(f"        sinter.yield {side.result.name} : {self.f.type(side.result, own)}")
        return "\n".join(lines) + "\n      }"

    def size_of(self, d):
        """An index value: how large the dimension is."""
        where = self.sized.get(d)
        if not where:  # a destination alone has it
            name, t = self.argument([self.f.sizes[d]], [True], "f32")
            where = self.sized[d] = (name, 0, t)
        name, i, t = where
        if (d, "value") not in self.sized:
            self.setup += [f"  %i{d} = arith.constant {i} : index", f"  %n{d} = tensor.dim {name}, %i{d} : {t}"]
            self.sized[d, "value"] = f"%n{d}"
        return self.sized[d, "value"]

    def text(self):
        f = self.f
        self.sized = {}
        written = f.rows + [d for g in f.groups for d in g]
        need = {d for p in f.products for d in p[0]} & f.dynamic
        given = {s[1] for a in f.accesses() if a.fill is None for s in a.subscripts if s[0] == "dim"}
        given |= {d for subscripts, _ in f.plain for d in subscripts}
        given |= {d for r, i in f.reduced for v in [r or f.accumulators[i][1]] if self.kept(v) for d in f.groups[v.of]}
        hidden = (f.dynamic & set(written) | need) - given
        if hidden:  # no operand says how large they are
            f.dynamic -= hidden
        size = lambda d: f"{d} = {'?' if d in f.dynamic else f.sizes[d]}"
        by = "".join(f" by ({', '.join(map(size, g))})" for g in f.groups)
        lines = [f"sinter.{'contract' if f.products else 'rowwise'} ({', '.join(map(size, f.rows))}){by}"]
        body = []
        for own, a, b, t, v in f.products:
            sides = f"{self.side(a, own)}, {self.side(b, own)}"
            lines.append(f"      product ({', '.join(map(size, own))}) ({sides}) : {t}")
            body.append(v)
        for start, end, side, v in f.matrices:
            names = [", ".join(f.groups[g]) for g in (start, end)]
            lines.append(f"      matrix ({names[0]}) to ({names[1]}) ({self.side(side, f.groups[start])})")
            v.element = side.result.dtype if side.steps else side.accesses[0].dtype
            body.append(v)
        if f.inputs:
            lines.append("      ins(" + ", ".join(self.access(a) for a, _, _ in f.inputs) + ")")
        body += [v for _, v, _ in f.inputs]
        for i, v in enumerate(body):
            v.name = f"%p{i}"
        types = []
        for v in body:
            if v.of == "matrix":
                m = next(m for m in f.matrices if m[3] is v)
                v.shown = f"tensor<{f.length(m[0])}x{f.length(m[1])}x{v.element}>"
                types.append(v.shown)
            elif v.of == "table":
                a = next(a for a, w, _ in f.inputs if w is v)
                v.shown = "memref<" + "".join(f"{n}x" for _, n, _ in a.expand(f.sizes)) + a.dtype + ">"
                types.append(v.shown)
            else:
                types.append(f.type(v))
        if f.accumulators:
            keep = lambda v: ", ".join(f.groups[v.of]) if self.kept(v) else ""
            kept = ", ".join(f"{k} [{keep(v)}] : {v.dtype}" for k, v, _ in f.accumulators)
            lines.append(f"      reduce({kept})")
        outs, results, empties = [], [], {}

        def out(subscripts, dtype):
            sizes = [1 if s == "0" else f.sizes[s] for s in subscripts]
            dynamic = [s in f.dynamic for s in subscripts]
            t = "tensor<" + "".join(f"{'?' if d else n}x" for n, d in zip(sizes, dynamic)) + dtype + ">"
            of = [self.size_of(s) for s, d in zip(subscripts, dynamic) if d]
            key = (t, *of)
            if key not in empties:
                empties[key] = f"%e{len(empties)}"
                self.setup.append(f"  {empties[key]} = tensor.empty({', '.join(of)}) : {t}")
            outs.append(f"{empties[key]}[{', '.join(subscripts)}] : {t}")
            results.append(t)

        finals = [v if f.finish is not None else f.accumulators[i][1] for v, i in f.reduced]
        for v in finals:
            out(f.groups[v.of] if self.kept(v) else [], v.dtype)
        for subscripts, v in f.plain:
            out(subscripts, v.dtype)
        lines.append("      outs(" + ", ".join(outs) + ") {")
        lines.append("  ^row(" + ", ".join(f"{v.name}: {t}" for v, t in zip(body, types)) + "):" if body else "  ^row:")
        lines += self.region(f.steps)
        yielded = [v for _, v, _ in f.accumulators] + [v for _, v in f.plain]
        say = lambda vs: f" {', '.join(v.name for v in vs)} : {', '.join(map(f.type, vs))}" if vs else ""
        lines.append("    sinter.yield" + say(yielded))
        if f.finish is not None:
            done = [v for _, _, v in f.accumulators] + [v for _, _, v in f.inputs if v]
            for i, v in enumerate(done):
                v.name = f"%f{i}"
            lines.append("  } finish {")
            lines.append("  ^done(" + ", ".join(f"{v.name}: {f.type(v)}" for v in done) + "):" if done else "  ^done:")
            lines += self.region(f.finish)
            lines.append("    sinter.yield" + say(finals))
        lines.append("  }")
        n = len(results)
        text = f"func.func @main({', '.join(self.arguments)}) -> ({', '.join(results)}) {{\n"
        text += "".join(l + "\n" for l in self.setup)
        text += f"  %r{f':{n}' if n > 1 else ''} = " + "\n".join(lines)
        shown = ", ".join(f"%r#{i}" for i in range(n)) if n > 1 else "%r"
        text += f"\n  return {shown} : {', '.join(results)}\n}}\n"
        return f"// inputs: {f.how}\n// sizes: {', '.join(self.shapes)}\n{text}"

    def kept(self, v):
        return v.of is not None


class Generator:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed * 5 + 3)
        rows = ["b", "h", "i"][:rng.choice((0, 1, 1, 1, 2, 2, 3))]
        size = lambda: rng.choices(SIZES, WEIGHTS)[0]
        sizes, groups = {}, []
        count = rng.choice((1, 2, 2, 2, 3, 3))
        for g in range(count):
            dims = ["jxy", "euv", "gpq"][g][:rng.choice((0 if count == 1 else 1, 1, 1, 1, 1, 1, 1, 2, 2, 3))]
            for d in dims:
                sizes[d] = size()
            if groups and rng.random() < 0.35:  # as long as another
                other = rng.choice(groups)
                if rng.random() < 0.5:
                    n = 1
                    for d in other:
                        n *= sizes[d]
                    dims = dims[:1] or ["euvgpq"[3 * (g - 1)]]
                    sizes[dims[0]] = n
                else:
                    dims = ["jxy", "euv", "gpq"][g][:len(other)]
                    for d, o in zip(dims, other):
                        sizes[d] = sizes[o]
            while sizes and dims and self.times(sizes, dims) > 70:
                sizes[max(dims, key=sizes.get)] = rng.choice((1, 2, 3))
            sizes = {d: n for d, n in sizes.items() if d in list(dims) or any(d in o for o in groups)}
            groups.append(list(dims))
        for r in rows:
            sizes[r] = size()
        while rows and self.times(sizes, rows) > 64:
            sizes[max(rows, key=sizes.get)] = rng.choice((1, 2, 3, 5))
        if rows and rng.random() < 0.1:
            sizes[rows[-1]] = rng.choice((33, 65, 130))
        dynamic = {d for d in sizes if rng.random() < 0.3} if rng.random() < 0.4 else set()
        self.f = Chain(sizes, dynamic, rows, [[d for d in g] for g in groups])
        self.read, self.wide = rng.choice(FAMILIES)
        self.f.how = f"{rng.choice(('normal', 'normal', 'normal', 'whole', 'corners'))} {seed}"
        self.values = []

    def times(self, sizes, dims):
        n = 1
        for d in dims:
            n *= sizes[d]
        return n

    # ---- accesses -------------------------------------------------------------------------

    def access(self, dims, dtype, plain=0.5):
        """Subscripts over these dimensions, each used."""
        rng, f, subscripts, fill = self.rng, self.f, [], None
        dims = list(dims)
        rng.shuffle(dims)
        is_plain = rng.random() < plain
        while dims:
            d = dims.pop()
            kind = "dim" if is_plain else rng.choice(KINDS)
            if kind in ("sum", "join") and not dims:
                kind = "dim"
            if kind == "join" and dims[-1] in f.dynamic or kind == "reverse" and d in f.dynamic:
                kind = "dim"
            if kind == "heads" and d not in f.rows:
                kind = "split"
            if kind == "stride":
                subscripts.append((kind, d, rng.choice((1, 2, 3)), rng.randint(0, 2)))
            elif kind == "pad":
                subscripts.append((kind, d, rng.choice((1, 1, 2)), rng.randint(-2, 2)))
                fill = rng.choice((0.0, 0.5))
            elif kind in ("split", "heads"):
                subscripts.append((kind, d, rng.choice((2, 2, 3, 4))))
            elif kind in ("sum", "join"):
                subscripts.append((kind, d, dims.pop()))
            elif kind == "through":
                subscripts.append((kind, d))
                if rng.random() < 0.4:
                    fill = 0.25
            else:
                subscripts.append((kind, d))
        if not is_plain and rng.random() < 0.1:
            subscripts.insert(rng.randint(0, len(subscripts)), ("zero",))
        if not is_plain and rng.random() < 0.05:
            fill = 0.5
        return Access(subscripts, dtype, fill if fill is None or dtype in MLIR_FLOATS else int(fill * 4))

    def some(self, dims, most):
        return [d for d in dims if self.rng.random() < most]

    def side(self, rows, columns, own, dtype, most=None):
        """A side over own and these, whose elements have no more than the bits of `most`."""
        rng = self.rng
        if rng.random() < 0.55:
            return Side([self.access(rows + columns + own, dtype)])
        values, accesses, outer = [], [], (self.values, self.steps, self.may_add)
        self.values, self.steps, self.may_add, self.own = values, [], False, own
        used = rows + columns
        for i in range(rng.choice((1, 1, 2, 3))):
            dims = used + own if i == 0 else self.some(used, 0.5) + (own if rng.random() < 0.5 else [])
            if i == 0 and rng.random() < 0.3:  # others know the rest
                dims = self.some(used, 0.6) + own
            t = dtype if i == 0 or rng.random() < 0.7 else rng.choice(("f32", "i8", "i64"))
            accesses.append(self.access(dims, t))
            row = any(d in own for d in dims)
            lo, hi = (0, LABELS) if t == "i64" else (-5.0, 5.0)
            values.append(Val("side" if row else None, t, lo, hi))
        arguments = list(values)
        kinds = [self.unary, self.binary, self.binary, self.select, self.cast, self.spread, self.position]
        self.some_steps(rng.choice((1, 2, 3, 4)), kinds)
        fits = [v for v in self.values if v.of == "side" and (v.dtype in MLIR_FLOATS) == (dtype in MLIR_FLOATS)
                and BITS[v.dtype] <= BITS[most or "f64"]]
        result = fits[-1] if fits else self.spread(values[0], "side")
        live, steps = {result}, []
        for s in reversed(self.steps):
            if s.result in live:
                live |= set(s.operands)
                steps.insert(0, s)
        if not steps:  # a program all the same
            result = self.constant_times(values[0])
            steps = [self.steps[-1]]
        self.values, self.steps, self.may_add = outer
        self.own = None
        return Side(accesses, arguments, steps, result)

    def constant_times(self, x):
        kind, c = ("mulf", "5.0e-01") if self.is_float(x) else ("addi", "3")
        text = [f"%k = arith.constant {c} : @0", f"$r = arith.{kind} $0, %k : @0"]
        return self.step(text, [x], self.like(x, x.lo, x.hi))

    def input(self, of=0, dims=None, dtype=None):
        rng, f = self.rng, self.f
        if of == 0:
            of = rng.choice([None, *range(len(f.groups)), *range(len(f.groups))])
        cols = f.groups[of] if of is not None else []
        if dims is None:
            dims = self.some(f.rows + cols, 0.7) if rng.random() < 0.6 else f.rows + cols
        dtype = dtype or (self.read if rng.random() < 0.85 else rng.choice(("f32", "i64")))
        a = self.access(dims, dtype)
        lo, hi = (0, LABELS) if dtype == "i64" else (-5.0, 5.0)
        v = Val(of if any(d in cols for d in dims) else None, dtype, lo, hi)
        uniform = all(s[0] == "zero" for s in a.subscripts)
        f.inputs.append((a, v, Val(None, dtype, lo, hi) if uniform else None))
        self.values.append(v)
        return v

    # ---- steps ------------------------------------------------------------------------------

    def pick(self, accept):
        found = [v for v in self.values if v.of not in ("matrix", "table") and accept(v)]
        return found[-1 - min(int(self.rng.expovariate(0.35)), len(found) - 1)] if found else None

    def is_float(self, v):
        return v.dtype in MLIR_FLOATS

    def is_number(self, v):
        return self.is_float(v) or v.dtype in ("i8", "i32")

    def step(self, text, operands, result):
        self.steps.append(Step(text, operands, result))
        if not result:
            return None
        self.values.append(result)
        if self.is_float(result) and max(abs(result.lo), abs(result.hi)) > 60:
            return self.step(["$r = math.tanh $0 : @0"], [result], self.like(result, -1, 1))
        return result

    def like(self, x, *ends):
        return Val(x.of, x.dtype, *ends)

    def unary(self):
        x = self.pick(self.is_float)
        if not x:
            y = self.pick(lambda v: v.dtype == self.wide and v.of is not None)
            return self.constant_times(y) if y else None
        lo, hi = x.lo, x.hi
        kinds = {"arith.negf": (-hi, -lo), "math.absf": (0, max(abs(lo), abs(hi))), "math.tanh": (-1, 1),
                 "math.sin": (-1, 1)}
        if hi <= 4 and lo > -60:
            kinds["math.exp"] = (0, 2.72 ** hi)
        if lo >= 0.05:
            kinds.update({"math.log": (-3, 5), "math.rsqrt": (0.1, 4.5)})
        if lo >= 0:
            kinds.update({"math.sqrt": (0, max(1, hi))})
        op = self.rng.choice(list(kinds))
        return self.step([f"$r = {op} $0 : @0"], [x], self.like(x, *kinds[op]))

    def constant(self, x):
        """A constant like x: one number, or as many as a row has."""
        c = round(self.rng.uniform(0.3, 2), 2)
        rising = "rising " if x.of not in (None, "side") and self.rng.random() < 0.2 else ""
        text = f"{c:e}" if self.is_float(x) else str(int(c * 4))
        return self.step([f"$r = arith.constant {rising}{text} : @{x.dtype}"], [], self.like(x, c, c + 0.7))

    def binary(self):
        x = self.pick(self.is_number)
        if not x:
            return None
        like_x = lambda v: v.of == x.of and v.dtype == x.dtype and v is not x
        y = self.pick(like_x) if self.rng.random() < 0.85 else None
        if not y and x.of is not None and self.rng.random() < 0.5:
            s = self.pick(lambda v: v.of is None and v.dtype == x.dtype)
            y = self.spread(s, x.of) if s else None
        y = y or self.constant(x)
        if not self.is_float(x):
            op = self.rng.choice(("addi", "subi", "muli", "maxsi", "minsi", "xori"))
            return self.step([f"$r = arith.{op} $0, $1 : @0"], [x, y], self.like(x))
        corners = [x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi]
        kinds = {"addf": (x.lo + y.lo, x.hi + y.hi), "subf": (x.lo - y.hi, x.hi - y.lo),
                 "mulf": (min(corners), max(corners)), "maximumf": (max(x.lo, y.lo), max(x.hi, y.hi)),
                 "minimumf": (min(x.lo, y.lo), min(x.hi, y.hi))}
        if y.lo >= 0.1:
            q = [a / b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
            kinds["divf"] = (min(q), max(q))
        op = self.rng.choice(list(kinds))
        return self.step([f"$r = arith.{op} $0, $1 : @0"], [x, y], self.like(x, *kinds[op]))

    def spread(self, s=None, of=None):
        s = s or self.pick(lambda v: v.of is None)
        if of is None:
            of = "side" if self.own is not None else self.rng.randrange(len(self.f.groups))
        if not s:
            return None
        return self.step([f"$r = sinter.broadcast $0 : @0 -> @{s.dtype}"], [s], Val(of, s.dtype, s.lo, s.hi))

    def select(self):
        x = self.pick(self.is_number)
        if not x:
            return None
        y = self.pick(lambda v: v.of == x.of and v.dtype == x.dtype) or x
        c, op = ("1.37e-01", "arith.cmpf ogt") if self.is_float(x) else ("1", "arith.cmpi sgt")
        both = "@0" if x.of is None else "@i1, @0"
        text = [f"%k = arith.constant {c} : @0", f"%c = {op}, $0, %k : @0", f"$r = arith.select %c, $0, $1 : {both}"]
        return self.step(text, [x, y], self.like(x, min(x.lo, y.lo), max(x.hi, y.hi)))

    def row(self, accept=lambda v: True):
        """Where several groups are `?` long, none of constants and broadcasts alone: nobody knows its group."""
        unknown = sum(any(d in self.f.dynamic for d in g) for g in self.f.groups)
        free = {s.result for s in self.steps if s.result and unknown > 1}
        for s in self.steps:
            if s.result in free and (s.result.tied or any(o.of is not None and o not in free for o in s.operands)):
                free.discard(s.result)
        return self.pick(lambda v: v.of is not None and v not in free and accept(v))

    def reduce(self):
        x = self.row(lambda v: self.is_float(v) or v.dtype == "i32")
        if not x:
            return None
        n = 100
        if not self.is_float(x):
            kind = self.rng.choice(("add", "maxsi", "minui", "xor", "mul"))
            return self.step([f"$r = sinter.row_reduce {kind} $0 : @0 -> i32"], [x], Val(None, "i32"))
        wide = x.dtype if x.dtype == "f64" else "f32"
        kind = self.rng.choice(("add", "add", "maximumf", "minimumf", "maxnumf", "region"))
        text = [f"$r = sinter.row_reduce {kind} $0 : @0 -> {wide}"]
        if kind == "region":
            text = [f"%z = arith.constant 0.0 : {wide}",
                    f"$r = sinter.row_reduce $0 init(%z : {wide}) : @0 -> {wide} {{", f"^bb0(%a: {wide}, %b: {wide}):",
                    f"  %s = arith.addf %a, %b : {wide}", f"  sinter.yield %s : {wide}", "}"]
        add = kind in ("add", "region")
        y = self.step(text, [x], Val(None, wide, x.lo * n if add else x.lo, x.hi * n if add else x.hi))
        if not add:  # a row of no elements gives an infinity
            big = self.constant(Val(None, wide))
            y = self.step(["$r = arith.minimumf $0, $1 : @0"], [y, big], Val(None, wide, x.lo, x.hi))
        return y

    def multiply(self, row=None):
        """A row product, by a matrix from the group of this row or of some."""
        ways = [(m, v) for m in self.f.matrices for v in ([row] if row else self.values)
                if v.of == m[0] and self.is_float(v) == (m[3].element in MLIR_FLOATS) and v.dtype != "i64"]
        if not ways:
            return None
        m, v = ways[-1 - min(int(self.rng.expovariate(0.25)), len(ways) - 1)]
        bits = max(BITS[v.dtype], BITS[m[3].element])
        wide = ("f32" if bits <= 32 else "f64") if self.is_float(v) else "i32" if bits <= 32 else "i64"
        y = Val(m[1], wide, -50, 50)
        y.tied = True
        self.step([f"$r = sinter.row_product $0, $1 : @0, @1 -> @{wide}"], [v, m[3]], y)
        return self.tenth(y) if self.is_float(y) else y

    def softmax(self):
        """Exponentials under the row's maximum, masked or not, over their sum or not, and multiplied again: what a
        chain may stream."""
        rng = self.rng
        ways = [g for g in {m[0] for m in self.f.matrices if m[3].element in MLIR_FLOATS}]
        x = self.row(lambda v: v.of in ways and v.dtype in ("f32", "f64"))
        if not x:
            return
        kind = rng.random()
        if kind < 0.25:
            x = self.binary_of("mulf", x, self.constant(x))
        elif kind < 0.6:
            x = self.causal(x, rng.choice(("-3.0", "inf", "inf"))) or x
        most = Val(None, x.dtype, x.lo, x.hi)
        self.step(["$r = sinter.row_reduce maximumf $0 : @0 -> " + x.dtype], [x], most)
        e = Val(x.of, x.dtype, 0, 1)
        self.step([f"%b = sinter.broadcast $1 : @1 -> @{x.dtype}", "%d = arith.subf $0, %b : @0",
                   "$r = math.exp %d : @0"], [x, most], e)
        total = self.step([f"$r = sinter.row_reduce add $0 : @0 -> {x.dtype}"], [e], Val(None, x.dtype, 1, 60))
        p, how = e, rng.random()
        if how < 0.15:
            other = self.pick(lambda v: v.of == x.of and v.dtype == x.dtype and v is not e)
            p = self.binary_of("mulf", e, other or self.constant(e))
        if how < 0.55:
            p = self.step([f"%o = arith.constant 1.0 : {x.dtype}", "%q = arith.divf %o, $1 : @1",
                           f"%b = sinter.broadcast %q : @1 -> @{x.dtype}", "$r = arith.mulf $0, %b : @0"], [p, total],
                          Val(x.of, x.dtype, -5, 5))
        elif how < 0.75:
            p = self.step([f"%b = sinter.broadcast $1 : @1 -> @{x.dtype}", "$r = arith.divf $0, %b : @0"], [p, total],
                          Val(x.of, x.dtype, -5, 5))
        elif how < 0.85:
            self.step(["%l = math.log $0 : @0", "$r = arith.addf %l, $1 : @0"], [total, most],
                      Val(None, x.dtype, -5, 9))
        if self.read in ("bf16", "f16") and rng.random() < 0.6:
            p = self.step([f"$r = arith.truncf $0 : @0 to @{self.read}"], [p], Val(x.of, self.read, p.lo, p.hi))
        for _ in range(rng.choice((1, 1, 2))):
            self.multiply(p)

    def binary_of(self, op, x, y):
        corners = [a * b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
        return self.step([f"$r = arith.{op} $0, $1 : @0"], [x, y], self.like(x, min(corners), max(corners)))

    def tenth(self, y):
        text = ["%k = arith.constant 1.0e-01 : @0", "$r = arith.mulf $0, %k : @0"]
        return self.step(text, [y], self.like(y, -40, 40))

    def position(self):
        dims = [(d, None) for d in self.f.rows]
        if self.own is not None:
            dims += [(d, "side") for d in self.own]
        else:
            dims += [(d, g) for g, ds in enumerate(self.f.groups) for d in ds]
        if not dims:
            return None
        d, of = self.rng.choice(dims)
        t = self.read if self.own is not None else self.wide
        op = "sitofp" if t in MLIR_FLOATS else "trunci"
        y = Val(of, t, 0, 20)
        y.tied = True
        return self.step([f"%p = sinter.index {d} : @index", "%q = arith.index_cast %p : @index to @i64",
                          f"$r = arith.{op} %q : @i64 to @{t}"], [], y)

    def causal(self, x=None, nothing="-3.0"):
        """Nothing where a column is behind a row, as in attention."""
        x = x or self.row(self.is_float)
        if not x or x.of == "side" or not self.f.rows or not self.f.groups[x.of]:
            return None
        i, j = self.rng.choice(self.f.rows), self.rng.choice(self.f.groups[x.of])
        text = [f"%i = sinter.index {i} : index", "%b = sinter.broadcast %i : index -> @index",
                f"%j = sinter.index {j} : @index", "%c = arith.cmpi ule, %j, %b : @index",
                f"%z = arith.constant {INFINITY[x.dtype] if nothing == 'inf' else nothing} : @0",
                "$r = arith.select %c, $0, %z : @i1, @0"]
        return self.step(text, [x], self.like(x, min(x.lo, -3), x.hi))

    def element(self):
        x = self.row(self.is_float)
        t = self.pick(lambda v: v.of is None and v.dtype == "i64")
        t = t or (self.input(None, self.f.rows, "i64") if self.may_add else None)
        if not x or not t or t.of is not None:
            return None
        text = [f"%z = arith.constant 7.5e-01 : {x.dtype}", "$r = sinter.pick $0[$1] else %z : @0, i64"]
        return self.step(text, [x, t], Val(None, x.dtype, min(x.lo, 0.75), max(x.hi, 0.75)))

    def look(self):
        """An element of a table for each element of a row."""
        t = self.pick(lambda v: v.dtype == "i64")
        if not t or not self.may_add or self.read not in MLIR_FLOATS:
            return None
        table = Val("table", self.read)
        self.f.inputs.append((Access([("table", None, self.rng.choice((3, 8)))], self.read), table, None))
        text = [f"%z = arith.constant 2.5e-01 : {self.read}",
                f"$r = sinter.gather $0[$1] else %z : @0, @1 -> @{self.read}"]
        return self.step(text, [table, t], Val(t.of, self.read))

    def cast(self):
        x = self.pick(lambda v: True)
        if not x:
            return None
        to = self.read if self.own is not None else self.wide
        if self.is_float(x):
            to = self.rng.choice([u for u in ("f32", "f64", "f32", self.read, self.wide)
                                  if u in MLIR_FLOATS and BITS[u] != BITS[x.dtype]] or [x.dtype])
            op = "extf" if BITS[to] > BITS[x.dtype] else "truncf"
        elif to in MLIR_FLOATS:
            op = "sitofp"
        else:
            op = "extsi" if BITS[to] > BITS[x.dtype] else "trunci"
        if to not in MLIR_FLOATS and BITS[to] == BITS[x.dtype] or to == x.dtype:
            return None
        return self.step([f"$r = arith.{op} $0 : @0 to @{to}"], [x], Val(x.of, to, x.lo, x.hi))

    def check(self):
        """An assert that holds, or one that fails for some programs."""
        t = self.pick(lambda v: v.of is None and v.dtype == "i64")
        if t and self.rng.random() < 0.7:
            bound = 1 << 40 if self.rng.random() < 0.85 else 6
            return self.step([f"%k = arith.constant {bound} : i64", "%c = arith.cmpi slt, $0, %k : i64",
                              'cf.assert %c, "below"'], [t], None)
        x = self.pick(lambda v: v.of is None and v.dtype in ("f32", "f64"))
        if not x:
            return None
        return self.step(["%k = arith.constant 1.0e+30 : @0", "%c = arith.cmpf ult, $0, %k : @0",
                          'cf.assert %c, "large"'], [x], None)

    def stop(self):
        x = self.pick(self.is_float)
        return self.step(["$r = sinter.detach $0 : @0"], [x], self.like(x, x.lo, x.hi)) if x else None

    def some_steps(self, n, kinds):
        for _ in range(n):
            self.rng.choice(kinds)()

    # ---- a form --------------------------------------------------------------------------------

    def form(self):
        rng, f = self.rng, self.f
        self.steps, self.may_add, self.own = f.steps, True, None
        wide = self.wide
        # Rows of one side, columns of the other, which the last row dimension does not use: a CPU makes one kernel.
        one_kernel = rng.random() < 0.65
        for p in range(rng.choice((0, 1, 1, 1, 2, 3))):
            own = ["kr", "ls", "mt"][p][:rng.choice((1, 1, 1, 1, 1, 2))]
            own = list(own)
            for d in own:
                f.sizes[d] = rng.choices(SIZES, WEIGHTS)[0]
                if f.dynamic and rng.random() < 0.3:
                    f.dynamic.add(d)
            g = rng.randrange(len(f.groups))
            shared = self.some(f.rows[:-1] if one_kernel else f.rows, 0.3)
            left, right = self.some(f.rows, 0.8), shared
            if not one_kernel and rng.random() < 0.2:
                left, right = right, left
            both = not one_kernel and rng.random() < 0.15
            cols = f.groups[g]
            x = self.side(left, self.some(cols, 0.5) if both else [], own, self.read, wide)
            y = self.side(right, cols, own, self.read, wide)
            if rng.random() < 0.3:
                x, y = y, x
            v = Val(g, wide, -400.0, 400.0)
            if not any(d in cols for s in (x, y) for a in s.accesses for d in self.dims(a)):
                v.of = 0
            f.products.append((own, x, y, wide, v))
            if wide in MLIR_FLOATS:
                self.values.append(v)
                self.tenth(v)
            else:
                self.values.append(v)
        if len(f.groups) > 1:
            for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
                start, end = rng.sample(range(len(f.groups)), 2)
                if f.products and not f.matrices:
                    start = f.products[0][4].of
                    end = rng.choice([g for g in range(len(f.groups)) if g != start])
                elif f.matrices and rng.random() < 0.6 and f.matrices[-1][1] != start:
                    start = f.matrices[-1][1]
                    end = rng.choice([g for g in range(len(f.groups)) if g != start])
                cols = f.groups[end] if one_kernel or rng.random() < 0.75 else self.some(f.groups[end], 0.5)
                v = Val("matrix", "matrix")
                known = self.some(f.rows[:-1] if one_kernel else f.rows, 0.4)
                side = self.side(known, cols, f.groups[start], self.read)
                v.element = side.result.dtype if side.steps else side.accesses[0].dtype
                f.matrices.append((start, end, side, v))
                v.shown = "?"
        for _ in range(rng.choice((0, 1, 2) if f.products else (1, 2, 3))):
            self.input(0 if f.products or not f.matrices else f.matrices[0][0])
        while not any(v.dtype == wide and v.of is not None for v in self.values):
            self.spread(self.constant(Val(None, wide)))
        kinds = [self.unary, self.unary, self.binary, self.binary, self.select, self.reduce, self.reduce, self.spread,
                 self.position, self.causal, self.element, self.cast, self.look, self.stop] + [self.multiply] * 4
        steps = (1, 2, 3, 4, 6, 8, 12)
        if rng.random() < 0.5:
            self.softmax()
            steps = (0, 0, 1, 2, 4, 8)
        for _ in range(rng.choice(steps)):
            rng.choice(kinds)()
            if rng.random() < 0.03:
                self.check()
        self.may_add = False
        self.results()
        used = set(f.rows) | {d for g in f.groups for d in g} | {d for p in f.products for d in p[0]}
        f.sizes = {d: n for d, n in f.sizes.items() if d in used}
        f.dynamic &= used
        return f

    def dims(self, a):
        return {d for s in a.subscripts for d in s[1:] if isinstance(d, str)}

    def results(self):
        rng, f = self.rng, self.f
        # A row of a group without columns is no result: a scalar is.
        body = [v for v in self.values if v.of is None or v.of not in ("matrix", "table") and f.groups[v.of]]
        if not body:
            body = [self.constant(Val(None, self.wide))]
        late = lambda: rng.choice(body[-5:]) if rng.random() < 0.8 else rng.choice(body)
        for _ in range(rng.choice((0, 1, 1, 2, 3) if f.rows else (1, 2, 3))):
            v = late()
            subscripts = f.rows + (f.groups[v.of] if v.of is not None else [])
            if rng.random() < 0.3:
                rng.shuffle(subscripts)
            if rng.random() < 0.1:
                subscripts.insert(rng.randint(0, len(subscripts)), "0")
            f.plain.append((subscripts, v))
        if not f.rows:
            return  # nothing is reduced over no rows
        for _ in range(rng.choice((0, 0, 1, 2)) if f.plain else rng.choice((1, 2))):
            v = late()
            if v.dtype not in ("f32", "f64", "i32"):
                continue
            floats = ("add", "add", "maximumf", "minimumf", "maxnumf")
            kind = rng.choice(floats if self.is_float(v) else ("add", "maxsi", "minui", "or"))
            n = 200
            lo, hi = (v.lo * n, v.hi * n) if kind == "add" else (v.lo, v.hi)
            f.accumulators.append((kind, v, Val(v.of, v.dtype, lo, hi)))
        if not f.accumulators:
            if not f.plain:
                v = body[-1]
                f.plain.append((f.rows + (f.groups[v.of] if v.of is not None else []), v))
            return
        if rng.random() < 0.4:
            f.reduced = [(None, i) for i in range(len(f.accumulators))]
            return
        f.finish = self.steps = []
        self.values = [a[2] for a in f.accumulators] + [x for _, _, x in f.inputs if x]
        kinds = [self.unary, self.binary, self.binary, self.select, self.reduce, self.spread]
        self.some_steps(rng.choice((0, 1, 2, 4)), kinds)
        for _ in range(rng.choice((1, 1, 2))):
            found = [v for v in self.values if v.of is None or f.groups[v.of]]
            f.reduced.append((rng.choice(found[-4:]), 0))


def chains(seed):
    return Generator(seed).form()
