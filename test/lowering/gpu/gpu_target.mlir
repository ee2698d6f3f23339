// RUN: sinter-opt --pass-pipeline='builtin.module(gpu.module(sinter-gpu-target{format=isa chip=sm_90}))' %s | FileCheck %s
// RUN: env PATH=%build/bin CUDA_ROOT= CUDA_HOME= CUDA_PATH= not sinter-opt --pass-pipeline='builtin.module(gpu.module(sinter-gpu-target))' %s 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: not sinter-opt --pass-pipeline='builtin.module(gpu.module(sinter-gpu-target{format=isa toolkit=/nowhere}))' %S/Inputs/calls_exp.mlir 2>&1 | FileCheck %s --check-prefix=LIBDEVICE

// PTX needs no assembler; a cubin does, and who has none is told so before anything is compiled. So it is with
// NVIDIA's math library, where a function of it is called.

// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx81">]
// PTXAS: error: 'gpu.module' op no ptxas, NVIDIA's assembler, to compile for sm_90a: put it on PATH, or set CUDA_HOME or toolkit= to the folder of a CUDA toolkit, or ask for PTX
// LIBDEVICE: error: 'gpu.module' op calls __nv_expf, and there is no libdevice.10.bc: set CUDA_HOME or toolkit= to the folder of a CUDA toolkit

gpu.module @kernels {
  llvm.func @f() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
