#!/usr/bin/env python3
"""Runs what test/gpu/bundle made: every library by sinter-exec on random inputs.

Each result is compared with PyTorch's in float64, computed on the GPU; runs are repeated
and have to give equal bits; times stand beside the bandwidth of a copy in the same process and PyTorch's
own. Prints a table; writes gpu_rowwise.json and .md into --out.

    python3 run.py [--dir BUNDLE] [--out FOLDER] [--only PATTERN] [--seconds 1] [--torch]
"""
import argparse
import fnmatch
import json
import os
import platform
import re
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

SHAPES = {
    "mse": {"small": (37, 131), "full": (32768, 8192)},
    "mse_grad": {"small": (37, 131), "full": (32768, 8192)},
    "softmax": {"small": (29, 257), "full": (4096, 65536)},
    "layer_norm": {"small": (29, 257), "full": (8192, 4096)},
    "cross_entropy": {"small": (37, 1003), "full": (8192, 128256)},
    "cross_entropy_grad": {"small": (37, 1003), "full": (8192, 128256)},
}
TOLERANCE = 1e-4  # norm(got - want) <= TOLERANCE norm(want), as for test/reference


def inputs_of(program, shape, seed):
    g = torch.Generator(device="cuda").manual_seed(seed)
    rows, cols = shape
    x = torch.randn(shape, generator=g, device="cuda")
    if program.startswith("mse"):
        return [x, torch.randn(shape, generator=g, device="cuda")]
    if program == "layer_norm":
        return [x * 2 + 3, torch.randn(cols, generator=g, device="cuda"), torch.randn(cols, generator=g, device="cuda")]
    if program.startswith("cross_entropy"):
        t = torch.randint(cols, (rows,), generator=g, device="cuda")
        t[torch.rand(rows, generator=g, device="cuda") < 0.1] = -100
        return [x * 3, t]
    return [x * 3]


def chunks(rows, cols):
    step = max(1, (1 << 27) // cols)
    return [slice(i, min(i + step, rows)) for i in range(0, rows, step)]


def reference(program, x):
    """For each result, a function from a range of rows to float64; a scalar's ignores the range."""
    rows, cols = x[0].shape
    if program.startswith("mse"):
        d = lambda r: x[0][r].double() - x[1][r].double()
        loss = sum((d(r) ** 2).sum() for r in chunks(rows, cols)) / (rows * cols)
        scale = 2.0 / (rows * cols)
        return [lambda r: loss, lambda r: d(r) * scale, lambda r: d(r) * -scale][: 3 if "grad" in program else 1]
    if program == "softmax":
        return [lambda r: torch.softmax(x[0][r].double(), 1)]
    if program == "layer_norm":
        return [lambda r: F.layer_norm(x[0][r].double(), (cols,), x[1].double(), x[2].double())]
    valid = (x[1] != -100).sum()
    loss = sum(F.cross_entropy(x[0][r].double(), x[1][r], reduction="sum") for r in chunks(rows, cols)) / valid

    def gradient(r):
        p = torch.softmax(x[0][r].double(), 1)
        t = x[1][r]
        keep = t != -100
        p[torch.arange(p.shape[0], device="cuda")[keep], t[keep]] -= 1
        return p * keep[:, None] / valid

    return [lambda r: loss, gradient][: 2 if "grad" in program else 1]


def error_of(got, want, shape):
    """norm(got - want) / norm(want); infinite where an element was not written (the runner fills outputs with NaN)."""
    if got.ndim == 0:
        w = want(None)
        return abs(float(got) - float(w)) / abs(float(w))
    over = under = 0.0
    for r in chunks(*shape):
        w = want(r)
        over += float(((torch.from_numpy(got[r]).cuda().double() - w) ** 2).sum())
        under += float((w**2).sum())
    e = (over / under) ** 0.5
    return e if e == e else float("inf")


def run(folder, library, files, outputs, seconds):
    command = [os.path.join(folder, "sinter-exec"), library, "--stats"]
    command += [f"--input={f}" for f in files] + [f"--output={f}" for f in outputs]
    if seconds:
        command.append(f"--benchmark={seconds}")
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=120)
    except subprocess.TimeoutExpired as e:
        raise RuntimeError("sinter-exec hangs") from e
    if done.returncode:
        raise RuntimeError(f"sinter-exec answered {done.returncode}: {done.stderr.strip()} {done.stdout.strip()}")
    return done.stdout


def parse(text):
    row = {}
    if m := re.search(r"median ([\d.]+) us, minimum ([\d.]+) us", text):
        row["us"], row["us_min"] = float(m[1]), float(m[2])
    if m := re.search(r"(\d+) bytes in and out, ([\d.]+) GB/s, ([\d.]+)% of a copy of (\d+) bytes at ([\d.]+) GB/s",
                      text):
        row["bytes"], row["gbs"], row["percent"], row["copy_bytes"], row["copy_gbs"] = (
            int(m[1]), float(m[2]), float(m[3]), int(m[4]), float(m[5]))
    if m := re.search(r"\{.*\}", text):
        row.update(json.loads(m[0]))
    return row


def torch_program(program):
    if program == "mse":
        return lambda x, y: F.mse_loss(x, y)
    if program == "softmax":
        return lambda x: torch.softmax(x, 1)
    if program == "layer_norm":
        return lambda x, w, b: F.layer_norm(x, (x.shape[1],), w, b)
    if program == "cross_entropy":
        return lambda x, t: F.cross_entropy(x, t)
    loss, wanted = {"mse_grad": (F.mse_loss, 2), "cross_entropy_grad": (F.cross_entropy, 1)}[program]

    def value_and_gradients(*x):
        leaves = [v.detach().requires_grad_() for v in x[:wanted]]
        value = loss(*leaves, *x[wanted:])
        return (value.detach(), *torch.autograd.grad(value, leaves))

    return value_and_gradients


