// header.c: the C header that says how to call a library.

#include "compiler/job.h"
#include "lowering/host/host.h"
#include "lowering/host/names.h"

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
                            "// * workspace holds FUNCTION_workspace() bytes, aligned to 64; the call "
                            "uses it until it is complete.\n"
                            "//   %s\n"
                            "// * stream %s\n"
                            "// * Functions may be called from several threads at once, with "
                            "outputs and workspaces of their own.\n"
                            "// * The answer is a status: 0 done; 1 an assert of the program "
                            "failed; 2 a tensor that is not as below;\n"
                            "//   3 no device or no driver; 4 out of memory; 5 the device failed; "
                            "6 not supported on this machine.\n"
                            "//   %s_library.last_error() has the reason in words (struct "
                            "SinterLibrary is in <sinter/abi.h>).\n\n";

static const char cpu_workspace[] = "NULL: the call allocates it.";
static const char gpu_workspace[] = "It lies on the device; NULL only where it is 0 bytes.";
static const char cpu_stream[] =
    "is not used: a call is complete when it returns. Tensors are on kDLCPU.";
static const char gpu_stream[] =
    "is a CUstream (NULL: the default one), on which kernels are queued: the call does\n"
    "//   not wait for them. Tensors are on kDLCUDA, all on one device. A call allocates nothing there.\n"
    "//   The first call on a device loads the kernels: it cannot be captured into a graph, later ones can\n"
    "//   (or the table's extension->prepare before, which only loads).";

// A name or a path in a comment: no newline, and no backslash that would join the next line, ends it; nothing in it
// looks like something else.
static void put_quoted(FILE *file, MlirStringRef text) {
  putc('"', file);
  for (size_t i = 0; i < text.length; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?') // of `?`, two and a slash are a backslash
      fprintf(file, "\\x%02x", c);
    else
      putc(c, file);
  }
  putc('"', file);
}

static void put(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, user); }

// Its name, and what it is the gradient of.
static void describe_facts(FILE *file, bool input, MlirAttribute facts) {
  MlirAttribute name = mlirDictionaryAttrGetElementByName(facts, SN_STR("name"));
  MlirAttribute of = mlirDictionaryAttrGetElementByName(facts, SN_STR("gradient_of"));
  if (name.ptr) {
    fputs(", ", file);
    put_quoted(file, mlirStringAttrGetValue(name));
  }
  if (of.ptr)
    fprintf(file, input ? ", upstream gradient of outputs[%ld]" : ", gradient of inputs[%ld]",
            (long)mlirIntegerAttrGetValueInt(of));
  MlirAttribute shares = mlirDictionaryAttrGetElementByName(facts, SN_STR("shares"));
  if (shares.ptr)
    fprintf(file, ", in the memory of inputs[%ld]", (long)mlirIntegerAttrGetValueInt(shares));
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
    if (sn_is_float8(sn_element(type)))
      fprintf(file, " (of DLPack 1.1: code %d, 8 bits)",
              mlirTypeIsAFloat8E5M2(sn_element(type)) ? SINTER_DL_FLOAT8_E5M2 : SINTER_DL_FLOAT8_E4M3FN);
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

static void function(FILE *file, MlirOperation entry, const char *program) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(entry, SN_FUNCTION));
  char *call = sn_c_name(program, name, NULL), *workspace = sn_c_name(program, name, "workspace");
  char *shapes = sn_c_name(program, name, "shapes");
  fputs("// ", file);
  put_quoted(file, name);
  fprintf(file, ", workspace of %ld bytes\n//\n", (long)sn_int_attr(entry, SN_WORKSPACE_BYTES, 0));
  describe(file, "inputs", true, sn_get_attr(entry, SN_INPUTS), sn_get_attr(entry, SN_INPUT_FACTS));
  describe(file, "outputs", false, sn_get_attr(entry, SN_OUTPUTS), sn_get_attr(entry, SN_OUTPUT_FACTS));
  fprintf(file, "int32_t %s(DLTensor *const *inputs, DLTensor *const *outputs, void *stream, void *workspace);\n",
          call);
  fprintf(file, "int64_t %s(void);\n", workspace);
  if (!mlirAttributeIsNull(sn_get_attr(entry, SN_SHAPES)))
    fprintf(file,
            "// Sizes of all outputs, one after another, from those of all inputs.\n"
            "void %s(const int64_t *inputs, int64_t *outputs);\n",
            shapes);
  fputc('\n', file);
  free(call);
  free(workspace);
  free(shapes);
}

void sn_header(FILE *file, const char *from, MlirModule module, const char *name, bool gpu) {
  fputs("// Compiled from ", file);
  put_quoted(file, SN_STR(from));
  fprintf(file, " by sinter-cc, for %s.\n\n", gpu ? "NVIDIA's GPUs" : "the CPU");
  // Two headers of one name may lie in two folders: the guard is of the program.
  fprintf(file, "#ifndef SINTER_PROGRAM_%s\n#define SINTER_PROGRAM_%s\n\n%s", name, name, head);
  fprintf(file, rules, gpu ? gpu_workspace : cpu_workspace, gpu ? gpu_stream : cpu_stream, name);
  fprintf(file, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  SnOpVec all = sn_collect(mlirModuleGetOperation(module), "llvm.func");
  for (size_t i = 0; i < all.size; ++i)
    if (!mlirAttributeIsNull(sn_get_attr(all.data[i], SN_FUNCTION)))
      function(file, all.data[i], name);
  sn_vec_free(&all);
  fprintf(file,
          "// The table of these functions: <sinter/abi.h>.\n"
          "extern const struct SinterLibrary %s_library;\n\n"
          "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
          name);
}
