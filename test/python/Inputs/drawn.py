"""Functions of PyTorch with drawn sizes and options, compiled by sinter_torch, beside float64.

    drawn.py [--draws N] [--seed S] [--only NAME,...] [--kinds static,dynamic,half]

Each draw takes a function of the table, its sizes and its options, and compares value and gradients by all arguments:
`static` in f32, `dynamic` with sizes `?` that change from call to call, `half` in bf16. Without --draws every function
is drawn once. The last line says how many agree; what PyTorch or torch-mlir does not export is counted, not judged.
"""
import argparse
import random
import sys
import traceback
import warnings

import torch
from torch.nn import functional as F

import sinter_torch

warnings.filterwarnings("ignore")
TABLE = {}


class Draw:
    """Sizes and options, by a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = torch.Generator().manual_seed(self.random.getrandbits(32))

    def size(self, low=2, high=9):
        return self.random.randint(low, high)

    def of(self, *choices):
        return self.random.choice(choices)

    def sizes(self, low=1, high=3):
        return [self.size() for _ in range(self.random.randint(low, high))]

    def dim(self, sizes):
        return self.random.randrange(-len(sizes), len(sizes))

    def x(self, *sizes, low=None, high=None):
        if low is None:
            return torch.randn(*sizes, generator=self.numbers)
        return torch.rand(*sizes, generator=self.numbers) * (high - low) + low

    def integers(self, high, *sizes):
        return torch.randint(high, sizes, generator=self.numbers)


def entry(name):
    def keep(make):
        TABLE[name] = make
        return make
    return keep


def unary(names, **range_):
    for name in names.split():
        f = getattr(torch, name, None) or getattr(F, name, None) or getattr(torch.special, name)
        TABLE[name] = lambda d, f=f: (f, d.x(*d.sizes(), **range_))


unary("abs neg exp expm1 sin cos sinh cosh tanh sigmoid atan asinh square erf erfc sinc sgn floor ceil round "
      "trunc frac relu relu6 selu silu gelu mish softsign logsigmoid tanhshrink hardswish hardsigmoid softplus deg2rad "
      "rad2deg i0 i0e i1 ndtr exp2 positive sum mean prod")
unary("log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma entr", low=0.3, high=4.0)
unary("acos asin atanh erfinv log_ndtr", low=-0.9, high=0.9)
unary("acosh", low=1.2, high=4.0)
unary("tan", low=-1.2, high=1.2)
unary("logit ndtri", low=0.1, high=0.9)


def binary(names, **range_):
    for name in names.split():
        def make(d, f=getattr(torch, name)):
            sizes = d.sizes()
            other = [d.of(n, 1) for n in sizes][d.random.randint(0, len(sizes) - 1):]
            return f, d.x(*sizes, **range_), d.x(*other, **range_)
        TABLE[name] = make


binary("add sub mul maximum minimum fmax fmin atan2 hypot logaddexp logaddexp2 rsub copysign")
binary("div true_divide pow xlogy fmod remainder float_power", low=0.4, high=2.5)


def reduction(names):
    for name in names.split():
        def make(d, f=getattr(torch, name)):
            sizes = d.sizes(2, 4)
            dim, keep = d.dim(sizes), d.of(True, False)
            return (lambda x: f(x, dim, keepdim=keep)), d.x(*sizes)
        TABLE[name + "_dim"] = make


reduction("sum mean prod logsumexp amax amin var std nansum nanmean")
for name in "max min median".split():
    def make(d, f=getattr(torch, name)):
        sizes = d.sizes(2, 3)
        dim, keep = d.dim(sizes), d.of(True, False)
        return (lambda x: f(x, dim, keepdim=keep)[0]), d.x(*sizes)
    TABLE[name + "_dim"] = make
for name in "cumsum cumprod logcumsumexp".split():
    def make(d, f=getattr(torch, name)):
        sizes = d.sizes(1, 3)
        dim = d.dim(sizes)
        return (lambda x: f(x, dim)), d.x(*sizes)
    TABLE[name] = make
for name in "cummax cummin".split():
    def make(d, f=getattr(torch, name)):
        sizes = d.sizes(1, 3)
        dim = d.dim(sizes)
        return (lambda x: f(x, dim)[0]), d.x(*sizes)
    TABLE[name] = make
for name in "softmax log_softmax softmin normalize".split():
    def make(d, f=getattr(F, name)):
        sizes = d.sizes(2, 3)
        dim = d.dim(sizes)
        return (lambda x: f(x, dim=dim)), d.x(*sizes)
    TABLE[name] = make
for name in ("mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy "
             "binary_cross_entropy_with_logits kl_div poisson_nll_loss").split():
    def make(d, f=getattr(F, name)):
        sizes = d.sizes(1, 3)
        how = d.of("mean", "sum", "none")
        y = d.x(*sizes, low=0.1, high=0.9)
        if f is F.soft_margin_loss:
            y = (y > 0.5) * 2.0 - 1
        x = d.x(*sizes, low=0.1, high=0.9) if f is F.binary_cross_entropy else d.x(*sizes)
        return (lambda x: f(x, y.to(x), reduction=how)), x
    TABLE[name] = make


def with_options(name, f, **choices):
    """An elementwise function, one of each option."""
    def make(d):
        options = {k: d.of(*v) for k, v in choices.items()}
        return (lambda x: f(x, **options)), d.x(*d.sizes())
    TABLE[name] = make


with_options("elu", F.elu, alpha=(1.0, 0.5))
with_options("celu", F.celu, alpha=(1.0, 2.0))
with_options("leaky_relu", F.leaky_relu, negative_slope=(0.01, 0.3))
with_options("hardtanh", F.hardtanh, min_val=(-1.0, -0.3), max_val=(0.5, 2.0))
with_options("threshold", F.threshold, threshold=(0.1, -0.5), value=(0.0, 2.0))
with_options("hardshrink", F.hardshrink, lambd=(0.5, 0.1))
with_options("softshrink", F.softshrink, lambd=(0.5, 0.1))
with_options("clamp", torch.clamp, min=(-1.0, None), max=(0.5, 1.0))
with_options("softplus_beta", F.softplus, beta=(1.0, 2.0), threshold=(20.0, 1.0))
with_options("gelu_tanh", F.gelu, approximate=("tanh",))
with_options("nan_to_num", torch.nan_to_num, nan=(0.0, 1.0))


@entry("norm")
def _(d):
    sizes, p = d.sizes(2, 3), d.of(1, 2, 3, float("inf"))
    dim = d.dim(sizes)
    return (lambda x: torch.linalg.vector_norm(x, p, dim)), d.x(*sizes)


@entry("glu")
def _(d):
    n = d.size()
    return (lambda x: F.glu(x, 1)), d.x(d.size(), 2 * n, d.size())


@entry("prelu")
def _(d):
    c = d.size()
    return F.prelu, d.x(d.size(), c, d.size()), d.x(c)


def move(name, make):
    """What moves elements of one tensor of two or three dimensions: the function of sizes and a draw."""
    def whole(d):
        sizes = d.sizes(2, 3)
        return make(d, sizes), d.x(*sizes)
    TABLE[name] = whole


def moves():
    move("roll", lambda d, s: (lambda k, dim: lambda x: torch.roll(x, k, dim))(d.random.randint(-5, 5), d.dim(s)))
    move("roll_two", lambda d, s: (lambda k: lambda x: torch.roll(x, (k, -2), (0, 1)))(d.random.randint(-5, 5)))
    move("flip", lambda d, s: (lambda dim: lambda x: x.flip(dim))(d.dim(s)))
    move("rot90", lambda d, s: (lambda k: lambda x: torch.rot90(x, k, (0, 1)))(d.of(1, 2, 3)))
    move("diff", lambda d, s: (lambda dim: lambda x: torch.diff(x, dim=dim))(d.dim(s)))
    move("diff_two", lambda d, s: (lambda dim: lambda x: torch.diff(x, 1, dim).square())(d.dim(s)))
    move("tril", lambda d, s: (lambda k: lambda x: x.tril(k))(d.of(-1, 0, 1)))
    move("triu", lambda d, s: (lambda k: lambda x: x.triu(k))(d.of(-1, 0, 1)))
    move("diagonal", lambda d, s: (lambda k: lambda x: x.diagonal(k))(d.of(-1, 0, 1)))
    move("transpose", lambda d, s: lambda x: x.transpose(0, -1) * 2)
    move("movedim", lambda d, s: lambda x: x.movedim(0, -1).exp())
    move("flatten", lambda d, s: lambda x: x.flatten().cumsum(0))
    move("squeeze", lambda d, s: lambda x: x[:, None].squeeze(1) * 3)
    move("repeat", lambda d, s: (lambda k: lambda x: x.repeat(*([k] * x.ndim)))(d.of(1, 2, 3)))
    move("tile", lambda d, s: lambda x: torch.tile(x, (2,)))
    move("repeat_interleave", lambda d, s: (lambda dim: lambda x: x.repeat_interleave(2, dim))(d.dim(s)))
    move("chunk", lambda d, s: (lambda dim: lambda x: torch.chunk(x, 2, dim)[0].exp())(d.dim(s)))
    move("split", lambda d, s: lambda x: x.split([1, x.shape[0] - 1])[1] * x[:1])
    move("tensor_split", lambda d, s: lambda x: torch.tensor_split(x, 2)[0].sin())
    move("unbind", lambda d, s: lambda x: x.unbind(0)[1] * x.unbind(0)[0])
    move("narrow", lambda d, s: (lambda dim: lambda x: x.narrow(dim, 1, x.shape[dim] - 1))(d.dim(s)))
    move("select", lambda d, s: (lambda dim: lambda x: x.select(dim, -1).tanh())(d.dim(s)))
    move("slice_steps", lambda d, s: lambda x: x[::2, 1:])
    move("slice_back", lambda d, s: lambda x: x[1:] - x[:-1])
    move("cat", lambda d, s: (lambda dim: lambda x: torch.cat([x, x.exp(), x[:]], dim))(d.dim(s)))
    move("stack", lambda d, s: (lambda dim: lambda x: torch.stack([x, x * 2], dim))(d.dim(s)))
    move("hstack", lambda d, s: lambda x: torch.hstack([x, x.sin()]))
    move("vstack", lambda d, s: lambda x: torch.vstack([x, x.sin()]))
    move("dstack", lambda d, s: lambda x: torch.dstack([x, x.sin()]))
    move("expand", lambda d, s: lambda x: x[None].expand(3, *x.shape) * 2)
    move("broadcast_to", lambda d, s: lambda x: torch.broadcast_to(x, (2, *x.shape)).exp())
    move("sort", lambda d, s: (lambda dim, down: lambda x: x.sort(dim, down)[0])(d.dim(s), d.of(True, False)))
    move("topk", lambda d, s: (lambda dim, most: lambda x: x.topk(2, dim, most)[0])(d.dim(s), d.of(True, False)))
    move("kthvalue", lambda d, s: (lambda dim: lambda x: x.kthvalue(2, dim)[0])(d.dim(s)))
    move("msort", lambda d, s: torch.msort)
    move("masked_fill", lambda d, s: lambda x: x.masked_fill(x > 0.3, 2.0))
    move("where", lambda d, s: lambda x: torch.where(x > 0, x.exp(), x * 2))
    move("pad", lambda d, s: (lambda m: lambda x: F.pad(x, (1, 2), value=m))(d.of(0.0, 1.5)))
    move("pad_two", lambda d, s: lambda x: F.pad(x, (1, 0, 0, 3)))
    move("var_mean", lambda d, s: (lambda dim: lambda x: sum(torch.var_mean(x, dim)))(d.dim(s)))
    move("std_mean", lambda d, s: (lambda dim: lambda x: torch.std_mean(x, dim)[0])(d.dim(s)))
    move("aminmax", lambda d, s: (lambda dim: lambda x: sum(torch.aminmax(x, dim=dim)))(d.of(0, -1)))
    move("renormed", lambda d, s: lambda x: x / x.norm(dim=-1, keepdim=True))
    move("unfold", lambda d, s: lambda x: x.unfold(0, 2, 1).exp())
    move("trapezoid", lambda d, s: (lambda dim: lambda x: torch.trapezoid(x, dim=dim))(d.dim(s)))
    move("cumulative_trapezoid", lambda d, s: lambda x: torch.cumulative_trapezoid(x, dim=-1))
    move("gradient", lambda d, s: lambda x: torch.gradient(x, dim=0)[0])
    move("heaviside", lambda d, s: lambda x: torch.heaviside(x, x.new_tensor(0.5)) * x)
    move("lerp", lambda d, s: lambda x: torch.lerp(x, x.flip(0), 0.3))
    move("addcmul", lambda d, s: lambda x: torch.addcmul(x, x, x.flip(0), value=0.3))
    move("addcdiv", lambda d, s: lambda x: torch.addcdiv(x, x, x.exp(), value=0.3))
    move("count_nonzero", lambda d, s: lambda x: x * torch.count_nonzero(x > 0, -1)[..., None])
    move("argmax_pick", lambda d, s: lambda x: torch.take_along_dim(x, x.argmax(-1, keepdim=True), -1))
    move("argsort_pick", lambda d, s: lambda x: x.gather(-1, x.argsort(-1)))
    move("logsumexp_two", lambda d, s: lambda x: torch.logsumexp(x, (0, -1)))
    move("cov", lambda d, s: lambda x: torch.cov(x.flatten(1)))
    move("corrcoef", lambda d, s: lambda x: torch.corrcoef(x.flatten(1)))
    move("swap_norm", lambda d, s: lambda x: F.layer_norm(x.transpose(0, 1), x.shape[:1]) if x.ndim == 2 else x)
    move("dist", lambda d, s: lambda x: torch.dist(x, x.flip(0) + 1))
    move("clamp_tensors", lambda d, s: lambda x: torch.clamp(x, x.flip(0) - 1, x.flip(0) + 1))
    move("einsum_square", lambda d, s: lambda x: torch.einsum("i...,j...->ij", x, x))
    move("tensordot", lambda d, s: lambda x: torch.tensordot(x, x, ([0], [0])))
    move("inner", lambda d, s: lambda x: torch.inner(x, x))
    move("outer", lambda d, s: lambda x: torch.outer(x.flatten(), x[0].flatten()))
    move("kron", lambda d, s: lambda x: torch.kron(x, x[:2]))
    move("trace", lambda d, s: lambda x: x.flatten(1).trace())
    move("diag_embed", lambda d, s: lambda x: torch.diag_embed(x))
    move("block_diag", lambda d, s: lambda x: torch.block_diag(x.flatten(1), x.flatten(1)))
    move("meshgrid", lambda d, s: lambda x: torch.meshgrid(x[0].flatten(), x[1].flatten(), indexing="ij")[0])
    move("vander", lambda d, s: lambda x: torch.vander(x[0].flatten(), 3))
    move("cross", lambda d, s: lambda x: torch.linalg.cross(x[:, :1].expand(*x.shape[:1], 3, *x.shape[2:]),
                                                            x[:, 1:2].exp().expand(*x.shape[:1], 3, *x.shape[2:]),
                                                            dim=1))


moves()


@entry("index_select")
def _(d):
    n = d.size()
    at = d.integers(n, d.size())
    return (lambda x: x.index_select(0, at)), d.x(n, d.size())


@entry("index_list")
def _(d):
    n, m = d.size(), d.size()
    i, j = d.integers(n, 4), d.integers(m, 4)
    return (lambda x: x[i, j] * 2), d.x(n, m)


@entry("scatter_add")
def _(d):
    n, m = d.size(), d.size()
    at = d.integers(n, n, m)
    return (lambda x, y: x.scatter_add(0, at, y)), d.x(n, m), d.x(n, m)


@entry("index_add")
def _(d):
    n, m, k = d.size(), d.size(), d.size()
    at = d.integers(n, k)
    return (lambda x, y: x.index_add(0, at, y)), d.x(n, m), d.x(k, m)


@entry("embedding")
def _(d):
    n = d.size()
    at = d.integers(n, d.size(), 3)
    return (lambda w: F.embedding(at, w)), d.x(n, d.size())


@entry("take")
def _(d):
    at = d.integers(4, 5)
    return (lambda x: x.take(at)), d.x(d.size(), d.size())


@entry("masked_select_sum")
def _(d):
    return (lambda x: torch.where(x > 0, x, 0).sum(-1)), d.x(d.size(), d.size())


@entry("linear")
def _(d):
    k, n = d.size(), d.size()
    return F.linear, d.x(d.size(), d.size(), k), d.x(n, k), d.x(n)


@entry("bilinear")
def _(d):
    b, i, j, o = (d.size() for _ in range(4))
    return F.bilinear, d.x(b, i), d.x(b, j), d.x(o, i, j), d.x(o)


@entry("matmul")
def _(d):
    b, n, k, m = (d.size() for _ in range(4))
    return d.of((torch.matmul, d.x(b, n, k), d.x(k, m)), (torch.matmul, d.x(n, k), d.x(b, k, m)),
                (torch.matmul, d.x(k), d.x(b, k, m)), (torch.matmul, d.x(b, n, k), d.x(k)))


@entry("bmm")
def _(d):
    b, n, k, m = (d.size() for _ in range(4))
    return torch.bmm, d.x(b, n, k), d.x(b, k, m)


@entry("addmm")
def _(d):
    n, k, m = (d.size() for _ in range(3))
    return (lambda c, x, y: torch.addmm(c, x, y, beta=0.5, alpha=2)), d.x(n, m), d.x(n, k), d.x(k, m)


@entry("baddbmm")
def _(d):
    b, n, k, m = (d.size() for _ in range(4))
    return (lambda c, x, y: torch.baddbmm(c, x, y, alpha=0.5)), d.x(b, n, m), d.x(b, n, k), d.x(b, k, m)


@entry("addmv")
def _(d):
    n, k = d.size(), d.size()
    return torch.addmv, d.x(n), d.x(n, k), d.x(k)


@entry("addr")
def _(d):
    n, k = d.size(), d.size()
    return torch.addr, d.x(n, k), d.x(n), d.x(k)


@entry("einsum")
def _(d):
    b, h, n, m, k = (d.size() for _ in range(5))
    return (lambda x, y: torch.einsum("bhnk,bhmk->bnhm", x, y)), d.x(b, h, n, k), d.x(b, h, m, k)


@entry("chain_matmul")
def _(d):
    n, k, m, o = (d.size() for _ in range(4))
    return (lambda x, y, z: x @ y @ z), d.x(n, k), d.x(k, m), d.x(m, o)


@entry("attention")
def _(d):
    b, h, n, m, k = (d.size() for _ in range(5))
    causal = d.of(True, False)
    return ((lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal)), d.x(b, h, n, k),
            d.x(b, h, n if causal else m, k), d.x(b, h, n if causal else m, k))


def convolution(name, f, rank, turned=False):
    def make(d):
        groups = d.of(1, 1, 2, 3)
        i, o = groups * d.size(1, 3), groups * d.size(1, 3)
        stride, padding, dilation = d.of(1, 1, 2), d.of(0, 1), d.of(1, 1, 2)
        window = [d.size(1, 3) for _ in range(rank)]
        image = [d.size(6, 9) for _ in range(rank)]
        w = d.x(*((i, o // groups) if turned else (o, i // groups)), *window)
        x = d.x(d.size(1, 3), i, *image)
        return (lambda x, w, b: f(x, w, b, stride, padding, dilation=dilation, groups=groups)), x, w, d.x(o)
    TABLE[name] = make


for n in (1, 2, 3):
    convolution(f"conv{n}d", getattr(F, f"conv{n}d"), n)
    convolution(f"conv_transpose{n}d", getattr(F, f"conv_transpose{n}d"), n, True)


def pooling(name, f, rank, **options):
    def make(d):
        chosen = {k: d.of(*v) for k, v in options.items()}
        return (lambda x: f(x, 2, **chosen)), d.x(d.size(1, 3), d.size(1, 3), *(d.size(6, 9) for _ in range(rank)))
    TABLE[name] = make


for n in (1, 2, 3):
    pooling(f"max_pool{n}d", getattr(F, f"max_pool{n}d"), n, stride=(1, 2), padding=(0, 1))
    pooling(f"avg_pool{n}d", getattr(F, f"avg_pool{n}d"), n, stride=(1, 2), padding=(0, 1),
            count_include_pad=(True, False))
    pooling(f"adaptive_avg_pool{n}d", getattr(F, f"adaptive_avg_pool{n}d"), n)
for n in (1, 2):
    pooling(f"lp_pool{n}d", lambda x, w, f=getattr(F, f"lp_pool{n}d"), **o: f(x.abs() + 0.1, 2.0, w, **o), n,
            stride=(1, 2))
    pooling(f"adaptive_max_pool{n}d", getattr(F, f"adaptive_max_pool{n}d"), n)


def image(name, f, rank=2, **choices):
    def make(d):
        options = {k: d.of(*v) for k, v in choices.items()}
        return ((lambda x: f(x, **options)), d.x(d.size(1, 3), 4, *(d.size(4, 9) for _ in range(rank))))
    TABLE[name] = make


image("interpolate_nearest", F.interpolate, scale_factor=(2, 3), mode=("nearest",))
image("interpolate_bilinear", F.interpolate, scale_factor=(2, 3), mode=("bilinear",), align_corners=(True, False))
image("interpolate_bicubic", F.interpolate, scale_factor=(2,), mode=("bicubic",), align_corners=(True, False))
image("interpolate_linear", F.interpolate, 1, scale_factor=(2,), mode=("linear",), align_corners=(True, False))
image("interpolate_trilinear", F.interpolate, 3, scale_factor=(2,), mode=("trilinear",), align_corners=(True, False))
image("interpolate_area", F.interpolate, size=((3, 5),), mode=("area",))
image("interpolate_size", F.interpolate, size=((5, 7),), mode=("bilinear",))
image("pad_reflect", lambda x, **o: F.pad(x, (1, 2, 0, 1), **o), mode=("reflect",))
image("pad_replicate", lambda x, **o: F.pad(x, (1, 2, 0, 1), **o), mode=("replicate",))
image("pad_circular", lambda x, **o: F.pad(x, (1, 2, 0, 1), **o), mode=("circular",))
image("pixel_shuffle", F.pixel_shuffle, upscale_factor=(2,))
image("pixel_unshuffle", lambda x: F.pixel_unshuffle(F.interpolate(x, scale_factor=2), 2))
image("channel_shuffle", F.channel_shuffle, groups=(2, 4))
image("unfold_image", F.unfold, kernel_size=(2, 3), stride=(1, 2), padding=(0, 1))
image("fold_image", lambda x: F.fold(F.unfold(x, 2), x.shape[2:], 2))
image("local_response_norm", F.local_response_norm, size=(2, 3))
image("instance_norm", F.instance_norm)
image("group_norm", F.group_norm, num_groups=(1, 2, 4))
image("batch_norm", lambda x: F.batch_norm(x, None, None, training=True))
image("grid_sample", lambda x, **o: F.grid_sample(x, torch.linspace(-0.9, 0.9, 24).to(x).reshape(1, 4, 3, 2).expand(
    x.shape[0], 4, 3, 2), align_corners=False, **o), mode=("bilinear", "nearest"), padding_mode=("zeros", "border"))
image("mean_image", lambda x: x.mean((2, 3)))
image("dropout_eval", lambda x: F.dropout(x, training=False) * 2)
image("softmax2d", lambda x: F.softmax(x, 1))
image("upsampled_sum", lambda x: F.interpolate(F.avg_pool2d(x, 2), size=x.shape[2:], mode="nearest") + x)


@entry("layer_norm")
def _(d):
    n = d.size()
    return (lambda x, w, b: F.layer_norm(x, w.shape, w, b)), d.x(d.size(), d.size(), n), d.x(n), d.x(n)


@entry("rms_norm")
def _(d):
    n = d.size()
    return (lambda x, w: F.rms_norm(x, w.shape, w)), d.x(d.size(), d.size(), n), d.x(n)


@entry("cosine_similarity")
def _(d):
    sizes = d.sizes(2, 3)
    dim = d.dim(sizes)
    return (lambda x, y: F.cosine_similarity(x, y, dim)), d.x(*sizes), d.x(*sizes)


@entry("pairwise_distance")
def _(d):
    sizes = d.sizes(2, 2)
    p = d.of(1.0, 2.0, 3.0)
    return (lambda x, y: F.pairwise_distance(x, y, p)), d.x(*sizes), d.x(*sizes)


@entry("cdist")
def _(d):
    n = d.size()
    p = d.of(1.0, 2.0, 3.0)
    return (lambda x, y: torch.cdist(x, y, p)), d.x(d.size(), n), d.x(d.size(), n)


@entry("pdist")
def _(d):
    return F.pdist, d.x(d.size(), d.size())


def labelled(name, f, **choices):
    def make(d):
        n, c = d.size(), d.size()
        options = {k: d.of(*v) for k, v in choices.items()}
        y = d.integers(c, n)
        return (lambda x: f(x, y, **options)), d.x(n, c)
    TABLE[name] = make


HOW = ("mean", "sum", "none")
labelled("cross_entropy", F.cross_entropy, reduction=HOW, label_smoothing=(0.0, 0.1), ignore_index=(-100, 1))
labelled("nll_loss", lambda x, y, **o: F.nll_loss(x.log_softmax(1), y, **o), reduction=HOW)
labelled("multi_margin_loss", F.multi_margin_loss, reduction=HOW, p=(1, 2))
labelled("one_hot", lambda x, y: x * F.one_hot(y, x.shape[1]))
labelled("gather_labels", lambda x, y: x.gather(1, y[:, None])[:, 0].exp())


def pair(name, f, **choices):
    def make(d):
        sizes = d.sizes(2, 2)
        options = {k: d.of(*v) for k, v in choices.items()}
        return (lambda x, y: f(x, y, **options)), d.x(*sizes), d.x(*sizes)
    TABLE[name] = make


pair("margin_ranking_loss", lambda x, y, **o: F.margin_ranking_loss(x, y, torch.ones_like(x), **o), reduction=HOW,
     margin=(0.0, 0.3))
pair("cosine_embedding_loss", lambda x, y, **o: F.cosine_embedding_loss(x, y, torch.ones_like(x[:, 0]), **o),
     reduction=HOW)
pair("hinge_embedding_loss", lambda x, y, **o: F.hinge_embedding_loss(x, torch.sign(y.detach()), **o), reduction=HOW)
pair("triplet_margin_loss", lambda x, y, **o: F.triplet_margin_loss(x, y, x.flip(0) * 2, **o), reduction=HOW, p=(1, 2),
     swap=(True, False))
pair("gaussian_nll_loss", lambda x, y, **o: F.gaussian_nll_loss(x, y, x.exp(), **o), reduction=HOW, full=(True, False))
pair("multilabel_soft_margin_loss", lambda x, y, **o: F.multilabel_soft_margin_loss(x, y.detach().sigmoid(), **o),
     reduction=HOW)
pair("dot", lambda x, y: torch.dot(x.flatten(), y.flatten()))
pair("vdot", lambda x, y: (x * y).sum())
pair("mv", lambda x, y: x @ y[0])
pair("logical", lambda x, y: torch.where((x > 0) & (y < 0.5) | (x > y), x, y * 2))
pair("isclose", lambda x, y: torch.where(torch.isclose(x, y, atol=0.3), x, y))
pair("lerp_tensor", lambda x, y: torch.lerp(x, y, y.sigmoid()))
pair("ldexp", lambda x, y: torch.ldexp(x, torch.round(y.detach())))
pair("cat_two", lambda x, y: torch.cat([x, y[1:]], 0))
pair("column_stack", lambda x, y: torch.column_stack([x, y]))
pair("polar", lambda x, y: x * torch.cos(y) + torch.sin(y))
pair("combine", lambda x, y: (x[:, None] - y[None]).square().sum(-1))
pair("where_index", lambda x, y: x[torch.arange(x.shape[0]).flip(0)] * y)
pair("index_put", lambda x, y: x.index_put((torch.tensor([0, 1]),), y[:2]))
pair("select_scatter", lambda x, y: x.select_scatter(y[0], 0, 1))
pair("slice_scatter", lambda x, y: x.slice_scatter(y[1:], 0, 1))
pair("masked_scatter_like", lambda x, y: torch.where(y > 0, y, x))
pair("std_ratio", lambda x, y: x.std(0) / (y.var(0) + 1))
pair("cumsum_pair", lambda x, y: (x.cumsum(0) * y.flip(0).cumsum(0)))
pair("searchsorted", lambda x, y: x * torch.searchsorted(y.detach().sort(-1)[0], x.detach()))
pair("bucketize", lambda x, y: x * torch.bucketize(x.detach(), torch.tensor([-1.0, 0.0, 0.7]).to(x)) + y)


# ---- comparing -------------------------------------------------------------------------

FAR = {torch.float32: 4e-6, torch.bfloat16: 2.0**-6}


def far(got, want):
    if got.shape != want.shape:
        return float("inf")
    error, size = (got.double() - want).norm().item(), want.norm().item()
    return error / max(size, 1e-2 * want.numel() ** 0.5, 1e-30) if error == error else float("inf")


def gradients(f, arguments, upstream):
    arguments = [x.clone().requires_grad_() for x in arguments]
    y = f(*arguments)
    if not y.requires_grad:
        return [y.detach()]
    y.backward(upstream.to(y.dtype))
    return [y.detach(), *(torch.zeros_like(x) if x.grad is None else x.grad for x in arguments)]


def other_sizes(arguments):
    """The same numbers in tensors with three more wherever a size is."""
    made = []
    for x in arguments:
        sizes = [n + 3 for n in x.shape]
        made.append(x.flatten()[torch.arange(torch.Size(sizes).numel()) % x.numel()].reshape(sizes))
    return made


class NotExported(Exception):
    pass


def compiled(f, arguments, dynamic):
    try:
        return sinter_torch.compile(f, *arguments, wrt=list(range(len(arguments))), upstream=True, cache=None,
                                    **({"dynamic": dynamic} if dynamic else {}))  # fmt: skip
    except sinter_torch.CompileError:
        raise
    except Exception as error:
        raise NotExported(f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160]}") from error


def check(f, arguments, kind):
    """What is wrong: nothing, or a line."""
    half = kind == "half"
    arguments = [x.to(torch.bfloat16 if half else torch.float32) for x in arguments]
    dynamic = {k: list(range(x.ndim)) for k, x in enumerate(arguments)} if kind == "dynamic" else None
    try:
        wide = f(*(x.double() for x in arguments))
    except Exception as error:
        raise NotExported(str(error)) from error
    upstream = torch.randn(wide.shape, generator=torch.Generator().manual_seed(1)).to(torch.bfloat16)
    step = compiled(f, arguments, dynamic)
    why = compare(f, step, arguments, upstream)
    if not dynamic or why:
        return why
    arguments = other_sizes(arguments)
    try:
        wide = f(*(x.double() for x in arguments))
    except Exception:  # labels, for one, are as many as the example's
        return None
    return compare(f, step, arguments, torch.ones_like(wide))


def compare(f, step, arguments, upstream):
    want = gradients(f, [x.double() for x in arguments], upstream)
    got = gradients(step, arguments, upstream)
    for k, (a, b) in enumerate(zip(got, want)):
        bound = FAR[arguments[0].dtype]
        error = far(a, b)
        if error > bound and arguments[0].dtype == torch.bfloat16:
            bound = max(bound, 2 * far(gradients(f, arguments, upstream)[k], b))
        if not error <= bound:
            return f"{'value' if not k else f'gradient {k - 1}'} of {list(b.shape)} is off by {error:.2g}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default="static,dynamic,half")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    names = [n for n in TABLE if not args.only or n in args.only.split(",")]
    chosen = random.Random(args.seed).choices(names, k=args.draws) if args.draws else names
    agree = failed = not_exported = 0
    for k, name in enumerate(chosen):
        for kind in args.kinds.split(","):
            try:
                f, *arguments = TABLE[name](Draw(f"{args.seed} {k} {name}"))
                why = check(f, arguments, kind)
            except NotExported as error:
                not_exported += 1
                if args.verbose:
                    print(f"{name} {kind}: not exported: {error}", flush=True)
                continue
            except Exception as error:
                why = f"{type(error).__name__}: {str(error).strip()[:400]}"
                if args.verbose:
                    traceback.print_exc()
            agree += why is None
            failed += why is not None
            if why:
                print(f"{name} {kind}, seed {args.seed}, draw {k}: {why}", flush=True)
    print(f"{agree} of {agree + failed} agree, {not_exported} not exported")
    sys.exit(failed > 0 or not agree)


if __name__ == "__main__":
    main()
