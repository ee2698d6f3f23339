"""Values and gradients of functions beside float64, by bounds of a few roundings."""
import math
import warnings

import torch
from torch.nn import functional as F

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(5)

LINE = torch.linspace(-4, 4, 33)  # with 0, where corners are
ROWS, OTHER = torch.randn(6, 7), torch.randn(5, 7)
OTHER[:3] = ROWS[:3]  # distances of 0
IMAGES, W, B = torch.randn(2, 6, 7, 8), torch.randn(6, 3, 3, 2), torch.randn(12)
TORN = torch.tensor([[3.0, 1.0, 2.0, 2.5], [1.0, float("nan"), 0.0, 2.0]])



def backward(upstream, w, stride, groups):
    """Of a convolution of IMAGES, as PyTorch's graph of a training step has it."""
    ones = [1, 1]
    return torch.ops.aten.convolution_backward(upstream, IMAGES.to(upstream), w, None, [stride] * 2, ones, ones, False,
                                               [0, 0], groups, [True, True, False])  # fmt: skip


CASES = {
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), LINE),
    "gelu": (F.gelu, LINE),
    "silu": (F.silu, LINE),
    "mish": (F.mish, LINE),
    "softplus": (F.softplus, LINE),
    "logsigmoid": (F.logsigmoid, LINE),
    "sinc": (torch.sinc, LINE),
    "erfc": (torch.erfc, LINE),
    "special_erfc": (torch.special.erfc, LINE),
    "median_dim": (lambda x: torch.median(x, 1)[0], ROWS),
    "median_rows": (lambda x: torch.median(x, 0, keepdim=True)[0], ROWS),
    "median": (torch.median, ROWS),
    **{f"cdist_{p:g}": (lambda x, p=p: torch.cdist(x, OTHER.to(x), p=p), ROWS) for p in (1.0, 2.0, 3.0, math.inf)},
    "pad_cut": (lambda x: F.pad(F.pad(x, (-1, 2)), (1, -2)), ROWS),
    "turned_channels": (lambda x: F.conv_transpose2d(x, W[:, :2].to(x), B.to(x), stride=2, padding=1, output_padding=1,
                                                     groups=6), IMAGES),
    "turned_line": (lambda x: F.conv_transpose1d(x, W[:, :1, 0].to(x), stride=3, padding=4, groups=6), IMAGES[:, :, 0]),
    "turned_dilated": (lambda x: F.conv_transpose2d(x, W[:, :1].to(x), dilation=(2, 1), groups=6), IMAGES),
    "groups_gradient": (lambda u: backward(u, W[:, :2].to(u), 2, 3)[1], torch.randn(2, 6, 4, 5)),
    "channels_gradient": (lambda u: backward(u, W[:, :1].to(u), 1, 6)[0], torch.randn(2, 6, 7, 9)),
    # Heads in groups of both sides: a group's heads are summed in front of the gradient's product.
    "heads_in_groups": (lambda x: x.repeat_interleave(2, 1) @ torch.sin(x).repeat_interleave(2, 1).mT,
                        torch.randn(2, 3, 5, 4)),
    "logcumsumexp": (lambda x: torch.logcumsumexp(60 * x, 0), LINE),  # exp(240) is infinite in f32
    "logcumsumexp_first": (lambda x: torch.logcumsumexp(x, -2), ROWS),
    "cdist_batches": (lambda x: torch.cdist(x.reshape(2, 3, 7), x.reshape(2, 3, 7) + 1), ROWS),
}

# f32 has 6e-8; a sum of a few, and the functions themselves, are off by a few of them.
BOUND = 1e-6


def far(got, want):
    return ((got.double() - want).norm() / want.norm()).item()


for name, (function, x) in CASES.items():
    x, wide = x.clone().requires_grad_(), x.double().requires_grad_()
    got, want = sinter_torch.compile(function, x, upstream=True, cache=None)(x), function(wide)
    upstream = torch.randn_like(want)
    got.backward(upstream.float())
    want.backward(upstream)
    errors = far(got, want), far(x.grad, wide.grad)
    assert max(errors) <= BOUND, f"{name}: value and gradient are off by {errors}"

# A half type is widened and rounded once, as in PyTorch.
for kind in (torch.float16, torch.bfloat16):
    x = LINE.to(kind)
    for name in ("gelu_tanh", "sinc", "erfc"):
        got, want = sinter_torch.compile(CASES[name][0], x, cache=None)(x), CASES[name][0](x.double())
        assert got.dtype == kind and far(got, want) < torch.finfo(kind).eps, (name, kind)

# Norms of half types are sums of f32: those of more than 65504 are no f16.
NORMS = {
    "normalize": lambda x: F.normalize(x, dim=1),
    "norms": lambda x: torch.linalg.vector_norm(x, dim=1) + x.norm(3, 1) + torch.linalg.norm(x) + x.norm(),
    "matrix_norm": lambda x: torch.linalg.norm(x, "fro"),
    "in_float": lambda x: torch.linalg.vector_norm(x, 1, 1, dtype=torch.promote_types(x.dtype, torch.float32)),
    "cosine": lambda x: F.cosine_similarity(x, x.flip(1) + x, 1),
    "distance": lambda x: F.pairwise_distance(x, -x) + torch.dist(x, -x),
    "renorm": lambda x: torch.renorm(x, 2, 0, 2.0),
    "triplet": lambda x: F.triplet_margin_loss(x, x.flip(1), -x, margin=500.0),
}
for kind in (torch.float16, torch.bfloat16, torch.float32):
    x = (8 * torch.randn(3, 3000)).to(kind)
    for name, function in NORMS.items():
        got = sinter_torch.compile(function, x, cache=None)(x)
        want = function(x.double())
        bound = max(3 * torch.finfo(kind).eps, BOUND)
        assert got.dtype == function(x).dtype and far(got, want) < bound, (name, kind, far(got, want))

