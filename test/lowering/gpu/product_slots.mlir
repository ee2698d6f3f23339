// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Lines of 1004 elements are no multiples of 16 bytes: two warpgroups copy them by 8 bytes, zeros behind the ends, and
// say that a slot is full when the second one behind it has been asked for. The other side has lines of 1008 bytes
// along the columns, and comes by the copy engine: one more arrives at a full slot. A thread's pieces are 16 lines
// apart, so that their addresses are numbers beside the first one's.

// CHECK-LABEL: gpu.func @pieces
//  CHECK-SAME:   nvvm.reqntid = array<i32: 512>
//  CHECK-SAME:   sinter.tensor_maps = 1
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c9_i32
//       CHECK:   nvvm.setmaxregister increase 200
//       CHECK:     nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
//       CHECK:   nvvm.setmaxregister decrease 56
//       CHECK:   nvvm.shfl.sync idx
//       CHECK:     mbarrier.arrive.expect_tx
//       CHECK:     cp.async.bulk.tensor.2d
//       CHECK:     %[[AT:.+]] = arith.addi %{{.+}}, %{{.+}} : i64
//       CHECK:     cp.async.ca.shared.global [$0], [$1], 8, $2;{{.*}} %[[AT]],
//   CHECK-NOT:     arith.muli {{.*}} : i64
//       CHECK:     %[[NEXT:.+]] = arith.addi %[[AT]], %c32128_i64 : i64
//       CHECK:     cp.async.ca.shared.global [$0], [$1], 8, $2;{{.*}} %[[NEXT]],
//       CHECK:     cp.async.commit_group;
//  CHECK-NEXT:     cp.async.wait_group 2;
//       CHECK:     fence.proxy.async.shared::cta;
//       CHECK:     nvvm.bar.warp.sync
//       CHECK:     mbarrier.arrive.shared::cta
//       CHECK:   cp.async.wait_all;
func.func private @pieces(%x: memref<512x1004xbf16>, %w: memref<1004x504xbf16>, %y: memref<512x504xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 512) by (j = 504) product (k = 1004) (%x[i, k] : memref<512x1004xbf16>, %w[k, j] : memref<1004x504xbf16>) : f32
      outs(%y[i, j] : memref<512x504xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 128, k = 64, threads = 256, stages = 6, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<504xf32>):
    sinter.yield %acc : tensor<504xf32>
  }
  return
}

// -----

// Lines of 660 bytes, and rows that end in a tile: how many lines are left is compared with each piece's number of
// lines; where the sum has ended none are.

// CHECK-LABEL: gpu.func @pieces_left
//       CHECK:   %[[ENDS:.+]] = arith.subi %c77, %{{.+}} : index
//       CHECK:   %[[LEFT:.+]] = arith.select %{{.+}}, %[[ENDS]], %c0 : index
//       CHECK:   arith.cmpi sgt, %[[LEFT]], %c0 : index
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 4, $2;
//       CHECK:   arith.cmpi sgt, %[[LEFT]], %c8 : index
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 4, $2;
func.func private @pieces_left(%x: memref<77x330xbf16>, %w: memref<330x504xbf16>, %y: memref<77x504xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 77) by (j = 504) product (k = 330) (%x[i, k] : memref<77x330xbf16>, %w[k, j] : memref<330x504xbf16>) : f32
      outs(%y[i, j] : memref<77x504xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 128, k = 64, threads = 256, stages = 6, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<504xf32>):
    sinter.yield %acc : tensor<504xf32>
  }
  return
}

// -----

// Rows of a window are no even lines of the image: each piece is found by itself.

