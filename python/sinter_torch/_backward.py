"""What backward() makes of operations, where a program holds it: a graph of make_fx's, or of a training step.

torch-mlir refuses most of them, and upsample_nearest2d_backward is wrong where no window is a whole number of places.
What PyTorch has a decomposition of is taken apart by that. Pools and interpolations are a product along each dimension:

    gradient: [n, c, 6, 4] of adaptive_avg_pool2d(x: [n, c, 8, 10])      shares_8.T @ gradient @ shares_10

shares: [positions, size], what each position has of each place; a sum of what lies together where windows divide.

test: test/python/backward.test
"""

import functools

import torch


def _along(gradient, dim, shares):
    """The gradient of a dimension whose positions have shares: [positions, size] of its places."""
    if dim == -1:
        return gradient @ shares
    if dim == -2:
        return shares.T @ gradient
    return (gradient.transpose(dim, -1) @ shares).transpose(dim, -1)


def _each(values, n):
    return list(values) * (n if len(values) == 1 else 1)


# ---- interpolations --------------------------------------------------------------------


def _source(positions, size, align, scale):
    """Where in an image each position lies, in floats."""
    step = (size - 1) / max(positions - 1, 1) if align else 1 / scale if scale else size / positions
    at = torch.arange(positions, dtype=torch.float32)
    return at * step if align else step * (at + 0.5) - 0.5


def _linear(positions, size, align, scale):
    at = _source(positions, size, align, scale).clamp(min=0)
    low = at.floor().clamp(max=size - 1)
    rest, of = (at - low).unsqueeze(1), torch.arange(size, dtype=torch.float32)
    high = (low + 1).clamp(max=size - 1).unsqueeze(1)
    return (of == low.unsqueeze(1)) * (1 - rest) + (of == high) * rest


def _cubic(positions, size, align, scale):
    """Of four places around each position; those outside are the image's last."""
    at, a = _source(positions, size, align, scale), -0.75
    low, of, shares = at.floor(), torch.arange(size, dtype=torch.float32), 0
    for k in (-1, 0, 1, 2):
        t = (at - low - k).abs()
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
        share = near if k in (0, 1) else far
        shares = shares + (of == (low + k).clamp(0, size - 1).unsqueeze(1)) * share.unsqueeze(1)
    return shares


def _interpolated(n, shares):
    """upsample_linear1d_backward and its kin: n dimensions, with align_corners."""
    def of(gradient, output_size, input_size, align_corners, *scales):
        scales = (*scales, *[None] * n)[:n]
        y = gradient
        for k in range(n):
            own = shares(output_size[k], input_size[2 + k], align_corners, scales[k])
            y = _along(y, k - n, own.to(gradient.dtype))
        return y
    return of


def _near(positions, size, scale):
    """Which place of a dimension each position has."""
    step = 1 / scale if scale else size / positions
    return (torch.arange(positions, dtype=torch.float32) * step).floor().clamp(max=size - 1)


