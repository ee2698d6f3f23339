"""Random programs of loops and branches that carry tensors, and what they compute.

Each statement is drawn as a pair: its text in MLIR, and a function over a dictionary of NumPy arrays that says what it
does. So a program is executed by NumPy while it is no more than this list; no text is read back, and nothing is shared
with the compiler. Integers wrap, floats are compared and copied only: results are equal to the last bit.
"""

import random

import numpy as np

DTYPES = {"i32": np.int32, "f32": np.float32}
BINARY = {
    "i32": [("arith.addi", np.add), ("arith.subi", np.subtract), ("arith.maxsi", np.maximum),
            ("arith.xori", np.bitwise_xor)],
    "f32": [("arith.maximumf", np.maximum), ("arith.minimumf", np.minimum)],
}


class Tensor:
    """A value of the program: its name, its type, and the sizes that it has when the program runs."""

    def __init__(self, name, dims, sizes, dtype):
        self.name, self.dims, self.sizes, self.dtype = name, tuple(dims), tuple(sizes), dtype

    @property
    def text(self):
        return f"tensor<{''.join(f'{d}x' for d in self.dims)}{self.dtype}>"

    def like(self, name):
        return Tensor(name, self.dims, self.sizes, self.dtype)

    def is_like(self, other):
        return (self.dims, self.sizes, self.dtype) == (other.dims, other.sizes, other.dtype)


class Block:
    """What stands in one region: lines, and what they do. It sees what the block around it had when it began."""

    def __init__(self, outer=None):
        self.lines, self.steps = [], []
        self.tensors = list(outer.tensors) if outer else []
        self.numbers = list(outer.numbers) if outer else []  # i32
        self.indices = list(outer.indices) if outer else []
        self.dims = list(outer.dims) if outer else []  # indices that affine takes for its own

    def run(self, env):
        for step in self.steps:
            step(env)


