// RUN: sinter-opt --sinter-parted-rows --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-parted-rows=launches=separate --split-input-file %s | FileCheck %s --check-prefix=SEPARATE

// Gates are parts of one product's row: who reads them makes them, a sum each. What all of them read is read once.

// CHECK-LABEL: func @gates
//       CHECK:   scf.for
//  CHECK-SAME:     iter_args(%[[H:.+]] = %{{.+}}) -> (tensor<16xf32>)
//   CHECK-NOT:     sinter.rowwise (j = 32)
//       CHECK:     sinter.rowwise (i = 16) by (k = 16)
//  CHECK-NEXT:       ins(%[[H]][k] : tensor<16xf32>, %{{.+}}[k, i] : tensor<16x32xf32>, %{{.+}}[i] : tensor<32xf32>, %{{.+}}[k, i + 16] : tensor<16x32xf32>, %{{.+}}[i + 16] : tensor<32xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[i] : tensor<16xf32>)
//  CHECK-NEXT:     ^row(%[[A:.+]]: tensor<16xf32>, %[[W0:.+]]: tensor<16xf32>, %[[B0:.+]]: f32, %[[W1:.+]]: tensor<16xf32>, %[[B1:.+]]: f32):
//  CHECK-NEXT:       %[[P0:.+]] = arith.mulf %[[A]], %[[W0]]
//  CHECK-NEXT:       %[[S0:.+]] = sinter.row_reduce add %[[P0]]
//  CHECK-NEXT:       %[[Q0:.+]] = arith.addf %[[S0]], %[[B0]] : f32
//  CHECK-NEXT:       %[[P1:.+]] = arith.mulf %[[A]], %[[W1]]
//  CHECK-NEXT:       %[[S1:.+]] = sinter.row_reduce add %[[P1]]
//  CHECK-NEXT:       %[[Q1:.+]] = arith.addf %[[S1]], %[[B1]] : f32
//  CHECK-NEXT:       %[[T:.+]] = math.tanh %[[Q1]] : f32
//  CHECK-NEXT:       %[[Y:.+]] = arith.mulf %[[Q0]], %[[T]] : f32
//  CHECK-NEXT:       sinter.yield %[[Y]] : f32
// SEPARATE-LABEL: func @gates
//       SEPARATE:   sinter.rowwise (j = 32)
func.func @gates(%w: tensor<16x32xf32>, %b: tensor<32xf32>, %h: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<16xf32>
  %y = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h) -> (tensor<16xf32>) {
    %q = sinter.rowwise (j = 32) by (k = 16)
        ins(%v[k] : tensor<16xf32>, %w[k, j] : tensor<16x32xf32>, %b[j] : tensor<32xf32>) outs(%e[j] : tensor<32xf32>) {
    ^row(%a: tensor<16xf32>, %c: tensor<16xf32>, %d: f32):
      %1 = arith.mulf %a, %c : tensor<16xf32>
      %2 = sinter.row_reduce add %1 : tensor<16xf32> -> f32
      %3 = arith.addf %2, %d : f32
      sinter.yield %3 : f32
    }
    %r = sinter.rowwise (i = 16) by () ins(%q[i] : tensor<32xf32>, %q[i + 16] : tensor<32xf32>) outs(%f[i] : tensor<16xf32>) {
    ^row(%a: f32, %c: f32):
      %1 = math.tanh %c : f32
      %2 = arith.mulf %a, %1 : f32
      sinter.yield %2 : f32
    }
    scf.yield %r : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// Parts that overlap would be computed twice; what somebody else reads is stored anyway; and no registers hold 64 MB.

// CHECK-LABEL: func @not
//       CHECK:   sinter.rowwise (j = 32)
//       CHECK:   sinter.rowwise (i = 16)
//       CHECK:   sinter.rowwise (j = 32)
//       CHECK:   sinter.rowwise (i = 16)
//       CHECK:   sinter.rowwise (j = 4096) by (k = 4096)
//       CHECK:   sinter.rowwise (i = 2048)
func.func @not(%w: tensor<16x32xf32>, %h: tensor<16xf32>, %g: tensor<32xf32>, %u: tensor<4096x4096xf32>, %l: tensor<2048xf32>, %z: tensor<4096xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<32xf32>, tensor<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<32xf32>
  %f = tensor.empty() : tensor<16xf32>
  %e2 = tensor.empty() : tensor<4096xf32>
  %f2 = tensor.empty() : tensor<2048xf32>
  %y:4 = scf.for %t = %c0 to %c9 step %c1 iter_args(%v = %h, %v2 = %h, %x = %g, %v3 = %l) -> (tensor<16xf32>, tensor<16xf32>, tensor<32xf32>, tensor<2048xf32>) {
    %q = sinter.rowwise (j = 32) by (k = 16)
        ins(%v[k] : tensor<16xf32>, %w[k, j] : tensor<16x32xf32>) outs(%e[j] : tensor<32xf32>) {
    ^row(%a: tensor<16xf32>, %c: tensor<16xf32>):
      %1 = arith.mulf %a, %c : tensor<16xf32>
      %2 = sinter.row_reduce add %1 : tensor<16xf32> -> f32
      sinter.yield %2 : f32
    }
    %r = sinter.rowwise (i = 16) by () ins(%q[i] : tensor<32xf32>, %q[i + 15] : tensor<32xf32>) outs(%f[i] : tensor<16xf32>) {
    ^row(%a: f32, %c: f32):
      %2 = arith.mulf %a, %c : f32
      sinter.yield %2 : f32
    }
    %q2 = sinter.rowwise (j = 32) by (k = 16)
        ins(%v2[k] : tensor<16xf32>, %w[k, j] : tensor<16x32xf32>) outs(%e[j] : tensor<32xf32>) {
    ^row(%a: tensor<16xf32>, %c: tensor<16xf32>):
      %1 = arith.mulf %a, %c : tensor<16xf32>
      %2 = sinter.row_reduce add %1 : tensor<16xf32> -> f32
      sinter.yield %2 : f32
    }
    %r2 = sinter.rowwise (i = 16) by () ins(%q2[i] : tensor<32xf32>, %q2[i + 16] : tensor<32xf32>) outs(%f[i] : tensor<16xf32>) {
    ^row(%a: f32, %c: f32):
      %2 = arith.mulf %a, %c : f32
      sinter.yield %2 : f32
    }
    %q3 = sinter.rowwise (j = 4096) by (k = 4096)
        ins(%z[k] : tensor<4096xf32>, %u[k, j] : tensor<4096x4096xf32>) outs(%e2[j] : tensor<4096xf32>) {
    ^row(%a: tensor<4096xf32>, %c: tensor<4096xf32>):
      %1 = arith.mulf %a, %c : tensor<4096xf32>
      %2 = sinter.row_reduce add %1 : tensor<4096xf32> -> f32
      sinter.yield %2 : f32
    }
    %r3 = sinter.rowwise (i = 2048) by () ins(%q3[i] : tensor<4096xf32>, %q3[i + 2048] : tensor<4096xf32>, %v3[i] : tensor<2048xf32>) outs(%f2[i] : tensor<2048xf32>) {
    ^row(%a: f32, %c: f32, %d: f32):
      %2 = arith.mulf %a, %c : f32
      %3 = arith.addf %2, %d : f32
      sinter.yield %3 : f32
    }
    scf.yield %r, %r2, %q2, %r3 : tensor<16xf32>, tensor<16xf32>, tensor<32xf32>, tensor<2048xf32>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<16xf32>, tensor<16xf32>, tensor<32xf32>, tensor<2048xf32>
}
