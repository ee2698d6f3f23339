"""Every rule of passes/differentiate/rules.c, executed and compared.

    differentiate_rules.py missing FILE     operations of the rules' table in FILE that have no case
    differentiate_rules.py smooth DIR       writes a program in f64 with each operation, inputs, and finite differences
    differentiate_rules.py corners DIR      the same in f32, and PyTorch's gradients where a derivative does not exist

A case is a row program over rows of 4 elements and the same function in Python; its loss is the sum of what it gives,
times a gradient of its own for each element.
"""

import math
import pathlib
import re
import struct
import sys

N = 4
inf, nan = math.inf, math.nan


def elementwise(f):
    return lambda *rows: [f(*(row[j] for row in rows)) for j in range(N)]


def unary(name, f, points=None):
    op = "math." + name if name != "negf" else "arith.negf"
    return (name, [points or [0.3, -1.2, 0.7, 2.1]], f"%l = {op} %a : ROW", elementwise(f))


def binary(op, f, a=None, b=None):
    return (op, [a or [0.3, -1.2, 0.7, 2.1], b or [1.3, 0.6, -0.8, 0.9]], f"%l = {op} %a, %b : ROW", elementwise(f))


unit, positive = [0.3, -0.6, 0.1, 0.8], [0.3, 1.2, 0.7, 2.1]
REDUCE = "%s = sinter.row_reduce {} %a : ROW -> T\n%r = sinter.broadcast %s : T -> ROW\n%l = arith.mulf %r, %r : ROW"

