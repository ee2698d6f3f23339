"""More shapes of program for bench/compile_programs: what grows is the n of each."""
import random

from compile_builder import COLUMNS, ROWS, Value


def total(p, values):
    """The sum of all values, one addition after the other."""
    y = values[0]
    for x in values[1:]:
        y = p.each("arith.addf", y, x)
    return y


def sliced(p, x, offsets, shape):
    """A slice without the dimensions of size 1 that `shape` leaves out in front."""
    sizes = (1,) * (len(x.shape) - len(shape)) + tuple(shape)
    ones = [1] * len(sizes)
    text = Value("", shape).text
    return p.add(f"tensor.extract_slice {x}{list(offsets)} {list(sizes)} {ones} : {x.text} to {text}", shape)


def inserted(p, x, into, offsets):
    sizes = (1,) * (len(into.shape) - len(x.shape)) + x.shape
    ones = [1] * len(sizes)
    return p.add(f"tensor.insert_slice {x} into {into}{list(offsets)} {list(sizes)} {ones} : {x.text} into {into.text}",
                 into.shape)


def joined(p, pieces, dim=1):
    shape = list(pieces[0].shape)
    shape[dim] = sum(x.shape[dim] for x in pieces)
    types = ", ".join(x.text for x in pieces)
    return p.add(f"tensor.concat dim({dim}) {', '.join(map(str, pieces))} : ({types}) -> {Value('', shape).text}",
                 shape)


def tanh(p, x):
    return p.each(["%y = math.tanh %x0 : f32"], x)


def numbers(p, *shape):
    """An argument of whole numbers."""
    x = Value(f"a{len(p.arguments)}", shape, "i64")
    p.arguments.append(x)
    return x


def looked_up(p, table, index):
    """Rows of a table by an index for each."""
    shape = index.shape + table.shape[1:]
    out, d = p.empty(shape), ", ".join(f"d{k}" for k in range(len(shape)))
    at = ", ".join(f"d{k}" for k in range(len(index.shape)))
    kinds = ", ".join(['"parallel"'] * len(shape))
    return p.add(f"linalg.generic {{indexing_maps = [affine_map<({d}) -> ({at})>, affine_map<({d}) -> ({d})>], "
                 f"iterator_types = [{kinds}]}} ins({index} : {index.text}) outs({out} : {out.text}) {{\n"
                 f"  ^bb0(%r: i64, %o: f32):\n    %i = arith.index_cast %r : i64 to index\n"
                 f"    %j = linalg.index {len(shape) - 1} : index\n"
                 f"    %y = tensor.extract {table}[%i, %j] : {table.text}\n    linalg.yield %y : f32\n"
                 f"  }} -> {out.text}", shape)


def scattered(p, updates, index, into):
    """Rows added to those of a tensor, by an index for each: tm_tensor.scatter."""
    return p.add("tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) "
                 f"ins({updates}, {index} : {updates.text}, {index.text}) outs({into} : {into.text}) {{\n"
                 "  ^one(%p: f32, %q: f32):\n    %s = arith.addf %q, %p : f32\n    tm_tensor.yield %s : f32\n  } -> "
                 f"{into.text}", into.shape)


# ---- many that read one, and one that reads many --------------------------------------------


def fan_out(p, n):
    """n products of one tensor, each with a weight of its own, added"""
    x = p.argument(ROWS, COLUMNS)
    return total(p, [tanh(p, p.product(x, p.weight(COLUMNS, COLUMNS))) for _ in range(n)])


def readers(p, n):
    """n kernels that read one tensor, each along other dimensions in turn; all are results"""
    x = p.argument(ROWS, ROWS)
    out = []
    for k in range(n):
        y = p.scaled(x, 1 + k / 1024)
        out.append(p.reduced("arith.addf", tanh(p, y), [k % 2]) if k % 3 else tanh(p, p.transposed(y, (1, 0))))
    return out


def fan_in(p, n):
    """a sum of n terms, each made of a tensor of its own by a row's reduction"""
    terms = []
    for _ in range(n):
        x = p.weight(ROWS, COLUMNS)
        terms.append(p.each("arith.divf", x, p.reduced("arith.addf", p.each("arith.mulf", x, x), [1])))
    return total(p, terms)


def reductions(p, n):
    """n reductions of one tensor, over rows and over columns in turn, each of another multiple"""
    x = p.weight(ROWS, COLUMNS)
    sums = [p.reduced("arith.addf", tanh(p, p.scaled(x, 1 + k / 1024)), [k % 2]) for k in range(n)]
    return [total(p, sums[::2]), total(p, sums[1::2])]


def dag(p, n):
    """n elementwise operations, each of two drawn from all in front of it; the last ones are results"""
    draw, values = random.Random(n), [p.weight(ROWS, COLUMNS) for _ in range(4)]
    unread = {}
    for _ in range(n):
        a, b = draw.choice(values), draw.choice(values)
        op = draw.choice(["addf", "mulf", "subf", "maximumf"])
        values.append(tanh(p, a) if draw.random() < 0.2 else p.each(f"arith.{op}", a, b))
        unread[str(values[-1])] = values[-1]
        unread.pop(str(a), None), unread.pop(str(b), None)
    return total(p, list(unread.values()))


