// RUN: sinter-opt --sinter-single-queries=launches=one --split-input-file %s | FileCheck %s

// Where kernels share a launch, rows of exponentials by values of each head, of which there are some, are a product.

// CHECK-LABEL: func.func @values
//       CHECK:     math.exp
//       CHECK:   %[[W:.+]] = sinter.rowwise
//       CHECK:     arith.truncf
//       CHECK:   sinter.contract (i = 4, j = 1) by (e = 32)
//  CHECK-NEXT:     product (k = 256) (%[[W]][i, k] : tensor<4x256xbf16>, %{{.*}}[i, k, e] : tensor<4x256x32xbf16>) : f32
func.func @values(%s: tensor<4x256xf32>, %v: tensor<4x256x32xbf16>) -> tensor<4x1x32xf32> {
  %b = tensor.empty() : tensor<4x256xf32>
  %h = tensor.empty() : tensor<4x256xbf16>
  %c = tensor.empty() : tensor<4x1x32xf32>
  %e = sinter.rowwise (i = 4) by (k = 256) ins(%s[i, k] : tensor<4x256xf32>) outs(%b[i, k] : tensor<4x256xf32>) {
  ^row(%x: tensor<256xf32>):
    %y = math.exp %x : tensor<256xf32>
    sinter.yield %y : tensor<256xf32>
  }
  %w = sinter.rowwise (i = 4) by (k = 256) ins(%e[i, k] : tensor<4x256xf32>) outs(%h[i, k] : tensor<4x256xbf16>) {
  ^row(%x: tensor<256xf32>):
    %y = arith.truncf %x : tensor<256xf32> to tensor<256xbf16>
    sinter.yield %y : tensor<256xbf16>
  }
  %o = sinter.rowwise (i = 4, j = 1, e = 32) by (k = 256)
      ins(%w[i, k] : tensor<4x256xbf16>, %v[i, k, e] : tensor<4x256x32xbf16>) outs(%c[i, j, e] : tensor<4x1x32xf32>) {
  ^row(%x: tensor<256xbf16>, %y: tensor<256xbf16>):
    %xf = arith.extf %x : tensor<256xbf16> to tensor<256xf32>
    %yf = arith.extf %y : tensor<256xbf16> to tensor<256xf32>
    %p = arith.mulf %xf, %yf : tensor<256xf32>
    %t = sinter.row_reduce add %p : tensor<256xf32> -> f32
    sinter.yield %t : f32
  }
  return %o : tensor<4x1x32xf32>
}

// -----

// CHECK-LABEL: func.func @others
//   CHECK-NOT:   sinter.contract
func.func @others(%s: tensor<4x256xf32>, %v: tensor<4x256x32xbf16>) -> tensor<4x1x32xf32> {
  %b = tensor.empty() : tensor<4x256xf32>
  %h = tensor.empty() : tensor<4x256xbf16>
  %c = tensor.empty() : tensor<4x1x32xf32>
  %e = sinter.rowwise (i = 4) by (k = 256) ins(%s[i, k] : tensor<4x256xf32>) outs(%b[i, k] : tensor<4x256xf32>) {
  ^row(%x: tensor<256xf32>):
    %y = math.tanh %x : tensor<256xf32>
    sinter.yield %y : tensor<256xf32>
  }
  %w = sinter.rowwise (i = 4) by (k = 256) ins(%e[i, k] : tensor<4x256xf32>) outs(%h[i, k] : tensor<4x256xbf16>) {
  ^row(%x: tensor<256xf32>):
    %y = arith.truncf %x : tensor<256xf32> to tensor<256xbf16>
    sinter.yield %y : tensor<256xbf16>
  }
  %o = sinter.rowwise (i = 4, j = 1, e = 32) by (k = 256)
      ins(%w[i, k] : tensor<4x256xbf16>, %v[i, k, e] : tensor<4x256x32xbf16>) outs(%c[i, j, e] : tensor<4x1x32xf32>) {
  ^row(%x: tensor<256xbf16>, %y: tensor<256xbf16>):
    %xf = arith.extf %x : tensor<256xbf16> to tensor<256xf32>
    %yf = arith.extf %y : tensor<256xbf16> to tensor<256xf32>
    %p = arith.mulf %xf, %yf : tensor<256xf32>
    %t = sinter.row_reduce add %p : tensor<256xf32> -> f32
    sinter.yield %t : f32
  }
  return %o : tensor<4x1x32xf32>
}

// -----

// CHECK-LABEL: func.func @few
//   CHECK-NOT:   sinter.contract
func.func @few(%s: tensor<4x255xf32>, %v: tensor<4x255x32xbf16>) -> tensor<4x1x32xf32> {
  %b = tensor.empty() : tensor<4x255xf32>
  %h = tensor.empty() : tensor<4x255xbf16>
  %c = tensor.empty() : tensor<4x1x32xf32>
  %e = sinter.rowwise (i = 4) by (k = 255) ins(%s[i, k] : tensor<4x255xf32>) outs(%b[i, k] : tensor<4x255xf32>) {
  ^row(%x: tensor<255xf32>):
    %y = math.exp %x : tensor<255xf32>
    sinter.yield %y : tensor<255xf32>
  }
  %w = sinter.rowwise (i = 4) by (k = 255) ins(%e[i, k] : tensor<4x255xf32>) outs(%h[i, k] : tensor<4x255xbf16>) {
  ^row(%x: tensor<255xf32>):
    %y = arith.truncf %x : tensor<255xf32> to tensor<255xbf16>
    sinter.yield %y : tensor<255xbf16>
  }
  %o = sinter.rowwise (i = 4, j = 1, e = 32) by (k = 255)
      ins(%w[i, k] : tensor<4x255xbf16>, %v[i, k, e] : tensor<4x255x32xbf16>) outs(%c[i, j, e] : tensor<4x1x32xf32>) {
  ^row(%x: tensor<255xbf16>, %y: tensor<255xbf16>):
    %xf = arith.extf %x : tensor<255xbf16> to tensor<255xf32>
    %yf = arith.extf %y : tensor<255xbf16> to tensor<255xf32>
    %p = arith.mulf %xf, %yf : tensor<255xf32>
    %t = sinter.row_reduce add %p : tensor<255xf32> -> f32
    sinter.yield %t : f32
  }
  return %o : tensor<4x1x32xf32>
}
