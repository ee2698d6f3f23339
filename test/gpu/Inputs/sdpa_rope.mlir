// torch-mlir of F.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True, enable_gqa=True), bf16, with
// rotated(x) = x * cos + torch.cat((-x[..., 8:], x[..., :8]), -1) * sin; q of 40 x 4 x 16, heads behind positions, k
// and v of 40 x 2 x 16, cos and sin of 40 x 16.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<1x40x4x16xbf16>, %arg1: tensor<1x40x2x16xbf16>, %arg2: tensor<1x40x2x16xbf16>, %arg3: tensor<40x16xbf16>, %arg4: tensor<40x16xbf16>) -> tensor<1x40x4x16xbf16> {
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
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %arg3 : tensor<1x4x40x16xbf16>, tensor<40x16xbf16>) outs(%0 : tensor<1x4x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.mulf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x4x40x16xbf16>
    %extracted_slice = tensor.extract_slice %transposed[0, 0, 0, 8] [1, 4, 40, 8] [1, 1, 1, 1] : tensor<1x4x40x16xbf16> to tensor<1x4x40x8xbf16>
    %2 = tensor.empty() : tensor<1x4x40x8xbf16>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<1x4x40x8xbf16>) outs(%2 : tensor<1x4x40x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %59 = arith.negf %in : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x4x40x8xbf16>
    %extracted_slice_7 = tensor.extract_slice %transposed[0, 0, 0, 0] [1, 4, 40, 8] [1, 1, 1, 1] : tensor<1x4x40x16xbf16> to tensor<1x4x40x8xbf16>
    %concat = tensor.concat dim(3) %3, %extracted_slice_7 : (tensor<1x4x40x8xbf16>, tensor<1x4x40x8xbf16>) -> tensor<1x4x40x16xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg4 : tensor<1x4x40x16xbf16>, tensor<40x16xbf16>) outs(%0 : tensor<1x4x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.mulf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x4x40x16xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %4 : tensor<1x4x40x16xbf16>, tensor<1x4x40x16xbf16>) outs(%0 : tensor<1x4x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.addf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x4x40x16xbf16>
    %6 = tensor.empty() : tensor<1x2x40x16xbf16>
    %transposed_8 = linalg.transpose ins(%arg1 : tensor<1x40x2x16xbf16>) outs(%6 : tensor<1x2x40x16xbf16>) permutation = [0, 2, 1, 3] 
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8, %arg3 : tensor<1x2x40x16xbf16>, tensor<40x16xbf16>) outs(%6 : tensor<1x2x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.mulf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x2x40x16xbf16>
    %extracted_slice_9 = tensor.extract_slice %transposed_8[0, 0, 0, 8] [1, 2, 40, 8] [1, 1, 1, 1] : tensor<1x2x40x16xbf16> to tensor<1x2x40x8xbf16>
    %8 = tensor.empty() : tensor<1x2x40x8xbf16>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_9 : tensor<1x2x40x8xbf16>) outs(%8 : tensor<1x2x40x8xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %59 = arith.negf %in : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x2x40x8xbf16>
    %extracted_slice_10 = tensor.extract_slice %transposed_8[0, 0, 0, 0] [1, 2, 40, 8] [1, 1, 1, 1] : tensor<1x2x40x16xbf16> to tensor<1x2x40x8xbf16>
    %concat_11 = tensor.concat dim(3) %9, %extracted_slice_10 : (tensor<1x2x40x8xbf16>, tensor<1x2x40x8xbf16>) -> tensor<1x2x40x16xbf16>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_11, %arg4 : tensor<1x2x40x16xbf16>, tensor<40x16xbf16>) outs(%6 : tensor<1x2x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.mulf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x2x40x16xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %10 : tensor<1x2x40x16xbf16>, tensor<1x2x40x16xbf16>) outs(%6 : tensor<1x2x40x16xbf16>) {
    ^bb0(%in: bf16, %in_23: bf16, %out: bf16):
      %59 = arith.addf %in, %in_23 : bf16
      linalg.yield %59 : bf16
    } -> tensor<1x2x40x16xbf16>
    %transposed_12 = linalg.transpose ins(%arg2 : tensor<1x40x2x16xbf16>) outs(%6 : tensor<1x2x40x16xbf16>) permutation = [0, 2, 1, 3] 
    %12 = tensor.empty() : tensor<1x4x40x16xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x4x40x16xbf16>) outs(%12 : tensor<1x4x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %59 = arith.extf %in : bf16 to f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x16xf32>
    %14 = tensor.empty() : tensor<1x2x40x16xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x2x40x16xbf16>) outs(%14 : tensor<1x2x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %59 = arith.extf %in : bf16 to f32
      linalg.yield %59 : f32
    } -> tensor<1x2x40x16xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_12 : tensor<1x2x40x16xbf16>) outs(%14 : tensor<1x2x40x16xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %59 = arith.extf %in : bf16 to f32
      linalg.yield %59 : f32
    } -> tensor<1x2x40x16xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x4x40x16xf32>) outs(%12 : tensor<1x4x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.mulf %in, %cst_6 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x16xf32>
    %18 = tensor.empty() : tensor<40xi64>
    %19 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%18 : tensor<40xi64>) {
    ^bb0(%out: i64):
      %59 = linalg.index 0 : index
      %60 = arith.index_cast %59 : index to i64
      linalg.yield %60 : i64
    } -> tensor<40xi64>
    %expanded = tensor.expand_shape %19 [[0, 1]] output_shape [1, 40] : tensor<40xi64> into tensor<1x40xi64>
    %expanded_13 = tensor.expand_shape %19 [[0, 1]] output_shape [40, 1] : tensor<40xi64> into tensor<40x1xi64>
    %20 = tensor.empty() : tensor<40x40xi64>
    %21 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel"]} ins(%expanded, %expanded_13 : tensor<1x40xi64>, tensor<40x1xi64>) outs(%20 : tensor<40x40xi64>) {
    ^bb0(%in: i64, %in_23: i64, %out: i64):
      %59 = arith.subi %in, %in_23 : i64
      linalg.yield %59 : i64
    } -> tensor<40x40xi64>
    %22 = tensor.empty() : tensor<40x40xi1>
    %23 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<40x40xi64>) outs(%22 : tensor<40x40xi1>) {
    ^bb0(%in: i64, %out: i1):
      %59 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %59 : i1
    } -> tensor<40x40xi1>
    %24 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%23, %cst_4 : tensor<40x40xi1>, tensor<40x40xi1>) outs(%22 : tensor<40x40xi1>) {
    ^bb0(%in: i1, %in_23: i1, %out: i1):
      %59 = arith.andi %in, %in_23 : i1
      linalg.yield %59 : i1
    } -> tensor<40x40xi1>
    %25 = tensor.empty() : tensor<40x40xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map6, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%24, %cst_2, %cst_3 : tensor<40x40xi1>, tensor<f32>, tensor<f32>) outs(%25 : tensor<40x40xf32>) {
    ^bb0(%in: i1, %in_23: f32, %in_24: f32, %out: f32):
      %59 = arith.select %in, %in_23, %in_24 : f32
      linalg.yield %59 : f32
    } -> tensor<40x40xf32>
    %27 = tensor.empty() : tensor<1x2x2x40x16xf32>
    %28 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x2x40x16xf32>) outs(%27 : tensor<1x2x2x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x40x16xf32>
    %collapsed = tensor.collapse_shape %28 [[0], [1, 2], [3], [4]] : tensor<1x2x2x40x16xf32> into tensor<1x4x40x16xf32>
    %29 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<1x2x40x16xf32>) outs(%27 : tensor<1x2x2x40x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x2x40x16xf32>
    %30 = tensor.empty() : tensor<1x4x16x40xf32>
    %transposed_14 = linalg.transpose ins(%collapsed : tensor<1x4x40x16xf32>) outs(%30 : tensor<1x4x16x40xf32>) permutation = [0, 1, 3, 2] 
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_14 : tensor<1x4x16x40xf32>) outs(%30 : tensor<1x4x16x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.mulf %in, %cst_6 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x16x40xf32>
    %collapsed_15 = tensor.collapse_shape %17 [[0, 1], [2], [3]] : tensor<1x4x40x16xf32> into tensor<4x40x16xf32>
    %collapsed_16 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<1x4x16x40xf32> into tensor<4x16x40xf32>
    %32 = tensor.empty() : tensor<4x40x40xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %34 = linalg.batch_matmul ins(%collapsed_15, %collapsed_16 : tensor<4x40x16xf32>, tensor<4x16x40xf32>) outs(%33 : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
    %expanded_17 = tensor.expand_shape %34 [[0, 1], [2], [3]] output_shape [1, 4, 40, 40] : tensor<4x40x40xf32> into tensor<1x4x40x40xf32>
    %35 = tensor.empty() : tensor<1x4x40x40xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_17, %26 : tensor<1x4x40x40xf32>, tensor<40x40xf32>) outs(%35 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %59 = arith.addf %in, %in_23 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x40xf32>
    %37 = tensor.empty() : tensor<1x4x40xi64>
    %38 = linalg.fill ins(%c0_i64 : i64) outs(%37 : tensor<1x4x40xi64>) -> tensor<1x4x40xi64>
    %39 = tensor.empty() : tensor<1x4x40xf32>
    %40 = linalg.fill ins(%cst_0 : f32) outs(%39 : tensor<1x4x40xf32>) -> tensor<1x4x40xf32>
    %41:2 = linalg.generic {indexing_maps = [#map, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<1x4x40x40xf32>) outs(%40, %38 : tensor<1x4x40xf32>, tensor<1x4x40xi64>) {
    ^bb0(%in: f32, %out: f32, %out_23: i64):
      %59 = linalg.index 3 : index
      %60 = arith.index_cast %59 : index to i64
      %61 = arith.maximumf %in, %out : f32
      %62 = arith.cmpf ogt, %in, %out : f32
      %63 = arith.select %62, %60, %out_23 : i64
      linalg.yield %61, %63 : f32, i64
    } -> (tensor<1x4x40xf32>, tensor<1x4x40xi64>)
    %expanded_18 = tensor.expand_shape %41#0 [[0], [1], [2, 3]] output_shape [1, 4, 40, 1] : tensor<1x4x40xf32> into tensor<1x4x40x1xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %expanded_18 : tensor<1x4x40x40xf32>, tensor<1x4x40x1xf32>) outs(%35 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %59 = arith.subf %in, %in_23 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x40xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42 : tensor<1x4x40x40xf32>) outs(%35 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = math.exp %in : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x40xf32>
    %44 = tensor.empty() : tensor<1x4x40x1xf32>
    %45 = linalg.fill ins(%cst : f32) outs(%44 : tensor<1x4x40x1xf32>) -> tensor<1x4x40x1xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%43 : tensor<1x4x40x40xf32>) outs(%45 : tensor<1x4x40x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.addf %in, %out : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x1xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map10, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %46 : tensor<1x4x40x40xf32>, tensor<1x4x40x1xf32>) outs(%35 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: f32, %in_23: f32, %out: f32):
      %59 = arith.divf %in, %in_23 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x40xf32>
    %48 = tensor.empty() : tensor<1x4x40x40xi1>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<1x4x40x40xf32>) outs(%48 : tensor<1x4x40x40xi1>) {
    ^bb0(%in: f32, %out: i1):
      %59 = arith.extf %in : f32 to f64
      %60 = arith.cmpf oeq, %59, %cst_5 : f64
      linalg.yield %60 : i1
    } -> tensor<1x4x40x40xi1>
    %50 = tensor.empty() : tensor<1x4x40x1xi1>
    %51 = linalg.fill ins(%true : i1) outs(%50 : tensor<1x4x40x1xi1>) -> tensor<1x4x40x1xi1>
    %52 = linalg.generic {indexing_maps = [#map, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<1x4x40x40xi1>) outs(%51 : tensor<1x4x40x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %59 = arith.andi %in, %out : i1
      linalg.yield %59 : i1
    } -> tensor<1x4x40x1xi1>
    %53 = linalg.generic {indexing_maps = [#map10, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %cst_1, %47 : tensor<1x4x40x1xi1>, tensor<1x4x40x40xf32>, tensor<1x4x40x40xf32>) outs(%35 : tensor<1x4x40x40xf32>) {
    ^bb0(%in: i1, %in_23: f32, %in_24: f32, %out: f32):
      %59 = arith.select %in, %in_23, %in_24 : f32
      linalg.yield %59 : f32
    } -> tensor<1x4x40x40xf32>
    %collapsed_19 = tensor.collapse_shape %53 [[0, 1], [2], [3]] : tensor<1x4x40x40xf32> into tensor<4x40x40xf32>
    %collapsed_20 = tensor.collapse_shape %29 [[0, 1, 2], [3], [4]] : tensor<1x2x2x40x16xf32> into tensor<4x40x16xf32>
    %54 = tensor.empty() : tensor<4x40x16xf32>
    %55 = linalg.fill ins(%cst : f32) outs(%54 : tensor<4x40x16xf32>) -> tensor<4x40x16xf32>
    %56 = linalg.batch_matmul ins(%collapsed_19, %collapsed_20 : tensor<4x40x40xf32>, tensor<4x40x16xf32>) outs(%55 : tensor<4x40x16xf32>) -> tensor<4x40x16xf32>
    %expanded_21 = tensor.expand_shape %56 [[0, 1], [2], [3]] output_shape [1, 4, 40, 16] : tensor<4x40x16xf32> into tensor<1x4x40x16xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<1x4x40x16xf32>) outs(%0 : tensor<1x4x40x16xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %59 = arith.truncf %in : f32 to bf16
      linalg.yield %59 : bf16
    } -> tensor<1x4x40x16xbf16>
    %58 = tensor.empty() : tensor<1x40x4x16xbf16>
    %transposed_22 = linalg.transpose ins(%57 : tensor<1x4x40x16xbf16>) outs(%58 : tensor<1x40x4x16xbf16>) permutation = [0, 2, 1, 3] 
    return %transposed_22 : tensor<1x40x4x16xbf16>
  }
}
