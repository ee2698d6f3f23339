// tune_candidates.c: the schedules worth trying for a form.
//
//   #sinter.gpu_rows<threads = 256, occupancy = 4, blocks = 480, cluster = 4, vector = 4, residency = "registers">
// ->
//   the same; what other families of the target's table, or other micro-kernels, make of the form; then, by the table
//   of keys (dialect/schedules.c), each key by itself: a number doubled or halved, another word; and the `moves`,
//   which change what only makes sense together.
//
// A lowering may refuse a candidate, and a candidate may be wrong: compiling and verifying decide.

#include "tools/tune_candidates.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "passes/schedule/schedule.h"
#include "mlir-c/BuiltinAttributes.h"
#include <stdio.h>

#define KEYS 24
#define CHANGES 4

// A schedule as numbers: of a word, its place.
typedef struct {
  const char *mnemonic;
  size_t size;
  const SnScheduleKey *keys[KEYS];
  int64_t values[KEYS];
  bool said[KEYS];
} Numbers;

static Numbers numbers_of(MlirAttribute schedule) {
  Numbers n = {.mnemonic = sn_schedule_mnemonic(schedule)};
  MlirAttribute params = sn_schedule_params(schedule);
  for (const SnScheduleKey *k = sn_schedule_keys; k->key && n.size < KEYS; ++k) {
    if (strcmp(k->mnemonic, n.mnemonic) || k->nested)
      continue;
    n.said[n.size] = mlirDictionaryAttrGetElementByName(params, SN_STR(k->key)).ptr != NULL;
    if (!k->words)
      n.values[n.size] = sn_schedule_number(schedule, k->key);
    for (int w = 0; k->words && k->words[w]; ++w)
      if (sn_schedule_word_is(schedule, k->key, k->words[w]))
        n.values[n.size] = w;
    n.keys[n.size++] = k;
  }
  return n;
}

static bool allowed(const SnScheduleKey *k, int64_t v) {
  return v >= k->low && v <= k->high && (k->step ? v % k->step == 0 : (v & (v - 1)) == 0);
}

static MlirAttribute schedule_of(MlirContext ctx, const Numbers *n) {
  char text[1024];
  int at = snprintf(text, sizeof text, "#sinter.%s<", n->mnemonic), first = at;
  for (size_t i = 0; i < n->size; ++i) {
    const SnScheduleKey *k = n->keys[i];
    if (!n->said[i] && n->values[i] == k->otherwise)
      continue;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%s = ", at > first ? ", " : "", k->key);
    at += k->words ? snprintf(text + at, sizeof text - (size_t)at, "\"%s\"", k->words[n->values[i]])
                   : snprintf(text + at, sizeof text - (size_t)at, "%lld", (long long)n->values[i]);
  }
  snprintf(text + at, sizeof text - (size_t)at, ">");
  return mlirAttributeParseGet(ctx, SN_STR(text));
}

static void add(TuneSchedules *all, MlirAttribute schedule, size_t most) {
  for (size_t i = 0; i < all->size; ++i)
    if (mlirAttributeEqual(all->data[i], schedule))
      return;
  if (schedule.ptr && all->size < most)
    sn_push(all, schedule);
}

// ---- what changes together ------------------------------------------------------------------

typedef struct {
  const char *key;
  double factor;
} Change;

