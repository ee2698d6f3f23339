#!/usr/bin/env python3
"""Times libraries on a GPU beside copies of the same bytes: NumPy and the driver are all it needs.

    python3 speed.py FOLDER [--only PATTERN] [--seconds 0.3]

FOLDER has NAME.so (and, where integers are labels, NAME.classes with how many there are). Inputs are a random sequence
of about a million elements again and again; a case takes turns on as many sets of tensors as exceed L2 four times.
Percent: the bytes of inputs and outputs over the time, of the bandwidth of a copy of half of the bytes (at most 2 GiB)
in this process.
"""
import argparse
import fnmatch
import os
import sys
import time

import numpy as np
from run_cases import Cuda, NAN_TYPES, Program, nbytes, shape_of, tensor, tile, to_bf16

L2 = 50 << 20


def sample(fact, classes, rng):
    kind = (fact.dtype.code, fact.dtype.bits)
    n = (1 << 20) + 7
    if kind[0] == 0:
        return rng.integers(0, classes, n).astype(NAN_TYPES[kind])
    if kind[0] in (1, 6):
        return rng.integers(0, 2, n).astype(np.uint8)
    x = (rng.random(n) * 0.98 + 0.01).astype(np.float32)
    return to_bf16(x) if kind == (4, 16) else x.astype(NAN_TYPES[kind])


def median_ms(cuda, run, seconds):
    times = []
    run(0)
    cuda.wait()
    end = time.time() + seconds
    turn = 1
    while time.time() < end or len(times) < 5:
        events = [cuda.event() for _ in range(9)]
        for e in events:  # eight calls in a row: the host stays ahead
            cuda("cuEventRecord", e, None)
            if e is not events[-1]:
                run(turn)
                turn += 1
        cuda.wait()
        times += [cuda.milliseconds(a, b) for a, b in zip(events, events[1:])]
        for e in events:
            cuda("cuEventDestroy_v2", e)
    return sorted(times)[len(times) // 2]


def measure(cuda, path, seconds, copies):
    program = Program(cuda, path)
    facts, results = program.facts(), program.facts(True)
    rng = np.random.default_rng(7)
    classes_file = path[:-3] + ".classes"
    classes = int(open(classes_file).read()) if os.path.exists(classes_file) else 10
    memory, sets = [], []
    total = 0
    while not sets or (len(sets) < 8 and total * len(sets) < 4 * L2):
        lists = []
        for of, fill in ((facts, True), (results, False)):
            tensors = []
            for fact in of:
                shape = shape_of(fact, None)
                bytes_ = int(np.prod(shape, dtype=np.int64)) * max(1, fact.dtype.bits // 8)
                memory.append(cuda.allocate(bytes_))
                tensors.append(tensor(memory[-1], shape, fact))
                if fill:
                    x = sample(fact, classes, rng)
                    tile(cuda, memory[-1], bytes_, x[: max(1, bytes_ // x.itemsize)])
            lists.append(tensors)
        sets.append(lists)
        total = sum(nbytes(t) for t in lists[0] + lists[1])
    workspace = cuda.allocate(program.f.workspace_bytes + 64)
    ms = median_ms(cuda, lambda i: program.call(*sets[i % len(sets)], workspace), seconds)
    for p in memory + [workspace]:
        cuda.free(p)
    said = program.failed()
    half = min(total // 2, 2 << 30) // 16 * 16 or 16
    if half not in copies:
        n = max(1, min(8, 4 * L2 // half + 1))
        pairs = [(cuda.allocate(half), cuda.allocate(half)) for _ in range(n)]
        for a, _ in pairs:
            tile(cuda, a, half, rng.random((1 << 20) + 7).astype(np.float32)[: max(1, half // 4)])
        import ctypes as C
        copy = lambda i: cuda("cuMemcpyDtoDAsync_v2", C.c_uint64(pairs[i % n][1]), C.c_uint64(pairs[i % n][0]),
                              C.c_size_t(half), None)
        copies[half] = 2 * half / median_ms(cuda, copy, 0.15)
        for pair in pairs:
            for p in pair:
                cuda.free(p)
    return ms, total, 100 * total / ms / copies[half], copies[half] / 1e6, said


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder")
    p.add_argument("--only", default="*")
    p.add_argument("--seconds", type=float, default=0.2)
    a = p.parse_args()
    cuda, copies, code, count = Cuda(), {}, 0, 0
    print("| program | ms | GB | % of copy | copy GB/s |\n| --- | --- | --- | --- | --- |")
    for f in sorted(os.listdir(a.folder)):
        if not f.endswith(".so") or not fnmatch.fnmatch(f[:-3], a.only):
            continue
        count += 1
        try:
            ms, total, percent, copy, said = measure(cuda, os.path.join(a.folder, f), a.seconds, copies)
            print(f"| {f[:-3]} | {ms:.4f} | {total / 1e9:.3f} | {percent:.1f} | {copy:.0f} | {said}", flush=True)
        except RuntimeError as e:
            print(f"| {f[:-3]} | {e} |", flush=True)
            code = 1
            if "CUDA_ERROR" in str(e) and "MEMORY" not in str(e):
                break
    return code if count else 1


if __name__ == "__main__":
    sys.exit(main())
