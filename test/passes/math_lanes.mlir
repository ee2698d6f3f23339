// RUN: sinter-opt --sinter-math=bf16=native %s | FileCheck %s
// RUN: sinter-opt --sinter-math %s | FileCheck %s --check-prefix=INTEGERS

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
