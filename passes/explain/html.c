// html.c: an explanation as a page, with the program's graph before and after.
//
// One file: no scripts, no fonts, nothing fetched. An operation has the colour of the kernel that it
// became part of; white ones are gone, dashed ones stay outside.
//
// runs in: explain    test: test/passes/explain/explain.mlir

#include "passes/explain/explain.h"

void sn_explain_html_put(const char *s, size_t n, FILE *to) {
  for (size_t i = 0; i < n && s[i]; ++i)
    switch (s[i]) {
    case '<': fputs("&lt;", to); break;
    case '>': fputs("&gt;", to); break;
    case '&': fputs("&amp;", to); break;
    case '"': fputs("&quot;", to); break;
    default: fputc(s[i], to);
    }
}
static void put(const char *s, FILE *to) { sn_explain_html_put(s, strlen(s), to); }

// ---- the picture ----------------------------------------------------------------------

enum { WIDTH = 150, HEIGHT = 34, GAP_X = 18, GAP_Y = 30, MARGIN = 8 };

typedef struct {
  size_t *level, *column, levels, columns;
} Layout;

// Each node one level below the lowest that it reads.
static Layout layout(const SnNodes *nodes) {
  size_t n = nodes->size + 1;
  Layout l = {sn_alloc(n * sizeof(size_t)), sn_alloc(n * sizeof(size_t))};
  size_t *used = sn_alloc(n * sizeof *used);
  for (size_t i = 0; i < nodes->size; ++i) {
    for (size_t k = 0; k < nodes->data[i].reads.size; ++k) {
      size_t below = l.level[nodes->data[i].reads.data[k]] + 1;
      l.level[i] = below > l.level[i] ? below : l.level[i];
    }
    l.column[i] = used[l.level[i]]++;
    l.levels = l.level[i] + 1 > l.levels ? l.level[i] + 1 : l.levels;
    l.columns = l.column[i] + 1 > l.columns ? l.column[i] + 1 : l.columns;
  }
  free(used);
  return l;
}

// What stands on a node: what it computes, if that is short, or else the operation that its line names; and the line.
static void put_label(const SnNode *n, FILE *to) {
  const char *text = n->lines.size ? sn_line_text(n->lines.data[0]) : NULL;
  const char *name = text ? strstr(text, " = ") : NULL;
  name = name ? name + 3 : n->what;
  if (n->computes && *n->computes && strlen(n->computes) < 18)
    put(n->computes, to);
  else
    sn_explain_html_put(name, strcspn(name, " ({<:"), to);
  if (n->lines.size)
    fprintf(to, " :%d", mlirLocationFileLineColRangeGetStartLine(n->lines.data[0]));
}

static void put_fill(const SnNode *n, size_t self, bool after, FILE *to) {
  if (!after && !n->parts.size) {
    fputs("#fff", to);
    return;
  }
  size_t kernel = after ? self : n->parts.data[0];
  fprintf(to, "hsl(%zu 65%% 84%%)", kernel * 137 % 360);
}

static void put_picture(const SnNodes *nodes, bool after, FILE *to) {
  Layout l = layout(nodes);
  size_t w = 2 * MARGIN + l.columns * (WIDTH + GAP_X), h = 2 * MARGIN + l.levels * (HEIGHT + GAP_Y);
  fprintf(to,
          "<div class=\"picture\"><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 "
          "%zu %zu\">\n",
          w, h, w, h);
#define X(i) (MARGIN + l.column[i] * (WIDTH + GAP_X))
#define Y(i) (MARGIN + l.level[i] * (HEIGHT + GAP_Y))
  for (size_t i = 0; i < nodes->size; ++i)
    for (size_t k = 0; k < nodes->data[i].reads.size; ++k) {
      size_t from = nodes->data[i].reads.data[k];
      size_t x0 = X(from) + WIDTH / 2, y0 = Y(from) + HEIGHT, x1 = X(i) + WIDTH / 2, y1 = Y(i);
      fprintf(to, "<path d=\"M%zu %zu C%zu %zu %zu %zu %zu %zu\"/>\n", x0, y0, x0, y0 + GAP_Y / 2, x1, y1 - GAP_Y / 2,
              x1, y1);
    }
  for (size_t i = 0; i < nodes->size; ++i) {
    const SnNode *n = &nodes->data[i];
    fprintf(to, "<g><title>");
    put(n->what, to);
    for (size_t k = 0; k < n->lines.size; ++k) {
      fputc('\n', to);
      put(sn_line_name(n->lines.data[k]), to);
    }
    fprintf(to, "</title><rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"5\"%s fill=\"", X(i), Y(i), WIDTH,
            HEIGHT, n->outside ? " stroke-dasharray=\"4 3\"" : "");
    put_fill(n, i, after, to);
    fprintf(to, "\"/><text x=\"%zu\" y=\"%zu\">", X(i) + WIDTH / 2, Y(i) + HEIGHT / 2 + 4);
    if (after && n->outside)
      put_label(n, to);
    else if (after)
      fprintf(to, "kernel %zu (%zu op%s)", i, n->parts.size, n->parts.size == 1 ? "" : "s");
    else
      put_label(n, to);
    fprintf(to, "</text></g>\n");
  }
#undef X
#undef Y
  fprintf(to, "</svg></div>\n");
  free(l.level);
  free(l.column);
}

// ---- the page ---------------------------------------------------------------------------

