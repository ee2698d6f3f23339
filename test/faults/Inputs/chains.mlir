// Chains: attention whose rows are a stream of blocks of keys, and two products with rows that are whole between them.
// Each task has memory for what crosses from product to product, and for what it packs.
func.func @main(%q: tensor<4x150x64xf32>, %k: tensor<2x300x64xf32>, %v: tensor<2x300x72xf32>, %x: tensor<200x300xf32>,
                %w: tensor<700x300xf32>, %u: tensor<700x90xf32>)
    -> (tensor<4x150x72xf32>, tensor<200x90xf32>, tensor<700xf32>) {
  %e0 = tensor.empty() : tensor<4x150x72xf32>
  %e1 = tensor.empty() : tensor<200x90xf32>
  %e2 = tensor.empty() : tensor<700xf32>
  %0 = sinter.contract (h = 4, i = 150) by (j = 300) by (e = 72)
      product (d = 64) (%q[h, i, d] : tensor<4x150x64xf32>, %k[h floordiv 2, j, d] : tensor<2x300x64xf32>) : f32
      matrix (j) to (e) (%v[h floordiv 2, j, e] : tensor<2x300x72xf32>)
      outs(%e0[h, i, e] : tensor<4x150x72xf32>)
      schedule(#sinter.brgemm<m = 32, n = 64, k = 64, lanes = 8, stream = 128, tasks = 5>) {
  ^row(%s: tensor<300xf32>, %m: tensor<300x72xf32>):
    %mx = sinter.row_reduce maximumf %s : tensor<300xf32> -> f32
    %b = sinter.broadcast %mx : f32 -> tensor<300xf32>
    %d = arith.subf %s, %b : tensor<300xf32>
    %p = math.exp %d : tensor<300xf32>
    %z = sinter.row_reduce add %p : tensor<300xf32> -> f32
    %o = sinter.row_product %p, %m : tensor<300xf32>, tensor<300x72xf32> -> tensor<72xf32>
    %zb = sinter.broadcast %z : f32 -> tensor<72xf32>
    %r = arith.divf %o, %zb : tensor<72xf32>
    sinter.yield %r : tensor<72xf32>
  }
  %1:2 = sinter.contract (i = 200) by (j = 700) by (e = 90)
      product (d = 300) (side(%x[i, d] : tensor<200x300xf32>) {
      ^side(%a: tensor<300xf32>):
        %t = math.absf %a : tensor<300xf32>
        sinter.yield %t : tensor<300xf32>
      }, %w[j, d] : tensor<700x300xf32>) : f32
      matrix (j) to (e) (%u[j, e] : tensor<700x90xf32>)
      reduce(add [j] : f32)
      outs(%e1[i, e] : tensor<200x90xf32>, %e2[j] : tensor<700xf32>)
      schedule(#sinter.brgemm<m = 40, n = 64, k = 64, lanes = 8, tasks = 3>) {
  ^row(%s: tensor<700xf32>, %m: tensor<700x90xf32>):
    %z = sinter.row_reduce add %s : tensor<700xf32> -> f32
    %b = sinter.broadcast %z : f32 -> tensor<700xf32>
    %n = arith.divf %s, %b : tensor<700xf32>
    %o = sinter.row_product %n, %m : tensor<700xf32>, tensor<700x90xf32> -> tensor<90xf32>
    sinter.yield %s, %o : tensor<700xf32>, tensor<90xf32>
  }
  return %0, %1#0, %1#1 : tensor<4x150x72xf32>, tensor<200x90xf32>, tensor<700xf32>
}
