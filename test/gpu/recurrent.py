"""Steps of recurrent networks as a loop of one launch, beside NumPy in float64.

  recurrent.py [--target=gpu] [--steps=N] ROWS HIDDEN TYPE [turned]

An LSTM whose gates are parts of one product's row. The product of all inputs stands in front of the loop, and on a GPU
threads hold the recurrent weights over all steps. `turned`: weights lie as PyTorch's nn.LSTM has them.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def program(steps, rows, n, kind, turned):
    def of(*shape, kind="f32"):
        return f"tensor<{'x'.join(map(str, shape))}x{kind}>"

    w, h, q = of(*((4 * n, n) if turned else (n, 4 * n)), kind=kind), of(rows, n), of(rows, 4 * n)
    all_of = of(steps, rows, n)
    weight = "(i, j, k) -> (j, k)" if turned else "(i, j, k) -> (k, j)"
    widened = "%wide = arith.extf %a1 : bf16 to f32" if kind != "f32" else ""
    factor = "%wide" if kind != "f32" else "%a1"

    def product(to, x, weights, begin):
        return f"""    {to} = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<{weight}>,
        affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
        ins({x}, {weights} : {h}, {w}) outs({begin} : {q}) {{
    ^bb0(%a0: f32, %a1: {kind}, %a2: f32):
      {widened}
      %m = arith.mulf %a0, {factor} : f32
      %s = arith.addf %a2, %m : f32
      linalg.yield %s : f32
    }} -> {q}
"""

    gates = "".join(f"    %g{i} = tensor.extract_slice %q[0, {i * n}] [{rows}, {n}] [1, 1] : {q} to {h}\n"
                    for i in range(4))
    sigmoids = "".join(f"""      %n{i} = arith.negf %b{i} : f32
      %e{i} = math.exp %n{i} : f32
      %d{i} = arith.addf %e{i}, %one : f32
      %s{i} = arith.divf %one, %d{i} : f32
""" for i in (0, 1, 3))
    same = ", ".join(["affine_map<(i, j) -> (i, j)>"] * 7)
    gives = f"({all_of}, {h}, {h})"
    return f"""func.func @main(%x: {all_of}, %wx: {w}, %wh: {w}, %b: {of(4 * n)}, %h0: {h}, %c0: {h}) -> {gives} {{
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %to = arith.constant {steps} : index
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : {all_of}
  %h, %c, %all = scf.for %t = %from to %to step %step
      iter_args(%hh = %h0, %cc = %c0, %ys = %none) -> ({h}, {h}, {all_of}) {{
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, {rows}, {n}] [1, 1, 1] : {all_of} to {h}
    %e = tensor.empty() : {q}
    %bb = linalg.broadcast ins(%b : {of(4 * n)}) outs(%e : {q}) dimensions = [0]
{product("%p", "%xt", "%wx", "%bb")}{product("%q", "%hh", "%wh", "%p")}{gates}    %e2 = tensor.empty() : {h}
    %cn, %hn = linalg.generic {{indexing_maps = [{same}], iterator_types = ["parallel", "parallel"]}}
        ins(%g0, %g1, %g2, %g3, %cc : {h}, {h}, {h}, {h}, {h}) outs(%e2, %e2 : {h}, {h}) {{
    ^bb0(%b0: f32, %b1: f32, %b2: f32, %b3: f32, %cv: f32, %o1: f32, %o2: f32):
{sigmoids}      %1 = math.tanh %b2 : f32
      %2 = arith.mulf %s0, %1 : f32
      %3 = arith.mulf %s1, %cv : f32
      %4 = arith.addf %2, %3 : f32
      %5 = math.tanh %4 : f32
      %6 = arith.mulf %s3, %5 : f32
      linalg.yield %4, %6 : f32, f32
    }} -> ({h}, {h})
    %ys2 = tensor.insert_slice %hn into %ys[%t, 0, 0] [1, {rows}, {n}] [1, 1, 1] : {h} into {all_of}
    scf.yield %hn, %cn, %ys2 : {h}, {h}, {all_of}
  }}
  return %all, %h, %c : {all_of}, {h}, {h}
}}
"""


def bf16(x):
    return ((x.view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


def wide(x):
    return x if x.dtype != np.uint16 else (x.astype(np.uint32) << 16).view(np.float32)


def reference(x, wx, wh, b, h, c, turned):
    sigmoid, out = lambda v: 1 / (1 + np.exp(-v)), []
    wx, wh = (v.T if turned else v for v in (wx, wh))
    for xt in x:
        i, f, g, o = np.split(xt @ wx + b + h @ wh, 4, axis=1)
        c = sigmoid(i) * np.tanh(g) + sigmoid(f) * c
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.array(out), h, c


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rows", type=int)
    p.add_argument("hidden", type=int)
    p.add_argument("type", choices=("f32", "bf16"))
    p.add_argument("turned", nargs="?")
    p.add_argument("--target", choices=("cpu", "gpu"), default="gpu")
    p.add_argument("--steps", type=int, default=5)
    a = p.parse_args()
    n, g = a.hidden, np.random.default_rng(a.hidden)
    draw = lambda *shape: g.standard_normal(shape).astype(np.float32)
    weights = lambda: draw(*((4 * n, n) if a.turned else (n, 4 * n))) / np.float32(n**0.5)
    arrays = [draw(a.steps, a.rows, n), weights(), weights(), draw(4 * n), draw(a.rows, n), draw(a.rows, n)]
    if a.type == "bf16":
        arrays[1:3] = map(bf16, arrays[1:3])
    gives = reference(*(wide(v).astype(np.float64) for v in arrays), a.turned)
    with tempfile.TemporaryDirectory() as folder:
        folder, files = pathlib.Path(folder), []
        source = folder / "p.mlir"
        source.write_text(program(a.steps, a.rows, n, a.type, a.turned))
        for kind, values in ("input", arrays), ("expect", gives):
            for i, v in enumerate(values):
                np.save(folder / f"{kind}{i}.npy", v)
                files.append(f"--{kind}={folder}/{kind}{i}.npy")
        if a.target == "cpu":
            command = ["sinter-run", source, "--launches=one", "--threads=3", *files]
            return subprocess.run(command).returncode
        command = [sys.executable, HERE / "emulate", source, *files, "--sequence=3", f"--keep={folder}/kept"]
        said = subprocess.run(command, text=True, capture_output=True)
        joined = (folder / "kept" / "joined.mlir").read_text()
        held = "held" if re.search(r"gpu_rows<[^>]*held = 1", joined) else "read in each step"
        phases = re.search(r"phases \[([\d, ]+)\]", joined)
        turns = "words" if re.search(r"gpu_sequence<[^>]*words = 1", joined) else "barriers"
        print(f"{said.stdout.strip()} {held}, phases {phases[1] if phases else '?'}, {turns}", said.stderr[:3000])
        return said.returncode


if __name__ == "__main__":
    sys.exit(main())
