// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s --mlir-print-op-generic | sinter-opt | FileCheck %s

// Tensors and memrefs, one value for each row and a sum of them, scratch memory, a destination that the body stores to,
// and a finish.

// CHECK-LABEL: func @tensors
//       CHECK:   %{{.+}}:3 = sinter.steps rows(1) ins(%{{.+}} : tensor<5x4xf32>) outs(%{{.+}} : tensor<5x4xf32>)
//  CHECK-SAME:       values(%{{.+}}, %{{.+}} : tensor<f32>, tensor<4xf32>) -> tensor<5x4xf32>, tensor<f32>, tensor<4xf32> {
//       CHECK:   ^{{.+}}(%{{.+}}: index, %{{.+}}: memref<5x4xf32>, %{{.+}}: memref<5x4xf32>):
//       CHECK:     scf.parallel
//       CHECK:     sinter.yield
//       CHECK:   } finish {
//       CHECK:   ^{{.+}}(%{{.+}}: index, %{{.+}}: f32):
func.func @tensors(%x: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<f32>, tensor<4xf32>) {
  %0 = tensor.empty() : tensor<5x4xf32>
  %1 = tensor.empty() : tensor<f32>
  %2 = tensor.empty() : tensor<4xf32>
  %d, %e, %f = sinter.steps rows(1) ins(%x : tensor<5x4xf32>) outs(%0 : tensor<5x4xf32>) values(%1, %2 : tensor<f32>, tensor<4xf32>)
      -> tensor<5x4xf32>, tensor<f32>, tensor<4xf32> {
  ^row(%i: index, %a: memref<5x4xf32>, %b: memref<5x4xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %a, %c0 : memref<5x4xf32>
    %m = arith.addi %n, %c1 : index
    %s = memref.alloca(%m) : memref<?xf32>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %v = memref.load %a[%j, %i] : memref<5x4xf32>
      memref.store %v, %s[%j] : memref<?xf32>
      memref.store %v, %b[%j, %i] : memref<5x4xf32>
    }
    %v = memref.load %s[%c1] : memref<?xf32>
    sinter.yield %v, %v : f32, f32
  } finish {
  ^done(%rows: index, %s: f32):
    %t = arith.addf %s, %s : f32
    sinter.yield %t : f32
  }
  return %d, %e, %f : tensor<5x4xf32>, tensor<f32>, tensor<4xf32>
}

// CHECK-LABEL: func @memrefs
//       CHECK:   sinter.steps rows(0) ins(%{{.+}} : memref<?xi32>) values(%{{.+}} : memref<?xi32>) schedule(#sinter.rows<chunk = 2>) {
func.func @memrefs(%x: memref<?xi32>, %y: memref<?xi32>) {
  sinter.steps rows(0) ins(%x : memref<?xi32>) values(%y : memref<?xi32>) schedule(#sinter.rows<chunk = 2>) {
  ^row(%i: index, %a: memref<?xi32>):
    %v = memref.load %a[%i] : memref<?xi32>
    sinter.yield %v : i32
  }
  return
}

// CHECK-LABEL: sinter.define_steps @twice(%n: index {row}, %x: memref<?x?xf32>, %k: i64 {default = 0 : i64}) attributes {reductions = ["sum"]} {
sinter.define_steps @twice(%n: index {row}, %x: memref<?x?xf32>, %k: i64 {default = 0}) attributes {reductions = ["sum"]} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%n, %c0] : memref<?x?xf32>
  sinter.yield %v : f32
}
