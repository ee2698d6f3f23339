// between.c: what stands between two kernels, and whether it keeps them apart.
//
//   a: makes x      w: reads x      b: reads y         a and b may be one kernel, w moves behind it
//   a: makes x      w: reads x      b: reads x, w's    b waits for w, which waits for a: they stay two
//
// Who waits for whom is found along operands and uses: what else stands between the two costs nothing. Where hundreds
// wait for a, b moves to a instead, behind the few that it waits for. What was found
// is kept, since the next pair asks for nearly the same: the gradient of each layer waits for all layers behind it. So
// is each two of which one waits for the other: steps of a recurrence read the same weights, each waits for all before
// it.
//
// runs in: fuse, explain    test: test/passes/fuse/fuse.mlir

#include "capi/shim.h"
#include "dialect/steps.h"
#include "passes/fuse/fuse.h"
#include <assert.h>

// ---- where operations stand ------------------------------------------------------------

// So far apart are two neighbours at first: many fit between them before all get new numbers.
#define STEP ((uintptr_t)1 << 32)

static void number(SnOrder *order, MlirBlock block) {
  uintptr_t place = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_table_put(&order->places, op.ptr, place += STEP);
}

SnOrder sn_order(MlirBlock block) {
  SnOrder order = {0};
  number(&order, block);
  return order;
}

void sn_order_free(SnOrder *order) {
  sn_table_free(&order->places);
  sn_table_free(&order->numbers);
  sn_table_free(&order->pairs);
  sn_vec_free(&order->known);
}

uintptr_t sn_order_place(const SnOrder *order, MlirOperation op) {
  uintptr_t place = 0;
  sn_table_get(&order->places, op.ptr, &place);
  return place;
}

void sn_order_put(SnOrder *order, MlirOperation op, uintptr_t place) { sn_table_put(&order->places, op.ptr, place); }

// ---- what is known to wait for what ------------------------------------------------------

// 1 + its place among the known; 0 if nothing is known of it.
static uintptr_t number_of(const SnOrder *order, MlirOperation op) {
  uintptr_t n = 0;
  sn_table_get(&order->numbers, op.ptr, &n);
  return n;
}

static uintptr_t add_known(SnOrder *order, MlirOperation op) {
  sn_push(&order->known, ((SnKnown){.op = op}));
  sn_table_put(&order->numbers, op.ptr, order->known.size);
  return order->known.size;
}

static uintptr_t known_as(SnOrder *order, MlirOperation op) {
  uintptr_t n = number_of(order, op);
  return n ? n : add_known(order, op);
}

static void learn(SnOrder *order, MlirOperation b, MlirOperation a) {
  uintptr_t of_a = known_as(order, a), of_b = known_as(order, b);
  order->known.data[of_b - 1].waits_for = of_a;
  order->known.data[of_b - 1].age = order->age;
}

// What the one with this number is a part of now; the next look is short.
static uintptr_t part_of(SnOrder *order, uintptr_t n) {
  SnKnown *known = order->known.data;
  uintptr_t last = n;
  while (last && known[last - 1].merged)
    last = known[last - 1].merged;
  for (uintptr_t next; n && n != last; n = next) {
    next = known[n - 1].merged;
    known[n - 1].merged = last;
  }
  return last;
}

// Something that the op waits for; null if nothing is known.
static MlirOperation known_wait(SnOrder *order, MlirOperation op) {
  uintptr_t n = number_of(order, op);
  if (!n || order->known.data[n - 1].age != order->age)
    return (MlirOperation){0};
  n = part_of(order, order->known.data[n - 1].waits_for);
  return n ? order->known.data[n - 1].op : (MlirOperation){0};
}

// Of two numbers: what the table of pairs knows them by.
static const void *pair_of(uintptr_t b, uintptr_t a) { return (const void *)(b << 32 | a); }

void sn_order_apart(SnOrder *order, MlirOperation a, MlirOperation b) {
  sn_table_put(&order->pairs, pair_of(known_as(order, b), known_as(order, a)), 1);
}

