"""Random programs written in kernel forms: sinter.rowwise and sinter.contract with every kind of access.

Such accesses (offset, stride, reversed, padded, split, indirect), several columns and finish regions are rarely reached
from `linalg`. A seed gives the same program each time.
"""

import random

from program import MLIR_FLOATS, number

SIZES = (1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 33)
LABELS = 8  # random labels are in [0, LABELS)


class Val:
    def __init__(self, row, dtype, lo=-5.0, hi=5.0):
        self.row, self.dtype, self.lo, self.hi = row, dtype, lo, hi
        self.name = "?"


class Step:
    """One operation of a region: text(operand names, form, result type) -> lines."""

    def __init__(self, text, operands, result):
        self.text, self.operands, self.result = text, list(operands), result


class Access:
    """subscripts: (kind, dimension, ...) each; the operand's sizes follow from them."""

    def __init__(self, subscripts, dtype, fill=None):
        self.subscripts, self.dtype, self.fill = subscripts, dtype, fill

    def dims(self):
        return {d for s in self.subscripts for d in s[1:] if isinstance(d, str)}

    def expand(self, sizes):
        """[(text, extent)] of the operand's dimensions; text None: an index tensor over these dimensions."""
        out = []
        for s in self.subscripts:
            kind = s[0]
            n = sizes[s[1]] if len(s) > 1 else 1
            if kind == "zero":
                out.append(("0", 1))
            elif kind == "dim":
                out.append((s[1], n))
            elif kind == "stride":
                out.append((f"{s[1]} * {s[2]} + {s[3]}", (n - 1) * s[2] + s[3] + 1))
            elif kind == "reverse":
                out.append((f"{n - 1} - {s[1]}", n))
            elif kind == "pad":
                out.append((f"{s[1]} * {s[2]} - {s[3]}", n))
            elif kind == "sum":
                out.append((f"{s[1]} + {s[2]}", n + sizes[s[2]] - 1))
            elif kind == "join":
                out.append((f"{s[1]} * {sizes[s[2]]} + {s[2]}", n * sizes[s[2]]))
            elif kind == "split":
                out.append((f"{s[1]} floordiv {s[2]}", -(-n // s[2])))
                out.append((f"{s[1]} mod {s[2]}", s[2]))
            else:
                out.append((None, LABELS if self.fill is None else LABELS - 3))
        return out


class Form:
    def __init__(self, sizes, rows, cols):
        self.sizes, self.rows, self.cols = dict(sizes), list(rows), list(cols)
        self.products = []      # (own dimension, Access, Access, type, Val)
        self.inputs = []        # (Access, Val, Val of finish or None)
        self.steps = []
        self.accumulators = []  # (kind, keeps columns, Val yielded, Val of finish)
        self.reduced = []       # (keeps columns, Val of finish yielded, accumulator without finish)
        self.plain = []         # (subscripts, Val)
        self.finish = None      # steps

    def copy(self):
        other = Form(self.sizes, self.rows, self.cols)
        for name in ("products", "inputs", "steps", "accumulators", "reduced", "plain"):
            setattr(other, name, list(getattr(self, name)))
        other.finish = None if self.finish is None else list(self.finish)
        return other

    @property
    def ops(self):
        return self.steps or [None]

    # ---- text ----------------------------------------------------------------------------

    def columns(self):
        n = 1
        for c in self.cols:
            n *= self.sizes[c]
        return n

    def type(self, v):
        return f"tensor<{self.columns()}x{v.dtype}>" if v.row else v.dtype

    def text(self):
        arguments, empties = [], {}

        def argument(shape, dtype):
            t = "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"
            arguments.append(f"%arg{len(arguments)}: {t}")
            return f"%arg{len(arguments) - 1}", t

        def access(a):
            parts, shape = [], []
            for (text, extent), s in zip(a.expand(self.sizes),
                                         [s for s in a.subscripts for _ in range(2 if s[0] == "split" else 1)]):
                if text is None:
                    over = s[1:]
                    name, t = argument([self.sizes[d] for d in over], "i64")
                    text = f"{name}[{', '.join(over)}] : {t}"
                parts.append(text)
                shape.append(extent)
            name, t = argument(shape, a.dtype)
            return f"{name}[{', '.join(parts)}] : {t}" + ("" if a.fill is None else f" else {number(a.fill, a.dtype)}")

        def region(steps, count):
            lines = []
            for step in steps:
                step.result.name = f"%v{count[0]}"
                count[0] += 1
                lines += ["    " + l for l in step.text([o.name for o in step.operands], self, step.result.name,
                                                        self.type(step.result))]
            return lines

        d = lambda names: ", ".join(f"{n} = {self.sizes[n]}" for n in names)
        head = f"sinter.{'contract' if self.products else 'rowwise'} ({d(self.rows)}) by ({d(self.cols)})"
        lines = [head]
        args = []
        for k, a, b, t, v in self.products:
            lines.append(f"      product ({k} = {self.sizes[k]}) ({access(a)}, {access(b)}) : {t}")
            v.name = f"%p{len(args)}"
            args.append(v)
        if self.inputs:
            lines.append("      ins(" + ", ".join(access(a) for a, _, _ in self.inputs) + ")")
        for _, v, _ in self.inputs:
            v.name = f"%p{len(args)}"
            args.append(v)
        keep = lambda yes: ", ".join(self.cols) if yes else ""
        if self.accumulators:
            lines.append("      reduce(" + ", ".join(f"{k} [{keep(c)}] : {v.dtype}"
                                                     for k, c, v, _ in self.accumulators) + ")")
        outs, types = [], []

        def out(subscripts, dtype):
            t = "tensor<" + "".join(f"{1 if s == '0' else self.sizes[s]}x" for s in subscripts) + dtype + ">"
            empties.setdefault(t, f"%e{len(empties)}")
            outs.append(f"{empties[t]}[{', '.join(subscripts)}] : {t}")
            types.append(t)

        finals = [v for _, v, _ in self.reduced] if self.finish is not None else [self.accumulators[i][2]
            for _, _, i in self.reduced]
        for (cols, _, _), v in zip(self.reduced, finals):
            out(self.cols if cols else [], v.dtype)
        for subscripts, v in self.plain:
            out(subscripts, v.dtype)
        lines.append("      outs(" + ", ".join(outs) + ") {")
        lines.append("  ^row(" + ", ".join(f"{v.name}: {self.type(v)}" for v in args) + "):" if args else "  ^row:")
        count = [0]
        lines += region(self.steps, count)
        yielded = [v for _, _, v, _ in self.accumulators] + [v for _, v in self.plain]
        lines.append("    sinter.yield" +
                     (f" {', '.join(v.name for v in yielded)} : {', '.join(self.type(v) for v in yielded)}" if yielded
                      else ""))
        if self.finish is not None:
            args = [f for _, _, _, f in self.accumulators] + [f for _, _, f in self.inputs if f]
            for i, v in enumerate(args):
                v.name = f"%f{i}"
            lines.append("  } finish {")
            lines.append("  ^done(" + ", ".join(f"{v.name}: {self.type(v)}" for v in args) + "):" if args
                         else "  ^done:")
            lines += region(self.finish, count)
            lines.append(
                f"    sinter.yield {', '.join(v.name for v in finals)} : {', '.join(self.type(v) for v in finals)}"
                if finals
                else "    sinter.yield"
            )
        lines.append("  }")
        n = len(types)
        result = ", ".join(f"%r#{i}" for i in range(n)) if n > 1 else "%r"
        text = f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n"
        text += "".join(f"  {name} = tensor.empty() : {t}\n" for t, name in empties.items())
        text += f"  %r{f':{n}' if n > 1 else ''} = " + "\n".join(
            lines) + f"\n  return {result} : {', '.join(types)}\n}}\n"
        return text

    # ---- smaller ones ------------------------------------------------------------------------

    def smaller(self):
        for which in ("reduced", "plain"):
            for i in range(len(getattr(self, which))):
                if len(self.reduced) + len(self.plain) > 1:
                    q = self.copy()
                    del getattr(q, which)[i]
                    if self.finish is None and which == "reduced":  # its accumulator goes too
                        j = self.reduced[i][2]
                        del q.accumulators[j]
                        q.reduced = [(c, v, k - (k > j)) for c, v, k in q.reduced]
                    yield q.drop_dead()
        q = self.copy().drop_dead()
        if len(q.steps) + len(q.inputs) + len(q.accumulators) < len(self.steps) + len(self.inputs) + len(
            self.accumulators):
            yield q
        for which in ("steps", "finish"):
            for i in range(len(getattr(self, which) or ()) - 1, -1, -1):
                step = getattr(self, which)[i]
                sources = list(step.operands)
                if which == "steps":
                    sources += [v for _, v, _ in self.inputs] + [p[4] for p in self.products]
                for o in dict.fromkeys(sources):
                    if o.row == step.result.row and o.dtype == step.result.dtype:
                        q = self.copy()
                        del getattr(q, which)[i]
                        yield q.replace(step.result, o).drop_dead()
        for i, (a, v, f) in enumerate(self.inputs):
            for j, s in enumerate(a.subscripts):
                simple = ("dim", s[1]) if len(s) > 1 else None
                if simple and s != simple and s[0] not in ("sum", "join"):
                    q = self.copy()
                    q.inputs[i] = (Access(a.subscripts[:j] + [simple] + a.subscripts[j + 1:], a.dtype, a.fill), v, f)
                    yield q
            if a.fill is not None and not any(s[0] in ("pad", "through") for s in a.subscripts):
                q = self.copy()
                q.inputs[i] = (Access(a.subscripts, a.dtype), v, f)
                yield q
        for name, size in self.sizes.items():
            for n in dict.fromkeys((1, 2, 3, size // 2)):
                if 0 < n < size:
                    q = self.copy()
                    q.sizes[name] = n
                    yield q

    def replace(self, old, new):
        r = lambda v: new if v is old else v
        self.steps = [Step(s.text, [r(o) for o in s.operands], s.result) for s in self.steps]
        if self.finish is not None:
            self.finish = [Step(s.text, [r(o) for o in s.operands], s.result) for s in self.finish]
        self.accumulators = [(k, c, r(v), f) for k, c, v, f in self.accumulators]
        self.reduced = [(c, r(v), i) for c, v, i in self.reduced]
        self.plain = [(s, r(v)) for s, v in self.plain]
        return self

    def drop_dead(self):
        live = {v for _, v in self.plain}
        if self.finish is not None:
            final = {v for _, v, _ in self.reduced}
            for s in reversed(self.finish):
                if s.result in final:
                    final |= set(s.operands)
            self.finish = [s for s in self.finish if s.result in final]
            self.accumulators = [a for a in self.accumulators if a[3] in final]
        else:
            final = set()
        live |= {v for _, _, v, _ in self.accumulators}
        for s in reversed(self.steps):
            if s.result in live:
                live |= set(s.operands)
        self.steps = [s for s in self.steps if s.result in live]
        self.inputs = [i for i in self.inputs if i[1] in live or i[2] in final]
        used = [p for p in self.products if p[4] in live]
        if used:
            self.products = used
        return self


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed * 2 + 1)
        rng = self.rng
        self.contract = rng.random() < 0.25
        rows = ["i", "n"][:rng.choice((0, 1, 1, 1, 2))]
        cols = ["j", "c", "w"][:rng.choice((0, 1, 1, 1, 2, 2, 3))]
        if self.contract:
            rows, cols = ["i", "n"][:rng.choice((1, 1, 2))], ["j", "c"][:rng.choice((1, 1, 1, 2))]
        sizes = {d: rng.choice(SIZES) for d in rows + cols + ["k", "l"]}
        while rows and len(rows + cols) > 3 and max(sizes.values()) > 8:
            sizes[max(sizes, key=sizes.get)] = rng.choice((1, 2, 3, 5))
        if rng.random() < 0.15 and rows:
            sizes[rows[0]] = rng.choice((65, 257, 300))
        self.f = Form(sizes, rows, cols)
        self.dtype = rng.choice(("f32", "f32", "f32", "f64", "bf16"))
        self.values = []

    # ---- accesses -------------------------------------------------------------------------

    def access(self, dims, dtype, plain=False):
        rng, subscripts, fill = self.rng, [], None
        dims = list(dims)
        rng.shuffle(dims)
        while dims:
            d = dims.pop()
            kind = "dim" if plain else rng.choice(("dim",) * 8 + ("stride", "reverse", "pad", "split", "sum",
                "join", "through"))
            if kind in ("sum", "join") and not dims:
                kind = "dim"
            if kind == "stride":
                subscripts.append((kind, d, rng.choice((1, 2, 3)), rng.randint(0, 3)))
            elif kind == "pad":
                subscripts.append((kind, d, rng.choice((1, 1, 2)), rng.randint(-2, 2)))
                fill = rng.choice((0.0, 0.5))
            elif kind == "split":
                subscripts.append((kind, d, rng.choice((2, 3, 4))))
            elif kind in ("sum", "join"):
                subscripts.append((kind, d, dims.pop()))
            elif kind == "through":
                subscripts.append((kind, d))
                if rng.random() < 0.4:
                    fill = 0.25
            else:
                subscripts.append((kind, d))
        if not plain and rng.random() < 0.1:
            subscripts.insert(rng.randint(0, len(subscripts)), ("zero",))
        if not plain and rng.random() < 0.05:
            fill = 0.5
        return Access(subscripts, dtype, fill if fill is None or dtype in MLIR_FLOATS else int(fill * 4))

    def input(self, dims=None, dtype=None):
        rng, f = self.rng, self.f
        if dims is None:
            all_dims = f.rows + f.cols
            dims = [d for d in all_dims if rng.random() < 0.75]
            if rng.random() < 0.4:
                dims = all_dims
        dtype = dtype or (self.dtype if rng.random() < 0.8 else rng.choice(("f32", "i64")))
        a = self.access(dims, dtype)
        lo, hi = (0, LABELS) if dtype == "i64" else (-5.0, 5.0)
        v = Val(any(d in f.cols for d in dims), dtype, lo, hi)
        final = Val(False, dtype, lo, hi) if not a.dims() else None
        f.inputs.append((a, v, final))
        self.values.append(v)
        return v

    # ---- steps ------------------------------------------------------------------------------

    def pick(self, accept):
        found = [v for v in self.values if accept(v)]
        return found[-1 - min(int(self.rng.expovariate(0.35)), len(found) - 1)] if found else None

    def step(self, text, operands, result):
        self.steps.append(Step(text, operands, result))
        self.values.append(result)
        if result.dtype in MLIR_FLOATS and max(abs(result.lo), abs(result.hi)) > 60:
            return self.step(lambda o, f, r, t: [f"{r} = math.tanh {o[0]} : {t}"], [result],
                             Val(result.row, result.dtype, -1, 1))
        return result

    def is_float(self, v):
        return v.dtype in MLIR_FLOATS

    def unary(self, finish=False):
        x = self.pick(self.is_float)
        if not x:
            return
        lo, hi = x.lo, x.hi
        big = max(abs(lo), abs(hi))
        kinds = {"arith.negf": (-hi, -lo), "math.absf": (0, big), "math.tanh": (-1, 1), "math.erf": (-1, 1),
                 "math.sin": (-1, 1)}
        if hi <= 4 and lo > -60:
            kinds["math.exp"] = (0, 2.72 ** hi)
        if lo >= 0.05:
            kinds.update({"math.log": (-3, 5), "math.rsqrt": (0.1, 4.5)})
        if lo >= 0:
            kinds.update({"math.sqrt": (0, max(1, hi)), "math.log1p": (0, hi)})
        op = self.rng.choice(list(kinds))
        self.step(lambda o, f, r, t: [f"{r} = {op} {o[0]} : {t}"], [x], Val(x.row, x.dtype, *kinds[op]))

    def constant(self, row, dtype):
        x = round(self.rng.uniform(0.3, 2), 2)
        text = lambda f, t: f"dense<{x:e}> : {t}" if row else f"{x:e} : {t}"
        return self.step(lambda o, f, r, t: [f"{r} = arith.constant {text(f, t)}"], [], Val(row, dtype, x, x))

    def binary(self):
        x = self.pick(self.is_float)
        if not x:
            return
        y = self.pick(lambda v: v.row == x.row and v.dtype == x.dtype
                      and v is not x) if self.rng.random() < 0.85 else None
        if not y and x.row and self.rng.random() < 0.5:
            s = self.pick(lambda v: not v.row and v.dtype == x.dtype)
            y = self.spread(s) if s else None
        y = y or self.constant(x.row, x.dtype)
        corners = [x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi]
        kinds = {"addf": (x.lo + y.lo, x.hi + y.hi), "subf": (x.lo - y.hi, x.hi - y.lo),
                 "mulf": (min(corners), max(corners)),
                 "maximumf": (max(x.lo, y.lo), max(x.hi, y.hi)), "minimumf": (min(x.lo, y.lo), min(x.hi, y.hi))}
        if y.lo >= 0.1:
            q = [a / b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
            kinds["divf"] = (min(q), max(q))
        op = self.rng.choice(list(kinds))
        self.step(lambda o, f, r, t: [f"{r} = arith.{op} {o[0]}, {o[1]} : {t}"], [x, y],
                  Val(x.row, x.dtype, *kinds[op]))

    def spread(self, s=None):
        s = s or self.pick(lambda v: not v.row)
        if s and self.f.cols:
            return self.step(lambda o, f, r, t: [f"{r} = sinter.broadcast {o[0]} : {s.dtype} -> {t}"], [s],
                             Val(True, s.dtype, s.lo, s.hi))
        return None

    def select(self):
        x = self.pick(self.is_float)
        if not x:
            return
        y = self.pick(lambda v: v.row == x.row and v.dtype == x.dtype) or x

        def text(o, f, r, t):
            mask = f"tensor<{f.columns()}xi1>" if x.row else None
            k = f"dense<1.37e-01> : {t}" if x.row else f"1.37e-01 : {t}"
            return [f"{r}k = arith.constant {k}", f"{r}c = arith.cmpf ogt, {o[0]}, {r}k : {t}",
                    f"{r} = arith.select {r}c, {o[0]}, {o[1]} : " + (f"{mask}, {t}" if x.row else t)]
        self.step(text, [x, y], Val(x.row, x.dtype, min(x.lo, y.lo), max(x.hi, y.hi)))

    def reduce(self):
        x = self.pick(lambda v: v.row and self.is_float(v))
        if not x:
            return
        n = self.f.columns()
        wide = "f32" if x.dtype == "bf16" else x.dtype
        kind = self.rng.choice(("add", "add", "maximumf", "minimumf", "maxnumf", "region"))
        if kind == "region":
            text = lambda o, f, r, t: [f"{r}z = arith.constant 0.0 : {t}",
                                       f"{r} = sinter.row_reduce {o[0]} init({r}z : {t}) : {f.type(x)} -> {t} {{",
                                       f"^bb0(%a: {t}, %b: {t}):", f"  %s = arith.addf %a, %b : {t}",
                                       f"  sinter.yield %s : {t}", "}"]
        else:
            text = lambda o, f, r, t: [f"{r} = sinter.row_reduce {kind} {o[0]} : {f.type(x)} -> {t}"]
        add = kind in ("add", "region")
        self.step(text, [x], Val(False, wide, x.lo * n if add else x.lo, x.hi * n if add else x.hi))

    def position(self):
        d = self.rng.choice(self.f.rows + self.f.cols) if self.f.rows + self.f.cols else None
        if not d:
            return
        row = d in self.f.cols
        t = self.dtype

        def text(o, f, r, rt):
            w = lambda e: f"tensor<{f.columns()}x{e}>" if row else e
            return [f"{r}p = sinter.index {d} : {w('index')}",
                    f"{r}q = arith.index_cast {r}p : {w('index')} to {w('i64')}",
                    f"{r}s = arith.sitofp {r}q : {w('i64')} to {rt}", f"{r} = math.sin {r}s : {rt}"]
        self.step(text, [], Val(row, t, -1, 1))

    def element(self):
        x = self.pick(lambda v: v.row and self.is_float(v))
        t = self.pick(lambda v: not v.row and v.dtype == "i64") or (self.input(self.f.rows,
            "i64") if self.may_add else None)
        if not x or not t or t.row:
            return
        self.step(lambda o, f, r, rt: [f"{r}z = arith.constant 7.5e-01 : {rt}",
                                       f"{r} = sinter.pick {o[0]}[{o[1]}] else {r}z : {f.type(x)}, i64"],
                  [x, t], Val(False, x.dtype, min(x.lo, 0.75), max(x.hi, 0.75)))

    def cast(self):
        x = self.pick(lambda v: True)
        if not x:
            return
        if x.dtype == "i64":
            return self.step(lambda o, f, r, t: [f"{r} = arith.sitofp {o[0]} : {f.type(x)} to {t}"], [x],
                             Val(x.row, self.dtype, x.lo, x.hi))
        bits = {"bf16": 16, "f32": 32, "f64": 64}
        u = self.rng.choice([u for u in ("f32", "f64", "f32", self.dtype) if u != x.dtype] or ["f64"])
        op = "extf" if bits[u] > bits[x.dtype] else "truncf"
        self.step(lambda o, f, r, t: [f"{r} = arith.{op} {o[0]} : {f.type(x)} to {t}"], [x], Val(x.row, u, x.lo, x.hi))

    def some_steps(self, n, kinds):
        for _ in range(n):
            self.rng.choice(kinds)()

    # ---- a form --------------------------------------------------------------------------------

    def form(self):
        rng, f = self.rng, self.f
        self.steps, self.may_add = f.steps, True
        if self.contract:
            for k in ["k", "l"][:rng.choice((1, 1, 1, 2))]:
                t = self.dtype if self.dtype != "f64" or rng.random() < 0.5 else "f32"
                batch = f.rows[1:]
                a = self.access(batch + f.rows[:1] + [k], t, plain=rng.random() < 0.7)
                b = self.access((batch if rng.random() < 0.5 else []) + f.cols + [k], t, plain=rng.random() < 0.7)
                wide = "f32" if t == "bf16" else t
                v = Val(True, wide, -400.0, 400.0)
                f.products.append((k, a, b, wide, v))
                self.step(lambda o, f, r, t: [f"{r}k = arith.constant dense<1.0e-01> : {t}",
                                              f"{r} = arith.mulf {o[0]}, {r}k : {t}"], [v],
                          Val(True, wide, -40, 40))
            for _ in range(rng.choice((0, 1, 2))):
                self.input()
        else:
            for _ in range(rng.choice((1, 2, 3))):
                self.input()
        kinds = [self.unary, self.unary, self.binary, self.binary, self.binary, self.select, self.reduce, self.reduce,
                 self.spread, self.position,
                 self.element, self.cast]
        self.some_steps(rng.choice((1, 2, 4, 7, 10)), kinds)
        self.may_add = False
        while not any(map(self.is_float, self.values)):
            self.cast()
        self.results()
        used = f.rows + f.cols
        f.sizes = {d: n for d, n in f.sizes.items() if d in used or any(p[0] == d for p in f.products)}
        return f

    def results(self):
        rng, f = self.rng, self.f
        body = list(self.values)
        for _ in range(rng.choice((0, 1, 1, 2) if f.rows else (1, 2))):
            v = rng.choice(body[-4:])
            subscripts = f.rows + (f.cols if v.row else [])
            if rng.random() < 0.4:
                rng.shuffle(subscripts)
            if rng.random() < 0.15:
                subscripts.insert(rng.randint(0, len(subscripts)), "0")
            f.plain.append((subscripts, v))
        if not f.rows:
            return  # nothing is reduced over no rows
        wanted = rng.choice((0, 1, 1, 2)) if f.plain else rng.choice((1, 2))
        rows = 1
        for r in f.rows:
            rows *= f.sizes[r]
        for _ in range(wanted):
            v = rng.choice([v for v in body if self.is_float(v)][-4:])
            kind = rng.choice(("add", "add", "maximumf", "minimumf", "maxnumf"))
            lo, hi = (v.lo * rows, v.hi * rows) if kind == "add" else (v.lo, v.hi)
            f.accumulators.append((kind, v.row, v, Val(v.row, v.dtype, lo, hi)))
        if not f.accumulators:
            return
        if rng.random() < 0.5:
            f.reduced = [(c, None, i) for i, (_, c, _, _) in enumerate(f.accumulators)]
            return
        f.finish = self.steps = []
        self.values = [a[3] for a in f.accumulators] + [x for _, _, x in f.inputs if x]
        self.some_steps(rng.choice((0, 1, 2, 4)), [self.unary, self.binary, self.binary, self.select, self.reduce,
                                                   self.spread])
        finals = [v for v in self.values if self.is_float(v)]
        for _ in range(rng.choice((1, 1, 2))):
            v = rng.choice(finals[-3:])
            f.reduced.append((v.row, v, 0))


def forms(seed):
    return Generator(seed).form()
