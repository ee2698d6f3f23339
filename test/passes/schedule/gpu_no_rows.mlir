// RUN: sinter-opt --sinter-schedule=target=gpu %s | FileCheck %s
// RUN: sinter-opt --sinter-gpu=format=isa %s | FileCheck %s --check-prefix=PTX

// Without rows there is one block, which has nothing to do but the finish.

// CHECK-LABEL: func.func @no_rows(
//       CHECK:   #sinter.gpu_rows<{{.*}}blocks = 1,
// PTX: .visible .entry no_rows_kernel0
func.func @no_rows(%x: tensor<7x1000x0x257xf64>, %t: tensor<7x0x257xi64>) -> tensor<7x0x257xf64> {
  %e = tensor.empty() : tensor<7x0x257xf64>
  %y = sinter.rowwise (i = 7, k = 0, l = 257) by (j = 1000) ins(%x[i, j, k, l] : tensor<7x1000x0x257xf64>, %t[i, k, l] : tensor<7x0x257xi64>)
      outs(%e[i, k, l] : tensor<7x0x257xf64>) {
  ^row(%a: tensor<1000xf64>, %u: i64):
    %z = arith.constant 0.0 : f64
    %m = sinter.row_reduce maximumf %a : tensor<1000xf64> -> f64
    %ms = sinter.broadcast %m : f64 -> tensor<1000xf64>
    %d = arith.subf %a, %ms : tensor<1000xf64>
    %f = math.exp %d : tensor<1000xf64>
    %s = sinter.row_reduce add %f : tensor<1000xf64> -> f64
    %p = sinter.pick %d[%u] else %z : tensor<1000xf64>, i64
    %q = arith.divf %p, %s : f64
    sinter.yield %q : f64
  }
  return %y : tensor<7x0x257xf64>
}
