"""Gradients of one operation by more inputs than one form has operands or sums for; NumPy has each.

  many_gradients.py FOLDER
"""
import subprocess
import sys

import numpy as np

ROWS, COLUMNS = 5, 3


def generic(n, maps, types, body):
    ins, all_maps = ", ".join(f"%x{k}" for k in range(n)), ", ".join([*maps, "affine_map<(d0, d1) -> (d0, d1)>"])
    out = f"tensor<{ROWS}x{COLUMNS}xf32>"
    arguments = "".join(f"%p{k}: f32, " for k in range(n))
    return "\n".join([
        f"  %e = tensor.empty() : {out}",
        f"  %y = linalg.generic {{indexing_maps = [{all_maps}],",
        f"      iterator_types = [\"parallel\", \"parallel\"]}} ins({ins} : {', '.join(types)}) outs(%e : {out}) {{",
        f"  ^bb0({arguments}%o: f32):", *body, f"  }} -> {out}"])


def program(n, maps, types, scaled):
    """The sum of what each input times the next one is, times the last input where `scaled`."""
    m = n - scaled
    body = ["    %s0 = arith.mulf %p0, %p1 : f32"]
    for k in range(1, m - 1):
        body += [f"    %m{k} = arith.mulf %p{k}, %p{k + 1} : f32", f"    %s{k} = arith.addf %s{k - 1}, %m{k} : f32"]
    last = f"%s{m - 2}"
    if scaled:
        body.append(f"    %t = arith.mulf {last}, %p{n - 1} : f32")
        last = "%t"
    body.append(f"    linalg.yield {last} : f32")
    arguments = ", ".join(f"%x{k}: {t}" for k, t in enumerate(types))
    out = f"tensor<{ROWS}x{COLUMNS}xf32>"
    return f"""func.func @main({arguments}) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
{generic(n, maps, types, body)}
  %f = tensor.empty() : tensor<f32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce ins(%y : {out}) outs(%g : tensor<f32>) dimensions = [0, 1]
  (%p: f32, %q: f32) {{
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  }}
  return %sum : tensor<f32>
}}
"""


def neighbours(xs):
    """Of each, the one in front of it and the one behind it, added."""
    zero = np.zeros_like(xs[0])
    return [(xs[k - 1] if k else zero) + (xs[k + 1] if k + 1 < len(xs) else zero) for k in range(len(xs))]


def check(folder, name, maps, arrays, scaled, wants):
    types = [f"tensor<{'x'.join(str(n) for n in a.shape)}xf32>" for a in arrays]
    path, command = f"{folder}/{name}.mlir", ["sinter-run", f"{folder}/{name}.mlir", "--quiet"]
    with open(path, "w", encoding="utf-8") as to:
        to.write(program(len(arrays), maps, types, scaled))
    command.append("--wrt=" + ",".join(str(k) for k in range(len(wants))))
    for k, a in enumerate(arrays):
        np.save(f"{folder}/in{k}.npy", a.astype(np.float32))
        command.append(f"--input={folder}/in{k}.npy")
    command += [f"--output={folder}/out{k}.npy" for k in range(len(wants) + 1)]
    subprocess.run(command, check=True)
    got = [np.load(f"{folder}/out{k + 1}.npy") for k in range(len(wants))]
    good = [np.allclose(g, want, rtol=1e-5, atol=1e-5) for g, want in zip(got, wants)]
    print(f"{name}: {sum(good)} of {len(good)} gradients agree")


def main():
    folder, rng = sys.argv[1], np.random.default_rng(3)
    xs = [rng.standard_normal((ROWS, COLUMNS)) for _ in range(520)]
    check(folder, "tensors", ["affine_map<(d0, d1) -> (d0, d1)>"] * len(xs), xs, False, neighbours(xs))
    rows, x = [rng.standard_normal(COLUMNS) for _ in range(300)], rng.standard_normal((ROWS, COLUMNS))
    maps = ["affine_map<(d0, d1) -> (d1)>"] * len(rows) + ["affine_map<(d0, d1) -> (d0, d1)>"]
    check(folder, "rows", maps, [*rows, x], True, [g * x.sum(axis=0) for g in neighbours(rows)])


if __name__ == "__main__":
    main()
