func.func @sum(%x: tensor<4x?xf32>) -> tensor<f32> {
  %0 = tensor.empty() : tensor<f32>
  %e = sinter.steps rows(0) ins(%x : tensor<4x?xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x?xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 0.0 : f32
    %n = memref.dim %a, %c1 : memref<4x?xf32>
    %m = memref.alloca(%n) : memref<?xf32>
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      %v = memref.load %a[%i, %j] : memref<4x?xf32>
      memref.store %v, %m[%j] : memref<?xf32>
    }
    %s = scf.parallel (%j) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
      %v = memref.load %m[%j] : memref<?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%p: f32, %q: f32):
        %r = arith.maximumf %p, %q : f32
        scf.reduce.return %r : f32
      }
    }
    sinter.yield %s : f32
  }
  return %e : tensor<f32>
}
