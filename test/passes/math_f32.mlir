// RUN: sinter-opt --sinter-math --split-input-file %s | FileCheck %s --implicit-check-not=math.exp --implicit-check-not=math.log
// RUN: sinter-opt --sinter-math=exp=avx512 --split-input-file %s | FileCheck %s --check-prefix=AVX512

// exp in base 2: seven coefficients, one product for what log2(e) leaves, and no comparison but the two clamps.

// CHECK-LABEL: func @exp
//       CHECK:   arith.cmpf ogt
//       CHECK:   %[[T:.+]] = math.fma
//       CHECK:   arith.cmpf olt
//       CHECK:   arith.subf
// CHECK-COUNT-8: math.fma
//   CHECK-NOT:   math.fma
//       CHECK:   arith.shli
//       CHECK:   arith.mulf

// With AVX-512, sixteen powers in a register and a polynomial of degree 3.

// AVX512-LABEL: func @exp
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

// log1p(exp(-|x|)): what cannot overflow is not clamped, and a number between 0 and 1 not split into mantissa and exponent.

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

// log and log1p of anything.

// CHECK-LABEL: func @logs
//       CHECK:   arith.shrsi
//       CHECK:   arith.shrsi
func.func @logs(%x: f32, %y: vector<8xf32>) -> (f32, vector<8xf32>) {
  %a = math.log %x : f32
  %b = math.log1p %y : vector<8xf32>
  return %a, %b : f32, vector<8xf32>
}
