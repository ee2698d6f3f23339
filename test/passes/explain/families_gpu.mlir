// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu output=-})' %s -o /dev/null | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu chip=sm_80 output=-})' %s -o /dev/null | FileCheck %s --check-prefix=OLDER
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu output=%t.html})' %s -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: not sinter-opt --pass-pipeline='builtin.module(sinter-explain{target=gpu chip=sm_12 output=-})' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{output=-})' %s -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: sinter-opt --sinter-schedule=target=gpu %s | FileCheck %s --check-prefix=TAKEN

// Rows that are multiplied again have a table of ways to run them. It is printed in order, each line with what it
// applies to, those in front of the one that is taken with why they do not.

// NONE-NOT: ways to run it
// CHIP: sm_12
// HTML: <pre>  ways to run it

// Registers and slots are enough for 128 columns. The schedule that is told is the one that is made.

// CHECK-LABEL: wide:
// CHECK:       kernel 0:
// CHECK-NEXT:    ways to run it, the first that applies is taken:
// CHECK-NEXT:      as "wgmma, 128 columns ahead" (sm_90a; {{.+}}): #sinter.mma<{{.*}}kernel = "wgmma", m = 192, n = 128, stages = 8, threads = 384, tiles = 2>
// CHECK-NEXT:      or "wgmma, 128 columns in turn" (sm_90a; {{.+}})
// CHECK-NEXT:      or "wgmma, 64 columns ahead" (sm_90a; {{.+}})
// CHECK-NEXT:      or "wgmma, 64 columns in turn" (sm_90a; {{.+}})
// CHECK-NEXT:      or "mma.sync" (sm_80; any access; {{.+}})
// CHECK-NEXT:      or "whole rows" (
// CHECK-NEXT:      or "apart" (anything: each product is a kernel)
// TAKEN-LABEL: func.func @wide
// TAKEN:         kernel = "wgmma", m = 192, n = 128, stages = 8, threads = 384
// OLDER-LABEL: wide:
// OLDER:           not "wgmma, 128 columns ahead" ({{.+}}): it needs sm_90a, and the chip is sm_80
// OLDER-NEXT:      not "wgmma, 128 columns in turn" ({{.+}}): it needs sm_90a, and the chip is sm_80
// OLDER-NEXT:      not "wgmma, 64 columns ahead" ({{.+}}): it needs sm_90a, and the chip is sm_80
// OLDER-NEXT:      not "wgmma, 64 columns in turn" ({{.+}}): it needs sm_90a, and the chip is sm_80
// OLDER-NEXT:      as "mma.sync" ({{.+}}): #sinter.mma<
// OLDER-NEXT:      or "whole rows"
func.func @wide(%q: tensor<64x1024x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>, %y: tensor<64x1024x64xf32>) -> tensor<64x1024x64xf32> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 512) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<64x1024x64xbf16>, %k[h, j, k] : tensor<64x512x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x512x64xbf16>)
      outs(%y[h, i, e] : tensor<64x1024x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>):
    %r = arith.truncf %x : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %r, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<64x1024x64xf32>
}

// CHECK-LABEL: large_heads:
// CHECK:           not "wgmma, 128 columns ahead" ({{.+}}): a thread would have 296 registers of 255
// CHECK-NEXT:      not "wgmma, 128 columns in turn" ({{.+}}): it has one result, or slots of its own for matrices
// CHECK-NEXT:      as "wgmma, 64 columns ahead" ({{.+}}): #sinter.mma<{{.*}}m = 64, n = 64
// CHECK-NEXT:      or "wgmma, 64 columns in turn"
// TAKEN-LABEL: func.func @large_heads
// TAKEN:         kernel = "wgmma", m = 64, n = 64
func.func @large_heads(%q: tensor<4x64x256xbf16>, %k: tensor<4x512x256xbf16>, %v: tensor<4x512x256xbf16>, %y: tensor<4x64x256xf32>) -> tensor<4x64x256xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 512) by (e = 256)
      product (k = 256) (%q[h, i, k] : tensor<4x64x256xbf16>, %k[h, j, k] : tensor<4x512x256xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x512x256xbf16>)
      outs(%y[h, i, e] : tensor<4x64x256xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x256xbf16>):
    %r = arith.truncf %x : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %r, %m : tensor<512xbf16>, tensor<512x256xbf16> -> tensor<256xf32>
    sinter.yield %u : tensor<256xf32>
  }
  return %0 : tensor<4x64x256xf32>
}

