// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// A softmax of rows in registers: an fma and an exponential of each element in each phase; in the second what is one
// for the row is one factor, 1 / s times what rounding m log2 e has left.

// CHECK-LABEL: gpu.func @softmax
//       CHECK:   %[[X:.+]] = vector.load
//       CHECK:   math.fma %[[X]], %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK-COUNT-4: llvm.nvvm.ex2.approx.ftz
//       CHECK:   gpu.barrier
//       CHECK:   %[[BIG:.+]] = arith.cmpf ogt
//       CHECK:   %[[F:.+]] = arith.select %[[BIG]], %{{.+}}, %{{.+}} : f32
//       CHECK:   %[[R:.+]] = arith.mulf %[[M:.+]], %[[F]] : f32
//       CHECK:   %[[MINUS:.+]] = arith.negf %[[R]]
//       CHECK:   %[[REST:.+]] = math.fma %[[M]], %[[F]], %[[MINUS]]
//       CHECK:   arith.select %[[BIG]]
//  CHECK-NEXT:   %[[C:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
//       CHECK:   math.fma %[[X]], %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK-COUNT-4: llvm.nvvm.ex2.approx.ftz
//       CHECK:   %[[P:.+]] = vector.from_elements
//       CHECK:   %[[K:.+]] = arith.mulf %{{.+}}, %[[C]] : f32
//       CHECK:   %[[KS:.+]] = vector.broadcast %[[K]]
//       CHECK:   arith.mulf %[[P]], %[[KS]] : vector<4xf32>
//   CHECK-NOT:   math.fma
//       CHECK:   vector.store
func.func private @softmax(%x: memref<3x256xf32>, %y: memref<3x256xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 256) ins(%x[i, j] : memref<3x256xf32>) outs(%y[i, j] : memref<3x256xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 3, vector = 4, residency = "registers">) {
  ^row(%a: tensor<256xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<256xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<256xf32>
    %d = arith.subf %a, %mb : tensor<256xf32>
    %e = math.exp %d : tensor<256xf32>
    %s = sinter.row_reduce add %e : tensor<256xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<256xf32>
    %q = arith.divf %e, %sb : tensor<256xf32>
    sinter.yield %q : tensor<256xf32>
  }
  return
}
