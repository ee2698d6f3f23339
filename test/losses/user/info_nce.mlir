// DEFINE: %{in} = --input=%S/Inputs/info_nce.in0.npy --input=%S/Inputs/info_nce.in1.npy
// DEFINE: %{want} = --expect=%S/Inputs/info_nce.out0.npy --expect=%S/Inputs/info_nce.out1.npy --expect=%S/Inputs/info_nce.out2.npy
// RUN: sinter-run %s --entry=defined %{in} %{want} --element-tolerance=1e-5,1e-6 | FileCheck %s
// RUN: sinter-run %s --entry=in_place %{in} %{want} --element-tolerance=1e-5,1e-6 | FileCheck %s

// A user's contrastive loss: a row function before a product, a loss of its rows behind it.

// CHECK: output 0 of {{.+}} agrees
// CHECK: output 1 of {{.+}} agrees
// CHECK: output 2 of {{.+}} agrees

sinter.define @unit(%x: tensor<?xf32>) attributes {summary = "a vector of length 1", formula = "y = x / |x|"} {
  %xx = arith.mulf %x, %x : tensor<?xf32>
  %s = sinter.row_reduce add %xx : tensor<?xf32> -> f32
  %n = math.sqrt %s : f32
  %ns = sinter.broadcast %n : f32 -> tensor<?xf32>
  %y = arith.divf %x, %ns : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

sinter.define @contrast(%similar: tensor<?xf32>, %own: i64, %temperature: f32 {above = 0.0, default = 0.07})
    attributes {reductions = ["mean", "sum", "none"], summary = "one's own is more similar than any other",
                formula = "l = cross_entropy(similar / temperature, own)"} {
  %ts = sinter.broadcast %temperature : f32 -> tensor<?xf32>
  %logits = arith.divf %similar, %ts : tensor<?xf32>
  %l = sinter.cross_entropy(%logits, %own) : (tensor<?xf32>, i64) -> f32
  sinter.yield %l : f32
}

func.func @defined(%a: tensor<5x8xf32>, %b: tensor<5x8xf32>) -> (tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>) {
  %own = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %zero = arith.constant 0.0 : f32
  %u = sinter.apply @unit(%a) : (tensor<5x8xf32>) -> tensor<5x8xf32>
  %v = sinter.apply @unit(%b) : (tensor<5x8xf32>) -> tensor<5x8xf32>
  %e = tensor.empty() : tensor<5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x5xf32>) -> tensor<5x5xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%u, %v : tensor<5x8xf32>, tensor<5x8xf32>) outs(%f : tensor<5x5xf32>) -> tensor<5x5xf32>
  %l = sinter.apply @contrast(%p, %own) : (tensor<5x5xf32>, tensor<5xi64>) -> tensor<f32>
  %da, %db = sinter.differentiate %l wrt(%a, %b) : (tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>)
  return %l, %da, %db : tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>
}

func.func @in_place(%a: tensor<5x8xf32>, %b: tensor<5x8xf32>) -> (tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>) {
  %own = arith.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %zero = arith.constant 0.0 : f32
  %u = sinter.apply @unit(%a) : (tensor<5x8xf32>) -> tensor<5x8xf32>
  %v = sinter.apply @unit(%b) : (tensor<5x8xf32>) -> tensor<5x8xf32>
  %e = tensor.empty() : tensor<5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x5xf32>) -> tensor<5x5xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%u, %v : tensor<5x8xf32>, tensor<5x8xf32>) outs(%f : tensor<5x5xf32>) -> tensor<5x5xf32>
  %l = sinter.loss(%p, %own) : (tensor<5x5xf32>, tensor<5xi64>) -> tensor<f32> {
  ^row(%similar: tensor<?xf32>, %label: i64):
    %temperature = arith.constant 0.07 : f32
    %ts = sinter.broadcast %temperature : f32 -> tensor<?xf32>
    %logits = arith.divf %similar, %ts : tensor<?xf32>
    %ls = sinter.log_softmax(%logits) : (tensor<?xf32>) -> tensor<?xf32>
    %none = arith.constant 0.0 : f32
    %t = sinter.pick %ls[%label] else %none : tensor<?xf32>, i64
    %w = arith.negf %t : f32
    sinter.yield %w : f32
  }
  %da, %db = sinter.differentiate %l wrt(%a, %b) : (tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>)
  return %l, %da, %db : tensor<f32>, tensor<5x8xf32>, tensor<5x8xf32>
}
