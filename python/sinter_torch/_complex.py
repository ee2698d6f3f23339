"""Complex numbers, while a function is traced: pairs of real tensors, since torch-mlir has no fft and few of the rest.

    torch.fft.rfft(x).abs()       two products by matrices of cosines and sines, then hypot of the pair
    fftn(x, dim=(1, 2)).real      a product for each part and dimension; what nobody reads of them is not computed
    view_as_complex(x) * phases   four products of elements: rotary embeddings as Llama's own text has them

What makes a complex tensor (fft, stft, complex, polar, view_as_complex, zeros of a complex type, a complex number times
a tensor) makes a Complex here, which is no tensor: torch's functions come to it by __torch_function__. Its gradients
are those of the real operations, which are PyTorch's for a real loss; abs and angle have none at 0.

A transform of n elements costs n^2, not n log n; its matrices are constants where n is known. Arguments, parameters and
results of a program are real, and what is not in the tables below is refused.

test: test/python/complex.test
"""

import math

import torch
from torch.nn import functional as F

_REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}
_COMPLEX = {real: whole for whole, real in _REAL.items()}


class Complex:
    """re + i im, two tensors of one shape and type."""

    def __init__(self, re, im):
        self.re, self.im = torch.broadcast_tensors(re, im)

    real, imag = property(lambda z: z.re), property(lambda z: z.im)
    shape, device, ndim = (property(lambda z, word=word: getattr(z.re, word)) for word in ("shape", "device", "ndim"))
    dtype = property(lambda z: _COMPLEX[z.re.dtype])
    T, mT = (property(lambda z, word=word: _both(z, lambda x: getattr(x, word))) for word in ("T", "mT"))
    H, mH = property(lambda z: _conj(z).T), property(lambda z: _conj(z).mT)

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return _applied(function, args, kwargs or {})

    def __getattr__(self, name):
        method = getattr(torch.Tensor, name)
        return lambda *args, **kwargs: _applied(method, (self, *args), kwargs)

    def __setitem__(self, place, value):
        self.re[place], self.im[place] = _parts(value)


def _operator(name):
    return lambda *args: _applied(getattr(torch.Tensor, name), args, {})


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "matmul", "rmatmul", "pow", "neg",
              "abs", "getitem"):  # fmt: skip
    setattr(Complex, f"__{_name}__", _operator(f"__{_name}__"))


def _is_complex(x):
    return isinstance(x, (Complex, complex)) or isinstance(x, torch.Tensor) and x.is_complex()


def _parts(x):
    """(re, im) of whatever stands beside a complex operand."""
    if isinstance(x, Complex):
        return x.re, x.im
    return (x.real, x.imag) if _is_complex(x) else (x, 0)


def _tensors(re, im):
    """A Complex; one part may be a number."""
    one = re if isinstance(re, torch.Tensor) else im
    return Complex(*(x if isinstance(x, torch.Tensor) else torch.full_like(one, x) for x in (re, im)))


def _both(z, function):
    """What a function that only moves elements, or is linear, makes of each part."""
    re, im = (function(x) for x in _parts(z))
    return tuple(map(Complex, re, im)) if isinstance(re, (tuple, list)) else Complex(re, im)


def _add(a, b, *, alpha=1):
    (r, i), (s, j) = _parts(a), _parts(b)
    return _tensors(r + (s if alpha == 1 else alpha * s), i + (j if alpha == 1 else alpha * j))


def _sub(a, b, *, alpha=1):
    return _add(a, b, alpha=-alpha)


def _bilinear(product):
    def of(a, b):
        (r, i), (s, j) = _parts(a), _parts(b)
        if not _is_complex(a):
            return _tensors(product(r, s), product(r, j))
        if not _is_complex(b):
            return _tensors(product(r, s), product(i, s))
        return _tensors(product(r, s) - product(i, j), product(r, j) + product(i, s))
    return of


_mul, _matmul = _bilinear(lambda x, y: x * y), _bilinear(torch.matmul)


def _conj(z):
    return Complex(z.re, -z.im)


def _squared(z):
    re, im = _parts(z)
    return re * re + im * im


def _reciprocal(z):
    re, im = _parts(z)
    size = _squared(z)
    return _tensors(re / size, -im / size)


def _div(a, b):
    if not _is_complex(b):
        return _both(a, lambda x: x / b)
    return _mul(a, _reciprocal(b) if isinstance(b, Complex) else 1 / b)


