// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s

// Through an index: the slices of the gradient are added where they were read, in order.

// CHECK-LABEL: func @embedding
//       CHECK:   %[[T:.+]] = sinter.rowwise (i = 7) by (j = 5)
//       CHECK:   sinter.rowwise (i = 7) by (k = 1)
//  CHECK-NEXT:       ins(%{{.+}}[i] : tensor<7xi64>)
//  CHECK-NEXT:       outs(%{{.+}}[i, k] : tensor<7x1xi64>)
//       CHECK:   tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
//  CHECK-SAME:       ins(%{{.+}}, %{{.+}} : tensor<7x5xf32>, tensor<7x1xi64>) outs(%{{.+}} : tensor<9x5xf32>)
//       CHECK:     arith.addf
func.func @embedding(%x: tensor<9x5xf32>, %t: tensor<7xi64>, %g: tensor<7x5xf32>, %e: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %y = sinter.rowwise (i = 7) by (j = 5) ins(%x[%t[i] : tensor<7xi64>, j] : tensor<9x5xf32>) outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  return %d : tensor<9x5xf32>
}

// -----

// With a fill value, what was read outside goes nowhere: 0 is added to the first.

// CHECK-LABEL: func @outside
//       CHECK:   %[[IN:.+]] = arith.andi
//       CHECK:   arith.select %[[IN]], %{{.+}}, %{{.+}} : tensor<5xf32>
//       CHECK:   arith.select %{{.+}}, %{{.+}}, %{{.+}} : i64
func.func @outside(%x: tensor<9x5xf32>, %t: tensor<7xi64>, %g: tensor<7x5xf32>, %e: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %y = sinter.rowwise (i = 7) by (j = 5) ins(%x[%t[i] : tensor<7xi64>, j] : tensor<9x5xf32> else 0.0) outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  return %d : tensor<9x5xf32>
}

// -----

// A band: two subscripts with one dimension, which another one moves. Both are numbers.

// CHECK-LABEL: func @band
//       CHECK:   tensor<{{.+}}x2xi64>
//       CHECK:   tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false)
//  CHECK-SAME:       outs(%{{.+}} : tensor<6x5xf32>)
func.func @band(%x: tensor<6x5xf32>, %g: tensor<2x5xf32>, %e: tensor<2x5xf32>) -> tensor<6x5xf32> {
  %y = sinter.rowwise (i = 2) by (j = 5) ins(%x[i + j, j] : tensor<6x5xf32>) outs(%e[i, j] : tensor<2x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  return %d : tensor<6x5xf32>
}

// -----

// A table: the reverse stores what was computed of its subscripts; a position is none.

// CHECK-LABEL: func @table
//       CHECK:   %[[R:.+]]:2 = sinter.rowwise (i = 7) by (j = 5)
//       CHECK:       outs(%{{.+}}[i, j] : tensor<7x5xf32>, %{{.+}}[i] : tensor<7xi64>)
//       CHECK:     %[[S:.+]] = arith.addi
//       CHECK:     sinter.yield %{{.+}}, %[[S]]
//       CHECK:   tm_tensor.scatter
func.func @table(%x: tensor<9x5xf32>, %t: tensor<7xi64>, %g: tensor<7x5xf32>, %e: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %y = sinter.rowwise (i = 7) by (j = 5) ins(%x[?, ?] : tensor<9x5xf32>, %t[i] : tensor<7xi64>) outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%a: memref<9x5xf32>, %n: i64):
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1 : i64
    %s = arith.addi %n, %one : i64
    %j = sinter.index j : tensor<5xindex>
    %v = sinter.gather %a[%s, %j] else %z : memref<9x5xf32>, i64, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %v : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  return %d : tensor<9x5xf32>
}
