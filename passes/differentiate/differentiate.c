// differentiate.c: a gradient becomes the kernel forms that compute it.
//
//   %l = sinter.rowwise ins(%x, %y) ...             %l = sinter.rowwise ins(%x, %y) ...
//   %dx = sinter.differentiate %l wrt(%x)    ->     %dx = sinter.rowwise ins(%x, %y) ...
//
// Reverse mode over tensors: from the loss back to what it is differentiated by, each form hands the gradients
// of its results to its inputs (differentiate/adjoint.c), inside of it each operation of the row program
// (differentiate/rules.c). Gradients of a value with several readers are added. What is emitted reads what the forward
// reads and says it in the same words, so that sinter-fuse makes one kernel of value and gradients.
//
// With `wrt=0,2` the public function of a module gets the op first (differentiate/gradient_results.c). No sinter.detach
// is left behind.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/differentiate/differentiate.mlir

#include "passes/differentiate/differentiate.h"
#include "dialect/dialect.h"
#include "passes/raise/raise.h"
#include "passes/split/split.h"
#include <assert.h>

// ---- the graph behind a loss -----------------------------------------------------------

// What one reader gives to the gradient of a value.
typedef struct {
  SnGradient gradient;
  uintptr_t before; // 1 + the number of the part of the same value in front of it; 0: there is none
} Part;

typedef struct {
  MlirOperation op; // sinter.differentiate
  SnBuilder b;      // in front of it
  SnValueVec wrt;
  SnTable is_wrt; // those values
  SnTable seen;  // ops that were looked at; 1: it lies between
  SnOpVec order; // those, each behind what it reads
  SnTable last;  // of a value: 1 + the number of the latest part of its gradient
  SnTable readers; // of a value: how many give it one
  SN_VEC(Part) parts;
} Graph;

static bool lies_between(const Graph *g, MlirOperation op) {
  uintptr_t between;
  return sn_table_get(&g->seen, op.ptr, &between) && between;
}

// Depends on what is differentiated by, once its definer was visited.
static bool is_between(const Graph *g, MlirValue v) {
  MlirType t = sn_type_of(v);
  if (!sn_is_float(sn_element(t)))
    return false; // labels, sizes, masks: nothing flows through them
  MlirOperation def = sn_definer(v);
  return sn_table_has(&g->is_wrt, v.ptr) || (!sn_null(def) && lies_between(g, def));
}

static bool visit(Graph *g, MlirOperation op);

typedef struct {
  Graph *g;
  MlirOperation around; // the op that is visited
  bool depends, ok;
} Inside;

static bool is_inside(MlirOperation op, MlirOperation around) {
  for (; !sn_null(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, around))
      return true;
  return false;
}

// What an op or its regions read; of a form not the destinations.
static MlirWalkResult visit_operands(MlirOperation op, void *user) {
  Inside *in = user;
  intptr_t n = sn_num_operands(op);
  bool closed = sn_is_form(op) || sn_is(op, "sinter.steps");
  if (closed)
    n = mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0);
  bool *reached = sn_is(op, "sinter.rowwise") ? sn_alloc((size_t)n + 1) : NULL;
  if (reached)
    sn_find_reached(op, NULL, reached);
  for (intptr_t i = 0; i < n && in->ok; ++i) {
    MlirValue v = sn_operand(op, i);
    MlirOperation def = sn_definer(v);
    if (reached && !reached[i])
      continue;
    if (!sn_null(def) && sn_is_float(sn_element(sn_type_of(v))) && !is_inside(def, in->around))
      in->ok = visit(in->g, def);
    in->depends |= is_between(in->g, v);
  }
  free(reached);
  if (!in->ok)
    return MlirWalkResultInterrupt;
  return closed ? MlirWalkResultSkip : MlirWalkResultAdvance; // a body sees nothing from outside
}

static bool is_reshape(MlirOperation op) {
  return sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") || sn_is(op, "tensor.cast") ||
         sn_is(op, "tensor.reshape");
}

// Of this type, with the sizes of x: what tensor.reshape took x apart from.
static MlirValue reshaped_back(SnBuilder *b, MlirValue v, MlirValue x, MlirType to) {
  intptr_t rank = sn_rank(to);
  MlirValue sizes[SN_MAX_DIMS];
  for (intptr_t p = 0; p < rank; ++p)
    sizes[p] = sn(b, "tensor.dim", x, sn_index(b, p));
  int64_t shape[] = {rank};
  MlirType index = sn_index_type(b->ctx);
  MlirValue all = sn(b, "tensor.from_elements", sn_values(rank, sizes), sn_tensor(index, 1, shape));
  MlirValue made = sn(b, "tensor.reshape", v, all, to);
  return sn_elementwise_form(b, sn_element(to), x, 1, &made, NULL, false, 0); // whose sizes are seen to be those of x
}

