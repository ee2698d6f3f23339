// inject.h: memory and threads that run out when a test says so.

#ifndef SINTER_TEST_FAULTS_INJECT_H
#define SINTER_TEST_FAULTS_INJECT_H

#include <stdbool.h>

typedef enum { INJECT_NOTHING, INJECT_MEMORY, INJECT_THREADS } InjectKind;

// From now on, the n-th request of this kind (1 is the next) is refused, and all behind it if from_here.
void inject_arm(InjectKind kind, long n, bool from_here);

// Nothing is refused from now on. Answers how many requests were, since it was armed.
long inject_disarm(void);

// Blocks that were allocated and not freed so far.
long inject_live(void);

#endif
