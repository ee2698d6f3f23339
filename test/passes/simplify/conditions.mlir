// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// What a lookup asserts of a piece of a row: of each index once. j is 0 to 5, so columns 2 to 3 are some and not all.

// CHECK-LABEL: func @piece
//       CHECK:   ^row(%[[R:.+]]: tensor<6xf32>, %[[T:.+]]: i1):
//       CHECK:     cf.assert %[[T]], "outside"
//   CHECK-NOT:     row_reduce
func.func @piece(%x: tensor<3x6xf32>, %t: tensor<3xi1>) -> tensor<3x6xf32> {
  %e = tensor.empty() : tensor<3x6xf32>
  %y = sinter.rowwise (i = 3) by (j = 6) ins(%x[i, j] : tensor<3x6xf32>, %t[i] : tensor<3xi1>) outs(%e[i, j] : tensor<3x6xf32>) {
  ^row(%r: tensor<6xf32>, %s: i1):
    %m2 = arith.constant dense<-2> : tensor<6xindex>
    %0 = arith.constant dense<0> : tensor<6xindex>
    %2 = arith.constant dense<2> : tensor<6xindex>
    %true = arith.constant dense<true> : tensor<6xi1>
    %j = sinter.index j : tensor<6xindex>
    %k = arith.addi %j, %m2 : tensor<6xindex>
    %low = arith.cmpi sge, %k, %0 : tensor<6xindex>
    %high = arith.cmpi slt, %k, %2 : tensor<6xindex>
    %in = arith.andi %low, %high : tensor<6xi1>
    %out = arith.xori %in, %true : tensor<6xi1>
    %sr = sinter.broadcast %s : i1 -> tensor<6xi1>
    %ok = arith.ori %sr, %out : tensor<6xi1>
    %all = sinter.row_reduce and %ok : tensor<6xi1> -> i1
    cf.assert %all, "outside"
    sinter.yield %r : tensor<6xf32>
  }
  return %y : tensor<3x6xf32>
}

// -----

// Each is true or false in all columns, or in none: unsigned and signed, at both ends and between.

