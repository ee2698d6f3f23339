// An embedding: a row of a table for each index, with an assert as exporters spell it.
func.func @main(%table: tensor<5x3xf32>, %t: tensor<4xi64>) -> tensor<4x3xf32> {
  %n = arith.constant 5 : i64
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%row: i64, %out: f32):
    %ok = arith.cmpi ult, %row, %n : i64
    cf.assert %ok, "index out of the table"
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%i, %j] : tensor<5x3xf32>
    linalg.yield %x : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
