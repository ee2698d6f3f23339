"""Windows of many columns, and the gradient of an average over one, against NumPy. Numbers are small integers, so
results are exact.

  windows_lines.py FOLDER [--cpu=NAME]
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
OPTIONS = sys.argv[2:]
KINDS = {"f32": "f4", "f16": "f2", "bf16": "f2", "i32": "i4"}

# A picture, a window, a stride, padding in front and behind.
WINDOWS = [((3, 9, 8, 12), (5, 5, 5), 1, 0), ((2, 5, 6, 7), (5, 5, 5), 1, 2), ((2, 7, 7, 33), (4, 4, 4), 1, 1),
           ((1, 3, 19, 18), (2, 9, 9), 2, 1), ((2, 6, 6, 17), (6, 3, 20), 1, 9)]  # fmt: skip


def bits(x):
    return (x.astype("f4").view("u4") >> 16).astype("u2")


def save(path, x, t):
    np.save(path, bits(x) if t == "bf16" else x.astype(KINDS[t]))


def tensor(shape, t):
    return f"tensor<{'x'.join(map(str, shape))}x{t}>"


def out_size(n, k, s, p):
    return (n + 2 * p - k) // s + 1


def padded(x, p):
    return np.pad(x, [(0, 0)] + [(p, p)] * 3) if p else x


def window(shape, taps, s, p, t):
    """Its sum, and what is largest of it times the number of its tap."""
    outs = [shape[0], *(out_size(n, k, s, p) for n, k in zip(shape[1:], taps))]
    x, y, n = tensor(shape, t), tensor(outs, t), int(np.prod(taps))
    at = ", ".join(f"{r} * {s} + {c} - {p}" for r, c in zip("hij", "uvw"))
    add, most = ("arith.addi", "maxsi") if t == "i32" else ("arith.addf", "maximumf")
    fill = f" else {'0' if t == 'i32' else '0.0'}" + (" : i32" if t == "i32" else f" : {t}") if p else ""
    fill = fill.split(" : ")[0]
    sizes = ", ".join(f"{d} = {n}" for d, n in zip("bhij", outs))
    columns = ", ".join(f"{d} = {n}" for d, n in zip("uvw", taps))
    return f"""func.func @main(%x: {x}) -> ({y}, {y}) {{
  %e = tensor.empty() : {y}
  %s, %m = sinter.rowwise ({sizes}) by ({columns}) ins(%x[b, {at}] : {x}{fill})
      outs(%e[b, h, i, j] : {y}, %e[b, h, i, j] : {y}) {{
  ^row(%a: tensor<{n}x{t}>):
    %s = sinter.row_reduce add %a : tensor<{n}x{t}> -> {t}
    %d = {add} %a, %a : tensor<{n}x{t}>
    %m = sinter.row_reduce {most} %d : tensor<{n}x{t}> -> {t}
    sinter.yield %s, %m : {t}, {t}
  }}
  return %s, %m : {y}, {y}
}}
"""


def windows_of(x, taps, s, p):
    v = np.lib.stride_tricks.sliding_window_view(padded(x, p), taps, axis=(1, 2, 3))[:, ::s, ::s, ::s]
    return v.sum((4, 5, 6)), 2 * v.max((4, 5, 6))


def spread(shape, taps):
    """What each element of an average over a window is the gradient of: by two, and then summed where it was read."""
    outs = [shape[0], *(n + k - 1 for n, k in zip(shape[1:], taps))]
    x, y, n = tensor(shape, "f32"), tensor(outs, "f32"), int(np.prod(taps))
    wide = [*shape, *taps]
    w = tensor(wide, "f32")
    sizes, own = (", ".join(f"{d} = {n}" for d, n in zip("bhij", s)) for s in (outs, shape))
    columns = ", ".join(f"{d} = {n}" for d, n in zip("uvw", taps))
    return f"""func.func @main(%x: {x}) -> {y} {{
  %e = tensor.empty() : {x}
  %f = tensor.empty() : {y}
  %g = sinter.rowwise ({own}) by () ins(%x[b, h, i, j] : {x}) outs(%e[b, h, i, j] : {x}) {{
  ^row(%a: f32):
    %c = arith.constant 2.0 : f32
    %d = arith.divf %a, %c : f32
    sinter.yield %d : f32
  }}
  %h = tensor.empty() : {w}
  %t = sinter.rowwise ({own}) by ({columns}) ins(%g[b, h, i, j] : {x}) outs(%h[b, h, i, j, u, v, w] : {w}) {{
  ^row(%a: f32):
    %r = sinter.broadcast %a : f32 -> tensor<{n}xf32>
    sinter.yield %r : tensor<{n}xf32>
  }}
  %y = sinter.rowwise ({sizes}) by ({columns}) ins(%t[b, h - u, i - v, j - w, u, v, w] : {w} else 0.0)
      outs(%f[b, h, i, j] : {y}) {{
  ^row(%a: tensor<{n}xf32>):
    %s = sinter.row_reduce add %a : tensor<{n}xf32> -> f32
    sinter.yield %s : f32
  }}
  return %y : {y}
}}
"""


def spread_of(x, taps):
    y = np.zeros((x.shape[0], *(n + k - 1 for n, k in zip(x.shape[1:], taps))))
    for u, v, w in itertools.product(*map(range, taps)):
        y[:, u:u + x.shape[1], v:v + x.shape[2], w:w + x.shape[3]] += x / 2
    return (y,)


def run(name, text, x, t, want):
    (FOLDER / f"{name}.mlir").write_text(text)
    save(FOLDER / "x.npy", x, t)
    outs = [FOLDER / f"y{i}.npy" for i in range(len(want))]
    r = subprocess.run(["sinter-run", "--policy=aggressive", FOLDER / f"{name}.mlir", f"--input={FOLDER / 'x.npy'}",
                        *(f"--output={o}" for o in outs), *OPTIONS], capture_output=True, text=True)
    if r.returncode:
        return r.stderr
    for o, w in zip(outs, want):
        got = np.load(o)
        if not np.array_equal(got, bits(w) if t == "bf16" else w.astype(got.dtype)):
            return "differs"
    return None


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    r, count, wrong = np.random.default_rng(1), 0, 0
    cases = [(f"window{i}_{t}", window(*w, t), w[0], t, lambda x, w=w: windows_of(x, *w[1:]))
             for i, w in enumerate(WINDOWS) for t in ("f32", "i32", "bf16")]  # fmt: skip
    cases += [(f"spread{i}", spread(w[0], w[1]), w[0], "f32", lambda x, w=w: spread_of(x, w[1]))
              for i, w in enumerate(WINDOWS)]
    for name, text, shape, t, want in cases:
        x = r.integers(-1, 2, shape) if t == "bf16" else r.integers(-4, 5, shape)
        said = run(name, text, x, t, want(x))
        count, wrong = count + 1, wrong + (said is not None)
        if said:
            print(f"{name}: {said}")
    print(f"{count} programs, {wrong} wrong")


main()
