// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Two columns have one byte: half as many bytes are one vector, and a scale for 64 columns is one number.

// CHECK-LABEL: func private @nibbles
//       CHECK:   %[[X:.+]] = vector.load %{{.+}} : memref<256xi8>, vector<8xi8>
//   CHECK-NOT:   vector.from_elements
//       CHECK:   vector.shuffle %[[X]], %[[X]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7] : vector<8xi8>, vector<8xi8>
//       CHECK:   %[[S:.+]] = memref.load %{{.+}} : memref<4x2xf32>
//       CHECK:   vector.broadcast %[[S]] : f32 to vector<16xf32>
//   CHECK-NOT:   vector.from_elements
func.func private @nibbles(%w: memref<4x64xi8>, %s: memref<4x2xf32>, %y: memref<4x2x32x2xf32>) attributes {sinter.kernel} {
  sinter.rowwise (j = 4) by (k = 2, l = 32, m = 2) ins(%w[j, k * 32 + l] : memref<4x64xi8>, %s[j, k] : memref<4x2xf32>)
      outs(%y[j, k, l, m] : memref<4x2x32x2xf32>) schedule(#sinter.rows<lanes = 16>) {
  ^row(%q: tensor<128xi8>, %g: tensor<128xf32>):
    %f = arith.sitofp %q : tensor<128xi8> to tensor<128xf32>
    %d = arith.mulf %f, %g : tensor<128xf32>
    sinter.yield %d : tensor<128xf32>
  }
  return
}

// -----

// Three columns have one: vectors of 16 begin anywhere in the three.

// CHECK-LABEL: func private @thirds
//       CHECK:   vector.from_elements
func.func private @thirds(%w: memref<4x32xf32>, %y: memref<4x32x3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (j = 4) by (k = 32, m = 3) ins(%w[j, k] : memref<4x32xf32>)
      outs(%y[j, k, m] : memref<4x32x3xf32>) schedule(#sinter.rows<lanes = 16>) {
  ^row(%q: tensor<96xf32>):
    %d = arith.negf %q : tensor<96xf32>
    sinter.yield %d : tensor<96xf32>
  }
  return
}
