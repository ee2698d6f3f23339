// place_phases.c: places of a product by an image with zeros between its elements, and which taps each of them meets.
//
//   (%w[m, j, n], %s[i, m, k + n - 2]), elements of %s 2 apart, 4 taps n
//   ->  place 2 q + p and tap 2 t + p meet element q + t + p - 1: 2 taps t of each phase p
//
// Of 33 places there are 17 of each phase, and the last one of the second is cut off.
//
// test: test/passes/arrange/transposed_convolutions.mlir

#include "dialect/sequence.h"
#include "lowering/facts/packed_weights.h"
#include "passes/arrange/transposed.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"

enum { CUT = 16 }; // multiplications of a place, which writing it again takes as long as

static bool divides(int64_t by, int64_t n) { return n % by == 0; }

// How many taps each phase has, where tap step * t + turn * p + first is one of `taps`; *first so that t begins with 0.
static int64_t count_taps(int64_t step, int64_t turn, int64_t taps, int64_t *first) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t p = 0; p < step; ++p)
    for (int64_t n = 0; n < taps; ++n) {
      int64_t t = n - turn * p - *first;
      if (!divides(step, t))
        continue;
      least = t / step < least ? t / step : least;
      most = t / step > most ? t / step : most;
    }
  *first += least * step;
  return most - least + 1;
}

// offset is where place 0 and tap 0 are, in front of the first element. Fewer taps are better, then phases that read
// the image alike.
static bool find_phases(SnPhases *p, int64_t taps, int64_t offset) {
  int64_t start = 0;
  while (start < p->step && !divides(p->step, p->factor * start + offset))
    ++start;
  p->taps = INT64_MAX;
  for (int64_t turn = 1 - p->step; turn < p->step && start < p->step; ++turn) {
    int64_t first = start;
    if (!divides(p->step, 1 + p->factor * turn))
      continue;
    int64_t n = count_taps(p->step, turn, taps, &first), shift = (1 + p->factor * turn) / p->step;
    if (n > p->taps || (n == p->taps && shift))
      continue;
    p->taps = n;
    p->turn = turn;
    p->first = first;
    p->shift = shift;
    p->offset = (p->factor * first + offset) / p->step;
  }
  return p->taps <= taps;
}

// The weights have dimension d, once and all of it, forwards or backwards.
static bool takes_all_taps(const SnForm *f, const SnAccess *w, intptr_t d) {
  int64_t size = f->dims.data[d].size;
  int n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(w->map); ++i) {
    int64_t offset = 0, factors[SN_MAX_DIMS] = {0};
    MlirAffineExpr e = mlirAffineMapGetResult(w->map, i);
    if (!mlirAffineExprIsFunctionOfDim(e, d))
      continue;
    if (!sn_read_linear(e, 1, &offset, factors))
      return false;
    for (intptr_t o = 0; o < (intptr_t)f->dims.size; ++o)
      if (o != d && factors[o])
        return false;
    bool all = (factors[d] == 1 && !offset) || (factors[d] == -1 && offset == size - 1);
    if (!all || sn_dim(sn_type_of(w->value), i) != size)
      return false;
    ++n;
  }
  return n == 1;
}

static bool read_dimension(SnTransposed *c, SnZerosProduct *w, intptr_t at) {
  const SnForm *f = &c->f;
  const SnAccess *image = sn_image_of(c, w);
  SnPhases *p = &w->phases[at];
  int64_t offset = 0, factors[SN_MAX_DIMS] = {0};
  *p = (SnPhases){.place = -1, .tap = -1, .step = w->spaced.step[at]};
  if (!sn_read_linear(mlirAffineMapGetResult(image->map, at), 1, &offset, factors))
    return sn_no(f->op, "dimension %ld of an image with zeros is read by quotients", (long)at);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    intptr_t *is = d < f->num_rows + f->num_cols ? &p->place : &p->tap;
    if (!factors[d])
      continue;
    if (*is >= 0)
      return sn_no(f->op, "dimension %ld of an image with zeros is read by several places or taps", (long)at);
    *is = d;
  }
  if (p->place < 0 || p->tap < 0 || factors[p->place] != 1)
    return sn_no(f->op, "dimension %ld of an image with zeros is read by no place and tap", (long)at);
  for (intptr_t o = 0; o < mlirAffineMapGetNumResults(image->map); ++o)
    if (o != at && (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(image->map, o), p->tap) ||
                    mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(image->map, o), p->place)))
      return sn_no(f->op, "a place or a tap reads two dimensions of an image");
  p->factor = factors[p->tap];
  int64_t places = f->dims.data[p->place].size, taps = f->dims.data[p->tap].size;
  if (places == SN_DYNAMIC || taps == SN_DYNAMIC)
    return sn_no(f->op, "nobody knows how many places or taps dimension %ld of an image with zeros has", (long)at);
  c->more |= !divides(p->step, places);
  if (!takes_all_taps(f, sn_weights_of(c, w), p->tap))
    return sn_no(f->op, "weights do not have a dimension of %ld taps", (long)taps);
  if (!find_phases(p, taps, offset - w->spaced.first[at]))
    return sn_no(f->op, "of taps %ld apart each phase of %ld has all or none", (long)p->factor, (long)p->step);
  c->tap[p->tap] = p;
  c->apart[p->place] |= p->shift != 0;
  return true;
}

