"""Operations that torch-mlir refuses, or takes apart otherwise than PyTorch computes them: taken apart here, in front.

    gelu(x, approximate="tanh")    by 0.7977245 for sqrt(2 / pi) = 0.7978846, which is off by 2e-4
    sinc(x)                        its gradient at 0 would be 0 / 0
    erfc(x)                        refused; it becomes math.erfc by torch.ops.sinter.erfc (_linalg.py)
    clamp(x, 0, 1), leaky_relu(x)  a NaN would become a bound; comparisons with NaN on the other side keep it
    reciprocal(x), 1 / x           would stop at 0
    cdist(x, y), median(x)         refused
    norm(x), cosine_similarity     of half types: their sums would be rounded in front of the root
    pad(x, (-1, 1))                cut, then padded: MLIR adds up the two paddings, and what was cut is there again
    x[i, j] of `?` places          refused: one_place, where _sizes.py takes views apart
    special functions              refused: _special.py; searches, bags, norms of matrices and others: _composite.py
    gelu_backward(y, x), ...       of graphs that hold gradients: _backward.py
    conv_transpose(groups=C)       of as many groups as channels: refused; convolution_backward of several groups, and
                                   conv3d of as many as channels, too

Each function answers what PyTorch answers, NotImplemented where torch-mlir may have it as it is. Gradients are those of
what it is made of, by sinter-differentiate; where PyTorch's rule is another at a corner, what is written here has it.

test: test/python/functions.test
"""

import functools
import math

import torch

from . import _antialias, _backward, _composite, _special


def _in_float(function):
    """PyTorch computes elementwise functions of half types in f32, and rounds once."""
    def of(x, *args, **kwargs):
        half = x.dtype in (torch.float16, torch.bfloat16)
        y = function(x.float() if half else x, *args, **kwargs)
        return y.to(x.dtype) if half and y is not NotImplemented else y
    return of


def _rounded_once(op):
    """What PyTorch adds up in f32 of half types, and torch-mlir in pieces of half types: f16 has no sum over 65504."""
    halves = (torch.float16, torch.bfloat16)
    is_half = lambda x: isinstance(x, torch.Tensor) and x.dtype in halves

    def of(*args, dtype=None, **kwargs):
        like = next((x.dtype for x in args if is_half(x)), None)
        if like is None:
            return NotImplemented
        wide = [x.to(dtype or torch.float32) if is_half(x) else x for x in args]
        return op(*wide, **kwargs).to(dtype or like)
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


def _clamp(x, min=None, max=None):
    """At a bound that is a number x has no gradient, at one of a tensor half of it."""
    if not x.is_floating_point():
        return NotImplemented
    if isinstance(min, torch.Tensor) or isinstance(max, torch.Tensor):
        x = x if min is None else torch.maximum(x, min)
        return x if max is None else torch.minimum(x, max)
    x = x if min is None else torch.where(x <= min, min, x)
    return x if max is None else torch.where(x >= max, max, x)


def _hardtanh(x, min_val=-1, max_val=1):
    return _clamp(x, min_val, max_val)


def _hardsigmoid(x):
    return torch.where(x <= -3, 0, torch.where(x >= 3, 1, (x + 3) / 6))


@_in_float
def _leaky_relu(x, negative_slope=0.01):
    return torch.where(x > 0, x, x * negative_slope)


def _reciprocal(x):
    return torch.ones((), dtype=x.dtype) / x


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


