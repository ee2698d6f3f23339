// plan.c: what a piece computes, what it reads, and what it is for.
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"
#include <assert.h>

// ---- in which piece things are -----------------------------------------------------------

static int64_t number(const SnCut *s, int64_t stage, int64_t group) {
  return stage * (int64_t)sn_num_groups(&s->f) + group;
}

static int64_t piece_of_known(const SnCut *s, const SnKnown *x) { return number(s, x->stage, x->group); }

// The first piece that there is anyway, of that group if it is one; the group's first if there is none.
static int64_t first_piece(const SnCut *s, int64_t group) {
  int64_t first = s->first.data[group < 0 ? (int64_t)sn_num_groups(&s->f) : group];
  return first < 0 ? number(s, 0, group < 0 ? 0 : group) : first;
}

// The operation as a value of the body would be placed: asserts have none. -1: any piece makes it.
static int64_t piece_of_op(SnCut *s, MlirOperation op) {
  SnKnown *x = sn_placed(s, sn_num_results(op) ? sn_result(op, 0) : sn_operand(op, 0));
  if (sn_num_results(op))
    return x && x->stage != SN_FREE ? piece_of_known(s, x) : -1;
  return x && x->stage != SN_FREE ? piece_of_known(s, x) : first_piece(s, SN_NO_GROUP);
}

// A value that the body yields, as long as nothing is known of it but its inputs, is given by a piece that there is.
static int64_t piece_of_yield(SnCut *s, MlirValue v, int64_t group) {
  SnKnown *x = sn_placed(s, v);
  return x && x->stage != SN_FREE ? piece_of_known(s, x) : first_piece(s, group);
}

// So is what it accumulates, beside others that its finish reads with it: `last`, of each group, then of all.
static int64_t piece_of_accumulator(SnCut *s, size_t accumulator, const int64_t *last) {
  SnForm *f = &s->f;
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)accumulator);
  int64_t group = sn_group_of_map(f, f->accumulators.data[accumulator].map);
  int64_t beside = last[group < 0 ? (int64_t)sn_num_groups(f) : group];
  bool free = sn_placed(s, v)->stage == SN_FREE && f->finish.ptr;
  return free && beside >= 0 ? beside : piece_of_yield(s, v, group);
}

static void place_accumulators(SnCut *s) {
  SnForm *f = &s->f;
  size_t all = sn_num_groups(f);
  int64_t *last = sn_alloc((all + 1) * sizeof *last);
  for (size_t g = 0; g <= all; ++g)
    last[g] = -1;
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnKnown *x = sn_placed(s, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k));
    if (x->stage != SN_FREE)
      last[x->group] = last[all] = piece_of_known(s, x);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&s->parts.data[piece_of_accumulator(s, k, last)].accumulators, k);
  free(last);
}

void sn_plan_pieces(SnCut *s) {
  SnForm *f = &s->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  size_t groups = sn_num_groups(f), seen[2] = {0};
  for (int64_t i = 0; i < number(s, s->stages, 0); ++i)
    sn_push(&s->parts, (SnPart){0});
  for (size_t g = 0; g <= groups; ++g)
    sn_push(&s->first, -1);
  for (size_t i = 0; i < s->known.size; ++i) {
    const SnKnown *x = &s->known.data[i];
    if (x->stage == SN_FREE)
      continue;
    int64_t at = piece_of_known(s, x), *firsts[] = {&s->first.data[x->group], &s->first.data[groups]};
    for (int k = 0; k < 2; ++k)
      *firsts[k] = *firsts[k] < 0 || at < *firsts[k] ? at : *firsts[k];
    sn_push(&s->parts.data[at].known, i);
  }
  place_accumulators(s);
  for (size_t k = 0; k < f->outputs.size; ++k) {
    intptr_t position = (intptr_t)sn_next_position(f, k, seen);
    if (!sn_is_reduced(f, k)) {
      int64_t at = piece_of_yield(s, sn_operand(yield, position), sn_group_of_map(f, f->outputs.data[k].map));
      sn_push(&s->parts.data[at].results, k);
    }
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (!sn_num_results(op) && !mlirOperationEqual(op, yield))
      sn_push(&s->parts.data[piece_of_op(s, op)].asserts, op);
}

void sn_free_plan(SnCut *s) {
  for (size_t i = 0; i < s->parts.size; ++i) {
    sn_vec_free(&s->parts.data[i].accumulators);
    sn_vec_free(&s->parts.data[i].results);
    sn_vec_free(&s->parts.data[i].known);
    sn_vec_free(&s->parts.data[i].asserts);
  }
  sn_vec_free(&s->parts);
  sn_vec_free(&s->first);
  sn_vec_free(&s->known);
  sn_table_free(&s->place_of);
}

// ---- one piece ----------------------------------------------------------------------------

static int64_t own_number(const SnPiece *p) { return number(p->s, p->stage, p->group); }

static bool is_here(const SnPiece *p, const SnKnown *x) { return x->stage == p->stage && x->group == p->group; }

// Some piece that is not this one reads it.
static bool is_read_elsewhere(SnPiece *p, MlirValue v) {
  MlirOperation end = mlirBlockGetTerminator(p->s->f.body);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, end) &&
        (sn_row_op_has(user, SN_READS_MATRIX) || piece_of_op(p->s, user) != own_number(p)))
      return true;
  }
  return false;
}

