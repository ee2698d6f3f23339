#!/usr/bin/env python3
"""sinter_torch on a GPU: values and gradients against PyTorch's, streams, CUDA graphs, errors, times.

    PYTHONPATH=python python3 test/gpu/torch_check.py FOLDER [--time]

FOLDER is what `test/gpu/torch_bundle FOLDER [BUILD]` made. Prints a line for each check, then `N passed, N failed`.
"""

import argparse
import os
import statistics
import sys
import traceback

import torch
import torch.nn.functional as F

import sinter_torch

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def agree(got, want, tolerance):
    error = ((got.double() - want.double()).norm() / want.double().norm().clamp_min(1e-300)).item()
    assert (
        got.shape == want.shape and error <= tolerance
    ), f"relative error {error:.2e}, expected at most {tolerance:.0e}"


def refuses(kind, text, call):
    try:
        call()
    except kind as why:
        assert text in str(why), f"got {why}, expected {text}"
        return
    raise AssertionError(f"nothing was refused: {text}")


class Case:
    """A loss of two inputs with the gradient of the first, and PyTorch's own."""

    def __init__(self, folder, name, torchs, make):
        self.lib = sinter_torch.load(os.path.join(folder, name + ".so"))
        self.one = sinter_torch.load(os.path.join(folder, name + ".so"), backward="one")
        self.loss, self.torchs, self.make = self.lib.main, torchs, make

    def inputs(self):
        x, y = self.make()
        return x.requires_grad_(), y


def cases(folder):
    mse = lambda m, n: lambda: (torch.randn(m, n, device="cuda"), torch.randn(m, n, device="cuda"))
    labels = lambda m, n: lambda: (3 * torch.randn(m, n, device="cuda"), torch.randint(n, (m,), device="cuda"))
    return {
        "mse": Case(folder, "mse", F.mse_loss, mse(37, 131)),
        "mse_full": Case(folder, "mse_full", F.mse_loss, mse(32768, 8192)),
        "cross_entropy": Case(folder, "cross_entropy", F.cross_entropy, labels(37, 1003)),
        "cross_entropy_full": Case(folder, "cross_entropy_full", F.cross_entropy, labels(8192, 128256)),
    }


@check
def values_and_gradients(c):
    for name in ("mse", "cross_entropy"):
        x, y = c[name].inputs()
        loss = c[name].loss(x, y)
        (3 * loss).backward()
        got, x.grad = x.grad, None
        want = c[name].torchs(x, y)
        (3 * want).backward()
        agree(loss, want, 1e-5)
        agree(got, x.grad, 1e-4)
        assert loss.device == x.device and got.device == x.device


@check
def one_launch(c):
    x, y = c["mse"].inputs()
    before = c["mse"].lib.stats()["kernels"]
    c["mse"].loss(x, y)
    assert c["mse"].lib.stats()["kernels"] == before + 1, "value and gradient are one kernel"


@check
def equal_bits(c):
    x, y = c["mse"].inputs()
    first = [t.clone() for t in c["mse"].loss.all(x, y)]
    for _ in range(50):
        assert all(torch.equal(a, b) for a, b in zip(first, c["mse"].loss.all(x, y)))


@check
def current_stream(c):
    """A call comes behind what its stream was given before, and runs beside other streams."""
    x, y = c["mse"].inputs()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        z = x.detach() * 2
        loss = c["mse"].loss(z, y)
        assert not stream.query(), "the call waited for the device"
    stream.synchronize()
    agree(loss, F.mse_loss(x.detach() * 2, y), 1e-5)


