"""Inputs for a program, what NumPy says that it gives, and whether a compiler's results are that."""

import os
import random
import re
import shutil
import subprocess
import zlib

try:
    import numpy as np
    from oracle import Reported, Unsure, evaluate, parse
    from oracle.evaluate import tensor_type
    from oracle.scalars import FLOATS, Number
except ImportError:
    np = None

STOCK = os.environ.get("MLIR_OPT") or shutil.which("mlir-opt-22") or "/usr/lib/llvm-22/bin/mlir-opt"
FILES = {"f64": "f8", "f32": "f4", "f16": "f2", "bf16": "V2", "i1": "?", "i8": "i1", "i16": "i2", "i32": "i4",
         "i64": "i8"}


class NoType(Exception):
    """A type that no array holds."""


def available():
    return np is not None and os.path.exists(STOCK)


def to_bf16(x):
    u = np.atleast_1d(np.asarray(x, np.float32)).view(np.uint32).reshape(np.shape(x))
    return np.where(np.isnan(x), 0x7FC0, (u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(x):
    return (np.atleast_1d(x).astype(np.uint32) << 16).view(np.float32).reshape(x.shape)


def draw(rng, kind, shape, type):
    """Elements of an input: near 0, whole, with specials among them (`corners`: no largest number, which a factor that
    leaves a sum of products may make infinite), or of any size."""
    n = int(np.prod(shape))
    if type == "i1":
        return (rng.random(n) < rng.choice((0.1, 0.5, 0.9, 1.0))).reshape(shape)
    if type not in FLOATS:
        bits = int(type[1:])
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        x = rng.integers(0, 8, n) if kind == "normal" else rng.integers(-20, 20,
            n) if kind != "extremes" else rng.integers(low, high, n, endpoint=True)
        if kind in ("specials", "corners"):
            x = np.where(rng.random(n) < 0.15, rng.choice(np.array([low, high, -1, low + 1]), n), x)
        return x.astype(FILES[type]).reshape(shape)
    _, largest, least = FLOATS[type]
    x = rng.normal(size=n) * rng.choice((1, 1, 3))
    if kind == "whole":
        x = np.rint(x * 2)
    if kind == "extremes":
        x = x * 10.0 ** rng.uniform(*((-4, 4) if type == "f16" else (-30, 30)), n)
    if kind in ("specials", "corners", "extremes"):
        some = [0.0, -0.0, np.inf, -np.inf, np.nan, least / 4, -least / 4, least, 1.0, -1.0]
        some += [] if kind == "corners" else [largest, -largest]
        some = rng.choice(some, rng.integers(1, 5))
        x = np.where(rng.random(n) < rng.choice((0.02, 0.15)), rng.choice(some, n), x)
    with np.errstate(over="ignore"):
        x = x.reshape(shape)
        return to_bf16(x) if type == "bf16" else x.astype(FILES[type])


def as_number(x, type):
    if type == "bf16":
        return Number(from_bf16(x), type)
    return Number(-x.astype(np.int64) if type == "i1" else x, type)


class Expected:
    """A program's inputs, as files in a folder, and its results: numbers, `reported`, or None where nothing is
    known."""

    def __init__(self, text, folder, sinter_opt):
        command = [sinter_opt] if "sinter." in text else [STOCK, "--linalg-generalize-named-ops"]
        done = subprocess.run([*command, "--mlir-print-op-generic"], input=text, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise ValueError(done.stderr)
        function = parse(done.stdout)
        m = re.search(r"(?m)^// inputs: (\w+) (\d+)", text)
        kind, seed = (m[1], int(m[2])) if m else ("normal", 5)
        # What the sizes `?` of each argument are.
        given = re.search(r"(?m)^// sizes: (.*)", text)
        given = [[int(n) for n in a.split("x")[:-1]] for a in given[1].split(", ")] if given else None
        self.function, self.files, self.inputs = function, [], []
        for i, (_, t) in enumerate(function.blocks[0].arguments):
            shape, type = tensor_type(t)
            shape = given[i] if given else shape
            if type not in FILES:
                raise NoType(type)
            x = draw(np.random.default_rng(zlib.crc32(f"{seed} {i} {t}".encode())), kind, shape, type)
            self.files.append(os.path.join(folder, f"in{i}.npy"))
            np.save(self.files[-1], x.view("V2") if type == "bf16" else x)
            self.inputs.append(as_number(x, type))
        self.results, self.reported, self.why = None, None, None
        try:
            self.results = evaluate(function, self.inputs)
        except Reported as e:
            self.reported = str(e)
        except Unsure as e:
            self.why = str(e)

    def elements(self):
        """(how many results are known, how many there are)"""
        if self.results is None:
            return 0, 0
        return sum(int((~np.isinf(r.e)).sum()) for r in self.results), sum(r.v.size for r in self.results)

    def slacks(self):
        """For each result, how far each element may be from what it should be; infinite where that is not known."""
        slacks = []
        for want in self.results:
            slack = np.where(np.isinf(want.e), np.inf, 0.0)
            if want.type in FLOATS:
                bits, _, least = FLOATS[want.type]
                with np.errstate(all="ignore"):
                    rounded = np.where(want.e > 0, np.abs(want.v) * 2.0 ** -bits, 0)
                    slack = slack + np.where(np.isinf(want.e), 0, 2 * want.e) + np.where(np.isfinite(rounded), rounded,
                        0) + (least if want.type == "bf16" else 0)
            slacks.append(slack)
        return slacks

    def differ(self, paths):
        """Why the files do not hold the expected results, or None."""
        for path, want, slack in zip(paths, self.results, self.slacks()):
            x = np.load(path)
            if x.shape != want.v.shape:
                return f"shape {x.shape}, not {want.v.shape}"
            got = from_bf16(x.view(np.uint16)).astype(np.float64) if want.type == "bf16" else x
            known = ~np.isinf(want.e)
            if want.type in FLOATS:
                got = got.astype(np.float64)
                with np.errstate(all="ignore"):
                    same = np.where(np.isfinite(want.v), np.abs(got - want.v) <= slack,
                                    (got == want.v) | (np.isnan(got) & np.isnan(want.v)))
            else:
                same = (got != 0) == (want.v != 0) if want.type == "i1" else got == want.v
            bad = known & ~same
            if bad.any():
                at = tuple(int(i) for i in np.argwhere(bad)[0])
                g, w = got[at], want.v[at]
                what = "numbers" if want.type not in FLOATS or (np.isfinite(g)
                                                                and np.isfinite(w)) else "infinities or NaN"
                return (
                    f"{what} of {want.type}|result at {at}: {g!r}, expected {w!r} within {want.e[at]:.3g}; "
                    f"{int(bad.sum())} of {bad.size}"
                )
        return None
