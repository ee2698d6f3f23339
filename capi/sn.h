// sn.h: the layer over mlir-c that passes and lowerings are written in.
//
// Include it in any C file that makes or reads IR. One variadic call builds an
// operation and infers its result types where MLIR can; structured control flow
// opens and closes like the C around it; types, attributes and sizes have
// one-word helpers. There is no wrapper per operation.
//
//   MlirValue e = sn(b, "math.exp", sn(b, "arith.subf", x, m));
//
// Values, types and attributes are owned by the context; a builder owns nothing.
// Names that end up in IR are copied by MLIR. No function here returns an error:
// operations that do not verify are caught by the verifier after the pass.

#ifndef SINTER_CAPI_SN_H
#define SINTER_CAPI_SN_H

#include "capi/limits.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Interfaces.h"
#include "mlir-c/Rewrite.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- growing arrays -----------------------------------------------------------

// SN_VEC(int) v = {0}; sn_push(&v, 3); v.data[0]; v.size; sn_vec_free(&v);
#define SN_VEC(T)                                                                                  \
  struct {                                                                                         \
    T *data;                                                                                       \
    size_t size, capacity;                                                                         \
  }
// The item is made before the list is longer.
#define sn_push(v, ...)                                                                            \
  ((v)->data = sn_grow((v)->data, (v)->size, &(v)->capacity, sizeof *(v)->data),                    \
   (void)((v)->data[(v)->size] = (__VA_ARGS__)), (void)++(v)->size)
#define sn_vec_free(v) (free((v)->data), (v)->data = NULL, (v)->size = (v)->capacity = 0)
// Aborts with a message when memory ends: a compiler cannot go on without.
void *sn_grow(void *data, size_t size, size_t *capacity, size_t item);
void *sn_alloc(size_t bytes); // zeroed; the same promise

typedef SN_VEC(MlirValue) SnValueVec;
typedef SN_VEC(MlirOperation) SnOpVec;

// ---- tables by address ----------------------------------------------------------

// A number or an address for each of any number of addresses (of operations, values, ...), in time that does not grow
// with them. SnTable t = {0}; sn_table_put(&t, op.ptr, 3); sn_table_free(&t);
typedef struct {
  const void **keys;
  uintptr_t *values;
  size_t size, capacity; // a power of two
} SnTable;
void sn_table_put(SnTable *t, const void *key, uintptr_t value);         // the latest wins; not null
bool sn_table_get(const SnTable *t, const void *key, uintptr_t *value);  // false if it is not there
static inline bool sn_table_has(const SnTable *t, const void *key) {
  uintptr_t value;
  return sn_table_get(t, key, &value);
}
void sn_table_clear(SnTable *t);
void sn_table_free(SnTable *t);

// ---- where the next operation goes ------------------------------------------------

typedef struct {
  MlirContext ctx;
  MlirLocation loc;
  MlirBlock block;      // where to insert
  MlirOperation before; // in front of this one; at the end of `block` if null
  MlirRewriterBase rw;  // told of insertions if not null (inside greedy patterns)
} SnBuilder;

SnBuilder sn_before(MlirOperation op);
SnBuilder sn_after(MlirOperation op);
SnBuilder sn_at_end(MlirBlock block, MlirLocation loc);
SnBuilder sn_at_start(MlirBlock block, MlirLocation loc);

// ---- building operations -------------------------------------------------------------

typedef struct {
  const char *name;
  MlirAttribute attr;
} SnAttr;
typedef struct {
  intptr_t n;
  const MlirValue *data;
} SnValues;
typedef struct {
  intptr_t n;
  const MlirType *data;
} SnTypes;

typedef enum { SN_END, SN_VALUE, SN_VALUES, SN_TYPE, SN_TYPES, SN_ATTR, SN_REGION, SN_BLOCK } SnArgKind;
typedef struct {
  SnArgKind kind;
  union {
    MlirValue value;
    SnValues values;
    MlirType type;
    SnTypes types;
    SnAttr attr;
    MlirRegion region;
    MlirBlock block;
  };
} SnArg;

