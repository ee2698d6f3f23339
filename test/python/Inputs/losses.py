import sys

import torch
import torch.nn.functional as F
from check import agree, randn, refuses

import sinter_torch

folder = sys.argv[1]
torch.manual_seed(7)


def load(name, **how):
    return sinter_torch.load(f"{folder}/{name}.so", **how).main


def gradients(loss, *inputs):
    return torch.autograd.grad(loss, [t for t in inputs if t.requires_grad])


def huber(x, t):
    return F.huber_loss(x, t, delta=0.5)


x, t = randn(6, 7, requires_grad=True), randn(6, 7, requires_grad=True)
own = load("huber")
agree(own(input=x, target=t), huber(x, t))
for got, want in zip(gradients(5 * own(x, t), x, t), gradients(5 * huber(x, t), x, t)):
    agree(got, want)

# An upstream that the library takes: all three ways.
for how in ("multiply", "recompute"):
    agree(*(gradients(5 * f(x.detach(), t), t)[0] for f in (load("huber_upstream", backward=how), huber)))
agree(*(gradients(f(x.detach(), t), t)[0] for f in (load("huber_upstream", backward="one"), huber)))
refuses(RuntimeError, "main: input 0 (input) requires a gradient, and the library has those of input 1 (target) only",
        lambda: load("huber_upstream")(x, t))
refuses(RuntimeError, "main has no gradients for autograd, and an argument requires one",
        lambda: load("huber_value")(x, t))

# A value per element needs its upstream.
agree(*(gradients((f * (x.detach() + 2)).sum(), x)[0] for f in (load("huber_none")(x, t.detach()),
                                                                F.huber_loss(x, t.detach(), delta=0.5,
                                                                    reduction="none"))))
ones = load("huber_none_ones")
refuses(RuntimeError,
        "main has gradients of float64[?, ?] for an upstream of 1 only: give it an argument with sinter.upstream_of",
        lambda: ones(x, t.detach()))
agree(ones.all(x, t)[1], gradients(huber(x, t) * x.numel(), x)[0])
agree(ones(x.detach(), t.detach()), F.huber_loss(x, t, delta=0.5, reduction="none").detach())

# Labels and class weights have no gradients.
x, t, w = torch.randn(9, 13, requires_grad=True), torch.randint(13, (9,)), torch.rand(13)
t[3] = -100
want = F.cross_entropy(x, t, w, label_smoothing=0.1)
agree(load("cross_entropy")(x, t, w), want, 1e-6)
agree(gradients(load("cross_entropy")(x, t, w), x)[0], gradients(want, x)[0], 1e-5)

# A step of a model is PyTorch's.
layer = torch.nn.Linear(5, 13)
data, weights = torch.randn(9, 5), []
for f in (lambda y: load("cross_entropy")(y, t, w), lambda y: F.cross_entropy(y, t, w, label_smoothing=0.1)):
    layer.zero_grad()
    f(layer(data)).backward()
    weights.append(layer.weight.grad.clone())
agree(*weights, 1e-5)
