// names.c: what the names of a program become.
//
// test: test/tools/names.test

#include "lowering/host/names.h"
#include "lowering/host/host.h"
#include <dlfcn.h>
#include <stdio.h>

// ---- text -------------------------------------------------------------------------

// Bytes of the character at the start of s, 0 if it is none or a control character.
static size_t character(const unsigned char *s, size_t n) {
  if (*s < 0x80)
    return *s >= 0x20 && *s != 0x7f;
  size_t bytes = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
  if (*s < 0xc2 || *s > 0xf4 || bytes > n)
    return 0;
  for (size_t i = 1; i < bytes; ++i)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  bool wrong = (*s == 0xc2 && s[1] < 0xa0)     // U+0080 to U+009f are control characters
               || (*s == 0xe0 && s[1] < 0xa0)  // a shorter spelling exists
               || (*s == 0xf0 && s[1] < 0x90)  // a shorter spelling exists
               || (*s == 0xed && s[1] >= 0xa0) // half of a pair
               || (*s == 0xf4 && s[1] >= 0x90); // behind the last character
  return wrong ? 0 : bytes;
}

bool sn_is_text(MlirStringRef name) {
  const unsigned char *s = (const unsigned char *)name.data;
  size_t at = 0, n = 1;
  for (; at < name.length && n; at += n)
    n = character(s + at, name.length - at);
  return n != 0;
}

// ---- inside -----------------------------------------------------------------------

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char in_c(char c) { return is_letter(c) || is_digit(c) ? c : '_'; }

char *sn_symbol_base(MlirOperation func) {
  MlirAttribute given = sn_get_attr(func, SN_FUNCTION);
  MlirStringRef name = mlirStringAttrGetValue(given.ptr ? given : sn_get_attr(func, "sym_name"));
  size_t n = name.length < 99 ? name.length : 99, at = 0;
  char *base = sn_alloc(n + 2);
  if (!n || is_digit(name.data[0]))
    base[at++] = 'f';
  for (size_t i = 0; i < n; ++i)
    base[at++] = in_c(name.data[i]);
  return base;
}

char *sn_new_symbol(MlirSymbolTable symbols, const char *base, const char *suffix) {
  size_t size = strlen(base) + strlen(suffix) + 32;
  char *name = sn_alloc(size);
  snprintf(name, size, "%s%s", base, suffix);
  for (int i = 1; !sn_null(mlirSymbolTableLookup(symbols, SN_STR(name))); ++i)
    snprintf(name, size, "%s%s%d", base, suffix, i);
  return name;
}

// ---- outside ----------------------------------------------------------------------

// Names with a `_` inside that C, C++, <stddef.h> or <stdint.h> have.
static const char *const words[] = {
    "and_eq", "char16_t", "char32_t", "char8_t", "co_await", "co_return", "co_yield", "const_cast", "dynamic_cast",
    "int16_t", "int32_t", "int64_t", "int8_t", "int_fast16_t", "int_fast32_t", "int_fast64_t", "int_fast8_t",
    "int_least16_t", "int_least32_t", "int_least64_t", "int_least8_t", "intmax_t", "intptr_t", "max_align_t",
    "not_eq", "nullptr_t", "or_eq", "ptrdiff_t", "reinterpret_cast", "size_t", "static_assert", "static_cast",
    "thread_local", "typeof_unqual", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uint_fast16_t",
    "uint_fast32_t", "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t",
    "uint_least8_t", "uintmax_t", "uintptr_t", "wchar_t", "xor_eq"};
// Of the runtime, and of what it is linked with.
static const char *const families[] = {"sinter_", "libxsmm_"};

// Whose family a name is in; NULL: of none.
static const char *family(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i) {
    size_t n = strlen(families[i]);
    if (!strncmp(name, families[i], n) || (strlen(name) == n - 1 && !strncmp(name, families[i], n - 1)))
      return families[i];
  }
  return NULL;
}

// The C library itself knows best which names it has.
static bool in_c_library(const char *name) {
  static const char *const libraries[] = {"libc.so.6", "libm.so.6"};
  bool found = false;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !found; ++i) {
    void *library = dlopen(libraries[i], RTLD_LAZY);
    found = library && dlsym(library, name);
    if (library)
      dlclose(library);
  }
  return found;
}

// Who has a name already; NULL: nobody.
static const char *taken_by(const char *name) {
  bool small = false;
  for (const char *c = name; *c; ++c)
    small |= *c >= 'a' && *c <= 'z';
  if (!small)
    return "C keeps names without a small letter for macros";
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (!strcmp(name, words[i]))
      return "C or C++ has a word of this name";
  if (family(name))
    return "the runtime has names like this";
  return in_c_library(name) ? "the C library has a function of this name" : NULL;
}

