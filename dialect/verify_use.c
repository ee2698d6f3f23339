// verify_use.c: a use of a definition bound to its operands and attributes.
//
//   sinter.cross_entropy(%x, %t, weight = %w) {label_smoothing = 0.1}
//     -> operands {%x, %t, %w}, numbers {-100, 0.1}, dimensions (4, 8, 5), rows along dimension 1
//
// test: test/dialect/invalid_definitions.mlir, @u1.. @l1..

#include "dialect/definition.h"
#include "dialect/verify.h"
#include <stdio.h>

static const char *text_of(MlirStringRef s, char *buffer, size_t size) {
  snprintf(buffer, size, "%.*s", (int)s.length, s.data);
  return buffer;
}
#define TEXT(s) text_of((s), (char[96]){0}, 96)

static MlirStringRef parameter_name(const SnUse *u, size_t k, char *buffer, size_t size) {
  MlirStringRef name = u->definition.parameters.data[k].name;
  if (name.length)
    return name;
  snprintf(buffer, size, "%zu", k); // of a loss in place
  return SN_STR(buffer);
}
#define NAME(u, k) TEXT(parameter_name((u), (k), (char[24]){0}, 24))

// ---- operands and attributes by name ---------------------------------------------------

static intptr_t parameter(const SnDefinition *d, MlirStringRef name) {
  for (size_t k = 0; k < d->parameters.size; ++k)
    if (mlirStringRefEqual(d->parameters.data[k].name, name))
      return (intptr_t)k;
  return -1;
}

static MlirLogicalResult bind_operands(SnUse *u) {
  const SnDefinition *d = &u->definition;
  size_t all = sn_num_operand_parameters(d), needed = 0;
  while (needed < all && !d->parameters.data[needed].otherwise.ptr)
    ++needed;
  for (size_t k = 0; k < d->parameters.size; ++k)
    sn_push(&u->operands, (MlirValue){0});
  MlirAttribute optionals = sn_get_attr(u->op, "optionals");
  size_t n = (size_t)sn_num_operands(u->op), named = optionals.ptr ? (size_t)mlirArrayAttrGetNumElements(optionals) : 0;
  if (named > n || n - named < needed || n - named > all) { // U2, L1
    if (sn_is(u->op, "sinter.loss"))
      return sn_error(u->op, "has %zu operands, and its body has %zu arguments", n, all); // L1
    return sn_error(u->op, "has %zu operands without a name, and %zu are needed", n - (named < n ? named : n),
                    needed); // U2
  }
  for (size_t k = 0; k < n - named; ++k)
    u->operands.data[k] = sn_operand(u->op, (intptr_t)k);
  for (size_t k = 0; k < named; ++k) {
    MlirStringRef name = mlirStringAttrGetValue(mlirArrayAttrGetElement(optionals, (intptr_t)k));
    intptr_t p = parameter(d, name);
    if (p < (intptr_t)needed || (u->rank && p >= (intptr_t)all)) // U2
      return sn_error(u->op, "has an operand '%s', and no optional operand has this name", TEXT(name));
    if (!sn_none(u->operands.data[p])) // U2
      return sn_error(u->op, "has operand '%s' twice", TEXT(name));
    u->operands.data[p] = sn_operand(u->op, (intptr_t)(n - named + k));
  }
  return SN_OK;
}

