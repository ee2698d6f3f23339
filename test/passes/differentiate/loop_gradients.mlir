// RUN: sinter-opt --sinter-differentiate --canonicalize --split-input-file %s | FileCheck %s

// A loop keeps what it carried in each turn, and the reverse computes a turn once more from that. What is read from
// outside has a sum that the reverse carries; a slice of it is added where it is.

// CHECK-LABEL: func @recurrent(
//  CHECK-SAME:   %[[X:.+]]: tensor<5x4xf32>, %[[H:.+]]: tensor<4xf32>
//       CHECK:   %[[E:.+]] = tensor.empty() : tensor<5x4xf32>
//       CHECK:   %[[Y:.+]]:2 = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[A:.+]] = %[[H]], %[[T:.+]] = %[[E]])
//       CHECK:     %[[KEPT:.+]] = tensor.insert_slice %[[A]] into %[[T]][%[[I]], 0] [1, 4] [1, 1]
//       CHECK:     scf.yield %{{.+}}, %[[KEPT]]
//       CHECK:   %[[D:.+]]:2 = scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[G:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}})
//       CHECK:     %[[K:.+]] = arith.subi %{{.+}}, %[[J]]
//       CHECK:     %[[AGAIN:.+]] = tensor.extract_slice %[[Y]]#1[%[[K]], 0] [1, 4] [1, 1]
//       CHECK:     %[[PART:.+]] = tensor.extract_slice %[[S]][%[[K]], 0] [1, 4] [1, 1]
//       CHECK:     %[[SUM:.+]] = sinter.rowwise {{.*}}
//       CHECK:       ins(%[[PART]]
//       CHECK:     %[[NEXT:.+]] = tensor.insert_slice %[[SUM]] into %[[S]][%[[K]], 0] [1, 4] [1, 1]
//       CHECK:     scf.yield %{{.+}}, %[[NEXT]]
//       CHECK:   return %[[Y]]#0, %[[D]]#1, %[[D]]#0
func.func @recurrent(%x: tensor<5x4xf32>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 5 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h) -> tensor<4xf32> {
    %xi = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %b = linalg.mul ins(%a, %xi : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %d:2 = sinter.differentiate %y wrt(%x, %h) : (tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>)
  return %y, %d#0, %d#1 : tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>
}

// -----

// What the reverse does not read is not kept.

// CHECK-LABEL: func @linear(
//       CHECK:   %[[Y:.+]] = scf.for {{.*}} -> (tensor<4xf32>) {
//   CHECK-NOT:     tensor.insert_slice
//       CHECK:   scf.for
//   CHECK-NOT:     tensor.extract_slice
//       CHECK:   return
func.func @linear(%x: tensor<4xf32>, %h: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h) -> tensor<4xf32> {
    %b = linalg.add ins(%a, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Each branch has its gradient; one that gives back what it read hands it on.

// CHECK-LABEL: func @branch(
//  CHECK-SAME:   %[[X:.+]]: tensor<4xf32>, %[[C:.+]]: i1, %[[G:.+]]: tensor<4xf32>
//       CHECK:   %[[D:.+]]:2 = scf.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
//       CHECK:     scf.yield %[[X]], %[[G]]
//       CHECK:   } else {
//       CHECK:     math.exp
//       CHECK:     ins(%[[X]][i] : tensor<4xf32>, %[[G]][i] : tensor<4xf32>)
//       CHECK:     arith.mulf
//       CHECK:   return %[[D]]#0, %[[D]]#1
func.func @branch(%x: tensor<4xf32>, %c: i1, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %b = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Turns of a loop that ends by itself are counted; it runs once more as one whose turns are known, then backwards.

// CHECK-LABEL: func @until(
//       CHECK:   %[[Y:.+]]:2 = scf.while (%{{.+}} = %{{.+}}, %[[K:.+]] = %c0) : (tensor<4xf32>, index)
//       CHECK:     scf.condition(%{{.+}}) %{{.+}}, %[[K]]
//       CHECK:     ^bb0(%{{.+}}: tensor<4xf32>, %[[P:.+]]: index)
//       CHECK:     %[[Q:.+]] = arith.addi %[[P]], %c1
//       CHECK:     scf.yield %{{.+}}, %[[Q]]
//       CHECK:   %[[N:.+]] = arith.maxsi %[[Y]]#1, %c0
//       CHECK:   scf.for %{{.+}} = %c0 to %[[Y]]#1
//       CHECK:     tensor.insert_slice
//       CHECK:   scf.for %{{.+}} = %c0 to %[[N]]
//       CHECK:     tensor.extract_slice
func.func @until(%x: tensor<4xf32>, %l: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %f = tensor.extract %a[%c0] : tensor<4xf32>
    %m = arith.cmpf olt, %f, %l : f32
    scf.condition(%m) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// A size `?` that may change from turn to turn is compared where slices of it are kept.

// CHECK-LABEL: func @sizes(
//       CHECK:   scf.for
//       CHECK:     cf.assert %{{.+}}, "a loop that is differentiated changes the size of a tensor that it carries"
//       CHECK:     scf.yield
func.func @sizes(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %s = tensor.dim %a, %c0 : tensor<?xf32>
    %m = arith.subi %s, %i : index
    %p = tensor.extract_slice %a[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %b = linalg.exp ins(%p : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y, %d : tensor<?xf32>, tensor<?xf32>
}
