// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse=policy=disabled --split-input-file %s | FileCheck %s --check-prefix=DISABLED
// RUN: not sinter-opt --sinter-fuse=policy=most %s 2>&1 | FileCheck %s --check-prefix=CHOICE

// CHOICE: sinter-fuse: policy=most: expected one of disabled|medium|aggressive

// A maximum and what subtracts it are one row program: dimension i is matched through the value
// that flows, j through the operand that both read.

// CHECK-LABEL: func @producer_consumer
//       CHECK:   sinter.rowwise (p = 3) by (q = 5)
//  CHECK-NEXT:     ins(%{{.+}}[p, q] : tensor<3x5xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[p, q] : tensor<3x5xf32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     %[[M:.+]] = sinter.row_reduce maximumf %[[X]]
//  CHECK-NEXT:     %[[B:.+]] = sinter.broadcast %[[M]]
//  CHECK-NEXT:     arith.subf %[[X]], %[[B]]
//   CHECK-NOT:   sinter.rowwise

// DISABLED-LABEL: func @producer_consumer
// DISABLED-COUNT-2: sinter.rowwise
func.func @producer_consumer(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %d = tensor.empty() : tensor<3x5xf32>
  %m = sinter.rowwise (p = 3) by (q = 5) ins(%x[p, q] : tensor<3x5xf32>) outs(%e[p] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>):
    %s = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %m[i] : tensor<3xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<5xf32>
    %c = arith.subf %r, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Two kernels that read the same operand read it once; each keeps its result.

// CHECK-LABEL: func @siblings
//       CHECK:   %[[Y:.+]]:2 = sinter.rowwise (i = 3) by (j = 5)
//       CHECK:     reduce(add [] : f32)
//       CHECK:     sinter.yield %{{.+}}, %{{.+}} : f32, tensor<5xf32>
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return %[[Y]]#1, %[[Y]]#0
func.func @siblings(%x: tensor<3x5xf32>) -> (tensor<f32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %s = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  return %s, %y : tensor<f32>, tensor<3x5xf32>
}

// -----

// What follows a reduction over all rows runs in finish, once.

// CHECK-LABEL: func @into_finish
//       CHECK:   sinter.rowwise
//       CHECK:   } finish {
//       CHECK:   ^done(%[[S:.+]]: f32, %[[N:.+]]: f32):
//       CHECK:     arith.divf %[[S]], %[[N]] : f32
//   CHECK-NOT:   sinter.rowwise
func.func @into_finish(%x: tensor<3x5xf32>, %n: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %s = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %m = sinter.rowwise () by () ins(%s[] : tensor<f32>, %n[] : tensor<f32>) outs(%e[] : tensor<f32>) {
  ^row(%a: f32, %b: f32):
    %c = arith.divf %a, %b : f32
    sinter.yield %c : f32
  }
  return %m : tensor<f32>
}

// -----

// Per-row losses are summed where they are made, although the sum is spelled over a vector.

// CHECK-LABEL: func @sum_of_rows
//       CHECK:   sinter.rowwise (i = 3) by (j = 5)
//       CHECK:     reduce(add [] : f32)
//       CHECK:     outs(%{{.+}}[] : tensor<f32>)
//   CHECK-NOT:   sinter.rowwise
func.func @sum_of_rows(%x: tensor<3x5xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<3xf32>
  %m = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %s = sinter.rowwise (k = 3) by () ins(%m[k] : tensor<3xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: f32):
    sinter.yield %r : f32
  }
  return %s : tensor<f32>
}

// -----

// Bias, activation and a sum over the batch are epilogues of the product.

