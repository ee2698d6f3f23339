#map = affine_map<(d0, d1, d2) -> (d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
module {
  func.func @main(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>, %arg2: tensor<?x5xf32>) -> tensor<?x5xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %dim = tensor.dim %arg1, %c0 : tensor<?xi64>
    %0 = tensor.empty(%dim) : tensor<?x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x5xf32>) -> tensor<?x5xf32>
    %dim_0 = tensor.dim %arg0, %c0 : tensor<?xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0, %arg1 : tensor<?xi64>, tensor<?xi64>) outs(%1 : tensor<?x5xf32>) {
    ^bb0(%in: i64, %in_1: i64, %out: f32):
      %3 = linalg.index 0 : index
      %4 = arith.index_cast %3 : index to i64
      %5 = arith.addi %4, %c1_i64 : i64
      %6 = arith.index_cast %5 : i64 to index
      %7 = arith.index_cast %dim : index to i64
      %8 = arith.cmpi eq, %7, %5 : i64
      %9 = arith.select %8, %c0, %6 : index
      %extracted = tensor.extract %arg1[%9] : tensor<?xi64>
      %10 = arith.index_cast %dim_0 : index to i64
      %11 = arith.select %8, %10, %extracted : i64
      %12 = linalg.index 1 : index
      %13 = arith.index_cast %12 : index to i64
      %14 = arith.cmpi slt, %in_1, %13 : i64
      %15 = arith.cmpi eq, %in_1, %13 : i64
      %16 = arith.ori %14, %15 : i1
      %17 = arith.cmpi slt, %13, %11 : i64
      %18 = arith.andi %16, %17 : i1
      %19 = arith.index_cast %in : i64 to index
      %20 = linalg.index 2 : index
      %extracted_2 = tensor.extract %arg2[%19, %20] : tensor<?x5xf32>
      %21 = arith.addf %extracted_2, %out : f32
      %22 = arith.select %18, %21, %out : f32
      linalg.yield %22 : f32
    } -> tensor<?x5xf32>
    return %2 : tensor<?x5xf32>
  }
}
