// RUN: sinter-opt --sinter-raise --sinter-fuse --split-input-file %s | FileCheck %s

// A neighbour's result that is read with bounds: it is computed where it is read, and counts inside of them only.

// What is concatenated is made where it is selected: log(0) beside the bounds is not.

// CHECK-LABEL: func @computed_parts
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x3xf32>, %[[Y:.+]]: tensor<4x5xf32>)
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//   CHECK-DAG:     %[[X]][i, j] : tensor<4x3xf32> else 0.000000e+00
//   CHECK-DAG:     %[[Y]][i, j - 3] : tensor<4x5xf32> else 0.000000e+00
//       CHECK:     math.exp
//       CHECK:     %[[L:.+]] = math.log
//       CHECK:     arith.select %{{.+}}, %[[L]], %{{.+}}
//       CHECK:     sinter.yield
//   CHECK-NOT:   sinter.rowwise
func.func @computed_parts(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %f = tensor.empty() : tensor<4x5xf32>
  %a = linalg.exp ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %b = linalg.log ins(%y : tensor<4x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// Around a padded value stands the fill value, not what is computed from zeros.

// CHECK-LABEL: func @padded
//       CHECK:   sinter.rowwise (i = 4) by (j = 7)
//  CHECK-NEXT:     ins(%{{.+}}[i, j - 2] : tensor<4x5xf32> else 0.000000e+00)
//       CHECK:   ^row(%[[X:.+]]: tensor<7xf32>):
//       CHECK:     %[[H:.+]] = arith.constant 5.000000e-01
//       CHECK:     %[[E:.+]] = math.exp %[[X]]
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[H]]
//       CHECK:     arith.select %{{.+}}, %[[E]], %[[B]]
func.func @padded(%x: tensor<4x5xf32>) -> tensor<4x7xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %a = linalg.exp ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %p = tensor.pad %a low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<4x5xf32> to tensor<4x7xf32>
  return %p : tensor<4x7xf32>
}

// -----

// Two halves of one result, side by side: made at both places rather than stored.

