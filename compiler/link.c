// link.c: files, and the system's linker.

#include "compiler/job.h"
#include "lowering/host/names.h"
#include "lowering/object_constants.h"
#include "runtime/file.h"
#include "sinter_config.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int32_t sn_write(SnJob *job, const char *path, const char *bytes, size_t size, bool executable) {
  if (sinter_file_write(path, bytes, size, executable))
    return SINTER_COMPILER_OK;
  return sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
}

char *sn_read_all(const char *path, size_t *size) {
  FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  if (!file)
    return NULL;
  SN_VEC(char) text = {0};
  for (int c; (c = getc(file)) != EOF;)
    sn_push(&text, (char)c);
  int error = ferror(file) ? errno : 0; // a folder opens, and does not read
  if (file != stdin)
    fclose(file);
  *size = text.size;
  sn_push(&text, 0);
  if (error) {
    sn_vec_free(&text);
    errno = error;
  }
  return text.data;
}

// A file of the build or the installation, by its place relative to what this code is in: a program in bin, or a
// library in lib.
static void beside_us(char *path, size_t size, const char *relative) {
  Dl_info self;
  char own[PATH_MAX] = "";
  if (!dladdr((void *)beside_us, &self) || !strchr(self.dli_fname, '/') || !realpath(self.dli_fname, own)) {
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n < 0 ? 0 : n] = 0;
  }
  snprintf(path, size, "%s/%s", dirname(own), relative);
}

// What a program wrote to its error output, as one line behind a colon; "" if nothing.
static void read_log(const char *folder, char *text, size_t size) {
  char file[PATH_MAX + 16];
  snprintf(file, sizeof file, "%s/log", folder);
  size_t length = 0;
  char *log = sn_read_all(file, &length);
  while (log && length && log[length - 1] == '\n')
    log[--length] = 0;
  for (char *end; log && (end = strchr(log, '\n'));)
    *end = ' ';
  snprintf(text, size, "%s%s", log && *log ? ": " : "", log ? log : "");
  free(log);
}

// Runs a program of the system in a folder. Nobody's name or path is in its arguments, where it might be read
// as an option or a list: files in the folder have names of ours.
static int32_t run_there(SnJob *job, const char *path, const char *folder, char *const *arguments) {
  pid_t child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED,
                        "there is no %s on PATH to link %s with: install a C compiler and binutils, or write an "
                        "object (-o NAME.o)",
                        arguments[0], path);
  if (error)
    return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "cannot run %s: %s", arguments[0], strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return SINTER_COMPILER_OK;
  char log[1024];
  read_log(folder, log, sizeof log);
  return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s did not link %s: exit code %d%s", arguments[0], path,
                      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), log);
}

typedef SN_VEC(char *) Line;

static int32_t run_line(SnJob *job, const char *path, const char *folder, Line *line) {
  sn_push(line, NULL);
  int32_t code = run_there(job, path, folder, line->data);
  line->size = 0;
  return code;
}

static void add(Line *line, size_t n, const char *const *words) {
  for (size_t i = 0; i < n; ++i)
    sn_push(line, (char *)words[i]);
}
#define ADD(line, ...) add(line, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

// The runtime is hidden, and other archives become so: the library shows what the object does.
static int32_t link_library(SnJob *job, const char *path, const char *folder, const char *runtime, bool gpu) {
  static const char *const libraries[] = {SINTER_RUNTIME_LIBRARIES};
  Line line = {0};
  ADD(&line, "cc", "-shared", "-o", "linked", "code.o", runtime, "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections",
      "-Wl,--as-needed", SINTER_LINK_OPTIONS);
  // A library for a GPU runs nothing on the host that would need more.
  if (gpu)
    ADD(&line, "-ldl");
  else
    add(&line, sizeof libraries / sizeof *libraries, libraries);
  int32_t code = run_line(job, path, folder, &line);
  sn_vec_free(&line);
  return code;
}

