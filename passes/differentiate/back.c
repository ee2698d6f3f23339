// back.c: for an element of an input, which element of what was written belongs to it.
//
//   %x[i, j + 3]             p, q  ->  i = p, j = q - 3
//   %x[j floordiv 4]         p     ->  j = p * 4 + k, summed over k
//   %x[i, j * 2 + k - 1]     p, q  ->  j = (q + 1) floordiv 2 - k, summed over k
//   %x[i, i + 1]             p, q  ->  i = p, where q - p is 1
//
// test: test/passes/differentiate/accesses.mlir

#include "passes/differentiate/back.h"

// ---- where an element was read -----------------------------------------------------------

static bool read_digit(MlirAffineExpr e, intptr_t dims, SnSubscript *s) {
  s->digit = true;
  s->by = 1;
  if (mlirAffineExprIsAMod(e)) {
    s->modulus = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (mlirAffineExprIsAFloorDiv(e)) {
    s->by = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  int64_t factors[SN_MAX_DIMS] = {0}, sum = 0;
  if (!sn_read_linear(e, 1, &s->offset, factors))
    return false;
  for (intptr_t d = 0; d < dims; ++d) {
    sum += factors[d] == 1 ? 1 : factors[d] ? 2 : 0;
    if (factors[d])
      s->dim = d;
  }
  return sum == 1;
}

// ---- and back ------------------------------------------------------------------------------

static MlirAffineExpr constant(const SnBack *k, int64_t n) { return mlirAffineConstantExprGet(k->ctx, n); }
static MlirAffineExpr times(const SnBack *k, MlirAffineExpr e, int64_t n) {
  return mlirAffineMulExprGet(e, constant(k, n));
}
static MlirAffineExpr divided(const SnBack *k, MlirAffineExpr e, int64_t n) {
  return n == 1 ? e : mlirAffineFloorDivExprGet(e, constant(k, n));
}

// One more that is summed over.
static MlirAffineExpr sum_over(SnBack *k, int64_t size) {
  sn_push(&k->summed, size);
  return mlirAffineDimExprGet(k->ctx, k->rank + (intptr_t)k->summed.size - 1);
}

// The subscript that is the lowest digit of d from `below` on; -1: there is none.
static intptr_t next_digit(const SnBack *k, intptr_t d, int64_t below) {
  intptr_t found = -1;
  for (intptr_t p = 0; p < k->rank; ++p) {
    const SnSubscript *s = &k->subscripts[p];
    if (s->digit && s->dim == d && s->by >= below && (found < 0 || s->by < k->subscripts[found].by))
      found = p;
  }
  return found;
}

// The digits of one dimension: d + offset = sum of by * subscript. Those that no subscript has are summed over.
static bool join_digits(SnBack *k, MlirType t, intptr_t d) {
  int64_t below = 1, size = k->f->dims.data[d].size; // what the digits found so far count up to
  intptr_t first = next_digit(k, d, below);
  int64_t offset = k->subscripts[first].offset;
  MlirAffineExpr sum = constant(k, -offset);
  for (intptr_t p; (p = next_digit(k, d, below)) >= 0;) {
    const SnSubscript *s = &k->subscripts[p];
    if (s->by % below || s->offset != offset || (s->modulus && s->modulus != sn_dim(t, p)))
      return false;
    if (s->by > below)
      sum = mlirAffineAddExprGet(sum, times(k, sum_over(k, s->by / below), below));
    sum = mlirAffineAddExprGet(sum, times(k, mlirAffineDimExprGet(k->ctx, p), s->by));
    k->dims[d] = sum;
    if (!s->modulus)
      return true;
    below = sn_times(s->by, s->modulus);
    if (below < 2)
      return false;
  }
  if (size == SN_DYNAMIC || below < 1 || offset)
    return false;
  if (size > below)
    k->dims[d] = mlirAffineAddExprGet(sum, times(k, sum_over(k, (size + below - 1) / below), below));
  return true;
}

// Whether p - offset has the dimensions as its digits: factors 12, 4, 1 of sizes ?, 3, 4.
static bool split_digits(SnBack *k, const SnSubscript *s, MlirAffineExpr at) {
  int64_t below = 1;
  for (size_t left = 0;; ++left) {
    intptr_t found = -1, n = 0;
    for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d) {
      n += s->factors[d] != 0;
      if (s->factors[d] == below && found < 0)
        found = d;
    }
    if (found < 0)
      return false;
    int64_t size = k->f->dims.data[found].size;
    bool last = (intptr_t)left + 1 == n;
    if (!last && (size == SN_DYNAMIC || size < 2))
      return false;
    k->dims[found] = divided(k, at, below);
    if (last)
      return true;
    k->dims[found] = mlirAffineModExprGet(k->dims[found], constant(k, size));
    below = sn_times(below, size);
  }
}

// The dimension that follows from the subscript and the others: the largest, of a window its place.
static intptr_t largest_of(const SnBack *k, const SnSubscript *s) {
  intptr_t largest = -1;
  for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d) {
    int64_t size = k->f->dims.data[d].size, most = largest < 0 ? 0 : k->f->dims.data[largest].size;
    if (s->factors[d] && (largest < 0 || (most != SN_DYNAMIC && (size == SN_DYNAMIC || size > most))))
      largest = d;
  }
  return largest;
}

