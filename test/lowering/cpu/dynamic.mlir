// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// Rows and columns are counted at run time: tasks have 4 rows or as many more as make 32 tasks, columns a main loop of
// vectors, one more that ends with the row, scalars where the row is shorter than that; sums over rows lie in an
// allocation of the size.

// CHECK-LABEL: func private @rows
//  CHECK-SAME:   (%[[X:.+]]: memref<?x?xf32>, %{{.+}}: memref<?xf32>)
//       CHECK:   %[[M:.+]] = memref.dim %[[X]], %c0
//       CHECK:   %[[SHARE:.+]] = arith.ceildivui %[[M]], %c32
//       CHECK:   %[[CHUNK:.+]] = arith.maxsi %[[SHARE]], %c4
//       CHECK:   %[[TASKS:.+]] = arith.ceildivui %[[M]], %[[CHUNK]]
//       CHECK:   %[[SOME:.+]] = arith.maxsi %[[TASKS]], %c1
//       CHECK:   %[[N:.+]] = memref.dim %[[X]], %c1
//       CHECK:   memref.alloc(%[[SOME]], %[[N]]) {alignment = 64 : i64} : memref<?x?xf32>
//       CHECK:   call @sinter_rt_parallel
//       CHECK:   %[[NONE:.+]] = arith.cmpi eq, %[[TASKS]], %c0
//       CHECK:   scf.if %[[NONE]]
// CHECK-LABEL: func private @rows_task
//       CHECK:   %[[N:.+]] = memref.dim %{{.+}}, %c1
//       CHECK:   %[[REST:.+]] = arith.remui %[[N]], %c8
//       CHECK:   %[[WHOLE:.+]] = arith.subi %[[N]], %[[REST]]
//       CHECK:   %[[END:.+]] = arith.minsi
//       CHECK:   scf.for %{{.+}} = %{{.+}} to %[[END]] step %c1
//       CHECK:     scf.for %{{.+}} = %c0 to %[[WHOLE]] step %c8
//       CHECK:       vector.load %{{.+}} : memref<?x?xf32>, vector<8xf32>
//       CHECK:     %[[LEFT:.+]] = arith.cmpi uge, %[[N]], %c8
//       CHECK:     %[[SEEN:.+]] = arith.select %[[LEFT]], %[[N]], %[[WHOLE]]
//       CHECK:     %[[SOME:.+]] = arith.cmpi ult, %[[WHOLE]], %[[SEEN]]
//       CHECK:     scf.if %[[SOME]] {
//       CHECK:       %[[MASK:.+]] = arith.cmpi uge, %{{.+}}, %{{.+}} : vector<8xindex>
//       CHECK:       arith.select %[[MASK]], %{{.+}}, %{{.+}} : vector<8xi1>, vector<8xf32>
//       CHECK:     scf.for %{{.+}} = %[[SEEN]] to %[[N]] step %c1
//       CHECK:       memref.load %{{.+}} : memref<?x?xf32>
//       CHECK:     } {llvm.loop_annotation = #{{.+}}}
func.func private @rows(%x: memref<?x?xf32>, %c: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) reduce(add [j] : f32) outs(%c[j] : memref<?xf32>)
      schedule(#sinter.rows<chunk = 4, tasks = 32, lanes = 8>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

// -----

// A task has as many rows as have 100 elements, 3 at least: rows may have no columns. LLVM writes out none of the loops
// over vectors.

// CHECK: #[[NOT:.+]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[WHOLE:.+]] = #llvm.loop_annotation<unroll = #[[NOT]]>
// CHECK-LABEL: func private @elements
//       CHECK:   %[[N:.+]] = memref.dim %{{.+}}, %c1
//       CHECK:   %[[ONE:.+]] = arith.maxsi %[[N]], %c1
//       CHECK:   %[[ROWS:.+]] = arith.ceildivui %c100, %[[ONE]]
//       CHECK:   %[[CHUNK:.+]] = arith.maxsi %[[ROWS]], %c3
//       CHECK:   arith.ceildivui %c50, %[[CHUNK]]
//       CHECK:   call @sinter_rt_parallel
// CHECK-LABEL: func private @elements_task
//       CHECK:   vector.store
//       CHECK:   vector.store
//  CHECK-NEXT: } {llvm.loop_annotation = #[[WHOLE]]}
//       CHECK:   vector.store
//  CHECK-NEXT: } {llvm.loop_annotation = #[[WHOLE]]}
func.func private @elements(%x: memref<50x?xf32>, %y: memref<50x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 50) by (j = ?) ins(%x[i, j] : memref<50x?xf32>) outs(%y[i, j] : memref<50x?xf32>)
      schedule(#sinter.rows<chunk = 3, elements = 100, lanes = 8, plain = 2>) {
  ^row(%a: tensor<?xf32>):
    %n = arith.negf %a : tensor<?xf32>
    sinter.yield %n : tensor<?xf32>
  }
  return
}

// -----

// A product whose sizes are known at run time: A is read where it lies, in rows that are its last size apart; no sum is
// zero.

// CHECK-LABEL: func private @product_task
//       CHECK:   %[[EMPTY:.+]] = arith.cmpi eq, %[[K:.+]], %c0
//       CHECK:   scf.if %[[EMPTY]]
//       CHECK:   scf.for %{{.+}} = %c0 to %[[K]] step %c4
//       CHECK:     memref.extract_aligned_pointer_as_index
//       CHECK:     call @sinter_rt_brgemm_f32
func.func private @product(%a: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {sinter.kernel} {
  sinter.contract (i = ?) by (j = ?) product (k = ?) (%a[i, k] : memref<?x?xf32>, %w[k, j] : memref<?x?xf32>) : f32
      outs(%y[i, j] : memref<?x?xf32>) schedule(#sinter.brgemm<kernel = "libxsmm", m = 8, n = 16, k = 4, lanes = 8>) {
  ^row(%acc: tensor<?xf32>):
    %n = math.absf %acc : tensor<?xf32>
    sinter.yield %n : tensor<?xf32>
  }
  return
}
