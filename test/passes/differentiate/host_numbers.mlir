// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s

// A number that depends on what is differentiated by is a tensor; one that does not stays a number. A condition reads
// what is in the tensor.

// CHECK-LABEL: func @numbers(
//       CHECK:   %[[H:.+]] = arith.divf %{{.+}}, %{{.+}} : f32
//       CHECK:   %[[Y:.+]]:3 = scf.for {{.*}} -> (tensor<f32>, f32, tensor<?xf32>) {
//       CHECK:     %[[V:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}] [1] [1] : tensor<?xf32> to tensor<f32>
//       CHECK:     %[[T:.+]] = sinter.rowwise () by ()
//       CHECK:       arith.cmpf
//       CHECK:     %[[C:.+]] = tensor.extract %[[T]][] : tensor<i1>
//       CHECK:     scf.if %[[C]] -> (tensor<f32>) {
//       CHECK:     arith.addf %{{.+}}, %[[H]] : f32
//       CHECK:   scf.for {{.*}} -> (tensor<f32>, tensor<?xf32>) {
func.func @numbers(%x: tensor<?xf32>, %h: f32) -> (tensor<f32>, f32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %g = arith.divf %h, %h : f32
  %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %z) -> (f32, f32) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %c = arith.cmpf ogt, %v, %a : f32
    %p = scf.if %c -> f32 {
      %q = math.exp %v : f32
      scf.yield %q : f32
    } else {
      %q = arith.mulf %v, %a : f32
      scf.yield %q : f32
    }
    %s = arith.addf %b, %g : f32
    scf.yield %p, %s : f32, f32
  }
  %l = tensor.from_elements %y#0 : tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  return %l, %y#1, %d : tensor<f32>, f32, tensor<?xf32>
}

// -----

// One that a loop begins without, and that its turns make.

// CHECK-LABEL: func @later(
//       CHECK:   scf.while {{.*}} : (index, tensor<f32>, index) -> (tensor<f32>, index, index) {
func.func @later(%x: tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y:2 = scf.while (%i = %c0, %a = %z) : (index, f32) -> (f32, index) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %a, %i : f32, index
  } do {
  ^bb0(%a: f32, %i: index):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %q = math.exp %v : f32
    %s = arith.addf %q, %a : f32
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %s : index, f32
  }
  %l = tensor.from_elements %y#0 : tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
  return %l, %d : tensor<f32>, tensor<?xf32>
}

// -----

// What is done in parallel are loops where it is differentiated, and stays where it is not.

// CHECK-LABEL: func @parallel(
//  CHECK-SAME:   %[[X:.+]]: tensor<4xf32>, %[[H:.+]]: tensor<4xf32>
//       CHECK:   %[[Y:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[A:.+]] = %[[H]])
//       CHECK:       ins(%{{.+}}[i] : tensor<1xf32>, %[[H]][i] : tensor<4xf32>)
//       CHECK:     tensor.insert_slice %{{.+}} into %[[A]][%[[I]]] [1] [1]
//       CHECK:   scf.forall
func.func @parallel(%x: tensor<4xf32>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = scf.forall (%i) in (4) shared_outs(%a = %h) -> tensor<4xf32> {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %o = tensor.extract_slice %a[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %p = arith.mulf %s, %o : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %k = scf.forall (%i) in (4) shared_outs(%a = %h) -> tensor<4xf32> {
    %o = tensor.extract_slice %h[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %k, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
