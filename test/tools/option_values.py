"""option_values.py TOOL... < passes.md: every option of every pass and pipeline, set to what users set it to.

Each choice, numbers at and beyond their ends, no text and text that means nothing; each run of TOOL (stock mlir-opt
with the plugin, or sinter-opt) on a small program ends with 0 and no error, or with 1 and one: a message that is
printed by something that then goes on is how a wrong option is lost. What is no choice has to end with 1.

    option_values.py mlir-opt-22 --load-dialect-plugin=... --load-pass-plugin=... < build/docs/passes.md
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

NUMBERS = ["0", "1", "-1", "7", "4294967296", "9223372036854775808", "many"]
TEXTS = ["''", "x", "0,0", "a/b.c"]
NO_CHOICE = "x"

PROGRAM = """
func.func @main(%x: tensor<4x24xf32>, %w: tensor<24x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x24xf32>, tensor<24x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = tensor.empty() : tensor<4x8xf32>
  %s = linalg.softmax dimension(1) ins(%p : tensor<4x8xf32>) outs(%m : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
gpu.module @kernels {
}
"""


def options(page):
    """(pass, anchor, option, value, whether the value is one that it must refuse) of sinter-doc's page."""
    name = anchor = None
    table = False
    found = []
    for line in page.splitlines():
        if line.startswith("### "):
            head = re.match(r"### `--([\w-]+)`", line)
            name, anchor = head and head[1], "builtin.module"
        elif line.startswith("Runs on `"):
            anchor = line.split("`")[1]
        table = line.startswith("|") and (table or line.startswith("| option |"))
        row = [cell.strip() for cell in line.split("|")]
        if name and table and row[1].startswith("`"):
            words = re.findall(r"`([^`]*)`", row[2])
            values = NUMBERS if row[2] == "a number" else words + ["", "''"] if words else TEXTS
            values = [row[3].strip("`")] + values  # the default is first
            found += [(name, anchor, row[1].strip("`"), value, False) for value in values]
            found += [(name, anchor, row[1].strip("`"), NO_CHOICE, True)] if words else []
    return found


def main():
    cases = options(sys.stdin.read())
    bad = []
    ran = set()  # options of which a value ended with 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.mlir")
        with open(program, "w") as f:
            f.write(PROGRAM)

        def run(case):
            name, anchor, option, value, wrong = case
            gpu = name in ("sinter-gpu", "sinter-gpu-target") and option != "format"  # there may be no ptxas
            text = f"{name}{{{option}={value}{' format=isa' * gpu}}}"
            for level in ([] if anchor == "builtin.module" else [anchor]) + ["builtin.module"]:
                text = f"{level}({text})"
            done = subprocess.run(sys.argv[1:] + [program, f"--pass-pipeline={text}", "-o", os.devnull],
                                  stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder, timeout=120)
            if done.returncode == 0:
                ran.add((name, option))
            says = bool(re.search("error|Invalid|invalid", done.stderr))
            if done.returncode not in (0, 1) or says != (done.returncode == 1) or wrong and not says:
                return f"{text}: status {done.returncode}: {done.stderr[:300]}"
            return None

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bad = [line for line in pool.map(run, cases) if line]
    bad += [f"{name}{{{option}=}}: no value of it ends with 0" for name, option in {c[:3:2] for c in cases} - ran]
    print(*bad, sep="\n")
    print(f"{len({c[0] for c in cases})} passes and pipelines, {len(cases)} values, {len(bad)} wrong")
    return bool(bad)


sys.exit(main())
