// pipelines.c: the roads down the ladder, each one list, and their text.
//
// Upstream passes cannot be run from inside ours, so a road is a named pipeline
// of passes; the plugin, the tools and docs/ladder.md read these lists.
//
// new pass: its place on the roads that run it.

#include "pipelines/pipelines.h"
#include "target/chips.h"

// The tools verify only here and at a road's end (passes/program/legal.c).
#define VERIFY {"sinter-verify", "the same, which is legal", NULL}
#define VERIFY_KERNELS {"?policy!=disabled sinter-verify", "the same, which is legal", NULL}

static const char *const inputs[] = {"linalg", "tosa", NULL};
#define INPUT_OPTION {SN_OPTION_STRING, "input", "the dialect that the program is written in", "linalg", inputs}
static const SnOption prepare_options[] = {
    INPUT_OPTION,
    {SN_OPTION_STRING, "wrt", "arguments that the program is differentiated by later (sinter-known-sizes)", ""},
    {0}};
static const SnStep prepare_steps[] = {
    {"?input=tosa sinter-tosa", "tosa's arithmetic on shapes -> shapes, and what upstream has no lowering of", NULL},
    {"?input=tosa func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,tosa-make-broadcastable,"
     "tosa-to-scf)",
     "tosa.while_loop -> scf.while", NULL},
    {"?input=tosa func.func(tosa-to-linalg-named,canonicalize,tosa-layerwise-constant-fold,tosa-make-broadcastable,"
     "tosa-to-linalg)",
     "tosa.matmul -> linalg.matmul", NULL},
    {"?input=tosa tosa-to-arith{include-apply-rescale=true},tosa-to-tensor",
     "and what is not structured -> arith, tensor", NULL},
    {"sinter-elements", "arith on whole tensors -> linalg.generic", NULL},
    {"sinter-ordinary", "linalg.softmax, linalg.pack, ... -> linalg.generic", NULL},
    {"sinter-known-sizes{wrt='$wrt'}", "(n * 4) / 4 -> n; broadcasts of n to n are plain", NULL},
    {"canonicalize", "constants folded, dead results dropped", NULL},
    {"linalg-fold-unit-extent-dims", "37x1 and (d0, 0) -> 37 and (d0)", NULL},
    {"canonicalize", "reshapes that cancel are gone", NULL},
    {"sinter-concat", "slices of concatenations read pieces of them", NULL},
    {"sinter-reshape", "matmul(collapse_shape(x)) -> generic over x's own dimensions", NULL},
    {"canonicalize", "what the reshapes stood on is gone", NULL},
    {"sinter-known-sizes{wrt='$wrt'}", "sizes `?` of reshapes are those of the program", NULL},
    {"sinter-cse", "one op for each value", "prepared"},
    {0},
};
const SnPipeline sn_pipeline_prepare = {
    .argument = "sinter-prepare",
    .summary = "upstream's own clean-up of an exporter's linalg: unit dimensions, constants, common subexpressions",
    .options = prepare_options,
    .steps = prepare_steps,
};

