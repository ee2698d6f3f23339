// cache.c: what was compiled before, in a folder that processes share.
//
//   FOLDER/KEY.sinter     KEY: SHA-256 of all that the code depends on
//   = magic, sizes, SHA-256 of what follows; object, large constants, header in C, name
//
// A file appears whole, by a rename; one that is not what its head says is compiled again. What was used is touched,
// and what was not touched for longest goes when there is too much.

#include "capi/shim.h"
#include "compiler/job.h"
#include "runtime/file.h"
#include "sinter_config.h"
#include "target/chips.h"
#include "llvm-c/Core.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the key ----------------------------------------------------------------------------------

static void add_text(SnHash *hash, const char *text) {
  sn_shim_hash_add(hash, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static void add_printed(MlirStringRef text, void *user) { sn_shim_hash_add(user, text.data, text.length); }

static MlirWalkResult add_bytes(MlirOperation op, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute value = mlirOperationGetAttribute(op, i).attribute;
    if (!mlirAttributeIsADenseResourceElements(value))
      continue;
    SnResource r = sn_shim_resource(value);
    sn_shim_hash_add(user, (const char *)&r.size, sizeof r.size);
    sn_shim_hash_add(user, r.data, r.size);
  }
  return MlirWalkResultAdvance;
}

// All but locations: values by number, constants whole, those that are bytes as bytes. Where arguments are asked for by
// name, locations have the names.
static void add_module(SnHash *hash, MlirModule module, bool locations) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOpPrintingFlagsElideLargeResourceString(flags, 0);
  mlirOpPrintingFlagsEnableDebugInfo(flags, locations, false);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, add_printed, hash);
  mlirOpPrintingFlagsDestroy(flags);
  mlirOperationWalk(mlirModuleGetOperation(module), add_bytes, hash, MlirWalkPreOrder);
}

typedef struct {
  SnHash *hash;
  uintptr_t here;
} Images;

// The build id of what this code is in, and of LLVM's and MLIR's libraries.
static int add_image(struct dl_phdr_info *image, size_t size, void *user) {
  Images *images = user;
  bool ours = strstr(image->dlpi_name, "libLLVM") || strstr(image->dlpi_name, "libMLIR");
  for (int i = 0; i < image->dlpi_phnum && !ours; ++i) {
    uintptr_t begin = image->dlpi_addr + image->dlpi_phdr[i].p_vaddr;
    ours = image->dlpi_phdr[i].p_type == PT_LOAD && images->here >= begin &&
           images->here < begin + image->dlpi_phdr[i].p_memsz;
  }
  for (int i = 0; i < image->dlpi_phnum && ours; ++i)
    if (image->dlpi_phdr[i].p_type == PT_NOTE)
      sn_shim_hash_add(images->hash, (const char *)(image->dlpi_addr + image->dlpi_phdr[i].p_vaddr),
                       image->dlpi_phdr[i].p_memsz);
  return 0;
}

static void add_versions(SnHash *hash) {
  add_text(hash, "1 " SINTER_VERSION); // of this file's format, of Sinter
  dl_iterate_phdr(add_image, &(Images){hash, (uintptr_t)add_versions});
}

static void add_processor(SnHash *hash, const SinterCompiler *c) {
  add_text(hash, c->gpu ? "gpu" : "cpu");
  add_text(hash, c->gpu ? (c->chip ? c->chip : SN_GPU_CHIP_DEFAULT) : "");
  add_text(hash, c->cpu);
  if (c->cpu || c->gpu) // host code of a library for a GPU is for any
    return;
  char *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  add_text(hash, name);
  add_text(hash, features);
  LLVMDisposeMessage(name);
  LLVMDisposeMessage(features);
}

static void add_options(SnHash *hash, const SnJob *job) {
  const SinterCompiler *c = job->compiler;
  const char *texts[] = {c->policy,
                         c->without,
                         c->sums,
                         c->input_dialect,
                         c->wrt,
                         c->result,
                         c->entry,
                         c->after,
                         c->name,
                         job->file,
                         c->upstream ? "upstream" : "",
                         c->ptx ? "ptx" : "",
                         c->allow_tf32 ? "tf32" : "",
                         c->f32_parts ? "parts" : "",
                         c->half_weights ? "half weights" : "",
                         c->clocks ? "clocks" : "",
                         c->again ? c->again : "",
                         c->parts_from ? c->parts_from : "",
                         c->launches};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    add_text(hash, texts[i]);
  size_t size = 0;
  char *tuning = *c->tuning ? sn_read_all(c->tuning, &size) : NULL; // what is in it, not its name
  if (tuning)
    sn_shim_hash_add(hash, tuning, size);
  free(tuning);
}

