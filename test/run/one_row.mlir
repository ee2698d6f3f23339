// What is reduced over rows of one element, whose number is `?`: none, few, and many that threads share.

// RUN: sinter-run %s --policy=aggressive --verify --shape=1 --shape=3x1 | FileCheck %s
// RUN: sinter-run %s --policy=aggressive --verify --shape=37 --shape=2x19 | FileCheck %s
// RUN: sinter-run %s --policy=aggressive --verify --shape=200003 --shape=5x70001 --threads=3 | FileCheck %s
// RUN: sinter-run %s --policy=aggressive --emit=scheduled | FileCheck %s --check-prefix=ROWS
// CHECK-COUNT-3: agrees with the decomposed program
// ROWS-COUNT-2: sinter.rowwise (one = 1) by
//         ROWS: sinter.rowwise (i = ?) by (j = ?)

#one = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>
#two = affine_map<(a, b) -> (a, b)>
#of_two = affine_map<(a, b) -> ()>

func.func @main(%x: tensor<?xf16>, %y: tensor<?x?xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %l = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %m = linalg.generic {indexing_maps = [#one, #none], iterator_types = ["reduction"]} ins(%x : tensor<?xf16>) outs(%l : tensor<f32>) {
  ^bb0(%a: f16, %b: f32):
    %w = arith.extf %a : f16 to f32
    %r = arith.maximumf %w, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#one, #none, #none], iterator_types = ["reduction"]} ins(%x, %m : tensor<?xf16>, tensor<f32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f16, %c: f32, %b: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %c : f32
    %p = math.exp %d : f32
    %r = arith.addf %p, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#two, #of_two], iterator_types = ["reduction", "reduction"]} ins(%y : tensor<?x?xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %q, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %m, %s, %t : tensor<f32>, tensor<f32>, tensor<f32>
}
