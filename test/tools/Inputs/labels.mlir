// Rows of a table by labels, divided by a root; and the labels themselves.
func.func @main(%table: tensor<50x4xf32>, %t: tensor<99xi64>, %v: tensor<4xf32>, %d: tensor<99xi64>) -> (tensor<99x4xf32>, tensor<99xi64>) {
  %c50 = arith.constant 50 : i64
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<99x4xf32>
  %f = tensor.empty() : tensor<99xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t, %v : tensor<99xi64>, tensor<4xf32>) outs(%e : tensor<99x4xf32>) {
  ^bb0(%a: i64, %b: f32, %o: f32):
    %low = arith.cmpi sge, %a, %c0 : i64
    cf.assert %low, "a label is negative"
    %ok = arith.cmpi slt, %a, %c50 : i64
    cf.assert %ok, "a label is 50 or more"
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %s = tensor.extract %table[%i, %j] : tensor<50x4xf32>
    %positive = arith.cmpf ogt, %b, %zero : f32
    cf.assert %positive, "a variance is not positive"
    %r = math.sqrt %b : f32
    %q = arith.divf %s, %r : f32
    linalg.yield %q : f32
  } -> tensor<99x4xf32>
  %k = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t, %d : tensor<99xi64>, tensor<99xi64>) outs(%f : tensor<99xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %q = arith.divsi %a, %b : i64
    %p = arith.muli %q, %b : i64
    %m = arith.subi %a, %p : i64
    %n = arith.addi %p, %m : i64
    linalg.yield %n : i64
  } -> tensor<99xi64>
  return %y, %k : tensor<99x4xf32>, tensor<99xi64>
}
