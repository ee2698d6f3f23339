// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes,canonicalize,cse)' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes,canonicalize,cse,sinter-known-sizes,canonicalize,cse)' --split-input-file %s | FileCheck %s --check-prefix=TWICE

// A size of which a part is taken as often as it is asserted to have is that part so many times; what an exporter takes
// for the place of a slice, lest it is outside, follows.

// CHECK-LABEL: func @multiple
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x9xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[R:.+]] = arith.remsi %[[N]], %c3
//       CHECK:   %[[S:.+]] = arith.cmpi eq, %[[R]], %c0
//       CHECK:   cf.assert %[[S]], "three parts"
//       CHECK:   %[[P:.+]] = arith.floordivsi %[[N]], %c3
//   CHECK-NOT:   arith.{{minsi|maxsi}}
//       CHECK:   return %[[P]], %[[P]], %[[N]], %c0

// The same again, where it is asserted at the head already.

// TWICE-LABEL: func @multiple(
//       TWICE:   cf.assert
//   TWICE-NOT:   cf.assert
//       TWICE:   return %[[P:.+]], %[[P]], %[[N:.+]], %c0
func.func @multiple(%x: tensor<?x9xf32>) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %part = arith.floordivsi %n, %c3 : index
  %two = arith.muli %part, %c2 : index
  %end = arith.minsi %two, %n : index
  %last = arith.subi %n, %end : index
  %is = arith.maxsi %last, %c0 : index
  %whole = arith.muli %part, %c3 : index
  %none = arith.remsi %two, %c2 : index
  %r = arith.remsi %n, %c3 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  cf.assert %ok, "three parts"
  return %part, %is, %whole, %none : index, index, index, index
}

// -----

// Of two numbers, of both: a size of 6 and of 4 parts is one of 12.

// CHECK-LABEL: func @multiples
// CHECK-COUNT-2: cf.assert
//       CHECK:   %[[P:.+]] = arith.divsi %{{.+}}, %c12
//       CHECK:   return %[[P]], %[[P]]
func.func @multiples(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c12 = arith.constant 12 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = arith.remsi %n, %c6 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  cf.assert %ok, "six parts"
  %s = arith.remsi %n, %c4 : index
  %too = arith.cmpi eq, %s, %c0 : index
  cf.assert %too, "four parts"
  %p = arith.divsi %n, %c12 : index
  %q = arith.divsi %n, %c6 : index
  %half = arith.divsi %q, %c2 : index
  return %p, %half : index, index
}

// -----

// The less of two sizes is one of them, once that is asserted; the other is as large at least, and no more is known of
// it.

// CHECK-LABEL: func @less
//  CHECK-SAME:   (%[[X:.+]]: tensor<?xf32>, %[[Y:.+]]: tensor<?xi64>)
//       CHECK:   %[[L:.+]] = arith.minsi
//       CHECK:   %[[S:.+]] = arith.cmpi eq, %[[L]], %{{.+}}
//       CHECK:   cf.assert %[[S]], "as many labels"
//       CHECK:   return %[[N:.+]], %[[N]], %[[M:.+]] : index
// TWICE-LABEL: func @less(
//       TWICE:   cf.assert
//   TWICE-NOT:   cf.assert
//       TWICE:   return %[[N:.+]], %[[N]], %{{.+}} : index
func.func @less(%x: tensor<?xf32>, %y: tensor<?xi64>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xi64>
  %l = arith.minsi %n, %m : index
  %turned = arith.minsi %m, %n : index
  %ok = arith.cmpi eq, %l, %n : index
  cf.assert %ok, "as many labels"
  return %l, %turned, %m : index, index, index
}

// -----

// A sum: the later argument is what the others make of it, whatever else is asserted of them.

// CHECK-LABEL: func @sum
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %arg0
//   CHECK-DAG:   %[[K:.+]] = tensor.dim %arg2
//       CHECK:   cf.assert %{{.+}}, "x and y are z"
//       CHECK:   cf.assert %{{.+}}, "x and y"
//   CHECK-NOT:   arith
//       CHECK:   return %[[K]], %[[N]]
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = tensor.dim %z, %c0 : tensor<?xf32>
  %both = arith.addi %n, %m : index
  %ok = arith.cmpi eq, %both, %k : index
  cf.assert %ok, "x and y are z"
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "x and y"
  %twice = arith.muli %n, %c2 : index
  %half = arith.divsi %twice, %c2 : index
  return %twice, %half : index, index
}

// -----

// So many parts and one are that many parts, where one is left out.

// CHECK-LABEL: func @rest
//       CHECK:   cf.assert %{{.+}}, "a rest"
//       CHECK:   %[[P:.+]] = arith.divsi %{{.+}}, %c3
//       CHECK:   return %[[P]], %[[P]]
func.func @rest(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = arith.remsi %n, %c3 : index
  %ok = arith.cmpi eq, %r, %c1 : index
  cf.assert %ok, "a rest"
  %part = arith.divsi %n, %c3 : index
  %less = arith.subi %n, %c1 : index
  %of_less = arith.divsi %less, %c3 : index
  return %part, %of_less : index, index
}

