// tuning.c: schedules that were measured, from the file that sinter-tune writes.
//
//   // NVIDIA H200: 0.2551 ms, 96.1 % of a copy; chosen before: 0.2786 ms
//   gpu rowwise:4096x32000:f32,i64,f32:f32,f32:8e1c66aa01b2f0c3 #sinter.gpu_rows<cluster = 4, ...>
//
// A line is a target, a form and its schedule. A form is known by what it computes: sizes, element types of inputs and
// results, and a hash over its operations, maps and constants, in which names of values and dimensions, places, and the
// order of pure operations have no part. So a schedule holds for that form in any program, and behind any pass that
// only tidies it up: sinter-tune asks at the road's end.
//
// runs in: schedule    test: test/passes/schedule/tuning.mlir

#include "passes/schedule/schedule.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

// ---- what a form is known by ----------------------------------------------------------

static const uint64_t BASIS = 0xcbf29ce484222325; // of FNV-1a

typedef struct {
  uint64_t sum;       // FNV-1a
  SnTable values;     // hash of what is met before
  MlirAttribute dims; // names of the form's dimensions: a name is its place
} Hash;

static void put(MlirStringRef text, void *user) {
  Hash *h = user;
  for (size_t i = 0; i < text.length; ++i)
    h->sum = (h->sum ^ (unsigned char)text.data[i]) * 0x100000001b3;
}

static void put_number(Hash *h, uint64_t x) {
  char text[24];
  snprintf(text, sizeof text, "%llx:", (unsigned long long)x);
  put(SN_STR(text), h);
}

// What a value is known by: where it comes from, and its type.
static void name_value(Hash *h, MlirValue v, uint64_t from) {
  uint64_t before = h->sum;
  h->sum = BASIS;
  put_number(h, from);
  mlirTypePrint(sn_type_of(v), put, h);
  sn_table_put(&h->values, v.ptr, (uintptr_t)h->sum);
  h->sum = before;
}

// A value from outside is its place among those that were met before.
static void put_value(Hash *h, MlirValue v, size_t *met) {
  uintptr_t known;
  if (!sn_table_get(&h->values, v.ptr, &known)) {
    name_value(h, v, (*met)++);
    (void)sn_table_get(&h->values, v.ptr, &known);
  }
  put_number(h, known);
}

static void put_dim(Hash *h, MlirAttribute name) {
  intptr_t n = h->dims.ptr ? mlirArrayAttrGetNumElements(h->dims) : 0, i = 0;
  while (i < n && !mlirAttributeEqual(mlirArrayAttrGetElement(h->dims, i), name))
    ++i;
  char text[32];
  snprintf(text, sizeof text, "d%ld", (long)i);
  put(SN_STR(text), h);
}

static void put_block(Hash *h, MlirBlock block, size_t *met);

static void put_op(Hash *h, MlirOperation op, bool whole, size_t *met) {
  put(SN_STR(sn_name(op)), h);
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    put_value(h, sn_operand(op, i), met);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    MlirStringRef name = mlirIdentifierStr(a.name);
    if (whole && (mlirStringRefEqual(name, SN_STR("schedule")) || mlirStringRefEqual(name, SN_STR("dims"))))
      continue;
    put(name, h);
    if (mlirStringRefEqual(name, SN_STR("dim")))
      put_dim(h, a.attribute);
    else
      mlirAttributePrint(a.attribute, put, h);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      put_block(h, block, met);
  for (intptr_t i = 0; i < sn_num_results(op); ++i)
    mlirTypePrint(sn_type_of(sn_result(op, i)), put, h);
}

// What its terminator and effects read, by how it is computed: in which order pure operations stand, and whether equal
// ones are one, says nothing.
static void put_block(Hash *h, MlirBlock block, size_t *met) {
  put(SN_STR("{"), h);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    name_value(h, mlirBlockGetArgument(block, i), (uint64_t)i);
    mlirTypePrint(sn_type_of(mlirBlockGetArgument(block, i)), put, h);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    uint64_t before = h->sum;
    h->sum = BASIS;
    put_op(h, op, false, met);
    uint64_t own = h->sum;
    h->sum = before;
    for (intptr_t i = 0; i < sn_num_results(op); ++i)
      name_value(h, sn_result(op, i), own + (uint64_t)i);
    if (!sn_num_results(op) || !sn_shim_is_pure(op))
      put_number(h, own);
  }
  put(SN_STR("}"), h);
}

static void write_elements(SnText *t, MlirOperation op, bool results) {
  sn_text_add(SN_STR(":"), t);
  for (intptr_t i = 0, n = results ? sn_num_results(op) : sn_num_operands(op) - sn_num_results(op); i < n; ++i) {
    sn_text_add(SN_STR(i ? "," : ""), t);
    mlirTypePrint(sn_element(sn_type_of(results ? sn_result(op, i) : sn_operand(op, i))), sn_text_add, t);
  }
}