@check
def graphs(c):
    """Captured and replayed on new numbers; a library that is not loaded yet refuses the capture, and says how to go
    on."""
    case = c["cross_entropy"]
    x, y = case.inputs()
    other = sinter_torch.Library(os.path.join(case.folder, "fresh.so"))
    graph = torch.cuda.CUDAGraph()
    pool = torch.cuda.Stream()
    with torch.cuda.stream(pool):
        refused = False
        try:
            with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=pool):
                other.main(x.detach(), y)
        except sinter_torch.Error as why:
            refused = "prepare it, before the capture" in str(why)
        assert refused, "the first call in a capture was not refused"
    other.main.prepare(x.detach(), y)
    with torch.cuda.graph(graph):
        loss, gradient = other.main.all(x.detach(), y)
    for seed in range(3):
        torch.manual_seed(seed)
        new, labels = case.make()
        with torch.no_grad():
            x.copy_(new)
            y.copy_(labels)
        graph.replay()
        x.grad = None
        want = F.cross_entropy(x, y)
        want.backward()
        agree(loss, want, 1e-5)
        agree(gradient, x.grad, 1e-4)


@check
def training_step_in_a_graph(c):
    case = c["mse"]
    x, y = case.inputs()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # warm up, as torch.cuda.graph asks for
        case.loss(x, y).backward()
    torch.cuda.current_stream().wait_stream(side)
    x.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = case.loss(x, y)
        loss.backward()
    with torch.no_grad():
        x.add_(1)
    graph.replay()
    got, x.grad = x.grad.clone(), None
    want = F.mse_loss(x, y)
    want.backward()
    agree(loss, want, 1e-5)
    agree(got, x.grad, 1e-5)


@check
def errors(c):
    x, y = c["mse"].inputs()
    refuses(ValueError, "is on cpu, expected CUDA", lambda: c["mse"].loss(x.detach().cpu(), y))
    refuses(ValueError, "has shape [36, 131], expected [37, 131]", lambda: c["mse"].loss(x[:36].detach(), y))
    refuses(ValueError, "call .contiguous()", lambda: c["mse"].loss(torch.randn(131, 37, device="cuda").t(), y))
    refuses(TypeError, "is torch.bfloat16, expected torch.float32", lambda: c["mse"].loss(x.detach().bfloat16(), y))


@check
def another_device(c):
    if torch.cuda.device_count() < 2:
        return "skipped: one GPU"
    x, y = (t.detach().to("cuda:1") for t in c["mse"].make())
    agree(c["mse"].loss(x, y), F.mse_loss(x, y), 1e-5)
    assert torch.cuda.current_device() == 0
    refuses(ValueError, "is on cuda:0, input 0 on cuda:1", lambda: c["mse"].loss(x, y.to("cuda:0")))


def median_us(call, repeat=50):
    for _ in range(5):
        call()
    times = []
    for _ in range(repeat):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


def step(loss, x, y):
    def run():
        x.grad = None
        loss(x, y).backward()

    return run


def captured(call):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        call()
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def times(c):
    print(
        "| value and gradient, us | sinter multiply | one | PyTorch eager | sinter graph | PyTorch graph |\n| --- | "
        "--- | --- | --- | --- | --- |"
    )
    for name, case in c.items():
        x, y = case.inputs()
        runs = [step(case.loss, x, y), step(case.one.main, x, y), step(case.torchs, x, y)]
        row = [median_us(r) for r in runs]
        row += [median_us(captured(runs[1])), median_us(captured(runs[2]))]
        print(f"| {name} {list(x.shape)} | " + " | ".join(f"{t:.1f}" for t in row) + " |", flush=True)
        x.grad = None
        del x, y
        torch.cuda.empty_cache()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--time", action="store_true", help="a table of times too")
    a = p.parse_args()
    if not torch.cuda.is_available():
        print("torch_check: no CUDA device: nothing was checked\n0 passed, 0 failed, 1 skipped")
        return 1
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    c = cases(a.folder)
    Case.folder = a.folder
    passed = failed = skipped = 0
    for f in CHECKS:
        try:
            torch.manual_seed(7)
            why = f(c)
            torch.cuda.synchronize()
            skipped += why is not None
            passed += why is None
            print(f"{f.__name__}: {why or 'passed'}", flush=True)
        except Exception:
            failed += 1
            print(f"{f.__name__}: FAILED\n{traceback.format_exc()}", flush=True)
    if a.time:
        times(c)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return int(failed > 0 or not passed)


if __name__ == "__main__":
    sys.exit(main())
