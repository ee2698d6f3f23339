"""Constants that PyTorch computes while the program is made.

    ones(3) == 1      full([3], True)      torch-mlir folds it to False
    sign(ones(3))     full([3], 1.0)       to -1
    [-2, 3] // 1      a constant           to the least number that there is
    phases.real       a constant           it takes no constants of complex numbers

torch-mlir folds operations on constants whose elements are all equal, of any size, and on constants of a few elements.
Neither is left to it: what is made element by element of such constants is computed by PyTorch.

test: test/python/constants.test
"""

import math

import torch

from ._decompositions import graphs

FEW = 64  # torch-mlir folds fewer; more are not written out
_HALVES = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


def _is_element_by_element(target):
    return isinstance(target, torch._ops.OpOverload) and torch.Tag.pointwise in target.tags and (
        torch.Tag.nondeterministic_seeded not in target.tags)  # fmt: skip


def _moves():
    """Operations whose result has elements of their first operand alone."""
    a = torch.ops.aten
    return {
        a.expand.default, a.view.default, a._unsafe_view.default, a.reshape.default, a.unsqueeze.default,
        a.squeeze.default, a.squeeze.dim, a.squeeze.dims, a.permute.default, a.transpose.int, a.t.default,
        a.slice.Tensor, a.select.int, a.clone.default, a.repeat.default, a.flip.default, a.alias.default,
        a.expand_copy.default, a.view_copy.default, a.flatten.using_ints,
    }  # fmt: skip


def _makers():
    """Operations that make a constant of numbers: the place of the number, or the number."""
    a = torch.ops.aten
    return {
        a.full.default: lambda node: node.args[1],
        a.full_like.default: lambda node: node.args[1],
        a.new_full.default: lambda node: node.args[2],
        a.scalar_tensor.default: lambda node: node.args[0],
        **dict.fromkeys((a.ones.default, a.ones_like.default, a.new_ones.default), lambda node: 1),
        **dict.fromkeys((a.zeros.default, a.zeros_like.default, a.new_zeros.default), lambda node: 0),
    }


def _is_small(value):
    return isinstance(value, torch.Tensor) and all(isinstance(n, int) for n in value.shape) and value.numel() <= FEW