// What is written for an attribute parameter, as a number; null after an error.
static MlirAttribute number_of(SnUse *u, size_t k, MlirAttribute written) {
  const SnParameter *p = &u->definition.parameters.data[k];
  MlirContext ctx = mlirOperationGetContext(u->op);
  if (p->words.ptr) {
    for (intptr_t w = 0; w < mlirArrayAttrGetNumElements(p->words); ++w)
      if (mlirAttributeEqual(written, mlirArrayAttrGetElement(p->words, w)))
        return sn_i64(ctx, w);
    SnShown all = {{0}};
    for (intptr_t w = 0; w < mlirArrayAttrGetNumElements(p->words); ++w) {
      size_t used = strlen(all.text);
      snprintf(all.text + used, sizeof all.text - used, "%s\"%s\"", w ? ", " : "",
               TEXT(mlirStringAttrGetValue(mlirArrayAttrGetElement(p->words, w))));
    }
    sn_error(u->op, "'%s' is one of %s", NAME(u, k), all.text); // U4
    return mlirAttributeGetNull();
  }
  bool is_float = mlirAttributeIsAFloat(written), is_int = mlirAttributeIsAInteger(written),
       is_bool = mlirAttributeIsABool(written);
  bool bit = !sn_is_float(p->type) && sn_bits(p->type) == 1;
  if (bit ? !is_bool : sn_is_float(p->type) ? !is_float && (!is_int || is_bool) : !is_int || is_bool) { // U4
    sn_error(u->op, "'%s' is %s", NAME(u, k), bit ? "true or false" : sn_is_float(p->type) ? "a number" : "an integer");
    return mlirAttributeGetNull();
  }
  double value, limit;
  int broken = sn_attr_number(written, &value) ? sn_limit_broken(p, value, &limit) : -1;
  if (broken >= 0) { // U4
    sn_error(u->op, "'%s' is %g, and has to be %s %g", NAME(u, k), value, sn_limits[broken].text, limit);
    return mlirAttributeGetNull();
  }
  return written;
}

static bool is_word_of_the_op(MlirStringRef name) {
  static const char *const words[] = {"callee", "optionals", "reduction", "columns", "broadcast"};
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
    if (mlirStringRefEqual(name, SN_STR(words[k])))
      return true;
  return memchr(name.data, '.', name.length) != NULL; // of another dialect
}

static MlirLogicalResult bind_attributes(SnUse *u) {
  const SnDefinition *d = &u->definition;
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(u->op); ++k) {
    MlirNamedAttribute a = mlirOperationGetAttribute(u->op, k);
    MlirStringRef name = mlirIdentifierStr(a.name);
    intptr_t p = parameter(d, name);
    bool function = d->functions.ptr && mlirDictionaryAttrGetElementByName(d->functions, name).ptr;
    if (function && !mlirAttributeIsAFlatSymbolRef(a.attribute)) // U4
      return sn_error(u->op, "'%s' is the name of a definition, as @name", TEXT(name));
    if (!function && !is_word_of_the_op(name) && (p < 0 || !d->parameters.data[p].attribute)) // U4
      return sn_error(u->op, "has an attribute '%s', and its definition has none of this name", TEXT(name));
  }
  for (size_t k = sn_num_operand_parameters(d); k < d->parameters.size; ++k) {
    MlirAttribute written = sn_get_attr(u->op, TEXT(d->parameters.data[k].name));
    MlirAttribute number = number_of(u, k, written.ptr ? written : d->parameters.data[k].otherwise);
    if (!number.ptr)
      return SN_FAIL;
    sn_push(&u->numbers, number);
  }
  u->reduction = SN_NO_REDUCTION;
  MlirAttribute written = sn_get_attr(u->op, "reduction");
  if (!d->reductions.ptr) {
    if (written.ptr) // U4
      return sn_error(u->op, "has a reduction, and its definition is no loss: it has no `reductions`");
    return SN_OK;
  }
  if (!u->rank && written.ptr && sn_reduction(written) != SN_REDUCE_NONE) // U4
    return sn_error(u->op,
                    "has a reduction in a row program, where a loss is its value before that: leave 'reduction' out");
  if (!written.ptr)
    written = mlirArrayAttrGetElement(d->reductions, 0);
  SnShown all = {{0}};
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(d->reductions); ++k) {
    MlirAttribute word = mlirArrayAttrGetElement(d->reductions, k);
    if (mlirAttributeEqual(word, written))
      u->reduction = sn_reduction(word);
    size_t used = strlen(all.text);
    snprintf(all.text + used, sizeof all.text - used, "%s\"%s\"", k ? ", " : "", TEXT(mlirStringAttrGetValue(word)));
  }
  if (u->reduction == SN_NO_REDUCTION) // U4
    return sn_error(u->op, "'reduction' is one of %s", all.text);
  return SN_OK;
}

