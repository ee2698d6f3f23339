// form_api.c: forms and schedules for programs that embed the compiler, over capi/form.h.

#include "capi/form.h"
#include "compiler/job.h"
#include "dialect/dialect.h"

// What a caller fills, or what was read. `why` is the first thing that was wrong as it was filled.
struct SinterForm {
  SnForm form;
  const char *why;
};

SinterForm *sinter_form_create(void) { return sn_alloc(sizeof(SinterForm)); }

SinterForm *sinter_form_read(MlirOperation op) {
  if (mlirOperationIsNull(op) || !sn_is_form(op) || !sn_form_is_readable(op, NULL, 0))
    return NULL;
  SinterForm *f = sinter_form_create();
  f->form = sn_form_read(op);
  return f;
}

void sinter_form_destroy(SinterForm *f) {
  if (f)
    sn_form_free(&f->form);
  free(f);
}

// ---- reading -------------------------------------------------------------------------------

intptr_t sinter_form_count(const SinterForm *f, int32_t part) {
  const SnForm *g = &f->form;
  const intptr_t counts[] = {[SINTER_FORM_ROWS] = g->num_rows,
                             [SINTER_FORM_COLUMNS] = g->num_cols,
                             [SINTER_FORM_PRODUCTS] = (intptr_t)g->products.size,
                             [SINTER_FORM_INPUTS] = (intptr_t)g->inputs.size,
                             [SINTER_FORM_INDICES] = (intptr_t)g->indices.size,
                             [SINTER_FORM_OUTPUTS] = (intptr_t)g->outputs.size,
                             [SINTER_FORM_ACCUMULATORS] = (intptr_t)g->accumulators.size,
                             [SINTER_FORM_GROUPS] = g->groups.size ? (intptr_t)g->groups.size : 1,
                             [SINTER_FORM_MATRICES] = (intptr_t)g->matrices.size,
                             [SINTER_FORM_SIDES] = (intptr_t)g->sides.size};
  return part >= 0 && part < (int32_t)(sizeof counts / sizeof *counts) ? counts[part] : -1;
}

bool sinter_form_dimension(const SinterForm *f, intptr_t i, MlirStringRef *name, int64_t *size) {
  if (i < 0 || i >= (intptr_t)f->form.dims.size)
    return false;
  *name = f->form.dims.data[i].name;
  *size = f->form.dims.data[i].size;
  return true;
}

bool sinter_form_access(const SinterForm *f, int32_t part, intptr_t i, MlirValue *value, MlirAffineMap *map,
                        MlirAttribute *fill, MlirAttribute *through) {
  const SnAccess *all = part == SINTER_FORM_INPUTS    ? f->form.inputs.data
                        : part == SINTER_FORM_INDICES ? f->form.indices.data
                                                      : f->form.outputs.data;
  if (part < SINTER_FORM_INPUTS || part > SINTER_FORM_OUTPUTS || i < 0 || i >= sinter_form_count(f, part))
    return false;
  *value = all[i].value;
  *map = all[i].map;
  *fill = all[i].fill;
  *through = all[i].through;
  return true;
}

bool sinter_form_product(const SinterForm *f, intptr_t i, intptr_t *dimensions, MlirType *type) {
  if (i < 0 || i >= (intptr_t)f->form.products.size)
    return false;
  *dimensions = f->form.products.data[i].num_dims;
  *type = f->form.products.data[i].type;
  return true;
}

bool sinter_form_accumulator(const SinterForm *f, intptr_t i, MlirStringRef *kind, MlirAffineMap *map, MlirType *type) {
  if (i < 0 || i >= (intptr_t)f->form.accumulators.size)
    return false;
  *kind = f->form.accumulators.data[i].kind;
  *map = f->form.accumulators.data[i].map;
  *type = f->form.accumulators.data[i].type;
  return true;
}

bool sinter_form_side(const SinterForm *f, intptr_t i, intptr_t *first, intptr_t *count, MlirBlock *program) {
  if (i < 0 || i >= (intptr_t)f->form.sides.size)
    return false;
  *first = (intptr_t)f->form.sides.data[i].first;
  *count = (intptr_t)f->form.sides.data[i].count;
  *program = f->form.sides.data[i].program;
  return true;
}

