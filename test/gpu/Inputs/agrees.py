"""What run_cases.py says of elements that are as they should be, and of those that are not."""
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import run_cases

KINDS = {"f32": (2, 32), "i1": (1, 8), "i64": (0, 64)}


def say(kind, x, want, slack):
    fact = run_cases.Fact(dtype=run_cases.DType(code=KINDS[kind][0], bits=KINDS[kind][1], lanes=1))
    print(f"{kind} %s, %s" % run_cases.agrees(x, want, slack, fact))


want, slack = np.array([np.nan, 1, 2, np.inf]), np.array([0, 0.1, np.inf, 0])
for elements in ([np.nan, 1.05, 9, np.inf], [np.nan, 1.5, 9, np.inf], [np.nan, 1.05, 9, -np.inf]):
    say("f32", np.array(elements, np.float32), want, slack)
for last in (1, 0):
    say("i1", np.array([0, 1, last], np.uint8), np.array([False, True, True]), np.zeros(3))
say("i64", np.array([1 << 60, (1 << 60) + 1]), np.array([1 << 60, 1 << 60]), np.zeros(2))
