// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Some operand's neighbours are rows: a tile of 8 KB, of whole lines both ways.

// CHECK-LABEL: func @add
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 3136, occupancy = 4, shape = "turned", threads = 256, tile_columns = 32, tile_rows = 64, vector = 1>)
func.func @add(%x: tensor<3136x2048xf32>, %y: tensor<2048x3136xf32>, %e: tensor<3136x2048xf32>) -> tensor<3136x2048xf32> {
  %z = sinter.rowwise (i = 3136) by (j = 2048) ins(%x[i, j] : tensor<3136x2048xf32>, %y[j, i] : tensor<2048x3136xf32>)
      outs(%e[i, j] : tensor<3136x2048xf32>) {
  ^row(%a: tensor<2048xf32>, %b: tensor<2048xf32>):
    %s = arith.addf %a, %b : tensor<2048xf32>
    sinter.yield %s : tensor<2048xf32>
  }
  return %z : tensor<3136x2048xf32>
}

// -----

// Short rows are in a tile as a whole.

// CHECK-LABEL: func @short_rows
//       CHECK:   shape = "turned", threads = 256, tile_columns = 48, tile_rows = 64, vector = 2>)
func.func @short_rows(%x: tensor<8x48x112x112xf16>, %e: tensor<8x112x112x48xf16>) -> tensor<8x112x112x48xf16> {
  %z = sinter.rowwise (n = 8, h = 112, w = 112) by (c = 48) ins(%x[n, c, h, w] : tensor<8x48x112x112xf16>)
      outs(%e[n, h, w, c] : tensor<8x112x112x48xf16>) {
  ^row(%a: tensor<48xf16>):
    sinter.yield %a : tensor<48xf16>
  }
  return %z : tensor<8x112x112x48xf16>
}

// -----

// So are few rows that lie together, and as many columns as are in one piece of memory with them, in even parts.

// CHECK-LABEL: func @few_rows
//       CHECK:   shape = "turned", threads = 256, tile_columns = 560, tile_rows = 3, vector = 1>)
func.func @few_rows(%x: tensor<8x112x1120x3xf32>, %e: tensor<8x3x112x1120xf32>) -> tensor<8x3x112x1120xf32> {
  %z = sinter.rowwise (n = 8, c = 3, h = 112) by (w = 1120) ins(%x[n, h, w, c] : tensor<8x112x1120x3xf32>)
      outs(%e[n, c, h, w] : tensor<8x3x112x1120xf32>) {
  ^row(%a: tensor<1120xf32>):
    sinter.yield %a : tensor<1120xf32>
  }
  return %z : tensor<8x3x112x1120xf32>
}

// -----

// Rows that do not begin with sectors are whole, 32 of them; those that do are parts.

// CHECK-LABEL: func @whole
//       CHECK:   shape = "turned", threads = 256, tile_columns = 151, tile_rows = 32, vector = 1>)
func.func @whole(%x: tensor<900x151x520xf32>, %e: tensor<900x520x151xf32>) -> tensor<900x520x151xf32> {
  %z = sinter.rowwise (i = 900, j = 520) by (k = 151) ins(%x[i, k, j] : tensor<900x151x520xf32>)
      outs(%e[i, j, k] : tensor<900x520x151xf32>) {
  ^row(%a: tensor<151xf32>):
    sinter.yield %a : tensor<151xf32>
  }
  return %z : tensor<900x520x151xf32>
}

// -----

// CHECK-LABEL: func @parts
//       CHECK:   shape = "turned", threads = 256, tile_columns = 32, tile_rows = 64, vector = 1>)
func.func @parts(%x: tensor<900x152x520xf32>, %e: tensor<900x520x152xf32>) -> tensor<900x520x152xf32> {
  %z = sinter.rowwise (i = 900, j = 520) by (k = 152) ins(%x[i, k, j] : tensor<900x152x520xf32>)
      outs(%e[i, j, k] : tensor<900x520x152xf32>) {
  ^row(%a: tensor<152xf32>):
    sinter.yield %a : tensor<152xf32>
  }
  return %z : tensor<900x520x152xf32>
}

// -----

// Little is read as it lies, and short rows are a thread's.

// CHECK-LABEL: func @little
//   CHECK-NOT:   turned
func.func @little(%x: tensor<64x64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = sinter.rowwise (i = 64) by (j = 64) ins(%x[j, i] : tensor<64x64xf32>) outs(%e[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %z : tensor<64x64xf32>
}

// CHECK-LABEL: func @thread
//   CHECK-NOT:   turned
func.func @thread(%x: tensor<8x12x112x112xf16>, %e: tensor<8x112x112x12xf16>) -> tensor<8x112x112x12xf16> {
  %z = sinter.rowwise (n = 8, h = 112, w = 112) by (c = 12) ins(%x[n, c, h, w] : tensor<8x12x112x112xf16>)
      outs(%e[n, h, w, c] : tensor<8x112x112x12xf16>) {
  ^row(%a: tensor<12xf16>):
    sinter.yield %a : tensor<12xf16>
  }
  return %z : tensor<8x112x112x12xf16>
}
