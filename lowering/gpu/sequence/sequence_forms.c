// sequence_forms.c: a form of a sequence, written for a block of the launch.
//
//   block 3 of the launch, 512 threads; a form with blocks of 128:   blocks 12 to 15 of the form, side by side
//                                                                    then 12 to 15 + 4 * the launch's blocks, ...
//
// Each has a barrier and shared memory of its own, and is told the number that it has among the form's.
//
// test: test/lowering/gpu/sequence.mlir, test/gpu/sequences.test

#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/meet/words.h"
#include "lowering/gpu/sequence/sequence_gpu.h"

// The kernel as a form's block sees it: `tenant` of those beside each other, or null.
static SnGpuKernel form_kernel(SnBuilder *b, const SnGpuKernel *k, const SnGpuMember *m, MlirValue block,
                               MlirValue tenant, const SnGpuRole *role) {
  const SnGpuLaunch *l = &m->launch;
  SnGpuKernel of = *k;
  of.threads = l->threads;
  of.warps = l->threads / 32;
  of.blocks = l->blocks;
  of.cluster = l->cluster;
  of.teams = l->teams;
  of.team = l->team;
  of.block = block;
  of.grid = (MlirValue){0};
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
static MlirValue unknown_zero(SnBuilder *b, MlirValue word, MlirOperation *first) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue at = sn_gpu_shared_address(b, word);
  *first = sn_definer(sn_operand(sn_definer(at), 0));
  MlirOperation load = sn_gpu_ptx(b, "ld.volatile.shared.b32 $0, [$1];", "=r,r,~{memory}", sn_values(1, &at), i32);
  return sn(b, "arith.index_cast", sn_result(load, 0), sn_index_type(b->ctx));
}


// Which block of the form's this is; `tenant`: of those beside each other, or null.
static MlirValue block_of(SnBuilder *b, const SnGpuKernel *k, const SnGpuMember *m, MlirValue *tenant) {
  *tenant = (MlirValue){0};
  if (m->beside < 2)
    return k->block;
  *tenant = sn(b, "arith.divui", k->thread, sn_index(b, m->launch.threads));
  return sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, m->beside)), *tenant);
}

static void find_operand(const SnGpuWriting *w, size_t o, MlirValue *operand, MlirValue *address) {
  MlirValue v = sn_operand(w->member->op, (intptr_t)o);
  if (w->turns && sn_turns_make(w->turns, v)) {
    *operand = sn_turns_memref(w->b, w->turns, v);
    *address = sn_turns_address(w->b, w->turns, v);
  } else {
    MlirValue own = sn_gpu_repeated_operand(w->q, w->member, o);
    *operand = sn_none(own) ? w->k->operands[w->member->operands.data[o]] : own;
    *address = w->k->addresses[w->member->operands.data[o]];
  }
}

