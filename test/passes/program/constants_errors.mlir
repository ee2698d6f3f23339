// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t
// RUN: %python %source/test/tools/Inputs/constants.py arrays %t
// RUN: not sinter-opt --split-input-file --sinter-constants=from=%t %s 2>&1 | FileCheck %s
// RUN: not sinter-opt --split-input-file --sinter-constants %s 2>&1 | FileCheck %s --check-prefix=NO_FOLDER

// Every constant that is wrong has its own line, in order.

// CHECK: :[[@LINE+3]]:8: error: 'arith.constant' op {{.*}}/absent.npy: No such file or directory
// NO_FOLDER: dense_resource<absent> has no bytes in the program: name the folder of absent.npy by --constants=DIR
func.func @absent() -> tensor<8xf32> {
  %w = arith.constant dense_resource<absent> : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// CHECK: :[[@LINE+3]]:8: error: {{.*}}/w.npy: its dtype is float32, but the constant's elements are int32
// CHECK: :[[@LINE+3]]:8: error: {{.*}} but the constant's elements are bfloat16: write their bits as uint16
func.func @type() -> (tensor<8x64xi32>, tensor<8x64xbf16>) {
  %w = arith.constant dense_resource<w> : tensor<8x64xi32>
  %v = arith.constant dense_resource<w> : tensor<8x64xbf16>
  return %w, %v : tensor<8x64xi32>, tensor<8x64xbf16>
}

// -----

// CHECK: error: {{.*}}/half.npy: its dtype is uint16, but the constant's elements are float16
func.func @half() -> tensor<8x64xf16> {
  %w = arith.constant dense_resource<half> : tensor<8x64xf16>
  return %w : tensor<8x64xf16>
}

// -----

// CHECK: error: {{.*}}/w.npy: its shape is 8x64, but the constant's is 64x8
// CHECK: error: {{.*}}/w.npy: its shape is 8x64, but the constant's is 512
func.func @shape() -> (tensor<64x8xf32>, tensor<512xf32>) {
  %w = arith.constant dense_resource<w> : tensor<64x8xf32>
  %v = arith.constant dense_resource<w> : tensor<512xf32>
  return %w, %v : tensor<64x8xf32>, tensor<512xf32>
}

// -----

// CHECK: error: {{.*}}/cut.npy: holds 2047 bytes of elements, but its shape 8x64 needs 2048
// CHECK: error: {{.*}}/header.npy: ends inside its header
// CHECK: error: {{.*}}/text.npy: is not a .npy file
// CHECK: error: {{.*}}/columns.npy: is in Fortran order; write it with numpy.ascontiguousarray
// CHECK: error: {{.*}}/big.npy: is big-endian ('>f4'); write it with .astype('<f4')
// CHECK: error: {{.*}}/folder.npy: Is a directory
func.func @files() {
  %a = arith.constant dense_resource<cut> : tensor<8x64xf32>
  %b = arith.constant dense_resource<header> : tensor<8x64xf32>
  %c = arith.constant dense_resource<text> : tensor<8x64xf32>
  %d = arith.constant dense_resource<columns> : tensor<8x64xf32>
  %e = arith.constant dense_resource<big> : tensor<8x64xf32>
  %f = arith.constant dense_resource<folder> : tensor<8x64xf32>
  return
}

// -----

// CHECK: error: {{.*}} dense_resource<../w> is looked for in a folder, and its name holds a slash or a zero: rename it
func.func @outside() -> tensor<8x64xf32> {
  %w = arith.constant dense_resource<"../w"> : tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// -----

// CHECK: error: {{.*}} dense_resource<two> has 8 bytes, but 3 elements of float32 are 12
// CHECK: error: {{.*}} dense_resource<bits> has the byte 2 at 1, but an i1 is a byte of 0 or 1
// CHECK: error: {{.*}} a dense_resource has elements of f64, f32, f16, bf16, i64, i32, i16, i8, i1 or index
func.func @bytes() -> (tensor<3xf32>, tensor<2xi1>, tensor<4xi4>) {
  %a = arith.constant dense_resource<two> : tensor<3xf32>
  %b = arith.constant dense_resource<bits> : tensor<2xi1>
  %c = arith.constant dense_resource<fours> : tensor<4xi4>
  return %a, %b, %c : tensor<3xf32>, tensor<2xi1>, tensor<4xi4>
}
{-#
  dialect_resources: {
    builtin: {
      two: "0x040000000000803F0000803F",
      bits: "0x010000000102",
      fours: "0x01000000010203FF"
    }
  }
#-}

// -----

// More elements than 64 bits count.
// CHECK: error: {{.*}} dense_resource<few> has 4 bytes, but 4294967296x4294967296x4294967296 elements of float32 are
func.func @huge() {
  %a = arith.constant dense_resource<few> : tensor<4294967296x4294967296x4294967296xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      few: "0x0400000000000000"
    }
  }
#-}