// ---- types and shapes -----------------------------------------------------------------------

static bool fits_type(MlirType parameter, MlirType element) {
  return sn_is_float(parameter) ? sn_is_float(element) || sn_is_int(element) : sn_is_int(element);
}

static MlirLogicalResult check_elements(SnUse *u) {
  MlirContext ctx = mlirOperationGetContext(u->op);
  u->real = mlirF32TypeGet(ctx);
  for (size_t k = 0; k < u->operands.size; ++k) {
    MlirValue v = u->operands.data[k];
    if (sn_none(v))
      continue;
    MlirType t = sn_type_of(v), e = sn_element(t);
    const SnParameter *p = &u->definition.parameters.data[k];
    if (!u->rank ? !sn_is_scalar_type(t) && !sn_is_row_type(t)
                 : !mlirTypeIsARankedTensor(t) || !sn_is_scalar_type(e)) // U3
      return sn_error(u->op, "operand '%s' has type %s; give %s", NAME(u, k), sn_show_type(t).text,
                      u->rank ? "a ranked tensor of numbers" : "a scalar or a row");
    if (!fits_type(p->type, e)) // U3
      return sn_error(u->op, "operand '%s' has elements of type %s; give integers", NAME(u, k), sn_show_type(e).text);
    if (sn_is_float(e) && sn_bits(e) == 64)
      u->real = mlirF64TypeGet(ctx);
  }
  return SN_OK;
}

// Whether the shape of all comes from this operand too: optional ones are made to fit.
static bool spans(const SnUse *u, size_t k) {
  const SnParameter *p = &u->definition.parameters.data[k];
  return !sn_none(u->operands.data[k]) && (p->row || u->definition.numbers) && !p->column && !p->leading &&
         (!p->otherwise.ptr || sn_is(u->op, "sinter.loss"));
}

// The dimensions that row operands span together.
static MlirLogicalResult span(SnUse *u) {
  const SnDefinition *d = &u->definition;
  intptr_t rank = 0;
  for (size_t k = 0; k < u->operands.size; ++k) {
    if (!spans(u, k))
      continue;
    intptr_t r = sn_rank(sn_type_of(u->operands.data[k]));
    rank = d->broadcast ? (r > rank ? r : rank) : rank ? rank : r; // without broadcast the first one says it
    u->scalar &= r == 0;
  }
  if (rank > SN_MAX_DIMS) // U3
    return sn_error(u->op, "has an operand of rank %td, and at most %d is possible", rank, SN_MAX_DIMS);
  u->rank = rank ? rank : 1;
  intptr_t columns = (intptr_t)d->columns, n = d->num_columns;
  intptr_t first = columns < 0 ? rank + columns : columns;
  if ((rank > 1 || n > 1) && (first < 0 || first + n > rank)) // U3
    return sn_error(u->op, "has rows along dimension %td, and operands of rank %td",
                    columns < 0 ? columns : columns + n - 1, rank);
  u->column = rank > 1 ? first : 0;
  u->num_columns = d->numbers && u->scalar ? 1 : n; // one number is a row of itself
  for (intptr_t i = 0; i < u->rank; ++i)
    u->shape[i] = 1;
  bool known[SN_MAX_DIMS] = {0};
  for (size_t k = 0; k < u->operands.size; ++k) {
    if (!spans(u, k))
      continue;
    MlirType t = sn_type_of(u->operands.data[k]);
    intptr_t r = sn_rank(t);
    for (intptr_t i = 0; i < r && r <= u->rank; ++i) {
      intptr_t at = u->rank - r + i;
      int64_t size = sn_dim(t, i), *is = &u->shape[at];
      if (d->broadcast && size == 1)
        continue;
      if (!known[at] || *is == SN_DYNAMIC)
        *is = size;
      known[at] = true;
    }
  }
  return SN_OK;
}

