// inlined.c: the body of a definition, copied with the types that its use has.
//
//   sinter.define @half(%x: tensor<?xf32>, %by: f32 {default = 0.5})      %by = arith.constant 0.5 : f64
//     %b = sinter.broadcast %by : f32 -> tensor<?xf32>               ->   %b = sinter.broadcast %by : f64 ->
//     tensor<8xf64> %y = arith.mulf %x, %b : tensor<?xf32>                              %y = arith.mulf %x, %b :
//     tensor<8xf64>
//
// runs in: sinter-expand    test: test/passes/expand/expand.mlir

#include "dialect/row_ops.h"
#include "passes/expand/expand.h"

enum { MAX_DEPTH = 32, MAX_TURNS = 1000 };

typedef struct {
  SnExpansion *to;
  const SnUse *use;
  SnMap map;
  int depth;
} Copy;

static MlirLogicalResult copy_body(SnExpansion *to, const SnUse *use, const MlirValue *arguments, SnValueVec *yielded,
                                   int depth);

// ---- types ------------------------------------------------------------------------

MlirValue sn_convert_element(SnBuilder *b, MlirValue v, MlirType element) {
  MlirType is = sn_element(sn_type_of(v)), type = element;
  if (mlirTypeEqual(is, element))
    return v;
  if (sn_is_row(v)) {
    int64_t n = sn_dim(sn_type_of(v), 0);
    type = sn_tensor(element, 1, &n);
  }
  if (sn_is_float(is))
    return sn_is_float(element) ? sn(b, sn_bits(is) < sn_bits(element) ? "arith.extf" : "arith.truncf", v, type)
                                : sn(b, "arith.fptosi", v, type);
  if (mlirTypeIsAIndex(is) && sn_is_float(element))
    return sn_convert_element(b, sn_convert_element(b, v, mlirIntegerTypeGet(b->ctx, 64)), element);
  if (mlirTypeIsAIndex(is) || mlirTypeIsAIndex(element))
    return sn(b, "arith.index_cast", v, type);
  bool bit = sn_bits(is) == 1;
  if (sn_is_float(element))
    return sn(b, bit ? "arith.uitofp" : "arith.sitofp", v, type);
  return sn(b, sn_bits(is) > sn_bits(element) ? "arith.trunci" : bit ? "arith.extui" : "arith.extsi", v, type);
}

// The element type that the body's own becomes.
static MlirType element_in(const Copy *c, MlirType e) {
  return sn_is_float(e) && sn_bits(e) >= 32 ? c->use->real : e;
}
static MlirType type_in(const Copy *c, MlirType t) {
  MlirType e = element_in(c, sn_element(t));
  if (!mlirTypeIsAShaped(t))
    return e;
  int64_t n = sn_dim(c->to->row, 0);
  return sn_tensor(e, 1, &n);
}

static MlirAttribute number_in(MlirType t, MlirAttribute number) {
  double value = 0;
  sn_attr_number(number, &value);
  if (sn_is_float(t))
    return mlirFloatAttrDoubleGet(mlirTypeGetContext(t), t, value);
  return mlirIntegerAttrGet(t, mlirAttributeIsAInteger(number) && !mlirAttributeIsABool(number)
                                   ? mlirIntegerAttrGetValueInt(number)
                                   : (int64_t)value);
}

// The name of the dimension that a definition calls `column`, `column1`, `row`; empty if there is none.
static MlirStringRef dim_of(const SnForm *f, MlirStringRef word) {
  intptr_t column = sn_dim_word(word, "column", (intptr_t)f->num_cols);
  intptr_t row = sn_dim_word(word, "row", (intptr_t)f->num_rows);
  return column >= 0 ? f->dims.data[f->num_rows + column].name : row >= 0 ? f->dims.data[row].name : (MlirStringRef){0};
}

