// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse=without=turns --split-input-file %s | FileCheck %s --check-prefix=OFF
// RUN: sinter-opt --sinter-fuse=remarks=true --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// What a product sums over are rows of a kernel: they are made again as columns, from what their rows were reduced to.

// The gradient by values and one by keys, which is written transposed: one form by keys. The other form stores two
// numbers a row and no matrix.

// CHECK-LABEL: func @by_keys
// CHECK:      %[[A:.*]]:3 = sinter.contract (h = 2, i = 200) by (j = 300) by (e = 5)
// CHECK-NEXT:   product (d = 8) (%arg0[h, i, d] : tensor<2x200x8xf32>, %arg1[h, j, d] : tensor<2x300x8xf32>) : f32
// CHECK-NEXT:   matrix (j) to (e) (%arg2[h, j, e] : tensor<2x300x5xf32>)
// CHECK-NEXT:   ins(%arg4[h, j] : tensor<2x300xf32>)
// CHECK-NEXT:   outs(%{{.*}}[h, i] : tensor<2x200xf32>, %{{.*}}[h, i] : tensor<2x200xf32>, %{{.*}}[h, i, e] : tensor<2x200x5xf32>)
// CHECK:        %[[M:.*]] = sinter.row_reduce maximumf
// CHECK:        %[[SUM:.*]] = sinter.row_reduce add
// CHECK-NEXT:   %[[Z:.*]] = arith.divf %{{.*}}, %[[SUM]] : f32
// CHECK:        sinter.yield %[[M]], %[[Z]], %{{.*}} : f32, f32, tensor<5xf32>
// CHECK:      sinter.contract (h = 2, j = 300) by (i = 200) by (e = 5) by ([[D:d[0-9]*]] = 8)
// CHECK-NEXT:   product (d = 8) (%arg0[h, i, d] : tensor<2x200x8xf32>, %arg1[h, j, d] : tensor<2x300x8xf32>) : f32
// CHECK-NEXT:   matrix (i) to (e) (%arg3[h, i, e] : tensor<2x200x5xf32>)
// CHECK-NEXT:   matrix (i) to ([[D]]) (%arg0[h, i, [[D]]] : tensor<2x200x8xf32>)
// CHECK-NEXT:   ins(%arg4[h, j] : tensor<2x300xf32>, %[[A]]#0[h, i] : tensor<2x200xf32>, %[[A]]#1[h, i] : tensor<2x200xf32>)
// CHECK-NEXT:   outs(%{{.*}}[h, j, e] : tensor<2x300x5xf32>, %{{.*}}[h, j, [[D]]] : tensor<2x300x8xf32>)
// CHECK-NEXT: ^row(%[[S:.*]]: tensor<200xf32>, %{{.*}}, %{{.*}}, %[[B:.*]]: f32, %[[MX:.*]]: tensor<200xf32>, %[[INV:.*]]: tensor<200xf32>):
// CHECK-NEXT:   %[[BR:.*]] = sinter.broadcast %[[B]] : f32 -> tensor<200xf32>
// CHECK-NEXT:   %[[SB:.*]] = arith.addf %[[S]], %[[BR]]
// CHECK-NEXT:   %[[X:.*]] = arith.subf %[[SB]], %[[MX]]
// CHECK-NEXT:   %[[EX:.*]] = math.exp %[[X]]
// CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[EX]], %[[INV]]
// CHECK-NEXT:   sinter.row_product %[[P]]
// CHECK-NEXT:   sinter.row_product %[[P]]
// CHECK-NOT:  sinter.contract

