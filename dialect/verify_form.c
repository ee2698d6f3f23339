// verify_form.c: the rules of sinter.rowwise and sinter.contract.
//
// Labels are those of the ODS descriptions in dialect/Sinter.td; each has a test
// of its name. The list of checks at the end gives the order: each relies on
// what those before it established. Subscripts are checked in verify_access.c,
// the two regions in verify_regions.c.
//
// test: test/dialect/invalid.mlir, @f1.. to @p4..

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/schedules.h"
#include "dialect/verify.h"
#include "target/microkernels.h"
#include <ctype.h>
#include <stdio.h>

// ---- messages ----------------------------------------------------------------------

static void append(MlirStringRef part, void *user) {
  SnShown *s = user;
  size_t used = strlen(s->text), room = sizeof s->text - used - 1, n = part.length < room ? part.length : room;
  memcpy(s->text + used, part.data, n);
  s->text[used + n] = 0;
}
SnShown sn_show_type(MlirType t) {
  SnShown s = {{0}};
  append(SN_STR("'"), &s);
  mlirTypePrint(t, append, &s);
  append(SN_STR("'"), &s);
  return s;
}

SnShown sn_show_operand(const SnForm *f, size_t k) {
  SnShown s;
  size_t sides = sn_first_input(f), inputs = f->inputs.size, indices = f->indices.size, products = f->products.size,
         side = 0;
  while (k < sides && sn_side(f, side).first + sn_side(f, side).count <= k)
    ++side;
  if (k < sides && side < 2 * products)
    snprintf(s.text, sizeof s.text, "side %zu of product %zu", side % 2, side / 2);
  else if (k < sides)
    snprintf(s.text, sizeof s.text, "matrix %zu", side - 2 * products);
  else if (k < inputs)
    snprintf(s.text, sizeof s.text, "input %zu", k - sides);
  else if (k < inputs + indices)
    snprintf(s.text, sizeof s.text, "index tensor %zu", k - inputs);
  else
    snprintf(s.text, sizeof s.text, "destination %zu", k - inputs - indices);
  return s;
}

bool sn_is_scalar_type(MlirType t) {
  return sn_is_float(t) || mlirTypeIsAIndex(t) || (mlirTypeIsAInteger(t) && mlirIntegerTypeIsSignless(t));
}
bool sn_is_row_type(MlirType t) {
  return mlirTypeIsARankedTensor(t) && sn_rank(t) == 1 && sn_is_scalar_type(sn_element(t));
}

#define NAME(d) (int)f->dims.data[d].name.length, f->dims.data[d].name.data

// ---- dimensions and operands -----------------------------------------------------------

static bool is_word(MlirStringRef s) {
  static const char *const taken[] = {"mod", "floordiv", "ceildiv"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i)
    if (mlirStringRefEqual(s, SN_STR(taken[i])))
      return false;
  for (size_t i = 0; i < s.length; ++i)
    if (!isalpha((unsigned char)s.data[i]) && s.data[i] != '_' &&
        !(i && (isdigit((unsigned char)s.data[i]) || s.data[i] == '$' || s.data[i] == '.')))
      return false;
  return s.length > 0;
}

static MlirLogicalResult check_dims(const SnForm *f) {
  for (size_t d = 0; d < f->dims.size; ++d) {
    SnDim *dim = &f->dims.data[d];
    if (!is_word(dim->name)) // F1
      return sn_error(f->op, "dimension %zu is named '%.*s'; a name is a bare word, and not mod, floordiv or ceildiv",
                      d, NAME(d));
    for (size_t e = 0; e < d; ++e)
      if (mlirStringRefEqual(dim->name, f->dims.data[e].name)) // F1
        return sn_error(f->op, "dimensions %zu and %zu are both named '%.*s'; rename one", e, d, NAME(d));
    if (dim->size < 0 && dim->size != SN_DYNAMIC) // F1
      return sn_error(f->op, "dimension '%.*s' has size %lld; a size is 0 or more, or `?`", NAME(d),
                      (long long)dim->size);
  }
  return SN_OK;
}