def mixed(p, n):
    """n kernels, rows' and columns' reductions among them, each of two of the last eight"""
    draw, values = random.Random(n), [p.weight(ROWS, COLUMNS) for _ in range(4)]
    for k in range(n):
        a, b = draw.choice(values[-8:]), draw.choice(values[-8:])
        y = p.each("arith.addf", a, b)
        values.append(p.each("arith.subf", tanh(p, y), p.reduced("arith.maximumf", y, [k % 2], -3.4e38)))
    return total(p, values[-8:])


# ---- views ----------------------------------------------------------------------------------


def reshapes(p, n):
    """n reshapes, a tanh behind each: three dimensions, two, three, ..."""
    x = p.weight(6, 8, 5)
    for k in range(n):
        wide = [(0, 1), (2,)] if k % 4 < 2 else [(0,), (1, 2)]
        x = p.expanded(x, wide, (6, 8, 5)) if len(x.shape) == 2 else p.collapsed(x, wide)
        x = tanh(p, x)
    return x


def turned(p, n):
    """n transpositions, a reduced row's distance behind each"""
    x = p.weight(ROWS, ROWS)
    for _ in range(n):
        x = p.transposed(x, (1, 0))
        x = p.each("arith.subf", x, p.reduced("arith.maximumf", x, [1], -3.4e38))
    return x


def slices(p, n):
    """n slices of one tensor, a tanh of each, added"""
    x = p.weight(n, ROWS, COLUMNS)
    return total(p, [tanh(p, sliced(p, x, (k, 0, 0), (ROWS, COLUMNS))) for k in range(n)])


def shrinking(p, n):
    """n times a slice of the last tensor that leaves out its first column, and a tanh"""
    x = p.weight(ROWS, COLUMNS + n)
    for k in range(n):
        x = tanh(p, sliced(p, x, (0, 1), (ROWS, x.shape[1] - 1)))
    return x


def inserts(p, n):
    """n rows, each made of an argument, inserted into one tensor"""
    y = p.filled((n, ROWS, COLUMNS))
    for k in range(n):
        y = inserted(p, tanh(p, p.weight(ROWS, COLUMNS)), y, (k, 0, 0))
    return y


def replaced(p, n):
    """n times a row of a tensor, through a tanh, inserted as its next row"""
    y = p.weight(n + 1, COLUMNS)
    for k in range(n):
        y = inserted(p, tanh(p, sliced(p, y, (k, 0), (COLUMNS,))), y, (k + 1, 0))
    return y


def stacked(p, n):
    """one concatenation of n pieces, each a tanh of an argument"""
    return joined(p, [tanh(p, p.weight(ROWS, 8)) for _ in range(n)])


def split(p, n):
    """n slices of one tensor, each through a row's maximum, concatenated again"""
    x = p.weight(ROWS, 8 * n)
    pieces = []
    for k in range(n):
        y = sliced(p, x, (0, 8 * k), (ROWS, 8))
        pieces.append(p.each("arith.subf", y, p.reduced("arith.maximumf", y, [1], -3.4e38)))
    return joined(p, pieces)


def pads(p, n):
    """n times a border of zeros, a tanh, and the border cut off again"""
    x = p.weight(1, 2, 9, 9)
    for _ in range(n):
        x = sliced(p, tanh(p, p.padded(x, 1, 0)), (0, 0, 0, 1), (1, 2, 9, 9))
    return x


# ---- constants ------------------------------------------------------------------------------


def constants(p, n):
    """n constants of 64 numbers, each added to a row"""
    x = p.argument(ROWS, 64)
    for k in range(n):
        text = Value("", (64,)).text
        bytes_ = "".join(f"{i * 7919 + k:08X}"[::-1] for i in range(64)).translate(str.maketrans("CDEF", "3456"))
        c = p.add(f'arith.constant dense<"0x{bytes_}"> : {text}', (64,))
        x = tanh(p, p.each("arith.addf", x, c))
    return x


# ---- models ---------------------------------------------------------------------------------


def rnn(p, n):
    """n steps of a plain recurrence, each of a slice of the input; each state is stored in one tensor"""
    x, h = p.argument(n, 4, 16), p.argument(4, 32)
    w, u, b, y = p.weight(16, 32), p.weight(32, 32), p.weight(32), p.filled((n, 4, 32))
    for k in range(n):
        now = sliced(p, x, (k, 0, 0), (4, 16))
        h = tanh(p, p.each("arith.addf", p.each("arith.addf", p.product(now, w), p.product(h, u)), b))
        y = inserted(p, h, y, (k, 0, 0))
    return y


def embeddings(p, n):
    """n embedding tables, each looked up by a column of its own, concatenated, and a linear layer behind them"""
    rows = []
    for _ in range(n):
        rows.append(looked_up(p, p.weight(100, 8), numbers(p, ROWS)))
    return p.linear(joined(p, rows), COLUMNS)


