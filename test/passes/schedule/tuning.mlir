// RUN: rm -rf %t && mkdir %t
// RUN: sinter-tune %s --entry=main --most=1 --emit=%t/cpu && sinter-tune %s --entry=main --most=1 --target=gpu --ptx --emit=%t/gpu
// RUN: sed -n 's/^[0-9]*\t\(rowwise:37x1003[^\t]*\)\t.*/cpu \1 #sinter.rows<chunk = 5, lanes = 4>/p' %t/cpu/candidates > %t/both
// RUN: sed -n 's/^[0-9]*\t\(rowwise:37x1003[^\t]*\)\t.*/gpu \1 #sinter.gpu_rows<threads = 64, blocks = 3>/p' %t/gpu/candidates >> %t/both
// RUN: sinter-opt --pass-pipeline="builtin.module(sinter-schedule{target=cpu tuning='%t/both'})" %s | FileCheck %s --check-prefix=CPU
// RUN: sinter-opt --pass-pipeline="builtin.module(sinter-schedule{target=gpu tuning='%t/both'})" %s | FileCheck %s --check-prefix=GPU

// A form gets the schedule that the tuning file has for it, whatever its values and dimensions are called; another
// form, and one that has a schedule, does not.

// CPU-LABEL: func @main
//       CPU: schedule(#sinter.rows<chunk = 5, lanes = 4>)
// GPU-LABEL: func @main
//       GPU: schedule(#sinter.gpu_rows<blocks = 3, threads = 64>)
func.func @main(%x: tensor<37x1003xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 37) by (j = 1003) ins(%x[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %j = sinter.index j : tensor<1003xindex>
    %i = arith.index_cast %j : tensor<1003xindex> to tensor<1003xi32>
    %k = arith.sitofp %i : tensor<1003xi32> to tensor<1003xf32>
    %b = arith.mulf %a, %k : tensor<1003xf32>
    %s = sinter.row_reduce add %b : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// In another order, with an operation made twice and one that nobody uses.

// CPU-LABEL: func private @reordered
//       CPU: schedule(#sinter.rows<chunk = 5, lanes = 4>)
func.func private @reordered(%y: tensor<37x1003xf32>, %d: tensor<f32>) -> tensor<f32> {
  %r = sinter.rowwise (i = 37) by (j = 1003) ins(%y[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%d[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %unused = arith.negf %a : tensor<1003xf32>
    %again = sinter.index j : tensor<1003xindex>
    %j = sinter.index j : tensor<1003xindex>
    %i = arith.index_cast %again : tensor<1003xindex> to tensor<1003xi32>
    %k = arith.sitofp %i : tensor<1003xi32> to tensor<1003xf32>
    %b = arith.mulf %a, %k : tensor<1003xf32>
    %s = sinter.row_reduce add %b : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return %r : tensor<f32>
}

// CPU-LABEL: func private @renamed
//       CPU: schedule(#sinter.rows<chunk = 5, lanes = 4>)
func.func private @renamed(%d: tensor<f32>, %y: tensor<37x1003xf32>) -> tensor<f32> {
  %r = sinter.rowwise (m = 37) by (n = 1003) ins(%y[m, n] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%d[] : tensor<f32>) {
  ^row(%c: tensor<1003xf32>):
    %j = sinter.index n : tensor<1003xindex>
    %i = arith.index_cast %j : tensor<1003xindex> to tensor<1003xi32>
    %k = arith.sitofp %i : tensor<1003xi32> to tensor<1003xf32>
    %b = arith.mulf %c, %k : tensor<1003xf32>
    %u = sinter.row_reduce add %b : tensor<1003xf32> -> f32
    sinter.yield %u : f32
  }
  return %r : tensor<f32>
}

// CPU-LABEL: func private @another_kind
//       CPU: schedule(#sinter.rows<chunk = 17,
func.func private @another_kind(%x: tensor<37x1003xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 37) by (j = 1003) ins(%x[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %j = sinter.index j : tensor<1003xindex>
    %i = arith.index_cast %j : tensor<1003xindex> to tensor<1003xi32>
    %k = arith.sitofp %i : tensor<1003xi32> to tensor<1003xf32>
    %b = arith.mulf %a, %k : tensor<1003xf32>
    %s = sinter.row_reduce mul %b : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// CPU-LABEL: func private @scheduled
//       CPU: schedule(#sinter.rows<chunk = 2>)
func.func private @scheduled(%x: tensor<37x1003xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 37) by (j = 1003) ins(%x[i, j] : tensor<37x1003xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>)
      schedule(#sinter.rows<chunk = 2>) {
  ^row(%a: tensor<1003xf32>):
    %j = sinter.index j : tensor<1003xindex>
    %i = arith.index_cast %j : tensor<1003xindex> to tensor<1003xi32>
    %k = arith.sitofp %i : tensor<1003xi32> to tensor<1003xf32>
    %b = arith.mulf %a, %k : tensor<1003xf32>
    %s = sinter.row_reduce add %b : tensor<1003xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// A file that is none is an error, with its line.

// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/absent'})" %s 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot read the tuning file {{.*}}absent: No such file or directory

// RUN: echo "// a comment" > %t/short && echo "cpu rowwise:37x1003" >> %t/short
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/short'})" %s 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: short:2:1: error: expected a target, a form and its schedule

// RUN: echo "tpu rowwise:37x1003:f32:f32:0 #sinter.rows<chunk = 2>" > %t/target
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/target'})" %s 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: target:1:1: error: 'tpu' is not a target: cpu or gpu

// RUN: echo "cpu rowwise:37x1003:f32:f32:0 #sinter.rows<lanes = 3>" > %t/value
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/value'})" %s 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: #sinter.rows: 'lanes' is 3, but a power of two
// VALUE: value:1:1: error: '#sinter.rows<lanes = 3>' is not a schedule

// RUN: echo "cpu rowwise:37x1003:f32:f32:0 42" > %t/number
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/number'})" %s 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: number:1:1: error: '42' is not a schedule

// RUN: cat %t/both %t/both > %t/twice
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{tuning='%t/twice'})" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice:3:1: error: rowwise:37x1003:{{.*}} has a schedule in line 1 already

// RUN: sed 's/#sinter.gpu_rows.*/#sinter.rows<chunk = 3>/' %t/both > %t/other
// RUN: not sinter-opt --pass-pipeline="builtin.module(sinter-schedule{target=gpu tuning='%t/other'})" %s 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: has a #sinter.rows for this form, and target gpu takes a #sinter.gpu_rows