static MlirLogicalResult check_operands(const SnForm *f) {
  intptr_t n = sn_num_operands(f->op), results = sn_num_results(f->op);
  bool memrefs = n && mlirTypeIsAMemRef(sn_type_of(sn_operand(f->op, 0)));
  for (intptr_t k = 0; k < n; ++k) {
    MlirType t = sn_type_of(sn_operand(f->op, k));
    SnShown who = sn_show_operand(f, (size_t)k);
    if (!mlirTypeIsAMemRef(t) && !mlirTypeIsARankedTensor(t)) // F2
      return sn_error(f->op, "%s has type %s; operands are ranked tensors or memrefs", who.text, sn_show_type(t).text);
    if (mlirTypeIsAMemRef(t) != memrefs) // F2
      return sn_error(f->op, "%s has type %s, and %s has %s; take tensors only, or memrefs only", who.text,
                      sn_show_type(t).text, sn_show_operand(f, 0).text,
                      sn_show_type(sn_type_of(sn_operand(f->op, 0))).text);
    if (!sn_is_scalar_type(sn_element(t))) // F19
      return sn_error(f->op, "%s has elements of type %s; elements are floats, signless integers or index", who.text,
                      sn_show_type(sn_element(t)).text);
  }
  if (results != (memrefs ? 0 : (intptr_t)f->outputs.size)) // F2
    return sn_error(f->op, "has %td results and %zu destinations; %s", results, f->outputs.size,
                    memrefs ? "a form on memrefs has no results" : "a form on tensors has one for each");
  for (intptr_t k = 0; k < results; ++k) {
    MlirType result = sn_type_of(sn_result(f->op, k)), destination = sn_type_of(f->outputs.data[k].value);
    if (!mlirTypeEqual(result, destination)) // F2
      return sn_error(f->op, "result %td has type %s, and its destination %s", k, sn_show_type(result).text,
                      sn_show_type(destination).text);
  }
  for (size_t k = 0; memrefs && k < f->outputs.size; ++k)
    for (intptr_t other = 0; other < n; ++other)
      if (other != (intptr_t)(f->inputs.size + f->indices.size + k) &&
          sn_same(sn_operand(f->op, other), f->outputs.data[k].value)) // F20
        return sn_error(f->op, "destination %zu is %s too; a destination overlaps no other operand", k,
                        sn_show_operand(f, (size_t)other).text);
  return SN_OK;
}

// ---- destinations and accumulators --------------------------------------------------------

static int64_t count_used(MlirAffineMap map, int64_t first, int64_t end) {
  int64_t used = 0;
  for (int64_t d = first; d < end; ++d)
    used += sn_map_uses(map, d);
  return used;
}

static MlirLogicalResult check_destination(const SnForm *f, size_t k) {
  MlirAffineMap map = f->outputs.data[k].map;
  MlirType type = sn_type_of(f->outputs.data[k].value);
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t s = 0; s < n; ++s) {
    int64_t size = sn_dim(type, s), d = sn_map_dim(map, s), wanted = 1;
    MlirAffineExpr e = mlirAffineMapGetResult(map, s);
    bool zero = mlirAffineExprIsAConstant(e) && mlirAffineConstantExprGetValue(e) == 0;
    if (d < 0 && !zero) // F8
      return sn_error(f->op, "subscript %td of destination %zu is an expression; write a dimension, or 0", s, k);
    if (d >= f->num_rows + f->num_cols) // F8
      return sn_error(f->op,
                      "subscript %td of destination %zu is '%.*s', a dimension of a product; write a row or a column",
                      s, k, NAME(d));
    for (intptr_t before = 0; d >= 0 && before < s; ++before)
      if (sn_map_dim(map, before) == d) // F8
        return sn_error(
            f->op,
            "subscripts %td and %td of destination %zu are both '%.*s'; a destination is written once at each place",
            before, s, k, NAME(d));
    if (d >= 0)
      wanted = f->dims.data[d].size;
    if (size != SN_DYNAMIC && wanted != SN_DYNAMIC && size != wanted) // F8
      return sn_error(f->op, "destination %zu has size %lld in dimension %td, and %lld is written there", k,
                      (long long)size, s, (long long)wanted);
  }
  int64_t cols = count_used(map, f->num_rows, f->num_rows + f->num_cols), rows = count_used(map, 0, f->num_rows),
          group = sn_group_of_map(f, map), all = sn_group(f, group > 0 ? (size_t)group : 0).num_dims;
  if (cols && group == SN_SEVERAL_GROUPS) // F8
    return sn_error(f->op, "destination %zu uses columns of more than 1 group; a row is of one", k);
  if (cols && cols != all) // F8
    return sn_error(f->op, "destination %zu uses %lld of %lld columns; use all, or none for a result per row", k,
                    (long long)cols, (long long)all);
  if (rows && rows != f->num_rows) // F10
    return sn_error(f->op,
                    "destination %zu uses %lld of %lld row dimensions; use all, or none for a result reduced over rows",
                    k, (long long)rows, (long long)f->num_rows);
  return SN_OK;
}

