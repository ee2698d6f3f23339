"""Each function in one program: its value and its gradient at many places, beside PyTorch's float64."""
import math
import warnings

import torch
from torch import special

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(7)

LINE = torch.cat([torch.linspace(-9.7, 9.9, 197), torch.tensor([1e-4, 1.0, 2.0, -1e-4, 30.0, 600.0, 1.5e7])])
WIDE = torch.cat([torch.linspace(-30, 30, 241), torch.tensor([-200.0, 80.0])])
PARTS = torch.cat([torch.linspace(-0.999, 0.999, 112), torch.tensor([0.99999, -0.9999999, 1e-6])])
TAILS = torch.cat([torch.rand(99), torch.tensor([1e-30, 1e-12, 1e-5, 0.5, 0.999999])])
ONE, OTHER = torch.randn(99) * 10, torch.randn(99) * torch.logspace(-3, 3, 99)
INF, NAN = math.inf, math.nan

# name: (function, where, where else: a value that is no number or infinite is the same one)
CASES = {
    "lgamma": (torch.lgamma, LINE, [0.0, -1.0, -5.0, INF, -INF, NAN]),
    "gammaln": (special.gammaln, LINE[100:], []),
    "mvlgamma": (lambda x: torch.mvlgamma(x, 3), LINE[120:], []),
    "digamma": (torch.digamma, LINE, [0.0, -1.0, -7.0, INF, NAN]),
    "trigamma": (lambda x: torch.polygamma(1, x), LINE[(LINE > 0) | (LINE > -8) & (LINE != LINE.round())], [NAN]),
    "erfinv": (torch.erfinv, PARTS, [1.0, -1.0, 1.5, NAN]),
    "ndtri": (special.ndtri, TAILS, [0.0, 1.0, -0.5, NAN]),
    "erfcx": (special.erfcx, WIDE[WIDE > -8], [INF, NAN]),
    "log_ndtr": (special.log_ndtr, WIDE, [INF, NAN]),
    "i0": (torch.i0, WIDE, [NAN]),
    "i0e": (special.i0e, WIDE, [NAN]),
    "i1": (special.i1, WIDE, [NAN]),
    "i1e": (special.i1e, WIDE, [NAN]),
    "hypot": (lambda x: torch.hypot(x, OTHER.to(x)), ONE, []),
    "hypot_large": (lambda x: torch.hypot(x * 1e30, x.new_full((), 3e30)), ONE, [INF, NAN]),
    "copysign": (lambda x: torch.copysign(x, OTHER.to(x)), ONE, []),
    "copysign_zeros": (lambda x: torch.copysign(x.new_ones(()), x), ONE, [0.0, -0.0, INF, -INF]),
}

for name, (function, x, corners) in CASES.items():
    got_of = sinter_torch.compile(function, x.clone().requires_grad_(), upstream=True, cache=None)
    x, wide = x.clone().requires_grad_(), x.double().requires_grad_()
    got, want = got_of(x), function(wide)
    near = want.abs().float().isfinite()  # what f32 has no room for is infinite
    assert torch.equal(got.isfinite(), near), name
    off = ((got - want).abs() / want.abs().clamp_min(1e-5))[near].max().item()
    assert off <= 2e-7, f"{name}: a value is off by {off}"
    if want.requires_grad:
        upstream = near.double() * (torch.rand_like(want) + 0.5)
        got.backward(upstream.float())
        want.backward(upstream)
        near = wide.grad.float().isfinite()
        off = ((x.grad - wide.grad).abs() / wide.grad.abs().clamp_min(1e-30))[near & (upstream > 0)].max().item()
        # f32 has its own places: where a gradient falls by e^-450 nothing is left
        assert off <= 3e-7 or name == "log_ndtr" and off <= 1, f"{name}: a gradient is off by {off}"
    if corners:
        at = torch.tensor(corners)
        got = sinter_torch.compile(function, at, cache=None)(at)
        want = function(at.double()).float()
        assert torch.equal(got.nan_to_num(7), want.nan_to_num(7)), f"{name} at {corners}: {got}, not {want}"
        assert torch.equal(got.isnan(), want.isnan()), f"{name} at {corners}: {got}, not {want}"

# Half types are rounded once, integers become f32, and sizes may be those of a call.
for kind in (torch.float16, torch.bfloat16):
    x = LINE[110:190].to(kind)
    got, want = sinter_torch.compile(torch.lgamma, x, cache=None)(x), torch.lgamma(x.double())
    assert got.dtype == kind and ((got - want).abs() / want.abs().clamp_min(1e-3)).max() < torch.finfo(kind).eps
whole = torch.arange(1, 30)
got = sinter_torch.compile(torch.lgamma, whole, cache=None)(whole)
assert got.dtype == torch.float32 and torch.allclose(got, torch.lgamma(whole.float()), rtol=1e-6)
any_size = sinter_torch.compile(torch.digamma, LINE, dynamic={0: 0}, cache=None)
assert torch.allclose(any_size(LINE[100:131]), torch.digamma(LINE[100:131]), rtol=2e-6, atol=2e-6)

print("all right")
