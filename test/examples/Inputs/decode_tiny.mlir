#map = affine_map<(d0, d1) -> (0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> (0)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (0, d2)>
#map8 = affine_map<(d0, d1) -> (0, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d2)>
#map10 = affine_map<(d0, d1, d2) -> ()>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map12 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map13 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<1xi64>, %arg1: tensor<1xi64>, %arg2: tensor<128x2x2x2x16xf32>, %arg3: tensor<96x64xf32>, %arg4: tensor<128x8xf32>, %arg5: tensor<128x8xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64x64xf32>, %arg8: tensor<32x64xf32>, %arg9: tensor<32x64xf32>, %arg10: tensor<64x64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<128x64xf32>, %arg13: tensor<128x64xf32>, %arg14: tensor<64x128xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64x64xf32>, %arg17: tensor<32x64xf32>, %arg18: tensor<32x64xf32>, %arg19: tensor<64x64xf32>, %arg20: tensor<64xf32>, %arg21: tensor<128x64xf32>, %arg22: tensor<128x64xf32>, %arg23: tensor<64x128xf32>, %arg24: tensor<64xf32>, %arg25: tensor<96x64xf32>) -> (tensor<1xi64>, tensor<2x2x2x16xf32>) {
    %c2_i64 = arith.constant 2 : i64
    %c128_i64 = arith.constant 128 : i64
    %c0_i64 = arith.constant 0 : i64
    %c96_i64 = arith.constant 96 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant 6.400000e+01 : f32
    %cst_5 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<1x64xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<1xi64>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: i64, %out: f32):
      %146 = arith.cmpi slt, %in, %c0_i64 : i64
      %147 = arith.addi %in, %c96_i64 : i64
      %148 = arith.select %146, %147, %in : i64
      %149 = arith.index_cast %148 : i64 to index
      %150 = linalg.index 1 : index
      %extracted = tensor.extract %arg3[%149, %150] : tensor<96x64xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x64xf32>
    %2 = tensor.empty() : tensor<1x8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<1xi64>) outs(%2 : tensor<1x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %146 = arith.cmpi slt, %in, %c0_i64 : i64
      %147 = arith.addi %in, %c128_i64 : i64
      %148 = arith.select %146, %147, %in : i64
      %149 = arith.index_cast %148 : i64 to index
      %150 = linalg.index 1 : index
      %extracted = tensor.extract %arg4[%149, %150] : tensor<128x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<1xi64>) outs(%2 : tensor<1x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %146 = arith.cmpi slt, %in, %c0_i64 : i64
      %147 = arith.addi %in, %c128_i64 : i64
      %148 = arith.select %146, %147, %in : i64
      %149 = arith.index_cast %148 : i64 to index
      %150 = linalg.index 1 : index
      %extracted = tensor.extract %arg5[%149, %150] : tensor<128x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x8xf32>
    %5 = tensor.empty() : tensor<129xi64>
    %6 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%5 : tensor<129xi64>) {
    ^bb0(%out: i64):
      %146 = linalg.index 0 : index
      %147 = arith.index_cast %146 : index to i64
      linalg.yield %147 : i64
    } -> tensor<129xi64>
    %7 = tensor.empty() : tensor<129xi1>
    %8 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel"]} ins(%6, %arg1 : tensor<129xi64>, tensor<1xi64>) outs(%7 : tensor<129xi1>) {
    ^bb0(%in: i64, %in_76: i64, %out: i1):
      %146 = arith.cmpi slt, %in, %in_76 : i64
      linalg.yield %146 : i1
    } -> tensor<129xi1>
    %9 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%6 : tensor<129xi64>) outs(%7 : tensor<129xi1>) {
    ^bb0(%in: i64, %out: i1):
      %146 = arith.cmpi eq, %in, %c128_i64 : i64
      linalg.yield %146 : i1
    } -> tensor<129xi1>
    %10 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%8, %9 : tensor<129xi1>, tensor<129xi1>) outs(%7 : tensor<129xi1>) {
    ^bb0(%in: i1, %in_76: i1, %out: i1):
      %146 = arith.ori %in, %in_76 : i1
      linalg.yield %146 : i1
    } -> tensor<129xi1>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %12 = tensor.empty() : tensor<1x1xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<1x64xf32>) outs(%13 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.divf %in, %cst_4 : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.truncf %cst_3 : f64 to f32
      %147 = arith.addf %in, %146 : f32
      linalg.yield %147 : f32
    } -> tensor<1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.rsqrt %in : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %17 : tensor<1x64xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %arg6 : tensor<1x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %20 = tensor.empty() : tensor<64x64xf32>
    %transposed = linalg.transpose ins(%arg7 : tensor<64x64xf32>) outs(%20 : tensor<64x64xf32>) permutation = [1, 0] 
    %21 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %22 = linalg.matmul ins(%19, %transposed : tensor<1x64xf32>, tensor<64x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %collapsed = tensor.collapse_shape %22 [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
    %expanded = tensor.expand_shape %collapsed [[0, 1, 2]] output_shape [2, 2, 16] : tensor<64xf32> into tensor<2x2x16xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 2, 8] [1, 1, 1] : tensor<2x2x16xf32> to tensor<2x2x8xf32>
    %extracted_slice_6 = tensor.extract_slice %expanded[0, 0, 8] [2, 2, 8] [1, 1, 1] : tensor<2x2x16xf32> to tensor<2x2x8xf32>
    %23 = tensor.empty() : tensor<2x2x8xf32>
    %24 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %3 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %25 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_6, %4 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %26 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %25 : tensor<2x2x8xf32>, tensor<2x2x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_6, %3 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %4 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %28 : tensor<2x2x8xf32>, tensor<2x2x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %concat = tensor.concat dim(2) %26, %29 : (tensor<2x2x8xf32>, tensor<2x2x8xf32>) -> tensor<2x2x16xf32>
    %30 = tensor.empty() : tensor<64x32xf32>
    %transposed_7 = linalg.transpose ins(%arg8 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %31 = tensor.empty() : tensor<1x32xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %33 = linalg.matmul ins(%19, %transposed_7 : tensor<1x64xf32>, tensor<64x32xf32>) outs(%32 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %collapsed_8 = tensor.collapse_shape %33 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %expanded_9 = tensor.expand_shape %collapsed_8 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %extracted_slice_10 = tensor.extract_slice %expanded_9[0, 0] [2, 8] [1, 1] : tensor<2x16xf32> to tensor<2x8xf32>
    %extracted_slice_11 = tensor.extract_slice %expanded_9[0, 8] [2, 8] [1, 1] : tensor<2x16xf32> to tensor<2x8xf32>
    %34 = tensor.empty() : tensor<2x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_10, %3 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11, %4 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%35, %36 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11, %3 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_10, %4 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38, %39 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %concat_12 = tensor.concat dim(1) %37, %40 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
    %transposed_13 = linalg.transpose ins(%arg9 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %41 = linalg.matmul ins(%19, %transposed_13 : tensor<1x64xf32>, tensor<64x32xf32>) outs(%32 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %collapsed_14 = tensor.collapse_shape %41 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %expanded_15 = tensor.expand_shape %collapsed_14 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %concat_16 = tensor.concat dim(0) %concat_12, %expanded_15 : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
    %expanded_17 = tensor.expand_shape %concat_16 [[0, 1], [2]] output_shape [2, 2, 16] : tensor<4x16xf32> into tensor<2x2x16xf32>
    %extracted_slice_18 = tensor.extract_slice %arg2[0, 0, 0, 0, 0] [128, 1, 2, 2, 16] [1, 1, 1, 1, 1] : tensor<128x2x2x2x16xf32> to tensor<128x1x2x2x16xf32>
    %collapsed_19 = tensor.collapse_shape %extracted_slice_18 [[0, 1], [2], [3], [4]] : tensor<128x1x2x2x16xf32> into tensor<128x2x2x16xf32>
    %extracted_slice_20 = tensor.extract_slice %collapsed_19[0, 0, 0, 0] [128, 1, 2, 16] [1, 1, 1, 1] : tensor<128x2x2x16xf32> to tensor<128x1x2x16xf32>
    %collapsed_21 = tensor.collapse_shape %extracted_slice_20 [[0, 1], [2], [3]] : tensor<128x1x2x16xf32> into tensor<128x2x16xf32>
    %expanded_22 = tensor.expand_shape %concat_12 [[0, 1], [2]] output_shape [1, 2, 16] : tensor<2x16xf32> into tensor<1x2x16xf32>
    %concat_23 = tensor.concat dim(0) %collapsed_21, %expanded_22 : (tensor<128x2x16xf32>, tensor<1x2x16xf32>) -> tensor<129x2x16xf32>
    %extracted_slice_24 = tensor.extract_slice %collapsed_19[0, 1, 0, 0] [128, 1, 2, 16] [1, 1, 1, 1] : tensor<128x2x2x16xf32> to tensor<128x1x2x16xf32>
    %collapsed_25 = tensor.collapse_shape %extracted_slice_24 [[0, 1], [2], [3]] : tensor<128x1x2x16xf32> into tensor<128x2x16xf32>
    %expanded_26 = tensor.expand_shape %41 [[0], [1, 2]] output_shape [1, 2, 16] : tensor<1x32xf32> into tensor<1x2x16xf32>
    %concat_27 = tensor.concat dim(0) %collapsed_25, %expanded_26 : (tensor<128x2x16xf32>, tensor<1x2x16xf32>) -> tensor<129x2x16xf32>
    %42 = tensor.empty() : tensor<2x129x16xf32>
    %transposed_28 = linalg.transpose ins(%concat_27 : tensor<129x2x16xf32>) outs(%42 : tensor<2x129x16xf32>) permutation = [1, 0, 2] 
    %43 = tensor.empty() : tensor<2x16x129xf32>
    %transposed_29 = linalg.transpose ins(%concat_23 : tensor<129x2x16xf32>) outs(%43 : tensor<2x16x129xf32>) permutation = [1, 2, 0] 
    %44 = tensor.empty() : tensor<2x2x129xf32>
    %45 = linalg.fill ins(%cst : f32) outs(%44 : tensor<2x2x129xf32>) -> tensor<2x2x129xf32>
    %46 = linalg.batch_matmul ins(%concat, %transposed_29 : tensor<2x2x16xf32>, tensor<2x16x129xf32>) outs(%45 : tensor<2x2x129xf32>) -> tensor<2x2x129xf32>
    %47 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<2x2x129xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.mulf %in, %cst_5 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %48 = linalg.generic {indexing_maps = [#map9, #map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %47, %cst_2 : tensor<129xi1>, tensor<2x2x129xf32>, tensor<f32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: i1, %in_76: f32, %in_77: f32, %out: f32):
      %146 = arith.select %in, %in_76, %in_77 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %49 = tensor.empty() : tensor<2x2xi64>
    %50 = linalg.fill ins(%c0_i64 : i64) outs(%49 : tensor<2x2xi64>) -> tensor<2x2xi64>
    %51 = tensor.empty() : tensor<2x2xf32>
    %52 = linalg.fill ins(%cst_0 : f32) outs(%51 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %53:2 = linalg.generic {indexing_maps = [#map6, #map11, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%48 : tensor<2x2x129xf32>) outs(%52, %50 : tensor<2x2xf32>, tensor<2x2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_76: i64):
      %146 = linalg.index 2 : index
      %147 = arith.index_cast %146 : index to i64
      %148 = arith.maximumf %in, %out : f32
      %149 = arith.cmpf ogt, %in, %out : f32
      %150 = arith.select %149, %147, %out_76 : i64
      linalg.yield %148, %150 : f32, i64
    } -> (tensor<2x2xf32>, tensor<2x2xi64>)
    %expanded_30 = tensor.expand_shape %53#0 [[0], [1, 2]] output_shape [2, 2, 1] : tensor<2x2xf32> into tensor<2x2x1xf32>
    %54 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %expanded_30 : tensor<2x2x129xf32>, tensor<2x2x1xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %55 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54 : tensor<2x2x129xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.exp %in : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %56 = tensor.empty() : tensor<2x2x1xf32>
    %57 = linalg.fill ins(%cst : f32) outs(%56 : tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %58 = linalg.generic {indexing_maps = [#map6, #map12], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<2x2x129xf32>) outs(%57 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x1xf32>
    %59 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %58 : tensor<2x2x129xf32>, tensor<2x2x1xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.divf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %60 = tensor.empty() : tensor<2x2x16xf32>
    %61 = linalg.fill ins(%cst : f32) outs(%60 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    %62 = linalg.batch_matmul ins(%59, %transposed_28 : tensor<2x2x129xf32>, tensor<2x129x16xf32>) outs(%61 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    %collapsed_31 = tensor.collapse_shape %62 [[0, 1, 2]] : tensor<2x2x16xf32> into tensor<64xf32>
    %expanded_32 = tensor.expand_shape %collapsed_31 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %transposed_33 = linalg.transpose ins(%arg10 : tensor<64x64xf32>) outs(%20 : tensor<64x64xf32>) permutation = [1, 0] 
    %63 = linalg.matmul ins(%expanded_32, %transposed_33 : tensor<1x64xf32>, tensor<64x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %63 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64 : tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%65 : tensor<1x64xf32>) outs(%13 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%66 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.divf %in, %cst_4 : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.truncf %cst_3 : f64 to f32
      %147 = arith.addf %in, %146 : f32
      linalg.yield %147 : f32
    } -> tensor<1x1xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%68 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.rsqrt %in : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%64, %69 : tensor<1x64xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%70, %arg11 : tensor<1x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %72 = tensor.empty() : tensor<64x128xf32>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<128x64xf32>) outs(%72 : tensor<64x128xf32>) permutation = [1, 0] 
    %73 = tensor.empty() : tensor<1x128xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %75 = linalg.matmul ins(%71, %transposed_34 : tensor<1x64xf32>, tensor<64x128xf32>) outs(%74 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%75 : tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.negf %in : f32
      %147 = math.exp %146 : f32
      %148 = arith.addf %147, %cst_1 : f32
      %149 = arith.divf %cst_1, %148 : f32
      linalg.yield %149 : f32
    } -> tensor<1x128xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%75, %76 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x128xf32>
    %transposed_35 = linalg.transpose ins(%arg13 : tensor<128x64xf32>) outs(%72 : tensor<64x128xf32>) permutation = [1, 0] 
    %78 = linalg.matmul ins(%71, %transposed_35 : tensor<1x64xf32>, tensor<64x128xf32>) outs(%74 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%77, %78 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x128xf32>
    %80 = tensor.empty() : tensor<128x64xf32>
    %transposed_36 = linalg.transpose ins(%arg14 : tensor<64x128xf32>) outs(%80 : tensor<128x64xf32>) permutation = [1, 0] 
    %81 = linalg.matmul ins(%79, %transposed_36 : tensor<1x128xf32>, tensor<128x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64, %81 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%82 : tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%83 : tensor<1x64xf32>) outs(%13 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%84 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.divf %in, %cst_4 : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%85 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.truncf %cst_3 : f64 to f32
      %147 = arith.addf %in, %146 : f32
      linalg.yield %147 : f32
    } -> tensor<1x1xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%86 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.rsqrt %in : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%82, %87 : tensor<1x64xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%88, %arg15 : tensor<1x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %transposed_37 = linalg.transpose ins(%arg16 : tensor<64x64xf32>) outs(%20 : tensor<64x64xf32>) permutation = [1, 0] 
    %90 = linalg.matmul ins(%89, %transposed_37 : tensor<1x64xf32>, tensor<64x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %collapsed_38 = tensor.collapse_shape %90 [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
    %expanded_39 = tensor.expand_shape %collapsed_38 [[0, 1, 2]] output_shape [2, 2, 16] : tensor<64xf32> into tensor<2x2x16xf32>
    %extracted_slice_40 = tensor.extract_slice %expanded_39[0, 0, 0] [2, 2, 8] [1, 1, 1] : tensor<2x2x16xf32> to tensor<2x2x8xf32>
    %extracted_slice_41 = tensor.extract_slice %expanded_39[0, 0, 8] [2, 2, 8] [1, 1, 1] : tensor<2x2x16xf32> to tensor<2x2x8xf32>
    %91 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_40, %3 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %92 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_41, %4 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %93 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91, %92 : tensor<2x2x8xf32>, tensor<2x2x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %94 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_41, %3 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %95 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_40, %4 : tensor<2x2x8xf32>, tensor<1x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %96 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %95 : tensor<2x2x8xf32>, tensor<2x2x8xf32>) outs(%23 : tensor<2x2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x8xf32>
    %concat_42 = tensor.concat dim(2) %93, %96 : (tensor<2x2x8xf32>, tensor<2x2x8xf32>) -> tensor<2x2x16xf32>
    %transposed_43 = linalg.transpose ins(%arg17 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %97 = linalg.matmul ins(%89, %transposed_43 : tensor<1x64xf32>, tensor<64x32xf32>) outs(%32 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %collapsed_44 = tensor.collapse_shape %97 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %expanded_45 = tensor.expand_shape %collapsed_44 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %extracted_slice_46 = tensor.extract_slice %expanded_45[0, 0] [2, 8] [1, 1] : tensor<2x16xf32> to tensor<2x8xf32>
    %extracted_slice_47 = tensor.extract_slice %expanded_45[0, 8] [2, 8] [1, 1] : tensor<2x16xf32> to tensor<2x8xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_46, %3 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_47, %4 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%98, %99 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_47, %3 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_46, %4 : tensor<2x8xf32>, tensor<1x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%101, %102 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%34 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x8xf32>
    %concat_48 = tensor.concat dim(1) %100, %103 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
    %transposed_49 = linalg.transpose ins(%arg18 : tensor<32x64xf32>) outs(%30 : tensor<64x32xf32>) permutation = [1, 0] 
    %104 = linalg.matmul ins(%89, %transposed_49 : tensor<1x64xf32>, tensor<64x32xf32>) outs(%32 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %collapsed_50 = tensor.collapse_shape %104 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %expanded_51 = tensor.expand_shape %collapsed_50 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %concat_52 = tensor.concat dim(0) %concat_48, %expanded_51 : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
    %expanded_53 = tensor.expand_shape %concat_52 [[0, 1], [2]] output_shape [2, 2, 16] : tensor<4x16xf32> into tensor<2x2x16xf32>
    %extracted_slice_54 = tensor.extract_slice %arg2[0, 1, 0, 0, 0] [128, 1, 2, 2, 16] [1, 1, 1, 1, 1] : tensor<128x2x2x2x16xf32> to tensor<128x1x2x2x16xf32>
    %collapsed_55 = tensor.collapse_shape %extracted_slice_54 [[0, 1], [2], [3], [4]] : tensor<128x1x2x2x16xf32> into tensor<128x2x2x16xf32>
    %extracted_slice_56 = tensor.extract_slice %collapsed_55[0, 0, 0, 0] [128, 1, 2, 16] [1, 1, 1, 1] : tensor<128x2x2x16xf32> to tensor<128x1x2x16xf32>
    %collapsed_57 = tensor.collapse_shape %extracted_slice_56 [[0, 1], [2], [3]] : tensor<128x1x2x16xf32> into tensor<128x2x16xf32>
    %expanded_58 = tensor.expand_shape %concat_48 [[0, 1], [2]] output_shape [1, 2, 16] : tensor<2x16xf32> into tensor<1x2x16xf32>
    %concat_59 = tensor.concat dim(0) %collapsed_57, %expanded_58 : (tensor<128x2x16xf32>, tensor<1x2x16xf32>) -> tensor<129x2x16xf32>
    %extracted_slice_60 = tensor.extract_slice %collapsed_55[0, 1, 0, 0] [128, 1, 2, 16] [1, 1, 1, 1] : tensor<128x2x2x16xf32> to tensor<128x1x2x16xf32>
    %collapsed_61 = tensor.collapse_shape %extracted_slice_60 [[0, 1], [2], [3]] : tensor<128x1x2x16xf32> into tensor<128x2x16xf32>
    %expanded_62 = tensor.expand_shape %104 [[0], [1, 2]] output_shape [1, 2, 16] : tensor<1x32xf32> into tensor<1x2x16xf32>
    %concat_63 = tensor.concat dim(0) %collapsed_61, %expanded_62 : (tensor<128x2x16xf32>, tensor<1x2x16xf32>) -> tensor<129x2x16xf32>
    %transposed_64 = linalg.transpose ins(%concat_63 : tensor<129x2x16xf32>) outs(%42 : tensor<2x129x16xf32>) permutation = [1, 0, 2] 
    %transposed_65 = linalg.transpose ins(%concat_59 : tensor<129x2x16xf32>) outs(%43 : tensor<2x16x129xf32>) permutation = [1, 2, 0] 
    %105 = linalg.batch_matmul ins(%concat_42, %transposed_65 : tensor<2x2x16xf32>, tensor<2x16x129xf32>) outs(%45 : tensor<2x2x129xf32>) -> tensor<2x2x129xf32>
    %106 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<2x2x129xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.mulf %in, %cst_5 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %107 = linalg.generic {indexing_maps = [#map9, #map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %106, %cst_2 : tensor<129xi1>, tensor<2x2x129xf32>, tensor<f32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: i1, %in_76: f32, %in_77: f32, %out: f32):
      %146 = arith.select %in, %in_76, %in_77 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %108:2 = linalg.generic {indexing_maps = [#map6, #map11, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%107 : tensor<2x2x129xf32>) outs(%52, %50 : tensor<2x2xf32>, tensor<2x2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_76: i64):
      %146 = linalg.index 2 : index
      %147 = arith.index_cast %146 : index to i64
      %148 = arith.maximumf %in, %out : f32
      %149 = arith.cmpf ogt, %in, %out : f32
      %150 = arith.select %149, %147, %out_76 : i64
      linalg.yield %148, %150 : f32, i64
    } -> (tensor<2x2xf32>, tensor<2x2xi64>)
    %expanded_66 = tensor.expand_shape %108#0 [[0], [1, 2]] output_shape [2, 2, 1] : tensor<2x2xf32> into tensor<2x2x1xf32>
    %109 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107, %expanded_66 : tensor<2x2x129xf32>, tensor<2x2x1xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.subf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %110 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109 : tensor<2x2x129xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.exp %in : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %111 = linalg.generic {indexing_maps = [#map6, #map12], iterator_types = ["parallel", "parallel", "reduction"]} ins(%110 : tensor<2x2x129xf32>) outs(%57 : tensor<2x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x1xf32>
    %112 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %111 : tensor<2x2x129xf32>, tensor<2x2x1xf32>) outs(%44 : tensor<2x2x129xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.divf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<2x2x129xf32>
    %113 = linalg.batch_matmul ins(%112, %transposed_64 : tensor<2x2x129xf32>, tensor<2x129x16xf32>) outs(%61 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
    %collapsed_67 = tensor.collapse_shape %113 [[0, 1, 2]] : tensor<2x2x16xf32> into tensor<64xf32>
    %expanded_68 = tensor.expand_shape %collapsed_67 [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
    %transposed_69 = linalg.transpose ins(%arg19 : tensor<64x64xf32>) outs(%20 : tensor<64x64xf32>) permutation = [1, 0] 
    %114 = linalg.matmul ins(%expanded_68, %transposed_69 : tensor<1x64xf32>, tensor<64x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%82, %114 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %116 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115 : tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%116 : tensor<1x64xf32>) outs(%13 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %118 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%117 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.divf %in, %cst_4 : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %119 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%118 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.truncf %cst_3 : f64 to f32
      %147 = arith.addf %in, %146 : f32
      linalg.yield %147 : f32
    } -> tensor<1x1xf32>
    %120 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%119 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.rsqrt %in : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %121 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%115, %120 : tensor<1x64xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %122 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%121, %arg20 : tensor<1x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %transposed_70 = linalg.transpose ins(%arg21 : tensor<128x64xf32>) outs(%72 : tensor<64x128xf32>) permutation = [1, 0] 
    %123 = linalg.matmul ins(%122, %transposed_70 : tensor<1x64xf32>, tensor<64x128xf32>) outs(%74 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %124 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%123 : tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.negf %in : f32
      %147 = math.exp %146 : f32
      %148 = arith.addf %147, %cst_1 : f32
      %149 = arith.divf %cst_1, %148 : f32
      linalg.yield %149 : f32
    } -> tensor<1x128xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%123, %124 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x128xf32>
    %transposed_71 = linalg.transpose ins(%arg22 : tensor<128x64xf32>) outs(%72 : tensor<64x128xf32>) permutation = [1, 0] 
    %126 = linalg.matmul ins(%122, %transposed_71 : tensor<1x64xf32>, tensor<64x128xf32>) outs(%74 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125, %126 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%73 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x128xf32>
    %transposed_72 = linalg.transpose ins(%arg23 : tensor<64x128xf32>) outs(%80 : tensor<128x64xf32>) permutation = [1, 0] 
    %128 = linalg.matmul ins(%127, %transposed_72 : tensor<1x128xf32>, tensor<128x64xf32>) outs(%21 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115, %128 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.addf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %130 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%129 : tensor<1x64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %131 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%130 : tensor<1x64xf32>) outs(%13 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.addf %in, %out : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %132 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%131 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.divf %in, %cst_4 : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %133 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%132 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = arith.truncf %cst_3 : f64 to f32
      %147 = arith.addf %in, %146 : f32
      linalg.yield %147 : f32
    } -> tensor<1x1xf32>
    %134 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%133 : tensor<1x1xf32>) outs(%12 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %146 = math.rsqrt %in : f32
      linalg.yield %146 : f32
    } -> tensor<1x1xf32>
    %135 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%129, %134 : tensor<1x64xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %136 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%135, %arg24 : tensor<1x64xf32>, tensor<64xf32>) outs(%0 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_76: f32, %out: f32):
      %146 = arith.mulf %in, %in_76 : f32
      linalg.yield %146 : f32
    } -> tensor<1x64xf32>
    %137 = tensor.empty() : tensor<64x96xf32>
    %transposed_73 = linalg.transpose ins(%arg25 : tensor<96x64xf32>) outs(%137 : tensor<64x96xf32>) permutation = [1, 0] 
    %138 = tensor.empty() : tensor<1x96xf32>
    %139 = linalg.fill ins(%cst : f32) outs(%138 : tensor<1x96xf32>) -> tensor<1x96xf32>
    %140 = linalg.matmul ins(%136, %transposed_73 : tensor<1x64xf32>, tensor<64x96xf32>) outs(%139 : tensor<1x96xf32>) -> tensor<1x96xf32>
    %141 = tensor.empty() : tensor<1xi64>
    %142 = linalg.fill ins(%c0_i64 : i64) outs(%141 : tensor<1xi64>) -> tensor<1xi64>
    %143 = tensor.empty() : tensor<1xf32>
    %144 = linalg.fill ins(%cst_0 : f32) outs(%143 : tensor<1xf32>) -> tensor<1xf32>
    %145:2 = linalg.generic {indexing_maps = [#map1, #map13, #map13], iterator_types = ["parallel", "reduction"]} ins(%140 : tensor<1x96xf32>) outs(%144, %142 : tensor<1xf32>, tensor<1xi64>) {
    ^bb0(%in: f32, %out: f32, %out_76: i64):
      %146 = linalg.index 1 : index
      %147 = arith.index_cast %146 : index to i64
      %148 = arith.maximumf %in, %out : f32
      %149 = arith.cmpf ogt, %in, %out : f32
      %150 = arith.select %149, %147, %out_76 : i64
      linalg.yield %148, %150 : f32, i64
    } -> (tensor<1xf32>, tensor<1xi64>)
    %concat_74 = tensor.concat dim(0) %expanded_17, %expanded_53 : (tensor<2x2x16xf32>, tensor<2x2x16xf32>) -> tensor<4x2x16xf32>
    %expanded_75 = tensor.expand_shape %concat_74 [[0, 1], [2], [3]] output_shape [2, 2, 2, 16] : tensor<4x2x16xf32> into tensor<2x2x2x16xf32>
    return %145#1, %expanded_75 : tensor<1xi64>, tensor<2x2x2x16xf32>
  }
}
