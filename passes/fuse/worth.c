// worth.c: what a fusion saves, and when it is not worth it.
//
//   y = exp(b[j]); z = x[i, j] + y[j]  ->  aggressive: exp inside, for each of the rows
//                                          medium: two kernels, exp once for each column
//
// Traffic is what a kernel reads and writes: each value once, whatever reads it inside.
// What a policy allows beyond legality is one row of the table below.
//
// new way to fuse: what it saves, and when it is not worth it.
//
// runs in: fuse, explain    test: test/passes/fuse/policy.mlir

#include "dialect/row_ops.h"
#include "passes/fuse/fuse.h"

// ---- policies ---------------------------------------------------------------------

static const SnPolicy table[] = {
    {.name = "disabled", .nothing = true},
    // A library's kernel from host code is never the better one on this CPU: products are calls of libxsmm
    // inside our kernels already.
    {.name = "medium", .computes_heavy_again = false},
    {.name = "aggressive", .computes_heavy_again = true},
    {0},
};

const SnPolicy *sn_policy(const char *name) {
  for (const SnPolicy *p = table; p->name; ++p)
    if (!strcmp(p->name, name))
      return p;
  return NULL;
}

// ---- traffic ----------------------------------------------------------------------

// A size not known is taken for this many.
enum { UNKNOWN_SIZE = 1024 };

double sn_elements(MlirType shaped) {
  double n = 1;
  for (int64_t i = 0; mlirTypeIsAShaped(shaped) && i < sn_rank(shaped); ++i)
    n *= sn_dim(shaped, i) == SN_DYNAMIC ? UNKNOWN_SIZE : (double)sn_dim(shaped, i);
  return n;
}
double sn_bytes(MlirType shaped) {
  unsigned bits = sn_bits(sn_element(shaped));
  return sn_elements(shaped) * (bits < 8 ? 1 : bits / 8);
}

double sn_saved(const SnMerge *m) {
  double n = 0;
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    size_t result;
    if (mlirOperationEqual(sn_producer(&m->b, k, &result), m->a.op)) {
      n += sn_bytes(sn_type_of(m->b.inputs.data[k].value)) * (m->keep[result] ? 1 : 2);
      continue;
    }
    for (size_t i = 0; i < m->a.inputs.size; ++i)
      if (sn_same(m->a.inputs.data[i].value, m->b.inputs.data[k].value)) {
        n += sn_bytes(sn_type_of(m->b.inputs.data[k].value));
        break;
      }
  }
  return n;
}

// ---- what is computed again -----------------------------------------------------------

bool sn_is_light(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_cost(op) >= SN_COST_DIVISION)
      return false;
  return true;
}

static double points(const SnForm *f, intptr_t from, intptr_t to) {
  double n = 1;
  for (intptr_t d = from; d < to; ++d)
    n *= f->dims.data[d].size == SN_DYNAMIC ? UNKNOWN_SIZE : (double)f->dims.data[d].size;
  return n;
}

// How often the merged form computes each value of a.
static double times_again(const SnMerge *m) {
  const SnForm *to = &m->merged;
  bool columns = false;
  for (size_t d = 0; d < m->a.dims.size; ++d)
    for (intptr_t c = to->num_rows; c < to->num_rows + to->num_cols; ++c)
      columns |= mlirAffineExprIsFunctionOfDim(m->a_dims[d], c);
  double made = points(to, 0, to->num_rows) * (columns ? points(to, to->num_rows, to->num_rows + to->num_cols) : 1);
  return made / points(&m->a, 0, (intptr_t)m->a.dims.size);
}

// A value computed so often is still cheaper than one that is written and read: what reads it with bounds or beside
// others visits a few more points than it has.
enum { MOST_TIMES = 4 };

// One number for the whole grid (a mean's divisor, the scale of a gradient): a row has it at hand sooner than a kernel
// of its own would.
static bool is_one_number(const SnForm *f) { return points(f, 0, (intptr_t)f->dims.size) == 1; }

bool sn_worth(const SnMerge *m, const SnPolicy *policy) {
  // Beside a product, an exponential for each of its results is little.
  bool again = sn_is_elementwise_form(&m->a) && !is_one_number(&m->a) && !m->into_finish && !m->merged.contract &&
               !sn_is_light(&m->a) && times_again(m) > MOST_TIMES;
  return policy->computes_heavy_again || !again || sn_refuse(m->a.op, SN_WHY_AGAIN);
}
