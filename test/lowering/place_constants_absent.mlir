// RUN: not sinter-opt --sinter-place-constants %s 2>&1 | FileCheck %s

// Where nobody gave a name its bytes there is nothing to place.

// CHECK: :[[@LINE+1]]:1: error: 'llvm.mlir.global' op has no bytes: run sinter-constants in front
llvm.mlir.global private constant @a(dense_resource<a> : tensor<5xf32>) : !llvm.array<5 x f32>