// What both targets do with host code once no op of ours is left: tensors become
// buffers, results out arguments, ...
#define HOST_BUFFERS                                                                                                   \
  {"convert-elementwise-to-linalg", "arith on whole tensors -> linalg.generic", NULL},                                 \
      {"sinter-empty", "tensor.concat %x, %nothing -> %x", NULL},                                                      \
      {"sinter-destinations", "outs(%e) of all -> outs(%e1), outs(%e2), ...", NULL},                                   \
      {"sinter-boundary", "numbers -> tensors of rank 0; inputs are not written", NULL},                               \
      {"sinter-cut-chains", "many operations on one tensor -> calls of functions with a few of them each", NULL},      \
      {"one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops "                              \
       "function-boundary-type-conversion=identity-layout-map}",                                                       \
       "tensor<4x8xf32> -> memref<4x8xf32>", NULL},                                                                    \
      {"sinter-splice", "and those functions are where they were called", NULL},                                       \
      {"sinter-copy-parts", "memref.cast of a part to a dense buffer -> memref.alloc, memref.copy", NULL},             \
      {"sinter-branches", "%y = scf.if { memref.alloc } else { memref.alloc } -> %y = memref.alloc", NULL},            \
      {"sinter-results", "-> memref<?xf32> of a size that depends on data  ->  (%out), compared and copied", NULL},    \
      {"buffer-results-to-out-params{hoist-dynamic-allocs hoist-static-allocs modify-public-functions}",               \
       "-> memref<f32>  ->  (%out: memref<f32>)", NULL},                                                               \
      {"func.func(cse,canonicalize)",                                                                                  \
       "a subscript that several accesses share is one; casts and dead buffers are gone", NULL},                       \
      {"sinter-split-views", "memref.expand_shape in sizes `?` -> memref.reinterpret_cast", NULL},                     \
      {"sinter-count", "kernels, library calls and temporary bytes are counted where they happen", NULL},              \
      {"sinter-workspace", "memref.alloc -> memref.view of one workspace, which nobody frees", NULL},                  \
      {"sinter-deallocations", "memref.alloc -> memref.alloc, memref.dealloc", NULL},                                  \
      {"sinter-allocations", "the size of a buffer is a number before it is asked for", NULL}, VERIFY

// ... and machine code's own terms.
#define HOST_LLVM \
  {"memref-expand", "memref.reshape -> memref.reinterpret_cast", NULL}, \
  {"expand-strided-metadata", "memref.subview -> memref.reinterpret_cast", NULL}, \
  {"lower-affine", "affine.apply -> arith", NULL}, \
  {"convert-scf-to-cf", "scf.for -> branches", NULL}, \
  {"sinter-assert", "cf.assert -> a message and a return", NULL}, \
  {"sinter-entry", "@main -> @main_packed, which reads descriptors", NULL}, \
  {"arith-emulate-unsupported-floats{source-types=bf16,f8E4M3FN,f8E5M2 target-type=f32}", \
   "bf16 sums and products -> f32", NULL}, \
  {"sinter-short-floats", "conversions of floats of 8 bits -> integer arith", NULL}, \
  {"arith-expand{include-bf16=true}", "bf16 and ceildivsi -> integer arith", NULL}, \
  {"convert-vector-to-llvm", "vector -> llvm", NULL}, \
  {"convert-math-to-llvm{approximate-log1p=false}", "math.sqrt -> llvm.intr.sqrt", NULL}, \
  {"convert-math-to-libm", "math.erf : f64 -> call @erf", NULL}, \
  {"convert-to-llvm", "everything else -> llvm", NULL}, \
  {"reconcile-unrealized-casts", "memref and struct are one", NULL}, \
  {"sinter-place-constants", "llvm.mlir.global of a tensor -> an offset from one pointer", NULL}, \
  {"llvm.func(canonicalize)", "constants folded, dead blocks dropped", NULL}

static const char *const policies[] = {"disabled", "medium", "aggressive", NULL};
static const char *const yes_no[] = {"false", "true", NULL};
#define POLICY_OPTION \
  {SN_OPTION_STRING, "policy", "what becomes a kernel of ours: nothing; what is better as one; all that can", \
   "medium", policies}
#define EXPLAIN_OPTIONS \
  {SN_OPTION_STRING, "explain", "say what fused with what, and why no more (sinter-explain)", "false", yes_no}, \
  {SN_OPTION_STRING, "explain-file", "where to: a file, of HTML by its suffix; - is stdout; empty: stderr", ""}
#define GRADIENT_OPTIONS \
  {SN_OPTION_STRING, "wrt", "arguments, as in 0,w, whose gradients @main returns too (sinter-differentiate)", ""}, \
  {SN_OPTION_STRING, "result", "which of its results they are the gradients of", "0"}, \
  {SN_OPTION_STRING, "upstream", "@main takes the gradient with respect to its result", "false", yes_no}
