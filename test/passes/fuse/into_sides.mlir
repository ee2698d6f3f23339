// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-fuse{remarks=true})' --split-input-file %s -o /dev/null 2>&1 \
// RUN: | FileCheck %s --check-prefix=WHY
// RUN: sinter-opt --sinter-fuse=policy=aggressive --split-input-file %s | FileCheck %s --check-prefix=ALL

// What makes the side of a product is the side's program: each kind of producer, and each refusal by name.

// A norm's scale of columns and an activation, one behind the other.

// CHECK-LABEL: func @scaled
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 16) (side(%{{.+}}[i, k] : tensor<8x16xf32>, %{{.+}}[k] : tensor<16xf32>) {
//       CHECK:   ^side(%[[X:.+]]: tensor<16xf32>, %[[G:.+]]: tensor<16xf32>):
//       CHECK:     %[[M:.+]] = arith.mulf %[[X]], %[[G]]
//       CHECK:     %[[R:.+]] = arith.maximumf %[[M]],
//       CHECK:     sinter.yield %[[R]]
//       CHECK:   }, %{{.+}}[j, k] : tensor<4x16xf32>) : f32
func.func @scaled(%x: tensor<8x16xf32>, %g: tensor<16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %m = sinter.rowwise (i = 8) by (k = 16)
      ins(%x[i, k] : tensor<8x16xf32>, %g[k] : tensor<16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.mulf %a, %b : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %r = sinter.rowwise (i = 8) by (k = 16) ins(%m[i, k] : tensor<8x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %z = arith.constant dense<0.0> : tensor<16xf32>
    %p = arith.maximumf %a, %z : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%r[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Quantised weights of 8 bits, with a number to subtract and a scale for each column.

// CHECK-LABEL: func @quantised
//  CHECK-SAME:   (%[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<4x16xi8>, %[[Q:.+]]: tensor<4xf32>, %[[Z:.+]]: tensor<4xf32>)
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 16) (%[[X]][i, k] : tensor<8x16xf32>,
//  CHECK-SAME:     side(%[[W]][j, k] : tensor<4x16xi8>, %[[Z]][j] : tensor<4xf32>, %[[Q]][j] : tensor<4xf32>) {
//       CHECK:     arith.sitofp
//       CHECK:     arith.subf
//       CHECK:     arith.mulf
//       CHECK:     sinter.yield
//   CHECK-NOT:   ins(
func.func @quantised(%x: tensor<8x16xf32>, %w: tensor<4x16xi8>, %q: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %d = sinter.rowwise (j = 4) by (k = 16)
      ins(%w[j, k] : tensor<4x16xi8>, %z[j] : tensor<4xf32>, %q[j] : tensor<4xf32>) outs(%e[j, k] : tensor<4x16xf32>) {
  ^row(%a: tensor<16xi8>, %b: f32, %c: f32):
    %n = arith.sitofp %a : tensor<16xi8> to tensor<16xf32>
    %bs = sinter.broadcast %b : f32 -> tensor<16xf32>
    %cs = sinter.broadcast %c : f32 -> tensor<16xf32>
    %s = arith.subf %n, %bs : tensor<16xf32>
    %p = arith.mulf %s, %cs : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%x[i, k] : tensor<8x16xf32>, %d[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Both sides, of both products that read them, one in f64: a mask, and a difference of two inputs, which is stored
// transposed.

// CHECK-LABEL: func @both_of_two
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract
//       CHECK:     product (k = 16) (side(%{{.+}}[i, k] : tensor<8x16xf32>, %{{.+}}[i, k] : tensor<8x16xi1>) {
//       CHECK:     side(%{{.+}}[j, k] : tensor<4x16xf32>, %{{.+}}[j, k] : tensor<4x16xf32>) {
//       CHECK:     product (k1 = 16) (side(
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return
func.func @both_of_two(%x: tensor<8x16xf32>, %c: tensor<8x16xi1>, %u: tensor<4x16xf32>, %v: tensor<4x16xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf64>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %d = tensor.empty() : tensor<16x4xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %g = tensor.empty() : tensor<8x4xf64>
  %m = sinter.rowwise (i = 8) by (k = 16)
      ins(%x[i, k] : tensor<8x16xf32>, %c[i, k] : tensor<8x16xi1>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xi1>):
    %z = arith.constant dense<0.0> : tensor<16xf32>
    %p = arith.select %b, %a, %z : tensor<16xi1>, tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %n = sinter.rowwise (j = 4) by (k = 16)
      ins(%u[j, k] : tensor<4x16xf32>, %v[j, k] : tensor<4x16xf32>) outs(%d[k, j] : tensor<16x4xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.subf %a, %b : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %n[k, j] : tensor<16x4xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  %z = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %n[k, j] : tensor<16x4xf32>) : f64
      outs(%g[i, j] : tensor<8x4xf64>) {
  ^row(%p: tensor<4xf64>):
    %q = math.tanh %p : tensor<4xf64>
    sinter.yield %q : tensor<4xf64>
  }
  return %y, %z : tensor<8x4xf32>, tensor<8x4xf64>
}

// -----

// Rows that are found through an index tensor, in what is made, and in what the product reads of it.

// CHECK-LABEL: func @gathered
//  CHECK-SAME:   (%[[E:.+]]: tensor<50x16xf32>, %[[T:.+]]: tensor<8xi64>, %[[Q:.+]]: tensor<30x16xi8>, %[[U:.+]]: tensor<4xi64>)
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 16) (side(%[[E]][%[[T]][i] : tensor<8xi64>, k] : tensor<50x16xf32>) {
//       CHECK:     side(%[[Q]][%[[U]][j] : tensor<4xi64>, k] : tensor<30x16xi8>) {
func.func @gathered(%e: tensor<50x16xf32>, %t: tensor<8xi64>, %q: tensor<30x16xi8>, %u: tensor<4xi64>) -> tensor<8x4xf32> {
  %d = tensor.empty() : tensor<8x16xf32>
  %c = tensor.empty() : tensor<30x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %m = sinter.rowwise (i = 8) by (k = 16)
      ins(%e[%t[i] : tensor<8xi64>, k] : tensor<50x16xf32>) outs(%d[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.absf %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %w = sinter.rowwise (v = 30) by (k = 16) ins(%q[v, k] : tensor<30x16xi8>) outs(%c[v, k] : tensor<30x16xf32>) {
  ^row(%a: tensor<16xi8>):
    %p = arith.sitofp %a : tensor<16xi8> to tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[%u[j] : tensor<4xi64>, k] : tensor<30x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A convolution over what is computed: around it stands the fill value, not what would be computed from zeros.

// CHECK-LABEL: func @padded_window
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (c = 3, d = 5) (%{{.+}}[o, c, d] : tensor<6x3x5xf32>,
//  CHECK-SAME:     side(%[[X:.+]][b, c, h + d - 2] : tensor<2x3x11xf32> else 0.000000e+00) {
//       CHECK:   ^side(%[[V:.+]]: tensor<15xf32>):
//   CHECK-DAG:     %[[H:.+]] = sinter.index h : index
//   CHECK-DAG:     %[[D:.+]] = sinter.index d : tensor<15xindex>
//   CHECK-DAG:     %[[E:.+]] = math.exp %[[V]]
//   CHECK-DAG:     %[[LOW:.+]] = arith.cmpi sge
//   CHECK-DAG:     %[[HIGH:.+]] = arith.cmpi slt
//       CHECK:     %[[IN:.+]] = arith.andi %[[LOW]], %[[HIGH]]
//       CHECK:     arith.select %[[IN]], %[[E]], %{{.+}} : tensor<15xi1>, tensor<15xf32>
func.func @padded_window(%x: tensor<2x3x11xf32>, %w: tensor<6x3x5xf32>) -> tensor<2x6x11xf32> {
  %e = tensor.empty() : tensor<2x3x11xf32>
  %f = tensor.empty() : tensor<2x6x11xf32>
  %m = sinter.rowwise (b = 2, c = 3) by (h = 11) ins(%x[b, c, h] : tensor<2x3x11xf32>) outs(%e[b, c, h] : tensor<2x3x11xf32>) {
  ^row(%a: tensor<11xf32>):
    %p = math.exp %a : tensor<11xf32>
    sinter.yield %p : tensor<11xf32>
  }
  %y = sinter.contract (b = 2, o = 6) by (h = 11)
      product (c = 3, d = 5) (%w[o, c, d] : tensor<6x3x5xf32>, %m[b, c, h + d - 2] : tensor<2x3x11xf32> else 0.5) : f32
      outs(%f[b, o, h] : tensor<2x6x11xf32>) {
  ^row(%p: tensor<11xf32>):
    sinter.yield %p : tensor<11xf32>
  }
  return %y : tensor<2x6x11xf32>
}

// -----

// Heads that share keys: the side's subscript is a quotient, and so is the position in it.

// CHECK-LABEL: func @shared_heads
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (d = 16) (%{{.+}}[h, i, d] : tensor<8x5x16xf32>, side(%{{.+}}[h floordiv 4, j, d] : tensor<2x9x16xf32>) {
//       CHECK:     %[[H:.+]] = sinter.index h : index
//       CHECK:     %[[G:.+]] = arith.divui %[[H]], %{{.+}} : index
func.func @shared_heads(%q: tensor<8x5x16xf32>, %k: tensor<2x9x16xf32>) -> tensor<8x5x9xf32> {
  %e = tensor.empty() : tensor<2x9x16xf32>
  %f = tensor.empty() : tensor<8x5x9xf32>
  %m = sinter.rowwise (g = 2, j = 9) by (d = 16) ins(%k[g, j, d] : tensor<2x9x16xf32>) outs(%e[g, j, d] : tensor<2x9x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %g = sinter.index g : index
    %n = arith.index_cast %g : index to i32
    %s = arith.sitofp %n : i32 to f32
    %b = sinter.broadcast %s : f32 -> tensor<16xf32>
    %p = arith.addf %a, %b : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (h = 8, i = 5) by (j = 9)
      product (d = 16) (%q[h, i, d] : tensor<8x5x16xf32>, %m[h floordiv 4, j, d] : tensor<2x9x16xf32>) : f32
      outs(%f[h, i, j] : tensor<8x5x9xf32>) {
  ^row(%p: tensor<9xf32>):
    sinter.yield %p : tensor<9xf32>
  }
  return %y : tensor<8x5x9xf32>
}

// -----

// What is a conversion and nothing else in the end is no program: the product makes it.

// CHECK-LABEL: func @widened_twice
//   CHECK-NOT:   side(
//       CHECK:   product (k = 16) (%{{.+}}[i, k] : tensor<8x16xf16>, %{{.+}}[j, k] : tensor<4x16xf16>) : f32
func.func @widened_twice(%x: tensor<8x16xf16>, %s: tensor<8xf32>, %w: tensor<4x16xf16>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %m = sinter.rowwise (i = 8) by (k = 16)
      ins(%x[i, k] : tensor<8x16xf16>, %s[i] : tensor<8xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf16>, %b: f32):
    %c = arith.extf %a : tensor<16xf16> to tensor<16xf32>
    %d = sinter.broadcast %b : f32 -> tensor<16xf32>
    %p = arith.mulf %c, %d : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf16>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A matrix is a side too.

// CHECK-LABEL: func @matrix
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   matrix (j) to (e) (side(%{{.+}}[j, e] : tensor<9x5xf32>) {
//       CHECK:     math.exp
//       CHECK:   ^row(%[[S:.+]]: tensor<9xf32>, %[[M:.+]]: tensor<9x5xf32>):
//       CHECK:     sinter.row_product %[[S]], %[[M]]
func.func @matrix(%q: tensor<6x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x5xf32>) -> tensor<6x5xf32> {
  %d = tensor.empty() : tensor<9x5xf32>
  %e = tensor.empty() : tensor<6x5xf32>
  %m = sinter.rowwise (j = 9) by (e = 5) ins(%v[j, e] : tensor<9x5xf32>) outs(%d[j, e] : tensor<9x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %p = math.exp %a : tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  %o = sinter.contract (i = 6) by (j = 9) by (e = 5)
      product (d = 16) (%q[i, d] : tensor<6x16xf32>, %k[j, d] : tensor<9x16xf32>) : f32
      matrix (j) to (e) (%m[j, e] : tensor<9x5xf32>) outs(%e[i, e] : tensor<6x5xf32>) {
  ^row(%s: tensor<9xf32>, %w: tensor<9x5xf32>):
    %u = sinter.row_product %s, %w : tensor<9xf32>, tensor<9x5xf32> -> tensor<5xf32>
    sinter.yield %u : tensor<5xf32>
  }
  return %o : tensor<6x5xf32>
}

// -----

// What is stored anyway is read.

// CHECK-LABEL: func @other_reader
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: a side of its product has another reader, so it is stored anyway
func.func @other_reader(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i, k] : tensor<8x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y, %m : tensor<8x4xf32>, tensor<8x16xf32>
}

// -----

// A product gives a row of sums; chains of products are another form.

// CHECK-LABEL: func @product_before(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: a side of its product is itself a product
func.func @product_before(%x: tensor<8x16xf32>, %v: tensor<16x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.contract (i = 8) by (j = 16)
      product (k = 16) (%x[i, k] : tensor<8x16xf32>, %v[j, k] : tensor<16x16xf32>) : f32
      outs(%e[i, j] : tensor<8x16xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A softmax needs its whole row.

// CHECK-LABEL: func @row_of_sums(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: needs more of its neighbour than one element for each of its own
func.func @row_of_sums(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i, k] : tensor<8x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    %s = sinter.row_reduce add %p : tensor<16xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<16xf32>
    %q = arith.divf %p, %b : tensor<16xf32>
    sinter.yield %q : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// What is reduced over rows is known after them.

// CHECK-LABEL: func @of_the_grid(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: reads a result reduced over the rows of its neighbour's grid
func.func @of_the_grid(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i, k] : tensor<8x16xf32>) reduce(add [k] : f32) outs(%e[k] : tensor<16xf32>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[k] : tensor<16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A division by zero is reported by the call, and a side has no place for that.

// CHECK-LABEL: func @divided(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: divides integers, which has to be checked before
func.func @divided(%x: tensor<8x16xi32>, %d: tensor<16xi32>, %w: tensor<4x16xi32>) -> tensor<8x4xi32> {
  %f = tensor.empty() : tensor<8x4xi32>
  %e = tensor.empty() : tensor<8x16xi32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i, k] : tensor<8x16xi32>, %d[k] : tensor<16xi32>) outs(%e[i, k] : tensor<8x16xi32>) {
  ^row(%a: tensor<16xi32>, %b: tensor<16xi32>):
    %p = arith.divsi %a, %b : tensor<16xi32>
    sinter.yield %p : tensor<16xi32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xi32>, %w[j, k] : tensor<4x16xi32>) : i32
      outs(%f[i, j] : tensor<8x4xi32>) {
  ^row(%p: tensor<4xi32>):
    sinter.yield %p : tensor<4xi32>
  }
  return %y : tensor<8x4xi32>
}

// -----

// One number for each row, a hundred times: a side has to use what is summed.

// CHECK-LABEL: func @not_summed(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: a side would not depend on what its product sums
func.func @not_summed(%x: tensor<8xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i] : tensor<8xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: f32):
    %b = math.exp %a : f32
    %p = sinter.broadcast %b : f32 -> tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Row t of what lies the other way round is no subscript of its input.

// CHECK-LABEL: func @index_of_index(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: read through an index that its neighbour's inputs cannot be
func.func @index_of_index(%x: tensor<8x16xf32>, %t: tensor<8xi64>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[7 - i, k] : tensor<8x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[%t[i] : tensor<8xi64>, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Outside of the bounds there is no index.

// CHECK-LABEL: func @bounds_through_index(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: is read with bounds, and reads through an index
func.func @bounds_through_index(%x: tensor<50x16xf32>, %t: tensor<8xi64>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[%t[i] : tensor<8xi64>, k] : tensor<50x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i - 1, k] : tensor<8x16xf32> else 0.0, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A size `?` that is the reader's own is never left: only the columns are compared.

// CHECK-LABEL: func @bounds_same_size
//       CHECK:   side(%{{.+}}[i, k - 1] : tensor<?x511xf32> else 0.000000e+00)
//       CHECK:     arith.cmpi sge
//   CHECK-NOT:     arith.cmpi
//       CHECK:     arith.select
func.func @bounds_same_size(%x: tensor<?x511xf32>, %w: tensor<4x512xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x511xf32>
  %f = tensor.empty(%n) : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x511xf32>
  %m = sinter.rowwise (i = ?) by (k = 511) ins(%x[i, k] : tensor<?x511xf32>) outs(%e[i, k] : tensor<?x511xf32>) {
  ^row(%a: tensor<511xf32>):
    %p = math.exp %a : tensor<511xf32>
    sinter.yield %p : tensor<511xf32>
  }
  %y = sinter.contract (i = ?) by (j = 4)
      product (k = 512) (%m[i, k - 1] : tensor<?x511xf32> else 0.0, %w[j, k] : tensor<4x512xf32>) : f32
      outs(%f[i, j] : tensor<?x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

// A table of cosines that each block of rows would make again: the product reads what a small kernel of its own has
// stored, which on a CPU is a call, not a launch.

// CHECK-LABEL: func @small_table
//       CHECK:   sinter.rowwise
//       CHECK:     math.cos
//       CHECK:   sinter.contract
//   CHECK-NOT:     side(
//       CHECK:   return
func.func @small_table(%t: tensor<12x8xf32>, %w: tensor<16x4x8xf32>) -> tensor<16x12x4xf32> {
  %f = tensor.empty() : tensor<16x12x4xf32>
  %e = tensor.empty() : tensor<12x8xf32>
  %c = sinter.rowwise (i = 12, k = 8) by ()
      ins(%t[i, k] : tensor<12x8xf32>)
      outs(%e[i, k] : tensor<12x8xf32>) {
  ^row(%a: f32):
    %p = math.cos %a : f32
    sinter.yield %p : f32
  }
  %y = sinter.contract (b = 16, i = 12) by (j = 4)
      product (k = 8) (%c[i, k] : tensor<12x8xf32>, %w[b, j, k] : tensor<16x4x8xf32>) : f32
      outs(%f[b, i, j] : tensor<16x12x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<16x12x4xf32>
}

// -----

// Bounds are compared with numbers.

// CHECK-LABEL: func @bounds_unknown(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: reads a neighbour's result of unknown size with bounds
func.func @bounds_unknown(%x: tensor<?x16xf32>, %n: index, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %m = sinter.rowwise (i = ?) by (k = 16) ins(%x[i, k] : tensor<?x16xf32>) outs(%e[i, k] : tensor<?x16xf32>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i - 1, k] : tensor<?x16xf32> else 0.0, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// The size of what is summed comes from an operand that would be gone.

// CHECK-LABEL: func @unknown_sum(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: a side of its product gives a size that is not known otherwise
func.func @unknown_sum(%x: tensor<?xf32>, %n: index, %w: tensor<4x99xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty(%n) : tensor<8x?xf32>
  %m = sinter.rowwise (i = 8) by (k = ?) ins(%x[k + 1] : tensor<?xf32>) outs(%e[i, k] : tensor<8x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %i = sinter.index i : index
    %j = arith.index_cast %i : index to i32
    %g = arith.sitofp %j : i32 to f32
    %h = sinter.broadcast %g : f32 -> tensor<?xf32>
    %p = arith.addf %a, %h : tensor<?xf32>
    sinter.yield %p : tensor<?xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = ?) (%m[i, k] : tensor<8x?xf32>, %w[j, k * 2] : tensor<4x99xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Who wrote a schedule wants the kernel as it is.

// CHECK-LABEL: func @has_schedule(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: has a schedule, which says how it runs by itself
func.func @has_schedule(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %m = sinter.rowwise (i = 8) by (k = 16) ins(%x[i, k] : tensor<8x16xf32>) outs(%e[i, k] : tensor<8x16xf32>) schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<16xf32>):
    %p = math.exp %a : tensor<16xf32>
    sinter.yield %p : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%m[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// The weights' side is packed again for each block of rows: an exponential of each weight, 16 times, takes longer than
// to write and to read them. Who wants everything generated has it so.

// CHECK-LABEL: func @again(
//   CHECK-NOT:   side(
//       CHECK:   return
// WHY: in the side of a product it would be computed 16 times: 1.91e+08 operations more, to move 8.39e+06 bytes less
// ALL-LABEL: func @again(
//   ALL-NOT:   sinter.rowwise
//       ALL:   side(
func.func @again(%x: tensor<2048x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<2048x1024xf32> {
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = tensor.empty() : tensor<2048x1024xf32>
  %m = sinter.rowwise (j = 1024) by (k = 1024)
      ins(%w[j, k] : tensor<1024x1024xf32>) outs(%e[j, k] : tensor<1024x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %p = math.exp %a : tensor<1024xf32>
    sinter.yield %p : tensor<1024xf32>
  }
  %y = sinter.contract (i = 2048) by (j = 1024)
      product (k = 1024) (%x[i, k] : tensor<2048x1024xf32>, %m[j, k] : tensor<1024x1024xf32>) : f32
      outs(%f[i, j] : tensor<2048x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<2048x1024xf32>
}

// -----

// Of a size `?` it may be few: then a cache has them sooner, whatever is asked for.

// CHECK-LABEL: func @again_of_any_size(
//   CHECK-NOT:   side(
//       CHECK:   return
// ALL-LABEL: func @again_of_any_size(
//   ALL-NOT:   side(
//       ALL:   return
func.func @again_of_any_size(%x: tensor<2048x1024xf32>, %w: tensor<?x1024xf32>) -> tensor<2048x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %w, %c0 : tensor<?x1024xf32>
  %e = tensor.empty(%n) : tensor<?x1024xf32>
  %f = tensor.empty(%n) : tensor<2048x?xf32>
  %m = sinter.rowwise (j = ?) by (k = 1024)
      ins(%w[j, k] : tensor<?x1024xf32>) outs(%e[j, k] : tensor<?x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %p = math.exp %a : tensor<1024xf32>
    sinter.yield %p : tensor<1024xf32>
  }
  %y = sinter.contract (i = 2048) by (j = ?)
      product (k = 1024) (%x[i, k] : tensor<2048x1024xf32>, %m[j, k] : tensor<?x1024xf32>) : f32
      outs(%f[i, j] : tensor<2048x?xf32>) {
  ^row(%p: tensor<?xf32>):
    sinter.yield %p : tensor<?xf32>
  }
  return %y : tensor<2048x?xf32>
}

// -----

// The other side's rows are packed once: an exponential of each element is computed once, here or there.

// CHECK-LABEL: func @once(
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   side(
func.func @once(%x: tensor<2048x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<2048x1024xf32> {
  %e = tensor.empty() : tensor<2048x1024xf32>
  %m = sinter.rowwise (i = 2048) by (k = 1024)
      ins(%x[i, k] : tensor<2048x1024xf32>) outs(%e[i, k] : tensor<2048x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %p = math.exp %a : tensor<1024xf32>
    sinter.yield %p : tensor<1024xf32>
  }
  %y = sinter.contract (i = 2048) by (j = 1024)
      product (k = 1024) (%m[i, k] : tensor<2048x1024xf32>, %w[j, k] : tensor<1024x1024xf32>) : f32
      outs(%e[i, j] : tensor<2048x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<2048x1024xf32>
}

// -----

// Rows that stay in a cache are written and read sooner than eight parts of the columns compute them, each for itself.

// CHECK-LABEL: func @parts_of_columns(
//   CHECK-NOT:   side(
//       CHECK:   return
// ALL-LABEL: func @parts_of_columns(
//   ALL-NOT:   side(
//       ALL:   return
func.func @parts_of_columns(%x: tensor<128x513xf32>, %w: tensor<513x771xf32>) -> tensor<128x771xf32> {
  %e = tensor.empty() : tensor<128x513xf32>
  %f = tensor.empty() : tensor<128x771xf32>
  %m = sinter.rowwise (i = 128) by (k = 513)
      ins(%x[i, k] : tensor<128x513xf32>) outs(%e[i, k] : tensor<128x513xf32>) {
  ^row(%a: tensor<513xf32>):
    %zero = arith.constant dense<0.0> : tensor<513xf32>
    %p = arith.maximumf %a, %zero : tensor<513xf32>
    sinter.yield %p : tensor<513xf32>
  }
  %y = sinter.contract (i = 128) by (j = 771)
      product (k = 513) (%m[i, k] : tensor<128x513xf32>, %w[k, j] : tensor<513x771xf32>) : f32
      outs(%f[i, j] : tensor<128x771xf32>) {
  ^row(%p: tensor<771xf32>):
    sinter.yield %p : tensor<771xf32>
  }
  return %y : tensor<128x771xf32>
}

// -----

// A diagonal matrix, which is small, in front of a product: nothing is left of that but a scale.

// CHECK-LABEL: func @diagonal(
//   CHECK-NOT:   sinter.contract
//       CHECK:   sinter.rowwise (i = 256) by (j = 300)
//  CHECK-NEXT:   ins(%{{.+}}[i] : tensor<256xf32>, %{{.+}}[i, j] : tensor<256x300xf32>)
//   CHECK-NOT:   sinter.contract
//       CHECK:   return
// ALL-LABEL: func @diagonal(
//   ALL-NOT:   sinter.contract
//       ALL:   return
func.func @diagonal(%d: tensor<256xf32>, %w: tensor<256x300xf32>) -> tensor<256x300xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %f = tensor.empty() : tensor<256x300xf32>
  %m = sinter.rowwise (i = 256) by (k = 256)
      ins(%d[k] : tensor<256xf32>) outs(%e[i, k] : tensor<256x256xf32>) {
  ^row(%a: tensor<256xf32>):
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %k = sinter.index k : tensor<256xindex>
    %i = sinter.index i : index
    %b = sinter.broadcast %i : index -> tensor<256xindex>
    %c = arith.cmpi eq, %k, %b : tensor<256xindex>
    %p = arith.select %c, %a, %zero : tensor<256xi1>, tensor<256xf32>
    sinter.yield %p : tensor<256xf32>
  }
  %y = sinter.contract (i = 256) by (j = 300)
      product (k = 256) (%m[i, k] : tensor<256x256xf32>, %w[k, j] : tensor<256x300xf32>) : f32
      outs(%f[i, j] : tensor<256x300xf32>) {
  ^row(%p: tensor<300xf32>):
    sinter.yield %p : tensor<300xf32>
  }
  return %y : tensor<256x300xf32>
}

// -----

// Two forms with such sides are one as any two are: what their programs name has the merged form's names.

// CHECK-LABEL: func @renamed(
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 8) by (j = 4)
//       CHECK:     product (k = 16) (side(
//       CHECK:       sinter.index k : tensor<16xindex>
//       CHECK:       sinter.index i : index
//       CHECK:     product (k1 = 16) (side(
//       CHECK:       sinter.index k1 : tensor<16xindex>
//       CHECK:       sinter.index i : index
//       CHECK:     arith.addf
//   CHECK-NOT:   sinter.contract
func.func @renamed(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>, %v: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (a = 8) by (b = 4)
      product (k = 16) (side(%x[a, k] : tensor<8x16xf32>) {
      ^side(%s: tensor<16xf32>):
        %k = sinter.index k : tensor<16xindex>
        %a = sinter.index a : index
        %t = sinter.broadcast %a : index -> tensor<16xindex>
        %c = arith.cmpi ult, %k, %t : tensor<16xindex>
        %n = math.exp %s : tensor<16xf32>
        %d = arith.select %c, %s, %n : tensor<16xi1>, tensor<16xf32>
        sinter.yield %d : tensor<16xf32>
      }, %w[b, k] : tensor<4x16xf32>) : f32
      outs(%f[a, b] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  %z = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf32>) {
      ^side(%s: tensor<16xf32>):
        %k = sinter.index k : tensor<16xindex>
        %a = sinter.index i : index
        %t = sinter.broadcast %a : index -> tensor<16xindex>
        %c = arith.cmpi uge, %k, %t : tensor<16xindex>
        %n = math.exp %s : tensor<16xf32>
        %d = arith.select %c, %s, %n : tensor<16xi1>, tensor<16xf32>
        sinter.yield %d : tensor<16xf32>
      }, %v[j, k] : tensor<4x16xf32>) : f32
      ins(%y[i, j] : tensor<8x4xf32>) outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %t = arith.addf %p, %q : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  return %z : tensor<8x4xf32>
}

// -----

// Positions alone make a kernel of their own: a side reads something.

//       WHY: remark: {{.*}}a side of its product would read nothing
// ALL-LABEL: func @positions_alone
//       ALL:   %[[R:.+]] = sinter.rowwise
//       ALL:     sinter.index
func.func @positions_alone(%w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %x = sinter.rowwise (i = 8, k = 16) by () outs(%e[i, k] : tensor<8x16xf32>) {
  ^row:
    %n = sinter.index k : index
    %i = arith.index_cast %n : index to i32
    %s = arith.sitofp %i : i32 to f32
    sinter.yield %s : f32
  }
  %z = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%x[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %z : tensor<8x4xf32>
}

// -----

// An element of a table at a difference of positions is an access there.

// CHECK-LABEL: func @at_difference(
//       CHECK:   product (k = 16) (%{{.+}}[i * -1 + k] : tensor<50xf32> else 0.000000e+00, %{{.+}}[j, k] : tensor<4x16xf32>) : f32
func.func @at_difference(%e: tensor<50xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %d = tensor.empty() : tensor<8x16xf32>
  %o = tensor.empty() : tensor<8x4xf32>
  %n = sinter.rowwise (i = 8) by (k = 16) ins(%e[?] : tensor<50xf32>) outs(%d[i, k] : tensor<8x16xf32>) {
  ^row(%t: memref<50xf32>):
    %i = sinter.index i : index
    %b = sinter.broadcast %i : index -> tensor<16xindex>
    %k = sinter.index k : tensor<16xindex>
    %s = arith.subi %k, %b : tensor<16xindex>
    %z = arith.constant 0.0 : f32
    %g = sinter.gather %t[%s] else %z : memref<50xf32>, tensor<16xindex> -> tensor<16xf32>
    sinter.yield %g : tensor<16xf32>
  }
  %y = sinter.contract (i = 8) by (j = 4) product (k = 16) (%n[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%o[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// What makes another result, too, is computed there all the same: nothing is saved but the bytes.

// CHECK-LABEL: func @another_result(
//   CHECK-NOT:   side(
//       CHECK:   return
func.func @another_result(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64x512xf32>
  %s = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<64x512xf32>
  %m:2 = sinter.rowwise (i = 64) by (k = 512) ins(%x[i, k] : tensor<64x512xf32>)
      outs(%e[i, k] : tensor<64x512xf32>, %s[i] : tensor<64xf32>) {
  ^row(%a: tensor<512xf32>):
    %p = math.exp %a : tensor<512xf32>
    %n = sinter.row_reduce add %p : tensor<512xf32> -> f32
    sinter.yield %p, %n : tensor<512xf32>, f32
  }
  %y = sinter.contract (i = 64) by (j = 512)
      product (k = 512) (%m#0[i, k] : tensor<64x512xf32>, %w[j, k] : tensor<512x512xf32>) : f32
      outs(%f[i, j] : tensor<64x512xf32>) {
  ^row(%p: tensor<512xf32>):
    sinter.yield %p : tensor<512xf32>
  }
  return %y, %m#1 : tensor<64x512xf32>, tensor<64xf32>
}

// -----

// A value that is read in three places is read once: two products that sum differently each rotate for themselves.

// CHECK-LABEL: func @in_three_places
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 8) (side(
//       CHECK:   product (b = 16384, l = 6) (side(
func.func @in_three_places(%x: tensor<16384x6x8xf32>, %c: tensor<6x8xf32>, %w: tensor<8x5xf32>, %u: tensor<16384x6x5xf32>)
    -> (tensor<16384x6x5xf32>, tensor<8x5xf32>) {
  %d = tensor.empty() : tensor<16384x6x8xf32>
  %e = tensor.empty() : tensor<16384x6x5xf32>
  %f = tensor.empty() : tensor<8x5xf32>
  %y = sinter.rowwise (b = 16384, l = 6) by (k = 8)
      ins(%x[b, l, k] : tensor<16384x6x8xf32>, %x[b, l, k + 4] : tensor<16384x6x8xf32> else 0.0,
          %x[b, l, k - 4] : tensor<16384x6x8xf32> else 0.0, %c[l, k] : tensor<6x8xf32>)
      outs(%d[b, l, k] : tensor<16384x6x8xf32>) {
  ^row(%a: tensor<8xf32>, %next: tensor<8xf32>, %last: tensor<8xf32>, %cos: tensor<8xf32>):
    %turned = arith.subf %last, %next : tensor<8xf32>
    %p = arith.mulf %a, %cos : tensor<8xf32>
    %r = arith.addf %p, %turned : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %p = sinter.contract (b = 16384, l = 6) by (j = 5)
      product (k = 8) (%y[b, l, k] : tensor<16384x6x8xf32>, %w[k, j] : tensor<8x5xf32>) : f32
      outs(%e[b, l, j] : tensor<16384x6x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %g = sinter.contract (k = 8) by (j = 5)
      product (b = 16384, l = 6) (%y[b, l, k] : tensor<16384x6x8xf32>, %u[b, l, j] : tensor<16384x6x5xf32>) : f32
      outs(%f[k, j] : tensor<8x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %p, %g : tensor<16384x6x5xf32>, tensor<8x5xf32>
}

// -----

// A side with columns, of any number of rows, is not thought to stay in a cache. One that is known to is stored: it
// would be computed for each block of their rows.

// CHECK-LABEL: func @of_any_size
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 8) (%{{.+}}[b, h, i, k] : tensor<?x4x70x8xf32>, side(
// CHECK-LABEL: func @in_cache
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   side(
func.func @of_any_size(%q: tensor<?x4x70x8xf32>, %x: tensor<?x12x8xf32>, %c: tensor<12x8xf32>,
                       %d: tensor<?x12x8xf32>, %e: tensor<?x4x70x12xf32>) -> tensor<?x4x70x12xf32> {
  %y = sinter.rowwise (b = ?, j = 12) by (k = 8)
      ins(%x[b, j, k] : tensor<?x12x8xf32>, %x[b, j, k + 4] : tensor<?x12x8xf32> else 0.0,
          %x[b, j, k - 4] : tensor<?x12x8xf32> else 0.0, %c[j, k] : tensor<12x8xf32>)
      outs(%d[b, j, k] : tensor<?x12x8xf32>) {
  ^row(%a: tensor<8xf32>, %next: tensor<8xf32>, %last: tensor<8xf32>, %cos: tensor<8xf32>):
    %p = arith.mulf %a, %cos : tensor<8xf32>
    %turned = arith.subf %last, %next : tensor<8xf32>
    %r = arith.addf %p, %turned : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %s = sinter.contract (b = ?, h = 4, i = 70) by (j = 12)
      product (k = 8) (%q[b, h, i, k] : tensor<?x4x70x8xf32>, %y[b, j, k] : tensor<?x12x8xf32>) : f32
      outs(%e[b, h, i, j] : tensor<?x4x70x12xf32>) {
  ^row(%acc: tensor<12xf32>):
    sinter.yield %acc : tensor<12xf32>
  }
  return %s : tensor<?x4x70x12xf32>
}
func.func @in_cache(%q: tensor<512x4x70x8xf32>, %x: tensor<512x12x8xf32>, %c: tensor<12x8xf32>,
                    %d: tensor<512x12x8xf32>, %e: tensor<512x4x70x12xf32>) -> tensor<512x4x70x12xf32> {
  %y = sinter.rowwise (b = 512, j = 12) by (k = 8)
      ins(%x[b, j, k] : tensor<512x12x8xf32>, %x[b, j, k + 4] : tensor<512x12x8xf32> else 0.0,
          %x[b, j, k - 4] : tensor<512x12x8xf32> else 0.0, %c[j, k] : tensor<12x8xf32>)
      outs(%d[b, j, k] : tensor<512x12x8xf32>) {
  ^row(%a: tensor<8xf32>, %next: tensor<8xf32>, %last: tensor<8xf32>, %cos: tensor<8xf32>):
    %p = arith.mulf %a, %cos : tensor<8xf32>
    %turned = arith.subf %last, %next : tensor<8xf32>
    %r = arith.addf %p, %turned : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %s = sinter.contract (b = 512, h = 4, i = 70) by (j = 12)
      product (k = 8) (%q[b, h, i, k] : tensor<512x4x70x8xf32>, %y[b, j, k] : tensor<512x12x8xf32>) : f32
      outs(%e[b, h, i, j] : tensor<512x4x70x12xf32>) {
  ^row(%acc: tensor<12xf32>):
    sinter.yield %acc : tensor<12xf32>
  }
  return %s : tensor<512x4x70x12xf32>
}
