// RUN: sinter-opt --sinter-all-turns --split-input-file %s | FileCheck %s

// A product of what a loop is given, by what is the same in each turn, is one of all turns; what is made for it goes
// with it, and the turn reads its part.

// CHECK-LABEL: func @inputs
//       CHECK:   %[[N:.+]] = sinter.rowwise (t = 9, i = 2) by (k = 8)
//  CHECK-NEXT:     ins(%{{.+}}[t, i, k] : tensor<9x2x8xf32>)
//       CHECK:   %[[B:.+]] = sinter.rowwise () by (j = 16)
//       CHECK:   %[[P:.+]] = sinter.contract (t = 9, i = 2) by (j = 16)
//  CHECK-NEXT:     product (k = 8) (%[[N]][t, i, k] : tensor<9x2x8xf32>, %{{.+}}[k, j] : tensor<8x16xf32>) : f32
//  CHECK-NEXT:     ins(%[[B]][j] : tensor<16xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[t, i, j] : tensor<9x2x16xf32>)
//       CHECK:   scf.for %[[T:.+]] = %{{.+}} to
//       CHECK:     %[[PART:.+]] = tensor.extract_slice %[[P]][%[[T]], 0, 0] [1, 2, 16] [1, 1, 1]
//   CHECK-NOT:     sinter.contract
//       CHECK:     sinter.rowwise (i = 2) by (j = 16)
//  CHECK-NEXT:       ins(%[[PART]][i, j] : tensor<2x16xf32>, %{{.+}}[i, j] : tensor<2x16xf32>)
func.func @inputs(%x: tensor<9x2x8xf32>, %w: tensor<8x16xf32>, %c: tensor<16xf32>, %h: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<2x16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<9x2x8xf32> to tensor<2x8xf32>
    %e8 = tensor.empty() : tensor<2x8xf32>
    %n = sinter.rowwise (i = 2) by (k = 8) ins(%xt[i, k] : tensor<2x8xf32>) outs(%e8[i, k] : tensor<2x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
      %mm = sinter.broadcast %m : f32 -> tensor<8xf32>
      %d = arith.subf %a, %mm : tensor<8xf32>
      sinter.yield %d : tensor<8xf32>
    }
    %e1 = tensor.empty() : tensor<16xf32>
    %b = sinter.rowwise () by (j = 16) ins(%c[j] : tensor<16xf32>) outs(%e1[j] : tensor<16xf32>) {
    ^row(%a: tensor<16xf32>):
      %s = arith.addf %a, %a : tensor<16xf32>
      sinter.yield %s : tensor<16xf32>
    }
    %e = tensor.empty() : tensor<2x16xf32>
    %p = sinter.contract (i = 2) by (j = 16) product (k = 8) (%n[i, k] : tensor<2x8xf32>, %w[k, j] : tensor<8x16xf32>) : f32
        ins(%b[j] : tensor<16xf32>) outs(%e[i, j] : tensor<2x16xf32>) {
    ^row(%acc: tensor<16xf32>, %a: tensor<16xf32>):
      %s = arith.addf %acc, %a : tensor<16xf32>
      sinter.yield %s : tensor<16xf32>
    }
    %u = sinter.rowwise (i = 2) by (j = 16) ins(%p[i, j] : tensor<2x16xf32>, %v[i, j] : tensor<2x16xf32>) outs(%e[i, j] : tensor<2x16xf32>) {
    ^row(%a: tensor<16xf32>, %q: tensor<16xf32>):
      %s = arith.addf %a, %q : tensor<16xf32>
      %r = math.tanh %s : tensor<16xf32>
      sinter.yield %r : tensor<16xf32>
    }
    scf.yield %u : tensor<2x16xf32>
  }
  return %y : tensor<2x16xf32>
}

// -----

// Sums of one row are a product, now that there are many.

// CHECK-LABEL: func @sums
//       CHECK:   %[[P:.+]] = sinter.contract (t = 9, i = 1) by (j = 16)
//  CHECK-NEXT:     product (k = 8) (%{{.+}}[t, 0, k] : tensor<9x1x8xf32>, %{{.+}}[k, j] : tensor<8x16xf32>) : f32
//  CHECK-NEXT:     ins(%{{.+}}[j] : tensor<16xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[t, i, j] : tensor<9x1x16xf32>)
//  CHECK-NEXT:   ^row(%[[ACC:.+]]: tensor<16xf32>, %[[B:.+]]: tensor<16xf32>):
//  CHECK-NEXT:     %[[S:.+]] = arith.addf %[[B]], %[[ACC]] : tensor<16xf32>
//  CHECK-NEXT:     sinter.yield %[[S]]
//       CHECK:   scf.for
//       CHECK:     tensor.extract_slice %[[P]]
func.func @sums(%x: tensor<9x1x8xf32>, %w: tensor<8x16xf32>, %c: tensor<16xf32>, %h: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<1x16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 1, 8] [1, 1, 1] : tensor<9x1x8xf32> to tensor<8xf32>
    %e = tensor.empty() : tensor<1x16xf32>
    %p = sinter.rowwise (i = 1, j = 16) by (k = 8)
        ins(%xt[k] : tensor<8xf32>, %w[k, j] : tensor<8x16xf32>, %c[j] : tensor<16xf32>) outs(%e[i, j] : tensor<1x16xf32>) {
    ^row(%a: tensor<8xf32>, %q: tensor<8xf32>, %b: f32):
      %1 = arith.mulf %a, %q : tensor<8xf32>
      %2 = sinter.row_reduce add %1 : tensor<8xf32> -> f32
      %3 = arith.addf %b, %2 : f32
      sinter.yield %3 : f32
    }
    %u = sinter.rowwise (i = 1) by (j = 16) ins(%p[i, j] : tensor<1x16xf32>, %v[i, j] : tensor<1x16xf32>) outs(%e[i, j] : tensor<1x16xf32>) {
    ^row(%a: tensor<16xf32>, %q: tensor<16xf32>):
      %s = arith.addf %a, %q : tensor<16xf32>
      sinter.yield %s : tensor<16xf32>
    }
    scf.yield %u : tensor<1x16xf32>
  }
  return %y : tensor<1x16xf32>
}

