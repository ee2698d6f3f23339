// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse="policy=aggressive" --split-input-file %s | FileCheck %s --check-prefix=CPU
// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu remarks=true" --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=WHY

// A mask of i64 that fills a bias: ten bytes become two, which 32 heads read. Stored once; on a CPU it is made where it
// is read.

// WHY: remark: is made of wider elements, which 32 rows would each read again

// CHECK-LABEL: func @many_heads
//       CHECK:   %[[M:.+]] = sinter.rowwise (i = 512) by (j = 512)
//       CHECK:   sinter.contract (h = 32, i = 512) by (j = 512)
//       CHECK:   ins(%[[M]][i, j] : tensor<512x512xbf16>)
//   CPU-LABEL: func @many_heads
//     CPU-NOT:   sinter.rowwise
func.func @many_heads(%q: tensor<32x512x64xbf16>, %k: tensor<32x512x64xbf16>, %kept: tensor<512x512xi64>,
                      %bias: tensor<512x512xbf16>) -> tensor<32x512x512xf32> {
  %e = tensor.empty() : tensor<512x512xbf16>
  %f = tensor.empty() : tensor<32x512x512xf32>
  %m = sinter.rowwise (i = 512) by (j = 512)
      ins(%kept[i, j] : tensor<512x512xi64>, %bias[i, j] : tensor<512x512xbf16>) outs(%e[i, j] : tensor<512x512xbf16>) {
  ^row(%a: tensor<512xi64>, %b: tensor<512xbf16>):
    %zero = arith.constant 0 : i64
    %low = arith.constant 0xFF80 : bf16
    %zeros = sinter.broadcast %zero : i64 -> tensor<512xi64>
    %lows = sinter.broadcast %low : bf16 -> tensor<512xbf16>
    %is = arith.cmpi sgt, %a, %zeros : tensor<512xi64>
    %s = arith.select %is, %b, %lows : tensor<512xi1>, tensor<512xbf16>
    sinter.yield %s : tensor<512xbf16>
  }
  %y = sinter.contract (h = 32, i = 512) by (j = 512)
      product (k = 64) (%q[h, i, k] : tensor<32x512x64xbf16>, %k[h, j, k] : tensor<32x512x64xbf16>) : f32
      ins(%m[i, j] : tensor<512x512xbf16>) outs(%f[h, i, j] : tensor<32x512x512xf32>) {
  ^row(%p: tensor<512xf32>, %a: tensor<512xbf16>):
    %w = arith.extf %a : tensor<512xbf16> to tensor<512xf32>
    %s = arith.addf %p, %w : tensor<512xf32>
    sinter.yield %s : tensor<512xf32>
  }
  return %y : tensor<32x512x512xf32>
}

// -----

// A comparison alone, which is cheap to make again: it is a byte of eight.

// CHECK-LABEL: func @comparison
//       CHECK:   %[[M:.+]] = sinter.rowwise (i = 512) by (j = 512)
//       CHECK:   sinter.contract (h = 32, i = 512) by (j = 512)
//       CHECK:   ins(%[[M]][i, j] : tensor<512x512xi1>)
//   CPU-LABEL: func @comparison
//     CPU-NOT:   sinter.rowwise
func.func @comparison(%q: tensor<32x512x64xbf16>, %k: tensor<32x512x64xbf16>, %kept: tensor<512x512xi64>)
    -> tensor<32x512x512xf32> {
  %e = tensor.empty() : tensor<512x512xi1>
  %f = tensor.empty() : tensor<32x512x512xf32>
  %m = sinter.rowwise (i = 512) by (j = 512)
      ins(%kept[i, j] : tensor<512x512xi64>) outs(%e[i, j] : tensor<512x512xi1>) {
  ^row(%a: tensor<512xi64>):
    %zero = arith.constant 0 : i64
    %zeros = sinter.broadcast %zero : i64 -> tensor<512xi64>
    %is = arith.cmpi sgt, %a, %zeros : tensor<512xi64>
    sinter.yield %is : tensor<512xi1>
  }
  %y = sinter.contract (h = 32, i = 512) by (j = 512)
      product (k = 64) (%q[h, i, k] : tensor<32x512x64xbf16>, %k[h, j, k] : tensor<32x512x64xbf16>) : f32
      ins(%m[i, j] : tensor<512x512xi1>) outs(%f[h, i, j] : tensor<32x512x512xf32>) {
  ^row(%p: tensor<512xf32>, %a: tensor<512xi1>):
    %low = arith.constant 0xFF800000 : f32
    %lows = sinter.broadcast %low : f32 -> tensor<512xf32>
    %s = arith.select %a, %p, %lows : tensor<512xi1>, tensor<512xf32>
    sinter.yield %s : tensor<512xf32>
  }
  return %y : tensor<32x512x512xf32>
}

// -----

// Of few heads a launch takes longer than what they read again.

