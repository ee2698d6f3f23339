// split.c: a form of several products becomes plain forms, one for each of them.
//
//   contract (i) by (j) by (e) product (k) (x, w)         %p = contract (i) by (j) product (k) (x, w)
//     matrix (j) to (e) (v)                                    { tanh }                       -> [i, j]
//     { %u = row_product (tanh %acc), %v  ... }      ->   %o = contract (i) by (e) product (j) (%p, v)
//                                                              { ... }                        -> [i, e]
//
// Each *piece* computes rows of one group of columns. An operation stands in the first piece in which all that it
// needs is known: behind a row_product one later, and behind another one a scalar that comes from rows of another
// group. What only inputs make is computed again wherever it is read; any other value that a later piece reads is
// stored, a row or one number for each row. A product is computed in the first piece that reads it.
//
// So every form runs wherever its pieces do.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/split/split.mlir

#include "passes/split/split.h"
#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include "passes/edit/edit.h"
#include <assert.h>
#include <stdio.h>

// ---- what a value of the body is ---------------------------------------------------

enum { FREE = -1 }; // made of inputs alone: any piece makes it

typedef struct {
  MlirValue value;
  int64_t stage; // FREE, or which of the pieces of its group
  int64_t group; // that it is computed beside
  bool movable;  // an elementwise function of products and inputs: it may be computed later
  SnAccess stored; // where it is for later pieces; value null while it is nowhere
} Known;

typedef struct {
  SnForm f;
  SnSplit how;
  SnCrossing *crossing; // null: the form is on tensors
  MlirAttribute cut; // what each piece keeps, or null
  SnBuilder b; // in front of the form
  SnRowGroups groups;
  SN_VEC(Known) known;
  int64_t stages;
  bool *done; // of each reduced result: a piece has finished it
  int64_t finish_group; // of the finish's rows; SN_NO_GROUP if it has none, or SN_SEVERAL_GROUPS
  bool ending;          // the form finishes what several pieces reduce
} Split;

static Known *known(Split *s, MlirValue v) {
  for (size_t i = s->known.size; i-- > 0;)
    if (sn_same(s->known.data[i].value, v))
      return &s->known.data[i];
  return NULL;
}

static int64_t group_of(Split *s, MlirValue v) {
  int64_t g = sn_is_row(v) ? sn_row_group(&s->groups, v) : SN_NO_GROUP;
  return g;
}

static bool is_matrix_operand(MlirOperation op, intptr_t k) { return k == 1 && sn_row_op_has(op, SN_READS_MATRIX); }

// The group that the operation has to be computed beside; SN_NO_GROUP for scalars of scalars.
static int64_t home(Split *s, MlirOperation op) {
  if (sn_num_results(op) && sn_is_row(sn_result(op, 0)))
    return group_of(s, sn_result(op, 0));
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)))
      return group_of(s, sn_operand(op, k));
  return SN_NO_GROUP;
}

// ---- when each value is computed ------------------------------------------------------

// A row that is multiplied by a matrix has to lie somewhere: an input does already.
static bool is_multiplied(MlirValue v) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (sn_row_op_has(mlirOpOperandGetOwner(use), SN_READS_MATRIX) && !mlirOpOperandGetOperandNumber(use))
      return true;
  return false;
}

static void place_op(Split *s, MlirOperation op) {
  // What a row gives one number of is computed beside that row.
  bool multiplies = sn_row_op_has(op, SN_READS_MATRIX),
       free = !sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_ONE);
  bool movable = free && !sn_row_op_has(op, SN_READS_ONE) && sn_num_results(op);
  int64_t stage = 0, group = home(s, op);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    Known *x = is_matrix_operand(op, k) ? NULL : known(s, sn_operand(op, k));
    if (!x || x->stage == FREE)
      continue;
    free = false;
    movable &= x->movable;
    if (group == SN_NO_GROUP)
      group = x->group;
    int64_t from = x->stage + (multiplies || x->group != group);
    stage = from > stage ? from : stage;
  }
  free &= sn_num_results(op) > 0; // an assert stands somewhere
  for (intptr_t r = 0; r < sn_num_results(op); ++r)
    free &= !is_multiplied(sn_result(op, r));
  group = group == SN_NO_GROUP ? 0 : group;
  for (intptr_t r = 0; r < sn_num_results(op); ++r)
    sn_push(&s->known, ((Known){sn_result(op, r), free ? FREE : stage, group, movable && !free && !multiplies, {}}));
}

// The latest stage in which `v` can be computed and still be there for each of its users; -1 where a result needs it.
static int64_t latest(Split *s, Known *x) {
  int64_t stage = INT64_MAX;
  MlirOperation end = mlirBlockGetTerminator(s->f.body);
  for (MlirOpOperand use = mlirValueGetFirstUse(x->value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    Known *y = mlirOperationEqual(user, end) || !sn_num_results(user) ? NULL : known(s, sn_result(user, 0));
    if (!y || y->stage == FREE || y->group != x->group || sn_row_op_has(user, SN_READS_MATRIX))
      return -1;
    stage = y->stage < stage ? y->stage : stage;
  }
  return stage == INT64_MAX ? -1 : stage;
}

static bool gives_size(const SnAccess *a, int64_t d) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d)
      return true;
  return false;
}

// A product takes the access as a side: it uses all that is summed (P2) and says how large that is (F7).
static bool fits_product(const SnForm *f, const SnAccess *a, SnGroup summed) {
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    if (!sn_access_uses(f, a, d) || (f->dims.data[d].size == SN_DYNAMIC && !gives_size(a, d)))
      return false;
  return true;
}

static void place_input(Split *s, size_t k) {
  SnForm *f = &s->f;
  MlirValue v = sn_input_argument(f, k);
  int64_t group = sn_group_of_access(f, &f->inputs.data[k]);
  bool stored = group >= 0 && is_multiplied(v) && !fits_product(f, &f->inputs.data[k], sn_group(f, (size_t)group));
  sn_push(&s->known, ((Known){v, stored ? 0 : FREE, stored ? group : SN_NO_GROUP, false, {}}));
}