static MlirLogicalResult check_destinations(const SnForm *f) {
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < f->outputs.size && !sn_failed(result); ++k)
    result = check_destination(f, k);
  return result;
}

static MlirLogicalResult check_accumulators(const SnForm *f) {
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnAccumulator *a = &f->accumulators.data[k];
    const SnCombiner *c = sn_combiner(a->kind);
    if (!c) // F9
      return sn_error(f->op, "accumulator %zu combines by '%.*s', which is no combiner; see sinter.row_reduce", k,
                      (int)a->kind.length, a->kind.data);
    if (!sn_is_scalar_type(a->type) || !sn_combiner_fits(c, a->type)) // F9
      return sn_error(f->op, "accumulator %zu combines by '%s', which does not fit type %s", k, c->kind,
                      sn_show_type(a->type).text);
    intptr_t n = mlirAffineMapGetNumResults(a->map);
    int64_t of = sn_group_of_map(f, a->map);
    SnGroup group = sn_group(f, of > 0 ? (size_t)of : 0);
    bool in_order = n == group.num_dims;
    for (intptr_t s = 0; s < n && in_order; ++s)
      in_order = sn_map_dim(a->map, s) == group.first + s;
    if (n && !in_order) // F9
      return sn_error(
          f->op, "accumulator %zu keeps something other than the %lld columns in order; keep all of them, or nothing",
          k, (long long)group.num_dims);
  }
  if (f->finish.ptr)
    return SN_OK;
  size_t reduced = sn_num_reduced(f);
  if (f->accumulators.size != reduced) // F14
    return sn_error(f->op, "has %zu accumulators and %zu reduced destinations; give one for each, or a finish",
                    f->accumulators.size, reduced);
  for (size_t k = 0, next = 0; k < f->outputs.size; ++k) {
    if (!sn_is_reduced(f, k))
      continue;
    const SnAccumulator *a = &f->accumulators.data[next++];
    MlirType element = sn_element(sn_type_of(f->outputs.data[k].value));
    if (!mlirTypeEqual(element, a->type)) // F14
      return sn_error(f->op, "destination %zu has elements of type %s, and its accumulator has %s; convert in a finish",
                      k, sn_show_type(element).text, sn_show_type(a->type).text);
    if (sn_uses_cols(f, f->outputs.data[k].map) != sn_uses_cols(f, a->map)) // F14
      return sn_error(f->op, "destination %zu keeps %s columns, and its accumulator %s", k,
                      sn_uses_cols(f, a->map) ? "no" : "the", sn_uses_cols(f, a->map) ? "does" : "does not");
  }
  return SN_OK;
}

// ---- products ---------------------------------------------------------------------------------

static bool is_wider(MlirType wide, MlirType narrow) {
  return sn_is_float(wide) == sn_is_float(narrow) && sn_bits(wide) >= sn_bits(narrow);
}

