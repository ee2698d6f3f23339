// pipeline_text.c: a road's list of passes as text, with its options put in.
//
//   {"?input=tosa tosa-to-linalg"}, {"sinter-fuse{policy=$policy}"}   ->   sinter-fuse{policy=medium}

#include "capi/shim.h"
#include "capi/sn.h"
#include <ctype.h>
#include <stdio.h>

typedef struct {
  char *text;
  size_t size, capacity;
} Text;

static void put(Text *t, const char *s, size_t n) {
  while (t->size + n + 1 > t->capacity)
    t->text = sn_grow(t->text, t->capacity, &t->capacity, 1);
  memcpy(t->text + t->size, s, n);
  t->text[t->size += n] = 0;
}

static size_t name_length(const char *s) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '-')
    ++n;
  return n;
}

char *sn_pipeline_text(const SnPipeline *pipeline, const char *(*option)(void *, const char *), void *user,
                       const char *until) {
  Text all = {0};
  put(&all, "", 0);
  for (const SnStep *step = pipeline->steps; step->pass; ++step) {
    const char *s = step->pass;
    bool wanted = true;
    if (*s == '?') {
      char name[64], value[64];
      size_t n = strcspn(++s, "="), v = strcspn(s + n, " ");
      bool unlike = n && s[n - 1] == '!';
      snprintf(name, sizeof name, "%.*s", (int)(unlike ? n - 1 : n), s);
      snprintf(value, sizeof value, "%.*s", (int)(v - 1), s + n + 1);
      wanted = !strcmp(option(user, name), value) != unlike;
      s += n + v + 1;
    }
    if (wanted) {
      if (all.size)
        put(&all, ",", 1);
      while (*s) {
        size_t plain = strcspn(s, "$");
        put(&all, s, plain);
        s += plain;
        if (*s != '$')
          break;
        size_t n = name_length(++s);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        const char *value = option(user, name);
        put(&all, value, strlen(value));
        s += n;
      }
    }
    if (until && step->rung && !strcmp(step->rung, until))
      return all.text;
  }
  if (!until)
    return all.text;
  free(all.text);
  return NULL;
}
