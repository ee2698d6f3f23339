// RUN: sinter-run %s --explain | FileCheck %s

// A form of two groups that a person wrote: each of its pieces is named by the line that makes it. A piece of a product
// of the form stands where the form does, one of a row_product where that does.

// CHECK:      made of
// CHECK-NEXT: written_chain.mlir:12:8 %o = sinter.contract (i = 9) {{.*}} max(tanh(A.B), A.B)
// CHECK-NEXT: written_chain.mlir:19:10 %u = sinter.row_product {{.*}} A.B
func.func @main(%q: tensor<9x5xf32>, %k: tensor<7x5xf32>, %v: tensor<7x6xf32>) -> tensor<9x6xf32> {
  %e = tensor.empty() : tensor<9x6xf32>

  %o = sinter.contract (i = 9) by (j = 7) by (e = 6)
      product (d = 5) (%q[i, d] : tensor<9x5xf32>, %k[j, d] : tensor<7x5xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<7x6xf32>)
      outs(%e[i, e] : tensor<9x6xf32>) {
  ^row(%acc: tensor<7xf32>, %m: tensor<7x6xf32>):
    %t = math.tanh %acc : tensor<7xf32>
    %h = arith.maximumf %t, %acc : tensor<7xf32>
    %u = sinter.row_product %h, %m : tensor<7xf32>, tensor<7x6xf32> -> tensor<6xf32>
    sinter.yield %u : tensor<6xf32>
  }
  return %o : tensor<9x6xf32>
}
