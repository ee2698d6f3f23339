// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s \
// RUN: | FileCheck %s --implicit-check-not=sinter.contract

// A side with a program is computed where it would be copied: whole vectors of a row, narrow ones, single elements.
// What is one number for each row is loaded once for it.

// CHECK-LABEL: func.func private @scaled_task(
//       CHECK:   %[[S:.+]] = memref.load %{{.+}} : memref<11xf32>
//       CHECK:   scf.for %{{.+}} step %c8
//       CHECK:     %[[X:.+]] = vector.load %{{.+}} : memref<11x37xf32>, vector<8xf32>
//       CHECK:     %[[G:.+]] = vector.load %{{.+}} : memref<37xf32>, vector<8xf32>
//       CHECK:     %[[XG:.+]] = arith.mulf %[[X]], %[[G]] : vector<8xf32>
//       CHECK:     %[[B:.+]] = vector.broadcast %[[S]] : f32 to vector<8xf32>
//       CHECK:     %[[Y:.+]] = arith.mulf %[[XG]], %[[B]]
//       CHECK:     vector.store %[[Y]], %{{.+}} : memref<12x37xf32>, vector<8xf32>
//       CHECK:   vector.store %{{.+}}, %c32] : memref<12x37xf32>, vector<4xf32>
//       CHECK:   memref.store %{{.+}}, %c36] : memref<12x37xf32>
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @scaled(%x: memref<11x37xf32>, %g: memref<37xf32>, %s: memref<11xf32>, %w: memref<37x9xf32>,
    %y: memref<11x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 11) by (j = 9)
      product (k = 37) (side(%x[i, k] : memref<11x37xf32>, %g[k] : memref<37xf32>, %s[i] : memref<11xf32>) {
      ^side(%a: tensor<37xf32>, %b: tensor<37xf32>, %c: f32):
        %d = arith.mulf %a, %b : tensor<37xf32>
        %e = sinter.broadcast %c : f32 -> tensor<37xf32>
        %f = arith.mulf %d, %e : tensor<37xf32>
        sinter.yield %f : tensor<37xf32>
      }, %w[k, j] : memref<37x9xf32>) : f32
      outs(%y[i, j] : memref<11x9xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 4, k = 37, lanes = 8>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// Quantised weights [j, k] lie the other way round: vectors run along k, with a number for each column, and are
// transposed in registers.

// CHECK-LABEL: func.func private @quantised_task(
//       CHECK:   memref.load %{{.+}} : memref<16xf32>
//       CHECK:   vector.load %{{.+}} : memref<16x8xi8>, vector<4xi8>
//       CHECK:   arith.sitofp %{{.+}} : vector<4xi8> to vector<4xf32>
//       CHECK:   arith.mulf
//       CHECK:   vector.shuffle {{.*}} [0, 1, 4, 5]
//       CHECK:   vector.store %{{.+}} : memref<8x16xf32>, vector<4xf32>
func.func private @quantised(%x: memref<4x8xf32>, %w: memref<16x8xi8>, %q: memref<16xf32>,
    %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16)
      product (k = 8) (%x[i, k] : memref<4x8xf32>, side(%w[j, k] : memref<16x8xi8>, %q[j] : memref<16xf32>) {
      ^side(%a: tensor<8xi8>, %c: f32):
        %d = arith.sitofp %a : tensor<8xi8> to tensor<8xf32>
        %e = sinter.broadcast %c : f32 -> tensor<8xf32>
        %f = arith.mulf %d, %e : tensor<8xf32>
        sinter.yield %f : tensor<8xf32>
      }) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 8, lanes = 4>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// With a number for each group of them: vectors run inside of a group.

// CHECK-LABEL: func.func private @grouped_task(
//       CHECK:   memref.load %{{.+}} : memref<16x4xf32>
//       CHECK:   vector.load %{{.+}} : memref<16x4x8xi8>, vector<4xi8>
//   CHECK-NOT:   vector.interleave
//       CHECK:   vector.shuffle {{.*}} [0, 1, 4, 5]
//       CHECK:   vector.store %{{.+}} : memref<16x16xf32>, vector<4xf32>
func.func private @grouped(%x: memref<4x32xf32>, %w: memref<16x4x8xi8>, %q: memref<16x4xf32>,
    %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16)
      product (g = 4, k = 8) (%x[i, g * 8 + k] : memref<4x32xf32>,
          side(%w[j, g, k] : memref<16x4x8xi8>, %q[j, g] : memref<16x4xf32>) {
      ^side(%a: tensor<32xi8>, %c: tensor<32xf32>):
        %d = arith.sitofp %a : tensor<32xi8> to tensor<32xf32>
        %f = arith.mulf %d, %c : tensor<32xf32>
        sinter.yield %f : tensor<32xf32>
      }) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 16, lanes = 4>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// A block that does not begin where a vector does is packed element by element.

// CHECK-LABEL: func.func private @grouped_anywhere_task(
//   CHECK-NOT:   vector.shuffle
//       CHECK:   call @sinter_rt_brgemm_f32(
func.func private @grouped_anywhere(%x: memref<4x32xf32>, %w: memref<16x4x8xi8>, %q: memref<16x4xf32>,
    %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16)
      product (g = 4, k = 8) (%x[i, g * 8 + k] : memref<4x32xf32>,
          side(%w[j, g, k] : memref<16x4x8xi8>, %q[j, g] : memref<16x4xf32>) {
      ^side(%a: tensor<32xi8>, %c: tensor<32xf32>):
        %d = arith.sitofp %a : tensor<32xi8> to tensor<32xf32>
        %f = arith.mulf %d, %c : tensor<32xf32>
        sinter.yield %f : tensor<32xf32>
      }) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 18, lanes = 4>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// Two of 4 bits in a byte: what lies first in each of four bytes, and what lies second, make eight neighbours of k.

// CHECK-LABEL: func.func private @paired_task(
//       CHECK:   vector.load %{{.+}} : memref<16x16xi8>, vector<4xi8>
//       CHECK:   vector.load %{{.+}} : memref<16x16xi8>, vector<4xi8>
//       CHECK:   vector.interleave %{{.+}} : vector<4xi32> -> vector<8xi32>
//       CHECK:   vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
//       CHECK:   vector.store %{{.+}} : memref<32x16xf32>, vector<8xf32>
func.func private @paired(%x: memref<4x32xf32>, %w: memref<16x16xi8>, %y: memref<4x16xf32>)
    attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16)
      product (k = 16, h = 2) (%x[i, k * 2 + h] : memref<4x32xf32>, side(%w[j, k] : memref<16x16xi8>) {
      ^side(%a: tensor<32xi8>):
        %h = sinter.index h : tensor<32xindex>
        %c1 = arith.constant 1 : index
        %one = sinter.broadcast %c1 : index -> tensor<32xindex>
        %first = arith.cmpi ult, %h, %one : tensor<32xindex>
        %c4 = arith.constant 4 : i8
        %four = sinter.broadcast %c4 : i8 -> tensor<32xi8>
        %low = arith.shli %a, %four : tensor<32xi8>
        %bits = arith.select %first, %low, %a : tensor<32xi1>, tensor<32xi8>
        %w4 = arith.shrsi %bits, %four : tensor<32xi8>
        %f = arith.sitofp %w4 : tensor<32xi8> to tensor<32xf32>
        sinter.yield %f : tensor<32xf32>
      }) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 32, lanes = 8>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// With weights [k, j]: vectors run along j, where the scale is a vector too.

