// pack_weights.c: weights that are packed before the program runs, once, as the kernel multiplies them.
//
//   %w = arith.constant dense_resource<w> : tensor<300x512xf32>
//   sinter.contract (i = 8) by (j = 512) product (k = 300) (%x[i, k], %w[k, j]) ...
//       schedule(#sinter.brgemm<kernel = "fma512", k = 256, n = 64, weights = "packed", ...>)
// ->
//   %p = arith.constant dense_resource<packed> : tensor<8x2x256x64xf32>
//   sinter.contract (i = 8) by (j = 512) product (k = 300)
//       (%x[i, k], %p[j floordiv 64, k floordiv 256, k mod 256, j mod 64]) ...
//
// The form says what it said: it reads the same numbers elsewhere. What nobody reads any more is gone, so a library
// holds one copy. That is why weights are packed only where all who read them take them alike.
//
// An argument is packed where its function asks for it, by `{sinter.pack}`. Its type becomes the packed one, and a
// function that packs stands beside (weight_packers.c): the host calls it once and keeps what it gives.
//
// runs in: sinter-cpu    test: test/passes/schedule/packed_weights.mlir, test/run/packed_weights.test

#include "passes/schedule/pack_weights.h"
#include "dialect/attributes.h"
#include "dialect/schedules.h"

typedef SnWeightLayout Layout;
typedef SnWeightUse Use;
typedef SN_VEC(Use) Uses;

// ---- weights that may be packed -----------------------------------------------------------------

// Null where the value is no constant.
static MlirAttribute constant_of(MlirValue v) {
  MlirOperation op = sn_def(v, "arith.constant");
  return sn_null(op) ? mlirAttributeGetNull() : sn_get_attr(op, "value");
}

bool sn_schedule_packs(const SnForm *f, const char *kernel, const SnScheduleOptions *options) {
  int64_t together = sn_cpu_rows_together(f, kernel);
  bool all = f->products.size > 0;
  for (size_t k = 0; k < f->products.size && all; ++k) {
    SnCpuProduct p;
    all = !sn_failed(sn_cpu_read_product(f, k, together, kernel, &p)) && sn_cpu_can_pack(f, &p);
    int64_t factors[SN_MAX_DIMS];
    const void *key =
        all && sn_linear_factors(p.b->map, sn_type_of(p.b->value), factors) ? sn_cpu_weights_key(p.b->value) : NULL;
    all = key && !(options->given && sn_table_has(options->given, key));
  }
  return all;
}

bool sn_schedule_must_pack(const SnForm *f) {
  bool any = false;
  for (size_t i = 0; i < f->inputs.size; ++i)
    any |= sn_cpu_weights_asked_for(f->inputs.data[i].value);
  return any;
}

// ---- how one form takes its weights ----------------------------------------------------------------

static int64_t constant_part(MlirAffineMap map, MlirType t) {
  int64_t ones[SN_MAX_DIMS], low, high, offset = 0;
  for (int d = 0; d < SN_MAX_DIMS; ++d)
    ones[d] = 1;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    offset = offset * sn_dim(t, i) + (sn_affine_range(mlirAffineMapGetResult(map, i), ones, &low, &high) ? low : 0);
  return offset;
}

static void read_side(const SnForm *f, SnGroup dims, const int64_t *factors, Layout *l, int which) {
  l->side[which].n = dims.num_dims;
  for (int64_t d = 0; d < dims.num_dims; ++d) {
    l->side[which].sizes[d] = f->dims.data[dims.first + d].size;
    l->side[which].factors[d] = factors[dims.first + d];
  }
}

static void read_uses(MlirOperation form, Uses *uses) {
  SnForm f = sn_form_read(form);
  const char *kernel = sn_schedule_word(f.schedule, "kernel");
  int64_t together = sn_cpu_rows_together(&f, kernel);
  for (size_t k = 0; k < f.products.size; ++k) {
    SnCpuProduct p;
    Use use = {.form = form};
    if (sn_failed(sn_cpu_read_product(&f, k, together, kernel, &p)) ||
        !sn_cpu_packed_weights(&f, &p, f.schedule, &use.layout.packed))
      continue;
    int64_t factors[SN_MAX_DIMS];
    use.operand = sn_side(&f, p.b_side).first;
    use.weights = p.b->value;
    use.key = sn_cpu_weights_key(p.b->value);
    use.done = sn_cpu_is_packed(&f, &p, f.schedule);
    use.map = sn_cpu_packed_map(&f, &p, &use.layout.packed);
    if (!use.done) {
      if (!sn_linear_factors(p.b->map, sn_type_of(p.b->value), factors))
        continue;
      read_side(&f, p.columns, factors, &use.layout, 0);
      read_side(&f, (SnGroup){p.first_dim, p.num_dims}, factors, &use.layout, 1);
      use.layout.first = constant_part(p.b->map, sn_type_of(p.b->value));
    }
    sn_push(uses, use);
  }
  sn_form_free(&f);
}

