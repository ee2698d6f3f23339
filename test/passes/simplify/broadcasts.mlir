// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// What is the same in every column is computed once.

// CHECK-LABEL: func @elementwise
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[A:.+]]: f32):
//       CHECK:     %[[E:.+]] = math.exp %[[A]] : f32
//       CHECK:     %[[R:.+]] = sinter.broadcast %[[E]] : f32 -> tensor<5xf32>
//       CHECK:     arith.mulf %[[X]], %[[R]] : tensor<5xf32>
func.func @elementwise(%x: tensor<3x5xf32>, %a: tensor<3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %a[i] : tensor<3xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<5xf32>
    %c = math.exp %b : tensor<5xf32>
    %d = arith.mulf %r, %c : tensor<5xf32>
    sinter.yield %d : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func @reductions
//       CHECK:   sinter.rowwise (i = 3) by ()
//       CHECK:   ^row(%[[A:.+]]: f32):
//       CHECK:     %[[N:.+]] = arith.constant 5.000000e+00 : f32
//       CHECK:     %[[S:.+]] = arith.mulf %[[A]], %[[N]] : f32
//       CHECK:     sinter.yield %[[S]], %[[A]] : f32, f32
func.func @reductions(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %y:2 = sinter.rowwise (i = 3) by (j = 5) ins(%a[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>, %e[i] : tensor<3xf32>) {
  ^row(%s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<5xf32>
    %c = sinter.row_reduce add %b : tensor<5xf32> -> f32
    %d = sinter.row_reduce maximumf %b : tensor<5xf32> -> f32
    sinter.yield %c, %d : f32, f32
  }
  return %y#0, %y#1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// A product of N equal factors is a power: left alone. So is a sum that is wider than its elements.

// CHECK-LABEL: func @not_a_multiple
//       CHECK:   sinter.row_reduce mul
//       CHECK:   sinter.row_reduce add %{{.+}} : tensor<5xf32> -> f64
func.func @not_a_multiple(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf64>) {
  %e = tensor.empty() : tensor<3xf32>
  %f = tensor.empty() : tensor<3xf64>
  %y:2 = sinter.rowwise (i = 3) by (j = 5) ins(%a[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>, %f[i] : tensor<3xf64>) {
  ^row(%s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<5xf32>
    %c = sinter.row_reduce mul %b : tensor<5xf32> -> f32
    %d = sinter.row_reduce add %b : tensor<5xf32> -> f64
    sinter.yield %c, %d : f32, f64
  }
  return %y#0, %y#1 : tensor<3xf32>, tensor<3xf64>
}

// -----

// The sum of a row that may be empty is not N times its element (it may have none).

// CHECK-LABEL: func @length_not_known
//       CHECK:   sinter.row_reduce add
func.func @length_not_known(%x: tensor<3x?xf32>, %a: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %y = sinter.rowwise (i = 3) by (j = ?) ins(%x[i, j] : tensor<3x?xf32>, %a[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<?xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %c = sinter.row_reduce add %b : tensor<?xf32> -> f32
    %d = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    %f = arith.addf %c, %d : f32
    sinter.yield %f : f32
  }
  return %y : tensor<3xf32>
}
