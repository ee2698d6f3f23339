// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// What a loop is like is in the schedule: the same program twice, with a key and without it.

// Two reductions of four vectors are eight accumulators; six at most leave three vectors.

// CHECK-LABEL: func.func private @carried_task(
//       CHECK:   scf.for {{.+}} to %{{.+}} step %c24 iter_args
// CHECK-LABEL: func.func private @sixteen_task(
//       CHECK:   scf.for {{.+}} to %c96 step %c32 iter_args
func.func private @carried(%x: memref<4x100xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 100) ins(%x[i, j] : memref<4x100xf32>)
      outs(%y[i] : memref<4xf32>, %z[i] : memref<4xf32>)
      schedule(#sinter.rows<carried = 6, lanes = 8, unroll = 4>) {
  ^row(%a: tensor<100xf32>):
    %s = sinter.row_reduce add %a : tensor<100xf32> -> f32
    %m = sinter.row_reduce maximumf %a : tensor<100xf32> -> f32
    sinter.yield %s, %m : f32, f32
  }
  return
}
func.func private @sixteen(%x: memref<4x100xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 100) ins(%x[i, j] : memref<4x100xf32>)
      outs(%y[i] : memref<4xf32>, %z[i] : memref<4xf32>) schedule(#sinter.rows<lanes = 8, unroll = 4>) {
  ^row(%a: tensor<100xf32>):
    %s = sinter.row_reduce add %a : tensor<100xf32> -> f32
    %m = sinter.row_reduce maximumf %a : tensor<100xf32> -> f32
    sinter.yield %s, %m : f32, f32
  }
  return
}

// -----

// A maximum and a sum for each of two vectors: three values are too many for a third.

// CHECK-LABEL: func.func private @carried_online_task(
//       CHECK:   scf.for {{.+}} step %c16 iter_args
func.func private @carried_online(%x: memref<4x128xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 128) ins(%x[i, j] : memref<4x128xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<carried_online = 3, lanes = 8, maximum = "online", unroll = 4>) {
  ^row(%a: tensor<128xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<128xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<128xf32>
    %d = arith.subf %a, %b : tensor<128xf32>
    %e = math.exp %d : tensor<128xf32>
    %s = sinter.row_reduce add %e : tensor<128xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A loop that reduces nothing has one vector in a step, whatever unroll is, or as many as plain says.

// CHECK-LABEL: func.func private @plain_task(
//       CHECK:   scf.for {{.+}} to %c96 step %c24
// CHECK-LABEL: func.func private @one_task(
//       CHECK:   scf.for {{.+}} to %c96 step %c8
func.func private @plain(%x: memref<4x96xf32>, %y: memref<4x96xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 96) ins(%x[i, j] : memref<4x96xf32>) outs(%y[i, j] : memref<4x96xf32>)
      schedule(#sinter.rows<lanes = 8, plain = 3, unroll = 4>) {
  ^row(%a: tensor<96xf32>):
    %n = arith.negf %a : tensor<96xf32>
    sinter.yield %n : tensor<96xf32>
  }
  return
}
func.func private @one(%x: memref<4x96xf32>, %y: memref<4x96xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 96) ins(%x[i, j] : memref<4x96xf32>) outs(%y[i, j] : memref<4x96xf32>)
      schedule(#sinter.rows<lanes = 8, unroll = 4>) {
  ^row(%a: tensor<96xf32>):
    %n = arith.negf %a : tensor<96xf32>
    sinter.yield %n : tensor<96xf32>
  }
  return
}

// -----

// Halves apart are stored vector by vector (together: rowpairs.mlir).

// CHECK-LABEL: func.func private @apart_task(
//       CHECK:   scf.for {{.+}} to %c48 step %c8
//   CHECK-NOT:   vector.shuffle
//       CHECK:   vector.store {{.+}} vector<8xf16>
func.func private @apart(%x: memref<3x48xf16>, %y: memref<3x48xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 48) ins(%x[i, j] : memref<3x48xf16>) outs(%y[i, j] : memref<3x48xf16>)
      schedule(#sinter.rows<halves = "apart", lanes = 8>) {
  ^row(%a: tensor<48xf16>):
    %n = arith.negf %a : tensor<48xf16>
    sinter.yield %n : tensor<48xf16>
  }
  return
}

