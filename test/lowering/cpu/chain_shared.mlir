// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Weights once for all blocks of rows: 48 columns are six panels of two steps, copied by four tasks, as many as
// multiply, to [2 steps][6 panels][4 rows] of a memory that all of them read.

// CHECK-LABEL: func.func private @weights(
//       CHECK:   %[[MULTIPLY:.+]] = constant @weights_task1
//       CHECK:   %[[PACK:.+]] = constant @weights_task :
//       CHECK:   call @sinter_rt_parallel({{.*}}, %c4_i64)
//       CHECK:   call @sinter_rt_parallel({{.*}}, %c4_i64)
// CHECK-LABEL: func.func private @weights_task1(
//   CHECK-NOT:   vector.store {{.*}} : memref<48x8xf32>
//       CHECK:   math.fma
// CHECK-LABEL: func.func private @weights_task(
//       CHECK:   vector.store {{.*}} : memref<48x8xf32>
//   CHECK-NOT:   math.fma
//       CHECK:   return
func.func private @weights(%x: memref<24x8xf32>, %w: memref<48x8xf32>, %y: memref<24x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 24) by (j = 48) product (k = 8) (%x[i, k] : memref<24x8xf32>, %w[j, k] : memref<48x8xf32>) : f32
      outs(%y[i, j] : memref<24x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, weights = "shared", lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}

// -----

// Those that are read where they lie are not copied, and nothing waits.

// CHECK-LABEL: func.func private @in_place(
//       CHECK:   call @sinter_rt_parallel
//   CHECK-NOT:   call @sinter_rt_parallel
//       CHECK:   return
func.func private @in_place(%x: memref<24x8xf32>, %w: memref<8x48xf32>, %y: memref<24x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 24) by (j = 48) product (k = 8) (%x[i, k] : memref<24x8xf32>, %w[k, j] : memref<8x48xf32>) : f32
      outs(%y[i, j] : memref<24x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, weights = "shared", lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}

// -----

func.func private @unknown(%x: memref<24x?xf32>, %w: memref<48x?xf32>, %y: memref<24x48xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{weights = "shared", but sums or rows have a length that is not known: leave weights out}}
  sinter.contract (i = 24) by (j = 48) product (k = ?) (%x[i, k] : memref<24x?xf32>, %w[j, k] : memref<48x?xf32>) : f32
      outs(%y[i, j] : memref<24x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, weights = "shared", lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}
