// sequence_gpu.c: a sinter.sequence becomes one kernel.
//
//   for each form, in order:
//     a block of the launch takes several of the form's, side by side: as many as it has threads for
//     for (block = mine; block < the form's blocks; block += those at once)
//       what the form's own kernel would do
//     where the next form is of a later phase:
//       count this block; ask the second cache for a share of what comes next; wait until all are counted
//
// A form is written by what writes its kernel: it is told another number of its block and of its threads, and has
// barriers, shared memory and a piece of the workspace of its own. Shared memory is that of one form after the other.
// All blocks run at once (a cooperative launch), or nobody could wait.
//
// The counter is one for the whole launch and only grows: phase p begins when it is blocks * p. The last block that
// counts itself at the end leaves 0. A loop of the sequence is a loop of the kernel, and each turn of a phase is one
// more that is counted.
//
// Forms whose blocks are clusters, whose warps have roles or which make barriers in shared memory are none of a
// sequence's: what they are made of is there once for a launch.
//
// test: test/lowering/gpu/sequence.mlir, test/gpu/sequences.test

#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_sequence.h"
#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/meet/words.h"
#include "lowering/rows/rowprogram.h"
#include "lowering/rows/sequence_turns.h"
#include <stdio.h>

enum {
  COUNTER_BYTES = 128, // of the workspace, in front of those of forms
  SCRATCH_ALIGNED = 128,
  ASKED_BYTES = 16384, // of the second cache, at once
};

// A form of the sequence.
typedef struct {
  MlirOperation op;
  SnGpuLaunch launch;
  int64_t beside;          // of its blocks, in one of the launch
  int64_t scratch;         // where its piece of the workspace begins
  SN_VEC(size_t) operands; // which of the kernel's; of what a loop makes, of which it is a part
  SN_VEC(bool) may_hold;   // of each operand: no turn makes it
  SnValueVec held;         // what threads read of these in front of the loop
  SN_VEC(bool) may_early;  // of each operand: it is there before the words of a turn are
  SnValueVec early;        // what threads read of these then
} Member;

enum { NO_OPERAND = -1 }; // what a loop carries: different ones by turns

// What the blocks ask the second cache for in front of a phase.
typedef struct {
  int64_t phase;
  size_t operand;
  int64_t from, bytes;
} Ahead;

typedef struct {
  SnSequence s;
  SnGpuSequencePlan plan;
  SN_VEC(Member) members;
  SN_VEC(SnGpuWords) words; // of each loop; none: its turns meet at barriers
  SnValueVec operands;  // of the kernel, as the host has them
  SN_VEC(bool) written; // of these
  SN_VEC(Ahead) ahead;
  int64_t scratch;
  bool asserts;
  MlirValue clocks; // i64: the address of those of all blocks; null: nobody asks
} Sequence;

// ---- what forms need -------------------------------------------------------------------------

static size_t operand_of(Sequence *q, MlirValue v) {
  for (size_t i = 0; i < q->operands.size; ++i)
    if (sn_same(q->operands.data[i], v))
      return i;
  sn_push(&q->operands, v);
  sn_push(&q->written, false);
  return q->operands.size - 1;
}

static bool is_inside(const Sequence *q, MlirValue v) {
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    SnTurns t = {.loop = &q->s.loops.data[i]};
    if (sn_turns_make(&t, v))
      return true;
  }
  return false;
}

static size_t operand_under(Sequence *q, MlirValue v) {
  while (is_inside(q, v) && !mlirValueIsABlockArgument(v))
    v = sn_operand(sn_definer(v), 0);
  return is_inside(q, v) ? (size_t)NO_OPERAND : operand_of(q, v);
}

static MlirLogicalResult gather(MlirOperation op, const SnGpuBody *body, void *user) {
  Sequence *q = user;
  const SnGpuLaunch *l = body->launch;
  const char *not = sn_gpu_not_in_sequence(l, body->num_maps, body->mbarriers);
  if (not)
    return sn_error(op, "stands in a sequence, and %s", not);
  if (l->threads > q->plan.threads)
    return sn_error(op, "has blocks of %lld threads, in a sequence of blocks of %lld", (long long)l->threads,
                    (long long)q->plan.threads);
  Member m = {.op = op,
              .launch = *l,
              .beside = sn_gpu_beside(&q->plan, l),
              .scratch = (q->scratch + SCRATCH_ALIGNED - 1) / SCRATCH_ALIGNED * SCRATCH_ALIGNED};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&m.operands, operand_under(q, sn_operand(op, k)));
  if (body->hold && l->blocks > q->plan.blocks * m.beside)
    return sn_error(op, "holds what it reads over turns in %lld blocks, in a sequence that runs %lld of them at once",
                    (long long)l->blocks, (long long)(q->plan.blocks * m.beside));
  q->scratch = m.scratch + body->scratch;
  q->asserts |= body->asserts;
  sn_push(&q->members, m);
  return SN_OK;
}

