// RUN: sinter-opt --sinter-fuse=remarks=true --split-input-file %s -o /dev/null 2>&1 | FileCheck %s
// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=APART

// What a product does not go on from, and why.

// APART-NOT: sinter.row_product

// A gradient by the weights: what is summed over are rows of the neighbour.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: a side of its product needs what its neighbour makes for other rows
func.func @by_weights(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %f = tensor.empty() : tensor<5x6xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (j = 5) by (k = 6) product (i = 7) (%h[i, j] : tensor<7x5xf32>, %x[i, k] : tensor<7x6xf32>) : f32 outs(%f[j, k] : tensor<5x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  return %y : tensor<5x6xf32>
}

// -----

// Keys are rows of the neighbour, all of them for each query.

// CHECK: chains_refused.mlir:[[#@LINE+11]]:{{.+}} remark: a side of its product needs what its neighbour makes for other rows
func.func @keys(%x: tensor<7x6xf32>, %q: tensor<7x6xf32>) -> tensor<7x7xf32> {
  %e = tensor.empty() : tensor<7x6xf32>
  %f = tensor.empty() : tensor<7x7xf32>
  %k = sinter.rowwise (i = 7) by (j = 6) ins(%x[i, j] : tensor<7x6xf32>) outs(%e[i, j] : tensor<7x6xf32>) {
  ^row(%r: tensor<6xf32>):
    %s = sinter.row_reduce add %r : tensor<6xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<6xf32>
    %t = arith.divf %r, %b : tensor<6xf32>
    sinter.yield %t : tensor<6xf32>
  }
  %y = sinter.contract (i = 7) by (j = 7) product (k = 6) (%q[i, k] : tensor<7x6xf32>, %k[j, k] : tensor<7x6xf32>) : f32 outs(%f[i, j] : tensor<7x7xf32>) {
  ^row(%acc: tensor<7xf32>):
    sinter.yield %acc : tensor<7xf32>
  }
  return %y : tensor<7x7xf32>
}

// -----

// Both sides, one of them for all rows.

// CHECK: chains_refused.mlir:[[#@LINE+11]]:{{.+}} remark: both sides of its product are computed by its neighbour
func.func @both_sides(%x: tensor<7x6xf32>) -> tensor<7x7xf32> {
  %e = tensor.empty() : tensor<7x6xf32>
  %f = tensor.empty() : tensor<7x7xf32>
  %k = sinter.rowwise (i = 7) by (j = 6) ins(%x[i, j] : tensor<7x6xf32>) outs(%e[i, j] : tensor<7x6xf32>) {
  ^row(%r: tensor<6xf32>):
    %s = sinter.row_reduce add %r : tensor<6xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<6xf32>
    %t = arith.divf %r, %b : tensor<6xf32>
    sinter.yield %t : tensor<6xf32>
  }
  %y = sinter.contract (i = 7) by (j = 7) product (k = 6) (%k[i, k] : tensor<7x6xf32>, %k[j, k] : tensor<7x6xf32>) : f32 outs(%f[i, j] : tensor<7x7xf32>) {
  ^row(%acc: tensor<7xf32>):
    sinter.yield %acc : tensor<7xf32>
  }
  return %y : tensor<7x7xf32>
}

// -----

// One head of those that a row has.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: a side of its product is not the whole row that its neighbour makes
func.func @part_of_a_row(%x: tensor<7x6xf32>, %w: tensor<2x4x6xf32>, %v: tensor<3x4xf32>) -> tensor<7x3xf32> {
  %e = tensor.empty() : tensor<7x2x4xf32>
  %f = tensor.empty() : tensor<7x3xf32>
  %h = sinter.contract (i = 7) by (h = 2, j = 4) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[h, j, k] : tensor<2x4x6xf32>) : f32 outs(%e[i, h, j] : tensor<7x2x4xf32>) {
  ^row(%acc: tensor<8xf32>):
    %t = math.tanh %acc : tensor<8xf32>
    sinter.yield %t : tensor<8xf32>
  }
  %y = sinter.contract (i = 7) by (j = 3) product (k = 4) (%h[i, 1, k] : tensor<7x2x4xf32>, %v[j, k] : tensor<3x4xf32>) : f32 outs(%f[i, j] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<7x3xf32>
}

// -----

// h + h W: the row that is added is the one that is summed over.

// CHECK: chains_refused.mlir:[[#@LINE+8]]:{{.+}} remark: its columns would be those that its product sums over
func.func @residual(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<5x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (i = 7) by (j = 5) product (k = 5) (%h[i, k] : tensor<7x5xf32>, %v[j, k] : tensor<5x5xf32>) : f32 ins(%h[i, j] : tensor<7x5xf32>) outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>, %r: tensor<5xf32>):
    %s = arith.addf %acc, %r : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// Beside the product, the neighbour's columns in another order.

// CHECK: chains_refused.mlir:[[#@LINE+10]]:{{.+}} remark: it reads columns of its neighbour that are not its own
func.func @turned_columns(%x: tensor<7x6xf32>, %w: tensor<2x3x6xf32>, %v: tensor<3x2x2x3xf32>) -> tensor<7x3x2xf32> {
  %e = tensor.empty() : tensor<7x2x3xf32>
  %f = tensor.empty() : tensor<7x3x2xf32>
  %h:2 = sinter.contract (i = 7) by (a = 2, b = 3) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[a, b, k] : tensor<2x3x6xf32>) : f32 outs(%e[i, a, b] : tensor<7x2x3xf32>, %e[i, a, b] : tensor<7x2x3xf32>) {
  ^row(%acc: tensor<6xf32>):
    %t = math.tanh %acc : tensor<6xf32>
    %u = math.exp %acc : tensor<6xf32>
    sinter.yield %t, %u : tensor<6xf32>, tensor<6xf32>
  }
  %g = sinter.contract (i = 7) by (b = 3, a = 2) product (c = 2, d = 3) (%h#0[i, c, d] : tensor<7x2x3xf32>, %v[b, a, c, d] : tensor<3x2x2x3xf32>) : f32 ins(%h#1[i, a, b] : tensor<7x2x3xf32>) outs(%f[i, b, a] : tensor<7x3x2xf32>) {
  ^row(%acc: tensor<6xf32>, %r: tensor<6xf32>):
    %s = arith.addf %acc, %r : tensor<6xf32>
    sinter.yield %s : tensor<6xf32>
  }
  return %g : tensor<7x3x2xf32>
}

