// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --split-input-file %s | FileCheck %s

// One row by large weights: its columns are the tasks, and weights are read where they lie.

// CHECK-LABEL: func @one_row
//       CHECK: schedule(#sinter.brgemm<columns = 256, k = 4096, kernel = "inner512", lanes = 16, m = 1, n = 64, tasks = 64, unroll = 1>)
func.func @one_row(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %e = tensor.empty() : tensor<1x4096xf32>
  %y = sinter.contract (i = 1) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<1x4096xf32>, %w[j, k] : tensor<4096x4096xf32>) : f32
      outs(%e[i, j] : tensor<1x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<1x4096xf32>
}

// -----

// Not where something is reduced over the row.

// CHECK-LABEL: func @reduced
//   CHECK-NOT: columns
//       CHECK: schedule(#sinter.brgemm<k = 4096, kernel = "inner512"
func.func @reduced(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %y = sinter.contract (i = 1) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<1x4096xf32>, %w[j, k] : tensor<4096x4096xf32>) : f32
      outs(%e[i] : tensor<1xf32>) {
  ^row(%a: tensor<4096xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<4096xf32> -> f32
    sinter.yield %m : f32
  }
  return %y : tensor<1xf32>
}

// -----

// A convolution's output channels are one block for each image: the panel of its input is packed once.

