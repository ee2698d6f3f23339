"""Operations that torch-mlir refuses, or takes apart otherwise than PyTorch computes them: taken apart here, in front.

    gelu(x, approximate="tanh")    by 0.7977245 for sqrt(2 / pi) = 0.7978846, which is off by 2e-4
    sinc(x)                        its gradient at 0 would be 0 / 0
    erfc(x)                        refused; it becomes math.erfc by torch.ops.sinter.erfc (_linalg.py)
    cdist(x, y), median(x)         refused

Each function answers what PyTorch answers, NotImplemented where torch-mlir may have it as it is. Gradients are those of
what it is made of, by sinter-differentiate; where PyTorch's rule is another at a corner, what is written here has it.

test: test/python/functions.test
"""

import math

import torch


def _in_float(function):
    """PyTorch computes elementwise functions of half types in f32, and rounds once."""
    def of(x, *args, **kwargs):
        half = x.dtype in (torch.float16, torch.bfloat16)
        y = function(x.float() if half else x, *args, **kwargs)
        return y.to(x.dtype) if half and y is not NotImplemented else y
    return of


@_in_float
def _gelu(x, *, approximate="none"):
    if approximate != "tanh":
        return NotImplemented
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + torch.tanh(inner))


@_in_float
def _sinc(x):
    here = x == 0
    t = math.pi * torch.where(here, 1, x)  # the quotient is finite where it is not selected, too: so is its gradient
    return torch.where(here, 1, torch.sin(t) / t)


def _cdist(x, y, p=2.0, mode=None):
    """x: [..., n, d], y: [..., m, d] -> [..., n, m], the p-norms of all differences."""
    d = x.unsqueeze(-2) - y.unsqueeze(-3)  # the row program has them one by one: nothing of this size is stored
    return torch.linalg.vector_norm(d, p, dim=-1)


def _median_dim(x, dim, keepdim=False):
    if x.dim() == 0:
        return NotImplemented
    # kthvalue takes NaN for the largest; a median is NaN where one of its numbers is.
    value, index = torch.kthvalue(x, (x.shape[dim] + 1) // 2, dim, keepdim)
    if not x.is_floating_point():
        return value, index
    bad = x.isnan()
    some = bad.any(dim, keepdim)
    return torch.where(some, math.nan, value), torch.where(some, bad.int().argmax(dim, keepdim), index)


def _median(x):
    return _median_dim(x.reshape(-1), 0)[0]


def graphs(exported):
    """The program's graph, and those inside of it."""
    return [part for part in exported.graph_module.modules() if isinstance(part, torch.fx.GraphModule)]


def taken_apart(exported, erfc):
    """The program without what stands in the table; erfc is torch.ops.sinter.erfc."""
    a = torch.ops.aten
    table = {
        a.gelu.default: _gelu,
        a.sinc.default: _sinc,
        a.erfc.default: _in_float(erfc),
        a.special_erfc.default: _in_float(erfc),
        a.cdist.default: _cdist,
        a._cdist_forward.default: _cdist,
        a.median.default: _median,
        a.median.dim: _median_dim,
    }
    targets = {node.target for part in graphs(exported) for node in part.graph.nodes}
    table = {op: function for op, function in table.items() if op in targets}
    return exported.run_decompositions(table) if table else exported
