#!/usr/bin/env python3
"""Draws small modules out of everyday layers, exports them with torch-mlir, and compares their gradients by all float
arguments with PyTorch's in float64.

    draw.py SINTER_RUN FOLDER SEED [COUNT]      with a Python that has torch, torch-mlir and numpy

Each is a chain of two to four atoms. It runs in f64, in f32 with sizes `?` and as they are, and in bf16, with an
upstream gradient or without, by a policy of its own each time. A result may be off by twice what PyTorch itself is in
that type: a norm over two elements, whose gradient is a small difference, loses four digits of f32 in both. What fails
stays in the folder, as NAME.mlir and its arguments. An atom takes the rest of the draw and a shape, and gives a
function of a tensor and of arguments that it names, or None where it takes no such shape.
"""
import pathlib
import random
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from layers import Layer
from make import exported, numbers
from run import run

POLICIES = "disabled", "medium", "aggressive"
ATOMS, CHOICES = [], []  # CHOICES: those that choose elements by their order, which rounding may change


def atom(f):
    ATOMS.append(f)
    return f


def choice(f):
    CHOICES.append(f)
    return atom(f)


def ints(high, *shape):
    return ("i", high, shape)


def dim_of(r, s):
    return r.randrange(len(s)) if s else None


# ---- elements and views ---------------------------------------------------------------------------


@atom
def activation(r, s):
    f = r.choice([torch.tanh, torch.sigmoid, F.gelu, F.silu, F.softplus, F.elu, F.mish, torch.exp, torch.sin, F.relu,
                  F.hardswish, F.logsigmoid, torch.atan, torch.erf, F.leaky_relu])  # fmt: skip
    return f, f.__name__, []


@atom
def binary(r, s):
    shape = tuple(1 if r.random() < 0.3 else n for n in s)[r.randrange(len(s) + 1):]
    k = r.randrange(4)
    return lambda x, y: [x * y, x + y, x - y * y, x / (1 + y * y)][k], f"binary{k}", [shape]


@atom
def permute(r, s):
    p = r.sample(range(len(s)), len(s))
    return lambda x: x.permute(p), f"permute{p}", []


