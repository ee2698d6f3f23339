// tasks.c: the forms of a sequence, what each waits for, and what comes again and again.
//
//   main: sequence 0: 44 forms, in phases of 132 blocks of 512 threads; 43 launches less
//     phase 0: form 0: sinter.rowwise () by (i = 256), 1 block of 128 threads; reads 2.0 KiB, writes 1.0 KiB
//     phase 1: form 1: sinter.rowwise (j = 128) by (m = 256), 64 blocks of 32 threads; reads 128.0 KiB, 1.0 KiB of
//       form 0, writes 512 B
//     forms 0 to 10, 4 times
//
// Layers of a network, or steps of a recurrent one, are shown once: forms that do the same to what lies as far back, or
// to the same. The first of them may differ from the rest, for it reads what is given. A loop of the sequence says so
// by itself; what its forms read of the turn before is of a form that is no earlier one.
//
// runs in: explain    test: test/passes/explain/sequences.mlir

#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/facts/gpu_products.h"
#include "lowering/facts/gpu_sequence.h"
#include "passes/explain/explain.h"
#include <assert.h>
#include <inttypes.h>

enum { LONGEST_PERIOD = 256 }; // forms

// ---- how much there is to do ---------------------------------------------------------------------

// What a GPU launches for the form alone.
static bool gpu_launch(const SnForm *f, const char *schedule, SnGpuLaunch *launch) {
  if (!strcmp(schedule, "gpu_rows")) {
    SnGpuRows rows;
    if (sn_failed(sn_gpu_read_rows(f, &rows)))
      return false;
    *launch = sn_gpu_plan_rows(f, &rows).launch;
    return true;
  }
  if (strcmp(schedule, "mma"))
    return false;
  SnGpuLayerPlan layers;
  SnGpuChainPlan chain;
  SnGpuProductPlan product;
  if (f->matrices.size && sn_gpu_not_chain(f) && !sn_gpu_not_layers(f)) {
    bool is = !sn_failed(sn_gpu_plan_layers(f, &layers));
    *launch = layers.launch;
    return is;
  }
  if (f->matrices.size) {
    bool is = !sn_failed(sn_gpu_plan_chain(f, &chain));
    *launch = chain.launch;
    return is;
  }
  bool is = !sn_failed(sn_gpu_plan_products(f, &product));
  *launch = product.launch;
  return is;
}

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static char *work_of(MlirOperation form) {
  MlirAttribute schedule = sn_get_attr(form, "schedule");
  const char *kind = schedule.ptr ? sn_schedule_mnemonic(schedule) : NULL;
  if (!kind || !sn_is_form(form))
    return NULL;
  SnForm f = sn_form_read(form);
  SnGpuLaunch launch;
  char *work = NULL;
  if (gpu_launch(&f, kind, &launch)) {
    work = sn_explain_format("%" PRId64 " block%s of %" PRId64 " threads", launch.blocks, plural(launch.blocks),
                             launch.threads);
  } else if (!strcmp(kind, "rows") && sn_num_rows(&f) != SN_DYNAMIC) {
    int64_t tasks = sn_pieces(sn_num_rows(&f), sn_schedule_number(schedule, "chunk"));
    work = sn_explain_format("%" PRId64 " task%s", tasks, plural(tasks));
  } else if (!strcmp(kind, "brgemm")) {
    int64_t tasks = sn_schedule_number(schedule, "tasks");
    work = sn_explain_format("%" PRId64 " task%s%s", tasks, plural(tasks), tasks > 1 ? " at most" : "");
  }
  sn_form_free(&f);
  return work;
}

// ---- what flows ----------------------------------------------------------------------------------

static void add_flow(SnTasks *t, size_t from, size_t to, double bytes, bool begins) {
  for (size_t i = t->flows.size; i-- > 0 && t->flows.data[i].to == to;)
    if (t->flows.data[i].from == from && t->flows.data[i].begins == begins) {
      t->flows.data[i].bytes += bytes;
      return;
    }
  SnTaskFlow flow = {from, to, bytes, begins};
  sn_push(&t->flows, flow);
}

// The forms of a sequence, by their results.
typedef struct {
  SnTasks *t;
  const SnSequence *s;
  SnTable number;
} Flows;

static const SnSequenceLoop *loop_of(const SnSequence *s, MlirOperation op) {
  for (size_t i = 0; i < s->loops.size; ++i)
    if (mlirOperationEqual(s->loops.data[i].op, op))
      return &s->loops.data[i];
  return NULL;
}

static MlirValue yielded(MlirOperation loop, intptr_t k) {
  return sn_operand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0))), k);
}

