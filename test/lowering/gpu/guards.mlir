// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// What is searched only where a row has a NaN is under a branch, and so is where its threads meet: those of a warp by
// what any of them says.

// CHECK-LABEL: gpu.func @first
//       CHECK:     %[[M:.+]] = arith.maximumf
//       CHECK:     %[[NAN:.+]] = arith.cmpf uno
//       CHECK:     %[[ANY:.+]] = nvvm.vote.sync any %{{.+}}, %[[NAN]]
//       CHECK:     %[[P:.+]] = scf.if %[[ANY]] -> (i64) {
//       CHECK:       arith.cmpf uno
//       CHECK:       gpu.shuffle
//       CHECK:       scf.yield
//       CHECK:     } else {
//   CHECK-NOT:       gpu.shuffle
//       CHECK:       scf.yield
//       CHECK:     }
//       CHECK:     arith.select %[[NAN]], %[[P]]
func.func private @first(%x: memref<4x8xf32>, %y: memref<4xi64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i] : memref<4xi64>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 1, vector = 1, residency = "registers", team = 2>) {
  ^row(%a: tensor<8xf32>):
    %none = arith.constant 99 : i64
    %index = sinter.index j : tensor<8xindex>
    %at = arith.index_cast %index : tensor<8xindex> to tensor<8xi64>
    %m = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %nans = sinter.broadcast %nan : i1 -> tensor<8xi1>
    %is = arith.cmpf uno, %a, %a : tensor<8xf32>
    %both = arith.andi %is, %nans : tensor<8xi1>
    %nones = sinter.broadcast %none : i64 -> tensor<8xi64>
    %where = arith.select %both, %at, %nones : tensor<8xi1>, tensor<8xi64>
    %first = sinter.row_reduce minsi %where : tensor<8xi64> -> i64
    %r = arith.select %nan, %first, %none : i64
    sinter.yield %r : i64
  }
  return
}
