// Attention with dropout of its weights, in bf16: two batched products, a softmax and a sinter.dropout.
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
#w = affine_map<(b, i, e, j) -> (b, i, j)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#o = affine_map<(b, i, e, j) -> (b, i, e)>
func.func @main(%q: tensor<3x40x16xbf16>, %k: tensor<3x72x16xbf16>, %v: tensor<3x72x16xbf16>, %seed: tensor<i64>) -> tensor<3x40x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.25> : tensor<3x40x72xf32>
  %es = tensor.empty() : tensor<3x40x72xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x40x72xf32>) -> tensor<3x40x72xf32>
  %s = linalg.contract indexing_maps = [#q, #k, #s]
      ins(%q, %k : tensor<3x40x16xbf16>, tensor<3x72x16xbf16>) outs(%zs : tensor<3x40x72xf32>) -> tensor<3x40x72xf32>
  %x = arith.mulf %s, %scale : tensor<3x40x72xf32>
  %p = sinter.softmax(%x) : (tensor<3x40x72xf32>) -> tensor<3x40x72xf32>
  %kept = sinter.dropout(%p, %seed) {p = 0.25} : (tensor<3x40x72xf32>, tensor<i64>) -> tensor<3x40x72xf32>
  %half = arith.truncf %kept : tensor<3x40x72xf32> to tensor<3x40x72xbf16>
  %eo = tensor.empty() : tensor<3x40x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x40x16xf32>) -> tensor<3x40x16xf32>
  %o = linalg.contract indexing_maps = [#w, #v, #o]
      ins(%half, %v : tensor<3x40x72xbf16>, tensor<3x72x16xbf16>) outs(%zo : tensor<3x40x16xf32>) -> tensor<3x40x16xf32>
  %y = arith.truncf %o : tensor<3x40x16xf32> to tensor<3x40x16xbf16>
  return %y : tensor<3x40x16xbf16>
}