// -----

// A row for each of four more.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: a row of one is not a row of the other
func.func @more_rows(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<4x3x5xf32>) -> tensor<7x4x3xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %f = tensor.empty() : tensor<7x4x3xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (i = 7, t = 4) by (j = 3) product (k = 5) (%h[i, k] : tensor<7x5xf32>, %v[t, j, k] : tensor<4x3x5xf32>) : f32 outs(%f[i, t, j] : tensor<7x4x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<7x4x3xf32>
}

// -----

// A dimension of size 1 that has a name in the body, and none beside the neighbour.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: it names a dimension of size 1 that its neighbour does not have
func.func @named_unit(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> tensor<1x7x3xindex> {
  %e = tensor.empty() : tensor<7x5xf32>
  %f = tensor.empty() : tensor<1x7x3xindex>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (z = 1, i = 7) by (j = 3) product (k = 5) (%h[i, k] : tensor<7x5xf32>, %v[j, k] : tensor<3x5xf32>) : f32 outs(%f[z, i, j] : tensor<1x7x3xindex>) {
  ^row(%acc: tensor<3xf32>):
    %z = sinter.index z : index
    %n = arith.fptosi %acc : tensor<3xf32> to tensor<3xi64>
    %m = arith.index_cast %n : tensor<3xi64> to tensor<3xindex>
    %b = sinter.broadcast %z : index -> tensor<3xindex>
    %s = arith.addi %m, %b : tensor<3xindex>
    sinter.yield %s : tensor<3xindex>
  }
  return %y : tensor<1x7x3xindex>
}

// -----

// With bounds: beside the row are zeros.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: reads a neighbour's reduction or product with bounds
func.func @bounds(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> tensor<7x3xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %f = tensor.empty() : tensor<7x3xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (i = 7) by (j = 3) product (k = 5) (%h[i, k - 1] : tensor<7x5xf32> else 0.0, %v[j, k] : tensor<3x5xf32>) : f32 outs(%f[i, j] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<7x3xf32>
}

// -----

// A vector that is summed over the neighbour's rows is known after all of them.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: reads a result reduced over the rows of its neighbour's grid
func.func @grid(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %f = tensor.empty() : tensor<3xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 reduce(add [j] : f32) outs(%e[j] : tensor<5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract () by (j = 3) product (k = 5) (%h[k] : tensor<5xf32>, %v[j, k] : tensor<3x5xf32>) : f32 outs(%f[j] : tensor<3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// -----

// The row is added up over rows that the neighbour does not have.

// CHECK: chains_refused.mlir:[[#@LINE+9]]:{{.+}} remark: reduces over rows, and its neighbour has none
func.func @no_rows(%x: tensor<6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %f = tensor.empty() : tensor<3xf32>
  %h = sinter.contract () by (j = 5) product (k = 6) (%x[k] : tensor<6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[j] : tensor<5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %y = sinter.contract (z = 1) by (j = 3) product (k = 5) (%h[k] : tensor<5xf32>, %v[j, k] : tensor<3x5xf32>) : f32 reduce(add [j] : f32) outs(%f[j] : tensor<3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// -----

// Something stands between them that needs the first, and that the second needs.

// CHECK: chains_refused.mlir:[[#@LINE+15]]:{{.+}} remark: waits for something else that waits for its neighbour
func.func @waits(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> tensor<7x3xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %f = tensor.empty() : tensor<7x3xf32>
  %s = tensor.empty() : tensor<f32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %m = sinter.rowwise (j = 5) by (i = 7) ins(%h[i, j] : tensor<7x5xf32>) reduce(maximumf [] : f32) outs(%s[] : tensor<f32>) {
  ^row(%r: tensor<7xf32>):
    %t = sinter.row_reduce add %r : tensor<7xf32> -> f32
    sinter.yield %t : f32
  }
  %y = sinter.contract (i = 7) by (j = 3) product (k = 5) (%h[i, k] : tensor<7x5xf32>, %v[j, k] : tensor<3x5xf32>) : f32 ins(%m[] : tensor<f32>) outs(%f[i, j] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>, %n: f32):
    %b = sinter.broadcast %n : f32 -> tensor<3xf32>
    %t = arith.addf %acc, %b : tensor<3xf32>
    sinter.yield %t : tensor<3xf32>
  }
  return %y : tensor<7x3xf32>
}

// -----

// A broadcast is picked from: in several groups of `?` columns nobody could say how long it is.

// CHECK: chains_refused.mlir:[[#@LINE+13]]:{{.+}} remark: it reduces a row of constants and broadcasts alone, which any of 2 groups of `?` columns could have
func.func @loose(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %v: tensor<?x?xf32>, %t: tensor<?xi64>) -> (tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %i = tensor.dim %x, %c0 : tensor<?x?xf32>
  %j = tensor.dim %w, %c0 : tensor<?x?xf32>
  %o = tensor.dim %v, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%i, %j) : tensor<?x?xf32>
  %f = tensor.empty(%i, %o) : tensor<?x?xf32>
  %h = sinter.contract (i = ?) by (j = ?) product (k = ?) (%x[i, k] : tensor<?x?xf32>, %w[j, k] : tensor<?x?xf32>) : f32 outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%acc: tensor<?xf32>):
    %a = math.tanh %acc : tensor<?xf32>
    sinter.yield %a : tensor<?xf32>
  }
  %y = sinter.contract (i = ?) by (o = ?) product (k = ?) (%h[i, k] : tensor<?x?xf32>, %v[o, k] : tensor<?x?xf32>) : f32 ins(%t[i] : tensor<?xi64>) outs(%f[i, o] : tensor<?x?xf32>) {
  ^row(%acc: tensor<?xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %n = arith.constant 1.0 : f32
    %ones = sinter.broadcast %n : f32 -> tensor<?xf32>
    %p = sinter.pick %ones[%l] else %z : tensor<?xf32>, i64
    %b = sinter.broadcast %p : f32 -> tensor<?xf32>
    %a = arith.mulf %acc, %b : tensor<?xf32>
    sinter.yield %a : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// A product without columns is of the first group, which would be the neighbour's.

// CHECK: chains_refused.mlir:[[#@LINE+11]]:{{.+}} remark: another product of it uses no columns, and would count as one of its neighbour's
// APART-LABEL: func.func @no_columns
// APART-COUNT-2: sinter.contract
func.func @no_columns(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %v: tensor<4x5xf32>, %y: tensor<2x6xf32>, %z: tensor<6xf32>, %d: tensor<2x4xf32>, %e: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %h = sinter.contract (i = 2) by (u = 4)
      product (k = 3) (%x[i, k] : tensor<2x3xf32>, %w[u, k] : tensor<4x3xf32>) : f32
      outs(%d[i, u] : tensor<2x4xf32>) {
  ^row(%p: tensor<4xf32>):
    %t = math.tanh %p : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  %r = sinter.contract (i = 2) by (j = 5)
      product (k = 4) (%h[i, k] : tensor<2x4xf32>, %v[k, j] : tensor<4x5xf32>) : f32
      product (l = 6) (%y[i, l] : tensor<2x6xf32>, %z[l] : tensor<6xf32>) : f32
      outs(%e[i, j] : tensor<2x5xf32>) {
  ^row(%p: tensor<5xf32>, %q: tensor<5xf32>):
    %s = arith.addf %p, %q : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %r : tensor<2x5xf32>
}

// -----

// What is asked whether it could have other columns, and is no chain, keeps its own.

// APART-LABEL: func @columns
//       APART: sinter.rowwise (i = 2, j = 4, k = 6) by (l = 6)
func.func @columns(%x: tensor<2x4x6x6xf32>, %w: tensor<4x3x3x3xf32>, %d: tensor<2x4x6x6xf32>, %e: tensor<2x3x4x4xf32>) -> (tensor<2x4x6x6xf32>, tensor<2x3x4x4xf32>) {
  %0 = sinter.rowwise (i = 2, j = 4, k = 6) by (l = 6) ins(%x[i, j, k, l] : tensor<2x4x6x6xf32>) outs(%d[i, j, k, l] : tensor<2x4x6x6xf32>) {
  ^row(%a: tensor<6xf32>):
    %b = math.exp %a : tensor<6xf32>
    sinter.yield %b : tensor<6xf32>
  }
  %1 = sinter.contract (i = 2, j = 3) by (k = 4, l = 4)
      product (m = 4, n = 3, o = 3) (%w[m, j, n, o] : tensor<4x3x3x3xf32>, %0[i, m, k + n, l + o] : tensor<2x4x6x6xf32>) : f32
      outs(%e[i, j, k, l] : tensor<2x3x4x4xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  return %0, %1 : tensor<2x4x6x6xf32>, tensor<2x3x4x4xf32>
}

// -----

// A row of one element that is a product's side, and beside it a number of each row: what %u's gradient reads.

// APART-LABEL: func @side_and_number
//       APART: sinter.contract (i = 3) by (j = 1)
//       APART: product (k = 1)
func.func @side_and_number(%x: tensor<3x17xf32>, %w: tensor<1x17xf32>, %u: tensor<17x1xf32>, %g: tensor<3x17xf32>, %d: tensor<3x1xf32>, %e: tensor<3x17xf32>, %f: tensor<17x1xf32>) -> (tensor<3x17xf32>, tensor<17x1xf32>) {
  %h = sinter.contract (i = 3) by (j = 1) product (k = 17) (%x[i, k] : tensor<3x17xf32>, %w[j, k] : tensor<1x17xf32>) : f32 outs(%d[i, j] : tensor<3x1xf32>) {
  ^row(%acc: tensor<1xf32>):
    sinter.yield %acc : tensor<1xf32>
  }
  %r:2 = sinter.contract (i = 3) by (j = 17)
      product (k = 1) (%h[i, k] : tensor<3x1xf32>, %u[j, k] : tensor<17x1xf32>) : f32
      ins(%g[i, j] : tensor<3x17xf32>, %h[i, 0] : tensor<3x1xf32>)
      reduce(add [j] : f32)
      outs(%e[i, j] : tensor<3x17xf32>, %f[j, 0] : tensor<17x1xf32>) {
  ^row(%p: tensor<17xf32>, %a: tensor<17xf32>, %b: f32):
    %c = sinter.broadcast %b : f32 -> tensor<17xf32>
    %m = arith.mulf %a, %c : tensor<17xf32>
    sinter.yield %m, %p : tensor<17xf32>, tensor<17xf32>
  }
  return %r#0, %r#1 : tensor<3x17xf32>, tensor<17x1xf32>
}
