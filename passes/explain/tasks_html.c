// tasks_html.c: the forms of a sequence as a picture in a page: a lane for each phase, from above.
//
//   | phase 0 |  [form 0: exp(a)   ]  [form 1: ... ]
//   | phase 1 |     | 1.0 KiB
//   |         |  [form 2: A.B      ]
//   ||4 times ||
//
// What flows between two forms is a line with its bytes; a form that waits for one that it reads nothing of has a
// dashed line. Lines that pass lanes go around them on the right.
//
// runs in: explain    test: test/passes/explain/sequences.mlir

#include "passes/explain/explain.h"
#include <inttypes.h>

enum { WIDTH = 230, HEIGHT = 46, GAP_X = 16, LANE = 84, LEFT = 96, TOP = 26, AROUND = 34, LABELS = 4 };

typedef struct {
  const SnTasks *t;
  size_t *lane, *column; // of each form that is shown
  size_t lanes, columns;
} Picture;

static void put(const char *s, FILE *to) { sn_explain_html_put(s, strlen(s), to); }

static Picture layout(const SnTasks *t) {
  size_t n = t->forms.size + 1;
  Picture p = {t, sn_alloc(n * sizeof(size_t)), sn_alloc(n * sizeof(size_t)), 0, 0};
  int64_t phase = -1;
  for (size_t k = 0; k < t->forms.size; ++k) {
    if (sn_tasks_shown(t, k) != k)
      continue;
    bool next = t->phase[k] != phase;
    p.column[k] = next ? 0 : p.column[k - 1] + 1; // forms of a phase follow each other, and none of them is hidden
    p.lanes += next;
    p.lane[k] = p.lanes - 1;
    p.columns = p.column[k] + 1 > p.columns ? p.column[k] + 1 : p.columns;
    phase = t->phase[k];
  }
  return p;
}

static size_t left_of(const Picture *p, size_t k) { return LEFT + p->column[k] * (WIDTH + GAP_X); }
static size_t top_of(const Picture *p, size_t k) { return TOP + p->lane[k] * LANE; }

// ---- lanes -----------------------------------------------------------------------------------------------

static void put_lanes(const Picture *p, size_t width, FILE *to) {
  const SnTasks *t = p->t;
  for (size_t k = 0; k < t->forms.size; ++k) {
    if (sn_tasks_shown(t, k) != k || p->column[k])
      continue;
    size_t y = top_of(p, k) - (LANE - HEIGHT) / 2;
    if (p->lane[k] % 2)
      fprintf(to, "<rect class=\"lane\" x=\"0\" y=\"%zu\" width=\"%zu\" height=\"%d\"/>\n", y, width, LANE);
    fprintf(to, "<text x=\"8\" y=\"%zu\">phase %" PRId64 "</text>\n", top_of(p, k) + HEIGHT / 2, t->phase[k]);
  }
}

static void put_repeats(const Picture *p, FILE *to) {
  for (size_t i = 0; i < p->t->repeats.size; ++i) {
    const SnTaskRepeat *r = &p->t->repeats.data[i];
    size_t last = r->first + r->period - 1, y = top_of(p, r->first) - (LANE - HEIGHT) / 2 + 3;
    size_t end = top_of(p, last) + HEIGHT + (LANE - HEIGHT) / 2 - 3;
    fprintf(to,
            "<g><title>forms %zu to %zu, %zu times: up to form %zu</title><rect class=\"times\" x=\"3\" y=\"%zu\" "
            "width=\"%zu\" height=\"%zu\" rx=\"6\"/><text class=\"time\" x=\"8\" y=\"%zu\">%zu times</text></g>\n",
            r->first, last, r->times, r->loop ? last : r->first + r->period * r->times - 1, y,
            (size_t)LEFT + p->columns * (WIDTH + GAP_X) - 6, end - y, y + 12, r->times);
  }
}

// ---- lines ---------------------------------------------------------------------------------------------

static void put_flow(const Picture *p, const SnTaskFlow *f, size_t place, size_t places, size_t *around, FILE *to) {
  size_t from = sn_tasks_shown(p->t, f->from), k = f->to;
  if (from >= k) // it is of the time before
    return;
  size_t x = left_of(p, k) + WIDTH * (place + 1) / (places + 1), y = top_of(p, k);
  size_t x0 = left_of(p, from) + WIDTH / 2, y0 = top_of(p, from) + HEIGHT, lx = x + 3, ly = y - 4;
  fprintf(to, "<g><title>form %zu waits for form %zu: ", k, f->from);
  put(f->bytes > 0 ? sn_amount(f->bytes).text : "it reads nothing of it", to);
  fprintf(to, "</title><path%s d=\"", f->bytes > 0 ? "" : " class=\"waits\"");
  if (p->lane[k] == p->lane[from] + 1) {
    fprintf(to, "M%zu %zu C%zu %zu %zu %zu %zu %zu", x0, y0, x0, y0 + 18, x, y - 18, x, y);
  } else {
    size_t right = LEFT + p->columns * (WIDTH + GAP_X) + AROUND * (*around)++ % (6 * AROUND);
    x0 = left_of(p, from) + WIDTH, y0 = top_of(p, from) + HEIGHT / 2;
    x = left_of(p, k) + WIDTH, y = top_of(p, k) + HEIGHT / 2;
    fprintf(to, "M%zu %zu C%zu %zu %zu %zu %zu %zu", x0, y0, right + AROUND, y0, right + AROUND, y, x, y);
    lx = x + 3, ly = y - 6;
  }
  fprintf(to, "\"/>");
  if (f->bytes > 0 && places <= LABELS)
    fprintf(to, "<text class=\"flow\" x=\"%zu\" y=\"%zu\">%s</text>", lx, ly, sn_amount(f->bytes).text);
  fprintf(to, "</g>\n");
}