// Dimension `i` of the operand against dimension `at` of all.
static bool agrees(const SnUse *u, intptr_t at, int64_t size) {
  return u->shape[at] == size || u->shape[at] == SN_DYNAMIC || size == SN_DYNAMIC;
}

bool sn_use_dims(const SnUse *u, size_t k, intptr_t *dims, intptr_t *wrong) {
  const SnParameter *p = &u->definition.parameters.data[k];
  MlirType t = sn_type_of(u->operands.data[k]);
  intptr_t r = sn_rank(t), n = 0;
  *wrong = -1;
  if (p->column) {
    bool fits = r == u->num_columns;
    *wrong = 0;
    for (intptr_t i = 0; i < r && fits; ++i) {
      dims[i] = u->column + i;
      fits = agrees(u, dims[i], sn_dim(t, i));
    }
    return fits;
  }
  bool whole = p->row || u->definition.numbers, lacks = !whole || (p->leading && r == u->rank - u->num_columns);
  if (u->scalar)
    return r == 0;
  if (lacks && p->row) { // only if it may be the shape without the column; else it is broadcast
    intptr_t at = 0;
    for (intptr_t i = 0; i < u->rank; ++i)
      if (!sn_use_is_column(u, i)) {
        int64_t size = sn_dim(t, at++);
        lacks &= size == u->shape[i] || (size != 1 && agrees(u, i, size));
      }
  }
  if (lacks) {
    if (r != u->rank - u->num_columns)
      return false;
    for (intptr_t i = 0; i < u->rank; ++i)
      if (!sn_use_is_column(u, i))
        dims[n++] = i;
  } else if (u->definition.broadcast && !p->leading ? r > u->rank : r != u->rank) {
    return false; // what may lack the column dimension has all others: which one it lacks would be a guess
  } else {
    for (intptr_t i = 0; i < r; ++i)
      dims[i] = u->rank - r + i;
  }
  for (intptr_t i = 0; i < r; ++i) {
    int64_t size = sn_dim(t, i);
    bool stretched = size == 1 && whole && u->definition.broadcast && u->shape[dims[i]] != 1;
    if (!stretched && !agrees(u, dims[i], size)) {
      *wrong = i;
      return false;
    }
    if (stretched)
      dims[i] = -1;
  }
  return true;
}

static SnShown show_shape(const SnUse *u, bool without_column) {
  SnShown s = {{0}};
  size_t used = 0;
  bool none = u->scalar || (without_column && u->rank == u->num_columns);
  snprintf(s.text, sizeof s.text, "%s", none ? "a tensor without dimensions" : "the shape ");
  used = strlen(s.text);
  for (intptr_t i = 0, n = 0; i < u->rank && !none; ++i) {
    if (without_column && sn_use_is_column(u, i))
      continue;
    used += (size_t)snprintf(s.text + used, sizeof s.text - used, u->shape[i] == SN_DYNAMIC ? "%s?" : "%s%lld",
                             n++ ? "x" : "", (long long)u->shape[i]);
  }
  return s;
}

// Operands that say whose shape they have, or that all have as many dimensions.
static MlirLogicalResult check_likeness(SnUse *u) {
  const SnDefinition *d = &u->definition;
  size_t first = d->parameters.size;
  for (size_t k = 0; k < u->operands.size; ++k) {
    if (sn_none(u->operands.data[k]))
      continue;
    MlirType t = sn_type_of(u->operands.data[k]), as = t;
    MlirAttribute like = d->parameters.data[k].like;
    intptr_t other = like.ptr ? parameter(d, mlirStringAttrGetValue(like)) : -1;
    if (other >= 0)
      as = sn_type_of(u->operands.data[other]);
    bool same = sn_rank(t) == sn_rank(as);
    for (intptr_t i = 0; i < sn_rank(t) && same; ++i)
      same = sn_dim(t, i) == sn_dim(as, i) || sn_dim(t, i) == SN_DYNAMIC || sn_dim(as, i) == SN_DYNAMIC;
    if (!same) // U3
      return sn_error(u->op,
                      "operand '%s' has type %s, and the shape of '%s' of type %s is needed: they are not broadcast",
                      NAME(u, k), sn_show_type(t).text, NAME(u, (size_t)other), sn_show_type(as).text);
    if (!d->same_rank || !spans(u, k))
      continue;
    if (first < d->parameters.size && sn_rank(t) != sn_rank(sn_type_of(u->operands.data[first]))) // U3
      return sn_error(u->op, "operand '%s' has %td dimensions, and '%s' has %td; give as many", NAME(u, k), sn_rank(t),
                      NAME(u, first), sn_rank(sn_type_of(u->operands.data[first])));
    if (first == d->parameters.size)
      first = k;
  }
  return SN_OK;
}

