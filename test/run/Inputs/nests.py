"""Runs programs whose branches and loops are deeper in each other than a function has levels; NumPy has what they give.

  nests.py FOLDER [--policy=WORD]
  nests.py FOLDER --emulate=TOOL     one call of each for a GPU, run by test/gpu/emulate
"""
import itertools
import subprocess
import sys

import numpy as np

ROWS, DEPTH = (5, 3), 20


def text(shape, element="f32"):
    return f"tensor<{'x'.join(str(n) for n in shape)}x{element}>"


def squared(name, x, t, sizes=""):
    """Lines: each element of x times itself, plus a quarter."""
    return [f"%e_{name} = tensor.empty({sizes}) : {t}",
            f"%{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> "
            f"(d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins({x} : {t}) outs(%e_{name} : {t}) {{",
            "^bb0(%p: f32, %q: f32):", "%s = arith.mulf %p, %p : f32", "%r = arith.addf %s, %quarter : f32",
            "linalg.yield %r : f32", f"}} -> {t}"]


def branches(n, shape, sizes=""):
    """n branches in each other, on the way down at each depth a square; a number says how deep it goes."""
    t, out = text(shape), []

    def branch(k, x):
        if k == n:
            return x
        out.extend([f"%n{k} = arith.constant {k} : i32", f"%c{k} = arith.cmpi sgt, %depth, %n{k} : i32",
                    f"%l{k} = scf.if %c{k} -> ({t}) {{", *squared(f"v{k}", x, t, sizes)])
        inner = branch(k + 1, f"%v{k}")
        out.extend([f"scf.yield {inner} : {t}", "} else {", f"scf.yield {x} : {t}", "}"])
        return f"%l{k}"

    result = branch(0, "%x")
    return out, result


def after(x, depth, n=DEPTH):
    for _ in range(min(depth, n)):
        x = x * x + 0.25
    return x


HEAD = ["%quarter = arith.constant 0.25 : f32", "%depth = tensor.extract %d[] : tensor<i32>"]


def function(arguments, results, lines, returned):
    return "\n".join([f"func.func @main({arguments}) -> ({', '.join(results)}) {{", *lines,
                      f"return {', '.join(returned)} : {', '.join(results)}", "}", ""])


def deep():
    """The argument is given back, too: what is nested may not have written it."""
    t = text(ROWS)
    lines, y = branches(DEPTH, ROWS)
    program = function(f"%x: {t}, %d: tensor<i32>", [t, t], HEAD + lines, [y, "%x"])
    x = np.linspace(-0.49, 0.49, 15).reshape(ROWS)
    for depth in (0, 1, 7, 8, 9, 13, 19, 20, 50):
        yield program, [x.astype(np.float32), np.array(depth, np.int32)], [after(x, depth), x], []


def open_sizes():
    """Rows of a size `?`: what a nest gives is as long as what it takes."""
    t = "tensor<?x3xf32>"
    lines, y = branches(DEPTH, ("?", 3), "%m")
    size = ["%zero = arith.constant 0 : index", f"%m = tensor.dim %x, %zero : {t}"]
    program = function(f"%x: {t}, %d: tensor<i32>", [t], HEAD + size + lines, [y])
    x = np.linspace(-0.49, 0.49, 21).reshape(7, 3)
    for depth in (3, 12, 20):
        yield program, [x.astype(np.float32), np.array(depth, np.int32)], [after(x, depth)], []


def gradients():
    """Of the sum of what the branches give."""
    t = text(ROWS)
    lines, y = branches(DEPTH, ROWS)
    lines += ["%zero = arith.constant 0.0 : f32", "%e = tensor.empty() : tensor<f32>",
              "%f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>",
              f"%sum = linalg.reduce ins({y} : {t}) outs(%f : tensor<f32>) dimensions = [0, 1]",
              "(%p: f32, %q: f32) {", "%s = arith.addf %p, %q : f32", "linalg.yield %s : f32", "}"]
    program = function(f"%x: {t}, %d: tensor<i32>", ["tensor<f32>"], HEAD + lines, ["%sum"])
    x = np.linspace(-0.49, 0.49, 15).reshape(ROWS)
    for depth in (0, 5, 11, 20):
        slope = np.prod([2 * after(x, k) for k in range(depth)], axis=0) * np.ones(ROWS)
        yield program, [x.astype(np.float32), np.array(depth, np.int32)], [after(x, depth).sum(), slope], ["--wrt=0"]


