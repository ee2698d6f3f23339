// RUN: sinter-opt --sinter-short-floats %s | FileCheck %s
// RUN: sinter-opt --sinter-short-floats=chip=sm_90a %s | FileCheck %s --check-prefix=PTX
// RUN: sinter-opt --sinter-short-floats=chip=sm_80 %s | FileCheck %s

// Half of an f16's bits, widened; of the other format seven ones are a NaN.

// CHECK-LABEL: func @widen_e5m2
//       CHECK:   %[[W:.+]] = arith.extui %{{.+}} : vector<16xi8> to vector<16xi16>
//       CHECK:   %[[S:.+]] = arith.shli %[[W]]
//       CHECK:   %[[H:.+]] = arith.bitcast %[[S]] : vector<16xi16> to vector<16xf16>
//       CHECK:   arith.extf %[[H]] : vector<16xf16> to vector<16xf32>
//   PTX-LABEL: func @widen_e5m2
//         PTX:   vector.bitcast {{.*}} : vector<16xi8> to vector<8xi16>
// PTX-COUNT-8:   llvm.inline_asm "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h"
func.func @widen_e5m2(%x: vector<16xf8E5M2>) -> vector<16xf32> {
  %y = arith.extf %x : vector<16xf8E5M2> to vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func @widen_e4m3
//       CHECK:   %[[SCALE:.+]] = arith.constant 2.560000e+02 : f32
//       CHECK:   %[[Y:.+]] = arith.mulf %{{.+}}, %[[SCALE]]
//       CHECK:   %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
//       CHECK:   arith.select %{{.+}}, %[[NAN]], %[[Y]]
//   PTX-LABEL: func @widen_e4m3
//         PTX:   llvm.inline_asm "cvt.rn.f16x2.e4m3x2 $0, $1;"
func.func @widen_e4m3(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// The instruction has infinities as the largest number: those of e5m2 are chosen beside it.

// CHECK-LABEL: func @narrow
//   CHECK-NOT:   arith.truncf
//   PTX-LABEL: func @narrow
// PTX-COUNT-2:   llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"
//     PTX-NOT:   arith.addi
// PTX-COUNT-2:   llvm.inline_asm "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f"
//         PTX:   arith.addi {{.*}} : vector<4xi8>
func.func @narrow(%x: vector<4xf32>) -> (vector<4xf8E4M3FN>, vector<4xf8E5M2>) {
  %y = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  %z = arith.truncf %x : vector<4xf32> to vector<4xf8E5M2>
  return %y, %z : vector<4xf8E4M3FN>, vector<4xf8E5M2>
}

// All others go by way of f32.

// CHECK-LABEL: func @other
//       CHECK:   arith.truncf %{{.+}} : f32 to bf16
//       CHECK:   arith.truncf %{{.+}} : f64 to f32
func.func @other(%x: f8E5M2, %d: f64) -> (bf16, f8E4M3FN) {
  %y = arith.extf %x : f8E5M2 to bf16
  %z = arith.truncf %d : f64 to f8E4M3FN
  return %y, %z : bf16, f8E4M3FN
}

// A GPU takes words of two bf16 apart by a shift and a mask, where they are in registers as words.


//   PTX-LABEL: func @words
//         PTX:   %[[W:.+]] = vector.bitcast %{{.+}} : vector<8xbf16> to vector<4xi32>
//         PTX:   arith.constant dense<16>
//         PTX:   %[[L:.+]] = arith.shli %[[W]]
//         PTX:   arith.constant dense<-65536>
//         PTX:   %[[U:.+]] = arith.andi %[[W]]
//         PTX:   %[[A:.+]] = arith.bitcast %[[L]] : vector<4xi32> to vector<4xf32>
//         PTX:   %[[B:.+]] = arith.bitcast %[[U]] : vector<4xi32> to vector<4xf32>
//         PTX:   vector.interleave %[[A]], %[[B]] : vector<4xf32> -> vector<8xf32>
//         PTX:   arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
func.func @words(%x: memref<8xbf16>, %i: index, %y: vector<8xbf16>) -> (vector<8xf32>, vector<8xf32>) {
  %a = vector.load %x[%i] : memref<8xbf16>, vector<8xbf16>
  %b = arith.extf %a : vector<8xbf16> to vector<8xf32>
  %c = arith.extf %y : vector<8xbf16> to vector<8xf32>
  return %b, %c : vector<8xf32>, vector<8xf32>
}
