// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s -o /dev/null

// The index of a maximum that becomes NaN: an element and its position are one number, whose maximum is found in one
// pass; only where the maximum is NaN, what stands before the first one is searched.

// CHECK-LABEL: func @argmax
//       CHECK:   ^row(%[[X:.+]]: tensor<8xf32>, %[[S:.+]]: i64, %[[L:.+]]: f32):
//       CHECK:     arith.index_cast
//       CHECK:     %[[J:.+]] = arith.index_cast %{{.+}} : tensor<8xindex> to tensor<8xi64>
//       CHECK:     %[[BITS:.+]] = arith.bitcast
//       CHECK:     %[[ORDER:.+]] = arith.extsi
//       CHECK:     %[[AFTER:.+]] = arith.subi %{{.+}}, %[[J]]
//       CHECK:     arith.ori %{{.+}}, %[[AFTER]]
//       CHECK:     %[[K:.+]] = sinter.row_reduce maxsi
//       CHECK:     %[[A:.+]] = sinter.row_reduce maximumf %[[X]]
//       CHECK:     %[[NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]]
//       CHECK:     %[[N:.+]] = sinter.row_reduce minsi
//       CHECK:     %[[V:.+]] = arith.cmpi slt, %[[J]],
//       CHECK:     %[[B:.+]] = arith.select %[[V]], %[[X]],
//       CHECK:     %[[M:.+]] = sinter.row_reduce maximumf %[[B]]
//       CHECK:     %[[E:.+]] = arith.cmpf oeq, %[[X]],
//       CHECK:     %[[W:.+]] = sinter.row_reduce minsi
//       CHECK:     %[[W2:.+]] = arith.select %[[NAN]], %[[W]],
//       CHECK:     %[[M2:.+]] = arith.select %[[NAN]], %[[M]], %[[A]]
//       CHECK:     %[[H:.+]] = arith.cmpf ogt, %[[M2]], %[[L]] : f32
//       CHECK:     %[[T:.+]] = arith.select %[[H]], %[[W2]],
//       CHECK:     %[[P:.+]] = sinter.pick %{{.+}}[%[[T]]] else %[[S]]
//       CHECK:     sinter.yield %[[P]] : i64
//   CHECK-NOT:   linalg
func.func @argmax(%x: tensor<4x8xf32>, %f: tensor<4xf32>, %fi: tensor<4xi64>) -> tensor<4xi64> {
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
  return %m#1 : tensor<4xi64>
}

// -----

// Compared and selected, a NaN is passed over; the last of equal ones wins where the comparison says so.

// CHECK-LABEL: func @last_least
//       CHECK:   sinter.rowwise (i = 8) by (j = 4)
//       CHECK:   ^row(%[[X:.+]]: tensor<4xf32>):
//       CHECK:     sinter.row_reduce maxsi
//       CHECK:     sinter.row_reduce minnumf %[[X]]
//   CHECK-NOT:     sinter.row_reduce
//       CHECK:     arith.cmpf ole
//       CHECK:     sinter.pick
func.func @last_least(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %f = arith.constant dense<0x7F800000> : tensor<8xf32>
  %fi = arith.constant dense<0> : tensor<8xi32>
  %m:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %fi : tensor<8xf32>, tensor<8xi32>) {
  ^bb0(%in: f32, %out: f32, %at: i32):
    %i = linalg.index 0 : index
    %t = arith.index_cast %i : index to i32
    %1 = arith.cmpf oge, %out, %in : f32
    %0 = arith.select %1, %in, %out : f32
    %2 = arith.select %1, %t, %at : i32
    linalg.yield %0, %2 : f32, i32
  } -> (tensor<8xf32>, tensor<8xi32>)
  return %m#0, %m#1 : tensor<8xf32>, tensor<8xi32>
}

// -----

// A maximum spelled as a comparison.

// CHECK-LABEL: func @maximum
//       CHECK:     sinter.row_reduce maxnumf
//   CHECK-NOT:   linalg
func.func @maximum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0xFF800000> : tensor<4xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.cmpf ogt, %in, %out : f32
    %0 = arith.select %1, %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// Where a NaN is taken, what comes after it starts anew: no order but the program's gives its result.

// CHECK-LABEL: func @takes_nan
//       CHECK:   linalg.generic
func.func @takes_nan(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %f = arith.constant dense<0xFF800000> : tensor<4xf32>
  // expected-remark @+1 {{result 0 is not combined by a known combiner}}
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.cmpf ogt, %out, %in : f32
    %0 = arith.select %1, %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @nan_wins
//       CHECK:   linalg.generic
func.func @nan_wins(%x: tensor<4x8xf32>, %f: tensor<4xf32>, %fi: tensor<4xi64>) -> tensor<4xi64> {
  // expected-remark @+2 {{a NaN would win for result 1, and start its comparisons anew}}
  // expected-remark @+1 {{result 1 is not combined by a known combiner}}
  %m:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %i = linalg.index 1 : index
    %t = arith.index_cast %i : index to i64
    %0 = arith.maximumf %in, %out : f32
    %1 = arith.cmpf ugt, %in, %out : f32
    %2 = arith.select %1, %t, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %m#1 : tensor<4xi64>
}

// -----

// The start value may be NaN, against which nothing wins.

// CHECK-LABEL: func @unknown_start
//       CHECK:   linalg.generic
func.func @unknown_start(%x: tensor<4x8xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{result 0 is not combined by a known combiner}}
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.cmpf ogt, %in, %out : f32
    %0 = arith.select %1, %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// Kept where another thing is greatest.

// CHECK-LABEL: func @other_value
//       CHECK:   linalg.generic
func.func @other_value(%x: tensor<4x8xf32>, %f: tensor<4xf32>, %fi: tensor<4xi64>) -> tensor<4xi64> {
  // expected-remark @+1 {{result 1 is not combined by a known combiner}}
  %m:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f, %fi : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %out: f32, %at: i64):
    %i = linalg.index 1 : index
    %t = arith.index_cast %i : index to i64
    %n = arith.negf %in : f32
    %0 = arith.maximumf %n, %out : f32
    %1 = arith.cmpf ogt, %in, %out : f32
    %2 = arith.select %1, %t, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %m#1 : tensor<4xi64>
}

