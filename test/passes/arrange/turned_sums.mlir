// RUN: sinter-opt --sinter-turned-sums --split-input-file %s | FileCheck %s
// RUN: not sinter-opt --sinter-turned-sums=chip=sm_1 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}sm_1

// More columns than threads: each is a row by itself, and finish goes with it.

// CHECK-LABEL: func @columns
//  CHECK-SAME:   (%[[X:.+]]: tensor<32x136x1921xf16>, %[[N:.+]]: tensor<f32>
//       CHECK:   sinter.rowwise (j = 136, k = 1921) by (i = 32)
//  CHECK-NEXT:     ins(%[[X]][i, j, k] : tensor<32x136x1921xf16>, %[[N]][] : tensor<f32>)
//  CHECK-NEXT:     outs(%{{.+}}[j, k] : tensor<136x1921xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<32xf16>, %[[B:.+]]: f32):
//       CHECK:     %[[W:.+]] = arith.extf %[[A]] : tensor<32xf16> to tensor<32xf32>
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[W]]
//       CHECK:     %[[M:.+]] = arith.divf %[[S]], %[[B]] : f32
//       CHECK:     sinter.yield %[[M]] : f32
//   CHECK-NOT:   sinter.rowwise
func.func @columns(%x: tensor<32x136x1921xf16>, %n: tensor<f32>, %e: tensor<136x1921xf32>) -> tensor<136x1921xf32> {
  %0 = sinter.rowwise (i = 32) by (j = 136, k = 1921) ins(%x[i, j, k] : tensor<32x136x1921xf16>, %n[] : tensor<f32>)
      reduce(add [j, k] : f32) outs(%e[j, k] : tensor<136x1921xf32>) {
  ^row(%a: tensor<261256xf16>, %b: f32):
    %w = arith.extf %a : tensor<261256xf16> to tensor<261256xf32>
    sinter.yield %w : tensor<261256xf32>
  } finish {
  ^done(%s: tensor<261256xf32>, %c: f32):
    %b = sinter.broadcast %c : f32 -> tensor<261256xf32>
    %m = arith.divf %s, %b : tensor<261256xf32>
    sinter.yield %m : tensor<261256xf32>
  }
  return %0 : tensor<136x1921xf32>
}

// -----

// Fewer: rows are cut into chunks of one size where that divides them.

