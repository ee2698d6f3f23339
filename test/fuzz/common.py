"""What both fuzzers need: how a crash is called, and where a program that shows one goes."""

import hashlib
import os
import re

ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")
CRASH = re.compile(r"AddressSanitizer: ([\w-]+)|runtime error: (.*)|(PLEASE submit a bug report)|(Assertion .* failed)")
# As the sanitizers print a frame of ours, and as LLVM does.
FRAME = re.compile(
    r"#\d+ 0x[0-9a-f]+ (?:in )?(\w+) "
    r"(?:(?:.*?/(?:capi|target|dialect|passes|pipelines|lowering|tools|runtime)/[\w/]+|[a-z_]+)\.(?:c|cpp|h):\d+"
    r"|\(.*/sinter-\w+\+)"
)


def crash(code, err):
    """What a crash is called, so that equal ones are found equal; None if it was none."""
    m = CRASH.search(err)
    if code >= 0 and not m:
        return None
    what = next((g for g in m.groups() if g), "") if m else f"signal {-code}"
    frames = []
    for f in FRAME.finditer(err):
        if f.group(1) not in frames + ["main", "_start", "run", "tool_run",
                                       "compile"] and not f.group(1).startswith(("mlir", "__")):
            frames.append(f.group(1))
    where = " < ".join(frames[:2])
    return f"crash: {re.sub('0x[0-9a-f]+|[0-9]+', 'N', what)} in {where or 'upstream'}"


def store(folder, name, text, why):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}-{hashlib.sha1(why.encode()).hexdigest()[:6]}.mlir")
    with open(path, "w") as f:
        f.write(f"// {why}\n\n{text}")
    return path


def read_flags():
    """What this processor has, by Linux's names."""
    try:
        with open("/proc/cpuinfo") as f:
            return set(re.search(r"(?m)^flags\s*:(.*)", f.read())[1].split())
    except (OSError, TypeError):
        return set()
