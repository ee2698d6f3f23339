// RUN: sinter-opt --sinter-guard %s | FileCheck %s

// A row of divisors: all are asserted, and one that would trap is 1.

// CHECK-LABEL: func @row
//       CHECK:   ^row(%[[X:.+]]: tensor<9xi32>, %[[Y:.+]]: tensor<9xi32>):
//       CHECK:     %[[ZERO:.+]] = arith.cmpi eq, %[[Y]], %{{.+}} : tensor<9xi32>
//       CHECK:     %[[NE:.+]] = arith.cmpi ne, %[[Y]], %{{.+}} : tensor<9xi32>
//       CHECK:     %[[OK:.+]] = sinter.row_reduce and %[[NE]]
//       CHECK:     cf.assert %[[OK]], "divisions.mlir:[[# @LINE + 11]]:10: integer division by zero"
//       CHECK:     %[[LEAST:.+]] = arith.cmpi eq, %[[X]], %{{.+}} : tensor<9xi32>
//       CHECK:     %[[MINUS:.+]] = arith.cmpi eq, %[[Y]], %{{.+}} : tensor<9xi32>
//       CHECK:     %[[WRAPS:.+]] = arith.andi %[[LEAST]], %[[MINUS]]
//       CHECK:     %[[BAD:.+]] = arith.ori %[[ZERO]], %[[WRAPS]]
//       CHECK:     %[[D:.+]] = arith.select %[[BAD]], %{{.+}}, %[[Y]]
//       CHECK:     arith.divsi %[[X]], %[[D]]
func.func @row(%x: tensor<4x9xi32>, %y: tensor<4x9xi32>) -> tensor<4x9xi32> {
  %e = tensor.empty() : tensor<4x9xi32>
  %r = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xi32>, %y[i, j] : tensor<4x9xi32>) outs(%e[i, j] : tensor<4x9xi32>) {
  ^row(%a: tensor<9xi32>, %b: tensor<9xi32>):
    %q = arith.divsi %a, %b : tensor<9xi32>
    sinter.yield %q : tensor<9xi32>
  }
  return %r : tensor<4x9xi32>
}

// Unsigned numbers have no least one; what stays linalg is asserted element by element.

// CHECK-LABEL: func @element
//       CHECK:   ^bb0(%[[X:.+]]: i8, %[[Y:.+]]: i8, %{{.+}}: i8):
//       CHECK:     %[[ZERO:.+]] = arith.cmpi eq, %[[Y]]
//       CHECK:     cf.assert
//       CHECK:     %[[D:.+]] = arith.select %[[ZERO]], %{{.+}}, %[[Y]] : i8
//       CHECK:     arith.remui %[[X]], %[[D]] : i8
func.func @element(%x: tensor<9xi8>, %y: tensor<9xi8>) -> tensor<9xi8> {
  %e = tensor.empty() : tensor<9xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<9xi8>, tensor<9xi8>) outs(%e : tensor<9xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %q = arith.remui %a, %b : i8
    linalg.yield %q : i8
  } -> tensor<9xi8>
  return %r : tensor<9xi8>
}

// A number that is neither 0 nor -1 is no one's to ask about.

// CHECK-LABEL: func @constant
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @constant(%x: index) -> index {
  %c3 = arith.constant 3 : index
  %q = arith.floordivsi %x, %c3 : index
  return %q : index
}

// A side that divides becomes a form, where that can be asserted; by a number it stays.

// CHECK-LABEL: func @side
//       CHECK:   sinter.rowwise
//       CHECK:     cf.assert
//       CHECK:     arith.divsi
//       CHECK:   sinter.contract
//   CHECK-NOT:     arith.divsi
// CHECK-LABEL: func @side_by_a_number
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   arith.divsi
func.func @side(%x: tensor<4x9xi32>, %d: tensor<9xi32>, %w: tensor<9x5xi32>) -> tensor<4x5xi32> {
  %e = tensor.empty() : tensor<4x5xi32>
  %r = sinter.contract (i = 4) by (j = 5)
      product (k = 9) (side(%x[i, k] : tensor<4x9xi32>, %d[k] : tensor<9xi32>) {
      ^side(%a: tensor<9xi32>, %b: tensor<9xi32>):
        %q = arith.divsi %a, %b : tensor<9xi32>
        sinter.yield %q : tensor<9xi32>
      }, %w[k, j] : tensor<9x5xi32>) : i32
      outs(%e[i, j] : tensor<4x5xi32>) {
  ^row(%p: tensor<5xi32>):
    sinter.yield %p : tensor<5xi32>
  }
  return %r : tensor<4x5xi32>
}
func.func @side_by_a_number(%x: tensor<4x9xi32>, %w: tensor<9x5xi32>) -> tensor<4x5xi32> {
  %e = tensor.empty() : tensor<4x5xi32>
  %r = sinter.contract (i = 4) by (j = 5)
      product (k = 9) (side(%x[i, k] : tensor<4x9xi32>) {
      ^side(%a: tensor<9xi32>):
        %c = arith.constant dense<3> : tensor<9xi32>
        %q = arith.divsi %a, %c : tensor<9xi32>
        sinter.yield %q : tensor<9xi32>
      }, %w[k, j] : tensor<9x5xi32>) : i32
      outs(%e[i, j] : tensor<4x5xi32>) {
  ^row(%p: tensor<5xi32>):
    sinter.yield %p : tensor<5xi32>
  }
  return %r : tensor<4x5xi32>
}
