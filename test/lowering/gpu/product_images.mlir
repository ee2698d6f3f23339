// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HOST < %t

// Windows whose channels are whole lines of a slot come by the copy engine: all points of a tile from its first one
// on, by one copy for each tap. No thread takes an address, and one warp fetches.

// CHECK-LABEL: gpu.func @image
//  CHECK-SAME:   nvvm.reqntid = array<i32: 384>
//  CHECK-SAME:   sinter.tensor_maps = 2
//       CHECK:   %[[X:.+]] = arith.remui %[[ROW:.+]], %c14_i32
//       CHECK:   %[[LINE:.+]] = arith.divui %[[ROW]], %c14_i32
//       CHECK:   %[[Y:.+]] = arith.remui %[[LINE]], %c5_i32
//       CHECK:   %[[N:.+]] = arith.divui %[[LINE]], %c5_i32
//       CHECK:   %[[AT_X:.+]] = arith.addi %[[X]], %c-2_i32
//       CHECK:   %[[STEP:.+]] = arith.muli %[[Y]], %c2_i32
//       CHECK:   %[[AT_Y:.+]] = arith.addi %[[STEP]], %c-1_i32
//       CHECK:   cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4, $5}], [$6], {$7, $8};
//  CHECK-SAME:   %{{.+}}, %arg3, %{{.+}}, %[[AT_X]], %[[AT_Y]], %[[N]], %
//       CHECK:   cp.async.bulk.tensor.2d.shared::cluster.global.tile
//   CHECK-NOT:   cp.async.c

// The map of the image: 128 channels for 64 points, steps of 1 and 2; the last point of a line begins at place 11 of 0
// to 13, the last one of a column at 7 of 0 to 8.

// HOST-LABEL: func.func private @image
//       HOST:   %[[NUMBERS:.+]] = llvm.alloca %c18_i64
//       HOST:   llvm.store %c64_i64, %[[NUMBERS]]
//       HOST:   %[[POINTS:.+]] = llvm.getelementptr %[[NUMBERS]][5]
//       HOST:   llvm.store %c64_i64, %[[POINTS]]
//       HOST:   %[[STEP_X:.+]] = llvm.getelementptr %[[NUMBERS]][12]
//       HOST:   llvm.store %c1_i64, %[[STEP_X]]
//       HOST:   %[[LOWER_X:.+]] = llvm.getelementptr %[[NUMBERS]][13]
//       HOST:   llvm.store %c-2_i64, %[[LOWER_X]]
//       HOST:   %[[UPPER_X:.+]] = llvm.getelementptr %[[NUMBERS]][14]
//       HOST:   llvm.store %c-2_i64, %[[UPPER_X]]
//       HOST:   %[[STEP_Y:.+]] = llvm.getelementptr %[[NUMBERS]][15]
//       HOST:   llvm.store %c2_i64, %[[STEP_Y]]
//       HOST:   %[[LOWER_Y:.+]] = llvm.getelementptr %[[NUMBERS]][16]
//       HOST:   llvm.store %c-1_i64, %[[LOWER_Y]]
//       HOST:   %[[UPPER_Y:.+]] = llvm.getelementptr %[[NUMBERS]][17]
//       HOST:   llvm.store %c-1_i64, %[[UPPER_Y]]
//       HOST:   call @sinter_rt_image_map
//       HOST:   call @sinter_rt_tensor_map
func.func private @image(%x: memref<3x9x14x64xbf16>, %w: memref<40x3x5x64xbf16>, %y: memref<3x5x14x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, h = 5, w = 14) by (o = 40)
      product (r = 3, s = 5, c = 64) (%x[n, h * 2 + r - 1, w + s - 2, c] : memref<3x9x14x64xbf16> else 0.0, %w[o, r, s, c] : memref<40x3x5x64xbf16>) : f32
      outs(%y[n, h, w, o] : memref<3x5x14x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}

// -----

// Parts of a sum may go on behind its end: there the channel is one that the image does not have.

// CHECK-LABEL: gpu.func @parts
//       CHECK:   %[[THERE:.+]] = arith.cmpi ult, %{{.+}}, %c960 : index
//       CHECK:   %[[CHANNEL:.+]] = arith.select %[[THERE]], %{{.+}}, %c64_i32 : i32
//       CHECK:   cp.async.bulk.tensor.4d.shared::cluster.global.im2col{{.*}} %{{.+}}, %arg{{[0-9]+}}, %[[CHANNEL]],
func.func private @parts(%x: memref<3x9x14x64xbf16>, %w: memref<40x3x5x64xbf16>, %y: memref<3x7x10x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, h = 7, w = 10) by (o = 40)
      product (r = 3, s = 5, c = 64) (%x[n, h + r, w + s, c] : memref<3x9x14x64xbf16>, %w[o, r, s, c] : memref<40x3x5x64xbf16>) : f32
      outs(%y[n, h, w, o] : memref<3x7x10x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4, split = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}

// -----

// Threads fetch what a map cannot have: a fill value that is not 0, a tap more than 255 places behind its point, steps
// of nine, rows of points that are not all of a line, in this order.

// CHECK-LABEL: gpu.func @filled
//       CHECK:   sinter.tensor_maps = 1
func.func private @filled(%x: memref<3x9x14x64xbf16>, %w: memref<40x3x5x64xbf16>, %y: memref<3x9x14x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, h = 9, w = 14) by (o = 40)
      product (r = 3, s = 5, c = 64) (%x[n, h + r - 1, w + s - 2, c] : memref<3x9x14x64xbf16> else 1.0, %w[o, r, s, c] : memref<40x3x5x64xbf16>) : f32
      outs(%y[n, h, w, o] : memref<3x9x14x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @far
//       CHECK:   sinter.tensor_maps = 1
func.func private @far(%x: memref<3x9x300x64xbf16>, %w: memref<40x1x2x64xbf16>, %y: memref<3x9x300x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, h = 9, w = 300) by (o = 40)
      product (r = 1, s = 2, c = 64) (%x[n, h + r, w + s * 256, c] : memref<3x9x300x64xbf16> else 0.0, %w[o, r, s, c] : memref<40x1x2x64xbf16>) : f32
      outs(%y[n, h, w, o] : memref<3x9x300x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @steps
//       CHECK:   sinter.tensor_maps = 1
func.func private @steps(%x: memref<3x9x47x64xbf16>, %w: memref<40x2x2x64xbf16>, %y: memref<3x8x6x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, h = 8, w = 6) by (o = 40)
      product (r = 2, s = 2, c = 64) (%x[n, h + r, w * 9 + s, c] : memref<3x9x47x64xbf16>, %w[o, r, s, c] : memref<40x2x2x64xbf16>) : f32
      outs(%y[n, h, w, o] : memref<3x8x6x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @order
//       CHECK:   sinter.tensor_maps = 1
func.func private @order(%x: memref<3x9x14x64xbf16>, %w: memref<40x2x2x64xbf16>, %y: memref<3x13x8x40xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 3, w = 13, h = 8) by (o = 40)
      product (r = 2, s = 2, c = 64) (%x[n, h + r, w + s, c] : memref<3x9x14x64xbf16>, %w[o, r, s, c] : memref<40x2x2x64xbf16>) : f32
      outs(%y[n, w, h, o] : memref<3x13x8x40xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return
}
