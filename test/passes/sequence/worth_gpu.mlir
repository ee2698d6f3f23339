// RUN: sinter-opt --sinter-sequence=launches=worth --split-input-file --verify-diagnostics %s | FileCheck %s

// A chain of short rows shares a launch.

// CHECK-LABEL: func.func @short
// CHECK: sinter.sequence phases [0, 1]
func.func @short(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1.2 us of launches less, 0.0 us of products more}}
  %y = sinter.contract (i = 1) by (j = 64) product (k = 64) (%x[i, k] : tensor<1x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<1x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 1) by (j = 64) product (k = 64) (%y[i, k] : tensor<1x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<1x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %z : tensor<1x64xf32>
}

// -----

// Products of many rows in f32 do not.

// CHECK-LABEL: func.func @many
// CHECK-NOT: sinter.sequence
func.func @many(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %e = tensor.empty() : tensor<128x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1.2 us of launches less, 3.4 us of products more}}
  %y = sinter.contract (i = 128) by (j = 64) product (k = 64) (%x[i, k] : tensor<128x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<128x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 128) by (j = 64) product (k = 64) (%y[i, k] : tensor<128x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<128x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %z : tensor<128x64xf32>
}

// -----

// One in bf16 is a launch by itself, and what stands behind it shares one. A batch is not rows.

// CHECK-LABEL: func.func @half
// CHECK: sinter.contract (i = 128)
// CHECK: sinter.sequence phases [0, 1]
// CHECK: sinter.contract (b = 128, i = 1)
func.func @half(%x: tensor<128x64xbf16>, %w: tensor<64x64xbf16>, %v: tensor<128x64x64xbf16>) -> tensor<128x1x64xf32> {
  %e = tensor.empty() : tensor<128x64xf32>
  %y = sinter.contract (i = 128) by (j = 64) product (k = 64) (%x[i, k] : tensor<128x64xbf16>, %w[j, k] : tensor<64x64xbf16>) : f32
      outs(%e[i, j] : tensor<128x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %h = tensor.empty() : tensor<128x64xbf16>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1.2 us of launches less, 0.0 us of products more}}
  %z = sinter.rowwise (i = 128) by (j = 64) ins(%y[i, j] : tensor<128x64xf32>) outs(%h[i, j] : tensor<128x64xbf16>) {
  ^row(%a: tensor<64xf32>):
    %b = arith.truncf %a : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %b : tensor<64xbf16>
  }
  %f = tensor.empty() : tensor<128x1x64xf32>
  %u = sinter.contract (b = 128, i = 1) by (j = 64) product (k = 64) (%z[b, k] : tensor<128x64xbf16>, %v[b, j, k] : tensor<128x64x64xbf16>) : f32
      outs(%f[b, i, j] : tensor<128x1x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %u : tensor<128x1x64xf32>
}

// -----

// From 64 rows on a product has many.

// CHECK-LABEL: func.func @few
// CHECK: sinter.sequence
func.func @few(%x: tensor<63x64xf32>, %v: tensor<63x64xf32>, %w: tensor<64x64xf32>) -> (tensor<63x64xf32>, tensor<63x64xf32>) {
  %e = tensor.empty() : tensor<63x64xf32>
  %d = tensor.empty() : tensor<63x64xf32>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1.2 us of launches less, 0.0 us of products more}}
  %y = sinter.contract (i = 63) by (j = 64) product (k = 64) (%x[i, k] : tensor<63x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<63x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 63) by (j = 64) product (k = 64) (%v[i, k] : tensor<63x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%d[i, j] : tensor<63x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<63x64xf32>, tensor<63x64xf32>
}

// -----

// CHECK-LABEL: func.func @enough
// CHECK-NOT: sinter.sequence
func.func @enough(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %d = tensor.empty() : tensor<64x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1.2 us of launches less, 3.4 us of products more}}
  %y = sinter.contract (i = 64) by (j = 64) product (k = 64) (%x[i, k] : tensor<64x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%e[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 64) by (j = 64) product (k = 64) (%v[i, k] : tensor<64x64xf32>, %w[j, k] : tensor<64x64xf32>) : f32
      outs(%d[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A product of halves has two of them.

// CHECK-LABEL: func.func @mixed
// CHECK-NOT: sinter.sequence
func.func @mixed(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xbf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %d = tensor.empty() : tensor<64x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1.2 us of launches less, 3.4 us of products more}}
  %y = sinter.contract (i = 64) by (j = 64) product (k = 64) (%x[i, k] : tensor<64x64xf32>, %w[j, k] : tensor<64x64xbf16>) : f32
      outs(%e[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 64) by (j = 64) product (k = 64) (%v[i, k] : tensor<64x64xf32>, %w[j, k] : tensor<64x64xbf16>) : f32
      outs(%d[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// What its other side has, too, is a batch, and the other dimensions' sizes are multiplied: 8 by 8 rows. A form of two
// products loses once.

// CHECK-LABEL: func.func @several
// CHECK-NOT: sinter.sequence
func.func @several(%x: tensor<3x8x8x64xf32>, %w: tensor<3x64x64xf32>, %v: tensor<3x64x64xf32>) -> (tensor<3x8x8x64xf32>, tensor<3x8x8x64xf32>) {
  %e = tensor.empty() : tensor<3x8x8x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1.2 us of launches less, 1.7 us of products more}}
  %y = sinter.contract (b = 3, h = 8, i = 8) by (j = 64)
      product (k = 64) (%x[b, h, i, k] : tensor<3x8x8x64xf32>, %w[b, j, k] : tensor<3x64x64xf32>) : f32
      product (l = 64) (%x[b, h, i, l] : tensor<3x8x8x64xf32>, %v[b, j, l] : tensor<3x64x64xf32>) : f32
      outs(%e[b, h, i, j] : tensor<3x8x8x64xf32>) {
  ^row(%a: tensor<64xf32>, %c: tensor<64xf32>):
    %s = arith.mulf %a, %c : tensor<64xf32>
    sinter.yield %s : tensor<64xf32>
  }
  %z = sinter.rowwise (b = 3, h = 8, i = 8) by (j = 64) ins(%y[b, h, i, j] : tensor<3x8x8x64xf32>) outs(%e[b, h, i, j] : tensor<3x8x8x64xf32>) {
  ^row(%a: tensor<64xf32>):
    %s = arith.negf %a : tensor<64xf32>
    sinter.yield %s : tensor<64xf32>
  }
  return %y, %z : tensor<3x8x8x64xf32>, tensor<3x8x8x64xf32>
}
