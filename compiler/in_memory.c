// in_memory.c: a program linked into this process by LLVM, with a runtime.
//
// A library in a file has a runtime inside: threads, counters, the kernels that it loaded into a GPU's contexts. One in
// memory has the same. The runtime's shared library is in our own read-only data; a copy of it in memory is opened for
// each program, and closed with it, so that nothing of a program stays.

#include "compiler/job.h"
#include "lowering/host/names.h"
#include "runtime/symbols.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
}

static int32_t llvm_error(SnJob *job, const char *what, LLVMErrorRef error) {
  char *text = LLVMGetErrorMessage(error);
  int32_t status = sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s: %s", what, text);
  LLVMDisposeErrorMessage(text);
  return status;
}

// ---- the runtime ----------------------------------------------------------------------------

// compiler/runtime_image.c, in libSinterCompiler.so; a tool gives its own symbols.
extern __attribute__((weak)) const char sn_runtime_image[], sn_runtime_image_end[];

static bool write_all(int file, const char *bytes, size_t size) {
  while (size) {
    ssize_t n = write(file, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
  }
  return true;
}

// The loader goes by names, and takes what it has of a name: so the file stays open, and its number is nobody else's.
static int32_t open_runtime(SnJob *job, SinterProgram *p, const SinterRtSymbol **symbols) {
  char path[64];
  int file = memfd_create("sinter-runtime", MFD_CLOEXEC);
  if (file < 0 || !write_all(file, sn_runtime_image, (size_t)(sn_runtime_image_end - sn_runtime_image))) {
    int reason = errno;
    if (file >= 0)
      close(file);
    return sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "no memory for a runtime: %s", strerror(reason));
  }
  snprintf(path, sizeof path, "/proc/self/./fd/%d", file);
  p->runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const SinterRtSymbol *const *all = p->runtime ? dlsym(p->runtime, "sinter_runtime_symbols") : NULL;
  if (!all) {
    sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "the runtime does not open: %s", dlerror());
    close(file);
    return SINTER_COMPILER_NOT_COMPILED;
  }
  p->runtime_file = file;
  *symbols = *all;
  return SINTER_COMPILER_OK;
}

// ---- code --------------------------------------------------------------------------------------

// What compiled code may call: the runtime, then whatever this process has (libm).
static LLVMErrorRef define_symbols(LLVMOrcLLJITRef jit, const SinterRtSymbol *runtime) {
  LLVMOrcJITDylibRef code = LLVMOrcLLJITGetMainJITDylib(jit);
  SN_VEC(LLVMOrcCSymbolMapPair) symbols = {0};
  for (const SinterRtSymbol *s = runtime; s->name; ++s) {
    LLVMJITEvaluatedSymbol address = {(LLVMOrcJITTargetAddress)(uintptr_t)s->address,
                                      {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}};
    sn_push(&symbols, (LLVMOrcCSymbolMapPair){LLVMOrcLLJITMangleAndIntern(jit, s->name), address});
  }
  LLVMErrorRef error = LLVMOrcJITDylibDefine(code, LLVMOrcAbsoluteSymbols(symbols.data, symbols.size));
  sn_vec_free(&symbols);
  if (error)
    return error;
  LLVMOrcDefinitionGeneratorRef process;
  error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
  if (!error)
    LLVMOrcJITDylibAddGenerator(code, process);
  return error;
}

// What fails is an answer of the calls below: LLVM need not print it too.
static void keep_quiet(void *user, LLVMErrorRef error) { LLVMConsumeError(error); }

static int32_t link_object(SnJob *job, SinterProgram *p, const SinterRtSymbol *symbols) {
  LLVMOrcLLJITRef jit = NULL;
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, LLVMOrcCreateLLJITBuilder());
  if (error)
    return llvm_error(job, "LLVM's JIT does not start", error);
  p->code = jit;
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit), keep_quiet, NULL);
  LLVMOrcExecutorAddress address = 0;
  error = define_symbols(jit, symbols);
  if (!error)
    error = LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                      LLVMCreateMemoryBufferWithMemoryRangeCopy(p->object, p->object_size, "program"));
  if (!error)
    error = LLVMOrcLLJITLookup(jit, &address, SN_LIBRARY);
  if (error)
    return llvm_error(job, "the compiled program does not link", error);
  p->library = (const SinterLibrary *)(uintptr_t)address;
  if (p->constants)
    *p->library->details->constants = p->constants;
  return SINTER_COMPILER_OK;
}

int32_t sn_program_load(SnJob *job, SinterProgram *p, const SinterRtSymbol *symbols) {
  pthread_once(&once, initialise);
  int32_t status = symbols ? SINTER_COMPILER_OK : open_runtime(job, p, &symbols);
  if (status == SINTER_COMPILER_OK)
    status = link_object(job, p, symbols);
  if (status != SINTER_COMPILER_OK)
    sn_program_unload(p);
  return status;
}

void sn_program_unload(SinterProgram *p) {
  p->library = NULL;
  if (p->code)
    LLVMConsumeError(LLVMOrcDisposeLLJIT(p->code));
  if (p->runtime) {
    void (*const *end)(void) = dlsym(p->runtime, "sinter_runtime_close");
    if (end)
      (*end)();
    dlclose(p->runtime);
    close(p->runtime_file);
  }
  p->code = p->runtime = NULL;
}