#ifndef __cplusplus
static inline SnArg sn_arg_value(MlirValue v) { return (SnArg){SN_VALUE, .value = v}; }
static inline SnArg sn_arg_values(SnValues v) { return (SnArg){SN_VALUES, .values = v}; }
static inline SnArg sn_arg_type(MlirType t) { return (SnArg){SN_TYPE, .type = t}; }
static inline SnArg sn_arg_types(SnTypes t) { return (SnArg){SN_TYPES, .types = t}; }
static inline SnArg sn_arg_attr(SnAttr a) { return (SnArg){SN_ATTR, .attr = a}; }
static inline SnArg sn_arg_region(MlirRegion r) { return (SnArg){SN_REGION, .region = r}; }
static inline SnArg sn_arg_block(MlirBlock b) { return (SnArg){SN_BLOCK, .block = b}; }
#define SN_ARG(x)                                                                                  \
  _Generic((x),                                                                                    \
      MlirValue: sn_arg_value,                                                                     \
      SnValues: sn_arg_values,                                                                     \
      MlirType: sn_arg_type,                                                                       \
      SnTypes: sn_arg_types,                                                                       \
      SnAttr: sn_arg_attr,                                                                         \
      MlirRegion: sn_arg_region,                                                                   \
      MlirBlock: sn_arg_block)(x)
#define SN_FE0()
#define SN_FE1(x) SN_ARG(x),
#define SN_FE2(x, ...) SN_ARG(x), SN_FE1(__VA_ARGS__)
#define SN_FE3(x, ...) SN_ARG(x), SN_FE2(__VA_ARGS__)
#define SN_FE4(x, ...) SN_ARG(x), SN_FE3(__VA_ARGS__)
#define SN_FE5(x, ...) SN_ARG(x), SN_FE4(__VA_ARGS__)
#define SN_FE6(x, ...) SN_ARG(x), SN_FE5(__VA_ARGS__)
#define SN_FE7(x, ...) SN_ARG(x), SN_FE6(__VA_ARGS__)
#define SN_FE8(x, ...) SN_ARG(x), SN_FE7(__VA_ARGS__)
#define SN_FE9(x, ...) SN_ARG(x), SN_FE8(__VA_ARGS__)
#define SN_FE10(x, ...) SN_ARG(x), SN_FE9(__VA_ARGS__)
#define SN_FE11(x, ...) SN_ARG(x), SN_FE10(__VA_ARGS__)
#define SN_FE12(x, ...) SN_ARG(x), SN_FE11(__VA_ARGS__)
#define SN_FE13(x, ...) SN_ARG(x), SN_FE12(__VA_ARGS__)
#define SN_FE14(x, ...) SN_ARG(x), SN_FE13(__VA_ARGS__)
#define SN_FE15(x, ...) SN_ARG(x), SN_FE14(__VA_ARGS__)
#define SN_FE16(x, ...) SN_ARG(x), SN_FE15(__VA_ARGS__)
#define SN_PICK17(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, N, ...) N
#define SN_FE(...)                                                                                 \
  SN_PICK17(0 __VA_OPT__(, ) __VA_ARGS__, SN_FE16, SN_FE15, SN_FE14, SN_FE13, SN_FE12, SN_FE11,     \
            SN_FE10, SN_FE9, SN_FE8, SN_FE7, SN_FE6, SN_FE5, SN_FE4, SN_FE3, SN_FE2, SN_FE1, SN_FE0) \
  (__VA_ARGS__)

// sn(b, "dialect.op", ...) -> its first result; sn_op(...) -> the operation. Arguments in
// any order, at most 16: values are operands, types result types, then sn_attr,
// sn_values, regions and successor blocks. Without types they are inferred.
#define sn_op(b, name, ...) sn_build((b), (name), (const SnArg[]){SN_FE(__VA_ARGS__)(SnArg){.kind = SN_END}})
#define sn(b, name, ...) mlirOperationGetResult(sn_op(b, name, __VA_ARGS__), 0)
#endif

// Arguments end with an SN_END.
MlirOperation sn_build(SnBuilder *b, const char *name, const SnArg *args);
void sn_insert(SnBuilder *b, MlirOperation op);