def loops(n=10):
    """n loops in each other, of 2 and 1 turns, all of which hand one tensor on; the innermost knows where all stand."""
    t, out, x = "tensor<4xi32>", ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
                                  "%c2 = arith.constant 2 : index", "%c4 = arith.constant 4 : index"], "%x"
    turns = [2 - k % 2 for k in range(n)]
    for k in range(n):
        out.append(f"%l{k} = scf.for %i{k} = %c0 to %c{turns[k]} step %c1 iter_args(%t{k} = {x}) -> ({t}) {{")
        x = f"%t{k}"
    place = "%i0"
    for k in range(1, n):
        out += [f"%d{k} = arith.addi {place}, {place} : index", f"%p{k} = arith.addi %d{k}, %i{k} : index"]
        place = f"%p{k}"
    out += [f"%at = arith.remui {place}, %c4 : index", f"%old = tensor.extract {x}[%at] : {t}",
            f"%n = arith.index_cast {place} : index to i32", "%three = arith.muli %old, %scale : i32",
            f"%new = arith.addi %three, %n : i32", f"%y = tensor.insert %new into {x}[%at] : {t}"]
    y = "%y"
    for k in reversed(range(n)):
        out += [f"scf.yield {y} : {t}", "}"]
        y = f"%l{k}"
    program = function(f"%x: {t}, %d: tensor<i32>", [t, t], ["%scale = tensor.extract %d[] : tensor<i32>", *out],
                       ["%l0", "%x"])
    first = np.arange(4, dtype=np.int32) - 7
    want = first.copy()
    with np.errstate(over="ignore"):
        for index in itertools.product(*(range(m) for m in turns)):
            at = sum(i << (n - 1 - k) for k, i in enumerate(index))
            want[at % 4] = want[at % 4] * np.int32(3) + np.int32(at)
    yield program, [first, np.array(3, np.int32)], [want, first], []


def switch(cases=20):
    """A switch is branches in each other; two of its results are one tensor where no case is."""
    t = "tensor<6xi32>"
    out = ["%i = arith.index_cast %k : i32 to index", "%c0 = arith.constant 0 : index",
           f"%a, %b = scf.index_switch %i -> {t}, {t}"]
    for case in range(cases):
        out += [f"case {3 * case} {{", f"%n = arith.constant {100 + case} : i32", "%m = arith.addi %n, %k : i32",
                f"%y = tensor.insert %m into %x[%c0] : {t}", f"scf.yield %y, %x : {t}, {t}", "}"]
    out += ["default {", f"scf.yield %x, %x : {t}, {t}", "}", f"%w = tensor.insert %k into %b[%c0] : {t}"]
    program = function(f"%x: {t}, %d: tensor<i32>", [t, t, t], ["%k = tensor.extract %d[] : tensor<i32>", *out],
                       ["%a", "%w", "%x"])
    x = np.arange(6, dtype=np.int32)
    for k in (0, 3, 24, 30, 57, 1, -3, 60):
        a, w = x.copy(), x.copy()
        w[0] = k
        if k % 3 == 0 and 0 <= k < 3 * cases:
            a[0] = 100 + k // 3 + k
        yield program, [x, np.array(k, np.int32)], [a, w, x], []


def write(folder, name, program):
    with open(f"{folder}/{name}.mlir", "w", encoding="utf-8") as to:
        to.write(program)
    return f"{folder}/{name}.mlir"


def saved(folder, name, option, arrays):
    for k, a in enumerate(arrays):
        np.save(f"{folder}/{name}_{option}{k}.npy", a.astype(np.float32) if a.dtype == np.float64 else a)
    return [f"--{option}={folder}/{name}_{option}{k}.npy" for k in range(len(arrays))]


def run(folder, name, case):
    _, arguments, wants, _ = case
    outs = [f"{folder}/{name}_out{k}.npy" for k in range(len(wants))]
    subprocess.run(["sinter-exec", f"{folder}/{name}.so", "--quiet", *saved(folder, name, "input", arguments),
                    *(f"--output={out}" for out in outs)], check=True)
    for k, want in enumerate(wants):
        got = np.load(outs[k])
        exact = want.dtype == np.int32
        good = np.array_equal(got, want) if exact else np.allclose(got, want, rtol=1e-5, atol=1e-6)
        if not good:
            print(f"{name}, {arguments[1]}: result {k} is {got.tolist()}, expected {want.tolist()}")
        yield good


def emulated(folder, name, case, tool):
    program, arguments, wants, _ = case
    done = subprocess.run([sys.executable, tool, write(folder, name, program), *saved(folder, name, "input", arguments),
                           *saved(folder, name, "expect", wants)], check=False)
    return done.returncode == 0


CASES = (deep, open_sizes, gradients, loops, switch)


def main():
    folder, *words = sys.argv[1:]
    good, tool = [], words[0].removeprefix("--emulate=") if words and words[0].startswith("--emulate=") else None
    for make in CASES:
        cases, name = list(make()), make.__name__
        if tool:
            good += [emulated(folder, name, cases[-1], tool)] * (not cases[0][3])
            continue
        program = write(folder, name, cases[0][0])
        subprocess.run(["sinter-cc", program, "-o", f"{folder}/{name}.so", *words, *cases[0][3]], check=True)
        good += [right for case in cases for right in run(folder, name, case)]
    print(f"{sum(good)} of {len(good)} results agree")


if __name__ == "__main__":
    main()
