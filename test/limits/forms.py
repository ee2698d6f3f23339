"""Forms as large as capi/limits.h allows, and one larger, through every pass.

Usage: forms.py --bin=FOLDER [--all] [--kind=NAME] [--print=KIND,COUNT] [--prefix=COMMAND]

What is within a limit goes through each pass and pipeline; what is not gives one located error. Anything else (a
signal, an error without a place, a time of more than 60 s) is a failure. Without --all only the largest ones, and
17 (one more than many arrays had once), are tried. The limits are read from capi/limits.h.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")  # upstream keeps what it registers

LIMITS = {
    name: int(number)
    for name, number in re.findall(r"(SN_MAX_\w+) = (\d+)",
                                   (pathlib.Path(__file__).parents[2] / "capi" / "limits.h").read_text())
}


def words(format, n):
    return ", ".join(format.format(k=k) for k in range(n))


def function(arguments, results, *lines):
    body = "\n  ".join(lines)
    return f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n}}\n"


def added(values, type, name="%y"):
    """Lines that add values."""
    lines, total = [], values[0]
    for k, v in enumerate(values[1:]):
        lines.append(f"%sum{k} = arith.addf {total}, {v} : {type}")
        total = f"%sum{k}"
    return [*lines, f"{name} = arith.addf {total}, {total} : {type}"]


def rowwise(head, ins, outs, row, body, yielded, finish="", reduce="", result="tensor<4x8xf32>", arguments=""):
    return function(
        arguments,
        result,
        f"%r = sinter.rowwise {head} {f'ins({ins})' if ins else ''} {f'reduce({reduce})' if reduce else ''} "
        f"outs({outs}) {{",
        f"^row({row}):",
        *body,
        f"sinter.yield {yielded}",
        f"}}{finish}",
        f"return %r : {result}",
    )


def dims(n, columns=False):
    t = "tensor<" + "1x" * (n - 1) + "3xf32>"
    names, sizes = words("d{k}", n), ", ".join([words("d{k} = 1", n - 1), f"d{n - 1} = 3"])
    row = "tensor<3xf32>" if columns else "f32"
    head = f"() by ({sizes})" if columns else f"({sizes}) by ()"
    return rowwise(head, f"%x[{names}] : {t}", f"%e[{names}] : {t}", f"%a: {row}", [f"%y = arith.mulf %a, %a : {row}"],
                   f"%y : {row}", result=t, arguments=f"%x: {t}, %e: {t}")


def columns(n):
    return dims(n, True)


def operands(n):
    # n - 1 inputs and a destination.
    ins = ", ".join(f"%a{k}[i, j] : tensor<4x8xf32>" for k in range(n - 1))
    row = words("%x{k}: tensor<8xf32>", n - 1)
    body = added([f"%x{k}" for k in range(n - 1)], "tensor<8xf32>")
    arguments = words("%a{k}: tensor<4x8xf32>", n - 1) + ", %e: tensor<4x8xf32>"
    return rowwise("(i = 4) by (j = 8)", ins, "%e[i, j] : tensor<4x8xf32>", row, body, "%y : tensor<8xf32>",
                   arguments=arguments)


def outputs(n):
    # One input and n - 1 destinations.
    t, m = "tensor<4x8xf32>", n - 1
    outs = ", ".join(f"%e[i, j] : {t}" for _ in range(m))
    results = ", ".join([t] * m)
    body = [f"%c{k} = arith.constant {k}.0 : f32" for k in range(m)]
    body += [f"%b{k} = sinter.broadcast %c{k} : f32 -> tensor<8xf32>" for k in range(m)]
    body += [f"%y{k} = arith.mulf %a, %b{k} : tensor<8xf32>" for k in range(m)]
    return function(
        f"%x: {t}",
        results,
        f"%e = tensor.empty() : {t}",
        f"%r:{m} = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : {t}) outs({outs}) {{",
        "^row(%a: tensor<8xf32>):",
        *body,
        f"sinter.yield {words('%y{k}', m)} : {', '.join(['tensor<8xf32>'] * m)}",
        "}",
        f"return {words('%r#{k}', m)} : {results}",
    )


def accumulators(n):
    body = [f"%c{k} = arith.constant {k}.0 : f32" for k in range(n)]
    body += [f"%y{k} = arith.mulf %a, %c{k} : f32" for k in range(n)]
    finish = " finish {\n  ^done(" + words("%s{k}: f32",
                                           n) + "):\n  " + "\n  ".join(added([f"%s{k}" for k in range(n)], "f32",
                                               "%z")) + "\n  sinter.yield %z : f32\n  }"
    yielded = words("%y{k}", n) + " : " + ", ".join(["f32"] * n)
    reduce = ", ".join(["add [] : f32"] * n)
    return rowwise("(i = 4) by ()", "%x[i] : tensor<4xf32>", "%e[] : tensor<f32>", "%a: f32", body, yielded, finish,
                   reduce, "tensor<f32>", "%x: tensor<4xf32>, %e: tensor<f32>")


def reductions(n):
    body = []
    for k in range(n):
        body += [
            f"%c{k} = arith.constant {k}.0 : f32",
            f"%b{k} = sinter.broadcast %c{k} : f32 -> tensor<8xf32>",
            f"%m{k} = arith.mulf %a, %b{k} : tensor<8xf32>",
            f"%s{k} = sinter.row_reduce add %m{k} : tensor<8xf32> -> f32",
        ]
    body += added([f"%s{k}" for k in range(n)], "f32")
    return rowwise("(i = 4) by (j = 8)", "%x[i, j] : tensor<4x8xf32>", "%e[i] : tensor<4xf32>", "%a: tensor<8xf32>",
                   body, "%y : f32", result="tensor<4xf32>", arguments="%x: tensor<4x8xf32>, %e: tensor<4xf32>")


def products(n):
    # Each with a dimension of its own, beside a row and a column.
    m = n - 2
    of = "\n  ".join(f"product (k{k} = 3) (%x[i, k{k}] : tensor<4x3xf32>, %w[k{k}, j] : tensor<3x8xf32>) : f32"
                     for k in range(m))
    body = added([f"%p{k}" for k in range(m)], "tensor<8xf32>")
    return function(
        "%x: tensor<4x3xf32>, %w: tensor<3x8xf32>, %e: tensor<4x8xf32>",
        "tensor<4x8xf32>",
        f"%r = sinter.contract (i = 4) by (j = 8)\n  {of}\n  outs(%e[i, j] : tensor<4x8xf32>) {{",
        f"^row({words('%p{k}: tensor<8xf32>', m)}):",
        *body,
        "sinter.yield %y : tensor<8xf32>",
        "}",
        "return %r : tensor<4x8xf32>",
    )


def groups(n):
    # A row, and n - 1 groups of one column each: each row is multiplied again for the next one.
    m = n - 1
    by = " ".join(f"by (g{k} = {2 + k % 2})" for k in range(m))
    shapes = [f"{2 + k % 2}x{2 + (k + 1) % 2}xf32" for k in range(m - 1)]
    of = "\n  ".join(f"matrix (g{k}) to (g{k + 1}) (%m{k}[g{k}, g{k + 1}] : tensor<{t}>)"
                     for k, t in enumerate(shapes))
    body = [f"%r{k + 1} = sinter.row_product %r{k}, %w{k} : tensor<{t[0]}xf32>, tensor<{t}> -> tensor<{t[2]}xf32>"
            for k, t in enumerate(shapes)]
    last = f"{2 + (m - 1) % 2}xf32>"
    row = ", ".join([*(f"%w{k}: tensor<{t}>" for k, t in enumerate(shapes)), "%r0: tensor<2xf32>"])
    arguments = ", ".join([f"%x: tensor<4x2xf32>, %e: tensor<4x{last}",
        *(f"%m{k}: tensor<{t}>" for k, t in enumerate(shapes))])
    return function(arguments, f"tensor<4x{last}",
                    f"%y = sinter.rowwise (i = 4) {by} {of} ins(%x[i, g0] : tensor<4x2xf32>) "
                    f"outs(%e[i, g{m - 1}] : tensor<4x{last}) {{",
                    f"^row({row}):", *body, f"sinter.yield %r{m - 1} : tensor<{last}", "}",
                    f"return %y : tensor<4x{last}")


def matrices(n):
    # n - 2 of them: with a row and a column, as many dimensions as the products that they become.
    m, t = n - 2, "tensor<2x3xf32>"
    of = "\n  ".join(f"matrix (j) to (e) (%m{k}[j, e] : {t})" for k in range(m))
    body = [f"%r{k} = sinter.row_product %a, %w{k} : tensor<2xf32>, {t} -> tensor<3xf32>" for k in range(m)]
    body += added([f"%r{k}" for k in range(m)], "tensor<3xf32>", "%s")
    return function(f"%x: tensor<4x2xf32>, %e: tensor<4x3xf32>, {words('%m{k}: ' + t, m)}", "tensor<4x3xf32>",
                    f"%y = sinter.rowwise (i = 4) by (j = 2) by (e = 3) {of} ins(%x[i, j] : tensor<4x2xf32>) "
                    "outs(%e[i, e] : tensor<4x3xf32>) {",
                    f"^row({words('%w{k}: ' + t, m)}, %a: tensor<2xf32>):", *body, "sinter.yield %s : tensor<3xf32>",
                    "}", "return %y : tensor<4x3xf32>")


def side(n):
    # A side of n - 2 accesses, the other one, and a destination.
    m, t = n - 2, "tensor<4x3xf32>"
    accesses = ", ".join(f"%x{k}[i, k] : {t}" for k in range(m))
    body = "\n  ".join(added([f"%v{k}" for k in range(m)], "tensor<3xf32>", "%s"))
    return function(f"{words('%x{k}: ' + t, m)}, %w: tensor<3x8xf32>, %e: tensor<4x8xf32>", "tensor<4x8xf32>",
                    f"%r = sinter.contract (i = 4) by (j = 8) product (k = 3) (side({accesses}) {{",
                    f"^side({words('%v{k}: tensor<3xf32>', m)}):\n  {body}\n  sinter.yield %s : tensor<3xf32>",
                    "}, %w[k, j] : tensor<3x8xf32>) : f32 outs(%e[i, j] : tensor<4x8xf32>) {",
                    "^row(%p: tensor<8xf32>):\n  sinter.yield %p : tensor<8xf32>", "}",
                    "return %r : tensor<4x8xf32>")


def indirect(n):
    t = "tensor<" + "2x" * n + "f32>" if n < 20 else "tensor<" + "1x" * n + "f32>"
    subscripts = words("%t{k}[i] : tensor<4xi64>", n)
    arguments = f"%x: {t}, %e: tensor<4xf32>, " + words("%t{k}: tensor<4xi64>", n)
    # one that nothing uses, so that the form is made again without it
    ins = f"%e[i] : tensor<4xf32>, %x[{subscripts}] : {t}"
    return rowwise("(i = 4) by ()", ins, "%e[i] : tensor<4xf32>", "%u: f32, %a: f32", ["%y = arith.mulf %a, %a : f32"],
                   "%y : f32", result="tensor<4xf32>", arguments=arguments)


def gather(n):
    shape = "1x" * n + "f32"
    body = [
        "%z = arith.constant 0.0 : f32",
        f"%y = sinter.gather %a[{', '.join(['%i'] * n)}] else %z : memref<{shape}>, {', '.join(['i64'] * n)} -> f32",
    ]
    ins = f"%x[{', '.join(['?'] * n)}] : tensor<{shape}>, %t[i] : tensor<4xi64>"
    return rowwise("(i = 4) by ()", ins, "%e[i] : tensor<4xf32>", f"%a: memref<{shape}>, %i: i64", body, "%y : f32",
                   result="tensor<4xf32>", arguments=f"%x: tensor<{shape}>, %t: tensor<4xi64>, %e: tensor<4xf32>")


def subscript(n):
    # (n - 1) / 4 quotients, each of 4 parts, and a dimension.
    e = "i"
    for k in range((n - 1) // 4):
        e += f" + (j floordiv {k + 2})"
    return rowwise("(i = 4) by (j = 8)", f"%x[{e}] : tensor<9999xf32>", "%e[i, j] : tensor<4x8xf32>",
                   "%a: tensor<8xf32>", ["%y = arith.mulf %a, %a : tensor<8xf32>"], "%y : tensor<8xf32>",
                   arguments="%x: tensor<9999xf32>, %e: tensor<4x8xf32>")


def steps(n):
    outs = words("%e{k}", n) + " : " + ", ".join(["tensor<f32>"] * n)
    results = ", ".join(["tensor<f32>"] * n)
    return function(
        "%x: tensor<4x8xf32>, " + words("%e{k}: tensor<f32>", n),
        results,
        f"%r:{n} = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values({outs}) -> {results} {{",
        "^row(%i: index, %a: memref<4x8xf32>):",
        "%c0 = arith.constant 0 : index",
        "%v = memref.load %a[%i, %c0] : memref<4x8xf32>",
        f"sinter.yield {', '.join(['%v'] * n)} : {', '.join(['f32'] * n)}",
        "}",
        f"return {words('%r#{k}', n)} : {results}",
    )


def definition(n):
    # n - 1 parameters; a use has as many operands.
    m = n - 1
    body = "\n  ".join(added([f"%x{k}" for k in range(m)], "tensor<?xf32>"))
    types = ", ".join(["tensor<4x8xf32>"] * m)
    define = (
        f"sinter.define @many({words('%x{k}: tensor<?xf32>', m)}) {{\n  {body}\n  sinter.yield %y : tensor<?xf32>\n}}\n"
    )
    return define + function(words("%a{k}: tensor<4x8xf32>", m), "tensor<4x8xf32>",
                             f"%r = sinter.apply @many({words('%a{k}', m)}) : ({types}) -> tensor<4x8xf32>",
                             "return %r : tensor<4x8xf32>")


# What is made, and its limit.
KINDS = {
    "dims": (dims, "SN_MAX_DIMS"),
    "columns": (columns, "SN_MAX_DIMS"),
    "operands": (operands, "SN_MAX_OPERANDS"),
    "outputs": (outputs, "SN_MAX_OPERANDS"),
    "accumulators": (accumulators, "SN_MAX_ACCUMULATORS"),
    "reductions": (reductions, "SN_MAX_REDUCTIONS"),
    "products": (products, "SN_MAX_DIMS"),
    "groups": (groups, "SN_MAX_DIMS"),
    "matrices": (matrices, "SN_MAX_DIMS"),
    "side": (side, "SN_MAX_OPERANDS"),
    "indirect": (indirect, "SN_MAX_DIMS"),
    "gather": (gather, "SN_MAX_DIMS"),
    "subscript": (subscript, "SN_MAX_SUBSCRIPT_PARTS"),
    "steps": (steps, "SN_MAX_ACCUMULATORS"),
    "definition": (definition, "SN_MAX_OPERANDS"),
}

PASSES = ["--sinter-simplify", "--sinter-split", "--sinter-fuse=policy=aggressive", "--sinter-decompose",
    "--sinter-schedule=target=cpu", "--sinter-schedule=target=gpu", "--sinter-cpu"]
# A form may be too large for a GPU, or none that it runs; then it says so.
MAY_REFUSE = ["--sinter-gpu=format=isa"]
LARGE = 300  # more arguments than this take upstream's passes long


def run(arguments, text, option):
    command = [*arguments.prefix.split(), str(pathlib.Path(arguments.bin) / "sinter-opt"), option, "-", "-o",
               "/dev/null"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True,
                              timeout=60 * (20 if arguments.prefix else 1))
    except subprocess.TimeoutExpired:
        return "takes more than 60 s", []
    errors = re.findall(r"^(.*?error: .*)$", done.stderr, re.M)
    located = [e for e in errors if re.match(r"<stdin>:\d+:\d+: error:|-:\d+:\d+: error:", e)]
    if (
        done.returncode < 0
        or done.returncode > 1
        or "ERROR: AddressSanitizer" in done.stderr
        or "runtime error:" in done.stderr
    ):
        return f"ends with {done.returncode}: {done.stderr[-400:]}", []
    if len(errors) != len(located):
        return f"an error without a place: {errors[0]}", []
    return ("" if done.returncode == 0 else "refused" if errors else "fails in silence"), errors


def judge(arguments, kind, n, limit, option):
    text = KINDS[kind][0](n)
    found, errors = run(arguments, text, option)
    if found not in ("", "refused"):
        return found
    if n > limit:
        return "" if found == "refused" and len(errors) == 1 else f"{len(errors)} errors, expected one"
    if found == "refused" and option not in MAY_REFUSE:
        return f"within the limit, and refused: {errors[0][:200]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kind")
    parser.add_argument("--print")
    parser.add_argument("--prefix", default="")
    arguments = parser.parse_args()
    if arguments.print:
        kind, n = arguments.print.split(",")
        print(KINDS[kind][0](int(n)))
        return 0
    tried = failed = 0
    for kind, (_, name) in KINDS.items():
        if arguments.kind and kind != arguments.kind:
            continue
        limit = LIMITS[name]
        step = 4 if kind == "subscript" else 1
        counts = [17, limit if limit <= LARGE or arguments.all else 65]
        counts += [9, 33, LARGE] if arguments.all else []
        cases = [(n, option) for n in sorted(set(counts)) if n <= limit
                 for option in (PASSES + MAY_REFUSE if arguments.all or n > 17 else ["--sinter-cpu"])]
        cases += [(limit, option) for option in ([] if limit <= LARGE else ["--sinter-simplify"])]
        cases += [(limit + step, "--sinter-expand" if kind == "definition" else "--sinter-simplify"),
                  (limit + step, "--sinter-cpu")]
        for n, option in cases:
            tried += 1
            wrong = judge(arguments, kind, n, limit, option)
            if wrong:
                failed += 1
                print(f"{kind} {n} {option}: {wrong}", flush=True)
    print(f"{tried} tried, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
