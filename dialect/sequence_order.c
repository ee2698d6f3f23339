// sequence_order.c: which forms of a sequence wait for which.
//
// On tensors a form waits for those whose results it reads, at whatever remove; on memrefs for those that write what it
// reads or writes, and for those that read what it writes. In a loop that is asked of one turn, and of a turn and the
// next one: a form waits for itself of the turn before, and so for all turns before that.
//
//   scf.for %t = 0 to 4 iter_args(%h = %x) {     turn 0: %h is %x
//     %y = ... ins(%h)                             turn t: %h is %z of turn t - 1
//     %z = ... ins(%y)
//     scf.yield %z
//
// Memory goes round in such a loop, too: iter_args(%from = %x, %to = %a, %next = %b) and scf.yield %to, %next, %to. So
// a value is resolved to what it is, of which turn; turns are looked at until what is carried has come from the same
// places before.
//
// test: test/dialect/sequence.mlir, invalid_sequence.mlir, invalid_sequence_loops.mlir, sequence_fuzz.test

#include "dialect/sequence.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "dialect/steps.h"

// ---- what a value is, of which turn -----------------------------------------------------------

enum { OUTSIDE = -1 }; // the turn of what no loop makes

typedef struct {
  MlirValue value;
  int64_t turn;
} Resolved;

static const SnSequenceLoop *loop_of(const SnSequence *s, MlirOperation op) {
  if (!sn_is(op, "scf.for"))
    return NULL;
  for (size_t i = 0; i < s->loops.size; ++i)
    if (mlirOperationEqual(s->loops.data[i].op, op))
      return &s->loops.data[i];
  return NULL;
}

static MlirBlock body_of(const SnSequenceLoop *loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop->op, 0));
}

static MlirValue yielded(const SnSequenceLoop *loop, intptr_t k) {
  return sn_operand(mlirBlockGetTerminator(body_of(loop)), k);
}

// The loop whose block the value is an argument of, a carried one.
static const SnSequenceLoop *carries(const SnSequence *s, MlirValue v) {
  if (!mlirValueIsABlockArgument(v) || !mlirBlockArgumentGetArgNumber(v))
    return NULL;
  return loop_of(s, mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v)));
}

// In this turn, if it is a loop's.
static Resolved resolve(const SnSequence *s, MlirValue v, int64_t turn) {
  for (;;) {
    v = sn_viewed(v);
    const SnSequenceLoop *loop = carries(s, v);
    if (loop) {
      intptr_t k = mlirBlockArgumentGetArgNumber(v) - 1;
      v = turn ? yielded(loop, k) : sn_operand(loop->op, 3 + k);
      --turn;
      continue;
    }
    loop = mlirValueIsABlockArgument(v) ? NULL : loop_of(s, mlirOpResultGetOwner(v));
    if (!loop)
      break;
    v = yielded(loop, mlirOpResultGetResultNumber(v));
    turn = loop->turns - 1;
  }
  MlirOperation made = sn_definer(v);
  bool in_loop = !sn_null(made) && loop_of(s, mlirOperationGetParentOperation(made));
  return (Resolved){v, in_loop ? turn : OUTSIDE};
}

static bool same(Resolved a, Resolved b) { return a.turn == b.turn && sn_same(a.value, b.value); }

int64_t sn_sequence_turns_apart(const SnSequence *s, size_t k) {
  const SnSequenceLoop *loop = sn_sequence_loop(s, k);
  if (!loop)
    return 1;
  intptr_t n = sn_num_results(loop->op);
  SN_VEC(Resolved) seen = {0};
  int64_t apart = 0;
  for (int64_t turn = 0; turn < loop->turns && turn < SN_MOST_TURNS_APART && !apart; ++turn) {
    for (intptr_t i = 0; i < n; ++i) {
      Resolved r = resolve(s, mlirBlockGetArgument(body_of(loop), i + 1), turn);
      r.turn = r.turn == OUTSIDE ? OUTSIDE : turn - r.turn;
      sn_push(&seen, r);
    }
    for (int64_t before = 0; before < turn && !apart; ++before) {
      bool again = true;
      for (intptr_t i = 0; i < n && again; ++i)
        again = same(seen.data[turn * n + i], seen.data[before * n + i]);
      apart = again ? turn + 1 : 0;
    }
  }
  sn_vec_free(&seen);
  return apart || loop->turns > SN_MOST_TURNS_APART ? apart : loop->turns;
}

