// RUN: sinter-run %s --shape=2x4 --shape=2x1x3 --verify
// RUN: not sinter-run %s --shape=2x4 --shape=2x6x3 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=2x4 --shape=2x6x3 --policy=disabled 2>&1 | FileCheck %s

// torch-mlir computes a reshape's sizes in the program. Where those are more elements than there are, nothing is read
// beyond the operand's end.

// CHECK: error: main: reshape_sizes.mlir:[[#@LINE+12]]:8: a reshape has another number of elements than its operand

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%x: tensor<?x4xf32>, %like: tensor<?x?x3xf32>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : i64
  %m = tensor.dim %like, %c0 : tensor<?x?x3xf32>
  %n = tensor.dim %like, %c1 : tensor<?x?x3xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %m64, %n64, %c4 : tensor<3xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x?x4xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x4xf32>
  %z = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<?x?x4xf32>) outs(%e : tensor<?x?x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = math.tanh %a : f32
    linalg.yield %b : f32
  } -> tensor<?x?x4xf32>
  return %z : tensor<?x?x4xf32>
}