// CHECK-LABEL: short:
// CHECK:           not "wgmma, 128 columns ahead" ({{.+}}): its rows have 60 columns
// CHECK-NEXT:      not "wgmma, 128 columns in turn" ({{.+}}): its rows have 60 columns
// CHECK-NEXT:      as "wgmma, 64 columns ahead"
func.func @short(%q: tensor<4x64x64xbf16>, %k: tensor<4x60x64xbf16>, %v: tensor<4x60x64xbf16>, %y: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 60) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x64x64xbf16>, %k[h, j, k] : tensor<4x60x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x60x64xbf16>)
      outs(%y[h, i, e] : tensor<4x64x64xf32>) {
  ^row(%x: tensor<60xf32>, %m: tensor<60x64xbf16>):
    %r = arith.truncf %x : tensor<60xf32> to tensor<60xbf16>
    %u = sinter.row_product %r, %m : tensor<60xbf16>, tensor<60x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<4x64x64xf32>
}

// CHECK-LABEL: odd_lines:
// CHECK:           not "wgmma, 128 columns ahead" ({{.+}}): lines of a side are no multiples of 16 bytes
// CHECK-NEXT:      not "wgmma, 128 columns in turn" ({{.+}}): lines of a side are no multiples of 16 bytes
// CHECK-NEXT:      not "wgmma, 64 columns ahead" ({{.+}}): lines of a side are no multiples of 16 bytes
// CHECK-NEXT:      not "wgmma, 64 columns in turn" ({{.+}}): lines of a side are no multiples of 16 bytes
// CHECK-NEXT:      as "mma.sync"
func.func @odd_lines(%q: tensor<4x64x64xbf16>, %k: tensor<4x128x64xbf16>, %v: tensor<4x128x60xbf16>, %y: tensor<4x64x60xf32>) -> tensor<4x64x60xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 128) by (e = 60)
      product (k = 64) (%q[h, i, k] : tensor<4x64x64xbf16>, %k[h, j, k] : tensor<4x128x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x128x60xbf16>)
      outs(%y[h, i, e] : tensor<4x64x60xf32>) {
  ^row(%x: tensor<128xf32>, %m: tensor<128x60xbf16>):
    %r = arith.truncf %x : tensor<128xf32> to tensor<128xbf16>
    %u = sinter.row_product %r, %m : tensor<128xbf16>, tensor<128x60xbf16> -> tensor<60xf32>
    sinter.yield %u : tensor<60xf32>
  }
  return %0 : tensor<4x64x60xf32>
}

// Two sums of columns and one of results.

// CHECK-LABEL: in_turn:
// CHECK:           not "wgmma, 128 columns ahead" ({{.+}}): a thread would have {{[0-9]+}} registers of 255
// CHECK-NEXT:      not "wgmma, 128 columns in turn" ({{.+}}): it has one result, or slots of its own for matrices
// CHECK-NEXT:      not "wgmma, 64 columns ahead" ({{.+}}): a thread would have 280 registers of 255
// CHECK-NEXT:      as "wgmma, 64 columns in turn" ({{.+}}): #sinter.mma<ahead = 0
func.func @in_turn(%a: tensor<64x512x64xbf16>, %b: tensor<64x512x64xbf16>, %v: tensor<64x512x256xbf16>, %y: tensor<64x512x256xf32>) -> tensor<64x512x256xf32> {
  %0 = sinter.contract (h = 64, i = 512) by (j = 512) by (e = 256)
      product (k = 64) (%a[h, i, k] : tensor<64x512x64xbf16>, %b[h, j, k] : tensor<64x512x64xbf16>) : f32
      product (l = 64) (%b[h, i, l] : tensor<64x512x64xbf16>, %a[h, j, l] : tensor<64x512x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x512x256xbf16>)
      outs(%y[h, i, e] : tensor<64x512x256xf32>) {
  ^row(%x: tensor<512xf32>, %z: tensor<512xf32>, %m: tensor<512x256xbf16>):
    %s = arith.mulf %x, %z : tensor<512xf32>
    %r = arith.truncf %s : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %r, %m : tensor<512xbf16>, tensor<512x256xbf16> -> tensor<256xf32>
    sinter.yield %u : tensor<256xf32>
  }
  return %0 : tensor<64x512x256xf32>
}

