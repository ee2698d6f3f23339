// exp of torch.gather(x, 1, t), with the asserts of an exporter, which depend on both dimensions.
#x = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<6x37xf32>, %t: tensor<6x21xi64>) -> tensor<6x21xf32> {
  %c0 = arith.constant 0 : i64
  %c37 = arith.constant 37 : index
  %o = tensor.empty() : tensor<6x21xf32>
  %y = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<6x21xi64>) outs(%o : tensor<6x21xf32>) {
  ^bb0(%a: i64, %out: f32):
    %k = arith.index_cast %a : i64 to index
    %i = linalg.index 0 : index
    %lt = arith.cmpi slt, %k, %c37 : index
    cf.assert %lt, "index must be smaller than dim size"
    %ge = arith.cmpi sge, %a, %c0 : i64
    cf.assert %ge, "index must be larger or equal to 0"
    %v = tensor.extract %x[%i, %k] : tensor<6x37xf32>
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<6x21xf32>
  return %y : tensor<6x21xf32>
}
