"""Attention on a CPU, for bench/attention --target=cpu: programs as people write them in PyTorch, and what the
processor could do at best.

The floor of a program is its multiplications at the peak of the instruction that multiplies its type (measured, all
threads at once: FMA in f32, the dot product of bf16 pairs where there is one), or its operands read once, whichever
takes longer. A causal mask halves it, a window cuts it.
"""
import ctypes
import math
import pathlib
import subprocess
import threading

from attention_drawn import text

HERE = pathlib.Path(__file__).resolve().parent
SDPA = "F.scaled_dot_product_attention({q}, {k}, {v}{more})"
I = "torch.arange({t})[:, None]"
J = "torch.arange({k})[None, :]"

# what becomes of scores: the program's own text; what SDPA adds to them, or masks; what FlexAttention does to them, and
# its blocks; how much of all scores counts
CAUSAL = "lambda b, h, i, j: j <= i"
KINDS = {
    "plain": dict(more=""),
    "causal": dict(more=", is_causal=True", part=lambda t: 0.5),
    "window": dict(score="({s}).masked_fill((" + J + " > " + I + ") | (" + J + " + 256 <= " + I + "), -math.inf)",
                   mask="(" + J + " <= " + I + ") & (" + J + " + 256 > " + I + ")",
                   block="lambda b, h, i, j: (j <= i) & (j + 256 > i)", part=lambda t: min(0.5, 256 / t)),
    "slopes": dict(score="(({s}) + {a}[:, None, None] * (" + J + " - " + I + ")).masked_fill(" + J + " > " + I
                   + ", -math.inf)", mask="({a}[:, None, None] * (" + J + " - " + I + ")).masked_fill(" + J + " > " + I
                   + ", -math.inf).to(x[0].dtype)", flex="s = s + {a}[h] * (j - i)", block=CAUSAL,
                   operand=lambda h, t: [h], part=lambda t: 0.5),
    "cap": dict(score="30.0 * torch.tanh(({s}) / 30.0)", flex="s = 30.0 * torch.tanh(s / 30.0)"),
    "bias": dict(more=", {a}", operand=lambda h, t: [1, h, t, t]),
}


def program(name, kind="plain", t="f32", heads=(1, 4), groups=1, queries=1024, keys=None, d=64, wrt=False):
    """A case of bench/drawn.py."""
    how, (b, h), keys = KINDS[kind], heads, keys or queries
    kv = h // groups
    inputs = [[[b, h, queries, d], t, "times 1"]] + [[[b, kv, keys, d], t, "times 1"] for _ in range(2)]
    if "operand" in how:
        inputs.append([how["operand"](h, queries), t, "times 1"])
    words = dict(q="x[0]", k="x[1]", v="x[2]", a="x[3]", t=queries)
    fill = lambda s: s.replace("{t}", str(queries)).replace("{k}", str(keys)).replace("{a}", "x[3]")
    group = ", enable_gqa=True" if groups > 1 else ""
    others = {}
    if "more" in how:
        theirs = SDPA.format(**words, more=fill(how["more"]) + group)
    else:
        s = f"x[0] @ x[1].transpose(-1, -2) * {d ** -0.5}"
        theirs = f"(torch.softmax({fill(how['score']).replace('{s}', s)}, -1).to(x[0].dtype)) @ x[2]"
        if "mask" in how:
            others["sdpa"] = "lambda x: " + SDPA.format(**words, more=f", {fill(how['mask'])}")
        if not wrt:
            lines = [fill(how["flex"])] if "flex" in how else []
            others["flex"] = f"lambda x: flexible(x, x[0], x[1], x[2], None, {lines!r}, {how.get('block')!r})"
    part = how.get("part", lambda t: 1)(queries)
    return dict(name=name, type=t, inputs=inputs + ([inputs[0]] if wrt else []), theirs=f"lambda x: {theirs}",
                wrt=[0, 1, 2] if wrt else [], upstream=wrt, compiled=True, others=others, uses="attention", error=None,
                flags=[] if t == "f32" else ["--half-weights"], verify=False,
                flops=4 * b * h * queries * keys * d * part * (3.5 if wrt else 1))