// -----

// What a turn makes is multiplied there.

// CHECK-LABEL: func @carried
//       CHECK:   scf.for
//       CHECK:     sinter.contract (i = 2)
func.func @carried(%w: tensor<16x16xf32>, %h: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x16xf32>
  %y = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<2x16xf32>) {
    %p = sinter.contract (i = 2) by (j = 16) product (k = 16) (%v[i, k] : tensor<2x16xf32>, %w[k, j] : tensor<16x16xf32>) : f32
        outs(%e[i, j] : tensor<2x16xf32>) {
    ^row(%acc: tensor<16xf32>):
      sinter.yield %acc : tensor<16xf32>
    }
    scf.yield %p : tensor<2x16xf32>
  }
  return %y : tensor<2x16xf32>
}

// -----

// Rows that are many in a turn read the weights seldom enough; and a layer's own weights are read once.

// CHECK-LABEL: func @many_rows
//       CHECK:   scf.for
//       CHECK:     sinter.contract (i = 64)
//       CHECK:     sinter.contract (i = 2)
func.func @many_rows(%x: tensor<9x64x8xf32>, %w: tensor<8x16xf32>, %z: tensor<9x2x8xf32>, %ws: tensor<9x8x16xf32>, %h: tensor<64x16xf32>, %g: tensor<2x16xf32>) -> (tensor<64x16xf32>, tensor<2x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<64x16xf32>
  %e2 = tensor.empty() : tensor<2x16xf32>
  %y:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h, %s = %g) -> (tensor<64x16xf32>, tensor<2x16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 64, 8] [1, 1, 1] : tensor<9x64x8xf32> to tensor<64x8xf32>
    %zt = tensor.extract_slice %z[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<9x2x8xf32> to tensor<2x8xf32>
    %wt = tensor.extract_slice %ws[%t, 0, 0] [1, 8, 16] [1, 1, 1] : tensor<9x8x16xf32> to tensor<8x16xf32>
    %p0 = sinter.contract (i = 64) by (j = 16) product (k = 8) (%xt[i, k] : tensor<64x8xf32>, %w[k, j] : tensor<8x16xf32>) : f32
        outs(%e[i, j] : tensor<64x16xf32>) {
    ^row(%acc: tensor<16xf32>):
      sinter.yield %acc : tensor<16xf32>
    }
    %q0 = sinter.contract (i = 2) by (j = 16) product (k = 8) (%zt[i, k] : tensor<2x8xf32>, %wt[k, j] : tensor<8x16xf32>) : f32
        outs(%e2[i, j] : tensor<2x16xf32>) {
    ^row(%acc: tensor<16xf32>):
      sinter.yield %acc : tensor<16xf32>
    }
    %p = sinter.rowwise (i = 64) by (j = 16) ins(%p0[i, j] : tensor<64x16xf32>, %v[i, j] : tensor<64x16xf32>) outs(%e[i, j] : tensor<64x16xf32>) {
    ^row(%acc: tensor<16xf32>, %a: tensor<16xf32>):
      %1 = arith.addf %acc, %a : tensor<16xf32>
      sinter.yield %1 : tensor<16xf32>
    }
    %q = sinter.rowwise (i = 2) by (j = 16) ins(%q0[i, j] : tensor<2x16xf32>, %s[i, j] : tensor<2x16xf32>) outs(%e2[i, j] : tensor<2x16xf32>) {
    ^row(%acc: tensor<16xf32>, %a: tensor<16xf32>):
      %1 = arith.addf %acc, %a : tensor<16xf32>
      sinter.yield %1 : tensor<16xf32>
    }
    scf.yield %p, %q : tensor<64x16xf32>, tensor<2x16xf32>
  }
  return %y#0, %y#1 : tensor<64x16xf32>, tensor<2x16xf32>
}

// -----

// What the loop carries is made in it.

// CHECK-LABEL: func @yielded
//       CHECK:   scf.for
//       CHECK:     sinter.contract (i = 2)
func.func @yielded(%x: tensor<9x2x8xf32>, %w: tensor<8x16xf32>, %h: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x16xf32>
  %y = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<2x16xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<9x2x8xf32> to tensor<2x8xf32>
    %p = sinter.contract (i = 2) by (j = 16) product (k = 8) (%xt[i, k] : tensor<2x8xf32>, %w[k, j] : tensor<8x16xf32>) : f32
        outs(%e[i, j] : tensor<2x16xf32>) {
    ^row(%acc: tensor<16xf32>):
      sinter.yield %acc : tensor<16xf32>
    }
    scf.yield %p : tensor<2x16xf32>
  }
  return %y : tensor<2x16xf32>
}
