"""Attention and its gradients on a CPU, by blocks of queries and keys, against NumPy in float64.

    attention.py SINTER_RUN FOLDER

Under masks that positions make, a bias that is one, a soft cap; lengths that no block divides, another head size for v.
Scores are more than a megabyte, so nothing of their size is stored, and one thread gives the bits of three.
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
HEADS, D, E = 2, 16, 24
SCALE = 0.25


def to_bf16(a):
    bits = a.astype("f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")


def from_bf16(bits):
    return (bits.astype("u4") << 16).view("f4").astype("f8")


# of scores s[i, j]: lines of the row program that make %x of %s, what they are, and its derivative
POSITIONS = """    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<KEYSxindex>
    %j = sinter.index j : tensor<KEYSxindex>
    %no = arith.constant dense<0xFF800000> : tensor<KEYSxf32>
"""
LATER = "    %later = arith.cmpi sgt, %j, %is : tensor<KEYSxindex>\n"
EARLY = """    %c = arith.constant dense<100> : tensor<KEYSxindex>
    %jc = arith.addi %j, %c : tensor<KEYSxindex>
    %early = arith.cmpi sle, %jc, %is : tensor<KEYSxindex>
"""
SELECT = "    %x{to} = arith.select %{which}, %no, %{x} : tensor<KEYSxi1>, tensor<KEYSxf32>\n"
same = lambda s, i, j: (s, np.ones_like(s))
masked = lambda where, low=-np.inf: lambda s, i, j: (np.where(where(i, j), low, s), np.where(where(i, j), 0.0, 1.0))
# Masks of a finite number: in rows of nothing else it counts (the first three), and where what is kept is lower.
FINITE = POSITIONS.replace("0xFF800000", "-1.0e9") + """    %three = arith.constant dense<3> : tensor<KEYSxindex>
    %j3 = arith.addi %j, %three : tensor<KEYSxindex>
    %later = arith.cmpi sgt, %j3, %is : tensor<KEYSxindex>
"""
LOST = np.float64(np.finfo("f4").min)  # what is added to it is lost
DEEP = """    %row = arith.constant dense<300> : tensor<KEYSxindex>
    %deep = arith.cmpi eq, %is, %row : tensor<KEYSxindex>
    %lower = arith.constant dense<-2.0e9> : tensor<KEYSxf32>
    %sd = arith.select %deep, %lower, %s : tensor<KEYSxi1>, tensor<KEYSxf32>
"""


def deep(s, i, j):
    out, low = (j + 3 > i) | (j + 100 <= i), i + 0 * j == 300
    return np.where(out, -1e9, np.where(low, -2e9, s)), np.where(out | low, 0.0, 1.0)


CASES = {
    "plain": (530, "", "%s", same),
    "cross": (611, "", "%s", same),
    "causal": (530, POSITIONS + LATER + SELECT.format(to="", which="later", x="s"), "%x", masked(lambda i, j: j > i)),
    "keys": (800, POSITIONS + LATER + SELECT.format(to="", which="later", x="s"), "%x", masked(lambda i, j: j > i)),
    "window": (530, POSITIONS + LATER + EARLY + SELECT.format(to="0", which="later", x="s")
               + SELECT.format(to="", which="early", x="x0"), "%x", masked(lambda i, j: (j > i) | (j + 100 <= i))),
    "ahead": (611, POSITIONS + "    %before = arith.cmpi slt, %j, %is : tensor<KEYSxindex>\n"
              + SELECT.format(to="", which="before", x="s"), "%x", masked(lambda i, j: j < i)),
    "slope": (530, POSITIONS + LATER + """    %far = arith.subi %j, %is : tensor<KEYSxindex>
    %n = arith.index_cast %far : tensor<KEYSxindex> to tensor<KEYSxi32>
    %f = arith.sitofp %n : tensor<KEYSxi32> to tensor<KEYSxf32>
    %by = arith.constant dense<0.125> : tensor<KEYSxf32>
    %bias = arith.mulf %f, %by : tensor<KEYSxf32>
    %x0 = arith.addf %s, %bias : tensor<KEYSxf32>
""" + SELECT.format(to="", which="later", x="x0"), "%x",
              lambda s, i, j: (np.where(j > i, -np.inf, s + 0.125 * (j - i)), np.where(j > i, 0.0, 1.0))),
    "finite": (530, FINITE + SELECT.format(to="", which="later", x="s"), "%x", masked(lambda i, j: j + 3 > i, -1e9)),
    "finite_added": (530, FINITE.replace("-1.0e9", "-3.4028235e38") + """
    %zeros = arith.constant dense<0.0> : tensor<KEYSxf32>
    %added = arith.select %later, %no, %zeros : tensor<KEYSxi1>, tensor<KEYSxf32>
    %x = arith.addf %s, %added : tensor<KEYSxf32>
""", "%x", lambda s, i, j: (np.where(j + 3 > i, LOST, s), np.ones_like(s))),
    "finite_window": (530, FINITE + EARLY + DEEP + SELECT.format(to="0", which="later", x="sd")
                      + SELECT.format(to="", which="early", x="x0"), "%x", deep),
    "cap": (530, """    %top = arith.constant dense<2.0> : tensor<KEYSxf32>
    %part = arith.divf %s, %top : tensor<KEYSxf32>
    %bent = math.tanh %part : tensor<KEYSxf32>
    %x = arith.mulf %bent, %top : tensor<KEYSxf32>
