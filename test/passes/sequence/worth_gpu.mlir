// RUN: sinter-opt --sinter-sequence=launches=worth --split-input-file --verify-diagnostics %s | FileCheck %s

// A chain of short rows shares a launch.

// CHECK-LABEL: func.func @short
// CHECK: sinter.sequence phases [0, 1]
func.func @short(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1 waits in it cost 1.2 us less than launches, products 0.0 us more}}
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

// Products of many rows do not: 86 steps each are 1.2 us more, and 85 are less than the wait saves.

// CHECK-LABEL: func.func @many
// CHECK-NOT: sinter.sequence
func.func @many(%x: tensor<128x86xf32>, %w: tensor<86x86xf32>) -> tensor<128x86xf32> {
  %e = tensor.empty() : tensor<128x86xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1 waits in it cost 1.2 us less than launches, products 1.2 us more}}
  %y = sinter.contract (i = 128) by (j = 86) product (k = 86) (%x[i, k] : tensor<128x86xf32>, %w[j, k] : tensor<86x86xf32>) : f32
      outs(%e[i, j] : tensor<128x86xf32>) {
  ^row(%a: tensor<86xf32>):
    sinter.yield %a : tensor<86xf32>
  }
  %z = sinter.contract (i = 128) by (j = 86) product (k = 86) (%y[i, k] : tensor<128x86xf32>, %w[j, k] : tensor<86x86xf32>) : f32
      outs(%e[i, j] : tensor<128x86xf32>) {
  ^row(%a: tensor<86xf32>):
    sinter.yield %a : tensor<86xf32>
  }
  return %z : tensor<128x86xf32>
}

// -----

// CHECK-LABEL: func.func @less
// CHECK: sinter.sequence
func.func @less(%x: tensor<128x85xf32>, %w: tensor<85x85xf32>) -> tensor<128x85xf32> {
  %e = tensor.empty() : tensor<128x85xf32>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1 waits in it cost 1.2 us less than launches, products 1.1 us more}}
  %y = sinter.contract (i = 128) by (j = 85) product (k = 85) (%x[i, k] : tensor<128x85xf32>, %w[j, k] : tensor<85x85xf32>) : f32
      outs(%e[i, j] : tensor<128x85xf32>) {
  ^row(%a: tensor<85xf32>):
    sinter.yield %a : tensor<85xf32>
  }
  %z = sinter.contract (i = 128) by (j = 85) product (k = 85) (%y[i, k] : tensor<128x85xf32>, %w[j, k] : tensor<85x85xf32>) : f32
      outs(%e[i, j] : tensor<128x85xf32>) {
  ^row(%a: tensor<85xf32>):
    sinter.yield %a : tensor<85xf32>
  }
  return %z : tensor<128x85xf32>
}

// -----

// One of 343 steps is a launch by itself, and what stands behind it shares one. A batch is not rows.

// CHECK-LABEL: func.func @half
// CHECK: sinter.contract (i = 128)
// CHECK: sinter.sequence phases [0, 1]
// CHECK: sinter.contract (b = 128, i = 1)
func.func @half(%x: tensor<128x343xbf16>, %w: tensor<64x343xbf16>, %v: tensor<128x64x64xbf16>) -> tensor<128x1x64xf32> {
  %e = tensor.empty() : tensor<128x64xf32>
  %y = sinter.contract (i = 128) by (j = 64) product (k = 343) (%x[i, k] : tensor<128x343xbf16>, %w[j, k] : tensor<64x343xbf16>) : f32
      outs(%e[i, j] : tensor<128x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %h = tensor.empty() : tensor<128x64xbf16>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 1 waits in it cost 1.2 us less than launches, products 0.0 us more}}
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

// From 64 rows on a product has many. Two forms of one phase do not wait.

