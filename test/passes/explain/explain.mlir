// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{reasons=true},sinter-explain{record=true},sinter-fuse{policy=aggressive},sinter-explain{policy=aggressive output=-})' %s -o %t.mlir | FileCheck %s --match-full-lines
// RUN: FileCheck %s --check-prefix=AFTER < %t.mlir
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{reasons=true},sinter-explain{record=true})' %s | FileCheck %s --check-prefix=RECORDED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise,sinter-fuse{policy=aggressive},sinter-explain{policy=aggressive})' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{reasons=true},sinter-explain{record=true},sinter-explain{policy=disabled output=-})' %s -o /dev/null | FileCheck %s --check-prefix=DISABLED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{reasons=true},sinter-explain{record=true},sinter-fuse{policy=aggressive},sinter-explain{policy=aggressive output=%t.html})' %s -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: not sinter-opt --pass-pipeline='builtin.module(sinter-explain{output=%t.none/x.html})' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// Every line of the program is named by its place; every boundary and every refusal has a reason.

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>

// Two become one; the sum over all rows is known after the grid, so what reads it is a second kernel.

// CHECK: sums: 4 operations become 2 kernels; traffic 428 B becomes 188 B, 56% less; 2 launches less (policy aggressive)
// CHECK-NEXT: kernel 0: sinter.rowwise (i = 3) by (j = 5), reads 60 B, writes 4 B, made of
// CHECK-NEXT:   {{.+}}explain.mlir:[[#@LINE+18]]:8  %a = linalg.exp ins(%x : tensor<3x5xf32>) outs(%e : tenso...  exp(a)
// CHECK-NEXT:   {{.+}}explain.mlir:[[#@LINE+18]]:8  %s = linalg.generic  sum over rows of sum(a)
// CHECK-NEXT: kernel 1: sinter.rowwise (i = 3) by (j = 5), reads 64 B (60 B + 4 B), writes 60 B, made of
// CHECK-NEXT:   {{.+}}explain.mlir:[[#@LINE+21]]:8  %y = linalg.generic  a - b
// CHECK-NEXT:   {{.+}}explain.mlir:[[#@LINE+25]]:8  %z = linalg.abs ins(%y : tensor<3x5xf32>) outs(%e : tenso...  absf(a)
// CHECK-NEXT: kernel 0 -> kernel 1, 4 B:
// CHECK-NEXT:   {{.+}}explain.mlir:[[#@LINE+18]]:8: kernel 1: needs more than what its neighbour reduced over rows

// RECORDED-LABEL: func @sums
// RECORDED-SAME: sinter.before = [{computes = "exp(a)", in = 6.000000e+01 : f64, lines = {{[^,]+}}, out = 6.000000e+01 : f64, outside = false, reads = array<i64>, what = "sinter.rowwise (i = 3) by (j = 5)"}
// AFTER-NOT: sinter.before

// ALONE: sums: 2 kernels; traffic 188 B (policy aggressive)
func.func @sums(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %n = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%n : tensor<f32>) -> tensor<f32>
  %a = linalg.exp ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%f : tensor<f32>) {
  ^bb0(%h: f32, %acc: f32):
    %t = arith.addf %acc, %h : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#ij, #none, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<3x5xf32>, tensor<f32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%h: f32, %m: f32, %o: f32):
    %t = arith.subf %h, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  %z = linalg.abs ins(%y : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}

// An operation that stays linalg says why it does, and so does the boundary beside it.

// CHECK: scan: 2 operations become 2 kernels; {{.*}}
// CHECK: kernel 0 -> kernel 1, 60 B:
// CHECK-NEXT:   {{.+}}: linalg.generic stays outside: its body reads a destination that nothing has written
// CHECK: what stays outside the kernels of ours:
// CHECK-NEXT:   {{.+}}: linalg.generic: its body reads a destination that nothing has written

// DISABLED: kernel 0 -> kernel 1, 60 B:
// DISABLED-NEXT: {{.+}}: the policy is disabled

// HTML: <!DOCTYPE html>
// HTML-NOT: <script
// HTML: <h2>@sums</h2>
// HTML: <tr><td>before fusion</td><td>4</td><td>428 B</td></tr>
// HTML: <tr><td>after, policy aggressive</td><td>2</td><td>188 B</td></tr>
// HTML: <h3>Before</h3>
// HTML: <svg xmlns
// HTML-COUNT-4: <rect
// HTML: </svg>
// HTML: <h3>After</h3>
// HTML: kernel 0 (2 ops)
// HTML: <h3>Why not fewer</h3>
// HTML: needs more than what its neighbour reduced over rows
// HTML: <h3>Outside the kernels of ours</h3>
// HTML: </html>

// NONE: sinter-explain cannot write {{.*}}: No such file or directory
func.func @scan(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %a = linalg.exp ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%h: f32, %o: f32):
    %t = arith.addf %o, %h : f32
    linalg.yield %t : f32
  } -> tensor<3x5xf32>
  return %s : tensor<3x5xf32>
}
