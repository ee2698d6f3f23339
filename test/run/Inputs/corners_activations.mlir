// Activations as torch-mlir writes them, each differentiated. corners.py has the points and PyTorch's gradients.

#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#number = affine_map<(d0, d1) -> ()>

func.func @main(%x: tensor<2x8xf32>, %g: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %softplus = call @softplus(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %softplus_0 = sinter.differentiate %softplus upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %mish = call @mish(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %mish_0 = sinter.differentiate %mish upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %sigmoid = call @sigmoid(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %sigmoid_0 = sinter.differentiate %sigmoid upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %silu = call @silu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %silu_0 = sinter.differentiate %silu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %logsigmoid = call @logsigmoid(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %logsigmoid_0 = sinter.differentiate %logsigmoid upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %elu = call @elu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %elu_0 = sinter.differentiate %elu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %selu = call @selu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %selu_0 = sinter.differentiate %selu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %celu = call @celu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %celu_0 = sinter.differentiate %celu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %leaky_relu = call @leaky_relu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %leaky_relu_0 = sinter.differentiate %leaky_relu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %rrelu = call @rrelu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %rrelu_0 = sinter.differentiate %rrelu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %hardswish = call @hardswish(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %hardswish_0 = sinter.differentiate %hardswish upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %hardsigmoid = call @hardsigmoid(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %hardsigmoid_0 = sinter.differentiate %hardsigmoid upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %hardtanh = call @hardtanh(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %hardtanh_0 = sinter.differentiate %hardtanh upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %relu6 = call @relu6(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %relu6_0 = sinter.differentiate %relu6 upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %relu = call @relu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %relu_0 = sinter.differentiate %relu upstream(%g) wrt(%x)
      : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  return %softplus_0, %mish_0, %sigmoid_0, %silu_0, %logsigmoid_0, %elu_0,
      %selu_0, %celu_0, %leaky_relu_0, %rrelu_0, %hardswish_0, %hardsigmoid_0,
      %hardtanh_0, %relu6_0, %relu_0
      : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>,
      tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

func.func private @softplus(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 2.000000e+01 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.exp %in : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.log1p %in : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %3 = tensor.empty() : tensor<2x8xi1>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%3 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %out: i1):
    %6 = arith.cmpf ogt, %in, %cst : f32
    linalg.yield %6 : i1
  } -> tensor<2x8xi1>
  %5 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4, %arg0, %2 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %6 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

func.func private @mish(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 2.000000e+01 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.exp %in : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.log1p %in : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %3 = tensor.empty() : tensor<2x8xi1>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%3 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %out: i1):
    %8 = arith.cmpf ogt, %in, %cst : f32
    linalg.yield %8 : i1
  } -> tensor<2x8xi1>
  %5 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4, %arg0, %2 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
    %8 = arith.select %in, %in_0, %in_1 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.tanh %in : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %7 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %6 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %8 = arith.mulf %in, %in_0 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  return %7 : tensor<2x8xf32>
}

func.func private @sigmoid(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 1.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.negf %in : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %cst : f32
    %5 = arith.divf %cst, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func private @silu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 1.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.negf %in : f32
    %4 = math.exp %3 : f32
    %5 = arith.addf %4, %cst : f32
    %6 = arith.divf %cst, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

func.func private @logsigmoid(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %7 = arith.cmpf olt, %in, %in_0 : f32
    %8 = arith.select %7, %in, %in_0 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.absf %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.negf %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.exp %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.log1p %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %5 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %7 = arith.subf %in, %in_0 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

func.func private @elu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = arith.constant 1.000000e+00 : f32
  %cst_1 = arith.constant 1.500000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %7 = arith.cmpf ogt, %in, %in_2 : f32
    %8 = arith.select %7, %in, %in_2 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %7 = arith.cmpf olt, %in, %in_2 : f32
    %8 = arith.select %7, %in, %in_2 : f32
    linalg.yield %8 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.exp %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.subf %in, %cst_0 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.mulf %in, %cst_1 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %5 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %7 = arith.addf %in, %in_2 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

func.func private @selu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 1.6732632423543772 : f64
  %cst_0 = arith.constant 1.0507009873554805 : f64
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_2 = arith.constant 1.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_1, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %9 = arith.cmpf ogt, %in, %in_3 : f32
    %10 = arith.select %9, %in, %in_3 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = arith.truncf %cst_0 : f64 to f32
    %10 = arith.mulf %in, %9 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_1, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %9 = arith.cmpf olt, %in, %in_3 : f32
    %10 = arith.select %9, %in, %in_3 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = math.exp %in : f32
    linalg.yield %9 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = arith.subf %in, %cst_2 : f32
    linalg.yield %9 : f32
  } -> tensor<2x8xf32>
  %6 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = arith.truncf %cst_0 : f64 to f32
    %10 = arith.mulf %in, %9 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %7 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %9 = arith.truncf %cst : f64 to f32
    %10 = arith.mulf %in, %9 : f32
    linalg.yield %10 : f32
  } -> tensor<2x8xf32>
  %8 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2, %7 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %9 = arith.addf %in, %in_3 : f32
    linalg.yield %9 : f32
  } -> tensor<2x8xf32>
  return %8 : tensor<2x8xf32>
}

func.func private @celu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 5.000000e-01 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.divf %in, %cst : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = math.expm1 %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.mulf %in, %cst : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %4 = tensor.empty() : tensor<2x8xi1>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%4 : tensor<2x8xi1>) {
  ^bb0(%in: f32, %out: i1):
    %7 = arith.cmpf ogt, %in, %cst_0 : f32
    linalg.yield %7 : i1
  } -> tensor<2x8xi1>
  %6 = linalg.generic {indexing_maps = [#full, #full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%5, %arg0, %3 : tensor<2x8xi1>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
    %7 = arith.select %in, %in_1, %in_2 : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

func.func private @leaky_relu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 1.000000e-02 : f64
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_0, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.cmpf ogt, %in, %in_1 : f32
    %6 = arith.select %5, %in, %in_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst_0, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.cmpf olt, %in, %in_1 : f32
    %6 = arith.select %5, %in, %in_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.truncf %cst : f64 to f32
    %6 = arith.mulf %in, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %3 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.addf %in, %in_1 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

func.func private @rrelu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %cst_0 = arith.constant 0.22916666666666666 : f64
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %arg0 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.cmpf ogt, %in, %in_1 : f32
    %6 = arith.select %5, %in, %in_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.truncf %cst_0 : f64 to f32
    %6 = arith.mulf %in, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %2 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.cmpf olt, %in, %in_1 : f32
    %6 = arith.select %5, %in, %in_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1, %3 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %5 = arith.addf %in, %in_1 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

func.func private @hardswish(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 3.000000e+00 : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %cst_1 = arith.constant 6.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.addf %in, %cst : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.cmpf ult, %in, %cst_0 : f32
    %7 = arith.select %6, %cst_0, %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.cmpf ugt, %in, %cst_1 : f32
    %7 = arith.select %6, %cst_1, %in : f32
    linalg.yield %7 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %3 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %6 = arith.mulf %in, %in_2 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %5 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.divf %in, %cst_1 : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

func.func private @hardsigmoid(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
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
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %3 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.cmpf ugt, %in, %cst_1 : f32
    %6 = arith.select %5, %cst_1, %in : f32
    linalg.yield %6 : f32
  } -> tensor<2x8xf32>
  %4 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.divf %in, %cst_1 : f32
    linalg.yield %5 : f32
  } -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

func.func private @hardtanh(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %cst_0 = arith.constant dense<-1.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %cst_0 : tensor<2x8xf32>, tensor<f32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf ogt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %1 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf olt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

func.func private @relu6(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant dense<6.000000e+00> : tensor<f32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #number, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %cst_0 : tensor<2x8xf32>, tensor<f32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf ogt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  %2 = linalg.generic {indexing_maps = [#number, #full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%cst, %1 : tensor<f32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %3 = arith.cmpf olt, %in, %in_1 : f32
    %4 = arith.select %3, %in, %in_1 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

func.func private @relu(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x8xf32>
  %1 = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]}
      ins(%arg0 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.cmpf ugt, %in, %cst : f32
    %3 = arith.select %2, %in, %cst : f32
    linalg.yield %3 : f32
  } -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
