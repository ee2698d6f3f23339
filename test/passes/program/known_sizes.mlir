// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes,canonicalize,cse)' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes{wrt=0},canonicalize)' --split-input-file %s | FileCheck %s --check-prefix=WRT
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes,sinter-known-sizes,canonicalize,cse)' --split-input-file %s | FileCheck %s --check-prefix=TWICE

// A size that is folded and unfolded again is the size; what cannot fail is no assert.

// CHECK-LABEL: func @folds
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %c0 : tensor<?x10xf32>
//   CHECK-NOT:   assert
//       CHECK:   return %[[N]], %[[N]], %{{.+}} : index, index, index
func.func @folds(%x: tensor<?x10xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?x10xf32>
  %m = affine.apply affine_map<()[s0] -> (s0 * 10)>()[%n]
  %b = arith.divsi %m, %c10 : index
  %w = arith.index_cast %b : index to i64
  %ok = arith.cmpi sge, %w, %zero : i64
  cf.assert %ok, "negative"
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x10xf32> into tensor<?xf32>
  %k = tensor.dim %c, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.exp ins(%c : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %l = tensor.dim %y, %c0 : tensor<?xf32>
  %d = arith.floordivsi %l, %c10 : index
  %f = arith.ceildivsi %k, %d : index
  return %b, %d, %f : index, index, index
}

// -----

// An inferred size: a select of what was decided.

// CHECK-LABEL: func @inferred
//       CHECK:   %[[N:.+]] = tensor.dim
//       CHECK:   return %[[N]], %c4
func.func @inferred(%x: tensor<?x64xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %inner = arith.constant 16 : i64
  %all = arith.constant 64 : i64
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %m = arith.index_cast %n : index to i64
  %less = arith.cmpi slt, %m, %zero : i64
  %known = arith.select %less, %one, %m : i64
  %part = arith.muli %known, %inner : i64
  %whole = arith.muli %m, %all : i64
  %rest = arith.divsi %whole, %part : i64
  %size = arith.select %less, %rest, %m : i64
  %i = arith.index_cast %size : i64 to index
  %j = arith.index_cast %rest : i64 to index
  return %i, %j : index, index
}

// -----

// A number of the program's own may be negative, and its product may wrap around.

// CHECK-LABEL: func @numbers
//       CHECK:   arith.muli
//       CHECK:   arith.divsi
//       CHECK:   arith.cmpi sge
//       CHECK:   arith.cmpi sgt
func.func @numbers(%n: i64) -> (i64, i1, i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %m = arith.muli %n, %four : i64
  %d = arith.divsi %m, %four : i64
  %ok = arith.cmpi sge, %n, %zero : i64
  %next = arith.addi %n, %one : i64
  %more = arith.cmpi sgt, %next, %n : i64
  return %d, %ok, %more : i64, i1, i1
}

// -----

// What is rounded down loses what is less than the divisor: (n * 10 + 5) / 10 is n. (n * 10 - 5) / 10 is n - 1, but
// rounded towards 0 it is 0 of none, and stays.

// CHECK-LABEL: func @rounds
//       CHECK:   %[[N:.+]] = tensor.dim
//       CHECK:   %[[D:.+]] = arith.divsi
//       CHECK:   return %[[N]], %[[D]]
func.func @rounds(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.muli %n, %c10 : index
  %s = arith.addi %m, %c5 : index
  %d = arith.divsi %s, %c10 : index
  %less = arith.subi %m, %c5 : index
  %e = arith.divsi %less, %c10 : index
  return %d, %e : index, index
}

// -----

// A broadcast to its own size is none; one dimension of size 1 is read at 0.

// CHECK-LABEL: func @broadcast
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}} : tensor<?x1x8xf32>)
//  CHECK-NEXT:   ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
//  CHECK-NEXT:     linalg.yield %[[X]]
func.func @broadcast(%x: tensor<?x1x8xf32>) -> tensor<?x4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x1x8xf32>
  %e = tensor.empty(%n) : tensor<?x4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x4x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %one = arith.cmpi eq, %n, %c1 : index
    %at = arith.select %one, %c0, %i : index
    %v = tensor.extract %x[%at, %c0, %k] : tensor<?x1x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}

