"""runtime/abi.h in ctypes, and one call of a function by it."""

import ctypes
import threading

import torch
from torch.autograd import forward_ad

ABI_VERSION = 2
ALIGNMENT = 16  # of a tensor's first element
CPU, CUDA = 1, 2  # DLDeviceType
TENSOR_BOOL, TENSOR_SHARES, SHARES_SHIFT = 1, 2, 8  # SinterTensorFlags

_DTYPES = {  # DLDataTypeCode and bits
    (2, 64): torch.float64, (2, 32): torch.float32, (2, 16): torch.float16, (4, 16): torch.bfloat16,
    (10, 8): torch.float8_e4m3fn, (12, 8): torch.float8_e5m2,
    (0, 64): torch.int64, (0, 32): torch.int32, (0, 16): torch.int16, (0, 8): torch.int8, (1, 8): torch.uint8,
}  # fmt: skip


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", DLDevice), ("ndim", ctypes.c_int32), ("dtype", DLDataType),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class SinterTensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("dtype", DLDataType), ("ndim", ctypes.c_int32), ("gradient_of", ctypes.c_int32),
        ("flags", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
    ]  # fmt: skip


_SHAPES = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_PREPARE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class SinterExtension(ctypes.Structure):
    _fields_ = [("shapes", _SHAPES)]


class SinterFunction(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("device", ctypes.c_int32), ("num_inputs", ctypes.c_int32),
        ("num_outputs", ctypes.c_int32),
        ("reserved", ctypes.c_int32), ("inputs", ctypes.POINTER(SinterTensor)),
        ("outputs", ctypes.POINTER(SinterTensor)),
        ("workspace_bytes", ctypes.c_int64), ("packed", ctypes.c_void_p), ("call", _CALL),
        ("extension", ctypes.POINTER(SinterExtension)),
    ]  # fmt: skip


class SinterStats(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_int64), ("library_calls", ctypes.c_int64), ("bytes_temporary", ctypes.c_int64)]


class SinterLibraryExtension(ctypes.Structure):
    _fields_ = [("prepare", _PREPARE), ("device_status",
                                        ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_char_p)))]