static void place_values(Split *s) {
  SnForm *f = &s->f;
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&s->known, ((Known){sn_product_argument(f, p), 0, sn_group_of_product(f, p), true, {}}));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    place_input(s, k);
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    place_op(s, op);
  for (size_t i = s->known.size; i-- > 0;) { // users stand behind
    Known *x = &s->known.data[i];
    int64_t later = x->movable && x->stage != FREE ? latest(s, x) : -1;
    x->stage = later > x->stage ? later : x->stage;
    s->stages = x->stage + 1 > s->stages ? x->stage + 1 : s->stages;
  }
}

// ---- sizes and destinations ----------------------------------------------------------------

// A destination over these dimensions of the form, an empty tensor or a memref, and the map of its elements.
static SnAccess empty(Split *s, MlirType element, const int64_t *dims, intptr_t n, bool total) {
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS], v;
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t dynamic = 0;
  for (intptr_t i = 0; i < n; ++i) {
    shape[i] = s->f.dims.data[dims[i]].size;
    if (shape[i] == SN_DYNAMIC && !s->crossing)
      sizes[dynamic++] = sn_size_value(&s->b, &s->f, dims[i]);
    exprs[i] = mlirAffineDimExprGet(s->b.ctx, dims[i]);
  }
  if (s->crossing)
    v = s->crossing->place(&s->b, &s->f, element, dims, n, total || s->ending, s->crossing->user);
  else
    v = sn(&s->b, "tensor.empty", sn_values(dynamic, sizes), sn_tensor(element, n, shape));
  return (SnAccess){.value = v, .map = mlirAffineMapGet(s->b.ctx, (intptr_t)s->f.dims.size, 0, n, exprs)};
}

// Rows, and the columns of a group if there is one.
static intptr_t row_dims(const SnForm *f, int64_t group, int64_t *dims) {
  intptr_t n = 0;
  for (int64_t d = 0; d < f->num_rows; ++d)
    dims[n++] = d;
  SnGroup g = group >= 0 ? sn_group(f, (size_t)group) : (SnGroup){0};
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    dims[n++] = d;
  return n;
}

// ---- sides that are no access that a product takes ------------------------------------------------

static bool is_in(SnGroup g, int64_t d) { return d >= g.first && d < g.first + g.num_dims; }

// The dimensions that accesses and program use, those that are summed last.
static intptr_t used_dims(const SnForm *f, SnSide side, SnGroup summed, const SnAccess *accesses, int64_t *used) {
  intptr_t n = 0;
  for (int own = 0; own < 2; ++own)
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
      bool uses = is_in(summed, d);
      for (size_t k = 0; k < side.count && !uses; ++k)
        uses = sn_access_uses(f, &accesses[k], d);
      MlirOperation op = side.program.ptr ? mlirBlockGetFirstOperation(side.program) : (MlirOperation){0};
      for (; !sn_null(op) && !uses; op = mlirOperationGetNextInBlock(op))
        uses = sn_row_op_names(op, f->dims.data[d].name);
      if (uses && is_in(summed, d) == own)
        used[n++] = d;
    }
  return n;
}

// The elements of a side by a form of their own: its program over what it uses and what is summed. Without a program
// it is what its one access reads.
static SnAccess stored_side(Split *s, SnSide side, SnGroup summed, const SnAccess *accesses, MlirType element) {
  SnForm *f = &s->f;
  int64_t used[SN_MAX_DIMS];
  intptr_t n = used_dims(f, side, summed, accesses, used);
  MlirAffineExpr dims[SN_MAX_DIMS];
  SnForm to = {.num_rows = n - summed.num_dims, .num_cols = summed.num_dims};
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineConstantExprGet(s->b.ctx, 0);
  for (intptr_t i = 0; i < n; ++i) {
    dims[used[i]] = mlirAffineDimExprGet(s->b.ctx, i);
    sn_push(&to.dims, f->dims.data[used[i]]);
  }
  SnAccess made = empty(s, element, used, n, false);
  for (size_t k = 0; k < side.count; ++k) {
    SnAccess a = accesses[k];
    a.map = sn_map_replace(a.map, n, dims);
    if (a.through.ptr) {
      int64_t through[SN_MAX_DIMS];
      intptr_t symbols = mlirDenseArrayGetNumElements(a.through);
      for (intptr_t i = 0; i < symbols; ++i) {
        SnAccess index = f->indices.data[mlirDenseI64ArrayGetElement(a.through, i)];
        index.map = sn_map_replace(index.map, n, dims);
        through[i] = (int64_t)to.indices.size;
        sn_push(&to.indices, index);
      }
      a.through = mlirDenseI64ArrayGet(s->b.ctx, symbols, through);
    }
    sn_push(&to.inputs, a);
  }
  sn_push(&to.outputs,
          ((SnAccess){.value = made.value, .map = mlirAffineMapMultiDimIdentityGet(s->b.ctx, (intptr_t)n)}));
  MlirOperation form = sn_form_create(&s->b, &to, false);
  SnBuilder in = sn_at_end(to.body, s->b.loc);
  if (side.program.ptr) {
    SnMap map = {0};
    for (size_t k = 0; k < to.inputs.size; ++k)
      sn_map(&map, mlirBlockGetArgument(side.program, (intptr_t)k), sn_input_argument(&to, k));
    sn_copy_ops(&in, side.program, &map);
    sn_clone(&in, mlirBlockGetTerminator(side.program), &map);
    sn_map_free(&map);
  } else {
    MlirValue v = sn_as_row(&in, sn_input_argument(&to, 0), sn_row_type(&to, element));
    sn_op(&in, "sinter.yield", v, sn_types(0, NULL));
  }
  made.value = sn_result(form, 0);
  sn_form_free(&to);
  return made;
}

