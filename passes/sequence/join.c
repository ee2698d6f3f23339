// join.c: kernels that follow each other become one launch.
//
//   %y = sinter.rowwise ... ins(%x[i, j] ...)
//   %v = tensor.collapse_shape %y ...
//   %z = sinter.contract ... ins(%v[i] ...)
// ->
//   %z = sinter.sequence phases [0, 1] -> tensor<...> {
//     %y = sinter.rowwise ... ins(%x[i, j] ...)
//     %v = tensor.collapse_shape %y ...
//     %z = sinter.contract ... ins(%v[i] ...)
//     sinter.yield %z
//   }
//
// launches = "one": a block's forms that stand behind each other, with nothing between that needs the host, are one
// sequence each. Forms whose sizes are not known stay apart, and so do those that no block of a sequence can run. A
// loop that holds nothing else is one of them, with all its turns (launch_loops.c); of any other loop each turn is
// joined.
// launches = "separate": sequences are taken apart again.
//
// Forms are given no schedule here: what they had for a GPU was for a launch of their own, and is dropped. On a CPU
// they keep it: tasks are the same, in one parallel region.
//
// launches = "worth": as "one", where that is worth it (region_worth.c, launch_worth.c).
// On a CPU small tables of arguments share one kernel then, and where nothing is said, wherever they stand
// (share_tables.c).
//
// decides: which kernels share a launch.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/sequence/sequence.mlir, addresses.test, cpu.mlir

#include "capi/pass.h"
#include "dialect/sequence.h"
#include "dialect/steps.h"
#include "passes/sequence/launch_loops.h"
#include "passes/sequence/region_worth.h"
#include "passes/sequence/share_tables.h"
#include "target/chips.h"

// Addresses that a kernel is given: it has 4 KiB of parameters; from CUDA 12.1 on, without which there is no sm_90a,
// 32,764 bytes. (CUDA programming guide, "Function Parameters".)
enum { MOST_ADDRESSES = 500, MOST_OF_NEW_CHIPS = 4000, NEW_CHIP = 90 };
// Kernels of a loop in one region: what there is to do is noted before any begins, some hundred bytes for each.
enum { MOST_OF_REGION = 1 << 15 };

// ---- what can be joined -----------------------------------------------------------------------

// Nothing happens there but a value, which may as well be made earlier.
static bool is_free(MlirOperation op) {
  return sn_is(op, "arith.constant") || sn_is(op, "tensor.empty") || sn_is(op, "tensor.dim");
}

// Forms that follow each other, and the reshapes of what they give.
typedef struct {
  SnOpVec ops;
  SnTable members; // by operation
  size_t forms;
  SnTable addresses; // by value: what forms read, and what they make
} Run;

// The operation, or the loop that it stands in.
static bool has(const Run *r, MlirOperation op) {
  for (int depth = 0; depth < 2 && !sn_null(op); ++depth, op = mlirOperationGetParentOperation(op))
    if (sn_table_has(&r->members, op.ptr))
      return true;
  return false;
}

typedef struct {
  Run *r;
  bool needs;
} Asking;

static MlirWalkResult ask(MlirOperation op, void *user) {
  Asking *a = user;
  for (intptr_t k = 0; k < sn_num_operands(op) && !a->needs; ++k) {
    MlirOperation made = sn_definer(sn_operand(op, k));
    a->needs = !sn_null(made) && sn_table_has(&a->r->members, made.ptr);
  }
  return a->needs ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool needs(Run *r, MlirOperation op) {
  Asking a = {r, false};
  mlirOperationWalk(op, ask, &a, MlirWalkPreOrder);
  return a.needs;
}

static MlirWalkResult note_addresses(MlirOperation op, void *addresses) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (mlirTypeIsAShaped(sn_type_of(sn_operand(op, k))))
      sn_table_put(addresses, sn_operand(op, k).ptr, 1);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_table_put(addresses, sn_result(op, k).ptr, 1);
  return MlirWalkResultAdvance;
}