// CHECK-LABEL: func @chunks
//       CHECK:   %[[P:.+]] = sinter.rowwise (chunk = 32, j = 4096) by (i = 64)
//  CHECK-NEXT:     ins(%{{.+}}[chunk * 64 + i, j] : tensor<2048x4096xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[chunk, j] : tensor<32x4096xf32>)
//       CHECK:   sinter.rowwise (j = 4096) by (chunk = 32)
//  CHECK-NEXT:     ins(%[[P]][chunk, j] : tensor<32x4096xf32>)
//       CHECK:     sinter.row_reduce add
func.func @chunks(%x: tensor<2048x4096xf32>, %e: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = sinter.rowwise (i = 2048) by (j = 4096) ins(%x[i, j] : tensor<2048x4096xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %0 : tensor<4096xf32>
}

// -----

// Rows that lie behind one another are cut as one, and up to twice as many chunks are better than one that overhangs.

// CHECK-LABEL: func @two
//       CHECK:   %[[P:.+]] = sinter.rowwise (chunk = 659, k = 320) by (j = 96)
//  CHECK-NEXT:     ins(%{{.+}}[chunk * 96 + j, k] : tensor<63264x320xf32>)
//       CHECK:   sinter.rowwise (k = 320) by (chunk = 659)
//  CHECK-NEXT:     ins(%[[P]][chunk, k] : tensor<659x320xf32>)
//       CHECK:     sinter.row_reduce add
func.func @two(%x: tensor<1318x48x320xf32>, %e: tensor<320xf32>) -> tensor<320xf32> {
  %0 = sinter.rowwise (i = 1318, j = 48) by (k = 320) ins(%x[i, j, k] : tensor<1318x48x320xf32>) reduce(add [k] : f32)
      outs(%e[k] : tensor<320xf32>) {
  ^row(%a: tensor<320xf32>):
    sinter.yield %a : tensor<320xf32>
  }
  return %0 : tensor<320xf32>
}

// -----

// Where nothing divides them, the last chunk has the combiner's identity behind its end; many parts stay rows.

// CHECK-LABEL: func @overhang
//       CHECK:   %[[P:.+]] = sinter.rowwise (chunk = [[C:[0-9]+]], j = 16) by (i = [[N:[0-9]+]])
//  CHECK-NEXT:     ins(%{{.+}}[chunk * [[N]] + i, j] : tensor<100003x16xf32> else 0.000000e+00)
//       CHECK:     %[[AT:.+]] = arith.addi
//       CHECK:     %[[IN:.+]] = arith.cmpi slt, %[[AT]], %{{.+}} : tensor<[[N]]xindex>
//       CHECK:     arith.constant 0xFF800000 : f32
//       CHECK:     %[[Y:.+]] = arith.select %[[IN]]
//       CHECK:     sinter.row_reduce maximumf %[[Y]]
//       CHECK:   sinter.rowwise (chunk = [[C]]) by (j = 16)
//  CHECK-NEXT:     ins(%[[P]][chunk, j] : tensor<[[C]]x16xf32>)
//  CHECK-NEXT:     reduce(maximumf [j] : f32)
func.func @overhang(%x: tensor<100003x16xf32>, %e: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sinter.rowwise (i = 100003) by (j = 16) ins(%x[i, j] : tensor<100003x16xf32>) reduce(maximumf [j] : f32) outs(%e[j] : tensor<16xf32>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// Little, in one launch, however few columns there are.

// CHECK-LABEL: func @little
//       CHECK:   sinter.rowwise (j = 128) by (i = 64)
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @few_rows
//       CHECK:   sinter.rowwise (j = 512) by (i = 31)
//   CHECK-NOT:   sinter.rowwise
func.func @little(%x: tensor<64x128xf32>, %e: tensor<128xf32>) -> tensor<128xf32> {
  %0 = sinter.rowwise (i = 64) by (j = 128) ins(%x[i, j] : tensor<64x128xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %0 : tensor<128xf32>
}
func.func @few_rows(%x: tensor<31x512xf32>, %e: tensor<512xf32>) -> tensor<512xf32> {
  %0 = sinter.rowwise (i = 31) by (j = 512) ins(%x[i, j] : tensor<31x512xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}

// Little, but what blocks would leave takes longer to combine than a second launch.

// CHECK-LABEL: func @just_few
//       CHECK:   sinter.rowwise (j = 512) by (i = 512)
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @few_columns
//       CHECK:   sinter.rowwise (j = 24) by (i = 4096)
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @many_rows
//       CHECK:   sinter.rowwise (i = 4097) by (j = 24)
//   CHECK-NOT:   sinter.rowwise
func.func @just_few(%x: tensor<512x512xf32>, %e: tensor<512xf32>) -> tensor<512xf32> {
  %0 = sinter.rowwise (i = 512) by (j = 512) ins(%x[i, j] : tensor<512x512xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}
func.func @few_columns(%x: tensor<4096x24xf32>, %e: tensor<24xf32>) -> tensor<24xf32> {
  %0 = sinter.rowwise (i = 4096) by (j = 24) ins(%x[i, j] : tensor<4096x24xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<24xf32>) {
  ^row(%a: tensor<24xf32>):
    sinter.yield %a : tensor<24xf32>
  }
  return %0 : tensor<24xf32>
}
func.func @many_rows(%x: tensor<4097x24xf32>, %e: tensor<24xf32>) -> tensor<24xf32> {
  %0 = sinter.rowwise (i = 4097) by (j = 24) ins(%x[i, j] : tensor<4097x24xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<24xf32>) {
  ^row(%a: tensor<24xf32>):
    sinter.yield %a : tensor<24xf32>
  }
  return %0 : tensor<24xf32>
}
// CHECK-LABEL: func @combined
//       CHECK:   sinter.rowwise (chunk = 33, j = 512) by (i = 16)
//       CHECK:   sinter.rowwise (j = 512) by (chunk = 33)
func.func @combined(%x: tensor<528x512xf32>, %e: tensor<512xf32>) -> tensor<512xf32> {
  %0 = sinter.rowwise (i = 528) by (j = 512) ins(%x[i, j] : tensor<528x512xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}

// Little, but in one launch.

// CHECK-LABEL: func @one_launch
//       CHECK:   sinter.rowwise (j = 8064) by (i = 67)
//   CHECK-NOT:   sinter.rowwise
func.func @one_launch(%x: tensor<67x8064xf32>, %e: tensor<8064xf32>) -> tensor<8064xf32> {
  %0 = sinter.rowwise (i = 67) by (j = 8064) ins(%x[i, j] : tensor<67x8064xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<8064xf32>) {
  ^row(%a: tensor<8064xf32>):
    sinter.yield %a : tensor<8064xf32>
  }
  return %0 : tensor<8064xf32>
}

// Rows that are reduced themselves, rows that are stored: as they were.

// CHECK-LABEL: func @row_needed
//       CHECK:   sinter.rowwise (i = 2048) by (j = 4096)
func.func @row_needed(%x: tensor<2048x4096xf32>, %e: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = sinter.rowwise (i = 2048) by (j = 4096) ins(%x[i, j] : tensor<2048x4096xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %y = arith.mulf %a, %b : tensor<4096xf32>
    sinter.yield %y : tensor<4096xf32>
  }
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: func @row_stored
//       CHECK:   sinter.rowwise (i = 2048) by (j = 4096)
func.func @row_stored(%x: tensor<2048x4096xf32>, %e: tensor<4096xf32>, %d: tensor<2048x4096xf32>) -> (tensor<4096xf32>, tensor<2048x4096xf32>) {
  %0, %1 = sinter.rowwise (i = 2048) by (j = 4096) ins(%x[i, j] : tensor<2048x4096xf32>) reduce(add [j] : f32)
      outs(%e[j] : tensor<4096xf32>, %d[i, j] : tensor<2048x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a, %a : tensor<4096xf32>, tensor<4096xf32>
  }
  return %0, %1 : tensor<4096xf32>, tensor<2048x4096xf32>
}

// -----

// Columns whose number is `?` are turned however many rows there are, and with whatever they are read by.

// CHECK-LABEL: func @open
//       CHECK:   sinter.rowwise (j = ?) by (i = ?)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<?x?xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[j] : tensor<?xf32>)
//       CHECK:     sinter.row_reduce add
func.func @open(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Rows alone that are `?` stay: a kernel has place for columns of a known number.

// CHECK-LABEL: func @open_rows
//       CHECK:   sinter.rowwise (i = ?) by (j = 512)
func.func @open_rows(%x: tensor<?x512xf32>, %e: tensor<512xf32>) -> tensor<512xf32> {
  %0 = sinter.rowwise (i = ?) by (j = 512) ins(%x[i, j] : tensor<?x512xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}

// -----

// Chunks that do not divide the rows are of as many rows as are loaded at once, not of one more.

// CHECK-LABEL: func @odd_chunks
//       CHECK:   sinter.rowwise (chunk = 2158, j = 33) by (i = 16)
func.func @odd_chunks(%x: tensor<34526x33xf32>, %e: tensor<33xf32>) -> tensor<33xf32> {
  %y = sinter.rowwise (i = 34526) by (j = 33) ins(%x[i, j] : tensor<34526x33xf32>) reduce(maximumf [j] : f32)
      outs(%e[j] : tensor<33xf32>) {
  ^row(%a: tensor<33xf32>):
    sinter.yield %a : tensor<33xf32>
  }
  return %y : tensor<33xf32>
}

// -----

// A last dimension of few is as good as many where those in front of it follow without a gap; of parts of lines it is
// not.

// CHECK-LABEL: func @no_gaps
//       CHECK:   sinter.rowwise (j = 28, k = 172, l = 7) by (i = 25)
// CHECK-LABEL: func @gaps
//       CHECK:   sinter.rowwise (i = 25) by (j = 28, k = 172, l = 7)
func.func @no_gaps(%x: tensor<25x28x172x7xf32>, %e: tensor<28x172x7xf32>) -> tensor<28x172x7xf32> {
  %y = sinter.rowwise (i = 25) by (j = 28, k = 172, l = 7) ins(%x[i, j, k, l] : tensor<25x28x172x7xf32>)
      reduce(add [j, k, l] : f32) outs(%e[j, k, l] : tensor<28x172x7xf32>) {
  ^row(%a: tensor<33712xf32>):
    sinter.yield %a : tensor<33712xf32>
  }
  return %y : tensor<28x172x7xf32>
}
func.func @gaps(%x: tensor<25x28x172x9xf32>, %e: tensor<28x172x7xf32>) -> tensor<28x172x7xf32> {
  %y = sinter.rowwise (i = 25) by (j = 28, k = 172, l = 7) ins(%x[i, j, k, l] : tensor<25x28x172x9xf32>)
      reduce(add [j, k, l] : f32) outs(%e[j, k, l] : tensor<28x172x7xf32>) {
  ^row(%a: tensor<33712xf32>):
    sinter.yield %a : tensor<33712xf32>
  }
  return %y : tensor<28x172x7xf32>
}

// -----

// No rows, and nobody knows how many columns: there is nothing to cut.

// CHECK-LABEL: func @no_rows
//       CHECK:   sinter.rowwise (i = 0) by (j = ?)
func.func @no_rows(%x: tensor<0x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (i = 0) by (j = ?) ins(%x[i, j] : tensor<0x?xf32>) reduce(maximumf [j] : f32) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
