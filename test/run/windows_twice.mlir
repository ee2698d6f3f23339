// RUN: sinter-run %s --entry=pooled --verify
// RUN: sinter-run %s --entry=pooled --verify --policy=aggressive
// RUN: sinter-run %s --entry=one_channel --verify
// RUN: sinter-run %s --entry=one_channel --verify --policy=aggressive
// RUN: sinter-run %s --entry=pairs --verify --policy=aggressive

// Windows twice over a softmax of channels; a convolution with one channel of results and several images; a product of
// rows in pairs, transposed, multiplied and summed.

#id = affine_map<(n,c,d,h,w)->(n,c,d,h,w)>
#no = affine_map<(n,c,d,h,w)->(n,d,h,w)>
#pm = affine_map<(n,c,d,h,w,i,j,k)->(n,c,d*2+i,h*2+j,w*2+k)>
#pw = affine_map<(n,c,d,h,w,i,j,k)->(i,j,k)>
#po = affine_map<(n,c,d,h,w,i,j,k)->(n,c,d,h,w)>
func.func @pooled(%x: tensor<2x2x10x10x10xf32>, %k: tensor<3x2x3x3x3xf32>) -> tensor<2x3x2x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x3x8x8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  %c = linalg.conv_3d_ncdhw_fcdhw
      ins(%x, %k : tensor<2x2x10x10x10xf32>, tensor<3x2x3x3x3xf32>)
      outs(%f : tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  %r = tensor.empty() : tensor<2x8x8x8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%r : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
  %m = linalg.generic {indexing_maps = [#id,#no],
      iterator_types = ["parallel","reduction","parallel","parallel","parallel"]}
      ins(%c : tensor<2x3x8x8x8xf32>) outs(%m0 : tensor<2x8x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.maximumf %a, %o : f32
    linalg.yield %q : f32 } -> tensor<2x8x8x8xf32>
  %p = linalg.generic {indexing_maps = [#id,#no,#id],
      iterator_types = ["parallel","parallel","parallel","parallel","parallel"]}
      ins(%c, %m : tensor<2x3x8x8x8xf32>, tensor<2x8x8x8xf32>) outs(%e : tensor<2x3x8x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.subf %a, %b : f32
    %t = math.exp %q : f32
    linalg.yield %t : f32 } -> tensor<2x3x8x8x8xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%r : tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
  %s = linalg.generic {indexing_maps = [#id,#no],
      iterator_types = ["parallel","reduction","parallel","parallel","parallel"]}
      ins(%p : tensor<2x3x8x8x8xf32>) outs(%s0 : tensor<2x8x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %o : f32
    linalg.yield %q : f32 } -> tensor<2x8x8x8xf32>
  %y = linalg.generic {indexing_maps = [#id,#no,#id],
      iterator_types = ["parallel","parallel","parallel","parallel","parallel"]}
      ins(%p, %s : tensor<2x3x8x8x8xf32>, tensor<2x8x8x8xf32>) outs(%e : tensor<2x3x8x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32 } -> tensor<2x3x8x8x8xf32>
  %w = tensor.empty() : tensor<2x2x2xf32>
  %e4 = tensor.empty() : tensor<2x3x4x4x4xf32>
  %f4 = linalg.fill ins(%low : f32) outs(%e4 : tensor<2x3x4x4x4xf32>) -> tensor<2x3x4x4x4xf32>
  %u = linalg.generic {indexing_maps = [#pm,#pw,#po],
      iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction","reduction","reduction"]}
      ins(%y, %w : tensor<2x3x8x8x8xf32>, tensor<2x2x2xf32>) outs(%f4 : tensor<2x3x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.maximumf %a, %o : f32
    linalg.yield %q : f32 } -> tensor<2x3x4x4x4xf32>
  %e2 = tensor.empty() : tensor<2x3x2x2x2xf32>
  %f2 = linalg.fill ins(%low : f32) outs(%e2 : tensor<2x3x2x2x2xf32>) -> tensor<2x3x2x2x2xf32>
  %v = linalg.generic {indexing_maps = [#pm,#pw,#po],
      iterator_types = ["parallel","parallel","parallel","parallel","parallel","reduction","reduction","reduction"]}
      ins(%u, %w : tensor<2x3x4x4x4xf32>, tensor<2x2x2xf32>) outs(%f2 : tensor<2x3x2x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.maximumf %a, %o : f32
    linalg.yield %q : f32 } -> tensor<2x3x2x2x2xf32>
  return %v : tensor<2x3x2x2x2xf32>
}

func.func @one_channel(%x: tensor<2x3x9x9xf32>, %w: tensor<1x3x3x3xf32>) -> tensor<2x1x7x7xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x7x7xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<2x1x7x7xf32>) -> tensor<2x1x7x7xf32>
  %y = linalg.conv_2d_nchw_fchw
      ins(%x, %w : tensor<2x3x9x9xf32>, tensor<1x3x3x3xf32>) outs(%f : tensor<2x1x7x7xf32>) -> tensor<2x1x7x7xf32>
  return %y : tensor<2x1x7x7xf32>
}

func.func @pairs(%x: tensor<3x5x8xf32>, %y: tensor<4x5x8xf32>, %s: tensor<4x3x5xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(j, k, l, m) -> (j, k, m)>, affine_map<(j, k, l, m) -> (l, k, m)>,
      affine_map<(j, k, l, m) -> (j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<3x5x8xf32>, tensor<4x5x8xf32>) outs(%f : tensor<3x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.mulf %a, %b : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<3x5x4xf32>
  %g = tensor.empty() : tensor<4x3x5xf32>
  %t = linalg.transpose ins(%p : tensor<3x5x4xf32>) outs(%g : tensor<4x3x5xf32>) permutation = [2, 0, 1]
  %u = arith.mulf %t, %s : tensor<4x3x5xf32>
  %h = tensor.empty() : tensor<4x3xf32>
  %i = linalg.fill ins(%z : f32) outs(%h : tensor<4x3xf32>) -> tensor<4x3xf32>
  %v = linalg.reduce ins(%u : tensor<4x3x5xf32>) outs(%i : tensor<4x3xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  return %v : tensor<4x3xf32>
}