def _pad(x, pad, value=0):
    if not any(isinstance(n, int) and n < 0 for n in pad):
        return NotImplemented
    for k in range(len(pad) // 2):
        d, (low, high) = x.dim() - 1 - k, (max(-n, 0) for n in pad[2 * k : 2 * k + 2])
        x = x.narrow(d, low, x.shape[d] - low - high) if low or high else x
    return torch.ops.aten.constant_pad_nd.default(x, [max(n, 0) for n in pad], value)


def _pad_mode(x, pad, mode="constant", value=None):
    return _pad(x, pad, value or 0) if mode == "constant" else NotImplemented


def _turned_channels(x, w, bias, stride, padding, output_padding, dilation):
    """A transposed convolution of each channel alone: one of x with zeros in between, by the weights turned around."""
    n = x.dim() - 2
    each = lambda v: [int(v)] * n if isinstance(v, int) else list(v) * (n if len(v) == 1 else 1)
    stride, padding, output_padding, dilation = map(each, (stride, padding, output_padding, dilation))
    for k in range(n):
        d = k + 2
        if stride[k] > 1:  # behind the last element there are none
            zeros = torch.nn.functional.pad(x.unsqueeze(d + 1), [0] * (2 * (n - 1 - k)) + [0, stride[k] - 1])
            x = zeros.flatten(d, d + 1).narrow(d, 0, (x.shape[d] - 1) * stride[k] + 1)
        around = dilation[k] * (w.shape[d] - 1) - padding[k]
        low, high = around, around + output_padding[k]
        x = x.narrow(d, max(-low, 0), x.shape[d] - max(-low, 0) - max(-high, 0))
        x = torch.nn.functional.pad(x, [0] * (2 * (n - 1 - k)) + [max(low, 0), max(high, 0)])
    turned = w.reshape(-1, 1, *w.shape[2:]).flip(list(range(2, n + 2)))
    return torch.ops.aten.convolution.default(x, turned, bias, [1] * n, [0] * n, dilation, False, [0] * n, w.shape[0])


def _conv3d(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Of each channel alone, which torch-mlir has of images: the sum over the window's depth of such of all layers."""
    if groups == 1 or groups != x.shape[1] or x.dim() != 5:
        return NotImplemented
    each = lambda v: [int(v)] * 3 if isinstance(v, int) else list(v) * (3 if len(v) == 1 else 1)
    (s, *stride), (p, *padding), (d, *dilation) = map(each, (stride, padding, dilation))
    kind, wide = x.dtype, torch.promote_types(x.dtype, torch.float32)
    x, w = torch.nn.functional.pad(x.to(wide), (0, 0, 0, 0, p, p)), w.to(wide)
    layers = (x.shape[2] - d * (w.shape[2] - 1) - 1) // s + 1
    y = 0 if bias is None else bias.to(wide).reshape(-1, 1, 1)
    for k in range(w.shape[2]):
        part = x[:, :, k * d : k * d + (layers - 1) * s + 1 : s].transpose(1, 2).flatten(0, 1)
        layer = (part, w[:, :, k], None, stride, padding, dilation, False, [0, 0], groups)
        y = y + torch.ops.aten.convolution.default(*layer)
    return y.unflatten(0, (-1, layers)).transpose(1, 2).to(kind)


def _convolution(x, w, bias, stride, padding, dilation, transposed, output_padding, groups):
    if not transposed or groups == 1 or groups != x.shape[1]:
        return NotImplemented
    return _turned_channels(x, w, bias, stride, padding, output_padding, dilation)


def _conv_transpose(x, w, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    if groups == 1 or groups != x.shape[1] or x.dim() != w.dim():
        return NotImplemented
    return _turned_channels(x, w, bias, stride, padding, output_padding, dilation)


def _weights_gradient(y, x, w, stride, padding, dilation, groups):
    """Of a convolution of images x whose gradient is y: one of the images, whose batch is summed over, by y."""
    n, own, space = x.shape[0], x.shape[1] // groups, list(range(2, x.dim()))
    images = x.reshape(n, groups, own, *x.shape[2:]).transpose(0, 2).reshape(own, groups * n, *x.shape[2:])
    dw = torch.ops.aten.convolution.default(images, y.transpose(0, 1), None, dilation, padding, stride, False,
                                            [0] * len(space), groups)  # fmt: skip
    for d in space:  # a stride that does not divide leaves taps behind the last
        dw = dw.narrow(d, 0, w.shape[d])
    return dw.transpose(0, 1)


def _convolution_backward(y, x, w, bias, stride, padding, dilation, transposed, output_padding, groups, mask):
    """A transposed convolution is what images' gradients are made by: its own is a convolution that is not, and for its
    weights images and gradient change places."""
    if groups == 1 and not transposed:
        return NotImplemented
    convolution, space = torch.ops.aten.convolution.default, list(range(2, x.dim()))
    dx = dw = None
    if mask[0] and transposed:
        dx = convolution(y, w, None, stride, padding, dilation, False, [0] * len(space), groups)
        for d in space:  # a padding of the result may be as long as a step
            dx = dx.narrow(d, 0, x.shape[d])
    elif mask[0]:
        left = [x.shape[d] - ((y.shape[d] - 1) * stride[d - 2] - 2 * padding[d - 2]
                              + dilation[d - 2] * (w.shape[d] - 1) + 1) for d in space]  # fmt: skip
        turned = (y, w, None, stride, padding, dilation, True, left, groups)
        dx = _convolution(*turned)
        dx = convolution(*turned) if dx is NotImplemented else dx
    if mask[1]:
        of, by = (y, x) if transposed else (x, y)
        dw = _weights_gradient(by, of, w, stride, padding, dilation, groups)
    return dx, dw, y.sum([0, *space]) if mask[2] else None


def graphs(exported):
    """The program's graph, and those inside of it."""
    return [part for part in exported.graph_module.modules() if isinstance(part, torch.fx.GraphModule)]


def views_as_reshapes(graph):
    """The next trace may lay out an operand otherwise than this one did, where a view of it is none any more."""
    for node in graph.nodes:
        if node.target is torch.ops.aten.view.default:
            node.target = torch.ops.aten.reshape.default


def traced_again(exported, table):
    """The program with the operations of the table as what that makes of them."""
    for part in graphs(exported):
        views_as_reshapes(part.graph)
    return exported.run_decompositions(table)


def taken_apart(exported, erfc, detach):
    """The program without what stands in the table; erfc is torch.ops.sinter.erfc, detach hides from gradients."""
    a, kept = torch.ops.aten, lambda function: functools.partial(function, detach=detach)
    table = {
        a.gelu.default: _gelu,
        a.sinc.default: _sinc,
        a.erfc.default: _in_float(erfc),
        a.special_erfc.default: _in_float(erfc),
        **dict.fromkeys((a.clamp.default, a.clamp.Tensor, a.clamp_.default, a.clamp_.Tensor), _clamp),
        **dict.fromkeys((a.clamp_min.default, a.clamp_min.Tensor, a.clamp_min_.default, a.clamp_min_.Tensor), _clamp),
        **dict.fromkeys((a.clamp_max.default, a.clamp_max.Tensor, a.clamp_max_.default, a.clamp_max_.Tensor),
                        lambda x, max: _clamp(x, None, max)),
        **dict.fromkeys((a.hardtanh.default, a.hardtanh_.default), _hardtanh),
        **dict.fromkeys((a.relu6.default, a.relu6_.default), lambda x: _hardtanh(x, 0, 6)),
        **dict.fromkeys((a.hardsigmoid.default, a.hardsigmoid_.default), _hardsigmoid),
        **dict.fromkeys((a.leaky_relu.default, a.leaky_relu_.default), _leaky_relu),
        a.reciprocal.default: _reciprocal,
        **{op: _rounded_once(op) for op in (a.linalg_vector_norm.default, a.norm.Scalar, a.norm.ScalarOpt_dim,
                                            a.cosine_similarity.default, a.pairwise_distance.default, a.renorm.default,
                                            a.cosine_embedding_loss.default, a.triplet_margin_loss.default)},
        a.cdist.default: _cdist,
        a._cdist_forward.default: _cdist,
        a.pad.default: _pad_mode,
        a.constant_pad_nd.default: _pad,
        a.convolution.default: _convolution,
        a.conv3d.default: _conv3d,
        a.conv_transpose1d.default: _conv_transpose,
        a.conv_transpose2d.input: _conv_transpose,
        a.conv_transpose3d.input: _conv_transpose,
        a.convolution_backward.default: _convolution_backward,
        a.median.default: _median,
        a.median.dim: _median_dim,
        a.lgamma.default: _special.lgamma,
        a.digamma.default: _special.digamma,
        a.special_psi.default: _special.digamma,
        a.special_gammaln.default: _special.lgamma,
        a.mvlgamma.default: _special.mvlgamma,
        a.special_multigammaln.default: _special.mvlgamma,
        a.polygamma.default: _special.polygamma,
        a.special_polygamma.default: _special.polygamma,
        a.erfinv.default: kept(_special.erfinv),
        a.special_erfinv.default: kept(_special.erfinv),
        a.special_ndtri.default: kept(_special.ndtri),
        a.special_erfcx.default: _special.erfcx,
        a.special_log_ndtr.default: _special.log_ndtr,
        a.i0.default: _special.i0,
        a.special_i0.default: _special.i0,
        a.special_i0e.default: _special.i0e,
        a.special_i1.default: _special.i1,
        a.special_i1e.default: _special.i1e,
        a.hypot.default: kept(_special.hypot),
        a.copysign.Tensor: _special.copysign,
        a.copysign.Scalar: _special.copysign,
        **_composite.table(),
        **_backward.table(),
        **_antialias.table(),
    }
    targets = {node.target for part in graphs(exported) for node in part.graph.nodes}
    return traced_again(exported, table) if targets & table.keys() else exported


def one_place(x, indices):
    """Places of several dimensions that follow each other are places of one, where nobody knows how many there are: of
    x[i, j] they are i n + j. torch-mlir takes no others."""
    given = [k for k, i in enumerate(indices) if i is not None]
    follow = len(given) > 1 and given[-1] - given[0] + 1 == len(given)
    known = all(isinstance(size, int) for k in given for size in indices[k].shape)
    if not follow or known or any(indices[k].dtype == torch.bool for k in given):
        return NotImplemented
    first, last, place = given[0], given[-1], 0
    for k in given:
        i = indices[k]
        place = place * x.shape[k] + torch.where(i < 0, i + x.shape[k], i)
    return torch.ops.aten.index.Tensor(x.flatten(first, last), [None] * first + [place])
