"""Who names a row operation: the table, the operation's own functions (those that end in its name, as move_gather), and
rules that are about it by nature. Everybody else asks a line of dialect/row_ops.h."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# Where the operations' own functions are.
LAYERS = re.findall(r"^//   \w*ID\w* +(\S+\.c)", (root / "dialect/row_ops.h").read_text(), re.M)

# What else each of these files names, and why it may.
MAY = {
    "dialect/verify_row_ops.c": "row_reduce",  # a yield ends its region
    "passes/arrange/behind_products.c": "row_reduce row_product",  # what stands in front of a product goes behind it
    "passes/arrange/variances.c": "row_reduce pick",  # differences from element 0
    "passes/arrange/zeros_between.c": "index",  # zeros between elements are where their places do not divide
    "passes/schedule/pack_weights.c": "row_reduce",  # one row by weights is sums of products, where a reason is said
    "passes/differentiate/concatenated.c": "index",  # where a piece of a concatenation ends
    "passes/differentiate/dead_rows.c": "detach",  # what the gradient of a choice ends at
    "passes/differentiate/detach.c": "detach",
    "passes/sequence/in_place.c": "broadcast index",  # where an element stands that is new
    "passes/program/misplaced.c": "detach random",  # which may stand anywhere
    "lowering/facts/cpu_vanish.c": "broadcast detach",  # of what vanishes they do, too
    "lowering/rows/rowgather.c": "index",  # subscripts that are the columns
    "lowering/rows/rowemit.c": "index",  # a comparison with a label
    # the layer that others build and match them by
    "capi/form.c": "row_reduce broadcast index row_product",
    "capi/form_create.c": "broadcast",  # a constant row of a side, as long as its new row
    "capi/sn.c": "broadcast",  # a constant under one is a constant
    "passes/merge/into_sides.c": "broadcast",  # an index under one is the same index
    "passes/merge/outside.c": "broadcast",  # of a 0 it is 0
    "passes/math/philox.c": "random",  # what it is, in arith
    "passes/split/apart.c": "row_reduce",  # of a row of one element it is that
    "passes/split/column_parts.c": "index",  # the column at which a side goes over to another tensor
    "passes/split/again.c": "index",  # what of a reader cannot be cut
    "passes/split/again_parts.c": "index",  # where a part begins
    "passes/split/reduced.c": "broadcast index pick row_reduce",  # what of a row a piece can give, and what joins them
    "passes/split/part_copy.c": "index",  # where a part is
    "passes/split/reduced_pieces.c": "pick",  # from columns of pieces
    # linalg that becomes one
    "passes/differentiate/gathered.c": "gather index",  # a table has its gradient from what is gathered
    "passes/raise/lookups.c": "pick gather broadcast",
    "passes/raise/selections.c": "pick",
    # algebra on them
    "passes/simplify/broadcasts.c": "row_reduce pick",
    "passes/simplify/conditions.c": "row_reduce index",
    "passes/simplify/one_hot.c": "row_reduce index pick",
    "passes/simplify/placed_gathers.c": "broadcast gather index",  # subscripts that dimensions say
    "passes/simplify/row_one_hot.c": "index",
    "passes/simplify/softmax.c": "row_reduce",
}
# Who asks whether an operation is of math: what may stand somewhere. What one costs is said by dialect/row_ops.c.
MAY_MATH = {"capi/shim.cpp", "dialect/row_ops.c", "dialect/verify_row_ops.c", "dialect/verify_steps.c",
            "lowering/host/host_sizes.c", "passes/math/math.c", "passes/program/loops.c", "passes/sequence/all_turns.c",
            "passes/sequence/in_place.c",
            "passes/program/tensor_steps.c"}

lines = re.findall(r'LINE\((\w+), *"([^"]*)"', (root / "dialect/row_ops.h").read_text())
ops = {name.removeprefix("sinter."): id for id, name in lines if name.startswith("sinter.")}
section = re.search(r"\n// Row operations\n(.*?)\n//===-+===//\n// ", (root / "dialect/Sinter.td").read_text(),
                    re.S).group(1)
declared = set(re.findall(r'def Sinter_\w+Op : Sinter_\w*Op<"(\w+)"', section)) - {"yield"}
for op in sorted(declared - ops.keys()):
    print(f"sinter.{op} is declared among the row operations, and has no line in dialect/row_ops.h")
for op in sorted(ops.keys() - declared - {"detach"}):
    print(f"sinter.{op} has a line in dialect/row_ops.h, and is not declared among the row operations")
for op in sorted(ops):
    if f"`sinter.{op}" not in (root / "docs/row-programs.md").read_text():
        print(f"sinter.{op} is not in docs/row-programs.md")

files = 0
for folder in "dialect", "capi", "passes", "lowering", "tools":
    for path in sorted((root / folder).rglob("*.[ch]*")):
        if path.suffix not in (".c", ".h", ".cpp"):
            continue
        files += 1
        name = str(path.relative_to(root))
        code = re.sub(r"//[^\n]*", "", path.read_text())
        own, named = "", set()
        for line in code.splitlines() if name != "dialect/row_ops.h" else ():
            function = re.match(r"[a-zA-Z][^;=]*?(\w+)\(", line)
            if function and name in LAYERS:
                own = function.group(1).removesuffix("_verify")
            named |= {op for op, id in ops.items() if re.search(rf'"sinter\.{op}"|\bSN_OP_{id}\b',
                                                                line) and not own.endswith(f"_{id}")}
        may = set(MAY.get(name, "").split())
        for op in sorted(named - may):
            print(
                f"{name} names sinter.{op}; ask its line in dialect/row_ops.h, or say why in "
                f"{sys.argv[0].split('/')[-1]}"
            )
        for op in sorted(may - named):
            print(f"{name} does not name sinter.{op} any more")
        if name not in MAY_MATH and re.search(r'"math\.?"', code):
            print(f"{name} asks whether an operation is of math; what it costs says sn_row_op_cost")
print(len(ops), "row operations,", files, "files")
