"""torch-mlir's program of what torch.export exported, with what gradients alone see, and what torch-mlir does not know.

    y = z + (q - z).detach()          %d = linalg.map { sinter.detach } ...
    embedding(x, w, padding_idx=0)    the rows of index 0 are detached
    v, i = cummax(x, 1)               %v = tm_tensor.scan ... { arith.maximumf }, and i the places where x is v
    logcumsumexp(x, 1)                %y = tm_tensor.scan ... { p + log(1 + exp(q - p)), p the greater }
    x: [s0, 8], t: [s0]               cf.assert: dimension 0 of %t is as long as that of %x

To torch-mlir a detach is nothing, and so are torch.no_grad() and an embedding's padding_idx: gradients of its program
would be others than PyTorch's. They become torch.ops.sinter.detach in the graph, and in front of torch-mlir's passes
copysign(x, x), a form of x that they keep; behind them it is sinter.detach.

torch-mlir refuses cummax and cummin. Each becomes torch.ops.sinter.running_max_D or running_min_D in the graph, D the
dimension, and in front of torch-mlir's passes a tm_tensor.scan. The index is that of the last one among equals, and of
the last NaN where there is one: a running maximum of positions. The gradient goes to what stands at the index. What is
compared stands in memory, by a scan of one element: kernels that compute it again may round otherwise.

It writes logcumsumexp as the logarithm of a sum of exponentials, which overflows in f32 from 89 on: it becomes
torch.ops.sinter.running_lse_D, a scan that raises nothing to a positive power.

torch.export knows which sizes of arguments are one, and PyTorch refuses others. To torch-mlir each is a `?` of its own;
what else it makes of sizes `?` is in _sizes.py.
"""

import functools
import operator
import os
import re

import torch

from ._constants import fold, widen_halves
from ._decompositions import graphs, taken_apart, traced_again
from ._operands import plain
from ._sizes import FLATTEN, answer, equal_sizes, of_torch_mlir, questions

_OPERATOR = re.compile(
    r'(%\w+) = torch\.operator "torch\.sinter\.(\w+)"\((%[\w#]+)\) : \((!torch\.vtensor<[^>]*>)\) -> .*')
_MAPS = {"detach": "copysign", "erfc": "erfc"}
_KEPT = re.compile(r"linalg\.map \{ math\.copysign \} ins\((%[\w#]+), \1 : (\S+), \2\)")


@functools.cache
def _own(name):
    """torch.ops.sinter.NAME of a tensor, which graphs hold and nobody runs."""
    library = torch.library.Library("sinter", "FRAGMENT")
    library.define(f"{name}(Tensor x) -> Tensor")
    library.impl(name, torch.clone, "CompositeExplicitAutograd")
    library.impl(name, torch.empty_like, "Meta")
    return library, getattr(torch.ops.sinter, name).default


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
    for result in list(node.users):
        if result.target is operator.getitem and result.meta["val"].is_floating_point():
            with graph.inserting_after(result):
                kept = graph.call_function(detach, (result,))
            result.replace_all_uses_with(kept, lambda user: user is not kept)


def mark(exported):
    """What gradients alone see stays in the graph from here on."""
    a, (_, detach) = torch.ops.aten, _own("detach")
    for part in graphs(exported):
        for node in list(part.graph.nodes):
            if node.target in (a.detach.default, a.detach_.default) and node.meta["val"].is_floating_point():
                node.target = detach
            elif node.target is a.embedding.default and len(node.args) > 2 and node.args[2] >= 0:
                _detach_padding(part.graph, node, detach)
            elif node.target is torch.ops.higher_order.wrap_with_set_grad_enabled and not node.args[0]:
                _detach_results(part.graph, node, detach)
        part.recompile()