char *sn_program_name(const char *path) {
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
  size_t n = dot && dot != file ? (size_t)(dot - file) : strlen(file);
  char *name = sn_alloc(n + sizeof "program_");
  for (size_t i = 0; i < n; ++i)
    name[i] = in_c(file[i]);
  if (!is_letter(*name) || family(name)) {
    bool any = n && strspn(name, "_") < n; // "-" is the standard input
    memmove(name + strlen("program_"), name, n + 1);
    memcpy(name, "program_", strlen("program_"));
    if (!any)
      strcpy(name, "program");
  }
  return name;
}

const char *sn_wrong_program_name(const char *name) {
  for (const char *c = name; *c; ++c)
    if (*c != '_' && in_c(*c) != *c)
      return "is no name in C: letters, digits and _";
  if (!is_letter(*name))
    return "is no name for a program: it begins with a letter";
  return family(name) ? "is no name for a program: the runtime has names like this" : NULL;
}

char *sn_c_name(const char *program, MlirStringRef function, const char *suffix) {
  size_t size = strlen(program) + function.length + (suffix ? strlen(suffix) : 0) + 3;
  char *name = sn_alloc(size);
  size_t at = (size_t)snprintf(name, size, "%s_", program);
  for (size_t i = 0; i < function.length; ++i)
    name[at++] = in_c(function.data[i]);
  if (suffix)
    snprintf(name + at, size - at, "_%s", suffix);
  return name;
}

typedef struct {
  char *name;
  size_t index; // of the function; behind the last: the table
} CName;

static int by_name(const void *a, const void *b) {
  const CName *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static MlirStringRef function_of(MlirOperation entry) {
  return mlirStringAttrGetValue(sn_get_attr(entry, SN_FUNCTION));
}

// A function whose name in C another function, or the table, has.
static MlirLogicalResult twice(const SnOpVec *entries, const CName *name, const CName *before) {
  MlirOperation at = entries->data[name->index < entries->size ? name->index : before->index];
  MlirStringRef mine = function_of(at), other = function_of(entries->data[before->index]);
  if (name->index == entries->size)
    return sn_error(at, "@\"%.*s\" is %s in C, and so is the table of functions: rename it", (int)mine.length,
                    mine.data, name->name);
  return sn_error(at, "@\"%.*s\" and @\"%.*s\" are both %s in C: rename one", (int)other.length, other.data,
                  (int)mine.length, mine.data, name->name);
}

static MlirLogicalResult check_names(const SnOpVec *entries, size_t n, const CName *names) {
  MlirLogicalResult result = SN_OK;
  bool *said = sn_alloc(entries->size + 1); // of a function: once
  for (size_t i = 0; i < n; ++i) {
    const CName *name = &names[i], *before = i ? name - 1 : NULL;
    const char *why = name->index < entries->size ? taken_by(name->name) : NULL;
    bool same = before && !strcmp(name->name, before->name);
    if (said[name->index] || (!same && !why))
      continue;
    said[name->index] = true;
    MlirStringRef mine = why ? function_of(entries->data[name->index]) : SN_STR("");
    result = same ? twice(entries, name, before)
                  : sn_error(entries->data[name->index],
                             "@\"%.*s\" would be %s in C, and %s: rename it, or give the program another --name=",
                             (int)mine.length, mine.data, name->name, why);
  }
  free(said);
  return result;
}

MlirLogicalResult sn_check_c_names(MlirOperation module, const char *program) {
  static const char *const suffixes[] = {NULL, "workspace", "shapes"};
  SN_VEC(CName) names = {0};
  SnOpVec all = sn_collect(module, "llvm.func"), entries = {0};
  for (size_t i = 0; i < all.size; ++i)
    if (sn_get_attr(all.data[i], SN_FUNCTION).ptr)
      sn_push(&entries, all.data[i]);
  for (size_t i = 0; i < entries.size; ++i)
    for (size_t k = 0; k < (sn_get_attr(entries.data[i], SN_SHAPES).ptr ? 3 : 2); ++k)
      sn_push(&names, (CName){sn_c_name(program, function_of(entries.data[i]), suffixes[k]), i});
  sn_push(&names, (CName){sn_c_name(program, SN_STR("library"), NULL), entries.size});
  qsort(names.data, names.size, sizeof *names.data, by_name);
  MlirLogicalResult result = check_names(&entries, names.size, names.data);
  for (size_t i = 0; i < names.size; ++i)
    free(names.data[i].name);
  sn_vec_free(&names);
  sn_vec_free(&entries);
  sn_vec_free(&all);
  return result;
}
