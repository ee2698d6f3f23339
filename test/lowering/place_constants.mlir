// RUN: sinter-opt --sinter-place-constants %s | FileCheck %s

// Large constants are offsets from one pointer, each at a multiple of 64 bytes; equal ones are one, whatever type they
// have. Of a dense LLVM has the elements.

// CHECK: module attributes {sinter.constants = [dense_resource<a> : tensor<5xf32>, dense_resource<c> : tensor<1xi32>],
// CHECK-SAME: sinter.offsets = array<i64: 0, 64>}
// CHECK: llvm.mlir.global external @sinter_constants() {addr_space = 0 : i32} : !llvm.ptr
// CHECK-NOT: @a(
// CHECK-NOT: @b(
// CHECK-NOT: @c(
// CHECK: llvm.mlir.global private constant @d
llvm.mlir.global private constant @a(dense_resource<a> : tensor<5xf32>) : !llvm.array<5 x f32>
llvm.mlir.global private constant @b(dense_resource<b> : tensor<1x5xi32>) : !llvm.array<1 x array<5 x i32>>
llvm.mlir.global private constant @c(dense_resource<c> : tensor<1xi32>) : !llvm.array<1 x i32>
llvm.mlir.global private constant @d(dense<[1, 2]> : tensor<2xi32>) : !llvm.array<2 x i32>

// CHECK-LABEL: llvm.func @main
//       CHECK:   %[[P:.+]] = llvm.mlir.addressof @sinter_constants
//       CHECK:   %[[FIRST:.+]] = llvm.load %[[P]] invariant : !llvm.ptr -> !llvm.ptr
//       CHECK:   %[[N:.+]] = llvm.mlir.constant(0 : i64) : i64
//       CHECK:   %[[A:.+]] = llvm.getelementptr %[[FIRST]][%[[N]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
//       CHECK:   llvm.mlir.constant(0 : i64) : i64
//       CHECK:   %[[B:.+]] = llvm.getelementptr
//       CHECK:   %[[N:.+]] = llvm.mlir.constant(64 : i64) : i64
//       CHECK:   %[[C:.+]] = llvm.getelementptr %{{.+}}[%[[N]]]
//       CHECK:   %[[D:.+]] = llvm.mlir.addressof @d
//       CHECK:   llvm.call @f(%[[A]], %[[B]], %[[C]], %[[D]])
llvm.func @f(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @main() {
  %a = llvm.mlir.addressof @a : !llvm.ptr
  %b = llvm.mlir.addressof @b : !llvm.ptr
  %c = llvm.mlir.addressof @c : !llvm.ptr
  %d = llvm.mlir.addressof @d : !llvm.ptr
  llvm.call @f(%a, %b, %c, %d) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}

{-#
  dialect_resources: {
    builtin: {
      a: "0x040000000100000002000000030000000400000005000000",
      b: "0x040000000100000002000000030000000400000005000000",
      c: "0x04000000AAAAAAAA"
    }
  }
#-}
