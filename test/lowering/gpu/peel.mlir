// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// 5 rows of 131 by vectors of 4, two for each of 32 threads: the first may begin before the row, the second end behind
// it. 655 elements are no multiple of 4: the last vector of all is loaded by elements. Aligned, whichever row it is.

// CHECK-LABEL: gpu.func @peel
//       CHECK:   scf.for %[[ROW:.+]] =
//       CHECK:     %[[START:.+]] = arith.muli %[[ROW]], %c131
//       CHECK:     %[[N0:.+]] = arith.constant 131 : i32
//       CHECK:     %[[ALL0:.+]] = vector.broadcast %[[N0]] : i32 to vector<4xi32>
//       CHECK:     %[[MASK0:.+]] = arith.cmpi ult, %{{.+}}, %[[ALL0]] : vector<4xi32>
//       CHECK:     arith.cmpi ult, %{{.+}}, %c128
//       CHECK:     %[[LAST:.+]] = arith.minui
//       CHECK:     %[[N1:.+]] = arith.constant 131 : i32
//       CHECK:     %[[ALL1:.+]] = vector.broadcast %[[N1]] : i32 to vector<4xi32>
//       CHECK:     %[[MASK1:.+]] = arith.cmpi ult, %{{.+}}, %[[ALL1]] : vector<4xi32>
//       CHECK:     vector.load %{{.+}} {alignment = 16 : i64} : memref<655xf32>, vector<4xf32>
//       CHECK:     arith.select %[[MASK0]]
//       CHECK:     scf.if %{{.+}} -> (vector<4xf32>)
//       CHECK:       vector.load
//       CHECK:     } else {
// CHECK-COUNT-4:     memref.load
//       CHECK:     arith.select %[[MASK1]]
//       CHECK:     scf.if
//       CHECK:       vector.store %{{.+}} {alignment = 16 : i64}
//       CHECK:     } else {
// CHECK-COUNT-4:     memref.store
func.func private @peel(%x: memref<5x131xf32>, %y: memref<5x131xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 131) ins(%x[i, j] : memref<5x131xf32>) outs(%y[i, j] : memref<5x131xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "registers">) {
  ^row(%a: tensor<131xf32>):
    %s = sinter.row_reduce add %a : tensor<131xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<131xf32>
    %q = arith.subf %a, %sb : tensor<131xf32>
    sinter.yield %q : tensor<131xf32>
  }
  return
}

// Weights of channels of 35 columns: a vector has those of its first and of its last lane, the latter from where its
// channel begins.

// CHECK-LABEL: gpu.func @channels
//       CHECK:     %[[FIRST:.+]] = memref.load %{{.+}} : memref<6xf32>
//       CHECK:     %[[LAST:.+]] = memref.load %{{.+}} : memref<6xf32>
//       CHECK:     %[[OVER:.+]] = arith.remui %[[COLUMN:.+]], %c35
//       CHECK:     %[[BEGIN:.+]] = arith.subi %[[COLUMN]], %[[OVER]]
//       CHECK:     %[[BEHIND:.+]] = arith.cmpi sge, %{{.+}}, %{{.+}} : vector<4xi32>
//       CHECK:     %[[LASTS:.+]] = vector.broadcast %[[LAST]]
//       CHECK:     %[[FIRSTS:.+]] = vector.broadcast %[[FIRST]]
//       CHECK:     arith.select %[[BEHIND]], %[[LASTS]], %[[FIRSTS]]
func.func private @channels(%x: memref<5x3x35xf32>, %w: memref<6xf32>, %y: memref<5x3x35xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (k = 3, l = 35) ins(%x[i, k, l] : memref<5x3x35xf32>, %w[k + 3] : memref<6xf32>) outs(%y[i, k, l] : memref<5x3x35xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "registers">) {
  ^row(%a: tensor<105xf32>, %b: tensor<105xf32>):
    %s = sinter.row_reduce add %a : tensor<105xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<105xf32>
    %q = arith.subf %a, %sb : tensor<105xf32>
    %p = arith.mulf %q, %b : tensor<105xf32>
    sinter.yield %p : tensor<105xf32>
  }
  return
}
