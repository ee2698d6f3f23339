#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?x5xf32>, %arg1: tensor<2x?xi64>, %arg2: tensor<5x6xf32>) -> tensor<f32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c6 = arith.constant 6 : index
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x5xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_3 = tensor.dim %arg1, %c1 : tensor<2x?xi64>
    %1 = arith.index_cast %dim_3 : index to i64
    %2 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %2, "negative values not allowed in new dimensions"
    %3 = tensor.empty(%dim) : tensor<?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_1 : tensor<f32>) outs(%3 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
    %extracted_slice = tensor.extract_slice %arg1[1, 0] [1, %dim_3] [1, 1] : tensor<2x?xi64> to tensor<1x?xi64>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x?xi64> into tensor<?xi64>
    %5 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %5, "negative values not allowed in new dimensions"
    %6 = tensor.empty(%dim_3) : tensor<?xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%cst_0 : tensor<f32>) outs(%6 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
    %8 = arith.maxsi %1, %c1_i64 : i64
    %9 = arith.index_cast %8 : i64 to index
    %10 = arith.cmpi sge, %8, %c0_i64 : i64
    cf.assert %10, "unimplemented: dynamic negative broadcast sizes"
    %11 = tensor.empty(%9) : tensor<?xf32>
    %12 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%11 : tensor<?xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %47 = arith.cmpi eq, %dim_3, %c1 : index
      %48 = arith.select %47, %c0, %46 : index
      %extracted = tensor.extract %7[%48] : tensor<?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?xf32>
    cf.assert %10, "unimplemented: dynamic negative broadcast sizes"
    %13 = tensor.empty(%9) : tensor<?xi64>
    %14 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%13 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %46 = linalg.index 0 : index
      %47 = arith.cmpi eq, %dim_3, %c1 : index
      %48 = arith.select %47, %c0, %46 : index
      %extracted = tensor.extract %collapsed[%48] : tensor<?xi64>
      linalg.yield %extracted : i64
    } -> tensor<?xi64>
    %expanded = tensor.expand_shape %14 [[0, 1]] output_shape [%9, 1] : tensor<?xi64> into tensor<?x1xi64>
    %expanded_4 = tensor.expand_shape %12 [[0, 1]] output_shape [%9, 1] : tensor<?xf32> into tensor<?x1xf32>
    %15 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%expanded_4, %expanded : tensor<?x1xf32>, tensor<?x1xi64>) outs(%4 : tensor<?xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %46 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %46 : f32
    } -> tensor<?xf32>
    %dim_5 = tensor.dim %15, %c0 : tensor<?xf32>
    %16 = tensor.empty(%dim_5) : tensor<?xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%15 : tensor<?xf32>) outs(%16 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.cmpf ult, %in, %cst_2 : f32
      %47 = arith.select %46, %cst_2, %in : f32
      linalg.yield %47 : f32
    } -> tensor<?xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%17 : tensor<?xf32>) outs(%16 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = math.rsqrt %in : f32
      linalg.yield %46 : f32
    } -> tensor<?xf32>
    %19 = tensor.empty(%dim) : tensor<?x6xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<?x6xf32>) -> tensor<?x6xf32>
    %21 = linalg.matmul ins(%arg0, %arg2 : tensor<?x5xf32>, tensor<5x6xf32>) outs(%20 : tensor<?x6xf32>) -> tensor<?x6xf32>
    %22 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %22, "negative values not allowed in new dimensions"
    %23 = tensor.empty(%dim) : tensor<?x6xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%23 : tensor<?x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x6xf32>
    %extracted_slice_6 = tensor.extract_slice %arg1[0, 0] [1, %dim_3] [1, 1] : tensor<2x?xi64> to tensor<1x?xi64>
    %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0, 1]] : tensor<1x?xi64> into tensor<?xi64>
    %dim_8 = tensor.dim %collapsed_7, %c0 : tensor<?xi64>
    %25 = tensor.empty(%dim_8) : tensor<?x6xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%collapsed_7 : tensor<?xi64>) outs(%25 : tensor<?x6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %46 = arith.cmpi slt, %in, %c0_i64 : i64
      %47 = arith.addi %in, %0 : i64
      %48 = arith.select %46, %47, %in : i64
      %49 = arith.index_cast %48 : i64 to index
      %50 = linalg.index 1 : index
      %extracted = tensor.extract %21[%49, %50] : tensor<?x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x6xf32>
    %27 = tensor.empty(%dim_8) : tensor<?xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%collapsed_7 : tensor<?xi64>) outs(%27 : tensor<?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %46 = arith.cmpi slt, %in, %c0_i64 : i64
      %47 = arith.index_cast %dim_5 : index to i64
      %48 = arith.addi %in, %47 : i64
      %49 = arith.select %46, %48, %in : i64
      %50 = arith.index_cast %49 : i64 to index
      %extracted = tensor.extract %18[%50] : tensor<?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?xf32>
    %dim_9 = tensor.dim %collapsed, %c0 : tensor<?xi64>
    %29 = tensor.empty(%dim_9) : tensor<?xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%collapsed : tensor<?xi64>) outs(%29 : tensor<?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %46 = arith.cmpi slt, %in, %c0_i64 : i64
      %47 = arith.index_cast %dim_5 : index to i64
      %48 = arith.addi %in, %47 : i64
      %49 = arith.select %46, %48, %in : i64
      %50 = arith.index_cast %49 : i64 to index
      %extracted = tensor.extract %18[%50] : tensor<?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?xf32>
    %31 = arith.cmpi eq, %dim_8, %dim_9 : index
    cf.assert %31, "mismatched size for broadcast"
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%28, %30 : tensor<?xf32>, tensor<?xf32>) outs(%27 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %46 = arith.mulf %in, %in_13 : f32
      linalg.yield %46 : f32
    } -> tensor<?xf32>
    %expanded_10 = tensor.expand_shape %32 [[0, 1]] output_shape [%dim_8, 1] : tensor<?xf32> into tensor<?x1xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%26, %expanded_10 : tensor<?x6xf32>, tensor<?x1xf32>) outs(%25 : tensor<?x6xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %46 = arith.mulf %in, %in_13 : f32
      linalg.yield %46 : f32
    } -> tensor<?x6xf32>
    cf.assert %10, "unimplemented: dynamic negative broadcast sizes"
    %34 = tensor.empty(%9) : tensor<?x6xf32>
    %35 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%34 : tensor<?x6xf32>) {
    ^bb0(%out: f32):
      %46 = linalg.index 0 : index
      %47 = linalg.index 1 : index
      %48 = arith.cmpi eq, %dim_8, %c1 : index
      %49 = arith.select %48, %c0, %46 : index
      %extracted = tensor.extract %33[%49, %47] : tensor<?x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x6xf32>
    cf.assert %10, "unimplemented: dynamic negative broadcast sizes"
    %expanded_11 = tensor.expand_shape %35 [[0], [1, 2]] output_shape [%9, 1, 6] : tensor<?x6xf32> into tensor<?x1x6xf32>
    %36 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%expanded_11, %expanded : tensor<?x1x6xf32>, tensor<?x1xi64>) outs(%24 : tensor<?x6xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %46 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %46 : f32
    } -> tensor<?x6xf32>
    %dim_12 = tensor.dim %36, %c0 : tensor<?x6xf32>
    %37 = tensor.empty(%dim_12) : tensor<?x6xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<?x6xf32>) outs(%37 : tensor<?x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.cmpf ugt, %in, %cst : f32
      %47 = arith.select %46, %in, %cst : f32
      linalg.yield %47 : f32
    } -> tensor<?x6xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%38, %38 : tensor<?x6xf32>, tensor<?x6xf32>) outs(%37 : tensor<?x6xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %46 = arith.mulf %in, %in_13 : f32
      linalg.yield %46 : f32
    } -> tensor<?x6xf32>
    %40 = tensor.empty() : tensor<f32>
    %41 = linalg.fill ins(%cst : f32) outs(%40 : tensor<f32>) -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["reduction", "reduction"]} ins(%39 : tensor<?x6xf32>) outs(%41 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.addf %in, %out : f32
      linalg.yield %46 : f32
    } -> tensor<f32>
    %43 = arith.muli %dim_12, %c6 : index
    %44 = arith.index_cast %43 : index to i64
    %45 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%42 : tensor<f32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.sitofp %44 : i64 to f32
      %47 = arith.divf %in, %46 : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    return %45 : tensor<f32>
  }
}