// What a mask empties is told from its comparisons.

// CHECK-LABEL: window:
// CHECK:           as "wgmma, 128 columns ahead"
// CHECK:           or "apart"
// CHECK-NEXT:    blocks without columns that the mask leaves are not made: none below i - 100, none from i + 1 on
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

// Rows that are needed whole.

// CHECK-LABEL: centred:
// CHECK:           not "wgmma, 128 columns ahead" ({{.+}}): rows that are multiplied again are needed whole
// CHECK:           not "mma.sync" ({{.+}}): rows that are multiplied again are needed whole
// CHECK-NEXT:      {{as|not}} "whole rows"
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

// CHECK-LABEL: given:
// CHECK:         runs as the program says: #sinter.mma<{{.*}}kernel = "mma.sync"
// CHECK-NOT:     ways to run it
func.func @given(%q: tensor<4x64x64xbf16>, %k: tensor<4x128x64xbf16>, %v: tensor<4x128x64xbf16>, %y: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 128) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<4x64x64xbf16>, %k[h, j, k] : tensor<4x128x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x128x64xbf16>)
      outs(%y[h, i, e] : tensor<4x64x64xf32>)
      schedule(#sinter.mma<k = 16, kernel = "mma.sync", m = 16, n = 64, occupancy = 5, threads = 32>) {
  ^row(%x: tensor<128xf32>, %m: tensor<128x64xbf16>):
    %r = arith.truncf %x : tensor<128xf32> to tensor<128xbf16>
    %u = sinter.row_product %r, %m : tensor<128xbf16>, tensor<128x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<4x64x64xf32>
}

// What a length leaves out is said, and what a prefix keeps.

// CHECK-LABEL: lengths:
// CHECK:         blocks of columns from a number on that input 0 gives are not made
// CHECK-NEXT:    blocks without columns that the mask leaves are not made: none from i + 1, 100 at least, on
func.func @lengths(%q: tensor<64x1024x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>, %n: tensor<64xi64>, %y: tensor<64x1024x64xf32>) -> tensor<64x1024x64xf32> {
  %0 = sinter.contract (h = 64, i = 1024) by (j = 512) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<64x1024x64xbf16>, %k[h, j, k] : tensor<64x512x64xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<64x512x64xbf16>)
      ins(%n[h] : tensor<64xi64>)
      outs(%y[h, i, e] : tensor<64x1024x64xf32>) {
  ^row(%x: tensor<512xf32>, %m: tensor<512x64xbf16>, %n_: i64):
    %least = arith.constant dense<0xFF800000> : tensor<512xf32>
    %hundred = arith.constant dense<100> : tensor<512xindex>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<512xindex>
    %j = sinter.index j : tensor<512xindex>
    %jl = arith.index_cast %j : tensor<512xindex> to tensor<512xi64>
    %ns = sinter.broadcast %n_ : i64 -> tensor<512xi64>
    %seen = arith.cmpi slt, %jl, %ns : tensor<512xi64>
    %early = arith.cmpi sle, %j, %is : tensor<512xindex>
    %first = arith.cmpi slt, %j, %hundred : tensor<512xindex>
    %either = arith.ori %early, %first : tensor<512xi1>
    %all = arith.andi %seen, %either : tensor<512xi1>
    %s = arith.select %all, %x, %least : tensor<512xi1>, tensor<512xf32>
    %max = sinter.row_reduce maximumf %s : tensor<512xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<512xf32>
    %d = arith.subf %s, %maxs : tensor<512xf32>
    %ex = math.exp %d : tensor<512xf32>
    %sum = sinter.row_reduce add %ex : tensor<512xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<512xf32>
    %w = arith.mulf %ex, %bys : tensor<512xf32>
    %r = arith.truncf %w : tensor<512xf32> to tensor<512xbf16>
    %u = sinter.row_product %r, %m : tensor<512xbf16>, tensor<512x64xbf16> -> tensor<64xf32>
    sinter.yield %u : tensor<64xf32>
  }
  return %0 : tensor<64x1024x64xf32>
}
