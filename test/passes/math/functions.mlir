// RUN: sinter-opt --sinter-math --split-input-file %s | FileCheck %s

// Functions of f32 stay on vectors. None is left for libm, which takes lanes one by one.

// CHECK-LABEL: func @on_vectors
//   CHECK-NOT:   math.{{(atan|atan2|asin|acos|cbrt|expm1|tanh|log2|erf|clampf)}}
//       CHECK:   return
func.func @on_vectors(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.atan %x : vector<8xf32>
  %1 = math.atan2 %0, %y : vector<8xf32>
  %2 = math.asin %1 : vector<8xf32>
  %3 = math.acos %2 : vector<8xf32>
  %4 = math.cbrt %3 : vector<8xf32>
  %5 = math.expm1 %4 : vector<8xf32>
  %6 = math.tanh %5 : vector<8xf32>
  %7 = math.log2 %6 : vector<8xf32>
  %8 = math.erf %7 : vector<8xf32>
  %9 = math.clampf %8 to [%x, %y] : vector<8xf32>
  return %9 : vector<8xf32>
}

// -----

// An angle of 2^16 or more is libm's, of its lane alone; neighbours keep what they have.

// CHECK-LABEL: func @large_angles
//  CHECK-SAME:   (%[[X:.+]]: vector<8xf32>)
//       CHECK:   %[[LARGE:.+]] = arith.cmpf ogt, %{{.+}}, %{{.+}} : vector<8xf32>
//       CHECK:   %[[ANY:.+]] = vector.reduction <or>, %[[LARGE]] : vector<8xi1> into i1
//       CHECK:   scf.if %[[ANY]] -> (vector<8xf32>) {
//       CHECK:     scf.for
//       CHECK:       %[[LANE:.+]] = vector.extract %[[X]]
//       CHECK:       scf.if
//       CHECK:         math.sin %[[LANE]] : f32
//       CHECK:       vector.insert
func.func @large_angles(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// exp(x) - 1 of a small x in f64 has no digit left; tanh(x / 2) (exp(x) + 1) has all.

// CHECK-LABEL: func @expm1_of_f64
//       CHECK:   %[[T:.+]] = math.tanh %{{.+}} : f64
//       CHECK:   %[[E:.+]] = math.exp %{{.+}} : f64
//       CHECK:   %[[U:.+]] = arith.addf %[[E]]
//       CHECK:   arith.mulf %[[T]], %[[U]] : f64
func.func @expm1_of_f64(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}

// -----

// A clamp is a maximum with the lower end, then a minimum with the upper one.

// CHECK-LABEL: func @clamp
//  CHECK-SAME:   (%[[X:.+]]: f64, %[[LOW:.+]]: f64, %[[HIGH:.+]]: f64)
//       CHECK:   %[[M:.+]] = llvm.intr.maximum(%[[LOW]], %[[X]])
//       CHECK:   llvm.intr.minimum(%[[HIGH]], %[[M]])
func.func @clamp(%x: f64, %low: f64, %high: f64) -> f64 {
  %y = math.clampf %x to [%low, %high] : f64
  return %y : f64
}

// -----

// erfc is upstream's polynomial, and the exponential in it ours.

// CHECK-LABEL: func @erfc
//   CHECK-NOT:   math.exp
//       CHECK:   return
func.func @erfc(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.erfc %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// What upstream has no lowering of: a comparison of the magnitude with infinity.

// CHECK-LABEL: func @kind
//  CHECK-SAME:   (%[[X:.+]]: f64)
//       CHECK:   %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]]
//       CHECK:   %[[A:.+]] = math.absf %[[X]]
//       CHECK:   %[[INF:.+]] = arith.cmpf oeq, %[[A]], %{{.+}}
//       CHECK:   return %[[NAN]], %[[INF]]
func.func @kind(%x: f64) -> (i1, i1) {
  %0 = math.isnan %x : f64
  %1 = math.isinf %x : f64
  return %0, %1 : i1, i1
}

// -----

// A root, which is 0 of -0 and infinite of -infinity. Other powers are libm's.

// CHECK-LABEL: func @root
//       CHECK:   %[[ROOT:.+]] = math.sqrt %arg0
//       CHECK:   %[[ZERO:.+]] = arith.addf %[[ROOT]], %{{.+}}
//       CHECK:   %[[IS:.+]] = arith.cmpf oeq, %arg0, %{{.+}}
//       CHECK:   %[[Y:.+]] = arith.select %[[IS]], %{{.+}}, %[[ZERO]]
//       CHECK:   math.powf
//       CHECK:   return %[[Y]]
func.func @root(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %half = arith.constant dense<0.5> : vector<8xf32>
  %third = arith.constant dense<0.3> : vector<8xf32>
  %y = math.powf %x, %half : vector<8xf32>
  %z = math.powf %x, %third : vector<8xf32>
  return %y, %z : vector<8xf32>, vector<8xf32>
}
