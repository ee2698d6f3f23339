// Maxima, losses and norms as torch-mlir writes them. Beside them are spellings by hand that PyTorch differentiates
// otherwise at the same points: clamp_by_hand, bounds_other_order, where, maximum_with_zero, root.
// corners.py has the points and the gradients.

#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#number = affine_map<(d0, d1) -> ()>

func.func @main(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>, %z: tensor<2x8xf32>, %g: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %ones = arith.constant dense<1.0> : tensor<2x8xf32>
  %clamp_by_hand = call @clamp_by_hand(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %clamp_by_hand_0 = sinter.differentiate %clamp_by_hand upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %bounds_other_order = call @bounds_other_order(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %bounds_other_order_0 = sinter.differentiate %bounds_other_order upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %where = call @where(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %where_0 = sinter.differentiate %where upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %maximum_with_zero = call @maximum_with_zero(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %maximum_with_zero_0 = sinter.differentiate %maximum_with_zero upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %maximum = call @maximum(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %maximum_0, %maximum_1 = sinter.differentiate %maximum upstream(%g) wrt(%x, %y)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %minimum = call @minimum(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %minimum_0, %minimum_1 = sinter.differentiate %minimum upstream(%g) wrt(%x, %y)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %fmax = call @fmax(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %fmax_0, %fmax_1 = sinter.differentiate %fmax upstream(%g) wrt(%x, %y)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %logaddexp = call @logaddexp(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %logaddexp_0, %logaddexp_1 = sinter.differentiate %logaddexp upstream(%g) wrt(%x, %y)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %bce_with_logits = call @bce_with_logits(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %bce_with_logits_0 = sinter.differentiate %bce_with_logits upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %bce_of_sigmoid = call @bce_of_sigmoid(%x, %ones) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %bce_of_sigmoid_0 = sinter.differentiate %bce_of_sigmoid upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %norm = call @norm(%z, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %norm_0 = sinter.differentiate %norm upstream(%g) wrt(%z)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %norm3 = call @norm3(%z, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %norm3_0 = sinter.differentiate %norm3 upstream(%g) wrt(%z)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %root = call @root(%z, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %root_0 = sinter.differentiate %root upstream(%g) wrt(%z)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  return %clamp_by_hand_0, %bounds_other_order_0, %where_0, %maximum_with_zero_0, %maximum_0, %maximum_1,
      %minimum_0, %minimum_1, %fmax_0, %fmax_1, %logaddexp_0, %logaddexp_1,
      %bce_with_logits_0, %bce_of_sigmoid_0, %norm_0, %norm3_0, %root_0
      : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

func.func private @clamp_by_hand(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 3.000000e+00 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant 6.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.addf %in, %cst : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.cmpf ult, %in, %cst_0 : f32
    %6 = arith.select %5, %cst_0, %in : f32
    %7 = arith.cmpf ugt, %6, %cst_1 : f32
    %8 = arith.select %7, %cst_1, %6 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %2 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %5 = arith.mulf %in, %in_2 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.divf %in, %cst_1 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

func.func private @bounds_other_order(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %cst_0 = arith.constant dense<-1.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %cst : tensor<2x8xf32>, tensor<f32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf olt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_0, %1 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf ogt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

func.func private @where(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xi1>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %out: i1):
    %4 = arith.cmpf ogt, %in, %cst_0 : f32
    linalg.yield %4 : i1
  } -> tensor<2x8xi1>
  %2 = tensor.empty() : tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %arg0, %cst : tensor<2x8xi1>, tensor<2x8xf32>, tensor<f32>) outs(%2 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
    %4 = arith.select %in, %in_1, %in_2 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

func.func private @maximum_with_zero(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.cmpf ogt, %in, %in_0 : f32
    %3 = arith.select %2, %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func private @maximum(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.cmpf ogt, %in, %in_0 : f32
    %3 = arith.select %2, %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func private @minimum(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.cmpf olt, %in, %in_0 : f32
    %3 = arith.select %2, %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func private @fmax(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %7 = arith.cmpf ogt, %in, %in_0 : f32
    %8 = arith.select %7, %in, %in_0 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %2 = tensor.empty() : tensor<2x8xi1>
  %3 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg0 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%2 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %in_0: f32, %out: i1):
    %7 = arith.cmpf une, %in, %in_0 : f32
    linalg.yield %7 : i1
  } -> tensor<2x8xi1>
  %4 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg1, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%2 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %in_0: f32, %out: i1):
    %7 = arith.cmpf une, %in, %in_0 : f32
    linalg.yield %7 : i1
  } -> tensor<2x8xi1>
  %5 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4, %arg0, %1 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %7 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3, %arg1, %5 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %7 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

func.func private @logaddexp(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 0x7FF0000000000000 : f64
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %12 = arith.subf %in, %in_0 : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = math.absf %in : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = arith.negf %in : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %12 = arith.cmpf ogt, %in, %in_0 : f32
    %13 = arith.select %12, %in, %in_0 : f32
    linalg.yield %13 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = math.exp %in : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = math.log1p %in : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %7 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4, %6 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %12 = arith.addf %in, %in_0 : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %8 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = math.absf %in : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %9 = tensor.empty() : tensor<2x8xi1>
  %10 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%8 : tensor<2x8xf32>) outs(%9 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %out: i1):
    %12 = arith.extf %in : f32 to f64
    %13 = arith.cmpf oeq, %12, %cst : f64
    linalg.yield %13 : i1
  } -> tensor<2x8xi1>
  %11 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%10, %4, %7 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %12 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  return %11 : tensor<2x8xf32>
}

func.func private @bce_with_logits(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = arith.constant dense<1> : tensor<i64>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_0, %arg1 : tensor<i64>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i64, %in_1: f32, %out: f32):
    %10 = arith.sitofp %in : i64 to f32
    %11 = arith.subf %10, %in_1 : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %arg0 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %10 = arith.mulf %in, %in_1 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %10 = arith.cmpf olt, %in, %in_1 : f32
    %11 = arith.select %10, %in, %in_1 : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = math.absf %in : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = arith.negf %in : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = math.exp %in : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %7 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %10 = math.log1p %in : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %8 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3, %7 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %10 = arith.subf %in, %in_1 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %9 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2, %8 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %10 = arith.subf %in, %in_1 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  return %9 : tensor<2x8xf32>
}

func.func private @bce_of_sigmoid(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 1.000000e+00 : f32
  %cst_0 = arith.constant dense<-1.000000e+02> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.negf %in : f32
    %12 = math.exp %11 : f32
    %13 = arith.addf %12, %cst : f32
    %14 = arith.divf %cst, %13 : f32
    linalg.yield %14 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.subf %in, %cst : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.negf %in : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = math.log1p %in : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4, %cst_0 : tensor<2x8xf32>, tensor<f32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %11 = arith.cmpf ogt, %in, %in_1 : f32
    %12 = arith.select %11, %in, %in_1 : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2, %5 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %11 = arith.mulf %in, %in_1 : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %7 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = math.log %in : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %8 = linalg.generic {indexing_maps = [#full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%7, %cst_0 : tensor<2x8xf32>, tensor<f32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %11 = arith.cmpf ogt, %in, %in_1 : f32
    %12 = arith.select %11, %in, %in_1 : f32
    linalg.yield %12 : f32
  } -> tensor<2x8xf32>
  %9 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg1, %8 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %11 = arith.mulf %in, %in_1 : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  %10 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%6, %9 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %11 = arith.subf %in, %in_1 : f32
    linalg.yield %11 : f32
  } -> tensor<2x8xf32>
  return %10 : tensor<2x8xf32>
}

func.func private @norm(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 5.000000e-01 : f32
  %cst_1 = arith.constant 2.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x1xf32>) -> tensor<2x1xf32>
  %2 = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%1 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.absf %in : f32
    %7 = math.powf %6, %cst_1 : f32
    %8 = arith.addf %7, %out : f32
    linalg.yield %8 : f32
  } -> tensor<2x1xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x1xf32>) outs(%0 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.powf %in, %cst_0 : f32
    linalg.yield %6 : f32
  } -> tensor<2x1xf32>
  %4 = tensor.empty() : tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#row, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3, %arg1 : tensor<2x1xf32>, tensor<2x8xf32>) outs(%4 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %6 = arith.mulf %in, %in_2 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

func.func private @norm3(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0.333333343 : f32
  %cst_1 = arith.constant 3.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x1xf32>) -> tensor<2x1xf32>
  %2 = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%1 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.absf %in : f32
    %7 = math.powf %6, %cst_1 : f32
    %8 = arith.addf %7, %out : f32
    linalg.yield %8 : f32
  } -> tensor<2x1xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x1xf32>) outs(%0 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.powf %in, %cst_0 : f32
    linalg.yield %6 : f32
  } -> tensor<2x1xf32>
  %4 = tensor.empty() : tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#row, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3, %arg1 : tensor<2x1xf32>, tensor<2x8xf32>) outs(%4 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %6 = arith.mulf %in, %in_2 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

func.func private @root(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg0 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %7 = arith.mulf %in, %in_0 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %2 = tensor.empty() : tensor<2x1xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x1xf32>) -> tensor<2x1xf32>
  %4 = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
      ins(%1 : tensor<2x8xf32>) outs(%3 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.addf %in, %out : f32
    linalg.yield %7 : f32
  } -> tensor<2x1xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x1xf32>) outs(%2 : tensor<2x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.sqrt %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x1xf32>
  %6 = linalg.generic {indexing_maps = [#row, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5, %arg1 : tensor<2x1xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %7 = arith.mulf %in, %in_0 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