static MlirLogicalResult check_shapes(SnUse *u) {
  intptr_t dims[SN_MAX_DIMS], wrong;
  for (size_t k = 0; k < u->operands.size; ++k) {
    if (sn_none(u->operands.data[k]) || sn_use_dims(u, k, dims, &wrong))
      continue;
    const SnParameter *p = &u->definition.parameters.data[k];
    SnShown type = sn_show_type(sn_type_of(u->operands.data[k]));
    if (p->column) // U3
      return sn_error(u->op, "operand '%s' has type %s; give one element for each of the %lld columns", NAME(u, k),
                      type.text, (long long)u->shape[u->column]);
    if (p->leading) // U3
      return sn_error(u->op, "operand '%s' has type %s; give %s, with 1 for what is broadcast, or %s", NAME(u, k),
                      type.text, show_shape(u, false).text, show_shape(u, true).text);
    return sn_error(u->op, "operand '%s' has type %s; give %s%s", NAME(u, k), type.text,
                    show_shape(u, !p->row && !u->definition.numbers).text, // U3
                    u->definition.broadcast && (p->row || u->definition.numbers) ? ", or what is broadcast to it" : "");
  }
  return SN_OK;
}

// ---- results -----------------------------------------------------------------------------------

// What result k is; null where it is a row program's and not known here.
static MlirType result_type(const SnUse *u, MlirValue yielded) {
  MlirType e = sn_element(sn_type_of(yielded));
  bool row = mlirTypeIsAShaped(sn_type_of(yielded)), loss = u->definition.reductions.ptr;
  if (sn_is_float(e)) {
    e = u->real;
    for (size_t k = 0; !loss && k < u->operands.size; ++k) {
      MlirValue v = u->operands.data[k];
      if (!sn_none(v) && sn_is_float(sn_element(sn_type_of(v)))) {
        e = sn_element(sn_type_of(v));
        break;
      }
    }
  }
  if ((loss && u->reduction != SN_REDUCE_NONE) || u->scalar)
    return sn_tensor(e, 0, NULL);
  int64_t shape[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t i = 0; i < u->rank; ++i)
    if (row || !sn_use_is_column(u, i))
      shape[n++] = u->shape[i];
  return sn_tensor(e, n, shape);
}

static MlirLogicalResult check_results(SnUse *u) {
  MlirOperation yield = sn_definition_yield(&u->definition);
  intptr_t wanted = u->definition.reductions.ptr ? 1 : sn_num_operands(yield);
  if (sn_num_results(u->op) != wanted) // U5
    return sn_error(u->op, "has %td results, and its definition gives %td", sn_num_results(u->op), wanted);
  for (intptr_t k = 0; k < wanted; ++k) {
    MlirType is = sn_type_of(sn_result(u->op, k)), yielded = sn_type_of(sn_operand(yield, k));
    if (!u->rank) {
      if (mlirTypeIsAShaped(is) != mlirTypeIsAShaped(yielded) ||
          sn_is_float(sn_element(is)) != sn_is_float(sn_element(yielded))) // U5
        return sn_error(u->op, "result %td has type %s, and its definition gives %s", k, sn_show_type(is).text,
                        sn_show_type(yielded).text);
      continue;
    }
    MlirType is_needed = result_type(u, sn_operand(yield, k));
    if (!mlirTypeEqual(is, is_needed)) // U5
      return sn_error(u->op, "result %td has type %s, and its definition gives %s", k, sn_show_type(is).text,
                      sn_show_type(is_needed).text);
  }
  return SN_OK;
}

