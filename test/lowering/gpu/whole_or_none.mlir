// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// What is not there outside of an operand, in lines of whole vectors that begin at multiples of them: a vector is there
// or not, and one load of it. Where it may be there in part, its lanes are loaded by themselves.

// CHECK-LABEL: gpu.func @halves
//       CHECK:   %[[IN:.+]] = arith.andi
//       CHECK:   %[[X:.+]] = vector.load %{{.+}} {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
//       CHECK:   arith.select %[[IN]], %[[X]], %{{.+}} : vector<4xf32>
//   CHECK-NOT:   memref.load
func.func private @halves(%x: memref<4x16xf32>, %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 16) ins(%x[i, j + 8] : memref<4x16xf32> else 0.0) outs(%y[i, j] : memref<4x16xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<16xf32>):
    %b = arith.negf %a : tensor<16xf32>
    sinter.yield %b : tensor<16xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @shifted
// CHECK-COUNT-4:   memref.load
func.func private @shifted(%x: memref<4x16xf32>, %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 16) ins(%x[i, j + 6] : memref<4x16xf32> else 0.0) outs(%y[i, j] : memref<4x16xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<16xf32>):
    %b = arith.negf %a : tensor<16xf32>
    sinter.yield %b : tensor<16xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @odd_lines
// CHECK-COUNT-4:   memref.load
func.func private @odd_lines(%x: memref<4x18xf32>, %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 16) ins(%x[i, j + 8] : memref<4x18xf32> else 0.0) outs(%y[i, j] : memref<4x16xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<16xf32>):
    %b = arith.negf %a : tensor<16xf32>
    sinter.yield %b : tensor<16xf32>
  }
  return
}
