// RUN: sinter-opt %s --split-input-file --sinter-split=target=cpu | FileCheck %s

// Rows of `?` columns that are multiplied again are one kernel where they are few and plain forms where they are many.
// A result that is returned behind a reshape is reshaped in both branches.

// CHECK-LABEL: func.func @batch
// CHECK:       %[[N:.*]] = tensor.dim %arg1, %c0
// CHECK:       %[[FEW:.*]] = arith.cmpi ule, %[[N]], %c2048
// CHECK-NEXT:  %[[Y:.*]]:2 = scf.if %[[FEW]] -> (tensor<24x?x9xf32>, tensor<24x5x1xf32>) {
// CHECK:         %[[ONE:.*]]:2 = sinter.rowwise (c = 24) by (n = ?, p = 9) by (m = 5)
// CHECK:         %[[W:.*]] = tensor.expand_shape %[[ONE]]#1
// CHECK-NEXT:    scf.yield %[[ONE]]#0, %[[W]]
// CHECK-NEXT:  } else {
// CHECK:         %[[R:.*]] = sinter.rowwise (c = 24) by (n = ?, p = 9)
// CHECK-NEXT:      ins
// CHECK:         %[[M:.*]] = sinter.contract (c = 24) by (m = 5)
// CHECK-NEXT:      product (n = ?, p = 9) (%[[R]]
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[M]]
// CHECK-NEXT:    scf.yield %[[R]], %[[V]]
// CHECK-NEXT:  }
// CHECK-NEXT:  return %[[Y]]#0, %[[Y]]#1
func.func @batch(%x: tensor<24x?x9xf32>, %w: tensor<?x9x5xf32>) -> (tensor<24x?x9xf32>, tensor<24x5x1xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<24x?x9xf32>
  %e = tensor.empty(%n) : tensor<24x?x9xf32>
  %f = tensor.empty() : tensor<24x5xf32>
  %y:2 = sinter.rowwise (c = 24) by (n = ?, p = 9) by (m = 5)
      matrix (n, p) to (m) (%w[n, p, m] : tensor<?x9x5xf32>)
      ins(%x[c, n, p] : tensor<24x?x9xf32>)
      outs(%e[c, n, p] : tensor<24x?x9xf32>, %f[c, m] : tensor<24x5xf32>) {
  ^row(%m: tensor<?x5xf32>, %r: tensor<?xf32>):
    %s = sinter.row_reduce add %r : tensor<?xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.subf %r, %b : tensor<?xf32>
    %p = sinter.row_product %d, %m : tensor<?xf32>, tensor<?x5xf32> -> tensor<5xf32>
    sinter.yield %d, %p : tensor<?xf32>, tensor<5xf32>
  }
  %o = tensor.expand_shape %y#1 [[0], [1, 2]] output_shape [24, 5, 1] : tensor<24x5xf32> into tensor<24x5x1xf32>
  return %y#0, %o : tensor<24x?x9xf32>, tensor<24x5x1xf32>
}

// -----

// Of two sizes the larger one decides. What somebody else reads, too, is reshaped where it was.

// CHECK-LABEL: func.func @image
// CHECK:       %[[MOST:.*]] = arith.maxui
// CHECK:       arith.cmpi ule, %[[MOST]], %c128
// CHECK:       scf.if {{.*}} -> (tensor<24x?x?xf32>, tensor<24x5xf32>)
// CHECK-NOT:   tensor.expand_shape
// CHECK:       }
// CHECK:       tensor.expand_shape
func.func @image(%x: tensor<24x?x?xf32>, %w: tensor<?x?x5xf32>) -> (tensor<24x?x?xf32>, tensor<24x5x1xf32>, tensor<24x5xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<24x?x?xf32>
  %v = tensor.dim %x, %c2 : tensor<24x?x?xf32>
  %e = tensor.empty(%h, %v) : tensor<24x?x?xf32>
  %f = tensor.empty() : tensor<24x5xf32>
  %y:2 = sinter.rowwise (c = 24) by (h = ?, v = ?) by (m = 5)
      matrix (h, v) to (m) (%w[h, v, m] : tensor<?x?x5xf32>)
      ins(%x[c, h, v] : tensor<24x?x?xf32>)
      outs(%e[c, h, v] : tensor<24x?x?xf32>, %f[c, m] : tensor<24x5xf32>) {
  ^row(%m: tensor<?x5xf32>, %r: tensor<?xf32>):
    %s = sinter.row_reduce add %r : tensor<?xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %d = arith.subf %r, %b : tensor<?xf32>
    %p = sinter.row_product %d, %m : tensor<?xf32>, tensor<?x5xf32> -> tensor<5xf32>
    sinter.yield %d, %p : tensor<?xf32>, tensor<5xf32>
  }
  %o = tensor.expand_shape %y#1 [[0], [1, 2]] output_shape [24, 5, 1] : tensor<24x5xf32> into tensor<24x5x1xf32>
  return %y#0, %o, %y#1 : tensor<24x?x?xf32>, tensor<24x5x1xf32>, tensor<24x5xf32>
}

// -----

// `?` rows are enough work whatever their number.

// CHECK-LABEL: func.func @rows
// CHECK-NOT:   scf.if
// CHECK:       sinter.rowwise (c = ?) by (n = 9) by (m = 5)
func.func @rows(%x: tensor<?x9xf32>, %w: tensor<9x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c = tensor.dim %x, %c0 : tensor<?x9xf32>
  %f = tensor.empty(%c) : tensor<?x5xf32>
  %y = sinter.rowwise (c = ?) by (n = 9) by (m = 5)
      matrix (n) to (m) (%w[n, m] : tensor<9x5xf32>)
      ins(%x[c, n] : tensor<?x9xf32>)
      outs(%f[c, m] : tensor<?x5xf32>) {
  ^row(%m: tensor<9x5xf32>, %r: tensor<9xf32>):
    %d = math.exp %r : tensor<9xf32>
    %p = sinter.row_product %d, %m : tensor<9xf32>, tensor<9x5xf32> -> tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<?x5xf32>
}