def _pow(z, exponent):
    if not isinstance(exponent, int):
        return NotImplemented
    y = _reciprocal(z) if exponent < 0 else z
    power = y
    for _ in range(abs(exponent) - 1):
        power = _mul(power, y)
    return power if exponent else Complex(torch.ones_like(z.re), torch.zeros_like(z.re))


def _away_from_zero(z):
    """(where z is 0, z with 1 there): no quotient by 0 is behind what is selected."""
    zero = (z.re == 0) & (z.im == 0)
    return zero, torch.where(zero, 1, z.re), z.im


def _abs(z):
    zero, re, im = _away_from_zero(z)
    return torch.where(zero, 0, torch.hypot(re, im))


def _angle(z):
    _, re, im = _away_from_zero(z)
    return torch.atan2(im, re)


def _sgn(z):
    zero, re, im = _away_from_zero(z)
    size = torch.hypot(re, im)
    return Complex(torch.where(zero, 0, re / size), im / size)


def _polar(size, angle):
    return Complex(size * torch.cos(angle), size * torch.sin(angle))


def _exp(z):
    return _polar(torch.exp(z.re), z.im)


def _einsum(equation, *operands):
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    if len(operands) == 1:
        return _both(operands[0], lambda x: torch.einsum(equation, x))
    return _bilinear(lambda x, y: torch.einsum(equation, x, y))(*operands) if len(operands) == 2 else NotImplemented


def _joined(function):
    def of(tensors, *args, **kwargs):
        re, im = zip(*map(_parts, tensors))
        im = [torch.zeros_like(x) if isinstance(y, int) else y for x, y in zip(re, im)]
        return Complex(function(re, *args, **kwargs), function(im, *args, **kwargs))
    return of


def _where(here, a, b):
    (r, i), (s, j) = _parts(a), _parts(b)
    return _tensors(torch.where(here, r, s), torch.where(here, i, j) if {type(i), type(j)} != {int} else 0)


def _to(z, *args, **kwargs):
    """Of a Complex or of a real tensor that becomes one."""
    kinds = [x for x in (*args, kwargs.get("dtype")) if isinstance(x, torch.dtype)]
    if not kinds:
        return z
    if kinds[0] not in _REAL:
        return NotImplemented
    re, im = _parts(z)
    return _tensors(re.to(_REAL[kinds[0]]), im.to(_REAL[kinds[0]]) if isinstance(im, torch.Tensor) else 0)


def _filled(function):
    def of(*args, dtype=None, **kwargs):
        value = args[-1] if function is torch.full else None
        size = args[:-1] if function is torch.full else args
        re, im = (torch.full(*size, x, dtype=_REAL[dtype], **kwargs) if value is not None
                  else function(*size, dtype=_REAL[dtype], **kwargs) for x in _parts(value))  # fmt: skip
        return Complex(re, im if value is not None else torch.zeros_like(re))
    return of


# What is the same on both parts.
_MOVES = frozenset("""
reshape view permute transpose swapaxes swapdims flatten unflatten squeeze unsqueeze narrow select expand contiguous
clone roll flip index_select movedim moveaxis sum mean cumsum neg negative diff repeat tile split chunk unbind
tensor_split triu tril diagonal broadcast_to getitem pad detach zeros_like t
""".split())
_OF_COMPLEX = {
    "add": _add, "radd": lambda a, b: _add(b, a), "sub": _sub, "subtract": _sub, "rsub": lambda a, b: _sub(b, a),
    "mul": _mul, "multiply": _mul, "rmul": lambda a, b: _mul(b, a), "div": _div, "divide": _div, "truediv": _div,
    "true_divide": _div, "rtruediv": lambda a, b: _div(b, a), "rdiv": lambda a, b: _div(b, a),
    "matmul": _matmul, "rmatmul": lambda a, b: _matmul(b, a), "mm": _matmul, "bmm": _matmul, "einsum": _einsum,
    "conj": _conj, "conj_physical": _conj, "resolve_conj": lambda z: z, "abs": _abs, "absolute": _abs, "angle": _angle,
    "sgn": _sgn, "exp": _exp, "pow": _pow, "square": lambda z: _mul(z, z), "reciprocal": _reciprocal,
    "real": lambda z: z.re, "imag": lambda z: z.im, "view_as_real": lambda z: torch.stack([z.re, z.im], -1),
    "view_as_complex": lambda z: z, "is_complex": lambda z: True, "is_floating_point": lambda z: False,
    "where": _where, "to": _to, "type": _to, "cfloat": lambda z: _to(z, torch.complex64),
    "cdouble": lambda z: _to(z, torch.complex128), "dim": lambda z: z.re.dim(), "numel": lambda z: z.re.numel(),
    "size": lambda z, *d: z.re.size(*d), "cat": _joined(torch.cat), "concat": _joined(torch.cat),
    "stack": _joined(torch.stack),
}  # fmt: skip


