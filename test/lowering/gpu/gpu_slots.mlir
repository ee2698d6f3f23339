// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

// How a side comes into the slots of wgmma, by what its lines are: side b of each of these is all copies', and what
// fetches side a is named by its instruction.

// Lines of 16 bytes' multiples: both by the copy engine, no address is taken.

// CHECK-LABEL: gpu.func @copies
//  CHECK-SAME:   nvvm.reqntid = array<i32: 384>
//  CHECK-SAME:   sinter.tensor_maps = 2
//   CHECK-NOT:   cp.async.c
func.func private @copies(%x: memref<128x72xbf16>, %w: memref<64x72xbf16>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 72) (%x[i, k] : memref<128x72xbf16>, %w[j, k] : memref<64x72xbf16>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Lines of 74 elements: pieces of 4 bytes.

// CHECK-LABEL: gpu.func @words
//  CHECK-SAME:   nvvm.reqntid = array<i32: 512>
//  CHECK-SAME:   sinter.tensor_maps = 1
//       CHECK:   cp.async.ca.shared.global [$0], [$1], 4, $2;
//   CHECK-NOT:   memref.load
func.func private @words(%x: memref<128x74xbf16>, %w: memref<74x64xbf16>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 74) (%x[i, k] : memref<128x74xbf16>, %w[k, j] : memref<74x64xbf16>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Widened: as many elements as all lines are multiples of, from 16 bytes in the slot on.

// CHECK-LABEL: gpu.func @eight
//       CHECK:   vector.load %{{.+}} {alignment = 8 : i64} : memref<9216xf8E5M2>, vector<8xf8E5M2>
func.func private @eight(%x: memref<128x72xf8E5M2>, %w: memref<64x72xf16>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 72) (%x[i, k] : memref<128x72xf8E5M2>, %w[j, k] : memref<64x72xf16>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Along columns of [k, j], where lines of the slot are.

// CHECK-LABEL: gpu.func @across
//       CHECK:   nvvm.wgmma.mma_async {{.*}} A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
//       CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<4608xf8E4M3FN>, vector<16xf8E4M3FN>
func.func private @across(%x: memref<128x72xbf16>, %w: memref<72x64xf8E4M3FN>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 72) (%x[i, k] : memref<128x72xbf16>, %w[k, j] : memref<72x64xf8E4M3FN>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Four of them are 8 bytes in the slot, where 16 are exchanged: by elements. Bytes are multiplied along the sum alone,
// so lines of [k, j] are turned by elements, too.

// CHECK-LABEL: gpu.func @four
//       CHECK:   memref.load %{{.+}} : memref<9728xf8E5M2>
func.func private @four(%x: memref<128x76xf8E5M2>, %w: memref<64x76xf16>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 76) (%x[i, k] : memref<128x76xf8E5M2>, %w[j, k] : memref<64x76xf16>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @bytes
//       CHECK:   nvvm.wgmma.mma_async {{.*}} A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <col>]
//       CHECK:   memref.load %{{.+}} : memref<8192xf8E4M3FN>
func.func private @bytes(%x: memref<128x128xf8E4M3FN>, %w: memref<128x64xf8E4M3FN>, %y: memref<128x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 128) by (j = 64) product (k = 128) (%x[i, k] : memref<128x128xf8E4M3FN>, %w[k, j] : memref<128x64xf8E4M3FN>) : f32
      outs(%y[i, j] : memref<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 128, threads = 256, stages = 4, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}