// One access in the side's place.
static void split_side(Split *s, size_t number) {
  SnForm *f = &s->f;
  sn_spell_sides(f);
  SnSide side = sn_side(f, number);
  SnAccess made = stored_side(s, side, sn_side_summed(f, number), &f->inputs.data[side.first],
                              sn_side_element(f, number));
  SN_VEC(SnAccess) inputs = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (k == side.first)
      sn_push(&inputs, made);
    else if (k < side.first || k >= side.first + side.count)
      sn_push(&inputs, f->inputs.data[k]);
  free(f->inputs.data);
  memcpy(&f->inputs, &inputs, sizeof inputs);
  for (size_t i = number + 1; i < f->sides.size; ++i)
    f->sides.data[i].first -= side.count - 1;
  f->sides.data[number] = (SnSide){.first = side.first, .count = 1};
}

// A product uses in each side all that it sums (P2).
static bool side_uses_all(const SnForm *f, size_t side, SnGroup summed) {
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    if (!sn_side_uses(f, side, d))
      return false;
  return true;
}

// ---- pieces ----------------------------------------------------------------------------------

typedef struct {
  Split *s;
  int64_t stage, group;
  SnForm to;
  MlirAffineExpr dims[SN_MAX_DIMS]; // of the form, in the piece: 0 where it has none
  int64_t from[SN_MAX_DIMS];        // of the piece, in the form
  SN_VEC(MlirValue) products;       // of the body, that the piece's products give
  SN_VEC(MlirValue) reads;          // of the body, that come in as inputs behind the sides
  SN_VEC(SnAccess) read_from;
  SN_VEC(MlirOperation) ops;        // of the body, that are computed here
  SN_VEC(MlirValue) gives;          // of the body, one for each destination that is not reduced
  SN_VEC(size_t) results;           // which result of the form that is; SN_NO_RESULT: a value for later pieces
  SN_VEC(size_t) accumulators;      // of the form
} Piece;
enum { SN_NO_RESULT = -1 };

static bool is_here(const Piece *p, const Known *x) { return x && x->stage == p->stage && x->group == p->group; }

// The first piece that there is anyway, of that group if it is one; the group's first if there is none.
static bool is_first(const Piece *p, int64_t group) {
  const Known *first = NULL;
  for (size_t i = 0; i < p->s->known.size; ++i) {
    const Known *x = &p->s->known.data[i];
    if (x->stage == FREE || (group >= 0 && x->group != group))
      continue;
    if (!first || x->stage < first->stage || (x->stage == first->stage && x->group < first->group))
      first = x;
  }
  return first ? is_here(p, first) : p->stage == 0 && p->group == (group < 0 ? 0 : group);
}

// The operation as a value of the body would be placed: asserts have none.
static bool op_is_here(Piece *p, MlirOperation op) {
  if (sn_num_results(op))
    return is_here(p, known(p->s, sn_result(op, 0)));
  Known *x = known(p->s, sn_operand(op, 0));
  return x && x->stage != FREE ? is_here(p, x) : is_first(p, SN_NO_GROUP);
}

// A value that the body yields, as long as nothing is known of it but its inputs, is given by a piece that there is.
static bool gives(Piece *p, MlirValue v, int64_t group) {
  Known *x = known(p->s, v);
  return x && x->stage != FREE ? is_here(p, x) : is_first(p, group);
}

// So is what it accumulates, beside others that its finish reads with it.
static bool accumulates(Piece *p, size_t accumulator) {
  SnForm *f = &p->s->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  MlirValue v = sn_operand(yield, (intptr_t)accumulator);
  int64_t group = sn_group_of_map(f, f->accumulators.data[accumulator].map);
  if (known(p->s, v)->stage != FREE || !f->finish.ptr)
    return gives(p, v, group);
  const Known *last = NULL;
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const Known *x = known(p->s, sn_operand(yield, (intptr_t)k));
    if (x->stage != FREE && (group < 0 || x->group == group))
      last = x;
  }
  return last ? is_here(p, last) : gives(p, v, group);
}

static bool has_value(const void *data, size_t n, MlirValue v) {
  const MlirValue *values = data;
  for (size_t i = 0; i < n; ++i)
    if (sn_same(values[i], v))
      return true;
  return false;
}

// Some piece that is not this one reads it.
static bool is_read_elsewhere(Piece *p, MlirValue v) {
  MlirOperation end = mlirBlockGetTerminator(p->s->f.body);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, end) && (sn_row_op_has(user, SN_READS_MATRIX) || !op_is_here(p, user)))
      return true;
  }
  return false;
}

// Makes `v` known in the piece, with all that it needs.
static void need(Piece *p, MlirValue v) {
  Split *s = p->s;
  Known *x = known(s, v);
  if (has_value(p->reads.data, p->reads.size, v) || has_value(p->products.data, p->products.size, v))
    return;
  MlirOperation op = sn_definer(v);
  bool free = x->stage == FREE, argument = sn_null(op),
       product = argument ? mlirBlockArgumentGetArgNumber(v) < (intptr_t)s->f.products.size
                          : sn_row_op_has(op, SN_READS_MATRIX);
  if (product && is_here(p, x)) {
    sn_push(&p->products, v);
    return;
  }
  if (argument && (free || is_here(p, x))) {
    for (size_t k = sn_first_input(&s->f); k < s->f.inputs.size; ++k)
      if (sn_same(v, sn_input_argument(&s->f, k))) {
        sn_push(&p->reads, v);
        sn_push(&p->read_from, s->f.inputs.data[k]);
      }
    return;
  }
  if (!free && !is_here(p, x)) {
    assert(x->stored.value.ptr && "an earlier piece stores it");
    sn_push(&p->reads, v);
    sn_push(&p->read_from, x->stored);
    return;
  }
  for (size_t i = 0; i < p->ops.size; ++i)
    if (mlirOperationEqual(p->ops.data[i], op))
      return;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    need(p, sn_operand(op, k));
  sn_push(&p->ops, op);
}

static void give(Piece *p, MlirValue v, size_t result) {
  need(p, v);
  sn_push(&p->gives, v);
  sn_push(&p->results, result);
}

