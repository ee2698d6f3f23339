// prune.c: forms without what nobody reads. See edit.h.
//
//   outs(%e[] : f32, %d[i, j] : T), %d never read    ->  outs(%e[] : f32)
//   ins(%x[i, j], %x[i, j])                          ->  ins(%x[i, j])
//   (i = 37) by (j = 1003), no value uses j          ->  (i = 37) by ()
//   side(%x[i, k]) {^side(%v): yield extf %v}        ->  %x[i, k], which the product widens
//
// runs in: simplify, fuse    test: test/passes/simplify/form.mlir

#include "passes/edit/edit.h"
#include "dialect/row_ops.h"
#include <string.h>

// ---- what is read --------------------------------------------------------------------

static bool used(MlirBlock block, intptr_t argument) {
  return mlirValueGetFirstUse(mlirBlockGetArgument(block, argument)).ptr != NULL;
}

// The program of a side gives what its only access reads.
static bool is_identity(MlirBlock program) {
  MlirValue v = sn_operand(mlirBlockGetTerminator(program), 0);
  return sn_null(sn_definer(v)) && mlirBlockArgumentGetArgNumber(v) == 0 && mlirBlockGetNumArguments(program) == 1;
}

// The argument of finish for input k, or -1.
static intptr_t finish_argument(const SnForm *f, size_t input) {
  if (!sn_is_uniform(f, input))
    return -1;
  intptr_t place = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < input; ++k)
    place += sn_is_uniform(f, k);
  return place;
}

// Yields of `block` for outputs that are not kept become one of its own arguments' or
// another yield's place: they are left out of the new terminator, and what fed them dies.
static void drop_yields(MlirBlock block, const bool *keep, intptr_t n) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  SnValueVec kept = {0};
  for (intptr_t i = 0; i < n; ++i)
    if (keep[i])
      sn_push(&kept, sn_operand(yield, i));
  mlirOperationSetOperands(yield, (intptr_t)kept.size, kept.data);
  sn_vec_free(&kept);
  sn_erase_dead(block);
}

static MlirAffineMap without_columns(const SnForm *f, MlirAffineMap map) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t n = (intptr_t)f->dims.size, to = 0;
  for (intptr_t d = 0; d < n; ++d)
    exprs[d] = sn_is_col_dim(f, d) ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, to++);
  return sn_map_replace(map, to, exprs);
}

// The side that an input belongs to; sn_num_sides(f) for other inputs.
static size_t side_of(const SnForm *f, size_t input) {
  size_t s = 0;
  while (s < sn_num_sides(f) && input >= sn_side(f, s).first + sn_side(f, s).count)
    ++s;
  return s;
}

// A side has to use what is summed, by this access or another one that its program reads, or by a position in it.
static bool keeps_side_summed(const SnForm *f, size_t side, size_t input) {
  SnSide s = sn_side(f, side);
  SnGroup summed = sn_side_summed(f, side);
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d) {
    bool others = false;
    for (size_t k = s.first; k < s.first + s.count; ++k)
      others |= k != input && sn_access_uses(f, &f->inputs.data[k], d) &&
                (k < input || mlirValueGetFirstUse(mlirBlockGetArgument(s.program, (intptr_t)(k - s.first))).ptr);
    for (MlirOperation op = mlirBlockGetFirstOperation(s.program); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      others |= sn_row_op_names(op, f->dims.data[d].name);
    if (!others && sn_access_uses(f, &f->inputs.data[input], d))
      return true;
  }
  return false;
}

static bool is_read_in_program(const SnForm *f, SnSide s, size_t input) {
  return !s.program.ptr || mlirValueGetFirstUse(mlirBlockGetArgument(s.program, (intptr_t)(input - s.first))).ptr;
}

static bool uses_group(const SnForm *f, size_t input, SnGroup g) {
  bool uses = false;
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    uses |= sn_access_uses(f, &f->inputs.data[input], d);
  return uses;
}

