"""Row programs that nobody chose, for bench/gpu_rows --unseen: what is drawn, and torch-mlir's text of it.

A family is a method of Draw: PyTorch's program as text, of x, a list of tensors, and what these are. Ranks, sizes from
10^4 to 10^8 elements, alignments, types, reduced dimensions, windows and layouts are drawn. Each program has a
generator of numbers of its own, so the same seed and number is the same program at both scales: `full` fills a GPU,
`small` is for a CPU.
"""

import fnmatch
import json
import math
import random

BITS = {"full": (12, 20, 24, 25, 26, 27), "small": (10, 14, 16, 18, 19, 20)}
TYPES = ("f32", "f32", "bf16", "f16")


class Draw:
    def __init__(self, r, kind, scale):
        self.r, self.kind, self.scale = r, kind, scale
        self.type, self.inputs, self.wrt, self.upstream, self.notes = r.choice(TYPES), [], [], False, []
        self.dynamic = False
        self.bits = r.choice(BITS[scale]) + r.uniform(-1, 0.5)
        self.theirs = getattr(self, kind)()
        sizes = "_".join("x".join(map(str, s)) for s, _, _ in self.inputs[:1])
        self.name = "_".join([self.type, kind, *self.notes, sizes]) + ("_?" if self.dynamic else "")

    # ---- sizes and operands

    def size(self, bits, least=1):
        n = max(least, int(2 ** bits))
        align = self.r.choice((1, 1, 8, 64))
        return max(least, n // align * align or n)

    def shape(self, rank, bits=None, least=1):
        """rank sizes whose product is about 2^bits."""
        bits = self.bits if bits is None else bits
        parts = [self.r.uniform(0.4, 1.6) for _ in range(rank)]
        return [self.size(bits * p / sum(parts), least) for p in parts]

    def image(self, dims, channels=None):
        """Sizes of pictures: batch, channels, then dims sizes that are much alike."""
        c = channels or self.size(self.r.uniform(1, 8))
        side = max(4, int(2 ** ((self.bits - math.log2(c)) / dims * self.r.uniform(0.5, 0.95))))
        side = min(side, 1 << (16 if dims == 1 else 9 if dims == 2 else 7))
        n = max(1, int(2 ** self.bits / c / side ** dims))
        return [n, c, *(max(4, side + self.r.choice((0, 0, 0, -1, 3))) for _ in range(dims))]

    def x(self, *shape, kind="normal", type=None):
        self.inputs.append([list(shape), type or self.type, kind])
        return f"x[{len(self.inputs) - 1}]"

    def dims(self, rank):
        """Dimensions to reduce: any, often the last or the first, sometimes several."""
        r = self.r
        some = r.choice((1, 1, 1, 2)) if rank > 1 else 1
        d = r.choice(([rank - 1], [0], sorted(r.sample(range(rank), min(some, rank)))))
        self.notes.append("d" + "".join(map(str, d)))
        return d

    def activation(self, of):
        a = self.r.choice(("F.relu({})", "F.gelu({})", "F.silu({})", "torch.tanh({})", "F.leaky_relu({}, 0.1)",
                           "torch.sigmoid({})", "F.softplus({})", "F.hardswish({})", "F.elu({})", "({})"))
        return a.format(of)

    # ---- families

    def elementwise(self):
        r, shape = self.r, self.shape(self.r.randint(1, 5))
        self.dynamic = r.random() < 0.2
        v = self.x(*shape)
        for _ in range(r.randint(1, 4)):
            v = self.activation(v)
            op = r.choice(("{} * {}", "{} + {}", "{} - {}", "torch.maximum({}, {})"))
            which = r.choice(("same", "same", "last", "first", "number"))
            other = (str(round(r.uniform(0.1, 2), 3)) if which == "number" else self.x(*shape) if which == "same" else
                     self.x(shape[-1]) if which == "last" else self.x(shape[0], *[1] * (len(shape) - 1)))
            if which == "number":
                op = r.choice(("{} * {}", "{} + {}"))
            v = op.format(v, other)
        return f"lambda x: {v}"

    def gate(self):
        n, d = self.shape(2, least=4)
        act = self.r.choice(("gelu", "silu", "sigmoid"))
        self.notes.append(act)
        x = self.x(n, 2 * d)
        f = "torch.sigmoid" if act == "sigmoid" else f"F.{act}"
        return f"lambda x: {f}({x}[:, :{d}]) * {x}[:, {d}:]"

    def rope(self):
        b, s, h = self.shape(3, self.bits - 6)
        d = self.r.choice((64, 64, 96, 128))
        x, c, n = self.x(b, s, h, d), self.x(s, 1, d), self.x(s, 1, d)
        turned = f"torch.cat((-{x}[..., {d // 2}:], {x}[..., :{d // 2}]), -1)"
        return f"lambda x: {x} * {c} + {turned} * {n}"

    def transposed(self):
        r = self.r
        way = r.choice(("add", "last", "first", "heads", "move"))
        self.notes.append(way)
        if way == "add":
            n = self.size(self.bits / 2, 4)
            a, b = self.x(n, n), self.x(n, n)
            return f"lambda x: {self.activation(a)} + {b}.T"
        if way == "heads":
            b, s, h = self.shape(3, self.bits - 6)
            x = self.x(b, s, h, r.choice((32, 64, 80, 128)))
            return f"lambda x: ({x} * 0.5).transpose(1, 2).contiguous()"
        if way == "move":
            n, m, k = self.shape(3)
            a, b = self.x(n, m, k), self.x(n, k, m)
            return f"lambda x: {a}.transpose(1, 2) * {b}"
        n, c, h, w = self.image(2)
        if way == "last":
            x, s = self.x(n, c, h, w), self.x(c)
            return f"lambda x: {self.activation(f'{x}.permute(0, 2, 3, 1) + {s}')}.contiguous()"
        x, s = self.x(n, h, w, c), self.x(c)
        return f"lambda x: {self.activation(f'{x} * {s}')}.permute(0, 3, 1, 2).contiguous()"

    def reduce(self):
        r, rank = self.r, self.r.randint(1, 4)
        shape = self.shape(rank)
        if r.random() < 0.25:  # few long rows, or many short ones
            shape = r.choice(([r.choice((4, 16, 64, 250)), self.size(self.bits - 6, 8)],
                              [self.size(self.bits - 5, 8), r.choice((3, 12, 33, 64))]))
        d = self.dims(len(shape))
        self.dynamic = r.random() < 0.2
        what = r.choice(("sum", "mean", "amax", "amin", "logsumexp", "var", "std", "norm", "abs_mean", "squares"))
        if self.type == "f16" and what in ("sum", "norm", "squares"):
            self.type = "bf16"
        self.notes.append(what)
        x = self.x(*shape)
        if math.prod(shape[k] for k in d) < 2 and what in ("var", "std"):
            what = "sum"
        return "lambda x: " + {
            "sum": f"{x}.sum({d})", "mean": f"{x}.mean({d})", "amax": f"{x}.amax({d})", "amin": f"{x}.amin({d})",
            "logsumexp": f"torch.logsumexp({x}, {d})", "var": f"{x}.var({d})", "std": f"{x}.std({d})",
            "norm": f"torch.linalg.vector_norm({x}, 2, {d})", "abs_mean": f"{x}.abs().mean({d})",
            "squares": f"({x} * {x}).sum({d})"}[what]

    def arg(self):
        r, shape = self.r, self.shape(self.r.randint(2, 4), least=2)
        if r.random() < 0.3:
            shape = [self.size(self.bits / 3, 2), self.size(self.bits * 2 / 3, 2)]
        d = r.randrange(len(shape))
        self.type = "f32"  # of half types many are equal, and PyTorch's own choice depends on its version
        what = r.choice(("argmax", "argmin", "max", "min"))
        self.notes += [f"d{d}", what]
        return f"lambda x: {self.x(*shape)}.{what}({d})"

    def softmax(self):
        r, shape = self.r, self.shape(self.r.randint(2, 4), least=2)
        d = r.choice((len(shape) - 1, len(shape) - 1, 1, 0))
        self.dynamic = r.random() < 0.2
        what = r.choice(("softmax", "softmax", "log_softmax"))
        self.notes += [f"d{d}", what]
        x = self.x(*shape)
        way = r.choice(("plain", "scaled", "masked", "gradient"))
        self.notes.append(way)
        if way == "scaled":
            return f"lambda x: F.{what}({x} * 0.125, {d})"
        if way == "masked":
            return f"lambda x: F.{what}({x} + {self.x(*shape[-2:])}, {d})"
        if way == "gradient":
            self.wrt, self.upstream = [0], True
            self.x(*shape)
        return f"lambda x: F.{what}({x}, {d})"

    def rows_norm(self):
        r, (n, d) = self.r, self.shape(2, least=4)
        self.dynamic = r.random() < 0.2
        what = r.choice(("layer", "layer", "rms", "l2"))
        self.notes.append(what)
        x = self.x(n, d)
        source = x
        if r.random() < 0.3 and what != "l2":
            source = f"({x} + {self.x(n, d)})"
            self.notes.append("residual")
        if what == "layer":
            y = f"F.layer_norm({source}, ({d},), {self.x(d)}, {self.x(d)})"
        elif what == "rms":
            y = f"F.rms_norm({source}, ({d},), {self.x(d)}, 1e-5)"
        else:
            y = f"F.normalize({source}, 2, 1)"
        if r.random() < 0.3 and what != "l2":
            self.wrt, self.upstream = list(range(len(self.inputs))), True
            self.x(n, d)
            self.notes.append("gradient")
        return f"lambda x: {y}"

    def channels_norm(self):
        r, dims = self.r, self.r.choice((1, 2, 2, 3))
        what = r.choice(("group", "group", "instance", "train", "eval", "var_mean"))
        self.notes.append(what)
        c = r.choice((3, 8, 32, 64, 96, 128, 256)) if what != "group" else r.choice((8, 32, 64, 128, 320))
        shape = self.image(dims, c)
        if shape[0] * math.prod(shape[2:]) < 2:
            shape[0] += 1
        x = self.x(*shape)
        if what == "var_mean":
            return f"lambda x: torch.var_mean({x}, {[0, *range(2, 2 + dims)]})"
        w, b = self.x(c), self.x(c)
        if what == "group":
            y = f"F.group_norm({x}, {r.choice((2, 4, 8))}, {w}, {b})"
        elif what == "instance":
            y = f"F.instance_norm({x}, None, None, {w}, {b})"
        elif what == "train":
            y = f"F.batch_norm({x}, None, None, {w}, {b}, True)"
        else:
            y = f"F.batch_norm({x}, {self.x(c)}, {self.x(c, kind='positive')}, {w}, {b}, False)"
        if r.random() < 0.25:
            self.wrt, self.upstream = [0, 1, 2], True
            self.x(*shape)
            self.notes.append("gradient")
            return f"lambda x: {y}"
        return f"lambda x: {self.activation(y)}"

    def pool(self):
        r, dims = self.r, self.r.choice((1, 2, 2, 3))
        shape = self.image(dims)
        k, s = r.choice(((2, 2), (3, 2), (3, 1), (5, 1), (3, 3), (7, 4)))
        k = min(k, *shape[2:])
        p = r.choice((0, k // 2)) if k > 1 else 0
        what = r.choice(("max", "max", "avg", "avg", "indices", "gradient"))
        self.notes += [f"{what}{dims}d", f"k{k}s{s}p{p}"]
        x = self.x(*shape)
        if what == "indices":
            self.type, self.inputs[0][1] = "f32", "f32"
            return f"lambda x: F.max_pool{dims}d({x}, {k}, {s}, {p}, return_indices=True)"
        if what == "gradient":
            self.wrt, self.upstream = [0], True
            self.x(shape[0], shape[1], *((n + 2 * p - k) // s + 1 for n in shape[2:]))
            what = "avg"
        return f"lambda x: F.{what}_pool{dims}d({x}, {k}, {s}, {p})"

    def depthwise(self):
        r, dims = self.r, self.r.choice((1, 2, 2))
        shape = self.image(dims)
        k, s, d = r.choice((3, 3, 5, 7)), r.choice((1, 1, 2)), r.choice((1, 1, 2))
        shape[2:] = [max(n, d * (k - 1) + 1) for n in shape[2:]]
        c = shape[1]
        self.notes += [f"{dims}d", f"k{k}s{s}d{d}"]
        x, w, b = self.x(*shape), self.x(c, 1, *[k] * dims), self.x(c)
        y = f"F.conv{dims}d({x}, {w}, {b}, {s}, {k // 2 * d}, {d}, {c})"
        return f"lambda x: {self.activation(y) if r.random() < 0.5 else y}"

    def blur(self):
        r, (n, c, h, w) = self.r, self.image(2)
        way = r.choice(("rows", "difference", "shifts"))
        self.notes.append(way)
        x = self.x(n, c, h, w)
        if way == "rows":
            k = r.choice((3, 5, 9))
            k = min(k, w)
            return f"lambda x: {x}.unfold(3, {k}, 1).mean(-1)"
        if way == "difference":
            here = f"{x}[:, :, :-1, :-1]"
            return f"lambda x: ({x}[:, :, 1:, :-1] - {here}).abs() + ({x}[:, :, :-1, 1:] - {here}).abs()"
        return f"lambda x: 0.5 * {x}[..., 1:-1] + 0.25 * ({x}[..., :-2] + {x}[..., 2:])"

    def loss(self):
        r, (n, d) = self.r, self.shape(2, least=4)
        self.type = r.choice(("f32", "f32", "bf16"))
        self.dynamic = r.random() < 0.15
        what = r.choice(("mse", "l1", "huber", "bce", "cross_entropy", "cross_entropy", "kl", "cosine", "triplet",
                         "margin"))
        self.notes.append(what)
        if r.random() < 0.5:
            self.wrt = [0]
            self.notes.append("gradient")
        x = self.x(n, d)
        if what == "cross_entropy":
            return f"lambda x: F.cross_entropy({x}, {self.x(n, kind=f'label {d}', type='i64')})"
        if what == "bce":
            return f"lambda x: F.binary_cross_entropy_with_logits({x}, {self.x(n, d, kind='uniform')})"
        if what == "kl":
            return f"lambda x: F.kl_div(F.log_softmax({x}, 1), {self.x(n, d, kind='softmax')}, reduction='batchmean')"
        y = self.x(n, d)
        return "lambda x: " + {
            "mse": f"F.mse_loss({x}, {y})", "l1": f"F.l1_loss({x}, {y})", "huber": f"F.huber_loss({x}, {y})",
            "cosine": f"(1 - F.cosine_similarity({x}, {y}, 1)).mean()",
            "triplet": f"F.relu(({x} - {y}).pow(2).sum(1) - ({x} + {y}).pow(2).sum(1) + 1).mean()",
            "margin": f"F.soft_margin_loss({x}, torch.sign({y}))"}[what]

    def both_ways(self):
        """A loss over both directions of a matrix of similarities."""
        n = self.size(min(self.bits / 2, 14 if self.scale == "full" else 10), 4)
        self.type = self.r.choice(("f32", "bf16"))
        self.wrt = self.r.choice(([], [0]))
        x = self.x(n, n)
        return (f"lambda x: -(F.log_softmax({x}, 1).diagonal().mean() + F.log_softmax({x}, 0).diagonal().mean()) / 2")

    def update(self):
        """A step of an optimizer."""
        self.type, shape, what = "f32", self.shape(self.r.randint(1, 2), self.bits - 1), self.r.choice(
            ("adamw", "momentum", "average"))
        self.notes.append(what)
        w, g = self.x(*shape), self.x(*shape)
        if what == "average":
            return f"lambda x: {w} * 0.99 + {g} * 0.01"
        m = self.x(*shape)
        if what == "momentum":
            return f"lambda x: ({w} - 0.1 * ({m} * 0.9 + {g}), {m} * 0.9 + {g})"
        v = self.x(*shape, kind="positive")
        m1, v1 = f"({m} * 0.9 + {g} * 0.1)", f"({v} * 0.999 + {g} * {g} * 0.001)"
        return f"lambda x: ({w} * 0.999 - 1e-3 * {m1} / (torch.sqrt({v1}) + 1e-8), {m1}, {v1})"

    def resample(self):
        r, (n, c, h, w) = self.r, self.image(2)
        way = r.choice(("nearest", "shuffle", "pad", "adaptive", "mean"))
        self.notes.append(way)
        if way == "shuffle":
            return f"lambda x: F.pixel_shuffle({self.x(n, 4 * c, h, w)}, 2)"
        x = self.x(n, c, h, w)
        if way == "adaptive":
            self.inputs[0][0][2:] = [8 * max(1, h // 8), 8 * max(1, w // 8)]
            return f"lambda x: F.adaptive_avg_pool2d({x}, 8)"
        return "lambda x: " + {"nearest": f"F.interpolate({x}, scale_factor=2, mode='nearest')",
                               "pad": f"F.pad({x}, (1, 2, 3, 0))", "mean": f"{x}.mean((2, 3))"}[way]


FAMILIES = {"elementwise": 3, "gate": 1, "rope": 1, "transposed": 3, "reduce": 4, "arg": 2, "softmax": 3,
            "rows_norm": 3, "channels_norm": 4, "pool": 4, "depthwise": 2, "blur": 2, "loss": 3, "both_ways": 1,
            "update": 1, "resample": 1}


def programs(seed, count, scale, families=None):
    draw, some = [], {f: FAMILIES[f] for f in families or FAMILIES}
    for i in range(count):
        r = random.Random(f"{seed}:{i}")
        draw.append(Draw(r, r.choices(list(some), some.values())[0], scale))
    return draw


class Listed:
    """A program by name, for --both without a seed."""

    def __init__(self, name, theirs, inputs, wrt=(), upstream=False):
        sizes = "x".join(map(str, inputs[0][0]))
        self.type, self.name, self.kind = inputs[0][1], f"{inputs[0][1]}_{name}_{sizes}", name
        self.theirs, self.inputs, self.wrt, self.upstream, self.dynamic = theirs, inputs, list(wrt), upstream, False


def listed():
    """What sizes `?` are measured by: softmax, norms, losses and elementwise, of two types, large and small."""
    made, rms = [], "x[0] * torch.rsqrt((x[0].float() * x[0].float()).mean(1, True) + 1e-5).to(x[0].dtype) * x[1]"
    for t, n, d in (("bf16", 16384, 4096), ("f32", 40000, 1000), ("f32", 8192, 4095), ("bf16", 64, 256)):
        x, row = [[n, d], t, "normal"], [[d], t, "normal"]
        labels = [[n], "i64", f"label {d}"]
        made += [Listed("softmax", "lambda x: F.softmax(x[0], 1)", [x]),
                 Listed("layer_norm", f"lambda x: F.layer_norm(x[0], ({d},), x[1], x[2])", [x, row, row]),
                 Listed("rms_norm", f"lambda x: {rms}", [x, row]),
                 Listed("cross_entropy", "lambda x: F.cross_entropy(x[0], x[1])", [x, labels]),
                 Listed("cross_entropy_gradient", "lambda x: F.cross_entropy(x[0], x[1])", [x, labels], [0]),
                 Listed("mse_gradient", "lambda x: F.mse_loss(x[0], x[1])", [x, x], [0]),
                 Listed("gelu", "lambda x: F.gelu(x[0])", [x]), Listed("add", "lambda x: x[0] + x[1]", [x, x])]
    return made


# ---- torch-mlir's text -----------------------------------------------------------------------------------------


def text(draw, dynamic=None):
    """The program in linalg, with sizes `?` where it is drawn so or asked for."""
    import torch
    import torch.nn.functional as F
    from sinter_torch._linalg import linalg_of, text_of
    from torch._subclasses import FakeTensorMode

    class Program(torch.nn.Module):
        def forward(self, *x):
            return eval(draw.theirs, {"torch": torch, "F": F, "math": math})(x)

    inputs = draw.inputs[:-1] if draw.upstream else draw.inputs
    types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64}
    with FakeTensorMode():
        x = tuple(torch.empty(s, dtype=types[t]) for s, t, _ in inputs)
    shapes = (tuple({d: torch.export.Dim.AUTO for d in range(len(s)) if s[d] > 1} for s, _, _ in inputs)
              if (draw.dynamic if dynamic is None else dynamic) else None)
    exported = torch.export.export(Program(), x, dynamic_shapes=(shapes,) if shapes else None, strict=False)
    for part in exported.graph_module.modules():
        for node in part.graph.nodes:  # a view of what torch-mlir lays out otherwise is a reshape
            if node.target is torch.ops.aten.view.default:
                node.target = torch.ops.aten.reshape.default
    return text_of(linalg_of(exported, "main", gradients=bool(draw.wrt)))


def case(number, draw, both=False):
    """What bench/drawn.py compiles and runs; both: sizes that are known, and beside them `?` as a variant,
    all in CUDA graphs: kernels are compared, not what a call takes the host."""
    if both:
        draw.dynamic, draw.name = False, draw.name.removesuffix("_?")
    c = {"name": f"{number:02}_{draw.name}", "type": draw.type, "inputs": draw.inputs, "theirs": draw.theirs,
         "wrt": draw.wrt, "upstream": draw.upstream, "compiled": True, "family": draw.kind, "error": None}
    if draw.dynamic:
        c["shapes"] = [s for s, _, _ in draw.inputs]
    try:
        if both:
            c |= {"variants": {"any": []}, "texts": {"any": text(draw, True)}, "graphs": True}
        c["text"] = text(draw)
    except Exception as why:
        lines = [line for line in str(why).splitlines() if line.strip()] or [""]
        c["error"] = f"not exported: {type(why).__name__}: {next((x for x in lines if 'error:' in x), lines[0])[:200]}"
    return c


def exported(seed, count, only, keep):
    """(name, file, flags of sinter-cc, error) of each program at full scale; what `keep` has is not exported again."""
    made = []
    for i, d in enumerate(programs(seed, count, "full")):
        if not fnmatch.fnmatch(f"{i:02}_{d.name}", only):
            continue
        source, about = keep / f"{seed}_{i}.mlir", keep / f"{seed}_{i}.json"
        if not about.exists():
            c = case(i, d)
            source.write_text(c.get("text", ""))
            about.write_text(json.dumps({k: c.get(k) for k in ("name", "wrt", "upstream", "error")}))
        c = json.loads(about.read_text())
        flags = [f"--wrt={','.join(map(str, c['wrt']))}"] if c["wrt"] else []
        flags += ["--upstream"] if c["upstream"] else []
        made.append((c["name"], source, flags, c["error"]))
    return made
