"""A library and its functions, those with gradients as parts of PyTorch's graph."""

import ctypes
import os
import shutil
import tempfile
import threading

import torch

from . import _abi
from ._abi import Row, refuse_stand_ins, stands_apart
from ._autograd import MODES, Gradients, node_of, plan, why_not


class Function:
    """A function of a library. Called with tensors, it answers its result, or a tuple of them.

    Where the library has gradients, the result is a part of PyTorch's graph, and gradients and upstreams are
    nobody's business: neither results nor arguments of a call.

    value      the function of the table that computes the values; None if only `gradient` does
    gradient   the one that computes gradients; None if none does
    backward   "multiply", "recompute" or "one": how backward gets its gradients (docs/pytorch.md)
    """

    def __init__(self, library, name, value, gradient, backward=None):
        self.library, self.name, self.value = library, name, value
        self.gradient = gradient.row if gradient else None
        self._gradients = gradient
        self._straight = value.straight if value else None
        self.backward, self._refusal = None, why_not(name)
        if gradient:
            try:
                self.backward = plan(gradient, value, backward)
            except ValueError as why:
                self._refusal = str(why)
        self._without = [i for i in range(len(self.inputs)) if not gradient or i not in gradient.of_input]
        self._apply = node_of(gradient, value, self.backward).apply if self.backward else None

    def __reduce__(self):
        return getattr, (self.library, self.name)

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        if self.backward is None:
            return f"{self.name}({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))})"
        wrt = ", ".join(self.inputs[i].name or str(i) for i in sorted(self._gradients.of_input))
        return (
            f"{self.name}({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))}), gradients of "
            f"{wrt}: {self.backward}"
        )

    @property
    def inputs(self):
        """Arguments of a call, with name, dtype and shape (-1: any size)."""
        return self.value.inputs if self.value else self._gradients.inputs

    @property
    def outputs(self):
        """Results of a call."""
        return self.value.outputs if self.value else self._gradients.values_of(None)

    def _tensors(self, arguments, named):
        if not named:
            return arguments
        names = [a.name for a in self.inputs]
        tensors = list(arguments) + [None] * (len(names) - len(arguments))
        for name, tensor in named.items():
            if name not in names:
                raise TypeError(f"{self.name} has no argument {name!r}: {self!r}")
            if names.index(name) < len(arguments):
                raise TypeError(f"{self.name}: argument {name!r} is given twice")
            tensors[names.index(name)] = tensor
        return tensors

    def __call__(self, *arguments, **named):
        straight = None if named else self._straight
        if straight:
            results = straight(arguments, True)
            if results is not None:
                return results[0] if len(results) == 1 else tuple(results)
        tensors = self._tensors(arguments, named) if named else arguments
        if stands_apart():
            refuse_stand_ins(self.name, self.inputs, tensors)  # before autograd looks at them
        if torch.is_grad_enabled():
            for t in tensors:
                if getattr(t, "requires_grad", False):
                    return self._differentiable(tensors)
        results = self.value.run(tensors) if self.value else self._gradients.run_values(tensors)
        return results[0] if len(results) == 1 else tuple(results)

    def _differentiable(self, tensors):
        if self._apply is None:
            raise RuntimeError(f"{self.name} has no gradients for autograd, and an argument requires one: detach() it, "
                               f"or call under torch.no_grad(). {self._refusal}")  # fmt: skip
        if len(tensors) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} tensors, and was given {len(tensors)}: {self!r}")
        for i in self._without:
            if getattr(tensors[i], "requires_grad", False):
                there = ", ".join(self.inputs[k].who for k in sorted(self._gradients.of_input))
                raise RuntimeError(f"{self.name}: {self.inputs[i].who} requires a gradient, "
                                   f"and the library has those of {there} only: detach() it")  # fmt: skip
        return self._apply(*tensors)

    def prepare(self, *arguments, **named):
        """Does what a first call does beside its launches, so that one may be captured into a CUDA graph."""
        tensors = self._tensors(arguments, named)
        if self.value:
            self.value.run(tensors, prepare=True)
        if self._gradients:
            self._gradients.prepare(self.value, tensors)

    def all(self, *tensors):
        """Every result of the table's own function for every argument of it, gradients and upstreams too; no
        autograd."""
        row = self.gradient or self.value
        return tuple(row.run([t.detach() if isinstance(t, torch.Tensor) else t for t in tensors]))


