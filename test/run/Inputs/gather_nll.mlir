// Cross entropy: log_softmax, the label's element by tensor.extract, -100 ignored, the mean over the others. No
// asserts.
#r = affine_map<(d0) -> (d0)>
#x = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d0)>
#s = affine_map<(d0) -> ()>
func.func @main(%x: tensor<7x11xf32>, %t: tensor<7xi64>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %ig = arith.constant -100 : i64
  %one = arith.constant 1.0 : f32
  %e1 = tensor.empty() : tensor<7xf32>
  %e2 = tensor.empty() : tensor<7x11xf32>
  %fm = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
  %m = linalg.generic {indexing_maps = [#x, #c], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x11xf32>) outs(%fm : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.maximumf %a, %o : f32
    linalg.yield %q : f32
  } -> tensor<7xf32>
  %d = linalg.generic {indexing_maps = [#x, #c, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<7x11xf32>, tensor<7xf32>) outs(%e2 : tensor<7x11xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.subf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<7x11xf32>
  %l = linalg.generic {indexing_maps = [#x, #c], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<7x11xf32>) outs(%f0 : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    %q = arith.addf %p, %o : f32
    linalg.yield %q : f32
  } -> tensor<7xf32>
  %ls = linalg.generic {indexing_maps = [#x, #c, #x], iterator_types = ["parallel", "parallel"]} ins(%d, %l : tensor<7x11xf32>, tensor<7xf32>) outs(%e2 : tensor<7x11xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = math.log %b : f32
    %q = arith.subf %a, %p : f32
    linalg.yield %q : f32
  } -> tensor<7x11xf32>
  %n = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%t : tensor<7xi64>) outs(%e1 : tensor<7xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %a : i64 to index
    %ign = arith.cmpi eq, %a, %ig : i64
    %v = tensor.extract %ls[%i, %k] : tensor<7x11xf32>
    %neg = arith.negf %v : f32
    %q = arith.select %ign, %z, %neg : f32
    linalg.yield %q : f32
  } -> tensor<7xf32>
  %e0 = tensor.empty() : tensor<f32>
  %g0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#r, #s], iterator_types = ["reduction"]} ins(%n : tensor<7xf32>) outs(%g0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %o : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  %cnt = linalg.generic {indexing_maps = [#r, #s], iterator_types = ["reduction"]} ins(%t : tensor<7xi64>) outs(%g0 : tensor<f32>) {
  ^bb0(%a: i64, %o: f32):
    %ign = arith.cmpi eq, %a, %ig : i64
    %w = arith.select %ign, %z, %one : f32
    %q = arith.addf %w, %o : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  %res = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%sum, %cnt : tensor<f32>, tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %res : tensor<f32>
}
