"""Programs that multiply rows, written twice: as one form (groups of columns, sides) and in linalg.

`CASES[name]` has the sizes of the letters, the arguments (name, letters, kind), the form and the linalg program.
`text(case, writing, types, dynamic)` is a module. Numbers are numbers.npz, made by make.py with PyTorch.

In a form, `T[ik]` is a tensor of what is stored, `A[ik]` of what is computed in, `F` its element type, `#i` a size,
`EMPTY(io)` a destination; `ROW(%c, 0.5, j)` makes `%c` a row of constants. The result is `%y`.
"""

import re

FIXED = "hg"  # heads, whose number is known
TYPES = {"f64": ("f64", "f64"), "f32": ("f32", "f32"), "bf16": ("bf16", "f32")}  # stored, computed in


class Case:
    def __init__(self, sizes, arguments, result, form, linalg=None, wrt=None):
        self.sizes = dict(item.split("=") for item in sizes.split())
        self.arguments = [argument.split(":") for argument in arguments.split()]  # name, letters, kind
        self.result, self.form, self.linalg = result, form, linalg
        floats = [n for n, a in enumerate(self.arguments) if a[2] in "TA"]
        self.wrt = floats if wrt is None else [n for n in floats if self.arguments[n][0] in wrt.split()]


class Writer:
    """Lines of a function."""

    def __init__(self, case, types, dynamic):
        self.case, self.dynamic, self.lines, self.count = case, dynamic, [], 0
        self.stored, self.wide = TYPES[types]
        self.element = {"T": self.stored, "A": self.wide, "i64": "i64", "i8": "i8", "i1": "i1"}
        self.of = {name: (letters.strip("."), kind) for name, letters, kind in case.arguments}

    def size(self, letter):
        return "?" if self.dynamic and letter not in FIXED else self.case.sizes[letter]

    def type(self, letters, kind):
        return "tensor<" + "".join(f"{self.size(c)}x" for c in letters) + self.element.get(kind, kind) + ">"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("  " + text)

    def sizes(self, letters):
        """Values of the sizes `?`, each of an argument that has it."""
        found = []
        for c in [c for c in letters if self.size(c) == "?"]:
            name, at = next((n, l.index(c)) for n, (l, _) in self.of.items() if c in l)
            index, size = self.name(), self.name()
            self.line(f"{index} = arith.constant {at} : index")
            self.line(f"{size} = tensor.dim %{name}, {index} : {self.type(*self.of[name])}")
            found.append(size)
        return ", ".join(found)

    def empty(self, letters, kind="A"):
        sizes, name = self.sizes(letters), self.name()
        self.line(f"{name} = tensor.empty({sizes}) : {self.type(letters, kind)}")
        return name

    # ---- linalg ----

    def generic(self, inputs, letters, sums, body, init=None, kind="A"):
        """body: of %0, %1, ... and, where something is summed, %acc; the last line's value is yielded."""
        out = self.empty(letters, kind)
        result, result_type, e = self.name(), self.type(letters, kind), self.element[kind]
        if init is not None:
            zero, filled = self.name(), self.name()
            self.line(f"{zero} = arith.constant {init} : {e}")
            self.line(f"{filled} = linalg.fill ins({zero} : {e}) outs({out} : {result_type}) -> {result_type}")
            out = filled
        dims = ", ".join(letters + sums)
        maps = [read if " " in read else ", ".join(read) for _, read, _ in inputs] + [", ".join(letters)]
        maps = ", ".join(f"affine_map<({dims}) -> ({read})>" for read in maps)
        kinds = ", ".join(['"parallel"'] * len(letters) + ['"reduction"'] * len(sums))
        arguments = [f"%{n}: {t[7:-1].split('x')[-1]}" for n, (_, _, t) in enumerate(inputs)] + [f"%acc: {e}"]
        self.line(f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}")
        self.line(f"    ins({', '.join(v for v, _, _ in inputs)} : {', '.join(t for _, _, t in inputs)})")
        self.line(f"    outs({out} : {result_type}) {{")
        self.line(f"^bb0({', '.join(arguments)}):")
        for line in body + [f"linalg.yield {body[-1].split(' = ')[0]} : {e}"]:
            self.line("  " + line)
        self.line(f"}} -> {result_type}")
        return result, letters, result_type

    def argument(self, name):
        letters, kind = self.of[name]
        return "%" + name, letters, self.type(letters, kind)

    def product(self, a, b, letters, sums):
        factors, body = [], []
        for n, (_, _, t) in enumerate((a, b)):
            narrow = self.stored != self.wide and t.endswith(f"x{self.stored}>")
            body += [f"%w{n} = arith.extf %{n} : {self.stored} to {self.wide}"] if narrow else []
            factors.append(f"%w{n}" if narrow else f"%{n}")
        return self.generic([a, b], letters, sums, body + [f"%p = arith.mulf {', '.join(factors)} : {self.wide}",
                                                           f"%s = arith.addf %acc, %p : {self.wide}"], "0.0")

    def nothing(self):
        return "0xFFF0000000000000" if self.wide == "f64" else "0xFF800000"

    def map(self, letters, inputs, *body):
        return self.generic(inputs, letters, "", [re.sub(r"\bF\b", self.wide, line) for line in body])

    def reduce(self, x, letters, sums, op, init):
        return self.generic([x], letters, sums, [f"%s = arith.{op} %0, %acc : {self.wide}"], init)

    def softmax(self, s, letters, last):
        rows = letters.replace(last, "")
        m = self.reduce(s, rows, last, "maximumf", self.nothing())
        e = self.map(letters, [s, m], "%d = arith.subf %0, %1 : F", "%e = math.exp %d : F")
        z = self.reduce(e, rows, last, "addf", "0.0")
        return self.map(letters, [e, z], "%f = arith.divf %0, %1 : F")

    # ---- forms ----

    def expand(self, text):
        def row(match):
            name, value, letters = match.groups()
            return (f"{name}_ = arith.constant {value} : F\n    {name} = sinter.broadcast {name}_ : F -> "
                    f"A[{letters}]")

        text = re.sub(r"ROW\((%\w+), ([-\w.]+), (\w+)\)", row, text)
        text = text.replace("NOTHING", self.nothing())
        text = re.sub(r"EMPTY\((\w*)\)", lambda m: f"EMPTY_{m.group(1)}_", text)
        for letters in dict.fromkeys(re.findall(r"EMPTY_(\w*?)_", text)):
            text = text.replace(f"EMPTY_{letters}_", self.empty(letters))
        text = re.sub(r"\b(T|A|i64|i8|i1|index)\[(\w*)\]", lambda m: self.type(m.group(2), m.group(1)), text)
        text = re.sub(r"\bF\b", self.wide, text)
        return re.sub(r"#(\w)", lambda m: self.size(m.group(1)), text)


