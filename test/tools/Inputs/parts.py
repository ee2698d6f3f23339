"""A program of many kernels, compiled on all processors, on one, and where there is no thread; and run.

Then one of many branches, and one of many layers with constants, whose hosts are not optimised.

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


def host_in_a_part(name, *more):
    """How much of the host's code moves values to the stack and back; that it computes what the program means."""
    program, memory, library = (FOLDER / f"{name}{suffix}" for suffix in (".mlir", "_memory.npy", "_library.npy"))
    run("sinter-cc", program, "-o", FOLDER / f"{name}.o", *more)
    symbols = run("llvm-nm-22", FOLDER / f"{name}.o")
    host = re.search(r" t (main_host\.\d+)$", symbols, re.MULTILINE)
    code = run("llvm-objdump-22", "-d", "--no-show-raw-insn", f"--disassemble-symbols={host[1]}", FOLDER / f"{name}.o")
    lines = re.findall(r"^ *[0-9a-f]+:.*", code, re.MULTILINE)
    much = sum("%rsp" in line for line in lines) > 0.4 * len(lines)
    run("sinter-cc", program, "-o", FOLDER / f"{name}.so", *more)
    run("sinter-run", program, *[m for m in more if "file" not in m], "--verify", "--seed=3", f"--output={memory}")
    run("sinter-exec", FOLDER / f"{name}.so", "--seed=3", f"--output={library}")
    same = memory.read_bytes() == library.read_bytes()
    print(f"{name}: the host is in a part of its own, {'much' if much else 'little'} of its code is about the stack,",
          "what the program means" if same else "not the same")
    return symbols


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
    programs, weights = SOURCE / "bench" / "compile_programs", FOLDER / "weights"
    (FOLDER / "branches.mlir").write_text(run(programs, "branches", "40"))
    (FOLDER / "layers.mlir").write_text(run(programs, "scale", "120", "--weights", weights))
    host_in_a_part("branches")
    for more in ([], [f"--constants-file={FOLDER / 'layers.bin'}"]):
        symbols = host_in_a_part("layers", f"--constants={weights}", *more)
        address = re.search(r" [bd] sinter_constants\.\d+$", symbols, re.MULTILINE)
        print("which reads the constants' address from another:", bool(address))


main()
