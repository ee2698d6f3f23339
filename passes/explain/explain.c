// explain.c: what fused with what, and for each boundary that is left, why.
//
//   sinter-raise{reasons=true}      what stays linalg keeps its reason as an attribute
//   sinter-explain{record=true}     the module keeps what is there before fusion as an attribute
//   sinter-fuse
//   sinter-explain                  both are read, said, and dropped:
//
//   main: 5 kernels become 2, ...
//   kernel 0 | kernel 1 stay apart, 148 B flow
//     model.mlir:12:8: reads a result reduced over the rows of its neighbour's grid
//
// of=sequences: where kernels share a launch, which wait for which, behind their schedules (explain/tasks.c).
//
// Reasons come from fusion itself: it is asked again for each pair of neighbours that is left. A kernel
// knows what went into it by its location (explain/tags.c).
//
// runs in: sinter-cpu and sinter-gpu with explain=true    test: test/passes/explain/explain.mlir

#include "passes/explain/explain.h"
#include "dialect/sequence.h"
#include "runtime/file.h"
#include "target/chips.h"
#include <errno.h>
#include <stdarg.h>

// ---- small things -------------------------------------------------------------------

char *sn_explain_format(const char *text, ...) {
  char *s = sn_alloc(1024);
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(s, 1024, text, arguments);
  va_end(arguments);
  return s;
}

SnAmount sn_amount(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t u = 0;
  while (bytes >= 1024 && u < 4)
    bytes /= 1024, ++u;
  SnAmount a;
  snprintf(a.text, sizeof a.text, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
  return a;
}

double sn_total_bytes(const SnNodes *nodes) {
  double n = 0;
  for (size_t i = 0; i < nodes->size; ++i)
    n += nodes->data[i].in + nodes->data[i].out;
  return n;
}

// ---- kernels of a program ---------------------------------------------------------------

// Moves data or computes by itself, when it stays as it is.
static bool stays_outside(MlirOperation op) {
  static const char *const moves[] = {
      "tensor.concat", "tensor.pad", "tensor.insert_slice", "tensor.generate", "tensor.gather", "tensor.scatter", NULL};
  if (!sn_num_results(op) || !mlirTypeIsARankedTensor(sn_type_of(sn_result(op, 0))))
    return false;
  for (int i = 0; moves[i]; ++i)
    if (sn_is(op, moves[i]))
      return true;
  return sn_in_dialect(op, "linalg") && !sn_is(op, "linalg.yield") && !sn_is(op, "linalg.index");
}

static void put_dims(char **at, char *end, const SnForm *f, size_t from, size_t to) {
  for (size_t d = from; d < to && *at < end; ++d) {
    bool known = f->dims.data[d].size != SN_DYNAMIC;
    *at += snprintf(*at, (size_t)(end - *at), known ? "%s%.*s = %ld" : "%s%.*s = ?", d > from ? ", " : "",
                    (int)f->dims.data[d].name.length, f->dims.data[d].name.data, (long)f->dims.data[d].size);
    *at = *at < end ? *at : end;
  }
}

// A kernel of ours: a form, or work in steps.
static bool is_kernel(MlirOperation op) { return sn_is_form(op) || sn_is(op, "sinter.steps"); }

static char *name_of(MlirOperation op) {
  if (!sn_is_form(op))
    return sn_explain_format("%s", sn_name(op));
  SnForm f = sn_form_read(op);
  char text[400], *at = text, *end = text + sizeof text - 1;
  size_t rows = (size_t)f.num_rows, cols = rows + (size_t)f.num_cols;
  at += snprintf(at, (size_t)(end - at), "%s (", sn_name(op));
  put_dims(&at, end, &f, 0, rows);
  for (size_t k = 0; k < sn_num_groups(&f) && at < end; ++k) {
    SnGroup columns = sn_group(&f, k);
    at += snprintf(at, (size_t)(end - at), ") by (");
    put_dims(&at, end, &f, (size_t)columns.first, (size_t)(columns.first + columns.num_dims));
  }
  if (at < end)
    at += snprintf(at, (size_t)(end - at), ")");
  if (f.contract && at < end) {
    at += snprintf(at, (size_t)(end - at), " over (");
    at = at < end ? at : end;
    put_dims(&at, end, &f, cols, f.dims.size);
    if (at < end)
      snprintf(at, (size_t)(end - at), ")");
  }
  sn_form_free(&f);
  return sn_explain_format("%s", text);
}

// Bytes of all operands, each once; *sum is set to the sum as it is written where there are several.
static double bytes_in(MlirOperation op, char **sum) {
  char text[200] = "", *at = text, *end = text + sizeof text - 16;
  double n = 0;
  int terms = 0;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
    MlirValue v = sn_operand(op, i);
    bool again = !sn_null(sn_def(v, "tensor.empty")) || !mlirTypeIsARankedTensor(sn_type_of(v));
    for (intptr_t k = 0; k < i && !again; ++k)
      again = sn_same(sn_operand(op, k), v);
    if (again)
      continue;
    double bytes = sn_bytes(sn_type_of(v));
    n += bytes;
    if (at + 32 < end)
      at += snprintf(at, (size_t)(end - at), "%s%s", terms ? " + " : "", sn_amount(bytes).text);
    else if (at < end)
      at = end + snprintf(at, 16, " + ...");
    ++terms;
  }
  *sum = terms > 1 ? sn_explain_format("%s", text) : NULL;
  return n;
}