def text(case, writing, types, dynamic):
    w = Writer(case, types, dynamic)
    if writing == "form":
        w.lines.append(w.expand(case.form))
        last = "%y"
    else:
        last = case.linalg(w)[0]
    arguments = ", ".join(f"%{name}: {w.type(letters.strip('.'), kind)}" for name, letters, kind in case.arguments)
    result = w.type(case.result, "A")
    return (f"func.func @main({arguments}) -> {result} {{\n" + "\n".join(w.lines) +
            f"\n  return {last} : {result}\n}}\n")


# ---- networks -------------------------------------------------------------------------------------

ACTIVATIONS = {  # of %a, a row of `j`: %h
    "relu": "ROW(%z, 0.0, j)\n    %h = arith.maximumf %a, %z : A[j]",
    "tanh": "%h = math.tanh %a : A[j]",
    "gelu": """ROW(%r, 0.70710678118654752, j)
    ROW(%o, 1.0, j)
    ROW(%k, 0.5, j)
    %a1 = arith.mulf %a, %r : A[j]
    %a2 = math.erf %a1 : A[j]
    %a3 = arith.addf %a2, %o : A[j]
    %a4 = arith.mulf %a, %k : A[j]
    %h = arith.mulf %a4, %a3 : A[j]""",
}
POINTS = {  # of %0, in linalg
    "relu": ["%z = arith.constant 0.0 : F", "%h = arith.maximumf %0, %z : F"],
    "tanh": ["%h = math.tanh %0 : F"],
    "gelu": ["%r = arith.constant 0.70710678118654752 : F", "%o = arith.constant 1.0 : F",
             "%k = arith.constant 0.5 : F", "%a1 = arith.mulf %0, %r : F", "%a2 = math.erf %a1 : F",
             "%a3 = arith.addf %a2, %o : F", "%a4 = arith.mulf %0, %k : F", "%h = arith.mulf %a4, %a3 : F"],
}


