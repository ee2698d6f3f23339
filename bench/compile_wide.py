"""Shapes of program for bench/compile_programs that are wide or deep in one place: what grows is the n of each."""
from compile_builder import COLUMNS, ROWS, Program, Value
from compile_shapes import joined, scattered, numbers, tanh, total

# ---- one operation that is large ------------------------------------------------------------


def body(p, n):
    """one operation whose body computes n numbers"""
    x = p.weight(ROWS, COLUMNS)
    lines = ["%z0 = arith.addf %x0, %x0 : f32"]
    for k in range(1, n):
        lines.append(f"%z{k} = arith.{('mulf', 'addf', 'subf', 'maximumf')[k % 4]} %z{k - 1}, %x0 : f32")
    return p.each(lines + [f"%y = math.tanh %z{n - 1} : f32"], x)


def operands(p, n):
    """one operation of n operands, which it adds"""
    xs = [p.weight(ROWS, COLUMNS) for _ in range(n)]
    lines = ["%z0 = arith.addf %x0, %x0 : f32"]
    lines += [f"%z{k} = arith.addf %z{k - 1}, %x{k} : f32" for k in range(1, n)]
    return p.each(lines + [f"%y = math.tanh %z{n - 1} : f32"], *xs)


def elements(p, n):
    """a row of n numbers, each extracted from a tensor, added to another and put together"""
    x, y = p.argument(n), p.argument(n)
    names = []
    for k in range(n):
        p.lines += [f"  %i{k} = arith.constant {k} : index", f"  %e{k} = tensor.extract {x}[%i{k}] : {x.text}",
                    f"  %f{k} = arith.addf %e{k}, %e{k // 2} : f32"]
        names.append(f"%f{k}")
    return p.each("arith.mulf", p.add(f"tensor.from_elements {', '.join(names)} : {x.text}", (n,)), y)


# ---- arguments and results ------------------------------------------------------------------


def apart(p, n):
    """n results, each a tanh of an argument of its own"""
    return [tanh(p, p.weight(ROWS, COLUMNS)) for _ in range(n)]


def widths(p, n):
    """n results, each a product of a width of its own"""
    x = p.argument(ROWS, COLUMNS)
    return [tanh(p, p.product(x, p.weight(COLUMNS, 8 + k))) for k in range(n)]


def windows(p, n):
    """n convolutions of one image, no two with the same number of filters; the sum of each"""
    x = p.argument(1, 3, 14, 14)
    return [p.reduced("arith.addf", p.relu(p.convolution(x, 4 + k, 3, 1)), [1, 2, 3]) for k in range(n)]


# ---- control --------------------------------------------------------------------------------


def carried(p, n):
    """a loop that carries n tensors, each of which becomes its tanh"""
    xs = [p.argument(ROWS, COLUMNS) for _ in range(n)]
    for name, number in (("first", 0), ("last", 3), ("step", 1)):
        p.lines.append(f"  %{name} = arith.constant {number} : index")
    types = ", ".join(x.text for x in xs)
    begun = [Value(f"t{k}", x.shape) for k, x in enumerate(xs)]
    first = ", ".join(f"{b} = {x}" for b, x in zip(begun, xs))
    p.lines.append(f"  %l:{n} = scf.for %i = %first to %last step %step iter_args({first}) -> ({types}) {{")
    ends = [tanh(p, b) for b in begun]
    p.lines.append(f"  scf.yield {', '.join(map(str, ends))} : {types}\n  }}")
    return [Value(f"l#{k}", x.shape) for k, x in enumerate(xs)]


