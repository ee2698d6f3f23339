// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=cpu output=-})' %s -o /dev/null | FileCheck %s
// RUN: sinter-opt --sinter-schedule=target=cpu %s | FileCheck %s --check-prefix=TAKEN
// RUN: sinter-run %s --explain | FileCheck %s --check-prefix=ROAD

// The same table on a CPU: rows a block of their columns at a time, or whole, or products apart.

// CHECK-LABEL: window:
// CHECK:         ways to run it, the first that applies is taken:
// CHECK-NEXT:      as "streamed" ({{.+}}): #sinter.brgemm<{{.*}}stream = 256, strip = 64
// CHECK-NEXT:      or "whole rows" (
// CHECK-NEXT:      or "apart" (
// CHECK-NEXT:    blocks without columns that the mask leaves are not made: none below i - 100, none from i + 1 on
// TAKEN-LABEL: func.func @window
// TAKEN:         stream = 256, strip = 64
// ROAD-LABEL: window:
// ROAD:            as "streamed" ({{.+}}): #sinter.brgemm<
// ROAD:          none below i - 100, none from i + 1 on
func.func @window(%q: tensor<64x1024x64xbf16>, %k: tensor<64x1024x64xbf16>, %v: tensor<64x1024x64xbf16>, %y: tensor<64x1024x64xf32>) -> tensor<64x1024x64xf32> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 1024) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<64x1024x64xbf16>, %k[h, j, k] : tensor<64x1024x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x1024x64xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x64xf32>) {
  ^row(%x: tensor<1024xf32>, %m: tensor<1024x64xbf16>):
    %inf = arith.constant 0xFF800000 : f32
    %infs = sinter.broadcast %inf : f32 -> tensor<1024xf32>
    %j = sinter.index j : tensor<1024xindex>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<1024xindex>
    %later = arith.cmpi sgt, %j, %is : tensor<1024xindex>
    %c = arith.select %later, %infs, %x : tensor<1024xi1>, tensor<1024xf32>
    %n = arith.constant 100 : index
    %from = arith.subi %i, %n : index
    %froms = sinter.broadcast %from : index -> tensor<1024xindex>
    %far = arith.cmpi slt, %j, %froms : tensor<1024xindex>
    %s = arith.select %far, %infs, %c : tensor<1024xi1>, tensor<1024xf32>
    %max = sinter.row_reduce maximumf %s : tensor<1024xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<1024xf32>
    %less = arith.subf %s, %maxs : tensor<1024xf32>
    %ex = math.exp %less : tensor<1024xf32>
    %sum = sinter.row_reduce add %ex : tensor<1024xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<1024xf32>
    %w = arith.mulf %ex, %bys : tensor<1024xf32>
    %r = arith.truncf %w : tensor<1024xf32> to tensor<1024xbf16>
    %u = sinter.row_product %r, %m : tensor<1024xbf16>, tensor<1024x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<64x1024x64xf32>
}

// CHECK-LABEL: centred:
// CHECK:           not "streamed" ({{.+}}): what is multiplied again is known at the row's end, and no softmax
// CHECK-NEXT:      as "whole rows" ({{.+}}): #sinter.brgemm<
// CHECK-NEXT:      or "apart" (
// CHECK-NOT:     blocks without columns
func.func @centred(%q: tensor<1x512x64xbf16>, %k: tensor<1x64x64xbf16>, %v: tensor<1x64x64xbf16>, %y: tensor<1x512x64xf32>) -> tensor<1x512x64xf32> {
  %0 = sinter.contract (h = 1, i = 512) by (j = 64) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<1x512x64xbf16>, %k[h, j, k] : tensor<1x64x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<1x64x64xbf16>)
      outs(%y[h, i, e] : tensor<1x512x64xf32>) {
  ^row(%x: tensor<64xf32>, %m: tensor<64x64xbf16>):
    %n = arith.constant 3.0 : f32
    %all = sinter.row_reduce add %x : tensor<64xf32> -> f32
    %mean = arith.divf %all, %n : f32
    %means = sinter.broadcast %mean : f32 -> tensor<64xf32>
    %c = arith.subf %x, %means : tensor<64xf32>
    %r = arith.truncf %c : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<1x512x64xf32>
}

// CHECK-LABEL: waits:
// CHECK:           not "streamed" ({{.+}}): a reduction waits for another, and is no sum under its maximum
func.func @waits(%q: tensor<1x512x64xbf16>, %k: tensor<1x64x64xbf16>, %v: tensor<1x64x64xbf16>, %y: tensor<1x512x64xf32>) -> tensor<1x512x64xf32> {
  %0 = sinter.contract (h = 1, i = 512) by (j = 64) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<1x512x64xbf16>, %k[h, j, k] : tensor<1x64x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<1x64x64xbf16>)
      outs(%y[h, i, e] : tensor<1x512x64xf32>) {
  ^row(%x: tensor<64xf32>, %m: tensor<64x64xbf16>):
    %all = sinter.row_reduce add %x : tensor<64xf32> -> f32
    %alls = sinter.broadcast %all : f32 -> tensor<64xf32>
    %c = arith.subf %x, %alls : tensor<64xf32>
    %more = sinter.row_reduce maximumf %c : tensor<64xf32> -> f32
    %r = arith.truncf %c : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<1x512x64xf32>
}

// CHECK-LABEL: picks:
// CHECK:           not "streamed" ({{.+}}): one of its elements is asked for
func.func @picks(%q: tensor<1x512x64xbf16>, %k: tensor<1x64x64xbf16>, %v: tensor<1x64x64xbf16>, %y: tensor<1x512x64xf32>) -> tensor<1x512x64xf32> {
  %0 = sinter.contract (h = 1, i = 512) by (j = 64) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<1x512x64xbf16>, %k[h, j, k] : tensor<1x64x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<1x64x64xbf16>)
      outs(%y[h, i, e] : tensor<1x512x64xf32>) {
  ^row(%x: tensor<64xf32>, %m: tensor<64x64xbf16>):
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2 : index
    %p = sinter.pick %x[%two] else %zero : tensor<64xf32>, index
    %ps = sinter.broadcast %p : f32 -> tensor<64xf32>
    %c = arith.subf %x, %ps : tensor<64xf32>
    %r = arith.truncf %c : tensor<64xf32> to tensor<64xbf16>
    %u = sinter.row_product %r, %m : tensor<64xbf16>, tensor<64x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<1x512x64xf32>
}