MlirBlock sinter_form_body(const SinterForm *f) { return f->form.body; }
MlirBlock sinter_form_finish(const SinterForm *f) { return f->form.finish; }
MlirAttribute sinter_form_schedule(const SinterForm *f) { return f->form.schedule; }

// ---- making --------------------------------------------------------------------------------

static void wrong(SinterForm *f, const char *why) { f->why = f->why ? f->why : why; }

static void add_dimension(SinterForm *f, MlirStringRef name, int64_t size) {
  if (f->form.op.ptr)
    wrong(f, "a form that is built is not filled any more");
  sn_push(&f->form.dims, (SnDim){name, size});
}

void sinter_form_add_row(SinterForm *f, MlirStringRef name, int64_t size) {
  if (f->form.num_cols || f->form.products.size)
    wrong(f, "a row dimension comes before columns and products");
  add_dimension(f, name, size);
  ++f->form.num_rows;
}

void sinter_form_add_column(SinterForm *f, MlirStringRef name, int64_t size) {
  if (f->form.products.size)
    wrong(f, "a column dimension comes before products");
  add_dimension(f, name, size);
  ++f->form.num_cols;
}

void sinter_form_add_product(SinterForm *f, MlirType type) {
  if (mlirTypeIsNull(type))
    wrong(f, "a product's sums have a type");
  sn_push(&f->form.products, (SnProduct){0, type});
  f->form.contract = true;
}

void sinter_form_add_product_dimension(SinterForm *f, MlirStringRef name, int64_t size) {
  if (!f->form.products.size) {
    wrong(f, "a product's dimension comes behind its product");
    return;
  }
  add_dimension(f, name, size);
  ++f->form.products.data[f->form.products.size - 1].num_dims;
}

void sinter_form_add_access(SinterForm *f, int32_t part, MlirValue value, MlirAffineMap map, MlirAttribute fill,
                            MlirAttribute through) {
  SnAccess access = {value, map, fill, through};
  if (mlirValueIsNull(value) || mlirAffineMapIsNull(map))
    wrong(f, "an access has a value and a map");
  else if (part == SINTER_FORM_INPUTS)
    sn_push(&f->form.inputs, access);
  else if (part == SINTER_FORM_INDICES)
    sn_push(&f->form.indices, access);
  else if (part == SINTER_FORM_OUTPUTS)
    sn_push(&f->form.outputs, access);
  else
    wrong(f, "an access is one of inputs, indices or outputs");
}

void sinter_form_add_accumulator(SinterForm *f, MlirStringRef kind, MlirAffineMap map, MlirType type) {
  if (mlirAffineMapIsNull(map) || mlirTypeIsNull(type))
    wrong(f, "an accumulator has a map and a type");
  else
    sn_push(&f->form.accumulators, (SnAccumulator){kind, map, type});
}

void sinter_form_set_schedule(SinterForm *f, MlirAttribute schedule) { f->form.schedule = schedule; }

// Names, kinds and schedules are the verifier's; here is what making the operation relies on.
static const char *why_not(const SinterForm *f) {
  const SnForm *g = &f->form;
  if (f->why)
    return f->why;
  if (g->op.ptr)
    return "the form is built already";
  if (g->inputs.size < 2 * g->products.size)
    return "each product has two sides, the first inputs";
  for (int32_t part = SINTER_FORM_INPUTS; part <= SINTER_FORM_OUTPUTS; ++part)
    for (intptr_t i = 0; i < sinter_form_count(f, part); ++i) {
      MlirValue value;
      MlirAffineMap map;
      MlirAttribute fill, through;
      sinter_form_access(f, part, i, &value, &map, &fill, &through);
      MlirType type = mlirValueGetType(value);
      if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type))
        return "an access is of a tensor or memref with a rank";
      if (mlirAffineMapGetNumDims(map) != (intptr_t)g->dims.size)
        return "a map is from all dimensions of the form";
      if (mlirAffineMapGetNumResults(map) != mlirShapedTypeGetRank(type))
        return "a map has a subscript for each dimension of its value";
    }
  for (size_t i = 0; i < g->accumulators.size; ++i)
    if (mlirAffineMapGetNumDims(g->accumulators.data[i].map) != (intptr_t)g->dims.size)
      return "a map is from all dimensions of the form";
  return NULL;
}

