// sinter-doc.c: prints the reference of passes, roads, schedules and combiners.
//
//   sinter-doc SOURCE_FOLDER > build/docs/passes.md
//   sinter-doc --library > build/docs/library.md
//
// Facts come from the tables that the tools run on; what a pass does, and why, from
// the comment at the head of its file. Built with the rest, not installed.

#include "dialect/schedules.h"
#include "pipelines/pipelines.h"
#include "target/microkernels.h"
#include "tools/doc.h"
#include <dirent.h>
#include <stdio.h>

// ---- heads of files -------------------------------------------------------------

typedef struct {
  char *path; // in the source folder
  char *text;
} File;
typedef SN_VEC(File) Files;

static char *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file)
    return NULL;
  SN_VEC(char) text = {0};
  for (int c; (c = getc(file)) != EOF;)
    sn_push(&text, (char)c);
  sn_push(&text, 0);
  fclose(file);
  return text.data;
}

static int by_path(const void *a, const void *b) { return strcmp(((const File *)a)->path, ((const File *)b)->path); }

// The sources of a folder and of the folders in it.
static void read_folder(const char *root, const char *folder, Files *files) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root, folder);
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *end = strrchr(entry->d_name, '.');
    if (!end) {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      char *inner = strdup(path);
      read_folder(root, inner, files);
      free(inner);
    }
    if (!end || strcmp(end, ".c"))
      continue;
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, entry->d_name);
    char *text = read_file(path), *name = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    name = strdup(path);
    if (text && name)
      sn_push(files, (File){name, text});
  }
  if (dir)
    closedir(dir);
}

// The comment that a file begins with, line by line: NULL behind its end.
static const char *next_line(const char **at, size_t *length) {
  if (strncmp(*at, "//", 2))
    return NULL;
  const char *line = *at + 2;
  size_t n = strcspn(line, "\n");
  *at = line + n + (line[n] == '\n');
  bool space = *line == ' ';
  *length = n - space;
  return line + space;
}

// Whether the head says `runs in:` this pass.
static bool runs_in(const char *text, const char *pass) {
  size_t length, name = strlen(pass);
  for (const char *at = text, *line; (line = next_line(&at, &length));) {
    if (strncmp(line, "runs in:", 8))
      continue;
    for (const char *word = line + 8; word < line + length;) {
      word += strspn(word, " ,");
      size_t n = strcspn(word, " ,\n");
      if (n == name && !memcmp(word, pass, n))
        return true;
      word += n ? n : 1;
      if (word[0] == ' ' && word[1] == ' ')
        break; // `test:` follows
    }
  }
  return false;
}

// Prose as it is, pictures (indented lines) as code.
static void print_head(const File *f) {
  const char *at = f->text, *line;
  size_t length;
  bool code = false, blank = false;
  if (!(line = next_line(&at, &length)))
    return;
  while ((line = next_line(&at, &length))) {
    if (!length) {
      blank = true;
      continue;
    }
    bool picture = line[0] == ' ' || !strncmp(line, "->\n", 3);
    if (code && !picture)
      printf("```\n");
    if (blank)
      printf("\n");
    if (picture && !code)
      printf("```\n");
    printf("%.*s\n", (int)length, line);
    code = picture;
    blank = false;
  }
  if (code)
    printf("```\n");
}

// "what.c: title" without the name.
static void print_title(const File *f) {
  const char *at = f->text;
  size_t length;
  const char *line = next_line(&at, &length), *colon = line ? memchr(line, ':', length) : NULL;
  if (colon)
    printf("%.*s", (int)(line + length - colon - 2), colon + 2);
}

// ---- pages ---------------------------------------------------------------------------

static void print_options(const SnOption *o) {
  if (!o || !o->name)
    return;
  printf("\n| option | values | default | |\n| --- | --- | --- | --- |\n");
  for (; o->name; ++o) {
    printf("| `%s` | ", o->name);
    if (o->choices)
      for (const char *const *c = o->choices; *c; ++c)
        printf("%s`%s`", c == o->choices ? "" : ", ", *c);
    else
      printf("%s", o->kind == SN_OPTION_BOOL ? "`true`, `false`" : o->kind == SN_OPTION_INT ? "a number" : "text");
    printf(" | %s%s%s | %s |\n", *o->otherwise ? "`" : "", o->otherwise, *o->otherwise ? "`" : "", o->help);
  }
}

