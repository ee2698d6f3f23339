"""Functions of several dimensions that torch-mlir or torch.export refuse, made of those that they take.

Those of TABLE are operations of the exported graph (_decompositions.py). Those of FUNCTIONS ask for data in PyTorch's
own text, which an export cannot answer, or hide a size that is known: they are replaced while the function is traced.

test: test/python/composite.test
"""

import itertools
import math

import torch
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from . import _complex


def _dist(x, y, p=2):
    return torch.linalg.vector_norm(x - y, p)


def _pdist(x, p=2.0):
    """The distances of all rows i < j: [n, d] -> [n * (n - 1) / 2]."""
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return torch.linalg.vector_norm(x.index_select(0, i) - x.index_select(0, j), p, dim=1)


def _matrix_norm(x, ord="fro", dim=(-2, -1), keepdim=False, dtype=None):
    """By sums of columns (1, -1) or of rows (inf, -inf)."""
    if ord not in (1, -1, math.inf, -math.inf):
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    rows, columns = (d % x.dim() for d in dim)
    summed, rest = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = x.abs().sum(summed, True)
    y = sums.amax(rest, True) if ord > 0 else sums.amin(rest, True)
    return y if keepdim else y.squeeze(max(dim)).squeeze(min(rows, columns))


def _norm(x, ord=None, dim=None, keepdim=False, dtype=None):
    """Of all elements without an order, of vectors with one dimension, else of matrices."""
    if ord in (None, "fro") or (x.dim() if dim is None else len(dim)) == 1:
        return torch.linalg.vector_norm(x, 2 if ord in (None, "fro") else ord, dim, keepdim, dtype=dtype)
    if dim is None and x.dim() != 2 or dim is not None and len(dim) != 2:
        return NotImplemented
    return _matrix_norm(x, ord, (-2, -1) if dim is None else dim, keepdim, dtype)


def _block_diag(tensors):
    tensors = [torch.atleast_2d(t) for t in tensors]
    width, at, rows = sum(t.shape[1] for t in tensors), 0, []
    for t in tensors:
        rows.append(F.pad(t, (at, width - at - t.shape[1])))
        at += t.shape[1]
    return torch.cat(rows)


def _searchsorted(edges, x, out_int32=False, right=False, side=None, sorter=None):
    """How many edges lie in front of x: those below, to the right also those equal. NaN lies behind all."""
    if sorter is not None:
        edges = edges.gather(-1, sorter)
    right = right or side == "right"
    edges, x = edges.unsqueeze(-2) if edges.dim() > 1 else edges, x.unsqueeze(-1)
    here = edges <= x if right else edges < x
    if x.is_floating_point():
        here = here | (x != x) if right else here | ((x != x) & (edges == edges))
    return here.sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def _is_finite(x):
    return x.abs() < math.inf if x.is_floating_point() else torch.ones_like(x, dtype=torch.bool)


def _stable_sort(x, *, stable=None, dim=-1, descending=False):
    """Sinter's sorts are stable, whatever is asked (passes/program/sort.c)."""
    return torch.sort(x, dim, descending)


def _roll(x, shifts, dims=()):
    """Without dimensions the tensor is rolled as one row. By more than a size is by what is left of that: torch-mlir
    takes it for no roll. Rows of `?` are looked up, which is one kernel: parts would be copied one by one,
    and PyTorch would ask whether one is of size 1, as of two rows that are rolled by one."""
    if not len(dims):
        return torch.roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    if all(isinstance(x.shape[d], int) for d in dims):
        less = [by if abs(by) <= x.shape[d] else by % max(x.shape[d], 1) for by, d in zip(shifts, dims)]
        return NotImplemented if less == list(shifts) else torch.ops.aten.roll.default(x, less, dims)
    for by, d in zip(shifts, dims):
        n = x.shape[d]
        if not isinstance(n, int) and d % x.dim() < x.dim() - 1:
            x = x.index_select(d, (torch.arange(n) - by) % n)
            continue
        behind = by % n
        x = torch.cat([x.narrow(d, n - behind, behind), x.narrow(d, 0, n - behind)], d)
    return x


def _diagonal_scatter(x, source, offset=0, dim1=0, dim2=1):
    """x, but source on the diagonal of two dimensions; element k of it is in row k, or in column k below the first."""
    rows, columns = x.shape[dim1], x.shape[dim2]
    size, length = rows if offset >= 0 else columns, source.shape[-1]
    spread = F.pad(source, (0, size - length)).unsqueeze(-1 if offset >= 0 else -2)
    here = torch.arange(columns) - torch.arange(rows).unsqueeze(1) == offset
    return torch.where(here, spread, x.movedim((dim1, dim2), (-2, -1))).movedim((-2, -1), (dim1, dim2))


