// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// A block's rows of both inner groups of columns are in its shared memory: 16 of 40 and of 24 numbers. Only the last
// row goes to memory, and each piece has its loop over the sum.

// CHECK-LABEL: gpu.func @block
//   CHECK-NOT:   memref.alloca
//       CHECK:   memref.view %{{.+}} : memref<{{[0-9]+}}xi8, #gpu.address_space<workgroup>> to memref<16x40xf32, #gpu.address_space<workgroup>>
//       CHECK:   memref.view %{{.+}} : memref<{{[0-9]+}}xi8, #gpu.address_space<workgroup>> to memref<16x24xf32, #gpu.address_space<workgroup>>
//       CHECK:   math.fma
//       CHECK:   memref.store %{{.+}} : memref<16x40xf32, #gpu.address_space<workgroup>>
//       CHECK:   vector.load %{{.+}} : memref<16x40xf32, #gpu.address_space<workgroup>>
//       CHECK:   math.fma
//       CHECK:   memref.store %{{.+}} : memref<16x24xf32, #gpu.address_space<workgroup>>
//       CHECK:   math.fma
//       CHECK:   vector.store %{{.+}} : memref<37x8xf32>
//   CHECK-NOT:   nvvm.cluster
func.func private @block(%x: memref<37x13xf32>, %w0: memref<40x13xf32>, %w1: memref<24x40xf32>, %w2: memref<8x24xf32>, %y: memref<37x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 37) by (j0 = 40) by (j1 = 24) by (j2 = 8)
      product (k = 13) (%x[i, k] : memref<37x13xf32>, %w0[j0, k] : memref<40x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<24x40xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<8x24xf32>)
      outs(%y[i, j2] : memref<37x8xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 16, n = 16, k = 8, threads = 32>) {
  ^row(%p: tensor<40xf32>, %m1: tensor<40x24xf32>, %m2: tensor<24x8xf32>):
    %t1 = math.tanh %p : tensor<40xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<40xf32>, tensor<40x24xf32> -> tensor<24xf32>
    %t2 = math.tanh %p1 : tensor<24xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<24xf32>, tensor<24x8xf32> -> tensor<8xf32>
    sinter.yield %p2 : tensor<8xf32>
  }
  return
}

// -----

// Two blocks share 16 rows and make every other 16 columns of each group. Behind each of the first two pieces they wait
// for each other, and each takes the other's columns; neither ends while the other reads.

// CHECK-LABEL: gpu.func @cluster
//  CHECK-SAME:   nvvm.cluster_dim = array<i32: 2>
//       CHECK:   nvvm.cluster.wait
//       CHECK:   math.fma
//       CHECK:   nvvm.cluster.arrive {aligned}
//  CHECK-NEXT:   nvvm.cluster.wait {aligned}
//       CHECK:   ld.shared::cluster.b64
//       CHECK:   math.fma
//       CHECK:   nvvm.cluster.arrive {aligned}
//       CHECK:   ld.shared::cluster.b64
//       CHECK:   math.fma
//   CHECK-NOT:   ld.shared::cluster
//       CHECK:   nvvm.cluster.arrive {aligned}
//  CHECK-NEXT:   nvvm.cluster.wait {aligned}
func.func private @cluster(%x: memref<37x13xf32>, %w0: memref<40x13xf32>, %w1: memref<24x40xf32>, %w2: memref<8x24xf32>, %y: memref<37x8xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 37) by (j0 = 40) by (j1 = 24) by (j2 = 8)
      product (k = 13) (%x[i, k] : memref<37x13xf32>, %w0[j0, k] : memref<40x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<24x40xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<8x24xf32>)
      outs(%y[i, j2] : memref<37x8xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 16, n = 16, k = 8, threads = 32, cluster = 2>) {
  ^row(%p: tensor<40xf32>, %m1: tensor<40x24xf32>, %m2: tensor<24x8xf32>):
    %t1 = math.tanh %p : tensor<40xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<40xf32>, tensor<40x24xf32> -> tensor<24xf32>
    %t2 = math.tanh %p1 : tensor<24xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<24xf32>, tensor<24x8xf32> -> tensor<8xf32>
    sinter.yield %p2 : tensor<8xf32>
  }
  return
}

// -----

// Halves by warps: weights are copied behind the threads' backs, rows in shared memory are not.

