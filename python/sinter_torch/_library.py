"""A library and its functions, those with gradients as parts of PyTorch's graph."""

import ctypes
import os

import torch

from . import _abi
from ._abi import Row
from ._autograd import MODES, Gradients, plan, why_not


class Function:
    """A function of a library. Called with tensors, it answers its result, or a tuple of them.

    Where the library has gradients, the result is a part of PyTorch's graph, and gradients and upstreams are
    nobody's business: neither results nor arguments of a call.

    value      the function of the table that computes the values; None if only `gradient` does
    gradient   the one that computes gradients; None if none does
    backward   "multiply", "recompute" or "one": how backward gets its gradients (docs/pytorch.md)
    """

    def __init__(self, name, value, gradient, backward=None):
        self.name, self.value = name, value
        self.gradient = gradient.row if gradient else None
        self._gradients = gradient
        self.backward, self._refusal = None, why_not(name)
        if gradient:
            try:
                self.backward = plan(gradient, value, backward)
            except ValueError as why:
                self._refusal = str(why)

    def __repr__(self):
        if self.backward is None:
            return f"{self.name}({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))})"
        wrt = ", ".join(self.inputs[i].name or str(i) for i in sorted(self._gradients.of_input))
        return f"{self.name}({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))}), gradients of {wrt}: {self.backward}"

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
        tensors = self._tensors(arguments, named)
        if torch.is_grad_enabled() and any(isinstance(t, torch.Tensor) and t.requires_grad for t in tensors):
            results = self._differentiable(tensors)
        elif self.value:
            results = self.value.run(tensors)
        else:
            results = self._gradients.run_values(tensors)
        return results[0] if len(results) == 1 else tuple(results)

    def _differentiable(self, tensors):
        gradients = self._gradients
        if self.backward is None:
            raise RuntimeError(f"{self.name} has no gradients for autograd, and an argument requires one: detach() it, or call under torch.no_grad(). {self._refusal}")
        for i, t in enumerate(tensors):
            if isinstance(t, torch.Tensor) and t.requires_grad and i < len(self.inputs) and i not in gradients.of_input:
                there = ", ".join(self.inputs[k].who for k in sorted(gradients.of_input))
                raise RuntimeError(f"{self.name}: {self.inputs[i].who} requires a gradient, and the library has those of {there} only: detach() it")
        results = gradients.apply(self.value, self.backward, tensors)
        return results if isinstance(results, tuple) else (results,)

    def prepare(self, *arguments, **named):
        """Does what a first call does beside its launches, so that one may be captured into a CUDA graph."""
        tensors = self._tensors(arguments, named)
        if self.value:
            self.value.run(tensors, prepare=True)
        if self._gradients:
            self._gradients.prepare(self.value, tensors)

    def all(self, *tensors):
        """Every result of the table's own function for every argument of it, gradients and upstreams too; no autograd."""
        row = self.gradient or self.value
        return tuple(row.run([t.detach() if isinstance(t, torch.Tensor) else t for t in tensors]))


class Library:
    """What sinter-cc wrote: functions by name, as attributes or by lib["name"]."""

    def __init__(self, path, backward=None):
        if backward not in (None, *MODES):
            raise ValueError(f"backward={backward!r} is not one of {', '.join(MODES)}")
        self.path = os.path.abspath(os.fspath(path))
        try:
            self._handle = ctypes.CDLL(self.path)
        except OSError as why:
            raise OSError(f"cannot open {path}: {why}") from None
        try:
            self.table = _abi.SinterLibrary.in_dll(self._handle, "sinter_library")
        except ValueError:
            raise ValueError(f"{path} has no sinter_library: sinter-cc did not write it") from None
        if self.table.abi_version != _abi.ABI_VERSION:
            raise ValueError(f"{path} has ABI version {self.table.abi_version}, expected {_abi.ABI_VERSION}: compile it again")
        rows = [Row(self.table.functions[i], self) for i in range(self.table.num_functions)]
        self.functions = self._pair({row.name: row for row in rows}, backward)

    @staticmethod
    def _pair(rows, backward):
        functions = {}
        for name, row in rows.items():
            if any(a.gradient_of >= 0 for a in row.outputs):
                own = Gradients(row)
                functions[name] = Function(name, None, own, backward) if own.values else Function(name, row, None)
                continue
            other = rows.get(f"{name}_backward")
            gradient = Gradients(other) if other and any(a.gradient_of >= 0 for a in other.outputs) else None
            functions[name] = Function(name, row, gradient, backward)
        return functions

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


def load(path, backward=None):
    """Opens a library that sinter-cc wrote, once for the life of the process.

    backward: how gradients reach backward, where the library leaves a choice: "multiply", "recompute" or "one".
    """
    return Library(path, backward)
