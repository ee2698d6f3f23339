#!/usr/bin/env python3
"""Makes numbers.npz: arguments, results and gradients of programs.py, by PyTorch in float64.

    test/golden/gradients/make.py         with a Python that has torch and numpy

Arguments are numbers that bf16 has, so the same results are right for each type that a program is stored in.
"""
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import CASES  # noqa: E402


def attention(q, k, v, mask=None, causal=False):
    k, v = (t.repeat_interleave(q.shape[0] // t.shape[0], 0) for t in (k, v))
    s = q @ k.transpose(1, 2) * 0.375
    if causal:
        s = s.masked_fill(torch.ones(s.shape[1:], dtype=torch.bool).triu(1), -torch.inf)
    return torch.softmax(s if mask is None else s + mask, -1) @ v


def mlp2(f):
    return lambda x, u, b, w, c: F.linear(f(F.linear(x, u, b)), w, c)


def mlp3(f):
    return lambda x, u, v, w: F.linear(f(F.linear(f(F.linear(x, u)), v)), w)


ACTIVATIONS = {"relu": F.relu, "tanh": torch.tanh, "gelu": F.gelu}
FUNCTIONS = {f"mlp2_{n}": mlp2(f) for n, f in ACTIVATIONS.items()}
FUNCTIONS |= {f"mlp3_{n}": mlp3(f) for n, f in ACTIVATIONS.items()}
FUNCTIONS |= {
    "attention": attention, "attention_gqa": attention, "attention_mask": attention,
    "attention_long": attention,
    "attention_long_causal": lambda q, k, v: attention(q, k, v, causal=True),
    "attention_causal": lambda q, k, v: attention(q, k, v, causal=True),
    "attention_gqa2": lambda q, k, v: attention(q, k, v, causal=True),
    "lora": lambda x, w, a, b: F.linear(x, w) + F.linear(F.linear(x, a), b),
    "swiglu": lambda x, g, u, d: F.linear(F.silu(F.linear(x, g)) * F.linear(x, u), d),
    "entropy": lambda x, u, w, t: F.cross_entropy(F.linear(F.relu(F.linear(x, u)), w), t, reduction="sum"),
    "rms_norm": lambda x, g, u, w: F.linear(torch.tanh(F.linear(x * (x * x).sum(-1, keepdim=True).rsqrt() * g, u)), w),
    "layer_norm": lambda x, g, b, u: F.linear((x - x.mean(-1, keepdim=True)) * ((x - x.mean(-1, keepdim=True)) ** 2)
                                              .sum(-1, keepdim=True).rsqrt() * g + b, u),
    "dequantised": lambda x, c, s, n, w: F.linear(torch.tanh(F.linear(x, c * s.repeat_interleave(8, 1) + n[:, None])),
                                                  w),
    "gathered": lambda e, t, g, u: torch.tanh(F.linear(e[t] * g, u)),
    "dropout": lambda x, m, u, w: F.linear(F.relu(F.linear(torch.where(m, x * 1.25, 0.0), u)), w),
    "matrix": lambda x, v, r, c: (x * x) @ (torch.tanh(v) * r[:, None] + c) * (x * x).sum(-1, keepdim=True),
}


def main():
    found, g = {}, torch.Generator().manual_seed(12)

    def normal(shape):
        return torch.randn(shape, generator=g).bfloat16().double()

    for name, case in CASES.items():
        values = []
        for argument, letters, kind in case.arguments:
            shape = [int(case.sizes[c]) for c in letters]
            if kind in "TA":
                values.append(normal(shape))
            elif kind == "i1":
                values.append(torch.rand(shape, generator=g) < 0.8)
            elif kind == "i8":
                values.append(torch.randint(-7, 8, shape, generator=g, dtype=torch.int8))
            else:
                values.append(torch.randint(int(case.sizes["o" if name == "entropy" else "v"]), shape, generator=g))
        floats = [v.requires_grad_() if v.dtype == torch.float64 else v for v in values]
        y = FUNCTIONS[name](*floats)
        upstream = normal(list(y.shape))
        gradients = torch.autograd.grad(y, [floats[n] for n in case.wrt], upstream)
        for n, v in enumerate(values):
            found[f"{name}.in{n}"] = v.detach().numpy()
        found[f"{name}.upstream"] = upstream.numpy()
        for n, v in enumerate([y, *gradients]):
            found[f"{name}.out{n}"] = v.detach().numpy()
    for name, values in found.items():  # what bf16 has, f32 has
        if ".out" not in name and values.dtype == np.float64:
            found[name] = values.astype(np.float32)
    np.savez_compressed(pathlib.Path(__file__).resolve().parent / "numbers.npz", **found)
    print(f"{len(CASES)} programs")


main()