// ---- who waits for whom -----------------------------------------------------------------------

static MlirOperation form_of(const SnSequence *s, SnFormTurn t) { return s->forms.data[t.form]; }

static Resolved operand(const SnSequence *s, SnFormTurn t, intptr_t k) {
  return resolve(s, sn_operand(form_of(s, t), k), t.turn);
}

// On tensors: what one of them stores in place, the other has an older or a newer value of.
static MlirValue in_place_conflict(const SnSequence *s, SnFormTurn a, SnFormTurn b) {
  MlirOperation x = form_of(s, a), y = form_of(s, b);
  for (intptr_t k = 0; k < sn_num_operands(y); ++k)
    for (intptr_t i = 0; i < sn_num_operands(x); ++i)
      if (((sn_is_in_place(x) && sn_form_writes(x, i)) || (sn_is_in_place(y) && sn_form_writes(y, k))) &&
          sn_same(sn_shared(operand(s, a, i).value), sn_shared(operand(s, b, k).value)))
        return sn_operand(x, i);
  return (MlirValue){0};
}

// The loop yields it, so that it has two memories by turns.
static bool is_carried(const SnSequenceLoop *loop, MlirValue v) {
  for (intptr_t k = 0; k < sn_num_results(loop->op); ++k)
    if (sn_same(sn_viewed(yielded(loop, k)), v))
      return true;
  return false;
}

// On tensors: form `a` of the turn before reads what lies where form `b` stores.
static MlirValue stored_again(const SnSequence *s, SnFormTurn a, SnFormTurn b) {
  const SnSequenceLoop *loop = sn_sequence_loop(s, b.form);
  if (!loop || loop != sn_sequence_loop(s, a.form) || a.turn != b.turn - 1)
    return (MlirValue){0};
  for (intptr_t r = 0; r < sn_num_results(form_of(s, b)); ++r) {
    MlirValue made = sn_result(form_of(s, b), r);
    int64_t turn = b.turn - (is_carried(loop, made) ? 2 : 1);
    for (intptr_t i = 0; i < sn_num_operands(form_of(s, a)); ++i)
      if (turn >= 0 && same(operand(s, a, i), (Resolved){made, turn}))
        return sn_operand(form_of(s, a), i);
  }
  return (MlirValue){0};
}

MlirValue sn_sequence_conflict(const SnSequence *s, SnFormTurn a, SnFormTurn b) {
  MlirOperation x = form_of(s, a), y = form_of(s, b);
  int64_t of_turn = sn_sequence_loop(s, a.form) ? a.turn : OUTSIDE;
  for (intptr_t k = 0; k < sn_num_operands(y); ++k) {
    Resolved of_b = operand(s, b, k);
    for (intptr_t r = 0; r < sn_num_results(x); ++r)
      if (same(of_b, (Resolved){sn_result(x, r), of_turn}))
        return of_b.value;
    if (!mlirTypeIsAMemRef(sn_type_of(of_b.value)))
      continue; // tensors are values: what a destination held does not matter
    for (intptr_t i = 0; i < sn_num_operands(x); ++i)
      if (same(of_b, operand(s, a, i)) && (sn_form_writes(x, i) || sn_form_writes(y, k)))
        return sn_operand(x, i);
  }
  MlirValue again = stored_again(s, a, b);
  if (!sn_none(again) || (!sn_is_in_place(x) && !sn_is_in_place(y)))
    return again;
  return in_place_conflict(s, a, b);
}

MlirValue sn_sequence_conflict_in_order(const SnSequence *s, size_t i, size_t k) {
  bool together = s->loop.data[i] == s->loop.data[k];
  int64_t of_i = sn_sequence_turns_apart(s, i), of_k = sn_sequence_turns_apart(s, k);
  const SnSequenceLoop *loop = sn_sequence_loop(s, i);
  MlirValue found = {0};
  for (int64_t t = 0; t < of_k && sn_none(found); ++t)
    for (int64_t u = together ? t : 0; u < (together ? t + 1 : of_i) && sn_none(found); ++u)
      found = sn_sequence_conflict(s, (SnFormTurn){i, u}, (SnFormTurn){k, t});
  if (!together && loop && sn_num_results(s->forms.data[i]) && sn_none(found)) // what it has made in the end
    for (int64_t t = 0; t < of_k && sn_none(found); ++t)
      found = sn_sequence_conflict(s, (SnFormTurn){i, loop->turns - 1}, (SnFormTurn){k, t});
  return found;
}

