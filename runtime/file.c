// file.c: files that appear whole or not at all.

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What is no regular file cannot be replaced, nor may what stands for an open one: its readers would not
// see the new one.
static bool in_place(const char *path, const struct stat *was) {
  static const char *const open_files[] = {"/dev/std", "/dev/fd/", "/proc/"};
  for (size_t i = 0; i < sizeof open_files / sizeof *open_files; i++)
    if (strncmp(path, open_files[i], strlen(open_files[i])) == 0)
      return true;
  return !S_ISREG(was->st_mode);
}

// A new file in the folder of path; sets *name, which is malloc's.
static int open_beside(const char *path, mode_t mode, char **name) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = folder + 64;
  *name = malloc(size);
  // The name of another process, or of one before that ended early, may be there.
  for (int i = 0; *name && i < 1000; i++) {
    snprintf(*name, size, "%.*s.sinter-%ld-%d", (int)folder, path, (long)getpid(), i);
    int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

bool sinter_file_create(SinterFile *file, const char *path, bool executable) {
  *file = (SinterFile){NULL, NULL, NULL};
  struct stat was;
  bool exists = stat(path, &was) == 0;
  if (exists && in_place(path, &was)) {
    file->to = fopen(path, "wb");
    return file->to != NULL;
  }
  // A file that nobody may write is not replaced either.
  if (exists && access(path, W_OK) != 0)
    return false;
  file->path = exists ? realpath(path, NULL) : strdup(path);
  int to = file->path ? open_beside(file->path, executable ? 0777 : 0666, &file->beside) : -1;
  if (to >= 0 && (!exists || fchmod(to, was.st_mode & 07777) == 0))
    file->to = fdopen(to, "wb");
  if (!file->to) {
    int reason = errno;
    if (to >= 0) {
      close(to);
      unlink(file->beside);
    }
    free(file->path);
    free(file->beside);
    errno = reason;
  }
  return file->to != NULL;
}

static void forget(SinterFile *file, int reason) {
  free(file->path);
  free(file->beside);
  *file = (SinterFile){NULL, NULL, NULL};
  errno = reason;
}

// Whether all that was written went out; sets *reason if not.
static bool flushed(FILE *file, int *reason) {
  // Of a write that failed before, errno knows no more: another one fails for the same reason.
  errno = 0;
  bool failed = ferror(file) != 0;
  if (failed)
    putc(0, file);
  failed |= fflush(file) != 0;
  *reason = errno ? errno : EIO;
  return !failed;
}

bool sinter_file_finish(SinterFile *file) {
  int reason;
  bool ok = flushed(file->to, &reason);
  if (fclose(file->to) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && file->beside && rename(file->beside, file->path) != 0) {
    ok = false;
    reason = errno;
  }
  if (!ok && file->beside)
    unlink(file->beside);
  forget(file, ok ? 0 : reason);
  return ok;
}

void sinter_file_abandon(SinterFile *file) {
  int reason = errno;
  fclose(file->to);
  if (file->beside)
    unlink(file->beside);
  forget(file, reason);
}

bool sinter_file_write(const char *path, const void *bytes, size_t size, bool executable) {
  SinterFile file;
  if (!sinter_file_create(&file, path, executable))
    return false;
  fwrite(bytes, 1, size, file.to);
  return sinter_file_finish(&file);
}

bool sinter_stdout_finish(const char *program) {
  int reason;
  bool ok = flushed(stdout, &reason);
  if (!ok)
    fprintf(stderr, "%s: error: cannot write all to stdout: %s\n", program, strerror(reason));
  return ok;
}