# A NaN stays one, and at a corner the gradient is PyTorch's.
ENDS = torch.tensor([-math.inf, -6.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, math.inf, math.nan])
CHOICES = {
    "clamp": lambda x: x.clamp(-1, 0.5),
    "clamp_min": lambda x: x.clamp_min(0.5),
    "clamp_max": lambda x: (x * 1).clamp_max_(0.5),
    "clamp_crossed": lambda x: x.clamp(1, -1),
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 3),
    "relu6": F.relu6,
    "hardsigmoid": F.hardsigmoid,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.25),
    "relu6_in_place": lambda x: F.relu6(x * 1, inplace=True),
}
for name, function in CHOICES.items():
    assert torch.allclose(sinter_torch.compile(function, ENDS, cache=None)(ENDS).nan_to_num(9, 7, -7),
                          function(ENDS).nan_to_num(9, 7, -7), 1e-6, 0), name  # fmt: skip
    x = ENDS[1:-2].clone().requires_grad_()
    sinter_torch.compile(function, x, upstream=True, cache=None)(x).backward(torch.ones(9))
    got, x.grad = x.grad, None
    assert torch.equal(got, torch.autograd.grad(function(x).sum(), x)[0]), name

# A bound that is a tensor takes half of the gradient of a number that is equal to it.
x, low = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([2.0, 2.0, 2.0])
sinter_torch.compile(lambda x: x.clamp(low), x, upstream=True, cache=None)(x).backward(torch.ones(3))
assert x.grad.tolist() == [0, 0.5, 1]

# Infinities of both signs have a logarithm of the sum of their exponentials, too.
got = sinter_torch.compile(lambda x: x.logcumsumexp(0), ENDS[:-1], cache=None)(ENDS[:-1])
assert torch.equal(got.isinf(), ENDS[:-1].logcumsumexp(0).isinf()) and not got.isnan().any()

# 1 / 0 is infinite, of either sign.
x = torch.tensor([0.0, -0.0, 2.0, math.inf])
for function in (torch.reciprocal, lambda x: 3 / x, lambda x: x ** -1):
    assert torch.equal(sinter_torch.compile(function, x, cache=None)(x), function(x))

# A place beyond the edge is a 0 that is multiplied: an infinite weight gives NaN there, as in PyTorch's float64.
for x, w, how in (((2, 3, 9, 7), (4, 3, 3, 3), dict(padding=1)), ((1, 64, 8, 8), (64, 64, 3, 3), dict(padding=1)),
                  ((2, 16, 9, 7), (16, 1, 5, 5), dict(padding=2, groups=16))):
    x, w = torch.randn(x), torch.randn(w)
    w[0].view(-1)[0], w[-1].view(-1)[-1] = math.inf, -math.inf
    got = sinter_torch.compile(lambda x, w: F.conv2d(x, w, **how), x, w, cache=None)(x, w)
    want = F.conv2d(x.double(), w.double(), **how)
    assert want.isnan().any() and torch.equal(got.isnan(), want.isnan()) and torch.equal(got.isinf(), want.isinf())

# A NaN is the median, at its place.
got, want = sinter_torch.compile(lambda x: torch.median(x, 1), TORN, cache=None)(TORN), torch.median(TORN, 1)
assert torch.equal(got[0].nan_to_num(9), want[0].nan_to_num(9)) and torch.equal(got[1], want[1])

# Places count from the end, too, where numbers are put: constants, and those of a call.
x, here = torch.randn(4, 5), torch.tensor([-1, 2, 0])
for put in (lambda x, here: x.index_put((torch.tensor([0, -2]), torch.tensor([-1, 1])), torch.ones(2), accumulate=True),
            lambda x, here: x.index_put((here,), x[1:] * 2),
            lambda x, here: x.clone().index_put_((torch.tensor([True, False, True, True]), here), x[:3, 0])):
    assert torch.equal(sinter_torch.compile(put, x, here, cache=None)(x, here), put(x, here))

# What detaches beside them is kept.
x = torch.randn(9, requires_grad=True)
sinter_torch.compile(lambda x: (torch.erfc(x) * x.detach()).sum(), x, cache=None)(x).backward()
want = torch.autograd.grad((torch.erfc(y := x.detach().double().requires_grad_()) * y.detach()).sum(), y)[0]
assert far(x.grad, want) <= BOUND

# Nothing comes back through a detach: not an infinite derivative times 0.
x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
for function in (lambda x: x * 2 + torch.sqrt(x).detach(), lambda x: torch.sqrt(x).detach() * (x - x.detach()),
                 lambda x: torch.where(torch.sqrt(x).detach() > 1.5, torch.sqrt(x).detach(), x * 3)):
    sinter_torch.compile(function, x, upstream=True, cache=None)(x).backward(torch.ones(3))
    got, x.grad = x.grad, None
    assert torch.equal(got, torch.autograd.grad(function(x).sum(), x)[0])

print("all right")