// What loops begin with.
static void gather_loops(Sequence *q) {
  for (size_t i = 0; i < q->s.loops.size; ++i)
    for (intptr_t k = 3; k < sn_num_operands(q->s.loops.data[i].op); ++k)
      operand_of(q, sn_operand(q->s.loops.data[i].op, k));
}

// A value is written, or shares its elements with one that is.
static void find_written(Sequence *q) {
  for (size_t i = 0; i < q->operands.size; ++i)
    for (size_t k = 0; k < q->s.forms.size && !q->written.data[i]; ++k)
      q->written.data[i] = sn_sequence_writes(&q->s, k, q->operands.data[i]);
}

// ---- what turns hand each other --------------------------------------------------------------

static MlirLogicalResult plan_words(Sequence *q) {
  bool any = false;
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    SnGpuWords words = {0};
    if (q->plan.words)
      any |= sn_gpu_plan_words(&q->s, &q->s.loops.data[i], &words);
    for (size_t w = 0; w < words.size; ++w) {
      words.data[w].scratch = (q->scratch + SCRATCH_ALIGNED - 1) / SCRATCH_ALIGNED * SCRATCH_ALIGNED;
      q->scratch = words.data[w].scratch + sn_gpu_words_bytes(&words.data[w]);
    }
    sn_push(&q->words, words);
  }
  return any == q->plan.words ? SN_OK : sn_error(q->s.op, "has a schedule with words = 1, and no loop whose turns can "
                                                          "hand each other words");
}

static const SnGpuWords *words_of(const Sequence *q, const SnSequenceLoop *loop) {
  return &q->words.data[loop - q->s.loops.data];
}

// Turns that meet at no barrier, of all loops in front of a phase.
static int64_t without_barrier(const Sequence *q, int64_t phase) {
  int64_t n = 0;
  for (size_t i = 0; i < q->s.loops.size; ++i) {
    const SnSequenceLoop *loop = &q->s.loops.data[i];
    if (q->words.data[i].size && phase > sn_loop_first_phase(&q->s, loop))
      n += loop->turns - 1;
  }
  return n;
}

// ---- what is asked for ahead ------------------------------------------------------------------

static int64_t bytes_of(MlirValue v) {
  MlirType t = sn_type_of(v);
  return mlirShapedTypeHasStaticShape(t) ? sn_gpu_sequence_bytes(t) : 0;
}

// In the order in which phases need them, as far ahead of the phase at work as the plan allows.
static void plan_ahead(Sequence *q) {
  SN_VEC(Ahead) needed = {0};
  SN_VEC(bool) had = {0};
  for (size_t i = 0; i < q->operands.size; ++i)
    sn_push(&had, q->written.data[i]);
  for (size_t m = 0; m < q->members.size; ++m)
    for (size_t k = 0; k < q->members.data[m].operands.size; ++k) {
      size_t i = q->members.data[m].operands.data[k];
      if (i == (size_t)NO_OPERAND || is_inside(q, sn_operand(q->members.data[m].op, (intptr_t)k)))
        continue; // another one in each turn
      if (!had.data[i] && bytes_of(q->operands.data[i]) >= ASKED_BYTES)
        sn_push(&needed, (Ahead){q->s.phase.data[m], i, 0, bytes_of(q->operands.data[i])});
      had.data[i] = true;
    }
  for (int64_t phase = 1; phase < sn_sequence_phases(&q->s); ++phase) {
    int64_t waiting = 0; // asked for, and not read yet
    for (size_t i = 0; i < needed.size; ++i)
      waiting += needed.data[i].phase >= phase ? needed.data[i].from : 0;
    for (size_t i = 0; i < needed.size; ++i) {
      Ahead *n = &needed.data[i];
      int64_t room = (q->plan.ahead - waiting) / ASKED_BYTES * ASKED_BYTES, left = n->bytes - n->from,
              take = left < room ? left : room;
      if (n->phase < phase || take <= 0)
        continue;
      sn_push(&q->ahead, (Ahead){phase, n->operand, n->from, take});
      n->from += take;
      waiting += take;
    }
  }
  sn_vec_free(&needed);
  sn_vec_free(&had);
}

