// object_merge.c: several relocatable objects (ELF, 64 bits) as one.
//
//   a.o | .text | .rela.text | .symtab: task undefined, main |
//   b.o | .text | .rela.text | .symtab: task hidden          |
//   ->
//       | .text: a's, b's | .rela.text | .symtab: task local, main | .strtab |
//
// As `ld -r` does. Sections of a name and kind stand one behind the other in one; what refers to symbols or sections by
// number, and to places in them, does so by new ones. A name that is hidden in one object is a local symbol of all.
//
// test: test/tools/parts.test

#include "lowering/object_merge.h"
#include "capi/sn.h"
#include "llvm-c/Core.h"
#include <elf.h>

typedef struct {
  const char *bytes;
  size_t size, sections, symbols;
  const Elf64_Shdr *section;
  const char *section_names, *symbol_names;
  const Elf64_Sym *symbol;
  size_t *section_to, *symbol_to; // numbers in the merged object; 0: none
  size_t *section_at;             // bytes in front of it in that section
} Object;

typedef struct {
  const char *name;
  Elf64_Shdr header;
  size_t symbol; // that stands for it, or 0
} Section;

typedef struct {
  Object *objects;
  size_t n;
  SN_VEC(Section) sections;
  SN_VEC(Elf64_Sym) symbols;
  SN_VEC(char) names, out;
} Merge;

static bool open_object(Object *o, LLVMMemoryBufferRef buffer) {
  o->bytes = LLVMGetBufferStart(buffer);
  o->size = LLVMGetBufferSize(buffer);
  const Elf64_Ehdr *elf = (const Elf64_Ehdr *)o->bytes;
  if (o->size < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
      elf->e_type != ET_REL || !elf->e_shnum || elf->e_shstrndx >= SHN_LORESERVE)
    return false;
  o->section = (const Elf64_Shdr *)(o->bytes + elf->e_shoff);
  o->sections = elf->e_shnum;
  o->section_names = o->bytes + o->section[elf->e_shstrndx].sh_offset;
  for (size_t i = 1; i < o->sections; ++i) {
    const Elf64_Shdr *s = &o->section[i];
    if (s->sh_type == SHT_REL || s->sh_type == SHT_GROUP || s->sh_type == SHT_SYMTAB_SHNDX ||
        s->sh_flags & SHF_LINK_ORDER)
      return false;
    if (s->sh_type == SHT_SYMTAB) {
      o->symbol = (const Elf64_Sym *)(o->bytes + s->sh_offset);
      o->symbols = s->sh_size / sizeof(Elf64_Sym);
      o->symbol_names = o->bytes + o->section[s->sh_link].sh_offset;
    }
  }
  o->section_to = sn_alloc(o->sections * sizeof *o->section_to);
  o->section_at = sn_alloc(o->sections * sizeof *o->section_at);
  o->symbol_to = sn_alloc((o->symbols + 1) * sizeof *o->symbol_to);
  return true;
}

// Tables are made anew; which symbols' addresses matter (.llvm_addrsig) is for linkers that fold equal functions.
static bool is_kept(const Object *o, size_t i) {
  uint32_t type = o->section[i].sh_type;
  return i && type != SHT_NULL && type != SHT_SYMTAB && type != SHT_STRTAB &&
         strcmp(o->section_names + o->section[i].sh_name, ".llvm_addrsig");
}

static uint32_t add_name(Merge *m, const char *name) {
  size_t at = m->names.size;
  if (!*name)
    return 0;
  do
    sn_push(&m->names, *name);
  while (*name++);
  return (uint32_t)at;
}

// ---- symbols -----------------------------------------------------------------------

static bool is_local(const Elf64_Sym *s) {
  return ELF64_ST_BIND(s->st_info) == STB_LOCAL ||
         (s->st_shndx != SHN_UNDEF && ELF64_ST_VISIBILITY(s->st_other) == STV_HIDDEN);
}

static size_t push_symbol(Merge *m, const char *name, Elf64_Sym s) {
  s.st_name = add_name(m, name);
  sn_push(&m->symbols, s);
  return m->symbols.size - 1;
}

