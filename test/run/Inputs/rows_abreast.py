"""Rows whose first loop adds several up side by side, against NumPy in float64, and bit by bit against rows alone.

    rows_abreast.py FOLDER

Each row is multiplied by a vector and by another row, and used behind that: a result of each row, and one of all.
Counts of rows leave some behind groups and tasks. One, two and four threads.
"""

import os
import subprocess
import sys

import numpy as np

# rows, columns, rows of a task, the type, lanes, vectors at once.
CASES = [(1, 64, 1, "f32", 16, 2), (2, 32, 8, "f32", 16, 2), (7, 64, 3, "f32", 16, 1), (13, 128, 5, "bf16", 16, 2),
         (29, 256, 8, "bf16", 16, 4), (33, 96, 32, "f32", 8, 4), (9, 512, 9, "f32", 16, 4)]  # fmt: skip


def text(case, abreast):
    rows, n, chunk, t, lanes, unroll = case
    of = lambda *shape, t=t: f"tensor<{'x'.join(map(str, shape))}{'x' * bool(shape)}{t}>"
    wide = of(n, t="f32")
    widen = "".join(f"    %{v}f = arith.extf %{v} : {of(n)} to {wide}\n" for v in "abc") if t == "bf16" else ""
    a, b, c = ("%af", "%bf", "%cf") if widen else ("%a", "%b", "%c")
    each = of(rows, t="f32")
    return f"""func.func @main(%x: {of(n)}, %w: {of(rows, n)}, %v: {of(rows, n)}, %r: {each})
    -> ({each}, {of(t="f32")}) {{
  %e = tensor.empty() : {each}
  %z = tensor.empty() : {of(t="f32")}
  %s, %y = sinter.rowwise (i = {rows}) by (k = {n})
      ins(%x[k] : {of(n)}, %w[i, k] : {of(rows, n)}, %v[i, k] : {of(rows, n)}, %r[i] : {each})
      reduce(add [] : f32) outs(%z[] : {of(t="f32")}, %e[i] : {each})
      schedule(#sinter.rows<abreast = {abreast}, chunk = {chunk}, lanes = {lanes}, prefetch = 64, unroll = {unroll}>) {{
  ^row(%a: {of(n)}, %b: {of(n)}, %c: {of(n)}, %q: f32):
{widen}    %m = arith.mulf {a}, {b} : {wide}
    %d = arith.mulf {b}, {c} : {wide}
    %p = sinter.row_reduce add %m : {wide} -> f32
    %o = sinter.row_reduce maximumf %d : {wide} -> f32
    %u = arith.mulf %p, %q : f32
    %h = arith.addf %u, %o : f32
    sinter.yield %p, %h : f32, f32
  }} finish {{
  ^done(%t: f32):
    sinter.yield %t : f32
  }}
  return %y, %s : {each}, {of(t="f32")}
}}
"""


def rounded(values, t):
    """To bf16 by its upper half, which is what is stored; NumPy has no type for it."""
    values = values.astype("f4")
    return (values.view("u4") & 0xFFFF0000).view("f4") if t == "bf16" else values


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(3)
wrong = other = 0
for i, case in enumerate(CASES):
    rows, n, *_, t, _, _ = case
    name = os.path.join(folder, str(i))
    x, w, v = (rounded(rng.standard_normal(shape), t) for shape in ((n,), (rows, n), (rows, n)))
    r = rng.standard_normal(rows).astype("f4")
    for letter, values in zip("xwvr", (x, w, v, r)):
        half = t == "bf16" and letter != "r"
        np.save(f"{name}_{letter}.npy", (values.view("u4") >> 16).astype("u2") if half else values)
    x, w, v = (a.astype("f8") for a in (x, w, v))
    sums = w @ x
    wants = [sums * r + (w * v).max(1), sums.sum()]
    first = None
    for abreast in (1, 2, 4, 8):
        with open(name + ".mlir", "w") as f:
            f.write(text(case, abreast))
        for threads in (1, 2, 4):
            outputs = [f"{name}_{k}.npy" for k in "ys"]
            subprocess.run(["sinter-run", name + ".mlir", *(f"--input={name}_{k}.npy" for k in "xwvr"), "--quiet",
                            *(f"--output={y}" for y in outputs), f"--threads={threads}"], check=True)  # fmt: skip
            got = [np.load(y) for y in outputs]
            wrong += any(np.abs(g - want).max() > 1e-5 * n for g, want in zip(got, wants))
            first = first or got
            other += any((g.view("u4") != f.view("u4")).any() for g, f in zip(got, first))
print(f"{len(CASES)} programs, {wrong} wrong, {other} with other bits")
