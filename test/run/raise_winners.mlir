// RUN: sinter-run %s --verify | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --launches=separate --stats | FileCheck %s --check-prefix=STATS

// Which index wins, among equal values, infinities, NaNs and nothing at all: as the program's own loops have it.

// CHECK-COUNT-10: of main agrees
// STATS: "kernels": 6

#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1)>
module {
func.func @main(%r: tensor<29x257xf32>, %q: tensor<29x257xi32>, %p: tensor<4x5x6x7xf32>)
    -> (tensor<10xi64>, tensor<10xi64>, tensor<10xi64>, tensor<29xi64>, tensor<257xf32>, tensor<257xi64>, tensor<29xi32>, tensor<29xi32>, tensor<4x7xi32>, tensor<3xi64>) {
  // One row each: plain, equal, first, last, NaN first, NaN last, NaN within, all -inf, -inf and NaN, zeros of both
  // signs.
  %x = arith.constant dense<[
    [1.0, 3.0, 2.0, 0.5], [2.0, 2.0, 1.0, 2.0], [9.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 3.0],
    [0x7FC00000, 3.0, 2.0, 1.0], [1.0, 2.0, 1.0, 0x7FC00000], [1.0, 0x7FC00000, 7.0, 7.0],
    [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0x7FC00000, 0xFF800000], [-0.0, 0.0, -0.0, 0.0]
  ]> : tensor<10x4xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %zero = arith.constant 0 : i64
  %zero32 = arith.constant 0 : i32
  %min32 = arith.constant -2147483648 : i32
  %seven = arith.constant 7 : i64
  %e10 = tensor.empty() : tensor<10xi64>
  %f10 = tensor.empty() : tensor<10xf32>
  // maximumf with a strict comparison, and an index that tells that nothing won.
  %i0 = linalg.fill ins(%seven : i64) outs(%e10 : tensor<10xi64>) -> tensor<10xi64>
  %v0 = linalg.fill ins(%low : f32) outs(%f10 : tensor<10xf32>) -> tensor<10xf32>
  %r0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<10x4xf32>) outs(%v0, %i0 : tensor<10xf32>, tensor<10xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %a, %m : f32
    %1 = arith.cmpf ogt, %a, %m : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<10xf32>, tensor<10xi64>)
  // Compared and selected, as TOSA has it, from the lowest finite number.
  %v1 = linalg.fill ins(%lowest : f32) outs(%f10 : tensor<10xf32>) -> tensor<10xf32>
  %r1:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<10x4xf32>) outs(%v1, %i0 : tensor<10xf32>, tensor<10xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %1 = arith.cmpf ogt, %a, %m : f32
    %0 = arith.select %1, %a, %m : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<10xf32>, tensor<10xi64>)
  // The last of the least.
  %v2 = linalg.fill ins(%high : f32) outs(%f10 : tensor<10xf32>) -> tensor<10xf32>
  %r2:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<10x4xf32>) outs(%v2, %i0 : tensor<10xf32>, tensor<10xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %1 = arith.cmpf uge, %m, %a : f32
    %3 = arith.cmpf oge, %m, %a : f32
    %0 = arith.minimumf %a, %m : f32
    %2 = arith.select %3, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<10xf32>, tensor<10xi64>)
  // Over rows and over the first dimension.
  %e29 = tensor.empty() : tensor<29xi64>
  %f29 = tensor.empty() : tensor<29xf32>
  %i3 = linalg.fill ins(%zero : i64) outs(%e29 : tensor<29xi64>) -> tensor<29xi64>
  %v3 = linalg.fill ins(%low : f32) outs(%f29 : tensor<29xf32>) -> tensor<29xf32>
  %r3:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<29x257xf32>) outs(%v3, %i3 : tensor<29xf32>, tensor<29xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maxnumf %a, %m : f32
    %1 = arith.cmpf olt, %m, %a : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<29xf32>, tensor<29xi64>)
  %e257 = tensor.empty() : tensor<257xi64>
  %f257 = tensor.empty() : tensor<257xf32>
  %i4 = linalg.fill ins(%zero : i64) outs(%e257 : tensor<257xi64>) -> tensor<257xi64>
  %v4 = linalg.fill ins(%low : f32) outs(%f257 : tensor<257xf32>) -> tensor<257xf32>
  %r4:2 = linalg.generic {indexing_maps = [#in, #t, #t], iterator_types = ["reduction", "parallel"]} ins(%r : tensor<29x257xf32>) outs(%v4, %i4 : tensor<257xf32>, tensor<257xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %a, %m : f32
    %1 = arith.cmpf ogt, %a, %m : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<257xf32>, tensor<257xi64>)
  // Integers, of which many are equal: first and last.
  %e29i = tensor.empty() : tensor<29xi32>
  %i5 = linalg.fill ins(%zero32 : i32) outs(%e29i : tensor<29xi32>) -> tensor<29xi32>
  %v5 = linalg.fill ins(%min32 : i32) outs(%e29i : tensor<29xi32>) -> tensor<29xi32>
  %r5:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%q : tensor<29x257xi32>) outs(%v5, %i5 : tensor<29xi32>, tensor<29xi32>) {
  ^bb0(%a: i32, %m: i32, %at: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %0 = arith.maxsi %a, %m : i32
    %1 = arith.cmpi sgt, %a, %m : i32
    %2 = arith.select %1, %k, %at : i32
    linalg.yield %0, %2 : i32, i32
  } -> (tensor<29xi32>, tensor<29xi32>)
  %r6:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%q : tensor<29x257xi32>) outs(%v5, %i5 : tensor<29xi32>, tensor<29xi32>) {
  ^bb0(%a: i32, %m: i32, %at: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %1 = arith.cmpi sgt, %m, %a : i32
    %0 = arith.select %1, %m, %a : i32
    %2 = arith.select %1, %at, %k : i32
    linalg.yield %0, %2 : i32, i32
  } -> (tensor<29xi32>, tensor<29xi32>)
  // A position in two dimensions.
  %e7 = tensor.empty() : tensor<4x7xi32>
  %f7 = tensor.empty() : tensor<4x7xf32>
  %i7 = linalg.fill ins(%zero32 : i32) outs(%e7 : tensor<4x7xi32>) -> tensor<4x7xi32>
  %v7 = linalg.fill ins(%low : f32) outs(%f7 : tensor<4x7xf32>) -> tensor<4x7xf32>
  %r7:2 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, d)>, affine_map<(a, b, c, d) -> (a, d)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%p : tensor<4x5x6x7xf32>) outs(%v7, %i7 : tensor<4x7xf32>, tensor<4x7xi32>) {
  ^bb0(%a: f32, %m: f32, %at: i32):
    %b = linalg.index 1 : index
    %c = linalg.index 2 : index
    %six = arith.constant 6 : index
    %bc = arith.muli %b, %six : index
    %j = arith.addi %bc, %c : index
    %k = arith.index_cast %j : index to i32
    %0 = arith.maximumf %a, %m : f32
    %1 = arith.cmpf ogt, %a, %m : f32
    %2 = arith.select %1, %k, %at : i32
    linalg.yield %0, %2 : f32, i32
  } -> (tensor<4x7xf32>, tensor<4x7xi32>)
  // Of nothing.
  %nothing = tensor.empty() : tensor<3x0xf32>
  %e8 = tensor.empty() : tensor<3xi64>
  %f8 = tensor.empty() : tensor<3xf32>
  %i8 = linalg.fill ins(%seven : i64) outs(%e8 : tensor<3xi64>) -> tensor<3xi64>
  %v8 = linalg.fill ins(%low : f32) outs(%f8 : tensor<3xf32>) -> tensor<3xf32>
  %r8:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%nothing : tensor<3x0xf32>) outs(%v8, %i8 : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %m: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %0 = arith.maximumf %a, %m : f32
    %1 = arith.cmpf ogt, %a, %m : f32
    %2 = arith.select %1, %k, %at : i64
    linalg.yield %0, %2 : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %r0#1, %r1#1, %r2#1, %r3#1, %r4#0, %r4#1, %r5#1, %r6#1, %r7#1, %r8#1
    : tensor<10xi64>, tensor<10xi64>, tensor<10xi64>, tensor<29xi64>, tensor<257xf32>, tensor<257xi64>, tensor<29xi32>, tensor<29xi32>, tensor<4x7xi32>, tensor<3xi64>
}
}
