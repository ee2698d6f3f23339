"""From a torch.nn.Module, a function, or a program in text, to a callable."""

import copy
import os
import pathlib
import re
import shutil

import torch

from ._autograd import Gradients
from ._compiler import Program
from ._library import Function
from ._linalg import text_of
from ._trace import Call, follow

_TYPES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
    torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.bool: "i1", torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
}  # fmt: skip


def _cache_folder():
    return os.environ.get("SINTER_CACHE") or str(
        pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "sinter"
    )


# ---- a module of PyTorch's as text ---------------------------------------------------------------


def _sizes(tensors, names, dynamic):
    """For each tensor the set of its dimensions that may have any size."""
    of = [set() for _ in tensors]
    for who, dims in (dynamic or {}).items():
        i = names.index(who) if who in names else who
        if not isinstance(i, int) or not 0 <= i < len(tensors):
            raise ValueError(f"dynamic: there is no argument {who!r}, only {', '.join(names)}")
        for d in (dims,) if isinstance(dims, int) else dims:
            if not -tensors[i].dim() <= d < tensors[i].dim():
                raise ValueError(f"dynamic: argument {names[i]} has no dimension {d}, it has {tensors[i].dim()}")
            of[i].add(d % tensors[i].dim())
    return of


def _argument_names(module, n):
    import inspect
    try:
        own = [p.name for p in inspect.signature(getattr(module, "forward", module)).parameters.values()
               if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        own = []
    return [own[i] if i < len(own) else f"argument{i}" for i in range(n)]


def _loss_use(loss, attributes, operands, types, result):
    """(definitions in front, the operation) of a loss by name, or of one's own."""
    options = ", ".join(f"{k} = {_attribute(v)}" for k, v in (attributes or {}).items())
    found = re.search(r"sinter\.define\s+@([\w.]+)", loss)
    if not found and not re.fullmatch(r"[\w.]+", loss.strip()):
        raise ValueError(f"loss={loss!r} is neither the name of a loss nor text with a sinter.define")
    if found and re.search(r"\bfunc\.func\b", loss):
        raise ValueError(f"loss= is text with sinter.define alone, and there is a function beside @{found[1]}")
    op, text = (f"sinter.apply @{found[1]}", loss) if found else (f"sinter.{loss.strip()}", "")
    return text, f"{op}({operands}) {{{options}}} : ({types}) -> {result}"


def _attribute(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def _type_of(t, dynamic):
    if t.dtype not in _TYPES:
        raise TypeError(f"a program takes no tensors of {t.dtype}")
    return f"tensor<{''.join('?x' if d in dynamic else f'{n}x' for d, n in enumerate(t.shape))}{_TYPES[t.dtype]}>"


def _signature(imported):
    """Types of the arguments and results of the function that was exported, which becomes private."""
    from torch_mlir import ir
    function = next(op for op in imported.body.operations if "function_type" in op.attributes)
    with imported.context:
        function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        return [str(t) for t in kind.inputs], [str(t) for t in kind.results]


def _spliced(imported, more):
    """The module's text with more at its end; what follows the module (resources) stays behind it."""
    text = text_of(imported)
    end = text.find("\n{-#")
    module, rest = (text, "") if end < 0 else (text[:end], text[end:])
    at = module.rindex("}")
    return f"{module[:at]}{more}\n{module[at:]}{rest}"


class _Text:
    """The program of a model: @main with names, which calls the model's function and then the loss."""

    def __init__(self, imported, names, targets, states, loss, loss_options, changed):
        inputs, outputs = _signature(imported)
        count = len(inputs) - len(states)
        places = [f"%a{i}" for i in range(len(inputs))]
        extra = [(f"%t{k}", t, n) for k, (n, t) in enumerate(targets)]
        own = list(zip(places, inputs, names + states))
        results = [f"%r#{i}" if len(outputs) > 1 else "%r" for i in range(len(outputs))]
        many = f":{len(outputs)}" if len(outputs) > 1 else ""
        body = (f"  %r{many} = func.call @sinter_model({', '.join(places)}) : ({', '.join(inputs)}) -> "
                f"({', '.join(outputs)})\n")  # fmt: skip
        front = ""
        if loss:
            value = f"tensor<{re.search(r'(?:^|x|<)([a-z]+[0-9]+)>$', outputs[0])[1]}>"
            operands, types = [results[0], *(a for a, _, _ in extra)], [outputs[0], *(t for _, t in targets)]
            front, use = _loss_use(loss, loss_options, ", ".join(operands), ", ".join(types), value)
            body += f"  %loss = {use}\n"
            kept = len(outputs) - changed  # the last results are buffers that the call changes
            outputs, results = [value, *outputs[kept:]], ["%loss", *results[kept:]]
        # The targets of the loss stand behind the arguments of the model, in front of its parameters.
        arguments = own[:count] + extra + own[count:]
        spelled = ", ".join(f"{a}: {t} {{sinter.name = {_attribute(n)}}}" for a, t, n in arguments)
        back = f"  func.return {', '.join(results)} : {', '.join(outputs)}\n" if results else "  func.return\n"
        main = f"func.func @main({spelled}) -> ({', '.join(outputs)}) {{\n{body}{back}}}"
        self.text = _spliced(imported, f"{front}\n{main}")
        self.names = names + [n for _, _, n in extra]
        self.scalar = bool(outputs) and re.fullmatch(r"tensor<[a-z]+[0-9]+>", outputs[0]) is not None


# ---- the callable --------------------------------------------------------------------------------


class Compiled:
    """A program and what it is called with. Called with the module's arguments (then the loss's targets), it answers
    what the module answers, or the loss; parameters are the module's own, as they are at the call. Where an argument or
    a parameter requires a gradient, the answer is a part of PyTorch's graph.

    text          the program in MLIR
    names         of the arguments of a call; parameters: of those that come from the module
    """

    def __init__(self, text, name, options, wrt=(), upstream=False, backward=None, names=None, state=None,
                 results=None, result=0, changed=()):  # fmt: skip
        self.text, self.wrt, self.upstream, self.result = text, wrt, upstream, result
        self._name, self._options, self._backward = name, options, backward
        self._state, self._results, self._changed = state, results, changed
        self.names, self.parameters = names, state.names if state else []
        self._plain = None
        self._trained = self._gradients() if wrt else None
        if not wrt:
            self._values()

    def _program(self, **more):
        return Program(self.text, self._name, {**self._options, **more}, None)

    @property
    def library(self):
        """The program without the gradients of wrt: its functions by name."""
        if "_library" not in self.__dict__:
            self._library = self._program()
        return self._library

    @staticmethod
    def _entry(library):
        if len(library.functions) > 1 and "main" not in library.functions:
            raise TypeError(f"the program has several functions, choose with entry=: {', '.join(library.functions)}")
        return "main" if "main" in library.functions else next(iter(library.functions))

    def _gradients(self):
        library = self._program(wrt=",".join(map(str, self.wrt)), result=self.result, upstream=bool(self.upstream))
        entry = self._entry(library)
        row = library[entry].gradient
        # With an upstream values are needed alone, in forward; without one they come with the gradients.
        value = self._values().value if self.upstream else None
        return Function(library, entry, value, Gradients(row), self._backward)

    def _values(self):
        if self._plain is None:  # where every call so far wanted gradients
            self._plain = self.library[self._entry(self.library)]
        return self._plain

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.library, name)

    def __repr__(self):
        return f"compiled {self._trained or self._plain!r}"

    def _tensors(self, arguments, named):
        if named:
            for name in named:
                if self.names is None or name not in self.names:
                    raise TypeError(f"there is no argument {name!r}, only {', '.join(self.names or [])}")
            tail = self.names[len(arguments) :]
            missing = [n for n in tail if n not in named]
            if missing or len(named) != len(tail):
                raise TypeError(f"arguments are {', '.join(self.names)}: "
                                f"{'missing ' + ', '.join(missing) if missing else 'one is given twice'}")  # fmt: skip
            arguments = (*arguments, *(named[n] for n in tail))
        if self._state is None:
            return arguments
        if len(arguments) != len(self.names):
            raise TypeError(f"takes {len(self.names)} tensors ({', '.join(self.names)}), was given {len(arguments)}")
        return (*arguments, *self._state())

    def __call__(self, *arguments, **named):
        tensors = self._tensors(arguments, named)
        graph = torch.is_grad_enabled() and any(getattr(t, "requires_grad", False) for t in tensors)
        # What backward reads again is what the call read, also where the call changes it.
        read = [t.clone() if k in self._changed else t for k, t in enumerate(tensors)]
        results = (self._trained if self.wrt and graph else self._values())(*read)
        if self._changed:
            results = results if isinstance(results, tuple) else (results,)
            kept = len(results) - len(self._changed)
            with torch.no_grad():
                for k, new in zip(self._changed, results[kept:], strict=True):
                    tensors[k].copy_(new)
            results = results[0] if kept == 1 else results[:kept]
        if self._results is None:
            return results
        return self._results.rebuilt(results if isinstance(results, tuple) else (results,))


def _chip(device):
    major, minor = torch.cuda.get_device_capability(device)
    return f"sm_{major}{minor}" + ("a" if major in (9, 10) else "")


def _where(tensors):
    """Options that follow from where the tensors are."""
    device = next((t.device for t in tensors), torch.device("cpu"))
    if device.type == "cpu":
        return {}
    if device.type != "cuda":
        raise ValueError(f"programs run on the CPU and on CUDA, and the arguments are on {device}")
    return {"target": "gpu", "chip": _chip(device), "ptx": shutil.which("ptxas") is None}


def _wanted(tensors):
    return [i for i, t in enumerate(tensors) if t.is_floating_point() and t.requires_grad]


def _numbers(wrt, names):
    """Places of arguments, given by number or by name. Where the table has no names the compiler knows the text's."""
    wrt = [wrt] if isinstance(wrt, (int, str)) else list(wrt)
    for w in wrt:
        if w not in names and all(names) if isinstance(w, str) else not 0 <= w < len(names):
            known = ", ".join(n or str(k) for k, n in enumerate(names))
            raise ValueError(f"wrt: there is no argument {w!r}, only {known}")
    return [names.index(w) if w in names else w for w in wrt]


def _compile_text(text, args, wrt, upstream, result, backward, options):
    compiled = Compiled(text, "program.mlir", options, backward=backward)
    if args is not None:
        compiled._values().value.check(list(args))
    if wrt is None:
        wrt = _wanted(args) if args is not None else []
    function = compiled._values()
    compiled.names = [a.name for a in function.inputs]
    wrt = _numbers(wrt, compiled.names)
    if not wrt:
        return compiled
    if not 0 <= result < len(function.outputs):
        raise ValueError(f"result: there is no result {result}, only {len(function.outputs)}")
    if upstream is None:
        upstream = result != 0 or function.outputs[0].shape != ()
    return Compiled(text, "program.mlir", options, wrt, upstream, backward, compiled.names, result=result)


def _compile_module(module, args, named, targets, loss, loss_options, dynamic, wrt, upstream, result, backward,
                    options):  # fmt: skip
    own, names, args = len(args), [*_argument_names(module, len(args)), *named], (*args, *named.values())
    target_names = [f"target{k or ''}" for k in range(len(targets))]
    after = None
    if callable(loss):  # of PyTorch's operations: behind the module, whose targets are arguments like the others
        after, loss = copy.deepcopy(loss).cpu() if isinstance(loss, torch.nn.Module) else loss, None
        names, args, targets, target_names = names + target_names, (*args, *targets), (), []

    sizes = _sizes([*args, *targets], names + target_names, dynamic)
    shapes = [{d: torch.export.Dim.DYNAMIC for d in dims} or None for dims in sizes[: len(args)]]
    call = Call(module, own, list(named), after)
    linalg, state, changed = follow(call, names, args, shapes if dynamic else None)
    weights, results = state() if state else [], call.results
    types = [_type_of(t, dims) for t, dims in zip(targets, sizes[len(args) :])]
    text = _Text(linalg, names, list(zip(target_names, types)), state.names if state else [], loss, loss_options,
                 len(changed))
    everything = [*text.names, *(state.names if state else [])]
    changed = [k if k < len(args) else k + len(targets) for k in changed]
    wrt = _wanted([*args, *targets, *weights]) if wrt is None else _numbers(wrt, everything)
    for k in set(changed) & set(wrt):
        raise ValueError(f"a call changes {everything[k]}: there is no gradient by it. Change a clone of it, or name "
                         f"others in wrt=")
    upstream = result != 0 or not text.scalar if upstream is None else upstream
    return Compiled(text.text, f"{type(module).__name__}.mlir", options, wrt, bool(wrt) and upstream, backward,
                    text.names, state, None if loss else results, result, changed)  # fmt: skip


def _call_keywords(program, options):
    """Tensors among the options that are arguments of the module by their names."""
    import inspect
    try:
        known = inspect.signature(getattr(program, "forward", program)).parameters
    except (TypeError, ValueError):
        return {}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
    found = {k: v for k, v in options.items() if k in known or (takes_any and isinstance(v, torch.Tensor))}
    for k, v in found.items():
        if not isinstance(v, torch.Tensor):
            raise TypeError(f"argument {k} is no tensor: bind it in a function of tensors, "
                            f"lambda x: module(x, {k}={v!r})")  # fmt: skip
    return found


def compile(program, args=None, *more, wrt=None, upstream=None, loss=None, loss_options=None, targets=(), dynamic=None,
            result=0, backward=None, cache=True, **options):  # fmt: skip
    """A callable of a torch.nn.Module, of a function of tensors, or of a program in text (MLIR), in this process.

    args          example tensors, one after another or in a tuple, those by name as in the module's own call: their
                  types, their sizes, and where the program runs; may be left out for text
    wrt           gradients by these arguments and parameters, by number or name; default: by those that require one
    result        which result has gradients, counted from 0
    upstream      whether gradients are for an upstream; default: where that is not result 0, or not one number
    loss          behind a module: the name of one of Sinter's losses, or text with a sinter.define of one's own, of the
                  module's first result and targets; loss_options: its attributes, as in {"label_smoothing": 0.1}. Or a
                  function or module of PyTorch's, of what the module returns and targets
    dynamic       of a module: {argument: dimension or dimensions that may have any size}
    backward      as of load
    cache         a folder that keeps what was compiled; True: SINTER_CACHE, or ~/.cache/sinter; None: no folder
    options       of sinter-cc: policy="aggressive", cpu="haswell", tuning="loss.tuning", entry="main", ...
    """
    if isinstance(program, os.PathLike):
        program = pathlib.Path(program).read_text()
    if not isinstance(program, str) and not callable(program):
        raise TypeError(f"compile takes a torch.nn.Module, a function or text, not a {type(program).__name__}")
    args = (args, *more) if isinstance(args, torch.Tensor) else args
    if more and not isinstance(args[0], torch.Tensor):
        raise TypeError("arguments are tensors, one after another, or one tuple of them")
    named = {} if isinstance(program, str) else _call_keywords(program, options)
    options = {k: v for k, v in options.items() if k not in named}
    targets = (targets,) if isinstance(targets, torch.Tensor) else tuple(targets)
    for t in (*(args or ()), *named.values(), *targets):
        if not isinstance(t, torch.Tensor):
            raise TypeError(f"arguments are tensors, not {type(t).__name__}: bind others in a function of tensors")
    folder = _cache_folder() if cache is True else cache
    options = {**_where([*(args or ()), *named.values(), *targets]), "cache": folder and os.fspath(folder), **options}
    if isinstance(program, str):
        if loss or targets or dynamic:
            raise TypeError("loss, targets and dynamic are of modules: a program in text says them itself")
        return _compile_text(program, args, wrt, upstream, result, backward, options)
    if args is None and not named:
        raise TypeError("a module is compiled for example arguments: compile(module, (x, ...))")
    if isinstance(loss, torch.nn.Module) and any(p.requires_grad for p in loss.parameters()):
        raise TypeError("the loss has parameters of its own: make it a part of the module")
    if callable(loss) and loss_options:
        raise TypeError("loss_options are those of Sinter's losses: bind those of a function in it")
    if targets and not loss:
        raise TypeError("targets are the loss's: name it, loss=\"cross_entropy\"")
    return _compile_module(program, tuple(args or ()), named, targets, loss, loss_options, dynamic, wrt, upstream,
                           result, backward, options)  # fmt: skip
