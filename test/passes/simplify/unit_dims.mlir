// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A batch of one and a column of one go; the subscripts that were theirs are 0.

// CHECK-LABEL: func @batch_of_one
//       CHECK:   sinter.contract (i = 7) by (j = 5)
//  CHECK-NEXT:     product (k = 6) (%{{.+}}[0, i, k] : tensor<1x7x6xf32>, %{{.+}}[0, k, j] : tensor<1x6x5xf32>) : f32
//  CHECK-NEXT:     ins(%{{.+}}[0, j] : tensor<1x5xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[0, i, j, 0] : tensor<1x7x5x1xf32>)
//       CHECK:   ^row(%{{.+}}: tensor<5xf32>, %{{.+}}: tensor<5xf32>):
func.func @batch_of_one(%x: tensor<1x7x6xf32>, %w: tensor<1x6x5xf32>, %b: tensor<1x5xf32>) -> tensor<1x7x5x1xf32> {
  %e = tensor.empty() : tensor<1x7x5x1xf32>
  %y = sinter.contract (n = 1, i = 7) by (j = 5, l = 1)
      product (k = 6) (%x[n, i, k] : tensor<1x7x6xf32>, %w[n, k, j] : tensor<1x6x5xf32>) : f32
      ins(%b[n, j] : tensor<1x5xf32>) outs(%e[n, i, j, l] : tensor<1x7x5x1xf32>) {
  ^row(%acc: tensor<5xf32>, %c: tensor<5xf32>):
    %s = arith.addf %acc, %c : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %y : tensor<1x7x5x1xf32>
}

// -----

// One row of a product needs no row dimension; a row program keeps one.

// CHECK-LABEL: func @one_row
//       CHECK:   sinter.contract () by (j = 5)
//       CHECK:   sinter.rowwise (i = 1) by (j = 5)
func.func @one_row(%x: tensor<1x6xf32>, %w: tensor<6x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>) {
  %e = tensor.empty() : tensor<1x5xf32>
  %y = sinter.contract (i = 1) by (j = 5) product (k = 6) (%x[i, k] : tensor<1x6xf32>, %w[k, j] : tensor<6x5xf32>) : f32
      outs(%e[i, j] : tensor<1x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %z = sinter.rowwise (i = 1) by (j = 5) ins(%y[i, j] : tensor<1x5xf32>) outs(%e[i, j] : tensor<1x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %b : tensor<5xf32>
    sinter.yield %d : tensor<5xf32>
  }
  return %y, %z : tensor<1x5xf32>, tensor<1x5xf32>
}

// -----

// What is accumulated over another row stays so, by the columns that it has.

// CHECK-LABEL: func @accumulated
//       CHECK:   sinter.rowwise (i = 7) by (j = 5)
//  CHECK-NEXT:     ins(%{{.+}}[0, i, j] : tensor<1x7x5xf32>)
//  CHECK-NEXT:     reduce(add [] : f32)
func.func @accumulated(%x: tensor<1x7x5xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (n = 1, i = 7) by (j = 5) ins(%x[n, i, j] : tensor<1x7x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %s = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}

// CHECK-LABEL: func @accumulated_columns
//       CHECK:   sinter.rowwise (i = 7) by (j = 5, k = 1)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, 0, k] : tensor<7x5x1x1xf32>)
//  CHECK-NEXT:     reduce(add [j, k] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, 0] : tensor<7x5x1x1xf32>, %{{.+}}[j, k] : tensor<5x1xf32>)
func.func @accumulated_columns(%x: tensor<7x5x1x1xf32>) -> (tensor<7x5x1x1xf32>, tensor<5x1xf32>) {
  %e = tensor.empty() : tensor<7x5x1x1xf32>
  %t = tensor.empty() : tensor<5x1xf32>
  %y:2 = sinter.rowwise (i = 7, n = 1) by (j = 5, k = 1) ins(%x[i, j, n, k] : tensor<7x5x1x1xf32>)
      reduce(add [j, k] : f32) outs(%e[i, j, k, n] : tensor<7x5x1x1xf32>, %t[j, k] : tensor<5x1xf32>) {
  ^row(%r: tensor<5xf32>):
    %z = math.tanh %r : tensor<5xf32>
    sinter.yield %r, %z : tensor<5xf32>, tensor<5xf32>
  }
  return %y#0, %y#1 : tensor<7x5x1x1xf32>, tensor<5x1xf32>
}

// -----

// Over rows of one value alone it would be accumulated no more.

// CHECK-LABEL: func @accumulated_over_one
//       CHECK:   sinter.rowwise (n = 1, i = 1) by (j = 5)
func.func @accumulated_over_one(%x: tensor<1x1x5xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %y = sinter.rowwise (n = 1, i = 1) by (j = 5) ins(%x[n, i, j] : tensor<1x1x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %s = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

// What a row of one element is reduced to is that element.

// CHECK-LABEL: func @sum_of_one
//       CHECK:   sinter.rowwise (i = 7) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i, 0] : tensor<7x1xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i] : tensor<7xf32>)
//  CHECK-NEXT:   ^row(%[[X:.+]]: f32):
//  CHECK-NEXT:     %[[Y:.+]] = math.tanh %[[X]] : f32
//  CHECK-NEXT:     sinter.yield %[[Y]] : f32
func.func @sum_of_one(%x: tensor<7x1xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %y = sinter.rowwise (i = 7) by (j = 1) ins(%x[i, j] : tensor<7x1xf32>) outs(%e[i] : tensor<7xf32>) {
  ^row(%r: tensor<1xf32>):
    %s = sinter.row_reduce add %r : tensor<1xf32> -> f32
    %t = math.tanh %s : f32
    sinter.yield %t : f32
  }
  return %y : tensor<7xf32>
}

// -----

// Not in another type than its own, and not by an operation that the row program writes.

// CHECK-LABEL: func @sum_in_another_type
//       CHECK:   sinter.rowwise (i = 7) by (j = 1)
func.func @sum_in_another_type(%x: tensor<7x1xbf16>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %y = sinter.rowwise (i = 7) by (j = 1) ins(%x[i, j] : tensor<7x1xbf16>) outs(%e[i] : tensor<7xf32>) {
  ^row(%r: tensor<1xbf16>):
    %s = sinter.row_reduce add %r : tensor<1xbf16> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<7xf32>
}

// -----

// The body names the dimension.

// CHECK-LABEL: func @indexed
//       CHECK:   sinter.rowwise (n = 1, i = 7) by (j = 5)
func.func @indexed(%x: tensor<1x7x5xf32>) -> tensor<1x7x5xindex> {
  %e = tensor.empty() : tensor<1x7x5xindex>
  %y = sinter.rowwise (n = 1, i = 7) by (j = 5) ins(%x[n, i, j] : tensor<1x7x5xf32>) outs(%e[n, i, j] : tensor<1x7x5xindex>) {
  ^row(%r: tensor<5xf32>):
    %n = sinter.index n : index
    %b = sinter.broadcast %n : index -> tensor<5xindex>
    sinter.yield %b : tensor<5xindex>
  }
  return %y : tensor<1x7x5xindex>
}

// -----

// A column of one stays where another operand would have no column without it: what is a row in the body stays a row.

// CHECK-LABEL: func @column_of_a_window
//       CHECK:   sinter.rowwise (k = 5) by (n = 1)
//  CHECK-NEXT:     ins(%{{.+}}[k + n - 2] : tensor<3xbf16> else 0.000000e+00, %{{.+}}[0, n, 0] : tensor<1x1x1xbf16>)
//       CHECK:   ^row(%{{.+}}: tensor<1xbf16>, %{{.+}}: tensor<1xbf16>):
func.func @column_of_a_window(%x: tensor<3xbf16>, %w: tensor<1x1x1xbf16>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %y = sinter.rowwise (k = 5) by (m = 1, n = 1, o = 1)
      ins(%x[k + n - 2] : tensor<3xbf16> else 0.0, %w[m, n, o] : tensor<1x1x1xbf16>) outs(%e[k] : tensor<5xf32>) {
  ^row(%r: tensor<1xbf16>, %t: tensor<1xbf16>):
    %p = arith.mulf %r, %t : tensor<1xbf16>
    %s = sinter.row_reduce add %p : tensor<1xbf16> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<5xf32>
}

// -----

// Rows of one element, one by one, are numbers: what lists subscripts may be one with whatever has its rows.

// CHECK-LABEL: func @rows_of_one
//       CHECK:   sinter.rowwise (i = ?) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i, 0] : tensor<?x1xi64>, %{{.+}}[] : tensor<i64>)
//  CHECK-NEXT:     outs(%{{.+}}[i, 0] : tensor<?x1xi64>) {
//       CHECK:   ^row(%[[X:.+]]: i64, %[[N:.+]]: i64):
//  CHECK-NEXT:     %[[Y:.+]] = arith.maxsi %[[X]], %[[N]] : i64
//  CHECK-NEXT:     sinter.yield %[[Y]] : i64
func.func @rows_of_one(%x: tensor<?x1xi64>, %n: tensor<i64>, %e: tensor<?x1xi64>) -> tensor<?x1xi64> {
  %y = sinter.rowwise (i = ?) by (l = 1) ins(%x[i, l] : tensor<?x1xi64>, %n[] : tensor<i64>) outs(%e[i, l] : tensor<?x1xi64>) {
  ^row(%r: tensor<1xi64>, %m: i64):
    %b = sinter.broadcast %m : i64 -> tensor<1xi64>
    %s = arith.maxsi %r, %b : tensor<1xi64>
    sinter.yield %s : tensor<1xi64>
  }
  return %y : tensor<?x1xi64>
}

// -----

// Not where the body names the column, nor without rows.

// CHECK-LABEL: func @named_column
//       CHECK:   sinter.rowwise (i = 7) by (l = 1)
//       CHECK:   sinter.rowwise () by (l = 1)
func.func @named_column(%x: tensor<7x1xf32>, %z: tensor<1xf32>) -> (tensor<7x1xindex>, tensor<1xf32>) {
  %e = tensor.empty() : tensor<7x1xindex>
  %d = tensor.empty() : tensor<1xf32>
  %y = sinter.rowwise (i = 7) by (l = 1) ins(%x[i, l] : tensor<7x1xf32>) outs(%e[i, l] : tensor<7x1xindex>) {
  ^row(%r: tensor<1xf32>):
    %n = sinter.index l : tensor<1xindex>
    sinter.yield %n : tensor<1xindex>
  }
  %t = sinter.rowwise () by (l = 1) ins(%z[l] : tensor<1xf32>) outs(%d[l] : tensor<1xf32>) {
  ^row(%r: tensor<1xf32>):
    %n = math.exp %r : tensor<1xf32>
    sinter.yield %n : tensor<1xf32>
  }
  return %y, %t : tensor<7x1xindex>, tensor<1xf32>
}