bool sn_order_between(SnOrder *order, SnBetween *between, MlirOperation a, MlirOperation b) {
  uintptr_t of_a = number_of(order, a), of_b = number_of(order, b);
  bool any = false;
  for (int i = 0; i < 2; ++i) {
    uintptr_t n = between->age == order->age ? part_of(order, between->ops[i]) : 0;
    between->ops[i] = n == of_a || n == of_b ? 0 : n;
    any |= between->ops[i] != 0;
  }
  return any;
}

void sn_order_merged(SnOrder *order, MlirOperation a, MlirOperation b, MlirOperation merged) {
  uintptr_t of_a = number_of(order, a), of_b = number_of(order, b);
  sn_table_put(&order->numbers, a.ptr, 0);
  sn_table_put(&order->numbers, b.ptr, 0);
  uintptr_t n = sn_null(merged) ? 0 : add_known(order, merged);
  for (int i = 0; i < 2; ++i) {
    uintptr_t old = i ? of_a : of_b;
    if (!old)
      continue;
    SnKnown *was = &order->known.data[old - 1];
    was->op = (MlirOperation){0};
    was->merged = n;
    if (n && was->waits_for && was->age == order->age) {
      order->known.data[n - 1].waits_for = was->waits_for;
      order->known.data[n - 1].age = was->age;
    }
  }
}

void sn_order_reads_less(SnOrder *order) {
  ++order->age;
  sn_table_clear(&order->pairs);
}

static bool stands_before(const SnOrder *order, MlirOperation a, MlirOperation b) {
  return order ? sn_order_place(order, a) < sn_order_place(order, b) : mlirOperationIsBeforeInBlock(a, b);
}

// ---- who waits for whom ------------------------------------------------------------------

typedef struct {
  MlirOperation op;
  size_t first; // place of the one that it was found from, and that the walk began with
} Found;
typedef struct {
  SnTable seen;        // 1 + place in `found`
  SN_VEC(Found) found; // and still to be looked at, from `next` on
  size_t next, roots;  // of `found`, what the walk began from
} Walk;

static void found(Walk *w, MlirOperation op) {
  if (sn_table_has(&w->seen, op.ptr))
    return;
  sn_push(&w->found, ((Found){op, w->next > w->roots ? w->found.data[w->next - 1].first : w->found.size}));
  sn_table_put(&w->seen, op.ptr, w->found.size);
}

static void walk_free(Walk *w) {
  sn_vec_free(&w->found);
  sn_table_free(&w->seen);
}

// What b waits for behind a is looked for along operands, and what waits for a in front of b along uses, in turns:
// where one of the two is all found, nothing has to be known of the other.
typedef struct {
  SnOrder *order;
  MlirBlock block;
  MlirOperation a, b;
  uintptr_t of_a;            // its number
  Walk needed, waiting;      // along operands of b; along uses of a, which is the first
  MlirOpOperand use;         // of the one whose uses are looked at, null behind the last of a result
  intptr_t result;           // the next one of it
  bool meet;                 // b waits for something but a that waits for a
  MlirOperation first, last; // then: what b reads, and what reads a
} Between;

// Both are found from the one that they were found from first.
static void meet(Between *w, MlirOperation first, MlirOperation last) {
  w->meet = true;
  w->first = first;
  w->last = last;
}

static MlirOperation began_with(const Walk *w, size_t at) { return w->found.data[w->found.data[at].first].op; }

// Of what is looked at along operands.
static MlirOperation needed_now(const Between *w) { return w->needed.found.data[w->needed.next - 1].op; }
static void reads_a(Between *w) { meet(w, began_with(&w->needed, w->needed.next - 1), needed_now(w)); }

static void need(Between *w, MlirOperation op) {
  uintptr_t at = 0;
  sn_table_get(&w->waiting.seen, op.ptr, &at);
  if (at && w->needed.next)
    meet(w, began_with(&w->needed, w->needed.next - 1), began_with(&w->waiting, at - 1));
  found(&w->needed, op);
}