SnFingerprint sn_fingerprint(MlirOperation op) {
  SnFingerprint print;
  Hash h = {.sum = BASIS, .dims = sn_get_attr(op, "dims")};
  size_t met = 0;
  put_op(&h, op, true, &met);
  sn_table_free(&h.values);
  SnText t = sn_text_in(print.text, sizeof print.text - 19);
  sn_text_add(SN_STR(strchr(sn_name(op), '.') + 1), &t);
  sn_text_add(SN_STR(":"), &t);
  if (sn_is_form(op)) {
    SnForm f = sn_form_read(op);
    for (size_t d = 0; d < f.dims.size; ++d) {
      char size[32];
      snprintf(size, sizeof size, f.dims.data[d].size == SN_DYNAMIC ? "%s?" : "%s%lld", d ? "x" : "",
               (long long)f.dims.data[d].size);
      sn_text_add(SN_STR(size), &t);
    }
    sn_form_free(&f);
  } else {
    MlirType first = sn_type_of(sn_operand(op, 0));
    for (intptr_t d = 0; d < sn_rank(first); ++d) {
      char size[32];
      snprintf(size, sizeof size, sn_dim(first, d) == SN_DYNAMIC ? "%s?" : "%s%lld", d ? "x" : "",
               (long long)sn_dim(first, d));
      sn_text_add(SN_STR(size), &t);
    }
  }
  write_elements(&t, op, false);
  write_elements(&t, op, true);
  snprintf(t.at, 20, ":%016llx", (unsigned long long)h.sum);
  return print;
}

// ---- the file ----------------------------------------------------------------------------

static MlirLogicalResult wrong(MlirContext ctx, const char *path, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static MlirLogicalResult wrong(MlirContext ctx, const char *path, unsigned line, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  mlirEmitError(line ? mlirLocationFileLineColGet(ctx, SN_STR(path), line, 1) : mlirLocationUnknownGet(ctx), text);
  return SN_FAIL;
}

static MlirLogicalResult read_line(SnTuning *t, MlirContext ctx, const char *path, unsigned line, char *text) {
  char *rest = text, *word[2];
  for (int i = 0; i < 2; ++i) {
    word[i] = rest + strspn(rest, " \t");
    rest = word[i] + strcspn(word[i], " \t");
    if (*rest)
      *rest++ = 0;
  }
  rest += strspn(rest, " \t");
  if (!*word[1] || !*rest)
    return wrong(ctx, path, line,
                 "expected a target, a form and its schedule: gpu rowwise:37x1003:f32:f32:0123456789abcdef "
                 "#sinter.gpu_rows<...>");
  if (strcmp(word[0], "cpu") && strcmp(word[0], "gpu"))
    return wrong(ctx, path, line, "'%s' is not a target: cpu or gpu", word[0]);
  MlirAttribute schedule = mlirAttributeParseGet(ctx, SN_STR(rest));
  if (!schedule.ptr || !sn_schedule_mnemonic(schedule))
    return wrong(ctx, path, line, "'%s' is not a schedule", rest);
  for (size_t i = 0; i < t->size; ++i)
    if (!strcmp(t->data[i].target, word[0]) && !strcmp(t->data[i].form, word[1]))
      return wrong(ctx, path, line, "%s has a schedule in line %u already", word[1], t->data[i].line);
  sn_push(t, (SnTuned){.line = line, .schedule = schedule});
  SnTuned *last = &t->data[t->size - 1];
  snprintf(last->target, sizeof last->target, "%s", word[0]);
  snprintf(last->form, sizeof last->form, "%s", word[1]);
  return SN_OK;
}

MlirLogicalResult sn_tuning_read(MlirContext ctx, const char *path, SnTuning *tuning) {
  FILE *file = fopen(path, "r");
  if (!file)
    return wrong(ctx, path, 0, "cannot read the tuning file %s: %s", path, strerror(errno));
  MlirLogicalResult result = SN_OK;
  char *text = NULL;
  size_t capacity = 0;
  for (unsigned line = 1; !sn_failed(result) && getline(&text, &capacity, file) >= 0; ++line) {
    text[strcspn(text, "\r\n")] = 0;
    const char *start = text + strspn(text, " \t");
    if (*start && strncmp(start, "//", 2))
      result = read_line(tuning, ctx, path, line, text);
  }
  if (!sn_failed(result) && ferror(file))
    result = wrong(ctx, path, 0, "cannot read the tuning file %s: %s", path, strerror(errno));
  free(text);
  fclose(file);
  return result;
}

MlirAttribute sn_tuned(const SnTuning *tuning, const char *target, MlirOperation op) {
  if (!tuning->size)
    return (MlirAttribute){NULL};
  SnFingerprint print = sn_fingerprint(op);
  for (size_t i = 0; i < tuning->size; ++i)
    if (!strcmp(tuning->data[i].target, target) && !strcmp(tuning->data[i].form, print.text))
      return tuning->data[i].schedule;
  return (MlirAttribute){NULL};
}
