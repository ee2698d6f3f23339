// RUN: sinter-opt --sinter-math %s | FileCheck %s

// Ten rounds of two products each, in lanes of 64 bits; one of four words; its upper 24 bits as a number.

// CHECK-LABEL: func @units
// CHECK-COUNT-20: arith.muli %{{.+}} : vector<16xi64>
//   CHECK-NOT:   arith.muli
// CHECK-COUNT-3: arith.select
//       CHECK:   arith.trunci %{{.+}} : vector<16xi64> to vector<16xi32>
//       CHECK:   arith.shrui %{{.+}}, %{{.+}} : vector<16xi32>
//       CHECK:   arith.sitofp
//       CHECK:   %[[Y:.+]] = arith.mulf %{{.+}} : vector<16xf32>
//  CHECK-NEXT:   return %[[Y]]
func.func @units(%s: vector<16xi64>, %i: vector<16xindex>, %j: vector<16xindex>) -> vector<16xf32> {
  %y = sinter.random %s[%i, %j] : vector<16xi64>, vector<16xindex>, vector<16xindex> -> vector<16xf32>
  return %y : vector<16xf32>
}

// A position of 32 bits has a sign.

// CHECK-LABEL: func @word
//       CHECK:   arith.extsi %{{.+}} : i32 to i64
//   CHECK-NOT:   arith.sitofp
//   CHECK-NOT:   sinter.random
func.func @word(%s: i64, %i: i32, %j: i64) -> i32 {
  %y = sinter.random %s[%i, %j] : i64, i32, i64 -> i32
  return %y : i32
}
