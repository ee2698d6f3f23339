// RUN: sinter-opt --sinter-unit-slices %s | FileCheck %s

// Of two sizes of 1 one is left out, at a place that upstream may find out: all dimensions are read, and reshaped.

// CHECK-LABEL: func @extract
//       CHECK:   %[[S:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<1x6x1xf32>
//       CHECK:   %[[Y:.+]] = tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2]] : tensor<1x6x1xf32> into tensor<1x6xf32>
//       CHECK:   return %[[Y]]
func.func @extract(%x: tensor<3x17x9xf32>, %i: index) -> tensor<1x6xf32> {
  %y = tensor.extract_slice %x[%i, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}

// A size that is computed may be 1, too.

// CHECK-LABEL: func @insert
//       CHECK:   %[[N:.+]] = tensor.dim %[[U:.+]], %{{.+}} : tensor<?x6xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[U]] {{\[}}[0, 1], [2, 3]] output_shape [1, %[[N]], 6, 1]
//       CHECK:   tensor.insert_slice %[[E]] into %{{.+}}[0, %{{.+}}, 9, 1] [1, %{{.+}}, 6, 1] [1, 1, 1, 1] : tensor<1x?x6x1xf32>
func.func @insert(%u: tensor<?x6xf32>, %x: tensor<2x3x17x9xf32>, %i: index, %n: index) -> tensor<2x3x17x9xf32> {
  %y = tensor.insert_slice %u into %x[0, %i, 9, 1] [1, %n, 6, 1] [1, 1, 1, 1] : tensor<?x6xf32> into tensor<2x3x17x9xf32>
  return %y : tensor<2x3x17x9xf32>
}

// What is inserted in parallel is reshaped in front of all that is.

// CHECK-LABEL: func @parallel
//       CHECK:   %[[E:.+]] = tensor.expand_shape
//       CHECK:   scf.forall.in_parallel {
//  CHECK-NEXT:     tensor.parallel_insert_slice %[[E]] into
func.func @parallel(%u: tensor<1x6xf32>, %x: tensor<3x17x9xf32>) -> tensor<3x17x9xf32> {
  %y = scf.forall (%i) in (3) shared_outs(%o = %x) -> (tensor<3x17x9xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<1x6xf32> into tensor<3x17x9xf32>
    }
  }
  return %y : tensor<3x17x9xf32>
}

// Slices at places that are written stay, and those of which no 1 is kept.

// CHECK-LABEL: func @clear
//   CHECK-NOT:   collapse_shape
func.func @clear(%x: tensor<3x17x9xf32>, %i: index) -> (tensor<1x6xf32>, tensor<6xf32>, tensor<1x6x1xf32>) {
  %a = tensor.extract_slice %x[1, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<1x6xf32>
  %b = tensor.extract_slice %x[%i, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<6xf32>
  %c = tensor.extract_slice %x[%i, 9, 1] [1, 6, 1] [1, 1, 1] : tensor<3x17x9xf32> to tensor<1x6x1xf32>
  return %a, %b, %c : tensor<1x6xf32>, tensor<6xf32>, tensor<1x6x1xf32>
}