def _name(function):
    name = getattr(function, "__name__", "")
    return name[2:-2] if name.startswith("__") else name


def _applied(function, args, kwargs):
    name = _name(function)
    if name in _MOVES and isinstance(args[0], Complex):
        return _both(args[0], lambda x: function(x, *args[1:], **kwargs))
    ours = _OF_COMPLEX.get(name)
    result = ours(*args, **kwargs) if ours else NotImplemented
    if result is NotImplemented:
        raise NotImplementedError(f"{name} of complex numbers is none of those that become pairs of real ones")
    return result


def _resized(z, n, d):
    """z with n elements along a dimension: cut, or with zeros behind."""
    have = z.shape[d]
    if n is None or isinstance(n, int) and isinstance(have, int) and n == have:
        return z
    lack = n - have
    return _both_or_one(z, lambda x: x.narrow(d, 0, n) if lack <= 0 else
                        F.pad(x, [0] * (2 * (x.dim() - 1 - d % x.dim())) + [0, lack]))  # fmt: skip


def _both_or_one(z, function):
    return _both(z, function) if isinstance(z, Complex) else function(z)


def _waves(rows, columns, n, dtype):
    """cos and sin of 2 pi j k / n: [rows, columns]."""
    if all(isinstance(x, int) for x in (rows, columns, n)):
        of = lambda f: torch.tensor([[f(2 * math.pi * (j * k % n) / n) for k in range(columns)] for j in range(rows)],
                                    dtype=dtype)  # fmt: skip
        return of(math.cos), of(math.sin)
    turns = torch.arange(rows).unsqueeze(1) * torch.arange(columns) % n
    t = turns.to(dtype) * (2 * math.pi / n)
    return torch.cos(t), torch.sin(t)


def _scale(norm, n, inverse):
    if norm == "ortho":
        return 1 / n**0.5
    return 1 / n if (norm == "forward") != inverse else 1


def _along(x, d, matrix):
    return (x.transpose(d, -1) @ matrix).transpose(d, -1)


def _floats(x):
    """As PyTorch takes it, or None: it has no transform of half types on a CPU."""
    if isinstance(x, Complex):
        return x
    x = x if x.is_floating_point() else x.to(torch.get_default_dtype())
    return x if x.dtype in _COMPLEX else None