bool sn_schedule_is_packed(MlirAttribute schedule) {
  const char *mnemonic = sn_schedule_mnemonic(schedule);
  return mnemonic && !strcmp(mnemonic, "brgemm") && sn_schedule_word_is(schedule, "weights", "packed");
}

static Uses uses_of(MlirOperation root) {
  Uses uses = {0};
  SnOpVec forms = sn_collect(root, "sinter.contract");
  for (size_t i = 0; i < forms.size; ++i)
    if (sn_schedule_is_packed(sn_get_attr(forms.data[i], "schedule")))
      read_uses(forms.data[i], &uses);
  sn_vec_free(&forms);
  return uses;
}

// ---- all who read the same weights take them alike ----------------------------------------------------

static const Use *use_at(const Uses *uses, MlirOperation form, size_t operand) {
  for (size_t i = 0; i < uses->size; ++i)
    if (mlirOperationEqual(uses->data[i].form, form) && uses->data[i].operand == operand)
      return &uses->data[i];
  return NULL;
}

// Who reads the value otherwise than this use; null: nobody.
static MlirOperation reads_otherwise(const Uses *uses, const Use *like, MlirValue v) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const Use *other = use_at(uses, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
    if (!other || memcmp(&other->layout, &like->layout, sizeof like->layout))
      return mlirOpOperandGetOwner(use);
  }
  return (MlirOperation){0};
}

// The same of all constants that have the value's bytes.
static MlirOperation reader_apart(const Uses *uses, const SnOpVec *constants, const Use *like) {
  MlirOperation reader = reads_otherwise(uses, like, like->weights);
  for (size_t i = 0; i < constants->size && sn_null(reader); ++i)
    if (sn_get_attr(constants->data[i], "value").ptr == like->key)
      reader = reads_otherwise(uses, like, sn_result(constants->data[i], 0));
  return reader;
}

bool sn_schedule_give_up_packing(MlirOperation root, const SnTable *chosen, SnTable *given) {
  Uses uses = uses_of(root);
  SnOpVec constants = sn_collect(root, "arith.constant");
  bool any = false;
  for (size_t i = 0; i < uses.size; ++i) {
    const Use *use = &uses.data[i];
    if (use->done || !use->key || sn_table_has(given, use->key) || !sn_table_has(chosen, use->form.ptr) ||
        sn_null(reader_apart(&uses, &constants, use)))
      continue;
    sn_table_put(given, use->key, 1);
    any = true;
  }
  for (size_t i = 0; i < uses.size && any; ++i)
    if (uses.data[i].key && sn_table_has(given, uses.data[i].key) && sn_table_has(chosen, uses.data[i].form.ptr))
      mlirOperationRemoveAttributeByName(uses.data[i].form, SN_STR("schedule"));
  sn_vec_free(&constants);
  sn_vec_free(&uses);
  return any;
}

// ---- a constant --------------------------------------------------------------------------------------

// Where the elements of one side come from.
static int64_t *sources(const Layout *l, int which, int64_t *count) {
  int64_t n = 1;
  for (int64_t d = 0; d < l->side[which].n; ++d)
    n *= l->side[which].sizes[d];
  int64_t *from = sn_alloc((size_t)n * sizeof *from);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    for (int64_t d = l->side[which].n; d-- > 0; rest /= l->side[which].sizes[d])
      from[i] += rest % l->side[which].sizes[d] * l->side[which].factors[d];
  }
  *count = n;
  return from;
}

// Where they go, in a panel; that of an element is the sum of both.
static int64_t of_column(const SnPackedWeights *w, int64_t j) {
  return w->tile ? j / w->tile * w->groups * w->columns + j % w->tile * w->group : j * w->group;
}
static int64_t of_summed(const SnPackedWeights *w, int64_t s) { return s / w->group * w->columns + s % w->group; }

