// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// The order in which a block of a product is walked is the schedule's.

// Sums of 16 columns stay while k goes on: k outside, two panels of 8 columns inside, which are packed one by one. What
// is read in place is not packed.

// CHECK-LABEL: func.func private @sums_task(
//       CHECK:   scf.for %{{.+}} = %c0 to %c48 step %c16 {
//       CHECK:     scf.for %[[K:.+]] = %c0 to %c12 step %c4 {
//       CHECK:       scf.for %{{.+}} = %c0 to %c16 step %c8 {
//       CHECK:         vector.store {{.*}} : memref<4x8xf32>
//       CHECK:         memref.load {{.*}} : memref<72xf32>
//       CHECK:         math.fma
func.func private @sums(%x: memref<6x12xf32>, %w: memref<48x12xf32>, %y: memref<6x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 6) by (j = 48) product (k = 12) (%x[i, k] : memref<6x12xf32>, %w[j, k] : memref<48x12xf32>) : f32
      outs(%y[i, j] : memref<6x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, sums = 16, lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}

// -----

// Two panels are packed together, one behind the other, and multiplied in turn.

// CHECK-LABEL: func.func private @together_task(
//       CHECK:   scf.for %{{.+}} = %c0 to %c12 step %c4 {
//       CHECK:     scf.for %{{.+}} = %c0 to %c16 step %c8 {
//       CHECK:       vector.store {{.*}} : memref<8x8xf32>
//       CHECK:     scf.for %{{.+}} = %c0 to %c16 step %c8 {
//       CHECK:       math.fma
func.func private @together(%x: memref<6x12xf32>, %w: memref<48x12xf32>, %y: memref<6x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 6) by (j = 48) product (k = 12) (%x[i, k] : memref<6x12xf32>, %w[j, k] : memref<48x12xf32>) : f32
      outs(%y[i, j] : memref<6x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, sums = 16, panels = 2, lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}

// -----

// Rows that could be read in place are copied by each task, in panels of k: [12 / 4][6][4].

// CHECK-LABEL: func.func private @rows_task(
//   CHECK-NOT: func.func
//       CHECK:   scf.for %{{.+}} = %c0 to %c12 step %c4 {
//       CHECK:     vector.store {{.*}} : memref<18x4xf32>
//       CHECK:   memref.load {{.*}} : memref<72xf32>
func.func private @rows(%x: memref<6x12xf32>, %w: memref<48x12xf32>, %y: memref<6x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 6) by (j = 48) product (k = 12) (%x[i, k] : memref<6x12xf32>, %w[j, k] : memref<48x12xf32>) : f32
      outs(%y[i, j] : memref<6x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, pack = "rows", lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}

// -----

// Once for all: two blocks of three panels are six tasks, and those that multiply begin when they are done.

// CHECK-LABEL: func.func private @shared(
//       CHECK:   %[[MULTIPLY:.+]] = constant @shared_task1
//       CHECK:   %[[PACK:.+]] = constant @shared_task :
//       CHECK:   call @sinter_rt_parallel({{.*}}, %c6_i64)
//       CHECK:   call @sinter_rt_parallel(
// CHECK-LABEL: func.func private @shared_task1(
//   CHECK-NOT:   vector.store {{.*}} : memref<36x4xf32>
//       CHECK:   call @sinter_fma256
// CHECK-LABEL: func.func private @shared_task(
//       CHECK:   vector.store {{.*}} : memref<36x4xf32>
//   CHECK-NOT:   call @sinter_fma256
//       CHECK:   return
func.func private @shared(%x: memref<12x12xf32>, %w: memref<48x12xf32>, %y: memref<12x48xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 12) by (j = 48) product (k = 12) (%x[i, k] : memref<12x12xf32>, %w[j, k] : memref<48x12xf32>) : f32
      outs(%y[i, j] : memref<12x48xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 8, k = 4, columns = 16, pack = "shared", lanes = 4>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return
}
