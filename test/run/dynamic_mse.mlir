// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_y_7x37.npy --expect=%S/Inputs/dynamic_mse_7x37.npy --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --input=%S/Inputs/dynamic_x_7x37.npy --input=%S/Inputs/dynamic_y_7x37.npy --expect=%S/Inputs/dynamic_mse_7x37.npy
// RUN: sinter-run %s --input=%S/Inputs/dynamic_x_0x37.npy --input=%S/Inputs/dynamic_x_0x37.npy --expect=%S/Inputs/dynamic_nan.npy
// RUN: sinter-run %s --shape=1x1 --verify
// RUN: sinter-run %s --shape=1003x7 --verify --threads=1 --output=%t1.npy
// RUN: sinter-run %s --shape=1003x7 --verify --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: not sinter-run %s --shape=7x37 --shape=8x37 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not sinter-run %s --shape=7x37 --shape=7x36 --policy=disabled 2>&1 | FileCheck %s --check-prefix=COLUMNS

// A mean over sizes that the arguments bring: the divisor is counted at run time, the mean of nothing is NaN, and
// arguments that do not fit each other are an error on both roads.

// CHECK: "kernels": 1, {{.*}}"bytes_temporary": 4}
// ROWS: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 1 in dimension 0 is 8, expected 7, that of input 0 in dimension 0
// COLUMNS: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 1 in dimension 1 is 36, expected 37, that of input 0 in dimension 1

#map = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    %q = arith.mulf %s, %s : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %r = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<f32>) -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#map, #none], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<?x?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %count = arith.muli %m, %n : index
  %i = arith.index_cast %count : index to i64
  %divisor = arith.sitofp %i : i64 to f32
  %mean = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%t : tensor<f32>) outs(%r : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %a, %divisor : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %mean : tensor<f32>
}
