// RUN: sinter-run %s --verify --stats --launches=separate | FileCheck %s
// RUN: sinter-run %s --verify | FileCheck %s --check-prefix=SHARED --implicit-check-not=differs

// Slices, reshapes, concatenations, paddings and insertions read the same elements in kernels as in plain linalg; none
// of them is a kernel of its own beside what reads it.

// SHARED-COUNT-6: of main agrees
// CHECK-DAG: output 0 of main agrees with the decomposed program
// CHECK-DAG: output 1 of main agrees with the decomposed program
// CHECK-DAG: output 2 of main agrees with the decomposed program
// CHECK-DAG: output 3 of main agrees with the decomposed program
// CHECK-DAG: output 4 of main agrees with the decomposed program
// CHECK-DAG: output 5 of main agrees with the decomposed program
// CHECK-DAG: "kernels": 6
// CHECK-DAG: "bytes_temporary": 0
func.func @main(%x: tensor<6x40xf32>, %y: tensor<6x5xf32>, %k: tensor<6x5xi32>, %n: tensor<2x5xi32>)
    -> (tensor<8x6x4xf32>, tensor<6x9xf32>, tensor<8x9xf32>, tensor<240xf32>, tensor<8x5xi32>, tensor<13x11xf32>) {
  %half = arith.constant 0.5 : f32
  // A slice, unfolded and transposed.
  %s = tensor.extract_slice %x[0, 5] [6, 32] [1, 1] : tensor<6x40xf32> to tensor<6x32xf32>
  %w = tensor.expand_shape %s [[0], [1, 2]] output_shape [6, 4, 8] : tensor<6x32xf32> into tensor<6x4x8xf32>
  %e0 = tensor.empty() : tensor<8x6x4xf32>
  %t = linalg.transpose ins(%w : tensor<6x4x8xf32>) outs(%e0 : tensor<8x6x4xf32>) permutation = [2, 0, 1]
  %r0 = linalg.exp ins(%t : tensor<8x6x4xf32>) outs(%e0 : tensor<8x6x4xf32>) -> tensor<8x6x4xf32>
  // Computed values side by side, one of them every other column of x.
  %a0 = tensor.extract_slice %x[0, 1] [6, 4] [1, 2] : tensor<6x40xf32> to tensor<6x4xf32>
  %e1 = tensor.empty() : tensor<6x4xf32>
  %e2 = tensor.empty() : tensor<6x5xf32>
  %a = linalg.exp ins(%a0 : tensor<6x4xf32>) outs(%e1 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %b = linalg.negf ins(%y : tensor<6x5xf32>) outs(%e2 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %r1 = tensor.concat dim(1) %b, %a : (tensor<6x5xf32>, tensor<6x4xf32>) -> tensor<6x9xf32>
  // A padding around a computed value.
  %r2 = tensor.pad %b low[1, 0] high[1, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<6x5xf32> to tensor<8x9xf32>
  // A reshape behind a transpose.
  %e3 = tensor.empty() : tensor<40x6xf32>
  %t3 = linalg.transpose ins(%x : tensor<6x40xf32>) outs(%e3 : tensor<40x6xf32>) permutation = [1, 0]
  %c3 = tensor.collapse_shape %t3 [[0, 1]] : tensor<40x6xf32> into tensor<240xf32>
  %e4 = tensor.empty() : tensor<240xf32>
  %r3 = linalg.tanh ins(%c3 : tensor<240xf32>) outs(%e4 : tensor<240xf32>) -> tensor<240xf32>
  // Rows one above the other, of integers.
  %r4 = tensor.concat dim(0) %n, %k : (tensor<2x5xi32>, tensor<6x5xi32>) -> tensor<8x5xi32>
  // An insertion with strides into a constant.
  %f = tensor.empty() : tensor<13x11xf32>
  %g = linalg.fill ins(%half : f32) outs(%f : tensor<13x11xf32>) -> tensor<13x11xf32>
  %r5 = tensor.insert_slice %y into %g[1, 2] [6, 5] [2, 2] : tensor<6x5xf32> into tensor<13x11xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<8x6x4xf32>, tensor<6x9xf32>, tensor<8x9xf32>, tensor<240xf32>, tensor<8x5xi32>, tensor<13x11xf32>
}
