// RUN: sinter-run %s --entry=main --verify
// RUN: sinter-run %s --entry=main --policy=disabled
// RUN: sinter-run %s --entry=down --verify --high=4
// RUN: sinter-cc %s -o %t.so
// RUN: sinter-exec %t.so --entry=main
// RUN: not sinter-exec %t.so --entry=wrong 2>&1 | FileCheck %s
// CHECK: wrong: it is 8

// Functions that are not inlined: one that a host calls and the program too, one that calls itself until it is done.

func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @down(%x: tensor<4xf32>, %n: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %end = arith.cmpi sle, %n, %c0 : i64
  %r = scf.if %end -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : i64
    %y = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %w = func.call @down(%y, %m) : (tensor<4xf32>, i64) -> tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func private @eight() -> f32 {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  %n = arith.constant 3 : i64
  %i = arith.constant 2 : index
  %y = func.call @down(%x, %n) : (tensor<4xf32>, i64) -> tensor<4xf32>
  %e = tensor.extract %y[%i] : tensor<4xf32>
  return %e : f32
}

func.func @main() -> f32 {
  %e = func.call @eight() : () -> f32
  %want = arith.constant 8.0 : f32
  %ok = arith.cmpf oeq, %e, %want : f32
  cf.assert %ok, "it is not 8"
  return %e : f32
}

func.func @wrong() -> f32 {
  %e = func.call @eight() : () -> f32
  %want = arith.constant 8.0 : f32
  %ok = arith.cmpf one, %e, %want : f32
  cf.assert %ok, "it is 8"
  return %e : f32
}
