// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse=policy=disabled --split-input-file %s | FileCheck %s --check-prefix=DISABLED
// RUN: sinter-opt --sinter-fuse --sinter-split=target=gpu --split-input-file %s | FileCheck %s --check-prefix=CUT

// DISABLED-NOT: sinter.row_product
// CUT-NOT:      sinter.row_product

// Three layers are one form; h and g are in no memory.

// CHECK-LABEL: func @mlp
//       CHECK:   sinter.contract (i = 7) by (j = 5) by (j1 = 4) by (j2 = 3)
//  CHECK-NEXT:     product (k = 6) (%{{.+}}[i, k] : tensor<7x6xf32>, %{{.+}}[j, k] : tensor<5x6xf32>) : f32
//  CHECK-NEXT:     matrix (j) to (j1) (%{{.+}}[j1, j] : tensor<4x5xf32>)
//  CHECK-NEXT:     matrix (j1) to (j2) (%{{.+}}[j2, j1] : tensor<3x4xf32>)
//  CHECK-NEXT:     ins(%{{.+}}[j] : tensor<5xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j2] : tensor<7x3xf32>)
//       CHECK:     %[[H:.+]] = math.tanh
//       CHECK:     %[[P:.+]] = sinter.row_product %[[H]], %{{.+}} : tensor<5xf32>, tensor<5x4xf32> -> tensor<4xf32>
//       CHECK:     %[[G:.+]] = math.exp %[[P]]
//       CHECK:     %[[Y:.+]] = sinter.row_product %[[G]], %{{.+}} : tensor<4xf32>, tensor<4x3xf32> -> tensor<3xf32>
//       CHECK:     sinter.yield %[[Y]]
//   CHECK-NOT:   sinter.contract
//   CUT-LABEL: func @mlp
// CUT-COUNT-3:   sinter.contract
//     CUT-NOT:   sinter.contract
//         CUT:   return
func.func @mlp(%x: tensor<7x6xf32>, %u: tensor<5x6xf32>, %b: tensor<5xf32>, %v: tensor<4x5xf32>, %w: tensor<3x4xf32>) -> tensor<7x3xf32> {
  %e5 = tensor.empty() : tensor<7x5xf32>
  %e4 = tensor.empty() : tensor<7x4xf32>
  %e3 = tensor.empty() : tensor<7x3xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %u[j, k] : tensor<5x6xf32>) : f32 ins(%b[j] : tensor<5xf32>) outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>, %c: tensor<5xf32>):
    %s = arith.addf %acc, %c : tensor<5xf32>
    %t = math.tanh %s : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %g = sinter.contract (i = 7) by (j = 4) product (k = 5) (%h[i, k] : tensor<7x5xf32>, %v[j, k] : tensor<4x5xf32>) : f32 outs(%e4[i, j] : tensor<7x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    %t = math.exp %acc : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  %y = sinter.contract (i = 7) by (j = 3) product (k = 4) (%w[j, k] : tensor<3x4xf32>, %g[i, k] : tensor<7x4xf32>) : f32 outs(%e3[i, j] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<7x3xf32>
}

// -----

// Attention of grouped queries: keys and values are batched by `h floordiv 2`; statistics stay beside the rows, and
// what else reads a row gets it from memory.

// CHECK-LABEL: func @attention
//       CHECK:   sinter.contract (h = 4, i = 6) by (j = 9) by (d = 5)
//  CHECK-NEXT:     product (k = 8) (%{{.+}}[h, i, k] : tensor<4x6x8xf32>, %{{.+}}[h floordiv 2, j, k] : tensor<2x9x8xf32>) : f32
//  CHECK-NEXT:     matrix (j) to (d) (%{{.+}}[h floordiv 2, j, d] : tensor<2x9x5xf32>)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<6x9xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[h, i] : tensor<4x6xf32>, %{{.+}}[h, i, d] : tensor<4x6x5xf32>)
//       CHECK:     sinter.row_reduce maximumf
//       CHECK:     %[[P:.+]] = math.exp
//       CHECK:     %[[Z:.+]] = sinter.row_reduce add %[[P]]
//       CHECK:     %[[U:.+]] = sinter.row_product %[[P]]
//       CHECK:     %[[I:.+]] = arith.divf %{{.+}}, %[[Z]] : f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[I]] : f32 -> tensor<5xf32>
//       CHECK:     arith.mulf %[[U]], %[[B]]
//   CHECK-NOT:   sinter.contract
func.func @attention(%q: tensor<4x6x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x5xf32>, %mask: tensor<6x9xf32>) -> (tensor<4x6x5xf32>, tensor<4x6xf32>) {
  %ep = tensor.empty() : tensor<4x6x9xf32>
  %ez = tensor.empty() : tensor<4x6xf32>
  %eo = tensor.empty() : tensor<4x6x5xf32>
  %p:2 = sinter.contract (h = 4, i = 6) by (j = 9) product (k = 8) (%q[h, i, k] : tensor<4x6x8xf32>, %k[h floordiv 2, j, k] : tensor<2x9x8xf32>) : f32 ins(%mask[i, j] : tensor<6x9xf32>) outs(%ep[h, i, j] : tensor<4x6x9xf32>, %ez[h, i] : tensor<4x6xf32>) {
  ^row(%acc: tensor<9xf32>, %m: tensor<9xf32>):
    %s = arith.addf %acc, %m : tensor<9xf32>
    %x = sinter.row_reduce maximumf %s : tensor<9xf32> -> f32
    %b = sinter.broadcast %x : f32 -> tensor<9xf32>
    %c = arith.subf %s, %b : tensor<9xf32>
    %e = math.exp %c : tensor<9xf32>
    %z = sinter.row_reduce add %e : tensor<9xf32> -> f32
    sinter.yield %e, %z : tensor<9xf32>, f32
  }
  %o = sinter.contract (b = 4, i = 6) by (d = 5) product (j = 9) (%p#0[b, i, j] : tensor<4x6x9xf32>, %v[b floordiv 2, j, d] : tensor<2x9x5xf32>) : f32 ins(%p#1[b, i] : tensor<4x6xf32>) outs(%eo[b, i, d] : tensor<4x6x5xf32>) {
  ^row(%acc: tensor<5xf32>, %z: f32):
    %b = sinter.broadcast %z : f32 -> tensor<5xf32>
    %r = arith.divf %acc, %b : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  return %o, %p#1 : tensor<4x6x5xf32>, tensor<4x6xf32>
}

// -----

// LoRA: x W + (x A) B. One product of the second form goes on, the other is summed beside the first's.

// CHECK-LABEL: func @lora
//       CHECK:   sinter.contract (i = 7) by (r = 2) by (j = 5)
//  CHECK-NEXT:     product (k = 6) (%[[X:.+]][i, k] : tensor<7x6xf32>, %{{.+}}[r, k] : tensor<2x6xf32>) : f32
//  CHECK-NEXT:     product (k1 = 6) (%[[X]][i, k1] : tensor<7x6xf32>, %{{.+}}[j, k1] : tensor<5x6xf32>) : f32
//  CHECK-NEXT:     matrix (r) to (j) (%{{.+}}[j, r] : tensor<5x2xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<2xf32>, %[[W:.+]]: tensor<5xf32>, %[[M:.+]]: tensor<2x5xf32>)
//       CHECK:     %[[L:.+]] = sinter.row_product %[[A]], %[[M]]
//       CHECK:     arith.addf %[[L]], %[[W]]
func.func @lora(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %a: tensor<2x6xf32>, %b: tensor<5x2xf32>) -> tensor<7x5xf32> {
  %e2 = tensor.empty() : tensor<7x2xf32>
  %e5 = tensor.empty() : tensor<7x5xf32>
  %l = sinter.contract (i = 7) by (r = 2) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %a[r, k] : tensor<2x6xf32>) : f32 outs(%e2[i, r] : tensor<7x2xf32>) {
  ^row(%acc: tensor<2xf32>):
    sinter.yield %acc : tensor<2xf32>
  }
  %y = sinter.contract (i = 7) by (j = 5) product (r = 2) (%l[i, r] : tensor<7x2xf32>, %b[j, r] : tensor<5x2xf32>) : f32 product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32 outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%low: tensor<5xf32>, %acc: tensor<5xf32>):
    %s = arith.addf %low, %acc : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// SwiGLU behind a norm: the norm's whole row is at hand for gate and value, and their product for the last matrix. What
// is added at the end is of the columns that the norm began with.

// CHECK-LABEL: func @norm_swiglu
//       CHECK:   sinter.rowwise (i = 7) by (k = 6) by (j = 5)
//  CHECK-NEXT:     matrix (k) to (j) (%{{.+}}[j, k] : tensor<5x6xf32>)
//  CHECK-NEXT:     matrix (k) to (j) (%{{.+}}[j, k] : tensor<5x6xf32>)
//  CHECK-NEXT:     matrix (j) to (k) (%{{.+}}[k, j] : tensor<6x5xf32>)
//  CHECK-NEXT:     ins(%{{.+}}[i, k] : tensor<7x6xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, k] : tensor<7x6xf32>)
//  CHECK-NEXT:   ^row(%{{.+}}, %{{.+}}, %{{.+}}, %[[X:.+]]: tensor<6xf32>)
//       CHECK:     %[[N:.+]] = arith.divf %[[X]]
//       CHECK:     sinter.row_product %[[N]]
//       CHECK:     sinter.row_product %[[N]]
//       CHECK:     %[[Y:.+]] = sinter.row_product
//       CHECK:     arith.addf %[[Y]], %[[X]]
//   CHECK-NOT:   sinter.contract
//   CUT-LABEL: func @norm_swiglu
//         CUT:   sinter.rowwise
// CUT-COUNT-2:   sinter.contract
//     CUT-NOT:   sinter.contract
//         CUT:   return
func.func @norm_swiglu(%x: tensor<7x6xf32>, %g: tensor<5x6xf32>, %u: tensor<5x6xf32>, %d: tensor<6x5xf32>) -> tensor<7x6xf32> {
  %e6 = tensor.empty() : tensor<7x6xf32>
  %e5 = tensor.empty() : tensor<7x5xf32>
  %n = sinter.rowwise (i = 7) by (k = 6) ins(%x[i, k] : tensor<7x6xf32>) outs(%e6[i, k] : tensor<7x6xf32>) {
  ^row(%r: tensor<6xf32>):
    %q = arith.mulf %r, %r : tensor<6xf32>
    %s = sinter.row_reduce add %q : tensor<6xf32> -> f32
    %t = math.sqrt %s : f32
    %b = sinter.broadcast %t : f32 -> tensor<6xf32>
    %y = arith.divf %r, %b : tensor<6xf32>
    sinter.yield %y : tensor<6xf32>
  }
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%n[i, k] : tensor<7x6xf32>, %g[j, k] : tensor<5x6xf32>) : f32 product (l = 6) (%n[i, l] : tensor<7x6xf32>, %u[j, l] : tensor<5x6xf32>) : f32 outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%a: tensor<5xf32>, %c: tensor<5xf32>):
    %s = math.tanh %a : tensor<5xf32>
    %p = arith.mulf %s, %c : tensor<5xf32>
    sinter.yield %p : tensor<5xf32>
  }
  %y = sinter.contract (i = 7) by (k = 6) product (j = 5) (%h[i, j] : tensor<7x5xf32>, %d[k, j] : tensor<6x5xf32>) : f32 ins(%x[i, k] : tensor<7x6xf32>) outs(%e6[i, k] : tensor<7x6xf32>) {
  ^row(%acc: tensor<6xf32>, %r: tensor<6xf32>):
    %s = arith.addf %acc, %r : tensor<6xf32>
    sinter.yield %s : tensor<6xf32>
  }
  return %y : tensor<7x6xf32>
}

