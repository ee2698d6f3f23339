// neighbours.c: the forms of a block, and who reads what beside whom.
//
//   %s is read by      a, b, c, d     (as they stand in the block)
//   b and c become m:  a, m, d
//
// Forms that read one value are neighbours. A value that many read has a list of them, so that the nearest are found
// without a look at all; the list changes with the forms. What a form shares with a neighbour is added up value by
// value while neighbours are found, not operand by operand of each of them: a form has tens of neighbours and of
// operands, and shares one or two values with each.
//
// runs in: fuse    test: test/passes/fuse/fuse.mlir

#include "passes/fuse/pairs.h"

// Of the forms that read one value, so many on each side of a form are its neighbours: a weight that hundreds of
// layers share would make a pair of any two of them. Those that are too large already do not count.
enum { MOST_READERS = 16, MOST_LOOKED_AT = 64 };

// The forms that read one value, as they stand in the block.
typedef struct SnReader {
  SnFuseForm *form;
  size_t inputs; // of the form, that are the value
  struct SnReader *before, *behind;
} SnReader;
struct SnReaders {
  SnReader *first;
  size_t size;
  SnTable of_form; // SnReader *
};

static void *looked_up(const SnTable *table, const void *key) {
  uintptr_t value = 0;
  sn_table_get(table, key, &value);
  return (void *)value;
}

SnFuseForm *sn_fuse_form(const SnFuseForms *f, MlirOperation op) {
  return sn_null(op) ? NULL : looked_up(&f->of_op, op.ptr);
}

// What two write is nothing that they share.
static bool is_shared(MlirValue v) { return sn_null(sn_def(v, "tensor.empty")); }

// ---- lists of readers --------------------------------------------------------------------

static SnReaders *readers_of(const SnFuseForms *f, MlirValue v) { return looked_up(&f->of_value, v.ptr); }

// Puts the form where it stands: behind `last`, or further back. Null: from the front.
static void link_behind(const SnFuseForms *f, SnReaders *all, SnFuseForm *form, SnReader *last) {
  SnReader *next = last ? last->behind : all->first, *reader = sn_alloc(sizeof *reader);
  for (; next && sn_order_place(&f->order, next->form->op) < sn_order_place(&f->order, form->op); next = next->behind)
    last = next;
  *reader = (SnReader){.form = form, .before = last, .behind = next};
  *(last ? &last->behind : &all->first) = reader;
  if (next)
    next->before = reader;
  sn_table_put(&all->of_form, form, (uintptr_t)reader);
  ++all->size;
}

// Takes out a form that is in; answers the one before it.
static SnReader *unlink_form(SnReaders *all, SnFuseForm *form) {
  SnReader *reader = looked_up(&all->of_form, form), *before = reader->before;
  *(before ? &before->behind : &all->first) = reader->behind;
  if (reader->behind)
    reader->behind->before = before;
  sn_table_put(&all->of_form, form, 0);
  --all->size;
  free(reader);
  return before;
}

static void free_readers(SnReaders *all) {
  for (SnReader *r = all->first, *next; r; r = next) {
    next = r->behind;
    free(r);
  }
  sn_table_free(&all->of_form);
  free(all);
}

// The form has been found to read the value of the list with its operand k.
static void count_input(const SnReaders *all, const SnFuseForm *form, intptr_t k) {
  SnReader *reader = looked_up(&all->of_form, form);
  reader->inputs += (size_t)k < form->bytes.size;
}

static bool is_read_by_many(MlirValue v) {
  size_t n = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use) && n <= 2 * MOST_READERS;
       use = mlirOpOperandGetNextUse(use))
    ++n;
  return n > 2 * MOST_READERS;
}

static int by_place(const void *x, const void *y) {
  const uintptr_t *a = x, *b = y; // {place, SnFuseForm *}
  return (*a > *b) - (*a < *b);
}

