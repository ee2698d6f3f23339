// common_link.c: files, and the system's linker.

#include "tools/common_link.h"
#include "lowering/serialise.h"
#include "passes/passes.h"
#include "runtime/file.h"
#include "sinter_config.h"
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

// What the library shows: nothing of the runtime's, nothing of another library's.
static char *version_script(MlirModule module) {
  SN_VEC(char) text = {0};
  const char *name = "sinter_library;";
#define PUT(s)                                                                                     \
  for (const char *c = (s); *c; ++c)                                                               \
  sn_push(&text, *c)
  PUT("{ global: ");
  PUT(name);
  for (size_t i = 0; (name = sn_exported(mlirModuleGetOperation(module), i)); ++i) {
    PUT(" \"");
    PUT(name);
    PUT("\"; \"");
    PUT(name);
    PUT("_workspace\"; \"");
    PUT(name);
    PUT("_shapes\";");
  }
  PUT(" local: *; };\n");
#undef PUT
  sn_push(&text, 0);
  return text.data;
}

// A file of the build or the installation, by its place relative to this program's.
static void beside_program(char *path, size_t size, const char *relative) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = 0;
  snprintf(path, size, "%s/%s", dirname(self), relative);
}

static SinterExit run_linker(const Tool *tool, const char *path, char *const *arguments) {
  pid_t child;
  int error = posix_spawnp(&child, "cc", NULL, NULL, arguments, environ);
  if (error == ENOENT)
    return tool_error(tool, SINTER_EXIT_COMPILE,
                      "there is no cc on PATH to link %s with: install a C compiler, or write an "
                      "object (-o NAME.o)",
                      path);
  if (error)
    return tool_error(tool, SINTER_EXIT_COMPILE, "cannot run cc: %s", strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return SINTER_EXIT_OK;
  return tool_error(tool, SINTER_EXIT_COMPILE, "cc did not link %s: exit code %d", path,
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

SinterExit tool_link(const Tool *tool, const char *path, const char *object, size_t size,
                     MlirModule module, bool gpu) {
  const char *tmp = getenv("TMPDIR");
  char folder[PATH_MAX], code[PATH_MAX + 16], script[PATH_MAX + 16], option[PATH_MAX + 64],
      archive[PATH_MAX * 2];
  snprintf(folder, sizeof folder, "%s/sinter-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder))
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot make the folder %s: %s", folder,
                      strerror(errno));
  snprintf(code, sizeof code, "%s/code.o", folder);
  snprintf(script, sizeof script, "%s/exports", folder);
  snprintf(option, sizeof option, "-Wl,--version-script=%s", script);
  beside_program(archive, sizeof archive, SINTER_RUNTIME_ARCHIVE);

  char *exports = version_script(module);
  SinterExit result = tool_write(tool, code, object, size, false);
  if (result == SINTER_EXIT_OK)
    result = tool_write(tool, script, exports, strlen(exports), false);
  free(exports);
  if (result == SINTER_EXIT_OK && access(archive, R_OK))
    result =
        tool_error(tool, SINTER_EXIT_COMPILE, "the runtime is not where it was installed, %s: %s",
                   archive, strerror(errno));
  if (result == SINTER_EXIT_OK) {
    static const char *const libraries[] = {SINTER_RUNTIME_LIBRARIES};
    SN_VEC(char *) line = {0};
    const char *first[] = {
        "cc", "-shared", "-o", path, code, archive, option, "-Wl,--gc-sections", "-Wl,--as-needed"};
    for (size_t i = 0; i < sizeof first / sizeof *first; ++i)
      sn_push(&line, (char *)first[i]);
    // A library for a GPU runs nothing on the host that would need more.
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !gpu; ++i)
      sn_push(&line, (char *)libraries[i]);
    if (gpu)
      sn_push(&line, (char *)"-ldl");
    sn_push(&line, NULL);
    result = run_linker(tool, path, line.data);
    sn_vec_free(&line);
  }
  unlink(code);
  unlink(script);
  rmdir(folder);
  return result;
}
