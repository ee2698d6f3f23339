"""Indices that 32 bits do not hold, in a kernel: each is reported, and those that count from the end read their row.

    wide_index.py EMULATE FOLDER
"""

import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def run(emulate, folder, t, *more):
    table = np.arange(15, dtype=np.float32).reshape(5, 3)
    t = np.asarray(t, np.int64)
    np.save(f"{folder}/table.npy", table)
    np.save(f"{folder}/t.npy", t)
    np.save(f"{folder}/want.npy", table[np.where((t >= -5) & (t < 5), t, 0)])
    done = subprocess.run([sys.executable, emulate, f"{HERE}/Inputs/wide_index.mlir", f"--input={folder}/table.npy",
                           f"--input={folder}/t.npy",
                           # fmt: skip
                           f"--expect={folder}/want.npy", "--tolerance=0", *more], capture_output=True, text=True,
                           check=False)
    return done.returncode, done.stdout.strip() + done.stderr[:500]


def main():
    emulate, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    bad = 0
    cases = [([0, 4, -1, -2, -5, 3, -3, 1], ())]
    for outside in (-6, 2**31, 2**32 + 1, -(2**63)):
        cases.append(([0, 1, outside, 2, 3, 4, 0, 1], ("--fails=index out of the table",)))
    for t, more in cases:
        code, said = run(emulate, folder, t, *more)
        if code:
            bad += 1
            print(f"FAIL {t}: {said}")
    print(f"{len(cases)} calls, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
