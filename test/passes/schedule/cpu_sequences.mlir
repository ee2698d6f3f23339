// RUN: sinter-opt --sinter-schedule=target=cpu --split-input-file %s | FileCheck %s

// Forms that make no more than one task does, in all, run by turns, whether they wait for each other or not.

// CHECK-LABEL: func.func @little
//       CHECK:   sinter.sequence phases [0, 1] waits [0, 1] schedule(#sinter.cpu_sequence<forms = "turns">) ->
func.func @little(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %z = sinter.sequence phases [0, 1] -> tensor<64x128xf32> {
    %y = sinter.rowwise (i = 64) by (j = 128) ins(%x[i, j] : tensor<64x128xf32>) outs(%e[i, j] : tensor<64x128xf32>) {
    ^row(%a: tensor<128xf32>):
      %b = math.exp %a : tensor<128xf32>
      sinter.yield %b : tensor<128xf32>
    }
    %w = sinter.rowwise (i = 64) by (j = 128) ins(%y[i, j] : tensor<64x128xf32>) outs(%e[i, j] : tensor<64x128xf32>) {
    ^row(%a: tensor<128xf32>):
      %b = math.exp %a : tensor<128xf32>
      sinter.yield %b : tensor<128xf32>
    }
    sinter.yield %w : tensor<64x128xf32>
  }
  return %z : tensor<64x128xf32>
}

// -----

// A row more, and they are stages.

// CHECK-LABEL: func.func @more
//       CHECK:   sinter.sequence phases [0, 1] waits [0, 1] ->
func.func @more(%x: tensor<65x128xf32>) -> tensor<65x128xf32> {
  %e = tensor.empty() : tensor<65x128xf32>
  %z = sinter.sequence phases [0, 1] -> tensor<65x128xf32> {
    %y = sinter.rowwise (i = 65) by (j = 128) ins(%x[i, j] : tensor<65x128xf32>) outs(%e[i, j] : tensor<65x128xf32>) {
    ^row(%a: tensor<128xf32>):
      %b = math.exp %a : tensor<128xf32>
      sinter.yield %b : tensor<128xf32>
    }
    %w = sinter.rowwise (i = 65) by (j = 128) ins(%y[i, j] : tensor<65x128xf32>) outs(%e[i, j] : tensor<65x128xf32>) {
    ^row(%a: tensor<128xf32>):
      %b = math.exp %a : tensor<128xf32>
      sinter.yield %b : tensor<128xf32>
    }
    sinter.yield %w : tensor<65x128xf32>
  }
  return %z : tensor<65x128xf32>
}

// -----

// So are those of which one is several tasks, by its schedule, and those that reshape.

// CHECK-LABEL: func.func @tasks
//       CHECK:   sinter.sequence phases [0] waits [0] ->
//       CHECK:   sinter.sequence phases [0] waits [0] ->
func.func @tasks(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = sinter.sequence phases [0] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>)
        schedule(#sinter.rows<chunk = 3, lanes = 8>) {
    ^row(%a: tensor<8xf32>):
      %b = math.exp %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  %f = tensor.empty() : tensor<32xf32>
  %w = sinter.sequence phases [0] -> tensor<32xf32> {
    %v = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %y = sinter.rowwise () by (j = 32) ins(%v[j] : tensor<32xf32>) outs(%f[j] : tensor<32xf32>) {
    ^row(%a: tensor<32xf32>):
      %b = math.exp %a : tensor<32xf32>
      sinter.yield %b : tensor<32xf32>
    }
    sinter.yield %y : tensor<32xf32>
  }
  return %z, %w : tensor<4x8xf32>, tensor<32xf32>
}

// -----

// What a schedule says stays.

// CHECK-LABEL: func.func @said
//       CHECK:   sinter.sequence phases [0] waits [0] schedule(#sinter.cpu_sequence<forms = "stages">) ->
func.func @said(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = sinter.sequence phases [0] schedule(#sinter.cpu_sequence<forms = "stages">) -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %b = math.exp %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield %y : tensor<4x8xf32>
  }
  return %z : tensor<4x8xf32>
}
