// RUN: sinter-opt --sinter-expand --sinter-differentiate --split-input-file --verify-diagnostics %s

// What is wrong in a user's definition is reported at the user's line.

sinter.define @no_row_operation(%x: tensor<?xf32>) attributes {reductions = ["mean"]} {
  // expected-error@+1 {{is no operation of a definition}}
  %e = "tensor.cast"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  sinter.yield %e : tensor<?xf32>
}

// -----

sinter.define @of_one_size(%x: tensor<?xf32>) attributes {reductions = ["mean"]} {
  // expected-error@+1 {{values of a definition are scalars, or rows of any length}}
  %e = arith.constant dense<1.0> : tensor<8xf32>
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @no_numbers(%x: tensor<?xi64>) attributes {reductions = ["mean"]} {
  // expected-error@+1 {{gives a loss 1 values, the first of type 'tensor<?xi64>'; give its value, or its value and weight, of a float type}}
  sinter.yield %x : tensor<?xi64>
}

// -----

// expected-error@+1 {{argument 'y' stands behind optional ones or attributes}}
sinter.define @order(%x: tensor<?xf32>, %a: f32 {default = 1.0}, %y: tensor<?xf32>) {
  sinter.yield %x : tensor<?xf32>
}

// -----

sinter.define @focal(%x: tensor<?xf32>, %gamma: f32 {at_least = 0.0, default = 2.0}) attributes {reductions = ["mean", "sum"]} {
  sinter.yield %x : tensor<?xf32>
}
func.func @uses(%x: tensor<4x8xf32>, %t: tensor<4x7xf32>) {
  // expected-error@+1 {{'gamma' is -1, and has to be at least 0}}
  %a = sinter.apply @focal(%x) {gamma = -1.0} : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

sinter.define @focal(%x: tensor<?xf32>, %gamma: f32 {default = 2.0}) attributes {reductions = ["mean", "sum"]} {
  sinter.yield %x : tensor<?xf32>
}
func.func @unknown_attribute(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has an attribute 'gama', and its definition has none of this name}}
  %a = sinter.apply @focal(%x) {gama = 1.0} : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

sinter.define @focal(%x: tensor<?xf32>) attributes {reductions = ["mean", "sum"]} {
  sinter.yield %x : tensor<?xf32>
}
func.func @reduction(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'reduction' is one of "mean", "sum"}}
  %a = sinter.apply @focal(%x) {reduction = "none"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{uses @fokal, and neither this module nor the library defines it}}
  %a = sinter.apply @fokal(%x) : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @shape(%x: tensor<4x8xf32>, %t: tensor<4x7xf32>) {
  // expected-error@+1 {{operand '1' has type 'tensor<4x7xf32>'; give the shape 4x8}}
  %l = sinter.loss(%x, %t) : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %d = arith.subf %a, %b : tensor<?xf32>
    sinter.yield %d : tensor<?xf32>
  }
  return
}

// -----

func.func @in_place(%x: tensor<4x8xf32>) {
  %l = sinter.loss(%x) : (tensor<4x8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    // expected-error@+1 {{is no operation of a definition}}
    %d = "tensor.cast"(%a) : (tensor<?xf32>) -> tensor<?xf32>
    sinter.yield %d : tensor<?xf32>
  }
  return
}

// -----

// A loss in a row program is its value before the reduction.

sinter.define @reduced_inside(%x: tensor<?xf32>, %y: tensor<?xf32>) attributes {reductions = ["mean"]} {
  // expected-error@+1 {{has a reduction in a row program, where a loss is its value before that: leave 'reduction' out}}
  %l = sinter.mse(%x, %y) {reduction = "sum"} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

// -----

// What has no gradient is named where it stands in the definition.

sinter.define @rough(%x: tensor<?xf32>) attributes {reductions = ["mean"]} {
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{its combiner is a region}}
  %y = sinter.row_reduce %x init(%one : f32) : tensor<?xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    sinter.yield %c : f32
  }
  sinter.yield %y : f32
}
func.func @no_rule(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %l = sinter.apply @rough(%x) : (tensor<4x8xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}
