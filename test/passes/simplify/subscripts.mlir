// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// A quotient of what is smaller than the divisor is 0, and the remainder is what is divided; also where other sizes are
// not known, and in bounds.

// CHECK-LABEL: func @smaller
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x4x2x8xf32>,
//       CHECK:   sinter.rowwise (i = ?, g = 4, h = 2) by (j = 8)
//  CHECK-NEXT:     ins(%[[X]][i, g, h, j] : tensor<?x4x2x8xf32>, %[[X]][i, g, h, j + 4] : tensor<?x4x2x8xf32> else 0.000000e+00)
//  CHECK-NEXT:     outs(%{{.+}}[i, g, h, j] : tensor<?x4x2x8xf32>)
func.func @smaller(%x: tensor<?x4x2x8xf32>, %e: tensor<?x4x2x8xf32>) -> tensor<?x4x2x8xf32> {
  %y = sinter.rowwise (i = ?, g = 4, h = 2) by (j = 8)
      ins(%x[i, g + h floordiv 2, h mod 2, j] : tensor<?x4x2x8xf32>,
          %x[i, g + h floordiv 2, h mod 2, j + 4] : tensor<?x4x2x8xf32> else 0.0)
      outs(%e[i, g, h, j] : tensor<?x4x2x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = arith.addf %a, %b : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<?x4x2x8xf32>
}

// -----

// One that is as large, or of any size, keeps both.

// CHECK-LABEL: func @larger
//       CHECK:   ins(%{{.+}}[h floordiv 2, h mod 2, j] : tensor<2x2x8xf32>)
//       CHECK:   ins(%{{.+}}[h floordiv 2, h mod 2, j] : tensor<?x2x8xf32>)
func.func @larger(%x: tensor<2x2x8xf32>, %u: tensor<?x2x8xf32>, %e: tensor<3x8xf32>, %d: tensor<?x8xf32>)
    -> (tensor<3x8xf32>, tensor<?x8xf32>) {
  %y = sinter.rowwise (h = 3) by (j = 8)
      ins(%x[h floordiv 2, h mod 2, j] : tensor<2x2x8xf32>) outs(%e[h, j] : tensor<3x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  %z = sinter.rowwise (h = ?) by (j = 8)
      ins(%u[h floordiv 2, h mod 2, j] : tensor<?x2x8xf32>) outs(%d[h, j] : tensor<?x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y, %z : tensor<3x8xf32>, tensor<?x8xf32>
}

// -----

// A schedule was made for the form as it is.

// CHECK-LABEL: func @scheduled
//       CHECK:   ins(%{{.+}}[h floordiv 2, h mod 2, j] : tensor<1x2x8xf32>)
func.func @scheduled(%x: tensor<1x2x8xf32>, %e: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = sinter.rowwise (h = 2) by (j = 8)
      ins(%x[h floordiv 2, h mod 2, j] : tensor<1x2x8xf32>) outs(%e[h, j] : tensor<2x8xf32>)
      schedule(#sinter.rows<>) {
  ^row(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<2x8xf32>
}

// -----

// An access that would no longer use a dimension stays: a side uses all that is summed, and a row is no scalar.

// CHECK-LABEL: func @used
//       CHECK:   product (k = 4) (%{{.+}}[k floordiv 4] : tensor<1xf32>, %{{.+}}[k, j] : tensor<4x8xf32>)
//       CHECK:   ins(%{{.+}}[j floordiv 8] : tensor<1xf32>)
func.func @used(%x: tensor<1xf32>, %w: tensor<4x8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = sinter.contract () by (j = 8)
      product (k = 4) (%x[k floordiv 4] : tensor<1xf32>, %w[k, j] : tensor<4x8xf32>) : f32
      outs(%e[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %z = sinter.rowwise () by (j = 8) ins(%x[j floordiv 8] : tensor<1xf32>) outs(%e[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = math.exp %a : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
