// RUN: sinter-opt --sinter-split=target=gpu --split-input-file %s | FileCheck %s

// A GPU's kernel of products sees one element at a time: what needs a row whole reads it from memory.

// CHECK-LABEL: func @softmax_sum
//       CHECK: %[[E:.+]] = tensor.empty() : tensor<4x8xf32>
//       CHECK: %[[P:.+]] = sinter.contract (i = 4) by (j = 8)
//  CHECK-NEXT:     product (k = 16) (%{{.+}}[i, k] : tensor<4x16xf32>, %{{.+}}[j, k] : tensor<8x16xf32>) : f32
//  CHECK-NEXT:     outs(%[[E]][i, j] : tensor<4x8xf32>) {
//  CHECK-NEXT: ^row(%[[A:.+]]: tensor<8xf32>):
//  CHECK-NEXT:   sinter.yield %[[A]] : tensor<8xf32>
//       CHECK: sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:     ins(%[[P]][i, j] : tensor<4x8xf32>, %{{.+}}[j] : tensor<8xf32>)
//  CHECK-NEXT:     reduce(add [] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[] : tensor<f32>) {
//  CHECK-NEXT: ^row(%[[X:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>):
//  CHECK-NEXT:   %[[Y:.+]] = arith.addf %[[X]], %[[B]]
//  CHECK-NEXT:   %[[S:.+]] = sinter.row_reduce add %[[Y]]
//  CHECK-NEXT:   sinter.yield %[[S]] : f32
//  CHECK-NEXT: } finish {
//  CHECK-NEXT: ^done(%[[D:.+]]: f32):
//  CHECK-NEXT:   %[[N:.+]] = arith.negf %[[D]]
//  CHECK-NEXT:   sinter.yield %[[N]] : f32
func.func @softmax_sum(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%b[j] : tensor<8xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%acc: tensor<8xf32>, %c: tensor<8xf32>):
    %y = arith.addf %acc, %c : tensor<8xf32>
    %s = sinter.row_reduce add %y : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    %n = arith.negf %s : f32
    sinter.yield %n : f32
  }
  return %0 : tensor<f32>
}

// -----

// What is a function of each element stays.

// CHECK-LABEL: func @bias
//       CHECK: sinter.contract
//       CHECK:   arith.addf
//   CHECK-NOT: sinter.rowwise
func.func @bias(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%b[j] : tensor<8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>, %c: tensor<8xf32>):
    %y = arith.addf %acc, %c : tensor<8xf32>
    sinter.yield %y : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// Each of the two has the index tensors that it reads through.

// CHECK-LABEL: func @indices
//       CHECK: %[[P:.+]] = sinter.contract (i = 4) by (j = 8)
//  CHECK-NEXT:     product (k = 16) (%arg0[%arg1[i] : tensor<4xi64>, k] : tensor<9x16xf32>, %arg2[j, k] : tensor<8x16xf32>) : f32
//       CHECK: sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:     ins(%[[P]][i, j] : tensor<4x8xf32>, %arg3[%arg4[i] : tensor<4xi32>] : tensor<7xf32>)
func.func @indices(%x: tensor<9x16xf32>, %t: tensor<4xi64>, %w: tensor<8x16xf32>, %s: tensor<7xf32>, %u: tensor<4xi32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[%t[i] : tensor<4xi64>, k] : tensor<9x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%s[%u[i] : tensor<4xi32>] : tensor<7xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<8xf32>, %c: f32):
    %m = sinter.row_reduce maximumf %acc : tensor<8xf32> -> f32
    %y = arith.mulf %m, %c : f32
    sinter.yield %y : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// What rounds the product in any case reads it rounded; where somebody does not, it is stored as it is summed.

// CHECK-LABEL: func @rounded
//       CHECK:   sinter.contract (i = 4) by (j = 8)
//       CHECK:   ^row(%[[A:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     %[[T:.+]] = arith.truncf %[[A]] : tensor<8xf32> to tensor<8xbf16>
//  CHECK-NEXT:     sinter.yield %[[T]] : tensor<8xbf16>
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//       CHECK:   ^row(%[[X:.+]]: tensor<8xbf16>):
//  CHECK-NEXT:     %[[Y:.+]] = arith.extf %[[X]]
//  CHECK-NEXT:     sinter.row_reduce add %[[Y]]
//   CHECK-NOT:     arith.truncf
// CHECK-LABEL: func @rounded_once
//       CHECK:   sinter.yield %{{.+}} : tensor<8xf32>
//       CHECK:   ^row(%[[X:.+]]: tensor<8xf32>):
//       CHECK:     arith.truncf %[[X]]
func.func @rounded(%x: tensor<4x16xbf16>, %w: tensor<8x16xbf16>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : tensor<4x16xbf16>, %w[j, k] : tensor<8x16xbf16>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    %h = arith.truncf %acc : tensor<8xf32> to tensor<8xbf16>
    %y = arith.extf %h : tensor<8xbf16> to tensor<8xf32>
    %s = sinter.row_reduce add %y : tensor<8xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    %r = arith.divf %y, %b : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}
func.func @rounded_once(%x: tensor<4x16xbf16>, %w: tensor<8x16xbf16>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : tensor<4x16xbf16>, %w[j, k] : tensor<8x16xbf16>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    %h = arith.truncf %acc : tensor<8xf32> to tensor<8xbf16>
    %y = arith.extf %h : tensor<8xbf16> to tensor<8xf32>
    %s = sinter.row_reduce add %y : tensor<8xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    %r = arith.divf %acc, %b : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}
