// RUN: sinter-opt --sinter-behind-products --split-input-file %s | FileCheck %s

// Halves times a number that two products read are stored as halves, once for the heads that they are of, and as what
// they are made of lies. Each product is multiplied by the number.

// CHECK-LABEL: func @keys
//  CHECK-SAME:   (%[[K:.+]]: tensor<2x7x3xbf16>, %[[T:.+]]: tensor<7x3xbf16>,
//       CHECK:   %[[Y:.+]] = sinter.rowwise (h = 2, j = 7) by (e = 3)
//       CHECK:       ins(%[[K]][h, j, e] : tensor<2x7x3xbf16>, %[[T]][j, e] : tensor<7x3xbf16>)
//       CHECK:       outs(%{{.+}}[h, j, e] : tensor<2x7x3xbf16>)
//       CHECK:     %[[M:.+]] = arith.mulf %{{.+}} : tensor<3xbf16>
//       CHECK:     sinter.yield %[[M]]
//       CHECK:   product (e = 3) (%{{.+}}[h, i, e] : tensor<4x5x3xbf16>, %[[Y]][h floordiv 2, j, e] : tensor<2x7x3xbf16>) : f32
//       CHECK:   ^row(%[[P:.+]]: tensor<7xf32>):
//       CHECK:     %[[S:.+]] = arith.mulf %[[P]], %
//       CHECK:     sinter.yield %[[S]]
//       CHECK:   product (j = 7) (%{{.+}}[h, i, j] : tensor<4x5x7xbf16>, %[[Y]][h floordiv 2, j, e] : tensor<2x7x3xbf16>) : f32
//       CHECK:   ^row(%[[P:.+]]: tensor<3xf32>):
//       CHECK:     %[[S:.+]] = arith.mulf %[[P]], %
//       CHECK:     sinter.yield %[[S]]
func.func @keys(%k: tensor<2x7x3xbf16>, %t: tensor<7x3xbf16>, %q: tensor<4x5x3xbf16>, %d: tensor<4x5x7xbf16>)
    -> (tensor<4x5x7xf32>, tensor<4x5x3xf32>) {
  %e = tensor.empty() : tensor<4x3x7xf32>
  %f = tensor.empty() : tensor<4x5x7xf32>
  %g = tensor.empty() : tensor<4x5x3xf32>
  %y = sinter.rowwise (h = 4, e = 3) by (j = 7)
      ins(%k[h floordiv 2, j, e] : tensor<2x7x3xbf16>, %t[j, e] : tensor<7x3xbf16>)
      outs(%e[h, e, j] : tensor<4x3x7xf32>) {
  ^row(%a: tensor<7xbf16>, %b: tensor<7xbf16>):
    %c = arith.constant 0.5 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<7xf32>
    %m = arith.mulf %a, %b : tensor<7xbf16>
    %w = arith.extf %m : tensor<7xbf16> to tensor<7xf32>
    %x = arith.mulf %w, %cs : tensor<7xf32>
    sinter.yield %x : tensor<7xf32>
  }
  %s = sinter.contract (h = 4, i = 5) by (j = 7)
      product (e = 3) (%q[h, i, e] : tensor<4x5x3xbf16>, %y[h, e, j] : tensor<4x3x7xf32>) : f32
      outs(%f[h, i, j] : tensor<4x5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  %o = sinter.contract (h = 4, i = 5) by (e = 3)
      product (j = 7) (%d[h, i, j] : tensor<4x5x7xbf16>, %y[h, e, j] : tensor<4x3x7xf32>) : f32
      outs(%g[h, i, e] : tensor<4x5x3xf32>) {
  ^row(%p: tensor<3xf32>):
    sinter.yield %p : tensor<3xf32>
  }
  return %s, %o : tensor<4x5x7xf32>, tensor<4x5x3xf32>
}

// -----

// What names the head is another for each.

// CHECK-LABEL: func @named
//       CHECK:   sinter.rowwise (h = 4, j = 7) by (e = 3)
//       CHECK:       outs(%{{.+}}[h, j, e] : tensor<4x7x3xbf16>)
func.func @named(%k: tensor<2x7x3xbf16>, %q: tensor<4x5x3xbf16>) -> (tensor<4x5x7xf32>, tensor<4x5x7xf32>) {
  %e = tensor.empty() : tensor<4x7x3xf32>
  %f = tensor.empty() : tensor<4x5x7xf32>
  %y = sinter.rowwise (h = 4, j = 7) by (e = 3)
      ins(%k[h floordiv 2, j, e] : tensor<2x7x3xbf16>) outs(%e[h, j, e] : tensor<4x7x3xf32>) {
  ^row(%a: tensor<3xbf16>):
    %h = sinter.index h : index
    %two = arith.constant 2 : index
    %first = arith.cmpi ult, %h, %two : index
    %n = arith.negf %a : tensor<3xbf16>
    %m = arith.select %first, %n, %a : tensor<3xbf16>
    %w = arith.extf %m : tensor<3xbf16> to tensor<3xf32>
    sinter.yield %w : tensor<3xf32>
  }
  %s:2 = sinter.contract (h = 4, i = 5) by (j = 7)
      product (e = 3) (%q[h, i, e] : tensor<4x5x3xbf16>, %y[h, j, e] : tensor<4x7x3xf32>) : f32
      product (e1 = 3) (%y[h, j, e1] : tensor<4x7x3xf32>, %q[h, i, e1] : tensor<4x5x3xbf16>) : f32
      outs(%f[h, i, j] : tensor<4x5x7xf32>, %f[h, i, j] : tensor<4x5x7xf32>) {
  ^row(%p: tensor<7xf32>, %r: tensor<7xf32>):
    sinter.yield %p, %r : tensor<7xf32>, tensor<7xf32>
  }
  return %s#0, %s#1 : tensor<4x5x7xf32>, tensor<4x5x7xf32>
}

// -----

// A reader that is no product of halves: the numbers stay as they are.

// CHECK-LABEL: func @other_reader
//       CHECK:   outs(%{{.+}}[j, e] : tensor<7x3xf32>)
//       CHECK:   sinter.contract
func.func @other_reader(%k: tensor<7x3xbf16>, %q: tensor<5x3xbf16>) -> (tensor<5x7xf32>, tensor<7xf32>) {
  %e = tensor.empty() : tensor<7x3xf32>
  %f = tensor.empty() : tensor<5x7xf32>
  %g = tensor.empty() : tensor<7xf32>
  %y = sinter.rowwise (j = 7) by (e = 3) ins(%k[j, e] : tensor<7x3xbf16>) outs(%e[j, e] : tensor<7x3xf32>) {
  ^row(%a: tensor<3xbf16>):
    %n = arith.negf %a : tensor<3xbf16>
    %w = arith.extf %n : tensor<3xbf16> to tensor<3xf32>
    sinter.yield %w : tensor<3xf32>
  }
  %s = sinter.contract (i = 5) by (j = 7)
      product (e = 3) (%q[i, e] : tensor<5x3xbf16>, %y[j, e] : tensor<7x3xf32>) : f32
      outs(%f[i, j] : tensor<5x7xf32>) {
  ^row(%p: tensor<7xf32>):
    sinter.yield %p : tensor<7xf32>
  }
  %r = sinter.rowwise (j = 7) by (e = 3) ins(%y[j, e] : tensor<7x3xf32>) outs(%g[j] : tensor<7xf32>) {
  ^row(%a: tensor<3xf32>):
    %t = sinter.row_reduce add %a : tensor<3xf32> -> f32
    sinter.yield %t : f32
  }
  return %s, %r : tensor<5x7xf32>, tensor<7xf32>
}

// -----

// What rows are made of a product lies along its columns.

// CHECK-LABEL: func @by_columns
//       CHECK:   %[[P:.+]] = sinter.contract (h = 4, i = 5) by (e = 3)
//       CHECK:       outs(%{{.+}}[h, i, e] : tensor<4x5x3xf32>)
//       CHECK:   sinter.rowwise (i = 5, e = 3) by (h = 4)
//       CHECK:       ins(%[[P]][h, i, e] : tensor<4x5x3xf32>)
func.func @by_columns(%d: tensor<4x5x7xbf16>, %k: tensor<4x7x3xbf16>) -> tensor<5x3xf32> {
  %g = tensor.empty() : tensor<4x3x5xf32>
  %t = tensor.empty() : tensor<5x3xf32>
  %o = sinter.contract (h = 4, i = 5) by (e = 3)
      product (j = 7) (%d[h, i, j] : tensor<4x5x7xbf16>, %k[h, j, e] : tensor<4x7x3xbf16>) : f32
      outs(%g[h, e, i] : tensor<4x3x5xf32>) {
  ^row(%p: tensor<3xf32>):
    sinter.yield %p : tensor<3xf32>
  }
  %r = sinter.rowwise (i = 5, e = 3) by (h = 4) ins(%o[h, e, i] : tensor<4x3x5xf32>) outs(%t[i, e] : tensor<5x3xf32>) {
  ^row(%a: tensor<4xf32>):
    %s = sinter.row_reduce add %a : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  return %r : tensor<5x3xf32>
}

// -----

// Who takes elements of the whole by places that its body computes computes them for subscripts in this order.

// CHECK-LABEL: func @table
//       CHECK:   %[[P:.+]] = sinter.contract
//       CHECK:       outs(%{{.+}}[h, e, i] : tensor<4x3x5xf32>)
//       CHECK:   sinter.rowwise (h = 4, e = 3) by (i = 5)
//       CHECK:       ins(%[[P]][?, ?, ?] : tensor<4x3x5xf32>)
func.func @table(%d: tensor<4x5x7xbf16>, %k: tensor<4x7x3xbf16>) -> tensor<4x3x5xf32> {
  %g = tensor.empty() : tensor<4x3x5xf32>
  %o = sinter.contract (h = 4, i = 5) by (e = 3)
      product (j = 7) (%d[h, i, j] : tensor<4x5x7xbf16>, %k[h, j, e] : tensor<4x7x3xbf16>) : f32
      outs(%g[h, e, i] : tensor<4x3x5xf32>) {
  ^row(%p: tensor<3xf32>):
    sinter.yield %p : tensor<3xf32>
  }
  %r = sinter.rowwise (h = 4, e = 3) by (i = 5) ins(%o[?, ?, ?] : tensor<4x3x5xf32>)
      outs(%g[h, e, i] : tensor<4x3x5xf32>) {
  ^row(%a: memref<4x3x5xf32>):
    %z = arith.constant 0.0 : f32
    %four = arith.constant 4 : index
    %h = sinter.index h : index
    %e = sinter.index e : index
    %i = sinter.index i : tensor<5xindex>
    %l = sinter.broadcast %four : index -> tensor<5xindex>
    %n = arith.subi %l, %i : tensor<5xindex>
    %s = sinter.gather %a[%h, %e, %n] else %z : memref<4x3x5xf32>, index, index, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %r : tensor<4x3x5xf32>
}