def in_group(activation, group, mark):
    """The activation in another group, its values named apart, the result %h too."""
    made = ACTIVATIONS[activation].replace("[j]", f"[{group}]").replace(", j)", f", {group})")
    return re.sub(r"%(\w+)", lambda m: f"%{m.group(1)}{mark}", made)


def mlp2(activation):
    form = f"""  %y = sinter.contract (i = #i) by (j = #j) by (o = #o)
      product (k = #k) (%x[i, k] : T[ik], %u[j, k] : T[jk]) : F
      matrix (j) to (o) (%w[o, j] : T[oj])
      ins(%b[j] : A[j], %c[o] : A[o])
      outs(EMPTY(io)[i, o] : A[io]) {{
  ^row(%s: A[j], %m: T[jo], %bj: A[j], %co: A[o]):
    %a = arith.addf %s, %bj : A[j]
    {ACTIVATIONS[activation]}
    %p = sinter.row_product %h, %m : A[j], T[jo] -> A[o]
    %q = arith.addf %p, %co : A[o]
    sinter.yield %q : A[o]
  }}"""

    def linalg(w):
        s = w.product(w.argument("x"), w.argument("u"), "ij", "k")
        a = w.map("ij", [s, w.argument("b")], "%a = arith.addf %0, %1 : F")
        h = w.map("ij", [a], *POINTS[activation])
        p = w.product(h, w.argument("w"), "io", "j")
        return w.map("io", [p, w.argument("c")], "%a = arith.addf %0, %1 : F")

    return Case("i=7 j=5 k=6 o=3", "x:ik:T u:jk:T b:j:A w:oj:T c:o:A", "io", form, linalg)


def mlp3(activation):
    form = f"""  %y = sinter.contract (i = #i) by (j = #j) by (e = #e) by (o = #o)
      product (k = #k) (%x[i, k] : T[ik], %u[j, k] : T[jk]) : F
      matrix (j) to (e) (%v[e, j] : T[ej])
      matrix (e) to (o) (%w[o, e] : T[oe])
      outs(EMPTY(io)[i, o] : A[io]) {{
  ^row(%a: A[j], %m: T[je], %n: T[eo]):
    {ACTIVATIONS[activation]}
    %ae = sinter.row_product %h, %m : A[j], T[je] -> A[e]
    {in_group(activation, "e", "e")}
    %p = sinter.row_product %he, %n : A[e], T[eo] -> A[o]
    sinter.yield %p : A[o]
  }}"""

    def linalg(w):
        h = w.map("ij", [w.product(w.argument("x"), w.argument("u"), "ij", "k")], *POINTS[activation])
        l = w.map("ie", [w.product(h, w.argument("v"), "ie", "j")], *POINTS[activation])
        return w.product(l, w.argument("w"), "io", "e")

    return Case("i=7 j=5 k=6 e=4 o=3", "x:ik:T u:jk:T v:ej:T w:oe:T", "io", form, linalg)


