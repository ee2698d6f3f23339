// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_7x37.npy --expect=%S/Inputs/dynamic_softmax_7x37.npy --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --input=%S/Inputs/dynamic_x_7x37.npy --expect=%S/Inputs/dynamic_softmax_7x37.npy
// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_0x37.npy --expect=%S/Inputs/dynamic_x_0x37.npy
// RUN: sinter-run %s --shape=3x0 --verify
// RUN: sinter-run %s --shape=1x1 --verify
// RUN: sinter-run %s --shape=37x1003 --verify --threads=1 --output=%t1.npy
// RUN: sinter-run %s --shape=37x1003 --verify --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: not sinter-run %s --shape=37 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not sinter-run %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sinter-cc %s -o %t.so -h %t.h && FileCheck %s --check-prefix=HEADER < %t.h
// RUN: sinter-exec %t.so --input=%S/Inputs/dynamic_x_7x37.npy --expect=%S/Inputs/dynamic_softmax_7x37.npy

// Rows and columns that the argument brings, exported by torch-mlir: one kernel, and the result is where the caller put
// it.

// CHECK: "kernels": 1, {{.*}}"bytes_temporary": 0
// RANK: error: --shape=37 is no shape of input 0 of main: it is ?x?
// NONE: error: input 0 of main is ?x?: give its sizes with --shape, or files with --input
// HEADER: inputs[0]: f32 [?, ?]
// HEADER: outputs[0]: f32 [?, ?]
// HEADER: void dynamic_softmax_main_shapes(const int64_t *inputs, int64_t *outputs);

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %c0r = arith.constant 0 : index
    %rows = tensor.dim %arg0, %c0r : tensor<?x?xf32>
    %c1r = arith.constant 1 : index
    %columns = tensor.dim %arg0, %c1r : tensor<?x?xf32>
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty(%rows) : tensor<?xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = tensor.empty(%rows) : tensor<?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%3, %1 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %12 = linalg.index 1 : index
      %13 = arith.index_cast %12 : index to i64
      %14 = arith.maximumf %in, %out : f32
      %15 = arith.cmpf ogt, %in, %out : f32
      %16 = arith.select %15, %13, %out_1 : i64
      linalg.yield %14, %16 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    %expanded = tensor.expand_shape %4#0 [[0, 1]] output_shape [%rows, 1] : tensor<?xf32> into tensor<?x1xf32>
    %5 = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %12 = arith.subf %in, %in_1 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = math.exp %in : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    %8 = tensor.empty(%rows) : tensor<?x1xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<?x?xf32>) outs(%9 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.addf %in, %out : f32
      linalg.yield %12 : f32
    } -> tensor<?x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %10 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %12 = arith.divf %in, %in_1 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    return %11 : tensor<?x?xf32>
  }
}
