// RUN: sinter-opt --sinter-cost --split-input-file %s | FileCheck %s

// A reduction and two operations on floats for each of 4 x 9 elements, one for each of 4 rows; the comparison and the
// select are none. The vector is read once for all rows, the scalar of a row once for each.

// CHECK: func.func private @rows
// CHECK-SAME: sinter.cost = {flops = [array<i64: 108>, array<i64: 4>], kind = "rowwise",
// CHECK-SAME: reads = [array<i64: 0, 36>, array<i64: 1, 9>, array<i64: 2, 4>], writes = [array<i64: 3, 4>]}
func.func private @rows(%x: memref<4x9xf32>, %v: memref<9xf32>, %s: memref<4xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 9)
      ins(%x[i, j] : memref<4x9xf32>, %v[j] : memref<9xf32>, %s[i] : memref<4xf32>) outs(%y[i] : memref<4xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>, %c: f32):
    %0 = arith.mulf %a, %b : tensor<9xf32>
    %1 = math.exp %0 : tensor<9xf32>
    %2 = sinter.row_reduce add %1 : tensor<9xf32> -> f32
    %3 = arith.cmpf ogt, %2, %c : f32
    %4 = arith.select %3, %2, %c : f32
    %5 = arith.addf %4, %c : f32
    sinter.yield %5 : f32
  }
  return
}

// -----

// A product is two for each of its 5 x ? x 7 multiplications; `?` is dimension 1 of argument 1.

// CHECK: func.func private @product
// CHECK-SAME: sinter.cost = {flops = [array<i64: 70, 1, 1>], kind = "contract",
// CHECK-SAME: reads = [array<i64: 0, 35>, array<i64: 1, 7, 1, 1>], writes = [array<i64: 2, 5, 1, 1>]}
func.func private @product(%x: memref<5x7xf32>, %w: memref<7x?xf32>, %y: memref<5x?xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 5) by (j = ?)
      product (k = 7) (%x[i, k] : memref<5x7xf32>, %w[k, j] : memref<7x?xf32>) : f32
      outs(%y[i, j] : memref<5x?xf32>) {
  ^row(%p: tensor<?xf32>):
    sinter.yield %p : tensor<?xf32>
  }
  return
}

// -----

// The program of a side: one for each of its 5 x 7 elements, and for each of its 5 rows.

// CHECK: func.func private @side
// CHECK-SAME: sinter.cost = {flops = [array<i64: 630>, array<i64: 35>, array<i64: 5>], kind = "contract",
// CHECK-SAME: reads = [array<i64: 0, 35>, array<i64: 1, 5>, array<i64: 2, 63>]
func.func private @side(%x: memref<5x7xf32>, %r: memref<5xf32>, %w: memref<7x9xf32>, %y: memref<5x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 5) by (j = 9)
      product (k = 7) (side(%x[i, k] : memref<5x7xf32>, %r[i] : memref<5xf32>) {
      ^side(%a: tensor<7xf32>, %b: f32):
        %s = math.sqrt %b : f32
        %t = sinter.broadcast %s : f32 -> tensor<7xf32>
        %m = arith.mulf %a, %t : tensor<7xf32>
        sinter.yield %m : tensor<7xf32>
      }, %w[k, j] : memref<7x9xf32>) : f32
      outs(%y[i, j] : memref<5x9xf32>) {
  ^row(%p: tensor<9xf32>):
    sinter.yield %p : tensor<9xf32>
  }
  return
}

// -----

// A table is read once for each element, not whole: 3 x 8 of 50 x 8.

// CHECK: func.func private @table
// CHECK-SAME: reads = [array<i64: 0, 3>, array<i64: 1, 24>], writes = [array<i64: 2, 24>]}
func.func private @table(%t: memref<3xi64>, %e: memref<50x8xf32>, %y: memref<3x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 8)
      ins(%t[i] : memref<3xi64>, %e[?, ?] : memref<50x8xf32>) outs(%y[i, j] : memref<3x8xf32>) {
  ^row(%a: i64, %b: memref<50x8xf32>):
    %zero = arith.constant 0.0 : f32
    %j = sinter.index j : tensor<8xindex>
    %0 = sinter.gather %b[%a, %j] else %zero : memref<50x8xf32>, i64, tensor<8xindex> -> tensor<8xf32>
    sinter.yield %0 : tensor<8xf32>
  }
  return
}

// -----

// The sum over rows is an addition for each row.

// CHECK: func.func private @total
// CHECK-SAME: flops = [array<i64: 36>, array<i64: 4>]
func.func private @total(%x: memref<4x9xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>) {
  ^row(%a: tensor<9xf32>):
    %0 = sinter.row_reduce add %a : tensor<9xf32> -> f32
    sinter.yield %0 : f32
  }
  return
}
// -----

// Two multiplications for each of 5 x 8 x 7 and of 5 x 3 x 8, and an exponential for each of 5 x 8 and a sum over each
// of 5 x 3.

// CHECK: func.func private @chain
// CHECK-SAME: sinter.cost = {flops = [array<i64: 560>, array<i64: 240>, array<i64: 40>, array<i64: 15>], kind = "contract",
// CHECK-SAME: reads = [array<i64: 0, 35>, array<i64: 1, 56>, array<i64: 2, 24>], writes = [array<i64: 3, 5>]}
func.func private @chain(%x: memref<5x7xf32>, %w: memref<7x8xf32>, %v: memref<8x3xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 5) by (j = 8) by (o = 3)
      product (k = 7) (%x[i, k] : memref<5x7xf32>, %w[k, j] : memref<7x8xf32>) : f32
      matrix (j) to (o) (%v[j, o] : memref<8x3xf32>)
      outs(%y[i] : memref<5xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x3xf32>):
    %e = math.exp %p : tensor<8xf32>
    %o = sinter.row_product %e, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    %s = sinter.row_reduce add %o : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
