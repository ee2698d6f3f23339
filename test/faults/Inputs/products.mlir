// Two products by libxsmm's kernels, with a workspace between them; blocks and what is left of them.
func.func @main(%x: tensor<131x200xf32>, %v: tensor<200x136xf32>, %w: tensor<136x72xf32>) -> tensor<131x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<131x136xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<131x136xf32>) -> tensor<131x136xf32>
  %y = linalg.matmul ins(%x, %v : tensor<131x200xf32>, tensor<200x136xf32>) outs(%o : tensor<131x136xf32>) -> tensor<131x136xf32>
  %g = tensor.empty() : tensor<131x72xf32>
  %p = linalg.fill ins(%z : f32) outs(%g : tensor<131x72xf32>) -> tensor<131x72xf32>
  %r = linalg.matmul ins(%y, %w : tensor<131x136xf32>, tensor<136x72xf32>) outs(%p : tensor<131x72xf32>) -> tensor<131x72xf32>
  return %r : tensor<131x72xf32>
}
