// RUN: sinter-opt --sinter-turned-sums=of=waiting --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-turned-sums="of=waiting launches=one" --split-input-file %s | FileCheck %s --check-prefix=SHARED

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

// -----

// One number that each element waits for: a row of one block has it, and what is reduced of what waits. Where a launch
// is shared, what nobody waits for at each element stays; and so do more elements than one block has.

// CHECK-LABEL: func @number
//       CHECK:   sinter.rowwise () by (i = 2048)
//       CHECK:     sinter.row_reduce add
//       CHECK:   sinter.rowwise () by (i = 2048)
//       CHECK:     sinter.row_reduce maximumf
// SHARED-LABEL: func @number
//  SHARED-SAME:   (%[[X:[^:]+]]: tensor<2048xf32>, %[[N:[^:]+]]: tensor<f32>
//       SHARED:   %[[S:.+]] = sinter.rowwise () by (i = 2048)
//  SHARED-NEXT:     ins(%[[X]][i] : tensor<2048xf32>, %[[N]][] : tensor<f32>)
//  SHARED-NEXT:     outs(%{{.+}}[] : tensor<f32>)
//       SHARED:   ^row(%[[A:.+]]: tensor<2048xf32>, %[[B:.+]]: f32):
//       SHARED:     %[[Q:.+]] = arith.mulf %[[A]], %[[A]] : tensor<2048xf32>
//       SHARED:     %[[R:.+]] = sinter.row_reduce add %[[Q]]
//       SHARED:     %[[M:.+]] = arith.divf %[[R]], %[[B]] : f32
//       SHARED:     sinter.yield %[[M]] : f32
//       SHARED:   sinter.rowwise (i = 2048) by ()
//  SHARED-NEXT:     ins(%[[X]][i] : tensor<2048xf32>, %[[S]][]
//       SHARED:   sinter.rowwise (i = 2048) by ()
//       SHARED:     reduce(maximumf []
func.func @number(%x: tensor<2048xf32>, %n: tensor<f32>, %e: tensor<2048xf32>, %f: tensor<f32>)
    -> (tensor<2048xf32>, tensor<f32>) {
  %s = sinter.rowwise (i = 2048) by () ins(%x[i] : tensor<2048xf32>, %n[] : tensor<f32>) reduce(add [] : f32)
      outs(%f[] : tensor<f32>) {
  ^row(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    sinter.yield %q : f32
  } finish {
  ^done(%r: f32, %b: f32):
    %m = arith.divf %r, %b : f32
    sinter.yield %m : f32
  }
  %y = sinter.rowwise (i = 2048) by () ins(%x[i] : tensor<2048xf32>, %s[] : tensor<f32>) outs(%e[i] : tensor<2048xf32>) {
  ^row(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    sinter.yield %d : f32
  }
  %z = sinter.rowwise (i = 2048) by () ins(%y[i] : tensor<2048xf32>) reduce(maximumf [] : f32) outs(%f[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return %y, %z : tensor<2048xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func @alone_of_8193
//       CHECK:   sinter.rowwise (i = 8193) by ()
//       CHECK:     reduce(add []
// SHARED-LABEL: func @alone_of_8193
//       SHARED:   sinter.rowwise () by (i = 8193)
func.func @alone_of_8193(%x: tensor<8193xf32>, %e: tensor<8193xf32>, %f: tensor<f32>) -> tensor<8193xf32> {
  %s = sinter.rowwise (i = 8193) by () ins(%x[i] : tensor<8193xf32>) reduce(add [] : f32) outs(%f[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  %y = sinter.rowwise (i = 8193) by () ins(%x[i] : tensor<8193xf32>, %s[] : tensor<f32>)
      outs(%e[i] : tensor<8193xf32>) {
  ^row(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    sinter.yield %d : f32
  }
  return %y : tensor<8193xf32>
}

// -----

// SHARED-LABEL: func @many
//       SHARED:   sinter.rowwise (i = 16385) by ()
//       SHARED:     reduce(add []
func.func @many(%x: tensor<16385xf32>, %e: tensor<16385xf32>, %f: tensor<f32>) -> tensor<16385xf32> {
  %s = sinter.rowwise (i = 16385) by () ins(%x[i] : tensor<16385xf32>) reduce(add [] : f32) outs(%f[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  %y = sinter.rowwise (i = 16385) by () ins(%x[i] : tensor<16385xf32>, %s[] : tensor<f32>)
      outs(%e[i] : tensor<16385xf32>) {
  ^row(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    sinter.yield %d : f32
  }
  return %y : tensor<16385xf32>
}
