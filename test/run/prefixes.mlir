// RUN: sinter-run %s --verify --shape=4x11 --shape=2x3x9x5 --quiet | FileCheck %s
// RUN: sinter-run %s --verify --shape=4x1 --shape=2x3x1x2 --quiet | FileCheck %s
// RUN: sinter-run %s --policy=disabled --verify --shape=4x11 --shape=2x3x9x5 --quiet | FileCheck %s

// The first elements of each row, in a number that is known when the program runs: a kernel and a function of the
// program read them as a tensor of its own. Of constants, too, as a causal mask's.

// CHECK-COUNT-5: of main agrees with the decomposed program
// CHECK-NOT:     differs
func.func private @sum(%x: tensor<?x?xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %y : tensor<f32>
}

func.func @main(%x: tensor<4x?xf32>, %y: tensor<2x3x?x?xf32>)
    -> (tensor<4x?xf32>, tensor<2x3x?x?xf32>, tensor<2x3x?x?xf32>, tensor<f32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %half = arith.ceildivui %n, %c2 : index
  %s = tensor.extract_slice %x[0, 0] [4, %half] [1, 1] : tensor<4x?xf32> to tensor<4x?xf32>
  %r0 = math.absf %s : tensor<4x?xf32>
  %h = tensor.dim %y, %c2 : tensor<2x3x?x?xf32>
  %w = tensor.dim %y, %c3 : tensor<2x3x?x?xf32>
  %third = arith.ceildivui %h, %c3 : index
  %t = tensor.extract_slice %y[0, 0, 0, 0] [2, 3, %third, %w] [1, 1, 1, 1] : tensor<2x3x?x?xf32> to tensor<2x3x?x?xf32>
  %r1 = math.absf %t : tensor<2x3x?x?xf32>
  %u = tensor.extract_slice %y[0, 0, 0, 0] [2, 3, %third, %c2] [1, 1, 1, 1] : tensor<2x3x?x?xf32> to tensor<2x3x?x?xf32>
  %r2 = math.absf %u : tensor<2x3x?x?xf32>
  %v = tensor.extract_slice %x[0, 0] [%c3, %half] [1, 1] : tensor<4x?xf32> to tensor<?x?xf32>
  %r3 = func.call @sum(%v) : (tensor<?x?xf32>) -> tensor<f32>
  %mask = arith.constant dense<[[0.0, -1.0, -2.0, -3.0, -4.0, -5.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                                [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]> : tensor<3x6xf32>
  %m = tensor.extract_slice %mask[0, 0] [%c3, %half] [1, 1] : tensor<3x6xf32> to tensor<?x?xf32>
  %r4 = math.exp %m : tensor<?x?xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<4x?xf32>, tensor<2x3x?x?xf32>, tensor<2x3x?x?xf32>, tensor<f32>, tensor<?x?xf32>
}