#define CONSTANTS_OPTION \
  {SN_OPTION_STRING, "constants", "a folder: dense_resource<w> that has no bytes in the program is in w.npy", ""}
#define TUNING_OPTION {SN_OPTION_STRING, "tuning", "a file of measured schedules (sinter-tune)", ""}
static const char *const withouts[] = {"nothing", "chains", "turns", "sides", NULL};
static const char *const all_launches[] = {"given", "separate", "one", "worth", NULL};
static const char *const sums[] = {"same", "wide", NULL};
static const char *const exponentials[] = {"polynomial", "avx512", NULL};
static const char *const bf16_rounding[] = {"integers", "native", NULL};
static const char *const weights[] = {"parts", "half", NULL};
static const SnOption cpu_options[] = {
    INPUT_OPTION,
    POLICY_OPTION,
    EXPLAIN_OPTIONS,
    GRADIENT_OPTIONS,
    TUNING_OPTION,
    CONSTANTS_OPTION,
    {SN_OPTION_STRING, "without", "what fusion leaves apart, to compare (sinter-fuse)", "nothing", withouts},
    {SN_OPTION_STRING, "sums", "same: of the type that is written; wide: in float64, for a reference", "same", sums},
    {SN_OPTION_STRING, "prefetch",
     "bytes ahead that loops over long operands ask memory for, on processors that do not look ahead far enough", "0"},
    {SN_OPTION_STRING, "registers", "vector registers that the processor has", "32"},
    {SN_OPTION_STRING, "features", "instructions that it has, by LLVM's names, with commas", "avx2,fma,avx512f"},
    {SN_OPTION_STRING, "exp", "how exp is computed: by a polynomial, or with an instruction of AVX-512", "polynomial",
     exponentials},
    {SN_OPTION_STRING, "bf16",
     "how f32 is rounded to bf16: by integers, or by an instruction that the processor has (it takes numbers below "
     "2^-126 for 0)",
     "integers", bf16_rounding},
    {SN_OPTION_STRING, "f32-parts", "products in f32 may take sides as sums of three bf16", "false", yes_no},
    {SN_OPTION_STRING, "weights", "rows in f32 that a half matrix multiplies: as they are, or rounded", "parts",
     weights},
    {SN_OPTION_STRING, "launches",
     "given: every kernel is a parallel region, and small tables of arguments share one; separate: every kernel is "
     "one; one: kernels that follow each other share one; worth: where that is worth it (sinter-sequence)",
     "given", all_launches},
    {0},
};
// A quotient that minds overflow chooses among infinities, of which the gradient is NaN.
#define COMPLEX_PARTS \
  {"?wrt= convert-complex-to-standard", "complex numbers that are not stored -> their parts", NULL}, \
  {"?wrt!= convert-complex-to-standard{complex-range=basic}", "for gradients: quotients without cases", NULL}
