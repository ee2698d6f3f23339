#p = affine_map<(d0, d1, d2) -> (d1)>
#b = affine_map<(d0, d1, d2) -> (d0)>
#o = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @main(%t: tensor<9xi64>, %offsets: tensor<4xi64>, %w: tensor<7x5xf32>) -> tensor<4x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i64
  %bags = arith.constant 4 : i64
  %end = arith.constant 9 : i64
  %e = tensor.empty() : tensor<4x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.generic {indexing_maps = [#p, #b, #o], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%t, %offsets : tensor<9xi64>, tensor<4xi64>) outs(%f : tensor<4x5xf32>) {
  ^bb0(%at: i64, %from: i64, %acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.addi %j, %one : i64
    %l = arith.index_cast %k : i64 to index
    %last = arith.cmpi eq, %k, %bags : i64
    %n = arith.select %last, %c0, %l : index
    %m = tensor.extract %offsets[%n] : tensor<4xi64>
    %to = arith.select %last, %end, %m : i64
    %p = linalg.index 1 : index
    %q = arith.index_cast %p : index to i64
    %less = arith.cmpi slt, %from, %q : i64
    %equal = arith.cmpi eq, %from, %q : i64
    %low = arith.ori %less, %equal : i1
    %high = arith.cmpi slt, %q, %to : i64
    %in = arith.andi %low, %high : i1
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %w[%r, %c] : tensor<7x5xf32>
    %s = arith.addf %v, %acc : f32
    %z = arith.select %in, %s, %acc : f32
    linalg.yield %z : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