// Shared memory is that of the form's next block, where one comes.
static void leave_shared(SnBuilder *b, SnGpuKernel *of, MlirValue block, MlirValue at_once, const SnGpuMember *m) {
  MlirValue next = sn(b, "arith.addi", block, at_once);
  SnIf more = sn_if(b, sn(b, "arith.cmpi", next, sn_index(b, m->launch.blocks),
                          sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  sn_gpu_sync(b, of);
  sn_end_if(b, &more);
}

// A block of the form's: `number` of all. `holds`: what its threads hold is of this one.
static void write_block(const SnGpuWriting *w, const SnGpuBody *body, SnGpuKernel *k, MlirValue number,
                        MlirValue tenant, MlirValue at_once, bool holds, bool *meets) {
  SnBuilder *b = w->b;
  const SnGpuMember *m = w->member;
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel of = form_kernel(b, k, m, number, tenant, &role);
  sn_gpu_new_tenants(k->arena, m->beside, tenant);
  MlirValue *operands = sn_alloc((m->operands.size + 1) * sizeof *operands),
            *addresses = sn_alloc((m->operands.size + 1) * sizeof *addresses);
  for (size_t i = 0; i < m->operands.size; ++i)
    find_operand(w, i, &operands[i], &addresses[i]);
  const SnGpuWords *words = w->turns ? sn_gpu_words_of_loop(w->q, w->turns->loop) : NULL;
  SnGpuSent *sent = sn_alloc((words ? words->size + 1 : 1) * sizeof *sent);
  for (size_t i = 0; words && i < words->size; ++i) {
    operands[words->data[i].input] = words->data[i].memory;
    sent[of.num_sent++] = sn_gpu_words_to_send(b, k, &words->data[i], w->turns);
  }
  of.sent = sent;
  of.operands = operands;
  of.addresses = addresses;
  of.num_operands = m->operands.size;
  of.held = holds && m->held.size ? &m->held : NULL;
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
  *meets = k->arena->launched_bytes > k->arena->kept_bytes;
  if (*meets)
    leave_shared(b, &of, number, at_once, m);
  free(sent);
  free(operands);
  free(addresses);
}

// One block of the form's, or those that come in turns.
MlirLogicalResult sn_gpu_write_member(MlirOperation op, const SnGpuBody *body, void *user) {
  SnGpuWriting *w = user;
  SnBuilder *b = w->b;
  SnGpuKernel *k = w->k;
  const SnGpuMember *m = w->member;
  SnGpuKernel apart = *k;
  MlirValue zero = unknown_zero(b, w->zero, &w->begin);
  apart.thread = sn(b, "arith.addi", k->thread, zero);
  apart.block = m->repeated ? zero : sn(b, "arith.addi", k->block, zero);
  apart.grid = m->repeated ? sn_index(b, 1) : sn(b, "arith.addi", k->grid, zero);
  k = &apart;
  MlirValue tenant, all = sn_index(b, m->launch.blocks), at_once = sn(b, "arith.muli", k->grid, sn_index(b, m->beside));
  SnIf some = {0};
  if (m->beside * m->launch.threads < k->threads)
    some = sn_if(b, sn(b, "arith.cmpi", k->thread, sn_index(b, m->beside * m->launch.threads),
                       sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  MlirValue block = block_of(b, k, m, &tenant);
  // What is held is read for a block's first turn; others, on a device of few blocks, read theirs.
  if (m->held.size && !w->turns) {
    SnIf first = sn_if(b, sn(b, "arith.cmpi", block, all, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
    write_block(w, body, k, block, tenant, at_once, true, &w->meets);
    sn_end_if(b, &first);
    block = sn(b, "arith.addi", block, at_once);
  }
  bool also = false;
  SnLoop turn = sn_for(b, block, all, at_once);
  write_block(w, body, k, turn.index, tenant, at_once, w->turns != NULL, &also);
  sn_next(b, &turn);
  w->meets |= also;
  if (!sn_null(some.op))
    sn_end_if(b, &some);
  return SN_OK;
}

// The kernel as a block of the form sees it outside of the form's own code; where there is no such block, as the last.
static SnGpuKernel kernel_of_block(SnBuilder *b, const SnGpuWriting *w, const SnGpuRole *role) {
  const SnGpuMember *m = w->member;
  MlirValue tenant, block = block_of(b, w->k, m, &tenant);
  return form_kernel(b, w->k, m, sn(b, "arith.minui", block, sn_index(b, m->launch.blocks - 1)), tenant, role);
}

// What the form's threads keep over the turns of its loop, in front of it.
// A form of the loop makes it, or, of a form in none, any of the sequence.
static bool is_made(const SnGpuWriting *w, size_t k) {
  const SnGpuSequence *q = w->q;
  MlirValue v = sn_operand(w->member->op, (intptr_t)k);
  if (!w->turns)
    return q->written.data[w->member->operands.data[k]];
  bool made = sn_turns_make(w->turns, v);
  for (size_t i = 0; i < w->turns->loop->forms && !made; ++i)
    made = sn_sequence_writes(&q->s, w->turns->loop->first + i, v);
  return made;
}

MlirLogicalResult sn_gpu_hold_operands(MlirOperation op, const SnGpuBody *body, void *user) {
  SnGpuWriting *w = user;
  SnGpuMember *m = (SnGpuMember *)w->member; // what is held is kept there
  if (!body->hold || m->held.size)
    return SN_OK;
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel apart = *w->k;
  if (!w->turns)
    apart.thread = sn(w->b, "arith.addi", w->k->thread, unknown_zero(w->b, w->zero, &w->begin));
  SnGpuWriting here = *w;
  here.k = &apart;
  SnGpuKernel of = kernel_of_block(w->b, &here, &role);
  MlirValue *operands = sn_alloc((m->operands.size + 1) * sizeof *operands);
  for (size_t k = 0; k < m->operands.size; ++k) {
    bool made = is_made(w, k);
    sn_push(&m->may_hold, !made);
    operands[k] = made ? sn_operand(op, (intptr_t)k) : w->k->operands[m->operands.data[k]]; // the former is not read
  }
  of.operands = operands;
  of.num_operands = m->operands.size;
  body->hold(w->b, &of, false, m->may_hold.data, &m->held, body->user);
  free(operands);
  return SN_OK;
}

MlirLogicalResult sn_gpu_read_before_words(MlirOperation op, const SnGpuBody *body, void *user) {
  SnGpuWriting *w = user;
  SnGpuMember *m = (SnGpuMember *)w->member;
  const SnGpuWords *words = sn_gpu_words_of_loop(w->q, w->turns->loop);
  SnGpuRole role = {.name = "a block of a form", .warps = m->launch.threads / 32, .barrier = 1};
  SnGpuKernel apart = *w->k, of;
  MlirValue zero = unknown_zero(w->b, w->zero, &w->begin), address;
  apart.thread = sn(w->b, "arith.addi", w->k->thread, zero);
  SnGpuWriting here = *w;
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