// -----

// A loss behind two layers, with its gradient by the input of both: the backward direction returns to the columns
// that the forward one had, where the mask is. Gradients by weights sum over rows: they stay apart. A broadcast of one
// number serves rows of different columns where these are equally many.

// CHECK-LABEL: func @backward
//       CHECK:   %[[R:.+]]:4 = sinter.contract (i = 7) by (j = 5) by (c = 5)
//  CHECK-NEXT:     product (k = 6)
//  CHECK-NEXT:     matrix (j) to (c) (%[[W:.+]][c, j] : tensor<5x5xf32>)
//  CHECK-NEXT:     matrix (c) to (j) (%[[W]][c, j] : tensor<5x5xf32>)
//  CHECK-NEXT:     reduce(add [] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<7x5xf32>, %{{.+}}[i, c] : tensor<7x5xf32>, %{{.+}}[] : tensor<f32>, %{{.+}}[i, j] : tensor<7x5xf32>)
//       CHECK:     sinter.broadcast %[[ZERO:.+]] : f32 -> tensor<5xf32>
//   CHECK-NOT:     sinter.broadcast %[[ZERO]]
//       CHECK:     sinter.yield
//       CHECK:   sinter.contract (i = 5) by (j = 5)
//  CHECK-NEXT:     product (k = 7) (%[[R]]#1[k, i] : tensor<7x5xf32>, %[[R]]#0[k, j] : tensor<7x5xf32>) : f32
func.func @backward(%x: tensor<7x6xf32>, %u: tensor<5x6xf32>, %w: tensor<5x5xf32>) -> (tensor<f32>, tensor<7x5xf32>, tensor<5x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %m = tensor.empty() : tensor<7x5xi1>
  %f = tensor.empty() : tensor<f32>
  %d = tensor.empty() : tensor<5x5xf32>
  %h:2 = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %u[j, k] : tensor<5x6xf32>) : f32 outs(%e[i, j] : tensor<7x5xf32>, %m[i, j] : tensor<7x5xi1>) {
  ^row(%acc: tensor<5xf32>):
    %c = arith.constant 0.0 : f32
    %z = sinter.broadcast %c : f32 -> tensor<5xf32>
    %t = arith.maximumf %acc, %z : tensor<5xf32>
    %n = arith.cmpf ogt, %acc, %z : tensor<5xf32>
    sinter.yield %t, %n : tensor<5xf32>, tensor<5xi1>
  }
  %l:2 = sinter.contract (i = 7) by (c = 5) product (k = 5) (%h#0[i, k] : tensor<7x5xf32>, %w[c, k] : tensor<5x5xf32>) : f32 reduce(add [] : f32) outs(%e[i, c] : tensor<7x5xf32>, %f[] : tensor<f32>) {
  ^row(%acc: tensor<5xf32>):
    %c = arith.constant 0.0 : f32
    %z = sinter.broadcast %c : f32 -> tensor<5xf32>
    %a = arith.maximumf %acc, %z : tensor<5xf32>
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s, %a : f32, tensor<5xf32>
  }
  %g = sinter.contract (i = 7) by (j = 5) product (c = 5) (%l#0[i, c] : tensor<7x5xf32>, %w[c, j] : tensor<5x5xf32>) : f32 ins(%h#1[i, j] : tensor<7x5xi1>) outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>, %n: tensor<5xi1>):
    %c = arith.constant 0.0 : f32
    %z = sinter.broadcast %c : f32 -> tensor<5xf32>
    %t = arith.select %n, %acc, %z : tensor<5xi1>, tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %dw = sinter.contract (i = 5) by (j = 5) product (k = 7) (%l#0[k, i] : tensor<7x5xf32>, %h#0[k, j] : tensor<7x5xf32>) : f32 outs(%d[i, j] : tensor<5x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %l#1, %g, %dw : tensor<f32>, tensor<7x5xf32>, tensor<5x5xf32>
}

// -----

// Gradients of attention by queries: rows of the scores' gradient times the keys, where a row is a query's; by keys and
// values where a row is a key's, and statistics of queries are read along it.

// CHECK-LABEL: func @attention_gradients
//       CHECK:   sinter.contract (h = 2, i = 6) by (j = 9) by (d = 4)
//  CHECK-NEXT:     product (k = 4)
//  CHECK-NEXT:     product (l = 4)
//  CHECK-NEXT:     matrix (j) to (d) (%[[K:.+]][h, j, d] : tensor<2x9x4xf32>)
//  CHECK-NEXT:     ins(%[[LSE:.+]][h, i] : tensor<2x6xf32>)
//       CHECK:   sinter.contract (h = 2, j = 9) by (i = 6) by (d = 4) by (d1 = 4)
//  CHECK-NEXT:     product (k = 4)
//  CHECK-NEXT:     product (l = 4)
//  CHECK-NEXT:     matrix (i) to (d) (%{{.+}}[h, i, d] : tensor<2x6x4xf32>)
//  CHECK-NEXT:     matrix (i) to (d1) (%{{.+}}[h, i, d1] : tensor<2x6x4xf32>)
//  CHECK-NEXT:     ins(%[[LSE]][h, i] : tensor<2x6xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[h, j, d] : tensor<2x9x4xf32>, %{{.+}}[h, j, d1] : tensor<2x9x4xf32>)
//   CHECK-NOT:   sinter.contract
func.func @attention_gradients(%q: tensor<2x6x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>, %lse: tensor<2x6xf32>, %g: tensor<2x6x4xf32>) -> (tensor<2x6x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) {
  %ea = tensor.empty() : tensor<2x6x9xf32>
  %eb = tensor.empty() : tensor<2x9x6xf32>
  %eq = tensor.empty() : tensor<2x6x4xf32>
  %ek = tensor.empty() : tensor<2x9x4xf32>
  %ds = sinter.contract (h = 2, i = 6) by (j = 9) product (k = 4) (%q[h, i, k] : tensor<2x6x4xf32>, %k[h, j, k] : tensor<2x9x4xf32>) : f32 product (l = 4) (%g[h, i, l] : tensor<2x6x4xf32>, %v[h, j, l] : tensor<2x9x4xf32>) : f32 ins(%lse[h, i] : tensor<2x6xf32>) outs(%ea[h, i, j] : tensor<2x6x9xf32>) {
  ^row(%s: tensor<9xf32>, %dp: tensor<9xf32>, %n: f32):
    %b = sinter.broadcast %n : f32 -> tensor<9xf32>
    %c = arith.subf %s, %b : tensor<9xf32>
    %p = math.exp %c : tensor<9xf32>
    %pd = arith.mulf %p, %dp : tensor<9xf32>
    %t = sinter.row_reduce add %pd : tensor<9xf32> -> f32
    %tb = sinter.broadcast %t : f32 -> tensor<9xf32>
    %y = arith.subf %dp, %tb : tensor<9xf32>
    %x = arith.mulf %p, %y : tensor<9xf32>
    sinter.yield %x : tensor<9xf32>
  }
  %dq = sinter.contract (h = 2, i = 6) by (d = 4) product (j = 9) (%ds[h, i, j] : tensor<2x6x9xf32>, %k[h, j, d] : tensor<2x9x4xf32>) : f32 outs(%eq[h, i, d] : tensor<2x6x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  %st:2 = sinter.contract (h = 2, j = 9) by (i = 6) product (k = 4) (%k[h, j, k] : tensor<2x9x4xf32>, %q[h, i, k] : tensor<2x6x4xf32>) : f32 product (l = 4) (%v[h, j, l] : tensor<2x9x4xf32>, %g[h, i, l] : tensor<2x6x4xf32>) : f32 ins(%lse[h, i] : tensor<2x6xf32>) outs(%eb[h, j, i] : tensor<2x9x6xf32>, %eb[h, j, i] : tensor<2x9x6xf32>) {
  ^row(%s: tensor<6xf32>, %dp: tensor<6xf32>, %n: tensor<6xf32>):
    %c = arith.subf %s, %n : tensor<6xf32>
    %p = math.exp %c : tensor<6xf32>
    %x = arith.mulf %p, %dp : tensor<6xf32>
    sinter.yield %p, %x : tensor<6xf32>, tensor<6xf32>
  }
  %dv = sinter.contract (h = 2, j = 9) by (d = 4) product (i = 6) (%st#0[h, j, i] : tensor<2x9x6xf32>, %g[h, i, d] : tensor<2x6x4xf32>) : f32 outs(%ek[h, j, d] : tensor<2x9x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  %dk = sinter.contract (h = 2, j = 9) by (d = 4) product (i = 6) (%st#1[h, j, i] : tensor<2x9x6xf32>, %q[h, i, d] : tensor<2x6x4xf32>) : f32 outs(%ek[h, j, d] : tensor<2x9x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  return %dq, %dv, %dk : tensor<2x6x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
}

// -----

// A side with a program goes on too: what it does is done to the row. The other side keeps its own.

// CHECK-LABEL: func @programs
//       CHECK:   sinter.contract (i = 7) by (j = 5) by (e = 3)
//  CHECK-NEXT:     product (k = 6)
//  CHECK-NEXT:     matrix (j) to (e) (side(%{{.+}}[e, j] : tensor<3x5xf32>) {
//  CHECK-NEXT:     ^side(%[[V:.+]]: tensor<5xf32>):
//  CHECK-NEXT:       arith.addf %[[V]], %[[V]]
//       CHECK:     ins(%{{.+}}[j] : tensor<5xf32>)
//       CHECK:   ^row(%[[H:.+]]: tensor<5xf32>, %[[M:.+]]: tensor<5x3xf32>, %[[G:.+]]: tensor<5xf32>):
//       CHECK:     %[[P:.+]] = arith.mulf %[[H]], %[[G]]
//       CHECK:     sinter.row_product %[[P]], %[[M]]
func.func @programs(%x: tensor<7x6xf32>, %u: tensor<5x6xf32>, %g: tensor<5xf32>, %w: tensor<3x5xf32>) -> tensor<7x3xf32> {
  %e5 = tensor.empty() : tensor<7x5xf32>
  %e3 = tensor.empty() : tensor<7x3xf32>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf32>, %u[j, k] : tensor<5x6xf32>) : f32 outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %y = sinter.contract (i = 7) by (e = 3) product (k = 5) (side(%h[i, k] : tensor<7x5xf32>, %g[k] : tensor<5xf32>) {
    ^side(%a: tensor<5xf32>, %b: tensor<5xf32>):
      %p = arith.mulf %a, %b : tensor<5xf32>
      sinter.yield %p : tensor<5xf32>
    }, side(%w[e, k] : tensor<3x5xf32>) {
    ^side(%a: tensor<5xf32>):
      %s = arith.addf %a, %a : tensor<5xf32>
      sinter.yield %s : tensor<5xf32>
    }) : f32 outs(%e3[i, e] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y : tensor<7x3xf32>
}

// -----

// Sizes that are not known: those of the row that goes on are one dimension's.

// CHECK-LABEL: func @sizes
//       CHECK:   sinter.contract (i = ?) by (j = ?) by (j1 = ?)
//  CHECK-NEXT:     product (k = 6)
//  CHECK-NEXT:     matrix (j) to (j1) (%{{.+}}[j1, j] : tensor<?x?xf32>)
func.func @sizes(%x: tensor<?x6xf32>, %u: tensor<?x6xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %m = tensor.dim %u, %c0 : tensor<?x6xf32>
  %l = tensor.dim %w, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %d = tensor.empty(%n, %l) : tensor<?x?xf32>
  %h = sinter.contract (i = ?) by (j = ?) product (k = 6) (%x[i, k] : tensor<?x6xf32>, %u[j, k] : tensor<?x6xf32>) : f32 outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%acc: tensor<?xf32>):
    %t = math.tanh %acc : tensor<?xf32>
    sinter.yield %t : tensor<?xf32>
  }
  %y = sinter.contract (i = ?) by (j = ?) product (k = ?) (%h[i, k] : tensor<?x?xf32>, %w[j, k] : tensor<?x?xf32>) : f32 outs(%d[i, j] : tensor<?x?xf32>) {
  ^row(%acc: tensor<?xf32>):
    sinter.yield %acc : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// A product sums over both k and l of rows [i, k, l], and another result has k alone: those are not its columns.

// CHECK-LABEL: func @part
//       CHECK:   sinter.rowwise (i = 2, k = 5) by (l = 8)
//       CHECK:     outs(%{{.+}}[i, k] : tensor<2x5xf32>, %{{.+}}[i, k, l] : tensor<2x5x8xf32>)
//       CHECK:   sinter.contract (i = 2) by (j = 3)
//  CHECK-NEXT:     product (k = 5, l = 8)
func.func @part(%x: tensor<2x5xf32>, %t: tensor<2x5x8xf32>, %w: tensor<5x8x3xf32>) -> (tensor<2x5xf32>, tensor<2x3xf32>) {
  %e0 = tensor.empty() : tensor<2x5xf32>
  %e1 = tensor.empty() : tensor<2x5x8xf32>
  %e2 = tensor.empty() : tensor<2x3xf32>
  %h:2 = sinter.rowwise (i = 2, k = 5) by (l = 8) ins(%x[i, k] : tensor<2x5xf32>, %t[i, k, l] : tensor<2x5x8xf32>) outs(%e0[i, k] : tensor<2x5xf32>, %e1[i, k, l] : tensor<2x5x8xf32>) {
  ^row(%a: f32, %b: tensor<8xf32>):
    %m = math.exp %a : f32
    %n = math.tanh %b : tensor<8xf32>
    sinter.yield %m, %n : f32, tensor<8xf32>
  }
  %y = sinter.contract (i = 2) by (j = 3) product (k = 5, l = 8) (%h#1[i, k, l] : tensor<2x5x8xf32>, %w[k, l, j] : tensor<5x8x3xf32>) : f32 outs(%e2[i, j] : tensor<2x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %h#0, %y : tensor<2x5xf32>, tensor<2x3xf32>
}
