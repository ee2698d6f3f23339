// RUN: sinter-run %s --policy=aggressive --input=%reference/mse/seed0/in0.npy --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy --output=%t.4.npy --stats | FileCheck %s
// RUN: sinter-run %s --policy=disabled --input=%reference/mse/seed0/in0.npy --output=%t.5.npy --expect=%t.0.npy --expect=%t.1.npy --expect=%t.2.npy --expect=%t.3.npy --expect=%t.4.npy
// RUN: sinter-run %s --input=%reference/mse/seed0/in0.npy --expect=%reference/mse/seed0/in0.npy --expect=%reference/mse/seed0/in0.npy

// An argument that is a result, twice; one that is changed in place on the way; a constant;
// a number; a loop. Each result is the caller's own memory, and an input is never written.

// CHECK: {"kernels": {{[0-9]+}},
func.func @main(%x: tensor<37x131xf32>) -> (tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<2xi64>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %k = arith.constant dense<[7, -3]> : tensor<2xi64>
  %y = tensor.insert %z into %x[%c1, %c3] : tensor<37x131xf32>
  %v = tensor.extract %x[%c1, %c3] : tensor<37x131xf32>
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v) -> f32 {
    %n = arith.addf %a, %v : f32
    scf.yield %n : f32
  }
  %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> tensor<37x131xf32> {
    %n = arith.addf %a, %x : tensor<37x131xf32>
    scf.yield %n : tensor<37x131xf32>
  }
  return %x, %x, %t, %k, %s : tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<2xi64>, f32
}