LORA = Case("i=7 j=5 k=6 r=2", "x:ik:T w:jk:T a:rk:T b:jr:T", "ij", """
  %y = sinter.contract (i = #i) by (r = #r) by (j = #j)
      product (k = #k) (%x[i, k] : T[ik], %a[r, k] : T[rk]) : F
      product (l = #k) (%x[i, l] : T[ik], %w[j, l] : T[jk]) : F
      matrix (r) to (j) (%b[j, r] : T[jr])
      outs(EMPTY(ij)[i, j] : A[ij]) {
  ^row(%s: A[r], %t: A[j], %m: T[rj]):
    %p = sinter.row_product %s, %m : A[r], T[rj] -> A[j]
    %q = arith.addf %t, %p : A[j]
    sinter.yield %q : A[j]
  }""", lambda w: w.map("ij", [
    w.product(w.argument("x"), w.argument("w"), "ij", "k"),
    w.product(w.product(w.argument("x"), w.argument("a"), "ir", "k"), w.argument("b"), "ij", "r"),
], "%s = arith.addf %0, %1 : F"))


def swiglu_linalg(w):
    g = w.product(w.argument("x"), w.argument("g"), "ij", "k")
    u = w.product(w.argument("x"), w.argument("u"), "ij", "k")
    h = w.map("ij", [g, u], "%o = arith.constant 1.0 : F", "%n = arith.negf %0 : F", "%e = math.exp %n : F",
              "%f = arith.addf %e, %o : F", "%s = arith.divf %0, %f : F", "%h = arith.mulf %s, %1 : F")
    return w.product(h, w.argument("d"), "ik", "j")


SWIGLU = Case("i=7 j=5 k=6", "x:ik:T g:jk:T u:jk:T d:kj:T", "ik", """
  %y = sinter.contract (i = #i) by (j = #j) by (o = #k)
      product (k = #k) (%x[i, k] : T[ik], %g[j, k] : T[jk]) : F
      product (l = #k) (%x[i, l] : T[ik], %u[j, l] : T[jk]) : F
      matrix (j) to (o) (%d[o, j] : T[kj])
      outs(EMPTY(ik)[i, o] : A[ik]) {
  ^row(%a: A[j], %b: A[j], %m: T[jk]):
    ROW(%o, 1.0, j)
    %n = arith.negf %a : A[j]
    %e = math.exp %n : A[j]
    %q = arith.addf %e, %o : A[j]
    %s = arith.divf %a, %q : A[j]
    %h = arith.mulf %s, %b : A[j]
    %p = sinter.row_product %h, %m : A[j], T[jk] -> A[k]
    sinter.yield %p : A[k]
  }""", swiglu_linalg)


def entropy_linalg(w):
    s = w.map("ij", [w.product(w.argument("x"), w.argument("u"), "ij", "k")], *POINTS["relu"])
    l = w.product(s, w.argument("w"), "io", "j")
    m = w.reduce(l, "i", "o", "maximumf", w.nothing())
    d = w.map("io", [l, m], "%d = arith.subf %0, %1 : F")
    z = w.reduce(w.map("io", [d], "%e = math.exp %0 : F"), "i", "o", "addf", "0.0")
    p = w.map("io", [d, z, w.argument("t")], "%l = math.log %1 : F", "%g = arith.subf %l, %0 : F",
              "%n = linalg.index 1 : index", "%i = arith.index_cast %n : index to i64",
              "%c = arith.cmpi eq, %i, %2 : i64", "%o = arith.constant 0.0 : F", "%s = arith.select %c, %g, %o : F")
    return w.reduce(p, "", "io", "addf", "0.0")


