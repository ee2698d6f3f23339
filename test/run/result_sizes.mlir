// RUN: sinter-run %s --shape=6x7 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=6x3 --verify --quiet | FileCheck %s

// How large results are follows from sizes, by floats and by a reshape's numbers, too: a caller allocates them first.

// CHECK-COUNT-2: of main agrees with the decomposed program
func.func @main(%x: tensor<6x?xf32>) -> (tensor<?xf32>, tensor<2x3x?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %scale = arith.constant 1.7 : f64
  %d = tensor.dim %x, %c1 : tensor<6x?xf32>
  %n = arith.index_cast %d : index to i64
  %f = arith.sitofp %n : i64 to f64
  %g = arith.mulf %f, %scale : f64
  %h = math.floor %g : f64
  %i = arith.fptosi %h : f64 to i64
  %m = arith.index_cast %i : i64 to index
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %k = linalg.index 0 : index
    %l = arith.index_cast %k : index to i32
    %y = arith.sitofp %l : i32 to f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %shape = tensor.from_elements %c2, %c3, %n : tensor<3xi64>
  %s = tensor.reshape %x(%shape) : (tensor<6x?xf32>, tensor<3xi64>) -> tensor<2x3x?xf32>
  return %r, %s : tensor<?xf32>, tensor<2x3x?xf32>
}
