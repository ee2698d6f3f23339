// torch.slice_scatter(cache, k, 1, i, i + 1) of i = at.item() in place, and cache.sum(1), as torch-mlir writes them.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
module {
  func.func @main(%arg0: tensor<2x32x16xf32>, %arg1: tensor<2x1x16xf32>, %arg2: tensor<1xi64>) -> (tensor<2x32x16xf32> {sinter.in_place_of = 0 : i64}, tensor<2x16xf32>) {
    %c31_i64 = arith.constant 31 : i64
    %c0 = arith.constant 0 : index
    %c32_i64 = arith.constant 32 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %extracted = tensor.extract %arg2[%c0] : tensor<1xi64>
    %0 = arith.cmpi sge, %extracted, %c0_i64 : i64
    cf.assert %0, "Runtime assertion failed for expression u0 >= 0 on node 'ge_1'"
    %1 = arith.cmpi sle, %extracted, %c31_i64 : i64
    cf.assert %1, "Runtime assertion failed for expression u0 <= 31 on node 'le_1'"
    %2 = arith.cmpi slt, %extracted, %c32_i64 : i64
    cf.assert %2, "Runtime assertion failed for expression u0 < 32 on node 'lt_1'"
    %3 = arith.addi %extracted, %c32_i64 : i64
    %4 = arith.cmpi sge, %extracted, %c0_i64 : i64
    %5 = arith.select %4, %extracted, %3 : i64
    %6 = arith.maxsi %5, %c0_i64 : i64
    %7 = arith.minsi %6, %c32_i64 : i64
    %8 = arith.index_cast %7 : i64 to index
    %inserted_slice = tensor.insert_slice %arg1 into %arg0[0, %8, 0] [2, 1, 16] [1, 1, 1] : tensor<2x1x16xf32> into tensor<2x32x16xf32>
    %9 = tensor.empty() : tensor<2x16xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x16xf32>) -> tensor<2x16xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%inserted_slice : tensor<2x32x16xf32>) outs(%10 : tensor<2x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.addf %in, %out : f32
      linalg.yield %12 : f32
    } -> tensor<2x16xf32>
    return %inserted_slice, %11 : tensor<2x32x16xf32>, tensor<2x16xf32>
  }
}
