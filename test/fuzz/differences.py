"""Whether sinter-run's gradients of a program are what differences of its results say, as NumPy evaluates them."""

import os
import re
import subprocess
import tempfile
import threading
import zlib

import numpy as np
from common import ENVIRONMENT, crash
from expected import Expected, NoType
from judge import REPORTED, first_error
from oracle import Reported, Unsure, evaluate
from oracle.evaluate import tensor_type
from oracle.scalars import FLOATS, Number

POLICIES = ("aggressive", "medium", "disabled")
STEP = 1e-5  # of differences; half of it as well
FILES = {"f64": "f8", "f32": "f4"}
EPSILON = {"f64": 2.0 ** -52, "f32": 2.0 ** -23}


class Program(Expected):
    """A program, its inputs as files, and its results for other inputs."""

    def __init__(self, text, folder, sinter_opt):
        super().__init__(text, folder, sinter_opt)
        self.text, self.folder = text, folder
        self.floats = set(re.findall(r"\b(f32|f64)\b", text))  # in which it computes
        self.types = [tensor_type(t)[1] for _, t in self.function.blocks[0].arguments]

    def at(self, changed):
        """Results, with these inputs in place of some: argument -> float64."""
        inputs = [Number(changed[i], n.type) if i in changed else n for i, n in enumerate(self.inputs)]
        return evaluate(self.function, inputs)

    def has_nan(self):
        """Something on the way to the results is NaN: so may be gradients of what the results do not depend on."""
        values = {}
        evaluate(self.function, self.inputs, values)
        return any(v.type in FLOATS and np.isnan(v.v).any() for v in values.values())


def slope(program, result, weights, argument, direction):
    """The sum's derivative along the direction, and how far it may be off; None where nothing is known."""
    x = program.inputs[argument].v
    found = []
    for step in (STEP, STEP / 2):
        ends = [program.at({argument: x + s * direction})[result].v for s in (step, -step)]
        if not all(np.isfinite(e).all() for e in ends):
            return None
        found.append(float((weights * (ends[0] - ends[1])).sum()) / (2 * step))
    size = max(map(abs, found))
    off = abs(found[0] - found[1])
    return (found[1], off) if off <= 1e-5 * size + 1e-7 else None


class Judge:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.compared = self.tried = 0

    def call(self, *command):
        try:
            done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=self.options.timeout,
                                  check=False)
        except subprocess.TimeoutExpired:
            return -1000, f"error: no end after {self.options.timeout} s"
        return done.returncode, done.stderr.decode(errors="replace")

    def again(self, text, why):
        return (self(text) or "").partition("|")[0] == why

    def __call__(self, text):
        """None, or what is wrong: a class of failures, and after `|` what this program shows of it."""
        with tempfile.TemporaryDirectory(prefix="sinter-gradients-") as folder:
            try:
                program = Program(text, folder, os.path.join(self.options.bin, "sinter-opt"))
            except (ValueError, NoType) as e:
                return f"no program: {first_error(str(e))}"
            if program.results is None:
                return None
            file = os.path.join(folder, "program.mlir")
            with open(file, "w", encoding="utf-8") as f:
                f.write(text)
            for result, value in enumerate(program.results):
                if value.type in FILES and np.isfinite(value.v).all():
                    why = self.of_result(program, file, result)
                    if why:
                        return why
            return None

    def of_result(self, program, file, result):
        """Of one result's sum, by all arguments of floats."""
        wrt = [i for i, t in enumerate(program.types) if t in FILES and np.isfinite(program.inputs[i].v).all()]
        if not wrt:
            return None
        rng = np.random.default_rng(zlib.crc32(f"{program.text} {result}".encode()))
        value = program.results[result]
        weights = rng.normal(size=value.v.shape).astype(FILES[value.type])
        upstream = os.path.join(program.folder, "upstream.npy")
        np.save(upstream, weights)
        policy = POLICIES[zlib.crc32(program.text.encode()) % len(POLICIES)]
        outputs = [os.path.join(program.folder, f"out{i}.npy") for i in range(len(program.results) + len(wrt))]
        code, err = self.call(os.path.join(self.options.bin, "sinter-run"), file, f"--policy={policy}", "--threads=1",
                              f"--wrt={','.join(map(str, wrt))}", "--upstream", f"--result={result}",
                              *[f"--input={f}" for f in [*program.files, upstream]],
                              *[f"--output={o}" for o in outputs])
        if code == REPORTED:
            return None
        if code:
            return crash(code, err) or f"refused: {first_error(err)}"
        for k, argument in enumerate(wrt):
            why = self.by_argument(program, result, weights.astype(np.float64), argument,
                                   np.load(outputs[len(program.results) + k]).astype(np.float64), rng)
            if why:
                return f"wrong gradient by {policy}|result {result} by argument {argument}: {why}"
        return None

    def by_argument(self, program, result, weights, argument, gradient, rng):
        x = program.inputs[argument].v
        if gradient.shape != x.shape:
            return f"its shape is {gradient.shape}, the argument's {x.shape}"
        direction = rng.normal(size=x.shape)
        with self.lock:
            self.tried += 1
        try:
            want = slope(program, result, weights, argument, direction)
        except (Reported, Unsure):
            return None
        if want is None or not x.size:
            return None
        got = float((gradient * direction).sum())
        if np.isnan(got) and program.has_nan():
            return None
        with self.lock:
            self.compared += 1
        # What rounding makes of the gradients, and of what the program computes on the way to them.
        size = float(np.abs(gradient * direction).sum()) + abs(want[0])
        epsilon = max(EPSILON[t] for t in {program.types[argument], program.results[result].type, *program.floats})
        bound = 100 * want[1] + 1e-6 * size + 1e-6 + 2000 * epsilon * (size + 1)
        return None if abs(got - want[0]) <= bound else f"{got!r} along a direction, {want[0]!r} by differences"
