// RUN: sinter-opt --sinter-corners=wrt=0 --split-input-file %s | FileCheck %s
// Running it again changes nothing.
// RUN: sinter-opt --sinter-corners=wrt=0 --sinter-corners=wrt=0 --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-corners="wrt=0 remarks=true" --split-input-file %s 2>&1 | FileCheck %s --check-prefix=WHY
// Values are made of the same words as before.
// RUN: sinter-opt --sinter-corners=wrt=0 --sinter-raise --sinter-differentiate="wrt=0 upstream=true" --sinter-fuse \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=FUSED

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The row's condition moves in front of the maximum, and what the softmax reads is the row that is left something.

// CHECK-LABEL: func @masked(
//  CHECK-SAME:   %[[X:.+]]: tensor<4x7xf32>)
//       CHECK:   %[[DEAD:.+]] = linalg.generic {{.*}} ins(%{{[0-9]+}} : tensor<4x7xi1>)
//       CHECK:     arith.andi
//       CHECK:   %[[Y:.+]] = linalg.generic {{.*}} ins(%[[DEAD]], %[[X]] : tensor<4xi1>, tensor<4x7xf32>)
//  CHECK-NEXT:   ^bb0(%[[C:.+]]: i1, %[[V:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:     %[[K:.+]] = sinter.detach %[[V]] : f32
//  CHECK-NEXT:     %[[S:.+]] = arith.select %[[C]], %[[K]], %[[V]] : f32
//  CHECK-NEXT:     linalg.yield %[[S]]
//       CHECK:   linalg.generic {{.*}} ins(%[[Y]] : tensor<4x7xf32>)
//       CHECK:     arith.maximumf
//       CHECK:   linalg.generic {{.*}} ins(%[[Y]], %{{.+}} : tensor<4x7xf32>, tensor<4xf32>)
//       CHECK:     arith.subf
//       CHECK:   linalg.generic {{.*}} ins(%[[DEAD]], %{{.+}} : tensor<4xi1>, tensor<4x7xf32>)
//   CHECK-NOT:   sinter.detach

//   FUSED-LABEL: func @masked(
//     FUSED-NOT:   sinter.detach
//         FUSED:   %[[DEAD:.+]] = sinter.row_reduce and
//         FUSED:   %[[M:.+]] = sinter.row_reduce maximumf %[[A:.+]] :
//         FUSED:   arith.subf %[[A]]
// FUSED-COUNT-2:   arith.select %[[DEAD]],
//         FUSED:   %[[D:.+]] = arith.select %[[DEAD]],
//    FUSED-NEXT:   sinter.yield %{{.+}}, %[[D]]
func.func @masked(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %c0 = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %least_f64 = arith.constant 0xFFF0000000000000 : f64
  %true = arith.constant true
  %e = tensor.empty() : tensor<4x7xf32>
  %er = tensor.empty() : tensor<4xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x7xf32>) outs(%m0 : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %out : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x7xf32>, tensor<4xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  %k = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  %s0 = linalg.fill ins(%c0 : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%k : tensor<4x7xf32>) outs(%s0 : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.addf %a, %out : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]}
      ins(%k, %s : tensor<4x7xf32>, tensor<4xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  %et = tensor.empty() : tensor<4x7xi1>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x7xf32>) outs(%et : tensor<4x7xi1>) {
  ^bb0(%a: f32, %out: i1):
    %w = arith.extf %a : f32 to f64
    %r = arith.cmpf oeq, %w, %least_f64 : f64
    linalg.yield %r : i1
  } -> tensor<4x7xi1>
  %etr = tensor.empty() : tensor<4xi1>
  %t0 = linalg.fill ins(%true : i1) outs(%etr : tensor<4xi1>) -> tensor<4xi1>
  %dead = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4x7xi1>) outs(%t0 : tensor<4xi1>) {
  ^bb0(%a: i1, %out: i1):
    %r = arith.andi %a, %out : i1
    linalg.yield %r : i1
  } -> tensor<4xi1>
  %y = linalg.generic {indexing_maps = [#row, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%dead, %p : tensor<4xi1>, tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %r = arith.select %c, %c0, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  return %y : tensor<4x7xf32>
}

// -----

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Of what is no softmax the gradient stays what the choice makes it.

// CHECK-LABEL: func @no_softmax
//   CHECK-NOT:   sinter.detach
//         WHY: a row of 0 where all is -inf, but not of a softmax of that
func.func @no_softmax(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %c0 = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %e = tensor.empty() : tensor<4x7xf32>
  %p = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  %et = tensor.empty() : tensor<4x7xi1>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x7xf32>) outs(%et : tensor<4x7xi1>) {
  ^bb0(%a: f32, %out: i1):
    %r = arith.cmpf oeq, %a, %least : f32
    linalg.yield %r : i1
  } -> tensor<4x7xi1>
  %etr = tensor.empty() : tensor<4xi1>
  %t0 = linalg.fill ins(%true : i1) outs(%etr : tensor<4xi1>) -> tensor<4xi1>
  %dead = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<4x7xi1>) outs(%t0 : tensor<4xi1>) {
  ^bb0(%a: i1, %out: i1):
    %r = arith.andi %a, %out : i1
    linalg.yield %r : i1
  } -> tensor<4xi1>
  %y = linalg.generic {indexing_maps = [#row, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%dead, %p : tensor<4xi1>, tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %r = arith.select %c, %c0, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x7xf32>
  return %y : tensor<4x7xf32>
}
