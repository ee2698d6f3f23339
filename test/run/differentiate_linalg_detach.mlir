// RUN: sinter-run %s --verify
// RUN: sinter-run %s --wrt=0 --input=%S/Inputs/differentiate/softmax_detach_in0.npy --output=%t.loss.npy --output=%t.dx.npy
// RUN: %python -c "import numpy as np, sys; x, dx = map(np.load, sys.argv[1:]); assert (dx == x).all()" %S/Inputs/differentiate/softmax_detach_in0.npy %t.dx.npy

// A detach in linalg, as sinter_torch writes PyTorch's: the gradient of sum(x * detach(x)) is x.

func.func @main(%x: tensor<4x8xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %k = linalg.map { sinter.detach } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %p = linalg.mul ins(%x, %k : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<4x8xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %l : tensor<f32>
}
