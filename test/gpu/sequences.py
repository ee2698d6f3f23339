"""Drawn chains of forms in one sequence, on the emulator, beside NumPy in float64; and a program of test/reference.

  sequences.py [--seed=S] [--count=N]

Each form reads what one of the forms before it made: rows with reductions, sums over all rows, transposes, products.
Blocks of the launch, threads of each form, and so how many of its blocks stand beside each other, are drawn too. Of
three programs one has as many blocks as it wants, the others run on a device that holds one and two.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def normalise(r, k, x, shape, n):
    """Each row over its sum of squares, and one."""
    m, w = shape
    row = f"tensor<{w}xf32>"
    return shape, f"""%y{k} = sinter.rowwise (i = {m}) by (j = {w}) ins(%y{x}[i, j] : {tensor(shape)})
      outs(%e{k}[i, j] : {tensor(shape)}) schedule(#sinter.gpu_rows<threads = {n}, blocks = {m}, occupancy = 4>) {{
  ^row(%a: {row}):
    %q = arith.mulf %a, %a : {row}
    %s = sinter.row_reduce add %q : {row} -> f32
    %one = arith.constant 1.0 : f32
    %t = arith.addf %s, %one : f32
    %b = sinter.broadcast %t : f32 -> {row}
    %c = arith.divf %a, %b : {row}
    sinter.yield %c : {row}
  }}""", lambda a: a / ((a * a).sum(1, keepdims=True) + 1)


def centre(r, k, x, shape, n):
    """Less the mean of all, which is summed over rows in a kernel of its own inside the form before."""
    m, w = shape
    row, count = f"tensor<{w}xf32>", m * w
    return shape, f"""%s{k} = sinter.rowwise (i = {m}) by (j = {w}) ins(%y{x}[i, j] : {tensor(shape)})
      reduce(add [] : f32) outs(%z[] : tensor<f32>)
      schedule(#sinter.gpu_rows<threads = {n}, blocks = {r.choice((1, 3, 7))}, occupancy = 4>) {{
  ^row(%a: {row}):
    %s = sinter.row_reduce add %a : {row} -> f32
    sinter.yield %s : f32
  }} finish {{
  ^done(%s: f32):
    %c = arith.constant {1 / count:.9e} : f32
    %m = arith.mulf %s, %c : f32
    sinter.yield %m : f32
  }}
  %y{k} = sinter.rowwise (i = {m}) by (j = {w}) ins(%y{x}[i, j] : {tensor(shape)}, %s{k}[] : tensor<f32>)
      outs(%e{k}[i, j] : {tensor(shape)}) schedule(#sinter.gpu_rows<threads = {n}, blocks = {m}, occupancy = 4>) {{
  ^row(%a: {row}, %m: f32):
    %b = sinter.broadcast %m : f32 -> {row}
    %c = arith.subf %a, %b : {row}
    sinter.yield %c : {row}
  }}""", lambda a: a - a.mean()


def turn(r, k, x, shape, n):
    m, w = shape
    return (w, m), f"""%y{k} = sinter.rowwise (i = {w}) by (j = {m}) ins(%y{x}[j, i] : {tensor(shape)})
      outs(%e{k}[i, j] : {tensor((w, m))}) schedule(#sinter.gpu_rows<threads = {n}, blocks = {w}, occupancy = 4>) {{
  ^row(%a: tensor<{m}xf32>):
    sinter.yield %a : tensor<{m}xf32>
  }}""", lambda a: a.T


def product(r, k, x, shape, n):
    """By itself turned: as many sums as rows squared; perhaps the sum is shared by two blocks."""
    m, w = shape
    row = f"tensor<{m}xf32>"
    return (m, m), f"""%y{k} = sinter.contract (i = {m}) by (j = {m})
      product (k = {w}) (%y{x}[i, k] : {tensor(shape)}, %y{x}[j, k] : {tensor(shape)}) : f32
      outs(%e{k}[i, j] : {tensor((m, m))})
      schedule(#sinter.mma<kernel = "fma", m = 16, n = 16, k = 16, threads = 64, occupancy = 4,
               split = {2 if w > 16 else 1}>) {{
  ^row(%a: {row}):
    sinter.yield %a : {row}
  }}""", lambda a: a @ a.T


FORMS = [normalise, normalise, centre, turn, product]


def draw(r):
    first = shape = (r.randint(2, 40), r.randint(2, 70))
    threads = r.choice((64, 128, 256))
    text, empties, steps, sizes = [], [], [], []
    for k in range(1, r.randint(3, 7)):
        shape, form, step = r.choice(FORMS)(r, k, k - 1, shape, r.choice([t for t in (32, 64, 128) if t <= threads]))
        text.append("  " + form)
        empties.append(f"%e{k} = tensor.empty() : {tensor(shape)}")
        steps.append(step)
    count = sum(t.count("sinter.rowwise") + t.count("sinter.contract") for t in text)
    last, out = len(text), tensor(shape)
    schedule = f"threads = {threads}, blocks = {r.randint(1, 5)}, ahead = {r.choice((0, 65536))}"
    body = "\n".join(text)
    return first, steps, f"""func.func @main(%y0: {tensor(first)}) -> {out} {{
  %z = tensor.empty() : tensor<f32>
  {chr(10).join(empties)}
  %r = sinter.sequence phases {list(range(count))} schedule(#sinter.gpu_sequence<{schedule}>) -> {out} {{
{body}
  sinter.yield %y{last} : {out}
  }}
  return %r : {out}
}}
"""


def emulate(source, inputs, outputs, *more):
    command = [sys.executable, HERE / "emulate", source, *(f"--input={f}" for f in inputs),
               *(f"--expect={f}" for f in outputs), *more]
    said = subprocess.run(command, capture_output=True, text=True)
    return said.stdout.strip() or said.stderr.strip()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=18)
    p.add_argument("--count", type=int, default=8)
    a = p.parse_args()
    r, bad = random.Random(a.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(a.count):
            shape, steps, text = draw(r)
            x = np.random.default_rng(i).standard_normal(shape).astype(np.float32)
            y = x.astype(np.float64)
            for step in steps:
                y = step(y)
            source, given, want = (os.path.join(folder, f) for f in ("p.mlir", "x.npy", "y.npy"))
            open(source, "w").write(text)
            np.save(given, x), np.save(want, y)
            said = emulate(source, [given], [want], "--tolerance=1e-3", f"--blocks={i % 3}")
            print(f"{i}: {len(steps)} forms: {said}", flush=True)
            bad += not said.startswith("ok") or not said.endswith("launches=1")
    for name in ("mlp_cross_entropy", "mlp_cross_entropy_grad"):
        case = HERE.parent / "reference" / name
        files = lambda what: sorted((case / "seed0").glob(what + "*.npy"))
        said = emulate(case / f"{name}.mlir", files("in"), files("out"), "--sequence=3")
        print(f"{name}: {said}", flush=True)
        bad += not said.startswith("ok") or not said.endswith("launches=1")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
