// RUN: sinter-run %s --verify --threads=1 --element-tolerance=1e-6,1e-6 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --cpu=haswell --element-tolerance=1e-6,1e-6 | FileCheck %s --implicit-check-not=differs

// Columns that are neighbours in memory in parts only, of 7, 8 and 16 elements, read and written: a vector does not go
// from one part into the next.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees
// CHECK: output 2 of main agrees

func.func @main(%x: tensor<3x4x5x7xf32>, %y: tensor<3x4x5x8xf32>, %z: tensor<3x4x5x16xf32>) -> (tensor<3x4x5x7xf32>, tensor<3x4x5x8xf32>, tensor<3x4x5x16xf32>) {
  %e7 = tensor.empty() : tensor<3x4x5x7xf32>
  %e8 = tensor.empty() : tensor<3x4x5x8xf32>
  %e16 = tensor.empty() : tensor<3x4x5x16xf32>
  %a = sinter.rowwise (n = 3) by (c = 5, h = 4, w = 7) ins(%x[n, h, c, w] : tensor<3x4x5x7xf32>) outs(%e7[n, h, c, w] : tensor<3x4x5x7xf32>) {
  ^row(%v: tensor<140xf32>):
    %m = sinter.row_reduce maximumf %v : tensor<140xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<140xf32>
    %r = arith.subf %v, %mb : tensor<140xf32>
    sinter.yield %r : tensor<140xf32>
  }
  %b = sinter.rowwise (n = 3) by (c = 5, h = 4, w = 8) ins(%y[n, h, c, w] : tensor<3x4x5x8xf32>) outs(%e8[n, h, c, w] : tensor<3x4x5x8xf32>) {
  ^row(%v: tensor<160xf32>):
    %m = sinter.row_reduce maximumf %v : tensor<160xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<160xf32>
    %r = arith.subf %v, %mb : tensor<160xf32>
    sinter.yield %r : tensor<160xf32>
  }
  %c = sinter.rowwise (n = 3) by (c = 5, h = 4, w = 16) ins(%z[n, h, c, w] : tensor<3x4x5x16xf32>) outs(%e16[n, h, c, w] : tensor<3x4x5x16xf32>) {
  ^row(%v: tensor<320xf32>):
    %m = sinter.row_reduce maximumf %v : tensor<320xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<320xf32>
    %r = arith.subf %v, %mb : tensor<320xf32>
    sinter.yield %r : tensor<320xf32>
  }
  return %a, %b, %c : tensor<3x4x5x7xf32>, tensor<3x4x5x8xf32>, tensor<3x4x5x16xf32>
}