static void add(Run *r, MlirOperation op) {
  sn_push(&r->ops, op);
  sn_table_put(&r->members, op.ptr, 1);
  if (!sn_is_view(op))
    r->forms += sn_is(op, "scf.for") ? sn_loop_kernels(op) : 1;
  mlirOperationWalk(op, note_addresses, &r->addresses, MlirWalkPreOrder);
}

static size_t addresses_of(MlirOperation op) {
  SnTable all = {0};
  mlirOperationWalk(op, note_addresses, &all, MlirWalkPreOrder);
  size_t n = all.size;
  sn_table_free(&all);
  return n;
}

static void forget(Run *r) {
  r->ops.size = r->forms = 0;
  sn_table_clear(&r->members);
  sn_table_clear(&r->addresses);
}

// ---- joining ------------------------------------------------------------------------------------

// Some use of the value is by an operation of the run (`inside`), or by another.
static bool is_used(const Run *r, MlirValue v, bool inside) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); use.ptr; use = mlirOpOperandGetNextUse(use))
    if (has(r, mlirOpOperandGetOwner(use)) == inside)
      return true;
  return false;
}

static void replace_outside(const Run *r, MlirValue v, MlirValue by) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v), next; use.ptr; use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!has(r, user))
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), by);
  }
}

// Reshapes that others use are theirs: made behind the run, where others are. The last comes first: what it reshapes
// may be a reshape, which its copy uses.
static void give_views(Run *r) {
  for (size_t i = r->ops.size; i-- > 0;) {
    MlirOperation op = r->ops.data[i];
    if (!sn_is_view(op) || !is_used(r, sn_result(op, 0), false))
      continue;
    SnBuilder behind = sn_after(r->ops.data[r->ops.size - 1]);
    SnMap none = {0};
    MlirOperation copy = sn_clone(&behind, op, &none);
    sn_map_free(&none);
    replace_outside(r, sn_result(op, 0), sn_result(copy, 0));
  }
  for (size_t i = r->ops.size; i-- > 0;)
    if (sn_is_view(r->ops.data[i]) && sn_unused(r->ops.data[i])) {
      mlirOperationDestroy(r->ops.data[i]);
      r->ops.data[i] = (MlirOperation){0};
    }
}

static MlirWalkResult forget_schedule(MlirOperation op, void *user) {
  (void)user;
  if (sn_is_form(op) || sn_is_steps(op))
    mlirOperationRemoveAttributeByName(op, SN_STR("schedule"));
  return MlirWalkResultAdvance;
}

static void join(Run *r, bool on_cpu) {
  give_views(r);
  SnOpVec ops = {0};
  SnValueVec given = {0};
  SN_VEC(MlirType) types = {0};
  MlirOperation last = {0};
  for (size_t i = 0; i < r->ops.size; ++i) {
    MlirOperation op = r->ops.data[i];
    if (sn_null(op))
      continue;
    last = op;
    sn_push(&ops, op);
    if (sn_is_view(op))
      continue;
    if (!on_cpu)
      mlirOperationWalk(op, forget_schedule, NULL, MlirWalkPreOrder);
    for (intptr_t k = 0; k < sn_num_results(op); ++k)
      if (is_used(r, sn_result(op, k), false)) {
        sn_push(&given, sn_result(op, k));
        sn_push(&types, sn_type_of(sn_result(op, k)));
      }
  }
  SnSequence s = sn_sequence_of(&ops);
  sn_sequence_least_phases(&s, s.phase.data);
  SnBuilder b = sn_after(last);
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, body);
  MlirAttribute phases = mlirDenseI64ArrayGet(b.ctx, (intptr_t)s.forms.size, s.phase.data);
  MlirOperation sequence = sn_op(&b, "sinter.sequence", sn_types((intptr_t)types.size, types.data),
                                 sn_attr("phases", phases), region);
  for (size_t k = 0; k < given.size; ++k)
    replace_outside(r, given.data[k], sn_result(sequence, (intptr_t)k));
  for (size_t i = 0; i < r->ops.size; ++i)
    if (!sn_null(r->ops.data[i])) {
      mlirOperationRemoveFromParent(r->ops.data[i]);
      mlirBlockAppendOwnedOperation(body, r->ops.data[i]);
    }
  SnBuilder end = sn_at_end(body, b.loc);
  sn_op(&end, "sinter.yield", sn_values((intptr_t)given.size, given.data), sn_types(0, NULL));
  sn_sequence_free(&s);
  sn_vec_free(&ops);
  sn_vec_free(&given);
  sn_vec_free(&types);
}

