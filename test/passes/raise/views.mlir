// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s | FileCheck %s

// Slices, reshapes and paddings become part of the access that reads through them; concatenations and insertions
// row programs that select by the index.

// A slice, a reshape and a transpose, one on the other.

// CHECK-LABEL: func @slice
//   CHECK-NOT:   tensor.extract_slice
//   CHECK-NOT:   tensor.expand_shape
//       CHECK:   sinter.rowwise (i = 8, j = 9) by (k = 4)
//  CHECK-NEXT:     ins(%{{.+}}[j, i + k * 8 + 32] : tensor<9x96xf32>)
func.func @slice(%x: tensor<9x96xf32>) -> tensor<8x9x4xf32> {
  %s = tensor.extract_slice %x[0, 32] [9, 32] [1, 1] : tensor<9x96xf32> to tensor<9x32xf32>
  %w = tensor.expand_shape %s [[0], [1, 2]] output_shape [9, 4, 8] : tensor<9x32xf32> into tensor<9x4x8xf32>
  %e = tensor.empty() : tensor<8x9x4xf32>
  %t = linalg.transpose ins(%w : tensor<9x4x8xf32>) outs(%e : tensor<8x9x4xf32>) permutation = [2, 0, 1]
  %y = linalg.exp ins(%t : tensor<8x9x4xf32>) outs(%e : tensor<8x9x4xf32>) -> tensor<8x9x4xf32>
  return %y : tensor<8x9x4xf32>
}

// -----

// A stride, and a dimension that the slice drops.

