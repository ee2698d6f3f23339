// RUN: sinter-opt --sinter-tosa %s | FileCheck %s

// Arithmetic on shapes that are known is a shape.

// CHECK-LABEL: func @known
//       CHECK:   %[[S:.+]] = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>}
//       CHECK:   tosa.reshape %{{.+}}, %[[S]]
func.func @known(%x: tensor<12x3xf32>, %y: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %p = tosa.const_shape {values = dense<[1, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %m = tosa.dim %x {axis = 1 : i32} : (tensor<12x3xf32>) -> !tosa.shape<1>
  %n = tosa.const_shape {values = dense<7> : tensor<1xindex>} : () -> !tosa.shape<1>
  %q = tosa.concat_shape %m, %n : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %r = tosa.mul_shape %p, %q : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %u = tosa.const_shape {values = dense<[1, 15]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.div_ceil_shape %r, %u : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %z = tosa.reshape %y, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
  return %z : tensor<3x4xf32>
}

// One that is not is a tensor of numbers.

// CHECK-LABEL: func @later
//       CHECK:   %[[N:.+]] = tensor.dim
//       CHECK:   %[[H:.+]] = arith.divui %[[N]], %{{.+}} : index
//       CHECK:   %[[S:.+]] = tensor.from_elements %[[H]], %{{.+}} : tensor<2xindex>
//       CHECK:   tensor.reshape %{{.+}}(%[[S]])
func.func @later(%x: tensor<?xf32>) -> tensor<?x2xf32> {
  %n = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %h = tosa.div_floor_shape %n, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %s = tosa.concat_shape %h, %two : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %z = tosa.reshape %x, %s : (tensor<?xf32>, !tosa.shape<2>) -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
