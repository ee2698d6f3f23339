"""Sizes `?`: what torch-mlir and PyTorch's decompositions take for something else.

    view(x: [s0, s1, 8], [-1, 8])              flatten(x, 0, 1)         torch-mlir takes s1 for 1
    view(x: [s0, s1, 2, 4], [s1, s0, 8])       of flatten(flatten(x, 2, 3), 0, 1)
    as_strided(x: [s0, 4, 4], [s0, 16], ...)   view(x, [s0, 16])        it has none of sizes `?`
    as_strided_scatter(x: [64], y, [4, 16], ...)  view(y, [64])         it has none at all
    trunc(sym_float(s0) * 1.7)                 -ceil(s0 * 1.7 * -1)     it lowers ceil alone
    s0 % 4, s0 ** 2                            s0 - s0 // 4 * 4, s0 * s0  it has neither of sizes
    sym_min(s0, s1), of a diagonal             prim.min(s0, s1)         it has it by this name
    rms_norm(x, [s0])                          x / sqrt(mean(x * x))    it takes known sizes
    split_with_sizes(x, [s0 // 2, ...])        slices                   it splits by known sizes

PyTorch takes some operations apart in one way or another by a question about a size, as whether a pool's windows divide
an image, and answers it for the example: the program is right for such sizes alone, and asserts it.
"""

import functools
import itertools
import math
import operator

import sympy
import torch

from ._composite import fmod
from ._decompositions import graphs, one_place, traced_again
from ._repeated import look_up_once

FLATTEN = "aten.flatten.using_ints"  # stays one until it is a collapse_shape


def _open(exported):
    """(argument, dimension, size) of each size `?` of an argument."""
    values = {node.name: node.meta["val"] for node in exported.graph.nodes if node.op == "placeholder"}
    for k, name in enumerate(exported.graph_signature.user_inputs):
        for d, size in enumerate(getattr(values.get(name), "shape", ())):
            if isinstance(size, torch.SymInt):
                yield k, d, size


def equal_sizes(exported):
    """Pairs of (argument, dimension) whose sizes have one symbol: the first that has it, and another."""
    first, pairs = {}, []
    for k, d, size in _open(exported):
        if first.setdefault(str(size), (k, d)) != (k, d):
            pairs.append((first[str(size)], (k, d)))
    return pairs


def _expressions(sizes):
    return [sympy.expand(n.node.expr if isinstance(n, torch.SymInt) else n) for n in sizes]


def _products(shape):
    """Of its first dimensions: of none, of one, and so on."""
    return list(itertools.accumulate(_expressions(shape), lambda x, n: sympy.expand(x * n), initial=sympy.Integer(1)))


def _groups(x, y):
    """[(first, behind), ...]: the dimensions of shape x that a view as shape y keeps together, as few as can be."""
    of_x, of_y, groups, i, j = _products(x), _products(y), [], 0, 0
    for k, m in ((k, m) for k in range(1, len(x)) for m in range(1, len(y)) if of_x[k] == of_y[m]):
        if k > i and m > j:
            groups.append((i, k))
            i, j = k, m
    return [*groups, (i, len(x))]


def _join(graph, node):
    """What a view makes of several dimensions of size `?` is a flatten's first."""
    flatten, x, y = torch.ops.aten.flatten.using_ints, node.args[0], list(node.meta["val"].shape)
    shape = list(x.meta["val"].shape)
    for first, behind in reversed(_groups(shape, y)):
        if sum(isinstance(size, torch.SymInt) for size in shape[first:behind]) > 1:
            with graph.inserting_before(node):
                flat = graph.call_function(flatten, (x, first, behind - 1))
            flat.meta["val"] = flatten(x.meta["val"], first, behind - 1)
            x = flat
    if x is not node.args[0] and _expressions(x.meta["val"].shape) == _expressions(y):
        node.replace_all_uses_with(x)
    node.args = (x, *node.args[1:])


