// RUN: sinter-run %s --verify --entry=sums --tolerance=1e-6
// RUN: sinter-run %s --verify --entry=sums --tolerance=1e-6 --cpu=haswell
// RUN: sinter-run %s --verify --entry=gradients
// RUN: sinter-run %s --verify --entry=gradients --cpu=haswell
// RUN: sinter-run %s --verify --entry=whole_lines
// RUN: sinter-run %s --verify --entry=whole_lines --cpu=haswell
// RUN: sinter-run %s --verify --entry=online --tolerance=1e-6
// RUN: sinter-run %s --verify --entry=online --tolerance=1e-6 --cpu=haswell
// RUN: sinter-run %s --verify --entry=gradients --threads=1 --output=%t1 --output=%t2 --output=%t3
// RUN: sinter-run %s --verify --entry=gradients --threads=3 --output=%t4 --output=%t5 --output=%t6
// RUN: cmp %t1 %t4
// RUN: cmp %t2 %t5
// RUN: cmp %t3 %t6

// Pairs of vectors of a half type, of rows that end in the middle of one: sums of columns by parity, and results in
// whole vectors, in two types and with a label, which says where a column is.

func.func @sums(%x: tensor<5x1011xbf16>, %z: tensor<5x1011xbf16>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = sinter.rowwise (i = 5) by (j = 1011) ins(%x[i, j] : tensor<5x1011xbf16>, %z[i, j] : tensor<5x1011xbf16>) outs(%e[i] : tensor<5xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, unroll = 6>) {
  ^row(%a: tensor<1011xbf16>, %b: tensor<1011xbf16>):
    %f = arith.extf %a : tensor<1011xbf16> to tensor<1011xf32>
    %g = arith.extf %b : tensor<1011xbf16> to tensor<1011xf32>
    %p = arith.mulf %f, %g : tensor<1011xf32>
    %s = sinter.row_reduce add %p : tensor<1011xf32> -> f32
    %m = sinter.row_reduce maximumf %a : tensor<1011xbf16> -> bf16
    %n = arith.extf %m : bf16 to f32
    %q = arith.mulf %s, %n : f32
    sinter.yield %q : f32
  }
  return %r : tensor<5xf32>
}

func.func @gradients(%x: tensor<6x203xbf16>, %z: tensor<6x203xf16>, %t: tensor<6xi64>) -> (tensor<f32>, tensor<6x203xbf16>, tensor<6x203xf16>) {
  %l = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<6x203xbf16>
  %d = tensor.empty() : tensor<6x203xf16>
  %r:3 = sinter.rowwise (i = 6) by (j = 203) ins(%x[i, j] : tensor<6x203xbf16>, %z[i, j] : tensor<6x203xf16>, %t[i] : tensor<6xi64>) reduce(add [] : f32)
      outs(%l[] : tensor<f32>, %e[i, j] : tensor<6x203xbf16>, %d[i, j] : tensor<6x203xf16>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, unroll = 2>) {
  ^row(%a: tensor<203xbf16>, %b: tensor<203xf16>, %label: i64):
    %f = arith.extf %a : tensor<203xbf16> to tensor<203xf32>
    %g = arith.extf %b : tensor<203xf16> to tensor<203xf32>
    %p = arith.subf %f, %g : tensor<203xf32>
    %q = arith.mulf %p, %p : tensor<203xf32>
    %s = sinter.row_reduce add %q : tensor<203xf32> -> f32
    %i = sinter.index j : tensor<203xindex>
    %at = arith.index_cast %label : i64 to index
    %ab = sinter.broadcast %at : index -> tensor<203xindex>
    %hot = arith.cmpi eq, %i, %ab : tensor<203xindex>
    %u = arith.select %hot, %g, %p : tensor<203xi1>, tensor<203xf32>
    %v = arith.truncf %u : tensor<203xf32> to tensor<203xbf16>
    %w = arith.truncf %q : tensor<203xf32> to tensor<203xf16>
    sinter.yield %s, %v, %w : f32, tensor<203xbf16>, tensor<203xf16>
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<6x203xbf16>, tensor<6x203xf16>
}

func.func @whole_lines(%x: tensor<9x256xbf16>, %z: tensor<9x256xf16>) -> (tensor<9x256xbf16>, tensor<9x256xf16>, tensor<9x256xf32>) {
  %e = tensor.empty() : tensor<9x256xbf16>
  %d = tensor.empty() : tensor<9x256xf16>
  %c = tensor.empty() : tensor<9x256xf32>
  %r:3 = sinter.rowwise (i = 9) by (j = 256) ins(%x[i, j] : tensor<9x256xbf16>, %z[i, j] : tensor<9x256xf16>)
      outs(%e[i, j] : tensor<9x256xbf16>, %d[i, j] : tensor<9x256xf16>, %c[i, j] : tensor<9x256xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, stores = "streaming">) {
  ^row(%a: tensor<256xbf16>, %b: tensor<256xf16>):
    %f = arith.extf %a : tensor<256xbf16> to tensor<256xf32>
    %g = arith.extf %b : tensor<256xf16> to tensor<256xf32>
    %p = arith.mulf %f, %g : tensor<256xf32>
    %q = arith.subf %f, %g : tensor<256xf32>
    %v = arith.truncf %p : tensor<256xf32> to tensor<256xbf16>
    %w = arith.truncf %q : tensor<256xf32> to tensor<256xf16>
    sinter.yield %v, %w, %p : tensor<256xbf16>, tensor<256xf16>, tensor<256xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<9x256xbf16>, tensor<9x256xf16>, tensor<9x256xf32>
}

func.func @online(%x: tensor<7x515xbf16>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<7xf32>
  %r = sinter.rowwise (i = 7) by (j = 515) ins(%x[i, j] : tensor<7x515xbf16>) outs(%e[i] : tensor<7xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 8, unroll = 4, maximum = "online">) {
  ^row(%a: tensor<515xbf16>):
    %f = arith.extf %a : tensor<515xbf16> to tensor<515xf32>
    %m = sinter.row_reduce maximumf %f : tensor<515xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<515xf32>
    %d = arith.subf %f, %mb : tensor<515xf32>
    %u = math.exp %d : tensor<515xf32>
    %s = sinter.row_reduce add %u : tensor<515xf32> -> f32
    %l = math.log %s : f32
    %n = arith.addf %l, %m : f32
    sinter.yield %n : f32
  }
  return %r : tensor<7xf32>
}
