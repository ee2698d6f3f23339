gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
}
