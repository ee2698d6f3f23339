"""Sequences that are right, and the same broken: sinter-opt has to take the first and refuse the second.

  sequence_fuzz.py SINTER_OPT COUNT

A sequence is drawn: forms that copy one buffer to another, and the least phase that each may have, or for how many
first forms it waits, at least. It is broken by a wait that is dropped, a count that is off by one, two forms that
change places, or a buffer that is used again too early. Or forms are repeated by each block, which may be right or not.
What is right is decided here, from which buffer each form reads and which it writes; the verifier is not asked. Of
tensors, memory is what sinter.steps store to in place. In a loop memory goes round, and a form of a turn is looked at
by itself.
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


def legal_repeated(forms, phases, repeated):
    """Forms that each block computes: their phases are, one comes behind, and until all blocks meet again nobody writes
    what they touch."""
    if not legal(forms, phases, False):
        return False
    all_of = lambda p: all(r for r, q in zip(repeated, phases) if q == p)
    for k in (k for k, r in enumerate(repeated) if r):
        last = phases[k] + 1
        if not all_of(phases[k]) or last > phases[-1]:
            return False
        while last in phases and all_of(last):
            last += 1
        if any(phases[i] <= last and forms[i][1] in forms[k] for i in range(k + 1, len(forms))):
            return False
    return True


def text(number, buffers, forms, phases, waits, repeated=()):
    arguments = ", ".join(f"%b{i}: memref<4x8xf32>" for i in range(buffers))
    said = {k: "schedule(#sinter.gpu_rows<repeated = 1>) " for k, r in enumerate(repeated) if r}
    body = "".join(f"""    sinter.rowwise (i = 4) by (j = 8) ins(%b{x}[i, j] : memref<4x8xf32>)
        outs(%b{y}[i, j] : memref<4x8xf32>) {said.get(k, '')}{{
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }}
""" for k, (x, y) in enumerate(forms))
    numbers = f"{'waits' if waits else 'phases'} [{', '.join(map(str, phases))}]"
    return (f"func.func @f{number}({arguments}) {{\n  sinter.sequence {numbers} {{\n{body}"
            "    sinter.yield\n  }\n  return\n}\n")


class Loop:
    """Forms in front, forms of a loop, forms behind; each from one memory to another. In the loop numbers from
    `buffers` on are what it carries: `begin` says which buffer each is in turn 0, `goes` what it is in the next."""

    def __init__(self, r):
        self.buffers, self.turns, n = r.randint(4, 7), r.randint(1, 5), r.randint(1, 3)
        self.begin = r.sample(range(self.buffers), n)
        self.goes = r.sample(range(n), n)
        of_loop = range(self.buffers + n)
        draw = lambda which, least, most: [tuple(r.sample(which, 2)) for _ in range(r.randint(least, most))]
        self.parts = [draw(range(self.buffers), 0, 3), draw(of_loop, 1, 4), draw(range(self.buffers), 0, 3)]

    def forms(self):
        return [f for part in self.parts for f in part]

    def in_loop(self, k):
        return len(self.parts[0]) <= k < len(self.parts[0]) + len(self.parts[1])

    def place(self, k):  # 0: in front of the loop, 1: in it, 2: behind it
        return 1 if self.in_loop(k) else 0 if k < len(self.parts[0]) else 2

    def touched(self, k, turn):
        """What form k reads and writes in the turn: buffers."""
        carried = list(self.begin)
        for _ in range(turn):
            carried = [carried[i] for i in self.goes]
        return tuple(x if x < self.buffers else carried[x - self.buffers] for x in self.forms()[k])

    def turns_of(self, k):
        return range(self.turns if self.in_loop(k) else 1)

    def together(self, i, k):
        """Form k has to wait for form i, in front of it: of the same turn, or any of them."""
        if self.in_loop(i) and self.in_loop(k):
            return any(conflicts(self.touched(i, t), self.touched(k, t)) for t in self.turns_of(k))
        return any(conflicts(self.touched(i, t), self.touched(k, u))
                   for t in self.turns_of(i) for u in self.turns_of(k))

    def behind_turn(self, i, k):
        return any(conflicts(self.touched(i, t - 1), self.touched(k, t)) for t in range(1, self.turns))

    def legal(self, numbers, waits):
        n = len(numbers)
        if not waits:
            if numbers[0] != 0 or any(q - p not in (0, 1) for p, q in zip(numbers, numbers[1:])):
                return False
            if any(self.place(k) != self.place(k - 1) and numbers[k] == numbers[k - 1] for k in range(1, n)):
                return False
            return all(numbers[i] < numbers[k] for k in range(n) for i in range(k) if self.together(i, k))
        length = len(self.parts[1])
        for k in range(n):
            if not 0 <= numbers[k] <= k or any(i >= numbers[k] for i in range(k) if self.together(i, k)):
                return False
            for i in range(n) if self.in_loop(k) else ():
                # In the numbers of form k's turn form i of the turn before is i - length.
                if self.in_loop(i) and i - length >= numbers[k] and (i == k or self.behind_turn(i, k)):
                    return False
        return True

    def least(self, waits):
        numbers = []
        for k in range(len(self.forms())):
            before = [i for i in range(k) if self.together(i, k)]
            if waits:
                length = len(self.parts[1])
                turn = [i - length + 1 for i in range(len(self.forms()))
                        if self.in_loop(k) and self.in_loop(i) and (i == k or self.behind_turn(i, k))]
                numbers.append(max([i + 1 for i in before] + turn + [0]))
            else:
                begins = k and self.place(k) != self.place(k - 1)
                numbers.append(max([numbers[i] + 1 for i in before] + [n + bool(begins) for n in numbers[-1:]] + [0]))
        return numbers

    def break_it(self, r, numbers, waits):
        numbers, k, how = list(numbers), r.randrange(len(numbers)), r.randrange(5)
        if how == 0 and waits:
            numbers[k] = r.randrange(max(1, numbers[k]))
        elif how == 0:
            numbers[k:] = [max(0, p - 1) for p in numbers[k:]]
        elif how == 1:
            numbers[k] += r.choice((-1, 1))
        elif how == 2:  # memory goes round another way
            self.goes = r.sample(self.goes, len(self.goes))
        elif how == 3:
            self.begin = r.sample(range(self.buffers), len(self.begin))
        else:
            part = r.choice([p for p in self.parts if p])
            i = r.randrange(len(part))
            most = self.buffers + (len(self.begin) if part is self.parts[1] else 0)
            part[i] = tuple(r.sample(range(most), 2))
        return numbers

    def text(self, number, numbers, waits):
        memory = "memref<4x8xf32>"
        name = lambda x: f"%b{x}" if x < self.buffers else f"%v{x - self.buffers}"
        form = lambda x, y: f"""    sinter.rowwise (i = 4) by (j = 8) ins({name(x)}[i, j] : {memory})
        outs({name(y)}[i, j] : {memory}) {{
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }}
"""
        front, loop, behind = ("".join(form(*f) for f in part) for part in self.parts)
        types = ", ".join(memory for _ in self.begin)
        carried = ", ".join(f"%v{i} = %b{x}" for i, x in enumerate(self.begin))
        goes = ", ".join(f"%v{i}" for i in self.goes)
        arguments = ", ".join(f"%b{i}: {memory}" for i in range(self.buffers))
        return f"""func.func @f{number}({arguments}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {self.turns} : index
  sinter.sequence {'waits' if waits else 'phases'} [{', '.join(map(str, numbers))}] {{
{front}    %r:{len(self.begin)} = scf.for %t = %c0 to %n step %c1 iter_args({carried}) -> ({types}) {{
{loop}      scf.yield {goes} : {types}
    }}
{behind}    sinter.yield
  }}
  return
}}
"""


def main():
    opt, count = sys.argv[1], int(sys.argv[2])
    r, programs = random.Random(18), []
    while sum(not right for _, right in programs) < count:
        waits = r.random() < 0.5
        if r.random() < 0.5:
            loop = Loop(r)
            numbers = loop.least(waits)
            programs.append((loop.text(len(programs), numbers, waits), True))
            numbers = loop.break_it(r, numbers, waits)
            programs.append((loop.text(len(programs), numbers, waits), loop.legal(numbers, waits)))
            continue
        if r.random() < 0.3:  # what is broken of values is when they are made: their order is that of the program
            buffers, forms, phases = draw_values(r, waits)
            programs.append((text_of_values(len(programs), buffers, forms, phases, waits), True))
            again, k = list(phases), r.randrange(len(forms))
            again[k:] = [max(0, p - 1) for p in phases[k:]] if r.random() < 0.5 else [phases[k] - 1, *phases[k + 1:]]
            programs.append((text_of_values(len(programs), buffers, forms, again, waits), legal(forms, again, waits)))
            continue
        buffers, forms, phases = draw(r, waits)
        programs.append((text(len(programs), buffers, forms, phases, waits), True))
        if not waits:
            repeated = [r.random() < 0.3 for _ in forms]
            programs.append((text(len(programs), buffers, forms, phases, waits, repeated),
                             legal_repeated(forms, phases, repeated)))
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
