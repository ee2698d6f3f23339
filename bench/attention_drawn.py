"""Attention as people write it in PyTorch, drawn, for bench/attention --exported: torch-mlir's text of it.

Drawn are the spelling (scaled_dot_product_attention, matmul and softmax, einsum), what becomes of a score (a scale, a
bias by rows, heads or keys, slopes, a soft cap, masks by index, by length, by document), what stands in a softmax's
place, lengths, heads, groups of heads that share keys, head sizes, layouts, types, and whether there are gradients.
Each program has a generator of numbers of its own: the same seed and number is the same program at both scales. `full`
fills a GPU, `small` is for a CPU and for the emulator, `large` is what takes a CPU some tenths of a second.
"""

import math
import random

from gpu_rows_drawn import text

MOST_FLOPS = {"full": 1.5e12, "small": 1.5e12, "large": 1e10}
MOST_SCORES = 2 ** 29  # of PyTorch's own scores, written out, and kept for gradients
# What the texts may call: of the keys that h heads read, a copy for each head, as transformers writes it.
REPEAT = "{x}[:, :, None].expand({b}, {kv}, {g}, {t}, {d}).reshape({b}, {h}, {t}, {d})"


class Draw:
    def __init__(self, r, scale):
        self.r, self.scale, self.dynamic = r, scale, False
        self.type, self.inputs, self.wrt, self.notes = r.choice(("bf16", "bf16", "bf16", "f16", "f32")), [], [], []
        self.upstream = False
        self.sizes()
        self.spelling = r.choice(("sdpa", "sdpa", "matmul", "matmul", "einsum"))
        gradients, layout = r.random() < 0.35 and self.t > 1, r.choice(("heads", "heads", "turned", "packed", "flat"))
        self.flex, self.block, self.plain = [], None, None
        q, k, v = self.sides(layout)
        many = len(self.inputs)  # what gradients are by
        q = self.positions(q)
        self.theirs = self.program(q, k, v)
        self.wrt, self.upstream = (list(range(many)), True) if gradients else ([], False)
        if gradients:
            if self.biased is not None and r.random() < 0.5:
                self.wrt.append(self.biased)
                self.notes.append("dbias")
                self.peers.pop("flex", None)  # what it captured is not asked again
            self.inputs.append([self.result, self.type, "times 1"])
        kind = "_".join([self.spelling, *self.notes, layout] + (["gradients"] if gradients else []))
        heads = f"{self.h}by{self.g}" if self.g > 1 else f"{self.h}"
        self.kind = self.spelling
        self.name = f"{self.type}_{kind}_{self.b}x{heads}_{self.t}x{self.k}_{self.d}"

    # ---- sizes and operands

    def sizes(self):
        r = self.r
        self.d = r.choice((32, 64, 64, 64, 80, 96, 128, 128, 128, 256))
        self.h, self.g = r.choice((1, 4, 8, 12, 16, 32)), r.choice((1, 1, 2, 4))
        self.g = self.g if self.h % self.g == 0 else 1
        bits, few, own, ragged = r.uniform(6, 13), r.random(), r.random(), r.choice((0, 0, 1, 3, 29))
        self.t = max(2, int(2 ** bits) // 64 * 64 - ragged)
        self.k = self.t
        if few < 0.15:
            self.t = 1
        elif own < 0.2:
            self.k = r.choice((77, 197, 512, 1500))
        most = r.choice((1, 2, 4, 16))
        self.b = most
        if self.scale == "small":
            self.d, self.h = r.choice((16, 24, 32)), {1: 1, 12: 6}.get(self.h, 4)
            self.g = self.g if self.h % self.g == 0 else 1
            self.b, own = min(most, 2), self.t != self.k
            self.t = 1 if self.t == 1 else 24 + int(bits * 7) % 40 - ragged % 4
            self.k = 40 + ragged if own else self.t
        if self.scale == "large":
            self.t, self.k = min(self.t, 4096), min(self.k, 4096) if self.t > 1 else self.k
        flops = lambda: 4 * self.b * self.h * self.t * self.k * self.d
        while self.b > 1 and flops() > MOST_FLOPS[self.scale]:
            self.b //= 2
        while self.scale == "large" and self.h > 1 and flops() > MOST_FLOPS["large"]:
            self.h //= 2
        self.g = self.g if self.h % self.g == 0 else 1
        while self.h > self.g and self.b * self.h * self.t * self.k > MOST_SCORES:
            self.h //= 2
            self.g = self.g if self.h % self.g == 0 else 1
        self.kv = self.h // self.g

    def x(self, *shape, kind="times 1", type=None):
        self.inputs.append([list(shape), type or self.type, kind])
        return f"x[{len(self.inputs) - 1}]"

    def sides(self, layout):
        b, h, kv, t, k, d = self.b, self.h, self.kv, self.t, self.k, self.d
        if layout == "packed" and t == k and h == kv:
            x = self.x(b, t, 3, h, d)
            return [f"{x}[:, :, {i}].transpose(1, 2)" for i in range(3)]
        if layout == "flat":
            return [f"{self.x(b, n, m * d)}.view({b}, {n}, {m}, {d}).transpose(1, 2)"
                    for n, m in ((t, h), (k, kv), (k, kv))]
        if layout != "heads":
            return [f"{self.x(b, n, m, d)}.transpose(1, 2)" for n, m in ((t, h), (k, kv), (k, kv))]
        return [self.x(b, m, n, d) for n, m in ((t, h), (k, kv), (k, kv))]

    def positions(self, q):
        """Queries turned by their positions, now and then."""
        if self.r.random() < 0.15:
            self.notes.append("rope")
            half, c, s = self.d // 2, self.x(self.t, self.d), self.x(self.t, self.d)
            return f"(({q}) * {c} + torch.cat((-({q})[..., {half}:], ({q})[..., :{half}]), -1) * {s})"
        return q

    # ---- masks, as an expression of i and j, which may broadcast; as a text that makes them of x

    def mask(self):
        r, t, k = self.r, self.t, self.k
        device = "device=x[0].device"
        i = f"torch.arange({k - t}, {k}, {device})[:, None]" if k >= t else f"torch.arange({t}, {device})[:, None]"
        j = f"torch.arange({k}, {device})[None, :]"
        kinds = ["none", "none", "causal", "causal", "causal", "window", "lengths", "lengths", "documents", "prefix"]
        kind = r.choice(kinds) if t == k else r.choice(("none", "none", "lengths", "given"))
        at, window, prefix = k - t if k >= t else 0, r.choice((5, 128, 500, 1024)), r.choice((3, 32, 100))
        if self.scale == "small":
            window, prefix = 5, 3
        self.notes += [kind] if kind != "none" else []
        off = f"i + {at}" if at else "i"
        if kind == "causal":
            self.block = f"lambda b, h, i, j: j <= {off}"
            return f"{j} <= {i}"
        if kind == "window":
            self.block = f"lambda b, h, i, j: (j <= {off}) & (j > {off} - {window})"
            return f"({j} <= {i}) & ({j} > {i} - {window})"
        if kind == "prefix":
            self.block = f"lambda b, h, i, j: (j <= {off}) | (j < {prefix})"
            return f"({j} <= {i}) | ({j} < {prefix})"
        if kind == "lengths":
            n = self.x(self.b, kind=f"label {k}", type="i64")
            self.block = f"lambda b, h, i, j: j <= {n}[b]"
            return f"({j} <= {n}[:, None])[:, None, None, :]"
        if kind == "documents":
            n = self.x(self.b, k, kind="label 4", type="i64")
            self.block = f"lambda b, h, i, j: {n}[b, i] == {n}[b, j]"
            return f"({n}[:, :, None] == {n}[:, None, :])[:, None]"
        if kind == "given":
            m = self.x(t, k, kind="label 4", type="i64")
            self.block = f"lambda b, h, i, j: {m}[i, j] > 0"
            return f"({m} > 0)"
        return None

    def bias(self):
        """What is added to scores, and for FlexAttention a line about its s."""
        r, b, h, t, k = self.r, self.b, self.h, self.t, self.k
        kind = r.choice(("none", "none", "none", "rows", "heads", "whole", "keys", "slopes", "table"))
        self.biased = None
        if kind == "none" or self.spelling == "sdpa" and kind in ("table", "slopes"):
            return None
        self.notes.append(f"b{kind}")
        if kind == "slopes":
            a = self.x(h, type="f32")
            self.flex.append(f"s = s + {a}[h] * (j - i)")
            i, j = (f"torch.arange({n}, device=x[0].device)" for n in (t, k))
            return f"{a}[:, None, None] * ({j}[None, :] - {i}[:, None])"
        if kind == "table":
            a = self.x(t + k - 1, h)
            self.flex.append(f"s = s + {a}[j - i + {t - 1}, h]")
            self.biased = len(self.inputs) - 1
            i, j = (f"torch.arange({n}, device=x[0].device)" for n in (t, k))
            return f"{a}[{j}[None, :] - {i}[:, None] + {t - 1}].permute(2, 0, 1)"
        shape, at = {"rows": ((t, k), "i, j"), "heads": ((1, h, t, k), "0, h, i, j"),
                     "whole": ((b, h, t, k), "b, h, i, j"), "keys": ((b, 1, 1, k), "b, 0, 0, j")}[kind]
        a = self.x(*shape)
        self.biased = len(self.inputs) - 1
        self.flex.append(f"s = s + {a}[{at}]")
        return a

    # ---- spellings

    def program(self, q, k, v):
        r, b, h, kv, g, t, n, d = self.r, self.b, self.h, self.kv, self.g, self.t, self.k, self.d
        scale = r.choice((None, None, 0.125, 1.0)) if self.spelling == "sdpa" else r.choice((d ** -0.5, d ** -0.5, 0.2))
        turned_back = r.random() < 0.4
        self.result = [b, t, h * d] if turned_back else [b, h, t, d]
        end = f".transpose(1, 2).reshape({b}, {t}, {h * d})" if turned_back else ""
        mask, bias = self.mask(), self.bias()
        if self.spelling == "sdpa":
            plain_causal = mask and self.notes[-1] == "causal" and t == n and bias is None and r.random() < 0.7
            both = f"({bias}).masked_fill(~({mask}), -math.inf)" if mask and bias else mask or bias
            more = ", is_causal=True" if plain_causal else f", {both}" if both else ""
            more += f", scale={scale}" if scale else ""
            more += ", enable_gqa=True" if g > 1 else ""
            self.others(q, k, v, scale, end)
            return f"lambda x: F.scaled_dot_product_attention({q}, {k}, {v}{more}){end}"
        if g > 1:
            way = r.choice((REPEAT, "{x}.repeat_interleave({g}, 1)"))
            repeat = lambda x: way.format(x=f"({x})", b=b, kv=kv, g=g, t=n, d=d, h=h)
            keys, values = repeat(k), repeat(v)
        else:
            keys, values = k, v
        s = (f"torch.einsum('bhid,bhjd->bhij', {q}, {keys})" if self.spelling == "einsum" else
             f"({q}) @ ({keys}).transpose(-1, -2)")
        s = r.choice((f"({s}) * {scale}", f"({s}) / {1 / scale}"))
        if r.random() < 0.2:
            cap = r.choice((20.0, 50.0))
            self.notes.append("cap")
            self.flex.insert(0, f"s = {cap} * torch.tanh(s / {cap})")
            s = f"({cap} * torch.tanh(({s}) / {cap}))"
        s = f"({s} + {bias})" if bias else s
        weights = r.choice(("softmax", "softmax", "softmax", "wide", "wide", "sigmoid", "relu"))
        if mask:
            least = r.choice(("-math.inf", "-math.inf", "-1e9" if self.type != "f16" else "-6e4"))
            s = r.choice((f"({s}).masked_fill(~({mask}), {least})", f"torch.where({mask}, {s}, {least})"))
        if weights in ("sigmoid", "relu"):
            self.notes.append(weights)
            self.flex = None
            w = f"torch.sigmoid({s})" if weights == "sigmoid" else f"(F.relu({s}) * {1 / n})"
        elif weights == "wide":
            w = f"torch.softmax({s}, -1, dtype=torch.float32).to(x[0].dtype)"
        else:
            w = f"torch.softmax({s}, -1)"
        if "slopes" in str(self.notes) and self.type != "f32":  # slopes are f32, so scores are
            w = f"({w}).to(x[0].dtype)"
        y = f"torch.einsum('bhij,bhjd->bhid', {w}, {values})" if self.spelling == "einsum" else f"({w}) @ ({values})"
        self.others(q, k, v, scale, end)
        return f"lambda x: ({y}){end}"

    def others(self, q, k, v, scale, end):
        """FlexAttention compiled, where it has the program; SDPA's kernels where nothing but a causal mask is there."""
        self.peers = {}
        if self.flex is None:
            return
        block = repr(self.block) if self.block else None
        self.peers["flex"] = f"lambda x: flexible(x, {q}, {k}, {v}, {scale}, {self.flex!r}, {block}){end}"
        causal = self.block == "lambda b, h, i, j: j <= i"
        if not self.flex and (causal or not self.block) and self.type != "f32":
            self.peers["cudnn"] = f"lambda x: by_cudnn({q}, {k}, {v}, {scale}, {causal}){end}"


def programs(seed, count, scale):
    return [Draw(random.Random(f"{seed}:{i}"), scale) for i in range(count)]


def case(number, draw):
    """What bench/drawn.py compiles and runs."""
    c = {"name": f"{number:02}_{draw.name}", "type": draw.type, "inputs": draw.inputs, "theirs": draw.theirs,
         "wrt": draw.wrt, "upstream": draw.upstream, "compiled": True, "others": draw.peers, "uses": "attention",
         "flops": 4 * draw.b * draw.h * draw.t * draw.k * draw.d * (3.5 if draw.wrt else 1), "error": None}
    try:
        c["text"] = text(draw)
    except Exception as why:  # PyTorch or torch-mlir refuse some: said, and not ours
        lines = str(why).splitlines() or [""]
        c["error"] = f"not exported: {type(why).__name__}: {next((x for x in lines if 'error:' in x), lines[0])[:200]}"
    return c


def peers(torch, flexes):
    """What a case's other programs call."""
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def by_cudnn(q, k, v, scale, causal):
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(q, k, v, None, 0.0, causal, scale=scale,
                                                  enable_gqa=q.shape[1] != k.shape[1])

    def flexible(x, q, k, v, scale, lines, block):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        key = (tuple(q.shape), tuple(k.shape), q.dtype, str(lines), block, tuple(t.data_ptr() for t in x[3:]))
        if key not in flexes:
            names = {"torch": torch, "x": x}
            seen = create_block_mask(eval(block, names), q.shape[0] if "[b" in block else None, None, q.shape[2],
                                     k.shape[2], device=q.device) if block else None
            exec("def score(s, b, h, i, j):\n" + "".join(f"    {line}\n" for line in lines) + "    return s", names)
            torch._dynamo.reset()  # it compiles so many of one function, and no more
            flexes.clear()
            fast = torch.compile(flex_attention, dynamic=False)
            flexes[key] = lambda q, k, v: fast(q, k, v, score_mod=names["score"] if lines else None, block_mask=seen,
                                               scale=scale, enable_gqa=q.shape[1] != k.shape[1])
        return flexes[key](q, k, v)

    return {"by_cudnn": by_cudnn, "flexible": flexible}
