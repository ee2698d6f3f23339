func.func @main(%a: tensor<5xf32>, %b: tensor<48xf32>, %c: tensor<2x4096xf64>, %x: tensor<900x48xf32>)
    -> (tensor<5xf32>, tensor<4096xf64>, tensor<900xf32>, tensor<48xf32>) {
  %ea = tensor.empty() : tensor<5xf32>
  %r = sinter.rowwise () by (i = 5) ins(%a[i] : tensor<5xf32>) outs(%ea[i] : tensor<5xf32>) {
  ^row(%v: tensor<5xf32>):
    %w = math.rsqrt %v : tensor<5xf32>
    sinter.yield %w : tensor<5xf32>
  }
  %ec = tensor.empty() : tensor<4096xf64>
  %s = sinter.rowwise (i = 2) by (j = 4096) ins(%c[i, j] : tensor<2x4096xf64>) reduce(add [j] : f64)
      outs(%ec[j] : tensor<4096xf64>) {
  ^row(%v: tensor<4096xf64>):
    %w = math.exp %v : tensor<4096xf64>
    sinter.yield %w : tensor<4096xf64>
  }
  %ey = tensor.empty() : tensor<900xf32>
  %y = sinter.rowwise (i = 900) by (j = 48) ins(%x[i, j] : tensor<900x48xf32>) outs(%ey[i] : tensor<900xf32>) {
  ^row(%v: tensor<48xf32>):
    %w = math.exp %v : tensor<48xf32>
    %n = sinter.row_reduce add %w : tensor<48xf32> -> f32
    sinter.yield %n : f32
  }
  %eb = tensor.empty() : tensor<48xf32>
  %z = sinter.rowwise () by (i = 48) ins(%b[i] : tensor<48xf32>) outs(%eb[i] : tensor<48xf32>) {
  ^row(%v: tensor<48xf32>):
    %w = math.rsqrt %v : tensor<48xf32>
    sinter.yield %w : tensor<48xf32>
  }
  return %r, %s, %y, %z : tensor<5xf32>, tensor<4096xf64>, tensor<900xf32>, tensor<48xf32>
}
