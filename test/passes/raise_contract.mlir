// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s -o /dev/null

// The transpose of a weight is a subscript, and zeros are not added.

// CHECK-LABEL: func @linear
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<4x16xf32>
//       CHECK:   sinter.contract (i = 8) by (j = 4)
//  CHECK-NEXT:     product (k = 16) (%[[X]][i, k] : tensor<8x16xf32>, %[[W]][j, k] : tensor<4x16xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<8x4xf32>)
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[A]]
//   CHECK-NOT:   linalg
func.func @linear(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<16x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x16xf32>) outs(%et : tensor<16x4xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.matmul ins(%x, %t : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// What is there already is added in the body.

// CHECK-LABEL: func @accumulates
//       CHECK:     ins(%{{.+}}[i, j] : tensor<8x4xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<4xf32>, %[[C:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     arith.addf %[[C]], %[[A]] : tensor<4xf32>
func.func @accumulates(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A batch is a row dimension of both sides; a broadcast weight is not one of its own.

// CHECK-LABEL: func @batch
//       CHECK:   sinter.contract (i = 2, j = 8) by (k = 4)
//  CHECK-NEXT:     product (l = 16) (%{{.+}}[i, j, l] : tensor<2x8x16xf32>, %{{.+}}[l, k] : tensor<16x4xf32>) : f32
func.func @batch(%x: tensor<2x8x16xf32>, %w: tensor<16x4xf32>) -> tensor<2x8x4xf32> {
  %f = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %e = tensor.empty() : tensor<2x16x4xf32>
  %b = linalg.broadcast ins(%w : tensor<16x4xf32>) outs(%e : tensor<2x16x4xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %b : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%f : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

// A transposed result has the left side's dimension last: the sides change places.

// CHECK-LABEL: func @transposed_result
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<16x4xf32>
//       CHECK:   sinter.contract (i = 4) by (j = 8)
//  CHECK-NEXT:     product (k = 16) (%[[W]][k, i] : tensor<16x4xf32>, %[[X]][j, k] : tensor<8x16xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<4x8xf32>)
func.func @transposed_result(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<4x8xf32> {
  %f = arith.constant dense<0.0> : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %b, %a : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A matrix times a vector is a reduction.

// CHECK-LABEL: func @matvec
//       CHECK:   sinter.rowwise (i = 8) by (j = 16)
//       CHECK:     sinter.row_reduce add
func.func @matvec(%x: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<8xf32> {
  %f = arith.constant dense<0.0> : tensor<8xf32>
  %y = linalg.matvec ins(%x, %v : tensor<8x16xf32>, tensor<16xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @half
//       CHECK:   linalg.matmul
func.func @half(%x: tensor<8x16xbf16>, %w: tensor<16x4xbf16>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @+1 {{product of bf16 is not raised yet}}
  %y = linalg.matmul ins(%x, %w : tensor<8x16xbf16>, tensor<16x4xbf16>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @converted(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf64>) -> tensor<8x4xf64> {
  // expected-remark @+1 {{the sides of the product are converted before they are multiplied}}
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf64>) -> tensor<8x4xf64>
  return %y : tensor<8x4xf64>
}

// -----

// Neither side has the last dimensions of the result to itself.

func.func @batch_last(%x: tensor<2x8x16xf32>, %w: tensor<2x16x4xf32>, %c: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> {
  // expected-remark @+1 {{the last dimensions of the product belong to neither side alone}}
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, n, b)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%c : tensor<8x4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4x2xf32>
  return %y : tensor<8x4x2xf32>
}

// -----

func.func @one_side(%x: tensor<8x16x3xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @+1 {{dimension 3 is on one side of the product alone, or on none}}
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x16x3xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @unwritten(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  // expected-remark @+1 {{adds to a destination that nothing has written}}
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @strided_side(%x: tensor<8x32xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @+1 {{a subscript of the product is not a dimension}}
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k * 2)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x32xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
