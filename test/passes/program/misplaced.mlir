// RUN: sinter-opt %s --sinter-ordinary --split-input-file --verify-diagnostics

// What a program says where nobody reads it is an error, which says where it would be read.

func.func @row_reduce(%x: tensor<8xf32>) -> f32 {
  // expected-error@+1 {{'sinter.row_reduce' op works on a row of a form, and stands in none: it goes into the body of a sinter.rowwise, a sinter.contract or a sinter.define}}
  %s = sinter.row_reduce add %x : tensor<8xf32> -> f32
  return %s : f32
}

// -----

// In a loop, too.

func.func @in_a_loop(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<8xf32>) {
    %s = tensor.extract %v[%i] : tensor<8xf32>
    // expected-error@+1 {{'sinter.broadcast' op works on a row of a form}}
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// expected-error@+1 {{argument 1 says sinter.pak, and there is no such word: an argument may say sinter.name, sinter.pack and sinter.upstream_of, a result sinter.name, sinter.gradient_of and sinter.in_place_of}}
func.func @misspelt(%x: tensor<4x8xf32>, %w: tensor<8x6xf32> {sinter.pak}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{result 0 says sinter.pack, which is of arguments}}
func.func @packed_result(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {sinter.pack}) {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{argument 0 says sinter.gradient_of, which is of results}}
func.func @gradient_argument(%x: tensor<4x8xf32> {sinter.gradient_of = 0}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// Where each word belongs; those of others are theirs.

func.func @right(%x: tensor<4x8xf32> {sinter.name = "x", llvm.noalias}, %w: tensor<8x6xf32> {sinter.pack},
                 %g: tensor<4x8xf32> {sinter.upstream_of = 0})
    -> (tensor<4x8xf32> {sinter.name = "y"}, tensor<4x8xf32> {sinter.gradient_of = 0}) {
  return %x, %g : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A random number is one of its position, in linalg and in loops.

func.func @random(%seed: i64, %e: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %u = sinter.random %seed[%i, %i] : i64, index, index -> f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