ENTROPY = Case("i=7 j=5 k=6 o=4", "x:ik:T u:jk:T w:oj:T t:i:i64", "", """
  %y = sinter.contract (i = #i) by (j = #j) by (o = #o)
      product (k = #k) (%x[i, k] : T[ik], %u[j, k] : T[jk]) : F
      matrix (j) to (o) (%w[o, j] : T[oj])
      ins(%t[i] : i64[i])
      reduce(add [] : F)
      outs(EMPTY()[] : A[]) {
  ^row(%a: A[j], %m: T[jo], %l: i64):
    ROW(%z, 0.0, j)
    %h = arith.maximumf %a, %z : A[j]
    %p = sinter.row_product %h, %m : A[j], T[jo] -> A[o]
    %x0 = sinter.row_reduce maximumf %p : A[o] -> F
    %x1 = sinter.broadcast %x0 : F -> A[o]
    %d = arith.subf %p, %x1 : A[o]
    %e = math.exp %d : A[o]
    %s = sinter.row_reduce add %e : A[o] -> F
    %n = math.log %s : F
    %0 = arith.constant 0.0 : F
    %q = sinter.pick %d[%l] else %0 : A[o], i64
    %r = arith.subf %n, %q : F
    sinter.yield %r : F
  }""", entropy_linalg)


# ---- attention -----------------------------------------------------------------------------------

SOFTMAX = """%mx = sinter.row_reduce maximumf %sm : A[j] -> F
    %mb = sinter.broadcast %mx : F -> A[j]
    %d = arith.subf %sm, %mb : A[j]
    %e = math.exp %d : A[j]
    %zs = sinter.row_reduce add %e : A[j] -> F
    %zb = sinter.broadcast %zs : F -> A[j]
    %p = arith.divf %e, %zb : A[j]"""
SCALED = "ROW(%c, 0.375, j)\n    %sm = arith.mulf %s, %c : A[j]"
CAUSAL = SCALED.replace("%sm =", "%sc =") + """
    %i = sinter.index i : index
    %ib = sinter.broadcast %i : index -> index[j]
    %n = sinter.index j : index[j]
    %in = arith.cmpi ule, %n, %ib : index[j]
    ROW(%no, NOTHING, j)
    %sm = arith.select %in, %sc, %no : i1[j], A[j]"""


def attention(mask, heads="h", more="", sizes="h=4 i=6 j=9 d=8 e=5"):
    inside = {"causal": CAUSAL, "added": SCALED.replace("%sm =", "%sc =") + "\n    %sm = arith.addf %sc, %ma : A[j]"}
    key, grouped = ("h floordiv 4", "g") if heads == "g" else ("h", "h")
    into = "ins(%a[i, j] : A[ij])" if mask == "added" else ""
    form = f"""  %y = sinter.contract (h = #h, i = #i) by (j = #j) by (e = #e)
      product (d = #d) (%q[h, i, d] : T[hid], %k[{key}, j, d] : T[{grouped}jd]) : F
      matrix (j) to (e) (%v[{key}, j, e] : T[{grouped}je])
      {into} outs(EMPTY(hie)[h, i, e] : A[hie]) {{
  ^row(%s: A[j], %m: T[je]{", %ma: A[j]" if into else ""}):
    {inside.get(mask, SCALED)}
    {SOFTMAX}
    %u = sinter.row_product %p, %m : A[j], T[je] -> A[e]
    sinter.yield %u : A[e]
  }}"""

    def linalg(w):
        q, k, v = (w.argument(n) for n in "qkv")
        if heads == "g":
            k, v = (k[0], "h floordiv 4, j, d", k[2]), (v[0], "h floordiv 4, j, e", v[2])
        s = w.product(q, k, "hij", "d")
        lines = ["%c = arith.constant 0.375 : F", "%sc = arith.mulf %0, %c : F"]
        if mask == "causal":
            lines += ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index",
                      "%in = arith.cmpi ule, %j, %i : index",
                      f"%no = arith.constant {w.nothing()} : {w.wide}",
                      "%sm = arith.select %in, %sc, %no : F"]
        if mask == "added":
            lines.append("%sm = arith.addf %sc, %1 : F")
        s = w.map("hij", [s] + ([w.argument("a")] if mask == "added" else []), *lines)
        return w.product(w.softmax(s, "hij", "j"), v, "hie", "j")

    added = " a:ij:A" if mask == "added" else ""
    g = "g" if heads == "g" else "h"
    return Case(sizes + more, f"q:hid:T k:{g}jd:T v:{g}je:T{added}", "hie", form, None if heads == "g" else linalg)


