// gpu_target.c: which GPU a gpu.module is compiled for, and with what.
//
//   gpu.module @kernels {...}  ->  gpu.module @kernels [#nvvm.target<chip = "sm_90a", link = [".../libdevice.10.bc"],
//   ...>] {...}
//
// As nvvm-attach-target, and it finds NVIDIA's toolkit first: what is missing
// is said here in a sentence, not in the middle of serialisation. exp, log and their kin
// are functions of libdevice (within 2 ulp in f32); a module that calls none needs no libdevice.
//
// runs in: sinter-gpu, after convert-gpu-to-nvvm    test: test/lowering/gpu/gpu_target.mlir

#include "capi/pass.h"
#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/shell/shell.h"
#include "target/chips.h"
#include <stdio.h>
#include <unistd.h>

typedef struct {
  const char *chip, *features, *toolkit, *format;
} Options;

#define PATH_BYTES 4096

static bool there(char path[PATH_BYTES], const char *folder, const char *file) {
  return snprintf(path, PATH_BYTES, "%s/%s", folder, file) < PATH_BYTES && !access(path, R_OK);
}

// The folders where upstream looks for the toolkit, then its usual place.
static bool in_toolkit(char path[PATH_BYTES], const char *toolkit, bool usual, const char *file) {
  static const char *const variables[] = {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"};
  if (*toolkit)
    return there(path, toolkit, file);
  for (size_t i = 0; i < 3; ++i) {
    const char *folder = getenv(variables[i]);
    if (folder && *folder && there(path, folder, file))
      return true;
  }
  return usual && there(path, "/usr/local/cuda", file);
}

static bool on_path(char path[PATH_BYTES], const char *file) {
  const char *at = getenv("PATH");
  while (at && *at) {
    size_t n = strcspn(at, ":");
    char folder[PATH_BYTES];
    if (n && n < sizeof folder) {
      memcpy(folder, at, n);
      folder[n] = 0;
      if (there(path, folder, file))
        return true;
    }
    at += n + (at[n] == ':');
  }
  return false;
}

// The first function of libdevice that a module calls.
static MlirOperation library_function(MlirOperation module) {
  MlirOperation found = {0};
  SnOpVec functions = sn_collect(module, "llvm.func");
  for (size_t i = 0; i < functions.size && sn_null(found); ++i)
    if (!strncmp(mlirStringAttrGetValue(sn_get_attr(functions.data[i], "sym_name")).data, "__nv_", 5))
      found = functions.data[i];
  sn_vec_free(&functions);
  return found;
}

// What the launch gives of shared memory is declared without a size; how much it is says the host's call. Upstream has
// made a global of each piece, with the function's name and the piece's number.
static MlirLogicalResult declare_launched_shared(MlirOperation module) {
  SnOpVec functions = sn_collect(module, "llvm.func");
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i) {
    MlirContext ctx = mlirOperationGetContext(functions.data[i]);
    int64_t piece = sn_int_attr(functions.data[i], SN_GPU_LAUNCHED, -1);
    char name[512];
    if (piece < 0)
      continue;
    snprintf(name, sizeof name, "__wg_%s_%lld", mlirStringAttrGetValue(sn_get_attr(functions.data[i], "sym_name")).data,
             (long long)piece);
    MlirOperation global = sn_symbol(module, name);
    if (sn_null(global)) {
      result = sn_error(functions.data[i], "has shared memory of the launch, and there is no @%s", name);
      break;
    }
    sn_set_attr(global, "linkage", sn_parse_attr(ctx, "#llvm.linkage<external>"));
    sn_set_attr(global, "global_type", sn_parse_attr(ctx, "!llvm.array<0 x i8>"));
    mlirOperationRemoveAttributeByName(functions.data[i], SN_STR(SN_GPU_LAUNCHED));
  }
  sn_vec_free(&functions);
  return result;
}

// Tensor maps are passed by value, and not copied by each thread: copies of tiles need one where the host put it.
// (Upstream's conversion of a gpu.func drops such attributes.)
static void pass_maps(MlirOperation module) {
  SnOpVec functions = sn_collect(module, "llvm.func");
  for (size_t i = 0; i < functions.size; ++i) {
    MlirContext ctx = mlirOperationGetContext(module);
    int64_t maps = sn_int_attr(functions.data[i], SN_GPU_MAPS, 0);
    if (!maps)
      continue;
    MlirAttribute all = sn_get_attr(functions.data[i], "arg_attrs"),
                  map = sn_parse_attr(
                      ctx, "{llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}");
    intptr_t n = mlirArrayAttrGetNumElements(all);
    SN_VEC(MlirAttribute) to = {0};
    for (intptr_t a = 0; a < n; ++a)
      sn_push(&to, a < n - maps ? mlirArrayAttrGetElement(all, a) : map);
    sn_set_attr(functions.data[i], "arg_attrs", mlirArrayAttrGet(ctx, n, to.data));
    mlirOperationRemoveAttributeByName(functions.data[i], SN_STR(SN_GPU_MAPS));
    sn_vec_free(&to);
  }
  sn_vec_free(&functions);
}

