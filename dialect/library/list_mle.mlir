// list_mle: the likelihood of the order that a list has by its target (Xia, Liu, Wang, Zhang, Li 2008).
//
//   s = input in the order of target, from the largest on; equal ones stay in their order
//   l = sum_j (log sum_{i >= j} exp(s_i) - s_j)
//
// An element whose target is `ignore_index` is no part of its list.
sinter.define @list_mle(%input: tensor<?xf32>, %target: tensor<?xf32>, %ignore_index: i64 {default = -100})
    attributes {reductions = ["mean", "sum", "none"], summary = "likelihood of a list's order",
                formula = "l = sum_j (log sum_{i >= j} exp(s_i) - s_j), s = input in the order of target, from the largest on"} {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %leasts = sinter.broadcast %least : f32 -> tensor<?xf32>
  %mark = arith.sitofp %ignore_index : i64 to f32
  %marks = sinter.broadcast %mark : f32 -> tensor<?xf32>
  %t, %s = sinter.row_sort descending %target, %input : tensor<?xf32>, tensor<?xf32>
  %ignored = arith.cmpf oeq, %t, %marks : tensor<?xf32>
  %known = arith.select %ignored, %leasts, %s : tensor<?xi1>, tensor<?xf32>
  %rest = sinter.row_scan logsumexp %known {reverse} : tensor<?xf32>
  %v = arith.subf %rest, %s : tensor<?xf32>
  %kept = arith.select %ignored, %zeros, %v : tensor<?xi1>, tensor<?xf32>
  %l = sinter.row_reduce add %kept : tensor<?xf32> -> f32
  sinter.yield %l : f32
}
