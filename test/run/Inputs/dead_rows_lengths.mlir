// torch-mlir of F.scaled_dot_product_attention(q, k, v,
//   attn_mask=(j < n[:, None])[:, None, None, :]), 2 x 2 heads of 7 x 4.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x2x7x4xf32>, %arg1: tensor<2x2x7x4xf32>, %arg2: tensor<2x2x7x4xf32>, %arg3: tensor<2xi64>) -> tensor<2x2x7x4xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x7x7xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant 0.70710678118654757 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<7xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<7xi64>) {
    ^bb0(%out: i64):
      %35 = linalg.index 0 : index
      %36 = arith.index_cast %35 : index to i64
      linalg.yield %36 : i64
    } -> tensor<7xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 7] : tensor<7xi64> into tensor<1x7xi64>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x7xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x7xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x7xi1>) {
    ^bb0(%in: i64, %in_14: i64, %out: i1):
      %35 = arith.cmpi slt, %in, %in_14 : i64
      linalg.yield %35 : i1
    } -> tensor<2x7xi1>
    %expanded_7 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 1, 1, 7] : tensor<2x7xi1> into tensor<2x1x1x7xi1>
    %4 = tensor.empty() : tensor<2x1x1x7xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map5, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %cst_2, %cst_3 : tensor<2x1x1x7xi1>, tensor<f32>, tensor<f32>) outs(%4 : tensor<2x1x1x7xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %35 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %35 : f32
    } -> tensor<2x1x1x7xf32>
    %6 = tensor.empty() : tensor<2x2x7x4xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x7x4xf32>) outs(%6 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.truncf %cst_4 : f64 to f32
      %36 = arith.mulf %in, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<2x2x7x4xf32>
    %8 = tensor.empty() : tensor<2x2x4x7xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x2x7x4xf32>) outs(%8 : tensor<2x2x4x7xf32>) permutation = [0, 1, 3, 2] 
    %9 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x4x7xf32>) outs(%8 : tensor<2x2x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.truncf %cst_4 : f64 to f32
      %36 = arith.mulf %in, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<2x2x4x7xf32>
    %collapsed = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %collapsed_8 = tensor.collapse_shape %9 [[0, 1], [2], [3]] : tensor<2x2x4x7xf32> into tensor<4x4x7xf32>
    %10 = tensor.empty() : tensor<4x7x7xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %12 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<4x7x4xf32>, tensor<4x4x7xf32>) outs(%11 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %expanded_9 = tensor.expand_shape %12 [[0, 1], [2], [3]] output_shape [2, 2, 7, 7] : tensor<4x7x7xf32> into tensor<2x2x7x7xf32>
    %13 = tensor.empty() : tensor<2x2x7x7xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %5 : tensor<2x2x7x7xf32>, tensor<2x1x1x7xf32>) outs(%13 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %35 = arith.addf %in, %in_14 : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x7xf32>
    %15 = tensor.empty() : tensor<2x2x7xi64>
    %16 = linalg.fill ins(%c0_i64 : i64) outs(%15 : tensor<2x2x7xi64>) -> tensor<2x2x7xi64>
    %17 = tensor.empty() : tensor<2x2x7xf32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
    %19:2 = linalg.generic {indexing_maps = [#map4, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x2x7x7xf32>) outs(%18, %16 : tensor<2x2x7xf32>, tensor<2x2x7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %35 = linalg.index 3 : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.maximumf %in, %out : f32
      %38 = arith.cmpf ogt, %in, %out : f32
      %39 = arith.select %38, %36, %out_14 : i64
      linalg.yield %37, %39 : f32, i64
    } -> (tensor<2x2x7xf32>, tensor<2x2x7xi64>)
    %expanded_10 = tensor.expand_shape %19#0 [[0], [1], [2, 3]] output_shape [2, 2, 7, 1] : tensor<2x2x7xf32> into tensor<2x2x7x1xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_10 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%13 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %35 = arith.subf %in, %in_14 : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x7xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x2x7x7xf32>) outs(%13 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x7xf32>
    %22 = tensor.empty() : tensor<2x2x7x1xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<2x2x7x1xf32>) -> tensor<2x2x7x1xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%21 : tensor<2x2x7x7xf32>) outs(%23 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %out : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x1xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %24 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%13 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %35 = arith.divf %in, %in_14 : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x7xf32>
    %26 = tensor.empty() : tensor<2x2x7x7xi1>
    %27 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x7x7xf32>) outs(%26 : tensor<2x2x7x7xi1>) {
    ^bb0(%in: f32, %out: i1):
      %35 = arith.extf %in : f32 to f64
      %36 = arith.cmpf oeq, %35, %cst_5 : f64
      linalg.yield %36 : i1
    } -> tensor<2x2x7x7xi1>
    %28 = tensor.empty() : tensor<2x2x7x1xi1>
    %29 = linalg.fill ins(%true : i1) outs(%28 : tensor<2x2x7x1xi1>) -> tensor<2x2x7x1xi1>
    %30 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27 : tensor<2x2x7x7xi1>) outs(%29 : tensor<2x2x7x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %35 = arith.andi %in, %out : i1
      linalg.yield %35 : i1
    } -> tensor<2x2x7x1xi1>
    %31 = linalg.generic {indexing_maps = [#map8, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %cst_1, %25 : tensor<2x2x7x1xi1>, tensor<2x2x7x7xf32>, tensor<2x2x7x7xf32>) outs(%13 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %35 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %35 : f32
    } -> tensor<2x2x7x7xf32>
    %collapsed_11 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<2x2x7x7xf32> into tensor<4x7x7xf32>
    %collapsed_12 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %32 = tensor.empty() : tensor<4x7x4xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %34 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<4x7x7xf32>, tensor<4x7x4xf32>) outs(%33 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %expanded_13 = tensor.expand_shape %34 [[0, 1], [2], [3]] output_shape [2, 2, 7, 4] : tensor<4x7x4xf32> into tensor<2x2x7x4xf32>
    return %expanded_13 : tensor<2x2x7x4xf32>
  }
}