def _nearest(n):
    def of(gradient, output_size, input_size, *scales):
        y = gradient
        for k, scale in enumerate((*scales, *[None] * n)[:n]):
            positions, size = output_size[k], input_size[2 + k]
            if positions % size == 0 and (scale is None or scale == positions // size):
                d = y.dim() + k - n
                y = y.unflatten(d, (size, positions // size)).sum(d + 1)
                continue
            here = _near(positions, size, scale).unsqueeze(1) == torch.arange(size, dtype=torch.float32)
            y = _along(y, k - n, here.to(gradient.dtype))
        return y
    return of


# ---- pools -----------------------------------------------------------------------------


def _averaged(positions, size, window, step, padding, whole):
    first = (torch.arange(positions) * step - padding).unsqueeze(1)
    last, at = (first + window).clamp(max=size + padding), torch.arange(size)
    shared = last - first if whole else last.clamp(max=size) - first.clamp(min=0)
    return ((at >= first) & (at < last)) / shared


def _avg_pool(n):
    def of(gradient, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
        window, y = _each(kernel_size, n), gradient
        step, padding = _each(stride or kernel_size, n), _each(padding, n)
        for k in range(n):
            size = x.shape[k - n]
            if divisor_override is None:
                own = _averaged(gradient.shape[k - n], size, window[k], step[k], padding[k], count_include_pad)
            else:
                first = (torch.arange(gradient.shape[k - n]) * step[k] - padding[k]).unsqueeze(1)
                own = (torch.arange(size) >= first) & (torch.arange(size) < first + window[k])
            y = _along(y, k - n, own.to(gradient.dtype))
        return y if divisor_override is None else y / divisor_override
    return of


def _adaptive_avg_pool(n):
    def of(gradient, x):
        from ._composite import shares
        y = gradient
        for k in range(-n, 0):
            size, windows = x.shape[k], gradient.shape[k]
            if isinstance(windows, int) and windows == 1:
                y = (y / size).expand([size if d == y.dim() + k else m for d, m in enumerate(y.shape)])
            elif str(size) != str(windows):
                y = _along(y, k, shares(size, windows).to(gradient.dtype))
        return y
    return of


def _adaptive_max_pool(n):
    def of(gradient, x, indices):
        """Windows overlap: a place that several have chosen has what all of them are given."""
        front = x.dim() - n
        zeros = torch.zeros([*x.shape[:front], functools.reduce(lambda a, b: a * b, x.shape[front:])],
                            dtype=gradient.dtype)  # fmt: skip
        flat = zeros.scatter_add(-1, indices.flatten(front), gradient.flatten(front))
        return flat.reshape(x.shape)
    return of


# ---- others ----------------------------------------------------------------------------


def _embedding_bag(gradient, indices, offsets, bag_of, size, maximum, rows, by_frequency, mode, sparse, weights,
                   padding=-1):  # fmt: skip
    """Of sums and means: an addition of rows at indices."""
    if mode not in (0, 1) or weights is not None or by_frequency or padding >= 0:
        return NotImplemented
    bag = (torch.arange(indices.shape[0]).unsqueeze(1) >= offsets.unsqueeze(0)).sum(1) - 1
    share = gradient if mode == 0 else gradient / size.clamp(min=1).unsqueeze(1)
    zeros = torch.zeros(rows, gradient.shape[1], dtype=gradient.dtype)
    return torch.index_put(zeros, [indices], share[bag], accumulate=True)


def table():
    """Operations of a graph and what they are made of."""
    from torch._decomp import get_decompositions
    a = torch.ops.aten
    known = get_decompositions([
        a._log_softmax_backward_data, a._prelu_kernel_backward, a._softmax_backward_data, a.diagonal_backward,
        a.elu_backward, a.embedding_dense_backward, a.gelu_backward, a.glu_backward, a.hardsigmoid_backward,
        a.hardswish_backward, a.hardtanh_backward, a.huber_loss_backward, a.leaky_relu_backward, a.logit_backward,
        a.mish_backward, a.mse_loss_backward, a.native_batch_norm_backward, a.native_group_norm_backward,
        a.native_layer_norm_backward, a.nll_loss2d_backward, a.nll_loss_backward, a.select_backward,
        a.sigmoid_backward, a.silu_backward, a.slice_backward, a.smooth_l1_loss_backward, a.softplus_backward,
        a.tanh_backward, a.threshold_backward, a.unfold_backward, a.upsample_trilinear3d.default])  # fmt: skip
    return known | {
        a._embedding_bag_backward.default: _embedding_bag,
        a.upsample_linear1d_backward.default: _interpolated(1, _linear),
        a.upsample_bilinear2d_backward.default: _interpolated(2, _linear),
        a.upsample_trilinear3d_backward.default: _interpolated(3, _linear),
        a.upsample_bicubic2d_backward.default: _interpolated(2, _cubic),
        a.upsample_nearest1d_backward.default: _nearest(1),
        a.upsample_nearest2d_backward.default: _nearest(2),
        a.upsample_nearest3d_backward.default: _nearest(3),
        a.avg_pool2d_backward.default: _avg_pool(2),
        a.avg_pool3d_backward.default: _avg_pool(3),
        a._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool(2),
        a._adaptive_avg_pool3d_backward.default: _adaptive_avg_pool(3),
        a.adaptive_max_pool2d_backward.default: _adaptive_max_pool(2),
        a.adaptive_max_pool3d_backward.default: _adaptive_max_pool(3),
    }
