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

func.func private @vectors(%x: memref<3x19x100xf32>, %y: memref<3x19x100xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "tile" needs residency = "registers" or "reread", vector = 1, cluster = 1 and 64 threads or more}}
  sinter.rowwise (i = 3, k = 100) by (j = 19) ins(%x[i, j, k] : memref<3x19x100xf32>) outs(%y[i, j, k] : memref<3x19x100xf32>)
      schedule(#sinter.gpu_rows<threads = 128, blocks = 5, vector = 4, shape = "tile">) {
  ^row(%a: tensor<19xf32>):
    sinter.yield %a : tensor<19xf32>
  }
  return
}

// -----

// Rows that are read again: each warp goes over its columns. What is only searched where a maximum is NaN is left out
// by all warps alike, where none of the 32 rows has one.

// CHECK-LABEL: gpu.func @searched
//       CHECK:   %[[WARP:.+]] = arith.divui %thread_id_x, %c32
//       CHECK:   scf.for
//       CHECK:     gpu.barrier
//       CHECK:     %[[NAN:.+]] = arith.cmpf uno
//       CHECK:     %[[ANY:.+]] = nvvm.vote.sync any %{{.+}}, %[[NAN]] -> i1
//       CHECK:     scf.if %[[ANY]]
//       CHECK:       scf.for
func.func private @searched(%x: memref<3x190x100xf32>, %y: memref<3x100xi64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, k = 100) by (j = 190) ins(%x[i, j, k] : memref<3x190x100xf32>) outs(%y[i, k] : memref<3x100xi64>)
      schedule(#sinter.gpu_rows<threads = 128, blocks = 5, shape = "tile">) {
  ^row(%a: tensor<190xf32>):
    %none = arith.constant -1 : i64
    %most = arith.constant 190 : i64
    %m = sinter.row_reduce maximumf %a : tensor<190xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %nans = arith.cmpf uno, %a, %a : tensor<190xf32>
    %some = sinter.broadcast %nan : i1 -> tensor<190xi1>
    %here = arith.andi %nans, %some : tensor<190xi1>
    %j = sinter.index j : tensor<190xindex>
    %at = arith.index_cast %j : tensor<190xindex> to tensor<190xi64>
    %far = sinter.broadcast %most : i64 -> tensor<190xi64>
    %p = arith.select %here, %at, %far : tensor<190xi1>, tensor<190xi64>
    %f = sinter.row_reduce minsi %p : tensor<190xi64> -> i64
    %r = arith.select %nan, %f, %none : i64
    sinter.yield %r : i64
  }
  return
}
