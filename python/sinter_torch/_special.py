"""Special functions that torch-mlir refuses, made of elementwise operations.

Most are computed in f64 and rounded once: near a zero of lgamma the terms cancel, which f32 would show. Each is a
series that converges where its argument is large, and a step that makes it large. Numbers of equations are those of
the Digital Library of Mathematical Functions (dlmf.nist.gov).

test: test/python/special.test
"""

import functools
import math

import torch

_SHIFT = 8  # from here on, the series below are exact to 1e-13


def in_double(function):
    """The function in f64, its result in the type that PyTorch's has."""
    @functools.wraps(function)
    def of(*args, **kwargs):
        kinds = [t for t in args if isinstance(t, torch.Tensor)]
        kind = functools.reduce(torch.promote_types, (t.dtype for t in kinds))
        kind = kind if kind.is_floating_point else torch.get_default_dtype()
        y = function(*(t.double() if isinstance(t, torch.Tensor) else t for t in args), **kwargs)
        return y if y is NotImplemented else y.to(kind)
    return of


def _polynomial(x, coefficients):
    """By Horner's rule, the highest power first."""
    y = torch.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        y = y * x + c
    return y


def _moved(z):
    """(z or z + 8, the numbers z, ..., z + 7 that lie between, or ones): where the series of z > 0 is exact."""
    near = z < _SHIFT
    start = torch.where(near, z, 1)
    return torch.where(near, z + _SHIFT, z), near, [start + k for k in range(_SHIFT)]


def _fraction(x, positive):
    """The part behind the point, for reflections; where none is made, 1/2, of which they are finite with gradients."""
    return torch.where(positive, 0.5, x - torch.floor(x))


@in_double
def lgamma(x):
    """log |Gamma(x)|: 5.11.1, 5.5.1 and, for x <= 0, 5.5.3; infinite at 0, -1, -2, ..."""
    positive = x > 0
    w, near, between = _moved(torch.where(positive, x, 1 - x))
    v = 1 / (w * w)
    series = _polynomial(v, [1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]) / w
    large = (w - 0.5) * (torch.log(w) - 1) - 0.5 + 0.5 * math.log(2 * math.pi) + series
    y = large - torch.where(near, torch.log(functools.reduce(torch.mul, between)), 0)
    turned = torch.log(math.pi / torch.sin(math.pi * _fraction(x, positive))) - y
    return torch.where(x.isinf(), math.inf, torch.where(positive, y, turned))


@in_double
def digamma(x):
    """The derivative of lgamma: 5.11.2, 5.5.2 and 5.5.4; -inf at 0, NaN at -1, -2, ... as PyTorch has it."""
    positive = x > 0
    w, near, between = _moved(torch.where(positive, x, 1 - x))
    v = 1 / (w * w)
    series = _polynomial(v, [691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12, 0])
    y = torch.log(w) - 0.5 / w + series - torch.where(near, sum(1 / z for z in between), 0)
    f = _fraction(x, positive)
    y = torch.where(positive, y, y - math.pi * torch.cos(math.pi * f) / torch.sin(math.pi * f))
    return torch.where((x < 0) & (f == 0), math.nan, y)


@in_double
def _trigamma(x):
    """The derivative of digamma: 5.15.8, 5.15.5 and 5.15.6."""
    positive = x > 0
    w, near, between = _moved(torch.where(positive, x, 1 - x))
    v = 1 / (w * w)
    series = _polynomial(v, [5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6, 0]) / w
    y = 1 / w + 0.5 * v + series + torch.where(near, sum(1 / (z * z) for z in between), 0)
    turned = math.pi / torch.sin(math.pi * _fraction(x, positive))
    return torch.where(positive, y, turned * turned - y)


def polygamma(n, x):
    return digamma(x) if n == 0 else _trigamma(x) if n == 1 else NotImplemented


@in_double
def mvlgamma(x, p):
    return (p * (p - 1) / 4) * math.log(math.pi) + sum(lgamma(x - 0.5 * j) for j in range(p))


def _erf_inverse(a, rest):
    """y >= 0 with erf(y) = a, where rest = 1 - a to all its digits. From a guess of three digits (S. Winitzki, 2008) by
    Halley's rule, each step of which has three times as many digits. What remains is the difference of erf for a < 1/2,
    of erfc elsewhere: neither cancels."""
    t = torch.log(rest * (1 + a)) / 2
    s = t + 2 / (math.pi * 0.147)
    y = torch.sqrt((torch.sqrt(s * s - 2 * t / 0.147) - s).clamp_min(0))
    for _ in range(3):
        off = torch.where(a < 0.5, torch.erf(y) - a, rest - torch.erfc(y))
        step = off * (0.5 * math.sqrt(math.pi)) * torch.exp(y * y)
        y = y - step / (1 + y * step)
    return torch.where(rest > 0, y, torch.where(rest == 0, math.inf, math.nan))