// Nodes that make v, also behind views and other operations that are no nodes.
static void makers(const SnNodes *nodes, MlirValue v, int depth, SnIndices *to) {
  MlirOperation def = sn_definer(v);
  if (sn_null(def) || depth > 16)
    return;
  for (size_t i = nodes->size; i-- > 0;)
    if (mlirOperationEqual(nodes->data[i].op, def)) {
      for (size_t k = 0; k < to->size; ++k)
        if (to->data[k] == i)
          return;
      sn_push(to, i);
      return;
    }
  for (intptr_t i = 0; i < sn_num_operands(def); ++i)
    makers(nodes, sn_operand(def, i), depth + 1, to);
}

static MlirWalkResult collect(MlirOperation op, void *user) {
  SnNodes *nodes = user;
  bool kernel = is_kernel(op);
  if (!kernel && (!stays_outside(op) || sn_in_sequence(op)))
    return MlirWalkResultAdvance;
  SnNode n = {.op = op, .what = name_of(op), .outside = !kernel};
  n.in = bytes_in(op, &n.reads_what);
  n.computes = sn_is_form(op) ? sn_formula(op) : NULL;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    n.out += mlirTypeIsARankedTensor(sn_type_of(sn_result(op, k))) ? sn_bytes(sn_type_of(sn_result(op, k))) : 0;
  MlirAttribute why = sn_get_attr(op, "sinter.why");
  if (!kernel && why.ptr && mlirAttributeIsAString(why))
    n.why = sn_explain_format("%.*s", (int)mlirStringAttrGetValue(why).length, mlirStringAttrGetValue(why).data);
  sn_lines(mlirOperationGetLocation(op), &n.lines);
  sn_tags(mlirOperationGetLocation(op), &n.made_of);
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    makers(nodes, sn_operand(op, i), 0, &n.reads);
  sn_push(nodes, n);
  return MlirWalkResultSkip;
}

void sn_explain_nodes(MlirOperation op, SnNodes *to) { mlirOperationWalk(op, collect, to, MlirWalkPreOrder); }

void sn_explain_free_nodes(SnNodes *nodes) {
  for (size_t i = 0; i < nodes->size; ++i) {
    free(nodes->data[i].what);
    free(nodes->data[i].why);
    free(nodes->data[i].computes);
    free(nodes->data[i].reads_what);
    free(nodes->data[i].families);
    sn_vec_free(&nodes->data[i].made_of);
    sn_vec_free(&nodes->data[i].lines);
    sn_vec_free(&nodes->data[i].reads);
    sn_vec_free(&nodes->data[i].parts);
  }
  sn_vec_free(nodes);
}

// ---- what was there before -------------------------------------------------------------------