def chosen(p, n):
    """a branch with n results: tanhs of n arguments, or these"""
    xs, choice = [p.argument(ROWS, COLUMNS) for _ in range(n)], p.argument()
    types = ", ".join(x.text for x in xs)
    p.lines += [f"  %chosen = tensor.extract {choice}[] : {choice.text}",
                f"  %c_ = arith.cmpf ogt, %chosen, %{p.constant(0)} : f32", f"  %l:{n} = scf.if %c_ -> ({types}) {{"]
    ends = [tanh(p, x) for x in xs]
    p.lines.append(f"  scf.yield {', '.join(map(str, ends))} : {types}\n  }} else {{")
    p.lines.append(f"  scf.yield {', '.join(map(str, xs))} : {types}\n  }}")
    return [Value(f"l#{k}", x.shape) for k, x in enumerate(xs)]


def deep(p, n):
    """n branches in each other: a tanh at each depth, or what there was"""
    x, choice = p.argument(ROWS, COLUMNS), p.argument()
    p.lines.append(f"  %chosen = tensor.extract {choice}[] : {choice.text}")

    def branch(k, x):
        if k == n:
            return x
        y = Value(f"l{k}", x.shape)
        p.lines += [f"  %c{k}_ = arith.cmpf ogt, %chosen, %{p.constant(k)} : f32",
                    f"  {y} = scf.if %c{k}_ -> ({x.text}) {{"]
        inner = branch(k + 1, tanh(p, x))
        p.lines.append(f"  scf.yield {inner} : {x.text}\n  }} else {{\n  scf.yield {x} : {x.text}\n  }}")
        return y

    return branch(0, x)


# ---- many of one kind -----------------------------------------------------------------------


def scatters(p, n):
    """n scatters into one tensor, one behind the other"""
    x = p.argument(ROWS, 16)
    for _ in range(n):
        x = scattered(p, p.weight(20, 16), numbers(p, 20, 1), x)
    return x


def sorted_apart(p, n):
    """n sorts, each of an argument of its own; all are added"""
    out = []
    for _ in range(n):
        y = tanh(p, p.weight(ROWS, COLUMNS))
        out.append(p.add(f"tm_tensor.sort dimension(1) outs({y} : {y.text}) {{\n  ^one(%p: f32, %q: f32):\n"
                         f"    %l = arith.cmpf ogt, %p, %q : f32\n    tm_tensor.yield %l : i1\n  }} -> {y.text}",
                         y.shape))
    return total(p, out)


def tables(p, n):
    """n constants of 48 x 48 numbers, each multiplied with the rows in front of it"""
    x = p.argument(ROWS, COLUMNS)
    for k in range(n):
        bytes_ = "".join(f"{i * 7919 + k:08X}"[::-1] for i in range(COLUMNS**2))
        bytes_ = bytes_.translate(str.maketrans("CDEF", "3456"))
        c = p.add(f'arith.constant dense<"0x{bytes_}"> : {Value("", (COLUMNS, COLUMNS)).text}', (COLUMNS, COLUMNS))
        x = tanh(p, p.product(x, c))
    return x


def pieces(p, n):
    """one concatenation of n pieces, no two as wide, and the rows' sums of what it is"""
    x = joined(p, [tanh(p, p.weight(ROWS, 2 + k % 61)) for k in range(n)])
    return [x, p.reduced("arith.addf", x, [1])]


def tree(p, n):
    """the sum of n arguments, of two of which each is one, and so on"""
    xs = [p.weight(ROWS, COLUMNS) for _ in range(n)]
    while len(xs) > 1:
        xs = [tanh(p, p.each("arith.addf", *pair)) if len(pair) == 2 else pair[0]
              for pair in (xs[k:k + 2] for k in range(0, len(xs), 2))]
    return xs[0]


def mini(p, n):
    """n heads of attention of tensors of their own, added"""
    out = []
    for _ in range(n):
        q, k, v = (p.weight(12, 8) for _ in range(3))
        out.append(p.product(p.softmax(p.scaled(p.product(q, p.transposed(k, (1, 0))), 8**-0.5)), v))
    return total(p, out)


# ---- functions, and sizes that are not known ------------------------------------------------