# Name, the points of each argument, the row program from %a, %b, %c to %l, the same in Python.
SMOOTH = [
    binary("arith.addf", lambda a, b: a + b),
    binary("arith.subf", lambda a, b: a - b),
    binary("arith.mulf", lambda a, b: a * b),
    binary("arith.divf", lambda a, b: a / b),
    binary("arith.remf", math.fmod, [5.3, -7.3, 6.7, 9.1]),
    binary("arith.maximumf", max),
    binary("arith.minimumf", min),
    binary("arith.maxnumf", max),
    binary("arith.minnumf", min),
    binary("math.atan2", math.atan2),
    binary("math.copysign", math.copysign),
    binary("math.powf", math.pow, positive),
    unary("negf", lambda a: -a),
    unary("absf", abs),
    unary("acos", math.acos, unit),
    unary("acosh", math.acosh, [1.3, 2.6, 1.1, 4.0]),
    unary("asin", math.asin, unit),
    unary("asinh", math.asinh),
    unary("atan", math.atan),
    unary("atanh", math.atanh, unit),
    unary("cbrt", lambda a: math.copysign(abs(a) ** (1 / 3), a)),
    unary("ceil", math.ceil),
    unary("cos", math.cos),
    unary("cosh", math.cosh),
    unary("erf", math.erf),
    unary("erfc", math.erfc),
    unary("exp", math.exp),
    unary("exp2", lambda a: 2**a),
    unary("expm1", math.expm1),
    unary("floor", math.floor),
    unary("log", math.log, positive),
    unary("log10", math.log10, positive),
    unary("log1p", math.log1p, positive),
    unary("log2", math.log2, positive),
    unary("round", round),
    unary("roundeven", round),
    unary("rsqrt", lambda a: 1 / math.sqrt(a), positive),
    unary("sin", math.sin),
    unary("sinh", math.sinh),
    unary("sqrt", math.sqrt, positive),
    unary("tan", math.tan),
    unary("tanh", math.tanh),
    unary("trunc", math.trunc),
    ("math.fma", [[0.3, -1.2, 0.7, 2.1], [1.3, 0.6, -0.8, 0.9], [0.2, -0.4, 1.0, 3.0]],
     "%l = math.fma %a, %b, %c : ROW",
     elementwise(lambda a, b, c: a * b + c)),
    ("math.clampf", [[0.3, -1.2, 0.7, 2.1], [-0.5] * 4, [0.5, 0.4, 0.9, 1.0]], "%l = math.clampf %a to [%b, %c] : ROW",
     elementwise(lambda a, b, c: min(max(a, b), c))),
    *(("math.fpowi", [[0.3, -1.2, 0.7, 2.1]],
       f"%n = arith.constant dense<{n}> : tensor<4xi32>\n%l = math.fpowi %a, %n : ROW, tensor<4xi32>",
       elementwise(lambda a, n=n: a**n)) for n in (3, -2, 5, 0)),
    ("arith.select", [[0.3, -1.2, 0.7, 2.1], [1.3, 0.6, -0.8, 0.9]],
     "%z = arith.constant dense<0.5> : ROW\n%c0 = arith.cmpf ogt, %a, %z : ROW\n%l = arith.select %c0, %a, %b : MASK, "
     "ROW",
     elementwise(lambda a, b: a if a > 0.5 else b)),
    ("arith.select whole", [[0.3, -1.2, 0.7, 2.1], [1.3, 0.6, -0.8, 0.9]],
     "%s = sinter.row_reduce add %a : ROW -> T\n%z = arith.constant 2.0 : T\n%c0 = arith.cmpf olt, %s, %z : T\n"
     "%l = arith.select %c0, %a, %b : ROW", lambda a, b: a if sum(a) < 2 else b),
    ("arith.extf", [[0.3, -1.2, 0.7, 2.1]],
     "%h = arith.truncf %a : ROW to tensor<4xf32>\n%l = arith.extf %h : tensor<4xf32> to ROW", lambda a: a),
    ("sinter.row_reduce add", [unit], REDUCE.format("add"), lambda a: [sum(a) ** 2] * N),
    ("sinter.row_reduce mul", [unit], REDUCE.format("mul"), lambda a: [math.prod(a) ** 2] * N),
    ("sinter.row_reduce maximumf", [unit], REDUCE.format("maximumf"), lambda a: [max(a) ** 2] * N),
    ("sinter.row_reduce minimumf", [unit], REDUCE.format("minimumf"), lambda a: [min(a) ** 2] * N),
    ("sinter.row_reduce maxnumf", [unit], REDUCE.format("maxnumf"), lambda a: [max(a) ** 2] * N),
    ("sinter.row_reduce minnumf", [unit], REDUCE.format("minnumf"), lambda a: [min(a) ** 2] * N),
    ("sinter.broadcast", [unit, unit],
     "%s = sinter.row_reduce add %b : ROW -> T\n%r = sinter.broadcast %s : T -> ROW\n%l = arith.mulf %a, %r : ROW",
     lambda a, b: [x * sum(b) for x in a]),
    ("sinter.pick", [unit, unit], """
%s = sinter.row_reduce add %b : ROW -> T
%t2 = arith.constant 2 : i64
%t9 = arith.constant 9 : i8
%tm = arith.constant -1 : index
%p2 = sinter.pick %a[%t2] else %s : ROW, i64
%p9 = sinter.pick %a[%t9] else %s : ROW, i8
%pm = sinter.pick %a[%tm] else %p9 : ROW, index
%q = arith.mulf %p2, %pm : T
%l = sinter.broadcast %q : T -> ROW""", lambda a, b: [a[2] * sum(b)] * N),
    ("sinter.detach", [unit], "%d = sinter.detach %a : ROW\n%e = math.exp %d : ROW\n%l = arith.mulf %e, %a : ROW",
     None),
]

