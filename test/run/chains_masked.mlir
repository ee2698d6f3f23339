// DEFINE: %{outs} = --output=%t0.npy --output=%t1.npy --output=%t2.npy --output=%t3.npy --output=%t4.npy --output=%t5.npy --output=%t6.npy
// DEFINE: %{threes} = --output=%u0.npy --output=%u1.npy --output=%u2.npy --output=%u3.npy --output=%u4.npy --output=%u5.npy --output=%u6.npy
// RUN: sinter-run %s --verify --threads=1 %{outs} | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 %{threes}
// RUN: cmp %t0.npy %u0.npy && cmp %t1.npy %u1.npy && cmp %t2.npy %u2.npy && cmp %t3.npy %u3.npy && cmp %t4.npy %u4.npy && cmp %t5.npy %u5.npy && cmp %t6.npy %u6.npy
// RUN: sinter-opt --sinter-outline --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s --check-prefix=LOOPS

// Attention under masks that positions make, in blocks of rows and of keys: blocks of keys that a mask empties for all
// rows of a block are not made. Later keys, spelled three ways; keys that leave the first rows nothing (they are NaN);
// as many keys as the first dimension says, and a mask from numbers beside it. Earlier keys, and a maximum of what no
// mask touched, need all blocks.

// CHECK-COUNT-7: agrees
// LOOPS-NOT: to %c37 step %c8
//     LOOPS: @main_kernel4_task(
//     LOOPS: to %c37 step %c8
//     LOOPS: @main_kernel5_task(
//     LOOPS: to %c37 step %c8

func.func @main(%q: tensor<2x23x8xf32>, %k: tensor<2x37x8xf32>, %v: tensor<2x37x5xf32>)
    -> (tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23xf32>) {
  %e = tensor.empty() : tensor<2x23x5xf32>
  %e1 = tensor.empty() : tensor<2x23xf32>
  %later = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : tensor<37xindex> to tensor<37xi64>
    %ib = sinter.broadcast %i64 : i64 -> tensor<37xi64>
    %c = arith.cmpi sgt, %j64, %ib : tensor<37xi64>
    %x = arith.select %c, %no, %s : tensor<37xi1>, tensor<37xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %difference = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %i32 = arith.index_cast %i : index to i32
    %j32 = arith.index_cast %j : tensor<37xindex> to tensor<37xi32>
    %ib = sinter.broadcast %i32 : i32 -> tensor<37xi32>
    %t = arith.subi %ib, %j32 : tensor<37xi32>
    %five = arith.constant dense<-5> : tensor<37xi32>
    %c = arith.cmpi sge, %t, %five : tensor<37xi32>
    %h = arith.truncf %s : tensor<37xf32> to tensor<37xbf16>
    %least = arith.constant dense<0xFF80> : tensor<37xbf16>
    %y = arith.select %c, %h, %least : tensor<37xi1>, tensor<37xbf16>
    %x = arith.extf %y : tensor<37xbf16> to tensor<37xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %nothing = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %four = arith.constant 4 : index
    %i4 = arith.subi %i, %four : index
    %ib = sinter.broadcast %i4 : index -> tensor<37xindex>
    %c = arith.cmpi slt, %j, %ib : tensor<37xindex>
    %x = arith.select %c, %s, %no : tensor<37xi1>, tensor<37xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %batch = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %b = sinter.index b : index
    %bb = sinter.broadcast %b : index -> tensor<37xindex>
    %nine = arith.constant dense<9> : tensor<37xindex>
    %b9 = arith.addi %bb, %nine : tensor<37xindex>
    %c0 = arith.cmpi sle, %b9, %j : tensor<37xindex>
    %zero = arith.constant dense<0.0> : tensor<37xf32>
    %m0 = arith.cmpf ogt, %s, %zero : tensor<37xf32>
    %c = arith.ori %m0, %c0 : tensor<37xi1>
    %x = arith.select %c, %no, %s : tensor<37xi1>, tensor<37xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %earlier = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %ib = sinter.broadcast %i : index -> tensor<37xindex>
    %c = arith.cmpi slt, %j, %ib : tensor<37xindex>
    %x = arith.select %c, %no, %s : tensor<37xi1>, tensor<37xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  %summed:2 = sinter.contract (b = 2, i = 23) by (j = 37) by (e = 5)
      product (d = 8) (%q[b, i, d] : tensor<2x23x8xf32>, %k[b, j, d] : tensor<2x37x8xf32>) : f32
      matrix (j) to (e) (%v[b, j, e] : tensor<2x37x5xf32>)
      outs(%e[b, i, e] : tensor<2x23x5xf32>, %e1[b, i] : tensor<2x23xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 6, lanes = 4, stream = 8, tasks = 3>) {
  ^row(%s: tensor<37xf32>, %m: tensor<37x5xf32>):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<37xindex>
    %no = arith.constant dense<0xFF800000> : tensor<37xf32>
    %ib = sinter.broadcast %i : index -> tensor<37xindex>
    %c = arith.cmpi sgt, %j, %ib : tensor<37xindex>
    %x = arith.select %c, %no, %s : tensor<37xi1>, tensor<37xf32>
    %all = sinter.row_reduce maximumf %s : tensor<37xf32> -> f32
    %mx = sinter.row_reduce maximumf %x : tensor<37xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<37xf32>
    %d = arith.subf %x, %mb : tensor<37xf32>
    %p = math.exp %d : tensor<37xf32>
    %z = sinter.row_reduce add %p : tensor<37xf32> -> f32
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %z : f32
    %rb = sinter.broadcast %r : f32 -> tensor<37xf32>
    %w = arith.mulf %p, %rb : tensor<37xf32>
    %o = sinter.row_product %w, %m : tensor<37xf32>, tensor<37x5xf32> -> tensor<5xf32>
    sinter.yield %o, %all : tensor<5xf32>, f32
  }
  return %later, %difference, %nothing, %batch, %earlier, %summed#0, %summed#1 : tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23x5xf32>, tensor<2x23xf32>
}
