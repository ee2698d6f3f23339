// concatenated.c: a concatenation gives each of its pieces the gradient of where the piece is.
//
//   %y = rowwise (i) by (j = 24) ins(%u[i, j] else 0, %v[i, j - 8] else 0) { select j < 8, u, v }
//   ->
//   %g = rowwise (i) by (j = 8) ins(%dy[i, j])               %du: what that gives to %u[i, j]
//   %h = rowwise (i) by (j = 16) ins(%dy[i, j + 8])          %dv: what that gives to %v[i, j]
//
// The reverse as it stands would be a form with a result for each piece, as wide as all pieces, of which each is chosen
// from all conditions, and who reads one would take all of that with it: the square of the number of pieces.
//
// runs in: differentiate    test: test/passes/differentiate/concatenated.mlir

#include "passes/differentiate/differentiate.h"
#include "passes/merge/merge.h"

// The element at `from` up to `to` of one dimension is that of an input.
typedef struct {
  size_t input;
  int64_t from, to;
} Piece;
typedef struct {
  const SnForm *f;
  intptr_t dim; // of the form, along which they lie; -1: not known yet
  SN_VEC(Piece) all;
} Pieces;

static MlirValue unspread(MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  return sn_none(scalar) ? v : scalar;
}

// The condition says that a place is in front of *end, along the dimension of the others.
static bool is_before(Pieces *p, MlirValue condition, int64_t *end) {
  enum { BELOW = 6 }; // unsigned
  MlirOperation compare = sn_def(unspread(condition), "arith.cmpi");
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != BELOW)
    return false;
  MlirOperation index = sn_def(unspread(sn_operand(compare, 0)), "sinter.index");
  MlirAttribute number = sn_constant_of(unspread(sn_operand(compare, 1)));
  if (sn_null(index) || !number.ptr || !mlirAttributeIsAInteger(number))
    return false;
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(index, "dim"));
  intptr_t d = 0;
  while (!mlirStringRefEqual(p->f->dims.data[d].name, name))
    ++d;
  if (p->dim >= 0 && p->dim != d)
    return false;
  p->dim = d;
  *end = mlirIntegerAttrGetValueInt(number);
  return true;
}

static bool add_piece(Pieces *p, MlirValue v, int64_t from, int64_t to) {
  v = unspread(v);
  if (!mlirValueIsABlockArgument(v) || from > to)
    return false;
  Piece piece = {(size_t)mlirBlockArgumentGetArgNumber(v), from, to};
  const SnAccess *a = &p->f->inputs.data[piece.input];
  sn_push(&p->all, piece);
  return !a->through.ptr && !sn_is_table(a);
}

static bool find(Pieces *p) {
  const SnForm *f = p->f;
  if (f->outputs.size != 1 || f->accumulators.size || f->finish.ptr)
    return false;
  int64_t from = 0, to;
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), 0);
  for (MlirOperation select; !sn_null(select = sn_def(unspread(v), "arith.select")); v = sn_operand(select, 2)) {
    if (!is_before(p, sn_operand(select, 0), &to) || !add_piece(p, sn_operand(select, 1), from, to))
      return false;
    from = to;
  }
  return p->dim >= 0 && p->f->dims.data[p->dim].size != SN_DYNAMIC &&
         mlirAffineMapIsIdentity(f->outputs.data[0].map) && add_piece(p, v, from, f->dims.data[p->dim].size);
}

// A tensor of the piece's sizes.
static MlirValue empty_piece(SnBuilder *b, const Pieces *p, const Piece *piece) {
  MlirValue whole = p->f->outputs.data[0].value;
  MlirType t = sn_type_of(whole);
  int64_t shape[SN_MAX_DIMS];
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    shape[d] = d == p->dim ? piece->to - piece->from : sn_dim(t, d);
    if (shape[d] == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", whole, sn_index(b, d)));
  }
  MlirValue e = sn(b, "tensor.empty", sn_tensor(sn_element(t), sn_rank(t), shape),
                   sn_values((intptr_t)sizes.size, sizes.data));
  sn_vec_free(&sizes);
  return e;
}

// The map with the place of the piece's first element in front of its dimension.
static MlirAffineMap behind(const Pieces *p, MlirAffineMap map, int64_t from) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)p->f->dims.size; ++d)
    dims[d] = mlirAffineDimExprGet(ctx, d);
  dims[p->dim] = mlirAffineAddExprGet(dims[p->dim], mlirAffineConstantExprGet(ctx, from));
  return sn_map_replace(map, (intptr_t)p->f->dims.size, dims);
}

// The form that has the piece alone.
static MlirOperation make_piece(SnBuilder *b, const Pieces *p, const Piece *piece, MlirValue empty) {
  SnForm to = {.num_rows = p->f->num_rows, .num_cols = p->f->num_cols};
  for (size_t d = 0; d < p->f->dims.size; ++d)
    sn_push(&to.dims, p->f->dims.data[d]);
  to.dims.data[p->dim].size = piece->to - piece->from;
  SnAccess in = p->f->inputs.data[piece->input], out = {.value = empty, .map = p->f->outputs.data[0].map};
  in.map = behind(p, in.map, piece->from);
  if (sn_always_inside(&to, &in))
    in.fill = mlirAttributeGetNull();
  sn_push(&to.inputs, in);
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder body = sn_at_end(to.body, b->loc);
  MlirType row = sn_row_type(&to, sn_element(sn_type_of(empty)));
  sn_op(&body, "sinter.yield", sn_as_row(&body, sn_input_argument(&to, 0), row), sn_types(0, NULL));
  sn_form_free(&to);
  return made;
}

typedef struct {
  SnGive give;
  void *user;
  size_t input;
} Giving;
static void give_piece(void *user, size_t input, MlirValue gradient) {
  Giving *to = user;
  to->give(to->user, to->input, gradient);
}

bool sn_differentiate_pieces(SnBuilder *b, MlirOperation form, const SnGradient *upstream, bool *active,
                             const MlirType *elements, SnGive give, void *user) {
  SnForm f = sn_form_read(form);
  Pieces p = {.f = &f, .dim = -1};
  bool ok = true, found = find(&p);
  b->loc = mlirOperationGetLocation(form);
  for (size_t k = 0; k < p.all.size && found && ok; ++k) {
    const Piece *piece = &p.all.data[k];
    if (!active[piece->input] || piece->from == piece->to)
      continue;
    MlirValue dy = upstream[0].value, empty = empty_piece(b, &p, piece);
    MlirAffineMap at = behind(&p, f.outputs.data[0].map, piece->from);
    MlirOperation alone = make_piece(b, &p, piece, empty);
    SnGradient part = upstream[0];
    if (!sn_none(dy))
      part.value = sn_elementwise_form(b, sn_element(sn_type_of(dy)), empty, 1, &dy, &at, false, 0);
    Giving to = {give, user, piece->input};
    bool all = true;
    ok = sn_differentiate_form(b, alone, &part, &all, &elements[piece->input], give_piece, &to);
    mlirOperationDestroy(alone);
  }
  for (size_t k = 0; k < f.inputs.size && found; ++k)
    active[k] = false;
  sn_vec_free(&p.all);
  sn_form_free(&f);
  return ok;
}
