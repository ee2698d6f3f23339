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

// Not where all of such a row is asked for: it might leave a core's cache.

// CHECK-LABEL: func @greatest
//       CHECK:   sinter.contract (i = ?) by (j = 8)
//       CHECK:   sinter.contract (i = ?) by (e = ?)
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

// Nor where it is multiplied again.

// CHECK-LABEL: func @again
//       CHECK:   sinter.contract (i = ?) by (e = ?)
//       CHECK:   sinter.contract (i = ?) by (f = 5)
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