// -----

// What is no size of an argument may be less than 0, and what is no multiple of one size alone says nothing of either.

// CHECK-LABEL: func @others
//       CHECK:   arith.remsi %arg1, %c3
//       CHECK:   cf.assert %{{.+}}, "a number"
//       CHECK:   cf.assert %{{.+}}, "of both"
//       CHECK:   arith.muli
//       CHECK:   cf.assert %{{.+}}, "a product"
//       CHECK:   return
func.func @others(%x: tensor<?x?xf32>, %number: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r0 = arith.remsi %number, %c3 : index
  %ok0 = arith.cmpi eq, %r0, %c0 : index
  cf.assert %ok0, "a number"
  %both = arith.addi %n, %m : index
  %r1 = arith.remsi %both, %c3 : index
  %ok1 = arith.cmpi eq, %r1, %c0 : index
  cf.assert %ok1, "of both"
  %all = arith.muli %n, %m : index
  %ok2 = arith.cmpi eq, %all, %c8 : index
  cf.assert %ok2, "a product"
  return %all : index
}

// -----

// A third, rounded up, is not more than all, and neither is the less of two. Where the second part is asserted to be as
// long as the first, two are not more than all; and where the rest is as long, too, all are three of them.

// CHECK-LABEL: func @thirds
//       CHECK:   cf.assert %{{.+}}, "first and second"
//       CHECK:   cf.assert %{{.+}}, "first and third"
//       CHECK:   %[[P:.+]] = arith.ceildivsi
//   CHECK-NOT:   arith.{{minsi|maxsi}}
//       CHECK:   return %[[P]], %[[P]], %[[P]]
func.func @thirds(%x: tensor<?x6xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %third = arith.ceildivsi %n, %c3 : index
  %first = arith.minsi %third, %n : index
  %two = arith.muli %third, %c2 : index
  %end = arith.minsi %two, %n : index
  %d = arith.subi %end, %first : index
  %second = arith.maxsi %d, %c0 : index
  %e = arith.subi %n, %end : index
  %last = arith.maxsi %e, %c0 : index
  %ok = arith.cmpi eq, %first, %second : index
  cf.assert %ok, "first and second"
  %too = arith.cmpi eq, %first, %last : index
  cf.assert %too, "first and third"
  return %first, %second, %last : index, index, index
}

// -----

// Unless it is asserted, two thirds that are rounded up may be more than all: 2 of 1.

// CHECK-LABEL: func @two_thirds
//   CHECK-NOT:   arith.minsi %{{.+}}, %{{.+}}
//       CHECK:   %[[E:.+]] = arith.minsi
//       CHECK:   %[[L:.+]] = arith.maxsi
//       CHECK:   return %{{.+}}, %[[E]], %[[L]]
func.func @two_thirds(%x: tensor<?x6xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %third = arith.ceildivsi %n, %c3 : index
  %first = arith.minsi %third, %n : index
  %two = arith.muli %third, %c2 : index
  %end = arith.minsi %two, %n : index
  %less = arith.subi %n, %two : index
  %last = arith.maxsi %less, %c0 : index
  return %first, %end, %last : index, index, index
}

// -----

// What is 0 at most is a remainder of 0; what else is 0 at most is left as it is.

// CHECK-LABEL: func @at_most
//   CHECK-DAG:   %[[N:.+]] = tensor.dim %arg0, %c0
//       CHECK:   cf.assert %{{.+}}, "halves"
//       CHECK:   arith.cmpi sle
//       CHECK:   cf.assert %{{.+}}, "no rows"
//       CHECK:   arith.cmpi sle
//       CHECK:   cf.assert %{{.+}}, "perhaps below 0"
//       CHECK:   return %[[N]]
func.func @at_most(%x: tensor<?xf32>, %y: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = arith.remsi %n, %c2 : index
  %ok = arith.cmpi sle, %r, %c0 : index
  cf.assert %ok, "halves"
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %none = arith.cmpi sle, %m, %c0 : index
  cf.assert %none, "no rows"
  %less = arith.subi %m, %n : index
  %s = arith.remsi %less, %c2 : index
  %too = arith.cmpi sle, %s, %c0 : index
  cf.assert %too, "perhaps below 0"
  %half = arith.divsi %n, %c2 : index
  %all = arith.muli %half, %c2 : index
  return %all : index
}

// -----

// What is said to be a third of itself is one, and a multiple of 3, too; nothing is made of what is said of it twice.

// CHECK-LABEL: func @itself
//       CHECK:   cf.assert %{{.+}}, "a third of itself"
//       CHECK:   cf.assert %{{.+}}, "three parts"
func.func @itself(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %third = arith.divsi %n, %c3 : index
  %ok = arith.cmpi eq, %third, %n : index
  cf.assert %ok, "a third of itself"
  %r = arith.remsi %n, %c3 : index
  %too = arith.cmpi eq, %r, %c0 : index
  cf.assert %too, "three parts"
  return %third : index
}
