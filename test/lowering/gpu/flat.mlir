// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// 7 x 131 elements are one row that 5 x 64 threads share by vectors, aligned though 131 is odd; the one element that is
// left is by itself. Each thread keeps its part of the sum to the end.

// CHECK-LABEL: func.func private @flat
//       CHECK:   call @sinter_rt_launch({{.*}}%c4_i64
//       CHECK: gpu.func @flat(%[[X:[^:]+]]: memref<7x131xf32>
//       CHECK:   %[[FIRST:.+]] = arith.muli %block_id_x, %c64
//       CHECK:   arith.addi %[[FIRST]], %thread_id_x
//       CHECK:   %[[ALL:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [1, 917], strides: [917, 1]
//       CHECK:   scf.for %{{.+}} to %c916{{.*}} step %c1024
//       CHECK:     vector.load %[[ALL]]{{.*}} {alignment = 16 : i64}
//       CHECK:     vector.store
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   scf.for %{{.+}} to %c917
//       CHECK:     memref.load
//       CHECK:   gpu.shuffle
func.func private @flat(%x: memref<7x131xf32>, %y: memref<7x131xf32>, %s: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 7) by (j = 131) ins(%x[i, j] : memref<7x131xf32>) reduce(add [] : f32)
      outs(%y[i, j] : memref<7x131xf32>, %s[] : memref<f32>) schedule(#sinter.gpu_rows<threads = 64, blocks = 5, vector = 4, shape = "flat">) {
  ^row(%a: tensor<131xf32>):
    %q = arith.mulf %a, %a : tensor<131xf32>
    %r = sinter.row_reduce add %q : tensor<131xf32> -> f32
    sinter.yield %r, %q : f32, tensor<131xf32>
  }
  return
}
func.func @main(%x: memref<7x131xf32>, %y: memref<7x131xf32>, %s: memref<f32>) {
  call @flat(%x, %y, %s) : (memref<7x131xf32>, memref<7x131xf32>, memref<f32>) -> ()
  return
}

// -----

// That all elements are in a range: each thread keeps that of its own in its loops, without a branch, and asserts it
// behind them.

// CHECK-LABEL: gpu.func @asserted
//       CHECK:   %[[ALL:.+]]:2 = scf.for %{{.+}} iter_args(%[[OK:[^ ]+]] = %{{[^ ]+}},
//   CHECK-NOT:     scf.if
//       CHECK:     arith.andi %[[OK]],
//       CHECK:     scf.yield
//   CHECK-NOT:   gpu.shuffle
//       CHECK:   %[[FAILED:.+]] = arith.xori
//       CHECK:   scf.if %[[FAILED]]
//       CHECK:     st.relaxed.sys
//       CHECK:   gpu.shuffle
func.func private @asserted(%x: memref<7x131xf32>, %s: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 7) by (j = 131) ins(%x[i, j] : memref<7x131xf32>) reduce(add [] : f32) outs(%s[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 5, vector = 4, shape = "flat">) {
  ^row(%a: tensor<131xf32>):
    %one = arith.constant dense<1.0> : tensor<131xf32>
    %in = arith.cmpf ole, %a, %one : tensor<131xf32>
    %ok = sinter.row_reduce and %in : tensor<131xi1> -> i1
    cf.assert %ok, "more than 1"
    %r = sinter.row_reduce add %a : tensor<131xf32> -> f32
    sinter.yield %r : f32
  }
  return
}
func.func @main(%x: memref<7x131xf32>, %s: memref<f32>) {
  call @asserted(%x, %s) : (memref<7x131xf32>, memref<f32>) -> ()
  return
}

// -----

// One row of a length `?` begins where its operand does, so its vectors are aligned as well.

// CHECK-LABEL: gpu.func @flat_any
//       CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<1x?xbf16>, vector<8xbf16>
//       CHECK:   vector.store %{{.+}} {alignment = 16 : i64} : memref<1x?xbf16>, vector<8xbf16>
func.func private @flat_any(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xbf16>) outs(%y[i, j] : memref<?x?xbf16>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 5, vector = 8, shape = "flat">) {
  ^row(%a: tensor<?xbf16>):
    %q = arith.mulf %a, %a : tensor<?xbf16>
    sinter.yield %q : tensor<?xbf16>
  }
  return
}
func.func @main(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  call @flat_any(%x, %y) : (memref<?x?xbf16>, memref<?x?xbf16>) -> ()
  return
}

// -----

// Few elements, as the host sees it, are few in all rows.

// CHECK-LABEL: func.func private @few
//   CHECK-DAG:   %[[M:.+]] = memref.dim %{{.+}}, %c0
//   CHECK-DAG:   %[[N:.+]] = memref.dim %{{.+}}, %c1
//       CHECK:   %[[ALL:.+]] = arith.muli %[[M]], %[[N]]
//       CHECK:   %[[LAST:.+]] = arith.subi %[[ALL]], %c1
//       CHECK:   %[[FEW:.+]] = arith.cmpi ult, %[[LAST]], %c256
//       CHECK:   scf.if %[[FEW]]
func.func private @few(%x: memref<?x?xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 8, shape = "flat", vector = 4,
      shorter = #sinter.gpu_rows<threads = 64, blocks = 1, shape = "flat", vector = 4, most = 256>>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
