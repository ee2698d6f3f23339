// pairs.c: the pair of kernels to merge next.
//
//   a: writes x      b: reads x, y      c: reads y        pairs (a, b), (b, c)
//   merge a, b -> m                                       pairs (m, c)
//
// Neighbours are an op and what reads its results, and ops that read one value. Whether
// two of them may be one kernel, and what that saves, is asked once and kept until one of them
// changes or loses a reader: so the time grows with the number of pairs, not with its square.
//
// runs in: fuse, explain    test: test/passes/fuse/fuse.mlir

#include "passes/fuse/fuse.h"

// ---- sets of operations --------------------------------------------------------------

typedef struct {
  const void **slots;
  size_t size, capacity; // a power of two
} Set;

static size_t slot(const Set *s, const void *p) {
  size_t i = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 20 & (s->capacity - 1);
  while (s->slots[i] && s->slots[i] != p)
    i = (i + 1) & (s->capacity - 1);
  return i;
}
static bool has(const Set *s, MlirOperation op) { return s->capacity && !sn_null(op) && s->slots[slot(s, op.ptr)]; }
static void add(Set *s, MlirOperation op) {
  if (s->size * 2 >= s->capacity) {
    Set old = *s;
    s->capacity = old.capacity ? old.capacity * 2 : 32;
    s->slots = sn_alloc(s->capacity * sizeof *s->slots);
    for (size_t i = 0; i < old.capacity; ++i)
      if (old.slots[i])
        s->slots[slot(s, old.slots[i])] = old.slots[i];
    free(old.slots);
  }
  size_t i = slot(s, op.ptr);
  s->size += !s->slots[i];
  s->slots[i] = op.ptr;
}

// ---- who waits for whom ------------------------------------------------------------------

typedef struct {
  const Set *waiting;
  bool found;
} Waits;

static MlirWalkResult waits_inside(MlirOperation op, void *user) {
  Waits *w = user;
  for (intptr_t i = 0; i < sn_num_operands(op) && !w->found; ++i)
    w->found = has(w->waiting, sn_definer(sn_operand(op, i)));
  if (w->found)
    return MlirWalkResultInterrupt;
  return sn_is_form(op) ? MlirWalkResultSkip : MlirWalkResultAdvance; // a form's body sees nothing from outside
}

// The operations between a and b that wait for a, a itself first. Tells whether b waits for any of
// them but a: then b cannot run together with a.
static bool waits_between(MlirOperation a, MlirOperation b, SnOpVec *waiting) {
  Set all = {0}, others = {0};
  sn_push(waiting, a);
  add(&all, a);
  for (MlirOperation op = mlirOperationGetNextInBlock(a); !mlirOperationEqual(op, b);
       op = mlirOperationGetNextInBlock(op)) {
    Waits w = {&all, false};
    mlirOperationWalk(op, waits_inside, &w, MlirWalkPreOrder);
    if (w.found) {
      sn_push(waiting, op);
      add(&all, op);
      add(&others, op);
    }
  }
  Waits w = {&others, false};
  waits_inside(b, &w);
  free(all.slots);
  free(others.slots);
  return w.found;
}

// What waited for a now waits for the merged op, and moves behind it in its old order.
static bool can_move(const SnOpVec *waiting) {
  for (size_t k = 1; k < waiting->size; ++k)
    if (!sn_is_form(waiting->data[k]) && !sn_shim_is_pure(waiting->data[k])) // a form may assert: any order will do
      return false;
  return true;
}
void sn_move_behind(MlirOperation merged, const SnOpVec *waiting) {
  MlirOperation last = merged;
  for (size_t k = 1; k < waiting->size; ++k) {
    mlirOperationMoveAfter(waiting->data[k], last);
    last = waiting->data[k];
  }
}

bool sn_nothing_between(MlirOperation a, MlirOperation b, SnOpVec *waiting) {
  if (waits_between(a, b, waiting))
    return sn_refuse(b, SN_WHY_WAITS);
  return can_move(waiting) || sn_refuse(b, SN_WHY_EFFECT);
}

