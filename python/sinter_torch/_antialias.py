"""Images that are resized with antialias=True: a product along each dimension with what each place has of each pixel.

    y: [n, c, 3, 4] of x: [n, c, 8, 10]        shares_8: [3, 8] @ x @ shares_10: [4, 10].T

A filter lies around the middle of each place, as wide as a place where there are fewer places than pixels. What of it
lies beyond the image is left out, and the rest has a sum of 1.

test: test/python/composite.test
"""

import math

import torch


def _linear(t):
    return (1 - t).clamp(min=0)


def _cubic(t):
    """PyTorch has -0.75 for -0.5 where nothing is filtered."""
    a = -0.5
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return torch.where(t < 1, near, torch.where(t < 2, far, 0))


def _lanczos(t):
    wave = torch.special.sinc(t) * torch.special.sinc(t / 3)
    return torch.where(t < 3, wave, 0)


def _shares(positions, size, align, scale, filter):
    """[positions, size], what each position has of each pixel."""
    if align:
        step = (size - 1) / (positions - 1) if positions > 1 else 0.0
    else:
        step = 1 / scale if scale else size / positions
    middle = (torch.arange(positions, dtype=torch.float64) + 0.5) * step
    away = (torch.arange(size, dtype=torch.float64) + 0.5 - middle.unsqueeze(1)).abs()
    wide = (torch.zeros((), dtype=torch.float64) + step).clamp(min=1)
    own = filter(away / wide)
    return own / own.sum(1, keepdim=True)


def _places(x, sizes, factors):
    """Sizes of the result, and the factors that it was asked for by."""
    if sizes is not None:
        return sizes, (None, None)
    return [math.floor(n * factor) for n, factor in zip(x.shape[-2:], factors)], factors


def _resized(filter):
    def of(x, output_size, align_corners, *scales):
        high, wide = scales if len(scales) == 2 else (None, None)
        kind, type = x.dtype, torch.promote_types(x.dtype, torch.float32)
        rows = _shares(output_size[0], x.shape[-2], align_corners, high, filter).to(type)
        columns = _shares(output_size[1], x.shape[-1], align_corners, wide, filter).to(type)
        return (rows @ (x.to(type) @ columns.T)).to(kind)

    def by_factors(x, output_size, align_corners, scale_factors):
        sizes, factors = _places(x, output_size, scale_factors)
        return of(x, sizes, align_corners, *factors)

    def gradient(y, output_size, input_size, align_corners, *scales):
        high, wide = scales if len(scales) == 2 else (None, None)
        rows = _shares(output_size[0], input_size[-2], align_corners, high, filter).to(y.dtype)
        columns = _shares(output_size[1], input_size[-1], align_corners, wide, filter).to(y.dtype)
        return rows.T @ (y @ columns)
    return of, by_factors, gradient


def table():
    """Operations of a graph and what they are made of."""
    a, made = torch.ops.aten, {}
    for name, filter in ("bilinear", _linear), ("bicubic", _cubic), ("lanczos", _lanczos):
        packet = getattr(a, f"_upsample_{name}2d_aa", None)  # lanczos: not in every PyTorch
        if packet is None:
            continue
        of, by_factors, gradient = _resized(filter)
        made |= {packet.default: of, packet.vec: by_factors}
        made[getattr(a, f"_upsample_{name}2d_aa_backward").default] = gradient
    return made