// CHECK-LABEL: func @epilogue
//       CHECK:   sinter.contract (i = 3) by (j = 5)
//  CHECK-NEXT:     product (k = 7) (%{{.+}}[i, k] : tensor<3x7xf32>, %{{.+}}[j, k] : tensor<5x7xf32>) : f32
//  CHECK-NEXT:     ins(%{{.+}}[j] : tensor<5xf32>)
//  CHECK-NEXT:     reduce(add [j] : f32)
//   CHECK-NOT:   sinter.rowwise
func.func @epilogue(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>, %b: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>) {
  %d = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<5xf32>
  %p = sinter.contract (i = 3) by (j = 5) product (k = 7) (%x[i, k] : tensor<3x7xf32>, %w[j, k] : tensor<5x7xf32>) : f32 outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%p[i, j] : tensor<3x5xf32>, %b[j] : tensor<5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %s: tensor<5xf32>):
    %c = arith.addf %r, %s : tensor<5xf32>
    %t = math.tanh %c : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %g = sinter.rowwise (i = 3) by (j = 5) ins(%y[i, j] : tensor<3x5xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>):
    sinter.yield %r : tensor<5xf32>
  }
  return %y, %g : tensor<3x5xf32>, tensor<5xf32>
}

// -----

// A transpose on a side of a product is a subscript; elsewhere it is made where it is read.

// CHECK-LABEL: func @transposed
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3) by (j = 5)
//  CHECK-NEXT:     product (k = 7) (%{{.+}}[i, k] : tensor<3x7xf32>, %{{.+}}[j, k] : tensor<5x7xf32>) : f32
func.func @transposed(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>) -> tensor<3x5xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<7x5xf32>
  %t = sinter.rowwise (a = 7) by (b = 5) ins(%w[b, a] : tensor<5x7xf32>) outs(%e[a, b] : tensor<7x5xf32>) {
  ^row(%r: tensor<5xf32>):
    sinter.yield %r : tensor<5xf32>
  }
  %p = sinter.contract (i = 3) by (j = 5) product (k = 7) (%x[i, k] : tensor<3x7xf32>, %t[k, j] : tensor<7x5xf32>) : f32 outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %p : tensor<3x5xf32>
}

// -----

// A mask made from labels is made again by each of its two readers, which cannot be one kernel.

// CHECK-LABEL: func @made_again
// CHECK-COUNT-2: arith.cmpi ne
//   CHECK-NOT:   arith.cmpi
func.func @made_again(%x: tensor<3x7xf32>, %w: tensor<3x7xf32>, %v: tensor<4x3xf32>, %t: tensor<3xi64>) -> (tensor<3x4xf32>, tensor<3x3xf32>) {
  %d = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3xi1>
  %o = tensor.empty() : tensor<3x4xf32>
  %m = sinter.rowwise () by (i = 3) ins(%t[i] : tensor<3xi64>) outs(%e[i] : tensor<3xi1>) {
  ^row(%r: tensor<3xi64>):
    %c = arith.constant dense<-100> : tensor<3xi64>
    %n = arith.cmpi ne, %r, %c : tensor<3xi64>
    sinter.yield %n : tensor<3xi1>
  }
  %p = sinter.contract (i = 3) by (j = 3) product (k = 7) (%x[i, k] : tensor<3x7xf32>, %w[j, k] : tensor<3x7xf32>) : f32 ins(%m[i] : tensor<3xi1>) outs(%d[i, j] : tensor<3x3xf32>) {
  ^row(%acc: tensor<3xf32>, %n: i1):
    %z = arith.constant dense<0.0> : tensor<3xf32>
    %c = arith.select %n, %acc, %z : tensor<3xf32>
    sinter.yield %c : tensor<3xf32>
  }
  %q = sinter.contract (i = 3) by (j = 4) product (k = 3) (%p[k, i] : tensor<3x3xf32>, %v[j, k] : tensor<4x3xf32>) : f32 ins(%m[i] : tensor<3xi1>) outs(%o[i, j] : tensor<3x4xf32>) {
  ^row(%acc: tensor<4xf32>, %n: i1):
    %z = arith.constant dense<1.0> : tensor<4xf32>
    %c = arith.select %n, %acc, %z : tensor<4xf32>
    sinter.yield %c : tensor<4xf32>
  }
  return %q, %p : tensor<3x4xf32>, tensor<3x3xf32>
}

// -----

// A result reduced over the grid is known only after it: the second pass is a kernel of its own, also
// where the first could run beside what follows.

