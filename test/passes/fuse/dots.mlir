// RUN: sinter-opt --sinter-split --sinter-differentiate --sinter-fuse="policy=aggressive target=gpu" %s | FileCheck %s
// RUN: sinter-opt --sinter-split --sinter-differentiate --sinter-fuse="policy=aggressive target=gpu" --sinter-split=target=gpu %s | FileCheck %s --check-prefix=ONE
// RUN: sinter-opt --sinter-split --sinter-differentiate --sinter-fuse=policy=aggressive %s | FileCheck %s --check-prefix=CPU
// RUN: sed "s/%%half = arith.truncf %%weights/%%half = arith.truncf %%ex/" %s | sinter-opt --sinter-split --sinter-differentiate --sinter-fuse="policy=aggressive target=gpu" | FileCheck %s --check-prefix=GROWS

// The gradients of attention where tensor cores multiply: the value with its maximum and sum; delta, a sum over the
// value times its gradient; q's by queries; k's and v's by keys, in one group of columns. Nothing stored is queries
// times keys. Of its maximum any number near it will do: all that is made of it are quotients. By keys maximum and sum
// are one number of each query (fuse/log_sums.c).

// CHECK-LABEL: func @attention
// CHECK:       %[[A:.+]]:3 = sinter.contract (b = 2, h = 3, i = 40) by (j = 24) by (e = 16)
// CHECK-NEXT:    product (k = 16) (%arg0[b, h, i, k] : {{.*}}, %arg1[b, h, j, k] : {{.*}}) : f32
// CHECK-NEXT:    matrix (j) to (e) (%arg2[b, h, j, e] : {{.*}})
// CHECK-NEXT:    outs(%{{.+}}[b, h, i] : tensor<2x3x40xf32>, %{{.+}}[b, h, i] : tensor<2x3x40xf32>, %{{.+}}[b, h, i, e] : {{.*}})
// CHECK:         sinter.row_reduce maximumf %{{.+}} {sinter.any_reference} : tensor<24xf32> -> f32
// CHECK:       %[[D:.+]]:4 = sinter.rowwise (b = 2, h = 3, i = 40) by (e = 16)
// CHECK-NEXT:    ins(%arg3[b, h, i, e] : {{.*}}, %[[A]]#2[b, h, i, e] : {{.*}}, %[[A]]#1[b, h, i] : {{.*}}, %[[A]]#0[b, h, i] : {{.*}})
// CHECK-NEXT:    outs(%{{.+}}[b, h, i] : tensor<2x3x40xf32>, %{{.+}}[b, h, i] : tensor<2x3x40xf32>, %{{.+}}[b, h, i] : tensor<2x3x40xf32>, %{{.+}}[b, h, i] : tensor<2x3x40xf32>)
// CHECK:         %[[GO:.+]] = arith.mulf %{{.+}}, %{{.+}} : tensor<16xf32>
// CHECK-NEXT:    sinter.row_reduce add %[[GO]]
// CHECK:       sinter.contract (b = 2, h = 3, i = 40) by (j = 24) by (k1 = 16)
// CHECK-NEXT:    product (k = 16) (%arg0[b, h, i, k] : {{.*}}, %arg1[b, h, j, k] : {{.*}}) : f32
// CHECK-NEXT:    product (e = 16) (%arg3[b, h, i, e] : {{.*}}, %arg2[b, h, j, e] : {{.*}}) : f32
// CHECK-NEXT:    matrix (j) to (k1) (%arg1[b, h, j, k1] : {{.*}})
// CHECK-NEXT:    ins(%[[A]]#0[b, h, i] : {{.*}}, %[[D]]#0[b, h, i] : {{.*}}, %[[D]]#1[b, h, i] : {{.*}})
// CHECK-NOT:     sinter.row_reduce
// CHECK:       sinter.contract (b = 2, h = 3, j = 24) by (i = 40) by (e1 = 16)
// CHECK-NEXT:    product (k = 16) (%arg0[b, h, i, k] : {{.*}}, %arg1[b, h, j, k] : {{.*}}) : f32
// CHECK-NEXT:    product (e = 16) (%arg3[b, h, i, e] : {{.*}}, %arg2[b, h, j, e] : {{.*}}) : f32
// CHECK-NEXT:    matrix (i) to (e1) (%arg3[b, h, i, e1] : {{.*}})
// CHECK-NEXT:    matrix (i) to (e1) (%arg0[b, h, i, e1] : {{.*}})
// CHECK-NEXT:    ins(%[[D]]#2[b, h, i] : {{.*}}, %[[D]]#3[b, h, i] : {{.*}})
// CHECK-NOT:     sinter.row_reduce
// CHECK:       return
// CHECK-NOT: 40x24

// Nobody cuts them.

// ONE-COUNT-2: matrix (j) to
// ONE-COUNT-2: matrix (i) to
// ONE-NOT:     sinter.contract

// A value of exponentials that nothing divides by their sum is under the maximum itself.

// GROWS:     sinter.contract (b = 2, h = 3, i = 40) by (j = 24) by (e = 16)
// GROWS-NOT: any_reference
// GROWS:     sinter.row_reduce maximumf %{{[a-z0-9]+}} : tensor<24xf32>
// GROWS-NOT: any_reference
// GROWS:     return

// A CPU has whole rows.

// CPU:     sinter.contract (b = 2, h = 3, i = 40) by (j = 24)
// CPU-NOT: sinter.rowwise
func.func @attention(%q: tensor<2x3x40x16xbf16>, %k: tensor<2x3x24x16xbf16>, %v: tensor<2x3x24x16xbf16>, %g: tensor<2x3x40x16xbf16>)
    -> (tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>, tensor<2x3x24x16xbf16>) {
  %empty_y = tensor.empty() : tensor<2x3x40x16xbf16>
  %y = sinter.contract (b = 2, h = 3, i = 40) by (j = 24) by (e = 16)
      product (k = 16) (%q[b, h, i, k] : tensor<2x3x40x16xbf16>, %k[b, h, j, k] : tensor<2x3x24x16xbf16>) : f32
      matrix (j) to (e) (%v[b, h, j, e] : tensor<2x3x24x16xbf16>)
      outs(%empty_y[b, h, i, e] : tensor<2x3x40x16xbf16>) {
  ^row(%p: tensor<24xf32>, %v_: tensor<24x16xbf16>):
  %max = sinter.row_reduce maximumf %p : tensor<24xf32> -> f32
  %maxs = sinter.broadcast %max : f32 -> tensor<24xf32>
  %less = arith.subf %p, %maxs : tensor<24xf32>
  %ex = math.exp %less : tensor<24xf32>
  %sum = sinter.row_reduce add %ex : tensor<24xf32> -> f32
  %bys = sinter.broadcast %sum : f32 -> tensor<24xf32>
  %weights = arith.divf %ex, %bys : tensor<24xf32>
  %half = arith.truncf %weights : tensor<24xf32> to tensor<24xbf16>
  %u0 = sinter.row_product %half, %v_ : tensor<24xbf16>, tensor<24x16xbf16> -> tensor<16xf32>
  %y0_ = arith.truncf %u0 : tensor<16xf32> to tensor<16xbf16>
  sinter.yield %y0_ : tensor<16xbf16>
  }
  %dq, %dk, %dv = sinter.differentiate %y upstream(%g) wrt(%q, %k, %v)
      : (tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>, tensor<2x3x24x16xbf16>)
      -> (tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>, tensor<2x3x24x16xbf16>)
  return %y, %dq, %dk, %dv : tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>, tensor<2x3x24x16xbf16>
}
