"""sinter_torch.compile of modules, through torch-mlir."""
import copy
import sys
import warnings

import torch
from check import agree, refuses

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(5)


def gradients(module, value):
    module.zero_grad()
    value.backward()
    return [p.grad.clone() for p in module.parameters()]


def compare(module, got, want, tolerance=1e-4):
    """Values and the gradients of all parameters."""
    agree(got, want, tolerance)
    for a, b in zip(gradients(module, got), gradients(module, want)):
        agree(a, b, tolerance)


# No process is started, and no file is anybody's: a hook sees all that Python opens.
started = []
sys.addaudithook(lambda event, args: started.append(args) if event in ("subprocess.Popen", "os.exec", "os.fork") else 0)

# One line; a tensor answers, gradients need an upstream.
net = torch.nn.Sequential(torch.nn.Linear(13, 7), torch.nn.GELU(), torch.nn.LayerNorm(7), torch.nn.Linear(7, 5))
x = torch.randn(4, 13)
started.clear()
f = sinter_torch.compile(net, x, cache=None)
assert not started, started
assert f.names == ["input"] and f.parameters == [n for n, _ in net.named_parameters()]
upstream = torch.randn(4, 5)
compare(net, (f(x) * upstream).sum(), (net(x) * upstream).sum())

# Parameters are the module's own: a step of an optimiser is seen, and so is a state that was loaded.
labels = torch.randint(0, 5, (4,))
step = sinter_torch.compile(net, x, loss="cross_entropy", targets=labels, loss_options={"label_smoothing": 0.1},
                            dynamic={"input": 0, "target": 0}, cache=None)
optimiser = torch.optim.SGD(net.parameters(), 0.5)
for n in (4, 9, 1, 33):
    x, labels = torch.randn(n, 13), torch.randint(0, 5, (n,))
    compare(net, step(x, labels), torch.nn.functional.cross_entropy(net(x), labels, label_smoothing=0.1))
    optimiser.step()
net.load_state_dict({k: torch.randn_like(v) for k, v in net.state_dict().items()})
compare(net, step(input=x, target=labels), torch.nn.functional.cross_entropy(net(x), labels, label_smoothing=0.1))
with torch.no_grad():
    agree(step(x, labels), torch.nn.functional.cross_entropy(net(x), labels, label_smoothing=0.1), 1e-5)
    assert not step(x, labels).requires_grad

# A module of two names, and a weight that two modules have: one argument each, and the module is what it was.
class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)
        self.again, self.last.weight = self.first, self.first.weight

    def forward(self, x):
        return torch.tanh(self.first(x)) * self.last(x) + self.again(x * x)


shared, rows = Shared(), torch.randn(5, 6)
g = sinter_torch.compile(shared, rows, cache=None)
assert g.parameters == ["first.weight", "first.bias", "last.bias"], g.parameters
assert all(type(p) is torch.nn.Parameter for p in (shared.first.weight, shared.again.bias, shared.last.weight))
up = torch.randn(5, 4)
compare(shared, (g(rows) * up).sum(), (shared(rows) * up).sum())

# A loss of one's own behind a model.
OWN = """
sinter.define @sixth(%input: tensor<?xf32>, %target: tensor<?xf32>)
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "sixth powers", formula = "(x - t)^6"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %s = arith.mulf %d, %d : tensor<?xf32>
  %q = arith.mulf %s, %s : tensor<?xf32>
  %l = arith.mulf %q, %s : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}"""
target = torch.randn(33, 5)
own = sinter_torch.compile(net, x, loss=OWN, targets=target, loss_options={"reduction": "sum"}, cache=None)
compare(net, own(x, target), ((net(x) - target) ** 6).sum())


# Tied weights, an embedding, attention, results in a dictionary, an argument of integers.
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(19, 16)
        self.mix = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = torch.nn.Linear(16, 19, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens, scale):
        h = self.mix(self.table(tokens))
        return {"logits": self.head(h) * scale, "pooled": (h.mean(1), 3)}


model = Model().eval()
tokens, scale = torch.randint(0, 19, (3, 6)), torch.rand(())
g = sinter_torch.compile(model, (tokens, scale), cache=None)
got, want = g(tokens, scale), model(tokens, scale)
assert got.keys() == want.keys() and got["pooled"][1] == 3
agree(got["pooled"][0], want["pooled"][0], 1e-4)
w = torch.randn(3, 6, 19)
compare(model, (got["logits"] * w).sum(), (want["logits"] * w).sum(), 1e-3)
assert g.parameters.count("table.weight") == 1 and "head.weight" not in g.parameters

