"""Programs of floats of 8 bits against PyTorch: float8.py LIBRARY"""

import sys

import numpy as np
import torch

import sinter_torch

lib = sinter_torch.load(sys.argv[1])
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
checked = wrong = 0


def same(name, got, want):
    global checked, wrong
    bits = got.dtype in (E4M3, E5M2) and got.dtype == want.dtype
    if bits:
        got, want = got.view(torch.uint8), want.view(torch.uint8)
    if not bits and got.dtype.is_floating_point:
        is_right = torch.allclose(got, want, rtol=1e-5, atol=1e-4, equal_nan=True)
    else:
        is_right = torch.equal(got, want)
    checked += 1
    if not is_right:
        wrong += 1
        print(f"{name}: differs at {(got != want).nonzero()[:4].tolist()}")


def drawn(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 3


def singles():
    """Each number of both types, what is halfway between two, and the next ones in f32; and any bits."""
    rng = np.random.default_rng(0)
    parts = [rng.integers(0, 1 << 32, 200_000, dtype=np.uint32)]
    for t in (E4M3, E5M2):
        v = torch.arange(256, dtype=torch.uint8).view(t).float()
        v = v[v.isfinite()].sort().values
        near = torch.cat([v, (v[1:] + v[:-1]) / 2]).numpy().view(np.uint32)
        parts += [near + np.uint32(k & 0xFFFFFFFF) for k in (-2, -1, 0, 1, 2)]
    ends = [0, 1, 0x007FFFFF, 0x43E80000, 0x43E80001, 0x43F00000, 0x476FFFFF, 0x47700000, 0x47800000, 0x7F7FFFFF]
    ends += [0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF]
    parts += [np.array(ends, np.uint32), np.array(ends, np.uint32) | np.uint32(1 << 31)]
    scales = np.exp2(rng.uniform(-20, 20, 100_000)) * rng.choice([-1, 1], 100_000)
    parts += [scales.astype(np.float32).view(np.uint32)]
    return torch.from_numpy(np.concatenate(parts).view(np.float32))


every, f = torch.arange(256, dtype=torch.uint8), singles()
a, b, c, d = lib.conversions(every.view(E4M3), every.view(E5M2), f)
assert torch.equal(a.nan_to_num(7e7), every.view(E4M3).float().nan_to_num(7e7))
assert torch.equal(b.nan_to_num(7e7), every.view(E5M2).float().nan_to_num(7e7))
same("to e4m3fn", c, f.to(E4M3))
same("to e5m2", d, f.to(E5M2))

x, w, v = drawn(1, 37, 65).to(E4M3), drawn(2, 65, 29).to(E4M3), drawn(3, 29, 65).to(E5M2)
same("mm", lib.mm(x, w), x.float() @ w.float())
s = torch.rand(29)
same("mixed", lib.mixed(x, v, s), ((x.float() @ v.float().T) * s).to(E4M3))
x, w = drawn(4, 64, 256).to(E4M3), drawn(5, 128, 256).bfloat16()
same("bf", lib.bf(x, w), x.float() @ w.float().T)

# Every operation is of f32, and its result is rounded.
x, y = drawn(6, 33, 71).to(E5M2), drawn(7, 33, 71).to(E5M2)
t = ((x.float() + y.float()).to(E5M2).float() * 1.5).to(E5M2).float()
want = torch.maximum(t, x.float()).exp().to(E5M2)
off = (lib.inf8(x, y).float() - want.float()).abs() > want.float() * 0.26  # exp is near the middle of two for a few
same("inf8", off, torch.zeros_like(off))

x = drawn(8, 33, 71).to(E4M3)
largest, total = lib.sums(x)
same("maxima", largest, x.float().amax(1).clamp(min=0).to(E4M3))
same("sums", total, x.float().sum(1).to(E4M3))
x = drawn(9, 5, 513).bfloat16()
q, m = lib.quant(x)
same("maximum of a row", m, x.float().abs().amax(1))
same("quantised", q, (x.float() * (448 / m[:, None])).to(E4M3))

w = torch.tensor([[1.0, 2.5, -0.015625, 448.0], [0.001953125, -3.0, 0.0, 1.25]])
x = drawn(10, 8, 4)
same("constants", lib.weights(x), x @ w.T @ w)

i, d, h = torch.randint(-500, 500, (64,), dtype=torch.int32), drawn(11, 64).double() * 1e3, drawn(12, 64).half()
got = lib.convs(i, d, h)
p, q, r = i.float().to(E4M3), d.to(E5M2), h.to(E4M3)
for k, want in enumerate((p, q, q.double(), r.half(), p.float().int(), r.bfloat16())):
    same(f"conversion {k}", got[k], want)

t, i, x = drawn(13, 50, 16).to(E4M3), torch.randint(0, 50, (9,)), drawn(14, 37, 65).to(E4M3)
same("gathered", lib.gathered(t, i), t.view(torch.uint8)[i].view(E4M3))
same("turned", lib.turned(x), x.view(torch.uint8).T.contiguous().view(E4M3))

try:
    lib.turned(x.view(E5M2))
except TypeError as e:
    same("refused", "expected torch.float8_e4m3fn" in str(e) and torch.tensor(0), torch.tensor(0))
print(f"{checked} results, {wrong} wrong")
