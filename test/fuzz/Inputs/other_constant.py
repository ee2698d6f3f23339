"""The judge's answers where sinter-run is given another program than NumPy: the same, another number, another mask."""

import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from judge import Judge

PROGRAM = """// inputs: whole 3
func.func @main(%x: tensor<5x33xf32>) -> (tensor<33xf32>, tensor<5xi1>) {
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %e = tensor.empty() : tensor<33xf32>
  %m = tensor.empty() : tensor<5xi1>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %a = linalg.fill ins(%false : i1) outs(%m : tensor<5xi1>) -> tensor<5xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<5x33xf32>) outs(%s : tensor<33xf32>) {
  ^bb0(%i: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.constant LAST : index
    %c = arith.cmpi ne, %j, %k : index
    %z = arith.select %c, %i, %o : f32
    %r = arith.addf %i, %o : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x33xf32>) outs(%a : tensor<5xi1>) {
  ^bb0(%i: f32, %o: i1):
    %t = arith.constant MANY : f32
    %c = arith.cmpf ogt, %i, %t : f32
    %r = arith.ori %c, %o : i1
    linalg.yield %r : i1
  } -> tensor<5xi1>
  return %y, %b : tensor<33xf32>, tensor<5xi1>
}
"""


class Deceived(Judge):
    """Hands the tool another program than the one it asks NumPy about."""

    def run(self, file, *arguments):
        with open(file, "w") as f:
            f.write(self.other)
        return super().run(file, *arguments)


def main():
    options = argparse.Namespace(bin=sys.argv[1], threads=["1", "2"], every_road=False, roads="", no_numpy=False,
                                 timeout=60)
    judge, text = Deceived(options), PROGRAM.replace("LAST", "32").replace("MANY", "1.0")
    # One element of 33 is added twice, the last or the first; one threshold is moved.
    once = text.replace(
        "%r = arith.addf %i, %o : f32",
        "%d = arith.addf %i, %i : f32\n    %q = arith.select %c, %i, %d : f32\n    %r = arith.addf %q, %o : f32",
    )
    first = once.replace("constant 32 : index", "constant 0 : index")
    for judge.other in (text, once, first, PROGRAM.replace("LAST", "32").replace("MANY", "30.0")):
        print((judge(text) or "right").partition("|")[0].partition(" by ")[0])


if __name__ == "__main__":
    main()
