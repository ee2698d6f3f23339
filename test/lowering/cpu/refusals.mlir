// RUN: sinter-opt --sinter-lower-cpu --split-input-file --verify-diagnostics %s

// What cannot be lowered yet says so where it stands.

func.func private @no_schedule(%x: memref<4x9xf32>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  // expected-error@below {{'sinter.rowwise' op has no schedule: run sinter-schedule{target=cpu} first}}
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @other_target(%x: memref<4x9xf32>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  // expected-error@below {{has a schedule #sinter.gpu_rows, but a CPU needs #sinter.rows: run sinter-schedule{target=cpu}}}
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.gpu_rows<threads = 64>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @second_form(%x: memref<4x9xf32>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.rows<chunk = 4>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  // expected-error@below {{is a second kernel form in one kernel function: run sinter-outline}}
  sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : memref<4x9xf32>) outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.rows<chunk = 4>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @row_constant(%x: memref<4x2xf32>, %y: memref<4x2xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 2) ins(%x[i, j] : memref<4x2xf32>) outs(%y[i, j] : memref<4x2xf32>) schedule(#sinter.rows<chunk = 4>) {
  ^row(%a: tensor<2xf32>):
    // expected-error@below {{a row constant of different elements is not lowered yet}}
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %p = arith.addf %a, %c : tensor<2xf32>
    sinter.yield %p : tensor<2xf32>
  }
  return
}

// -----

func.func private @sides(%x: memref<9x6xf32>, %w: memref<4x9x6xf32>, %y: memref<4x9xf32>) attributes {sinter.kernel} {
  // expected-error@below {{product 0 uses columns in both sides; sinter-split=target=cpu gives it rows}}
  sinter.contract (i = 4) by (j = 9) product (k = 6) (%x[j, k] : memref<9x6xf32>, %w[i, j, k] : memref<4x9x6xf32>) : f32
      outs(%y[i, j] : memref<4x9xf32>) schedule(#sinter.brgemm<m = 4>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @columns_multiple(%x: memref<2x10xf32>, %w: memref<10x9xf32>, %y: memref<2x9xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{columns = 6, but a multiple of n = 4 is needed}}
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i, j] : memref<2x9xf32>) schedule(#sinter.brgemm<m = 2, n = 4, k = 16, columns = 6, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @columns_reduced(%x: memref<2x10xf32>, %w: memref<10x9xf32>, %y: memref<2xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{columns = 4, but something is reduced over the row or over rows: leave columns out}}
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i] : memref<2xf32>) schedule(#sinter.brgemm<m = 2, n = 4, k = 16, columns = 4, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @odd_block(%x: memref<2x10xi8>, %w: memref<10x9xi8>, %y: memref<2x9xi32>) attributes {sinter.kernel} {
  // expected-error@below {{k = 5, but kernel = "dot256" takes multiples of 2}}
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xi8>, %w[k, j] : memref<10x9xi8>) : i32
      outs(%y[i, j] : memref<2x9xi32>) schedule(#sinter.brgemm<kernel = "dot256", m = 2, n = 4, k = 5, lanes = 1>) {
  ^row(%a: tensor<9xi32>):
    sinter.yield %a : tensor<9xi32>
  }
  return
}

// -----

func.func private @sums_multiple(%x: memref<2x10xf32>, %w: memref<10x9xf32>, %y: memref<2x9xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{sums = 6, but a multiple of n = 4 is needed}}
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i, j] : memref<2x9xf32>) schedule(#sinter.brgemm<m = 2, n = 4, k = 16, sums = 6, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @panels_of_sums(%x: memref<2x10xf32>, %w: memref<10x9xf32>, %y: memref<2x9xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{panels = 3 of n = 4 columns, but sums = 8 are kept}}
  sinter.contract (i = 2) by (j = 9) product (k = 10) (%x[i, k] : memref<2x10xf32>, %w[k, j] : memref<10x9xf32>) : f32
      outs(%y[i, j] : memref<2x9xf32>) schedule(#sinter.brgemm<m = 2, n = 4, k = 16, panels = 3, sums = 8, lanes = 1>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return
}

// -----

func.func private @part_of_a_tile(%x: memref<8x64xbf16>, %w: memref<32x64xbf16>, %y: memref<8x32xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{n = 24, but kernel = "inner.amx" takes multiples of 16}}
  sinter.contract (i = 8) by (j = 32) product (k = 64) (%x[i, k] : memref<8x64xbf16>, %w[j, k] : memref<32x64xbf16>) : f32
      outs(%y[i, j] : memref<8x32xf32>) schedule(#sinter.brgemm<kernel = "inner.amx", m = 16, n = 24, k = 64, lanes = 8>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}