// A block's share: every so many pieces, one thread asks.
static void ask_ahead(SnBuilder *b, const SnGpuKernel *k, const Ahead *a) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue base = sn(b, "arith.addi", k->addresses[a->operand], sn_int(b, i64, a->from)),
            size = sn_index(b, ASKED_BYTES), end = sn_index(b, a->bytes / 16 * 16);
  SnLoop at = sn_for(b, sn(b, "arith.muli", k->block, size), end, sn_index(b, k->blocks * ASKED_BYTES));
  MlirValue left = sn(b, "arith.minui", sn(b, "arith.subi", end, at.index), size),
            of[] = {sn(b, "arith.addi", base, sn(b, "arith.index_cast", at.index, i64)),
                    sn(b, "arith.index_cast", left, i32)};
  sn_gpu_ptx(b, "cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r", sn_values(2, of), (MlirType){0});
  sn_next(b, &at);
}

// ---- clocks --------------------------------------------------------------------------------------

enum { SYMBOL_BYTES = 300 };
static void clocks_symbol(MlirOperation kernel, char name[SYMBOL_BYTES]) {
  snprintf(name, SYMBOL_BYTES, "%s_clocks", mlirStringAttrGetValue(sn_get_attr(kernel, "sym_name")).data);
}

// clocks[block][phase][began, ended], in nanoseconds of the device's timer, by thread 0. The host finds the memory by
// the kernel's name, and what phases do in SN_KERNEL_CLOCKS.
static void make_clocks(SnBuilder *b, const SnGpuKernel *k, Sequence *q) {
  MlirOperation module = mlirOperationGetParentOperation(k->func);
  SnBuilder at = sn_at_start(mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)), b->loc);
  int64_t n = 2 * k->blocks * sn_sequence_all_phases(&q->s);
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), pointer = sn_type(b->ctx, "!llvm.ptr<1>");
  char name[SYMBOL_BYTES];
  clocks_symbol(k->func, name);
  MlirAttribute zeros =
      mlirDenseElementsAttrInt64SplatGet(mlirRankedTensorTypeGet(1, &n, i64, mlirAttributeGetNull()), 0);
  sn_op(&at, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b->ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(sn_type(b->ctx, "!llvm.array<%lld x i64>", (long long)n))),
        sn_attr("linkage", sn_parse_attr(b->ctx, "#llvm.linkage<external>")), sn_attr("value", zeros),
        sn_attr("addr_space", mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 32), 1)),
        sn_attr("alignment", sn_i64(b->ctx, 8)), mlirRegionCreate());
  MlirValue memory =
      sn(b, "llvm.mlir.addressof", pointer, sn_attr("global_name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
  q->clocks = sn(b, "llvm.ptrtoint", memory, i64);
}

// The phase begins, or the one before it has ended; so many there were (i64).
static void keep_time(SnBuilder *b, SnGpuKernel *k, const Sequence *q, MlirValue phase, bool ended) {
  if (!q->plan.clocks)
    return;
  int64_t known;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  SnIf first = sn_if(b, k->first);
  MlirValue of_block = sn(b, "arith.muli", sn(b, "arith.index_cast", k->block, i64),
                          sn_int(b, i64, 16 * sn_sequence_all_phases(&q->s))),
            base = sn(b, "arith.addi", q->clocks, of_block), of_phase;
  if (sn_known(phase, &known))
    of_phase = sn_int(b, i64, 16 * known - 8 * ended);
  else
    of_phase = sn(b, "arith.addi", sn(b, "arith.muli", phase, sn_int(b, i64, 16)), sn_int(b, i64, -8 * ended));
  MlirValue at = sn(b, "arith.addi", base, of_phase);
  sn_gpu_ptx(b, "{ .reg .u64 t; mov.u64 t, %globaltimer; st.global.u64 [$0], t; }", "l,~{memory}", sn_values(1, &at),
             (MlirType){0});
  sn_end_if(b, &first);
}

// "rowwise (i = 8, j = 64) by (k = 1024)": what a form is, for who reads a trace.
static void add_form(char *text, size_t size, MlirOperation op) {
  size_t at = strlen(text);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  at += (size_t)snprintf(text + at, size - at, "%s%.*s", at ? "; " : "", (int)(name.length - 7), name.data + 7);
  if (!sn_is_form(op) || at >= size)
    return;
  SnForm f = sn_form_read(op);
  for (int64_t d = 0; d < (int64_t)f.dims.size && at < size; ++d) {
    MlirStringRef dim = f.dims.data[d].name;
    at += (size_t)snprintf(text + at, size - at, "%s%.*s = %lld%s",
                           !d                ? " ("
                           : d == f.num_rows ? " by ("
                                             : ", ",
                           (int)dim.length, dim.data, (long long)f.dims.data[d].size,
                           d + 1 == f.num_rows || d + 1 == (int64_t)f.dims.size ? ")" : "");
  }
  sn_form_free(&f);
}

typedef SN_VEC(MlirAttribute) Attributes;

// That which begins with form m, if one does.
static void note_phase(Attributes *phases, const Sequence *q, size_t m) {
  char text[400] = "";
  int64_t phase = q->s.phase.data[m];
  if (m && q->s.phase.data[m - 1] == phase)
    return;
  for (; m < q->members.size && q->s.phase.data[m] == phase; ++m)
    add_form(text, sizeof text, q->members.data[m].op);
  sn_push(phases, sn_string(mlirOperationGetContext(q->s.op), text));
}

// On the program: {kernel = "main_kernel0", symbol = "main_kernel0_clocks", blocks = 132, phases = ["rowwise (i = 64)
// by (j = 8)", ...]}, of each.
static void note_clocks(MlirOperation op, const Sequence *q) {
  MlirContext ctx = mlirOperationGetContext(op);
  MlirOperation func = op, module;
  while (!sn_is(func, "func.func"))
    func = mlirOperationGetParentOperation(func);
  module = mlirOperationGetParentOperation(func);
  Attributes all = {0}, phases = {0};
  MlirAttribute before = sn_get_attr(module, SN_KERNEL_CLOCKS);
  for (intptr_t i = 0; before.ptr && i < mlirArrayAttrGetNumElements(before); ++i)
    sn_push(&all, mlirArrayAttrGetElement(before, i));
  for (size_t m = 0; m < q->members.size; ++m) {
    const SnSequenceLoop *loop = sn_sequence_loop(&q->s, m);
    if (loop && m != loop->first)
      continue; // noted
    if (!loop)
      note_phase(&phases, q, m);
    for (int64_t turn = 0; loop && turn < loop->turns; ++turn)
      for (size_t i = 0; i < loop->forms; ++i)
        note_phase(&phases, q, loop->first + i);
  }
  char symbol[SYMBOL_BYTES];
  clocks_symbol(func, symbol);
  MlirNamedAttribute entries[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("kernel")), sn_get_attr(func, "sym_name")),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("symbol")), sn_string(ctx, symbol)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("blocks")), sn_i64(ctx, q->plan.blocks)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("phases")),
                            mlirArrayAttrGet(ctx, (intptr_t)phases.size, phases.data))};
  sn_push(&all, mlirDictionaryAttrGet(ctx, 4, entries));
  sn_set_attr(module, SN_KERNEL_CLOCKS, mlirArrayAttrGet(ctx, (intptr_t)all.size, all.data));
  sn_vec_free(&phases);
  sn_vec_free(&all);
}

