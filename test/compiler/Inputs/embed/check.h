// check.h: what the programs of this folder share: diagnostics counted and kept, tensors, a check that says its line.

#ifndef CHECK_H
#define CHECK_H

#include <sinter/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                           \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

typedef struct {
  int errors, others;
  char first[1024]; // of the errors: FILE:LINE:COLUMN: MESSAGE
} Told;

static void count(void *user, const SinterDiagnostic *d) {
  Told *told = user;
  CHECK(d->size == sizeof *d && d->message && d->file && !strchr(d->message, 0)[0]);
  if (d->severity == SINTER_SEVERITY_ERROR && !told->errors++)
    snprintf(told->first, sizeof told->first, "%s:%d:%d: %s", d->file, d->line, d->column, d->message);
  else if (d->severity != SINTER_SEVERITY_ERROR)
    ++told->others;
}

static inline DLTensor tensor(void *data, int32_t rank, int64_t *shape) {
  return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = {kDLFloat, 32, 1}, .shape = shape};
}

#endif