def heads(p, n):
    """n heads of attention, each unrolled: slices of queries, keys and values, concatenated behind it"""
    q, k, v = (p.weight(ROWS, 8 * n) for _ in range(3))
    out = []
    for i in range(n):
        a, b, c = (sliced(p, x, (0, 8 * i), (ROWS, 8)) for x in (q, k, v))
        out.append(p.product(p.softmax(p.scaled(p.product(a, p.transposed(b, (1, 0))), 8**-0.5)), c))
    return joined(p, out)


def graph(p, n):
    """n layers of a graph network: rows gathered by edges, weighted, scattered to nodes"""
    x, sources, targets = p.argument(ROWS, 16), numbers(p, 90), numbers(p, 90, 1)
    for _ in range(n):
        messages = looked_up(p, p.product(x, p.weight(16, 16)), sources)
        x = tanh(p, scattered(p, messages, targets, p.filled((ROWS, 16))))
    return x


def residual(p, n):
    """n residual blocks of two convolutions and norms, all on pictures of 14 x 14"""
    x = p.argument(2, 8, 14, 14)
    for _ in range(n):
        y = p.relu(p.batch_norm(p.convolution(x, 8, 3, 1)))
        x = p.relu(p.each("arith.addf", p.batch_norm(p.convolution(y, 8, 3, 1)), x))
    return x


def norms(p, n):
    """n layer norms and softmaxes, each added to what it is of"""
    x = p.argument(ROWS, COLUMNS)
    for _ in range(n):
        x = p.each("arith.addf", x, p.softmax(p.layer_norm(x)))
    return x


def narrow(p, n):
    """n layers of an encoder of 32 features and two heads"""
    x = p.argument(2 * 12, 32)
    for _ in range(n):
        x = p.each("arith.addf", x, p.attention(p.layer_norm(x), 2, 2))
        x = p.each("arith.addf", x, p.linear(p.gelu(p.linear(p.layer_norm(x), 64)), 32))
    return x


# ---- other dialects -------------------------------------------------------------------------


def scans(p, n):
    """n cumulative sums of tm_tensor, a tanh behind each"""
    x = p.weight(ROWS, COLUMNS)
    for _ in range(n):
        out, last = p.empty(x.shape), p.filled((ROWS,))
        y = p.add(f"tm_tensor.scan dimension(1) inclusive(true) ins({x} : {x.text}) outs({out}, {last} : {out.text}, "
                  f"{last.text}) {{\n  ^one(%p: f32, %q: f32):\n    %s = arith.addf %p, %q : f32\n"
                  f"    tm_tensor.yield %s : f32\n  }} -> {out.text}, {last.text}", x.shape)
        p.lines[-1] = p.lines[-1].replace(f"{y} =", f"{y}:2 =", 1)
        x = tanh(p, Value(f"{y.name}#0", y.shape))
    return x


def sorts(p, n):
    """n sorts of tm_tensor, each of the last one's tanh times a number of its own"""
    x = p.weight(ROWS, COLUMNS)
    for k in range(n):
        y = p.scaled(tanh(p, x), (-1) ** k * (1 + k / 1024))
        x = p.add(f"tm_tensor.sort dimension(1) outs({y} : {y.text}) {{\n  ^one(%p: f32, %q: f32):\n"
                  f"    %l = arith.cmpf ogt, %p, %q : f32\n    tm_tensor.yield %l : i1\n  }} -> {y.text}", y.shape)
    return x


def tosa(p, n):
    """n layers in TOSA: a product, a bias, a clamp and a row's sum"""
    x = p.argument(1, ROWS, COLUMNS)
    zero = p.add('"tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>', (1,))
    for _ in range(n):
        w, b = p.weight(1, COLUMNS, COLUMNS), p.weight(1, 1, COLUMNS)
        y = p.add(f"tosa.matmul {x}, {w}, {zero}, {zero} : ({x.text}, {w.text}, {zero.text}, {zero.text}) -> {x.text}",
                  x.shape)
        y = p.add(f"tosa.add {y}, {b} : ({y.text}, {b.text}) -> {x.text}", x.shape)
        y = p.add(f"tosa.clamp {y} {{min_val = 0.0 : f32, max_val = 6.0 : f32}} : ({y.text}) -> {x.text}", x.shape)
        s = Value("", (1, ROWS, 1))
        s = p.add(f"tosa.reduce_sum {y} {{axis = 2 : i32}} : ({y.text}) -> {s.text}", s.shape)
        x = p.add(f"tosa.sub {y}, {s} : ({y.text}, {s.text}) -> {x.text}", x.shape)
    return x


SHAPES = {f.__name__: f for f in (
    fan_out, readers, fan_in, reductions, dag, mixed, reshapes, turned, slices, shrinking, inserts, replaced, stacked,
    split, pads, constants, rnn, embeddings, heads, graph, residual, norms, narrow, scans, sorts, tosa)}