static char *packed_bytes(const Layout *l, const char *given, size_t each, size_t size) {
  const SnPackedWeights *w = &l->packed;
  int64_t n, sum, *columns = sources(l, 0, &n), *summed = sources(l, 1, &sum);
  char *to = sn_alloc(size);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t s = 0; s < sum; ++s) {
      int64_t panel = (j / w->n * w->steps + s / w->k) * w->rows * w->columns;
      memcpy(to + (size_t)(panel + of_column(w, j % w->n) + of_summed(w, s % w->k)) * each,
             given + (size_t)(l->first + columns[j] + summed[s]) * each, each);
    }
  free(columns);
  free(summed);
  return to;
}

MlirType sn_weights_packed_type(const SnWeightUse *use) {
  int64_t shape[4];
  sn_cpu_packed_shape(&use->layout.packed, shape);
  return sn_tensor(sn_element(sn_type_of(use->weights)), 4, shape);
}

static void give_back(void *user, const void *data, size_t size) { free(user); }

static MlirValue packed_constant(const Use *use) {
  MlirType t = sn_weights_packed_type(use);
  SnResource given = sn_shim_resource(constant_of(use->weights));
  size_t each = sn_bits(sn_element(t)) / 8, size = each;
  for (intptr_t d = 0; d < 4; ++d)
    size *= (size_t)sn_dim(t, d);
  char *bytes = packed_bytes(&use->layout, given.data, each, size);
  SnBuilder b = sn_after(sn_definer(use->weights));
  return sn(&b, "arith.constant", t,
            sn_attr("value", sn_shim_new_resource(t, SN_STR("packed"), bytes, size, give_back, bytes)));
}

// ---- the pass ------------------------------------------------------------------------------------------

static void read_packed(const Use *use, MlirValue packed) {
  MlirContext ctx = mlirOperationGetContext(use->form);
  MlirAttribute old = sn_get_attr(use->form, "maps");
  intptr_t n = mlirArrayAttrGetNumElements(old);
  MlirAttribute *maps = sn_alloc((size_t)n * sizeof *maps);
  for (intptr_t i = 0; i < n; ++i)
    maps[i] = i == (intptr_t)use->operand ? mlirAffineMapAttrGet(use->map) : mlirArrayAttrGetElement(old, i);
  sn_set_attr(use->form, "maps", mlirArrayAttrGet(ctx, n, maps));
  mlirOperationSetOperand(use->form, (intptr_t)use->operand, packed);
  free(maps);
}

// All uses of the weights that this is the first of.
static MlirLogicalResult pack(MlirOperation module, Uses *uses, const SnOpVec *constants, Use *first) {
  MlirOperation reader = reader_apart(uses, constants, first);
  if (!sn_null(reader))
    return sn_error(reader, "reads weights that are to be packed for another reader: a program has one copy of them");
  bool constant = constant_of(first->weights).ptr != NULL;
  MlirOperation func =
      constant ? (MlirOperation){0} : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(first->weights));
  if (!constant && sn_failed(sn_weights_make_packer(module, func, first)))
    return SN_FAIL;
  MlirValue packed = constant ? packed_constant(first) : first->weights;
  MlirType to = sn_weights_packed_type(first);
  const void *key = first->key;
  for (size_t i = 0; i < uses->size; ++i) {
    Use *use = &uses->data[i];
    if (use->done || use->key != key)
      continue;
    if (constant && !sn_same(use->weights, first->weights)) { // in another function, perhaps
      SnBuilder b = sn_after(sn_definer(use->weights));
      read_packed(use, sn(&b, "arith.constant", to, sn_attr("value", constant_of(packed))));
    } else {
      read_packed(use, packed);
    }
    use->done = true;
  }
  if (!constant)
    sn_weights_retype(func, first->weights, to);
  return SN_OK;
}

