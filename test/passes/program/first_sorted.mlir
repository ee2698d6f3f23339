// RUN: sinter-opt --sinter-tm-tensor --split-input-file %s | FileCheck %s

// Of the sorted rows a slice and a form read 3 and 4 places: each element is let into a list of 4 from its end.

// CHECK-LABEL: func @first
//   CHECK-NOT:   memref.alloca
//       CHECK:   scf.parallel
//       CHECK:     scf.for %[[T:.+]] = %{{.+}} to
//       CHECK:       %[[X:.+]] = memref.load %[[FROM:.+]][%{{.+}}, %[[T]]] : memref<5x9xf32>
//       CHECK:       %[[P:.+]] = arith.minsi %[[T]], %[[LAST:.+]] :
//       CHECK:       %[[ROOM:.+]] = arith.cmpi sle, %[[T]], %[[LAST]] :
//       CHECK:       memref.load %[[LIST:.+]][%{{.+}}, %[[P]]] : memref<5x9xf32>
//       CHECK:       %[[GOES:.+]] = arith.ori %[[ROOM]]
//       CHECK:       scf.if %[[GOES]]
//       CHECK:         %[[AT:.+]] = scf.while (%{{.+}} = %[[P]])
//       CHECK:         memref.store %[[X]], %[[LIST]][%{{.+}}, %[[AT]]]
//   CHECK-NOT:   memref.alloca
func.func @first(%x: tensor<5x9xf32>) -> (tensor<5x3xf32>, tensor<5xf32>) {
  %v = tm_tensor.sort dimension(1) outs(%x : tensor<5x9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x9xf32>
  %y = tensor.extract_slice %v[0, 0] [5, 3] [1, 1] : tensor<5x9xf32> to tensor<5x3xf32>
  %e = tensor.empty() : tensor<5xf32>
  %s = sinter.rowwise (i = 5) by (j = 4) ins(%v[i, j] : tensor<5x9xf32>) outs(%e[i] : tensor<5xf32>) {
  ^row(%a: tensor<4xf32>):
    %t = sinter.row_reduce add %a : tensor<4xf32> -> f32
    sinter.yield %t : f32
  }
  return %y, %s : tensor<5x3xf32>, tensor<5xf32>
}

// -----

// Whoever returns the whole tensor reads all of it; so does a slice that begins nobody knows where.

// CHECK-LABEL: func @returned
//       CHECK:   memref.alloca
func.func @returned(%x: tensor<5x9xf32>) -> (tensor<5x3xf32>, tensor<5x9xf32>) {
  %v = tm_tensor.sort dimension(1) outs(%x : tensor<5x9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x9xf32>
  %y = tensor.extract_slice %v[0, 0] [5, 3] [1, 1] : tensor<5x9xf32> to tensor<5x3xf32>
  return %y, %v : tensor<5x3xf32>, tensor<5x9xf32>
}

// -----

// CHECK-LABEL: func @anywhere
//       CHECK:   memref.alloca
func.func @anywhere(%x: tensor<5x9xf32>, %at: index) -> tensor<5x3xf32> {
  %v = tm_tensor.sort dimension(1) outs(%x : tensor<5x9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %l = arith.cmpf oge, %p, %q : f32
    tm_tensor.yield %l : i1
  } -> tensor<5x9xf32>
  %y = tensor.extract_slice %v[0, %at] [5, 3] [1, 1] : tensor<5x9xf32> to tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// A sort by places stores each element where it came from, two of them, and zeros elsewhere.

// CHECK-LABEL: func @back
//   CHECK-NOT:   scf.while
//       CHECK:   scf.parallel
//       CHECK:     scf.for %[[Z:.+]] =
//       CHECK:       memref.store %{{.+}}, %[[TO:.+]][%{{.+}}, %[[Z]]] : memref<5x9xf32>
//       CHECK:     scf.for %[[T:.+]] =
//       CHECK:       %[[I:.+]] = memref.load %{{.+}}[%{{.+}}, %[[T]]] : memref<5x9xi64>
//       CHECK:       %[[P:.+]] = arith.index_cast %[[I]]
//       CHECK:       %[[G:.+]] = memref.load %{{.+}}[%{{.+}}, %[[T]]] : memref<5x9xf32>
//       CHECK:       memref.store %[[G]], %[[TO]][%{{.+}}, %[[P]]]
func.func @back(%i: tensor<5x9xi64>, %g: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %v:2 = tm_tensor.sort {sinter.places = 2 : i64} dimension(1) outs(%i, %g : tensor<5x9xi64>, tensor<5x9xf32>) {
  ^bb0(%p: i64, %q: i64, %s: f32, %t: f32):
    %l = arith.cmpi slt, %p, %q : i64
    tm_tensor.yield %l : i1
  } -> tensor<5x9xi64>, tensor<5x9xf32>
  return %v#1 : tensor<5x9xf32>
}

// -----

// Sorted places that somebody reads are sorted.

// CHECK-LABEL: func @places_read
//       CHECK:   scf.while
func.func @places_read(%i: tensor<5x9xi64>, %g: tensor<5x9xf32>) -> (tensor<5x9xi64>, tensor<5x9xf32>) {
  %v:2 = tm_tensor.sort {sinter.places = 2 : i64} dimension(1) outs(%i, %g : tensor<5x9xi64>, tensor<5x9xf32>) {
  ^bb0(%p: i64, %q: i64, %s: f32, %t: f32):
    %l = arith.cmpi slt, %p, %q : i64
    tm_tensor.yield %l : i1
  } -> tensor<5x9xi64>, tensor<5x9xf32>
  return %v#0, %v#1 : tensor<5x9xi64>, tensor<5x9xf32>
}
