"""Gradients of functions of complex numbers in a body, beside central differences in float64.

    complex_gradients.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np

FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "tanh": np.tanh, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sign": lambda x: x / abs(x),
    "conj": np.conj, "neg": np.negative, "pow": np.power, "div": np.divide, "mul": np.multiply,
    "atan2": lambda y, x: np.arctan(y / x),
}  # fmt: skip


def text(op, part, two):
    return f"""func.func @main(%y: tensor<4xf32>) -> tensor<4xf32> {{
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.map ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) (%a: f32, %o: f32) {{
    %h = arith.constant 0.5 : f32
    %b = arith.addf %a, %h : f32
    %c = complex.create %a, %h : complex<f32>
    %d = complex.create %b, %h : complex<f32>
    %f = complex.{op} %c{", %d" if two else ""} : complex<f32>
    %r = complex.{part} %f : complex<f32>
    linalg.yield %r : f32
  }}
  return %z : tensor<4xf32>
}}
"""


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    x = np.array([0.3, -1.2, 2.5, -0.7])
    np.save("x.npy", x.astype("f4"))
    np.save("ones.npy", np.ones(4, "f4"))
    wrong = 0
    for op, function in FUNCTIONS.items():
        two = op in ("pow", "div", "mul", "atan2")
        for part in ("re", "im"):
            with open(op + ".mlir", "w") as f:
                f.write(text(op, part, two))
            subprocess.run(["sinter-run", op + ".mlir", "--wrt=0", "--upstream", "--input=x.npy", "--input=ones.npy",
                            "--output=y.npy", "--output=gradient.npy", "--quiet"], check=True)  # fmt: skip
            at = lambda x: function(*([x + 0.5j, x + 0.5 + 0.5j] if two else [x + 0.5j]))
            slope = (at(x + 1e-6) - at(x - 1e-6)) / 2e-6
            want = slope.real if part == "re" else slope.imag
            if not np.allclose(np.load("gradient.npy"), want, rtol=1e-3, atol=1e-4):
                wrong += 1
                print(f"{op}, {part}: {np.load('gradient.npy')}, not {want}")
    print(f"{len(FUNCTIONS)} functions, {wrong} wrong")


main()
