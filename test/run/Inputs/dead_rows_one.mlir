// torch-mlir of F.scaled_dot_product_attention(q, k, v,
//   attn_mask=m), m of floats, 2 x 2 heads of 7 queries and one key.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x2x7x4xf32>, %arg1: tensor<2x2x1x4xf32>, %arg2: tensor<2x2x1x4xf32>, %arg3: tensor<2x1x7x1xf32>) -> tensor<2x2x7x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x7x1xf32>
    %cst_2 = arith.constant 0xFFF0000000000000 : f64
    %cst_3 = arith.constant 0.70710678118654757 : f64
    %0 = tensor.empty() : tensor<2x2x7x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x7x4xf32>) outs(%0 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.truncf %cst_3 : f64 to f32
      %28 = arith.mulf %in, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<2x2x7x4xf32>
    %2 = tensor.empty() : tensor<2x2x4x1xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x2x1x4xf32>) outs(%2 : tensor<2x2x4x1xf32>) permutation = [0, 1, 3, 2] 
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x4x1xf32>) outs(%2 : tensor<2x2x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.truncf %cst_3 : f64 to f32
      %28 = arith.mulf %in, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<2x2x4x1xf32>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %collapsed_4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x2x4x1xf32> into tensor<4x4x1xf32>
    %4 = tensor.empty() : tensor<4x7x1xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<4x7x1xf32>) -> tensor<4x7x1xf32>
    %6 = linalg.batch_matmul ins(%collapsed, %collapsed_4 : tensor<4x7x4xf32>, tensor<4x4x1xf32>) outs(%5 : tensor<4x7x1xf32>) -> tensor<4x7x1xf32>
    %expanded = tensor.expand_shape %6 [[0, 1], [2], [3]] output_shape [2, 2, 7, 1] : tensor<4x7x1xf32> into tensor<2x2x7x1xf32>
    %7 = tensor.empty() : tensor<2x2x7x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %arg3 : tensor<2x2x7x1xf32>, tensor<2x1x7x1xf32>) outs(%7 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %27 = arith.addf %in, %in_9 : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %9 = tensor.empty() : tensor<2x2x7xi64>
    %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x2x7xi64>) -> tensor<2x2x7xi64>
    %11 = tensor.empty() : tensor<2x2x7xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
    %13:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x2x7x1xf32>) outs(%12, %10 : tensor<2x2x7xf32>, tensor<2x2x7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_9: i64):
      %27 = arith.maximumf %in, %out : f32
      %28 = arith.cmpf ogt, %in, %out : f32
      %29 = arith.select %28, %c0_i64, %out_9 : i64
      linalg.yield %27, %29 : f32, i64
    } -> (tensor<2x2x7xf32>, tensor<2x2x7xi64>)
    %expanded_5 = tensor.expand_shape %13#0 [[0], [1], [2, 3]] output_shape [2, 2, 7, 1] : tensor<2x2x7xf32> into tensor<2x2x7x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_5 : tensor<2x2x7x1xf32>, tensor<2x2x7x1xf32>) outs(%7 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %27 = arith.subf %in, %in_9 : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x7x1xf32>) outs(%7 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.exp %in : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%7 : tensor<2x2x7x1xf32>) -> tensor<2x2x7x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x7x1xf32>) outs(%16 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %in, %out : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %17 : tensor<2x2x7x1xf32>, tensor<2x2x7x1xf32>) outs(%7 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %27 = arith.divf %in, %in_9 : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %19 = tensor.empty() : tensor<2x2x7x1xi1>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<2x2x7x1xf32>) outs(%19 : tensor<2x2x7x1xi1>) {
    ^bb0(%in: f32, %out: i1):
      %27 = arith.extf %in : f32 to f64
      %28 = arith.cmpf oeq, %27, %cst_2 : f64
      linalg.yield %28 : i1
    } -> tensor<2x2x7x1xi1>
    %21 = linalg.fill ins(%true : i1) outs(%19 : tensor<2x2x7x1xi1>) -> tensor<2x2x7x1xi1>
    %22 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%20 : tensor<2x2x7x1xi1>) outs(%21 : tensor<2x2x7x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %27 = arith.andi %in, %out : i1
      linalg.yield %27 : i1
    } -> tensor<2x2x7x1xi1>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %cst_1, %18 : tensor<2x2x7x1xi1>, tensor<2x2x7x1xf32>, tensor<2x2x7x1xf32>) outs(%7 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: i1, %in_9: f32, %in_10: f32, %out: f32):
      %27 = arith.select %in, %in_9, %in_10 : f32
      linalg.yield %27 : f32
    } -> tensor<2x2x7x1xf32>
    %collapsed_6 = tensor.collapse_shape %23 [[0, 1], [2], [3]] : tensor<2x2x7x1xf32> into tensor<4x7x1xf32>
    %collapsed_7 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x1x4xf32> into tensor<4x1x4xf32>
    %24 = tensor.empty() : tensor<4x7x4xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %26 = linalg.batch_matmul ins(%collapsed_6, %collapsed_7 : tensor<4x7x1xf32>, tensor<4x1x4xf32>) outs(%25 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %expanded_8 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [2, 2, 7, 4] : tensor<4x7x4xf32> into tensor<2x2x7x4xf32>
    return %expanded_8 : tensor<2x2x7x4xf32>
  }
}
