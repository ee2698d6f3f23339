// reductions.c: a linalg reduction becomes a row program that reduces.
//
//   add over d1 of (d0, d1)   ->   (i) by (j): row_reduce add, one result per row
//   add over d0 of (d0, d1)   ->   (i) by (j) reduce(add [j]): a row, summed over all rows
//   add over both             ->   (i) by (j) reduce(add []): row_reduce, then summed over all rows
//   add over d0 of (d0)       ->   (i) by () reduce(add []): what each row has is summed over all rows
//
// The last two differ so that a sum over the losses of rows fuses into the
// kernel that made them. Results that nobody reads (the index beside a maximum)
// are dropped; one that is read becomes a second reduction (raise/selections.c). An initial
// value that changes nothing goes; any other is combined at the end, in the body or in
// `finish`. f16 and bf16 are summed in f32. A window of which the body reads nothing is
// only a shape: pooling is a reduction over columns that overlap.
//
// runs in: raise    test: test/passes/raise/reductions.mlir

#include "passes/raise/raise.h"

typedef struct {
  const SnCombiner *combiner;
  MlirLocation loc; // of the op that combined
  MlirValue value;  // what is combined, in the op's body
  MlirType type, wide; // of the result; of the accumulator
  SnView init;      // value and constant are null where it changes nothing
  bool has_init;
  size_t input;     // the initial value's, if it is no constant
  bool is_winner;   // no combiner: kept of where another result is greatest, or of where a condition holds first
  SnWinner winner;
  size_t start;     // the input of winner.start
} Reduced;

static bool is_identity(const SnCombiner *c, MlirAttribute constant, MlirType t) {
  double number;
  if (!strcmp(c->kind, "add") && sn_attr_number(constant, &number) && number == 0)
    return true; // -0.0 is the exact identity, but no sum is told apart by it
  return mlirAttributeEqual(constant, sn_combiner_identity(c, t));
}

// out combined with something by one op, or by a comparison and a select.
static bool match_combiner(SnRaise *r, intptr_t output, Reduced *to) {
  MlirOperation op = sn_definer(sn_operand(r->yield, output));
  MlirType t = sn_type_of(sn_raise_out_argument(r, output));
  const SnCombiner *c =
      sn_null(op) || !mlirBlockEqual(mlirOperationGetBlock(op), r->body) ? NULL : sn_combiner_of_op(op);
  *to = (Reduced){.combiner = c, .loc = mlirOperationGetLocation(sn_null(op) ? r->op : op), .type = t, .wide = t};
  if (!c)
    return !sn_null(op) && (to->combiner = sn_raise_selected(r, output, &to->value)) != NULL;
  MlirValue out = sn_raise_out_argument(r, output);
  bool first = sn_same(sn_operand(op, 0), out), second = sn_same(sn_operand(op, 1), out);
  to->value = sn_operand(op, first ? 1 : 0);
  return first != second;
}

static bool match(SnRaise *r, intptr_t output, Reduced *to) {
  if (!match_combiner(r, output, to)) {
    if (to->combiner)
      return sn_no(r->op, "result %ld does not combine what it was with something", (long)output);
    to->is_winner = sn_raise_match_winner(r, output, &to->winner) || sn_raise_match_first(r, output, &to->winner);
    if (!to->is_winner)
      return sn_no(r->op, "result %ld is not combined by a known combiner", (long)output);
  } else if (!sn_combiner_fits(to->combiner, to->type)) {
    return sn_no(r->op, "'%s' does not combine this type", to->combiner->kind);
  }
  MlirType t = to->type;
  const SnCombiner *c = to->is_winner ? NULL : to->combiner;
  if (c && sn_is_float(t) && sn_bits(t) < 32 && (!strcmp(c->kind, "add") || !strcmp(c->kind, "mul")))
    to->wide = mlirF32TypeGet(r->ctx);
  to->init = sn_raise_view(sn_raise_init(r, output), sn_raise_map(r, r->num_inputs + output));
  if (to->init.unwritten)
    return sn_no(r->op, "reduces into a destination that nothing has written");
  to->has_init = !c || !to->init.constant.ptr || !is_identity(c, to->init.constant, t);
  return !c || sn_raise_want(r, to->value);
}