// It asks which row it is, where rows are of no dimension or of several: they are counted, the last one fastest.
static bool counts_rows(const SnForm *f, MlirOperation op) {
  MlirAttribute dim = sn_get_attr(op, "dim");
  bool counts = dim.ptr && sn_row_op_takes_dim(op) && !sn_is_whole_rows(op) && f->num_rows != 1 &&
                mlirStringRefEqual(mlirStringAttrGetValue(dim), SN_STR("row"));
  for (intptr_t d = 1; d < f->num_rows && counts; ++d)
    counts = f->dims.data[d].size != SN_DYNAMIC;
  return counts;
}
static MlirValue row_number(SnBuilder *b, const SnForm *f, MlirOperation index) {
  MlirValue number = {0};
  for (intptr_t d = 0; d < f->num_rows; ++d) {
    MlirValue at =
        sn(b, sn_name(index), sn_index_type(b->ctx), sn_attr("dim", mlirStringAttrGet(b->ctx, f->dims.data[d].name)));
    number = d ? sn(b, "arith.addi", sn(b, "arith.muli", number, sn_index(b, f->dims.data[d].size)), at) : at;
  }
  return sn_none(number) ? sn_index(b, 0) : number;
}

static MlirLogicalResult check_dim(const Copy *c, MlirOperation op) {
  MlirAttribute dim = sn_get_attr(op, "dim");
  const SnForm *f = c->to->form;
  if (!dim.ptr || !sn_row_op_takes_dim(op) || dim_of(f, mlirStringAttrGetValue(dim)).length || counts_rows(f, op))
    return SN_OK;
  MlirStringRef word = mlirStringAttrGetValue(dim);
  if (f->num_rows > 1 && mlirStringRefEqual(word, SN_STR("row")))
    return sn_error(c->use->op,
                    "has a definition that counts rows, here over %td dimensions; give the sizes of all but the first",
                    (intptr_t)f->num_rows);
  return sn_error(c->use->op, "has a definition that names '%.*s', and rows are of %td dimensions here, columns of %td",
                  (int)word.length, word.data, (intptr_t)f->num_rows, (intptr_t)f->num_cols);
}

// ---- operations ----------------------------------------------------------------------

static MlirOperation copy_op(Copy *c, SnBuilder *b, MlirOperation op);

static MlirRegion copy_region(Copy *c, MlirRegion region, MlirLocation loc) {
  MlirRegion copy = mlirRegionCreate();
  for (MlirBlock block = mlirRegionGetFirstBlock(region); block.ptr; block = mlirBlockGetNextInRegion(block)) {
    MlirBlock to = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k) {
      MlirValue argument = mlirBlockGetArgument(block, k);
      sn_map(&c->map, argument, mlirBlockAddArgument(to, type_in(c, sn_type_of(argument)), loc));
    }
    mlirRegionAppendOwnedBlock(copy, to);
    SnBuilder inside = sn_at_end(to, loc);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      copy_op(c, &inside, op);
  }
  return copy;
}

static MlirOperation copy_op(Copy *c, SnBuilder *b, MlirOperation op) {
  MlirOperationState s = mlirOperationStateGet(SN_STR(sn_name(op)), b->loc);
  SnValueVec operands = {0};
  SN_VEC(MlirType) results = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&operands, sn_lookup(&c->map, sn_operand(op, k)));
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_push(&results, type_in(c, sn_type_of(sn_result(op, k))));
  mlirOperationStateAddOperands(&s, (intptr_t)operands.size, operands.data);
  mlirOperationStateAddResults(&s, (intptr_t)results.size, results.data);
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(op); ++k) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, k);
    if (sn_is(op, "arith.constant"))
      a.attribute = number_in(results.data[0], a.attribute);
    else if (mlirStringRefEqual(mlirIdentifierStr(a.name), SN_STR("dim")))
      a.attribute = mlirStringAttrGet(b->ctx, dim_of(c->to->form, mlirStringAttrGetValue(a.attribute)));
    mlirOperationStateAddAttributes(&s, 1, &a);
  }
  for (intptr_t k = 0; k < mlirOperationGetNumRegions(op); ++k) {
    MlirRegion region = copy_region(c, mlirOperationGetRegion(op, k), b->loc);
    mlirOperationStateAddOwnedRegions(&s, 1, &region);
  }
  MlirOperation copy = mlirOperationCreate(&s);
  sn_insert(b, copy);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_map(&c->map, sn_result(op, k), sn_result(copy, k));
  sn_vec_free(&operands);
  sn_vec_free(&results);
  return copy;
}

// ---- uses inside --------------------------------------------------------------------------

// A name of `functions` is what the outer use says, if it says so; else null.
static MlirAttribute replacement(const Copy *c, MlirOperation inner) {
  const SnDefinition *d = &c->use->definition;
  MlirStringRef name = sn_use_name(inner);
  bool replaceable =
      sn_is(inner, "sinter.apply") && d->functions.ptr && mlirDictionaryAttrGetElementByName(d->functions, name).ptr;
  return replaceable ? mlirOperationGetAttributeByName(c->use->op, name) : mlirAttributeGetNull();
}