// What form k reads of what others made: of a loop's, what the last turn left; of what a loop carries, what it begins
// with and what the turn before made.
static void add_read(Flows *f, size_t k, MlirValue v, bool begins, bool *last) {
  v = sn_viewed(v);
  double bytes = sn_bytes(sn_type_of(v));
  if (mlirValueIsABlockArgument(v)) {
    const SnSequenceLoop *loop = loop_of(f->s, mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v)));
    intptr_t place = mlirBlockArgumentGetArgNumber(v) - 1;
    if (!loop || place < 0)
      return;
    add_read(f, k, sn_operand(loop->op, 3 + place), true, last);
    add_read(f, k, yielded(loop->op, place), false, last);
    return;
  }
  const SnSequenceLoop *loop = loop_of(f->s, mlirOpResultGetOwner(v));
  if (loop) {
    add_read(f, k, yielded(loop->op, mlirOpResultGetResultNumber(v)), begins, last);
    return;
  }
  uintptr_t from = 0;
  if (!sn_table_get(&f->number, mlirOpResultGetOwner(v).ptr, &from))
    return;
  add_flow(f->t, from, k, bytes, begins);
  *last |= f->t->waits && (int64_t)from + 1 == f->t->waits[k];
}

static void find_flows(SnTasks *t, const SnSequence *s) {
  Flows f = {t, s, {0}};
  for (size_t k = 0; k < t->forms.size; ++k)
    sn_table_put(&f.number, t->forms.data[k].op.ptr, k);
  for (size_t k = 0; k < t->forms.size; ++k) {
    MlirOperation op = t->forms.data[k].op;
    bool last = !t->waits || !t->waits[k]; // the last form that it waits for is one that it reads
    for (intptr_t o = 0; o < sn_num_operands(op); ++o) {
      MlirValue v = sn_viewed(sn_operand(op, o));
      bool again = sn_form_writes(op, o) && !mlirTypeIsAMemRef(sn_type_of(v)) && !sn_is_in_place(op);
      for (intptr_t i = 0; i < o && !again; ++i)
        again = sn_same(sn_viewed(sn_operand(op, i)), v);
      if (!again)
        add_read(&f, k, v, false, &last);
    }
    if (!last)
      add_flow(t, (size_t)t->waits[k] - 1, k, 0, false);
  }
  sn_table_free(&f.number);
}

double sn_tasks_inner(const SnTasks *t, size_t k) {
  double n = 0;
  for (size_t i = 0; i < t->flows.size; ++i)
    n += t->flows.data[i].to == k && !t->flows.data[i].begins ? t->flows.data[i].bytes : 0;
  return n;
}

// ---- what comes again ------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool begins_phase(const SnTasks *t, size_t k) { return !k || t->phase[k] > t->phase[k - 1]; }

// Form b is to the forms in front of it what form a is. flows[k] .. flows[k + 1] - 1 are those to form k.
static bool alike(const SnTasks *t, const size_t *flows, size_t a, size_t b) {
  const SnNode *x = &t->forms.data[a], *y = &t->forms.data[b];
  size_t n = flows[a + 1] - flows[a];
  if (x->in != y->in || x->out != y->out || strcmp(x->what, y->what) || !same_text(x->computes, y->computes) ||
      !same_text(t->work[a], t->work[b]) || begins_phase(t, a) != begins_phase(t, b) || n != flows[b + 1] - flows[b])
    return false;
  for (size_t i = 0; i < n; ++i) {
    const SnTaskFlow *f = &t->flows.data[flows[a] + i], *g = &t->flows.data[flows[b] + i];
    if ((a - f->from != b - g->from && f->from != g->from) || f->bytes != g->bytes)
      return false;
  }
  return true;
}

// Of what repeats in forms lo .. hi - 1 that with the most forms behind its second time, of several the one that spares
// most, of several the shortest; and so on in front of it and behind it.
static void find_repeats(SnTasks *t, const size_t *flows, size_t lo, size_t hi) {
  SnTaskRepeat best = {0};
  for (size_t p = 1; p <= LONGEST_PERIOD && 2 * p <= hi - lo; ++p) {
    size_t same = 0; // forms from i on, that are like those p behind them
    for (size_t i = hi - p; i-- > lo;) {
      same = alike(t, flows, i, i + p) ? same + 1 : 0;
      size_t times = same / p + 1, behind = times < 2 ? 0 : (times - 2) * p, spared = (times - 1) * p;
      size_t of_best = best.times < 2 ? 0 : (best.times - 2) * best.period,
             best_spares = best.period * (best.times - 1);
      if (!begins_phase(t, i) || times < 2 || (times == 2 && p < 3) || behind < of_best)
        continue;
      if (!best.times || behind > of_best || spared > best_spares || (spared == best_spares && p == best.period))
        best = (SnTaskRepeat){i, p, times, false};
    }
  }
  if (!best.times)
    return;
  find_repeats(t, flows, lo, best.first);
  sn_push(&t->repeats, best);
  find_repeats(t, flows, best.first + best.period * best.times, hi);
}

size_t sn_tasks_shown(const SnTasks *t, size_t k) {
  for (size_t i = 0; i < t->repeats.size; ++i) {
    const SnTaskRepeat *r = &t->repeats.data[i];
    if (!r->loop && k >= r->first && k < r->first + r->period * r->times)
      return r->first + (k - r->first) % r->period;
  }
  return k;
}

