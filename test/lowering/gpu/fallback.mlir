// RUN: sinter-opt --sinter-gpu-fallback=of=given --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=GIVEN
// RUN: sinter-cc %S/Inputs/fallback.mlir --target=gpu --ptx -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: sinter-opt --sinter-schedule=target=gpu --sinter-gpu-fallback %S/Inputs/fallback.mlir 2>/dev/null | FileCheck %s --check-prefix=ALL

// What no kernel can be becomes linalg, and is said.

// REMARKS: fallback.mlir:10:10: remark: becomes plain loops, as no kernel of a GPU can be the form: keeps columns of rows whose length is `?` over all rows
// REMARKS: fallback.mlir:21:8: remark: becomes plain loops, as no kernel of a GPU can be the form: input 0 is read through an index tensor in dimension 0, whose size a GPU kernel has to know
// ALL-NOT: sinter.rowwise
//     ALL: linalg.generic

// A schedule of a CPU is dropped; the other form keeps its own.

// GIVEN-LABEL: func @another_target
//       GIVEN:   outs(%{{.+}}[i, j] : tensor<4x8xf32>) {
//       GIVEN:   schedule(#sinter.gpu_rows<threads = 64>) {
func.func @another_target(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // expected-remark @+1 {{is scheduled anew, as no kernel of a GPU has its schedule: #sinter.rows is another target's}}
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>)
      schedule(#sinter.rows<lanes = 8>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>)
      schedule(#sinter.gpu_rows<threads = 64>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// So is one of a GPU that the lowering would refuse.

// GIVEN-LABEL: func @no_multiple
//   GIVEN-NOT:   schedule
//       GIVEN:   return
func.func @no_multiple(%x: tensor<4x7xf32>, %e: tensor<4x7xf32>) -> tensor<4x7xf32> {
  // expected-remark @+1 {{is scheduled anew, as no kernel of a GPU has its schedule: rows of 7 columns are no multiple of the schedule's vector = 4}}
  %y = sinter.rowwise (i = 4) by (j = 7) ins(%x[i, j] : tensor<4x7xf32>) outs(%e[i, j] : tensor<4x7xf32>)
      schedule(#sinter.gpu_rows<threads = 64, vector = 4>) {
  ^row(%a: tensor<7xf32>):
    sinter.yield %a : tensor<7xf32>
  }
  return %y : tensor<4x7xf32>
}
