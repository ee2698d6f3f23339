// RUN: sinter-opt "--sinter-sequence=target=cpu launches=given" --sinter-schedule=target=cpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt "--sinter-sequence=target=cpu launches=separate" --split-input-file %s | FileCheck %s --check-prefix=NONE
// RUN: sinter-opt "--sinter-sequence=target=gpu launches=given" --split-input-file %s | FileCheck %s --check-prefix=NONE

// NONE-NOT: sinter.sequence

// Tables of arguments alone, of different sizes, are one kernel in front of what reads the first of them, whatever
// stands between. What waits for a kernel stays.

// CHECK-LABEL: func.func @sizes
//       CHECK:   tensor.empty() : tensor<5xf32>
//       CHECK:   tensor.empty() : tensor<7xf32>
//       CHECK:   %[[S:.*]]:2 = sinter.sequence phases [0, 0] waits [0, 0] schedule(#sinter.cpu_sequence<forms = "turns">) -> tensor<5xf32>, tensor<7xf32> {
//       CHECK:     sinter.rowwise () by (i = 5)
//       CHECK:     sinter.rowwise () by (i = 7)
//       CHECK:   %[[Y:.*]] = sinter.rowwise (i = 90) by (j = 200)
//       CHECK:   sinter.rowwise (i = 90) by (j = 3)
//  CHECK-NEXT:     ins(%[[Y]]

func.func @sizes(%a: tensor<5xf32>, %b: tensor<7xf32>, %x: tensor<90x200xf32>) -> (tensor<5xf32>, tensor<90x3xf32>, tensor<7xf32>) {
  %ea = tensor.empty() : tensor<5xf32>
  %r = sinter.rowwise () by (i = 5) ins(%a[i] : tensor<5xf32>) outs(%ea[i] : tensor<5xf32>) {
  ^row(%v: tensor<5xf32>):
    %w = math.rsqrt %v : tensor<5xf32>
    sinter.yield %w : tensor<5xf32>
  }
  %ex = tensor.empty() : tensor<90x200xf32>
  %y = sinter.rowwise (i = 90) by (j = 200) ins(%x[i, j] : tensor<90x200xf32>) outs(%ex[i, j] : tensor<90x200xf32>) {
  ^row(%v: tensor<200xf32>):
    %w = math.exp %v : tensor<200xf32>
    sinter.yield %w : tensor<200xf32>
  }
  %ez = tensor.empty() : tensor<90x3xf32>
  %z = sinter.rowwise (i = 90) by (j = 3) ins(%y[i, j] : tensor<90x200xf32>) outs(%ez[i, j] : tensor<90x3xf32>) {
  ^row(%v: tensor<3xf32>):
    %w = math.exp %v : tensor<3xf32>
    sinter.yield %w : tensor<3xf32>
  }
  %eb = tensor.empty() : tensor<7xf32>
  %s = sinter.rowwise () by (i = 7) ins(%b[i] : tensor<7xf32>) outs(%eb[i] : tensor<7xf32>) {
  ^row(%v: tensor<7xf32>):
    %w = math.rsqrt %v : tensor<7xf32>
    sinter.yield %w : tensor<7xf32>
  }
  return %r, %z, %s : tensor<5xf32>, tensor<90x3xf32>, tensor<7xf32>
}

// -----

// Two of 8192 elements are as much as one task has; what is more begins the next kernel, where it is no longer alone.

// CHECK-LABEL: func.func @many
//       CHECK:   sinter.sequence {{.*}} -> tensor<8192xf32>, tensor<64x128xf32> {
//       CHECK:   sinter.sequence {{.*}} -> tensor<6xf32>, tensor<8192xf32> {
func.func @many(%a: tensor<8192xf32>, %b: tensor<64x128xf32>, %c: tensor<6xf32>) -> (tensor<8192xf32>, tensor<64x128xf32>, tensor<6xf32>, tensor<8192xf32>) {
  %ea = tensor.empty() : tensor<8192xf32>
  %eb = tensor.empty() : tensor<64x128xf32>
  %ec = tensor.empty() : tensor<6xf32>
  %r = sinter.rowwise () by (i = 8192) ins(%a[i] : tensor<8192xf32>) outs(%ea[i] : tensor<8192xf32>) {
  ^row(%v: tensor<8192xf32>):
    %w = math.rsqrt %v : tensor<8192xf32>
    sinter.yield %w : tensor<8192xf32>
  }
  %s = sinter.rowwise (i = 64) by (j = 128) ins(%b[i, j] : tensor<64x128xf32>) outs(%eb[i, j] : tensor<64x128xf32>) {
  ^row(%v: tensor<128xf32>):
    %w = math.rsqrt %v : tensor<128xf32>
    sinter.yield %w : tensor<128xf32>
  }
  %t = sinter.rowwise () by (i = 6) ins(%c[i] : tensor<6xf32>) outs(%ec[i] : tensor<6xf32>) {
  ^row(%v: tensor<6xf32>):
    %w = math.rsqrt %v : tensor<6xf32>
    sinter.yield %w : tensor<6xf32>
  }
  %u = sinter.rowwise () by (i = 8192) ins(%a[i] : tensor<8192xf32>) outs(%ea[i] : tensor<8192xf32>) {
  ^row(%v: tensor<8192xf32>):
    %w = math.exp %v : tensor<8192xf32>
    sinter.yield %w : tensor<8192xf32>
  }
  return %r, %s, %t, %u : tensor<8192xf32>, tensor<64x128xf32>, tensor<6xf32>, tensor<8192xf32>
}

