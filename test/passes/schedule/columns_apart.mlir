// RUN: sinter-opt --sinter-columns-apart --split-input-file %s | FileCheck %s

// Few long rows, whose sums of columns would be more to combine than all that is read: rows and sums are two forms, and
// the number of each row that the sums need is stored.

// CHECK-LABEL: func @few
//  CHECK-SAME:   (%[[X:[^:]+]]: tensor<64x8192xf32>, %[[G:[^:]+]]: tensor<64x8192xf32>
//       CHECK:   %[[R:.+]]:2 = sinter.rowwise (i = 64) by (j = 8192)
//  CHECK-NEXT:     ins(%[[X]][i, j] : tensor<64x8192xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<64x8192xf32>, %{{.+}}[i] : tensor<64xf32>)
//       CHECK:     %[[S:.+]] = sinter.row_reduce add
//       CHECK:     %[[T:.+]] = math.rsqrt %[[S]]
//       CHECK:     sinter.yield %{{.+}}, %[[T]] : tensor<8192xf32>, f32
//       CHECK:   %[[C:.+]]:2 = sinter.rowwise (i = 64) by (j = 8192)
//  CHECK-NEXT:     ins(%[[X]][i, j] : tensor<64x8192xf32>, %[[G]][i, j] : tensor<64x8192xf32>, %[[R]]#1[i] : tensor<64xf32>)
//  CHECK-NEXT:     reduce(add [j] : f32, add [j] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[j] : tensor<8192xf32>, %{{.+}}[j] : tensor<8192xf32>)
//   CHECK-NOT:     sinter.row_reduce
//       CHECK:   finish
//       CHECK:   return %[[R]]#0, %[[C]]#0, %[[C]]#1
func.func @few(%x: tensor<64x8192xf32>, %g: tensor<64x8192xf32>, %e: tensor<64x8192xf32>, %f: tensor<8192xf32>)
    -> (tensor<64x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) {
  %0:3 = sinter.rowwise (i = 64) by (j = 8192) ins(%x[i, j] : tensor<64x8192xf32>, %g[i, j] : tensor<64x8192xf32>)
      reduce(add [j] : f32, add [j] : f32)
      outs(%e[i, j] : tensor<64x8192xf32>, %f[j] : tensor<8192xf32>, %f[j] : tensor<8192xf32>) {
  ^row(%a: tensor<8192xf32>, %b: tensor<8192xf32>):
    %q = arith.mulf %a, %a : tensor<8192xf32>
    %s = sinter.row_reduce add %q : tensor<8192xf32> -> f32
    %r = math.rsqrt %s : f32
    %t = sinter.broadcast %r : f32 -> tensor<8192xf32>
    %y = arith.mulf %a, %t : tensor<8192xf32>
    %w = arith.mulf %b, %y : tensor<8192xf32>
    sinter.yield %w, %b, %y : tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>
  } finish {
  ^done(%u: tensor<8192xf32>, %v: tensor<8192xf32>):
    %n = arith.negf %u : tensor<8192xf32>
    sinter.yield %n, %v : tensor<8192xf32>, tensor<8192xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<64x8192xf32>, tensor<8192xf32>, tensor<8192xf32>
}

// -----

// Many rows keep their sums in registers, and stay one form; so do those whose sums wait for no row.

// CHECK-LABEL: func @many
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @none_waits
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @total
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   sinter.rowwise
func.func @many(%x: tensor<32768x1024xf32>, %e: tensor<32768x1024xf32>, %f: tensor<1024xf32>)
    -> (tensor<32768x1024xf32>, tensor<1024xf32>) {
  %0:2 = sinter.rowwise (i = 32768) by (j = 1024) ins(%x[i, j] : tensor<32768x1024xf32>) reduce(add [j] : f32)
      outs(%e[i, j] : tensor<32768x1024xf32>, %f[j] : tensor<1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %s = sinter.row_reduce add %a : tensor<1024xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<1024xf32>
    %y = arith.mulf %a, %t : tensor<1024xf32>
    sinter.yield %y, %y : tensor<1024xf32>, tensor<1024xf32>
  }
  return %0#0, %0#1 : tensor<32768x1024xf32>, tensor<1024xf32>
}
func.func @none_waits(%x: tensor<64x8192xf32>, %e: tensor<64x8192xf32>, %f: tensor<8192xf32>)
    -> (tensor<64x8192xf32>, tensor<8192xf32>) {
  %0:2 = sinter.rowwise (i = 64) by (j = 8192) ins(%x[i, j] : tensor<64x8192xf32>) reduce(add [j] : f32)
      outs(%e[i, j] : tensor<64x8192xf32>, %f[j] : tensor<8192xf32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %y = arith.mulf %a, %t : tensor<8192xf32>
    sinter.yield %a, %y : tensor<8192xf32>, tensor<8192xf32>
  }
  return %0#0, %0#1 : tensor<64x8192xf32>, tensor<8192xf32>
}

// A sum over all rows beside those of columns: one form.

func.func @total(%x: tensor<64x8192xf32>, %f: tensor<8192xf32>, %t: tensor<f32>) -> (tensor<8192xf32>, tensor<f32>) {
  %0:2 = sinter.rowwise (i = 64) by (j = 8192) ins(%x[i, j] : tensor<64x8192xf32>) reduce(add [j] : f32, add [] : f32)
      outs(%f[j] : tensor<8192xf32>, %t[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %y = arith.mulf %a, %b : tensor<8192xf32>
    sinter.yield %y, %s : tensor<8192xf32>, f32
  }
  return %0#0, %0#1 : tensor<8192xf32>, tensor<f32>
}

// -----

// A row of i1, and of no tensor but each column's numbers, has elements of a byte.

// CHECK-LABEL: func @mask
//       CHECK:   sinter.rowwise (i = 64) by (j = 8200)
func.func @mask(%m: tensor<64x8200xi1>, %w: tensor<8200xf32>, %e: tensor<8200xf32>, %f: tensor<64xf32>)
    -> (tensor<8200xf32>, tensor<64xf32>) {
  %0:2 = sinter.rowwise (i = 64) by (j = 8200)
      ins(%m[i, j] : tensor<64x8200xi1>, %w[j] : tensor<8200xf32>)
      reduce(add [j] : f32)
      outs(%e[j] : tensor<8200xf32>, %f[i] : tensor<64xf32>) {
  ^row(%b: tensor<8200xi1>, %v: tensor<8200xf32>):
    %u = arith.uitofp %b : tensor<8200xi1> to tensor<8200xf32>
    %p = arith.mulf %u, %v : tensor<8200xf32>
    %n = sinter.row_reduce add %p : tensor<8200xf32> -> f32
    %r = sinter.broadcast %n : f32 -> tensor<8200xf32>
    %q = arith.mulf %r, %u : tensor<8200xf32>
    sinter.yield %q, %n : tensor<8200xf32>, f32
  } finish {
  ^all(%s: tensor<8200xf32>):
    sinter.yield %s : tensor<8200xf32>
  }
  return %0#0, %0#1 : tensor<8200xf32>, tensor<64xf32>
}
