// x[t, u]: two index tensors, whose negative indices count from the end. No asserts.
#x = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%e: tensor<9x4xf32>, %t: tensor<5x3xi64>, %u: tensor<5x3xi64>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : i64
  %c9 = arith.constant 9 : i64
  %c4 = arith.constant 4 : i64
  %o = tensor.empty() : tensor<5x3xf32>
  %y = linalg.generic {indexing_maps = [#x, #x, #x], iterator_types = ["parallel", "parallel"]} ins(%t, %u : tensor<5x3xi64>, tensor<5x3xi64>) outs(%o : tensor<5x3xf32>) {
  ^bb0(%a: i64, %b: i64, %out: f32):
    %n = arith.cmpi slt, %a, %c0 : i64
    %p = arith.addi %a, %c9 : i64
    %q = arith.select %n, %p, %a : i64
    %i = arith.index_cast %q : i64 to index
    %n2 = arith.cmpi slt, %b, %c0 : i64
    %p2 = arith.addi %b, %c4 : i64
    %q2 = arith.select %n2, %p2, %b : i64
    %j = arith.index_cast %q2 : i64 to index
    %v = tensor.extract %e[%i, %j] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
