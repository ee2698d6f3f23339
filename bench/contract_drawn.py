"""Programs around products that nobody chose: what gpu_contract and contract draw.

A program is one of: a product (sizes of any alignment, either order of both sides), a batch of them, two products of
one side with a gate (swiglu), a product whose side has a program (a norm's gain), one whose rows are reduced
(log-sum-exp), a convolution (1 or 2 dimensions, either layout, stride, dilation, padding, bias, relu), one of each
channel alone (depthwise). Types: bf16, f16, f32. SHORT_KINDS: floats of 8 bits with a scale of each side, or bf16 by
weights of 8 bits, 4 bits (two to a byte) or f8E4M3FN with a scale for each group of a line.
"""
import collections
import math
import random

# The largest product, tensor and size: 2 to the `bits`.
Limits = collections.namedtuple("Limits", "flops elements bits")
GPU, CPU = Limits(2e12, 2 ** 29, 14), Limits(6e9, 2 ** 24, 12)
SMALL_FROM = 112  # the first seed of a CPU that draws images of 1 to 4 places, too: older ones stay what they were


class Draw:
    """One program: its text, its operands, what PyTorch calls it (of x, a list of tensors), its multiplications."""

    def __init__(self, r, kind, limits=GPU, small=False):
        self.most, self.draws_small = limits, small
        self.r, self.type = r, r.choice(("bf16", "bf16", "f16", "f32"))
        self.inputs, self.flops, self.compiled, self.name = [], 0, True, kind
        self.own = {}  # of an input: its type and kind, if not the program's
        getattr(self, kind)()

    def size(self, most=14, least=0):
        n = int(2 ** self.r.uniform(least, min(most, self.most.bits)))
        align = self.r.choice((1, 1, 8, 64))
        return max(1, n // align * align or n)

    def image(self, most):
        """Places of a line."""
        if self.draws_small and self.r.random() < .25:
            return self.r.choice((1, 2, 3, 4))
        return self.size(most, 3)

    def tensor(self, *shape, t=None):
        return f"tensor<{''.join(f'{d}x' for d in shape)}{t or self.type}>"

    def operand(self, *shape, t=None, kind=None):
        self.inputs.append(list(shape))
        if t:
            self.own[len(self.inputs) - 1] = [t, kind or "normal"]
        return f"%x{len(self.inputs) - 1}"

    def small(self, value, row, n, body):
        """The row in the program's type."""
        if self.type == "f32":
            return value
        body.append(f"%small = arith.truncf {value} : {row} to {self.tensor(n)}")
        return "%small"

    def write(self, dims, columns, products, sums, out, at, body, row, ins=()):
        n = math.prod(d for _, d in columns)
        list_of = lambda l: ", ".join(f"{k} = {v}" for k, v in l)
        of = lambda i: self.own.get(i, [None])[0]
        arguments = ", ".join(f"%x{i}: {self.tensor(*s, t=of(i))}" for i, s in enumerate(self.inputs))
        made = [f"%p{i}: {row}" for i in range(len(products))] + [a for _, a in ins]
        text = f"func.func @main({arguments}) -> {self.tensor(*out)} {{\n  %e = tensor.empty() : {self.tensor(*out)}\n"
        text += f"  %y = sinter.contract ({list_of(dims)}) by ({list_of(columns)})\n"
        for i, (a, b) in enumerate(products):
            own = [(k if i == 0 else f"{k}_", v) for k, v in sums]
            text += f"      product ({list_of(own)}) ({a}, {b}) : f32\n"
        if ins:
            text += f"      ins({', '.join(i for i, _ in ins)})\n"
        text += f"      outs(%e[{at}] : {self.tensor(*out)}) {{\n  ^row({', '.join(made)}):\n    "
        text += "\n    ".join(body) + f"\n  }}\n  return %y : {self.tensor(*out)}\n}}\n"
        self.text, self.out = text, list(out)
        self.flops += 2 * len(products) * math.prod(d for _, d in dims) * n * math.prod(d for _, d in sums)

    def matrices(self, m, n, k):
        """The sides of a product, each in either order: subscripts, and PyTorch's x @ w."""
        of = {"i": m, "j": n, "k": k}
        a, b = self.r.choice(("ik", "ik", "ki")), self.r.choice(("jk", "kj"))
        self.name += f"_{m}x{n}x{k}_{a}_{b}"
        sides = []
        for s in (a, b):
            shape = [of[c] for c in s]
            sides.append((self.operand(*shape), ", ".join(s), self.tensor(*shape)))
        x = f"x[{len(self.inputs) - 2}]" + ("" if a == "ik" else ".T")
        w = f"x[{len(self.inputs) - 1}]" + ("" if b == "kj" else ".T")
        return [f"{v}[{at}] : {t}" for v, at, t in sides], x, w

    def sizes(self, most):
        while True:
            m, n, k = self.size(most), self.size(most), self.size(most)
            if 2 * m * n * k < self.most.flops and max(m * n, m * k, n * k) < self.most.elements:
                return m, n, k

    def epilogue(self, n, row, at="j"):
        """bias and an activation: lines of the body, the value, an input's access, PyTorch's words."""
        act = self.r.choice((None, "relu", "gelu"))
        if not act:
            return [], "%p0", [], "{}"
        self.name += f"_{act}"
        bias, body = self.operand(n), []
        value = "%bias"
        if self.type != "f32":
            body.append(f"%wide = arith.extf %bias : {self.tensor(n)} to {row}")
            value = "%wide"
        body.append(f"%v = arith.addf %p0, {value} : {row}")
        if act == "relu":
            body += [f"%z = arith.constant dense<0.0> : {row}", f"%r = arith.maximumf %v, %z : {row}"]
        else:
            body += [f"%h = arith.constant dense<0.5> : {row}", f"%o = arith.constant dense<1.0> : {row}",
                     f"%q = arith.constant dense<0.70710678118654752> : {row}", f"%s = arith.mulf %v, %q : {row}",
                     f"%f = math.erf %s : {row}", f"%g = arith.addf %f, %o : {row}", f"%u = arith.mulf %v, %h : {row}",
                     f"%r = arith.mulf %u, %g : {row}"]
        ins = [(f"{bias}[{at}] : {self.tensor(n)}", f"%bias: {self.tensor(n)}")]
        return body, "%r", ins, f"F.{act}({{}} + x[{len(self.inputs) - 1}])"

    def product(self):
        m, n, k = self.sizes(14)
        sides, x, w = self.matrices(m, n, k)
        row = self.tensor(n, t="f32")
        body, v, ins, torch = self.epilogue(n, row)
        self.compiled = bool(ins)
        body.append(f"sinter.yield {self.small(v, row, n, body)} : {self.tensor(n)}")
        self.theirs = torch.format(f"({x} @ {w})")
        self.write([("i", m)], [("j", n)], [sides], [("k", k)], (m, n), "i, j", body, row, ins)

    def batch(self):
        h = self.size(7, 1)
        while True:
            m, n, k = self.size(11), self.size(11), self.size(11)
            if 2 * h * m * n * k < self.most.flops:
                break
        b = self.r.choice(("jk", "kj"))
        of = {"j": n, "k": k}
        self.name += f"_{h}x{m}x{n}x{k}_{b}"
        self.compiled = False
        x, w = self.operand(h, m, k), self.operand(h, *[of[c] for c in b])
        row, body = self.tensor(n, t="f32"), []
        body.append(f"sinter.yield {self.small('%p0', row, n, body)} : {self.tensor(n)}")
        self.theirs = "x[0] @ x[1]" + ("" if b == "kj" else ".mT")
        self.write([("h", h), ("i", m)], [("j", n)], [(f"{x}[h, i, k] : {self.tensor(h, m, k)}",
                   f"{w}[h, {', '.join(b)}] : {self.tensor(h, *[of[c] for c in b])}")], [("k", k)], (h, m, n),
                   "h, i, j", body, row)

    def swiglu(self):
        m, n, k = self.sizes(13)
        self.name += f"_{m}x{n}x{k}"
        x, u, v = self.operand(m, k), self.operand(n, k), self.operand(n, k)
        row = self.tensor(n, t="f32")
        body = [f"%o = arith.constant dense<1.0> : {row}", f"%n = arith.negf %p0 : {row}", f"%f = math.exp %n : {row}",
                f"%d = arith.addf %f, %o : {row}", f"%s = arith.divf %p0, %d : {row}",
                f"%r = arith.mulf %s, %p1 : {row}"]
        body.append(f"sinter.yield {self.small('%r', row, n, body)} : {self.tensor(n)}")
        self.theirs = "F.silu(x[0] @ x[1].T) * (x[0] @ x[2].T)"
        t, w = self.tensor(m, k), self.tensor(n, k)
        self.write([("i", m)], [("j", n)], [(f"{x}[i, k] : {t}", f"{u}[j, k] : {w}"),
                                            (f"{x}[i, k_] : {t}", f"{v}[j, k_] : {w}")], [("k", k)], (m, n), "i, j",
                   body, row)

    def gain(self):
        m, n, k = self.sizes(13)
        self.name += f"_{m}x{n}x{k}"
        x, w, g = self.operand(m, k), self.operand(n, k), self.operand(k)
        row, line, body = self.tensor(n, t="f32"), self.tensor(k), []
        body.append(f"sinter.yield {self.small('%p0', row, n, body)} : {self.tensor(n)}")
        side = (f"side({x}[i, k] : {self.tensor(m, k)}, {g}[k] : {line}) {{\n  ^side(%a: {line}, %b: {line}):\n"
                f"    %c = arith.mulf %a, %b : {line}\n    sinter.yield %c : {line}\n  }}")
        self.theirs = "(x[0] * x[2]) @ x[1].T"
        self.write([("i", m)], [("j", n)], [(side, f"{w}[j, k] : {self.tensor(n, k)}")], [("k", k)], (m, n), "i, j",
                   body, row)

    def reduced(self):
        m, n, k = self.sizes(13)
        sides, x, w = self.matrices(m, n, k)
        row = self.tensor(n, t="f32")
        body = [f"%m = sinter.row_reduce maximumf %p0 : {row} -> f32", f"%b = sinter.broadcast %m : f32 -> {row}",
                f"%d = arith.subf %p0, %b : {row}", f"%f = math.exp %d : {row}",
                f"%s = sinter.row_reduce add %f : {row} -> f32", "%l = math.log %s : f32",
                "%r = arith.addf %l, %m : f32"]
        v = "%r"
        if self.type != "f32":
            body.append(f"%t = arith.truncf %r : f32 to {self.type}")
            v = "%t"
        body.append(f"sinter.yield {v} : {self.type}")
        self.theirs = f"torch.logsumexp(({x} @ {w}).float() if x[0].dtype != torch.float64 else {x} @ {w}, 1)"
        self.write([("i", m)], [("j", n)], [sides], [("k", k)], (m,), "i", body, row)

    def float8(self):
        self.type, aligned = "bf16", lambda most: max(16, self.size(most) // 16 * 16)
        m, n, k = aligned(13), aligned(13), aligned(13)
        t = self.r.choice(("f8E4M3FN", "f8E5M2"))
        self.name += f"_{t[2:6].lower()}_{m}x{n}x{k}"
        x, w = self.operand(m, k, t=t), self.operand(n, k, t="f8E4M3FN")
        a, b = (self.operand(t="f32", kind="uniform") for _ in range(2))
        row, body = self.tensor(n, t="f32"), ["%s = arith.mulf %a, %b : f32"]
        body += [f"%spread = sinter.broadcast %s : f32 -> {row}", f"%r = arith.mulf %p0, %spread : {row}"]
        body.append(f"sinter.yield {self.small('%r', row, n, body)} : {self.tensor(n)}")
        self.theirs = ("x[0] @ x[1].T * x[2] * x[3] if x[0].dtype == torch.float64 else "
                       "torch._scaled_mm(x[0], x[1].T, x[2], x[3], out_dtype=torch.bfloat16)")
        scales = [(f"{v}[] : tensor<f32>", f"{name}: f32") for v, name in ((a, "%a"), (b, "%b"))]
        self.compiled = False
        self.write([("i", m)], [("j", n)], [(f"{x}[i, k] : {self.tensor(m, k, t=t)}",
                   f"{w}[j, k] : {self.tensor(n, k, t='f8E4M3FN')}")], [("k", k)], (m, n), "i, j", body, row, scales)

    def weights(self):
        self.type, kind, group = "bf16", self.r.choice(("i8", "i4", "f8")), self.r.choice((32, 64, 128))
        m, n, k = self.size(12), max(8, self.size(13) // 8 * 8), max(1, self.size(13) // group) * group
        self.name += f"_{kind}_{m}x{n}x{k}_{group}"
        t, groups, nibbles = "f8E4M3FN" if kind == "f8" else "i8", k // group, kind == "i4"
        x = self.operand(m, k)
        w = self.operand(n, k // 2 if nibbles else k, t=t, kind=None if kind == "f8" else "label 256")
        s, row = self.operand(n, groups, t="f32", kind="uniform"), self.tensor(n, t="f32")
        lane = self.tensor(k, t=t)
        if nibbles:
            lanes, bits = self.tensor(k, t="index"), self.tensor(k, t="i1")
            sums = [("k", groups), ("l", group // 2), ("m", 2)]
            at, of = f"j, k * {group // 2} + l", f"i, k * {group} + l * 2 + m"
            make = [f"%c15 = arith.constant dense<15> : {lane}", f"%c4 = arith.constant dense<4> : {lane}",
                    f"%c8 = arith.constant dense<8> : {lane}", f"%c0 = arith.constant dense<0> : {lanes}",
                    f"%m = sinter.index m : {lanes}", f"%is = arith.cmpi eq, %m, %c0 : {lanes}",
                    f"%low = arith.andi %q, %c15 : {lane}", f"%high = arith.shrui %q, %c4 : {lane}",
                    f"%u = arith.select %is, %low, %high : {bits}, {lane}", f"%v = arith.subi %u, %c8 : {lane}"]
            theirs = "torch.stack((x[1].view(torch.uint8) & 15, x[1].view(torch.uint8) >> 4), -1).to(x[2].dtype) - 8"
        else:
            sums, at, of, make = [("k", groups), ("l", group)], f"j, k * {group} + l", f"i, k * {group} + l", []
            theirs = "x[1].to(x[2].dtype)"
        wide, v = self.tensor(k, t="f32"), "%v" if nibbles else "%q"
        make += [f"%f = arith.{'extf' if kind == 'f8' else 'sitofp'} {v} : {lane} to {wide}",
                 f"%d = arith.mulf %f, %g : {wide}", f"%t = arith.truncf %d : {wide} to {self.tensor(k)}",
                 f"sinter.yield %t : {self.tensor(k)}"]
        shape = self.inputs[1]
        side = (f"side({w}[{at}] : {self.tensor(*shape, t=t)}, {s}[j, k] : {self.tensor(n, groups, t='f32')}) {{\n"
                f"  ^side(%q: {lane}, %g: {wide}):\n    " + "\n    ".join(make) + "\n  }")
        body = []
        body.append(f"sinter.yield {self.small('%p0', row, n, body)} : {self.tensor(n)}")
        self.theirs = (f"x[0] @ (({theirs}).reshape({n}, {groups}, {group}) * x[2][:, :, None]).reshape({n}, {k})"
                       ".to(x[0].dtype).T")
        self.write([("i", m)], [("j", n)], [(f"{x}[{of}] : {self.tensor(m, k)}", side)], sums, (m, n), "i, j", body,
                   row)

    def convolution(self):
        r, dims = self.r, self.r.choice((1, 2, 2))
        last = r.random() < .5
        while True:
            n, c, o = self.size(6), self.size(9), self.size(9)
            h = self.image(12 if dims == 1 else 7)
            s, stride, dilation = r.choice((1, 3, 3, 5, 7)), r.choice((1, 1, 2)), r.choice((1, 1, 1, 2))
            pad = r.choice((0, s // 2 * dilation))
            oh = (h + 2 * pad - dilation * (s - 1) - 1) // stride + 1
            if (oh > 0 and 2 * n * o * c * (oh * s) ** dims < self.most.flops / 8
                    and n * max(c, o) * h ** dims < self.most.elements):
                break
        self.name += f"{dims}d_{n}x{c}x{h}_{o}_{s}{'_last' if last else ''}_s{stride}p{pad}d{dilation}"
        names, taps = ["y", "x"][:dims], ["r", "s"][:dims]
        where = [f"{y}{f' * {stride}' if stride > 1 else ''} + {t}{f' * {dilation}' if dilation > 1 else ''}"
                 f"{f' - {pad}' if pad else ''}" for y, t in zip(names, taps)]
        image, kernel, out = [h] * dims, [s] * dims, [oh] * dims
        order = lambda first, rest, channels: [first, *rest, channels] if last else [first, channels, *rest]
        x, w = self.operand(*order(n, image, c)), self.operand(*order(o, kernel, c))
        tx, tw, to = (self.tensor(*order(*d)) for d in ((n, image, c), (o, kernel, c), (n, out, o)))
        a = f"{x}[{', '.join(order('n', where, 'c'))}] : {tx}" + (" else 0.0" if pad else "")
        b = f"{w}[{', '.join(order('o', taps, 'c'))}] : {tw}"
        bias = self.operand(o)
        act = r.choice((None, "relu"))
        columns = [("o", o)] if last else list(zip(names, out))
        rows = [("n", n)] + (list(zip(names, out)) if last else [("o", o)])
        length = o if last else oh ** dims
        row, body = self.tensor(length, t="f32"), []
        value, t = "%bias", self.tensor(length) if last else self.type
        wide = row if last else "f32"
        if self.type != "f32":
            body.append(f"%wide = arith.extf %bias : {t} to {wide}")
            value = "%wide"
        if not last:
            body.append(f"%spread = sinter.broadcast {value} : f32 -> {row}")
            value = "%spread"
        body.append(f"%v = arith.addf %p0, {value} : {row}")
        v = "%v"
        if act:
            body += [f"%z = arith.constant dense<0.0> : {row}", f"%r = arith.maximumf %v, %z : {row}"]
            v = "%r"
            self.name += "_relu"
        body.append(f"sinter.yield {self.small(v, row, length, body)} : {self.tensor(length)}")
        sums = list(zip(taps, kernel)) + [("c", c)] if last else [("c", c)] + list(zip(taps, kernel))
        tensor = "x[{}].movedim(-1, 1)" if last else "x[{}]"
        call = (f"F.conv{dims}d({tensor.format(0)}, {tensor.format(1)}, x[2], {stride}, {pad}, {dilation})")
        call = f"F.relu({call})" if act else call
        self.theirs = call + (".movedim(1, -1)" if last else "")
        self.compiled = bool(act)
        self.write(rows, columns, [(a, b) if last else (b, a)], sums, order(n, out, o),
                   ", ".join(order("n", names, "o")), body, row, [(f"{bias}[o] : {self.tensor(o)}", f"%bias: {t}")])


    def depthwise(self):
        r = self.r
        while True:
            n, c, h = self.size(5), self.size(9), self.image(7)
            s, stride = r.choice((3, 3, 5, 7)), r.choice((1, 1, 2))
            pad = r.choice((0, s // 2))
            oh = (h + 2 * pad - s) // stride + 1
            if oh > 0 and n * c * h * h < self.most.elements and 2 * n * c * (oh * s) ** 2 < self.most.flops:
                break
        self.name += f"_{n}x{c}x{h}_{s}_s{stride}p{pad}"
        self.compiled = False
        times = f" * {stride}" if stride > 1 else ""
        less = f" - {pad}" if pad else ""
        x, w, out = (n, c, h, h), (c, s, s), (n, c, oh, oh)
        image, taps = self.operand(*x), self.operand(*w)
        line, wide = self.tensor(s * s), self.tensor(s * s, t="f32")
        body = [f"%p = arith.mulf %a, %b : {line}", f"%t = sinter.row_reduce add %p : {line} -> f32",
                "sinter.yield %t : f32"]
        if self.type != "f32":
            body = [f"%u = arith.extf %a : {line} to {wide}", f"%v = arith.extf %b : {line} to {wide}",
                    f"%p = arith.mulf %u, %v : {wide}", f"%t = sinter.row_reduce add %p : {wide} -> f32",
                    f"%q = arith.truncf %t : f32 to {self.type}", f"sinter.yield %q : {self.type}"]
        self.text = (
            f"func.func @main({image}: {self.tensor(*x)}, {taps}: {self.tensor(*w)}) -> {self.tensor(*out)} {{\n"
            f"  %e = tensor.empty() : {self.tensor(*out)}\n"
            f"  %y = sinter.rowwise (n = {n}, c = {c}, y = {oh}, x = {oh}) by (r = {s}, s = {s})\n"
            f"      ins({image}[n, c, y{times} + r{less}, x{times} + s{less}] : {self.tensor(*x)}"
            f"{' else 0.0' if pad else ''}, {taps}[c, r, s] : {self.tensor(*w)})\n"
            f"      outs(%e[n, c, y, x] : {self.tensor(*out)}) {{\n  ^row(%a: {line}, %b: {line}):\n    "
            + "\n    ".join(body) + f"\n  }}\n  return %y : {self.tensor(*out)}\n}}\n")
        self.out, self.flops = list(out), 2 * n * c * (oh * s) ** 2
        self.theirs = f"F.conv2d(x[0], x[1][:, None], None, {stride}, {pad}, 1, {c})"


KINDS = ("product", "product", "product", "batch", "swiglu", "gain", "reduced", "convolution", "convolution",
         "convolution")


SHORT_KINDS = ("float8", "weights", "weights")


def programs(seed, count, kinds=KINDS, limits=GPU):
    r, small = random.Random(seed), limits is CPU and seed >= SMALL_FROM
    return [Draw(r, r.choice(kinds), limits, small) for _ in range(count)]


def case(i, d):
    shrink = max(1.0, d.flops / (2 * math.prod(d.out))) ** -.25  # sums stay where f16 is
    return {"name": f"{i:02}_{d.type}_{d.name}", "text": d.text, "type": d.type, "theirs": f"lambda x: {d.theirs}",
            "inputs": [[s, *d.own.get(k, [d.type, f"times {shrink}"])] for k, s in enumerate(d.inputs)],
            "compiled": d.compiled, "flops": d.flops}
