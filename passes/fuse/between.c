// between.c: what stands between two kernels, and whether it keeps them apart.
//
//   a: makes x      w: reads x      b: reads y         a and b may be one kernel, w moves behind it
//   a: makes x      w: reads x      b: reads x, w's    b waits for w, which waits for a: they stay two
//
// Who waits for whom is found along operands and uses: what else stands between the two costs nothing. What was found
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
  size_t first; // place of the one that it was found from, and that b reads
} Found;

typedef struct {
  SnOrder *order;
  MlirBlock block;
  MlirOperation a, b;
  SnTable seen;
  uintptr_t of_a;      // its number
  SN_VEC(Found) found; // and still to be looked at, from `next` on
  size_t next;
} Between;

static void found(Between *w, MlirOperation op) {
  if (sn_table_has(&w->seen, op.ptr))
    return;
  sn_table_put(&w->seen, op.ptr, 1);
  sn_push(&w->found, ((Found){op, w->next ? w->found.data[w->next - 1].first : w->found.size}));
}

typedef struct {
  Between *between;
  bool reads_a;
} Reads;

// What the op reads, also inside, of what stands behind a.
static MlirWalkResult find_read(MlirOperation op, void *user) {
  Reads *r = user;
  Between *w = r->between;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
    MlirOperation from = sn_definer(sn_operand(op, i));
    if (sn_null(from) || !mlirBlockEqual(mlirOperationGetBlock(from), w->block))
      continue;
    if (mlirOperationEqual(from, w->a))
      r->reads_a = true;
    else if (stands_before(w->order, w->a, from))
      found(w, from);
  }
  return sn_is_form(op) ? MlirWalkResultSkip : MlirWalkResultAdvance; // a form's body sees nothing from outside
}

// Something that is known to wait for a, or for what stands behind a.
static void find_known(Reads *r, MlirOperation op) {
  Between *w = r->between;
  uintptr_t n = w->order ? number_of(w->order, op) : 0;
  if (n && w->of_a && sn_table_has(&w->order->pairs, pair_of(n, w->of_a))) {
    r->reads_a = true;
    return;
  }
  MlirOperation known = w->order ? known_wait(w->order, op) : (MlirOperation){0};
  if (sn_null(known))
    return;
  if (mlirOperationEqual(known, w->a))
    r->reads_a = true;
  else if (stands_before(w->order, w->a, known))
    found(w, known);
}

// b waits for something but a that waits for a.
static bool waits(SnOrder *order, MlirOperation a, MlirOperation b) {
  Between w = {.order = order, .block = mlirOperationGetBlock(a), .a = a, .b = b};
  w.of_a = order ? number_of(order, a) : 0;
  Reads r = {.between = &w};
  find_read(b, &r);
  r.reads_a = false; // b itself may
  for (size_t direct = w.found.size; w.next < direct && !r.reads_a;)
    find_known(&r, w.found.data[w.next++].op);
  if (!r.reads_a)
    w.next = 0;
  while (w.next < w.found.size && !r.reads_a) {
    MlirOperation op = w.found.data[w.next++].op;
    find_known(&r, op);
    if (!r.reads_a && sn_is_form(op))
      find_read(op, &r);
    else if (!r.reads_a)
      mlirOperationWalk(op, find_read, &r, MlirWalkPreOrder);
  }
  if (order && r.reads_a) {
    MlirOperation last = w.found.data[w.next - 1].op, first = w.found.data[w.found.data[w.next - 1].first].op;
    learn(order, b, a);
    order->between = (SnBetween){{known_as(order, first), known_as(order, last)}, order->age};
  }
  sn_vec_free(&w.found);
  sn_table_free(&w.seen);
  return r.reads_a;
}

// The op of the block that holds `op`; null if that is nowhere in it.
static MlirOperation in_block(MlirOperation op, MlirBlock block) {
  while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
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

// What waits for a in front of b, in order; a itself first.
static void find_waiting(SnOrder *order, MlirOperation a, MlirOperation b, SnOpVec *waiting) {
  Between w = {.order = order, .block = mlirOperationGetBlock(a), .a = a, .b = b};
  found(&w, a);
  while (w.next < w.found.size) {
    MlirOperation op = w.found.data[w.next++].op;
    for (intptr_t k = 0; k < sn_num_results(op); ++k)
      for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, k)); !mlirOpOperandIsNull(use);
           use = mlirOpOperandGetNextUse(use)) {
        MlirOperation reader = in_block(mlirOpOperandGetOwner(use), w.block);
        if (!sn_null(reader) && !mlirOperationEqual(reader, b) && stands_before(order, reader, b))
          found(&w, reader);
      }
  }
  Placed *sorted = sn_alloc(w.found.size * sizeof *sorted);
  for (size_t k = 0; k < w.found.size; ++k)
    sorted[k] = (Placed){w.found.data[k].op, order ? sn_order_place(order, w.found.data[k].op) : 0};
  qsort(sorted, w.found.size, sizeof *sorted, by_place);
  for (size_t k = 0; k < w.found.size; ++k)
    sn_push(waiting, sorted[k].op);
  free(sorted);
  sn_vec_free(&w.found);
  sn_table_free(&w.seen);
}

// What waited for a now waits for the merged op, and moves behind it in its old order.
static bool can_move(const SnOpVec *waiting) {
  for (size_t k = 1; k < waiting->size; ++k)
    if (!sn_is_form(waiting->data[k]) && !sn_is_steps(waiting->data[k]) && !sn_shim_is_pure(waiting->data[k]))
      return false; // a form, or work in steps, may assert: any order will do
  return true;
}

void sn_move_behind(SnOrder *order, MlirOperation merged, const SnOpVec *waiting) {
  MlirOperation last = merged;
  for (size_t k = 1; k < waiting->size; ++k) {
    mlirOperationMoveAfter(waiting->data[k], last);
    last = waiting->data[k];
  }
  if (!order || waiting->size < 2)
    return;
  MlirOperation next = mlirOperationGetNextInBlock(last);
  uintptr_t from = sn_order_place(order, merged), to = sn_null(next) ? from + STEP : sn_order_place(order, next),
            step = (to - from) / waiting->size;
  assert(from < to && "a new op is given its place");
  for (size_t k = 1; k < waiting->size && step; ++k)
    sn_order_put(order, waiting->data[k], from += step);
  if (!step)
    number(order, mlirOperationGetBlock(merged));
}

bool sn_nothing_between(SnOrder *order, MlirOperation a, MlirOperation b, SnOpVec *waiting) {
  if (order)
    order->between = (SnBetween){0};
  if (waits(order, a, b))
    return sn_refuse(b, SN_WHY_WAITS);
  find_waiting(order, a, b, waiting);
  return can_move(waiting) || sn_refuse(b, SN_WHY_EFFECT);
}
