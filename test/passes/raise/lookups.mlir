// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s

// A subscript that is known from the loops is part of the access.

// CHECK-LABEL: func @flip
//       CHECK:   ins(%{{.+}}[i, 8 - j] : tensor<4x9xf32>)
//   CHECK-NOT:   sinter.gather
func.func @flip(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c8, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf32>
    linalg.yield %v : f32
  } -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// -----

// What upstream's passes write as affine.apply is read as it is, in an access and in a computed subscript.

// CHECK-LABEL: func @applied
//       CHECK:   ins(%{{.+}}[i * 3 + j] : tensor<12xf32>)
//   CHECK-NOT:   sinter.gather
func.func @applied(%x: tensor<12xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(j)[i] -> (i * 3 + j)>(%j)[%i]
    %v = tensor.extract %x[%k] : tensor<12xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func @applied_to_data
//       CHECK:   %[[C3:.+]] = arith.constant 3 : index
//       CHECK:   %[[Q:.+]] = arith.floordivsi %[[T:.+]], %{{.+}} : tensor<4xindex>
//       CHECK:   %[[M:.+]] = arith.muli %[[Q]], %{{.+}} : tensor<4xindex>
//       CHECK:   %[[K:.+]] = arith.subi %[[T]], %[[M]] : tensor<4xindex>
//       CHECK:   %[[H:.+]] = arith.ceildivsi %[[T]], %{{.+}} : tensor<4xindex>
//       CHECK:   %[[L:.+]] = arith.addi %[[H]], %{{.+}} : tensor<4xindex>
//       CHECK:   sinter.gather %{{.+}}[%[[L]], %[[K]]]
func.func @applied_to_data(%x: tensor<12x7xf32>, %t: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%n: index, %out: f32):
    %k = affine.apply affine_map<(n) -> (n mod 3)>(%n)
    %i = linalg.index 0 : index
    %l = affine.apply affine_map<(n)[i] -> (n ceildiv 2 + i)>(%n)[%i]
    %v = tensor.extract %x[%l, %k] : tensor<12x7xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// One that might leave is computed.

// CHECK-LABEL: func @leaves
//       CHECK:   ins(%{{.+}}[?, ?] : tensor<4x9xf32>)
//       CHECK:   sinter.gather
func.func @leaves(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<4x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c7, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf32>
    linalg.yield %v : f32
  } -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// -----

// A nearest neighbour: division of a number that is not negative.

// CHECK-LABEL: func @nearest
//       CHECK:   ins(%{{.+}}[i, j floordiv 3] : tensor<4x3xf32>)
func.func @nearest(%x: tensor<4x3xf32>) -> tensor<4x9xf32> {
  %c3 = arith.constant 3 : i64
  %e = tensor.empty() : tensor<4x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %q = arith.divsi %n, %c3 : i64
    %k = arith.index_cast %q : i64 to index
    %v = tensor.extract %x[%i, %k] : tensor<4x3xf32>
    linalg.yield %v : f32
  } -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}

// -----

// A label of each row: one element of the row is picked. Outside it is 0, whatever the program does with it.

// CHECK-LABEL: func @label
//       CHECK:   sinter.rowwise (i = 4) by (j = 9)
//       CHECK:   ins(%{{.+}}[i] : tensor<4xi64>, %{{.+}}[i, j] : tensor<4x9xf32>)
//       CHECK:   outs(%{{.+}}[i] : tensor<4xf32>)
//       CHECK:   ^row(%[[T:.+]]: i64, %[[X:.+]]: tensor<9xf32>):
//       CHECK:     %[[K:.+]] = arith.index_cast %[[T]]
//       CHECK:     %[[V:.+]] = sinter.pick %[[X]][%[[K]]] else %{{.+}} : tensor<9xf32>, index
//       CHECK:     arith.select %{{.+}}, %{{.+}}, %[[V]] : f32
func.func @label(%x: tensor<4x9xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  %ignored = arith.constant -100 : i64
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%i, %k] : tensor<4x9xf32>
    %c = arith.cmpi eq, %a, %ignored : i64
    %s = arith.select %c, %z, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Classes in dimension 1 of images.

