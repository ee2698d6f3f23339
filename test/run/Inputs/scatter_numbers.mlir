// Sums of many single numbers in few places: another order, or other parts, have other bits.

func.func @main(%u: tensor<?xf32>, %t: tensor<?x1xi64>, %x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%u, %t : tensor<?xf32>, tensor<?x1xi64>) outs(%x : tensor<1000xf32>) {
  ^one(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tm_tensor.yield %s : f32
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}
