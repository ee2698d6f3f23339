// Attention of 64 heads with dropout of its weights.
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
#w = affine_map<(b, i, e, j) -> (b, i, j)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#o = affine_map<(b, i, e, j) -> (b, i, e)>
func.func @main(%q: tensor<64x2048x64xbf16>, %k: tensor<64x2048x64xbf16>, %v: tensor<64x2048x64xbf16>, %seed: tensor<i64>) -> tensor<64x2048x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.125> : tensor<64x2048x2048xf32>
  %es = tensor.empty() : tensor<64x2048x2048xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s]
      ins(%q, %k : tensor<64x2048x64xbf16>, tensor<64x2048x64xbf16>) outs(%zs : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %x = arith.mulf %s, %scale : tensor<64x2048x2048xf32>
  %p = sinter.softmax(%x) : (tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %kept = sinter.dropout(%p, %seed) {p = 0.125} : (tensor<64x2048x2048xf32>, tensor<i64>) -> tensor<64x2048x2048xf32>
  %half = arith.truncf %kept : tensor<64x2048x2048xf32> to tensor<64x2048x2048xbf16>
  %eo = tensor.empty() : tensor<64x2048x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x2048x64xf32>) -> tensor<64x2048x64xf32>
  %o = linalg.contract indexing_maps = [#w, #v, #o]
      ins(%half, %v : tensor<64x2048x2048xbf16>, tensor<64x2048x64xbf16>) outs(%zo : tensor<64x2048x64xf32>) -> tensor<64x2048x64xf32>
  %y = arith.truncf %o : tensor<64x2048x64xf32> to tensor<64x2048x64xbf16>
  return %y : tensor<64x2048x64xbf16>
}
