// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Every second of 32 neighbours, of which the image has some; as integers, for LLVM takes vectors of half types
// apart to shuffle them.

// CHECK-LABEL: func private @windows_task(
//       CHECK:   %[[X:.+]] = vector.maskedload %{{.+}}, %{{.+}}, %{{.+}} : memref<4x40xbf16>, vector<32xi1>, vector<32xbf16> into vector<32xbf16>
//       CHECK:   %[[I:.+]] = vector.bitcast %[[X]] : vector<32xbf16> to vector<32xi16>
//       CHECK:   %[[E:.+]] = vector.shuffle %[[I]], %[[I]] [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]
//       CHECK:   vector.bitcast %[[E]] : vector<16xi16> to vector<16xbf16>
func.func @windows(%x: memref<4x40xbf16>, %w: memref<3xbf16>, %y: memref<4x20xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4, j = 20) by (k = 3) ins(%x[i, j * 2 + k - 1] : memref<4x40xbf16> else 0.0, %w[k] : memref<3xbf16>)
      outs(%y[i, j] : memref<4x20xf32>) schedule(#sinter.rows<along = "rows", lanes = 16, steps = "together">) {
  ^row(%a: tensor<3xbf16>, %b: tensor<3xbf16>):
    %u = arith.extf %a : tensor<3xbf16> to tensor<3xf32>
    %v = arith.extf %b : tensor<3xbf16> to tensor<3xf32>
    %p = arith.mulf %u, %v : tensor<3xf32>
    %t = sinter.row_reduce add %p : tensor<3xf32> -> f32
    sinter.yield %t : f32
  }
  return
}

// -----

// Without bounds nothing behind the last lane is read; apart, each lane is loaded by itself.

// CHECK-LABEL: func private @thirds_task(
//       CHECK:   %[[M:.+]] = vector.constant_mask [22] : vector<24xi1>
//       CHECK:   vector.maskedload %{{.+}}, %[[M]], %{{.+}} : memref<4x62xf16>, vector<24xi1>, vector<24xf16>
// CHECK-LABEL: func private @apart_task(
//   CHECK-NOT:   vector.maskedload
//       CHECK:   vector.from_elements
func.func @thirds(%x: memref<4x62xf16>, %y: memref<4x20xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4, j = 20) by (k = 3) ins(%x[i, j * 3 + k] : memref<4x62xf16>) outs(%y[i, j] : memref<4x20xf16>)
      schedule(#sinter.rows<along = "rows", lanes = 8, steps = "together">) {
  ^row(%a: tensor<3xf16>):
    %t = sinter.row_reduce maximumf %a : tensor<3xf16> -> f16
    sinter.yield %t : f16
  }
  return
}
func.func @apart(%x: memref<4x62xf16>, %y: memref<4x20xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4, j = 20) by (k = 3) ins(%x[i, j * 3 + k] : memref<4x62xf16>) outs(%y[i, j] : memref<4x20xf16>)
      schedule(#sinter.rows<along = "rows", lanes = 8>) {
  ^row(%a: tensor<3xf16>):
    %t = sinter.row_reduce maximumf %a : tensor<3xf16> -> f16
    sinter.yield %t : f16
  }
  return
}