// CHECK-LABEL: func @reduced_over_the_grid
// CHECK-COUNT-2: sinter.rowwise
func.func @reduced_over_the_grid(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<3x5xf32>
  %s = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) reduce(maximumf [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %s[] : tensor<f32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %m: f32):
    %b = sinter.broadcast %m : f32 -> tensor<5xf32>
    %c = arith.divf %r, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// The gradient waits for a count of labels; the loss does not. The loss goes with the gradient, which
// reads the same matrix, not with the count, which reads the same labels.

// CHECK-LABEL: func @count_first
//       CHECK:   sinter.rowwise (i = 3) by ()
//       CHECK:   sinter.rowwise (i = 3) by (j = 5)
//       CHECK:     outs(%{{.+}}[] : tensor<f32>, %{{.+}}[i, j] : tensor<3x5xf32>)
//   CHECK-NOT:   sinter.rowwise
func.func @count_first(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<3x5xf32>
  %l = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %t[i] : tensor<3xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>, %k: i64):
    %z = arith.constant 0.0 : f32
    %c = sinter.pick %r[%k] else %z : tensor<5xf32>, i64
    sinter.yield %c : f32
  }
  %n = sinter.rowwise (i = 3) by () ins(%t[i] : tensor<3xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%k: i64):
    %f = arith.sitofp %k : i64 to f32
    sinter.yield %f : f32
  }
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %n[] : tensor<f32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>, %m: f32):
    %b = sinter.broadcast %m : f32 -> tensor<5xf32>
    %c = arith.divf %r, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %l, %y : tensor<f32>, tensor<3x5xf32>
}

// -----

// A neighbour that computes a side of the product for other rows stays in front of it.

// CHECK-LABEL: func @side_of_a_product
//       CHECK:   sinter.rowwise
//       CHECK:     sinter.row_reduce
//       CHECK:   sinter.contract
func.func @side_of_a_product(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>) -> tensor<3x5xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<5x7xf32>
  %t = sinter.rowwise (a = 5) by (b = 7) ins(%w[a, b] : tensor<5x7xf32>) outs(%e[a, b] : tensor<5x7xf32>) {
  ^row(%r: tensor<7xf32>):
    %s = sinter.row_reduce add %r : tensor<7xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<7xf32>
    %c = arith.divf %r, %b : tensor<7xf32>
    sinter.yield %c : tensor<7xf32>
  }
  %p = sinter.contract (i = 3) by (j = 5) product (k = 7) (%x[i, k] : tensor<3x7xf32>, %t[j, k] : tensor<5x7xf32>) : f32 outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %p : tensor<3x5xf32>
}

// -----

// A reduction over rows of another length is another kernel.

// CHECK-LABEL: func @other_length
// CHECK-COUNT-2: sinter.rowwise
func.func @other_length(%x: tensor<3x5xf32>, %y: tensor<3x4xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %a = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %b = sinter.rowwise (i = 3) by (j = 4) ins(%y[i, j] : tensor<3x4xf32>, %a[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<4xf32>, %m: f32):
    %c = sinter.row_reduce maximumf %r : tensor<4xf32> -> f32
    %d = arith.addf %c, %m : f32
    sinter.yield %d : f32
  }
  return %b : tensor<3xf32>
}

// -----

// A call with an effect keeps its place between two kernels.

