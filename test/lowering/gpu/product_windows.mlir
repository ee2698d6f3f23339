// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Weights of two channels are in shared memory; each of two warps has one of them. Of 9 taps and 4 points below each
// other a thread loads 6 lines of 3, whose places inside the image are a word each, and adds 9 x 4 products for each of
// two filters. The second warp adds its sums to the first one's.

// CHECK-LABEL: gpu.func @below_each_other
//  CHECK-SAME:   nvvm.reqntid = array<i32: 64>
//       CHECK:   scf.for
//       CHECK:     gpu.barrier
//       CHECK:     scf.for
//       CHECK:       memref.load %{{.+}} : memref<{{.+}}xf32
//       CHECK:     gpu.barrier
// CHECK-COUNT-18:    llvm.inline_asm has_side_effects "{\0A\09.reg .pred inside2;{{.+}}@inside2 ld.global.nc.f32
//       CHECK:     scf.for
// CHECK-COUNT-18:    llvm.inline_asm has_side_effects "{\0A\09.reg .pred inside2;{{.+}}@inside2 ld.global.nc.f32
//   CHECK-NOT:       llvm.inline_asm
//       CHECK:     scf.yield
//       CHECK:   gpu.barrier
//       CHECK:   arith.addf
//       CHECK:   gpu.barrier
func.func private @below_each_other(%w: memref<2x6x3x3xf32>, %x: memref<1x6x16x16xf32>, %y: memref<1x2x16x16xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 1, o = 2) by (y = 16, x = 16) product (c = 6, r = 3, s = 3) (%w[o, c, r, s] : memref<2x6x3x3xf32>,
      %x[n, c, y + r - 1, x + s - 1] : memref<1x6x16x16xf32> else 0.0) : f32
      outs(%y[n, o, y, x] : memref<1x2x16x16xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 2, n = 128, k = 2, threads = 64, patch = 16>) {
  ^row(%acc: tensor<256xf32>):
    sinter.yield %acc : tensor<256xf32>
  }
  return
}

// -----

// Windows that are all inside are loaded without a question; those of the next channel are under way while this one's
// are multiplied.

// CHECK-LABEL: gpu.func @inside
// CHECK-COUNT-12: llvm.inline_asm has_side_effects "ld.global.nc.f32 $0, [$1];"
//       CHECK:   scf.for
// CHECK-COUNT-12: llvm.inline_asm has_side_effects "ld.global.nc.f32 $0, [$1];"
//   CHECK-NOT:   inline_asm
// CHECK-COUNT-24: math.fma
//   CHECK-NOT:   math.fma
//       CHECK:   gpu.return
func.func private @inside(%w: memref<2x6x3xf32>, %x: memref<4x6x130xf32>, %y: memref<4x2x128xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 4, o = 2) by (x = 128) product (c = 6, s = 3) (%w[o, c, s] : memref<2x6x3xf32>,
      %x[n, c, x + s] : memref<4x6x130xf32>) : f32
      outs(%y[n, o, x] : memref<4x2x128xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 2, n = 128, k = 2, threads = 32, patch = 128>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return
}

// -----

func.func private @patch_of_no_lanes(%w: memref<2x6x3xf32>, %x: memref<4x6x130xf32>, %y: memref<4x2x128xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with m = 2, n = 128, patch = 48, which threads = 32 cannot share by fma.window}}
  sinter.contract (n = 4, o = 2) by (x = 128) product (c = 6, s = 3) (%w[o, c, s] : memref<2x6x3xf32>,
      %x[n, c, x + s] : memref<4x6x130xf32>) : f32
      outs(%y[n, o, x] : memref<4x2x128xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 2, n = 128, k = 2, threads = 32, patch = 48>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return
}

// -----

func.func private @more_filters_than_warps(%w: memref<64x6x3xf32>, %x: memref<4x6x130xf32>, %y: memref<4x64x128xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with m = 64, n = 128, patch = 128, which threads = 64 cannot share by fma.window}}
  sinter.contract (n = 4, o = 64) by (x = 128) product (c = 6, s = 3) (%w[o, c, s] : memref<64x6x3xf32>,
      %x[n, c, x + s] : memref<4x6x130xf32>) : f32
      outs(%y[n, o, x] : memref<4x64x128xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 64, n = 128, k = 2, threads = 64, patch = 128>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return
}

// -----

func.func private @part_without_channels(%w: memref<2x6x3xf32>, %x: memref<4x6x130xf32>, %y: memref<4x2x128xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with split = 4, and product 0 does not have a part for each}}
  sinter.contract (n = 4, o = 2) by (x = 128) product (c = 6, s = 3) (%w[o, c, s] : memref<2x6x3xf32>,
      %x[n, c, x + s] : memref<4x6x130xf32>) : f32
      outs(%y[n, o, x] : memref<4x2x128xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 2, n = 128, k = 2, threads = 32, patch = 128, split = 4>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return
}

// -----

func.func private @no_window(%w: memref<2x6xf32>, %x: memref<4x6x128xf32>, %y: memref<4x2x128xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "fma.window", which cannot have it: neighbouring columns are no windows that lie together}}
  sinter.contract (n = 4, o = 2) by (x = 128) product (c = 6) (%w[o, c] : memref<2x6xf32>, %x[n, c, x] : memref<4x6x128xf32>) : f32
      outs(%y[n, o, x] : memref<4x2x128xf32>)
      schedule(#sinter.mma<kernel = "fma.window", m = 2, n = 128, k = 2, threads = 32, patch = 128>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return
}
