// RUN: sinter-opt --sinter-math --split-input-file %s | FileCheck %s --implicit-check-not=math.exp --implicit-check-not=math.log
// RUN: sinter-opt --sinter-math=exp=avx512 --split-input-file %s | FileCheck %s --check-prefix=AVX512

// exp in base 2: seven coefficients, one product for what log2(e) leaves; a clamp below, and two above, as 2^128 is
// twice 2^127.

// CHECK-LABEL: func @exp
//       CHECK:   arith.cmpf ogt
//       CHECK:   %[[T:.+]] = math.fma
//       CHECK:   arith.cmpf olt
//       CHECK:   arith.subf
// CHECK-COUNT-8: math.fma
//   CHECK-NOT:   math.fma
//       CHECK:   arith.cmpf olt
//       CHECK:   math.fma
//   CHECK-NOT:   math.fma
//       CHECK:   arith.shli
//       CHECK:   arith.mulf

// With AVX-512, sixteen powers in a register and a polynomial of degree 3, whose 1 is the power itself.

// AVX512-LABEL: func @exp
// AVX512-COUNT-3:   math.fma
//       AVX512:   %[[P:.+]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"
//       AVX512:   arith.shli
//       AVX512:   arith.addi %[[P]]
// AVX512-COUNT-3: math.fma
//   AVX512-NOT:   math.fma
//       AVX512:   return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// What may be approximate is shorter by two products.

// CHECK-LABEL: func @rough
//       CHECK:   math.fma
//       CHECK:   arith.subf
// CHECK-COUNT-6: math.fma
//   CHECK-NOT:   math.fma
func.func @rough(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x fastmath<afn> : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// log1p(exp(-|x|)): what cannot overflow is not clamped, and a number between 0 and 1 not split into mantissa and
// exponent.

// CHECK-LABEL: func @softplus
//       CHECK:   arith.cmpf ogt
//   CHECK-NOT:   arith.cmpf
//   CHECK-NOT:   arith.shrsi
//       CHECK:   return
func.func @softplus(%x: vector<16xf32>) -> vector<16xf32> {
  %a = math.absf %x : vector<16xf32>
  %n = arith.negf %a : vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %y = math.log1p %e : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// The same, as definitions of losses spell it.

// CHECK-LABEL: func @selected
//   CHECK-NOT:   arith.shrsi
//       CHECK:   return
func.func @selected(%x: vector<16xf32>) -> vector<16xf32> {
  %z = arith.constant dense<0.0> : vector<16xf32>
  %c = arith.cmpf olt, %x, %z : vector<16xf32>
  %m = arith.negf %x : vector<16xf32>
  %n = arith.select %c, %x, %m : vector<16xi1>, vector<16xf32>
  %e = math.exp %n : vector<16xf32>
  %y = math.log1p %e : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// What is not above 0 has thirty-two powers, and a polynomial of degree 2; what a sum is of is not rounded before it is
// added.

// AVX512-LABEL: func @sum_of_differences
//       AVX512:   scf.for {{.*}} iter_args(%[[SUM:.+]] =
// AVX512-COUNT-2:   math.fma
//       AVX512:     llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
// AVX512-COUNT-2:   math.fma
//       AVX512:     %[[NEXT:.+]] = math.fma %{{.+}}, %{{.+}}, %[[SUM]]
//       AVX512:     scf.yield %[[NEXT]]
func.func @sum_of_differences(%x: memref<1024xf32>, %m: vector<16xf32>, %zero: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1024 : index
  %s = scf.for %i = %c0 to %n step %c16 iter_args(%sum = %zero) -> vector<16xf32> {
    %a = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
    %d = arith.subf %a, %m : vector<16xf32>
    %e = math.exp %d {sinter.not_positive} : vector<16xf32>
    %next = arith.addf %sum, %e : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return %s : vector<16xf32>
}

// -----

// A product that a loop adds up is not rounded; another one is.

// CHECK-LABEL: func @products
//       CHECK:   scf.for {{.*}} iter_args(%[[SUM:.+]] =
//       CHECK:     llvm.intr.fmuladd(%{{.+}}, %{{.+}}, %[[SUM]])
//       CHECK:   %[[P:.+]] = arith.mulf
//       CHECK:   arith.addf %[[P]]
func.func @products(%x: memref<1024xf32>, %zero: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1024 : index
  %s = scf.for %i = %c0 to %n step %c16 iter_args(%sum = %zero) -> vector<16xf32> {
    %a = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
    %p = arith.mulf %a, %a : vector<16xf32>
    %next = arith.addf %p, %sum : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %q = arith.mulf %s, %zero : vector<16xf32>
  %r = arith.addf %q, %zero : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// log and log1p of anything. With AVX-512, sixteen lanes have tables, and nothing is compared but with infinity, by
// log1p.

// AVX512-LABEL: func @tables
//  AVX512-NOT:   arith.cmpf
//      AVX512:   mask.getexp.ps.512
//  AVX512-NOT:   arith.cmpf
//      AVX512:   arith.addf
//      AVX512:   mask.getexp.ps.512
//      AVX512:   arith.cmpf olt
//  AVX512-NOT:   arith.cmpf
//      AVX512:   return
func.func @tables(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %a = math.log %x : vector<16xf32>
  %b = math.log1p %x : vector<16xf32>
  return %a, %b : vector<16xf32>, vector<16xf32>
}

// CHECK-LABEL: func @logs
//       CHECK:   arith.shrsi
//       CHECK:   arith.shrsi
func.func @logs(%x: f32, %y: vector<8xf32>) -> (f32, vector<8xf32>) {
  %a = math.log %x : f32
  %b = math.log1p %y : vector<8xf32>
  return %a, %b : f32, vector<8xf32>
}

// -----

// erf of 16 lanes with AVX-512: a polynomial of degree 5 whose numbers are looked up, and nothing is divided; of 32 lanes
// each half.

// AVX512-LABEL: func @erf
//       AVX512:   %[[D:.+]] = math.fma
// AVX512-COUNT-6:   llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"
//   AVX512-NOT:   arith.divf
//       AVX512:   math.copysign
func.func @erf(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.erf %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// AVX512-LABEL: func @halves
//       AVX512:   vector.shuffle %arg0, %arg0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
//       AVX512:   llvm.x86.avx512.permvar.si.512
//       AVX512:   vector.shuffle %arg0, %arg0 [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
//       AVX512:   llvm.x86.avx512.permvar.si.512
//       AVX512:   vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2
func.func @halves(%x: vector<32xf32>) -> vector<32xf32> {
  %y = math.exp %x : vector<32xf32>
  return %y : vector<32xf32>
}
