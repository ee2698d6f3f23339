"""Elements that have nothing to do with each other, whose rows become long ones, against NumPy. Numbers are small
integers, so results are exact.

  long_rows.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
OPTIONS = sys.argv[2:]
KINDS = {"f64": "f8", "f32": "f4", "f16": "f2", "i32": "i4", "i8": "i1"}

# The shape; which dimensions each other operand has: of the last ones alone, a row reads it again and again; the type.
# Periods of one less and one more than vectors of 8, 16 and 32 lanes, rows that are shorter than a vector, and none.
PROGRAMS = [
    ((14, 13, 7, 13, 2), ["ijklm", "i"], "f16"), ((7, 5, 3), ["k"], "f32"), ((100, 17), ["j", "i"], "f32"),
    ((1, 15), ["j"], "f32"), ((9, 1), ["j"], "f32"), ((3, 2, 2), ["k", "jk", "i"], "f32"), ((4, 31, 33), ["k"], "bf16"),
    ((2, 70, 7, 9), ["kl", "l", "j"], "bf16"), ((65, 127), ["j"], "f32"), ((65, 129), ["j"], "f32"),
    ((40, 16), ["j"], "f32"), ((33, 3), ["j"], "i8"), ((6, 50, 5), ["k", "ik"], "i32"), ((5, 6, 7), ["jk", "k"], "f64"),
    ((3, 1000, 19), ["k", "i"], "bf16"), ((2, 3, 11, 2), ["j", "ij"], "f32"), ((5, 4, 3), ["ki"], "f32"),
    ((0, 3), ["j"], "f32"), ((4, 0), ["j"], "f32"), ((2100, 31), ["j"], "f32"), ((4, 5000, 9), ["k"], "f16"),
]  # fmt: skip


def bits(x):
    """The nearest bf16, where numbers are exact."""
    return (x.astype("f4").view("u4") >> 16).astype("u2")


def save(path, x, t):
    np.save(path, bits(x) if t == "bf16" else x.astype(KINDS[t]))


def tensor(shape, t, known):
    return f"tensor<{''.join(f'{n}x' if known else '?x' for n in shape)}{t}>"


def program(shape, others, t, known):
    """x times each of the others but for the last, which is added."""
    names, row = "ijklm"[: len(shape)], len(shape) - 1
    sizes = dict(zip(names, shape))
    size = lambda d: str(sizes[d]) if known else "?"
    shapes = [shape, *(tuple(sizes[d] for d in o) for o in others)]
    types = [tensor(s, t, known) for s in shapes]
    arguments = ", ".join(f"%x{k}: {y}" for k, y in enumerate(types))
    reads = ", ".join(f"%x{k}[{', '.join(o)}] : {y}" for k, (o, y) in enumerate(zip([names, *others], types)))
    last = f"tensor<{size(names[row])}x{t}>"
    scalar = [names[row] not in o for o in [names, *others]]
    inside = ", ".join(f"%a{k}: {t if s else last}" for k, s in enumerate(scalar))
    kind = "f" if t[0] in "fb" else "i"
    body, v = [], "%a0"
    for k in range(1, len(shapes)):
        y = f"%a{k}"
        if scalar[k]:
            body.append(f"    %b{k} = sinter.broadcast %a{k} : {t} -> {last}")
            y = f"%b{k}"
        op = "add" if k == len(shapes) - 1 else "mul"
        body.append(f"    %v{k} = arith.{op}{kind} {v}, {y} : {last}")
        v = f"%v{k}"
    dims = [] if known else [f"  %c{d} = arith.constant {d} : index\n  %d{d} = tensor.dim %x0, %c{d} : {types[0]}"
                             for d in range(len(shape))]  # fmt: skip
    count = "" if known else ", ".join(f"%d{d}" for d in range(len(shape)))
    rows = ", ".join(f"{d} = {size(d)}" for d in names[:row])
    return "\n".join([
        f"func.func @main({arguments}) -> {types[0]} {{", *dims, f"  %e = tensor.empty({count}) : {types[0]}",
        f"  %y = sinter.rowwise ({rows}) by ({names[row]} = {size(names[row])}) ins({reads})",
        f"      outs(%e[{', '.join(names)}] : {types[0]}) {{", f"  ^row({inside}):", *body,
        f"    sinter.yield {v} : {last}", "  }", f"  return %y : {types[0]}", "}", ""]), shapes  # fmt: skip


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, n = np.random.default_rng(5), 0, 0
    for shape, others, t in PROGRAMS:
        for known in (True, False):
            text, shapes = program(shape, others, t, known)
            source, result = FOLDER / f"{n}.mlir", FOLDER / f"{n}_y.npy"
            source.write_text(text)
            x = [rng.integers(-3, 4, s) for s in shapes]
            want, names = x[0].astype("f8"), "ijklm"[: len(shape)]
            for k, o in enumerate(others):
                at = [names.index(d) for d in o]
                order = np.argsort(at)
                turned = x[k + 1].transpose(order).reshape([shape[d] if d in at else 1 for d in range(len(shape))])
                want = want + turned if k == len(others) - 1 else want * turned
            for k, v in enumerate(x):
                save(FOLDER / f"{n}_{k}.npy", v, t)
            inputs = [f"--input={FOLDER}/{n}_{k}.npy" for k in range(len(x))]
            subprocess.run(["sinter-run", source, *inputs, f"--output={result}", "--quiet", *OPTIONS], check=True)
            got = np.load(result)
            right = bits(want) if t == "bf16" else want
            if got.shape != shape or (got != right).any():
                wrong += 1
                print(f"{shape} {others} {t} {'known' if known else 'unknown'}: {int((got != right).sum())} differ")
            n += 1
    print(f"{n} programs, {wrong} wrong")


main()