// CHECK-LABEL: func @strided_row
//       CHECK:   ins(%{{.+}}[3, i * 3 + 1] : tensor<9x16xf32>)
func.func @strided_row(%x: tensor<9x16xf32>) -> tensor<5xf32> {
  %s = tensor.extract_slice %x[3, 1] [1, 5] [1, 3] : tensor<9x16xf32> to tensor<5xf32>
  %e = tensor.empty() : tensor<5xf32>
  %y = linalg.exp ins(%s : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// A slice that is a result is a copy.

// CHECK-LABEL: func @slice_returned
//   CHECK-NOT:   tensor.extract_slice
//       CHECK:   ins(%{{.+}}[i + 3, j] : tensor<9x16xf32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<16xf32>):
//  CHECK-NEXT:     sinter.yield %[[X]]
func.func @slice_returned(%x: tensor<9x16xf32>) -> tensor<4x16xf32> {
  %s = tensor.extract_slice %x[3, 0] [4, 16] [1, 1] : tensor<9x16xf32> to tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// -----

// Quotients and remainders go where the ranges say so.

// CHECK-LABEL: func @reshapes_cancel
//       CHECK:   ins(%{{.+}}[i, j] : tensor<6x8xf32>)
func.func @reshapes_cancel(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  %w = tensor.expand_shape %c [[0, 1]] output_shape [6, 8] : tensor<48xf32> into tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %y = linalg.exp ins(%w : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// A reshape alone is free, a quotient in a subscript is not: it stays a reshape.

// CHECK-LABEL: func @collapse_alone
//       CHECK:   %[[C:.+]] = tensor.collapse_shape
//       CHECK:   ins(%[[C]][i] : tensor<48xf32>)
func.func @collapse_alone(%x: tensor<6x8xf32>) -> tensor<48xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  %e = tensor.empty() : tensor<48xf32>
  %y = linalg.exp ins(%c : tensor<48xf32>) outs(%e : tensor<48xf32>) -> tensor<48xf32>
  return %y : tensor<48xf32>
}

// -----

// With a transpose below it, it saves a copy.

// CHECK-LABEL: func @collapse_of_transpose
//   CHECK-NOT:   linalg.transpose
//       CHECK:   ins(%{{.+}}[i mod 6, i floordiv 6] : tensor<6x8xf32>)
func.func @collapse_of_transpose(%x: tensor<6x8xf32>) -> tensor<48xf32> {
  %t0 = tensor.empty() : tensor<8x6xf32>
  %t = linalg.transpose ins(%x : tensor<6x8xf32>) outs(%t0 : tensor<8x6xf32>) permutation = [1, 0]
  %c = tensor.collapse_shape %t [[0, 1]] : tensor<8x6xf32> into tensor<48xf32>
  %e = tensor.empty() : tensor<48xf32>
  %y = linalg.exp ins(%c : tensor<48xf32>) outs(%e : tensor<48xf32>) -> tensor<48xf32>
  return %y : tensor<48xf32>
}

// -----

// A padding is the access's fill value.

// CHECK-LABEL: func @padded
//   CHECK-NOT:   tensor.pad
//       CHECK:   ins(%{{.+}}[i - 1, j] : tensor<6x8xf32> else 5.000000e-01)
func.func @padded(%x: tensor<6x8xf32>) -> tensor<9x8xf32> {
  %zero = arith.constant 0.5 : f32
  %p = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<6x8xf32> to tensor<9x8xf32>
  %e = tensor.empty() : tensor<9x8xf32>
  %y = linalg.exp ins(%p : tensor<9x8xf32>) outs(%e : tensor<9x8xf32>) -> tensor<9x8xf32>
  return %y : tensor<9x8xf32>
}

// -----

// Behind a padding nothing is read through: a place outside of the slice may be inside of what it was taken from.

// CHECK-LABEL: func @padded_slice
//       CHECK:   %[[S:.+]] = sinter.rowwise (i = 3) by (j = 8)
//  CHECK-NEXT:     ins(%{{.+}}[i + 2, j] : tensor<6x8xf32>)
//       CHECK:     ins(%[[S]][i - 1, j] : tensor<3x8xf32> else 5.000000e-01)
func.func @padded_slice(%x: tensor<6x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.5 : f32
  %s = tensor.extract_slice %x[2, 0] [3, 8] [1, 1] : tensor<6x8xf32> to tensor<3x8xf32>
  %p = tensor.pad %s low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<3x8xf32> to tensor<5x8xf32>
  %e = tensor.empty() : tensor<5x8xf32>
  %y = linalg.exp ins(%p : tensor<5x8xf32>) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// -----

// A padding that is computed from the place stays.

// CHECK-LABEL: func @pad_not_constant
//       CHECK:   tensor.pad
func.func @pad_not_constant(%x: tensor<6xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{its offsets, strides, sizes or fill value are not known}}
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32
  } : tensor<6xf32> to tensor<8xf32>
  return %p : tensor<8xf32>
}

// -----

// A concatenation reads each input with bounds and selects by the column.

// CHECK-LABEL: func @concat(
//  CHECK-SAME:   %[[X:.+]]: tensor<6x3xf32>, %[[Y:.+]]: tensor<6x5xf32>)
//       CHECK:   sinter.rowwise (i = 6) by (j = 8)
//  CHECK-NEXT:     ins(%[[X]][i, j] : tensor<6x3xf32> else 0.000000e+00, %[[Y]][i, j - 3] : tensor<6x5xf32> else 0.000000e+00)
//       CHECK:   ^row(%[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     %[[J:.+]] = sinter.index j : tensor<8xindex>
//  CHECK-NEXT:     %[[N:.+]] = arith.constant dense<3>
//  CHECK-NEXT:     %[[C:.+]] = arith.cmpi ult, %[[J]], %[[N]]
//  CHECK-NEXT:     %[[S:.+]] = arith.select %[[C]], %[[A]], %[[B]]
//  CHECK-NEXT:     sinter.yield %[[S]]
func.func @concat(%x: tensor<6x3xf32>, %y: tensor<6x5xf32>) -> tensor<6x8xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<6x3xf32>, tensor<6x5xf32>) -> tensor<6x8xf32>
  return %c : tensor<6x8xf32>
}

// -----

// Along the rows the condition is a scalar; a constant is not read.

// CHECK-LABEL: func @concat_rows
//       CHECK:   ins(%{{.+}}[i, j] : tensor<2x5xi32> else 0, %{{.+}}[i - 4, j] : tensor<4x5xi32> else 0)
//       CHECK:   ^row(%[[A:.+]]: tensor<5xi32>, %[[B:.+]]: tensor<5xi32>):
//       CHECK:     %[[I:.+]] = sinter.index i : index
//       CHECK:     arith.select %{{.+}}, %{{.+}}, %[[B]] : tensor<5xi32>
//       CHECK:     arith.select %{{.+}}, %[[A]], %{{.+}} : tensor<5xi32>
func.func @concat_rows(%x: tensor<2x5xi32>, %y: tensor<4x5xi32>) -> tensor<8x5xi32> {
  %z0 = arith.constant dense<7> : tensor<2x5xi32>
  %c = tensor.concat dim(0) %x, %z0, %y : (tensor<2x5xi32>, tensor<2x5xi32>, tensor<4x5xi32>) -> tensor<8x5xi32>
  return %c : tensor<8x5xi32>
}

// -----

// Its inputs are read through slices: what lies beside them is not selected.

// CHECK-LABEL: func @concat_of_slice
//   CHECK-NOT:   tensor.extract_slice
//       CHECK:   ins(%[[X:.+]][i, j + 4] : tensor<6x8xf32> else 0.000000e+00, %[[X]][i, j - 4] : tensor<6x8xf32> else 0.000000e+00)
func.func @concat_of_slice(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %a = tensor.extract_slice %x[0, 0] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %b = tensor.extract_slice %x[0, 4] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %c = tensor.concat dim(1) %b, %a : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  return %c : tensor<6x8xf32>
}

// -----

// Exporters cast inputs to `?`; what was cast says where they end.

// CHECK-LABEL: func @concat_casts
//       CHECK:   ins(%[[X:.+]][i, j + 5] : tensor<6x8xf32> else 0.000000e+00, %[[X]][i, j - 3] : tensor<6x8xf32> else 0.000000e+00)
func.func @concat_casts(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %a = tensor.extract_slice %x[0, 0] [6, 5] [1, 1] : tensor<6x8xf32> to tensor<6x5xf32>
  %b = tensor.extract_slice %x[0, 5] [6, 3] [1, 1] : tensor<6x8xf32> to tensor<6x3xf32>
  %p = tensor.cast %b : tensor<6x3xf32> to tensor<6x?xf32>
  %q = tensor.cast %a : tensor<6x5xf32> to tensor<6x?xf32>
  %c = tensor.concat dim(1) %p, %q : (tensor<6x?xf32>, tensor<6x?xf32>) -> tensor<6x8xf32>
  return %c : tensor<6x8xf32>
}

// -----

// CHECK-LABEL: func @concat_parts_unknown
//       CHECK:   tensor.concat
func.func @concat_parts_unknown(%x: tensor<6x?xf32>, %y: tensor<6x?xf32>) -> tensor<6x8xf32> {
  // expected-remark@+1 {{the size of operand 0 is not known}}
  %c = tensor.concat dim(1) %x, %y : (tensor<6x?xf32>, tensor<6x?xf32>) -> tensor<6x8xf32>
  return %c : tensor<6x8xf32>
}

// -----

// All of a dimension `?` and the beginning of a known one are read through: the form's dimension j ends before the
// operand does.

// CHECK-LABEL: func @slice_all
//       CHECK:   ins(%{{.+}}[i, j + 1] : tensor<?x7xf32>, %{{.+}}[i, j] : tensor<?x7xf32>)
func.func @slice_all(%x: tensor<?x7xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %a = tensor.extract_slice %x[0, 1] [%n, 6] [1, 1] : tensor<?x7xf32> to tensor<?x6xf32>
  %b = tensor.extract_slice %x[0, 0] [%n, 6] [1, 1] : tensor<?x7xf32> to tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %y = linalg.sub ins(%a, %b : tensor<?x6xf32>, tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// The beginning of a dimension is read with bounds, where a size is `?`: else i would be as long as %p, or %x as long
// as 5. Results say how many there are, and asserts that there are as many: what is read with bounds is compared by
// nobody else.

// CHECK-LABEL: func @slice_beginning
//  CHECK-SAME:   %[[X:.+]]: tensor<?x8xf32>, %[[P:.+]]: tensor<32x8xf32>
//       CHECK:   cf.assert %{{.+}}, "views.mlir:{{[0-9]+}}:8: a slice is outside of the tensor"
//       CHECK:   ins(%[[X]][i, j] : tensor<?x8xf32>, %[[P]][i, j] : tensor<32x8xf32> else 0.000000e+00)
//       CHECK:   cf.assert %{{.+}}, "views.mlir:{{[0-9]+}}:8: a slice is outside of the tensor"
//       CHECK:   ins(%[[X]][i, j] : tensor<?x8xf32> else 0.000000e+00)
func.func @slice_beginning(%x: tensor<?x8xf32>, %p: tensor<32x8xf32>) -> (tensor<?x8xf32>, tensor<5x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %s = tensor.extract_slice %p[0, 0] [%n, 8] [1, 1] : tensor<32x8xf32> to tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.add ins(%x, %s : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = tensor.extract_slice %x[0, 0] [5, 8] [1, 1] : tensor<?x8xf32> to tensor<5x8xf32>
  %f = tensor.empty() : tensor<5x8xf32>
  %z = linalg.exp ins(%t : tensor<5x8xf32>) outs(%f : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %y, %z : tensor<?x8xf32>, tensor<5x8xf32>
}

// -----

// A part from the second on, which an exporter begins at min(n, 1), is read there, and one of what is summed is not: no
// result would say how many there are. What it begins at where it does not go to the end may be anything.

// CHECK-LABEL: func @slice_to_end
//  CHECK-SAME:   %[[X:.+]]: tensor<?xf32>
//   CHECK-NOT:   cf.assert
//       CHECK:   ins(%[[X]][i + 1] : tensor<?xf32>, %[[X]][i] : tensor<?xf32> else 0.000000e+00)
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[X]]
//       CHECK:   ins(%[[S]][i] : tensor<?xf32>, %{{.+}}[] : tensor<f32>)
//  CHECK-NEXT:   reduce(add
// CHECK-LABEL: func @slice_not_to_end
//       CHECK:   tensor.extract_slice
func.func @slice_to_end(%x: tensor<?xf32>, %z: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %o = arith.minsi %n, %c1 : index
  %m = arith.subi %n, %o : index
  %a = tensor.extract_slice %x[%o] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.sub ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark@+1 {{its offsets, strides, sizes or fill value are not known}}
  %t = tensor.extract_slice %x[%o] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%t : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0]
  return %y, %s : tensor<?xf32>, tensor<f32>
}

func.func @slice_not_to_end(%x: tensor<?xf32>, %m: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %o = arith.minsi %n, %c1 : index
  // expected-remark@+1 {{its offsets, strides, sizes or fill value are not known}}
  %a = tensor.extract_slice %x[%o] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Into what is one number everywhere, a part of any size is read with that number around it. It has to end inside.

// CHECK-LABEL: func @insert_into_zeros
//  CHECK-SAME:   %[[U:.+]]: tensor<?x4xf32>
//       CHECK:   cf.assert %{{.+}}, "{{.*}} a slice is outside of the tensor that it is put into, or has another size
//       CHECK:   sinter.rowwise (i = ?) by (j = 9)
//  CHECK-NEXT:     ins(%[[U]][i, j - 2] : tensor<?x4xf32> else 1.000000e+00)
// CHECK-LABEL: func @insert_into_others
//       CHECK:   tensor.insert_slice
func.func @insert_into_zeros(%u: tensor<?x4xf32>, %n: index) -> tensor<?x9xf32> {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %u, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?x9xf32>) -> tensor<?x9xf32>
  %y = tensor.insert_slice %u into %f[0, 2] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

func.func @insert_into_others(%u: tensor<?x4xf32>, %x: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %u, %c0 : tensor<?x4xf32>
  // expected-remark@+1 {{inserts at a place that is not known}}
  %y = tensor.insert_slice %u into %x[0, 2] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// -----

// Where an input ends has to be known, of all but the last.

// CHECK-LABEL: func @concat_unknown
//       CHECK:   tensor.concat
func.func @concat_unknown(%x: tensor<6x?xf32>, %y: tensor<6x?xf32>) -> tensor<6x?xf32> {
  // expected-remark@+1 {{the size of operand 0 is not known}}
  %c = tensor.concat dim(1) %x, %y : (tensor<6x?xf32>, tensor<6x?xf32>) -> tensor<6x?xf32>
  return %c : tensor<6x?xf32>
}

// -----

// The batch is `?`, and so is the length of what comes last.

// CHECK-LABEL: func @concat_dynamic
//       CHECK:   %[[S:.+]] = arith.addi %c2, %{{.+}} : index
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<?x2xf32> else 0.000000e+00, %{{.+}}[i, j - 2] : tensor<?x?xf32>
//       CHECK:   %[[TWO:.+]] = sinter.broadcast %{{.+}} : index -> tensor<?xindex>
//       CHECK:   arith.cmpi ult, %{{.+}}, %[[TWO]]
func.func @concat_dynamic(%x: tensor<?x2xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// A padded image of any size; one that is inserted into a whole batch.

// CHECK-LABEL: func @pad_dynamic
//       CHECK:   ins(%{{.+}}[i, j - 1] : tensor<?x?xf32> else 0.000000e+00)
//       CHECK:   ins(%{{.+}}[i, j - 2] : tensor<?x3xf32> else 0.000000e+00, %{{.+}}[i, j] : tensor<?x9xf32>)
func.func @pad_dynamic(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>, %z: tensor<?x9xf32>)
    -> (tensor<?x?xf32>, tensor<?x9xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %z, %c0 : tensor<?x9xf32>
  %s = tensor.insert_slice %y into %z[0, 2] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x9xf32>
  return %p, %s : tensor<?x?xf32>, tensor<?x9xf32>
}

// -----

// Into a part of it: where that ends is not known.

// CHECK-LABEL: func @insert_somewhere
//       CHECK:   tensor.insert_slice
func.func @insert_somewhere(%y: tensor<?x9xf32>, %z: tensor<?x9xf32>, %n: index) -> tensor<?x9xf32> {
  // expected-remark@+1 {{inserts at a place that is not known}}
  %s = tensor.insert_slice %y into %z[0, 0] [%n, 9] [1, 1] : tensor<?x9xf32> into tensor<?x9xf32>
  return %s : tensor<?x9xf32>
}

// -----

// An insertion with a stride: rows 1 and 4, columns 2 to 4.

// CHECK-LABEL: func @insert(
//       CHECK:   ins(%{{.+}}[(i - 1) floordiv 3, j - 2] : tensor<2x3xf32> else 0.000000e+00, %{{.+}}[i, j] : tensor<8x9xf32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<9xf32>, %[[Y:.+]]: tensor<9xf32>):
//       CHECK:     arith.remui
//       CHECK:     arith.select %{{.+}}, %[[X]], %[[Y]]
func.func @insert(%x: tensor<2x3xf32>, %y: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %c = tensor.insert_slice %x into %y[1, 2] [2, 3] [3, 1] : tensor<2x3xf32> into tensor<8x9xf32>
  return %c : tensor<8x9xf32>
}

// -----

// A place that is only known at run time.

// CHECK-LABEL: func @insert_somewhere
//       CHECK:   tensor.insert_slice
func.func @insert_somewhere(%x: tensor<2x3xf32>, %y: tensor<8x9xf32>, %i: index) -> tensor<8x9xf32> {
  // expected-remark@+1 {{inserts at a place that is not known}}
  %c = tensor.insert_slice %x into %y[%i, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x9xf32>
  return %c : tensor<8x9xf32>
}

// -----

// A row of a matrix that is looked up in is a copy, of the size that the slice says.

// CHECK-LABEL: func @row_of_unknown_length
//  CHECK-SAME:   %[[X:.+]]: tensor<2x?xi64>
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?xi64>
//  CHECK-NEXT:   sinter.rowwise () by (i = ?)
//  CHECK-NEXT:     ins(%[[X]][1, i] : tensor<2x?xi64>)
//  CHECK-NEXT:     outs(%[[E]][i] : tensor<?xi64>)
func.func @row_of_unknown_length(%x: tensor<2x?xi64>) -> (tensor<?x1xi64>, tensor<?x4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xi64>
  %s = tensor.extract_slice %x[1, 0] [1, %n] [1, 1] : tensor<2x?xi64> to tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x1xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]} outs(%e : tensor<?x1xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %r = arith.remsi %i, %n : index
    %v = tensor.extract %s[%r] : tensor<?xi64>
    linalg.yield %v : i64
  } -> tensor<?x1xi64>
  %f = tensor.empty(%n) : tensor<?x4xi64>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<?xi64>) outs(%f : tensor<?x4xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<?x4xi64>
  return %y, %z : tensor<?x1xi64>, tensor<?x4xi64>
}
