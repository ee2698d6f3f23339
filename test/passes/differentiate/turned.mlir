// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s

// A maximum over rows becomes one of columns, so that its gradient finds who won. What is an input as it is, is read.

// CHECK-LABEL: func @maximum
//       CHECK:   %[[M:.+]] = sinter.rowwise (j = 8) by (i = 4)
//  CHECK-NEXT:       ins(%[[X:.+]][i, j] : tensor<4x8xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[j] : tensor<8xf32>)
//       CHECK:     sinter.row_reduce maximumf
//       CHECK:   sinter.rowwise (j = 8) by (i = 4)
//  CHECK-NEXT:       ins(%[[X]][i, j] : tensor<4x8xf32>, %{{.+}}[j] : tensor<8xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[i, j] : tensor<4x8xf32>)
func.func @maximum(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) reduce(maximumf [j] : f32) outs(%e[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %d : tensor<8xf32>, tensor<4x8xf32>
}

// -----

// What is computed is stored; a number for each row is a column of one row, and finish is a form behind it.

// CHECK-LABEL: func @product
//       CHECK:   %[[V:.+]] = sinter.rowwise (i = 4) by (j = 8)
//       CHECK:       outs(%{{.+}}[i] : tensor<4xf32>)
//       CHECK:     sinter.row_reduce add
//       CHECK:   %[[P:.+]] = sinter.rowwise () by (i = 4)
//  CHECK-NEXT:       ins(%[[V]][i] : tensor<4xf32>)
//       CHECK:     sinter.row_reduce mul
//       CHECK:   sinter.rowwise () by ()
//  CHECK-NEXT:       ins(%[[P]][] : tensor<f32>)
//       CHECK:     math.sqrt
func.func @product(%x: tensor<4x8xf32>, %e: tensor<f32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) reduce(mul [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%p: f32):
    %r = math.sqrt %p : f32
    sinter.yield %r : f32
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %d : tensor<f32>, tensor<4x8xf32>
}
