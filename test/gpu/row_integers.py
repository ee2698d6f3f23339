"""Integer operations of math in kernels of a GPU, thread by thread on the CPU, against Python's integers.

    row_integers.py FOLDER
"""

import os
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "run" / "Inputs"))
import integers  # noqa: E402

COUNT = 311
POWERS = (0, 1, 2, 13, -1)


def program(n):
    """All operations of one width on %x and %y in a row: a result each."""
    t = f"i{n}"
    row = f"tensor<{COUNT}x{t}>"
    constants = [f"%p{i} = arith.constant {p} : {t}" for i, p in enumerate(POWERS)]
    bodies = [f"{o} %a : {t}" for o in integers.UNARY] + [f"math.ipowi %a, %b : {t}"] + [f"math.ipowi %a, %p{i} : {t}"
        for i in range(len(POWERS))]
    k = len(bodies)
    maps, results = ", ".join(["affine_map<(i) -> (i)>"] * (k + 2)), ", ".join([row] * k)
    lines = "\n".join([*constants, *(f"    %r{i} = {b}" for i, b in enumerate(bodies))])
    return f"""func.func @main(%x: {row}, %y: {row}) -> ({results}) {{
  %e = tensor.empty() : {row}
  %z:{k} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} ins(%x, %y : {row}, {row})
      outs({', '.join(['%e'] * k)} : {results}) {{
  ^one(%a: {t}, %b: {t}, {', '.join(f'%o{i}: {t}' for i in range(k))}):
    {lines}
    linalg.yield {', '.join(f'%r{i}' for i in range(k))} : {', '.join([t] * k)}
  }} -> ({results})
  return {', '.join(f'%z#{i}' for i in range(k))} : {results}
}}
"""


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(7)
    bad = 0
    for n in integers.WIDTHS:
        x, y = (integers.integers(rng, n, COUNT) for _ in range(2))
        y[::2] %= 11  # powers that are not 0
        pairs = list(zip(x.tolist(), y.tolist()))
        want = [[f(a, n) for a, _ in pairs] for f in integers.UNARY.values()] + [[integers.power(a, b,
            n) for a, b in pairs]]
        want += [[integers.power(a, p, n) for a, _ in pairs] for p in POWERS]
        source = f"{folder}/i{n}.mlir"
        with open(source, "w") as f:
            f.write(program(n))
        for name, values in (("x", x), ("y", y), *((f"z{i}", integers.wrapped(w, n)) for i, w in enumerate(want))):
            np.save(f"{folder}/i{n}_{name}.npy", values)
        files = [f"--input={folder}/i{n}_{v}.npy" for v in "xy"] + [f"--expect={folder}/i{n}_z{i}.npy"
            for i in range(len(want))]
        bad += subprocess.run([sys.executable, HERE / "emulate", source, *files, "--tolerance=0"],
                              check=False).returncode != 0
    print(f"{len(integers.WIDTHS)} widths, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