# What PyTorch gives (2.13, float32, with an upstream gradient of ones), by name, points, row program, gradients.
CORNERS = [
    ("abs", [[0.0, -0.0, nan, -inf]], "%l = math.absf %a : ROW", [[0, 0, 0, -1]]),
    ("sqrt", [[0.0, 4.0, -1.0, inf]], "%l = math.sqrt %a : ROW", [[inf, 0.25, nan, 0]]),
    ("maximum", [[1, nan, 2, 0], [1, 1, nan, 1]], "%l = arith.maximumf %a, %b : ROW", [[0.5, 1, 1, 0], [0.5, 1, 1, 1]]),
    ("minimum", [[1, nan, 2, 0], [1, 1, nan, 1]], "%l = arith.minimumf %a, %b : ROW", [[0.5, 1, 1, 1], [0.5, 1, 1, 0]]),
    ("fmax", [[1, nan, 2, 0], [1, 1, nan, 1]], "%l = arith.maxnumf %a, %b : ROW", [[1, 0, 1, 0], [0, 1, 0, 1]]),
    ("fmin", [[1, nan, 2, 0], [1, 1, nan, 1]], "%l = arith.minnumf %a, %b : ROW", [[1, 0, 1, 1], [0, 1, 0, 0]]),
    ("amax", [[2, 1, 2, 2]], "%m = sinter.row_reduce maximumf %a : ROW -> T\n%l = sinter.broadcast %m : T -> ROW",
     [[4 / 3, 0, 4 / 3, 4 / 3]]),
    ("amax_nan", [[2, nan, 2, 2]],
     "%m = sinter.row_reduce maximumf %a : ROW -> T\n%l = sinter.broadcast %m : T -> ROW", [[nan] * 4]),
    ("amin", [[2, 1, 1, 2]], "%m = sinter.row_reduce minimumf %a : ROW -> T\n%l = sinter.broadcast %m : T -> ROW",
     [[0, 2, 2, 0]]),
    ("prod", [[2, 0, 3, 5]], "%m = sinter.row_reduce mul %a : ROW -> T\n%l = sinter.broadcast %m : T -> ROW",
     [[0, 120, 0, 0]]),
    ("prod_zeros", [[2, 0, 3, 0]], "%m = sinter.row_reduce mul %a : ROW -> T\n%l = sinter.broadcast %m : T -> ROW",
     [[0, 0, 0, 0]]),
    ("pow", [[0, 0, 0, 2], [0, 2, 1, 0]], "%l = math.powf %a, %b : ROW", [[0, 0, 1, 0], [0, 0, 0, math.log(2)]]),
    *(("pow_int", [[0, 1, -2, 3]],
       f"%n = arith.constant dense<{n}> : tensor<4xi32>\n%l = math.fpowi %a, %n : ROW, tensor<4xi32>", [slope])
      for n, slope in ((0, [0, 0, 0, 0]), (1, [1, 1, 1, 1]), (5, [0, 5, 80, 405]))),
    ("copysign", [[0, -3, 2, -0.0], [-1, 1, 1, 1]], "%l = math.copysign %a, %b : ROW", [[0, -1, 1, 0], [0, 0, 0, 0]]),
    ("clamp", [[-1, 1, 2, 0], [-1] * 4, [1] * 4], "%l = math.clampf %a to [%b, %c] : ROW",
     [[1, 1, 0, 1], [0] * 4, [0, 0, 1, 0]]),
    # relu as torch.where: the branch that is not taken gets 0.
    ("relu", [[0, -1, 1, nan]],
     "%z = arith.constant dense<0.0> : ROW\n%p = arith.cmpf ole, %a, %z : ROW\n"
     "%l = arith.select %p, %z, %a : MASK, ROW", [[0, 0, 1, 1]]),
    # 0 * inf: the logarithm of the branch that is not taken has an infinite slope.
    ("where_nan", [[0, 1, -1, 4]],
     "%z = arith.constant dense<0.0> : ROW\n%p = arith.cmpf ogt, %a, %z : ROW\n%s = math.sqrt %a : ROW\n%l = "
     "arith.select %p, %s, %z : MASK, ROW",
     [[nan, 0.5, nan, 0.25]]),
]


