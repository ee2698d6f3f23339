import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

import sinter_torch

compiler, base = sys.argv[1], pathlib.Path(sys.argv[2])
PROGRAM = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %c = arith.constant dense<{factor}.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.mul ins(%x, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}}
"""
folder = base.with_suffix(".folder")
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir()
program, library = folder / "m.mlir", folder / "m.so"


def compile(factor):
    program.write_text(PROGRAM.format(factor=factor))
    subprocess.run([compiler, program, "-o", library], check=True)


def factor(lib):
    return int(lib.main(torch.ones(3))[0])


def mapped():
    return sum("m.so" in line for line in open("/proc/self/maps"))


left_before = set(os.listdir(tempfile.gettempdir()))
old = []
for n in range(2, 6):
    compile(n)
    old.append(sinter_torch.load(library))
    assert factor(old[-1]) == n, (factor(old[-1]), n)
    assert [factor(lib) for lib in old] == list(range(2, n + 1))

# A file that is what it was is not opened again, under any of its names.
before = mapped()
os.symlink(library, folder / "same.so")
for name in (library, folder / "same.so", str(library)):
    assert factor(sinter_torch.load(name)) == 5
assert mapped() == before
assert not [name for name in set(os.listdir(tempfile.gettempdir())) - left_before if name.startswith("sinter_torch-")]

# By hand, too: another file of the same name, then the first one back.
compile(7)
library.rename(folder / "seven.so")
compile(8)
assert factor(sinter_torch.load(library)) == 8
(folder / "seven.so").rename(library)
assert factor(sinter_torch.load(library)) == 7
