// sinter-exec: runs a function of a library that sinter-cc wrote, without MLIR.
//
// Needs nothing but the C library, and for a library for a GPU its driver: it
// can be copied to a machine that has only that. All it does is in
// runtime/driver.c.

#include "runtime/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char usage[] = "sinter-exec LIBRARY.so [options]";

int main(int argc, char **argv) {
  SinterDriverOptions options = SINTER_DRIVER_DEFAULTS;
  int rest = 0;
  switch (sinter_options_parse(sinter_driver_options, &options, usage, argc, argv, &rest)) {
  case SINTER_PARSED_HELP:
    return SINTER_EXIT_OK;
  case SINTER_PARSED_BAD:
    return SINTER_EXIT_BAD_INPUT;
  case SINTER_PARSED:
    break;
  }
  if (!sinter_options_check(sinter_driver_rules, options.program))
    return SINTER_EXIT_BAD_INPUT;
  if (argc - rest != 1) {
    fprintf(stderr, "%s: error: %d libraries are given, expected 1\nusage: %s\n", options.program,
            argc - rest, usage);
    return SINTER_EXIT_BAD_INPUT;
  }

  // A name without a slash is searched for in the system's directories only.
  const char *given = argv[rest];
  char path[4096];
  snprintf(path, sizeof path, "%s%s", strchr(given, '/') ? "" : "./", given);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s: error: cannot open the library: %s\n", options.program, dlerror());
    return SINTER_EXIT_BAD_INPUT;
  }
  const SinterLibrary *library = dlsym(handle, "sinter_library");
  if (!library) {
    fprintf(stderr, "%s: error: %s has no sinter_library: sinter-cc did not write it\n",
            options.program, given);
    dlclose(handle);
    return SINTER_EXIT_BAD_INPUT;
  }
  SinterExit code = sinter_driver_main(library, &options);
  dlclose(handle);
  return code;
}
