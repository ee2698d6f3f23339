// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// A number of the host's is an argument of the kernel, in the memory of a thread there.

// CHECK-LABEL: func.func @main
//  CHECK-SAME:   %[[N:[^:]+]]: i64, %[[X:[^:]+]]: memref<?xf32>
//       CHECK:   call @mean(%[[N]], %[[X]], %{{.+}}) : (i64, memref<?xf32>, memref<?xf32>) -> ()
//       CHECK: func.func private @mean(%[[N:.+]]: i64, %{{.+}}: memref<?xf32>, %{{.+}}: memref<?xf32>)
//   CHECK-NOT:   memref.load
//       CHECK:   %[[PLACE:.+]] = llvm.alloca %{{.+}} x i64
//       CHECK:   llvm.store %[[N]], %[[PLACE]] : i64
//       CHECK: gpu.func @mean(%[[N:[^:]+]]: i64, %{{.+}}: memref<1xf32>
//       CHECK:   %[[OWN:.+]] = memref.alloca() : memref<i64>
//       CHECK:   memref.store %[[N]], %[[OWN]][]
func.func @main(%n: i64, %x: memref<?xf32>, %y: memref<?xf32>) {
  %t = tensor.from_elements %n : tensor<i64>
  %b = bufferization.to_buffer %t read_only : tensor<i64> to memref<i64>
  call @mean(%b, %x, %y) : (memref<i64>, memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @mean(%n: memref<i64>, %x: memref<?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (j = ?) ins(%n[] : memref<i64>, %x[j] : memref<?xf32>) outs(%y[j] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, shape = "flat">) {
  ^row(%m: i64, %a: tensor<?xf32>):
    %f = arith.sitofp %m : i64 to f32
    %b = sinter.broadcast %f : f32 -> tensor<?xf32>
    %q = arith.divf %a, %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return
}

// -----

// A length, as labels are less than, is such a number.

// CHECK-LABEL: func.func @main
//  CHECK-SAME:   %[[N:[^:]+]]: index
//       CHECK:   call @below(%[[N]], %{{.+}}, %{{.+}}) : (index, memref<5xi64>, memref<5xi1>) -> ()
//       CHECK: func.func private @below(%[[N:.+]]: index
//       CHECK:   %[[WORD:.+]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   llvm.store %[[WORD]]
//       CHECK: gpu.func @below(%{{[^:]+}}: index
func.func @main(%n: index, %x: memref<5xi64>, %y: memref<5xi1>) {
  %t = tensor.from_elements %n : tensor<index>
  %b = bufferization.to_buffer %t read_only : tensor<index> to memref<index>
  call @below(%b, %x, %y) : (memref<index>, memref<5xi64>, memref<5xi1>) -> ()
  return
}
func.func private @below(%n: memref<index>, %x: memref<5xi64>, %y: memref<5xi1>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by () ins(%n[] : memref<index>, %x[i] : memref<5xi64>) outs(%y[i] : memref<5xi1>)
      schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%m: index, %a: i64):
    %l = arith.index_cast %a : i64 to index
    %q = arith.cmpi ult, %l, %m : index
    sinter.yield %q : i1
  }
  return
}

// -----

// One that some caller has in memory stays there.

// CHECK-LABEL: func.func @main
//       CHECK:   call @mean(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<i64>, memref<?xf32>, memref<?xf32>) -> ()
//       CHECK:   call @mean(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<i64>, memref<?xf32>, memref<?xf32>) -> ()
//       CHECK: gpu.func @mean(%{{[^:]+}}: memref<i64>
func.func @main(%n: i64, %m: memref<i64>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %t = tensor.from_elements %n : tensor<i64>
  %b = bufferization.to_buffer %t read_only : tensor<i64> to memref<i64>
  call @mean(%b, %x, %y) : (memref<i64>, memref<?xf32>, memref<?xf32>) -> ()
  call @mean(%m, %x, %y) : (memref<i64>, memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @mean(%n: memref<i64>, %x: memref<?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise () by (j = ?) ins(%n[] : memref<i64>, %x[j] : memref<?xf32>) outs(%y[j] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, shape = "flat">) {
  ^row(%m: i64, %a: tensor<?xf32>):
    %f = arith.sitofp %m : i64 to f32
    %b = sinter.broadcast %f : f32 -> tensor<?xf32>
    %q = arith.divf %a, %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return
}
