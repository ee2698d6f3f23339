// text.c: an explanation as lines of text.
//
//   main: 7 operations become 2 kernels; traffic 118.4 KiB becomes 39.1 KiB, 67% less; 5 launches less
//   kernel 0: sinter.rowwise (i = 37) by (j = 131), reads 38.0 KiB (37.9 KiB + 148 B), writes 148 B, made of
//     model.mlir:12:10  %4 = linalg.generic  exp(a - b)
//
// runs in: explain    test: test/passes/explain/explain.mlir, test/passes/explain/operations.mlir

#include "passes/explain/explain.h"

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

// Where a part stands in the program, its line, and what it computes. Of a linalg.generic the line says nothing behind
// the name.
static void put_part(const SnNode *part, FILE *to) {
  const char *text = part->lines.size ? sn_line_text(part->lines.data[0]) : NULL;
  const char *generic = text ? strstr(text, "linalg.generic") : NULL;
  int most = part->computes && *part->computes ? 60 : 90, n = text ? (int)strlen(text) : 0;
  bool cut = !generic && n >= most;
  n = generic ? (int)(generic - text) + 14 : cut ? most - 3 : n;
  fprintf(to, "  %s%s%.*s%s", part->lines.size ? sn_line_name(part->lines.data[0]) : "unknown", n ? "  " : "", n,
          n ? text : "", cut ? "..." : "");
  if (part->computes && *part->computes)
    fprintf(to, "  %s", part->computes);
  else if (!text)
    fprintf(to, "  %s", part->what);
  fputc('\n', to);
}

static void put_kernel(const SnExplanation *e, size_t k, FILE *to) {
  const SnNode *n = &e->after.data[k];
  fprintf(to, "kernel %zu: %s, reads %s", k, n->what, sn_amount(n->in).text);
  if (n->reads_what)
    fprintf(to, " (%s)", n->reads_what);
  fprintf(to, ", writes %s%s\n", sn_amount(n->out).text, n->parts.size ? ", made of" : "");
  for (size_t i = 0; i < n->parts.size; ++i)
    put_part(&e->before.data[n->parts.data[i]], to);
  if (n->families)
    fputs(n->families, to);
}

void sn_explain_text(const SnExplanation *e, FILE *to) {
  double before = sn_total_bytes(&e->before), after = sn_total_bytes(&e->after);
  if (e->before.size) {
    fprintf(to, "%s: %zu operation%s become%s %zu kernel%s; traffic %s becomes %s", e->name, e->before.size,
            plural(e->before.size), e->before.size == 1 ? "s" : "", e->after.size, plural(e->after.size),
            sn_amount(before).text, sn_amount(after).text);
    if (before > 0 && after < before)
      fprintf(to, ", %.0f%% less", 100 * (1 - after / before));
    if (e->before.size > e->after.size)
      fprintf(to, "; %zu launch%s less", e->before.size - e->after.size,
              e->before.size - e->after.size == 1 ? "" : "es");
    fprintf(to, " (policy %s)\n", e->policy);
  } else {
    fprintf(to, "%s: %zu kernel%s; traffic %s (policy %s)\n", e->name, e->after.size, plural(e->after.size),
            sn_amount(after).text, e->policy);
  }
  for (size_t k = 0; k < e->after.size; ++k)
    put_kernel(e, k, to);

  size_t again = 0, gone = 0;
  for (size_t i = 0; i < e->before.size; ++i)
    again += e->before.data[i].parts.size > 1, gone += !e->before.data[i].parts.size;
  if (again) {
    fprintf(to, "computed in each kernel that needs it, rather than stored:\n");
    for (size_t i = 0; i < e->before.size; ++i)
      if (e->before.data[i].parts.size > 1)
        put_part(&e->before.data[i], to);
  }
  if (gone) {
    fprintf(to, "gone, by algebra or because nobody reads it:\n");
    for (size_t i = 0; i < e->before.size; ++i)
      if (!e->before.data[i].parts.size)
        put_part(&e->before.data[i], to);
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
    fprintf(to, "  %s: %s: %s\n", n->lines.size ? sn_line_name(n->lines.data[0]) : "unknown", n->what,
            n->why ? n->why : "it was not raised");
  }
}
