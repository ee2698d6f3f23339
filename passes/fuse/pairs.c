// pairs.c: the pair of kernels to merge next.
//
//   a: writes x      b: reads x, y      c: reads y        pairs (a, b), (b, c)
//   merge a, b -> m                                       pairs (m, c)
//
// Neighbours are an op and what reads its results, and ops that read one value. What a merge would save, and how many
// operands it would have, follows from what the two read; the pairs are a heap by that, less those that would be too
// large. Whether the best one may be a kernel is asked when its turn comes, and again only when one of the two changes
// or loses a reader: so the time grows with the number of kernels, not with its square. What stands between a form and
// its neighbours is known of what the form becomes: steps of a recurrence share their weights, and each would ask of
// tens of others what it waits for whenever it is merged.
//
// runs in: fuse, explain    test: test/passes/fuse/fuse.mlir

#include "passes/fuse/pairs.h"
#include <math.h>

bool sn_can_fuse(MlirOperation a, MlirOperation b, const SnPolicy *policy) {
  SnMerge m;
  SnOpVec waiting = {0};
  sn_refusal_clear();
  bool ok = sn_can_merge(a, b, &m) && sn_worth(&m, policy) && sn_nothing_between(NULL, a, b, &waiting);
  bool asked = !ok && sn_refusal()->why == SN_WHY_SIDE;
  for (intptr_t k = 0; asked && k < sn_num_results(a); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(a, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (mlirOperationEqual(mlirOpOperandGetOwner(use), b))
        ok |= sn_can_fuse_side(a, k, policy);
  sn_merge_free(&m);
  SnRefusal side = *sn_refusal();
  if (!ok && sn_is_multiplied(a, b)) {
    waiting.size = 0;
    ok = sn_can_chain_here(a, b, &waiting, policy);
    if (!ok && asked && side.why != SN_WHY_SIDE_REDUCED) // what is not made for each row again could be a side
      sn_refusal_set(&side);
  }
  sn_vec_free(&waiting);
  return ok;
}

typedef struct SnPair {
  SnFuseForm *a, *b; // a stands before b
  size_t of_a, of_b; // its places among theirs
  SnShared shared;
  enum { OUT, WAITS, IN_HEAP } state; // out: asked and refused
  size_t at;                          // among those that wait, or in the heap
  SnBetween between;                  // while it waits: what keeps it apart
} Pair;
typedef SN_VEC(Pair *) PairVec;

typedef struct {
  const SnPolicy *policy;
  SnFuseForms forms;
  PairVec heap;  // the best at its root
  PairVec apart; // kept apart by what stands between them, when last looked at
  bool less;     // something reads less since then
  SnTable scratch;
} Search;

// ---- the heap ----------------------------------------------------------------------------------

// A merge takes time with what the two hold. Were large forms merged with one small form after another, that would be
// the square of what they hold in the end: of those that save about the same, pairs of about the same size wait their
// turn.
enum { SMALL = 64 }; // operations and operands: less is merged in no time
static int size_class(const Pair *p) {
  size_t n = p->a->size.operations + p->b->size.operations + p->a->bytes.size + p->b->bytes.size;
  int class = 0;
  for (; n > SMALL; n /= 2)
    ++class;
  return class;
}

// Four steps to each doubling.
static int magnitude(double saved) {
  int exponent;
  double part = frexp(saved, &exponent); // 1/2 and more, less than 1
  return 4 * exponent + (int)(8 * part);
}

// Saves more by a step; of two that do not, a smaller one, then one that saves more at all, then the one whose later
// form, then whose earlier form stands first.
static bool better(const Search *s, const Pair *p, const Pair *q) {
  const SnOrder *order = &s->forms.order;
  double saves_p = p->shared.saved, saves_q = q->shared.saved;
  if (saves_p != saves_q && magnitude(saves_p) != magnitude(saves_q))
    return saves_p > saves_q;
  int of_p = size_class(p), of_q = size_class(q);
  if (of_p != of_q)
    return of_p < of_q;
  if (saves_p != saves_q)
    return saves_p > saves_q;
  return p->b == q->b ? sn_order_place(order, p->a->op) < sn_order_place(order, q->a->op)
                      : sn_order_place(order, p->b->op) < sn_order_place(order, q->b->op);
}

static void set(PairVec *pairs, size_t at, Pair *p) {
  pairs->data[at] = p;
  p->at = at;
}

static void rise(Search *s, size_t at) {
  Pair *p = s->heap.data[at];
  for (size_t up; at && better(s, p, s->heap.data[up = (at - 1) / 2]); at = up)
    set(&s->heap, at, s->heap.data[up]);
  set(&s->heap, at, p);
}

static void sink(Search *s, size_t at) {
  Pair *p = s->heap.data[at];
  for (size_t child; (child = 2 * at + 1) < s->heap.size; at = child) {
    child += child + 1 < s->heap.size && better(s, s->heap.data[child + 1], s->heap.data[child]);
    if (!better(s, s->heap.data[child], p))
      break;
    set(&s->heap, at, s->heap.data[child]);
  }
  set(&s->heap, at, p);
}

// Unless it is refused at once.
static void put_into_heap(Search *s, Pair *p) {
  if (!sn_operands_fit(p->a, p->b, &p->shared))
    return;
  p->state = IN_HEAP;
  sn_push(&s->heap, p);
  rise(s, s->heap.size - 1);
}

static void keep_apart(Search *s, Pair *p, SnBetween between) {
  p->state = WAITS;
  p->between = between;
  if (between.ops[0] || between.ops[1])
    sn_order_apart(&s->forms.order, p->a->op, p->b->op);
  sn_push(&s->apart, p);
  p->at = s->apart.size - 1;
}

// Out of the heap, or from among those that wait.
static void take_out(Search *s, Pair *p) {
  size_t at = p->at;
  if (p->state == WAITS) {
    set(&s->apart, at, s->apart.data[s->apart.size - 1]);
    --s->apart.size;
  } else if (p->state == IN_HEAP) {
    Pair *last = s->heap.data[--s->heap.size];
    if (last != p) {
      set(&s->heap, at, last);
      rise(s, at);
      sink(s, last->at);
    }
  }
  p->state = OUT;
}

// ---- pairs ----------------------------------------------------------------------------------------

static bool in_order(const Search *s, const Pair *p) {
  return sn_order_place(&s->forms.order, p->a->op) < sn_order_place(&s->forms.order, p->b->op);
}

static void turn(Pair *p) {
  Pair was = *p;
  p->a = was.b;
  p->b = was.a;
  p->of_a = was.of_b;
  p->of_b = was.of_a;
}

// What it saves has changed: it is asked again.
static void renew(Search *s, Pair *p) {
  if (p->state == WAITS)
    return;
  if (p->state != OUT)
    take_out(s, p);
  p->shared = sn_shared_by(p->a, p->b, &s->scratch);
  put_into_heap(s, p);
}

// One of its forms stands elsewhere. `asked`: it was in the heap, until then.
static void renew_place(Search *s, Pair *p, bool asked) {
  if (!in_order(s, p)) {
    if (p->state == WAITS)
      take_out(s, p);
    turn(p);
    renew(s, p);
  } else if (asked) {
    put_into_heap(s, p);
  }
}

// `between`: what is known to keep them apart; NULL if nothing is.
static void add_pair(Search *s, SnFuseForm *x, const SnNeighbour *y, const SnBetween *between) {
  SnFuseForm *a = y->behind ? x : y->form, *b = y->behind ? y->form : x;
  if (!sn_growths_fit(b->op, &a->size, &b->size))
    return;
  Pair *p = sn_alloc(sizeof *p);
  *p = (Pair){.a = a, .b = b, .of_a = a->pairs.size, .of_b = b->pairs.size, .shared = y->shared, .state = OUT};
  sn_push(&a->pairs, p);
  sn_push(&b->pairs, p);
  if (between)
    keep_apart(s, p, *between);
  else
    put_into_heap(s, p);
}

static void leave(SnFuseForm *form, size_t at) {
  Pair *last = form->pairs.data[--form->pairs.size];
  form->pairs.data[at] = last;
  *(last->a == form ? &last->of_a : &last->of_b) = at;
}

static void drop_pairs(Search *s, SnFuseForm *form) {
  while (form->pairs.size) {
    Pair *p = form->pairs.data[form->pairs.size - 1];
    if (p->state != OUT)
      take_out(s, p);
    leave(p->a, p->of_a);
    leave(p->b, p->of_b);
    free(p);
  }
}

typedef struct {
  SnTable of_form; // 1 + place among all
  SN_VEC(SnBetween) all;
} Apart;

// Pairs of the form with its neighbours; `first`: but for those that have found theirs. `apart`: from whom something
// is known to keep it.
static void add_pairs(Search *s, SnFuseForm *form, bool first, const Apart *apart) {
  SnNeighbourVec found = {0};
  sn_neighbours(&s->forms, form, &found);
  for (size_t i = 0; i < found.size; ++i)
    if (!first || !found.data[i].form->paired) {
      uintptr_t at = 0;
      if (apart)
        sn_table_get(&apart->of_form, found.data[i].form, &at);
      add_pair(s, form, &found.data[i], at ? &apart->all.data[at - 1] : NULL);
    }
  form->paired = true;
  sn_vec_free(&found);
}

// ---- one of them is merged ---------------------------------------------------------------------------

static void add_makers(const Search *s, const SnFuseForm *form, SnTable *seen, SnFuseFormVec *to) {
  for (intptr_t k = 0; k < sn_num_operands(form->op); ++k) {
    SnFuseForm *maker = sn_fuse_form(&s->forms, sn_definer(sn_operand(form->op, k)));
    if (!maker || sn_table_has(seen, maker))
      continue;
    sn_table_put(seen, maker, 1);
    sn_push(to, maker);
  }
}

// A result of it may have one reader left, which then saves what writing it takes, or none.
static void renew_readers(Search *s, SnFuseForm *maker) {
  SnTable sole = {0}; // of an op: how many of the results it alone reads
  size_t kept = 0;
  for (intptr_t k = 0; k < sn_num_results(maker->op); ++k) {
    MlirOpOperand use = mlirValueGetFirstUse(sn_result(maker->op, k));
    if (mlirOpOperandIsNull(use))
      continue;
    ++kept;
    MlirOperation reader = mlirOpOperandGetOwner(use);
    uintptr_t n = 0;
    if (sn_is_kept(sn_result(maker->op, k), reader))
      continue;
    sn_table_get(&sole, reader.ptr, &n);
    sn_table_put(&sole, reader.ptr, n + 1);
  }
  bool fewer = kept != maker->kept;
  maker->kept = kept;
  for (size_t i = 0; i < maker->pairs.size; ++i) {
    Pair *p = maker->pairs.data[i];
    uintptr_t n = 0;
    sn_table_get(&sole, p->b->op.ptr, &n);
    if (p->a == maker && (fewer || n != p->shared.sole))
      renew(s, p);
  }
  sn_table_free(&sole);
}

// What stands between one of two that are merged and a neighbour stands between that and what they become, unless it is
// one of the two itself.
static void add_apart(Search *s, const SnFuseForm *form, const Pair *merged, Apart *apart) {
  for (size_t i = 0; i < form->pairs.size; ++i) {
    Pair *p = form->pairs.data[i];
    if (p->state == WAITS && sn_order_between(&s->forms.order, &p->between, merged->a->op, merged->b->op)) {
      sn_push(&apart->all, p->between);
      sn_table_put(&apart->of_form, p->a == form ? p->b : p->a, apart->all.size);
    }
  }
}

static void merge(Search *s, Pair *p, SnMerge *m, const SnOpVec *waiting) {
  SnFuseFormVec makers = {0};
  SnTable seen = {0};
  Apart apart = {0};
  bool less;
  sn_table_put(&seen, p->a, 1);
  sn_table_put(&seen, p->b, 1);
  add_makers(s, p->a, &seen, &makers);
  add_makers(s, p->b, &seen, &makers);
  SnFuseForm *a = p->a, *b = p->b;
  add_apart(s, a, p, &apart);
  add_apart(s, b, p, &apart);
  drop_pairs(s, a);
  drop_pairs(s, b);
  PairVec moved = {0}; // out of the heap before they stand elsewhere
  for (size_t k = 1; k < waiting->size; ++k) {
    SnFuseForm *form = sn_fuse_form(&s->forms, waiting->data[k]);
    for (size_t i = 0; form && i < form->pairs.size; ++i)
      if (form->pairs.data[i]->state == IN_HEAP) {
        take_out(s, form->pairs.data[i]);
        sn_push(&moved, form->pairs.data[i]);
      }
  }
  SnFuseForm *merged = sn_fuse_two(&s->forms, m, waiting, &less);
  s->less |= less;
  for (size_t i = 0; i < moved.size; ++i)
    renew_place(s, moved.data[i], true);
  for (size_t k = 1; k < waiting->size; ++k) { // perhaps behind a neighbour
    SnFuseForm *form = sn_fuse_form(&s->forms, waiting->data[k]);
    for (size_t i = 0; form && i < form->pairs.size; ++i)
      renew_place(s, form->pairs.data[i], false);
  }
  for (size_t k = 0; k < makers.size && less; ++k) // else each of their results has the readers that it had
    renew_readers(s, makers.data[k]);
  if (merged)
    add_pairs(s, merged, false, less ? NULL : &apart);
  sn_vec_free(&makers);
  sn_vec_free(&moved);
  sn_table_free(&seen);
  sn_table_free(&apart.of_form);
  sn_vec_free(&apart.all);
}

// Merges the best pair that is legal and that nothing stands between.
static bool merge_best(Search *s) {
  SnOpVec waiting = {0};
  bool merged = false;
  while (s->heap.size && !merged) {
    Pair *p = s->heap.data[0];
    SnMerge m = {0};
    take_out(s, p);
    waiting.size = 0;
    if (!sn_nothing_between(&s->forms.order, p->a->op, p->b->op, &waiting)) {
      keep_apart(s, p, s->forms.order.between);
    } else if (sn_can_merge(p->a->op, p->b->op, &m) && sn_worth(&m, s->policy)) {
      merge(s, p, &m, &waiting);
      merged = true;
    }
    sn_merge_free(&m);
  }
  sn_vec_free(&waiting);
  return merged;
}

bool sn_fuse_pairs(MlirBlock block, const SnPolicy *policy) {
  Search s = {.policy = policy, .forms = sn_fuse_forms(block)};
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnFuseForm *form = sn_fuse_form(&s.forms, op);
    if (form)
      add_pairs(&s, form, true, NULL);
  }
  for (bool again = true; again;) {
    while (merge_best(&s))
      changed = true;
    // What stood between two may have gone since: merging alone brings nothing together, reading less does.
    again = s.less && s.apart.size;
    s.less = false;
    while (again && s.apart.size) {
      Pair *p = s.apart.data[s.apart.size - 1];
      take_out(&s, p);
      put_into_heap(&s, p);
    }
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnFuseForm *form = sn_fuse_form(&s.forms, op);
    if (form)
      drop_pairs(&s, form);
  }
  sn_fuse_forms_free(&s.forms);
  sn_vec_free(&s.heap);
  sn_vec_free(&s.apart);
  sn_table_free(&s.scratch);
  return changed;
}
