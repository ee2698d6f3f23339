// RUN: sinter-run %s --wrt=0,1 --shape=3x5x8 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --wrt=0,1 --shape=1x2x8 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --wrt=0,1 --shape=3x5x8 --policy=disabled --verify --quiet | FileCheck %s

// Attention's products of two parts of one projection, batch and sequence of any size: outside of its part neither
// factor of a gradient says how many elements are added up, so it is the part's gradient, which is then padded.

// CHECK-COUNT-3: of main agrees with the decomposed program
#q = affine_map<(b, h, q, k, d) -> (b, q, h, d)>
#k = affine_map<(b, h, q, k, d) -> (b, k, h, d)>
#s = affine_map<(b, h, q, k, d) -> (b, h, q, k)>
func.func @main(%x: tensor<?x?x8xf32>, %w: tensor<8x16xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %n = arith.muli %b, %t : index
  %e0 = tensor.empty(%n) : tensor<?x16xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x8xf32>, tensor<8x16xf32>) outs(%f0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [%b, %t, 4, 4] : tensor<?x16xf32> into tensor<?x?x4x4xf32>
  %q = tensor.extract_slice %p[0, 0, 0, 0] [%b, %t, 2, 4] [1, 1, 1, 1] : tensor<?x?x4x4xf32> to tensor<?x?x2x4xf32>
  %k = tensor.extract_slice %p[0, 0, 2, 0] [%b, %t, 2, 4] [1, 1, 1, 1] : tensor<?x?x4x4xf32> to tensor<?x?x2x4xf32>
  %e1 = tensor.empty(%b, %t, %t) : tensor<?x2x?x?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>) outs(%f1 : tensor<?x2x?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %m = arith.mulf %u, %v : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<?x2x?x?xf32>
  %a = math.tanh %s : tensor<?x2x?x?xf32>
  %l = linalg.reduce { arith.addf } ins(%a : tensor<?x2x?x?xf32>) outs(%zeros : tensor<f32>) dimensions = [0, 1, 2, 3]
  return %l : tensor<f32>
}