static size_t add_symbol(Merge *m, const Object *o, size_t i) {
  Elf64_Sym s = o->symbol[i];
  bool is_section = ELF64_ST_TYPE(s.st_info) == STT_SECTION;
  size_t in = s.st_shndx < SHN_LORESERVE ? o->section_to[s.st_shndx] : 0;
  if (is_section && m->sections.data[in].symbol)
    return m->sections.data[in].symbol;
  if (in && !is_section)
    s.st_value += o->section_at[s.st_shndx];
  if (s.st_shndx < SHN_LORESERVE)
    s.st_shndx = (Elf64_Section)in;
  if (is_local(&s)) {
    s.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(s.st_info));
    s.st_other = STV_DEFAULT;
  }
  size_t number = push_symbol(m, o->symbol_names + o->symbol[i].st_name, s);
  if (is_section)
    m->sections.data[in].symbol = number;
  return number;
}

// Names that objects know of each other, defined ones first; which number each has.
typedef struct {
  const char *name;
  size_t object, symbol;
  bool undefined;
} Known;

static int compare(const void *a, const void *b) {
  const Known *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  order = order ? order : x->undefined - y->undefined;
  return order ? order : x->object < y->object ? -1 : 1;
}

// Local ones are in front of all others: how many.
static size_t merge_symbols(Merge *m) {
  SN_VEC(Known) known = {0};
  sn_push(&m->symbols, (Elf64_Sym){0});
  for (size_t k = 0; k < m->n; ++k)
    for (size_t i = 1; i < m->objects[k].symbols; ++i) {
      Object *o = &m->objects[k];
      const Elf64_Sym *s = &o->symbol[i];
      bool file = ELF64_ST_TYPE(s->st_info) == STT_FILE;
      if (is_local(s) && (!file || !k))
        o->symbol_to[i] = add_symbol(m, o, i);
      if (ELF64_ST_BIND(s->st_info) != STB_LOCAL)
        sn_push(&known, (Known){o->symbol_names + s->st_name, k, i, s->st_shndx == SHN_UNDEF});
    }
  size_t locals = m->symbols.size;
  if (known.size)
    qsort(known.data, known.size, sizeof *known.data, compare);
  for (size_t i = 0, first = 0; i < known.size; ++i) {
    const Known *s = &known.data[i], *f = &known.data[first];
    if (strcmp(s->name, f->name))
      f = &known.data[first = i];
    size_t *to = &m->objects[s->object].symbol_to[s->symbol];
    if (!*to) // the first of the name, of all that are not local
      *to = s == f ? add_symbol(m, &m->objects[s->object], s->symbol) : m->objects[f->object].symbol_to[f->symbol];
  }
  sn_vec_free(&known);
  return locals;
}

// ---- sections ----------------------------------------------------------------------

static void append(Merge *m, const void *bytes, size_t size, size_t alignment) {
  size_t at = m->out.size;
  for (; alignment > 1 && at % alignment; ++at)
    sn_push(&m->out, 0);
  for (size_t i = 0; i < size; ++i)
    sn_push(&m->out, ((const char *)bytes)[i]);
}

static bool is_like(const Section *a, const char *name, const Elf64_Shdr *b) {
  return a->header.sh_type == b->sh_type && a->header.sh_flags == b->sh_flags &&
         a->header.sh_entsize == b->sh_entsize && !strcmp(a->name, name);
}

// The merged section that one goes to the end of.
static void place_section(Merge *m, Object *o, size_t i) {
  Elf64_Shdr s = o->section[i];
  const char *name = o->section_names + s.sh_name;
  size_t to = 1;
  s.sh_info = s.sh_type == SHT_RELA ? (Elf64_Word)o->section_to[s.sh_info] : 0;
  while (to < m->sections.size && !(is_like(&m->sections.data[to], name, &s) &&
                                    m->sections.data[to].header.sh_info == s.sh_info))
    ++to;
  if (to == m->sections.size) {
    sn_push(&m->sections, (Section){name, s});
    m->sections.data[to].header.sh_name = add_name(m, name);
    m->sections.data[to].header.sh_size = 0;
  }
  Elf64_Shdr *all = &m->sections.data[to].header;
  size_t alignment = s.sh_addralign ? s.sh_addralign : 1;
  o->section_to[i] = to;
  o->section_at[i] = (all->sh_size + alignment - 1) / alignment * alignment;
  all->sh_size = o->section_at[i] + s.sh_size;
  all->sh_addralign = all->sh_addralign > alignment ? all->sh_addralign : alignment;
}

static void place_sections(Merge *m) {
  sn_push(&m->sections, (Section){""});
  for (int relocations = 0; relocations < 2; ++relocations) // behind what they are of
    for (size_t k = 0; k < m->n; ++k)
      for (size_t i = 1; i < m->objects[k].sections; ++i)
        if (is_kept(&m->objects[k], i) && (m->objects[k].section[i].sh_type == SHT_RELA) == relocations)
          place_section(m, &m->objects[k], i);
}

