// RUN: sinter-opt --split-input-file --verify-diagnostics --sinter-expand %s

sinter.define @around(%x: tensor<?xf32>) {
  // expected-error @+1 {{is used by a definition that it uses itself; definitions cannot be recursive}}
  %y = sinter.apply @around(%x) : (tensor<?xf32>) -> tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @recursive(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.apply @around(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

sinter.define @twice(%x: tensor<?xf32>) {
  %y = arith.addf %x, %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
func.func @no_columns(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = sinter.rowwise (i = 4) by () ins(%x[i] : tensor<4xf32>) outs(%e[i] : tensor<4xf32>) {
  ^row(%r: f32):
    %b = sinter.broadcast %r : f32 -> tensor<1xf32>
    // expected-error @+1 {{is a row function, and the form around it has no columns}}
    %z = sinter.apply @twice(%b) : (tensor<1xf32>) -> tensor<1xf32>
    sinter.yield %r : f32
  }
  return %y : tensor<4xf32>
}
