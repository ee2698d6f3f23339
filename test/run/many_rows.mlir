// RUN: sinter-run %s --entry=rows --random=uniform*0+1.3 --verify --tolerance=1e-6 | FileCheck %s
// RUN: sinter-run %s --entry=lanes --random=uniform*0+0.37 --verify --tolerance=1e-6 | FileCheck %s

// A sum over many equal rows is right to f32's last digits: rounded in each addition, it would be off by 1e-4.

// CHECK: output 0 of {{.+}} agrees

func.func @rows(%x: tensor<1000000x2xf32>, %y: tensor<1xf32>) -> tensor<f32> {
  %l = sinter.poisson_nll(%x, %y) {reduction = "sum"} : (tensor<1000000x2xf32>, tensor<1xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @lanes(%x: tensor<40x3x40000xf32>) -> tensor<f32> {
  %l = sinter.loss(%x) {columns = 1, reduction = "sum"} : (tensor<40x3x40000xf32>) -> tensor<f32> {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %v = arith.mulf %s, %s : f32
    sinter.yield %v : f32
  }
  return %l : tensor<f32>
}
