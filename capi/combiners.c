// combiners.c: the one table of what a reduction may be, and its reading.
//
// The names are those of MLIR's vector reductions. maximumf and minimumf hand a
// NaN on, maxnumf and minnumf pass over it. An empty reduction is the identity.

#include "capi/form.h"
#include <assert.h>
#include <math.h>

const SnCombiner sn_combiners[] = {
    {"add", "arith.addf", "arith.addi", 0.0},
    {"mul", "arith.mulf", "arith.muli", 1.0},
    {"maximumf", "arith.maximumf", NULL, -INFINITY},
    {"minimumf", "arith.minimumf", NULL, INFINITY},
    {"maxnumf", "arith.maxnumf", NULL, -INFINITY},
    {"minnumf", "arith.minnumf", NULL, INFINITY},
    {"maxsi", NULL, "arith.maxsi", 0},
    {"minsi", NULL, "arith.minsi", 0},
    {"maxui", NULL, "arith.maxui", 0},
    {"minui", NULL, "arith.minui", 0},
    {"and", NULL, "arith.andi", 0},
    {"or", NULL, "arith.ori", 0},
    {"xor", NULL, "arith.xori", 0},
    {NULL, NULL, NULL, 0},
};

const SnCombiner *sn_combiner(MlirStringRef kind) {
  for (const SnCombiner *c = sn_combiners; c->kind; ++c)
    if (mlirStringRefEqual(kind, SN_STR(c->kind)))
      return c;
  return NULL;
}

const SnCombiner *sn_combiner_of_op(MlirOperation op) {
  for (const SnCombiner *c = sn_combiners; c->kind; ++c)
    if ((c->float_op && sn_is(op, c->float_op)) || (c->int_op && sn_is(op, c->int_op)))
      return c;
  return NULL;
}

bool sn_combiner_fits(const SnCombiner *c, MlirType element) {
  return sn_is_float(element) ? c->float_op != NULL : sn_is_int(element) && c->int_op != NULL;
}

// Of integers: all bits of the smallest or largest value of the width.
static int64_t int_identity(const char *kind, unsigned bits) {
  int64_t high = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  if (!strcmp(kind, "mul"))
    return 1;
  if (!strcmp(kind, "maxsi"))
    return -high - 1;
  if (!strcmp(kind, "minsi"))
    return high;
  return !strcmp(kind, "minui") || !strcmp(kind, "and") ? -1 : 0;
}

MlirAttribute sn_combiner_identity(const SnCombiner *c, MlirType element) {
  enum { LARGEST_E4M3FN = 448 }; // it has no infinities
  double x = c->identity;
  if (mlirTypeIsAFloat8E4M3FN(element) && isinf(x))
    x = copysign(LARGEST_E4M3FN, x);
  if (sn_is_float(element))
    return mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, x);
  return mlirIntegerAttrGet(element, int_identity(c->kind, sn_bits(element)));
}

MlirValue sn_combine(SnBuilder *b, const SnCombiner *c, MlirValue acc, MlirValue x) {
  const char *op = sn_is_float(sn_element(sn_type_of(x))) ? c->float_op : c->int_op;
  assert(op && "the verifier checks that a combiner fits");
  return sn(b, op, acc, x);
}
