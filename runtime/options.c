// options.c: a tool's command line from one table.

#include "options.h"
#include "abi.h"
#include "file.h"
#include "sinter_config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const SinterOption *table, const char *usage) {
  printf("usage: %s\n\n", usage);
  for (const SinterOption *o = table; o->name; o++) {
    char left[64];
    bool optional = o->argument && o->argument[0] == '[';
    if (optional)
      snprintf(left, sizeof left, "--%s[=%s", o->name, o->argument + 1);
    else
      snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? "=" : "",
               o->argument ? o->argument : "");
    printf("  %-22s %s\n", left, o->help);
  }
  printf("  %-22s %s\n", "--help", "print this");
  printf("  %-22s %s\n", "--version", "print Sinter's version");
}

SinterParsed sinter_options_parse(const SinterOption *table, void *to, const char *usage, int argc,
                                  char **argv, int *rest) {
  int count = 0;
  while (table[count].name)
    count++;
  struct option *options = calloc((size_t)count + 3, sizeof *options);
  if (!options) {
    fprintf(stderr, "%s: error: not enough memory\n", argv[0]);
    return SINTER_PARSED_BAD;
  }
  for (int i = 0; i < count; i++) {
    const char *argument = table[i].argument;
    options[i].name = table[i].name;
    options[i].has_arg = !argument            ? no_argument
                         : argument[0] == '[' ? optional_argument
                                              : required_argument;
  }
  options[count].name = "help";
  options[count + 1].name = "version";

  SinterParsed answer = SINTER_PARSED;
  int index = 0;
  int found;
  optind = 1;
  while (answer == SINTER_PARSED && (found = getopt_long(argc, argv, "", options, &index)) != -1) {
    if (found != 0) { // getopt_long has said why
      fprintf(stderr, "try %s --help\n", argv[0]);
      answer = SINTER_PARSED_BAD;
    } else if (index >= count) {
      const char *slash = strrchr(argv[0], '/');
      if (index == count)
        print_help(table, usage);
      else
        printf("%s " SINTER_VERSION " (ABI %d)\n", slash ? slash + 1 : argv[0], SINTER_ABI_VERSION);
      answer = sinter_stdout_finish(argv[0]) ? SINTER_PARSED_HELP : SINTER_PARSED_BAD;
    } else {
      const char *wrong = sinter_option_take(&table[index], to, optarg);
      if (wrong) {
        fprintf(stderr, optarg ? "%s: error: --%s: '%s' %s\n" : "%s: error: --%s:%s %s\n", argv[0], table[index].name,
                optarg ? optarg : "", wrong);
        answer = SINTER_PARSED_BAD;
      }
    }
  }
  *rest = optind;
  free(options);
  return answer;
}

// ---- which options go together -------------------------------------------------------

enum { MOST = 64 };
static const char *given[MOST];
static int num_given;

bool sinter_option_given(const char *name) {
  for (int i = 0; i < num_given; i++)
    if (strcmp(given[i], name) == 0)
      return true;
  return false;
}

void sinter_option_note(const char *name) {
  if (!sinter_option_given(name) && num_given < MOST)
    given[num_given++] = name;
}

const char *sinter_option_take(const SinterOption *option, void *to, const char *value) {
  if (!option->repeats && sinter_option_given(option->name))
    return "comes after another one: give the option once";
  sinter_option_note(option->name);
  return option->set(to, value);
}

// The next name of a list of words; false at its end.
static bool next_name(const char **list, char *name, size_t size) {
  *list += strspn(*list, " ");
  size_t n = strcspn(*list, " ");
  snprintf(name, size, "%.*s", (int)n, *list);
  *list += n;
  return n > 0;
}

// The first of a list that was given; NULL: none.
static const char *first_given(const char *list, char *name, size_t size) {
  while (next_name(&list, name, size))
    if (sinter_option_given(name))
      return name;
  return NULL;
}

static void print_names(const char *list) {
  char name[64];
  for (int n = 0; next_name(&list, name, sizeof name); n++)
    fprintf(stderr, "%s--%s", n ? " or " : "", name);
}

bool sinter_options_check(const SinterOptionRule *rules, const char *program) {
  for (const SinterOptionRule *r = rules; r->option; r++) {
    char name[64];
    if (!sinter_option_given(r->option))
      continue;
    const char *other = first_given(r->others, name, sizeof name);
    if (!other == (r->what == SINTER_OPTION_EXCLUDES))
      continue;
    if (other)
      fprintf(stderr, "%s: error: --%s has no effect with --%s", program, other, r->option);
    else
      fprintf(stderr, "%s: error: --%s has no effect without ", program, r->option), print_names(r->others);
    fprintf(stderr, ": %s\n", r->why);
    return false;
  }
  return true;
}
