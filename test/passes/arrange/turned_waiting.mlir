// RUN: sinter-opt --sinter-turned-sums=of=waiting --split-input-file %s | FileCheck %s

// In front of fusion: a sum over the first dimension that each element waits for becomes a row's, with what the form
// stores beside it.

// CHECK-LABEL: func @waiting
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<12x40xf32>
//       CHECK:   %[[E:.+]]:2 = sinter.rowwise (j = 40) by (i = 12)
//  CHECK-NEXT:     ins(%[[X]][i, j] : tensor<12x40xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<12x40xf32>, %{{.+}}[j] : tensor<40xf32>)
//       CHECK:     %[[P:.+]] = math.exp
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[P]]
//       CHECK:     sinter.yield %[[P]], %[[S]] : tensor<12xf32>, f32
func.func @waiting(%x: tensor<12x40xf32>, %e: tensor<12x40xf32>, %f: tensor<40xf32>) -> tensor<12x40xf32> {
  %p:2 = sinter.rowwise (i = 12) by (j = 40) ins(%x[i, j] : tensor<12x40xf32>) reduce(add [j] : f32)
      outs(%e[i, j] : tensor<12x40xf32>, %f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    %b = math.exp %a : tensor<40xf32>
    sinter.yield %b, %b : tensor<40xf32>, tensor<40xf32>
  }
  %l = sinter.rowwise () by (j = 40) ins(%p#1[j] : tensor<40xf32>) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    %b = math.sqrt %a : tensor<40xf32>
    sinter.yield %b : tensor<40xf32>
  }
  %y = sinter.rowwise (i = 12) by (j = 40) ins(%p#0[i, j] : tensor<12x40xf32>, %l[j] : tensor<40xf32>)
      outs(%e[i, j] : tensor<12x40xf32>) {
  ^row(%a: tensor<40xf32>, %b: tensor<40xf32>):
    %d = arith.divf %a, %b : tensor<40xf32>
    sinter.yield %d : tensor<40xf32>
  }
  return %y : tensor<12x40xf32>
}

// -----

// Nothing waits for it.

// CHECK-LABEL: func @alone
//       CHECK:   sinter.rowwise (i = 12) by (j = 40)
func.func @alone(%x: tensor<12x40xf32>, %f: tensor<40xf32>) -> tensor<40xf32> {
  %s = sinter.rowwise (i = 12) by (j = 40) ins(%x[i, j] : tensor<12x40xf32>) reduce(add [j] : f32) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return %s : tensor<40xf32>
}

// -----

// Longer than rows that are apart had better be, and few of them.

// CHECK-LABEL: func @long
//       CHECK:   sinter.rowwise (i = 1025) by (j = 40)
func.func @long(%x: tensor<1025x40xf32>, %e: tensor<1025x40xf32>, %f: tensor<40xf32>) -> tensor<1025x40xf32> {
  %s = sinter.rowwise (i = 1025) by (j = 40) ins(%x[i, j] : tensor<1025x40xf32>) reduce(add [j] : f32) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  %y = sinter.rowwise (i = 1025) by (j = 40) ins(%x[i, j] : tensor<1025x40xf32>, %s[j] : tensor<40xf32>)
      outs(%e[i, j] : tensor<1025x40xf32>) {
  ^row(%a: tensor<40xf32>, %b: tensor<40xf32>):
    %d = arith.divf %a, %b : tensor<40xf32>
    sinter.yield %d : tensor<40xf32>
  }
  return %y : tensor<1025x40xf32>
}

// -----

// A sum of squares about a mean that is turned is turned too, though nothing waits for it.

// CHECK-LABEL: func @variance
//       CHECK:   sinter.rowwise (j = 40) by (i = 12)
//       CHECK:   sinter.rowwise (i = 12) by (j = 40)
//       CHECK:     arith.subf
//       CHECK:   sinter.rowwise (j = 40) by (i = 12)
func.func @variance(%x: tensor<12x40xf32>, %e: tensor<12x40xf32>, %f: tensor<40xf32>) -> tensor<40xf32> {
  %m = sinter.rowwise (i = 12) by (j = 40) ins(%x[i, j] : tensor<12x40xf32>) reduce(add [j] : f32) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  } finish {
  ^done(%s: tensor<40xf32>):
    %c = arith.constant dense<0.08333333> : tensor<40xf32>
    %q = arith.mulf %s, %c : tensor<40xf32>
    sinter.yield %q : tensor<40xf32>
  }
  %d = sinter.rowwise (i = 12) by (j = 40) ins(%x[i, j] : tensor<12x40xf32>, %m[j] : tensor<40xf32>) outs(%e[i, j] : tensor<12x40xf32>) {
  ^row(%a: tensor<40xf32>, %b: tensor<40xf32>):
    %y = arith.subf %a, %b : tensor<40xf32>
    %z = arith.mulf %y, %y : tensor<40xf32>
    sinter.yield %z : tensor<40xf32>
  }
  %v = sinter.rowwise (i = 12) by (j = 40) ins(%d[i, j] : tensor<12x40xf32>) reduce(add [j] : f32) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return %v : tensor<40xf32>
}

// What reads nothing that is turned stays.

// CHECK-LABEL: func @alone
//       CHECK:   sinter.rowwise (i = 12) by (j = 40)
func.func @alone(%x: tensor<12x40xf32>, %f: tensor<40xf32>) -> tensor<40xf32> {
  %v = sinter.rowwise (i = 12) by (j = 40) ins(%x[i, j] : tensor<12x40xf32>) reduce(add [j] : f32) outs(%f[j] : tensor<40xf32>) {
  ^row(%a: tensor<40xf32>):
    sinter.yield %a : tensor<40xf32>
  }
  return %v : tensor<40xf32>
}