static void record(MlirOperation func, const SnNodes *nodes) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute *all = sn_alloc((nodes->size + 1) * sizeof *all);
  for (size_t i = 0; i < nodes->size; ++i) {
    const SnNode *n = &nodes->data[i];
    int64_t *reads = sn_alloc((n->reads.size + 1) * sizeof *reads);
    for (size_t k = 0; k < n->reads.size; ++k)
      reads[k] = (int64_t)n->reads.data[k];
    MlirLocation fused = mlirLocationFusedGet(ctx, (intptr_t)n->lines.size, n->lines.data, mlirAttributeGetNull());
#define NAMED(name, attr) mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(name)), (attr))
    MlirNamedAttribute fields[] = {
        NAMED("what", sn_string(ctx, n->what)),
        NAMED("computes", sn_string(ctx, n->computes ? n->computes : "")),
        NAMED("outside", mlirBoolAttrGet(ctx, n->outside)),
        NAMED("in", mlirFloatAttrDoubleGet(ctx, mlirF64TypeGet(ctx), n->in)),
        NAMED("out", mlirFloatAttrDoubleGet(ctx, mlirF64TypeGet(ctx), n->out)),
        NAMED("reads", mlirDenseI64ArrayGet(ctx, (intptr_t)n->reads.size, reads)),
        NAMED("lines", mlirLocationGetAttribute(fused)),
    };
#undef NAMED
    all[i] = mlirDictionaryAttrGet(ctx, sizeof fields / sizeof *fields, fields);
    free(reads);
    sn_tag(n->op, i);
  }
  sn_set_attr(func, "sinter.before", mlirArrayAttrGet(ctx, (intptr_t)nodes->size, all));
  free(all);
}

static MlirAttribute field(MlirAttribute dict, const char *name) {
  return mlirDictionaryAttrGetElementByName(dict, SN_STR(name));
}

// Fails if the attribute is not what record() writes: a user may write any.
static bool recorded(MlirOperation func, SnNodes *to) {
  MlirAttribute all = sn_get_attr(func, "sinter.before");
  if (!all.ptr)
    return true;
  if (!mlirAttributeIsAArray(all))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(all); ++i) {
    MlirAttribute d = mlirArrayAttrGetElement(all, i);
    if (!mlirAttributeIsADictionary(d))
      return false;
    MlirAttribute what = field(d, "what"), computes = field(d, "computes"), outside = field(d, "outside"),
                  in = field(d, "in"), out = field(d, "out"), reads = field(d, "reads"), lines = field(d, "lines");
    if (!what.ptr || !mlirAttributeIsAString(what) || !computes.ptr || !mlirAttributeIsAString(computes) ||
        !outside.ptr || !mlirAttributeIsABool(outside) || !in.ptr || !mlirAttributeIsAFloat(in) || !out.ptr ||
        !mlirAttributeIsAFloat(out) || !reads.ptr || !mlirAttributeIsADenseI64Array(reads) || !lines.ptr ||
        !mlirAttributeIsALocation(lines))
      return false;
    SnNode n = {
        .what = sn_explain_format("%.*s", (int)mlirStringAttrGetValue(what).length, mlirStringAttrGetValue(what).data),
        .computes = sn_explain_format("%.*s", (int)mlirStringAttrGetValue(computes).length,
                                      mlirStringAttrGetValue(computes).data),
        .outside = mlirBoolAttrGetValue(outside),
        .in = mlirFloatAttrGetValueDouble(in),
        .out = mlirFloatAttrGetValueDouble(out)};
    sn_lines(mlirLocationFromAttribute(lines), &n.lines);
    for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(reads); ++k)
      if (mlirDenseI64ArrayGetElement(reads, k) >= 0 && mlirDenseI64ArrayGetElement(reads, k) < i)
        sn_push(&n.reads, (size_t)mlirDenseI64ArrayGetElement(reads, k));
    sn_push(to, n);
  }
  return true;
}

// What each kernel was made of, in the program's order.
static void match_parts(SnExplanation *e) {
  for (size_t a = 0; a < e->after.size; ++a)
    for (size_t b = 0; b < e->before.size; ++b)
      for (size_t k = 0; k < e->after.data[a].made_of.size; ++k)
        if (e->after.data[a].made_of.data[k] == b) {
          sn_push(&e->after.data[a].parts, b);
          sn_push(&e->before.data[b].parts, a);
        }
}

