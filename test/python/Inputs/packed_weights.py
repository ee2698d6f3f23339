import torch

import sinter_torch

TEXT = """
func.func @main(%x: tensor<20x100xf32>, %w: tensor<100x70xf32> {sinter.pack, sinter.name = "w"})
    -> tensor<20x70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x70xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x70xf32>) -> tensor<20x70xf32>
  %y = linalg.matmul ins(%x, %w : tensor<20x100xf32>, tensor<100x70xf32>)
      outs(%f : tensor<20x70xf32>) -> tensor<20x70xf32>
  return %y : tensor<20x70xf32>
}
"""

lib = sinter_torch.compile(TEXT, cache=None)
w = torch.randint(-4, 5, (100, 70)).float()
packed = lib.main_pack_w(w)
wrong = 0
for _ in range(2):
    x = torch.randint(-4, 5, (20, 100)).float()
    wrong += not torch.equal(lib.main(x, packed), x @ w)
print(f"packed once, 2 calls, {wrong} wrong")
try:
    lib.main(x, w)
except ValueError as why:
    print(f"ValueError: {why}")
