// file.h: files that appear whole or not at all, for the tools.
//
//   SinterFile file;
//   if (sinter_file_create(&file, path, false)) {
//     fwrite(..., file.to);
//     ok = sinter_file_finish(&file);       or sinter_file_abandon(&file)
//   }
//
// What is written lies beside its path under another name until it is finished. A full disk, or an
// error before the end, leaves what was there before.

#ifndef SINTER_RUNTIME_FILE_H
#define SINTER_RUNTIME_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

typedef struct SinterFile {
  FILE *to;     // to write to
  char *path;   // what it is to be called, symbolic links followed
  char *beside; // what it is called until then; NULL: a device or a pipe, which is written in place
} SinterFile;

// False, with errno, if nothing can be written there. A file that exists keeps its mode; another one is
// executable or not.
bool sinter_file_create(SinterFile *file, const char *path, bool executable);

// The file has its name, and everything is in it. False, with errno: nothing has changed.
bool sinter_file_finish(SinterFile *file);

// Nothing has changed. errno stays.
void sinter_file_abandon(SinterFile *file);

// All three for bytes in memory.
bool sinter_file_write(const char *path, const void *bytes, size_t size, bool executable);

// Whether all that was printed went out: writes an error that begins with `program` to stderr if not. For the
// end of a tool.
bool sinter_stdout_finish(const char *program);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
