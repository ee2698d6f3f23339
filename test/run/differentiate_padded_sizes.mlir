// RUN: sinter-run %s --wrt=0 --shape=2x3x5 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --wrt=0 --shape=2x3x6 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --wrt=0 --shape=2x3x1 --verify --quiet | FileCheck %s

// The gradient of a padding behind the last element of a size `?`: there are more elements of it than of the input.

// CHECK-COUNT-3: of main agrees with the decomposed program
func.func @main(%x: tensor<2x3x?xf32>) -> (tensor<f32>, tensor<2x3x?xf32>) {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %h = tensor.dim %x, %c2 : tensor<2x3x?xf32>
  %n = arith.remui %h, %c2 : index
  %p = tensor.pad %x low[0, 0, 0] high[0, 1, %n] {
    ^bb0(%a: index, %b: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<2x3x?xf32> to tensor<2x4x?xf32>
  %y = math.tanh %p : tensor<2x4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<2x4x?xf32>) outs(%zeros : tensor<f32>) dimensions = [0, 1, 2]
  %q = tensor.pad %x low[0, 0, 0] high[0, 0, 1] {
    ^bb0(%a: index, %b: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<2x3x?xf32> to tensor<2x3x?xf32>
  return %s, %q : tensor<f32>, tensor<2x3x?xf32>
}
