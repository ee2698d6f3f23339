// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{reasons=true},sinter-explain{record=true},sinter-fuse{policy=aggressive},sinter-explain{policy=aggressive output=-})' %s -o %t.mlir --mlir-print-debuginfo | FileCheck %s --match-full-lines
// RUN: FileCheck %s --check-prefix=UNTAGGED --input-file=%t.mlir
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{record=true})' %s --mlir-print-debuginfo | FileCheck %s --check-prefix=TAGGED
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-explain{record=true},sinter-explain{output=%t.html})' %s -o /dev/null && FileCheck %s --check-prefix=HTML --input-file=%t.html

// Operations are told apart by themselves, not by their place: exporters give one place to many. Each shows its
// arithmetic.

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// UNTAGGED-NOT: sinter.op
// TAGGED: loc("sinter.op 0"(

// Two kernels of operations of one place: each has its own.

// CHECK: one_place: 4 operations become 2 kernels; traffic 480 B becomes 240 B, 50% less; 2 launches less (policy aggressive)
// CHECK-NEXT: kernel {{[01]}}: sinter.rowwise (i = 3) by (j = 5), reads 60 B, writes 60 B, made of
// CHECK-NEXT:   exported.py:7:1  exp(a)
// CHECK-NEXT:   exported.py:7:1  -a
// CHECK-NEXT: kernel {{[01]}}: sinter.rowwise (i = 5) by (j = 3), reads 60 B, writes 60 B, made of
// CHECK-NEXT:   exported.py:7:1  tanh(a)
// CHECK-NEXT:   exported.py:7:1  absf(a)
// CHECK-NOT: computed in each
// CHECK-NOT: gone
func.func @one_place(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>) -> (tensor<3x5xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %a = linalg.exp ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32> loc(#place)
  %b = linalg.negf ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32> loc(#place)
  %c = linalg.tanh ins(%y : tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32> loc(#place)
  %d = linalg.abs ins(%c : tensor<5x3xf32>) outs(%f : tensor<5x3xf32>) -> tensor<5x3xf32> loc(#place)
  return %b, %d : tensor<3x5xf32>, tensor<5x3xf32>
}
#place = loc("exported.py":7:1)

// Arithmetic of one form: precedence, comparisons, reductions of the row and over rows, finish; and one is not many.

// CHECK: arithmetic: 1 operation becomes 1 kernel; traffic 148 B becomes 148 B (policy aggressive)
// CHECK-NEXT: kernel 0: sinter.rowwise (i = 3) by (j = 5), reads 72 B (60 B + 12 B), writes 76 B, made of
// CHECK-NEXT:   {{.+}}  max over rows of max(a); (a - b) * (a > 0 ? a : -b); sum(exp(a)) - 1; then sqrt(x0)
func.func @arithmetic(%x: tensor<3x5xf32>, %y: tensor<3xf32>) -> (tensor<3x5xf32>, tensor<3xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %f = tensor.empty() : tensor<3xf32>
  %g = tensor.empty() : tensor<f32>
  %r:3 = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>, %y[i] : tensor<3xf32>)
      reduce(maximumf [] : f32) outs(%e[i, j] : tensor<3x5xf32>, %f[i] : tensor<3xf32>, %g[] : tensor<f32>) {
  ^row(%a: tensor<5xf32>, %b: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %bs = sinter.broadcast %b : f32 -> tensor<5xf32>
    %zs = sinter.broadcast %zero : f32 -> tensor<5xf32>
    %d = arith.subf %a, %bs : tensor<5xf32>
    %c = arith.cmpf ogt, %a, %zs : tensor<5xf32>
    %n = arith.negf %bs : tensor<5xf32>
    %s = arith.select %c, %a, %n : tensor<5xi1>, tensor<5xf32>
    %p = arith.mulf %d, %s : tensor<5xf32>
    %q = math.exp %a : tensor<5xf32>
    %t = sinter.row_reduce add %q : tensor<5xf32> -> f32
    %u = arith.subf %t, %one : f32
    %m = sinter.row_reduce maximumf %a : tensor<5xf32> -> f32
    sinter.yield %m, %p, %u : f32, tensor<5xf32>, f32
  } finish {
  ^done(%m: f32):
    %h = math.sqrt %m : f32
    sinter.yield %h : f32
  }
  return %r#0, %r#1, %r#2 : tensor<3x5xf32>, tensor<3xf32>, tensor<f32>
}

// Work in steps is a kernel too, and its neighbours say why they are others.

// CHECK: steps: 2 operations become 2 kernels; traffic {{.+}} (policy aggressive)
// CHECK-NEXT: kernel 0: sinter.rowwise (i = 4) by (j = 8), reads 128 B, writes 128 B, made of
// CHECK-NEXT:   {{.+}}  exp(a)
// CHECK-NEXT: kernel 1: sinter.steps, reads {{.+}}, writes 16 B, made of
// CHECK-NEXT:   {{.+}}
// CHECK-NEXT: kernel 0 -> kernel 1, 128 B:
// CHECK-NEXT:   {{.+}}: kernel 1: work in steps is a kernel by itself
// HTML: <h2>@steps</h2>
// HTML: sinter.steps
func.func @steps(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = tensor.empty() : tensor<4xf32>
  %a = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%r: tensor<8xf32>):
    %y = math.exp %r : tensor<8xf32>
    sinter.yield %y : tensor<8xf32>
  }
  %s = sinter.steps rows(0) ins(%a : tensor<4x8xf32>) values(%d : tensor<4xf32>) -> tensor<4xf32> {
  ^row(%i: index, %m: memref<4x8xf32>):
    %zero = arith.constant 0 : index
    %v = memref.load %m[%i, %zero] : memref<4x8xf32>
    sinter.yield %v : f32
  }
  return %s : tensor<4xf32>
}

// A side's program is written where the side stands.

// CHECK: sides: 1 operation becomes 1 kernel; traffic 312 B becomes 312 B (policy aggressive)
// CHECK-NEXT: kernel 0: sinter.contract (i = 3) by (j = 5) over (k = 7, l = 7), {{.+}}, made of
// CHECK-NEXT:   {{.+}}  ((A0a + 1) * A0b).exp(B0) - A1.(B1 + B1)
func.func @sides(%x: tensor<3x7xf32>, %g: tensor<7xf32>, %w: tensor<5x7xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.contract (i = 3) by (j = 5)
      product (k = 7) (side(%x[i, k] : tensor<3x7xf32>, %g[k] : tensor<7xf32>) {
      ^side(%a: tensor<7xf32>, %b: tensor<7xf32>):
        %one = arith.constant dense<1.0> : tensor<7xf32>
        %c = arith.addf %a, %one : tensor<7xf32>
        %d = arith.mulf %c, %b : tensor<7xf32>
        sinter.yield %d : tensor<7xf32>
      }, side(%w[j, k] : tensor<5x7xf32>) {
      ^side(%a: tensor<7xf32>):
        %b = math.exp %a : tensor<7xf32>
        sinter.yield %b : tensor<7xf32>
      }) : f32
      product (l = 7) (%x[i, l] : tensor<3x7xf32>, side(%w[j, l] : tensor<5x7xf32>) {
      ^side(%a: tensor<7xf32>):
        %b = arith.addf %a, %a : tensor<7xf32>
        sinter.yield %b : tensor<7xf32>
      }) : f32
      outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%p: tensor<5xf32>, %q: tensor<5xf32>):
    %r = arith.subf %p, %q : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// Why what makes a side is no program of it.

// CHECK: another_reader: 2 operations become 2 kernels; {{.+}}
// CHECK: kernel 0 -> kernel 1, 140 B:
// CHECK-NEXT:   {{.+}}: kernel 1: a side of its product has another reader, so it is stored anyway
func.func @another_reader(%x: tensor<3x7xf32>, %w: tensor<5x7xf32>) -> (tensor<3x5xf32>, tensor<5x7xf32>) {
  %d = tensor.empty() : tensor<5x7xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %v = sinter.rowwise (j = 5) by (k = 7) ins(%w[j, k] : tensor<5x7xf32>) outs(%d[j, k] : tensor<5x7xf32>) {
  ^row(%a: tensor<7xf32>):
    %b = math.exp %a : tensor<7xf32>
    sinter.yield %b : tensor<7xf32>
  }
  %y = sinter.contract (i = 3) by (j = 5)
      product (k = 7) (%x[i, k] : tensor<3x7xf32>, %v[j, k] : tensor<5x7xf32>) : f32
      outs(%e[i, j] : tensor<3x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y, %v : tensor<3x5xf32>, tensor<5x7xf32>
}
