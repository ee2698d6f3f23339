// multi_margin: every other class should stay below the label's by the margin, torch.nn.functional.multi_margin_loss.
//
//   l = weight[target] sum over j other than target of max(0, margin - input[target] + input[j])^p / C
//
// p is 1 or 2.
sinter.define @multi_margin(%input: tensor<?xf32>, %target: i64, %weight: tensor<?xf32> {column, optional = 1.0},
                            %p: i64 {default = 1}, %margin: f32 {default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], columns = 1, summary = "hinge of the other classes against the label's",
                formula = "l = weight[target] sum_{j != target} max(0, margin - input[target] + input[j])^p / C"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %first = arith.constant 1 : i64
  %second = arith.constant 2 : i64
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %eaches = sinter.broadcast %first : i64 -> tensor<?xi64>
  %classes = sinter.row_reduce add %eaches : tensor<?xi64> -> i64
  %linear = arith.cmpi eq, %p, %first : i64
  %square = arith.cmpi eq, %p, %second : i64
  %either = arith.ori %linear, %square : i1
  cf.assert %either, "multi_margin: p is neither 1 nor 2"
  %inside = arith.cmpi ult, %target, %classes : i64
  cf.assert %inside, "multi_margin: target is out of range"

  %x = sinter.pick %input[%target] else %zero : tensor<?xf32>, i64
  %w = sinter.pick %weight[%target] else %one : tensor<?xf32>, i64
  %m = arith.subf %margin, %x : f32
  %margins = sinter.broadcast %m : f32 -> tensor<?xf32>
  %z = arith.addf %margins, %input : tensor<?xf32>
  %j = sinter.index column : tensor<?xindex>
  %t = arith.index_cast %target : i64 to index
  %label = sinter.broadcast %t : index -> tensor<?xindex>
  %other = arith.cmpi ne, %j, %label : tensor<?xindex>
  %above = arith.cmpf ogt, %z, %zeros : tensor<?xf32>
  %counts = arith.andi %other, %above : tensor<?xi1>
  %h = arith.select %counts, %z, %zeros : tensor<?xi1>, tensor<?xf32>
  %hh = arith.mulf %h, %h : tensor<?xf32>
  %v = arith.select %linear, %h, %hh : tensor<?xf32>
  %s = sinter.row_reduce add %v : tensor<?xf32> -> f32
  %c = arith.sitofp %classes : i64 to f32
  %mean = arith.divf %s, %c : f32
  %l = arith.mulf %w, %mean : f32
  sinter.yield %l : f32
}