def cases(backward):
    made = []
    add = lambda name, **how: made.append(program(name, wrt=backward, **how))
    for t in ("f32", "bf16"):
        for n in (1024, 2048, 4096):
            for kind in ("plain", "causal"):
                add(f"{t}_{kind}_{n}", kind=kind, t=t, queries=n, heads=(1, 4 if n < 4096 else 2))
    for t in ("f32", "bf16"):
        for kind in ("window", "slopes", "cap", "bias"):
            add(f"{t}_{kind}_1024", kind=kind, t=t)
        add(f"{t}_cross_1000x77", t=t, queries=1000, keys=77, heads=(2, 8))
        add(f"{t}_odd_197", t=t, queries=197, heads=(4, 12))
    if not backward:
        add("f16_plain_1024", t="f16")
        add("f16_causal_1024", t="f16", kind="causal")
        for t in ("f32", "bf16"):
            add(f"{t}_d32_causal_512", t=t, d=32, queries=512, kind="causal", heads=(2, 8))
            add(f"{t}_d128_causal_2048", t=t, d=128, queries=2048, kind="causal")
            add(f"{t}_groups_causal_1024", t=t, heads=(1, 8), groups=4, kind="causal")
        for t in ("f32", "bf16", "f16"):
            add(f"{t}_decode_16384", t=t, heads=(1, 8), queries=1, keys=16384)
            add(f"{t}_decode_groups_16384", t=t, heads=(1, 32), groups=4, queries=1, keys=16384)
    for c in made:
        try:
            c["text"] = text(type("Draw", (), dict(dynamic=False, **{k: c[k] for k in ("theirs", "inputs", "wrt",
                                                                                       "upstream")})))
        except Exception as why:
            c["error"] = f"not exported: {type(why).__name__}: {(str(why).splitlines() or [''])[0][:200]}"
    return made


# ---- what the processor could do ---------------------------------------------------------------------------------


def build_peaks(folder):
    subprocess.run(["clang-22", "-O2", "-march=native", "-shared", "-fPIC", "-o", folder / "peaks.so",
                    HERE / "peaks.c"], check=True)  # fmt: skip


def at_once(call, threads):
    """The sum of what each of so many threads gives, which all work at once."""
    got = []
    workers = [threading.Thread(target=lambda: got.append(call())) for _ in range(threads)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return sum(got)


def peaks(folder, threads):
    """GFLOP/s of multiplications in f32 and in bf16, and GB/s of reading: the best of several."""
    library = ctypes.CDLL(str(folder / "peaks.so"))
    for name in ("peak_f32", "peak_bf16", "read_speed"):
        getattr(library, name).restype = ctypes.c_double
    best = lambda f: max(at_once(f, threads) for _ in range(5))
    f32, bf16, read = best(library.peak_f32), best(library.peak_bf16), best(library.read_speed)
    return {"f32": f32, "bf16": bf16 or f32, "f16": f32, "read": read}


def figure(folder, threads):
    """What drawn.run shows of a program: how fast, and the floor over ours."""
    p = peaks(folder, threads)
    print(f"peaks of {threads} threads: f32 {p['f32']:.0f} GFLOP/s, bf16 {p['bf16']:.0f}, reading {p['read']:.1f} GB/s",
          flush=True)

    def cell(c, ms, _):
        if not c:
            return (f"GFLOP/s | floor / ours (peaks of {threads} threads: f32 {p['f32']:.0f} GFLOP/s, bf16 "
                    f"{p['bf16']:.0f}, reading {p['read']:.1f} GB/s)")
        moved = sum(math.prod(s) * (4 if t == "f32" else 2) for s, t, _ in c["inputs"])
        floor = max(c["flops"] / p[c["type"]], moved / p["read"]) / 1e6
        return f"{c['flops'] / ms / 1e6:.0f} | {floor / ms:.2f}"

    return cell
