"""Gradients' judge where sinter-run is given another program than NumPy: the same, another factor, another column."""

import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from differences import Judge

PROGRAM = """// inputs: normal 3
func.func @main(%x: tensor<5x7xf32>, %w: tensor<7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<5x7xf32>, tensor<7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%i: f32, %f: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.constant LAST : index
    %c = arith.cmpi ne, %j, %k : index
    %t = math.tanh %i : f32
    %n = arith.constant FACTOR : f32
    %p = arith.mulf %t, %f : f32
    %m = arith.mulf %p, %n : f32
    %r = arith.select %c, %p, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}
"""


def program(last, factor):
    return PROGRAM.replace("LAST", str(last)).replace("FACTOR", factor)


class Deceived(Judge):
    """Hands the tool another program than the one it asks NumPy about."""

    def call(self, tool, file, *arguments):
        with open(file, "w", encoding="utf-8") as f:
            f.write(self.other)
        return super().call(tool, file, *arguments)


def main():
    judge, text = Deceived(argparse.Namespace(bin=sys.argv[1], timeout=60)), program(6, "2.0")
    for judge.other in (text, program(6, "2.1"), program(5, "2.0")):
        print((judge(text) or "right").partition("|")[0].partition(" by ")[0])
    print(f"{judge.compared} compared")


if __name__ == "__main__":
    main()