static MlirLogicalResult copy_use(Copy *c, MlirOperation inner) {
  if (c->depth >= MAX_DEPTH)
    return sn_error(inner, "is used by a definition that it uses itself; definitions cannot be recursive");
  MlirAttribute given = replacement(c, inner);
  SnFound found = given.ptr ? sn_definition_find_named(c->use->op, mlirFlatSymbolRefAttrGetValue(given))
                            : sn_definition_find(inner);
  SnUse use;
  SnValueVec arguments = {0}, yielded = {0};
  MlirLogicalResult result = sn_use_bind_found(inner, &found, &use);
  if (sn_failed(result) && given.ptr) { // the inner use is not the user's
    MlirStringRef name = sn_use_name(inner), by = mlirFlatSymbolRefAttrGetValue(given);
    sn_error(c->use->op, "gives @%.*s for '%.*s', which it does not fit; the error before says why", (int)by.length,
             by.data, (int)name.length, name.data);
  }
  if (!sn_failed(result)) {
    use.real = c->use->real;
    for (size_t k = 0; k < use.operands.size; ++k)
      sn_push(&arguments, sn_none(use.operands.data[k]) ? (MlirValue){0} : sn_lookup(&c->map, use.operands.data[k]));
    result = copy_body(c->to, &use, arguments.data, &yielded, c->depth + 1);
  }
  for (size_t k = 0; k < yielded.size && (intptr_t)k < sn_num_results(inner); ++k) { // not a mean's weight
    MlirValue old = sn_result(inner, (intptr_t)k);
    sn_map(&c->map, old, sn_convert_element(&c->to->b, yielded.data[k], element_in(c, sn_element(sn_type_of(old)))));
  }
  sn_vec_free(&arguments);
  sn_vec_free(&yielded);
  sn_use_free(&use);
  sn_found_free(&found);
  return result;
}

// ---- the whole body ---------------------------------------------------------------------------

static void map_parameters(Copy *c, const MlirValue *arguments) {
  const SnDefinition *d = &c->use->definition;
  SnBuilder *b = &c->to->b;
  size_t operands = sn_num_operand_parameters(d);
  for (size_t k = 0; k < d->parameters.size; ++k) {
    const SnParameter *p = &d->parameters.data[k];
    MlirType element = element_in(c, p->type);
    MlirAttribute number = k >= operands ? c->use->numbers.data[k - operands] : p->otherwise;
    bool given = !sn_none(arguments[k]);
    MlirValue v = given ? sn_convert_element(b, arguments[k], element) : sn_constant(b, number_in(element, number));
    if (p->row)
      v = sn_as_row(b, v, c->to->row);
    sn_map(&c->map, mlirBlockGetArgument(d->body, (intptr_t)k), v);
  }
}

static MlirLogicalResult copy_ops(Copy *c, MlirBlock from);

// Loops of a definition are as many copies of their body as they have turns, which attributes say.
static MlirLogicalResult copy_loop(Copy *c, MlirOperation loop) {
  int64_t bounds[3];
  for (intptr_t k = 0; k < 3; ++k)
    if (!sn_is_decided(sn_lookup(&c->map, sn_operand(loop, k)), &bounds[k]))
      return sn_error(c->use->op, "has a definition with a loop, and how often it runs is no constant here");
  int64_t turns = bounds[2] > 0 && bounds[1] > bounds[0] ? sn_pieces(bounds[1] - bounds[0], bounds[2]) : 0;
  if (bounds[2] < 1 || turns > MAX_TURNS)
    return sn_error(c->use->op, "has a definition with a loop of %ld turns in steps of %ld; at most %d are possible",
                    (long)turns, (long)bounds[2], MAX_TURNS);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirValue turn = mlirBlockGetArgument(body, 0);
  intptr_t n = sn_num_results(loop);
  MlirValue *now = sn_alloc((size_t)(n + 1) * sizeof *now);
  for (intptr_t k = 0; k < n; ++k)
    now[k] = sn_lookup(&c->map, sn_operand(loop, 3 + k));
  MlirLogicalResult result = SN_OK;
  for (int64_t t = 0; t < turns && !sn_failed(result); ++t) {
    MlirAttribute at = mlirIntegerAttrGet(sn_type_of(turn), bounds[0] + t * bounds[2]);
    sn_map(&c->map, turn, sn_constant(&c->to->b, at));
    for (intptr_t k = 0; k < n; ++k)
      sn_map(&c->map, mlirBlockGetArgument(body, 1 + k), now[k]);
    result = copy_ops(c, body);
    for (intptr_t k = 0; k < n; ++k)
      now[k] = sn_lookup(&c->map, sn_operand(yield, k));
  }
  for (intptr_t k = 0; k < n; ++k)
    sn_map(&c->map, sn_result(loop, k), now[k]);
  free(now);
  return result;
}

