"""What bench/compile_programs and bench/compile_shapes.py write programs with: one elementary operation at a time."""
import array
import math
import random

ROWS, COLUMNS = 37, 48  # of most tensors


class Value:
    def __init__(self, name, shape, type_="f32"):
        self.name, self.shape, self.type = name, tuple(shape), type_

    def __str__(self):
        return f"%{self.name}"

    @property
    def text(self):
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}{self.type}>"


class Program:
    """Operations in order; each method adds one, and answers its value."""

    def __init__(self):
        self.arguments, self.lines, self.constants, self.weights, self.count = [], [], {}, [], 0

    def argument(self, *shape, weight=False):
        self.arguments.append(Value(f"a{len(self.arguments)}", shape))
        if weight:
            self.weights.append(len(self.arguments) - 1)
        return self.arguments[-1]

    def weight(self, *shape):
        return self.argument(*shape, weight=True)

    def constant(self, number):
        return self.constants.setdefault(float(number), f"c{len(self.constants)}")

    def add(self, text, shape):
        self.count += 1
        v = Value(f"v{self.count}", shape)
        self.lines.append(f"  {v} = {text}")
        return v

    def empty(self, shape):
        return self.add(f"tensor.empty() : {Value('', shape).text}", shape)

    def filled(self, shape, number=0.0):
        e = self.empty(shape)
        return self.add(f"linalg.fill ins(%{self.constant(number)} : f32) outs({e} : {e.text}) -> {e.text}", shape)

    def generic(self, inputs, out, maps, kinds, body):
        """`body`: lines that give %y, over %x0, %x1, ... and %o."""
        d = ", ".join(f"d{i}" for i in range(len(kinds)))
        maps = ", ".join(f"affine_map<({d}) -> ({', '.join(m)})>" for m in maps)
        kinds = ", ".join(f'"{k}"' for k in kinds)
        ins = f"ins({', '.join(map(str, inputs))} : {', '.join(x.text for x in inputs)}) "
        scalars = ", ".join([f"%x{i}: f32" for i in range(len(inputs))] + ["%o: f32"])
        lines = "".join(f"\n    {line}" for line in body)
        return self.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}"
                        f"outs({out} : {out.text}) {{\n  ^bb0({scalars}):{lines}\n"
                        f"    linalg.yield %y : f32\n  }} -> {out.text}", out.shape)

    def each(self, op, *xs, at=None):
        """Elementwise. Sizes of 1 are broadcast; an operand of smaller rank has the dimensions `at`, or the last."""
        rank = max(len(x.shape) for x in xs)
        shape = tuple(max(x.shape[i] for x in xs if len(x.shape) == rank) for i in range(rank))
        maps = []
        for x in xs:
            dims = at if at is not None and len(x.shape) < rank else range(rank - len(x.shape), rank)
            maps.append([f"d{d}" if n > 1 or shape[d] == 1 else "0" for d, n in zip(dims, x.shape)])
        maps.append([f"d{i}" for i in range(rank)])
        operands = ", ".join(f"%x{i}" for i in range(len(xs)))
        body = op if isinstance(op, list) else [f"%y = {op} {operands} : f32"]
        return self.generic(xs, self.empty(shape), maps, ["parallel"] * rank, body)

    def scaled(self, x, number, op="arith.mulf"):
        return self.each([f"%y = {op} %x0, %{self.constant(number)} : f32"], x)

    def reduced(self, op, x, dims, first=0.0):
        """Over `dims`, which stay with size 1."""
        shape = [1 if i in dims else n for i, n in enumerate(x.shape)]
        maps = [[f"d{i}" for i in range(len(shape))], ["0" if i in dims else f"d{i}" for i in range(len(shape))]]
        kinds = ["reduction" if i in dims else "parallel" for i in range(len(shape))]
        return self.generic([x], self.filled(shape, first), maps, kinds, [f"%y = {op} %x0, %o : f32"])

    def transposed(self, x, order):
        out = self.empty([x.shape[i] for i in order])
        self.lines.append(f"  %t{out.name} = linalg.transpose ins({x} : {x.text}) outs({out} : {out.text}) "
                          f"permutation = [{', '.join(map(str, order))}]")
        return Value(f"t{out.name}", out.shape)

    def product(self, x, y, op="linalg.matmul"):
        out = self.filled(x.shape[:-1] + y.shape[-1:])
        return self.add(f"{op} ins({x}, {y} : {x.text}, {y.text}) outs({out} : {out.text}) -> {out.text}", out.shape)

    def collapsed(self, x, groups):
        shape = [math.prod(x.shape[i] for i in g) for g in groups]
        text = Value("", shape).text
        return self.add(f"tensor.collapse_shape {x} {[list(g) for g in groups]} : {x.text} into {text}", shape)

    def expanded(self, x, groups, shape):
        text = Value("", shape).text
        return self.add(f"tensor.expand_shape {x} {[list(g) for g in groups]} output_shape {list(shape)} : "
                        f"{x.text} into {text}", shape)

    # ---- layers --------------------------------------------------------------------------

    def linear(self, x, n):
        """Of rows of two dimensions."""
        w, b = self.weight(n, x.shape[1]), self.weight(n)
        return self.each("arith.addf", self.product(x, self.transposed(w, (1, 0))), b)

    def relu(self, x):
        z = self.constant(0)
        return self.each([f"%c = arith.cmpf ugt, %x0, %{z} : f32", f"%y = arith.select %c, %x0, %{z} : f32"], x)

    def gelu(self, x):
        half, one, root = self.constant(0.5), self.constant(1), self.constant(0.7071067811865476)
        return self.each([f"%h = arith.mulf %x0, %{root} : f32", "%e = math.erf %h : f32",
                          f"%s = arith.addf %e, %{one} : f32", f"%t = arith.mulf %s, %{half} : f32",
                          "%y = arith.mulf %x0, %t : f32"], x)

    def layer_norm(self, x):
        last = len(x.shape) - 1
        n = x.shape[last]
        mean = self.scaled(self.reduced("arith.addf", x, [last]), n, "arith.divf")
        d = self.each("arith.subf", x, mean)
        var = self.scaled(self.reduced("arith.addf", self.each("arith.mulf", d, d), [last]), n, "arith.divf")
        root = self.each(["%y = math.rsqrt %x0 : f32"], self.scaled(var, 1e-5, "arith.addf"))
        y = self.each("arith.mulf", d, root)
        return self.each("arith.addf", self.each("arith.mulf", y, self.weight(n)), self.weight(n))

    def softmax(self, x):
        last = len(x.shape) - 1
        top = self.reduced("arith.maximumf", x, [last], -3.4e38)
        e = self.each(["%y = math.exp %x0 : f32"], self.each("arith.subf", x, top))
        return self.each("arith.divf", e, self.reduced("arith.addf", e, [last]))

    def attention(self, x, batch, heads):
        """Of rows (batch * time, width)."""
        width = x.shape[1]
        time, size = x.shape[0] // batch, width // heads

        def head(v, order):
            v = self.transposed(self.expanded(v, [(0, 1), (2, 3)], (batch, time, heads, size)), order)
            return self.collapsed(v, [(0, 1), (2,), (3,)])

        q, k, v = (self.linear(x, width) for _ in range(3))
        scores = self.product(head(q, (0, 2, 1, 3)), head(k, (0, 2, 3, 1)), "linalg.batch_matmul")
        p = self.softmax(self.scaled(scores, size**0.5, "arith.divf"))
        o = self.product(p, head(v, (0, 2, 1, 3)), "linalg.batch_matmul")
        o = self.expanded(o, [(0, 1), (2,), (3,)], (batch, heads, time, size))
        return self.linear(self.collapsed(self.transposed(o, (0, 2, 1, 3)), [(0, 1), (2, 3)]), width)

    def padded(self, x, pad, number):
        if not pad:
            return x
        shape = x.shape[:2] + tuple(s + 2 * pad for s in x.shape[2:])
        text, by = Value("", shape).text, f"[0, 0, {pad}, {pad}]"
        return self.add(f"tensor.pad {x} low{by} high{by} {{\n  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
                        f"    tensor.yield %{self.constant(number)} : f32\n  }} : {x.text} to {text}", shape)

    def windows(self, op, x, w, out, stride):
        return self.add(f"linalg.{op} {{dilations = dense<1> : vector<2xi64>, "
                        f"strides = dense<{stride}> : vector<2xi64>}} ins({x}, {w} : {x.text}, {w.text}) "
                        f"outs({out} : {out.text}) -> {out.text}", out.shape)

    def convolution(self, x, n, size, stride):
        w, x = self.weight(n, x.shape[1], size, size), self.padded(x, size // 2, 0)
        out = self.filled((x.shape[0], n) + tuple((s - size) // stride + 1 for s in x.shape[2:]))
        return self.windows("conv_2d_nchw_fchw", x, w, out, stride)

    def pooled(self, x):
        """The maximum of windows of 3 x 3, every second one."""
        x = self.padded(x, 1, -3.4e38)
        out = self.filled(x.shape[:2] + tuple((s - 3) // 2 + 1 for s in x.shape[2:]), -3.4e38)
        return self.windows("pooling_nchw_max", x, self.empty((3, 3)), out, 2)

    def batch_norm(self, x):
        n = x.shape[1]
        mean, var, scale, shift = self.argument(n), self.argument(n), self.weight(n), self.weight(n)
        root = self.each([f"%s = arith.addf %x0, %{self.constant(1e-5)} : f32", "%y = math.rsqrt %s : f32"],
                         self.each("arith.mulf", var, var))
        y = self.each("arith.mulf", self.each("arith.subf", x, mean, at=[1]), root, at=[1])
        return self.each("arith.addf", self.each("arith.mulf", y, scale, at=[1]), shift, at=[1])

    def mean_of_squares(self, x):
        """Of all results, where there are several: the sum of their means."""
        if isinstance(x, list):
            total = self.mean_of_squares(x[0])
            for y in x[1:]:
                total = self.each("arith.addf", total, self.mean_of_squares(y))
            return total
        total = self.reduced("arith.addf", self.each("arith.mulf", x, x), list(range(len(x.shape))))
        mean = self.scaled(total, float(math.prod(x.shape)), "arith.divf")
        return self.add(f"tensor.collapse_shape {mean} [] : {mean.text} into tensor<f32>", ())

    def store(self, folder):
        """All arguments but the first are constants dense_resource<NAME>, each in NAME.npy."""
        folder.mkdir(parents=True, exist_ok=True)
        draw = random.Random(0)
        numbers = array.array("f", (draw.gauss(0, 0.1) for _ in range(4099))).tobytes()
        for k, a in enumerate(self.arguments[1:]):
            size = 4 * math.prod(a.shape)
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {a.shape!r}, }}".ljust(245) + "\n"
            with open(folder / f"{a.name}.npy", "wb") as f:
                f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
                f.write((numbers[4 * k:] + numbers * (size // len(numbers) + 1))[:size])
            self.lines.insert(0, f"  {a} = arith.constant dense_resource<{a.name}> : {a.text}")
        del self.arguments[1:]

    def write(self, *results, name="main", private=False):
        types = ", ".join(r.text for r in results)
        arguments = ", ".join(f"{a}: {a.text}" for a in self.arguments)
        print(f"func.func {'private ' if private else ''}@{name}({arguments}) -> ({types}) {{")
        for number, name in self.constants.items():
            print(f"  %{name} = arith.constant {number:.9e} : f32")
        print("\n".join(self.lines))
        print(f"  return {', '.join(map(str, results))} : {types}\n}}")