def time_of(f, seconds=0.3):
    """Median of events around each call, microseconds."""
    for _ in range(3):
        f()
    torch.cuda.synchronize()
    samples, end = [], time.time() + seconds
    while len(samples) < 5 or time.time() < end:
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        f()
        b.record()
        torch.cuda.synchronize()
        samples.append(a.elapsed_time(b) * 1e3)
    return sorted(samples)[len(samples) // 2]


def torch_times(program, x):
    f = torch_program(program)
    row = {"eager_us": time_of(lambda: f(*x))}
    try:
        compiled = torch.compile(f)
        row["compile_us"] = time_of(lambda: compiled(*x))
    except Exception as e:  # not what is measured here
        row["compile_error"] = str(e)[:200]
    return row


def main():
    p = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    p.add_argument("--dir", default=here)
    p.add_argument("--out", default=".")
    p.add_argument("--tmp", default="/dev/shm/sinter")
    p.add_argument("--only", default="*")
    p.add_argument("--seconds", type=float, default=0.5)
    p.add_argument("--repeat", type=int, default=3, help="runs of small programs that must give equal bits")
    p.add_argument("--torch", action="store_true", help="time PyTorch's own too")
    p.add_argument("--seed", type=int, default=int(time.time()))
    a = p.parse_args()
    os.makedirs(a.tmp, exist_ok=True)
    os.makedirs(a.out, exist_ok=True)
    libraries = sorted(f for f in os.listdir(a.dir) if f.endswith(".so") and fnmatch.fnmatch(f, a.only))
    jobs = {}
    for f in libraries:
        program, size = f.split(".")[:2]
        jobs.setdefault((size == "full", program, size), []).append(f)
    rows, failed = [], 0
    for _, program, size in sorted(jobs):
        shape = SHAPES[program][size]
        x = inputs_of(program, shape, a.seed)
        files = [os.path.join(a.tmp, f"in{i}.npy") for i in range(len(x))]
        for f, v in zip(files, x):
            np.save(f, v.cpu().numpy())
        want = reference(program, x)
        pytorch = torch_times(program, x) if a.torch else {}
        torch.cuda.empty_cache()
        for library in sorted(jobs[size == "full", program, size]):
            row = {"program": program, "size": size, "library": library, "shape": shape, "seed": a.seed, **pytorch}
            outputs = [os.path.join(a.tmp, f"out{i}.npy") for i in range(len(want))]
            path = os.path.join(a.dir, library)
            try:
                row.update(parse(run(a.dir, path, files, outputs, a.seconds)))
                got = [np.load(f) for f in outputs]
                row["errors"] = [error_of(g, w, shape) for g, w in zip(got, want)]
                row["equal_bits"] = True
                chosen = library.count(".") == 2
                for _ in range(a.repeat if size == "small" else chosen):
                    run(a.dir, path, files, outputs, 0)
                    row["equal_bits"] &= all(g.tobytes() == np.load(f).tobytes() if g.nbytes < 1 << 20
                                             else np.array_equal(g, np.load(f)) for g, f in zip(got, outputs))
                row["ok"] = row["equal_bits"] and all(e <= TOLERANCE for e in row["errors"])
            except RuntimeError as e:
                row["ok"], row["message"] = False, str(e)
            failed += not row["ok"]
            rows.append(row)
            print(json.dumps(row), flush=True)
    report(a, rows)
    return 1 if failed or not rows else 0


def report(a, rows):
    driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"],
                            stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    try:
        commit = open(os.path.join(a.dir, "commit")).read().strip()
    except OSError:
        commit = "unknown"
    about = {"gpu": driver, "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
             "torch": torch.__version__,
             "machine": platform.platform(), "commit": commit, "date": time.strftime("%Y-%m-%d")}
    with open(os.path.join(a.out, "gpu_rowwise.json"), "w") as f:
        json.dump({"about": about, "rows": rows}, f, indent=1)
    lines = ["# Row-wise kernels on a GPU", "",
             f"{about['gpu']}, {about['multiprocessors']} multiprocessors; {about['machine']}; commit {commit}; "
             f"{about['date']}.", "",
             "Time: median of events around each call. Copy: a copy from device to device of half of the bytes, in the "
             "same process, read and",
             "written bytes counted. Error: norm(got - want) / norm(want) against float64. PyTorch " +
             about["torch"] + ".", "",
             "| program | shape | right | kernels | ms | GB in and out | % of copy | copy GB/s | largest error | eager "
             "ms | compile ms |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for r in rows:
        ms = lambda key: f"{r[key] / 1e3:.4f}" if key in r else ""
        lines.append("| {} | {}x{} | {} | {} | {} | {:.3f} | {} | {} | {} | {} | {} |".format(
            r["library"][:-3], *r["shape"], "yes" if r["ok"] else "NO " + r.get("message", ""), r.get("kernels", ""),
            ms("us"), r.get("bytes", 0) / 1e9,
            r.get("percent", ""), r.get("copy_gbs", ""), f"{max(r['errors']):.1e}" if r.get("errors") else "",
            ms("eager_us"), ms("compile_us")))
    with open(os.path.join(a.out, "gpu_rowwise.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
