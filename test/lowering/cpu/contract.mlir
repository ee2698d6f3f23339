// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=sinter.contract

// Rows of x lie in memory as the library wants them; weights [j, k] are packed to panels [k, n], transposed in
// registers. The epilogue runs over the block's n columns.

// CHECK-LABEL: func.func private @linear_task(
//       CHECK:   scf.for %[[N0:.+]] = %c0 to %c9 step %c4
//       CHECK:     %[[NN:.+]] = arith.minsi
//       CHECK:     scf.for %[[K0:.+]] = %c0 to %c10 step %c6
//       CHECK:       scf.for
//       CHECK:         scf.for
//       CHECK:           vector.load %{{.+}} : memref<90xf32>, vector<4xf32>
//       CHECK:           vector.shuffle {{.*}} [0, 1, 4, 5]
//       CHECK:           vector.store %{{.+}} : memref<18x4xf32>, vector<4xf32>
//       CHECK:       %[[V:.+]] = memref.load %{{.+}}[%{{.+}}, %{{.+}}] : memref<9x10xf32>
//       CHECK:       memref.store %[[V]], %{{.+}} : memref<18x4xf32>
//       CHECK:       call @sinter_rt_brgemm_f32(
//       CHECK:     scf.for
//       CHECK:       scf.for
//       CHECK:         vector.load %{{.+}} : memref<12x4xf32>, vector<4xf32>
//       CHECK:         arith.maximumf
//       CHECK:         vector.store
func.func private @linear(%x: memref<11x10xf32>, %w: memref<9x10xf32>, %y: memref<11x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9) product (k = 10) (%x[i, k] : memref<11x10xf32>, %w[j, k] : memref<9x10xf32>) : f32
      outs(%y[i, j] : memref<11x9xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4>) {
  ^row(%a: tensor<9xf32>):
    %z = arith.constant dense<0.0> : tensor<9xf32>
    %r = arith.maximumf %a, %z : tensor<9xf32>
    sinter.yield %r : tensor<9xf32>
  }
  return
}

// -----

// A reduction over the columns needs whole rows of the product.

// CHECK-LABEL: func.func private @reduced_task(
//       CHECK:   scf.for %[[N0:.+]] = %c0 to %c9 step %c4
//       CHECK:     call @sinter_rt_brgemm_f32(
//       CHECK:   }
//       CHECK:   scf.for
//       CHECK:     vector.load %{{.+}} : memref<12x12xf32>, vector<4xf32>
//       CHECK:     arith.maximumf
func.func private @reduced(%x: memref<11x10xf32>, %w: memref<10x9xf32>, %y: memref<11xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9) product (k = 10) (%x[i, k] : memref<11x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i] : memref<11xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4>) {
  ^row(%a: tensor<9xf32>):
    %r = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %r : f32
  }
  return
}

// -----

// Nothing is packed where both sides lie row-major in memory.

// CHECK-LABEL: func.func private @in_place_task(
//   CHECK-NOT:   memref.load
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @in_place(%x: memref<2x11x10xf32>, %w: memref<2x10x9xf32>, %y: memref<2x11x9xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, i = 11) by (j = 9) product (k = 10) (%x[b, i, k] : memref<2x11x10xf32>, %w[b, k, j] : memref<2x10x9xf32>) : f32
      outs(%y[b, i, j] : memref<2x11x9xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 16, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// f64 is not the library's: vectors along the columns, sums in registers (test/lowering/cpu/kernels.mlir).

// CHECK-LABEL: func.func private @doubles_task(
//   CHECK-NOT:   call @sinter_rt_brgemm_f32
//       CHECK:   scf.for {{.*}} -> (vector<4xf64>, vector<4xf64>,
//       CHECK:     math.fma %{{.+}} : vector<4xf64>
func.func private @doubles(%x: memref<11x10xf64>, %w: memref<10x9xf64>, %y: memref<11x9xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9) product (k = 10) (%x[i, k] : memref<11x10xf64>, %w[k, j] : memref<10x9xf64>) : f64
      outs(%y[i, j] : memref<11x9xf64>) schedule(#sinter.brgemm<kernel = "fma256", m = 4, n = 8, k = 16, lanes = 4>) {
  ^row(%a: tensor<9xf64>):
    sinter.yield %a : tensor<9xf64>
  }
  return
}

