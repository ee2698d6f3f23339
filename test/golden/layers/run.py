"""Gradients of single layers by every argument, against PyTorch's in float64.

    run.py SINTER_RUN FOLDER f64|bf16|f32? [--part=K/N] [--only=NAME] [--twice=SINTER_OPT] [options of sinter-run]

f32? has dimensions `?`. With --twice, the gradient by the first argument is differentiated again, by all of them and
the upstream. Each element of a result may differ by what its type rounds, of the largest element.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

TOLERANCE = {"f64": 1e-12, "f32": 2e-5, "bf16": 4e-2}
DTYPES = {"f64": "<f8", "f32": "<f4", "bf16": "<u2"}


def save(path, values, kind):
    if kind == "bf16" and values.dtype.kind == "f":  # the upper half of an f32: the lower one is 0
        values = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
    np.save(path, values.astype(DTYPES[kind]) if values.dtype.kind == "f" else values)


def load(path, kind):
    values = np.load(path)
    if kind == "bf16" and values.dtype.kind != "f":
        values = (values.reshape(-1).astype("<u4") << 16).view("<f4").reshape(values.shape)
    return values.astype("f8")


def differentiated(opt, source, to, wrt, upstream):
    """The gradients of a program, and those of the first of them again."""
    first = ",".join(map(str, wrt))
    passes = ["sinter-prepare", f"sinter-corners{{wrt={first}}}", "sinter-raise",
              f"sinter-differentiate{{wrt={first} upstream=true}}",
              f"sinter-differentiate{{wrt={first},{upstream} upstream=true result=1}}"]  # fmt: skip
    return subprocess.run([opt, f"--pass-pipeline=builtin.module({','.join(passes)})", source, "-o", to],
                          capture_output=True, text=True)  # fmt: skip


def run(name, text, writing, command, folder, made, twice, bounds=()):
    """What is wrong, or None. bounds: of some results, where the type's own is less."""
    kind = writing.rstrip("?")
    source = folder / f"{name}.mlir"
    source.write_text(text)
    given = [made[f"{name}.in{k}"] for k in range(100) if f"{name}.in{k}" in made]
    wanted = [made[f"{name}.out{k}"] for k in range(100) if f"{name}.out{k}" in made]
    wrt = [k for k, v in enumerate(given[:-1]) if v.dtype.kind == "f"]
    if twice:
        given.append(made[f"{name}.v"])
        wanted += [made[f"{name}.second{k}"] for k in range(len(wrt) + 1)]
    options = []
    for k, v in enumerate(given):
        save(folder / f"{name}.in{k}.npy", v, kind)
        options.append(f"--input={folder}/{name}.in{k}.npy")
    for k in range(len(wanted)):
        (folder / f"{name}.out{k}.npy").unlink(missing_ok=True)
        options.append(f"--output={folder}/{name}.out{k}.npy")
    how = [f"--wrt={','.join(map(str, wrt))}", "--upstream"]
    if twice:
        once, source = source, folder / f"{name}.twice.mlir"
        done, how = differentiated(twice, once, source, wrt, len(given) - 2), []
    if not twice or not done.returncode:
        done = subprocess.run([command[0], source, *how, *options, *command[1:]], capture_output=True, text=True)
    if done.returncode:
        return f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[:400]}"
    for k, want in enumerate(wanted):
        got = load(folder / f"{name}.out{k}.npy", kind)
        if got.shape != want.shape:
            return f"result {k} has the shape {got.shape}, not {want.shape}"
        off = np.abs(got - want).max() / max(np.abs(want).max(), 1e-3)
        if not off <= max([TOLERANCE[kind], *bounds[k : k + 1]]):
            return f"result {k} differs by {off:.2g} of its largest element"
    return None


def main():
    sinter_run, folder, writing, *rest = sys.argv[1:]
    part, parts = next(([int(n) for n in a[7:].split("/")] for a in rest if a.startswith("--part=")), [0, 1])
    only = [a[7:] for a in rest if a.startswith("--only=")]
    twice = next((a[8:] for a in rest if a.startswith("--twice=")), None)
    rest = [a for a in rest if not a.startswith(("--part=", "--only=", "--twice="))]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made = np.load(pathlib.Path(__file__).resolve().parent / "programs.npz")
    texts = json.loads(made[writing].tobytes())
    names = only or [n for n in texts if not twice or f"{n}.v" in made][part::parts]
    good = 0
    for name in names:
        wrong = run(name, texts[name], writing, [sinter_run, *rest], folder, made, twice)
        good += not wrong
        if wrong:
            print(f"{name}: {wrong}")
    print(f"{good} of {len(names)} layers agree")
    return good != len(names) or not names


if __name__ == "__main__":
    sys.exit(main())
