"""Sequences that are right, and the same broken: sinter-opt has to take the first and refuse the second.

  sequence_fuzz.py SINTER_OPT COUNT

A sequence is drawn: forms that copy one buffer to another, and the least phase that each may have, or for how many
first forms it waits, at least. It is broken by a wait that is dropped, a count that is off by one, two forms that
change places, or a buffer that is used again too early. What is right is decided here, from which buffer each form
reads and which it writes; the verifier is not asked. Of tensors, memory is what sinter.steps store to in place.
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


def draw_values(r, waits):
    """On tensors: a form makes a value of another one, or stores to one in place. Memory is what the forms name."""
    buffers = r.randint(2, 4)
    cells, forms = buffers, []
    for _ in range(r.randint(2, 9)):
        if r.random() < 0.5:
            forms.append((r.randrange(cells), cells))
            cells += 1
        else:
            forms.append(tuple(r.sample(range(cells), 2)))
    return buffers, forms, (least_waits if waits else least)(forms)


def text_of_values(number, buffers, forms, phases, waits):
    """The same; each reads the newest value of what it names."""
    arguments = ", ".join(f"%b{i}: tensor<4x8xf32>" for i in range(buffers))
    newest, body = [f"%b{i}" for i in range(buffers)], ""
    for k, (x, y) in enumerate(forms):
        if y == len(newest):
            body += f"""    %v{k} = sinter.rowwise (i = 4) by (j = 8) ins({newest[x]}[i, j] : tensor<4x8xf32>)
        outs(%e[i, j] : tensor<4x8xf32>) {{
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }}
"""
            newest.append("")
        else:
            body += f"""    %v{k} = sinter.steps rows(0) in_place ins({newest[x]} : tensor<4x8xf32>)
        outs({newest[y]} : tensor<4x8xf32>) -> tensor<4x8xf32> {{
    ^row(%i: index, %a: memref<4x8xf32>, %b: memref<4x8xf32>):
      %c0 = arith.constant 0 : index
      %n = memref.load %a[%i, %c0] : memref<4x8xf32>
      memref.store %n, %b[%i, %c0] : memref<4x8xf32>
      sinter.yield
    }}
"""
        newest[y] = f"%v{k}"
    numbers = f"{'waits' if waits else 'phases'} [{', '.join(map(str, phases))}]"
    return (f"func.func @f{number}({arguments}) -> tensor<4x8xf32> {{\n  %e = tensor.empty() : tensor<4x8xf32>\n"
            f"  %y = sinter.sequence {numbers} -> tensor<4x8xf32> {{\n{body}"
            f"    sinter.yield %v{len(forms) - 1} : tensor<4x8xf32>\n  }}\n  return %y : tensor<4x8xf32>\n}}\n")


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
        if r.random() < 0.3:  # what is broken of values is when they are made: their order is that of the program
            buffers, forms, phases = draw_values(r, waits)
            programs.append((text_of_values(len(programs), buffers, forms, phases, waits), True))
            again, k = list(phases), r.randrange(len(forms))
            again[k:] = [max(0, p - 1) for p in phases[k:]] if r.random() < 0.5 else [phases[k] - 1, *phases[k + 1:]]
            programs.append((text_of_values(len(programs), buffers, forms, again, waits), legal(forms, again, waits)))
            continue
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
