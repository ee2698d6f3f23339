// RUN: sinter-run %s --random=uniform*0 --verify --output=%t.npy --threads=2 | FileCheck %s
// RUN: %python -c "import struct, sys; d = open(sys.argv[1], 'rb').read()[-168:]; print(*map(int, struct.unpack('<42f', d)))" %t.npy | FileCheck %s --check-prefix=NUMBERS

// Each row knows which one it is, where rows lie side by side in the lanes of a vector; the last vector of 7 begins at
// row 3.

// CHECK: output 0 of main agrees
// NUMBERS: 0 1 2 3 4 5 6 100 101 102 103 104 105 106 200 201 202 203 204 205 206 1000 1001 1002 1003 1004 1005 1006 1100 1101 1102 1103 1104 1105 1106 1200 1201 1202 1203 1204 1205 1206

func.func @main(%x: tensor<2x3x37x7xf32>) -> tensor<2x3x7xf32> {
  %e = tensor.empty() : tensor<2x3x7xf32>
  %y = sinter.rowwise (n = 2, i = 3, j = 7) by (k = 37) ins(%x[n, i, k, j] : tensor<2x3x37x7xf32>) outs(%e[n, i, j] : tensor<2x3x7xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 21, lanes = 4>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    %n = sinter.index n : index
    %i = sinter.index i : index
    %j = sinter.index j : index
    %hundred = arith.constant 100 : index
    %thousand = arith.constant 1000 : index
    %ni = arith.muli %n, %thousand : index
    %ii = arith.muli %i, %hundred : index
    %ij = arith.addi %ii, %j : index
    %all = arith.addi %ni, %ij : index
    %w = arith.index_cast %all : index to i32
    %f = arith.sitofp %w : i32 to f32
    %r = arith.addf %s, %f : f32
    sinter.yield %r : f32
  }
  return %y : tensor<2x3x7xf32>
}
