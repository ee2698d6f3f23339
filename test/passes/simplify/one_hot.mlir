// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A sum over a one-hot row becomes one element; the comparison is gone.

// CHECK-LABEL: func @one_hot
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[T:.+]]: i64):
//  CHECK-NEXT:     %[[Z:.+]] = arith.constant 0.000000e+00 : f32
//  CHECK-NEXT:     %[[S:.+]] = sinter.pick %[[X]][%[[T]]] else %[[Z]] : tensor<5xf32>, i64
//  CHECK-NEXT:     sinter.yield %[[S]] : f32
//   CHECK-NOT:   arith.cmpi
func.func @one_hot(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %t[i] : tensor<3xi64>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<5xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %j = sinter.index j : tensor<5xindex>
    %ji = arith.index_cast %j : tensor<5xindex> to tensor<5xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<5xi64>
    %hot = arith.cmpi eq, %ji, %lr : tensor<5xi64>
    %zr = sinter.broadcast %z : f32 -> tensor<5xf32>
    %s = arith.select %hot, %a, %zr : tensor<5xi1>, tensor<5xf32>
    %r = sinter.row_reduce add %s : tensor<5xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<3xf32>
}

// -----

// What else must hold stays, inside what is picked from. The label may stand on either side.

// CHECK-LABEL: func @one_hot_and_more
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>, %[[T:.+]]: i64, %[[M:.+]]: tensor<5xi1>):
//       CHECK:     %[[S:.+]] = arith.select %[[M]], %[[X]],
//  CHECK-NEXT:     sinter.pick %[[S]][%[[T]]]
//   CHECK-NOT:   row_reduce
func.func @one_hot_and_more(%x: tensor<3x5xf32>, %t: tensor<3xi64>, %m: tensor<3x5xi1>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %t[i] : tensor<3xi64>, %m[i, j] : tensor<3x5xi1>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<5xf32>, %l: i64, %k: tensor<5xi1>):
    %z = arith.constant dense<0.0> : tensor<5xf32>
    %j = sinter.index j : tensor<5xindex>
    %ji = arith.index_cast %j : tensor<5xindex> to tensor<5xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<5xi64>
    %hot = arith.cmpi eq, %lr, %ji : tensor<5xi64>
    %both = arith.andi %k, %hot : tensor<5xi1>
    %s = arith.select %both, %a, %z : tensor<5xi1>, tensor<5xf32>
    %r = sinter.row_reduce add %s : tensor<5xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<3xf32>
}

// -----

// A count of valid labels, spelled over the one-hot matrix, is a count over labels:
// nothing uses a column any more, so the columns are gone.

// CHECK-LABEL: func @count
//       CHECK:   sinter.rowwise (i = 3) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i] : tensor<3xi64>)
//   CHECK-NOT:   tensor<5x
//       CHECK:     %[[IN:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : i64
//       CHECK:     %[[N:.+]] = arith.select %[[IN]], %{{.+}}, %{{.+}} : f32
//       CHECK:     sinter.yield %[[N]] : f32
func.func @count(%t: tensor<3xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%t[i] : tensor<3xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%l: i64):
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %z = arith.constant dense<0.0> : tensor<5xf32>
    %ignore = arith.constant -100 : i64
    %j = sinter.index j : tensor<5xindex>
    %ji = arith.index_cast %j : tensor<5xindex> to tensor<5xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<5xi64>
    %hot = arith.cmpi eq, %ji, %lr : tensor<5xi64>
    %valid = arith.cmpi ne, %l, %ignore : i64
    %vr = sinter.broadcast %valid : i1 -> tensor<5xi1>
    %both = arith.andi %hot, %vr : tensor<5xi1>
    %s = arith.select %both, %one, %z : tensor<5xi1>, tensor<5xf32>
    %r = sinter.row_reduce add %s : tensor<5xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<f32>
}

// -----

// What is not selected is summed N - 1 times, so it must be zero.

// CHECK-LABEL: func @not_zero_elsewhere
//       CHECK:   sinter.row_reduce add
//   CHECK-NOT:   sinter.pick
func.func @not_zero_elsewhere(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %t[i] : tensor<3xi64>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<5xf32>, %l: i64):
    %z = arith.constant dense<1.0> : tensor<5xf32>
    %j = sinter.index j : tensor<5xindex>
    %ji = arith.index_cast %j : tensor<5xindex> to tensor<5xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<5xi64>
    %hot = arith.cmpi eq, %ji, %lr : tensor<5xi64>
    %s = arith.select %hot, %a, %z : tensor<5xi1>, tensor<5xf32>
    %r = sinter.row_reduce add %s : tensor<5xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<3xf32>
}

// -----

// A maximum over a selected row also sees what is not selected.

// CHECK-LABEL: func @not_a_sum
//       CHECK:   sinter.row_reduce maximumf
//   CHECK-NOT:   sinter.pick
func.func @not_a_sum(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %t[i] : tensor<3xi64>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<5xf32>, %l: i64):
    %z = arith.constant dense<0.0> : tensor<5xf32>
    %j = sinter.index j : tensor<5xindex>
    %ji = arith.index_cast %j : tensor<5xindex> to tensor<5xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<5xi64>
    %hot = arith.cmpi eq, %ji, %lr : tensor<5xi64>
    %s = arith.select %hot, %a, %z : tensor<5xi1>, tensor<5xf32>
    %r = sinter.row_reduce maximumf %s : tensor<5xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<3xf32>
}

// -----

// Several columns are flattened: the index of one is not the place in the row.

// CHECK-LABEL: func @index_of_one_of_two
//       CHECK:   sinter.row_reduce add
//   CHECK-NOT:   sinter.pick
func.func @index_of_one_of_two(%x: tensor<3x5x2xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = sinter.rowwise (i = 3) by (j = 5, k = 2) ins(%x[i, j, k] : tensor<3x5x2xf32>, %t[i] : tensor<3xi64>) outs(%e[i] : tensor<3xf32>) {
  ^row(%a: tensor<10xf32>, %l: i64):
    %z = arith.constant dense<0.0> : tensor<10xf32>
    %j = sinter.index j : tensor<10xindex>
    %ji = arith.index_cast %j : tensor<10xindex> to tensor<10xi64>
    %lr = sinter.broadcast %l : i64 -> tensor<10xi64>
    %hot = arith.cmpi eq, %ji, %lr : tensor<10xi64>
    %s = arith.select %hot, %a, %z : tensor<10xi1>, tensor<10xf32>
    %r = sinter.row_reduce add %s : tensor<10xf32> -> f32
    sinter.yield %r : f32
  }
  return %y : tensor<3xf32>
}
