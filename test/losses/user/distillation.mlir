// DEFINE: %{in} = --input=%S/Inputs/distillation.in0.npy --input=%S/Inputs/distillation.in1.npy --input=%S/Inputs/distillation.in2.npy
// DEFINE: %{want} = --expect=%S/Inputs/distillation.out0.npy --expect=%S/Inputs/distillation.out1.npy
// RUN: sinter-run %s --entry=defined %{in} %{want} --element-tolerance=1e-5,1e-6 --stats | FileCheck %s
// RUN: sinter-run %s --entry=in_place %{in} %{want} --element-tolerance=1e-5,1e-6 --stats | FileCheck %s

// A user's distillation: losses and row functions of the library, put together for each row.

// CHECK: output 0 of {{.+}} agrees
// CHECK: output 1 of {{.+}} agrees
// CHECK: "kernels": 1,

sinter.define @distillation(%student: tensor<?xf32>, %teacher: tensor<?xf32>, %label: i64, %temperature: f32 {above = 0.0, default = 2.0},
                            %alpha: f32 {default = 0.5})
    attributes {reductions = ["mean", "sum", "none"], summary = "student against a teacher's logits and labels",
                formula = "l = alpha T^2 KL(softmax(teacher / T), softmax(student / T)) + (1 - alpha) ce(student, label)"} {
  %one = arith.constant 1.0 : f32
  %ts = sinter.broadcast %temperature : f32 -> tensor<?xf32>
  %s = arith.divf %student, %ts : tensor<?xf32>
  %t = arith.divf %teacher, %ts : tensor<?xf32>
  %ls = sinter.log_softmax(%s) : (tensor<?xf32>) -> tensor<?xf32>
  %lt = sinter.log_softmax(%t) : (tensor<?xf32>) -> tensor<?xf32>
  %kl = sinter.kl_div(%ls, %lt) {log_target = true} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %soft = sinter.row_reduce add %kl : tensor<?xf32> -> f32
  %hard = sinter.cross_entropy(%student, %label) : (tensor<?xf32>, i64) -> f32
  %tt = arith.mulf %temperature, %temperature : f32
  %at = arith.mulf %alpha, %tt : f32
  %beta = arith.subf %one, %alpha : f32
  %a = arith.mulf %at, %soft : f32
  %b = arith.mulf %beta, %hard : f32
  %l = arith.addf %a, %b : f32
  sinter.yield %l : f32
}

func.func @defined(%s: tensor<7x13xf32>, %t: tensor<7x13xf32>, %y: tensor<7xi64>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.apply @distillation(%s, %t, %y) : (tensor<7x13xf32>, tensor<7x13xf32>, tensor<7xi64>) -> tensor<f32>
  %ds = sinter.differentiate %l wrt(%s) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %ds : tensor<f32>, tensor<7x13xf32>
}

func.func @in_place(%s: tensor<7x13xf32>, %t: tensor<7x13xf32>, %y: tensor<7xi64>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.loss(%s, %t, %y) : (tensor<7x13xf32>, tensor<7x13xf32>, tensor<7xi64>) -> tensor<f32> {
  ^row(%student: tensor<?xf32>, %teacher: tensor<?xf32>, %label: i64):
    %half = arith.constant 0.5 : f32
    %two = arith.constant 2.0 : f32
    %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
    %a = arith.mulf %student, %halves : tensor<?xf32>
    %b = arith.mulf %teacher, %halves : tensor<?xf32>
    %ls = sinter.log_softmax(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %lt = sinter.log_softmax(%b) : (tensor<?xf32>) -> tensor<?xf32>
    %d = arith.subf %lt, %ls : tensor<?xf32>
    %p = math.exp %lt : tensor<?xf32>
    %pd = arith.mulf %p, %d : tensor<?xf32>
    %kl = sinter.row_reduce add %pd : tensor<?xf32> -> f32
    %soft = arith.mulf %two, %kl : f32
    %ce = sinter.cross_entropy(%student, %label) : (tensor<?xf32>, i64) -> f32
    %hard = arith.mulf %half, %ce : f32
    %v = arith.addf %soft, %hard : f32
    sinter.yield %v : f32
  }
  %ds = sinter.differentiate %l wrt(%s) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %ds : tensor<f32>, tensor<7x13xf32>
}
