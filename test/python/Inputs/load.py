import _ctypes
import sys

import torch
from check import agree, refuses

import sinter_torch

lib = sinter_torch.load(sys.argv[1])
torch.manual_seed(7)

# The table.
assert [f.name for f in lib] == ["squares", "weighted", "sigmoid", "sigmoid_backward", "masked", "checked"]
assert [(a.name, a.dtype, a.shape) for a in lib.masked.inputs] == [("x", torch.float32, (-1, 8)),
    ("mask", torch.bool, (-1, 8))]
assert [(a.name, a.dtype, a.shape) for a in lib.masked.outputs] == [("sums", torch.float32, (-1,)),
    ("", torch.int64, (-1,))]
assert repr(lib["masked"]) == "masked(x: float32[?, 8], mask: bool[?, 8]) -> (sums: float32[?], int64[?])", repr(
    lib.masked)
assert (
    repr(lib.squares) == "squares(x: float64[?, ?], y: float64[?, ?]) -> (float64[]), gradients of x: multiply"
), repr(lib.squares)
assert "masked" in dir(lib) and repr(lib).count("\n") == 6

# Calls: by place, by name, of any size, none among them; all in PyTorch's memory.
x, mask = torch.randn(3, 8), torch.rand(3, 8) < 0.5
sums, counts = lib.masked(x, mask)
agree(sums, (x * mask).sum(1), 1e-6)
assert torch.equal(counts, mask.sum(1))
assert torch.equal(lib.masked(mask=mask, x=x)[0], sums)
assert torch.equal(lib.masked(torch.randn(2, 3, 8)[1], mask=mask)[1], counts)  # a part of another tensor
assert lib.masked(torch.empty(0, 8), torch.empty(0, 8, dtype=torch.bool))[0].shape == (0,)
assert lib.masked(x[:, None].expand(3, 1, 8)[:, 0], mask)[0].shape == (3,)

# What the table does not allow.
refuses(TypeError, "masked takes 2 tensors, and was given 1", lambda: lib.masked(x))
refuses(TypeError, "masked: input 0 (x) is a list, expected a tensor", lambda: lib.masked([1.0], mask))
refuses(TypeError, "masked: input 0 (x) is torch.float64, expected torch.float32", lambda: lib.masked(x.double(), mask))
refuses(TypeError, "masked: input 1 (mask) is torch.uint8, expected torch.bool", lambda: lib.masked(x, mask.byte()))
refuses(TypeError, "masked: input 0 (x) is torch.sparse_coo, expected torch.strided",
        lambda: lib.masked(x.to_sparse(), mask))
refuses(TypeError, "masked has no argument 'y'", lambda: lib.masked(x, y=mask))
refuses(TypeError, "masked: argument 'x' is given twice", lambda: lib.masked(x, x=mask))
refuses(ValueError, "masked: input 0 (x) has shape [3, 7], expected [?, 8]",
        lambda: lib.masked(torch.randn(3, 7), mask))
refuses(ValueError, "masked: input 0 (x) has shape [8], expected [?, 8]", lambda: lib.masked(x[0], mask))
refuses(ValueError, "masked: input 0 (x) has strides (1, 3), expected (8, 1): call .contiguous()",
        lambda: lib.masked(torch.randn(8, 3).t(), mask))
refuses(ValueError, "masked: input 0 (x) is on meta, expected the CPU: the library was compiled with --target=cpu",
        lambda: lib.masked(x.to("meta"), mask))
refuses(AttributeError, "has no function 'mask', only squares, weighted", lambda: lib.mask)
refuses(TypeError, "has several functions", lambda: lib(x))

# What the library finds out itself comes with its words, and its status.
refuses(ValueError, "which is not a multiple of 16 bytes", lambda: lib.masked(torch.randn(25)[1:].view(3, 8), mask))
refuses(ValueError, "masked: ", lambda: lib.masked(torch.randn(4, 8), mask))
refuses(sinter_torch.Error, "checked: t is negative", lambda: lib.checked(torch.tensor(-1)))
try:
    lib.checked(torch.tensor(-1))
except sinter_torch.Error as why:
    assert why.status == 1
assert lib.checked(torch.tensor(3)) == 3

# Threads and counts.
lib.set_threads(1)
before = lib.stats()["kernels"]
assert torch.equal(lib.masked(x, mask)[0], sums) and lib.stats()["kernels"] > before
lib.masked.prepare(x, mask)  # nothing on the CPU
lib.check()

# What is no library.
refuses(OSError, "cannot open /nowhere/loss.so", lambda: sinter_torch.load("/nowhere/loss.so"))
if hasattr(_ctypes, "__file__"):  # a shared library of Python's own
    refuses(ValueError, "has no sinter_library: sinter-cc did not write it",
            lambda: sinter_torch.load(_ctypes.__file__))
