// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s

// Groups of columns, a matrix, a side with a program.
// CHECK-LABEL: func.func @main
// CHECK:      sinter.contract (h = 2, i = 6) by (j = 9) by (e = 5)
// CHECK-NEXT: product (d = 16) (%{{.*}}[h, i, d] : tensor<2x6x16xf32>, side(%{{.*}}[h floordiv 2, j, d] : tensor<1x9x16xf32>) {
// CHECK-NEXT: ^side(%{{.*}}: tensor<16xf32>):
// CHECK:      }) : f32
// CHECK-NEXT: matrix (j) to (e) (%{{.*}}[h floordiv 2, j, e] : tensor<1x9x5xf32>)
// CHECK:      sinter.row_product %{{.*}}, %{{.*}} : tensor<9xf32>, tensor<9x5xf32> -> tensor<5xf32>
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

// A broadcast is a row of both groups, which are equally long.
// CHECK-LABEL: func.func @broadcast
// CHECK:         %[[B:.*]] = sinter.broadcast
// CHECK-NEXT:    %[[S:.*]] = arith.addf %{{.*}}, %[[B]]
// CHECK-NEXT:    %[[U:.*]] = sinter.row_product %[[S]]
// CHECK-NEXT:    arith.addf %[[U]], %[[B]]
func.func @broadcast(%x: tensor<6x5xf32>, %v: tensor<5x5xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %o = sinter.rowwise (i = 6) by (j = 5) by (e = 5)
      matrix (j) to (e) (%v[j, e] : tensor<5x5xf32>)
      ins(%x[i, j] : tensor<6x5xf32>)
      outs(%e[i, e] : tensor<6x5xf32>) {
  ^row(%m: tensor<5x5xf32>, %r: tensor<5xf32>):
    %c = arith.constant 1.0 : f32
    %b = sinter.broadcast %c : f32 -> tensor<5xf32>
    %s = arith.addf %r, %b : tensor<5xf32>
    %u = sinter.row_product %s, %m : tensor<5xf32>, tensor<5x5xf32> -> tensor<5xf32>
    %y = arith.addf %u, %b : tensor<5xf32>
    sinter.yield %y : tensor<5xf32>
  }
  return %o : tensor<6x5xf32>
}

// Positions in any group and in what a product sums; one broadcast and one constant for rows of two groups.
// CHECK-LABEL: func.func @positions
// CHECK:      ^side(%{{.*}}: tensor<16xf32>):
// CHECK-NEXT: sinter.index k : tensor<16xindex>
// CHECK-NEXT: sinter.index j : index
// CHECK:      sinter.index e : tensor<8xindex>
// CHECK:      %[[B:.*]] = sinter.broadcast
// CHECK-NEXT: arith.mulf %{{.*}}, %[[B]] : tensor<8xf32>
// CHECK-NEXT: sinter.row_product
// CHECK-NEXT: arith.mulf %{{.*}}, %[[B]] : tensor<8xf32>
func.func @positions(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x8xf32>, %s: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.contract (i = 4) by (j = 8) by (e = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, side(%w[j, k] : tensor<8x16xf32>) {
      ^side(%a: tensor<16xf32>):
        %k = sinter.index k : tensor<16xindex>
        %j = sinter.index j : index
        %b = sinter.broadcast %j : index -> tensor<16xindex>
        %c = arith.cmpi ult, %k, %b : tensor<16xindex>
        %z = arith.constant dense<0.0> : tensor<16xf32>
        %d = arith.select %c, %z, %a : tensor<16xi1>, tensor<16xf32>
        sinter.yield %d : tensor<16xf32>
      }) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x8xf32>)
      ins(%s[i] : tensor<4xf32>)
      outs(%e[i, e] : tensor<4x8xf32>) {
  ^row(%p: tensor<8xf32>, %m: tensor<8x8xf32>, %r: f32):
    %n = sinter.index e : tensor<8xindex>
    %o = arith.index_cast %n : tensor<8xindex> to tensor<8xi32>
    %f = arith.sitofp %o : tensor<8xi32> to tensor<8xf32>
    %b = sinter.broadcast %r : f32 -> tensor<8xf32>
    %q = arith.mulf %p, %b : tensor<8xf32>
    %u = sinter.row_product %q, %m : tensor<8xf32>, tensor<8x8xf32> -> tensor<8xf32>
    %t = arith.mulf %u, %b : tensor<8xf32>
    %g = arith.addf %t, %f : tensor<8xf32>
    sinter.yield %g : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}