const SnTaskRepeat *sn_tasks_repeat(const SnTasks *t, size_t k) {
  for (size_t i = 0; i < t->repeats.size; ++i)
    if (t->repeats.data[i].first == k)
      return &t->repeats.data[i];
  return NULL;
}

// ---- all of it -------------------------------------------------------------------------------------

SnTasks sn_tasks_read(MlirOperation sequence) {
  SnTasks t = {0};
  SnSequence s = sn_sequence_read(sequence);
  sn_explain_nodes(sequence, &t.forms);
  size_t n = t.forms.size;
  assert(n == s.forms.size && "a sequence holds nothing else");
  t.work = sn_alloc((n + 1) * sizeof *t.work);
  t.phase = sn_alloc((n + 1) * sizeof *t.phase);
  t.waits = s.waits.size ? sn_alloc((n + 1) * sizeof *t.waits) : NULL;
  SnGpuSequencePlan plan;
  const char *kind = s.schedule.ptr ? sn_schedule_mnemonic(s.schedule) : NULL;
  t.on_gpu = kind && !strcmp(kind, "gpu_sequence") && !sn_failed(sn_gpu_plan_sequence(&s, &plan));
  t.by_turns = sn_sequence_by_turns(&s);
  t.blocks = t.on_gpu ? plan.blocks : 0;
  t.threads = t.on_gpu ? plan.threads : 0;
  for (size_t k = 0; k < n; ++k) {
    t.work[k] = work_of(s.forms.data[k]);
    t.phase[k] = s.phase.data[k];
    if (t.waits)
      t.waits[k] = s.waits.data[k];
  }
  t.all_phases = sn_sequence_all_phases(&s);
  find_flows(&t, &s);
  size_t *flows = sn_alloc((n + 1) * sizeof *flows), at = 0;
  for (size_t k = 0; k <= n; ++k) {
    while (at < t.flows.size && t.flows.data[at].to < k)
      ++at;
    flows[k] = at;
  }
  size_t lo = 0;
  t.all_forms = (int64_t)n;
  for (size_t i = 0; i < s.loops.size; ++i) {
    const SnSequenceLoop *loop = &s.loops.data[i];
    find_repeats(&t, flows, lo, loop->first);
    sn_push(&t.repeats, (SnTaskRepeat){loop->first, loop->forms, (size_t)loop->turns, true});
    t.all_forms += (loop->turns - 1) * (int64_t)loop->forms;
    lo = loop->first + loop->forms;
  }
  find_repeats(&t, flows, lo, n);
  sn_sequence_free(&s);
  free(flows);
  return t;
}

void sn_tasks_free(SnTasks *t) {
  for (size_t k = 0; k < t->forms.size; ++k)
    free(t->work[k]);
  free(t->work);
  free(t->phase);
  free(t->waits);
  sn_vec_free(&t->flows);
  sn_vec_free(&t->repeats);
  sn_explain_free_nodes(&t->forms);
}

// ---- as text -----------------------------------------------------------------------------------------

static void put_form(const SnTasks *t, size_t k, FILE *to) {
  const SnNode *n = &t->forms.data[k];
  double inner = sn_tasks_inner(t, k);
  fprintf(to, "  phase %" PRId64 ": form %zu: %s", t->phase[k], k, n->what);
  if (n->computes && *n->computes)
    fprintf(to, "  %s", n->computes);
  if (t->work[k])
    fprintf(to, ", %s", t->work[k]);
  if (t->waits && t->waits[k])
    fprintf(to, ", waits for the first %" PRId64, t->waits[k]);
  fprintf(to, "; reads %s", sn_amount(n->in - inner).text);
  for (size_t i = 0; i < t->flows.size; ++i) {
    const SnTaskFlow *f = &t->flows.data[i];
    if (f->to == k && f->bytes > 0)
      fprintf(to, ", %s of form %zu%s", sn_amount(f->bytes).text, f->from,
              f->begins      ? " in the first turn"
              : f->from >= k ? " of the turn before"
                             : "");
  }
  fprintf(to, "; writes %s\n", sn_amount(n->out).text);
}

void sn_tasks_text(const SnTasks *t, const char *name, size_t number, FILE *to) {
  size_t n = t->forms.size;
  fprintf(to, "%s: sequence %zu: %zu form%s", name, number, n, plural((int64_t)n));
  if (t->all_forms > (int64_t)n)
    fprintf(to, ", %" PRId64 " with all turns,", t->all_forms);
  if (t->on_gpu)
    fprintf(to, " in one launch of %" PRId64 " blocks of %" PRId64 " threads, %" PRId64 " phases\n", t->blocks,
            t->threads, t->all_phases);
  else
    fprintf(to, t->by_turns ? " by turns, in one task\n" : " in one parallel region\n");
  for (size_t k = 0; k < n; ++k) {
    if (sn_tasks_shown(t, k) != k)
      continue;
    const SnTaskRepeat *r = sn_tasks_repeat(t, k);
    if (r)
      fprintf(to, "  %zu times forms %zu to %zu%s:\n", r->times, r->first, r->first + r->period - 1,
              r->loop ? ", a loop" : "");
    put_form(t, k, to);
  }
}
