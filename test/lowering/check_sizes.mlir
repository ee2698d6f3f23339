// RUN: sinter-opt --sinter-sizes --split-input-file %s | FileCheck %s

// Two operands give one size: they are compared before anything runs, and the message can name both.

// CHECK-LABEL: func @two_operands
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x9xf32>, %[[Y:.+]]: tensor<?x9xf32>)
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[X]], %{{.+}} : tensor<?x9xf32>
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[Y]], %{{.+}} : tensor<?x9xf32>
//   CHECK-DAG:   %[[WANT:.+]] = arith.index_cast %[[M]] : index to i64
//   CHECK-DAG:   %[[GOT:.+]] = arith.index_cast %[[N]] : index to i64
//   CHECK-DAG:   %[[ONE:.+]] = arith.constant 1 : i32
//       CHECK:   %[[SAME:.+]] = call @sinter_rt_same_size(%[[GOT]], %[[WANT]], %[[ONE]],
//       CHECK:   %[[OK:.+]] = arith.cmpi ne, %[[SAME]], %{{.+}} : i64
//       CHECK:   cf.assert %[[OK]]
//   CHECK-NOT:   cf.assert
//       CHECK:   sinter.rowwise
func.func @two_operands(%x: tensor<?x9xf32>, %y: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %0 = sinter.rowwise (i = ?) by (j = 9) ins(%x[i, j] : tensor<?x9xf32>, %y[i, j] : tensor<?x9xf32>) outs(%e[i, j] : tensor<?x9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %s = arith.addf %a, %b : tensor<9xf32>
    sinter.yield %s : tensor<9xf32>
  }
  return %0 : tensor<?x9xf32>
}

// -----

// A destination was made of the size: nothing to compare.

// CHECK-LABEL: func @same_by_making
//   CHECK-NOT:   cf.assert
func.func @same_by_making(%x: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %0 = linalg.exp ins(%x : tensor<?x9xf32>) outs(%e : tensor<?x9xf32>) -> tensor<?x9xf32>
  %1 = linalg.exp ins(%0 : tensor<?x9xf32>) outs(%e : tensor<?x9xf32>) -> tensor<?x9xf32>
  return %1 : tensor<?x9xf32>
}

// -----

// What stays linalg is checked too; a size against a number of the program, which has no input (-1).