static MlirValue convert(SnBuilder *b, MlirValue v, MlirType to) {
  MlirType from = sn_element(sn_type_of(v));
  if (mlirTypeEqual(from, to))
    return v;
  return sn_row_op(b, sn_bits(from) < sn_bits(to) ? "arith.extf" : "arith.truncf", to, 1, &v);
}

// `v`, an accumulator, with the initial value (`init`, in sight at b) and in the result's type.
static MlirValue close(SnBuilder *b, const Reduced *to, MlirValue v, MlirValue init) {
  if (to->has_init) {
    MlirValue start = convert(b, to->init.constant.ptr ? sn_constant(b, to->init.constant) : init, to->wide);
    MlirValue both[] = {start, v};
    b->loc = to->loc;
    v = sn_row_op(b, sn_is_float(to->wide) ? to->combiner->float_op : to->combiner->int_op, (MlirType){0}, 2, both);
  }
  return convert(b, v, to->type);
}

// What an accumulator keeps: all columns where the result has dimensions, else nothing.
static MlirAffineMap kept(const SnRaise *r) {
  MlirAffineExpr cols[SN_MAX_DIMS];
  for (intptr_t k = 0; k < r->num_parallel; ++k)
    cols[k] = mlirAffineDimExprGet(r->ctx, r->form.num_rows + k);
  return mlirAffineMapGet(r->ctx, (intptr_t)r->form.dims.size, 0, r->num_parallel, cols);
}

// The place of uniform input `k` among the arguments of finish.
static MlirValue finish_argument(const SnForm *f, size_t k) {
  intptr_t at = (intptr_t)f->accumulators.size;
  for (size_t i = sn_first_input(f); i < k; ++i)
    at += sn_is_uniform(f, i);
  return mlirBlockGetArgument(f->finish, at);
}

// It is compared with an initial value of its own.
static bool has_start(const Reduced *to) { return to->is_winner && sn_none(to->winner.condition); }

// An initial value in the body.
static MlirValue initial(const SnForm *f, SnBuilder *b, SnView init, size_t input) {
  return init.constant.ptr ? sn_constant(b, init.constant) : sn_input_argument(f, input);
}

// Which loops are rows and which are columns. What is combined over the loops in front of all others is combined over
// rows, if `may` be.
static bool lay_out(SnRaise *r, bool full, bool wins, bool may, bool *over_rows) {
  intptr_t inner[SN_MAX_DIMS], n = 0, first_parallel = r->num_loops;
  for (intptr_t d = r->num_loops; d-- > 0;)
    if (r->parallel[d])
      first_parallel = d;
  for (intptr_t d = 0; d < r->num_loops; ++d)
    if (!r->parallel[d])
      inner[n++] = d;
  *over_rows = full || (inner[n - 1] < first_parallel && may && !wins);
  for (intptr_t k = 1; wins && k < n; ++k)
    if (r->sizes[inner[k]] == SN_DYNAMIC)
      return sn_no(r->op, "a position in a row of several dimensions, one of size `?`");
  if (full)
    sn_raise_layout(r, n > 1 ? n - 1 : 1, inner, n > 1, inner + n - 1, 0, NULL);
  else if (*over_rows)
    sn_raise_layout(r, n, inner, r->num_parallel, r->order, 0, NULL);
  else
    sn_raise_layout(r, r->num_parallel, r->order, n, inner, 0, NULL);
  return true;
}