class Library:
    """What sinter-cc wrote: functions by name, as attributes or by lib["name"]."""

    def __init__(self, path, backward=None):
        if backward not in (None, *MODES):
            raise ValueError(f"backward={backward!r} is not one of {', '.join(MODES)}")
        self.path, self._backward = os.path.abspath(os.fspath(path)), backward
        try:
            self._handle = _open(self.path)
        except OSError as why:
            raise OSError(f"cannot open {path}: {why}") from None
        try:
            table = _abi.SinterLibrary.in_dll(self._handle, "sinter_library")
        except ValueError:
            raise ValueError(f"{path} has no sinter_library: sinter-cc did not write it") from None
        self._adopt(table)

    def _adopt(self, table):
        self.table = table
        if self.table.abi_version != _abi.ABI_VERSION:
            raise ValueError(
                f"{self.path} has ABI version {self.table.abi_version}, expected {_abi.ABI_VERSION}: compile it again"
            )
        rows = [Row(self.table.functions[i], self) for i in range(self.table.num_functions)]
        self.functions = self._pair({row.name: row for row in rows}, self._backward)
        for name, function in self.functions.items():  # found at once, unless it has a name of ours
            if not hasattr(type(self), name):
                self.__dict__.setdefault(name, function)

    def _pair(self, rows, backward):
        functions = {}
        for name, row in rows.items():
            if any(a.gradient_of >= 0 for a in row.outputs):
                own = Gradients(row)
                value, gradient = (None, own) if own.values else (row, None)
                functions[name] = Function(self, name, value, gradient, backward)
                continue
            other = rows.get(f"{name}_backward")
            gradient = Gradients(other) if other and any(a.gradient_of >= 0 for a in other.outputs) else None
            functions[name] = Function(self, name, row, gradient, backward)
        return functions

    def __reduce__(self):  # a copy in another process opens the file there
        return load, (self.path, self._backward)

    def __deepcopy__(self, memo):  # of a model that holds it
        return self

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"{self.__dict__.get('path')} has no function {name!r}, only {', '.join(functions)}")

    def __getitem__(self, name):
        return getattr(self, name)

    def __iter__(self):
        return iter(self.functions.values())

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def __repr__(self):
        return "\n".join([self.path, *(f"  {f!r}" for f in self)])

    def __call__(self, *arguments, **named):
        """The only function, or main."""
        if len(self.functions) > 1 and "main" not in self.functions:
            raise TypeError(f"{self.path} has several functions: {', '.join(self.functions)}")
        function = self.functions.get("main") or next(iter(self.functions.values()))
        return function(*arguments, **named)

    def stats(self):
        """Kernels, library calls and temporary bytes since the library was opened."""
        stats = _abi.SinterStats()
        self.table.stats(stats)
        return {name: getattr(stats, name) for name, _ in stats._fields_}

    def check(self):
        """Raises what asserts in kernels on a GPU have found since the last check. It waits for nothing: of kernels
        that have not run it knows nothing, so synchronise before to know of a call. On the CPU the call raises."""
        if self.table.extension:
            message = ctypes.c_char_p()
            status = self.table.extension.contents.device_status(message)
            if status:
                raise _abi.error_of(status, message.value.decode())

    def set_threads(self, threads):
        """Threads of a library for the CPU; 0: all that the process may use."""
        if self.table.set_threads:
            self.table.set_threads(threads)


_opened = {}  # a file's real path -> what the file was, and its handle
_opening = threading.Lock()


def _what_it_is(path):
    s = os.stat(path)
    return s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns


def _open(path):
    """The handle of the file as it is now. The loader hands out what it has for a name that it knows, so a file that
    was written again is opened by another name."""
    real = os.path.realpath(path)
    with _opening:
        now = _what_it_is(real)
        before, handle = _opened.get(real, (None, None))
        if handle and before == now:
            return handle
        if handle:
            folder = tempfile.mkdtemp(prefix="sinter_torch-")
            try:
                handle = ctypes.CDLL(shutil.copy(real, folder))
            finally:
                shutil.rmtree(folder, ignore_errors=True)  # what is mapped stays
        else:
            handle = ctypes.CDLL(real)
        # Written while it was opened: what was opened is not known, so the next load opens it again.
        _opened[real] = (now if _what_it_is(real) == now else None), handle
        return handle


def load(path, backward=None):
    """Opens a library that sinter-cc wrote, for the life of the process; one that was compiled again is opened anew.

    backward: how gradients reach backward, where the library leaves a choice: "multiply", "recompute" or "one".
    """
    return Library(path, backward)