MlirValue sn_sequence_conflict_behind_turn(const SnSequence *s, size_t i, size_t k) {
  const SnSequenceLoop *loop = sn_sequence_loop(s, k);
  int64_t turns = sn_sequence_turns_apart(s, k) + 1; // of tensors, what is made two turns before is stored again
  MlirValue found = {0};
  for (int64_t t = 1; t <= turns && t < loop->turns && sn_none(found); ++t)
    found = sn_sequence_conflict(s, (SnFormTurn){i, t - 1}, (SnFormTurn){k, t});
  return found;
}

// ---- forms that each block computes ----------------------------------------------------------

bool sn_sequence_is_repeated(const SnSequence *s, size_t k) {
  MlirAttribute schedule = sn_get_attr(s->forms.data[k], "schedule");
  const char *mnemonic = schedule.ptr ? sn_schedule_mnemonic(schedule) : NULL;
  return mnemonic && !strcmp(mnemonic, "gpu_rows") && sn_schedule_number(schedule, "repeated");
}

bool sn_sequence_meets(const SnSequence *s, int64_t phase) {
  for (size_t k = 0; k < s->forms.size; ++k)
    if (s->phase.data[k] == phase - 1)
      return !sn_sequence_is_repeated(s, k);
  return true;
}

int64_t sn_sequence_repeated_before(const SnSequence *s, int64_t phase) {
  int64_t n = 0;
  for (size_t k = 0; k < s->forms.size && s->phase.data[k] < phase; ++k)
    n += (!k || s->phase.data[k] > s->phase.data[k - 1]) && sn_sequence_is_repeated(s, k);
  return n;
}

MlirValue sn_sequence_overwritten(const SnSequence *s, size_t k, size_t by) {
  SnFormTurn a = {k, 0}, b = {by, 0};
  MlirOperation x = s->forms.data[k], y = s->forms.data[by];
  for (intptr_t o = 0; o < sn_num_operands(y); ++o) {
    MlirValue to = operand(s, b, o).value;
    bool memory = mlirTypeIsAMemRef(sn_type_of(to));
    if (!sn_form_writes(y, o) || (!memory && !sn_is_in_place(y)))
      continue;
    for (intptr_t i = 0; i < sn_num_operands(x); ++i)
      if ((k != by || !sn_form_writes(x, i)) && sn_same(sn_shared(operand(s, a, i).value), sn_shared(to)))
        return sn_operand(x, i);
    for (intptr_t r = 0; r < sn_num_results(x); ++r)
      if (sn_same(sn_result(x, r), sn_shared(to)))
        return sn_result(x, r);
  }
  return (MlirValue){0};
}

bool sn_sequence_writes(const SnSequence *s, size_t k, MlirValue memory) {
  MlirOperation form = s->forms.data[k];
  int64_t turns = sn_sequence_turns_apart(s, k);
  MlirValue whole = sn_viewed(memory);
  for (int64_t turn = 0; turn < turns; ++turn)
    for (intptr_t o = 0; o < sn_num_operands(form); ++o)
      if (sn_form_writes(form, o) && sn_same(operand(s, (SnFormTurn){k, turn}, o).value, whole))
        return true;
  return false;
}

// ---- the last that each waits for ----------------------------------------------------------------

// Forms that make or store what lies in a place, and those that touch it, in order. Of two that both only read it,
// neither waits: those that share no more than what all read are never compared.
typedef SN_VEC(size_t) Forms;
typedef struct {
  Forms writers, touchers;
} Place;
typedef struct {
  SnTable place_of; // of what a value is: 1 + its place
  SN_VEC(Place) places;
} Places;
typedef struct {
  size_t place;
  bool writes;
} Touch;
typedef SN_VEC(Touch) Touches;

static void touch(Places *all, Touches *to, MlirValue v, bool writes) {
  uintptr_t place = 0;
  sn_table_get(&all->place_of, v.ptr, &place);
  if (!place) {
    sn_push(&all->places, (Place){0});
    sn_table_put(&all->place_of, v.ptr, place = all->places.size);
  }
  sn_push(to, ((Touch){place - 1, writes}));
}

