"""Products by each line of the table of micro-kernels, against NumPy in float64.

    kernels.py SINTER_RUN FOLDER KERNEL:SIDE:SUM... [--cpu=NAME]

Numbers are whole, -127 to 127, so that every sum is exact in the accumulator's type and any order, and none
would be in a half type: one wrong element, lane, mask or rounding is seen.
"""

import os
import subprocess
import sys

import numpy as np

DTYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i32": "<i4", "i16": "<i2", "i8": "<i1", "i64": "<i8"}
# rows, columns, summed; m, n, k of the schedule. One less and one more than tiles, vectors, groups and blocks.
SHAPES = [
    (1, 1, 1, 1, 1, 1), (5, 63, 7, 6, 64, 8), (6, 64, 8, 6, 64, 8), (7, 65, 9, 6, 64, 8), (13, 130, 33, 12, 128, 16),
    (23, 17, 31, 32, 32, 256), (25, 33, 65, 8, 16, 32), (12, 31, 130, 12, 32, 64), (40, 15, 300, 16, 16, 128),
    (3, 100, 64, 4, 112, 64), (31, 47, 127, 30, 24, 64), (33, 7, 129, 64, 8, 64), (17, 129, 4, 5, 48, 4),
    (14, 16, 63, 14, 16, 64), (29, 32, 66, 24, 80, 32), (64, 96, 256, 64, 96, 256),
]
# The same of a kernel whose rows and columns are whole tiles where they lie: tiles of columns that begin inside of the
# ones in front of them, one of each, sums of several blocks along k.
WHOLE = [
    (1, 16, 64, 16, 64, 64), (16, 17, 64, 16, 32, 64), (17, 31, 128, 32, 64, 128), (33, 100, 192, 48, 64, 64),
    (5, 64, 256, 16, 64, 128), (40, 47, 448, 48, 16, 64), (31, 130, 320, 32, 48, 128), (64, 96, 256, 64, 96, 256),
    (13, 200, 128, 16, 16, 128), (6, 79, 64, 16, 79, 64), (32, 65, 1024, 32, 64, 512), (15, 33, 192, 16, 112, 192),
]
# m and k of a block are multiples
UNITS = {"dot512": (1, 2), "dot256": (1, 2), "vnni512": (1, 4), "vnni256": (1, 4), "amx": (16, 64),
         "inner.amx": (16, 64)}
EMPTY = [(0, 5, 3, 4, 8, 4), (4, 0, 3, 4, 8, 4), (4, 5, 0, 4, 8, 4)]
# How sides lie in memory: of a [i][k] or [k][i], of b [k][j] or [j][k].
LAYOUTS = [("i, k", "k, j"), ("i, k", "j, k"), ("k, i", "k, j")]
IN_PLACE = [("i, k", "j, k"), ("k, i", "j, k"), ("i, k", "j, k")]  # of kernels that read weights where they lie


def layouts(kernel):
    return IN_PLACE if kernel.startswith("inner") else LAYOUTS


# How blocks are walked and what is packed.
def walks(bn, kernel, layout):
    if layout[1] == "k, j" and kernel[:3] in ("fma", "any"):
        return ['', ', widen = "reading"', f', ahead = 4, widen = "reading", sums = {2 * bn}']
    if kernel.startswith("inner"):
        return ['', f', sums = {3 * bn}', ', widen = "reading"' if layout[0] == "i, k" and kernel[-3:] != "amx" else ""]
    if kernel == "amx" and layout[1] == "j, k":  # what is copied next is asked for
        return [f', ahead = {bn}', f', ahead = {bn}, sums = {3 * bn}, pack = "shared"', ', weights = "shared"']
    return ["", f', sums = {3 * bn}, pack = "shared"', f', sums = {2 * bn}, panels = 2, pack = "rows"',
            ', weights = "shared"', f', columns = {2 * bn}, sums = {2 * bn}, panels = 2, weights = "shared"']


def save(path, x, side):
    if side == "bf16":  # the upper half of an f32, which is exact here
        x = (x.astype("<f4").view("<u4") >> 16).astype("<u2")
    else:
        x = x.astype(DTYPES[side])
    np.save(path, x)


def tensor(shape, t, dynamic=False):
    return "tensor<" + "".join(f"{'?' if dynamic else s}x" for s in shape) + t + ">"


