"""What benchmarks of drawn programs share: compiling them here, running them there beside PyTorch's.

A case is a dictionary:

  name, text       of the program, in MLIR; flags: sinter-cc's own beside the target; verify: on a CPU, by sinter-run
  inputs           [shape, type, kind] of each argument; kinds are those of gpu_rows_cases.py
  theirs           PyTorch's program, a lambda of x, a list of tensors, as text
  variants         flags of the same program compiled otherwise, by name; texts: the programs of some of them
  graphs           whether all run in CUDA graphs, however long they take
  wrt, upstream    gradients of its first result by these arguments, given one by it as the last argument
  compiled         whether torch.compile is asked, too
  verify           False: random inputs mean nothing to it, so that a CPU's are not compared where it is compiled
  uses, others     a benchmark whose peers(torch) the lambdas may call; more of PyTorch's programs, by name

Of each, in one process and in turns: ours, eager, torch.compile, and a copy that moves as many bytes, on a GPU by a
kernel: what PyTorch copies is a node of a graph that an H200 runs at 2.7 TB/s, a kernel at 4.2. What is right is
said by PyTorch in float64: the norm of the difference over the norm; of integers, all are equal.
"""
import importlib.machinery
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TOLERANCE = {"f64": 1e-9, "f32": 1e-5, "f16": 1.5e-3, "bf16": 8e-3}
FILES = ["drawn.py", "gpu_products", "gpu_rows", "gpu_rows_cases.py", "gpu_rows_report.py"]  # that it needs
PEERS = {}  # of a benchmark
SECONDS = 100  # that one program may take to compile, or to run
WARM_SECONDS = 100  # that compiling ahead may take
PAUSE = 0.004  # seconds between calls of several threads: whoever ran before lets its threads spin for some time

# ---- where there is a compiler ---------------------------------------------------------------------------------


def load(name):
    """A benchmark without a suffix, as a module."""
    return importlib.machinery.SourceFileLoader(name, str(HERE / name)).load_module()


def head(c):
    """What a program is, in PyTorch's words, in front of its MLIR."""
    x = "".join(f"//   x[{i}] {t} {list(shape)}\n" for i, (shape, t, _) in enumerate(c["inputs"]))
    wrt = f"//   gradients by {c['wrt']}\n" if c.get("wrt") else ""
    return f"// PyTorch: {c['theirs']}\n{x}{wrt}"


