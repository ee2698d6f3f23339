// RUN: %python %S/../../run/Inputs/narrowed.py %t
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-constants{from=%t})' --split-input-file %s | FileCheck %s

// One constant of bf16 for both that round to it; the f32 stays for who reads it.

// CHECK-LABEL: func @rounded
//       CHECK:   %[[N:.+]] = arith.constant dense_resource<narrowed{{.*}}> : tensor<20x33xbf16>
//  CHECK-NEXT:   %[[W:.+]] = arith.constant dense_resource<w> : tensor<20x33xf32>
//   CHECK-NOT:   arith.truncf
//       CHECK:   return %[[N]], %[[N]], %[[W]]
#same = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @rounded() -> (tensor<20x33xbf16>, tensor<20x33xbf16>, tensor<20x33xf32>) {
  %w = arith.constant dense_resource<w> : tensor<20x33xf32>
  %e = tensor.empty() : tensor<20x33xbf16>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<20x33xbf16>
  %b = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<20x33xbf16>
  return %a, %b, %w : tensor<20x33xbf16>, tensor<20x33xbf16>, tensor<20x33xf32>
}

// -----

// What is more than a rounding is computed, and so is another order, and a type that NumPy has.

// CHECK-LABEL: func @computed
//   CHECK-NOT:   narrowed
//       CHECK:   arith.negf
//       CHECK:   arith.truncf
//       CHECK:   arith.truncf
#same = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @computed() -> (tensor<20x33xbf16>, tensor<33x20xbf16>, tensor<20x33xf16>) {
  %w = arith.constant dense_resource<w> : tensor<20x33xf32>
  %e = tensor.empty() : tensor<20x33xbf16>
  %f = tensor.empty() : tensor<33x20xbf16>
  %h = tensor.empty() : tensor<20x33xf16>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %m = arith.negf %x : f32
    %n = arith.truncf %m : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<20x33xbf16>
  %b = linalg.generic {indexing_maps = [#same, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%f : tensor<33x20xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<33x20xbf16>
  %c = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%h : tensor<20x33xf16>) {
  ^bb0(%x: f32, %y: f16):
    %n = arith.truncf %x : f32 to f16
    linalg.yield %n : f16
  } -> tensor<20x33xf16>
  return %a, %b, %c : tensor<20x33xbf16>, tensor<33x20xbf16>, tensor<20x33xf16>
}

// -----

// It is to the nearest.

// CHECK-LABEL: func @toward_zero
//   CHECK-NOT:   narrowed
//       CHECK:   arith.truncf {{.*}} toward_zero
#same = affine_map<(i, j) -> (i, j)>
func.func @toward_zero() -> tensor<20x33xbf16> {
  %w = arith.constant dense_resource<w> : tensor<20x33xf32>
  %e = tensor.empty() : tensor<20x33xbf16>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %n = arith.truncf %x toward_zero : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<20x33xbf16>
  return %a : tensor<20x33xbf16>
}
