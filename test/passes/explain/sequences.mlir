// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{target=cpu launches=one},sinter-schedule{target=cpu},sinter-explain{of=sequences output=-})" %s -o /dev/null | FileCheck %s --match-full-lines
// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{launches=one},sinter-schedule{target=gpu},sinter-explain{of=sequences output=-})" %s -o /dev/null | FileCheck %s --check-prefix=GPU --match-full-lines
// RUN: rm -f %t.html
// RUN: sinter-opt "--pass-pipeline=builtin.module(sinter-sequence{target=cpu launches=one},sinter-schedule{target=cpu},sinter-explain{of=sequences output=%t.html})" %s -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t.html

// What each form of a sequence waits for, and what flows. Layers come once: the first of three reads what is given,
// the others what the layer before made, and all of them the first form.

// CHECK:      layers: sequence 0: 7 forms by turns, in one task
// CHECK-NEXT:   phase 0: form 0: sinter.rowwise (i = 4) by (j = 8)  tanh(a), 1 task; reads 128 B; writes 128 B
// CHECK-NEXT:   3 times forms 1 to 2:
// CHECK-NEXT:   phase 1: form 1: sinter.rowwise (i = 4) by (j = 8)  exp(a), 1 task, waits for the first 1; reads 0 B, 128 B of form 0; writes 128 B
// CHECK-NEXT:   phase 2: form 2: sinter.rowwise (i = 4) by (j = 8)  a + b, 1 task, waits for the first 2; reads 0 B, 128 B of form 1, 128 B of form 0; writes 128 B
// CHECK-NOT:  form

// On a GPU phases wait for each other.

// GPU:      layers: sequence 0: 7 forms in one launch of 132 blocks of 512 threads, 7 phases
// GPU-NEXT:   phase 0: form 0: sinter.rowwise (i = 4) by (j = 8)  tanh(a), {{[0-9]+}} block{{s?}} of {{[0-9]+}} threads; reads 128 B; writes 128 B
// GPU-NEXT:   3 times forms 1 to 2:
// GPU-NEXT:   phase 1: form 1: sinter.rowwise (i = 4) by (j = 8)  exp(a), {{.+}} threads; reads 0 B, 128 B of form 0; writes 128 B
// GPU-NEXT:   phase 2: form 2: sinter.rowwise (i = 4) by (j = 8)  a + b, {{.+}} threads; reads 0 B, 128 B of form 1, 128 B of form 0; writes 128 B

// HTML:      <h2>@layers, sequence 0</h2>
// HTML-NEXT: <p>7 forms in one task: one behind the other; what comes several times is drawn once.</p>
// HTML-NEXT: <div class="picture tasks"><svg xmlns="http://www.w3.org/2000/svg"
// HTML-NEXT: <text x="8" y="49">phase 0</text>
// HTML-NEXT: <rect class="lane"
// HTML-NEXT: >phase 1</text>
// HTML-NEXT: >phase 2</text>
// HTML-NEXT: <title>forms 1 to 2, 3 times: up to form 6</title><rect class="times"{{.+}}>3 times</text>
// HTML-NEXT: <title>form 1 waits for form 0: 128 B</title><path d="M211 72 C211 90 211 92 211 110"/><text class="flow"{{.+}}>128 B</text>
// HTML-NEXT: <title>form 2 waits for form 1: 128 B</title>
// HTML-NEXT: <title>form 2 waits for form 0: 128 B</title>
// HTML-NEXT: <title>form 0: sinter.rowwise (i = 4) by (j = 8)
// HTML:      <text x="102" y="39">0: tanh(a)</text><text x="102" y="53">1 task</text><text x="102" y="67">reads 128 B, writes 128 B</text>
// HTML-NOT:  form 3:
// HTML:      </svg></div>
func.func @layers(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a0 = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.tanh %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %b0 = sinter.rowwise (i = 4) by (j = 8) ins(%a0[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %c0 = sinter.rowwise (i = 4) by (j = 8) ins(%b0[i, j] : tensor<4x8xf32>, %a0[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
    %v = arith.addf %r0, %r1 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %b1 = sinter.rowwise (i = 4) by (j = 8) ins(%c0[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %c1 = sinter.rowwise (i = 4) by (j = 8) ins(%b1[i, j] : tensor<4x8xf32>, %a0[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
    %v = arith.addf %r0, %r1 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %b2 = sinter.rowwise (i = 4) by (j = 8) ins(%c1[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %c2 = sinter.rowwise (i = 4) by (j = 8) ins(%b2[i, j] : tensor<4x8xf32>, %a0[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
    %v = arith.addf %r0, %r1 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  return %c2 : tensor<4x8xf32>
}

// What is read in common is no reason to draw layers apart, a form that has to wait for one that it reads nothing of is
// shown to, and what comes twice by itself is drawn twice.

// CHECK:      other: sequence 1: 5 forms by turns, in one task
// CHECK-NEXT:   phase 0: form 0: {{.+}}, 1 task; reads 128 B; writes 128 B
// CHECK-NEXT:   phase 1: form 1: {{.+}}  exp(a), 1 task, waits for the first 1; reads 0 B, 128 B of form 0; writes 128 B
// CHECK-NEXT:   phase 1: form 2: {{.+}}  exp(a), 1 task, waits for the first 2; reads 128 B; writes 128 B
// CHECK-NEXT:   phase 2: form 3: {{.+}}  a + b, 1 task, waits for the first 3; reads 0 B, 128 B of form 1, 128 B of form 2; writes 128 B
// CHECK-NEXT:   phase 3: form 4: {{.+}}  a + b, 1 task, waits for the first 4; reads 0 B, 128 B of form 3, 128 B of form 0; writes 128 B

// HTML: <h2>@other, sequence 1</h2>
// HTML-NOT: several times
// HTML: <title>form 2 waits for form 1: it reads nothing of it</title><path class="waits" d="
// HTML-NOT: <text class="flow"
// HTML: </g>
// HTML: <title>form 4 waits for form 0: 128 B</title><path d="M{{[0-9]+}} 49 C
// HTML: </svg></div>
// HTML-NEXT: </body></html>
func.func @other(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %0:2 = sinter.sequence phases [0, 1, 1, 2, 3] waits [0, 1, 2, 3, 4] -> tensor<4x8xf32>, tensor<4x8xf32> {
  %a = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.tanh %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %b = sinter.rowwise (i = 4) by (j = 8) ins(%a[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %c = sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>):
    %v = math.exp %r0 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %d = sinter.rowwise (i = 4) by (j = 8) ins(%b[i, j] : tensor<4x8xf32>, %c[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
    %v = arith.addf %r0, %r1 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
  %f = sinter.rowwise (i = 4) by (j = 8) ins(%d[i, j] : tensor<4x8xf32>, %a[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r0: tensor<8xf32>, %r1: tensor<8xf32>):
    %v = arith.addf %r0, %r1 : tensor<8xf32>
    sinter.yield %v : tensor<8xf32>
  }
    sinter.yield %d, %f : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}
