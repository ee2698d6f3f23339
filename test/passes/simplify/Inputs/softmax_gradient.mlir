func.func @softmax(%x: tensor<3x5xf32>, %g: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<5xf32>
    %d = arith.subf %r, %mb : tensor<5xf32>
    %u = math.exp %d : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<5xf32>
    %p = arith.divf %u, %sb : tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %dx : tensor<3x5xf32>
}
