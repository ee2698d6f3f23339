// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=sinter.contract

// A row's elements go to a tile in f32, and from there to two: the largest bf16 below each, which of zero is zero, and
// what is left. Every pair of parts is multiplied, a part of b being loaded once for all of a.

// CHECK-LABEL: func.func private @half_task(
//       CHECK:   arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
//       CHECK:   vector.store {{.*}} : memref<16x32xf32>, vector<16xf32>
//       CHECK:   %[[X:.+]] = vector.load {{.*}} : memref<16x32xf32>, vector<16xf32>
//       CHECK:   %[[W:.+]] = arith.bitcast %[[X]] : vector<16xf32> to vector<16xi32>
//       CHECK:   %[[Z:.+]] = arith.cmpf oeq, %[[X]], %[[ZEROS:.+]] : vector<16xf32>
//       CHECK:   %[[BELOW:.+]] = arith.subi %[[W]], %[[ONES:.+]] : vector<16xi32>
//       CHECK:   %[[UPPER:.+]] = arith.andi %[[BELOW]], %[[MASK:.+]] : vector<16xi32>
//       CHECK:   %[[H:.+]] = arith.select %[[Z]], %{{.+}}, %[[UPPER]]
//       CHECK:   %[[P:.+]] = arith.bitcast %[[H]] : vector<16xi32> to vector<16xf32>
//       CHECK:   %[[LEFT:.+]] = arith.subf %[[X]], %[[P]] : vector<16xf32>
//       CHECK:   %[[L:.+]] = arith.bitcast %[[LEFT]] : vector<16xf32> to vector<16xi32>
//       CHECK:   arith.andi %[[L]], %[[MASK]]
// CHECK-COUNT-2: vector.store {{.*}} : memref<128x32xbf16>, vector<16xbf16>
// Pairs of k of b: the first in the lower half of a word.
//       CHECK:   arith.shrui %[[EVEN:.+]], %{{.+}} : vector<16xi32>
//       CHECK:   arith.ori
//       CHECK:   vector.bitcast {{.*}} : vector<16xi32> to vector<32xbf16>
//       CHECK:   vector.store {{.*}} : memref<192x32xbf16>, vector<32xbf16>
//       CHECK:   call @sinter_amx.f16_f32(
// CHECK-LABEL: func.func private @sinter_amx.f16_f32(
//       CHECK:   scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK-COUNT-3:   call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
// CHECK-COUNT-3:   call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//       CHECK:     call @llvm.x86.tileloadd64.internal(
// CHECK-COUNT-2:   call @llvm.x86.tdpbf16ps.internal(
//   CHECK-NOT:     call
//       CHECK:     scf.yield
func.func private @half(%x: memref<20x47xf16>, %w: memref<47x40xf16>, %y: memref<20x40xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 20) by (j = 40) product (k = 47) (%x[i, k] : memref<20x47xf16>, %w[k, j] : memref<47x40xf16>) : f32
      outs(%y[i, j] : memref<20x40xf32>) schedule(#sinter.brgemm<kernel = "amx.f16", m = 32, n = 40, k = 64, lanes = 16>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}

// -----

// Three parts of each: 6 of 9 products, those of which the numbers of the parts are 2 together or fewer.

// CHECK-LABEL: func.func private @single_task(
// CHECK-COUNT-3: vector.store {{.*}} : memref<192x32xbf16>, vector<16xbf16>
//       CHECK:   call @sinter_amx.f32_f32(
// CHECK-LABEL: func.func private @sinter_amx.f32_f32(
//       CHECK:   scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK-COUNT-24:  call @llvm.x86.tdpbf16ps.internal(
//   CHECK-NOT:     call
//       CHECK:     scf.yield
func.func private @single(%x: memref<20x47xf32>, %w: memref<47x40xf32>, %y: memref<20x40xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 20) by (j = 40) product (k = 47) (%x[i, k] : memref<20x47xf32>, %w[k, j] : memref<47x40xf32>) : f32
      outs(%y[i, j] : memref<20x40xf32>) schedule(#sinter.brgemm<kernel = "amx.f32", m = 32, n = 40, k = 64, lanes = 16>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}

// -----

func.func private @unknown_sum(%x: memref<20x?xf16>, %w: memref<?x40xf16>, %y: memref<20x40xf32>) attributes {sinter.kernel} {
  // expected-error@below {{kernel = "amx.f16" multiplies one product of a row, whose sum has a known length}}
  sinter.contract (i = 20) by (j = 40) product (k = ?) (%x[i, k] : memref<20x?xf16>, %w[k, j] : memref<?x40xf16>) : f32
      outs(%y[i, j] : memref<20x40xf32>) schedule(#sinter.brgemm<kernel = "amx.f16", m = 32, n = 40, k = 64, lanes = 16>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return
}
