// chain_powers.c: exponentials of a row's elements, under its reference or under numbers that are known.
//
//   exp(x - r)                     ex2(x * log2(e) - r * log2(e)):  an fma and an instruction
//   exp(select %m, x * 2^n, L)     where the mask leaves all: of x, its power of two being in the fma's factor
//   exp(x - r[i]) of gradients     r[i] being given for a row or for a column
//
// Nobody has to look for maxima where all that takes the maximum is arguments of exponentials (sn_gpu_chain_find_sum).
//
// test: test/lowering/gpu/chains.mlir, test/gpu/chains.test, test/gpu/finite_masks.test

#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "dialect/under_maximum.h"
#include "lowering/gpu/chains/chain_rows.h"
#include "lowering/gpu/math/gpu_math.h"
#include <math.h>

enum { MOST_BITS = 20 }; // of a factor that a score is multiplied by behind its product
enum { OEQ = 1 };        // of arith.cmpf

static bool is_factor(double number) {
  int bits = 0;
  (void)frexp(number, &bits);
  return isnormal(number) && abs(bits) <= MOST_BITS;
}

// v is this, times the factor, which becomes part of what exponentials multiply by anyway. That is rounded once, for
// all columns alike, so that in quotients it is less than rounding each product was.
static MlirValue without_factor(SnChainRow *r, MlirValue v, double *factor) {
  MlirOperation op = sn_definer(v);
  double number;
  for (int k = 0; k < 2 && sn_is(op, "arith.mulf"); ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(op, k));
    if (!sn_none(scalar) && sn_attr_number(sn_constant_of(scalar), &number) && is_factor(number)) {
      *factor *= number;
      return without_factor(r, sn_operand(op, 1 - k), factor);
    }
  }
  const SnCpuCompare *masks[] = {&r->c->end, &r->c->begin};
  for (int m = 0; m < 2 && sn_is(op, "arith.select") && r->unmasked; ++m)
    if (!sn_null(masks[m]->op) && sn_same(sn_operand(op, 0), sn_result(masks[m]->op, 0)))
      return without_factor(r, sn_operand(op, masks[m]->truth ? 2 : 1), factor);
  return v;
}

// The same on a fragment.
static MlirValue unscaled(SnBuilder *b, SnChainRow *r, SnFragment *at, MlirValue v, double *factor) {
  return sn_row_element(b, r->program, at, without_factor(r, v, factor));
}

// A row's number is a result, which may be a sum under the maximum.
static bool stores_numbers(const SnGpuChain *c) {
  bool stores = false;
  for (size_t o = 0; o < c->first.outputs.size; ++o) {
    bool crosses = false;
    for (size_t i = 0; i < c->crossings.size; ++i)
      crosses |= sn_same(c->crossings.data[i].memory, c->first.outputs.data[o].value);
    stores |= !crosses && !sn_uses_cols(&c->first, c->first.outputs.data[o].map);
  }
  for (size_t o = 0; o < c->second.outputs.size; ++o)
    stores |= !sn_uses_cols(&c->second, c->second.outputs.data[o].map);
  return stores;
}

// The program has a number in it that no score should be, as masks of a finite number do.
static bool has_far_number(const SnForm *f) {
  bool has = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    double number;
    has |= sn_num_results(op) == 1 && sn_attr_number(sn_constant_of(sn_result(op, 0)), &number) &&
           number <= SN_CPU_LOW && !isinf(number);
  }
  return has;
}

// Under a number of the row, which is the mask's own where it leaves nothing of the row: what rounding leaves of -1e9
// times log2(e) is more than f16 has exponents for, and another number in each kernel that makes the same exponentials.
static SnGpuPower power_below(SnBuilder *b, const SnChainRow *r, MlirValue m) {
  const SnGpuChain *c = r->c;
  bool near = sn_null(c->maximum) || stores_numbers(c);
  for (size_t p = c->first.products.size; p < c->first.products.size + c->second.products.size; ++p)
    near |= mlirTypeIsAF16(sn_side_element(&c->second, c->products[p].product.b));
  return near && has_far_number(&c->first) ? sn_gpu_near_power_of(b, m) : sn_gpu_power_of(b, m);
}

// e to the power of x under a number of the row, on a fragment: an fma and an instruction.
static MlirValue power_under(SnBuilder *b, SnChainRow *r, SnFragment *at, MlirValue x, const SnGpuPower *under) {
  double factor = 1;
  SnGpuPower p = *under;
  MlirValue v = unscaled(b, r, at, x, &factor);
  p.factor = factor == 1 ? p.factor : sn(b, "arith.mulf", p.factor, sn_chain_number(b, factor));
  return sn_gpu_power_at(b, &p, v);
}

// x is a product times numbers, and so is far from where a multiplication by log2(e) leaves f32, if it is a number.
static bool is_score(SnChainRow *r, MlirValue x) {
  const SnForm *f = &r->c->first;
  double factor = 1;
  MlirValue v = without_factor(r, x, &factor);
  bool is = false;
  for (size_t p = 0; p < f->products.size; ++p)
    is |= sn_same(v, sn_product_argument(f, p));
  return is && !has_far_number(f);
}

