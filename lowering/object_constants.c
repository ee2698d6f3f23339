// object_constants.c: the bytes of a lowered module's large constants, into an object or a file.
//
//   code.o     | ELF header | .text | .lrodata.sinter: 64 bytes | ... | section headers |
//   ->
//              | ELF header | .text | ...                       | ... | section headers | constants |
//
// The section of the object is said to be behind everything, and as large as the constants are: nothing refers to what
// is inside of it but the one pointer to its beginning.
//
// test: test/tools/constants.test

#include "lowering/object_constants.h"
#include "capi/shim.h"
#include "capi/sn.h"
#include "dialect/attributes.h"
#include "runtime/fingerprint.h"
#include <assert.h>
#include <elf.h>

static_assert(SN_CONSTANT_ALIGNMENT == SINTER_FINGERPRINT_BLOCK, "a file's fingerprint is that of its pieces");

static intptr_t count(MlirOperation module) {
  MlirAttribute all = sn_get_attr(module, SN_CONSTANTS);
  return all.ptr ? mlirArrayAttrGetNumElements(all) : 0;
}

static SnResource constant(MlirOperation module, intptr_t i) {
  return sn_shim_resource(mlirArrayAttrGetElement(sn_get_attr(module, SN_CONSTANTS), i));
}

// Bytes that the constant takes, with zeros behind it.
static size_t room(SnResource r) {
  return (size_t)sn_pieces((int64_t)r.size, SN_CONSTANT_ALIGNMENT) * SN_CONSTANT_ALIGNMENT;
}

int64_t sn_constants_bytes(MlirOperation module) {
  size_t bytes = 0;
  for (intptr_t i = 0; i < count(module); ++i)
    bytes += room(constant(module, i));
  return (int64_t)bytes;
}

uint64_t sn_constants_fingerprint(MlirOperation module) {
  SinterFingerprint f = sinter_fingerprint_begin();
  for (intptr_t i = 0; i < count(module); ++i) {
    SnResource r = constant(module, i);
    sinter_fingerprint_add(&f, r.data, r.size);
  }
  return sinter_fingerprint_end(&f);
}

void sn_constants_copy(MlirOperation module, char *to) {
  for (intptr_t i = 0; i < count(module); ++i) {
    SnResource r = constant(module, i);
    memcpy(to, r.data, r.size);
    memset(to + r.size, 0, room(r) - r.size);
    to += room(r);
  }
}

// The header of the section so named; NULL if there is none.
static Elf64_Shdr *section(char *object, size_t size, const char *name) {
  Elf64_Ehdr *elf = (Elf64_Ehdr *)object;
  if (size < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_ident[EI_CLASS] != ELFCLASS64)
    return NULL;
  Elf64_Shdr *sections = (Elf64_Shdr *)(object + elf->e_shoff);
  // An object of more sections than 16 bits count has the numbers in its first.
  size_t n = elf->e_shnum ? elf->e_shnum : sections[0].sh_size,
         names = elf->e_shstrndx == SHN_XINDEX ? sections[0].sh_link : elf->e_shstrndx;
  for (size_t i = 1; i < n; ++i)
    if (!strcmp(object + sections[names].sh_offset + sections[i].sh_name, name))
      return &sections[i];
  return NULL;
}

bool sn_object_write(FILE *to, const char *object, size_t size, const char *constants, size_t bytes) {
  static const char zeros[SN_CONSTANT_ALIGNMENT];
  if (!bytes) {
    fwrite(object, 1, size, to);
    return true;
  }
  char *own = malloc(size);
  if (own)
    memcpy(own, object, size);
  Elf64_Shdr *header = own ? section(own, size, SN_CONSTANTS_SECTION) : NULL;
  if (header) {
    size_t at = (size_t)sn_pieces((int64_t)size, SN_CONSTANT_ALIGNMENT) * SN_CONSTANT_ALIGNMENT;
    header->sh_offset = at;
    header->sh_size = bytes;
    fwrite(own, 1, size, to);
    fwrite(zeros, 1, at - size, to);
    fwrite(constants, 1, bytes, to);
  }
  free(own);
  return header != NULL;
}
