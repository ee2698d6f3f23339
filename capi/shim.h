// shim.h: what mlir-c 22 has no entry for, one wrapper each, and the descriptors
// of passes and pipelines that the adaptor turns into MLIR's own. Implemented in
// C++ (capi/shim.cpp, capi/adaptor.cpp); nothing there decides anything about IR.

#ifndef SINTER_CAPI_SHIM_H
#define SINTER_CAPI_SHIM_H

#include "llvm-c/TargetMachine.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Rewrite.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- diagnostics ------------------------------------------------------------

void sn_shim_error(MlirOperation op, const char *text); // `error: 'dialect.op' op TEXT`
void sn_shim_remark(MlirOperation op, const char *text);

// A module from text, with the file's name in its locations; null, after a diagnostic, if it is none.
// Where `names` is true, locations of functions' arguments have the names that the text has: `%x` is loc("x").
MlirModule sn_shim_parse(MlirContext ctx, const char *text, size_t size, const char *name, bool names);
// The same of what an llvm::SourceMgr holds, which is no bytecode.
MlirModule sn_shim_parse_names(MlirContext ctx, const void *files);

// ---- reading IR -------------------------------------------------------------

// No result has a use, and dropping the op changes nothing.
bool sn_shim_is_dead(MlirOperation op);
// The op in front of this one in its block; null: it is the first.
MlirOperation sn_shim_previous(MlirOperation op);
// The op touches no memory and has no other effect, also inside its regions.
bool sn_shim_is_pure(MlirOperation op);
// The op is one of arith's or math's that works element by element.
bool sn_shim_is_elementwise(MlirOperation op);
// Equal for operations whose regions do the same, whatever locations say and values are called. What regions take from
// outside is to be the same value.
size_t sn_shim_regions_hash(MlirOperation op);
// The regions of both do the same. Of operations with as many regions.
bool sn_shim_same_regions(MlirOperation a, MlirOperation b);
// Equal for operations that are the same: of equal operands, whose regions do the same.
size_t sn_shim_hash(MlirOperation op);
bool sn_shim_same(MlirOperation a, MlirOperation b);
// Its regions see nothing from outside.
bool sn_shim_is_isolated(MlirOperation op);

// ---- constants as bytes --------------------------------------------------------

// What a dense_resource stands for. Neither is owned.
typedef struct {
  MlirStringRef name;
  const char *data; // as long as the context, or until it is set
  size_t size;
  bool known; // the name has bytes
} SnResource;
SnResource sn_shim_resource(MlirAttribute dense_resource);
// Told when the bytes are no longer needed.
typedef void (*SnResourceEnd)(void *user, const void *data, size_t size);
void sn_shim_set_resource(MlirAttribute dense_resource, const void *data, size_t size, SnResourceEnd end, void *user);
// A dense_resource of a new name, which begins with this one.
MlirAttribute sn_shim_new_resource(MlirType type, MlirStringRef name, const void *data, size_t size, SnResourceEnd end,
                                   void *user);
// The same bytes under a type of as many.
MlirAttribute sn_shim_resource_as(MlirAttribute dense_resource, MlirType type);

// ---- symbols ----------------------------------------------------------------------

// The op of that name in a module, null if there is none. In time that grows with the module.
MlirOperation sn_shim_symbol(MlirOperation module, MlirStringRef name);
// Each reference under `root` to a symbol that `to` has another name for, in one walk. Names are string attributes;
// null: it stays.
void sn_shim_refer(MlirOperation root, MlirAttribute (*to)(void *user, MlirAttribute name), void *user);

// ---- upstream's patterns that have no pass -------------------------------------

// math.erf and math.erfc of f32 -> polynomials.
void sn_shim_add_erf(MlirRewritePatternSet set);
// linalg on collapsed tensors -> linalg on what was collapsed; expand_shape moves up, collapse_shape down.
void sn_shim_add_reshapes(MlirRewritePatternSet set, bool (*wanted)(MlirOperation reshape));

// linalg.winograd_* -> loops over tiles, of products.
void sn_shim_add_winograd(MlirRewritePatternSet set);
// linalg.pack -> a pad, a reshape, a transposition; linalg.unpack back again. False where upstream cannot.
bool sn_shim_lower_pack(MlirRewriterBase rewriter, MlirOperation op);
// An op that consists of others (linalg.softmax) -> those. False where upstream cannot.
bool sn_shim_decompose_aggregate(MlirRewriterBase rewriter, MlirOperation op);

// affine.for, affine.if, affine.parallel under root -> scf; false where upstream cannot.
bool sn_shim_lower_affine_control(MlirOperation root);

// ---- processors -----------------------------------------------------------------

// It has all of these, as in "+avx512f".
bool sn_shim_machine_has(LLVMTargetMachineRef machine, const char *features);
// LLVM has a processor of this name for this machine's architecture, whose target is initialised.
bool sn_shim_knows_cpu(const char *cpu);

// ---- SHA-256 --------------------------------------------------------------------

typedef struct SnHash SnHash;
SnHash *sn_shim_hash_new(void);
void sn_shim_hash_add(SnHash *hash, const char *bytes, size_t size);
void sn_shim_hash_end(SnHash *hash, unsigned char digest[32]); // frees it

// ---- passes ---------------------------------------------------------------------

typedef enum { SN_OPTION_BOOL, SN_OPTION_INT, SN_OPTION_STRING } SnOptionKind;

typedef struct {
  SnOptionKind kind;
  const char *name, *help;
  const char *otherwise;      // default, as written on the command line
  const char *const *choices; // SN_OPTION_STRING: NULL-terminated, or NULL for any text
  size_t offset;              // of the field in the pass's options: bool, int64_t or const char *
} SnOption;

typedef struct {
  MlirContext ctx;
  const void *options; // the pass's own options struct, filled in
  const char **then;   // a pass may set it to the text of passes that run on the same op behind it
} SnRun;

// symbol_names.c: a pass begins or ends, so nothing is known of any module's symbols.
void sn_forget_symbols(bool in_pass);

// A pass is one such constant. `document` is its page: what it does, by example.
typedef struct SnPass {
  const char *argument, *summary;
  const char *anchor;                                 // op name it runs on; NULL for any
  const SnOption *options;                            // ends with a NULL name; may be NULL
  size_t options_size;
  MlirDialectHandle (*const *dialects)(void);         // it creates ops of these; ends with NULL
  MlirLogicalResult (*run)(const SnRun *run, MlirOperation op);
} SnPass;

void sn_shim_register_pass(const SnPass *pass);

// One step of a road. `$name` in `pass` is the pipeline's option of that name; a pass that
// begins with `?name=value ` is left out unless the option has that value (which may be empty), with `?name!=value `
// if it has.
typedef struct {
  const char *pass;
  const char *becomes; // before -> after, in a few words
  const char *rung;    // what --emit= calls the IR behind this step; NULL for a step inside a rung
} SnStep;

typedef struct {
  const char *argument, *summary;
  const SnOption *options; // strings only; ends with a NULL name; may be NULL
  const SnStep *steps;     // ends with a NULL pass
} SnPipeline;

// The text of a pipeline, options put in by `option`, up to and with the rung `until` (NULL: all).
// Free it. Implemented in C (capi/pipeline_text.c); NULL if there is no such rung.
char *sn_pipeline_text(const SnPipeline *pipeline, const char *(*option)(void *user, const char *name),
                       void *user, const char *until);

void sn_shim_register_pipeline(const SnPipeline *pipeline);

#ifdef __cplusplus
}
#endif
#endif