static const struct {
  const char *mnemonic;
  Change changes[CHANGES]; // ends with a NULL key
} moves[] = {
    // as many threads on a multiprocessor, in larger or smaller blocks
    {"gpu_rows", {{"threads", 2}, {"occupancy", 0.5}, {"blocks", 0.5}}},
    {"gpu_rows", {{"threads", 0.5}, {"occupancy", 2}, {"blocks", 2}}},
    // a block for each row still
    {"gpu_rows", {{"threads", 2}, {"occupancy", 0.5}}},
    {"gpu_rows", {{"threads", 0.5}, {"occupancy", 2}}},
    // more or fewer blocks for a row
    {"gpu_rows", {{"cluster", 2}, {"blocks", 2}}},
    {"gpu_rows", {{"cluster", 0.5}, {"blocks", 0.5}}},
    // the same threads for a row, in more or fewer blocks
    {"gpu_rows", {{"cluster", 2}, {"threads", 0.5}, {"occupancy", 2}, {"blocks", 2}}},
    {"gpu_rows", {{"cluster", 0.5}, {"threads", 2}, {"occupancy", 0.5}, {"blocks", 0.5}}},
    // more registers for a thread
    {"gpu_rows", {{"occupancy", 0.5}, {"blocks", 0.5}}},
    {"gpu_rows", {{"occupancy", 2}, {"blocks", 2}}},
    // other threads for a row of a team
    {"gpu_rows", {{"team", 2}, {"blocks", 2}}},
    {"gpu_rows", {{"team", 0.5}, {"blocks", 0.5}}},
    {"rows", {{"lanes", 2}, {"unroll", 0.5}}},
    {"rows", {{"lanes", 0.5}, {"unroll", 2}}},
    // a larger or smaller tile, the same of it for each thread
    {"mma", {{"m", 2}, {"threads", 2}, {"occupancy", 0.5}}},
    {"mma", {{"m", 0.5}, {"threads", 0.5}, {"occupancy", 2}}},
    {"mma", {{"m", 2}, {"n", 0.5}}},
    {"mma", {{"m", 0.5}, {"n", 2}}},
    // as much shared memory, in fewer or more slots
    {"mma", {{"n", 2}, {"stages", 0.5}}},
    {"mma", {{"n", 0.5}, {"stages", 2}}},
    {"brgemm", {{"m", 2}, {"n", 0.5}}},
    {"brgemm", {{"m", 0.5}, {"n", 2}}},
};

static bool change(Numbers *n, const Change *c) {
  for (size_t i = 0; i < n->size; ++i) {
    if (strcmp(n->keys[i]->key, c->key))
      continue;
    double v = (double)n->values[i] * c->factor;
    if (v < 1 || v != (double)(int64_t)v || !allowed(n->keys[i], (int64_t)v))
      return false;
    n->values[i] = (int64_t)v;
    return true;
  }
  return false;
}

static void together(TuneSchedules *all, MlirContext ctx, const Numbers *base, size_t most) {
  for (size_t m = 0; m < sizeof moves / sizeof *moves; ++m) {
    Numbers n = *base;
    bool possible = !strcmp(moves[m].mnemonic, base->mnemonic);
    for (int c = 0; c < CHANGES && moves[m].changes[c].key && possible; ++c)
      possible = change(&n, &moves[m].changes[c]);
    if (possible)
      add(all, schedule_of(ctx, &n), most);
  }
}

static void alone(TuneSchedules *all, MlirContext ctx, const Numbers *base, size_t most) {
  for (size_t i = 0; i < base->size; ++i) {
    const SnScheduleKey *k = base->keys[i];
    if (!strcmp(k->key, "kernel")) // families have them, with blocks that they take
      continue;
    int64_t v = base->values[i], others[3] = {2 * v, v / 2, 0}; // 0: without it, where the table has that
    for (int w = 0; k->words ? k->words[w] != NULL : w < 3; ++w) {
      Numbers n = *base;
      n.values[i] = k->words ? w : others[w];
      if (k->words || (v && allowed(k, n.values[i])))
        add(all, schedule_of(ctx, &n), most);
    }
  }
}

TuneSchedules tune_candidates(MlirOperation form, const SnScheduleOptions *options, size_t most) {
  TuneSchedules all = {0};
  MlirContext ctx = mlirOperationGetContext(form);
  MlirAttribute chosen = sn_get_attr(form, "schedule");
  add(&all, chosen, most);
  if (sn_is_form(form)) {
    SnForm f = sn_form_read(form);
    bool gpu = !strcmp(options->target, "gpu");
    MlirAttribute other;
    for (size_t i = 0; gpu && !f.contract && sn_schedule_gpu_family(&f, options->chip, i, &other); ++i)
      add(&all, other, most);
    for (size_t i = 0; gpu && f.contract && sn_schedule_gpu_tile(&f, options, i, &other); ++i)
      add(&all, other, most);
    for (size_t i = 0; gpu && f.contract && sn_schedule_gpu_layer_tile(&f, options, i, &other); ++i)
      add(&all, other, most);
    for (size_t i = 0; !gpu && f.contract && sn_schedule_cpu_kernel(&f, options, i, &other); ++i)
      add(&all, other, most);
    sn_form_free(&f);
  }
  Numbers base = numbers_of(chosen);
  together(&all, ctx, &base, most);
  alone(&all, ctx, &base, most);
  return all;
}