// How kernels of a block are joined.
typedef struct {
  size_t most;        // addresses of one launch
  int64_t processors; // of the GPU
  bool on_cpu, always, tables_only;
} How;

static void end_run(Run *r, const How *how) {
  bool joins =
      r->forms > 1 &&
      (how->always || (how->on_cpu ? sn_sequence_is_worth(&r->ops) : sn_launch_is_worth(&r->ops, how->processors)));
  if (joins)
    join(r, how->on_cpu);
  forget(r);
}

static bool shares(MlirOperation form, const void *user) {
  const How *how = user;
  return sn_is_joinable_form(form) && (how->always || how->on_cpu || !sn_launch_alone(form, how->processors));
}

static void join_block(MlirBlock block, const How *how) {
  Run r = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    bool works = shares(op, how) || sn_loop_is_joinable(op, how->on_cpu ? MOST_OF_REGION : INT64_MAX, shares, how),
         joins = works || (sn_is_view(op) && needs(&r, op) && sn_is_static(op));
    if (joins && r.addresses.size + addresses_of(op) > how->most)
      end_run(&r, how);
    if (works || (joins && r.forms))
      add(&r, op);
    else if (r.forms && !(is_free(op) && !needs(&r, op)))
      end_run(&r, how);
  }
  end_run(&r, how);
  sn_vec_free(&r.ops);
  sn_table_free(&r.members);
  sn_table_free(&r.addresses);
}

static void join_tables(MlirBlock block) {
  SnTableGroups groups = sn_gather_tables(block);
  for (size_t i = 0; i < groups.size; ++i) {
    Run r = {0};
    for (size_t k = 0; k < groups.data[i].size; ++k)
      add(&r, groups.data[i].data[k]);
    if (r.forms > 1)
      join(&r, true);
    sn_vec_free(&r.ops);
    sn_table_free(&r.members);
    sn_table_free(&r.addresses);
    sn_vec_free(&groups.data[i]);
  }
  sn_vec_free(&groups);
}

// ---- taking apart ----------------------------------------------------------------------------------

static void take_apart(MlirOperation op) {
  SnBuilder b = sn_before(op);
  SnMap none = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_operand(yield, k));
  for (MlirOperation o = mlirBlockGetFirstOperation(body), next; !mlirOperationEqual(o, yield); o = next) {
    next = mlirOperationGetNextInBlock(o);
    sn_move(&b, o, &none);
  }
  mlirOperationDestroy(op);
}

// ---- the pass ---------------------------------------------------------------------------------------

typedef struct {
  const char *launches, *wrt, *target, *chip;
  bool remarks, reasons;
} Options;
static const char *const launches[] = {"given", "separate", "one", "worth", NULL};
static const char *const targets[] = {"cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "launches",
     "given: sequences are those of the program, and of a CPU's small tables of arguments; separate: every kernel has "
     "a launch; one: as few launches as can be; worth: the same, where that is worth it",
     "one", launches, offsetof(Options, launches)},
    {SN_OPTION_STRING, "wrt",
     "with given: not empty: what they are made of will be differentiated, so they are taken apart", "", NULL,
     offsetof(Options, wrt)},
    {SN_OPTION_STRING, "target", "where they run", "gpu", targets, offsetof(Options, target)},
    {SN_OPTION_STRING, "chip", "the GPU's architecture: how many addresses its kernels can be given",
     SN_GPU_CHIP_DEFAULT, NULL, offsetof(Options, chip)},
    {SN_OPTION_BOOL, "remarks", "say which loops are not joined, and why", "false", NULL, offsetof(Options, remarks)},
    {SN_OPTION_BOOL, "reasons", "these loops keep why, for sinter-explain", "false", NULL, offsetof(Options, reasons)},
    {0},
};