static bool visit(Graph *g, MlirOperation op) {
  if (sn_table_has(&g->seen, op.ptr))
    return true;
  sn_table_put(&g->seen, op.ptr, false);
  Inside in = {g, op, false, true};
  mlirOperationWalk(op, visit_operands, &in, MlirWalkPreOrder);
  if (!in.ok || !in.depends)
    return in.ok;
  if (!sn_is_form(op) && !sn_is(op, "sinter.steps") && !is_reshape(op) && !sn_is_tm_tensor(op) &&
      !sn_slice_tensors(op)) {
    sn_error(op, "stands between the loss and what the loss is differentiated by, and gradients go through kernel "
                 "forms and reshapes alone; write it "
                 "as a row program, or differentiate by its result");
    return false;
  }
  sn_table_put(&g->seen, op.ptr, true);
  sn_push(&g->order, op);
  return true;
}

// ---- gradients of tensors ---------------------------------------------------------------------

static void add_part(Graph *g, MlirValue of, SnGradient part) {
  uintptr_t before = 0;
  sn_table_get(&g->last, of.ptr, &before);
  sn_push(&g->parts, ((Part){part, before}));
  sn_table_put(&g->last, of.ptr, g->parts.size);
}

static MlirValue part_value(Graph *g, MlirValue of, MlirType element, SnGradient part) {
  return sn_none(part.value) ? sn_elementwise_form(&g->b, element, of, 0, NULL, NULL, false, 1) : part.value;
}

// The sum of parts, or one of them, as a tensor of this element type and the sizes of `like`. What is a collapsed
// tensor is computed before it is collapsed, so that it fuses with what made it.
static MlirValue sum_of(SnBuilder *b, MlirType element, MlirValue like, intptr_t n, const MlirValue *parts) {
  static const char collapse[] = "tensor.collapse_shape";
  MlirValue from[2];
  MlirOperation first = sn_def(parts[0], collapse);
  bool same = !sn_null(first);
  for (intptr_t k = 0; k < n && same; ++k) {
    MlirOperation op = sn_def(parts[k], collapse);
    same = !sn_null(op) && mlirAttributeEqual(sn_get_attr(op, "reassociation"), sn_get_attr(first, "reassociation"));
    from[k] = same ? sn_operand(op, 0) : parts[k];
    for (intptr_t p = 0; same && p < sn_rank(sn_type_of(from[k])); ++p)
      same = p < sn_rank(sn_type_of(from[0])) && sn_dim(sn_type_of(from[k]), p) == sn_dim(sn_type_of(from[0]), p);
  }
  if (!same)
    return sn_elementwise_form(b, element, like, n, parts, NULL, false, 0);
  MlirType t = sn_type_of(like);
  return sn(b, collapse, sn_elementwise_form(b, element, from[0], n, from, NULL, false, 0), sn_tensor_like(t, element),
            sn_attr("reassociation", sn_get_attr(first, "reassociation")));
}

// Part number k - 1 and those in front of it, in the order in which they were given.
static SnGradient sum_to(Graph *g, MlirValue v, MlirType wide, uintptr_t k) {
  Part last = g->parts.data[k - 1];
  if (!last.before)
    return last.gradient;
  SnGradient sum = sum_to(g, v, wide, last.before);
  MlirValue both[] = {part_value(g, v, wide, sum), part_value(g, v, wide, last.gradient)};
  sum.value = sum_of(&g->b, wide, v, 2, both);
  return sum;
}

// The sum of all parts so far, which are one from now on.
static SnGradient gradient_of(Graph *g, MlirValue v) {
  SnGradient sum = {0};
  uintptr_t last = 0;
  if (!sn_table_get(&g->last, v.ptr, &last))
    return sum;
  sum = sum_to(g, v, sn_wide_type(sn_element(sn_type_of(v))), last);
  sn_push(&g->parts, ((Part){sum, 0}));
  sn_table_put(&g->last, v.ptr, g->parts.size);
  return sum;
}

typedef struct {
  Graph *g;
  MlirOperation form;
} Giving;
static void give(void *user, size_t input, MlirValue gradient) {
  Giving *to = user;
  add_part(to->g, sn_operand(to->form, (intptr_t)input), (SnGradient){true, gradient});
}

