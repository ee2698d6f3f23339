// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s -o /dev/null

// The index beside a maximum that nobody reads is gone.

// CHECK-LABEL: func @maximum
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<4x8xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i] : tensor<4xf32>)
//  CHECK-NEXT:   ^row(%[[X:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     %[[M:.+]] = sinter.row_reduce maximumf %[[X]] : tensor<8xf32> -> f32
//  CHECK-NEXT:     sinter.yield %[[M]]
func.func @maximum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<4xf32>
  %ei = tensor.empty() : tensor<4xi64>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %fi = linalg.fill ins(%zero : i64) outs(%ei : tensor<4xi64>) -> tensor<4xi64>
  %m:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %i = linalg.index 1 : index
    %t = arith.index_cast %i : index to i64
    %0 = arith.maximumf %in, %out : f32
    %1 = arith.cmpf ogt, %in, %out : f32
    %2 = arith.select %1, %t, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %m#0 : tensor<4xf32>
}

// -----

// A window of which only the shape is read is gone: pooling reduces columns that overlap.

// CHECK-LABEL: func @pool
//  CHECK-SAME:   %[[X:.+]]: tensor<2x3x11x13xf32>
//       CHECK:   sinter.rowwise (i = 2, j = 3, k = 5, l = 4) by (m = 3, n = 2)
//  CHECK-NEXT:     ins(%[[X]][i, j, k * 2 + m, l * 3 + n * 2] : tensor<2x3x11x13xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, l] : tensor<2x3x5x4xf32>)
//       CHECK:     sinter.row_reduce maximumf
func.func @pool(%x: tensor<2x3x11x13xf32>) -> tensor<2x3x5x4xf32> {
  %f = arith.constant dense<0xFF800000> : tensor<2x3x5x4xf32>
  %w = tensor.empty() : tensor<3x2xf32>
  %y = linalg.pooling_nchw_max {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x11x13xf32>, tensor<3x2xf32>) outs(%f : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  return %y : tensor<2x3x5x4xf32>
}

// -----

// Over the rows: a bias' gradient.

// CHECK-LABEL: func @over_rows
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//       CHECK:     reduce(add [j] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[j] : tensor<8xf32>)
//  CHECK-NEXT:   ^row(%[[X:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     sinter.yield %[[X]] : tensor<8xf32>
//   CHECK-NOT:   finish
func.func @over_rows(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// The dimension of size 1 that an exporter keeps.

// CHECK-LABEL: func @kept_dimension
//       CHECK:     reduce(add [j] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[0, j] : tensor<1x8xf32>)
func.func @kept_dimension(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %f = arith.constant dense<0.0> : tensor<1x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<1x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1x8xf32>
  return %s : tensor<1x8xf32>
}

// -----

// Over everything, from a value that is not zero: it is added once, in finish.

// CHECK-LABEL: func @full
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//       CHECK:     ins(%{{.+}}[i, j] : tensor<4x8xf32>, %{{.+}}[] : tensor<f32>)
//  CHECK-NEXT:     reduce(add [] : f32)
//       CHECK:     %[[S:.+]] = sinter.row_reduce add
//  CHECK-NEXT:     sinter.yield %[[S]] : f32
//  CHECK-NEXT:   } finish {
//  CHECK-NEXT:   ^done(%[[S:.+]]: f32, %[[I:.+]]: f32):
//  CHECK-NEXT:     %[[T:.+]] = arith.addf %[[I]], %[[S]]
//  CHECK-NEXT:     sinter.yield %[[T]] : f32
func.func @full(%x: tensor<4x8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A sum over one dimension: each row has one number.

// CHECK-LABEL: func @of_row_values
//       CHECK:   sinter.rowwise (i = 4) by ()
//       CHECK:     reduce(add [] : f32)
//       CHECK:   ^row(%[[X:.+]]: f32):
//  CHECK-NEXT:     sinter.yield %[[X]] : f32
func.func @of_row_values(%x: tensor<4xf32>) -> tensor<f32> {
  %c = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce ins(%x : tensor<4xf32>) outs(%c : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
  return %s : tensor<f32>
}

// -----

// Several columns, on both sides of the row: a batch norm's statistics.

// CHECK-LABEL: func @mixed
//       CHECK:   sinter.rowwise (i = 5) by (j = 3, k = 7)
//       CHECK:     ins(%{{.+}}[j, i, k] : tensor<3x5x7xf32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<21xf32>):
func.func @mixed(%x: tensor<3x5x7xf32>) -> tensor<5xf32> {
  %f = arith.constant dense<0.0> : tensor<5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<3x5x7xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<5xf32>
  return %s : tensor<5xf32>
}

// -----

// bf16 is summed in f32.

// CHECK-LABEL: func @halves
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %{{.+}} : tensor<8xbf16> -> f32
//  CHECK-NEXT:     %[[T:.+]] = arith.truncf %[[S]] : f32 to bf16
//  CHECK-NEXT:     sinter.yield %[[T]]
func.func @halves(%x: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %f = arith.constant dense<0.0> : tensor<4xbf16>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%f : tensor<4xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.addf %in, %out : bf16
    linalg.yield %0 : bf16
  } -> tensor<4xbf16>
  return %s : tensor<4xbf16>
}

// -----

// A recurrence is no reduction.

func.func @recurrence(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{what it combines depends on what was combined so far}}
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %out : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// -----

func.func @doubled(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  // expected-remark @+1 {{result 0 does not combine what it was with something}}
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}

// -----

func.func @unwritten(%x: tensor<8xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  // expected-remark @+1 {{reduces into a destination that nothing has written}}
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}
