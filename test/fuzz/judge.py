"""Whether sinter-run is right about a program: against NumPy where the oracle reads it, against itself always."""

import array
import math
import os
import re
import subprocess
import tempfile
import threading

import blocks
import expected
from common import CRASH, ENVIRONMENT, crash

# Ways of compiling and running, beside aggressive with one thread and with more, whose bits must be equal.
ROADS = [["--policy=medium", "--threads=2"], ["--policy=disabled", "--threads=1"],
         ["--policy=aggressive", "--threads=2", "--cpu=haswell"],
         ["--policy=medium", "--threads=1", "--cpu=haswell"],
         ["--blocks=fused", "--policy=medium", "--threads=2"],
         ["--blocks=fused", "--policy=aggressive", "--threads=1", "--cpu=haswell"]]
# The same of a program in kernel forms; what begins with --sinter- is for sinter-opt. --blocks: with other blocks of
# products (blocks.py), of the forms as they are written or as fusion makes them.
FORM_ROADS = [["--policy=disabled", "--threads=1"], ["--sinter-split", "--policy=aggressive", "--threads=2"],
              ["--sinter-split=keep-sides", "--sinter-decompose", "--policy=medium", "--threads=1"],
              ["--policy=medium", "--threads=2"], ["--policy=aggressive", "--threads=2", "--cpu=haswell"],
              ["--sinter-simplify", "--sinter-decompose", "--policy=medium", "--threads=1"],
              ["--blocks=written", "--policy=medium", "--threads=2"],
              ["--blocks=fused", "--policy=aggressive", "--threads=2"],
              ["--blocks=written", "--policy=aggressive", "--threads=1", "--cpu=haswell"]]
REPORTED = 3  # sinter-run's exit code when an assert of the program fails


def first_error(err):
    """The first error's words, without places and numbers; of the verifier, as that."""
    for line in err.splitlines():
        if "error:" in line:
            text = re.sub(r"'[^']*'|\"[^\"]*\"", "_",
                          line.split("error:", 1)[1].strip()) if "' op " not in line else line.split("error:",
                              1)[1].strip()
            return re.sub(r"[0-9]+|tensor<.*?>|memref<.*?>|%\w+", "N", text)[:110]
    return err.strip()[:80]


def read_npy(path):
    """(element type, elements as numbers)"""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    kind = re.search(rb"'descr': *'[<|=](\w+)'", data[:start]).group(1).decode()
    code = {"f4": "f", "f8": "d", "i8": "q", "i4": "i", "V2": "H", "b1": "B", "u1": "B", "i1": "b", "i2": "h"}[kind]
    values = array.array(code, data[start:])
    if kind == "V2":
        values = array.array("f", array.array("I", [v << 16 for v in values]).tobytes())
    return kind, values


def differ(got, want, tolerance):
    """Why two results are not the same, or None."""
    (kind, x), (other, y) = read_npy(got), read_npy(want)
    if kind != other or len(x) != len(y):
        return "types or sizes"
    if kind not in ("f4", "f8", "V2"):
        return None if x == y else "integers"
    if kind == "V2":
        tolerance = max(tolerance, 5e-2)
    difference = norm = 0.0
    for a, b in zip(x, y):
        if math.isfinite(a) and math.isfinite(b):
            difference += (a - b) ** 2
            norm += b * b
        elif not (a == b or (math.isnan(a) and math.isnan(b))):
            return "infinities or NaN"
    # Values are of order one, so what is much smaller is rounding.
    return None if math.sqrt(difference) <= tolerance * (math.sqrt(norm) + math.sqrt(len(x))) else "numbers"


