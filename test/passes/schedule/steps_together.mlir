// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma' --split-input-file %s | FileCheck %s --check-prefix=AVX2 --implicit-check-not=steps

// Half types two apart are loaded with what is between them, where there are masks of 16 bits.

// CHECK-LABEL: func @windows
//       CHECK: schedule(#sinter.rows<along = "rows", {{.*}}steps = "together"
//        AVX2: schedule(#sinter.rows<along = "rows"
func.func @windows(%x: tensor<4x40xbf16>) -> tensor<4x20xbf16> {
  %e = tensor.empty() : tensor<4x20xbf16>
  %y = sinter.rowwise (i = 4, j = 20) by (k = 2) ins(%x[i, j * 2 + k] : tensor<4x40xbf16>) outs(%e[i, j] : tensor<4x20xbf16>) {
  ^row(%a: tensor<2xbf16>):
    %t = sinter.row_reduce maximumf %a : tensor<2xbf16> -> bf16
    sinter.yield %t : bf16
  }
  return %y : tensor<4x20xbf16>
}

// -----

// So are floats: two registers of them are put together by one instruction.

// CHECK-LABEL: func @floats
//       CHECK: schedule(#sinter.rows<along = "rows", {{.*}}steps = "together"
func.func @floats(%x: tensor<4x40xf32>) -> tensor<4x20xf32> {
  %e = tensor.empty() : tensor<4x20xf32>
  %y = sinter.rowwise (i = 4, j = 20) by (k = 2) ins(%x[i, j * 2 + k] : tensor<4x40xf32>) outs(%e[i, j] : tensor<4x20xf32>) {
  ^row(%a: tensor<2xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<2xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<4x20xf32>
}

// -----

// So a long window of them has vectors of rows: columns would be lanes of a line of 7.

// CHECK-LABEL: func @long_windows
//       CHECK: schedule(#sinter.rows<along = "rows", {{.*}}lanes = 16, {{.*}}steps = "together", {{.*}}written_out = 49>)
//        AVX2: schedule(#sinter.rows<chunk = {{[0-9]+}}, lanes = 4, line = 1
func.func @long_windows(%x: tensor<14x27x76x76xbf16>, %w: tensor<27x7x7xbf16>) -> tensor<14x27x35x35xbf16> {
  %e = tensor.empty() : tensor<14x27x35x35xbf16>
  %y = sinter.rowwise (n = 14, c = 27, y = 35, x = 35) by (r = 7, s = 7)
      ins(%x[n, c, y * 2 + r, x * 2 + s] : tensor<14x27x76x76xbf16>, %w[c, r, s] : tensor<27x7x7xbf16>)
      outs(%e[n, c, y, x] : tensor<14x27x35x35xbf16>) {
  ^row(%a: tensor<49xbf16>, %b: tensor<49xbf16>):
    %u = arith.extf %a : tensor<49xbf16> to tensor<49xf32>
    %v = arith.extf %b : tensor<49xbf16> to tensor<49xf32>
    %p = arith.mulf %u, %v : tensor<49xf32>
    %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
    %q = arith.truncf %t : f32 to bf16
    sinter.yield %q : bf16
  }
  return %y : tensor<14x27x35x35xbf16>
}

// -----

// So are columns of a line of its own.

// CHECK-LABEL: func @line
//       CHECK: schedule(#sinter.rows<chunk = 29, lanes = 8, line = 1, residency = "reread", steps = "together"
func.func @line(%x: tensor<4x20x23x23xf32>, %g: tensor<4x20x12x12xf32>, %e: tensor<20x3x3xf32>) -> tensor<20x3x3xf32> {
  %0 = sinter.rowwise (c = 20, r = 3, s = 3) by (n = 4, h = 12, w = 12)
      ins(%x[n, c, h * 2 + r - 1, w * 2 + s - 1] : tensor<4x20x23x23xf32> else 0.0, %g[n, c, h, w] : tensor<4x20x12x12xf32>)
      outs(%e[c, r, s] : tensor<20x3x3xf32>) {
  ^row(%a: tensor<576xf32>, %b: tensor<576xf32>):
    %p = arith.mulf %a, %b : tensor<576xf32>
    %s = sinter.row_reduce add %p : tensor<576xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<20x3x3xf32>
}
