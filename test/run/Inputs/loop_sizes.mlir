func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %s = tensor.dim %a, %c0 : tensor<?xf32>
    %m = arith.subi %s, %i : index
    %p = tensor.extract_slice %a[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %b = linalg.exp ins(%p : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
