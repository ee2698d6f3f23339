"""Every operation that dialects of tensors register, in a small program for the CPU, against NumPy.

    every_op.py SINTER-CC FOLDER [--policy=disabled] [--all] [--each] [--only=OP] < operations, one a line

An operation that has neither a case nor a reason why it cannot be in a program on tensors is a failure, and so is a
case of one that is not registered. One that stops at a limit of upstream's is an error, with its text. Of an
operation with many programs a few run, or with --all all. --each compiles each program by itself, to see all that do
not.

With --target=gpu programs are compiled to PTX and not run, of an operation the first or with --all all;
test/gpu/host_code runs those that leave work to the host.
"""

import argparse
import os
import subprocess
import sys

import library
from operations import cases, complexes, elements, linalg, structure, tosa

FEW = 2  # programs of an operation that run without --all


def chosen_cases(a):
    by_op = {}
    for case in cases.CASES:
        if case.op.startswith(a.only) and case.op not in cases.REFUSED:
            by_op.setdefault(case.op, []).append(case)
    for op, all_of_it in by_op.items():
        n = len(all_of_it)
        places = range(n) if a.all or n <= FEW else sorted({k * (n - 1) // (FEW - 1) for k in range(FEW)})
        if a.target == "gpu" and not a.all:
            places = range(1)
        for k in places:
            yield f"{op.replace('.', '_')}_{k}", all_of_it[k]


def compiled(a, name, text, dialect):
    if a.target == "gpu":
        return compiled_for_gpu(a, name, text, dialect)
    source, target = os.path.join(a.folder, f"{name}.mlir"), os.path.abspath(os.path.join(a.folder, f"{name}.so"))
    with open(source, "w") as f:
        f.write(text)
    done = subprocess.run([a.compiler, source, "-o", target, f"--policy={a.policy}", f"--input-dialect={dialect}"],
                          stderr=subprocess.PIPE, text=True)  # fmt: skip
    if done.returncode:
        return None, done.stderr
    return library.load(target), ""


def compiled_for_gpu(a, name, text, dialect):
    source = os.path.join(a.folder, f"{name}.mlir")
    with open(source, "w") as f:
        f.write(text)
    done = subprocess.run([a.compiler, source, "-o", os.path.join(a.folder, f"{name}.o"), "--target=gpu", "--ptx",
                           f"--policy={a.policy}", f"--input-dialect={dialect}"],
                          stderr=subprocess.PIPE, text=True)  # fmt: skip
    return (None, done.stderr) if done.returncode else ({}, "")


def wrong(case, functions, name):
    """What a run says against a case; empty where it is right."""
    try:
        got = functions[name](*case.ins, shapes=[list(w.shape) for w in case.wants])
    except library.Failed as failed:
        return str(failed)
    return "" if case.right(got) else f"got {[x.tolist() for x in got]}, want {[w.tolist() for w in case.wants]}"


def not_refused(a, case, text):
    """Where a case of what is refused is anything but an error of ours with this text, at its place; else empty."""
    dialect = "tosa" if case.op.startswith("tosa.") else "linalg"
    functions, said = compiled(a, "refused", case.function("refused"), dialect)
    errors = [line for line in said.splitlines() if ": error: " in line and not line.startswith("sinter-cc")]
    right = functions is None and errors and all(".mlir:" in e and text in e for e in errors)
    right = right and len(errors) == 1
    return "" if right else f"{case.op}: is to be one error, and says {said.strip()[:400]!r}"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("compiler")
    p.add_argument("folder")
    p.add_argument("--policy", default="medium")
    p.add_argument("--target", default="cpu", choices=["cpu", "gpu"])
    p.add_argument("--all", action="store_true")
    p.add_argument("--each", action="store_true")
    p.add_argument("--only", default="")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    registered = set(sys.stdin.read().split())
    chosen = dict(chosen_cases(a))
    failures = []
    for op in sorted(registered - {c.op for c in cases.CASES} - set(cases.CANNOT)):
        failures.append(f"{op}: no case")
    for op in sorted(({c.op for c in cases.CASES} | set(cases.CANNOT)) - registered):
        failures.append(f"{op}: has a case and is not registered")
    for dialect in ("linalg", "tosa"):
        mine = {n: c for n, c in chosen.items() if c.op.startswith("tosa.") == (dialect == "tosa")}
        texts = {n: c.function(n) for n, c in mine.items()}
        for name, c in mine.items():
            if c.op not in texts[name]:
                failures.append(f"{name}: has no {c.op}")
        if a.each:
            loaded = {}
            for name in mine:
                functions, said = compiled(a, name, texts[name], dialect)
                if functions is not None:
                    loaded |= functions
                else:
                    failures.append(f"{name}: {said.strip()[:600]}")
        else:
            loaded, said = compiled(a, dialect, "\n".join(texts.values()), dialect) if mine else ({}, "")
            if loaded is None:
                failures.append(said)
                continue
        for name, c in mine.items():
            why = wrong(c, loaded, name) if name in loaded else ""
            if why:
                failures.append(f"{name}: {why[:400]}")
    refused = [c for c in cases.CASES if c.op in cases.REFUSED and c.op.startswith(a.only)]
    failures += [said for c in refused if (said := not_refused(a, c, cases.REFUSED[c.op]))]
    for line in failures:
        print(f"FAIL {line}")
    print(f"{len(registered)} operations, {len(chosen)} programs, {len(refused)} refused, {len(failures)} wrong")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
