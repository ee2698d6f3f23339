// RUN: sinter-opt --sinter-embed-gpu %s | FileCheck %s

// A cubin is embedded as it is; PTX gets the NUL that the driver looks for.

// CHECK-DAG: llvm.mlir.global internal constant @kernels_image("\7FELF\00") {{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @kernels_bytes(5 : i64) {{.*}}: i64
// CHECK-DAG: llvm.mlir.global internal constant @text_image(".version\00")
// CHECK-DAG: llvm.mlir.global internal constant @text_bytes(9 : i64)
// CHECK-NOT: gpu.binary
llvm.mlir.global external constant @kernels_image() : !llvm.array<0 x i8>
llvm.mlir.global external constant @kernels_bytes() : i64
gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "\7FELF\00">]
gpu.binary @text [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = ".version">]
