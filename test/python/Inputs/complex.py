"""Programs with complex numbers inside, values and gradients beside float64."""
import math
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import sinter_torch

warnings.filterwarnings("ignore")
torch.manual_seed(5)

ROWS, ODD, IMAGES, WAVES = torch.randn(6, 8), torch.randn(4, 7), torch.randn(2, 3, 6, 10), torch.randn(2, 60)
PAIRS, FILTER = torch.randn(2, 5, 6, 2), torch.randn(6, 5, 2)
PHASES = torch.polar(torch.ones(5, 6), torch.outer(torch.arange(5.0), 10000 ** (-torch.arange(6) / 6)))


def squares(z):
    return torch.view_as_real(z.resolve_conj()).square().sum(-1)


def rotated(x):
    """Rotary embeddings as the text of Llama has them; phases are a constant of a complex type."""
    phases = PHASES.to(torch.complex128) if x.dtype == torch.float64 else PHASES
    return torch.view_as_real(torch.view_as_complex(x) * phases).flatten(-2)


def spectral(x):
    """A layer of a Fourier neural operator: the low modes of an image by weights."""
    kind = torch.complex128 if x.dtype == torch.float64 else torch.complex64
    w = torch.view_as_complex(torch.sin(torch.arange(3 * 4 * 2 * 3 * 2).to(x).reshape(3, 4, 2, 3, 2)))
    z, low = torch.fft.rfft2(x), torch.zeros(2, 4, 6, 6, dtype=kind)
    low[:, :, :2, :3] = torch.einsum("bixy,ioxy->boxy", z[:, :, :2, :3], w)
    return torch.fft.irfft2(low, s=(6, 10))


def spectra(x):
    """A loss of sound: magnitudes of windows, and their logarithms."""
    size = torch.stft(x, 16, 4, window=torch.hann_window(16, dtype=x.dtype), return_complex=True).abs()
    return size.mean() + torch.log(size + 0.1).square().mean()


def mixed(x):
    z, w = torch.view_as_complex(x), torch.view_as_complex(x.flip(-1))
    y = (2 * z - w / 3 + 1j) * w.conj() / (z + 3) + (1 - z) ** 2 - 0.5j * w + torch.exp(0.1 * z)
    y = torch.cat([y, z.reciprocal(), -w], 1).transpose(1, 2) @ torch.cat([w, z, z], 1)
    return torch.stack([y.real, y.imag, y.abs(), y.angle(), y.sgn().real])


CASES = {
    "fft": (lambda x: squares(torch.fft.fft(x)), ROWS),
    "fft_odd_dim": (lambda x: torch.fft.fft(x, dim=0, norm="ortho").imag, ODD),
    "fft_longer": (lambda x: torch.fft.fft(x, n=11).real, ODD),
    "ifft_shorter": (lambda x: squares(torch.fft.ifft(x, n=5)), ODD),
    "rfft": (lambda x: torch.fft.rfft(x, norm="forward").abs(), ROWS),
    "rfft_odd": (lambda x: torch.fft.rfft(x).angle(), ODD),
    "irfft": (lambda x: torch.fft.irfft(torch.fft.rfft(x) * torch.complex(x[:, :5], x[:, 3:])), ROWS),
    "irfft_odd": (lambda x: torch.fft.irfft(torch.fft.rfft(x), n=7, norm="ortho") * x, ODD),
    "irfft_of_real": (lambda x: torch.fft.irfft(x, n=9), ODD),
    "fft2": (lambda x: torch.fft.fft2(x, norm="ortho").real, IMAGES),
    "fftn": (lambda x: torch.fft.fftn(x, dim=(1, 2)).real, IMAGES),
    "fftn_sizes": (lambda x: torch.fft.fftn(x, s=(4, 12)).imag, IMAGES),
    "rfft2_and_back": (lambda x: torch.fft.irfft2(torch.fft.rfft2(x) / 2, s=(6, 10)) - x.square(), IMAGES),
    "ifftn": (lambda x: squares(torch.fft.ifftn(x)), ODD),
    "shifted": (lambda x: squares(torch.fft.fftshift(torch.fft.fft2(x), dim=(-2, -1))[..., 1:, :3]), IMAGES),
    "shifted_back": (lambda x: torch.fft.ifftshift(x) * torch.fft.fftshift(x), ODD),
    "by_fft": (lambda x: torch.fft.irfft(torch.fft.rfft(x, n=16) * torch.fft.rfft(x.flip(0), n=16), n=16), ROWS),
    "stft": (spectra, WAVES),
    "stft_plain": (lambda x: torch.stft(x, 12, center=False, normalized=True, onesided=False, win_length=9,
                                        window=torch.ones(9).to(x), return_complex=True).real, WAVES),
    "rotary": (rotated, PAIRS),
    "spectral": (spectral, IMAGES),
    "mixed": (mixed, PAIRS),
    "zero": (lambda x: torch.view_as_complex(x * torch.tensor([[0.0], [1.0]] * 3).to(x)).abs(), PAIRS),
}  # fmt: skip

