// RUN: sinter-opt --sinter-assert --split-input-file --verify-diagnostics %s | FileCheck %s

// A failing assert leaves its message and returns; what it guards is not run. Equal
// messages are one constant.

// CHECK-DAG: llvm.mlir.global internal constant @sinter_message_0("out of range\00")
// CHECK-DAG: llvm.mlir.global internal constant @sinter_message_1("zero\00")
// CHECK-DAG: func private @sinter_rt_fail(!llvm.ptr)

// CHECK-LABEL: func @guarded
//  CHECK-SAME:   (%[[OK:.+]]: i1, %[[X:.+]]: memref<4xf32>, %[[I:.+]]: index)
//       CHECK:   cf.cond_br %[[OK]], ^[[ON:.+]], ^[[FAILED:.+]]
//       CHECK: ^[[FAILED]]:
//  CHECK-NEXT:   %[[M:.+]] = llvm.mlir.addressof @sinter_message_0
//  CHECK-NEXT:   call @sinter_rt_fail(%[[M]])
//  CHECK-NEXT:   return
//  CHECK-NEXT: ^[[ON]]:
//  CHECK-NEXT:   %[[V:.+]] = memref.load %[[X]][%[[I]]]
//  CHECK-NEXT:   cf.cond_br %[[OK]], ^{{.+}}, ^{{.+}}
//       CHECK:   llvm.mlir.addressof @sinter_message_1
//       CHECK:   llvm.mlir.addressof @sinter_message_0
//   CHECK-NOT:   cf.assert
func.func @guarded(%ok: i1, %x: memref<4xf32>, %i: index) {
  cf.assert %ok, "out of range"
  %v = memref.load %x[%i] : memref<4xf32>
  cf.assert %ok, "zero"
  memref.store %v, %x[%i] : memref<4xf32>
  cf.assert %ok, "out of range"
  return
}

// -----

// Blocks behind the assert are still reached.

// CHECK-LABEL: func @loop
//       CHECK:   cf.br ^[[LOOP:.+]](
//       CHECK: ^[[LOOP]](%[[I:.+]]: index):
//       CHECK:   cf.cond_br %{{.+}}, ^[[ON:.+]], ^{{.+}}
//       CHECK: ^[[ON]]:
//       CHECK:   cf.cond_br %{{.+}}, ^[[LOOP]](%{{.+}} : index), ^[[END:.+]]
//       CHECK: ^[[END]]:
//  CHECK-NEXT:   return
func.func @loop(%ok: i1, %n: index) {
  cf.br ^loop(%n : index)
^loop(%i: index):
  cf.assert %ok, "in a loop"
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^loop(%i : index), ^end
^end:
  return
}

// -----

func.func @structured(%ok: i1) {
  scf.if %ok {
    // expected-error @+1 {{is inside scf.if: expected a function}}
    cf.assert %ok, "too early"
  }
  return
}

// -----

func.func @results(%ok: i1) -> i1 {
  // expected-error @+1 {{is in a function with results, which a failing assert has none of}}
  cf.assert %ok, "no"
  return %ok : i1
}
