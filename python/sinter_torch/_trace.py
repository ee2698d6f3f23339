"""What torch.export follows of a module or a function, and what a call of it changes.

test: test/python/changed.test
"""

import contextlib
import copy
import os
import re
import sys
import traceback

import torch

from ._complex import Complex
from ._composite import Functions
from ._linalg import Changed, Refused, linalg_of


class Results:
    """The tree of what a function returns; a program returns the tensors in it."""

    def __init__(self):
        self.tree, self.leaves = None, None

    def flat(self, value):
        leaves, self.tree = torch.utils._pytree.tree_flatten(value)
        if any(isinstance(leaf, Complex) for leaf in leaves):
            raise TypeError("a result is of complex numbers: torch.view_as_real makes one that a program can return")
        self.leaves = [None if isinstance(leaf, torch.Tensor) else (leaf,) for leaf in leaves]
        return tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))

    def rebuilt(self, tensors):
        tensors = iter(tensors)
        return torch.utils._pytree.tree_unflatten([next(tensors) if leaf is None else leaf[0] for leaf in self.leaves],
                                                  self.tree)  # fmt: skip


class _Flat(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def _there():
    try:
        import torch_mlir  # noqa: F401
    except ImportError as why:
        raise ImportError(
            f"sinter_torch.compile takes modules and functions of PyTorch's through torch-mlir, and there is none here "
            f"({why}): pip install torch-mlir, or give the program as text in MLIR"
        ) from why


def _place(why):
    """file:line: of the innermost of somebody's own lines that were being traced, or nothing."""
    frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(why.__traceback__)]
    begun = next((k for k, (file, _) in enumerate(frames) if file == _export_file()), len(frames))
    ours = tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in (torch.__file__, __file__))
    own = [f"{file}:{line}: " for file, line in frames[begun:] if os.path.exists(file) and not file.startswith(ours)]
    return next((x for x in reversed(own) if f"{os.sep}contextlib.py" not in x), "")


def _export_file():
    return sys.modules[torch.export.export.__module__].__file__


@contextlib.contextmanager
def refusals():
    """What PyTorch or torch-mlir refuses is one error, with its place where it has one."""
    _there()
    try:
        yield
    except Changed:
        raise
    except Refused as why:
        where = f"{why.where}: " if why.where else ""
        raise RuntimeError(f"{where}torch-mlir does not make a program of it: {why}") from why
    except Exception as why:
        lines = [x for x in str(why).splitlines() if x.strip()] or [""]
        line = next((x for x in lines if re.search(r"error: \S", x)), lines[0])
        raise RuntimeError(f"{_place(why)}torch.export and torch-mlir do not make a program of it: "
                           f"{type(why).__name__}: {line}") from why  # fmt: skip


def _changed_buffers(module, args, named):
    """Names of the buffers that a call in training changes, as a norm does its running statistics: one is made, of a
    copy. It is a guess that spares an export: _follow finds all."""
    if not any(m.training for m in module.modules()) or next(module.buffers(), None) is None:
        return []
    tried = copy.deepcopy(module)
    before = {name: t.clone() for name, t in tried.named_buffers()}
    try:
        with torch.no_grad(), torch.random.fork_rng():
            tried(*args, **named)
    except Exception:  # which the export says better
        return []
    return [name for name, t in tried.named_buffers() if name in before and not torch.equal(t, before[name])]


class State:
    """Parameters and buffers of a module by name, as they are at each call; of integers those that are `changed`.
    `tied` are the other names of those that several modules have. A module of two names is one."""

    def __init__(self, module, changed=()):
        self.names, self._places, self.tied, seen = [], [], {}, {}
        for prefix, owner in module.named_modules():
            for name, t in [*owner._parameters.items(), *owner._buffers.items()]:
                # What counts (batches, positions) is no weight: it is a constant of the program.
                full = f"{prefix}.{name}" if prefix else name
                if t is None or not (t.is_floating_point() or full in changed):
                    continue
                if id(t) in seen:
                    self.tied[full] = seen[id(t)]
                    continue
                seen[id(t)] = full
                self.names.append(full)
                self._places.append((owner._parameters if name in owner._parameters else owner._buffers, name))

    def __call__(self):
        return [place[name] for place, name in self._places]

    def constants(self, module):
        """Buffers that are none of these: clones, for a trace would change what it holds."""
        known = {*self.names, *self.tied}
        return {name: t.clone() for name, t in module.named_buffers() if name not in known}


