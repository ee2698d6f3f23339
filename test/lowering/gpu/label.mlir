// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// The gradient of a label's probability: vectors are stored as if no column were the label, then the thread that has
// the label's vector stores that element again. The row's value is left and counted by the first warp of the block
// alone, without a barrier.

// CHECK-LABEL: gpu.func @gradient
//       CHECK:   vector.load
//   CHECK-NOT:   arith.cmpi {{.*}} vector<4xi32>
//       CHECK:   vector.store
//       CHECK:   %[[FAR:.+]] = arith.subi %{{.+}}, %{{.+}} : i32
//       CHECK:   %[[LANE:.+]] = arith.andi %[[FAR]], %c255_i32
//       CHECK:   arith.cmpi ult, %[[LANE]], %c4_i32
//       CHECK:   scf.if
//       CHECK:     arith.select
//       CHECK:     memref.store
//   CHECK-NOT:   gpu.barrier
//       CHECK:   nvvm.bar.warp.sync
//   CHECK-NOT:   gpu.barrier
//       CHECK:   gpu.return
func.func private @gradient(%x: memref<3x256xf32>, %t: memref<3xi64>, %l: memref<f32>, %y: memref<3x256xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 256) ins(%x[i, j] : memref<3x256xf32>, %t[i] : memref<3xi64>)
      reduce(add [] : f32) outs(%l[] : memref<f32>, %y[i, j] : memref<3x256xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 3, vector = 4, residency = "registers">) {
  ^row(%a: tensor<256xf32>, %label: i64):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %s = sinter.row_reduce add %a : tensor<256xf32> -> f32
    %v = arith.mulf %s, %s : f32
    %sb = sinter.broadcast %s : f32 -> tensor<256xf32>
    %q = arith.divf %a, %sb : tensor<256xf32>
    %at = arith.index_cast %label : i64 to index
    %j = sinter.index j : tensor<256xindex>
    %ats = sinter.broadcast %at : index -> tensor<256xindex>
    %hot = arith.cmpi eq, %j, %ats : tensor<256xindex>
    %ones = sinter.broadcast %one : f32 -> tensor<256xf32>
    %zeros = sinter.broadcast %zero : f32 -> tensor<256xf32>
    %k = arith.select %hot, %ones, %zeros : tensor<256xi1>, tensor<256xf32>
    %g = arith.subf %q, %k : tensor<256xf32>
    sinter.yield %v, %g : f32, tensor<256xf32>
  }
  return
}