// ---- boundaries ---------------------------------------------------------------------------------

// Where b reads what a makes, as a line of the program: between two of their parts if there are such.
static MlirLocation where(const SnExplanation *e, const SnNode *a, const SnNode *b) {
  for (size_t k = 0; k < b->parts.size; ++k) {
    const SnNode *v = &e->before.data[b->parts.data[k]];
    bool also_in_a = false;
    for (size_t i = 0; i < a->parts.size; ++i)
      also_in_a |= a->parts.data[i] == b->parts.data[k];
    for (size_t r = 0; r < v->reads.size && !also_in_a; ++r)
      for (size_t i = 0; i < a->parts.size; ++i)
        if (a->parts.data[i] == v->reads.data[r] && v->lines.size)
          return v->lines.data[0];
  }
  return b->lines.size ? b->lines.data[b->lines.size - 1] : (MlirLocation){0};
}

static double flow(MlirOperation a, MlirOperation b) {
  double n = 0;
  for (intptr_t i = 0; i < sn_num_operands(b); ++i) {
    bool again = !mlirOperationEqual(sn_definer(sn_operand(b, i)), a);
    for (intptr_t k = 0; k < i && !again; ++k)
      again = sn_same(sn_operand(b, k), sn_operand(b, i));
    n += again ? 0 : sn_bytes(sn_type_of(sn_operand(b, i)));
  }
  return n;
}

static char *why_apart(const SnExplanation *e, size_t i, size_t j, const SnPolicy *policy) {
  const SnNode *a = &e->after.data[i], *b = &e->after.data[j];
  const SnNode *out = a->outside ? a : b;
  if (out->outside)
    return sn_explain_format("%s stays outside: %s", out->what, out->why ? out->why : "it was not raised");
  if (!mlirBlockEqual(mlirOperationGetBlock(a->op), mlirOperationGetBlock(b->op)))
    return sn_explain_format("one of them stands inside control flow");
  if (!sn_is_form(a->op) || !sn_is_form(b->op))
    return sn_explain_format("kernel %zu: work in steps is a kernel by itself", sn_is_form(a->op) ? j : i);
  if (sn_get_attr(a->op, "schedule").ptr || sn_get_attr(b->op, "schedule").ptr)
    return sn_explain_format("they are scheduled already");
  if (policy->nothing)
    return sn_explain_format("the policy is disabled");
  MlirAttribute cut = sn_get_attr(a->op, "sinter.cut");
  if (cut.ptr && mlirAttributeEqual(cut, sn_get_attr(b->op, "sinter.cut"))) {
    MlirStringRef why = mlirStringAttrGetValue(mlirArrayAttrGetElement(cut, 1));
    return sn_explain_format("could be one: %.*s", (int)why.length, why.data);
  }
  if (sn_can_fuse(a->op, b->op, policy))
    return sn_explain_format("nothing keeps them apart: run sinter-fuse");
  const SnRefusal *r = sn_refusal();
  return sn_explain_format("kernel %zu: %s", mlirOperationEqual(r->op, a->op) ? i : j, r->text);
}

static void find_boundaries(SnExplanation *e) {
  const SnPolicy *policy = sn_policy(e->policy);
  for (size_t j = 0; j < e->after.size; ++j) {
    SnNode *b = &e->after.data[j];
    for (size_t i = 0; i < j; ++i) {
      SnNode *a = &e->after.data[i];
      bool reads = false, shares = false;
      for (size_t k = 0; k < b->reads.size; ++k)
        reads |= b->reads.data[k] == i;
      for (intptr_t x = 0; x < sn_num_operands(a->op) && !reads && !shares; ++x)
        for (intptr_t y = 0; y < sn_num_operands(b->op) && !shares; ++y)
          shares = sn_same(sn_operand(a->op, x), sn_operand(b->op, y)) &&
                   sn_null(sn_def(sn_operand(a->op, x), "tensor.empty"));
      if (!reads && (!shares || a->outside || b->outside))
        continue;
      SnBoundary found = {i, j, flow(a->op, b->op), why_apart(e, i, j, policy), where(e, a, b)};
      sn_push(&e->boundaries, found);
    }
  }
}

