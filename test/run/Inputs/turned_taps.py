"""Windows of each channel, channels last, whose weights [c, r, s] are turned, and some that stay, against NumPy.
Numbers are small and whole, so that sums are exact in any order.

  turned_taps.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

from images import stored

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# Images, places of a line, channels, taps of a line, step, edges, type; whether weights are [c, r, s].
CASES = [
    (2, 23, 20, 3, 1, 1, "f32", True), (2, 23, 20, 3, 1, 1, "bf16", True), (3, 24, 17, 3, 2, 1, "f16", True),
    (3, 14, 96, 7, 1, 3, "f32", True), (4, 13, 48, 7, 1, 3, "bf16", True), (5, 14, 33, 5, 1, 2, "f16", True),
    (1, 40, 16, 3, 1, 0, "f32", True), (2, 31, 8, 5, 2, 2, "f32", True), (4, 14, 64, 5, 1, 2, "f32", False),
    (1, 5, 20, 3, 1, 1, "f32", True),
]  # fmt: skip


def program(n, h, c, s, step, edge, t, turns):
    tensor = lambda *shape, t=t: "tensor<" + "".join(f"{d}x" for d in shape) + f"{t}>"
    o, taps = (h + 2 * edge - s) // step + 1, tensor(s * s, t="f32")
    x, w, y = tensor(n, h, h, c), tensor(*((c, s, s) if turns else (s, s, c))), tensor(n, o, o, c, t="f32")
    at = lambda d, tap: f"{d} * {step} + {tap} - {edge}"
    half, row = t != "f32", tensor(s * s)
    names = ("%u", "%v") if half else ("%a", "%b")
    widen = "".join(f"    {m} = arith.extf {v} : {row} to {taps}\n" for m, v in zip(names, ("%a", "%b")) if half)
    return f"""func.func @main(%x: {x}, %w: {w}, %bias: tensor<{c}xf32>) -> {y} {{
  %e = tensor.empty() : {y}
  %y = sinter.rowwise (n = {n}, y = {o}, x = {o}, c = {c}) by (r = {s}, s = {s})
      ins(%x[n, {at("y", "r")}, {at("x", "s")}, c] : {x}{" else 0.0" if edge else ""},
          %w[{"c, r, s" if turns else "r, s, c"}] : {w}, %bias[c] : tensor<{c}xf32>) outs(%e[n, y, x, c] : {y}) {{
  ^row(%a: {row}, %b: {row}, %z: f32):
{widen}    %p = arith.mulf {names[0]}, {names[1]} : {taps}
    %t = sinter.row_reduce add %p : {taps} -> f32
    %q = arith.addf %t, %z : f32
    sinter.yield %q : f32
  }}
  return %y : {y}
}}
"""


def want(x, w, bias, s, step, edge):
    padded = np.pad(x.astype("f8"), ((0, 0), (edge, edge), (edge, edge), (0, 0)))
    places = np.lib.stride_tricks.sliding_window_view(padded, (s, s), (1, 2))[:, ::step, ::step]
    return np.einsum("nyxcrs,crs->nyxc", places, w) + bias


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, turned, edges = np.random.default_rng(6), 0, 0, 0
    for i, (n, h, c, s, step, edge, t, turns) in enumerate(CASES):
        x, w, bias = (rng.integers(-4, 5, d) for d in ((n, h, h, c), (c, s, s), (c,)))
        name = str(FOLDER / str(i))
        pathlib.Path(name + ".mlir").write_text(program(n, h, c, s, step, edge, t, turns))
        for v, values, of in (("x", x, t), ("w", w if turns else w.transpose(1, 2, 0), t), ("b", bias, "f32")):
            stored(f"{name}_{v}.npy", values, of)
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", *OPTIONS]
        files = [*(f"--input={name}_{v}.npy" for v in "xwb"), f"--output={name}_y.npy"]
        subprocess.run([*command, *files, "--quiet"], check=True)
        text = subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True, text=True).stdout
        turned += f"[d2, d0, d1] : tensor<{c}x{s}x{s}x" in text
        edges += "tensor.expand_shape" in text
        if (np.load(name + "_y.npy") != want(x, w, bias, s, step, edge)).any():
            wrong += 1
            print(f"{CASES[i]}: wrong")
    print(f"{len(CASES)} windows, {turned} turned, {edges} with edges, {wrong} wrong")


if __name__ == "__main__":
    main()
