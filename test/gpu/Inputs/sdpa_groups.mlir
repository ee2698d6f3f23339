// torch-mlir of F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True), bf16, q of 40 x 4 x 16, heads
// behind positions, k and v of 40 x 2 x 16.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<1x40x4x16xbf16>, %arg1: tensor<1x40x2x16xbf16>, %arg2: tensor<1x40x2x16xbf16>) -> tensor<1x40x4x16xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x4x40x40xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<true> : tensor<40x40xi1>
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %cst_6 = arith.constant 5.000000e-01 : f32
    %0 = tensor.empty() : tensor<1x4x40x16xbf16>
    %transposed = linalg.transpose ins(%arg0 : tensor<1x40x4x16xbf16>) outs(%0 : tensor<1x4x40x16xbf16>) permutation = [0, 2, 1, 3] 
    %1 = tensor.empty() : tensor<1x2x40x16xbf16>
    %transposed_7 = linalg.transpose ins(%arg1 : tensor<1x40x2x16xbf16>) outs(%1 : tensor<1x2x40x16xbf16>) permutation = [0, 2, 1, 3] 
    %transposed_8 = linalg.transpose ins(%arg2 : tensor<1x40x2x16xbf16>) outs(%1 : tensor<1x2x40x16xbf16>) permutation = [0, 2, 1, 3] 
    %2 = tensor.empty() : tensor<1x4x40x16xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x4x40x16xbf16>) outs(%2 : tensor<1x4x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %49 = arith.extf %in : bf16 to f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x16xf32>
    %4 = tensor.empty() : tensor<1x2x40x16xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_7 : tensor<1x2x40x16xbf16>) outs(%4 : tensor<1x2x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %49 = arith.extf %in : bf16 to f32
      linalg.yield %49 : f32
    } -> tensor<1x2x40x16xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8 : tensor<1x2x40x16xbf16>) outs(%4 : tensor<1x2x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %49 = arith.extf %in : bf16 to f32
      linalg.yield %49 : f32
    } -> tensor<1x2x40x16xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x4x40x16xf32>) outs(%2 : tensor<1x4x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.mulf %in, %cst_6 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x16xf32>
    %8 = tensor.empty() : tensor<40xi64>
    %9 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%8 : tensor<40xi64>) {
    ^bb0(%out: i64):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i64
      linalg.yield %50 : i64
    } -> tensor<40xi64>
    %expanded = tensor.expand_shape %9 [[0, 1]] output_shape [1, 40] : tensor<40xi64> into tensor<1x40xi64>
    %expanded_9 = tensor.expand_shape %9 [[0, 1]] output_shape [40, 1] : tensor<40xi64> into tensor<40x1xi64>
    %10 = tensor.empty() : tensor<40x40xi64>
    %11 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_9 : tensor<1x40xi64>, tensor<40x1xi64>) outs(%10 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %in_19: i64, %out: i64):
      %49 = arith.subi %in, %in_19 : i64
      linalg.yield %49 : i64
    } -> tensor<40x40xi64>
    %12 = tensor.empty() : tensor<40x40xi1>
    %13 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<40x40xi64>) outs(%12 : tensor<40x40xi1>) {
    ^bb0(%in: i64, %out: i1):
      %49 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %49 : i1
    } -> tensor<40x40xi1>
    %14 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_4 : tensor<40x40xi1>, tensor<40x40xi1>) outs(%12 : tensor<40x40xi1>) {
    ^bb0(%in: i1, %in_19: i1, %out: i1):
      %49 = arith.andi %in, %in_19 : i1
      linalg.yield %49 : i1
    } -> tensor<40x40xi1>
    %15 = tensor.empty() : tensor<40x40xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map5, #map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%14, %cst_2, %cst_3 : tensor<40x40xi1>, tensor<f32>, tensor<f32>) outs(%15 : tensor<40x40xf32>) {
    ^bb0(%in: i1, %in_19: f32, %in_20: f32, %out: f32):
      %49 = arith.select %in, %in_19, %in_20 : f32
      linalg.yield %49 : f32
    } -> tensor<40x40xf32>
    %17 = tensor.empty() : tensor<1x2x2x40x16xf32>
    %18 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x2x40x16xf32>) outs(%17 : tensor<1x2x2x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x40x16xf32>
    %collapsed = tensor.collapse_shape %18 [[0], [1, 2], [3], [4]] : tensor<1x2x2x40x16xf32> into tensor<1x4x40x16xf32>
    %19 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x2x40x16xf32>) outs(%17 : tensor<1x2x2x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x40x16xf32>
    %20 = tensor.empty() : tensor<1x4x16x40xf32>
    %transposed_10 = linalg.transpose ins(%collapsed : tensor<1x4x40x16xf32>) outs(%20 : tensor<1x4x16x40xf32>) permutation = [0, 1, 3, 2] 
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_10 : tensor<1x4x16x40xf32>) outs(%20 : tensor<1x4x16x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.mulf %in, %cst_6 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x16x40xf32>
    %collapsed_11 = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<1x4x40x16xf32> into tensor<4x40x16xf32>
    %collapsed_12 = tensor.collapse_shape %21 [[0, 1], [2], [3]] : tensor<1x4x16x40xf32> into tensor<4x16x40xf32>
    %22 = tensor.empty() : tensor<4x40x40xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %24 = linalg.batch_matmul ins(%collapsed_11, %collapsed_12 : tensor<4x40x16xf32>, tensor<4x16x40xf32>) outs(%23 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %expanded_13 = tensor.expand_shape %24 [[0, 1], [2], [3]] output_shape [1, 4, 40, 40] : tensor<4x40x40xf32> into tensor<1x4x40x40xf32>
    %25 = tensor.empty() : tensor<1x4x40x40xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map8, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_13, %16 : tensor<1x4x40x40xf32>, tensor<40x40xf32>) outs(%25 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %49 = arith.addf %in, %in_19 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x40xf32>
    %27 = tensor.empty() : tensor<1x4x40xi64>
    %28 = linalg.fill ins(%c0_i64 : i64) outs(%27 : tensor<1x4x40xi64>) -> tensor<1x4x40xi64>
    %29 = tensor.empty() : tensor<1x4x40xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<1x4x40xf32>) -> tensor<1x4x40xf32>
    %31:2 = linalg.generic {indexing_maps = [#map, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%26 : tensor<1x4x40x40xf32>) outs(%30, %28 : tensor<1x4x40xf32>, tensor<1x4x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_19: i64):
      %49 = linalg.index 3 : index
      %50 = arith.index_cast %49 : index to i64
      %51 = arith.maximumf %in, %out : f32
      %52 = arith.cmpf ogt, %in, %out : f32
      %53 = arith.select %52, %50, %out_19 : i64
      linalg.yield %51, %53 : f32, i64
    } -> (tensor<1x4x40xf32>, tensor<1x4x40xi64>)
    %expanded_14 = tensor.expand_shape %31#0 [[0], [1], [2, 3]] output_shape [1, 4, 40, 1] : tensor<1x4x40xf32> into tensor<1x4x40x1xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %expanded_14 : tensor<1x4x40x40xf32>, tensor<1x4x40x1xf32>) outs(%25 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %49 = arith.subf %in, %in_19 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x40xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<1x4x40x40xf32>) outs(%25 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = math.exp %in : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x40xf32>
    %34 = tensor.empty() : tensor<1x4x40x1xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<1x4x40x1xf32>) -> tensor<1x4x40x1xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<1x4x40x40xf32>) outs(%35 : tensor<1x4x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %in, %out : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x1xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %36 : tensor<1x4x40x40xf32>, tensor<1x4x40x1xf32>) outs(%25 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_19: f32, %out: f32):
      %49 = arith.divf %in, %in_19 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x40xf32>
    %38 = tensor.empty() : tensor<1x4x40x40xi1>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<1x4x40x40xf32>) outs(%38 : tensor<1x4x40x40xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.extf %in : f32 to f64
      %50 = arith.cmpf oeq, %49, %cst_5 : f64
      linalg.yield %50 : i1
    } -> tensor<1x4x40x40xi1>
    %40 = tensor.empty() : tensor<1x4x40x1xi1>
    %41 = linalg.fill ins(%true : i1) outs(%40 : tensor<1x4x40x1xi1>) -> tensor<1x4x40x1xi1>
    %42 = linalg.generic {indexing_maps = [#map, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%39 : tensor<1x4x40x40xi1>) outs(%41 : tensor<1x4x40x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %49 = arith.andi %in, %out : i1
      linalg.yield %49 : i1
    } -> tensor<1x4x40x1xi1>
    %43 = linalg.generic {indexing_maps = [#map10, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %cst_1, %37 : tensor<1x4x40x1xi1>, tensor<1x4x40x40xf32>, tensor<1x4x40x40xf32>) outs(%25 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: i1, %in_19: f32, %in_20: f32, %out: f32):
      %49 = arith.select %in, %in_19, %in_20 : f32
      linalg.yield %49 : f32
    } -> tensor<1x4x40x40xf32>
    %collapsed_15 = tensor.collapse_shape %43 [[0, 1], [2], [3]] : tensor<1x4x40x40xf32> into tensor<4x40x40xf32>
    %collapsed_16 = tensor.collapse_shape %19 [[0, 1, 2], [3], [4]] : tensor<1x2x2x40x16xf32> into tensor<4x40x16xf32>
    %44 = tensor.empty() : tensor<4x40x16xf32>
    %45 = linalg.fill ins(%cst : f32) outs(%44 : tensor<4x40x16xf32>) -> tensor<4x40x16xf32>
    %46 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<4x40x40xf32>, tensor<4x40x16xf32>) outs(%45 : tensor<4x40x16xf32>) -> tensor<4x40x16xf32>
    %expanded_17 = tensor.expand_shape %46 [[0, 1], [2], [3]] output_shape [1, 4, 40, 16] : tensor<4x40x16xf32> into tensor<1x4x40x16xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17 : tensor<1x4x40x16xf32>) outs(%0 : tensor<1x4x40x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %49 = arith.truncf %in : f32 to bf16
      linalg.yield %49 : bf16
    } -> tensor<1x4x40x16xbf16>
    %48 = tensor.empty() : tensor<1x40x4x16xbf16>
    %transposed_18 = linalg.transpose ins(%47 : tensor<1x4x40x16xbf16>) outs(%48 : tensor<1x40x4x16xbf16>) permutation = [0, 2, 1, 3] 
    return %transposed_18 : tensor<1x40x4x16xbf16>
  }
}

