// families.c: how a form that multiplies its rows again runs, by the table that the scheduler walks.
//
//   kernel 0: sinter.contract (b = 2, i = 512) by (j = 512) by (e = 256) ..., made of
//     ...
//     ways to run it, the first that applies is taken:
//       not "wgmma, 128 columns ahead" (sm_90a; ...): a thread would have 296 registers of 255
//       as "wgmma, 64 columns ahead" (sm_90a; ...): #sinter.mma<kernel = "wgmma", m = 64, n = 64, ...>
//       or "wgmma, 64 columns in turn" (sm_90a; ...)
//     blocks without columns that the mask leaves are not made: none from i + 1 on
//
// runs in: explain    test: test/passes/explain/families_gpu.mlir, test/passes/explain/families_cpu.mlir

#include "lowering/facts/cpu_forms.h"
#include "passes/explain/explain.h"
#include "passes/schedule/chain_families.h"
#include <stdlib.h>

static void put_text(MlirStringRef text, void *to) { fwrite(text.data, 1, text.length, to); }

static void put_schedule(MlirAttribute schedule, FILE *to) {
  mlirAttributePrint(schedule, put_text, to);
  fputc('\n', to);
}

// "i + 1", "i", "64"
static void put_column(const SnForm *f, const SnCpuEnd *end, FILE *to) {
  const char *minus = end->factor < 0 ? "-" : "";
  if (!end->factor) {
    fprintf(to, "%lld", (long long)end->more);
    return;
  }
  const SnDim *d = &f->dims.data[end->dim];
  fprintf(to, "%s%.*s", minus, (int)d->name.length, d->name.data);
  if (end->more)
    fprintf(to, " %c %lld", end->more < 0 ? '-' : '+', llabs(end->more));
  if (end->least)
    fprintf(to, ", %lld at least,", (long long)end->least);
}

// " of i from 100 on", of the rows that it is said of
static void put_rows(const SnForm *f, const SnCpuEnd *end, FILE *to) {
  if (!end->since && !end->until)
    return;
  const SnDim *d = &f->dims.data[end->dim];
  fprintf(to, " of %.*s", (int)d->name.length, d->name.data);
  if (end->since)
    fprintf(to, " from %lld on", (long long)end->since);
  if (end->until)
    fprintf(to, " below %lld", (long long)end->until);
}

// Of a finite mask.
static void put_above(const SnCpuEnd *end, FILE *to) {
  if (end->above)
    fprintf(to, ", but for rows with nothing above %g", end->above);
}

static void put_skipped(const SnForm *f, bool gpu, FILE *to) {
  SnCpuEnd end = {0}, begin = {0};
  bool ends = sn_cpu_left_out(f, SN_CPU_FROM, &end), begins = sn_cpu_left_out(f, SN_CPU_BELOW, &begin);
  SnCpuEnd given;
  if (gpu && sn_cpu_streams(f) && sn_cpu_left_out(f, SN_CPU_FROM_GIVEN, &given)) {
    fprintf(to, "  blocks of %s from a number on that input %lld gives are not made", given.rows ? "rows" : "columns",
            (long long)(given.given - 1 - (int64_t)sn_first_input(f)));
    put_above(&given, to);
    fputc('\n', to);
  }
  if (!sn_cpu_streams(f) || (!ends && !begins))
    return;
  fputs("  blocks without columns that the mask leaves are not made: none", to);
  if (begins) {
    fputs(" below ", to);
    put_column(f, &begin, to);
    put_rows(f, &begin, to);
  }
  if (ends) {
    fputs(begins ? ", none from " : " from ", to);
    put_column(f, &end, to);
    fputs(" on", to);
    put_rows(f, &end, to);
  }
  put_above(ends && end.above ? &end : &begin, to);
  fputc('\n', to);
}

static void put_families(const SnForm *f, const SnScheduleOptions *target, FILE *to) {
  MlirAttribute given = sn_get_attr(f->op, "schedule");
  if (given.ptr) {
    fputs("  runs as the program says: ", to);
    put_schedule(given, to);
    return;
  }
  SnWhyNot why[16];
  const SnChainFamily *first = sn_chain_families, *line;
  while (first->target && strcmp(first->target, target->target))
    ++first;
  MlirAttribute found = mlirAttributeGetNull();
  for (line = first; line->schedule; ++line)
    if ((found = line->schedule(f, target, &why[line - first])).ptr)
      break;
  fputs("  ways to run it, the first that applies is taken:\n", to);
  for (const SnChainFamily *way = first; way->target && !strcmp(way->target, target->target); ++way) {
    fprintf(to, "    %s \"%s\" (%s)", way < line ? "not" : way == line ? "as" : "or", way->name, way->applies);
    if (way < line)
      fprintf(to, ": %s", why[way - first].text);
    if (way == line && found.ptr) {
      fputs(": ", to);
      put_schedule(found, to);
    } else {
      fputc('\n', to);
    }
  }
}

char *sn_explain_families(MlirOperation form, const SnScheduleOptions *target) {
  SnForm f = sn_form_read(form);
  char *text = NULL;
  size_t size = 0;
  FILE *to = sn_is_chain(&f) ? open_memstream(&text, &size) : NULL;
  if (to) {
    put_families(&f, target, to);
    put_skipped(&f, !strcmp(target->target, "gpu"), to);
    fclose(to);
  }
  sn_form_free(&f);
  return text;
}