void sn_explain_html_begin(FILE *to) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sinter-explain</title>\n<style>\n"
        "body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #222; "
        "background: #fff }\n"
        "code, td.line { font: 12px/1.5 ui-monospace, monospace }\n"
        "table { border-collapse: collapse; margin: .5em 0 }\n"
        "th, td { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd }\n"
        ".picture { overflow: auto; max-height: 70vh; border: 1px solid #ddd }\n"
        "svg rect { stroke: #555 } svg path { fill: none; stroke: #999 } svg text { font: 11px ui-monospace, "
        "monospace; text-anchor: middle }\n"
        ".tasks text { text-anchor: start } .tasks .flow { font-size: 9px; fill: #333 }\n"
        ".tasks .lane { stroke: none; fill: #f2f2f2 } .tasks .waits { stroke-dasharray: 3 3 }\n"
        ".tasks .times { fill: none; stroke: #36c; stroke-width: 2 } .tasks .time { fill: #36c }\n"
        ".pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 1em } .pictures > * { min-width: 0 }\n"
        "</style></head><body>\n",
        to);
}
void sn_explain_html_end(FILE *to) { fputs(SN_EXPLAIN_PAGE_END, to); }

static void put_totals(const SnExplanation *e, FILE *to) {
  fprintf(to, "<table><tr><th></th><th>launches</th><th>memory traffic</th></tr>\n");
  if (e->before.size)
    fprintf(to, "<tr><td>before fusion</td><td>%zu</td><td>%s</td></tr>\n", e->before.size,
            sn_amount(sn_total_bytes(&e->before)).text);
  fprintf(to, "<tr><td>after, policy %s</td><td>%zu</td><td>%s</td></tr></table>\n", e->policy, e->after.size,
          sn_amount(sn_total_bytes(&e->after)).text);
}

static void put_kernels(const SnExplanation *e, FILE *to) {
  fprintf(to,
          "<h3>Kernels</h3><table><tr><th></th><th>kernel</th><th>reads</th><th>writes</th><th>made of</th></tr>\n");
  for (size_t k = 0; k < e->after.size; ++k) {
    const SnNode *n = &e->after.data[k];
    fprintf(to, "<tr><td>%zu</td><td><code>", k);
    put(n->what, to);
    fprintf(to, "</code></td><td>%s%s%s</td><td>%s</td><td class=\"line\">", sn_amount(n->in).text,
            n->reads_what ? " = " : "", n->reads_what ? n->reads_what : "", sn_amount(n->out).text);
    for (size_t i = 0; i < n->parts.size; ++i) {
      const SnNode *part = &e->before.data[n->parts.data[i]];
      put(part->lines.size ? sn_line_name(part->lines.data[0]) : "unknown", to);
      const char *text = part->lines.size ? sn_line_text(part->lines.data[0]) : NULL;
      if (text) {
        const char *generic = strstr(text, "linalg.generic");
        fputs("&ensp;", to);
        sn_explain_html_put(text, generic ? (size_t)(generic - text) + 14 : 90, to);
      }
      if (part->computes && *part->computes) {
        fputs("&ensp;<b>", to);
        put(part->computes, to);
        fputs("</b>", to);
      }
      fputs("<br>", to);
    }
    if (n->families) {
      fputs("<pre>", to);
      put(n->families, to);
      fputs("</pre>", to);
    }
    fprintf(to, "</td></tr>\n");
  }
  fprintf(to, "</table>\n");
}

static void put_boundaries(const SnExplanation *e, FILE *to) {
  if (!e->boundaries.size)
    return;
  fprintf(to, "<h3>Why not fewer</h3><table><tr><th>between</th><th>flows</th><th>line</th><th>reason</th></tr>\n");
  for (size_t i = 0; i < e->boundaries.size; ++i) {
    const SnBoundary *b = &e->boundaries.data[i];
    fprintf(to, "<tr><td>%zu, %zu</td><td>%s</td><td class=\"line\">", b->a, b->b,
            b->flows > 0 ? sn_amount(b->flows).text : "read the same");
    put(sn_line_name(b->line), to);
    fprintf(to, "</td><td>");
    put(b->why, to);
    fprintf(to, "</td></tr>\n");
  }
  fprintf(to, "</table>\n");
}

static void put_outside(const SnExplanation *e, FILE *to) {
  bool any = false;
  for (size_t k = 0; k < e->after.size; ++k)
    any |= e->after.data[k].outside;
  if (!any)
    return;
  fprintf(to, "<h3>Outside the kernels of ours</h3><table><tr><th>line</th><th>operation</th><th>reason</th></tr>\n");
  for (size_t k = 0; k < e->after.size; ++k) {
    const SnNode *n = &e->after.data[k];
    if (!n->outside)
      continue;
    fprintf(to, "<tr><td class=\"line\">");
    put(n->lines.size ? sn_line_name(n->lines.data[0]) : "unknown", to);
    fprintf(to, "</td><td><code>");
    put(n->what, to);
    fprintf(to, "</code></td><td>");
    put(n->why ? n->why : "it was not raised", to);
    fprintf(to, "</td></tr>\n");
  }
  fprintf(to, "</table>\n");
}

void sn_explain_html(const SnExplanation *e, FILE *to) {
  fprintf(to, "<h2>@");
  put(e->name, to);
  fprintf(to, "</h2>\n");
  put_totals(e, to);
  fprintf(to, "<div class=\"pictures\">");
  if (e->before.size) {
    fprintf(to, "<div><h3>Before</h3>\n");
    put_picture(&e->before, false, to);
    fprintf(to, "</div>");
  }
  fprintf(to, "<div><h3>After</h3>\n");
  put_picture(&e->after, true, to);
  fprintf(to, "</div></div>\n");
  put_kernels(e, to);
  put_boundaries(e, to);
  put_outside(e, to);
}