// ---- asserts about attributes ----------------------------------------------------------------------

static MlirAttribute number_given(const void *use, intptr_t argument, intptr_t dim) {
  const SnUse *u = use;
  intptr_t k = argument - (intptr_t)sn_num_operand_parameters(&u->definition);
  return k >= 0 && k < (intptr_t)u->numbers.size ? u->numbers.data[k] : mlirAttributeGetNull();
}

// ---- all of it ------------------------------------------------------------------------------------

MlirLogicalResult sn_use_bind(MlirOperation op, MlirOperation definition, SnUse *u) {
  *u = (SnUse){.op = op, .definition = sn_definition_read(definition), .rank = !sn_in_row_program(op), .scalar = true};
  if (sn_failed(bind_operands(u)) || sn_failed(bind_attributes(u)) || sn_failed(check_elements(u)))
    return SN_FAIL;
  if (!u->rank)
    return check_results(u);
  if (sn_failed(span(u)) || sn_failed(check_likeness(u)) || sn_failed(check_shapes(u)) ||
      sn_failed(sn_use_check_asserts(u->op, u->definition.body, number_given, u)))
    return SN_FAIL;
  return check_results(u);
}

// Kinds, ranks and names agree, as far as an overload is told from another.
static bool fits(MlirOperation op, MlirOperation definition) {
  SnDefinition d = sn_definition_read(definition);
  intptr_t n = sn_num_operands(op), rank = -1;
  bool ok = true, tensors = !sn_in_row_program(op);
  MlirAttribute optionals = sn_get_attr(op, "optionals");
  if (optionals.ptr)
    n -= mlirArrayAttrGetNumElements(optionals);
  ok = n <= (intptr_t)sn_num_operand_parameters(&d);
  for (intptr_t k = 0; optionals.ptr && k < mlirArrayAttrGetNumElements(optionals); ++k)
    ok &= parameter(&d, mlirStringAttrGetValue(mlirArrayAttrGetElement(optionals, k))) >= 0;
  for (intptr_t k = 0; k < n && ok; ++k) {
    const SnParameter *p = &d.parameters.data[k];
    MlirType t = sn_type_of(sn_operand(op, k));
    ok = fits_type(p->type, sn_element(t));
    if (!ok || !tensors || !mlirTypeIsARankedTensor(t))
      continue;
    bool whole = p->row || d.numbers;
    if (whole && !p->column && rank < 0)
      rank = sn_rank(t);
    if (!d.broadcast && rank >= 0 && !p->column && !p->leading)
      ok = sn_rank(t) == (whole ? rank : rank ? rank - d.num_columns : 0);
  }
  sn_definition_free(&d);
  return ok;
}

MlirLogicalResult sn_use_bind_found(MlirOperation op, const SnFound *found, SnUse *u) {
  for (size_t i = 0; i < found->candidates.size; ++i)
    if (!sn_definition_is_usable(found->candidates.data[i])) { // it says so itself
      *u = (SnUse){.op = op};
      return SN_FAIL;
    }
  size_t k = 0;
  while (k + 1 < found->candidates.size && !fits(op, found->candidates.data[k]))
    ++k;
  if (!found->candidates.size) { // U1
    *u = (SnUse){.op = op};
    return sn_error(op, "uses @%s, and neither this module nor the library defines it", TEXT(sn_use_name(op)));
  }
  if (k && k + 1 == found->candidates.size && !fits(op, found->candidates.data[k]))
    k = 0; // none fits: the first says why
  return sn_use_bind(op, found->candidates.data[k], u);
}

void sn_use_free(SnUse *u) {
  sn_definition_free(&u->definition);
  sn_vec_free(&u->operands);
  sn_vec_free(&u->numbers);
}
