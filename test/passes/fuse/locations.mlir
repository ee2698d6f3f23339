// RUN: sinter-opt --sinter-fuse --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s

// A fused kernel stands for both of its parts, and each operation still for its own line.

// CHECK: math.exp {{.+}} loc("model.py":7:1)
// CHECK: sinter.row_reduce add {{.+}} loc("model.py":8:1)
// CHECK: } loc(fused["model.py":3:1, "model.py":4:1])
func.func @main(%x: tensor<3x5xf32>) -> tensor<3xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<3xf32>
  %a = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32> loc("model.py":7:1)
    sinter.yield %c : tensor<5xf32>
  } loc("model.py":3:1)
  %b = sinter.rowwise (i = 3) by (j = 5) ins(%a[i, j] : tensor<3x5xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce add %r : tensor<5xf32> -> f32 loc("model.py":8:1)
    sinter.yield %c : f32
  } loc("model.py":4:1)
  return %b : tensor<3xf32>
}
