// terms_across.c: a value of a row program as a sum of products, with numbers of its row that another form has made.
//
//   %m = rowwise (i) by (j) ins(%x[i, j])         { yield sum %x * (1 / N) }   outs([i])
//   %y = rowwise (i) by (j) ins(%x[i, j], %m[i])  { sum (%x - %m) }      ->    sum [x] - N (1 / N) sum [x], which is 0
//
// Rows that both forms read alike are the same rows.
//
// test: test/passes/simplify/zero_sums.mlir

#include "passes/edit/edit.h"
#include "passes/simplify/row_terms.h"

// d0, d1, ... of all rows, and nothing else.
static bool is_each_row(const SnForm *f, const SnAccess *a) {
  intptr_t n = (intptr_t)f->num_rows;
  bool is = !a->through.ptr && !a->fill.ptr && !sn_is_table(a) && mlirAffineMapGetNumResults(a->map) == n &&
            sn_rank(sn_type_of(a->value)) == n;
  for (intptr_t d = 0; d < n && is; ++d)
    is = sn_map_dim(a->map, d) == d;
  return is;
}

static bool has_same_dims(const SnForm *f, const SnForm *g) {
  bool same = f->num_rows == g->num_rows && f->num_cols == g->num_cols && f->dims.size == g->dims.size;
  for (size_t d = 0; d < f->dims.size && same; ++d)
    same = f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size == g->dims.data[d].size;
  return same;
}

// What of f's body is the argument v of g's: an input that is read alike; null if there is none.
static MlirValue same_input(const SnForm *f, const SnForm *g, MlirValue v) {
  MlirValue none = {0};
  if (!mlirValueIsABlockArgument(v) || !mlirBlockEqual(mlirBlockArgumentGetOwner(v), g->body))
    return none;
  size_t at = (size_t)mlirBlockArgumentGetArgNumber(v);
  for (size_t k = 0; k < f->inputs.size && at < g->inputs.size; ++k)
    if (sn_same_access(f, &f->inputs.data[k], g, &g->inputs.data[at]))
      return sn_input_argument(f, k);
  return none;
}

// Puts a term of g's body into words of f's; false where it has others.
static bool in_words_of(const SnForm *f, const SnForm *g, SnTerm *term) {
  SnTerm t = *term, to = {.number = t.number};
  bool fits = !t.rows.n;
  for (size_t i = 0; i < t.n && fits; ++i) {
    SnScalarFactor s = t.scalars[i];
    if (!sn_none(s.value)) {
      s.value = same_input(f, g, s.value);
      fits = !sn_none(s.value);
    }
    for (size_t r = 0; r < s.rows.n && fits; ++r) {
      s.rows.v[r] = same_input(f, g, s.rows.v[r]);
      fits = !sn_none(s.rows.v[r]);
    }
    SnTerm own = {.number = 1, .n = 1, .scalars = {s}};
    fits = fits && s.rows.n <= 1 && sn_term_times(&to, &own, &to); // of several rows the order may be another
  }
  *term = to;
  return fits;
}

// The number of each row that f's argument v is, as another form has made it.
static SnTerms made(const SnForm *f, MlirValue v) {
  SnTerms to = {0};
  size_t at = (size_t)mlirBlockArgumentGetArgNumber(v);
  MlirOperation op = at < f->inputs.size ? sn_definer(f->inputs.data[at].value) : (MlirOperation){0};
  // Of products, arguments are not inputs in their order; of several groups, a row has not all columns.
  if (f->contract || !sn_is_plain(f) || sn_null(op) || !sn_is(op, "sinter.rowwise") ||
      !is_each_row(f, &f->inputs.data[at]))
    return to;
  SnForm g = sn_form_read(op);
  size_t k = 0;
  while (k < g.outputs.size && !sn_same(sn_result(op, (intptr_t)k), f->inputs.data[at].value))
    ++k;
  bool fits = k < g.outputs.size && sn_is_plain(&g) && has_same_dims(f, &g) && !sn_is_reduced(&g, k) &&
              is_each_row(&g, &g.outputs.data[k]);
  if (fits)
    to = sn_terms(sn_operand(mlirBlockGetTerminator(g.body), (intptr_t)sn_output_position(&g, k)), false);
  for (size_t i = 0; i < to.n && to.known; ++i)
    to.known = in_words_of(f, &g, &to.terms[i]);
  sn_form_free(&g);
  return to;
}

static bool is_argument(const SnForm *f, const SnScalarFactor *s) {
  return !sn_none(s->value) && s->power == 1 && mlirValueIsABlockArgument(s->value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(s->value), f->body);
}

SnTerms sn_terms_across(const SnForm *f, MlirValue v) {
  SnTerms from = sn_terms(v, false), to = {.known = from.known};
  for (size_t i = 0; i < from.n && to.known; ++i) {
    SnTerm t = from.terms[i];
    SnTerms factor = {0};
    for (size_t s = 0; s < t.n && !factor.known; ++s) {
      if (is_argument(f, &t.scalars[s]))
        factor = made(f, t.scalars[s].value);
      if (factor.known)
        t.scalars[s] = t.scalars[--t.n];
    }
    if (!factor.known)
      sn_add_term(&to, &t);
    for (size_t k = 0; k < factor.n && factor.known && to.known; ++k) {
      SnTerm product;
      to.known = sn_term_times(&t, &factor.terms[k], &product);
      if (to.known)
        sn_add_term(&to, &product);
    }
  }
  return to;
}