// CHECK-LABEL: gpu.func @warps
//       CHECK:   cp.async.cg.shared.global
//       CHECK:   mma.sync.aligned.m16n8k16
//       CHECK:   memref<32x48xbf16, #gpu.address_space<workgroup>>
func.func private @warps(%x: memref<64x32xbf16>, %w0: memref<48x32xbf16>, %w1: memref<32x48xbf16>, %w2: memref<16x32xbf16>, %y: memref<64x16xbf16>) attributes {sinter.kernel} {
  sinter.contract (i = 64) by (j0 = 48) by (j1 = 32) by (j2 = 16)
      product (k = 32) (%x[i, k] : memref<64x32xbf16>, %w0[j0, k] : memref<48x32xbf16>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<32x48xbf16>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<16x32xbf16>)
      outs(%y[i, j2] : memref<64x16xbf16>)
      schedule(#sinter.mma<kernel = "mma.sync", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%p: tensor<48xf32>, %m1: tensor<48x32xbf16>, %m2: tensor<32x16xbf16>):
    %t1 = math.tanh %p : tensor<48xf32>
    %h1 = arith.truncf %t1 : tensor<48xf32> to tensor<48xbf16>
    %p1 = sinter.row_product %h1, %m1 : tensor<48xbf16>, tensor<48x32xbf16> -> tensor<32xf32>
    %t2 = math.tanh %p1 : tensor<32xf32>
    %h2 = arith.truncf %t2 : tensor<32xf32> to tensor<32xbf16>
    %p2 = sinter.row_product %h2, %m2 : tensor<32xbf16>, tensor<32x16xbf16> -> tensor<16xf32>
    %z = arith.truncf %p2 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %z : tensor<16xbf16>
  }
  return
}

// -----

func.func private @wrong_kernel(%x: memref<64x32xbf16>, %w0: memref<48x32xbf16>, %w1: memref<32x48xbf16>, %w2: memref<16x32xbf16>, %y: memref<64x16xbf16>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with kernel = "wgmma", but rows go through several products by "mma.sync" or "fma"}}
  sinter.contract (i = 64) by (j0 = 48) by (j1 = 32) by (j2 = 16)
      product (k = 32) (%x[i, k] : memref<64x32xbf16>, %w0[j0, k] : memref<48x32xbf16>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<32x48xbf16>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<16x32xbf16>)
      outs(%y[i, j2] : memref<64x16xbf16>)
      schedule(#sinter.mma<kernel = "wgmma", m = 32, n = 32, k = 16, threads = 64>) {
  ^row(%p: tensor<48xf32>, %m1: tensor<48x32xbf16>, %m2: tensor<32x16xbf16>):
    %t1 = math.tanh %p : tensor<48xf32>
    %h1 = arith.truncf %t1 : tensor<48xf32> to tensor<48xbf16>
    %p1 = sinter.row_product %h1, %m1 : tensor<48xbf16>, tensor<48x32xbf16> -> tensor<32xf32>
    %t2 = math.tanh %p1 : tensor<32xf32>
    %h2 = arith.truncf %t2 : tensor<32xf32> to tensor<32xbf16>
    %p2 = sinter.row_product %h2, %m2 : tensor<32xbf16>, tensor<32x16xbf16> -> tensor<16xf32>
    %z = arith.truncf %p2 : tensor<16xf32> to tensor<16xbf16>
    sinter.yield %z : tensor<16xbf16>
  }
  return
}

// -----

func.func private @wrong_tile(%x: memref<64x32xf32>, %w0: memref<48x32xf32>, %w1: memref<32x48xf32>, %w2: memref<16x32xf32>, %y: memref<64x16xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with k = 1, of which threads = 64 cannot fetch equal parts}}
  sinter.contract (i = 64) by (j0 = 48) by (j1 = 32) by (j2 = 16)
      product (k = 32) (%x[i, k] : memref<64x32xf32>, %w0[j0, k] : memref<48x32xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<32x48xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<16x32xf32>)
      outs(%y[i, j2] : memref<64x16xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 32, n = 32, k = 1, threads = 64>) {
  ^row(%p: tensor<48xf32>, %m1: tensor<48x32xf32>, %m2: tensor<32x16xf32>):
    %t1 = math.tanh %p : tensor<48xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<48xf32>, tensor<48x32xf32> -> tensor<32xf32>
    %t2 = math.tanh %p1 : tensor<32xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<32xf32>, tensor<32x16xf32> -> tensor<16xf32>
    sinter.yield %p2 : tensor<16xf32>
  }
  return
}

// -----

func.func private @odd_lines(%x: memref<64x32xf32>, %w0: memref<41x32xf32>, %w1: memref<32x41xf32>, %w2: memref<16x32xf32>, %y: memref<64x16xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with cluster = 2, but lines of its rows are no multiples of 8 bytes}}
  sinter.contract (i = 64) by (j0 = 41) by (j1 = 32) by (j2 = 16)
      product (k = 32) (%x[i, k] : memref<64x32xf32>, %w0[j0, k] : memref<41x32xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : memref<32x41xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : memref<16x32xf32>)
      outs(%y[i, j2] : memref<64x16xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 32, n = 32, k = 8, threads = 64, cluster = 2>) {
  ^row(%p: tensor<41xf32>, %m1: tensor<41x32xf32>, %m2: tensor<32x16xf32>):
    %t1 = math.tanh %p : tensor<41xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<41xf32>, tensor<41x32xf32> -> tensor<32xf32>
    %t2 = math.tanh %p1 : tensor<32xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<32xf32>, tensor<32x16xf32> -> tensor<16xf32>
    sinter.yield %p2 : tensor<16xf32>
  }
  return
}
