// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-simplify --split-input-file %s | sinter-opt --split-input-file --sinter-decompose -o /dev/null

// A product with a row of one element is the product of that element.

// The rows' matrix is a diagonal.

// CHECK-LABEL: func @rows
//  CHECK-SAME:   (%[[D:.+]]: tensor<9xf32>, %[[W:.+]]: tensor<9x5xf32>)
//       CHECK:   sinter.rowwise (i = 7) by (j = 5)
//  CHECK-NEXT:   ins(%[[D]][i] : tensor<9xf32>, %[[W]][i, j] : tensor<9x5xf32>)
//       CHECK:   ^row(%[[S:.+]]: f32, %[[R:.+]]: tensor<5xf32>):
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[S]]
//       CHECK:     %[[M:.+]] = arith.mulf %[[B]], %[[R]]
//       CHECK:     sinter.yield %[[M]]
func.func @rows(%d: tensor<9xf32>, %w: tensor<9x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 9) (side(%d[k] : tensor<9xf32>) {
      ^side(%a: tensor<9xf32>):
        %z = arith.constant dense<0.0> : tensor<9xf32>
        %k = sinter.index k : tensor<9xindex>
        %k64 = arith.index_cast %k : tensor<9xindex> to tensor<9xi64>
        %i = sinter.index i : index
        %i64 = arith.index_cast %i : index to i64
        %b = sinter.broadcast %i64 : i64 -> tensor<9xi64>
        %c = arith.cmpi eq, %k64, %b : tensor<9xi64>
        %s = arith.select %c, %a, %z : tensor<9xi1>, tensor<9xf32>
        sinter.yield %s : tensor<9xf32>
      }, %w[k, j] : tensor<9x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// The columns' matrix is one, computed of positions too; the other side has a program and an index tensor, is of a
// narrower type, and another product stays.

// CHECK-LABEL: func @columns
//  CHECK-SAME:   (%[[X:.+]]: tensor<50x6xbf16>, %[[T:.+]]: tensor<7xi64>, %[[G:.+]]: tensor<6xbf16>, %[[V:.+]]: tensor<7x3xf32>, %[[W:.+]]: tensor<3x5xf32>)
//       CHECK:   sinter.contract (i = 7) by (j = 5)
//  CHECK-NEXT:   product (m = 3) (%[[V]][i, m] : tensor<7x3xf32>, %[[W]][m, j] : tensor<3x5xf32>) : f32
//  CHECK-NEXT:   ins(%[[X]][%[[T]][i] : tensor<7xi64>, j] : tensor<50x6xbf16>, %[[G]][j] : tensor<6xbf16>)
//       CHECK:     math.exp
//       CHECK:     arith.extf
//       CHECK:     sinter.index j
//       CHECK:     arith.mulf
//       CHECK:     arith.addf
func.func @columns(%x: tensor<50x6xbf16>, %t: tensor<7xi64>, %g: tensor<6xbf16>, %v: tensor<7x3xf32>,
                   %w: tensor<3x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 6) (side(%x[%t[i] : tensor<7xi64>, k] : tensor<50x6xbf16>, %g[k] : tensor<6xbf16>) {
      ^side(%a: tensor<6xbf16>, %h: tensor<6xbf16>):
        %m = arith.mulf %a, %h : tensor<6xbf16>
        %n = math.exp %m : tensor<6xbf16>
        sinter.yield %n : tensor<6xbf16>
      }, side(%g[k] : tensor<6xbf16>) {
      ^side(%a: tensor<6xbf16>):
        %z = arith.constant dense<0.0> : tensor<6xf32>
        %k = sinter.index k : tensor<6xindex>
        %j = sinter.index j : index
        %b = sinter.broadcast %j : index -> tensor<6xindex>
        %c = arith.cmpi eq, %b, %k : tensor<6xindex>
        %i = arith.index_cast %k : tensor<6xindex> to tensor<6xi32>
        %f = arith.sitofp %i : tensor<6xi32> to tensor<6xf32>
        %s = arith.select %c, %f, %z : tensor<6xi1>, tensor<6xf32>
        sinter.yield %s : tensor<6xf32>
      }) : f32
      product (m = 3) (%v[i, m] : tensor<7x3xf32>, %w[m, j] : tensor<3x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>, %q: tensor<5xf32>):
    %r = arith.addf %p, %q : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// There are more rows than the sum has elements: some rows have none.

// CHECK-LABEL: func @more_rows
//       CHECK:   sinter.contract
func.func @more_rows(%d: tensor<6xf32>, %w: tensor<6x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 6) (side(%d[k] : tensor<6xf32>) {
      ^side(%a: tensor<6xf32>):
        %z = arith.constant dense<0.0> : tensor<6xf32>
        %k = sinter.index k : tensor<6xindex>
        %i = sinter.index i : index
        %b = sinter.broadcast %i : index -> tensor<6xindex>
        %c = arith.cmpi eq, %k, %b : tensor<6xindex>
        %s = arith.select %c, %a, %z : tensor<6xi1>, tensor<6xf32>
        sinter.yield %s : tensor<6xf32>
      }, %w[k, j] : tensor<6x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// What stands elsewhere is no zero, positions below the diagonal are many, and bytes of positions are others' too.

// CHECK-LABEL: func @not_one
// CHECK-COUNT-3: sinter.contract
func.func @not_one(%d: tensor<300xf32>, %w: tensor<300x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = sinter.contract (i = 7) by (j = 5)
      product (k = 300) (side(%d[k] : tensor<300xf32>) {
      ^side(%a: tensor<300xf32>):
        %z = arith.constant dense<1.0> : tensor<300xf32>
        %k = sinter.index k : tensor<300xindex>
        %i = sinter.index i : index
        %b = sinter.broadcast %i : index -> tensor<300xindex>
        %c = arith.cmpi eq, %k, %b : tensor<300xindex>
        %s = arith.select %c, %a, %z : tensor<300xi1>, tensor<300xf32>
        sinter.yield %s : tensor<300xf32>
      }, %w[k, j] : tensor<300x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  %1 = sinter.contract (i = 7) by (j = 5)
      product (k = 300) (side(%d[k] : tensor<300xf32>) {
      ^side(%a: tensor<300xf32>):
        %z = arith.constant dense<0.0> : tensor<300xf32>
        %k = sinter.index k : tensor<300xindex>
        %i = sinter.index i : index
        %b = sinter.broadcast %i : index -> tensor<300xindex>
        %c = arith.cmpi sle, %k, %b : tensor<300xindex>
        %s = arith.select %c, %a, %z : tensor<300xi1>, tensor<300xf32>
        sinter.yield %s : tensor<300xf32>
      }, %w[k, j] : tensor<300x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  %2 = sinter.contract (i = 7) by (j = 5)
      product (k = 300) (side(%d[k] : tensor<300xf32>) {
      ^side(%a: tensor<300xf32>):
        %z = arith.constant dense<0.0> : tensor<300xf32>
        %k = sinter.index k : tensor<300xindex>
        %k8 = arith.index_cast %k : tensor<300xindex> to tensor<300xi8>
        %i = sinter.index i : index
        %i8 = arith.index_cast %i : index to i8
        %b = sinter.broadcast %i8 : i8 -> tensor<300xi8>
        %c = arith.cmpi eq, %k8, %b : tensor<300xi8>
        %s = arith.select %c, %a, %z : tensor<300xi1>, tensor<300xf32>
        sinter.yield %s : tensor<300xf32>
      }, %w[k, j] : tensor<300x5xf32>) : f32
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %0, %1, %2 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>
}
