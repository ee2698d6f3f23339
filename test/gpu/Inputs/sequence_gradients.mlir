func.func @main(%q: tensor<12x16xf32>, %k: tensor<20x16xf32>, %v: tensor<20x8xf32>) -> (tensor<f32>, tensor<12x16xf32>, tensor<20x16xf32>, tensor<20x8xf32>) {
  %e = tensor.empty() : tensor<12x8xf32>
  %o = sinter.contract (i = 12) by (j = 20) by (o = 8)
      product (l = 16) (%q[i, l] : tensor<12x16xf32>, %k[j, l] : tensor<20x16xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<20x8xf32>)
      outs(%e[i, o] : tensor<12x8xf32>) {
  ^row(%s: tensor<20xf32>, %m: tensor<20x8xf32>):
    %mx = sinter.row_reduce maximumf %s : tensor<20xf32> -> f32
    %b = sinter.broadcast %mx : f32 -> tensor<20xf32>
    %d = arith.subf %s, %b : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %t = sinter.row_reduce add %p : tensor<20xf32> -> f32
    %u = sinter.row_product %p, %m : tensor<20xf32>, tensor<20x8xf32> -> tensor<8xf32>
    %tb = sinter.broadcast %t : f32 -> tensor<8xf32>
    %n = arith.divf %u, %tb : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  %e0 = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 12, j = 8) by () ins(%o[i, j] : tensor<12x8xf32>) reduce(add [] : f32) outs(%e0[] : tensor<f32>) {
  ^row(%a: f32):
    %a2 = arith.mulf %a, %a : f32
    sinter.yield %a2 : f32
  }
  %dq, %dk, %dv = sinter.differentiate %l wrt(%q, %k, %v) : (tensor<f32>, tensor<12x16xf32>, tensor<20x16xf32>, tensor<20x8xf32>) -> (tensor<12x16xf32>, tensor<20x16xf32>, tensor<20x8xf32>)
  return %l, %dq, %dk, %dv : tensor<f32>, tensor<12x16xf32>, tensor<20x16xf32>, tensor<20x8xf32>
}
