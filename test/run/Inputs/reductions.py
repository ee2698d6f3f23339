"""Reductions of integers and bools over rows, over columns and over everything, against NumPy.

    reductions.py SINTER-CC FOLDER [--cpu=haswell]      combiners, widths, directions and sizes in libraries: some of
                                                        them, or --all
    reductions.py --emulate=EMULATE [--types=i1,i32]    some of them as kernels of a GPU, thread by thread

Sizes are one less and one more than what vectors have. Each function has what is reduced as an input of its own, and
also the same computed by a comparison, so that rows of bools meet rows of what was compared.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import library

TYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
COMBINERS = ["addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"]
SIZES = [(1, 1), (4, 11), (3, 7), (5, 8), (8, 9), (7, 15), (2, 16), (9, 17), (6, 31), (17, 33), (33, 5), (130, 3),
         (3, 130)]


def identity(op, t):
    bits = int(t[1:])
    high = 2 ** (bits - 1) - 1 if bits > 1 else 0
    return {"muli": 1 if bits > 1 else -1, "maxsi": -high - 1, "minsi": high, "minui": -1, "andi": -1}.get(op, 0)


def fold(op, x, axis):
    """In NumPy, of integers of any width; bools as MLIR's i1: 1 is -1 to what is signed, sums are mod 2."""
    if x.dtype == np.bool_:
        return {"addi": np.logical_xor, "xori": np.logical_xor, "muli": np.logical_and, "andi": np.logical_and,
                "minui": np.logical_and, "maxsi": np.logical_and,                # fmt: skip
                "ori": np.logical_or, "maxui": np.logical_or, "minsi": np.logical_or}[op].reduce(x, axis=axis)
    unsigned = x.view(f"u{x.dtype.itemsize}")
    f, y = {"addi": (np.add, x), "muli": (np.multiply, x), "maxsi": (np.maximum, x), "minsi": (np.minimum, x),
            "maxui": (np.maximum, unsigned),            # fmt: skip
            "minui": (np.minimum, unsigned), "andi": (np.bitwise_and, x), "ori": (np.bitwise_or, x),
            "xori": (np.bitwise_xor, x)}[op]
    return f.reduce(y, axis=axis, dtype=y.dtype).view(x.dtype)


def function(name, op, t, m, n, axis, compared):
    """One reduction; `compared`: of x < 0, as i1 or widened from it."""
    out = {0: f"{n}x", 1: f"{m}x", None: ""}[axis]
    dims = {0: "0", 1: "1", None: "0, 1"}[axis]
    x = f"tensor<{m}x{n}x{t}>"
    start = identity(op, t)
    lines = [f"  %c = arith.constant {start} : {t}" if t != "i1"
             else f"  %c = arith.constant {'true' if start else 'false'}"]
    read, source = "%x", "i32" if compared else t
    if compared:
        widen = "" if t == "i1" else f"\n    %w = arith.extui %p : i1 to {t}"
        lines.append(f"""  %z = arith.constant 0 : i32
  %d = tensor.empty() : {x}
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<{m}x{n}xi32>) outs(%d : {x}) {{
  ^one(%a: i32, %b: {t}):
    %p = arith.cmpi slt, %a, %z : i32{widen}
    linalg.yield {'%p' if t == 'i1' else '%w'} : {t}
  }} -> {x}""")
        read = "%y"
    body = "\n".join(lines)
    return f"""func.func @{name}(%x: tensor<{m}x{n}x{source}>) -> tensor<{out}{t}> {{
{body}
  %e = tensor.empty() : tensor<{out}{t}>
  %f = linalg.fill ins(%c : {t}) outs(%e : tensor<{out}{t}>) -> tensor<{out}{t}>
  %r = linalg.reduce {{ arith.{op} }} ins({read} : {x}) outs(%f : tensor<{out}{t}>) dimensions = [{dims}]
  return %r : tensor<{out}{t}>
}}
"""


def all_cases(types, sizes):
    for t in types:
        for op in COMBINERS:
            for m, n in sizes:
                for axis in (0, 1, None):
                    for compared in (False, True):
                        if not compared or (op in ("ori", "andi", "addi") and t in ("i1", "i8")):
                            yield op, t, m, n, axis, compared


