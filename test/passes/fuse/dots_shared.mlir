// RUN: sinter-opt --sinter-split --sinter-differentiate --sinter-fuse="policy=aggressive target=gpu" %s | FileCheck %s

// What makes k has the destination that the value has: it stays in front of both where the value's kernel is made anew.

// CHECK-LABEL: func @shared
// CHECK:       %[[E:.+]] = tensor.empty() : tensor<2x3x40x16xbf16>
// CHECK:       sinter.rowwise
// CHECK:         math.tanh
// CHECK:       matrix (j) to
// CHECK-NOT:   40x40x
func.func @shared(%q: tensor<2x3x40x16xbf16>, %k: tensor<2x3x40x16xbf16>, %v: tensor<2x3x40x16xbf16>, %g: tensor<2x3x40x16xbf16>)
    -> (tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>) {
  %empty_y = tensor.empty() : tensor<2x3x40x16xbf16>
  %turned = sinter.rowwise (b = 2, h = 3, i = 40) by (k = 16) ins(%k[b, h, i, k] : tensor<2x3x40x16xbf16>)
      outs(%empty_y[b, h, i, k] : tensor<2x3x40x16xbf16>) {
  ^row(%r: tensor<16xbf16>):
    %t = math.tanh %r : tensor<16xbf16>
    sinter.yield %t : tensor<16xbf16>
  }
  %y = sinter.contract (b = 2, h = 3, i = 40) by (j = 40) by (e = 16)
      product (k = 16) (%q[b, h, i, k] : tensor<2x3x40x16xbf16>, %turned[b, h, j, k] : tensor<2x3x40x16xbf16>) : f32
      matrix (j) to (e) (%v[b, h, j, e] : tensor<2x3x40x16xbf16>)
      outs(%empty_y[b, h, i, e] : tensor<2x3x40x16xbf16>) {
  ^row(%p: tensor<40xf32>, %v_: tensor<40x16xbf16>):
  %max = sinter.row_reduce maximumf %p : tensor<40xf32> -> f32
  %maxs = sinter.broadcast %max : f32 -> tensor<40xf32>
  %less = arith.subf %p, %maxs : tensor<40xf32>
  %ex = math.exp %less : tensor<40xf32>
  %sum = sinter.row_reduce add %ex : tensor<40xf32> -> f32
  %bys = sinter.broadcast %sum : f32 -> tensor<40xf32>
  %weights = arith.divf %ex, %bys : tensor<40xf32>
  %half = arith.truncf %weights : tensor<40xf32> to tensor<40xbf16>
  %u0 = sinter.row_product %half, %v_ : tensor<40xbf16>, tensor<40x16xbf16> -> tensor<16xf32>
  %y0_ = arith.truncf %u0 : tensor<16xf32> to tensor<16xbf16>
  sinter.yield %y0_ : tensor<16xbf16>
  }
  %dq, %dk, %dv = sinter.differentiate %y upstream(%g) wrt(%q, %turned, %v)
      : (tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>)
      -> (tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>)
  return %turned, %y, %dq, %dk, %dv : tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>
}
