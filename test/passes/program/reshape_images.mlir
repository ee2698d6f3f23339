// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-reshape{remarks=true},canonicalize,cse)' --split-input-file --verify-diagnostics %s | FileCheck %s

// What a convolution reads in windows is reshaped where it reads it: what makes the image has the dimensions of the
// convolution in front of it.

// CHECK-LABEL: func @grouped
//       CHECK:   linalg.generic {{.*}} outs(%{{.+}} : tensor<?x6x5x5xf32>)
//       CHECK:   tensor.pad
//       CHECK:   tensor.expand_shape
//  CHECK-NEXT:   linalg.conv_2d_ngchw_gfchw
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
func.func @grouped(%x: tensor<?x6x5x5xf32>, %w: tensor<3x4x2x3x3xf32>, %o: tensor<?x3x4x5x5xf32>) -> tensor<?x3x4x5x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6x5x5xf32>
  %e = tensor.empty(%n) : tensor<?x6x5x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x6x5x5xf32>) outs(%e : tensor<?x6x5x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x6x5x5xf32>
  %p = tensor.pad %r low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x6x5x5xf32> to tensor<?x6x7x7xf32>
  // expected-remark @below {{a convolution reads its image through it}}
  %g = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [%n, 3, 2, 7, 7] : tensor<?x6x7x7xf32> into tensor<?x3x2x7x7xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%g, %w : tensor<?x3x2x7x7xf32>, tensor<3x4x2x3x3xf32>) outs(%o : tensor<?x3x4x5x5xf32>) -> tensor<?x3x4x5x5xf32>
  return %y : tensor<?x3x4x5x5xf32>
}

// -----

// Padded behind the reshape it is an image as well.

// CHECK-LABEL: func @padded_behind
//       CHECK:   linalg.generic {{.*}} ins(%arg0 : tensor<2x6x5xf32>)
//       CHECK:   tensor.expand_shape
//       CHECK:   tensor.pad
#id = affine_map<(n, c, x) -> (n, c, x)>
func.func @padded_behind(%x: tensor<2x6x5xf32>, %w: tensor<3x4x2x3xf32>, %o: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x6x5xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x5xf32>
  // expected-remark @below {{a convolution reads its image through it}}
  %g = tensor.expand_shape %r [[0], [1, 2], [3]] output_shape [2, 3, 2, 5] : tensor<2x6x5xf32> into tensor<2x3x2x5xf32>
  %p = tensor.pad %g low[0, 0, 0, 1] high[0, 0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x3x2x5xf32> to tensor<2x3x2x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, g, f, x, c, p) -> (n, g, c, x + p)>, affine_map<(n, g, f, x, c, p) -> (g, f, c, p)>, affine_map<(n, g, f, x, c, p) -> (n, g, f, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<2x3x2x7xf32>, tensor<3x4x2x3xf32>) outs(%o : tensor<2x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// -----

// Somebody else reads it too, or it is no image: then its dimensions are those of what makes it.

// CHECK-LABEL: func @read_twice
//       CHECK:   %[[E:.+]] = tensor.expand_shape %arg0
//       CHECK:   linalg.generic {{.*}} ins(%[[E]] : tensor<2x3x2x5xf32>)
//   CHECK-NOT:   tensor.expand_shape
//       CHECK:   return
#id3 = affine_map<(n, c, x) -> (n, c, x)>
func.func @read_twice(%x: tensor<2x6x5xf32>, %w: tensor<3x4x2x3xf32>, %o: tensor<2x3x4x3xf32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x2x5xf32>) {
  %e = tensor.empty() : tensor<2x6x5xf32>
  %r = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x6x5xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.tanh %a : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x5xf32>
  %g = tensor.expand_shape %r [[0], [1, 2], [3]] output_shape [2, 3, 2, 5] : tensor<2x6x5xf32> into tensor<2x3x2x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, g, f, x, c, p) -> (n, g, c, x + p)>, affine_map<(n, g, f, x, c, p) -> (g, f, c, p)>, affine_map<(n, g, f, x, c, p) -> (n, g, f, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %w : tensor<2x3x2x5xf32>, tensor<3x4x2x3xf32>) outs(%o : tensor<2x3x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x4x3xf32>
  return %y, %g : tensor<2x3x4x3xf32>, tensor<2x3x2x5xf32>
}