// OFF-LABEL:  func @by_keys
// OFF-NOT:    matrix (i)
func.func @by_keys(%q: tensor<2x200x8xf32>, %k: tensor<2x300x8xf32>, %v: tensor<2x300x5xf32>, %g: tensor<2x200x5xf32>, %b: tensor<2x300xf32>)
    -> (tensor<2x200x5xf32>, tensor<2x300x5xf32>, tensor<2x300x8xf32>) {
  %e0 = tensor.empty() : tensor<2x200x300xf32>
  %e1 = tensor.empty() : tensor<2x200x5xf32>
  %e2 = tensor.empty() : tensor<2x300x5xf32>
  %e3 = tensor.empty() : tensor<2x300x8xf32>
  %p = sinter.contract (h = 2, i = 200) by (j = 300)
      product (d = 8) (%q[h, i, d] : tensor<2x200x8xf32>, %k[h, j, d] : tensor<2x300x8xf32>) : f32
      ins(%b[h, j] : tensor<2x300xf32>)
      outs(%e0[h, i, j] : tensor<2x200x300xf32>) {
  ^row(%s0: tensor<300xf32>, %bias: tensor<300xf32>):
    %s = arith.addf %s0, %bias : tensor<300xf32>
    %m = sinter.row_reduce maximumf %s : tensor<300xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<300xf32>
    %d = arith.subf %s, %mb : tensor<300xf32>
    %x = math.exp %d : tensor<300xf32>
    %z = sinter.row_reduce add %x : tensor<300xf32> -> f32
    %zb = sinter.broadcast %z : f32 -> tensor<300xf32>
    %n = arith.divf %x, %zb : tensor<300xf32>
    sinter.yield %n : tensor<300xf32>
  }
  %o = sinter.contract (h = 2, i = 200) by (e = 5)
      product (j = 300) (%p[h, i, j] : tensor<2x200x300xf32>, %v[h, j, e] : tensor<2x300x5xf32>) : f32
      outs(%e1[h, i, e] : tensor<2x200x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %dv = sinter.contract (h = 2, j = 300) by (e = 5)
      product (i = 200) (%p[h, i, j] : tensor<2x200x300xf32>, %g[h, i, e] : tensor<2x200x5xf32>) : f32
      outs(%e2[h, j, e] : tensor<2x300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %dk = sinter.contract (h = 2, d = 8) by (j = 300)
      product (i = 200) (%q[h, i, d] : tensor<2x200x8xf32>, %p[h, i, j] : tensor<2x200x300xf32>) : f32
      outs(%e3[h, j, d] : tensor<2x300x8xf32>) {
  ^row(%a: tensor<300xf32>):
    sinter.yield %a : tensor<300xf32>
  }
  return %o, %dv, %dk : tensor<2x200x5xf32>, tensor<2x300x5xf32>, tensor<2x300x8xf32>
}

// -----

// Stored anyway: it is a result too.

// CHECK-LABEL: func @is_result
// CHECK:      product (i = 200) (%{{.*}}[i, j] : tensor<200x300xf32>, %arg2[i, e] : tensor<200x5xf32>) : f32
func.func @is_result(%q: tensor<200x8xf32>, %k: tensor<300x8xf32>, %g: tensor<200x5xf32>) -> (tensor<200x300xf32>, tensor<300x5xf32>) {
  %e0 = tensor.empty() : tensor<200x300xf32>
  %e2 = tensor.empty() : tensor<300x5xf32>
  %p = sinter.contract (i = 200) by (j = 300)
      product (d = 8) (%q[i, d] : tensor<200x8xf32>, %k[j, d] : tensor<300x8xf32>) : f32
      outs(%e0[i, j] : tensor<200x300xf32>) {
  ^row(%s: tensor<300xf32>):
    %x = math.exp %s : tensor<300xf32>
    sinter.yield %x : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (i = 200) (%p[i, j] : tensor<200x300xf32>, %g[i, e] : tensor<200x5xf32>) : f32
      outs(%e2[j, e] : tensor<300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %p, %dv : tensor<200x300xf32>, tensor<300x5xf32>
}

// -----

// What is made again sums over many elements.

// CHECK-LABEL: func @costs_more
// CHECK:      product (i = 200) (%{{.*}}[i, j] : tensor<200x300xf32>, %arg2[i, e] : tensor<200x5xf32>) : f32
// WHY: turns.mlir:[[#@LINE+4]]:{{.+}} remark: made again with columns for rows it would take 1.21e+07 operations more, to move 2.88e+05 bytes less
func.func @costs_more(%q: tensor<200x96xf32>, %k: tensor<300x96xf32>, %g: tensor<200x5xf32>) -> tensor<300x5xf32> {
  %e0 = tensor.empty() : tensor<200x300xf32>
  %e2 = tensor.empty() : tensor<300x5xf32>
  %p = sinter.contract (i = 200) by (j = 300) product (d = 96) (%q[i, d] : tensor<200x96xf32>, %k[j, d] : tensor<300x96xf32>) : f32
      outs(%e0[i, j] : tensor<200x300xf32>) {
  ^row(%s: tensor<300xf32>):
    %x = math.exp %s : tensor<300xf32>
    sinter.yield %x : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (i = 200) (%p[i, j] : tensor<200x300xf32>, %g[i, e] : tensor<200x5xf32>) : f32
      outs(%e2[j, e] : tensor<300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %dv : tensor<300x5xf32>
}

// -----

// An element of the row is picked for each row, which is a number; a row is gathered by its elements, which is none.

// CHECK-LABEL: func @picked
// CHECK:      sinter.pick
// CHECK:      sinter.contract (j = 300) by (i = 2000) by
// CHECK-NOT:  sinter.pick
// CHECK:      return
// WHY: turns.mlir:[[#@LINE+24]]:{{.+}} remark: what a product sums over its rows is not made element by element from products and numbers
func.func @picked(%q: tensor<2000x8xf32>, %k: tensor<300x8xf32>, %g: tensor<2000x5xf32>, %t: tensor<2000xi64>) -> tensor<300x5xf32> {
  %e0 = tensor.empty() : tensor<2000x300xf32>
  %e2 = tensor.empty() : tensor<300x5xf32>
  %p = sinter.contract (i = 2000) by (j = 300) product (d = 8) (%q[i, d] : tensor<2000x8xf32>, %k[j, d] : tensor<300x8xf32>) : f32
      ins(%t[i] : tensor<2000xi64>) outs(%e0[i, j] : tensor<2000x300xf32>) {
  ^row(%s: tensor<300xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %x = sinter.pick %s[%l] else %z : tensor<300xf32>, i64
    %b = sinter.broadcast %x : f32 -> tensor<300xf32>
    %d = arith.subf %s, %b : tensor<300xf32>
    sinter.yield %d : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (i = 2000) (%p[i, j] : tensor<2000x300xf32>, %g[i, e] : tensor<2000x5xf32>) : f32
      outs(%e2[j, e] : tensor<300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %dv : tensor<300x5xf32>
}
func.func @gathered(%q: tensor<2000x8xf32>, %k: tensor<300x8xf32>, %g: tensor<2000x5xf32>, %t: tensor<300xf32>) -> tensor<300x5xf32> {
  %e0 = tensor.empty() : tensor<2000x300xf32>
  %e2 = tensor.empty() : tensor<300x5xf32>
  %p = sinter.contract (i = 2000) by (j = 300) product (d = 8) (%q[i, d] : tensor<2000x8xf32>, %k[j, d] : tensor<300x8xf32>) : f32
      ins(%t[?] : tensor<300xf32>) outs(%e0[i, j] : tensor<2000x300xf32>) {
  ^row(%s: tensor<300xf32>, %l: memref<300xf32>):
    %z = arith.constant 0.0 : f32
    %n = arith.fptosi %s : tensor<300xf32> to tensor<300xi64>
    %x = arith.index_cast %n : tensor<300xi64> to tensor<300xindex>
    %d = sinter.gather %l[%x] else %z : memref<300xf32>, tensor<300xindex> -> tensor<300xf32>
    sinter.yield %d : tensor<300xf32>
  }
  %dv = sinter.contract (j = 300) by (e = 5)
      product (i = 2000) (%p[i, j] : tensor<2000x300xf32>, %g[i, e] : tensor<2000x5xf32>) : f32
      outs(%e2[j, e] : tensor<300x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %dv : tensor<300x5xf32>
}

// -----

// Two that read one value, of one shape: one goes on from its rows, the other needs other rows. They stay two.

// CHECK-LABEL: func @apart
// CHECK:      sinter.contract (i = 900) by (j = 900) by
// CHECK-NEXT:   product
// CHECK-NEXT:   matrix
// CHECK:      sinter.contract (i = 900) by (j = 5)
// CHECK-NEXT:   product ({{.*}} = 900) (
// CHECK-NOT:    product
// CHECK:      return
// WHY: turns.mlir:[[#@LINE+15]]:{{.+}} remark: goes on from rows of a kernel of which its neighbour needs other rows
func.func @apart(%x: tensor<900x6xf32>, %w: tensor<900x6xf32>, %v: tensor<900x5xf32>) -> (tensor<900x900xf32>, tensor<900x5xf32>, tensor<900x5xf32>) {
  %e = tensor.empty() : tensor<900x900xf32>
  %f = tensor.empty() : tensor<900x5xf32>
  %h = sinter.contract (i = 900) by (j = 900) product (k = 6) (%x[i, k] : tensor<900x6xf32>, %w[j, k] : tensor<900x6xf32>) : f32
      outs(%e[i, j] : tensor<900x900xf32>) {
  ^row(%a: tensor<900xf32>):
    %t = math.tanh %a : tensor<900xf32>
    sinter.yield %t : tensor<900xf32>
  }
  %y = sinter.contract (i = 900) by (j = 5) product (k = 900) (%h[i, k] : tensor<900x900xf32>, %v[k, j] : tensor<900x5xf32>) : f32
      outs(%f[i, j] : tensor<900x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %z = sinter.contract (i = 900) by (j = 5) product (k = 900) (%h[k, i] : tensor<900x900xf32>, %v[k, j] : tensor<900x5xf32>) : f32
      outs(%f[i, j] : tensor<900x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %h, %y, %z : tensor<900x900xf32>, tensor<900x5xf32>, tensor<900x5xf32>
}

// -----

// The product goes on from the rows of the weights: turned it would read them stored, which are as many as the rows
// that it sums over.

// CHECK-LABEL: func @goes_on
// CHECK:      %[[V:.*]] = sinter.contract (i = 2000, j = 12) by (h = 4, d = 8)
// CHECK:      sinter.contract (i = 2000, h = 4, j = 12) by (l = 12) by ([[E:d[0-9]*]] = 8)
// CHECK:        matrix (l) to ([[E]]) (%[[V]][i, l, h, [[E]]] : tensor<2000x12x4x8xf32>)
// CHECK-NOT:  sinter.contract
func.func @goes_on(%x: tensor<2000x12x8xf32>, %w: tensor<4x8x8xf32>, %q: tensor<2000x4x12x8xf32>, %k: tensor<2000x4x12x8xf32>)
    -> tensor<2000x4x12x8xf32> {
  %e0 = tensor.empty() : tensor<2000x12x4x8xf32>
  %e1 = tensor.empty() : tensor<2000x4x12x12xf32>
  %e2 = tensor.empty() : tensor<2000x4x12x8xf32>
  %v = sinter.contract (i = 2000, j = 12) by (h = 4, d = 8)
      product (m = 8) (%x[i, j, m] : tensor<2000x12x8xf32>, %w[h, d, m] : tensor<4x8x8xf32>) : f32
      outs(%e0[i, j, h, d] : tensor<2000x12x4x8xf32>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  %p = sinter.contract (i = 2000, h = 4, j = 12) by (l = 12)
      product (d = 8) (%q[i, h, j, d] : tensor<2000x4x12x8xf32>, %k[i, h, l, d] : tensor<2000x4x12x8xf32>) : f32
      outs(%e1[i, h, j, l] : tensor<2000x4x12x12xf32>) {
  ^row(%s: tensor<12xf32>):
    %t = math.exp %s : tensor<12xf32>
    sinter.yield %t : tensor<12xf32>
  }
  %o = sinter.contract (i = 2000, h = 4, j = 12) by (d = 8)
      product (l = 12) (%p[i, h, j, l] : tensor<2000x4x12x12xf32>, %v[i, l, h, d] : tensor<2000x12x4x8xf32>) : f32
      outs(%e2[i, h, j, d] : tensor<2000x4x12x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %o : tensor<2000x4x12x8xf32>
}

// -----

// A hidden layer is as large as what it is made of, but for a factor of 2: multiplying again takes longer than to store
// it. Made of rows of 2, or five times as large as what it is made of, it is turned.

// CHECK-LABEL: func @hidden
// CHECK:      %[[H:.*]] = sinter.contract (i = 9000) by (j = 64)
// CHECK:      sinter.contract (j = 64) by (o = 8)
// CHECK-NEXT:   product (i = 9000) (%[[H]][i, j] : tensor<9000x64xf32>, %arg2[i, o] : tensor<9000x8xf32>) : f32
func.func @hidden(%x: tensor<9000x32xf32>, %w: tensor<64x32xf32>, %g: tensor<9000x8xf32>) -> tensor<64x8xf32> {
  %e0 = tensor.empty() : tensor<9000x64xf32>
  %e1 = tensor.empty() : tensor<64x8xf32>
  %h = sinter.contract (i = 9000) by (j = 64)
      product (k = 32) (%x[i, k] : tensor<9000x32xf32>, %w[j, k] : tensor<64x32xf32>) : f32
      outs(%e0[i, j] : tensor<9000x64xf32>) {
  ^row(%s: tensor<64xf32>):
    %z = arith.constant dense<0.0> : tensor<64xf32>
    %t = arith.maximumf %s, %z : tensor<64xf32>
    sinter.yield %t : tensor<64xf32>
  }
  %d = sinter.contract (j = 64) by (o = 8)
      product (i = 9000) (%h[i, j] : tensor<9000x64xf32>, %g[i, o] : tensor<9000x8xf32>) : f32
      outs(%e1[j, o] : tensor<64x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %d : tensor<64x8xf32>
}

// -----

// CHECK-LABEL: func @hidden_of_few
// CHECK-NOT:  tensor<9000x64xf32>
// CHECK:      sinter.contract (j = 64) by (i = 9000) by (o = 8)
func.func @hidden_of_few(%x: tensor<9000x2xf32>, %w: tensor<64x2xf32>, %g: tensor<9000x8xf32>) -> tensor<64x8xf32> {
  %e0 = tensor.empty() : tensor<9000x64xf32>
  %e1 = tensor.empty() : tensor<64x8xf32>
  %h = sinter.contract (i = 9000) by (j = 64)
      product (k = 2) (%x[i, k] : tensor<9000x2xf32>, %w[j, k] : tensor<64x2xf32>) : f32
      outs(%e0[i, j] : tensor<9000x64xf32>) {
  ^row(%s: tensor<64xf32>):
    %z = arith.constant dense<0.0> : tensor<64xf32>
    %t = arith.maximumf %s, %z : tensor<64xf32>
    sinter.yield %t : tensor<64xf32>
  }
  %d = sinter.contract (j = 64) by (o = 8)
      product (i = 9000) (%h[i, j] : tensor<9000x64xf32>, %g[i, o] : tensor<9000x8xf32>) : f32
      outs(%e1[j, o] : tensor<64x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %d : tensor<64x8xf32>
}
