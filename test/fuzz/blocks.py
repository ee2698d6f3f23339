"""Other blocks of the same kernels: schedules of products with small numbers, so that small programs have several
blocks of rows, of columns and of what is summed, a last one that is not full, and several in a stream."""

import random
import re
import zlib

from common import read_flags

# Names of instructions in /proc/cpuinfo, and LLVM's.
FEATURES = {"avx2": "avx2", "fma": "fma", "avx512f": "avx512f", "avx512bw": "avx512bw", "avx512_bf16": "avx512bf16",
            "avx512_vnni": "avx512vnni", "avx_vnni": "avxvnni", "amx_bf16": "amx-bf16", "amx_int8": "amx-int8"}
# Rows and summed elements that a kernel takes multiples of (target/microkernels.c); of others any number.
UNITS = {"inner.amx": (16, 64), "amx": (16, 64), "amx.f16": (16, 32), "amx.f32": (16, 32), "dot512": (1, 2),
         "dot256": (1, 2), "vnni512": (1, 4), "vnni256": (1, 4)}
# "inner.dot512", "inner512", "inner256" and "inner.amx" read weights where they lie, which not all do, "amx.f16" and
# "amx.f32" take one product of a known length: they stay where they were chosen.
KERNELS = ("amx", "dot512", "vnni512", "vnni256", "dot256", "libxsmm", "fma512", "fma256", "any512", "any256", "any128")
SCHEDULE = re.compile(r"#sinter\.brgemm<(.*?)>")


def features():
    flags = read_flags()
    return ",".join(llvm for name, llvm in FEATURES.items() if name in flags)


def keys_of(text):
    return {k: int(v) if v.isdigit() else v for k, v in re.findall(r"(\w+) = \"?([\w.]+)", text)}


def written(keys):
    word = lambda v: str(v) if isinstance(v, int) else f'"{v}"'
    return "#sinter.brgemm<" + ", ".join(f"{k} = {word(v)}" for k, v in keys.items()) + ">"


def redrawn(rng, text):
    keys = keys_of(text)
    rows, summed = UNITS.get(keys["kernel"], (1, 1))
    whole = lambda n, unit: -(-n // unit) * unit
    keys["m"] = whole(rng.choice((1, 2, 3, 4, 5, 8, 16)), rows)
    keys["n"] = 16 if keys["kernel"] == "inner.amx" else rng.choice((1, 2, 3, 4, 5, 8, 16))
    keys["k"] = whole(rng.choice((1, 2, 3, 5, 8, 64)), summed)
    keys["tasks"] = rng.choice((1, 2, 3, 64, 65))
    keys["lanes"] = rng.choice((1, 2, 4, 8, 16))
    keys["unroll"] = rng.choice((1, 2, 3))
    keys["carried"] = rng.choice((1, 2, 16))
    keys["halves"] = rng.choice(("together", "apart"))
    if "stream" in keys:
        keys["stream"] = rng.choice((0, 1, 1, 1, 2, 3)) * keys["n"]
    if "columns" in keys:
        keys["columns"] = rng.choice((1, 2, 3)) * keys["n"]
    return written(keys)


def other_blocks(text, runs):
    """The program with other schedules of products; None if it has none. Asks `runs` for a program whether a processor
    has its kernels for its types."""
    if not SCHEDULE.search(text):
        return None
    rng = random.Random(zlib.crc32(text.encode()))
    for _ in range(3):
        kernel = rng.choice(KERNELS)
        changed = re.sub(r'kernel = "\w+"', f'kernel = "{kernel}"', text)
        changed = re.sub(r', widen = "\w+"', "", changed)  # of kernels that can
        if rng.random() < 0.6 and runs(changed):
            text = changed
            break
    return SCHEDULE.sub(lambda m: redrawn(rng, m[1]), text)


def counted(text):
    """How many forms multiply; of those, how many go through several products as one kernel, stream, and have programs
    in sides."""
    found = dict.fromkeys(("products", "chains", "streams", "sides"), 0)
    for form in re.split(r"(?=sinter\.(?:contract|rowwise) )", text):
        if SCHEDULE.search(form):
            found["products"] += 1
            found["chains"] += "sinter.row_product" in form
            found["streams"] += bool(re.search(r"stream = [1-9]", form))
            found["sides"] += "side(" in form
    return found