// A product is of the group whose columns its sides use, and of the first one if they use none.
static bool keeps_group(const SnForm *f, size_t side, size_t input) {
  int64_t number = side < 2 * f->products.size ? sn_group_of_product(f, side / 2) : 0;
  SnGroup g = sn_group(f, (size_t)number);
  if (!number || !uses_group(f, input, g))
    return false;
  bool others = false;
  for (size_t i = side / 2 * 2; i < side / 2 * 2 + 2; ++i) {
    SnSide s = sn_side(f, i);
    for (size_t k = s.first; k < s.first + s.count; ++k)
      others |= k != input && uses_group(f, k, g) && (k < input || is_read_in_program(f, s, k));
    MlirOperation op = s.program.ptr ? mlirBlockGetFirstOperation(s.program) : (MlirOperation){0};
    for (; !sn_null(op); op = mlirOperationGetNextInBlock(op))
      for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
        others |= sn_row_op_names(op, f->dims.data[d].name);
  }
  return !others;
}

static bool is_read_by_side(const SnForm *f, size_t input) {
  size_t side = side_of(f, input), last = sn_side(f, side).first + sn_side(f, side).count - 1;
  SnSide s = sn_side(f, side);
  if (is_read_in_program(f, s, input) || keeps_side_summed(f, side, input) || keeps_group(f, side, input))
    return true;
  bool others = input < last; // a side has one input at least
  for (size_t k = s.first; k < last && !others; ++k)
    others = is_read_by_side(f, k);
  return !others;
}

static bool is_read(const SnForm *f, size_t input) {
  if (input < sn_first_input(f))
    return is_read_by_side(f, input);
  intptr_t argument = finish_argument(f, input);
  return mlirValueGetFirstUse(sn_input_argument(f, input)).ptr ||
         (f->finish.ptr && argument >= 0 && used(f->finish, argument));
}

// The access, or an index tensor that it goes through.
static bool gives_size(const SnForm *f, const SnAccess *a, intptr_t d) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d)
      return true;
  for (intptr_t i = 0; a->through.ptr && i < mlirDenseArrayGetNumElements(a->through); ++i)
    if (gives_size(f, &f->indices.data[mlirDenseI64ArrayGetElement(a->through, i)], d))
      return true;
  return false;
}

// An input that is not read stays where a dimension of size `?` has its size from nothing else.
static bool is_needed(const SnForm *f, size_t input, SnPrune what) {
  bool needed = is_read(f, input);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size && !needed; ++d) {
    if (f->dims.data[d].size != SN_DYNAMIC || (what.drop_columns && sn_is_col_dim(f, d)) ||
        !gives_size(f, &f->inputs.data[input], d))
      continue;
    needed = true;
    for (size_t k = 0; k < f->inputs.size && needed; ++k)
      needed = k == input || !gives_size(f, &f->inputs.data[k], d) || (k > input && !is_read(f, k));
    for (size_t k = 0; k < f->outputs.size && needed; ++k)
      needed = !what.keep_output[k] || !gives_size(f, &f->outputs.data[k], d);
  }
  return needed;
}

// With its place in the program.
static void map_argument(SnMap *map, MlirValue from, MlirValue to) {
  sn_map(map, from, to);
  mlirBlockArgumentSetLocation(to, mlirValueGetLocation(from));
}

// The programs get the arguments that are left; one that gives its only access is none.
static void prune_sides(SnForm *f, SnForm *to, const intptr_t *place) {
  bool any = false;
  for (size_t s = 0; s < to->sides.size; ++s) {
    SnSide was = f->sides.data[s], *is = &to->sides.data[s];
    for (size_t k = was.count; was.program.ptr && k-- > 0;) {
      intptr_t at = place[was.first + k];
      bool again = false;
      for (size_t e = 0; e < k && at >= 0 && !again; ++e)
        if (place[was.first + e] == at) {
          mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(was.program, (intptr_t)k),
                                        mlirBlockGetArgument(was.program, (intptr_t)e));
          again = true;
        }
      if (at < 0 || again)
        mlirBlockEraseArgument(was.program, (unsigned)k);
    }
    if (was.program.ptr && is_identity(was.program) && is->count == 1)
      is->program = (MlirBlock){0};
    any |= is->program.ptr != NULL;
  }
  if (!any)
    sn_vec_free(&to->sides);
}

// All operations of a block that is gone soon, the terminator too.
static void move_ops(SnBuilder *to, MlirBlock from, SnMap *map) {
  for (MlirOperation op; op = mlirBlockGetFirstOperation(from), !sn_null(op);)
    sn_move(to, op, map);
}

// ---- a form with less ----------------------------------------------------------------

