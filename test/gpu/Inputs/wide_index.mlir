// A gather as exporters spell it, with all that is compared of type index: numbers below 0 count from the end, others
// are asserted to be inside.
func.func @main(%table: tensor<5x3xf32>, %t: tensor<8xi64>) -> tensor<8x3xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<8x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8xi64>) outs(%e : tensor<8x3xf32>) {
  ^bb0(%row: i64, %out: f32):
    %i = arith.index_cast %row : i64 to index
    %negative = arith.cmpi slt, %i, %c0 : index
    %more = arith.addi %i, %c5 : index
    %k = arith.select %negative, %more, %i : index
    %low = arith.cmpi sge, %k, %c0 : index
    %high = arith.cmpi slt, %k, %c5 : index
    %ok = arith.andi %low, %high : i1
    cf.assert %ok, "index out of the table"
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%k, %j] : tensor<5x3xf32>
    linalg.yield %x : f32
  } -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
