// RUN: sinter-opt --sinter-shared-products --split-input-file %s | FileCheck %s

// Heads that share keys are rows of one product, with what stands behind it, on rows now.

// CHECK-LABEL: func.func @heads
//       CHECK:   %[[Y:.+]] = sinter.contract (i = 3, g = 4) by (k = 37)
//  CHECK-NEXT:     product (l = 24) (%{{.+}}[i * 4 + g, l] : tensor<12x24xbf16>, %{{.+}}[i, k, l] : tensor<3x37x24xbf16>) : f32
//  CHECK-NEXT:     ins(%{{.+}}[k] : tensor<37xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, g, k] : tensor<3x4x37xf32>)
//       CHECK:   ^row(%[[S:.+]]: tensor<37xf32>, %[[B:.+]]: tensor<37xf32>):
//       CHECK:     %[[C:.+]] = arith.constant 1.250000e-01 : f32
//       CHECK:     %[[CS:.+]] = sinter.broadcast %[[C]]
//       CHECK:     %[[X:.+]] = arith.mulf %[[S]], %[[CS]] : tensor<37xf32>
//       CHECK:     arith.addf %[[X]], %[[B]] : tensor<37xf32>
//       CHECK:   %[[R:.+]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2]] : tensor<3x4x37xf32> into tensor<12x37xf32>
//       CHECK:   return %[[R]]
func.func @heads(%q: tensor<12x24xbf16>, %k: tensor<3x37x24xbf16>, %b: tensor<37xf32>, %y: tensor<12x37xf32>) -> tensor<12x37xf32> {
  %0 = sinter.rowwise (i = 12, k = 37) by (l = 24)
      ins(%k[i floordiv 4, k, l] : tensor<3x37x24xbf16>, %q[i, l] : tensor<12x24xbf16>, %b[k] : tensor<37xf32>)
      outs(%y[i, k] : tensor<12x37xf32>) {
  ^row(%x: tensor<24xbf16>, %z: tensor<24xbf16>, %bias: f32):
    %c = arith.constant 0.125 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<24xf32>
    %xw = arith.extf %x : tensor<24xbf16> to tensor<24xf32>
    %zw = arith.extf %z : tensor<24xbf16> to tensor<24xf32>
    %zc = arith.mulf %zw, %cs : tensor<24xf32>
    %p = arith.mulf %xw, %zc : tensor<24xf32>
    %s = sinter.row_reduce add %p : tensor<24xf32> -> f32
    %r = arith.addf %s, %bias : f32
    sinter.yield %r : f32
  }
  return %0 : tensor<12x37xf32>
}

// -----

// All heads share them.

// CHECK-LABEL: func.func @all
//       CHECK:   sinter.contract (i = 12) by (k = 37)
//  CHECK-NEXT:     product (l = 24) (%{{.+}}[i, l] : tensor<12x24xf32>, %{{.+}}[k, l] : tensor<37x24xf32>) : f32
func.func @all(%q: tensor<12x24xf32>, %k: tensor<37x24xf32>, %y: tensor<12x37xf32>) -> tensor<12x37xf32> {
  %0 = sinter.rowwise (i = 12, k = 37) by (l = 24)
      ins(%k[k, l] : tensor<37x24xf32>, %q[i, l] : tensor<12x24xf32>)
      outs(%y[i, k] : tensor<12x37xf32>) {
  ^row(%x: tensor<24xf32>, %z: tensor<24xf32>):
    %p = arith.mulf %x, %z : tensor<24xf32>
    %s = sinter.row_reduce add %p : tensor<24xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<12x37xf32>
}

// -----

// Nobody shares anything: rows that are reduced are as fast.

// CHECK-LABEL: func.func @own
//   CHECK-NOT:   sinter.contract
func.func @own(%q: tensor<12x24xf32>, %k: tensor<12x37x24xf32>, %y: tensor<12x37xf32>) -> tensor<12x37xf32> {
  %0 = sinter.rowwise (i = 12, k = 37) by (l = 24)
      ins(%k[i, k, l] : tensor<12x37x24xf32>, %q[i, l] : tensor<12x24xf32>)
      outs(%y[i, k] : tensor<12x37xf32>) {
  ^row(%x: tensor<24xf32>, %z: tensor<24xf32>):
    %p = arith.mulf %x, %z : tensor<24xf32>
    %s = sinter.row_reduce add %p : tensor<24xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<12x37xf32>
}

// -----

// A sum of squares' differences is no product; a factor that is no number of a sum's range stays.

// CHECK-LABEL: func.func @other
//   CHECK-NOT:   sinter.contract
func.func @other(%q: tensor<12x24xf32>, %k: tensor<3x37x24xf32>, %y: tensor<12x37xf32>) -> (tensor<12x37xf32>, tensor<12x37xf32>) {
  %0 = sinter.rowwise (i = 12, k = 37) by (l = 24)
      ins(%k[i floordiv 4, k, l] : tensor<3x37x24xf32>, %q[i, l] : tensor<12x24xf32>)
      outs(%y[i, k] : tensor<12x37xf32>) {
  ^row(%x: tensor<24xf32>, %z: tensor<24xf32>):
    %d = arith.subf %x, %z : tensor<24xf32>
    %p = arith.mulf %d, %d : tensor<24xf32>
    %s = sinter.row_reduce add %p : tensor<24xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (i = 12, k = 37) by (l = 24)
      ins(%k[i floordiv 4, k, l] : tensor<3x37x24xf32>, %q[i, l] : tensor<12x24xf32>)
      outs(%y[i, k] : tensor<12x37xf32>) {
  ^row(%x: tensor<24xf32>, %z: tensor<24xf32>):
    %c = arith.constant 1.0e-30 : f32
    %cs = sinter.broadcast %c : f32 -> tensor<24xf32>
    %xc = arith.mulf %x, %cs : tensor<24xf32>
    %p = arith.mulf %xc, %z : tensor<24xf32>
    %s = sinter.row_reduce add %p : tensor<24xf32> -> f32
    sinter.yield %s : f32
  }
  return %0, %1 : tensor<12x37xf32>, tensor<12x37xf32>
}