def unroll_extremes(exported, gradients):
    """A cummax or a cummin is a scan of ours, comparisons and a gather from here on."""
    a = torch.ops.aten
    for part in graphs(exported):
        graph = part.graph
        for node in list(graph.nodes):
            if node.target not in (a.cummax.default, a.cummin.default) or not node.args[0].meta["val"].dim():
                continue
            x, value = node.args[0], node.args[0].meta["val"]
            d, word = node.args[1] % value.dim(), "max" if node.target is a.cummax.default else "min"
            with graph.inserting_before(node):
                call, seen = graph.call_function, x
                if x.op != "placeholder":  # what is compared is what was scanned, not the same computed once more
                    row = call(_own(f"running_max_{value.dim()}")[1], (call(a.unsqueeze.default, (x, -1)),))
                    seen = call(a.squeeze.dim, (row, -1))
                extreme = call(_own(f"running_{word}_{d}")[1], (seen,))
                here = call(a.eq.Tensor, (seen, extreme))
                if value.is_floating_point():
                    here = call(a.logical_or.default, (here, call(a.ne.Tensor, (seen, seen))))
                size = call(a.sym_size.int, (x, d)) if isinstance(value.shape[d], torch.SymInt) else value.shape[d]
                place = call(a.arange.default, (size,))
                for _ in range(value.dim() - 1 - d):
                    place = call(a.unsqueeze.default, (place, -1))
                index = call(_own(f"running_max_{d}")[1], (call(a.where.ScalarOther, (here, place, 0)),))
                results = call(a.gather.default, (x, d, index)) if gradients else extreme, index
            for user in list(node.users):
                user.replace_all_uses_with(results[user.args[1]])
                graph.erase_node(user)
            graph.erase_node(node)
        part.recompile()


def unroll_log_sums(exported):
    """A logcumsumexp is a scan of ours from here on, of half types in f32."""
    a = torch.ops.aten
    for part in graphs(exported):
        for node in list(part.graph.nodes):
            if node.target is not a.logcumsumexp.default or not node.meta["val"].dim():
                continue
            like, (x, d) = node.meta["val"], node.args
            with part.graph.inserting_before(node):
                call, half = part.graph.call_function, like.dtype in (torch.float16, torch.bfloat16)
                wide = call(a._to_copy.default, (x,), {"dtype": torch.float32}) if half else x
                y = call(_own(f"running_lse_{d % like.dim()}")[1], (wide,))
                y = call(a._to_copy.default, (y,), {"dtype": like.dtype}) if half else y
            node.replace_all_uses_with(y, propagate_meta=True)
            if half:
                wide.meta["val"] = y.args[0].meta["val"] = like.float()
            part.graph.erase_node(node)
        part.recompile()


def from_the_front(exported):
    """Places that an index_put counts from the end are counted from the front: torch-mlir's scatter takes no others."""
    a = torch.ops.aten
    for part in graphs(exported):
        for node in list(part.graph.nodes):
            if node.target not in (a.index_put.default, a.index_put_.default):
                continue
            places, d = list(node.args[1]), 0
            for k, x in enumerate(places):
                kind = x.meta["val"] if x is not None else None
                if kind is not None and kind.dtype != torch.bool:
                    with part.graph.inserting_before(node):
                        call = part.graph.call_function
                        behind = call(a.add.Tensor, (x, call(a.sym_size.int, (node.args[0], d))))
                        places[k] = call(a.where.self, (call(a.lt.Scalar, (x, 0)), behind, x))
                        places[k].meta["val"] = kind
                d += kind.dim() if kind is not None and kind.dtype == torch.bool else 1
            node.args = (node.args[0], places, *node.args[2:])
        part.recompile()


def name_constants(exported):
    """Constants that stand in lists of tensors, as index lists do, are results of nodes: torch-mlir takes no others."""
    signature, graph = exported.graph_signature, exported.graph_module.graph
    names = {*signature.inputs_to_lifted_tensor_constants, *signature.inputs_to_buffers}
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    for x in inputs:
        listed = any(x in arg for user in x.users for arg in user.args if isinstance(arg, (list, tuple)))
        # Subscripts come to stand in lists where torch-mlir takes other operations apart: index_add, scatter.
        if x.name not in names or not x.users or (x.meta["val"].is_floating_point() and not listed):
            continue
        with graph.inserting_after(inputs[-1]):
            named = graph.call_function(torch.ops.aten.clone.default, (x,))
        named.meta = dict(x.meta)
        x.replace_all_uses_with(named, lambda user: user is not named and user.op != "output")
    exported.graph_module.recompile()
    # torch-mlir looks for all buffers among those that a module saves: the others are constants to it.
    kinds = torch.export.graph_signature.InputKind
    for spec in signature.input_specs:
        if spec.kind is kinds.BUFFER and not spec.persistent:
            spec.kind, spec.persistent = kinds.CONSTANT_TENSOR, None


