// lovasz_softmax: the Lovasz extension of the Jaccard index of each class (Berman, Triki, Blaschko 2018).
//
//   e = |(target == c) - input_c|, sorted from the largest over all places; g = (target == c) in this order
//   l = sum_j e_j lovasz_gradient(g)_j
//
// `input` has places in dimension 0 and the probabilities of classes in dimension 1, as softmax gives them. The mean is
// over classes that some target is, or with classes = "all" over all. A target that is `ignore_index` does not count.
sinter.define @lovasz_softmax(%input: tensor<?xf32>, %target: tensor<?xi64> {column},
                              %classes: i64 {values = ["present", "all"], default = "present"},
                              %ignore_index: i64 {default = -100})
    attributes {reductions = ["mean", "sum", "none"], columns = 0, summary = "Jaccard index of each class, by probabilities",
                formula = "l = sum_j e_j lovasz_gradient(g)_j, e = |(target == c) - input_c| from the largest on, g = (target == c) in this order"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %present = arith.constant 0 : i64
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %row = sinter.index row : index
  %class = arith.index_cast %row : index to i64
  %own = sinter.broadcast %class : i64 -> tensor<?xi64>
  %marks = sinter.broadcast %ignore_index : i64 -> tensor<?xi64>
  %ignored = arith.cmpi eq, %target, %marks : tensor<?xi64>
  %counts = arith.cmpi ne, %target, %marks : tensor<?xi64>
  %is = arith.cmpi eq, %target, %own : tensor<?xi64>
  %is_counted = arith.andi %is, %counts : tensor<?xi1>
  %y = arith.select %is_counted, %ones, %zeros : tensor<?xi1>, tensor<?xf32>

  %d = arith.subf %y, %input : tensor<?xf32>
  %error = math.absf %d : tensor<?xf32>
  %counted = arith.select %ignored, %zeros, %error : tensor<?xi1>, tensor<?xf32>
  %e, %g = sinter.row_sort descending %counted, %y : tensor<?xf32>, tensor<?xf32>

  %weight = sinter.lovasz_gradient(%g) : (tensor<?xf32>) -> tensor<?xf32>
  %v = arith.mulf %e, %weight : tensor<?xf32>
  %all = sinter.row_reduce add %y : tensor<?xf32> -> f32
  %sum = sinter.row_reduce add %v : tensor<?xf32> -> f32
  %only = arith.cmpi eq, %classes, %present : i64
  %none = arith.cmpf oeq, %all, %zero : f32
  %absent = arith.andi %only, %none : i1
  %l = arith.select %absent, %zero, %sum : f32
  %w = arith.select %absent, %zero, %one : f32
  sinter.yield %l, %w : f32, f32
}
