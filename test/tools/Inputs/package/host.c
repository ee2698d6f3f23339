#include <dlfcn.h>
#include <sinter/abi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  const SinterLibrary *table = library ? dlsym(library, "sinter_library") : NULL;
  if (!table) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("version %d, %s of %d\n", table->abi_version, table->functions[0].name, table->num_functions);
  return 0;
}