def widen_means(exported):
    """The program with its means of half types through f32, and with what torch-mlir makes means of as means."""
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    halves = (torch.float16, torch.bfloat16)
    is_half = lambda node: getattr(node.meta.get("val"), "dtype", None) in halves
    if not any(is_half(node) for part in graphs(exported) for node in part.graph.nodes):
        return exported
    a, convert = torch.ops.aten, torch.ops.prims.convert_element_type.default
    pairs = (a.var_mean.correction, a.var_mean.dim, a.var_mean.default)
    # prims.squeeze, an alias of its operand, is nothing that a program can be made of again.
    table = {op: f for op, f in get_decomposition_table().items() if not str(op).startswith("aten.squeeze.")}
    exported = traced_again(exported, table)
    for part in graphs(exported):
        for node in [n for n in part.graph.nodes if n.target in pairs and is_half(n.args[0])]:
            x = node.args[0]
            with part.graph.inserting_before(node):
                wide = part.graph.call_function(convert, (x, torch.float32))
            node.args = (wide, *node.args[1:])
            wide.meta["val"], node.meta["val"] = x.meta["val"].float(), tuple(v.float() for v in node.meta["val"])
            for item in list(node.users):
                like = item.meta["val"]
                with part.graph.inserting_after(item):
                    narrow = part.graph.call_function(convert, (item, like.dtype))
                item.replace_all_uses_with(narrow, lambda user, own=narrow: user is not own, propagate_meta=True)
                narrow.meta["val"], item.meta["val"] = like, like.float()
        for node in list(part.graph.nodes):
            if node.target not in (a.mean.default, a.mean.dim) or not is_half(node) or node.kwargs.get("dtype"):
                continue
            x, like = node.args[0], node.meta["val"]
            with part.graph.inserting_before(node):
                wide = part.graph.call_function(convert, (x, torch.float32))
            with part.graph.inserting_after(node):
                narrow = part.graph.call_function(convert, (node, like.dtype))
            node.replace_all_uses_with(narrow, lambda user, own=narrow: user is not own, propagate_meta=True)
            node.args = (wide, *node.args[1:])
            wide.meta["val"], narrow.meta["val"], node.meta["val"] = x.meta["val"].float(), like, like.float()
        part.recompile()
    return exported


def _mapped(name, to, x, sizes, element):
    """An elementwise function; of a detach, one that torch-mlir keeps."""
    t = f"tensor<{''.join(f'{n}x' for n in sizes)}{element}>"
    operands = f"{x}, {x} : {t}, {t}" if name == "detach" else f"{x} : {t}"
    return f"{to} = linalg.map {{ math.{_MAPS[name]} }} ins({operands}) outs({x} : {t})\n"


# log(exp(a) + exp(b)). Equal ones, infinite ones too, have no difference.
_LOG_OF_SUM = """%equal = arith.cmpf oeq, %a, %b : TYPE
%zero = arith.constant 0.0 : TYPE
%between = arith.subf %a, %b : TYPE
%apart = arith.select %equal, %zero, %between : TYPE
%distance = math.absf %apart : TYPE
%below = arith.negf %distance : TYPE
%less = math.exp %below : TYPE
%greater = arith.maximumf %a, %b : TYPE
%more = math.log1p %less : TYPE
%c = arith.addf %greater, %more : TYPE
"""


