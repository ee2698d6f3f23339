import copy
import pickle
import sys
import threading

import torch
import torch.autograd.forward_ad as forward_ad
import torch.utils.checkpoint
from check import agree, randn, refuses
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import sinter_torch

lib = sinter_torch.load(sys.argv[1])
torch.manual_seed(7)
f = lib.squares
x, y = randn(3, 5, requires_grad=True), randn(3, 5)
flat = x.detach()


def squares(x, y):
    return ((x - y) ** 2).sum()


# Gradients of gradients: refused when they are prepared for, whatever else x is in, however the library differentiates.
wide = randn(3, 4, requires_grad=True)
for loss, at in [(f(x, y), x), (lib.weighted(x, y), x), (lib.sigmoid(wide).sum(), wide)]:
    refuses(RuntimeError, "create_graph=True asks for a gradient of its gradient, and the library has none",
            lambda: torch.autograd.grad(loss + at.sum(), at, create_graph=True))  # fmt: skip
refuses(RuntimeError, "squares: create_graph=True", lambda: torch.autograd.functional.hessian(lambda a: f(a, y), flat))
agree(torch.autograd.functional.jacobian(lambda a: f(a, y), flat), 2 * (flat - y))
agree(torch.autograd.functional.jacobian(lambda a: f(a, y), flat, vectorize=True), 2 * (flat - y))
for reentrant in (False, True):
    x.grad = None
    torch.utils.checkpoint.checkpoint(lambda a: f(a * 2, y), x, use_reentrant=reentrant).backward()
    agree(x.grad, 4 * (2 * flat - y))

# Forward mode.
with forward_ad.dual_level():
    agree(f(flat, y), squares(flat, y))
    for primal in (flat, x):
        dual = forward_ad.make_dual(primal, torch.ones_like(flat))
        refuses(RuntimeError, "squares: input 0 (x) has a tangent of forward mode", lambda: f(dual, y))

# torch.func.
for call in (
    lambda: torch.func.vmap(f)(randn(2, 3, 5), randn(2, 3, 5)),
    lambda: torch.func.grad(f)(flat, y),
    lambda: torch.func.jacrev(f)(flat, y),
    lambda: torch.func.vjp(f, flat, y),
    lambda: torch.func.jvp(f, (flat, y), (flat, y)),
):
    refuses(TypeError, "squares: input 0 (x) is a tensor of torch.func", call)
agree(torch.func.vmap(lambda a: a * f(flat, y))(torch.ones(2, dtype=torch.float64)), squares(flat, y).expand(2))

# The negative bit, on an argument, on one that is differentiated by, on an upstream.
negative = torch._neg_view(flat)
assert negative.is_neg()
agree(f(negative, y), squares(-flat, y))
agree(f(flat, torch._neg_view(y)), squares(flat, -y))
agree(lib.squares.all(negative, y)[1], 2 * (-flat - y))
agree(torch.autograd.grad(f(torch._neg_view(x), y), x)[0], 2 * (flat + y))
z = torch.complex(randn(1, 3), randn(1, 3))
agree(f(z.conj().imag.as_strided((1, 1), (1, 1)), randn(1, 1) * 0), z.imag[0, :1].square().sum())
agree(torch.autograd.grad(lib.sigmoid(wide), wide, torch._neg_view(torch.ones(3, 4, dtype=torch.float64)))[0],
      -(torch.sigmoid(wide) * (1 - torch.sigmoid(wide))).detach())  # fmt: skip

# Places that are shared, and memory that is not there.
expanded = randn(1, 5).expand(3, 5)
refuses(ValueError, "squares: input 0 (x) has strides (0, 1), expected (5, 1): call .contiguous()",
        lambda: f(expanded, y))
refuses(ValueError, "has strides (10, 2)", lambda: f(torch.complex(flat, y).conj().imag, y))
refuses(TypeError, "squares: input 1 (y) is torch.sparse_csr", lambda: f(flat, y.to_sparse_csr()))
quantized = torch.quantize_per_tensor(torch.randn(3, 5), 0.1, 0, torch.qint8)
refuses(TypeError, "squares: input 0 (x) is torch.qint8", lambda: f(quantized, y))
refuses(TypeError, "squares: input 0 (x) is torch.complex128", lambda: f(torch.complex(flat, y), y))
nested = torch.nested.nested_tensor([flat[0], flat[1]])
refuses(TypeError, "squares: input 0 (x) is a nested tensor", lambda: f(nested, y))
zeros = torch._efficientzerotensor((3, 5), dtype=torch.float64)
refuses(TypeError, "squares: input 0 (x) has 15 elements and no memory", lambda: f(zeros, y))
freed = randn(3, 5)
freed.untyped_storage().resize_(0)
refuses(TypeError, "squares: input 0 (x) has 15 elements and no memory", lambda: f(freed, y))
refuses(TypeError, "squares takes 2 tensors, and was given 1", lambda: f(x))
refuses(TypeError, "squares: input 1 (y) is a list, expected a tensor", lambda: f(x, [1.0]))


# Subclasses that have memory are tensors; others are not.
class Named(torch.Tensor):
    pass


agree(f(flat.as_subclass(Named), y).as_subclass(torch.Tensor), squares(flat, y))
agree(f(torch.nn.Parameter(flat), y).detach(), squares(flat, y))
with FakeTensorMode():
    fake = torch.empty(3, 5, dtype=torch.float64)
    refuses(RuntimeError, "squares runs a compiled library, which FakeTensorMode cannot record", lambda: f(fake, fake))
refuses(TypeError, "squares: input 0 (x) is a FakeTensor, which has no memory", lambda: f(fake, y))

# What is recorded would miss the library's part of it.
refuses(RuntimeError, "which make_fx or torch.export cannot record: call it outside", lambda: make_fx(f)(flat, y))
refuses(RuntimeError, "which torch.jit.trace cannot record", lambda: torch.jit.trace(lambda a, b: f(a, b), (flat, y)))


@torch.compile(backend="eager")
def compiled(a, b):
    return f(a * 2, b) + a.sum()


for rows in (3, 4, 5):
    a, b = randn(rows, 5, requires_grad=True), randn(rows, 5)
    total = compiled(a, b)
    agree(total.detach(), (squares(a * 2, b) + a.sum()).detach())
    agree(torch.autograd.grad(total, a)[0], (4 * (2 * a - b) + 1).detach())

# A copy of a model keeps its libraries; one in another process opens the file there.
assert copy.deepcopy({"loss": f, "lib": lib}) == {"loss": f, "lib": lib}
agree(pickle.loads(pickle.dumps(f))(flat, y), squares(flat, y))
again = pickle.loads(pickle.dumps(sinter_torch.load(sys.argv[1], backward="recompute")))
assert again.weighted.backward == "recompute"

# Threads, each with sizes of its own.
failed = []


def work(seed):
    try:
        random = torch.Generator().manual_seed(seed)
        for _ in range(100):
            n = int(torch.randint(1, 9, (), generator=random))
            a, b = torch.randn(2, n, 5, dtype=torch.float64, generator=random)
            a, b = a.clone().requires_grad_(), b.clone()
            loss = f(a, b)
            agree(loss.detach(), squares(a, b).detach())
            agree(torch.autograd.grad(loss, a)[0], 2 * (a - b).detach())
    except Exception as why:
        failed.append(why)


threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