// One object with its own copy of the runtime and of what that stands on, whose names are seen by nobody else:
// archives of several versions go into one program. Names of the program are letters, digits and `_`.
static int32_t link_archive(SnJob *job, const char *path, const char *folder, const char *runtime, const char *name,
                            bool gpu) {
  static const char *const archives[] = {SINTER_RUNTIME_ARCHIVES};
  size_t size = strlen(name) + sizeof "--keep-global-symbol=_*";
  char *kept = sn_alloc(size);
  snprintf(kept, size, "--keep-global-symbol=%s_*", name);
  Line line = {0};
  ADD(&line, "cc", "-r", "-nostdlib", "-o", "all.o", "code.o", runtime);
  if (!gpu)
    add(&line, sizeof archives / sizeof *archives, archives);
  int32_t code = run_line(job, path, folder, &line);
  ADD(&line, "objcopy", "--wildcard", kept, "--keep-global-symbol=" SN_LIBRARY, "all.o");
  if (code == SINTER_COMPILER_OK)
    code = run_line(job, path, folder, &line);
  line.size = 0;
  ADD(&line, "ar", "rcsD", "linked", "all.o");
  if (code == SINTER_COMPILER_OK)
    code = run_line(job, path, folder, &line);
  sn_vec_free(&line);
  free(kept);
  return code;
}

static int32_t cannot_write(SnJob *job, const char *path) {
  return sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
}

// In pieces: a library may hold a model's weights.
static int32_t copy_to(SnJob *job, const char *from, const char *path, bool executable) {
  FILE *in = fopen(from, "rb");
  if (!in)
    return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "cannot read %s: %s", from, strerror(errno));
  SinterFile out;
  bool ok = sinter_file_create(&out, path, executable);
  if (ok) {
    char piece[1 << 16];
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
      fwrite(piece, 1, n, out.to);
    ok = !ferror(in);
    if (ok)
      ok = sinter_file_finish(&out);
    else
      sinter_file_abandon(&out);
  }
  int32_t code = ok ? SINTER_COMPILER_OK : cannot_write(job, path);
  fclose(in);
  return code;
}

int32_t sn_write_object(SnJob *job, const char *path, const SinterProgram *p) {
  SinterFile file;
  if (!sinter_file_create(&file, path, false))
    return cannot_write(job, path);
  size_t constants = p->constants_apart ? 0 : p->constants_size;
  if (!sn_object_write(file.to, p->object, p->object_size, p->constants, constants)) {
    sinter_file_abandon(&file);
    return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s: the object has no place for constants", path);
  }
  return sinter_file_finish(&file) ? SINTER_COMPILER_OK : cannot_write(job, path);
}

int32_t sn_link(SnJob *job, const char *path, const SinterProgram *p, bool archive) {
  static const char *const files[] = {"code.o", "all.o", "linked", "log"};
  const char *tmp = getenv("TMPDIR");
  char folder[PATH_MAX], file[PATH_MAX + 16], runtime[PATH_MAX * 2];
  snprintf(folder, sizeof folder, "%s/sinter-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder))
    return sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "cannot make the folder %s: %s", folder, strerror(errno));
  snprintf(file, sizeof file, "%s/code.o", folder);
  beside_us(runtime, sizeof runtime, SINTER_RUNTIME_ARCHIVE);

  int32_t result = sn_write_object(job, file, p);
  if (result == SINTER_COMPILER_OK && access(runtime, R_OK))
    result = sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "the runtime is not where it was installed, %s: %s",
                          runtime, strerror(errno));
  if (result == SINTER_COMPILER_OK)
    result = archive ? link_archive(job, path, folder, runtime, p->name, p->gpu)
                     : link_library(job, path, folder, runtime, p->gpu);
  snprintf(file, sizeof file, "%s/linked", folder);
  if (result == SINTER_COMPILER_OK)
    result = copy_to(job, file, path, !archive);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    snprintf(file, sizeof file, "%s/%s", folder, files[i]);
    unlink(file);
  }
  rmdir(folder);
  return result;
}
