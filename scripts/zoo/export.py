#!/usr/bin/env python3
"""Exports models: their programs in linalg by torch-mlir, their arguments, and PyTorch's float64 results.

  export.py FOLDER SECONDS NAME/VARIANT...

Writes FOLDER/NAME/VARIANT/program.mlir, caseN/inK.npy, caseN/outK.npy and last case.json: what --wrt is, and for each
result how far PyTorch's own, in the type of the variant, is from float64. What cannot be exported, in SECONDS of
processor time or at all, leaves case.json with the reason alone. A .npy of bfloat16 holds the raw 16 bits as '<u2'.

A variant is words with dashes between: forward, or step (value and gradients as PyTorch's graph has them) or wrt (the
loss alone, for --wrt); then dynamic (sizes of the batch are ?), bf16 or f64, constants (weights are in the program).
"""
import contextlib
import functools
import gc
import importlib
import json
import os
import pathlib
import signal
import sys
import traceback
import warnings

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "python")]
import zoo

warnings.filterwarnings("ignore")


ROUNDINGS = 3
TYPES = {"bf16": torch.bfloat16, "f64": torch.float64}


class Float64(TorchFunctionMode):
    """What a model computes in a type of its own choice, too, is float64 in the reference."""
    narrow = {torch.float32, torch.bfloat16, torch.float16}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        wide = lambda x: torch.float64 if isinstance(x, torch.dtype) and x in self.narrow else x
        if function in (torch.Tensor.float, torch.Tensor.bfloat16, torch.Tensor.half):
            return torch.Tensor.double(*args)
        return function(*map(wide, args), **{k: wide(v) for k, v in (kwargs or {}).items()})


class Rounded(TorchDispatchMode):
    """Each result of each operation, of those that norms and softmaxes are made of too, is off by up to unit of itself.

    What float64 then says, again and again, is how far an honest computation in a narrow type may be off (Monte Carlo
    arithmetic). PyTorch's own error says less: its batch norms add in double.
    """
    names = {"native_batch_norm", "_native_batch_norm_legit", "native_batch_norm_backward", "native_layer_norm",
             "native_layer_norm_backward", "native_group_norm", "native_group_norm_backward", "var_mean", "_softmax",
             "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data"}
    exact = {"_to_copy", "_unsafe_view", "abs", "cat", "clone", "constant_pad_nd", "copy", "embedding", "gather",
             "index", "index_select", "max_pool2d_with_indices", "neg", "new_zeros", "relu", "repeat", "stack",
             "upsample_nearest2d", "where"}

    def __init__(self, unit):
        super().__init__()
        self.unit = unit
        self.parts = {f: y for f, y in torch._decomp.decomposition_table.items()
                      if getattr(f, "_opname", None) in self.names}

    def moved(self, x):
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            return x
        exact = x == x.round()  # positions that are counted in floats are exact in a narrow type, too
        return x.mul_(1 + self.unit * (2 * torch.rand_like(x) - 1).masked_fill(exact, 0))

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function in self.parts:
            with self:
                return self.parts[function](*args, **kwargs or {})
        y = function(*args, **kwargs or {})
        leaves = torch.utils._pytree.tree_leaves((args, kwargs))
        reads = any(isinstance(x, torch.Tensor) and x.is_floating_point() for x in leaves)
        mine = any(r.alias_info for r in function._schema.returns)  # a view, or written in place
        same = mine or not reads or function._opname in self.exact
        return y if same else torch.utils._pytree.tree_map(self.moved, y)


def still(module):
    """The module without what differs from call to call; batch norms use their batch (only for training steps)."""
    for m in module.modules():
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm):
            m.track_running_stats, m.running_mean, m.running_var, m.num_batches_tracked = False, None, None, None


def stir(module):
    """Parameters that start as a constant would hide what reads them: zeros of a last layer, ones of a norm."""
    for p in module.parameters():
        if p.numel() and (p == p.flatten()[0]).all():
            p += 0.1 * torch.randn_like(p)


def loss_of(kind, y, target):
    if kind == "classes":
        return torch.nn.functional.cross_entropy(y.reshape(-1, y.shape[-1]).float(), target.reshape(-1))
    if kind == "pixels":
        return torch.nn.functional.cross_entropy(y.float(), target)
    if kind == "mean":
        return y.float().mean()
    return torch.nn.functional.mse_loss(y.float(), target.float())


def target_of(kind, y):
    if kind == "classes":
        return torch.randint(0, y.shape[-1], y.shape[:-1])
    if kind == "pixels":
        return torch.randint(0, y.shape[1], (y.shape[0], *y.shape[2:]))
    return torch.randn(y.shape).to(y.dtype)


def tuple_of(y):
    return tuple(y) if isinstance(y, (tuple, list)) else (y,)


def cast(x, dtype):
    return x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x