// CHECK-LABEL: func @pixels
//       CHECK:   sinter.rowwise (i = 2, j = 3, k = 4) by (l = 9)
//       CHECK:   %{{.+}}[i, l, j, k] : tensor<2x9x3x4xf32>
//       CHECK:   sinter.pick
func.func @pixels(%x: tensor<2x9x3x4xf32>, %t: tensor<2x3x4xi64>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x3x4xi64>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %w = linalg.index 2 : index
    %c = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%n, %c, %h, %w] : tensor<2x9x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// An embedding: the row's index is a scalar, and its assert comes along.

// CHECK-LABEL: func @embedding
//       CHECK:   sinter.rowwise (i = 4) by (j = 3)
//       CHECK:   ins(%{{.+}}[i] : tensor<4xi64>, %{{.+}}[?, ?] : tensor<5x3xf32>)
//       CHECK:   ^row(%[[T:.+]]: i64, %[[E:.+]]: memref<5x3xf32>):
//       CHECK:     %[[OK:.+]] = arith.cmpi ult, %[[T]]
//       CHECK:     cf.assert %[[OK]], "index out of the table"
//       CHECK:     %[[I:.+]] = arith.index_cast %[[T]] : i64 to index
//       CHECK:     %[[J:.+]] = sinter.index j : tensor<3xindex>
//       CHECK:     sinter.gather %[[E]][%[[I]], %[[J]]] else %{{.+}} : memref<5x3xf32>, index, tensor<3xindex> -> tensor<3xf32>
func.func @embedding(%table: tensor<5x3xf32>, %t: tensor<4xi64>) -> tensor<4x3xf32> {
  %n = arith.constant 5 : i64
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%row: i64, %out: f32):
    %ok = arith.cmpi ult, %row, %n : i64
    cf.assert %ok, "index out of the table"
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%i, %j] : tensor<5x3xf32>
    linalg.yield %x : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// An assert that depends on the last dimension: all dimensions are rows.

