// RUN: sinter-opt --pass-pipeline='builtin.module(gpu.module(sinter-gpu-target{format=isa}))' --split-input-file --verify-diagnostics %s | FileCheck %s

// Shared memory whose size the launch says is declared without one; its alignment means nothing but that. Other pieces
// stay as they are.

// CHECK-LABEL: gpu.module @kernels
//       CHECK:   llvm.mlir.global internal @__wg_f_0() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<8 x f32>
//       CHECK:   llvm.mlir.global external @__wg_f_1() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
//       CHECK:   llvm.func @f() attributes {gpu.kernel, nvvm.kernel}
gpu.module @kernels {
  llvm.mlir.global internal @__wg_f_0() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<8 x f32>
  llvm.mlir.global internal @__wg_f_1() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
  llvm.func @f() attributes {gpu.kernel, nvvm.kernel, sinter.launched_shared = 1 : i64} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has shared memory of the launch, and there is no @__wg_f_1}}
  llvm.func @f() attributes {gpu.kernel, nvvm.kernel, sinter.launched_shared = 1 : i64} {
    llvm.return
  }
}