// What the piece is for: results, accumulators, asserts, and what later pieces read.
static bool plan(Piece *p) {
  SnForm *f = &p->s->f;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    if (accumulates(p, k)) {
      need(p, sn_operand(yield, (intptr_t)k));
      sn_push(&p->accumulators, k);
    }
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirValue v = sn_is_reduced(f, k) ? (MlirValue){0} : sn_operand(yield, (intptr_t)sn_output_position(f, k));
    if (!sn_none(v) && gives(p, v, sn_group_of_map(f, f->outputs.data[k].map)))
      give(p, v, k);
  }
  for (size_t i = 0; i < p->s->known.size; ++i) {
    MlirValue v = p->s->known.data[i].value;
    if (is_here(p, &p->s->known.data[i]) && is_read_elsewhere(p, v) && !has_value(p->gives.data, p->gives.size, v))
      give(p, v, (size_t)SN_NO_RESULT);
  }
  bool asserts = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (!sn_num_results(op) && !mlirOperationEqual(op, yield) && op_is_here(p, op)) {
      need(p, sn_operand(op, 0));
      sn_push(&p->ops, op);
      asserts = true;
    }
  return asserts || p->gives.size || p->accumulators.size;
}

// ---- the piece as a form -------------------------------------------------------------------------

static void push_dim(Piece *p, int64_t d) {
  SnDim dim = p->s->f.dims.data[d];
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)dim.name.length, dim.name.data);
  dim.name = sn_fresh_name(p->s->b.ctx, &p->to, name);
  p->dims[d] = mlirAffineDimExprGet(p->s->b.ctx, (intptr_t)p->to.dims.size);
  p->from[p->to.dims.size] = d;
  sn_push(&p->to.dims, dim);
}

// The access over the piece's dimensions, with the index tensors that it goes through.
static SnAccess moved(Piece *p, SnAccess a) {
  a.map = sn_map_replace(a.map, SN_MAX_DIMS, p->dims); // how many the piece has is known at the end
  if (a.through.ptr) {
    int64_t through[SN_MAX_DIMS];
    intptr_t n = mlirDenseArrayGetNumElements(a.through);
    for (intptr_t i = 0; i < n; ++i) {
      through[i] = (int64_t)p->to.indices.size;
      SnAccess index = moved(p, p->s->f.indices.data[mlirDenseI64ArrayGetElement(a.through, i)]);
      sn_push(&p->to.indices, index);
    }
    a.through = mlirDenseI64ArrayGet(p->s->b.ctx, n, through);
  }
  return a;
}

static void push_side(Piece *p, size_t side) {
  SnSide s = sn_side(&p->s->f, side);
  sn_push(&p->to.sides, ((SnSide){p->to.inputs.size, s.count, s.program}));
  for (size_t k = s.first; k < s.first + s.count; ++k)
    sn_push(&p->to.inputs, moved(p, p->s->f.inputs.data[k]));
}

static void push_access(Piece *p, SnAccess a) {
  sn_push(&p->to.sides, ((SnSide){p->to.inputs.size, 1, {0}}));
  sn_push(&p->to.inputs, moved(p, a));
}

// Where operands are memrefs, a piece has the form's schedule.
static MlirOperation create(Split *s, SnForm *to, bool finish) {
  if (s->crossing)
    to->schedule = s->f.schedule;
  return sn_form_create(&s->b, to, finish);
}

// What the form's destination `i` holds then: its result, or the memref that it is.
static MlirValue written(const SnForm *f, size_t i) {
  return (intptr_t)i < sn_num_results(f->op) ? sn_result(f->op, (intptr_t)i) : f->outputs.data[i].value;
}

static void replace_result(Split *s, size_t result, MlirValue with) {
  if ((intptr_t)result < sn_num_results(s->f.op))
    mlirValueReplaceAllUsesOfWith(sn_result(s->f.op, (intptr_t)result), with);
}

// A product of the form, or a row times a matrix: the row is the first side, its columns are the product's own.
static void push_product(Piece *p, MlirValue v) {
  SnForm *f = &p->s->f;
  MlirOperation op = sn_definer(v);
  SnGroup own;
  if (sn_null(op)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(v);
    own = sn_side_summed(f, 2 * (size_t)number);
    sn_push(&p->to.products, f->products.data[number]);
    for (int64_t d = own.first; d < own.first + own.num_dims; ++d)
      push_dim(p, d);
    push_side(p, 2 * (size_t)number);
    push_side(p, 2 * (size_t)number + 1);
  } else {
    size_t matrix = (size_t)mlirBlockArgumentGetArgNumber(sn_operand(op, 1)) - f->products.size;
    own = sn_group(f, (size_t)f->matrices.data[matrix].from);
    MlirValue row = sn_operand(op, 0);
    sn_push(&p->to.products, ((SnProduct){own.num_dims, sn_element(sn_type_of(v))}));
    for (int64_t d = own.first; d < own.first + own.num_dims; ++d)
      push_dim(p, d);
    if (sn_null(sn_definer(row)) && known(p->s, row)->stage == FREE) {
      for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
        if (sn_same(row, sn_input_argument(f, k)))
          push_access(p, f->inputs.data[k]);
    } else {
      push_access(p, known(p->s, row)->stored);
    }
    push_side(p, 2 * f->products.size + matrix);
  }
  for (int64_t d = own.first; d < own.first + own.num_dims; ++d) // the next product's are others
    p->dims[d] = mlirAffineConstantExprGet(p->s->b.ctx, 0);
}

static MlirValue piece_argument(Piece *p, MlirValue v) {
  for (size_t i = 0; i < p->products.size; ++i)
    if (sn_same(p->products.data[i], v))
      return sn_product_argument(&p->to, i);
  for (size_t i = 0; i < p->reads.size; ++i)
    if (sn_same(p->reads.data[i], v))
      return sn_input_argument(&p->to, sn_first_input(&p->to) + i);
  return (MlirValue){0};
}

