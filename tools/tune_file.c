// tune_file.c: one entry of a tuning file, put in place of an older one.
//
//   // measured on NVIDIA H200: 0.2551 ms, 0.92 of what sinter-schedule chooses (noise 0.004)
//   gpu rowwise:4096x32000:f32,i64,f32:f32,f32:8e1c66aa01b2f0c3 #sinter.gpu_rows<cluster = 4, ...>
//
// A form that nothing is faster for has a comment alone:
//
//   // cpu rowwise:37x1003:f32:f32:0123456789abcdef: measured on the CPU, nothing is faster than ...
//
// test: test/tools/sinter-tune-file.test

#include "tools/tune_file.h"
#include "runtime/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool fail(SinterMessage *message, const char *path, const char *what) {
  snprintf(message->text, sizeof message->text, "%.600s: %s%s", path, what, strerror(errno));
  return false;
}

// The entry's form begins here: `gpu rowwise:...`, up to a blank, a colon and a blank, or the end.
static bool names(const char *text, const TuneEntry *e) {
  size_t target = strlen(e->target), form = strlen(e->form);
  text += strspn(text, " \t");
  if (strncmp(text, e->target, target) || !strchr(" \t", text[target]))
    return false;
  text += target + strspn(text + target, " \t");
  return !strncmp(text, e->form, form) && strchr(" \t:", text[form]);
}

#define MEASURED "// measured on " // begins the comment that goes with a line of ours

// Copies what is not of the entry's form. Comments of others stay wherever they stand.
static bool copy_others(FILE *from, FILE *to, const TuneEntry *e) {
  char *line = NULL, *measured = NULL;
  size_t capacity = 0;
  bool ok = true;
  while (ok && getline(&line, &capacity, from) >= 0) {
    line[strcspn(line, "\n")] = 0; // the last line may lack its end
    const char *start = line + strspn(line, " \t");
    bool ours = names(!strncmp(start, "//", 2) ? start + 2 : start, e);
    if (measured && !ours)
      fprintf(to, "%s\n", measured);
    free(measured);
    measured = NULL;
    if (!strncmp(start, MEASURED, strlen(MEASURED)))
      ok = (measured = strdup(line)) != NULL;
    else if (!ours)
      fprintf(to, "%s\n", line);
  }
  if (measured)
    fprintf(to, "%s\n", measured);
  free(measured);
  free(line);
  return ok && !ferror(from);
}

static void write_entry(FILE *to, const TuneEntry *e) {
  if (e->schedule)
    fprintf(to, MEASURED "%s\n%s %s %s\n", e->comment, e->target, e->form, e->schedule);
  else
    fprintf(to, "// %s %s: %s\n", e->target, e->form, e->comment);
}

static bool rewrite(const char *path, const TuneEntry *e, SinterMessage *message) {
  FILE *from = fopen(path, "r");
  if (!from && errno != ENOENT)
    return fail(message, path, "");
  SinterFile file;
  bool made = sinter_file_create(&file, path, false), read = made && (!from || copy_others(from, file.to, e));
  int error = errno;
  if (from)
    fclose(from);
  errno = error;
  if (made && !read)
    sinter_file_abandon(&file);
  if (!made || !read)
    return fail(message, path, "");
  write_entry(file.to, e);
  return sinter_file_finish(&file) || fail(message, path, "cannot be written, and is as it was: ");
}

bool tune_file_may_write(const char *path, SinterMessage *message) {
  SinterFile file;
  if (!sinter_file_create(&file, path, false))
    return fail(message, path, "");
  sinter_file_abandon(&file);
  return true;
}

bool tune_file_merge(const char *path, const TuneEntry *entry, SinterMessage *message) {
  // A lock on the file itself would be one on what the other tuner renames away.
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0)
    return fail(message, path, "");
  while (flock(lock, LOCK_EX) && errno == EINTR)
    ;
  bool ok = rewrite(path, entry, message);
  close(lock);
  return ok;
}
