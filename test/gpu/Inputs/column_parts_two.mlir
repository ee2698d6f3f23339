// Attention of three queries a head to a cache of 40 positions and two new ones behind it; positions behind a number of
// each head are left out.
func.func @main(%q: tensor<2x3x16xbf16>, %k: tensor<2x40x16xbf16>, %k1: tensor<2x2x16xbf16>, %v: tensor<2x40x16xbf16>, %v1: tensor<2x2x16xbf16>, %n: tensor<2xi64>) -> tensor<2x3x16xf32> {
  %y = tensor.empty() : tensor<2x3x16xf32>
  %0 = sinter.contract (i = 2, j = 3) by (k = 42) by (e = 16)
      product (l = 16) (%q[i, j, l] : tensor<2x3x16xbf16>, side(%k[i, k, l] : tensor<2x40x16xbf16> else 0.000000e+00, %k1[i, k - 40, l] : tensor<2x2x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : index
    %is = arith.cmpi ult, %at, %c40 : index
    %s = arith.select %is, %a, %b : tensor<16xbf16>
    sinter.yield %s : tensor<16xbf16>
  }) : f32
      matrix (k) to (e) (side(%v[i, k, e] : tensor<2x40x16xbf16> else 0.000000e+00, %v1[i, k - 40, e] : tensor<2x2x16xbf16> else 0.000000e+00) {
  ^side(%a: tensor<42xbf16>, %b: tensor<42xbf16>):
    %c40 = arith.constant 40 : index
    %at = sinter.index k : tensor<42xindex>
    %c40s = sinter.broadcast %c40 : index -> tensor<42xindex>
    %is = arith.cmpi ult, %at, %c40s : tensor<42xindex>
    %s = arith.select %is, %a, %b : tensor<42xi1>, tensor<42xbf16>
    sinter.yield %s : tensor<42xbf16>
  })
      ins(%n[i] : tensor<2xi64>)
      outs(%y[i, j, e] : tensor<2x3x16xf32>) {
  ^row(%s: tensor<42xf32>, %m: tensor<42x16xbf16>, %t: i64):
    %inf = arith.constant 0xFF800000 : f32
    %infs = sinter.broadcast %inf : f32 -> tensor<42xf32>
    %at = sinter.index k : tensor<42xindex>
    %i64 = arith.index_cast %at : tensor<42xindex> to tensor<42xi64>
    %ts = sinter.broadcast %t : i64 -> tensor<42xi64>
    %is = arith.cmpi sle, %i64, %ts : tensor<42xi64>
    %x = arith.select %is, %s, %infs : tensor<42xi1>, tensor<42xf32>
    %max = sinter.row_reduce maximumf %x : tensor<42xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<42xf32>
    %less = arith.subf %x, %maxs : tensor<42xf32>
    %ex = math.exp %less : tensor<42xf32>
    %sum = sinter.row_reduce add %ex : tensor<42xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<42xf32>
    %w = arith.mulf %ex, %bys : tensor<42xf32>
    %r = arith.truncf %w : tensor<42xf32> to tensor<42xbf16>
    %u = sinter.row_product %r, %m : tensor<42xbf16>, tensor<42x16xbf16> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %0 : tensor<2x3x16xf32>
}