// ---- the pass ---------------------------------------------------------------------------------------

typedef struct {
  bool record;
  const char *policy, *output, *of;
  SnScheduleOptions target;
} Options;

static void explain(MlirOperation func, const Options *o, FILE *to, bool html) {
  SnExplanation e = {.policy = o->policy};
  sn_explain_nodes(func, &e.after);
  if (o->record) {
    record(func, &e.after);
  } else {
    if (!recorded(func, &e.before))
      sn_remark(func, "its attribute sinter.before is not what sinter-explain records");
    match_parts(&e);
    find_boundaries(&e);
    for (size_t i = 0; i < e.after.size; ++i)
      if (sn_is_form(e.after.data[i].op) && *o->target.target)
        e.after.data[i].families = sn_explain_families(e.after.data[i].op, &o->target);
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
    char *title = sn_explain_format("%.*s", (int)name.length, name.data);
    e.name = title;
    (html ? sn_explain_html : sn_explain_text)(&e, to);
    free(title);
    mlirOperationRemoveAttributeByName(func, SN_STR("sinter.before"));
    sn_untag(func);
  }
  for (size_t i = 0; i < e.boundaries.size; ++i)
    free(e.boundaries.data[i].why);
  sn_vec_free(&e.boundaries);
  sn_explain_free_nodes(&e.before);
  sn_explain_free_nodes(&e.after);
}

static MlirWalkResult forget_why(MlirOperation op, void *user) {
  static const char *const kept[] = {"sinter.why", "sinter.cut"};
  for (int i = 0; i < 2; ++i)
    if (sn_get_attr(op, kept[i]).ptr)
      mlirOperationRemoveAttributeByName(op, SN_STR(kept[i]));
  return MlirWalkResultAdvance;
}

static bool is_html(const char *path) {
  size_t n = strlen(path);
  return n > 5 && !strcmp(path + n - 5, ".html");
}

static void explain_kernels(MlirOperation module, const Options *o, FILE *to) {
  bool html = is_html(o->output);
  if (html && !o->record)
    sn_explain_html_begin(to);
  SnOpVec functions = sn_collect(module, "func.func");
  for (size_t i = 0; i < functions.size; ++i)
    if (sn_function_body(functions.data[i]).ptr && !sn_get_attr(functions.data[i], "sinter.kernel").ptr)
      explain(functions.data[i], o, to, html);
  sn_vec_free(&functions);
  if (html && !o->record)
    sn_explain_html_end(to);
  if (!o->record)
    mlirOperationWalk(module, forget_why, NULL, MlirWalkPreOrder);
}

// A loop, or what stands in one, that no sequence could hold.
static MlirWalkResult find_apart(MlirOperation op, void *found) {
  if (sn_get_attr(op, "sinter.why").ptr &&
      (sn_is(op, "scf.for") || sn_is(mlirOperationGetParentOperation(op), "scf.for")))
    sn_push((SnOpVec *)found, op);
  return MlirWalkResultAdvance;
}

static void explain_apart(const SnOpVec *apart, FILE *to, bool html) {
  for (size_t i = 0; i < apart->size; ++i) {
    SnLocations lines = {0};
    sn_lines(mlirOperationGetLocation(apart->data[i]), &lines);
    MlirStringRef why = mlirStringAttrGetValue(sn_get_attr(apart->data[i], "sinter.why"));
    char *text = sn_explain_format("%s%s%s %.*s", lines.size ? sn_line_name(lines.data[0]) : "",
                                   lines.size ? ": " : "", sn_name(apart->data[i]), (int)why.length, why.data);
    fputs(html ? "<p>" : "", to);
    if (html)
      sn_explain_html_put(text, strlen(text), to);
    else
      fputs(text, to);
    fputs(html ? "</p>\n" : "\n", to);
    free(text);
    sn_vec_free(&lines);
  }
}

