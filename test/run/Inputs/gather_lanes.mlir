// Columns chosen by data and by a literal table, of floats and of booleans: an index for each lane. No asserts.
#x = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<6x37xf32>, %t: tensor<21xi32>) -> (tensor<6x21xf32>, tensor<6x21xi1>) {
  %lit = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 36]> : tensor<21xi64>
  %half = arith.constant 0.5 : f32
  %o = tensor.empty() : tensor<6x21xf32>
  %ob = tensor.empty() : tensor<6x37xi1>
  %oc = tensor.empty() : tensor<6x21xi1>
  %y = linalg.generic {indexing_maps = [#c, #c, #x], iterator_types = ["parallel", "parallel"]} ins(%t, %lit : tensor<21xi32>, tensor<21xi64>) outs(%o : tensor<6x21xf32>) {
  ^bb0(%a: i32, %b: i64, %out: f32):
    %k = arith.index_cast %a : i32 to index
    %i = linalg.index 0 : index
    %l = arith.index_cast %b : i64 to index
    %v = tensor.extract %x[%i, %k] : tensor<6x37xf32>
    %w = tensor.extract %x[%i, %l] : tensor<6x37xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<6x21xf32>
  %m = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x37xf32>) outs(%ob : tensor<6x37xi1>) {
  ^bb0(%a: f32, %out: i1):
    %k = arith.cmpf olt, %a, %half : f32
    linalg.yield %k : i1
  } -> tensor<6x37xi1>
  %z = linalg.generic {indexing_maps = [#c, #x], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<21xi32>) outs(%oc : tensor<6x21xi1>) {
  ^bb0(%a: i32, %out: i1):
    %k = arith.index_cast %a : i32 to index
    %i = linalg.index 0 : index
    %v = tensor.extract %m[%i, %k] : tensor<6x37xi1>
    linalg.yield %v : i1
  } -> tensor<6x21xi1>
  return %y, %z : tensor<6x21xf32>, tensor<6x21xi1>
}