// ---- the kernel --------------------------------------------------------------------------------

// All blocks are done with phases before this one, and see what they stored. So many phases there were (i64), each turn
// of a loop counted, `without` of them without a barrier; `phase` is its number in the schedule, by which blocks ask
// ahead; -1: nothing.
static void begin_phase(SnBuilder *b, SnGpuKernel *k, const Sequence *q, MlirValue before, int64_t without,
                        int64_t phase) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  int64_t known;
  MlirValue began = before;
  sn_gpu_sync(b, k);
  keep_time(b, k, q, before, true);
  SnIf first = sn_if(b, k->first);
  MlirValue counter = sn_gpu_counter(b, k, sn_index(b, 0));
  sn_gpu_count(b, counter);
  for (size_t i = 0; i < q->ahead.size; ++i)
    if (q->ahead.data[i].phase == phase)
      ask_ahead(b, k, &q->ahead.data[i]);
  if (without)
    before = sn(b, "arith.subi", before, sn_int(b, i64, without));
  MlirValue counted = sn_known(before, &known) ? sn_int(b, i64, known * k->blocks)
                                               : sn(b, "arith.muli", before, sn_int(b, i64, k->blocks));
  sn_gpu_await_count(b, k, counter, counted);
  sn_end_if(b, &first);
  sn_gpu_sync(b, k);
  keep_time(b, k, q, began, false);
}

