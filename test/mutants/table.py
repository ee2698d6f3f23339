"""The mutants: (file, what stands there once, what it becomes, the tests of which one must fail, what it breaks)."""

from collections import namedtuple

Mutant = namedtuple("Mutant", "file old new tests why")

BARRIER = "  sn_gpu_sync(b, k);\n"
EMULATE = ["gpu/emulate.test"]

MUTANTS = [Mutant(*m) for m in (
    ("lowering/cpu/pack.c", 'low = sn(b, "arith.ceildivsi", low, by);', 'low = sn(b, "arith.divsi", low, by);', ["run/windows_strided.mlir"],
     "the first element of a strided window that begins in the padding"),
    ("lowering/cpu/pack.c", 'high = sn(b, "arith.ceildivsi", high, by);', 'high = sn(b, "arith.divsi", high, by);', ["run/windows_strided.mlir"],
     "the last element of a strided window before the padding"),
    # Barriers of the GPU
    ("lowering/gpu/meet/block.c", BARRIER + '  MlirValue at = sn(b, "arith.remui"', '  MlirValue at = sn(b, "arith.remui"', EMULATE, "warps read parts that others have not written"),
    ("lowering/gpu/meet/block.c", "  if (barrier && !k->single_tile)\n", "  if (false && barrier && !k->single_tile)\n", EMULATE, "the next row's parts overwrite those that are still read"),
    ("lowering/gpu/meet/cluster.c", BARRIER + "  MlirValue *parts", "  MlirValue *parts", EMULATE, "a tile's warps read parts that others have not written"),
    ("lowering/gpu/rows/accumulate.c", BARRIER + "  SnLoop j = sn_for(b, k->thread, g->length", "  SnLoop j = sn_for(b, k->thread, g->length", EMULATE,
     "teams' column sums are read before they are written"),
    ("lowering/gpu/meet/grid.c", BARRIER + '  return sn_if(b, compare(b, 1, sn(b, "memref.load"', '  return sn_if(b, compare(b, 1, sn(b, "memref.load"', EMULATE, "a block asks whether it is the last before its leader knows"),
    ("lowering/gpu/rows/grid_rows.c", "  sn_gpu_fence_mbarriers(b);\n" + BARRIER, "  sn_gpu_fence_mbarriers(b);\n", EMULATE,
     "mbarriers are used before they are initialised"),
    ("lowering/gpu/rows/aligned.c", "if (f->dims.data[d].size > 1 && factors[d] % lanes)\n      return false;\n  bool together",
     "if (false)\n      return false;\n  bool together", EMULATE, "vectors of rows that begin at no multiple of them count as aligned"),
    # One in each folder
    ("dialect/verify_form.c", "if (n && !in_order) // F9", "if (false && !in_order) // F9", ["dialect/invalid.mlir"], "an accumulator of some columns passes the verifier"),
    ("capi/form.c", "if (!sn_map_uses(map, d))\n      return false;\n  return true;", "if (!sn_map_uses(map, d))\n      return true;\n  return true;", ["passes/raise/reductions.mlir"],
     "every result counts as one for each row"),
    ("passes/simplify/unit_dims.c", "(left == &rows || !makes_scalar(f, d, drop))", "(true || left == &rows || !makes_scalar(f, d, drop))", ["passes/simplify/unit_dims.mlir"], "a row loses its last column"),
    ("passes/merge/merge.c", "to->accumulators.size > 0 || sn_num_reduced(to) > 0", "to->accumulators.size > 0", ["passes/fuse/fuse.mlir"], "a finish of constants is lost"),
    ("lowering/rows/rowmemory.c", "return expected > 1 && expected % width == 0;", "return expected > 1;", ["run/rowwise_parts.mlir"],
     "a vector goes beyond the columns that are neighbours"),
    ("lowering/rows/rowemit.c", "if (d == p->form->num_rows - 1)", "if (d == p->form->num_rows + 1)", ["run/row_index.mlir"], "rows side by side in a vector take themselves for one row"),
    ("lowering/cpu/pack.c", "if (s != at)\n      inside", "if (s == at)\n      inside", ["run/windows_strided.mlir"], "rows of the padding are read"),
    ("tools/sinter-run.c", 'copy, "disabled", "wide"', 'copy, options->policy, "same"', ["tools/sinter-run.test", "tools/sinter-run-options.test"],
     "--verify compares the program with itself"),
    ("tools/tune_file.c", 'return !strncmp(text, e->form, form) && strchr(" \\t:", text[form]);', "return !strncmp(text, e->form, form);", ["tools/sinter-tune-file.test"],
     "an entry whose name begins with another's is taken for it"),
    ("tools/common_link.c", '"--keep-global-symbol=%s_*"', '"--keep-global-symbol=*%s_*"', ["tools/names.test", "tools/package.test", "tools/sinter-cc.test"],
     "an archive shows names of its inside"),
    ("python/sinter_torch/_autograd.py", 'kept if mode == "one" else _scaled(kept, upstream)', "kept", ["python/autograd.test", "python/losses.test"],
     "gradients are not multiplied by what comes from above"),
    ("python/sinter_torch/_abi.py", "if not t.is_contiguous() and not _row_major(t.shape, t.stride()):", "if False:", ["python/load.test", "python/odd.test"],
     "a tensor with other strides is read as if it had none"),
    ("scripts/reference-cases", "return 0 if right == len(cases) else 1", "return 0", ["scripts/reference-cases.test"], "a case that is wrong is no failure"),
    ("scripts/torture", "return int(failed > 0 or tried == 0)", "return int(failed > 0)", ["scripts/torture.test"], "torture is content with nothing tried"),
    ("runtime/npy.c", '{"i2", {kDLInt, 16, 1}}', '{"i2", {kDLUInt, 16, 1}}', ["runtime/npy.test"], "int16 in a file is uint16"),
    ("test/fuzz/run", "sys.exit(0 if count and not failures else 1)", "sys.exit(1 if failures else 0)", ["fuzz/fuzz.test"], "the fuzzer is content with no programs"),
    ("test/fuzz/expected.py", "bad = known & ~same", "bad = known & ~same & (np.arange(same.size).reshape(same.shape) > 0)", ["fuzz/fuzz.test"], "the first element is not compared"),
    ("test/gpu/emulate", "return int(bad or not count)", "return int(bad)", EMULATE, "the emulator is content with no case"),
)]
