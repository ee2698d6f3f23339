"""A generated program: values, operations, its text, and smaller ones like it.

Sizes are expressions over a few named sizes ("A", "(A*B)", "1"), so that a program
can be printed again with smaller ones, or with `?` for some of them. An operation is
a function that prints itself for given operands, so that an operand can be replaced.
"""

import ast
import random
import re
import zlib

MLIR_FLOATS = ("f64", "f32", "f16", "bf16")


class Value:
    def __init__(self, shape, dtype, lo=-5.0, hi=5.0):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.lo = lo  # bounds of the elements: what may be divided by, or exponentiated
        self.hi = hi
        self.name = "?"

    def same_type(self, other):
        return self.shape == other.shape and self.dtype == other.dtype


class Op:
    """write(printer, operands, results) prints lines that define the results."""

    def __init__(self, write, operands, results):
        self.write = write
        self.operands = list(operands)
        self.results = list(results)


INDEX = {ast.Add: "addi", ast.Sub: "subi", ast.Mult: "muli", ast.FloorDiv: "divsi"}


class Printer:
    """`open`: the named sizes that are `?`, whose numbers are those of a tensor that is there (`has`)."""

    def __init__(self, sizes, open=()):
        self.sizes = sizes
        self.open = open
        self.lines = []
        self.fresh = 0
        self.there = {}  # a dimension -> values and positions that have it
        self.rng = random.Random(zlib.crc32(repr((sorted(sizes.items()), sorted(open))).encode()))

    def is_open(self, dim):
        return any(name in self.open for name in re.findall(r"[A-Z]", dim))

    def has(self, value):
        for i, d in enumerate(value.shape):
            if self.is_open(d):
                self.there.setdefault(d, []).append((value.name, self.type(value), i))

    def index(self, dim):
        """The size as an index: a number, or what names it in the text."""
        if not self.is_open(dim):
            return str(self.size(dim))
        if dim in self.there:
            value, t, i = self.rng.choice(self.there[dim])
            c, name = self.temp(), self.temp()
            self.line(f"{c} = arith.constant {i} : index")
            self.line(f"{name} = tensor.dim {value}, {c} : {t}")
            return name
        return self.computed(ast.parse(dim, mode="eval").body)

    def computed(self, tree):
        name = self.temp()
        if isinstance(tree, ast.Constant):
            self.line(f"{name} = arith.constant {tree.value} : index")
        elif isinstance(tree, ast.Name):
            n = self.index(tree.id)
            if not n.startswith("%"):
                self.line(f"{name} = arith.constant {n} : index")
            return name if not n.startswith("%") else n
        else:
            left, right = self.computed(tree.left), self.computed(tree.right)
            self.line(f"{name} = arith.{INDEX[type(tree.op)]} {left}, {right} : index")
        return name

    def indices(self, dims):
        return ", ".join(self.index(d) for d in dims)

    def size(self, dim):
        n = int(eval(dim, {}, self.sizes))
        if n < 0:
            raise ValueError(f"size {dim} is {n}")
        return n

    def shape(self, dims):
        return [self.size(d) for d in dims]

    def type(self, value):
        return self.tensor(value.shape, value.dtype)

    def tensor(self, dims, dtype):
        return "tensor<" + "".join(f"{'?' if self.is_open(d) else self.size(d)}x" for d in dims) + dtype + ">"

    def temp(self):
        self.fresh += 1
        return f"%t{self.fresh}"

    def line(self, text):
        self.lines.append("    " + text)

    def constant(self, x, dtype):
        name = self.temp()
        self.line(f"{name} = arith.constant {number(x, dtype)}" + ("" if dtype == "i1" else f" : {dtype}"))
        return name

    def empty(self, dims, dtype):
        sizes = self.indices(d for d in dims if self.is_open(d))
        name = self.temp()
        self.line(f"{name} = tensor.empty({sizes}) : {self.tensor(dims, dtype)}")
        return name

    def filled(self, dims, dtype, x):
        c, e, name, t = self.constant(x, dtype), self.empty(dims, dtype), self.temp(), self.tensor(dims, dtype)
        self.line(f"{name} = linalg.fill ins({c} : {dtype}) outs({e} : {t}) -> {t}")
        return name

    def generic(self, results, ins, outs, iterators, body):
        """ins and outs: (name, type, element, map) of each; body(arguments) -> (lines, yielded)."""
        args = [f"%i{i}" for i in range(len(ins))] + [f"%o{i}" for i in range(len(outs))]
        types = [x[2] for x in ins + outs]
        lines, yielded = body(args)
        dims = ", ".join(f"d{i}" for i in range(len(iterators)))
        maps = ", ".join(f"affine_map<({dims}) -> ({x[3]})>" for x in ins + outs)
        its = ", ".join(f'"{i}"' for i in iterators)
        text_ins = f" ins({', '.join(x[0] for x in ins)} : {', '.join(x[1] for x in ins)})" if ins else ""
        text_outs = f" outs({', '.join(x[0] for x in outs)} : {', '.join(x[1] for x in outs)})"
        left = results[0] if len(results) == 1 else f"{results[0]}, {', '.join(results[1:])}"
        self.line(
            f"{left} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{its}]}}{text_ins}{text_outs} {{"
        )
        self.line("^bb0(" + ", ".join(f"{a}: {t}" for a, t in zip(args, types)) + "):")
        for line in lines:
            self.line("  " + line)
        self.line(f"  linalg.yield {', '.join(yielded)} : {', '.join(x[2] for x in outs)}")
        result_types = ", ".join(x[1] for x in outs)
        self.line("} -> " + (result_types if len(outs) == 1 else f"({result_types})"))


