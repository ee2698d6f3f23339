// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Magnitudes and signs of half types are bits; of f32 they stay.

// CHECK-LABEL: gpu.func @magnitudes
//   CHECK-NOT:   math.absf %{{.+}} : vector<4xbf16>
//       CHECK:   %[[X:.+]] = arith.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
//       CHECK:   %[[M:.+]] = arith.constant dense<32767> : vector<4xi16>
//       CHECK:   arith.andi %[[X]], %[[M]] : vector<4xi16>
//       CHECK:   arith.bitcast %{{.+}} : vector<4xi16> to vector<4xbf16>
//       CHECK:   math.absf %{{.+}} : vector<4xf32>
//       CHECK:   %[[M:.+]] = arith.constant dense<32767> : vector<4xi16>
//       CHECK:   %[[A:.+]] = arith.andi %{{.+}}, %[[M]] : vector<4xi16>
//       CHECK:   %[[S:.+]] = arith.constant dense<-32768> : vector<4xi16>
//       CHECK:   %[[B:.+]] = arith.andi %{{.+}}, %[[S]] : vector<4xi16>
//       CHECK:   arith.ori %[[A]], %[[B]] : vector<4xi16>
//   CHECK-NOT:   math.copysign
func.func private @magnitudes(%x: memref<4x8xbf16>, %z: memref<4x8xf32>, %y: memref<4x8xbf16>, %w: memref<4x8xf32>, %v: memref<4x8xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xbf16>, %z[i, j] : memref<4x8xf32>)
      outs(%y[i, j] : memref<4x8xbf16>, %w[i, j] : memref<4x8xf32>, %v[i, j] : memref<4x8xbf16>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xbf16>, %b: tensor<8xf32>):
    %m = math.absf %a : tensor<8xbf16>
    %n = math.absf %b : tensor<8xf32>
    %c = arith.mulf %a, %a : tensor<8xbf16>
    %s = math.copysign %c, %a : tensor<8xbf16>
    sinter.yield %m, %n, %s : tensor<8xbf16>, tensor<8xf32>, tensor<8xbf16>
  }
  return
}

// -----

// What a choice between an element and a constant gives for NaN says which maximum it is: each predicate, taking the
// element, then taking the constant. Below, choices that stay: of `>=`; of another constant than was compared with; of
// a constant 0 where a -0 would be another one.

// CHECK-LABEL: gpu.func @chosen
//  CHECK-SAME:   %[[X:[^:]+]]: memref<4x8xf32
//   CHECK-NOT:   arith.select
//       CHECK:   arith.maxnumf
//       CHECK:   arith.minnumf
//       CHECK:   arith.maximumf
//       CHECK:   arith.minimumf
//       CHECK:   arith.minimumf
//       CHECK:   arith.maximumf
//       CHECK:   arith.minnumf
//       CHECK:   arith.maxnumf
//       CHECK:   arith.maximumf
// CHECK-COUNT-5: arith.select
func.func private @chosen(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xf32>):
    %c0 = arith.constant dense<1.0> : tensor<8xf32>
    %c1 = arith.constant dense<9.0> : tensor<8xf32>
    %c2 = arith.constant dense<2.0> : tensor<8xf32>
    %c3 = arith.constant dense<8.0> : tensor<8xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %minus = arith.constant dense<-0.0> : tensor<8xf32>
    %p0 = arith.cmpf ogt, %a, %c0 : tensor<8xf32>
    %v0 = arith.select %p0, %a, %c0 : tensor<8xi1>, tensor<8xf32>
    %p1 = arith.cmpf olt, %v0, %c1 : tensor<8xf32>
    %v1 = arith.select %p1, %v0, %c1 : tensor<8xi1>, tensor<8xf32>
    %p2 = arith.cmpf ugt, %v1, %c2 : tensor<8xf32>
    %v2 = arith.select %p2, %v1, %c2 : tensor<8xi1>, tensor<8xf32>
    %p3 = arith.cmpf ult, %v2, %c3 : tensor<8xf32>
    %v3 = arith.select %p3, %v2, %c3 : tensor<8xi1>, tensor<8xf32>
    %p4 = arith.cmpf ogt, %v3, %c3 : tensor<8xf32>
    %v4 = arith.select %p4, %c3, %v3 : tensor<8xi1>, tensor<8xf32>
    %p5 = arith.cmpf olt, %v4, %c0 : tensor<8xf32>
    %v5 = arith.select %p5, %c0, %v4 : tensor<8xi1>, tensor<8xf32>
    %p6 = arith.cmpf ugt, %v5, %c1 : tensor<8xf32>
    %v6 = arith.select %p6, %c1, %v5 : tensor<8xi1>, tensor<8xf32>
    %p7 = arith.cmpf ult, %v6, %c2 : tensor<8xf32>
    %v7 = arith.select %p7, %c2, %v6 : tensor<8xi1>, tensor<8xf32>
    %p8 = arith.cmpf ugt, %v7, %zero : tensor<8xf32>
    %v8 = arith.select %p8, %v7, %zero : tensor<8xi1>, tensor<8xf32>
    %p9 = arith.cmpf oge, %v8, %c0 : tensor<8xf32>
    %v9 = arith.select %p9, %v8, %c0 : tensor<8xi1>, tensor<8xf32>
    %p10 = arith.cmpf ogt, %v9, %c0 : tensor<8xf32>
    %v10 = arith.select %p10, %v9, %c1 : tensor<8xi1>, tensor<8xf32>
    %p11 = arith.cmpf ugt, %v10, %minus : tensor<8xf32>
    %v11 = arith.select %p11, %v10, %minus : tensor<8xi1>, tensor<8xf32>
    %p12 = arith.cmpf ult, %v11, %zero : tensor<8xf32>
    %v12 = arith.select %p12, %v11, %zero : tensor<8xi1>, tensor<8xf32>
    %p13 = arith.cmpf ogt, %v12, %zero : tensor<8xf32>
    %v13 = arith.select %p13, %zero, %v12 : tensor<8xi1>, tensor<8xf32>
    sinter.yield %v13 : tensor<8xf32>
  }
  return
}
