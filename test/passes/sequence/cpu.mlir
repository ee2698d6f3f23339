// RUN: sinter-opt "--sinter-sequence=target=cpu launches=one" --sinter-schedule=target=cpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt "--sinter-sequence=target=cpu launches=worth" --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=WORTH

// On a CPU forms keep their schedules, and each waits for as many first forms as it has to: the third reads the first
// alone, and waits for that.

// CHECK-LABEL: func.func @small
// CHECK: sinter.sequence phases [0, 1, 1] waits [0, 1, 1] -> tensor<4x8xf32>, tensor<4x8xf32> {
// CHECK: schedule(#sinter.rows<chunk = 2, lanes = 8>)

// Kernels as short as these are worth it.

// WORTH-LABEL: func.func @small
// WORTH: sinter.sequence
func.func @small(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-remark @+1 {{begins 3 kernels that share one parallel region: about 0 us by themselves without waiting, 0.2 us of waiting less}}
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 8>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.tanh %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return %z, %w : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Kernels that move much are not: 0.1 us of 2 x 41.

// WORTH-LABEL: func.func @large
// WORTH-NOT: sinter.sequence
func.func @large(%x: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
  %e = tensor.empty() : tensor<1024x512xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 83 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 1024) by (j = 512) ins(%x[i, j] : tensor<1024x512xf32>) outs(%e[i, j] : tensor<1024x512xf32>) {
  ^row(%a: tensor<512xf32>):
    %b = math.exp %a : tensor<512xf32>
    sinter.yield %b : tensor<512xf32>
  }
  %z = sinter.rowwise (i = 1024) by (j = 512) ins(%y[i, j] : tensor<1024x512xf32>) outs(%e[i, j] : tensor<1024x512xf32>) {
  ^row(%a: tensor<512xf32>):
    %b = math.exp %a : tensor<512xf32>
    sinter.yield %b : tensor<512xf32>
  }
  return %z : tensor<1024x512xf32>
}

// -----

// Nor are those that multiply much, whatever they move: 0.1 us of 2 x 41.9. Of a table rows count that are read.

// WORTH-LABEL: func.func @products
// WORTH-NOT: sinter.sequence
func.func @products(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %e = tensor.empty() : tensor<128x128xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 83 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.contract (i = 128) by (j = 128) product (k = 128) (%x[i, k] : tensor<128x128xf32>, %w[k, j] : tensor<128x128xf32>) : f32
      outs(%e[i, j] : tensor<128x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  %z = sinter.contract (i = 128) by (j = 128) product (k = 128) (%y[i, k] : tensor<128x128xf32>, %w[k, j] : tensor<128x128xf32>) : f32
      outs(%e[i, j] : tensor<128x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %z : tensor<128x128xf32>
}

// -----

// WORTH-LABEL: func.func @table
// WORTH: sinter.sequence
func.func @table(%t: tensor<100000x128xf32>, %i: tensor<4xi64>) -> tensor<4x128xf32> {
  %e = tensor.empty() : tensor<4x128xf32>
  // expected-remark @+1 {{begins 2 kernels that share one parallel region: about 0 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 4) by (j = 128) ins(%t[%i[i] : tensor<4xi64>, j] : tensor<100000x128xf32>)
      outs(%e[i, j] : tensor<4x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 128) ins(%y[i, j] : tensor<4x128xf32>) outs(%e[i, j] : tensor<4x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %z : tensor<4x128xf32>
}