// CHECK-LABEL: func @effect_between
//       CHECK:   sinter.rowwise
//       CHECK:   call @print
//       CHECK:   sinter.rowwise
func.func private @print(tensor<3x5xf32>)
func.func @effect_between(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %a = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  func.call @print(%a) : (tensor<3x5xf32>) -> ()
  %b = sinter.rowwise (i = 3) by (j = 5) ins(%a[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.log %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %b : tensor<3x5xf32>
}

// -----

// Work in steps that waits for the first moves behind what the two become, though it asserts.

// CHECK-LABEL: func @steps_between
//       CHECK:   %[[Y:.+]]:2 = sinter.rowwise
//       CHECK:     math.exp
//       CHECK:     math.tanh
//       CHECK:   sinter.steps rows(0) ins(%[[Y]]#0
//   CHECK-NOT:   sinter.rowwise
func.func @steps_between(%x: tensor<3x5xf32>, %n: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %d = tensor.empty() : tensor<3x5xf32>
  %a = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %s = sinter.steps rows(0) ins(%a : tensor<3x5xf32>) outs(%n : tensor<3x5xf32>) -> tensor<3x5xf32> {
  ^row(%i: index, %in: memref<3x5xf32>, %out: memref<3x5xf32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = memref.load %in[%i, %c0] : memref<3x5xf32>
    %positive = arith.cmpf ogt, %v, %zero : f32
    cf.assert %positive, "not positive"
    memref.store %v, %out[%i, %c0] : memref<3x5xf32>
    sinter.yield
  }
  %b = sinter.rowwise (i = 3) by (j = 5) ins(%a[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.tanh %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %s, %b : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// The finish of a loss reads a scalar that a small kernel makes, and so does its body: the scalar is
// computed in both.

// CHECK-LABEL: func @uniform_in_finish
//       CHECK:   sinter.rowwise (i = 3) by (j = 5)
//       CHECK:     arith.negf
//       CHECK:   finish {
//       CHECK:     arith.negf
//       CHECK:     arith.mulf
//   CHECK-NOT:   sinter.rowwise
func.func @uniform_in_finish(%x: tensor<3x5xf32>, %n: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %m = sinter.rowwise () by () ins(%n[] : tensor<f32>) outs(%e[] : tensor<f32>) {
  ^row(%b: f32):
    %c = arith.negf %b : f32
    sinter.yield %c : f32
  }
  %s = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %m[] : tensor<f32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>, %k: f32):
    %b = sinter.broadcast %k : f32 -> tensor<5xf32>
    %d = arith.addf %r, %b : tensor<5xf32>
    %c = sinter.row_reduce add %d : tensor<5xf32> -> f32
    sinter.yield %c : f32
  } finish {
  ^done(%t: f32, %k: f32):
    %f = arith.mulf %t, %k : f32
    sinter.yield %f : f32
  }
  return %s : tensor<f32>
}

// -----

// A total over three dimensions, raised with the last one as columns, runs over the rows of the kernel that
// makes what it sums: no column is left to sum over there.

// CHECK-LABEL: func @total_over_rows
//       CHECK:   sinter.rowwise (i = 3, j = 2) by (k = 5)
//       CHECK:     reduce(add [] : f32)
//       CHECK:     %[[M:.+]] = sinter.row_reduce maximumf
//       CHECK:     sinter.yield %[[M]] : f32
//   CHECK-NOT:   sinter.rowwise
func.func @total_over_rows(%x: tensor<3x5x2xf32>) -> tensor<f32> {
  %d = tensor.empty() : tensor<3x2xf32>
  %e = tensor.empty() : tensor<f32>
  %m = sinter.rowwise (i = 3, j = 2) by (k = 5) ins(%x[i, k, j] : tensor<3x5x2xf32>) outs(%d[i, j] : tensor<3x2xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %s = sinter.rowwise (i = 3) by (j = 2) ins(%m[i, j] : tensor<3x2xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<2xf32>):
    %c = sinter.row_reduce add %r : tensor<2xf32> -> f32
    sinter.yield %c : f32
  }
  return %s : tensor<f32>
}

// -----

// A total over some of the rows would count each of its points again for the others: it stays apart.

// CHECK-LABEL: func @total_over_some
// CHECK-COUNT-2: sinter.rowwise
func.func @total_over_some(%x: tensor<3x5xf32>, %w: tensor<3xf32>) -> (tensor<3x2x5xf32>, tensor<f32>) {
  %d = tensor.empty() : tensor<3x2x5xf32>
  %e = tensor.empty() : tensor<f32>
  %m = sinter.rowwise (i = 3, h = 2) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, h, j] : tensor<3x2x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %b = sinter.broadcast %c : f32 -> tensor<5xf32>
    sinter.yield %b : tensor<5xf32>
  }
  %s = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  return %m, %s : tensor<3x2x5xf32>, tensor<f32>
}

// -----

// Two products that meet in an epilogue are one kernel with two products.

// CHECK-LABEL: func @two_products
//       CHECK:   sinter.contract (i = 3) by (j = 5)
//  CHECK-NEXT:     product (k = 7)
//  CHECK-NEXT:     product (k1 = 4)
//       CHECK:     arith.addf
//   CHECK-NOT:   sinter.contract
func.func @two_products(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>, %h: tensor<3x4xf32>, %u: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %p = sinter.contract (i = 3) by (j = 5) product (k = 7) (%x[i, k] : tensor<3x7xf32>, %w[j, k] : tensor<5x7xf32>) : f32 outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %q = sinter.contract (i = 3) by (j = 5) product (k = 4) (%h[i, k] : tensor<3x4xf32>, %u[j, k] : tensor<5x4xf32>) : f32 ins(%p[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>, %b: tensor<5xf32>):
    %c = arith.addf %acc, %b : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %q : tensor<3x5xf32>
}

// -----

// A total over a vector needs rows to walk; what walks columns alone takes them on.

// CHECK-LABEL: func @rows_for_the_total
//       CHECK:   sinter.rowwise (i = 5) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i] : tensor<5xf32>)
//  CHECK-NEXT:     reduce(minimumf [] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[] : tensor<f32>, %{{.+}}[i] : tensor<5xf32>)
//   CHECK-NOT:   sinter.rowwise
func.func @rows_for_the_total(%x: tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<5xf32>
  %s = sinter.rowwise (i = 5) by () ins(%x[i] : tensor<5xf32>) reduce(minimumf [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  %y = sinter.rowwise () by (j = 5) ins(%x[j] : tensor<5xf32>) outs(%d[j] : tensor<5xf32>) {
  ^row(%a: tensor<5xf32>):
    %n = math.absf %a : tensor<5xf32>
    sinter.yield %n : tensor<5xf32>
  }
  return %s, %y : tensor<f32>, tensor<5xf32>
}

// -----

// One element of a row of sums is no row: it is read from memory.

// CHECK-LABEL: func @one_element_of_a_row
// CHECK-COUNT-2: sinter.rowwise
func.func @one_element_of_a_row(%x: tensor<3x1xf32>, %n: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<1xf32>
  %d = tensor.empty() : tensor<f32>
  %s = sinter.rowwise (i = 3) by (j = 1) ins(%x[i, j] : tensor<3x1xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<1xf32>) {
  ^row(%a: tensor<1xf32>):
    sinter.yield %a : tensor<1xf32>
  }
  %y = sinter.rowwise () by () ins(%s[0] : tensor<1xf32>, %n[] : tensor<f32>) outs(%d[] : tensor<f32>) {
  ^row(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    sinter.yield %q : f32
  }
  return %y : tensor<f32>
}

// -----

// An embedding moves into what reads it, with its assert; equal asserts are one. A loss of its own
// rows, where the last dimension is a row on its own and a column here: the whole row is asserted.

// CHECK-LABEL: func @asserts
//       CHECK:   sinter.rowwise (i = 4) by (j = 3)
//   CHECK-NOT:   sinter.rowwise
//       CHECK:     sinter.row_reduce and %{{.+}} : tensor<3xi1> -> i1
//       CHECK:     cf.assert
//   CHECK-NOT:     cf.assert
//       CHECK:     sinter.row_reduce add
func.func @asserts(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x3xf32>
  %f = tensor.empty() : tensor<4xf32>
  %a = sinter.rowwise (i = 4, j = 3) by () ins(%x[i, j] : tensor<4x3xf32>) outs(%e[i, j] : tensor<4x3xf32>) {
  ^row(%v: f32):
    %z = arith.constant 0.0 : f32
    %ok = arith.cmpf ogt, %v, %z : f32
    cf.assert %ok, "not positive"
    cf.assert %ok, "not positive"
    %l = math.log %v : f32
    sinter.yield %l : f32
  }
  %s = sinter.rowwise (i = 4) by (j = 3) ins(%a[i, j] : tensor<4x3xf32>) outs(%f[i] : tensor<4xf32>) {
  ^row(%v: tensor<3xf32>):
    %r = sinter.row_reduce add %v : tensor<3xf32> -> f32
    sinter.yield %r : f32
  }
  return %a, %s : tensor<4x3xf32>, tensor<4xf32>
}

// -----

// A table is read anywhere: what makes it is a kernel before.

// CHECK-LABEL: func @table
//       CHECK:   sinter.rowwise
//       CHECK:     math.exp
//       CHECK:   sinter.rowwise
//       CHECK:     sinter.gather
func.func @table(%x: tensor<9xf32>, %t: tensor<9xi64>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %a = sinter.rowwise () by (j = 9) ins(%x[j] : tensor<9xf32>) outs(%e[j] : tensor<9xf32>) {
  ^row(%v: tensor<9xf32>):
    %l = math.exp %v : tensor<9xf32>
    sinter.yield %l : tensor<9xf32>
  }
  %y = sinter.rowwise () by (j = 9) ins(%a[?] : tensor<9xf32>, %t[j] : tensor<9xi64>) outs(%e[j] : tensor<9xf32>) {
  ^row(%v: memref<9xf32>, %i: tensor<9xi64>):
    %z = arith.constant 0.0 : f32
    %l = sinter.gather %v[%i] else %z : memref<9xf32>, tensor<9xi64> -> tensor<9xf32>
    sinter.yield %l : tensor<9xf32>
  }
  return %y : tensor<9xf32>
}

// -----

// Two lengths that nobody knows need not be one: nothing says that these rows are equally long.

// CHECK-LABEL: func @unknown_lengths
// CHECK-COUNT-2: sinter.rowwise (
func.func @unknown_lengths(%x: tensor<3x?xf32>, %y: tensor<3x?xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %a = sinter.rowwise (i = 3) by (j = ?) ins(%x[i, j] : tensor<3x?xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<?xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    sinter.yield %c : f32
  }
  %b = sinter.rowwise (i = 3) by (j = ?) ins(%y[i, j] : tensor<3x?xf32>, %a[i] : tensor<3xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<?xf32>, %m: f32):
    %c = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    %d = arith.addf %c, %m : f32
    sinter.yield %d : f32
  }
  return %b : tensor<3xf32>
}

// -----

// Row numbers have no input: fused, an empty tensor that nobody reads tells how many rows there are.

// CHECK-LABEL: func @size_of_nothing
//       CHECK:   %[[ROWS:.+]] = tensor.empty(%{{.+}}) : tensor<?xi1>
//       CHECK:   sinter.rowwise (i = ?)
//  CHECK-NEXT:     ins(%[[ROWS]][i] : tensor<?xi1>)
//   CHECK-NOT:   sinter.rowwise
func.func @size_of_nothing(%x: tensor<?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = tensor.empty() : tensor<f32>
  %0 = sinter.rowwise (i = ?) by () ins() outs(%e[i] : tensor<?xf32>) {
  ^row:
    %i = sinter.index i : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    sinter.yield %f : f32
  }
  %1 = sinter.rowwise (i = ?) by () ins(%0[i] : tensor<?xf32>) reduce(add [] : f32) outs(%z[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return %1 : tensor<f32>
}

// -----

// Two sizes `?` that were made of one dimension of %x are one size: a sum over a mask joins the sums over %x. Made of
// different values, they are not taken for one.

// CHECK-LABEL: func @one_size
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @two_sizes
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
func.func @one_size(%x: tensor<?x?xf32>, %t: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = tensor.empty(%m) : tensor<?xf32>
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>, %t[i] : tensor<?xf32>) outs(%z[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>, %k: f32):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %q = arith.mulf %s, %k : f32
    sinter.yield %q : f32
  }
  %1 = sinter.rowwise (i = ?) by (j = ?) ins(%t[i] : tensor<?xf32>) outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%k: f32):
    %b = sinter.broadcast %k : f32 -> tensor<?xf32>
    %q = math.exp %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}

func.func @two_sizes(%x: tensor<?x?xf32>, %t: tensor<?xf32>, %y: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = tensor.empty(%m) : tensor<?xf32>
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>, %t[i] : tensor<?xf32>) outs(%z[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>, %k: f32):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %q = arith.mulf %s, %k : f32
    sinter.yield %q : f32
  }
  %1 = sinter.rowwise (i = ?) by (j = ?) ins(%t[i] : tensor<?xf32>) outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%k: f32):
    %b = sinter.broadcast %k : f32 -> tensor<?xf32>
    %q = math.exp %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// A form that has a schedule stays as it is: the schedule is of that form.

// CHECK-LABEL: func @scheduled
// CHECK-COUNT-2: sinter.rowwise
func.func @scheduled(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = sinter.rowwise (i = 8) by (j = 16) ins(%x[i, j] : tensor<8x16xf32>) outs(%e[i, j] : tensor<8x16xf32>)
      schedule(#sinter.rows<chunk = 1, lanes = 16, residency = "reread", unroll = 1>) {
  ^row(%a: tensor<16xf32>):
    %q = math.exp %a : tensor<16xf32>
    sinter.yield %q : tensor<16xf32>
  }
  %1 = sinter.rowwise (i = 8) by (j = 16) ins(%0[i, j] : tensor<8x16xf32>) outs(%e[i, j] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %q = math.tanh %a : tensor<16xf32>
    sinter.yield %q : tensor<16xf32>
  }
  return %1 : tensor<8x16xf32>
}

// -----

// A finish that needs no accumulator any more is still a finish, and what reads its result moves into it.

// CHECK-LABEL: func @finish_of_a_constant
//       CHECK:   sinter.rowwise (i = 5) by ()
//       CHECK:   finish
//       CHECK:     arith.cmpf olt
//   CHECK-NOT:   sinter.rowwise
func.func @finish_of_a_constant(%x: tensor<5xf32>, %u: tensor<f32>) -> tensor<i1> {
  %e = tensor.empty() : tensor<f32>
  %c = tensor.empty() : tensor<i1>
  %0 = sinter.rowwise (i = 5) by () ins(%x[i] : tensor<5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%r: f32):
    sinter.yield %r : f32
  } finish {
  ^done(%s: f32):
    %k = arith.constant 2.0 : f32
    sinter.yield %k : f32
  }
  %1 = sinter.rowwise () by () ins(%0[] : tensor<f32>, %u[] : tensor<f32>) outs(%c[] : tensor<i1>) {
  ^row(%a: f32, %b: f32):
    %q = arith.cmpf olt, %a, %b : f32
    sinter.yield %q : i1
  }
  return %1 : tensor<i1>
}

// -----

// One element of what is read again elsewhere does not write the whole: its destination is of size 3.

// CHECK-LABEL: func @one_element_beside_the_whole
//       CHECK:   %[[S:.+]] = sinter.rowwise () by (i = 3)
//       CHECK:     arith.addf
//       CHECK:   sinter.rowwise (j = 1) by ()
//  CHECK-NEXT:     ins(%[[S]][2] : tensor<3xf64>)
//       CHECK:   sinter.rowwise () by (i = 3)
//  CHECK-NEXT:     ins(%{{.+}}[i] : tensor<3xf64>, %[[S]][2] : tensor<3xf64>)
func.func @one_element_beside_the_whole(%x: tensor<3xf64>, %n: tensor<f64>) -> (tensor<3xi1>, tensor<1x1x1xf64>) {
  %e = tensor.empty() : tensor<3xf64>
  %f = tensor.empty() : tensor<3xi1>
  %g = tensor.empty() : tensor<1x1x1xf64>
  %s = sinter.rowwise () by (i = 3) ins(%x[i] : tensor<3xf64>, %n[] : tensor<f64>) outs(%e[i] : tensor<3xf64>) {
  ^row(%a: tensor<3xf64>, %m: f64):
    %r = sinter.broadcast %m : f64 -> tensor<3xf64>
    %b = arith.addf %a, %r : tensor<3xf64>
    sinter.yield %b : tensor<3xf64>
  }
  %y = sinter.rowwise (i = 1, j = 1) by (k = 1) ins(%s[k * 2 + 2] : tensor<3xf64>) outs(%g[i, j, k] : tensor<1x1x1xf64>) {
  ^row(%a: tensor<1xf64>):
    sinter.yield %a : tensor<1xf64>
  }
  %c = sinter.rowwise () by (i = 3) ins(%x[i] : tensor<3xf64>, %s[2] : tensor<3xf64>) outs(%f[i] : tensor<3xi1>) {
  ^row(%a: tensor<3xf64>, %b: f64):
    %w = sinter.broadcast %b : f64 -> tensor<3xf64>
    %q = arith.cmpf one, %a, %w : tensor<3xf64>
    sinter.yield %q : tensor<3xi1>
  }
  return %c, %y : tensor<3xi1>, tensor<1x1x1xf64>
}

// -----

// Of several results each is looked at by itself: the number that one of them is costs nothing to make again, whatever
// the others read, so it is not read with bounds from a kernel that makes them.

// CHECK-LABEL: func @number_among_others
//       CHECK:   sinter.rowwise (i = 40) by (j = 16)
//  CHECK-NEXT:     ins(%arg1[i, j] : tensor<40x16xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i] : tensor<40xf32>) {
//       CHECK:   sinter.rowwise (i = 40) by (j = 2)
//  CHECK-NEXT:     ins(%arg0[i] : tensor<40xi64>)
//   CHECK-NOT:   sinter.rowwise
func.func @number_among_others(%t: tensor<40xi64>, %x: tensor<40x16xf32>) -> (tensor<40x2xi64>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40xi64>
  %ef = tensor.empty() : tensor<40xf32>
  %e2 = tensor.empty() : tensor<40x2xi64>
  %v = sinter.rowwise (i = 40) by (j = 16) ins(%x[i, j] : tensor<40x16xf32>) outs(%ef[i] : tensor<40xf32>) {
  ^row(%y: tensor<16xf32>):
    %z = sinter.row_reduce add %y : tensor<16xf32> -> f32
    sinter.yield %z : f32
  }
  %a:3 = sinter.rowwise () by (i = 40) ins(%t[i] : tensor<40xi64>, %v[i] : tensor<40xf32>)
      outs(%e[i] : tensor<40xi64>, %e[i] : tensor<40xi64>, %ef[i] : tensor<40xf32>) {
  ^row(%l: tensor<40xi64>, %y: tensor<40xf32>):
    %zero = arith.constant dense<0> : tensor<40xi64>
    sinter.yield %l, %zero, %y : tensor<40xi64>, tensor<40xi64>, tensor<40xf32>
  }
  %b = sinter.rowwise (i = 40) by (j = 2)
      ins(%a#0[i] : tensor<40xi64> else 0, %a#1[i] : tensor<40xi64> else 0) outs(%e2[i, j] : tensor<40x2xi64>) {
  ^row(%l: i64, %z: i64):
    %one = arith.constant dense<1> : tensor<2xindex>
    %j = sinter.index j : tensor<2xindex>
    %first = arith.cmpi ult, %j, %one : tensor<2xindex>
    %lr = sinter.broadcast %l : i64 -> tensor<2xi64>
    %zr = sinter.broadcast %z : i64 -> tensor<2xi64>
    %r = arith.select %first, %lr, %zr : tensor<2xi1>, tensor<2xi64>
    sinter.yield %r : tensor<2xi64>
  }
  return %b, %a#2 : tensor<40x2xi64>, tensor<40xf32>
}

// -----

// Padded by one and by two, a length ? is two lengths: what both read with bounds says nothing of how many there are.

// CHECK-LABEL: func @two_paddings
// CHECK-COUNT-2: sinter.rowwise
func.func @two_paddings(%x: tensor<?xf32>, %n: index, %m: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32> else 0.0) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.exp %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  %b = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32> else 0.0) outs(%f[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.tanh %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
