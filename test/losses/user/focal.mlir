// DEFINE: %{in} = --input=%S/Inputs/focal.in0.npy --input=%S/Inputs/focal.in1.npy
// DEFINE: %{want} = --expect=%S/Inputs/focal.out0.npy --expect=%S/Inputs/focal.out1.npy
// DEFINE: %{check} = --element-tolerance=1e-5,1e-6 --stats
// RUN: sinter-run %s --entry=defined %{in} %{want} %{check} | FileCheck %s
// RUN: sinter-run %s --entry=in_place %{in} %{want} %{check} | FileCheck %s
// RUN: sinter-run %s --entry=other_numbers --input=%S/Inputs/focal_sum.in0.npy --input=%S/Inputs/focal_sum.in1.npy --expect=%S/Inputs/focal_sum.out0.npy --expect=%S/Inputs/focal_sum.out1.npy %{check} | FileCheck %s

// A user's focal loss: a definition that uses the library's, with attributes; the same in place. One kernel of value
// and gradient.

// CHECK: output 0 of {{.+}} agrees
// CHECK: output 1 of {{.+}} agrees
// CHECK: "kernels": 1,

sinter.define @focal(%x: tensor<?xf32>, %y: tensor<?xf32>, %alpha: f32 {at_least = 0.0, default = 0.25}, %gamma: f32 {at_least = 0.0, default = 2.0})
    attributes {reductions = ["mean", "sum", "none"], summary = "cross entropy where the prediction is wrong",
                formula = "l = (alpha y + (1 - alpha) (1 - y)) (1 - pt)^gamma ce"} {
  %one = arith.constant 1.0 : f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %p = sinter.sigmoid(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %ce = sinter.bce_with_logits(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %q = arith.subf %ones, %p : tensor<?xf32>
  %n = arith.subf %ones, %y : tensor<?xf32>
  %py = arith.mulf %p, %y : tensor<?xf32>
  %qn = arith.mulf %q, %n : tensor<?xf32>
  %pt = arith.addf %py, %qn : tensor<?xf32>
  %wrong = arith.subf %ones, %pt : tensor<?xf32>
  %gammas = sinter.broadcast %gamma : f32 -> tensor<?xf32>
  %factor = math.powf %wrong, %gammas : tensor<?xf32>
  %beta = arith.subf %one, %alpha : f32
  %alphas = sinter.broadcast %alpha : f32 -> tensor<?xf32>
  %betas = sinter.broadcast %beta : f32 -> tensor<?xf32>
  %ay = arith.mulf %alphas, %y : tensor<?xf32>
  %bn = arith.mulf %betas, %n : tensor<?xf32>
  %weight = arith.addf %ay, %bn : tensor<?xf32>
  %hard = arith.mulf %ce, %factor : tensor<?xf32>
  %l = arith.mulf %hard, %weight : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

func.func @defined(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.apply @focal(%x, %y) : (tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %dx : tensor<f32>, tensor<7x13xf32>
}

func.func @other_numbers(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.apply @focal(%x, %y) {alpha = 0.6, gamma = 1.5, reduction = "sum"} : (tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %dx : tensor<f32>, tensor<7x13xf32>
}

func.func @in_place(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.loss(%x, %y) {reduction = "mean"} : (tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %one = arith.constant 1.0 : f32
    %quarter = arith.constant 0.25 : f32
    %half = arith.constant 0.5 : f32
    %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
    %quarters = sinter.broadcast %quarter : f32 -> tensor<?xf32>
    %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
    %p = sinter.sigmoid(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %ce = sinter.bce_with_logits(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    // 1 - pt = p + y - 2 p y
    %sum = arith.addf %p, %b : tensor<?xf32>
    %pb = arith.mulf %p, %b : tensor<?xf32>
    %twice = arith.addf %pb, %pb : tensor<?xf32>
    %wrong = arith.subf %sum, %twice : tensor<?xf32>
    %square = arith.mulf %wrong, %wrong : tensor<?xf32>
    // alpha y + (1 - alpha) (1 - y) = 3/4 - y / 2
    %h = arith.mulf %halves, %b : tensor<?xf32>
    %rest = arith.subf %ones, %quarters : tensor<?xf32>
    %weight = arith.subf %rest, %h : tensor<?xf32>
    %hard = arith.mulf %ce, %square : tensor<?xf32>
    %v = arith.mulf %hard, %weight : tensor<?xf32>
    sinter.yield %v : tensor<?xf32>
  }
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %dx : tensor<f32>, tensor<7x13xf32>
}
