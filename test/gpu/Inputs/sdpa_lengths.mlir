// torch-mlir of F.scaled_dot_product_attention(q, k, v,
//   attn_mask=(j < n[:, None])[:, None, None, :]), bf16, 2 x 2 heads of 7 x 4.
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
  func.func @main(%arg0: tensor<2x2x7x4xbf16>, %arg1: tensor<2x2x7x4xbf16>, %arg2: tensor<2x2x7x4xbf16>, %arg3: tensor<2xi64>) -> tensor<2x2x7x4xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x7x7xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<bf16>
    %cst_3 = arith.constant dense<0xFF80> : tensor<bf16>
    %cst_4 = arith.constant 0.70710678118654757 : f64
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %0 = tensor.empty() : tensor<7xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<7xi64>) {
    ^bb0(%out: i64):
      %40 = linalg.index 0 : index
      %41 = arith.index_cast %40 : index to i64
      linalg.yield %41 : i64
    } -> tensor<7xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [1, 7] : tensor<7xi64> into tensor<1x7xi64>
    %expanded_6 = tensor.expand_shape %arg3 [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>
    %2 = tensor.empty() : tensor<2x7xi1>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_6 : tensor<1x7xi64>, tensor<2x1xi64>) outs(%2 : tensor<2x7xi1>) {
    ^bb0(%in: i64, %in_14: i64, %out: i1):
      %40 = arith.cmpi slt, %in, %in_14 : i64
      linalg.yield %40 : i1
    } -> tensor<2x7xi1>
    %expanded_7 = tensor.expand_shape %3 [[0], [1, 2, 3]] output_shape [2, 1, 1, 7] : tensor<2x7xi1> into tensor<2x1x1x7xi1>
    %4 = tensor.empty() : tensor<2x1x1x7xbf16>
    %5 = linalg.generic {indexing_maps = [#map4, #map5, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %cst_2, %cst_3 : tensor<2x1x1x7xi1>, tensor<bf16>, tensor<bf16>) outs(%4 : tensor<2x1x1x7xbf16>) {
    ^bb0(%in: i1, %in_14: bf16, %in_15: bf16, %out: bf16):
      %40 = arith.select %in, %in_14, %in_15 : bf16
      linalg.yield %40 : bf16
    } -> tensor<2x1x1x7xbf16>
    %6 = tensor.empty() : tensor<2x2x7x4xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x2x7x4xbf16>) outs(%6 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %40 = arith.extf %in : bf16 to f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x4xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x2x7x4xbf16>) outs(%6 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %40 = arith.extf %in : bf16 to f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x4xf32>
    %9 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<2x2x7x4xbf16>) outs(%6 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %40 = arith.extf %in : bf16 to f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x4xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<2x2x7x4xf32>) outs(%6 : tensor<2x2x7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.truncf %cst_4 : f64 to f32
      %41 = arith.mulf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<2x2x7x4xf32>
    %11 = tensor.empty() : tensor<2x2x4x7xf32>
    %transposed = linalg.transpose ins(%8 : tensor<2x2x7x4xf32>) outs(%11 : tensor<2x2x4x7xf32>) permutation = [0, 1, 3, 2] 
    %12 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<2x2x4x7xf32>) outs(%11 : tensor<2x2x4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.truncf %cst_4 : f64 to f32
      %41 = arith.mulf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<2x2x4x7xf32>
    %collapsed = tensor.collapse_shape %10 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %collapsed_8 = tensor.collapse_shape %12 [[0, 1], [2], [3]] : tensor<2x2x4x7xf32> into tensor<4x4x7xf32>
    %13 = tensor.empty() : tensor<4x7x7xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %15 = linalg.batch_matmul ins(%collapsed, %collapsed_8 : tensor<4x7x4xf32>, tensor<4x4x7xf32>) outs(%14 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
    %expanded_9 = tensor.expand_shape %15 [[0, 1], [2], [3]] output_shape [2, 2, 7, 7] : tensor<4x7x7xf32> into tensor<2x2x7x7xf32>
    %16 = tensor.empty() : tensor<2x2x7x7xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map6, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %5 : tensor<2x2x7x7xf32>, tensor<2x1x1x7xbf16>) outs(%16 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: bf16, %out: f32):
      %40 = arith.extf %in_14 : bf16 to f32
      %41 = arith.addf %in, %40 : f32
      linalg.yield %41 : f32
    } -> tensor<2x2x7x7xf32>
    %18 = tensor.empty() : tensor<2x2x7xi64>
    %19 = linalg.fill ins(%c0_i64 : i64) outs(%18 : tensor<2x2x7xi64>) -> tensor<2x2x7xi64>
    %20 = tensor.empty() : tensor<2x2x7xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32>
    %22:2 = linalg.generic {indexing_maps = [#map4, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%17 : tensor<2x2x7x7xf32>) outs(%21, %19 : tensor<2x2x7xf32>, tensor<2x2x7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_14: i64):
      %40 = linalg.index 3 : index
      %41 = arith.index_cast %40 : index to i64
      %42 = arith.maximumf %in, %out : f32
      %43 = arith.cmpf ogt, %in, %out : f32
      %44 = arith.select %43, %41, %out_14 : i64
      linalg.yield %42, %44 : f32, i64
    } -> (tensor<2x2x7xf32>, tensor<2x2x7xi64>)
    %expanded_10 = tensor.expand_shape %22#0 [[0], [1], [2, 3]] output_shape [2, 2, 7, 1] : tensor<2x2x7xf32> into tensor<2x2x7x1xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %expanded_10 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%16 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %40 = arith.subf %in, %in_14 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x7xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x2x7x7xf32>) outs(%16 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = math.exp %in : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x7xf32>
    %25 = tensor.empty() : tensor<2x2x7x1xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<2x2x7x1xf32>) -> tensor<2x2x7x1xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<2x2x7x7xf32>) outs(%26 : tensor<2x2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %40 = arith.addf %in, %out : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x1xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<2x2x7x7xf32>, tensor<2x2x7x1xf32>) outs(%16 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: f32, %in_14: f32, %out: f32):
      %40 = arith.divf %in, %in_14 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x7xf32>
    %29 = tensor.empty() : tensor<2x2x7x7xi1>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x2x7x7xf32>) outs(%29 : tensor<2x2x7x7xi1>) {
    ^bb0(%in: f32, %out: i1):
      %40 = arith.extf %in : f32 to f64
      %41 = arith.cmpf oeq, %40, %cst_5 : f64
      linalg.yield %41 : i1
    } -> tensor<2x2x7x7xi1>
    %31 = tensor.empty() : tensor<2x2x7x1xi1>
    %32 = linalg.fill ins(%true : i1) outs(%31 : tensor<2x2x7x1xi1>) -> tensor<2x2x7x1xi1>
    %33 = linalg.generic {indexing_maps = [#map4, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x2x7x7xi1>) outs(%32 : tensor<2x2x7x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %40 = arith.andi %in, %out : i1
      linalg.yield %40 : i1
    } -> tensor<2x2x7x1xi1>
    %34 = linalg.generic {indexing_maps = [#map8, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %cst_1, %28 : tensor<2x2x7x1xi1>, tensor<2x2x7x7xf32>, tensor<2x2x7x7xf32>) outs(%16 : tensor<2x2x7x7xf32>) {
    ^bb0(%in: i1, %in_14: f32, %in_15: f32, %out: f32):
      %40 = arith.select %in, %in_14, %in_15 : f32
      linalg.yield %40 : f32
    } -> tensor<2x2x7x7xf32>
    %collapsed_11 = tensor.collapse_shape %34 [[0, 1], [2], [3]] : tensor<2x2x7x7xf32> into tensor<4x7x7xf32>
    %collapsed_12 = tensor.collapse_shape %9 [[0, 1], [2], [3]] : tensor<2x2x7x4xf32> into tensor<4x7x4xf32>
    %35 = tensor.empty() : tensor<4x7x4xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %37 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<4x7x7xf32>, tensor<4x7x4xf32>) outs(%36 : tensor<4x7x4xf32>) -> tensor<4x7x4xf32>
    %expanded_13 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [2, 2, 7, 4] : tensor<4x7x4xf32> into tensor<2x2x7x4xf32>
    %38 = tensor.empty() : tensor<2x2x7x4xbf16>
    %39 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13 : tensor<2x2x7x4xf32>) outs(%38 : tensor<2x2x7x4xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %40 = arith.truncf %in : f32 to bf16
      linalg.yield %40 : bf16
    } -> tensor<2x2x7x4xbf16>
    return %39 : tensor<2x2x7x4xbf16>
  }
}
