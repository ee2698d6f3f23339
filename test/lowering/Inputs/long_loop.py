#!/usr/bin/env python3
"""A loop of hundreds of divisions, and of nothing else."""
print("""func.func @main(%v: f32, %m: i64) -> f32 {
  %from = arith.constant 0 : index
  %step = arith.constant 1 : index
  %to = arith.index_cast %m : i64 to index
  %r = scf.for %i = %from to %to step %step iter_args(%v0 = %v) -> f32 {""")
for k in range(600):
    print(f"    %v{k + 1} = arith.divf %v{k}, %v : f32")
print("""    scf.yield %v600 : f32
  }
  return %r : f32
}""")
