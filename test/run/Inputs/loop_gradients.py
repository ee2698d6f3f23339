"""Gradients through scf.for, scf.if and scf.while, beside central differences of the same in NumPy's float64.

    loop_gradients.py SINTER-RUN FOLDER [NAME]

Each program is run in f64 and f32, with loops of 0, 1 and more turns where their number is a size `?`. The last line
says how many runs agree, value and all gradients.
"""
import pathlib, re, subprocess, sys

import numpy as np

COMMON = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : T
"""


def body(text, arguments, result):
    return f"func.func @main({arguments}) -> {result} {{{COMMON}{text}\n}}\n"


STEP = """
    %f{k} = linalg.fill ins(%z : T) outs(%e : tensor<3x4xT>) -> tensor<3x4xT>
    %p{k} = linalg.matmul ins({a}, %w : tensor<3x4xT>, tensor<4x4xT>) outs(%f{k} : tensor<3x4xT>) -> tensor<3x4xT>
    %{k} = linalg.tanh ins(%p{k} : tensor<3x4xT>) outs(%e : tensor<3x4xT>) -> tensor<3x4xT>"""


def step(k, a):
    return STEP.format(k=k, a=a)


def np_step(a, w):
    return np.tanh(a @ w)


def times(k, a, b, t="tensor<3x4xT>"):
    return (f"\n    %{k} = linalg.mul ins({a}, {b} : {t}, {t}) outs(%e : {t}) -> {t}")


PROGRAMS = {}


def program(arguments, result, text, shapes, turns=(None,)):
    def keep(f):
        PROGRAMS[f.__name__] = (body(text, arguments, result), shapes, turns, f)
        return f
    return keep


E34 = "\n  %e = tensor.empty() : tensor<3x4xT>"
FOR = "scf.for %i = %c0 to {n} step %c1 iter_args(%a = {x}) -> tensor<3x4xT> {{"


# The product of a turn reads what the turn before made; each turn reads a slice of its own. Its number is a size.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %y = """ + FOR.format(n="%n", x="%h") + step("t", "%a") + """
    %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>""" +
    times("u", "%t", "%si") + """
    scf.yield %u : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4)], (0, 1, 5))
def recurrent(n, s, w, h):
    for i in range(n):
        h = np_step(h, w) * s[i]
    return h


# The number of turns is known, they count in steps of i32, and begin so far from 0 that twice that is a step.
@program("%s: tensor<9x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %l = arith.constant 2 : i32
  %u = arith.constant 9 : i32
  %two = arith.constant 3 : i32
  %y = scf.for %j = %l to %u step %two iter_args(%a = %h) -> tensor<3x4xT> : i32 {
    %i = arith.index_cast %j : i32 to index""" + step("t", "%a") + """
    %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<9x3x4xT> to tensor<3x4xT>""" +
    times("v", "%t", "%si") + """
    scf.yield %v : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [(9, 3, 4), (4, 4), (3, 4)])
def steps_of_three(n, s, w, h):
    for i in range(2, 9, 3):
        h = np_step(h, w) * s[i]
    return h


# Bounds of 8 bits without a sign: 200 is the constant -56.
@program("%s: tensor<4x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %l = arith.constant 100 : i8
  %u = arith.constant -56 : i8
  %thirty = arith.constant 30 : i8
  %y = scf.for unsigned %j = %l to %u step %thirty iter_args(%a = %h) -> tensor<3x4xT> : i8 {
    %m = arith.subi %j, %l : i8
    %q = arith.divui %m, %thirty : i8
    %i = arith.index_castui %q : i8 to index""" + step("t", "%a") + """
    %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<4x3x4xT> to tensor<3x4xT>""" +
    times("v", "%t", "%si") + """
    scf.yield %v : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [(4, 3, 4), (4, 4), (3, 4)])
def bounds_without_signs(n, s, w, h):
    for i in range(4):
        h = np_step(h, w) * s[i]
    return h


# Two tensors change places; a table of numbers and a counter are carried, too, and have no gradient.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>, %g: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %k0 = arith.constant dense<[2, 0, 1]> : tensor<3xi64>
  %y:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h, %b = %g, %k = %k0, %j = %c0)
      -> (tensor<3x4xT>, tensor<3x4xT>, tensor<3xi64>, index) {""" + step("t", "%a") + times("u", "%t", "%b") + """
    %si = tensor.extract_slice %s[%j, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]} ins(%k : tensor<3xi64>) outs(%e : tensor<3x4xT>) {
    ^bb0(%l: i64, %o: T):
      %row = arith.index_cast %l : i64 to index
      %col = linalg.index 1 : index
      %v = tensor.extract %u[%row, %col] : tensor<3x4xT>
      linalg.yield %v : T
    } -> tensor<3x4xT>""" + times("v", "%r", "%si") + """
    %ke = tensor.empty() : tensor<3xi64>
    %three = arith.constant 3 : i64
    %one = arith.constant 1 : i64
    %k2 = linalg.map ins(%k : tensor<3xi64>) outs(%ke : tensor<3xi64>) (%l: i64, %o: i64) {
      %m = arith.addi %l, %one : i64
      %q = arith.remsi %m, %three : i64
      linalg.yield %q : i64
    }
    %j2 = arith.addi %j, %c1 : index
    scf.yield %b, %v, %k2, %j2 : tensor<3x4xT>, tensor<3x4xT>, tensor<3xi64>, index
  }""" + times("both", "%y#0", "%y#1") + """
  return %both : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4), (3, 4)], (0, 1, 4))
def changing_places(n, s, w, h, g):
    k = np.array([2, 0, 1])
    for i in range(n):
        h, g, k = g, (np_step(h, w) * g)[k] * s[i], (k + 1) % 3
    return h * g


# A loop in a loop, both of which carry.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %y = """ + FOR.format(n="%n", x="%h") + """
    %m = arith.addi %i, %c1 : index
    %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>
    %b = scf.for %j = %c0 to %m step %c1 iter_args(%c = %a) -> tensor<3x4xT> {""" + step("t", "%c") +
    times("u", "%t", "%si") + """
      scf.yield %u : tensor<3x4xT>
    }""" + times("q", "%b", "%a") + """
    scf.yield %q : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4)], (0, 1, 3))
def nested(n, s, w, h):
    for i in range(n):
        c = h
        for j in range(i + 1):
            c = np_step(c, w) * s[i]
        h = c * h
    return h


# Turns differ: by their number, and by what was computed.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %y = """ + FOR.format(n="%n", x="%h") + """
    %r = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %r, %c0 : index
    %b = scf.if %even -> tensor<3x4xT> {""" + step("t", "%a") + """
      scf.yield %t : tensor<3x4xT>
    } else {
      %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>""" +
    times("u", "%a", "%si") + """
      scf.yield %u : tensor<3x4xT>
    }
    %first = tensor.extract %b[%c0, %c1] : tensor<3x4xT>
    %more = arith.cmpf ogt, %first, %z : T
    %d = scf.if %more -> tensor<3x4xT> {
      scf.yield %b : tensor<3x4xT>
    } else {""" + times("v", "%b", "%h") + """
      scf.yield %v : tensor<3x4xT>
    }
    scf.yield %d : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4)], (0, 1, 2, 5))
def branches(n, s, w, h0):
    h = h0
    for i in range(n):
        h = h * s[i] if i % 2 else np_step(h, w)
        if not h[0, 1] > 0:
            h = h * h0
    return h


# A loop that turns until something is small enough.
@program("%w: tensor<4x4xT>, %h: tensor<3x4xT>, %l: tensor<T>", "tensor<3x4xT>", E34 + """
  %least = tensor.extract %l[] : tensor<T>
  %less = arith.constant dense<0.375> : tensor<3x4xT>
  %y = scf.while (%a = %h) : (tensor<3x4xT>) -> tensor<3x4xT> {
    %first = tensor.extract %a[%c0, %c1] : tensor<3x4xT>
    %size = math.absf %first : T
    %more = arith.cmpf ogt, %size, %least : T""" + times("b", "%a", "%a") + """
    scf.condition(%more) %b : tensor<3x4xT>
  } do {
  ^bb0(%b: tensor<3x4xT>):""" + step("t", "%b") + times("v", "%t", "%less") + """
    scf.yield %v : tensor<3x4xT>
  }
  return %y : tensor<3x4xT>""", [(4, 4), (3, 4), ("n",)], (100., .5, .01))
def until(n, w, h, least):
    while abs(h[0, 1]) > least:
        h = np_step(h * h, w) * .375
    return h * h


# Slices of what is returned are written, one in each turn; what was there is read.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<?x3x4xT>", "tensor<?x3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %y = scf.for %i = %c0 to %n step %c2 iter_args(%a = %h) -> tensor<?x3x4xT> {
    %si = tensor.extract_slice %s[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>
    %ai = tensor.extract_slice %a[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>""" +
    step("t", "%si") + times("u", "%t", "%ai") + """
    %b = tensor.insert_slice %u into %a[%i, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<3x4xT> into tensor<?x3x4xT>
    scf.yield %b : tensor<?x3x4xT>
  }
  return %y : tensor<?x3x4xT>""", [("n", 3, 4), (4, 4), ("n", 3, 4)], (0, 1, 5))