// CHECK-LABEL: func.func private @quantised_along_columns_task(
//   CHECK-NOT:   vector.shuffle
//       CHECK:   vector.load %{{.+}} : memref<8x16xi8>, vector<4xi8>
//       CHECK:   vector.load %{{.+}} : memref<16xf32>, vector<4xf32>
//   CHECK-NOT:   vector.shuffle
//       CHECK:   vector.store %{{.+}} : memref<8x16xf32>, vector<4xf32>
func.func private @quantised_along_columns(%x: memref<4x8xf32>, %w: memref<8x16xi8>, %q: memref<16xf32>,
    %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16)
      product (k = 8) (%x[i, k] : memref<4x8xf32>, side(%w[k, j] : memref<8x16xi8>, %q[j] : memref<16xf32>) {
      ^side(%a: tensor<8xi8>, %c: f32):
        %d = arith.sitofp %a : tensor<8xi8> to tensor<8xf32>
        %e = sinter.broadcast %c : f32 -> tensor<8xf32>
        %f = arith.mulf %d, %e : tensor<8xf32>
        sinter.yield %f : tensor<8xf32>
      }) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 8, lanes = 4>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// A row of constants is a constant as long as what is computed at once.

// CHECK-LABEL: func.func private @halved_task(
//       CHECK:   %[[X:.+]] = vector.load %{{.+}} : memref<6x8xf32>, vector<4xf32>
//       CHECK:   arith.mulf %[[X]], %{{.+}} : vector<4xf32>
func.func private @halved(%x: memref<6x8xf32>, %w: memref<8x16xf32>, %y: memref<6x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 6) by (j = 16)
      product (k = 8) (side(%x[i, k] : memref<6x8xf32>) {
      ^side(%a: tensor<8xf32>):
        %c = arith.constant dense<0.5> : tensor<8xf32>
        %f = arith.mulf %a, %c : tensor<8xf32>
        sinter.yield %f : tensor<8xf32>
      }, %w[k, j] : memref<8x16xf32>) : f32
      outs(%y[i, j] : memref<6x16xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 4, n = 16, k = 8, lanes = 4>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}
