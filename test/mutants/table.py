"""The mutants: (file, what stands there once, what it becomes, the tests of which one must fail, what it breaks)."""

from collections import namedtuple

Mutant = namedtuple("Mutant", "file old new tests why")

MUTANTS = [Mutant(*m) for m in (
    ("lowering/cpu/pack.c", 'low = sn(b, "arith.ceildivsi", low, by);', 'low = sn(b, "arith.divsi", low, by);', ["run/windows_strided.mlir"],
     "the first element of a strided window that begins in the padding"),
)]