// The kernel as a form's block sees it: `tenant` of those beside each other, or null.
static SnGpuKernel form_kernel(SnBuilder *b, const SnGpuKernel *k, const Member *m, MlirValue block, MlirValue tenant,
                               const SnGpuRole *role) {
  const SnGpuLaunch *l = &m->launch;
  SnGpuKernel of = *k;
  of.threads = l->threads;
  of.warps = l->threads / 32;
  of.blocks = l->blocks;
  of.cluster = l->cluster;
  of.teams = l->teams;
  of.team = l->team;
  of.block = block;
  of.single_tile = false;
  of.lane = of.warp = of.first_of_warp = of.rank = (MlirValue){0};
  if (l->threads < k->threads) {
    of.role = role;
    if (l->threads > 32) {
      MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
      MlirValue which = sn_int(b, i32, 1);
      of.barrier = sn_none(tenant) ? which : sn(b, "arith.addi", which, sn(b, "arith.index_cast", tenant, i32));
    }
  }
  if (!sn_none(tenant))
    of.thread = sn(b, "arith.remui", k->thread, sn_index(b, l->threads));
  sn_gpu_number_teams(b, &of);
  return of;
}

// 0, which nobody can know: what is computed of it is computed where it is used, and keeps no register meanwhile.
static MlirValue unknown_zero(SnBuilder *b, MlirValue word) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue at = sn_gpu_shared_address(b, word);
  MlirOperation load = sn_gpu_ptx(b, "ld.volatile.shared.b32 $0, [$1];", "=r,r,~{memory}", sn_values(1, &at), i32);
  return sn(b, "arith.index_cast", sn_result(load, 0), sn_index_type(b->ctx));
}

typedef struct {
  const Sequence *q;
  const Member *member;
  SnBuilder *b;
  SnGpuKernel *k;
  MlirValue zero;       // memref<1xi32> of shared memory, which holds it
  const SnTurns *turns; // null: it is in no loop
} Writing;

// Which block of the form's this is; `tenant`: of those beside each other, or null.
static MlirValue block_of(SnBuilder *b, const SnGpuKernel *k, const Member *m, MlirValue *tenant) {
  *tenant = (MlirValue){0};
  if (m->beside < 2)
    return k->block;
  *tenant = sn(b, "arith.divui", k->thread, sn_index(b, m->launch.threads));
  return sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, m->beside)), *tenant);
}

static void find_operand(const Writing *w, size_t o, MlirValue *operand, MlirValue *address) {
  MlirValue v = sn_operand(w->member->op, (intptr_t)o);
  if (w->turns && sn_turns_make(w->turns, v)) {
    *operand = sn_turns_memref(w->b, w->turns, v);
    *address = sn_turns_address(w->b, w->turns, v);
  } else {
    *operand = w->k->operands[w->member->operands.data[o]];
    *address = w->k->addresses[w->member->operands.data[o]];
  }
}