bool sn_can_fuse(MlirOperation a, MlirOperation b, const SnPolicy *policy) {
  SnMerge m;
  SnOpVec waiting = {0};
  sn_refusal_clear();
  bool ok = sn_can_merge(a, b, &m) && sn_worth(&m, policy) && sn_nothing_between(a, b, &waiting);
  for (intptr_t k = 0; !ok && sn_refusal()->why == SN_WHY_SIDE && k < sn_num_results(a); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(a, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (mlirOperationEqual(mlirOpOperandGetOwner(use), b))
        ok |= sn_can_fuse_side(a, k, policy);
  sn_merge_free(&m);
  if (!ok && sn_is_multiplied(a, b)) {
    waiting.size = 0;
    ok = sn_can_chain_here(a, b, &waiting);
  }
  sn_vec_free(&waiting);
  return ok;
}

// ---- neighbours -------------------------------------------------------------------------------

typedef struct {
  MlirOperation a, b; // a stands before b
  bool asked, legal;  // asked: legal and saved hold
  bool kept_apart;    // by what stands between them, when last looked at
  double saved;
} Pair;

typedef struct {
  MlirBlock block;
  const SnPolicy *policy;
  SN_VEC(Pair) pairs;
  SN_VEC(Pair *) heap;
} Search;

// Of the forms that read one value, so many on each side of a form are its neighbours: a weight that hundreds of
// layers share would make a pair of any two of them. Those that are too large already do not count.
enum { MOST_READERS = 16, MOST_LOOKED_AT = 64 };

typedef struct {
  MlirOperation form;
  MlirBlock block;
  Set seen; // what was pushed, and the form
  SnOpVec *to;
} Neighbours;

static bool may_be_neighbour(const Neighbours *n, MlirOperation op) {
  return !sn_null(op) && sn_is_form(op) && mlirBlockEqual(mlirOperationGetBlock(op), n->block) &&
         !mlirOperationEqual(op, n->form);
}

static void neighbour(Neighbours *n, MlirOperation op) {
  if (!may_be_neighbour(n, op) || has(&n->seen, op))
    return;
  add(&n->seen, op);
  sn_push(n->to, op);
}

static bool neighbour_that_fits(Neighbours *n, MlirOperation op) {
  bool fits = sn_may_fit(op, n->form);
  if (fits)
    neighbour(n, op);
  return fits;
}

static int by_place(const void *x, const void *y) {
  const MlirOperation *a = x, *b = y;
  return mlirOperationEqual(*a, *b) ? 0 : mlirOperationIsBeforeInBlock(*a, *b) ? -1 : 1;
}

// What reads x too, or the nearest of them that are not too large already.
static void siblings(Neighbours *n, MlirValue x) {
  SnOpVec readers = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (may_be_neighbour(n, mlirOpOperandGetOwner(use)))
      sn_push(&readers, mlirOpOperandGetOwner(use));
  if (readers.size > 2 * MOST_READERS) {
    qsort(readers.data, readers.size, sizeof *readers.data, by_place);
    size_t here = 0;
    while (here < readers.size && mlirOperationIsBeforeInBlock(readers.data[here], n->form))
      ++here;
    size_t first = here > MOST_LOOKED_AT ? here - MOST_LOOKED_AT : 0, end = here + MOST_LOOKED_AT;
    for (size_t i = here, found = 0; i-- > first && found < MOST_READERS;)
      found += neighbour_that_fits(n, readers.data[i]);
    for (size_t i = here, found = 0; i < readers.size && i < end && found < MOST_READERS; ++i)
      found += neighbour_that_fits(n, readers.data[i]);
  } else {
    for (size_t i = 0; i < readers.size; ++i)
      neighbour(n, readers.data[i]);
  }
  sn_vec_free(&readers);
}

void sn_neighbours(MlirOperation form, SnOpVec *to) {
  Neighbours n = {.form = form, .block = mlirOperationGetBlock(form), .to = to};
  for (intptr_t i = 0; i < sn_num_operands(form); ++i) {
    MlirValue x = sn_operand(form, i);
    if (!sn_null(sn_def(x, "tensor.empty")))
      continue; // what two write is nothing that they share
    neighbour(&n, sn_definer(x));
    siblings(&n, x);
  }
  for (intptr_t k = 0; k < sn_num_results(form); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(form, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      neighbour(&n, mlirOpOperandGetOwner(use));
  free(n.seen.slots);
}

// Pairs of `form` with its neighbours, but for those of `known`.
static void add_pairs(Search *s, MlirOperation form, const Set *known) {
  SnOpVec found = {0};
  sn_neighbours(form, &found);
  for (size_t i = 0; i < found.size; ++i)
    if (!has(known, found.data[i]))
      sn_push(&s->pairs, mlirOperationIsBeforeInBlock(found.data[i], form) ? (Pair){found.data[i], form}
                                                                           : (Pair){form, found.data[i]});
  sn_vec_free(&found);
}

static void drop_pairs(Search *s, const Set *gone) {
  size_t n = 0;
  for (size_t i = 0; i < s->pairs.size; ++i)
    if (!has(gone, s->pairs.data[i].a) && !has(gone, s->pairs.data[i].b))
      s->pairs.data[n++] = s->pairs.data[i];
  s->pairs.size = n;
}

// ---- the best pair -----------------------------------------------------------------------------

static void ask(Search *s, Pair *p) {
  SnMerge m;
  p->asked = true;
  p->legal = sn_may_fit(p->a, p->b);
  if (!p->legal)
    return;
  p->legal = sn_can_merge(p->a, p->b, &m) && sn_worth(&m, s->policy);
  if (p->legal)
    p->saved = sn_saved(&m);
  sn_merge_free(&m);
}

// Saves more; of two that save the same, the one whose later form, then whose earlier form stands first.
static bool better(const Pair *p, const Pair *q) {
  if (p->saved != q->saved)
    return p->saved > q->saved;
  return mlirOperationEqual(p->b, q->b) ? mlirOperationIsBeforeInBlock(p->a, q->a)
                                        : mlirOperationIsBeforeInBlock(p->b, q->b);
}

// The pairs in heap[0..n) are a heap, the best at its root, but for what is at i.
static void sink(Pair **heap, size_t n, size_t i) {
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && better(heap[child + 1], heap[child]))
      ++child;
    if (!better(heap[child], heap[i]))
      return;
    Pair *up = heap[child];
    heap[child] = heap[i];
    heap[i] = up;
  }
}

// The best pair that nothing stands between, and what waits there.
static Pair *best_pair(Search *s, SnOpVec *waiting) {
  for (bool again = false;; again = true) {
    bool apart = false;
    s->heap.size = 0;
    for (size_t i = 0; i < s->pairs.size; ++i) {
      Pair *p = &s->pairs.data[i];
      if (!p->asked)
        ask(s, p);
      apart |= p->legal && p->kept_apart;
      if (p->legal && !p->kept_apart)
        sn_push(&s->heap, p);
    }
    Pair **heap = s->heap.data;
    for (size_t i = s->heap.size / 2; i-- > 0;)
      sink(heap, s->heap.size, i);
    for (size_t n = s->heap.size; n; sink(heap, n, 0)) {
      waiting->size = 0;
      if (sn_nothing_between(heap[0]->a, heap[0]->b, waiting))
        return heap[0];
      heap[0]->kept_apart = apart = true;
      heap[0] = heap[--n];
    }
    // What stood between two may have gone since.
    if (again || !apart)
      return NULL;
    for (size_t i = 0; i < s->pairs.size; ++i)
      s->pairs.data[i].kept_apart = false;
  }
}

// Forms whose results the op reads may lose a reader.
static void readers_change(MlirOperation op, Set *makers) {
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (!sn_null(sn_definer(sn_operand(op, i))))
      add(makers, sn_definer(sn_operand(op, i)));
}

static void merge_pair(Search *s, Pair pair, const SnOpVec *waiting) {
  Set gone = {0}, makers = {0};
  add(&gone, pair.a);
  add(&gone, pair.b);
  readers_change(pair.a, &makers);
  readers_change(pair.b, &makers);
  for (size_t k = 1; k < waiting->size; ++k) // they move, perhaps behind a neighbour
    if (sn_is_form(waiting->data[k]))
      add(&gone, waiting->data[k]);
  drop_pairs(s, &gone);
  for (size_t i = 0; i < s->pairs.size; ++i)
    if (has(&makers, s->pairs.data[i].a))
      s->pairs.data[i].asked = false;
  free(gone.slots);
  free(makers.slots);

  SnMerge m;
  sn_can_merge(pair.a, pair.b, &m);
  MlirOperation merged = sn_merge(&m);
  sn_move_behind(merged, waiting);
  merged = sn_tidy(merged);
  sn_merge_free(&m);

  Set known = {0};
  for (size_t k = 0; k < waiting->size; ++k) {
    MlirOperation form = k ? waiting->data[k] : merged;
    if (sn_null(form) || !sn_is_form(form))
      continue;
    add_pairs(s, form, &known);
    add(&known, form);
  }
  free(known.slots);
}

bool sn_fuse_pairs(MlirBlock block, const SnPolicy *policy) {
  Search s = {.block = block, .policy = policy};
  SnOpVec waiting = {0};
  bool changed = false;
  Set known = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is_form(op)) {
      add_pairs(&s, op, &known);
      add(&known, op);
    }
  free(known.slots);
  for (Pair *p; (p = best_pair(&s, &waiting)); changed = true)
    merge_pair(&s, *p, &waiting);
  sn_vec_free(&waiting);
  sn_vec_free(&s.pairs);
  sn_vec_free(&s.heap);
  return changed;
}
