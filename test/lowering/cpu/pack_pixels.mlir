// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Channels are last and all of them are summed: 5 pixels of 21 channels are one run, whose ends in the padding are
// whole pixels.

// CHECK-LABEL: func private @last_task(
//       CHECK:   %[[LOW:.+]] = arith.muli %{{.+}}, %c21
//       CHECK:   %[[HIGH:.+]] = arith.muli %{{.+}}, %c21
//       CHECK:   %[[L:.+]] = arith.maxsi %[[LOW]], %{{.+}}
//       CHECK:   arith.maxsi %[[HIGH]], %{{.+}}
//       CHECK:   vector.load {{.*}} : memref<3780xf32>, vector<16xf32>
//       CHECK:   vector.maskedload
func.func @last(%x: memref<2x9x10x21xf32>, %w: memref<1x5x5x21xf32>, %y: memref<2x9x10x1xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, y = 9, x = 10) by (o = 1) product (r = 5, s = 5, c = 21)
      (%x[n, y + r - 2, x + s - 2, c] : memref<2x9x10x21xf32> else 0.0, %w[o, r, s, c] : memref<1x5x5x21xf32>) : f32
      outs(%y[n, y, x, o] : memref<2x9x10x1xf32>)
      schedule(#sinter.brgemm<kernel = "inner512", m = 90, n = 1, k = 525, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<1xf32>):
    sinter.yield %p : tensor<1xf32>
  }
  return
}

// -----

// Every second pixel: each is a run of its own.

// CHECK-LABEL: func private @apart_task(
//       CHECK:   %[[START:.+]] = arith.muli %{{.+}}, %c21
//       CHECK:   arith.addi %[[START]], %c21
func.func @apart(%x: memref<2x9x10x21xf32>, %w: memref<1x5x5x21xf32>, %y: memref<2x5x6x1xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, y = 5, x = 6) by (o = 1) product (r = 5, s = 5, c = 21)
      (%x[n, y + r * 2 - 2, x + s * 2 - 2, c] : memref<2x9x10x21xf32> else 0.0, %w[o, r, s, c] : memref<1x5x5x21xf32>) : f32
      outs(%y[n, y, x, o] : memref<2x5x6x1xf32>)
      schedule(#sinter.brgemm<kernel = "inner512", m = 30, n = 1, k = 525, tasks = 1, lanes = 16>) {
  ^row(%p: tensor<1xf32>):
    sinter.yield %p : tensor<1xf32>
  }
  return
}
