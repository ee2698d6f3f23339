// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t
// RUN: %python %source/test/tools/Inputs/constants.py arrays %t
// RUN: sinter-opt --split-input-file --sinter-constants=from=%t %s | FileCheck %s

// A name without bytes gets those of its file; the text that comes out has them.
// CHECK-LABEL: @named
//       CHECK:   dense_resource<w> : tensor<8x64xf32>
//       CHECK:   dense_resource<half> : tensor<16x64xbf16>
//       CHECK:   dense_resource<mask> : tensor<40x64xi1>
func.func @named() -> (tensor<8x64xf32>, tensor<16x64xbf16>, tensor<40x64xi1>) {
  %w = arith.constant dense_resource<w> : tensor<8x64xf32>
  %h = arith.constant dense_resource<half> : tensor<16x64xbf16>
  %m = arith.constant dense_resource<mask> : tensor<40x64xi1>
  return %w, %h, %m : tensor<8x64xf32>, tensor<16x64xbf16>, tensor<40x64xi1>
}
// CHECK-DAG: half: "0x
// CHECK-DAG: mask: "0x
// CHECK-DAG: w: "0x

// -----

// What is small may be folded, and what is equal everywhere is one element.
// CHECK-LABEL: @folded
//       CHECK:   dense<[3, -5]> : tensor<2xi64>
//       CHECK:   dense<[true, false, true]> : tensor<3xi1>
//       CHECK:   dense<1.000000e+00> : tensor<32x32xf32>
//       CHECK:   dense<true> : tensor<2x600xi1>
//       CHECK:   dense<> : tensor<0x4xf32>
//   CHECK-NOT:   dense_resource
func.func @folded() -> (tensor<2xi64>, tensor<3xi1>, tensor<32x32xf32>, tensor<2x600xi1>, tensor<0x4xf32>) {
  %a = arith.constant dense_resource<pair> : tensor<2xi64>
  %b = arith.constant dense_resource<bits> : tensor<3xi1>
  %c = arith.constant dense_resource<ones> : tensor<32x32xf32>
  %d = arith.constant dense_resource<trues> : tensor<2x600xi1>
  %e = arith.constant dense_resource<nothing> : tensor<0x4xf32>
  return %a, %b, %c, %d, %e : tensor<2xi64>, tensor<3xi1>, tensor<32x32xf32>, tensor<2x600xi1>, tensor<0x4xf32>
}
