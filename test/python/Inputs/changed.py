"""What a call changes, beside PyTorch: each of three calls sees what the one before it left."""
import copy

import torch
from check import agree, refuses
from torch import nn

import sinter_torch

torch.manual_seed(5)


class Cache(nn.Module):
    """Keys of all positions so far, written in place: by an index, by a subscript, by a slice of known places."""

    def __init__(self, how):
        super().__init__()
        self.how, self.w = how, nn.Linear(4, 4)
        self.register_buffer("keys", torch.zeros(2, 6, 4))

    def forward(self, x, at):
        if self.how == "index":
            self.keys.index_copy_(1, at, self.w(x))
        elif self.how == "subscript":
            self.keys[:, at] = self.w(x)
        else:
            self.keys[:, 1:3].copy_(self.w(x) + at[0])
        return torch.softmax(x @ self.keys.transpose(1, 2), -1) @ self.keys


class Average(nn.Module):
    """By an assignment, for which no tensor is written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return x - self.mean


class Count(nn.Module):
    """Of integers, which are constants of a program where nothing changes them; `beside` is one."""

    def __init__(self, assigned):
        super().__init__()
        self.assigned = assigned
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("beside", torch.tensor([3, 1, 0, 2]))

    def forward(self, x):
        if self.assigned:
            self.calls = self.calls + 1
        else:
            self.calls += 1
        return x[:, self.beside] * self.calls


class Unseen(nn.Module):
    """The example's call leaves `same` as it was: its change is seen in the trace alone."""

    def __init__(self):
        super().__init__()
        self.register_buffer("same", torch.ones(4))
        self.register_buffer("twice", torch.ones(4))

    def forward(self, x):
        with torch.no_grad():
            self.same.clamp_(max=4 - self.twice.amax())
            self.twice.mul_(2)
        return x * self.same + self.twice


class Spectral(nn.Module):
    """In bf16 a vector of the power iteration comes to stand still, and PyTorch changes it still."""

    def __init__(self):
        super().__init__()
        normed = torch.nn.utils.parametrizations.spectral_norm
        self.first, self.second = normed(nn.Linear(5, 6)), normed(nn.Conv2d(1, 3, 3))

    def forward(self, x):
        return self.second(self.first(x)[:, None]).square()


def in_place(x, y):
    x.mul_(2).add_(y)
    return x.sum(1), x * y


def one_row(x, y):
    x[1].copy_(y[0])
    return x @ y.T


KEYS, PLACES, X, Y = torch.randn(2, 2, 4), torch.tensor([1, 4]), torch.randn(3, 4), torch.randn(3, 4)
LINES = torch.randn(2, 7, 5, dtype=torch.bfloat16)
CASES = {
    **{f"cache by {how}": (Cache(how), (KEYS, PLACES), 1e-5) for how in ("index", "subscript", "slice")},
    "assigned": (Average(), (X,), 1e-5),
    "counted": (Count(False), (X,), 0),
    "counted by a new one": (Count(True), (X,), 0),
    "unseen": (Unseen(), (X,), 1e-6),
    "norm": (nn.Sequential(nn.BatchNorm1d(4, momentum=0.3), nn.Linear(4, 3), nn.BatchNorm1d(3)), (X,), 1e-5),
    "spectral": (Spectral().bfloat16(), (LINES,), 3e-2),
    "an argument": (in_place, (X, Y), 1e-6),
    "a row of an argument": (one_row, (X, Y), 1e-5),
}

for name, (whole, arguments, far) in CASES.items():
    for training in (True, False) if isinstance(whole, nn.Module) else (True,):
        module = copy.deepcopy(whole)
        if isinstance(module, nn.Module):
            module.train(training)
        theirs, is_module = copy.deepcopy(module), isinstance(module, nn.Module)
        ours, wanted = [t.clone() for t in arguments], [t.clone() for t in arguments]
        before = {k: t.clone() for k, t in module.state_dict().items()} if is_module else {}
        step = sinter_torch.compile(module, *(t.clone() for t in arguments), cache=None)
        for k, t in before.items():
            assert torch.equal(module.state_dict()[k], t), f"{name}: {k} was changed as it was compiled"
        for _ in range(3):
            got, want = step(*ours), theirs(*wanted)
            for a, b in zip([*(got if isinstance(got, tuple) else (got,)), *ours],
                            [*(want if isinstance(want, tuple) else (want,)), *wanted], strict=True):  # fmt: skip
                agree(a, b, far)
            for a, b in zip(module.buffers(), theirs.buffers(), strict=True) if is_module else ():
                agree(a, b, far)

# Gradients are of what the call read: of the keys of the calls before, not of those that it left.
ours = Cache("index")
theirs, x = copy.deepcopy(ours).double(), KEYS.clone().requires_grad_()
step, wide = sinter_torch.compile(ours, x, PLACES, upstream=True, cache=None), KEYS.double().requires_grad_()
for at in (PLACES, PLACES + 1):
    x.grad = wide.grad = None
    with torch.no_grad():
        ours.keys.copy_(torch.arange(48.0).reshape(2, 6, 4) / 48), theirs.keys.copy_(ours.keys)
    step(x, at).square().sum().backward(), theirs(wide, at).square().sum().backward()
    theirs.keys = theirs.keys.detach()
    agree(x.grad, wide.grad.float(), 1e-5)

# A cache of a size `?`, and the loss behind a module that changes something.
step = sinter_torch.compile(one_row, X.clone(), Y, dynamic={0: 0}, cache=None)
more, same = torch.randn(5, 4), torch.randn(0)
same = more.clone()
agree(step(more, Y), one_row(same, Y), 1e-5)
agree(more, same, 0)
ours = Average()
theirs = copy.deepcopy(ours)
step = sinter_torch.compile(ours, X, loss="mse", targets=Y, cache=None)
for _ in range(2):
    agree(step(X, Y), (theirs(X) - Y).square().mean(), 1e-5)
    agree(ours.mean, theirs.mean, 1e-5)


# What has no gradient, and what cannot stay where it is.
class Clamped(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x):
        with torch.no_grad():
            self.w.clamp_(max=0.5)
        return x * self.w


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, 4))

    def forward(self, x):
        self.seen = torch.cat([self.seen, x])
        return self.seen.sum(0)


refuses(ValueError, "a call changes w: there is no gradient by it", lambda: sinter_torch.compile(Clamped(), X))
refuses(ValueError, "a call changes x: there is no gradient by it", lambda: sinter_torch.compile(in_place, X, Y, wrt=0))
refuses(TypeError, "a call makes seen a tensor of other sizes", lambda: sinter_torch.compile(Growing(), X))
ours = Clamped()
with torch.no_grad():
    agree(sinter_torch.compile(ours, X, wrt=(), cache=None)(X), X * 0.5, 0)
agree(ours.w.detach(), torch.full((4,), 0.5), 0)


# Compiled in inference mode, whose tensors count no changes: a module of it, and one from before it.
class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("places", torch.arange(5))
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.table = nn.Embedding(5, 4)

    def forward(self, x):
        self.calls += 1
        return x + self.table(self.places[1 : 1 + x.shape[0]]) * self.calls


before = Places().eval().requires_grad_(False)
with torch.inference_mode():
    x = torch.randn(3, 4)
    for ours in (before, Places().eval().requires_grad_(False)):
        theirs = copy.deepcopy(ours)
        step = sinter_torch.compile(ours, x, cache=None)
        for _ in range(2):
            agree(step(x), theirs(x), 1e-6)
print("all right")
