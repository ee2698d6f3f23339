// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// 4096 products of bytes are below 2^26. Who reads the lower 32 bits alone reads the row.

// CHECK-LABEL: func @bytes
//       CHECK:   product (k = 4096) ({{.*}}) : i32
//       CHECK:   ^row(%[[P:.+]]: tensor<5xi32>):
//  CHECK-NEXT:     %[[F:.+]] = arith.sitofp %[[P]] : tensor<5xi32>
//  CHECK-NEXT:     sinter.yield %[[F]]
func.func @bytes(%x: tensor<7x4096xi8>, %w: tensor<5x4096xi8>, %e: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 4096) (%x[i, k] : tensor<7x4096xi8>, %w[j, k] : tensor<5x4096xi8>) : i64
      outs(%e[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xi64>):
    %c = arith.trunci %p : tensor<5xi64> to tensor<5xi32>
    %f = arith.sitofp %c : tensor<5xi32> to tensor<5xf32>
    sinter.yield %f : tensor<5xf32>
  }
  return %y : tensor<7x5xf32>
}

// -----

// Others read it in 64 bits still.

// CHECK-LABEL: func @wide_reader
//       CHECK:   product (k = 131071) ({{.*}}) : i32
//       CHECK:   ^row(%[[P:.+]]: tensor<5xi32>):
//  CHECK-NEXT:     %[[Q:.+]] = arith.extsi %[[P]] : tensor<5xi32> to tensor<5xi64>
//  CHECK-NEXT:     %[[T:.+]] = arith.addi %[[Q]], %[[Q]] : tensor<5xi64>
func.func @wide_reader(%x: tensor<7x131071xi8>, %w: tensor<5x131071xi8>, %e: tensor<7x5xi64>) -> tensor<7x5xi64> {
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 131071) (%x[i, k] : tensor<7x131071xi8>, %w[j, k] : tensor<5x131071xi8>) : i64
      outs(%e[i, j] : tensor<7x5xi64>) {
  ^row(%p: tensor<5xi64>):
    %t = arith.addi %p, %p : tensor<5xi64>
    sinter.yield %t : tensor<5xi64>
  }
  return %y : tensor<7x5xi64>
}

// -----

// One more product of bytes may be 2^31.

// CHECK-LABEL: func @too_many
//       CHECK:   product (k = 131072) ({{.*}}) : i64
func.func @too_many(%x: tensor<7x131072xi8>, %w: tensor<5x131072xi8>, %e: tensor<7x5xi64>) -> tensor<7x5xi64> {
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 131072) (%x[i, k] : tensor<7x131072xi8>, %w[j, k] : tensor<5x131072xi8>) : i64
      outs(%e[i, j] : tensor<7x5xi64>) {
  ^row(%p: tensor<5xi64>):
    sinter.yield %p : tensor<5xi64>
  }
  return %y : tensor<7x5xi64>
}

// -----

// The lower 32 bits of a sum are the sum of the lower 32 bits, however many there are.

// CHECK-LABEL: func @lower_bits
//       CHECK:   product (k = ?) ({{.*}}) : i32
//       CHECK:   ^row(%[[P:.+]]: tensor<5xi32>):
//  CHECK-NEXT:     sinter.yield %[[P]]
func.func @lower_bits(%x: tensor<7x?xi32>, %w: tensor<5x?xi32>, %e: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = ?) (%x[i, k] : tensor<7x?xi32>, %w[j, k] : tensor<5x?xi32>) : i64
      outs(%e[i, j] : tensor<7x5xi32>) {
  ^row(%p: tensor<5xi64>):
    %c = arith.trunci %p : tensor<5xi64> to tensor<5xi32>
    sinter.yield %c : tensor<5xi32>
  }
  return %y : tensor<7x5xi32>
}

// -----

// Not where a side has more.

// CHECK-LABEL: func @wide_side
//       CHECK:   product (k = 4) ({{.*}}) : i64
func.func @wide_side(%x: tensor<7x4xi64>, %w: tensor<5x4xi32>, %e: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %y = sinter.contract (i = 7) by (j = 5)
      product (k = 4) (%x[i, k] : tensor<7x4xi64>, %w[j, k] : tensor<5x4xi32>) : i64
      outs(%e[i, j] : tensor<7x5xi32>) {
  ^row(%p: tensor<5xi64>):
    %c = arith.trunci %p : tensor<5xi64> to tensor<5xi32>
    sinter.yield %c : tensor<5xi32>
  }
  return %y : tensor<7x5xi32>
}
