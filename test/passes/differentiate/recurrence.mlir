// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-prepare,sinter-raise,sinter-differentiate{wrt=0 upstream=true})' %s -o %t
// RUN: FileCheck %s --check-prefix=ONCE < %t
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-differentiate{wrt=0,1 upstream=true result=1})' %t | FileCheck %s --check-prefix=TWICE

// The gradient of a running product is a sum from the end: r[t] = g[t] + a[t] * r[t + 1].

// ONCE-LABEL: func.func @main
//       ONCE:   sinter.steps rows(0) {{.*}} attributes {sinter.recurrence = "backward"}
//       ONCE:   scf.for
//       ONCE:     %[[A:.+]] = memref.load %{{.+}}[%{{.+}}, %[[T:.+]]]
//       ONCE:     %[[M:.+]] = arith.mulf %[[A]], %{{.+}} : f64
//       ONCE:     %[[G:.+]] = memref.load %{{.+}}[%{{.+}}, %[[T]]]
//       ONCE:     arith.addf %[[G]], %[[M]] : f64
//   ONCE-NOT:   sinter.recurrence

// Its own gradient is one from the beginning, by the same factors one place before.

// TWICE-LABEL: func.func @main
//       TWICE:   sinter.recurrence = "backward"
//       TWICE:   sinter.recurrence = "forward"
func.func @main(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %e = tensor.empty() : tensor<3x5xf64>
  %a = tensor.empty() : tensor<3xf64>
  %one = arith.constant 1.0 : f64
  %init = linalg.fill ins(%one : f64) outs(%a : tensor<3xf64>) -> tensor<3xf64>
  %y, %l = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x5xf64>) outs(%e, %init : tensor<3x5xf64>, tensor<3xf64>) {
  ^bb0(%p: f64, %q: f64):
    %m = arith.mulf %p, %q : f64
    tm_tensor.yield %m : f64
  } -> tensor<3x5xf64>, tensor<3xf64>
  return %y : tensor<3x5xf64>
}