// CHECK-LABEL: func.func @few
// CHECK: sinter.sequence
func.func @few(%x: tensor<63x150xf32>, %v: tensor<63x150xf32>, %w: tensor<64x150xf32>) -> (tensor<63x64xf32>, tensor<63x64xf32>) {
  %e = tensor.empty() : tensor<63x64xf32>
  %d = tensor.empty() : tensor<63x64xf32>
  // expected-remark @+1 {{begins 2 kernels that share one launch: 0 waits in it cost 2.0 us less than launches, products 0.0 us more}}
  %y = sinter.contract (i = 63) by (j = 64) product (k = 150) (%x[i, k] : tensor<63x150xf32>, %w[j, k] : tensor<64x150xf32>) : f32
      outs(%e[i, j] : tensor<63x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 63) by (j = 64) product (k = 150) (%v[i, k] : tensor<63x150xf32>, %w[j, k] : tensor<64x150xf32>) : f32
      outs(%d[i, j] : tensor<63x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<63x64xf32>, tensor<63x64xf32>
}

// -----

// CHECK-LABEL: func.func @enough
// CHECK-NOT: sinter.sequence
func.func @enough(%x: tensor<64x150xf32>, %v: tensor<64x150xf32>, %w: tensor<64x150xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %d = tensor.empty() : tensor<64x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 0 waits in it cost 2.0 us less than launches, products 2.1 us more}}
  %y = sinter.contract (i = 64) by (j = 64) product (k = 150) (%x[i, k] : tensor<64x150xf32>, %w[j, k] : tensor<64x150xf32>) : f32
      outs(%e[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract (i = 64) by (j = 64) product (k = 150) (%v[i, k] : tensor<64x150xf32>, %w[j, k] : tensor<64x150xf32>) : f32
      outs(%d[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Of 66 rows and 2113 columns there are 134 tiles, two more than multiprocessors: each has 134 / 132 of 142 steps.

// CHECK-LABEL: func.func @waves
// CHECK-NOT: sinter.sequence
func.func @waves(%x: tensor<66x142xbf16>, %v: tensor<66x142xbf16>, %w: tensor<2113x142xbf16>) -> (tensor<66x2113xf32>, tensor<66x2113xf32>) {
  %e = tensor.empty() : tensor<66x2113xf32>
  %d = tensor.empty() : tensor<66x2113xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 0 waits in it cost 2.0 us less than launches, products 2.0 us more}}
  %y = sinter.contract (i = 66) by (j = 2113) product (k = 142) (%x[i, k] : tensor<66x142xbf16>, %w[j, k] : tensor<2113x142xbf16>) : f32
      outs(%e[i, j] : tensor<66x2113xf32>) {
  ^row(%a: tensor<2113xf32>):
    sinter.yield %a : tensor<2113xf32>
  }
  %z = sinter.contract (i = 66) by (j = 2113) product (k = 142) (%v[i, k] : tensor<66x142xbf16>, %w[j, k] : tensor<2113x142xbf16>) : f32
      outs(%d[i, j] : tensor<66x2113xf32>) {
  ^row(%a: tensor<2113xf32>):
    sinter.yield %a : tensor<2113xf32>
  }
  return %y, %z : tensor<66x2113xf32>, tensor<66x2113xf32>
}

// -----

// What its other side has, too, is a batch, and the other dimensions' sizes are multiplied: 8 by 8 rows. Both of
// a form's products lose.

// CHECK-LABEL: func.func @several
// CHECK-NOT: sinter.sequence
func.func @several(%x: tensor<3x8x8x86xf32>, %w: tensor<3x64x86xf32>, %v: tensor<3x64x86xf32>) -> (tensor<3x8x8x64xf32>, tensor<3x8x8x64xf32>) {
  %e = tensor.empty() : tensor<3x8x8x64xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one launch: 1 waits in it cost 1.2 us less than launches, products 1.2 us more}}
  %y = sinter.contract (b = 3, h = 8, i = 8) by (j = 64)
      product (k = 86) (%x[b, h, i, k] : tensor<3x8x8x86xf32>, %w[b, j, k] : tensor<3x64x86xf32>) : f32
      product (l = 86) (%x[b, h, i, l] : tensor<3x8x8x86xf32>, %v[b, j, l] : tensor<3x64x86xf32>) : f32
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