// One block of the form's, or those that come in turns.
static MlirLogicalResult write_form(MlirOperation op, const SnGpuBody *body, void *user) {
  Writing *w = user;
  SnBuilder *b = w->b;
  SnGpuKernel *k = w->k;
  const Member *m = w->member;
  int64_t at_once = k->blocks * m->beside;
  SnGpuKernel apart = *k;
  MlirValue zero = unknown_zero(b, w->zero);
  apart.thread = sn(b, "arith.addi", k->thread, zero);
  apart.block = sn(b, "arith.addi", k->block, zero);
  k = &apart;
  MlirValue tenant, all = sn_index(b, m->launch.blocks);
  SnIf some = {0};
  if (m->beside * m->launch.threads < k->threads)
    some = sn_if(b, sn(b, "arith.cmpi", k->thread, sn_index(b, m->beside * m->launch.threads),
                       sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  MlirValue block = block_of(b, k, m, &tenant);
  SnLoop turn = sn_for(b, block, all, sn_index(b, at_once));
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel of = form_kernel(b, k, m, turn.index, tenant, &role);
  sn_gpu_new_tenants(k->arena, m->beside, tenant);
  MlirValue *operands = sn_alloc((m->operands.size + 1) * sizeof *operands),
            *addresses = sn_alloc((m->operands.size + 1) * sizeof *addresses);
  for (size_t i = 0; i < m->operands.size; ++i)
    find_operand(w, i, &operands[i], &addresses[i]);
  const SnGpuWords *words = w->turns ? words_of(w->q, w->turns->loop) : NULL;
  SnGpuSent *sent = sn_alloc((words ? words->size + 1 : 1) * sizeof *sent);
  for (size_t i = 0; words && i < words->size; ++i) {
    operands[words->data[i].input] = words->data[i].memory;
    sent[of.num_sent++] = sn_gpu_words_to_send(b, k, &words->data[i], w->turns);
  }
  of.sent = sent;
  of.operands = operands;
  of.addresses = addresses;
  of.num_operands = m->operands.size;
  of.held = m->held.size ? &m->held : NULL;
  of.may_hold = m->may_hold.data;
  of.early = m->early.size ? &m->early : NULL;
  of.may_early = m->may_early.data;
  if (body->scratch) {
    MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
    of.scratch = sn(b, "memref.view", k->scratch, sn_index(b, m->scratch),
                    sn_memref(mlirIntegerTypeGet(b->ctx, 8), 1, &body->scratch));
    of.scratch_address = sn(b, "arith.addi", k->scratch_address, sn_int(b, i64, m->scratch));
  }
  body->emit(b, &of, body->user);
  if (m->launch.blocks > at_once) // shared memory is the next one's
    sn_gpu_sync(b, &of);
  sn_next(b, &turn);
  if (!sn_null(some.op))
    sn_end_if(b, &some);
  free(sent);
  free(operands);
  free(addresses);
  return SN_OK;
}

// The kernel as a block of the form sees it outside of the form's own code; where there is no such block, as the last.
static SnGpuKernel kernel_of_block(SnBuilder *b, const Writing *w, const SnGpuRole *role) {
  const Member *m = w->member;
  MlirValue tenant, block = block_of(b, w->k, m, &tenant);
  return form_kernel(b, w->k, m, sn(b, "arith.minui", block, sn_index(b, m->launch.blocks - 1)), tenant, role);
}

// What the form's threads keep over the turns of its loop, in front of it.
static MlirLogicalResult hold_operands(MlirOperation op, const SnGpuBody *body, void *user) {
  Writing *w = user;
  Member *m = (Member *)w->member; // what is held is kept there
  if (!body->hold)
    return SN_OK;
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel of = kernel_of_block(w->b, w, &role);
  MlirValue *operands = sn_alloc((m->operands.size + 1) * sizeof *operands);
  for (size_t k = 0; k < m->operands.size; ++k) {
    MlirValue v = sn_operand(op, (intptr_t)k);
    bool made = sn_turns_make(w->turns, v);
    for (size_t i = 0; i < w->turns->loop->forms && !made; ++i)
      made = sn_sequence_writes(&w->q->s, w->turns->loop->first + i, v);
    sn_push(&m->may_hold, !made);
    operands[k] = made ? v : w->k->operands[m->operands.data[k]]; // of what is made nothing is read here
  }
  of.operands = operands;
  of.num_operands = m->operands.size;
  body->hold(w->b, &of, false, m->may_hold.data, &m->held, body->user);
  free(operands);
  return SN_OK;
}

// Numbers of its rows that are no words, in a turn whose words have not come yet.
static MlirLogicalResult read_early(MlirOperation op, const SnGpuBody *body, void *user) {
  Writing *w = user;
  Member *m = (Member *)w->member;
  const SnGpuWords *words = words_of(w->q, w->turns->loop);
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel apart = *w->k, of;
  MlirValue zero = unknown_zero(w->b, w->zero), address;
  apart.thread = sn(w->b, "arith.addi", w->k->thread, zero);
  Writing here = *w;
  here.k = &apart;
  of = kernel_of_block(w->b, &here, &role);
  MlirValue *operands = sn_alloc((m->operands.size + 1) * sizeof *operands);
  for (size_t k = 0; k < m->operands.size; ++k) {
    bool word = false;
    for (size_t i = 0; i < words->size; ++i)
      word |= words->data[i].input == k;
    sn_push(&m->may_early, !word);
    find_operand(w, k, &operands[k], &address);
  }
  of.operands = operands;
  of.num_operands = m->operands.size;
  body->hold(w->b, &of, true, m->may_early.data, &m->early, body->user);
  free(operands);
  return SN_OK;
}

// The kernel, while its forms are written.
typedef struct {
  Sequence *q;
  SnGpuKernel *k;
  MlirValue zero;
} Emitting;

// i64: phases before the one of form m, in this turn.
static MlirValue phases_before(SnBuilder *b, const Emitting *e, size_t m, const SnTurns *t) {
  const SnSequence *s = &e->q->s;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue n = sn_int(b, i64, sn_sequence_phases_before(s, s->phase.data[m]));
  if (!t)
    return n;
  MlirValue turn = sn(b, "arith.index_cast", t->at.index, i64);
  return sn(b, "arith.addi", n, sn(b, "arith.muli", turn, sn_int(b, i64, sn_loop_phases(s, t->loop))));
}

static void emit_form(SnBuilder *b, const Emitting *e, size_t m, const SnTurns *t) {
  Writing w = {e->q, &e->q->members.data[m], b, e->k, e->zero, t};
  sn_gpu_lower_form(e->q->members.data[m].op, write_form, &w);
}

// The form behind another one, of the same turn if both are in a loop.
static void emit_behind(SnBuilder *b, const Emitting *e, size_t m, const SnTurns *t) {
  int64_t phase = e->q->s.phase.data[m];
  if (phase > e->q->s.phase.data[m - 1])
    begin_phase(b, e->k, e->q, phases_before(b, e, m, t), without_barrier(e->q, phase), t ? -1 : phase);
  else // shared memory is this form's
    sn_gpu_sync(b, e->k);
}

static MlirValue address_of(SnBuilder *b, MlirValue memory, void *user) {
  const Emitting *e = user;
  (void)b;
  return e->k->addresses[operand_of(e->q, memory)];
}

// Who has rows takes the words of the turn, which all others who have some have made.
static void emit_turn_by_words(SnBuilder *b, const Emitting *e, const SnSequenceLoop *loop, const SnTurns *t,
                               MlirValue later) {
  const SnGpuWords *words = words_of(e->q, loop);
  const Member *m = &e->q->members.data[loop->first];
  MlirValue first = sn(b, "arith.muli", e->k->block, sn_index(b, m->beside)),
            has = sn(b, "arith.cmpi", first, sn_index(b, m->launch.blocks), sn_attr("predicate", sn_i64(b->ctx, 6))),
            before = phases_before(b, e, loop->first, t); // ult
  SnIf again = {0};
  if (e->q->plan.clocks) {
    again = sn_if(b, later);
    sn_gpu_sync(b, e->k);
    keep_time(b, e->k, e->q, before, true);
    sn_end_if(b, &again);
  }
  SnIf works = sn_if(b, has);
  sn_gpu_sync(b, e->k);
  Writing early = {e->q, m, b, e->k, e->zero, t};
  sn_gpu_lower_form(m->op, read_early, &early);
  for (size_t w = 0; w < words->size; ++w)
    sn_gpu_take_words(b, e->k, &words->data[w], t, sn_operand(m->op, (intptr_t)words->data[w].input));
  sn_gpu_sync(b, e->k);
  if (e->q->plan.clocks) {
    again = sn_if(b, later);
    keep_time(b, e->k, e->q, before, false);
    sn_end_if(b, &again);
  }
  emit_form(b, e, loop->first, t);
  sn_end_if(b, &works);
}

// A turn begins as a phase does; the first one has begun.
static void emit_loop(SnBuilder *b, Emitting *e, const SnSequenceLoop *loop) {
  SnTurns t = {.loop = loop, .base = address_of, .user = e, .space = 1};
  for (size_t i = 0; i < loop->forms; ++i) {
    Writing w = {e->q, &e->q->members.data[loop->first + i], b, e->k, e->zero, &t};
    sn_gpu_lower_form(w.member->op, hold_operands, &w);
  }
  sn_turns_begin(b, &t);
  MlirValue later = sn(b, "arith.cmpi", t.at.index, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1))); // ne
  if (words_of(e->q, loop)->size) {
    emit_turn_by_words(b, e, loop, &t, later);
    sn_turns_end(b, &t);
    return;
  }
  SnIf again = sn_if(b, later);
  begin_phase(b, e->k, e->q, phases_before(b, e, loop->first, &t),
              without_barrier(e->q, sn_loop_first_phase(&e->q->s, loop)), -1);
  sn_end_if(b, &again);
  for (size_t i = 0; i < loop->forms; ++i) {
    if (i)
      emit_behind(b, e, loop->first + i, &t);
    emit_form(b, e, loop->first + i, &t);
  }
  sn_turns_end(b, &t);
}

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  Sequence *q = (Sequence *)user; // its clocks are the kernel's
  int64_t phases = sn_sequence_all_phases(&q->s), one = 1,
          barriers = phases - without_barrier(q, sn_sequence_phases(&q->s));
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  Emitting e = {q, k, sn_gpu_launched_shared(b, k, "a zero", 1, &one, i32, SN_GPU_FOR_VECTORS)};
  SnIf begin = sn_if(b, k->first);
  sn_op(b, "memref.store", sn_int(b, i32, 0), e.zero, sn_index(b, 0));
  if (barriers > 1)
    sn_gpu_take_counter(b, k, sn_index(b, 0));
  sn_end_if(b, &begin);
  sn_gpu_sync(b, k);
  for (size_t i = 0; i < q->words.size; ++i)
    for (size_t w = 0; w < q->words.data[i].size; ++w) {
      SnGpuWord *word = &q->words.data[i].data[w];
      MlirOperation form = q->s.forms.data[q->s.loops.data[i].first];
      sn_gpu_clear_words(b, k, word);
      sn_gpu_make_word_memory(b, k, sn_type_of(sn_operand(form, (intptr_t)word->input)), word);
    }
  if (q->plan.clocks)
    make_clocks(b, k, q);
  keep_time(b, k, q, sn_int(b, i64, 0), false);
  for (size_t m = 0; m < q->members.size; ++m) {
    const SnSequenceLoop *loop = sn_sequence_loop(&q->s, m);
    if (loop && m != loop->first)
      continue; // written with the loop
    if (m)
      emit_behind(b, &e, m, NULL);
    if (loop)
      emit_loop(b, &e, loop);
    else
      emit_form(b, &e, m, NULL);
  }
  if (q->plan.clocks) {
    sn_gpu_sync(b, k);
    keep_time(b, k, q, sn_int(b, i64, phases), true);
  }
  if (barriers > 1) {
    SnIf first = sn_if(b, k->first);
    sn_gpu_is_last(b, k, sn_index(b, 0), sn_int(b, i64, barriers * k->blocks));
    sn_end_if(b, &first);
  }
}

