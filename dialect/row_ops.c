// row_ops.c: the lines of row_ops.h as an array, and what they say of an operation.
//
// test: test/dialect/row_ops.test, test/passes/row_ops.mlir; what the lines are asked for: test/passes, test/lowering

#include "dialect/row_ops.h"

const SnRowOp sn_row_ops[SN_NUM_ROW_OPS] = {
#define LINE(id, name, first, between, last, gives, cost, ...)                                                         \
  [SN_OP_##id] = {SN_OP_##id,       name,           SN_READS_##first, SN_READS_##between, SN_READS_##last,             \
                  SN_GIVES_##gives, SN_COST_##cost, __VA_ARGS__},
    SN_ROW_OPS(LINE)
#undef LINE
};

const SnRowOp *sn_row_op_of(MlirOperation op) {
  const char *name = sn_name(op);
  bool arith = !strncmp(name, "arith.", 6);
  if (arith ? strcmp(name, sn_row_ops[SN_OP_constant].name) : !strncmp(name, "math.", 5))
    return &sn_row_ops[SN_OP_elementwise];
  for (size_t i = 0; i < SN_NUM_ROW_OPS; ++i)
    if (!strcmp(name, sn_row_ops[i].name))
      return &sn_row_ops[i];
  return NULL;
}

bool sn_is_whole_rows(MlirOperation op) {
  return sn_is(op, "sinter.row_sort") || sn_is(op, "sinter.row_scan") || sn_is(op, "sinter.row_fold");
}

bool sn_row_ops_known(MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!sn_row_op_of(op)) {
      sn_error(op, "stands in a row program, and is %s: run sinter-expand before",
               sn_is_whole_rows(op) ? "about whole rows" : "a use of a definition");
      return false;
    }
  return true;
}

bool sn_row_op_has(MlirOperation op, SnReads reads) {
  const SnRowOp *line = sn_row_op_of(op);
  if (!line || (line->first != reads && line->between != reads && line->last != reads))
    return false;
  intptr_t n = sn_num_operands(op);
  for (intptr_t k = 0; k < n; ++k)
    if ((!k ? line->first : k + 1 < n ? line->between : line->last) == reads &&
        (reads != SN_READS_SCALAR || !sn_constant_of(sn_operand(op, k)).ptr))
      return true;
  return false;
}

int64_t sn_row_op_count(MlirBlock block, SnReads reads) {
  int64_t n = 0;
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
       op = mlirOperationGetNextInBlock(op))
    n += sn_row_op_has(op, reads);
  return n;
}

static bool stays_in_column(SnReads reads) { return reads == SN_READS_NOTHING || reads == SN_READS_COLUMN; }

bool sn_row_op_is_elementwise(MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  return line && line->gives == SN_GIVES_EITHER && !line->names_dim && stays_in_column(line->first) &&
         stays_in_column(line->between) && stays_in_column(line->last);
}

int64_t sn_row_op_shared_columns(MlirBlock block) {
  int64_t columns = 1;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->shared > columns && mlirTypeIsARankedTensor(sn_type_of(sn_result(op, 0))))
      columns = line->shared;
  }
  return columns;
}

bool sn_row_op_takes_dim(MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  return (line && line->names_dim) || sn_is_whole_rows(op);
}

bool sn_row_op_names(MlirOperation op, MlirStringRef name) {
  MlirAttribute dim = sn_row_op_takes_dim(op) ? sn_get_attr(op, "dim") : mlirAttributeGetNull();
  return dim.ptr && mlirAttributeIsAString(dim) && mlirStringRefEqual(mlirStringAttrGetValue(dim), name);
}

// ---- costs of arith and math ------------------------------------------------------------------

// Functions cost SN_COST_FUNCTION and arith SN_COST_SIMPLE, but for these.
static const struct {
  const char *name;
  SnCost cost;
} costs[] = {
    {"arith.divf", SN_COST_DIVISION},      {"arith.divsi", SN_COST_DIVISION},
    {"arith.divui", SN_COST_DIVISION},     {"arith.remsi", SN_COST_DIVISION},
    {"arith.remui", SN_COST_DIVISION},     {"arith.ceildivsi", SN_COST_DIVISION},
    {"arith.ceildivui", SN_COST_DIVISION}, {"arith.floordivsi", SN_COST_DIVISION},
    {"arith.remf", SN_COST_FUNCTION},      {"math.absf", SN_COST_SIMPLE},
    {"math.absi", SN_COST_SIMPLE},         {"math.ceil", SN_COST_SIMPLE},
    {"math.clampf", SN_COST_SIMPLE},       {"math.copysign", SN_COST_SIMPLE},
    {"math.floor", SN_COST_SIMPLE},        {"math.fma", SN_COST_SIMPLE},
    {"math.isfinite", SN_COST_SIMPLE},     {"math.isinf", SN_COST_SIMPLE},
    {"math.isnan", SN_COST_SIMPLE},        {"math.isnormal", SN_COST_SIMPLE},
    {"math.round", SN_COST_SIMPLE},        {"math.roundeven", SN_COST_SIMPLE},
    {"math.trunc", SN_COST_SIMPLE},
};

SnCost sn_row_op_cost(MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  if (!line || line->id != SN_OP_elementwise)
    return line ? line->cost : SN_COST_NONE;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; ++i)
    if (sn_is(op, costs[i].name)) // by a number that is known, integers are divided by a multiplication
      return costs[i].cost == SN_COST_DIVISION && !sn_is(op, "arith.divf") && sn_constant_of(sn_operand(op, 1)).ptr
                 ? SN_COST_SIMPLE
                 : costs[i].cost;
  return sn_in_dialect(op, "math") ? SN_COST_FUNCTION : line->cost;
}

// ---- divisions of integers ----------------------------------------------------------------------

static const struct {
  const char *name;
  SnDivides divides;
} divisions[] = {
    {"arith.divsi", SN_DIVIDES_SIGNED},      {"arith.remsi", SN_DIVIDES_SIGNED},
    {"arith.floordivsi", SN_DIVIDES_SIGNED}, {"arith.ceildivsi", SN_DIVIDES_SIGNED},
    {"arith.divui", SN_DIVIDES_UNSIGNED},    {"arith.remui", SN_DIVIDES_UNSIGNED},
    {"arith.ceildivui", SN_DIVIDES_UNSIGNED},
};

SnDivides sn_divides_integers(MlirOperation op) {
  for (size_t i = 0; i < sizeof divisions / sizeof *divisions; ++i)
    if (sn_is(op, divisions[i].name))
      return divisions[i].divides;
  return SN_DIVIDES_NOTHING;
}

bool sn_may_trap(MlirOperation op) {
  SnDivides divides = sn_divides_integers(op);
  if (divides == SN_DIVIDES_NOTHING)
    return false;
  double by;
  MlirAttribute known = sn_constant_of(sn_operand(op, 1));
  return !known.ptr || !sn_attr_number(known, &by) || by == 0 || (by == -1 && divides == SN_DIVIDES_SIGNED);
}