static void write_body(SnRaise *r, const Reduced *to, MlirLocation loc, bool full, bool over_rows) {
  const SnForm *f = &r->form;
  SnBuilder in = sn_at_end(f->body, loc);
  sn_raise_body(r, &in);
  MlirValue yields[SN_MAX_ACCUMULATORS];
  for (intptr_t u = 0; u < r->num_used; ++u) {
    in.loc = to[u].loc;
    if (to[u].is_winner) {
      MlirValue start = has_start(&to[u]) ? initial(f, &in, to[u].winner.start, to[u].start) : (MlirValue){0},
                otherwise = initial(f, &in, to[u].init, to[u].input);
      yields[u] = sn_raise_winner(r, &in, &to[u].winner, start, otherwise);
      continue;
    }
    MlirValue v = sn_raise_value(r, to[u].value);
    if (f->num_cols)
      v = sn_as_row(&in, v, sn_row_type(f, to[u].type));
    if (f->num_cols && (full || !over_rows))
      v = sn_row_reduce(&in, to[u].combiner->kind, v, to[u].wide);
    if (over_rows)
      v = convert(&in, v, to[u].wide);
    else
      v = close(&in, &to[u], v,
                to[u].has_init && !to[u].init.constant.ptr ? sn_input_argument(f, to[u].input) : (MlirValue){0});
    yields[u] = v;
  }
  in.loc = loc;
  sn_op(&in, "sinter.yield", sn_values(r->num_used, yields), sn_types(0, NULL));
}

static void write_finish(SnRaise *r, const Reduced *to, MlirLocation loc) {
  const SnForm *f = &r->form;
  SnBuilder end = sn_at_end(f->finish, loc);
  MlirValue yields[SN_MAX_ACCUMULATORS];
  for (intptr_t u = 0; u < r->num_used; ++u)
    yields[u] = close(&end, &to[u], mlirBlockGetArgument(f->finish, u),
                      to[u].has_init && !to[u].init.constant.ptr ? finish_argument(f, to[u].input) : (MlirValue){0});
  end.loc = loc;
  sn_op(&end, "sinter.yield", sn_values(r->num_used, yields), sn_types(0, NULL));
}

bool sn_raise_reduce(SnRaise *r) {
  Reduced to[SN_MAX_ACCUMULATORS];
  bool tensor_init = false, same_maps = true, closing = false, wins = false;
  if (!sn_raise_want_asserts(r))
    return false;
  for (intptr_t u = 0; u < r->num_used; ++u) {
    if (!match(r, r->used[u], &to[u]))
      return false;
    tensor_init |= to[u].has_init && !to[u].init.constant.ptr;
    wins |= to[u].is_winner;
    closing |= to[u].has_init || !mlirTypeEqual(to[u].type, to[u].wide);
    same_maps &=
        mlirAffineMapEqual(sn_raise_map(r, r->num_inputs + r->used[u]), sn_raise_map(r, r->num_inputs + r->used[0]));
  }
  for (intptr_t k = 0; k < r->num_outputs; ++k)
    if (sn_raise_wants_output(r, k))
      return sn_no(r->op, "what it combines depends on what was combined so far");

  bool full = !r->num_parallel && !wins, over_rows;
  if (!lay_out(r, full, wins, same_maps && !tensor_init, &over_rows))
    return false;
  SnForm *f = &r->form;
  SnBuilder b = sn_before(r->op);
  sn_raise_sources(r, &b);
  for (intptr_t u = 0; u < r->num_used; ++u) {
    if (to[u].has_init && !to[u].init.constant.ptr)
      to[u].input = sn_raise_input(r, &b, to[u].init);
    if (has_start(&to[u]) && !to[u].winner.start.constant.ptr)
      to[u].start = sn_raise_input(r, &b, to[u].winner.start);
    sn_raise_destination(r, &b, r->used[u]);
    if (over_rows)
      sn_push(&f->accumulators, (SnAccumulator){SN_STR(to[u].combiner->kind), kept(r), to[u].wide});
  }
  if (!sn_raise_sized(r))
    return false;
  sn_form_create(&b, f, over_rows && closing);

  write_body(r, to, b.loc, full, over_rows);
  if (f->finish.ptr)
    write_finish(r, to, b.loc);
  sn_raise_replace(r);
  return true;
}
