"""Each wgmma of a disassembled kernel has the descriptors' high words that were written: nvdisasm's text on stdin.

A descriptor is two uniform registers; what says how lines lie is the second one's, a constant. ptxas 13.0 has dropped
it where it was part of a 64-bit sum. Whoever wrote the register last, in the order of the text, must have moved it
there.
"""
import re
import sys

HIGH = re.compile(r"0x4[0-9a-f]{7}$")  # lines of 128 bytes, exchanged by their last bits

last, wrong, found = {}, [], 0
for line in sys.stdin:
    line = line.split("*/", 1)[-1].strip().rstrip(" ;")
    line = re.sub(r"^@!?U?P\w+ ", "", line)
    made = re.match(r"([A-Z0-9.]+) UR(\d+), (.*)$", line)
    if made:
        last[int(made[2])] = line
        if ".64" in made[1] or "UIMAD.WIDE" in made[1]:
            last[int(made[2]) + 1] = line
    used = re.match(r"[A-Z]GMMA\S* (.*?)gdesc\[UR(\d+)\]", line)
    if used:
        found += 1
        of_registers = re.search(r", R\d+, $", used[1]) is not None
        for high in (1,) if of_registers else (1, 3):
            by = last.get(int(used[2]) + high, "nobody")
            if not (by.startswith("UMOV ") and HIGH.search(by)):
                wrong.append(f"{line}: UR{int(used[2]) + high} is written by {by}")
print(f"{found} products, {len(wrong)} of lost descriptors")
print("\n".join(wrong[:10]))
sys.exit(not found or bool(wrong))