def contract(n, case, layout, side, total, kernel, dynamic, walk):
    i, j, k, m, bn, bk = case
    m, bk = (-(-size // unit) * unit for size, unit in zip((m, bk), UNITS.get(kernel, (1, 1))))
    of = {"i": i, "j": j, "k": k}
    a, b = ([of[d] for d in subscripts.split(", ")] for subscripts in layout)
    ta, tb, tc = tensor(a, side, dynamic), tensor(b, side, dynamic), tensor((i, j), total, dynamic)
    i, j, k = ("?",) * 3 if dynamic else (i, j, k)
    lanes = 8 if bn % 8 == 0 else 1
    ways = [w for w in walks(bn, kernel, layout) if not (dynamic and "weights" in w)]
    more = ways[walk % len(ways)]
    add = "arith.addf" if total[0] == "f" else "arith.addi"
    row = tensor((j,), total, dynamic)
    return a, b, [ta, tb, tc], f"""
  %y{n} = sinter.contract (i = {i}) by (j = {j})
      product (k = {k}) (%a{n}[{layout[0]}] : {ta}, %b{n}[{layout[1]}] : {tb}) : {total}
      outs(%e{n}[i, j] : {tc})
      schedule(#sinter.brgemm<kernel = "{kernel}", m = {m}, n = {bn}, k = {bk}, lanes = {lanes}{more}>) {{
  ^row(%p: {row}):
    %s = {add} %p, %p : {row}
    sinter.yield %s : {row}
  }}"""


def run(command, folder, kernel, side, total, dynamic, turn, rng):
    body, arguments, results, inputs, wanted = "", [], [], [], []
    shapes = WHOLE if kernel == "inner.amx" else SHAPES + EMPTY
    cases = [(case, layouts(kernel)[(n + turn) % 3]) for n, case in enumerate(shapes)][turn % 3::3]
    for n, (case, layout) in enumerate(cases):
        a, b, (ta, tb, tc), text = contract(n, case, layout, side, total, kernel, dynamic,
                                                n + turn // 3)
        x, w = rng.integers(-127, 128, a), rng.integers(-127, 128, b)
        e = np.zeros(case[:2])
        body += text
        for name, array, element, t in (("a", x, side, ta), ("b", w, side, tb), ("e", e, total, tc)):
            path = os.path.join(folder, f"{name}{n}.npy")
            save(path, array, element)
            inputs.append(f"--input={path}")
            arguments.append(f"%{name}{n}: {t}")
        results.append((f"%y{n}", tc))
        wanted.append(2 * ((x if layout[0][0] == "i" else x.T).astype("f8") @
                           (w if layout[1][0] == "k" else w.T).astype("f8")))
    program = os.path.join(folder, "program.mlir")
    with open(program, "w") as f:
        f.write(
            f"module {{\nfunc.func @main({', '.join(arguments)}) -> ({', '.join(t for _, t in results)}) {{{body}\n"
        )
        f.write(f"  return {', '.join(v for v, _ in results)} : {', '.join(t for _, t in results)}\n}}\n}}\n")
    outputs = [os.path.join(folder, f"y{n}.npy") for n in range(len(results))]
    done = subprocess.run([*command, program, *inputs, *(f"--output={path}" for path in outputs)], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{kernel} {side} {total}: {done.stderr[-2000:]}")
    wrong = 0
    for path, want, (case, layout) in zip(outputs, wanted, cases):
        got = np.load(path).astype("f8")
        if got.shape != want.shape or not (got == want).all():
            bad = np.argwhere(got != want) if got.shape == want.shape else []
            print(f"{kernel} {side} {total} {case} {layout}: {len(bad)} of {want.size} differ, first at",
                  bad[:1].tolist())
            wrong += 1
    return len(cases), wrong


def main():
    folder, words = sys.argv[2], sys.argv[3:]
    command = [sys.argv[1], *(w for w in words if w.startswith("--"))]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(7)
    count = wrong = 0
    for turn, word in enumerate(w for w in words if not w.startswith("--")):
        # Each takes a third of the cases; more kernels take all.
        for dynamic in range(1 if word.startswith("inner.amx") else 2):
            n, bad = run(command, folder, *word.split(":"), dynamic, turn + dynamic, rng)
            count, wrong = count + n, wrong + bad
    print(f"{count} products, {wrong} wrong")


main()
