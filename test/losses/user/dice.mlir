// DEFINE: %{in} = --input=%S/Inputs/dice.in0.npy --input=%S/Inputs/dice.in1.npy
// DEFINE: %{want} = --expect=%S/Inputs/dice.out0.npy --expect=%S/Inputs/dice.out1.npy
// RUN: sinter-run %s --entry=defined %{in} %{want} --element-tolerance=1e-5,1e-6 --stats | FileCheck %s
// RUN: sinter-run %s --entry=in_place %{in} %{want} --element-tolerance=1e-5,1e-6 --stats | FileCheck %s

// A user's dice loss: row sums on both sides of a division, one number for each row.

// CHECK: output 0 of {{.+}} agrees
// CHECK: output 1 of {{.+}} agrees
// CHECK: "kernels": 1,

sinter.define @dice(%x: tensor<?xf32>, %y: tensor<?xf32>, %smooth: f32 {above = 0.0, default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], summary = "how little two sets overlap",
                formula = "l = 1 - (2 sum(p y) + smooth) / (sum(p) + sum(y) + smooth), p = sigmoid(x)"} {
  %one = arith.constant 1.0 : f32
  %p = sinter.sigmoid(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %py = arith.mulf %p, %y : tensor<?xf32>
  %both = sinter.row_reduce add %py : tensor<?xf32> -> f32
  %sp = sinter.row_reduce add %p : tensor<?xf32> -> f32
  %sy = sinter.row_reduce add %y : tensor<?xf32> -> f32
  %twice = arith.addf %both, %both : f32
  %top = arith.addf %twice, %smooth : f32
  %s = arith.addf %sp, %sy : f32
  %bottom = arith.addf %s, %smooth : f32
  %overlap = arith.divf %top, %bottom : f32
  %l = arith.subf %one, %overlap : f32
  sinter.yield %l : f32
}

func.func @defined(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.apply @dice(%x, %y) : (tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %dx : tensor<f32>, tensor<7x13xf32>
}

func.func @in_place(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> (tensor<f32>, tensor<7x13xf32>) {
  %l = sinter.loss(%x, %y) : (tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %one = arith.constant 1.0 : f32
    %p = sinter.sigmoid(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %pb = arith.mulf %p, %b : tensor<?xf32>
    %pab = arith.addf %p, %b : tensor<?xf32>
    %both = sinter.row_reduce add %pb : tensor<?xf32> -> f32
    %all = sinter.row_reduce add %pab : tensor<?xf32> -> f32
    %twice = arith.addf %both, %both : f32
    %top = arith.addf %twice, %one : f32
    %bottom = arith.addf %all, %one : f32
    %overlap = arith.divf %top, %bottom : f32
    %v = arith.subf %one, %overlap : f32
    sinter.yield %v : f32
  }
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<7x13xf32>) -> tensor<7x13xf32>
  return %l, %dx : tensor<f32>, tensor<7x13xf32>
}
