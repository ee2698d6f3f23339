// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_weights_129x37.npy --input=%S/Inputs/dynamic_bias_129.npy --expect=%S/Inputs/dynamic_linear_7x129.npy --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_weights_129x37.npy --input=%S/Inputs/dynamic_bias_129.npy --expect=%S/Inputs/dynamic_linear_7x129.npy
// RUN: sinter-run %s --shape=0x37 --shape=129x37 --shape=129 --verify
// RUN: sinter-run %s --shape=5x0 --shape=3x0 --shape=3 --verify
// RUN: sinter-run %s --shape=1x1 --shape=1x1 --shape=1 --verify
// RUN: sinter-run %s --shape=1003x64 --shape=129x64 --shape=129 --verify --threads=1 --output=%t1.npy
// RUN: sinter-run %s --shape=1003x64 --shape=129x64 --shape=129 --verify --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: not sinter-run %s --shape=7x37 --shape=129x36 --shape=129 2>&1 | FileCheck %s --check-prefix=SUM

// A product whose three sizes the arguments bring: none of them has to fill a block.

// CHECK: "kernels": 1, {{.*}}"bytes_temporary": 0
// SUM: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 1 in dimension 1 is 36, expected 37, that of input 0 in dimension 1

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?x?xf32>, %arg2: tensor<?xf32>) -> tensor<?x?xf32> {
    %c0r = arith.constant 0 : index
    %rows = tensor.dim %arg0, %c0r : tensor<?x?xf32>
    %c1k = arith.constant 1 : index
    %sum = tensor.dim %arg0, %c1k : tensor<?x?xf32>
    %c0n = arith.constant 0 : index
    %columns = tensor.dim %arg1, %c0n : tensor<?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty(%sum, %columns) : tensor<?x?xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) permutation = [1, 0] 
    %1 = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x?xf32>, tensor<?xf32>) outs(%1 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.addf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x?xf32>) outs(%1 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.cmpf ugt, %in, %cst : f32
      %7 = arith.select %6, %in, %cst : f32
      linalg.yield %7 : f32
    } -> tensor<?x?xf32>
    return %5 : tensor<?x?xf32>
  }
}
