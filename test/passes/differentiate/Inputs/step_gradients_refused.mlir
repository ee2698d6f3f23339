// A gradient that the steps do not say.

sinter.define_steps @first(%n: index {row}, %x: memref<?x?xf32>) attributes {reductions = ["sum"]} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%n, %c0] : memref<?x?xf32>
  sinter.yield %v : f32
}
func.func @no_gradient(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{its steps say no gradient with respect to operand 0}}
  %l = sinter.apply @first(%x) : (tensor<4x8xf32>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}