def calls(n):
    """n functions, each of which calls the one in front of it and adds a layer"""
    for k in range(n):
        p = Program()
        x, w = p.argument(ROWS, COLUMNS), p.argument(COLUMNS, COLUMNS)
        y = x
        if k:
            y = p.add(f"func.call @f{k - 1}({x}, {w}) : ({x.text}, {w.text}) -> {x.text}", x.shape)
        p.write(p.relu(p.product(y, w)), name="main" if k == n - 1 else f"f{k}", private=k < n - 1)


def called(n):
    """one function that is called n times, one behind the other"""
    p = Program()
    x, w = p.argument(ROWS, COLUMNS), p.argument(COLUMNS, COLUMNS)
    p.write(p.relu(p.product(x, w)), name="layer", private=True)
    p = Program()
    x, w = p.argument(ROWS, COLUMNS), p.argument(COLUMNS, COLUMNS)
    for _ in range(n):
        x = p.add(f"func.call @layer({x}, {w}) : ({x.text}, {w.text}) -> {x.text}", x.shape)
    p.write(x)


def unknown(n):
    """n layers of rows of a size `?`, each with a weight and a tensor of its own"""
    return open_layers(n, False)


def unknown_widths(n):
    """the same, all weights of sizes `?` too"""
    return open_layers(n, True)


def open_layers(n, wide):
    x, m = "tensor<?x?xf32>" if wide else f"tensor<?x{COLUMNS}xf32>", f"tensor<{COLUMNS}x{COLUMNS}xf32>"
    m = "tensor<?x?xf32>" if wide else m
    arguments = "".join(f", %w{k}: {m}, %u{k}: {x}" for k in range(n))
    print(f"func.func @main(%x0: {x}{arguments}) -> {x} {{\n  %zero = arith.constant 0.0 : f32\n"
          f"  %i0 = arith.constant 0 : index\n  %i1 = arith.constant 1 : index")
    for k in range(n):
        columns = f", %n{k}" if wide else ""
        print(f"  %m{k} = tensor.dim %x{k}, %i0 : {x}")
        if wide:
            print(f"  %n{k} = tensor.dim %w{k}, %i1 : {m}")
        print(f"""  %e{k} = tensor.empty(%m{k}{columns}) : {x}
  %f{k} = linalg.fill ins(%zero : f32) outs(%e{k} : {x}) -> {x}
  %p{k} = linalg.matmul ins(%x{k}, %w{k} : {x}, {m}) outs(%f{k} : {x}) -> {x}
  %s{k} = linalg.add ins(%p{k}, %u{k} : {x}, {x}) outs(%e{k} : {x}) -> {x}
  %x{k + 1} = linalg.tanh ins(%s{k} : {x}) outs(%e{k} : {x}) -> {x}""")
    print(f"  return %x{n} : {x}\n}}")


def losses(n):
    """n cross entropies by name, each of logits of its own, added"""
    x, t = f"tensor<{ROWS}x{COLUMNS}xf32>", f"tensor<{ROWS}xi64>"
    print(f"func.func @main({', '.join(f'%x{k}: {x}, %t{k}: {t}' for k in range(n))}) -> tensor<f32> {{")
    for k in range(n):
        print(f"  %l{k} = sinter.cross_entropy(%x{k}, %t{k}) : ({x}, {t}) -> tensor<f32>")
        if k:
            print(f"  %s{k} = arith.addf %{'s' if k > 1 else 'l'}{k - 1}, %l{k} : tensor<f32>")
    print(f"  return %{'s' if n > 1 else 'l'}{n - 1} : tensor<f32>\n}}")
    print(f"// wrt={','.join(str(2 * k) for k in range(n))}")


WIDE = {f.__name__: f for f in (
    body, operands, elements, apart, widths, windows, carried, chosen, deep, scatters, sorted_apart, tables, pieces,
    tree, mini)}
WHOLE = {f.__name__: f for f in (calls, called, unknown, unknown_widths, losses)}