// What the op reads, also inside, of what stands behind a.
static MlirWalkResult find_read(MlirOperation op, void *user) {
  Between *w = user;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
    MlirOperation from = sn_definer(sn_operand(op, i));
    if (sn_null(from) || !mlirBlockEqual(mlirOperationGetBlock(from), w->block))
      continue;
    if (mlirOperationEqual(from, w->a)) {
      if (w->needed.next) // b itself may
        reads_a(w);
    } else if (stands_before(w->order, w->a, from)) {
      need(w, from);
    }
  }
  return sn_is_form(op) ? MlirWalkResultSkip : MlirWalkResultAdvance; // a form's body sees nothing from outside
}

// Something that is known to wait for a, or for what stands behind a.
static void find_known(Between *w) {
  MlirOperation op = needed_now(w);
  uintptr_t n = w->order ? number_of(w->order, op) : 0;
  if (n && w->of_a && sn_table_has(&w->order->pairs, pair_of(n, w->of_a))) {
    reads_a(w);
    return;
  }
  MlirOperation known = w->order ? known_wait(w->order, op) : (MlirOperation){0};
  if (sn_null(known))
    return;
  if (mlirOperationEqual(known, w->a))
    reads_a(w);
  else if (stands_before(w->order, w->a, known))
    need(w, known);
}