# ---- sides -------------------------------------------------------------------------------------------

RMS = Case("i=7 j=5 k=6 o=3", "x:ik:A g:k:A u:jk:T w:oj:T", "io", """
  %r = sinter.rowwise (i = #i) by (k = #k)
      ins(%x[i, k] : A[ik]) outs(EMPTY(i)[i] : A[i]) {
  ^row(%v: A[k]):
    %q = arith.mulf %v, %v : A[k]
    %s = sinter.row_reduce add %q : A[k] -> F
    %n = math.rsqrt %s : F
    sinter.yield %n : F
  }
  %y = sinter.contract (i = #i) by (j = #j) by (o = #o)
      product (k = #k) (side(%x[i, k] : A[ik], %r[i] : A[i], %g[k] : A[k]) {
      ^side(%v: A[k], %n: F, %gk: A[k]):
        %b = sinter.broadcast %n : F -> A[k]
        %p = arith.mulf %v, %b : A[k]
        %q = arith.mulf %p, %gk : A[k]
        sinter.yield %q : A[k]
      }, %u[j, k] : T[jk]) : F
      matrix (j) to (o) (%w[o, j] : T[oj])
      outs(EMPTY(io)[i, o] : A[io]) {
  ^row(%s: A[j], %m: T[jo]):
    %h = math.tanh %s : A[j]
    %p = sinter.row_product %h, %m : A[j], T[jo] -> A[o]
    sinter.yield %p : A[o]
  }""")


def rms_linalg(w):
    x = w.argument("x")
    s = w.reduce(w.map("ik", [x], "%q = arith.mulf %0, %0 : F"), "i", "k", "addf", "0.0")
    n = w.map("ik", [x, s, w.argument("g")], "%r = math.rsqrt %1 : F", "%p = arith.mulf %0, %r : F",
              "%q = arith.mulf %p, %2 : F")
    h = w.map("ij", [w.product(n, w.argument("u"), "ij", "k")], *POINTS["tanh"])
    return w.product(h, w.argument("w"), "io", "j")


RMS.linalg = rms_linalg

LAYER = Case("i=7 j=5 k=6", "x:ik:A g:k:A b:k:A u:jk:T", "ij", """
  %ms = sinter.rowwise (i = #i) by (k = #k)
      ins(%x[i, k] : A[ik]) outs(EMPTY(i)[i] : A[i]) {
  ^row(%v: A[k]):
    %s = sinter.row_reduce add %v : A[k] -> F
    %c = arith.constant 6.0 : F
    %n = arith.divf %s, %c : F
    sinter.yield %n : F
  }
  %vs = sinter.rowwise (i = #i) by (k = #k)
      ins(%x[i, k] : A[ik], %ms[i] : A[i]) outs(EMPTY(i)[i] : A[i]) {
  ^row(%v: A[k], %m: F):
    %mb = sinter.broadcast %m : F -> A[k]
    %d = arith.subf %v, %mb : A[k]
    %q = arith.mulf %d, %d : A[k]
    %s = sinter.row_reduce add %q : A[k] -> F
    %n = math.rsqrt %s : F
    sinter.yield %n : F
  }
  %y = sinter.contract (i = #i) by (j = #j)
      product (k = #k) (side(%x[i, k] : A[ik], %ms[i] : A[i], %vs[i] : A[i], %g[k] : A[k], %b[k] : A[k]) {
      ^side(%v: A[k], %m: F, %n: F, %gk: A[k], %bk: A[k]):
        %mb = sinter.broadcast %m : F -> A[k]
        %d = arith.subf %v, %mb : A[k]
        %nb = sinter.broadcast %n : F -> A[k]
        %p = arith.mulf %d, %nb : A[k]
        %q = arith.mulf %p, %gk : A[k]
        %r = arith.addf %q, %bk : A[k]
        sinter.yield %r : A[k]
      }, %u[j, k] : T[jk]) : F
      outs(EMPTY(ij)[i, j] : A[ij]) {
  ^row(%s: A[j]):
    sinter.yield %s : A[j]
  }""")