// A schedule from elsewhere may ask for what the chip has not.
static MlirLogicalResult check_clusters(MlirOperation module, const Options *o, const SnGpuChip *chip) {
  SnOpVec functions = sn_collect(module, "llvm.func");
  MlirLogicalResult result = SN_OK;
  for (size_t i = 0; i < functions.size && !sn_failed(result); ++i) {
    MlirAttribute dims = sn_get_attr(functions.data[i], "nvvm.cluster_dim");
    int64_t size = dims.ptr ? mlirDenseI32ArrayGetElement(dims, 0) : 1;
    if (size > chip->largest_cluster)
      result = sn_error(functions.data[i], "its schedule has clusters of %lld blocks, and chip=%s %s", (long long)size,
                        o->chip, chip->largest_cluster == 1 ? "has no clusters" : "none so large");
  }
  sn_vec_free(&functions);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  const SnGpuChip *chip = sn_gpu_chip(o->chip);
  if (!chip)
    return sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
  const char *features = *o->features ? o->features : chip->features;
  char ptxas[PATH_BYTES], library[PATH_BYTES];
  bool assembles = strcmp(o->format, "isa") && strcmp(o->format, "offloading");
  if (assembles && !on_path(ptxas, "ptxas") && !in_toolkit(ptxas, o->toolkit, false, "bin/ptxas"))
    return sn_error(op,
                    "no ptxas, NVIDIA's assembler, to compile for %s: put it on PATH, or set CUDA_HOME or toolkit= to "
                    "the folder of a CUDA toolkit, or ask for PTX",
                    o->chip);
  if (sn_failed(check_clusters(op, o, chip)) || sn_failed(declare_launched_shared(op)))
    return SN_FAIL;
  pass_maps(op);
  MlirOperation function = library_function(op);
  char link[PATH_BYTES + 32] = "";
  if (!sn_null(function)) {
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(function, "sym_name"));
    if (!in_toolkit(library, o->toolkit, true, "nvvm/libdevice/libdevice.10.bc"))
      return sn_error(op,
                      "calls %.*s, and there is no libdevice.10.bc: set CUDA_HOME or toolkit= to the folder of a CUDA "
                      "toolkit, which has it in nvvm/libdevice",
                      (int)name.length, name.data);
    snprintf(link, sizeof link, ", link = [\"%s\"]", library);
  }
  char text[PATH_BYTES + 512];
  snprintf(text, sizeof text, "[#nvvm.target<O = 3, chip = \"%s\", features = \"%s\"%s>]", o->chip, features, link);
  MlirAttribute targets = mlirAttributeParseGet(run->ctx, SN_STR(text));
  if (!targets.ptr)
    return sn_error(op, "chip=%s features=%s is no target for NVIDIA's GPUs", o->chip, features);
  sn_set_attr(op, "targets", targets);
  mlirOperationRemoveAttributeByName(op, SN_STR(SN_GPU_LAYOUT)); // it was for the conversions
  return SN_OK;
}

static const char *const formats[] = SN_GPU_FORMATS;

static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "the architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(Options, chip)},
    {SN_OPTION_STRING, "features",
     "the PTX version and other features of LLVM's target; empty: the oldest that has the chip", "", NULL,
     offsetof(Options, features)},
    {SN_OPTION_STRING, "toolkit", "folder of a CUDA toolkit; empty: CUDA_HOME, PATH, /usr/local/cuda", "", NULL,
     offsetof(Options, toolkit)},
    {SN_OPTION_STRING, "format", "what gpu-module-to-binary will make: isa needs no ptxas", "bin", formats,
     offsetof(Options, format)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__gpu__(void);
MlirDialectHandle mlirGetDialectHandle__nvvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__gpu__, mlirGetDialectHandle__nvvm__, NULL};

const SnPass sn_pass_gpu_target = {
    .argument = "sinter-gpu-target",
    .summary = "which GPU a gpu.module is for; finds ptxas and libdevice",
    .anchor = "gpu.module",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
