// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// A failing assert leaves a number in the status word, if there is none, and the kernel goes on. The host has the
// messages.

//       CHECK: llvm.mlir.global internal constant @sinter_messages("no label\00other\00")
// CHECK-LABEL: func.func private @assert
//       CHECK:   %[[PLACE:.+]] = llvm.alloca %{{.+}} x !llvm.ptr
//       CHECK:   %[[TEXT:.+]] = llvm.mlir.addressof @sinter_messages
//       CHECK:   call @sinter_rt_status_word(%[[TEXT]], %[[PLACE]])
//       CHECK:   llvm.store %[[PLACE]]
//       CHECK:   call @sinter_rt_launch
//       CHECK: gpu.func @assert({{.*}}, %[[WORD:.+]]: i64)
//       CHECK:   %[[IN:.+]] = arith.cmpi ult
//       CHECK:   %[[FAILED:.+]] = arith.xori %[[IN]]
//       CHECK:   scf.if %[[FAILED]]
//       CHECK:     %[[WAS:.+]] = llvm.inline_asm has_side_effects "ld.relaxed.sys.global.b32{{.*}} %[[WORD]]
//       CHECK:     %[[NONE:.+]] = arith.cmpi eq, %[[WAS]], %c0_i32
//       CHECK:     scf.if %[[NONE]]
//       CHECK:       llvm.inline_asm has_side_effects "st.relaxed.sys.global.b32{{.*}} %[[WORD]], %c1_i32
//       CHECK:   "st.relaxed.sys.global.b32{{.*}} %[[WORD]], %c10_i32
//   CHECK-NOT:   cf.assert
func.func private @assert(%t: memref<4xi64>, %y: memref<4xi64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by () ins(%t[i] : memref<4xi64>) outs(%y[i] : memref<4xi64>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%l: i64):
    %n = arith.constant 9 : i64
    %in = arith.cmpi ult, %l, %n : i64
    cf.assert %in, "no label"
    cf.assert %in, "other"
    sinter.yield %l : i64
  }
  return
}

// -----

// What an index outside of a table would read is not read: row 0 is.

//       CHECK: gpu.func @table(%[[E:[^:]+]]: memref<5x8xf32>
//       CHECK:   %[[IN:.+]] = arith.cmpi ult, %[[T:.+]], %c5
//       CHECK:   "st.relaxed.sys
//       CHECK:   %[[PLACE:.+]] = arith.select %[[IN]], %[[T]], %c0
//       CHECK:   load %[[E]][%[[PLACE]], %{{.+}}]
func.func private @table(%e: memref<5x8xf32>, %t: memref<4xi32>, %y: memref<4x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4) by (j = 8) ins(%e[%t[i] : memref<4xi32>, j] : memref<5x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return
}

// -----

// What is asked of a row's label stands behind the loop over its columns, which would wait for the label; of rows in
// registers, which have no loop, in front.

// CHECK-LABEL: gpu.func @read_once_even4_most64
//       CHECK:   "st.relaxed.sys
//   CHECK-NOT:   scf.for
//       CHECK:   gpu.shuffle
// CHECK-LABEL: gpu.func @read_once(
//       CHECK:   scf.for
//       CHECK:     scf.for
//   CHECK-NOT:     "st.relaxed.sys
//       CHECK:     gpu.shuffle
//       CHECK:     "st.relaxed.sys
func.func private @read_once(%x: memref<?x?xf32>, %t: memref<?xi64>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>, %t[i] : memref<?xi64>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 8, residency = "reread", even = #sinter.gpu_rows<threads = 32,
      blocks = 8, residency = "registers", vector = 4, multiple = 4, most = 64>>) {
  ^row(%a: tensor<?xf32>, %l: i64):
    %n = arith.constant 9 : i64
    %in = arith.cmpi ult, %l, %n : i64
    cf.assert %in, "no label"
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
