// RUN: sinter-run %s --verify --threads=1 --high=5 --output=%t0a.npy --output=%t1a.npy --output=%t2a.npy --output=%t3a.npy --output=%t4a.npy --output=%t5a.npy --output=%t6a.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --high=5 --output=%t0b.npy --output=%t1b.npy --output=%t2b.npy --output=%t3b.npy --output=%t4b.npy --output=%t5b.npy --output=%t6b.npy
// RUN: cmp %t0a.npy %t0b.npy && cmp %t1a.npy %t1b.npy && cmp %t2a.npy %t2b.npy && cmp %t3a.npy %t3b.npy && cmp %t4a.npy %t4b.npy && cmp %t5a.npy %t5b.npy && cmp %t6a.npy %t6b.npy
// RUN: sinter-run %s --stats | FileCheck %s --check-prefix=KERNELS

// Forms of several products, each one kernel: rows that come from memory, a matrix that is computed; two products
// beside each other, in bf16; whole numbers; heads that share keys, in f16, transposed; a batch of matrices; what two
// segments reduce, finished together. No size is a multiple of a block, and any number of threads gives equal bits.

// CHECK-COUNT-7: agrees
// KERNELS: "kernels": 5,

func.func @main(%x: tensor<21x37xf32>, %v: tensor<37x11xf32>,
    %a: tensor<13x29xbf16>, %wa: tensor<50x29xbf16>, %wb: tensor<50x29xbf16>, %wc: tensor<19x50xbf16>,
    %q: tensor<9x40xi8>, %w: tensor<24x40xi8>, %w2: tensor<24x7xi8>,
    %h: tensor<2x4x5x16xf16>, %u: tensor<2x2x10x16xf16>, %y: tensor<2x2x10x6xf16>,
    %g: tensor<3x14x8xf64>, %gw: tensor<3x9x8xf64>, %gv: tensor<3x9x12xf64>)
    -> (tensor<21x11xf32>, tensor<13x19xbf16>, tensor<9x7xi32>, tensor<6x2x4x5xf16>, tensor<2x4x5xf32>, tensor<3x14x12xf64>, tensor<f64>) {
  %e0 = tensor.empty() : tensor<21x11xf32>
  %e1 = tensor.empty() : tensor<13x19xbf16>
  %e2 = tensor.empty() : tensor<9x7xi32>
  %e3 = tensor.empty() : tensor<6x2x4x5xf16>
  %e4 = tensor.empty() : tensor<2x4x5xf32>
  %e5 = tensor.empty() : tensor<3x14x12xf64>
  %e6 = tensor.empty() : tensor<f64>

  // softmax(x) (j v)
  %0 = sinter.rowwise (i = 21) by (j = 37) by (o = 11)
      matrix (j) to (o) (side(%v[j, o] : tensor<37x11xf32>) {
      ^side(%c: tensor<37xf32>):
        %j = sinter.index j : tensor<37xindex>
        %ji = arith.index_cast %j : tensor<37xindex> to tensor<37xi32>
        %jf = arith.sitofp %ji : tensor<37xi32> to tensor<37xf32>
        %cj = arith.mulf %c, %jf : tensor<37xf32>
        sinter.yield %cj : tensor<37xf32>
      })
      ins(%x[i, j] : tensor<21x37xf32>)
      outs(%e0[i, o] : tensor<21x11xf32>)
      schedule(#sinter.brgemm<m = 5, n = 8, k = 16, lanes = 8, tasks = 2>) {
  ^row(%m: tensor<37x11xf32>, %r: tensor<37xf32>):
    %mx = sinter.row_reduce maximumf %r : tensor<37xf32> -> f32
    %b = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %r, %b : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %s = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %o = sinter.row_product %p, %m : tensor<37xf32>, tensor<37x11xf32> -> tensor<11xf32>
    %sb = sinter.broadcast %s : f32 -> tensor<11xf32>
    %n = arith.divf %o, %sb : tensor<11xf32>
    sinter.yield %n : tensor<11xf32>
  }

  // (a wa tanh * a wb) wc
  %1 = sinter.contract (i = 13) by (j = 50) by (o = 19)
      product (k = 29) (%a[i, k] : tensor<13x29xbf16>, %wa[j, k] : tensor<50x29xbf16>) : f32
      product (l = 29) (%a[i, l] : tensor<13x29xbf16>, %wb[j, l] : tensor<50x29xbf16>) : f32
      matrix (j) to (o) (%wc[o, j] : tensor<19x50xbf16>)
      outs(%e1[i, o] : tensor<13x19xbf16>)
      schedule(#sinter.brgemm<m = 4, n = 16, k = 8, lanes = 16, tasks = 3>) {
  ^row(%s: tensor<50xf32>, %t: tensor<50xf32>, %m: tensor<50x19xbf16>):
    %th = math.tanh %s : tensor<50xf32>
    %p = arith.mulf %th, %t : tensor<50xf32>
    %c = arith.truncf %p : tensor<50xf32> to tensor<50xbf16>
    %o = sinter.row_product %c, %m : tensor<50xbf16>, tensor<50x19xbf16> -> tensor<19xf32>
    %z = arith.truncf %o : tensor<19xf32> to tensor<19xbf16>
    sinter.yield %z : tensor<19xbf16>
  }

  // Whole numbers, and where they are even.
  %2 = sinter.contract (i = 9) by (j = 24) by (o = 7)
      product (k = 40) (%q[i, k] : tensor<9x40xi8>, %w[j, k] : tensor<24x40xi8>) : i32
      matrix (j) to (o) (%w2[j, o] : tensor<24x7xi8>)
      outs(%e2[i, o] : tensor<9x7xi32>)
      schedule(#sinter.brgemm<m = 2, n = 4, k = 12, lanes = 8>) {
  ^row(%s: tensor<24xi32>, %m: tensor<24x7xi8>):
    %one = arith.constant dense<1> : tensor<24xi32>
    %odd = arith.andi %s, %one : tensor<24xi32>
    %bit = arith.trunci %odd : tensor<24xi32> to tensor<24xi1>
    %c = arith.trunci %s : tensor<24xi32> to tensor<24xi8>
    %o = sinter.row_product %c, %m : tensor<24xi8>, tensor<24x7xi8> -> tensor<7xi32>
    %first = sinter.row_reduce add %o : tensor<7xi32> -> i32
    %fb = sinter.broadcast %first : i32 -> tensor<24xi32>
    %d = arith.select %bit, %s, %fb : tensor<24xi1>, tensor<24xi32>
    %t = sinter.row_reduce maxsi %d : tensor<24xi32> -> i32
    %tb = sinter.broadcast %t : i32 -> tensor<7xi32>
    %r = arith.addi %o, %tb : tensor<7xi32>
    sinter.yield %r : tensor<7xi32>
  }

  // Two heads have the same keys; a mask by positions; the weights are rounded to f16.
  %3:2 = sinter.contract (b = 2, h = 4, i = 5) by (j = 10) by (e = 6)
      product (d = 16) (%h[b, h, i, d] : tensor<2x4x5x16xf16>, %u[b, h floordiv 2, j, d] : tensor<2x2x10x16xf16>) : f32
      matrix (j) to (e) (%y[b, h floordiv 2, j, e] : tensor<2x2x10x6xf16>)
      outs(%e3[e, b, h, i] : tensor<6x2x4x5xf16>, %e4[b, h, i] : tensor<2x4x5xf32>)
      schedule(#sinter.brgemm<m = 3, n = 64, k = 256, lanes = 4, unroll = 2, tasks = 7>) {
  ^row(%s: tensor<10xf32>, %m: tensor<10x6xf16>):
    %i = sinter.index i : index
    %four = arith.constant 4 : index
    %i4 = arith.addi %i, %four : index
    %ib = sinter.broadcast %i4 : index -> tensor<10xindex>
    %j = sinter.index j : tensor<10xindex>
    %in = arith.cmpi ule, %j, %ib : tensor<10xindex>
    %no = arith.constant dense<0xFF800000> : tensor<10xf32>
    %sm = arith.select %in, %s, %no : tensor<10xi1>, tensor<10xf32>
    %mx = sinter.row_reduce maximumf %sm : tensor<10xf32> -> f32
    %b = sinter.broadcast %mx : f32 -> tensor<10xf32>
    %d = arith.subf %sm, %b : tensor<10xf32>
    %p = math.exp %d : tensor<10xf32>
    %z = sinter.row_reduce add %p : tensor<10xf32> -> f32
    %zb = sinter.broadcast %z : f32 -> tensor<10xf32>
    %n = arith.divf %p, %zb : tensor<10xf32>
    %c = arith.truncf %n : tensor<10xf32> to tensor<10xf16>
    %o = sinter.row_product %c, %m : tensor<10xf16>, tensor<10x6xf16> -> tensor<6xf32>
    %t = arith.truncf %o : tensor<6xf32> to tensor<6xf16>
    %l = math.log %z : f32
    %lse = arith.addf %l, %mx : f32
    sinter.yield %t, %lse : tensor<6xf16>, f32
  }

  // Each of a batch has its matrices; a number of the first segment and one of the second are added up.
  %4:2 = sinter.contract (b = 3, i = 14) by (j = 9) by (o = 12)
      product (k = 8) (%g[b, i, k] : tensor<3x14x8xf64>, %gw[b, j, k] : tensor<3x9x8xf64>) : f64
      matrix (j) to (o) (%gv[b, j, o] : tensor<3x9x12xf64>)
      reduce(add [] : f64, maximumf [] : f64)
      outs(%e5[b, i, o] : tensor<3x14x12xf64>, %e6[] : tensor<f64>)
      schedule(#sinter.brgemm<m = 6, n = 5, k = 3, lanes = 4, tasks = 4>) {
  ^row(%s: tensor<9xf64>, %m: tensor<9x12xf64>):
    %q2 = arith.mulf %s, %s : tensor<9xf64>
    %n = sinter.row_reduce add %q2 : tensor<9xf64> -> f64
    %o = sinter.row_product %q2, %m : tensor<9xf64>, tensor<9x12xf64> -> tensor<12xf64>
    %mx = sinter.row_reduce maximumf %o : tensor<12xf64> -> f64
    %nb = sinter.broadcast %n : f64 -> tensor<12xf64>
    %r = arith.addf %o, %nb : tensor<12xf64>
    sinter.yield %n, %mx, %r : f64, f64, tensor<12xf64>
  } finish {
  ^done(%n: f64, %mx: f64):
    %d = arith.divf %n, %mx : f64
    sinter.yield %d : f64
  }
  return %0, %1, %2, %3#0, %3#1, %4#0, %4#1 : tensor<21x11xf32>, tensor<13x19xbf16>, tensor<9x7xi32>, tensor<6x2x4x5xf16>, tensor<2x4x5xf32>, tensor<3x14x12xf64>, tensor<f64>
}