// -----

// Elements of 64 bits leave no room for a position: two passes.

// CHECK-LABEL: func @doubles
//       CHECK:     %[[M:.+]] = sinter.row_reduce maxnumf %[[X:.+]] :
//       CHECK:     arith.cmpf oeq, %[[X]],
//       CHECK:     sinter.row_reduce minsi
//   CHECK-NOT:   linalg
func.func @doubles(%x: tensor<4x8xf64>, %f: tensor<4xf64>, %fi: tensor<4xi64>) -> tensor<4xi64> {
  %m:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf64>) outs(%f, %fi : tensor<4xf64>, tensor<4xi64>) {
  ^bb0(%in: f64, %out: f64, %at: i64):
    %i = linalg.index 1 : index
    %t = arith.index_cast %i : index to i64
    %0 = arith.maxnumf %in, %out : f64
    %1 = arith.cmpf ogt, %in, %out : f64
    %2 = arith.select %1, %t, %at : i64
    linalg.yield %0, %2 : f64, i64
  } -> (tensor<4xf64>, tensor<4xi64>)
  return %m#1 : tensor<4xi64>
}

// -----

// The first tap that is a window's maximum, as torch-mlir spells max_pool's indices: -1 says that there is none yet, so
// a value that is -1 itself is none. One form, whose maximum is found in front of it.

// CHECK-LABEL: func @first
//       CHECK:   sinter.rowwise (i = 4) by (j = 3)
//       CHECK:     %[[E:.+]] = arith.cmpf oeq
//       CHECK:     %[[V:.+]] = arith.index_cast %{{.+}} : tensor<3xindex> to tensor<3xi64>
//       CHECK:     %[[N:.+]] = arith.cmpi ne, %[[V]],
//       CHECK:     %[[H:.+]] = arith.andi %[[E]], %[[N]]
//       CHECK:     %[[S:.+]] = arith.select %[[H]], %{{.+}} : tensor<3xi1>, tensor<3xi32>
//       CHECK:     %[[W:.+]] = sinter.row_reduce minsi %[[S]]
//       CHECK:     sinter.pick %[[V]][%[[W]]] else %c-1_i64
//   CHECK-NOT:   linalg
func.func @first(%x: tensor<9xf32>, %m: tensor<4xf32>) -> tensor<4xi64> {
  %none = arith.constant -1 : i64
  %w = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<4xi64>
  %f = linalg.fill ins(%none : i64) outs(%e : tensor<4xi64>) -> tensor<4xi64>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%m, %w : tensor<4xf32>, tensor<3xf32>) outs(%f : tensor<4xi64>) {
  ^bb0(%in: f32, %tap: f32, %out: i64):
    %c2 = arith.constant 2 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.muli %i, %c2 : index
    %q = arith.addi %p, %j : index
    %a = tensor.extract %x[%q] : tensor<9xf32>
    %c = arith.cmpf oeq, %a, %in : f32
    %v = arith.index_cast %q : index to i64
    %0 = arith.select %c, %v, %out : i64
    %1 = arith.cmpi eq, %out, %none : i64
    %2 = arith.select %1, %0, %out : i64
    linalg.yield %2 : i64
  } -> tensor<4xi64>
  return %t : tensor<4xi64>
}

// -----

// What stands for none is not what it begins with.

// CHECK-LABEL: func @another_none
//       CHECK:   linalg.generic
func.func @another_none(%x: tensor<4x8xi64>) -> tensor<4xi64> {
  %none = arith.constant -1 : i64
  %start = arith.constant -2 : i64
  %e = tensor.empty() : tensor<4xi64>
  // expected-remark @+1 {{fills the destination of an op that stays}}
  %f = linalg.fill ins(%start : i64) outs(%e : tensor<4xi64>) -> tensor<4xi64>
  // expected-remark @+1 {{result 0 is not combined by a known combiner}}
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi64>) outs(%f : tensor<4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %c = arith.cmpi sgt, %in, %none : i64
    %1 = arith.cmpi eq, %out, %none : i64
    %both = arith.andi %1, %c : i1
    %2 = arith.select %both, %in, %out : i64
    linalg.yield %2 : i64
  } -> tensor<4xi64>
  return %t : tensor<4xi64>
}
