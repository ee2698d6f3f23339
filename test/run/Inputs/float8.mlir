#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @conversions(%x: tensor<256xf8E4M3FN>, %z: tensor<256xf8E5M2>, %f: tensor<?xf32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<?xf8E4M3FN>, tensor<?xf8E5M2>) {
  %a = arith.extf %x : tensor<256xf8E4M3FN> to tensor<256xf32>
  %b = arith.extf %z : tensor<256xf8E5M2> to tensor<256xf32>
  %c = arith.truncf %f : tensor<?xf32> to tensor<?xf8E4M3FN>
  %d = arith.truncf %f : tensor<?xf32> to tensor<?xf8E5M2>
  return %a, %b, %c, %d : tensor<256xf32>, tensor<256xf32>, tensor<?xf8E4M3FN>, tensor<?xf8E5M2>
}
func.func @mm(%x: tensor<37x65xf8E4M3FN>, %w: tensor<65x29xf8E4M3FN>) -> tensor<37x29xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x29xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %y = linalg.matmul ins(%x, %w : tensor<37x65xf8E4M3FN>, tensor<65x29xf8E4M3FN>) outs(%f : tensor<37x29xf32>) -> tensor<37x29xf32>
  return %y : tensor<37x29xf32>
}
func.func @mixed(%x: tensor<37x65xf8E4M3FN>, %w: tensor<29x65xf8E5M2>, %s: tensor<29xf32>) -> tensor<37x29xf8E4M3FN> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x29xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>], iterator_types = ["parallel","parallel","reduction"]}
    ins(%x, %w : tensor<37x65xf8E4M3FN>, tensor<29x65xf8E5M2>) outs(%f : tensor<37x29xf32>) {
    ^bb0(%a: f8E4M3FN, %b: f8E5M2, %c: f32):
      %p = arith.extf %a : f8E4M3FN to f32
      %q = arith.extf %b : f8E5M2 to f32
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %m, %c : f32
      linalg.yield %r : f32 } -> tensor<37x29xf32>
  %o = tensor.empty() : tensor<37x29xf8E4M3FN>
  %t = linalg.generic {indexing_maps = [#id, affine_map<(d0,d1)->(d1)>, #id], iterator_types = ["parallel","parallel"]}
    ins(%y, %s : tensor<37x29xf32>, tensor<29xf32>) outs(%o : tensor<37x29xf8E4M3FN>) {
    ^bb0(%a: f32, %b: f32, %c: f8E4M3FN):
      %m = arith.mulf %a, %b : f32
      %q = arith.truncf %m : f32 to f8E4M3FN
      linalg.yield %q : f8E4M3FN } -> tensor<37x29xf8E4M3FN>
  return %t : tensor<37x29xf8E4M3FN>
}
func.func @bf(%x: tensor<64x256xf8E4M3FN>, %w: tensor<128x256xbf16>) -> tensor<64x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>], iterator_types = ["parallel","parallel","reduction"]}
    ins(%x, %w : tensor<64x256xf8E4M3FN>, tensor<128x256xbf16>) outs(%f : tensor<64x128xf32>) {
    ^bb0(%a: f8E4M3FN, %b: bf16, %c: f32):
      %p = arith.extf %a : f8E4M3FN to f32
      %q = arith.extf %b : bf16 to f32
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %m, %c : f32
      linalg.yield %r : f32 } -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
