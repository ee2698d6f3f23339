// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s

// What kept kernels of sizes `?` apart that are one where sizes are known.

// A producer that reads nothing says alone how long its row is. Made in its reader, an empty tensor says it.

// CHECK-LABEL: func @counted
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x3xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[SIZE:.+]] = tensor.empty(%[[N]]) : tensor<?xi1>
//       CHECK:   sinter.rowwise (i = ?) by ()
//  CHECK-NEXT:     ins(%[[SIZE]][i] : tensor<?xi1>)
//  CHECK-NEXT:     reduce(add [] : i64)
//       CHECK:     arith.cmpi ne
//   CHECK-NOT:   sinter.rowwise
func.func @counted(%x: tensor<?x3xf32>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?xi1>
  %f = tensor.empty() : tensor<i64>
  %m = sinter.rowwise () by (i = ?) outs(%e[i] : tensor<?xi1>) {
    %i = sinter.index i : tensor<?xindex>
    %two = arith.constant 2 : index
    %b = sinter.broadcast %two : index -> tensor<?xindex>
    %c = arith.cmpi ne, %i, %b : tensor<?xindex>
    sinter.yield %c : tensor<?xi1>
  }
  %s = sinter.rowwise (i = ?) by () ins(%m[i] : tensor<?xi1>) reduce(add [] : i64) outs(%f[] : tensor<i64>) {
  ^row(%a: i1):
    %w = arith.extui %a : i1 to i64
    sinter.yield %w : i64
  }
  return %s : tensor<i64>
}

// -----

// Bounds that are never left say nothing: a division by a number that nobody knows is done no more often than before.

// CHECK-LABEL: func @inside
// CHECK-COUNT-1: sinter.rowwise
//     CHECK:     arith.divsi
// CHECK-NOT:   sinter.rowwise
func.func @inside(%x: tensor<?xi64>, %d: tensor<i64>) -> tensor<?x3xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %f = tensor.empty(%n) : tensor<?x3xi64>
  %q = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xi64>, %d[] : tensor<i64>) outs(%e[i] : tensor<?xi64>) {
  ^row(%a: tensor<?xi64>, %b: i64):
    %r = sinter.broadcast %b : i64 -> tensor<?xi64>
    %v = arith.divsi %a, %r : tensor<?xi64>
    sinter.yield %v : tensor<?xi64>
  }
  %y = sinter.rowwise (i = ?) by (j = 3) ins(%q[i] : tensor<?xi64> else 0) outs(%f[i, j] : tensor<?x3xi64>) {
  ^row(%a: i64):
    %j = sinter.index j : tensor<3xindex>
    %k = arith.index_cast %j : tensor<3xindex> to tensor<3xi64>
    %b = sinter.broadcast %a : i64 -> tensor<3xi64>
    %v = arith.addi %b, %k : tensor<3xi64>
    sinter.yield %v : tensor<3xi64>
  }
  return %y : tensor<?x3xi64>
}

// -----

// Of another size the value is read outside of its bounds, where it may not be divided.

// CHECK-LABEL: func @outside
// CHECK-COUNT-2: sinter.rowwise
func.func @outside(%x: tensor<?xi64>, %z: tensor<?x3xi64>, %d: tensor<i64>) -> tensor<?x3xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %m = tensor.dim %z, %c0 : tensor<?x3xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %f = tensor.empty(%m) : tensor<?x3xi64>
  %q = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xi64>, %d[] : tensor<i64>) outs(%e[i] : tensor<?xi64>) {
  ^row(%a: tensor<?xi64>, %b: i64):
    %r = sinter.broadcast %b : i64 -> tensor<?xi64>
    %v = arith.divsi %a, %r : tensor<?xi64>
    sinter.yield %v : tensor<?xi64>
  }
  %y = sinter.rowwise (i = ?) by (j = 3) ins(%q[i] : tensor<?xi64> else 0) outs(%f[i, j] : tensor<?x3xi64>) {
  ^row(%a: i64):
    %j = sinter.index j : tensor<3xindex>
    %k = arith.index_cast %j : tensor<3xindex> to tensor<3xi64>
    %b = sinter.broadcast %a : i64 -> tensor<3xi64>
    %v = arith.addi %b, %k : tensor<3xi64>
    sinter.yield %v : tensor<3xi64>
  }
  return %y : tensor<?x3xi64>
}
