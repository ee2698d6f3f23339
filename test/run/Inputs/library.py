"""A library of sinter-cc's, called on NumPy arrays by the ABI's table: ctypes alone, nothing of ours between.

bf16 is uint16, i1 is bool. load(path)["name"](x, y) gives the list of results, or raises Failed with the library's
message.
"""

import ctypes as c

import numpy as np


class DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", c.c_int32 * 2), ("ndim", c.c_int32), ("dtype", c.c_uint8 * 4),
                ("shape", c.c_void_p), ("strides", c.c_void_p), ("byte_offset", c.c_uint64)]  # fmt: skip


class Tensor(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_uint8 * 4), ("ndim", c.c_int32), ("gradient_of", c.c_int32),
                ("flags", c.c_int32),
                ("shape", c.POINTER(c.c_int64))]  # fmt: skip


class Function(c.Structure):
    _fields_ = [("name", c.c_char_p), ("device", c.c_int32), ("inputs_n", c.c_int32), ("outputs_n", c.c_int32),
                ("reserved", c.c_int32),
                ("inputs", c.POINTER(Tensor)), ("outputs", c.POINTER(Tensor)), ("workspace", c.c_int64),
                ("packed", c.c_void_p),
                # fmt: skip
                ("call", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p)),
                ("extension", c.c_void_p)]


class Table(c.Structure):
    _fields_ = [("version", c.c_int32), ("n", c.c_int32), ("functions", c.POINTER(Function)),
                ("error", c.CFUNCTYPE(c.c_char_p))]


class Failed(Exception):
    pass


def _aligned(shape, dtype):
    memory = np.full(int(np.prod(shape)) * np.dtype(dtype).itemsize + 64, 0xA5, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : memory.size - 64 + start].view(dtype).reshape(shape)


def _dtype(t):
    if t.flags & 1:
        return np.dtype(np.bool_)
    code, bits = t.dtype[0], t.dtype[1]
    return np.dtype(np.uint16 if code == 4 else f"{'iufxx'[code]}{bits // 8}")


def _run(library, f, arrays, shapes):
    ins = [f.inputs[i] for i in range(f.inputs_n)]
    outs = [f.outputs[i] for i in range(f.outputs_n)]
    results = [_aligned(shapes[i] if shapes else [t.shape[d] for d in range(t.ndim)],
                        _dtype(t)) for i, t in enumerate(outs)]
    given, all_tensors = [], []
    for t, x in zip(ins + outs, list(arrays) + results):
        if len(given) < len(ins):
            assert x.dtype == _dtype(t), f"{x.dtype} where the library takes {_dtype(t)}"
            y = _aligned(x.shape, x.dtype)
            y[...] = x
            x = y
        given.append(x)
        sizes = (c.c_int64 * max(1, x.ndim))(*x.shape)
        all_tensors.append((DLTensor(x.ctypes.data, (1, 0), x.ndim, t.dtype, c.addressof(sizes), None, 0), sizes))
    pointers = (c.c_void_p * len(all_tensors))(*[c.addressof(d) for d, _ in all_tensors])
    where = c.addressof(pointers)
    if f.call(where, where + 8 * len(ins), None, None):
        raise Failed(library.error().decode())
    return results


def load(path):
    handle = c.CDLL(path)
    table = Table.in_dll(handle, "sinter_library")
    functions = {}
    for i in range(table.n):
        f = table.functions[i]
        functions[f.name.decode()] = lambda *x, f=f, shapes=None: _run(table, f, x, shapes)
    functions["handle"] = handle
    return functions
