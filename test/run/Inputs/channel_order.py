"""Blocks of a depthwise window, a relu and a product of channels, as an exporter writes them: images have channels last
outside, and channels in front inside. Values and gradients against NumPy. Numbers are small and whole, so that sums are
exact in any order.

  channel_order.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# Images, lines, places of a line, channels, taps of a line, filters.
CASES = [(2, 23, 21, 20, 3, 48), (3, 9, 8, 17, 5, 9), (1, 14, 15, 32, 7, 33), (2, 5, 40, 8, 3, 70),
         (4, 7, 7, 96, 3, 24)]  # fmt: skip


def tensor(*shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


def program(n, h, w, c, s, o):
    e, p, taps, lines, places = s // 2, h * w, tensor(s * s), tensor(w), tensor(h * w)
    x, v, k, front, y = tensor(n, h, w, c), tensor(c, s, s), tensor(o, c), tensor(n, c, h, w), tensor(n, h, w, o)
    dims = f"(n = {n}, c = {c}, y = {h}, x = {w}) by (r = {s}, s = {s})"
    return f"""func.func @main(%x: {x}, %v: {v}, %w: {k}, %b: tensor<{o}xf32>) -> {y} {{
  %e = tensor.empty() : {front}
  %t = sinter.rowwise (n = {n}, c = {c}, y = {h}) by (x = {w})
      ins(%x[n, y, x, c] : {x}) outs(%e[n, c, y, x] : {front}) {{
  ^row(%a: {lines}):
    sinter.yield %a : {lines}
  }}
  %h = sinter.rowwise {dims}
      ins(%t[n, c, y + r - {e}, x + s - {e}] : {front} else 0.0, %v[c, r, s] : {v}) outs(%e[n, c, y, x] : {front}) {{
  ^row(%a: {taps}, %k: {taps}):
    %p = arith.mulf %a, %k : {taps}
    %s = sinter.row_reduce add %p : {taps} -> f32
    sinter.yield %s : f32
  }}
  %m = sinter.rowwise (n = {n}, c = {c}, y = {h}) by (x = {w})
      ins(%h[n, c, y, x] : {front}) outs(%e[n, c, y, x] : {front}) {{
  ^row(%a: {lines}):
    %z = arith.constant dense<0.0> : {lines}
    %i = arith.cmpf ogt, %a, %z : {lines}
    %s = arith.select %i, %a, %z : tensor<{w}xi1>, {lines}
    sinter.yield %s : {lines}
  }}
  %d = tensor.empty() : {y}
  %y = sinter.contract (n = {n}, o = {o}) by (y = {h}, x = {w})
      product (c = {c}) (%w[o, c] : {k}, %m[n, c, y, x] : {front}) : f32
      ins(%b[o] : tensor<{o}xf32>) outs(%d[n, y, x, o] : {y}) {{
  ^row(%p: {places}, %c: f32):
    %q = sinter.broadcast %c : f32 -> {places}
    %r = arith.addf %p, %q : {places}
    sinter.yield %r : {places}
  }}
  return %y : {y}
}}
"""


def want(x, v, w, b, g):
    """The value, and the gradients by all arguments."""
    s, (_, h, width, _) = v.shape[1], x.shape
    e = s // 2
    wide = np.pad(x, ((0, 0), (e, e), (e, e), (0, 0)))
    at = lambda image, i, j: image[:, i : i + h, j : j + width]
    taps = [(i, j) for i in range(s) for j in range(s)]
    sums = sum(at(wide, i, j) * v[:, i, j] for i, j in taps)
    r = np.maximum(sums, 0)
    dr = g @ w * (sums > 0)
    dwide = np.zeros_like(wide)
    dv = np.zeros_like(v)
    for i, j in taps:
        at(dwide, i, j)[...] += dr * v[:, i, j]
        dv[:, i, j] = (at(wide, i, j) * dr).sum((0, 1, 2))
    dx = dwide[:, e : e + h, e : e + width]
    return r @ w.T + b, dx, dv, np.einsum("nyxo,nyxc->oc", g, r), g.sum((0, 1, 2))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, last = np.random.default_rng(7), 0, 0
    for i, case in enumerate(CASES):
        n, h, w, c, s, o = case
        x, v = rng.integers(-3, 4, (n, h, w, c)), rng.integers(-2, 3, (c, s, s))
        given = [x, v, rng.integers(-1, 2, (o, c)), rng.integers(-3, 4, (o,)), rng.integers(-1, 2, (n, h, w, o))]
        name = str(FOLDER / str(i))
        pathlib.Path(name + ".mlir").write_text(program(*case))
        for k, a in enumerate(given):
            np.save(f"{name}_{k}.npy", a.astype("f4"))
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", "--wrt=0,1,2,3", "--upstream", *OPTIONS]
        files = [f"--input={name}_{k}.npy" for k in range(5)] + [f"--output={name}_y{k}.npy" for k in range(5)]
        subprocess.run([*command, *files, "--quiet"], check=True)
        text = subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True, text=True).stdout
        last += f"] : tensor<{n}x{c}x{h}x{w}xf32>" not in text
        theirs = want(*(a.astype("f8") for a in given))
        far = [float(abs(np.load(f"{name}_y{k}.npy") - t).max()) for k, t in enumerate(theirs)]
        if any(far):
            wrong += 1
            print(f"{case}: wrong by {far}")
    print(f"{len(CASES)} blocks, {last} with channels last, {wrong} wrong")


if __name__ == "__main__":
    main()
