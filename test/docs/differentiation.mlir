// RUN: sinter-run %s --stats | FileCheck %s
// RUN: sinter-run %s --emit=differentiated | FileCheck %s --check-prefix=FORMS
// RUN: sinter-cc %reference/layer_norm/layer_norm.mlir --wrt=0,1,2 --upstream -o %t.so
// RUN: sinter-exec %t.so --list | FileCheck %s --check-prefix=LIST

// What docs/differentiation.md shows is what comes out.

// CHECK: {"kernels": 1, "library_calls": 0, "bytes_in": 38780, "bytes_out": 19392, "bytes_temporary": 0}
// FORMS-COUNT-2: sinter.rowwise
// LIST: upstream of output 0
// LIST: gradient of input 2

func.func @main(%x: tensor<37x131xf32>, %y: tensor<37x131xf32>, %g: tensor<f32>) -> (tensor<f32>, tensor<37x131xf32>) {
  %l = sinter.mse(%x, %y) : (tensor<37x131xf32>, tensor<37x131xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l upstream(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<37x131xf32>) -> tensor<37x131xf32>
  return %l, %dx : tensor<f32>, tensor<37x131xf32>
}