def inputs(rng, op, t, m, n, compared):
    """What a wrong lane shows in: few of the values that decide everything."""
    if compared:
        return rng.integers(-2, 2, (m, n)).astype(np.int32)
    if t == "i1":
        few = rng.random((m, n)) < 0.5 / m
        return few if op in ("ori", "maxui", "minsi") else ~few if op in ("andi", "minui", "maxsi",
            "muli") else rng.random((m, n)) < 0.5
    end = 2 ** (int(t[1:]) - 1)
    x = rng.integers(-end, end, (m, n), TYPES[t], endpoint=False)
    return x | 1 if op == "muli" else x


def wanted(op, t, x, axis, compared):
    y = (x < 0).astype(TYPES[t]) if compared else x
    return np.asarray(fold(op, y, axis))


def libraries(compiler, folder, options, whole):
    bad = done = 0
    rng = np.random.default_rng(11)
    os.makedirs(folder, exist_ok=True)
    for t in TYPES:
        cases = list(all_cases([t], SIZES))
        if not whole:
            cases = cases[:: 7 if t == "i1" else 61]
        source, target = os.path.join(folder, f"{t}.mlir"), os.path.join(folder, f"{t}.so")
        with open(source, "w") as f:
            f.write("\n".join(function(f"f{i}", *case) for i, case in enumerate(cases)))
        subprocess.run([compiler, source, "-o", target, *options], check=True)
        functions = library.load(os.path.abspath(target))
        for i, (op, _, m, n, axis, compared) in enumerate(cases):
            x = inputs(rng, op, t, m, n, compared)
            got, want = functions[f"f{i}"](x)[0], wanted(op, t, x, axis, compared)
            done += 1
            # Of a bool, the byte is 0 or 1 and nothing else.
            if not np.array_equal(got.view(np.uint8) if t == "i1" else got, want.view(np.uint8) if t == "i1" else want):
                bad += 1
                print(
                    f"FAIL {op} {t} {m}x{n} axis={axis} compared={compared}: got "
                    f"{got.view(np.uint8) if t == 'i1' else got}, want {want}"
                )
    return done, bad


def emulated(emulate, types, sizes):
    bad = done = 0
    rng = np.random.default_rng(11)
    for op, t, m, n, axis, compared in all_cases(types, sizes):
        with tempfile.TemporaryDirectory() as folder:
            x = inputs(rng, op, t, m, n, compared)
            np.save(f"{folder}/x.npy", x)
            np.save(f"{folder}/y.npy", wanted(op, t, x, axis, compared))
            with open(f"{folder}/p.mlir", "w") as f:
                f.write(function("main", op, t, m, n, axis, compared))
            said = subprocess.run([sys.executable, emulate, f"{folder}/p.mlir", f"--input={folder}/x.npy",
                                   f"--expect={folder}/y.npy", "--tolerance=0"],
                                  capture_output=True, text=True, check=False)  # fmt: skip
        done += 1
        if said.returncode:
            bad += 1
            print(
                f"FAIL {op} {t} {m}x{n} axis={axis} compared={compared}: {said.stdout.strip()} "
                f"{said.stderr.strip()[:600]}"
            )
    return done, bad


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("compiler", nargs="?")
    p.add_argument("folder", nargs="?")
    p.add_argument("--cpu")
    p.add_argument("--policy", default="medium")
    p.add_argument("--emulate")
    p.add_argument("--all", action="store_true")
    p.add_argument("--types", default="i1,i8,i16,i32,i64")
    p.add_argument("--sizes", default="4x11")
    p.add_argument("--combiners")
    a = p.parse_args()
    if a.combiners:
        COMBINERS[:] = a.combiners.split(",")
    if a.emulate:
        done, bad = emulated(a.emulate, a.types.split(","), [tuple(map(int, s.split("x"))) for s in a.sizes.split(",")])
    else:
        done, bad = libraries(a.compiler, a.folder, [f"--policy={a.policy}", *([f"--cpu={a.cpu}"] if a.cpu else [])],
                              a.all)
    print(f"{done} reductions, {bad} wrong")
    return int(bad > 0 or not done)


if __name__ == "__main__":
    sys.exit(main())