// -----

// Along rows, five columns are a loop where no more than four are written out.

// CHECK-LABEL: func.func private @loop_task(
//       CHECK:   scf.for {{.+}} = %c0 to %c16 step %c8
//       CHECK:     scf.for {{.+}} = %c0 to %c5 step %c1
// CHECK-LABEL: func.func private @written_out_task(
//       CHECK:   scf.for {{.+}} = %c0 to %c16 step %c8
//   CHECK-NOT:     scf.for
func.func private @loop(%x: memref<5x16xf32>, %y: memref<16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 16) by (j = 5) ins(%x[j, i] : memref<5x16xf32>) outs(%y[i] : memref<16xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 16, lanes = 8, written_out = 4>) {
  ^row(%a: tensor<5xf32>):
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
func.func private @written_out(%x: memref<5x16xf32>, %y: memref<16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 16) by (j = 5) ins(%x[j, i] : memref<5x16xf32>) outs(%y[i] : memref<16xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 16, lanes = 8, written_out = 5>) {
  ^row(%a: tensor<5xf32>):
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Guarded loops run all the same (skipped: guards.mlir).

// CHECK-LABEL: func.func private @run_task(
//   CHECK-NOT:   scf.if
//       CHECK:   arith.select
func.func private @run(%x: memref<4x32xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<guards = "run", lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %mb = sinter.broadcast %m : f32 -> tensor<32xf32>
    %d = arith.subf %a, %mb : tensor<32xf32>
    %s = sinter.row_reduce add %d : tensor<32xf32> -> f32
    %r = arith.select %nan, %s, %m : f32
    sinter.yield %r : f32
  }
  return
}

// -----

// 128 bytes of exponentials lie on the stack, 127 bytes of stack do not hold them.

// CHECK-LABEL: func.func private @on_stack_task(
//       CHECK:   memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK-LABEL: func.func private @allocated_task(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<32xf32>
func.func private @on_stack(%x: memref<4x32xf32>, %y: memref<4x32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i, j] : memref<4x32xf32>)
      schedule(#sinter.rows<lanes = 8, residency = "buffer", stack = 128>) {
  ^row(%a: tensor<32xf32>):
    %e = math.exp %a : tensor<32xf32>
    %s = sinter.row_reduce add %e : tensor<32xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<32xf32>
    %p = arith.divf %e, %b : tensor<32xf32>
    sinter.yield %p : tensor<32xf32>
  }
  return
}
func.func private @allocated(%x: memref<4x32xf32>, %y: memref<4x32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i, j] : memref<4x32xf32>)
      schedule(#sinter.rows<lanes = 8, residency = "buffer", stack = 127>) {
  ^row(%a: tensor<32xf32>):
    %e = math.exp %a : tensor<32xf32>
    %s = sinter.row_reduce add %e : tensor<32xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<32xf32>
    %p = arith.divf %e, %b : tensor<32xf32>
    sinter.yield %p : tensor<32xf32>
  }
  return
}

// -----

// Memory is asked for 4096 bytes ahead, and again 1024 bytes ahead.

// CHECK-LABEL: func.func private @near_task(
//       CHECK:   %[[FAR:.+]] = arith.addi %[[J:.+]], %c1024
//       CHECK:   memref.prefetch %{{.+}}[%{{.+}}, %[[FAR]]], read, locality<2>
//       CHECK:   %[[NEAR:.+]] = arith.addi %[[J]], %c256
//       CHECK:   memref.prefetch %{{.+}}[%{{.+}}, %[[NEAR]]], read, locality<3>
func.func private @near(%x: memref<4x4096xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 4096) ins(%x[i, j] : memref<4x4096xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<lanes = 16, near = 1024, prefetch = 4096>) {
  ^row(%a: tensor<4096xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