static void spell(const unsigned char digest[32], char *text) {
  for (int i = 0; i < 32; ++i)
    snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

bool sn_cache_key(SnJob *job, MlirModule module, SnCacheKey *key) {
  if (!job->compiler->cache)
    return false;
  SnHash *hash = sn_shim_hash_new();
  unsigned char digest[32];
  add_versions(hash);
  add_options(hash, job);
  add_processor(hash, job->compiler);
  add_module(hash, module, sn_wants_names(job->compiler));
  sn_shim_hash_end(hash, digest);
  spell(digest, key->text);
  return true;
}

// ---- an entry -----------------------------------------------------------------------------------

typedef struct {
  char magic[8];
  uint64_t object_size, constants_size, header_size, name_size; // name_size with its 0
  unsigned char digest[32];                                     // of all that follows
} Head;
static const char magic[8] = "sinter2";

static void digest_of(const char *bytes, size_t size, unsigned char digest[32]) {
  SnHash *hash = sn_shim_hash_new();
  sn_shim_hash_add(hash, bytes, size);
  sn_shim_hash_end(hash, digest);
}

static char *copy_of(const char *bytes, size_t size) {
  char *copy = sn_alloc(size + 1);
  memcpy(copy, bytes, size);
  return copy;
}

// NULL: the bytes are no entry.
static SinterProgram *decode(const char *bytes, size_t size, bool gpu) {
  Head head;
  unsigned char digest[32];
  if (size < sizeof head)
    return NULL;
  memcpy(&head, bytes, sizeof head);
  bytes += sizeof head;
  size -= sizeof head;
  if (memcmp(head.magic, magic, sizeof magic) || head.object_size > size || head.constants_size > size ||
      head.header_size > size || head.name_size > size || !head.name_size ||
      head.object_size + head.constants_size + head.header_size + head.name_size != size)
    return NULL;
  digest_of(bytes, size, digest);
  if (memcmp(head.digest, digest, sizeof digest))
    return NULL;
  SinterProgram *p = sn_program_new();
  p->gpu = gpu;
  p->cached = true;
  p->object = copy_of(bytes, p->object_size = head.object_size);
  bytes += head.object_size;
  sn_program_room(p, head.constants_size);
  if (p->constants)
    memcpy(p->constants, bytes, p->constants_size);
  bytes += head.constants_size;
  p->header = copy_of(bytes, p->header_size = head.header_size);
  p->name = copy_of(bytes + head.header_size, head.name_size);
  return p;
}

static char *encode(const SinterProgram *p, size_t *size) {
  Head head = {.object_size = p->object_size,
               .constants_size = p->constants_size,
               .header_size = p->header_size,
               .name_size = strlen(p->name) + 1};
  memcpy(head.magic, magic, sizeof magic);
  *size = sizeof head + p->object_size + p->constants_size + p->header_size + head.name_size;
  char *bytes = sn_alloc(*size), *at = bytes + sizeof head, *to = at;
  memcpy(to, p->object, p->object_size);
  to += p->object_size;
  if (p->constants)
    memcpy(to, p->constants, p->constants_size);
  to += p->constants_size;
  memcpy(to, p->header, p->header_size);
  memcpy(to + p->header_size, p->name, head.name_size);
  digest_of(at, *size - sizeof head, head.digest);
  memcpy(bytes, &head, sizeof head);
  return bytes;
}

static void path_of(const SnJob *job, const SnCacheKey *key, char *path, size_t size) {
  snprintf(path, size, "%s/%s.sinter", job->compiler->cache, key->text);
}

SinterProgram *sn_cache_find(SnJob *job, const SnCacheKey *key) {
  char path[PATH_MAX];
  size_t size = 0;
  path_of(job, key, path, sizeof path);
  char *bytes = sn_read_all(path, &size);
  SinterProgram *p = bytes ? decode(bytes, size, job->compiler->gpu) : NULL;
  if (p)
    utimensat(AT_FDCWD, path, NULL, 0); // it was used; who may only read keeps the order
  free(bytes);
  return p;
}

// ---- how much there is --------------------------------------------------------------------------

typedef struct {
  char name[96];
  int64_t bytes;
  struct timespec used;
} Entry;
typedef SN_VEC(Entry) Entries;

static int by_use(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

// Entries, and what writers that ended early left an hour ago; nothing else in the folder is ours.
static Entries list(int folder, DIR *dir) {
  Entries all = {0};
  time_t now = time(NULL);
  for (struct dirent *e; (e = readdir(dir));) {
    struct stat s;
    const char *suffix = strstr(e->d_name, ".sinter");
    Entry entry = {.bytes = 0};
    if (suffix != e->d_name + 64 || strlen(e->d_name) >= sizeof entry.name || fstatat(folder, e->d_name, &s, 0))
      continue;
    if (suffix[7] && s.st_mtime + 3600 < now)
      unlinkat(folder, e->d_name, 0);
    if (suffix[7])
      continue;
    snprintf(entry.name, sizeof entry.name, "%s", e->d_name);
    entry.bytes = s.st_size;
    entry.used = s.st_mtim;
    sn_push(&all, entry);
  }
  return all;
}

static void make_room(const SinterCompiler *c, const char *newest) {
  DIR *dir = opendir(c->cache);
  if (!dir)
    return;
  Entries all = list(dirfd(dir), dir);
  int64_t bytes = 0;
  for (size_t i = 0; i < all.size; ++i)
    bytes += all.data[i].bytes;
  if (all.size)
    qsort(all.data, all.size, sizeof *all.data, by_use);
  for (size_t i = 0; i < all.size && bytes > c->cache_bytes; ++i) {
    if (!strncmp(all.data[i].name, newest, 64))
      continue;
    unlinkat(dirfd(dir), all.data[i].name, 0); // who reads it reads on
    bytes -= all.data[i].bytes;
  }
  sn_vec_free(&all);
  closedir(dir);
}

void sn_cache_keep(SnJob *job, const SnCacheKey *key, const SinterProgram *p) {
  char path[PATH_MAX];
  size_t size;
  path_of(job, key, path, sizeof path);
  char *bytes = encode(p, &size);
  if (mkdir(job->compiler->cache, 0777) && errno != EEXIST)
    sn_job_warning(job, "the cache %s cannot be made: %s", job->compiler->cache, strerror(errno));
  else if (!sinter_file_write(path, bytes, size, false))
    sn_job_warning(job, "the cache cannot write %s: %s", path, strerror(errno));
  else
    make_room(job->compiler, key->text);
  free(bytes);
}