// -----

// One to a size that nobody knows to be its own stays: there may be one of it.

// CHECK-LABEL: func @other_size
//       CHECK:   arith.select
//       CHECK:   tensor.extract
func.func @other_size(%x: tensor<?xf32>, %m: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %one = arith.cmpi eq, %n, %c1 : index
    %at = arith.select %one, %c0, %i : index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// What is longer than the loop is no operand of it.

// CHECK-LABEL: func @longer
//       CHECK:   tensor.extract
func.func @longer(%x: tensor<9xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// What a loop counts is less than the loop's own turns, and so is its quotient by a part of them: it is no remainder.

// CHECK-LABEL: func @remainders
//       CHECK:     %[[I:.+]] = linalg.index 0
//       CHECK:     %[[J:.+]] = arith.remsi %[[I]], %{{.+}} : index
//       CHECK:     %[[Q:.+]] = arith.divsi %[[I]], %{{.+}} : index
//   CHECK-NOT:     arith.remsi
//       CHECK:     tensor.extract %{{.+}}[%[[Q]], %[[J]]]
func.func @remainders(%x: tensor<?x16xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %m = arith.muli %n, %c16 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = arith.remsi %i, %c16 : index
    %q = arith.divsi %i, %c16 : index
    %k = arith.remsi %q, %n : index
    %v = tensor.extract %x[%k, %j] : tensor<?x16xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Of another size, and of what no loop counts, it is one.

// CHECK-LABEL: func @other_remainders
//       CHECK:     arith.remsi
//       CHECK:     arith.remsi
func.func @other_remainders(%x: tensor<?xf32>, %m: index, %t: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%t : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.remsi %i, %n : index
    %k = arith.remsi %at, %m : index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    %w = tensor.extract %x[%k] : tensor<?xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A slice of all that is there, and one that is written over all that is there, are what they take.

// CHECK-LABEL: func @whole_slices
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<?x4xf32>)
//       CHECK:   return %[[X]], %[[X]]
func.func @whole_slices(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %b = tensor.insert_slice %x into %f[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Others are not: fewer, from another place, with a stride, into a tensor that may be longer.

// CHECK-LABEL: func @parts
//   CHECK-DAG:   tensor.extract_slice %{{.+}}[0, 0] [%{{.+}}, 4] [1, 1]
//   CHECK-DAG:   tensor.extract_slice %{{.+}}[%{{.+}}, 0] [%{{.+}}, 4] [1, 1]
//   CHECK-DAG:   tensor.insert_slice %{{.+}} into %{{.+}}[0, 0] [%{{.+}}, 4] [1, 1]
func.func @parts(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %m: index) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %a = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %b = tensor.extract_slice %x[%m, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %c = tensor.insert_slice %x into %y[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Sizes of arguments of which the program asserts somewhere that they are one are one from the beginning, where that is
// asserted now, in the same order and each once.

// CHECK-LABEL: func @asserted
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<4x?xf32>, %[[Z:.+]]: tensor<?xf32>)
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[X]], %c0
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[Y]], %c1
//   CHECK-DAG:   arith.cmpi eq, %[[N]], %[[M]] : index
//       CHECK:   cf.assert %{{.+}}, "x and y"
//       CHECK:   %[[K:.+]] = tensor.dim %[[Z]], %c0
//       CHECK:   arith.cmpi eq, %[[M]], %[[K]] : index
//  CHECK-NEXT:   cf.assert %{{.+}}, "y and z"
//   CHECK-NOT:   cf.assert
//       CHECK:   tensor.empty(%[[K]])
//       CHECK:   return %{{.+}}, %[[K]], %[[K]], %[[K]]
//  TWICE-LABEL: func @asserted(
// TWICE-COUNT-2: cf.assert
//    TWICE-NOT:   cf.assert
//        TWICE:   return
func.func @asserted(%x: tensor<?x4xf32>, %y: tensor<4x?xf32>, %z: tensor<?xf32>) -> (tensor<?xf32>, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %z, %c0 : tensor<?xf32>
  %e = tensor.empty(%k) : tensor<?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n64 = arith.index_cast %n : index to i64
  %m = tensor.dim %y, %c1 : tensor<4x?xf32>
  %m64 = arith.index_cast %m : index to i64
  %same = arith.cmpi eq, %n64, %m64 : i64
  cf.assert %same, "x and y"
  %again = arith.cmpi eq, %m, %n : index
  cf.assert %again, "x and y again"
  %other = arith.cmpi eq, %m, %k : index
  cf.assert %other, "y and z"
  return %e, %n, %m, %k : tensor<?xf32>, index, index, index
}

// -----

// Nor does it matter that an exporter asked first whether the size was below 0.

// CHECK-LABEL: func @asserted_of_inferred
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<?x?xf32>)
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %[[X]], %c0
//   CHECK-DAG:   %[[M:.+]] = tensor.dim %[[Y]], %c1
//       CHECK:   arith.cmpi eq
//  CHECK-NEXT:   cf.assert %{{.+}}, "y and x"
//       CHECK:   return %[[N]], %[[N]] :
func.func @asserted_of_inferred(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n64 = arith.index_cast %n : index to i64
  %less = arith.cmpi slt, %n64, %zero : i64
  %known = arith.select %less, %one, %n64 : i64
  %i = arith.index_cast %known : i64 to index
  %m = tensor.dim %y, %c1 : tensor<?x?xf32>
  %same = arith.cmpi eq, %m, %i : index
  cf.assert %same, "y and x"
  return %i, %m : index, index
}

// -----

// Not those that are asserted only sometimes, that are no sizes of arguments, or that differ.

// CHECK-LABEL: func @not_asserted
//       CHECK:   scf.if
//       CHECK:     cf.assert
//       CHECK:   %[[N:.+]] = tensor.dim %arg0
//       CHECK:   cf.assert %{{.+}}, "of what is made"
//       CHECK:   %[[M:.+]] = tensor.dim %arg1
//       CHECK:   cf.assert %{{.+}}, "another"
//       CHECK:   return %[[N]], %[[M]]
func.func @not_asserted(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1, %made: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  scf.if %p {
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %m = tensor.dim %y, %c0 : tensor<?xf32>
    %same = arith.cmpi eq, %n, %m : index
    cf.assert %same, "sometimes"
  }
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %of = arith.cmpi eq, %k, %made : index
  cf.assert %of, "of what is made"
  %l = tensor.dim %y, %c0 : tensor<?xf32>
  %unlike = arith.cmpi ne, %k, %l : index
  cf.assert %unlike, "another"
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  return %n, %m : index, index
}

// -----

// What meets a number has so many: whoever reads it learns of it, and the function's type stays. Where gradients come,
// which have the argument's own type, it is left.

// CHECK-LABEL: func @number
//  CHECK-SAME:     %[[X:.+]]: tensor<?x?xf32>, %{{.+}}: tensor<9xf32>) -> (tensor<?xf32>, tensor<?x9xf32>)
//       CHECK:   %[[C:.+]] = tensor.cast %[[X]] : tensor<?x?xf32> to tensor<?x9xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[C]] : tensor<?x9xf32>)
//       CHECK:   linalg.generic {{.*}} ins(%[[C]], %{{.+}} : tensor<?x9xf32>, tensor<9xf32>)

// WRT-LABEL: func @number(
//       WRT:   linalg.generic {{.*}} ins(%{{.+}} : tensor<?x?xf32>)
func.func @number(%x: tensor<?x?xf32>, %w: tensor<9xf32>) -> (tensor<?xf32>, tensor<?x9xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<9xf32>) outs(%o : tensor<?x9xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %v = arith.mulf %in, %by : f32
    linalg.yield %v : f32
  } -> tensor<?x9xf32>
  return %s, %y : tensor<?xf32>, tensor<?x9xf32>
}

// -----

// An op that may not run says nothing.

// CHECK-LABEL: func @number_of_branch
//  CHECK-NEXT:   scf.if
func.func @number_of_branch(%x: tensor<?xf32>, %w: tensor<9xf32>, %ok: i1) -> tensor<9xf32> {
  %y = scf.if %ok -> tensor<9xf32> {
    %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%w : tensor<9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    } -> tensor<9xf32>
    scf.yield %v : tensor<9xf32>
  } else {
    scf.yield %w : tensor<9xf32>
  }
  return %y : tensor<9xf32>
}

// -----

// Where two numbers meet it, it fails when it runs, and says so.

// CHECK-LABEL: func @numbers_differ
//  CHECK-SAME:     %[[X:.+]]: tensor<?xf32>, %[[A:[^ ]+]]: tensor<9xf32>
//       CHECK:   %[[C:.+]] = tensor.cast %[[X]] : tensor<?xf32> to tensor<9xf32>
//       CHECK:   ins(%[[C]] : tensor<9xf32>) outs(%[[A]]
//       CHECK:   %[[D:.+]] = tensor.cast %[[X]] : tensor<?xf32> to tensor<10xf32>
func.func @numbers_differ(%x: tensor<?xf32>, %a: tensor<9xf32>, %b: tensor<10xf32>) -> (tensor<9xf32>, tensor<10xf32>) {
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%a : tensor<9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%b : tensor<10xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<10xf32>
  return %y, %z : tensor<9xf32>, tensor<10xf32>
}

// -----

// What a loop hands on may be made of what has a number there, behind a cast: there is no `?` to ask for.

// CHECK-LABEL: func @number_handed_on
//       CHECK:   return %{{.+}} : tensor<5x?xi16>
func.func @number_handed_on(%arg0: tensor<5x0xi16>) -> tensor<5x?xi16> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.empty() : tensor<5x0xi16>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%arg0, %arg0 : tensor<5x0xi16>, tensor<5x0xi16>) outs(%0 : tensor<5x0xi16>) {
  ^bb0(%in: i16, %in_1: i16, %out: i16):
    %5 = arith.subi %in, %in_1 : i16
    linalg.yield %5 : i16
  } -> tensor<5x0xi16>
  %cast = tensor.cast %arg0 : tensor<5x0xi16> to tensor<?x?xi16>
  %cast_0 = tensor.cast %1 : tensor<5x0xi16> to tensor<5x?xi16>
  %2:2 = scf.for %arg3 = %c1 to %c2 step %c1 iter_args(%arg4 = %cast_0, %arg5 = %cast)
      -> (tensor<5x?xi16>, tensor<?x?xi16>) {
    scf.yield %cast_0, %arg5 : tensor<5x?xi16>, tensor<?x?xi16>
  }
  %dim = tensor.dim %2#0, %c1 : tensor<5x?xi16>
  %3 = tensor.empty(%dim) : tensor<5x?xi16>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
      affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%2#0, %cast_0 : tensor<5x?xi16>, tensor<5x?xi16>) outs(%3 : tensor<5x?xi16>) {
  ^bb0(%in: i16, %in_1: i16, %out: i16):
    %5 = arith.minui %in, %in_1 : i16
    linalg.yield %5 : i16
  } -> tensor<5x?xi16>
  return %4 : tensor<5x?xi16>
}

