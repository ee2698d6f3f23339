#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @main(%arg0: tensor<?x6x4x4xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<f32> {
    %c16_i64 = arith.constant 16 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %dim = tensor.dim %arg0, %c0 : tensor<?x6x4x4xf32>
    %0 = tensor.empty(%dim) : tensor<?x6x4x4xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x6x4x4xf32>) outs(%0 : tensor<?x6x4x4xf64>) {
    ^bb0(%in: f32, %out: f64):
      %29 = arith.extf %in : f32 to f64
      linalg.yield %29 : f64
    } -> tensor<?x6x4x4xf64>
    %2 = tensor.empty() : tensor<1x6x1x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<1x6x1x1xf64>) -> tensor<1x6x1x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%1 : tensor<?x6x4x4xf64>) outs(%3 : tensor<1x6x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %29 = arith.addf %in, %out : f64
      linalg.yield %29 : f64
    } -> tensor<1x6x1x1xf64>
    %5 = arith.index_cast %dim : index to i64
    %6 = arith.muli %5, %c16_i64 : i64
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x6x1x1xf64>) outs(%2 : tensor<1x6x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %29 = arith.sitofp %6 : i64 to f64
      %30 = arith.divf %in, %29 : f64
      linalg.yield %30 : f64
    } -> tensor<1x6x1x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %7 : tensor<?x6x4x4xf64>, tensor<1x6x1x1xf64>) outs(%0 : tensor<?x6x4x4xf64>) {
    ^bb0(%in: f64, %in_3: f64, %out: f64):
      %29 = arith.subf %in, %in_3 : f64
      linalg.yield %29 : f64
    } -> tensor<?x6x4x4xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<?x6x4x4xf64>, tensor<?x6x4x4xf64>) outs(%0 : tensor<?x6x4x4xf64>) {
    ^bb0(%in: f64, %in_3: f64, %out: f64):
      %29 = arith.mulf %in, %in_3 : f64
      linalg.yield %29 : f64
    } -> tensor<?x6x4x4xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%9 : tensor<?x6x4x4xf64>) outs(%3 : tensor<1x6x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %29 = arith.addf %in, %out : f64
      linalg.yield %29 : f64
    } -> tensor<1x6x1x1xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<1x6x1x1xf64>) outs(%2 : tensor<1x6x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %29 = arith.sitofp %6 : i64 to f64
      %30 = arith.divf %in, %29 : f64
      linalg.yield %30 : f64
    } -> tensor<1x6x1x1xf64>
    %12 = tensor.empty() : tensor<1x6x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x6x1x1xf64>) outs(%12 : tensor<1x6x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %29 = arith.truncf %in : f64 to f32
      linalg.yield %29 : f32
    } -> tensor<1x6x1x1xf32>
    %14 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<1x6x1x1xf32>) -> tensor<1x6x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%arg0 : tensor<?x6x4x4xf32>) outs(%14 : tensor<1x6x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %in, %out : f32
      linalg.yield %29 : f32
    } -> tensor<1x6x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x6x1x1xf32>) outs(%12 : tensor<1x6x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.sitofp %6 : i64 to f32
      %30 = arith.divf %in, %29 : f32
      linalg.yield %30 : f32
    } -> tensor<1x6x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x6x1x1xf32>) outs(%12 : tensor<1x6x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.truncf %cst_1 : f64 to f32
      %30 = arith.addf %in, %29 : f32
      linalg.yield %30 : f32
    } -> tensor<1x6x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x6x1x1xf32>) outs(%12 : tensor<1x6x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = math.rsqrt %in : f32
      linalg.yield %29 : f32
    } -> tensor<1x6x1x1xf32>
    %19 = tensor.empty(%dim) : tensor<?x6x4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %16 : tensor<?x6x4x4xf32>, tensor<1x6x1x1xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %29 = arith.subf %in, %in_3 : f32
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %18 : tensor<?x6x4x4xf32>, tensor<1x6x1x1xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %29 = arith.mulf %in, %in_3 : f32
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %expanded = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded : tensor<?x6x4x4xf32>, tensor<6x1x1xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %29 = arith.mulf %in, %in_3 : f32
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %expanded_2 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_2 : tensor<?x6x4x4xf32>, tensor<6x1x1xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %29 = arith.addf %in, %in_3 : f32
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<?x6x4x4xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %arg0 : tensor<?x6x4x4xf32>, tensor<?x6x4x4xf32>) outs(%19 : tensor<?x6x4x4xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %29 = arith.mulf %in, %in_3 : f32
      linalg.yield %29 : f32
    } -> tensor<?x6x4x4xf32>
    %26 = tensor.empty() : tensor<f32>
    %27 = linalg.fill ins(%cst_0 : f32) outs(%26 : tensor<f32>) -> tensor<f32>
    %28 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%25 : tensor<?x6x4x4xf32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %29 = arith.addf %in, %out : f32
      linalg.yield %29 : f32
    } -> tensor<f32>
    return %28 : tensor<f32>
  }
}