// Of two products of the form: its own in their order, then rows times matrices in that of the body.
static bool stands_before(MlirValue a, MlirValue b) {
  MlirOperation x = sn_definer(a), y = sn_definer(b);
  if (sn_null(x) || sn_null(y))
    return sn_null(x) && (!sn_null(y) || mlirBlockArgumentGetArgNumber(a) < mlirBlockArgumentGetArgNumber(b));
  return mlirOperationIsBeforeInBlock(x, y);
}

// The piece's products are in the form's order, which who knows the form's may rely on.
static void add_product(SnPiece *p, MlirValue v) {
  sn_push(&p->products, v);
  MlirValue *data = p->products.data;
  for (size_t i = p->products.size - 1; i > 0 && stands_before(v, data[i - 1]); --i) {
    data[i] = data[i - 1];
    data[i - 1] = v;
  }
}

// Makes `v` known in the piece, with all that it needs.
void sn_need(SnPiece *p, MlirValue v) {
  SnCut *s = p->s;
  SnKnown *x = sn_placed(s, v);
  MlirOperation op = sn_definer(v);
  if (sn_table_has(&p->seen, v.ptr) || (!sn_null(op) && sn_table_has(&p->seen, op.ptr)))
    return;
  bool free = x->stage == SN_FREE, argument = sn_null(op);
  intptr_t place = argument ? mlirBlockArgumentGetArgNumber(v) : -1;
  intptr_t inputs = (intptr_t)(s->f.products.size + s->f.matrices.size);
  bool product = argument ? place < (intptr_t)s->f.products.size : sn_row_op_has(op, SN_READS_MATRIX);
  if (product && is_here(p, x)) {
    sn_table_put(&p->seen, v.ptr, 1);
    add_product(p, v);
    return;
  }
  if (argument && (free || is_here(p, x))) {
    if (place >= inputs) {
      sn_table_put(&p->seen, v.ptr, 1);
      sn_push(&p->reads, v);
      sn_push(&p->read_from, s->f.inputs.data[sn_first_input(&s->f) + (size_t)(place - inputs)]);
    }
    return;
  }
  if (!free && !is_here(p, x)) {
    assert(x->stored.value.ptr && "an earlier piece stores it");
    sn_table_put(&p->seen, v.ptr, 1);
    sn_push(&p->reads, v);
    sn_push(&p->read_from, x->stored);
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_need(p, sn_operand(op, k));
  sn_table_put(&p->seen, op.ptr, 1);
  sn_push(&p->ops, op);
}

static void give(SnPiece *p, MlirValue v, size_t result) {
  sn_need(p, v);
  sn_push(&p->gives, v);
  sn_push(&p->results, result);
}

bool sn_plan_piece(SnPiece *p) {
  SnForm *f = &p->s->f;
  const SnPart *part = &p->s->parts.data[own_number(p)];
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t i = 0; i < part->accumulators.size; ++i) {
    sn_need(p, sn_operand(yield, (intptr_t)part->accumulators.data[i]));
    sn_push(&p->accumulators, part->accumulators.data[i]);
  }
  SnTable given = {0};
  for (size_t i = 0; i < part->results.size; ++i) {
    size_t k = part->results.data[i];
    MlirValue v = sn_operand(yield, (intptr_t)sn_output_position(f, k));
    give(p, v, k);
    sn_table_put(&given, v.ptr, 1);
  }
  for (size_t i = 0; i < part->known.size; ++i) {
    MlirValue v = p->s->known.data[part->known.data[i]].value;
    if (is_read_elsewhere(p, v) && !sn_table_has(&given, v.ptr))
      give(p, v, SN_NO_RESULT);
  }
  sn_table_free(&given);
  for (size_t i = 0; i < part->asserts.size; ++i) {
    sn_need(p, sn_operand(part->asserts.data[i], 0));
    sn_push(&p->ops, part->asserts.data[i]);
  }
  return part->asserts.size || p->gives.size || p->accumulators.size;
}

void sn_free_piece(SnPiece *p) {
  sn_form_free(&p->to);
  sn_table_free(&p->seen);
  sn_vec_free(&p->products);
  sn_vec_free(&p->reads);
  sn_vec_free(&p->read_from);
  sn_vec_free(&p->ops);
  sn_vec_free(&p->gives);
  sn_vec_free(&p->results);
  sn_vec_free(&p->accumulators);
}