def _is_dense(shape, strides):
    """Whether elements lie one behind the other. The stride of a dimension of one says nothing."""
    dense = [sympy.expand(n) for n in _products(shape[::-1])[-2::-1]]
    return all(size == 1 or x == y for size, x, y in zip(_expressions(shape), dense, _expressions(strides)))


def _is_whole(x, shape, strides, offset=0):
    """Whether a tensor in that shape and strides has all that x has, in the same order."""
    whole = not offset and _products(x.shape)[-1] == _products(shape)[-1]
    return whole and _is_dense(x.shape, x.stride()) and _is_dense(shape, list(map(_value, strides)))


def _strided(graph, node):
    """A dense tensor in other sizes, as PyTorch's decomposition of group norm has scales and offsets, is a view.

    So is the mean of a picture whose channels are last in memory, of which a pool asks for their strides.
    """
    x, sizes, *place = node.args
    if _is_whole(x.meta["val"], list(node.meta["val"].shape), *place):
        node.target, node.args = torch.ops.aten.view.default, (x, sizes)
        _join(graph, node)


def _strided_scatter(graph, node):
    """All of a tensor, written anew: the gradient of such a pool."""
    x, y, _, *place = node.args
    shape = list(x.meta["val"].shape)
    if _is_whole(x.meta["val"], list(y.meta["val"].shape), *place) and all(isinstance(n, int) for n in shape):
        node.target, node.args = torch.ops.aten.view.default, (y, shape)


def _split(graph, node):
    """Slices of a tensor in place of what splits it by sizes `?`."""
    x, sizes, d = *node.args, *[0] * (3 - len(node.args))
    if all(isinstance(n, int) for n in sizes):
        return
    starts = [0]
    with graph.inserting_before(node):
        for n in sizes:
            start = graph.call_function(operator.add, (starts[-1], n))
            start.meta["val"] = _value(starts[-1]) + _value(n)
            starts.append(start)
        parts = [graph.call_function(torch.ops.aten.slice.Tensor, (x, d, a, b)) for a, b in zip(starts, starts[1:])]
    for part, value in zip(parts, node.meta["val"]):
        part.meta["val"] = value
    for user in list(node.users):
        user.replace_all_uses_with(parts[user.args[1]])


def _value(x):
    return x.meta["val"] if isinstance(x, torch.fx.Node) else x


def _whole(graph, node):
    """The whole number that a float of sizes is cut to: trunc and floor are equal, of sizes."""
    a, x, n = torch.ops.aten, node.args[0], node.meta["val"]
    with graph.inserting_before(node):
        less = graph.call_function(a.mul.float, (x, -1.0))
        above = graph.call_function(a.ceil.float, (less,))
    less.meta["val"], above.meta["val"] = _value(x) * -1.0, n * -1
    node.target, node.args = operator.mul, (above, -1)


def _rest(graph, node):
    """What a division of sizes leaves."""
    x, n = node.args
    with graph.inserting_before(node):
        times = graph.call_function(operator.floordiv, (x, n))
        whole = graph.call_function(operator.mul, (times, n))
    times.meta["val"] = _value(x) // _value(n)
    whole.meta["val"] = _value(times) * _value(n)
    node.target, node.args = operator.sub, (x, whole)


def _power(graph, node):
    """A size times itself."""
    x, n = node.args
    power = x
    with graph.inserting_before(node):
        for _ in range(n - 2):
            value = _value(power) * _value(x)
            power = graph.call_function(operator.mul, (power, x))
            power.meta["val"] = value
    node.target, node.args = operator.mul, (power, x) if n > 1 else (x, 1)


def _rms_norm(x, sizes, weight=None, eps=None):
    """Of half types in f32, as PyTorch has it: torch-mlir would round each step."""
    if all(isinstance(n, int) for n in sizes) and x.dtype not in (torch.float16, torch.bfloat16):
        return NotImplemented
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean = wide.square().mean(list(range(-len(sizes), 0)), keepdim=True)
    y = wide * torch.rsqrt(mean + (torch.finfo(wide.dtype).eps if eps is None else eps))
    return (y if weight is None else y * weight).to(x.dtype)


