"""What docs/row-programs.md says of sinter.rowwise and sinter.contract, on arrays.

Every value of a body is an array with one axis for each dimension of the form, of size 1 where it does not depend on
it. So a row is an array over row dimensions and over the columns of its group, and a row times a matrix a sum over the
columns of another.
"""

import re

import numpy as np

from . import scalars
from .evaluate import COMBINERS, Unsure, check, constant, integers, scalar, sum_of, take
from .parse import split
from .scalars import FLOATS, INF, Number, width

UNKNOWN = -(1 << 63)
KINDS = {"add": ("arith.addf", "arith.addi"), "mul": ("arith.mulf", "arith.muli")}
IDENTITIES = {"add": 0, "mul": 1, "maximumf": -INF, "maxnumf": -INF, "minimumf": INF, "minnumf": INF, "or": 0, "xor": 0,
              "and": -1, "maxui": 0, "minui": -1}


def wider(x, type, is_unsigned=False):
    """The same in a type that holds it: what a reduction or a product does to its elements first."""
    if x.type == type:
        return x
    if type in FLOATS:
        return Number(x.v, type, x.e)
    if is_unsigned or x.type == "i1":
        return Number(x.v & ((1 << width(x.type)) - 1), type, x.e)
    return Number(x.v, type, x.e)


def combiner(kind, type):
    name = KINDS[kind][type not in FLOATS] if kind in KINDS else f"arith.{kind}{'i' * (kind in ('and', 'or', 'xor'))}"
    identity = IDENTITIES.get(kind)
    if identity is None:
        identity = -(1 << (width(type) - 1)) if kind == "maxsi" else (1 << (width(type) - 1)) - 1
    return COMBINERS[name], identity


def text_of(attribute):
    return attribute.strip('"')


def affine(text):
    """The names of its dimensions and symbols, and its results as Python's expressions."""
    m = re.match(r"affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>$", text)
    if "ceildiv" in m[3]:
        raise ValueError("no ceildiv in a subscript")
    names = lambda s: [d for d in (s or "").split(", ") if d]
    return names(m[1]), names(m[2]), [r.replace("floordiv", "//").replace(" mod ", " % ") for r in split(m[3])]


class Access:
    def __init__(self, operand, text, fill, through):
        self.operand, self.fill, self.through = operand, fill, through
        self.dims, self.symbols, self.results = affine(text)
        self.table = bool(self.symbols) and not through

    def plain(self):
        """(dimension of the form, dimension of the operand) for each plain subscript."""
        return [(self.dims.index(r), i) for i, r in enumerate(self.results) if r in self.dims]


