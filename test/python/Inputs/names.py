"""names.py LIBRARY NAMES: each function of the library computes what PyTorch does."""

import sys

import sinter_torch
import torch

library = sinter_torch.load(sys.argv[1])
names = open(sys.argv[2], encoding="utf-8", newline="\n").read().split("\n")[:-1]
assert sorted(library.functions) == sorted(names) and len(names) > 40
x, k = torch.randn(5), torch.rand(4) + 0.5
for name in names:
    w, powers, total = library[name](x, k)
    want = torch.erf(torch.sin(torch.exp(x)))
    torch.testing.assert_close(w, want, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(powers, torch.atan2(k**k, k), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(total, want.sum(), atol=1e-5, rtol=1e-5)