// CHECK-LABEL: func @each_element
//       CHECK:   sinter.rowwise (i = 4, j = 3) by ()
//       CHECK:   cf.assert %{{.+}}, "not positive"
func.func @each_element(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ok = arith.cmpf ogt, %a, %z : f32
    cf.assert %ok, "not positive"
    linalg.yield %a : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// In a reduction it holds for the whole row.

// CHECK-LABEL: func @whole_row
//       CHECK:   %[[ALL:.+]] = sinter.row_reduce and %{{.+}} : tensor<3xi1> -> i1
//       CHECK:   cf.assert %[[ALL]], "not positive"
func.func @whole_row(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x3xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ok = arith.cmpf ogt, %a, %z : f32
    cf.assert %ok, "not positive"
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Negative indices count from the end; both subscripts are rows.

// CHECK-LABEL: func @wrapped
//       CHECK:   %[[I:.+]] = arith.index_cast %{{.+}} : tensor<3xi64> to tensor<3xindex>
//       CHECK:   sinter.gather %{{.+}}[%[[I]], %[[I]]] else %{{.+}} : memref<9x9xf32>, tensor<3xindex>, tensor<3xindex> -> tensor<3xf32>
func.func @wrapped(%x: tensor<9x9xf32>, %t: tensor<4x3xi64>) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : i64
  %c9 = arith.constant 9 : i64
  %e = tensor.empty() : tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4x3xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%a: i64, %out: f32):
    %n = arith.cmpi slt, %a, %c0 : i64
    %p = arith.addi %a, %c9 : i64
    %q = arith.select %n, %p, %a : i64
    %i = arith.index_cast %q : i64 to index
    %v = tensor.extract %x[%i, %i] : tensor<9x9xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// Nobody reads the result, but the assert runs.

// CHECK-LABEL: func @only_asserts
//       CHECK:   cf.assert
func.func @only_asserts(%x: tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %ok = arith.cmpf ogt, %a, %z : f32
    cf.assert %ok, "not positive"
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return
}

// -----

// All elements in order are a reshape, what is beside them a form.

// CHECK-LABEL: func @reshaped
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %arg0 {{.*}} : tensor<3x2x4xf32> into tensor<24xf32>
//       CHECK:   %[[F:.+]] = sinter.rowwise () by (i = 24)
//  CHECK-NEXT:     ins(%arg0[{{[^:]*}} : tensor<3x2x4xf32>)
//       CHECK:   return %[[C]], %[[F]]
func.func @reshaped(%x: tensor<3x2x4xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %e = tensor.empty() : tensor<24xf32>
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %y:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e, %e : tensor<24xf32>, tensor<24xf32>) {
  ^bb0(%out: f32, %out2: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %c4 : index
    %q = arith.divsi %i, %c4 : index
    %j = arith.remsi %q, %c2 : index
    %r = arith.divsi %q, %c2 : index
    %m = arith.remsi %r, %c3 : index
    %v = tensor.extract %x[%m, %j, %k] : tensor<3x2x4xf32>
    %s = arith.mulf %v, %v : f32
    linalg.yield %v, %s : f32, f32
  } -> (tensor<24xf32>, tensor<24xf32>)
  return %y#0, %y#1 : tensor<24xf32>, tensor<24xf32>
}

// -----

// So they are where sizes are `?`, and the loop is as long as their product.

// CHECK-LABEL: func @reshaped_unknown
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %arg0 {{.*}} : tensor<?x?x2xf32> into tensor<?xf32>
//       CHECK:   return %[[C]]
func.func @reshaped_unknown(%x: tensor<?x?x2xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %mn = arith.muli %m, %n : index
  %all = arith.muli %mn, %c2 : index
  %e = tensor.empty(%all) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %c2 : index
    %q = arith.divsi %i, %c2 : index
    %j = arith.remsi %q, %n : index
    %r = arith.divsi %q, %n : index
    %o = arith.remsi %r, %m : index
    %v = tensor.extract %x[%o, %j, %k] : tensor<?x?x2xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A dimension of 1 has no subscript.

// CHECK-LABEL: func @reshaped_with_one
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %arg0 {{.*}} : tensor<?x1x16xf32> into tensor<?xf32>
//       CHECK:   return %[[C]]
func.func @reshaped_with_one(%x: tensor<?x1x16xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = tensor.dim %x, %c0 : tensor<?x1x16xf32>
  %all = arith.muli %m, %c16 : index
  %e = tensor.empty(%all) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %c16 : index
    %q = arith.divsi %i, %c16 : index
    %v = tensor.extract %x[%q, %c0, %k] : tensor<?x1x16xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A loop of another length reads some twice, or not at all; a size of another dimension turns them.

// CHECK-LABEL: func @longer
//   CHECK-NOT:   tensor.collapse_shape
func.func @longer(%x: tensor<?x2xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x2xf32>
  %all = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%all) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %c2 : index
    %q = arith.divsi %i, %c2 : index
    %j = arith.remsi %q, %m : index
    %v = tensor.extract %x[%j, %k] : tensor<?x2xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func @other_size
//   CHECK-NOT:   tensor.collapse_shape
func.func @other_size(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %all = arith.muli %m, %n : index
  %e = tensor.empty(%all) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %n : index
    %q = arith.divsi %i, %m : index
    %j = arith.remsi %q, %m : index
    %v = tensor.extract %x[%j, %k] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// In another order they are not.

// CHECK-LABEL: func @turned
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   sinter.rowwise
func.func @turned(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %c3 = arith.constant 3 : index
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<12xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.remsi %i, %c3 : index
    %q = arith.divsi %i, %c3 : index
    %v = tensor.extract %x[%k, %q] : tensor<3x4xf32>
    linalg.yield %v : f32
  } -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// -----

// A group's number for each channel, written out as a table of constants, with what torch does about negative ones: it
// is arithmetic, and the read an access.

// CHECK-LABEL: func @written_out
//       CHECK:   sinter.rowwise (i = 2) by (j = 6)
//  CHECK-NEXT:     ins(%{{.+}}[i, j floordiv 2] : tensor<2x3xf32>)
//   CHECK-NOT:   sinter.gather
func.func @written_out(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %rows = arith.constant dense<[[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]> : tensor<2x6xi64>
  %groups = arith.constant dense<[[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]]> : tensor<2x6xi64>
  %e = tensor.empty() : tensor<2x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %groups : tensor<2x6xi64>, tensor<2x6xi64>) outs(%e : tensor<2x6xf32>) {
  ^bb0(%r: i64, %g: i64, %out: f32):
    %negative = arith.cmpi slt, %g, %zero : i64
    %other = arith.addi %g, %three : i64
    %at = arith.select %negative, %other, %g : i64
    %i = arith.index_cast %r : i64 to index
    %j = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<2x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

// No arithmetic is found in these.

// CHECK-LABEL: func @any_table
//       CHECK:   sinter.gather
func.func @any_table(%x: tensor<3xf32>) -> tensor<6xf32> {
  %groups = arith.constant dense<[0, 0, 1, 1, 2, 1]> : tensor<6xi64>
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%groups : tensor<6xi64>) outs(%e : tensor<6xf32>) {
  ^bb0(%g: i64, %out: f32):
    %j = arith.index_cast %g : i64 to index
    %v = tensor.extract %x[%j] : tensor<3xf32>
    linalg.yield %v : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// x[arange(n)[:, None], arange(m)], with the sizes added to what is below 0: nothing is, and all is read as it stands.

// CHECK-LABEL: func @counted
//       CHECK:   sinter.rowwise (i = ?) by (j = 12)
//  CHECK-NEXT:     ins(%arg0[i, j] : tensor<?x12xi64>)
//   CHECK-NOT:   sinter.gather
func.func @counted(%x: tensor<?x12xi64>) -> tensor<?x12xi64> {
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c12_i64 = arith.constant 12 : i64
  %n = tensor.dim %x, %c0 : tensor<?x12xi64>
  %n_i64 = arith.index_cast %n : index to i64
  %en = tensor.empty(%n) : tensor<?xi64>
  %em = tensor.empty() : tensor<12xi64>
  %e = tensor.empty(%n) : tensor<?x12xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%en : tensor<?xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  } -> tensor<?xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%em : tensor<12xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  } -> tensor<12xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%rows, %columns : tensor<?xi64>, tensor<12xi64>) outs(%e : tensor<?x12xi64>) {
  ^bb0(%a: i64, %b: i64, %out: i64):
    %below = arith.cmpi slt, %a, %c0_i64 : i64
    %from_end = arith.addi %a, %n_i64 : i64
    %row = arith.select %below, %from_end, %a : i64
    %i = arith.index_cast %row : i64 to index
    %below_m = arith.cmpi slt, %b, %c0_i64 : i64
    %from_end_m = arith.addi %b, %c12_i64 : i64
    %column = arith.select %below_m, %from_end_m, %b : i64
    %j = arith.index_cast %column : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<?x12xi64>
    linalg.yield %v : i64
  } -> tensor<?x12xi64>
  return %y : tensor<?x12xi64>
}

// -----

// Counted by columns, the map turns it; a number below 0 that a select keeps is a subscript of its own.

// CHECK-LABEL: func @counted_columns
//       CHECK:   sinter.rowwise (i = 3) by (j = 4)
//       CHECK:     ins(%arg0[j, i] : tensor<4x3xf32>)
// CHECK-LABEL: func @other_select
//       CHECK:   sinter.gather
func.func @counted_columns(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %e4 = tensor.empty() : tensor<4xi64>
  %e = tensor.empty() : tensor<3x4xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    linalg.yield %k : i64
  } -> tensor<4xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<4xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%j, %i] : tensor<4x3xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

func.func @other_select(%x: tensor<?xf32>, %p: tensor<?xi1>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %below = arith.cmpi slt, %i, %c1 : index
    %k = arith.select %below, %c1, %i : index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Picked from a row that is one element, repeated, as a gather from what was expanded is.

// CHECK-LABEL: func @one_element
//       CHECK:   ^row(%{{.+}}: i64, %[[X:.+]]: f32):
//       CHECK:     %[[R:.+]] = sinter.broadcast %[[X]] : f32 -> tensor<1xf32>
//       CHECK:     sinter.pick %[[R]][%{{.+}}] else %{{.+}} : tensor<1xf32>, index
// CHECK-LABEL: func @repeated
//       CHECK:   ^row(%{{.+}}: i64, %[[X:.+]]: f32):
//       CHECK:     %[[R:.+]] = sinter.broadcast %[[X]] : f32 -> tensor<5xf32>
//       CHECK:     sinter.pick %[[R]][%{{.+}}] else %{{.+}} : tensor<5xf32>, index
#all = affine_map<(d0, d1) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#square = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @one_element(%x: tensor<4x3xf32>, %t: tensor<4x3xi64>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %r = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 3, 1] : tensor<4x3xf32> into tensor<4x3x1xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x3xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.index_cast %in : i64 to index
    %v = tensor.extract %r[%i, %j, %k] : tensor<4x3x1xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @repeated(%x: tensor<4x3xf32>, %t: tensor<4x3xi64>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %w = tensor.empty() : tensor<4x3x5xf32>
  %r = linalg.generic {indexing_maps = [#square, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%w : tensor<4x3x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x3x5xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x3xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.index_cast %in : i64 to index
    %v = tensor.extract %r[%i, %j, %k] : tensor<4x3x5xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
