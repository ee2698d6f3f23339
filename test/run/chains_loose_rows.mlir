// RUN: sinter-run %s --verify | FileCheck %s
// RUN: sinter-run %s --verify --policy=disabled | FileCheck %s
// RUN: sinter-run %s --emit=fused | FileCheck %s --check-prefix=ONE

// Two groups of columns that are equally long, and broadcasts that are written twice, once for each: equal ones become
// one, which is read in both groups, and the kernel still streams.

// CHECK: agrees with the decomposed program
// ONE:         sinter.broadcast %[[C:.+]] : f32 -> tensor<8xf32>
// ONE-NOT:     sinter.broadcast %[[C]] :
// ONE:         sinter.row_product
func.func @main(%q: tensor<9x5xf32>, %k: tensor<8x5xf32>, %v: tensor<8x8xf32>, %s: tensor<f32>, %c: tensor<9xf32>) -> tensor<9x8xf32> {
  %e = tensor.empty() : tensor<9x8xf32>
  %o = sinter.contract (i = 9) by (j = 8) by (e = 8)
    product (d = 5) (%q[i, d] : tensor<9x5xf32>, %k[j, d] : tensor<8x5xf32>) : f32
    matrix (j) to (e) (%v[j, e] : tensor<8x8xf32>)
    ins(%s[] : tensor<f32>, %c[i] : tensor<9xf32>)
    outs(%e[i, e] : tensor<9x8xf32>) {
  ^row(%acc: tensor<8xf32>, %m: tensor<8x8xf32>, %sc: f32, %cc: f32):
    %b = sinter.broadcast %cc : f32 -> tensor<8xf32>
    %b1 = sinter.broadcast %cc : f32 -> tensor<8xf32>
    %x = arith.mulf %acc, %b : tensor<8xf32>
    %mx = sinter.row_reduce maximumf %x : tensor<8xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<8xf32>
    %mb1 = sinter.broadcast %mx : f32 -> tensor<8xf32>
    %d = arith.subf %x, %mb : tensor<8xf32>
    %p = math.exp %d : tensor<8xf32>
    %sum = sinter.row_reduce add %p : tensor<8xf32> -> f32
    %sb = sinter.broadcast %sum : f32 -> tensor<8xf32>
    %sb1 = sinter.broadcast %sum : f32 -> tensor<8xf32>
    %pp = arith.divf %p, %sb : tensor<8xf32>
    %u = sinter.row_product %pp, %m : tensor<8xf32>, tensor<8x8xf32> -> tensor<8xf32>
    %u1 = arith.addf %u, %b1 : tensor<8xf32>
    %u2 = arith.addf %u1, %mb1 : tensor<8xf32>
    %u3 = arith.mulf %u2, %sb1 : tensor<8xf32>
    sinter.yield %u3 : tensor<8xf32>
  }
  return %o : tensor<9x8xf32>
}
