// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// Subscripts that dimensions alone say are an access: here a window, whose negative subscripts would count from the
// end.

// CHECK-LABEL: func @window
//       CHECK:   sinter.rowwise (i = 2, l = 15) by (n = 5)
//  CHECK-NEXT:       ins(%arg0[i, l * 2 + n + 3] : tensor<2x40xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<5xf32>):
//  CHECK-NEXT:     sinter.yield %[[A]]
func.func @window(%x: tensor<2x40xf32>, %e: tensor<2x15x5xf32>) -> tensor<2x15x5xf32> {
  %y = sinter.rowwise (i = 2, l = 15) by (n = 5) ins(%x[?, ?] : tensor<2x40xf32>) outs(%e[i, l, n] : tensor<2x15x5xf32>) {
  ^row(%t: memref<2x40xf32>):
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c40 = arith.constant 40 : i64
    %three = arith.constant dense<3> : tensor<5xi64>
    %f0 = arith.constant 0.0 : f32
    %i = sinter.index i : index
    %l = sinter.index l : index
    %k = arith.index_cast %l : index to i64
    %m = arith.muli %k, %c2 : i64
    %n = sinter.index n : tensor<5xindex>
    %o = arith.index_cast %n : tensor<5xindex> to tensor<5xi64>
    %p = sinter.broadcast %m : i64 -> tensor<5xi64>
    %q = arith.addi %p, %o : tensor<5xi64>
    %r = arith.addi %q, %three : tensor<5xi64>
    %zero = sinter.broadcast %c0 : i64 -> tensor<5xi64>
    %forty = sinter.broadcast %c40 : i64 -> tensor<5xi64>
    %is = arith.cmpi slt, %r, %zero : tensor<5xi64>
    %u = arith.addi %r, %forty : tensor<5xi64>
    %v = arith.select %is, %u, %r : tensor<5xi1>, tensor<5xi64>
    %w = arith.index_cast %v : tensor<5xi64> to tensor<5xindex>
    %g = sinter.gather %t[%i, %w] else %f0 : memref<2x40xf32>, index, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %g : tensor<5xf32>
  }
  return %y : tensor<2x15x5xf32>
}

// -----

// What is always below 0 counts from the end; what is sometimes outside has bounds; what is the same in all columns is
// spread.

// CHECK-LABEL: func @ends
//       CHECK:       ins(%arg0[39 - n] : tensor<40xf32>, %arg0[n - 1] : tensor<40xf32> else 7.000000e+00, %arg0[39] : tensor<40xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<5xf32>, %[[B:.+]]: tensor<5xf32>, %[[C:.+]]: f32):
//  CHECK-NEXT:     %[[D:.+]] = sinter.broadcast %[[C]] : f32 -> tensor<5xf32>
//       CHECK:     arith.addf %[[A]], %[[B]]
func.func @ends(%x: tensor<40xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %y = sinter.rowwise () by (n = 5) ins(%x[?] : tensor<40xf32>) outs(%e[n] : tensor<5xf32>) {
  ^row(%t: memref<40xf32>):
    %one = arith.constant dense<-1> : tensor<5xindex>
    %zero = arith.constant dense<0> : tensor<5xindex>
    %forty = arith.constant dense<40> : tensor<5xindex>
    %last = arith.constant dense<39> : tensor<5xindex>
    %f7 = arith.constant 7.0 : f32
    %n = sinter.index n : tensor<5xindex>
    %m = arith.subi %one, %n : tensor<5xindex>
    %is = arith.cmpi sge, %m, %zero : tensor<5xindex>
    %u = arith.addi %m, %forty : tensor<5xindex>
    %v = arith.select %is, %m, %u : tensor<5xi1>, tensor<5xindex>
    %w = arith.addi %n, %one : tensor<5xindex>
    %a = sinter.gather %t[%v] else %f7 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    %b = sinter.gather %t[%w] else %f7 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    %c = sinter.gather %t[%last] else %f7 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    %d = arith.addf %a, %b : tensor<5xf32>
    %g = arith.mulf %d, %c : tensor<5xf32>
    sinter.yield %g : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}

// -----

// A subscript that is read, one that is a product of two dimensions, and a choice that sizes do not decide stay.

// CHECK-LABEL: func @read
//       CHECK:   sinter.gather
func.func @read(%x: tensor<40xf32>, %s: tensor<5xindex>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %y = sinter.rowwise () by (n = 5) ins(%x[?] : tensor<40xf32>, %s[n] : tensor<5xindex>) outs(%e[n] : tensor<5xf32>) {
  ^row(%t: memref<40xf32>, %n: tensor<5xindex>):
    %f0 = arith.constant 0.0 : f32
    %a = sinter.gather %t[%n] else %f0 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}

// -----

// CHECK-LABEL: func @squares
//       CHECK:   sinter.gather
func.func @squares(%x: tensor<40xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %y = sinter.rowwise () by (n = 5) ins(%x[?] : tensor<40xf32>) outs(%e[n] : tensor<5xf32>) {
  ^row(%t: memref<40xf32>):
    %f0 = arith.constant 0.0 : f32
    %n = sinter.index n : tensor<5xindex>
    %m = arith.muli %n, %n : tensor<5xindex>
    %a = sinter.gather %t[%m] else %f0 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}

// -----

// CHECK-LABEL: func @undecided
//       CHECK:   sinter.gather
func.func @undecided(%x: tensor<40xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %y = sinter.rowwise () by (n = 5) ins(%x[?] : tensor<40xf32>) outs(%e[n] : tensor<5xf32>) {
  ^row(%t: memref<40xf32>):
    %two = arith.constant dense<2> : tensor<5xindex>
    %zero = arith.constant dense<0> : tensor<5xindex>
    %forty = arith.constant dense<40> : tensor<5xindex>
    %f0 = arith.constant 0.0 : f32
    %n = sinter.index n : tensor<5xindex>
    %m = arith.subi %n, %two : tensor<5xindex>
    %is = arith.cmpi slt, %m, %zero : tensor<5xindex>
    %u = arith.addi %m, %forty : tensor<5xindex>
    %v = arith.select %is, %u, %m : tensor<5xi1>, tensor<5xindex>
    %a = sinter.gather %t[%v] else %f0 : memref<40xf32>, tensor<5xindex> -> tensor<5xf32>
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}

// -----

// Bytes wrap around: 127 + 1 is -128.

// CHECK-LABEL: func @bytes
//       CHECK:   sinter.gather
func.func @bytes(%x: tensor<400xf32>, %e: tensor<50xf32>) -> tensor<50xf32> {
  %y = sinter.rowwise () by (n = 50) ins(%x[?] : tensor<400xf32>) outs(%e[n] : tensor<50xf32>) {
  ^row(%t: memref<400xf32>):
    %f0 = arith.constant 0.0 : f32
    %hundred = arith.constant dense<100> : tensor<50xi8>
    %n = sinter.index n : tensor<50xindex>
    %i = arith.index_cast %n : tensor<50xindex> to tensor<50xi8>
    %s = arith.addi %i, %hundred : tensor<50xi8>
    %m = arith.index_cast %s : tensor<50xi8> to tensor<50xindex>
    %a = sinter.gather %t[%m] else %f0 : memref<400xf32>, tensor<50xindex> -> tensor<50xf32>
    sinter.yield %a : tensor<50xf32>
  }
  return %y : tensor<50xf32>
}
