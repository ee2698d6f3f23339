// RUN: sinter-opt %s --sinter-split | FileCheck %s
// RUN: sinter-opt %s --sinter-split=keep-sides | FileCheck %s --check-prefix=KEEP
// RUN: sinter-run %s --verify | FileCheck %s --check-prefix=SAME

// The product, the softmax with its statistics, what is multiplied again: two forms, and one for the side.
// CHECK-LABEL: func.func @main
// CHECK:      %[[K:.*]] = sinter.rowwise (h = 2, j = 9) by (d = 16)
// CHECK-NEXT: ins(%{{.*}}[h floordiv 2, j, d]
// CHECK:      %[[P:.*]]:3 = sinter.contract (h = 2, i = 6) by (j = 9)
// CHECK-NEXT: product (d = 16) (%{{.*}}[h, i, d] : tensor<2x6x16xf32>, %[[K]][h, j, d] : tensor<2x9x16xf32>) : f32
// CHECK-NEXT: outs(%{{.*}}[h, i] : tensor<2x6xf32>, %{{.*}}[h, i, j] : tensor<2x6x9xf32>, %{{.*}}[h, i] : tensor<2x6xf32>)
// CHECK:      %[[U:.*]]:2 = sinter.contract (h = 2, i = 6) by (e = 5)
// CHECK-NEXT: product (j = 9) (%[[P]]#1[h, i, j] : tensor<2x6x9xf32>, %{{.*}}[h floordiv 2, j, e] : tensor<1x9x5xf32>) : f32
// CHECK-NEXT: ins(%[[P]]#2[h, i] : tensor<2x6xf32>)
// CHECK:      } finish {
// CHECK:      return %[[U]]#0, %[[P]]#0, %[[U]]#1
// KEEP-NOT:   sinter.rowwise
// KEEP:       product (d = 16) ({{.*}}side(
// SAME-COUNT-3: agrees with the decomposed program
func.func @main(%q: tensor<2x6x16xf32>, %k: tensor<1x9x16xf32>, %v: tensor<1x9x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x6xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<2x6x5xf32>
  %l = tensor.empty() : tensor<2x6xf32>
  %t = tensor.empty() : tensor<f32>
  %o:3 = sinter.contract (h = 2, i = 6) by (j = 9) by (e = 5)
      product (d = 16) (%q[h, i, d] : tensor<2x6x16xf32>, side(%k[h floordiv 2, j, d] : tensor<1x9x16xf32>) {
      ^side(%a: tensor<16xf32>):
        %b = arith.addf %a, %a : tensor<16xf32>
        sinter.yield %b : tensor<16xf32>
      }) : f32
      matrix (j) to (e) (%v[h floordiv 2, j, e] : tensor<1x9x5xf32>)
      reduce(add [] : f32)
      outs(%e[h, i, e] : tensor<2x6x5xf32>, %l[h, i] : tensor<2x6xf32>, %t[] : tensor<f32>) {
  ^row(%s: tensor<9xf32>, %m: tensor<9x5xf32>):
    %i = sinter.index i : index
    %ir = sinter.broadcast %i : index -> tensor<9xindex>
    %j = sinter.index j : tensor<9xindex>
    %c = arith.cmpi ule, %j, %ir : tensor<9xindex>
    %ninf = arith.constant dense<0xFF800000> : tensor<9xf32>
    %sm = arith.select %c, %s, %ninf : tensor<9xi1>, tensor<9xf32>
    %mx = sinter.row_reduce maximumf %sm : tensor<9xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<9xf32>
    %d = arith.subf %sm, %mb : tensor<9xf32>
    %p = math.exp %d : tensor<9xf32>
    %z = sinter.row_reduce add %p : tensor<9xf32> -> f32
    %u = sinter.row_product %p, %m : tensor<9xf32>, tensor<9x5xf32> -> tensor<5xf32>
    %zb = sinter.broadcast %z : f32 -> tensor<5xf32>
    %r = arith.divf %u, %zb : tensor<5xf32>
    %lz = math.log %z : f32
    %lse = arith.addf %lz, %mx : f32
    %tot = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %tot, %r, %lse : f32, tensor<5xf32>, f32
  } finish {
  ^done(%a: f32):
    %c = arith.constant 0.5 : f32
    %b = arith.mulf %a, %c : f32
    sinter.yield %b : f32
  }
  return %o#0, %o#1, %o#2 : tensor<2x6x5xf32>, tensor<2x6xf32>, tensor<f32>
}

// A form that has a schedule runs as it is.
// CHECK-LABEL: func.func @scheduled
// CHECK:       sinter.row_product
// KEEP-LABEL:  func.func @scheduled
// KEEP:        sinter.row_product
func.func @scheduled(%x: tensor<7x9xf32>, %w: tensor<9x12xf32>, %e: tensor<7x12xf32>) -> tensor<7x12xf32> {
  %0 = sinter.rowwise (i = 7) by (j = 9) by (o = 12)
      matrix (j) to (o) (%w[j, o] : tensor<9x12xf32>)
      ins(%x[i, j] : tensor<7x9xf32>)
      outs(%e[i, o] : tensor<7x12xf32>) schedule(#sinter.brgemm<m = 4>) {
  ^row(%m: tensor<9x12xf32>, %a: tensor<9xf32>):
    %o = sinter.row_product %a, %m : tensor<9xf32>, tensor<9x12xf32> -> tensor<12xf32>
    sinter.yield %o : tensor<12xf32>
  }
  return %0 : tensor<7x12xf32>
}
