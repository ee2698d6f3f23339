// RUN: sinter-opt --sinter-schedule --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule=vector-bits=256 --split-input-file %s | FileCheck %s --check-prefix=AVX2
// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=GPU

// Lanes fill a register with the widest floats of the body; a task is about 16384 elements; sums get 4 accumulators.

// CHECK-LABEL: func @sums
//       CHECK: schedule(#sinter.rows<chunk = 17, lanes = 16, residency = "reread", unroll = 4>)
//  AVX2-LABEL: func @sums
//        AVX2: schedule(#sinter.rows<chunk = 17, lanes = 8, residency = "reread", unroll = 4>)
//   GPU-LABEL: func @sums
//         GPU: schedule(#sinter.gpu_rows<
func.func @sums(%x: tensor<37x1003xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 37) by (j = 1003) ins(%x[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func @doubles
//       CHECK: schedule(#sinter.rows<chunk = 4, lanes = 8, residency = "reread", unroll = 1>)
func.func @doubles(%x: tensor<4x9xf64>, %e: tensor<4x9xf64>) -> tensor<4x9xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf64>) outs(%e[i, j] : tensor<4x9xf64>) {
  ^row(%a: tensor<9xf64>):
    %n = arith.negf %a : tensor<9xf64>
    sinter.yield %n : tensor<9xf64>
  }
  return %0 : tensor<4x9xf64>
}

// -----

// A row shorter than a register; the count of tasks is bounded where each keeps a row of partial sums.

// CHECK-LABEL: func @short_rows
//       CHECK: schedule(#sinter.rows<chunk = 31250, lanes = 2, residency = "reread", unroll = 1>)
func.func @short_rows(%x: tensor<1000000x3xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = sinter.rowwise (i = 1000000) by (j = 3) ins(%x[i, j] : tensor<1000000x3xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<3xf32>) {
  ^row(%a: tensor<3xf32>):
    %n = arith.negf %a : tensor<3xf32>
    sinter.yield %n : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @given
//       CHECK: schedule(#sinter.rows<chunk = 1>)
func.func @given(%x: tensor<4x9xf64>, %e: tensor<4x9xf64>) -> tensor<4x9xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf64>) outs(%e[i, j] : tensor<4x9xf64>) schedule(#sinter.rows<chunk = 1>) {
  ^row(%a: tensor<9xf64>):
    sinter.yield %a : tensor<9xf64>
  }
  return %0 : tensor<4x9xf64>
}

// -----

// CHECK-LABEL: func @product
//       CHECK: schedule(#sinter.brgemm<k = 16, kernel = "{{[a-z0-9]+}}", lanes = 8, m = 4, n = 8, tasks = 1, unroll = 1>)
func.func @product(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = sinter.contract (i = 4) by (j = 8) product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    %n = arith.negf %acc : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// Rows that are counted at run time: there are as many in a task as make no more than 256 of them, or 32 where each
// keeps a row of sums.

// CHECK-LABEL: func @counted_later
//       CHECK: schedule(#sinter.rows<chunk = 17, lanes = 16, residency = "reread", tasks = 256, unroll = 4>)
//       CHECK: schedule(#sinter.rows<chunk = 1, elements = 16384, lanes = 16, plain = 4, residency = "reread", tasks = 32, unroll = 1>)
func.func @counted_later(%x: tensor<?x1003xf32>, %y: tensor<?x?xf32>, %e: tensor<f32>, %c: tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  %0 = sinter.rowwise (i = ?) by (j = 1003) ins(%x[i, j] : tensor<?x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (i = ?) by (j = ?) ins(%y[i, j] : tensor<?x?xf32>) reduce(add [j] : f32) outs(%c[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return %0, %1 : tensor<f32>, tensor<?xf32>
}