def _with_slope(value, slope, x, detach):
    """The value, whose derivative to x is the slope: not that of the steps that found it."""
    value, change = detach(value), x - detach(x)  # 0
    return torch.where(value.isinf(), value, value + detach(slope) * change)


@in_double
def erfinv(x, *, detach):
    a = x.abs()
    y = _erf_inverse(a, 1 - a)
    slope = 0.5 * math.sqrt(math.pi) * torch.exp(y * y)
    return _with_slope(torch.where(x < 0, -y, y), slope, x, detach)


@in_double
def ndtri(p, *, detach):
    """The x whose ndtr is p."""
    low = p < 0.5
    tail = torch.where(low, p, 1 - p)
    y = math.sqrt(2) * _erf_inverse(1 - 2 * tail, 2 * tail)
    slope = math.sqrt(2 * math.pi) * torch.exp(0.5 * y * y)
    return _with_slope(torch.where(low, -y, y), slope, p, detach)


@in_double
def erfcx(x):
    """exp(x * x) erfc(x): from 10 on by 7.12.1."""
    far = x > 10
    z = torch.where(far, x, 10)
    v = 0.5 / (z * z)
    large = _polynomial(v, [10395, -945, 105, -15, 3, -1, 1]) / (z * math.sqrt(math.pi))
    near = torch.where(far, 0, x)
    return torch.where(far, large, torch.exp(near * near) * torch.erfc(near))


@in_double
def log_ndtr(x):
    """log of the normal distribution's part below x: below -10 by 7.12.1, above 1 by what is missing to 1."""
    low, high = x < -10, x > 1
    z = torch.where(low, x, -10)
    v = 1 / (z * z)
    tail = -0.5 * z * z - torch.log(-z) - 0.5 * math.log(2 * math.pi)
    tail = tail + torch.log(_polynomial(v, [10395, -945, 105, -15, 3, -1, 1]))
    below = torch.log(0.5 * torch.erfc(torch.where(low | high, 0, x) * -math.sqrt(0.5)))
    above = torch.log1p(-0.5 * torch.erfc(torch.where(high, x, 1) * math.sqrt(0.5)))
    return torch.where(low, tail, torch.where(high, above, below))


def _bessel(order):
    """The scaled modified Bessel functions exp(-|x|) I(x) of order 0 and 1: 10.25.2 up to 14, 10.40.1 behind."""
    terms = range(36, -1, -1)
    near = [1 / (math.factorial(k) * math.factorial(k + order)) for k in terms]
    far, c = [1.0], 1.0
    for k in range(1, 13):
        c *= -(4 * order * order - (2 * k - 1) ** 2) / (8 * k)
        far.append(c)

    def of(x):
        a = x.abs()
        large = a > 14
        small, z = torch.where(large, 0, x), torch.where(large, a, 14)
        q = 0.25 * small * small
        series = _polynomial(q, near) * torch.exp(-small.abs())
        series = series * 0.5 * small if order else series
        behind = _polynomial(1 / z, far[::-1]) / torch.sqrt(2 * math.pi * z)
        behind = torch.where(x < 0, -behind, behind) if order else behind
        return torch.where(large, behind, series)
    return of


i0e, i1e = in_double(_bessel(0)), in_double(_bessel(1))
i0 = in_double(lambda x: _bessel(0)(x) * torch.exp(x.abs()))
i1 = in_double(lambda x: _bessel(1)(x) * torch.exp(x.abs()))


def hypot(x, y, *, detach):
    """sqrt(x * x + y * y), whose squares do not overflow."""
    scale = detach(torch.maximum(x.abs(), y.abs()))
    scale = torch.where((scale > 0) & (scale < math.inf), scale, 1)
    a, b = x / scale, y / scale
    return torch.sqrt(a * a + b * b) * scale


def copysign(x, y):
    """|x| with the sign of y, that of a 0 too."""
    if not isinstance(y, torch.Tensor):
        return x.abs() * math.copysign(1, y)
    negative = (y < 0) | ((y == 0) & (1 / y < 0)) if y.is_floating_point() else y < 0
    x = x.abs() if x.is_floating_point() else x.abs().to(torch.get_default_dtype())
    return torch.where(negative, -x, x)