// A form that is made anew, with what is left of it.
typedef struct {
  SnForm from, to;
  SnPrune what;
  bool *keep_acc;                // the accumulators that what is kept needs
  intptr_t *place, *index_place; // of each input and index in `to`; -1: it is gone
} Pruned;

// Drops the yields that nothing needs: of finish, then of the body.
static void drop_results(Pruned *p) {
  const SnForm *f = &p->from;
  const bool *keep = p->what.keep_output;
  size_t num_out = f->outputs.size, num_acc = f->accumulators.size, reduced = 0;
  bool *yields = sn_alloc(num_out + num_acc + 1);
  for (size_t k = 0; k < num_out; ++k)
    if (sn_is_reduced(f, k))
      (f->finish.ptr ? yields : p->keep_acc)[reduced++] = keep[k];
  if (f->finish.ptr) {
    drop_yields(f->finish, yields, (intptr_t)reduced);
    for (size_t a = 0; a < num_acc; ++a)
      p->keep_acc[a] = used(f->finish, (intptr_t)a);
  }
  memcpy(yields, p->keep_acc, num_acc);
  for (size_t k = 0, next = num_acc; k < num_out; ++k)
    if (!sn_is_reduced(f, k))
      yields[next++] = keep[k];
  drop_yields(f->body, yields, sn_num_operands(mlirBlockGetTerminator(f->body)));
  free(yields);
}

static MlirAffineMap kept_map(const Pruned *p, MlirAffineMap map) {
  return p->what.drop_columns ? without_columns(&p->from, map) : map;
}

// What says how the form is, without its operands.
static void keep_shape(Pruned *p) {
  const SnForm *f = &p->from;
  SnForm *to = &p->to;
  *to = (SnForm){.contract = f->contract,
                 .num_rows = f->num_rows,
                 .num_cols = p->what.drop_columns ? 0 : f->num_cols,
                 .schedule = f->schedule};
  for (size_t d = 0; d < f->dims.size; ++d)
    if (!p->what.drop_columns || !sn_is_col_dim(f, (intptr_t)d))
      sn_push(&to->dims, f->dims.data[d]);
  for (size_t i = 0; i < f->products.size; ++i)
    sn_push(&to->products, f->products.data[i]);
  for (size_t g = 0; g < f->groups.size && !p->what.drop_columns; ++g)
    sn_push(&to->groups, f->groups.data[g]);
  for (size_t m = 0; m < f->matrices.size; ++m)
    sn_push(&to->matrices, f->matrices.data[m]);
}

// The index tensors that an access goes through, with the numbers that they have in `to`.
static MlirAttribute kept_indices(Pruned *p, MlirAttribute through) {
  int64_t kept[SN_MAX_DIMS];
  intptr_t n = mlirDenseArrayGetNumElements(through);
  for (intptr_t s = 0; s < n; ++s) {
    int64_t old = mlirDenseI64ArrayGetElement(through, s);
    if (p->index_place[old] < 0) {
      p->index_place[old] = (intptr_t)p->to.indices.size;
      SnAccess index = p->from.indices.data[old];
      index.map = kept_map(p, index.map);
      sn_push(&p->to.indices, index);
    }
    kept[s] = p->index_place[old];
  }
  return mlirDenseI64ArrayGet(mlirAttributeGetContext(through), n, kept);
}

// An input that is read, once: where one before it reads the same, that one is both.
static void keep_input(Pruned *p, size_t k) {
  const SnForm *f = &p->from;
  SnForm *to = &p->to;
  SnAccess a = f->inputs.data[k];
  size_t first = sn_first_input(f);
  bool of_side = k < first;
  if (of_side) {
    SnSide side = sn_side(f, side_of(f, k));
    if (k == side.first && f->sides.size)
      sn_push(&to->sides, ((SnSide){to->inputs.size, 0, side.program}));
    first = side.program.ptr ? side.first : k;
  }
  if (!is_needed(f, k, p->what))
    return;
  for (size_t e = first; e < k && p->place[k] < 0; ++e)
    if (p->place[e] >= 0 && sn_same_access(f, &f->inputs.data[e], f, &a))
      p->place[k] = p->place[e];
  if (p->place[k] >= 0)
    return;
  if (of_side && f->sides.size)
    ++to->sides.data[to->sides.size - 1].count;
  if (a.through.ptr)
    a.through = kept_indices(p, a.through);
  a.map = kept_map(p, a.map);
  p->place[k] = (intptr_t)to->inputs.size;
  sn_push(&to->inputs, a);
}

