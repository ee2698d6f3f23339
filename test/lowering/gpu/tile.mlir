// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// A block has 32 pixels; its four warps have the classes 0, 4, 8, ..., 1, 5, 9, ... of them, which meet in shared
// memory.

// CHECK-LABEL: gpu.func @tile
//  CHECK-SAME:   memref<4x32xf32, #gpu.address_space<workgroup>>
//       CHECK:   %[[MEMBER:.+]] = arith.divui %thread_id_x, %c32
//       CHECK:   scf.for
//       CHECK:     arith.remui %thread_id_x, %c32
//       CHECK:     gpu.barrier
//       CHECK:     memref.store %{{.+}}, %[[SLOTS:.+]][%{{.+}}, %{{.+}}] : memref<4x32xf32
//       CHECK:     gpu.barrier
// CHECK-COUNT-4:   memref.load %[[SLOTS]]
//   CHECK-NOT:     gpu.shuffle
//       CHECK:   gpu.return
func.func private @tile(%x: memref<3x19x100xf32>, %y: memref<3x19x100xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, k = 100) by (j = 19) ins(%x[i, j, k] : memref<3x19x100xf32>) outs(%y[i, j, k] : memref<3x19x100xf32>)
      schedule(#sinter.gpu_rows<threads = 128, blocks = 5, vector = 1, shape = "tile", residency = "registers">) {
  ^row(%a: tensor<19xf32>):
    %s = sinter.row_reduce add %a : tensor<19xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<19xf32>
    %q = arith.subf %a, %sb : tensor<19xf32>
    sinter.yield %q : tensor<19xf32>
  }
  return
}

// -----

func.func private @not_kept(%x: memref<3x19x100xf32>, %y: memref<3x19x100xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "tile" needs residency = "registers", vector = 1, cluster = 1 and 64 threads or more}}
  sinter.rowwise (i = 3, k = 100) by (j = 19) ins(%x[i, j, k] : memref<3x19x100xf32>) outs(%y[i, j, k] : memref<3x19x100xf32>)
      schedule(#sinter.gpu_rows<threads = 128, blocks = 5, vector = 1, shape = "tile">) {
  ^row(%a: tensor<19xf32>):
    sinter.yield %a : tensor<19xf32>
  }
  return
}
