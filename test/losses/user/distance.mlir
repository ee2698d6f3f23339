// RUN: sinter-run %s --verify --stats --random=normal | FileCheck %s

// A user's distance in the library's triplet loss: the largest difference.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees
// CHECK: "kernels": 1,

sinter.define @chebyshev(%x: tensor<?xf32>, %y: tensor<?xf32>) attributes {formula = "max |x - y|"} {
  %d = arith.subf %x, %y : tensor<?xf32>
  %a = math.absf %d : tensor<?xf32>
  %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
  sinter.yield %m : f32
}

func.func @main(%a: tensor<4x8xf32>, %p: tensor<4x8xf32>, %n: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %l = sinter.triplet_margin_with_distance(%a, %p, %n) {distance = @chebyshev, margin = 2.0, swap = true} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  %da = sinter.differentiate %l wrt(%a) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %l, %da : tensor<f32>, tensor<4x8xf32>
}