for name, (function, x) in CASES.items():
    x, wide = x.clone().requires_grad_(), x.double().requires_grad_()
    got, want = sinter_torch.compile(function, x, upstream=True, cache=None)(x), function(wide)
    upstream = torch.randn_like(want)
    (mine,), (theirs,) = torch.autograd.grad(got, x, upstream.float()), torch.autograd.grad(want, wide, upstream)
    for what, one, other in (("value", got, want), ("gradient", mine, theirs)):
        assert one.shape == other.shape, f"{name}: {what} {tuple(one.shape)}, not {tuple(other.shape)}"
        far = float((one.double() - other).norm() / other.norm())
        assert far < 5e-6, f"{name}: {what} is off by {far:.1e}"


class Turned(nn.Module):
    """Its phases are a buffer of a complex type."""
    def __init__(self, persistent):
        super().__init__()
        self.layer = nn.Linear(12, 12)
        self.register_buffer("phases", PHASES, persistent)

    def forward(self, x):
        return torch.view_as_real(torch.view_as_complex(self.layer(x).unflatten(-1, (6, 2))) * self.phases).flatten(-2)


for persistent in (True, False):
    module, x = Turned(persistent), torch.randn(3, 5, 12)
    got, want = sinter_torch.compile(module, x, cache=None)(x), module(x)
    assert torch.allclose(got, want, atol=1e-5), (got - want).abs().max()

# Sizes of a call: of the batch, and of what is transformed.
for dynamic, function in (
    ({0: 0}, lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2).abs() + torch.fft.fft(x, dim=1).abs()),
    ({0: 1}, lambda x: torch.fft.rfft(x).abs()),
    ({0: (0, 1)}, lambda x: torch.fft.fft2(x).real),
):
    step = sinter_torch.compile(function, ROWS, dynamic=dynamic, cache=None)
    for shape in ((6, 8), (6, 8) if dynamic != {0: 0} else (5, 8), (6, 11) if dynamic == {0: 1} else (9, 8)):
        x = torch.randn(shape)
        assert (step(x) - function(x.double())).norm() < 1e-5 * function(x).norm(), (dynamic, shape)


def refuses(words, function, *args):
    try:
        sinter_torch.compile(function, *args, cache=None)
    except Exception as why:
        assert words in str(why), why
    else:
        raise AssertionError(f"no error has {words!r}")


refuses("tan of complex numbers is none of those that become pairs of real ones", lambda x: torch.fft.fft(x).tan().real,
        ROWS)
refuses("a result is of complex numbers: torch.view_as_real makes one", lambda x: torch.fft.fft(x), ROWS)
refuses("Unsupported dtype BFloat16", lambda x: torch.fft.rfft(x).abs(), ROWS.bfloat16())
print("all right")
