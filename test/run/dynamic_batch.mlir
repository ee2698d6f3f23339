// RUN: sinter-run %s --shape=3x7x16 --shape=3x16x9 --verify --stats | FileCheck %s
// RUN: sinter-run %s --shape=0x7x16 --shape=0x16x9 --verify
// RUN: sinter-run %s --shape=1x7x16 --shape=1x16x1 --verify
// RUN: sinter-run %s --shape=37x7x16 --shape=37x16x130 --verify --threads=1 --output=%t1.npy
// RUN: sinter-run %s --shape=37x7x16 --shape=37x16x130 --verify --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: not sinter-run %s --shape=3x7x16 --shape=4x16x9 2>&1 | FileCheck %s --check-prefix=BATCH

// A batch of products with sums over the batch beside it, a result of collapsed sizes, and one of added sizes: what a
// caller has to allocate is computed from the arguments.

// CHECK-COUNT-4: agrees
// BATCH: error: main: {{.*:[0-9]+:[0-9]+}}: sizes of operands differ: the size of input 1 in dimension 0 is 4, expected 3, that of input 0 in dimension 0

func.func @main(%x: tensor<?x7x16xf32>, %w: tensor<?x16x?xf32>)
    -> (tensor<?x7x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x7x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x7x16xf32>
  %n = tensor.dim %w, %c2 : tensor<?x16x?xf32>
  %e = tensor.empty(%b, %n) : tensor<?x7x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x?xf32>) -> tensor<?x7x?xf32>
  %p = linalg.batch_matmul ins(%x, %w : tensor<?x7x16xf32>, tensor<?x16x?xf32>) outs(%z : tensor<?x7x?xf32>) -> tensor<?x7x?xf32>
  %q = linalg.exp ins(%p : tensor<?x7x?xf32>) outs(%e : tensor<?x7x?xf32>) -> tensor<?x7x?xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%q : tensor<?x7x?xf32>) outs(%zr : tensor<?xf32>) dimensions = [0, 1]
  %s = linalg.exp ins(%p : tensor<?x7x?xf32>) outs(%e : tensor<?x7x?xf32>) -> tensor<?x7x?xf32>
  %flat = tensor.collapse_shape %s [[0, 1], [2]] : tensor<?x7x?xf32> into tensor<?x?xf32>
  %twice = tensor.concat dim(0) %x, %x : (tensor<?x7x16xf32>, tensor<?x7x16xf32>) -> tensor<?x7x16xf32>
  return %q, %r, %flat, %twice : tensor<?x7x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x7x16xf32>
}