// The programs of the piece's sides name what is summed as the form does.
static void rename_indices(Piece *p) {
  for (size_t i = 0; i < p->products.size; ++i) {
    MlirOperation product = sn_definer(p->products.data[i]);
    SnGroup is = sn_side_summed(&p->to, 2 * i), was = is;
    if (sn_null(product))
      was = sn_side_summed(&p->s->f, 2 * (size_t)mlirBlockArgumentGetArgNumber(p->products.data[i]));
    else
      was = sn_group(&p->s->f, (size_t)p->s->f.matrices
                                   .data[mlirBlockArgumentGetArgNumber(sn_operand(product, 1)) -
                                         (intptr_t)p->s->f.products.size]
                                   .from);
    for (size_t side = 2 * i; side < 2 * i + 2; ++side) {
      MlirBlock program = sn_side(&p->to, side).program;
      MlirOperation op = program.ptr ? mlirBlockGetFirstOperation(program) : (MlirOperation){0};
      for (; !sn_null(op); op = mlirOperationGetNextInBlock(op))
        for (int64_t d = 0; d < was.num_dims; ++d)
          if (sn_row_op_names(op, p->s->f.dims.data[was.first + d].name)) {
            sn_set_attr(op, "dim", mlirStringAttrGet(p->s->b.ctx, p->to.dims.data[is.first + d].name));
            break;
          }
    }
  }
}

static SnAccess destination(Piece *p, size_t i, SnAccess *stored) {
  Split *s = p->s;
  if (p->results.data[i] != (size_t)SN_NO_RESULT)
    return s->f.outputs.data[p->results.data[i]];
  MlirValue v = p->gives.data[i];
  int64_t dims[SN_MAX_DIMS];
  intptr_t n = row_dims(&s->f, sn_is_row(v) ? p->group : SN_NO_GROUP, dims);
  return *stored = empty(s, sn_element(sn_type_of(v)), dims, n, false);
}

// Which arguments of the finish a value of it is made of.
static void made_of(MlirValue v, bool *of) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    of[mlirBlockArgumentGetArgNumber(v)] = true;
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op); ++k)
    made_of(sn_operand(op, k), of);
}

// Which accumulators a reduced result needs, and behind them which inputs of the finish; with those of all that the
// finish asserts. Free them.
static bool *needs_of(const SnForm *f, size_t output) {
  bool *of = sn_alloc(f->accumulators.size + f->inputs.size + 1);
  size_t position = sn_output_position(f, output);
  if (!f->finish.ptr) {
    of[position] = true;
    return of;
  }
  made_of(sn_operand(mlirBlockGetTerminator(f->finish), (intptr_t)position), of);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->finish); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert"))
      made_of(sn_operand(op, 0), of);
  return of;
}

static bool accumulates_here(const Piece *p, size_t accumulator) {
  for (size_t i = 0; i < p->accumulators.size; ++i)
    if (p->accumulators.data[i] == accumulator)
      return true;
  return false;
}

// A reduced result of which all that it needs is here, and its rows are of the piece's group.
static bool finishes(const Piece *p, size_t output) {
  const SnForm *f = &p->s->f;
  int64_t group = p->s->finish_group;
  if (!sn_is_reduced(f, output) || p->s->done[output] || !p->accumulators.size ||
      (f->finish.ptr && group != SN_NO_GROUP && group != p->group))
    return false;
  bool *of = needs_of(f, output), here = true;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    here &= !of[k] || accumulates_here(p, k);
  free(of);
  return here;
}

static bool has_finish(const Piece *p) {
  for (size_t k = 0; k < p->s->f.outputs.size && p->s->f.finish.ptr; ++k)
    if (finishes(p, k))
      return true;
  return false;
}

// A result that is finished elsewhere needs the accumulator.
static bool is_needed_elsewhere(const Piece *p, size_t accumulator) {
  const SnForm *f = &p->s->f;
  bool needed = false;
  for (size_t k = 0; k < f->outputs.size && !needed; ++k) {
    if (!sn_is_reduced(f, k) || finishes(p, k))
      continue;
    bool *of = needs_of(f, k);
    needed = of[accumulator];
    free(of);
  }
  return needed;
}

// What the part of the finish that is here reads of the form's inputs.
static void need_uniform(Piece *p) {
  const SnForm *f = &p->s->f;
  for (size_t output = 0; output < f->outputs.size; ++output) {
    if (!finishes(p, output))
      continue;
    bool *of = needs_of(f, output);
    for (size_t k = sn_first_input(f), argument = f->accumulators.size; k < f->inputs.size; ++k)
      if (sn_is_uniform(f, k) && of[argument++])
        need(p, sn_input_argument(f, k));
    free(of);
  }
}

// Copies what makes the value, and each thing once.
static MlirValue copy_made(SnBuilder *b, MlirValue v, SnMap *map) {
  MlirOperation op = sn_definer(v);
  if (sn_none(sn_mapped(map, v)) && !sn_null(op)) {
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      copy_made(b, sn_operand(op, k), map);
    sn_clone(b, op, map);
  }
  return sn_lookup(map, v);
}

static void copy_asserts(SnBuilder *b, const SnForm *f, SnMap *map) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->finish); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert")) {
      copy_made(b, sn_operand(op, 0), map);
      sn_clone(b, op, map);
    }
}

// The part of the finish that is about accumulators of the piece: those that are handed on, then the results.
static void copy_finish(Piece *p, const SnForm *f, const SnValueVec *handed_on) {
  SnMap map = {0};
  intptr_t from = (intptr_t)f->accumulators.size, to = 0;
  for (size_t i = 0; i < p->accumulators.size; ++i)
    sn_map(&map, mlirBlockGetArgument(f->finish, (intptr_t)p->accumulators.data[i]),
           mlirBlockGetArgument(p->to.finish, to++));
  size_t first = sn_first_input(&p->to);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k)) {
      intptr_t at = to;
      for (size_t i = 0; i < p->reads.size; ++i) {
        if (sn_same(p->reads.data[i], sn_input_argument(f, k)))
          sn_map(&map, mlirBlockGetArgument(f->finish, from), mlirBlockGetArgument(p->to.finish, at));
        at += sn_is_uniform(&p->to, first + i);
      }
      ++from;
    }
  SnBuilder in = sn_at_end(p->to.finish, p->s->b.loc);
  SnValueVec yields = {0};
  copy_asserts(&in, f, &map);
  for (size_t i = 0; i < handed_on->size; ++i)
    sn_push(&yields, sn_lookup(&map, handed_on->data[i]));
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (finishes(p, k)) {
      intptr_t position = (intptr_t)sn_output_position(f, k);
      sn_push(&yields, copy_made(&in, sn_operand(mlirBlockGetTerminator(f->finish), position), &map));
    }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
}

