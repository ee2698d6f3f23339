// RUN: %python %S/Inputs/dynamic_heads.py %t 3 && sinter-run %s --input=%t.x.npy --input=%t.w.npy --expect=%t.y.npy --stats | FileCheck %s
// RUN: %python %S/Inputs/dynamic_heads.py %t 1 && sinter-run %s --policy=aggressive --input=%t.x.npy --input=%t.w.npy --expect=%t.y.npy
// RUN: %python %S/Inputs/dynamic_heads.py %t 37 && sinter-run %s --policy=disabled --input=%t.x.npy --input=%t.w.npy --expect=%t.y.npy

// A layer as torch-mlir writes it for a batch of any size: the batch is folded into rows, unfolded by a division, cut
// into heads by a list of sizes, and broadcast to itself. What multiplies the heads is one more kernel.

// CHECK: "kernels": 2
func.func @main(%x: tensor<?x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x2x5x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : index
  %five = arith.constant 5 : i64
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x5x8xf32>
  %rows = affine.apply affine_map<()[s0] -> (s0 * 5)>()[%n]
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x5x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%flat, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  %b = arith.divsi %rows, %c5 : index
  %u = tensor.expand_shape %p [[0, 1], [2]] output_shape [%b, 5, 8] : tensor<?x8xf32> into tensor<?x5x8xf32>
  %size = arith.index_cast %b : index to i64
  %ok = arith.cmpi sge, %size, %none : i64
  cf.assert %ok, "negative"
  %list = tensor.from_elements %size, %five, %c2, %c4 : tensor<4xi64>
  %h = tensor.reshape %u(%list) : (tensor<?x5x8xf32>, tensor<4xi64>) -> tensor<?x5x2x4xf32>
  %f = tensor.empty(%b) : tensor<?x2x5x4xf32>
  %t = linalg.transpose ins(%h : tensor<?x5x2x4xf32>) outs(%f : tensor<?x2x5x4xf32>) permutation = [0, 2, 1, 3]
  %g = tensor.empty(%n) : tensor<?x2x5x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%g : tensor<?x2x5x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %one = arith.cmpi eq, %b, %c1 : index
    %at = arith.select %one, %c0, %i : index
    %v = tensor.extract %t[%at, %j, %k, %l] : tensor<?x2x5x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x2x5x4xf32>
  %q = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<?x2x5x4xf32> into tensor<?x5x4xf32>
  %heads = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
  %s = tensor.empty(%heads) : tensor<?x5x5xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%s : tensor<?x5x5xf32>) -> tensor<?x5x5xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>,
                                        affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>,
                                        affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %q : tensor<?x5x4xf32>, tensor<?x5x4xf32>) outs(%sz : tensor<?x5x5xf32>) {
  ^bb0(%c: f32, %d: f32, %acc: f32):
    %o = arith.mulf %c, %d : f32
    %r = arith.addf %acc, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x5x5xf32>
  %two = arith.constant 2 : index
  %back = arith.divsi %heads, %two : index
  %y = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [%back, 2, 5, 5] : tensor<?x5x5xf32> into tensor<?x2x5x5xf32>
  return %y : tensor<?x2x5x5xf32>
}
