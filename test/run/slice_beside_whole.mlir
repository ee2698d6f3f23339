// RUN: sinter-run %s --policy=aggressive --output=%t0.npy --output=%t1.npy --output=%t2.npy
// RUN: sinter-run %s --policy=aggressive --verify | FileCheck %s --implicit-check-not=differs
// RUN: cmp %t1.npy %t2.npy

// One element of a computed value is read by what reads the whole of something else, and is a result too: the value is
// written whole, or computed again, never in part.

// CHECK-COUNT-3: agrees
func.func @main(%x: tensor<1x1x3xf64>, %y: tensor<1x1xf64>) -> (tensor<1x1x3xi1>, tensor<1x1x1xf64>, tensor<1x1x1xf64>) {
  %e = tensor.empty() : tensor<1x1x3xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<1x1x3xf64>, tensor<1x1xf64>) outs(%e : tensor<1x1x3xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<1x1x3xf64>
  %1 = tensor.extract_slice %0[0, 0, 2] [1, 1, 1] [1, 1, 1] : tensor<1x1x3xf64> to tensor<1x1x1xf64>
  %2 = tensor.extract_slice %0[0, 0, 2] [1, 1, 1] [1, 1, 2] : tensor<1x1x3xf64> to tensor<1x1x1xf64>
  %f = tensor.empty() : tensor<1x1x3xi1>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, 0)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %1 : tensor<1x1x3xf64>, tensor<1x1x1xf64>) outs(%f : tensor<1x1x3xi1>) {
  ^bb0(%a: f64, %b: f64, %o: i1):
    %c = arith.cmpf one, %a, %b : f64
    linalg.yield %c : i1
  } -> tensor<1x1x3xi1>
  // The same element, from the arguments.
  %x2 = tensor.extract_slice %x[0, 0, 2] [1, 1, 1] [1, 1, 1] : tensor<1x1x3xf64> to tensor<1x1x1xf64>
  %y2 = tensor.expand_shape %y [[0], [1, 2]] output_shape [1, 1, 1] : tensor<1x1xf64> into tensor<1x1x1xf64>
  %g = tensor.empty() : tensor<1x1x1xf64>
  %4 = linalg.add ins(%x2, %y2 : tensor<1x1x1xf64>, tensor<1x1x1xf64>) outs(%g : tensor<1x1x1xf64>) -> tensor<1x1x1xf64>
  return %3, %2, %4 : tensor<1x1x3xi1>, tensor<1x1x1xf64>, tensor<1x1x1xf64>
}
