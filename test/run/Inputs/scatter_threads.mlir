// Sums of duplicates, in numbers of unlike sizes: another order has other bits.

func.func @main(%u: tensor<3000x50xf32>, %t: tensor<3000x1xi64>, %x: tensor<20011x50xf32>) -> tensor<20011x50xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%u, %t : tensor<3000x50xf32>, tensor<3000x1xi64>) outs(%x : tensor<20011x50xf32>) {
  ^one(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<20011x50xf32>
  return %y : tensor<20011x50xf32>
}
