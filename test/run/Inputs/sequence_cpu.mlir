// Long rows in pieces, whose parts are combined between regions; sums over rows; a product whose rows are packed; and a
// gather by indices that an earlier form computes.
func.func @main(%x: tensor<3x70000xf32>, %a: tensor<37x80xf32>, %w: tensor<80x48xf32>, %v: tensor<48x48xf32>)
    -> (tensor<3x70000xf32>, tensor<37x48xf32>, tensor<48xf32>, tensor<37xf32>) {
  %e = tensor.empty() : tensor<3x70000xf32>
  %f = tensor.empty() : tensor<37x48xf32>
  %g = tensor.empty() : tensor<48xf32>
  %h = tensor.empty() : tensor<37xi64>
  %k = tensor.empty() : tensor<37xf32>
  %p = sinter.contract (i = 37) by (j = 48) product (k = 80) (%a[i, k] : tensor<37x80xf32>, %w[k, j] : tensor<80x48xf32>) : f32
      outs(%f[i, j] : tensor<37x48xf32>) {
  ^row(%acc: tensor<48xf32>):
    %t = math.tanh %acc : tensor<48xf32>
    sinter.yield %t : tensor<48xf32>
  }
  %y = sinter.rowwise (i = 3) by (j = 70000) ins(%x[i, j] : tensor<3x70000xf32>) outs(%e[i, j] : tensor<3x70000xf32>) {
  ^row(%r: tensor<70000xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<70000xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<70000xf32>
    %d = arith.subf %r, %b : tensor<70000xf32>
    %q = math.exp %d : tensor<70000xf32>
    %s = sinter.row_reduce add %q : tensor<70000xf32> -> f32
    %c = sinter.broadcast %s : f32 -> tensor<70000xf32>
    %z = arith.divf %q, %c : tensor<70000xf32>
    sinter.yield %z : tensor<70000xf32>
  }
  %q = sinter.contract (i = 37) by (j = 48) product (k = 48) (%p[i, k] : tensor<37x48xf32>, %v[k, j] : tensor<48x48xf32>) : f32
      outs(%f[i, j] : tensor<37x48xf32>) {
  ^row(%acc: tensor<48xf32>):
    sinter.yield %acc : tensor<48xf32>
  }
  %s = sinter.rowwise (i = 37) by (j = 48) ins(%q[i, j] : tensor<37x48xf32>) reduce(add [j] : f32) outs(%g[j] : tensor<48xf32>) {
  ^row(%r: tensor<48xf32>):
    sinter.yield %r : tensor<48xf32>
  }
  %u = sinter.rowwise (i = 37) by (j = 48) ins(%q[i, j] : tensor<37x48xf32>, %s[j] : tensor<48xf32>) outs(%k[i] : tensor<37xf32>) {
  ^row(%r: tensor<48xf32>, %t: tensor<48xf32>):
    %d = arith.mulf %r, %t : tensor<48xf32>
    %n = sinter.row_reduce add %d : tensor<48xf32> -> f32
    sinter.yield %n : f32
  }
  return %y, %q, %s, %u : tensor<3x70000xf32>, tensor<37x48xf32>, tensor<48xf32>, tensor<37xf32>
}
