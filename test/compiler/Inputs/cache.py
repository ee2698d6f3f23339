"""The cache of compiled programs, by sinter-cc: argv[1] is a folder to work in."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

work = pathlib.Path(sys.argv[1])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
cache = work / "cache"


def source(k):
    return (f"func.func @f{k}(%x: tensor<5xf32>) -> tensor<5xf32> {{\n"
            f"  %k = arith.constant dense<{k}.5> : tensor<5xf32>\n"
            f"  %y = arith.mulf %x, %k : tensor<5xf32>\n  return %y : tensor<5xf32>\n}}\n")  # fmt: skip


def start(k, *options, folder=cache, out=None, text=None):
    program, out = work / f"p{k}.mlir", out or work / f"p{k}.o"
    if text or not program.exists():
        program.write_text(text or source(k))
    return out, subprocess.Popen(["sinter-cc", program, "-o", out, f"--cache={folder}", *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(job):
    out, process = job
    said = process.communicate()
    assert process.returncode == 0, said
    return out.read_bytes(), said[1]


def compile(k, *options, **more):
    return finish(start(k, *options, **more))[0]


def entries(folder=cache):
    return {p.name: p for p in folder.iterdir()}


def new(call):
    """The entries that a call adds."""
    before = set(entries())
    call()
    return [cache / n for n in set(entries()) - before]


# What was compiled is found, under a name that says what it depends on.
plain = compile(1)
[first] = entries().values()
assert len(first.name) == 64 + len(".sinter") and compile(1) == plain and len(entries()) == 1
[second] = new(lambda: compile(2))
good = first.read_bytes()
first.write_bytes(second.read_bytes())
assert b"f2" in compile(1) and b"f1" not in compile(1), "it is not the cache that answers"
first.write_bytes(good)

# Programs that differ in the names of arguments alone are two where gradients are asked for by name.
named = ["func.func @named(%A: tensor<5xf32>, %B: tensor<5xf32>) -> tensor<5xf32> {\n"
         "  %y = arith.divf %A, %B : tensor<5xf32>\n  return %y : tensor<5xf32>\n}\n".replace("%A", a).replace("%B", b)
         for a, b in (("%x", "%w"), ("%w", "%x"))]  # fmt: skip
by_x = [compile(3, "--wrt=x", text=t) for t in named]
assert by_x[0] != by_x[1], "the gradient of another argument"
assert [compile(3, "--wrt=x", text=t) for t in named] == by_x
assert len({compile(3, "--wrt=0", text=t) for t in named}) == 1

# Places in a file and comments are not the program; everything else is.
assert not new(lambda: compile(1, text="// a comment\n\n" + source(1)))
assert new(lambda: compile(1, text=source(1).replace("1.5", "1.75")))
work.joinpath("p1.mlir").write_text(source(1))
for options in (["--policy=aggressive"], ["--cpu=haswell"], ["--cpu=x86-64"], ["--name=other"], ["--entry=f1"]):
    assert len(new(lambda: compile(1, *options))) == 1, options
    assert not new(lambda: compile(1, *options)), options

# A damaged entry is compiled again, and is whole then.
middle = len(good) // 2
flipped = lambda at: good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
for damaged in (b"", good[:10], good[:-1], good[:middle], good + b"x", flipped(0), flipped(9), flipped(17), flipped(33),
                flipped(middle), flipped(len(good) - 1), os.urandom(4096)):
    first.write_bytes(damaged)
    assert compile(1) == plain and first.read_bytes() == good
first.unlink()
first.mkdir()  # not even a file
out, said = finish(start(1))
assert out == plain and "warning: the cache cannot write" in said, said
first.rmdir()

# Processes at once, one program and several, over a folder that is not there yet: nobody sees halves.
for round in range(3):
    folder = work / f"shared{round}"
    jobs = [start(1 + i % 2, folder=folder, out=work / f"out{i}.o") for i in range(8)]
    results = [finish(job) for job in jobs]
    assert all(said == "" for _, said in results), results
    assert len({o for o, _ in results}) == 2 and len(entries(folder)) == 2, entries(folder)

# Of a size that is given the latest stay; a hit is a use. What is not the cache's stays, too.
(cache / "mine.txt").write_text("mine")
left, old = cache / (first.name + ".sinter-1-0"), cache / (first.name + ".sinter-1-1")
left.write_text("half")  # of a writer that is still there, perhaps
old.write_text("half")
os.utime(old, (time.time() - 7200,) * 2)
for p in cache.glob("?" * 64 + ".sinter"):
    p.unlink()
[a] = new(lambda: compile(1))
size = a.stat().st_size + 64
assert not old.exists() and left.exists()
[b] = new(lambda: compile(2))
for i, p in enumerate((a, b)):
    os.utime(p, (time.time() - 100 + i,) * 2)
compile(1)
assert a.stat().st_mtime > b.stat().st_mtime
[c] = new(lambda: compile(3, f"--cache-size={2 * size}"))
assert a.exists() and c.exists() and not b.exists()
[d] = new(lambda: compile(4, "--cache-size=0"))
assert set(entries()) == {d.name, left.name, "mine.txt"}, entries()

# Where nothing can be kept, a program is compiled all the same.
(work / "file").write_text("")
for folder in (work / "file", work / "file" / "below", "/proc/nowhere"):
    out, said = finish(start(1, folder=folder))
    assert out == plain and said.count("warning: the cache") == 1, said
print("all right")
