// RUN: sinter-opt --sinter-math=bf16=native %s | FileCheck %s
// RUN: sinter-opt --sinter-math %s | FileCheck %s --check-prefix=INTEGERS
// RUN: sinter-opt --sinter-math=exp=avx512 %s | FileCheck %s --check-prefix=AVX512

// A maximum with a number that is neither a NaN nor a zero: one comparison, which a NaN fails.

// CHECK-LABEL: func @clamp
//       CHECK:   %[[LOW:.+]] = arith.constant dense<-1.000000e+02>
//       CHECK:   %[[LESS:.+]] = arith.cmpf ogt, %[[LOW]], %arg0
//       CHECK:   %[[X:.+]] = arith.select %[[LESS]], %[[LOW]], %arg0
//       CHECK:   arith.cmpf olt, %{{.+}}, %[[X]]
func.func @clamp(%x: vector<16xf32>) -> vector<16xf32> {
  %low = arith.constant dense<-100.0> : vector<16xf32>
  %high = arith.constant dense<1.0> : vector<16xf32>
  %a = arith.maximumf %x, %low : vector<16xf32>
  %b = arith.minimumf %high, %a : vector<16xf32>
  return %b : vector<16xf32>
}

// The sign of a zero is in doubt.

// CHECK-LABEL: func @relu
//       CHECK:   arith.maximumf
func.func @relu(%x: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %a = arith.maximumf %x, %zero : vector<16xf32>
  return %a : vector<16xf32>
}

// Of two numbers, LLVM's own, whose NaN is looked for in the second one: the first is what the row had so far. One
// dimension at most is a vector of the processor's.

// CHECK-LABEL: func @larger
//       CHECK:   %[[A:.+]] = llvm.intr.maximum(%arg1, %arg0) {fastmathFlags = #llvm.fastmath<nsz>}
//       CHECK:   %[[B:.+]] = llvm.intr.minimum(%arg1, %[[A]]) {fastmathFlags = #llvm.fastmath<nsz>}
//       CHECK:   arith.maximumf %arg2, %arg3
func.func @larger(%m: vector<16xf32>, %x: vector<16xf32>, %t: vector<2x8xf32>,
                  %u: vector<2x8xf32>) -> (vector<16xf32>, vector<2x8xf32>) {
  %a = arith.maximumf %m, %x : vector<16xf32>
  %b = arith.minimumf %a, %x : vector<16xf32>
  %c = arith.maximumf %t, %u : vector<2x8xf32>
  return %b, %c : vector<16xf32>, vector<2x8xf32>
}

//    CHECK-LABEL: func @round
//          CHECK:   llvm.fptrunc %arg0 : vector<16xf32> to vector<16xbf16>
//          CHECK:   llvm.fptrunc %arg1 : f32 to bf16
// INTEGERS-LABEL: func @round
//       INTEGERS:   arith.truncf
//       INTEGERS:   arith.truncf
func.func @round(%x: vector<16xf32>, %y: f32) -> (vector<16xbf16>, bf16) {
  %a = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  %b = arith.truncf %y : f32 to bf16
  return %a, %b : vector<16xbf16>, bf16
}

// Two vectors that are stored as one are rounded as one.

//    CHECK-LABEL: func @round_two
//          CHECK:   %[[V:.+]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"(%arg1, %arg0)
//          CHECK:   %[[U:.+]] = llvm.call_intrinsic "llvm.x86.avx512bf16.cvtne2ps2bf16.512"(%arg1, %arg0)
//          CHECK:   %[[S:.+]] = vector.shuffle %[[U]], %[[U]] [0, 16, 1,
//          CHECK:   return %[[V]], %[[S]]
// INTEGERS-LABEL: func @round_two
//   INTEGERS-NOT:   call_intrinsic
func.func @round_two(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<32xbf16>, vector<32xbf16>) {
  %a = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  %b = arith.truncf %y : vector<16xf32> to vector<16xbf16>
  %c = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xbf16>, vector<16xbf16>
  %d = vector.interleave %a, %b : vector<16xbf16> -> vector<32xbf16>
  return %c, %d : vector<32xbf16>, vector<32xbf16>
}

// The greater one, and the second where either is a NaN. The other way round it is something else.

//  CHECK-LABEL: func @greater
//    CHECK-NOT:   call_intrinsic
// AVX512-LABEL: func @greater
//       AVX512:   %[[V:.+]] = llvm.call_intrinsic "llvm.x86.avx512.max.ps.512"(%arg0, %arg1, %{{.+}})
//       AVX512:   %[[S:.+]] = arith.select %{{.+}}, %arg1, %arg0
//       AVX512:   return %[[V]], %[[S]]
func.func @greater(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %more = arith.cmpf ogt, %x, %y : vector<16xf32>
  %a = arith.select %more, %x, %y : vector<16xi1>, vector<16xf32>
  %b = arith.select %more, %y, %x : vector<16xi1>, vector<16xf32>
  return %a, %b : vector<16xf32>, vector<16xf32>
}

// What was rounded to a half type only to be widened again is computed in f32; what says nothing of that stays rounded.

// CHECK-LABEL: func @unrounded
//       CHECK:   %[[A:.+]] = arith.addf %arg0, %arg0
//       CHECK:   %[[B:.+]] = arith.mulf %[[A]], %arg0
//       CHECK:   %[[C:.+]] = llvm.fptrunc %[[B]]
//       CHECK:   arith.extf %[[C]]
func.func @unrounded(%x: vector<16xf32>) -> vector<16xf32> {
  %a = arith.addf %x, %x : vector<16xf32>
  %h = arith.truncf %a fastmath<contract> : vector<16xf32> to vector<16xbf16>
  %w = arith.extf %h fastmath<contract> : vector<16xbf16> to vector<16xf32>
  %b = arith.mulf %w, %x : vector<16xf32>
  %i = arith.truncf %b fastmath<contract> : vector<16xf32> to vector<16xbf16>
  %y = arith.extf %i : vector<16xbf16> to vector<16xf32>
  return %y : vector<16xf32>
}

// A quotient by a constant is a product where a half type is made of it, and of a number whose reciprocal is an
// ordinary one.

// CHECK-LABEL: func @quotients
//       CHECK:   %[[I:.+]] = arith.constant dense<4.000000e-01>
//       CHECK:   arith.mulf %arg0, %[[I]]
//       CHECK:   arith.divf %arg0
//       CHECK:   arith.divf %arg0
func.func @quotients(%x: vector<16xf32>) -> (vector<16xf16>, vector<16xbf16>, vector<16xf32>) {
  %c = arith.constant dense<2.5> : vector<16xf32>
  %huge = arith.constant dense<2.0e38> : vector<16xf32>
  %a = arith.divf %x, %c : vector<16xf32>
  %h = arith.truncf %a fastmath<contract> : vector<16xf32> to vector<16xf16>
  %b = arith.divf %x, %huge : vector<16xf32>
  %i = arith.truncf %b fastmath<contract> : vector<16xf32> to vector<16xbf16>
  %y = arith.divf %x, %c : vector<16xf32>
  return %h, %i, %y : vector<16xf16>, vector<16xbf16>, vector<16xf32>
}
