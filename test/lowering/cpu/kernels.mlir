// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=sinter.contract

// Sums of 6 rows of 2 vectors stay in registers over k: two vectors of b are loaded, each element of a is on all lanes
// once. 13 rows are two such tiles and one of the row that is left. Nothing is packed: both sides are as the kernel
// wants them.

// CHECK-LABEL: func.func private @tiles_task(
//   CHECK-NOT:   memref<{{.*}}> to memref<{{.*}}strided
//       CHECK:   scf.for %[[R:.+]] = %c0 to %c12 step %c6
//       CHECK:     scf.for %{{.+}} = %c0 to %c10 step %c1 iter_args({{.*}}) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>)
// CHECK-COUNT-2:     vector.load {{.*}} : memref<80xf64>, vector<4xf64>
//       CHECK:       memref.load {{.*}} : memref<130xf64>
//       CHECK:       vector.broadcast
// CHECK-COUNT-2:     math.fma
//       CHECK:       scf.yield
// CHECK-COUNT-12:  vector.store {{.*}} : memref<{{.*}}xf64>, vector<4xf64>
//       CHECK:   scf.for %{{.+}} = %c0 to %c10 step %c1 iter_args(%{{[^,]+}} = %{{[^,]+}}, %{{[^,]+}} = %{{[^,]+}}) -> (vector<4xf64>, vector<4xf64>) {
func.func private @tiles(%x: memref<13x10xf64>, %w: memref<10x8xf64>, %y: memref<13x8xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 13) by (j = 8) product (k = 10) (%x[i, k] : memref<13x10xf64>, %w[k, j] : memref<10x8xf64>) : f64
      outs(%y[i, j] : memref<13x8xf64>) schedule(#sinter.brgemm<kernel = "fma256", m = 13, n = 8, k = 16, lanes = 4>) {
  ^row(%a: tensor<8xf64>):
    sinter.yield %a : tensor<8xf64>
  }
  return
}

// -----

// A column more: what is behind the last whole vector is read by a mask, since b lies in memory.

// CHECK-LABEL: func.func private @one_more_task(
//       CHECK:   scf.for {{.*}} iter_args
//   CHECK-NOT:     maskedload
//       CHECK:     math.fma
//       CHECK:   %[[MASK:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : vector<4xi32>
//       CHECK:   scf.for {{.*}} iter_args
//       CHECK:     vector.maskedload %{{.+}}[%{{.+}}], %[[MASK]], {{.*}} : memref<90xf64>
//       CHECK:     math.fma
//       CHECK:   vector.maskedstore
func.func private @one_more(%x: memref<4x10xf64>, %w: memref<10x9xf64>, %y: memref<4x9xf64>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 9) product (k = 10) (%x[i, k] : memref<4x10xf64>, %w[k, j] : memref<10x9xf64>) : f64
      outs(%y[i, j] : memref<4x9xf64>) schedule(#sinter.brgemm<kernel = "fma256", m = 4, n = 9, k = 16, lanes = 4>) {
  ^row(%a: tensor<9xf64>):
    sinter.yield %a : tensor<9xf64>
  }
  return
}

// -----

// A packed panel has room for whole vectors, filled with zeros, and so have the sums: no mask. Half types are widened
// while they are packed.

// CHECK-LABEL: func.func private @with_room_task(
//       CHECK:   arith.extf {{.*}} : bf16 to f32
//       CHECK:   memref.store %cst{{.*}} : memref<10x16xf32>
//   CHECK-NOT:   maskedload
//       CHECK:   vector.load {{.*}} : memref<160xf32>, vector<8xf32>
//       CHECK:   math.fma
func.func private @with_room(%x: memref<4x10xbf16>, %w: memref<10x9xbf16>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 9) product (k = 10) (%x[i, k] : memref<4x10xbf16>, %w[k, j] : memref<10x9xbf16>) : f32
      outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.brgemm<kernel = "fma256", m = 4, n = 9, k = 10, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// Any type: multiplied and added. A schedule without a kernel has the one that every type can have.

// CHECK-LABEL: func.func private @integers_task(
//       CHECK:   arith.extsi {{.*}} : i8 to i32
//       CHECK:   scf.for {{.*}} -> (vector<4xi32>,
//       CHECK:     %[[M:.+]] = arith.muli {{.*}} : vector<4xi32>
//       CHECK:     arith.addi %{{.+}}, %[[M]] : vector<4xi32>
func.func private @integers(%x: memref<4x10xi8>, %w: memref<10x8xi8>, %y: memref<4x8xi32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 8) product (k = 10) (%x[i, k] : memref<4x10xi8>, %w[k, j] : memref<10x8xi8>) : i32
      outs(%y[i, j] : memref<4x8xi32>) schedule(#sinter.brgemm<m = 4, n = 8, k = 10, lanes = 1>) {
  ^row(%a: tensor<8xi32>):
    sinter.yield %a : tensor<8xi32>
  }
  return
}