// -----

// What is left of a division is a number by itself: (n - 4) / 4 + 1, rounded down, is n / 4, of a picture in patches,
// so the broadcast is plain. (n + 3) / 4 is n / 4 rounded up, and another number.

// CHECK-LABEL: func @patches
//   CHECK-NOT:   cf.assert
//       CHECK:   %[[Y:.+]] = linalg.fill
//   CHECK-NOT:   linalg.generic
//       CHECK:   %[[UP:.+]] = arith.ceildivsi
//       CHECK:   return %[[Y]], %[[UP]], %[[UP]], %{{.+}} :
func.func @patches(%x: tensor<?xf32>) -> (tensor<?xf32>, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c4 : index
  %q = arith.floordivsi %m, %c4 : index
  %size = arith.addi %q, %c1 : index
  %e = tensor.empty(%size) : tensor<?xf32>
  %cst = arith.constant 1.0 : f32
  %y = linalg.fill ins(%cst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %patches = arith.divsi %n, %c4 : index
  %positive = arith.cmpi sge, %patches, %c0 : index
  cf.assert %positive, "a size is not negative"
  %to = tensor.empty(%patches) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%to : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %one = arith.cmpi eq, %size, %c1 : index
    %at = arith.select %one, %c0, %i : index
    %v = tensor.extract %y[%at] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %up = arith.ceildivsi %n, %c4 : index
  %more = arith.addi %n, %c3 : index
  %same = arith.divsi %more, %c4 : index
  %most = arith.addi %n, %c7 : index
  %other = arith.divsi %most, %c4 : index
  return %z, %up, %same, %other : tensor<?xf32>, index, index, index
}

// -----

// A size that is broadcast to itself, or to one of none, is itself: what torch-mlir makes of an index_add.

// CHECK-LABEL: func @one_at_least
//  CHECK-SAME:   (%[[X:.+]]: tensor<?xf32>)
//   CHECK-NOT:   maxsi
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//   CHECK-NOT:   maxsi
//       CHECK:   tensor.empty(%[[N]])
//       CHECK:   linalg.generic {{.*}} ins(%[[X]]
func.func @one_at_least(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %m = arith.maxsi %i, %one : i64
  %k = arith.index_cast %m : i64 to index
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %c = arith.cmpi eq, %n, %c1 : index
    %s = arith.select %c, %c0, %j : index
    %v = tensor.extract %x[%s] : tensor<?xf32>
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Of another tensor there may be an element to read.

// CHECK-LABEL: func @one_of_another
//       CHECK:   maxsi
func.func @one_of_another(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %z, %c0 : tensor<?xf32>
  %k = arith.maxsi %n, %c1 : index
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %c = arith.cmpi eq, %n, %c1 : index
    %s = arith.select %c, %c0, %j : index
    %v = tensor.extract %x[%s] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// x[1:], x[:-1], x[2:] of n + 1, as exporters clamp their ends: n - min(n, 1). The end of x[:-2] is -1 where there is
// one element, and nothing is in front of that, either.

// CHECK-LABEL: func @clamped
//       CHECK:   %[[A:.+]] = arith.subi %[[N:.+]], %{{.+}} : index
//   CHECK-NOT:   {{select|maxsi|cmpi}}
//       CHECK:   return %[[A]], %[[A]], %[[B:.+]], %[[B]], %[[B]]
func.func @clamped(%x: tensor<?xf32>) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m1 = arith.constant -1 : index
  %m2 = arith.constant -2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %one = arith.minsi %n, %c1 : index
  %behind = arith.subi %n, %one : index
  %a = arith.maxsi %behind, %c0 : index
  %less = arith.addi %n, %m1 : index
  %below = arith.cmpi slt, %less, %c0 : index
  %end = arith.select %below, %m1, %less : index
  %most = arith.minsi %end, %n : index
  %b = arith.maxsi %most, %c0 : index
  %two = arith.minsi %n, %c2 : index
  %c = arith.subi %n, %two : index
  %less2 = arith.addi %n, %m2 : index
  %below2 = arith.cmpi slt, %less2, %c0 : index
  %end2 = arith.select %below2, %m1, %less2 : index
  %most2 = arith.minsi %end2, %n : index
  %d = arith.maxsi %most2, %c0 : index
  %middle = arith.subi %most, %one : index
  %e = arith.maxsi %middle, %c0 : index
  return %a, %b, %c, %d, %e : index, index, index, index, index
}

// -----

// A select that is not what an exporter clamps by, or of which what is below 0 is seen, is kept.

// CHECK-LABEL: func @seen_below_zero
//       CHECK:   arith.select
func.func @seen_below_zero(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %m1 = arith.constant -1 : index
  %m2 = arith.constant -2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %less = arith.addi %n, %m2 : index
  %below = arith.cmpi slt, %less, %c0 : index
  %end = arith.select %below, %m1, %less : index
  %b = arith.maxsi %less, %c0 : index
  return %end, %b : index, index
}
