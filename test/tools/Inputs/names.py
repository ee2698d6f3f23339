"""Programs whose functions have strange names, for names.test: names.py WHAT FOLDER [PROGRAM].

`some`: programs of one function, FOLDER/N.mlir; prints how many. `all`: one program with all names, FOLDER/all.mlir;
prints the names that its table must have, as sinter-exec prints them; with PROGRAM, each is what @main of that file is,
with a column more than the one before: equal kernels would be one.
"""

import sys

names = [
    # of libm, the C library and LLVM, which the body below calls
    "exp", "log", "pow", "powf", "tanh", "sin", "sinf", "erf", "erff", "fmod", "atan2", "atan2f", "memset", "memcpy",
    "malloc", "free", "abort", "printf", "main", "_start", "environ", "__truncsfbf2",
    # of upstream and of ours
    "memrefCopy", "sinter_library", "sinter_message_0", "sinter_launches", "kernels", "kernels_image", "exp_host",
    "exp_packed",
    "exp_shapes_", "exp_kernel0", "exp_kernel0_task", "__constant_4xf32",
    # of C and C++
    "int", "class", "_Bool", "__x", "INT8_MAX",
    # of nobody
    "", "0", "-x", "@resp", "a b", "a.b$c", 'q"uote', "back\\slash", "??/", "größe", "x" * 3000,
]  # fmt: skip

BODY = """(%x: tensor<?xf32> {sinter.name = "*/ \\\\"}, %k: tensor<4xf32>) -> (tensor<?xf32>, tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %z = math.sin %y : tensor<?xf32>
  %w = math.erf %z : tensor<?xf32>
  %k1 = math.powf %k, %k : tensor<4xf32>
  %k2 = math.atan2 %k1, %k : tensor<4xf32>
  %s0 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%f0 : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %s2 = linalg.reduce {arith.addf} ins(%w : tensor<?xf32>) outs(%s1 : tensor<f32>) dimensions = [0]
  %s = tensor.extract %s2[] : tensor<f32>
  return %w, %k2, %s : tensor<?xf32>, tensor<4xf32>, f32
}
"""


def quoted(name):
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in name.encode()) + '"'


what, folder = sys.argv[1:3]
if len(sys.argv) > 3:
    maps, BODY = open(sys.argv[3]).read().rstrip().removesuffix("}").split("module {\n  func.func @main")
    names += ["__nv_expf", "__assertfail", "vprintf", "sinter_messages", ".entry", "%r1", "x" * 3000 + "y"]
    print(maps, file=open(f"{folder}/all.mlir", "w"))
programs = [f"func.func @{quoted(name)}{BODY.replace('x131x', f'x{131 + i}x')}" for i, name in enumerate(names)]
if what == "all":
    open(f"{folder}/all.mlir", "a").write("".join(programs))
    print("\n".join(sorted(names)))
else:
    some = ["exp", "sin", "memcpy", "memrefCopy", "free", "sinter_library", "main", ""]
    for i, name in enumerate(some):
        open(f"{folder}/{i}.mlir", "w").write(programs[names.index(name)])
    print(len(some))
