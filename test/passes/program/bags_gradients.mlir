// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-bags{wrt=1},canonicalize,cse)' %s | FileCheck %s

// For gradients the ends of ranges and what is added are tensors.

// CHECK-LABEL: func @weighted
//       CHECK:   %[[R:.+]]:2 = sinter.steps rows(0) {{.*}} -> tensor<4xindex>, tensor<4xindex>
//       CHECK:   %[[V:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
//       CHECK:     %[[X:.+]] = tensor.extract %{{.+}} : tensor<7x5xf32>
//       CHECK:     arith.mulf %[[X]]
//       CHECK:   sinter.steps rows(0) ins(%[[R]]#0, %[[R]]#1, %[[V]] : {{.*}} attributes {sinter.sums_of_ranges}
//       CHECK:     scf.for
//       CHECK:       scf.parallel
//       CHECK:         arith.addf
#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @weighted(%t: tensor<?xi64>, %w: tensor<7x5xf32>, %from: tensor<4xi64>, %to: tensor<4xi64>)
    -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %from, %to : tensor<?xi64>, tensor<4xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %first: i64, %last: i64, %acc: f32):
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %low = arith.cmpi sge, %q, %first : i64
    %high = arith.cmpi slt, %q, %last : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %k = arith.constant 0.5 : f32
    %m = arith.mulf %v, %k : f32
    %a = arith.addf %acc, %m : f32
    %z = arith.select %in, %a, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
