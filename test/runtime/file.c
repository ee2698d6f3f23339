// Files that appear whole or not at all: argv[1] is a folder of the test's own.

#include "runtime/file.h"
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[1000], text[100];

static const char *holds(const char *name) {
  FILE *file = fopen(name, "rb");
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[n] = 0;
  if (file)
    fclose(file);
  return file ? text : "nothing";
}

static int files_in(const char *folder) {
  int n = 0;
  DIR *d = opendir(folder);
  while (d && readdir(d))
    n++;
  closedir(d);
  return n - 2; // . and ..
}

static mode_t mode_of(const char *name) {
  struct stat status = {0};
  stat(name, &status);
  return status.st_mode & 07777;
}

int main(int argc, char **argv) {
  CHECK(argc == 2 && chdir(argv[1]) == 0 && files_in(".") == 0);
  umask(022);

  // New, replaced, through a link, with the mode that it had.
  CHECK(sinter_file_write("one", "first", 5, false));
  CHECK_TEXT(holds("one"), "first");
  CHECK(mode_of("one") == 0644);
  CHECK(sinter_file_write("run", "x", 1, true) && mode_of("run") == 0755);
  CHECK(chmod("one", 0640) == 0 && symlink("one", "link") == 0);
  CHECK(sinter_file_write("link", "second", 6, true));
  CHECK_TEXT(holds("one"), "second");
  CHECK(mode_of("one") == 0640);
  struct stat status;
  CHECK(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
  CHECK(files_in(".") == 3);

  // Until it is finished it is what it was; abandoned, it stays so.
  SinterFile file;
  CHECK(sinter_file_create(&file, "one", false));
  fputs("third", file.to);
  fflush(file.to);
  CHECK_TEXT(holds("one"), "second");
  sinter_file_abandon(&file);
  CHECK_TEXT(holds("one"), "second");
  CHECK(files_in(".") == 3);

  // Where nothing can be written, and why.
  CHECK(!sinter_file_write("no/such/folder", "x", 1, false) && errno == ENOENT);
  CHECK(!sinter_file_write(".", "x", 1, false) && errno == EISDIR);
  CHECK(!sinter_file_write("one/more", "x", 1, false) && errno == ENOTDIR);
  CHECK(!sinter_file_write("", "x", 1, false) && errno == ENOENT);
  memset(path, 'n', 255); // the longest name that there is
  CHECK(sinter_file_write(path, "x", 1, false) && unlink(path) == 0);
  CHECK(chmod("one", 0440) == 0);
  if (geteuid() != 0)
    CHECK(!sinter_file_write("one", "x", 1, false) && errno == EACCES);

  // A device is written in place.
  CHECK(sinter_file_write("/dev/null", "x", 1, false));
  if (access("/dev/full", W_OK) == 0)
    CHECK(!sinter_file_write("/dev/full", "x", 1, false) && errno == ENOSPC);

  // No room: nothing changes, and nothing is left.
  static char large[100000];
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  struct rlimit small = {4096, limit.rlim_max};
  CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
  CHECK(!sinter_file_write("one", large, sizeof large, false) && errno == EFBIG);
  CHECK(!sinter_file_write("new", large, sizeof large, false) && errno == EFBIG);
  // Also where only what is still in the buffer does not fit, and where the write that failed is long past.
  CHECK(!sinter_file_write("new", large, 4097, false) && errno == EFBIG);
  CHECK(sinter_file_create(&file, "new", false));
  fwrite(large, 1, sizeof large, file.to);
  errno = 0;
  CHECK(!sinter_file_finish(&file) && errno == EFBIG);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK_TEXT(holds("one"), "second");
  CHECK(files_in(".") == 3);

  // What is printed.
  CHECK(sinter_stdout_finish("test"));
  if (freopen("/dev/full", "w", stdout)) {
    fputs("lost", stdout);
    CHECK(!sinter_stdout_finish("test"));
  }
  return failures != 0;
}
