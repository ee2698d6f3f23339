// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s

// A side that is computed for this product alone has longer lines at once, also where the other one stays: a copy of
// that would cost more than its small pieces do.

// CHECK-LABEL: func @computed
//  CHECK-NOT:    sinter.rowwise
//       CHECK:   %[[S:.+]] = sinter.rowwise (i = 70) by (k = 136)
//  CHECK-NEXT:     ins(%arg0[i, k] : tensor<70x130xbf16> else 0.000000e+00, %arg1[k] : tensor<130xbf16> else 0.000000e+00, %arg2[i] : tensor<70xbf16>)
//       CHECK:     ^row(%[[A:.+]]: tensor<136xbf16>, %[[G:.+]]: tensor<136xbf16>, %[[F:.+]]: bf16):
//       CHECK:     %[[M:.+]] = arith.mulf %[[A]], %[[G]] : tensor<136xbf16>
//       CHECK:     sinter.broadcast %[[F]] : bf16 -> tensor<136xbf16>
//       CHECK:     sinter.yield %{{.+}} : tensor<136xbf16>
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 130) (%[[S]][i, k] : tensor<70x136xbf16>, %arg3[j, k] : tensor<72x130xbf16>) : f32
func.func @computed(%x: tensor<70x130xbf16>, %g: tensor<130xbf16>, %f: tensor<70xbf16>, %w: tensor<72x130xbf16>, %e: tensor<70x72xf32>) -> tensor<70x72xf32> {
  %b = tensor.empty() : tensor<70x130xbf16>
  %s = sinter.rowwise (i = 70) by (k = 130)
      ins(%x[i, k] : tensor<70x130xbf16>, %g[k] : tensor<130xbf16>, %f[i] : tensor<70xbf16>) outs(%b[i, k] : tensor<70x130xbf16>) {
  ^row(%a: tensor<130xbf16>, %c: tensor<130xbf16>, %h: bf16):
    %m = arith.mulf %a, %c : tensor<130xbf16>
    %t = arith.constant dense<2.0> : tensor<130xbf16>
    %n = arith.mulf %m, %t : tensor<130xbf16>
    %l = sinter.broadcast %h : bf16 -> tensor<130xbf16>
    %o = arith.addf %n, %l : tensor<130xbf16>
    sinter.yield %o : tensor<130xbf16>
  }
  %0 = sinter.contract (i = 70) by (j = 72) product (k = 130) (%s[i, k] : tensor<70x130xbf16>, %w[j, k] : tensor<72x130xbf16>) : f32
      outs(%e[i, j] : tensor<70x72xf32>) {
  ^row(%acc: tensor<72xf32>):
    sinter.yield %acc : tensor<72xf32>
  }
  return %0 : tensor<70x72xf32>
}

// -----

// Others read it, or a row's sum is part of it: it stays.

// CHECK-LABEL: func @computed_for_others
//   CHECK-NOT:   136
func.func @computed_for_others(%x: tensor<70x130xbf16>, %w: tensor<72x130xbf16>, %e: tensor<70x72xf32>) -> (tensor<70x72xf32>, tensor<70x72xf32>, tensor<70x130xbf16>) {
  %b = tensor.empty() : tensor<70x130xbf16>
  %s = sinter.rowwise (i = 70) by (k = 130) ins(%x[i, k] : tensor<70x130xbf16>) outs(%b[i, k] : tensor<70x130xbf16>) {
  ^row(%a: tensor<130xbf16>):
    %m = arith.mulf %a, %a : tensor<130xbf16>
    sinter.yield %m : tensor<130xbf16>
  }
  %r = sinter.rowwise (i = 70) by (k = 130) ins(%x[i, k] : tensor<70x130xbf16>) outs(%b[i, k] : tensor<70x130xbf16>) {
  ^row(%a: tensor<130xbf16>):
    %t = sinter.row_reduce maximumf %a : tensor<130xbf16> -> bf16
    %m = sinter.broadcast %t : bf16 -> tensor<130xbf16>
    %n = arith.subf %a, %m : tensor<130xbf16>
    sinter.yield %n : tensor<130xbf16>
  }
  %0 = sinter.contract (i = 70) by (j = 72) product (k = 130) (%s[i, k] : tensor<70x130xbf16>, %w[j, k] : tensor<72x130xbf16>) : f32
      outs(%e[i, j] : tensor<70x72xf32>) {
  ^row(%acc: tensor<72xf32>):
    sinter.yield %acc : tensor<72xf32>
  }
  %1 = sinter.contract (i = 70) by (j = 72) product (k = 130) (%r[i, k] : tensor<70x130xbf16>, %w[j, k] : tensor<72x130xbf16>) : f32
      outs(%e[i, j] : tensor<70x72xf32>) {
  ^row(%acc: tensor<72xf32>):
    sinter.yield %acc : tensor<72xf32>
  }
  return %0, %1, %s : tensor<70x72xf32>, tensor<70x72xf32>, tensor<70x130xbf16>
}
