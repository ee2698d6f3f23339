"""Instructions of the compiler's passes for many programs, counted by valgrind: for bench/compile-time and test/limits.

All programs are compiled by copies of a few processes (test-instructions), which are translated once: what all of the
shapes take is counted in minutes. What a process takes to begin is not in it.
"""
import concurrent.futures
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARM = ("narrow", 1, False, ())  # what is compiled before anything is counted

# kind: two sizes, small enough that all are counted in minutes. A form grows to 64 operands and 512 operations, one
# merge after the other: where that is what grows, both sizes are beyond it.
SIZES = {
    "chain": (16, 64),
    "scale": (16, 64),
    "operations": (60, 240),
    "arguments": (80, 320),
    "results": (64, 256),
    "kernels": (16, 48),
    "functions": (10, 40),
    "gathers": (16, 64),
    "recurrent": (8, 24),
    "loops": (10, 40),
    "whiles": (10, 40),
    "branches": (10, 40),
    "nested": (10, 40),
    "concats": (64, 192),
    "transformer": (1, 4),
    "resnet": (2, 4),
    "fan_out": (30, 120),
    "readers": (10, 40),
    "fan_in": (30, 120),
    "reductions": (40, 160),
    "dag": (480, 1920),
    "mixed": (20, 80),
    "reshapes": (180, 720),
    "turned": (15, 60),
    "slices": (160, 480),
    "shrinking": (30, 120),
    "inserts": (100, 300),
    "replaced": (160, 320),
    "stacked": (64, 192),
    "split": (64, 128),
    "pads": (10, 40),
    "constants": (15, 60),
    "rnn": (16, 48),
    "embeddings": (40, 120),
    "heads": (10, 40),
    "graph": (5, 20),
    "residual": (4, 16),
    "norms": (12, 36),
    "narrow": (1, 6),
    "scans": (10, 40),
    "sorts": (8, 32),
    "tosa": (5, 20),
    "body": (60, 240),
    "operands": (64, 192),
    "elements": (50, 200),
    "apart": (60, 240),
    "widths": (16, 48),
    "windows": (3, 12),
    "carried": (40, 160),
    "chosen": (40, 160),
    "deep": (20, 80),
    "scatters": (10, 40),
    "sorted_apart": (5, 20),
    "tables": (5, 20),
    "pieces": (64, 128),
    "tree": (120, 360),
    "mini": (6, 24),
    "calls": (20, 80),
    "called": (20, 80),
    "unknown": (10, 40),
    "unknown_widths": (5, 20),
    "losses": (10, 40),
}

# What is counted of a shape, the same for all: the words of a program's first line (test/limits/instructions.c).
ROADS = {"CPU": ("target=cpu",), "GPU": ("target=gpu", "until=kernels")}
# And of some shapes: with LLVM behind the passes, where one function of machine code grows, and without kernels.
MORE = [
    ("library, CPU", ("target=cpu", "until=library"),
     ("operations", "arguments", "loops", "whiles", "branches", "nested", "concats", "body", "carried", "inserts")),
    ("library, GPU", ("target=gpu", "ptx", "until=library"), ("arguments", "concats", "operands", "inserts", "norms")),
    ("disabled, CPU", ("policy=disabled",), ("chain", "operations", "transformer", "readers", "inserts", "split")),
]


def program_of(kind, n, gradients):
    """Its text, and which arguments are weights: None where it has none that a loss may be differentiated by."""
    command = [sys.executable, ROOT / "bench" / "compile_programs", kind, str(n)] + (["--loss"] if gradients else [])
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    weights = text.rsplit("// wrt=", 1)[1].strip() if gradients and "// wrt=" in text else ""
    return text, "wrt=" + weights if weights else None


def write(folder, program):
    """The file of a program (kind, n, gradients, words of its first line); None where it has no gradients."""
    kind, n, gradients, words = program
    text, wrt = program_of(kind, n, gradients)
    if gradients and not wrt:
        return None
    words = [*words, *([wrt] if wrt else []), *(["input-dialect=tosa"] if kind == "tosa" else [])]
    path = folder / ("_".join([kind, str(n), "gradients" if gradients else "forward", *words]).replace("/", "_")[:99] +
                     ".mlir")
    path.write_text(f"// {' '.join(words)}\n{text}" if words else text)
    return path


def counted_by_one(tool, warm, files):
    """Of each file, its instructions; and what was said by those that do not compile."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", tool, warm, *files]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    counts = {pid: int(n.replace(",", "")) for pid, n in re.findall(r"==(\d+)== I +refs: +([\d,]+)", done.stderr)}
    named = {name: counts.get(pid) for pid, name in (line.split() for line in done.stdout.splitlines())}
    refused = [line for line in done.stderr.splitlines() if not line.startswith(("==", "--"))]
    begun = named.pop("-", None)
    return {pathlib.Path(name): (n - begun) / 1e9 for name, n in named.items() if n and begun}, refused


def count(folder, programs, tool="test-instructions", jobs=1):
    """Of each program that compiles, how many in 1e9; what has no gradients is None."""
    warm = write(folder, WARM)
    files = {program: write(folder, program) for program in programs}
    there = sorted((path for path in files.values() if path), key=lambda path: -path.stat().st_size)  # dealt out evenly
    parts = [part for part in (there[k::jobs] for k in range(jobs)) if part]
    found = {None: None}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for counts, refused in pool.map(lambda part: counted_by_one(tool, warm, part), parts):
            found.update(counts)
            print("\n".join(refused[:8]), file=sys.stderr, end="\n" if refused else "")
    return {program: found[path] for program, path in files.items() if path in found}


def exponent(few, many, ratio):
    return math.log(many / few) / math.log(ratio) if few and many else math.inf