class SinterLibrary(ctypes.Structure):
    _fields_ = [
        ("abi_version", ctypes.c_int32), ("num_functions", ctypes.c_int32),
        ("functions", ctypes.POINTER(SinterFunction)),
        ("last_error", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        ("stats", ctypes.CFUNCTYPE(None, ctypes.POINTER(SinterStats))),
        ("set_threads", ctypes.CFUNCTYPE(None, ctypes.c_int32)), ("set_parallel", ctypes.c_void_p),
        ("extension", ctypes.POINTER(SinterLibraryExtension)),
    ]  # fmt: skip


SIZE_OF_DATA = -(2**63)  # SINTER_SIZE_OF_DATA
WORDS = 6  # of 8 bytes in a DLTensor
assert ctypes.sizeof(DLTensor) == 8 * WORDS and ctypes.sizeof(SinterTensor) == 32 and ctypes.sizeof(
    SinterFunction) == 72 and ctypes.sizeof(SinterLibrary) == 56


class Error(RuntimeError):
    """A call that the library refused or did not finish: its message, and status, a SinterStatus."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class ArgumentError(Error, ValueError):
    """A tensor that the library's table does not allow."""


def error_of(status, message):
    return (ArgumentError if status == 2 else Error)(status, message)


class Argument:
    """An argument or a result, as the table has it; a size of -1 is any."""

    def __init__(self, what, index, raw):
        self.name = raw.name.decode() if raw.name else ""
        self.shape = tuple(raw.shape[d] for d in range(raw.ndim))
        self.dtype = torch.bool if raw.flags & TENSOR_BOOL else _DTYPES[raw.dtype.code, raw.dtype.bits]
        self.gradient_of = raw.gradient_of
        self.shares = raw.flags >> SHARES_SHIFT if raw.flags & TENSOR_SHARES else None  # an input, which it is
        self.who = f"{what} {index}" + (f" ({self.name})" if self.name else "")
        self.code = raw.dtype
        self.static = -1 not in self.shape
        self.sizes = ctypes.cast(raw.shape, ctypes.c_void_p).value  # of a static shape: the table's own

    def __repr__(self):
        sizes = ", ".join("?" if n < 0 else str(n) for n in self.shape)
        return f"{self.name + ': ' if self.name else ''}{str(self.dtype)[6:]}[{sizes}]"

    def fits(self, shape):
        if len(shape) != len(self.shape):
            return False
        for want, n in zip(self.shape, shape):
            if want != n and want != -1:
                return False
        return True


_functorch = torch._C._functorch
_MODES = torch._C._TorchDispatchModeKey
_PLAIN = {torch.Tensor, torch.nn.Parameter, torch.nn.Buffer}  # subclasses are looked at more closely


def _without_memory(t):
    """What a tensor is that only stands for others, in words; None for one with memory of its own."""
    if _functorch.is_functorch_wrapped_tensor(t):
        return "a tensor of torch.func (vmap, grad, jacrev and their kin do not go through a compiled library)"
    if t.is_nested:
        return "a nested tensor"
    own = type(t).__torch_dispatch__
    return None if own is torch._C._disabled_torch_dispatch_impl else f"a {type(t).__name__}"


def stands_apart():
    """Whether calls may be anything but run: under torch.func, a dispatch mode, a tracer, forward mode."""
    return (
        _functorch.peek_interpreter_stack() is not None
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._get_tracing_state() is not None
        or forward_ad._current_level >= 0
    )


def _recorder():
    """What records operations instead of running them, if anything: a library's results would be no part of it."""
    if torch._C._get_tracing_state() is not None:
        return "torch.jit.trace"
    for key, name in ((_MODES.PROXY, "make_fx or torch.export"), (_MODES.FAKE, "FakeTensorMode")):
        if torch._C._get_dispatch_mode(key) is not None:
            return name
    return None


def refuse_stand_ins(name, arguments, tensors):
    """Refuses tensors that have no memory or mean more than is in it, and calls that are recorded rather than run."""
    recorder = _recorder()
    if recorder:
        raise RuntimeError(f"{name} runs a compiled library, which {recorder} cannot record: call it outside")
    for a, t in zip(arguments, tensors):
        if not isinstance(t, torch.Tensor):
            raise TypeError(f"{name}: {a.who} is a {type(t).__name__}, expected a tensor")
        why = _without_memory(t)
        if why:
            raise TypeError(f"{name}: {a.who} is {why}, which has no memory that a library could read")
        if forward_ad._current_level >= 0 and forward_ad.unpack_dual(t).tangent is not None:
            raise RuntimeError(f"{name}: {a.who} has a tangent of forward mode, and the library has gradients of "
                               # fmt: skip
                               "reverse mode only: use backward(), or give forward_ad.unpack_dual(x).primal")


def _row_major(shape, strides):
    want = 1
    for n, stride in zip(reversed(shape), reversed(strides)):
        if n != 1 and stride != want:
            return False
        want *= n
    return True


def _strides(shape):
    strides, want = [], 1
    for n in reversed(shape):
        strides.append(want)
        want *= n
    return tuple(reversed(strides))


class Frame:
    """The structs of a call. A call has read them when it returns, so each thread keeps one for each function."""

    def __init__(self, row):
        table, count = row.table, max(1, len(row.table))
        self.structs, self.pointers = (DLTensor * count)(), (ctypes.c_void_p * count)()
        self.dynamic = [i for i, a in enumerate(table) if not a.static]
        self.sizes = (ctypes.c_int64 * max(1, sum(len(table[i].shape) for i in self.dynamic)))()
        self.device = 0
        self.given = None  # sizes of the last call's inputs, and what its results were
        self.made = [(a.shape, a.dtype) for a in row.outputs]
        own = ctypes.addressof(self.sizes)
        for i, a in enumerate(table):
            d = self.structs[i]
            d.device.device_type, d.ndim, d.dtype, d.shape = (CUDA if row.cuda else CPU), len(a.shape), a.code, a.sizes
            if not a.static:
                d.shape = own
                own += 8 * len(a.shape)
            self.pointers[i] = ctypes.addressof(d)
        # The same memory in words of 8 bytes: data is the first of a struct, the device the second.
        self.words = (ctypes.c_int64 * (WORDS * len(table))).from_address(ctypes.addressof(self.structs))
        self.inputs = ctypes.addressof(self.pointers)
        self.outputs = self.inputs + len(row.inputs) * ctypes.sizeof(ctypes.c_void_p)

    def fill(self, shapes):
        """Sizes of arguments and results where the table leaves them open."""
        at = 0
        for i in self.dynamic:
            for n in shapes[i]:
                self.sizes[at] = n
                at += 1


# Of one tensor: what Row.take asks, and in its order.
_CHECK = """
        if (type(x{i}) not in plain or x{i}.dtype is not dtype{i} or x{i}.layout is not strided or not x{i}.{here}
                or x{i}.is_nested or x{i}.is_neg() or x{i}.shape != shape{i} or not x{i}.is_contiguous()):
            return None
"""
_ADDRESS = """
    p{i} = words[{at}] = x{i}.data_ptr()
    if not p{i}:
        return None
"""
# What asks as much of all tensors at once: torch.compile's own check that a call's tensors are like others in type,
# dtype, device, sizes, strides, and in all that decides who runs an operation on them, modes and autograd too.
_Guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
_Guards = getattr(_Guards, "TensorGuards", None)
MOST_GUARDS = 8  # of a function: calls whose tensors are now of this kind and now of that are looked at one by one


def _never(*tensors):
    return False


class _Alike:
    """Whether a call's tensors are like those of a call before, which Row.take would take as they are."""

    def __init__(self):
        self.check, self.made = _never, 0

    def learn(self, tensors):
        """These are what nearly every call has, and none requires a gradient: one that does is then not like them.
        Nothing of them is kept but what they are."""
        if _Guards is None or self.made == MOST_GUARDS:
            return
        self.made += 1
        try:
            self.check = _Guards(*tensors, dynamic_dims_sizes=[list(t.shape) for t in tensors],
                                 dynamic_dims_strides=[list(t.stride()) for t in tensors]).check  # fmt: skip
        except (TypeError, SystemError, RuntimeError):  # it belongs to PyTorch, which may change it
            self.check, self.made = _never, MOST_GUARDS


def _straight(row):
    """Row.run of a library whose sizes are all known, as one function without loops, made for this row: a small
    program's call takes less than what loops over its tensors would. It answers None for what is not the common case,
    before anything has run; where `recorded`, also for what autograd would have to know of."""
    n, own = len(row.inputs), [i for i, a in enumerate(row.outputs) if a.shares is None]
    kinds = [(row.outputs[i].shape, row.outputs[i].dtype) for i in own]
    if row.cuda and row.raw.workspace_bytes:
        kinds.append(((row.raw.workspace_bytes,), torch.uint8))
    likes = {}  # by device: what results are like

    def new_likes(device):
        made = [torch.empty(shape, dtype=dtype, device=f"cuda:{device}" if row.cuda else "cpu")
                for shape, dtype in kinds]  # fmt: skip
        for m in made:
            m.untyped_storage().resize_(0)  # what it is like is asked, and nothing is in it
        return likes.setdefault(device, made)

    all_ = "".join(f"x{i}, " for i in range(n))
    text = f"""def run(tensors, recorded=False):
    if len(tensors) != {n} or dispatched() > 0 or forward_ad._current_level >= 0:
        return None
    {all_} = tensors
    if not alike.check({all_}):
        if interpreter() is not None or tracing() is not None:
            return None
"""
    known = {
        "plain": _PLAIN, "strided": torch.strided, "interpreter": _functorch.peek_interpreter_stack,
        "dispatched": torch._C._len_torch_dispatch_stack, "tracing": torch._C._get_tracing_state,
        "forward_ad": forward_ad, "frames": row.frames, "new_frame": row.frame, "like": torch.empty_like,
        "alike": _Alike(), "grads": torch.is_grad_enabled, "call": row.raw.call, "failed": row.failed,
        "likes": likes, "new_likes": new_likes, "stream": _stream,
    }  # fmt: skip
    for i, a in enumerate(row.inputs):
        known[f"dtype{i}"], known[f"shape{i}"] = a.dtype, torch.Size(a.shape)
        text += _CHECK.format(i=i, here="is_cuda" if row.cuda else "is_cpu")
    text += f"""
        if {" or ".join(f"x{i}.requires_grad" for i in range(n))}:  # also where none are recorded now: a later call is
            if recorded and grads():
                return None
        else:
            alike.learn(tensors)
    frame = getattr(frames, "frame", None) or new_frame()
    words = frame.words
"""
    text += "".join(_ADDRESS.format(i=i, at=i * WORDS) for i in range(n))
    if row.cuda:  # all on one device, which the frame is of: another one is Row.run's
        text += "    device = x0.get_device()\n    if device != frame.device"
        text += "".join(f" or x{i}.get_device() != device" for i in range(1, n)) + ":\n        return None\n"
    else:
        text += "    device = 0\n"
    text += "    made = likes.get(device) or new_likes(device)\n" if kinds else ""
    for i, a in enumerate(row.outputs):
        if a.shares is not None:
            text += f"    y{i} = x{a.shares}\n    words[{(n + i) * WORDS}] = p{a.shares}\n"
            continue
        text += f"    y{i} = like(made[{own.index(i)}])\n    words[{(n + i) * WORDS}] = y{i}.data_ptr()\n"
    if row.cuda:
        workspace = len(kinds) > len(own)
        text += "    workspace = like(made[-1])\n" if workspace else ""
        given = "stream(device), " + ("workspace.data_ptr()" if workspace else "None")
    else:
        given = "None, None"
    text += f"""    status = call(frame.inputs, frame.outputs, {given})
    if status:
        failed(status)
    return [{", ".join(f"y{i}" for i in range(len(row.outputs)))}]
"""
    exec(text, known)
    return known["run"]


def _stream(device):
    """PyTorch's current stream of a CUDA device, as the driver knows it."""
    return torch.cuda.current_stream(device).cuda_stream


# The same, without an object around it.
_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _stream)