// CHECK-LABEL: func @number
//  CHECK-SAME:   (%[[X:.+]]: tensor<?xf32>, %{{.+}}: tensor<5xf32>)
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[X]]
//   CHECK-DAG:   %[[GOT:.+]] = arith.index_cast %[[N]] : index to i64
//   CHECK-DAG:   %[[NONE:.+]] = arith.constant -1 : i32
//       CHECK:   call @sinter_rt_same_size(%[[GOT]], %{{.+}}, %{{.+}}, %{{.+}}, %[[NONE]], %{{.+}})
func.func @number(%x: tensor<?xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// The last window has to end inside.

// CHECK-LABEL: func @window
//  CHECK-SAME:   (%[[X:.+]]: tensor<?xf32>, %{{.+}}: tensor<3xf32>, %{{.+}}: tensor<?xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]], %{{.+}} : tensor<?xf32>
//       CHECK:   arith.cmpi slt, %{{.+}}, %[[N]] : index
//       CHECK:   cf.assert %{{.+}}, "check_sizes.mlir:{{[0-9]+:[0-9]+}}: a subscript is outside of the tensor that it reads: sizes of arguments do not fit each other"
func.func @window(%x: tensor<?xf32>, %k: tensor<3xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<3xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @cast
//       CHECK:   call @sinter_rt_same_size
func.func @cast(%x: tensor<?xf32>) -> tensor<5xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A reshape takes its sizes from numbers of the program: it has as many elements as its operand.

// CHECK-LABEL: func @reshape
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x4xf32>, %[[SHAPE:.+]]: tensor<3xi64>)
//       CHECK:   %[[M:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[GOT:.+]] = arith.muli %{{.+}}, %{{.+}} : index
//       CHECK:   %[[A:.+]] = tensor.extract %[[SHAPE]]
//       CHECK:   %[[B:.+]] = tensor.extract %[[SHAPE]]
//       CHECK:   cf.assert %{{.+}}, "check_sizes.mlir:{{[0-9]+:[0-9]+}}: a reshape has another number of elements than its operand: the program's sizes do not fit each other"
//  CHECK-NEXT:   tensor.reshape
func.func @reshape(%x: tensor<?x4xf32>, %shape: tensor<3xi64>) -> tensor<?x?x4xf32> {
  %0 = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x?x4xf32>
  return %0 : tensor<?x?x4xf32>
}

// -----

// CHECK-LABEL: func @static
//   CHECK-NOT:   sinter_rt_same_size
func.func @static(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.add ins(%x, %y : tensor<5xf32>, tensor<5xf32>) outs(%x : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A dimension of known size may end before an operand does, whose size is known too.

// CHECK-LABEL: func @beginning
//   CHECK-NOT:   sinter_rt_same_size
//       CHECK:   sinter.rowwise
func.func @beginning(%x: tensor<?x7xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %0 = sinter.rowwise (i = ?) by (j = 6) ins(%x[i, j] : tensor<?x7xf32>) outs(%e[i, j] : tensor<?x6xf32>) {
  ^row(%a: tensor<6xf32>):
    sinter.yield %a : tensor<6xf32>
  }
  return %0 : tensor<?x6xf32>
}

// -----

// All that a side's program reads has the sizes of the form.

// CHECK-LABEL: func @side
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x16xf32>, %[[R:.+]]: tensor<?xf32>, %[[G:.+]]: tensor<?xf32>, %[[W:.+]]: tensor<?x5xf32>)
// CHECK-COUNT-3: call @sinter_rt_same_size
//       CHECK:   sinter.contract
func.func @side(%x: tensor<?x16xf32>, %r: tensor<?xf32>, %g: tensor<?xf32>, %w: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %y = sinter.contract (i = ?) by (j = 5)
      product (k = 16) (side(%x[i, k] : tensor<?x16xf32>, %r[i] : tensor<?xf32>, %g[k] : tensor<?xf32>) {
      ^side(%a: tensor<16xf32>, %b: f32, %c: tensor<16xf32>):
        %0 = sinter.broadcast %b : f32 -> tensor<16xf32>
        %1 = arith.addf %a, %0 : tensor<16xf32>
        %2 = arith.mulf %1, %c : tensor<16xf32>
        sinter.yield %2 : tensor<16xf32>
      }, %w[k, j] : tensor<?x5xf32>) : f32
      outs(%e[i, j] : tensor<?x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y : tensor<?x5xf32>
}

// -----

// Rows of five elements, of which the first four are left out: the place in a row is a remainder, at most 4, and no
// more than what is divided.

// CHECK-LABEL: func @pieces_of_rows
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %{{.+}} : tensor<9x?xf32>
//       CHECK:   %[[FIVE:.+]] = arith.constant 5 : index
//       CHECK:   %[[LAST:.+]] = arith.subi %[[FIVE]], %{{.+}} : index
//       CHECK:   %[[LESS:.+]] = arith.minsi %{{.+}}, %[[LAST]] : index
//       CHECK:   %[[MOST:.+]] = arith.select %{{.+}}, %[[LESS]], %[[LAST]] : index
//       CHECK:   arith.cmpi slt, %[[MOST]], %[[N]] : index
func.func @pieces_of_rows(%x: tensor<9x?xf32>) -> tensor<36xf32> {
  %e = tensor.empty() : tensor<36xf32>
  %0 = sinter.rowwise () by (i = 36)
      ins(%x[(i + 4) floordiv 5 + 1, i - ((i + 4) floordiv 5) * 5 + 4] : tensor<9x?xf32>)
      outs(%e[i] : tensor<36xf32>) {
  ^row(%r: tensor<36xf32>):
    sinter.yield %r : tensor<36xf32>
  }
  return %0 : tensor<36xf32>
}
