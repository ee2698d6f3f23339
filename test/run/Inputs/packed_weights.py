"""Weights that are packed before the program runs: constants in the library or in a file beside it, and arguments
that a function of the library packs. Numbers are small integers, so results are exact.

  packed_weights.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
CPU = sys.argv[2:]
ACCUMULATORS = {"f32": "f32", "bf16": "f32", "f16": "f32", "f64": "f64", "i8": "i32"}

# Rows, columns, what is summed; how the weights lie; the type. One less and one more than blocks and tiles are.
PRODUCTS = [
    (5, 63, 255, "k, j", "f32"), (40, 65, 257, "j, k", "f32"), (1, 17, 31, "k, j", "f32"),
    (33, 129, 2, "j, k", "f32"), (7, 64, 1030, "k, j", "f32"), (70, 48, 513, "k, j", "f32"),
    (3, 1, 40, "j, k", "f32"), (31, 130, 100, "j, k", "bf16"), (17, 66, 97, "k, j", "bf16"),
    (40, 15, 31, "k, j", "bf16"), (66, 33, 700, "j, k", "bf16"), (20, 70, 601, "k, j", "i8"),
    (33, 16, 63, "j, k", "i8"), (9, 100, 1025, "j, k", "i8"), (35, 40, 70, "j, k", "f16"),
    (6, 33, 65, "k, j", "f64"),
]  # fmt: skip


def save(path, x, t):
    kinds = {"f32": "f4", "f64": "f8", "f16": "f2", "i8": "i1", "i32": "i4"}
    np.save(path, (x.astype("f4").view("u4") >> 16).astype("u2") if t == "bf16" else x.astype(kinds[t]))


def tensor(shape, t):
    return f"tensor<{'x'.join(map(str, shape))}x{t}>"


def product(n, m, columns, summed, layout, t):
    """Text of one product of %x{n} and %w{n}, their shapes, and what it is."""
    rng = np.random.default_rng(n)
    w_shape = (summed, columns) if layout == "k, j" else (columns, summed)
    x, w = rng.integers(-4, 5, (m, summed)), rng.integers(-4, 5, w_shape)
    total = ACCUMULATORS[t]
    add = "arith.addf" if total[0] == "f" else "arith.addi"
    text = f"""
  %e{n} = tensor.empty() : {tensor((m, columns), total)}
  %y{n} = sinter.contract (i = {m}) by (j = {columns}) product (k = {summed})
      (%x{n}[i, k] : {tensor(x.shape, t)}, %w{n}[{layout}] : {tensor(w.shape, t)}) : {total}
      outs(%e{n}[i, j] : {tensor((m, columns), total)}) {{
  ^row(%p: {tensor((columns,), total)}):
    %s = {add} %p, %p : {tensor((columns,), total)}
    sinter.yield %s : {tensor((columns,), total)}
  }}"""
    return text, x, w, 2 * (x @ (w if layout == "k, j" else w.T)), t, total


def convolution(n):
    """Channels are last: several dimensions are summed, and several are columns."""
    rng = np.random.default_rng(n)
    x, w = rng.integers(-4, 5, (2, 9, 8, 5)), rng.integers(-4, 5, (3, 3, 5, 2, 19))
    text = f"""
  %e{n} = tensor.empty() : tensor<2x7x6x2x19xf32>
  %y{n} = sinter.contract (b = 2, h = 7, v = 6) by (g = 2, f = 19) product (m = 3, n = 3, c = 5)
      (%x{n}[b, h + m, v + n, c] : tensor<2x9x8x5xf32>, %w{n}[m, n, c, g, f] : tensor<3x3x5x2x19xf32>) : f32
      outs(%e{n}[b, h, v, g, f] : tensor<2x7x6x2x19xf32>) {{
  ^row(%p: tensor<38xf32>):
    sinter.yield %p : tensor<38xf32>
  }}"""
    y = np.zeros((2, 7, 6, 2, 19))
    for m in range(3):
        for k in range(3):
            y += np.einsum("bhvc,cgf->bhvgf", x[:, m : m + 7, k : k + 6], w[m, k])
    return text, x, w, y, "f32", "f32"


def part(n):
    """Weights that are a part of a constant, from its second row and third column on."""
    rng = np.random.default_rng(n)
    x, w = rng.integers(-4, 5, (40, 70)), rng.integers(-4, 5, (75, 90))
    text = f"""
  %e{n} = tensor.empty() : tensor<40x80xf32>
  %y{n} = sinter.contract (i = 40) by (j = 80) product (k = 70)
      (%x{n}[i, k] : tensor<40x70xf32>, %w{n}[k + 1, j + 2] : tensor<75x90xf32>) : f32
      outs(%e{n}[i, j] : tensor<40x80xf32>) {{
  ^row(%p: tensor<80xf32>):
    sinter.yield %p : tensor<80xf32>
  }}"""
    return text, x, w, x @ w[1:71, 2:82], "f32", "f32"


def program(cases, how):
    """`how` a product's weights come: "constant" or "argument"."""
    arguments, constants, body, results = [], "", "", []
    for n, (text, x, w, y, t, total) in enumerate(cases):
        arguments.append(f"%x{n}: {tensor(x.shape, t)}")
        if how == "argument":
            arguments.append(f'%w{n}: {tensor(w.shape, t)} {{sinter.pack, sinter.name = "w{n}"}}')
        else:
            constants += f"  %w{n} = arith.constant dense_resource<w{n}> : {tensor(w.shape, t)}\n"
        body += text
        results.append((f"%y{n}", tensor(y.shape, total)))
    types = ", ".join(t for _, t in results)
    return (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{constants}{body}\n"
            f"  return {', '.join(v for v, _ in results)} : {types}\n}}\n")  # fmt: skip


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr[-2000:]}")
    return done.stdout


