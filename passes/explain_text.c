// explain_text.c: an explanation as lines of text.
//
//   main: 7 operations become 2 kernels; traffic 118.4 KiB becomes 39.1 KiB, 67% less; 5 launches less
//   kernel 0: sinter.rowwise (i = 37) by (j = 131), reads 38.0 KiB, writes 148 B, made of
//     model.mlir:12:10  %4 = linalg.generic ...
//
// runs in: explain    test: test/passes/explain.mlir

#include "passes/explain.h"

static void put_line(MlirLocation line, FILE *to) {
  const char *text = sn_line_text(line);
  int n = text ? (int)strlen(text) : 0;
  fprintf(to, "  %s%s%.*s%s\n", sn_line_name(line), n ? "  " : "", n < 90 ? n : 87, n ? text : "", n < 90 ? "" : "...");
}

static void put_kernel(const SnExplanation *e, size_t k, FILE *to) {
  const SnNode *n = &e->after.data[k];
  fprintf(to, "kernel %zu: %s, reads %s, writes %s%s\n", k, n->what, sn_amount(n->in).text, sn_amount(n->out).text,
          n->parts.size ? ", made of" : "");
  for (size_t i = 0; i < n->parts.size; ++i) {
    const SnNode *part = &e->before.data[n->parts.data[i]];
    if (part->lines.size)
      put_line(part->lines.data[0], to);
  }
}

void sn_explain_text(const SnExplanation *e, FILE *to) {
  double before = sn_total_bytes(&e->before), after = sn_total_bytes(&e->after);
  if (e->before.size) {
    fprintf(to, "%s: %zu operations become %zu kernels; traffic %s becomes %s", e->name, e->before.size, e->after.size, sn_amount(before).text,
            sn_amount(after).text);
    if (before > 0 && after < before)
      fprintf(to, ", %.0f%% less", 100 * (1 - after / before));
    if (e->before.size > e->after.size)
      fprintf(to, "; %zu launches less", e->before.size - e->after.size);
    fprintf(to, " (policy %s)\n", e->policy);
  } else {
    fprintf(to, "%s: %zu kernels; traffic %s (policy %s)\n", e->name, e->after.size, sn_amount(after).text, e->policy);
  }
  for (size_t k = 0; k < e->after.size; ++k)
    put_kernel(e, k, to);

  size_t again = 0, gone = 0;
  for (size_t i = 0; i < e->before.size; ++i)
    again += e->before.data[i].parts.size > 1, gone += !e->before.data[i].parts.size;
  if (again) {
    fprintf(to, "computed in each kernel that needs it, rather than stored:\n");
    for (size_t i = 0; i < e->before.size; ++i)
      if (e->before.data[i].parts.size > 1 && e->before.data[i].lines.size)
        put_line(e->before.data[i].lines.data[0], to);
  }
  if (gone) {
    fprintf(to, "gone, by algebra or because nobody reads it:\n");
    for (size_t i = 0; i < e->before.size; ++i)
      if (!e->before.data[i].parts.size && e->before.data[i].lines.size)
        put_line(e->before.data[i].lines.data[0], to);
  }

  for (size_t i = 0; i < e->boundaries.size; ++i) {
    const SnBoundary *b = &e->boundaries.data[i];
    if (b->flows > 0)
      fprintf(to, "kernel %zu -> kernel %zu, %s:\n", b->a, b->b, sn_amount(b->flows).text);
    else
      fprintf(to, "kernel %zu | kernel %zu, which read the same:\n", b->a, b->b);
    fprintf(to, "  %s: %s\n", sn_line_name(b->line), b->why);
  }

  bool any = false;
  for (size_t k = 0; k < e->after.size; ++k) {
    const SnNode *n = &e->after.data[k];
    if (!n->outside)
      continue;
    if (!any)
      fprintf(to, "what stays outside the kernels of ours:\n");
    any = true;
    fprintf(to, "  %s: %s: %s\n", n->lines.size ? sn_line_name(n->lines.data[0]) : "unknown", n->what, n->why ? n->why : "it was not raised");
  }
}
