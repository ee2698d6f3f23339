// RUN: sinter-opt --pass-pipeline='builtin.module(gpu.module(sinter-adjacent))' --split-input-file %s | FileCheck %s

// Neighbours in memory have the first one's address and what it is known to be a multiple of.

// Stored in any order, places by sums and products of any shape; 8 i is a multiple of 32 bytes.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @stored
  // CHECK: %[[P:.+]] = llvm.getelementptr inbounds|nuw %arg0[%{{.+}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  // CHECK-NEXT: llvm.store %arg2, %[[P]] {alignment = 4 : i64}
  // CHECK: %[[Q:.+]] = llvm.getelementptr %[[P]][-4] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: llvm.store %arg2, %[[Q]] {alignment = 16 : i64}
  // CHECK: %[[R:.+]] = llvm.getelementptr %[[P]][4] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: llvm.store %arg2, %[[R]] {alignment = 8 : i64}
  llvm.func @stored(%y: !llvm.ptr, %i: i32, %x: f32) attributes {gpu.kernel} {
    %c1 = llvm.mlir.constant(1 : index) : i32
    %c2 = llvm.mlir.constant(2 : index) : i32
    %c4 = llvm.mlir.constant(4 : index) : i32
    %c8 = llvm.mlir.constant(8 : index) : i32
    %i8 = llvm.mul %i, %c8 : i32
    %first = llvm.add %i8, %c1 overflow<nsw, nuw> : i32
    %p = llvm.getelementptr inbounds|nuw %y[%first] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %p : f32, !llvm.ptr
    %i2 = llvm.mul %i, %c2 : i32
    %same = llvm.mul %i2, %c4 : i32
    %q = llvm.getelementptr %y[%same] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %q : f32, !llvm.ptr
    %i4 = llvm.mul %i, %c4 : i32
    %i41 = llvm.add %i4, %c1 : i32
    %third = llvm.mul %i41, %c2 : i32
    %r = llvm.getelementptr %y[%third] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %x, %r : f32, !llvm.ptr
    llvm.return
  }
}

// -----

// A loop's counter is what it begins with and what it grows by. Behind a remainder of 12, a multiple of 4 is one.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @counted
  // CHECK: llvm.load %{{.+}} {alignment = 8 : i64} : !llvm.ptr -> f16
  // CHECK: llvm.getelementptr %{{.+}}[2] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr -> f16
  llvm.func @counted(%x: !llvm.ptr, %y: !llvm.ptr, %i: i32) attributes {gpu.kernel} {
    %c1 = llvm.mlir.constant(1 : index) : i32
    %c4 = llvm.mlir.constant(4 : index) : i32
    %c12 = llvm.mlir.constant(12 : index) : i32
    %c64 = llvm.mlir.constant(64 : index) : i32
    %begin = llvm.mul %i, %c4 : i32
    llvm.br ^loop(%begin : i32)
  ^loop(%j: i32):
    %in_row = llvm.urem %j, %c12 : i32
    %p = llvm.getelementptr %x[%in_row] : (!llvm.ptr, i32) -> !llvm.ptr, f16
    %a = llvm.load %p : !llvm.ptr -> f16
    %second = llvm.add %in_row, %c1 : i32
    %q = llvm.getelementptr %x[%second] : (!llvm.ptr, i32) -> !llvm.ptr, f16
    %b = llvm.load %q : !llvm.ptr -> f16
    %both = llvm.fadd %a, %b : f16
    llvm.store %both, %y : f16, !llvm.ptr
    %next = llvm.add %j, %c12 : i32
    %more = llvm.icmp "slt" %next, %c64 : i32
    llvm.cond_br %more, ^loop(%next : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// One way into the loop gives an odd number: nothing is aligned, and nothing changes.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @odd_way
  // CHECK: llvm.load %{{.+}} : !llvm.ptr -> f16
  // CHECK-NOT: i8
  // CHECK: llvm.load %{{.+}} : !llvm.ptr -> f16
  llvm.func @odd_way(%x: !llvm.ptr, %y: !llvm.ptr, %i: i32) attributes {gpu.kernel} {
    %c1 = llvm.mlir.constant(1 : index) : i32
    %c4 = llvm.mlir.constant(4 : index) : i32
    %c64 = llvm.mlir.constant(64 : index) : i32
    %begin = llvm.mul %i, %c4 : i32
    llvm.br ^loop(%begin : i32)
  ^loop(%j: i32):
    %p = llvm.getelementptr %x[%j] : (!llvm.ptr, i32) -> !llvm.ptr, f16
    %a = llvm.load %p : !llvm.ptr -> f16
    %second = llvm.add %j, %c1 : i32
    %q = llvm.getelementptr %x[%second] : (!llvm.ptr, i32) -> !llvm.ptr, f16
    %b = llvm.load %q : !llvm.ptr -> f16
    %both = llvm.fadd %a, %b : f16
    llvm.store %both, %y : f16, !llvm.ptr
    %more = llvm.icmp "slt" %second, %c64 : i32
    llvm.cond_br %more, ^loop(%second : i32), ^end
  ^end:
    llvm.return
  }
}

// -----

// The first is aligned for itself alone; the others are no neighbours, of another kind, in another block, or in shared
// memory.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @apart
  // CHECK-NOT: alignment
  // CHECK-NOT: i8
  // CHECK: llvm.return
  llvm.func @apart(%x: !llvm.ptr, %y: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32, %c: i1) attributes {gpu.kernel} {
    %c1 = llvm.mlir.constant(1 : index) : i32
    %c2 = llvm.mlir.constant(2 : index) : i32
    %c4 = llvm.mlir.constant(4 : index) : i32
    %i4 = llvm.mul %i, %c4 : i32
    %i41 = llvm.add %i4, %c1 : i32
    %i42 = llvm.add %i4, %c2 : i32
    %p = llvm.getelementptr %x[%i4] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %a = llvm.load %p : !llvm.ptr -> f32
    %q = llvm.getelementptr %x[%i42] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %b = llvm.load %q : !llvm.ptr -> f32
    %r = llvm.getelementptr %x[%i41] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %a, %r : f32, !llvm.ptr
    %s0 = llvm.getelementptr %s[%i4] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %a, %s0 : f32, !llvm.ptr<3>
    %s1 = llvm.getelementptr %s[%i41] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %b, %s1 : f32, !llvm.ptr<3>
    %y0 = llvm.getelementptr %y[%i4] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store volatile %a, %y0 : f32, !llvm.ptr
    %y1 = llvm.getelementptr %y[%i41] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %a, %y1 : f32, !llvm.ptr
    llvm.cond_br %c, ^then, ^end
  ^then:
    llvm.store %b, %y0 : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
}

// -----

// LLVM would store it in halves.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @wide
  // CHECK: llvm.store %arg2, %{{.+}} {alignment = 8 : i64} : i64, !llvm.ptr
  llvm.func @wide(%y: !llvm.ptr, %i: i32, %x: i64) attributes {gpu.kernel} {
    %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i64
    llvm.store %x, %p : i64, !llvm.ptr
    llvm.return
  }
}
