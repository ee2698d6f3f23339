// RUN: sinter-opt --sinter-fuse=policy=aggressive --split-input-file %s | FileCheck %s --check-prefix=AGGRESSIVE
// RUN: sinter-opt --sinter-fuse=policy=medium --split-input-file %s | FileCheck %s --check-prefix=MEDIUM
// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=MEDIUM
// RUN: sinter-opt --sinter-fuse=target=gpu --split-input-file %s | FileCheck %s --check-prefix=GPU
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-fuse{policy=aggressive target=gpu})' --split-input-file %s | FileCheck %s --check-prefix=LAUNCH
// RUN: sinter-opt --sinter-fuse=policy=disabled --split-input-file %s | FileCheck %s --check-prefix=DISABLED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-fuse{policy=medium remarks=true})' --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// What the policies differ in: medium computes nothing heavy again, aggressive at most 16 operations for a byte, or 2
// for one that stays in a cache, or half an operation where it has several readers.

// An exponential for each column: inside, it would be one for each element.

// AGGRESSIVE-LABEL: func @heavy_for_each_row
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// MEDIUM-LABEL: func @heavy_for_each_row
// MEDIUM-COUNT-2: sinter.rowwise
// DISABLED-LABEL: func @heavy_for_each_row
// DISABLED-COUNT-2: sinter.rowwise
// WHY: remark: would be computed again for each row, and is not cheap
func.func @heavy_for_each_row(%x: tensor<9x300000xf32>, %b: tensor<300000xf32>) -> tensor<9x300000xf32> {
  %e = tensor.empty() : tensor<300000xf32>
  %d = tensor.empty() : tensor<9x300000xf32>
  %s = sinter.rowwise () by (j = 300000) ins(%b[j] : tensor<300000xf32>) outs(%e[j] : tensor<300000xf32>) {
  ^row(%r: tensor<300000xf32>):
    %c = math.exp %r : tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 300000) ins(%x[i, j] : tensor<9x300000xf32>, %s[j] : tensor<300000xf32>) outs(%d[i, j] : tensor<9x300000xf32>) {
  ^row(%r: tensor<300000xf32>, %q: tensor<300000xf32>):
    %c = arith.mulf %r, %q : tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  return %y : tensor<9x300000xf32>
}

// -----

// Of columns that stay in a cache that is slower than to read them.

// AGGRESSIVE-LABEL: func @heavy_in_cache
// AGGRESSIVE-COUNT-2: sinter.rowwise
// MEDIUM-LABEL: func @heavy_in_cache
// MEDIUM-COUNT-2: sinter.rowwise
// DISABLED-LABEL: func @heavy_in_cache
// DISABLED-COUNT-2: sinter.rowwise
// WHY: remark: would be computed again for each row, and is not cheap
func.func @heavy_in_cache(%x: tensor<9x5xf32>, %b: tensor<5xf32>) -> tensor<9x5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %d = tensor.empty() : tensor<9x5xf32>
  %s = sinter.rowwise () by (j = 5) ins(%b[j] : tensor<5xf32>) outs(%e[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %s[j] : tensor<5xf32>) outs(%d[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5xf32>):
    %c = arith.mulf %r, %q : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<9x5xf32>
}

// -----

// For each of 40 rows that is 39 times 10 operations for the 8 bytes of an element.

// AGGRESSIVE-LABEL: func @heavy_for_many_rows
// AGGRESSIVE-COUNT-2: sinter.rowwise
// MEDIUM-LABEL: func @heavy_for_many_rows
// MEDIUM-COUNT-2: sinter.rowwise
// DISABLED-LABEL: func @heavy_for_many_rows
// DISABLED-COUNT-2: sinter.rowwise
// WHY: remark: would be computed again for each row, and is not cheap
func.func @heavy_for_many_rows(%x: tensor<40x300000xf32>, %b: tensor<300000xf32>) -> tensor<40x300000xf32> {
  %e = tensor.empty() : tensor<300000xf32>
  %d = tensor.empty() : tensor<40x300000xf32>
  %s = sinter.rowwise () by (j = 300000) ins(%b[j] : tensor<300000xf32>) outs(%e[j] : tensor<300000xf32>) {
  ^row(%r: tensor<300000xf32>):
    %c = math.exp %r : tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  %y = sinter.rowwise (i = 40) by (j = 300000) ins(%x[i, j] : tensor<40x300000xf32>, %s[j] : tensor<300000xf32>) outs(%d[i, j] : tensor<40x300000xf32>) {
  ^row(%r: tensor<300000xf32>, %q: tensor<300000xf32>):
    %c = arith.mulf %r, %q : tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  return %y : tensor<40x300000xf32>
}

// -----

// A sum for each column is light: all but disabled compute it inside.

// AGGRESSIVE-LABEL: func @light_for_each_row
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// MEDIUM-LABEL: func @light_for_each_row
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
// DISABLED-LABEL: func @light_for_each_row
// DISABLED-COUNT-2: sinter.rowwise
func.func @light_for_each_row(%x: tensor<9x5xf32>, %b: tensor<5xf32>) -> tensor<9x5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %d = tensor.empty() : tensor<9x5xf32>
  %s = sinter.rowwise () by (j = 5) ins(%b[j] : tensor<5xf32>) outs(%e[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = arith.addf %r, %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %s[j] : tensor<5xf32>) outs(%d[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5xf32>):
    %c = arith.mulf %r, %q : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<9x5xf32>
}

// -----

// Not every operation of math is heavy: a magnitude is one instruction (dialect/row_ops.c).

// AGGRESSIVE-LABEL: func @magnitude
// AGGRESSIVE-COUNT-1: sinter.rowwise
// MEDIUM-LABEL: func @magnitude
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
func.func @magnitude(%x: tensor<9x5xf32>, %b: tensor<5xf32>, %t: tensor<5xi32>, %u: tensor<5xi32>) -> tensor<9x5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %d = tensor.empty() : tensor<9x5xf32>
  %s = sinter.rowwise () by (j = 5) ins(%b[j] : tensor<5xf32>, %t[j] : tensor<5xi32>, %u[j] : tensor<5xi32>) outs(%e[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>, %p: tensor<5xi32>, %q: tensor<5xi32>):
    %c = math.absf %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %s[j] : tensor<5xf32>) outs(%d[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5xf32>):
    %c = arith.mulf %r, %q : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<9x5xf32>
}

// -----

// Integers that are divided by what only the program knows are.

// AGGRESSIVE-LABEL: func @remainder
// AGGRESSIVE-COUNT-1: sinter.rowwise
// MEDIUM-LABEL: func @remainder
// MEDIUM-COUNT-2: sinter.rowwise
func.func @remainder(%x: tensor<9x300000xf32>, %b: tensor<300000xf32>, %t: tensor<300000xi32>, %u: tensor<300000xi32>) -> tensor<9x300000xf32> {
  %e = tensor.empty() : tensor<300000xf32>
  %d = tensor.empty() : tensor<9x300000xf32>
  %s = sinter.rowwise () by (j = 300000) ins(%b[j] : tensor<300000xf32>, %t[j] : tensor<300000xi32>, %u[j] : tensor<300000xi32>) outs(%e[j] : tensor<300000xf32>) {
  ^row(%r: tensor<300000xf32>, %p: tensor<300000xi32>, %q: tensor<300000xi32>):
    %m = arith.remsi %p, %q : tensor<300000xi32>
    %c = arith.sitofp %m : tensor<300000xi32> to tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 300000) ins(%x[i, j] : tensor<9x300000xf32>, %s[j] : tensor<300000xf32>) outs(%d[i, j] : tensor<9x300000xf32>) {
  ^row(%r: tensor<300000xf32>, %q: tensor<300000xf32>):
    %c = arith.mulf %r, %q : tensor<300000xf32>
    sinter.yield %c : tensor<300000xf32>
  }
  return %y : tensor<9x300000xf32>
}

// -----

// By a number they are multiplied.

// AGGRESSIVE-LABEL: func @remainder_by_number
// AGGRESSIVE-COUNT-1: sinter.rowwise
// MEDIUM-LABEL: func @remainder_by_number
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
func.func @remainder_by_number(%x: tensor<9x5xf32>, %b: tensor<5xf32>, %t: tensor<5xi32>, %u: tensor<5xi32>) -> tensor<9x5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %d = tensor.empty() : tensor<9x5xf32>
  %s = sinter.rowwise () by (j = 5) ins(%b[j] : tensor<5xf32>, %t[j] : tensor<5xi32>, %u[j] : tensor<5xi32>) outs(%e[j] : tensor<5xf32>) {
  ^row(%r: tensor<5xf32>, %p: tensor<5xi32>, %q: tensor<5xi32>):
    %k = arith.constant dense<3> : tensor<5xi32>
    %m = arith.remsi %p, %k : tensor<5xi32>
    %c = arith.sitofp %m : tensor<5xi32> to tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %s[j] : tensor<5xf32>) outs(%d[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: tensor<5xf32>):
    %c = arith.mulf %r, %q : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<9x5xf32>
}

// -----

// A heavy value for each row is computed once for it, whatever the policy.

// AGGRESSIVE-LABEL: func @heavy_once
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// MEDIUM-LABEL: func @heavy_once
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
func.func @heavy_once(%x: tensor<9x5xf32>, %b: tensor<9xf32>) -> tensor<9x5xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %d = tensor.empty() : tensor<9x5xf32>
  %s = sinter.rowwise (i = 9) by () ins(%b[i] : tensor<9xf32>) outs(%e[i] : tensor<9xf32>) {
  ^row(%r: f32):
    %c = math.exp %r : f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>, %s[i] : tensor<9xf32>) outs(%d[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: f32):
    %f = sinter.broadcast %q : f32 -> tensor<5xf32>
    %c = arith.mulf %r, %f : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  return %y : tensor<9x5xf32>
}

// -----

// Two readers that cannot be one kernel (they read it transposed and not): aggressive computes the exponential of
// the bf16 values in each, medium stores it.

// AGGRESSIVE-LABEL: func @heavy_for_each_reader
// AGGRESSIVE-COUNT-2: math.exp
// AGGRESSIVE-NOT: math.exp
// AGGRESSIVE: return
// MEDIUM-LABEL: func @heavy_for_each_reader
// MEDIUM-COUNT-1: math.exp
// MEDIUM-NOT: math.exp
// MEDIUM: return
func.func @heavy_for_each_reader(%x: tensor<900x500xbf16>) -> (tensor<900xf32>, tensor<500xf32>) {
  %e = tensor.empty() : tensor<900x500xf32>
  %a = tensor.empty() : tensor<900xf32>
  %b = tensor.empty() : tensor<500xf32>
  %s = sinter.rowwise (i = 900) by (j = 500) ins(%x[i, j] : tensor<900x500xbf16>) outs(%e[i, j] : tensor<900x500xf32>) {
  ^row(%r: tensor<500xbf16>):
    %w = arith.extf %r : tensor<500xbf16> to tensor<500xf32>
    %c = math.exp %w : tensor<500xf32>
    sinter.yield %c : tensor<500xf32>
  }
  %y = sinter.rowwise (i = 900) by (j = 500) ins(%s[i, j] : tensor<900x500xf32>) outs(%a[i] : tensor<900xf32>) {
  ^row(%r: tensor<500xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<500xf32> -> f32
    sinter.yield %c : f32
  }
  %z = sinter.rowwise (i = 500) by (j = 900) ins(%s[j, i] : tensor<900x500xf32>) outs(%b[i] : tensor<500xf32>) {
  ^row(%r: tensor<900xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<900xf32> -> f32
    sinter.yield %c : f32
  }
  return %y, %z : tensor<900xf32>, tensor<500xf32>
}

// -----

// In a cache it is stored by the first of them, whatever the policy.

// AGGRESSIVE-LABEL: func @heavy_for_each_reader_in_cache
// AGGRESSIVE-COUNT-1: math.exp
// AGGRESSIVE-NOT: math.exp
// AGGRESSIVE: return
// MEDIUM-LABEL: func @heavy_for_each_reader_in_cache
// MEDIUM-COUNT-1: math.exp
// MEDIUM-NOT: math.exp
// MEDIUM: return
func.func @heavy_for_each_reader_in_cache(%x: tensor<9x5xbf16>) -> (tensor<9xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<9x5xf32>
  %a = tensor.empty() : tensor<9xf32>
  %b = tensor.empty() : tensor<5xf32>
  %s = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xbf16>) outs(%e[i, j] : tensor<9x5xf32>) {
  ^row(%r: tensor<5xbf16>):
    %w = arith.extf %r : tensor<5xbf16> to tensor<5xf32>
    %c = math.exp %w : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %y = sinter.rowwise (i = 9) by (j = 5) ins(%s[i, j] : tensor<9x5xf32>) outs(%a[i] : tensor<9xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<5xf32> -> f32
    sinter.yield %c : f32
  }
  %z = sinter.rowwise (i = 5) by (j = 9) ins(%s[j, i] : tensor<9x5xf32>) outs(%b[i] : tensor<5xf32>) {
  ^row(%r: tensor<9xf32>):
    %c = sinter.row_reduce maximumf %r : tensor<9xf32> -> f32
    sinter.yield %c : f32
  }
  return %y, %z : tensor<9xf32>, tensor<5xf32>
}

// -----

// Two rows read the same exponentials: a CPU has stored them in the time of making them twice, so it does for any
// number of rows, known or not. A GPU would launch a kernel for it.

// MEDIUM-LABEL: func @heavy_for_two_rows
// MEDIUM-COUNT-2: sinter.rowwise
// GPU-LABEL: func @heavy_for_two_rows
// GPU-COUNT-1: sinter.rowwise
//     GPU-NOT: sinter.rowwise
//         GPU: return
func.func @heavy_for_two_rows(%x: tensor<2x300xf32>, %b: tensor<300xf32>) -> tensor<2x300xf32> {
  %e = tensor.empty() : tensor<300xf32>
  %d = tensor.empty() : tensor<2x300xf32>
  %s = sinter.rowwise () by (j = 300) ins(%b[j] : tensor<300xf32>) outs(%e[j] : tensor<300xf32>) {
  ^row(%r: tensor<300xf32>):
    %c = math.exp %r : tensor<300xf32>
    sinter.yield %c : tensor<300xf32>
  }
  %y = sinter.rowwise (i = 2) by (j = 300)
      ins(%x[i, j] : tensor<2x300xf32>, %s[j] : tensor<300xf32>)
      outs(%d[i, j] : tensor<2x300xf32>) {
  ^row(%r: tensor<300xf32>, %q: tensor<300xf32>):
    %c = arith.mulf %r, %q : tensor<300xf32>
    sinter.yield %c : tensor<300xf32>
  }
  return %y : tensor<2x300xf32>
}

// -----

// A number for each channel: a GPU makes it again for each of some rows sooner than it launches a kernel for it.

// LAUNCH-LABEL: func @channels_of_few
//       LAUNCH:   sinter.rowwise (i = 37, j = 3) by (k = 25)
//       LAUNCH:     cf.assert
//   LAUNCH-NOT:   sinter.rowwise
// LAUNCH-LABEL: func @channels_of_many
//       LAUNCH:   sinter.rowwise (i = 3) by ()
//       LAUNCH:   sinter.rowwise (i = 370000, j = 3) by (k = 25)
func.func @channels_of_few(%v: tensor<3xf32>, %x: tensor<37x3x25xf32>) -> tensor<37x3x25xf32> {
  %c = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<37x3x25xf32>
  %s = sinter.rowwise (i = 3) by () ins(%v[i] : tensor<3xf32>) outs(%c[i] : tensor<3xf32>) {
  ^row(%a: f32):
    %r = math.sqrt %a : f32
    %zero = arith.constant 0.0 : f32
    %some = arith.cmpf one, %r, %zero : f32
    cf.assert %some, "a channel of zeros"
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %r : f32
    sinter.yield %q : f32
  }
  %y = sinter.rowwise (i = 37, j = 3) by (k = 25)
      ins(%x[i, j, k] : tensor<37x3x25xf32>, %s[j] : tensor<3xf32>) outs(%e[i, j, k] : tensor<37x3x25xf32>) {
  ^row(%a: tensor<25xf32>, %q: f32):
    %b = sinter.broadcast %q : f32 -> tensor<25xf32>
    %t = arith.mulf %a, %b : tensor<25xf32>
    sinter.yield %t : tensor<25xf32>
  }
  return %y : tensor<37x3x25xf32>
}
func.func @channels_of_many(%v: tensor<3xf32>, %x: tensor<370000x3x25xf32>) -> tensor<370000x3x25xf32> {
  %c = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<370000x3x25xf32>
  %s = sinter.rowwise (i = 3) by () ins(%v[i] : tensor<3xf32>) outs(%c[i] : tensor<3xf32>) {
  ^row(%a: f32):
    %r = math.sqrt %a : f32
    %zero = arith.constant 0.0 : f32
    %some = arith.cmpf one, %r, %zero : f32
    cf.assert %some, "a channel of zeros"
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %r : f32
    sinter.yield %q : f32
  }
  %y = sinter.rowwise (i = 370000, j = 3) by (k = 25)
      ins(%x[i, j, k] : tensor<370000x3x25xf32>, %s[j] : tensor<3xf32>) outs(%e[i, j, k] : tensor<370000x3x25xf32>) {
  ^row(%a: tensor<25xf32>, %q: f32):
    %b = sinter.broadcast %q : f32 -> tensor<25xf32>
    %t = arith.mulf %a, %b : tensor<25xf32>
    sinter.yield %t : tensor<25xf32>
  }
  return %y : tensor<370000x3x25xf32>
}

// -----

// A norm that is rounded to a half type step by step takes as long as the product of one row behind it, for each of
// its columns. On a GPU a few are computed beside what is waited for.

// AGGRESSIVE-LABEL: func @rounded_for_each_column
// AGGRESSIVE-COUNT-2: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// AGGRESSIVE: return
// MEDIUM-LABEL: func @rounded_for_each_column
// MEDIUM-COUNT-2: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
// GPU-LABEL: func @rounded_for_each_column
// GPU-COUNT-1: sinter.rowwise
// GPU-NOT: sinter.rowwise
// GPU: return
// WHY: remark: would be computed again for each row, and is not cheap
func.func @rounded_for_each_column(%x: tensor<32xbf16>, %r: tensor<f32>, %g: tensor<32xbf16>, %w: tensor<64x32xbf16>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<32xbf16>
  %d = tensor.empty() : tensor<64xf32>
  %s = sinter.rowwise () by (k = 32) ins(%x[k] : tensor<32xbf16>, %r[] : tensor<f32>, %g[k] : tensor<32xbf16>) outs(%e[k] : tensor<32xbf16>) {
  ^row(%a: tensor<32xbf16>, %b: f32, %c: tensor<32xbf16>):
    %f = arith.extf %a : tensor<32xbf16> to tensor<32xf32>
    %h = sinter.broadcast %b : f32 -> tensor<32xf32>
    %i = arith.mulf %f, %h : tensor<32xf32>
    %j = arith.truncf %i : tensor<32xf32> to tensor<32xbf16>
    %k = arith.mulf %j, %c : tensor<32xbf16>
    sinter.yield %k : tensor<32xbf16>
  }
  %y = sinter.rowwise (i = 64) by (k = 32) ins(%w[i, k] : tensor<64x32xbf16>, %s[k] : tensor<32xbf16>) outs(%d[i] : tensor<64xf32>) {
  ^row(%a: tensor<32xbf16>, %b: tensor<32xbf16>):
    %p = arith.extf %a : tensor<32xbf16> to tensor<32xf32>
    %q = arith.extf %b : tensor<32xbf16> to tensor<32xf32>
    %m = arith.mulf %p, %q : tensor<32xf32>
    %z = sinter.row_reduce add %m : tensor<32xf32> -> f32
    sinter.yield %z : f32
  }
  return %y : tensor<64xf32>
}

// -----

// Of fewer columns it does not matter, nor where nothing is rounded.

// AGGRESSIVE-LABEL: func @rounded_for_few_columns
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// AGGRESSIVE: return
// MEDIUM-LABEL: func @rounded_for_few_columns
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
// GPU-LABEL: func @rounded_for_few_columns
// GPU-COUNT-1: sinter.rowwise
// GPU-NOT: sinter.rowwise
// GPU: return
func.func @rounded_for_few_columns(%x: tensor<32xbf16>, %r: tensor<f32>, %g: tensor<32xbf16>, %w: tensor<63x32xbf16>) -> tensor<63xf32> {
  %e = tensor.empty() : tensor<32xbf16>
  %d = tensor.empty() : tensor<63xf32>
  %s = sinter.rowwise () by (k = 32) ins(%x[k] : tensor<32xbf16>, %r[] : tensor<f32>, %g[k] : tensor<32xbf16>) outs(%e[k] : tensor<32xbf16>) {
  ^row(%a: tensor<32xbf16>, %b: f32, %c: tensor<32xbf16>):
    %f = arith.extf %a : tensor<32xbf16> to tensor<32xf32>
    %h = sinter.broadcast %b : f32 -> tensor<32xf32>
    %i = arith.mulf %f, %h : tensor<32xf32>
    %j = arith.truncf %i : tensor<32xf32> to tensor<32xbf16>
    %k = arith.mulf %j, %c : tensor<32xbf16>
    sinter.yield %k : tensor<32xbf16>
  }
  %y = sinter.rowwise (i = 63) by (k = 32) ins(%w[i, k] : tensor<63x32xbf16>, %s[k] : tensor<32xbf16>) outs(%d[i] : tensor<63xf32>) {
  ^row(%a: tensor<32xbf16>, %b: tensor<32xbf16>):
    %p = arith.extf %a : tensor<32xbf16> to tensor<32xf32>
    %q = arith.extf %b : tensor<32xbf16> to tensor<32xf32>
    %m = arith.mulf %p, %q : tensor<32xf32>
    %z = sinter.row_reduce add %m : tensor<32xf32> -> f32
    sinter.yield %z : f32
  }
  return %y : tensor<63xf32>
}

// -----

// AGGRESSIVE-LABEL: func @light_for_each_column
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// AGGRESSIVE: return
// MEDIUM-LABEL: func @light_for_each_column
// MEDIUM-COUNT-1: sinter.rowwise
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
// GPU-LABEL: func @light_for_each_column
// GPU-COUNT-1: sinter.rowwise
// GPU-NOT: sinter.rowwise
// GPU: return
func.func @light_for_each_column(%x: tensor<32xf32>, %r: tensor<f32>, %g: tensor<32xf32>, %w: tensor<64x32xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<32xf32>
  %d = tensor.empty() : tensor<64xf32>
  %s = sinter.rowwise () by (k = 32) ins(%x[k] : tensor<32xf32>, %r[] : tensor<f32>, %g[k] : tensor<32xf32>) outs(%e[k] : tensor<32xf32>) {
  ^row(%a: tensor<32xf32>, %b: f32, %c: tensor<32xf32>):
    %h = sinter.broadcast %b : f32 -> tensor<32xf32>
    %i = arith.mulf %a, %h : tensor<32xf32>
    %j = arith.addf %i, %c : tensor<32xf32>
    %k = arith.mulf %j, %c : tensor<32xf32>
    %l = arith.addf %k, %a : tensor<32xf32>
    sinter.yield %l : tensor<32xf32>
  }
  %y = sinter.rowwise (i = 64) by (k = 32) ins(%w[i, k] : tensor<64x32xf32>, %s[k] : tensor<32xf32>) outs(%d[i] : tensor<64xf32>) {
  ^row(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %p = arith.negf %a : tensor<32xf32>
    %q = arith.negf %b : tensor<32xf32>
    %m = arith.mulf %p, %q : tensor<32xf32>
    %z = sinter.row_reduce add %m : tensor<32xf32> -> f32
    sinter.yield %z : f32
  }
  return %y : tensor<64xf32>
}

// -----

// A GPU, too, computes a norm once for 8192 columns: again for each of them takes longer than a kernel.

// AGGRESSIVE-LABEL: func @rounded_for_many_columns
// AGGRESSIVE-COUNT-2: sinter.rowwise
// AGGRESSIVE: return
// MEDIUM-LABEL: func @rounded_for_many_columns
// MEDIUM-COUNT-2: sinter.rowwise
// MEDIUM: return
// GPU-LABEL: func @rounded_for_many_columns
// GPU-COUNT-2: sinter.rowwise
// GPU: return
func.func @rounded_for_many_columns(%x: tensor<2048xbf16>, %r: tensor<f32>, %g: tensor<2048xbf16>, %w: tensor<8192x2048xbf16>) -> tensor<8192xf32> {
  %e = tensor.empty() : tensor<2048xbf16>
  %d = tensor.empty() : tensor<8192xf32>
  %s = sinter.rowwise () by (k = 2048) ins(%x[k] : tensor<2048xbf16>, %r[] : tensor<f32>, %g[k] : tensor<2048xbf16>) outs(%e[k] : tensor<2048xbf16>) {
  ^row(%a: tensor<2048xbf16>, %b: f32, %c: tensor<2048xbf16>):
    %f = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
    %h = sinter.broadcast %b : f32 -> tensor<2048xf32>
    %i = arith.mulf %f, %h : tensor<2048xf32>
    %j = arith.truncf %i : tensor<2048xf32> to tensor<2048xbf16>
    %k = arith.mulf %j, %c : tensor<2048xbf16>
    sinter.yield %k : tensor<2048xbf16>
  }
  %y = sinter.rowwise (i = 8192) by (k = 2048) ins(%w[i, k] : tensor<8192x2048xbf16>, %s[k] : tensor<2048xbf16>) outs(%d[i] : tensor<8192xf32>) {
  ^row(%a: tensor<2048xbf16>, %b: tensor<2048xbf16>):
    %p = arith.extf %a : tensor<2048xbf16> to tensor<2048xf32>
    %q = arith.extf %b : tensor<2048xbf16> to tensor<2048xf32>
    %m = arith.mulf %p, %q : tensor<2048xf32>
    %z = sinter.row_reduce add %m : tensor<2048xf32> -> f32
    sinter.yield %z : f32
  }
  return %y : tensor<8192xf32>
}

// -----

// Two halves of a table, each read by one kernel: what each makes of it nobody makes again, whatever the policy.

// AGGRESSIVE-LABEL: func @halves
// AGGRESSIVE-NOT: 8x64xf32
// AGGRESSIVE: return
// MEDIUM-LABEL: func @halves
// MEDIUM: sinter.rowwise (i = 8) by (j = 32)
// MEDIUM: math.exp
// MEDIUM: math.exp
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
func.func @halves(%x: tensor<64xf32>, %c: tensor<8xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %e = tensor.empty() : tensor<8x64xf32>
  %a = tensor.empty() : tensor<8x32xf32>
  %s = sinter.rowwise (i = 8) by (j = 64) ins(%x[j] : tensor<64xf32>, %c[i] : tensor<8xf32>) outs(%e[i, j] : tensor<8x64xf32>) {
  ^row(%r: tensor<64xf32>, %q: f32):
    %b = sinter.broadcast %q : f32 -> tensor<64xf32>
    %m = arith.mulf %r, %b : tensor<64xf32>
    %o = math.exp %m : tensor<64xf32>
    sinter.yield %o : tensor<64xf32>
  }
  %y = sinter.rowwise (i = 8) by (j = 32) ins(%s[i, j] : tensor<8x64xf32>) outs(%a[i, j] : tensor<8x32xf32>) {
  ^row(%r: tensor<32xf32>):
    %o = arith.addf %r, %r : tensor<32xf32>
    sinter.yield %o : tensor<32xf32>
  }
  %z = sinter.rowwise (i = 8) by (j = 32) ins(%s[i, j + 32] : tensor<8x64xf32>) outs(%a[i, j] : tensor<8x32xf32>) {
  ^row(%r: tensor<32xf32>):
    %o = arith.mulf %r, %r : tensor<32xf32>
    sinter.yield %o : tensor<32xf32>
  }
  return %y, %z : tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// Vectors of exponentials would be one for each row of another kernel, number by number: a few are, many are not, and
// a root is an instruction. A GPU has a thread for each.

// AGGRESSIVE-LABEL: func @number_by_number
// AGGRESSIVE-COUNT-2: sinter.rowwise
// AGGRESSIVE: return
// MEDIUM-LABEL: func @number_by_number
// MEDIUM: math.exp %{{.*}} : tensor<512xf32>
// MEDIUM: sinter.rowwise
// MEDIUM: return
// MEDIUM-LABEL: func @few_numbers
// MEDIUM: math.exp %{{.*}} : f32
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
// MEDIUM-LABEL: func @roots
// MEDIUM: math.sqrt %{{.*}} : f32
// MEDIUM-NOT: sinter.rowwise
// MEDIUM: return
// GPU-LABEL: func @number_by_number
// GPU-COUNT-1: sinter.rowwise
// GPU-NOT: sinter.rowwise
// GPU: return
func.func @number_by_number(%x: tensor<3x512xf32>, %w: tensor<3x4xf32>) -> tensor<3x512x4xf32> {
  %e = tensor.empty() : tensor<3x512xf32>
  %d = tensor.empty() : tensor<3x512x4xf32>
  %s = sinter.rowwise (i = 3) by (j = 512) ins(%x[i, j] : tensor<3x512xf32>) outs(%e[i, j] : tensor<3x512xf32>) {
  ^row(%r: tensor<512xf32>):
    %o = math.exp %r : tensor<512xf32>
    sinter.yield %o : tensor<512xf32>
  }
  %y = sinter.rowwise (i = 3, j = 512) by (k = 4)
      ins(%s[i, j] : tensor<3x512xf32>, %w[i, k] : tensor<3x4xf32>) outs(%d[i, j, k] : tensor<3x512x4xf32>) {
  ^row(%r: f32, %q: tensor<4xf32>):
    %b = sinter.broadcast %r : f32 -> tensor<4xf32>
    %o = arith.mulf %b, %q : tensor<4xf32>
    sinter.yield %o : tensor<4xf32>
  }
  return %y : tensor<3x512x4xf32>
}
func.func @few_numbers(%x: tensor<3x150xf32>, %w: tensor<3x4xf32>) -> tensor<3x150x4xf32> {
  %e = tensor.empty() : tensor<3x150xf32>
  %d = tensor.empty() : tensor<3x150x4xf32>
  %s = sinter.rowwise (i = 3) by (j = 150) ins(%x[i, j] : tensor<3x150xf32>) outs(%e[i, j] : tensor<3x150xf32>) {
  ^row(%r: tensor<150xf32>):
    %o = math.exp %r : tensor<150xf32>
    sinter.yield %o : tensor<150xf32>
  }
  %y = sinter.rowwise (i = 3, j = 150) by (k = 4)
      ins(%s[i, j] : tensor<3x150xf32>, %w[i, k] : tensor<3x4xf32>) outs(%d[i, j, k] : tensor<3x150x4xf32>) {
  ^row(%r: f32, %q: tensor<4xf32>):
    %b = sinter.broadcast %r : f32 -> tensor<4xf32>
    %o = arith.mulf %b, %q : tensor<4xf32>
    sinter.yield %o : tensor<4xf32>
  }
  return %y : tensor<3x150x4xf32>
}
func.func @roots(%x: tensor<3x512xf32>, %w: tensor<3x4xf32>) -> tensor<3x512x4xf32> {
  %e = tensor.empty() : tensor<3x512xf32>
  %d = tensor.empty() : tensor<3x512x4xf32>
  %s = sinter.rowwise (i = 3) by (j = 512) ins(%x[i, j] : tensor<3x512xf32>) outs(%e[i, j] : tensor<3x512xf32>) {
  ^row(%r: tensor<512xf32>):
    %o = math.sqrt %r : tensor<512xf32>
    sinter.yield %o : tensor<512xf32>
  }
  %y = sinter.rowwise (i = 3, j = 512) by (k = 4)
      ins(%s[i, j] : tensor<3x512xf32>, %w[i, k] : tensor<3x4xf32>) outs(%d[i, j, k] : tensor<3x512x4xf32>) {
  ^row(%r: f32, %q: tensor<4xf32>):
    %b = sinter.broadcast %r : f32 -> tensor<4xf32>
    %o = arith.mulf %b, %q : tensor<4xf32>
    sinter.yield %o : tensor<4xf32>
  }
  return %y : tensor<3x512x4xf32>
}

// -----

// A GPU multiplies two rows by the same weights apart, each as a row's sum: a kernel of both would go through the
// weights twice, by tiles of one row. The same row by two weights is one kernel.

// AGGRESSIVE-LABEL: func @rows_apart
// MEDIUM-LABEL: func @rows_apart
// MEDIUM: return
// GPU-LABEL: func @rows_apart
// GPU-COUNT-2: sinter.contract
// GPU: return
func.func @rows_apart(%x: tensor<2x32xf32>, %w: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %y = sinter.contract () by (j = 64) product (k = 32) (%x[0, k] : tensor<2x32xf32>, %w[j, k] : tensor<64x32xf32>) : f32
      outs(%e[j] : tensor<64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract () by (j = 64) product (k = 32) (%x[1, k] : tensor<2x32xf32>, %w[j, k] : tensor<64x32xf32>) : f32
      outs(%e[j] : tensor<64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// -----

// AGGRESSIVE-LABEL: func @one_row
// MEDIUM-LABEL: func @one_row
// GPU-LABEL: func @one_row
// GPU-COUNT-1: sinter.contract
// GPU-NOT: sinter.contract
// GPU: return
func.func @one_row(%x: tensor<2x32xf32>, %w: tensor<64x32xf32>, %v: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %y = sinter.contract () by (j = 64) product (k = 32) (%x[0, k] : tensor<2x32xf32>, %w[j, k] : tensor<64x32xf32>) : f32
      outs(%e[j] : tensor<64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  %z = sinter.contract () by (j = 64) product (k = 32) (%x[0, k] : tensor<2x32xf32>, %v[j, k] : tensor<64x32xf32>) : f32
      outs(%e[j] : tensor<64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// -----

// Of rows of four columns a vector has half its lanes idle: an exponential for each of two batches takes longer than a
// kernel of all of them.

// AGGRESSIVE-LABEL: func @rows_of_four
// AGGRESSIVE-COUNT-2: sinter.rowwise
// AGGRESSIVE: return
// AGGRESSIVE-LABEL: func @rows_of_eight
// AGGRESSIVE-COUNT-1: sinter.rowwise
// AGGRESSIVE-NOT: sinter.rowwise
// AGGRESSIVE: return
func.func @rows_of_four(%x: tensor<2x32x4xf32>, %b: tensor<32x4xf32>) -> tensor<2x32x4xf32> {
  %e = tensor.empty() : tensor<32x4xf32>
  %d = tensor.empty() : tensor<2x32x4xf32>
  %s = sinter.rowwise (i = 32) by (j = 4) ins(%b[i, j] : tensor<32x4xf32>) outs(%e[i, j] : tensor<32x4xf32>) {
  ^row(%r: tensor<4xf32>):
    %c = math.exp %r : tensor<4xf32>
    sinter.yield %c : tensor<4xf32>
  }
  %y = sinter.rowwise (n = 2, i = 32) by (j = 4)
      ins(%x[n, i, j] : tensor<2x32x4xf32>, %s[i, j] : tensor<32x4xf32>) outs(%d[n, i, j] : tensor<2x32x4xf32>) {
  ^row(%r: tensor<4xf32>, %q: tensor<4xf32>):
    %c = arith.mulf %r, %q : tensor<4xf32>
    sinter.yield %c : tensor<4xf32>
  }
  return %y : tensor<2x32x4xf32>
}
func.func @rows_of_eight(%x: tensor<2x32x8xf32>, %b: tensor<32x8xf32>) -> tensor<2x32x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %d = tensor.empty() : tensor<2x32x8xf32>
  %s = sinter.rowwise (i = 32) by (j = 8) ins(%b[i, j] : tensor<32x8xf32>) outs(%e[i, j] : tensor<32x8xf32>) {
  ^row(%r: tensor<8xf32>):
    %c = math.exp %r : tensor<8xf32>
    sinter.yield %c : tensor<8xf32>
  }
  %y = sinter.rowwise (n = 2, i = 32) by (j = 8)
      ins(%x[n, i, j] : tensor<2x32x8xf32>, %s[i, j] : tensor<32x8xf32>) outs(%d[n, i, j] : tensor<2x32x8xf32>) {
  ^row(%r: tensor<8xf32>, %q: tensor<8xf32>):
    %c = arith.mulf %r, %q : tensor<8xf32>
    sinter.yield %c : tensor<8xf32>
  }
  return %y : tensor<2x32x8xf32>
}
