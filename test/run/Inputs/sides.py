"""Products whose sides have programs, drawn at random, against NumPy in float64.

    sides.py SINTER_RUN FOLDER SEED MODULES [groups] [--cpu=NAME]

A module is six contracts. A side has one to four accesses: plain, transposed, strided, reversed, by quotients, with
bounds, through an index tensor; its program converts, adds, multiplies, cuts off at 0, and selects by a position. Some
of what is accessed is made by a rowwise form of the same kind, which fusion can move into the side.
With `groups` the second side is of weights [j, k] with a number for each group of them, which lie in pairs or fours:
whoever unpacks int4 writes so. Its access has not the last summed dimension, but the program has its position.
Numbers are small and whole, so every result is exact: one wrong element is seen.
"""

import os
import random
import subprocess
import sys

import numpy as np

DTYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i32": "<i4", "i8": "<i1", "i64": "<i8"}
SIZES = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 19, 31, 33, 37, 64, 65, 130]
FORMS = 6


def tensor(shape, element, dynamic=False):
    return "tensor<" + "".join(f"{'?' if dynamic else s}x" for s in shape) + element + ">"


class Form:
    """One contract: its arguments, its text, and what it gives."""

    def __init__(self, number, rng, numbers, groups=False):
        self.groups = groups
        self.number, self.rng, self.numbers, self.arguments, self.produced = number, rng, numbers, [], []
        while True:
            rows, columns, own = rng.choice([0, 1, 1, 1, 2, 2, 3]), rng.choice([0, 1, 1, 2]), rng.choice([1, 1,
                1, 2, 3])
            self.rows = [(f"i{n}", self.size(n == rows - 1)) for n in range(rows)]
            self.columns = [(f"j{n}", self.size(n == columns - 1)) for n in range(columns)]
            self.own = [(f"k{n}", self.size(n == own - 1)) for n in range(own)]
            if groups:
                self.columns = [("j0", rng.choice([7, 16, 17, 33, 64]))]
                self.own = [("k0", rng.choice([1, 2, 3, 5])), ("k1", rng.choice([4, 8, 16, 16, 24, 32, 64])),
                            ("k2", rng.choice([1, 2, 2, 4]))]
            self.dims = self.rows + self.columns + self.own
            if np.prod([d[1] for d in self.dims]) < 1000000:
                break
        self.dynamic = rng.random() < 0.25 and not groups
        self.total = rng.choice(["f32", "f32", "f32", "f64", "i32"])
        self.whole = self.total[0] == "i"
        self.grid = {}
        for n, (name, size) in enumerate(self.dims):
            self.grid[name] = np.arange(size).reshape([-1 if n == m else 1 for m in range(len(self.dims))])

    def size(self, last):
        return self.rng.choice(SIZES if last else [1, 2, 3, 4, 5, 9])

    def argument(self, element, shape, values=None):
        name = f"%f{self.number}a{len(self.arguments)}"
        if values is None:
            values = self.numbers.integers(-3, 4, shape)
        self.arguments.append((name, element, shape, values))
        return name, values

    def access(self, elements, use, plain):
        """(text, elements at each point, element type) of an access that uses these dimensions."""
        rng, subscripts, shape, at, fill = self.rng, [], [], [], None
        use = rng.sample(use, len(use)) if rng.random() < 0.5 else use
        for name, size in use:
            g, kind = self.grid[name], "plain" if plain else rng.choice(["plain"] * 9 + ["stride", "back", "quotient",
                "bounds", "bounds", "index"])
            if self.dynamic and kind != "bounds":
                kind = "plain"
            if kind == "plain":
                subscripts, shape, at = subscripts + [name], shape + [size], at + [g]
            elif kind == "stride":
                subscripts, shape, at = subscripts + [f"{name} * 2"], shape + [size * 2 + 1], at + [g * 2]
            elif kind == "back":
                subscripts, shape, at = subscripts + [f"{size - 1} - {name}"], shape + [size], at + [size - 1 - g]
            elif kind == "quotient":
                subscripts, shape, at = subscripts + [f"{name} floordiv 4"], shape + [(size + 3) // 4], at + [g // 4]
            elif kind == "bounds":
                subscripts, shape, at = subscripts + [f"{name} - 1"], shape + [max(1,
                    size - rng.choice([0, 1, 2]))], at + [g - 1]
                fill = rng.choice([0, 2])
            else:
                outside = rng.random() < 0.3
                fill = rng.choice([0, 1]) if outside else fill
                index, values = self.argument("i64", [size], self.numbers.integers(-outside, 5 + outside, [size]))
                subscripts, shape, at = subscripts + [f"{index}[{name}] : tensor<{size}xi64>"], shape + [5], at + [
                    values[g]]
        element = rng.choice(elements)
        made = rng.random() if not plain and shape and not self.dynamic else 1
        if made < 0.3:
            name, values = self.produce(element, shape)
        elif made < 0.4 and len(shape) == 2:
            name, values = self.gather(element, shape)
        else:
            name, values = self.argument(element, shape)
        dynamic = self.dynamic and bool(shape)
        text = f"{name}[{', '.join(subscripts)}] : {tensor(shape, element, dynamic)}"
        if fill is not None:
            text += f" else {fill}" + ("" if element[0] == "i" else ".0")
        inside = True
        for x, size in zip(at, shape):
            inside = inside & (x >= 0) & (x < size)
        found = values[tuple(np.clip(x, 0, s - 1) for x, s in zip(at, shape))] if shape else values
        return text, np.where(inside, found, fill if fill is not None else 0), element

    def produce(self, element, shape):
        """A tensor that a rowwise form makes: (name, values)."""
        rng, outer = self.rng, (self.grid, self.dynamic)
        dims = [(f"p{n}", size) for n, size in enumerate(shape)]
        self.grid = {d[0]: np.arange(d[1]).reshape([-1 if n == m else 1 for m in range(len(dims))])
                     for n, d in enumerate(dims)}
        rows = rng.randint(0, len(dims) - 1)
        text, values, _ = self.access([element], dims, True)
        other, more, _ = self.access([element], rng.sample(dims, rng.randint(1, len(dims))), False)
        length = int(np.prod(shape[rows:]))
        row = f"tensor<{length}x{element}>"
        is_row = any(f"p{n}" in other.split("[", 1)[1] for n in range(rows, len(dims)))
        op = rng.choice(["add", "sub", "mul"])
        body = "" if is_row else f"%b = sinter.broadcast %s1 : {element} -> {row}\n    "
        body += f"%o = arith.{op}{'i' if element[0] == 'i' else 'f'} %s0, {'%s1' if is_row else '%b'} : {row}\n    "
        values = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[op](values, more) + np.zeros(shape)
        name, at = f"%f{self.number}p{len(self.produced)}", rng.choice(dims[rows:])
        last = "%o"
        if rng.random() < 0.3 and element[0] != "i":  # 0 in front of a position
            limit = rng.randint(0, at[1])
            if len(dims) - rows == 1:
                index = f"tensor<{length}xindex>"
                body += "\n    ".join([
                    f"%at = sinter.index {at[0]} : {index}", f"%ls = arith.constant {limit} : index",
                    f"%l = sinter.broadcast %ls : index -> {index}", f"%in = arith.cmpi uge, %at, %l : {index}",
                    f"%zs = arith.constant 0.0 : {element}", f"%z = sinter.broadcast %zs : {element} -> {row}",
                    f"%se = arith.select %in, %o, %z : tensor<{length}xi1>, {row}", ""])
                values, last = np.where(self.grid[at[0]] >= limit, values, 0), "%se"
        t = tensor(shape, element)

        def sizes(some):
            return ", ".join(f"{d} = {s}" for d, s in some)

        self.produced.append(f"""
  {name}e = tensor.empty() : {t}
  {name} = sinter.rowwise ({sizes(dims[:rows])}) by ({sizes(dims[rows:])}) ins({text}, {other})
      outs({name}e[{', '.join(d[0] for d in dims)}] : {t}) {{
  ^row(%s0: {row}, %s1: {row if is_row else element}):
    {body}sinter.yield {last} : {row}
  }}""")
        self.grid, self.dynamic = outer
        return name, values

    def gather(self, element, shape):
        """Rows of a table by an index tensor, from a column on, as a rowwise form's gather: (name, values)."""
        table, numbers = self.argument(element, [6, 7])
        index, at = self.argument("i64", shape[:1], self.numbers.integers(-1, 7, shape[:1]))
        first, number = self.rng.randint(-2, 2), len(self.produced)
        name, t, row = f"%f{self.number}p{number}", tensor(shape, element), f"tensor<{shape[1]}x{element}>"
        columns = np.arange(shape[1])[None, :] + first
        inside = (at[:, None] >= 0) & (at[:, None] < 6) & (columns >= 0) & (columns < 7)
        values = np.where(inside, numbers[np.clip(at, 0, 5)[:, None], np.clip(columns, 0, 6)], 2)
        indices = f"tensor<{shape[1]}xindex>"
        self.produced.append(f"""
  {name}e = tensor.empty() : {t}
  {name} = sinter.rowwise (a = {shape[0]}) by (b = {shape[1]}) ins({table}[?, ?] : {tensor([6, 7], element)},
        {index}[a] : tensor<{shape[0]}xi64>) outs({name}e[a, b] : {t}) {{
  ^row(%e: memref<6x7x{element}>, %t: i64):
    %j = sinter.index b : {indices}
    %c = arith.constant {first} : index
    %cs = sinter.broadcast %c : index -> {indices}
    %k = arith.addi %j, %cs : {indices}
    %i = arith.index_cast %t : i64 to index
    %z = arith.constant 2{'' if element[0] == 'i' else '.0'} : {element}
    %g = sinter.gather %e[%i, %k] else %z : memref<6x7x{element}>, index, {indices} -> {row}
    sinter.yield %g : {row}
  }}""")
        return name, values

    def grouped(self, elements, others):
        """Accesses of weights and of what scales them: neighbours along k1, the same along k2."""
        k0, k1, k2 = self.own
        order, self.rng.sample = self.rng.sample, lambda some, n: some
        found = [(self.access(elements, others + [k0, k1], True), True)]
        for some in self.rng.choice([[], [[k0]], [[k0]], [[]], [[k0], [k0, k1]], [[k0], [k2]]]):
            found.append((self.access(elements, others + some, True), bool(some)))
        self.rng.sample = order
        return found

    def side(self, others, grouped=False):
        rng, use = self.rng, others + self.own
        elements = ["i8", "i32"] if self.whole else ["f64", "f32", "i8"] if self.total == "f64" else ["f32", "f16",
            "bf16", "i8"]
        length = "?" if self.dynamic else int(np.prod([d[1] for d in self.own]))
        inside = self.total
        accesses = self.grouped(elements, others) if grouped else [(self.access(elements, use, self.dynamic), True)]
        for _ in range(0 if grouped else rng.choice([0, 1, 1, 2, 3])):
            some = [d for d in use if rng.random() < 0.5]
            accesses.append((self.access(elements, some, False), any(d in self.own for d in some)))
        row, index = f"tensor<{length}x{inside}>", f"tensor<{length}xindex>"
        heads, body, value, numbers = [], [], None, None
        for n, ((_, found, element), is_row) in enumerate(accesses):
            now, of = f"%s{n}", f"tensor<{length}x{element}>" if is_row else element
            heads.append(f"{now}: {of}")
            if element != inside:
                op = "extf" if element[0] in "fb" else "extsi" if self.whole else "sitofp"
                body.append(f"%c{n} = arith.{op} {now} : {of} to {row if is_row else inside}")
                now = f"%c{n}"
            if not is_row:
                body.append(f"%b{n} = sinter.broadcast {now} : {inside} -> {row}")
                now = f"%b{n}"
            if n == 0:
                value, numbers = now, found
                continue
            op = rng.choice(["add", "sub", "mul"])
            body.append(f"%o{n} = arith.{op}{'i' if self.whole else 'f'} {value}, {now} : {row}")
            value, numbers = f"%o{n}", {"add": np.add, "sub": np.subtract, "mul": np.multiply}[op](numbers, found)
        if rng.random() < 0.3:
            body += [f"%zs = arith.constant 0{'' if self.whole else '.0'} : {inside}",
                     f"%zr = sinter.broadcast %zs : {inside} -> {row}",
                     f"%z = arith.{'maxsi' if self.whole else 'maximumf'} {value}, %zr : {row}"]
            value, numbers = "%z", np.maximum(numbers, 0)
        if grouped or rng.random() < 0.3:
            name, size = self.own[2] if grouped else rng.choice(use)
            limit, own = rng.randint(0, size), name[0] == "k"
            body.append(f"%at = sinter.index {name} : {index if own else 'index'}")
            if not own:
                body.append(f"%atr = sinter.broadcast %at : index -> {index}")
            body += [f"%ls = arith.constant {limit} : index", f"%l = sinter.broadcast %ls : index -> {index}",
                     f"%in = arith.cmpi ult, {'%at' if own else '%atr'}, %l : {index}",
                     f"%ts = arith.constant 2{'' if self.whole else '.0'} : {inside}",
                     f"%t = sinter.broadcast %ts : {inside} -> {row}",
                     f"%se = arith.select %in, {value}, %t : tensor<{length}xi1>, {row}"]
            value, numbers = "%se", np.where(self.grid[name] < limit, numbers, 2)
        if inside == "f32" and rng.random() < 0.3 and np.abs(numbers).max() <= 256:
            body.append(f"%h = arith.truncf {value} : {row} to tensor<{length}xbf16>")
            value, row = "%h", f"tensor<{length}xbf16>"
        lines = "\n        ".join(body + [f"sinter.yield {value} : {row}"])
        return (
            f"side({', '.join(a[0][0] for a in accesses)}) {{\n      ^side({', '.join(heads)}):\n        {lines}\n     "
            f" }}",
            numbers,
        )

    def write(self):
        shared = self.rng.randint(0, max(0, len(self.rows) - 1))
        batch = self.rows[:shared]
        left, a = self.side([d for d in batch if self.rng.random() < 0.8] + self.rows[shared:])
        right, b = self.side([d for d in batch if self.rng.random() < 0.8] + self.columns, self.groups)
        if self.rng.random() < 0.3:
            left, right = right, left
        over = tuple(range(len(self.dims) - len(self.own), len(self.dims)))
        shape = [d[1] for d in self.rows + self.columns]
        full = [d[1] for d in self.dims]
        self.wanted = (np.broadcast_to(np.asarray(a, dtype="f8"), full) * np.broadcast_to(np.asarray(b, dtype="f8"),
            full)).sum(axis=over)
        self.type = tensor(shape, self.total, self.dynamic)
        name, _ = self.argument(self.total, shape, np.zeros(shape))
        length = "?" if self.dynamic and self.columns else int(np.prod([d[1] for d in self.columns]))
        row = f"tensor<{length}x{self.total}>"
        what = "%p" if self.columns else "%s"
        last = "" if self.columns else f"%s = sinter.row_reduce add %p : {row} -> {self.total}\n    "

        schedule = ""
        if self.groups and self.total == "f32" and self.rng.random() < 0.5:  # blocks that begin inside of a group
            k = self.rng.choice([9, 12, 13, 21])
            schedule = f' schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = {k}, lanes = 8>)'

        def sizes(dims):
            return ", ".join(f"{d} = {'?' if self.dynamic else s}" for d, s in dims)

        return "".join(self.produced) + f"""
  %y{self.number} = sinter.contract ({sizes(self.rows)}) by ({sizes(self.columns)})
      product ({sizes(self.own)}) ({left}, {right}) : {self.total}
      outs({name}[{', '.join(d[0] for d in self.rows + self.columns)}] : {self.type}){schedule} {{
  ^row(%p: {row}):
    {last}sinter.yield {what} : {row if self.columns else self.total}
  }}"""


def save(path, values, element):
    if element == "bf16":  # the upper half of an f32, which is exact here
        values = values.astype("<f4").view("<u4") >> 16
    np.save(path, values.astype(DTYPES[element]))


def run(command, folder, seed, groups):
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    forms = [Form(n, rng, numbers, groups) for n in range(FORMS)]
    body = "".join(f.write() for f in forms)
    arguments, inputs = [], []
    for f in forms:
        for n, (name, element, shape, values) in enumerate(f.arguments):
            path = os.path.join(folder, f"in{f.number}_{n}.npy")
            save(path, np.asarray(values), element)
            inputs.append(f"--input={path}")
            arguments.append(f"{name}: {tensor(shape, element, f.dynamic and bool(shape) and element != 'i64')}")
    program = os.path.join(folder, f"program{seed}.mlir")
    with open(program, "w") as file:
        file.write(
            f"module {{\nfunc.func @main({', '.join(arguments)}) -> ({', '.join(f.type for f in forms)}) {{{body}\n"
        )
        file.write(
            f"  return {', '.join(f'%y{f.number}' for f in forms)} : {', '.join(f.type for f in forms)}\n}}\n}}\n"
        )
    outputs = [os.path.join(folder, f"out{n}.npy") for n in range(FORMS)]
    done = subprocess.run([*command, program, *inputs, *(f"--output={path}" for path in outputs)], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{program}: {done.stderr[-2000:]}")
    wrong = 0
    for f, path in zip(forms, outputs):
        got = np.load(path).astype("f8")
        if got.shape != f.wanted.shape or not (got == f.wanted).all():
            bad = np.argwhere(got != f.wanted) if got.shape == f.wanted.shape else []
            print(f"{program} %y{f.number}: {len(bad)} of {f.wanted.size} differ, first at", bad[:1].tolist())
            wrong += 1
    return wrong


def main():
    words = [w for w in sys.argv[2:] if not w.startswith("--")]
    command = [sys.argv[1], *(w for w in sys.argv[2:] if w.startswith("--"))]
    folder, seed, modules = words[0], int(words[1]), int(words[2])
    os.makedirs(folder, exist_ok=True)
    wrong = sum(run(command, folder, s, "groups" in words) for s in range(seed, seed + modules))
    print(f"{modules * FORMS} products, {wrong} wrong")


main()