def compile_case(a, c, target, source, library, more=None):
    flags = [f"--wrt={','.join(map(str, c['wrt']))}"] if c.get("wrt") else []
    flags += ["--upstream"] if c.get("upstream") else []
    flags += c.get("flags", []) if more is None else more
    tools = [[a.build / "bin" / "sinter-cc", source, "-o", library, f"--target={target}", "--cpu=x86-64-v2", *flags]]
    if target == "cpu":  # the host is the machine that runs it, and there is a check without PyTorch
        tools[0].remove("--cpu=x86-64-v2")
        shapes = [f"--shape={'x'.join(map(str, s))}" for s in c.get("shapes", [])]
        if c.get("verify", True):
            tools.append([a.build / "bin" / "sinter-run", source, "--verify", *flags, *shapes])
    for tool in tools:
        try:
            r = subprocess.run([*tool, "--policy=aggressive"], capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{tool[0].name} takes more than {SECONDS} s"
        if r.returncode:
            lines = (r.stderr or r.stdout).splitlines()
            said = next((line for line in lines if "error" in line or "differ" in line), "".join(lines[:1]))
            return f"{tool[0].name}: {said[:300] or r.returncode}"
    return None


def emit(a, cases, files, target="gpu"):
    """Compiles into a.emit; files are the scripts that the other machine needs. How many do not compile."""
    folder = a.emit
    folder.mkdir(parents=True, exist_ok=True)
    for i, c in enumerate(cases):
        source = folder / f"{i}.mlir"
        if "text" in c:
            source.write_text(head(c) + c.pop("text"))
            c["error"] = compile_case(a, c, target, source, folder / f"{i}.so")
            texts = c.pop("texts", {})
            for name, flags in c.get("variants", {}).items():
                other, of = source, c
                if name in texts:
                    other, of = folder / f"{i}_{name}.mlir", {**c, "verify": False}  # it is compared where it runs
                    other.write_text(head(c) + texts[name])
                c["error"] = c["error"] or compile_case(a, of, target, other, folder / f"{i}_{name}.so", flags)
        print(f"{c['name']}: {c['error'] or 'compiled'}", flush=True)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    about = {"commit": commit.stdout.strip(), "seed": a.unseen, "target": target, "cases": cases}
    (folder / "cases.json").write_text(json.dumps(about, indent=1))
    for name in files:
        shutil.copy(HERE / name, folder / name)
    shutil.copytree(ROOT / "python" / "sinter_torch", folder / "sinter_torch", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    return sum(c["error"] is not None for c in cases)


# ---- where it runs -------------------------------------------------------------------------------------------


def program_of(torch, c, text):
    import torch.nn.functional as F
    if c.get("uses") and c["uses"] not in PEERS:
        PEERS[c["uses"]] = load(c["uses"]).peers(torch)
    return eval(text, {"torch": torch, "F": F, "math": math, **PEERS.get(c.get("uses"), {})})


def theirs_of(torch, c, compiled=False, text=None):
    """PyTorch's program of a list of tensors: a list of results."""
    f = program_of(torch, c, text or c["theirs"])
    if compiled:
        torch._dynamo.reset()
        f = torch.compile(f, dynamic=False)
    as_list = lambda y: list(y) if isinstance(y, (tuple, list)) else [y]
    if not c.get("wrt"):
        return lambda x: as_list(f(x))

    def gradients(x):
        x, upstream = (x[:-1], x[-1]) if c.get("upstream") else (x, None)
        x = [t.detach().requires_grad_() if i in c["wrt"] else t for i, t in enumerate(x)]
        y = as_list(f(x))[0]
        return [y.detach(), *torch.autograd.grad(y, [x[i] for i in c["wrt"]], upstream)]

    return gradients


def far(got, want):
    """The largest relative error of a result."""
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        if list(g.shape) != list(w.shape):
            raise RuntimeError(f"wrong: a result is {list(g.shape)}, not {list(w.shape)}")
        if not g.is_floating_point():
            off = float((g != w).double().mean()) if g.numel() else 0.0
        else:
            off = float((g.double() - w).norm() / w.norm().clamp_min(1e-300)) if g.numel() else 0.0
        worst = max(worst, off if off == off else math.inf)
    return worst


def on_cpu(torch, calls, seconds, threads):
    """Milliseconds of each, in turns: of one thread its processor time."""
    times, clock = {k: [] for k in calls}, time.thread_time if threads == 1 else time.perf_counter
    for call in calls.values():
        call()
    began = time.perf_counter()
    while len(times["ours"]) < 5 or (time.perf_counter() - began < seconds and len(times["ours"]) < 200):
        for k, call in calls.items():
            if threads > 1:
                time.sleep(PAUSE)
            start = clock()
            call()
            times[k].append((clock() - start) * 1e3)
    return times


def arguments(torch, machine, c):
    generator, sample = torch.Generator(device=machine.device).manual_seed(3), load("gpu_rows").sample
    return [sample(machine, shape, t, kind, generator) for shape, t, kind in c["inputs"]]


def compare(torch, machine, folder, i, c, a):
    """Milliseconds of a call of each; what is wrong is an error."""
    import sinter_torch
    from sinter_torch import _abi
    x = arguments(torch, machine, c)
    library = sinter_torch.load(folder / f"{i}.so")
    row = _abi.Row(library.table.functions[0], library)
    if not machine.cuda:
        library.table.set_threads(a.threads)
    eager = theirs_of(torch, c)
    wide = [t.double() if t.is_floating_point() else t for t in x]
    got, want, plain = row.run(x), eager(wide), eager(x)
    # PyTorch itself may be less exact than a bound says: sums that are nearly 0, say.
    bound = max(TOLERANCE.get(c["type"], 0), 4 * far([p if p.is_floating_point() else w for p, w in zip(plain, want)],
                                                     want))
    error = far(got, want)
    rows = {}
    for name in c.get("variants", {}):
        another = sinter_torch.load(folder / f"{i}_{name}.so")
        if not machine.cuda:
            another.table.set_threads(a.threads)
        rows[name] = _abi.Row(another.table.functions[0], another)
        error = max(error, far(rows[name].run(x), want))
    bytes_ = sum(t.numel() * t.element_size() for t in [*x, *got])
    del wide, want, plain, got
    if not error <= bound:
        raise RuntimeError(f"wrong: relative error {error:.1e}, bound {bound:.1e}")
    words = max(1, bytes_ // 8)
    here, there = (torch.zeros(words, dtype=torch.int32, device=machine.device) for _ in range(2))
    copy = (lambda: torch.bitwise_not(there, out=here)) if machine.cuda else (lambda: here.copy_(there))
    calls = {"ours": lambda: row.run(x), "eager": lambda: eager(x), "copy": copy}
    calls |= {name: lambda other=other: other.run(x) for name, other in rows.items()}
    for name, text in ({} if a.no_others else c.get("others", {})).items():
        other = theirs_of(torch, c, text=text)
        try:
            other(x)
            calls[name] = lambda other=other: other(x)
        except Exception as why:  # it does not have this program
            print(f"{name}: {c['name']}: {str(why).splitlines()[0][:200]}", flush=True)
    if c["compiled"] and not a.no_compile:
        fast = theirs_of(torch, c, compiled=True)
        try:
            fast(x)
            calls["compiled"] = lambda: fast(x)
        except Exception as why:  # it is what we compare with, and no failure of ours
            print(f"torch.compile: {c['name']}: {str(why).splitlines()[0][:200]}", flush=True)
    times = (load("gpu_products").measure(torch, calls, c.get("graphs")) if machine.cuda
             else on_cpu(torch, calls, a.each, a.threads))
    middle = {k: sorted(v)[len(v) // 2] for k, v in times.items()}
    if not machine.cuda:
        middle = {k: min(v) for k, v in times.items()}  # others work there, too
    return middle


def warm(folder, parts):
    """Compiles torch.compile's kernels in so many processes; the process that measures finds them in its cache."""
    began = time.time()
    children = [subprocess.Popen([sys.executable, os.path.abspath(sys.argv[0]), folder, "--run-only",
                                  f"--warm-part={i}/{parts}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for i in range(parts)]  # fmt: skip
    for child in children:
        try:
            child.wait(max(1, began + WARM_SECONDS - time.time()))
        except subprocess.TimeoutExpired:  # the rest is compiled where it is measured
            child.kill()
    print(f"torch.compile, {parts} processes: {time.time() - began:.0f} s", flush=True)


def warm_part(torch, machine, cases, part):
    first, step = map(int, part.split("/"))
    for c in cases[first::step]:
        for text in (None, *c.get("others", {}).values()) if c["compiled"] else ():
            try:
                theirs_of(torch, c, compiled=text is None, text=text)(arguments(torch, machine, c))
            except Exception:
                pass  # it is said where it is measured
            if machine.cuda:
                torch.cuda.empty_cache()


def run(folder, name, figure, a):
    """Runs all that --emit made; figure(c, ms, copy_ms): the title and the cell of a column."""
    import torch
    about = json.loads((folder / "cases.json").read_text())
    machine = load("gpu_rows").Machine(about["target"])
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    if a.warm_part:
        warm_part(torch, machine, about["cases"], a.warm_part)
        return 0
    if a.warm:
        warm(folder, a.warm)
    if not machine.cuda:
        torch.set_num_threads(a.threads)
    where = machine.about()
    lines = [f"{where['gpu']}, driver {where['driver']}, PyTorch {where['torch']}, commit {about['commit']}, "
             f"`--unseen={about['seed']}`", "",
             f"| program | ours, ms | {figure(None, 0, 0)} | eager / ours | compiled / ours |",
             "|---|---|" + "---|" * (1 + figure(None, 0, 0).count("|")) + "---|---|"]
    ratios, began = {}, time.time()
    for i, c in enumerate(about["cases"]):
        if time.time() - began > a.seconds:
            lines.append(f"| {c['name']} | not run: time was over |")
            continue
        try:
            if c["error"]:
                raise RuntimeError(c["error"])
            ms = compare(torch, machine, folder, i, c, a)
        except Exception as e:  # it is named, and the next ones run
            lines.append(f"| {c['name']} | {(str(e).splitlines() or [type(e).__name__])[0][:160]} |")
        else:
            apart = ("ours", "copy", *c.get("variants", {}))
            ratios[c["name"]] = min(v for k, v in ms.items() if k not in apart) / ms["ours"]
            compiled = f"{ms['compiled'] / ms['ours']:.2f}" if "compiled" in ms else ""
            more = [*c.get("variants", {}), *c.get("others", {})]
            others = "".join(f" {k} {ms[k] / ms['ours']:.2f} |" for k in more if k in ms)
            lines.append(f"| {c['name']} | {ms['ours']:.4f} | {figure(c, ms['ours'], ms['copy'])} | "
                         f"{ms['eager'] / ms['ours']:.2f} | {compiled} |{others}")
        print(lines[-1], flush=True)
        if machine.cuda:
            torch.cuda.empty_cache()
        if a.out:  # what there is, if time ends here
            write(a.out, name, lines, ratios, len(about["cases"]))
    print(write(a.out, name, lines, ratios, len(about["cases"])))
    return int(len(ratios) < len(about["cases"]))


def write(out, name, lines, ratios, count):
    mean = math.exp(sum(map(math.log, ratios.values())) / max(1, len(ratios)))
    worst = sorted(ratios.items(), key=lambda r: r[1])[:10]
    below = sum(r < 0.9 for r in ratios.values())
    end = (f"{len(ratios)} of {count} right; geometric mean of the better of both over ours {mean:.2f}; {below} below "
           f"0.9; the ten worst: " + ", ".join(f"{k} {v:.2f}" for k, v in worst))
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}.md").write_text("\n".join([*lines, "", end]) + "\n")
    return end


def add_options(p):
    p.add_argument("--warm", type=int, default=0, metavar="N", help="first compile by torch.compile in N processes")
    p.add_argument("--warm-part", help="of them, this one")
    p.add_argument("--no-compile", action="store_true", help="no torch.compile, which takes longest")
    p.add_argument("--no-others", action="store_true", help="of PyTorch's programs, the first alone")
    p.add_argument("--each", type=float, default=0.12, metavar="S", help="of one measurement (default: 0.12)")
    p.add_argument("--seconds", type=float, default=540, metavar="S",
                   help="of all: what is not done by then is left out (default: 540)")
    p.add_argument("--threads", type=int, default=1, metavar="N", help="of everybody, on a CPU")