// One that the subscript counts one by one, of a known size: of a window's taps only every `step`th is at a place.
static intptr_t counted(const SnBack *k, const SnSubscript *s, intptr_t solved, int64_t step) {
  for (intptr_t d = 0; step > 1 && d < (intptr_t)k->f->dims.size; ++d)
    if (d != solved && s->factors[d] == 1 && k->f->dims.data[d].size > 0)
      return d;
  return -1;
}

// One dimension follows, the others are summed over. at = step * place + tap: the taps of one place are at mod step and
// every one that is a step further, of the place in front of it. (One that is behind the last is outside.)
static void solve(SnBack *k, const SnSubscript *s, MlirAffineExpr at) {
  intptr_t solved = largest_of(k, s);
  int64_t step = s->factors[solved];
  intptr_t tap = counted(k, s, solved, step);
  for (intptr_t d = 0; d < (intptr_t)k->f->dims.size; ++d)
    if (s->factors[d] && d != solved && d != tap) {
      k->dims[d] = sum_over(k, k->f->dims.data[d].size);
      at = mlirAffineAddExprGet(at, times(k, k->dims[d], -s->factors[d]));
    }
  if (tap >= 0) {
    MlirAffineExpr turn = sum_over(k, sn_pieces(k->f->dims.data[tap].size, step));
    k->dims[tap] = mlirAffineAddExprGet(mlirAffineModExprGet(at, constant(k, step)), times(k, turn, step));
    k->dims[solved] = mlirAffineAddExprGet(divided(k, at, step), times(k, turn, -1));
    return;
  }
  if (step != 1 && step != -1)
    sn_push(&k->checks, (SnBackCheck){at, step < 0 ? -step : step});
  k->dims[solved] = divided(k, step < 0 ? times(k, at, -1) : at, step < 0 ? -step : step);
}

// Every subscript that uses dimension d is a multiple of it alone: a diagonal.
static bool is_diagonal(const SnForm *f, const SnSubscript *s, intptr_t rank, size_t d) {
  for (intptr_t p = 0; p < rank; ++p) {
    if (s[p].digit ? s[p].dim == (intptr_t)d : !s[p].factors[d])
      continue;
    for (size_t e = 0; e < f->dims.size; ++e)
      if (s[p].digit || (e != d && s[p].factors[e]))
        return false;
  }
  return true;
}

// False, without an error, where a subscript is neither a sum of dimensions nor a digit of one, or two use one
// dimension and are no diagonal.
static bool read_subscripts(const SnForm *f, size_t input, SnSubscript *to) {
  const SnAccess *a = &f->inputs.data[input];
  int uses[SN_MAX_DIMS] = {0};
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, p);
    SnSubscript linear = {0}, digit = {0};
    if (!sn_read_linear(e, 1, &linear.offset, linear.factors) && !read_digit(e, (intptr_t)f->dims.size, &digit))
      return false;
    to[p] = digit.digit ? digit : linear;
    for (size_t d = 0; d < f->dims.size; ++d)
      uses[d] += !digit.digit && linear.factors[d] ? 2 : digit.digit && digit.dim == (intptr_t)d;
  }
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map); ++p)
    for (size_t d = 0; d < f->dims.size; ++d)
      if (!to[p].digit && to[p].factors[d] && uses[d] > 2 && !is_diagonal(f, to, mlirAffineMapGetNumResults(a->map), d))
        return false;
  return true;
}

static bool find_dims(SnBack *k, const SnForm *f, size_t input, MlirAffineMap written) {
  MlirType t = sn_type_of(f->inputs.data[input].value);
  for (intptr_t p = 0; p < k->rank; ++p) {
    const SnSubscript *s = &k->subscripts[p];
    MlirAffineExpr at = mlirAffineAddExprGet(mlirAffineDimExprGet(k->ctx, p), constant(k, -s->offset));
    bool uses = false, known = false;
    for (size_t d = 0; d < f->dims.size; ++d) {
      uses |= !s->digit && s->factors[d];
      if (s->digit || !s->factors[d] || !k->dims[d].ptr)
        continue;
      known = true; // off the diagonal there is nothing
      sn_push(&k->checks, (SnBackCheck){mlirAffineAddExprGet(at, times(k, k->dims[d], -s->factors[d])), 0});
    }
    if (s->digit && !k->dims[s->dim].ptr && !join_digits(k, t, s->dim))
      return false;
    if (!s->digit && !uses && (s->offset || sn_dim(t, p) != 1))
      sn_push(&k->checks, (SnBackCheck){at, 0});
    if (uses && !known && !split_digits(k, s, at))
      solve(k, s, at);
  }
  for (size_t d = 0; d < f->dims.size; ++d)
    if (!k->dims[d].ptr && sn_map_uses(written, (intptr_t)d))
      k->dims[d] = sum_over(k, f->dims.data[d].size);
  return true;
}

bool sn_find_back(SnBack *k, const SnForm *f, size_t input, MlirAffineMap written) {
  intptr_t rank = sn_rank(sn_type_of(f->inputs.data[input].value));
  *k = (SnBack){.ctx = mlirOperationGetContext(f->op),
                .f = f,
                .rank = rank,
                .subscripts = sn_alloc((size_t)(rank + 1) * sizeof *k->subscripts)};
  return read_subscripts(f, input, k->subscripts) && find_dims(k, f, input, written);
}

void sn_back_free(SnBack *k) {
  free(k->subscripts);
  sn_vec_free(&k->summed);
  sn_vec_free(&k->checks);
}
