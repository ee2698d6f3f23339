"""A program of many kernels, compiled on all processors, on one, and where there is no thread; and run.

  parts.py FOLDER SOURCE BUILD
"""
import os
import pathlib
import re
import subprocess
import sys

FOLDER, SOURCE, BUILD = map(pathlib.Path, sys.argv[1:])
PROGRAM = FOLDER / "program.mlir"


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr[-2000:]}")
    return done.stdout + done.stderr


def compiled(name, **more):
    run("sinter-cc", PROGRAM, "-o", FOLDER / name / "program.o", "--name=program", **more)
    return (FOLDER / name / "program.o").read_bytes()


def main():
    for name in ("", "one", "none"):
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    PROGRAM.write_text(run(SOURCE / "bench" / "compile_programs", "kernels", "30"))
    whole = compiled("")
    names = run("llvm-nm-22", FOLDER / "program.o")
    print("symbols that several parts see:", len(re.findall(r" t \S+\.\d+$", names, re.MULTILINE)))
    one = compiled("one", preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    print("one processor: the", "same" if one == whole else "another", "object")
    inject = BUILD / "test" / "bin" / "libsinter-inject.so"
    none = compiled("none", env=os.environ | {"SINTER_INJECT": "threads:1+", "LD_PRELOAD": str(inject)})
    print("no thread: the", "same" if none == whole else "another", "object")
    run("sinter-cc", PROGRAM, "-o", FOLDER / "program.so")
    run("sinter-run", PROGRAM, "--verify", "--seed=3", f"--output={FOLDER / 'memory.npy'}")
    run("sinter-exec", FOLDER / "program.so", "--seed=3", f"--output={FOLDER / 'library.npy'}")
    same = (FOLDER / "memory.npy").read_bytes() == (FOLDER / "library.npy").read_bytes()
    print("in memory and from a library:", "what the program means" if same else "not the same")


main()
