// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Some operand's neighbours are rows: a tile of 8 KB, of whole lines both ways.

// CHECK-LABEL: func @add
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 3136, occupancy = 6, shape = "turned", threads = 256, tile_columns = 32, tile_rows = 64, vector = 1>)
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

// Those whose last part would be nearly empty are whole, too; one part less, where parts would be uneven.

// CHECK-LABEL: func @nearly_empty
//       CHECK:   occupancy = 6, shape = "turned", threads = 256, tile_columns = 136, tile_rows = 32, vector = 1>)
func.func @nearly_empty(%x: tensor<182x136x462xf32>, %e: tensor<182x462x136xf32>) -> tensor<182x462x136xf32> {
  %z = sinter.rowwise (i = 182, j = 462) by (k = 136) ins(%x[i, k, j] : tensor<182x136x462xf32>)
      outs(%e[i, j, k] : tensor<182x462x136xf32>) {
  ^row(%a: tensor<136xf32>):
    sinter.yield %a : tensor<136xf32>
  }
  return %z : tensor<182x462x136xf32>
}

// -----

// CHECK-LABEL: func @one_part_less
//       CHECK:   shape = "turned", threads = 256, tile_columns = 128, tile_rows = 36, vector = 1>)
func.func @one_part_less(%x: tensor<7x253x253x36xf16>, %e: tensor<7x36x253x253xf16>) -> tensor<7x36x253x253xf16> {
  %z = sinter.rowwise (i = 7, c = 36, k = 253) by (l = 253) ins(%x[i, k, l, c] : tensor<7x253x253x36xf16>)
      outs(%e[i, c, k, l] : tensor<7x36x253x253xf16>) {
  ^row(%a: tensor<253xf16>):
    sinter.yield %a : tensor<253xf16>
  }
  return %z : tensor<7x36x253x253xf16>
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
//       CHECK:   team = 4,
func.func @thread(%x: tensor<8x12x112x112xf16>, %e: tensor<8x112x112x12xf16>) -> tensor<8x112x112x12xf16> {
  %z = sinter.rowwise (n = 8, h = 112, w = 112) by (c = 12) ins(%x[n, c, h, w] : tensor<8x12x112x112xf16>)
      outs(%e[n, h, w, c] : tensor<8x112x112x12xf16>) {
  ^row(%a: tensor<12xf16>):
    sinter.yield %a : tensor<12xf16>
  }
  return %z : tensor<8x112x112x12xf16>
}

// -----

// Where a thread would write more than four vectors of its pixel they are turned.

// CHECK-LABEL: func @pixels
//       CHECK:   shape = "turned", threads = 256, tile_columns = 14, tile_rows = 256, vector = 2>)
func.func @pixels(%x: tensor<430x14x64x61xf16>, %e: tensor<430x64x61x14xf16>) -> tensor<430x64x61x14xf16> {
  %z = sinter.rowwise (n = 430, h = 64, w = 61) by (c = 14) ins(%x[n, c, h, w] : tensor<430x14x64x61xf16>)
      outs(%e[n, h, w, c] : tensor<430x64x61x14xf16>) {
  ^row(%a: tensor<14xf16>):
    sinter.yield %a : tensor<14xf16>
  }
  return %z : tensor<430x64x61x14xf16>
}

// -----

// CHECK-LABEL: func @few_channels
//   CHECK-NOT:   turned
//       CHECK:   return
func.func @few_channels(%x: tensor<430x4x64x61xf32>, %e: tensor<430x64x61x4xf32>) -> tensor<430x64x61x4xf32> {
  %z = sinter.rowwise (n = 430, h = 64, w = 61) by (c = 4) ins(%x[n, c, h, w] : tensor<430x4x64x61xf32>)
      outs(%e[n, h, w, c] : tensor<430x64x61x4xf32>) {
  ^row(%a: tensor<4xf32>):
    sinter.yield %a : tensor<4xf32>
  }
  return %z : tensor<430x64x61x4xf32>
}

// -----

// CHECK-LABEL: func @odd_pixels
//       CHECK:   shape = "turned", threads = 256, tile_columns = 13, tile_rows = 256, vector = 1>)
func.func @odd_pixels(%x: tensor<430x13x64x61xf16>, %e: tensor<430x64x61x13xf16>) -> tensor<430x64x61x13xf16> {
  %z = sinter.rowwise (n = 430, h = 64, w = 61) by (c = 13) ins(%x[n, c, h, w] : tensor<430x13x64x61xf16>)
      outs(%e[n, h, w, c] : tensor<430x64x61x13xf16>) {
  ^row(%a: tensor<13xf16>):
    sinter.yield %a : tensor<13xf16>
  }
  return %z : tensor<430x64x61x13xf16>
}

// -----

// Fewer tiles than the device has at once are made smaller, down to 16 rows.

// CHECK-LABEL: func @few_tiles
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 259, {{.*}}tile_columns = 153, tile_rows = 16, vector = 1>)
func.func @few_tiles(%x: tensor<2x153x47x44xf16>, %e: tensor<2x47x44x153xf16>) -> tensor<2x47x44x153xf16> {
  %z = sinter.rowwise (n = 2, h = 47, w = 44) by (c = 153) ins(%x[n, c, h, w] : tensor<2x153x47x44xf16>)
      outs(%e[n, h, w, c] : tensor<2x47x44x153xf16>) {
  ^row(%a: tensor<153xf16>):
    sinter.yield %a : tensor<153xf16>
  }
  return %z : tensor<2x47x44x153xf16>
}

