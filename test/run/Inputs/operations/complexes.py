"""complex: numbers that begin and end in a body as their parts; tensors of them are no tensors of a program."""

import numpy as np

from operations.cases import case, draw
from operations.elements import TOLERANCE, generic

PARTS = ["re", "im"]


def over(op, function, ranges, text, results):
    """A body of a program on the parts of one complex number (two ranges) or two (four), in f32 and f64."""
    for dtype in ("f4", "f8"):
        ins = [draw((3, 19), dtype, *r, seed=k) for k, r in enumerate(ranges)]
        wide = [x.astype("f8") for x in ins]
        of = [re + 1j * im for re, im in zip(wide[::2], wide[1::2])]
        got = np.asarray(function(*of))
        parts = [got.real, got.imag][: len(results)] if np.iscomplexobj(got) else [got]
        wants = [x if x.dtype == bool else x.astype(dtype) for x in parts]
        lines = ["%left = complex.create %a, %b : complex<$a>"]
        lines += ["%right = complex.create %c, %d : complex<$a>"] if len(of) == 2 else []
        lines += text.splitlines()
        lines += [f"%{o} = complex.{part} %value : complex<$a>" for o, part in zip("yz", results) if part]
        rtol = 0 if wants[0].dtype == bool else 4 * TOLERANCE[wants[0].dtype.name]
        case(op, generic("\n    ".join(lines), ins, wants), ins, wants, dynamic=True, rtol=rtol)


def complex_of(op, function, *ranges):
    operands = "%left, %right" if len(ranges) == 4 else "%left"
    over(op, function, ranges, f"%value = {op} {operands} : complex<$a>", PARTS)


WIDE, SMALL, POSITIVE = (-30, 30), (-2, 2), (0.2, 3)
complex_of("complex.add", np.add, WIDE, WIDE, WIDE, WIDE)
complex_of("complex.sub", np.subtract, WIDE, WIDE, WIDE, WIDE)
complex_of("complex.mul", np.multiply, WIDE, POSITIVE, POSITIVE, WIDE)
complex_of("complex.div", np.divide, WIDE, POSITIVE, POSITIVE, WIDE)
complex_of("complex.pow", np.power, POSITIVE, POSITIVE, SMALL, SMALL)
complex_of("complex.atan2", lambda y, x: np.arctan(y / x), POSITIVE, SMALL, (4, 9), SMALL)
for name, function in {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "conj": np.conj,
    "neg": np.negative,
    "sign": lambda x: x / np.abs(x),
}.items():
    complex_of(f"complex.{name}", function, SMALL, SMALL)
for name, function in {"abs": np.abs, "angle": np.angle}.items():
    over(f"complex.{name}", function, [WIDE, WIDE], f"%y = complex.{name} %left : complex<$a>", [None])
for name, function in {"eq": np.equal, "neq": np.not_equal}.items():
    over(f"complex.{name}", function, [WIDE] * 4, f"%y = complex.{name} %left, %right : complex<$a>", [None])
SAME = "%value = complex.bitcast %left : complex<$a> to complex<$a>"
over("complex.create", lambda x: x, [WIDE, WIDE], SAME, PARTS)
over("complex.bitcast", lambda x: x, [WIDE, WIDE], SAME, PARTS)
over("complex.re", lambda x: x.real, [WIDE, WIDE], "%y = complex.re %left : complex<$a>", [None])
over("complex.im", lambda x: x.imag, [WIDE, WIDE], "%y = complex.im %left : complex<$a>", [None])
over("complex.constant", lambda x: x + (1 - 2j), [WIDE, WIDE],
     "%p = complex.constant [1.0 : $a, -2.0 : $a] : complex<$a>\n%value = complex.add %left, %p : complex<$a>", PARTS)

x, power = draw((3, 19), "f4", *SMALL, seed=3), np.arange(57, dtype="i4").reshape(3, 19) % 7 - 3
want = (x.astype("f8") * (1 + 1j)) ** power
case("complex.powi", generic("""%left = complex.create %a, %a : complex<$a>
    %value = complex.powi %left, %b : complex<$a>, $b
    %y = complex.re %value : complex<$a>
    %z = complex.im %value : complex<$a>""", [x, power], [x, x]),
     [x, power], [want.real.astype("f4"), want.imag.astype("f4")], dynamic=True, rtol=2e-4, atol=2e-5)  # fmt: skip

# Tensors of complex numbers inside of a program are linalg's loops: no kernel holds one.
case("complex.create", """  %e = tensor.empty() : tensor<3x19xcomplex<f32>>
  %both = linalg.map ins(%a, %b : $A, $B) outs(%e : tensor<3x19xcomplex<f32>>) (%re: $a, %im: $b, %o: complex<f32>) {
    %value = complex.create %re, %im : complex<f32>
    linalg.yield %value : complex<f32>
  }
  %part = tensor.extract_slice %both[1, 0] [2, 19] [1, 1] : tensor<3x19xcomplex<f32>> to tensor<2x19xcomplex<f32>>
  %f = tensor.empty() : $Y
  %y = linalg.map ins(%part : tensor<2x19xcomplex<f32>>) outs(%f : $Y) (%value: complex<f32>, %o: $y) {
    %size = complex.abs %value : complex<f32>
    linalg.yield %size : $y
  }""", [x, 2 * x], np.hypot(x, 2 * x)[1:])
