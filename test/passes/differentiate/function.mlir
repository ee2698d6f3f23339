// RUN: sinter-opt --sinter-differentiate="wrt=0,2 upstream=true" %s | FileCheck %s
// RUN: sinter-opt --sinter-differentiate="wrt=2 result=1" %s | FileCheck %s --check-prefix=SECOND
// RUN: not sinter-opt --sinter-differentiate="wrt=1" %s 2>&1 | FileCheck %s --check-prefix=LABELS
// RUN: not sinter-opt --sinter-differentiate="wrt=3" %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sinter-opt --sinter-differentiate="wrt=x" %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: sed -e 's/tensor<4xi64>/& {sinter.name = "t"}/' -e 's/%y: tensor<4xf32>/& loc("y.w")/' %s > %t.mlir
// RUN: sinter-opt --sinter-differentiate="wrt=0,y.w" %t.mlir | FileCheck %s --check-prefix=NAME
// RUN: not sinter-opt --sinter-differentiate="wrt=t" %t.mlir 2>&1 | FileCheck %s --check-prefix=LABELS-NAME
// RUN: not sinter-opt --sinter-differentiate="wrt=y" %t.mlir 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: sed 's/"t"/"y.w"/' %t.mlir | not sinter-opt --sinter-differentiate="wrt=y.w" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sinter-opt --sinter-differentiate="wrt=0 result=2" %s 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's/@main/@first/' -e 's/private @other/@other/' %s | not sinter-opt --sinter-differentiate="wrt=0" 2>&1 | FileCheck %s --check-prefix=WHICH

// A whole function: its gradients become results that say what they are the gradient of.

// CHECK: func.func private @other
// CHECK: func.func @main(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xi64>, %{{.+}}: tensor<4xf32>, %[[G:.+]]: tensor<4xf32> {sinter.upstream_of = 0 : i64})
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {sinter.gradient_of = 0 : i64}, tensor<4xf32> {sinter.gradient_of = 2 : i64})
// CHECK: ins({{.*}}%[[G]][
// SECOND: func.func @main(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xi64>, %{{.+}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {sinter.gradient_of = 2 : i64})
// LABELS: error: 'func.func' op is differentiated by argument 1, which is no tensor of floats
// NAME: -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {sinter.gradient_of = 0 : i64}, tensor<4xf32> {sinter.gradient_of = 2 : i64})
// LABELS-NAME: error: 'func.func' op is differentiated by argument t, which is no tensor of floats
// LONGER: error: 'func.func' op is differentiated by 'y', and its arguments are 0, t, y.w
// TWICE: error: 'func.func' op is differentiated by 'y.w', and arguments 1 and 2 are called so: say the number
// NONE: error: 'func.func' op is differentiated by argument 3, and has 3
// WORD: error: 'func.func' op is differentiated by 'x', and its arguments are 0, 1, 2
// WHICH: error: {{.*}}has 2 public functions and no @main, and `wrt` is of one: choose it (--entry=NAME), or make the others private
// RESULT: error: 'func.func' op is differentiated at result 2, and has 2

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %t: tensor<4xi64>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %l:2 = sinter.rowwise (i = 4) by () ins(%x[i] : tensor<4xf32>, %y[i] : tensor<4xf32>) outs(%e[i] : tensor<4xf32>, %e[i] : tensor<4xf32>) {
  ^row(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %q = math.exp %b : f32
    sinter.yield %p, %q : f32, f32
  }
  return %l#0, %l#1 : tensor<4xf32>, tensor<4xf32>
}
