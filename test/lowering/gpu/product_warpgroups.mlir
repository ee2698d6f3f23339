// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HOST < %t

// A warp fetches, two warpgroups multiply: each has 64 rows of each tile, so both read every slot. Sums begin with the
// first piece, and go through lines of a warp's own to the row program.

// CHECK-LABEL: gpu.func @tile
//  CHECK-SAME:   %[[A:arg3]]: !llvm.ptr {llvm.align = 64 : i64}, %[[B:arg4]]: !llvm.ptr {llvm.align = 64 : i64}) workgroup(%{{.+}} : memref<217088xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}
//  CHECK-SAME:   nvvm.reqntid = array<i32: 384>
//  CHECK-SAME:   sinter.tensor_maps = 2
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c1_i32
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c8_i32
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     nvvm.setmaxregister increase 240
//       CHECK:     nvvm.shfl.sync idx
//       CHECK:       nvvm.wgmma.fence.aligned
//       CHECK:       nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-COUNT-3:     nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
//       CHECK:       nvvm.wgmma.commit.group.sync.aligned
//       CHECK:       scf.for
// CHECK-COUNT-4:       nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
//       CHECK:         nvvm.wgmma.commit.group.sync.aligned
//  CHECK-NEXT:         nvvm.wgmma.wait.group.sync.aligned 1
//       CHECK:         mbarrier.arrive.shared::cta
//       CHECK:       nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:       llvm.inline_asm has_side_effects "", "=f,=f
//       CHECK:       vector.store %{{.+}} {alignment = 8 : i64} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<2xf32>
//       CHECK:       nvvm.bar.warp.sync
//       CHECK:       vector.load %{{.+}} {alignment = 16 : i64} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
//   CHECK-NOT:       vector.store
//       CHECK:       vector.load %{{.+}} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
//   CHECK-NOT:       vector.store
//       CHECK:       vector.load %{{.+}} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
//   CHECK-NOT:       vector.store
//       CHECK:       vector.load %{{.+}} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-COUNT-4:     vector.store %{{.+}}, %arg2[{{.+}}] {alignment = 8 : i64} : memref<512x768xbf16>, vector<4xbf16>
//       CHECK:       nvvm.bar.warp.sync
//       CHECK:   } else {
//       CHECK:     nvvm.setmaxregister decrease 24
//       CHECK:     nvvm.elect.sync
//       CHECK:       mbarrier.arrive.expect_tx{{.*}} %{{.+}}, %c49152_i32
//       CHECK:       cp.async.bulk.tensor.2d{{.*}} %{{.+}}, %[[A]],
//       CHECK:       cp.async.bulk.tensor.2d{{.*}} %{{.+}}, %[[B]],

// The host makes the maps: sizes, bytes from one to the next, boxes.

// HOST-LABEL: func.func private @tile
//       HOST:    llvm.alloca {{.+}} x !llvm.array<128 x i8> {alignment = 64 : i64}
//       HOST:    call @sinter_rt_tensor_map
//       HOST:    call @sinter_rt_tensor_map
//       HOST:    call @sinter_rt_launch
func.func private @tile(%x: memref<512x1024xbf16>, %w: memref<768x1024xbf16>, %y: memref<512x768xbf16>) attributes {sinter.kernel} {
  sinter.contract (i = 512) by (j = 768) product (k = 1024) (%x[i, k] : memref<512x1024xbf16>, %w[j, k] : memref<768x1024xbf16>) : f32
      outs(%y[i, j] : memref<512x768xbf16>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 256, k = 64, threads = 256, stages = 4, blocks = 132, group = 12>) {
  ^row(%acc: tensor<768xf32>):
    %q = arith.truncf %acc : tensor<768xf32> to tensor<768xbf16>
    sinter.yield %q : tensor<768xbf16>
  }
  return
}

// -----

// By turns: a slot is read by one warpgroup, which has a whole tile, and waits for the other's end before it begins.
// Sides that are not along the sum are copied in pieces of 64 rows or columns; heads are dimensions of the map.

// CHECK-LABEL: gpu.func @turns
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c1_i32
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c4_i32
//       CHECK:   nvvm.barrier.arrive
//       CHECK:   scf.for
//       CHECK:     nvvm.barrier id =
// CHECK-COUNT-2:   nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, <zero>], A[<f16>, <one>, <col>], B[<f16>, <one>, <row>]
//       CHECK:     nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
//       CHECK:     nvvm.barrier.arrive
//       CHECK:     nvvm.wgmma.wait.group.sync.aligned 0
//       CHECK:   nvvm.elect.sync
// CHECK-COUNT-4:     cp.async.bulk.tensor.3d
//   CHECK-NOT:       cp.async.bulk.tensor
func.func private @turns(%x: memref<6x256x1024xf16>, %w: memref<3x256x512xf16>, %y: memref<6x1024x512xf32>) attributes {sinter.kernel} {
  sinter.contract (h = 6, i = 1024) by (j = 512) product (k = 256) (%x[h, k, i] : memref<6x256x1024xf16>, %w[h floordiv 2, k, j] : memref<3x256x512xf16>) : f32
      outs(%y[h, i, j] : memref<6x1024x512xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 128, k = 64, threads = 256, stages = 6, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return
}

// -----

// Floats of 8 bits: 32 of the sum at a time, and each side has its own format.

// CHECK-LABEL: gpu.func @float8
//       CHECK:   nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
func.func private @float8(%x: memref<256x1024xf8E4M3FN>, %w: memref<512x1024xf8E5M2>, %y: memref<256x512xbf16>) attributes {sinter.kernel} {
  sinter.contract (i = 256) by (j = 512) product (k = 1024) (%x[i, k] : memref<256x1024xf8E4M3FN>, %w[j, k] : memref<512x1024xf8E5M2>) : f32
      outs(%y[i, j] : memref<256x512xbf16>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 128, threads = 256, stages = 6, share = "turns", blocks = 132>) {
  ^row(%acc: tensor<512xf32>):
    %q = arith.truncf %acc : tensor<512xf32> to tensor<512xbf16>
    sinter.yield %q : tensor<512xbf16>
  }
  return
}

// -----

func.func private @unknown_sum(%x: memref<64x?xbf16>, %w: memref<64x?xbf16>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "wgmma", and its slots cannot have a side: nothing is summed, or how much is not known}}
  sinter.contract (i = 64) by (j = 64) product (k = ?) (%x[i, k] : memref<64x?xbf16>, %w[j, k] : memref<64x?xbf16>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns">) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

func.func private @rounded(%x: memref<64x96xf32>, %w: memref<96x64xf32>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "wgmma.tf32", and its slots cannot have a side: threads do not round to tf32, as copies do}}
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xf32>, %w[k, j] : memref<96x64xf32>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma.tf32", m = 64, n = 64, k = 32, threads = 256, stages = 4, share = "turns">) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

