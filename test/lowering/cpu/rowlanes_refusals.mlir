// RUN: sinter-opt --sinter-lower-cpu --split-input-file --verify-diagnostics %s

// A vector needs as many rows.

func.func private @more_lanes_than_rows(%x: memref<37x3xf32>, %y: memref<3xf32>) attributes {sinter.kernel} {
  // expected-error @below {{4 lanes along row dimension 'i' of size 3: from 2 lanes to its size}}
  sinter.rowwise (i = 3) by (j = 37) ins(%x[j, i] : memref<37x3xf32>) outs(%y[i] : memref<3xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 3, lanes = 4>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @unknown_count(%x: memref<37x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  // expected-error @below {{lanes along rows need a last row dimension of known size}}
  sinter.rowwise (i = ?) by (j = 37) ins(%x[j, i] : memref<37x?xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 3, lanes = 4>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Each row would be combined across lanes.

func.func private @keeps_columns(%x: memref<5x8xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @below {{accumulator 0 keeps columns, which lanes along rows do not}}
  sinter.rowwise (i = 8) by (j = 5) ins(%x[j, i] : memref<5x8xf32>) reduce(add [j] : f32) outs(%y[j] : memref<5xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 3, lanes = 4>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func private @strip_multiple(%x: memref<70x40xf32>, %y: memref<40xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{strip = 20: a multiple of lanes = 8, of rows that are reduced by named combiners before all else}}
  sinter.rowwise (j = 40) by (k = 70) ins(%x[k, j] : memref<70x40xf32>) outs(%y[j] : memref<40xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 40, lanes = 8, strip = 20>) {
  ^row(%a: tensor<70xf32>):
    %s = sinter.row_reduce add %a : tensor<70xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @whole_line(%x: memref<37x4xf32>, %y: memref<4xf32>) attributes {sinter.kernel} {
  // expected-error @below {{line = 1 along rows: some of a row's column dimensions, not all, with 1 to}}
  sinter.rowwise (i = 4) by (j = 37) ins(%x[j, i] : memref<37x4xf32>) outs(%y[i] : memref<4xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 3, lanes = 4, line = 1>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @places(%x: memref<7x3x8x5xf32>, %y: memref<7x3x8xf32>) attributes {sinter.kernel} {
  // expected-error @below {{places = 4: the row dimension in front of the last has as many, of a known size, there is no strip, and where rows are reduced they divide it}}
  sinter.rowwise (i = 7, j = 3, k = 8) by (u = 5) ins(%x[i, j, k, u] : memref<7x3x8x5xf32>)
      outs(%y[i, j, k] : memref<7x3x8xf32>) schedule(#sinter.rows<along = "rows", chunk = 8, lanes = 4, places = 4>) {
  ^row(%a: tensor<5xf32>):
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return
}
