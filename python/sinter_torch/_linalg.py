"""torch-mlir's program of what torch.export exported, with what gradients alone see.

    y = z + (q - z).detach()          %d = linalg.map { sinter.detach } ...
    embedding(x, w, padding_idx=0)    the rows of index 0 are detached

To torch-mlir a detach is nothing, and so are torch.no_grad() and an embedding's padding_idx: gradients of its program
would be others than PyTorch's. They become torch.ops.sinter.detach in the graph, and in front of torch-mlir's passes
copysign(x, x), a form of x that they keep; behind them it is sinter.detach.
"""

import functools
import operator
import re

import torch

_OPERATOR = re.compile(
    r'(%\w+) = torch\.operator "torch\.sinter\.detach"\((%\w+)\) : \((!torch\.vtensor<[^>]*>)\) -> .*')
_KEPT = re.compile(r"linalg\.map \{ math\.copysign \} ins\((%[\w#]+), \1 : (\S+), \2\)")


@functools.cache
def _detach():
    """torch.ops.sinter.detach, which graphs hold and nobody runs."""
    library = torch.library.Library("sinter", "FRAGMENT")
    library.define("detach(Tensor x) -> Tensor")
    library.impl("detach", torch.clone, "CompositeExplicitAutograd")
    library.impl("detach", torch.empty_like, "Meta")
    return library, torch.ops.sinter.detach.default


def _detach_padding(graph, node, detach):
    """The rows of an embedding that its padding_idx names."""
    a = torch.ops.aten
    with graph.inserting_after(node):
        rows = graph.call_function(a.where.self)
    node.replace_all_uses_with(rows)
    with graph.inserting_before(rows):
        here = graph.call_function(a.unsqueeze.default, (graph.call_function(a.eq.Scalar, node.args[1:3]), -1))
        rows.args = (here, graph.call_function(detach, (node,)), node)


def _detach_results(graph, node, detach):
    """What is computed under torch.no_grad()."""
    marked = False
    for result in list(node.users):
        if result.target is operator.getitem and result.meta["val"].is_floating_point():
            with graph.inserting_after(result):
                kept = graph.call_function(detach, (result,))
            result.replace_all_uses_with(kept, lambda user: user is not kept)
            marked = True
    return marked


def mark(exported):
    """Whether the graph has what gradients alone see, which stays in it from here on."""
    a, (_, detach) = torch.ops.aten, _detach()
    marked = False
    for part in exported.graph_module.modules():
        for node in list(part.graph.nodes):
            if node.target in (a.detach.default, a.detach_.default) and node.meta["val"].is_floating_point():
                node.target, marked = detach, True
            elif node.target is a.embedding.default and len(node.args) > 2 and node.args[2] >= 0:
                _detach_padding(part.graph, node, detach)
                marked = True
            elif node.target is torch.ops.higher_order.wrap_with_set_grad_enabled and not node.args[0]:
                marked |= _detach_results(part.graph, node, detach)
        part.recompile()
    return marked


def _map(match):
    """copysign(x, x) of builtin tensors for an operation of torch's."""
    to, x, kind = match.groups()
    sizes, element = re.fullmatch(r"!torch\.vtensor<\[(.*)\],(\w+)>", kind).groups()
    t = f"tensor<{''.join(f'{n}x' for n in sizes.split(',') if n)}{element}>"
    whole, kept = f"%whole_{to[1:]}", f"%kept_{to[1:]}"
    return (f"{whole} = torch_c.to_builtin_tensor {x} : {kind} -> {t}\n"
            f"{kept} = linalg.map {{ math.copysign }} ins({whole}, {whole} : {t}, {t}) outs({whole} : {t})\n"
            f"{to} = torch_c.from_builtin_tensor {kept} : {t} -> {kind}")  # fmt: skip


def _parsed(context, text):
    from torch_mlir import ir
    from torch_mlir.passmanager import PassManager
    with context, ir.Location.unknown():
        # A pass loads the dialect of the casts; a module without anything is enough for it.
        PassManager.parse("builtin.module(torch-func-backend-type-conversion)").run(ir.Module.create().operation)
        return ir.Module.parse(text)


def _importer():
    """An importer that holds the constants it has seen: it knows them by id(), and Python gives those away again."""
    from torch_mlir import ir
    from torch_mlir.dialects import torch as dialect
    from torch_mlir.extras.fx_importer import FxImporter, RefTracker

    class Held(RefTracker):
        def __init__(self):
            super().__init__()
            self.held = []

        def track(self, referent):
            self.held.append(referent)
            return super().track(referent)

    context = ir.Context()
    dialect.register_dialect(context)
    return FxImporter(context=context, py_attr_tracker=Held())


def linalg_of(exported, name, gradients=True):
    """torch-mlir's module in linalg, of a function of that name; for gradients, text_of it has the detaches."""
    from torch_mlir import fx
    from torch_mlir.compiler_utils import OutputType, lower_mlir_module, run_pipeline_with_repro_report
    if not gradients or not mark(exported):
        return fx.export_and_import(exported, output_type="linalg-on-tensors", func_name=name,
                                    fx_importer=_importer())  # fmt: skip
    raw = fx.export_and_import(exported, output_type="raw", func_name=name, fx_importer=_importer())
    module = _parsed(raw.context, _OPERATOR.sub(_map, str(raw)))
    run_pipeline_with_repro_report(
        module,
        "builtin.module(func.func(torch-match-quantized-custom-ops),torchdynamo-export-to-torch-backend-pipeline)",
        "Lowering TorchFX IR -> Torch Backend IR")  # fmt: skip
    return lower_mlir_module(False, OutputType.LINALG_ON_TENSORS, module)


def text_of(module):
    text = _KEPT.sub(r"linalg.map { sinter.detach } ins(\1 : \2)", str(module))
    assert "math.copysign" not in text, "torch-mlir wrote a detach in another form"
    return text
