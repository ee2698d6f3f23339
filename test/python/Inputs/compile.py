"""sinter_torch.compile of programs in text: argv[1] is a folder for the cache."""
import copy
import gc
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import warnings

import torch
from check import agree, refuses

import sinter_torch

folder = sys.argv[1]
torch.manual_seed(11)

MSE = """
func.func @main(%x: tensor<?x3xf32> {sinter.name = "x"}, %y: tensor<?x3xf32> {sinter.name = "y"}) -> tensor<f32> {
  %loss = sinter.mse(%x, %y) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}"""
x, y = torch.randn(4, 3, requires_grad=True), torch.randn(4, 3)

# Example arguments say what a gradient is wanted of; sizes ? are those of each call.
f = sinter_torch.compile(MSE, (x, y), cache=folder)
assert repr(f) == "compiled main(x: float32[?, 3], y: float32[?, 3]) -> (float32[]), gradients of x: multiply", repr(f)
for n in (4, 1, 37):
    x, y = torch.randn(n, 3, requires_grad=True), torch.randn(n, 3)
    (3 * f(x, y)).backward()
    got, x.grad = x.grad, None
    (3 * torch.nn.functional.mse_loss(x, y)).backward()
    agree(got, x.grad, 1e-6)
with torch.no_grad():
    agree(f(y=y, x=x), torch.nn.functional.mse_loss(x, y), 1e-6)
assert not f(x.detach(), y).requires_grad
refuses(RuntimeError, "input 1 (y) requires a gradient", lambda: f(x, y.clone().requires_grad_()))
refuses(TypeError, "missing y", lambda: f(x=x))
refuses(TypeError, "no argument 'z'", lambda: f(x, z=y))
refuses(ValueError, "has shape [4, 2]", lambda: f(torch.zeros(4, 2), y))

# By number and by name; of values that are no one number, with an upstream.
TANH = """
func.func @main(%x: tensor<5x7xf32> {sinter.name = "x"}, %w: tensor<7xf32> {sinter.name = "w"}) -> tensor<5x7xf32> {
  %s = tensor.empty() : tensor<5x7xf32>
  %b = linalg.broadcast ins(%w : tensor<7xf32>) outs(%s : tensor<5x7xf32>) dimensions = [0]
  %p = arith.mulf %x, %b : tensor<5x7xf32>
  %y = math.tanh %p : tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}"""
for wrt in ([0, 1], ["w"], 1):
    g = sinter_torch.compile(TANH, wrt=wrt, cache=None)
    x, w, upstream = torch.randn(5, 7), torch.randn(7, requires_grad=True), torch.randn(5, 7)
    x.requires_grad_(wrt == [0, 1])
    g(x, w).backward(upstream)
    got, w.grad, x.grad = [w.grad, x.grad], None, None
    torch.tanh(x * w).backward(upstream)
    agree(got[0], w.grad, 1e-5)
    if wrt == [0, 1]:
        agree(got[1], x.grad, 1e-5)
refuses(ValueError, "no argument 'v', only x, w", lambda: sinter_torch.compile(TANH, wrt="v", cache=None))
refuses(ValueError, "no argument 2", lambda: sinter_torch.compile(TANH, wrt=2, cache=None))

# A name that the text alone has, and another result than the first.
TWO = """
func.func @main(%a: tensor<5x7xf32>, %b: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %p = arith.mulf %a, %b : tensor<5x7xf32>
  %y = math.tanh %p : tensor<5x7xf32>
  return %p, %y : tensor<5x7xf32>, tensor<5x7xf32>
}"""
g = sinter_torch.compile(TWO, wrt="b", result=1, cache=None)
a, b, upstream = torch.randn(5, 7), torch.randn(5, 7, requires_grad=True), torch.randn(5, 7)
g(a, b)[1].backward(upstream)
got, b.grad = b.grad, None
torch.tanh(a * b).backward(upstream)
agree(got, b.grad, 1e-5)
refuses(RuntimeError, "differentiated by 'c', and its arguments are a, b",
        lambda: sinter_torch.compile(TWO, wrt="c", cache=None))
refuses(ValueError, "no result 2, only 2", lambda: sinter_torch.compile(TWO, wrt="b", result=2, cache=None))

UNNAMED = re.sub("{sinter.name = .x.}|{sinter.name = .y.}", "", MSE)
refuses(ValueError, "no argument 2, only 0, 1", lambda: sinter_torch.compile(UNNAMED, wrt=2, cache=None))