// -----

// Pairs of k in one lane. Weights [j, k] have pairs as words in memory: words are transposed. A pair of a is on all
// lanes. 17 rows of k are 9 pairs, the last with a zero.

// CHECK-LABEL: func.func private @pairs_task(
//       CHECK:   vector.load {{.*}} vector<32xbf16>
//       CHECK:   vector.bitcast {{.*}} : vector<32xbf16> to vector<16xi32>
//       CHECK:   vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
//       CHECK:   vector.bitcast {{.*}} : vector<16xi32> to vector<32xbf16>
//       CHECK:   vector.store {{.*}} : memref<24x32xbf16>, vector<32xbf16>
//       CHECK:   %[[LOW:.+]] = vector.load {{.*}} : memref<2x16xbf16>, vector<16xbf16>
//       CHECK:   %[[HIGH:.+]] = vector.load {{.*}} : memref<2x16xbf16>, vector<16xbf16>
//       CHECK:   vector.interleave %[[LOW]], %[[HIGH]]
//       CHECK:   scf.for {{.*}} to %c24 step
//       CHECK:     vector.load {{.*}} vector<32xbf16>
//       CHECK:     vector.load {{.*}} vector<2xbf16>
//       CHECK:     vector.bitcast {{.*}} : vector<2xbf16> to vector<1xi32>
//       CHECK:     vector.broadcast {{.*}} : i32 to vector<16xi32>
//       CHECK:     func.call @llvm.x86.avx512bf16.dpbf16ps.512(
func.func private @pairs(%x: memref<4x47xbf16>, %w: memref<16x47xbf16>, %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16) product (k = 47) (%x[i, k] : memref<4x47xbf16>, %w[j, k] : memref<16x47xbf16>) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.brgemm<kernel = "dot512", m = 4, n = 16, k = 47, lanes = 16>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// Fours of bytes: those of a without a sign, which is 128 more, so that 128 times the sums of b's columns, which are
// summed beside, are taken off at the end.

// CHECK-LABEL: func.func private @fours_task(
//       CHECK:   scf.for {{.*}} -> (vector<8xi32>, vector<8xi32>, vector<8xi32>)
//       CHECK:     %[[Y:.+]] = vector.load {{.*}} vector<32xi8>
//       CHECK:     %[[X:.+]] = arith.xori %{{.+}}, %[[FIRST:.+]] : vector<32xi8>
//       CHECK:     func.call @llvm.x86.avx512.vpdpbusd.256(%{{.+}}, %[[X]], %[[Y]])
//       CHECK:     func.call @llvm.x86.avx512.vpdpbusd.256(
//       CHECK:     func.call @llvm.x86.avx512.vpdpbusd.256(%{{.+}}, %[[FIRST]], %[[Y]])
//       CHECK:     scf.yield
// CHECK-COUNT-2: arith.subi {{.*}} : vector<8xi32>
func.func private @fours(%x: memref<2x8xi8>, %w: memref<8x8xi8>, %y: memref<2x8xi32>) attributes {sinter.kernel} {
  sinter.contract (i = 2) by (j = 8) product (k = 8) (%x[i, k] : memref<2x8xi8>, %w[k, j] : memref<8x8xi8>) : i32
      outs(%y[i, j] : memref<2x8xi32>) schedule(#sinter.brgemm<kernel = "vnni256", m = 2, n = 8, k = 8, lanes = 8>) {
  ^row(%a: tensor<8xi32>):
    sinter.yield %a : tensor<8xi32>
  }
  return
}

// -----

// Tiles of 16 rows of 64 bytes: panels have room for whole ones, each in one piece, two along k. The module's function
// takes them. It is not inlined: a call beside tiles would save them all.

// CHECK-LABEL: func.func private @tiled_task(
//       CHECK:   memref.store {{.*}} : memref<32x32xbf16>
//   CHECK-NOT:   tdpbf16ps
//       CHECK:   call @sinter_amx_f32(
// CHECK-LABEL: func.func private @sinter_amx_f32(
//  CHECK-SAME:   attributes {passthrough = ["noinline"]
//       CHECK:   scf.for {{.*}} step %c32 {
//       CHECK:     scf.for {{.*}} step %c32 {
// CHECK-COUNT-4:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-4:     call @llvm.x86.tilezero.internal(
//       CHECK:       scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK-COUNT-3:       call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:       call @llvm.x86.tdpbf16ps.internal(
//       CHECK:         call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:       call @llvm.x86.tdpbf16ps.internal(
//       CHECK:         scf.yield
// CHECK-COUNT-4:     call @llvm.x86.tilestored64.internal(
func.func private @tiled(%x: memref<4x47xbf16>, %w: memref<9x47xbf16>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 9) product (k = 47) (%x[i, k] : memref<4x47xbf16>, %w[j, k] : memref<9x47xbf16>) : f32
      outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.brgemm<kernel = "amx", m = 16, n = 9, k = 64, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

