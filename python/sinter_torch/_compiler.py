"""compiler/compiler.h in ctypes: text to a program in this process."""

import ctypes
import os
import pathlib
import shutil
import threading
import warnings
import weakref

from . import _abi
from ._abi import Error
from ._library import Library

API = 1  # SINTER_COMPILER_API
NAME = f"libSinterCompiler.so.{API}"
SEVERITIES = ("error", "warning", "remark", "note")


class CompileError(Error):
    """A program that was not compiled: each line is a diagnostic, with its place. status is a SinterCompilerStatus."""


class Diagnostic(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("severity", ctypes.c_int32), ("line", ctypes.c_int32), ("column", ctypes.c_int32),
        ("file", ctypes.c_char_p), ("message", ctypes.c_char_p),
    ]  # fmt: skip

    def __str__(self):
        text = lambda x: x.decode(errors="replace")
        place = f"{text(self.file)}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{SEVERITIES[self.severity]}: {text(self.message)}"


_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Diagnostic))
_pointer, _text, _status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
_FUNCTIONS = {
    "sinter_compiler_api": (_status, []),
    "sinter_compiler_create": (_pointer, []),
    "sinter_compiler_destroy": (None, [_pointer]),
    "sinter_compiler_set_handler": (None, [_pointer, _HANDLER, _pointer]),
    "sinter_compiler_set": (_status, [_pointer, _text, _text]),
    "sinter_compiler_compile_text": (_status, [_pointer, _text, ctypes.c_size_t, _text, ctypes.POINTER(_pointer)]),
    "sinter_program_load": (_status, [_pointer, _pointer, ctypes.POINTER(_pointer)]),
    "sinter_program_was_cached": (ctypes.c_bool, [_pointer]),
    "sinter_program_destroy": (None, [_pointer]),
}


def _places():
    """Where the library may be: where SINTER_COMPILER says, beside sinter-cc, in the build of this tree, where the
    loader looks."""
    named = os.environ.get("SINTER_COMPILER")
    if named:
        return [named]
    places = []
    tool = shutil.which("sinter-cc")
    if tool:
        places.append(pathlib.Path(tool).resolve().parent.parent / "lib" / NAME)
    places.append(pathlib.Path(__file__).resolve().parents[2] / "build" / "lib" / NAME)
    return [str(p) for p in places if p.exists()] + [NAME]


_lock = threading.Lock()
_opened = None


def _open():
    global _opened
    with _lock:
        if _opened is None:
            for place in _places():
                try:
                    library = ctypes.CDLL(place)
                    break
                except OSError as e:
                    why = e
            else:
                raise ImportError(
                    f"sinter_torch.compile needs Sinter's compiler, {NAME}, and it does not open ({why}): install "
                    "Sinter, put its bin on PATH, or set SINTER_COMPILER to the library's path"
                )
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
            api = library.sinter_compiler_api()
            if api != API:
                raise ImportError(f"{library._name} has API {api}, expected {API}")
            _opened = library
    return _opened


class _Compiler:
    """A compiler for one program, and what it said."""

    def __init__(self, options):
        self.library, self.said = _open(), []
        self.warned = []
        self.handler = _HANDLER(lambda _, d: self._take(d.contents))
        self.handle = self.library.sinter_compiler_create()
        self.library.sinter_compiler_set_handler(self.handle, self.handler, None)
        for name, value in options.items():
            if value is not None and value is not False:
                text = None if value is True else str(value).encode()
                self.check(self.library.sinter_compiler_set(self.handle, name.replace("_", "-").encode(), text))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.sinter_compiler_destroy(self.handle)

    def _take(self, diagnostic):
        self.said.append(str(diagnostic))
        if SEVERITIES[diagnostic.severity] == "warning":
            self.warned.append(str(diagnostic))

    def check(self, status):
        if status:
            raise CompileError(status, "\n".join(self.said))

    def warn(self):
        for line in self.warned:
            warnings.warn(line, stacklevel=2)


class Program(Library):
    """A program that was compiled in this process: a Library without a file.

    text      the program; name: what messages call its file
    options   those of sinter-cc by name
    """

    def __init__(self, text, name, options, backward=None):
        self.text, self.path, self.options, self._backward = text, name, options, backward
        encoded, handle, table = text.encode(), _pointer(), _pointer()
        with _Compiler(options) as compiler:
            lib = compiler.library
            compiler.check(lib.sinter_compiler_compile_text(compiler.handle, encoded, len(encoded), name.encode(),
                                                            handle))  # fmt: skip
            compiler.warn()
            # Functions hold this object, and results none of its memory. Of kernels that wait in a stream or are in a
            # graph nobody knows here when they have run: they stay.
            if options.get("target") != "gpu":
                weakref.finalize(self, lib.sinter_program_destroy, handle.value).atexit = False
            compiler.check(lib.sinter_program_load(compiler.handle, handle, table))
            self.cached = lib.sinter_program_was_cached(handle)
        self._adopt(_abi.SinterLibrary.from_address(table.value))

    def __reduce__(self):  # a copy in another process compiles there, or finds it in the cache
        return Program, (self.text, self.path, self.options, self._backward)
