// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma' --verify-diagnostics %s

// A schedule that was written for another processor: its instructions would end the process.

func.func @elsewhere(%x: tensor<8x16xf64>, %w: tensor<16x8xf64>, %e: tensor<8x8xf64>) -> tensor<8x8xf64> {
  // expected-error@below {{has a schedule with kernel = "fma512", which a processor with the features 'avx2,fma' does not run for these types}}
  %y = sinter.contract (i = 8) by (j = 8) product (k = 16) (%x[i, k] : tensor<8x16xf64>, %w[k, j] : tensor<16x8xf64>) : f64
      outs(%e[i, j] : tensor<8x8xf64>) schedule(#sinter.brgemm<kernel = "fma512">) {
  ^row(%a: tensor<8xf64>):
    sinter.yield %a : tensor<8xf64>
  }
  return %y : tensor<8x8xf64>
}
