// ohem: the mean of a row's hardest elements, online hard example mining (Shrivastava, Gupta, Girshick 2016).
//
//   s = input, sorted from the largest          l = the mean of s_j where j < k or s_j > threshold
//
// `input` is what another loss gives with the reduction "none". Give k, or a threshold, or both: then at least k are
// kept, and all that are above the threshold.
sinter.define @ohem(%input: tensor<?xf32>, %k: i64 {at_least = 0, default = 0}, %threshold: f32 {default = 0x7F800000 : f32})
    attributes {reductions = ["mean", "sum", "none"], summary = "the mean of a row's hardest elements",
                formula = "l = mean of s_j where j < k or s_j > threshold, s = input from the largest on"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = arith.constant 0 : i64
  %inf = arith.constant 0x7F800000 : f32
  %by_count = arith.cmpi sgt, %k, %none : i64
  %by_value = arith.cmpf olt, %threshold, %inf : f32
  %given = arith.ori %by_count, %by_value : i1
  cf.assert %given, "ohem: neither k nor threshold is given"
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>

  %s = sinter.row_sort descending %input : tensor<?xf32>
  %column = sinter.index column : tensor<?xindex>
  %j = arith.index_cast %column : tensor<?xindex> to tensor<?xi64>
  %ks = sinter.broadcast %k : i64 -> tensor<?xi64>
  %first = arith.cmpi slt, %j, %ks : tensor<?xi64>
  %limits = sinter.broadcast %threshold : f32 -> tensor<?xf32>
  %hard = arith.cmpf ogt, %s, %limits : tensor<?xf32>
  %kept = arith.ori %first, %hard : tensor<?xi1>
  %v = arith.select %kept, %s, %zeros : tensor<?xi1>, tensor<?xf32>
  %sum = sinter.row_reduce add %v : tensor<?xf32> -> f32
  %w = arith.select %kept, %ones, %zeros : tensor<?xi1>, tensor<?xf32>
  %count = sinter.row_reduce add %w : tensor<?xf32> -> f32
  %l = arith.divf %sum, %count : f32
  sinter.yield %l : f32
}
