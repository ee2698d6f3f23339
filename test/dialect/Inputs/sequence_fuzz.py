"""Sequences that are right, and the same broken: sinter-opt has to take the first and refuse the second.

  sequence_fuzz.py SINTER_OPT COUNT

A sequence is drawn: forms that copy one buffer to another, and the least phase that each may have, or for how many
first forms it waits, at least. It is broken by a wait that is dropped, a count that is off by one, two forms that
change places, or a buffer that is used again too early. What is right is decided here, from which buffer each form
reads and which it writes; the verifier is not asked.
"""
import random
import re
import subprocess
import sys


def conflicts(a, b):
    return a[1] == b[0] or a[1] == b[1] or a[0] == b[1]


def legal(forms, phases, waits):
    """Phases count up from 0, a form runs behind all that it has to wait for, and none writes what it reads. Waits are
    for forms in front, and for all of those."""
    if waits:
        return all(x != y for x, y in forms) and all(
            0 <= n <= k and all(i < n for i in range(k) if conflicts(forms[i], forms[k])) for k, n in enumerate(phases))
    if phases[0] != 0 or any(q - p not in (0, 1) for p, q in zip(phases, phases[1:])):
        return False
    if any(x == y for x, y in forms):
        return False
    return all(phases[i] < phases[k] for k in range(len(forms)) for i in range(k) if conflicts(forms[i], forms[k]))


def least(forms):
    phases = []
    for k, form in enumerate(forms):
        least = max([phases[i] + 1 for i in range(k) if conflicts(forms[i], form)] + phases[-1:] + [0])
        phases.append(least)
    return phases


def least_waits(forms):
    return [max([i + 1 for i in range(k) if conflicts(forms[i], form)] + [0]) for k, form in enumerate(forms)]


def draw(r, waits):
    buffers = r.randint(3, 8)
    forms = [tuple(r.sample(range(buffers), 2)) for _ in range(r.randint(2, 9))]
    return buffers, forms, (least_waits if waits else least)(forms)


def broken(r, buffers, forms, phases, waits):
    forms, phases, k = list(forms), list(phases), r.randrange(len(forms))
    how = r.randrange(4)
    if how == 0 and waits:  # a wait is dropped
        phases[k] = r.randrange(max(1, phases[k]))
    elif how == 0:
        phases = phases[:k] + [max(0, p - 1) for p in phases[k:]]
    elif how == 1:  # a count is off by one
        phases[k] += r.choice((-1, 1))
    elif how == 2:  # order
        i = r.randrange(len(forms))
        forms[i], forms[k] = forms[k], forms[i]
    else:  # a buffer is used again
        old, new = r.sample(range(buffers), 2)
        forms[k:] = [tuple(new if x == old else x for x in form) for form in forms[k:]]
    return forms, phases


def text(number, buffers, forms, phases, waits):
    arguments = ", ".join(f"%b{i}: memref<4x8xf32>" for i in range(buffers))
    body = "".join(f"""    sinter.rowwise (i = 4) by (j = 8) ins(%b{x}[i, j] : memref<4x8xf32>)
        outs(%b{y}[i, j] : memref<4x8xf32>) {{
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }}
""" for x, y in forms)
    numbers = f"{'waits' if waits else 'phases'} [{', '.join(map(str, phases))}]"
    return (f"func.func @f{number}({arguments}) {{\n  sinter.sequence {numbers} {{\n{body}"
            "    sinter.yield\n  }\n  return\n}\n")


def main():
    opt, count = sys.argv[1], int(sys.argv[2])
    r, programs = random.Random(18), []
    while sum(not right for _, right in programs) < count:
        waits = r.random() < 0.5
        buffers, forms, phases = draw(r, waits)
        programs.append((text(len(programs), buffers, forms, phases, waits), True))
        forms, phases = broken(r, buffers, forms, phases, waits)
        programs.append((text(len(programs), buffers, forms, phases, waits), legal(forms, phases, waits)))
    starts, line = [], 1
    for program, _ in programs:
        starts.append(line)
        line += program.count("\n") + 2
    run = subprocess.run([opt, "--split-input-file", "-o", "/dev/null", "-"], text=True, capture_output=True,
                         input="\n// -----\n".join(program for program, _ in programs))
    refused = set()
    for at in re.findall(r"<stdin>:(\d+):\d+: error:", run.stderr):
        refused.add(max(i for i, start in enumerate(starts) if start <= int(at)))
    wrong = [i for i, (_, right) in enumerate(programs) if right == (i in refused)]
    for i in wrong[:3]:
        print("refused:" if i in refused else "taken:", programs[i][0])
    right = sum(right for _, right in programs)
    print(f"{len(programs) - right} broken, {right} right, {len(wrong)} decided wrongly")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
