// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A sum over a batch of one is what it sums, with the columns for rows.

// CHECK-LABEL: func @batch_of_one
//       CHECK:   sinter.rowwise (j = 3) by (k = 5)
//  CHECK-NEXT:     ins(%{{.+}}[0, k, j] : tensor<1x5x3xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[j, k] : tensor<3x5xf32>) {
//  CHECK-NEXT:   ^row(%[[X:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     %[[Y:.+]] = math.exp %[[X]] : tensor<5xf32>
//  CHECK-NEXT:     sinter.yield %[[Y]]
func.func @batch_of_one(%x: tensor<1x5x3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 1) by (j = 3, k = 5) ins(%x[i, k, j] : tensor<1x5x3xf32>)
      reduce(add [j, k] : f32) outs(%e[j, k] : tensor<3x5xf32>) {
  ^row(%r: tensor<15xf32>):
    %z = math.exp %r : tensor<15xf32>
    sinter.yield %z : tensor<15xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Two of them are added up.

// CHECK-LABEL: func @batch_of_two
//       CHECK:   sinter.rowwise (i = 2) by (j = 3, k = 5)
//       CHECK:     reduce(add [j, k] : f32)
func.func @batch_of_two(%x: tensor<2x5x3xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 2) by (j = 3, k = 5) ins(%x[i, k, j] : tensor<2x5x3xf32>)
      reduce(add [j, k] : f32) outs(%e[j, k] : tensor<3x5xf32>) {
  ^row(%r: tensor<15xf32>):
    sinter.yield %r : tensor<15xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// The columns are reduced too, or their row is asked for whole.

// CHECK-LABEL: func @whole_row
//       CHECK:   reduce(add [] : f32)
//       CHECK:   reduce(add [j] : f32)
func.func @whole_row(%x: tensor<1x5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<f32>
  %e1 = tensor.empty() : tensor<5xf32>
  %y = sinter.rowwise (i = 1) by (j = 5) ins(%x[i, j] : tensor<1x5xf32>)
      reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %s = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  %z = sinter.rowwise (i = 1) by (j = 5) ins(%x[i, j] : tensor<1x5xf32>)
      reduce(add [j] : f32) outs(%e1[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %b : tensor<5xf32>
    sinter.yield %d : tensor<5xf32>
  }
  return %y, %z : tensor<f32>, tensor<5xf32>
}
