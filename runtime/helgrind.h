// helgrind.h: what valgrind's helgrind cannot see, said to it. Nothing happens where a program runs without it.

#ifndef SINTER_RUNTIME_HELGRIND_H
#define SINTER_RUNTIME_HELGRIND_H

#if __has_include(<valgrind/helgrind.h>)
#include <valgrind/helgrind.h>
#else
#define ANNOTATE_HAPPENS_BEFORE(x) (void)(x) // one thread waits for another by an atomic
#define ANNOTATE_HAPPENS_AFTER(x) (void)(x)
#define VALGRIND_HG_DISABLE_CHECKING(x, size) (void)(x) // published by an atomic, and then only read
#endif

#endif