def program(cases, element, rows):
    """One function: for each case its form, and the gradients by its arguments."""
    lines, arguments, results = [], [], []
    type_of = f"tensor<{rows}x{N}x{element}>"
    for k, (name, points, body, *_) in enumerate(cases):
        names = [f"%x{k}_{i}" for i in range(len(points))]
        arguments += [f"{n}: {type_of}" for n in (*names, f"%g{k}")]
        body = body.replace("ROW", f"tensor<{N}x{element}>").replace("MASK", f"tensor<{N}xi1>")
        body = body.replace(": T", f": {element}").replace("-> T", f"-> {element}")
        reads = ", ".join(f"{n}[i, j] : {type_of}" for n in names)
        formals = ", ".join(f"%{'abc'[i]}: tensor<{N}x{element}>" for i in range(len(points)))
        types = ", ".join([type_of] * len(points))
        given = ", ".join(f"%d{k}_{i}" for i in range(len(points)))
        lines.append(f"""  // {name}
  %l{k} = sinter.rowwise (i = {rows}) by (j = {N}) ins({reads}) outs(%e[i, j] : {type_of}) {{
  ^row({formals}):
    {body}
    sinter.yield %l : tensor<{N}x{element}>
  }}
  {given} = sinter.differentiate %l{k} upstream(%g{k}) wrt({", ".join(names)})
      : ({type_of}, {type_of}, {types}) -> ({types})""")
        results += given.split(", ")
    return "\n".join([f"func.func @main({', '.join(arguments)}) -> ({', '.join([type_of] * len(results))}) {{",
                      f"  %e = tensor.empty() : {type_of}", *lines,
                      f"  return {', '.join(results)} : {', '.join([type_of] * len(results))}", "}\n"])


def save(path, rows, code):
    header = f"{{'descr': '<f{struct.calcsize(code)}', 'fortran_order': False, 'shape': ({len(rows)}, {N}), }}"
    header = header.ljust(128 - 11) + "\n"
    data = b"".join(struct.pack(f"<{N}{code}", *row) for row in rows)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def slopes(f, points, g):
    """Of sum g * f: central differences of fourth order."""
    def loss(at):
        return sum(u * v for u, v in zip(g, f(*at)))

    made = []
    for i, row in enumerate(points):
        made.append([])
        for j in range(N):
            def moved(by):
                at = [list(p) for p in points]
                at[i][j] += by
                return loss(at)

            h = 1e-3
            made[-1].append((8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h))
    return made


def write(folder, cases, element, code, expected, rows):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.mlir").write_text(program(cases, element, len(rows)))
    options, wants = [], []
    for k, case in enumerate(cases):
        gradients = [rows[r] for r in range(len(rows))]
        points = [[[p * scale for p in row] for _, scale in rows] for row in case[1]]
        inputs = points + [[g for g, _ in rows]]
        for i, data in enumerate(inputs):
            path = folder / f"in{k}_{i}.npy"
            save(path, data, code)
            options.append(f"--input={path}")
        made = [expected(case, [row[r] for row in points], gradients[r][0]) for r in range(len(rows))]
        for i in range(len(points)):
            path = folder / f"out{k}_{i}.npy"
            save(path, [made[r][i] for r in range(len(rows))], code)
            wants.append(f"--expect={path}")
    (folder / "options").write_text("\n".join(options + wants) + "\n")


def smooth(case, points, g):
    if case[0] == "sinter.detach":
        return [[v * math.exp(x) for v, x in zip(g, points[0])]]
    return slopes(case[3], points, g)


what = sys.argv[1]
if what == "missing":
    # sinter.gather has a rule that refuses.
    rules = set(re.findall(r'\{"([a-z.0-9_]+)", [a-z_0-9]+\}',
                           pathlib.Path(sys.argv[2]).read_text())) - {"sinter.gather", "arith.truncf"}
    had = {op for case in SMOOTH for op in (case[0].split()[0], "math." + case[0], "arith." + case[0])}
    print("".join(f"{op}\n" for op in sorted(rules - had)), end="")
elif what == "smooth":
    write(pathlib.Path(sys.argv[2]), SMOOTH, "f64", "d", smooth,
          [([1.0, -0.5, 2.0, 0.25], 1.0), ([0.5, 3.0, -1.0, 1.5], 1.1)])
else:
    write(pathlib.Path(sys.argv[2]), CORNERS, "f32", "f", lambda case, points, g: case[3], [([1.0] * N, 1.0)])