def slices(n, s, w, h):
    h = h.copy()
    for i in range(0, n, 2):
        h[i] = np_step(s[i], w) * h[i]
    return h


# Sizes `?` of what is carried.
@program("%s: tensor<?x4xT>, %w: tensor<4x4xT>", "tensor<?x4xT>", """
  %n = tensor.dim %s, %c0 : tensor<?x4xT>
  %e = tensor.empty(%n) : tensor<?x4xT>
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> tensor<?x4xT> {
    %f = linalg.fill ins(%z : T) outs(%e : tensor<?x4xT>) -> tensor<?x4xT>
    %p = linalg.matmul ins(%a, %w : tensor<?x4xT>, tensor<4x4xT>) outs(%f : tensor<?x4xT>) -> tensor<?x4xT>
    %t = linalg.tanh ins(%p : tensor<?x4xT>) outs(%e : tensor<?x4xT>) -> tensor<?x4xT>
    scf.yield %t : tensor<?x4xT>
  }
  return %y : tensor<?x4xT>""", [("n", 4), (4, 4)], (0, 1, 5))
def open_sizes(n, s, w):
    for _ in range(3):
        s = np_step(s, w)
    return s


# A branch outside of loops: one gives back what it was given; another result of it depends on nothing.
@program("%x: tensor<3x4xT>, %w: tensor<4x4xT>, %l: tensor<T>", "tensor<3x4xT>", E34 + """
  %least = tensor.extract %l[] : tensor<T>
  %more = arith.cmpf ogt, %least, %z : T
  %ones = arith.constant dense<2.0> : tensor<3x4xT>
  %y:2 = scf.if %more -> (tensor<3x4xT>, tensor<3x4xT>) {
    scf.yield %x, %ones : tensor<3x4xT>, tensor<3x4xT>
  } else {""" + step("t", "%x") + """
    scf.yield %t, %e : tensor<3x4xT>, tensor<3x4xT>
  }""" + times("v", "%y#0", "%x") + """
  return %v : tensor<3x4xT>""", [(3, 4), (4, 4), ("n",)], (1., -1.))