static const SnStep cpu_steps[] = {
    {"sinter-constants{from='$constants'}", "constants: large ones are bytes that no pass reads", NULL},
    {"lift-cf-to-scf,sinter-control", "branches, affine.for -> scf.while, scf.for, ...", NULL},
    COMPLEX_PARTS,
    {"sinter-unit-slices", "a slice that leaves out one of two sizes of 1 -> a slice, a reshape", NULL},
    {"sinter-guard-reshapes", "reshapes, concatenations and paddings have the sizes of their operands", NULL},
    {"sinter-sequence{launches=separate}", "forms of a sequence are kernels by themselves", NULL},
    {"sinter-expand", "losses and row functions -> kernel forms", "expanded"},
    {"sinter-elements", "arith on whole tensors -> linalg.generic", NULL},
    {"sinter-inline", "calls between the program's functions are gone", NULL},
    {"symbol-dce", "and so are functions that nobody calls", NULL},
    {"?wrt= sinter-cut-nests", "branches deep in each other -> calls of functions that have 8 levels each", NULL},
    {"?policy!=disabled sinter-one-place{wrt='$wrt'}", "a scatter into one place -> a choice at each element", NULL},
    {"?policy=disabled sinter-bags{wrt='$wrt' gradients=true}",
     "embedding bags that are differentiated -> sinter.steps", NULL},
    {"?policy!=disabled sinter-bags{wrt='$wrt'}", "embedding bags as torch-mlir writes them -> sinter.steps", NULL},
    {"sinter-prepare{input=$input wrt='$wrt'}", "an exporter's linalg, cleaned up", "prepared"},
    VERIFY,
    {"sinter-corners{wrt='$wrt'}", "for gradients: a > b ? a : b -> arith.maximumf, and the like", NULL},
    {"?policy=disabled sinter-differentiate{wrt='$wrt' result=$result upstream=$upstream}",
     "gradients -> the forms that compute them", NULL},
    {"?policy=disabled sinter-tm-tensor{counted=96}",
     "tm_tensor's cumulative sums, sorts and scatters -> sinter.steps", NULL},
    {"?policy=disabled sinter-decompose", "forms that the program was written in -> linalg", NULL},
    {"?sums=wide sinter-widen", "sums in f32 -> in f64", NULL},
    {"?policy!=disabled sinter-decompose{forms=refused}", "a form that no kernel can be yet -> linalg, it alone", NULL},
    {"?policy!=disabled sinter-raise{reasons=$explain}", "linalg -> kernel forms", "raised"},
    VERIFY_KERNELS,
    {"?policy!=disabled sinter-split{keep-sides=true}", "forms of several products -> forms of one group of columns",
     NULL},
    {"?policy!=disabled sinter-differentiate{wrt='$wrt' result=$result upstream=$upstream}",
     "gradients -> the forms that compute them", "differentiated"},
    {"?wrt!= sinter-cut-nests", "branches deep in each other, and their gradients -> calls, too", NULL},
    VERIFY_KERNELS,
    {"?policy!=disabled sinter-known-sizes{wrt='$wrt'}", "sizes `?` that gradients ask for are those of the program",
     NULL},
    {"?policy!=disabled sinter-tm-tensor{counted=96}",
     "tm_tensor's cumulative sums, sorts and scatters -> sinter.steps", NULL},
    {"?policy!=disabled sinter-all-turns", "a product in a loop of what no turn makes -> one of all turns", NULL},
    {"?explain=true sinter-explain{record=true}", "what is there before fusion is kept as an attribute", NULL},
    {"?without=nothing sinter-fuse{policy=$policy without=chains}", "several forms -> one, and no chains", NULL},
    {"?policy!=disabled sinter-behind-products{weights=$weights floats=true}",
     "factors of sides go behind their products", NULL},
    {"?policy!=disabled sinter-fuse{policy=$policy without=$without}", "several forms -> one", NULL},
    {"?policy!=disabled sinter-behind-products{weights=$weights floats=true}",
     "extf %q * c, extf %k * c, in f32 -> %q, %k, times c * c", NULL},
    {"?policy!=disabled sinter-shared-products", "products of one row that share a side -> rows of one product", NULL},
    {"?policy!=disabled sinter-split{target=cpu reasons=$explain}",
     "products that one kernel had better not multiply -> others", NULL},
    {"?without=nothing sinter-fuse{policy=$policy without=chains}", "which may be one with their neighbours", "fused"},
    VERIFY_KERNELS,
    {"?explain=true sinter-explain{policy=$policy output='$explain-file' target=cpu "
     "registers=$registers features='$features'}",
     "what was fused, and what not and why, is said", "explained"},
    {"?policy!=disabled sinter-decompose{forms=refused}", "and what fusion made of the kind", NULL},
    {"?policy!=disabled sinter-channel-order", "images [n, c, y, x] between images [n, y, x, c] -> [n, y, x, c]", NULL},
    {"?policy!=disabled sinter-transposed-convolutions",
     "products by an image with zeros in between -> one product for each phase", NULL},
    {"?policy!=disabled sinter-thin-products",
     "a sum of one product -> a product, one column -> a sum of each row", NULL},
    {"?policy!=disabled sinter-channel-lanes",
     "windows of each channel, of lines shorter than a vector -> channels side by side", NULL},
    {"?policy!=disabled sinter-channels-last{registers=$registers features='$features' f32-parts=$f32-parts}",
     "windows of short lines, or read for few filters -> an image whose channels are last", NULL},
    {"?policy!=disabled sinter-padded-windows{registers=$registers features='$features' f32-parts=$f32-parts}",
     "windows beyond the edges of an image that kernels read in place -> an image with what is there", NULL},
    {"?policy!=disabled sinter-turned-weights{registers=$registers features='$features' f32-parts=$f32-parts}",
     "few columns of weights [k, j] -> [j, k]", NULL},
    {"?policy!=disabled sinter-long-rows", "rows of two elements that lie together -> one row", NULL},
    {"?policy!=disabled sinter-turned-taps{registers=$registers features='$features' f32-parts=$f32-parts}",
     "a window's weights [c, r, s] whose lanes are c -> [r, s, c]", NULL},
    {"?policy!=disabled sinter-in-place", "a cache that is given back, a position of it new -> that position stored",
     NULL},
    {"sinter-ranges", "what random arguments have to be is noted: labels in range", NULL},
    {"sinter-guard", "what is read by a subscript is inside, and no integer is divided by zero", NULL},
    {"sinter-sizes", "sizes that have to agree are compared at run time", NULL},
    {"?policy!=disabled sinter-schedule{target=cpu registers=$registers features='$features' prefetch=$prefetch "
     "f32-parts=$f32-parts tuning='$tuning'}",
     "each form gets its schedule", "scheduled"},
    VERIFY,
    {"?policy!=disabled sinter-pack-weights", "weights that are constants -> as their kernel multiplies them", NULL},
    {"?policy!=disabled sinter-schedule{target=cpu registers=$registers features='$features' prefetch=$prefetch}",
     "what packs arguments gets its schedule", NULL},
    {"?policy!=disabled sinter-sequence{target=cpu launches=$launches reasons=$explain}",
     "kernels that follow each other -> one parallel region", NULL},
    {"?policy!=disabled sinter-schedule{target=cpu registers=$registers features='$features' prefetch=$prefetch}",
     "which gets its waits", NULL},
    {"?explain=true sinter-explain{of=sequences output='$explain-file'}", "what waits for what is said, too", "joined"},
    {"sinter-names", "@exp -> @exp_host, which is nobody else's name", NULL},
    {"?policy!=disabled sinter-outline", "each form -> a function on memrefs", "outlined"},
    {"?policy!=disabled sinter-few-rows{registers=$registers features='$features' prefetch=$prefetch}",
     "products of `?` rows -> another kernel for few of them", NULL},
    {"?policy!=disabled sinter-cost", "what a run of each moves and computes is noted", NULL},
    {"?policy!=disabled sinter-lower-cpu", "each kernel function -> loops and calls of the runtime", NULL},
    VERIFY_KERNELS,
    HOST_BUFFERS,
    {"sinter-separate", "linalg.generic -> a call of a function that has it", NULL},
    {"convert-linalg-to-loops", "linalg.generic -> scf.for", NULL},
    {"func.func(canonicalize,cse)", "loops that run once are gone; one op for each value", NULL},
    {"convert-vector-to-scf", "vector.transfer_read -> vector.load", NULL},
    {"math-extend-to-supported-types", "math.exp : bf16 -> f32", NULL},
    {"arith-emulate-unsupported-floats{source-types=bf16,f16 target-type=f32}", "bf16 sums and products -> f32", NULL},
    {"sinter-math{bf16=$bf16 exp=$exp}", "math.exp -> a polynomial", NULL},
    HOST_LLVM,
    {"cse", "LLVM's dialect alone", "lowered"},
    {0},
};
const SnPipeline sn_pipeline_cpu = {
    .argument = "sinter-cpu",
    .summary = "linalg on tensors to LLVM's dialect for the CPU",
    .options = cpu_options,
    .steps = cpu_steps,
};

