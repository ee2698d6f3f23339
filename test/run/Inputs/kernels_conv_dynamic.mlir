#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?x4x6x6xf32>, %arg1: tensor<8x4x3x3xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) -> tensor<f32> {
    %c36_i64 = arith.constant 36 : i64
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 1.000000e-05 : f64
    %c288 = arith.constant 288 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x4x6x6xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg4: index, %arg5: index, %arg6: index, %arg7: index):
      tensor.yield %cst : f32
    } : tensor<?x4x6x6xf32> to tensor<?x4x8x8xf32>
    %0 = tensor.empty(%dim) : tensor<?x8x6x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x8x6x6xf32>) -> tensor<?x8x6x6xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<?x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%1 : tensor<?x8x6x6xf32>) -> tensor<?x8x6x6xf32>
    %3 = tensor.empty(%dim) : tensor<?x8x6x6xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<?x8x6x6xf32>) outs(%3 : tensor<?x8x6x6xf64>) {
    ^bb0(%in: f32, %out: f64):
      %34 = arith.extf %in : f32 to f64
      linalg.yield %34 : f64
    } -> tensor<?x8x6x6xf64>
    %5 = tensor.empty() : tensor<1x8x1x1xf64>
    %6 = linalg.fill ins(%cst_0 : f64) outs(%5 : tensor<1x8x1x1xf64>) -> tensor<1x8x1x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%4 : tensor<?x8x6x6xf64>) outs(%6 : tensor<1x8x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.addf %in, %out : f64
      linalg.yield %34 : f64
    } -> tensor<1x8x1x1xf64>
    %8 = arith.index_cast %dim : index to i64
    %9 = arith.muli %8, %c36_i64 : i64
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<1x8x1x1xf64>) outs(%5 : tensor<1x8x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.sitofp %9 : i64 to f64
      %35 = arith.divf %in, %34 : f64
      linalg.yield %35 : f64
    } -> tensor<1x8x1x1xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %10 : tensor<?x8x6x6xf64>, tensor<1x8x1x1xf64>) outs(%3 : tensor<?x8x6x6xf64>) {
    ^bb0(%in: f64, %in_3: f64, %out: f64):
      %34 = arith.subf %in, %in_3 : f64
      linalg.yield %34 : f64
    } -> tensor<?x8x6x6xf64>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %11 : tensor<?x8x6x6xf64>, tensor<?x8x6x6xf64>) outs(%3 : tensor<?x8x6x6xf64>) {
    ^bb0(%in: f64, %in_3: f64, %out: f64):
      %34 = arith.mulf %in, %in_3 : f64
      linalg.yield %34 : f64
    } -> tensor<?x8x6x6xf64>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%12 : tensor<?x8x6x6xf64>) outs(%6 : tensor<1x8x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.addf %in, %out : f64
      linalg.yield %34 : f64
    } -> tensor<1x8x1x1xf64>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x8x1x1xf64>) outs(%5 : tensor<1x8x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %34 = arith.sitofp %9 : i64 to f64
      %35 = arith.divf %in, %34 : f64
      linalg.yield %35 : f64
    } -> tensor<1x8x1x1xf64>
    %15 = tensor.empty() : tensor<1x8x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<1x8x1x1xf64>) outs(%15 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %34 = arith.truncf %in : f64 to f32
      linalg.yield %34 : f32
    } -> tensor<1x8x1x1xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%15 : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%2 : tensor<?x8x6x6xf32>) outs(%17 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<1x8x1x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18 : tensor<1x8x1x1xf32>) outs(%15 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.sitofp %9 : i64 to f32
      %35 = arith.divf %in, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<1x8x1x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x8x1x1xf32>) outs(%15 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.truncf %cst_1 : f64 to f32
      %35 = arith.addf %in, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<1x8x1x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<1x8x1x1xf32>) outs(%15 : tensor<1x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.rsqrt %in : f32
      linalg.yield %34 : f32
    } -> tensor<1x8x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %19 : tensor<?x8x6x6xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.subf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<?x8x6x6xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %21 : tensor<?x8x6x6xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<?x8x6x6xf32>
    %expanded = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded : tensor<?x8x6x6xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<?x8x6x6xf32>
    %expanded_2 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %expanded_2 : tensor<?x8x6x6xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.addf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<?x8x6x6xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<?x8x6x6xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.cmpf ugt, %in, %cst : f32
      %35 = arith.select %34, %in, %cst : f32
      linalg.yield %35 : f32
    } -> tensor<?x8x6x6xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %26 : tensor<?x8x6x6xf32>, tensor<?x8x6x6xf32>) outs(%0 : tensor<?x8x6x6xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %34 = arith.mulf %in, %in_3 : f32
      linalg.yield %34 : f32
    } -> tensor<?x8x6x6xf32>
    %28 = tensor.empty() : tensor<f32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<f32>) -> tensor<f32>
    %30 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%27 : tensor<?x8x6x6xf32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    %31 = arith.muli %dim, %c288 : index
    %32 = arith.index_cast %31 : index to i64
    %33 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%30 : tensor<f32>) outs(%28 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.sitofp %32 : i64 to f32
      %35 = arith.divf %in, %34 : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    return %33 : tensor<f32>
  }
}
