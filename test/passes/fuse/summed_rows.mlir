// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse=target=gpu --split-input-file %s | FileCheck %s --check-prefix=GPU

// The gradient of weights of one column: what is summed are rows, and they are those of what makes them. A GPU keeps
// the product.

// CHECK-LABEL: func @of_weights
//   CHECK-NOT:   sinter.contract
//       CHECK:   sinter.rowwise (i = ?) by (k = 5)
//  CHECK-NEXT:     ins(%{{.+}}[i] : tensor<?xf32>, %{{.+}}[i, k] : tensor<?x5xf32>)
//  CHECK-NEXT:     reduce(add [k] : f32)
//       CHECK:   ^row(%[[G:.+]]: f32, %[[H:.+]]: tensor<5xf32>):
//       CHECK:     %[[E:.+]] = math.exp %[[G]] : f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[E]] : f32 -> tensor<5xf32>
//  CHECK-NEXT:     %[[P:.+]] = arith.mulf %[[B]], %[[H]] : tensor<5xf32>
//  CHECK-NEXT:     sinter.yield %[[P]] : tensor<5xf32>
//   CHECK-NOT:   sinter.rowwise
//   GPU-LABEL: func @of_weights
//         GPU:   sinter.contract
func.func @of_weights(%g: tensor<?xf32>, %h: tensor<?x5xf32>, %d: tensor<?xf32>) -> tensor<1x5xf32> {
  %e = tensor.empty() : tensor<1x5xf32>
  %x = sinter.rowwise () by (i = ?) ins(%g[i] : tensor<?xf32>) outs(%d[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %p = math.exp %a : tensor<?xf32>
    sinter.yield %p : tensor<?xf32>
  }
  %y = sinter.contract (one = 1) by (k = 5)
      product (i = ?) (%x[i] : tensor<?xf32>, %h[i, k] : tensor<?x5xf32>) : f32
      outs(%e[one, k] : tensor<1x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %y : tensor<1x5xf32>
}

// -----

// Two matrices: neither side is a vector.

// CHECK-LABEL: func @two_matrices
//       CHECK:   sinter.contract (i = 3) by (k = 5)
func.func @two_matrices(%g: tensor<?x3xf32>, %h: tensor<?x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.contract (i = 3) by (k = 5)
      product (n = ?) (%g[n, i] : tensor<?x3xf32>, %h[n, k] : tensor<?x5xf32>) : f32
      outs(%e[i, k] : tensor<3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// Sums of so many columns would be a task's each: the product's columns are shared out.

// CHECK-LABEL: func @many_columns
//       CHECK:   sinter.contract () by (k = 1025)
func.func @many_columns(%g: tensor<?xf32>, %h: tensor<?x1025xf32>) -> tensor<1025xf32> {
  %e = tensor.empty() : tensor<1025xf32>
  %y = sinter.contract () by (k = 1025)
      product (i = ?) (%g[i] : tensor<?xf32>, %h[i, k] : tensor<?x1025xf32>) : f32
      outs(%e[k] : tensor<1025xf32>) {
  ^row(%acc: tensor<1025xf32>):
    sinter.yield %acc : tensor<1025xf32>
  }
  return %y : tensor<1025xf32>
}

// -----

// Both sides have columns, one of two dimensions and one of one: neither is one number for a row.

// CHECK-LABEL: func @both_have_columns
//       CHECK:   sinter.contract () by (j = 3, k = 5)
func.func @both_have_columns(%g: tensor<?x3xf32>, %h: tensor<?x3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %y = sinter.contract () by (j = 3, k = 5)
      product (i = ?) (%g[i, j] : tensor<?x3xf32>, %h[i, j, k] : tensor<?x3x5xf32>) : f32
      outs(%e[j, k] : tensor<3x5xf32>) {
  ^row(%acc: tensor<15xf32>):
    sinter.yield %acc : tensor<15xf32>
  }
  return %y : tensor<3x5xf32>
}

// -----

// What a row becomes behind the sum is the product's business, and so are whole numbers.

// CHECK-LABEL: func @with_a_body
//       CHECK:   sinter.contract () by (k = 5)
//       CHECK:   sinter.contract () by (k = 5)
func.func @with_a_body(%g: tensor<?xf32>, %h: tensor<?x5xf32>, %m: tensor<?xi32>, %n: tensor<?x5xi32>)
    -> (tensor<5xf32>, tensor<5xi32>) {
  %e = tensor.empty() : tensor<5xf32>
  %f = tensor.empty() : tensor<5xi32>
  %y = sinter.contract () by (k = 5)
      product (i = ?) (%g[i] : tensor<?xf32>, %h[i, k] : tensor<?x5xf32>) : f32 outs(%e[k] : tensor<5xf32>) {
  ^row(%acc: tensor<5xf32>):
    %t = math.tanh %acc : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %z = sinter.contract () by (k = 5)
      product (i = ?) (%m[i] : tensor<?xi32>, %n[i, k] : tensor<?x5xi32>) : i32 outs(%f[k] : tensor<5xi32>) {
  ^row(%acc: tensor<5xi32>):
    sinter.yield %acc : tensor<5xi32>
  }
  return %y, %z : tensor<5xf32>, tensor<5xi32>
}

// -----

// So is what another form makes of it.

// CHECK-LABEL: func @read_on
//       CHECK:   sinter.contract () by (k = 5)
//   CHECK-NOT:   sinter.rowwise
func.func @read_on(%g: tensor<?xf32>, %h: tensor<?x5xf32>, %w: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %e = tensor.empty() : tensor<1x5xf32>
  %y = sinter.contract () by (k = 5)
      product (i = ?) (%g[i] : tensor<?xf32>, %h[i, k] : tensor<?x5xf32>) : f32 outs(%e[0, k] : tensor<1x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %z = sinter.rowwise () by (k = 5)
      ins(%w[0, k] : tensor<1x5xf32>, %y[0, k] : tensor<1x5xf32>) outs(%e[0, k] : tensor<1x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %d = arith.subf %a, %b : tensor<5xf32>
    sinter.yield %d : tensor<5xf32>
  }
  return %z : tensor<1x5xf32>
}