def compare(cases, names, what):
    wrong = 0
    for n, (case, name) in enumerate(zip(cases, names)):
        got = np.load(name)
        if got.shape != case[3].shape or not (got == case[3]).all():
            print(f"{what}: product {n} of {case[1].shape} and {case[2].shape} {case[4]} is wrong")
            wrong += 1
    return len(cases), wrong


def run(library, cases, inputs, what):
    outputs = [FOLDER / f"y{n}.npy" for n in range(len(cases))]
    call("sinter-exec", library, "--entry=main", *(f"--input={i}" for i in inputs), *(f"--output={o}" for o in outputs))
    return compare(cases, outputs, what)


def cases_of(makers):
    cases = [make(n) for n, make in enumerate(makers)]
    for n, (_, x, w, _, t, _) in enumerate(cases):
        save(FOLDER / f"x{n}.npy", x, t)
        save(FOLDER / f"w{n}.npy", w, t)
    return cases


def constants(makers):
    cases = cases_of(makers)
    (FOLDER / "constant.mlir").write_text(program(cases, "constant"))
    count = wrong = 0
    for more in ([], [f"--constants-file={FOLDER}/constant.constants"]):
        library = FOLDER / f"constant{len(more)}.so"
        call("sinter-cc", FOLDER / "constant.mlir", f"--constants={FOLDER}", *CPU, *more, "-o", library)
        n, bad = run(library, cases, [FOLDER / f"x{n}.npy" for n in range(len(cases))], "constant")
        count, wrong = count + n, wrong + bad
    return count, wrong


def arguments(makers):
    cases = cases_of(makers)
    (FOLDER / "argument.mlir").write_text(program(cases, "argument"))
    library, inputs = FOLDER / "argument.so", []
    call("sinter-cc", FOLDER / "argument.mlir", *CPU, "-o", library)
    for n in range(len(cases)):
        packed = FOLDER / f"p{n}.npy"
        call("sinter-exec", library, f"--entry=main_pack_w{n}", f"--input={FOLDER}/w{n}.npy", f"--output={packed}")
        inputs += [FOLDER / f"x{n}.npy", packed]
    return run(library, cases, inputs, "argument")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    makers = [lambda n, p=p: product(n, *p) for p in PRODUCTS] + [convolution, part]
    # Short types are widened as they are packed where the processor multiplies no such: they stay as they are given.
    whole = [lambda n, p=p: product(n, *p) for p in PRODUCTS if p[-1] in ("f32", "f64")] + [convolution]
    done = [constants(makers), arguments(whole)]
    print(f"{sum(n for n, _ in done)} products, {sum(bad for _, bad in done)} wrong")


main()