// -----

// A convolution whose lines are shorter than its image's is copied in runs along them: the padding at both ends is
// stored, what lies between is loaded by whole vectors and a last one with a mask, and nothing is compared element by
// element.

// CHECK-LABEL: func.func private @padded_task(
//       CHECK:   scf.for {{.*}} iter_args(
//       CHECK:     scf.for {{.*}} iter_args(
//       CHECK:       %[[LOW:.+]] = arith.maxsi
//       CHECK:       scf.for
//  CHECK-NEXT:         %[[AT:.+]] = arith.addi
//  CHECK-NEXT:         memref.store %cst{{.*}}, %{{.+}}[%{{.+}}, %[[AT]]] : memref<16x8xf32>
//       CHECK:       scf.for
//       CHECK:         vector.load %{{.+}} : memref<96xf32>, vector<4xf32>
//   CHECK-NOT:         arith.select
//       CHECK:         vector.store %{{.+}} : memref<16x8xf32>, vector<4xf32>
//       CHECK:       scf.if
//       CHECK:         vector.maskedload
//       CHECK:         vector.maskedstore
//       CHECK:       scf.for
//  CHECK-NEXT:         %[[AT:.+]] = arith.addi
//  CHECK-NEXT:         memref.store %cst{{.*}}, %{{.+}}[%{{.+}}, %[[AT]]]
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @padded(%w: memref<3x2x3xf32>, %x: memref<2x6x8xf32>, %y: memref<3x6x7xf32>) attributes {sinter.kernel} {
  sinter.contract (f = 3) by (h = 6, w = 7) product (c = 2, n = 3)
      (%w[f, c, n] : memref<3x2x3xf32>, %x[c, h, w + n - 1] : memref<2x6x8xf32> else 0.0) : f32
      outs(%y[f, h, w] : memref<3x6x7xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 3, n = 8, k = 16, lanes = 4>) {
  ^row(%a: tensor<42xf32>):
    sinter.yield %a : tensor<42xf32>
  }
  return
}

// -----

// Row dimensions that only one side uses count as one: 22 rows are 6 blocks of 4, read in place.

// CHECK-LABEL: func.func private @rows_together(
//       CHECK:   %c6_i64 = arith.constant 6 : i64
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c6_i64)
// CHECK-LABEL: func.func private @rows_together_task(
//   CHECK-NOT:   memref.load
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @rows_together(%x: memref<2x11x10xf32>, %w: memref<10x9xf32>, %y: memref<2x11x9xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, i = 11) by (j = 9) product (k = 10) (%x[b, i, k] : memref<2x11x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[b, i, j] : memref<2x11x9xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 16, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// But not where that would copy a side that is read in place now: rows of two slices are not evenly spaced.

// CHECK-LABEL: func.func private @rows_apart_task(
//   CHECK-NOT:   memref.load
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @rows_apart(%x: memref<2x12x10xf32>, %w: memref<10x9xf32>, %y: memref<2x11x9xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, i = 11) by (j = 9) product (k = 10) (%x[b, i, k] : memref<2x12x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[b, i, j] : memref<2x11x9xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 11, n = 16, k = 16, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// Few rows: columns are tasks, 3 of 4 (the last has 1).

// CHECK-LABEL: func.func private @columns(
//       CHECK:   %c3_i64 = arith.constant 3 : i64
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c3_i64)
// CHECK-LABEL: func.func private @columns_task(
//       CHECK:   %[[FROM:.+]] = arith.muli %{{.+}}, %c4
//       CHECK:   %[[END:.+]] = arith.addi %[[FROM]], %c4
//       CHECK:   %[[TO:.+]] = arith.minsi %[[END]], %c9
//       CHECK:   scf.for %{{.+}} = %[[FROM]] to %[[TO]] step %c4
func.func private @columns(%x: memref<2x10xf32>, %w: memref<10x9xf32>, %y: memref<2x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i, j] : memref<2x9xf32>) schedule(#sinter.brgemm<m = 2, n = 4, k = 16, columns = 4, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}
