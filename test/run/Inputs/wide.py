"""Programs with more of one kind than a kernel's tables once had room for.

    wide.py products|layers|losses N
"""

import sys

T, W = "tensor<8x16xf32>", "tensor<16x16xf32>"
ZERO = f"""  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %f = linalg.fill ins(%c : f32) outs(%e : {T}) -> {T}
"""


def matmul(k, x, w):
    return f"  %y{k} = linalg.matmul ins({x}, {w} : {T}, {W}) outs(%f : {T}) -> {T}\n"


def products(n):
    """N products that share an input."""
    lines = "".join(matmul(k, "%x", f"%w{k}") for k in range(n))
    weights = ", ".join(f"%w{k}: {W}" for k in range(n))
    return f"(%x: {T}, {weights})", [T] * n, ZERO + lines, [f"%y{k}" for k in range(n)]


def layers(n):
    """N layers with one weight."""
    lines = "".join(
        matmul(k, f"%t{k - 1}" if k else "%x", "%w") + f"  %t{k} = math.tanh %y{k} : {T}\n" for k in range(n)
    )
    return f"(%x: {T}, %w: {W})", [T], ZERO + lines, [f"%t{n - 1}"]


def losses(n):
    """N losses of one pair."""
    lines = """  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<f32>) -> tensor<f32>
"""
    for k in range(n):
        lines += f"""  %k{k} = arith.constant {k + 1}.0 : f32
  %d{k} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}}
      ins(%x, %z : {T}, {T}) outs(%f : tensor<f32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.subf %a, %b : f32
    %q = arith.subf %p, %k{k} : f32
    %r = math.absf %q : f32
    %v = arith.addf %r, %o : f32
    linalg.yield %v : f32
  }} -> tensor<f32>
  %y{k} = tensor.extract %d{k}[] : tensor<f32>
"""
    return f"(%x: {T}, %z: {T})", ["f32"] * n, lines, [f"%y{k}" for k in range(n)]


arguments, types, body, results = globals()[sys.argv[1]](int(sys.argv[2]))
types = ", ".join(types)
print(f"func.func @main{arguments} -> ({types}) {{\n{body}  return {', '.join(results)} : {types}\n}}")
