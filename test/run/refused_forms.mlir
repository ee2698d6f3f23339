// RUN: sinter-run %s --entry=main --stats 2>&1 | FileCheck %s
// RUN: sinter-run %s --entry=main --stats --policy=aggressive 2>&1 | FileCheck %s
// RUN: sinter-run %s --entry=product --verify --stats 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: sinter-opt --sinter-decompose=forms=refused %s | FileCheck %s --check-prefix=FORMS

// A form that no kernel can be yet becomes what it means in linalg, with a remark that says why, and that becomes other
// kernels; the form behind it stays as it is. The numbers are the row's constants, which the program asserts.

// CHECK: refused_forms.mlir:[[# @LINE + 13]]:8: remark: becomes linalg, as no kernel can be the form: a row constant of
// CHECK: "kernels": 2, "library_calls": 0

// FORMS-LABEL: func @main
//       FORMS:   linalg.generic
//       FORMS:   sinter.rowwise
//   FORMS-NOT:   sinter.rowwise
// FORMS-LABEL: func @product
//   FORMS-NOT:   sinter.contract
//       FORMS:   return

func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %y = sinter.rowwise (i = 4) by (j = 3) ins(%x[i, j] : tensor<4x3xf32>) outs(%e[i, j] : tensor<4x3xf32>) {
  ^row(%a: tensor<3xf32>):
    %k = arith.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
    %s = arith.mulf %a, %k : tensor<3xf32>
    sinter.yield %s : tensor<3xf32>
  }
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant -3.0 : f32
  %p = tensor.extract %x[%c1, %c2] : tensor<4x3xf32>
  %q = tensor.extract %y[%c1, %c2] : tensor<4x3xf32>
  %r = arith.mulf %p, %k : f32
  %same = arith.cmpf oeq, %q, %r : f32
  cf.assert %same, "the third column times its constant"
  %z = sinter.rowwise (i = 4) by (j = 3) ins(%y[i, j] : tensor<4x3xf32>) outs(%e[i, j] : tensor<4x3xf32>) {
  ^row(%a: tensor<3xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<3xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<3xf32>
    %s = arith.subf %a, %b : tensor<3xf32>
    sinter.yield %s : tensor<3xf32>
  }
  return %z : tensor<4x3xf32>
}

// In the body of a product.

// SIDE: remark: becomes linalg, as no kernel can be the form: a row constant of different
// SIDE: "kernels": 1, "library_calls": 0

func.func @product(%x: tensor<4x5xf32>, %w: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %y = sinter.contract (i = 4) by (j = 3)
      product (k = 5) (%x[i, k] : tensor<4x5xf32>, %w[k, j] : tensor<5x3xf32>) : f32
      outs(%e[i, j] : tensor<4x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    %k = arith.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
    %s = arith.mulf %acc, %k : tensor<3xf32>
    sinter.yield %s : tensor<3xf32>
  }
  return %y : tensor<4x3xf32>
}
