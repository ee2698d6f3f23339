// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{target=cpu launches=one reasons=true},sinter-schedule{target=cpu},sinter-explain{of=sequences output=-})" %s -o /dev/null | FileCheck %s --match-full-lines
// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{launches=one},sinter-schedule{target=gpu},sinter-explain{of=sequences output=-})" %s -o /dev/null | FileCheck %s --check-prefix=GPU --match-full-lines
// RUN: rm -f %t.html
// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{target=cpu launches=one reasons=true},sinter-schedule{target=cpu},sinter-explain{of=sequences output=%t.html})" %s -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t.html

// A loop says how often it comes, and what it reads of the turn before.

// CHECK:      loop: sequence 0: 2 forms, 7 with all turns, in one parallel region
// CHECK-NEXT:   phase 0: form 0: sinter.rowwise (i = 4) by (j = 8)  exp(a), 1 task; reads 128 B; writes 128 B
// CHECK-NEXT:   6 times forms 1 to 1, a loop:
// CHECK-NEXT:   phase 1: form 1: sinter.rowwise (i = 4) by (j = 8)  a + b, 1 task, waits for the first 1; reads 128 B, 128 B of form 0 in the first turn, 128 B of form 1 of the turn before; writes 128 B
// CHECK-NEXT: {{.*}}sequence_loops.mlir:[[# @LINE + 26]]:{{[0-9]+}}: scf.for is no loop of a launch: its bounds are not constants
// GPU:        loop: sequence 0: 2 forms, 7 with all turns, in one launch of 132 blocks of 512 threads, 7 phases
// HTML:       <h2>@loop, sequence 0</h2>
// HTML-NEXT:  <p>2 forms, 7 with all turns, in one parallel region
// HTML:       <title>forms 1 to 1, 6 times: up to form 1</title><rect class="times"{{.+}}>6 times</text>
// HTML:       <p>{{.*}}scf.for is no loop of a launch: its bounds are not constants</p>
func.func @loop(%x: tensor<4x8xf32>, %w: tensor<6x4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %z = scf.for %t = %c0 to %c6 step %c1 iter_args(%v = %y) -> (tensor<4x8xf32>) {
    %p = tensor.extract_slice %w[%t, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<6x4x8xf32> to tensor<4x8xf32>
    %u = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>, %p[i, j] : tensor<4x8xf32>)
        outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
      %s = arith.addf %r0, %r1 : tensor<8xf32>
      sinter.yield %s : tensor<8xf32>
    }
    scf.yield %u : tensor<4x8xf32>
  }
  %k = scf.for %t = %c0 to %n step %c1 iter_args(%v = %z) -> (tensor<4x8xf32>) {
    %u = sinter.rowwise (i = 4) by (j = 8) ins(%v[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%r0: tensor<8xf32>):
      %s = arith.addf %r0, %r0 : tensor<8xf32>
      sinter.yield %s : tensor<8xf32>
    }
    scf.yield %u : tensor<4x8xf32>
  }
  return %k : tensor<4x8xf32>
}