static bool has_row(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (sn_is_row(sn_operand(op, k)))
      return true;
  return sn_num_results(op) && sn_is_row(sn_result(op, 0));
}

static bool uses_columns(const Piece *p) {
  const SnForm *f = &p->s->f;
  bool uses = p->products.size || (has_finish(p) && p->s->finish_group >= 0);
  for (size_t i = 0; i < p->ops.size && !uses; ++i)
    uses = has_row(p->ops.data[i]);
  for (size_t i = 0; i < p->gives.size && !uses; ++i)
    uses = sn_is_row(p->gives.data[i]);
  for (size_t i = 0; i < p->accumulators.size && !uses; ++i)
    uses = sn_group_of_map(f, f->accumulators.data[p->accumulators.data[i]].map) >= 0;
  return uses;
}

static void trim_maps(Piece *p) {
  MlirAffineExpr same[SN_MAX_DIMS];
  MlirContext ctx = p->s->b.ctx;
  intptr_t n = (intptr_t)p->to.dims.size;
  for (intptr_t d = 0; d < SN_MAX_DIMS; ++d)
    same[d] = d < n ? mlirAffineDimExprGet(ctx, d) : mlirAffineConstantExprGet(ctx, 0);
  for (size_t k = 0; k < p->to.inputs.size; ++k)
    p->to.inputs.data[k].map = sn_map_replace(p->to.inputs.data[k].map, n, same);
  for (size_t k = 0; k < p->to.indices.size; ++k)
    p->to.indices.data[k].map = sn_map_replace(p->to.indices.data[k].map, n, same);
  for (size_t k = 0; k < p->to.outputs.size; ++k)
    p->to.outputs.data[k].map = sn_map_replace(p->to.outputs.data[k].map, n, same);
  for (size_t k = 0; k < p->to.accumulators.size; ++k)
    p->to.accumulators.data[k].map = sn_map_replace(p->to.accumulators.data[k].map, n, same);
}

static const SnAccess *access_of(const SnForm *f, size_t k) {
  return k < f->inputs.size                     ? &f->inputs.data[k]
         : k < f->inputs.size + f->indices.size ? &f->indices.data[k - f->inputs.size]
                                                : &f->outputs.data[k - f->inputs.size - f->indices.size];
}

// A size `?` that no operand of the new form says (F7) comes in by an input without elements of its own: an empty
// tensor as large, which nobody reads. `from`: which dimension of the form each dimension is.
static void add_sizes(Split *s, SnForm *to, const int64_t *from) {
  for (int64_t d = 0; d < to->num_rows + to->num_cols; ++d) {
    bool known = to->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size && !known; ++k)
      known = gives_size(access_of(to, k), d);
    if (known)
      continue;
    SnAccess a = empty(s, mlirIntegerTypeGet(s->b.ctx, 1), &from[d], 1, true);
    MlirAffineExpr e = mlirAffineDimExprGet(s->b.ctx, (intptr_t)d);
    a.map = mlirAffineMapGet(s->b.ctx, (intptr_t)to->dims.size, 0, 1, &e);
    sn_push(&to->inputs, a);
  }
}

static bool any_program(const SnForm *f) {
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr)
      return true;
  return false;
}

// Where what it multiplies stands in the program, or what it reads.
static MlirLocation location(const Piece *p) {
  const Split *s = p->s;
  SN_VEC(MlirValue) from = {0};
  for (size_t i = 0; i < p->products.size; ++i) {
    MlirOperation op = sn_definer(p->products.data[i]);
    sn_push(&from, sn_null(op) ? p->products.data[i] : sn_operand(op, 1));
  }
  for (size_t i = 0; i < p->reads.size && !p->products.size; ++i)
    if (mlirValueIsABlockArgument(p->reads.data[i]))
      sn_push(&from, p->reads.data[i]);
  MlirLocation found = from.size ? mlirValueGetLocation(from.data[0]) : s->b.loc;
  for (size_t i = 1; i < from.size; ++i)
    found = sn_fuse_loc(found, mlirValueGetLocation(from.data[i]));
  sn_vec_free(&from);
  return found;
}

// The accumulators' values over the whole grid where a later form finishes them: from this piece, at the same number.
typedef SN_VEC(MlirValue) Totals;