class Judge:
    def __init__(self, options):
        self.options = options
        self.tool = os.path.join(options.bin, "sinter-run")
        self.opt = os.path.join(options.bin, "sinter-opt")
        self.wide = options.threads[1:]
        self.lock = threading.Lock()
        # Programs that NumPy evaluated, that it says must report, of which it knows nothing; elements compared, and
        # all.
        self.counts = dict.fromkeys(("compared", "reported", "unknown", "known", "elements", "scheduled", "products",
                                     "chains", "streams", "sides"), 0)

    def call(self, *command):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
                                  timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return -1000, f"error: no end after {self.options.timeout} s", b""
        return done.returncode, done.stderr.decode(errors="replace"), done.stdout

    def other_blocks(self, file, how, road):
        """The program's file with other blocks, None if it has no products, or why it cannot be scheduled."""
        haswell = "--cpu=haswell" in road
        schedule = "--sinter-schedule=features=" + ("avx2,fma" if haswell else blocks.features())
        width = ["vector-bits=256 registers=16"] if haswell else []
        schedule = " ".join([schedule, *width])
        if how == "written":
            code, err, text = self.call(self.opt, file, "--sinter-simplify", schedule)
            if code and "sinter-split=target=cpu" in err:  # a side of it has columns in both, which no schedule takes
                code, err, text = self.call(self.opt, file, "--sinter-simplify", "--sinter-split=target=cpu", schedule)
        else:
            code, err, text = self.call(self.tool, file, "--emit=scheduled", *[a for a in road if "threads" not in a])
        if code:
            return code, err
        made = f"{file}.{how}{'-haswell' * haswell}.mlir"

        def runs(text):
            with open(made, "w") as f:
                f.write(text)
            return not self.call(self.opt, made, schedule, "-o", os.devnull)[0]

        text = blocks.other_blocks(text.decode(), runs)
        if text is None:
            return None
        with self.lock:
            self.counts["scheduled"] += 1
            for name, n in blocks.counted(text).items():
                self.counts[name] += n
        with open(made, "w") as f:
            f.write(text)
        return made

    def run(self, file, *arguments):
        """(exit code, messages); None of a program for which there is no such road."""
        how = next((a[9:] for a in arguments if a.startswith("--blocks=")), None)
        if how:
            arguments = [a for a in arguments if not a.startswith("--blocks=")]
            file = self.other_blocks(file, how, [a for a in arguments if not a.startswith(("--input", "--output"))])
            if not isinstance(file, str):
                return file
        passes = [a for a in arguments if a.startswith("--sinter-")]
        if passes:
            made = file + "".join(passes) + ".mlir"
            code, err, _ = self.call(self.opt, file, *passes, "-o", made)
            if code:
                return code, err
            file, arguments = made, [a for a in arguments if a not in passes]
        return self.call(self.tool, file, *arguments)[:2]

    def spelled(self, file):
        """What is wrong with the ways of writing a program: pretty, generic and bytecode are one."""
        first = None
        for i, how in enumerate(([], ["--mlir-print-op-generic"], ["--emit-bytecode"])):
            made = f"{file}.{i}"
            code, err, _ = self.call(self.opt, file, *how, "-o", made)
            if not code:
                code, err, text = self.call(self.opt, made)
            if code:
                return self.name(code, err) or f"refused: {first_error(err)}"
            first = first or text
            if text != first:
                return f"another program{' '.join(['', *how])}"
        return None

    def again(self, text, why):
        """Whether a program still fails in the same way."""
        road = why.partition(" by ")[2].split()
        return (self(text, [road] if road else []) or "").partition("|")[0] == why

    def __call__(self, text, roads=None):
        """None, or what is wrong with the program: a class of failures, and after `|` what this program shows of it."""
        with tempfile.TemporaryDirectory(prefix="sinter-fuzz-") as folder:
            file = os.path.join(folder, "program.mlir")
            with open(file, "w") as f:
                f.write(text)
            by_numpy = expected.available() and not self.options.no_numpy
            head = text[:text.index("{\n")]
            results = head[head.rindex("->"):].count("tensor<") if "->" in head else 0
            outputs = lambda name: [os.path.join(folder, f"{name}{i}.npy") for i in range(results)]
            return self.by_numpy(text, file, folder, outputs, roads) if by_numpy else self.by_ourselves(text,
                file, outputs)

    # ---- against NumPy ------------------------------------------------------------------------

    def by_numpy(self, text, file, folder, outputs_of, roads):
        try:
            want = expected.Expected(text, folder, self.opt)
        except ValueError as e:
            return f"no program: {first_error(str(e))}"
        except expected.NoType:
            return self.by_ourselves(text, file, outputs_of)
        known, elements = want.elements()
        with self.lock:
            self.counts["compared" if want.results is not None else "reported" if want.reported else "unknown"] += 1
            self.counts["known"] += known
            self.counts["elements"] += elements
        inputs = [f"--input={f}" for f in want.files]
        forms = "sinter." in text
        if roads is None:
            every = FORM_ROADS if forms else ROADS
            pick = sum(map(ord, text)) % len(every)
            roads = every if self.options.every_road else every[pick:pick + 1]
            roads = [road for road in roads if self.options.roads in " ".join(road)]
            why = self.spelled(file) if forms and not self.options.roads else None
            if why:
                return why
        roads = [["--policy=aggressive", f"--threads={n}"] for n in self.options.threads] + roads
        first = None
        for i, road in enumerate(roads):
            outputs = outputs_of(f"road{i}-")
            done = self.run(file, *road, *inputs, *[f"--output={o}" for o in outputs])
            if not done:
                continue
            code, err = done
            name = "" if i < len(self.options.threads) else " by " + " ".join(road)
            why = self.wrong(want, code, err, outputs)
            if why:
                if why.startswith("refused") and i == 0 and self.run(file, "--policy=disabled", *inputs)[0]:
                    return "both policies: " + why
                kind, bar, rest = why.partition("|")
                return f"{kind}{name}{bar}{rest}"
            if code == 0 and 0 < i < len(self.options.threads):
                for a, b in zip(first, outputs):
                    with open(a, "rb") as f, open(b, "rb") as g:
                        if f.read() != g.read():
                            return f"bits differ with {road[1][10:]} threads"
            first = first or outputs
        return None

    def wrong(self, want, code, err, outputs):
        if want.reported:
            if code == REPORTED and "error: " in err:
                return None
            return self.name(code, err) or f"no report|NumPy: {want.reported}"
        if want.results is None and code in (0, REPORTED):
            return None
        bad = self.name(code, err)
        if bad:
            return bad
        why = want.differ(outputs)
        return why and "wrong " + why

    # ---- against the same program without our kernels -------------------------------------------

    def by_ourselves(self, text, file, outputs):
        drawn = ["--seed=5"] + (["--high=8"] if re.search(r"%\w+: tensor<[\dx]*i\d+>",
                                                          text[:text.index("{\n")]) else [])
        where = lambda name: [f"--output={o}" for o in outputs(name)]
        code, err = self.run(file, *drawn, "--policy=aggressive", f"--threads={self.options.threads[0]}", "--verify",
                             *where("a"))
        bad = self.name(code, err)
        if bad and not bad.startswith("wrong"):
            # Of a program that no road takes, the generator is to blame, or upstream.
            other, _ = self.run(file, *drawn, "--policy=disabled")
            return bad if other == 0 else "both policies: " + bad
        if bad:
            code, err = self.run(file, *drawn, "--policy=disabled", "--threads=1", *where("d"))
            if code:
                return "policy=disabled: " + (self.name(code, err) or "")
            tolerance = 5e-2 if "bf16" in text else 1e-3 if "f32" in text else 1e-8
            reasons = [why for why in map(lambda p: differ(*p, tolerance), zip(outputs("a"), outputs("d"))) if why]
            if reasons:
                return f"wrong {reasons[0]}"
        for threads in self.wide:
            code, err = self.run(file, *drawn, "--policy=aggressive", f"--threads={threads}", *where("t"))
            if code:
                return f"with {threads} threads: {self.name(code, err)}"
            for a, t in zip(outputs("a"), outputs("t")):
                with open(a, "rb") as f, open(t, "rb") as g:
                    if f.read() != g.read():
                        return f"bits differ with {threads} threads"
        return None

    def name(self, code, err):
        if code == 0 and not CRASH.search(err):
            return None
        if code == -1000:
            return "no end"
        return crash(code, err) or ("wrong" if code == 5 else f"refused: {first_error(err)}" if code == 2
                                    else f"failed: {first_error(err)}")