def _renamed(target):
    def rename(graph, node):
        node.target = target
    return rename


def _table():
    a = torch.ops.aten
    return {
        **dict.fromkeys((a.view.default, a._unsafe_view.default, a.reshape.default), _join),
        a.as_strided.default: _strided,
        a.as_strided_scatter.default: _strided_scatter,
        a.split_with_sizes.default: _split,
        torch.sym_float: _renamed(a.Float.Scalar),
        torch.sym_min: _renamed(torch.ops.prim.min.int),
        torch.sym_max: _renamed(torch.ops.prim.max.int),
        math.ceil: _renamed(a.ceil.float),
        math.trunc: _whole,
        math.floor: _whole,
        operator.mod: _rest,
        operator.pow: _power,
        pow: _power,
    }


def questions(exported):
    """{text: condition} that PyTorch found true of the example and went on with: that sizes divide each other, or what
    a quotient of them is, as the number of parts of a `chunk`, or the length of its last one where that is 1.

    A condition is a relation of sympy's in symbols, and a table {symbol: (argument, dimension)}. Where sizes did not
    divide the example, PyTorch took the way that is right for all."""
    sizes = [(k, d, size.node) for k, d, size in _open(exported) if size.node.expr.is_Symbol]
    guards = sizes[0][2].shape_env.guards if sizes else []
    names, of = {}, {}
    for k, d, node in sizes:
        if node.expr not in names:
            names[node.expr] = sympy.Symbol(f"size({k}, {d})", integer=True, positive=True)
            of[names[node.expr]] = k, d

    def asked(x):
        of = {type(part).__name__ for part in sympy.preorder_traversal(x)}
        return "Mod" in of if isinstance(x, sympy.Le) else isinstance(x, sympy.Eq) and bool(of & {"Mod", "FloorDiv"})

    found = [guard.expr for guard in guards if asked(guard.expr) and guard.expr.free_symbols <= names.keys()]
    return {str(x.xreplace(names)): (x.xreplace(names), of) for x in found}


def answer(question, size):
    """The condition as an i1 of MLIR at the insertion point, of sizes size(argument, dimension), of type index."""
    from torch_mlir import ir
    from torch_mlir.dialects import arith
    (condition, places), index = question, ir.IndexType.get()
    rest = lambda x, n: arith.remsi(arith.addi(arith.remsi(x, n), n), n)  # Python's, of a number below 0
    binary = {"Add": arith.addi, "Mul": arith.muli, "FloorDiv": arith.floordivsi, "Mod": arith.remsi, "PythonMod": rest,
              "Max": arith.maxsi, "Min": arith.minsi}  # fmt: skip

    def value(x):
        if x in places:
            return size(*places[x])
        if x.is_Integer:
            return arith.constant(index, int(x))
        if type(x).__name__ not in binary:
            raise NotImplementedError(f"what PyTorch makes of the program is right only where {condition}")
        return functools.reduce(binary[type(x).__name__], map(value, x.args))

    relation = arith.CmpIPredicate.eq if isinstance(condition, sympy.Eq) else arith.CmpIPredicate.sle
    return arith.cmpi(relation, value(condition.args[0]), value(condition.args[1]))


def of_torch_mlir(exported):
    """The program in operations that torch-mlir lowers right where sizes are `?`."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    a = torch.ops.aten
    # A grid sample that reflects is made of remainders.
    apart = get_decomposition_table() | {a.index.Tensor: one_place, a.rms_norm.default: _rms_norm, a.fmod.Scalar: fmod}
    look_up_once(exported)
    exported = traced_again(exported, apart)  # a linear layer is a view of rows, too
    table = _table()
    for part in graphs(exported):
        for node in list(part.graph.nodes):
            if node.target in table:
                table[node.target](part.graph, node)
        part.graph.eliminate_dead_code()
        part.recompile()
    return exported
