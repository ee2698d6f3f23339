"""A chain of so many kernels, each with an argument of its own: many.py COUNT."""
import sys

n, t = int(sys.argv[1]), "tensor<8xf32>"
print(f"func.func @main({', '.join(f'%x{i}: {t}' for i in range(n + 1))}) -> {t} {{\n  %e = tensor.empty() : {t}")
for i in range(n):
    print(f"""  %y{i} = sinter.rowwise (i = 8) by () ins(%{f"y{i - 1}" if i else "x0"}[i] : {t}, %x{i + 1}[i] : {t})
      outs(%e[i] : {t}) {{
  ^row(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    sinter.yield %c : f32
  }}""")
print(f"  return %y{n - 1} : {t}\n}}")
