#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<1x150x32xbf16>, %arg1: tensor<1x150x32xbf16>, %arg2: tensor<1x150x32xbf16>, %arg3: tensor<150x150xbf16>) -> tensor<1x2x150x16xbf16> {
    %c40_i64 = arith.constant 40 : i64
    %c0_i64 = arith.constant 0 : i64
    %c2_i64 = arith.constant 2 : i64
    %true = arith.constant true
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x2x150x150xf32>
    %cst_2 = arith.constant dense<0xFF80> : tensor<bf16>
    %cst_3 = arith.constant 0xFFF0000000000000 : f64
    %cst_4 = arith.constant 5.000000e-01 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [1, 150, 2, 16] : tensor<1x150x32xbf16> into tensor<1x150x2x16xbf16>
    %0 = tensor.empty() : tensor<1x2x150x16xbf16>
    %transposed = linalg.transpose ins(%expanded : tensor<1x150x2x16xbf16>) outs(%0 : tensor<1x2x150x16xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_5 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [1, 150, 2, 16] : tensor<1x150x32xbf16> into tensor<1x150x2x16xbf16>
    %transposed_6 = linalg.transpose ins(%expanded_5 : tensor<1x150x2x16xbf16>) outs(%0 : tensor<1x2x150x16xbf16>) permutation = [0, 2, 1, 3] 
    %expanded_7 = tensor.expand_shape %arg2 [[0], [1], [2, 3]] output_shape [1, 150, 2, 16] : tensor<1x150x32xbf16> into tensor<1x150x2x16xbf16>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<1x150x2x16xbf16>) outs(%0 : tensor<1x2x150x16xbf16>) permutation = [0, 2, 1, 3] 
    %1 = tensor.empty() : tensor<150xi64>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%1 : tensor<150xi64>) {
    ^bb0(%out: i64):
      %46 = linalg.index 0 : index
      %47 = arith.index_cast %46 : index to i64
      linalg.yield %47 : i64
    } -> tensor<150xi64>
    %expanded_9 = tensor.expand_shape %2 [[0, 1]] output_shape [1, 150] : tensor<150xi64> into tensor<1x150xi64>
    %expanded_10 = tensor.expand_shape %2 [[0, 1]] output_shape [150, 1] : tensor<150xi64> into tensor<150x1xi64>
    %3 = tensor.empty() : tensor<150x1xi64>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_10 : tensor<150x1xi64>) outs(%3 : tensor<150x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %46 = arith.subi %in, %c2_i64 : i64
      linalg.yield %46 : i64
    } -> tensor<150x1xi64>
    %5 = tensor.empty() : tensor<150x150xi1>
    %6 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_9, %4 : tensor<1x150xi64>, tensor<150x1xi64>) outs(%5 : tensor<150x150xi1>) {
    ^bb0(%in: i64, %in_18: i64, %out: i1):
      %46 = arith.cmpi sle, %in, %in_18 : i64
      linalg.yield %46 : i1
    } -> tensor<150x150xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_10 : tensor<150x1xi64>) outs(%3 : tensor<150x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %46 = arith.subi %in, %c40_i64 : i64
      linalg.yield %46 : i64
    } -> tensor<150x1xi64>
    %8 = linalg.generic {indexing_maps = [#map2, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_9, %7 : tensor<1x150xi64>, tensor<150x1xi64>) outs(%5 : tensor<150x150xi1>) {
    ^bb0(%in: i64, %in_18: i64, %out: i1):
      %46 = arith.cmpi sgt, %in, %in_18 : i64
      linalg.yield %46 : i1
    } -> tensor<150x150xi1>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %8 : tensor<150x150xi1>, tensor<150x150xi1>) outs(%5 : tensor<150x150xi1>) {
    ^bb0(%in: i1, %in_18: i1, %out: i1):
      %46 = arith.andi %in, %in_18 : i1
      linalg.yield %46 : i1
    } -> tensor<150x150xi1>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<150x150xi1>) outs(%5 : tensor<150x150xi1>) {
    ^bb0(%in: i1, %out: i1):
      %46 = arith.xori %in, %true : i1
      linalg.yield %46 : i1
    } -> tensor<150x150xi1>
    %11 = tensor.empty() : tensor<150x150xbf16>
    %12 = linalg.generic {indexing_maps = [#map1, #map4, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %cst_2, %arg3 : tensor<150x150xi1>, tensor<bf16>, tensor<150x150xbf16>) outs(%11 : tensor<150x150xbf16>) {
    ^bb0(%in: i1, %in_18: bf16, %in_19: bf16, %out: bf16):
      %46 = arith.select %in, %in_18, %in_19 : bf16
      linalg.yield %46 : bf16
    } -> tensor<150x150xbf16>
    %13 = tensor.empty() : tensor<1x2x150x16xf32>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x2x150x16xbf16>) outs(%13 : tensor<1x2x150x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %46 = arith.extf %in : bf16 to f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x16xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_6 : tensor<1x2x150x16xbf16>) outs(%13 : tensor<1x2x150x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %46 = arith.extf %in : bf16 to f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x16xf32>
    %16 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8 : tensor<1x2x150x16xbf16>) outs(%13 : tensor<1x2x150x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %46 = arith.extf %in : bf16 to f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x16xf32>
    %17 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<1x2x150x16xf32>) outs(%13 : tensor<1x2x150x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.mulf %in, %cst_4 : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x16xf32>
    %18 = tensor.empty() : tensor<1x2x16x150xf32>
    %transposed_11 = linalg.transpose ins(%15 : tensor<1x2x150x16xf32>) outs(%18 : tensor<1x2x16x150xf32>) permutation = [0, 1, 3, 2] 
    %19 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_11 : tensor<1x2x16x150xf32>) outs(%18 : tensor<1x2x16x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.mulf %in, %cst_4 : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x16x150xf32>
    %collapsed = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<1x2x150x16xf32> into tensor<2x150x16xf32>
    %collapsed_12 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<1x2x16x150xf32> into tensor<2x16x150xf32>
    %20 = tensor.empty() : tensor<2x150x150xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
    %22 = linalg.batch_matmul ins(%collapsed, %collapsed_12 : tensor<2x150x16xf32>, tensor<2x16x150xf32>) outs(%21 : tensor<2x150x150xf32>) -> tensor<2x150x150xf32>
    %expanded_13 = tensor.expand_shape %22 [[0, 1], [2], [3]] output_shape [1, 2, 150, 150] : tensor<2x150x150xf32> into tensor<1x2x150x150xf32>
    %23 = tensor.empty() : tensor<1x2x150x150xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13, %12 : tensor<1x2x150x150xf32>, tensor<150x150xbf16>) outs(%23 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_18: bf16, %out: f32):
      %46 = arith.extf %in_18 : bf16 to f32
      %47 = arith.addf %in, %46 : f32
      linalg.yield %47 : f32
    } -> tensor<1x2x150x150xf32>
    %25 = tensor.empty() : tensor<1x2x150xi64>
    %26 = linalg.fill ins(%c0_i64 : i64) outs(%25 : tensor<1x2x150xi64>) -> tensor<1x2x150xi64>
    %27 = tensor.empty() : tensor<1x2x150xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<1x2x150xf32>) -> tensor<1x2x150xf32>
    %29:2 = linalg.generic {indexing_maps = [#map5, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<1x2x150x150xf32>) outs(%28, %26 : tensor<1x2x150xf32>, tensor<1x2x150xi64>) {
    ^bb0(%in: f32, %out: f32, %out_18: i64):
      %46 = linalg.index 3 : index
      %47 = arith.index_cast %46 : index to i64
      %48 = arith.maximumf %in, %out : f32
      %49 = arith.cmpf ogt, %in, %out : f32
      %50 = arith.select %49, %47, %out_18 : i64
      linalg.yield %48, %50 : f32, i64
    } -> (tensor<1x2x150xf32>, tensor<1x2x150xi64>)
    %expanded_14 = tensor.expand_shape %29#0 [[0], [1], [2, 3]] output_shape [1, 2, 150, 1] : tensor<1x2x150xf32> into tensor<1x2x150x1xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %expanded_14 : tensor<1x2x150x150xf32>, tensor<1x2x150x1xf32>) outs(%23 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %46 = arith.subf %in, %in_18 : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x150xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<1x2x150x150xf32>) outs(%23 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = math.exp %in : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x150xf32>
    %32 = tensor.empty() : tensor<1x2x150x1xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<1x2x150x1xf32>) -> tensor<1x2x150x1xf32>
    %34 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<1x2x150x150xf32>) outs(%33 : tensor<1x2x150x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %46 = arith.addf %in, %out : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x1xf32>
    %35 = linalg.generic {indexing_maps = [#map5, #map8, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %34 : tensor<1x2x150x150xf32>, tensor<1x2x150x1xf32>) outs(%23 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %46 = arith.divf %in, %in_18 : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x150xf32>
    %36 = tensor.empty() : tensor<1x2x150x150xi1>
    %37 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<1x2x150x150xf32>) outs(%36 : tensor<1x2x150x150xi1>) {
    ^bb0(%in: f32, %out: i1):
      %46 = arith.extf %in : f32 to f64
      %47 = arith.cmpf oeq, %46, %cst_3 : f64
      linalg.yield %47 : i1
    } -> tensor<1x2x150x150xi1>
    %38 = tensor.empty() : tensor<1x2x150x1xi1>
    %39 = linalg.fill ins(%true : i1) outs(%38 : tensor<1x2x150x1xi1>) -> tensor<1x2x150x1xi1>
    %40 = linalg.generic {indexing_maps = [#map5, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%37 : tensor<1x2x150x150xi1>) outs(%39 : tensor<1x2x150x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %46 = arith.andi %in, %out : i1
      linalg.yield %46 : i1
    } -> tensor<1x2x150x1xi1>
    %41 = linalg.generic {indexing_maps = [#map8, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %cst_1, %35 : tensor<1x2x150x1xi1>, tensor<1x2x150x150xf32>, tensor<1x2x150x150xf32>) outs(%23 : tensor<1x2x150x150xf32>) {
    ^bb0(%in: i1, %in_18: f32, %in_19: f32, %out: f32):
      %46 = arith.select %in, %in_18, %in_19 : f32
      linalg.yield %46 : f32
    } -> tensor<1x2x150x150xf32>
    %collapsed_15 = tensor.collapse_shape %41 [[0, 1], [2], [3]] : tensor<1x2x150x150xf32> into tensor<2x150x150xf32>
    %collapsed_16 = tensor.collapse_shape %16 [[0, 1], [2], [3]] : tensor<1x2x150x16xf32> into tensor<2x150x16xf32>
    %42 = tensor.empty() : tensor<2x150x16xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<2x150x16xf32>) -> tensor<2x150x16xf32>
    %44 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<2x150x150xf32>, tensor<2x150x16xf32>) outs(%43 : tensor<2x150x16xf32>) -> tensor<2x150x16xf32>
    %expanded_17 = tensor.expand_shape %44 [[0, 1], [2], [3]] output_shape [1, 2, 150, 16] : tensor<2x150x16xf32> into tensor<1x2x150x16xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<1x2x150x16xf32>) outs(%0 : tensor<1x2x150x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %46 = arith.truncf %in : f32 to bf16
      linalg.yield %46 : bf16
    } -> tensor<1x2x150x16xbf16>
    return %45 : tensor<1x2x150x16xbf16>
  }
}

