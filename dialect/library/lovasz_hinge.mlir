// lovasz_hinge: the Lovasz extension of the Jaccard index of two classes (Berman, Triki, Blaschko 2018).
//
//   e = 1 - input (2 target - 1), sorted from the largest; g = target in this order
//   l = sum_j max(0, e_j) lovasz_gradient(g)_j
//
// A target is 0 or 1; one that is `ignore_index` does not count.
sinter.define @lovasz_hinge(%input: tensor<?xf32>, %target: tensor<?xf32>, %ignore_index: i64 {default = -100})
    attributes {reductions = ["mean", "sum", "none"], summary = "Jaccard index of two classes, by hinge errors",
                formula = "l = sum_j max(0, e_j) lovasz_gradient(g)_j, e = 1 - input (2 target - 1) from the largest on, g = target in this order"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %leasts = sinter.broadcast %least : f32 -> tensor<?xf32>
  %mark = arith.sitofp %ignore_index : i64 to f32
  %marks = sinter.broadcast %mark : f32 -> tensor<?xf32>
  %ignored = arith.cmpf oeq, %target, %marks : tensor<?xf32>
  %y = arith.select %ignored, %zeros, %target : tensor<?xi1>, tensor<?xf32>

  %twice = arith.addf %y, %y : tensor<?xf32>
  %sign = arith.subf %twice, %ones : tensor<?xf32>
  %margin = arith.mulf %input, %sign : tensor<?xf32>
  %error = arith.subf %ones, %margin : tensor<?xf32>
  %counted = arith.select %ignored, %leasts, %error : tensor<?xi1>, tensor<?xf32>
  %e, %g = sinter.row_sort descending %counted, %y : tensor<?xf32>, tensor<?xf32>

  %weight = sinter.lovasz_gradient(%g) : (tensor<?xf32>) -> tensor<?xf32>
  %violates = arith.cmpf ogt, %e, %zeros : tensor<?xf32>
  %hinge = arith.select %violates, %e, %zeros : tensor<?xi1>, tensor<?xf32>
  %v = arith.mulf %hinge, %weight : tensor<?xf32>
  %l = sinter.row_reduce add %v : tensor<?xf32> -> f32
  sinter.yield %l : f32
}