def one_branch(n, x, w, least):
    return x * (x if least > 0 else np_step(x, w))


# A loop in a branch in a loop that ends by itself.
@program("%s: tensor<?x3x4xT>, %w: tensor<4x4xT>, %h: tensor<3x4xT>", "tensor<3x4xT>", E34 + """
  %n = tensor.dim %s, %c0 : tensor<?x3x4xT>
  %y:2 = scf.while (%a = %h, %k = %c0) : (tensor<3x4xT>, index) -> (tensor<3x4xT>, index) {
    %more = arith.cmpi slt, %k, %n : index
    scf.condition(%more) %a, %k : tensor<3x4xT>, index
  } do {
  ^bb0(%a: tensor<3x4xT>, %k: index):
    %si = tensor.extract_slice %s[%k, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<?x3x4xT> to tensor<3x4xT>
    %r = arith.remui %k, %c2 : index
    %even = arith.cmpi eq, %r, %c0 : index
    %b = scf.if %even -> tensor<3x4xT> {
      %q = scf.for %j = %c0 to %c2 step %c1 iter_args(%c = %a) -> tensor<3x4xT> {""" + step("t", "%c") +
    times("u", "%t", "%si") + """
        scf.yield %u : tensor<3x4xT>
      }
      scf.yield %q : tensor<3x4xT>
    } else {
      scf.yield %a : tensor<3x4xT>
    }
    %k2 = arith.addi %k, %c1 : index
    scf.yield %b, %k2 : tensor<3x4xT>, index
  }
  return %y#0 : tensor<3x4xT>""", [("n", 3, 4), (4, 4), (3, 4)], (0, 1, 4))
