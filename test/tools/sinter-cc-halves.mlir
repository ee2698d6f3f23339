// RUN: sinter-cc %s -o %t.o --cpu=znver4
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=AVX512
// RUN: sinter-cc %s -o %t.o --cpu=haswell
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=AVX2
// REQUIRES: avx2

// Rows of half types that are larger than a cache go past it, for which LLVM has no instruction of its own: a line at
// once, or registers of 32 bytes. bf16 is rounded two vectors at a time where there is an instruction.

//     AVX512: <main_kernel0_task>:
//     AVX512: vcvtne2ps2bf16
//     AVX512: vmovnt{{.*}}%zmm
//     AVX512: vmovnt{{.*}}%zmm
//       AVX2: <main_kernel0_task>:
// AVX2-COUNT-4: vmovnt{{.*}}%ymm
func.func @main(%x: tensor<1024x32768xbf16>, %z: tensor<1024x32768xf16>) -> (tensor<1024x32768xbf16>, tensor<1024x32768xf16>) {
  %e = tensor.empty() : tensor<1024x32768xbf16>
  %d = tensor.empty() : tensor<1024x32768xf16>
  %r:2 = sinter.rowwise (i = 1024) by (j = 32768) ins(%x[i, j] : tensor<1024x32768xbf16>, %z[i, j] : tensor<1024x32768xf16>)
      outs(%e[i, j] : tensor<1024x32768xbf16>, %d[i, j] : tensor<1024x32768xf16>) {
  ^row(%a: tensor<32768xbf16>, %b: tensor<32768xf16>):
    %f = arith.extf %a : tensor<32768xbf16> to tensor<32768xf32>
    %g = arith.extf %b : tensor<32768xf16> to tensor<32768xf32>
    %p = arith.mulf %f, %g : tensor<32768xf32>
    %q = arith.subf %f, %g : tensor<32768xf32>
    %v = arith.truncf %p : tensor<32768xf32> to tensor<32768xbf16>
    %w = arith.truncf %q : tensor<32768xf32> to tensor<32768xf16>
    sinter.yield %v, %w : tensor<32768xbf16>, tensor<32768xf16>
  }
  return %r#0, %r#1 : tensor<1024x32768xbf16>, tensor<1024x32768xf16>
}
