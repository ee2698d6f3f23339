// RUN: sinter-opt --sinter-math=exp=avx512 --split-input-file %s | FileCheck %s

// Two sums of log1p(exp(-|x|)) that are one behind the loop: one logarithm, of (1 + e0) (1 + e1).

// CHECK-LABEL: func @one_total
//       CHECK:   scf.for {{.*}} iter_args(%[[S0:.+]] = %{{.+}}, %[[S1:.+]] = %{{.+}})
//       CHECK:     %[[X0:.+]] = vector.load
//       CHECK:     %[[N0:.+]] = arith.addf %[[S0]], %[[X0]]
//       CHECK:     %[[Q:.+]] = arith.addf %[[E0:.+]], %[[E1:.+]] :
//       CHECK:     %[[B:.+]] = math.fma %[[E0]], %[[E1]], %[[Q]]
//       CHECK:     llvm.x86.avx512.mask.getexp.ps.512
//   CHECK-NOT:     getexp
//       CHECK:     %[[N1:.+]] = arith.addf %[[S1]]
//       CHECK:     scf.yield %[[N0]], %[[N1]]
func.func @one_total(%x: memref<1024xf32>, %zero: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 1024 : index
  %s:2 = scf.for %i = %c0 to %n step %c32 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<16xf32>, vector<16xf32>) {
    %j = arith.addi %i, %c16 : index
    %x0 = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
    %a0 = math.absf %x0 : vector<16xf32>
    %m0 = arith.negf %a0 : vector<16xf32>
    %e0 = math.exp %m0 : vector<16xf32>
    %l0 = math.log1p %e0 : vector<16xf32>
    %t0 = arith.addf %x0, %l0 : vector<16xf32>
    %n0 = arith.addf %s0, %t0 : vector<16xf32>
    %x1 = vector.load %x[%j] : memref<1024xf32>, vector<16xf32>
    %a1 = math.absf %x1 : vector<16xf32>
    %m1 = arith.negf %a1 : vector<16xf32>
    %e1 = math.exp %m1 : vector<16xf32>
    %l1 = math.log1p %e1 : vector<16xf32>
    %t1 = arith.addf %x1, %l1 : vector<16xf32>
    %n1 = arith.addf %s1, %t1 : vector<16xf32>
    scf.yield %n0, %n1 : vector<16xf32>, vector<16xf32>
  }
  %r = arith.addf %s#0, %s#1 : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// Two sums that are two results keep their logarithms, which are polynomials of what is between 0 and 1.

// CHECK-LABEL: func @two_totals
//   CHECK-NOT:   getexp
//       CHECK:   return
func.func @two_totals(%x: memref<1024xf32>, %zero: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1024 : index
  %s:2 = scf.for %i = %c0 to %n step %c16 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<16xf32>, vector<16xf32>) {
    %x0 = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
    %a0 = math.absf %x0 : vector<16xf32>
    %m0 = arith.negf %a0 : vector<16xf32>
    %e0 = math.exp %m0 : vector<16xf32>
    %l0 = math.log1p %e0 : vector<16xf32>
    %n0 = arith.addf %s0, %l0 : vector<16xf32>
    %m1 = arith.addf %m0, %m0 : vector<16xf32>
    %a1 = math.absf %m1 : vector<16xf32>
    %m2 = arith.negf %a1 : vector<16xf32>
    %e1 = math.exp %m2 : vector<16xf32>
    %l1 = math.log1p %e1 : vector<16xf32>
    %n1 = arith.addf %s1, %l1 : vector<16xf32>
    scf.yield %n0, %n1 : vector<16xf32>, vector<16xf32>
  }
  return %s#0, %s#1 : vector<16xf32>, vector<16xf32>
}

// -----

// A sum that is written out goes on where the lowering says so; elsewhere a product is rounded before it is added.

// CHECK-LABEL: func @written_out
//  CHECK-SAME:   %[[A:.+]]: vector<16xf32>, %[[B:.+]]: vector<16xf32>, %[[S:.+]]: vector<16xf32>
//       CHECK:   %[[X:.+]] = llvm.intr.fmuladd(%[[A]], %[[B]], %[[S]])
//       CHECK:   %[[Y:.+]] = llvm.intr.fmuladd(%[[B]], %[[B]], %[[X]])
//       CHECK:   %[[P:.+]] = arith.mulf %[[A]], %[[A]]
//       CHECK:   arith.addf %[[Y]], %[[P]]
func.func @written_out(%a: vector<16xf32>, %b: vector<16xf32>, %s: vector<16xf32>) -> vector<16xf32> {
  %p = arith.mulf %a, %b : vector<16xf32>
  %x = arith.addf %s, %p fastmath<contract> : vector<16xf32>
  %q = arith.mulf %b, %b : vector<16xf32>
  %y = arith.addf %x, %q fastmath<contract> : vector<16xf32>
  %r = arith.mulf %a, %a : vector<16xf32>
  %z = arith.addf %y, %r : vector<16xf32>
  return %z : vector<16xf32>
}
