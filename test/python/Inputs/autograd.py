import sys

import torch
from check import agree, kernels, randn, refuses

import sinter_torch

path = sys.argv[1]
torch.manual_seed(7)

# A scalar value with its gradient from the same call: forward runs it once, backward multiplies.
lib = sinter_torch.load(path)
x, y = randn(37, 11, requires_grad=True), randn(37, 11)
loss = lib.squares(x, y)
want = ((x - y) ** 2).sum()
agree(loss, want)
assert kernels(lib, lambda: (3 * loss).backward(retain_graph=True)) == 0
agree(x.grad, 6 * (x - y).detach())
loss.backward()  # once more: gradients are kept as they are
agree(x.grad, 8 * (x - y).detach())
assert torch.autograd.gradcheck(lib.squares, (randn(3, 2, requires_grad=True), randn(3, 2)))

# Nothing is kept where nothing requires a gradient.
assert not lib.squares(x.detach(), y).requires_grad
with torch.no_grad():
    assert not lib.squares(x, y).requires_grad
agree(lib.squares(x.detach(), y), want.detach())
value, gradient = lib.squares.all(x, y)
agree(gradient, 2 * (x - y).detach())

# What cannot be differentiated says so.
refuses(RuntimeError, "squares: input 1 (y) requires a gradient, and the library has those of input 0 (x) only",
        lambda: lib.squares(x, y.clone().requires_grad_()))
refuses(RuntimeError, "masked has no gradients for autograd, and an argument requires one: detach() it",
        lambda: lib.masked(torch.randn(3, 8, requires_grad=True), torch.rand(3, 8) < 0.5))  # fmt: skip
refuses(ValueError, "squares: input 0 (x) has strides", lambda: lib.squares(randn(11, 37, requires_grad=True).t(), y))

# With an upstream of its own, results and arguments in any order; the three ways to the gradients.
x, y = randn(3, 5, requires_grad=True), randn(3, 5, requires_grad=True)
for backward, scale in [(None, 3), ("multiply", 3), ("recompute", 3), ("one", 1)]:
    lib = sinter_torch.load(path, backward=backward)
    assert lib.weighted.backward == backward or (backward is None and lib.weighted.backward == "multiply")
    x.grad = y.grad = None
    loss = lib.weighted(x, y)
    agree(loss, ((x - y) ** 2).sum())
    in_backward = kernels(lib, lambda: (3 * loss).backward())
    assert (in_backward > 0) == (backward == "recompute")
    agree(x.grad, 2 * scale * (x - y).detach())
    agree(y.grad, -2 * scale * (x - y).detach())
    if backward != "one":
        assert torch.autograd.gradcheck(lib.weighted, (x, y))
value = lib.weighted.all(x, y, torch.tensor(0.5, dtype=torch.float64))
agree(value[2], (x - y).detach())

# Values per element: @sigmoid forward, @sigmoid_backward with the upstream that autograd has.
lib = sinter_torch.load(path)
assert lib.sigmoid.backward == "recompute"
x = randn(5, 4, requires_grad=True)
agree(lib.sigmoid(x), torch.sigmoid(x))
lib.sigmoid(x).sum().backward()  # an upstream that is expanded
agree(x.grad, (torch.sigmoid(x) * (1 - torch.sigmoid(x))).detach())
assert torch.autograd.gradcheck(lib.sigmoid, (randn(2, 4, requires_grad=True),))

lib.sigmoid.prepare(x)
lib.weighted.prepare(randn(3, 5), randn(3, 5))

# In a model.
layer = torch.nn.Linear(6, 4, dtype=torch.float64)
data = randn(3, 6)
grads = []
for sigmoid in (lib.sigmoid, torch.sigmoid):
    layer.zero_grad()
    (sigmoid(layer(data)) ** 2).mean().backward()
    grads.append(layer.weight.grad.clone())
agree(*grads)

refuses(ValueError, "backward='twice' is not one of multiply, recompute, one",
        lambda: sinter_torch.load(path, backward="twice"))