def all_of_them(n, s, w, h):
    for k in range(n):
        for _ in range(2 if k % 2 == 0 else 0):
            h = np_step(h, w) * s[k]
    return h


def differences(f, n, arguments, upstream):
    """The gradient of (f * upstream).sum() by each argument, element by element."""
    for k, x in enumerate(arguments):
        d = np.zeros_like(x)
        for at in np.ndindex(x.shape):
            both = []
            for h in (1e-5, -1e-5):
                moved = [v.copy() for v in arguments]
                moved[k][at] += h
                both.append((f(n, *moved) * upstream).sum())
            d[at] = (both[0] - both[1]) / 2e-5
        yield d


def check(tool, folder, name, n, kind, options=()):
    text, shapes, _, f = PROGRAMS[name]
    rng = np.random.default_rng(len(name) + (int(n) if n else 0))
    arguments = [np.asarray(float(n)) if shape == ("n",) else
                 np.asarray(rng.uniform(.3, 1.1, [int(n) if s == "n" else s for s in shape])) for shape in shapes]
    turns = n if isinstance(n, int) else 0
    upstream = np.asarray(rng.uniform(.5, 1.5, np.shape(f(turns, *arguments))))
    wrt = [k for k, shape in enumerate(shapes) if shape != ("n",)]
    stem = folder / f"{name}-{n}-{kind}"
    source = pathlib.Path(f"{stem}.mlir")
    source.write_text(re.sub(r"\bT\b|(?<=x)T(?=>)", kind, text))
    command = [tool, source, "--wrt=" + ",".join(map(str, wrt)), "--upstream", *options]
    for k, x in enumerate([*arguments, upstream]):
        np.save(f"{stem}.in{k}.npy", x if kind == "f64" else x.astype(np.float32))
        command.append(f"--input={stem}.in{k}.npy")
    for k in range(1 + len(wrt)):
        command.append(f"--output={stem}.out{k}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"{name} {n} {kind}: {done.stderr.strip()[:600]}"
    expected = [f(turns, *arguments),
                *(d for k, d in enumerate(differences(f, turns, arguments, upstream)) if k in wrt)]
    for k, e in enumerate(expected):
        got = np.load(f"{stem}.out{k}.npy")
        error = np.abs(got - e).max(initial=0) / max(1, np.abs(e).max(initial=0))
        if got.shape != np.shape(e) or not error < (1e-8 if kind == "f64" else 1e-5):
            return f"{name} {n} {kind}: output {k} of {got.shape} is off by {error:.2g}"
    return None


def main():
    tool, folder, *only = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tried = failed = 0
    for name, (_, _, turns, _) in PROGRAMS.items():
        for n in turns if not only or name in only else ():
            for kind in ("f64", "f32"):
                why = check(tool, folder, name, n, kind)
                tried += 1
                failed += why is not None
                if why:
                    print(why)
    print(f"{tried - failed} of {tried} agree")


if __name__ == "__main__":
    main()
