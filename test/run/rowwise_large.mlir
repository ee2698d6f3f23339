// RUN: sinter-opt --sinter-schedule %s | FileCheck %s
// RUN: sinter-run %s --verify --entry=large
// RUN: sinter-run %s --verify --entry=one_row
// RUN: sinter-run %s --verify --entry=along_rows

// A result of 32 MB is written past the caches, a long row is kept between phases.

// CHECK-LABEL: func @large
//       CHECK: residency = "buffer", stores = "streaming"
func.func @large(%x: tensor<1024x8192xf32>) -> tensor<1024x8192xf32> {
  %e = tensor.empty() : tensor<1024x8192xf32>
  %0 = sinter.rowwise (i = 1024) by (j = 8192) ins(%x[i, j] : tensor<1024x8192xf32>) outs(%e[i, j] : tensor<1024x8192xf32>) {
  ^row(%a: tensor<8192xf32>):
    %u = math.exp %a : tensor<8192xf32>
    %s = sinter.row_reduce add %u : tensor<8192xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %p = arith.divf %u, %sb : tensor<8192xf32>
    sinter.yield %p : tensor<8192xf32>
  }
  return %0 : tensor<1024x8192xf32>
}

// One row in pieces, the last of which is odd.

// CHECK-LABEL: func @one_row
//       CHECK: columns = 16384
func.func @one_row(%x: tensor<100003xf32>) -> tensor<100003xf32> {
  %e = tensor.empty() : tensor<100003xf32>
  %0 = sinter.rowwise () by (j = 100003) ins(%x[j] : tensor<100003xf32>) outs(%e[j] : tensor<100003xf32>) {
  ^row(%a: tensor<100003xf32>):
    %u = math.exp %a : tensor<100003xf32>
    sinter.yield %u : tensor<100003xf32>
  }
  return %0 : tensor<100003xf32>
}

// Lanes along rows that are cut into pieces; the loss counts no row twice.

// CHECK-LABEL: func @along_rows
//       CHECK: along = "rows"
func.func @along_rows(%x: tensor<3x5x20003xf32>, %t: tensor<3x20003xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %0 = sinter.rowwise (i = 3, j = 20003) by (k = 5)
      ins(%x[i, k, j] : tensor<3x5x20003xf32>, %t[i, j] : tensor<3x20003xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<5xf32>, %l: i64):
    %z = arith.constant 0.0 : f32
    %u = math.exp %a : tensor<5xf32>
    %s = sinter.row_reduce add %u : tensor<5xf32> -> f32
    %p = sinter.pick %a[%l] else %z : tensor<5xf32>, i64
    %g = math.log %s : f32
    %d = arith.subf %g, %p : f32
    sinter.yield %d : f32
  }
  return %0 : tensor<f32>
}
