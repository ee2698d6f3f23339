// pairwise_distance: the p-norm of a difference, torch.nn.functional.pairwise_distance.
//
//   y = (sum |x1 - x2 + eps|^p)^(1/p)      p = inf: the largest; p = 0: how many are not 0
//
// Where the norm is 0 its gradient is 0, as in PyTorch.
sinter.define @pairwise_distance(%x1: tensor<?xf32>, %x2: tensor<?xf32>, %p: f32 {at_least = 0.0, default = 2.0},
                                 %eps: f32 {default = 1.0e-6})
    attributes {broadcast, summary = "p-norm of a difference", formula = "y = (sum |x1 - x2 + eps|^p)^(1/p)"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %little = sinter.broadcast %eps : f32 -> tensor<?xf32>
  %is0 = arith.cmpf oeq, %p, %zero : f32
  %is1 = arith.cmpf oeq, %p, %one : f32
  %is2 = arith.cmpf oeq, %p, %two : f32
  %is3 = arith.cmpf oeq, %p, %three : f32
  %isinf = arith.cmpf oeq, %p, %inf : f32

  %difference = arith.subf %x1, %x2 : tensor<?xf32>
  %d = arith.addf %difference, %little : tensor<?xf32>
  %abs = math.absf %d : tensor<?xf32>
  %max = sinter.row_reduce maximumf %abs : tensor<?xf32> -> f32
  %same = arith.cmpf oeq, %d, %zeros : tensor<?xf32>

  // |d|^p, without a power where it is a product. 0 has no slope, whatever the power's is.
  %square = arith.mulf %d, %d : tensor<?xf32>
  %cube = arith.mulf %square, %abs : tensor<?xf32>
  %some = arith.select %same, %ones, %abs : tensor<?xi1>, tensor<?xf32>
  %powers = sinter.broadcast %p : f32 -> tensor<?xf32>
  %pow = math.powf %some, %powers : tensor<?xf32>
  %general = arith.select %same, %zeros, %pow : tensor<?xi1>, tensor<?xf32>
  %t3 = arith.select %is3, %cube, %general : tensor<?xf32>
  %t2 = arith.select %is2, %square, %t3 : tensor<?xf32>
  %t1 = arith.select %is1, %abs, %t2 : tensor<?xf32>
  %s = sinter.row_reduce add %t1 : tensor<?xf32> -> f32

  %none = arith.cmpf oeq, %s, %zero : f32
  %safe = arith.select %none, %one, %s : f32
  %root2 = math.sqrt %safe : f32
  %nonzero = arith.select %is0, %one, %p : f32
  %inverse = arith.divf %one, %nonzero : f32
  %rootp = math.powf %safe, %inverse : f32
  %root = arith.select %is2, %root2, %rootp : f32
  %norm = arith.select %none, %zero, %root : f32
  %y1 = arith.select %is1, %s, %norm : f32

  %mark = arith.select %same, %zeros, %ones : tensor<?xi1>, tensor<?xf32>
  %count = sinter.row_reduce add %mark : tensor<?xf32> -> f32
  %y0 = arith.select %is0, %count, %y1 : f32
  %y = arith.select %isinf, %max, %y0 : f32
  sinter.yield %y : f32
}
