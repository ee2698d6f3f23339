// RUN: %python -c "import numpy as n; x = n.arange(45, dtype='f4').reshape(9, 5); n.save(r'%t.x.npy', x); n.save(r'%t.y.npy', x.reshape(45)[9:])"
// RUN: sinter-run %s --input=%t.x.npy --expect=%t.y.npy --policy=medium
// RUN: sinter-run %s --input=%t.x.npy --expect=%t.y.npy --policy=aggressive
// RUN: sinter-run %s --input=%t.x.npy --expect=%t.y.npy --policy=disabled
// REQUIRES: numpy

// A piece of a matrix that is read as one row, where the length of the matrix' rows is known by a cast alone: its
// places are remainders, which are inside.
func.func @main(%x: tensor<9x?xf32>) -> tensor<36xf32> {
  %rows = tensor.cast %x : tensor<9x?xf32> to tensor<9x5xf32>
  %row = tensor.collapse_shape %rows [[0, 1]] : tensor<9x5xf32> into tensor<45xf32>
  %y = tensor.extract_slice %row[9] [36] [1] : tensor<45xf32> to tensor<36xf32>
  %e = tensor.empty() : tensor<36xf32>
  %z = linalg.copy ins(%y : tensor<36xf32>) outs(%e : tensor<36xf32>) -> tensor<36xf32>
  return %z : tensor<36xf32>
}