// CHECK-LABEL: func @channels
//       CHECK: schedule(#sinter.brgemm<k = 27, kernel = "libxsmm", lanes = 16, m = 96, n = 64, tasks = 64, unroll = 1>)
func.func @channels(%w: tensor<96x3x3x3xf32>, %x: tensor<32x3x34x34xf32>) -> tensor<32x96x32x32xf32> {
  %e = tensor.empty() : tensor<32x96x32x32xf32>
  %y = sinter.contract (b = 32, f = 96) by (h = 32, w = 32) product (c = 3, m = 3, n = 3)
      (%w[f, c, m, n] : tensor<96x3x3x3xf32>, %x[b, c, h + m, w + n] : tensor<32x3x34x34xf32>) : f32
      outs(%e[b, f, h, w] : tensor<32x96x32x32xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<32x96x32x32xf32>
}

// -----

// Rows of both dimensions count as one: 896 of them.

// CHECK-LABEL: func @sequences
//       CHECK: schedule(#sinter.brgemm<k = 64, kernel = "libxsmm", lanes = 16, m = 224, n = 64, tasks = 28, unroll = 1>)
func.func @sequences(%x: tensor<128x7x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x7x64xf32> {
  %e = tensor.empty() : tensor<128x7x64xf32>
  %y = sinter.contract (b = 128, s = 7) by (j = 64) product (k = 64) (%x[b, s, k] : tensor<128x7x64xf32>, %w[k, j] : tensor<64x64xf32>) : f32
      outs(%e[b, s, j] : tensor<128x7x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y : tensor<128x7x64xf32>
}

// -----

// Rows that are computed are computed again for each part of the columns: parts are fewer, the more that takes. The
// micro-kernel is for what the side's program gives.

// CHECK-LABEL: func @computed_rows
//       CHECK: schedule(#sinter.brgemm<columns = 512, k = 256, kernel = "libxsmm",
func.func @computed_rows(%x: tensor<128x1024xf64>, %w: tensor<1024x1024xf32>) -> tensor<128x1024xf32> {
  %e = tensor.empty() : tensor<128x1024xf32>
  %y = sinter.contract (i = 128) by (j = 1024)
      product (k = 1024) (side(%x[i, k] : tensor<128x1024xf64>) {
      ^side(%a: tensor<1024xf64>):
        %b = arith.truncf %a : tensor<1024xf64> to tensor<1024xf32>
        %c = math.tanh %b : tensor<1024xf32>
        sinter.yield %c : tensor<1024xf32>
      }, %w[j, k] : tensor<1024x1024xf32>) : f32
      outs(%e[i, j] : tensor<128x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<128x1024xf32>
}

// -----

// Wide weights [k, j]: eight panels are packed together, of fewer rows, so that less of the time goes to finding pages.

// CHECK-LABEL: func @far_weights
//       CHECK: columns = 512, k = 128, kernel = "libxsmm", {{.*}} n = 64, panels = 8, sums = 512
func.func @far_weights(%x: tensor<512x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<512x4096xf32> {
  %e = tensor.empty() : tensor<512x4096xf32>
  %y = sinter.contract (i = 512) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<512x4096xf32>, %w[k, j] : tensor<4096x4096xf32>) : f32
      outs(%e[i, j] : tensor<512x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<512x4096xf32>
}

// -----

// Rows of a page are found as fast: their panels are packed one by one.

// CHECK-LABEL: func @near_weights
//   CHECK-NOT: panels
//       CHECK: k = 256, kernel = "libxsmm"
func.func @near_weights(%x: tensor<512x4096xf32>, %w: tensor<4096x1024xf32>) -> tensor<512x1024xf32> {
  %e = tensor.empty() : tensor<512x1024xf32>
  %y = sinter.contract (i = 512) by (j = 1024) product (k = 4096) (%x[i, k] : tensor<512x4096xf32>, %w[k, j] : tensor<4096x1024xf32>) : f32
      outs(%e[i, j] : tensor<512x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<512x1024xf32>
}

// -----

// Weights of whole numbers are read where they lie by few rows, and converted.

// CHECK-LABEL: func @whole_numbers
//       CHECK: kernel = "inner512"
func.func @whole_numbers(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<1x4096xf32> {
  %e = tensor.empty() : tensor<1x4096xf32>
  %y = sinter.contract (i = 1) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<1x4096xbf16>, side(%w[j, k] : tensor<4096x4096xi8>) {
      ^side(%q: tensor<4096xi8>):
        %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xbf16>
        sinter.yield %f : tensor<4096xbf16>
      }) : f32 outs(%e[i, j] : tensor<1x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<1x4096xf32>
}

// CHECK-LABEL: func @eight_rows
//       CHECK: kernel = "inner512"
func.func @eight_rows(%x: tensor<8x4096xf16>, %w: tensor<4096x4096xi8>) -> tensor<8x4096xf32> {
  %e = tensor.empty() : tensor<8x4096xf32>
  %y = sinter.contract (i = 8) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<8x4096xf16>, side(%w[j, k] : tensor<4096x4096xi8>) {
      ^side(%q: tensor<4096xi8>):
        %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf16>
        sinter.yield %f : tensor<4096xf16>
      }) : f32 outs(%e[i, j] : tensor<8x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<8x4096xf32>
}

// But not numbers that the side's type rounds.

// CHECK-LABEL: func @rounded
//       CHECK: kernel = "{{[^i]}}
func.func @rounded(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi16>) -> tensor<1x4096xf32> {
  %e = tensor.empty() : tensor<1x4096xf32>
  %y = sinter.contract (i = 1) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<1x4096xbf16>, side(%w[j, k] : tensor<4096x4096xi16>) {
      ^side(%q: tensor<4096xi16>):
        %f = arith.sitofp %q : tensor<4096xi16> to tensor<4096xbf16>
        sinter.yield %f : tensor<4096xbf16>
      }) : f32 outs(%e[i, j] : tensor<1x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<1x4096xf32>
}

// -----

// Blocks of 128 rows or fewer are not halved where they make four tasks: each of them packs all weights.

// CHECK-LABEL: func @four_tasks
//       CHECK: schedule(#sinter.brgemm<columns = 64, k = 256, kernel = "libxsmm", lanes = 16, m = 110, n = 64,
func.func @four_tasks(%x: tensor<220x2368xf32>, %w: tensor<166x2368xf32>) -> tensor<220x166xf32> {
  %e = tensor.empty() : tensor<220x166xf32>
  %y = sinter.contract (i = 220) by (j = 166) product (k = 2368) (%x[i, k] : tensor<220x2368xf32>, %w[j, k] : tensor<166x2368xf32>) : f32
      outs(%e[i, j] : tensor<220x166xf32>) {
  ^row(%a: tensor<166xf32>):
    sinter.yield %a : tensor<166xf32>
  }
  return %y : tensor<220x166xf32>
}
