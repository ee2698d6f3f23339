// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-prepare,sinter-raise)' %source/docs/tanh.mlir | FileCheck %s --check-prefix=RAISED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-prepare,sinter-raise,sinter-fuse,sinter-schedule{target=cpu})' %source/docs/tanh.mlir | FileCheck %s --check-prefix=SCHEDULED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-prepare,sinter-raise,sinter-fuse,sinter-schedule{target=cpu},sinter-outline)' %source/docs/tanh.mlir | FileCheck %s --check-prefix=OUTLINED

// What README.md and docs/ladder.md show of docs/tanh.mlir is what comes out.

//      RAISED: sinter.contract (i = 8) by (j = 32)
// RAISED-NEXT:   product (k = 16) (%{{.+}}[i, k] : tensor<8x16xf32>, %{{.+}}[k, j] : tensor<16x32xf32>) : f32
// RAISED-NEXT:   ins(%{{.+}}[i, j] : tensor<8x32xf32>)
//      RAISED:   arith.addf
//      RAISED: sinter.rowwise (i = 8) by (j = 32)
//      RAISED:   math.tanh

//      SCHEDULED: sinter.contract (i = 8) by (j = 32)
//      SCHEDULED:   schedule(#sinter.brgemm<k = 16, kernel = "libxsmm", lanes = 16, m = 8, n = 32, tasks = 1, unroll = 1>) {
//      SCHEDULED:   arith.addf
// SCHEDULED-NEXT:   math.tanh
//  SCHEDULED-NOT: sinter.rowwise

// OUTLINED: memref.alloc
// OUTLINED: call @main_kernel0
// OUTLINED: func.func private @main_kernel0
// OUTLINED-SAME: attributes {sinter.kernel}
