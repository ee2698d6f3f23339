// tune_file.h: the tuning file that sinter-tune writes and sinter-schedule reads.

#ifndef SINTER_TOOLS_TUNE_FILE_H
#define SINTER_TOOLS_TUNE_FILE_H

#include "runtime/npy.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What was found for one form. Texts are the caller's.
typedef struct TuneEntry {
  const char *target, *form; // "cpu" or "gpu", and a fingerprint
  const char *schedule;      // NULL: what sinter-schedule chooses is not beaten, so there is no line
  const char *comment;       // without `//`
} TuneEntry;

// Puts an entry in place of what the file has of its form, and keeps all else: read, changed and renamed into place
// under a lock on the folder, so that two tuners lose nothing and a kill or a full disk leaves the old file. A file
// that is not there is made. False, with a message that starts with path.
bool tune_file_merge(const char *path, const TuneEntry *entry, SinterMessage *message);

// Whether an entry could be put there, so that nobody measures for nothing. Changes nothing.
bool tune_file_may_write(const char *path, SinterMessage *message);

#ifdef __cplusplus
}
#endif

#endif
