"""integers.py FILE.npy LOW HIGH DISTINCT: all int64 elements are in [LOW, HIGH), and so many are different at least."""
import array
import struct
import sys

path, low, high, distinct = sys.argv[1], *map(int, sys.argv[2:])
data = open(path, "rb").read()
start = 10 + struct.unpack("<H", data[8:10])[0]
assert b"'<i8'" in data[:start]
x = array.array("q", data[start:])
assert len(x) > 0 and low <= min(x) and max(x) < high and len(set(x)) >= distinct, list(x)
