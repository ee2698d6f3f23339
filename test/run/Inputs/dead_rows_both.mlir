// torch-mlir of F.scaled_dot_product_attention(q, k, v,
//   attn_mask=(j < n[:, None])[:, None, None, :] & (j <= i)), 2 x 2 heads of 7 x 4.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
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
      %39 = linalg.index 0 : index
      %40 = arith.index_cast %39 : index to i64
      linalg.yield %40 : i64
    } -> tensor<7xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 7] : tensor<7xi64> into tensor<1x7xi64>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x7xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x7xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x7xi1>) {
    ^bb0(%in: i64, %in_15: i64, %out: i1):
      %39 = arith.cmpi slt, %in, %in_15 : i64
      linalg.yield %39 : i1
    } -> tensor<2x7xi1>
    %expanded_7 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 1, 1, 7] : tensor<2x7xi1> into tensor<2x1x1x7xi1>
    %expanded_8 = tensor.expand_shape %1 [[0, 1]] output_shape [7, 1] : tensor<7xi64> into tensor<7x1xi64>
    %4 = tensor.empty() : tensor<7x7xi1>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_8 : tensor<1x7xi64>, tensor<7x1xi64>) outs(%4 : tensor<7x7xi1>) {
    ^bb0(%in: i64, %in_15: i64, %out: i1):
      %39 = arith.cmpi sle, %in, %in_15 : i64
      linalg.yield %39 : i1
    } -> tensor<7x7xi1>
    %6 = tensor.empty() : tensor<2x1x7x7xi1>
    %7 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %5 : tensor<2x1x1x7xi1>, tensor<7x7xi1>) outs(%6 : tensor<2x1x7x7xi1>) {
    ^bb0(%in: i1, %in_15: i1, %out: i1):
      %39 = arith.andi %in, %in_15 : i1
      linalg.yield %39 : i1
    } -> tensor<2x1x7x7xi1>
    %8 = tensor.empty() : tensor<2x1x7x7xf32>
    %9 = linalg.generic {indexing_maps = [#map6, #map7, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %cst_2, %cst_3 : tensor<2x1x7x7xi1>, tensor<f32>, tensor<f32>) outs(%8 : tensor<2x1x7x7xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %39 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %39 : f32
    } -> tensor<2x1x7x7xf32>
    %10 = tensor.empty() : tensor<2x2x7x4xf32>
    %11 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x7x4xf32>) outs(%10 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.truncf %cst_4 : f64 to f32
      %40 = arith.mulf %in, %39 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x4xf32>
    %12 = tensor.empty() : tensor<2x2x4x7xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x2x7x4xf32>) outs(%12 : tensor<2x2x4x7xf32>) permutation = [0, 1, 3, 2] 
    %13 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x4x7xf32>) outs(%12 : tensor<2x2x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.truncf %cst_4 : f64 to f32
      %40 = arith.mulf %in, %39 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x4x7xf32>
    %collapsed = tensor.collapse_shape %11 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %collapsed_9 = tensor.collapse_shape %13 [[0, 1], [2], [3]] : tensor<2x2x4x7xf32> into tensor<4x4x7xf32>
    %14 = tensor.empty() : tensor<4x7x7xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %16 = linalg.batch_matmul ins(%collapsed, %collapsed_9 : tensor<4x7x4xf32>, tensor<4x4x7xf32>) outs(%15 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %expanded_10 = tensor.expand_shape %16 [[0, 1], [2], [3]] output_shape [2, 2, 7, 7] : tensor<4x7x7xf32> into tensor<2x2x7x7xf32>
    %17 = tensor.empty() : tensor<2x2x7x7xf32>
    %18 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_10, %9 : tensor<2x2x7x7xf32>, tensor<2x1x7x7xf32>) outs(%17 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %39 = arith.addf %in, %in_15 : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x7xf32>
    %19 = tensor.empty() : tensor<2x2x7xi64>
    %20 = linalg.fill ins(%c0_i64 : i64) outs(%19 : tensor<2x2x7xi64>) -> tensor<2x2x7xi64>
    %21 = tensor.empty() : tensor<2x2x7xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
    %23:2 = linalg.generic {indexing_maps = [#map6, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x2x7x7xf32>) outs(%22, %20 : tensor<2x2x7xf32>, tensor<2x2x7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %39 = linalg.index 3 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : f32
      %42 = arith.cmpf ogt, %in, %out : f32
      %43 = arith.select %42, %40, %out_15 : i64
      linalg.yield %41, %43 : f32, i64
    } -> (tensor<2x2x7xf32>, tensor<2x2x7xi64>)
    %expanded_11 = tensor.expand_shape %23#0 [[0], [1], [2, 3]] output_shape [2, 2, 7, 1] : tensor<2x2x7xf32> into tensor<2x2x7x1xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_11 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%17 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %39 = arith.subf %in, %in_15 : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x7xf32>
    %25 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x2x7x7xf32>) outs(%17 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.exp %in : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x7xf32>
    %26 = tensor.empty() : tensor<2x2x7x1xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<2x2x7x1xf32>) -> tensor<2x2x7x1xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x2x7x7xf32>) outs(%27 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x1xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%17 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %39 = arith.divf %in, %in_15 : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x7xf32>
    %30 = tensor.empty() : tensor<2x2x7x7xi1>
    %31 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<2x2x7x7xf32>) outs(%30 : tensor<2x2x7x7xi1>) {
    ^bb0(%in: f32, %out: i1):
      %39 = arith.extf %in : f32 to f64
      %40 = arith.cmpf oeq, %39, %cst_5 : f64
      linalg.yield %40 : i1
    } -> tensor<2x2x7x7xi1>
    %32 = tensor.empty() : tensor<2x2x7x1xi1>
    %33 = linalg.fill ins(%true : i1) outs(%32 : tensor<2x2x7x1xi1>) -> tensor<2x2x7x1xi1>
    %34 = linalg.generic {indexing_maps = [#map6, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<2x2x7x7xi1>) outs(%33 : tensor<2x2x7x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %39 = arith.andi %in, %out : i1
      linalg.yield %39 : i1
    } -> tensor<2x2x7x1xi1>
    %35 = linalg.generic {indexing_maps = [#map10, #map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %cst_1, %29 : tensor<2x2x7x1xi1>, tensor<2x2x7x7xf32>, tensor<2x2x7x7xf32>) outs(%17 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: i1, %in_15: f32, %in_16: f32, %out: f32):
      %39 = arith.select %in, %in_15, %in_16 : f32
      linalg.yield %39 : f32
    } -> tensor<2x2x7x7xf32>
    %collapsed_12 = tensor.collapse_shape %35 [[0, 1], [2], [3]] : tensor<2x2x7x7xf32> into tensor<4x7x7xf32>
    %collapsed_13 = tensor.collapse_shape %arg2 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %36 = tensor.empty() : tensor<4x7x4xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %38 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<4x7x7xf32>, tensor<4x7x4xf32>) outs(%37 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %expanded_14 = tensor.expand_shape %38 [[0, 1], [2], [3]] output_shape [2, 2, 7, 4] : tensor<4x7x4xf32> into tensor<2x2x7x4xf32>
    return %expanded_14 : tensor<2x2x7x4xf32>
  }
}