def _scan(name, to, x, sizes, element):
    """A tm_tensor.scan along the dimension that the name ends with."""
    _, word, d = name.split("_")
    d, own, real = int(d), to[1:], element[0] != "i"
    if real:
        digits = {"f16": "FC00", "bf16": "FF80", "f32": "FF800000", "f64": "FFF0000000000000"}[element]
        first = "0x" + digits if word != "min" else "0x7" + digits[1:]
    else:
        least = -(1 << int(element[1:]) - 1)
        first = least if word == "max" else -1 - least
    of = lambda n: f"tensor<{''.join(f'{k}x' for k in n)}{element}>"
    t, rest = of(sizes), of(sizes[:d] + sizes[d + 1 :])
    text, unknown = f"%first_{own} = arith.constant {first} : {element}\n", {}
    for k, n in enumerate(sizes):
        if n == "?":
            unknown[k] = f"%size{k}_{own}"
            text += (f"%dim{k}_{own} = arith.constant {k} : index\n"
                     f"{unknown[k]} = tensor.dim {x}, %dim{k}_{own} : {t}\n")  # fmt: skip
    others = ", ".join(v for k, v in unknown.items() if k != d)
    combined = f"%c = arith.{word}{'imumf' if real else 'si'} %a, %b : {element}\n"
    if word == "lse":
        combined = _LOG_OF_SUM.replace("TYPE", element)
    return (text + f"%none_{own} = tensor.empty({', '.join(unknown.values())}) : {t}\n"
            f"%row_{own} = tensor.empty({others}) : {rest}\n"
            f"%begin_{own} = linalg.fill ins(%first_{own} : {element}) outs(%row_{own} : {rest}) -> {rest}\n"
            f"{to}, %end_{own} = tm_tensor.scan dimension({d}) inclusive(true) ins({x} : {t}) "
            f"outs(%none_{own}, %begin_{own} : {t}, {rest}) {{\n^bb0(%a: {element}, %b: {element}):\n"
            f"{combined}tm_tensor.yield %c : {element}\n}} -> {t}, {rest}\n")  # fmt: skip


def _map(match):
    """What an operation of ours is, on builtin tensors."""
    to, name, x, kind = match.groups()
    sizes, element = re.fullmatch(r"!torch\.vtensor<\[(.*)\],(\w+)>", kind).groups()
    sizes, element = [n for n in sizes.split(",") if n], element.removeprefix("s")
    t = f"tensor<{''.join(f'{n}x' for n in sizes)}{element}>"
    whole, made = f"%whole_{to[1:]}", f"%made_{to[1:]}"
    return (f"{whole} = torch_c.to_builtin_tensor {x} : {kind} -> {t}\n"
            f"{(_mapped if name in _MAPS else _scan)(name, made, whole, sizes, element)}"
            f"{to} = torch_c.from_builtin_tensor {made} : {t} -> {kind}")  # fmt: skip


def _parsed(context, text):
    from torch_mlir import ir
    from torch_mlir.passmanager import PassManager
    with context, ir.Location.unknown():
        # Passes load the dialects of the casts and of scans; a module without anything is enough for it.
        passes = "torch-func-backend-type-conversion,func.func(convert-torch-to-tmtensor)"
        PassManager.parse(f"builtin.module({passes})").run(ir.Module.create().operation)
        return ir.Module.parse(text)


class Refused(RuntimeError):
    """What torch-mlir said of a program that it does not lower; `where`: file:line of the program, or nothing."""

    def __init__(self, said, where):
        super().__init__(said)
        self.where = where


class Changed(RuntimeError):
    """Places of arguments that the program changes: it has results for them behind no name of the caller's."""

    def __init__(self, places):
        super().__init__(f"a call changes argument {', '.join(map(str, places))} in place")
        self.places = places


def _changes(exported):
    signature = exported.graph_signature
    inputs = list(signature.user_inputs)
    return sorted(inputs.index(name) for name in signature.user_inputs_to_mutate.values())


def _heard(said):
    """A handler of MLIR's diagnostics: errors, with the place in somebody's program that they are about."""
    def hear(diagnostic):
        from torch_mlir import ir
        if diagnostic.severity == ir.DiagnosticSeverity.ERROR:
            places = re.findall(r'"([^"]+)":(\d+):', str(diagnostic.location))
            own = [f"{file}:{line}" for file, line in places if os.sep + __package__ + os.sep not in file]
            said.append((diagnostic.message.split(":  %")[0].strip(), next(iter(own), "")))
        return True  # nobody prints it
    return hear


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
    return context, FxImporter(context=context, py_attr_tracker=Held())


