// DEFINE: %{outs} = --output=%t0.npy --output=%t1.npy --output=%t2.npy --output=%t3.npy --output=%t4.npy --output=%t5.npy --output=%t6.npy
// DEFINE: %{threes} = --output=%u0.npy --output=%u1.npy --output=%u2.npy --output=%u3.npy --output=%u4.npy --output=%u5.npy --output=%u6.npy
// DEFINE: %{sizes} = --shape=2x4x21x24 --shape=2x2x50x24 --shape=2x2x50x9 --shape=21x50 --shape=50
// RUN: sinter-run %s --verify --threads=1 %{sizes} %{outs} | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 %{sizes} %{threes}
// RUN: cmp %t0.npy %u0.npy && cmp %t1.npy %u1.npy && cmp %t2.npy %u2.npy && cmp %t3.npy %u3.npy && cmp %t4.npy %u4.npy && cmp %t5.npy %u5.npy && cmp %t6.npy %u6.npy
// RUN: sinter-run %s --verify --shape=2x4x21x24 --shape=2x2x0x24 --shape=2x2x0x9 --shape=21x0 --shape=0
// RUN: sinter-run %s --verify --shape=2x4x21x24 --shape=2x2x1x24 --shape=2x2x1x9 --shape=21x1 --shape=1
// RUN: sinter-run %s --verify --shape=2x4x21x24 --shape=2x2x16x24 --shape=2x2x16x9 --shape=21x16 --shape=16
// RUN: sinter-run %s --stats %{sizes} | FileCheck %s --check-prefix=KERNELS

// Rows that are multiplied again before they are whole. Attention over heads that share keys, of any number of keys:
// with a bias, a mask that leaves some rows nothing, and others nothing of the first columns or the last; its weights
// are divided by their sum in front of the product. Rows from memory, divided behind it. A layer with a second one;
// the first one's rows are a result too, and are added up.

// CHECK-COUNT-7: agrees
// KERNELS: "kernels": 3,

