"""What F.unfold and a linear layer become: windows of an image by lists of subscripts, which are multiplied. And lines
that are read from their ends, or from in front of them. Against NumPy, by small whole numbers, so that sums are exact.

  placed_gathers.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

from images import stored

FOLDER, OPTIONS = pathlib.Path(sys.argv[1]), sys.argv[2:]
# Images, channels, places of a line, taps of a line, step, filters, type.
WINDOWS = [(2, 16, 33, 5, 2, 64, "bf16"), (3, 7, 21, 3, 1, 40, "f32"), (1, 3, 32, 4, 4, 9, "f32"),
           (2, 5, 19, 3, 2, 70, "f16")]  # fmt: skip
LINES = [(40, 1), (1001, 5)]  # length, and how far in front it begins


def tensor(*shape, t="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + f"{t}>"


def windows(n, c, h, s, step, o, t):
    p = (h - s) // step + 1
    x, u, w, y = tensor(n, c, h, h, t=t), tensor(n, c, s, p, s, p, t=t), tensor(o, c * s * s, t=t), tensor(n, p, p, o)
    index, row = tensor(p, t="index"), tensor(p, t=t)
    at = lambda v: f"sinter.index {v} : index"
    return f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %e = tensor.empty() : {u}
  %u = sinter.rowwise (i = {n}, c = {c}, k = {s}, l = {p}, m = {s}) by (n = {p})
      ins(%x[?, ?, ?, ?] : {x}) outs(%e[i, c, k, l, m, n] : {u}) {{
  ^row(%t: memref<{n}x{c}x{h}x{h}x{t}>):
    %i = {at("i")}
    %c = {at("c")}
    %k = {at("k")}
    %l = {at("l")}
    %m = {at("m")}
    %n = sinter.index n : {index}
    %step = arith.constant {step} : index
    %steps = arith.constant dense<{step}> : {index}
    %zero = arith.constant 0 : index
    %size = arith.constant {h} : index
    %a = arith.muli %l, %step : index
    %b = arith.addi %a, %k : index
    %is = arith.cmpi slt, %b, %zero : index
    %end = arith.addi %b, %size : index
    %line = arith.select %is, %end, %b : index
    %d = arith.muli %n, %steps : {index}
    %f = sinter.broadcast %m : index -> {index}
    %place = arith.addi %d, %f : {index}
    %z = arith.constant 0.0 : {t}
    %g = sinter.gather %t[%i, %c, %line, %place] else %z
        : memref<{n}x{c}x{h}x{h}x{t}>, index, index, index, {index} -> {row}
    sinter.yield %g : {row}
  }}
  %r = tensor.empty() : {y}
  %y = sinter.contract (i = {n}, l = {p}, n = {p}) by (o = {o})
      product (c = {c}, k = {s}, m = {s}) (%u[i, c, k, l, m, n] : {u}, %w[o, c * {s * s} + k * {s} + m] : {w}) : f32
      outs(%r[i, l, n, o] : {y}) {{
  ^row(%p: {tensor(o)}):
    sinter.yield %p : {tensor(o)}
  }}
  return %y : {y}
}}
"""


def lines(length, front):
    row, index = tensor(length), tensor(length, t="index")
    return f"""func.func @main(%x: {row}) -> {row} {{
  %e = tensor.empty() : {row}
  %y = sinter.rowwise () by (n = {length}) ins(%x[?] : {row}) outs(%e[n] : {row}) {{
  ^row(%t: memref<{length}xf32>):
    %last = arith.constant dense<{length - 1}> : {index}
    %front = arith.constant dense<{front}> : {index}
    %n = sinter.index n : {index}
    %a = arith.subi %last, %n : {index}
    %b = arith.subi %n, %front : {index}
    %z = arith.constant 7.0 : f32
    %p = sinter.gather %t[%a] else %z : memref<{length}xf32>, {index} -> {row}
    %q = sinter.gather %t[%b] else %z : memref<{length}xf32>, {index} -> {row}
    %two = arith.constant dense<2.0> : {row}
    %r = arith.mulf %q, %two : {row}
    %s = arith.addf %p, %r : {row}
    sinter.yield %s : {row}
  }}
  return %y : {row}
}}
"""


def want_windows(case, x, w):
    s, step = case[3:5]
    seen = np.lib.stride_tricks.sliding_window_view(x.astype("f8"), (s, s), (2, 3))[:, :, ::step, ::step]
    return np.einsum("icyxkm,ockm->iyxo", seen, w.reshape(len(w), -1, s, s))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng, wrong, gathers = np.random.default_rng(8), 0, 0
    for i, case in enumerate([*WINDOWS, *LINES]):
        name = str(FOLDER / str(i))
        if len(case) == 2:
            x, text = rng.integers(-9, 10, case[0]), lines(*case)
            given, t = [x], "f32"
            want = x[::-1] + 2 * np.concatenate([np.full(case[1], 7), x[: -case[1]]])
        else:
            n, c, h, s, _, o, t = case
            given, text = [rng.integers(-4, 5, (n, c, h, h)), rng.integers(-4, 5, (o, c * s * s))], windows(*case)
            want = want_windows(case, *given)
        pathlib.Path(name + ".mlir").write_text(text)
        for k, a in enumerate(given):
            stored(f"{name}_{k}.npy", a, t)
        command = ["sinter-run", name + ".mlir", "--policy=aggressive", *OPTIONS]
        files = [f"--input={name}_{k}.npy" for k in range(len(given))] + [f"--output={name}_y.npy"]
        subprocess.run([*command, *files, "--quiet"], check=True)
        gathers += "sinter.gather" in subprocess.run([*command, "--emit=scheduled"], check=True, capture_output=True,
                                                     text=True).stdout  # fmt: skip
        if (np.load(name + "_y.npy") != want).any():
            wrong += 1
            print(f"{case}: wrong")
    print(f"{len(WINDOWS) + len(LINES)} programs, {gathers} with a gather, {wrong} wrong")


if __name__ == "__main__":
    main()
