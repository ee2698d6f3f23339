"""Operands that torch-mlir takes for something else, or ends the process at.

    scatter(x, -1, i, y)      scatter(x, 1, i, y)                a dimension from the end ends the process
    5 - t                     rsub(t, 5), of a size, too         it has no subtraction from a number
    b < -1, b a bool          b.to(int64) < -1                   it compares bools as numbers without a sign
    b + c, both bools         b or c                             their sum is one bit

test: test/python/constants.test
"""

import torch

from ._decompositions import graphs


def _dims_from_the_front(graph, node):
    """Dimensions are counted from the front."""
    a, x = torch.ops.aten, node.args[0] if node.args else None
    kind = x.meta.get("val") if isinstance(x, torch.fx.Node) else None
    # Those of these are the result's, which has more.
    if not isinstance(kind, torch.Tensor) or not kind.dim() or node.target.namespace != "aten" or node.target in (
            a.unsqueeze.default, a.unsqueeze_copy.default, a.diag_embed.default):  # fmt: skip
        return
    args = list(node.args)
    for k, (argument, value) in enumerate(zip(node.target._schema.arguments, args)):
        if argument.name in ("dim", "dim0", "dim1", "dim2") and isinstance(value, int) and value < 0:
            args[k] = value + kind.dim()
    node.args = tuple(args)


def _is_number(x):
    return not isinstance(x, torch.fx.Node) or not isinstance(x.meta.get("val"), torch.Tensor)


def _number_first(graph, node):
    a, args = torch.ops.aten, node.args
    turned = {a.sub.Tensor: a.rsub.Scalar, a.add.Tensor: a.add.Scalar, a.mul.Tensor: a.mul.Scalar}
    if node.target in turned and len(args) == 2 and not node.kwargs and _is_number(args[0]) and not _is_number(args[1]):
        node.target, node.args = turned[node.target], (args[1], args[0])


def _is_bool(x):
    return isinstance(x, bool) or (
        not _is_number(x) and x.meta["val"].dtype == torch.bool)  # fmt: skip


def _sum_of_bools(graph, node):
    a = torch.ops.aten
    if node.target != a.add.Tensor or node.kwargs or not all(map(_is_bool, node.args)):
        return
    x, y = node.args
    if _is_number(y):
        node.target, node.args = (a.full_like.default, (x, True)) if y else (a.clone.default, (x,))
    else:
        node.target = a.logical_or.default


def _compared_bools(graph, node):
    a = torch.ops.aten
    compared = {getattr(getattr(a, name), of) for name in ("lt", "le", "gt", "ge") for of in ("Tensor", "Scalar")}
    if node.target not in compared or not any(map(_is_bool, node.args)):
        return

    def wide(x):
        if _is_number(x) or not _is_bool(x):
            return int(x) if isinstance(x, bool) else x
        new = graph.call_function(a._to_copy.default, (x,), {"dtype": torch.int64})
        new.meta["val"] = x.meta["val"].long()
        return new

    with graph.inserting_before(node):
        node.args = tuple(map(wide, node.args))


def plain(exported):
    """The program with operands that torch-mlir takes as PyTorch does."""
    for part in graphs(exported):
        for node in list(part.graph.nodes):
            if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
                for rule in (_dims_from_the_front, _number_first, _sum_of_bools, _compared_bools):
                    rule(part.graph, node)
        part.recompile()
    return exported