// The op of the block that holds `op`; null if that is nowhere in it.
static MlirOperation in_block(MlirOperation op, MlirBlock block) {
  while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// Looks at the next use of what waits for a; false if there is none.
static bool look_at_use(Between *w) {
  while (mlirOpOperandIsNull(w->use)) {
    MlirOperation op = w->waiting.next ? w->waiting.found.data[w->waiting.next - 1].op : (MlirOperation){0};
    if (!sn_null(op) && w->result < sn_num_results(op)) {
      w->use = mlirValueGetFirstUse(sn_result(op, w->result++));
    } else if (w->waiting.next < w->waiting.found.size) {
      ++w->waiting.next;
      w->result = 0;
    } else {
      return false;
    }
  }
  MlirOperation reader = in_block(mlirOpOperandGetOwner(w->use), w->block);
  w->use = mlirOpOperandGetNextUse(w->use);
  if (sn_null(reader) || mlirOperationEqual(reader, w->b) || !stands_before(w->order, reader, w->b))
    return true;
  found(&w->waiting, reader);
  uintptr_t needed = 0, at = 0;
  if (sn_table_get(&w->needed.seen, reader.ptr, &needed) && sn_table_get(&w->waiting.seen, reader.ptr, &at))
    meet(w, began_with(&w->needed, needed - 1), began_with(&w->waiting, at - 1));
  return true;
}

// b waits for something but a that waits for a. If not, *all: what waits for a is all found, in front of b; else what b
// waits for is, behind a, and what waits for a is more than a few times as much.
enum { FEW = 256 };
static bool waits(Between *w, bool *all) {
  size_t operands = 0, uses = 0;
  found(&w->waiting, w->a);
  find_read(w->b, w);
  for (size_t direct = w->needed.found.size; w->needed.next < direct && !w->meet;) {
    ++w->needed.next;
    find_known(w);
  }
  if (!w->meet)
    w->needed.next = 0;
  *all = false;
  while (w->needed.next < w->needed.found.size && !w->meet && !*all) {
    MlirOperation op = w->needed.found.data[w->needed.next++].op;
    operands += 1 + (size_t)sn_num_operands(op);
    find_known(w);
    if (!w->meet && sn_is_form(op))
      find_read(op, w);
    else if (!w->meet)
      mlirOperationWalk(op, find_read, w, MlirWalkPreOrder);
    for (; uses < operands && !w->meet && !*all; ++uses)
      *all = !look_at_use(w);
  }
  for (; !w->meet && !*all && (!w->order || uses < FEW + 4 * operands); ++uses)
    *all = !look_at_use(w);
  return w->meet;
}

typedef struct {
  MlirOperation op;
  uintptr_t place; // 0 where MLIR's own order counts
} Placed;

static int by_place(const void *x, const void *y) {
  const Placed *a = x, *b = y;
  bool before = a->place ? a->place < b->place : mlirOperationIsBeforeInBlock(a->op, b->op);
  return mlirOperationEqual(a->op, b->op) ? 0 : before ? -1 : 1;
}

// What was found, in order.
static void push_in_order(const SnOrder *order, const Walk *w, SnOpVec *to) {
  Placed *sorted = sn_alloc((w->found.size + 1) * sizeof *sorted);
  for (size_t k = 0; k < w->found.size; ++k)
    sorted[k] = (Placed){w->found.data[k].op, order ? sn_order_place(order, w->found.data[k].op) : 0};
  qsort(sorted, w->found.size, sizeof *sorted, by_place);
  for (size_t k = 0; k < w->found.size; ++k)
    sn_push(to, sorted[k].op);
  free(sorted);
}

// What waited for a now waits for the merged op, and moves behind it in its old order.
static bool can_move(const SnOpVec *waiting) {
  for (size_t k = 1; k < waiting->size; ++k)
    if (!sn_is_form(waiting->data[k]) && !sn_is_steps(waiting->data[k]) && !sn_shim_is_pure(waiting->data[k]))
      return false; // a form, or work in steps, may assert: any order will do
  return true;
}

// New places for the operations from `first` on, so many, which stand where the first one had the place `from`.
static void place(SnOrder *order, MlirOperation first, size_t n, uintptr_t from) {
  MlirOperation next = first;
  for (size_t k = 0; k < n; ++k)
    next = mlirOperationGetNextInBlock(next);
  uintptr_t to = sn_null(next) ? from + STEP : sn_order_place(order, next), step = (to - from) / (n + 1);
  assert(from < to && "a new op is given its place");
  for (size_t k = 0; k < n && step; ++k, first = mlirOperationGetNextInBlock(first))
    sn_order_put(order, first, from += step);
  if (!step)
    number(order, mlirOperationGetBlock(first));
}

// b moves to a, behind what it waits for.
static void move_to(SnOrder *order, MlirOperation a, const SnOpVec *needed) {
  uintptr_t from = sn_order_place(order, a);
  MlirOperation last = a;
  for (size_t k = 1; k < needed->size; ++k) {
    mlirOperationMoveAfter(needed->data[k], last);
    last = needed->data[k];
  }
  if (!mlirOperationEqual(last, a))
    mlirOperationMoveAfter(a, last);
  mlirOperationMoveAfter(needed->data[0], a);
  place(order, needed->size > 1 ? needed->data[1] : a, needed->size + 1, from);
}

void sn_move_behind(SnOrder *order, MlirOperation merged, const SnOpVec *waiting) {
  if (order && order->to_a) {
    move_to(order, order->a, waiting);
    return;
  }
  MlirOperation last = merged;
  for (size_t k = 1; k < waiting->size; ++k) {
    mlirOperationMoveAfter(waiting->data[k], last);
    last = waiting->data[k];
  }
  if (order && waiting->size > 1)
    place(order, waiting->data[1], waiting->size - 1, sn_order_place(order, merged));
}

bool sn_nothing_between(SnOrder *order, MlirOperation a, MlirOperation b, SnOpVec *waiting) {
  Between w = {.order = order, .block = mlirOperationGetBlock(a), .a = a, .b = b, .waiting.roots = 1};
  bool all, apart;
  w.of_a = order ? number_of(order, a) : 0;
  apart = waits(&w, &all);
  if (order) {
    order->between = (SnBetween){0};
    order->a = a;
    order->to_a = !apart && !all;
    if (apart) {
      learn(order, b, a);
      order->between = (SnBetween){{known_as(order, w.first), known_as(order, w.last)}, order->age};
    }
  }
  if (!apart && !all)
    sn_push(waiting, b);
  if (!apart)
    push_in_order(order, all ? &w.waiting : &w.needed, waiting);
  walk_free(&w.needed);
  walk_free(&w.waiting);
  return apart ? sn_refuse(b, SN_WHY_WAITS) : can_move(waiting) || sn_refuse(b, SN_WHY_EFFECT);
}