# What only gradients see: detach, no_grad, the row of a table that is padding.
class Straight(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = torch.nn.Embedding(11, 8, padding_idx=2), torch.nn.Linear(8, 5)

    def forward(self, tokens):
        with torch.no_grad():
            scale = self.head.weight.abs().amax()
            shift = self.table.weight.mean()
        z = self.table(tokens) + shift
        return self.head(z + (torch.round(z * 4) / 4 - z).detach()) / scale


straight = Straight()
for more in ({}, {"dynamic": {"tokens": 0}}):
    tokens = torch.randint(0, 4, (3, 6))
    s = sinter_torch.compile(straight, tokens, cache=None, **more)
    w = torch.randn(3, 6, 5)
    compare(straight, (s(tokens) * w).sum(), (straight(tokens) * w).sum())
    assert not straight.table.weight.grad[2].any()

# A function without a module; gradients by what was asked for.
h = sinter_torch.compile(lambda a, b: (a @ b).tanh().sum(), (torch.randn(3, 4), torch.randn(4, 2)), wrt=[1], cache=None)
a, b = torch.randn(3, 4), torch.randn(4, 2, requires_grad=True)
h(a, b).backward()
got, b.grad = b.grad, None
(a @ b).tanh().sum().backward()
agree(got, b.grad, 1e-5)

# Running maxima, which torch-mlir refuses: values, places of the last among equals and of NaN, and gradients there.
for running, shape, d in ((torch.cummax, (4, 5), 1), (torch.cummin, (2, 6, 3), -2), (torch.cummin, (7,), 0)):
    a = torch.randint(-3, 4, shape).float()
    a[(0,) * (len(shape) - 1) + (2,)] = float("nan")
    a.requires_grad_()
    r = sinter_torch.compile(lambda a: running(a, d), a, dynamic={"a": 0} if len(shape) == 3 else None, cache=None)
    (values, places), (want, where) = r(a), running(a, d)
    assert torch.equal(places, where) and torch.equal(values.nan_to_num(9), want.nan_to_num(9)), (shape, places, where)
    w = torch.randn(shape)
    agree(torch.autograd.grad(values, a, w)[0], torch.autograd.grad(want, a, w)[0], 1e-5)
    b = torch.randint(-9, 9, shape)
    r = sinter_torch.compile(lambda b: running(b, d), b, cache=None)
    assert all(torch.equal(x, y) for x, y in zip(r(b), running(b, d)))

# Means of half types are those of f32, rounded once: f16 has no 70000, and bf16 no 261.
for half, shape, mean in ((torch.float16, (70000, 3), lambda a: a.mean(0)),
                          (torch.bfloat16, (5, 261), lambda a: a.mean(1)),
                          (torch.float16, (70000, 3), lambda a: torch.nn.functional.l1_loss(a, -a)),
                          (torch.float16, (70000, 3), lambda a: torch.var_mean(a, 0)[1])):
    a = (torch.rand(shape) + 1).to(half).requires_grad_()
    r = sinter_torch.compile(mean, a, cache=None)(a)
    b = a.detach().double().requires_grad_()
    agree(r, mean(b).to(half), 2e-3 if half == torch.bfloat16 else 5e-4)
    agree(torch.autograd.grad(r.sum(), a)[0].double(), torch.autograd.grad(mean(b).sum(), b)[0], 2e-3)

# Arguments one after another, and by name, also in the call; a loss of PyTorch's, or of one's own.
class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 5)

    def forward(self, x, shift=None, mask=None, scale=2.0):
        y = self.linear(x) * scale + shift
        return y if mask is None else y.masked_fill(mask, 0.0)


scaled, x4, shift, mask = Scaled(), torch.randn(3, 4), torch.randn(3, 5), torch.rand(3, 5) > 0.5
s = sinter_torch.compile(scaled, x4, shift, mask=mask, cache=None)
assert s.names == ["x", "shift", "mask"]
agree(s(x4, shift, mask=mask), scaled(x4, shift, mask), 1e-5)
agree(s(x4, shift, mask), scaled(x4, shift, mask), 1e-5)
goal = torch.randn(3, 5)
own = lambda y, t: ((y - t).abs() ** 1.5).mean()
for loss, to in ((own, goal), (torch.nn.CrossEntropyLoss(label_smoothing=0.1), torch.randint(0, 5, (3,)))):
    s = sinter_torch.compile(scaled, x4, shift=shift, loss=loss, targets=to,
                             dynamic={"target": 0, "x": 0, 1: 0}, cache=None)  # fmt: skip
    assert s.names == ["x", "shift", "target"]
    compare(scaled, s(x4[:2], shift[:2], to[:2]), loss(scaled(x4[:2], shift[:2]), to[:2]))

# Sizes that PyTorch finds to be equal are asked to be.
both = sinter_torch.compile(lambda a, b: (a * b).sum(), torch.randn(3, 4), torch.randn(3, 4), cache=None,
                            dynamic={"a": 0, "b": 0})  # fmt: skip
a, b = torch.randn(2, 5, 4)
agree(both(a, b), (a * b).sum(), 1e-5)
refuses(RuntimeError, "the size of input 1 in dimension 0 is 4, expected 5", lambda: both(a, b[:4]))

