"""What a case is: a small program that has an operation, its inputs, and what NumPy makes of them.

A body is text in which $A is the type of the first input and $a that of its elements, $Y and $y those of the first
result; inputs are %a, %b, ..., results are %y, %z, ... bf16 is uint16, as in library.py.
"""

import string
from dataclasses import dataclass, field

import numpy as np

ELEMENTS = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "uint16": "bf16",
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
}
RESULTS = "yzvw"


def bf16(x):
    """The nearest bf16 of float32, ties to even, as bits."""
    x = np.asarray(x, np.float32)
    bits = np.atleast_1d(x).view(np.uint32)
    return ((bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) >> 16).astype(np.uint16).reshape(x.shape)


def numbers(x):
    """The values of an array; of bf16, those that its bits mean."""
    if x.dtype != np.uint16:
        return x
    return np.left_shift(np.atleast_1d(x), 16, dtype=np.uint32).view(np.float32).reshape(x.shape)


def element(x):
    return ELEMENTS[x.dtype.name]


def tensor(x, dynamic=False):
    return "tensor<" + "".join("?x" if dynamic else f"{n}x" for n in x.shape) + element(x) + ">"


@dataclass
class Case:
    op: str
    body: str
    ins: list
    wants: list
    dynamic: bool = False
    rtol: float = 2e-5
    atol: float = 2e-6
    module: str = ""  # what stands beside the function
    words: dict = field(default_factory=dict)  # what else the body names in braces

    def function(self, name):
        """The function's text."""
        types = {chr(97 + k): x for k, x in enumerate(self.ins)} | dict(zip(RESULTS, self.wants))
        words = {n.upper(): tensor(x, self.dynamic) for n, x in types.items()}
        words |= {n: element(x) for n, x in types.items()} | self.words
        words |= {f"S{n.upper()}": tensor(x) for n, x in types.items()}
        arguments = ", ".join(f"%{chr(97 + k)}: {tensor(x, self.dynamic)}" for k, x in enumerate(self.ins))
        results = ", ".join(tensor(x, self.dynamic) for x in self.wants)
        names = ", ".join(f"%{RESULTS[k]}" for k in range(len(self.wants)))
        text = string.Template(
            f"{self.module}\nfunc.func @{name}({arguments}) -> ({results}) {{\n{self.body}\n"
            f"  {'' if '^end' in self.body else f'return {names} : {results}'}\n}}\n"
        )
        return text.substitute(words)

    def right(self, got):
        """Whether the results are the numbers that are wanted."""
        for x, want in zip(got, self.wants, strict=True):
            x, want = numbers(x), numbers(want)
            if x.shape != want.shape:
                return False
            if want.dtype.kind != "f":
                if not np.array_equal(x, want):
                    return False
                continue
            with np.errstate(all="ignore"):
                if not np.allclose(x, want, self.rtol, self.atol, equal_nan=True):
                    return False
        return True


CASES = []
CANNOT = {}  # what is no operation of programs on tensors, and why
REFUSED = {}  # what is an error, and part of its text

# What leaves work to the host of a GPU: loops and branches, single elements.
ON_HOST = """
    affine.apply affine.delinearize_index affine.for affine.if affine.linearize_index affine.max affine.min
    affine.parallel affine.yield cf.assert cf.cond_br cf.switch linalg.winograd_filter_transform
    linalg.winograd_input_transform linalg.winograd_output_transform scf.condition scf.for scf.forall
    scf.forall.in_parallel scf.if scf.index_switch scf.parallel scf.reduce scf.reduce.return scf.while scf.yield
    tensor.extract tensor.from_elements tensor.insert tensor.parallel_insert_slice tensor.reshape tensor.splat
    tosa.cond_if tosa.scatter tosa.while_loop tosa.yield
""".split()


def case(op, body, ins, wants, **more):
    """A program for an operation. wants is an array or a list of them."""
    wants = wants if isinstance(wants, list) else [wants]
    CASES.append(Case(op, body, ins, [np.asarray(w) for w in wants], **more))


def cannot(why, *ops):
    CANNOT.update(dict.fromkeys(ops, why))


def refused(error, *ops):
    REFUSED.update(dict.fromkeys(ops, error))


def draw(shape, dtype="f4", low=-2.0, high=2.0, seed=0):
    """Floats between low and high, integers between both, bools."""
    rng = np.random.default_rng(seed + sum(shape) * 7)
    if dtype == "bf16":
        return bf16(rng.uniform(low, high, shape))
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < 0.5
    if kind.kind in "iu":
        return rng.integers(int(low), int(high), shape, endpoint=True).astype(kind)
    return rng.uniform(low, high, shape).astype(kind)