class Variant:
    """One variant of a model: functions of flat arguments (inputs, target, then weights)."""

    def __init__(self, model, words):
        self.model, self.words = model, words
        self.trained = "step" in words or "wrt" in words
        self.dtype = next((TYPES[w] for w in words if w in TYPES), torch.float32)
        # PyTorch knows that some are constants (positions); an exported loss does not say so.
        frozen = [n for n, p in model.module.named_parameters() if not p.requires_grad and p.is_floating_point()]
        module = model.module.eval().requires_grad_(False)
        stir(module)
        if self.trained:
            still(module)
        self.module = module.to(self.dtype)
        self.parameters = [n for n, p in module.named_parameters() if p.is_floating_point() and n not in frozen]
        self.buffers = frozen + [n for n, b in module.named_buffers() if b.is_floating_point()]
        if "constants" in words:
            self.parameters, self.buffers = [], []
        state = dict(module.named_parameters()) | dict(module.named_buffers())
        self.weights = [state[n].detach().clone() for n in self.parameters + self.buffers]

    def inputs(self, batch):
        torch.manual_seed(batch)
        half = self.model.half if self.trained and self.dtype is torch.bfloat16 else None
        drawn = half or self.model.inputs
        inputs = tuple(cast(x, self.dtype) for x in drawn(batch))
        if self.trained:
            with torch.no_grad():
                y = tuple_of(self.call(inputs, []))[0]
            inputs += (target_of(self.model.loss, y),)
        return inputs

    def call(self, inputs, weights):
        module = self.module
        if weights:
            state = dict(zip(self.parameters + self.buffers, weights))
            module = functools.partial(torch.func.functional_call, self.module, state)
            return self.model.pick(self.model.call(lambda *a, **k: module(a, k), *inputs))
        return self.model.pick(self.model.call(module, *inputs))

    def value(self, inputs, weights):
        """What the exported function of forward or wrt returns."""
        if not self.trained:
            return self.call(inputs, weights)
        return loss_of(self.model.loss, tuple_of(self.call(inputs[:-1], weights))[0], inputs[-1])

    def value_and_gradients(self, inputs, weights):
        """As backward() makes them: detach, no_grad and functions with a backward of their own count."""
        n = len(self.parameters)
        parameters = [w.detach().requires_grad_() for w in weights[:n]]
        with torch.enable_grad():
            value = self.value(inputs, [*parameters, *weights[n:]])
            gradients = torch.autograd.grad(value, parameters, materialize_grads=True)
        return (value.detach(), *gradients)

    def wanted(self, inputs, weights):
        return tuple_of((self.value_and_gradients if self.trained else self.value)(inputs, weights))

    def reference(self, inputs):
        """(float64's results, how far PyTorch's in the variant's type and rounded ones are from them)."""
        low = self.wanted(inputs, self.weights)
        self.module.double()
        wide_inputs, wide_weights = ([cast(x, torch.float64) for x in xs] for xs in (inputs, self.weights))
        with Float64(), sdpa_kernel(SDPBackend.MATH):
            wide = self.wanted(wide_inputs, wide_weights)
            unit = torch.finfo(self.dtype).eps / 2
            tries = [low]
            for _ in range(ROUNDINGS):
                with Rounded(unit):
                    tries.append(self.wanted(wide_inputs, wide_weights))
        self.module.to(self.dtype)
        errors = [[float(torch.linalg.vector_norm(a.double() - b)) for a, b in zip(t, wide)] for t in tries]
        return [x.detach() for x in wide], errors[0], [max(e) for e in zip(*errors[1:])]


def decompositions():
    """What torch-mlir does not know of the graphs of training steps."""
    from sinter_torch._backward import table
    from torch._decomp import get_decompositions
    a = torch.ops.aten
    return table() | get_decompositions([a.native_group_norm, a.norm, a.linalg_vector_norm, a.nll_loss_forward,
                                         a.nll_loss2d_forward, a.upsample_bilinear2d])


