// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// The first row is asked for in front of the loop; in it each row's vectors come from shared memory, whose size the
// launch says, and the next row is asked for before this one is used.

// CHECK-LABEL: func.func private @ahead
//       CHECK: call @sinter_rt_launch({{.*}}%c1536_i64
//       CHECK: gpu.func @ahead
//  CHECK-SAME:   memref<1536xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}
//       CHECK:   "cp.async.cg.shared.global [$0], [$1], 16;"
//       CHECK:   scf.for %[[ROW:.+]] = %block_id_x to %c5
//       CHECK:     %[[NEXT:.+]] = arith.addi %[[ROW]], %c3
//       CHECK:     "cp.async.wait_all;"
// CHECK-COUNT-3:   vector.load %{{.+}} {alignment = 16 : i64} : memref<96x4xf32, #gpu.address_space<workgroup>>
//       CHECK:     arith.cmpi ult, %[[NEXT]]
//       CHECK:     scf.if
// CHECK-COUNT-3:     "cp.async.cg.shared.global [$0], [$1], 16;"
//   CHECK-NOT:     cp.async
//       CHECK:     gpu.shuffle
func.func private @ahead(%x: memref<5x380xf32>, %y: memref<5x380xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 380) ins(%x[i, j] : memref<5x380xf32>) outs(%y[i, j] : memref<5x380xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "registers", ahead = 1>) {
  ^row(%a: tensor<380xf32>):
    %s = sinter.row_reduce add %a : tensor<380xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<380xf32>
    %q = arith.subf %a, %sb : tensor<380xf32>
    sinter.yield %q : tensor<380xf32>
  }
  return
}
