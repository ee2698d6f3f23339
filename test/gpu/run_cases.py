#!/usr/bin/env python3
"""Runs what test/gpu/bundle-cases made, on a machine with a GPU: each library on its inputs, against its results.

    python3 run_cases.py [--only PATTERN] [--repeat 3] [--time] [--out FILE] [--exact]

Needs NumPy and the driver, nothing else. Each case is repeated, on outputs and a workspace that hold other bits each
time, and has to give equal bits; what lies in front of and behind each tensor has to stay as it is. A case that ends
the process, or hangs, fails; the next ones run in a new process.
"""
import argparse
import ctypes as C
import fnmatch
import json
import os
import re
import select
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
GUARD = 4096
NAN_TYPES = {(2, 16): np.float16, (2, 32): np.float32, (2, 64): np.float64, (4, 16): np.uint16, (0, 8): np.int8,
             (0, 16): np.int16, (0, 32): np.int32,
             (0, 64): np.int64, (10, 8): np.uint8, (12, 8): np.uint8, (1, 8): np.uint8, (6, 8): np.uint8}


class DType(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class Tensor(C.Structure):  # DLTensor
    _fields_ = [("data", C.c_void_p), ("device_type", C.c_int32), ("device_id", C.c_int32), ("ndim", C.c_int32),
                ("dtype", DType),
                ("shape", C.POINTER(C.c_int64)), ("strides", C.c_void_p), ("byte_offset", C.c_uint64)]


class Fact(C.Structure):  # SinterTensor
    _fields_ = [("name", C.c_char_p), ("dtype", DType), ("ndim", C.c_int32), ("gradient_of", C.c_int32),
                ("flags", C.c_int32), ("shape", C.POINTER(C.c_int64))]


CALL = C.CFUNCTYPE(C.c_int32, C.POINTER(C.POINTER(Tensor)), C.POINTER(C.POINTER(Tensor)), C.c_void_p, C.c_void_p)


class Function(C.Structure):
    _fields_ = [("name", C.c_char_p), ("device", C.c_int32), ("num_inputs", C.c_int32), ("num_outputs", C.c_int32),
                ("reserved", C.c_int32),
                ("inputs", C.POINTER(Fact)), ("outputs", C.POINTER(Fact)), ("workspace_bytes", C.c_int64),
                ("packed", C.c_void_p), ("call", CALL),
                ("extension", C.c_void_p)]


class Extension(C.Structure):
    _fields_ = [("prepare", C.c_void_p), ("device_status", C.CFUNCTYPE(C.c_int32, C.POINTER(C.c_char_p)))]


class Library(C.Structure):
    _fields_ = [("abi_version", C.c_int32), ("num_functions", C.c_int32), ("functions", C.POINTER(Function)),
                ("last_error", C.CFUNCTYPE(C.c_char_p)),
                ("stats", C.c_void_p), ("set_threads", C.c_void_p), ("set_parallel", C.c_void_p),
                ("extension", C.POINTER(Extension))]


class Cuda:
    def __init__(self):
        self.lib = C.CDLL("libcuda.so.1")
        device, context = C.c_int(), C.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", C.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", C.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        answer = getattr(self.lib, name)(*arguments)
        if answer:
            text = C.c_char_p()
            self.lib.cuGetErrorName(answer, C.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else answer}")

    def allocate(self, nbytes):
        p = C.c_uint64()
        self("cuMemAlloc_v2", C.byref(p), C.c_size_t(max(nbytes, 1)))
        return p.value

    def free(self, p):
        self("cuMemFree_v2", C.c_uint64(p))

    def fill(self, p, byte, nbytes):
        if nbytes:
            self("cuMemsetD8_v2", C.c_uint64(p), C.c_ubyte(byte), C.c_size_t(nbytes))

    def up(self, p, x):
        if x.nbytes:
            self("cuMemcpyHtoD_v2", C.c_uint64(p), x.ctypes.data_as(C.c_void_p), C.c_size_t(x.nbytes))

    def down(self, x, p):
        if x.nbytes:
            self("cuMemcpyDtoH_v2", x.ctypes.data_as(C.c_void_p), C.c_uint64(p), C.c_size_t(x.nbytes))

    def within(self, to, source, nbytes):
        self("cuMemcpyDtoD_v2", C.c_uint64(to), C.c_uint64(source), C.c_size_t(nbytes))

    def wait(self):
        self("cuCtxSynchronize")

    def event(self):
        e = C.c_void_p()
        self("cuEventCreate", C.byref(e), 0)
        return e

    def milliseconds(self, a, b):
        ms = C.c_float()
        self("cuEventElapsedTime", C.byref(ms), a, b)
        return ms.value


def to_bf16(x):
    u = np.array(x, np.float32, order="C").view(np.uint32)
    return ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


FLOAT8 = {(10, 8): "f8E4M3FN", (12, 8): "f8E5M2"}


def device_form(x, fact):
    kind = (fact.dtype.code, fact.dtype.bits)
    if kind in FLOAT8:
        import cases
        return np.array(x if x.dtype == np.uint8 else cases.float8_bits(x, FLOAT8[kind]), order="C")
    if kind == (4, 16) and not (x.dtype.itemsize == 2 and x.dtype.kind in "uV"):
        return to_bf16(x)
    return np.array(x.view(np.uint16) if kind == (4, 16) else x.astype(NAN_TYPES[kind]), order="C")


def as_float(x, fact):
    if (fact.dtype.code, fact.dtype.bits) in FLOAT8:
        import cases
        x = cases.float8_values(FLOAT8[fact.dtype.code, 8])[x]
    if (fact.dtype.code, fact.dtype.bits) == (4, 16):
        x = (x.astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float64)


def tensor(p, shape, fact):
    s = (C.c_int64 * max(len(shape), 1))(*shape)
    t = Tensor(data=p, device_type=2, device_id=0, ndim=len(shape), dtype=fact.dtype, shape=s, strides=None,
               byte_offset=0)
    t.keep = s
    return C.pointer(t)


class Program:
    def __init__(self, cuda, path):
        self.cuda = cuda
        self.library = Library.in_dll(C.CDLL(path), "sinter_library")
        self.f = self.library.functions[0]

    def facts(self, outputs=False):
        n, of = (self.f.num_outputs, self.f.outputs) if outputs else (self.f.num_inputs, self.f.inputs)
        return [of[i] for i in range(n)]

    def call(self, inputs, outputs, workspace):
        lists = [(C.POINTER(Tensor) * max(len(x), 1))(*x) for x in (inputs, outputs)]
        status = self.f.call(lists[0], lists[1], None, workspace)
        if status:
            raise RuntimeError(f"status {status}: {self.library.last_error().decode()}")

    def failed(self):
        text = C.c_char_p()
        return text.value.decode() if self.library.extension.contents.device_status(C.byref(text)) else ""


def shape_of(fact, want):
    dims = [fact.shape[i] for i in range(fact.ndim)]
    return tuple(dims) if -1 not in dims else want.shape


def agrees(x, want, slack, fact):
    """Whether each element is within its slack of what it should be, and a note. An infinite slack: it is not known.
    Integers, and what is not finite, are equal."""
    if fact.dtype.code in (0, 1):
        got = x != 0 if want.dtype == bool else x
        same = got == want
    else:
        got = as_float(x, fact)
        with np.errstate(invalid="ignore"):
            same = np.where(np.isfinite(want), np.abs(got - want) <= slack,
                            (got == want) | (np.isnan(got) & np.isnan(want)))
    bad = ~np.isinf(slack) & ~same
    if not bad.any():
        return True, f"{int((~np.isinf(slack)).sum())} of {slack.size} elements compared"
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return False, (f"at {at}: {got[at]!r}, expected {want[at]!r} within {slack[at]:.3g}; {int(bad.sum())} of "
                   f"{bad.size} elements")


def run_case(cuda, path, inputs, want, tolerance, fails, repeat, timed, slacks=None):
    """`fails`: None, or a part of what an assert that has to fail says."""
    program = Program(cuda, path)
    memory, guards = [], []

    def place(nbytes):
        p = cuda.allocate(nbytes + 2 * GUARD)
        cuda.fill(p, 0x5C, GUARD)
        cuda.fill(p + GUARD + nbytes, 0x5C, GUARD)
        memory.append(p)
        guards.append((p, p + GUARD + nbytes))
        return p + GUARD

    given = []
    for x, fact in zip(inputs, program.facts()):
        x = device_form(np.asarray(x), fact)
        p = place(x.nbytes)
        cuda.up(p, x)
        given.append(tensor(p, x.shape, fact))
    results = []
    facts = program.facts(True)
    for i, fact in enumerate(facts):
        x = np.zeros(shape_of(fact, want[i] if want else None), NAN_TYPES[fact.dtype.code, fact.dtype.bits])
        results.append((place(x.nbytes), x))
    out = [tensor(p, x.shape, fact) for (p, x), fact in zip(results, facts)]
    workspace = place(program.f.workspace_bytes)
    rng = np.random.default_rng(3)
    first, note, worst = None, "", 0.0
    for turn in range(repeat):
        for p, x in results:
            cuda.fill(p, 0xFF if turn == 0 else turn & 0xFF, x.nbytes)
        if turn == 0 and program.f.workspace_bytes < 1 << 28:
            cuda.up(workspace, rng.integers(0, 256, program.f.workspace_bytes, np.uint8))
        try:
            program.call(given, out, workspace)
        except RuntimeError as e:  # an assert of sizes fails before there is a kernel
            if fails is None:
                raise
            said = str(e)
        else:
            cuda.wait()
            said = program.failed()
        if said or fails is not None:
            ok = fails is not None and bool(said) and fails in said
            if not ok:
                return False, f"asserts: {said!r}, expected {fails!r}"
            continue
        for p, x in results:
            cuda.down(x, p)
        bits = [x.copy() if turn == 0 else x for _, x in results]
        if first is None:
            first = bits
        elif not all(a.tobytes() == b.tobytes() for a, b in zip(first, bits)):
            return False, f"other bits in run {turn + 1}"
    guard = np.zeros(GUARD, np.uint8)
    for pair in guards:
        for p in pair:
            cuda.down(guard, p)
            if not (guard == 0x5C).all():
                return False, "wrote outside of a tensor"
    if fails is not None:
        return True, "the assert failed, and said so"
    ok = True
    if slacks:
        notes = []
        for x, w, slack, fact in zip(first, want, slacks, facts):
            right, note = agrees(x, w.reshape(x.shape), slack.reshape(x.shape), fact)
            ok &= right
            notes.append(note)
        for p in memory:
            cuda.free(p)
        return ok, "; ".join(notes)
    for x, w, fact in zip(first, want, facts):
        got, w = as_float(x, fact), np.asarray(w).astype(np.float64)
        w = w.reshape(got.shape)
        special = np.array_equal(np.isnan(got), np.isnan(w)) and np.array_equal(got[np.isinf(w)], w[np.isinf(w)])
        finite = np.isfinite(w)
        norm = np.linalg.norm(w[finite])
        error = np.linalg.norm((got - w)[finite]) / (norm if norm else 1.0) if special else float("inf")
        bits = (fact.dtype.code, fact.dtype.bits)
        worst = max(worst, error)
        ok &= bool(error <= max(tolerance, {(4, 16): 8e-3, (2, 16): 1e-3, (10, 8): 0.07, (12, 8): 0.14}.get(bits, 0)))
    note = f"error {worst:.1e}"
    if timed:
        note += ", " + time_of(cuda, program, given, out, workspace,
                               sum(t.contents.ndim >= 0 and nbytes(t) for t in given + out))
    for p in memory:
        cuda.free(p)
    return ok, note


def nbytes(t):
    n = t.contents.dtype.bits // 8
    for i in range(t.contents.ndim):
        n *= t.contents.shape[i]
    return n


def time_of(cuda, program, given, out, workspace, total):
    times = []
    for _ in range(20):
        a, b = cuda.event(), cuda.event()
        cuda("cuEventRecord", a, None)
        program.call(given, out, workspace)
        cuda("cuEventRecord", b, None)
        cuda.wait()
        times.append(cuda.milliseconds(a, b))
    ms = sorted(times)[len(times) // 2]
    return f"{ms * 1e3:.1f} us, {total / ms / 1e6:.0f} GB/s"


def tile(cuda, p, nbytes, x):
    """x again and again."""
    cuda.up(p, x)
    have = x.nbytes
    while have < nbytes:
        n = min(have, nbytes - have)
        cuda.within(p + have, p, n)
        have += n


def run_huge(cuda, path, name):
    """More than 2^31 elements: their inputs are a short sequence again and again, samples are compared."""
    program = Program(cuda, path)
    facts, results = program.facts(), program.facts(True)
    shape = shape_of(facts[0], None)
    count = shape[0] * shape[1]
    x = np.random.default_rng(5).standard_normal((1 << 20) + 7).astype(np.float32)
    half = facts[0].dtype.bits == 16
    size = 2 if half else 4
    given = device_form(x, facts[0])
    x = as_float(given, facts[0]).astype(np.float32)
    memory = [cuda.allocate(size * count) for _ in range(2)]
    tile(cuda, memory[0], size * count, given)
    workspace = cuda.allocate(program.f.workspace_bytes + 64)
    at = lambda first, n: x[np.arange(first, first + n) % x.size].astype(np.float64)
    spots = [0, (1 << 31) - 500, (1 << 31) + 12345, count - 1000]
    ok = True
    if name == "huge_flat":
        memory += [cuda.allocate(4 * count), cuda.allocate(4 * count), cuda.allocate(64), cuda.allocate(64)]
        cuda.fill(memory[1], 0, 4 * count)
        s = np.array(2.0 / count, np.float32)
        cuda.up(memory[4], s)
        t = lambda i, f: tensor(memory[i], shape_of(f, None), f)
        program.call([t(0, facts[0]), t(1, facts[1]), t(4, facts[2])],
                     [t(5, results[0]), t(2, results[1]), t(3, results[2])], workspace)
        cuda.wait()
        loss = np.zeros(1, np.float32)
        cuda.down(loss, memory[5])
        whole, rest = divmod(count, x.size)
        square = x.astype(np.float64) ** 2
        want = (square.sum() * whole + square[:rest].sum()) * float(s)
        ok &= bool(abs(loss[0] - want) <= 1e-5 * want)
        for first in spots:
            for which, sign in ((2, 1), (3, -1)):
                got = np.zeros(1000, np.float32)
                cuda.down(got, memory[which] + 4 * first)
                ok &= bool(np.allclose(got, sign * at(first, 1000) * float(s), rtol=1e-6, atol=0))
    else:
        program.call([tensor(memory[0], shape, facts[0])], [tensor(memory[1], shape, results[0])], workspace)
        cuda.wait()
        n = shape[1]
        for first in spots:
            row = min(first // n, shape[0] - 1)
            got = np.zeros(n, given.dtype)
            cuda.down(got, memory[1] + size * row * n)
            e = np.exp(at(row * n, n))
            ok &= bool(np.linalg.norm(as_float(got,
                                               results[0]) - e / e.sum()) <= (8e-3 if half
                                                   else 1e-5) * np.linalg.norm(e / e.sum()))
    for p in memory:
        cuda.free(p)
    return ok, f"{count} elements"


def jobs(folder, only):
    sys.path.insert(0, folder)
    import cases
    known = {c["name"]: c for c in cases.all_cases()}
    out = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".so") and name[:-3] in known and fnmatch.fnmatch(name[:-3], only):
            out.append((name[:-3], path, known[name[:-3]]))
        elif os.path.exists(os.path.join(path, "program.so")) and fnmatch.fnmatch(name, only):
            out.append((name, os.path.join(path, "program.so"), None))
    return out


def work(a, start):
    cuda = Cuda()
    for i, (name, path, case) in enumerate(jobs(a.dir, a.only)):
        if i < start:
            continue
        print(f"BEGIN {i}", flush=True)
        began = time.time()
        try:
            if name.startswith("huge"):
                ok, note = run_huge(cuda, path, name)
            elif case:
                inputs = case["inputs"](np.random.default_rng(1))
                # Hopper's sums of products of 8 bits have about 14 bits (docs/gpu-products.md).
                tolerance = max(case["tolerance"], 5e-4 if re.search("wgmma_e[45]m", name) else 1e-4)
                repeat = 50 if not case["big"] and not a.quick else a.repeat
                ok, note = run_case(cuda, path, inputs, [] if case["fails"] else case["outputs"](*inputs),
                                    tolerance, case["fails"], repeat, a.time and case["big"])
            else:
                about = json.load(open(os.path.join(os.path.dirname(path), "case.json")))
                load = lambda k: [np.load(os.path.join(os.path.dirname(path), f)) for f in about[k]]
                ok, note = run_case(cuda, path, load("inputs"), load("outputs"), about["tolerance"],
                                    about.get("fails"), a.repeat, False, load("slacks") if "slacks" in about else None)
        except RuntimeError as e:
            print(f"FAIL {name}: {e}", flush=True)
            if "CUDA_ERROR" in str(e):  # the context is gone
                return 3
            continue
        print(f"{'ok  ' if ok else 'FAIL'} {name}: {note} [{time.time() - began:.1f} s]", flush=True)
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--dir", default=HERE)
    p.add_argument("--only", default="*")
    p.add_argument("--repeat", type=int, default=3)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--exact", action="store_true", help="no guards: a sanitizer sees what goes past a tensor")
    p.add_argument("--time", action="store_true")
    p.add_argument("--out")
    p.add_argument("--timeout", type=float, default=30)
    p.add_argument("--worker", type=int)
    a = p.parse_args()
    if a.exact:
        global GUARD
        GUARD = 0
    if a.worker is not None:
        return work(a, a.worker)
    total, start, lines = len(jobs(a.dir, a.only)), 0, []
    while start < total:
        child = subprocess.Popen([sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--worker", str(start)],
                                 stdout=subprocess.PIPE, text=True, bufsize=1)
        at, last = start - 1, ""
        while True:
            if not select.select([child.stdout], [], [], a.timeout)[0]:
                lines.append(f"FAIL {jobs(a.dir, a.only)[at][0]}: hangs")
                child.kill()
                break
            line = child.stdout.readline()
            if not line:
                break
            if line.startswith("BEGIN "):
                at, last = int(line.split()[1]), ""
            else:
                last = line.strip()
                lines.append(last)
                if last.startswith("FAIL"):
                    print(last, flush=True)
        child.wait()
        if at < start:  # it never began
            lines.append("FAIL: no worker")
            break
        if child.returncode and not last:
            lines.append(f"FAIL {jobs(a.dir, a.only)[at][0]}: the process ended with {child.returncode}")
            print(lines[-1], flush=True)
        start = at + 1
    good = sum(line.startswith("ok") for line in lines)
    if a.out:
        open(a.out, "w").write("\n".join(lines) + "\n")
    if a.time:
        print("\n".join(line for line in lines if "GB/s" in line))
    print(f"{good} of {total}")
    return int(good != total or not total)


if __name__ == "__main__":
    sys.exit(main())