static void keep_operands(Pruned *p) {
  const SnForm *f = &p->from;
  for (size_t k = 0; k < f->indices.size; ++k)
    p->index_place[k] = -1;
  for (size_t k = 0; k < f->inputs.size; ++k)
    p->place[k] = -1;
  for (size_t k = 0; k < f->inputs.size; ++k)
    keep_input(p, k);
  prune_sides(&p->from, &p->to, p->place);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (p->what.keep_output[k]) {
      SnAccess a = f->outputs.data[k];
      a.map = kept_map(p, a.map);
      sn_push(&p->to.outputs, a);
    }
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (p->keep_acc[a]) {
      SnAccumulator acc = f->accumulators.data[a];
      acc.map = kept_map(p, acc.map);
      sn_push(&p->to.accumulators, acc);
    }
}

// Body and finish, in the blocks of the new form.
static void move_programs(Pruned *p, MlirLocation loc) {
  const SnForm *f = &p->from, *to = &p->to;
  SnMap map = {0};
  for (size_t i = 0; i < f->products.size; ++i)
    map_argument(&map, sn_product_argument(f, i), sn_product_argument(to, i));
  for (size_t m = 0; m < f->matrices.size; ++m)
    map_argument(&map, sn_matrix_argument(f, m), sn_matrix_argument(to, m));
  for (size_t k = f->inputs.size; k-- > sn_first_input(f);) // the first of several sets the place
    if (p->place[k] >= 0)
      map_argument(&map, sn_input_argument(f, k), sn_input_argument(to, (size_t)p->place[k]));
  SnBuilder body = sn_at_end(to->body, loc);
  move_ops(&body, f->body, &map);
  if (to->finish.ptr) {
    intptr_t next = 0;
    for (size_t a = 0; a < f->accumulators.size; ++a)
      if (p->keep_acc[a])
        sn_map(&map, mlirBlockGetArgument(f->finish, (intptr_t)a), mlirBlockGetArgument(to->finish, next++));
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (p->place[k] >= 0 && sn_is_uniform(f, k))
        sn_map(&map, mlirBlockGetArgument(f->finish, finish_argument(f, k)),
               mlirBlockGetArgument(to->finish, finish_argument(to, (size_t)p->place[k])));
    SnBuilder finish = sn_at_end(to->finish, loc);
    move_ops(&finish, f->finish, &map);
  }
  sn_map_free(&map);
}

MlirOperation sn_prune(MlirOperation op, SnPrune what) {
  Pruned p = {.from = sn_form_read(op), .what = what};
  const SnForm *f = &p.from;
  p.keep_acc = sn_alloc(f->accumulators.size + 1);
  p.place = sn_alloc((f->inputs.size + 1) * sizeof *p.place);
  p.index_place = sn_alloc((f->indices.size + 1) * sizeof *p.index_place);
  drop_results(&p);
  keep_shape(&p);
  keep_operands(&p);
  MlirOperation made = {0};
  if (p.to.outputs.size) {
    SnBuilder b = sn_before(op);
    made = sn_form_create(&b, &p.to, f->finish.ptr && sn_num_reduced(&p.to));
    move_programs(&p, b.loc);
    for (size_t k = 0, next = 0; k < f->outputs.size; ++k)
      if (what.keep_output[k])
        mlirValueReplaceAllUsesOfWith(sn_result(op, (intptr_t)k), sn_result(made, (intptr_t)next++));
  }
  mlirOperationDestroy(op);
  free(p.keep_acc);
  free(p.place);
  free(p.index_place);
  sn_form_free(&p.from);
  sn_form_free(&p.to);
  return made;
}

// ---- what a form does not need ---------------------------------------------------------

static bool has_rows(MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (sn_is_row(mlirBlockGetArgument(block, i)))
      return true;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < sn_num_results(op); ++i)
      if (sn_is_row(sn_result(op, i)))
        return true;
  return false;
}

// finish only hands its accumulators on, one for each reduced result, in order.
static bool finish_is_identity(const SnForm *f) {
  MlirOperation yield = f->finish.ptr ? mlirBlockGetTerminator(f->finish) : (MlirOperation){0};
  if (sn_null(yield) || (size_t)sn_num_operands(yield) != f->accumulators.size)
    return false;
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (!sn_same(sn_operand(yield, (intptr_t)a), mlirBlockGetArgument(f->finish, (intptr_t)a)))
      return false;
  return true;
}

