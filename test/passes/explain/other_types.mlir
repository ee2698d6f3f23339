// RUN: sinter-opt --sinter-explain=output=- %s -o /dev/null | FileCheck %s

// What is moved of complex numbers and of vectors, which no kernel has, is counted too.

// CHECK: 64 B
func.func @main(%x: tensor<4xcomplex<f32>>, %v: tensor<2xvector<4xf32>>) -> tensor<4xcomplex<f32>> {
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%e : tensor<4xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>):
    %r = complex.mul %p, %p : complex<f32>
    linalg.yield %r : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %y : tensor<4xcomplex<f32>>
}