class Row:
    """A function of the table: every argument in, every result out, and nothing of autograd."""

    def __init__(self, raw, library):
        self.raw, self.library = raw, library
        self.name = raw.name.decode()
        self.cuda = raw.device == CUDA
        self.inputs = [Argument("input", i, raw.inputs[i]) for i in range(raw.num_inputs)]
        self.outputs = [Argument("output", i, raw.outputs[i]) for i in range(raw.num_outputs)]
        self.shapes = raw.extension.contents.shapes if raw.extension else None
        self.table = tuple(self.inputs + self.outputs)
        self.frames = threading.local()
        here = torch.Tensor.is_cuda.__get__ if self.cuda else torch.Tensor.is_cpu.__get__
        static = self.inputs and all(a.static for a in self.table) and not stands_apart()
        self.straight = _straight(self) if static else None
        self.quick = [(a.dtype, here, a.shape.__eq__ if a.static else a.fits) for a in self.inputs]

    def __repr__(self):
        return f"{self.name}({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))})"

    def take(self, tensors):
        """The tensors as the library reads their memory, and their device; refuses what the table does not allow."""
        if not tensors or len(tensors) != len(self.quick) or stands_apart():
            return self.take_slowly(tensors)
        # What nearly every call is. The order matters: only a strided tensor knows whether it is contiguous.
        for (dtype, here, fits), t in zip(self.quick, tensors):
            if type(t) not in _PLAIN or t.dtype is not dtype or t.layout is not torch.strided or not here(t):
                return self.take_slowly(tensors)
            if t.is_nested or t.is_neg() or not fits(t.shape) or not t.is_contiguous():
                return self.take_slowly(tensors)
            if self.cuda and t.device != tensors[0].device:
                return self.take_slowly(tensors)
        return tensors, tensors[0].device

    def take_slowly(self, tensors):
        device = self.check(tensors)
        return [t.resolve_neg() for t in tensors], device

    def check(self, tensors):
        """Refuses what the table does not allow; the device of the call."""
        if len(tensors) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} tensors, and was given {len(tensors)}: {self!r}")
        refuse_stand_ins(self.name, self.inputs, tensors)
        device = None
        for a, t in zip(self.inputs, tensors):
            if t.dtype is not a.dtype:
                raise TypeError(f"{self.name}: {a.who} is {t.dtype}, expected {a.dtype}")
            if t.layout is not torch.strided:
                raise TypeError(f"{self.name}: {a.who} is {t.layout}, expected {torch.strided}")
            if t.device.type != ("cuda" if self.cuda else "cpu"):
                built = "--target=gpu" if self.cuda else "--target=cpu"
                where = "CUDA" if self.cuda else "the CPU"
                raise ValueError(f"{self.name}: {a.who} is on {t.device}, expected {where}: "
                                 f"the library was compiled with {built}")  # fmt: skip
            if device is not None and t.device != device:
                raise ValueError(f"{self.name}: {a.who} is on {t.device}, input 0 on {device}")
            device = t.device
            if not a.fits(t.shape):
                want = ", ".join("?" if n < 0 else str(n) for n in a.shape)
                raise ValueError(f"{self.name}: {a.who} has shape {list(t.shape)}, expected [{want}]")
            if not t.is_contiguous() and not _row_major(t.shape, t.stride()):
                raise ValueError(
                    f"{self.name}: {a.who} has strides {t.stride()}, expected {_strides(t.shape)}: call .contiguous()"
                )
        return device or torch.device("cuda", torch.cuda.current_device()) if self.cuda else torch.device("cpu")

    def frame(self):
        frame = getattr(self.frames, "frame", None)
        if frame is None:
            frame = self.frames.frame = Frame(self)
        return frame

    def output_shapes(self, tensors):
        if self.shapes is None:
            return [a.shape for a in self.outputs]
        given = [n for t in tensors for n in t.shape]
        ranks = [len(a.shape) for a in self.outputs]
        inputs, sizes = (ctypes.c_int64 * max(1, len(given)))(*given), (ctypes.c_int64 * max(1, sum(ranks)))()
        self.shapes(ctypes.addressof(inputs), ctypes.addressof(sizes))
        shapes, at = [], 0
        for a, rank in zip(self.outputs, ranks):
            shapes.append(tuple(sizes[at : at + rank]))
            at += rank
            if SIZE_OF_DATA in shapes[-1]:
                raise ValueError(
                    f"{self.name}: {a.who} has sizes that depend on elements of the inputs, and PyTorch has to know "
                    f"them before the call: dimension {shapes[-1].index(SIZE_OF_DATA)}; return a tensor of the largest "
                    f"size, and the count"
                )
            if min(shapes[-1], default=0) < 0:
                raise ValueError(f"{self.name}: {a.who} would have shape {list(shapes[-1])}")
        return shapes

    def run(self, tensors, prepare=False):
        """A call on PyTorch's current stream; with prepare, only what a first call does before its launches."""
        results = self.straight(tensors) if self.straight and not prepare else None
        if results is not None:
            return results
        tensors, device = self.take(tensors)
        frame = self.frame()
        if frame.dynamic:
            given = [t.shape for t in tensors]
            if frame.given != given:
                frame.given = None  # while its sizes are not those of any call
                frame.made = list(zip(self.output_shapes(tensors), (a.dtype for a in self.outputs)))
                frame.fill(given + [shape for shape, _ in frame.made])
                frame.given = given
        results = [
            torch.empty(shape, dtype=dtype, device=device) if a.shares is None else tensors[a.shares]
            for a, (shape, dtype) in zip(self.outputs, frame.made)
        ]
        words, at = frame.words, 0
        for t in tensors:
            p = words[at] = t.data_ptr()
            if not p and t.numel():
                raise TypeError(f"{self.name}: {self.table[at // WORDS].who} has {t.numel()} elements and no memory")
            at += WORDS
        for t in results:
            words[at] = t.data_ptr()
            at += WORDS
        if self.cuda and frame.device != device.index:
            frame.device = device.index
            for i in range(1, len(words), WORDS):
                words[i] = CUDA | device.index << 32
        inputs, outputs = frame.inputs, frame.outputs
        if prepare:
            extension = self.library.table.extension
            status = extension.contents.prepare(ctypes.addressof(self.raw), inputs, outputs) if extension else 0
        elif self.cuda:
            # The caching allocator hands freed memory out again in the order of the stream.
            bytes_ = self.raw.workspace_bytes
            workspace = torch.empty(bytes_, dtype=torch.uint8, device=device) if bytes_ else None
            status = self.raw.call(inputs, outputs, _stream(device.index), workspace.data_ptr() if bytes_ else None)
        else:
            status = self.raw.call(inputs, outputs, None, None)
        if status:
            self.failed(status)
        return results

    def failed(self, status):
        raise error_of(status, self.library.table.last_error().decode())
