// schedules.h: the keys of every schedule attribute, one row each, and reading them.
//
// The verifier, the schedulers, the lowerings and the generated page read this
// table. A lowering never chooses: a key that is left out has the table's default.

#ifndef SINTER_DIALECT_SCHEDULES_H
#define SINTER_DIALECT_SCHEDULES_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *mnemonic, *key;
  int64_t low, high;          // of a number
  int64_t step;               // a number is a multiple of it; 0: a power of two
  int64_t otherwise;          // default; of words the place in `words`
  const char *const *words;   // NULL for a number; ends with NULL
  const char *meaning;
  bool nested; // its value is another schedule of this kind; no default, no number, no word
} SnScheduleKey;

extern const SnScheduleKey sn_schedule_keys[]; // ends with a NULL key
// The row, or NULL.
const SnScheduleKey *sn_schedule_key(const char *mnemonic, const char *key, size_t length);

// A number of a schedule that has passed the verifier, or its default.
int64_t sn_schedule_number(MlirAttribute schedule, const char *key);
// Another schedule that this one holds, or null.
MlirAttribute sn_schedule_nested(MlirAttribute schedule, const char *key);
// A word of the schedule, or its default; whether it is `word`.
const char *sn_schedule_word(MlirAttribute schedule, const char *key);
bool sn_schedule_word_is(MlirAttribute schedule, const char *key, const char *word);

#ifdef __cplusplus
}
#endif
#endif
