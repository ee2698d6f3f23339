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

// -----

// Rows that a matrix multiplies count as much as products: 41.9 us of those, and 0.6 of what is moved.

// WORTH-LABEL: func.func @matrix
// WORTH-NOT: sinter.sequence
func.func @matrix(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 42 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.contract (i = 64) by (j = 128) by (e = 128)
      product (d = 128) (%x[i, d] : tensor<64x128xf32>, %w[j, d] : tensor<128x128xf32>) : f32
      matrix (j) to (e) (%w[j, e] : tensor<128x128xf32>)
      outs(%e[i, e] : tensor<64x128xf32>) {
  ^row(%p: tensor<128xf32>, %v: tensor<128x128xf32>):
    %u = sinter.row_product %p, %v : tensor<128xf32>, tensor<128x128xf32> -> tensor<128xf32>
    sinter.yield %u : tensor<128xf32>
  }
  %z = sinter.rowwise (i = 64) by (j = 128) ins(%y[i, j] : tensor<64x128xf32>) outs(%e[i, j] : tensor<64x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %z : tensor<64x128xf32>
}

// -----

// Of 4.92 + 0.1 us a fiftieth is saved: two bytes of each element are read and two are written, two times.

// WORTH-LABEL: func.func @fiftieth
// WORTH: sinter.sequence
func.func @fiftieth(%x: tensor<375x164xf16>) -> tensor<375x164xf16> {
  %e = tensor.empty() : tensor<375x164xf16>
  // expected-remark @+1 {{begins 2 kernels that share one parallel region: about 4 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 375) by (j = 164) ins(%x[i, j] : tensor<375x164xf16>) outs(%e[i, j] : tensor<375x164xf16>) {
  ^row(%a: tensor<164xf16>):
    sinter.yield %a : tensor<164xf16>
  }
  %z = sinter.rowwise (i = 375) by (j = 164) ins(%y[i, j] : tensor<375x164xf16>) outs(%e[i, j] : tensor<375x164xf16>) {
  ^row(%a: tensor<164xf16>):
    sinter.yield %a : tensor<164xf16>
  }
  return %z : tensor<375x164xf16>
}

// -----

// Of 4.95 + 0.1 us it is not.

// WORTH-LABEL: func.func @less
// WORTH-NOT: sinter.sequence
func.func @less(%x: tensor<375x165xf16>) -> tensor<375x165xf16> {
  %e = tensor.empty() : tensor<375x165xf16>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 4 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 375) by (j = 165) ins(%x[i, j] : tensor<375x165xf16>) outs(%e[i, j] : tensor<375x165xf16>) {
  ^row(%a: tensor<165xf16>):
    sinter.yield %a : tensor<165xf16>
  }
  %z = sinter.rowwise (i = 375) by (j = 165) ins(%y[i, j] : tensor<375x165xf16>) outs(%e[i, j] : tensor<375x165xf16>) {
  ^row(%a: tensor<165xf16>):
    sinter.yield %a : tensor<165xf16>
  }
  return %z : tensor<375x165xf16>
}

// -----

// An i1 is a byte; reshapes are no kernels, and take nothing.

// WORTH-LABEL: func.func @bits
// WORTH: sinter.sequence
func.func @bits(%x: tensor<375x329xi1>) -> tensor<375x329xi1> {
  %e = tensor.empty() : tensor<375x329xi1>
  // expected-remark @+1 {{begins 2 kernels that share one parallel region: about 4 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 375) by (j = 329) ins(%x[i, j] : tensor<375x329xi1>) outs(%e[i, j] : tensor<375x329xi1>) {
  ^row(%a: tensor<329xi1>):
    sinter.yield %a : tensor<329xi1>
  }
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<375x329xi1> into tensor<123375xi1>
  %r = tensor.expand_shape %c [[0, 1]] output_shape [375, 329] : tensor<123375xi1> into tensor<375x329xi1>
  %z = sinter.rowwise (i = 375) by (j = 329) ins(%r[i, j] : tensor<375x329xi1>) outs(%e[i, j] : tensor<375x329xi1>) {
  ^row(%a: tensor<329xi1>):
    sinter.yield %a : tensor<329xi1>
  }
  return %z : tensor<375x329xi1>
}

// -----

// An index is 8.

// WORTH-LABEL: func.func @places
// WORTH: sinter.sequence
func.func @places(%x: tensor<375x41xindex>) -> tensor<375x41xindex> {
  %e = tensor.empty() : tensor<375x41xindex>
  // expected-remark @+1 {{begins 2 kernels that share one parallel region: about 4 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.rowwise (i = 375) by (j = 41) ins(%x[i, j] : tensor<375x41xindex>) outs(%e[i, j] : tensor<375x41xindex>) {
  ^row(%a: tensor<41xindex>):
    sinter.yield %a : tensor<41xindex>
  }
  %z = sinter.rowwise (i = 375) by (j = 41) ins(%y[i, j] : tensor<375x41xindex>) outs(%e[i, j] : tensor<375x41xindex>) {
  ^row(%a: tensor<41xindex>):
    sinter.yield %a : tensor<41xindex>
  }
  return %z : tensor<375x41xindex>
}

// -----

// Each of several products counts.

// WORTH-LABEL: func.func @two_products
// WORTH-NOT: sinter.sequence
func.func @two_products(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 32 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.contract (i = 64) by (j = 128)
      product (k = 128) (%x[i, k] : tensor<64x128xf32>, %w[j, k] : tensor<128x128xf32>) : f32
      product (l = 64) (%x[i, l] : tensor<64x128xf32>, %w[j, l + 64] : tensor<128x128xf32>) : f32
      outs(%e[i, j] : tensor<64x128xf32>) {
  ^row(%p: tensor<128xf32>, %q: tensor<128xf32>):
    %a = arith.mulf %p, %q : tensor<128xf32>
    sinter.yield %a : tensor<128xf32>
  }
  %z = sinter.rowwise (i = 64) by (j = 128) ins(%y[i, j] : tensor<64x128xf32>) outs(%e[i, j] : tensor<64x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %z : tensor<64x128xf32>
}

// -----

// Steps count by all that they are given.

// WORTH-LABEL: func.func @steps
// WORTH-NOT: sinter.sequence
func.func @steps(%x: tensor<375x2000xf32>) -> tensor<2000xf32> {
  %e = tensor.empty() : tensor<2000xf32>
  // expected-remark @+1 {{begins 2 kernels that do not share one parallel region: about 30 us by themselves without waiting, 0.1 us of waiting less}}
  %y = sinter.steps rows(1) ins(%x : tensor<375x2000xf32>) values(%e : tensor<2000xf32>) -> tensor<2000xf32> {
  ^row(%i: index, %a: memref<375x2000xf32>):
    %c2 = arith.constant 2 : index
    %v = memref.load %a[%c2, %i] : memref<375x2000xf32>
    sinter.yield %v : f32
  }
  %z = sinter.rowwise () by (j = 2000) ins(%y[j] : tensor<2000xf32>) outs(%e[j] : tensor<2000xf32>) {
  ^row(%a: tensor<2000xf32>):
    sinter.yield %a : tensor<2000xf32>
  }
  return %z : tensor<2000xf32>
}
