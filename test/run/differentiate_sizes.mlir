// RUN: sinter-run %s --wrt=2,3 --stats --shape=5 --shape=5 | FileCheck %s --check-prefix=COUNT
// RUN: sinter-run %s --wrt=2,3 --verify --shape=5 --shape=5 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --wrt=2,3 --verify --shape=300 --shape=300 | FileCheck %s --implicit-check-not=differs
// RUN: not sinter-run %s --wrt=2,3 --stats --shape=5 --shape=6 2>&1 | FileCheck %s --check-prefix=OTHER

// Two lists of words, of which the program asserts that they are equally long: what their gradients ask for has one
// size, too, and one kernel has the rows of both that the two tables' gradients are added to, and their places, as
// where sizes are known.

// COUNT: "kernels": 3,
// CHECK: agree
// OTHER: is 6, expected 5

func.func @main(%i: tensor<?xi64>, %j: tensor<?xi64>, %e: tensor<7x4xf32>, %f: tensor<9x4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %m = tensor.dim %j, %c0 : tensor<?xi64>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "as many of each"
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, d) -> (n)>, affine_map<(n, d) -> (n, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%t: i64, %out: f32):
    %at = arith.index_cast %t : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %e[%at, %d] : tensor<7x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(n, d) -> (n)>, affine_map<(n, d) -> (n, d)>], iterator_types = ["parallel", "parallel"]}
      ins(%j : tensor<?xi64>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%t: i64, %out: f32):
    %at = arith.index_cast %t : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %f[%at, %d] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  %s = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, d) -> (n, d)>, affine_map<(n, d) -> (n, d)>, affine_map<(n, d) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.mulf %p, %q : f32
    %u = arith.addf %out, %r : f32
    linalg.yield %u : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