static void write_relocations(Merge *m, const Object *o, const Elf64_Shdr *s) {
  for (size_t r = 0; r < s->sh_size / sizeof(Elf64_Rela); ++r) {
    Elf64_Rela x = ((const Elf64_Rela *)(o->bytes + s->sh_offset))[r];
    const Elf64_Sym *symbol = &o->symbol[ELF64_R_SYM(x.r_info)];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION)
      x.r_addend += (Elf64_Sxword)o->section_at[symbol->st_shndx];
    x.r_offset += o->section_at[s->sh_info];
    x.r_info = ELF64_R_INFO(o->symbol_to[ELF64_R_SYM(x.r_info)], ELF64_R_TYPE(x.r_info));
    append(m, &x, sizeof x, 1);
  }
}

static void write_section(Merge *m, size_t to, size_t symtab) {
  Elf64_Shdr *all = &m->sections.data[to].header;
  append(m, NULL, 0, all->sh_addralign);
  all->sh_offset = m->out.size;
  all->sh_link = all->sh_type == SHT_RELA ? (Elf64_Word)symtab : 0;
  for (size_t k = 0; k < m->n; ++k) {
    const Object *o = &m->objects[k];
    for (size_t i = 1; i < o->sections; ++i) {
      if (o->section_to[i] != to || all->sh_type == SHT_NOBITS)
        continue;
      while (m->out.size < all->sh_offset + o->section_at[i])
        sn_push(&m->out, 0);
      if (all->sh_type == SHT_RELA)
        write_relocations(m, o, &o->section[i]);
      else
        append(m, o->bytes + o->section[i].sh_offset, o->section[i].sh_size, 1);
    }
  }
}

static LLVMMemoryBufferRef write(Merge *m) {
  Elf64_Ehdr elf = *(const Elf64_Ehdr *)m->objects[0].bytes;
  append(m, &elf, sizeof elf, 1);
  add_name(m, "");
  sn_push(&m->names, 0);
  place_sections(m);
  size_t symtab = m->sections.size, locals = merge_symbols(m);
  for (size_t i = 1; i < symtab; ++i)
    write_section(m, i, symtab);
  append(m, NULL, 0, 8);
  Elf64_Shdr table = {.sh_name = add_name(m, ".symtab"), .sh_type = SHT_SYMTAB, .sh_offset = m->out.size,
                      .sh_size = m->symbols.size * sizeof(Elf64_Sym), .sh_link = (Elf64_Word)symtab + 1,
                      .sh_info = (Elf64_Word)locals, .sh_addralign = 8, .sh_entsize = sizeof(Elf64_Sym)};
  for (size_t i = 0; i < m->symbols.size; ++i)
    append(m, &m->symbols.data[i], sizeof(Elf64_Sym), 1);
  Elf64_Shdr names = {.sh_name = add_name(m, ".strtab"), .sh_type = SHT_STRTAB, .sh_offset = m->out.size,
                      .sh_size = m->names.size, .sh_addralign = 1};
  append(m, m->names.data, m->names.size, 1);
  sn_push(&m->sections, (Section){"", table});
  sn_push(&m->sections, (Section){"", names});
  append(m, NULL, 0, 8);
  elf.e_shoff = m->out.size;
  elf.e_shnum = (Elf64_Half)m->sections.size;
  elf.e_shstrndx = (Elf64_Half)(m->sections.size - 1);
  for (size_t i = 0; i < m->sections.size; ++i)
    append(m, &m->sections.data[i].header, sizeof(Elf64_Shdr), 1);
  memcpy(m->out.data, &elf, sizeof elf);
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(m->out.data, m->out.size, "program");
}

LLVMMemoryBufferRef sn_objects_merge(const LLVMMemoryBufferRef *objects, size_t n) {
  Merge m = {.objects = sn_alloc(n * sizeof *m.objects), .n = n};
  size_t sections = 3;
  bool known = true;
  for (size_t k = 0; k < n && known; ++k) {
    known = open_object(&m.objects[k], objects[k]);
    sections += m.objects[k].sections;
  }
  LLVMMemoryBufferRef merged = known && sections < SHN_LORESERVE ? write(&m) : NULL;
  for (size_t k = 0; k < n; ++k) {
    free(m.objects[k].section_to);
    free(m.objects[k].section_at);
    free(m.objects[k].symbol_to);
  }
  free(m.objects);
  sn_vec_free(&m.sections);
  sn_vec_free(&m.symbols);
  sn_vec_free(&m.names);
  sn_vec_free(&m.out);
  return merged;
}
