// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HOST < %t

// Two blocks with tiles below each other: each copies its rows and every other 64 columns, which both get. A slot's
// mbarrier expects all of that, and is empty when the warps of both have read it.

// CHECK-LABEL: gpu.func @pair
//  CHECK-SAME:   nvvm.cluster_dim = array<i32: 2>
//       CHECK:   %[[RANK:.+]] = arith.remui %{{.+}}, %c2
//   CHECK-NOT:   nvvm.cluster.arrive.relaxed
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c1_i32
//       CHECK:   mbarrier.init{{.*}} %{{.+}}, %c16_i32
//       CHECK:   nvvm.cluster.arrive {aligned}
//       CHECK:   nvvm.cluster.wait {aligned}
//       CHECK:     nvvm.setmaxregister increase 240
//       CHECK:       arith.cmpi ult, %{{.+}}, %c2
//       CHECK:       mapa.shared::cluster.u32
//       CHECK:       mbarrier.arrive.shared::cluster.b64
//       CHECK:     nvvm.setmaxregister decrease 24
//       CHECK:       mbarrier.arrive.expect_tx{{.*}} %{{.+}}, %c40960_i32
//       CHECK:       cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
//       CHECK:       bytes.multicast::cluster{{.*}} %c3_i16
//       CHECK:       arith.cmpi ult
//       CHECK:       scf.if
//       CHECK:         bytes.multicast::cluster{{.*}} %c3_i16
//       CHECK:   nvvm.cluster.arrive
//       CHECK:   nvvm.cluster.wait
//       CHECK:   gpu.return

// Five rows of tiles are dealt as six, two columns of tiles: twelve blocks.
// HOST-LABEL: func.func private @pair
//       HOST:   call @sinter_rt_launch(%{{.+}}, %{{.+}}, %{{.+}}, %c12_i64
func.func private @pair(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2, group = 2>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @odd_group(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, and an odd number of tiles lies below each other}}
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @parts(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, and blocks share sums}}
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2, group = 2, split = 2>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @four(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 4, and two blocks share columns at most}}
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 4, group = 4>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @odd_blocks(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, and the number of blocks is odd}}
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2, group = 2, blocks = 5>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @by_threads(%x: memref<640x509xbf16>, %w: memref<384x509xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, and threads fetch a side}}
  sinter.contract (i = 640) by (j = 384) product (k = 509) (%x[i, k] : memref<640x509xbf16>, %w[j, k] : memref<384x509xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 192, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2, group = 2>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}

// -----

func.func private @narrow(%x: memref<640x512xbf16>, %w: memref<384x512xbf16>, %y: memref<640x384xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, and columns of a tile are not copied 64 at a time}}
  sinter.contract (i = 640) by (j = 384) product (k = 512) (%x[i, k] : memref<640x512xbf16>, %w[j, k] : memref<384x512xbf16>) : f32
      outs(%y[i, j] : memref<640x384xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 32, k = 64, threads = 256, stages = 4, share = "tile", cluster = 2, group = 2>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return
}
