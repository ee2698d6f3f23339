// RUN: sinter-run %s --shape=9x7 --policy=disabled --output=%t.a.npy --output=%t.b.npy --output=%t.c.npy --output=%t.d.npy
// RUN: sinter-run %s --shape=9x7 --expect=%t.a.npy --expect=%t.b.npy --expect=%t.c.npy --expect=%t.d.npy --stats | FileCheck %s
// RUN: sinter-run %s --shape=0x0 --verify
// RUN: sinter-run %s --shape=1x1 --verify
// RUN: sinter-run %s --shape=2x1 --verify
// RUN: sinter-run %s --shape=1x3 --verify
// RUN: sinter-run %s --shape=37x65 --verify

// Parts of a size `?` as an exporter clamps their ends (x[1:] - x[:-1], and along rows), and paddings of it by one and
// by two, of no elements, of one and of many: nothing is copied before it is read, and no two lengths are taken for
// one.

// CHECK: "kernels": {{[1-4]}},
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %first = arith.minsi %n, %c1 : index
  %left = arith.subi %n, %first : index
  %rows = arith.maxsi %left, %c0 : index
  %a = tensor.extract_slice %x[%first, 0] [%rows, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %less = arith.addi %n, %m1 : index
  %below = arith.cmpi slt, %less, %c0 : index
  %end = arith.select %below, %m1, %less : index
  %most = arith.minsi %end, %n : index
  %same = arith.maxsi %most, %c0 : index
  %b = tensor.extract_slice %x[0, 0] [%same, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %e = tensor.empty(%rows, %m) : tensor<?x?xf32>
  %d = linalg.sub ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %column = arith.minsi %m, %c1 : index
  %columns = arith.subi %m, %column : index
  %g = tensor.extract_slice %x[0, %column] [%n, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %h = tensor.extract_slice %x[0, 0] [%n, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %f = tensor.empty(%n, %columns) : tensor<?x?xf32>
  %p = linalg.mul ins(%g, %h : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s0 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<?x?xf32>) outs(%s1 : tensor<f32>) dimensions = [0, 1]
  %one = tensor.pad %x low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %two = tensor.pad %x low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %u = linalg.exp ins(%one : tensor<?x?xf32>) outs(%one : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v = linalg.tanh ins(%two : tensor<?x?xf32>) outs(%two : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d, %s, %u, %v : tensor<?x?xf32>, tensor<f32>, tensor<?x?xf32>, tensor<?x?xf32>
}
