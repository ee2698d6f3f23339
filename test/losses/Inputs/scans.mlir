sinter.define @scans(%y: tensor<?xf32>) attributes {reductions = ["none"]} {
  %product = sinter.row_scan mul %y : tensor<?xf32>
  %most = sinter.row_scan maximumf %y : tensor<?xf32>
  %least = sinter.row_scan minimumf %y {reverse} : tensor<?xf32>
  %log = sinter.row_scan logsumexp %y : tensor<?xf32>
  %p = arith.mulf %product, %most : tensor<?xf32>
  %q = arith.mulf %least, %log : tensor<?xf32>
  %v = arith.addf %p, %q : tensor<?xf32>
  %s = sinter.row_reduce add %v : tensor<?xf32> -> f32
  sinter.yield %s : f32
}

func.func @main(%x: tensor<3x6xf32>, %t: tensor<3x6xf32>, %y: tensor<3x6xf32>)
    -> (tensor<3xf32>, tensor<3x6xf32>, tensor<3xf32>, tensor<3x6xf32>) {
  %l = sinter.list_mle(%x, %t) {reduction = "none"} : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3xf32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<3xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  %s = sinter.apply @scans(%y) : (tensor<3x6xf32>) -> tensor<3xf32>
  %dy = sinter.differentiate %s wrt(%y) : (tensor<3xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  return %l, %dx, %s, %dy : tensor<3xf32>, tensor<3x6xf32>, tensor<3xf32>, tensor<3x6xf32>
}