def layer_linalg(w):
    x = w.argument("x")
    m = w.map("i", [w.reduce(x, "i", "k", "addf", "0.0")], "%c = arith.constant 6.0 : F", "%m = arith.divf %0, %c : F")
    d = w.map("ik", [x, m], "%d = arith.subf %0, %1 : F")
    s = w.reduce(w.map("ik", [d], "%q = arith.mulf %0, %0 : F"), "i", "k", "addf", "0.0")
    n = w.map("ik", [d, s, w.argument("g"), w.argument("b")], "%r = math.rsqrt %1 : F", "%p = arith.mulf %0, %r : F",
              "%q = arith.mulf %p, %2 : F", "%n = arith.addf %q, %3 : F")
    return w.product(n, w.argument("u"), "ij", "k")


LAYER.linalg = layer_linalg

# A matrix of whole numbers with a scale for each of its rows, and one for each eight of its columns.
DEQUANTISED = Case("i=7 j=5 k=16 b=2 o=3", "x:ik:T c:jk:i8 s:jb:A n:j:A w:oj:T", "io", """
  %y = sinter.contract (i = #i) by (j = #j) by (o = #o)
      product (k = #k) (%x[i, k] : T[ik], side(%c[j, k] : i8[jk], %s[j, k floordiv 8] : A[jb], %n[j] : A[j]) {
      ^side(%v: i8[k], %t: A[k], %r: F):
        %f = arith.sitofp %v : i8[k] to A[k]
        %p = arith.mulf %f, %t : A[k]
        %rb = sinter.broadcast %r : F -> A[k]
        %q = arith.addf %p, %rb : A[k]
        sinter.yield %q : A[k]
      }) : F
      matrix (j) to (o) (%w[o, j] : T[oj])
      outs(EMPTY(io)[i, o] : A[io]) {
  ^row(%a: A[j], %m: T[jo]):
    %h = math.tanh %a : A[j]
    %p = sinter.row_product %h, %m : A[j], T[jo] -> A[o]
    sinter.yield %p : A[o]
  }""")

# Rows of a table, with a factor for each of their elements.
GATHERED = Case("i=7 j=5 k=6 v=9", "e:vk:A t:i:i64 g:k:A u:jk:T", "ij", """
  %y = sinter.contract (i = #i) by (j = #j)
      product (k = #k) (side(%e[%t[i] : i64[i], k] : A[vk], %g[k] : A[k]) {
      ^side(%v: A[k], %gk: A[k]):
        %p = arith.mulf %v, %gk : A[k]
        sinter.yield %p : A[k]
      }, %u[j, k] : T[jk]) : F
      outs(EMPTY(ij)[i, j] : A[ij]) {
  ^row(%s: A[j]):
    %h = math.tanh %s : A[j]
    sinter.yield %h : A[j]
  }""", wrt="g u")

DROPOUT = Case("i=7 j=5 k=6 o=3", "x:ik:A m:ik:i1 u:jk:T w:oj:T", "io", """
  %y = sinter.contract (i = #i) by (j = #j) by (o = #o)
      product (k = #k) (side(%x[i, k] : A[ik], %m[i, k] : i1[ik]) {
      ^side(%v: A[k], %c: i1[k]):
        ROW(%z, 0.0, k)
        ROW(%f, 1.25, k)
        %s = arith.mulf %v, %f : A[k]
        %p = arith.select %c, %s, %z : i1[k], A[k]
        sinter.yield %p : A[k]
      }, %u[j, k] : T[jk]) : F
      matrix (j) to (o) (%w[o, j] : T[oj])
      outs(EMPTY(io)[i, o] : A[io]) {
  ^row(%a: A[j], %n: T[jo]):
    ROW(%z, 0.0, j)
    %h = arith.maximumf %a, %z : A[j]
    %p = sinter.row_product %h, %n : A[j], T[jo] -> A[o]
    sinter.yield %p : A[o]
  }""")