// -----

// A line that is little more than a tile is one; a longer one is parts.

// CHECK-LABEL: func @little_more
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 5240, {{.*}}tile_columns = 160, tile_rows = 26, vector = 2>)
func.func @little_more(%x: tensor<40x131x160x26xf16>, %e: tensor<40x26x131x160xf16>) -> tensor<40x26x131x160xf16> {
  %z = sinter.rowwise (n = 40, c = 26, h = 131) by (w = 160) ins(%x[n, h, w, c] : tensor<40x131x160x26xf16>)
      outs(%e[n, c, h, w] : tensor<40x26x131x160xf16>) {
  ^row(%a: tensor<160xf16>):
    sinter.yield %a : tensor<160xf16>
  }
  return %z : tensor<40x26x131x160xf16>
}

// -----

// CHECK-LABEL: func @more
//       CHECK:   tile_columns = 112, tile_rows = 26, vector = 2>)
func.func @more(%x: tensor<40x131x224x26xf16>, %e: tensor<40x26x131x224xf16>) -> tensor<40x26x131x224xf16> {
  %z = sinter.rowwise (n = 40, c = 26, h = 131) by (w = 224) ins(%x[n, h, w, c] : tensor<40x131x224x26xf16>)
      outs(%e[n, c, h, w] : tensor<40x26x131x224xf16>) {
  ^row(%a: tensor<224xf16>):
    sinter.yield %a : tensor<224xf16>
  }
  return %z : tensor<40x26x131x224xf16>
}

// -----

// Rows that are read again, of which nobody knows how many there are.

// CHECK-LABEL: func @again
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 264, occupancy = 8, residency = "reread", team = 1, threads = 128, unroll = 16, vector = 1>)
func.func @again(%x: tensor<40000x?xf32>, %y: tensor<40000x?xf32>) -> tensor<40000x?xf32> {
  %o = sinter.rowwise (j = ?) by (i = 40000) ins(%x[i, j] : tensor<40000x?xf32>)
      outs(%y[i, j] : tensor<40000x?xf32>) {
  ^row(%r: tensor<40000xf32>):
    %m = sinter.row_reduce add %r : tensor<40000xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<40000xf32>
    %s = arith.subf %r, %b : tensor<40000xf32>
    sinter.yield %s : tensor<40000xf32>
  }
  return %o : tensor<40000x?xf32>
}
