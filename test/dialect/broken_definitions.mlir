// RUN: sinter-opt %s -verify-diagnostics -split-input-file

// A use may stand in front of a definition that is wrong, and is verified first: what is read there is what it should
// be, and the definition's own error is the one.

func.func @d3_values(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.apply @f(%x) {k = "c"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
// expected-error @+1 {{argument 'k' has `values`; give a list of words}}
sinter.define @f(%x: tensor<?xf32>, %k: i64 {default = "a", values = ["a", 3]}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

func.func @d3_no_list(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.apply @f(%x) {k = "c"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
// expected-error @+1 {{argument 'k' has `values`; give a list of words}}
sinter.define @f(%x: tensor<?xf32>, %k: i64 {default = "a", values = 3}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

func.func @d2_like(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.apply @f(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
// expected-error @+1 {{argument 'y' is `like` another, which is of rows and gives its name}}
sinter.define @f(%x: tensor<?xf32>, %y: tensor<?xf32> {like = 5}) {
  sinter.yield %x : tensor<?xf32>
}

// -----

func.func @reductions(%x: tensor<4x8xf32>) -> tensor<f32> {
  %y = sinter.apply @f(%x) {reduction = "c"} : (tensor<4x8xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
// expected-error @+1 {{attribute 'reductions' failed to satisfy constraint}}
sinter.define @f(%x: tensor<?xf32>) attributes {reductions = ["mean", 3]} {
  sinter.yield %x : tensor<?xf32>
}