// Makes the list of a value that many forms read, if there is none.
static void list_readers(SnFuseForms *f, MlirValue v) {
  if (readers_of(f, v) || !is_read_by_many(v))
    return;
  typedef struct {
    uintptr_t place;
    SnFuseForm *form;
  } Placed;
  SN_VEC(Placed) found = {0};
  SnReaders *all = sn_alloc(sizeof *all);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    SnFuseForm *form = sn_fuse_form(f, mlirOpOperandGetOwner(use));
    if (form && !sn_table_has(&all->of_form, form)) {
      sn_table_put(&all->of_form, form, 0);
      sn_push(&found, (Placed){sn_order_place(&f->order, form->op), form});
    }
  }
  if (found.size)
    qsort(found.data, found.size, sizeof *found.data, by_place);
  SnReader *last = NULL;
  for (size_t i = 0; i < found.size; ++i) {
    link_behind(f, all, found.data[i].form, last);
    last = looked_up(&all->of_form, found.data[i].form);
  }
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    SnFuseForm *form = sn_fuse_form(f, mlirOpOperandGetOwner(use));
    if (form)
      count_input(all, form, (intptr_t)mlirOpOperandGetOperandNumber(use));
  }
  sn_vec_free(&found);
  sn_push(&f->lists, all);
  sn_table_put(&f->of_value, v.ptr, (uintptr_t)all);
}

// Adds the next form of the block to the list of a value that many read. The block's forms are asked, not the value's
// uses: those may be in any number of other blocks.
static void list_reader(SnFuseForms *f, SnFuseForm *form, intptr_t k, SnTable *last) {
  MlirValue v = sn_operand(form->op, k);
  SnReaders *all = readers_of(f, v);
  if (!all && !is_read_by_many(v))
    return;
  if (!all) {
    all = sn_alloc(sizeof *all);
    sn_push(&f->lists, all);
    sn_table_put(&f->of_value, v.ptr, (uintptr_t)all);
  }
  if (!sn_table_has(&all->of_form, form)) {
    link_behind(f, all, form, looked_up(last, all));
    sn_table_put(last, all, (uintptr_t)looked_up(&all->of_form, form));
  }
  count_input(all, form, k);
}

// ---- forms -------------------------------------------------------------------------------------

static SnFuseForm *add_form(SnFuseForms *f, MlirOperation op) {
  SnFuseForm *form = sn_alloc(sizeof *form);
  SnForm read = sn_form_read(op);
  *form = (SnFuseForm){.op = op, .size = sn_growth(op), .indices = read.indices.size, .outputs = read.outputs.size};
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    form->kept += !mlirOpOperandIsNull(mlirValueGetFirstUse(sn_result(op, k)));
  for (size_t k = 0; k < read.inputs.size; ++k)
    sn_push(&form->bytes, sn_bytes(sn_type_of(read.inputs.data[k].value)));
  sn_form_free(&read);
  sn_table_put(&f->of_op, op.ptr, (uintptr_t)form);
  return form;
}

static void free_form(SnFuseForm *form) {
  sn_vec_free(&form->bytes);
  sn_vec_free(&form->pairs);
  free(form);
}

SnFuseForms sn_fuse_forms(MlirBlock block) {
  SnFuseForms f = {.block = block, .order = sn_order(block)};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is_form(op))
      add_form(&f, op);
  SnTable last = {0}; // of a list, its last reader
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnFuseForm *form = sn_fuse_form(&f, op);
    for (intptr_t k = 0; form && k < sn_num_operands(op); ++k)
      if (is_shared(sn_operand(op, k)))
        list_reader(&f, form, k, &last);
  }
  sn_table_free(&last);
  return f;
}

void sn_fuse_forms_free(SnFuseForms *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnFuseForm *form = sn_fuse_form(f, op);
    if (form)
      free_form(form);
  }
  for (size_t i = 0; i < f->lists.size; ++i)
    free_readers(f->lists.data[i]);
  sn_vec_free(&f->lists);
  sn_order_free(&f->order);
  sn_table_free(&f->of_op);
  sn_table_free(&f->of_value);
}

// ---- neighbours -------------------------------------------------------------------------------

bool sn_is_kept(MlirValue v, MlirOperation b) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!mlirOperationEqual(mlirOpOperandGetOwner(use), b))
      return true;
  return false;
}

// A value that the form reads, or makes.
typedef struct {
  MlirValue value;
  double bytes;
  size_t inputs; // of the form, that are the value; 0: it is no input
} Read;

