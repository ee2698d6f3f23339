// RUN: sinter-opt %s --sinter-split | FileCheck %s

// What pieces need that the form had no need of.

// One broadcast serves rows of two groups, equally long: each piece makes its own of the number that it is made of.
// CHECK-LABEL: func.func @free_row
// CHECK:      %[[P:.*]] = sinter.contract (i = 4) by (j = 8)
// CHECK:        %[[B:.*]] = sinter.broadcast
// CHECK:        arith.mulf %{{.*}}, %[[B]]
// CHECK:      sinter.contract (i = 4) by (e = 8)
// CHECK-NEXT: product (j = 8) (%[[P]][i, j]
// CHECK:        %[[C:.*]] = sinter.broadcast
// CHECK:        arith.mulf %{{.*}}, %[[C]]
func.func @free_row(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x8xf32>, %s: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x8xf32>)
      ins(%s[i] : tensor<4xf32>)
      outs(%e[i, e] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x8xf32>, %r: f32):
    %b = sinter.broadcast %r : f32 -> tensor<8xf32>
    %q = arith.mulf %p, %b : tensor<8xf32>
    %u = sinter.row_product %q, %m : tensor<8xf32>, tensor<8x8xf32> -> tensor<8xf32>
    %t = arith.mulf %u, %b : tensor<8xf32>
    sinter.yield %t : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// A row that is the same in some of its columns, and a matrix too: a product's sides use all that it sums.
// CHECK-LABEL: func.func @misses_columns
// CHECK:      %[[V:.*]] = sinter.rowwise (e = 3) by (j = 2, x = 4)
// CHECK-NEXT: ins(%{{.*}}[j, e] : tensor<2x3xf32>)
// CHECK:      %[[X:.*]] = sinter.rowwise (i = 4) by (j = 2, x = 4)
// CHECK-NEXT: ins(%{{.*}}[i, x] : tensor<4x4xf32>)
// CHECK:      sinter.contract (i = 4) by (e = 3)
// CHECK-NEXT: product (j = 2, x = 4) (%[[X]][i, j, x] : tensor<4x2x4xf32>, %[[V]][e, j, x] : tensor<3x2x4xf32>) : f32
func.func @misses_columns(%x: tensor<4x4xf32>, %v: tensor<2x3xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = sinter.rowwise (i = 4) by (j = 2, x = 4) by (e = 3)
      matrix (j, x) to (e) (%v[j, e] : tensor<2x3xf32>)
      ins(%x[i, x] : tensor<4x4xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%m: tensor<8x3xf32>, %p: tensor<8xf32>):
    %u = sinter.row_product %p, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %u : tensor<3xf32>
  }
  return %y : tensor<4x3xf32>
}

// Nothing in it is a row: the piece has no columns.
// CHECK-LABEL: func.func @no_rows
// CHECK:      sinter.rowwise (i = 4) by ()
// CHECK-NEXT: ins(%{{.*}}[i] : tensor<4xf32>)
func.func @no_rows(%s: tensor<4xf32>, %b: tensor<3xf32>, %x: tensor<4x8xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) by (e = 3)
      ins(%s[i] : tensor<4xf32>, %b[e] : tensor<3xf32>, %x[i, j] : tensor<4x8xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%a: f32, %c: tensor<3xf32>, %d: tensor<8xf32>):
    %r = math.tanh %a : f32
    sinter.yield %r : f32
  }
  return %y : tensor<4xf32>
}

// What is picked from a row is computed beside it.
// CHECK-LABEL: func.func @picked
// CHECK:      %[[Q:.*]] = sinter.rowwise (i = 4) by (e = 3)
// CHECK:        sinter.pick
// CHECK:      sinter.rowwise (i = 4) by (j = 8)
// CHECK-NEXT: ins({{.*}}%[[Q]][i]
func.func @picked(%b: tensor<3xf32>, %t: tensor<4xi64>, %x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) by (e = 3)
      ins(%b[e] : tensor<3xf32>, %t[i] : tensor<4xi64>, %x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%c: tensor<3xf32>, %n: i64, %d: tensor<8xf32>):
    %z = arith.constant 0.0 : f32
    %q = sinter.pick %c[%n] else %z : tensor<3xf32>, i64
    %r = sinter.broadcast %q : f32 -> tensor<8xf32>
    %m = arith.mulf %d, %r : tensor<8xf32>
    sinter.yield %m : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// The finish makes a row of one group from what another keeps: a form without rows, cut in its turn.
// CHECK-LABEL: func.func @finish_of_two_groups
// CHECK:      %[[T:.*]] = sinter.rowwise (i = 4) by (j = 8)
// CHECK:      reduce(add [j] : f32)
// CHECK:      %[[S:.*]] = sinter.rowwise () by (j = 8)
// CHECK-NEXT: ins(%[[T]][j] : tensor<8xf32>)
// CHECK:        sinter.row_reduce add
// CHECK:      sinter.rowwise () by (e = 3)
// CHECK-NEXT: ins(%[[S]][] : tensor<f32>)
// CHECK:        sinter.broadcast %{{.*}} : f32 -> tensor<3xf32>
func.func @finish_of_two_groups(%x: tensor<4x8xf32>, %b: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) by (e = 3)
      ins(%x[i, j] : tensor<4x8xf32>, %b[e] : tensor<3xf32>)
      reduce(add [j] : f32)
      outs(%e[e] : tensor<3xf32>) {
  ^row(%a: tensor<8xf32>, %c: tensor<3xf32>):
    sinter.yield %a : tensor<8xf32>
  } finish {
  ^done(%t: tensor<8xf32>):
    %s = sinter.row_reduce add %t : tensor<8xf32> -> f32
    %r = sinter.broadcast %s : f32 -> tensor<3xf32>
    sinter.yield %r : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// The piece reads every second column of a row whose length only the other piece's destination says.
// CHECK-LABEL: func.func @unknown_size
// CHECK:      %[[N:.*]] = tensor.empty(%{{.*}}) : tensor<?xi1>
// CHECK:      sinter.rowwise (i = 4) by (e = ?)
// CHECK-NEXT: ins(%{{.*}}[e * 2] : tensor<?xf32>, %[[N]][e] : tensor<?xi1>)
func.func @unknown_size(%b: tensor<?xf32>, %n: tensor<?xf32>, %x: tensor<4x8xf32>, %v: tensor<8x?xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) by (e = ?)
      matrix (j) to (e) (%v[j, e] : tensor<8x?xf32>)
      ins(%b[e * 2] : tensor<?xf32>, %x[i, j] : tensor<4x8xf32>)
      outs(%e[i] : tensor<4xf32>) {
  ^row(%m: tensor<8x?xf32>, %c: tensor<?xf32>, %a: tensor<8xf32>):
    %s = sinter.row_reduce add %c : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}
