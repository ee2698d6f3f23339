// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// A reduction that only the first side of a select reads runs where its condition holds.

// CHECK-LABEL: func.func private @guarded_task(
//       CHECK:   scf.for
//       CHECK:     arith.maximumf
//       CHECK:   %[[NAN:.+]] = arith.cmpf uno, %[[M:.+]], %[[M]] : f32
//       CHECK:   %[[R:.+]] = scf.if %[[NAN]] -> (f32) {
//       CHECK:     scf.for
//       CHECK:   } else {
//       CHECK:   arith.select %[[NAN]], %[[R]], %[[M]]
func.func private @guarded(%x: memref<4x32xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i] : memref<4xf32>) schedule(#sinter.rows<chunk = 1, lanes = 8>) {
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

// It is read elsewhere too.

// CHECK-LABEL: func.func private @read_twice_task(
//   CHECK-NOT:   scf.if
func.func private @read_twice(%x: memref<4x32xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i] : memref<4xf32>, %z[i] : memref<4xf32>) schedule(#sinter.rows<chunk = 1, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %mb = sinter.broadcast %m : f32 -> tensor<32xf32>
    %d = arith.subf %a, %mb : tensor<32xf32>
    %s = sinter.row_reduce add %d : tensor<32xf32> -> f32
    %r = arith.select %nan, %s, %m : f32
    sinter.yield %r, %s : f32, f32
  }
  return
}

// -----

// Its condition is known only after it.

// CHECK-LABEL: func.func private @same_phase_task(
//   CHECK-NOT:   scf.if
func.func private @same_phase(%x: memref<4x32xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i] : memref<4xf32>) schedule(#sinter.rows<chunk = 1, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    %r = arith.select %nan, %s, %m : f32
    sinter.yield %r : f32
  }
  return
}

// -----

// The other side of the select is what is left where it does not hold.

// CHECK-LABEL: func.func private @other_side_task(
//   CHECK-NOT:   scf.if
func.func private @other_side(%x: memref<4x32xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 32) ins(%x[i, j] : memref<4x32xf32>) outs(%y[i] : memref<4xf32>) schedule(#sinter.rows<chunk = 1, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32xf32> -> f32
    %nan = arith.cmpf uno, %m, %m : f32
    %mb = sinter.broadcast %m : f32 -> tensor<32xf32>
    %d = arith.subf %a, %mb : tensor<32xf32>
    %s = sinter.row_reduce add %d : tensor<32xf32> -> f32
    %r = arith.select %nan, %m, %s : f32
    sinter.yield %r : f32
  }
  return
}
