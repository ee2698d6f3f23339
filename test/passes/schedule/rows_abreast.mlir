// RUN: sinter-opt --sinter-schedule='target=cpu prefetch=8192' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule='target=cpu' --split-input-file %s | FileCheck %s --check-prefix=ALONE

// Rows from memory that are only added up come two at a time, where a processor is asked ahead; else by themselves.

// ALONE-NOT: abreast

// A product of one row.

// CHECK-LABEL: func @dot
//       CHECK: schedule(#sinter.rows<abreast = 2, chunk = 16, lanes = 16, plain = 2, prefetch = 8192, residency = "reread", unroll = 2>)
func.func @dot(%x: tensor<2048x1024xf32>, %v: tensor<1024xf32>) -> tensor<2048xf32> {
  %e = tensor.empty() : tensor<2048xf32>
  %y = sinter.rowwise (i = 2048) by (j = 1024) ins(%x[i, j] : tensor<2048x1024xf32>, %v[j] : tensor<1024xf32>)
      outs(%e[i] : tensor<2048xf32>) {
  ^row(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %p = arith.mulf %a, %b : tensor<1024xf32>
    %s = sinter.row_reduce add %p : tensor<1024xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<2048xf32>
}

// -----

// Rows that stay in a cache.

// CHECK-LABEL: func @near
//   CHECK-NOT: abreast
//       CHECK: schedule(
func.func @near(%x: tensor<512x1024xf32>, %v: tensor<1024xf32>) -> tensor<512xf32> {
  %e = tensor.empty() : tensor<512xf32>
  %y = sinter.rowwise (i = 512) by (j = 1024) ins(%x[i, j] : tensor<512x1024xf32>, %v[j] : tensor<1024xf32>)
      outs(%e[i] : tensor<512xf32>) {
  ^row(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %p = arith.mulf %a, %b : tensor<1024xf32>
    %s = sinter.row_reduce add %p : tensor<1024xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<512xf32>
}

// -----

// Rows of less than a page.

// CHECK-LABEL: func @narrow
//   CHECK-NOT: abreast
//       CHECK: schedule(
func.func @narrow(%x: tensor<16384x512xf32>, %v: tensor<512xf32>) -> tensor<16384xf32> {
  %e = tensor.empty() : tensor<16384xf32>
  %y = sinter.rowwise (i = 16384) by (j = 512) ins(%x[i, j] : tensor<16384x512xf32>, %v[j] : tensor<512xf32>)
      outs(%e[i] : tensor<16384xf32>) {
  ^row(%a: tensor<512xf32>, %b: tensor<512xf32>):
    %p = arith.mulf %a, %b : tensor<512xf32>
    %s = sinter.row_reduce add %p : tensor<512xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<16384xf32>
}

// -----

// Functions take longer than reading.

// CHECK-LABEL: func @functions
//   CHECK-NOT: abreast
//       CHECK: schedule(
func.func @functions(%x: tensor<2048x1024xf32>, %v: tensor<1024xf32>) -> tensor<2048xf32> {
  %e = tensor.empty() : tensor<2048xf32>
  %y = sinter.rowwise (i = 2048) by (j = 1024) ins(%x[i, j] : tensor<2048x1024xf32>, %v[j] : tensor<1024xf32>)
      outs(%e[i] : tensor<2048xf32>) {
  ^row(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %p = math.exp %a : tensor<1024xf32>
    %s = sinter.row_reduce add %p : tensor<1024xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<2048xf32>
}

// -----

// A row has a vector more.

// CHECK-LABEL: func @odd
//   CHECK-NOT: abreast
//       CHECK: schedule(
func.func @odd(%x: tensor<2048x1040xf32>, %v: tensor<1040xf32>) -> tensor<2048xf32> {
  %e = tensor.empty() : tensor<2048xf32>
  %y = sinter.rowwise (i = 2048) by (j = 1040) ins(%x[i, j] : tensor<2048x1040xf32>, %v[j] : tensor<1040xf32>)
      outs(%e[i] : tensor<2048xf32>) {
  ^row(%a: tensor<1040xf32>, %b: tensor<1040xf32>):
    %p = arith.mulf %a, %b : tensor<1040xf32>
    %s = sinter.row_reduce add %p : tensor<1040xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<2048xf32>
}