// Why a form does not take the weights packed; NULL where it would.
static const char *why_not_by(MlirOperation form, MlirValue weights) {
  SnForm f = sn_form_read(form);
  const char *why = "what a kernel reads beside its products", *kernel = sn_schedule_word(f.schedule, "kernel");
  int64_t together = sn_cpu_rows_together(&f, kernel);
  for (size_t k = 0; k < f.products.size; ++k) {
    SnCpuProduct p;
    if (sn_failed(sn_cpu_read_product(&f, k, together, kernel, &p)))
      continue;
    for (size_t s = 0; s < 2; ++s) {
      SnSide side = sn_side(&f, s ? p.b_side : p.a_side);
      for (size_t i = side.first; i < side.first + side.count; ++i)
        if (sn_same(f.inputs.data[i].value, weights))
          why = s ? sn_cpu_cannot_pack(&f, &p) : "a kernel multiplies its rows by others: it is the first side";
    }
  }
  sn_form_free(&f);
  return why;
}

// A product of one row without a dimension for it: sums of products, of which each weight is in one.
static bool is_one_row(MlirOperation reader) {
  SnOpVec reduces = {0};
  bool any = false;
  if (sn_is(reader, "sinter.rowwise"))
    reduces = sn_collect(reader, "sinter.row_reduce");
  for (size_t i = 0; i < reduces.size && !any; ++i) {
    MlirValue summed = sn_operand(reduces.data[i], 0);
    any = sn_is_reduce(reduces.data[i], "add") &&
          (!sn_null(sn_def(summed, "arith.mulf")) || !sn_null(sn_def(summed, "arith.muli")));
  }
  sn_vec_free(&reduces);
  return any;
}

static const char *why_not(MlirValue weights) {
  const char *why = NULL;
  MlirOpOperand use = mlirValueGetFirstUse(weights);
  if (mlirOpOperandIsNull(use))
    return "nothing reads it";
  if (!mlirShapedTypeHasStaticShape(sn_type_of(weights))) // whatever asks for that size
    return "a size of it is not known, or 0";
  for (; !why && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    why = is_one_row(reader) ? "one row alone is multiplied by it, which reads each number once, where it lies"
          : !sn_is(reader, "sinter.contract")                     ? "something else than a product reads it"
          : sn_schedule_mnemonic(sn_get_attr(reader, "schedule")) ? why_not_by(reader, weights)
                                                                  : "a product has no kernel of ours";
  }
  return why ? why : "its readers do not take it alike";
}

// A result that is the gradient by an argument has its type, and a host knows weights as they are given.
static bool wants_gradient(MlirOperation func, intptr_t argument) {
  MlirAttribute all = sn_get_attr(func, "res_attrs");
  for (intptr_t k = 0; all.ptr && k < mlirArrayAttrGetNumElements(all); ++k) {
    MlirAttribute of = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, k), SN_STR(SN_GRADIENT_OF));
    if (of.ptr && mlirAttributeIsAInteger(of) && mlirIntegerAttrGetValueInt(of) == argument)
      return true;
  }
  return false;
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  MlirBlock body = sn_function_body(func);
  bool asked = false;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k) {
    MlirAttribute said = sn_weights_said(func, k, SN_PACK);
    if (!said.ptr)
      continue;
    if (!mlirAttributeIsAUnit(said))
      return sn_error(func, "argument %td has " SN_PACK " with a value; write it alone, or leave it out", k);
    if (wants_gradient(func, k))
      return sn_error(
          func, "argument %td is to be packed, but cannot be: the gradient by it is a result; leave " SN_PACK " out",
          k);
    asked = true;
    const Uses *uses = user;
    bool done = false;
    for (size_t i = 0; i < uses->size; ++i)
      done |= uses->data[i].done && sn_same(uses->data[i].weights, mlirBlockGetArgument(body, k));
    if (!done)
      return sn_error(func, "argument %td is to be packed, but cannot be: %s; leave " SN_PACK " out", k,
                      why_not(mlirBlockGetArgument(body, k)));
  }
  if (asked)
    sn_weights_forget(func);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Uses uses = uses_of(module);
  SnOpVec constants = sn_collect(module, "arith.constant");
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < uses.size && !sn_failed(result); ++i)
    if (!uses.data[i].done && uses.data[i].key)
      result = pack(module, &uses, &constants, &uses.data[i]);
  if (!sn_failed(result))
    result = sn_each_function(module, function, &uses);
  for (size_t i = 0; i < constants.size && !sn_failed(result); ++i)
    if (sn_unused(constants.data[i]))
      mlirOperationDestroy(constants.data[i]);
  sn_vec_free(&constants);
  sn_vec_free(&uses);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_pack_weights = {
    .argument = "sinter-pack-weights",
    .summary = "weights that are constants, or that a host keeps, lie as their kernel multiplies them",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};
