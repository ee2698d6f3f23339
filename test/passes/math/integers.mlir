// RUN: sinter-opt --sinter-math %s | FileCheck %s

// A power that is known is a few products.

// CHECK-LABEL: func @known
//  CHECK-SAME:   (%[[X:.+]]: vector<8xi32>)
//  CHECK-NEXT:   %[[S:.+]] = arith.muli %[[X]], %[[X]]
//  CHECK-NEXT:   %[[Q:.+]] = arith.muli %[[S]], %[[S]]
//  CHECK-NEXT:   %[[Y:.+]] = arith.muli %[[X]], %[[Q]]
//  CHECK-NEXT:   return %[[Y]]
func.func @known(%x: vector<8xi32>) -> vector<8xi32> {
  %p = arith.constant dense<5> : vector<8xi32>
  %y = math.ipowi %x, %p : vector<8xi32>
  return %y : vector<8xi32>
}

// One that is not goes through the bits of the exponent; of a negative one only 1 and -1 have a power.

// CHECK-LABEL: func @bits
//       CHECK:   scf.for
//       CHECK:     arith.select
//       CHECK:     arith.shrui
//   CHECK-NOT:   math.ipowi
func.func @bits(%x: i64, %p: i64) -> i64 {
  %y = math.ipowi %x, %p : i64
  return %y : i64
}

// 1 / 0 is an infinity of the zero's sign: the reciprocal comes last.

// CHECK-LABEL: func @reciprocal
//       CHECK:   %[[S:.+]] = arith.mulf
//  CHECK-NEXT:   %[[Y:.+]] = arith.divf %{{.+}}, %[[S]]
//  CHECK-NEXT:   return %[[Y]]
func.func @reciprocal(%x: f64) -> f64 {
  %p = arith.constant -2 : i32
  %y = math.fpowi %x, %p : f64, i32
  return %y : f64
}

// The last bit of the exponent says the sign.

// CHECK-LABEL: func @sign
//  CHECK-SAME:   (%[[X:.+]]: bf16, %[[P:.+]]: i32)
//       CHECK:   %[[W:.+]] = arith.extf %[[X]] : bf16 to f32
//       CHECK:   %[[A:.+]] = math.absf %[[W]]
//       CHECK:   %[[Y:.+]] = math.powf %[[A]], %{{.+}} : f32
//       CHECK:   %[[B:.+]] = arith.andi %[[P]]
//       CHECK:   %[[O:.+]] = arith.cmpi ne, %[[B]]
//       CHECK:   %[[S:.+]] = arith.select %[[O]], %[[W]], %[[A]]
//       CHECK:   math.copysign %[[Y]], %[[S]]
func.func @sign(%x: bf16, %p: i32) -> bf16 {
  %y = math.fpowi %x, %p : bf16, i32
  return %y : bf16
}

// CHECK-LABEL: func @both
//   CHECK-NOT:   math.sincos
func.func @both(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %s, %c = math.sincos %x : vector<8xf32>
  return %s, %c : vector<8xf32>, vector<8xf32>
}