int32_t sinter_form_build(const SinterCompiler *compiler, SinterForm *f, MlirLocation location, MlirBlock block,
                          MlirOperation before, bool with_finish, MlirOperation *operation) {
  SnJob job = {.compiler = compiler, .file = "the form"};
  *operation = (MlirOperation){NULL};
  const char *why = why_not(f);
  if (why)
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "the form cannot be built: %s", why);
  MlirContext ctx = mlirLocationGetContext(location);
  sinter_prepare_context(ctx);
  mlirContextGetOrLoadDialect(ctx, SN_STR("sinter"));
  MlirDiagnosticHandlerID id = sn_job_begin(&job, ctx);
  SnBuilder b = {.ctx = ctx, .loc = location, .block = block, .before = before};
  *operation = sn_form_create(&b, &f->form, with_finish);
  char text[512];
  int32_t status = SINTER_COMPILER_OK;
  if (!sn_form_is_readable(*operation, text, sizeof text)) {
    status = sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "the form cannot be built: %s", text);
    mlirOperationDestroy(*operation);
    *operation = f->form.op = (MlirOperation){NULL};
    f->form.body = f->form.finish = (MlirBlock){NULL};
  }
  sn_job_end(ctx, id);
  return status;
}

// ---- schedules -------------------------------------------------------------------------------

int32_t sinter_schedule_create(const SinterCompiler *compiler, MlirLocation location, const char *kind,
                               MlirAttribute dictionary, MlirAttribute *schedule) {
  SnJob job = {.compiler = compiler};
  MlirContext ctx = mlirLocationGetContext(location);
  *schedule = (MlirAttribute){NULL};
  if (!kind || mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "a schedule has a kind and a dictionary");
  sinter_prepare_context(ctx);
  mlirContextGetOrLoadDialect(ctx, SN_STR("sinter"));
  MlirDiagnosticHandlerID id = sn_job_begin(&job, ctx);
  *schedule = sn_schedule_attr(location, kind, dictionary);
  sn_job_end(ctx, id);
  if (schedule->ptr)
    return SINTER_COMPILER_OK;
  return job.errors ? SINTER_COMPILER_BAD_INPUT
                    : sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "there is no schedule #sinter.%s", kind);
}

const char *sinter_schedule_kind(MlirAttribute schedule) { return sn_schedule_mnemonic(schedule); }
MlirAttribute sinter_schedule_dictionary(MlirAttribute schedule) { return sn_schedule_params(schedule); }

static void put_schedule(MlirOperation op, MlirAttribute schedule) {
  if (schedule.ptr)
    mlirOperationSetAttributeByName(op, SN_STR("schedule"), schedule);
  else
    mlirOperationRemoveAttributeByName(op, SN_STR("schedule"));
}

int32_t sinter_schedule_set(const SinterCompiler *compiler, MlirOperation op, MlirAttribute schedule) {
  SnJob job = {.compiler = compiler};
  if (mlirOperationIsNull(op) || !sn_is_form(op))
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "the operation is no form");
  if (schedule.ptr && !sn_schedule_mnemonic(schedule))
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "the attribute is no schedule");
  MlirContext ctx = mlirOperationGetContext(op);
  MlirAttribute before = sn_get_attr(op, "schedule");
  MlirDiagnosticHandlerID id = sn_job_begin(&job, ctx);
  put_schedule(op, schedule);
  bool fits = mlirOperationVerify(op);
  if (!fits)
    put_schedule(op, before);
  sn_job_end(ctx, id);
  return fits ? SINTER_COMPILER_OK : SINTER_COMPILER_BAD_INPUT;
}
