#!/usr/bin/env python3
"""Whether the compiler's own work grows as programs do: it is counted, not timed.

  growth.py KIND ... [--gradients] [--options=TEXT] [--passes=PIPELINE] [--library] [--exponent=1.1] [--each=1.5]
            [--few=FUNCTION] [--instructions]

Compiles programs of bench/compile_programs at two sizes with test-counting-opt, and compares how often the functions
of counted.inc and upstream.inc were called. All calls together grow at most with --exponent. A single function may do
with a few calls more, as a heap's comparisons do, but not with the square: more than --each fails, by its name. What is
called less than a few times for each operation is too little to tell. With --passes calls of these alone are counted;
$wrt stands for sinter-differentiate's option. With --library a whole library is made, and what LLVM's optimiser sees
behind each function (references.c) counts too.

With --instructions valgrind counts those of the passes in place of calls (test-instructions): what upstream's take is
in it. All programs are compiled by copies of one process, so that some are counted in minutes. --options are those of
sinter-cc then: "ptx policy=disabled".
"""
import argparse
import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import compile_counts  # pylint: disable=wrong-import-position

# kind: what a test compiles, of two sizes
SIZES = {
    "chain": (60, 240),
    "scale": (60, 240),
    "operations": (120, 480),
    "arguments": (100, 400),
    "results": (60, 240),
    "kernels": (24, 96),
    "functions": (40, 160),
    "gathers": (40, 160),
    "recurrent": (20, 80),
    "loops": (20, 80),
    "whiles": (20, 80),
    "branches": (20, 80),
    "nested": (20, 80),
    "concats": (64, 256),
    "transformer": (2, 8),
    "resnet": (4, 16),
    "fan_out": (60, 240),
    "readers": (40, 160),
    "fan_in": (60, 240),
    "reductions": (240, 960),
    "dag": (480, 1920),
    "mixed": (80, 320),
    "reshapes": (60, 240),
    "turned": (60, 240),
    "slices": (240, 960),
    "shrinking": (120, 480),
    "inserts": (100, 400),
    "replaced": (160, 640),
    "stacked": (60, 240),
    "split": (60, 240),
    "pads": (40, 160),
    "constants": (60, 240),
    "rnn": (20, 80),
    "embeddings": (80, 320),
    "heads": (12, 48),
    "graph": (20, 80),
    "residual": (20, 80),
    "norms": (12, 48),
    "narrow": (6, 24),
    "scans": (40, 160),
    "sorts": (40, 160),
    "tosa": (20, 80),
    "body": (250, 1000),
    "operands": (64, 192),
    "elements": (100, 400),
    "apart": (60, 240),
    "widths": (20, 80),
    "windows": (20, 80),
    "carried": (40, 160),
    "chosen": (40, 160),
    "deep": (10, 40),
    "scatters": (20, 80),
    "sorted_apart": (20, 80),
    "tables": (20, 80),
    "pieces": (60, 240),
    "tree": (60, 240),
    "mini": (15, 60),
    "calls": (20, 80),
    "called": (40, 160),
    "unknown": (20, 80),
    "unknown_widths": (20, 80),
    "losses": (20, 80),
}


def at_fixed_addresses():
    """Tables are hashed by addresses: with the same ones a program has the same counts each time."""
    no_random_addresses = 0x0040000  # personality(2): ADDR_NO_RANDOMIZE
    libc = ctypes.CDLL(None)
    if (now := libc.personality(0xFFFFFFFF)) >= 0:
        libc.personality(now | no_random_addresses)


def work(options, kind, n):
    """Of each function, how often it was called."""
    program, wrt = compile_counts.program_of(kind, n, options.gradients)
    wrt = wrt or ""
    dialect = "input=tosa" if kind == "tosa" else ""
    road = f"--sinter-{options.target}={options.options} {wrt} {dialect}"
    if options.passes:
        road = f"--pass-pipeline=builtin.module({options.passes.replace('$wrt', wrt)})"
    tool = ["test-counting-cc", "-", "-o", "counted.o"] if options.library else [
        "test-counting-opt", road, "--mlir-disable-threading", "-o", "/dev/null"]
    done = subprocess.run(tool, input=program, stderr=subprocess.PIPE, check=False, text=True,
                          preexec_fn=at_fixed_addresses)
    lines = done.stderr.splitlines()
    if done.returncode:
        sys.exit(f"{kind} {n}: not compiled: {' '.join(lines[:3])}")
    counts = [line.split() for line in lines]
    return {words[1]: int(words[0]) for words in counts if len(words) == 2 and words[0].isdigit()}


def show_instructions(options):
    """How many kinds grow faster than they may, or do not compile."""
    words = (f"target={options.target}", *options.options.split())
    pairs = {kind: tuple(int(n * options.scale) for n in SIZES[kind]) for kind in options.kinds}
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        programs = [(kind, n, options.gradients, words) for kind, pair in pairs.items() for n in pair]
        counted = compile_counts.count(pathlib.Path(name), programs)
    for kind, pair in pairs.items():
        a, b = (counted.get((kind, n, options.gradients, words)) for n in pair)
        total = compile_counts.exponent(a, b, pair[1] / pair[0])
        wrong += total > options.exponent
        print(f"| {kind} | {pair[0]}, {pair[1]} | {a or 0:.2f}, {b or 0:.2f} | {total:.2f} |")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="+", choices=SIZES, metavar="KIND")
    parser.add_argument("--gradients", action="store_true", help="of programs of layers: by all weights")
    parser.add_argument("--target", default="cpu", choices=("cpu", "gpu"))
    parser.add_argument("--options", default="", help="of sinter-cpu, or sinter-gpu")
    parser.add_argument("--passes", default="", help="of these passes, in place of sinter-cpu's")
    parser.add_argument("--library", action="store_true", help="of sinter-cc, on its own options")
    parser.add_argument("--exponent", type=float, default=1.1)
    parser.add_argument("--each", type=float, default=1.5)
    parser.add_argument("--few", default="", metavar="FUNCTION", help="fail where it is called for every second of n")
    parser.add_argument("--instructions", action="store_true", help="count these in place of calls: minutes")
    parser.add_argument("--scale", type=float, default=1, help="programs of this part of their size")
    parser.add_argument("--show", action="store_true", help="print each function's exponent")
    options = parser.parse_args()
    if options.instructions:
        sys.exit(1 if show_instructions(options) else 0)
    wrong = 0
    for kind in options.kinds:
        few, many = (int(n * options.scale) for n in SIZES[kind])
        before, after = work(options, kind, few), work(options, kind, many)
        if not sum(before.values()):
            sys.exit(f"{kind}: nothing was counted")
        rows = []
        for name, count in after.items():
            exponent = math.log(max(count, 1) / max(before[name], 1)) / math.log(many / few)
            if count > 8 * many:
                rows.append((exponent, name, before[name], count))
        rows.sort(reverse=True)
        if after.get(options.few, 0) > many / 2:
            print(f"  {options.few}: {after[options.few]}, not few")
            wrong += 1
        total = math.log(sum(after.values()) / sum(before.values())) / math.log(many / few)
        wrong += total > options.exponent
        print(f"{kind}: {sum(after.values())} calls for {many}, exponent {total:.2f}, {rows[0][1]} {rows[0][0]:.2f}")
        for exponent, name, a, b in rows:
            over = exponent > options.each
            wrong += over
            if over or options.show:
                print(f"  {name}: {a} -> {b}, exponent {exponent:.2f}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
