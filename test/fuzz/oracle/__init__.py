"""What a program in linalg means, in NumPy: no code of ours between its text and the numbers. And what forms mean.

    parse.py      MLIR's generic form, as stock mlir-opt prints it -> operations
    scalars.py    arith and math on arrays, each number with a bound of its error
    evaluate.py   linalg.generic and tensor operations -> expected results
    rows.py       sinter.rowwise and sinter.contract, as sinter-opt prints them in generic form -> expected results
"""

from .evaluate import Reported, Unsure, evaluate
from .parse import parse
