// RUN: sinter-run %s --policy=aggressive --shape=7x40 --shape=40 --shape=40 --verify --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --shape=7x40 --shape=40 --shape=40 --verify
// RUN: sinter-run %s --shape=0x40 --shape=40 --shape=40 --verify
// RUN: not sinter-run %s --shape=7x41 --shape=40 --shape=40 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: sinter-cc %s --target=gpu --policy=aggressive -o %t.ptx --mlir-print-ir-after=sinter-schedule 2>%t.ir
// RUN: FileCheck %s --check-prefix=GPU --input-file=%t.ir

// A norm of `?` columns, as torch-mlir writes it. Its weights have 40, so rows have as many where they are added up,
// and all of it is one kernel, whose schedule is that of 40.

// CHECK: "kernels": 1,
// SIZE: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 0 in dimension 1 is 41, expected 40
// GPU: sinter.rowwise (i = ?) by (j = 40)
// GPU-NEXT: ins
// GPU-NEXT: outs
// GPU-NOT: shorter
// GPU: residency = "registers"
// GPU-NOT: sinter.rowwise
// GPU: IR Dump

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>) -> tensor<?x40xf32> {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c40 = arith.constant 40 : index
    %cst_1 = arith.constant 1.000000e-05 : f64
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %dim_2 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %0 = tensor.empty(%dim, %dim_2) : tensor<?x?xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf64>) {
    ^bb0(%in: f32, %out: f64):
      %25 = arith.extf %in : f32 to f64
      linalg.yield %25 : f64
    } -> tensor<?x?xf64>
    %2 = tensor.empty(%dim) : tensor<?x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<?x1xf64>) -> tensor<?x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<?x?xf64>) outs(%3 : tensor<?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %25 = arith.addf %in, %out : f64
      linalg.yield %25 : f64
    } -> tensor<?x1xf64>
    %5 = arith.index_cast %dim_2 : index to i64
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x1xf64>) outs(%2 : tensor<?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %25 = arith.sitofp %5 : i64 to f64
      %26 = arith.divf %in, %25 : f64
      linalg.yield %26 : f64
    } -> tensor<?x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %6 : tensor<?x?xf64>, tensor<?x1xf64>) outs(%0 : tensor<?x?xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %25 = arith.subf %in, %in_6 : f64
      linalg.yield %25 : f64
    } -> tensor<?x?xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %7 : tensor<?x?xf64>, tensor<?x?xf64>) outs(%0 : tensor<?x?xf64>) {
    ^bb0(%in: f64, %in_6: f64, %out: f64):
      %25 = arith.mulf %in, %in_6 : f64
      linalg.yield %25 : f64
    } -> tensor<?x?xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<?x?xf64>) outs(%3 : tensor<?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %25 = arith.addf %in, %out : f64
      linalg.yield %25 : f64
    } -> tensor<?x1xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<?x1xf64>) outs(%2 : tensor<?x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %25 = arith.sitofp %5 : i64 to f64
      %26 = arith.divf %in, %25 : f64
      linalg.yield %26 : f64
    } -> tensor<?x1xf64>
    %11 = tensor.empty(%dim) : tensor<?x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<?x1xf64>) outs(%11 : tensor<?x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %25 = arith.truncf %in : f64 to f32
      linalg.yield %25 : f32
    } -> tensor<?x1xf32>
    %13 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<?x1xf32>) -> tensor<?x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%13 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %in, %out : f32
      linalg.yield %25 : f32
    } -> tensor<?x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<?x1xf32>) outs(%11 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.sitofp %5 : i64 to f32
      %26 = arith.divf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<?x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<?x1xf32>) outs(%11 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.truncf %cst_1 : f64 to f32
      %26 = arith.addf %in, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<?x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<?x1xf32>) outs(%11 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = math.rsqrt %in : f32
      linalg.yield %25 : f32
    } -> tensor<?x1xf32>
    %18 = tensor.empty(%dim) : tensor<?x40xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %15 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%18 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.subf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x40xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %17 : tensor<?x40xf32>, tensor<?x1xf32>) outs(%18 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.mulf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x40xf32>
    %dim_3 = tensor.dim %arg1, %c0 : tensor<?xf32>
    %21 = arith.cmpi eq, %dim_3, %c40 : index
    cf.assert %21, "mismatched size for broadcast"
    %cast = tensor.cast %arg1 : tensor<?xf32> to tensor<40xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%20, %cast : tensor<?x40xf32>, tensor<40xf32>) outs(%18 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.mulf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x40xf32>
    %dim_4 = tensor.dim %arg2, %c0 : tensor<?xf32>
    %23 = arith.cmpi eq, %dim_4, %c40 : index
    cf.assert %23, "mismatched size for broadcast"
    %cast_5 = tensor.cast %arg2 : tensor<?xf32> to tensor<40xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%22, %cast_5 : tensor<?x40xf32>, tensor<40xf32>) outs(%18 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %25 = arith.addf %in, %in_6 : f32
      linalg.yield %25 : f32
    } -> tensor<?x40xf32>
    return %24 : tensor<?x40xf32>
  }
}
