// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// What has its neighbours in a row dimension is read by rows into shared memory, whose lines are an odd number of words
// apart, and taken out by columns behind a barrier; the other operand is asked for before that.

// CHECK-LABEL: gpu.func @turned
//  CHECK-SAME:   memref<32x33xf32, #gpu.address_space<workgroup>>
//       CHECK:   scf.for
//       CHECK:     memref.load %{{.+}} : memref<70x40xf32>
//       CHECK:     memref.load %{{.+}} : memref<40x70xf32>
//       CHECK:     memref.store %{{.+}} : memref<32x33xf32
//       CHECK:     gpu.barrier
//       CHECK:     memref.load %{{.+}} : memref<32x33xf32
//       CHECK:     memref.store %{{.+}} : memref<40x70xf32>
//       CHECK:     gpu.barrier
//   CHECK-NOT:     gpu.barrier
//       CHECK:   gpu.return
func.func private @turned(%x: memref<40x70xf32>, %y: memref<70x40xf32>, %z: memref<40x70xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 40) by (j = 70) ins(%x[i, j] : memref<40x70xf32>, %y[j, i] : memref<70x40xf32>)
      outs(%z[i, j] : memref<40x70xf32>)
      schedule(#sinter.gpu_rows<threads = 1024, blocks = 2, shape = "turned", tile_rows = 32, tile_columns = 32>) {
  ^row(%a: tensor<70xf32>, %b: tensor<70xf32>):
    %s = arith.addf %a, %b : tensor<70xf32>
    sinter.yield %s : tensor<70xf32>
  }
  return
}

// -----

// A result that is turned takes the way back, behind a barrier of its own. Elements of two bytes: lines of 17 words.

// CHECK-LABEL: gpu.func @back
//  CHECK-SAME:   memref<32x34xf16, #gpu.address_space<workgroup>>
//       CHECK:   gpu.barrier
//       CHECK:   memref.store %{{.+}} : memref<32x34xf16
//       CHECK:   gpu.barrier
//       CHECK:   memref.load %{{.+}} : memref<32x34xf16
//       CHECK:   memref.store %{{.+}} : memref<32x32xf16>
//   CHECK-NOT:   gpu.barrier
//       CHECK:   gpu.return
func.func private @back(%x: memref<32x32xf16>, %z: memref<32x32xf16>) attributes {sinter.kernel} {
  sinter.rowwise (i = 32) by (j = 32) ins(%x[i, j] : memref<32x32xf16>) outs(%z[j, i] : memref<32x32xf16>)
      schedule(#sinter.gpu_rows<threads = 1024, blocks = 1, shape = "turned", tile_rows = 32, tile_columns = 32>) {
  ^row(%a: tensor<32xf16>):
    sinter.yield %a : tensor<32xf16>
  }
  return
}

// -----

func.func private @straight(%x: memref<32x32xf16>, %z: memref<32x32xf16>) attributes {sinter.kernel} {
  // expected-error @+1 {{is not turned: no operand has neighbours in a row dimension}}
  sinter.rowwise (i = 32) by (j = 32) ins(%x[i, j] : memref<32x32xf16>) outs(%z[i, j] : memref<32x32xf16>)
      schedule(#sinter.gpu_rows<shape = "turned">) {
  ^row(%a: tensor<32xf16>):
    sinter.yield %a : tensor<32xf16>
  }
  return
}

// -----

func.func private @reduced(%x: memref<32x32xf16>, %z: memref<32x32xf16>) attributes {sinter.kernel} {
  // expected-error @+1 {{is not turned: something is reduced over a row, or picked from it, or asserted}}
  sinter.rowwise (i = 32) by (j = 32) ins(%x[j, i] : memref<32x32xf16>) outs(%z[i, j] : memref<32x32xf16>)
      schedule(#sinter.gpu_rows<shape = "turned">) {
  ^row(%a: tensor<32xf16>):
    %s = sinter.row_reduce add %a : tensor<32xf16> -> f16
    %b = sinter.broadcast %s : f16 -> tensor<32xf16>
    sinter.yield %b : tensor<32xf16>
  }
  return
}

// -----

func.func private @too_large(%x: memref<32x32xf32>, %z: memref<32x32xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{a tile of 128 x 128 is 66048 bytes of shared memory, of 49152}}
  sinter.rowwise (i = 32) by (j = 32) ins(%x[j, i] : memref<32x32xf32>) outs(%z[i, j] : memref<32x32xf32>)
      schedule(#sinter.gpu_rows<shape = "turned", tile_rows = 128, tile_columns = 128>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}

// -----

func.func private @no_multiple(%x: memref<33x33xf32>, %z: memref<33x33xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows and tile_columns = 32 are no multiples of the schedule's vector = 2}}
  sinter.rowwise (i = 33) by (j = 33) ins(%x[j, i] : memref<33x33xf32>) outs(%z[i, j] : memref<33x33xf32>)
      schedule(#sinter.gpu_rows<shape = "turned", vector = 2>) {
  ^row(%a: tensor<33xf32>):
    sinter.yield %a : tensor<33xf32>
  }
  return
}

// -----

func.func private @cluster(%x: memref<32x32xf32>, %z: memref<32x32xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{shape = "turned" needs residency = "reread", and no cluster or team: a block has a tile}}
  sinter.rowwise (i = 32) by (j = 32) ins(%x[j, i] : memref<32x32xf32>) outs(%z[i, j] : memref<32x32xf32>)
      schedule(#sinter.gpu_rows<shape = "turned", cluster = 2>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}

// -----

func.func private @too_many(%x: memref<32x32xi8>, %z: memref<32x32xi8>) attributes {sinter.kernel} {
  // expected-error @+1 {{a tile of 64 x 64 is more than 64 elements of each of 32 threads}}
  sinter.rowwise (i = 32) by (j = 32) ins(%x[j, i] : memref<32x32xi8>) outs(%z[i, j] : memref<32x32xi8>)
      schedule(#sinter.gpu_rows<threads = 32, shape = "turned", tile_rows = 64, tile_columns = 64>) {
  ^row(%a: tensor<32xi8>):
    sinter.yield %a : tensor<32xi8>
  }
  return
}