// One value for equal ones in the programs of sides, and none that is widened last: the product does it. Tells whether
// the form has to be made anew for it.
static bool tidy_sides(const SnForm *f) {
  bool change = false;
  for (size_t s = 0; s < f->sides.size; ++s) {
    MlirBlock program = f->sides.data[s].program;
    if (!program.ptr)
      continue;
    sn_cse_block(program);
    MlirOperation yield = mlirBlockGetTerminator(program);
    for (;;) {
      MlirOperation op = sn_definer(sn_operand(yield, 0));
      bool bools = !sn_null(op) && sn_num_operands(op) && sn_bits(sn_element(sn_type_of(sn_operand(op, 0)))) == 1;
      if (!sn_is(op, "arith.extf") && (!sn_is(op, "arith.extsi") || bools)) // of a bool the product makes 0 or 1
        break;
      mlirOperationSetOperand(yield, 0, sn_operand(op, 0));
      change |= s >= 2 * f->products.size; // the body has the matrix's type
    }
    sn_erase_dead(program);
    change |= is_identity(program);
    for (size_t k = f->sides.data[s].first; k < f->sides.data[s].first + f->sides.data[s].count; ++k)
      for (size_t e = f->sides.data[s].first; e < k; ++e)
        change |= sn_same_access(f, &f->inputs.data[e], f, &f->inputs.data[k]);
  }
  return change;
}

// Equal operations of the block become one; those without uses go.
static void tidy_block(MlirBlock block) {
  sn_cse_block(block);
  sn_erase_dead(block);
}

// A result that nobody reads stays where a dimension of size `?` has its size from nothing else.
static void keep_sizes(const SnForm *f, bool *keep) {
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool given = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < f->inputs.size && !given; ++k)
      given = gives_size(f, &f->inputs.data[k], d);
    for (size_t k = 0; k < f->outputs.size && !given; ++k)
      given = keep[k] && gives_size(f, &f->outputs.data[k], d);
    for (size_t k = 0; k < f->outputs.size && !given; ++k)
      keep[k] |= given = gives_size(f, &f->outputs.data[k], d);
  }
}

MlirOperation sn_tidy(MlirOperation op) {
  SnForm f = sn_form_read(op);
  tidy_block(f.body);
  if (f.finish.ptr) {
    tidy_block(f.finish);
    if (finish_is_identity(&f)) {
      mlirBlockDetach(f.finish);
      mlirBlockDestroy(f.finish);
      f.finish = (MlirBlock){0};
    }
  }
  bool *keep = sn_alloc(f.outputs.size + 1), change = tidy_sides(&f), any = false;
  for (size_t k = 0; k < f.outputs.size; ++k)
    any |= keep[k] = !sn_num_results(op) || mlirValueGetFirstUse(sn_result(op, (intptr_t)k)).ptr;
  if (!any && sn_form_asserts(&f))
    keep[0] = true; // nobody reads it, but it runs
  if (any || sn_form_asserts(&f))
    keep_sizes(&f, keep);
  for (size_t k = 0; k < f.outputs.size; ++k)
    change |= !keep[k];
  bool narrow =
      !f.contract && sn_is_plain(&f) && f.num_cols && !has_rows(f.body) && !(f.finish.ptr && has_rows(f.finish));
  for (size_t a = 0; a < f.accumulators.size; ++a)
    narrow &= !sn_uses_cols(&f, f.accumulators.data[a].map);
  for (size_t k = 0; k < f.inputs.size; ++k) {
    change |= !is_needed(&f, k, (SnPrune){keep, narrow});
    for (size_t e = sn_first_input(&f); e < k; ++e)
      change |= sn_same_access(&f, &f.inputs.data[e], &f, &f.inputs.data[k]);
  }
  for (size_t a = 0; a < f.accumulators.size && f.finish.ptr; ++a)
    change |= !used(f.finish, (intptr_t)a);
  if ((change || narrow) && sn_num_results(op))
    op = sn_prune(op, (SnPrune){keep, narrow});
  free(keep);
  sn_form_free(&f);
  return op;
}