static void emit_piece(Piece *p, Totals *totals) {
  Split *s = p->s;
  SnForm *f = &s->f;
  SnGroup group = sn_group(f, (size_t)p->group);
  MlirLocation whole = s->b.loc;
  s->b.loc = location(p);
  if (!uses_columns(p))
    group.num_dims = 0;
  for (int64_t d = 0; d < SN_MAX_DIMS; ++d)
    p->dims[d] = mlirAffineConstantExprGet(s->b.ctx, 0);
  for (int64_t d = 0; d < f->num_rows; ++d)
    push_dim(p, d);
  for (int64_t d = group.first; d < group.first + group.num_dims; ++d)
    push_dim(p, d);
  p->to.num_rows = f->num_rows;
  p->to.num_cols = group.num_dims;
  p->to.contract = p->products.size > 0;
  bool finish = has_finish(p);
  if (finish)
    need_uniform(p);
  for (size_t i = 0; i < p->products.size; ++i)
    push_product(p, p->products.data[i]);
  if (!any_program(&p->to))
    sn_vec_free(&p->to.sides);
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_push(&p->to.inputs, moved(p, p->read_from.data[i]));
  SnAccess *stored = sn_alloc((p->gives.size + f->outputs.size + f->accumulators.size + 1) * sizeof *stored);
  SN_VEC(size_t) of = {0}, total_of = {0}; // which result of the form each destination is, or which accumulator
  SnValueVec handed_on = {0};
  for (size_t i = 0; i < p->gives.size; ++i) {
    sn_push(&p->to.outputs, moved(p, destination(p, i, &stored[i])));
    sn_push(&of, p->results.data[i]);
  }
  for (size_t i = 0; i < p->accumulators.size; ++i) {
    SnAccumulator a = f->accumulators.data[p->accumulators.data[i]];
    int64_t dims[SN_MAX_DIMS], cols = sn_group_of_map(f, a.map);
    intptr_t n = 0;
    SnGroup g = cols >= 0 ? sn_group(f, (size_t)cols) : (SnGroup){0};
    for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
      dims[n++] = d;
    a.map = sn_map_replace(a.map, SN_MAX_DIMS, p->dims);
    sn_push(&p->to.accumulators, a);
    if (f->finish.ptr && (!finish || is_needed_elsewhere(p, p->accumulators.data[i]))) {
      sn_push(&p->to.outputs, moved(p, empty(s, a.type, dims, n, true)));
      sn_push(&of, (size_t)SN_NO_RESULT);
      sn_push(&total_of, p->accumulators.data[i]);
      sn_push(&handed_on, mlirBlockGetArgument(f->finish, (intptr_t)p->accumulators.data[i]));
    }
  }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (finishes(p, k)) {
      sn_push(&p->to.outputs, moved(p, f->outputs.data[k]));
      sn_push(&of, k);
    }
  trim_maps(p);
  add_sizes(s, &p->to, p->from);
  MlirOperation made = create(s, &p->to, finish);
  if (s->crossing)
    sn_push(s->ending ? &s->crossing->ends : &s->crossing->pieces, made);
  rename_indices(p);
  SnBuilder in = sn_at_end(p->to.body, s->b.loc);
  SnMap map = {0};
  for (size_t i = 0; i < p->products.size; ++i)
    sn_map(&map, p->products.data[i], piece_argument(p, p->products.data[i]));
  for (size_t i = 0; i < p->reads.size; ++i)
    sn_map(&map, p->reads.data[i], piece_argument(p, p->reads.data[i]));
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (size_t i = 0; i < p->ops.size; ++i)
      if (mlirOperationEqual(p->ops.data[i], op))
        sn_clone(&in, op, &map);
  SnValueVec yields = {0};
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (size_t i = 0; i < p->accumulators.size; ++i)
    sn_push(&yields, sn_lookup(&map, sn_operand(yield, (intptr_t)p->accumulators.data[i])));
  for (size_t i = 0; i < p->gives.size; ++i)
    sn_push(&yields, sn_lookup(&map, p->gives.data[i]));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  if (finish)
    copy_finish(p, f, &handed_on);
  for (size_t i = 0, total = 0; i < of.size; ++i) {
    MlirValue result = written(&p->to, i);
    if (of.data[i] != (size_t)SN_NO_RESULT) {
      replace_result(s, of.data[i], result);
      stored[i] = f->outputs.data[of.data[i]];
    }
    if (i < p->gives.size) {
      stored[i].value = result;
      known(s, p->gives.data[i])->stored = stored[i];
    } else if (of.data[i] != (size_t)SN_NO_RESULT) {
      s->done[of.data[i]] = true;
    } else {
      totals->data[total_of.data[total++]] = result;
    }
  }
  if (s->cut.ptr)
    sn_set_attr(made, "sinter.cut", s->cut);
  s->b.loc = whole;
  sn_vec_free(&total_of);
  sn_vec_free(&handed_on);
  sn_vec_free(&of);
  free(stored);
}

static void free_piece(Piece *p) {
  sn_form_free(&p->to);
  sn_vec_free(&p->products);
  sn_vec_free(&p->reads);
  sn_vec_free(&p->read_from);
  sn_vec_free(&p->ops);
  sn_vec_free(&p->gives);
  sn_vec_free(&p->results);
  sn_vec_free(&p->accumulators);
}

// ---- the finish, where no piece has all of it ----------------------------------------------------------

static bool split(Split *s);

// A form without rows: the finish is its body, and the totals of all pieces come in.
static bool finish_form(Split *s, const Totals *totals) {
  SnForm *f = &s->f;
  SnForm to = {.num_cols = f->num_cols};
  MlirAffineExpr dims[SN_MAX_DIMS];
  int64_t from[SN_MAX_DIMS];
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool column = sn_is_col_dim(f, d);
    dims[d] = column ? mlirAffineDimExprGet(s->b.ctx, d - f->num_rows) : mlirAffineConstantExprGet(s->b.ctx, 0);
    if (!column)
      continue;
    from[to.dims.size] = d;
    sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t g = 0; g < f->groups.size; ++g)
    sn_push(&to.groups, ((SnGroup){f->groups.data[g].first - f->num_rows, f->groups.data[g].num_dims}));
  SnValueVec arguments = {0}; // of the finish, that come in
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (!sn_none(totals->data[k])) {
      sn_push(&to.inputs, ((SnAccess){.value = totals->data[k], .map = f->accumulators.data[k].map}));
      sn_push(&arguments, mlirBlockGetArgument(f->finish, (intptr_t)k));
    }
  intptr_t next = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k)) {
      sn_push(&to.inputs, f->inputs.data[k]);
      sn_push(&arguments, mlirBlockGetArgument(f->finish, next++));
    }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_is_reduced(f, k) && !s->done[k])
      sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = 0; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, f->num_cols, dims);
  for (size_t k = 0; k < to.outputs.size; ++k)
    to.outputs.data[k].map = sn_map_replace(to.outputs.data[k].map, f->num_cols, dims);
  add_sizes(s, &to, from);
  MlirOperation made = create(s, &to, false);
  SnBuilder in = sn_at_end(to.body, s->b.loc);
  SnMap map = {0};
  for (size_t k = 0; k < arguments.size; ++k)
    sn_map(&map, arguments.data[k], sn_input_argument(&to, k));
  sn_vec_free(&arguments);
  SnValueVec yields = {0};
  copy_asserts(&in, f, &map);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_is_reduced(f, k) && !s->done[k]) {
      intptr_t position = (intptr_t)sn_output_position(f, k);
      replace_result(s, k, written(&to, yields.size));
      sn_push(&yields, copy_made(&in, sn_operand(mlirBlockGetTerminator(f->finish), position), &map));
    }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  bool several = to.groups.size > 1;
  sn_form_free(&to);
  if (!several && s->crossing)
    sn_push(&s->crossing->ends, made);
  else if (!several)
    sn_tidy(made);
  if (!several)
    return true;
  Split end = {.f = sn_form_read(made), .how = s->how, .crossing = s->crossing, .ending = true, .b = s->b, .stages = 1};
  bool ok = split(&end);
  mlirOperationDestroy(made);
  return ok;
}