// Sizes that are known at run time only: the module has one function for any, which two products call. Whole tiles of
// columns, then one of the vectors that are left, and the last columns by a mask; rows by powers of two.

// CHECK-LABEL: func.func private @unknown_task(
//   CHECK-NOT:   math.fma
//       CHECK:   call @sinter_fma256_masked_f64_1(
// CHECK-LABEL: func.func private @too_task(
//       CHECK:   call @sinter_fma256_masked_f64_1(
// CHECK-LABEL: func.func private @sinter_fma256_masked_f64()
// CHECK-LABEL: func.func private @sinter_fma256_masked_f64_1(
//       CHECK:   scf.for {{.*}} step %c8 {
//       CHECK:     scf.for {{.*}} step %c6 {
// CHECK-COUNT-12:    math.fma
//       CHECK:     arith.remui {{.*}}, %c8
// CHECK-COUNT-8:     math.fma
//       CHECK:     arith.remui {{.*}}, %c4
// CHECK-COUNT-4:     math.fma
//       CHECK:     arith.remui {{.*}}, %c2
// CHECK-COUNT-2:     math.fma
//       CHECK:   %[[REST:.+]] = arith.remui %{{.+}}, %c4
//       CHECK:   %[[LEFT:.+]] = arith.divui %{{.+}}, %c4
//       CHECK:   %[[ONE:.+]] = arith.cmpi eq, %[[LEFT]], %c1
//       CHECK:   scf.if %[[ONE]] {
//   CHECK-NOT:     vector.maskedload
//       CHECK:     scf.for {{.*}} step %c8 {
// CHECK-COUNT-8:     math.fma
//       CHECK:   %[[SOME:.+]] = arith.cmpi ne, %[[REST]], %c0
//       CHECK:   scf.if %[[SOME]] {
//       CHECK:     arith.cmpi slt, {{.*}} : vector<4xi32>
//       CHECK:     scf.for {{.*}} step %c8 {
//       CHECK:       vector.maskedload
func.func private @unknown(%x: memref<?x?xf64>, %w: memref<?x4xf64>, %y: memref<?x4xf64>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 4) product (k = ?) (%x[i, k] : memref<?x?xf64>, %w[k, j] : memref<?x4xf64>) : f64
      outs(%y[i, j] : memref<?x4xf64>) schedule(#sinter.brgemm<kernel = "fma256", m = 32, n = 4, k = 16, lanes = 4>) {
  ^row(%a: tensor<4xf64>):
    sinter.yield %a : tensor<4xf64>
  }
  return
}
func.func private @too(%x: memref<?x?xf64>, %w: memref<?x4xf64>, %y: memref<?x4xf64>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = 4) product (k = ?) (%x[i, k] : memref<?x?xf64>, %w[k, j] : memref<?x4xf64>) : f64
      outs(%y[i, j] : memref<?x4xf64>) schedule(#sinter.brgemm<kernel = "fma256", m = 32, n = 4, k = 16, lanes = 4>) {
  ^row(%a: tensor<4xf64>):
    sinter.yield %a : tensor<4xf64>
  }
  return
}
func.func private @sinter_fma256_masked_f64()

// -----

// Tiles ask for 64 columns that are copied next: each four of 16 for four rows of them. Behind the last of k those
// are the next columns' first ones.

// CHECK-LABEL: func.func private @asks_task(
//       CHECK:   %[[MORE:.+]] = arith.cmpi ult, %{{.+}}, %c128
//       CHECK:   arith.select %[[MORE]], %{{.+}}, %c0
//       CHECK:   arith.select %[[MORE]],
//       CHECK:   func.call @sinter_amx_asks4_f32
// CHECK-LABEL: func.func private @sinter_amx_asks4_f32
// CHECK-COUNT-4: memref.prefetch %{{.+}}[%{{.+}}], read, locality<2>
//   CHECK-NOT:   memref.prefetch
func.func private @asks(%x: memref<256x128xbf16>, %w: memref<192x128xbf16>, %y: memref<256x192xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 256) by (j = 192) product (k = 128) (%x[i, k] : memref<256x128xbf16>, %w[j, k] : memref<192x128xbf16>) : f32
      outs(%y[i, j] : memref<256x192xf32>) schedule(#sinter.brgemm<kernel = "amx", m = 256, n = 64, k = 64, ahead = 64, lanes = 16>) {
  ^row(%a: tensor<192xf32>):
    sinter.yield %a : tensor<192xf32>
  }
  return
}
