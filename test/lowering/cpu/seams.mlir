// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Columns of 3 images of 15: a vector of 16 has lanes of two images at most, each in one piece of memory. What an image
// has one of is selected by the same lanes.

// CHECK-LABEL: func.func private @images_task
//       CHECK:   %[[AT:.+]] = arith.remui %[[C:.+]], %c15
//       CHECK:   %[[LEFT:.+]] = arith.subi %c15, %[[AT]]
//       CHECK:   %[[NEXT:.+]] = arith.addi %[[C]], %[[LEFT]]
//       CHECK:   %[[MORE:.+]] = arith.cmpi ult, %[[NEXT]], %c45
//       CHECK:   arith.select %[[MORE]]
//       CHECK:   %[[HERE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : vector<16xi32>
//       CHECK:   %[[THERE:.+]] = arith.xori %[[HERE]], %{{.+}} : vector<16xi1>
//       CHECK:   %[[X:.+]] = vector.maskedload %[[M:.+]][%{{.+}}], %[[HERE]], %{{.+}} : memref<90xf32>
//       CHECK:   vector.maskedload %[[M]][%{{.+}}], %[[THERE]], %[[X]] : memref<90xf32>
//       CHECK:   arith.select %[[HERE]], %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
//   CHECK-NOT:   vector.from_elements
//       CHECK:   vector.maskedstore %[[Y:.+]][%{{.+}}], %[[HERE]], %[[V:.+]] : memref<90xf32>
//       CHECK:   vector.maskedstore %[[Y]][%{{.+}}], %[[THERE]], %[[V]] : memref<90xf32>
func.func private @images(%x: memref<3x2x3x5xf32>, %s: memref<3xf32>, %y: memref<3x2x3x5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2) by (n = 3, h = 3, w = 5) ins(%x[n, c, h, w] : memref<3x2x3x5xf32>, %s[n] : memref<3xf32>)
      outs(%y[n, c, h, w] : memref<3x2x3x5xf32>) schedule(#sinter.rows<lanes = 16>) {
  ^row(%a: tensor<45xf32>, %b: tensor<45xf32>):
    %m = arith.mulf %a, %b : tensor<45xf32>
    sinter.yield %m : tensor<45xf32>
  }
  return
}

// -----

// Images of 14 may be three in a vector; and nobody masks 8 half types without AVX-512.

// CHECK-LABEL: func.func private @small_task
//   CHECK-NOT:   vector.masked
//       CHECK:   vector.from_elements
// CHECK-LABEL: func.func private @halves_task
//   CHECK-NOT:   vector.masked
//       CHECK:   vector.from_elements
func.func private @small(%x: memref<3x2x2x7xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2) by (n = 3, h = 2, w = 7) ins(%x[n, c, h, w] : memref<3x2x2x7xf32>)
      outs(%y[c] : memref<2xf32>) schedule(#sinter.rows<lanes = 16>) {
  ^row(%a: tensor<42xf32>):
    %s = sinter.row_reduce add %a : tensor<42xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
func.func private @halves(%x: memref<3x2x3x5xbf16>, %y: memref<2xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (c = 2) by (n = 3, h = 3, w = 5) ins(%x[n, c, h, w] : memref<3x2x3x5xbf16>)
      outs(%y[c] : memref<2xbf16>) schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<45xbf16>):
    %s = sinter.row_reduce maximumf %a : tensor<45xbf16> -> bf16
    sinter.yield %s : bf16
  }
  return
}
