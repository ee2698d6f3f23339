"""What the tests of sinter_torch share."""

import torch


def refuses(kind, text, call):
    """The call raises kind, and its message holds text."""
    try:
        call()
    except kind as why:
        assert text in str(why), f"got  {why}\nwant {text}"
    else:
        raise AssertionError(f"nothing was refused: {text}")


def agree(got, want, tolerance=1e-12):
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, got.dtype, want.shape, want.dtype)
    error = (got.double() - want.double()).norm() / want.double().norm().clamp_min(1e-300)
    assert error <= tolerance, f"relative error {error:.2e}, expected at most {tolerance:.0e}"


def kernels(lib, call):
    """How many kernels a call starts."""
    before = lib.stats()["kernels"]
    call()
    return lib.stats()["kernels"] - before


def randn(*shape, requires_grad=False, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, requires_grad=requires_grad)
