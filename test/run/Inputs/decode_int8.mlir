// A decode step of one layer, 128 wide, with int8 weights and a scale for each column, and its head: by torch-mlir.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @main(%arg0: tensor<1x128xf32>, %arg1: tensor<1x32xf32>, %arg2: tensor<1x32xf32>,
          %arg3: tensor<128xf32>, %arg4: tensor<128x128xi8>, %arg5: tensor<128xf32>, %arg6: tensor<64x128xi8>,
          %arg7: tensor<64xf32>, %arg8: tensor<64x128xi8>, %arg9: tensor<64xf32>, %arg10: tensor<1x15x64xf32>,
          %arg11: tensor<1x15x64xf32>, %arg12: tensor<128x128xi8>, %arg13: tensor<128xf32>, %arg14: tensor<128xf32>,
          %arg15: tensor<192x128xi8>, %arg16: tensor<192xf32>, %arg17: tensor<192x128xi8>, %arg18: tensor<192xf32>,
          %arg19: tensor<128x192xi8>, %arg20: tensor<128xf32>, %arg21: tensor<128xf32>, %arg22: tensor<96x128xi8>,
          %arg23: tensor<96xf32>) -> tensor<1x96xf32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 1.280000e+02 : f32
    %cst_4 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x128xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0
          : tensor<1x128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %2 = tensor.empty() : tensor<1x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1
          : tensor<1x128xf32>) outs(%3 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %in, %out : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.divf %in, %cst_3 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.truncf %cst_2 : f64 to f32
      %101 = arith.addf %in, %100 : f32
      linalg.yield %101 : f32
    } -> tensor<1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.rsqrt %in : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0,
          %7 : tensor<1x128xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%8,
          %arg3 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %10 = tensor.empty() : tensor<128x128xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4
          : tensor<128x128xi8>) outs(%10 : tensor<128x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<128x128xf32>
    %transposed = linalg.transpose ins(%11 : tensor<128x128xf32>) outs(%10 : tensor<128x128xf32>) permutation = [1,
          0] 
    %12 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x128xf32>) -> tensor<1x128xf32>
    %13 = linalg.matmul ins(%9, %transposed : tensor<1x128xf32>, tensor<128x128xf32>) outs(%12
          : tensor<1x128xf32>) -> tensor<1x128xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%13,
          %arg5 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %expanded = tensor.expand_shape %14 [[0], [1, 2]] output_shape [1, 2, 64]
          : tensor<1x128xf32> into tensor<1x2x64xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [1, 2, 32] [1, 1, 1]
          : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %extracted_slice_5 = tensor.extract_slice %expanded[0, 0, 32] [1, 2, 32] [1, 1, 1]
          : tensor<1x2x64xf32> to tensor<1x2x32xf32>
    %15 = tensor.empty() : tensor<1x2x32xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice, %arg1 : tensor<1x2x32xf32>, tensor<1x32xf32>) outs(%15
          : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_5, %arg2 : tensor<1x2x32xf32>, tensor<1x32xf32>) outs(%15
          : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%16, %17 : tensor<1x2x32xf32>, tensor<1x2x32xf32>) outs(%15 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.subf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_5, %arg1 : tensor<1x2x32xf32>, tensor<1x32xf32>) outs(%15
          : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice, %arg2 : tensor<1x2x32xf32>, tensor<1x32xf32>) outs(%15
          : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%19, %20 : tensor<1x2x32xf32>, tensor<1x2x32xf32>) outs(%15 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.addf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x32xf32>
    %concat = tensor.concat dim(2) %18, %21 : (tensor<1x2x32xf32>, tensor<1x2x32xf32>) -> tensor<1x2x64xf32>
    %22 = tensor.empty() : tensor<64x128xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6
          : tensor<64x128xi8>) outs(%22 : tensor<64x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<64x128xf32>
    %24 = tensor.empty() : tensor<128x64xf32>
    %transposed_6 = linalg.transpose ins(%23 : tensor<64x128xf32>) outs(%24 : tensor<128x64xf32>) permutation = [1,
          0] 
    %25 = tensor.empty() : tensor<1x64xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %27 = linalg.matmul ins(%9, %transposed_6 : tensor<1x128xf32>, tensor<128x64xf32>) outs(%26
          : tensor<1x64xf32>) -> tensor<1x64xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%27,
          %arg7 : tensor<1x64xf32>, tensor<64xf32>) outs(%25 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x64xf32>
    %expanded_7 = tensor.expand_shape %28 [[0], [1, 2]] output_shape [1, 1, 64]
          : tensor<1x64xf32> into tensor<1x1x64xf32>
    %extracted_slice_8 = tensor.extract_slice %expanded_7[0, 0, 0] [1, 1, 32] [1, 1, 1]
          : tensor<1x1x64xf32> to tensor<1x1x32xf32>
    %extracted_slice_9 = tensor.extract_slice %expanded_7[0, 0, 32] [1, 1, 32] [1, 1, 1]
          : tensor<1x1x64xf32> to tensor<1x1x32xf32>
    %29 = tensor.empty() : tensor<1x1x32xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_8, %arg1 : tensor<1x1x32xf32>, tensor<1x32xf32>) outs(%29
          : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_9, %arg2 : tensor<1x1x32xf32>, tensor<1x32xf32>) outs(%29
          : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%30, %31 : tensor<1x1x32xf32>, tensor<1x1x32xf32>) outs(%29 : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.subf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_9, %arg1 : tensor<1x1x32xf32>, tensor<1x32xf32>) outs(%29
          : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%extracted_slice_8, %arg2 : tensor<1x1x32xf32>, tensor<1x32xf32>) outs(%29
          : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%33, %34 : tensor<1x1x32xf32>, tensor<1x1x32xf32>) outs(%29 : tensor<1x1x32xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.addf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1x32xf32>
    %concat_10 = tensor.concat dim(2) %32, %35 : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x64xf32>
    %concat_11 = tensor.concat dim(1) %arg10, %concat_10 : (tensor<1x15x64xf32>, tensor<1x1x64xf32>)
          -> tensor<1x16x64xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg8
          : tensor<64x128xi8>) outs(%22 : tensor<64x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<64x128xf32>
    %transposed_12 = linalg.transpose ins(%36 : tensor<64x128xf32>) outs(%24 : tensor<128x64xf32>) permutation = [1,
          0] 
    %37 = linalg.matmul ins(%9, %transposed_12 : tensor<1x128xf32>, tensor<128x64xf32>) outs(%26
          : tensor<1x64xf32>) -> tensor<1x64xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%37,
          %arg9 : tensor<1x64xf32>, tensor<64xf32>) outs(%25 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x64xf32>
    %expanded_13 = tensor.expand_shape %38 [[0], [1, 2]] output_shape [1, 1, 64]
          : tensor<1x64xf32> into tensor<1x1x64xf32>
    %concat_14 = tensor.concat dim(1) %arg11, %expanded_13 : (tensor<1x15x64xf32>, tensor<1x1x64xf32>)
          -> tensor<1x16x64xf32>
    %39 = tensor.empty() : tensor<1x64x16xf32>
    %transposed_15 = linalg.transpose ins(%concat_11 : tensor<1x16x64xf32>) outs(%39
          : tensor<1x64x16xf32>) permutation = [0, 2, 1] 
    %40 = tensor.empty() : tensor<1x2x16xf32>
    %41 = linalg.fill ins(%cst : f32) outs(%40 : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    %42 = linalg.batch_matmul ins(%concat, %transposed_15 : tensor<1x2x64xf32>, tensor<1x64x16xf32>) outs(%41
          : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    %43 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%42 : tensor<1x2x16xf32>) outs(%40 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.divf %in, %cst_4 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x16xf32>
    %44 = tensor.empty() : tensor<1x2xi64>
    %45 = linalg.fill ins(%c0_i64 : i64) outs(%44 : tensor<1x2xi64>) -> tensor<1x2xi64>
    %46 = tensor.empty() : tensor<1x2xf32>
    %47 = linalg.fill ins(%cst_0 : f32) outs(%46 : tensor<1x2xf32>) -> tensor<1x2xf32>
    %48:2 = linalg.generic {indexing_maps = [#map3, #map6, #map6], iterator_types = ["parallel", "parallel",
          "reduction"]} ins(%43 : tensor<1x2x16xf32>) outs(%47, %45 : tensor<1x2xf32>, tensor<1x2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_22: i64):
      %100 = linalg.index 2 : index
      %101 = arith.index_cast %100 : index to i64
      %102 = arith.maximumf %in, %out : f32
      %103 = arith.cmpf ogt, %in, %out : f32
      %104 = arith.select %103, %101, %out_22 : i64
      linalg.yield %102, %104 : f32, i64
    } -> (tensor<1x2xf32>, tensor<1x2xi64>)
    %expanded_16 = tensor.expand_shape %48#0 [[0], [1, 2]] output_shape [1, 2, 1]
          : tensor<1x2xf32> into tensor<1x2x1xf32>
    %49 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%43, %expanded_16 : tensor<1x2x16xf32>, tensor<1x2x1xf32>) outs(%40 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.subf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x16xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%49 : tensor<1x2x16xf32>) outs(%40 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.exp %in : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x16xf32>
    %51 = tensor.empty() : tensor<1x2x1xf32>
    %52 = linalg.fill ins(%cst : f32) outs(%51 : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
    %53 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "parallel",
          "reduction"]} ins(%50 : tensor<1x2x16xf32>) outs(%52 : tensor<1x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %in, %out : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x1xf32>
    %54 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%50, %53 : tensor<1x2x16xf32>, tensor<1x2x1xf32>) outs(%40 : tensor<1x2x16xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.divf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x2x16xf32>
    %55 = tensor.empty() : tensor<1x2x64xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
    %57 = linalg.batch_matmul ins(%54, %concat_14 : tensor<1x2x16xf32>, tensor<1x16x64xf32>) outs(%56
          : tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
    %collapsed = tensor.collapse_shape %57 [[0], [1, 2]] : tensor<1x2x64xf32> into tensor<1x128xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg12
          : tensor<128x128xi8>) outs(%10 : tensor<128x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<128x128xf32>
    %transposed_17 = linalg.transpose ins(%58 : tensor<128x128xf32>) outs(%10
          : tensor<128x128xf32>) permutation = [1, 0] 
    %59 = linalg.matmul ins(%collapsed, %transposed_17 : tensor<1x128xf32>, tensor<128x128xf32>) outs(%12
          : tensor<1x128xf32>) -> tensor<1x128xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%59,
          %arg13 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0,
          %60 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.addf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%61
          : tensor<1x128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%62
          : tensor<1x128xf32>) outs(%3 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %in, %out : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%63
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.divf %in, %cst_3 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%64
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.truncf %cst_2 : f64 to f32
      %101 = arith.addf %in, %100 : f32
      linalg.yield %101 : f32
    } -> tensor<1x1xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%65
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.rsqrt %in : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%61,
          %66 : tensor<1x128xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%67,
          %arg14 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %69 = tensor.empty() : tensor<192x128xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg15
          : tensor<192x128xi8>) outs(%69 : tensor<192x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<192x128xf32>
    %71 = tensor.empty() : tensor<128x192xf32>
    %transposed_18 = linalg.transpose ins(%70 : tensor<192x128xf32>) outs(%71
          : tensor<128x192xf32>) permutation = [1, 0] 
    %72 = tensor.empty() : tensor<1x192xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<1x192xf32>) -> tensor<1x192xf32>
    %74 = linalg.matmul ins(%68, %transposed_18 : tensor<1x128xf32>, tensor<128x192xf32>) outs(%73
          : tensor<1x192xf32>) -> tensor<1x192xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%74,
          %arg16 : tensor<1x192xf32>, tensor<192xf32>) outs(%72 : tensor<1x192xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x192xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%75
          : tensor<1x192xf32>) outs(%72 : tensor<1x192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.negf %in : f32
      %101 = math.exp %100 : f32
      %102 = arith.addf %101, %cst_1 : f32
      %103 = arith.divf %cst_1, %102 : f32
      linalg.yield %103 : f32
    } -> tensor<1x192xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%75,
          %76 : tensor<1x192xf32>, tensor<1x192xf32>) outs(%72 : tensor<1x192xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x192xf32>
    %78 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg17
          : tensor<192x128xi8>) outs(%69 : tensor<192x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<192x128xf32>
    %transposed_19 = linalg.transpose ins(%78 : tensor<192x128xf32>) outs(%71
          : tensor<128x192xf32>) permutation = [1, 0] 
    %79 = linalg.matmul ins(%68, %transposed_19 : tensor<1x128xf32>, tensor<128x192xf32>) outs(%73
          : tensor<1x192xf32>) -> tensor<1x192xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%79,
          %arg18 : tensor<1x192xf32>, tensor<192xf32>) outs(%72 : tensor<1x192xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x192xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%77,
          %80 : tensor<1x192xf32>, tensor<1x192xf32>) outs(%72 : tensor<1x192xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x192xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg19
          : tensor<128x192xi8>) outs(%71 : tensor<128x192xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<128x192xf32>
    %transposed_20 = linalg.transpose ins(%82 : tensor<128x192xf32>) outs(%69
          : tensor<192x128xf32>) permutation = [1, 0] 
    %83 = linalg.matmul ins(%81, %transposed_20 : tensor<1x192xf32>, tensor<192x128xf32>) outs(%12
          : tensor<1x128xf32>) -> tensor<1x128xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%83,
          %arg20 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%61,
          %84 : tensor<1x128xf32>, tensor<1x128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.addf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %86 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%85
          : tensor<1x128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %87 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%86
          : tensor<1x128xf32>) outs(%3 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.addf %in, %out : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%87
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.divf %in, %cst_3 : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %89 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%88
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = arith.truncf %cst_2 : f64 to f32
      %101 = arith.addf %in, %100 : f32
      linalg.yield %101 : f32
    } -> tensor<1x1xf32>
    %90 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%89
          : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %100 = math.rsqrt %in : f32
      linalg.yield %100 : f32
    } -> tensor<1x1xf32>
    %91 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%85,
          %90 : tensor<1x128xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%91,
          %arg21 : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x128xf32>
    %93 = tensor.empty() : tensor<96x128xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg22
          : tensor<96x128xi8>) outs(%93 : tensor<96x128xf32>) {
    ^bb0(%in: i8, %out: f32):
      %100 = arith.sitofp %in : i8 to f32
      linalg.yield %100 : f32
    } -> tensor<96x128xf32>
    %95 = tensor.empty() : tensor<128x96xf32>
    %transposed_21 = linalg.transpose ins(%94 : tensor<96x128xf32>) outs(%95 : tensor<128x96xf32>) permutation = [1,
          0] 
    %96 = tensor.empty() : tensor<1x96xf32>
    %97 = linalg.fill ins(%cst : f32) outs(%96 : tensor<1x96xf32>) -> tensor<1x96xf32>
    %98 = linalg.matmul ins(%92, %transposed_21 : tensor<1x128xf32>, tensor<128x96xf32>) outs(%97
          : tensor<1x96xf32>) -> tensor<1x96xf32>
    %99 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%98,
          %arg23 : tensor<1x96xf32>, tensor<96xf32>) outs(%96 : tensor<1x96xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %100 = arith.mulf %in, %in_22 : f32
      linalg.yield %100 : f32
    } -> tensor<1x96xf32>
    return %99 : tensor<1x96xf32>
  }
}
