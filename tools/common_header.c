// common_header.c: the C header that says how to call a library.

#include "lowering/host.h"
#include "runtime/file.h"
#include "tools/common_link.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

static const char head[] =
    "// DLPack's tensors; a copy of what is needed where its header is not installed.\n"
    "#if defined(__has_include)\n"
    "#if __has_include(<dlpack/dlpack.h>)\n"
    "#include <dlpack/dlpack.h>\n"
    "#endif\n"
    "#endif\n"
    "#include <stdint.h>\n"
    "#ifndef DLPACK_DLPACK_H_\n"
    "#define DLPACK_DLPACK_H_\n"
    "typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 } DLDeviceType;\n"
    "typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4 } DLDataTypeCode;\n"
    "typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;\n"
    "typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;\n"
    "typedef struct {\n"
    "  void *data;\n"
    "  DLDevice device;\n"
    "  int32_t ndim;\n"
    "  DLDataType dtype;\n"
    "  int64_t *shape, *strides;\n"
    "  uint64_t byte_offset;\n"
    "} DLTensor;\n"
    "#endif\n\n";

static const char rules[] = "// A call\n"
                            "//\n"
                            "// * takes one DLTensor for each input and each output, in the order "
                            "below; the caller allocates the\n"
                            "//   outputs, and a call overwrites all of their elements. An output "
                            "overlaps no other tensor.\n"
                            "// * Tensors are row-major and contiguous: strides is NULL or says "
                            "so. data + byte_offset is a multiple\n"
                            "//   of 16 bytes (of one element: of its size). bool is a byte that "
                            "holds 0 or 1, kDLUInt of 8 bits.\n"
                            "// * workspace holds NAME_workspace() bytes, aligned to 64; the call "
                            "uses it until it is complete.\n"
                            "//   %s\n"
                            "// * stream %s\n"
                            "// * Functions may be called from several threads at once, with "
                            "outputs and workspaces of their own.\n"
                            "// * The answer is a status: 0 done; 1 an assert of the program "
                            "failed; 2 a tensor that is not as below;\n"
                            "//   3 no device or no driver; 4 out of memory; 5 the device failed; "
                            "6 not supported on this machine.\n"
                            "//   sinter_library.last_error() has the reason in words (struct "
                            "SinterLibrary is in <sinter/abi.h>).\n\n";

static const char cpu_workspace[] = "NULL: the call allocates it.";
static const char gpu_workspace[] = "It lies on the device; NULL only where it is 0 bytes.";
static const char cpu_stream[] =
    "is not used: a call is complete when it returns. Tensors are on kDLCPU.";
static const char gpu_stream[] =
    "is a CUstream (NULL: the default one), on which kernels are queued: the call does\n"
    "//   not wait for them. Tensors are on kDLCUDA, all on one device. A call allocates nothing there.\n"
    "//   The first call on a device loads the kernels: it cannot be captured into a graph, later ones can\n"
    "//   (or sinter_library.extension->prepare before, which only loads).";

static void put(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, user); }

// Its name, and what it is the gradient of.
static void describe_facts(FILE *file, bool input, MlirAttribute facts) {
  MlirAttribute name = mlirDictionaryAttrGetElementByName(facts, SN_STR("name"));
  MlirAttribute of = mlirDictionaryAttrGetElementByName(facts, SN_STR("gradient_of"));
  if (name.ptr)
    fprintf(file, ", %s", mlirStringAttrGetValue(name).data);
  if (of.ptr)
    fprintf(file, input ? ", upstream gradient of outputs[%ld]" : ", gradient of inputs[%ld]",
            (long)mlirIntegerAttrGetValueInt(of));
}