class Form:
    def __init__(self, op, values):
        self.op = op
        lists = lambda key: split(op.attributes[key][1:-1]) if key in op.attributes else []
        numbers = lambda key: integers(op.attributes[key]) if key in op.attributes else []
        one = lambda key: int(op.attributes[key].split()[0])
        self.names = [text_of(n) for n in lists("dims")]
        self.num_rows = one("num_rows")
        columns = one("num_cols")
        first, self.groups = self.num_rows, []
        for n in numbers("groups") or [columns]:
            self.groups.append(range(first, first + n))
            first += n
        self.own = []
        for n in numbers("product_dims"):
            self.own.append(range(first, first + n))
            first += n
        self.product_types = lists("product_types")
        ends = numbers("matrices")
        self.matrices = list(zip(ends[::2], ends[1::2]))
        inputs, indices, _ = numbers("operandSegmentSizes")
        maps, fills, through = lists("maps"), lists("fills"), lists("indirect")
        operands = [values[o] for o in op.operands]
        accesses = []
        for k, x in enumerate(operands):
            fill = constant(fills[k]) if k < inputs and fills and fills[k] != "unit" else None
            goes = integers(through[k]) if k < inputs and through else []
            accesses.append(Access(x, maps[k], fill, goes))
        self.inputs, self.indices = accesses[:inputs], accesses[inputs:inputs + indices]
        self.outputs = accesses[inputs + indices:]
        self.sizes = numbers("sizes")
        for a in accesses:
            for d, i in a.plain() if a.fill is None else ():
                if self.sizes[d] == UNKNOWN:
                    self.sizes[d] = a.operand.v.shape[i]
        rank = len(self.names)
        axis = lambda d: [self.sizes[d] if e == d else 1 for e in range(rank)]
        self.at = [np.arange(n).reshape(axis(d)) for d, n in enumerate(self.sizes)]
        sides = 2 * len(self.own) + len(self.matrices)
        self.sides, first = [], 0
        for k, n in enumerate(numbers("side_sizes") or [1] * sides):
            program = op.blocks[2 + k] if len(op.blocks) > 2 and op.blocks[2 + k].operations else None
            self.sides.append((self.inputs[first:first + n], program))
            first += n
        self.others = self.inputs[first:]
        kinds, types = [text_of(k) for k in lists("accumulators")], lists("accumulator_types")
        kept = [self.group_of(affine(m)) for m in lists("accumulator_maps")]
        self.accumulators = list(zip(kinds, kept, types))

    def group_of(self, parsed):
        """The group whose columns the map uses; None if it uses none."""
        used = [d for d, name in enumerate(parsed[0]) if any(re.search(rf"\b{name}\b", r) for r in parsed[2])]
        return next((g for g, dims in enumerate(self.groups) if any(d in dims for d in used)), None)

    def length(self, group):
        return int(np.prod([self.sizes[d] for d in group], dtype=np.int64))

    def covers(self, x, dims):
        """As large as these dimensions are."""
        shape = [self.sizes[d] if d in dims else n for d, n in enumerate(x.v.shape)]
        return x.map(lambda a: np.broadcast_to(a, shape))

    # ---- accesses -------------------------------------------------------------------------

    def read(self, a):
        rank = len(self.names)
        names = dict(zip(a.dims, self.at))
        unsure = np.zeros((1,) * rank, bool)
        where = []
        for r in a.results:
            if r in a.symbols:
                index = self.read(self.indices[a.through[a.symbols.index(r)]])
                unsure = unsure | (index.e > 0)
                where.append(index.v)
            else:
                w = np.asarray(eval(r, {}, names))
                where.append(w if w.shape else w.reshape((1,) * rank))
        shape = np.broadcast_shapes((1,) * rank, *[w.shape for w in where])
        out = np.zeros((1,) * rank, bool)
        for w, n in zip(where, a.operand.v.shape):
            out = out | (w < 0) | (w >= n)
        if a.fill is None and np.broadcast_to(out, shape).any():
            raise Unsure("an access leaves its operand")
        if not a.operand.v.size:
            y = Number(np.zeros(shape), a.operand.type)
        else:
            y = take(a.operand, [np.clip(w, 0, n - 1) for w, n in zip(where, a.operand.v.shape)])
            y = y.map(lambda v: np.broadcast_to(v.reshape((1,) * rank) if not v.shape else v, shape))
        if a.fill is not None:
            y = Number(np.where(out, a.fill.v, y.v), y.type, np.where(out, 0.0, y.e))
        return Number(y.v, y.type, np.where(unsure, INF, y.e))

    # ---- sums of products ---------------------------------------------------------------------

    def side(self, number, summed):
        accesses, program = self.sides[number]
        if program is None:
            return self.read(accesses[0])
        values = dict(zip([a for a, _ in program.arguments], map(self.read, accesses)))
        Program(self, program, values, [summed], []).run()
        return values[program.operations[-1].operands[0]]

    def multiplied(self, x, y, over, type):
        """The sum over the dimensions of one times the other, in the type."""
        x, y = wider(self.covers(x, over), type), wider(y, type)
        if type in FLOATS:
            return sum_of(scalars.mul(x, y), Number(np.zeros((1,) * len(self.names)), type), tuple(over))
        terms = scalars.BINARY["arith.muli"](x, y)
        return COMBINERS["arith.addi"](terms, Number(np.zeros((1,) * len(self.names), int), type), tuple(over))

    # ---- the whole ------------------------------------------------------------------------------

    def run(self):
        body, finish = self.op.blocks[:2]
        rows = range(self.num_rows)
        given = []
        for p, (own, type) in enumerate(zip(self.own, self.product_types)):
            given.append(self.multiplied(self.side(2 * p, own), self.side(2 * p + 1, own), own, type))
        for m, (start, _) in enumerate(self.matrices):
            given.append(self.side(2 * len(self.own) + m, self.groups[start]))
        uniform = []
        for a in self.others:
            given.append(a.operand if a.table else self.read(a))
            if not a.table and not a.through and not any(re.search(r"[a-z]", r) for r in a.results):
                uniform.append(given[-1])
        values = dict(zip([a for a, _ in body.arguments], given))
        stored = [None if self.reduced(a) else self.group_of((a.dims, [], a.results)) for a in self.outputs]
        ends = [g for _, g, _ in self.accumulators] + [g for a, g in zip(self.outputs, stored) if not self.reduced(a)]
        Program(self, body, values, self.groups, ends, self.argument_groups()).run()
        yielded = [values[o] for o in body.operations[-1].operands]
        totals = []
        for (kind, group, type), x in zip(self.accumulators, yielded):
            f, identity = combiner(kind, type)
            over = list(rows) + list(self.groups[group] if group is not None else [])
            start = Number(np.full((1,) * len(self.names), identity), type)
            totals.append(f(self.covers(x, over), start, tuple(rows)))
        yielded = yielded[len(totals):]
        if finish.operations:
            values = dict(zip([a for a, _ in finish.arguments], totals + uniform))
            ends = [self.group_of((a.dims, [], a.results)) for a in self.outputs if self.reduced(a)]
            known = [g for _, g, _ in self.accumulators]
            Program(self, finish, values, self.groups, ends, known, False).run()
            totals = [values[o] for o in finish.operations[-1].operands]
        results = []
        for a in self.outputs:
            x = (totals if self.reduced(a) else yielded).pop(0)
            dims = [a.dims.index(r) for r in a.results if r in a.dims]
            x = self.covers(x, dims)
            order = dims + [d for d in range(len(self.names)) if d not in dims]
            shape = [self.sizes[a.dims.index(r)] if r in a.dims else 1 for r in a.results]
            if any(x.v.shape[d] != 1 for d in order[len(dims):]):
                raise ValueError("a result depends on more than its destination has")
            results.append(x.map(lambda v, order=order, shape=shape: v.transpose(order).reshape(shape)))
        return results

    def reduced(self, a):
        return not all(any(re.search(rf"\b{a.dims[d]}\b", r) for r in a.results) for d in range(self.num_rows))

    def argument_groups(self):
        """The group of each argument of the body: None for a scalar, -1 for a matrix or a table."""
        def of(accesses):
            accesses = accesses + [self.indices[i] for a in accesses for i in a.through]
            found = {self.group_of((a.dims, [], a.results)) for a in accesses}
            found.discard(None)
            return found
        products = []
        for p in range(len(self.own)):
            found = of(self.sides[2 * p][0] + self.sides[2 * p + 1][0])
            for program in (self.sides[2 * p][1], self.sides[2 * p + 1][1]):
                for op in program.operations if program else ():
                    d = self.names.index(text_of(op.attributes["dim"])) if op.name == "sinter.index" else -1
                    found |= {g for g, dims in enumerate(self.groups) if d in dims}
            products.append(next(iter(found), 0))
        others = [-1 if a.table else next(iter(of([a])), None) for a in self.others]
        return products + [-1] * len(self.matrices) + others


