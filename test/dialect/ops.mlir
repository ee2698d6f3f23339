// RUN: sinter-opt %s | FileCheck %s
// RUN: sinter-opt %s | sinter-opt | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s
// RUN: sinter-opt %s -o %t.once && sinter-opt %t.once | diff %t.once -
// RUN: sinter-opt --mlir-print-debuginfo %s -o %t.loc && sinter-opt --mlir-print-debuginfo %t.loc | diff %t.loc -

// Both forms, every kind of access and every row operation parse, print, and parse again to the same.

// A loss and its gradient: a scalar, reduced over rows, beside a full result.

// CHECK-LABEL: func @mse_grad
//       CHECK:   %{{.+}}:2 = sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:       ins(%{{.+}}[i, j] : tensor<4x8xf32>, %{{.+}}[i, j] : tensor<4x8xf32>)
//  CHECK-NEXT:       reduce(add [] : f32)
//  CHECK-NEXT:       outs(%{{.+}}[] : tensor<f32>, %{{.+}}[i, j] : tensor<4x8xf32>) {
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>):
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %{{.+}} : tensor<8xf32> -> f32{{$}}
//  CHECK-NEXT:     sinter.yield %[[S]], %{{.+}} : f32, tensor<8xf32>
//  CHECK-NEXT:   } finish {
//  CHECK-NEXT:   ^done(%{{.+}}: f32):
//       CHECK:     sinter.yield %{{.+}} : f32
//  CHECK-NEXT:   }
func.func @mse_grad(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %e: tensor<f32>, %d: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %loss, %dx = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %y[i, j] : tensor<4x8xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %g = arith.subf %a, %b : tensor<8xf32>
    %q = arith.mulf %g, %g : tensor<8xf32>
    %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
    sinter.yield %s, %g : f32, tensor<8xf32>
  } finish {
  ^done(%s: f32):
    %n = arith.constant 32.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return %loss, %dx : tensor<f32>, tensor<4x8xf32>
}

// One operand as a full row, per row, per column and as a scalar; and a mix of dimensions.

// CHECK-LABEL: func @accesses
//       CHECK:   sinter.rowwise (b = 2, g = 3) by (c = 4, s = 5)
//  CHECK-NEXT:       ins(%{{.+}}[b, g, c, s] : tensor<2x3x4x5xf32>, %{{.+}}[b, g] : tensor<2x3xf32>, %{{.+}}[c, s] : tensor<4x5xf32>, %{{.+}}[] : tensor<f32>, %{{.+}}[g, c] : tensor<3x4xf32>, %{{.+}}[g * 4 + c] : tensor<12xf32>, %{{.+}}[b, 0] : tensor<2x1xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[s, b, c, g] : tensor<5x2x4x3xf32>, %{{.+}}[b, g] : tensor<2x3xf32>) {
//  CHECK-NEXT:   ^row(%{{.+}}: tensor<20xf32>, %{{.+}}: f32, %{{.+}}: tensor<20xf32>, %{{.+}}: f32, %{{.+}}: tensor<20xf32>, %{{.+}}: tensor<20xf32>, %{{.+}}: f32):
func.func @accesses(%full: tensor<2x3x4x5xf32>, %row: tensor<2x3xf32>, %col: tensor<4x5xf32>, %scalar: tensor<f32>, %mixed: tensor<3x4xf32>, %flat: tensor<12xf32>, %unit: tensor<2x1xf32>,
                    %e: tensor<5x2x4x3xf32>, %d: tensor<2x3xf32>) -> (tensor<5x2x4x3xf32>, tensor<2x3xf32>) {
  %y:2 = sinter.rowwise (b = 2, g = 3) by (c = 4, s = 5)
      ins(%full[b, g, c, s] : tensor<2x3x4x5xf32>, %row[b, g] : tensor<2x3xf32>, %col[c, s] : tensor<4x5xf32>, %scalar[] : tensor<f32>,
          %mixed[g, c] : tensor<3x4xf32>, %flat[g * 4 + c] : tensor<12xf32>, %unit[b, 0] : tensor<2x1xf32>)
      outs(%e[s, b, c, g] : tensor<5x2x4x3xf32>, %d[b, g] : tensor<2x3xf32>) {
  ^row(%f: tensor<20xf32>, %r: f32, %c: tensor<20xf32>, %z: f32, %m: tensor<20xf32>, %l: tensor<20xf32>, %u: f32):
    %s = arith.addf %f, %c : tensor<20xf32>
    %t = arith.addf %m, %l : tensor<20xf32>
    %w = arith.mulf %s, %t : tensor<20xf32>
    %n = arith.addf %r, %u : f32
    sinter.yield %w, %n : tensor<20xf32>, f32
  }
  return %y#0, %y#1 : tensor<5x2x4x3xf32>, tensor<2x3xf32>
}