static void print_pass(const SnPass *p, const Files *files) {
  char quoted[128];
  snprintf(quoted, sizeof quoted, ".argument = \"%s\"", p->argument);
  printf("\n### `--%s`\n\n%s\n", p->argument, p->summary);
  if (p->anchor)
    printf("\nRuns on `%s`.\n", p->anchor);
  print_options(p->options);
  const File *own = NULL;
  for (size_t i = 0; i < files->size && !own; ++i)
    if (strstr(files->data[i].text, quoted))
      own = &files->data[i];
  if (own) {
    printf("\nIn `%s`.\n", own->path);
    print_head(own);
  }
  const char *name = strncmp(p->argument, "sinter-", 7) ? p->argument : p->argument + 7;
  for (size_t i = 0; i < files->size; ++i)
    if (&files->data[i] != own && runs_in(files->data[i].text, name) &&
        !strstr(files->data[i].text, ".argument = \"")) {
      printf("\n#### ");
      print_title(&files->data[i]);
      printf("\n\nIn `%s`.\n", files->data[i].path);
      print_head(&files->data[i]);
    }
}

static void print_pipeline(const SnPipeline *p) {
  printf("\n### `--%s`\n\n%s\n", p->argument, p->summary);
  print_options(p->options);
  printf("\n| pass | before -> after | `--emit=` |\n| --- | --- | --- |\n");
  for (const SnStep *s = p->steps; s->pass; ++s) {
    const char *pass = s->pass;
    printf("| ");
    if (*pass == '?') { // `?option=value pass`: this step is for that value
      size_t n = strcspn(pass, " ");
      printf("(`%.*s`) ", (int)n - 1, pass + 1);
      pass += n + (pass[n] == ' ');
    }
    printf("`%s` | ", pass);
    for (const char *c = s->becomes; *c; ++c)
      printf(strchr("|<*", *c) ? "\\%c" : "%c", *c);
    printf(" | %s |\n", s->rung ? s->rung : "");
  }
}

static void print_schedules(void) {
  const char *mnemonic = "";
  printf("\n## Schedules\n\nA key that is left out has its default.\n");
  for (const SnScheduleKey *k = sn_schedule_keys; k->key; ++k) {
    if (strcmp(mnemonic, k->mnemonic)) {
      mnemonic = k->mnemonic;
      printf("\n### `#sinter.%s`\n\n| key | values | default | |\n| --- | --- | --- | --- |\n", mnemonic);
    }
    printf("| `%s` | ", k->key);
    for (size_t w = 0; k->words && k->words[w]; ++w)
      printf("%s`\"%s\"`", w ? ", " : "", k->words[w]);
    if (k->nested) {
      printf("another `#sinter.%s` | none | %s |\n", mnemonic, k->meaning);
      continue;
    }
    if (!k->words && !k->step)
      printf("powers of two, %lld to %lld", (long long)k->low, (long long)k->high);
    else if (!k->words && k->step > 1)
      printf("multiples of %lld, %lld to %lld", (long long)k->step, (long long)k->low, (long long)k->high);
    else if (!k->words)
      printf("%lld to %lld", (long long)k->low, (long long)k->high);
    if (k->words)
      printf(" | `\"%s\"`", k->words[k->otherwise]);
    else
      printf(" | %lld", (long long)k->otherwise);
    printf(" | %s |\n", k->meaning);
  }
}

