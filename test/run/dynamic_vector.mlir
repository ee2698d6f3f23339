// DEFINE: %{data} = --input=%t.g.npy --input=%t.h.npy --expect=%t.dw.npy --expect=%t.db.npy
// RUN: %python %S/Inputs/dynamic_vector.py %t 1 && sinter-run %s %{data} --stats | FileCheck %s
// RUN: %python %S/Inputs/dynamic_vector.py %t 0 && sinter-run %s %{data}
// RUN: %python %S/Inputs/dynamic_vector.py %t 1037 && sinter-run %s %{data} --policy=aggressive --threads=3
// RUN: %python %S/Inputs/dynamic_vector.py %t 70001 && sinter-run %s %{data}
// RUN: %python %S/Inputs/dynamic_vector.py %t 37 && sinter-run %s %{data} --policy=disabled

// A layer of one column, backward: its bias gets the sum of what its weights' gradient multiplies by the rows in front
// of it. A batch of any size, none too, is one kernel.

// CHECK: "kernels": 1,
func.func @main(%g: tensor<?xf32>, %h: tensor<?x19xf32>) -> (tensor<1x19xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %g, %c0 : tensor<?xf32>
  %d = tensor.empty(%n) : tensor<?x1xf32>
  %e = tensor.empty() : tensor<1x19xf32>
  %f = tensor.empty() : tensor<f32>
  %s = sinter.rowwise (i = ?) by (j = 1) ins(%g[i] : tensor<?xf32>) outs(%d[i, j] : tensor<?x1xf32>) {
  ^row(%a: f32):
    %p = math.tanh %a : f32
    %r = sinter.broadcast %p : f32 -> tensor<1xf32>
    sinter.yield %r : tensor<1xf32>
  }
  %b = sinter.rowwise (i = ?) by () ins(%s[i, 0] : tensor<?x1xf32>) reduce(add [] : f32) outs(%f[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  %y = sinter.contract (j = 1) by (k = 19)
      product (i = ?) (%s[i, j] : tensor<?x1xf32>, %h[i, k] : tensor<?x19xf32>) : f32
      outs(%e[j, k] : tensor<1x19xf32>) {
  ^row(%acc: tensor<19xf32>):
    sinter.yield %acc : tensor<19xf32>
  }
  return %y, %b : tensor<1x19xf32>, tensor<f32>
}