// A gradient comes from several readers of `v`. Which those are is known before the first is asked.
static bool has_readers(Graph *g, MlirValue v) {
  uintptr_t n = 0;
  if (!sn_table_get(&g->readers, v.ptr, &n)) {
    n = sn_same(v, sn_operand(g->op, 0));
    for (MlirOpOperand use = mlirValueGetFirstUse(v); use.ptr; use = mlirOpOperandGetNextUse(use))
      n += lies_between(g, mlirOpOperandGetOwner(use));
    sn_table_put(&g->readers, v.ptr, n);
  }
  return n > 1;
}

static bool through_form(Graph *g, MlirOperation op) {
  bool product = sn_is(op, "sinter.contract"), steps = sn_is(op, "sinter.steps"), tm = sn_is_tm_tensor(op);
  // Those of tm_tensor read what they begin with.
  intptr_t slice = sn_slice_tensors(op);
  intptr_t n = slice ? slice
               : tm  ? sn_num_operands(op)
                     : mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0);
  SnGradient *upstream = sn_alloc((size_t)(sn_num_results(op) + 1) * sizeof *upstream);
  bool *active = sn_alloc((size_t)n + 1), any = false;
  MlirType *elements = sn_alloc((size_t)(n + 1) * sizeof *elements);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    any |= (upstream[k] = gradient_of(g, sn_result(op, k))).given;
  bool rows = any && sn_is(op, "sinter.rowwise"); // of the others each input has one
  if (rows)
    sn_find_reached(op, upstream, active);
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue v = sn_operand(op, k);
    MlirOperation def = sn_definer(v);
    active[k] = (!rows || active[k]) && is_between(g, v);
    elements[k] = sn_element(sn_type_of(v));
    // Added up, or handed on: rounded once, at the end.
    if (sn_is_float(elements[k]) && (has_readers(g, v) || (!sn_null(def) && lies_between(g, def))))
      elements[k] = sn_wide_type(elements[k]);
  }
  Giving to = {g, op};
  bool ok = !any || product || steps || tm || slice ||
            sn_differentiate_split(&g->b, op, upstream, active, elements, give, &to);
  bool left = false;
  for (intptr_t k = 0; k < n; ++k)
    left |= active[k];
  if (ok && any && left)
    ok = (product ? sn_differentiate_product
          : steps ? sn_differentiate_steps
          : tm    ? sn_differentiate_tm_tensor
          : slice ? sn_differentiate_slice
                  : sn_differentiate_form)(&g->b, op, upstream, active, elements, give, &to);
  free(upstream);
  free(active);
  free(elements);
  return ok;
}

// The gradient gets the shape that the reshape took its value from.
static void through_reshape(Graph *g, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  SnGradient part = gradient_of(g, sn_result(op, 0));
  if (part.given && !sn_none(part.value)) {
    SnBuilder *b = &g->b;
    MlirType is = sn_type_of(x);
    int64_t shape[SN_MAX_DIMS];
    SnValueVec sizes = {0};
    assert(sn_rank(is) <= 64);
    for (intptr_t p = 0; p < sn_rank(is); ++p) {
      shape[p] = sn_dim(is, p);
      if (shape[p] == SN_DYNAMIC)
        sn_push(&sizes, sn(b, "tensor.dim", x, sn_index(b, p)));
    }
    MlirType to = sn_tensor(sn_element(sn_type_of(part.value)), sn_rank(is), shape);
    MlirAttribute groups = sn_get_attr(op, "reassociation");
    if (sn_is(op, "tensor.cast"))
      part.value = sn(b, "tensor.cast", part.value, to);
    else if (sn_is(op, "tensor.reshape"))
      part.value = reshaped_back(b, part.value, x, to);
    else if (sn_is(op, "tensor.expand_shape"))
      part.value = sn(b, "tensor.collapse_shape", part.value, to, sn_attr("reassociation", groups));
    else
      part.value = sn(b, "tensor.expand_shape", part.value, sn_values((intptr_t)sizes.size, sizes.data), to,
                      sn_attr("reassociation", groups),
                      sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(is), shape)));
    sn_vec_free(&sizes);
  }
  if (part.given)
    add_part(g, x, part);
}

