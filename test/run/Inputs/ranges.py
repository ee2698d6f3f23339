"""Rows of pieces that lie one behind the other, with numbers around them, and what is reduced of such rows. Small whole
numbers, so exact.

  ranges.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
KINDS = {"bf16": "f4", "f16": "f2", "i32": "i4", "f32": "f4", "f64": "f8"}
# Columns of each piece; in front of them and behind them; type.
CASES = [([16, 16, 16], 0, 0, "f32"), ([16] * 26, 0, 0, "f32"), ([1], 15, 1, "f32"), ([8] * 12, 0, 0, "f32"),
         ([7, 1, 40, 3, 64], 0, 0, "f32"), ([33], 31, 17, "f32"), ([16, 15, 17, 1], 3, 20, "f32"),
         ([64, 1], 0, 0, "f64"), ([21] * 5, 1, 0, "bf16"), ([32, 64, 5], 0, 11, "bf16"), ([48, 9, 48], 16, 16, "f16"),
         ([5, 90, 5], 2, 3, "i32"), ([3, 2], 1, 1, "f32"), ([400, 100], 0, 0, "f32"),
         ([128] * 3, 100, 7, "i32")]  # fmt: skip


def bits(a, t):
    return (a.astype("f4").view("u4") >> 16).astype("u2") if t == "bf16" else a.astype(KINDS[t])


def each(name, inputs, kind, t, rows, columns):
    """linalg that combines what is read by (i, j) or (i), element by element."""
    maps = ", ".join(f"affine_map<(i, j) -> ({m})>" for _, m in inputs) + ", affine_map<(i, j) -> (i, j)>"
    types = ", ".join(f"tensor<{rows}x{t}>" if m == "i" else f"tensor<{rows}x{columns}x{t}>" for _, m in inputs)
    return f"""  %{name}e = tensor.empty() : tensor<{rows}x{columns}x{t}>
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({", ".join(v for v, _ in inputs)} : {types}) outs(%{name}e : tensor<{rows}x{columns}x{t}>) {{
  ^bb0(%a: {t}, %b: {t}, %o: {t}):
    %r = arith.{kind} %a, %b : {t}
    linalg.yield %r : {t}
  }} -> tensor<{rows}x{columns}x{t}>
"""


def program(n, widths, before, behind, t, rows):
    zero, seven = ("0", "7") if t == "i32" else ("0.0", "7.0")
    letter = "i" if t == "i32" else "f"
    columns, joined = sum(widths), f"%j{n}"
    names = [f"%x{n}_{k}" for k in range(len(widths))]
    types = [f"tensor<{rows}x{w}x{t}>" for w in widths]
    wide = columns + before + behind
    text = f"""  %z{n} = arith.constant {zero} : {t}
  %s{n} = arith.constant {seven} : {t}
"""
    text += f"  {joined} = tensor.concat dim(1) {', '.join(names)} : ({', '.join(types)})"
    text += f" -> tensor<{rows}x{columns}x{t}>\n"
    if before or behind:
        text += f"""  %p{n} = tensor.pad {joined} low[0, {before}] high[0, {behind}] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %s{n} : {t}
  }} : tensor<{rows}x{columns}x{t}> to tensor<{rows}x{wide}x{t}>
"""
        joined = f"%p{n}"
    text += each(f"d{n}", [(joined, "i, j"), (joined, "i, j")], "add" + letter, t, rows, wide)
    text += f"""  %re{n} = tensor.empty() : tensor<{rows}x{t}>
  %rz{n} = linalg.fill ins(%z{n} : {t}) outs(%re{n} : tensor<{rows}x{t}>) -> tensor<{rows}x{t}>
  %m{n} = linalg.reduce {{ arith.{"maxsi" if t == "i32" else "maximumf"} }} ins(%d{n} : tensor<{rows}x{wide}x{t}>)
      outs(%rz{n} : tensor<{rows}x{t}>) dimensions = [1]
"""
    text += each(f"y{n}", [(f"%d{n}", "i, j"), (f"%m{n}", "i")], "sub" + letter, t, rows, wide)
    return text, list(zip(names, types)), f"tensor<{rows}x{wide}x{t}>"


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    body, arguments, results, inputs, outputs, wanted = "", [], [], [], [], []
    for n, (widths, before, behind, t) in enumerate(CASES):
        rng, rows = np.random.default_rng(n), 37
        pieces = [rng.integers(-3, 4, (rows, w)) for w in widths]
        x = 2 * np.pad(np.concatenate(pieces, 1), ((0, 0), (before, behind)), constant_values=7)
        wanted.append(bits(x - np.maximum(x.max(1, keepdims=True), 0), t))
        text, own, result = program(n, widths, before, behind, t, rows)
        body += text
        for (name, kind), piece in zip(own, pieces):
            np.save(FOLDER / f"{name[1:]}.npy", bits(piece, t))
            inputs.append(f"--input={FOLDER}/{name[1:]}.npy")
            arguments.append(f"{name}: {kind}")
        results.append((f"%y{n}", result))
        outputs.append(FOLDER / f"y{n}.npy")
    types = ", ".join(t for _, t in results)
    (FOLDER / "program.mlir").write_text(f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}"
                                         f"  return {', '.join(v for v, _ in results)} : {types}\n}}\n")  # fmt: skip
    done = subprocess.run(["sinter-run", FOLDER / "program.mlir", *sys.argv[2:], *inputs,
                           *(f"--output={file}" for file in outputs)], check=False)  # fmt: skip
    if done.returncode:
        sys.exit(done.returncode)
    wrong = [n for n, (file, want) in enumerate(zip(outputs, wanted)) if not np.array_equal(np.load(file), want)]
    print(f"{len(wanted)} results, {len(wrong)} wrong: {wrong}")


main()