func.func private @k(%x: memref<64x96xi8>, %w: memref<64x96xi8>, %y: memref<64x64xi32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with k = 64, and a line of wgmma's sides has 128 elements}}
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xi8>, %w[j, k] : memref<64x96xi8>) : i32
      outs(%y[i, j] : memref<64x64xi32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns">) {
  ^row(%acc: tensor<64xi32>):
    sinter.yield %acc : tensor<64xi32>
  }
  return
}

// -----

func.func private @share(%x: memref<64x96xbf16>, %w: memref<64x96xbf16>, %y: memref<64x64xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with m = 64, n = 64, which threads = 256 cannot share by wgmma}}
  sinter.contract (i = 64) by (j = 64) product (k = 96) (%x[i, k] : memref<64x96xbf16>, %w[j, k] : memref<64x96xbf16>) : f32
      outs(%y[i, j] : memref<64x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return
}

// -----

// Columns that are no vectors: a lane has four elements of a column at once, and where all are there nothing branches
// between their row programs.

// CHECK-LABEL: gpu.func @odd_columns
//       CHECK:   scf.for %{{.+}} = %c0 to %c16 step %c4
//       CHECK:     scf.if
// CHECK-COUNT-4:     math.exp
//   CHECK-NOT:     math.exp
//       CHECK:     } else {
//       CHECK:     scf.for %{{.+}} = %c0 to %c4 step %c1
//       CHECK:       math.exp
func.func private @odd_columns(%x: memref<300x96xbf16>, %w: memref<125x96xbf16>, %y: memref<300x125xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 300) by (j = 125) product (k = 96) (%x[i, k] : memref<300x96xbf16>, %w[j, k] : memref<125x96xbf16>) : f32
      outs(%y[i, j] : memref<300x125xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 64, k = 64, threads = 256, stages = 4, share = "turns">) {
  ^row(%acc: tensor<125xf32>):
    %0 = math.exp %acc : tensor<125xf32>
    sinter.yield %0 : tensor<125xf32>
  }
  return
}

// -----

// What is one number for the whole tile is loaded in front of the last wait. A long row program is written for eight
// elements of a lane at a time, and once more for rows that end among them.

// CHECK-LABEL: gpu.func @numbers
//       CHECK:       nvvm.wgmma.wait.group.sync.aligned 1
//       CHECK:       memref.load %arg2[] : memref<f32>
//       CHECK:       nvvm.wgmma.wait.group.sync.aligned 0
//   CHECK-NOT:       memref.load %arg2
//       CHECK:       scf.for %{{.+}} = %c0 to %c16 step %c8
//   CHECK-NOT:       vector.store %{{.+}}, %arg3
//       CHECK:         vector.load %{{.+}} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
//   CHECK-NOT:       vector.store %{{.+}}, %arg3
//       CHECK:         vector.load %{{.+}} : memref<128x40xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-COUNT-2:       vector.store %{{.+}}, %arg3
//       CHECK:       } else {
//       CHECK:         scf.for
//       CHECK:           vector.load
//       CHECK:           vector.store %{{.+}}, %arg3
//   CHECK-NOT:           vector.store %{{.+}}, %arg3
//       CHECK:       nvvm.bar.warp.sync
//       CHECK:       nvvm.setmaxregister decrease 24
func.func private @numbers(%x: memref<500x1024xbf16>, %w: memref<64x1024xbf16>, %s: memref<f32>, %y: memref<500x64xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 500) by (j = 64) product (k = 1024) (%x[i, k] : memref<500x1024xbf16>, %w[j, k] : memref<64x1024xbf16>) : f32
      ins(%s[] : memref<f32>) outs(%y[i, j] : memref<500x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, k = 64, threads = 256, stages = 4, blocks = 132>) {
  ^row(%acc: tensor<64xf32>, %t: f32):
    %b = sinter.broadcast %t : f32 -> tensor<64xf32>
    %q = arith.mulf %acc, %b : tensor<64xf32>
    %e = math.exp %q : tensor<64xf32>
    %f = math.tanh %e : tensor<64xf32>
    sinter.yield %f : tensor<64xf32>
  }
  return
}