// What was emitted has results and inputs that nobody needs. The last comes first: what it does not read, those in
// front of it need not give.
static void tidy(MlirOperation end, MlirOperation begin) {
  MlirBlock block = mlirOperationGetBlock(end);
  for (bool changed = true; changed;) {
    SnOpVec emitted = {0};
    for (MlirOperation op = sn_null(begin) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(begin);
         !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
      sn_push(&emitted, op);
    changed = false;
    for (size_t k = emitted.size; k-- > 0;) {
      MlirOperation op = emitted.data[k];
      if (sn_is(op, "sinter.rowwise"))
        changed |= !mlirOperationEqual(sn_tidy(op), op);
      else if (sn_shim_is_dead(op))
        mlirOperationDestroy(op), changed = true;
    }
    sn_vec_free(&emitted);
  }
}

static MlirLogicalResult differentiate(MlirOperation op) {
  Graph g = {.op = op, .b = sn_before(op)};
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  intptr_t given = mlirDenseI32ArrayGetElement(segments, 1), n = mlirDenseI32ArrayGetElement(segments, 2);
  MlirValue loss = sn_operand(op, 0);
  MlirOperation begin = sn_shim_previous(op), def = sn_definer(loss);
  for (intptr_t k = 0; k < n; ++k) {
    sn_push(&g.wrt, sn_operand(op, 1 + given + k));
    sn_table_put(&g.is_wrt, sn_operand(op, 1 + given + k).ptr, 1);
  }
  bool ok = sn_null(def) || visit(&g, def);
  if (ok && is_between(&g, loss))
    add_part(&g, loss, (SnGradient){true, given ? sn_operand(op, 1) : (MlirValue){0}});
  for (size_t k = g.order.size; k-- > 0 && ok;) {
    if (is_reshape(g.order.data[k]))
      through_reshape(&g, g.order.data[k]);
    else
      ok = through_form(&g, g.order.data[k]);
  }
  g.b.loc = mlirOperationGetLocation(op);
  for (intptr_t k = 0; k < n && ok; ++k) {
    MlirValue x = g.wrt.data[k];
    MlirType element = sn_element(sn_type_of(x));
    SnGradient d = gradient_of(&g, x);
    MlirValue v =
        d.given ? part_value(&g, x, element, d) : sn_elementwise_form(&g.b, element, x, 0, NULL, NULL, false, 0);
    if (!mlirTypeEqual(sn_element(sn_type_of(v)), element))
      v = sum_of(&g.b, element, x, 1, &v);
    if (!mlirTypeEqual(sn_type_of(v), sn_type_of(x))) // a size `?` that another operand knows
      v = sn(&g.b, "tensor.cast", v, sn_type_of(x));
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), v);
  }
  if (ok) {
    MlirOperation end = mlirOperationGetNextInBlock(op);
    mlirOperationDestroy(op);
    tidy(end, begin);
  }
  sn_vec_free(&g.wrt);
  sn_table_free(&g.is_wrt);
  sn_table_free(&g.seen);
  sn_table_free(&g.last);
  sn_table_free(&g.readers);
  sn_vec_free(&g.order);
  sn_vec_free(&g.parts);
  return ok ? SN_OK : SN_FAIL;
}

// ---- the pass ------------------------------------------------------------------------------------

typedef SnGradientOptions Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt",
     "arguments of the public function that it is differentiated by, counted from 0 or by name (sinter.name, or the "
     "location's), with commas; it returns their gradients behind its results",
     "", NULL, offsetof(Options, wrt)},
    {SN_OPTION_INT, "result", "which of its results is differentiated", "0", NULL, offsetof(Options, result)},
    {SN_OPTION_BOOL, "upstream", "it takes the gradient with respect to that result as one more argument", "false",
     NULL, offsetof(Options, upstream)},
    {0},
};

static MlirLogicalResult differentiate_function(MlirOperation func, void *user) {
  SnOpVec all = sn_collect(func, "sinter.differentiate");
  if (all.size)
    sn_corners(func); // of what is not raised yet
  MlirLogicalResult result = all.size ? sn_raise(func) : SN_OK;
  if (all.size && !sn_failed(result)) // gradients are of plain forms; sinter-fuse makes one of theirs again
    result = sn_split_forms(func, (SnSplit){0});
  if (all.size && !sn_failed(result)) {
    sn_turn_maxima(func);
    sn_take_arguments_apart(func);
  }
  for (size_t k = 0; k < all.size && !sn_failed(result); ++k)
    result = differentiate(all.data[k]);
  if (all.size && !sn_failed(result))
    result = sn_raise(func); // reshapes of gradients, into what reads them
  sn_vec_free(&all);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  MlirLogicalResult result = SN_OK;
  if (*o->wrt)
    result = sn_add_gradients(root, o);
  if (!sn_failed(result))
    result = sn_each_function(root, differentiate_function, NULL);
  sn_drop_detach(root);
  sn_drop_unused_steps(root);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__sinter__,
                                                      mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_differentiate = {
    .argument = "sinter-differentiate",
    .summary = "gradients become the kernel forms that compute them",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
