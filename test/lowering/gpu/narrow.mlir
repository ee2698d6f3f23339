// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Nothing here has 2^31 elements: subscripts have 32 bits, and a label that they do not hold is outside.

// CHECK-LABEL: gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
//       CHECK:   %[[LABEL:.+]] = memref.load %{{.+}} : memref<3xi64>
//       CHECK:   %[[MOST:.+]] = arith.minsi %[[LABEL]], %c2147483647_i64
//       CHECK:   %[[T:.+]] = arith.maxsi %[[MOST]], %c-2147483648_i64
//       CHECK:   arith.index_cast %[[T]] : i64 to index
//   CHECK-NOT:   vector.step
func.func private @label(%x: memref<3x8xf32>, %t: memref<3xi64>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 8) ins(%x[i, j] : memref<3x8xf32>, %t[i] : memref<3xi64>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4, residency = "registers">) {
  ^row(%a: tensor<8xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %p = sinter.pick %a[%l] else %zero : tensor<8xf32>, i64
    sinter.yield %p : f32
  }
  return
}

// -----

// 65536 x 32768 are 2^31: 64 bits.

// CHECK-LABEL: gpu.module @kernels {
//   CHECK-NOT:   dlti
func.func private @large(%x: memref<65536x32768xbf16>, %y: memref<65536x32768xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 65536) by (j = 32768) ins(%x[i, j] : memref<65536x32768xbf16>) outs(%y[i, j] : memref<65536x32768xbf16>)
      schedule(#sinter.gpu_rows<threads = 512, blocks = 264, vector = 8, shape = "flat">) {
  ^row(%a: tensor<32768xbf16>):
    %n = arith.negf %a : tensor<32768xbf16>
    sinter.yield %n : tensor<32768xbf16>
  }
  return
}

// -----

// 65535 x 32768 are less, but not what the threads of this grid go on by: at the end a counter of 32 bits would pass
// 2^31.

// CHECK-LABEL: gpu.module @kernels {
//       CHECK:   scf.for %{{.+}} step %c34603008
func.func private @steps(%x: memref<65535x32768xbf16>, %y: memref<65535x32768xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 65535) by (j = 32768) ins(%x[i, j] : memref<65535x32768xbf16>) outs(%y[i, j] : memref<65535x32768xbf16>)
      schedule(#sinter.gpu_rows<threads = 512, blocks = 8448, vector = 8, shape = "flat">) {
  ^row(%a: tensor<32768xbf16>):
    %n = arith.negf %a : tensor<32768xbf16>
    sinter.yield %n : tensor<32768xbf16>
  }
  return
}

// -----

// A size that is not known: 64 bits.

// CHECK-LABEL: gpu.module @kernels {
func.func private @unknown(%x: memref<?x8xf32>, %y: memref<?x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = 8) ins(%x[i, j] : memref<?x8xf32>) outs(%y[i, j] : memref<?x8xf32>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  return
}

// -----

// A label that counts from the end is compared as an index: what 32 bits do not hold stays beyond every size on its own
// side.

// CHECK-LABEL: gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
//       CHECK:   arith.minsi
//       CHECK:   %[[LABEL:.+]] = arith.maxsi
//       CHECK:   %[[I:.+]] = arith.index_cast %[[LABEL]] : i64 to index
//       CHECK:   arith.cmpi slt, %[[I]]
func.func private @from_the_end(%x: memref<3x8xf32>, %t: memref<3xi64>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 8) ins(%x[i, j] : memref<3x8xf32>, %t[i] : memref<3xi64>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4, residency = "registers">) {
  ^row(%a: tensor<8xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %i = arith.index_cast %l : i64 to index
    %negative = arith.cmpi slt, %i, %c0 : index
    %more = arith.addi %i, %c8 : index
    %k = arith.select %negative, %more, %i : index
    %p = sinter.pick %a[%k] else %zero : tensor<8xf32>, index
    sinter.yield %p : f32
  }
  return
}

// -----

// Twice a label of 2^31 is 0 in 32 bits, and would be inside: 64 bits.

// CHECK-LABEL: gpu.module @kernels {
//   CHECK-NOT:   dlti
func.func private @twice(%x: memref<3x8xf32>, %t: memref<3xi64>, %y: memref<3xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3) by (j = 8) ins(%x[i, j] : memref<3x8xf32>, %t[i] : memref<3xi64>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4, residency = "registers">) {
  ^row(%a: tensor<8xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %c2 = arith.constant 2 : index
    %i = arith.index_cast %l : i64 to index
    %k = arith.muli %i, %c2 : index
    %p = sinter.pick %a[%k] else %zero : tensor<8xf32>, index
    sinter.yield %p : f32
  }
  return
}

// -----

// Rows that are multiplied again have 2^31 elements in all, which nobody has in memory.

// CHECK-LABEL: gpu.module @kernels attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
//       CHECK: gpu.func @again
func.func private @again(%q: memref<32x8192x64xbf16>, %k: memref<32x8192x64xbf16>, %v: memref<32x8192x64xbf16>, %y: memref<32x8192x64xbf16>) attributes {sinter.kernel} {
  sinter.contract (h = 32, i = 8192) by (j = 8192) by (e = 64)
      product (k = 64) (%q[h, i, k] : memref<32x8192x64xbf16>, %k[h, j, k] : memref<32x8192x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : memref<32x8192x64xbf16>)
      outs(%y[h, i, e] : memref<32x8192x64xbf16>) schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, threads = 256, blocks = 132, stages = 4>) {
  ^row(%x: tensor<8192xf32>, %m: tensor<8192x64xbf16>):
    %r = arith.truncf %x : tensor<8192xf32> to tensor<8192xbf16>
    %u = sinter.row_product %r, %m : tensor<8192xbf16>, tensor<8192x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %u : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return
}