typedef struct {
  const SnFuseForms *forms;
  SnFuseForm *form;
  uintptr_t place; // of the form
  SnTable of_form; // 1 + place of a neighbour in `to`
  SnNeighbourVec *to;
  SN_VEC(Read) reads;
  SnTable of_value; // 1 + place in `reads`
} Neighbours;

// Null if it is no form, or the form itself.
static SnNeighbour *neighbour(Neighbours *n, SnFuseForm *other) {
  uintptr_t at = 0;
  if (!other || other == n->form)
    return NULL;
  if (!sn_table_get(&n->of_form, other, &at)) {
    bool behind = n->place < sn_order_place(&n->forms->order, other->op);
    sn_push(n->to, ((SnNeighbour){.form = other, .behind = behind}));
    sn_table_put(&n->of_form, other, at = n->to->size);
  }
  return &n->to->data[at - 1];
}

// Both read it, the neighbour with so many inputs: of the later one, the earlier one reads all.
static void share(SnNeighbour *other, const Read *read, size_t inputs) {
  size_t of_later = other->behind ? inputs : read->inputs;
  other->shared.saved += (double)of_later * read->bytes;
  other->shared.same += of_later;
}

static bool is_input(const SnFuseForm *form, MlirOpOperand use) {
  return (size_t)mlirOpOperandGetOperandNumber(use) < form->bytes.size;
}

