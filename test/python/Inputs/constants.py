"""Programs of constants, of bools, and of dimensions counted from the end, beside PyTorch's."""
import operator

import torch
from torch.nn import functional as F

import sinter_torch

torch.manual_seed(3)
CONSTANTS = {
    "ones": lambda: torch.ones(3), "halves": lambda: torch.full((30,), 0.5), "twos": lambda: torch.full((3,), -2),
    "counts": lambda: torch.tensor([1, -2, 3]), "mixed": lambda: torch.tensor([1.0, -0.5, 2.0]),
    "bools": lambda: torch.tensor([True, False, True]), "all": lambda: torch.ones(3, dtype=torch.bool),
    "number": lambda: torch.tensor(-7),
}  # fmt: skip
OPERATIONS = {
    "eq": operator.eq, "lt": operator.lt, "ge": operator.ge, "floordiv": operator.floordiv, "add": operator.add,
    "where": lambda x, y: torch.where(x > y, 1.0, 2.0), "sign": lambda x, y: torch.sign(x) + y,
}  # fmt: skip


def answers(program, args):
    try:
        return program(*args)
    except RuntimeError:  # what PyTorch refuses is no case
        return None


def compare(programs, *args, dynamic=None, calls=None):
    """All programs as one, which answers a tuple."""
    programs = {name: p for name, p in programs.items() if answers(p, args) is not None}
    call = sinter_torch.compile(lambda *a: tuple(p(*a) for p in programs.values()), *args, dynamic=dynamic, cache=None)
    for given in calls or [args]:
        for name, got, program in zip(programs, call(*given), programs.values()):
            want = program(*given)
            assert got.dtype == want.dtype and got.shape == want.shape, f"{name}: {got.dtype} {got.shape}"
            assert torch.allclose(got.double(), want.double(), 1e-6, 1e-6), f"{name}: {got}, not {want}"


X = torch.randn(2)
BOTH = [(f"{o} {a} {b}", f, v, w) for o, f in OPERATIONS.items() for a, v in CONSTANTS.items()
        for b, w in [*CONSTANTS.items(), (1, lambda: 1), (-0.5, lambda: -0.5)] if {a, b} & {"ones", "twos", "bools"}]
compare({name: lambda x, f=f, v=v, w=w: f(v(), w()) for name, f, v, w in BOTH}, X)

# Of arguments, too, bools are 0 and 1.
FLAGS = torch.tensor([True, False, True]), torch.tensor([1, -2, 3]), torch.tensor([True, True, False])
compare({
    "bool < whole": lambda b, i, c: b < i, "bool >= whole": lambda b, i, c: b >= i,
    "bool > -1": lambda b, i, c: b > -1, "bool <= bool": lambda b, i, c: b <= c,
    "bool + bool": lambda b, i, c: b + c, "bool + True": lambda b, i, c: b + True,
}, *FLAGS)  # fmt: skip

# A constant of sizes `?`.
compare({
    "zeros": lambda x: torch.zeros_like(x) == 0, "chosen": lambda x: torch.where(torch.ones_like(x) == 1, x, -x),
    "more": lambda x: torch.full_like(x, 2) > 1, "hidden": lambda x: x.masked_fill(x.new_ones(x.shape) == 1, 3.0),
}, torch.randn(4, 3), dynamic={0: 0}, calls=[(torch.randn(n, 3),) for n in (4, 7, 1)])  # fmt: skip

# Dimensions from the end.
PLACES = torch.randn(4, 6), torch.randint(0, 4, (4, 1))
compare({
    "scatter": lambda x, i: x.scatter(-1, i, 1.0), "of another": lambda x, i: x.scatter(-2, i, x[:, 2:3]),
    "add": lambda x, i: x.scatter_add(-1, i, x[:, :1]),
    "largest": lambda x, i: x.scatter_reduce(-1, i, x[:, :1], "amax"),
    "one hot": lambda x, i: torch.zeros_like(x).scatter(-1, x.argmax(-1, keepdim=True), 1.0),
    "reduce": lambda x, i: x.index_reduce(-1, torch.arange(3), x[:, :3], "amax"),
    "similar": lambda x, i: F.cosine_embedding_loss(x, x.flip(0), torch.ones(4), reduction="none"),
    "diagonal": lambda x, i: torch.diag_embed(x, dim1=-2, dim2=-1) + torch.diag_embed(x, dim1=-1, dim2=-2),
}, *PLACES)  # fmt: skip

# A number in front, which is a size.
compare({
    "reflect": lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect"), "from": lambda x: x.shape[0] - x,
}, torch.randn(2, 3, 8, 7), dynamic={0: (2, 3)}, calls=[(torch.randn(2, 3, *s),) for s in ((8, 7), (5, 9))])

# Constants of a half type, without a NumPy that has it.
TAPS = lambda x: x * torch.tensor([1.0, 2.5, -0.75], dtype=torch.bfloat16)
compare({"taps": TAPS}, torch.randn(4, 3).bfloat16())

print("all right")