// a times b, of sizes that a program names: 2^60 where it is more, so that a few of them may be added, too.
static inline int64_t sn_times(int64_t a, int64_t b) {
  const int64_t most = (int64_t)1 << 60;
  int64_t n;
  return __builtin_mul_overflow(a, b, &n) || n > most ? most : n;
}
// How many of b there are in a, the last perhaps not whole.
static inline int64_t sn_pieces(int64_t a, int64_t b) { return a / b + (a % b > 0); }
static inline SnAttr sn_attr(const char *name, MlirAttribute attr) {
  SnAttr a = {name, attr};
  return a;
}
static inline SnAttr sn_no_attr(void) { return sn_attr("", mlirAttributeGetNull()); }
static inline SnValues sn_values(intptr_t n, const MlirValue *data) {
  SnValues v = {n, data};
  return v;
}
static inline SnTypes sn_types(intptr_t n, const MlirType *data) {
  SnTypes t = {n, data};
  return t;
}

// ---- types -------------------------------------------------------------------------------

// A type from its text: "f32", "!llvm.ptr", "vector<8xf32>", with printf's formats.
MlirType sn_type(MlirContext ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
MlirType sn_tensor(MlirType element, intptr_t rank, const int64_t *shape);
MlirType sn_memref(MlirType element, intptr_t rank, const int64_t *shape);
MlirType sn_vector(MlirType element, int64_t lanes);
// The tensor or contiguous memref of that shape, whatever its rank.
MlirType sn_tensor_like(MlirType shaped, MlirType element);
MlirType sn_memref_like(MlirType shaped, MlirType element);
MlirType sn_index_type(MlirContext ctx);
MlirType sn_type_of(MlirValue v);
MlirType sn_element(MlirType t); // of a shaped type; any other type itself
bool sn_is_float(MlirType t);    // a scalar float of any width
bool sn_is_float8(MlirType t);   // f8E4M3FN or f8E5M2, the floats of 8 bits that are lowered
bool sn_is_int(MlirType t);      // a signless integer or index
unsigned sn_bits(MlirType t);    // of a scalar; index counts 64
unsigned sn_range(MlirType t);   // numbers of the type are below two to this
char *sn_type_text(MlirType t);  // as it is written; free with free

// What is printed by a callback, `user` an SnText: it ends where the buffer does, with a 0.
typedef struct {
  char *at, *end; // where the next character goes, and the last 0
} SnText;
SnText sn_text_in(char *buffer, size_t size);
void sn_text_add(MlirStringRef text, void *user);
int64_t sn_rank(MlirType shaped);
int64_t sn_dim(MlirType shaped, intptr_t i); // INT64_MIN (MLIR's kDynamic) where `?`
#define SN_DYNAMIC INT64_MIN

// ---- attributes and constants ---------------------------------------------------------------

// An attribute from its text, with printf's formats. Asserts that it parses.
MlirAttribute sn_parse_attr(MlirContext ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
MlirAttribute sn_string(MlirContext ctx, const char *text);
MlirAttribute sn_i64(MlirContext ctx, int64_t v);
MlirAttribute sn_unit(MlirContext ctx);
int64_t sn_int_attr(MlirOperation op, const char *name, int64_t otherwise);
MlirAttribute sn_get_attr(MlirOperation op, const char *name); // null if absent
void sn_set_attr(MlirOperation op, const char *name, MlirAttribute attr);

MlirValue sn_index(SnBuilder *b, int64_t v);
MlirValue sn_int(SnBuilder *b, MlirType t, int64_t v);
MlirValue sn_float(SnBuilder *b, MlirType t, double v);
MlirValue sn_zero(SnBuilder *b, MlirType t);                     // of a scalar or vector type
MlirValue sn_splat(SnBuilder *b, MlirType t, MlirAttribute scalar); // scalar or shaped constant
MlirValue sn_constant(SnBuilder *b, MlirAttribute typed);

// The scalar attribute if `v` is a constant scalar, a splat, or a broadcast of
// one; else null.
MlirAttribute sn_constant_of(MlirValue v);
bool sn_is_constant(MlirValue v, double number); // by value, of float or integer type
bool sn_attr_number(MlirAttribute scalar, double *number);

// ---- structured control flow --------------------------------------------------------------------

// Loops of kernels carry a value of each accumulator or reduction, and a few more; those with more values abort.
#define SN_CARRIED (2 * SN_MAX_DIMS + SN_MAX_ACCUMULATORS + 3 * SN_MAX_REDUCTIONS)
typedef struct {
  MlirOperation op;
  MlirValue index;
  MlirValue carried[SN_CARRIED]; // inside the loop
  intptr_t n;
  SnBuilder outside;
} SnLoop;

// scf.for over index values; the builder stands inside it until sn_next.
//   SnLoop j = sn_for(b, lo, hi, step, init...); ...; sn_next(b, &j, next...);
// sn_next moves the builder behind the loop; its values are sn_result(j.op, k).
SnLoop sn_for_values(SnBuilder *b, MlirValue lo, MlirValue hi, MlirValue step, SnValues init);
void sn_next_values(SnBuilder *b, SnLoop *loop, SnValues next);
#define sn_for(b, lo, hi, step, ...)                                                               \
  sn_for_values(b, lo, hi, step, SN_VALUE_LIST(__VA_ARGS__))
#define sn_next(b, loop, ...) sn_next_values(b, loop, SN_VALUE_LIST(__VA_ARGS__))
#define SN_VALUE_LIST(...)                                                                         \
  ((SnValues){sizeof((MlirValue[]){{0} __VA_OPT__(, ) __VA_ARGS__}) / sizeof(MlirValue) - 1,        \
              (MlirValue[]){{0} __VA_OPT__(, ) __VA_ARGS__} + 1})

typedef struct {
  MlirOperation op;
  SnBuilder outside;
} SnIf;

// scf.if with results of these types; stands in the first branch until sn_else, in the
// second until sn_end_if. Without results sn_else may be left out.
SnIf sn_if_types(SnBuilder *b, MlirValue condition, SnTypes results);
#define sn_if(b, condition, ...)                                                                   \
  sn_if_types(b, condition,                                                                        \
              ((SnTypes){sizeof((MlirType[]){{0} __VA_OPT__(, ) __VA_ARGS__}) / sizeof(MlirType) - 1, \
                         (MlirType[]){{0} __VA_OPT__(, ) __VA_ARGS__} + 1}))
void sn_else_values(SnBuilder *b, SnIf *branch, SnValues yielded);
void sn_end_if_values(SnBuilder *b, SnIf *branch, SnValues yielded);
#define sn_else(b, branch, ...) sn_else_values(b, branch, SN_VALUE_LIST(__VA_ARGS__))
#define sn_end_if(b, branch, ...) sn_end_if_values(b, branch, SN_VALUE_LIST(__VA_ARGS__))

// ---- reading IR --------------------------------------------------------------------------------------

static inline bool sn_null(MlirOperation op) { return op.ptr == NULL; }
static inline bool sn_none(MlirValue v) { return v.ptr == NULL; }
static inline bool sn_same(MlirValue a, MlirValue b) { return mlirValueEqual(a, b); }
// Inline, so that the length of a name in the source is known.
static inline bool sn_is(MlirOperation op, const char *name) {
  if (sn_null(op))
    return false;
  MlirStringRef is = mlirIdentifierStr(mlirOperationGetName(op));
  size_t n = strlen(name);
  return is.length == n && !memcmp(is.data, name, n);
}
bool sn_in_dialect(MlirOperation op, const char *dialect);
const char *sn_name(MlirOperation op);                     // NUL-terminated, owned by the context
MlirOperation sn_def(MlirValue v, const char *name);       // its defining op if so named, else null
MlirOperation sn_definer(MlirValue v);                     // its defining op, else null
static inline MlirValue sn_operand(MlirOperation op, intptr_t i) { return mlirOperationGetOperand(op, i); }
static inline MlirValue sn_result(MlirOperation op, intptr_t i) { return mlirOperationGetResult(op, i); }
intptr_t sn_num_operands(MlirOperation op);
intptr_t sn_num_results(MlirOperation op);
bool sn_unused(MlirOperation op);   // no result has a use
// Who reads a result of op reads that of `by`, which has as many or more.
void sn_replace_results(MlirOperation op, MlirOperation by);
bool sn_one_use(MlirValue v);
// Symbols: the op named so in a module, or null.
MlirOperation sn_symbol(MlirOperation module, const char *name);
// (capi/symbol_names.c) No symbol of the module has the name: whoever asks makes one now, or there is one from now on.
// In time that does not grow with the module, for passes that declare something for each kernel.
bool sn_take_symbol(MlirOperation module, const char *name);

// Of a tensor.dim or memref.dim: the dimension that it asks for, if that is a constant and there is one.
bool sn_known_dim(MlirOperation dim, intptr_t *i);

// All operations of this name under `root`, in order. Free with sn_vec_free.
SnOpVec sn_collect(MlirOperation root, const char *name);
// Erases pure operations without uses in `block`, from its end, until nothing changes.
void sn_erase_dead(MlirBlock block);

// ---- copying ---------------------------------------------------------------------------------------------

typedef struct {
  SnTable to; // by value
} SnMap;
void sn_map(SnMap *map, MlirValue from, MlirValue to); // the latest wins
MlirValue sn_mapped(const SnMap *map, MlirValue v);    // null if not there
MlirValue sn_lookup(const SnMap *map, MlirValue v);    // itself if not there
void sn_map_clear(SnMap *map);
void sn_map_free(SnMap *map);

// A copy with operands mapped (also inside its regions); its results are added to the map.
MlirOperation sn_clone(SnBuilder *b, MlirOperation op, SnMap *map);
// The op itself where the builder stands, out of its block, with operands mapped.
void sn_move(SnBuilder *b, MlirOperation op, SnMap *map);
// All operations of a block to the end of another one, whose arguments they use then.
void sn_move_block(MlirBlock from, MlirBlock to);
// A copy without regions, with other operands and result types, same attributes.
MlirOperation sn_clone_as(SnBuilder *b, MlirOperation op, SnValues operands, SnTypes results);
// One location that stands for both (a fused location), so that reports can name each.
MlirLocation sn_fuse_loc(MlirLocation a, MlirLocation b);
// In capi/located.c. The text behind the place in the user's file that the location names first, if it names one, as an
// assert says it: "model.mlir:7:10: text".
MlirAttribute sn_located_message(MlirLocation where, const char *text);

// ---- affine maps ------------------------------------------------------------------------------------------------

// The map with each dimension k replaced by exprs[k], now over `dims` dimensions.
MlirAffineMap sn_map_replace(MlirAffineMap map, intptr_t dims, const MlirAffineExpr *exprs);
// The map with quotients and remainders gone that are known where each dimension d is in [0, sizes[d])
// (any other size: not known): (8 * i + j) floordiv 8 -> i. In capi/affine.c.
MlirAffineMap sn_map_simplify(MlirAffineMap map, const int64_t *sizes);
// The ends of what the expression can be, both included; false where they are not known.
bool sn_affine_range(MlirAffineExpr e, const int64_t *sizes, int64_t *low, int64_t *high);
// x - b * (x floordiv b), which passes of upstream write for a remainder, is x mod b. `sizes` of the dimensions:
// SN_DYNAMIC where one is not known.
MlirAffineExpr sn_affine_remainders(MlirAffineExpr e, const int64_t *sizes);
// No subscript has more than SN_MAX_SUBSCRIPT_PARTS; none has where each dimension d is replaced by dims[d].
bool sn_map_fits(MlirAffineMap map);
bool sn_map_fits_with(MlirAffineMap map, const MlirAffineExpr *dims);
bool sn_affine_is_linear(MlirAffineExpr e); // no quotients and remainders
// Reads an expression as offset + sum of factor * dimension, `factor` times, into what is 0 to begin with; false if it
// is none.
bool sn_read_linear(MlirAffineExpr e, int64_t factor, int64_t *offset, int64_t *factors);
bool sn_map_is_linear(MlirAffineMap map);
bool sn_map_uses(MlirAffineMap map, intptr_t dim);
// The dimension that result i of the map is, or -1 if it is anything else, or the map has fewer.
intptr_t sn_map_dim(MlirAffineMap map, intptr_t i);

// ---- the three voices of an error
// ------------------------------------------------------------------------------------

// "Not this time": returns false. Shown as a remark at the op while
// sn_show_refusals(true) holds on this thread.
bool sn_no(MlirOperation op, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sn_show_refusals(bool show);
// While set, a refusal is also kept on its op, as the string attribute `sinter.why`: the last one.
void sn_keep_refusals(bool keep);
// The user's program: an error at the op. Returns failure.
MlirLogicalResult sn_error(MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sn_remark(MlirOperation op, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The third voice, our bug, is assert().

#define SN_OK mlirLogicalResultSuccess()
#define SN_FAIL mlirLogicalResultFailure()
static inline bool sn_failed(MlirLogicalResult r) { return mlirLogicalResultIsFailure(r); }
#define SN_STR(text) mlirStringRefCreateFromCString(text)

#ifdef __cplusplus
}
#endif
#endif
