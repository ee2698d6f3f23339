// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Lines of 13 follow each other: a vector of 64 columns' place is divided by 13, both parts are shifted and compared,
// and what is inside is loaded.

// CHECK-LABEL: func private @same_task(
//       CHECK:   %[[H:.+]] = arith.divui %[[Q:.+]], %[[N:.+]] : vector<16xi16>
//       CHECK:   arith.muli %[[H]], %[[N]] : vector<16xi16>
//       CHECK:   %[[V:.+]] = arith.subi %[[Q]], %{{.+}} : vector<16xi16>
//       CHECK:   %[[A:.+]] = arith.addi %[[V]], %{{.+}} : vector<16xi16>
//       CHECK:   %[[VIN:.+]] = arith.cmpi ult, %[[A]], %[[N]] : vector<16xi16>
//       CHECK:   %[[B:.+]] = arith.addi %[[H]], %{{.+}} : vector<16xi16>
//       CHECK:   %[[HIN:.+]] = arith.cmpi ult, %[[B]], %{{.+}} : vector<16xi16>
//       CHECK:   %[[IN:.+]] = arith.andi %[[VIN]], %[[HIN]] : vector<16xi1>
//       CHECK:   vector.maskedload %{{.+}}[%{{.+}}], %[[IN]], %{{.+}} : memref<2028xf32>
func.func @same(%w: memref<4x6x3x3xf32>, %x: memref<2x6x13x13xf32>, %y: memref<2x4x13x13xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, f = 4) by (h = 13, v = 13) product (c = 6, m = 3, n = 3)
      (%w[f, c, m, n] : memref<4x6x3x3xf32>, %x[b, c, h + m - 1, v + n - 1] : memref<2x6x13x13xf32> else 0.0) : f32
      outs(%y[b, f, h, v] : memref<2x4x13x13xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 4, n = 64, k = 54, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<169xf32>):
    sinter.yield %p : tensor<169xf32>
  }
  return
}

// -----

// A stride leaves columns out.

// CHECK-LABEL: func private @strided_task(
//   CHECK-NOT:   vector<16xi16>
//       CHECK:   return
func.func @strided(%w: memref<4x6x3x3xf32>, %x: memref<2x6x13x13xf32>, %y: memref<2x4x7x7xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, f = 4) by (h = 7, v = 7) product (c = 6, m = 3, n = 3)
      (%w[f, c, m, n] : memref<4x6x3x3xf32>, %x[b, c, h * 2 + m - 1, v * 2 + n - 1] : memref<2x6x13x13xf32> else 0.0) : f32
      outs(%y[b, f, h, v] : memref<2x4x7x7xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 4, n = 64, k = 54, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<49xf32>):
    sinter.yield %p : tensor<49xf32>
  }
  return
}

// -----

// Lines of results that are shorter than the image's end elsewhere.

// CHECK-LABEL: func private @narrower_task(
//   CHECK-NOT:   vector<16xi16>
//       CHECK:   return
func.func @narrower(%w: memref<4x6x3x3xf32>, %x: memref<2x6x13x13xf32>, %y: memref<2x4x13x11xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, f = 4) by (h = 13, v = 11) product (c = 6, m = 3, n = 3)
      (%w[f, c, m, n] : memref<4x6x3x3xf32>, %x[b, c, h + m - 1, v + n] : memref<2x6x13x13xf32> else 0.0) : f32
      outs(%y[b, f, h, v] : memref<2x4x13x11xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 4, n = 64, k = 54, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<143xf32>):
    sinter.yield %p : tensor<143xf32>
  }
  return
}

// -----

// A line of 128 columns or more is a run of its own.

// CHECK-LABEL: func private @long_lines_task(
//   CHECK-NOT:   vector<16xi16>
//       CHECK:   return
func.func @long_lines(%w: memref<4x6x3x3xf32>, %x: memref<2x6x5x128xf32>, %y: memref<2x4x5x128xf32>) attributes {sinter.kernel} {
  sinter.contract (b = 2, f = 4) by (h = 5, v = 128) product (c = 6, m = 3, n = 3)
      (%w[f, c, m, n] : memref<4x6x3x3xf32>, %x[b, c, h + m - 1, v + n - 1] : memref<2x6x5x128xf32> else 0.0) : f32
      outs(%y[b, f, h, v] : memref<2x4x5x128xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 4, n = 64, k = 54, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<640xf32>):
    sinter.yield %p : tensor<640xf32>
  }
  return
}

// -----

// Of several images, whose number nobody knows, each is a run: nine places are one vector.

// CHECK-LABEL: func private @images_task(
//       CHECK:   arith.ceildivui %{{.+}}, %[[NINE:.+]] : index
//       CHECK:   scf.for
//       CHECK:     vector.maskedload %{{.+}} : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
//       CHECK:     vector.maskedstore
func.func @images(%w: memref<4x6x3x3xf32>, %x: memref<?x6x3x3xf32>, %y: memref<?x4x3x3xf32>) attributes {sinter.kernel} {
  sinter.contract (f = 4) by (b = ?, h = 3, v = 3) product (c = 6, m = 3, n = 3)
      (%w[f, c, m, n] : memref<4x6x3x3xf32>, %x[b, c, h + m - 1, v + n - 1] : memref<?x6x3x3xf32> else 0.0) : f32
      outs(%y[b, f, h, v] : memref<?x4x3x3xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 4, n = 64, k = 54, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<?xf32>):
    sinter.yield %p : tensor<?xf32>
  }
  return
}