class Program:
    """A body, a finish or the program of a side: operations over the rows of `groups`."""

    def __init__(self, form, block, values, groups, ends, arguments=(), rows=True):
        self.form, self.block, self.values, self.groups, self.rows = form, block, values, groups, rows
        self.types = dict(block.arguments)
        for op in block.operations:
            self.types.update(zip(op.results, op.result_types))
        self.group = {}
        self.matrices = dict(zip([a for a, _ in block.arguments][len(form.own):], form.matrices))
        if len(groups) > 1:
            self.spread(ends, arguments)

    def is_row(self, name):
        return re.match(r"tensor<[\d?]+x\w+>$", self.types[name]) is not None

    def spread(self, ends, arguments):
        """Which group each row is of: arguments, positions and results know theirs, operations have one for all. A row
        of constants and broadcasts alone says nothing, and is of the group of a reader."""
        group, free = self.group, set()
        for op in self.block.operations[:-1]:
            rows = [n for n in op.operands if n in self.types and self.is_row(n)]
            made = op.name in ("arith.constant", "sinter.broadcast") or not op.name.startswith("sinter.") and rows
            if made and all(n in free for n in rows):
                free |= set(op.results)
        self.told(self.block.arguments, arguments)
        results = self.block.operations[-1].operands
        self.told([(n, 0) for n in results if n not in free], [g for n, g in zip(results, ends) if n not in free])
        before = -1
        while len(group) > before:
            before = len(group)
            for op in self.block.operations[:-1]:
                self.spread_over(op, lambda n: n not in free)
        self.told([(n, 0) for n in results if n not in group], [g for n, g in zip(results, ends) if n not in group])
        for op in reversed(self.block.operations[:-1]):
            self.spread_over(op, lambda n: True)

    def told(self, names, groups):
        self.group.update({n: g for (n, _), g in zip(names, groups) if g is not None and g >= 0})

    def spread_over(self, op, counts):
        group = self.group
        if op.name == "sinter.row_product":
            start, end = self.matrices[op.operands[1]]
            group.setdefault(op.results[0], end)
            if counts(op.operands[0]):
                group.setdefault(op.operands[0], start)
        elif op.name == "sinter.index":
            d = self.form.names.index(text_of(op.attributes["dim"]))
            group.update({op.results[0]: g for g, dims in enumerate(self.form.groups) if d in dims})
        elif op.name not in ("sinter.pick", "sinter.row_reduce", "sinter.broadcast", "cf.assert"):
            rows = [n for n in op.operands + op.results if n in self.types and self.is_row(n) and counts(n)]
            known = [group[n] for n in rows if n in group]
            for n in rows if known else ():
                group.setdefault(n, known[0])

    def columns(self, name):
        """The columns of a row."""
        if len(self.groups) == 1:
            return self.groups[0]
        if name in self.group:
            return self.groups[self.group[name]]
        n = re.match(r"tensor<([\d?]+)", self.types[name])[1]
        dynamic = lambda g: any(integers(self.form.op.attributes["sizes"])[d] == UNKNOWN for d in g)
        fits = lambda g: dynamic(g) if n == "?" else not dynamic(g) and self.form.length(g) == int(n)
        return next(g for g in self.groups if fits(g))

    def run(self):
        for op in self.block.operations[:-1]:
            y = self.one(op)
            if op.results:
                self.values[op.results[0]] = y

    def one(self, op):
        form, get = self.form, lambda i: self.values[op.operands[i]]
        name = op.name.rpartition(".")[2]
        rank = len(form.names)
        if op.name == "cf.assert":
            x = get(0)
            return check(form.covers(x, range(form.num_rows)) if self.rows else x, op.attributes.get("msg", "assert"))
        if op.name == "arith.constant":
            x = constant(op.attributes["value"])
            if not op.attributes["value"].endswith(">") or x.v.size and (x.v == x.v.flat[0]).all():
                return Number(np.full((1,) * rank, x.v.flat[0] if x.v.size else 0), x.type)
            dims = self.columns(op.results[0])
            return x.map(lambda a: a.reshape([form.sizes[d] if d in dims else 1 for d in range(rank)]))
        if not op.name.startswith("sinter."):
            return scalar(op, get)
        if name in ("broadcast", "detach"):
            return get(0)
        if name == "index":
            return Number(form.at[form.names.index(text_of(op.attributes["dim"]))], "index")
        if name == "row_reduce":
            return self.row_reduce(op, get)
        if name == "row_product":
            type = re.match(r"tensor<[\d?]+x(\w+)>", op.result_types[0])[1]
            return form.multiplied(get(0), get(1), form.groups[self.matrices[op.operands[1]][0]], type)
        if name == "pick":
            return self.pick(op, get)
        if name == "gather":
            return self.gather(op, get)
        raise Unsure(f"no meaning of {op.name}")

    def row_reduce(self, op, get):
        dims, type = self.columns(op.operands[0]), op.result_types[0]
        kind = text_of(op.attributes["kind"]) if "kind" in op.attributes else None
        x = wider(self.form.covers(get(0), dims), type, kind in ("maxui", "minui"))
        if kind:
            f, identity = combiner(kind, type)
            return f(x, Number(np.full((1,) * x.v.ndim, identity), type), tuple(dims))
        inner = op.blocks[0].operations
        if len(inner) != 2 or inner[0].name not in COMBINERS:
            raise Unsure("a combiner of several operations")
        return COMBINERS[inner[0].name](x, get(1), tuple(dims))

    def pick(self, op, get):
        form, dims = self.form, list(self.columns(op.operands[0]))
        x, t, otherwise = form.covers(get(0), dims), get(1), get(2)
        n = form.length(dims)
        inside = (t.v >= 0) & (t.v < n)
        if not n:
            return otherwise
        at, left = [], np.clip(t.v, 0, n - 1)
        for d in reversed(dims):
            at.insert(0, left % form.sizes[d])
            left = left // form.sizes[d]
        if not x.v.size:
            return otherwise
        rows = [form.at[d] if n > 1 else np.zeros((1,) * x.v.ndim, int) for d, n in enumerate(x.v.shape)]
        y = take(x, [at[dims.index(d)] if d in dims else row for d, row in enumerate(rows)])
        v, e = np.where(inside, y.v, otherwise.v), np.where(inside, y.e, otherwise.e)
        return Number(v, x.type, np.where(t.e > 0, INF, e))

    def gather(self, op, get):
        table, otherwise = get(0), self.values[op.operands[-1]]
        where = [self.values[o] for o in op.operands[1:-1]]
        inside, unsure = np.ones((1,) * len(self.form.names), bool), np.zeros((1,) * len(self.form.names), bool)
        for w, n in zip(where, table.v.shape):
            inside, unsure = inside & (w.v >= 0) & (w.v < n), unsure | (w.e > 0)
        if not table.v.size:
            return otherwise
        y = take(table, [np.clip(w.v, 0, n - 1) for w, n in zip(where, table.v.shape)])
        e = np.where(unsure, INF, np.where(inside, y.e, otherwise.e))
        return Number(np.where(inside, y.v, otherwise.v), table.type, e)