// CHECK-LABEL: func @known
//   CHECK-DAG:   %[[T:.+]] = arith.constant true
//   CHECK-DAG:   %[[F:.+]] = arith.constant false
//       CHECK:   sinter.yield %[[F]], %[[T]], %[[T]], %[[F]], %[[T]], %[[F]]
func.func @known(%x: tensor<3x6xf32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %e = tensor.empty() : tensor<3xi1>
  %y:6 = sinter.rowwise (i = 3) by (j = 6) outs(%e[i] : tensor<3xi1>, %e[i] : tensor<3xi1>, %e[i] : tensor<3xi1>, %e[i] : tensor<3xi1>, %e[i] : tensor<3xi1>, %e[i] : tensor<3xi1>) {
  ^row:
    %m1 = arith.constant dense<-1> : tensor<6xindex>
    %3 = arith.constant dense<3> : tensor<6xindex>
    %5 = arith.constant dense<5> : tensor<6xindex>
    %6 = arith.constant dense<6> : tensor<6xindex>
    %j = sinter.index j : tensor<6xindex>
    %k = arith.addi %j, %m1 : tensor<6xindex>
    %below5 = arith.cmpi ult, %j, %5 : tensor<6xindex>
    %below6 = arith.cmpi ult, %j, %6 : tensor<6xindex>
    %is3 = arith.cmpi eq, %j, %3 : tensor<6xindex>
    %beyond = arith.cmpi ult, %k, %6 : tensor<6xindex>
    %signed = arith.cmpi slt, %k, %6 : tensor<6xindex>
    %is6 = arith.cmpi eq, %j, %6 : tensor<6xindex>
    %a = sinter.row_reduce and %below5 : tensor<6xi1> -> i1
    %b = sinter.row_reduce and %below6 : tensor<6xi1> -> i1
    %c = sinter.row_reduce or %is3 : tensor<6xi1> -> i1
    %d = sinter.row_reduce and %beyond : tensor<6xi1> -> i1
    %f = sinter.row_reduce and %signed : tensor<6xi1> -> i1
    %g = sinter.row_reduce or %is6 : tensor<6xi1> -> i1
    sinter.yield %a, %b, %c, %d, %f, %g : i1, i1, i1, i1, i1, i1
  }
  return %y#0, %y#1, %y#2, %y#3, %y#4, %y#5 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// With an `or` of the row it stays one, a scalar beside it. Rows of a length ? may be empty, and what an element says
// is not known.

// CHECK-LABEL: func @stay
//       CHECK:   %[[A:.+]] = sinter.row_reduce or %{{.+}} : tensor<6xi1> -> i1
//       CHECK:   arith.andi %{{.+}}, %[[A]] : i1
func.func @stay(%x: tensor<3x6xi1>, %t: tensor<3xi1>) -> tensor<3xi1> {
  %e = tensor.empty() : tensor<3xi1>
  %y = sinter.rowwise (i = 3) by (j = 6) ins(%x[i, j] : tensor<3x6xi1>, %t[i] : tensor<3xi1>) outs(%e[i] : tensor<3xi1>) {
  ^row(%r: tensor<6xi1>, %s: i1):
    %sr = sinter.broadcast %s : i1 -> tensor<6xi1>
    %both = arith.andi %sr, %r : tensor<6xi1>
    %any = sinter.row_reduce or %both : tensor<6xi1> -> i1
    sinter.yield %any : i1
  }
  return %y : tensor<3xi1>
}

// -----

// CHECK-LABEL: func @dynamic
//       CHECK:   arith.ori %{{.+}} : tensor<?xi1>
//       CHECK:   sinter.row_reduce and
func.func @dynamic(%x: tensor<3x?xi1>, %t: tensor<3xi1>, %n: index) -> tensor<3xi1> {
  %e = tensor.empty() : tensor<3xi1>
  %y = sinter.rowwise (i = 3) by (j = ?) ins(%x[i, j] : tensor<3x?xi1>, %t[i] : tensor<3xi1>) outs(%e[i] : tensor<3xi1>) {
  ^row(%r: tensor<?xi1>, %s: i1):
    %sr = sinter.broadcast %s : i1 -> tensor<?xi1>
    %both = arith.ori %sr, %r : tensor<?xi1>
    %all = sinter.row_reduce and %both : tensor<?xi1> -> i1
    sinter.yield %all : i1
  }
  return %y : tensor<3xi1>
}

// -----

// What is chosen in all columns is no choice: of columns 0 to 5, those 8 further are none of the first 8, and 0 to 5
// are. One that changes among them stays.

// CHECK-LABEL: func @chosen
//       CHECK:   ^row(%[[A:.+]]: tensor<6xf32>, %[[B:.+]]: tensor<6xf32>, %[[C:.+]]: tensor<6xf32>):
//   CHECK-NOT:     arith.select
//       CHECK:     %[[S:.+]] = arith.select %{{.+}}, %[[A]], %[[C]] :
//   CHECK-NOT:     arith.select
//       CHECK:     sinter.yield %[[B]], %[[A]], %[[S]] :
func.func @chosen(%a: tensor<3x6xf32>, %b: tensor<3x6xf32>, %c: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>) {
  %e = tensor.empty() : tensor<3x6xf32>
  %y:3 = sinter.rowwise (i = 3) by (j = 6) ins(%a[i, j] : tensor<3x6xf32>, %b[i, j] : tensor<3x6xf32>, %c[i, j] : tensor<3x6xf32>) outs(%e[i, j] : tensor<3x6xf32>, %e[i, j] : tensor<3x6xf32>, %e[i, j] : tensor<3x6xf32>) {
  ^row(%p: tensor<6xf32>, %q: tensor<6xf32>, %r: tensor<6xf32>):
    %5 = arith.constant dense<5> : tensor<6xindex>
    %8 = arith.constant dense<8> : tensor<6xindex>
    %j = sinter.index j : tensor<6xindex>
    %k = arith.addi %j, %8 : tensor<6xindex>
    %none = arith.cmpi ult, %k, %8 : tensor<6xindex>
    %all = arith.cmpi ult, %j, %8 : tensor<6xindex>
    %some = arith.cmpi ult, %j, %5 : tensor<6xindex>
    %s = arith.select %none, %p, %q : tensor<6xi1>, tensor<6xf32>
    %t = arith.select %all, %p, %r : tensor<6xi1>, tensor<6xf32>
    %u = arith.select %some, %p, %r : tensor<6xi1>, tensor<6xf32>
    sinter.yield %s, %t, %u : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x6xf32>
}
