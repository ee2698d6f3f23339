// RUN: sinter-opt --split-input-file --sinter-expand %s | FileCheck %s

// A named loss: rows along the last dimension, a mean in finish.

// CHECK-LABEL: func.func @mean
// CHECK:       sinter.rowwise (i = 4) by (j = 8)
// CHECK-NEXT:    ins(%arg0[i, j] : tensor<4x8xf32>, %arg1[i, j] : tensor<4x8xf32>)
// CHECK-NEXT:    reduce(add [] : f32)
// CHECK:         %[[D:.*]] = arith.subf %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %[[D]], %[[D]] : tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = sinter.row_reduce add %[[Q]] : tensor<8xf32> -> f32
// CHECK-NEXT:    sinter.yield %[[S]] : f32
// CHECK:       finish
// CHECK:         arith.constant 3.200000e+01 : f32
// CHECK:         arith.divf
func.func @mean(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> tensor<f32> {
  %l = sinter.mse(%x, %t) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// No reduction, half inputs: extended at entry, the loss in f32.

// CHECK-LABEL: func.func @none
// CHECK:         arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// CHECK-NOT:     row_reduce
// CHECK:         sinter.yield %{{.*}} : tensor<8xf32>
func.func @none(%x: tensor<4x8xbf16>, %t: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  %l = sinter.mse(%x, %t) {reduction = "none"} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xf32>
  return %l : tensor<4x8xf32>
}

// -----

// Broadcast operands; f64 everywhere where one is; one dimension is one row.

// CHECK-LABEL: func.func @broadcast
// CHECK:       ins(%arg0[i, j] : tensor<4x8xf64>, %arg1[0, j] : tensor<1x8xf32>)
// CHECK:         arith.extf %{{.*}} : tensor<8xf32> to tensor<8xf64>
// CHECK:       sinter.rowwise () by (i = 8)
// CHECK-NEXT:    ins(%arg2[i] : tensor<8xf32>, %arg3[] : tensor<f32>)
// CHECK:         sinter.broadcast %{{.*}} : f32 -> tensor<8xf32>
// CHECK:         %[[N:.*]] = arith.constant 8.000000e+00 : f32
// CHECK:         arith.divf %{{.*}}, %[[N]]
func.func @broadcast(%x: tensor<4x8xf64>, %t: tensor<1x8xf32>, %a: tensor<8xf32>, %b: tensor<f32>) -> (tensor<f64>, tensor<f32>) {
  %l = sinter.mse(%x, %t) : (tensor<4x8xf64>, tensor<1x8xf32>) -> tensor<f64>
  %m = sinter.mse(%a, %b) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %l, %m : tensor<f64>, tensor<f32>
}

// -----

// Sizes from run time: the mean's divisor is one more input.

// CHECK-LABEL: func.func @dynamic
// CHECK:       %[[N:.*]] = tensor.from_elements %{{.*}} : tensor<f32>
// CHECK:       sinter.rowwise (i = ?) by (j = 8)
// CHECK-NEXT:    ins({{.*}}, %[[N]][] : tensor<f32>)
// CHECK:       ^done(%[[S:.*]]: f32, %[[M:.*]]: f32):
// CHECK:         arith.divf %[[S]], %[[M]]
func.func @dynamic(%x: tensor<?x8xf32>, %t: tensor<?x8xf32>) -> tensor<f32> {
  %l = sinter.mse(%x, %t) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A definition of the user's: rows along dimension 1, one number for each row, a vector for the columns, an optional
// operand that is not given, attributes as constants, a weighted mean.

sinter.define @mine(%x: tensor<?xf32>, %t: i64, %w: tensor<?xf32> {column, optional = 1.0}, %v: tensor<?xf32> {column, optional = 3.0}, %a: f32 {default = 2.0},
                    %kind: i64 {default = "sum", values = ["max", "sum"]})
    attributes {columns = 1, reductions = ["mean", "sum", "none"]} {
  %zero = arith.constant 0.0 : f32
  %p = sinter.pick %x[%t] else %zero : tensor<?xf32>, i64
  %q = sinter.pick %w[%t] else %zero : tensor<?xf32>, i64
  %l = arith.mulf %p, %a : f32
  %j = sinter.index column : tensor<?xindex>
  sinter.yield %l, %q : f32, f32
}

// CHECK-LABEL: func.func @classes
// CHECK:       sinter.rowwise (i = 2, k = 5) by (j = 7)
// CHECK-NEXT:    ins(%arg0[i, j, k] : tensor<2x7x5xf32>, %arg1[i, k] : tensor<2x5xi32>, %arg2[j] : tensor<7xf32>)
// CHECK-NEXT:    reduce(add [] : f32, add [] : f32)
// CHECK:         arith.extsi %{{.*}} : i32 to i64
// CHECK:         arith.constant 3.000000e+00 : f32
// CHECK:         arith.constant 5.000000e-01 : f32
// CHECK:         arith.constant 0 : i64
// CHECK:         sinter.index j : tensor<7xindex>
// CHECK:       ^done(%[[S:.*]]: f32, %[[W:.*]]: f32):
// CHECK-NEXT:    arith.divf %[[S]], %[[W]]
// CHECK-NOT:   sinter.define
func.func @classes(%x: tensor<2x7x5xf32>, %t: tensor<2x5xi32>, %w: tensor<7xf32>) -> tensor<f32> {
  %l = sinter.apply @mine(%x, %t, w = %w) {a = 0.5, kind = "max"} : (tensor<2x7x5xf32>, tensor<2x5xi32>, tensor<7xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A use inside of a definition, replaced by the outer use; a use inside of a form; a loss in place.

sinter.define @square(%x: tensor<?xf32>) {
  %y = arith.mulf %x, %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
sinter.define @cube(%x: tensor<?xf32>) {
  %s = sinter.apply @square(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %y = arith.mulf %x, %s : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}
sinter.define @outer(%x: tensor<?xf32>) attributes {functions = {inner = @square}} {
  %y = sinter.apply @inner(%x) : (tensor<?xf32>) -> tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @inside
// CHECK:         arith.mulf
// CHECK-NEXT:    sinter.yield
// CHECK:         %[[S:.*]] = arith.mulf %[[X:.*]], %[[X]] : tensor<8xf32>
// CHECK-NEXT:    arith.mulf %[[X]], %[[S]]
// CHECK:         %[[W:.*]] = arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %[[W]], %[[W]] : tensor<8xf32>
// CHECK-NEXT:    arith.truncf %[[Q]] : tensor<8xf32> to tensor<8xbf16>
func.func @inside(%x: tensor<4x8xf32>, %h: tensor<4x8xbf16>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16>) {
  %a = sinter.apply @outer(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = sinter.apply @outer(%x) {inner = @cube} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xbf16>
  %c = sinter.rowwise (i = 4) by (j = 8) ins(%h[i, j] : tensor<4x8xbf16>) outs(%e[i, j] : tensor<4x8xbf16>) {
  ^row(%r: tensor<8xbf16>):
    %y = sinter.apply @square(%r) : (tensor<8xbf16>) -> tensor<8xbf16>
    sinter.yield %y : tensor<8xbf16>
  }
  return %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16>
}

// -----

// CHECK-LABEL: func.func @in_place
// CHECK:       reduce(add [] : f32)
// CHECK:         math.absf %{{.*}} : tensor<8xf32>
func.func @in_place(%x: tensor<4x8xf32>) -> tensor<f32> {
  %l = sinter.loss(%x) {reduction = "sum"} : (tensor<4x8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    %l = math.absf %a : tensor<?xf32>
    sinter.yield %l : tensor<?xf32>
  }
  return %l : tensor<f32>
}

// -----

// In place, what has one dimension beside operands with more has one element for each column.

// CHECK-LABEL: func.func @in_place_weights
// CHECK:       sinter.rowwise (i = 4, k = 3) by (j = 8)
// CHECK-NEXT:    ins(%arg0[i, j, k] : tensor<4x8x3xf32>, %arg1[j] : tensor<8xf32>)
func.func @in_place_weights(%x: tensor<4x8x3xf32>, %w: tensor<8xf32>) -> tensor<f32> {
  %l = sinter.loss(%x, %w) {columns = 1, reduction = "sum"} : (tensor<4x8x3xf32>, tensor<8xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %v = arith.mulf %a, %b : tensor<?xf32>
    sinter.yield %v : tensor<?xf32>
  }
  return %l : tensor<f32>
}

// -----

// An operand that may lack the column dimension does where a size is not known; PyTorch decides so when it runs.

// CHECK-LABEL: func.func @leading
// CHECK:       sinter.rowwise (i = ?) by (j = ?)
// CHECK-NEXT:    ins(%arg0[i, j] : tensor<?x?xf32>, %arg0[i, j] : tensor<?x?xf32>, %arg1[i] : tensor<16xf32>,
// CHECK:       sinter.rowwise (i = 4) by (j = 16)
// CHECK-NEXT:    ins(%arg2[i, j] : tensor<4x16xf32>, %arg2[i, j] : tensor<4x16xf32>, %arg3[0, j] : tensor<1x16xf32>)
func.func @leading(%x: tensor<?x?xf32>, %v: tensor<16xf32>, %y: tensor<4x16xf32>, %w: tensor<1x16xf32>) -> (tensor<f32>, tensor<f32>) {
  %l = sinter.gaussian_nll(%x, %x, %v) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<16xf32>) -> tensor<f32>
  %m = sinter.gaussian_nll(%y, %y, %w) : (tensor<4x16xf32>, tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<f32>
  return %l, %m : tensor<f32>, tensor<f32>
}
