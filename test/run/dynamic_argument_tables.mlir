// RUN: sinter-run %s --policy=disabled --shape=7x4 --output=%t.r.npy --output=%t.s.npy --output=%t.o.npy
// RUN: sinter-run %s --shape=7x4 --expect=%t.r.npy --expect=%t.s.npy --expect=%t.o.npy --stats | FileCheck %s
// RUN: sinter-run %s --shape=0x4 --verify
// RUN: sinter-run %s --shape=1x4 --verify

// Tables of the same size `?` that share nothing are one kernel, with what reads nothing beside their rows.

// CHECK: "kernels": 1,
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.tanh %a : f32
    linalg.yield %p : f32
  } -> tensor<?x4xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s, %t : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
}