class Call:
    """A module or a function as one of flat tensors: a module's arguments, those of the loss, and the module's own.

    What a call changes, in place or by a new tensor of that name, is a result behind the others:

        self.mean.mul_(0.9)    self.mean = 0.9 * self.mean    x.add_(1)

    changed are the places of such tensors, as far as they are known. found is what a trace finds beside them, and names
    of constants, which integer buffers are until something changes them."""

    def __init__(self, module, own, named, after):
        self.module, self.own, self.named, self.after = module, own, named, after
        self.on_cpu = module
        if isinstance(module, torch.nn.Module) and any(t.is_cuda for t in module.parameters()):
            self.on_cpu = copy.deepcopy(module).cpu()

    def begin(self, arguments, state, changed):
        self.arguments, self.state, self.changed = arguments, state, changed
        self.results, self.found, self.resized = Results(), set(), []
        self.constants = state.constants(self.on_cpu) if state else {}

    def _value(self, inputs, keywords, given):
        if self.state is None:
            return self.module(*inputs, **keywords)
        # PyTorch's own tying puts a module of two names back as it was while it is traced.
        return torch.func.functional_call(self.on_cpu, given, inputs, keywords, tie_weights=False)

    def __call__(self, *tensors):
        # A trace knows of one of its inputs that is changed; a clone of it may be.
        tensors = [t.clone() if k in self.changed else t for k, t in enumerate(tensors)]
        arguments, weights = tensors[: self.arguments], tensors[self.arguments :]
        given = dict(zip(self.state.names, weights)) | self.constants if self.state else {}
        given |= {name: given[first] for name, first in self.state.tied.items()} if self.state else {}
        behind, versions = self.own + len(self.named), [t._version for t in tensors]
        value = self._value(tuple(arguments[: self.own]), dict(zip(self.named, arguments[self.own : behind])), given)
        value = self.after(value, *arguments[behind:]) if self.after else value
        now = [*arguments, *(given[name] for name in self.state.names)] if self.state else arguments
        for k, (t, new, version) in enumerate(zip(tensors, now, versions)):
            if t is not new or t._version != version:
                self.found.add(k)
            if (str(t.shape), t.dtype) != (str(new.shape), new.dtype):
                self.resized.append(k)
        self.found |= {name for name, t in self.constants.items() if given[name] is not t}
        return (*self.results.flat(value), *(now[k] for k in self.changed))


def _exported(call, tensors, shapes):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    # With gradients on, or a torch.no_grad() of the module would not be seen.
    with refusals(), torch.enable_grad(), sdpa_kernel(SDPBackend.MATH), Functions():
        return torch.export.export(_Flat(call), tensors, dynamic_shapes=shapes, strict=False)


def _changed_by(call, exported, changed, lowered):
    """Places and names that are not known to be changed; lowered gets torch-mlir's module where there are none."""
    found = {x for x in call.found if x not in changed} | {name for name, t in call.constants.items() if t._version}
    if found:
        return found
    try:
        with refusals():
            lowered.append(linalg_of(exported, "sinter_model"))
    except Changed as why:  # what a norm in training changes has no other version
        return set(why.places)
    return set()


def _ordinary(t):
    """A tensor on the CPU that counts its changes, which one of inference mode does not."""
    return (t.clone() if t.is_inference() else t.detach()).cpu()


@torch.inference_mode(False)
def follow(call, names, arguments, shapes):
    """(torch-mlir's module, the state of PyTorch's, places of what a call changes). A trace says what a call changes
    that was not known to be changed: then another one is made, which returns it."""
    module, known, lowered = call.module, set(), []
    if isinstance(module, torch.nn.Module):
        own, by_name = arguments[: call.own], arguments[call.own : call.own + len(call.named)]
        known = set(_changed_buffers(module, own, dict(zip(call.named, by_name))))
    while True:
        state = State(module, known) if isinstance(module, torch.nn.Module) else None
        tensors = tuple(_ordinary(t) for t in (*arguments, *(state() if state else [])))
        own = state.names if state else []
        changed = [k for k in range(len(arguments)) if k in known]
        changed += [len(arguments) + k for k, name in enumerate(own) if name in known]
        call.begin(len(arguments), state, changed)
        exported = _exported(call, tensors, ((*shapes, *(None for _ in own)),) if shapes else None)
        if call.resized:
            name = [*names, *own][call.resized[0]]
            raise TypeError(f"a call makes {name} a tensor of other sizes or of another type: let it be as large as it "
                            f"gets, beside a number of how much is filled")
        found = _changed_by(call, exported, changed, lowered)
        if not found:
            return lowered[0], state, changed
        known |= {own[k - len(arguments)] if k in range(len(arguments), len(tensors)) else k for k in found}
