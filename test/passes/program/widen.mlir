// RUN: sinter-opt --sinter-widen %s | FileCheck %s

// A sum has an accumulator in float64; what is not a sum, or has no reduction, stays.

// CHECK-LABEL: func @sum
//  CHECK-SAME:   (%[[X:.+]]: tensor<5x7xf32>, %[[Z:.+]]: tensor<5xf32>)
//       CHECK:   %[[W:.+]] = arith.extf %[[Z]] : tensor<5xf32> to tensor<5xf64>
//       CHECK:   %[[T:.+]] = linalg.generic {{.+}} ins(%[[X]] : tensor<5x7xf32>) outs(%[[W]] : tensor<5xf64>)
//       CHECK:   ^bb0(%[[A:.+]]: f32, %[[ACC:.+]]: f64):
//  CHECK-NEXT:     %[[B:.+]] = arith.extf %[[A]] : f32 to f64
//  CHECK-NEXT:     %[[N:.+]] = arith.addf %[[B]], %[[ACC]] : f64
//  CHECK-NEXT:     linalg.yield %[[N]] : f64
//       CHECK:   %[[S:.+]] = arith.truncf %[[T]] : tensor<5xf64> to tensor<5xf32>
//       CHECK:   return %[[S]]
func.func @sum(%x: tensor<5x7xf32>, %z: tensor<5xf32>) -> tensor<5xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.addf %a, %acc : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  return %s : tensor<5xf32>
}

// A half type comes back by way of f32.

// CHECK-LABEL: func @half
//       CHECK:   %[[T:.+]] = linalg.generic
//       CHECK:   %[[S:.+]] = arith.truncf %[[T]] : tensor<f64> to tensor<f32>
//       CHECK:   %[[H:.+]] = arith.truncf %[[S]] : tensor<f32> to tensor<bf16>
//       CHECK:   return %[[H]]
func.func @half(%x: tensor<7xbf16>, %z: tensor<bf16>) -> tensor<bf16> {
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<7xbf16>) outs(%z : tensor<bf16>) {
  ^bb0(%a: bf16, %acc: bf16):
    %n = arith.addf %acc, %a : bf16
    linalg.yield %n : bf16
  } -> tensor<bf16>
  return %s : tensor<bf16>
}

// CHECK-LABEL: func @not_a_sum
//   CHECK-NOT:   f64
func.func @not_a_sum(%x: tensor<5x7xf32>, %z: tensor<5xf32>) -> tensor<5xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x7xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.maximumf %a, %acc : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  return %s : tensor<5xf32>
}

// CHECK-LABEL: func @no_reduction
//   CHECK-NOT:   f64
func.func @no_reduction(%x: tensor<5xf32>, %z: tensor<5xf32>) -> tensor<5xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.addf %a, %acc : f32
    linalg.yield %n : f32
  } -> tensor<5xf32>
  return %s : tensor<5xf32>
}

// CHECK-LABEL: func @reduce
//       CHECK:   linalg.reduce ins(%arg0 : tensor<5x7xbf16>) outs({{.*}} : tensor<5xf64>)
func.func @reduce(%x: tensor<5x7xbf16>, %z: tensor<5xbf16>) -> tensor<5xbf16> {
  %s = linalg.reduce ins(%x : tensor<5x7xbf16>) outs(%z : tensor<5xbf16>) dimensions = [1]
    (%a: bf16, %acc: bf16) {
      %n = arith.addf %a, %acc : bf16
      linalg.yield %n : bf16
    }
  return %s : tensor<5xbf16>
}