// All but the block's end.
static MlirLogicalResult copy_ops(Copy *c, MlirBlock from) {
  SnExpansion *to = c->to;
  MlirLocation outer = to->b.loc;
  bool own = mlirOperationEqual(c->use->definition.op, c->use->op) || c->depth == 0;
  MlirOperation end = mlirBlockGetTerminator(from);
  MlirLogicalResult result = SN_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, end) && !sn_failed(result);
       op = mlirOperationGetNextInBlock(op)) {
    to->b.loc = own ? sn_fuse_loc(mlirOperationGetLocation(op), outer) : outer;
    bool cast = sn_is(op, "arith.extf") || sn_is(op, "arith.truncf");
    MlirValue value = cast ? sn_lookup(&c->map, sn_operand(op, 0)) : (MlirValue){0};
    if (cast && mlirTypeEqual(sn_type_of(value), type_in(c, sn_type_of(sn_result(op, 0)))))
      sn_map(&c->map, sn_result(op, 0), value); // f32 and f64 of a definition are one type
    else if (sn_is_use(op))
      result = copy_use(c, op);
    else if (sn_is(op, "scf.for"))
      result = copy_loop(c, op);
    else if (counts_rows(to->form, op))
      sn_map(&c->map, sn_result(op, 0), row_number(&to->b, to->form, op));
    else if (!sn_failed(result = check_dim(c, op)))
      copy_op(c, &to->b, op);
  }
  to->b.loc = outer;
  return result;
}

static MlirLogicalResult copy_body(SnExpansion *to, const SnUse *use, const MlirValue *arguments, SnValueVec *yielded,
                                   int depth) {
  Copy c = {.to = to, .use = use, .depth = depth};
  map_parameters(&c, arguments);
  MlirOperation yield = sn_definition_yield(&use->definition);
  MlirLogicalResult result = copy_ops(&c, use->definition.body);
  for (intptr_t k = 0; k < sn_num_operands(yield) && !sn_failed(result); ++k)
    sn_push(yielded, sn_lookup(&c.map, sn_operand(yield, k)));
  sn_map_free(&c.map);
  return result;
}

MlirLogicalResult sn_expand_body(SnExpansion *to, const SnUse *use, const MlirValue *arguments, SnValueVec *yielded) {
  return copy_body(to, use, arguments, yielded, 0);
}

// ---- in a form that a person wrote ----------------------------------------------------------------

MlirLogicalResult sn_expand_in_place(MlirOperation op) {
  SnFound found = sn_definition_find(op);
  SnUse use;
  SnValueVec yielded = {0};
  MlirLogicalResult result = sn_use_bind_found(op, &found, &use);
  if (!sn_failed(result)) {
    SnForm f = sn_form_read(mlirOperationGetParentOperation(op));
    SnExpansion to = {.b = sn_before(op), .row = sn_row_type(&f, use.real), .form = &f};
    if (f.num_cols)
      result = sn_expand_body(&to, &use, use.operands.data, &yielded);
    else
      result = sn_error(op, "is a row function, and the form around it has no columns");
    for (size_t k = 0; k < yielded.size && (intptr_t)k < sn_num_results(op); ++k) { // not a mean's weight
      MlirValue old = sn_result(op, (intptr_t)k);
      mlirValueReplaceAllUsesOfWith(old, sn_convert_element(&to.b, yielded.data[k], sn_element(sn_type_of(old))));
    }
    sn_form_free(&f);
  }
  sn_vec_free(&yielded);
  sn_use_free(&use);
  sn_found_free(&found);
  if (!sn_failed(result))
    mlirOperationDestroy(op);
  return result;
}