class Flat(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def dynamic_shapes(size, small, large, others):
    """Which sizes change with the batch."""
    def of(a, b):
        return {i: size for i, (m, n) in enumerate(zip(a.shape, b.shape)) if m != n} or None
    return ((*(of(a, b) for a, b in zip(small, large)), *(None for _ in others)),)


class WithoutQuestions(TorchFunctionMode):
    """What PyTorch's own text of an operation asks of data, a trace cannot answer: indices are taken as legal."""
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.one_hot.default and args[1] > 0:
            return (args[0].unsqueeze(-1) == torch.arange(args[1])).to(torch.int64)
        return function(*args, **kwargs or {})


def differentiated(exported, variant, split, arguments, shapes):
    """The graph of the loss and its gradients by the parameters."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from sinter_torch._decompositions import views_as_reshapes
    loss, n = exported.module(check_guards=False), len(variant.parameters)

    def value_and_gradients(*a):
        inputs, parameters, buffers = a[:split], a[split:split + n], a[split + n:]
        with WithoutQuestions():
            gradients, value = torch.func.grad_and_value(lambda *p: loss(*inputs, *p, *buffers),
                                                         argnums=tuple(range(n)))(*parameters)
        return (value, *gradients)
    traced = make_fx(value_and_gradients, decomposition_table=decompositions(),
                     tracing_mode="symbolic" if shapes else "real")(*arguments)
    views_as_reshapes(traced.graph)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    return traced


def program(variant, batches):
    """The text of one variant."""
    from sinter_torch._composite import Functions
    from sinter_torch._decompositions import views_as_reshapes
    from sinter_torch._linalg import linalg_of, text_of
    inputs = variant.inputs(batches[0])
    split = len(inputs)
    module = Flat(lambda *a: variant.value(a[:split], list(a[split:])))
    arguments = (*inputs, *variant.weights)
    size = torch.export.Dim("batch") if variant.model.pairs else torch.export.Dim.DYNAMIC
    shapes = dynamic_shapes(size, inputs, variant.inputs(batches[1]), variant.weights) if len(batches) > 1 else None
    wide = Float64() if "f64" in variant.words else contextlib.nullcontext()
    plain = torch.backends.mkldnn.flags(enabled=False)  # an LSTM is one operation of its own there
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), wide, plain, Functions():
        exported = torch.export.export(module, arguments, dynamic_shapes=shapes, strict=False)
        if "step" in variant.words:
            views_as_reshapes(exported.graph)  # it is traced again
            exported = torch.export.export(Flat(differentiated(exported, variant, split, arguments, shapes)), arguments,
                                           dynamic_shapes=shapes, strict=False)
    return text_of(linalg_of(exported, "main", gradients="wrt" in variant.words))


def save(path, x):
    x = x.detach().contiguous()
    np.save(path, x.view(torch.uint16).numpy() if x.dtype == torch.bfloat16 else x.numpy())


def export(entry, folder, words):
    torch.manual_seed(0)
    model = entry.build()
    variant = Variant(model, words)
    batches = model.batches if "dynamic" in words else (model.batch,)
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"wrt": [], "cases": []}
    for number, batch in enumerate(batches):
        case = folder / f"case{number}"
        case.mkdir(exist_ok=True)
        inputs = variant.inputs(batch)
        wanted, own, rounding = variant.reference(inputs)
        for k, x in enumerate((*inputs, *variant.weights)):
            save(case / f"in{k}.npy", x)
        for k, x in enumerate(wanted):
            save(case / f"out{k}.npy", x)
        facts["cases"].append({"own": own, "rounding": rounding})
    (folder / "program.mlir").write_text(program(variant, batches))
    if "wrt" in words:
        split = len(inputs)
        facts["wrt"] = list(range(split, split + len(variant.parameters)))
    return facts


def attempt(entry, place, variant):
    """In a process of its own, which may crash: case.json, with facts or the reason."""
    sys.stderr.flush()
    os.dup2(os.open(place / "export.stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    torch.set_num_threads(1)  # PyTorch makes its pool of threads anew in a fork, and not safely where two ask for it
    try:
        facts = export(entry, place, variant.split("-"))
    except Exception as e:
        (place / "export.log").write_text(traceback.format_exc())
        lines = [x for x in str(e).splitlines() if x.strip()] or [""]
        said = [x for x in (place / "export.stderr").read_text().splitlines() if "error:" in x]  # torch-mlir's own
        facts = {"why": (said or [f"{type(e).__name__}: {lines[0]}"])[0][:400]}
    put(place, facts)


def put(place, facts):
    """All of case.json at once: who waits for it may read it."""
    (place / "case.part").write_text(json.dumps(facts))
    (place / "case.part").rename(place / "case.json")


def warm():
    """Exports a layer, so that what PyTorch and torch-mlir import late is there for all models.

    Without gradients: PyTorch makes none in a fork of a process that has made some.
    """
    for words in (["forward"], ["forward", "dynamic"]):
        layer = zoo.Model(torch.nn.Linear(3, 2), lambda b: (torch.randn(b, 3),))
        program(Variant(layer, words), layer.batches if "dynamic" in words else (layer.batch,))
    gc.collect()  # no context of MLIR's, which has threads, is left for a fork
    gc.freeze()   # what is imported stays, so no fork looks through it again for what it can free
    gc.set_threshold(100_000)


def main():
    folder, seconds, *names = sys.argv[1:]
    torch.set_num_threads(1)
    models = zoo.load()
    work = [name.split("/") for name in names]
    for package in sorted({p for name, _ in work for p in models[name].packages}) + ["torch_mlir.fx"]:
        importlib.import_module(package)
    warm()
    built = set()
    for name, variant in work:
        if name not in built:  # what it imports late is here for all
            built.add(name)
            with contextlib.suppress(Exception):
                models[name].build()
        place = pathlib.Path(folder) / name / variant
        place.mkdir(parents=True, exist_ok=True)
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_PROF, int(seconds))
            attempt(models[name], place, variant)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if not (place / "case.json").exists():
            late = status == -signal.SIGPROF
            why = f"it took more than {seconds} s of processor time" if late else f"the exporter ended with {status}"
            put(place, {"why": why})


if __name__ == "__main__":
    main()