static void print_kernels(void) {
  static const char *const elements[] = {[SN_ANY] = "any",     [SN_F64] = "f64",     [SN_F32] = "f32",
                                         [SN_TF32] = "tf32",   [SN_F16] = "f16",     [SN_BF16] = "bf16",
                                         [SN_F8E4M3] = "e4m3", [SN_F8E5M2] = "e5m2", [SN_I32] = "i32",
                                         [SN_I16] = "i16",     [SN_I8] = "i8"};
  static const char *const packs[] = {[SN_PACK_ROWS] = "rows",
                                      [SN_PACK_COLUMNS] = "columns, in place",
                                      [SN_PACK_GROUPS] = "groups of k",
                                      [SN_PACK_SWIZZLED] = "swizzled",
                                      [SN_PACK_FRAGMENTS] = "fragments"};
  static const char *const sums[] = {
      [SN_SUMS_IN_MEMORY] = "memory", [SN_SUMS_IN_VECTORS] = "vectors", [SN_SUMS_ALONG_K] = "vectors along k",
      [SN_SUMS_IN_TILES] = "tiles",   [SN_SUMS_IN_THREADS] = "threads", [SN_SUMS_IN_PAIRS_OF_LANES] = "pairs of lanes"};
  static const char *const written[] = {[SN_WRITTEN_NOT_YET] = "not yet",
                                        [SN_WRITTEN_AS_CALL] = "a call",
                                        [SN_WRITTEN_BY_THREADS] = "math.fma or arith, by threads",
                                        [SN_WRITTEN_BY_WARPS] = "mma.sync",
                                        [SN_WRITTEN_BY_WARPGROUPS] = "wgmma",
                                        [SN_WRITTEN_AS_FMA] = "math.fma",
                                        [SN_WRITTEN_AS_MULTIPLY_ADD] = "arith",
                                        [SN_WRITTEN_AS_DOT] = "an intrinsic",
                                        [SN_WRITTEN_AS_DOT_ADD] = "an intrinsic and an addition",
                                        [SN_WRITTEN_AS_DOT_UNSIGNED] = "an intrinsic on a + 128",
                                        [SN_WRITTEN_AS_TILES] = "intrinsics of tiles"};
  printf("\n## Micro-kernels\n\nWhat multiplies blocks of a product, `target/microkernels.c`: `kernel = \"NAME\"` in "
         "a `#sinter.brgemm`. Of the lines that the processor and the types allow the first is chosen. A narrower side "
         "is widened while it is packed. m, n and k are what registers hold; 0: any. A line that is not written yet is "
         "chosen by nothing.\n\n"
         "| name | target | needs | a, b -> sum | m, n, k | a | b | sums in | written as |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const SnMicroKernel *k = sn_micro_kernels; k->name; ++k)
    printf("| `%s` | %s | %s | %s, %s -> %s | %d, %d, %d | %s | %s | %s | %s |\n", k->name,
           k->target == SN_TARGET_CPU ? "CPU" : "GPU", k->needs, elements[k->a], elements[k->b], elements[k->sum], k->m,
           k->n, k->k, packs[k->pack_a], packs[k->pack_b], sums[k->sums], written[k->written]);
}

static void print_combiners(void) {
  printf(
      "\n## Combiners\n\nOf `sinter.row_reduce` and of a form's accumulators. An empty reduction is the identity.\n\n"
      "| name | of floats | of integers | identity of floats |\n| --- | --- | --- | --- |\n");
  for (const SnCombiner *c = sn_combiners; c->kind; ++c) {
    printf("| `%s` | %s | %s | ", c->kind, c->float_op ? c->float_op : "", c->int_op ? c->int_op : "");
    if (c->float_op)
      printf("%g", c->identity);
    printf(" |\n");
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: sinter-doc SOURCE_FOLDER | --library\n");
    return 2;
  }
  if (!strcmp(argv[1], "--library"))
    return sn_print_library();
  Files files = {0};
  const char *const folders[] = {"target", "passes", "lowering"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
    read_folder(argv[1], folders[i], &files);
  qsort(files.data, files.size, sizeof *files.data, by_path);
  printf("# Passes\n\nGenerated by sinter-doc. Each is an option of `sinter-opt`, and a name in `--pass-pipeline=` of "
         "any tool that has loaded the plugin.\n\n## Roads\n");
  for (size_t i = 0; sn_pipelines[i]; ++i)
    print_pipeline(sn_pipelines[i]);
  printf("\n## Passes, one by one\n");
  for (size_t i = 0; sn_passes[i]; ++i)
    print_pass(sn_passes[i], &files);
  print_schedules();
  print_kernels();
  print_combiners();
  for (size_t i = 0; i < files.size; ++i) {
    free(files.data[i].path);
    free(files.data[i].text);
  }
  sn_vec_free(&files);
  return 0;
}
