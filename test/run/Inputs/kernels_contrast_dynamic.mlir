#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?x5xf32>, %arg1: tensor<5x5xf32>) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0> : tensor<i64>
    %dim = tensor.dim %arg0, %c0 : tensor<?x5xf32>
    %0 = tensor.empty(%dim) : tensor<?x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x5xf32>) -> tensor<?x5xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<?x5xf32>, tensor<5x5xf32>) outs(%1 : tensor<?x5xf32>) -> tensor<?x5xf32>
    %3 = tensor.empty(%dim) : tensor<5x?xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<?x5xf32>) outs(%3 : tensor<5x?xf32>) permutation = [1, 0] 
    %4 = tensor.empty(%dim, %dim) : tensor<?x?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %6 = linalg.matmul ins(%2, %transposed : tensor<?x5xf32>, tensor<5x?xf32>) outs(%5 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %7 = tensor.empty(%dim) : tensor<?xi64>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%7 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %34 = linalg.index 0 : index
      %35 = arith.index_cast %34 : index to i64
      linalg.yield %35 : i64
    } -> tensor<?xi64>
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%7 : tensor<?xi64>) -> tensor<?xi64>
    %10 = tensor.empty(%dim) : tensor<?xf32>
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<?xf32>) -> tensor<?xf32>
    %12:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<?x?xf32>) outs(%11, %9 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_4: i64):
      %34 = linalg.index 1 : index
      %35 = arith.index_cast %34 : index to i64
      %36 = arith.maximumf %in, %out : f32
      %37 = arith.cmpf ogt, %in, %out : f32
      %38 = arith.select %37, %35, %out_4 : i64
      linalg.yield %36, %38 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded = tensor.expand_shape %12#0 [[0, 1]] output_shape [%dim, 1] : tensor<?xf32> into tensor<?x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %expanded : tensor<?x?xf32>, tensor<?x1xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %34 = arith.subf %in, %in_4 : f32
      linalg.yield %34 : f32
    } -> tensor<?x?xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<?x?xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.exp %in : f32
      linalg.yield %34 : f32
    } -> tensor<?x?xf32>
    %15 = tensor.empty(%dim) : tensor<?x1xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%14 : tensor<?x?xf32>) outs(%16 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<?x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<?x1xf32>) outs(%15 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.log %in : f32
      linalg.yield %34 : f32
    } -> tensor<?x1xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %18 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %34 = arith.subf %in, %in_4 : f32
      linalg.yield %34 : f32
    } -> tensor<?x?xf32>
    %20 = tensor.empty(%dim) : tensor<?xi1>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%8 : tensor<?xi64>) outs(%20 : tensor<?xi1>) {
    ^bb0(%in: i64, %out: i1):
      %34 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %34 : i1
    } -> tensor<?xi1>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map4, #map], iterator_types = ["parallel"]} ins(%21, %8, %cst_2 : tensor<?xi1>, tensor<?xi64>, tensor<i64>) outs(%7 : tensor<?xi64>) {
    ^bb0(%in: i1, %in_4: i64, %in_5: i64, %out: i64):
      %34 = arith.select %in, %in_4, %in_5 : i64
      linalg.yield %34 : i64
    } -> tensor<?xi64>
    %expanded_3 = tensor.expand_shape %22 [[0, 1]] output_shape [%dim, 1] : tensor<?xi64> into tensor<?x1xi64>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_3 : tensor<?x1xi64>) outs(%16 : tensor<?x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %34 = linalg.index 0 : index
      %35 = arith.index_cast %in : i64 to index
      %36 = arith.cmpi slt, %35, %dim : index
      cf.assert %36, "index must be smaller than dim size"
      %37 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %37, "index must be larger or equal to 0"
      %extracted = tensor.extract %19[%34, %35] : tensor<?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x1xf32>
    %collapsed = tensor.collapse_shape %23 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed : tensor<?xf32>) outs(%10 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.negf %in : f32
      linalg.yield %34 : f32
    } -> tensor<?xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map4, #map], iterator_types = ["parallel"]} ins(%21, %24, %cst_1 : tensor<?xi1>, tensor<?xf32>, tensor<f32>) outs(%10 : tensor<?xf32>) {
    ^bb0(%in: i1, %in_4: f32, %in_5: f32, %out: f32):
      %34 = arith.select %in, %in_4, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<?xf32>
    %26 = tensor.empty() : tensor<i64>
    %27 = linalg.fill ins(%c0_i64 : i64) outs(%26 : tensor<i64>) -> tensor<i64>
    %28 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction"]} ins(%21 : tensor<?xi1>) outs(%27 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %34 = arith.extui %in : i1 to i64
      %35 = arith.addi %34, %out : i64
      linalg.yield %35 : i64
    } -> tensor<i64>
    %29 = tensor.empty() : tensor<f32>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%28 : tensor<i64>) outs(%29 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %34 = arith.sitofp %in : i64 to f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    %31 = linalg.fill ins(%cst : f32) outs(%29 : tensor<f32>) -> tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction"]} ins(%25 : tensor<?xf32>) outs(%31 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %out : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%32, %30 : tensor<f32>, tensor<f32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %34 = arith.divf %in, %in_4 : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    return %33 : tensor<f32>
  }
}