// -----

// One element more is no table.

// CHECK-LABEL: func.func @large
//   CHECK-NOT:   sinter.sequence
func.func @large(%a: tensor<8193xf32>, %c: tensor<6xf32>) -> (tensor<8193xf32>, tensor<6xf32>) {
  %ea = tensor.empty() : tensor<8193xf32>
  %ec = tensor.empty() : tensor<6xf32>
  %r = sinter.rowwise () by (i = 8193) ins(%a[i] : tensor<8193xf32>) outs(%ea[i] : tensor<8193xf32>) {
  ^row(%v: tensor<8193xf32>):
    %w = math.rsqrt %v : tensor<8193xf32>
    sinter.yield %w : tensor<8193xf32>
  }
  %t = sinter.rowwise () by (i = 6) ins(%c[i] : tensor<6xf32>) outs(%ec[i] : tensor<6xf32>) {
  ^row(%v: tensor<6xf32>):
    %w = math.rsqrt %v : tensor<6xf32>
    sinter.yield %w : tensor<6xf32>
  }
  return %r, %t : tensor<8193xf32>, tensor<6xf32>
}

// -----

// Nor is what reads another kernel's result, nor what fails where a condition does not hold, nor sizes `?`.

// CHECK-LABEL: func.func @waits
//   CHECK-NOT:   sinter.sequence
func.func @waits(%a: tensor<5xf32>, %b: tensor<7xf32>, %d: tensor<?xf32>) -> (tensor<5xf32>, tensor<6xf32>, tensor<7xf32>, tensor<?xf32>) {
  %ea = tensor.empty() : tensor<5xf32>
  %r = sinter.rowwise () by (i = 5) ins(%a[i] : tensor<5xf32>) outs(%ea[i] : tensor<5xf32>) {
  ^row(%v: tensor<5xf32>):
    %w = math.rsqrt %v : tensor<5xf32>
    sinter.yield %w : tensor<5xf32>
  }
  %zero = arith.constant 0.0 : f32
  %ec = tensor.empty() : tensor<6xf32>
  %q = sinter.rowwise () by (i = 6) ins(%r[i] : tensor<5xf32> else 0.000000e+00) outs(%ec[i] : tensor<6xf32>) {
  ^row(%v: tensor<6xf32>):
    %w = math.exp %v : tensor<6xf32>
    sinter.yield %w : tensor<6xf32>
  }
  %eb = tensor.empty() : tensor<7xf32>
  %s = sinter.rowwise (i = 7) by () ins(%b[i] : tensor<7xf32>) outs(%eb[i] : tensor<7xf32>) {
  ^row(%v: f32):
    %zero_ = arith.constant 0.0 : f32
    %ok = arith.cmpf oge, %v, %zero_ : f32
    cf.assert %ok, "negative"
    %w = math.rsqrt %v : f32
    sinter.yield %w : f32
  }
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?xf32>
  %ed = tensor.empty(%n) : tensor<?xf32>
  %t = sinter.rowwise () by (i = ?) ins(%d[i] : tensor<?xf32>) outs(%ed[i] : tensor<?xf32>) {
  ^row(%v: tensor<?xf32>):
    %w = math.rsqrt %v : tensor<?xf32>
    sinter.yield %w : tensor<?xf32>
  }
  return %r, %q, %s, %t : tensor<5xf32>, tensor<6xf32>, tensor<7xf32>, tensor<?xf32>
}
