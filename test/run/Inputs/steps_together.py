"""Windows that go 2 to 5 elements at a time, over lines that end with the last window or before: integers, so exact.

  steps_together.py FOLDER [--cpu=NAME]
"""
import pathlib
import subprocess
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1])
KINDS = {"bf16": "f4", "f16": "f2", "i8": "i1", "f32": "f4", "f64": "f8"}
# Windows of a line, elements of one, from one to the next, before the first, behind the last; type.
CASES = [(20, 3, 2, 1, 0, "bf16"), (33, 3, 2, 0, 0, "bf16"), (16, 5, 3, 2, 4, "f16"), (17, 2, 4, 0, 0, "f16"),
         (40, 3, 2, 1, 1, "i8"), (19, 4, 3, 0, 0, "i8"), (21, 3, 5, 1, 0, "bf16"), (18, 3, 2, 1, 0, "f32"),
         (33, 3, 3, 0, 0, "f32"), (20, 5, 4, 2, 4, "f32"), (16, 2, 2, 0, 0, "f32"), (19, 3, 2, 1, 0, "f64"),
         (35, 49, 2, 0, 0, "bf16"), (35, 49, 2, 0, 0, "f16")]  # fmt: skip


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    arguments, body, results, inputs, outputs, wanted = [], "", [], [], [], []
    for n, (windows, size, step, before, behind, t) in enumerate(CASES):
        rng = np.random.default_rng(n)
        length = (windows - 1) * step + size - before - behind
        x, w = rng.integers(-4, 5, (5, length)), rng.integers(-4, 5, size)
        wide = np.pad(x, ((0, 0), (before, behind)))
        wanted.append(sum(wide[:, k : k + (windows - 1) * step + 1 : step] * w[k] for k in range(size)))
        for name, a in (("x", x), ("w", w)):
            bits = (a.astype("f4").view("u4") >> 16).astype("u2") if t == "bf16" else a.astype(KINDS[t])
            np.save(FOLDER / f"{name}{n}.npy", bits)
            inputs.append(f"--input={FOLDER}/{name}{n}.npy")
        total, integer = ("i32", True) if t == "i8" else ("f64" if t == "f64" else "f32", False)
        row, short = f"tensor<{size}x{total}>", f"tensor<{size}x{t}>"
        arguments += [f"%x{n}: tensor<5x{length}x{t}>", f"%w{n}: {short}"]
        fill = f" else {0 if integer else 0.0}" if before + behind else ""
        convert = "" if t == total else (f"    %u = arith.{'extsi' if integer else 'extf'} %a : {short} to {row}\n"
                                         f"    %v = arith.{'extsi' if integer else 'extf'} %b : {short} to {row}\n")
        u, v = ("%a", "%b") if t == total else ("%u", "%v")
        body += f"""  %e{n} = tensor.empty() : tensor<5x{windows}x{total}>
  %y{n} = sinter.rowwise (i = 5, j = {windows}) by (k = {size})
      ins(%x{n}[i, j * {step} + k - {before}] : tensor<5x{length}x{t}>{fill}, %w{n}[k] : {short})
      outs(%e{n}[i, j] : tensor<5x{windows}x{total}>) {{
  ^row(%a: {short}, %b: {short}):
{convert}    %p = arith.mul{'i' if integer else 'f'} {u}, {v} : {row}
    %s = sinter.row_reduce add %p : {row} -> {total}
    sinter.yield %s : {total}
  }}
"""
        results.append((f"%y{n}", f"tensor<5x{windows}x{total}>"))
        outputs.append(FOLDER / f"y{n}.npy")
    types = ", ".join(t for _, t in results)
    (FOLDER / "program.mlir").write_text(f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{body}"
                                         f"  return {', '.join(v for v, _ in results)} : {types}\n}}\n")  # fmt: skip
    done = subprocess.run(["sinter-run", FOLDER / "program.mlir", *sys.argv[2:], *inputs,
                           *(f"--output={o}" for o in outputs)], capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    wrong = [c for c, o, y in zip(CASES, outputs, wanted) if not np.array_equal(np.load(o), y)]
    print(f"{len(CASES)} windows, {len(wrong)} wrong", *wrong)


main()