func.func @main(%q: tensor<2x4x?x24xf32>, %k: tensor<2x2x?x24xf32>, %v: tensor<2x2x?x9xf32>, %bias: tensor<?x?xf32>,
                %y: tensor<?xf32>, %w: tensor<24x30xf32>, %w2: tensor<30x11xf32>)
    -> (tensor<2x4x?x9xf32>, tensor<2x4x?xf32>, tensor<2x4x?xf32>, tensor<?x9xf32>, tensor<?x11xf32>,
        tensor<30x?xf32>, tensor<30xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %q, %c2 : tensor<2x4x?x24xf32>
  %r = tensor.dim %bias, %c0 : tensor<?x?xf32>
  %e0 = tensor.empty(%n) : tensor<2x4x?x9xf32>
  %e1 = tensor.empty(%n) : tensor<2x4x?xf32>
  %e2 = tensor.empty(%r) : tensor<?x9xf32>
  %c = tensor.dim %y, %c0 : tensor<?xf32>
  %e3 = tensor.empty(%c) : tensor<?x11xf32>
  %e4 = tensor.empty(%c) : tensor<30x?xf32>
  %e5 = tensor.empty() : tensor<30xf32>
  %0:3 = sinter.contract (b = 2, h = 4, i = ?) by (j = ?) by (e = 9)
      product (d = 24) (%q[b, h, i, d] : tensor<2x4x?x24xf32>, %k[b, h floordiv 2, j, d] : tensor<2x2x?x24xf32>) : f32
      matrix (j) to (e) (%v[b, h floordiv 2, j, e] : tensor<2x2x?x9xf32>)
      ins(%bias[i, j] : tensor<?x?xf32>, %y[j] : tensor<?xf32>)
      outs(%e0[b, h, i, e] : tensor<2x4x?x9xf32>, %e1[b, h, i] : tensor<2x4x?xf32>, %e1[b, h, i] : tensor<2x4x?xf32>)
      schedule(#sinter.brgemm<m = 5, n = 8, k = 16, lanes = 8, stream = 16, tasks = 3>) {
  ^row(%s: tensor<?xf32>, %m: tensor<?x9xf32>, %a: tensor<?xf32>, %u: tensor<?xf32>):
    %three = arith.constant 3 : index
    %ten = arith.constant 10 : index
    %no = arith.constant 0xFF800000 : f32
    %i = sinter.index i : index
    %i3 = arith.muli %i, %three : index
    %from = arith.subi %i3, %ten : index
    %to = arith.addi %i, %ten : index
    %j = sinter.index j : tensor<?xindex>
    %fb = sinter.broadcast %from : index -> tensor<?xindex>
    %tb = sinter.broadcast %to : index -> tensor<?xindex>
    %nb = sinter.broadcast %no : f32 -> tensor<?xf32>
    %sb = arith.addf %s, %a : tensor<?xf32>
    %in = arith.cmpi sge, %j, %fb : tensor<?xindex>
    %x0 = arith.select %in, %sb, %nb : tensor<?xi1>, tensor<?xf32>
    %before = arith.cmpi slt, %j, %tb : tensor<?xindex>
    %x = arith.select %before, %x0, %nb : tensor<?xi1>, tensor<?xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<?xf32>
    %d = arith.subf %x, %mb : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %z = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %pu = arith.mulf %u, %p : tensor<?xf32>
    %zu = sinter.row_reduce add %pu : tensor<?xf32> -> f32
    %one = arith.constant 1.0 : f32
    %rz = arith.divf %one, %z : f32
    %rb = sinter.broadcast %rz : f32 -> tensor<?xf32>
    %pn = arith.mulf %p, %rb : tensor<?xf32>
    %o = sinter.row_product %pn, %m : tensor<?xf32>, tensor<?x9xf32> -> tensor<9xf32>
    %lz = math.log %z : f32
    %lse = arith.addf %lz, %mx : f32
    sinter.yield %o, %lse, %zu : tensor<9xf32>, f32, f32
  }

  // softmax(x) v
  %1 = sinter.rowwise (i = ?) by (j = ?) by (e = 9)
      matrix (j) to (e) (%v[0, 1, j, e] : tensor<2x2x?x9xf32>)
      ins(%bias[i, j] : tensor<?x?xf32>)
      outs(%e2[i, e] : tensor<?x9xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 256, lanes = 4, stream = 12, tasks = 2, unroll = 2>) {
  ^row(%m: tensor<?x9xf32>, %x: tensor<?xf32>):
    %mx = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<?xf32>
    %d = arith.subf %x, %mb : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %z = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %o = sinter.row_product %p, %m : tensor<?xf32>, tensor<?x9xf32> -> tensor<9xf32>
    %zb = sinter.broadcast %z : f32 -> tensor<9xf32>
    %t = arith.divf %o, %zb : tensor<9xf32>
    sinter.yield %t : tensor<9xf32>
  }

  // relu(y w) w2; the first layer's rows are results too, and added up over all rows.
  %2:3 = sinter.contract (i = ?) by (j = 30) by (e = 11)
      product (d = 1) (%y[i + d] : tensor<?xf32>, %w[d, j] : tensor<24x30xf32>) : f32
      matrix (j) to (e) (%w2[j, e] : tensor<30x11xf32>)
      reduce(add [j] : f32)
      outs(%e3[i, e] : tensor<?x11xf32>, %e4[j, i] : tensor<30x?xf32>, %e5[j] : tensor<30xf32>)
      schedule(#sinter.brgemm<m = 4, n = 7, k = 3, lanes = 4, stream = 14, tasks = 2>) {
  ^row(%s: tensor<30xf32>, %m: tensor<30x11xf32>):
    %zero = arith.constant dense<0.0> : tensor<30xf32>
    %t = arith.maximumf %s, %zero : tensor<30xf32>
    %o = sinter.row_product %t, %m : tensor<30xf32>, tensor<30x11xf32> -> tensor<11xf32>
    sinter.yield %t, %o, %t : tensor<30xf32>, tensor<11xf32>, tensor<30xf32>
  }
  return %0#0, %0#1, %0#2, %1, %2#0, %2#1, %2#2 : tensor<2x4x?x9xf32>, tensor<2x4x?xf32>, tensor<2x4x?xf32>, tensor<?x9xf32>,
      tensor<?x11xf32>, tensor<30x?xf32>, tensor<30xf32>
}
