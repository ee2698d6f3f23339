"""Programs that hold gradients, as make_fx writes them, beside the gradients of autograd in float64."""
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(12)

ROWS, LINES, IMAGES = torch.randn(12, 5), torch.randn(2, 3, 10), torch.randn(2, 3, 8, 10)
VOLUMES = torch.randn(2, 2, 4, 6, 5)
FLAT, OFFSETS = torch.tensor([4, 4, 0, 11, 2, 7, 2]), torch.tensor([0, 2, 2, 5])  # one bag is empty


def pools():
    """Windows that overlap, that divide the image, of one place each, and of all."""
    for sizes in ((6, 4), (4, 10), (1, 7)):
        yield f"adaptive_avg_{sizes}", lambda x, s=sizes: F.adaptive_avg_pool2d(x, s), IMAGES
        yield f"adaptive_max_{sizes}", lambda x, s=sizes: F.adaptive_max_pool2d(x, s), IMAGES
    yield "adaptive_avg_1d", lambda x: F.adaptive_avg_pool1d(x, 3), LINES
    yield "adaptive_avg_3d", lambda x: F.adaptive_avg_pool3d(x, (3, 1, 5)), VOLUMES
    yield "adaptive_max_3d", lambda x: F.adaptive_max_pool3d(x, (3, 4, 2)), VOLUMES
    for options in (dict(padding=1), dict(padding=1, count_include_pad=False), dict(ceil_mode=True),
                    dict(divisor_override=5)):
        yield f"avg_2d_{options}", lambda x, o=options: F.avg_pool2d(x, (3, 2), 2, **o), IMAGES
    yield "avg_3d", lambda x: F.avg_pool3d(x, 2, 1, 1), VOLUMES


def interpolations():
    for mode in ("bilinear", "bicubic"):
        for size, align in (((11, 7), False), ((1, 30), True)):
            yield (f"{mode}_{size}_{align}",
                   lambda x, m=mode, s=size, a=align: F.interpolate(x, s, mode=m, align_corners=a), IMAGES)
    yield "scaled", lambda x: F.interpolate(x, scale_factor=(1.7, 0.6), mode="bilinear"), IMAGES
    yield "linear", lambda x: F.interpolate(x, 13, mode="linear"), LINES
    yield "trilinear", lambda x: F.interpolate(x, (7, 3, 5), mode="trilinear", align_corners=True), VOLUMES
    for size in ((11, 7), (16, 30), (8, 5)):
        yield f"nearest_{size}", lambda x, s=size: F.interpolate(x, s, mode="nearest"), IMAGES
    yield "nearest_scaled", lambda x: F.interpolate(x, scale_factor=(1.7, 2), mode="nearest"), IMAGES
    yield "nearest_1d", lambda x: F.interpolate(x, 13, mode="nearest"), LINES
    yield "nearest_3d", lambda x: F.interpolate(x, (7, 12, 3), mode="nearest"), VOLUMES


def others():
    for mode in ("sum", "mean"):
        yield f"bag_{mode}", lambda w, m=mode: F.embedding_bag(FLAT, w, OFFSETS, mode=m), ROWS
    yield "elements", lambda x: F.gelu(x) + F.silu(x) * F.mish(x) - F.elu(x) + F.hardswish(x) * F.softplus(x), ROWS
    yield "layer_norm", lambda x: F.layer_norm(x, (5,)), ROWS
    yield "group_norm", lambda x: F.group_norm(x, 3), IMAGES
    yield "batch_norm", lambda x: F.batch_norm(x, None, None, training=True), IMAGES
    yield "cross_entropy", lambda x: F.cross_entropy(x, FLAT % 5), ROWS[:7]
    yield "diagonal", lambda x: x.diagonal(1), ROWS
    yield "unfold", lambda x: x.unfold(0, 3, 2), ROWS


def check(name, function, x):
    upstream = torch.randn(function(x).shape)

    def gradient(x):
        return torch.func.vjp(function, x)[1](upstream)[0]
    wide = x.double().requires_grad_()
    (want,) = torch.autograd.grad(function(wide), wide, upstream.double())
    graph = make_fx(gradient)(x)
    graph.graph.eliminate_dead_code()  # of what is linear the value itself
    graph.recompile()
    got = sinter_torch.compile(graph, x, cache=None)(x)
    off = (got - want).norm() / want.norm()
    assert got.shape == want.shape and off <= 1e-6, f"{name}: off by {off}"


for case in (*pools(), *interpolations(), *others()):
    check(*case)


# A view of what is laid out otherwise when the program is traced once more: transformers' GPT-2 has one.
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = (t.view(*x.shape[:2], 2, 4).transpose(1, 2) for t in self.inner(x).split(8, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        y = y.reshape(*x.shape[:2], 8).contiguous()
        return F.gelu(torch.addmm(self.outer.bias, y.view(-1, 8), self.outer.weight), approximate="tanh")


module, x = Attention(), torch.randn(2, 6, 8)
for dynamic in (None, {0: (0, 1)}):
    got = sinter_torch.compile(module, x, cache=None, dynamic=dynamic)(x)
    assert (got - module(x)).abs().max() < 1e-5, got

print("all right")
