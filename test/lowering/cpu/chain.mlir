// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=sinter.contract --implicit-check-not=sinter.rowwise

// Two products in one task: what the first one's row program gives lies in memory of 4 rows, the task's slot. It is
// read and written as a memref of all 11 rows that begins as many rows in front of it as the block's first row has,
// and the second product takes it as it lies there.

// CHECK-LABEL: func.func private @two(
//       CHECK:   memref.alloca() {{.*}} : memref<12x9xf32>
// CHECK-LABEL: func.func private @two_task(
//       CHECK:   %[[TAKEN:.+]] = call @sinter_rt_take_slot(
//       CHECK:   %[[TASK:.+]] = arith.index_cast %[[TAKEN]] : i64 to index
//       CHECK:   scf.for
//       CHECK:     %[[I:.+]] = arith.muli %{{.+}}, %c4 : index
//       CHECK:     %[[ROW:.+]] = arith.addi %{{.+}}, %[[I]] : index
//       CHECK:     %[[SLOT:.+]] = arith.muli %[[TASK]], %c4 : index
//       CHECK:     %[[ROWS:.+]] = arith.subi %[[SLOT]], %[[ROW]] : index
//       CHECK:     %[[BASE:.+]] = memref.extract_aligned_pointer_as_index %[[MEMORY:.+]] : memref<12x9xf32> -> index
//       CHECK:     %[[BYTES:.+]] = arith.muli %[[ROWS]], %c36 : index
//       CHECK:     arith.addi %[[BASE]], %[[BYTES]]
//       CHECK:     %[[WINDOW:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<11x9xf32>
//       CHECK:     scf.for %{{.+}} = %c0 to %c9 step %c4
//       CHECK:       call @sinter_rt_brgemm_f32(
//       CHECK:       math.exp
//       CHECK:       vector.store %{{.+}}, %[[WINDOW]][
//       CHECK:     scf.for %{{.+}} = %c0 to %c9 step %c6
//   CHECK-NOT:       memref.store
//       CHECK:       memref.reinterpret_cast %[[WINDOW]]
//       CHECK:       call @sinter_rt_brgemm_f32(
func.func private @two(%x: memref<11x10xf32>, %w: memref<10x9xf32>, %v: memref<9x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9) by (o = 3)
      product (k = 10) (%x[i, k] : memref<11x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      matrix (j) to (o) (%v[j, o] : memref<9x3xf32>)
      outs(%y[i, o] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4>) {
  ^row(%a: tensor<9xf32>, %m: tensor<9x3xf32>):
    %e = math.exp %a : tensor<9xf32>
    %o = sinter.row_product %e, %m : tensor<9xf32>, tensor<9x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return
}

// -----

// Rows that come from memory are multiplied; a number of each row crosses too.

// CHECK-LABEL: func.func private @softmax_task(
//       CHECK:     scf.for
//       CHECK:     %[[P:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<11x9xf32>
//       CHECK:     %[[SUM:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<11xf32>
//       CHECK:     scf.for
//       CHECK:       arith.maximumf
//       CHECK:       vector.store %{{.+}}, %[[P]][
//       CHECK:       memref.store %{{.+}}, %[[SUM]][
//       CHECK:     call @sinter_rt_brgemm_f32(
//       CHECK:     scf.for
//       CHECK:       %[[Z:.+]] = memref.load %[[SUM]][
//       CHECK:       arith.divf %{{.+}}, %[[Z]]
func.func private @softmax(%x: memref<11x9xf32>, %v: memref<9x3xf32>, %y: memref<11x3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 11) by (j = 9) by (o = 3)
      matrix (j) to (o) (%v[j, o] : memref<9x3xf32>)
      ins(%x[i, j] : memref<11x9xf32>)
      outs(%y[i, o] : memref<11x3xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4>) {
  ^row(%m: tensor<9x3xf32>, %a: tensor<9xf32>):
    %mx = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<9xf32>
    %d = arith.subf %a, %mb : tensor<9xf32>
    %e = math.exp %d : tensor<9xf32>
    %s = sinter.row_reduce add %e : tensor<9xf32> -> f32
    %o = sinter.row_product %e, %m : tensor<9xf32>, tensor<9x3xf32> -> tensor<3xf32>
    %sb = sinter.broadcast %s : f32 -> tensor<3xf32>
    %r = arith.divf %o, %sb : tensor<3xf32>
    sinter.yield %r : tensor<3xf32>
  }
  return
}

// -----

// What both segments reduce is finished behind the task: sums of tasks in order, a total of each in memory, the finish.

// CHECK-LABEL: func.func private @finished(
//       CHECK:   call @sinter_rt_parallel(
//       CHECK:   scf.for %{{.+}} = %c0 to %c3
//       CHECK:   arith.truncf
//       CHECK:   scf.for %{{.+}} = %c0 to %c3
//       CHECK:   arith.divf
//       CHECK:   memref.store %{{.+}} : memref<f32>
func.func private @finished(%x: memref<11x10xf32>, %w: memref<10x9xf32>, %v: memref<9x3xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9) by (o = 3)
      product (k = 10) (%x[i, k] : memref<11x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      matrix (j) to (o) (%v[j, o] : memref<9x3xf32>)
      reduce(add [] : f32, maximumf [] : f32)
      outs(%y[] : memref<f32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 6, lanes = 4>) {
  ^row(%a: tensor<9xf32>, %m: tensor<9x3xf32>):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    %o = sinter.row_product %a, %m : tensor<9xf32>, tensor<9x3xf32> -> tensor<3xf32>
    %t = sinter.row_reduce maximumf %o : tensor<3xf32> -> f32
    sinter.yield %s, %t : f32, f32
  } finish {
  ^done(%s: f32, %t: f32):
    %q = arith.divf %s, %t : f32
    sinter.yield %q : f32
  }
  return
}