def _say_sizes(module, name, exported):
    """The module, whose function asserts what PyTorch knows of sizes before anything else."""
    from torch_mlir import ir
    from torch_mlir.dialects import arith, cf, tensor
    function = next(f for f in module.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == name)
    arguments = function.regions[0].blocks[0].arguments
    pairs, asked = equal_sizes(exported), questions(exported)
    if not (pairs or asked) or len(arguments) != len(exported.graph_signature.user_inputs):
        return module
    with function.location, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]):
        of = lambda k, d: tensor.dim(arguments[k], arith.constant(ir.IndexType.get(), d))
        for one, other in pairs:
            if all(ir.RankedTensorType(arguments[k].type).is_dynamic_dim(d) for k, d in (one, other)):
                (k, d), (m, e) = one, other
                cf.assert_(arith.cmpi(arith.CmpIPredicate.eq, of(k, d), of(m, e)),
                           f"argument {m} must have as many in dimension {e} as argument {k} in dimension {d}")
        for text, question in asked.items():
            cf.assert_(answer(question, of), f"what PyTorch exported is for sizes where {text}")
    return module


def linalg_of(exported, name, gradients=True):
    """torch-mlir's module in linalg, of a function of that name; for gradients, text_of it has the detaches."""
    lowered, exported = _lowered(exported, name, gradients)
    return _say_sizes(lowered, name, exported)


def _same(x):
    return x


def _lowered(exported, name, gradients):
    unroll_extremes(exported, gradients)
    unroll_log_sums(exported)
    if gradients:
        mark(exported)
    exported = widen_means(taken_apart(exported, _own("erfc")[1], _own("detach")[1] if gradients else _same))
    from_the_front(exported)
    name_constants(exported)
    exported = of_torch_mlir(exported)
    if places := _changes(exported):
        raise Changed(places)
    exported = widen_halves(plain(fold(exported)))
    (context, importer), said = _importer(), []
    handler = context.attach_diagnostic_handler(_heard(said))
    try:
        return _imported(exported, name, importer), exported
    except Exception as why:
        if not said:
            raise
        # The last says what is left of it, a constant, where an earlier one says why.
        raise Refused("; ".join(dict.fromkeys(text for text, _ in said[:4])), said[0][1]) from why
    finally:
        handler.detach()


def _imported(exported, name, importer):
    from torch_mlir import fx
    from torch_mlir.compiler_utils import OutputType, lower_mlir_module, run_pipeline_with_repro_report
    ours = any(getattr(node.target, "namespace", "") == "sinter" for part in graphs(exported)
               for node in part.graph.nodes)  # fmt: skip
    into = functools.partial(fx.export_and_import, exported, func_name=name, fx_importer=importer,
                             decomposition_table={}, backend_legal_ops=[FLATTEN])  # fmt: skip
    if not ours:
        return into(output_type="linalg-on-tensors")
    raw = into(output_type="raw")
    module = _parsed(raw.context, _OPERATOR.sub(_map, str(raw)))
    run_pipeline_with_repro_report(
        module,
        "builtin.module(func.func(torch-match-quantized-custom-ops),"
        f"torchdynamo-export-to-torch-backend-pipeline{{backend-legal-ops={FLATTEN}}})",
        "Lowering TorchFX IR -> Torch Backend IR")  # fmt: skip
    return lower_mlir_module(False, OutputType.LINALG_ON_TENSORS, module)


def in_place(text, name, of):
    """The module's text where results of the function lie in the memory of arguments: of = {result: argument}."""
    head = re.search(rf"func\.func @{name}\(.*?\) -> (.*?)( attributes .*)? \{{\n", text)
    results = re.findall(r"tensor<[^>]*>", head[1])
    each = [t + (f" {{sinter.in_place_of = {of[k]} : i64}}" if k in of else "") for k, t in enumerate(results)]
    return text[: head.start(1)] + f"({', '.join(each)})" + text[head.end(1) :]


def text_of(module):
    text = _KEPT.sub(r"linalg.map { sinter.detach } ins(\1 : \2)", str(module))
    assert "math.copysign" not in text, "torch-mlir wrote a detach in another form"
    return text