def dropout_linalg(w):
    x = w.map("ik", [w.argument("x"), w.argument("m")], "%f = arith.constant 1.25 : F", "%z = arith.constant 0.0 : F",
              "%s = arith.mulf %0, %f : F", "%p = arith.select %1, %s, %z : F")
    h = w.map("ij", [w.product(x, w.argument("u"), "ij", "k")], *POINTS["relu"])
    return w.product(h, w.argument("w"), "io", "j")


DROPOUT.linalg = dropout_linalg

# A matrix that is computed, by its row, its column, and its element; each row has a matrix of its own.
MATRIX = Case("b=2 i=7 j=5 o=3", "x:bij:A v:bjo:A r:j:A c:o:A", "bio", """
  %y = sinter.rowwise (b = #b, i = #i) by (j = #j) by (o = #o)
      matrix (j) to (o) (side(%v[b, j, o] : A[bjo], %r[j] : A[j], %c[o] : A[o]) {
      ^side(%a: A[j], %rj: A[j], %co: F):
        %t = math.tanh %a : A[j]
        %p = arith.mulf %t, %rj : A[j]
        %cb = sinter.broadcast %co : F -> A[j]
        %q = arith.addf %p, %cb : A[j]
        sinter.yield %q : A[j]
      })
      ins(%x[b, i, j] : A[bij])
      outs(EMPTY(bio)[b, i, o] : A[bio]) {
  ^row(%m: A[jo], %a: A[j]):
    %h = arith.mulf %a, %a : A[j]
    %p = sinter.row_product %h, %m : A[j], A[jo] -> A[o]
    %s = sinter.row_reduce add %h : A[j] -> F
    %sb = sinter.broadcast %s : F -> A[o]
    %q = arith.mulf %p, %sb : A[o]
    sinter.yield %q : A[o]
  }""")


def matrix_linalg(w):
    m = w.map("bjo", [w.argument("v"), w.argument("r"), w.argument("c")], "%t = math.tanh %0 : F",
              "%p = arith.mulf %t, %1 : F", "%q = arith.addf %p, %2 : F")
    h = w.map("bij", [w.argument("x")], "%h = arith.mulf %0, %0 : F")
    s = w.reduce(h, "bi", "j", "addf", "0.0")
    return w.map("bio", [w.product(h, m, "bio", "j"), s], "%q = arith.mulf %0, %1 : F")


MATRIX.linalg = matrix_linalg

LONG = "h=2 i=200 j=208 d=4 e=3"  # rows that cost less to make again than to store
CASES = {f"mlp2_{a}": mlp2(a) for a in ACTIVATIONS}
CASES |= {f"mlp3_{a}": mlp3(a) for a in ACTIVATIONS}
CASES |= {"attention": attention(""), "attention_causal": attention("causal"), "attention_mask": attention("added"),
          "attention_gqa": attention("", "g", " g=1"), "attention_gqa2": attention("causal", "g", " g=2",
              "h=8 i=6 j=9 d=8 e=5"),
          "attention_long": attention("", "h", "", LONG), "attention_long_causal": attention("causal", "h", "", LONG),
          "lora": LORA, "swiglu": SWIGLU, "entropy": ENTROPY, "rms_norm": RMS, "layer_norm": LAYER,
          "dequantised": DEQUANTISED, "gathered": GATHERED, "dropout": DROPOUT, "matrix": MATRIX}