MlirLogicalResult sn_gpu_lower_sequence(MlirOperation op, SnGpuTakeBody take, void *taker) {
  Sequence q = {.s = sn_sequence_read(op), .scratch = COUNTER_BYTES};
  MlirLogicalResult result = sn_gpu_plan_sequence(&q.s, &q.plan);
  if (!sn_failed(result))
    sn_sequence_move_views(&q.s);
  for (size_t i = 0; i < q.s.forms.size && !sn_failed(result); ++i)
    result = sn_gpu_lower_form(q.s.forms.data[i], gather, &q);
  if (!sn_failed(result))
    result = plan_words(&q);
  if (!sn_failed(result)) {
    gather_loops(&q);
    find_written(&q);
    plan_ahead(&q);
    SnGpuLaunch launch = {.blocks = q.plan.blocks,
                          .cluster = 1,
                          .threads = q.plan.threads,
                          .occupancy = q.plan.occupancy,
                          .teams = SN_GPU_GROUP,
                          .team = q.plan.threads};
    SnGpuBody body = {.launch = &launch,
                      .scratch = q.scratch,
                      .asserts = q.asserts,
                      .addresses = true,
                      .operands = sn_values((intptr_t)q.operands.size, q.operands.data),
                      .written = q.written.data,
                      .emit = emit,
                      .user = &q};
    result = take(op, &body, taker);
    if (q.plan.clocks && !sn_failed(result))
      note_clocks(op, &q);
  }
  for (size_t i = 0; i < q.members.size; ++i) {
    sn_vec_free(&q.members.data[i].operands);
    sn_vec_free(&q.members.data[i].may_hold);
    sn_vec_free(&q.members.data[i].held);
    sn_vec_free(&q.members.data[i].may_early);
    sn_vec_free(&q.members.data[i].early);
  }
  for (size_t i = 0; i < q.words.size; ++i)
    sn_vec_free(&q.words.data[i]);
  sn_vec_free(&q.words);
  sn_vec_free(&q.members);
  sn_vec_free(&q.operands);
  sn_vec_free(&q.written);
  sn_vec_free(&q.ahead);
  sn_sequence_free(&q.s);
  return result;
}
