"""Compiles programs for PyTorch, and calls libraries that sinter-cc wrote, on PyTorch's tensors.

    import sinter_torch
    lib = sinter_torch.load("loss.so")        # sinter-cc loss.mlir -o loss.so
    loss = lib.cross_entropy(logits, labels)  # on the CPU, or for --target=gpu on CUDA
    loss.backward()                           # where the library has the gradients

    step = sinter_torch.compile(model, (x,), loss="cross_entropy", targets=(labels,))  # in this process
    step(x, labels).backward()                # into the model's own parameters

Pure Python over ctypes: tensors go as DLTensor structs that point to PyTorch's own memory. What a
library is, is in runtime/abi.h; how this package reads it, in docs/pytorch.md.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as why:
    raise ImportError(
        f"sinter_torch calls libraries on PyTorch's tensors, and there is no PyTorch here ({why}): pip install torch"
    ) from why

from ._abi import Error
from ._compile import Compiled, compile
from ._compiler import CompileError, Program
from ._library import Function, Library, load

__all__ = ["CompileError", "Compiled", "Error", "Function", "Library", "Program", "compile", "load"]
