#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<9x5xf32>, %arg1: tensor<2x31xi64>, %arg2: tensor<5x6xf32>) -> tensor<f32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<9x6xf32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<31x1xf32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<9xf32>
    %c0_i64 = arith.constant 0 : i64
    %c9_i64 = arith.constant 9 : i64
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %cst_4 = arith.constant 5.400000e+01 : f32
    %extracted_slice = tensor.extract_slice %arg1[1, 0] [1, 31] [1, 1] : tensor<2x31xi64> to tensor<1x31xi64>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x31xi64> into tensor<31xi64>
    %expanded = tensor.expand_shape %collapsed [[0, 1]] output_shape [31, 1] : tensor<31xi64> into tensor<31x1xi64>
    %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%cst_0, %expanded : tensor<31x1xf32>, tensor<31x1xi64>) outs(%cst_1 : tensor<9xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %21 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %21 : f32
    } -> tensor<9xf32>
    %1 = tensor.empty() : tensor<9xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<9xf32>) outs(%1 : tensor<9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ult, %in, %cst_3 : f32
      %22 = arith.select %21, %cst_3, %in : f32
      linalg.yield %22 : f32
    } -> tensor<9xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%2 : tensor<9xf32>) outs(%1 : tensor<9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.rsqrt %in : f32
      linalg.yield %21 : f32
    } -> tensor<9xf32>
    %4 = tensor.empty() : tensor<9x6xf32>
    %5 = linalg.fill ins(%cst_2 : f32) outs(%4 : tensor<9x6xf32>) -> tensor<9x6xf32>
    %6 = linalg.matmul ins(%arg0, %arg2 : tensor<9x5xf32>, tensor<5x6xf32>) outs(%5 : tensor<9x6xf32>) -> tensor<9x6xf32>
    %extracted_slice_5 = tensor.extract_slice %arg1[0, 0] [1, 31] [1, 1] : tensor<2x31xi64> to tensor<1x31xi64>
    %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [[0, 1]] : tensor<1x31xi64> into tensor<31xi64>
    %7 = tensor.empty() : tensor<31x6xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_6 : tensor<31xi64>) outs(%7 : tensor<31x6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %21 = arith.cmpi slt, %in, %c0_i64 : i64
      %22 = arith.addi %in, %c9_i64 : i64
      %23 = arith.select %21, %22, %in : i64
      %24 = arith.index_cast %23 : i64 to index
      %25 = linalg.index 1 : index
      %extracted = tensor.extract %6[%24, %25] : tensor<9x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<31x6xf32>
    %9 = tensor.empty() : tensor<31xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed_6 : tensor<31xi64>) outs(%9 : tensor<31xf32>) {
    ^bb0(%in: i64, %out: f32):
      %21 = arith.cmpi slt, %in, %c0_i64 : i64
      %22 = arith.addi %in, %c9_i64 : i64
      %23 = arith.select %21, %22, %in : i64
      %24 = arith.index_cast %23 : i64 to index
      %extracted = tensor.extract %3[%24] : tensor<9xf32>
      linalg.yield %extracted : f32
    } -> tensor<31xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed : tensor<31xi64>) outs(%9 : tensor<31xf32>) {
    ^bb0(%in: i64, %out: f32):
      %21 = arith.cmpi slt, %in, %c0_i64 : i64
      %22 = arith.addi %in, %c9_i64 : i64
      %23 = arith.select %21, %22, %in : i64
      %24 = arith.index_cast %23 : i64 to index
      %extracted = tensor.extract %3[%24] : tensor<9xf32>
      linalg.yield %extracted : f32
    } -> tensor<31xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%10, %11 : tensor<31xf32>, tensor<31xf32>) outs(%9 : tensor<31xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<31xf32>
    %expanded_7 = tensor.expand_shape %12 [[0, 1]] output_shape [31, 1] : tensor<31xf32> into tensor<31x1xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%8, %expanded_7 : tensor<31x6xf32>, tensor<31x1xf32>) outs(%7 : tensor<31x6xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<31x6xf32>
    %expanded_8 = tensor.expand_shape %13 [[0], [1, 2]] output_shape [31, 1, 6] : tensor<31x6xf32> into tensor<31x1x6xf32>
    %14 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%expanded_8, %expanded : tensor<31x1x6xf32>, tensor<31x1xi64>) outs(%cst : tensor<9x6xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %21 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %21 : f32
    } -> tensor<9x6xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<9x6xf32>) outs(%4 : tensor<9x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ugt, %in, %cst_2 : f32
      %22 = arith.select %21, %in, %cst_2 : f32
      linalg.yield %22 : f32
    } -> tensor<9x6xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%15, %15 : tensor<9x6xf32>, tensor<9x6xf32>) outs(%4 : tensor<9x6xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<9x6xf32>
    %17 = tensor.empty() : tensor<f32>
    %18 = linalg.fill ins(%cst_2 : f32) outs(%17 : tensor<f32>) -> tensor<f32>
    %19 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["reduction", "reduction"]} ins(%16 : tensor<9x6xf32>) outs(%18 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    %20 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%19 : tensor<f32>) outs(%17 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.divf %in, %cst_4 : f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    return %20 : tensor<f32>
  }
}
