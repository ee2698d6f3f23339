// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// A thread has four neighbouring outputs of a window: no loop over its taps, a place inside is read where a tap is
// outside, and no lanes meet.

// CHECK-LABEL: gpu.func @window
//       CHECK:   arith.muli %{{.+}}, %c4
//   CHECK-NOT:   maskedload
//   CHECK-NOT:   scf.if
//       CHECK:   memref.load %arg0
//       CHECK:   arith.select
//       CHECK:   vector.from_elements {{.*}} : vector<4xf32>
//   CHECK-NOT:   gpu.shuffle
//   CHECK-NOT:   vector.multi_reduction
//       CHECK:   vector.store %{{.+}}, %arg1{{.*}} {alignment = 16 : i64} : memref<2x7x12xf32{{.*}}>, vector<4xf32>
//       CHECK:   gpu.return
func.func private @window(%x: memref<2x7x12xf32>, %y: memref<2x7x12xf32>) attributes {sinter.kernel} {
  sinter.rowwise (n = 2, i = 7, j = 12) by (r = 3, s = 3) ins(%x[n, i + r - 1, j + s - 1] : memref<2x7x12xf32> else 0xFF800000)
      outs(%y[n, i, j] : memref<2x7x12xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, unroll = 9, rows = 4, team = 1>) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %m : f32
  }
  return
}

// -----

// Without a fill value lanes are one aligned vector.

// CHECK-LABEL: gpu.func @middle
//       CHECK:   scf.for
//       CHECK:     scf.for
// CHECK-COUNT-2:   vector.load %arg0{{.*}} {alignment = 16 : i64} : memref<3x50x24xbf16{{.*}}>, vector<8xbf16>
//       CHECK:   vector.store %{{.+}}, %arg1{{.*}} {alignment = 16 : i64}
func.func private @middle(%x: memref<3x50x24xbf16>, %y: memref<3x24xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (n = 3, j = 24) by (k = 50) ins(%x[n, k, j] : memref<3x50x24xbf16>) outs(%y[n, j] : memref<3x24xbf16>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, unroll = 2, rows = 8, team = 1>) {
  ^row(%a: tensor<50xbf16>):
    %m = sinter.row_reduce maximumf %a : tensor<50xbf16> -> bf16
    sinter.yield %m : bf16
  }
  return
}

// -----

// Rows that are no multiple: the last thread of a line begins earlier, and no vector is aligned but by chance. LLVM
// does not know that the place has 16 bits (rowwise_gpu.c).

// CHECK-LABEL: gpu.func @overlapped
//       CHECK:   arith.remui %{{.+}}, %c7
//       CHECK:   %[[AT:.+]] = arith.minui %{{.+}}, %c22
//       CHECK:   %[[WORD:.+]] = arith.index_cast %[[AT]] : index to i32
//       CHECK:   %[[SAME:.+]] = llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=r,r" %[[WORD]]
//       CHECK:   %[[J:.+]] = arith.index_castui %[[SAME]] : i32 to index
//       CHECK:   vector.load %arg0[{{[^]]*}}] : memref<3x50x28xf32{{.*}}>, vector<4xf32>
//       CHECK:   vector.store %{{.+}}, %arg1[%{{.+}}, %[[J]]] : memref<3x26xf32{{.*}}>, vector<4xf32>
func.func private @overlapped(%x: memref<3x50x28xf32>, %y: memref<3x26xf32>) attributes {sinter.kernel} {
  sinter.rowwise (n = 3, j = 26) by (k = 50) ins(%x[n, k, j] : memref<3x50x28xf32>) outs(%y[n, j] : memref<3x26xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, rows = 4, team = 1>) {
  ^row(%a: tensor<50xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<50xf32> -> f32
    sinter.yield %m : f32
  }
  return
}

// -----

func.func private @not_divided(%x: memref<3x50x3xf32>, %y: memref<3x3xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows = 4 of a thread do not divide the last row dimension, which has 3, and they are more}}
  sinter.rowwise (n = 3, j = 3) by (k = 50) ins(%x[n, k, j] : memref<3x50x3xf32>) outs(%y[n, j] : memref<3x3xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, rows = 4, team = 1>) {
  ^row(%a: tensor<50xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<50xf32> -> f32
    sinter.yield %m : f32
  }
  return
}

// -----

func.func private @read_again(%x: memref<3x50x27xf32>, %z: memref<3x27xf32>, %y: memref<3x27xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{which has 27, and what one thread has written another would read}}
  sinter.rowwise (n = 3, j = 27) by (k = 50)
      ins(%x[n, k, j] : memref<3x50x27xf32>, %z[n, j] : memref<3x27xf32>) outs(%y[n, j] : memref<3x27xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, rows = 4, team = 1>) {
  ^row(%a: tensor<50xf32>, %b: f32):
    %m = sinter.row_reduce maximumf %a : tensor<50xf32> -> f32
    %s = arith.addf %m, %b : f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @shared_row(%x: memref<3x50x24xf32>, %y: memref<3x24xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows = 4 needs team = 1, vector = 1 and residency = "reread": rows of a thread by itself}}
  sinter.rowwise (n = 3, j = 24) by (k = 50) ins(%x[n, k, j] : memref<3x50x24xf32>) outs(%y[n, j] : memref<3x24xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, rows = 4, team = 8>) {
  ^row(%a: tensor<50xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<50xf32> -> f32
    sinter.yield %m : f32
  }
  return
}

// -----

func.func private @all_rows(%x: memref<3x50x24xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows = 4 of a thread are for forms that assert nothing and reduce nothing over rows}}
  sinter.rowwise (n = 3, j = 24) by (k = 50) ins(%x[n, k, j] : memref<3x50x24xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1, rows = 4, team = 1>) {
  ^row(%a: tensor<50xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<50xf32> -> f32
    sinter.yield %m : f32
  }
  return
}
