// common_link.c: files, and the system's linker.

#include "lowering/host/names.h"
#include "pipelines/pipelines.h"
#include "runtime/file.h"
#include "sinter_config.h"
#include "tools/common_link.h"
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

SinterExit tool_write(const Tool *tool, const char *path, const char *bytes, size_t size, bool executable) {
  if (sinter_file_write(path, bytes, size, executable))
    return SINTER_EXIT_OK;
  return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
}

// A file of the build or the installation, by its place relative to this program's.
static void beside_program(char *path, size_t size, const char *relative) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = 0;
  snprintf(path, size, "%s/%s", dirname(self), relative);
}

// Runs a program of the system in a folder. Nobody's name or path is in its arguments, where it might be read
// as an option or a list: files in the folder have names of ours.
static SinterExit run_there(const Tool *tool, const char *path, const char *folder, char *const *arguments) {
  pid_t child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder);
  fflush(NULL);
  int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    return tool_error(tool, SINTER_EXIT_COMPILE,
                      "there is no %s on PATH to link %s with: install a C compiler and binutils, or write an "
                      "object (-o NAME.o)",
                      arguments[0], path);
  if (error)
    return tool_error(tool, SINTER_EXIT_COMPILE, "cannot run %s: %s", arguments[0], strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return SINTER_EXIT_OK;
  return tool_error(tool, SINTER_EXIT_COMPILE, "%s did not link %s: exit code %d", arguments[0], path,
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

typedef SN_VEC(char *) Line;

static SinterExit run_line(const Tool *tool, const char *path, const char *folder, Line *line) {
  sn_push(line, NULL);
  SinterExit code = run_there(tool, path, folder, line->data);
  line->size = 0;
  return code;
}

static void add(Line *line, size_t n, const char *const *words) {
  for (size_t i = 0; i < n; ++i)
    sn_push(line, (char *)words[i]);
}
#define ADD(line, ...) add(line, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

// The runtime is hidden, and other archives become so: the library shows what the object does.
static SinterExit link_library(const Tool *tool, const char *path, const char *folder, const char *runtime, bool gpu) {
  static const char *const libraries[] = {SINTER_RUNTIME_LIBRARIES};
  Line line = {0};
  ADD(&line, "cc", "-shared", "-o", "linked", "code.o", runtime, "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections",
      "-Wl,--as-needed", SINTER_LINK_OPTIONS);
  // A library for a GPU runs nothing on the host that would need more.
  if (gpu)
    ADD(&line, "-ldl");
  else
    add(&line, sizeof libraries / sizeof *libraries, libraries);
  SinterExit code = run_line(tool, path, folder, &line);
  sn_vec_free(&line);
  return code;
}

// One object with its own copy of the runtime and of what that stands on, whose names are seen by nobody else:
// archives of several versions go into one program. Names of the program are letters, digits and `_`.
static SinterExit link_archive(const Tool *tool, const char *path, const char *folder, const char *runtime,
                               const char *name, bool gpu) {
  static const char *const archives[] = {SINTER_RUNTIME_ARCHIVES};
  size_t size = strlen(name) + sizeof "--keep-global-symbol=_*";
  char *kept = sn_alloc(size);
  snprintf(kept, size, "--keep-global-symbol=%s_*", name);
  Line line = {0};
  ADD(&line, "cc", "-r", "-nostdlib", "-o", "all.o", "code.o", runtime);
  if (!gpu)
    add(&line, sizeof archives / sizeof *archives, archives);
  SinterExit code = run_line(tool, path, folder, &line);
  ADD(&line, "objcopy", "--wildcard", kept, "--keep-global-symbol=" SN_LIBRARY, "all.o");
  if (code == SINTER_EXIT_OK)
    code = run_line(tool, path, folder, &line);
  line.size = 0;
  ADD(&line, "ar", "rcsD", "linked", "all.o");
  if (code == SINTER_EXIT_OK)
    code = run_line(tool, path, folder, &line);
  sn_vec_free(&line);
  free(kept);
  return code;
}

static SinterExit copy_to(const Tool *tool, const char *from, const char *path, bool executable) {
  size_t size;
  char *bytes = tool_read_all(from, &size);
  if (!bytes)
    return tool_error(tool, SINTER_EXIT_COMPILE, "cannot read %s: %s", from, strerror(errno));
  SinterExit code = tool_write(tool, path, bytes, size, executable);
  free(bytes);
  return code;
}

SinterExit tool_link(const Tool *tool, const char *path, const char *object, size_t size, const char *archive,
                     bool gpu) {
  static const char *const files[] = {"code.o", "all.o", "linked"};
  const char *tmp = getenv("TMPDIR");
  char folder[PATH_MAX], file[PATH_MAX + 16], runtime[PATH_MAX * 2];
  snprintf(folder, sizeof folder, "%s/sinter-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder))
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot make the folder %s: %s", folder, strerror(errno));
  snprintf(file, sizeof file, "%s/code.o", folder);
  beside_program(runtime, sizeof runtime, SINTER_RUNTIME_ARCHIVE);

  SinterExit result = tool_write(tool, file, object, size, false);
  if (result == SINTER_EXIT_OK && access(runtime, R_OK))
    result = tool_error(tool, SINTER_EXIT_COMPILE, "the runtime is not where it was installed, %s: %s", runtime,
                        strerror(errno));
  if (result == SINTER_EXIT_OK)
    result = archive ? link_archive(tool, path, folder, runtime, archive, gpu)
                     : link_library(tool, path, folder, runtime, gpu);
  snprintf(file, sizeof file, "%s/linked", folder);
  if (result == SINTER_EXIT_OK)
    result = copy_to(tool, file, path, !archive);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    snprintf(file, sizeof file, "%s/%s", folder, files[i]);
    unlink(file);
  }
  rmdir(folder);
  return result;
}
