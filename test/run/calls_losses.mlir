// RUN: sinter-run %s --wrt=0 --verify --stats | FileCheck %s
// RUN: sinter-run %s --wrt=0 --emit=prepared | FileCheck %s --check-prefix=INLINED

// A function that has losses, forms or scans in it is inlined where it is called, and gradients go through.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees

//     INLINED: func.func @main
// INLINED-NOT: func.call

func.func private @model(%x: tensor<4x7xf32>, %t: tensor<4x7xf32>) -> tensor<f32> {
  %l = sinter.mse(%x, %t) : (tensor<4x7xf32>, tensor<4x7xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func private @sums(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x7xf32>
  %s = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x7xf32>)
      outs(%e, %f : tensor<4x7xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tm_tensor.yield %c : f32
  } -> tensor<4x7xf32>, tensor<4xf32>
  return %r#0 : tensor<4x7xf32>
}
func.func @main(%x: tensor<4x7xf32>, %t: tensor<4x7xf32>) -> tensor<f32> {
  %s = call @sums(%x) : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %l = call @model(%s, %t) : (tensor<4x7xf32>, tensor<4x7xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
