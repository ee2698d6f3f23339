#!/usr/bin/env python3
"""Programs with large constants: what they compute is compared with NumPy, and damaged ones are refused in words.

  constants.py arrays DIR          writes the files that test/passes/program/constants*.mlir name
  constants.py program             prints a program with a `dense` of 1,028 bytes, and one of 1,024
  constants.py values DIR          compiles and runs drawn programs in every way that constants may be given and kept
  constants.py damaged DIR [N]     the same with a byte or a length changed: right, or an error and no crash
                                   (not bytecode: upstream reads it, and writes outside of its memory)
"""
import pathlib
import random
import subprocess
import sys

import numpy as np

# MLIR's name: how NumPy keeps it, and reads it as numbers
TYPES = {
    "f32": ("<f4", np.float64),
    "f64": ("<f8", np.float64),
    "bf16": ("<u2", np.float64),
    "f16": ("<f2", np.float64),
    "i64": ("<i8", np.int64),
    "i32": ("<i4", np.int64),
    "i8": ("i1", np.int64),
    "i1": ("?", np.int64),
}


def draw(rng, kind, shape):
    if kind == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if kind == "bf16":
        return (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return (rng.standard_normal(shape) * 50).astype(TYPES[kind][0])


def numbers(kind, array):
    if kind == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(TYPES[kind][1])


def write_arrays(folder):
    rng = np.random.default_rng(3)
    w = draw(rng, "f32", (8, 64))
    np.save(folder / "w.npy", w)
    np.save(folder / "twice.npy", 2 * w)
    np.save(folder / "half.npy", draw(rng, "bf16", (16, 64)))
    np.save(folder / "mask.npy", draw(rng, "i1", (40, 64)))
    np.save(folder / "pair.npy", np.array([3, -5]))
    np.save(folder / "bits.npy", np.array([True, False, True]))
    np.save(folder / "ones.npy", np.ones((32, 32), np.float32))
    np.save(folder / "trues.npy", np.ones((2, 600), bool))
    np.save(folder / "nothing.npy", np.zeros((0, 4), np.float32))
    np.save(folder / "columns.npy", np.asfortranarray(w))
    np.save(folder / "big.npy", w.astype(">f4"))
    whole = (folder / "w.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[:-1])
    (folder / "header.npy").write_bytes(whole[:60])
    (folder / "text.npy").write_text("1 2 3 4 5 6")
    (folder / "folder.npy").mkdir()


def hex_of(array):
    return array.tobytes().hex().upper()


def program():
    large, even = np.arange(257, dtype="<i4"), np.arange(256, dtype="<i4")
    print(f"""func.func @large() -> (tensor<257xi32>, tensor<256xi32>, vector<257xi32>) {{
  %a = arith.constant dense<"0x{hex_of(large)}"> : tensor<257xi32>
  %b = arith.constant dense<"0x{hex_of(even)}"> : tensor<256xi32>
  %c = arith.constant dense<"0x{hex_of(large)}"> : vector<257xi32>
  return %a, %b, %c : tensor<257xi32>, tensor<256xi32>, vector<257xi32>
}}""")


def dense_hex(kind, array):
    """An i1 is a bit in a `dense`, the first one the lowest."""
    return hex_of(np.packbits(array, axis=None, bitorder="little")) if kind == "i1" else hex_of(array)


def text_of(cases):
    """One function that widens each constant and adds it to an argument, and the bytes of those in the program."""
    arguments, results, lines, values, resources = [], [], [], [], []
    for k, (kind, array, how) in enumerate(cases):
        shape = "x".join(map(str, array.shape))
        wide = "f64" if kind in ("f32", "f64", "bf16", "f16") else "i64"
        value = f'dense<"0x{dense_hex(kind, array)}">' if how == "dense" else f"dense_resource<c{k}>"
        if how == "inside":
            resources.append(f'      c{k}: "0x{array.itemsize:02X}000000{hex_of(array)}"')
        widen = {"f64": "", "i64": ""}.get(kind, "extf" if wide == "f64" else "extui" if kind == "i1" else "extsi")
        body = f"    %w = arith.{widen} %c : {kind} to {wide}\n" if widen else ""
        add = "arith.addf" if wide == "f64" else "arith.addi"
        lines.append(f"""  %c{k} = arith.constant {value} : tensor<{shape}x{kind}>
  %e{k} = tensor.empty() : tensor<{shape}x{wide}>
  %r{k} = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%c{k}, %x{k} : tensor<{shape}x{kind}>, tensor<{shape}x{wide}>) outs(%e{k} : tensor<{shape}x{wide}>) {{
  ^bb0(%c: {kind}, %x: {wide}, %o: {wide}):
{body}    %s = {add} {"%w" if widen else "%c"}, %x : {wide}
    linalg.yield %s : {wide}
  }} -> tensor<{shape}x{wide}>""")
        arguments.append(f"%x{k}: tensor<{shape}x{wide}>")
        results.append(f"tensor<{shape}x{wide}>")
        values.append(f"%r{k}")
    text = f"""#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main({", ".join(arguments)}) -> ({", ".join(results)}) {{
""" + "\n".join(lines) + f"\n  return {', '.join(values)} : {', '.join(results)}\n}}\n"
    if resources:
        text += "{-#\n  dialect_resources: {\n    builtin: {\n" + ",\n".join(resources) + "\n    }\n  }\n#-}\n"
    return text


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


def write_case(folder, seed):
    """A program, its files, and what it computes; some constants come twice, some are all equal."""
    rng, pick = np.random.default_rng(seed), random.Random(seed)
    cases = []
    for k in range(pick.randint(1, 6)):
        kind = pick.choice(list(TYPES))
        shape = (pick.choice([1, 3, 8, 17]), pick.choice([1, 5, 64, 129, 700]))
        array = draw(rng, kind, shape)
        if cases and pick.random() < 0.3:
            kind, array = cases[-1][0], cases[-1][1].copy()
        elif pick.random() < 0.2:
            array[...] = array[0, 0]
        cases.append((kind, array, pick.choice(["dense", "inside", "file"])))
        if cases[-1][2] == "file":
            np.save(folder / f"c{k}.npy", array)
    (folder / "main.mlir").write_text(text_of(cases))
    expected = []
    for k, (kind, array, _) in enumerate(cases):
        wide = numbers(kind, array)
        x = (rng.standard_normal(wide.shape) * 9).astype(wide.dtype)
        np.save(folder / f"x{k}.npy", x)
        expected.append(x + wide)
    return expected


def roads(folder, n):
    """(how, commands): each leaves y0.npy ... in the folder."""
    files = [f"--input={folder}/x{k}.npy" for k in range(n)] + [f"--output={folder}/y{k}.npy" for k in range(n)]
    main, library, apart = folder / "main.mlir", folder / "main.so", folder / "main.constants"
    compiled = ["sinter-cc", main, f"--constants={folder}", "-o", library]
    execute = ["sinter-exec", library] + files
    yield "run", [["sinter-run", main, f"--constants={folder}"] + files]
    yield "run disabled", [["sinter-run", main, f"--constants={folder}", "--policy=disabled"] + files]
    yield "library", [compiled, execute]
    yield "mapped", [compiled + [f"--constants-file={apart}"], execute]
    yield "bytecode", [["sinter-opt", main, "--emit-bytecode", "-o", folder / "main.mlirbc"],
                       ["sinter-run", folder / "main.mlirbc", f"--constants={folder}"] + files]


def compute(folder, commands, expected):
    """What went wrong, or None."""
    for k in range(len(expected)):
        (folder / f"y{k}.npy").unlink(missing_ok=True)
    for command in commands:
        done = run(*command)
        if "--constants-file has no effect" in done.stdout:
            return None  # nothing in the program is large
        if done.returncode:
            return f"{' '.join(map(str, command[:2]))} ends with {done.returncode}: {done.stdout[:300]}"
    for k, right in enumerate(expected):
        if not np.array_equal(np.load(folder / f"y{k}.npy"), right):
            return f"result {k} is wrong"
    return None


def values(folder):
    wrong = tried = 0
    for seed in range(12):
        here = folder / f"case{seed}"
        here.mkdir(parents=True, exist_ok=True)
        expected = write_case(here, seed)
        for how, commands in roads(here, len(expected)):
            tried += 1
            why = compute(here, commands, expected)
            if why:
                wrong += 1
                print(f"{seed} {how}: {why}")
    print(f"{tried} runs, {wrong} wrong")
    return wrong


def damage(path, pick):
    data = bytearray(path.read_bytes())
    at = pick.randrange(len(data))
    action = pick.randrange(4)
    if action == 0:
        data[at] ^= 1 << pick.randrange(8)
    elif action == 1:
        del data[at:at + pick.choice([1, 2, 64, len(data)])]
    elif action == 2:
        data[at:at] = bytes(pick.randrange(256) for _ in range(pick.choice([1, 2, 64])))
    else:
        data[at:at + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(data)


def damaged(folder, n):
    """Files of a program, or of a library, with something changed: an exit code of ours, never a signal."""
    crashed = refused = 0
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(n):
        pick = random.Random(1000 + seed)
        for old in folder.glob("*"):
            old.unlink()
        expected = write_case(folder, seed % 12)
        road = pick.choice(["run", "library", "mapped"])
        commands = dict(roads(folder, len(expected)))[road]
        if road == "mapped" and run(*commands[0]).returncode == 0:
            commands = commands[1:]
            targets = [folder / "main.constants"]
        else:
            targets = [folder / "main.mlir"] + sorted(folder.glob("c*.npy"))
        target = pick.choice(targets)
        before = target.read_bytes()
        damage(target, pick)
        for command in commands:
            done = run(*command)
            if done.returncode:
                break
        if done.returncode not in (0, 1, 2, 3):
            crashed += 1
            print(f"{seed} {target.name}: {command[0]} ends with {done.returncode}: {done.stdout[:500]}")
        refused += done.returncode != 0
        if road == "mapped" and target.read_bytes() != before and not done.returncode:
            crashed += 1
            print(f"{seed}: a file of constants was changed, and is taken")
    print(f"{n} damaged, {refused} refused, {crashed} crashed")
    return crashed


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    if command == "arrays":
        return write_arrays(folder)
    if command == "program":
        return program()
    if command == "values":
        return values(folder)
    return damaged(folder, int(sys.argv[3]) if len(sys.argv) > 3 else 20)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