static MlirLogicalResult check_product(const SnForm *f, size_t p) {
  const SnProduct *product = &f->products.data[p];
  int64_t first = sn_first_own(f, p), end = first + product->num_dims;
  if (!product->num_dims) // P1
    return sn_error(f->op, "product %zu sums over 0 dimensions of its own; give at least 1", p);
  if (!sn_is_scalar_type(product->type)) // P3
    return sn_error(f->op, "product %zu has type %s; give a float, signless integer or index type", p,
                    sn_show_type(product->type).text);
  for (size_t s = 2 * p; s < 2 * p + 2; ++s) {
    SnSide side = sn_side(f, s);
    for (int64_t d = first; d < end; ++d)
      if (!sn_side_uses(f, s, d)) // P2
        return sn_error(f->op, "%s does not use '%.*s', which the product sums over",
                        sn_show_operand(f, side.first).text, NAME(d));
    MlirType element = sn_side_element(f, s);
    if (!is_wider(product->type, element)) // P3
      return sn_error(
          f->op,
          "product %zu has type %s, and its side %zu has elements of %s; give a type of that kind, and no narrower", p,
          sn_show_type(product->type).text, s % 2, sn_show_type(element).text);
  }
  for (int64_t d = first; d < end; ++d) {
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (sn_access_uses(f, &f->inputs.data[k], d)) // P4
        return sn_error(f->op, "%s uses '%.*s', which is product %zu's own", sn_show_operand(f, k).text, NAME(d), p);
    for (size_t s = 0; s < sn_num_sides(f); ++s)
      if (s / 2 != p && sn_side_uses(f, s, d)) // P4
        return sn_error(f->op, "%s uses '%.*s', which is product %zu's own",
                        sn_show_operand(f, sn_side(f, s).first).text, NAME(d), p);
  }
  return SN_OK;
}

static MlirLogicalResult check_products(const SnForm *f) {
  if (f->contract && !f->products.size) // P1
    return sn_error(f->op, "has 0 products; give at least 1, or write sinter.rowwise");
  MlirLogicalResult result = SN_OK;
  for (size_t p = 0; p < f->products.size && !sn_failed(result); ++p)
    result = check_product(f, p);
  return result;
}

// ---- schedules ------------------------------------------------------------------------------------

static MlirLogicalResult check_schedule(const SnForm *f) {
  if (!f->schedule.ptr)
    return SN_OK;
  const char *mnemonic = sn_schedule_mnemonic(f->schedule);
  if (!mnemonic) // F16
    return sn_error(f->op, "has a schedule that is none of Sinter's; write #sinter.rows<...> or leave it out");
  bool by_products = !strcmp(mnemonic, "brgemm") || !strcmp(mnemonic, "mma"), multiplies = sn_multiplies(f);
  if (by_products != multiplies) // F16
    return sn_error(f->op, "has schedule #sinter.%s, which is for %s", mnemonic,
                    by_products ? "sinter.contract" : "sinter.rowwise");
  const char *kernel = by_products ? sn_schedule_word(f->schedule, "kernel") : NULL;
  SnMultiplied m;
  for (size_t p = 0; by_products && sn_multiplied(f, p, &m); ++p) {
    bool parts = !strcmp(mnemonic, "mma") && p >= f->products.size && sn_parts_of(m.a, m.b) > 1;
    if (!sn_micro_kernel(kernel, parts ? m.b : m.a, m.b, m.sum)) // F16
      return sn_error(f->op, "has a schedule with kernel = \"%s\", which cannot multiply %s by %s in %s (product %zu)",
                      kernel, sn_show_type(m.a).text, sn_show_type(m.b).text, sn_show_type(m.sum).text, p);
  }
  return SN_OK;
}

static MlirLogicalResult verify(MlirOperation op) {
  static MlirLogicalResult (*const checks[])(const SnForm *) = {
      sn_verify_limits, check_dims,         check_operands, sn_verify_accesses, check_destinations, sn_verify_sides,
      check_products,   check_accumulators, check_schedule, sn_verify_body,     sn_verify_finish,   sn_verify_groups,
  };
  char why[512];
  if (!sn_form_is_readable(op, why, sizeof why)) // F17
    return sn_error(op, "%s", why);
  SnForm form = sn_form_read(op);
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < sizeof checks / sizeof *checks && !sn_failed(result); ++i)
    result = checks[i](&form);
  sn_form_free(&form);
  return result;
}

MlirLogicalResult sinter_rowwise_verify(MlirOperation op);
MlirLogicalResult sinter_contract_verify(MlirOperation op);
MlirLogicalResult sinter_rowwise_verify(MlirOperation op) { return verify(op); }
MlirLogicalResult sinter_contract_verify(MlirOperation op) { return verify(op); }
