"""Programs of more elements, and bytes, than 64 bits count, through both roads: one process for each road.

Usage: sizes.py --bin=FOLDER [--print]

Nobody runs them, but a compiler that multiplies their sizes must not overflow: a build with UBSan ends there, any
other may write a schedule that its own verifier refuses.
"""

import argparse
import itertools
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")  # upstream keeps what it registers

MOST, ROOT, BYTES = 2**63 - 1, 3037000500, 2**60  # the largest size; whose square is more than that; 2^63 bytes of f64


def tensor(shape, element):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def program(inputs, output, operation, element, fill):
    """A function of one operation on tensors of these shapes."""
    types, out = [tensor(s, element) for s in inputs], tensor(output, element)
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(types))
    ins = f"ins({', '.join(f'%x{i}' for i in range(len(types)))} : {', '.join(types)})"
    lines = [f"%e = tensor.empty() : {out}"]
    if fill:
        lines += [f"%z = arith.constant 0.0 : {element}",
                  f"%f = linalg.fill ins(%z : {element}) outs(%e : {out}) -> {out}"]
    # Of named operations the result's type is written, of the others it is not.
    name, _, rest = operation.partition(" ")
    inferred = name in ("linalg.reduce", "linalg.transpose")
    before, after = (rest, "") if rest.startswith(("{", "dimension(")) else ("", rest)
    if name == "linalg.reduce":
        before, _, after = rest.partition("} ")
        before += "}"
    lines.append(f"%y = {name} {before} {ins} outs({'%f' if fill else '%e'} : {out}) {after}" + ("" if inferred
        else f" -> {out}"))
    return f"func.func @main({arguments}) -> {out} {{\n  " + "\n  ".join(lines) + f"\n  return %y : {out}\n}}\n"


def rows():
    for m, n in [(3, MOST), (MOST, 3), (ROOT, ROOT), (MOST, MOST), (BYTES, BYTES), (1, MOST), (MOST, 1), (0, MOST),
                 (MOST, 0)]:
        yield program([(m, n)], (m, n), "linalg.exp", "f32", False)
        yield program([(m, n)], (n, m), "linalg.transpose permutation = [1, 0]", "f64", False)
        for dims in ([0], [1], [0, 1]):
            kept = [s for d, s in enumerate((m, n)) if d not in dims]
            yield program([(m, n)], kept, f"linalg.reduce {{ arith.addf }} dimensions = {dims}", "f32", True)


def softmax():
    for m, n in [(3, MOST), (MOST, 3), (ROOT, ROOT), (MOST, MOST), (0, MOST), (MOST, 0)]:
        yield program([(m, n)], (m, n), "linalg.softmax dimension(1)", "f32", False)


def products():
    sizes = [(3, 5, MOST), (3, MOST, 5), (MOST, 3, 5), (ROOT, ROOT, ROOT), (MOST, MOST, MOST), (0, MOST, MOST),
             (64, BYTES, 64),
             (1, MOST, MOST), (MOST, 0, MOST), (600, MOST, 4)]
    for (m, k, n), element in itertools.product(sizes, ("f32", "bf16")):
        yield program([(m, k), (k, n)], (m, n), "linalg.matmul", element, True)
    for b, m, k, n in [(3, 3, 5, MOST), (MOST, 3, 5, 7), (ROOT, 3, ROOT, 5), (MOST, MOST, MOST, MOST),
                       (5, 600, 5, MOST), (MOST, MOST, 0, 3)]:
        yield program([(b, m, k), (b, k, n)], (b, m, n), "linalg.batch_matmul", "f32", True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", type=pathlib.Path, required=True)
    ap.add_argument("--print", action="store_true", help="the programs, and nothing else")
    a = ap.parse_args()
    # There are no products on a GPU yet, and linalg.softmax stays outside of its kernels.
    roads = {"--sinter-cpu": [*rows(), *softmax(), *products()], "--sinter-gpu": [*rows()]}
    tried = failed = 0
    for road, programs in roads.items():
        text = "// -----\n".join(programs)
        if a.print:
            print(text)
            continue
        tried += len(programs)
        done = subprocess.run([a.bin / "sinter-opt", "--split-input-file", road, "-", "-o", os.devnull], input=text,
                              capture_output=True, text=True)
        if done.returncode:
            failed += max(1, done.stderr.count(" error: "))
            print(f"{road}: exit code {done.returncode}\n{done.stderr[:4000]}")
    if not a.print:
        print(f"{tried} tried, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