// Slices, strides, flips and padding: what leaves the operand has a fill value.

// CHECK-LABEL: func @subscripts
//       CHECK:       ins(%{{.+}}[i, j + 2] : tensor<4x10xf32>, %{{.+}}[i, j * 2] : tensor<4x15xf32>, %{{.+}}[i, 7 - j] : tensor<4x8xf32>, %{{.+}}[3 - i, 10 - j - i] : tensor<4x11xf32>,
//  CHECK-SAME:           %{{.+}}[i, j - 3] : tensor<4x8xf32> else 0xFF800000, %{{.+}}[i, 2 - j * 3] : tensor<4x8xbf16> else 0.000000e+00,
//  CHECK-SAME:           %{{.+}}[i floordiv 2, j mod 4] : tensor<2x4xi1> else true, %{{.+}}[i, (i + j) floordiv 2 + j ceildiv 2] : tensor<4x10xf64>, %{{.+}}[i, (j floordiv 4) * 4 - (j mod 2) * 2] : tensor<4x8xi32> else -5)
func.func @subscripts(%a: tensor<4x10xf32>, %b: tensor<4x15xf32>, %c: tensor<4x8xf32>, %d: tensor<4x11xf32>, %e: tensor<4x8xbf16>, %f: tensor<2x4xi1>, %g: tensor<4x10xf64>, %h: tensor<4x8xi32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%a[i, j + 2] : tensor<4x10xf32>, %b[i, j * 2] : tensor<4x15xf32>, %c[i, 7 - j] : tensor<4x8xf32>, %d[-i + 3, 10 - j - i] : tensor<4x11xf32>,
          %c[i, j - 3] : tensor<4x8xf32> else 0xFF800000, %e[i, 2 - j * 3] : tensor<4x8xbf16> else 0.0,
          %f[i floordiv 2, j mod 4] : tensor<2x4xi1> else true, %g[i, (j + i) floordiv 2 + j ceildiv 2] : tensor<4x10xf64>,
          %h[i, (j floordiv 4) * 4 - (j mod 2) * 2] : tensor<4x8xi32> else -5)
      outs(%o[i, j] : tensor<4x8xf32>) {
  ^row(%0: tensor<8xf32>, %1: tensor<8xf32>, %2: tensor<8xf32>, %3: tensor<8xf32>, %4: tensor<8xf32>, %5: tensor<8xbf16>, %6: tensor<8xi1>, %7: tensor<8xf64>, %8: tensor<8xi32>):
    sinter.yield %4 : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// An embedding: one subscript comes from memory, by row or by column.

// CHECK-LABEL: func @indirect
//       CHECK:       ins(%{{.+}}[%[[T:.+]][i] : tensor<4xi64>, j] : tensor<100x8xf32>, %{{.+}}[%{{.+}}[i, 7 - j] : tensor<4x8xi32>] : tensor<50xf32> else 1.000000e+00, %{{.+}}[%[[T]][2] : tensor<4xi64>, i] : tensor<100x4xf32>)
//       CHECK:   ^row(%{{.+}}: tensor<8xf32>, %{{.+}}: tensor<8xf32>, %{{.+}}: f32):
func.func @indirect(%table: tensor<100x8xf32>, %t: tensor<4xi64>, %list: tensor<50xf32>, %u: tensor<4x8xi32>, %wide: tensor<100x4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%table[%t[i] : tensor<4xi64>, j] : tensor<100x8xf32>, %list[%u[i, 7 - j] : tensor<4x8xi32>] : tensor<50xf32> else 1.0, %wide[%t[2] : tensor<4xi64>, i] : tensor<100x4xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: f32):
    %s = arith.addf %a, %b : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// A table: the body gives its subscripts.

// CHECK-LABEL: func @gather
//       CHECK:       ins(%{{.+}}[?, ?] : tensor<100x8xf32>, %{{.+}}[i] : tensor<4xi64>, %{{.+}}[?] : tensor<8xf32>)
//       CHECK:   ^row(%[[T:.+]]: memref<100x8xf32>, %[[I:.+]]: i64, %[[L:.+]]: memref<8xf32>):
//       CHECK:     sinter.gather %[[T]][%[[I]], %{{.+}}] else %{{.+}} : memref<100x8xf32>, i64, tensor<8xindex> -> tensor<8xf32>
//       CHECK:     sinter.gather %[[L]][%[[I]]] else %{{.+}} : memref<8xf32>, i64 -> f32
func.func @gather(%table: tensor<100x8xf32>, %t: tensor<4xi64>, %list: tensor<8xf32>, %e: tensor<4x8xf32>, %f: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y:2 = sinter.rowwise (i = 4) by (j = 8)
      ins(%table[?, ?] : tensor<100x8xf32>, %t[i] : tensor<4xi64>, %list[?] : tensor<8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>, %f[i] : tensor<4xf32>) {
  ^row(%a: memref<100x8xf32>, %i: i64, %l: memref<8xf32>):
    %z = arith.constant 0.0 : f32
    %j = sinter.index j : tensor<8xindex>
    %x = sinter.gather %a[%i, %j] else %z : memref<100x8xf32>, i64, tensor<8xindex> -> tensor<8xf32>
    %b = sinter.gather %l[%i] else %z : memref<8xf32>, i64 -> f32
    sinter.yield %x, %b : tensor<8xf32>, f32
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

// Numbers by seed and position: of a row, and of each element of it.

// CHECK-LABEL: func @random
//       CHECK:     sinter.random %{{.+}}[%{{.+}}, %{{.+}}] : i64, index, i64 -> i32
//       CHECK:     sinter.random %{{.+}}[%{{.+}}, %{{.+}}] : tensor<8xi64>, tensor<8xindex>, tensor<8xindex> -> tensor<8xf32>
func.func @random(%seed: tensor<i64>, %e: tensor<4x8xf32>, %f: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>) {
  %y:2 = sinter.rowwise (i = 4) by (j = 8)
      ins(%seed[] : tensor<i64>) outs(%e[i, j] : tensor<4x8xf32>, %f[i] : tensor<4xi32>) {
  ^row(%s: i64):
    %i = sinter.index i : index
    %j = sinter.index j : tensor<8xindex>
    %w = sinter.random %s[%i, %s] : i64, index, i64 -> i32
    %is = sinter.broadcast %i : index -> tensor<8xindex>
    %ss = sinter.broadcast %s : i64 -> tensor<8xi64>
    %u = sinter.random %ss[%is, %j] : tensor<8xi64>, tensor<8xindex>, tensor<8xindex> -> tensor<8xf32>
    sinter.yield %u, %w : tensor<8xf32>, i32
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xi32>
}

// Sizes that are known at run time; a result for each column, one for each row, one of both.

// CHECK-LABEL: func @dynamic
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
//       CHECK:       reduce(add [j] : f32, maximumf [] : f16)
//  CHECK-NEXT:       outs(%{{.+}}[j] : tensor<?xf32>, %{{.+}}[i] : tensor<?xf32>, %{{.+}}[] : tensor<f16>)
//  CHECK-NEXT:       schedule(#sinter.rows<chunk = 8, residency = "reread">) attributes {note = "kept"} {
func.func @dynamic(%x: tensor<?x?xf16>, %c: tensor<?xf32>, %r: tensor<?xf32>, %z: tensor<f16>) -> (tensor<?xf32>, tensor<?xf32>, tensor<f16>) {
  %y:3 = sinter.rowwise (i = ?) by (j = ?)
      ins(%x[i, j] : tensor<?x?xf16>)
      reduce(add [j] : f32, maximumf [] : f16)
      outs(%c[j] : tensor<?xf32>, %r[i] : tensor<?xf32>, %z[] : tensor<f16>)
      schedule(#sinter.rows<chunk = 8, residency = "reread">) attributes {note = "kept"} {
  ^row(%a: tensor<?xf16>):
    %w = arith.extf %a : tensor<?xf16> to tensor<?xf32>
    %s = sinter.row_reduce add %a : tensor<?xf16> -> f32
    %m = sinter.row_reduce maximumf %a : tensor<?xf16> -> f16
    sinter.yield %w, %m, %s : tensor<?xf32>, f16, f32
  }
  return %y#0, %y#1, %y#2 : tensor<?xf32>, tensor<?xf32>, tensor<f16>
}

// A scalar that the caller gives reaches both regions.

// CHECK-LABEL: func @uniform
//       CHECK:   ^row(%{{.+}}: tensor<8xf32>, %{{.+}}: f32):
//       CHECK:   ^done(%{{.+}}: f32, %{{.+}}: f32):
func.func @uniform(%x: tensor<4x8xf32>, %n: tensor<f32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 4) by (j = 8)
      ins(%x[i, j] : tensor<4x8xf32>, %n[] : tensor<f32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %unused: f32):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32, %d: f32):
    %m = arith.divf %s, %d : f32
    sinter.yield %m : f32
  }
  return %y : tensor<f32>
}

// Row operations: a named combiner, one of the program's own, positions, an element by index.

// CHECK-LABEL: func @row_operations
//       CHECK:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
//  CHECK-NEXT:     %[[I:.+]] = sinter.index i : index
//  CHECK-NEXT:     %[[J:.+]] = sinter.index j : tensor<8xindex>
//  CHECK-NEXT:     %[[P:.+]] = sinter.pick %[[X:.+]][%[[I]]] else %[[ONE]] : tensor<8xf32>, index
//  CHECK-NEXT:     %[[R:.+]] = sinter.row_reduce %[[X]] init(%[[ONE]] : f32) : tensor<8xf32> -> f32 {
//  CHECK-NEXT:     ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
//  CHECK-NEXT:       %[[C:.+]] = arith.mulf %[[A]], %[[B]] : f32
//  CHECK-NEXT:       sinter.yield %[[C]] : f32
//  CHECK-NEXT:     }
//       CHECK:     %{{.+}} = sinter.row_reduce maxsi %{{.+}} {why = 1 : i64} : tensor<8xi64> -> i64{{$}}
//       CHECK:     %{{.+}} = sinter.broadcast %{{.+}} : f32 -> tensor<8xf32>
//       CHECK:     cf.assert
func.func @row_operations(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %one = arith.constant 1.0 : f32
    %i = sinter.index i : index
    %j = sinter.index j : tensor<8xindex>
    %p = sinter.pick %a[%i] else %one : tensor<8xf32>, index
    %r = sinter.row_reduce %a init(%one : f32) : tensor<8xf32> -> f32 {
    ^bb0(%l: f32, %k: f32):
      %c = arith.mulf %l, %k : f32
      sinter.yield %c : f32
    }
    %w = arith.index_cast %j : tensor<8xindex> to tensor<8xi64>
    %m = sinter.row_reduce maxsi %w {why = 1} : tensor<8xi64> -> i64
    %q = arith.addf %p, %r : f32
    %s = sinter.broadcast %q : f32 -> tensor<8xf32>
    %ok = arith.cmpf ord, %q, %q : f32
    cf.assert %ok, "a NaN"
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

// Two products over dimensions of their own, one through a table, and an epilogue (a LoRA layer).

// CHECK-LABEL: func @products
//       CHECK:   %{{.+}} = sinter.contract (b = 2, i = 4) by (j = 8)
//  CHECK-NEXT:       product (k = 16) (%{{.+}}[b, i, k] : tensor<2x4x16xbf16>, %{{.+}}[%{{.+}}[j] : tensor<8xi32>, k] : tensor<100x16xbf16>) : f32
//  CHECK-NEXT:       product (r = 3, s = 2) (%{{.+}}[b, i, r, s] : tensor<2x4x3x2xf32>, %{{.+}}[r * 2 + s, j] : tensor<6x8xf32>) : f32
//  CHECK-NEXT:       ins(%{{.+}}[j] : tensor<8xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[b, i, j] : tensor<2x4x8xf32>)
//  CHECK-NEXT:       schedule(#sinter.brgemm<m = 32>) {
//  CHECK-NEXT:   ^row(%{{.+}}: tensor<8xf32>, %{{.+}}: tensor<8xf32>, %{{.+}}: tensor<8xf32>):
func.func @products(%x: tensor<2x4x16xbf16>, %w: tensor<100x16xbf16>, %t: tensor<8xi32>, %u: tensor<2x4x3x2xf32>, %v: tensor<6x8xf32>, %bias: tensor<8xf32>, %e: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %y = sinter.contract (b = 2, i = 4) by (j = 8)
      product (k = 16) (%x[b, i, k] : tensor<2x4x16xbf16>, %w[%t[j] : tensor<8xi32>, k] : tensor<100x16xbf16>) : f32
      product (r = 3, s = 2) (%u[b, i, r, s] : tensor<2x4x3x2xf32>, %v[r * 2 + s, j] : tensor<6x8xf32>) : f32
      ins(%bias[j] : tensor<8xf32>)
      outs(%e[b, i, j] : tensor<2x4x8xf32>) schedule(#sinter.brgemm<m = 32>) {
  ^row(%p: tensor<8xf32>, %q: tensor<8xf32>, %b: tensor<8xf32>):
    %s = arith.addf %p, %q : tensor<8xf32>
    %z = arith.addf %s, %b : tensor<8xf32>
    sinter.yield %z : tensor<8xf32>
  }
  return %y : tensor<2x4x8xf32>
}

// No rows, no columns; and no input at all.

// CHECK-LABEL: func @scalars
//       CHECK:   sinter.rowwise () by ()
//  CHECK-NEXT:       outs(%{{.+}}[] : tensor<f32>)
//  CHECK-NEXT:       schedule(#sinter.rows<>) {
//  CHECK-NEXT:     %{{.+}} = arith.constant
func.func @scalars(%e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise () by () outs(%e[] : tensor<f32>) schedule(#sinter.rows<>) {
    %c = arith.constant 2.0 : f32
    sinter.yield %c : f32
  }
  return %y : tensor<f32>
}

// On memrefs, destinations are written and there are no results.

// CHECK-LABEL: func @memrefs
//       CHECK:   {{^ *}}sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:       ins(%{{.+}}[i, j] : memref<4x8xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[i, j] : memref<4x8xf32>) {
func.func @memrefs(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %n = arith.negf %a : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  return
}

// What only asserts has no destinations.

// CHECK-LABEL: func @asserts
//       CHECK:   {{^ *}}sinter.rowwise (i = 4) by (j = 8)
//  CHECK-NEXT:       ins(%{{.+}}[i, j] : tensor<4x8xf32>) {
func.func @asserts(%x: tensor<4x8xf32>) {
  sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    %k = arith.constant 1.0e+30 : f32
    %c = arith.cmpf ult, %s, %k : f32
    cf.assert %c, "large"
    sinter.yield
  }
  return
}

// Gradients, with the gradient of what comes later or without.

// CHECK-LABEL: func @gradients
//       CHECK:     %{{.+}} = sinter.detach %{{.+}} : tensor<8xf32>
//       CHECK:   %[[D:.+]]:2 = sinter.differentiate %{{.+}} upstream(%{{.+}}) wrt(%{{.+}}, %{{.+}}) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
//       CHECK:   sinter.differentiate %{{.+}} wrt(%{{.+}}) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
func.func @gradients(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %g: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %w[j] : tensor<8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %d = sinter.detach %a : tensor<8xf32>
    %p = arith.mulf %d, %b : tensor<8xf32>
    sinter.yield %p : tensor<8xf32>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %dv = sinter.differentiate %y wrt(%w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %dx, %dw, %dv : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}
