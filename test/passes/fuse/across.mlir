// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-fuse{remarks=true})' --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// Two that read one value, of which one has as rows what the other has as columns, share nothing of it.

// CHECK-LABEL: func @both_ways
// CHECK-COUNT-2: sinter.rowwise
// WHY: remark: both read one value, and the rows of one are the columns of the other
func.func @both_ways(%x: tensor<300x300xf32>, %e: tensor<300xf32>) -> (tensor<300xf32>, tensor<300xf32>) {
  %r = sinter.rowwise (i = 300) by (j = 300) ins(%x[i, j] : tensor<300x300xf32>) outs(%e[i] : tensor<300xf32>) {
  ^row(%a: tensor<300xf32>):
    %s = sinter.row_reduce add %a : tensor<300xf32> -> f32
    sinter.yield %s : f32
  }
  %c = sinter.rowwise (j = 300) by (i = 300) ins(%x[i, j] : tensor<300x300xf32>) outs(%e[j] : tensor<300xf32>) {
  ^row(%a: tensor<300xf32>):
    %s = sinter.row_reduce add %a : tensor<300xf32> -> f32
    sinter.yield %s : f32
  }
  return %r, %c : tensor<300xf32>, tensor<300xf32>
}

// -----

// Of a result that is read on its diagonal alone nothing else is made, though what it is made of has another reader.

// CHECK-LABEL: func @diagonal
//       CHECK:   sinter.rowwise (i = 30) by (j = 30)
//  CHECK-NEXT:       ins(%[[X:.+]][i, j] : tensor<30x30xf32>, %{{.+}}[i] : tensor<30xf32>, %[[X]][i, i] : tensor<30x30xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[i] : tensor<30xf32>, %{{.+}}[i] : tensor<30xf32>)
//   CHECK-NOT:   sinter.rowwise
func.func @diagonal(%x: tensor<30x30xf32>, %m: tensor<30xf32>, %e: tensor<30x30xf32>, %f: tensor<30xf32>) -> (tensor<30xf32>, tensor<30xf32>) {
  %d = sinter.rowwise (i = 30) by (j = 30) ins(%x[i, j] : tensor<30x30xf32>, %m[i] : tensor<30xf32>) outs(%e[i, j] : tensor<30x30xf32>) {
  ^row(%a: tensor<30xf32>, %b: f32):
    %c = sinter.broadcast %b : f32 -> tensor<30xf32>
    %s = arith.subf %a, %c : tensor<30xf32>
    sinter.yield %s : tensor<30xf32>
  }
  %n = sinter.rowwise (i = 30) by (j = 30) ins(%d[i, j] : tensor<30x30xf32>) outs(%f[i] : tensor<30xf32>) {
  ^row(%a: tensor<30xf32>):
    %p = math.exp %a : tensor<30xf32>
    %s = sinter.row_reduce add %p : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  %l = sinter.rowwise (i = 30) by () ins(%d[i, i] : tensor<30x30xf32>) outs(%f[i] : tensor<30xf32>) {
  ^row(%a: f32):
    %s = math.exp %a : f32
    sinter.yield %s : f32
  }
  return %n, %l : tensor<30xf32>, tensor<30xf32>
}
