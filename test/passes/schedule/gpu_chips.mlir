// RUN: sinter-opt --sinter-schedule='target=gpu' %s | FileCheck %s --check-prefix=SM90
// RUN: sinter-opt --sinter-schedule='target=gpu chip=sm_80' %s | FileCheck %s --check-prefix=SM80
// RUN: sinter-opt --sinter-schedule='target=gpu chip=sm_120a' %s | FileCheck %s --check-prefix=SM120
// RUN: not sinter-opt --sinter-schedule='target=gpu chip=sm_75' %s 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not sinter-opt --sinter-schedule='target=gpu chip=volta' %s 2>&1 | FileCheck %s --check-prefix=NAME

// A chip without clusters keeps a row in the registers of one block, or reads it again, where another has several
// blocks for it; a grid has as many blocks as the chip runs at once.

// OLD: error: {{.*}}chip=sm_75: expected an architecture of NVIDIA's, sm_80 or newer
// NAME: error: {{.*}}chip=volta: expected an architecture of NVIDIA's, sm_80 or newer

// SM90-LABEL: func @long_rows
//  SM90: #sinter.gpu_rows<blocks = 32768, cluster = 8, occupancy = 4, residency = "registers", threads = 256
// SM80-LABEL: func @long_rows
//       SM80: #sinter.gpu_rows<blocks = 108, occupancy = 1, residency = "reread"
// SM120-LABEL: func @long_rows
//       SM120: cluster = 8
func.func @long_rows(%x: tensor<4096x64000xf32>, %e: tensor<4096x64000xf32>) -> tensor<4096x64000xf32> {
  %0 = sinter.rowwise (i = 4096) by (j = 64000) ins(%x[i, j] : tensor<4096x64000xf32>) outs(%e[i, j] : tensor<4096x64000xf32>) {
  ^row(%a: tensor<64000xf32>):
    %s = sinter.row_reduce add %a : tensor<64000xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<64000xf32>
    %y = arith.divf %a, %b : tensor<64000xf32>
    sinter.yield %y : tensor<64000xf32>
  }
  return %0 : tensor<4096x64000xf32>
}

//  SM90-LABEL: func @flat
//        SM90: blocks = 264,
//  SM80-LABEL: func @flat
//        SM80: blocks = 216,
// SM120-LABEL: func @flat
//       SM120: blocks = 376,
func.func @flat(%x: tensor<32768x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 32768) by (j = 8192) ins(%x[i, j] : tensor<32768x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}