static void all_siblings(Neighbours *n, const Read *read) {
  for (MlirOpOperand use = mlirValueGetFirstUse(read->value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    SnNeighbour *other = neighbour(n, sn_fuse_form(n->forms, mlirOpOperandGetOwner(use)));
    if (!other || !read->inputs || !is_input(other->form, use))
      continue;
    if (other->behind || other->last != read->value.ptr)
      share(other, read, 1);
    other->last = read->value.ptr;
  }
}

// The nearest of those that read it too and are not too large already, or all if there are few.
static void nearest_siblings(Neighbours *n, const SnReaders *all) {
  bool few = all->size <= 2 * MOST_READERS + 1; // and the form
  for (int back = 0; back < 2; ++back) {
    const SnReader *r = looked_up(&all->of_form, n->form);
    size_t found = 0, looked_at = 0;
    while ((r = back ? r->before : r->behind) && (few || (found < MOST_READERS && looked_at++ < MOST_LOOKED_AT))) {
      bool fits = few || sn_growths_fit(n->form->op, &r->form->size, &n->form->size);
      found += fits;
      if (fits)
        neighbour(n, r->form);
    }
  }
}

static void maker(Neighbours *n, const Read *read) {
  SnNeighbour *other = neighbour(n, sn_fuse_form(n->forms, sn_definer(read->value)));
  if (!other)
    return;
  bool kept = sn_is_kept(read->value, n->form->op);
  other->shared.saved += (double)read->inputs * read->bytes * (kept ? 1 : 2);
  other->shared.same += read->inputs;
  other->shared.sole += !kept;
}

static void readers(Neighbours *n, MlirValue v) {
  MlirOpOperand first = mlirValueGetFirstUse(v);
  bool kept = !mlirOpOperandIsNull(first) && sn_is_kept(v, mlirOpOperandGetOwner(first));
  for (MlirOpOperand use = first; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    SnNeighbour *other = neighbour(n, sn_fuse_form(n->forms, mlirOpOperandGetOwner(use)));
    if (!other)
      continue;
    if (is_input(other->form, use)) {
      other->shared.saved += other->form->bytes.data[mlirOpOperandGetOperandNumber(use)] * (kept ? 1 : 2);
      ++other->shared.same;
    }
    other->shared.sole += !kept && other->last != v.ptr;
    other->last = v.ptr;
  }
}

// What the form reads, each value once.
static void find_reads(Neighbours *n) {
  for (intptr_t k = 0; k < sn_num_operands(n->form->op); ++k) {
    MlirValue v = sn_operand(n->form->op, k);
    bool input = (size_t)k < n->form->bytes.size;
    uintptr_t at = 0;
    if (sn_table_get(&n->of_value, v.ptr, &at)) {
      n->reads.data[at - 1].inputs += input;
    } else if (is_shared(v)) {
      sn_push(&n->reads, ((Read){v, input ? n->form->bytes.data[k] : 0, input}));
      sn_table_put(&n->of_value, v.ptr, n->reads.size);
    }
  }
}

void sn_neighbours(const SnFuseForms *f, SnFuseForm *form, SnNeighbourVec *to) {
  Neighbours n = {.forms = f, .form = form, .place = sn_order_place(&f->order, form->op), .to = to};
  find_reads(&n);
  for (size_t i = 0; i < n.reads.size; ++i) {
    const Read *read = &n.reads.data[i];
    const SnReaders *all = readers_of(f, read->value);
    maker(&n, read);
    if (all)
      nearest_siblings(&n, all);
    else
      all_siblings(&n, read);
  }
  for (intptr_t k = 0; k < sn_num_results(form->op); ++k)
    readers(&n, sn_result(form->op, k));
  // What many read may also be read by who is near for another value.
  for (size_t i = 0; i < n.reads.size; ++i) {
    const SnReaders *all = readers_of(f, n.reads.data[i].value);
    for (size_t k = 0; all && n.reads.data[i].inputs && k < to->size; ++k) {
      const SnReader *reader = looked_up(&all->of_form, to->data[k].form);
      if (reader && reader->inputs)
        share(&to->data[k], &n.reads.data[i], reader->inputs);
    }
  }
  sn_table_free(&n.of_form);
  sn_table_free(&n.of_value);
  sn_vec_free(&n.reads);
}

SnShared sn_shared_by(const SnFuseForm *a, const SnFuseForm *b, SnTable *scratch) {
  SnShared shared = {0};
  for (size_t i = 0; i < a->bytes.size; ++i)
    sn_table_put(scratch, sn_operand(a->op, (intptr_t)i).ptr, 1);
  for (intptr_t k = 0; k < sn_num_operands(b->op); ++k) {
    MlirValue v = sn_operand(b->op, k);
    bool input = (size_t)k < b->bytes.size, flows = mlirOperationEqual(sn_definer(v), a->op),
         both = input && !flows && is_shared(v) && sn_table_has(scratch, v.ptr), kept = !flows || sn_is_kept(v, b->op);
    shared.saved += (flows && input) || both ? b->bytes.data[k] * (kept ? 1 : 2) : 0;
    shared.same += (flows && input) || both;
    if (!kept && !sn_table_has(scratch, v.ptr))
      ++shared.sole;
    if (!kept)
      sn_table_put(scratch, v.ptr, 1);
  }
  sn_table_clear(scratch);
  return shared;
}

bool sn_operands_fit(const SnFuseForm *a, const SnFuseForm *b, const SnShared *shared) {
  size_t n = a->bytes.size + a->indices + a->kept + b->bytes.size + b->indices + b->outputs - shared->same -
             shared->sole;
  for (size_t k = 0; k < b->bytes.size && n > SN_FUSED_OPERANDS; ++k)
    n -= !is_shared(sn_operand(b->op, (intptr_t)k)); // an input without elements, which both may have
  return n <= SN_FUSED_OPERANDS || sn_refuse(b->op, SN_WHY_MANY, (long)n, "operands", (long)SN_FUSED_OPERANDS);
}

// ---- two become one -------------------------------------------------------------------------------

typedef struct {
  SnReaders *readers;
  SnReader *last; // where the form stood behind
} Hint;
typedef struct {
  SN_VEC(Hint) list;
  SnTable of_readers; // place in the list, plus 1
} Hints;

static void forget(SnFuseForms *f, SnFuseForm *form, Hints *hints) {
  for (intptr_t k = 0; k < sn_num_operands(form->op); ++k) {
    SnReaders *all = readers_of(f, sn_operand(form->op, k));
    if (!all || !looked_up(&all->of_form, form))
      continue;
    Hint hint = {all, unlink_form(all, form)};
    uintptr_t known = 0;
    sn_table_get(&hints->of_readers, all, &known);
    if (known) {
      hints->list.data[known - 1] = hint;
    } else {
      sn_push(&hints->list, hint);
      sn_table_put(&hints->of_readers, all, hints->list.size);
    }
  }
  for (intptr_t k = 0; k < sn_num_results(form->op); ++k)
    sn_table_put(&f->of_value, sn_result(form->op, k).ptr, 0); // its readers read something else soon
  sn_table_put(&f->of_op, form->op.ptr, 0);
}

static void remember(SnFuseForms *f, SnFuseForm *form, const Hints *hints) {
  for (intptr_t k = 0; k < sn_num_operands(form->op); ++k) {
    SnReaders *all = readers_of(f, sn_operand(form->op, k));
    uintptr_t known = 0;
    if (all && !looked_up(&all->of_form, form) && sn_table_get(&hints->of_readers, all, &known))
      link_behind(f, all, form, hints->list.data[known - 1].last);
    if (all && looked_up(&all->of_form, form))
      count_input(all, form, k);
  }
  for (intptr_t k = 0; k < sn_num_results(form->op); ++k)
    list_readers(f, sn_result(form->op, k));
}

// The form stands elsewhere in the lists of what it reads.
static void relist_form(SnFuseForms *f, SnFuseForm *form) {
  for (intptr_t i = 0; form && i < sn_num_operands(form->op); ++i) {
    SnReaders *all = readers_of(f, sn_operand(form->op, i));
    SnReader *reader = all ? looked_up(&all->of_form, form) : NULL;
    if (!reader)
      continue;
    size_t inputs = reader->inputs;
    uintptr_t place = sn_order_place(&f->order, form->op);
    SnReader *last = unlink_form(all, form);
    while (last && sn_order_place(&f->order, last->form->op) > place)
      last = last->before;
    link_behind(f, all, form, last);
    reader = looked_up(&all->of_form, form);
    reader->inputs = inputs;
  }
}

// They stand further back now: from the last to the first, each finds those behind it in order. Or further in front,
// with what they move to behind them.
static void relist(SnFuseForms *f, const SnOpVec *waiting) {
  if (!f->order.to_a) {
    for (size_t k = waiting->size; k-- > 1;)
      relist_form(f, sn_fuse_form(f, waiting->data[k]));
    return;
  }
  for (size_t k = 1; k < waiting->size; ++k)
    relist_form(f, sn_fuse_form(f, waiting->data[k]));
  relist_form(f, sn_fuse_form(f, waiting->data[0]));
}

// How many values the form reads that `but` does not make, and that are not in `seen`.
static size_t count_reads(MlirOperation form, MlirOperation but, SnTable *seen) {
  size_t n = 0;
  for (intptr_t k = 0; k < sn_num_operands(form); ++k) {
    MlirValue v = sn_operand(form, k);
    if (mlirOperationEqual(sn_definer(v), but) || !is_shared(v) || sn_table_has(seen, v.ptr))
      continue;
    sn_table_put(seen, v.ptr, 1);
    ++n;
  }
  return n;
}

SnFuseForm *sn_fuse_two(SnFuseForms *f, SnMerge *m, const SnOpVec *waiting, bool *less) {
  SnFuseForm *a = sn_fuse_form(f, m->a.op), *b = sn_fuse_form(f, m->b.op), *form = NULL;
  Hints hints = {0};
  SnTable seen = {0};
  size_t reads = count_reads(a->op, a->op, &seen) + count_reads(b->op, a->op, &seen);
  sn_table_clear(&seen);
  sn_move_behind(&f->order, b->op, waiting);
  relist(f, waiting);
  uintptr_t place = sn_order_place(&f->order, b->op);
  forget(f, a, &hints);
  forget(f, b, &hints);
  MlirOperation old[] = {a->op, b->op}, merged = sn_tidy(sn_merge(m));
  sn_order_merged(&f->order, old[0], old[1], merged);
  if (!sn_null(merged)) {
    sn_order_put(&f->order, merged, place);
    form = add_form(f, merged);
    remember(f, form, &hints);
  }
  *less = !form || count_reads(merged, merged, &seen) < reads;
  if (*less)
    sn_order_reads_less(&f->order);
  free_form(a);
  free_form(b);
  sn_table_free(&seen);
  sn_vec_free(&hints.list);
  sn_table_free(&hints.of_readers);
  return form;
}