def _power(x, exponent):
    """Of integers, which wrap around: the product of x, x^2, x^4, ... for each bit of the exponent. Of one that is
    negative 1 and -1 have a power, all others have 0."""
    kind = torch.result_type(x, exponent)
    if kind.is_floating_point or kind.is_complex or kind is torch.bool:
        return NotImplemented
    known = isinstance(exponent, int)
    if known and exponent < 0:  # PyTorch's own words; tracing does not ask
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    bits = exponent.bit_length() if known else torch.iinfo(kind).bits
    x = x.to(kind) if isinstance(x, torch.Tensor) else torch.full((), x, dtype=kind)
    e = exponent if known else exponent.to(kind)
    y, factor = torch.ones_like(x), x
    for k in range(bits):
        if known:
            y = y * factor if e >> k & 1 else y
        else:
            part = torch.bitwise_right_shift(e, torch.full((), k, dtype=kind))
            y = torch.where(torch.bitwise_and(part, 1) == 1, y * factor, y)
        factor = factor * factor
    if known:
        return y
    sign = torch.where(torch.bitwise_and(e, 1) == 1, x, 1)
    return torch.where(e < 0, torch.where((x == 1) | (x == -1), sign, 0), y)


def _grid_places(size, at, padding, align):
    """Where in a dimension of so many elements -1 .. 1 lie: between 0 and size - 1, where there is a padding."""
    at = (at + 1) * ((size - 1) / 2) if align else (at + 1) * (size / 2) - 0.5
    if padding == 2:  # reflected at the first and the last element, or at their outer ends
        low, span = (0.0, size - 1) if align else (-0.5, size)
        away = (at - low).abs()
        rest = fmod(away, max(span, 1))
        at = low + torch.where(torch.floor(away / max(span, 1)) % 2 == 0, rest, span - rest)
    return torch.clamp(at, 0, size - 1) if padding else at


def _grid_sampler_3d(x, grid, mode=0, padding=0, align=False):
    """Volumes [n, c, ...] at the places of a grid [n, ..., 3], columns first: sums of eight neighbours (0), or the
    nearest element (1)."""
    if x.dim() != 5:
        return NotImplemented
    kind, wide = x.dtype, torch.promote_types(x.dtype, torch.float32)
    x, grid = x.to(wide), grid.to(wide)
    sizes, (n, *out) = x.shape[2:], grid.shape[:4]
    places = [_grid_places(size, grid[..., 2 - d], padding, align) for d, size in enumerate(sizes)]

    def read(corner):
        inside, flat = True, 0
        for at, size in zip(corner, sizes):
            here = (at >= 0) & (at < size)
            inside, flat = here & inside, flat * size + torch.where(here, at, 0).to(torch.int64)
        index = flat.reshape(n, 1, -1).expand(n, x.shape[1], math.prod(out))
        return torch.where(inside.unsqueeze(1), x.flatten(2).gather(2, index).reshape(n, x.shape[1], *out), 0)

    if mode == 1:
        return read([at.round() for at in places]).to(kind)
    y, lows = 0, [at.floor() for at in places]
    for corner in itertools.product((0, 1), repeat=3):
        share = 1
        for at, low, up in zip(places, lows, corner):
            share = (at - low if up else low + 1 - at) * share
        y = y + read([low + up for low, up in zip(lows, corner)]) * share.unsqueeze(1)
    return y.to(kind)


def fmod(x, other):
    return torch.fmod(x, torch.full((), other, dtype=torch.result_type(x, other)))


def _histc(x, bins=100, min=0, max=0):
    """How many elements lie in each of as many parts of [min, max]; of [least, largest] where both are one."""
    x, low, high = x.reshape(-1), min, max
    if min == max:
        low, high = x.amin(), x.amax()
        one = low == high
        low, high = torch.where(one, low - 1, low), torch.where(one, high + 1, high)
    part = ((x - low) * bins / (high - low)).to(torch.int64).clamp(0, bins - 1)
    inside = (x >= low) & (x <= high)
    here = (part.unsqueeze(0) == torch.arange(bins).unsqueeze(1)) & inside
    return here.to(x.dtype).sum(1)


def _index_reduce(x, dim, index, source, reduce, *, include_self=True):
    shape = [1] * x.dim()
    shape[dim] = -1
    places = index.reshape(shape).expand_as(source)
    return x.scatter_reduce(dim, places, source, reduce, include_self=include_self)


def _nanmedian_dim(x, dim, keepdim=False):
    bad = x.isnan()
    value, index = torch.sort(torch.where(bad, math.inf, x), dim=dim)
    middle = ((~bad).sum(dim, True) - 1).clamp_min(0) // 2
    value, index = value.gather(dim, middle), index.gather(dim, middle)
    value = torch.where(bad.all(dim, True), math.nan, value)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


