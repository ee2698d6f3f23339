"""Damages the lists of a form with groups, a matrix and a side's program, in its generic form.

    broken_groups.py SINTER_OPT FILE FOLDER

Each damaged form has to be refused by one located error, and printing it unverified must not crash. One line for each
that is not so, and how many there were.
"""

import os
import re
import subprocess
import sys

MOST, LEAST = 2**63 - 1, -(2**63)
LISTS = {
    "groups": [[1], [1, 2], [-1, 3], [2, 0], [MOST, 1], [MOST, MOST], [], [1, 1, 0], [1, 1, 1], [2], [0, 0]],
    "matrices": [[0], [0, 1, 0], [0, 2], [-1, 1], [MOST, 1], [LEAST, 1], [0, 0], [1, 0], [], [0, 1, 0, 1]],
    "side_sizes": [[1, 1], [1, 1, 1, 1], [0, 1, 1], [0, 1, 2], [-1, 3, 1], [MOST, 1, 1], [1, 1, MOST],
        [MOST, MOST, 3], [], [2, 1, 1], [1, 2, 1]],
    "product_dims": [[2], [0], [-1], [], [1, 1], [MOST]],
    "sizes": [[4, 5, 0, 3], [4, 0, 2, 3], [4, MOST, MOST, 3], [4, -1, 2, 3], [4, LEAST, LEAST, LEAST]],
}
REGIONS = "    }, {\n    }, {\n    }) :"
ROW_PRODUCT = '"sinter.row_product"(%arg5, %arg6) : (tensor<5xf32>, tensor<5x2xf32>)'
TEXTS = [
    (REGIONS, "    }, {\n    }) :"),
    (REGIONS, "    }, {\n    }, {\n    }, {\n    }) :"),
    ("num_cols = 2", "num_cols = 0"),
    ("num_cols = 2", "num_cols = 3"),
    ("num_cols = 2", "num_cols = -2"),
    ("sinter.contract", "sinter.rowwise"),
    ('"sinter.yield"(%1) : (tensor<3xf32>) -> ()', '"sinter.yield"() : () -> ()'),
    ('      "sinter.yield"(%1) : (tensor<3xf32>) -> ()\n', ""),
    (ROW_PRODUCT, '"sinter.row_product"(%arg6, %arg5) : (tensor<5x2xf32>, tensor<5xf32>)'),
    (ROW_PRODUCT, '"sinter.row_product"(%arg5, %arg5) : (tensor<5xf32>, tensor<5xf32>)'),
]


def damaged(text):
    for name, lists in LISTS.items():
        pattern = rf"\b{name} = array<i64[^>]*>"
        for numbers in lists:
            written = f"array<i64{': ' if numbers else ''}{', '.join(map(str, numbers))}>"
            yield f"{name} {numbers}", re.sub(pattern, f"{name} = {written}", text)
        if name != "sizes":
            yield f"no {name}", re.sub(pattern + ", ", "", text)
    for was, becomes in TEXTS:
        assert was in text, was
        yield becomes, text.replace(was, becomes)


def main():
    sinter_opt, source, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run([sinter_opt, "--mlir-print-op-generic", source], capture_output=True, text=True, check=True)
    path, forms, bad = os.path.join(folder, "damaged.mlir"), 0, 0
    for name, text in damaged(done.stdout):
        assert text != done.stdout, name
        with open(path, "w") as file:
            file.write(text)
        read = subprocess.run([sinter_opt, path], capture_output=True, text=True)
        errors = re.findall(re.escape(path) + r":\d+:\d+: error:", read.stderr)
        unverified = ["--mlir-very-unsafe-disable-verifier-on-parsing", "--mlir-print-assume-verified"]
        printed = subprocess.run([sinter_opt, *unverified, path], capture_output=True, text=True)
        forms += 1
        if read.returncode != 1 or len(errors) != 1 or printed.returncode not in (0, 1):
            bad += 1
            print(f"{name}: exit codes {read.returncode}, {printed.returncode}; {len(errors)} errors")
    print(f"{forms} forms, {bad} wrong")


main()