class _Folder:
    def __init__(self, exported, part):
        self.graph, self.part = part.graph, part
        self.uniform = {}  # a node: its one number, as a tensor of one element
        self.known = {}    # a node: its value, of few elements
        self.complex = {}  # a node: its value, complex numbers
        signature = exported.graph_signature
        names = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
        values = {k: exported.constants.get(n, exported.state_dict.get(n)) for k, n in names.items()}
        self.given = {k: v for k, v in values.items() if isinstance(v, torch.Tensor)}
        self.moves, self.makers = _moves(), _makers()

    def _computed(self, node, table, ranks):
        """What PyTorch makes of operands that are in the table; None where one is not, or it makes nothing of them."""
        def of(x):
            if not isinstance(x, torch.fx.Node):
                return x
            value = table[x]
            return value.reshape([1] * x.meta["val"].dim()) if ranks else value
        if not node.all_input_nodes or any(x not in table or "val" not in x.meta for x in node.all_input_nodes):
            return None
        try:
            args, named = torch.fx.node.map_arg((node.args, node.kwargs), of)
            value = node.target(*args, **named)
        except Exception:  # the program says it where it runs
            return None
        return value if isinstance(value, torch.Tensor) else None

    def _place(self, node, value):
        """A small constant in place of the node."""
        k = 0
        while hasattr(self.part, f"sinter_constant_{k}"):
            k += 1
        self.part.register_buffer(f"sinter_constant_{k}", value.contiguous())
        with self.graph.inserting_before(node):
            constant = self.graph.get_attr(f"sinter_constant_{k}")
            new = self.graph.call_function(torch.ops.aten.clone.default, (constant,))
        constant.meta["val"], new.meta = node.meta["val"], dict(node.meta)
        node.replace_all_uses_with(new)
        if _is_small(value):
            self.known[new] = value

    def _fill(self, node, value):
        """One number in place of the node; False where its sizes are not to be had."""
        kind, a = node.meta["val"], torch.ops.aten
        number = value.item()
        if isinstance(number, complex) or (isinstance(number, float) and math.isnan(number)):
            return False
        shape = list(kind.shape)
        with self.graph.inserting_before(node):
            if all(isinstance(n, int) for n in shape):
                new = self.graph.call_function(a.full.default, (shape, number), {"dtype": kind.dtype})
            else:
                like = [x for x in node.all_input_nodes if 
                        str(list(getattr(x.meta.get("val"), "shape", ()))) == str(shape)]
                if not like:
                    return False
                new = self.graph.call_function(a.full_like.default, (like[0], number), {"dtype": kind.dtype})
        new.meta = dict(node.meta)
        node.replace_all_uses_with(new)
        self.uniform[new] = value
        return True

    def visit(self, node):
        kind = node.meta.get("val")
        if node.op == "placeholder" and node.name in self.given and _is_small(self.given[node.name]):
            value = self.known[node] = self.given[node.name]
        elif node.op != "call_function" or not isinstance(kind, torch.Tensor):
            return
        elif node.target in self.makers:
            number = self.makers[node.target](node)
            if not isinstance(number, (int, float)):
                return
            value = torch.full((1,), number, dtype=kind.dtype)
        elif node.target in self.moves:
            x, value = node.args[0], None
            if x in self.uniform:
                value = self.uniform[x]
            elif x in self.known and _is_small(kind):
                value = self._computed(node, self.known, False)
        elif _is_element_by_element(node.target):
            value = self._computed(node, self.uniform, True)
            if value is not None and self._fill(node, value):
                return
            value = self._computed(node, self.known, False) if _is_small(kind) else None
            if value is not None:
                self._place(node, value)
            return
        else:
            return
        if value is None or value.numel() == 0:
            return
        if _is_small(kind):
            self.known[node] = value.reshape(()).expand(kind.shape) if value.numel() == 1 else value
        if bool((value == value.flatten()[0]).all()):
            self.uniform[node] = value.flatten()[:1]


    def visit_complex(self, node):
        """What is computed of complex constants, of any size, is a constant."""
        kind = node.meta.get("val")
        if node.op == "placeholder" and node.name in self.given and self.given[node.name].is_complex():
            self.complex[node] = self.given[node.name]
        elif node.op == "call_function" and any(x in self.complex for x in node.all_input_nodes):
            value = self._computed(node, self.complex, False)
            if value is not None and kind.is_complex():
                self.complex[node] = value
            elif value is not None:
                self._place(node, value)


def fold(exported):
    """The program without operations on constants that torch-mlir would fold."""
    for part in graphs(exported):
        folder = _Folder(exported, part)
        for node in list(part.graph.nodes):
            folder.visit_complex(node)
        for node in list(part.graph.nodes):
            folder.visit(node)
        part.graph.eliminate_dead_code()
        part.recompile()
    return exported


def widen_halves(exported):
    """Constants of types that NumPy does not have are f32 behind which they are narrowed: they are the same numbers."""
    a, signature, graph = torch.ops.aten, exported.graph_signature, exported.graph_module.graph
    names = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    for x in inputs:
        value = exported.constants.get(names.get(x.name))
        if not isinstance(value, torch.Tensor) or value.dtype not in _HALVES:
            continue
        exported.constants[names[x.name]] = value.float()
        kind = x.meta["val"]
        with graph.inserting_after(inputs[-1]):
            narrow = graph.call_function(a._to_copy.default, (x,), {"dtype": value.dtype})
        x.replace_all_uses_with(narrow, lambda user, own=narrow: user is not own)
        narrow.meta["val"], x.meta["val"] = kind, kind.float()
    exported.graph_module.recompile()
    return exported