class Program:
    def __init__(self, seed):
        self.random, self.count, self.functions, self.budget = random.Random(seed), 0, [], 40
        pick = self.random
        self.arguments, main = [], Block()
        for _ in range(pick.randint(2, 3)):
            sizes = self.sizes()
            dims = [n if pick.random() < 0.6 else "?" for n in sizes]
            dtype = "i32" if pick.random() < 0.75 else "f32"
            for _ in range(pick.randint(1, 2)):
                self.arguments.append(Tensor(self.name(), dims, sizes, dtype))
        main.tensors = list(self.arguments)
        for k in range(4):
            name = self.name()
            main.lines.append(f"{name} = arith.constant {k} : index")
            main.steps.append(lambda env, name=name, k=k: env.__setitem__(name, k))
            main.indices.append(name)
        self.small = list(main.indices)
        main.dims = list(main.indices)
        for k in (0, 1, 7):
            name = self.name()
            main.lines.append(f"{name} = arith.constant {k} : i32")
            main.steps.append(lambda env, name=name, k=k: env.__setitem__(name, np.int32(k)))
            main.numbers.append(name)
        for _ in range(pick.randint(4, 9)):
            self.statement(main, 0)
        late = main.tensors[-8:]
        self.results = [pick.choice(late) for _ in range(pick.randint(1, 3))]
        self.main = main

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def sizes(self):
        return [self.random.randint(2, 5) for _ in range(self.random.choice((1, 2, 2)))]

    def text(self):
        arguments = ", ".join(f"{a.name}: {a.text}" for a in self.arguments)
        types = ", ".join(r.text for r in self.results)
        body = "\n".join("  " + line for line in self.main.lines)
        return (f"func.func @main({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {', '.join(r.name for r in self.results)} : {types}\n}}\n" + "".join(self.functions))

    def inputs(self, seed):
        draw = np.random.default_rng(seed)
        return [draw.integers(-9, 10, a.sizes).astype(DTYPES[a.dtype]) for a in self.arguments]

    def expected(self, inputs):
        env = {a.name: x for a, x in zip(self.arguments, inputs)}
        with np.errstate(over="ignore"):
            self.main.run(env)
        return [env[r.name] for r in self.results]

    # ---- statements ------------------------------------------------------------------------

    def statement(self, block, depth):
        kinds = ["binary", "insert", "insert", "extract", "dim", "fill", "slice", "put", "cast", "transpose", "call"]
        if depth < 3 and self.budget > 0:
            kinds += ["loop", "loop", "turn", "choose", "choose", "switch", "sum"] * 2
        self.budget -= 1
        getattr(self, self.random.choice(kinds))(block, depth)

    def define(self, block, tensor, text, value):
        """One operation that gives a tensor; value(env) is that of it."""
        block.lines.append(f"{tensor.name} = {text}")
        block.steps.append(lambda env: env.__setitem__(tensor.name, value(env)))
        block.tensors.append(tensor)

    def place(self, block, tensor):
        """Subscripts inside of the tensor: names, as lines of the block."""
        names = []
        for d, n in enumerate(tensor.sizes):
            i = self.random.choice(block.indices)
            size, name = self.name(), self.name()
            block.lines += [f"{size} = arith.constant {n} : index", f"{name} = arith.remui {i}, {size} : index"]
            block.steps.append(lambda env, name=name, i=i, n=n: env.__setitem__(name, env[i] % n))
            names.append(name)
        return names

    def binary(self, block, depth):
        x = self.random.choice(block.tensors)
        y = self.random.choice([t for t in block.tensors if t.is_like(x)])
        op, f = self.random.choice(BINARY[x.dtype])
        self.define(block, x.like(self.name()), f"{op} {x.name}, {y.name} : {x.text}",
                    lambda env: f(env[x.name], env[y.name]))

    def number(self, block, dtype):
        """An i32, or a float made of one."""
        n = self.random.choice(block.numbers)
        if dtype == "i32":
            return n
        name = self.name()
        block.lines.append(f"{name} = arith.sitofp {n} : i32 to f32")
        block.steps.append(lambda env: env.__setitem__(name, np.float32(env[n])))
        return name

    def insert(self, block, depth):
        x = self.random.choice(block.tensors)
        at, n = self.place(block, x), self.number(block, x.dtype)

        def value(env):
            y = env[x.name].copy()
            y[tuple(env[i] for i in at)] = env[n]
            return y

        self.define(block, x.like(self.name()), f"tensor.insert {n} into {x.name}[{', '.join(at)}] : {x.text}", value)

    def extract(self, block, depth):
        ints = [t for t in block.tensors if t.dtype == "i32"]
        if not ints:
            return
        x = self.random.choice(ints)
        at, name = self.place(block, x), self.name()
        block.lines.append(f"{name} = tensor.extract {x.name}[{', '.join(at)}] : {x.text}")
        block.steps.append(lambda env: env.__setitem__(name, env[x.name][tuple(env[i] for i in at)]))
        block.numbers.append(name)

    def dim(self, block, depth):
        x = self.random.choice(block.tensors)
        d, name = self.random.randrange(len(x.sizes)), self.name()
        block.lines.append(f"{name} = tensor.dim {x.name}, {self.small[d]} : {x.text}")
        block.steps.append(lambda env: env.__setitem__(name, x.sizes[d]))
        block.indices.append(name)

    def fill(self, block, depth):
        x = self.random.choice(block.tensors)
        n = self.number(block, x.dtype)
        self.define(block, x.like(self.name()),
                    f"linalg.fill ins({n} : {x.dtype}) outs({x.name} : {x.text}) -> {x.text}",
                    lambda env: np.full(x.sizes, env[n], DTYPES[x.dtype]))

    def window(self, sizes):
        """Offsets, sizes and strides of a part."""
        found = []
        for n in sizes:
            stride = self.random.choice((1, 1, 2)) if n > 2 else 1
            size = self.random.randint(1, (n + stride - 1) // stride)
            found.append((self.random.randint(0, n - 1 - (size - 1) * stride), size, stride))
        return found, tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in found)

    def slice(self, block, depth):
        x = self.random.choice(block.tensors)
        w, where = self.window(x.sizes)
        offsets, sizes, strides = ([p[k] for p in w] for k in range(3))
        y = Tensor(self.name(), sizes, sizes, x.dtype)
        self.define(block, y, f"tensor.extract_slice {x.name}{offsets} {sizes} {strides} : {x.text} to {y.text}",
                    lambda env: env[x.name][where].copy())

    def put(self, block, depth):
        """A part of one tensor, or a tensor that fits, into another, at times where it came from."""
        x = self.random.choice(block.tensors)
        fit = [t for t in block.tensors if t.dtype == x.dtype and len(t.sizes) == len(x.sizes) and
               all(a <= b for a, b in zip(t.sizes, x.sizes)) and "?" not in t.dims]
        if not fit:
            return
        y = self.random.choice(fit)
        offsets = [self.random.randint(0, n - m) for n, m in zip(x.sizes, y.sizes)]
        where = tuple(slice(o, o + m) for o, m in zip(offsets, y.sizes))

        def value(env):
            z = env[x.name].copy()
            z[where] = env[y.name]
            return z

        self.define(block, x.like(self.name()),
                    f"tensor.insert_slice {y.name} into {x.name}{offsets} {list(y.sizes)} {[1] * len(offsets)} : "
                    f"{y.text} into {x.text}", value)

    def cast(self, block, depth):
        x = self.random.choice(block.tensors)
        dims = [n if self.random.random() < 0.5 else "?" for n in x.sizes]
        y = Tensor(self.name(), dims, x.sizes, x.dtype)
        if y.dims != x.dims:
            self.define(block, y, f"tensor.cast {x.name} : {x.text} to {y.text}", lambda env: env[x.name])

    def transpose(self, block, depth):
        fixed = [t for t in block.tensors if "?" not in t.dims and len(t.dims) == 2]
        if not fixed:
            return
        x = self.random.choice(fixed)
        y = Tensor(self.name(), x.dims[::-1], x.sizes[::-1], x.dtype)
        empty = self.name()
        block.lines.append(f"{empty} = tensor.empty() : {y.text}")
        self.define(block, y, f"linalg.transpose ins({x.name} : {x.text}) outs({empty} : {y.text}) "
                              "permutation = [1, 0]", lambda env: env[x.name].T.copy())

    # ---- what has blocks ----------------------------------------------------------------------

    def indented(self, block):
        return ["  " + line for line in block.lines]

    def carried(self, block):
        """What a loop carries first, or a branch gives: one to three tensors, the same one twice at times."""
        return [self.random.choice(block.tensors[-6:]) for _ in range(self.random.randint(1, 3))]

    def body(self, outer, depth, arguments=(), index=None, affine=False):
        block = Block(outer)
        block.tensors += arguments
        block.indices += [index] if index else []
        block.dims += [index] if affine else []
        for _ in range(self.random.randint(1, 4)):
            self.statement(block, depth + 1)
        return block

    def given(self, block, types):
        """For each type a tensor of it that the block sees; late ones more often."""
        found = []
        for t in types:
            fit = [x for x in block.tensors if x.is_like(t)]
            found.append(self.random.choice(fit[-4:]))
        return found

    def loop(self, block, depth):
        first = self.carried(block)
        inside, results = ([t.like(self.name()) for t in first] for _ in range(2))
        affine, i = self.random.random() < 0.4, self.name()
        body = self.body(block, depth, inside, i, affine)
        last = self.given(body, first)
        types = ", ".join(t.text for t in first)
        arguments = ", ".join(f"{a.name} = {t.name}" for a, t in zip(inside, first))
        turns = self.random.randint(0, 3)
        upper = self.small[turns]
        if not affine and self.random.random() < 0.3:
            upper = self.random.choice(block.indices)
        begin = f"scf.for {i} = {self.small[0]} to {upper} step {self.small[1]}"
        begin = f"affine.for {i} = 0 to {turns}" if affine else begin
        block.lines += [f"{', '.join(r.name for r in results)} = {begin} iter_args({arguments}) -> ({types}) {{",
                        *self.indented(body),
                        f"  {'affine' if affine else 'scf'}.yield {', '.join(t.name for t in last)} : {types}", "}"]

        def step(env):
            now = [env[t.name] for t in first]
            for k in range(turns if affine else env[upper]):
                env[i] = k
                env.update((a.name, x) for a, x in zip(inside, now))
                body.run(env)
                now = [env[t.name] for t in last]
            env.update((r.name, x) for r, x in zip(results, now))

        block.steps.append(step)
        block.tensors += results

    def turn(self, block, depth):
        """scf.while that counts, and hands on what it was given in any order that fits."""
        first = self.carried(block)
        before, after, results = ([t.like(self.name()) for t in first] for _ in range(3))
        i, j, count, next_, more = (self.name() for _ in range(5))
        head = Block(block)
        head.tensors += before
        head.indices.append(i)
        if self.random.random() < 0.5:
            self.statement(head, 3)
        handed = self.given(head, first)
        body = self.body(block, depth, after, j)
        last = self.given(body, first)
        turns = self.random.randint(0, 3)
        types = ", ".join([*(t.text for t in first), "index"])
        arguments = ", ".join([*(f"{a.name} = {t.name}" for a, t in zip(before, first)), f"{i} = {self.small[0]}"])
        names = ", ".join([*(r.name for r in results), count])
        block.lines += [f"{names} = scf.while ({arguments}) : ({types}) -> ({types}) {{", *self.indented(head),
                        f"  {more} = arith.cmpi ult, {i}, {self.small[turns]} : index",
                        f"  scf.condition({more}) {', '.join([*(t.name for t in handed), i])} : {types}", "} do {",
                        f"^next({', '.join([*(f'{a.name}: {a.text}' for a in after), f'{j}: index'])}):",
                        *self.indented(body), f"  {next_} = arith.addi {j}, {self.small[1]} : index",
                        f"  scf.yield {', '.join([*(t.name for t in last), next_])} : {types}", "}"]

        def step(env):
            now, k = [env[t.name] for t in first], 0
            while True:
                env[i] = k
                env.update((a.name, x) for a, x in zip(before, now))
                head.run(env)
                now = [env[t.name] for t in handed]
                if k >= turns:
                    break
                env[j] = k
                env.update((a.name, x) for a, x in zip(after, now))
                body.run(env)
                now, k = [env[t.name] for t in last], k + 1
            env.update((r.name, x) for r, x in zip(results, now))
            env[count] = k

        block.steps.append(step)
        block.tensors += results
        block.indices.append(count)

    def branches(self, block, depth, n):
        first = self.carried(block)
        results = [t.like(self.name()) for t in first]
        bodies = [self.body(block, depth) for _ in range(n)]
        return results, bodies, [self.given(b, first) for b in bodies], ", ".join(t.text for t in first)

    def take(self, block, results, bodies, last, which):
        def step(env):
            k = which(env)
            bodies[k].run(env)
            values = [env[t.name] for t in last[k]]
            env.update((r.name, x) for r, x in zip(results, values))

        block.steps.append(step)
        block.tensors += results

    def choose(self, block, depth):
        results, bodies, last, types = self.branches(block, depth, 2)
        names = ", ".join(r.name for r in results)
        yields = [f"{', '.join(t.name for t in ts)} : {types}" for ts in last]
        if self.random.random() < 0.3:
            i, least = self.random.choice(block.dims[-3:]), self.random.randint(0, 2)
            gives = types if len(results) == 1 else f"({types})"
            block.lines += [f"{names} = affine.if affine_set<(d0) : (d0 - {least} >= 0)>({i}) -> {gives} {{",
                            *self.indented(bodies[0]), f"  affine.yield {yields[0]}", "} else {",
                            *self.indented(bodies[1]), f"  affine.yield {yields[1]}", "}"]
            self.take(block, results, bodies, last, lambda env: 0 if env[i] >= least else 1)
            return
        n, c = self.random.choice(block.numbers), self.name()
        limit = self.name()
        k = self.random.randint(-2, 2)
        block.lines += [f"{limit} = arith.constant {k} : i32", f"{c} = arith.cmpi sgt, {n}, {limit} : i32",
                        f"{names} = scf.if {c} -> ({types}) {{", *self.indented(bodies[0]), f"  scf.yield {yields[0]}",
                        "} else {", *self.indented(bodies[1]), f"  scf.yield {yields[1]}", "}"]
        self.take(block, results, bodies, last, lambda env: 0 if env[n] > k else 1)

    def switch(self, block, depth):
        cases = self.random.randint(1, 2)
        results, bodies, last, types = self.branches(block, depth, cases + 1)
        i = self.random.choice(block.indices)
        lines = [f"{', '.join(r.name for r in results)} = scf.index_switch {i} -> {types}"]
        for k, (body, ts) in enumerate(zip(bodies, last)):
            lines += [f"{f'case {k}' if k < cases else 'default'} {{", *self.indented(body),
                      f"  scf.yield {', '.join(t.name for t in ts)} : {types}", "}"]
        block.lines += lines
        self.take(block, results, bodies, last, lambda env: min(int(env[i]), cases))

    def sum(self, block, depth):
        """affine.parallel, which adds numbers read out of a tensor."""
        ints = [t for t in block.tensors if t.dtype == "i32"]
        if not ints:
            return
        x, n = self.random.choice(ints), self.random.randint(1, 3)
        i, name = self.name(), self.name()
        body = Block(block)
        body.indices = [i]
        at, v = self.place(body, x), self.name()
        block.lines += [f'{name} = affine.parallel ({i}) = (0) to ({n}) reduce ("addi") -> i32 {{',
                        *self.indented(body), f"  {v} = tensor.extract {x.name}[{', '.join(at)}] : {x.text}",
                        f"  affine.yield {v} : i32", "}"]

        def step(env):
            total = np.int32(0)
            for k in range(n):
                env[i] = k
                body.run(env)
                total = np.add(total, env[x.name][tuple(env[j] for j in at)], dtype=np.int32)
            env[name] = total

        block.steps.append(step)
        block.numbers.append(name)

    def call(self, block, depth):
        """A function of its own, of two tensors, that writes the first."""
        x = self.random.choice(block.tensors)
        y = self.random.choice(block.tensors)
        a, b, i = x.like(self.name()), y.like(self.name()), self.name()
        inner = Block()
        inner.tensors, inner.indices = [a, b], [i]
        n = self.name()
        inner.lines.append(f"{n} = arith.constant 5 : i32")
        inner.steps.append(lambda env: env.__setitem__(n, np.int32(5)))
        inner.numbers = [n]
        for _ in range(self.random.randint(1, 3)):
            self.random.choice((self.insert, self.binary, self.extract, self.fill))(inner, 3)
        last = self.given(inner, [x, y])
        types, name, r = f"{x.text}, {y.text}", f"@f{self.count}", [x.like(self.name()), y.like(self.name())]
        self.functions.append(f"func.func private {name}({a.name}: {a.text}, {b.name}: {b.text}, {i}: index) "
                              f"-> ({types}) {{\n"
                              + "".join(f"  {line}\n" for line in inner.lines)
                              + f"  return {last[0].name}, {last[1].name} : {types}\n}}\n")
        at = self.random.choice(block.indices)
        block.lines.append(f"{r[0].name}, {r[1].name} = func.call {name}({x.name}, {y.name}, {at}) : "
                           f"({types}, index) -> ({types})")

        def step(env):
            env.update({a.name: env[x.name], b.name: env[y.name], i: env[at]})
            inner.run(env)
            env.update({r[0].name: env[last[0].name], r[1].name: env[last[1].name]})

        block.steps.append(step)
        block.tensors += r