// What was said of the kernels is there already: it goes on.
static void explain_sequences(MlirOperation module, const SnOpVec *sequences, const SnOpVec *apart, const Options *o,
                              FILE *to) {
  bool html = is_html(o->output);
  for (size_t i = 0; i < sequences->size; ++i) {
    MlirOperation func = mlirOperationGetParentOperation(sequences->data[i]);
    while (!sn_null(func) && !sn_is(func, "func.func"))
      func = mlirOperationGetParentOperation(func);
    MlirStringRef name = sn_null(func) ? SN_STR("") : mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
    char *title = sn_explain_format("%.*s", (int)name.length, name.data);
    SnTasks t = sn_tasks_read(sequences->data[i]);
    (html ? sn_tasks_html : sn_tasks_text)(&t, title, i, to);
    sn_tasks_free(&t);
    free(title);
  }
  explain_apart(apart, to, html);
  if (html)
    sn_explain_html_end(to);
  mlirOperationWalk(module, forget_why, NULL, MlirWalkPreOrder);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  const Options *o = run->options;
  if (!strcmp(o->target.target, "gpu") && !sn_gpu_chip(o->target.chip))
    return sn_error(module, SN_GPU_CHIP_ERROR, o->target.chip);
  bool own = *o->output && strcmp(o->output, "-") && !o->record, of_sequences = !strcmp(o->of, "sequences");
  SnOpVec sequences = of_sequences ? sn_collect(module, "sinter.sequence") : (SnOpVec){0};
  SnOpVec apart = {0};
  if (of_sequences)
    mlirOperationWalk(module, find_apart, &apart, MlirWalkPreOrder);
  if (of_sequences && !sequences.size && !apart.size)
    return SN_OK;
  char *page = of_sequences && own ? sn_explain_said(o->output) : NULL;
  SinterFile file;
  bool made = !own || sinter_file_create(&file, o->output, false);
  if (made) {
    FILE *to = own ? file.to : *o->output ? stdout : stderr;
    if (page)
      fputs(page, to);
    else if (of_sequences && is_html(o->output))
      sn_explain_html_begin(to);
    if (of_sequences)
      explain_sequences(module, &sequences, &apart, o, to);
    else
      explain_kernels(module, o, to);
    sn_source_free();
  }
  free(page);
  sn_vec_free(&sequences);
  sn_vec_free(&apart);
  if (!made)
    return sn_error(module, "sinter-explain cannot write %s: %s", o->output, strerror(errno));
  bool ok = own ? sinter_file_finish(&file) : !fflush(*o->output ? stdout : stderr);
  return ok ? SN_OK : sn_error(module, "sinter-explain cannot write all of %s: %s", o->output, strerror(errno));
}

static const char *const policies[] = {"disabled", "medium", "aggressive", NULL};
static const char *const targets[] = {"", "cpu", "gpu", NULL};
static const char *const subjects[] = {"kernels", "sequences", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "of",
     "kernels: what fused; sequences: what their forms wait for, behind what the output says already", "kernels",
     subjects, offsetof(Options, of)},
    {SN_OPTION_BOOL, "record", "only keep what is there now, for a later sinter-explain", "false", NULL,
     offsetof(Options, record)},
    {SN_OPTION_STRING, "policy", "that sinter-fuse ran with", "medium", policies, offsetof(Options, policy)},
    {SN_OPTION_STRING, "output", "a file, of HTML if it ends in .html; - is stdout; empty: stderr", "", NULL,
     offsetof(Options, output)},
    {SN_OPTION_STRING, "target", "also say how rows that are multiplied again run there, and why not otherwise", "",
     targets, offsetof(Options, target.target)},
    {SN_OPTION_STRING, "chip", "the GPU's architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(Options, target.chip)},
    {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL,
     offsetof(Options, target.vector_bits)},
    {SN_OPTION_INT, "registers", "how many of these a CPU has", "32", NULL, offsetof(Options, target.registers)},
    {SN_OPTION_STRING, "features", "instructions that a CPU has, as in sinter-schedule", "avx2,fma,avx512f", NULL,
     offsetof(Options, target.features)},
    {0},
};

const SnPass sn_pass_explain = {
    .argument = "sinter-explain",
    .summary = "what fused with what, and why not more",
    .anchor = "builtin.module",
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};
