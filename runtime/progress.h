// progress.h: one line on a terminal that says what takes so long, for the tools.

#ifndef SINTER_RUNTIME_PROGRESS_H
#define SINTER_RUNTIME_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// From now on `who` is doing that: "compiling", "timing kernels". After two seconds a line on stderr says so, with the
// time since the first call; nothing where stderr is no terminal. From one thread; the texts live on.
void sinter_progress(const char *who, const char *doing);

// The line is gone.
void sinter_progress_end(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