static void put_flows(const Picture *p, FILE *to) {
  const SnTasks *t = p->t;
  size_t around = 0;
  for (size_t i = 0, n; i < t->flows.size; i += n) {
    size_t k = t->flows.data[i].to;
    for (n = 1; i + n < t->flows.size && t->flows.data[i + n].to == k;)
      ++n;
    for (size_t e = 0; e < n && sn_tasks_shown(t, k) == k; ++e)
      put_flow(p, &t->flows.data[i + e], e, n, &around, to);
  }
}

// ---- forms --------------------------------------------------------------------------------------------------

static void put_line(const char *text, size_t x, size_t y, FILE *to) {
  enum { FITS = 33 };
  fprintf(to, "<text x=\"%zu\" y=\"%zu\">", x, y);
  sn_explain_html_put(text, strlen(text) > FITS ? FITS - 3 : FITS, to);
  fprintf(to, "%s</text>", strlen(text) > FITS ? "..." : "");
}

static void put_form(const Picture *p, size_t k, FILE *to) {
  const SnTasks *t = p->t;
  const SnNode *n = &t->forms.data[k];
  size_t x = left_of(p, k), y = top_of(p, k);
  double inner = sn_tasks_inner(t, k);
  fprintf(to, "<g><title>form %zu: ", k);
  put(n->what, to);
  if (n->computes && *n->computes)
    fputc('\n', to), put(n->computes, to);
  fprintf(to, "\nreads %s of what is given, %s of other forms; writes %s", sn_amount(n->in - inner).text,
          sn_amount(inner).text, sn_amount(n->out).text);
  if (t->waits)
    fprintf(to, "\nwaits for the first %" PRId64 " forms", t->waits[k]);
  for (size_t i = 0; i < n->lines.size; ++i)
    fputc('\n', to), put(sn_line_name(n->lines.data[i]), to);
  bool product = !strncmp(n->what, "sinter.contract", 15);
  fprintf(to, "</title><rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\"/>", x, y, WIDTH,
          HEIGHT, product ? "#cfe3ff" : "#d9f2d9");
  char *first = sn_explain_format("%zu: %s", k, n->computes && *n->computes ? n->computes : n->what);
  char *third = sn_explain_format("reads %s, writes %s", sn_amount(n->in).text, sn_amount(n->out).text);
  put_line(first, x + 6, y + 13, to);
  put_line(t->work[k] ? t->work[k] : "", x + 6, y + 27, to);
  put_line(third, x + 6, y + 41, to);
  fprintf(to, "</g>\n");
  free(first);
  free(third);
}

// ---- the section ------------------------------------------------------------------------------------------

void sn_tasks_html(const SnTasks *t, const char *name, size_t number, FILE *to) {
  size_t n = t->forms.size, shown = 0;
  for (size_t k = 0; k < n; ++k)
    shown += sn_tasks_shown(t, k) == k;
  fprintf(to, "<h2>@");
  put(name, to);
  fprintf(to, ", sequence %zu</h2>\n<p>%zu forms", number, n);
  if (t->all_forms > (int64_t)n)
    fprintf(to, ", %" PRId64 " with all turns,", t->all_forms);
  fprintf(to, " in one ");
  if (t->by_turns)
    fprintf(to, "task: one behind the other");
  else if (t->on_gpu)
    fprintf(to,
            "launch of %" PRId64 " blocks of %" PRId64 " threads: at the end of each of %" PRId64
            " phases all blocks wait for each other",
            t->blocks, t->threads, t->all_phases);
  else
    fprintf(to, "parallel region: a form waits for as many first forms as its lines say");
  fprintf(to, "%s.</p>\n", shown < n ? "; what comes several times is drawn once" : "");
  Picture p = layout(t);
  size_t w = LEFT + p.columns * (WIDTH + GAP_X) + 7 * AROUND, h = TOP + p.lanes * LANE;
  fprintf(to,
          "<div class=\"picture tasks\"><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
          "viewBox=\"0 0 %zu %zu\">\n",
          w, h, w, h);
  put_lanes(&p, w, to);
  put_repeats(&p, to);
  put_flows(&p, to);
  for (size_t k = 0; k < n; ++k)
    if (sn_tasks_shown(t, k) == k)
      put_form(&p, k, to);
  fprintf(to, "</svg></div>\n");
  free(p.lane);
  free(p.column);
}