static MlirWalkResult find_forms(MlirOperation op, void *found) {
  if (sn_is_sequence(op))
    return MlirWalkResultSkip;
  if (sn_is_form(op) || sn_is_steps(op)) {
    sn_push((SnOpVec *)found, op);
    return MlirWalkResultSkip;
  }
  return MlirWalkResultAdvance;
}

typedef struct {
  SN_VEC(MlirBlock) all;
  SnTable seen;
} Blocks;

static void add_block(Blocks *blocks, MlirBlock block) {
  if (sn_table_has(&blocks->seen, block.ptr))
    return;
  sn_table_put(&blocks->seen, block.ptr, 1);
  sn_push(&blocks->all, block);
}

// Blocks that hold forms, and of a loop's first the one that holds the loop: joined whole, it has no blocks to join.
static void join_blocks(MlirOperation func, const How *how) {
  SnOpVec forms = {0}, loops = sn_collect(func, "scf.for");
  Blocks blocks = {0};
  for (size_t i = 0; i < loops.size && !how->tables_only; ++i)
    if (!sn_in_sequence(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(loops.data[i], 0)))))
      sn_loop_prepare(loops.data[i]);
  mlirOperationWalk(func, find_forms, &forms, MlirWalkPreOrder);
  for (size_t i = 0; i < forms.size; ++i) {
    MlirBlock block = mlirOperationGetBlock(forms.data[i]);
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (sn_is(parent, "scf.for"))
      add_block(&blocks, mlirOperationGetBlock(parent));
    add_block(&blocks, block);
  }
  for (size_t i = 0; i < blocks.all.size; ++i) {
    MlirBlock block = blocks.all.data[i];
    if (sn_is_sequence(mlirOperationGetParentOperation(mlirBlockGetParentOperation(block))))
      continue;
    if (!how->tables_only)
      join_block(block, how);
    if (how->on_cpu && !how->always)
      join_tables(block);
  }
  sn_vec_free(&forms);
  sn_vec_free(&loops);
  sn_vec_free(&blocks.all);
  sn_table_free(&blocks.seen);
}

static MlirLogicalResult run_function(MlirOperation func, void *user) {
  const Options *o = user;
  How how = {.most = sn_gpu_chip(o->chip)->number < NEW_CHIP ? MOST_ADDRESSES : MOST_OF_NEW_CHIPS,
             .processors = sn_gpu_chip(o->chip)->multiprocessors,
             .on_cpu = !strcmp(o->target, "cpu"),
             .always = !strcmp(o->launches, "one")};
  how.tables_only = how.on_cpu && !strcmp(o->launches, "given") && !*o->wrt;
  if (how.on_cpu)
    how.most = SIZE_MAX;
  if (how.always || how.tables_only || !strcmp(o->launches, "worth")) {
    join_blocks(func, &how);
  } else if (!strcmp(o->launches, "separate") || *o->wrt) {
    SnOpVec all = sn_collect(func, "sinter.sequence");
    for (size_t i = 0; i < all.size; ++i)
      take_apart(all.data[i]);
    sn_vec_free(&all);
  }
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  if (!sn_gpu_chip(o->chip))
    return sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
  sn_show_refusals(o->remarks);
  sn_keep_refusals(o->reasons);
  MlirLogicalResult result = sn_each_function(op, run_function, (void *)o);
  sn_show_refusals(false);
  sn_keep_refusals(false);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_sequence = {
    .argument = "sinter-sequence",
    .summary = "kernels that follow each other -> one launch, or one parallel region",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
