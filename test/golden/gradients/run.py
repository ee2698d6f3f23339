"""Gradients of products, by every argument, against PyTorch's: how many agree, in each writing and type.

    run.py SINTER_RUN FOLDER WRITING TYPE static|dynamic [--only=NAME] [options of sinter-run]

Each element of a result may differ by what its type rounds, of the largest element.
"""
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import CASES, Writer, text  # noqa: E402

TOLERANCE = {"f64": 1e-13, "f32": 2e-6, "bf16": 8e-3}
DTYPES = {"f64": "<f8", "f32": "<f4", "bf16": "<u2", "i64": "<i8", "i8": "<i1", "i1": "?"}


def save(path, values, element):
    if element == "bf16":  # the upper half of an f32: every argument has nothing in the lower one
        values = values.astype("<f4").view("<u4") >> 16
    np.save(path, np.asarray(values).astype(DTYPES[element]))


def load(path, element):
    values = np.load(path)
    if element == "bf16" and values.dtype.kind != "f":
        values = (values.view("<u2").astype("<u4") << 16).view("<f4")
    return values.astype("f8")


def run(name, case, command, folder, writing, types, dynamic, numbers):
    """What is wrong, or None."""
    w = Writer(case, types, dynamic)
    source, options, results = folder / f"{name}.mlir", [], []
    source.write_text(text(case, writing, types, dynamic))
    for n, (_, _, kind) in enumerate(case.arguments):
        path = folder / f"{name}.in{n}.npy"
        save(path, numbers[f"{name}.in{n}"], w.element[kind])
        options.append(f"--input={path}")
    path = folder / f"{name}.upstream.npy"
    save(path, numbers[f"{name}.upstream"], w.wide)
    options.append(f"--input={path}")
    for n in range(1 + len(case.wrt)):
        results.append(folder / f"{name}.out{n}.npy")
        results[-1].unlink(missing_ok=True)
        options.append(f"--output={results[-1]}")
    done = subprocess.run([command[0], source, f"--wrt={','.join(map(str, case.wrt))}", "--upstream", *options,
                           *command[1:]], capture_output=True, text=True)
    if done.returncode:
        return f"exit code {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[:1]}"
    for n, path in enumerate(results):
        element = w.wide if n == 0 else w.element[case.arguments[case.wrt[n - 1]][2]]
        got, want = load(path, element), numbers[f"{name}.out{n}"].astype("f8")
        what = "the result" if n == 0 else f"the gradient by {case.arguments[case.wrt[n - 1]][0]}"
        if got.shape != want.shape:
            return f"{what} has the shape {got.shape}, not {want.shape}"
        off = float(np.abs(got - want).max() / np.abs(want).max())
        if not off <= TOLERANCE[types]:
            return f"{what} differs by {off:.2g} of its largest element"
    return None


def main():
    sinter_run, folder, writing, types, sizes, *rest = sys.argv[1:]
    only = [option[7:] for option in rest if option.startswith("--only=")]
    rest = [option for option in rest if not option.startswith("--only=")]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    numbers = np.load(pathlib.Path(__file__).resolve().parent / "numbers.npz")
    good = of = 0
    for name, case in CASES.items():
        if (only and name not in only) or (writing == "linalg" and not case.linalg):
            continue
        wrong = run(name, case, [sinter_run, *rest], folder, writing, types, sizes == "dynamic", numbers)
        of, good = of + 1, good + (not wrong)
        if wrong:
            print(f"{name}: {wrong}")
    print(f"{good} of {of} programs agree")
    return good != of or not of


sys.exit(main())
