// RUN: sinter-opt --sinter-long-columns --split-input-file %s | FileCheck %s

// Few columns along a length `?`: pieces, whose parts are cut again where there are many.

// CHECK-LABEL: func @long
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x?xf16>, %[[S:.+]]: tensor<?xf32>, %[[E:.+]]: tensor<?xf32>)
//       CHECK:   %[[L:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[R:.+]] = tensor.dim %[[X]], %c1
//       CHECK:   %[[N:.+]] = arith.muli %{{.+}}, %[[R]]
//       CHECK:   %[[FEW:.+]] = arith.cmpi ule, %[[N]], %c4096
//       CHECK:   %[[MANY:.+]] = arith.cmpi uge, %[[L]], %c4096
//       CHECK:   %[[BOTH:.+]] = arith.andi %[[FEW]], %[[MANY]]
//       CHECK:   scf.if %[[BOTH]]
//       CHECK:     %[[PIECES:.+]] = arith.ceildivui %[[L]], %c128
//       CHECK:     %[[END:.+]] = tensor.from_elements
//       CHECK:     %[[P:.+]] = tensor.empty(%[[PIECES]], %{{.+}}) : tensor<?x?xf32>
//       CHECK:     %[[PART:.+]] = sinter.rowwise (piece = ?, j = ?) by (i = 128)
//  CHECK-NEXT:         ins(%[[X]][piece * 128 + i, j] : tensor<?x?xf16> else 0.000000e+00, %[[END]][] : tensor<i64>)
//  CHECK-NEXT:         outs(%[[P]][piece, j] : tensor<?x?xf32>)
//  CHECK-NEXT:     ^row(%[[A:.+]]: tensor<128xf16>, %[[LENGTH:.+]]: i64)
//       CHECK:       %[[EXP:.+]] = math.exp
//       CHECK:       %[[IN:.+]] = arith.cmpi slt
//       CHECK:       %[[ZERO:.+]] = arith.constant 0.0
//       CHECK:       %[[NONE:.+]] = sinter.broadcast %[[ZERO]]
//       CHECK:       %[[OWN:.+]] = arith.select %[[IN]], %[[EXP]], %[[NONE]]
//       CHECK:       sinter.row_reduce add %[[OWN]]
//       CHECK:     scf.if
//       CHECK:       sinter.rowwise (piece1 = ?, j = ?) by (piece = 128)
//       CHECK:       sinter.rowwise (j = ?) by (piece1 = ?)
//       CHECK:     else
//       CHECK:       sinter.rowwise (j = ?) by (piece = ?)
//  CHECK-NEXT:           ins(%[[PART]][piece, j] : tensor<?x?xf32>, %[[S]][j] : tensor<?xf32>)
//  CHECK-NEXT:           outs(%[[E]][j] : tensor<?xf32>)
//       CHECK:         %[[SUM:.+]] = sinter.row_reduce add
//       CHECK:         arith.mulf %[[SUM]]
//       CHECK:   else
//       CHECK:     sinter.rowwise (j = ?) by (i = ?)
//   CHECK-NOT:   sinter.rowwise
func.func @long(%x: tensor<?x?xf16>, %s: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf16>, %s[j] : tensor<?xf32>) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf16>, %c: f32):
    %w = arith.extf %a : tensor<?xf16> to tensor<?xf32>
    %q = math.exp %w : tensor<?xf32>
    %r = sinter.row_reduce add %q : tensor<?xf32> -> f32
    %t = arith.mulf %r, %c : f32
    sinter.yield %t : f32
  }
  return %0 : tensor<?xf32>
}

// -----

// Of several reductions each has parts of its own.

// CHECK-LABEL: func @several
//       CHECK:   sinter.rowwise (piece = ?, j = 32) by (i = 128)
//       CHECK:     outs(%{{.+}}[piece, j] : tensor<?x32xf32>, %{{.+}}[piece, j] : tensor<?x32xf32>)
//       CHECK:     arith.constant 0.0
//       CHECK:     sinter.row_reduce add
//       CHECK:     arith.constant 0xFF800000
//       CHECK:     sinter.row_reduce maximumf
func.func @several(%x: tensor<?x32xf32>, %e: tensor<32xf32>) -> tensor<32xf32> {
  %0 = sinter.rowwise (j = 32) by (i = ?) ins(%x[i, j] : tensor<?x32xf32>) outs(%e[j] : tensor<32xf32>) {
  ^row(%a: tensor<?xf32>):
    %r = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %t = arith.addf %r, %m : f32
    sinter.yield %t : f32
  }
  return %0 : tensor<32xf32>
}

// -----

// Rows that lie by themselves are read by many threads each; a reduction that another waits for needs its row twice;
// what is known has a schedule of its own, and so has a window.

// CHECK-LABEL: func @by_rows
//   CHECK-NOT:   scf.if
func.func @by_rows(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %r = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %r : f32
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @waits
//   CHECK-NOT:   scf.if
func.func @waits(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %r = sinter.row_reduce add %d : tensor<?xf32> -> f32
    sinter.yield %r : f32
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @known
//   CHECK-NOT:   scf.if
func.func @known(%x: tensor<50000x32xf32>, %e: tensor<32xf32>) -> tensor<32xf32> {
  %0 = sinter.rowwise (j = 32) by (i = 50000) ins(%x[i, j] : tensor<50000x32xf32>) outs(%e[j] : tensor<32xf32>) {
  ^row(%a: tensor<50000xf32>):
    %r = sinter.row_reduce add %a : tensor<50000xf32> -> f32
    sinter.yield %r : f32
  }
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: func @many
//   CHECK-NOT:   scf.if
func.func @many(%x: tensor<?x5000xf32>, %e: tensor<5000xf32>) -> tensor<5000xf32> {
  %0 = sinter.rowwise (j = 5000) by (i = ?) ins(%x[i, j] : tensor<?x5000xf32>) outs(%e[j] : tensor<5000xf32>) {
  ^row(%a: tensor<?xf32>):
    %r = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %r : f32
  }
  return %0 : tensor<5000xf32>
}

// CHECK-LABEL: func @window
//   CHECK-NOT:   scf.if
func.func @window(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (j = ?) by (i = ?) ins(%x[i * 2, j] : tensor<?x?xf32> else 0.0, %w[i, j] : tensor<?x?xf32>) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %p = arith.mulf %a, %b : tensor<?xf32>
    %r = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %r : f32
  }
  return %0 : tensor<?xf32>
}
