// RUN: sinter-opt '--sinter-fuse=policy=aggressive target=gpu' --split-input-file %s | FileCheck %s

// The last form asks the first for its size, and waits for a count that the first does not wait for: they are one.

// CHECK-LABEL: func @asks_for_size
// CHECK-COUNT-2: sinter.rowwise
//       CHECK:   ins(%{{.*}}[i, j] : tensor<?x?xf32>, %{{.*}}[] : tensor<f32>)
//   CHECK-NOT:   sinter.rowwise
func.func @asks_for_size(%x: tensor<?x?xf32>, %t: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = tensor.empty() : tensor<f32>
  %m = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %0 = sinter.row_reduce maximumf %r : tensor<?xf32> -> f32
    sinter.yield %0 : f32
  }
  %count = sinter.rowwise (i = ?) by () ins(%t[i] : tensor<?xf32>) reduce(add [] : f32) outs(%s[] : tensor<f32>) {
  ^row(%v: f32):
    sinter.yield %v : f32
  }
  %rows = tensor.dim %m, %c0 : tensor<?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %d = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = sinter.rowwise (i = ?) by (j = ?)
      ins(%x[i, j] : tensor<?x?xf32>, %m[i] : tensor<?xf32>, %count[] : tensor<f32>)
      outs(%d[i, j] : tensor<?x?xf32>) {
  ^row(%r: tensor<?xf32>, %v: f32, %c: f32):
    %0 = arith.subf %v, %c : f32
    %1 = sinter.broadcast %0 : f32 -> tensor<?xf32>
    %2 = arith.subf %r, %1 : tensor<?xf32>
    sinter.yield %2 : tensor<?xf32>
  }
  return %m, %y : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// A destination that nobody made is asked itself; a known size is none of its operands.

// CHECK-LABEL: func @destinations
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<?xf32>, %[[OUT:[a-z0-9]+]]: tensor<?xf32>, %[[N:[a-z0-9]+]]: index
//       CHECK:   %[[SIZE:.+]] = tensor.dim %[[OUT]]
//       CHECK:   return %{{.*}}, %[[SIZE]], %[[N]], %{{.*}} :
func.func @destinations(%x: tensor<?xf32>, %out: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, index, index, tensor<4x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = sinter.rowwise () by (i = ?) ins(%x[i] : tensor<?xf32>) outs(%out[i] : tensor<?xf32>) {
  ^row(%r: tensor<?xf32>):
    %0 = arith.negf %r : tensor<?xf32>
    sinter.yield %0 : tensor<?xf32>
  }
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %z = sinter.rowwise (i = 4) by (j = ?) ins(%x[j] : tensor<?xf32>) outs(%e[i, j] : tensor<4x?xf32>) {
  ^row(%r: tensor<?xf32>):
    %0 = math.exp %r : tensor<?xf32>
    sinter.yield %0 : tensor<?xf32>
  }
  %a = tensor.dim %y, %c0 : tensor<?xf32>
  %b = tensor.dim %z, %c1 : tensor<4x?xf32>
  return %y, %a, %b, %z : tensor<?xf32>, index, index, tensor<4x?xf32>
}
