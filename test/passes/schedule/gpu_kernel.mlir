// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_90a" %s | FileCheck %s
// RUN: not sinter-opt --sinter-schedule="target=gpu chip=sm_80" %s 2>&1 | FileCheck %s --check-prefix=OLDER

// A schedule that somebody wrote for a newer chip is an error, and not the assembler's.

// CHECK: schedule(#sinter.mma<{{.*}}kernel = "wgmma"
// OLDER: gpu_kernel.mlir:[[#@LINE+2]]:8: error: {{.*}}has a schedule with kernel = "wgmma", which needs sm_90a, and the chip is sm_80
func.func @main(%x: tensor<128x64xbf16>, %w: tensor<64x64xbf16>, %e: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = sinter.contract (i = 128) by (j = 64)
      product (k = 64) (%x[i, k] : tensor<128x64xbf16>, %w[j, k] : tensor<64x64xbf16>) : f32
      outs(%e[i, j] : tensor<128x64xf32>)
      schedule(#sinter.mma<kernel = "wgmma", m = 128, n = 64, k = 64, threads = 256, stages = 4>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %0 : tensor<128x64xf32>
}
