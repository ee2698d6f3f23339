// progress.c: one line on a terminal that says what takes so long.

#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Work that is done sooner is not spoken of.
enum { PATIENCE_SECONDS = 2 };

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static bool running, stop;
static const char *program, *what;

static void *show(void *unused) {
  (void)unused;
  bool shown = false;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  pthread_mutex_lock(&lock);
  for (int seconds = 1; !stop; seconds++) {
    until.tv_sec++;
    while (!stop && pthread_cond_timedwait(&ended, &lock, &until) == 0)
      ;
    if (stop || seconds < PATIENCE_SECONDS)
      continue;
    fprintf(stderr, "\r\033[K%s: %s, %d s\r", program, what, seconds); // what is printed next goes over it
    shown = true;
  }
  pthread_mutex_unlock(&lock);
  if (shown)
    fprintf(stderr, "\033[K");
  return NULL;
}

void sinter_progress(const char *who, const char *doing) {
  if (!running && !isatty(STDERR_FILENO))
    return;
  pthread_mutex_lock(&lock);
  program = who;
  what = doing;
  stop = false;
  if (!running)
    running = pthread_create(&thread, NULL, show, NULL) == 0;
  pthread_mutex_unlock(&lock);
}

void sinter_progress_end(void) {
  if (!running)
    return;
  pthread_mutex_lock(&lock);
  stop = true;
  pthread_cond_signal(&ended);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  running = false;
}