// CHECK-LABEL: func @few_heads
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   ins(%{{.+}}[i, j] : tensor<512x512xi64>)
func.func @few_heads(%q: tensor<4x512x64xbf16>, %k: tensor<4x512x64xbf16>, %kept: tensor<512x512xi64>)
    -> tensor<4x512x512xf32> {
  %e = tensor.empty() : tensor<512x512xi1>
  %f = tensor.empty() : tensor<4x512x512xf32>
  %m = sinter.rowwise (i = 512) by (j = 512)
      ins(%kept[i, j] : tensor<512x512xi64>) outs(%e[i, j] : tensor<512x512xi1>) {
  ^row(%a: tensor<512xi64>):
    %zero = arith.constant 0 : i64
    %zeros = sinter.broadcast %zero : i64 -> tensor<512xi64>
    %is = arith.cmpi sgt, %a, %zeros : tensor<512xi64>
    sinter.yield %is : tensor<512xi1>
  }
  %y = sinter.contract (h = 4, i = 512) by (j = 512)
      product (k = 64) (%q[h, i, k] : tensor<4x512x64xbf16>, %k[h, j, k] : tensor<4x512x64xbf16>) : f32
      ins(%m[i, j] : tensor<512x512xi1>) outs(%f[h, i, j] : tensor<4x512x512xf32>) {
  ^row(%p: tensor<512xf32>, %a: tensor<512xi1>):
    %low = arith.constant 0xFF800000 : f32
    %lows = sinter.broadcast %low : f32 -> tensor<512xf32>
    %s = arith.select %a, %p, %lows : tensor<512xi1>, tensor<512xf32>
    sinter.yield %s : tensor<512xf32>
  }
  return %y : tensor<4x512x512xf32>
}

// -----

// What is made of positions says which blocks are left out, and is never stored; nor is a number of each document.

// CHECK-LABEL: func @positions
//   CHECK-NOT:   sinter.rowwise
func.func @positions(%q: tensor<32x512x64xbf16>, %k: tensor<32x512x64xbf16>, %bias: tensor<512x512xf32>)
    -> tensor<32x512x512xf32> {
  %e = tensor.empty() : tensor<512x512xbf16>
  %f = tensor.empty() : tensor<32x512x512xf32>
  %m = sinter.rowwise (i = 512) by (j = 512)
      ins(%bias[i, j] : tensor<512x512xf32>) outs(%e[i, j] : tensor<512x512xbf16>) {
  ^row(%b: tensor<512xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<512xindex>
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %low = arith.constant 0xFF80 : bf16
    %lows = sinter.broadcast %low : bf16 -> tensor<512xbf16>
    %c = arith.cmpi ule, %j, %is : tensor<512xindex>
    %h = arith.truncf %b : tensor<512xf32> to tensor<512xbf16>
    %s = arith.select %c, %h, %lows : tensor<512xi1>, tensor<512xbf16>
    sinter.yield %s : tensor<512xbf16>
  }
  %y = sinter.contract (h = 32, i = 512) by (j = 512)
      product (k = 64) (%q[h, i, k] : tensor<32x512x64xbf16>, %k[h, j, k] : tensor<32x512x64xbf16>) : f32
      ins(%m[i, j] : tensor<512x512xbf16>) outs(%f[h, i, j] : tensor<32x512x512xf32>) {
  ^row(%p: tensor<512xf32>, %a: tensor<512xbf16>):
    %w = arith.extf %a : tensor<512xbf16> to tensor<512xf32>
    %s = arith.addf %p, %w : tensor<512xf32>
    sinter.yield %s : tensor<512xf32>
  }
  return %y : tensor<32x512x512xf32>
}

// -----

// CHECK-LABEL: func @documents
//   CHECK-NOT:   sinter.rowwise
func.func @documents(%q: tensor<32x512x64xbf16>, %k: tensor<32x512x64xbf16>, %d: tensor<512xi64>)
    -> tensor<32x512x512xf32> {
  %e = tensor.empty() : tensor<512x512xi1>
  %f = tensor.empty() : tensor<32x512x512xf32>
  %m = sinter.rowwise (i = 512) by (j = 512)
      ins(%d[i] : tensor<512xi64>, %d[j] : tensor<512xi64>) outs(%e[i, j] : tensor<512x512xi1>) {
  ^row(%a: i64, %b: tensor<512xi64>):
    %as = sinter.broadcast %a : i64 -> tensor<512xi64>
    %is = arith.cmpi eq, %as, %b : tensor<512xi64>
    sinter.yield %is : tensor<512xi1>
  }
  %y = sinter.contract (h = 32, i = 512) by (j = 512)
      product (k = 64) (%q[h, i, k] : tensor<32x512x64xbf16>, %k[h, j, k] : tensor<32x512x64xbf16>) : f32
      ins(%m[i, j] : tensor<512x512xi1>) outs(%f[h, i, j] : tensor<32x512x512xf32>) {
  ^row(%p: tensor<512xf32>, %a: tensor<512xi1>):
    %low = arith.constant 0xFF800000 : f32
    %lows = sinter.broadcast %low : f32 -> tensor<512xf32>
    %s = arith.select %a, %p, %lows : tensor<512xi1>, tensor<512xf32>
    sinter.yield %s : tensor<512xf32>
  }
  return %y : tensor<32x512x512xf32>
}