// All that form k touches, in any turn that sn_sequence_conflict_in_order looks at. A tensor that is a destination is
// not written, unless it is stored to in place.
static void find_touched(const SnSequence *s, size_t k, Places *all, Touches *to) {
  MlirOperation form = s->forms.data[k];
  const SnSequenceLoop *loop = sn_sequence_loop(s, k);
  int64_t turns = sn_sequence_turns_apart(s, k), last = loop ? loop->turns - 1 : 0;
  for (int64_t turn = 0; turn <= turns; ++turn)
    for (intptr_t o = 0; o < sn_num_operands(form); ++o) {
      MlirValue v = resolve(s, sn_operand(form, o), turn < turns ? turn : last).value, shared = sn_shared(v);
      bool writes = (mlirTypeIsAMemRef(sn_type_of(v)) || sn_is_in_place(form)) && sn_form_writes(form, o);
      touch(all, to, v, writes);
      if (!sn_same(v, shared))
        touch(all, to, shared, writes);
    }
  for (intptr_t r = 0; r < sn_num_results(form); ++r)
    touch(all, to, sn_result(form, r), true);
}

// Of a list, 1 + the last form that form k waits for; `least` if none behind that one.
static size_t last_of(const SnSequence *s, const Forms *forms, size_t k, size_t least) {
  for (size_t i = forms->size; i-- > 0 && forms->data[i] >= least;)
    if (forms->data[i] < k && !sn_none(sn_sequence_conflict_in_order(s, forms->data[i], k)))
      return forms->data[i] + 1;
  return least;
}

static void add_form(Forms *forms, size_t k) {
  if (!forms->size || forms->data[forms->size - 1] != k)
    sn_push(forms, k);
}

void sn_sequence_last_before(const SnSequence *s, size_t *last) {
  Places all = {0};
  Touches touches = {0};
  for (size_t k = 0; k < s->forms.size; ++k) {
    touches.size = 0;
    find_touched(s, k, &all, &touches);
    last[k] = 0;
    for (size_t t = 0; t < touches.size; ++t) {
      const Place *place = &all.places.data[touches.data[t].place];
      last[k] = last_of(s, touches.data[t].writes ? &place->touchers : &place->writers, k, last[k]);
    }
    for (size_t t = 0; t < touches.size; ++t) {
      Place *place = &all.places.data[touches.data[t].place];
      add_form(&place->touchers, k);
      if (touches.data[t].writes)
        add_form(&place->writers, k);
    }
  }
  for (size_t p = 0; p < all.places.size; ++p) {
    sn_vec_free(&all.places.data[p].writers);
    sn_vec_free(&all.places.data[p].touchers);
  }
  sn_vec_free(&all.places);
  sn_table_free(&all.place_of);
  sn_vec_free(&touches);
}

// ---- the least of both ------------------------------------------------------------------------

void sn_sequence_least_phases(const SnSequence *s, int64_t *phases) {
  size_t *last = sn_alloc((s->forms.size + 1) * sizeof *last);
  sn_sequence_last_before(s, last);
  for (size_t k = 0; k < s->forms.size; ++k) {
    phases[k] = k ? phases[k - 1] : 0; // blocks take forms in their order
    bool begins = k && s->loop.data[k] != s->loop.data[k - 1];
    phases[k] += begins || (last[k] && phases[last[k] - 1] == phases[k]);
  }
  free(last);
}

int64_t sn_sequence_ended(const SnSequence *s, size_t k, int64_t waits) {
  int64_t n = waits;
  for (size_t i = 0; i < s->loops.size; ++i) {
    const SnSequenceLoop *loop = &s->loops.data[i];
    if (s->loop.data[k] != (intptr_t)i && waits > (int64_t)loop->first)
      n += (loop->turns - 1) * (int64_t)loop->forms;
  }
  return n;
}

void sn_sequence_least_waits(const SnSequence *s, int64_t *waits) {
  size_t *before = sn_alloc((s->forms.size + 1) * sizeof *before);
  sn_sequence_last_before(s, before);
  for (size_t k = 0; k < s->forms.size; ++k) {
    const SnSequenceLoop *loop = sn_sequence_loop(s, k);
    waits[k] = (int64_t)before[k];
    if (!loop)
      continue;
    size_t last = loop->first + loop->forms - 1; // that it waits for, of the turn before
    while (last > k && sn_none(sn_sequence_conflict_behind_turn(s, last, k)))
      --last;
    while (sn_sequence_ended(s, k, waits[k]) <= sn_sequence_ended(s, k, (int64_t)last) - (int64_t)loop->forms)
      ++waits[k];
  }
  free(before);
}
