// DEFINE: %{data} = --input=%t.q.npy --input=%t.x.npy --input=%t.c.npy --input=%t.s.npy --expect=%t.p.npy
// RUN: %python %S/Inputs/dynamic_rotated.py %t 1 && sinter-run %s %{data} --stats | FileCheck %s
// RUN: %python %S/Inputs/dynamic_rotated.py %t 37 && sinter-run %s %{data} --policy=aggressive
// RUN: %python %S/Inputs/dynamic_rotated.py %t 1100 && sinter-run %s %{data} --threads=3
// RUN: %python %S/Inputs/dynamic_rotated.py %t 3 && sinter-run %s %{data} --policy=disabled

// Keys of a batch of any size are rotated, and four heads multiply them: the product rotates for itself. What is read
// in three places, of a subscript that is less than it looks, is one tensor.

// CHECK: "kernels": 1, {{.*}}"bytes_temporary": 0
func.func @main(%q: tensor<?x4x70x8xf32>, %x: tensor<?x12x8xf32>, %c: tensor<12x8xf32>, %s: tensor<12x8xf32>)
    -> tensor<?x4x70x12xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x8xf32>
  %d = tensor.empty(%n) : tensor<?x12x8xf32>
  %e = tensor.empty(%n) : tensor<?x4x70x12xf32>
  %y = sinter.rowwise (b = ?, j = 12) by (k = 8)
      ins(%x[b, j + k floordiv 8, k mod 8] : tensor<?x12x8xf32>, %x[b, j, k + 4] : tensor<?x12x8xf32> else 0.0,
          %x[b, j, k - 4] : tensor<?x12x8xf32> else 0.0, %c[j, k] : tensor<12x8xf32>, %s[j, k] : tensor<12x8xf32>)
      outs(%d[b, j, k] : tensor<?x12x8xf32>) {
  ^row(%a: tensor<8xf32>, %next: tensor<8xf32>, %last: tensor<8xf32>, %cos: tensor<8xf32>, %sin: tensor<8xf32>):
    %turned = arith.subf %last, %next : tensor<8xf32>
    %p = arith.mulf %a, %cos : tensor<8xf32>
    %r = arith.mulf %turned, %sin : tensor<8xf32>
    %sum = arith.addf %p, %r : tensor<8xf32>
    sinter.yield %sum : tensor<8xf32>
  }
  %p = sinter.contract (b = ?, h = 4, i = 70) by (j = 12)
      product (k = 8) (%q[b, h, i, k] : tensor<?x4x70x8xf32>, %y[b, j, k] : tensor<?x12x8xf32>) : f32
      outs(%e[b, h, i, j] : tensor<?x4x70x12xf32>) {
  ^row(%acc: tensor<12xf32>):
    sinter.yield %acc : tensor<12xf32>
  }
  return %p : tensor<?x4x70x12xf32>
}