static void describe(FILE *file, const char *what, bool input, MlirAttribute types,
                     MlirAttribute facts) {
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(types); ++i) {
    MlirType type = mlirTypeAttrGetValue(mlirArrayAttrGetElement(types, i));
    fprintf(file, "//   %s[%ld]: ", what, (long)i);
    if (mlirTypeIsAInteger(sn_element(type)) && sn_bits(sn_element(type)) == 1)
      fputs("bool", file);
    else
      mlirTypePrint(sn_element(type), put, file);
    fputs(sn_rank(type) ? " [" : ", one number", file);
    for (intptr_t d = 0; d < sn_rank(type); ++d)
      if (sn_dim(type, d) == SN_DYNAMIC)
        fprintf(file, "%s?", d ? ", " : "");
      else
        fprintf(file, "%s%ld", d ? ", " : "", (long)sn_dim(type, d));
    fputs(sn_rank(type) ? "]" : "", file);
    if (facts.ptr)
      describe_facts(file, input, mlirArrayAttrGetElement(facts, i));
    fputc('\n', file);
  }
}

static bool is_c_name(const char *name) {
  bool ok = isalpha((unsigned char)*name) || *name == '_';
  for (; ok && *name; ++name)
    ok = isalnum((unsigned char)*name) || *name == '_';
  return ok;
}

static void function(FILE *file, MlirOperation entry, size_t index) {
  const char *name = mlirStringAttrGetValue(sn_get_attr(entry, SN_FUNCTION)).data;
  fprintf(file, "// %s, workspace of %ld bytes\n//\n", name,
          (long)sn_int_attr(entry, SN_WORKSPACE_BYTES, 0));
  describe(file, "inputs", true, sn_get_attr(entry, SN_INPUTS), sn_get_attr(entry, SN_INPUT_FACTS));
  describe(file, "outputs", false, sn_get_attr(entry, SN_OUTPUTS), sn_get_attr(entry, SN_OUTPUT_FACTS));
  if (!is_c_name(name) || !strcmp(name, "main"))
    fprintf(file,
            "//\n// Not a name that C leaves to a library: call it as "
            "sinter_library.functions[%zu].call.\n",
            index);
  else
    fprintf(file,
            "int32_t %s(DLTensor *const *inputs, DLTensor *const *outputs, void *stream, void "
            "*workspace);\n",
            name);
  if (is_c_name(name))
    fprintf(file, "int64_t %s_workspace(void);\n", name);
  if (is_c_name(name) && !mlirAttributeIsNull(sn_get_attr(entry, SN_SHAPES)))
    fprintf(file,
            "// Sizes of all outputs, one after another, from those of all inputs.\n"
            "void %s_shapes(const int64_t *inputs, int64_t *outputs);\n",
            name);
  fputc('\n', file);
}

static void guard_of(const char *path, char *guard, size_t size) {
  const char *slash = strrchr(path, '/');
  int n = snprintf(guard, size, "SINTER_%s", slash ? slash + 1 : path);
  for (int i = 0; i < n && guard[i]; ++i)
    guard[i] = isalnum((unsigned char)guard[i]) ? (char)toupper((unsigned char)guard[i]) : '_';
}

SinterExit tool_header(const Tool *tool, const char *path, MlirModule module, bool gpu) {
  SinterFile out;
  if (!sinter_file_create(&out, path, false))
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
  FILE *file = out.to;
  char guard[256];
  guard_of(path, guard, sizeof guard);
  fprintf(file, "// Compiled from %s by sinter-cc, for %s.\n\n", tool->file,
          gpu ? "NVIDIA's GPUs" : "the CPU");
  fprintf(file, "#ifndef %s\n#define %s\n\n%s", guard, guard, head);
  fprintf(file, rules, gpu ? gpu_workspace : cpu_workspace, gpu ? gpu_stream : cpu_stream);
  fprintf(file, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  SnOpVec all = sn_collect(mlirModuleGetOperation(module), "llvm.func");
  size_t index = 0;
  for (size_t i = 0; i < all.size; ++i)
    if (!mlirAttributeIsNull(sn_get_attr(all.data[i], SN_FUNCTION)))
      function(file, all.data[i], index++);
  sn_vec_free(&all);
  fprintf(file,
          "// The table of these functions, for a host that opens the library: <sinter/abi.h>.\n"
          "extern const struct SinterLibrary sinter_library;\n\n"
          "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  if (sinter_file_finish(&out))
    return SINTER_EXIT_OK;
  return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
}