// e to the power of x, or of x - y, which is a number of each column. Of y both rows of a thread have one product.
static MlirValue power_of(SnBuilder *b, SnChainRow *r, SnFragment *at, MlirValue x, MlirValue y) {
  if (sn_none(y))
    return sn_chain_exponential(b, sn_row_element(b, r->program, at, x));
  double factor = 1, log2e = is_score(r, x) ? SN_CHAIN_LOG2E : 1;
  MlirValue v = unscaled(b, r, at, x, &factor), by = sn_fragment_spread(b, at, sn_chain_number(b, factor * log2e)),
            minus = sn_row_element(b, r->program, at, y);
  if (log2e == 1)
    return sn_chain_exponential(b, sn(b, "math.fma", v, by, sn(b, "arith.negf", minus)));
  minus = sn(b, "arith.mulf", minus, sn_fragment_spread(b, at, sn_chain_number(b, -log2e)));
  return sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz", sn(b, "math.fma", v, by, minus));
}

// Something that a value is made of waits for all columns.
static bool waits(MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool yes = !sn_null(op) && sn_row_op_of(op) && sn_row_op_has(op, SN_READS_ALL);
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op) && !yes; ++k)
    yes = waits(sn_operand(op, k));
  return yes;
}

// Exponentials that are under no maximum of this row, as gradients': of numbers that are known.
void sn_chain_give_powers(SnBuilder *b, SnChainRow *r) {
  SnRowProgram *p = r->program;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is(op, "math.exp") || !sn_is_row(sn_result(op, 0)) ||
        !mlirTypeIsAF32(sn_element(sn_type_of(sn_result(op, 0)))) || waits(sn_result(op, 0)))
      continue;
    MlirOperation sub = sn_def(sn_operand(op, 0), "arith.subf");
    MlirValue x = sn_operand(sn_null(sub) ? op : sub, 0), y = sn_null(sub) ? (MlirValue){0} : sn_operand(sub, 1),
              of_row = sn_none(y) ? y : sn_broadcast_of(y);
    SnGpuPower under = {0};
    if (!sn_none(of_row))
      under = power_below(b, r, sn_row_scalar(p, of_row));
    for (size_t i = 0; i < r->columns.n; ++i) {
      SnFragment *at = &r->columns.at[i];
      sn_fragment_give(at, sn_result(op, 0),
                       sn_none(of_row) ? power_of(b, r, at, x, y) : power_under(b, r, at, x, &under));
    }
  }
}

// What the program's exponentials under the maximum are, under the reference.
void sn_chain_give_exponentials(SnBuilder *b, SnChainRow *r) {
  SnRowProgram *p = r->program;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is(op, "math.exp") || !mlirOperationEqual(sn_exp_under_maximum(sn_result(op, 0)), r->c->maximum))
      continue;
    MlirValue x = sn_operand(sn_definer(sn_operand(op, 0)), 0);
    SnGpuPower under = power_below(b, r, *sn_chain_reference_of(r));
    for (size_t i = 0; i < r->columns.n; ++i) {
      SnFragment *at = &r->columns.at[i];
      sn_fragment_give(at, sn_result(op, 0), power_under(b, r, at, x, &under));
    }
  }
}

// Whether there was anything but -inf: a sum says that, too.
static bool asks_if_least(MlirOperation compare) {
  return sn_is(compare, "arith.cmpf") && sn_int_attr(compare, "predicate", -1) == OEQ &&
         (sn_is_constant(sn_operand(compare, 0), -INFINITY) || sn_is_constant(sn_operand(compare, 1), -INFINITY));
}

// Of the maximum: all that takes it is exponentials' arguments, and who asks if it is -inf. A reference will do for a
// result, where that is known (passes/fuse/references.c).
static bool is_asked_for(MlirOperation maximum) {
  bool asked = false, any = sn_get_attr(maximum, SN_ANY_REFERENCE).ptr;
  MlirValue m = sn_result(maximum, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(m); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation row = mlirOpOperandGetOwner(use);
    if (asks_if_least(row) || (any && mlirOperationEqual(row, mlirBlockGetTerminator(mlirOperationGetBlock(row)))))
      continue;
    asked |= sn_num_results(row) != 1 || !sn_same(sn_broadcast_of(sn_result(row, 0)), m);
    MlirOpOperand of_row = asked ? (MlirOpOperand){0} : mlirValueGetFirstUse(sn_result(row, 0));
    for (; !mlirOpOperandIsNull(of_row); of_row = mlirOpOperandGetNextUse(of_row)) {
      MlirOperation sub = mlirOpOperandGetOwner(of_row);
      MlirOpOperand of_sub = sn_is(sub, "arith.subf") ? mlirValueGetFirstUse(sn_result(sub, 0)) : (MlirOpOperand){0};
      asked |= mlirOpOperandIsNull(of_sub);
      for (; !mlirOpOperandIsNull(of_sub); of_sub = mlirOpOperandGetNextUse(of_sub)) {
        MlirOperation exp = mlirOpOperandGetOwner(of_sub);
        asked |= !sn_is(exp, "math.exp") || !mlirOperationEqual(sn_exp_under_maximum(sn_result(exp, 0)), maximum);
      }
    }
  }
  return asked;
}

void sn_gpu_chain_find_sum(SnGpuChain *c) {
  size_t first = sn_chain_num_reduces(&c->rows[0], 0);
  c->sum = -1;
  if (sn_null(c->maximum) || is_asked_for(c->maximum) ||
      (stores_numbers(c) && !sn_get_attr(c->maximum, SN_ANY_REFERENCE).ptr))
    return;
  for (size_t i = 0; i < sn_chain_num_reduces(&c->rows[0], 1); ++i) {
    MlirOperation reduce = sn_chain_state_of(&c->rows[0], first + i);
    if (sn_is_reduce(reduce, "add") && mlirTypeIsAF32(sn_type_of(sn_result(reduce, 0))) &&
        mlirOperationEqual(sn_exp_under_maximum(sn_operand(reduce, 0)), c->maximum))
      c->sum = (intptr_t)(first + i);
  }
}