def number(x, dtype):
    if dtype in MLIR_FLOATS:
        if x in (float("inf"), float("-inf")):
            bits = {"f64": ("0x7FF0000000000000", "0xFFF0000000000000"), "f32": ("0x7F800000", "0xFF800000"),
                    "bf16": ("0x7F80", "0xFF80"), "f16": ("0x7C00", "0xFC00")}[dtype]
            return bits[0 if x > 0 else 1]
        return f"{x:e}"
    if dtype == "i1":
        return "true" if x else "false"
    return str(int(x))


class Program:
    def __init__(self, sizes):
        self.sizes = dict(sizes)
        self.arguments = []
        self.ops = []
        self.results = []
        self.open = frozenset()  # names of sizes that are `?`
        self.inputs = ""  # which numbers judge.py feeds it: a kind and a seed; none: sinter-run's

    def copy(self):
        other = Program(self.sizes)
        other.inputs, other.open = self.inputs, self.open
        other.arguments = list(self.arguments)
        other.ops = [Op(op.write, op.operands, op.results) for op in self.ops]
        other.results = list(self.results)
        return other

    def argument(self, shape, dtype):
        value = Value(shape, dtype, *((0, 7) if dtype == "i64" else (0, 1) if dtype == "i1" else (-5.0, 5.0)))
        self.arguments.append(value)
        return value

    def values(self):
        return self.arguments + [r for op in self.ops for r in op.results]

    def text(self):
        # A size is open if an argument tells it.
        p = Printer(self.sizes, {n for n in self.open if any(n in a.shape for a in self.arguments)})
        for i, a in enumerate(self.arguments):
            a.name = f"%arg{i}"
            p.has(a)
        count = 0
        for op in self.ops:
            for r in op.results:
                r.name = f"%{count}"
                count += 1
            op.write(p, op.operands, op.results)
            for r in op.results:
                p.has(r)
        args = ", ".join(f"{a.name}: {p.type(a)}" for a in self.arguments)
        types = ", ".join(p.type(r) for r in self.results)
        p.line(f"return {', '.join(r.name for r in self.results)} : {types}")
        head = f"// inputs: {self.inputs}\n" if self.inputs else ""
        if p.open:
            given = ("".join(f"{n}x" for n in p.shape(a.shape)) + a.dtype for a in self.arguments)
            head += f"// sizes: {', '.join(given)}\n"
        return head + f"func.func @main({args}) -> ({types}) {{\n" + "\n".join(p.lines) + "\n}\n"

    def drop_dead(self):
        used = set(self.results)
        for op in reversed(self.ops):
            if used & set(op.results):
                used |= set(op.operands)
        self.ops = [op for op in self.ops if used & set(op.results)]
        self.arguments = [a for a in self.arguments if a in used]
        return self

    def replace(self, old, new):
        for op in self.ops:
            op.operands = [new if o is old else o for o in op.operands]
        self.results = [new if r is old else r for r in self.results]

    def smaller(self):
        """Programs that are one step simpler than this one, most promising first."""
        if len(self.results) > 1:
            for keep in self.results:
                q = self.copy()
                q.results = [keep]
                yield q.drop_dead()
            for i in range(len(self.results)):
                q = self.copy()
                del q.results[i]
                yield q.drop_dead()
        q = self.copy().drop_dead()
        if len(q.ops) < len(self.ops):
            yield q
        for op in reversed(self.ops):
            for r in op.results:
                operands = dict.fromkeys(o for o in op.operands if o.same_type(r))
                for o in operands:
                    q = self.copy()
                    q.replace(r, o)
                    q.drop_dead()
                    if len(q.ops) < len(self.ops):
                        yield q
            q = self.copy()
            for r in op.results:
                q.replace(r, q.argument(r.shape, r.dtype))
            q.drop_dead()
            if len(q.ops) < len(self.ops):
                yield q
            # an operation's operand becomes the result: what follows is not needed
            if op.results[0] in self.results:
                for o in op.operands:
                    q = self.copy()
                    q.results = [o]
                    q.drop_dead()
                    if q.ops and len(q.ops) < len(self.ops):
                        yield q
        for i, a in enumerate(self.arguments):
            for b in self.arguments[:i]:
                if a.same_type(b):
                    q = self.copy()
                    q.replace(a, b)
                    yield q.drop_dead()
        for name in self.open:
            q = self.copy()
            q.open = self.open - {name}
            yield q
        for name, size in self.sizes.items():
            for n in (1, 2, 3, size // 2):
                if n < size and n > 0:
                    q = self.copy()
                    q.sizes[name] = n
                    yield q


def reduce(program, fails, give_up=lambda: False):
    """The smallest program found from this one for which fails(text) holds."""
    seen = set()
    progress = True
    while progress and not give_up():
        progress = False
        for q in program.smaller():
            if give_up():
                break
            try:
                text = q.text()
            except ValueError:
                continue
            if not q.ops or text in seen:
                continue
            seen.add(text)
            if fails(text):
                program, progress = q, True
                break
    return program
