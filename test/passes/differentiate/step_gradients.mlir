// RUN: sinter-opt --sinter-expand --sinter-differentiate --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-expand --sinter-differentiate --split-input-file --verify-diagnostics %S/Inputs/step_gradients_refused.mlir

// Value and gradient come from one form, also where the upstream gradient is an operand.

// CHECK-LABEL: func @upstream(%{{.+}}: tensor<4x8xf16>, %{{.+}}: tensor<4x8xi64>, %{{.+}}: tensor<f32>)
//       CHECK:   %[[R:.+]]:2 = sinter.steps rows(0) ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4x8xf16>, tensor<4x8xi64>, tensor<f32>)
//  CHECK-SAME:       outs(%{{.+}} : tensor<4x8xf16>) values(%{{.+}} : tensor<f32>)
//   CHECK-DAG:     memref.load %{{.+}}[] : memref<f32>
//       CHECK:     arith.truncf %{{.+}} : f32 to f16
//       CHECK:     memref.store
//   CHECK-NOT:   sinter.steps
//       CHECK:   return %[[R]]#1, %[[R]]#0
func.func @upstream(%x: tensor<4x8xf16>, %t: tensor<4x8xi64>, %g: tensor<f32>) -> (tensor<f32>, tensor<4x8xf16>) {
  %l = sinter.multilabel_margin(%x, %t) : (tensor<4x8xf16>, tensor<4x8xi64>) -> tensor<f32>
  %d = sinter.differentiate %l upstream(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<4x8xf16>) -> tensor<4x8xf16>
  return %l, %d : tensor<f32>, tensor<4x8xf16>
}

// -----

// What is behind the loss gives its gradient, what is in front of it takes one: the value is read where
// the gradient's form is not known yet, so there are two.

// CHECK-LABEL: func @between
//       CHECK:   sinter.rowwise
//       CHECK:   %[[L:.+]] = sinter.steps {{.*}} values(
//       CHECK:   sinter.rowwise
//  CHECK-NEXT:     ins(%[[L]]
//       CHECK:   sinter.steps {{.*}} outs(
//       CHECK:   sinter.rowwise
func.func @between(%x: tensor<4x8xf32>, %t: tensor<4x8xi64>) -> (tensor<f32>, tensor<4x8xf32>) {
  %y = sinter.tanh(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = sinter.multilabel_margin(%y, %t) {reduction = "none"} : (tensor<4x8xf32>, tensor<4x8xi64>) -> tensor<4xf32>
  %z = tensor.empty() : tensor<4xf32>
  %s = sinter.mse(%l, %l) {reduction = "sum"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %d = sinter.differentiate %s wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s, %d : tensor<f32>, tensor<4x8xf32>
}