""", "%x", lambda s, i, j: (2 * np.tanh(s / 2), 1 - np.tanh(s / 2) ** 2)),
}


def program(keys, lines, x, t):
    of = lambda n, w: f"tensor<{HEADS}x{n}x{w}x{t}>"
    half = t != "f32"
    row = "tensor<KEYSxf32>"
    text = f"""func.func @main(%q: {of(QUERIES, D)}, %k: {of('KEYS', D)}, %v: {of('KEYS', E)}) -> {of(QUERIES, E)} {{
  %e = tensor.empty() : {of(QUERIES, E)}
  %y = sinter.contract (h = {HEADS}, i = {QUERIES}) by (j = KEYS) by (e = {E})
      product (d = {D}) (%q[h, i, d] : {of(QUERIES, D)}, %k[h, j, d] : {of('KEYS', D)}) : f32
      matrix (j) to (e) (%v[h, j, e] : {of('KEYS', E)})
      outs(%e[h, i, e] : {of(QUERIES, E)}) {{
  ^row(%p: {row}, %v_: tensor<KEYSx{E}x{t}>):
    %scale = arith.constant dense<{SCALE}> : {row}
    %s = arith.mulf %p, %scale : {row}
{lines}    %m = sinter.row_reduce maximumf {x} : {row} -> f32
    %ms = sinter.broadcast %m : f32 -> {row}
    %less = arith.subf {x}, %ms : {row}
    %ex = math.exp %less : {row}
    %z = sinter.row_reduce add %ex : {row} -> f32
    %zs = sinter.broadcast %z : f32 -> {row}
    %w = arith.divf %ex, %zs : {row}
"""
    if half:
        text += f"    %h = arith.truncf %w : {row} to tensor<KEYSx{t}>\n"
    text += f"""    %u = sinter.row_product %{'h' if half else 'w'}, %v_ : tensor<KEYSx{t if half else 'f32'}>, """ \
            f"""tensor<KEYSx{E}x{t}> -> tensor<{E}xf32>\n"""
    if half:
        text += f"    %o = arith.truncf %u : tensor<{E}xf32> to tensor<{E}x{t}>\n"
    text += f"    sinter.yield %{'o' if half else 'u'} : tensor<{E}x{t}>\n  }}\n  return %y : {of(QUERIES, E)}\n}}\n"
    return text.replace("KEYS", str(keys))


def wanted(q, k, v, g, score):
    i, j = np.arange(q.shape[1])[:, None], np.arange(k.shape[1])[None]
    x, by = score(q @ k.swapaxes(1, 2) * SCALE, i, j)
    p = np.exp(x - x.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    o, dp = p @ v, g @ v.swapaxes(1, 2)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True)) * by * SCALE
    return [o, ds @ k, ds.swapaxes(1, 2) @ q, p.swapaxes(1, 2) @ g]


wrong = done = 0
rng = np.random.default_rng(11)
HALF = ("causal", "cross", "finite_window", "finite_added")  # in bf16, too
THREADS = ("window", "cross", "finite")  # with three threads, too
for name, t in [(name, "f32") for name in CASES] + [(name, "bf16") for name in HALF]:
    keys, lines, x, score = CASES[name]
    QUERIES = 512 if name == "keys" else 530  # in whole blocks: those of the last keys have no query at all
    tolerance = 2e-5 if t == "f32" else 1.5e-2
    file = folder / f"{name}_{t}.mlir"
    file.write_text(program(keys, lines, x, t))
    inputs = [rng.standard_normal((HEADS, n, w)) for n, w in ((QUERIES, D), (keys, D), (keys, E), (QUERIES, E))]
    stored = [a.astype("f4") if t == "f32" else to_bf16(a) for a in inputs]
    wide = [a.astype("f8") if t == "f32" else from_bf16(a) for a in stored]
    options = ["--policy=aggressive", "--wrt=0,1,2", "--upstream", *(["--half-weights"] if t != "f32" else [])]
    for n, a in enumerate(stored):
        np.save(folder / f"in{n}.npy", a)
    show = [run, file, *options, "--emit=scheduled"]
    ir = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    if re.search(rf"tensor<(\d+x)*({QUERIES}x{keys}|{keys}x{QUERIES})x", ir):
        print(f"{name} {t}: scores are stored")
        wrong += 1
    # Under a mask that empties blocks they have fewer columns, or strips that leave out what is masked.
    columns, finite = set(re.findall(r"stream = (\d+(?:, strip)?)", ir)), name.startswith("finite")
    masks = {"128", "128, strip", "256, strip"} if finite else {"128", "256, strip"}
    if not columns or not columns <= (masks if "%j = sinter.index" in lines else {"256", "256, strip"}):
        print(f"{name} {t}: blocks of {columns} columns")
        wrong += 1
    got = []
    for threads in (1, 3) if name in THREADS else (1,):
        outputs = [folder / f"out{threads}_{n}.npy" for n in range(4)]
        subprocess.run([run, file, *options, f"--threads={threads}", "--quiet",
                        *[f"--input={folder}/in{n}.npy" for n in range(4)], *[f"--output={o}" for o in outputs]],
                       check=True)  # fmt: skip
        got.append([np.load(o) for o in outputs])
    for n, want in enumerate(wanted(*wide, score)):
        y = got[0][n].astype("f8") if t == "f32" else from_bf16(got[0][n])
        far = np.linalg.norm(y - want) / np.linalg.norm(want)
        same = got[0][n].tobytes() == got[-1][n].tobytes()
        done += 1
        if not far <= tolerance or not same:
            print(f"{name} {t}, result {n}: off by {far:.1e}; threads agree: {same}")
            wrong += 1
print(f"{done} results, {wrong} wrong")
