// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise,sinter-fuse,sinter-schedule{target=gpu})' %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise,sinter-fuse,sinter-schedule{target=cpu})' %s | FileCheck %s
// RUN: sinter-opt --sinter-cpu %s -o /dev/null

// Elements and bytes that 64 bits do not count are many, and no negative number: schedules are those of large programs.
// (A build with UBSan says where they are multiplied without that.)

// CHECK-LABEL: func @elementwise
//       CHECK:   schedule(#sinter.{{(gpu_)?}}rows<
func.func @elementwise(%x: tensor<3x9223372036854775807xf32>) -> tensor<3x9223372036854775807xf32> {
  %e = tensor.empty() : tensor<3x9223372036854775807xf32>
  %y = linalg.exp ins(%x : tensor<3x9223372036854775807xf32>) outs(%e : tensor<3x9223372036854775807xf32>) -> tensor<3x9223372036854775807xf32>
  return %y : tensor<3x9223372036854775807xf32>
}

// CHECK-LABEL: func @sums
//       CHECK:   schedule(#sinter.{{(gpu_)?}}rows<
func.func @sums(%x: tensor<3037000500x3037000500xf64>) -> tensor<3037000500xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3037000500xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<3037000500xf64>) -> tensor<3037000500xf64>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<3037000500x3037000500xf64>) outs(%f : tensor<3037000500xf64>) dimensions = [1]
  return %y : tensor<3037000500xf64>
}
