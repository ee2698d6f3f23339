// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_labels_7.npy --expect=%S/Inputs/dynamic_cross_entropy_7x37.npy --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_labels_7.npy --expect=%S/Inputs/dynamic_cross_entropy_7x37.npy
// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_0x37.npy --input=%S/Inputs/dynamic_labels_0.npy --expect=%S/Inputs/dynamic_nan.npy
// RUN: sinter-run %s --shape=1x1 --shape=1 --high=1 --verify
// RUN: sinter-run %s --shape=1003x37 --shape=1003 --high=37 --verify --threads=1 --output=%t1.npy
// RUN: sinter-run %s --shape=1003x37 --shape=1003 --high=37 --verify --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: not sinter-run %s --shape=7x37 --shape=6 2>&1 | FileCheck %s --check-prefix=LABELS

// Cross entropy with rows and columns that the arguments bring. A label picks among as many columns as there are.

// CHECK: "kernels": 1, {{.*}}"bytes_temporary": 0
// LABELS: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 1 in dimension 0 is 6, expected 7, that of input 0 in dimension 0

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (0, d1)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0) -> ()>
#map7 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?xi64>) -> tensor<f32> {
    %c0r = arith.constant 0 : index
    %rows = tensor.dim %arg0, %c0r : tensor<?x?xf32>
    %c1r = arith.constant 1 : index
    %columns = tensor.dim %arg0, %c1r : tensor<?x?xf32>
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty(%rows) : tensor<?xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = tensor.empty(%rows) : tensor<?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%3, %1 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %31 = linalg.index 1 : index
      %32 = arith.index_cast %31 : index to i64
      %33 = arith.maximumf %in, %out : f32
      %34 = arith.cmpf ogt, %in, %out : f32
      %35 = arith.select %34, %32, %out_5 : i64
      linalg.yield %33, %35 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded = tensor.expand_shape %4#0 [[0, 1]] output_shape [%rows, 1] : tensor<?xf32> into tensor<?x1xf32>
    %5 = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %31 = arith.subf %in, %in_5 : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.exp %in : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %8 = tensor.empty(%rows) : tensor<?x1xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<?x?xf32>) outs(%9 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %in, %out : f32
      linalg.yield %31 : f32
    } -> tensor<?x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<?x1xf32>) outs(%8 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.log %in : f32
      linalg.yield %31 : f32
    } -> tensor<?x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %31 = arith.subf %in, %in_5 : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %13 = tensor.empty(%columns) : tensor<?xi64>
    %14 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%13 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %31 = linalg.index 0 : index
      %32 = arith.index_cast %31 : index to i64
      linalg.yield %32 : i64
    } -> tensor<?xi64>
    %expanded_3 = tensor.expand_shape %14 [[0, 1]] output_shape [1, %columns] : tensor<?xi64> into tensor<1x?xi64>
    %expanded_4 = tensor.expand_shape %arg1 [[0, 1]] output_shape [%rows, 1] : tensor<?xi64> into tensor<?x1xi64>
    %15 = tensor.empty(%rows, %columns) : tensor<?x?xi1>
    %16 = linalg.generic {indexing_maps = [#map4, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_3, %expanded_4 : tensor<1x?xi64>, tensor<?x1xi64>) outs(%15 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %in_5: i64, %out: i1):
      %31 = arith.cmpi eq, %in, %in_5 : i64
      linalg.yield %31 : i1
    } -> tensor<?x?xi1>
    %17 = tensor.empty(%rows) : tensor<?x1xi1>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_4 : tensor<?x1xi64>) outs(%17 : tensor<?x1xi1>) {
    ^bb0(%in: i64, %out: i1):
      %31 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %31 : i1
    } -> tensor<?x1xi1>
    %19 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%16, %18 : tensor<?x?xi1>, tensor<?x1xi1>) outs(%15 : tensor<?x?xi1>) {
    ^bb0(%in: i1, %in_5: i1, %out: i1):
      %31 = arith.andi %in, %in_5 : i1
      linalg.yield %31 : i1
    } -> tensor<?x?xi1>
    %20 = linalg.generic {indexing_maps = [#map, #map5, #map], iterator_types = ["parallel", "parallel"]} ins(%12, %cst_2 : tensor<?x?xf32>, tensor<f32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %31 = arith.mulf %in, %in_5 : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map5, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %20, %cst_1 : tensor<?x?xi1>, tensor<?x?xf32>, tensor<f32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %31 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%21 : tensor<?x?xf32>) outs(%22 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %in, %out : f32
      linalg.yield %31 : f32
    } -> tensor<?xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%23 : tensor<?xf32>) outs(%2 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.negf %in : f32
      linalg.yield %31 : f32
    } -> tensor<?xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map5, #map5, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %cst_2, %cst_1 : tensor<?x?xi1>, tensor<f32>, tensor<f32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %31 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %31 : f32
    } -> tensor<?x?xf32>
    %26 = tensor.empty() : tensor<f32>
    %27 = linalg.fill ins(%cst_0 : f32) outs(%26 : tensor<f32>) -> tensor<f32>
    %28 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["reduction", "reduction"]} ins(%25 : tensor<?x?xf32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %in, %out : f32
      linalg.yield %31 : f32
    } -> tensor<f32>
    %29 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["reduction"]} ins(%24 : tensor<?xf32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %in, %out : f32
      linalg.yield %31 : f32
    } -> tensor<f32>
    %30 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = []} ins(%29, %28 : tensor<f32>, tensor<f32>) outs(%26 : tensor<f32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %31 = arith.divf %in, %in_5 : f32
      linalg.yield %31 : f32
    } -> tensor<f32>
    return %30 : tensor<f32>
  }
}