def _transform(z, n, d, norm, inverse, half=False):
    """Along one dimension; half: the first n / 2 + 1 alone, of a real row."""
    z = _resized(z, n, d)
    n = z.shape[d]
    re, im = _parts(z)
    cos, sin = _waves(n, n // 2 + 1 if half else n, n, re.dtype)
    scale = _scale(norm, n, inverse)
    cos, sin = (cos, sin) if isinstance(scale, int) else (cos * scale, sin * scale)
    sin = sin if inverse else -sin
    if not isinstance(z, Complex):
        return Complex(_along(re, d, cos), _along(re, d, sin))
    return Complex(_along(re, d, cos) - _along(im, d, sin), _along(re, d, sin) + _along(im, d, cos))


def _to_real(z, n, d, norm):
    """A real row of n of the first n / 2 + 1 of its transform."""
    n = 2 * (z.shape[d] - 1) if n is None else n
    z = _resized(z, n // 2 + 1, d)
    re, im = _parts(z)
    bins = z.shape[d]
    cos, sin = _waves(bins, n, n, re.dtype)
    k = torch.arange(bins)
    twice = torch.where((k == 0) | (2 * k == n), 1, 2).to(re.dtype).unsqueeze(1) * _scale(norm, n, True)
    y = _along(re, d, cos * twice)
    return y - _along(im, d, sin * twice) if isinstance(z, Complex) else y


def _one(real_in=False, real_out=False, inverse=False):
    def of(input, n=None, dim=-1, norm=None):
        return _many(real_in, real_out, inverse)(input, None if n is None else (n,), (dim,), norm)
    return of


def _many(real_in=False, real_out=False, inverse=False, dims=None):
    def of(input, s=None, dim=dims, norm=None):
        z = _floats(input)
        if z is None or real_in and isinstance(z, Complex):
            return NotImplemented
        if dim is None:
            dim = range(-z.dim(), 0) if s is None else range(-len(s), 0)
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
        sizes = [None if n == -1 else n for n in s] if s is not None else [None] * len(dim)
        if real_in:
            z = _transform(z, sizes[-1], dim[-1], norm, False, half=True)
        for n, d in zip(sizes[:-1] if real_in or real_out else sizes, dim):
            z = _transform(z, n, d, norm, inverse)
        return _to_real(z, sizes[-1], dim[-1], norm) if real_out else z
    return of


def _stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
          normalized=False, onesided=None, return_complex=None, align_to_window=None):  # fmt: skip
    if align_to_window or _is_complex(input) or _is_complex(window) or _floats(input) is None:
        return NotImplemented
    x = input if input.dim() == 2 else input.unsqueeze(0)
    length = win_length or n_fft
    if center:
        x = F.pad(x.unsqueeze(1), [n_fft // 2] * 2, mode=pad_mode).squeeze(1)
    frames = x.unfold(1, n_fft, hop_length or n_fft // 4)
    if window is not None or length < n_fft:
        low = (n_fft - length) // 2
        shape = torch.ones(length, dtype=x.dtype) if window is None else window
        frames = frames * F.pad(shape, [low, n_fft - length - low])
    z = _transform(frames, None, -1, None, False, half=onesided is not False).transpose(1, 2)
    z = z * n_fft**-0.5 if normalized else z
    z = z if input.dim() == 2 else z.squeeze(0)
    return z if return_complex else torch.view_as_real(z)


def _shifted(back):
    def of(input, dim=None):
        dims = range(input.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
        by = [(input.shape[d] + (1 if back else 0)) // 2 for d in dims]
        return _both_or_one(input, lambda x: torch.roll(x, by, list(dims)))
    return of


_MAKERS = {
    torch.fft.fft: _one(), torch.fft.ifft: _one(inverse=True),
    torch.fft.rfft: _one(real_in=True), torch.fft.irfft: _one(real_out=True, inverse=True),
    torch.fft.fftn: _many(), torch.fft.ifftn: _many(inverse=True),
    torch.fft.rfftn: _many(real_in=True), torch.fft.irfftn: _many(real_out=True, inverse=True),
    torch.fft.fft2: _many(dims=(-2, -1)), torch.fft.ifft2: _many(inverse=True, dims=(-2, -1)),
    torch.fft.rfft2: _many(real_in=True, dims=(-2, -1)),
    torch.fft.irfft2: _many(real_out=True, inverse=True, dims=(-2, -1)),
    torch.fft.fftshift: _shifted(False), torch.fft.ifftshift: _shifted(True),
    torch.stft: _stft, torch.Tensor.stft: _stft,
    torch.complex: Complex, torch.polar: _polar,
    torch.view_as_complex: lambda x: Complex(x.select(-1, 0), x.select(-1, 1)),
}  # fmt: skip
_FILLED = {f: _filled(f) for f in (torch.zeros, torch.ones, torch.empty, torch.full)}
_CASTS = (torch.Tensor.to, torch.Tensor.type, torch.Tensor.cfloat, torch.Tensor.cdouble)


def of(function, args, kwargs):
    """The function of this file that a call is, or None."""
    if function in _MAKERS:
        return _MAKERS[function]
    if function in _FILLED:
        return _FILLED[function] if kwargs.get("dtype") in _REAL else None
    if function in _CASTS:
        kinds = (*args[1:], kwargs.get("dtype"))
        become = function in _CASTS[2:] or any(isinstance(x, torch.dtype) and x in _REAL for x in kinds)
        return _OF_COMPLEX[_name(function)] if become and isinstance(args[0], torch.Tensor) else None
    if any(_is_complex(x) for x in args) and _name(function) in _OF_COMPLEX:
        return lambda *a, **k: _applied(function, tuple(map(_whole, a)), k)
    return None


def _whole(x):
    """A Complex of a complex tensor: a buffer, or what PyTorch computed while the module was made."""
    return Complex(x.real, x.imag) if isinstance(x, torch.Tensor) and x.is_complex() else x
