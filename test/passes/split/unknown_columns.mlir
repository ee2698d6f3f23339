// RUN: sinter-opt --sinter-split=target=cpu --split-input-file %s | FileCheck %s

// The rows of the last product are `?` long. Where nobody asks for more than a column at a time, a block of columns is
// all that there is of them, and the products stay one kernel.

// CHECK-LABEL: func @scores
//       CHECK:   sinter.contract (i = ?) by (j = 8) by (e = ?)
//   CHECK-NOT:   sinter.contract
//       CHECK:   return
func.func @scores(%x: tensor<?x16xf32>, %w: tensor<8x16xf32>, %v: tensor<?x8xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.contract (i = ?) by (j = 8) by (e = ?)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[e, j] : tensor<?x8xf32>)
      outs(%o[i, e] : tensor<?x?xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x?xf32>):
    %t = math.tanh %a : tensor<8xf32>
    %p = sinter.row_product %t, %m : tensor<8xf32>, tensor<8x?xf32> -> tensor<?xf32>
    %q = math.absf %p : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// So do they where all of such a row is asked for: a block of rows has it in memory, which is less than all rows would
// take. `?` columns are taken for 1,024.

// CHECK-LABEL: func @greatest
//       CHECK:   sinter.contract (i = ?) by (j = 8) by (e = ?)
//   CHECK-NOT:   sinter.contract
//       CHECK:   return
func.func @greatest(%x: tensor<?x16xf32>, %w: tensor<8x16xf32>, %v: tensor<?x8xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = sinter.contract (i = ?) by (j = 8) by (e = ?)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[e, j] : tensor<?x8xf32>)
      outs(%o[i] : tensor<?xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x?xf32>):
    %t = math.tanh %a : tensor<8xf32>
    %p = sinter.row_product %t, %m : tensor<8xf32>, tensor<8x?xf32> -> tensor<?xf32>
    %q = sinter.row_reduce maximumf %p : tensor<?xf32> -> f32
    sinter.yield %q : f32
  }
  return %y : tensor<?xf32>
}

// -----

// And where it is multiplied again.

// CHECK-LABEL: func @again
//       CHECK:   sinter.contract (i = ?) by (j = 8) by (e = ?) by (f = 5)
//   CHECK-NOT:   sinter.contract
//       CHECK:   return
func.func @again(%x: tensor<?x16xf32>, %w: tensor<8x16xf32>, %v: tensor<?x8xf32>, %u: tensor<5x?xf32>, %o: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %y = sinter.contract (i = ?) by (j = 8) by (e = ?) by (f = 5)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[e, j] : tensor<?x8xf32>)
      matrix (e) to (f) (%u[f, e] : tensor<5x?xf32>)
      outs(%o[i, f] : tensor<?x5xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x?xf32>, %n: tensor<?x5xf32>):
    %t = math.tanh %a : tensor<8xf32>
    %p = sinter.row_product %t, %m : tensor<8xf32>, tensor<8x?xf32> -> tensor<?xf32>
    %q = math.absf %p : tensor<?xf32>
    %r = sinter.row_product %q, %n : tensor<?xf32>, tensor<?x5xf32> -> tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  return %y : tensor<?x5xf32>
}

// -----

// Four such rows would leave a core's cache.

// CHECK-LABEL: func @four
//       CHECK:   sinter.contract (i = ?) by (a = ?)
//       CHECK:   sinter.contract (i = ?) by (b = ?)
//       CHECK:   sinter.contract (i = ?) by (c = ?)
//       CHECK:   sinter.contract (i = ?) by (d = ?)
//       CHECK:   return
func.func @four(%x: tensor<?x16xf32>, %k: tensor<?x16xf32>, %l: tensor<?x?xf32>, %m: tensor<?x?xf32>, %n: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %y = sinter.contract (i = ?) by (a = ?) by (b = ?) by (c = ?) by (d = ?)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %k[a, k] : tensor<?x16xf32>) : f32
      matrix (a) to (b) (%l[b, a] : tensor<?x?xf32>)
      matrix (b) to (c) (%m[c, b] : tensor<?x?xf32>)
      matrix (c) to (d) (%n[d, c] : tensor<?x?xf32>)
      outs(%o[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>, %u: tensor<?x?xf32>, %v: tensor<?x?xf32>, %w: tensor<?x?xf32>):
    %m0 = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %m1 = sinter.broadcast %m0 : f32 -> tensor<?xf32>
    %s = arith.subf %a, %m1 : tensor<?xf32>
    %p = sinter.row_product %s, %u : tensor<?xf32>, tensor<?x?xf32> -> tensor<?xf32>
    %q = sinter.row_product %p, %v : tensor<?xf32>, tensor<?x?xf32> -> tensor<?xf32>
    %r = sinter.row_product %q, %w : tensor<?xf32>, tensor<?x?xf32> -> tensor<?xf32>
    %g = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    sinter.yield %g : f32
  }
  return %y : tensor<?xf32>
}
