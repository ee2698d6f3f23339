// cache[:, at] = k in place, and cache.sum(1), as torch-mlir writes them.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
module {
  func.func @main(%arg0: tensor<2x32x16xf32>, %arg1: tensor<2x1x16xf32>, %arg2: tensor<1xi64>) -> (tensor<2x32x16xf32> {sinter.in_place_of = 0 : i64}, tensor<2x16xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %12 = linalg.index 0 : index
      %13 = arith.index_cast %12 : index to i64
      linalg.yield %13 : i64
    } -> tensor<16xi64>
    %2 = tensor.empty() : tensor<2xi64>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%2 : tensor<2xi64>) {
    ^bb0(%out: i64):
      %12 = linalg.index 0 : index
      %13 = arith.index_cast %12 : index to i64
      linalg.yield %13 : i64
    } -> tensor<2xi64>
    %4 = tensor.empty() : tensor<2x1x16xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %5 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x1xi64>) outs(%4 : tensor<2x1x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x1x16xi64>
    %collapsed = tensor.collapse_shape %5 [[0, 1, 2]] : tensor<2x1x16xi64> into tensor<32xi64>
    %6 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1xi64>) outs(%4 : tensor<2x1x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x1x16xi64>
    %collapsed_0 = tensor.collapse_shape %6 [[0, 1, 2]] : tensor<2x1x16xi64> into tensor<32xi64>
    %7 = linalg.generic {indexing_maps = [#map4, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<16xi64>) outs(%4 : tensor<2x1x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<2x1x16xi64>
    %collapsed_1 = tensor.collapse_shape %7 [[0, 1, 2]] : tensor<2x1x16xi64> into tensor<32xi64>
    %expanded_2 = tensor.expand_shape %collapsed [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %expanded_3 = tensor.expand_shape %collapsed_0 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %expanded_4 = tensor.expand_shape %collapsed_1 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64>
    %concat = tensor.concat dim(1) %expanded_2, %expanded_3, %expanded_4 : (tensor<32x1xi64>, tensor<32x1xi64>, tensor<32x1xi64>) -> tensor<32x3xi64>
    %collapsed_5 = tensor.collapse_shape %arg1 [[0, 1, 2]] : tensor<2x1x16xf32> into tensor<32xf32>
    %expanded_6 = tensor.expand_shape %collapsed_5 [[0, 1, 2, 3]] output_shape [32, 1, 1, 1] : tensor<32xf32> into tensor<32x1x1x1xf32>
    %8 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2>} unique_indices(true) ins(%expanded_6, %concat : tensor<32x1x1x1xf32>, tensor<32x3xi64>) outs(%arg0 : tensor<2x32x16xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      tm_tensor.yield %arg3 : f32
    } -> tensor<2x32x16xf32>
    %9 = tensor.empty() : tensor<2x16xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "reduction", "parallel"]} ins(%8 : tensor<2x32x16xf32>) outs(%10 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.addf %in, %out : f32
      linalg.yield %12 : f32
    } -> tensor<2x16xf32>
    return %8, %11 : tensor<2x32x16xf32>, tensor<2x16xf32>
  }
}