// CHECK-LABEL: gpu.func @pieces_of_windows
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 8, $2;
//   CHECK-NOT:   cp.async
//       CHECK:   arith.index_castui {{.*}} : index to i64
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 8, $2;
func.func private @pieces_of_windows(%x: memref<2x14x14x36xbf16>, %w: memref<64x3x3x36xbf16>, %y: memref<2x12x12x64xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, h = 12, w = 12) by (o = 64)
      product (r = 3, s = 3, c = 36) (%x[n, h + r, w + s, c] : memref<2x14x14x36xbf16>, %w[o, r, s, c] : memref<64x3x3x36xbf16>) : f32
      outs(%y[n, h, w, o] : memref<2x12x12x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// A window whose channels are neighbours: 16 bytes of them are in the image, or beside it.

// CHECK-LABEL: gpu.func @channels_last
//       CHECK:   cp.async.cg.shared.global [$0], [$1], 16, $2;
func.func private @channels_last(%x: memref<2x14x14x72xbf16>, %w: memref<64x3x3x72xbf16>, %y: memref<2x14x14x64xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, h = 14, w = 14) by (o = 64)
      product (r = 3, s = 3, c = 72) (%x[n, h + r - 1, w + s - 1, c] : memref<2x14x14x72xbf16> else 0.0, %w[o, r, s, c] : memref<64x3x3x72xbf16>) : f32
      outs(%y[n, h, w, o] : memref<2x14x14x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 4>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// A side that is converted: 16 bytes loaded as a vector, two units of 16 bytes stored. The other side is copied.

// CHECK-LABEL: gpu.func @vectors
//  CHECK-SAME:   nvvm.reqntid = array<i32: 512>
//  CHECK-SAME:   sinter.tensor_maps = 1
//       CHECK:     nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
//       CHECK:   nvvm.setmaxregister decrease 88
//       CHECK:     vector.load %{{.+}} {alignment = 16 : i64} : memref<524288xf8E4M3FN>, vector<16xf8E4M3FN>
//   CHECK-NOT:     memref.load
//       CHECK:     arith.extf %{{.+}} : vector<16xf8E4M3FN> to vector<16xbf16>
// CHECK-COUNT-2:   vector.store %{{.+}} {alignment = 16 : i64} : memref<{{.+}}xi8, {{.*}}>, vector<16xi8>
func.func private @vectors(%x: memref<512x1024xbf16>, %w: memref<512x1024xf8E4M3FN>, %y: memref<512x512xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 512) by (j = 512) product (k = 1024) (%x[i, k] : memref<512x1024xbf16>, %w[j, k] : memref<512x1024xf8E4M3FN>) : f32
      outs(%y[i, j] : memref<512x512xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 128, k = 64, threads = 256, stages = 6, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

// Lines of an odd length: neighbouring threads load neighbours of the sum, each of eight rows, and store them as 16
// bytes of a line along the rows. No branch: what is beside the ends is the first element, and zero instead.

// CHECK-LABEL: gpu.func @elements
//  CHECK-SAME:   nvvm.reqntid = array<i32: 384>
//       CHECK:   nvvm.setmaxregister increase 184
//       CHECK:     nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
//       CHECK:   nvvm.setmaxregister decrease 136
//   CHECK-NOT:   cp.async
// CHECK-COUNT-8: memref.load
//       CHECK:   vector.from_elements
//       CHECK:   vector.store {{.*}} {alignment = 16 : i64} : memref<{{.*}}xi8, #gpu.address_space<workgroup>>, vector<16xi8>
//   CHECK-NOT:   wait_group
//       CHECK:   fence.proxy.async.shared::cta;
func.func private @elements(%x: memref<511x1003xbf16>, %w: memref<503x1003xbf16>, %y: memref<511x503xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 511) by (j = 503) product (k = 1003) (%x[i, k] : memref<511x1003xbf16>, %w[j, k] : memref<503x1003xbf16>) : f32
      outs(%y[i, j] : memref<511x503xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 256, k = 64, threads = 256, stages = 4, blocks = 132>) {
  ^row(%acc: tensor<503xf32>):
    sinter.yield %acc : tensor<503xf32>
  }
  return
}