static const char *const formats[] = SN_GPU_FORMATS;
static const SnOption gpu_options[] = {
    INPUT_OPTION,
    POLICY_OPTION,
    EXPLAIN_OPTIONS,
    GRADIENT_OPTIONS,
    TUNING_OPTION,
    CONSTANTS_OPTION,
    {SN_OPTION_STRING, "chip", "the architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT},
    {SN_OPTION_STRING, "allow-tf32", "what products in f32 multiply may be rounded to tf32", "false", yes_no},
    {SN_OPTION_STRING, "f32-parts", "products in f32 may take sides as sums of three bf16", "false", yes_no},
    {SN_OPTION_STRING, "parts-from",
     "bytes of products in f32 from which on rows that are multiplied again are multiplied so, and never stored",
     SN_GPU_PARTS_FROM_DEFAULT},
    {SN_OPTION_STRING, "weights", "rows in f32 that a half matrix multiplies: in two parts, or rounded", "parts",
     weights},
    {SN_OPTION_STRING, "launches",
     "separate: every kernel has one; one: kernels that follow each other share one; worth: where that is worth it "
     "(sinter-sequence)",
     "given", all_launches},
    {SN_OPTION_STRING, "clocks", "kernels that have phases keep when blocks began and ended them", "false", yes_no},
    {SN_OPTION_STRING, "stored",
     "bytes of a product from which on its rows, where they are only reduced, are so in its tiles (sinter-split)",
     SN_GPU_STORED_DEFAULT},
    {SN_OPTION_STRING, "again",
     "bytes of a product, and of what is made of its rows, from which on both are made again in parts (sinter-split)",
     SN_GPU_AGAIN_DEFAULT},
    {SN_OPTION_STRING, "features",
     "the PTX version and other features of LLVM's target; empty: the oldest that has the chip", ""},
    {SN_OPTION_STRING, "format", "what is embedded: a cubin, both, PTX (which the driver compiles), or LLVM's bitcode",
     "bin", formats},
    {SN_OPTION_STRING, "toolkit", "folder of a CUDA toolkit; empty: CUDA_HOME, PATH, /usr/local/cuda", ""},
    {0},
};
static const SnStep gpu_steps[] = {
    {"sinter-constants{from='$constants'}", "constants: large ones are bytes that no pass reads", NULL},
    {"lift-cf-to-scf,sinter-control", "branches, affine.for -> scf.while, scf.for, ...", NULL},
    COMPLEX_PARTS,
    {"sinter-unit-slices", "a slice that leaves out one of two sizes of 1 -> a slice, a reshape", NULL},
    {"sinter-guard-reshapes", "reshapes, concatenations and paddings have the sizes of their operands", NULL},
    {"sinter-sequence{launches=given wrt='$wrt'}", "what is differentiated is no sequence", NULL},
    {"sinter-expand", "losses and row functions -> kernel forms", "expanded"},
    {"sinter-elements", "arith on whole tensors -> linalg.generic", NULL},
    {"sinter-inline", "calls between the program's functions are gone", NULL},
    {"symbol-dce", "and so are functions that nobody calls", NULL},
    {"?wrt= sinter-cut-nests", "branches deep in each other -> calls of functions that have 8 levels each", NULL},
    {"?policy!=disabled sinter-one-place{wrt='$wrt'}", "a scatter into one place -> a choice at each element", NULL},
    {"sinter-prepare{input=$input wrt='$wrt'}", "an exporter's linalg, cleaned up", NULL},
    {"sinter-elements", "a branch that gives one of two tensors, by now arith.select -> linalg.generic", "prepared"},
    VERIFY,
    {"sinter-corners{wrt='$wrt'}", "for gradients: a > b ? a : b -> arith.maximumf, and the like", NULL},
    {"sinter-raise{reasons=$explain}", "linalg -> kernel forms", "raised"},
    VERIFY,
    {"sinter-gpu-fallback{of=given}", "schedules that no kernel of a GPU has are gone", NULL},
    {"sinter-split", "forms of several products -> plain ones, which all that follows takes", NULL},
    {"sinter-differentiate{wrt='$wrt' result=$result upstream=$upstream}", "gradients -> the forms that compute them",
     "differentiated"},
    VERIFY,
    {"?wrt!= sinter-cut-nests", "branches deep in each other, and their gradients -> calls, too", NULL},
    {"sinter-tm-tensor", "tm_tensor's cumulative sums, sorts and scatters -> sinter.steps", NULL},
    {"sinter-raise", "slices of what they give -> kernel forms", NULL},
    {"sinter-all-turns", "a product in a loop of what no turn makes -> one of all turns", NULL},
    {"?explain=true sinter-explain{record=true}", "what is there before fusion is kept as an attribute", NULL},
    {"sinter-turned-sums{chip=$chip of=waiting launches=$launches}",
     "a sum over the first dimension, and x / it -> rows of both", NULL},
    {"?launches=one sinter-single-queries{chip=$chip launches=one}",
     "a softmax's rows by the values of each head -> products", NULL},
    {"?weights=half sinter-fuse{policy=$policy target=gpu without=chains}", "several forms -> one, and no chains",
     NULL},
    {"?weights=half sinter-behind-products{weights=half}", "products of halves go on from rows of halves", NULL},
    {"?f32-parts=true sinter-fuse{policy=$policy target=gpu without=chains}", "several forms -> one, and no chains",
     NULL},
    {"?f32-parts=true sinter-behind-products{floats=true}", "factors of sides in f32 go behind their products", NULL},
    {"?f32-parts=false sinter-fuse{policy=$policy target=gpu without=chains of-parts=true parts-from=$parts-from}",
     "several forms -> one, and no chains, where rows in f32 may be multiplied in parts", NULL},
    {"?f32-parts=false sinter-behind-products{floats=true parts-from=$parts-from}",
     "factors of their sides go behind these products", NULL},
    {"sinter-fuse{policy=$policy target=gpu f32-parts=$f32-parts parts-from=$parts-from}", "several forms -> one",
     NULL},
    {"?launches!=one sinter-single-queries{chip=$chip}",
     "one query of each head, by keys, a softmax, by values -> products, which may be one kernel", NULL},
    {"sinter-split-groups", "x[i, j] / s[i, j floordiv 4] -> x[i, g * 4 + c] / s[i, g]", NULL},
    {"sinter-fuse{policy=$policy target=gpu without=turns f32-parts=$f32-parts parts-from=$parts-from}",
     "with what makes a number for each group", NULL},
    {"sinter-behind-products{weights=$weights}", "extf %q * c, extf %k * c, in f32 -> %q, %k, times c * c", NULL},
    {"sinter-head-groups{f32-parts=$f32-parts parts-from=$parts-from}",
     "%q[b, h, i, k], %k[b, h floordiv 8, j, k] -> %q[b, h, g, i, k], %k[b, h, j, k]", NULL},
    {"sinter-split{target=gpu reasons=$explain launches=$launches stored=$stored again=$again f32-parts=$f32-parts "
     "parts-from=$parts-from}",
     "products that one kernel cannot multiply -> others", "fused"},
    VERIFY,
    {"?explain=true sinter-explain{policy=$policy output='$explain-file' target=gpu chip=$chip}",
     "what was fused, and what not and why, is said", "explained"},
    {"sinter-split{target=gpu launches=$launches stored=$stored again=$again f32-parts=$f32-parts "
     "parts-from=$parts-from}",
     "what a GPU's kernels cannot hold -> plain forms", NULL},
    {"sinter-loops", "linalg that is no form -> sinter.steps, a kernel of plain loops", NULL},
    {"sinter-in-place", "a cache that is given back, a position of it new -> that position stored", NULL},
    {"sinter-ranges", "what random arguments have to be is noted: labels in range", NULL},
    {"sinter-guard", "no integer is divided by zero", NULL},
    {"sinter-sizes", "sizes that have to agree are compared at run time", NULL},
    {"sinter-columns-apart{chip=$chip}", "sums of columns that are slow beside their rows -> a form of their own",
     NULL},
    {"sinter-variances", "squares about a mean -> sums that wait for no other", NULL},
    {"sinter-turned-sums{chip=$chip}", "what rows are reduced to, for each column -> rows of their own", NULL},
    {"sinter-long-columns", "few columns, each reduced along a length `?` -> pieces, if they are few", NULL},
    {"sinter-arrange{chip=$chip allow-tf32=$allow-tf32 f32-parts=$f32-parts}",
     "sides that copies cannot take -> tensors that they can", NULL},
    {"sinter-parted-rows{chip=$chip launches=$launches}",
     "a loop's rows that are read in parts -> sums of who reads them", NULL},
    {"sinter-half-sums", "sums in f64 of half elements -> of f32, a few at a time", NULL},
    {"sinter-schedule{target=gpu chip=$chip allow-tf32=$allow-tf32 f32-parts=$f32-parts parts-from=$parts-from "
     "tuning='$tuning'}",
     "each form gets its #sinter.gpu_rows", NULL},
    {"sinter-gpu-fallback", "a form that no kernel of a GPU can be -> linalg, it alone", NULL},
    {"func.func(linalg-fuse-elementwise-ops)", "of which elements go from one to the next without memory", NULL},
    {"sinter-loops", "and that -> sinter.steps", NULL},
    {"sinter-sequence{launches=$launches chip=$chip reasons=$explain}", "kernels that follow each other -> one launch",
     NULL},
    {"sinter-schedule{target=gpu chip=$chip allow-tf32=$allow-tf32 f32-parts=$f32-parts parts-from=$parts-from "
     "clocks=$clocks}",
     "which get theirs", "scheduled"},
    {"?explain=true sinter-explain{of=sequences output='$explain-file'}", "what waits for what is said, too", "joined"},
    VERIFY,
    {"sinter-names", "@exp -> @exp_host, which is nobody else's name", NULL},
    {"sinter-outline", "each form -> a function on memrefs", "outlined"},
    {"sinter-cost", "what a run of each moves and computes is noted", NULL},
    {"sinter-lower-gpu", "each kernel function -> gpu.func and its launch", "kernels"},
    VERIFY,
    {"gpu.module(math-extend-to-supported-types{extra-types=bf16,f16},"
     "arith-emulate-unsupported-floats{source-types=f8E4M3FN,f8E5M2 target-type=f32},"
     "sinter-short-floats{chip=$chip},canonicalize,cse,sinter-short-integers{chip=$chip},convert-scf-to-cf,"
     "convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true has-redux=true},convert-nvvm-to-llvm,"
     "convert-vector-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,canonicalize,cse,reconcile-unrealized-casts,"
     "sinter-adjacent,sinter-gpu-target{chip=$chip features=$features format=$format toolkit=$toolkit})",
     "gpu.func -> LLVM's dialect and NVVM", NULL},
    {"gpu-module-to-binary{format=$format toolkit=$toolkit}", "gpu.module -> gpu.binary, by LLVM and ptxas", "binary"},
    {"sinter-embed-gpu", "gpu.binary -> bytes in the host program", NULL},
    HOST_BUFFERS,
    {"memref-expand", "memref.reshape -> memref.load of sizes, memref.reinterpret_cast", NULL},
    {"sinter-gpu-memory", "memref.copy, memref.load, memref.alloc -> the driver's, on the call's stream", NULL},
    HOST_LLVM,
    {"cse", "LLVM's dialect alone", "lowered"},
    {0},
};
const SnPipeline sn_pipeline_gpu = {
    .argument = "sinter-gpu",
    .summary = "linalg on tensors to LLVM's dialect, with the kernels as a cubin for NVIDIA's GPUs inside",
    .options = gpu_options,
    .steps = gpu_steps,
};