def _nanmedian(x):
    return _nanmedian_dim(x.reshape(-1), 0)[0]


def _places(size, windows):
    """[windows, longest window], the elements that each adaptive window has; the last one again where it is shorter."""
    if isinstance(size, int):
        longest = max(-(-(k + 1) * size // windows) - k * size // windows for k in range(windows))
    else:
        longest = size // windows + 2 * (windows > 1)  # at most
    k = torch.arange(windows).unsqueeze(1)
    start, end = k * size // windows, ((k + 1) * size + windows - 1) // windows
    return torch.minimum(start + torch.arange(longest), end - 1)


def _adaptive_max_pool(n):
    def of(x, sizes):
        """The largest of each window and its place among the elements of an image."""
        sizes = list(sizes) * (n if len(sizes) == 1 else 1)
        images = list(x.shape[x.dim() - n :])
        windows, flat, outer = [_places(*of) for of in zip(images, sizes)], None, x.dim() - n
        for k, own in enumerate(windows):
            d = outer + 2 * k
            x = x.index_select(d, own.reshape(-1)).unflatten(d, own.shape)
            ours = own.reshape([1] * (2 * k) + list(own.shape) + [1] * (2 * (n - 1 - k)))
            flat = ours if flat is None else flat * images[k] + ours
        last = [*range(outer), *range(outer, x.dim(), 2), *range(outer + 1, x.dim(), 2)]
        x = x.permute(last).flatten(-n)
        flat = flat.expand([s for own in windows for s in own.shape])
        flat = flat.permute([*range(0, 2 * n, 2), *range(1, 2 * n, 2)]).flatten(-n)
        value, index = x.max(-1)
        return value, flat.expand(x.shape).gather(-1, index.unsqueeze(-1)).squeeze(-1)
    return of


def shares(size, windows):
    """[windows, size], what each element adds to the mean of each adaptive window."""
    k, i = torch.arange(windows).unsqueeze(1), torch.arange(size)
    inside = ((i + 1) * windows > k * size) & (i * windows < (k + 1) * size)  # from floor to ceil of the window's share
    return inside / inside.sum(1, keepdim=True)


def _adaptive_avg_pool(n):
    def of(x, sizes):
        """The mean of each window. PyTorch asks whether windows divide the image, and knows it of one size alone.
        torch-mlir writes windows of a volume in a form that has no gradient."""
        sizes, images = list(sizes) * (n if len(sizes) == 1 else 1), list(x.shape[x.dim() - n :])
        if all(isinstance(size, int) for size in images + sizes):
            if n < 3:
                return NotImplemented
            if not any(image % size for image, size in zip(images, sizes)):
                return F.avg_pool3d(x, [image // size for image, size in zip(images, sizes)])
        y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        for d, image, size in zip(range(x.dim() - n, x.dim()), images, sizes):
            if isinstance(size, int) and size == 1:
                y = y.mean(d, keepdim=True)
            elif str(size) != str(image):
                y = (y.transpose(d, -1) @ shares(image, size).to(y.dtype).T).transpose(d, -1)
        return y.to(x.dtype)
    return of


def _embedding_bag(w, index, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                   include_last_offset=False, padding_idx=-1):
    """Rows of w that lie from one offset to the next: their sum (0), mean (1) or maximum (2); 0 where there is none."""
    if mode == 0 and (padding_idx is None or padding_idx < 0) or scale_grad_by_freq:
        return NotImplemented
    bags = offsets.shape[0] - (1 if include_last_offset else 0)
    bag = (torch.arange(index.shape[0]).unsqueeze(1) >= offsets[:bags].unsqueeze(0)).sum(1) - 1
    counted = torch.ones_like(index, dtype=torch.bool)
    if padding_idx is not None and padding_idx >= 0:
        counted = index != padding_idx
    rows = w.index_select(0, index)
    count = torch.zeros(bags, dtype=torch.int64).index_add(0, bag, counted.to(torch.int64))
    if mode == 2:
        rows = torch.where(counted.unsqueeze(1), rows, -math.inf)
        y = torch.full((bags, w.shape[1]), -math.inf, dtype=w.dtype)
        y = y.scatter_reduce(0, bag.unsqueeze(1).expand_as(rows), rows, "amax")
        y = torch.where((count > 0).unsqueeze(1), y, 0)
    else:
        rows = rows if per_sample_weights is None else rows * per_sample_weights.unsqueeze(1)
        rows = torch.where(counted.unsqueeze(1), rows, 0)
        y = torch.zeros((bags, w.shape[1]), dtype=w.dtype).index_add(0, bag, rows)
        y = y / count.clamp_min(1).unsqueeze(1) if mode == 1 else y
    return y, bag, count, offsets


def _bags(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
          per_sample_weights=None, include_last_offset=False, padding_idx=None):  # fmt: skip
    """Bags of one length, [bags, length]: a gather and a reduction, one kernel."""
    if input.dim() != 2 or max_norm is not None or scale_grad_by_freq:
        return NotImplemented
    rows = F.embedding(input, weight)
    if padding_idx is not None:
        counted = (input != padding_idx % weight.shape[0]).unsqueeze(-1)
    if mode == "max":
        if padding_idx is None:
            return rows.max(1)[0]
        y = torch.where(counted, rows, -math.inf).max(1)[0]
        return torch.where(counted.any(1), y, 0)
    rows = rows if per_sample_weights is None else rows * per_sample_weights.unsqueeze(-1)
    rows = rows if padding_idx is None else torch.where(counted, rows, 0)
    if mode == "sum":
        return rows.sum(1)
    return rows.mean(1) if padding_idx is None else rows.sum(1) / counted.sum(1).clamp_min(1)


def _gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Without the question whether a variance is negative, which an export cannot answer."""
    if not isinstance(var, torch.Tensor):
        return NotImplemented
    if var.dim() == input.dim() - 1 and var.shape == input.shape[:-1]:
        var = var.unsqueeze(-1)
    var = var + (var.clamp_min(eps) - var).detach()  # the gradient is that of var also below eps
    y = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    y = y + 0.5 * math.log(2 * math.pi) if full else y
    return y.mean() if reduction == "mean" else y.sum() if reduction == "sum" else y


def _cov(input, *, correction=1, fweights=None, aweights=None):
    if fweights is not None or aweights is not None:
        return NotImplemented
    x = torch.atleast_2d(input)
    x = x - x.mean(1, keepdim=True)
    return (x @ x.T / max(x.shape[1] - correction, 0)).squeeze()


def _corrcoef(input):
    c = _cov(input)
    if c.dim() == 0:
        return c / c
    d = torch.sqrt(torch.diagonal(c))
    return (c / d.unsqueeze(1) / d.unsqueeze(0)).clamp(-1, 1)


def table():
    """Operations of a graph and what they are made of."""
    a = torch.ops.aten
    return {
        a.dist.default: _dist,
        a.pdist.default: _pdist,
        a._pdist_forward.default: _pdist,
        a.linalg_norm.default: _norm,
        a.linalg_norm.ord_str: _norm,
        a.linalg_matrix_norm.default: _matrix_norm,
        a.block_diag.default: _block_diag,
        a.searchsorted.Tensor: _searchsorted,
        a.bucketize.Tensor: lambda x, edges, *, out_int32=False, right=False: _searchsorted(edges, x, out_int32, right),
        a.histc.default: _histc,
        a.isfinite.default: _is_finite,
        a.sort.stable: _stable_sort,
        a.roll.default: _roll,
        a.diagonal_scatter.default: _diagonal_scatter,
        a.pow.Tensor_Scalar: _power,
        a.pow.Scalar: _power,
        a.pow.Tensor_Tensor: _power,
        a.fmod.Scalar: fmod,
        a.grid_sampler.default: _grid_sampler_3d,
        a.grid_sampler_3d.default: _grid_sampler_3d,
        a.index_reduce.default: _index_reduce,
        a.nanmedian.default: _nanmedian,
        a.nanmedian.dim: _nanmedian_dim,
        a.adaptive_avg_pool1d.default: _adaptive_avg_pool(1),
        a.adaptive_avg_pool2d.default: _adaptive_avg_pool(2),
        a._adaptive_avg_pool2d.default: _adaptive_avg_pool(2),
        a.adaptive_avg_pool3d.default: _adaptive_avg_pool(3),
        a._adaptive_avg_pool3d.default: _adaptive_avg_pool(3),
        a.adaptive_max_pool1d.default: _adaptive_max_pool(1),
        a.adaptive_max_pool2d.default: _adaptive_max_pool(2),
        a.adaptive_max_pool3d.default: _adaptive_max_pool(3),
        a.embedding_bag.padding_idx: _embedding_bag,
        a._embedding_bag.default: _embedding_bag,
        a._embedding_bag_forward_only.default: _embedding_bag,
    }


_FUNCTIONS = {
    F.embedding_bag: _bags,
    F.gaussian_nll_loss: _gaussian_nll_loss,
    torch.cov: _cov,
    torch.corrcoef: _corrcoef,
}


class Functions(TorchFunctionMode):
    """While a function is traced: what stands in _FUNCTIONS is what is written here, and complex numbers are pairs."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        ours = _FUNCTIONS.get(function) or _complex.of(function, args, kwargs or {})
        result = ours(*args, **(kwargs or {})) if ours else NotImplemented
        return function(*args, **(kwargs or {})) if result is NotImplemented else result