func.func @inf8(%x: tensor<33x71xf8E5M2>, %y: tensor<33x71xf8E5M2>) -> tensor<33x71xf8E5M2> {
  %c = arith.constant dense<1.5> : tensor<33x71xf8E5M2>
  %s = arith.addf %x, %y : tensor<33x71xf8E5M2>
  %t = arith.mulf %s, %c : tensor<33x71xf8E5M2>
  %m = arith.maximumf %t, %x : tensor<33x71xf8E5M2>
  %u = math.exp %m : tensor<33x71xf8E5M2>
  return %u : tensor<33x71xf8E5M2>
}
func.func @sums(%x: tensor<33x71xf8E4M3FN>) -> (tensor<33xf8E4M3FN>, tensor<33xf8E4M3FN>) {
  %z = arith.constant 0.0 : f8E4M3FN
  %e = tensor.empty() : tensor<33xf8E4M3FN>
  %f = linalg.fill ins(%z : f8E4M3FN) outs(%e : tensor<33xf8E4M3FN>) -> tensor<33xf8E4M3FN>
  %s = linalg.reduce ins(%x : tensor<33x71xf8E4M3FN>) outs(%f : tensor<33xf8E4M3FN>) dimensions = [1] (%a: f8E4M3FN, %b: f8E4M3FN) { %q = arith.maximumf %a, %b : f8E4M3FN linalg.yield %q : f8E4M3FN }
  %t = linalg.reduce ins(%x : tensor<33x71xf8E4M3FN>) outs(%f : tensor<33xf8E4M3FN>) dimensions = [1] (%a: f8E4M3FN, %b: f8E4M3FN) { %q = arith.addf %a, %b : f8E4M3FN linalg.yield %q : f8E4M3FN }
  return %s, %t : tensor<33xf8E4M3FN>, tensor<33xf8E4M3FN>
}
func.func @quant(%x: tensor<?x513xbf16>) -> (tensor<?x513xf8E4M3FN>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x513xbf16>
  %z = arith.constant 0.0 : f32
  %k = arith.constant 448.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [#id, affine_map<(d0,d1)->(d0)>], iterator_types = ["parallel","reduction"]} ins(%x : tensor<?x513xbf16>) outs(%f : tensor<?xf32>) {
    ^bb0(%a: bf16, %b: f32):
      %w = arith.extf %a : bf16 to f32
      %v = math.absf %w : f32
      %r = arith.maximumf %v, %b : f32
      linalg.yield %r : f32 } -> tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?x513xf8E4M3FN>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(d0,d1)->(d0)>, #id], iterator_types = ["parallel","parallel"]} ins(%x, %m : tensor<?x513xbf16>, tensor<?xf32>) outs(%o : tensor<?x513xf8E4M3FN>) {
    ^bb0(%a: bf16, %b: f32, %c: f8E4M3FN):
      %w = arith.extf %a : bf16 to f32
      %s = arith.divf %k, %b : f32
      %v = arith.mulf %w, %s : f32
      %r = arith.truncf %v : f32 to f8E4M3FN
      linalg.yield %r : f8E4M3FN } -> tensor<?x513xf8E4M3FN>
  return %q, %m : tensor<?x513xf8E4M3FN>, tensor<?xf32>
}
func.func @weights(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %w = arith.constant dense<[[1.0, 2.5, -0.015625, 448.0], [0.001953125, -3.0, 0.0, 1.25]]> : tensor<2x4xf8E4M3FN>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
  %v = arith.extf %w : tensor<2x4xf8E4M3FN> to tensor<2x4xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>] ins(%x, %v : tensor<8x4xf32>, tensor<2x4xf32>) outs(%f : tensor<8x2xf32>) -> tensor<8x2xf32>
  %e2 = tensor.empty() : tensor<8x4xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %u = linalg.matmul ins(%y, %v : tensor<8x2xf32>, tensor<2x4xf32>) outs(%f2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %u : tensor<8x4xf32>
}
func.func @convs(%x: tensor<64xi32>, %d: tensor<64xf64>, %h: tensor<64xf16>) -> (tensor<64xf8E4M3FN>, tensor<64xf8E5M2>, tensor<64xf64>, tensor<64xf16>, tensor<64xi32>, tensor<64xbf16>) {
  %a = arith.sitofp %x : tensor<64xi32> to tensor<64xf8E4M3FN>
  %b = arith.truncf %d : tensor<64xf64> to tensor<64xf8E5M2>
  %c = arith.truncf %h : tensor<64xf16> to tensor<64xf8E4M3FN>
  %e = arith.extf %b : tensor<64xf8E5M2> to tensor<64xf64>
  %f = arith.extf %c : tensor<64xf8E4M3FN> to tensor<64xf16>
  %g = arith.fptosi %a : tensor<64xf8E4M3FN> to tensor<64xi32>
  %i = arith.extf %c : tensor<64xf8E4M3FN> to tensor<64xbf16>
  return %a, %b, %e, %f, %g, %i : tensor<64xf8E4M3FN>, tensor<64xf8E5M2>, tensor<64xf64>, tensor<64xf16>, tensor<64xi32>, tensor<64xbf16>
}
func.func @gathered(%t: tensor<50x16xf8E4M3FN>, %i: tensor<9xi64>) -> tensor<9x16xf8E4M3FN> {
  %o = tensor.empty() : tensor<9x16xf8E4M3FN>
  %q = linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d0)>, #id], iterator_types = ["parallel","parallel"]} ins(%i : tensor<9xi64>) outs(%o : tensor<9x16xf8E4M3FN>) {
    ^bb0(%a: i64, %c: f8E4M3FN):
      %r = arith.index_cast %a : i64 to index
      %k = linalg.index 1 : index
      %v = tensor.extract %t[%r, %k] : tensor<50x16xf8E4M3FN>
      linalg.yield %v : f8E4M3FN } -> tensor<9x16xf8E4M3FN>
  return %q : tensor<9x16xf8E4M3FN>
}
func.func @turned(%x: tensor<37x65xf8E4M3FN>) -> tensor<65x37xf8E4M3FN> {
  %o = tensor.empty() : tensor<65x37xf8E4M3FN>
  %q = linalg.transpose ins(%x : tensor<37x65xf8E4M3FN>) outs(%o : tensor<65x37xf8E4M3FN>) permutation = [1, 0]
  return %q : tensor<65x37xf8E4M3FN>
}