// CHECK-LABEL: func @scattered
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//   CHECK-NOT:   sinter.rowwise
func.func @scattered(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.sub ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.add ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// A number of the row is read everywhere; that does not say that the columns beside it are read inside of their bounds.

// CHECK-LABEL: func @columns_beside_a_number
//       CHECK:   sinter.rowwise (i = 4) by (j = 5)
//       CHECK:   ^row(%{{.+}}: f32, %[[X:.+]]: tensor<5xf32>
//       CHECK:     %[[Y:.+]] = arith.addf %[[X]], %{{.+}}
//       CHECK:     %[[P:.+]] = arith.select %{{.+}}, %[[Y]], %{{.+}}
//       CHECK:     arith.addf %[[P]]
//   CHECK-NOT:   sinter.rowwise (
func.func @columns_beside_a_number(%x: tensor<4x5xf32>, %s: tensor<4xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %n = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4x5xf32>
  %a:2 = sinter.rowwise (i = 4) by (j = 2) ins(%s[i] : tensor<4xf32>, %x[i, j + 3] : tensor<4x5xf32>)
      outs(%e[i, j] : tensor<4x2xf32>, %n[i] : tensor<4xf32>) {
  ^row(%q: f32, %r: tensor<2xf32>):
    %t = sinter.broadcast %q : f32 -> tensor<2xf32>
    %y = arith.addf %r, %t : tensor<2xf32>
    %m = arith.negf %q : f32
    sinter.yield %y, %m : tensor<2xf32>, f32
  }
  %b = sinter.rowwise (i = 4) by (j = 5) ins(%a#0[i, j - 3] : tensor<4x2xf32> else 0.0, %a#1[i] : tensor<4xf32>)
      outs(%f[i, j] : tensor<4x5xf32>) {
  ^row(%r: tensor<5xf32>, %q: f32):
    %t = sinter.broadcast %q : f32 -> tensor<5xf32>
    %y = arith.addf %r, %t : tensor<5xf32>
    sinter.yield %y : tensor<5xf32>
  }
  return %b : tensor<4x5xf32>
}

// -----

// A reduction is not made again for the rows beside the bounds.

// CHECK-LABEL: func @reduction
//       CHECK:   %[[S:.+]] = sinter.rowwise (i = 4) by (j = 5)
//       CHECK:     sinter.row_reduce add
//       CHECK:   sinter.rowwise
//  CHECK-NEXT:     %[[S]][i - 1] : tensor<4xf32> else 0.000000e+00
func.func @reduction(%x: tensor<4x5xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce ins(%x : tensor<4x5xf32>) outs(%f : tensor<4xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %p = tensor.pad %s low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// -----

// With another reader the value is written once, at its own size.

// CHECK-LABEL: func @another_reader
//       CHECK:   %[[E:.+]] = sinter.rowwise (i = 4) by (j = 5)
//       CHECK:     math.exp
//       CHECK:   %[[P:.+]] = sinter.rowwise (i = 4) by (j = 7)
//  CHECK-NEXT:     %[[E]][i, j - 2] : tensor<4x5xf32> else 0.000000e+00
//       CHECK:   return %[[E]], %[[P]]
func.func @another_reader(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %a = linalg.exp ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %p = tensor.pad %a low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<4x7xf32>
  return %a, %p : tensor<4x5xf32>, tensor<4x7xf32>
}

// -----

// An index is moved with what it counts.

// CHECK-LABEL: func @index
//       CHECK:   sinter.rowwise (i = 12)
//       CHECK:     arith.constant -4 : index
//       CHECK:     sinter.index
//       CHECK:     arith.addi
//   CHECK-NOT:   sinter.rowwise
func.func @index(%x: tensor<8x3xi64>) -> tensor<12x3xi64> {
  %seven = arith.constant 7 : i64
  %e = tensor.empty() : tensor<8x3xi64>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x3xi64>) outs(%e : tensor<8x3xi64>) {
  ^bb0(%in: i64, %out: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %s = arith.addi %in, %k : i64
    linalg.yield %s : i64
  } -> tensor<8x3xi64>
  %p = tensor.pad %a low[4, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i64
  } : tensor<8x3xi64> to tensor<12x3xi64>
  return %p : tensor<12x3xi64>
}

// -----

// Two kernels that read a group's channels by one sum: its terms are matched, and the norm is one kernel.

// CHECK-LABEL: func @sums_match
//       CHECK:   sinter.rowwise (i = 3, j = 4) by (k = 2, l = 7)
//  CHECK-NEXT:     ins(%{{.+}}[i, j * 2 + k, l] : tensor<3x8x7xf32>)
//   CHECK-NOT:   sinter.rowwise
func.func @sums_match(%x: tensor<3x8x7xf32>) -> tensor<3x4x2x7xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [3, 4, 2, 7] : tensor<3x8x7xf32> into tensor<3x4x2x7xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %o = tensor.empty() : tensor<3x4x2x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = linalg.reduce ins(%w : tensor<3x4x2x7xf32>) outs(%f : tensor<3x4xf32>) dimensions = [2, 3] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %b = linalg.broadcast ins(%s : tensor<3x4xf32>) outs(%o : tensor<3x4x2x7xf32>) dimensions = [2, 3]
  %y = linalg.div ins(%w, %b : tensor<3x4x2x7xf32>, tensor<3x4x2x7xf32>) outs(%o : tensor<3x4x2x7xf32>) -> tensor<3x4x2x7xf32>
  return %y : tensor<3x4x2x7xf32>
}

// -----

// Zeros are read beside the bounds: an integer is not divided by them.

// CHECK-LABEL: func @division
//       CHECK:   %[[Q:.+]] = sinter.rowwise (i = 4) by (j = 5)
//       CHECK:     arith.divsi
//       CHECK:   sinter.rowwise (i = 4) by (j = 7)
//  CHECK-NEXT:     %[[Q]][i, j - 2] : tensor<4x5xi32> else 1
func.func @division(%x: tensor<4x5xi32>, %y: tensor<4x5xi32>) -> tensor<4x7xi32> {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<4x5xi32>
  %a = linalg.div ins(%x, %y : tensor<4x5xi32>, tensor<4x5xi32>) outs(%e : tensor<4x5xi32>) -> tensor<4x5xi32>
  %p = tensor.pad %a low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : i32
  } : tensor<4x5xi32> to tensor<4x7xi32>
  return %p : tensor<4x7xi32>
}

// -----

// The gradient of a mean over a window: a quotient of the subscript is a number too, and what each tap gets is not
// stored.

// CHECK-LABEL: func @quotient
//       CHECK:   sinter.rowwise (d = 9) by (k = 2)
//  CHECK-NEXT:       ins(%arg0[k * -1 + (d + 1) floordiv 2] : tensor<4xf32> else 0.0
//       CHECK:     arith.cmpi slt
//       CHECK:     arith.select
//       CHECK:     sinter.row_reduce add
//   CHECK-NOT:   sinter.rowwise
func.func @quotient(%g: tensor<4xf32>) -> tensor<9xf32> {
  %e0 = tensor.empty() : tensor<4x3xf32>
  %e1 = tensor.empty() : tensor<9xf32>
  %t = sinter.rowwise (j = 4) by (k = 3) ins(%g[j] : tensor<4xf32>) outs(%e0[j, k] : tensor<4x3xf32>) {
  ^row(%a: f32):
    %c = arith.constant 3.0 : f32
    %s = arith.divf %a, %c : f32
    %r = sinter.broadcast %s : f32 -> tensor<3xf32>
    sinter.yield %r : tensor<3xf32>
  }
  %d = sinter.rowwise (d = 9) by (k = 2)
      ins(%t[(d + 1) floordiv 2 - k, (d + 1) mod 2 + k * 2] : tensor<4x3xf32> else 0.0) outs(%e1[d] : tensor<9xf32>) {
  ^row(%a: tensor<2xf32>):
    %s = sinter.row_reduce add %a : tensor<2xf32> -> f32
    sinter.yield %s : f32
  }
  return %d : tensor<9xf32>
}

// -----

// What is 0 of 0 alone needs no select: it is read with the same bounds. A quotient by a negative number would be -0, a
// sum with a number that number, and of an operand that is read with other bounds nothing is known.

// CHECK-LABEL: func @nothing_outside
//       CHECK:   sinter.rowwise (i = 4) by ()
//  CHECK-NEXT:     ins(%{{.+}}[i - 1] : tensor<2xf32> else 0.000000e+00, %{{.+}}[i - 1] : tensor<2xf32> else 0.000000e+00)
//   CHECK-NOT:     arith.cmpi
//   CHECK-NOT:     arith.select
//       CHECK:     math.exp
// CHECK-LABEL: func @negative
//       CHECK:   arith.select
// CHECK-LABEL: func @added
//       CHECK:   arith.select
// CHECK-LABEL: func @other_bounds
//       CHECK:   arith.select
// CHECK-LABEL: func @other_size
//       CHECK:   arith.select
func.func @nothing_outside(%x: tensor<2xf32>, %z: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %g = sinter.rowwise (i = 2) by () ins(%x[i] : tensor<2xf32>, %z[i] : tensor<2xf32>) outs(%e[i] : tensor<2xf32>) {
  ^row(%a: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %c = arith.divf %a, %two : f32
    %d = arith.mulf %b, %c : f32
    %s = arith.addf %c, %d : f32
    sinter.yield %s : f32
  }
  %y = sinter.rowwise (i = 4) by () ins(%g[i - 1] : tensor<2xf32> else 0.0) outs(%f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func @negative(%x: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %g = sinter.rowwise (i = 2) by () ins(%x[i] : tensor<2xf32>) outs(%e[i] : tensor<2xf32>) {
  ^row(%a: f32):
    %two = arith.constant -2.0 : f32
    %c = arith.divf %a, %two : f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 4) by () ins(%g[i - 1] : tensor<2xf32> else 0.0) outs(%f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func @added(%x: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %g = sinter.rowwise (i = 2) by () ins(%x[i] : tensor<2xf32>) outs(%e[i] : tensor<2xf32>) {
  ^row(%a: f32):
    %two = arith.constant 2.0 : f32
    %c = arith.addf %a, %two : f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 4) by () ins(%g[i - 1] : tensor<2xf32> else 0.0) outs(%f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func @other_bounds(%x: tensor<3xf32>, %e: tensor<2xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %g = sinter.rowwise (i = 2) by () ins(%x[i + 1] : tensor<3xf32>) outs(%e[i] : tensor<2xf32>) {
  ^row(%a: f32):
    %two = arith.constant 2.0 : f32
    %c = arith.divf %a, %two : f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 4) by () ins(%g[i - 1] : tensor<2xf32> else 0.0) outs(%f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func @other_size(%x: tensor<3xf32>, %e: tensor<2xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %g = sinter.rowwise (i = 2) by () ins(%x[i] : tensor<3xf32>) outs(%e[i] : tensor<2xf32>) {
  ^row(%a: f32):
    %two = arith.constant 2.0 : f32
    %c = arith.divf %a, %two : f32
    sinter.yield %c : f32
  }
  %y = sinter.rowwise (i = 4) by () ins(%g[i - 1] : tensor<2xf32> else 0.0) outs(%f[i] : tensor<4xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Of a length ? nothing in a body says what is outside: what is 0 of zeros is read with bounds of its own, what is not,
// or reads the same everywhere, stays a form of its own.

// CHECK-LABEL: func @zero_outside_of_unknown
//  CHECK-SAME:   %[[X:.+]]: tensor<?xf32>
//       CHECK:   sinter.rowwise
//  CHECK-NEXT:     ins(%[[X]][i - 1] : tensor<?xf32> else -0.000000e+00)
//       CHECK:     %[[N:.+]] = arith.negf
//  CHECK-NEXT:     math.exp %[[N]]
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @beginning_of_unknown
//  CHECK-SAME:   %[[X:.+]]: tensor<?xf32>
//       CHECK:   sinter.rowwise
//  CHECK-NEXT:     ins(%[[X]][i] : tensor<?xf32> else 0.000000e+00)
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @one_outside_of_unknown
// CHECK-COUNT-2: sinter.rowwise
// CHECK-LABEL: func @same_everywhere
// CHECK-COUNT-2: sinter.rowwise
// CHECK-LABEL: func @same_in_all_rows
// CHECK-COUNT-2: sinter.rowwise
func.func @zero_outside_of_unknown(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = arith.negf %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  %b = sinter.rowwise () by (i = ?) ins(%a[i - 1] : tensor<?xf32> else 0.0) outs(%f[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.exp %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

func.func @beginning_of_unknown(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = arith.addf %r, %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  %b = sinter.rowwise () by (i = ?) ins(%a[i] : tensor<?xf32> else 0.0) outs(%f[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.exp %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

func.func @one_outside_of_unknown(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.exp %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  %b = sinter.rowwise () by (i = ?) ins(%a[i - 1] : tensor<?xf32> else 0.0) outs(%f[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = arith.negf %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

func.func @same_everywhere(%x: tensor<?xf32>, %s: tensor<f32>, %n: index, %m: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %a = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32>, %s[] : tensor<f32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>, %q: f32):
    %t = sinter.broadcast %q : f32 -> tensor<?xf32>
    %y = arith.addf %r, %t : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  %b = sinter.rowwise () by (i = ?) ins(%a[i - 1] : tensor<?xf32> else 0.0) outs(%f[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %y = math.exp %r : tensor<?xf32>
    sinter.yield %y : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

func.func @same_in_all_rows(%x: tensor<?x4xf32>, %s: tensor<4xf32>, %n: index, %m: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = tensor.empty(%m) : tensor<?x4xf32>
  %a = sinter.rowwise (i = ?) by (j = 4) ins(%x[i, j] : tensor<?x4xf32>, %s[j] : tensor<4xf32>)
      outs(%e[i, j] : tensor<?x4xf32>) {
  ^row(%r: tensor<4xf32>, %q: tensor<4xf32>):
    %y = arith.addf %r, %q : tensor<4xf32>
    sinter.yield %y : tensor<4xf32>
  }
  %b = sinter.rowwise (i = ?) by (j = 4) ins(%a[i - 1, j] : tensor<?x4xf32> else 0.0) outs(%f[i, j] : tensor<?x4xf32>) {
  ^row(%r: tensor<4xf32>):
    %y = math.exp %r : tensor<4xf32>
    sinter.yield %y : tensor<4xf32>
  }
  return %b : tensor<?x4xf32>
}