# A loss of one's own, in the text.
OWN = """
sinter.define @fourth(%input: tensor<?xf32>, %target: tensor<?xf32>)
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "fourth powers", formula = "(x - t)^4"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %s = arith.mulf %d, %d : tensor<?xf32>
  %l = arith.mulf %s, %s : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}
func.func @main(%x: tensor<6x5xf32>, %t: tensor<6x5xf32>) -> tensor<f32> {
  %l = sinter.apply @fourth(%x, %t) {reduction = "sum"} : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<f32>
  return %l : tensor<f32>
}"""
x, t = torch.randn(6, 5, requires_grad=True), torch.randn(6, 5)
own = sinter_torch.compile(OWN, (x, t), cache=None)
own(x, t).backward()
agree(x.grad, 4 * (x.detach() - t) ** 3, 1e-5)

# Several functions, none of them main; a program in a file.
SEVERAL = """
func.func @double(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.mulf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}"""
refuses(TypeError, "several functions, choose with entry=: double, square",
        lambda: sinter_torch.compile(SEVERAL, cache=None))
assert sinter_torch.compile(SEVERAL, cache=None, entry="square")(torch.tensor([3.0, 4])).tolist() == [9, 16]
path = pathlib.Path(folder, "square.mlir")
path.write_text(SEVERAL.split("}")[1] + "}")
assert sinter_torch.compile(path, cache=None)(torch.tensor([3.0, 4])).tolist() == [9, 16]

# What is wrong is an exception with the place.
refuses(sinter_torch.CompileError, "program.mlir:1:12: error: @ identifier",
        lambda: sinter_torch.compile("func.func @", cache=None))
refuses(sinter_torch.CompileError, "policy: 'most' is not a policy",
        lambda: sinter_torch.compile(MSE, cache=None, policy="most"))
refuses(sinter_torch.CompileError, "there is no option colour",
        lambda: sinter_torch.compile(MSE, cache=None, colour="red"))
refuses(TypeError, "not a int", lambda: sinter_torch.compile(3))
refuses(TypeError, "arguments are tensors, not int", lambda: sinter_torch.compile(MSE, (3,)))
refuses(TypeError, "a module is compiled for example arguments", lambda: sinter_torch.compile(torch.nn.Linear(2, 2)))
refuses(TypeError, "a program in text says them itself", lambda: sinter_torch.compile(MSE, loss="mse"))
refuses(TypeError, "input 0 (x) is torch.float64", lambda: sinter_torch.compile(MSE, (x.double(), t), cache=None))
refuses(ValueError, "the arguments are on meta", lambda: sinter_torch.compile(MSE, (x.to("meta"), t), cache=None))

# The cache, here and in another process, which needs no compiler to have run before.
again = sinter_torch.compile(MSE, (torch.randn(4, 3, requires_grad=True), y[:4]), cache=folder)
assert again.library.cached and not sinter_torch.compile(MSE, cache=folder, policy="aggressive").library.cached
program = pickle.loads(pickle.dumps(again.library))
assert program.cached and float(program.main(torch.ones(1, 3), torch.zeros(1, 3))) == 1
assert copy.deepcopy(program) is program

# A folder that cannot be is said, and the program is compiled.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    kept_nowhere = sinter_torch.compile(MSE, cache="/dev/null/cache").library
assert float(kept_nowhere.main(torch.ones(1, 3), torch.zeros(1, 3))) == 1
assert len(said) == 1 and "the cache /dev/null/cache cannot be made" in str(said[0].message), [str(w) for w in said]

# A program goes when its last function does; calls from several threads.
main = sinter_torch.compile(MSE, cache=folder).library.main
gc.collect()
results = [None] * 4
a, b = torch.randn(64, 3), torch.randn(64, 3)


def call(i):
    results[i] = [float(main(a, b)) for _ in range(50)]


threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len({r for rs in results for r in rs}) == 1
descriptors = len(os.listdir("/proc/self/fd"))
for _ in range(20):
    sinter_torch.compile(MSE, cache=folder)
gc.collect()
assert len(os.listdir("/proc/self/fd")) <= descriptors + 1

# A library that is not there; a module where torch-mlir is not.
code = "import sinter_torch; sinter_torch.compile('module {}')"
done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "SINTER_COMPILER": "/nowhere/lib.so"},
                      capture_output=True, text=True)
assert "ImportError: sinter_torch.compile needs Sinter's compiler" in done.stderr and "/nowhere" in done.stderr
sys.modules["torch_mlir"] = None
refuses(ImportError, "through torch-mlir, and there is none here",
        lambda: sinter_torch.compile(torch.nn.Linear(2, 2), torch.zeros(1, 2)))
print("all right")