@atom
def reshape(r, s):
    n = int(np.prod(s))
    k = r.choice([d for d in range(1, n + 1) if n % d == 0])
    how = r.choice([(k, n // k), (n,), (1, k, n // k), (n // k, 1, k)])
    return lambda x: x.reshape(how), f"reshape{how}", []


@atom
def unbind(r, s):
    if not s or s[0] < 2:
        return None
    return lambda x: (lambda a: a[0] * a[-1] + a[len(a) // 2])(x.unbind(0)), "unbind", []


@atom
def chunk(r, s):
    d = dim_of(r, s)
    if d is None or s[d] % 2:
        return None
    return lambda x: (lambda a, b: a * torch.sigmoid(b))(*x.chunk(2, d)), f"chunk{d}", []


@atom
def slices(r, s):
    d = dim_of(r, s)
    if d is None or s[d] < 3:
        return None
    a, step = r.randrange(s[d] - 1), r.choice([1, 1, 2])
    return lambda x: x[(slice(None),) * d + (slice(a, None, step),)], f"slice{d}:{a}:{step}", []


@atom
def select(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    k = r.randrange(s[d])
    return lambda x: x.select(d, k) * 2 + x.select(d, -1), f"select{d}", []


@atom
def cat(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    more = list(s)
    more[d] = r.randrange(1, 4)
    return lambda x, y: torch.cat([y, x, y], d), f"cat{d}", [tuple(more)]


@atom
def stack(r, s):
    if len(s) > 4:
        return None
    d = r.randrange(len(s) + 1)
    return lambda x, y: torch.stack([x, y, x], d), f"stack{d}", [s]


@atom
def roll(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    k = r.randrange(-3, 4)
    if abs(k) > s[d]:
        return None  # torch-mlir's roll leaves the tensor as it is
    return lambda x: x.roll(k, d) * x, f"roll{d}", []


@atom
def flip(r, s):
    d = dim_of(r, s)
    return None if d is None else (lambda x: x.flip(d) * x, f"flip{d}", [])


@atom
def tril(r, s):
    if len(s) < 2:
        return None
    k = r.randrange(-1, 2)
    return lambda x: x.tril(k) + x.triu(1 - k) * 2, f"tril{k}", []


@atom
def diagonal(r, s):
    if len(s) < 2:
        return None
    a, b = r.sample(range(len(s)), 2)
    k = r.randrange(-1, 2)
    if (k > 0 and s[b] < 2) or (k < 0 and s[a] < 2):
        return None
    return lambda x: x.diagonal(k, a, b), f"diagonal{k}{a}{b}", []


@atom
def expand(r, s):
    if len(s) > 4:
        return None
    d = r.randrange(len(s) + 1)
    n = r.randrange(2, 4)
    return lambda x: x.unsqueeze(d).expand(*s[:d], n, *s[d:]).tanh(), f"expand{d}", []


@atom
def repeat(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    return lambda x: x.repeat_interleave(2, d), f"repeat_interleave{d}", []


@atom
def unfold(r, s):
    d = dim_of(r, s)
    if d is None or s[d] < 3 or len(s) > 4:
        return None
    step = r.choice([1, 2])
    return lambda x: x.unfold(d, 3, step).sin(), f"unfold{d}:{step}", []


# ---- through an index ------------------------------------------------------------------------------


@atom
def embedding(r, s):
    if len(s) != 2:
        return None
    shape = tuple(r.choice([(4,), (2, 3), (5,)]))
    return lambda x, t: F.embedding(t, x), "embedding", [ints(s[0], *shape)]


@atom
def gather(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    shape = list(s)
    shape[d] = r.randrange(1, 5)
    return lambda x, t: x.gather(d, t), f"gather{d}", [ints(s[d], *shape)]


@atom
def index_select(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    return lambda x, t: x.index_select(d, t), f"index_select{d}", [ints(s[d], r.randrange(1, 6))]


@atom
def index_list(r, s):
    if len(s) < 2:
        return None
    n = r.randrange(2, 5)
    k = r.randrange(3)
    if k == 0:
        return lambda x, t, u: x[t, u], "index_two", [ints(s[0], n), ints(s[1], n)]
    if k == 1:
        return lambda x, t, u: x[t[:, None], u], "index_outer", [ints(s[0], n), ints(s[1], 3)]
    return lambda x, t: x[:, t], "index_middle", [ints(s[1], n)]


@atom
def scatter_add(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    shape = list(s)
    shape[d] = r.randrange(1, 5)
    return lambda x, t, y: x.scatter_add(d, t, y), f"scatter_add{d}", [ints(s[d], *shape), tuple(shape)]


@atom
def index_add(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    shape = list(s)
    shape[d] = r.randrange(1, 5)
    return lambda x, t, y: x.index_add(d, t, y), f"index_add{d}", [ints(s[d], shape[d]), tuple(shape)]


@atom
def masked_fill(r, s):
    return lambda x, m: x.masked_fill(m > 1, 0.5), "masked_fill", [ints(3, *s)]


@atom
def where(r, s):
    return lambda x, m, y: torch.where(m > 0, x, y * x), "where", [ints(2, *s), s]


@atom
def dropout(r, s):
    return lambda x, m: x * (m > 0).to(x.dtype) / 0.75, "dropout", [ints(4, *s)]


# ---- along a dimension -----------------------------------------------------------------------------


@atom
def reduce(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    keep = r.random() < 0.4
    n = r.choice(["sum", "mean", "logsumexp", "prod", "var", "norm"])
    if n == "var" and s[d] < 2:
        return None
    f = {"sum": lambda x: x.sum(d, keep), "mean": lambda x: x.mean(d, keep), "norm": lambda x: x.norm(2, d, keep),
         "logsumexp": lambda x: x.logsumexp(d, keep), "prod": lambda x: x.prod(d, keep),
         "var": lambda x: x.var(d, keepdim=keep)}[n]  # fmt: skip
    return f, f"{n}{d}", []


@choice
def extremum(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    n = r.choice(["amax", "amin", "max", "min", "ties"])
    f = {"amax": lambda x: x.amax(d), "amin": lambda x: x.amin(d), "max": lambda x: x.max(d)[0],
         "min": lambda x: x.min(d)[0], "ties": lambda x: torch.cat([x, x.flip(d)], d).amax(d)}[n]  # fmt: skip
    return f, f"{n}{d}", []


@choice
def order(r, s):
    d = dim_of(r, s)
    if d is None or s[d] < 3:
        return None
    n = r.choice(["sort", "sort_descending", "topk", "argsort", "kthvalue", "argmax"])
    f = {"sort": lambda x: x.sort(d)[0], "sort_descending": lambda x: x.sort(d, descending=True)[0],
         "topk": lambda x: x.topk(2, d)[0], "argsort": lambda x: (x * x).gather(d, x.argsort(d)),
         "kthvalue": lambda x: x.kthvalue(2, d)[0],
         "argmax": lambda x: x.gather(d, x.argmax(d, keepdim=True))}[n]  # fmt: skip
    return f, f"{n}{d}", []


@atom
def softmax(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    f = r.choice([torch.softmax, torch.log_softmax])
    return lambda x: f(x, d), f"{f.__name__}{d}", []


@atom
def scan(r, s):
    d = dim_of(r, s)
    if d is None:
        return None
    f = r.choice([torch.cumsum, torch.cumsum, torch.cumprod, torch.logcumsumexp])
    return lambda x: f(x, d), f"{f.__name__}{d}", []


# ---- layers ----------------------------------------------------------------------------------------


@atom
def linear(r, s):
    if not s:
        return None
    n = r.randrange(1, 6)
    return lambda x, w, b: F.linear(x, w, b), "linear", [(n, s[-1]), (n,)]


@atom
def qkv(r, s):
    if len(s) != 3 or s[2] % 2:
        return None
    heads = 2

    def f(x, w):
        q, k, v = F.linear(x, w).view(s[0], s[1], 3, heads, s[2] // heads).permute(2, 0, 3, 1, 4).unbind(0)
        return (torch.softmax(q @ k.transpose(-1, -2) * 0.5, -1) @ v).transpose(1, 2).reshape(s)

    return f, "qkv", [(3 * s[2], s[2])]


@atom
def matmul(r, s):
    if len(s) < 2:
        return None
    n = r.randrange(1, 5)
    batch = s[:-2] if r.random() < 0.5 else ()
    return lambda x, y: x @ y, f"matmul{len(batch)}", [(*batch, s[-1], n)]


@atom
def einsum(r, s):
    if len(s) not in (2, 3):
        return None
    n = r.randrange(2, 5)
    two = [("ij,kj->ki", (n, s[1])), ("ij,ik->jk", (s[0], n)), ("ij,j->i", (s[1],)), ("ij,ij->i", s)]
    three = [("bij,bjk->ik", (s[0], s[-1], n)), ("bij,kj->bik", (n, s[-1])), ("bij,bij->ij", s)]
    how, shape = r.choice(two if len(s) == 2 else three)
    return lambda x, y: torch.einsum(how, x, y), f"einsum {how}", [shape]


@atom
def norm(r, s):
    if len(s) < 2 or s[-1] < 2:
        return None
    w = (s[-1],)
    k = r.randrange(2)
    if k:
        return lambda x, g: F.rms_norm(x, w, g, 1e-5), "rms_norm", [w]
    return lambda x, g, b: F.layer_norm(x, w, g, b), "layer_norm", [w, w]


@atom
def channel_norm(r, s):
    if len(s) < 3 or np.prod(s[2:]) < 3 or s[0] < 2:
        return None
    c, k = (s[1],), r.randrange(3)
    if k == 0:
        return lambda x, g, b: F.batch_norm(x, None, None, g, b, True), "batch_norm", [c, c]
    if k == 1:
        return lambda x, g, b: F.instance_norm(x, weight=g, bias=b), "instance_norm", [c, c]
    groups = 2 if s[1] % 2 == 0 else 1
    return lambda x, g, b: F.group_norm(x, groups, g, b), "group_norm", [c, c]


@atom
def convolution(r, s):
    if len(s) not in (3, 4, 5):
        return None
    n = len(s) - 2
    groups = 2 if s[1] % 2 == 0 and r.random() < 0.4 else 1
    k, out = tuple(r.randrange(1, 4) for _ in range(n)), groups * r.randrange(1, 3)
    stride, pad, dilation = r.choice([1, 1, 2]), r.choice([0, 1]), r.choice([1, 1, 2])
    if any(m + 2 * pad < dilation * (a - 1) + 1 for m, a in zip(s[2:], k)):
        return None
    if r.random() < 0.35:
        f = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][n - 1]
        if any((m - 1) * stride - 2 * pad + dilation * (a - 1) + 1 < 1 for m, a in zip(s[2:], k)):
            return None
        extra = r.choice([0, 1]) if stride > 1 else 0
        w = (s[1], out // groups, *k)
        return (lambda x, w, b: f(x, w, b, stride, pad, extra, groups, dilation),
                f"conv_transpose{n} k{k} s{stride} p{pad} d{dilation} g{groups} o{extra}", [w, (out,)])  # fmt: skip
    f = [F.conv1d, F.conv2d, F.conv3d][n - 1]
    return (lambda x, w, b: f(x, w, b, stride, pad, dilation, groups),
            f"conv{n} k{k} s{stride} p{pad} d{dilation} g{groups}", [(out, s[1] // groups, *k), (out,)])  # fmt: skip


@choice
def max_pool(r, s):
    n = len(s) - 2
    if n not in (1, 2, 3) or min(s[2:]) < 3:
        return None
    f = [F.max_pool1d, F.max_pool2d, F.max_pool3d][n - 1]
    k, stride, pad, ceil = r.choice([2, 3]), r.choice([1, 2]), r.choice([0, 1]), r.random() < 0.3
    dilation = r.choice([1, 1, 2])
    if any(m + 2 * pad < dilation * (k - 1) + 1 for m in s[2:]):
        return None
    return (lambda x: f(x, k, stride, pad, dilation, ceil),
            f"max_pool{n} k{k} s{stride} p{pad} d{dilation} {'ceil' if ceil else ''}", [])  # fmt: skip


@atom
def avg_pool(r, s):
    n = len(s) - 2
    if n not in (1, 2, 3) or min(s[2:]) < 3:
        return None
    f = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][n - 1]
    k, stride, pad = r.choice([2, 3]), r.choice([1, 2]), r.choice([0, 1])
    ceil, include = r.random() < 0.3, r.random() < 0.5
    return (lambda x: f(x, k, stride, pad, ceil, include), f"avg_pool{n} k{k} s{stride} p{pad} {ceil} {include}", [])


@atom
def adaptive(r, s):
    n = len(s) - 2
    if n not in (1, 2):
        return None
    f = [F.adaptive_avg_pool1d, F.adaptive_avg_pool2d][n - 1]
    k = r.choice([1, 2, 3])
    return lambda x: f(x, k), f"adaptive_avg{n} {k}", []


@atom
def pad(r, s):
    n = len(s) - 2
    mode = r.choice(["constant", "reflect", "replicate", "circular"])
    if n not in (1, 2) or min(s[2:]) < 3:
        return None
    p = [r.randrange(0, 3) for _ in range(2 * n)]
    return lambda x: F.pad(x, p, mode), f"pad {mode} {p}", []


@atom
def interpolate(r, s):
    n = len(s) - 2
    if n not in (1, 2):
        return None
    mode = r.choice(["nearest", "linear"] if n == 1 else ["nearest", "bilinear", "bicubic"])
    kw = {"mode": mode}
    if mode != "nearest" and r.random() < 0.5:
        kw["align_corners"] = True
    if r.random() < 0.5:
        kw["scale_factor"] = 2
    else:
        kw["size"] = tuple(r.randrange(2, 8) for _ in range(n))
    return lambda x: F.interpolate(x, **kw), f"interpolate {kw}", []


@atom
def columns(r, s):
    if len(s) != 4 or min(s[2:]) < 2:
        return None
    return lambda x: F.unfold(x, 2, padding=1), "unfold2d", []


@atom
def fold(r, s):
    if len(s) != 3 or s[1] % 4 or s[2] != 6:
        return None
    return lambda x: F.fold(x, (3, 4), 2), "fold", []


@atom
def shuffle(r, s):
    if len(s) != 4 or s[1] % 4:
        return None
    return lambda x: F.pixel_shuffle(x, 2), "pixel_shuffle", []


@atom
def cells(r, s):
    """A recurrent cell over a loop along dimension 0."""
    if len(s) != 3 or s[0] > 6:
        return None
    n = 3
    if r.random() < 0.5:

        def gru(x, h, w, u, b):
            for t in range(s[0]):
                h = torch.gru_cell(x[t], h, w, u, b, b)
            return h

        return gru, "gru", [(s[1], n), (3 * n, s[2]), (3 * n, n), (3 * n,)]

    def lstm(x, h, w, u, b):
        c, all = h, []
        for t in range(s[0]):
            h, c = torch.lstm_cell(x[t], (h, c), w, u, b, b)
            all.append(h)
        return torch.stack(all)

    return lstm, "lstm", [(s[1], n), (4 * n, s[2]), (4 * n, n), (4 * n,)]


@atom
def loss(r, s):
    if len(s) < 2:
        return None
    k = r.randrange(3)
    if k == 0:
        return lambda x, t: F.cross_entropy(x, t), "cross_entropy", [ints(s[1], s[0], *s[2:])]
    if k == 1:
        return lambda x, y: F.smooth_l1_loss(x, y), "smooth_l1", [s]
    return lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()), "bce_with_logits", [s]


# ---- a chain of them ---------------------------------------------------------------------------------


def draw(seed):
    """A layer, what it is made of, and whether it chooses behind other atoms."""
    r = random.Random(seed)
    rank = r.choice([1, 2, 2, 3, 3, 3, 4, 4, 4, 5])
    shape = tuple(r.randrange(2, 7) for _ in range(rank))
    arguments, parts, named, late = [shape], [], [], False
    x = torch.randn(shape, dtype=torch.float64)
    wanted = r.randrange(2, 5)
    for _ in range(200):
        if len(parts) == wanted:
            break
        one = r.choice(ATOMS)
        made = one(r, tuple(x.shape))
        if made is None:
            continue
        f, name, more = made
        given = [torch.randint(a[1], a[2]) if a and a[0] == "i" else torch.randn(a, dtype=torch.float64) for a in more]
        try:
            y = f(x, *given)
        except (RuntimeError, ValueError, IndexError, NotImplementedError):
            continue  # PyTorch takes no such shape
        if y.dtype != torch.float64 or not 0 < y.numel() <= 3000 or y.dim() > 5 or not y.isfinite().all():
            continue
        parts.append((f, len(arguments), len(more)))
        late |= one in CHOICES and len(parts) > 1
        named.append(name)
        arguments += more
        x = y

    def chain(x, *rest):
        for f, first, n in parts:
            x = f(x, *rest[first - 1 : first - 1 + n])
        return x

    dynamic = {k: [d for d in range(len(a[2] if a and a[0] == "i" else a)) if r.random() < 0.5]
               for k, a in enumerate(arguments)}  # fmt: skip
    return Layer(chain, tuple(arguments), dynamic), " > ".join(named), late


def own_errors(layer, given, results, real):
    """How far PyTorch is off in a type, as a part of each result's largest element."""
    given = [v.detach().to(real) if v.is_floating_point() else v for v in given]
    wrt = [v.requires_grad_() for v in given[:-1] if v.is_floating_point()]
    try:
        y = layer.f(*given[:-1])
        found = torch.autograd.grad(y, wrt, given[-1], allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return []
    errors = []
    for v, w in zip([y.detach(), *found], results):
        off = (torch.zeros_like(w) if v is None else v.double()) - w
        errors.append(float(off.abs().max() / max(float(w.abs().max()), 1e-3)))
    return errors


def compare(name, layer, late, sinter_run, folder, r):
    """Lines that say what is wrong, and how often something ran."""
    wrong, ran = [], 0
    try:
        given, results = numbers(name, layer)
    except (RuntimeError, NotImplementedError) as e:
        return [f"PyTorch: {str(e)[:100]}"], 0
    if not all(np.isfinite(v.numpy()).all() for v in results):
        return [], 0
    made = {f"{name}.in{k}": v.float().numpy() if v.is_floating_point() else v.numpy() for k, v in enumerate(given)}
    made |= {f"{name}.out{k}": v.numpy() for k, v in enumerate(results)}
    for writing in ["f64", "f32?", "f32"] + ([] if late else ["bf16"]):
        kind = writing.rstrip("?")
        types = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16}
        arguments = [v.to(types[kind]) if v.is_floating_point() else v for v in given[:-1]]
        try:
            text = exported(layer, arguments, "?" in writing)
        except Exception as e:  # what torch-mlir does not export
            wrong.append(f"- {writing} is not exported: {str(e).strip().splitlines()[:1]}")
            continue
        if not text:
            continue
        policy = r.choice(POLICIES)
        place = folder / writing.replace("?", "_sizes")
        place.mkdir(parents=True, exist_ok=True)
        bounds = [2 * e for e in own_errors(layer, given, results, types[kind])]
        why = run(name, text, writing, [sinter_run, f"--policy={policy}"], place, made, None, bounds)
        ran += 1
        if why:
            wrong.append(f"{writing} {policy}: {why}")
    return wrong, ran


def main():
    warnings.filterwarnings("ignore")
    sinter_run, folder, seed, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int((*sys.argv, 150)[4])
    bad = ran = 0
    for k in range(seed, seed + count):
        layer, named, late = draw(k)
        wrong, times = compare(f"drawn{k}", layer, late, sinter_run, folder, random.Random(k))
        ran += times
        refused = [w for w in wrong if not w.startswith(("- ", "PyTorch"))]
        bad += bool(refused)
        for w in wrong:
            print(f"{k} {layer.arguments[0]} {named}: {w}", flush=True)
    print(f"{count - bad} of {count} agree, {ran} programs")
    return bad != 0 or not ran


if __name__ == "__main__":
    sys.exit(main())