# A linear layer of a batch and a sequence of any length: to torch-mlir the second would be 1.
rows = torch.nn.Linear(4, 6)
of_any = sinter_torch.compile(lambda a, w, b: torch.nn.functional.linear(a, w, b).unflatten(2, (2, 3)).flatten(0, 2),
                              torch.randn(3, 5, 4), rows.weight, rows.bias, dynamic={"a": (0, 1)},
                              cache=None)  # fmt: skip
for shape in ((3, 5, 4), (2, 1, 4), (1, 7, 4)):
    a = torch.randn(shape)
    agree(of_any(a, rows.weight, rows.bias), rows(a).reshape(-1, 3), 1e-5)

# What a call changes in training: running statistics and how many batches there were, which no gradient sees.
torch.manual_seed(3)
for loss in (None, "cross_entropy", torch.nn.functional.cross_entropy):
    ours = torch.nn.Sequential(torch.nn.Linear(6, 7, bias=False), torch.nn.BatchNorm1d(7), torch.nn.Linear(7, 5))
    theirs = copy.deepcopy(ours)
    x6, to = torch.randn(8, 6), torch.randint(0, 5, (8,))
    more = {"loss": loss, "targets": to} if loss else {}
    s = sinter_torch.compile(ours, x6, cache=None, **more)
    weights = torch.randn(8, 5)
    for k in range(3):
        x6 = torch.randn(8, 6)
        got = s(x6, to) if loss else (s(x6) * weights).sum()
        want = theirs(x6)
        want = torch.nn.functional.cross_entropy(want, to) if loss else (want * weights).sum()
        for module, value in ((ours, got), (theirs, want)):
            module.zero_grad()
            value.backward()
        agree(got, want, 1e-4)
        for a, b in zip(ours.parameters(), theirs.parameters()):
            agree(a.grad, b.grad, 1e-3)
    assert ours[1].num_batches_tracked == 3
    for a, b in zip(ours.buffers(), theirs.buffers()):
        agree(a, b, 1e-5)
    with torch.no_grad():
        s(*((x6, to) if loss else (x6,)))
    assert ours[1].num_batches_tracked == 4

# What is wrong.
refuses(TypeError, "argument scale is no tensor: bind it", lambda: sinter_torch.compile(scaled, x4, scale=3.0))
refuses(TypeError, "the loss has parameters of its own", lambda: sinter_torch.compile(
    net, x, loss=torch.nn.Linear(3, 1), targets=target))
refuses(TypeError, "loss_options are those of Sinter's losses", lambda: sinter_torch.compile(
    net, x, loss=own, loss_options={"beta": 1}, targets=target))


# Constants in lists of tensors, and subscripts that are one.
class Lists(torch.nn.Module):
    rows, columns = torch.tensor([2, 0, 2, 1]), torch.tensor([0, 3, 0, 4])

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(3, 5))
        self.register_buffer("places", torch.tensor([1, 1, 0, 2]))
        self.register_buffer("ones", torch.ones(1, 5))

    def forward(self, x):
        some = self.w[self.rows, self.columns] * x[:, self.places] + torch.tensor([1.0, -2.0, 0.5, 3.0])
        sums = torch.zeros(3, 5).index_add(0, self.places, torch.cat([self.w, self.ones]))
        return torch.cat([some.sin(), x @ sums], 1)


lists, some = Lists(), torch.randn(2, 3)
compare(lists, sinter_torch.compile(lists, some)(some).square().sum(), lists(some).square().sum())

refuses(ValueError, "there is a function beside @l", lambda: sinter_torch.compile(
    net, x, loss="sinter.define @l(%x) {} func.func @main() {}", targets=target))
asked = [lambda a: a if a.sum() > 0 else -a, torch.randn(3)]
place = f"{asked[0].__code__.co_filename}:{asked[0].__code__.co_firstlineno}: torch.export and torch-mlir do not make a"
refuses(RuntimeError, f"{place} program of it", lambda: sinter_torch.compile(*asked))
# torch-mlir's own words, which it writes to stderr.
refuses(RuntimeError, "torch-mlir does not make a program of it: failed to legalize operation 'torch.operator'",
        lambda: sinter_torch.compile(lambda a: torch.nextafter(a, a + 1), torch.randn(3, 4)))
refuses(ValueError, "loss='no loss' is neither", lambda: sinter_torch.compile(net, x, loss="no loss", targets=target))
refuses(sinter_torch.CompileError, "sinter.cross_entrepy", lambda: sinter_torch.compile(
    net, x, loss="cross_entrepy", targets=target, cache=None))
refuses(ValueError, "no argument 'y', only input", lambda: sinter_torch.compile(net, x, dynamic={"y": 0}))
refuses(ValueError, "argument input has no dimension 2", lambda: sinter_torch.compile(net, x, dynamic={0: 2}))
refuses(TypeError, "takes 1 tensors (input), was given 2", lambda: f(x, x))
refuses(TypeError, "targets are the loss's", lambda: sinter_torch.compile(net, x, targets=target))
print("all right")