// All products have the same places, with as many phases.
static bool read_product(SnTransposed *c, size_t product) {
  const SnForm *f = &c->f;
  SnZerosProduct *w = &c->windows[product];
  bool is = false;
  for (int side = 0; side < 2 && !is; ++side) {
    w->image = 2 * product + (size_t)side;
    w->weights = 2 * product + (size_t)(1 - side);
    is = sn_find_spaced(sn_image_of(c, w)->value, &w->spaced);
  }
  if (!is)
    return product && sn_no(f->op, "product %ld is by no image with zeros", (long)product);
  int64_t steps[SN_MAX_DIMS] = {0};
  for (intptr_t at = 0; at < sn_rank(sn_type_of(sn_image_of(c, w)->value)); ++at) {
    if (w->spaced.step[at] == 1)
      continue;
    if (!read_dimension(c, w, at))
      return false;
    steps[w->phases[at].place] = w->spaced.step[at];
  }
  for (size_t d = 0; d < f->dims.size && product; ++d)
    if (steps[d] != c->step[d])
      return sn_no(f->op, "product %ld has other places between zeros", (long)product);
  memcpy(c->step, steps, sizeof steps);
  return true;
}

// Places that are a whole number of phases, over those that there are.
static double more_places(const SnTransposed *c) {
  double more = 1;
  for (size_t d = 0; d < c->f.dims.size; ++d)
    if (c->step[d])
      more *= (double)(sn_pieces(c->f.dims.data[d].size, c->step[d]) * c->step[d]) / (double)c->f.dims.data[d].size;
  return more;
}

// What is made of more places is written again without them, which has a size then. The row program runs for them, too,
// on zeros in place of what is not there: nothing is divided by these, and no error comes of them.
static bool may_have_more(const SnTransposed *c) {
  for (size_t k = 0; k < c->f.outputs.size; ++k)
    if (!mlirShapedTypeHasStaticShape(sn_type_of(c->f.outputs.data[k].value)))
      return sn_no(c->f.op, "places are no whole number of phases, and a result of `?` is not cut");
  if (sn_form_may_fail(&c->f))
    return sn_no(c->f.op, "places are no whole number of phases, and a row program may not run for more");
  return true;
}

// Multiplications for each place, as they are and by phases.
static bool is_less(const SnTransposed *c) {
  int64_t before = 0, after = 0;
  for (size_t product = 0; product < c->f.products.size; ++product) {
    int64_t all = 1, left = 1, first = sn_first_own(&c->f, product);
    for (int64_t d = first; d < first + c->f.products.data[product].num_dims; ++d) {
      int64_t size = c->f.dims.data[d].size;
      all = size == SN_DYNAMIC ? all : sn_times(all, size);
      left = size == SN_DYNAMIC ? left : sn_times(left, c->tap[d] ? c->tap[d]->taps : size);
    }
    before += all;
    after += left;
  }
  double least = c->more ? (double)after * more_places(c) + CUT : (double)after;
  return least < (double)before || sn_no(c->f.op, "phases have as many taps as all of them");
}

static bool is_zero(MlirAttribute fill) {
  double number;
  return !fill.ptr || (sn_attr_number(fill, &number) && number == 0);
}

static bool fits(const SnForm *f) {
  bool may = 2 * f->dims.size <= SN_MAX_DIMS && f->products.size && sn_is_plain(f) && !f->schedule.ptr &&
             !f->indices.size && !f->accumulators.size && !f->finish.ptr && sn_num_results(f->op) &&
             !sn_in_sequence(f->op) && sn_is_elementwise_body(f->body);
  for (size_t k = 0; k < f->inputs.size && may; ++k)
    may = !sn_is_table(&f->inputs.data[k]) && (k >= sn_first_input(f) || is_zero(f->inputs.data[k].fill));
  for (size_t k = 0; k < f->outputs.size && may; ++k) {
    MlirAffineMap map = f->outputs.data[k].map;
    may = mlirAffineMapGetNumResults(map) == f->num_rows + f->num_cols;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      may &= sn_map_dim(map, i) >= 0;
  }
  for (size_t k = 0; k < sn_first_input(f) && may; ++k) // as they are, then
    may = !sn_cpu_weights_asked_for(f->inputs.data[k].value);
  return may;
}

bool sn_read_transposed(SnTransposed *c) {
  if (!fits(&c->f))
    return false;
  for (size_t product = 0; product < c->f.products.size; ++product)
    if (!read_product(c, product))
      return false;
  return is_less(c) && (!c->more || may_have_more(c));
}
