// RUN: sinter-opt --sinter-thin-products --split-input-file %s | FileCheck %s

// A sum of one element is a product: of bf16 in f32, as the sum was. What the body adds stays.

// CHECK-LABEL: func @outer
//       CHECK:   sinter.rowwise (i = 11) by (j = 20)
//  CHECK-NEXT:     ins(%{{.+}}[i, 0] : tensor<11x1xbf16>, %{{.+}}[j, 0] : tensor<20x1xbf16>, %{{.+}}[j] : tensor<20xf32>)
//       CHECK:   ^row(%[[X:.+]]: bf16, %[[W:.+]]: tensor<20xbf16>, %[[B:.+]]: tensor<20xf32>):
//       CHECK:     arith.extf %[[X]] : bf16 to f32
//       CHECK:     arith.extf %[[W]] : tensor<20xbf16> to tensor<20xf32>
//       CHECK:     %[[P:.+]] = arith.mulf
//  CHECK-NEXT:     arith.addf %[[P]], %[[B]] : tensor<20xf32>
func.func @outer(%x: tensor<11x1xbf16>, %w: tensor<20x1xbf16>, %b: tensor<20xf32>, %e: tensor<11x20xf32>) -> tensor<11x20xf32> {
  %y = sinter.contract (i = 11) by (j = 20)
      product (k = 1) (%x[i, k] : tensor<11x1xbf16>, %w[j, k] : tensor<20x1xbf16>) : f32
      ins(%b[j] : tensor<20xf32>) outs(%e[i, j] : tensor<11x20xf32>) {
  ^row(%v: tensor<20xf32>, %c: tensor<20xf32>):
    %t = arith.addf %v, %c : tensor<20xf32>
    sinter.yield %t : tensor<20xf32>
  }
  return %y : tensor<11x20xf32>
}

// -----

// What is reduced over rows, and what finishes it, are as before.

// CHECK-LABEL: func @reduced
//       CHECK:   sinter.rowwise (i = 11) by (j = 20)
//       CHECK:     reduce(add [j] : f32)
//       CHECK:   finish
//  CHECK-NEXT:   ^done(%[[S:.+]]: tensor<20xf32>, %[[N:.+]]: f32):
//  CHECK-NEXT:     sinter.broadcast %[[N]]
func.func @reduced(%x: tensor<1x11xf32>, %w: tensor<1x20xf32>, %n: tensor<f32>, %e: tensor<20xf32>) -> tensor<20xf32> {
  %y = sinter.contract (i = 11) by (j = 20)
      product (k = 1) (%x[k, i] : tensor<1x11xf32>, %w[k, j] : tensor<1x20xf32>) : f32
      ins(%n[] : tensor<f32>) reduce(add [j] : f32) outs(%e[j] : tensor<20xf32>) {
  ^row(%v: tensor<20xf32>, %c: f32):
    sinter.yield %v : tensor<20xf32>
  } finish {
  ^done(%s: tensor<20xf32>, %c: f32):
    %r = sinter.broadcast %c : f32 -> tensor<20xf32>
    %q = arith.divf %s, %r : tensor<20xf32>
    sinter.yield %q : tensor<20xf32>
  }
  return %y : tensor<20xf32>
}

// -----

// One column is a sum of each row, two products of as many elements are two.

// CHECK-LABEL: func @column
//       CHECK:   sinter.rowwise (i = 11, j = 1) by (k = 20)
//       CHECK:     %[[A:.+]] = sinter.row_reduce add
//       CHECK:     %[[B:.+]] = sinter.row_reduce add
//       CHECK:     arith.mulf %[[A]], %[[B]] : f32
func.func @column(%x: tensor<11x20xf32>, %w: tensor<20x1xf32>, %u: tensor<1x20xf32>, %e: tensor<11x1xf32>) -> tensor<11x1xf32> {
  %y = sinter.contract (i = 11) by (j = 1)
      product (k = 20) (%x[i, k] : tensor<11x20xf32>, %w[k, j] : tensor<20x1xf32>) : f32
      product (m = 20) (%x[i, m] : tensor<11x20xf32>, %u[j, m] : tensor<1x20xf32>) : f32
      outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>, %c: tensor<1xf32>):
    %t = arith.mulf %v, %c : tensor<1xf32>
    sinter.yield %t : tensor<1xf32>
  }
  return %y : tensor<11x1xf32>
}

// -----

// Half types whose sum is several lines of memory are rows, which widen them.

// CHECK-LABEL: func @lines
//       CHECK:   sinter.rowwise (i = 11, j = 1) by (k = 3, l = 7)
//       CHECK:   ^row(%[[X:.+]]: tensor<21xbf16>, %[[W:.+]]: tensor<21xf16>):
//   CHECK-DAG:     arith.extf %[[X]] : tensor<21xbf16> to tensor<21xf32>
//   CHECK-DAG:     arith.extf %[[W]] : tensor<21xf16> to tensor<21xf32>
func.func @lines(%x: tensor<11x3x8xbf16>, %w: tensor<1x3x7xf16>, %e: tensor<11x1xf32>) -> tensor<11x1xf32> {
  %y = sinter.contract (i = 11) by (j = 1)
      product (k = 3, l = 7) (%x[i, k, l] : tensor<11x3x8xbf16>, %w[j, k, l] : tensor<1x3x7xf16>) : f32
      outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>):
    sinter.yield %v : tensor<1xf32>
  }
  return %y : tensor<11x1xf32>
}

// -----

// Rows that lie the other way round stay a product, and so do sums of bf16 that are one line, of less than a
// vector, and of two lengths.

// CHECK-LABEL: func @products
// CHECK-COUNT-4: sinter.contract
func.func @products(%x: tensor<20x11xf32>, %w: tensor<1x20xf32>, %h: tensor<11x20xbf16>, %g: tensor<1x20xbf16>,
                    %s: tensor<11x15xf32>, %t: tensor<1x15xf32>, %z: tensor<11x20xf32>, %e: tensor<11x1xf32>)
    -> (tensor<11x1xf32>, tensor<11x1xf32>, tensor<11x1xf32>, tensor<11x1xf32>) {
  %0 = sinter.contract (i = 11) by (j = 1)
      product (k = 20) (%x[k, i] : tensor<20x11xf32>, %w[j, k] : tensor<1x20xf32>) : f32 outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>):
    sinter.yield %v : tensor<1xf32>
  }
  %1 = sinter.contract (i = 11) by (j = 1)
      product (k = 20) (%h[i, k] : tensor<11x20xbf16>, %g[j, k] : tensor<1x20xbf16>) : f32 outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>):
    sinter.yield %v : tensor<1xf32>
  }
  %2 = sinter.contract (i = 11) by (j = 1)
      product (k = 15) (%s[i, k] : tensor<11x15xf32>, %t[j, k] : tensor<1x15xf32>) : f32 outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>):
    sinter.yield %v : tensor<1xf32>
  }
  %3 = sinter.contract (i = 11) by (j = 1)
      product (k = 20) (%z[i, k] : tensor<11x20xf32>, %w[j, k] : tensor<1x20xf32>) : f32
      product (m = 15) (%s[i, m] : tensor<11x15xf32>, %t[j, m] : tensor<1x15xf32>) : f32 outs(%e[i, j] : tensor<11x1xf32>) {
  ^row(%v: tensor<1xf32>, %c: tensor<1xf32>):
    %q = arith.mulf %v, %c : tensor<1xf32>
    sinter.yield %q : tensor<1xf32>
  }
  return %0, %1, %2, %3 : tensor<11x1xf32>, tensor<11x1xf32>, tensor<11x1xf32>, tensor<11x1xf32>
}
