// RUN: sinter-opt --sinter-split --sinter-differentiate --sinter-fuse="policy=aggressive target=gpu" %s | FileCheck %s

// A bias as large as the scores is read again by what makes a gradient's rows again, which is as much as storing them
// for one reader. The gradient by queries goes on from these rows and would read them, too, were they stored: so they
// are not.

// CHECK-LABEL: func.func @main
//   CHECK-NOT:   outs({{.*}}1087x1087x
//       CHECK:   sinter.contract (b = 16, h = 8, i = 1087) by (j = 1087) by (e = 128)
//   CHECK-NOT:   outs({{.*}}1087x1087x
//       CHECK:   matrix (j) to
//       CHECK:   matrix (i) to
//  CHECK-NEXT:   matrix (i) to
//   CHECK-NOT:   outs({{.*}}1087x1087x
func.func @main(%q: tensor<16x8x1087x128xbf16>, %k: tensor<16x8x1087x128xbf16>, %v: tensor<16x8x1087x128xbf16>, %m: tensor<16x8x1087x1087xbf16>, %g: tensor<16x8x1087x128xbf16>) -> (tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>) {
  %empty_y = tensor.empty() : tensor<16x8x1087x128xbf16>
  %empty_dq = tensor.empty() : tensor<16x8x1087x128xbf16>
  %empty_dk = tensor.empty() : tensor<16x8x1087x128xbf16>
  %empty_dv = tensor.empty() : tensor<16x8x1087x128xbf16>
  %y = sinter.contract (b = 16, h = 8, i = 1087) by (j = 1087) by (e = 128)
      product (k = 128) (%q[b, h, i, k] : tensor<16x8x1087x128xbf16>, %k[b, h, j, k] : tensor<16x8x1087x128xbf16>) : f32
      matrix (j) to (e) (%v[b, h, j, e] : tensor<16x8x1087x128xbf16>)
      ins(%m[b, h, i, j] : tensor<16x8x1087x1087xbf16>)
      outs(%empty_y[b, h, i, e] : tensor<16x8x1087x128xbf16>) {
  ^row(%p: tensor<1087xf32>, %v_: tensor<1087x128xbf16>, %m_: tensor<1087xbf16>):
  %scale = arith.constant 8.83883476483184466e-02 : f32
  %scales = sinter.broadcast %scale : f32 -> tensor<1087xf32>
  %x0 = arith.mulf %p, %scales : tensor<1087xf32>
  %mw = arith.extf %m_ : tensor<1087xbf16> to tensor<1087xf32>
  %x4 = arith.addf %x0, %mw : tensor<1087xf32>
  %max = sinter.row_reduce maximumf %x4 : tensor<1087xf32> -> f32
  %maxs = sinter.broadcast %max : f32 -> tensor<1087xf32>
  %less = arith.subf %x4, %maxs : tensor<1087xf32>
  %ex = math.exp %less : tensor<1087xf32>
  %sum = sinter.row_reduce add %ex : tensor<1087xf32> -> f32
  %one = arith.constant 1.0 : f32
  %by = arith.divf %one, %sum : f32
  %bys = sinter.broadcast %by : f32 -> tensor<1087xf32>
  %weights = arith.mulf %ex, %bys : tensor<1087xf32>
  %half = arith.truncf %weights : tensor<1087xf32> to tensor<1087xbf16>
  %u0 = sinter.row_product %half, %v_ : tensor<1087xbf16>, tensor<1087x128xbf16> -> tensor<128xf32>
  %y0_ = arith.truncf %u0 : tensor<128xf32> to tensor<128xbf16>
  sinter.yield %y0_ : tensor<128xbf16>
  }
  %dq, %dk, %dv = sinter.differentiate %y upstream(%g) wrt(%q, %k, %v) : (tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>) -> (tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>)
  return %y, %dq, %dk, %dv : tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>, tensor<16x8x1087x128xbf16>
}
