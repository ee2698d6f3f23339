// RUN: sinter-opt --sinter-split="keep-sides=true" --sinter-differentiate="wrt=0,1,2 upstream=true" --sinter-fuse=without=chains --sinter-behind-products=floats=true --sinter-fuse %s | FileCheck %s
// RUN: sed "s/530/500/g" %s | sinter-opt --sinter-split="keep-sides=true" --sinter-differentiate="wrt=0,1,2 upstream=true" --sinter-fuse | FileCheck %s --check-prefix=SMALL

// A CPU makes rows again, too, where they are a megabyte or more: the value with its maximum and sum, delta, the
// gradients by queries, by keys and values. Nothing stored is queries times keys.

// CHECK-NOT:   outs({{.*}}530x530xf32>
// CHECK:       sinter.contract (i = 530) by (j = 530) by (e = 16)
// CHECK:         sinter.row_reduce maximumf %{{.+}} {sinter.any_reference} : tensor<530xf32> -> f32
// CHECK-NOT:   outs({{.*}}530x530xf32>
// CHECK:       sinter.rowwise (i = 530) by (e = 16)
// CHECK:       sinter.contract (i = 530) by (j = 530) by (d1 = 16)
// CHECK-NEXT:    product
// CHECK-NEXT:    product
// CHECK-NEXT:    matrix (j) to
// CHECK-NOT:     {{sinter.row_reduce|530x530xf32>}}
// CHECK:       sinter.contract (j = 530) by (i = 530)
// CHECK-NEXT:    product
// CHECK-NEXT:    product
// CHECK-NEXT:    matrix (i) to
// CHECK-NEXT:    matrix (i) to
// CHECK-NOT:     {{sinter.row_reduce|530x530xf32>}}
// CHECK:       return

// Of fewer bytes the value's kernel has rows whole, and makes the queries' gradient as well.

// SMALL:       sinter.contract (i = 500) by (j = 500)
// SMALL-NEXT:    product
// SMALL-NEXT:    product
// SMALL-NEXT:    matrix (j) to
// SMALL-NEXT:    matrix (j) to
// SMALL-NOT:   sinter.rowwise
// SMALL:       sinter.contract (j = 500) by (i = 500)
// SMALL-NOT:   sinter.contract
func.func @main(%q: tensor<1x530x16xf32>, %k: tensor<1x530x16xf32>, %v: tensor<1x530x16xf32>) -> tensor<1x530x16xf32> {
  %e = tensor.empty() : tensor<1x530x16xf32>
  %y = sinter.contract (h = 1, i = 530) by (j = 530) by (e = 16)
      product (d = 16) (%q[h, i, d] : tensor<1x530x16xf32>, %k[h, j, d] : tensor<1x530x16xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<1x530x16xf32>)
      outs(%e[h, i, e] : tensor<1x530x16xf32>) {
  ^row(%p: tensor<530xf32>, %v_: tensor<530x16xf32>):
    %scale = arith.constant dense<0.25> : tensor<530xf32>
    %s = arith.mulf %p, %scale : tensor<530xf32>
    %i = sinter.index i : index
    %is = sinter.broadcast %i : index -> tensor<530xindex>
    %j = sinter.index j : tensor<530xindex>
    %no = arith.constant dense<0xFF800000> : tensor<530xf32>
    %later = arith.cmpi sgt, %j, %is : tensor<530xindex>
    %x = arith.select %later, %no, %s : tensor<530xi1>, tensor<530xf32>
    %m = sinter.row_reduce maximumf %x : tensor<530xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<530xf32>
    %less = arith.subf %x, %ms : tensor<530xf32>
    %ex = math.exp %less : tensor<530xf32>
    %z = sinter.row_reduce add %ex : tensor<530xf32> -> f32
    %zs = sinter.broadcast %z : f32 -> tensor<530xf32>
    %w = arith.divf %ex, %zs : tensor<530xf32>
    %u = sinter.row_product %w, %v_ : tensor<530xf32>, tensor<530x16xf32> -> tensor<16xf32>
    sinter.yield %u : tensor<16xf32>
  }
  return %y : tensor<1x530x16xf32>
}