// The group of all rows of the finish.
static int64_t group_of_finish(const SnForm *f) {
  SnRowGroups groups;
  int64_t one, other, found = SN_NO_GROUP;
  sn_separate_loose(f, true);
  sn_row_groups(f, true, &groups, &one, &other);
  for (size_t i = 0; i < groups.n; ++i)
    found = found == SN_NO_GROUP || found == groups.group[i] ? groups.group[i] : SN_SEVERAL_GROUPS;
  sn_row_groups_free(&groups);
  return found;
}

// ---- what a target runs as one kernel ---------------------------------------------------------------------

// Why not this form, which is of several groups; NULL if it does. A CPU runs programs of sides.
static const char *why_cut(const SnForm *f, SnSplit how) {
  if (!how.target || !*how.target)
    return "";
  if (!strcmp(how.target, "gpu"))
    return "a GPU's kernel does not multiply its rows again";
  if (!sn_cpu_can_run_chain(f))
    return "a CPU's kernel does not multiply these rows again";
  return sn_cpu_runs_chain(f) ? NULL
                              : "blocks of its rows would leave a core's cache, or be too few for all threads";
}

// ---- one form ---------------------------------------------------------------------------------------------

static bool has_programs_to_split(const Split *s) { return !s->how.keep_sides && any_program(&s->f); }

// Pieces in order of their stage; their results take the place of the form's.
static bool split_body(Split *s) {
  SnForm *f = &s->f;
  Totals totals = {0};
  s->done = sn_alloc(f->outputs.size + 1);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&totals, ((MlirValue){0}));
  for (int64_t stage = 0; stage < s->stages; ++stage)
    for (size_t g = 0; g < sn_num_groups(f); ++g) {
      Piece p = {.s = s, .stage = stage, .group = (int64_t)g};
      if (plan(&p))
        emit_piece(&p, &totals);
      free_piece(&p);
    }
  bool finished = true;
  for (size_t k = 0; k < f->outputs.size; ++k)
    finished &= !sn_is_reduced(f, k) || s->done[k];
  bool ok = finished || finish_form(s, &totals);
  free(s->done);
  sn_vec_free(&totals);
  return ok;
}

// Cuts s.f, which has something to cut.
static bool split(Split *s) {
  SnForm *f = &s->f;
  int64_t one, other;
  for (size_t i = 0; i < sn_num_sides(f); ++i)
    if ((sn_side(f, i).program.ptr && !s->how.keep_sides) || !side_uses_all(f, i, sn_side_summed(f, i)))
      split_side(s, i);
  sn_separate_loose(f, false);
  sn_row_groups(f, false, &s->groups, &one, &other);
  s->finish_group = f->finish.ptr ? group_of_finish(f) : SN_NO_GROUP;
  place_values(s);
  bool ok = split_body(s);
  sn_row_groups_free(&s->groups);
  sn_vec_free(&s->known);
  sn_form_free(f);
  return ok;
}

bool sn_split_form(MlirOperation form, SnSplit how) {
  Split s = {.f = sn_form_read(form), .how = how, .b = sn_before(form), .stages = 1};
  bool several = s.f.groups.size > 1 || s.f.matrices.size;
  const char *why = several || has_programs_to_split(&s) ? why_cut(&s.f, how) : NULL;
  if (!why) {
    sn_form_free(&s.f);
    return true;
  }
  if (how.reasons) {
    MlirAttribute cut[] = {sn_i64(s.b.ctx, how.number), sn_string(s.b.ctx, why)};
    s.cut = mlirArrayAttrGet(s.b.ctx, 2, cut);
  }
  bool ok = split(&s);
  if (ok)
    mlirOperationDestroy(form);
  return ok;
}

bool sn_split_pieces(MlirOperation form, SnCrossing *crossing) {
  Split s = {.f = sn_form_read(form),
             .how = {.keep_sides = true},
             .crossing = crossing,
             .b = sn_before(form),
             .stages = 1};
  return split(&s);
}

MlirLogicalResult sn_split_forms(MlirOperation func, SnSplit how) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  bool ok = true;
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(func, names[i]);
    for (size_t k = 0; k < forms.size && ok; ++k)
      // A form on memrefs is a kernel already, and one that has a schedule is for a target that runs it.
      if (sn_num_results(forms.data[k]) && !sn_get_attr(forms.data[k], "schedule").ptr) {
        ok = sn_split_form(forms.data[k], how);
        ++how.number;
      }
    sn_vec_free(&forms);
  }
  return ok ? SN_OK : SN_FAIL;
}

// ---- the pass ------------------------------------------------------------------------------------------------

typedef struct {
  bool keep_sides, reasons;
  const char *target;
} Options;
static const char *const targets[] = {"", "cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_BOOL, "keep-sides", "leave the programs of sides where they are", "false", NULL,
     offsetof(Options, keep_sides)},
    {SN_OPTION_STRING, "target",
     "cpu, gpu: cut what that cannot run as one kernel, or had better not; empty: cut all there is", "", targets,
     offsetof(Options, target)},
    {SN_OPTION_BOOL, "reasons", "what is cut keeps why, for sinter-explain", "false", NULL, offsetof(Options, reasons)},
    {0},
};

static MlirLogicalResult split_function(MlirOperation func, void *user) {
  return sn_split_forms(func, *(const SnSplit *)user);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  bool cpu = !strcmp(o->target, "cpu"); // it computes sides while it packs them
  SnSplit how = {.keep_sides = o->keep_sides || cpu, .target = o->target, .reasons = o->reasons};
  return sn_each_function(op, split_function, &how);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_split = {
    .argument = "sinter-split",
    .summary = "a form of several products -> plain forms, one for each",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
