// RUN: sinter-run %s --shape=9 --random='sign*0' --verify --stats | FileCheck %s
// RUN: sinter-run %s --shape=0 --random='sign*0' --verify
// RUN: sinter-run %s --shape=1 --random='sign*0' --verify --cpu=haswell

// What is read beyond a length ? is 0 there, and zeros inside keep their signs: 1 / -0 is -inf. What would have to read
// zeros of both signs stays a kernel of its own.

// CHECK: "kernels": 3,
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.negf ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %p = tensor.pad %g low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %m = tensor.dim %p, %c0 : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.reciprocal ins(%p : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.mulf %in, %half : f32
    %b = arith.negf %a : f32
    %c = arith.subf %b, %in : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %q = tensor.pad %h low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %k = tensor.dim %q, %c0 : tensor<?xf32>
  %t = tensor.empty(%k) : tensor<?xf32>
  %s = linalg.reciprocal ins(%q : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
