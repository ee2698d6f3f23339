// RUN: sinter-opt --sinter-short-integers %s | FileCheck %s
// RUN: sinter-opt --sinter-short-integers=chip=sm_90a %s | FileCheck %s --check-prefix=PTX

// Two numbers of four bits in each of two bytes: the low halves of lanes 0 and 2, the high ones of lanes 1 and 3. Each
// is 1024 and itself as an f16, of which 1024 and 8 are taken.

// CHECK-LABEL: func @nibbles
//       CHECK:   %[[WORDS:.+]] = vector.bitcast %arg0 : vector<16xi8> to vector<4xi32>
//  CHECK-NEXT:   %[[W:.+]] = vector.extract %[[WORDS]][1]
//       CHECK:   %[[M:.+]] = arith.andi %[[W]], %c983055_i32 : i32
//       CHECK:   %[[O:.+]] = arith.ori %[[M]], %c1677747200_i32 : i32
//       CHECK:   %[[V:.+]] = vector.from_elements %[[O]] : vector<1xi32>
//       CHECK:   %[[H:.+]] = vector.bitcast %[[V]] : vector<1xi32> to vector<2xf16>
//       CHECK:   %[[LESS:.+]] = arith.constant dense<-1.032000e+03> : vector<2xf16>
//       CHECK:   %[[X:.+]] = arith.addf %[[H]], %[[LESS]] : vector<2xf16>
//       CHECK:   %[[F:.+]] = arith.extf %[[X]] : vector<2xf16> to vector<2xf32>
//       CHECK:   vector.extract %[[F]][0]
//       CHECK:   arith.shrui %{{.+}}, %c4_i32
//       CHECK:   arith.shrui %{{.+}}, %c8_i32
//       CHECK:   arith.shrui %{{.+}}, %c12_i32
//   CHECK-NOT:   arith.sitofp
//   PTX-LABEL: func @nibbles
// PTX-COUNT-4:   llvm.inline_asm "lop3.b32 $0, $1, 983055, 1677747200, 0xea;", "=r,r"
func.func @nibbles(%x: vector<16xi8>) -> vector<4xf32> {
  %c15 = arith.constant dense<15> : vector<4xi8>
  %c4 = arith.constant dense<4> : vector<4xi8>
  %c8 = arith.constant dense<8> : vector<4xi8>
  %even = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %a = vector.extract %x[4] : i8 from vector<16xi8>
  %b = vector.extract %x[5] : i8 from vector<16xi8>
  %q = vector.from_elements %a, %a, %b, %b : vector<4xi8>
  %low = arith.andi %q, %c15 : vector<4xi8>
  %high = arith.shrui %q, %c4 : vector<4xi8>
  %u = arith.select %even, %low, %high : vector<4xi1>, vector<4xi8>
  %v = arith.subi %u, %c8 : vector<4xi8>
  %f = arith.sitofp %v : vector<4xi8> to vector<4xf32>
  return %f : vector<4xf32>
}

// A byte with a sign is 128 less than it is with that bit flipped.

// CHECK-LABEL: func @whole
//       CHECK:   arith.xori %{{.+}}, %c-2139062144_i32 : i32
//       CHECK:   arith.constant dense<-1.152000e+03> : vector<2xf16>
//   CHECK-NOT:   arith.sitofp
func.func @whole(%x: vector<4xi8>) -> vector<2xf32> {
  %a = vector.extract %x[0] : i8 from vector<4xi8>
  %b = vector.extract %x[3] : i8 from vector<4xi8>
  %q = vector.from_elements %a, %b : vector<2xi8>
  %f = arith.sitofp %q : vector<2xi8> to vector<2xf32>
  return %f : vector<2xf32>
}

// The sum of a byte with a sign and a number may be cut off; bits that are not the last ones are no number of them.

// CHECK-LABEL: func @cut_off
//       CHECK:   arith.sitofp
//       CHECK:   arith.uitofp
//       CHECK:   arith.sitofp
func.func @cut_off(%x: vector<4xi8>) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>) {
  %c1 = arith.constant dense<1> : vector<2xi8>
  %c6 = arith.constant dense<6> : vector<2xi8>
  %c120 = arith.constant dense<120> : vector<2xi8>
  %c15 = arith.constant dense<15> : vector<2xi8>
  %a = vector.extract %x[0] : i8 from vector<4xi8>
  %b = vector.extract %x[3] : i8 from vector<4xi8>
  %q = vector.from_elements %a, %b : vector<2xi8>
  %more = arith.addi %q, %c1 : vector<2xi8>
  %f = arith.sitofp %more : vector<2xi8> to vector<2xf32>
  %middle = arith.andi %q, %c6 : vector<2xi8>
  %g = arith.uitofp %middle : vector<2xi8> to vector<2xf32>
  %low = arith.andi %q, %c15 : vector<2xi8>
  %high = arith.addi %low, %c120 : vector<2xi8>
  %h = arith.sitofp %high : vector<2xi8> to vector<2xf32>
  return %f, %g, %h : vector<2xf32>, vector<2xf32>, vector<2xf32>
}

// Bits of a sum are none of the byte's.

// CHECK-LABEL: func @bits_of_a_sum
//       CHECK:   arith.uitofp
func.func @bits_of_a_sum(%x: vector<4xi8>) -> vector<2xf32> {
  %c1 = arith.constant dense<1> : vector<2xi8>
  %c15 = arith.constant dense<15> : vector<2xi8>
  %a = vector.extract %x[0] : i8 from vector<4xi8>
  %b = vector.extract %x[3] : i8 from vector<4xi8>
  %q = vector.from_elements %a, %b : vector<2xi8>
  %more = arith.addi %q, %c1 : vector<2xi8>
  %low = arith.andi %more, %c15 : vector<2xi8>
  %f = arith.uitofp %low : vector<2xi8> to vector<2xf32>
  return %f : vector<2xf32>
}
